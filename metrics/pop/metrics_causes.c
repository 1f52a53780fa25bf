// Which waits and calls an efficiency is lost to.
// Losses are parts of the runtime whatever the convention of the set: in an additive one those of a
// row add up to what it lacks of 1.
#include "metrics/pop/metrics_causes.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/run/waits/omp_causes.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/wait_causes.h"

#include <math.h>

static const double LEAST = 0.00005; // of the runtime: half of the last digit that is shown

typedef enum loss { BALANCE, SERIAL, TRANSFER, REGIONS, IDLE, LOSSES } loss;

/// The metrics that causes are found for, as sets and causes call them.
static const struct {
    const char *key, *other; // how it begins; NULL = in one way
    bool ideal, threads;     // taken from the ideal replay; of threads in OpenMP
} losses[LOSSES] = {
    [BALANCE] = {"load_balance", "load_imbalance", false, false},
    [SERIAL] = {"serialisation_", NULL, true, false},
    [TRANSFER] = {"transfer_", NULL, true, false},
    [REGIONS] = {"openmp_region_", NULL, false, true},
    [IDLE] = {"serial_region_", NULL, false, true},
};

/// What sets divide otherwise than all others: which work load balance and serialisation see, and
/// the row that has both serialisation and transfer. A set may divide twice: the rows without and
/// those with "mpi_".
static const struct division {
    const char *set;
    pj_cause_work balance, serial;
    const char *both;
    bool again; // is the second time
} divisions[] = {
    {"mpi", PJ_WORK_USEFUL, PJ_WORK_COMPUTING, NULL, false},
    {"mpi-mult", PJ_WORK_USEFUL, PJ_WORK_COMPUTING, NULL, false},
    {"bsc", PJ_WORK_THREADS, PJ_WORK_THREADS, NULL, false},
    {"bsc-2026", PJ_WORK_THREADS, PJ_WORK_THREADS, NULL, false},
    {"bsc-2026", PJ_WORK_MEASURED, PJ_WORK_MEASURED, NULL, true},
    {"hybrid-bsc", PJ_WORK_COMPUTING, PJ_WORK_COMPUTING, "mpi_communication_efficiency", false},
};

static struct division division_of(const pj_metric_set *set, bool again)
{
    for (size_t i = 0; i < sizeof divisions / sizeof *divisions; i++)
        if (strcmp(divisions[i].set, set->key) == 0 && divisions[i].again == again)
            return divisions[i];
    return (struct division){NULL, PJ_WORK_COMPUTING, PJ_WORK_COMPUTING, NULL, again};
}

static bool is_of(const pj_metric *row, loss kind, bool again)
{
    pj_str key = pj_str_of(row->key);
    bool mpi = pj_str_starts(key, PJ_S("mpi_"));
    if (again && !mpi)
        return false;
    key = mpi ? pj_str_from(key, 4) : key;
    bool named = pj_str_starts(key, pj_str_of(losses[kind].key)) ||
                 (losses[kind].other && pj_str_starts(key, pj_str_of(losses[kind].other)));
    return named && (!losses[kind].ideal || row->needs & PJ_NEEDS_IDEAL);
}

typedef struct lost_rows { // of a set, by loss
    size_t at[LOSSES];
    bool ranks, threads; // has those of MPI, those of OpenMP
    struct division how;
} lost_rows;

static lost_rows find_rows(const pj_metric_set *set, bool again)
{
    lost_rows found = {.how = division_of(set, again)};
    bool has[LOSSES] = {false};
    if (again && !found.how.set)
        return found;
    for (unsigned i = 0; i < LOSSES; i++)
        for (size_t row = set->count; row-- > 0;)
            if (is_of(&set->rows[row], (loss)i, again)) {
                found.at[i] = row;
                has[i] = true;
            }
    const char *both = found.how.both;
    if (both) {
        found.at[SERIAL] = found.at[TRANSFER] = (size_t)pj_metric_row(set, pj_str_of(both));
        has[SERIAL] = has[TRANSFER] = true;
    }
    found.ranks = has[BALANCE] && has[SERIAL] && has[TRANSFER];
    found.threads = has[REGIONS] && has[IDLE];
    return found;
}

