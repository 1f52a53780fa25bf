// Delays.
// From the wait and from the call that ended it the steps of both ranks are followed back until one
// is found in which they met; what lies between is compared.
#include "metrics/replay/wait_delays.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHARGES = 8,     // that a wait keeps; the rest is charged to others
    MEETINGS = 2048, // places in the table of collectives on the way back, a power of two
    COSTS = 1 << 20, // pairs of rank and region that are told apart
};

typedef struct charge {
    uint32_t rank, region;
    double ns;
} charge;

typedef struct seen { // a collective on the way back
    uint64_t meeting, step;
    uint64_t search;
    bool of_culprit;
} seen;

struct pj_wait_delays {
    pj_wait_steps *steps;
    pj_map places;
    pj_delay *costs;
    size_t cost_count, cost_cap;
    double all_ns, charged_ns;
    uint64_t far;
    int64_t difference[PJ_WAIT_REGIONS_MOST]; // of culprit and waiter, ns; 0 between two waits
    uint32_t touched[PJ_WAIT_REGIONS_MOST];
    uint32_t touched_count;
    bool is_touched[PJ_WAIT_REGIONS_MOST];
    charge *charges; // of the wait at hand
    size_t charge_count, charge_cap;
    seen met[MEETINGS];
    uint64_t searches;
};

pj_wait_delays *pj_wait_delays_new(pj_wait_steps *steps)
{
    pj_wait_delays *delays = pj_take_memory(sizeof *delays);
    memset(delays, 0, sizeof *delays);
    delays->steps = steps;
    return delays;
}

void pj_wait_delays_free(pj_wait_delays *delays)
{
    if (!delays)
        return;
    pj_map_free(&delays->places);
    free(delays->costs);
    free(delays->charges);
    free(delays);
}

// Where both met

/// The last steps of both in which they met; of a rank without one its first step, less 1.
typedef struct met {
    uint64_t waiter, culprit;
} met;

typedef struct walk { // back from a wait
    const pj_delayed *wait;
    uint64_t at[2]; // of waiter and culprit: the next step to look at
} walk;

static uint32_t rank_of(const walk *w, bool culprit)
{
    return culprit ? w->wait->culprit : w->wait->rank;
}

static uint64_t first_of(const pj_wait_delays *delays, uint32_t rank)
{
    return pj_wait_steps_line(delays->steps, rank)->first;
}

static bool goes_on(const pj_wait_delays *delays, const walk *w, bool culprit)
{
    return w->at[culprit] > 0 && w->at[culprit] >= first_of(delays, rank_of(w, culprit));
}

static met met_of(bool culprit, uint64_t here, uint64_t there)
{
    return culprit ? (met){there, here} : (met){here, there};
}

/// Whether one of them has seen this collective before, when the other one comes to it.
static bool find_meeting(pj_wait_delays *delays, bool culprit, uint64_t meeting, uint64_t step,
                         met *out)
{
    for (uint64_t i = 0; i < MEETINGS / 2; i++) {
        seen *s = &delays->met[(meeting + i) & (MEETINGS - 1)];
        if (s->search != delays->searches) {
            *s = (seen){meeting, step, delays->searches, culprit};
            return false;
        }
        if (s->meeting != meeting)
            continue;
        *out = met_of(culprit, step, s->step);
        return s->of_culprit != culprit;
    }
    return false;
}

/// Whether a message of the other one came in the step.
static bool find_message(const pj_wait_delays *delays, const walk *w, bool culprit, uint64_t number,
                         met *out)
{
    uint32_t here = rank_of(w, culprit), there = rank_of(w, !culprit);
    const pj_wait_step *step = pj_wait_steps_at(delays->steps, here, number);
    uint64_t limit =
        culprit ? w->wait->step : pj_wait_steps_find(delays->steps, there, w->wait->released);
    for (uint64_t i = step->first; i < step->first + step->count; i++) {
        const pj_step_entry *entry = pj_wait_steps_entry(delays->steps, here, i);
        if (entry->kind != PJ_STEP_MESSAGE || entry->rank != there)
            continue;
        uint64_t sent = pj_wait_steps_find(delays->steps, there, entry->ns);
        *out = met_of(culprit, number, sent);
        if (sent && sent < limit)
            return true;
    }
    return false;
}

