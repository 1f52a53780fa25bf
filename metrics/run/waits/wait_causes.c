// The losses of a run by their causes.
// On the ideal network a rank computes, waits and ends: what it does not compute until the end of
// the run are its waits and its end. Each of them is lost to load balance as far as the rank
// computes less than the one that computes most, and to serialisation for the rest. What a call
// takes beyond its ideal waits is lost to transfer, and so is what else a rank does longer than
// there. In a region of interest it does all that from when it comes, which is before the region
// begins where others come later: these waits are no loss of the region.
#include "metrics/run/waits/wait_causes.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"

#include <math.h>
#include <stdlib.h>

enum { END = PJ_WAIT_PATTERNS, OUTSIDE, BEGIN, KINDS };

typedef struct division { // of what is lost to load balance, or to serialisation
    const pj_run *run;
    const double *outside; // MPI on the ideal network, by rank
    pj_cause_work work;
    bool serial;
    double most;        // that a rank or thread computes
    double lost[KINDS]; // to patterns, to the end, to what is neither MPI nor computation, and to
                        // borders that ranks come to at other times
    double *parts;      // of the waits of each rank
} division;

/// What first threads do outside MPI on the ideal network.
static double *outside_of(const pj_run *run, pj_arena *arena)
{
    double *outside = pj_new_n(arena, double, run->layout.ranks);
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        outside[i] = run->ideal.first_ns[i] + run->ideal.ahead_ns[i];
    for (uint32_t i = 0; i < run->waits->sum_count; i++)
        outside[run->waits->sums[i].rank] -= (double)run->waits->sums[i].ideal_ns;
    return outside;
}

static double work_of(const division *d, uint32_t location)
{
    const pj_totals *t = &d->run->totals[location];
    switch (d->work) {
    case PJ_WORK_OUTSIDE:
        return d->outside[d->run->layout.rank_of[location]];
    case PJ_WORK_COMPUTING:
        return (double)(t->serial_useful_ns + t->openmp_ns);
    case PJ_WORK_MEASURED:
        return (double)t->outside_mpi_ns;
    case PJ_WORK_USEFUL:
    case PJ_WORK_THREADS:
        return (double)t->useful_ns;
    }
    return 0;
}

/// How long a rank is there: in a region of interest from its own begin on.
static double stay_of(const division *d, uint32_t rank)
{
    return d->run->ideal.runtime_ns + d->run->ideal.ahead_ns[rank];
}

/// Which part of what a rank or thread does not compute is lost. Where one computes longer than the
/// rank is there, as it calls MPI in OpenMP, nothing is lost to serialisation.
static double part_of(const division *d, double stay, double work)
{
    double idle = stay - work;
    if (d->most >= stay || !(idle > 0))
        return d->serial ? 0 : 1;
    return (d->serial ? stay - d->most : d->most - work) / idle;
}

/// What it computes longer, no wait has to do with.
static double excess_of(const division *d, double stay)
{
    double excess = fmax(d->most - stay, 0);
    return d->serial ? -excess : excess;
}

/// As how many ranks a rank counts, or one of its threads.
static double weight_of(const division *d, uint32_t rank)
{
    const pj_layout *layout = &d->run->layout;
    double thread = (double)layout->ranks / layout->locations;
    return d->work == PJ_WORK_THREADS    ? thread
           : d->work == PJ_WORK_MEASURED ? thread * pj_layout_threads(layout, rank)
                                         : 1;
}

