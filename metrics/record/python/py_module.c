// The module _popinjay: what share/python/popinjay calls.
#include "metrics/record/python/py_api.h"
#include "metrics/record/python/py_lines.h"
#include "metrics/record/python/py_name.h"
#include "metrics/record/python/py_recording.h"
#include "metrics/record/python/py_region.h"
#include "metrics/record/python/py_rewind.h"
#include "metrics/record/python/py_sample.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_thread.h"

static PyObject *start(PyObject *module, PyObject *arguments, PyObject *names)
{
    static const char *words[] = {"folder", "own", "hook", "all", "functions", "max_bytes", NULL};
    const char *folder, *own, *hook = "auto";
    int all = 0, functions = 1;
    unsigned long long most = 0;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(arguments, names, "ss|sppK:start", (char **)words, &folder,
                                     &own, &hook, &all, &functions, &most))
        return NULL;
    if (!pj_py_name_own_folder(own))
        return PyErr_NoMemory();
    const char *used = pj_py_recording_start((pj_py_recording_options){
        .folder = folder, .hook = hook, .all = all, .off = !functions, .max_bytes = most});
    return used ? PyUnicode_FromString(used) : NULL;
}

static PyObject *stop(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    pj_py_recording_stop();
    Py_RETURN_NONE;
}

static PyObject *instrument(PyObject *module, PyObject *on)
{
    (void)module;
    int wanted = PyObject_IsTrue(on);
    return wanted < 0 ? NULL : PyBool_FromLong(pj_py_recording_instrument(wanted));
}

static PyObject *instrumented(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return PyBool_FromLong(pj_py_recording_sees_calls());
}

static PyObject *switch_to(bool on)
{
    pj_rec_thread *thread = pj_rec_here();
    if (thread && on)
        pj_rec_on(thread);
    else if (thread)
        pj_rec_off(thread);
    Py_RETURN_NONE;
}

static PyObject *on(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return switch_to(true);
}

static PyObject *off(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return switch_to(false);
}

static PyObject *active(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return PyBool_FromLong(pj_rec_active());
}

static PyObject *note(PyObject *module, PyObject *arguments)
{
    int severity;
    const char *text;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "is:note", &severity, &text))
        return NULL;
    pj_rec_note(severity, "%s", text);
    Py_RETURN_NONE;
}

static PyObject *sample(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    const bool wanted = pj_py_sample_wanted() && pj_rec_active();
    const char *failure = wanted ? pj_py_sample_begin() : NULL;
    if (failure)
        pj_rec_note(2, "%s", failure);
    Py_RETURN_NONE;
}

static PyObject *forget(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    pj_py_name_end();
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"start", (PyCFunction)(void (*)(void))start, METH_VARARGS | METH_KEYWORDS,
     "start(folder, own, hook='auto', all=False, functions=True, max_bytes=0): the hook in use."},
    {"stop", stop, METH_NOARGS, "Nothing is recorded any more."},
    {"instrument", instrument, METH_O, "Records functions of this thread or not; what was before."},
    {"instrumented", instrumented, METH_NOARGS, "Whether functions of this thread are recorded."},
    {"on", on, METH_NOARGS, "Events of this thread are written again."},
    {"off", off, METH_NOARGS, "No event of this thread is written."},
    {"active", active, METH_NOARGS, "Whether this process is recorded."},
    {"sample", sample, METH_NOARGS,
     "Samples this process, a forked child, where that is asked for."},
    {"forget", forget, METH_NOARGS, "The interpreter ends: no name is learned any more."},
    {"note", note, METH_VARARGS, "note(severity, text): shown beside the result."},
    {NULL, NULL, 0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_popinjay", .m_size = -1,
                                 .m_methods = functions};

PyMODINIT_FUNC PyInit__popinjay(void);

PyMODINIT_FUNC PyInit__popinjay(void)
{
    pj_py_api_fill();
    PyObject *module = PyModule_Create(&definition);
    if (module && !(pj_py_region_add_to(module) && pj_py_rewind_add_to(module) &&
                    pj_py_lines_add_to(module))) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
