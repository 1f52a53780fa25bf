// Allocations of Python, counted as they happen. Ownership: process-wide.
#ifndef PJ_PY_ALLOCATIONS_H
#define PJ_PY_ALLOCATIONS_H

/// Counts from here on, if that is wanted (rec_allocations.h), until the process ends.
void pj_py_allocations_begin(void);

#endif
