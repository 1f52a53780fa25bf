// While functions run that are called by a chosen one the tracer is out: their lines cost nothing.
// Time of a line is from its begin to that of the next one, or to the end of the frame.
#include "metrics/record/python/py_lines.h"

#include "metrics/record/python/py_codes.h"
#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_lines.h"
#include "metrics/record/rec_part.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { CALL = 0, LINE = 2, RETURN = 3, NAME_MOST = 256 }; // PyTrace_CALL, ...

/// A frame of a chosen function, or (lines 0) what it has called.
typedef struct visit {
    struct visit *outer;
    PyObject *frame; // NULL = not yet seen; borrowed
    uint32_t lines;
    uint32_t line; // that is running; 0 = none
    uint64_t since;
} visit;

bool pj_py_lines_wanted;
static const char *patterns;
static PyObject *get_trace, *mark;
static _Thread_local visit *innermost __attribute__((tls_model("initial-exec")));

void pj_py_lines_begin(void)
{
    const char *given = getenv("POPINJAY_RECORD_LINES");
    PyObject *sys = given && *given ? PyImport_ImportModule("sys") : NULL;
    get_trace = sys ? PyObject_GetAttrString(sys, "gettrace") : NULL;
    mark = get_trace ? PyUnicode_FromString("popinjay") : NULL;
    Py_XDECREF(sys);
    PyErr_Clear();
    if (mark && pj_py.set_trace)
        patterns = given;
}

void pj_py_lines_end(void)
{
    if (patterns)
        pj_rec_note(2, "lines are recorded with the hook of frames alone (Python 3.9 to 3.11)");
    patterns = NULL;
}

bool pj_py_lines_choose(const char *name)
{
    const char *colon = strrchr(name, ':'), *alone = colon ? colon + 1 : name;
    for (const char *at = patterns; at && *at;) {
        char pattern[NAME_MOST];
        const size_t size = strcspn(at, ",");
        if (size < sizeof pattern) {
            memcpy(pattern, at, size);
            pattern[size] = '\0';
            if (fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, alone, 0) == 0)
                return pj_py_lines_wanted = true;
        }
        at += size + (at[size] == ',');
    }
    return false;
}

static void charge(visit *v, uint64_t now)
{
    pj_rec_line *line = v->line ? pj_rec_lines_at(v->lines, v->line) : NULL;
    if (line && now > v->since)
        line->ticks += now - v->since;
    v->line = 0;
}

static int on_event(PyObject *self, PyObject *frame, int what, PyObject *argument)
{
    visit *v = innermost;
    (void)self;
    (void)argument;
    if (!v || !v->lines)
        return 0;
    if (!v->frame && (what == CALL || what == LINE))
        v->frame = frame;
    if (v->frame != frame || (what != LINE && what != RETURN))
        return 0;
    charge(v, pj_rec_now());
    if (what == RETURN)
        return 0;
    const uint32_t number = (uint32_t)PyFrame_GetLineNumber((PyFrameObject *)frame);
    pj_rec_line *line = pj_rec_lines_at(v->lines, number);
    if (line)
        line->hits++;
    v->line = number;
    v->since = pj_rec_now();
    return 0;
}

static void trace(bool on)
{
    pj_py.set_trace(on ? on_event : NULL, on ? mark : NULL);
}

/// Another tracer (a debugger, a measure of coverage) stays.
static bool is_taken(void)
{
    static bool said;
    PyObject *type, *value, *where;
    PyErr_Fetch(&type, &value, &where);
    PyObject *tracer = PyObject_CallObject(get_trace, NULL);
    const bool taken = tracer && tracer != Py_None && tracer != mark;
    Py_XDECREF(tracer);
    PyErr_Restore(type, value, where);
    if (taken && !said)
        pj_rec_note(2, "lines were not recorded where another tool traces them (sys.settrace)");
    said |= taken;
    return taken;
}

PyObject *pj_py_lines_eval(uint32_t lines, pj_py_eval eval, PyThreadState *state, void *frame,
                           int thrown)
{
    visit *outer = innermost, own = {.outer = outer, .lines = lines};
    const bool traced = outer && outer->lines;
    if ((!lines && !traced) || (lines && !traced && is_taken()))
        return eval(state, frame, thrown);
    innermost = &own;
    if (traced != (lines != 0))
        trace(lines != 0);
    PyObject *result = eval(state, frame, thrown);
    charge(&own, pj_rec_now());
    innermost = outer;
    if (traced != (lines != 0))
        trace(traced);
    return result;
}

/// As a decorator: the function stays as it is.
static PyObject *choose(PyObject *module, PyObject *function)
{
    (void)module;
    PyObject *code = PyObject_GetAttrString(function, "__code__");
    PyObject *globals = code ? PyObject_GetAttrString(function, "__globals__") : NULL;
    PyErr_Clear();
    if (globals && patterns && pj_rec_started())
        pj_py_lines_wanted |= pj_py_codes_take_lines(code, globals);
    Py_XDECREF(code);
    Py_XDECREF(globals);
    Py_INCREF(function);
    return function;
}

bool pj_py_lines_add_to(PyObject *module)
{
    static PyMethodDef method = {"lines", choose, METH_O,
                                 "lines(function): records its lines; gives the function."};
    PyObject *made = PyCFunction_New(&method, NULL);
    return made && PyModule_AddObject(module, "lines", made) == 0;
}
