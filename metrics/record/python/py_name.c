// Names of functions, from their code objects.
#include "metrics/record/python/py_name.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char LOCALS[] = "<locals>";
static char *own_folder;
/// Address of a code object -> its qualified name and where it stands, before 3.11: code that dies
/// unseen leaves its address to others.
static PyObject *learned;

enum { CO_OPTIMIZED = 1, DEEPEST_NESTING = 50, PATTERN_MOST = 256 };

bool pj_py_name_own_folder(const char *folder)
{
    free(own_folder);
    own_folder = strdup(folder);
    return own_folder != NULL;
}

/// File, line and name, which tell whether it is still the same code; NULL without an error.
static PyObject *mark_of(PyObject *code)
{
    PyObject *file = PyObject_GetAttrString(code, "co_filename");
    PyObject *line = PyObject_GetAttrString(code, "co_firstlineno");
    PyObject *name = PyObject_GetAttrString(code, "co_name");
    PyObject *mark = file && line && name ? PyTuple_Pack(3, file, line, name) : NULL;
    Py_XDECREF(file);
    Py_XDECREF(line);
    Py_XDECREF(name);
    PyErr_Clear();
    return mark;
}

/// What was learned of this code, NULL without an error; new.
static PyObject *recall(PyObject *code)
{
    PyObject *key = learned ? PyLong_FromVoidPtr(code) : NULL;
    PyObject *row = key ? PyDict_GetItemWithError(learned, key) : NULL, *found = NULL;
    PyObject *mark = row ? mark_of(code) : NULL;
    if (mark && PyObject_RichCompareBool(PyTuple_GetItem(row, 1), mark, Py_EQ) == 1) {
        found = PyTuple_GetItem(row, 0);
        Py_XINCREF(found);
    }
    Py_XDECREF(mark);
    Py_XDECREF(key);
    PyErr_Clear();
    return found;
}

/// What the outermost code says of it holds.
static void remember(PyObject *code, PyObject *qualified)
{
    PyObject *known = recall(code);
    PyObject *key = known ? NULL : PyLong_FromVoidPtr(code);
    PyObject *mark = key ? mark_of(code) : NULL;
    PyObject *row = mark ? PyTuple_Pack(2, qualified, mark) : NULL;
    if (!learned)
        learned = PyDict_New();
    if (row && learned)
        PyDict_SetItem(learned, key, row);
    Py_XDECREF(row);
    Py_XDECREF(mark);
    Py_XDECREF(key);
    Py_XDECREF(known);
    PyErr_Clear();
}

/// What the compiler calls the code objects below `code`, whose own name is `prefix` with the dot.
static void learn_below(PyObject *code, PyObject *prefix, int depth)
{
    PyObject *constants = PyObject_GetAttrString(code, "co_consts");
    Py_ssize_t count = constants && PyTuple_Check(constants) ? PyTuple_Size(constants) : 0;
    for (Py_ssize_t i = 0; i < count && depth < DEEPEST_NESTING; i++) {
        PyObject *one = PyTuple_GetItem(constants, i);
        if (Py_TYPE(one) != Py_TYPE(code))
            continue;
        PyObject *name = PyObject_GetAttrString(one, "co_name");
        PyObject *qualified = name ? PyUnicode_FromFormat("%U%U", prefix, name) : NULL;
        bool function = pj_py_number(one, "co_flags") & CO_OPTIMIZED;
        PyObject *below =
            qualified ? PyUnicode_FromFormat(function ? "%U.<locals>." : "%U.", qualified) : NULL;
        if (below) {
            remember(one, qualified);
            learn_below(one, below, depth + 1);
        }
        Py_XDECREF(below);
        Py_XDECREF(qualified);
        Py_XDECREF(name);
    }
    Py_XDECREF(constants);
    PyErr_Clear();
}

void pj_py_name_learn(PyObject *module_code)
{
    PyObject *nothing = PyUnicode_FromString("");
    if (nothing)
        learn_below(module_code, nothing, 0);
    Py_XDECREF(nothing);
    PyErr_Clear();
}

void pj_py_name_forget(const void *code)
{
    PyObject *key = learned ? PyLong_FromVoidPtr((void *)(uintptr_t)code) : NULL;
    if (key && PyDict_Contains(learned, key) == 1)
        PyDict_DelItem(learned, key);
    Py_XDECREF(key);
    PyErr_Clear();
}

void pj_py_name_end(void)
{
    learned = NULL; // and is never freed: the interpreter is about to go
}

static PyObject *qualified_name(PyObject *code)
{
    if (pj_py.minor >= 11)
        return pj_py_text(code, "co_qualname");
    PyObject *found = recall(code);
    PyObject *bytes = pj_py_utf8(found);
    Py_XDECREF(found);
    PyErr_Clear();
    return bytes ? bytes : pj_py_text(code, "co_name");
}

