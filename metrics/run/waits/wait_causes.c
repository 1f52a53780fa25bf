// The losses of a run by their causes.
// On the ideal network a rank computes, waits and ends: what it does not compute until the end of
// the run are its waits and its end. Each of them is lost to load balance as far as the rank
// computes less than the one that computes most, and to serialisation for the rest. What a call
// takes beyond its ideal waits is lost to transfer.
#include "metrics/run/waits/wait_causes.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/mpi_call.h"

#include <math.h>
#include <stdlib.h>

enum { END = PJ_WAIT_PATTERNS, OUTSIDE, KINDS };

typedef struct shares { // of patterns, then of the end and of what is neither MPI nor useful
    double balance[KINDS], serial[KINDS];
} shares;

/// What a rank computes: outside MPI, or what efficiencies count of it.
static double work_of(const pj_run *run, bool useful, uint32_t rank)
{
    const pj_totals *first = &run->totals[run->layout.first_location[rank]];
    return useful ? (double)(first->serial_useful_ns + first->openmp_ns)
                  : run->ideal.compute_ns[rank];
}

typedef struct sharing {
    const pj_run *run;
    bool useful;
    double most; // that a rank computes
} sharing;

static void share(shares *s, const sharing *how, uint32_t rank, unsigned kind, double ns)
{
    double runtime = how->run->ideal.runtime_ns, work = work_of(how->run, how->useful, rank);
    double idle = runtime - work;
    if (!(idle > 0))
        return;
    s->balance[kind] += ns * (how->most - work) / idle;
    s->serial[kind] += ns * (runtime - how->most) / idle;
}

static shares share_all(const pj_run *run, bool useful)
{
    const pj_ideal *ideal = &run->ideal;
    shares s = {.balance = {0}};
    sharing how = {run, useful, 0};
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        how.most = fmax(how.most, work_of(run, useful, i));
    for (uint32_t i = 0; i < run->waits->sum_count; i++) {
        const pj_wait_sum *sum = &run->waits->sums[i];
        share(&s, &how, sum->rank, sum->pattern, (double)sum->ideal_ns);
    }
    for (uint32_t i = 0; i < run->layout.ranks; i++) {
        share(&s, &how, i, END, ideal->runtime_ns - ideal->finish_ns[i]);
        share(&s, &how, i, OUTSIDE, ideal->compute_ns[i] - work_of(run, useful, i));
    }
    return s;
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
        l->items[l->count++] = (pj_wait_cause){of.key, cause, of.title, title, ns};
}

static void add_end(list *l, metric of, double ns)
{
    add(l, of, "end", "Ranks that end early", ns);
}

static int by_loss(const void *a, const void *b)
{
    const pj_wait_cause *x = a, *y = b;
    if (x->loss_ns != y->loss_ns)
        return x->loss_ns > y->loss_ns ? -1 : 1;
    return strcmp(x->cause, y->cause);
}

static void sort_from(list *l, uint32_t first)
{
    if (l->count > first)
        qsort(l->items + first, l->count - first, sizeof *l->items, by_loss);
}

static void add_waits(list *l, metric of, const double ns[KINDS])
{
    uint32_t first = l->count;
    for (unsigned k = 0; k < END; k++)
        add(l, of, pj_wait_pattern_rows[k].key, pj_wait_pattern_rows[k].title, ns[k]);
    add_end(l, of, ns[END]);
    add(l, of, "outside_mpi_not_useful", "Outside MPI, not useful", ns[OUTSIDE]);
    sort_from(l, first);
}

static void add_calls(list *l, const pj_run *run)
{
    uint32_t first = l->count;
    double end = 0;
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        end +=
            (double)run->waits->ranks[i].end_ns - (run->ideal.runtime_ns - run->ideal.finish_ns[i]);
    for (uint32_t i = 0; i < run->waits->call_count; i++) {
        const pj_wait_call *call = &run->waits->calls[i];
        const pj_mpi_call_row *row = pj_mpi_call_at(call->call);
        double ns = (double)call->time_ns - (double)call->ideal_ns;
        const char *name = row ? row->name : "unknown MPI call";
        add(l, transfer, name, name, ns);
    }
    add_end(l, transfer, end);
    sort_from(l, first);
}

const pj_wait_cause *pj_wait_causes(const pj_run *run, bool useful, pj_arena *arena,
                                    uint32_t *count)
{
    list l = {pj_new_n(arena, pj_wait_cause, 2 * KINDS + run->waits->call_count + 1), 0};
    shares s = share_all(run, useful);
    add_waits(&l, balance, s.balance);
    add_waits(&l, serial, s.serial);
    add_calls(&l, run);
    *count = l.count;
    return l.items;
}
