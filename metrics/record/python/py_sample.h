// Sampling: what Python threads are inside, read every so often by a thread of ours that needs no
// lock of the interpreter. Ownership: the process's.
#ifndef PJ_PY_SAMPLE_H
#define PJ_PY_SAMPLE_H

#include "metrics/record/python/py_api.h"

/// Whether $POPINJAY_RECORD_SAMPLE asks for it.
bool pj_py_sample_wanted(void);
/// Begins; in a forked child again. The process is recorded. NULL, or why nothing is sampled.
const char *pj_py_sample_begin(void);

#endif
