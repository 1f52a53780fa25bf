// A function with a region around it: it binds as a method and looks like the function.
#include "metrics/record/python/py_function.h"

#include "metrics/record/python/py_codes.h"
#include "metrics/record/python/py_recording.h"
#include "metrics/record/python/py_thread.h"
#include "metrics/record/rec_thread.h"

#include <structmember.h>

enum { RESUMED = 0x20 | 0x80 | 0x200 }; // flags of code of generators, coroutines, async generators

typedef struct wrapped {
    PyObject_HEAD PyObject *function;
    PyObject *fields; // __dict__
    pj_py_vectorcall call;
    uint32_t id;
    bool own; // the function's own region
} wrapped;

static PyTypeObject *wrapped_type;

/// The thread, with the region entered; NULL when that was not written.
static pj_rec_thread *enter(const wrapped *self, uint32_t *depth)
{
    bool wanted = self->id && !(self->own && pj_py_recording_sees_calls());
    pj_rec_thread *thread = wanted ? pj_rec_here() : NULL;
    *depth = thread ? thread->depth : 0;
    return thread && pj_rec_enter(thread, self->id) ? thread : NULL;
}

static PyObject *call_fast(PyObject *given, PyObject *const *arguments, size_t count,
                           PyObject *names)
{
    const wrapped *self = (const wrapped *)given;
    uint32_t depth, id = self->id;
    bool entered = enter(self, &depth) != NULL;
    PyObject *result = pj_py.vectorcall(self->function, arguments, count, names);
    if (entered)
        pj_py_thread_leave_at(id, depth);
    return result;
}

/// Where this CPython has no vector calls to pass on.
static PyObject *call_plain(PyObject *given, PyObject *arguments, PyObject *names)
{
    const wrapped *self = (const wrapped *)given;
    uint32_t depth, id = self->id;
    bool entered = enter(self, &depth) != NULL;
    PyObject *result = PyObject_Call(self->function, arguments, names);
    if (entered)
        pj_py_thread_leave_at(id, depth);
    return result;
}

static PyObject *bind(PyObject *self, PyObject *instance, PyObject *type)
{
    (void)type;
    if (instance && instance != Py_None)
        return pj_py.method_new(self, instance);
    Py_INCREF(self);
    return self;
}

static int traverse(PyObject *given, visitproc visit, void *arg)
{
    wrapped *self = (wrapped *)given;
    Py_VISIT(self->function);
    Py_VISIT(self->fields);
    Py_VISIT(Py_TYPE(given));
    return 0;
}

static int clear(PyObject *given)
{
    wrapped *self = (wrapped *)given;
    Py_CLEAR(self->function);
    Py_CLEAR(self->fields);
    return 0;
}

static void free_wrapped(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *show(PyObject *self)
{
    return PyObject_Repr(((wrapped *)self)->function);
}

static PyTypeObject *type_of_wrapped(void)
{
    static PyMemberDef members[] = {
        {"__dictoffset__", T_PYSSIZET, offsetof(wrapped, fields), READONLY, NULL},
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(wrapped, call), READONLY, NULL},
        {NULL, 0, 0, 0, NULL}};
    static PyGetSetDef dictionary[] = {
        {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    bool fast = pj_py.call_vectorcall && pj_py.vectorcall;
    PyType_Slot slots[] = {{Py_tp_dealloc, (void *)free_wrapped},
                           {Py_tp_traverse, (void *)traverse},
                           {Py_tp_clear, (void *)clear},
                           {Py_tp_descr_get, (void *)bind},
                           {Py_tp_repr, (void *)show},
                           {Py_tp_members, members},
                           {Py_tp_getset, dictionary},
                           {Py_tp_call, fast ? (void *)pj_py.call_vectorcall : (void *)call_plain},
                           {0, NULL}};
    PyType_Spec spec = {.name = "popinjay.wrapped",
                        .basicsize = sizeof(wrapped),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | PJ_PY_METHOD_DESCRIPTOR,
                        .slots = slots};
    if (fast)
        spec.flags |= PJ_PY_VECTORCALL;
    if (!wrapped_type && pj_py.minor >= 9 && pj_py.method_new)
        wrapped_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return wrapped_type;
}

/// Calls a function of a module of Python.
static PyObject *call_python(const char *module_name, const char *name, PyObject *first,
                             PyObject *second)
{
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *result = module ? PyObject_CallMethod(module, name, "OO", first, second) : NULL;
    Py_XDECREF(module);
    return result;
}

static PyObject *look_alike(PyObject *self, PyObject *function)
{
    bool off = pj_py_self.off; // what this calls is not the program's
    pj_py_self.off = true;
    PyObject *done = call_python("functools", "update_wrapper", self, function);
    pj_py_self.off = off;
    Py_DECREF(self);
    return done;
}

PyObject *pj_py_function_wrap(PyObject *region, PyObject *function, uint32_t id)
{
    PyObject *code = PyObject_GetAttrString(function, "__code__");
    PyErr_Clear();
    long flags = code ? pj_py_number(code, "co_flags") : 0;
    PyTypeObject *type = flags > 0 && (flags & RESUMED) ? NULL : type_of_wrapped();
    if (!type) {
        Py_XDECREF(code);
        return PyErr_Occurred() ? NULL : call_python("popinjay.resumed", "wrap", region, function);
    }
    wrapped *self = (wrapped *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self) {
        Py_XDECREF(code);
        return NULL;
    }
    Py_INCREF(function);
    self->function = function;
    self->call = call_fast;
    self->id = id;
    self->own = id == 0;
    if (self->own && code) {
        PyObject *globals = PyObject_GetAttrString(function, "__globals__");
        PyErr_Clear();
        self->id = pj_py_recording_region(code, globals);
        Py_XDECREF(globals);
    }
    Py_XDECREF(code);
    return look_alike((PyObject *)self, function);
}
