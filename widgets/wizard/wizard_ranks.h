// Numbers per rank of a run, as tables and bars: what is behind a metric.
// Ownership: new tables and figures.
#ifndef PJ_WIZARD_RANKS_H
#define PJ_WIZARD_RANKS_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

/// What has a bar; threads are numbered through all ranks.
typedef enum pj_rank_bars {
    PJ_RANK_FITTING, // threads of a run of one rank, else ranks
    PJ_RANK_RANKS,
    PJ_RANK_THREADS,
    PJ_RANK_BARS,
} pj_rank_bars;
bool pj_rank_has_threads(const pj_run *run, pj_rank_bars bars);

/// Threads of a rank, or one of them: locations from `first` to before `end`.
typedef struct pj_rank_span {
    uint32_t first, end;
} pj_rank_span;

typedef struct pj_rank_quantity {
    const char *key;   // column and Lua field: "useful_ns"
    const char *title; // "Useful time"
    pj_unit unit;
    const char *formula; // over columns of the statistics; NULL = it is one of them
    const char *metrics; // keys of metrics that it is behind, separated by blanks
    /// Of one bar; false = not in the trace.
    bool (*of)(const pj_run *run, pj_rank_span span, double *value);
} pj_rank_quantity;

/// NULL past the end; the first one is for metrics that name none.
const pj_rank_quantity *pj_rank_quantity_at(size_t index);
const pj_rank_quantity *pj_rank_quantity_of(pj_str metric);

/// rank or thread and the quantity, in their order or, `sorted`, from the largest value.
pj_table *pj_rank_table(const pj_run *run, const pj_rank_quantity *quantity, pj_rank_bars bars,
                        bool sorted);
/// "IPC by rank: epoch_16proc"; arena.
const char *pj_rank_title(const pj_run *run, const pj_rank_quantity *quantity, pj_rank_bars bars,
                          pj_arena *arena);
PJ_CHECKED pj_figure *pj_rank_figure(const pj_table *table, const pj_rank_quantity *quantity,
                                     pj_plot_opts opts, const pj_draw *draw, pj_err *err);

typedef struct pj_rank_summary {
    size_t count;                     // 0 = no rank has a value
    double min, max, mean, deviation; // of the population
} pj_rank_summary;
pj_rank_summary pj_rank_summarise(const pj_table *table);

#endif
