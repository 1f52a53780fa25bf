// How functions and call paths are called: for people, and as pstats prints them.
// Ownership: text is appended to the caller's buffer.
#ifndef PJ_PROFILE_NAMES_H
#define PJ_PROFILE_NAMES_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

/// "survey.py:31(xypix)"; built-in functions "{built-in method builtins.len}"; what has no file is
/// its name. `strip`: files without their folders.
void pj_profile_label(const pj_profile *profile, uint32_t region, bool strip, pj_buf *out);
/// For people's tables: files without folders, "{builtins.len}", "{Comm.allreduce}".
void pj_profile_short_label(const pj_profile *profile, uint32_t region, pj_buf *out);
/// Names from the root down, with " => " in between, and parameters in parentheses.
void pj_profile_path(const pj_profile *profile, uint32_t node, pj_buf *out);
/// Whether it stands where a file or module would and says that there is none: "[Unknown]" of
/// VTune.
bool pj_profile_is_unknown(pj_str text);
/// Without its folders, as Python's os.path.basename.
pj_str pj_profile_file_name(pj_str file);
/// Without its folders and its suffix, which stands for a module.
pj_str pj_profile_module_of_file(pj_str file);
/// A name without the place that TAU puts behind it: "f" of "f [{a.c} {1,1}-{2,2}]".
pj_str pj_profile_without_place(pj_str name);
/// The last part of a file's name; of __init__.py and the like with its folder.
pj_str pj_profile_base_name(pj_str file);

#endif