/// "A.f.<locals>.g" -> ".A.f:g" behind the module.
static void add_qualified(char *out, size_t room, const char *qualified)
{
    const char *last = strrchr(qualified, '.');
    last = last ? last + 1 : qualified;
    size_t used = 0;
    for (const char *at = qualified; at < last;) {
        size_t part = strcspn(at, ".");
        if (part != sizeof LOCALS - 1 || strncmp(at, LOCALS, part) != 0)
            used +=
                (size_t)snprintf(out + used, used < room ? room - used : 0, ".%.*s", (int)part, at);
        used = used < room ? used : room - 1;
        at += part + 1;
    }
    snprintf(out + used, room - used, ":%s", last);
}

void pj_py_name_mend(char *text, size_t room)
{
    size_t len = strlen(text);
    if (len + 1 < room)
        return;
    while (len > 0 && ((unsigned char)text[len - 1] & 0xC0) == 0x80)
        len--;
    if (len > 0 && (unsigned char)text[len - 1] >= 0xC0)
        len--;
    text[len] = 0;
}

static void add_module(PyObject *globals, const char *file, pj_py_name *out)
{
    PyObject *key = PyUnicode_FromString("__name__");
    PyObject *value =
        key && globals && PyDict_Check(globals) ? PyDict_GetItemWithError(globals, key) : NULL;
    PyObject *bytes = pj_py_utf8(value);
    const char *module = bytes ? PyBytes_AsString(bytes)
                         : strncmp(file, "<__array_function__", 19) == 0
                             ? "numpy.__array_function__"
                             : "unknown";
    snprintf(out->module, sizeof out->module, "%s", module);
    pj_py_name_mend(out->module, sizeof out->module);
    Py_XDECREF(bytes);
    Py_XDECREF(key);
    PyErr_Clear();
}

static void add_file(const char *file, pj_py_name *out)
{
    char here[PATH_MAX];
    if (file[0] == '/' || file[0] == '<' || !file[0] || !getcwd(here, sizeof here))
        snprintf(out->file, sizeof out->file, "%s", file);
    else
        snprintf(out->file, sizeof out->file, "%s/%s", here,
                 file[0] == '.' && file[1] == '/' ? file + 2 : file);
}

/// The largest line of an iterator over (begin, end, line).
static long largest_line(PyObject *lines)
{
    long most = -1;
    PyObject *item;
    while (lines && (item = PyIter_Next(lines))) {
        PyObject *line =
            PyTuple_Check(item) && PyTuple_Size(item) == 3 ? PyTuple_GetItem(item, 2) : NULL;
        long number = line && PyLong_Check(line) ? PyLong_AsLong(line) : -1;
        most = number > most ? number : most;
        Py_DECREF(item);
    }
    PyErr_Clear();
    return most;
}

static void add_lines(PyObject *code, pj_py_name *out)
{
    long first = pj_py_number(code, "co_firstlineno");
    out->first_line = first > 0 ? (uint32_t)first : 0;
    PyObject *lines = pj_py.minor >= 10 ? PyObject_CallMethod(code, "co_lines", NULL) : NULL;
    long last = lines ? largest_line(lines) : -1;
    out->last_line = last > first ? (uint32_t)last : lines ? out->first_line : 0;
    Py_XDECREF(lines);
    PyErr_Clear();
}

void pj_py_name_of(PyObject *code, PyObject *globals, pj_py_name *out)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *file = pj_py_text(code, "co_filename"), *name = qualified_name(code);
    add_file(file ? PyBytes_AsString(file) : "", out);
    add_module(globals, file ? PyBytes_AsString(file) : "", out);
    int used = snprintf(out->name, sizeof out->name, "%s", out->module);
    if ((size_t)used < sizeof out->name)
        add_qualified(out->name + used, sizeof out->name - (size_t)used,
                      name ? PyBytes_AsString(name) : "?");
    pj_py_name_mend(out->name, sizeof out->name);
    add_lines(code, out);
    Py_XDECREF(file);
    Py_XDECREF(name);
    PyErr_Restore(type, value, trace);
}

static bool is_of(const char *module, const char *package)
{
    size_t len = strlen(package);
    return strncmp(module, package, len) == 0 && (!module[len] || module[len] == '.');
}

bool pj_py_name_is_own(const char *file)
{
    size_t own = own_folder ? strlen(own_folder) : 0;
    return own > 0 && strncmp(file, own_folder, own) == 0;
}

bool pj_py_name_is_left_out(const pj_py_name *name)
{
    static const char *const machinery[] = {"popinjay", "_popinjay", "scorep", "importlib"};
    for (size_t i = 0; i < sizeof machinery / sizeof *machinery; i++)
        if (is_of(name->module, machinery[i]))
            return true;
    return strncmp(name->file, "<frozen ", 8) == 0 || pj_py_name_is_own(name->file);
}

bool pj_py_name_matches(const char *name, const char *patterns)
{
    const char *colon = strrchr(name, ':'), *alone = colon ? colon + 1 : name;
    for (const char *at = patterns; at && *at;) {
        char pattern[PATTERN_MOST];
        const size_t size = strcspn(at, ",");
        if (size < sizeof pattern) {
            memcpy(pattern, at, size);
            pattern[size] = '\0';
            if (fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, alone, 0) == 0)
                return true;
        }
        at += size + (at[size] == ',');
    }
    return false;
}
