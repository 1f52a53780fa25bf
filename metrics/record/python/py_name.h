// How the function of a code object is called in a trace: "module:function" or
// "module.Class:method", as Score-P's bindings call it. Ownership: new/free.
#ifndef PJ_PY_NAME_H
#define PJ_PY_NAME_H

#include "metrics/record/python/py_api.h"

#include <limits.h>

enum { PJ_PY_NAME_MOST = 1000 };

typedef struct pj_py_name {
    char name[PJ_PY_NAME_MOST]; // UTF-8; what is longer is cut
    char module[PJ_PY_NAME_MOST];
    char file[PATH_MAX + PJ_PY_NAME_MOST]; // absolute, but for <string> and the like
    uint32_t first_line, last_line;        // 0 = unknown
} pj_py_name;

/// Fills the name; `globals` are those of the function, NULL = unknown. No error is left and none
/// that is set is lost.
void pj_py_name_of(PyObject *code, PyObject *globals, pj_py_name *out);
/// Cuts what is no whole character at the end of a text that filled its room.
void pj_py_name_mend(char *text, size_t room);
/// Whether code of this module and file belongs to the machinery that is left out of traces.
bool pj_py_name_is_left_out(const pj_py_name *name);
/// Whether a name, or what stands behind its colon, matches one of the patterns, which are parted
/// by commas; NULL = none.
bool pj_py_name_matches(const char *name, const char *patterns);
/// Code of files below this folder is left out. False without memory.
bool pj_py_name_own_folder(const char *folder);

/// Before 3.11 a code object does not know its qualified name: it is learned from the constants of
/// the module that it stands in.
void pj_py_name_learn(PyObject *module_code);
void pj_py_name_forget(const void *code);
/// The interpreter ends.
void pj_py_name_end(void);
/// Whether a file is one of the recorder's own.
bool pj_py_name_is_own(const char *file);

#endif
