// Python threads: how much stack they have, how they are started, what they are called.
#include "metrics/record/python/py_thread.h"

#include "metrics/record/rec_part.h"
#include "metrics/record/rec_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { STACK_WANTED = 100 << 20, STACK_KEPT = 256 << 10, STACK_PART_KEPT = 4, FIRST_SKIPS = 64 };

bool pj_py_thread_begins_off, pj_py_thread_samples;
_Thread_local pj_py_thread pj_py_self;

static PyTypeObject *starter_type;
static pj_py_thread_events told;

void pj_py_thread_raise_stack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0)
        return;
    rlim_t wanted = STACK_WANTED;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted)
        wanted = limit.rlim_max;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_STACK, &limit);
}

void pj_py_thread_find_floor(void)
{
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    if (!pj_py_self.floor)
        pj_py_self.off |= pj_py_thread_begins_off;
    pj_py_self.floor = (const char *)1;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
        size_t kept = size / STACK_PART_KEPT < STACK_KEPT ? size / STACK_PART_KEPT : STACK_KEPT;
        pj_py_self.floor = (const char *)lowest + kept;
    }
    pthread_attr_destroy(&attributes);
}

/// A call begins that is not recorded, with so many regions open.
static void skip(uint32_t depth)
{
    pj_py_thread *self = &pj_py_self;
    if (self->skips == self->skips_most) {
        uint32_t most = 2 * self->skips_most + FIRST_SKIPS;
        uint32_t *larger = realloc(self->skipped, most * sizeof *larger);
        if (!larger)
            return;
        self->skipped = larger;
        self->skips_most = most;
    }
    self->skipped[self->skips++] = depth;
}

/// Whether the call that ends with so many regions open was such a one.
static bool was_skipped(uint32_t depth)
{
    pj_py_thread *self = &pj_py_self;
    if (!self->skips || self->skipped[self->skips - 1] < depth)
        return false;
    self->skips--;
    return true;
}

void pj_py_thread_enter(pj_rec_thread *thread, uint32_t region)
{
    uint32_t depth = thread->depth;
    if (__builtin_expect(!pj_py_self.floor, 0))
        pj_py_thread_find_floor();
    if (pj_py_self.off || !pj_rec_enter(thread, region))
        skip(depth);
}

bool pj_py_thread_skip(const pj_rec_thread *thread, uint32_t region)
{
    if (!thread || !pj_rec_is_open(thread, region))
        return false;
    skip(thread->depth);
    return true;
}

void pj_py_thread_leave(pj_rec_thread *thread, uint32_t region)
{
    if (__builtin_expect(pj_py_self.skips, 0) && was_skipped(thread->depth))
        return;
    if (thread->depth > 0 && thread->frames[thread->depth - 1].region == region)
        pj_rec_leave(thread, region);
    else
        pj_rec_leave_to(thread, region);
}

/// What a new thread calls in place of the program's function.
typedef struct starter {
    PyObject_HEAD PyObject *function;
    bool off;
} starter;

/// The name of a threading.Thread whose method is called; NULL for other functions. Nothing of
/// Python is run for it.
static PyObject *name_of(PyObject *function)
{
    PyObject *self = PyObject_GetAttrString(function, "__self__");
    PyObject *fields = self ? PyObject_GetAttrString(self, "__dict__") : NULL;
    PyObject *name = fields && PyDict_Check(fields) ? PyDict_GetItemString(fields, "_name") : NULL;
    PyObject *bytes = pj_py_utf8(name);
    Py_XDECREF(fields);
    Py_XDECREF(self);
    PyErr_Clear();
    return bytes;
}

static void begin_thread(const starter *self)
{
    pj_py_thread_find_floor();
    pj_py_self.off = true;
    PyObject *name = name_of(self->function);
    if (!pj_py_thread_samples)
        pj_rec_thread_begin(name ? PyBytes_AsString(name) : NULL);
    Py_XDECREF(name);
    pj_py_self.off = self->off;
    if (told.begin)
        told.begin();
}

static void end_thread(void)
{
    if (told.end)
        told.end();
    free(pj_py_self.skipped);
    pj_py_self = (pj_py_thread){.floor = pj_py_self.floor, .off = true};
    pj_rec_thread *thread = pj_rec_self;
    if (thread)
        pj_rec_thread_end(thread);
}