/// Looks at the later one of both steps; true when they met in it.
static bool look_back(pj_wait_delays *delays, walk *w, met *out)
{
    bool both = goes_on(delays, w, false) && goes_on(delays, w, true);
    bool culprit = goes_on(delays, w, true);
    if (both)
        culprit = pj_wait_steps_at(delays->steps, w->wait->culprit, w->at[1])->leave >=
                  pj_wait_steps_at(delays->steps, w->wait->rank, w->at[0])->leave;
    uint64_t number = w->at[culprit]--;
    const pj_wait_step *step = pj_wait_steps_at(delays->steps, rank_of(w, culprit), number);
    return find_message(delays, w, culprit, number, out) ||
           (step->meeting && find_meeting(delays, culprit, step->meeting, number, out));
}

static met find_met(pj_wait_delays *delays, const pj_delayed *wait, uint64_t releasing)
{
    walk w = {wait, {wait->step - 1, releasing - 1}};
    met found;
    delays->searches++;
    while (goes_on(delays, &w, false) || goes_on(delays, &w, true))
        if (look_back(delays, &w, &found))
            return found;
    uint64_t waiter = first_of(delays, wait->rank), culprit = first_of(delays, wait->culprit);
    delays->far += wait->inside_ns > 0 && (waiter > 1 || culprit > 1);
    return (met){waiter - 1, culprit - 1};
}

// What they did since

static void add_time(pj_wait_delays *delays, uint32_t region, int64_t ns)
{
    if (!delays->is_touched[region]) {
        delays->is_touched[region] = true;
        delays->touched[delays->touched_count++] = region;
    }
    delays->difference[region] += ns;
}

/// Adds what a rank did without waiting behind step `from` until it began `to`, times `sign`; its
/// waits meanwhile.
static uint64_t compare(pj_wait_delays *delays, uint32_t rank, uint64_t from, uint64_t to, int sign)
{
    uint64_t waits = 0;
    for (uint64_t number = from + 1; number <= to; number++) {
        const pj_wait_step *step = pj_wait_steps_at(delays->steps, rank, number);
        for (uint64_t i = step->first; i < step->first + step->count; i++) {
            const pj_step_entry *entry = pj_wait_steps_entry(delays->steps, rank, i);
            if (entry->kind <= PJ_STEP_BEYOND)
                add_time(delays, entry->region, sign * (int64_t)entry->ns);
        }
        if (number == to)
            break;
        add_time(delays, step->region, sign * (int64_t)pj_wait_step_busy(step));
        waits += step->wait_ns;
    }
    return waits;
}

static void add_charge(pj_wait_delays *delays, uint32_t rank, uint32_t region, double ns)
{
    for (size_t i = 0; i < delays->charge_count; i++)
        if (delays->charges[i].rank == rank && delays->charges[i].region == region) {
            delays->charges[i].ns += ns;
            return;
        }
    pj_grow(delays->charges, &delays->charge_cap, delays->charge_count + 1);
    delays->charges[delays->charge_count++] = (charge){rank, region, ns};
}

static pj_delay *cost_of(pj_wait_delays *delays, uint32_t rank, uint32_t region)
{
    uint32_t place;
    uint64_t key = (uint64_t)rank << 32 | region;
    if (pj_map_get(&delays->places, key, &place))
        return &delays->costs[place];
    if (delays->cost_count >= COSTS && rank != PJ_CULPRIT_OTHERS)
        return cost_of(delays, PJ_CULPRIT_OTHERS, PJ_REGION_OTHERS);
    pj_map_put(&delays->places, key, (uint32_t)delays->cost_count);
    pj_grow(delays->costs, &delays->cost_cap, delays->cost_count + 1);
    delays->costs[delays->cost_count] = (pj_delay){.culprit = rank, .region = region};
    return &delays->costs[delays->cost_count++];
}

/// What a wait costs as far as it lies in the region of interest.
static double cost_inside(const pj_delayed *wait, double ns)
{
    return wait->inside_ns == wait->ns ? ns : ns * (double)wait->inside_ns / (double)wait->ns;
}

/// What the culprit did longer is charged at once.
static void charge_delays(pj_wait_delays *delays, const pj_delayed *wait, double scale)
{
    for (uint32_t i = 0; i < delays->touched_count; i++) {
        uint32_t region = delays->touched[i];
        double ns = scale * (double)delays->difference[region];
        if (!(ns > 0))
            continue;
        add_charge(delays, wait->culprit, region, ns);
        if (!wait->inside_ns)
            continue;
        cost_of(delays, wait->culprit, region)->short_ns += cost_inside(wait, ns);
        delays->charged_ns += cost_inside(wait, ns);
    }
}

