// Delays.
// From the wait and from the call that ended it the steps of both ranks are followed back until one
// is found in which they met; what lies between is compared. What steps have to do with other ranks
// is beside their times.
#include "metrics/replay/wait_delays.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/replay/wait_steps.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHARGES = 8,     // that a wait keeps; the rest is charged to others
    MEETINGS = 2048, // places in the table of collectives on the way back, a power of two
    COSTS = 1 << 20, // pairs of rank and region that are told apart
};

/// Entries of a step: a message that it received, or what its wait was charged to.
typedef struct entry {
    uint32_t rank;   // its sender, or who led to the wait
    uint32_t region; // MESSAGE, or where
    union {
        uint64_t sent; // when the call that sent it began
        double share;
    };
} entry;

#define MESSAGE (PJ_REGION_OTHERS - 1)

/// What a step has to do with other ranks, beside what pj_wait_step says.
typedef struct tie {
    uint64_t leave;   // enter while the rank is in it
    uint64_t wait_ns; // of it
    uint64_t meeting; // the collective that it took part in; 0 = none
    uint64_t before;  // the step before it that received or met; 0 = none
    uint64_t entries; // place of the first; they are counted through
} tie;

typedef struct ties { // of a rank
    tie *steps;       // ring, by number
    entry *entries;   // ring, by place
    uint64_t end;     // of all entries
    uint64_t last;    // the last step that received or met
    uint64_t gone;    // of pieces and entries, counted together: at least so many are not kept
} ties;

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
    ties *ties; // by rank
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
    size_t tie_bytes;
};

pj_wait_delays *pj_wait_delays_new(uint32_t ranks, uint32_t of_all)
{
    pj_wait_delays *delays = pj_take_zeros(sizeof *delays);
    delays->steps = pj_wait_steps_new(ranks, of_all);
    delays->tie_bytes = ranks * sizeof *delays->ties;
    delays->ties = pj_take_zeros(delays->tie_bytes);
    return delays;
}

void pj_wait_delays_free(pj_wait_delays *delays)
{
    if (!delays)
        return;
    for (uint32_t i = 0; i < delays->steps->ranks; i++) {
        free(delays->ties[i].steps);
        free(delays->ties[i].entries);
    }
    free(delays->ties);
    pj_wait_steps_free(delays->steps);
    pj_map_free(&delays->places);
    free(delays->costs);
    free(delays->charges);
    free(delays);
}

// What ranks do

static tie *tie_of(const pj_wait_delays *delays, uint32_t rank, uint64_t step)
{
    return &delays->ties[rank].steps[step & (delays->steps->most - 1)];
}

static uint64_t entries_most(const pj_wait_delays *delays)
{
    return (uint64_t)PJ_STEP_TIMES * delays->steps->most;
}

static entry *entry_at(const pj_wait_delays *delays, uint32_t rank, uint64_t place)
{
    return &delays->ties[rank].entries[place & (entries_most(delays) - 1)];
}

/// Where the entries of a step end.
static uint64_t entries_end(const pj_wait_delays *delays, uint32_t rank, uint64_t step)
{
    return step + 1 < pj_wait_steps_line(delays->steps, rank)->next
               ? tie_of(delays, rank, step + 1)->entries
               : delays->ties[rank].end;
}

/// Whether more times and entries are kept than this; they are bounded together.
static bool holds_more(const pj_wait_delays *delays, uint32_t rank, uint64_t most)
{
    const pj_step_line *line = pj_wait_steps_line(delays->steps, rank);
    ties *t = &delays->ties[rank];
    if (line->end + t->end - t->gone <= most)
        return false;
    uint64_t first = line->first < line->next ? tie_of(delays, rank, line->first)->entries : t->end;
    t->gone = line->begin + first;
    return pj_step_line_times(line) + t->end - first > most;
}

void pj_wait_delays_spend(pj_wait_delays *delays, uint32_t rank, pj_region_piece piece)
{
    pj_step_line *line = pj_wait_steps_line(delays->steps, rank);
    pj_wait_steps_spend(delays->steps, rank, piece);
    while (line->first < line->next && holds_more(delays, rank, entries_most(delays)))
        pj_wait_steps_forget(delays->steps, line);
}

static void start(pj_wait_delays *delays, ties *t)
{
    size_t room = delays->steps->most * sizeof *t->steps;
    size_t more = entries_most(delays) * sizeof *t->entries;
    t->steps = pj_take_memory(room);
    t->entries = pj_take_memory(more);
    delays->tie_bytes += room + more;
}

void pj_wait_delays_begin(pj_wait_delays *delays, uint32_t rank, uint64_t enter, uint32_t region)
{
    ties *t = &delays->ties[rank];
    if (!t->steps)
        start(delays, t);
    uint64_t step = pj_wait_steps_begin(delays->steps, rank, enter, region);
    *tie_of(delays, rank, step) = (tie){.leave = enter, .before = t->last, .entries = t->end};
}

