// Which functions, and their lines by a tracer (the frame hook): while functions run that are
// called by a chosen one it is out, so that their lines cost nothing.
#include "metrics/record/python/py_lines.h"

#include "metrics/record/python/py_codes.h"
#include "metrics/record/python/py_name.h"
#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_lines.h"
#include "metrics/record/rec_part.h"

#include <stdlib.h>
#include <string.h>

enum { CALL = 0, LINE = 2, RETURN = 3 }; // PyTrace_CALL, ...

/// A frame of a chosen function, or (lines 0) what it has called.
typedef struct visit {
    struct visit *outer;
    PyObject *frame; // NULL = not yet seen; borrowed
    pj_py_line at;
} visit;

bool pj_py_lines_wanted;
static const char *patterns;
static void (*told)(PyObject *code);
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
        pj_rec_note(2,
                    "lines are not recorded with the hook \"profile\": Python 3.9 and later have "
                    "others");
    patterns = NULL;
}

void pj_py_lines_tell(void (*tell)(PyObject *code))
{
    told = tell;
}

uint32_t pj_py_lines_of(PyObject *code, uint32_t region, uint32_t first, uint32_t last)
{
    const uint32_t lines = pj_rec_lines_of(region, first, last);
    if (lines && told)
        told(code);
    return lines;
}

bool pj_py_lines_choose(const char *name)
{
    const bool chosen = pj_py_name_matches(name, patterns);
    pj_py_lines_wanted |= chosen;
    return chosen;
}

void pj_py_line_end(pj_py_line *at)
{
    const uint64_t now = pj_rec_now();
    if (at->line && now > at->since)
        pj_rec_lines_add(at->lines, at->line, (pj_rec_line){.ticks = now - at->since});
    at->line = 0;
}

void pj_py_line_begin(pj_py_line *at, uint32_t line)
{
    pj_rec_lines_add(at->lines, line, (pj_rec_line){.hits = 1});
    at->line = line;
    at->since = pj_rec_now();
}

static int on_event(PyObject *self, PyObject *frame, int what, PyObject *argument)
{
    visit *v = innermost;
    (void)self;
    (void)argument;
    if (!v || !v->at.lines)
        return 0;
    if (!v->frame && (what == CALL || what == LINE))
        v->frame = frame;
    if (v->frame != frame || (what != LINE && what != RETURN))
        return 0;
    pj_py_line_end(&v->at);
    if (what == LINE)
        pj_py_line_begin(&v->at, (uint32_t)PyFrame_GetLineNumber((PyFrameObject *)frame));
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
    visit *outer = innermost, own = {.outer = outer, .at.lines = lines};
    const bool traced = outer && outer->at.lines;
    if ((!lines && !traced) || (lines && !traced && is_taken()))
        return eval(state, frame, thrown);
    innermost = &own;
    if (traced != (lines != 0))
        trace(lines != 0);
    PyObject *result = eval(state, frame, thrown);
    pj_py_line_end(&own.at);
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