static const char *lack_of_ranks(const pj_run *run)
{
    if (run->other.base)
        return "what waits cost is known of the ideal network alone";
    if (!run->waits)
        return "it is not known what the MPI calls waited for";
    return run->waits->ideal_lacks;
}

static const char *lack_of_threads(const pj_run *run)
{
    if (!run->has_openmp)
        return "the run has no OpenMP";
    return run->omp_waits ? NULL : "it is not known what threads of OpenMP waited for";
}

typedef struct list {
    pj_metric_cause *items;
    size_t count, cap;
    pj_arena *arena;
    size_t runs;
} list;

/// The row of a cause, made when it is the first run that has it: 0 in all others.
static pj_metric_cause *cause_of(list *l, size_t row, const char *key, const char *title)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->items[i].row == row && strcmp(l->items[i].key, key) == 0)
            return &l->items[i];
    if (l->count == l->cap) {
        pj_metric_cause *before = l->items;
        l->cap = l->cap ? 2 * l->cap : 64;
        l->items = pj_new_n(l->arena, pj_metric_cause, l->cap);
        for (size_t i = 0; i < l->count; i++)
            l->items[i] = before[i];
    }
    l->items[l->count] =
        (pj_metric_cause){row, key, title, pj_new_n(l->arena, pj_metric_value, l->runs)};
    return &l->items[l->count++];
}

static double all_of(const pj_run *run)
{
    return (double)run->runtime_ns * run->layout.ranks;
}

static void add_ranks(list *l, const pj_run *run, size_t at, const lost_rows *rows)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t count;
    const pj_wait_cause *found =
        pj_wait_causes(run, rows->how.balance, rows->how.serial, arena, &count);
    double all = all_of(run);
    for (uint32_t c = 0; c < count && all > 0; c++)
        for (unsigned i = 0; i < LOSSES; i++)
            if (pj_str_starts(pj_str_of(found[c].metric), pj_str_of(losses[i].key)))
                cause_of(l, rows->at[i], found[c].cause, found[c].cause_title)->values[at].value +=
                    found[c].loss_ns / all;
}

static void add_threads(list *l, const pj_run *run, size_t at, const lost_rows *rows)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t count;
    const pj_omp_cause *found = pj_omp_causes(run, arena, &count);
    double all = all_of(run);
    for (uint32_t c = 0; c < count && all > 0; c++)
        if (found[c].loss_ns != 0)
            cause_of(l, rows->at[found[c].serial ? IDLE : REGIONS], found[c].cause, found[c].title)
                ->values[at]
                .value += found[c].loss_ns / all;
}

