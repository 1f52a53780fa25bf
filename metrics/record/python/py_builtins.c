// Functions are told apart by their definition in C, since CPython makes an object of it for each
// call of a method. Which are seen, and when, is the same as for sys.setprofile in every version.
#include "metrics/record/python/py_builtins.h"

#include "metrics/record/python/py_codes.h"
#include "metrics/record/python/py_name.h"
#include "metrics/record/python/py_thread.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 256 };

/// What it is made of: another one at the same address has another name or class.
typedef struct identity {
    const void *at, *beside;
} identity;

typedef struct row {
    identity of;
    uint32_t region; // PJ_PY_NOT_RECORDED: not chosen
} row;

bool pj_py_builtins_wanted;
static const char *patterns;
static row *rows;
static size_t used, mask;

void pj_py_builtins_begin(void)
{
    const char *given = getenv("POPINJAY_RECORD_C_FUNCTIONS");
    if (!given || !*given)
        return;
    patterns = given;
    if (!rows)
        rows = calloc(FIRST_ROWS, sizeof *rows);
    mask = FIRST_ROWS - 1;
    pj_py_builtins_wanted = rows != NULL;
}

void pj_py_builtins_end(const char *hook)
{
    if (pj_py_builtins_wanted)
        pj_rec_note(2, "functions of C are not recorded with the hook \"%s\": \"%s\" sees them",
                    hook, pj_py.minor < 12 ? "profile" : "monitor");
    pj_py_builtins_wanted = false;
}

/// False for what is no function of C. The definition of one stands behind the head of its object.
static bool identify(PyObject *function, identity *out)
{
    if (Py_TYPE(function) == &PyMethodDescr_Type) {
        *out = (identity){function, Py_TYPE(function)};
        return true;
    }
    if (!PyCFunction_Check(function))
        return false;
    const PyMethodDef *definition;
    memcpy(&definition, (const char *)function + sizeof(PyObject), sizeof definition);
    *out = (identity){definition, definition->ml_name};
    return true;
}

static row *place_of(row *in, size_t last, const void *at)
{
    size_t i = pj_py_codes_place(at) & last;
    while (in[i].of.at && in[i].of.at != at)
        i = (i + 1) & last;
    return &in[i];
}

static row *find(identity wanted)
{
    row *found = place_of(rows, mask, wanted.at);
    return found->of.at && found->of.beside == wanted.beside ? found : NULL;
}

static void grow(void)
{
    const size_t last = 2 * mask + 1;
    row *more = calloc(last + 1, sizeof *more);
    if (!more)
        return;
    for (size_t i = 0; i <= mask; i++)
        if (rows[i].of.at)
            *place_of(more, last, rows[i].of.at) = rows[i];
    free(rows);
    rows = more;
    mask = last;
}

static void put(row new_one)
{
    if (2 * used > mask)
        grow();
    if (used >= mask)
        return;
    row *at = place_of(rows, mask, new_one.of.at);
    used += !at->of.at;
    *at = new_one;
}

/// The first class of those that `type` inherits from which has a method of this name in C.
static PyObject *class_with(PyObject *type, PyObject *name)
{
    PyObject *classes = PyObject_GetAttrString(type, "__mro__"), *found = NULL;
    Py_ssize_t count = classes && PyTuple_Check(classes) ? PyTuple_Size(classes) : 0;
    for (Py_ssize_t i = 0; i < count && !found; i++) {
        PyObject *one = PyTuple_GetItem(classes, i);
        PyObject *names = PyObject_GetAttrString(one, "__dict__");
        PyObject *method = names ? PyObject_GetItem(names, name) : NULL;
        if (method && Py_TYPE(method) == &PyMethodDescr_Type)
            found = one;
        Py_XDECREF(method);
        Py_XDECREF(names);
        PyErr_Clear();
    }
    found = found ? found : type;
    Py_INCREF(found);
    Py_XDECREF(classes);
    return found;
}

/// The class that a method is of; NULL without an error for functions of modules. New.
static PyObject *class_of(PyObject *function)
{
    if (Py_TYPE(function) == &PyMethodDescr_Type)
        return PyObject_GetAttrString(function, "__objclass__");
    PyObject *self = PyObject_GetAttrString(function, "__self__"), *found = NULL;
    PyObject *name = PyObject_GetAttrString(function, "__name__");
    if (self && self != Py_None && name && !PyModule_Check(self)) {
        found = PyType_Check(self) ? self : class_with((PyObject *)Py_TYPE(self), name);
        if (found == self)
            Py_INCREF(found);
    }
    Py_XDECREF(name);
    Py_XDECREF(self);
    PyErr_Clear();
    return found;
}

/// "module:function" or "module.Class:method", and the module.
static void name_of(PyObject *function, pj_py_name *out)
{
    PyObject *class = class_of(function), *whose = class ? class : function;
    PyObject *module = pj_py_text(whose, "__module__"), *name = pj_py_text(function, "__name__");
    PyObject *of = class ? pj_py_text(class, "__qualname__") : NULL;
    const char *shown = module ? PyBytes_AsString(module) : "";
    snprintf(out->module, sizeof out->module, "%s", *shown ? shown : "unknown");
    const int size = snprintf(out->name, sizeof out->name, "%s%s%s:%s", out->module, of ? "." : "",
                              of ? PyBytes_AsString(of) : "", name ? PyBytes_AsString(name) : "?");
    if (size < 0 || (size_t)size >= sizeof out->name)
        pj_py_name_mend(out->name, sizeof out->name);
    out->file[0] = '\0';
    Py_XDECREF(of);
    Py_XDECREF(name);
    Py_XDECREF(module);
    Py_XDECREF(class);
    PyErr_Clear();
}

static uint32_t region_of(PyObject *function)
{
    pj_py_name name;
    name_of(function, &name);
    if (pj_py_name_is_left_out(&name) || !pj_py_name_matches(name.name, patterns))
        return PJ_PY_NOT_RECORDED;
    const uint32_t region = pj_rec_region(&(pj_rec_region_of){.name = name.name});
    return region ? region : PJ_PY_NOT_RECORDED;
}

static uint32_t first_sight(PyObject *function, identity of)
{
    PyObject *type, *value, *trace;
    const bool off = pj_py_self.off;
    PyErr_Fetch(&type, &value, &trace);
    pj_py_self.off = true;
    const row made = {of, region_of(function)};
    pj_py_self.off = off;
    PyErr_Restore(type, value, trace);
    put(made);
    return made.region;
}

static bool is_recorded(const void *code)
{
    const pj_py_code *caller = code ? pj_py_codes_find(code) : NULL;
    return !caller || caller->region != PJ_PY_NOT_RECORDED;
}

void pj_py_builtins_enter(const void *code, PyObject *function)
{
    identity of;
    if (!is_recorded(code) || !identify(function, &of))
        return;
    const row *known = find(of);
    const uint32_t region = known ? known->region : first_sight(function, of);
    pj_rec_thread *thread = region == PJ_PY_NOT_RECORDED ? NULL : pj_rec_here();
    if (thread)
        pj_py_thread_enter(thread, region);
}

void pj_py_builtins_leave(const void *code, PyObject *function)
{
    identity of;
    const row *known = is_recorded(code) && identify(function, &of) ? find(of) : NULL;
    pj_rec_thread *thread = known && known->region != PJ_PY_NOT_RECORDED ? pj_rec_here() : NULL;
    if (thread)
        pj_py_thread_leave(thread, known->region);
}
