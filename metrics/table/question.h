// A question about the events of a trace, as commands and plots put it: which ones count, by what
// they are grouped, what is folded of each group. metrics/stat/query answers it. Ownership: borrow.
#ifndef PJ_QUESTION_H
#define PJ_QUESTION_H

#include "metrics/base/str.h"
#include "metrics/table/fold.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What is folded: a field or a formula over fields.
typedef struct pj_query_fold {
    pj_fold fold;
    pj_str of; // ignored by COUNT
} pj_query_fold;

typedef struct pj_query_opts {
    const char *type;   // a kind, or a type with * and ?; NULL = any
    const char *region; // the region around it, with * and ?; NULL = any
    bool has_rank;      // only of `rank`
    uint32_t rank;
    uint64_t from_ns, to_ns; // begins in [from, to); 0, 0 = whenever
    pj_str where;            // a formula over fields that is not 0; "" = all
    const pj_str *keys;      // fields, or formulas that give numbers
    size_t key_count;
    const pj_query_fold *folds; // none, and no keys: the events themselves
    size_t fold_count;
    pj_str histogram; // counts by powers of two of a field or formula; "" = does not
    uint64_t limit;   // most rows of the result; 0 = 10,000
} pj_query_opts;

#endif
