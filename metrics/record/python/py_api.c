// Looks up what this CPython has beyond the stable interface.
#include "metrics/record/python/py_api.h"

#include <dlfcn.h>
#include <string.h>

pj_py_api pj_py;

/// The address of a function, from the data pointer that dlsym gives.
static void look_up(void *function, const char *name, const char *other)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found && other)
        found = dlsym(RTLD_DEFAULT, other);
    memcpy(function, &found, sizeof found);
}

static void know_frames(void)
{
    if (pj_py.minor >= 9 && pj_py.minor <= 10) { // PyFrameObject
        pj_py.code_at = 32;
        pj_py.globals_at = 48;
    } else if (pj_py.minor == 11) { // _PyInterpreterFrame
        pj_py.code_at = 32;
        pj_py.globals_at = 8;
    } else {
        return;
    }
    pj_py.frames_known = true;
}

static PyObject *frame_code(PyObject *frame)
{
    return PyObject_GetAttrString(frame, "f_code");
}

void pj_py_api_fill(void)
{
    const char *version = Py_GetVersion();
    pj_py.minor = strncmp(version, "3.", 2) == 0 ? (int)strtol(version + 2, NULL, 10) : 0;
    know_frames();
    look_up(&pj_py.interpreter, "PyInterpreterState_Get", NULL);
    look_up(&pj_py.first_thread, "PyInterpreterState_ThreadHead", NULL);
    look_up(&pj_py.get_eval, "_PyInterpreterState_GetEvalFrameFunc", NULL);
    look_up(&pj_py.set_eval, "_PyInterpreterState_SetEvalFrameFunc", NULL);
    look_up(&pj_py.new_code_extra, "PyUnstable_Eval_RequestCodeExtraIndex",
            "_PyEval_RequestCodeExtraIndex");
    look_up(&pj_py.set_code_extra, "PyUnstable_Code_SetExtra", "_PyCode_SetExtra");
    look_up(&pj_py.set_profile, "PyEval_SetProfile", NULL);
    look_up(&pj_py.set_trace, "PyEval_SetTrace", NULL);
    look_up(&pj_py.frame_code, "PyFrame_GetCode", NULL);
    if (!pj_py.frame_code) // 3.8
        pj_py.frame_code = frame_code;
    look_up(&pj_py.method_new, "PyMethod_New", NULL);
    look_up(&pj_py.vectorcall, "PyObject_Vectorcall", NULL);
    look_up(&pj_py.get_allocator, "PyMem_GetAllocator", NULL);
    look_up(&pj_py.set_allocator, "PyMem_SetAllocator", NULL);
    look_up(&pj_py.call_vectorcall, "PyVectorcall_Call", NULL);
}

PyObject *pj_py_utf8(PyObject *text)
{
    PyObject *bytes = text && PyUnicode_Check(text)
                          ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace")
                          : NULL;
    PyErr_Clear();
    return bytes;
}

PyObject *pj_py_text(PyObject *object, const char *attribute)
{
    PyObject *value = PyObject_GetAttrString(object, attribute);
    PyObject *bytes = pj_py_utf8(value);
    Py_XDECREF(value);
    PyErr_Clear();
    return bytes ? bytes : PyBytes_FromStringAndSize("", 0);
}

long pj_py_number(PyObject *object, const char *attribute)
{
    PyObject *value = PyObject_GetAttrString(object, attribute);
    long number = value && PyLong_Check(value) ? PyLong_AsLong(value) : -1;
    Py_XDECREF(value);
    PyErr_Clear();
    return number;
}
