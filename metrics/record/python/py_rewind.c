// Marks by name, the last one of a name first.
#include "metrics/record/python/py_rewind.h"

#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_rewind.h"
#include "metrics/record/rec_thread.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 120, FIRST_MARKS = 8 };

typedef struct named_mark {
    char name[NAME_MOST];
    pj_rec_mark mark;
} named_mark;

static _Thread_local named_mark *marks;
static _Thread_local size_t mark_count, mark_most;

static PyObject *mark(PyObject *module, PyObject *arguments)
{
    const char *name;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s:mark", &name))
        return NULL;
    const pj_rec_thread *thread = pj_rec_here();
    if (thread && mark_count == mark_most) {
        size_t most = mark_most ? 2 * mark_most : FIRST_MARKS;
        named_mark *larger = realloc(marks, most * sizeof *larger);
        if (!larger)
            return PyErr_NoMemory();
        marks = larger;
        mark_most = most;
    }
    if (thread) {
        named_mark *one = &marks[mark_count++];
        *one = (named_mark){.mark = pj_rec_rewind_mark(thread)};
        memcpy(one->name, name, strnlen(name, NAME_MOST - 1));
    }
    Py_RETURN_NONE;
}

/// The mark is gone in any case, and those inside it.
static PyObject *rewind_to(PyObject *module, PyObject *arguments)
{
    const char *name;
    int discard = 1;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s|p:rewind", &name, &discard))
        return NULL;
    pj_rec_thread *thread = pj_rec_here();
    size_t at = mark_count;
    while (at > 0 && strncmp(marks[at - 1].name, name, NAME_MOST - 1) != 0)
        at--;
    if (!thread || at == 0)
        return PyBool_FromLong(thread == NULL);
    mark_count = at - 1;
    bool done = !discard || pj_rec_rewind_to(thread, &marks[at - 1].mark);
    if (!done)
        pj_rec_note(2, "the events since the mark \"%s\" stay: its function was left", name);
    return PyBool_FromLong(done);
}

static PyMethodDef functions[] = {
    {"mark", mark, METH_VARARGS, "mark(name): events of this thread can be taken back to here."},
    {"rewind", rewind_to, METH_VARARGS,
     "rewind(name, discard=True): takes them back; False where that cannot be."},
    {NULL, NULL, 0, NULL}};

bool pj_py_rewind_add_to(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0;
}
