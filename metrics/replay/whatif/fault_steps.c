// Faults in the work of ranks between two collectives of all or borders of iterations.
#include "metrics/replay/whatif/fault_steps.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/replay/whatif/play.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/parts/burst_clusters.h"
#include "metrics/run/run.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <stdlib.h>

static const double ALONE = 4;       // times the work of the second rank
static const double SLOW = 0.04;     // a slow rank takes more than so much longer
static const double OUTLIER = 0.1;   // the same of noise
static const double LONGER = 2;      // a step of the start takes at least so much of a usual one
static const double FEW = 0.5;       // of the calls of a usual step: it is no such step
static const double LOW = 0.8;       // of the IPC of other work: it is slow, not more
static const double NOISY = 0.4;     // part of the work in steps with noise at most
static const double BY_CHANCE = 0.1; // that steps with noise are all of one node
static const double MAD_TO_SD = 1.4826;
enum { LEAST_STEPS = 8, LEAST_RANKS = 3 };

pj_fault_steps pj_fault_steps_of(const pj_run *run, const pj_bursts *bursts, pj_arena *arena)
{
    bool finer = 2 * bursts->iterations.count > 3 * bursts->steps.count;
    const pj_step_work *work = finer ? &bursts->pieces : &bursts->steps;
    pj_fault_steps s = {.run = run,
                        .arena = arena,
                        .work = work->of,
                        .calls = work->calls,
                        .steps = work->count,
                        .ranks = run->layout.ranks,
                        .kind = finer ? PJ_STEPS_PIECES : PJ_STEPS_COLLECTIVES};
    size_t cells = (size_t)s.steps * s.ranks;
    s.factors = pj_new_n(arena, double, cells + 1);
    for (size_t i = 0; i < cells; i++)
        s.factors[i] = 1;
    return s;
}

/// What is counted: iterations alone are called steps.
static const char *between(const pj_fault_steps *s)
{
    return s->kind == PJ_STEPS_COLLECTIVES ? "between collectives"
                                           : "between collectives and iterations";
}

static size_t cell(const pj_fault_steps *s, uint32_t step, uint32_t rank)
{
    return (size_t)step * s->ranks + rank;
}

