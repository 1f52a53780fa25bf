// Names of regions for people, and regions by name. The data keep the source's own text.
// Ownership: arena.
#ifndef PJ_FUNCTION_NAME_H
#define PJ_FUNCTION_NAME_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

/// The name without what does not tell it apart: "Barrier" of "<method 'Barrier' of 'Comm'
/// objects>", "ns::f" of "void ns::f<int>(int)"; never empty.
const char *pj_function_short(const pj_profile *profile, uint32_t region, pj_arena *arena);
/// The short names of those regions, each with its place behind it that another of them shares:
/// "wait (threading.py:669)".
const char **pj_function_names(const pj_profile *profile, const uint32_t *regions, size_t count,
                               pj_arena *arena);
/// "survey.py:31"; "" where the source tells no file.
const char *pj_function_place(const pj_profile *profile, uint32_t region, pj_arena *arena);
/// What the source says, else the name of the file without folder and suffix.
pj_str pj_function_module(const pj_profile *profile, uint32_t region);
/// "module:line:function", as gprof2dot names functions of Python.
const char *pj_function_label(const pj_profile *profile, uint32_t region, pj_arena *arena);
/// Whether Python says that a function is built in, and which: "f" of "<method 'f' of 'C'
/// objects>",
/// "<built-in method m.f>", the same in braces.
bool pj_function_is_builtin(pj_str name, pj_str *out);

/// Whether it has that name, short name or label; wildcards as in file names.
bool pj_function_is(const pj_profile *profile, uint32_t region, const char *pattern);
/// The region of that name, that short name or that label, of several the one whose value is
/// largest (`values` by region); wildcards as in file names. PJ_NO_ITEM with PJ_E_USAGE when there
/// is none.
PJ_CHECKED uint32_t pj_function_find(const pj_profile *profile, pj_str name, const double *values,
                                     pj_err *err);

#endif
