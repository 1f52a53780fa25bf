// Calls by the evaluation of frames (PEP 523): CPython calls us in place of its evaluator, we call
// that one between an enter and a leave.
#include "metrics/record/python/py_api.h"
#include "metrics/record/python/py_codes.h"
#include "metrics/record/python/py_hook.h"
#include "metrics/record/python/py_lines.h"
#include "metrics/record/python/py_thread.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_thread.h"

#include <string.h>

enum { OWNER_AT = 69, OWNED_BY_THREAD = 0 }; // of _PyInterpreterFrame, 3.11

static pj_py_eval next_eval;
static bool installed;
static const void *seen_code;

static void *field(const void *frame, size_t at)
{
    void *value;
    memcpy(&value, (const char *)frame + at, sizeof value);
    return value;
}

/// On 3.11 the making of a generator is a frame, too, that belongs to the thread.
static bool only_makes(const pj_py_code *row, const void *frame)
{
    return row->makes_generator && pj_py.minor == 11 &&
           ((const char *)frame)[OWNER_AT] == OWNED_BY_THREAD;
}

static uint32_t region_of(const void *frame, uint32_t *lines)
{
    const void *code = field(frame, pj_py.code_at);
    const pj_py_code *row = pj_py_codes_find(code);
    pj_py_code added;
    if (__builtin_expect(!row, 0)) {
        bool off = pj_py_self.off;
        pj_py_self.off = true;
        added = pj_py_codes_add((PyObject *)(uintptr_t)code, field(frame, pj_py.globals_at));
        pj_py_self.off = off;
        row = &added;
    }
    if (row->off || only_makes(row, frame))
        return PJ_PY_NOT_RECORDED;
    *lines = row->lines;
    return row->region;
}

static PyObject *record_frame(PyThreadState *state, void *frame, int thrown);

/// Calls of Python by Python need no stack of C without us: for the rest of this call they are not
/// recorded.
static PyObject *eval_unrecorded(PyThreadState *state, void *frame, int thrown)
{
    static bool said;
    const pj_rec_thread *thread = pj_rec_self;
    if (!said)
        pj_rec_note(2, "calls deeper than %u are not in the trace: the stack ends there",
                    thread ? thread->depth : 0);
    said = true;
    PyInterpreterState *interpreter = pj_py.interpreter();
    pj_py.set_eval(interpreter, next_eval);
    PyObject *result = next_eval(state, frame, thrown);
    if (installed)
        pj_py.set_eval(interpreter, record_frame);
    return result;
}

static inline PyObject *eval(uint32_t lines, PyThreadState *state, void *frame, int thrown)
{
    return __builtin_expect(pj_py_lines_wanted, 0)
               ? pj_py_lines_eval(lines, next_eval, state, frame, thrown)
               : next_eval(state, frame, thrown);
}

static PyObject *record_frame(PyThreadState *state, void *frame, int thrown)
{
    if (__builtin_expect(pj_py_thread_is_deep(), 0))
        return eval_unrecorded(state, frame, thrown);
    uint32_t lines = 0;
    uint32_t region = pj_py_self.off ? PJ_PY_NOT_RECORDED : region_of(frame, &lines);
    pj_rec_thread *thread = region == PJ_PY_NOT_RECORDED ? NULL : pj_rec_here();
    uint32_t depth = thread ? thread->depth : 0;
    if (!thread || !pj_rec_enter(thread, region))
        return eval(lines, state, frame, thrown);
    PyObject *result = eval(lines, state, frame, thrown);
    pj_py_thread_leave_at(region, depth);
    return result;
}

static PyObject *look_at_frame(PyThreadState *state, void *frame, int thrown)
{
    seen_code = field(frame, pj_py.code_at);
    return next_eval(state, frame, thrown);
}

/// Calls a function whose code is known.
static bool sees_code(void)
{
    PyObject *names = PyDict_New();
    PyObject *code = Py_CompileString("def known(): pass\n", "<popinjay>", Py_file_input);
    PyObject *done = names && code ? PyEval_EvalCode(code, names, names) : NULL;
    PyObject *function = done ? PyDict_GetItemString(names, "known") : NULL;
    PyObject *wanted = function ? PyObject_GetAttrString(function, "__code__") : NULL;
    bool ok = false;
    if (wanted) {
        PyInterpreterState *interpreter = pj_py.interpreter();
        next_eval = pj_py.get_eval(interpreter);
        pj_py.set_eval(interpreter, look_at_frame);
        PyObject *nothing = PyObject_CallFunctionObjArgs(function, NULL);
        pj_py.set_eval(interpreter, next_eval);
        ok = nothing && seen_code == wanted;
        Py_XDECREF(nothing);
    }
    Py_XDECREF(wanted);
    Py_XDECREF(done);
    Py_XDECREF(code);
    Py_XDECREF(names);
    PyErr_Clear();
    return ok;
}

static const char *unfit(void)
{
    if (!pj_py.frames_known)
        return "the frames of this Python are not known";
    if (!pj_py.interpreter || !pj_py.get_eval || !pj_py.set_eval)
        return "this Python does not let its frames be evaluated by others";
    return sees_code() ? NULL : "the frames of this Python are not laid out as expected";
}

static void install(void)
{
    if (installed)
        return;
    pj_py_thread_raise_stack();
    pj_py_thread_find_floor(); // which has moved
    PyInterpreterState *interpreter = pj_py.interpreter();
    next_eval = pj_py.get_eval(interpreter);
    installed = true;
    pj_py.set_eval(interpreter, record_frame);
}

/// Another tool that came after us stays; it calls us, and we record no more.
static void remove_hook(void)
{
    PyInterpreterState *interpreter = pj_py.interpreter();
    if (installed && pj_py.get_eval(interpreter) == record_frame)
        pj_py.set_eval(interpreter, next_eval);
    installed = false;
}

const pj_py_hook pj_py_hook_frame = {
    .name = "frame",
    .first = 9,
    .last = 11,
    .unfit = unfit,
    .tells_lines = true,
    .install = install,
    .remove = remove_hook,
};
