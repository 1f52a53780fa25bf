// Lines of chosen functions by sys.monitoring (PEP 669): their code alone has the event LINE, all
// other code runs as without it. Ownership: a thread's own.
#ifndef PJ_PY_LINES_MONITOR_H
#define PJ_PY_LINES_MONITOR_H

#include "metrics/record/python/py_api.h"

/// From now on, `tool` being our place in sys.monitoring, which is borrowed for good.
void pj_py_lines_monitor_begin(PyObject *monitoring, long tool);
/// A call of a chosen function begins, `lines` being its number, or ends.
void pj_py_lines_monitor_enter(const void *code, uint32_t lines);
void pj_py_lines_monitor_leave(const void *code);
/// The calling thread ends.
void pj_py_lines_monitor_end_thread(void);

#endif
