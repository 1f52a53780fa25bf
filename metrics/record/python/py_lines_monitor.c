// Frames of chosen functions are a stack of each thread's own: sys.monitoring tells code, not
// frames.
#include "metrics/record/python/py_lines_monitor.h"

#include "metrics/record/python/py_lines.h"
#include "metrics/record/python/py_thread.h"

#include <stdlib.h>

enum { FIRST_VISITS = 16 };

typedef struct visit {
    const void *code; // borrowed: it runs
    pj_py_line at;    // lines 0 = the thread is not recorded
} visit;

typedef struct visits {
    visit *items;
    uint32_t count, most;
} visits;

static PyObject *monitoring;
static long tool, line_event;
static _Thread_local visits open_visits __attribute__((tls_model("initial-exec")));

static visit *innermost(void)
{
    return open_visits.count ? &open_visits.items[open_visits.count - 1] : NULL;
}

void pj_py_lines_monitor_enter(const void *code, uint32_t lines)
{
    visits *v = &open_visits;
    if (v->count == v->most) {
        const uint32_t most = v->most ? 2 * v->most : FIRST_VISITS;
        visit *larger = realloc(v->items, most * sizeof *larger);
        if (!larger)
            return;
        v->items = larger;
        v->most = most;
    }
    v->items[v->count++] = (visit){.code = code, .at.lines = pj_py_self.off ? 0 : lines};
}

void pj_py_lines_monitor_leave(const void *code)
{
    visit *v = innermost();
    if (!v || v->code != code)
        return;
    pj_py_line_end(&v->at);
    open_visits.count--;
}

void pj_py_lines_monitor_end_thread(void)
{
    free(open_visits.items);
    open_visits = (visits){.count = 0};
}

static PyObject *on_line(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    visit *v = innermost();
    (void)self;
    (void)count;
    if (v && v->code == arguments[0] && v->at.lines) {
        const long line = PyLong_AsLong(arguments[1]);
        pj_py_line_end(&v->at);
        if (line > 0)
            pj_py_line_begin(&v->at, (uint32_t)line);
    }
    Py_INCREF(Py_None);
    return Py_None;
}

static void watch(PyObject *code)
{
    PyObject *done =
        PyObject_CallMethod(monitoring, "set_local_events", "lOl", tool, code, line_event);
    Py_XDECREF(done);
    PyErr_Clear();
}

void pj_py_lines_monitor_begin(PyObject *given, long place)
{
    static PyMethodDef method = {"line", (PyCFunction)(void (*)(void))on_line, PJ_PY_FASTCALL,
                                 NULL};
    monitoring = given;
    tool = place;
    PyObject *events = PyObject_GetAttrString(monitoring, "events");
    line_event = events ? pj_py_number(events, "LINE") : -1;
    PyObject *callback = line_event > 0 ? PyCFunction_New(&method, NULL) : NULL;
    PyObject *done = callback ? PyObject_CallMethod(monitoring, "register_callback", "llO", tool,
                                                    line_event, callback)
                              : NULL;
    if (done)
        pj_py_lines_tell(watch);
    Py_XDECREF(done);
    Py_XDECREF(callback);
    Py_XDECREF(events);
    PyErr_Clear();
}