static double work_at(const pj_fault_steps *s, uint32_t step, uint32_t rank)
{
    return s->work[cell(s, step, rank)] * s->factors[cell(s, step, rank)];
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Of at least one; sorts them.
static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/// A value and how much it counts: steps count by their work, or those with hardly any would say
/// what all are like.
typedef struct weighted {
    double value, weight;
} weighted;

static int by_weighted_value(const void *a, const void *b)
{
    return by_value(&((const weighted *)a)->value, &((const weighted *)b)->value);
}

/// Half of the weight lies on either side; 0 when there is none. Sorts them.
static double weighted_median(weighted *items, size_t count)
{
    double all = 0, below = 0;
    for (size_t i = 0; i < count; i++)
        all += items[i].weight;
    qsort(items, count, sizeof *items, by_weighted_value);
    for (size_t i = 0; i < count; i++) {
        below += items[i].weight;
        if (below * 2 > all)
            return items[i].value;
        if (below * 2 == all && i + 1 < count)
            return (items[i].value + items[i + 1].value) / 2;
    }
    return 0;
}

// One rank alone

/// The rank that works alone in a step; false when there is none.
static bool alone(const pj_fault_steps *s, uint32_t step, uint32_t *rank)
{
    double most = 0, next = 0;
    for (uint32_t k = 0; k < s->ranks; k++) {
        double work = work_at(s, step, k);
        if (work > most) {
            next = most;
            most = work;
            *rank = k;
        } else if (work > next) {
            next = work;
        }
    }
    return s->ranks > 1 && most > ALONE * next;
}

pj_fault_found pj_fault_serial(pj_fault_steps *s)
{
    pj_fault_found found = {.rank = UINT32_MAX};
    double *of_rank = pj_new_n(s->arena, double, s->ranks), all = 0;
    bool *ranks = pj_new_n(s->arena, bool, s->ranks);
    uint32_t count = 0, last = 0, rank = 0, most = 0;
    for (uint32_t step = 0; step < s->steps; step++) {
        if (!alone(s, step, &rank))
            continue;
        double work = work_at(s, step, rank);
        of_rank[rank] += work;
        ranks[rank] = true;
        all += work;
        count++;
        last = step;
        s->factors[cell(s, step, rank)] /= s->ranks;
    }
    for (uint32_t k = 1; k < s->ranks; k++)
        most = of_rank[k] > of_rank[most] ? k : most;
    if (count == 0)
        return found;
    found.loss_ns = all * (s->ranks - 1);
    found.ranks = ranks;
    found.rank = of_rank[most] > 0.9 * all ? most : UINT32_MAX;
    const char *who =
        found.rank == UINT32_MAX ? "one rank each" : pj_arena_format(s->arena, "rank %u", most);
    found.where = last < 2 ? pj_arena_format(s->arena, "%s, at the start", who)
                           : pj_arena_format(s->arena, "%s, %u of %u parts %s", who, count,
                                             s->steps, between(s));
    return found;
}

// Slow ranks

/// How much longer each rank takes than the median of the ranks, in the median of the steps.
static double *ratios_of(const pj_fault_steps *s, const double *medians)
{
    double *ratios = pj_new_n(s->arena, double, s->ranks);
    weighted *scratch = pj_new_n(s->arena, weighted, s->steps + (size_t)1);
    for (uint32_t k = 0; k < s->ranks; k++) {
        size_t count = 0;
        for (uint32_t step = 0; step < s->steps; step++)
            if (medians[step] > 0)
                scratch[count++] = (weighted){work_at(s, step, k) / medians[step], medians[step]};
        ratios[k] = count ? weighted_median(scratch, count) : 1;
    }
    return ratios;
}

/// What a step takes: half of the work is in shorter ones.
static double usual_step(const pj_fault_steps *s, const double *medians)
{
    weighted *scratch = pj_new_n(s->arena, weighted, s->steps + (size_t)1);
    for (uint32_t step = 0; step < s->steps; step++)
        scratch[step] = (weighted){medians[step], medians[step]};
    return weighted_median(scratch, s->steps);
}

static double *medians_of_steps(const pj_fault_steps *s)
{
    double *medians = pj_new_n(s->arena, double, s->steps + 1);
    double *row = pj_new_n(s->arena, double, s->ranks);
    for (uint32_t step = 0; step < s->steps; step++) {
        double sum = 0;
        for (uint32_t k = 0; k < s->ranks; k++)
            sum += row[k] = work_at(s, step, k);
        double median = median_of(row, s->ranks);
        medians[step] = median > sum / s->ranks / 8 ? median : 0;
    }
    return medians;
}

static uint32_t node_of(const pj_run *run, uint32_t rank)
{
    const pj_layout *layout = &run->layout;
    return layout->node_of ? layout->node_of[layout->first_location[rank]] : 0;
}

/// The node whose ranks are exactly those marked; 0 = there is none, or no other node.
static uint32_t node_marked(const pj_run *run, const bool *marked)
{
    uint32_t node = 0;
    bool others = false;
    for (uint32_t k = 0; k < run->layout.ranks; k++)
        if (marked[k])
            node = node_of(run, k);
    for (uint32_t k = 0; k < run->layout.ranks; k++) {
        if ((node_of(run, k) == node) != marked[k])
            return 0;
        others = others || !marked[k];
    }
    return others ? node : 0;
}

static int64_t counted(const pj_run *run, uint32_t counter, uint32_t rank)
{
    const pj_counter *c = &run->counters[counter];
    return c->present ? c->useful[run->layout.first_location[rank]] : 0;
}

/// Means of a counter over ranks that are marked and those that are not; false when it is missing.
static bool compare(const pj_run *run, uint32_t counter, const bool *marked, double means[2])
{
    double sums[2] = {0, 0}, counts[2] = {0, 0};
    for (uint32_t k = 0; k < run->layout.ranks; k++) {
        sums[marked[k]] += (double)counted(run, counter, k);
        counts[marked[k]]++;
    }
    for (int i = 0; i < 2; i++)
        means[i] = sums[i] / counts[i];
    return means[0] > 0 && means[1] > 0;
}

/// Why the marked ranks take `longer`: their instructions; NULL = it is more work.
static const char *why_slow(const pj_run *run, const bool *marked, double longer)
{
    double instructions[2], cycles[2];
    if (!compare(run, PJ_COUNTER_INSTRUCTIONS, marked, instructions))
        return "";
    if (instructions[1] / instructions[0] - 1 > (longer - 1) / 2)
        return NULL;
    if (!compare(run, PJ_COUNTER_CYCLES, marked, cycles))
        return "";
    return cycles[1] / cycles[0] - 1 > (longer - 1) / 2 ? ", lower IPC" : ", lower frequency";
}

static uint32_t mark(const double *ratios, uint32_t ranks, double *sorted, bool *marked,
                     double *usual)
{
    double gap = 0, border = INFINITY;
    uint32_t count = 0, at = 0;
    for (uint32_t k = 0; k < ranks; k++)
        sorted[k] = ratios[k];
    qsort(sorted, ranks, sizeof *sorted, by_value);
    for (uint32_t k = 1; k < ranks; k++)
        if (sorted[k] - sorted[k - 1] > gap) {
            gap = sorted[k] - sorted[k - 1];
            border = sorted[k];
            at = k;
        }
    if (at == 0 || gap < SLOW || sorted[at - 1] - sorted[0] > gap / 2)
        return 0;
    *usual = sorted[at / 2];
    for (uint32_t k = 0; k < ranks; k++)
        count += marked[k] = ratios[k] >= border;
    return count;
}

/// "rank 3", "rank 3, 5".
static const char *names_of(const pj_fault_steps *s, const bool *marked, uint32_t *only)
{
    const char *names = "rank";
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->ranks; k++)
        if (marked[k]) {
            names = pj_arena_format(s->arena, "%s%s %u", names, count++ ? "," : "", k);
            *only = count == 1 ? k : UINT32_MAX;
        }
    return names;
}

