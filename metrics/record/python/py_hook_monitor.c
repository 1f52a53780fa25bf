// Calls by sys.monitoring (PEP 669), which lets code that is not recorded run at full speed.
#include "metrics/record/python/py_api.h"
#include "metrics/record/python/py_builtins.h"
#include "metrics/record/python/py_codes.h"
#include "metrics/record/python/py_hook.h"
#include "metrics/record/python/py_lines_monitor.h"
#include "metrics/record/python/py_thread.h"
#include "metrics/record/rec_thread.h"

static PyObject *monitoring, *disable;
static long tool = -1;

/// Of code that is seen for the first time, in its running frame.
static pj_py_code first_sight(PyObject *code)
{
    bool off = pj_py_self.off;
    pj_py_self.off = true;
    PyObject *frame = (PyObject *)PyEval_GetFrame(); // borrowed
    PyObject *globals = frame ? PyObject_GetAttrString(frame, "f_globals") : NULL;
    PyErr_Clear();
    pj_py_code row = pj_py_codes_add(code, globals);
    Py_XDECREF(globals);
    pj_py_self.off = off;
    return row;
}

static PyObject *new_reference(PyObject *object)
{
    Py_INCREF(object);
    return object;
}

/// False when the code is not recorded.
static bool enter(PyObject *code)
{
    const pj_py_code *seen = pj_py_codes_find(code);
    const pj_py_code row = seen ? *seen : first_sight(code);
    pj_rec_thread *thread = row.region == PJ_PY_NOT_RECORDED ? NULL : pj_rec_here();
    if (row.off)
        return pj_py_thread_skip(thread, row.region);
    if (thread)
        pj_py_thread_enter(thread, row.region);
    if (row.lines)
        pj_py_lines_monitor_enter(code, row.lines);
    return row.region != PJ_PY_NOT_RECORDED;
}

/// The same; code that was never seen to begin may yet be.
static bool leave(const void *code)
{
    const pj_py_code *row = pj_py_codes_find(code);
    if (!row || row->region == PJ_PY_NOT_RECORDED)
        return row == NULL;
    if (row->lines)
        pj_py_lines_monitor_leave(code);
    pj_rec_thread *thread = pj_rec_here();
    if (row->off && (!thread || !pj_rec_is_open(thread, row->region)))
        return false;
    if (thread)
        pj_py_thread_leave(thread, row->region);
    return true;
}

static PyObject *on_enter(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)self;
    (void)count;
    return new_reference(enter(arguments[0]) ? Py_None : disable);
}

static PyObject *on_leave(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)self;
    (void)count;
    return new_reference(leave(arguments[0]) ? Py_None : disable);
}

/// Exceptions on their way into a generator or out of a function cannot be switched off for one
/// code object.
static PyObject *on_throw(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)self;
    (void)count;
    enter(arguments[0]);
    return new_reference(Py_None);
}

static PyObject *on_unwind(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)self;
    (void)count;
    leave(arguments[0]);
    return new_reference(Py_None);
}

/// The code, where in it, the function, its first argument.
static PyObject *on_call(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)self;
    (void)count;
    pj_py_builtins_enter(arguments[0], arguments[2]);
    return new_reference(Py_None);
}

static PyObject *on_return(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)self;
    (void)count;
    pj_py_builtins_leave(arguments[0], arguments[2]);
    return new_reference(Py_None);
}

#define CALLBACK(name, function)                                                                   \
    {                                                                                              \
        name, (PyCFunction)(void (*)(void))(function), PJ_PY_FASTCALL, NULL                        \
    }

static struct {
    const char *event;
    PyMethodDef callback;
} rows[] = {
    {"PY_START", CALLBACK("start", on_enter)},   {"PY_RESUME", CALLBACK("resume", on_enter)},
    {"PY_THROW", CALLBACK("throw", on_throw)},   {"PY_RETURN", CALLBACK("return", on_leave)},
    {"PY_YIELD", CALLBACK("yield", on_leave)},   {"PY_UNWIND", CALLBACK("unwind", on_unwind)},
    {"CALL", CALLBACK("call", on_call)},         {"C_RETURN", CALLBACK("c_return", on_return)},
    {"C_RAISE", CALLBACK("c_raise", on_return)},
};
enum { ROWS = sizeof rows / sizeof *rows, OF_PYTHON = ROWS - 3 }; // the others are of C

static long event_number(const char *name)
{
    PyObject *events = PyObject_GetAttrString(monitoring, "events");
    long number = events ? pj_py_number(events, name) : -1;
    Py_XDECREF(events);
    return number;
}

/// The first of the tools that are nobody's by convention.
static bool take_tool(void)
{
    static const int wanted[] = {4, 3, 5};
    for (size_t i = 0; tool < 0 && i < sizeof wanted / sizeof *wanted; i++) {
        PyObject *done =
            PyObject_CallMethod(monitoring, "use_tool_id", "is", wanted[i], "popinjay");
        if (done)
            tool = wanted[i];
        Py_XDECREF(done);
        PyErr_Clear();
    }
    return tool >= 0;
}

static bool has_monitoring(void)
{
    PyObject *sys = PyImport_ImportModule("sys");
    if (!monitoring && sys)
        monitoring = PyObject_GetAttrString(sys, "monitoring");
    if (!disable && monitoring)
        disable = PyObject_GetAttrString(monitoring, "DISABLE");
    Py_XDECREF(sys);
    PyErr_Clear();
    return disable != NULL;
}

static const char *unfit(void)
{
    if (!has_monitoring())
        return "this Python has no sys.monitoring";
    return take_tool() ? NULL : "other tools hold the places of sys.monitoring";
}

static void set_events(long events)
{
    PyObject *done = PyObject_CallMethod(monitoring, "set_events", "ll", tool, events);
    Py_XDECREF(done);
    PyErr_Clear();
}

static void install(void)
{
    long all = 0;
    for (size_t i = 0; i < (pj_py_builtins_wanted ? ROWS : OF_PYTHON); i++) {
        long event = event_number(rows[i].event);
        PyObject *callback = PyCFunction_New(&rows[i].callback, NULL);
        PyObject *done = event < 0 ? NULL
                                   : PyObject_CallMethod(monitoring, "register_callback", "llO",
                                                         tool, event, callback);
        if (done)
            all |= event;
        Py_XDECREF(done);
        Py_XDECREF(callback);
        PyErr_Clear();
    }
    pj_py_lines_monitor_begin(monitoring, tool);
    set_events(all);
}

static void remove_hook(void)
{
    set_events(0);
}

const pj_py_hook pj_py_hook_monitor = {
    .name = "monitor",
    .first = 12,
    .last = 99,
    .unfit = unfit,
    .tells_lines = true,
    .tells_builtins = true,
    .install = install,
    .remove = remove_hook,
    .end_thread = pj_py_lines_monitor_end_thread,
};