/// What it waited for is charged to whoever its waits were.
static void hand_on(pj_wait_delays *delays, const pj_delayed *wait, uint64_t from, uint64_t to,
                    double scale)
{
    for (uint64_t number = from + 1; number < to; number++) {
        const pj_wait_step *step = pj_wait_steps_at(delays->steps, wait->culprit, number);
        for (uint64_t i = step->first; step->wait_ns && i < step->first + step->count; i++) {
            const pj_step_entry *entry = pj_wait_steps_entry(delays->steps, wait->culprit, i);
            if (entry->kind != PJ_STEP_CHARGE)
                continue;
            double ns = scale * (double)step->wait_ns * entry->share;
            add_charge(delays, entry->rank, entry->region, ns);
            if (!wait->inside_ns)
                continue;
            cost_of(delays, entry->rank, entry->region)->long_ns += cost_inside(wait, ns);
            delays->charged_ns += cost_inside(wait, ns);
        }
    }
}

static int by_size(const void *a, const void *b)
{
    const charge *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->region > y->region) - (x->region < y->region);
}

/// The wait remembers its largest charges, unless its rank has gone on.
static void keep_charges(pj_wait_delays *delays, const pj_delayed *wait)
{
    double rest = 0;
    if (wait->step + 1 != pj_wait_steps_line(delays->steps, wait->rank)->next)
        return;
    if (delays->charge_count > 1)
        qsort(delays->charges, delays->charge_count, sizeof *delays->charges, by_size);
    for (size_t i = 0; i < delays->charge_count; i++) {
        const charge *c = &delays->charges[i];
        if (i >= CHARGES)
            rest += c->ns;
        else
            pj_wait_steps_add(delays->steps, wait->rank,
                              (pj_step_entry){.kind = PJ_STEP_CHARGE,
                                              .region = c->region,
                                              .rank = c->rank,
                                              .share = c->ns / (double)wait->ns});
    }
    if (rest > 0)
        pj_wait_steps_add(delays->steps, wait->rank,
                          (pj_step_entry){.kind = PJ_STEP_CHARGE,
                                          .region = PJ_REGION_OTHERS,
                                          .rank = PJ_CULPRIT_OTHERS,
                                          .share = rest / (double)wait->ns});
}

/// ns that the culprit did longer than the waiter.
static double sum_of_delays(const pj_wait_delays *delays)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < delays->touched_count; i++) {
        int64_t ns = delays->difference[delays->touched[i]];
        sum += ns > 0 ? ns : 0;
    }
    return (double)sum;
}

static void clear(pj_wait_delays *delays)
{
    for (uint32_t i = 0; i < delays->touched_count; i++) {
        delays->difference[delays->touched[i]] = 0;
        delays->is_touched[delays->touched[i]] = false;
    }
    delays->touched_count = 0;
    delays->charge_count = 0;
}

void pj_wait_delays_charge(pj_wait_delays *delays, const pj_delayed *wait)
{
    uint64_t releasing = pj_wait_steps_find(delays->steps, wait->culprit, wait->released);
    delays->all_ns += (double)wait->inside_ns;
    if (!releasing || !pj_wait_steps_has(delays->steps, wait->rank, wait->step)) {
        delays->far += wait->inside_ns > 0;
        return;
    }
    met last = find_met(delays, wait, releasing);
    uint64_t waits = compare(delays, wait->culprit, last.culprit, releasing, 1);
    compare(delays, wait->rank, last.waiter, wait->step, -1);
    double reasons = sum_of_delays(delays) + (double)waits;
    double scale = reasons > (double)wait->ns ? (double)wait->ns / reasons : 1;
    charge_delays(delays, wait, scale);
    hand_on(delays, wait, last.culprit, releasing, scale);
    keep_charges(delays, wait);
    clear(delays);
}

static int by_culprit(const void *a, const void *b)
{
    const pj_delay *x = a, *y = b;
    if (x->culprit != y->culprit)
        return x->culprit < y->culprit ? -1 : 1;
    return (x->region > y->region) - (x->region < y->region);
}

void pj_wait_delays_finish(const pj_wait_delays *delays, pj_delays *out, pj_arena *arena)
{
    double unattributed = delays->all_ns - delays->charged_ns;
    out->delays = pj_new_n(arena, pj_delay, delays->cost_count + 1);
    out->delay_count = (uint32_t)delays->cost_count;
    for (size_t i = 0; i < delays->cost_count; i++)
        out->delays[i] = delays->costs[i];
    if (delays->cost_count)
        qsort(out->delays, delays->cost_count, sizeof *out->delays, by_culprit);
    out->unattributed_ns = unattributed > delays->all_ns * 1e-12 ? unattributed : 0;
    out->far = delays->far;
}

size_t pj_wait_delays_bytes(const pj_wait_delays *delays)
{
    return sizeof *delays + delays->cost_cap * sizeof *delays->costs +
           delays->places.cap * sizeof *delays->places.entries;
}
