// Which waits and calls an efficiency is lost to.
// Losses are parts of the runtime whatever the convention of the set: in an additive one those of a
// row add up to what it lacks of 1.
#include "metrics/pop/metrics_causes.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/wait_causes.h"

#include <math.h>

enum { LOSSES = 3 };

static const double LEAST = 0.00005; // of the runtime: half of the last digit that is shown

/// The metrics that causes are found for, as sets and causes call them.
static const char *const losses[LOSSES] = {"load_balance", "serialisation_", "transfer_"};

static bool is_of(const pj_metric *row, const char *loss)
{
    pj_str key = pj_str_of(row->key);
    bool mpi = pj_str_starts(key, PJ_S("mpi_"));
    bool ideal = strcmp(loss, losses[0]) != 0;
    return pj_str_starts(mpi ? pj_str_from(key, 4) : key, pj_str_of(loss)) &&
           (!ideal || row->needs & PJ_NEEDS_IDEAL);
}

/// False when the set has not all of them.
static bool find_rows(const pj_metric_set *set, size_t rows[LOSSES])
{
    unsigned found = 0;
    for (unsigned i = 0; i < LOSSES; i++)
        for (size_t row = set->count; row-- > 0;)
            if (is_of(&set->rows[row], losses[i])) {
                rows[i] = row;
                found |= 1u << i;
            }
    return found == (1u << LOSSES) - 1;
}

static const char *lack_of(const pj_run *run)
{
    if (run->other.base)
        return "what waits cost is known of the ideal network alone";
    if (!run->waits)
        return "it is not known what the MPI calls waited for";
    return run->waits->ideal_lacks;
}

typedef struct list {
    pj_metric_cause *items;
    size_t count, cap;
    pj_arena *arena;
    size_t runs;
} list;

/// The row of a cause, made when it is the first run that has it: 0 in all others.
static pj_metric_cause *cause_of(list *l, size_t row, const pj_wait_cause *cause)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->items[i].row == row && strcmp(l->items[i].key, cause->cause) == 0)
            return &l->items[i];
    if (l->count == l->cap) {
        pj_metric_cause *before = l->items;
        l->cap = l->cap ? 2 * l->cap : 64;
        l->items = pj_new_n(l->arena, pj_metric_cause, l->cap);
        for (size_t i = 0; i < l->count; i++)
            l->items[i] = before[i];
    }
    l->items[l->count] = (pj_metric_cause){row, cause->cause, cause->cause_title,
                                           pj_new_n(l->arena, pj_metric_value, l->runs)};
    return &l->items[l->count++];
}

static void add_run(list *l, const pj_run *run, size_t at, const size_t rows[LOSSES])
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t count;
    const pj_wait_cause *found = pj_wait_causes(run, true, arena, &count);
    double all = (double)run->runtime_ns * run->layout.ranks;
    for (uint32_t c = 0; c < count && all > 0; c++)
        for (unsigned i = 0; i < LOSSES; i++)
            if (pj_str_starts(pj_str_of(found[c].metric), pj_str_of(losses[i])))
                cause_of(l, rows[i], &found[c])->values[at].value = found[c].loss_ns / all;
}

/// The most that it changes any run by.
static double most_of(const pj_metric_cause *cause, size_t runs)
{
    double most = 0;
    for (size_t run = 0; run < runs; run++)
        most = fmax(most, fabs(cause->values[run].value));
    return most;
}

/// Causes that would show as 0.00 in every run become one row.
static void fold_small(list *l)
{
    static const pj_wait_cause rest = {.cause = "others", .cause_title = "Others"};
    size_t kept = 0, count = l->count;
    list folded = {.arena = l->arena, .runs = l->runs};
    for (size_t i = 0; i < count; i++) {
        if (most_of(&l->items[i], l->runs) >= LEAST) {
            l->items[kept++] = l->items[i];
            continue;
        }
        pj_metric_cause *others = cause_of(&folded, l->items[i].row, &rest);
        for (size_t run = 0; run < l->runs; run++)
            others->values[run].value += l->items[i].values[run].value;
    }
    for (size_t i = 0; i < folded.count; i++)
        l->items[kept++] = folded.items[i];
    l->count = kept;
}

static bool stands_before(const list *l, const pj_metric_cause *a, const pj_metric_cause *b)
{
    bool rest = strcmp(a->key, "others") == 0;
    if (a->row != b->row)
        return a->row < b->row;
    if (rest || strcmp(b->key, "others") == 0)
        return !rest;
    return most_of(a, l->runs) >= most_of(b, l->runs);
}

/// Within its row the largest first.
static void put_in_order(list *l)
{
    for (size_t i = 1; i < l->count; i++)
        for (size_t j = i; j > 0 && !stands_before(l, &l->items[j - 1], &l->items[j]); j--) {
            pj_metric_cause swapped = l->items[j];
            l->items[j] = l->items[j - 1];
            l->items[j - 1] = swapped;
        }
}

static void add_to_note(pj_metrics *metrics, const char *sentence)
{
    metrics->note = pj_arena_format(metrics->arena, "%s%s%s", metrics->note,
                                    *metrics->note ? " " : "", sentence);
}

/// What the rows mean, or why there are none.
static void explain(pj_metrics *metrics, const char *lack)
{
    if (metrics->cause_count)
        add_to_note(metrics,
                    "Causes are in points, hundredths of the runtime; those of load balance and "
                    "serialisation share the waits of each rank in proportion, as a wait does not "
                    "tell whether too little work or its order has caused it.");
    else if (lack)
        add_to_note(metrics, pj_arena_format(metrics->arena, "No causes: %s.", lack));
}

void pj_metrics_find_causes(pj_metrics *metrics)
{
    const pj_study *study = metrics->study;
    list l = {.arena = metrics->arena, .runs = study->count};
    const char *last = NULL;
    size_t rows[LOSSES];
    if (!find_rows(metrics->set, rows)) {
        explain(metrics,
                "this set does not have load balance, serialisation and transfer of ranks");
        return;
    }
    for (size_t run = 0; run < study->count; run++)
        if (!lack_of(study->cases[run].run))
            add_run(&l, study->cases[run].run, run, rows);
    fold_small(&l);
    for (size_t run = 0; run < study->count; run++) {
        const char *lack = lack_of(study->cases[run].run);
        last = lack ? lack : last;
        for (size_t i = 0; lack && i < l.count; i++)
            l.items[i].values[run].reason = lack;
    }
    put_in_order(&l);
    metrics->causes = l.items;
    metrics->cause_count = l.count;
    explain(metrics, last);
}