/// The losses of a rank, or of its threads, but for its waits; gives which part of these is lost.
static double divide_rank(division *d, uint32_t rank)
{
    const pj_layout *layout = &d->run->layout;
    bool threads = d->work == PJ_WORK_THREADS;
    uint32_t first = layout->first_location[rank], behind = layout->first_location[rank + 1];
    if (!threads && behind > first) // damaged summaries have ranks without threads
        behind = first + 1;
    double weight = weight_of(d, rank), sum = 0;
    double stay = stay_of(d, rank), ahead = d->run->ideal.ahead_ns[rank];
    for (uint32_t i = first; i < behind; i++) {
        double work = work_of(d, i), part = part_of(d, stay, work);
        sum += weight * part;
        d->lost[OUTSIDE] += weight * part * (d->outside[rank] - work);
        d->lost[d->run->roi.set ? BEGIN : OUTSIDE] += weight * excess_of(d, stay);
        d->lost[BEGIN] -= d->serial ? weight * ahead : 0;
    }
    d->lost[d->work == PJ_WORK_MEASURED ? OUTSIDE : END] +=
        sum * (d->run->ideal.runtime_ns - d->run->ideal.first_ns[rank]);
    return sum;
}

static void divide(division *d, pj_arena *arena)
{
    const pj_run *run = d->run;
    const pj_layout *layout = &run->layout;
    d->parts = pj_new_n(arena, double, layout->ranks);
    for (uint32_t i = 0; i < layout->locations; i++)
        if (d->work == PJ_WORK_THREADS || layout->first_location[layout->rank_of[i]] == i)
            d->most = fmax(d->most, work_of(d, i));
    for (uint32_t rank = 0; rank < layout->ranks; rank++)
        d->parts[rank] = divide_rank(d, rank);
    for (uint32_t i = 0; i < run->waits->sum_count; i++) {
        const pj_wait_sum *sum = &run->waits->sums[i];
        d->lost[sum->pattern] += d->parts[sum->rank] * (double)sum->ideal_ns;
    }
}

typedef struct list {
    pj_wait_cause *items;
    uint32_t count;
} list;

typedef struct metric {
    const char *key, *title;
} metric;

static const metric balance = {"load_balance", "Load balance"};
static const metric serial = {"serialisation_efficiency", "Serialisation efficiency"};
static const metric transfer = {"transfer_efficiency", "Transfer efficiency"};

static void add(list *l, metric of, const char *cause, const char *title, double ns)
{
    if (ns != 0)
        l->items[l->count++] = (pj_wait_cause){of.key, cause, of.title, title, ns, PJ_NO_CULPRIT};
}

static void add_end(list *l, metric of, double ns)
{
    add(l, of, "end", "Ranks that end early", ns);
}

const char pj_wait_begin_note[] =
    "Ranks that begin early come to the region of interest before the last one on the ideal "
    "network, with which it begins there: what they wait in it therefore counts as transfer.";

static void add_begin(list *l, metric of, double ns)
{
    add(l, of, "begin", "Ranks that begin early", ns);
}

static int by_culprit(const void *a, const void *b)
{
    const pj_wait_cause *x = a, *y = b;
    int order = strcmp(x->cause, y->cause);
    return order ? order : (x->culprit > y->culprit) - (x->culprit < y->culprit);
}

static int by_loss(const void *a, const void *b)
{
    const pj_wait_cause *x = a, *y = b;
    if (x->loss_ns != y->loss_ns)
        return x->loss_ns > y->loss_ns ? -1 : 1;
    return by_culprit(a, b);
}

static void sort_from(list *l, uint32_t first)
{
    if (l->count > first)
        qsort(l->items + first, l->count - first, sizeof *l->items, by_loss);
}

/// Waits for one rank, of all that waited, are one cause.
static void add_culprits(list *l, metric of, const division *d)
{
    uint32_t first = l->count, kept = first;
    for (uint32_t i = 0; i < d->run->waits->sum_count; i++) {
        const pj_wait_sum *sum = &d->run->waits->sums[i];
        const pj_wait_pattern_row *row = &pj_wait_pattern_rows[sum->pattern];
        uint32_t count = l->count;
        add(l, of, row->key, row->title, d->parts[sum->rank] * (double)sum->ideal_ns);
        if (l->count > count)
            l->items[count].culprit = sum->culprit;
    }
    if (l->count > first)
        qsort(l->items + first, l->count - first, sizeof *l->items, by_culprit);
    for (uint32_t i = first; i < l->count; i++)
        if (kept > first && by_culprit(&l->items[kept - 1], &l->items[i]) == 0)
            l->items[kept - 1].loss_ns += l->items[i].loss_ns;
        else
            l->items[kept++] = l->items[i];
    l->count = kept;
}