static void add_run(list *l, const pj_run *run, size_t at, const lost_rows *rows)
{
    if (rows->ranks && !lack_of_ranks(run))
        add_ranks(l, run, at, rows);
    if (rows->threads && !lack_of_threads(run))
        add_threads(l, run, at, rows);
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
    size_t kept = 0, count = l->count;
    list folded = {.arena = l->arena, .runs = l->runs};
    for (size_t i = 0; i < count; i++) {
        if (most_of(&l->items[i], l->runs) >= LEAST) {
            l->items[kept++] = l->items[i];
            continue;
        }
        pj_metric_cause *others = cause_of(&folded, l->items[i].row, "others", "Others");
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

typedef struct lacks { // why the last run that has none has none; NULL = all have
    const char *ranks, *threads;
} lacks;

static bool is_of_threads(const lost_rows *rows, size_t row)
{
    return rows->threads && (row == rows->at[REGIONS] || row == rows->at[IDLE]);
}

static bool has_causes(const pj_metrics *metrics, const lost_rows *rows, bool of_threads)
{
    for (size_t i = 0; i < metrics->cause_count; i++)
        if (is_of_threads(rows, metrics->causes[i].row) == of_threads)
            return true;
    return false;
}

static void explain_ranks(pj_metrics *metrics)
{
    const pj_study *study = metrics->study;
    bool begins = false, calls = false;
    add_to_note(metrics,
                "Causes are in points, hundredths of the runtime; those of load balance and "
                "serialisation share the waits of each rank in proportion, as a wait does not "
                "tell whether too little work or its order has caused it.");
    for (size_t i = 0; i < metrics->cause_count; i++)
        begins |= strcmp(metrics->causes[i].key, "begin") == 0;
    if (begins)
        add_to_note(metrics, pj_wait_begin_note);
    for (size_t i = 0; i < study->count; i++)
        calls |= pj_wait_others_call(study->cases[i].run);
    if (calls)
        add_to_note(metrics, "Waits are those of first threads: what others wait for in MPI is "
                             "time outside MPI of the first one, as far as that waits for them.");
}

static void explain_threads(pj_metrics *metrics)
{
    add_to_note(metrics, "Causes of OpenMP are in points of an average thread; management includes "
                         "waiting for the last thread where a region ends without a barrier.");
}

static void explain_lack(pj_metrics *metrics, const char *of, const char *lack)
{
    if (lack)
        add_to_note(metrics, pj_arena_format(metrics->arena, "No causes%s: %s.", of, lack));
}

/// What the rows mean, or why there are none.
static void explain(pj_metrics *metrics, const lost_rows *rows, lacks lack)
{
    bool ranks = has_causes(metrics, rows, false), threads = has_causes(metrics, rows, true);
    if (ranks)
        explain_ranks(metrics);
    else
        explain_lack(metrics, threads ? " of MPI" : "", lack.ranks);
    if (threads)
        explain_threads(metrics);
    else if (ranks || !rows->ranks)
        explain_lack(metrics, ranks ? " of OpenMP" : "", lack.threads);
}

/// A row without a value has none to share out.
static lacks give_reasons(list *l, const pj_metrics *metrics, const lost_rows *rows)
{
    const pj_study *study = metrics->study;
    lacks last = {NULL, NULL};
    for (size_t run = 0; run < study->count; run++) {
        const char *ranks = rows->ranks ? lack_of_ranks(study->cases[run].run) : NULL;
        const char *threads = rows->threads ? lack_of_threads(study->cases[run].run) : NULL;
        last.ranks = ranks ? ranks : last.ranks;
        last.threads = threads ? threads : last.threads;
        for (size_t i = 0; i < l->count; i++) {
            const char *lack = is_of_threads(rows, l->items[i].row) ? threads : ranks;
            const char *empty = pj_metrics_at(metrics, run, l->items[i].row).reason;
            l->items[i].values[run].reason = lack ? lack : empty;
        }
    }
    return last;
}

void pj_metrics_find_causes(pj_metrics *metrics)
{
    const pj_study *study = metrics->study;
    list l = {.arena = metrics->arena, .runs = study->count};
    lost_rows rows = find_rows(metrics->set, false), more = find_rows(metrics->set, true);
    if (!rows.ranks && !rows.threads) {
        explain_lack(metrics, "",
                     "this set does not have load balance, serialisation and transfer of ranks, "
                     "nor rows of OpenMP regions");
        return;
    }
    for (size_t run = 0; run < study->count; run++) {
        add_run(&l, study->cases[run].run, run, &rows);
        add_run(&l, study->cases[run].run, run, &more);
    }
    fold_small(&l);
    lacks lack = give_reasons(&l, metrics, &rows);
    put_in_order(&l);
    metrics->causes = l.items;
    metrics->cause_count = l.count;
    explain(metrics, &rows, lack);
}