static uint64_t last_step(const pj_wait_delays *delays, uint32_t rank)
{
    return pj_wait_steps_line(delays->steps, rank)->next - 1;
}

/// The oldest steps make room for it, never this one; entries of later ones move on.
static void add_entry(pj_wait_delays *delays, uint32_t rank, uint64_t step, entry added)
{
    pj_step_line *line = pj_wait_steps_line(delays->steps, rank);
    while (holds_more(delays, rank, entries_most(delays) - 1)) {
        if (line->first >= step)
            return;
        pj_wait_steps_forget(delays->steps, line);
    }
    uint64_t place = entries_end(delays, rank, step);
    for (uint64_t i = delays->ties[rank].end++; i > place; i--)
        *entry_at(delays, rank, i) = *entry_at(delays, rank, i - 1);
    for (uint64_t later = step + 1; later < line->next; later++)
        tie_of(delays, rank, later)->entries++;
    *entry_at(delays, rank, place) = added;
}

void pj_wait_delays_receive(pj_wait_delays *delays, uint32_t rank, uint32_t from, uint64_t sent)
{
    uint64_t step = last_step(delays, rank);
    delays->ties[rank].last = step;
    add_entry(delays, rank, step, (entry){.rank = from, .region = MESSAGE, .sent = sent});
}

void pj_wait_delays_meet(pj_wait_delays *delays, uint32_t rank, uint64_t meeting)
{
    uint64_t step = last_step(delays, rank);
    delays->ties[rank].last = step;
    tie_of(delays, rank, step)->meeting = meeting;
}

static pj_region_piece *own_piece(const pj_wait_delays *delays, uint32_t rank, uint64_t step)
{
    return pj_wait_steps_piece(delays->steps, pj_wait_steps_line(delays->steps, rank),
                               pj_wait_steps_at(delays->steps, rank, step)->call);
}

void pj_wait_delays_leave(pj_wait_delays *delays, uint32_t rank, uint64_t leave)
{
    uint64_t step = last_step(delays, rank);
    tie *t = tie_of(delays, rank, step);
    own_piece(delays, rank, step)->ns =
        leave - pj_wait_steps_at(delays->steps, rank, step)->enter - t->wait_ns;
    t->leave = leave;
}

// Where both met

/// The last steps of both in which they met; of a rank without one its first step, less 1.
typedef struct met {
    uint64_t waiter, culprit;
} met;

typedef struct walk { // back from a wait
    const pj_delayed *wait;
    uint64_t at[2];    // of waiter and culprit: the next step to look at; 0 = none
    uint64_t limit[2]; // the other one's step of this wait: messages that were sent before it count
} walk;

static uint32_t rank_of(const walk *w, bool culprit)
{
    return culprit ? w->wait->culprit : w->wait->rank;
}

static uint64_t first_of(const pj_wait_delays *delays, uint32_t rank)
{
    return pj_wait_steps_line(delays->steps, rank)->first;
}

