// The call tree of a profile as lists that fold: top-down from the roots, bottom-up from the
// functions with most time of their own, and callers and callees of each function. HTML without
// scripts: keys and a mouse open and close a row. Ownership: text is appended.
#ifndef PJ_CALL_TREE_HTML_H
#define PJ_CALL_TREE_HTML_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

typedef enum pj_call_fold {
    PJ_FOLD_TOP_DOWN,  // what a function calls stands below it
    PJ_FOLD_BOTTOM_UP, // who calls it
    PJ_FOLD_CALLERS,   // of every function both, one step far
    PJ_FOLD_COUNT,
} pj_call_fold;

/// "top-down"; NULL past the end.
const char *pj_call_fold_name(size_t index);

/// `root` "" = all. Errors: PJ_E_MISSING (no paths are known), PJ_E_USAGE (no such function).
PJ_CHECKED bool pj_call_tree_html(const pj_profile *profile, pj_call_fold fold, pj_str root,
                                  pj_buf *out, pj_err *err);
/// The same as indented lines, the first ones.
PJ_CHECKED bool pj_call_tree_text(const pj_profile *profile, pj_call_fold fold, pj_str root,
                                  pj_buf *out, pj_err *err);

#endif