static void add_patterns(list *l, metric of, const division *d)
{
    for (unsigned k = 0; k < END; k++)
        add(l, of, pj_wait_pattern_rows[k].key, pj_wait_pattern_rows[k].title, d->lost[k]);
}

static void add_waits(list *l, metric of, const division *d, bool culprits)
{
    uint32_t first = l->count;
    (culprits ? add_culprits : add_patterns)(l, of, d);
    add_end(l, of, d->lost[END]);
    add_begin(l, of, d->lost[BEGIN]);
    add(l, of, "outside_mpi_not_useful", "Outside MPI, not useful", d->lost[OUTSIDE]);
    sort_from(l, first);
}

static double sum_outside(const pj_run *run, const double *outside)
{
    double sum = 0;
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        sum += (double)run->waits->ranks[i].outside_ns - outside[i];
    return sum;
}

bool pj_wait_others_call(const pj_run *run)
{
    for (uint32_t i = 0; i < run->layout.locations; i++)
        if (run->layout.first_location[run->layout.rank_of[i]] != i && run->totals[i].mpi_ns)
            return true;
    return false;
}

double pj_wait_outside_lost(const pj_run *run)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    return sum_outside(run, outside_of(run, arena));
}

static void add_calls(list *l, const pj_run *run, const double *outside)
{
    uint32_t first = l->count;
    double begin = 0, end = 0;
    for (uint32_t i = 0; i < run->layout.ranks; i++) {
        const pj_wait_rank *rank = &run->waits->ranks[i];
        begin += run->ideal.ahead_ns[i];
        end += (double)run->runtime_ns - (double)(rank->outside_ns + rank->mpi_ns) -
               (run->ideal.runtime_ns - run->ideal.first_ns[i]);
    }
    for (uint32_t i = 0; i < run->waits->call_count; i++) {
        const pj_wait_call *call = &run->waits->calls[i];
        const pj_mpi_call_row *row = pj_mpi_call_at(call->call);
        double ns = (double)call->time_ns - (double)call->ideal_ns;
        const char *name = row ? row->name : "unknown MPI call";
        add(l, transfer, name, name, ns);
    }
    add_begin(l, transfer, begin);
    add_end(l, transfer, end);
    add(l, transfer, "outside_mpi", "Longer outside MPI", sum_outside(run, outside));
    sort_from(l, first);
}

typedef struct question {
    pj_cause_work balance, serial;
    bool culprits;
} question;

static const pj_wait_cause *find(const pj_run *run, question of, pj_arena *arena, uint32_t *count)
{
    size_t waits = of.culprits ? run->waits->sum_count : 0;
    list l = {pj_new_n(arena, pj_wait_cause, 2 * (KINDS + waits) + run->waits->call_count + 3), 0};
    const double *outside = outside_of(run, arena);
    division balanced = {.run = run, .outside = outside, .work = of.balance};
    division in_turn = {.run = run, .outside = outside, .work = of.serial, .serial = true};
    divide(&balanced, arena);
    divide(&in_turn, arena);
    add_waits(&l, balance, &balanced, of.culprits);
    add_waits(&l, serial, &in_turn, of.culprits);
    add_calls(&l, run, outside);
    *count = l.count;
    return l.items;
}

const pj_wait_cause *pj_wait_causes(const pj_run *run, pj_cause_work balance_of,
                                    pj_cause_work serial_of, pj_arena *arena, uint32_t *count)
{
    return find(run, (question){balance_of, serial_of, false}, arena, count);
}

const pj_wait_cause *pj_wait_causes_by_culprit(const pj_run *run, pj_arena *arena, uint32_t *count)
{
    return find(run, (question){PJ_WORK_OUTSIDE, PJ_WORK_OUTSIDE, true}, arena, count);
}
