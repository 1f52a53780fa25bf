// What the recorder uses of CPython. One file serves every version: it is compiled against the
// stable interface of 3.8, what lies beyond that is looked up by name, two places in a frame are
// known by version. Ownership: process-wide, filled once.
#ifndef PJ_PY_API_H
#define PJ_PY_API_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03080000
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Flags that the stable interface has only since 3.10 or 3.12; they mean the same since 3.8.
#define PJ_PY_FASTCALL 0x0080
#define PJ_PY_VECTORCALL (1UL << 11)
#define PJ_PY_METHOD_DESCRIPTOR (1UL << 17)

typedef PyObject *(*pj_py_eval)(PyThreadState *thread, void *frame, int thrown);
typedef int (*pj_py_tracer)(PyObject *self, PyObject *frame, int what, PyObject *argument);
typedef PyObject *(*pj_py_vectorcall)(PyObject *callable, PyObject *const *arguments, size_t count,
                                      PyObject *names);

/// Functions are NULL where this CPython has none.
typedef struct pj_py_api {
    int minor;                  // 11 for 3.11
    bool frames_known;          // the two places below are
    size_t code_at, globals_at; // in a frame as its evaluator gets it
    PyInterpreterState *(*interpreter)(void);
    void *(*first_thread)(void *interpreter); // PyThreadState
    pj_py_eval (*get_eval)(PyInterpreterState *interpreter);
    void (*set_eval)(PyInterpreterState *interpreter, pj_py_eval eval);
    Py_ssize_t (*new_code_extra)(freefunc freed);
    int (*set_code_extra)(PyObject *code, Py_ssize_t index, void *extra);
    void (*set_profile)(pj_py_tracer tracer, PyObject *self);
    void (*set_trace)(pj_py_tracer tracer, PyObject *self);
    PyObject *(*frame_code)(PyObject *frame); // a new reference
    PyObject *(*method_new)(PyObject *function, PyObject *self);
    pj_py_vectorcall vectorcall;
    void (*get_allocator)(int domain, void *allocator); // PyMemAllocatorEx
    void (*set_allocator)(int domain, void *allocator);
    PyObject *(*call_vectorcall)(PyObject *callable, PyObject *arguments, PyObject *names);
} pj_py_api;

extern pj_py_api pj_py;

/// Every version has it; the stable interface names it since 3.10.
#if Py_LIMITED_API < 0x030a0000
PyAPI_FUNC(PyObject *) PyObject_GenericGetDict(PyObject *object, void *context);
#endif

void pj_py_api_fill(void);

/// An attribute as UTF-8 in new bytes, "" when it is missing or no text; no error is left.
PyObject *pj_py_text(PyObject *object, const char *attribute);
/// A text as UTF-8 in new bytes; NULL without an error when it is none.
PyObject *pj_py_utf8(PyObject *text);
/// An attribute as a number; -1 without an error when it is missing or none.
long pj_py_number(PyObject *object, const char *attribute);

#endif
