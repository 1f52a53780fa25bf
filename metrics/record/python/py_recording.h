// The recording of this process as Python sees it: which hook, which threads. Ownership: the state
// is the process's.
#ifndef PJ_PY_RECORDING_H
#define PJ_PY_RECORDING_H

#include "metrics/record/python/py_api.h"

typedef struct pj_py_recording_options {
    const char *folder, *hook; // "auto" or the name of a hook
    bool all;                  // functions of Python's own machinery, too
    bool off;                  // functions only where the program asks for them
    uint64_t max_bytes;        // 0 = no limit
} pj_py_recording_options;

/// The hook that is used, or NULL with a Python error.
const char *pj_py_recording_start(pj_py_recording_options options);
/// No later event is recorded.
void pj_py_recording_stop(void);
/// Functions of the calling thread are recorded, or not; gives what was before.
bool pj_py_recording_instrument(bool on);
/// Whether the hook writes functions of the calling thread.
bool pj_py_recording_sees_calls(void);
/// The region of a function as the hook would write it; 0 = none.
uint32_t pj_py_recording_region(PyObject *code, PyObject *globals);

#endif
