// A question about the events of a trace, answered in one pass: which ones count, by what they are
// grouped, what is folded of each group. Memory is bounded by groups, and those by a limit.
// Ownership: new/free; what options point to is copied.
#ifndef PJ_QUERY_H
#define PJ_QUERY_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/table/fold.h"
#include "metrics/trace/sink.h"

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

typedef struct pj_query pj_query;

/// NULL with PJ_E_SCRIPT: a formula is wrong, with the nearest valid name.
PJ_CHECKED pj_query *pj_query_new(pj_query_opts opts, pj_err *err);
void pj_query_free(pj_query *query);
/// Whether the answer depends on regions: a pass without them is several times faster.
bool pj_query_wants_regions(const pj_query *query);
/// Wants events in order. Fails with PJ_E_USAGE when there are more rows than the limit.
pj_sink pj_query_sink(pj_query *query);
/// After the pass: groups in the order of their keys, events in the order in which they end. NULL
/// before.
struct pj_table *pj_query_table(const pj_query *query);

/// Names of fields; NULL past the end.
const char *pj_query_field(unsigned index);

#endif