static const char *name_of_node(const pj_fault_steps *s, uint32_t node)
{
    const pj_layout *layout = &s->run->layout;
    const char *name =
        node <= layout->node_names && layout->node_name ? layout->node_name[node - 1] : NULL;
    return name ? pj_arena_format(s->arena, "node %s", name)
                : pj_arena_format(s->arena, "node %u", node - 1);
}

pj_fault_found pj_fault_slow(pj_fault_steps *s)
{
    pj_fault_found found = {.rank = UINT32_MAX};
    if (s->ranks < LEAST_RANKS)
        return found;
    double *medians = medians_of_steps(s), usual = 1, longer = 0, spare = 0;
    double *ratios = ratios_of(s, medians);
    bool *marked = pj_new_n(s->arena, bool, s->ranks);
    uint32_t count = mark(ratios, s->ranks, pj_new_n(s->arena, double, s->ranks), marked, &usual);
    uint32_t node = count ? node_marked(s->run, marked) : 0;
    bool whole_node = node && count > 1;
    if (count == 0 || usual <= 0 || (!whole_node && count > 1 + s->ranks / 4))
        return found;
    for (uint32_t k = 0; k < s->ranks; k++)
        if (marked[k])
            longer += ratios[k] / usual / count;
    const char *why = why_slow(s->run, marked, longer);
    if (!why)
        return found;
    for (uint32_t step = 0; step < s->steps; step++) {
        double most = 0;
        for (uint32_t k = 0; k < s->ranks; k++)
            if (marked[k] && medians[step] > 0) {
                most = fmax(most, work_at(s, step, k) * (1 - usual / ratios[k]));
                s->factors[cell(s, step, k)] *= usual / ratios[k];
            }
        spare += most;
    }
    found.loss_ns = spare * s->ranks;
    found.node = whole_node;
    found.ranks = marked;
    const char *names = names_of(s, marked, &found.rank);
    found.where =
        pj_arena_format(s->arena, "%s%s", whole_node ? name_of_node(s, node) : names, why);
    return found;
}

