// How the recorder sees calls: one row for each way that CPython offers. Ownership: constants.
#ifndef PJ_PY_HOOK_H
#define PJ_PY_HOOK_H

#include "metrics/record/python/py_api.h"

typedef struct pj_py_hook {
    const char *name; // as --hook says it
    int first, last;  // versions of CPython 3 that it is chosen for
    /// NULL, or why it cannot be used here. No error is left.
    const char *(*unfit)(void);
    bool tells_lines, tells_builtins;
    void (*install)(void); // for all threads, or for the calling one
    void (*remove)(void);
    /// Called in each new thread; NULL where a hook sees all threads.
    void (*install_here)(void);
    void (*end_thread)(void); // called at the end of each; may be NULL
} pj_py_hook;

extern const pj_py_hook pj_py_hook_frame, pj_py_hook_monitor, pj_py_hook_profile;

#endif