/// The step of a rank before this one that received or met.
static uint64_t step_before(const pj_wait_delays *delays, uint32_t rank, uint64_t step)
{
    uint64_t before = tie_of(delays, rank, step)->before;
    return before >= first_of(delays, rank) ? before : 0;
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
static bool find_message(const pj_wait_delays *delays, const walk *w, bool culprit, uint64_t step,
                         met *out)
{
    uint32_t here = rank_of(w, culprit), there = rank_of(w, !culprit);
    uint64_t end = entries_end(delays, here, step);
    for (uint64_t i = tie_of(delays, here, step)->entries; i < end; i++) {
        const entry *e = entry_at(delays, here, i);
        if (e->region != MESSAGE || e->rank != there)
            continue;
        uint64_t sent = pj_wait_steps_find(delays->steps, there, e->sent);
        *out = met_of(culprit, step, sent);
        if (sent && sent < w->limit[culprit])
            return true;
    }
    return false;
}

/// Looks at the later one of both steps; true when they met in it.
static bool look_back(pj_wait_delays *delays, walk *w, met *out)
{
    bool culprit = w->at[1] > 0;
    if (culprit && w->at[0] > 0)
        culprit = tie_of(delays, w->wait->culprit, w->at[1])->leave >=
                  tie_of(delays, w->wait->rank, w->at[0])->leave;
    uint32_t rank = rank_of(w, culprit);
    uint64_t step = w->at[culprit], meeting = tie_of(delays, rank, step)->meeting;
    w->at[culprit] = step_before(delays, rank, step);
    return find_message(delays, w, culprit, step, out) ||
           (meeting && find_meeting(delays, culprit, meeting, step, out));
}

static met find_met(pj_wait_delays *delays, const pj_delayed *wait, uint64_t releasing)
{
    walk w = {wait,
              {step_before(delays, wait->rank, wait->step),
               step_before(delays, wait->culprit, releasing)},
              {releasing, wait->step}};
    met found;
    delays->searches++;
    while (w.at[0] || w.at[1])
        if (look_back(delays, &w, &found))
            return found;
    uint64_t waiter = first_of(delays, wait->rank), culprit = first_of(delays, wait->culprit);
    delays->far += wait->inside_ns > 0 && (waiter > 1 || culprit > 1);
    return (met){waiter - 1, culprit - 1};
}

// What they did since

/// Adds what a rank did without waiting behind step `from` until it began `to`, times `sign`.
static void compare(pj_wait_delays *delays, uint32_t rank, uint64_t from, uint64_t to, int sign)
{
    const pj_step_line *line = pj_wait_steps_line(delays->steps, rank);
    uint64_t end = pj_wait_steps_at(delays->steps, rank, to)->call;
    for (uint64_t i = from < line->first ? line->begin
                                         : pj_wait_steps_at(delays->steps, rank, from)->call + 1;
         i < end; i++) {
        const pj_region_piece *piece = pj_wait_steps_piece(delays->steps, line, i);
        if (!delays->is_touched[piece->region]) {
            delays->is_touched[piece->region] = true;
            delays->touched[delays->touched_count++] = piece->region;
        }
        delays->difference[piece->region] += sign * (int64_t)piece->ns;
    }
}

/// What it waited meanwhile.
static uint64_t waits_between(const pj_wait_delays *delays, uint32_t rank, uint64_t from,
                              uint64_t to)
{
    uint64_t ns = 0;
    for (uint64_t step = from + 1; step < to; step++)
        ns += tie_of(delays, rank, step)->wait_ns;
    return ns;
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
    for (uint64_t step = from + 1; step < to; step++) {
        const tie *t = tie_of(delays, wait->culprit, step);
        uint64_t end = t->wait_ns ? entries_end(delays, wait->culprit, step) : t->entries;
        for (uint64_t i = t->entries; i < end; i++) {
            const entry *e = entry_at(delays, wait->culprit, i);
            if (e->region == MESSAGE)
                continue;
            double ns = scale * (double)t->wait_ns * e->share;
            add_charge(delays, e->rank, e->region, ns);
            if (!wait->inside_ns)
                continue;
            cost_of(delays, e->rank, e->region)->long_ns += cost_inside(wait, ns);
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

/// The wait remembers its largest charges.
static void keep_charges(pj_wait_delays *delays, const pj_delayed *wait)
{
    double rest = 0;
    if (delays->charge_count > 1)
        qsort(delays->charges, delays->charge_count, sizeof *delays->charges, by_size);
    for (size_t i = 0; i < delays->charge_count; i++) {
        const charge *c = &delays->charges[i];
        if (i >= CHARGES)
            rest += c->ns;
        else
            add_entry(delays, wait->rank, wait->step,
                      (entry){c->rank, c->region, {.share = c->ns / (double)wait->ns}});
    }
    if (rest > 0)
        add_entry(delays, wait->rank, wait->step,
                  (entry){PJ_CULPRIT_OTHERS, PJ_REGION_OTHERS, {.share = rest / (double)wait->ns}});
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

static void charge_wait(pj_wait_delays *delays, const pj_delayed *wait, uint64_t releasing)
{
    met last = find_met(delays, wait, releasing);
    compare(delays, wait->culprit, last.culprit, releasing, 1);
    compare(delays, wait->rank, last.waiter, wait->step, -1);
    double reasons = sum_of_delays(delays) +
                     (double)waits_between(delays, wait->culprit, last.culprit, releasing);
    double scale = reasons > (double)wait->ns ? (double)wait->ns / reasons : 1;
    charge_delays(delays, wait, scale);
    hand_on(delays, wait, last.culprit, releasing, scale);
    keep_charges(delays, wait);
    clear(delays);
}

void pj_wait_delays_charge(pj_wait_delays *delays, const pj_delayed *wait)
{
    uint64_t releasing = pj_wait_steps_find(delays->steps, wait->culprit, wait->released);
    bool kept = pj_wait_steps_has(delays->steps, wait->rank, wait->step);
    delays->all_ns += (double)wait->inside_ns;
    if (releasing && kept)
        charge_wait(delays, wait, releasing);
    else
        delays->far += wait->inside_ns > 0;
    if (!pj_wait_steps_has(delays->steps, wait->rank, wait->step))
        return;
    tie *t = tie_of(delays, wait->rank, wait->step);
    t->wait_ns = wait->ns;
    if (t->leave > pj_wait_steps_at(delays->steps, wait->rank, wait->step)->enter) // it is over
        own_piece(delays, wait->rank, wait->step)->ns -= wait->ns;
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
    return sizeof *delays + delays->steps->bytes + delays->tie_bytes +
           delays->cost_cap * sizeof *delays->costs +
           delays->places.cap * sizeof *delays->places.entries;
}