// Noise

typedef struct outliers {
    const double *medians, *ratios; // borrow
    double limit, least;            // how many times as long, and ns
    double excess;
    uint32_t steps;  // with any
    double affected; // part of the work that is in them
    bool *ranks;
    uint32_t rank_count;
} outliers;

/// How much longer the work takes than the same of others in this step.
static double beyond(const pj_fault_steps *s, uint32_t step, uint32_t rank, const double *medians,
                     const double *ratios)
{
    return medians[step] > 0 && ratios[rank] > 0
               ? work_at(s, step, rank) / (medians[step] * ratios[rank])
               : 1;
}

static double limit_of(const pj_fault_steps *s, const double *medians, const double *ratios)
{
    size_t count = 0;
    weighted *all = pj_new_n(s->arena, weighted, (size_t)s->steps * s->ranks + 1);
    for (uint32_t step = 0; step < s->steps; step++)
        for (uint32_t k = 0; medians[step] > 0 && k < s->ranks; k++)
            all[count++] = (weighted){fabs(beyond(s, step, k, medians, ratios) - 1), medians[step]};
    return 1 + OUTLIER + 3 * MAD_TO_SD * weighted_median(all, count);
}

/// How much longer it takes, when that is an outlier, else 1.
static double outlier(const pj_fault_steps *s, const outliers *o, uint32_t step, uint32_t rank)
{
    double x = beyond(s, step, rank, o->medians, o->ratios);
    return x > o->limit && work_at(s, step, rank) * (1 - 1 / x) > o->least ? x : 1;
}

static outliers find_outliers(const pj_fault_steps *s, const double *medians, const double *ratios)
{
    outliers o = {.medians = medians,
                  .ratios = ratios,
                  .limit = limit_of(s, medians, ratios),
                  .least = OUTLIER * usual_step(s, medians),
                  .ranks = pj_new_n(s->arena, bool, s->ranks)};
    double all = 0;
    for (uint32_t step = 0; step < s->steps; step++) {
        double most = 0;
        for (uint32_t k = 0; k < s->ranks; k++) {
            double x = outlier(s, &o, step, k);
            if (x <= 1)
                continue;
            most = fmax(most, work_at(s, step, k) * (1 - 1 / x));
            o.rank_count += !o.ranks[k];
            o.ranks[k] = true;
        }
        o.excess += most;
        o.steps += most > 0;
        o.affected += most > 0 ? medians[step] : 0;
        all += medians[step];
    }
    o.affected = all > 0 ? o.affected / all : 0;
    return o;
}

/// The node of all ranks with outliers, when so many steps with one are there hardly by chance.
static uint32_t noisy_node(const pj_run *run, const outliers *o)
{
    uint32_t node = 0, of_node = 0, ranks = run->layout.ranks;
    for (uint32_t k = 0; k < ranks; k++)
        if (o->ranks[k] && node && node_of(run, k) != node)
            return 0;
        else if (o->ranks[k])
            node = node_of(run, k);
    for (uint32_t k = 0; k < ranks; k++)
        of_node += node_of(run, k) == node;
    return pow((double)of_node / ranks, o->steps - 1.0) < BY_CHANCE ? node : 0;
}

