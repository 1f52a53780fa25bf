// Filter files of Score-P: which regions are left out, by name or by file.
// Ownership: new/free.
#ifndef PJ_SCORE_FILTER_H
#define PJ_SCORE_FILTER_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

typedef struct pj_score_rule {
    const char *pattern; // of fnmatch(3)
    bool exclude;
    bool mangled; // compared with the mangled name
} pj_score_rule;

typedef struct pj_score_filter {
    pj_arena *arena;
    pj_score_rule *names, *files;
    size_t name_count, file_count;
    size_t name_cap, file_cap;
} pj_score_filter;

/// `where` names the file in messages. Errors: PJ_E_FORMAT with the line.
PJ_CHECKED bool pj_score_filter_parse(pj_score_filter *filter, const char *where, pj_str text,
                                      pj_err *err);
void pj_score_filter_free(pj_score_filter *filter);
/// Whether a region is left out: the last rule that fits decides, and files before names.
bool pj_score_filter_excludes(const pj_score_filter *filter, const char *name, const char *mangled,
                              const char *file);

#endif
