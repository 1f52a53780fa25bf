// Calls by PyEval_SetProfile: of any version, three times as dear, thread by thread.
#include "metrics/record/python/py_builtins.h"
#include "metrics/record/python/py_codes.h"
#include "metrics/record/python/py_hook.h"
#include "metrics/record/python/py_thread.h"
#include "metrics/record/rec_thread.h"

enum { CALL = 0, RETURN = 3, C_CALL = 4, C_EXCEPTION = 5, C_RETURN = 6 }; // PyTrace_CALL, ...

static PyObject *holder; // tells our hook from others

static uint32_t region_of(PyObject *frame, bool *off)
{
    PyObject *code = pj_py.frame_code(frame);
    const pj_py_code *row = pj_py_codes_find(code);
    uint32_t region = row ? row->region : PJ_PY_NOT_RECORDED;
    *off = row && row->off;
    if (!row) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyObject *globals = PyObject_GetAttrString(frame, "f_globals");
        PyErr_Clear();
        region = pj_py_codes_add(code, globals).region;
        Py_XDECREF(globals);
        PyErr_Restore(type, value, trace);
    }
    Py_DECREF(code);
    return region;
}

static void on_builtin(PyObject *frame, int what, PyObject *function)
{
    PyObject *code = pj_py.frame_code(frame);
    if (what == C_CALL)
        pj_py_builtins_enter(code, function);
    else if (what == C_RETURN || what == C_EXCEPTION)
        pj_py_builtins_leave(code, function);
    Py_DECREF(code);
}

static int on_event(PyObject *self, PyObject *frame, int what, PyObject *argument)
{
    (void)self;
    if (pj_py_builtins_wanted && what >= C_CALL)
        on_builtin(frame, what, argument);
    if (what != CALL && what != RETURN)
        return 0;
    bool off;
    uint32_t region = region_of(frame, &off);
    pj_rec_thread *thread = region == PJ_PY_NOT_RECORDED ? NULL : pj_rec_here();
    if (thread && off && what == CALL)
        pj_py_thread_skip(thread, region);
    else if (thread && what == CALL)
        pj_py_thread_enter(thread, region);
    else if (thread)
        pj_py_thread_leave(thread, region);
    return 0;
}

static const char *unfit(void)
{
    return pj_py.set_profile && pj_py.frame_code ? NULL
                                                 : "this Python has no PyEval_SetProfile to call";
}

static void install(void)
{
    if (!holder)
        holder = PyUnicode_FromString("popinjay");
    pj_py.set_profile(on_event, holder);
}

static void remove_hook(void)
{
    pj_py.set_profile(NULL, NULL);
}

const pj_py_hook pj_py_hook_profile = {
    .name = "profile",
    .first = 0,
    .last = 8,
    .unfit = unfit,
    .tells_builtins = true,
    .install = install,
    .remove = remove_hook,
    .install_here = install,
};