pj_fault_found pj_fault_noise(pj_fault_steps *s)
{
    pj_fault_found found = {.rank = UINT32_MAX};
    if (s->steps < LEAST_STEPS || s->ranks < LEAST_RANKS)
        return found;
    double *medians = medians_of_steps(s);
    outliers o = find_outliers(s, medians, ratios_of(s, medians));
    if (o.steps == 0 || o.affected > NOISY)
        return found;
    double *beyond_usual = pj_new_n(s->arena, double, s->ranks);
    for (uint32_t step = 0; step < s->steps; step++) {
        for (uint32_t k = 0; k < s->ranks; k++)
            beyond_usual[k] = outlier(s, &o, step, k);
        for (uint32_t k = 0; k < s->ranks; k++)
            s->factors[cell(s, step, k)] /= beyond_usual[k];
    }
    uint32_t node = noisy_node(s->run, &o);
    found.loss_ns = o.excess * s->ranks;
    found.node = node && o.rank_count > 1;
    found.ranks = o.ranks;
    const char *who = names_of(s, o.ranks, &found.rank);
    who = found.node                        ? name_of_node(s, node)
          : o.rank_count > 1 + s->ranks / 4 ? "several ranks"
                                            : who;
    found.where =
        pj_arena_format(s->arena, "%s, %u of %u parts %s", who, o.steps, s->steps, between(s));
    return found;
}

// The start

/// What the later steps take at most, but for one of them, as where a program works without a
/// collective of all, and for the last one, in which it finishes.
static double usual_most(const pj_fault_steps *s, const double *medians, uint32_t from)
{
    double most = 0, next = 0;
    for (uint32_t step = from; step + 1 < s->steps; step++) {
        next = medians[step] > most ? most : fmax(next, medians[step]);
        most = fmax(most, medians[step]);
    }
    return next;
}

/// Calls of a step; half of the later work is in steps with fewer.
static double usual_calls(const pj_fault_steps *s, const double *medians, uint32_t from)
{
    size_t count = 0;
    weighted *scratch = pj_new_n(s->arena, weighted, s->steps + (size_t)1);
    for (uint32_t step = from; step < s->steps; step++)
        scratch[count++] = (weighted){s->calls[step], medians[step]};
    return weighted_median(scratch, count);
}

/// IPC of bursts that take at least so long, and of the others; false where it is not known.
static bool ipcs_of(const pj_run *run, double least_ns, double ipcs[2])
{
    double instructions[2] = {0, 0}, cycles[2] = {0, 0};
    const pj_burst_clusters *bursts = run->bursts;
    for (uint32_t i = 0; bursts && !bursts->timed && i < bursts->count; i++) {
        const pj_burst_sum *sum = &bursts->clusters[i];
        int other = (double)sum->time_ns < least_ns * (double)sum->bursts;
        instructions[other] += (double)sum->instructions;
        cycles[other] += (double)sum->cycles;
    }
    for (int i = 0; i < 2; i++)
        ipcs[i] = cycles[i] > 0 ? instructions[i] / cycles[i] : 0;
    return ipcs[0] > 0 && ipcs[1] > 0;
}

/// Whether the long ones among the first steps have hardly the calls of usual ones.
static bool is_initial(const pj_fault_steps *s, const double *medians, uint32_t end, double most)
{
    double usual = usual_calls(s, medians, s->steps / 4), calls = 0, expected = 0;
    for (uint32_t step = 0; step < end; step++)
        if (medians[step] > LONGER * most) {
            calls += s->calls[step];
            expected += usual;
        }
    return calls < FEW * expected;
}