static PyObject *call_starter(PyObject *given, PyObject *arguments, PyObject *names)
{
    const starter *self = (const starter *)given;
    begin_thread(self);
    PyObject *result = PyObject_Call(self->function, arguments, names);
    end_thread();
    return result;
}

/// Messages about a thread that fails show the function.
static PyObject *show_starter(PyObject *self)
{
    return PyObject_Repr(((const starter *)self)->function);
}

static void free_starter(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_DECREF(((starter *)self)->function);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *new_starter(PyObject *function)
{
    starter *self = PyObject_New(starter, starter_type);
    if (!self)
        return NULL;
    Py_INCREF(function);
    self->function = function;
    self->off = pj_py_self.off;
    return (PyObject *)self;
}

/// In place of the original, which is `original`: the same arguments but for the function. What
/// the original would refuse is left to it.
static PyObject *start_thread(PyObject *original, PyObject *arguments, PyObject *names)
{
    PyObject *function = PyTuple_Size(arguments) > 0 ? PyTuple_GetItem(arguments, 0) : NULL;
    if (!function || !PyCallable_Check(function) || !pj_rec_active())
        return PyObject_Call(original, arguments, names);
    PyObject *all = PyTuple_New(PyTuple_Size(arguments));
    PyObject *first = all ? new_starter(function) : NULL;
    if (!first) {
        Py_XDECREF(all);
        return NULL;
    }
    PyTuple_SetItem(all, 0, first);
    for (Py_ssize_t i = 1; i < PyTuple_Size(arguments); i++) {
        PyObject *item = PyTuple_GetItem(arguments, i);
        Py_INCREF(item);
        PyTuple_SetItem(all, i, item);
    }
    PyObject *result = PyObject_Call(original, all, names);
    Py_DECREF(all);
    return result;
}

static PyMethodDef start_method = {"start_new_thread", (PyCFunction)(void (*)(void))start_thread,
                                   METH_VARARGS | METH_KEYWORDS, NULL};

/// `name` of the module, if it is there, becomes the wrapper; it has the name and the explanation
/// of the original.
static bool wrap_in(const char *module_name, const char *from, const char *name)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *source = PyDict_GetItemString(modules, from);
    PyObject *module = PyDict_GetItemString(modules, module_name);
    PyObject *original = source && module ? PyObject_GetAttrString(source, name) : NULL;
    PyErr_Clear();
    if (!original)
        return true;
    PyObject *wrapper = PyCFunction_New(&start_method, original);
    bool ok = wrapper && PyObject_SetAttrString(module, name, wrapper) == 0;
    Py_XDECREF(wrapper);
    Py_DECREF(original);
    return ok;
}

static bool wrap_both(const char *inner, const char *outer)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *source = PyDict_GetItemString(modules, "_thread");
    PyObject *user = PyDict_GetItemString(modules, "threading");
    if (!wrap_in("_thread", "_thread", inner))
        return false;
    PyObject *wrapper = user ? PyObject_GetAttrString(source, inner) : NULL;
    PyErr_Clear();
    bool has = wrapper && PyObject_HasAttrString(user, outer);
    bool ok = !has || PyObject_SetAttrString(user, outer, wrapper) == 0;
    Py_XDECREF(wrapper);
    return ok;
}

bool pj_py_thread_wrap(pj_py_thread_events events)
{
    static PyType_Slot slots[] = {{Py_tp_call, (void *)call_starter},
                                  {Py_tp_repr, (void *)show_starter},
                                  {Py_tp_dealloc, (void *)free_starter},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "_popinjay.starter",
                               .basicsize = sizeof(starter),
                               .flags = Py_TPFLAGS_DEFAULT,
                               .slots = slots};
    if (starter_type)
        return true;
    told = events;
    starter_type = (PyTypeObject *)PyType_FromSpec(&spec);
    PyObject *module = starter_type ? PyImport_ImportModule("_thread") : NULL;
    Py_XDECREF(module);
    return module && wrap_both("start_new_thread", "_start_new_thread") &&
           wrap_both("start_joinable_thread", "_start_joinable_thread");
}
