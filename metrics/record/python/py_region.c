// Regions that the program names itself.
#include "metrics/record/python/py_region.h"

#include "metrics/record/python/py_codes.h"
#include "metrics/record/python/py_function.h"
#include "metrics/record/python/py_name.h"
#include "metrics/record/python/py_thread.h"
#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_counters.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_thread.h"

#include <stdio.h>
#include <string.h>

/// Regions of the API's own have this prefix already.
static const char SWITCHED[] = "user_instrumenter:";
static PyObject *known; // name -> id, of regions of users

/// The innermost frame of the program itself; a new reference or NULL.
static PyObject *users_frame(pj_py_name *out)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    Py_XINCREF(frame);
    while (frame) {
        PyObject *code = PyObject_GetAttrString(frame, "f_code");
        if (code)
            pj_py_name_of(code, NULL, out);
        Py_XDECREF(code);
        if (!pj_py_name_is_own(out->file))
            break;
        PyObject *outer = PyObject_GetAttrString(frame, "f_back");
        Py_DECREF(frame);
        frame = outer;
    }
    PyErr_Clear();
    return frame;
}

/// File and line where the program is.
static long take_place(pj_py_name *out)
{
    PyObject *frame = users_frame(out);
    long line = frame ? pj_py_number(frame, "f_lineno") : 0;
    Py_XDECREF(frame);
    return line > 0 ? line : 0;
}

static void show_name(PyObject *name, char shown[PJ_PY_NAME_MOST])
{
    PyObject *text = pj_py_utf8(name);
    const char *word = text ? PyBytes_AsString(text) : "?";
    bool switched = strncmp(word, SWITCHED, sizeof SWITCHED - 1) == 0;
    snprintf(shown, PJ_PY_NAME_MOST, "%s%s", switched ? "" : "user:", word);
    pj_py_name_mend(shown, PJ_PY_NAME_MOST);
    Py_XDECREF(text);
}

/// The region of this name; its place is that of the running function where none is given.
static uint32_t define(PyObject *name, PyObject *file, long line)
{
    char shown[PJ_PY_NAME_MOST];
    pj_py_name place = {.file = ""};
    PyObject *path = pj_py_utf8(file);
    if (!path)
        line = take_place(&place);
    show_name(name, shown);
    uint32_t id =
        pj_rec_region(&(pj_rec_region_of){.name = shown,
                                          .file = path ? PyBytes_AsString(path) : place.file,
                                          .first_line = (uint32_t)line,
                                          .last_line = (uint32_t)line,
                                          .role = PJ_REC_ROLE_CODE});
    Py_XDECREF(path);
    return id;
}

static uint32_t look_up(PyObject *name, PyObject *file, long line)
{
    if (!known && !(known = PyDict_New()))
        return 0;
    PyObject *number = PyDict_GetItemWithError(known, name);
    if (number)
        return (uint32_t)PyLong_AsUnsignedLong(number);
    uint32_t id = pj_rec_here() ? define(name, file, line) : 0;
    number = id ? PyLong_FromUnsignedLong(id) : NULL;
    if (number)
        PyDict_SetItem(known, name, number);
    Py_XDECREF(number);
    PyErr_Clear();
    return id;
}

/// Names are mostly constants of the program: the same objects again and again.
static uint32_t region_of(PyObject *name, PyObject *file, long line)
{
    enum { RECENT = 16, OBJECT_BITS = 4 };
    static struct {
        PyObject *name; // owned
        uint32_t id;
    } recent[RECENT];
    const size_t at = ((uintptr_t)name >> OBJECT_BITS) % RECENT;
    if (recent[at].name == name)
        return recent[at].id;
    const uint32_t id = look_up(name, file, line);
    if (id) {
        PyObject *before = recent[at].name;
        Py_INCREF(name);
        recent[at].name = name;
        recent[at].id = id;
        Py_XDECREF(before);
    }
    return id;
}

static void enter(uint32_t id)
{
    pj_rec_thread *thread = id ? pj_rec_here() : NULL;
    if (thread) {
        pj_rec_counters_read(thread);
        pj_rec_enter(thread, id);
    }
}

/// Innermost or not; false when it is not open.
static bool leave(uint32_t id)
{
    pj_rec_thread *thread = id ? pj_rec_here() : NULL;
    if (!thread)
        return true;
    if (thread->depth == 0 || thread->frames[thread->depth - 1].region != id)
        return pj_rec_leave_any(thread, id);
    pj_rec_counters_read(thread);
    pj_rec_leave(thread, id);
    return true;
}

typedef struct region {
    PyObject_HEAD PyObject *name; // NULL = of the function that it decorates
    uint32_t id;                  // 0 = not yet known
} region;

static PyObject *own_type; // that most regions have

/// NULL where none is given. False with an error of Python.
static bool take_name(PyObject *arguments, PyObject *names, PyObject **name)
{
    static const char *words[] = {"name", NULL};
    if (names || PyTuple_Size(arguments) != 1)
        return PyArg_ParseTupleAndKeywords(arguments, names, "|O:region", (char **)words, name);
    *name = PyTuple_GetItem(arguments, 0);
    return true;
}

static PyObject *new_region(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    PyObject *name = NULL;
    if (!take_name(arguments, names, &name))
        return NULL;
    if (name && name != Py_None && !PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "the name of a region is a str");
        return NULL;
    }
    region *self = (region *)((PyObject *)type == own_type
                                  ? PyType_GenericAlloc(type, 0)
                                  : ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0));
    if (self && name && name != Py_None && PyUnicode_GetLength(name) > 0) {
        Py_INCREF(name);
        self->name = name;
    }
    return (PyObject *)self;
}

static void free_region(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((region *)self)->name);
    if ((PyObject *)type == own_type)
        PyObject_Free(self);
    else
        ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/// Without a name it has that of the function that says `with`.