pj_fault_found pj_fault_start_up(pj_fault_steps *s)
{
    pj_fault_found found = {.rank = UINT32_MAX};
    if (s->steps < LEAST_STEPS)
        return found;
    double *medians = medians_of_steps(s), spent = 0, ipcs[2];
    uint32_t quarter = s->steps / 4, end = 0;
    double most = usual_most(s, medians, quarter);
    for (uint32_t step = 0; step < quarter; step++)
        end = medians[step] > LONGER * most ? step + 1 : end;
    if (end == 0 || most <= 0)
        return found;
    for (uint32_t step = 0; step < end; step++) {
        double factor = medians[step] > most ? most / medians[step] : 1;
        double most_lost = 0; // by the rank that the others wait for
        spent += medians[step];
        for (uint32_t k = 0; k < s->ranks; k++) {
            most_lost = fmax(most_lost, work_at(s, step, k) * (1 - factor));
            s->factors[cell(s, step, k)] *= factor;
        }
        found.loss_ns += most_lost * s->ranks;
    }
    found.lasts_ns = spent;
    found.where =
        end > 1 ? pj_arena_format(s->arena, "all ranks, parts 1 to %u of %u %s", end, s->steps,
                                  between(s))
                : pj_arena_format(s->arena, "all ranks, part 1 of %u %s", s->steps, between(s));
    if (ipcs_of(s->run, most * (1 + LONGER) / 2, ipcs) && ipcs[0] < LOW * ipcs[1])
        found.where =
            pj_arena_format(s->arena, "%s: IPC %.2f, not %.2f", found.where, ipcs[0], ipcs[1]);
    else
        found.initial = is_initial(s, medians, end, most);
    return found;
}

// Work that is not the same for all

/// Gives all ranks the same in the steps from `first` to before `end`; what it costs that they have
/// not, and who has most.
static double share_equally(pj_fault_steps *s, uint32_t first, uint32_t end, double *work,
                            uint32_t *most_of)
{
    double sum = 0, most = 0;
    for (uint32_t k = 0; k < s->ranks; k++) {
        work[k] = 0;
        for (uint32_t step = first; step < end; step++)
            work[k] += work_at(s, step, k);
        sum += work[k];
        if (work[k] > most) {
            most = work[k];
            *most_of = k;
        }
    }
    for (uint32_t step = first; step < end; step++)
        for (uint32_t k = 0; k < s->ranks; k++)
            if (work[k] > 0)
                s->factors[cell(s, step, k)] *= sum / s->ranks / work[k];
    return most - sum / s->ranks;
}

pj_fault_found pj_fault_imbalance(pj_fault_steps *s)
{
    pj_fault_found found = {.rank = 0};
    double *work = pj_new_n(s->arena, double, s->ranks);
    bool *most = pj_new_n(s->arena, bool, s->ranks);
    found.loss_ns = share_equally(s, 0, s->steps, work, &found.rank) * s->ranks;
    most[found.rank] = true;
    found.ranks = most;
    found.where = pj_arena_format(s->arena, "most work: rank %u", found.rank);
    return found;
}

pj_fault_found pj_fault_imbalance_per_step(pj_fault_steps *s)
{
    pj_fault_found found = {.rank = UINT32_MAX};
    double *work = pj_new_n(s->arena, double, s->ranks);
    uint32_t *slowest = pj_new_n(s->arena, uint32_t, s->ranks), most = 0, often = 0;
    for (uint32_t step = 0; step < s->steps; step++) {
        double lost = share_equally(s, step, step + 1, work, &most);
        found.loss_ns += lost * s->ranks;
        slowest[most] += lost > 0;
        often = slowest[most] > slowest[often] ? most : often;
    }
    found.where = pj_arena_format(s->arena, "most often rank %u, %u of %u parts %s", often,
                                  slowest[often], s->steps, between(s));
    return found;
}

static const pj_work_fault faults[] = {
    {"serial_part", pj_fault_serial},
    {"slow_rank", pj_fault_slow},
    {"slow_node", pj_fault_slow},
    {"noise", pj_fault_noise},
    {"noisy_node", pj_fault_noise},
    {"start_up", pj_fault_start_up},
    {"initialisation", pj_fault_start_up},
    {"imbalance", pj_fault_imbalance},
    {"imbalance_per_step", pj_fault_imbalance_per_step},
};

const pj_work_fault *pj_work_fault_at(size_t index)
{
    return index < sizeof faults / sizeof *faults ? &faults[index] : NULL;
}

const pj_work_fault *pj_work_fault_of(pj_str key)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (pj_str_equal(key, pj_str_of(faults[i].key)))
            return &faults[i];
    return NULL;
}