static uint32_t id_of(region *self)
{
    if (self->id || !pj_rec_here())
        return self->id;
    if (self->name)
        return self->id = region_of(self->name, NULL, 0);
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    PyObject *code = frame ? PyObject_GetAttrString(frame, "f_code") : NULL;
    PyObject *name = code ? PyObject_GetAttrString(code, "co_name") : NULL;
    self->id = name ? region_of(name, NULL, 0) : 0;
    Py_XDECREF(name);
    Py_XDECREF(code);
    PyErr_Clear();
    return self->id;
}

static PyObject *enter_region(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    enter(id_of((region *)self));
    Py_INCREF(self);
    return self;
}

static PyObject *leave_region(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)arguments;
    (void)count;
    leave(((region *)self)->id);
    Py_RETURN_FALSE;
}

static PyObject *decorate(PyObject *self, PyObject *arguments, PyObject *names)
{
    PyObject *function;
    (void)names;
    if (!PyArg_ParseTuple(arguments, "O:region", &function))
        return NULL;
    region *given = (region *)self;
    return pj_py_function_wrap(self, function, given->name ? id_of(given) : 0);
}

static PyObject *is_named(PyObject *self, void *context)
{
    (void)context;
    return PyBool_FromLong(((region *)self)->name != NULL);
}

static bool add_type(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"__enter__", enter_region, METH_NOARGS, NULL},
        {"__exit__", (PyCFunction)(void (*)(void))leave_region, PJ_PY_FASTCALL, NULL},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef fields[] = {{"named", is_named, NULL, "Whether it has a name.", NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {
        {Py_tp_getset, fields},
        {Py_tp_new, (void *)new_region},
        {Py_tp_dealloc, (void *)free_region},
        {Py_tp_call, (void *)decorate},
        {Py_tp_methods, methods},
        {Py_tp_doc,
         (void *)"A named part of the program: with region(name), @region(name), @region()."},
        {0, NULL}};
    static PyType_Spec spec = {.name = "popinjay.region",
                               .basicsize = sizeof(region),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               .slots = slots};
    PyObject *type = own_type = PyType_FromSpec(&spec);
    return type && PyModule_AddObject(module, "region", type) == 0;
}

static PyObject *begin(PyObject *module, PyObject *arguments, PyObject *names)
{
    static const char *words[] = {"name", "file", "line", NULL};
    PyObject *name, *file = NULL;
    PyObject *line = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(arguments, names, "U|OO:begin", (char **)words, &name, &file,
                                     &line))
        return NULL;
    enter(region_of(name, file, line && PyLong_Check(line) ? PyLong_AsLong(line) : 0));
    PyErr_Clear();
    Py_RETURN_NONE;
}

static void put_parameter(const char *name, pj_rec_event_type event, uint64_t value)
{
    static const pj_rec_parameter_type types[] = {PJ_REC_OF_STRING, PJ_REC_OF_INT64,
                                                  PJ_REC_OF_UINT64};
    pj_rec_thread *thread = pj_rec_here();
    uint32_t id = thread ? pj_rec_parameter(name, types[event - PJ_REC_PARAMETER_STRING]) : 0;
    if (id)
        pj_rec_event(thread, event, pj_rec_now(), (const uint64_t[]){id, value});
}

/// A region that was never begun: that is told by one with this name.
static void put_error(PyObject *name)
{
    uint32_t id =
        pj_rec_region(&(pj_rec_region_of){.name = "error_region", .role = PJ_REC_ROLE_CODE});
    char shown[PJ_PY_NAME_MOST];
    show_name(name, shown);
    enter(id);
    put_parameter("leave-region", PJ_REC_PARAMETER_STRING, pj_rec_string(shown));
    leave(id);
}

/// False for a region that is not open.
static PyObject *end(PyObject *module, PyObject *name)
{
    (void)module;
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "the name of a region is a str");
        return NULL;
    }
    pj_rec_thread *thread = pj_rec_here();
    PyObject *number = known ? PyDict_GetItemWithError(known, name) : NULL;
    if (!thread || (number && leave((uint32_t)PyLong_AsUnsignedLong(number))))
        Py_RETURN_TRUE;
    if (!thread->off)
        put_error(name);
    return PyBool_FromLong(thread->off);
}

/// A signed number where it fits, an unsigned one else or where it is wanted, or text.
static PyObject *parameter(PyObject *module, PyObject *arguments)
{
    PyObject *name, *value;
    int natural = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "UO|p:parameter", &name, &value, &natural))
        return NULL;
    PyObject *key = pj_py_utf8(name), *text = pj_py_utf8(value);
    uint64_t number = 0;
    if (!text && natural)
        number = PyLong_AsUnsignedLongLong(value);
    else if (!text)
        number = (uint64_t)PyLong_AsLongLong(value);
    if (key && !PyErr_Occurred() && pj_rec_here())
        put_parameter(PyBytes_AsString(key),
                      text      ? PJ_REC_PARAMETER_STRING
                      : natural ? PJ_REC_PARAMETER_UNSIGNED
                                : PJ_REC_PARAMETER_INT,
                      text ? pj_rec_string(PyBytes_AsString(text)) : number);
    Py_XDECREF(text);
    Py_XDECREF(key);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"begin", (PyCFunction)(void (*)(void))begin, METH_VARARGS | METH_KEYWORDS,
     "begin(name, file=None, line=None): the region begins on this thread."},
    {"end", end, METH_O, "end(name): the region ends; False when it is not open."},
    {"parameter", parameter, METH_VARARGS,
     "parameter(name, value, natural=False): a value beside the region."},
    {NULL, NULL, 0, NULL}};

bool pj_py_region_add_to(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0 && add_type(module);
}
