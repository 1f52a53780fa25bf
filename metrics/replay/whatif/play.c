// A tape played again. Every operation stands behind those that it waits for: one walk gives the
// clocks, whatever is changed.
#include "metrics/replay/whatif/play.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/network.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <stdlib.h>

typedef struct line { // of a location
    double now, compute;
    double border[2], compute_border[2]; // at the borders; NAN = not passed
    double factor;                       // of the burst that it is in
    double factor_inside;                // of it where the run is looked at
    uint32_t rank;
    bool first; // thread of its rank
} line;

typedef struct ends { // of a message
    double sent, posted;
} ends;

typedef struct play {
    const pj_change *change;
    pj_network network;
    pj_job *job;
    line *lines;
    // By rank: what its first thread has passed holds for all of its threads.
    uint32_t *steps, *iterations;
    bool *inside; // what is looked at
    ends *messages;
    double *syncs; // clocks
    size_t message_cap, sync_cap;
    uint32_t ranks;
    bool stopped;
} play;

static ends *message_at(play *p, uint32_t id)
{
    if (id >= p->message_cap)
        pj_grow(p->messages, &p->message_cap, id + (size_t)1);
    return &p->messages[id];
}

static double *sync_at(play *p, uint32_t id)
{
    if (id >= p->sync_cap)
        pj_grow(p->syncs, &p->sync_cap, id + (size_t)1);
    return &p->syncs[id];
}

/// Ranks pass collectives of all and borders of iterations in one order: their number is the place.
static uint32_t step_of(pj_step_borders kind, uint32_t collectives, uint32_t iterations)
{
    return (kind == PJ_STEPS_ITERATIONS ? 0 : collectives) +
           (kind == PJ_STEPS_COLLECTIVES ? 0 : iterations);
}

/// What holds for a whole burst, wherever it is.
static double factor_of(const play *p, uint64_t length)
{
    const pj_change *c = p->change;
    double factor = c->of_all > 0 ? c->of_all : 1;
    if (c->of_long > 0 && length >= c->long_ns)
        factor *= c->of_long;
    return factor;
}

/// Of its rank and step: ranks come to a region of interest as they did.
static double factor_inside(const play *p, const line *l)
{
    const pj_change *c = p->change;
    double factor = c->of_rank ? c->of_rank[l->rank] : 1;
    uint32_t step = step_of(c->step_kind, p->steps[l->rank], p->iterations[l->rank]);
    if (c->of_step && step < c->steps)
        factor *= c->of_step[(size_t)step * p->ranks + l->rank];
    return factor;
}

static void begin_burst(const play *p, line *l, uint64_t length)
{
    l->factor = factor_of(p, length);
    l->factor_inside = factor_inside(p, l);
}

static void compute(const play *p, line *l, uint32_t region, double ns)
{
    double length = ns * l->factor * (p->change->of_region ? p->change->of_region[region] : 1);
    if (p->inside[l->rank])
        length *= l->factor_inside;
    l->now += length;
    l->compute += length;
}

static void wait_until(const play *p, line *l, double clock, uint64_t pattern)
{
    if (l->now < clock && !(p->change->without >> pattern & 1))
        l->now = clock;
}

static double arrival(const ends *m, const pj_network *network, uint64_t bytes, bool large)
{
    double start = large && m->posted > m->sent ? m->posted : m->sent;
    return start + pj_network_transfer_ns(network, bytes);
}

static void on_message(play *p, line *l, const pj_tape_op *op)
{
    bool large = op->kind == PJ_TAPE_RECEIVE_LARGE;
    ends *m = message_at(p, op->what);
    switch ((pj_tape_kind)op->kind) {
    case PJ_TAPE_SENT:
        m->sent = l->now;
        break;
    case PJ_TAPE_POSTED:
        m->posted = l->now;
        break;
    case PJ_TAPE_SENT_COPY:
        m->sent = message_at(p, (uint32_t)op->value)->sent;
        break;
    case PJ_TAPE_POSTED_COPY:
        m->posted = op->value == PJ_NOTHING ? 0 : message_at(p, (uint32_t)op->value)->posted;
        break;
    case PJ_TAPE_HELD:
        wait_until(p, l, m->posted, PJ_WAIT_late_receiver);
        break;
    default: // a receive
        wait_until(p, l, arrival(m, &p->network, op->value, large), PJ_WAIT_late_sender);
    }
}

static void on_sync(play *p, line *l, const pj_tape_op *op)
{
    double *clock = sync_at(p, op->what), from;
    switch ((pj_tape_kind)op->kind) {
    case PJ_TAPE_SYNC:
        *clock = 0;
        break;
    case PJ_TAPE_ARRIVE:
        *clock = fmax(*clock, l->now);
        break;
    case PJ_TAPE_CHAIN:
        from = *sync_at(p, (uint32_t)op->value);
        clock = sync_at(p, op->what);
        *clock = fmax(*clock, from);
        break;
    case PJ_TAPE_OPEN:
        if (op->location)
            *clock += op->location * pj_network_transfer_ns(&p->network, op->value);
        break;
    default: // awaits it
        wait_until(p, l, *clock, op->value & PJ_TAPE_PATTERNS);
        if (l->first)
            p->steps[l->rank] += (op->value & PJ_TAPE_OF_ALL) != 0;
    }
}

static void one(play *p, const pj_tape_op *op)
{
    line *l = &p->lines[op->kind == PJ_TAPE_OPEN ? 0 : op->location];
    switch ((pj_tape_kind)op->kind) {
    case PJ_TAPE_RUN:
        begin_burst(p, l, op->value);
        compute(p, l, op->what, (double)op->value);
        break;
    case PJ_TAPE_BURST:
        begin_burst(p, l, op->value);
        break;
    case PJ_TAPE_PIECE:
        compute(p, l, op->what, (double)op->value);
        break;
    case PJ_TAPE_SENT:
    case PJ_TAPE_SENT_COPY:
    case PJ_TAPE_POSTED:
    case PJ_TAPE_POSTED_COPY:
    case PJ_TAPE_HELD:
    case PJ_TAPE_RECEIVE:
    case PJ_TAPE_RECEIVE_LARGE:
        on_message(p, l, op);
        break;
    case PJ_TAPE_SYNC:
    case PJ_TAPE_ARRIVE:
    case PJ_TAPE_CHAIN:
    case PJ_TAPE_OPEN:
    case PJ_TAPE_AWAIT:
        on_sync(p, l, op);
        break;
    case PJ_TAPE_BORDER:
        if (op->what == PJ_TAPE_ITERATION) {
            p->iterations[l->rank]++;
            break;
        }
        if (l->first)
            p->inside[l->rank] = op->what == 0;
        l->border[op->what] = l->now;
        l->compute_border[op->what] = l->compute;
        break;
    case PJ_TAPE_KINDS:
        break;
    }
}

static void take(void *self, const pj_tape_op *ops, size_t n)
{
    play *p = self;
    p->stopped = p->stopped || (p->job && pj_job_stopped(p->job));
    for (size_t i = 0; i < n && !p->stopped; i++)
        one(p, &ops[i]);
}

static line *new_lines(const pj_layout *layout, pj_arena *arena)
{
    line *lines = pj_new_n(arena, line, layout->locations);
    for (uint32_t i = 0; i < layout->locations; i++) {
        uint32_t rank = layout->rank_of[i];
        lines[i] = (line){.border = {NAN, NAN},
                          .compute_border = {0, 0},
                          .rank = rank,
                          .first = layout->first_location[rank] == i};
    }
    return lines;
}

/// By rank: without a region of interest all of them are inside from the begin on.
static bool *new_inside(const pj_run *run, pj_arena *arena)
{
    bool *inside = pj_new_n(arena, bool, run->layout.ranks);
    for (uint32_t k = 0; k < run->layout.ranks; k++)
        inside[k] = !run->roi.set;
    return inside;
}

/// As the replay counts its runtime: from where the last rank begins to where the last one ends.
static void sum_up(const play *p, const pj_run *run, pj_arena *arena, pj_played *out)
{
    double start = 0, end = 0, sum = 0;
    *out = (pj_played){.compute_ns = pj_new_n(arena, double, p->ranks)};
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        const line *l = &p->lines[i];
        bool from = !isnan(l->border[0]), to = !isnan(l->border[1]);
        if (!l->first && !pj_run_ends_inside(run))
            continue;
        if (l->first)
            start = fmax(start, !run->roi.set ? 0 : from ? l->border[0] : l->now);
        end = fmax(end, to ? l->border[1] : l->now);
        if (l->first)
            out->compute_ns[l->rank] =
                (to ? l->compute_border[1] : l->compute) - (!run->roi.set ? 0
                                                            : from        ? l->compute_border[0]
                                                                          : l->compute);
    }
    out->runtime_ns = fmax(end - start, 0);
    for (uint32_t k = 0; k < p->ranks; k++) {
        sum += out->compute_ns[k];
        out->compute_max = fmax(out->compute_max, out->compute_ns[k]);
    }
    out->compute_mean = p->ranks ? sum / p->ranks : 0;
}

static bool has_tape(const pj_run *run, pj_err *err)
{
    const char *lacks = run->tape ? pj_tape_lacks(run->tape) : "it has no events";
    if (lacks && run->ideal.reason && *run->ideal.reason)
        lacks = run->ideal.reason;
    return !lacks ||
           pj_fail(err, PJ_E_MISSING, run->path, 0, "cannot be replayed with changes: %s", lacks);
}

static bool stopped(const pj_run *run, pj_err *err)
{
    return pj_fail(err, PJ_E_STOPPED, run->path, 0, "interrupted");
}

bool pj_play(const pj_run *run, const pj_change *change, pj_job *job, pj_arena *arena,
             pj_played *out, pj_err *err)
{
    if (!has_tape(run, err))
        return false;
    play p = {.change = change, .network = change->network, .job = job, .ranks = run->layout.ranks};
    if (p.network.bandwidth == 0)
        p.network.bandwidth = INFINITY;
    pj_auto_arena scratch = pj_arena_new(NULL);
    p.lines = new_lines(&run->layout, scratch);
    p.steps = pj_new_n(scratch, uint32_t, p.ranks);
    p.iterations = pj_new_n(scratch, uint32_t, p.ranks);
    p.inside = new_inside(run, scratch);
    pj_tape_each(run->tape, take, &p);
    free(p.messages);
    free(p.syncs);
    if (p.stopped)
        return stopped(run, err);
    sum_up(&p, run, arena, out);
    return true;
}

// What the bursts consist of

typedef struct steps { // that grow
    uint32_t *of_rank; // where each is
    pj_step_work work;
    size_t cap, call_cap;
} steps;

typedef struct look {
    const pj_layout *layout;
    pj_job *job;
    double *of_region;
    steps steps, iterations, pieces;
    bool *inside;         // by rank
    double of_length[64]; // by power of two
    unsigned patterns;
    bool stopped;
} look;

static void add_to_step(steps *s, uint32_t ranks, uint32_t rank, double ns)
{
    uint32_t step = s->of_rank[rank];
    size_t old = s->cap, called = s->call_cap, need = ((size_t)step + 1) * ranks;
    if (step >= s->work.count)
        s->work.count = step + 1;
    pj_grow(s->work.of, &s->cap, need);
    pj_grow(s->work.calls, &s->call_cap, (size_t)step + 1);
    for (; old < s->cap; old++)
        s->work.of[old] = 0;
    for (; called < s->call_cap; called++)
        s->work.calls[called] = 0;
    s->work.of[(size_t)step * ranks + rank] += ns;
}

/// Kept in the arena.
static pj_step_work keep_steps(steps *s, uint32_t ranks, pj_arena *arena)
{
    pj_step_work kept = {.count = s->work.count};
    size_t cells = (size_t)kept.count * ranks;
    kept.of = pj_new_n(arena, double, cells);
    kept.calls = pj_new_n(arena, uint32_t, kept.count);
    for (size_t i = 0; i < cells; i++)
        kept.of[i] = s->work.of[i];
    for (uint32_t i = 0; i < kept.count; i++)
        kept.calls[i] = s->work.calls[i];
    free(s->work.of);
    free(s->work.calls);
    return kept;
}

static void add_work(look *k, uint32_t rank, double ns)
{
    ns = k->inside[rank] ? ns : 0;
    add_to_step(&k->steps, k->layout->ranks, rank, ns);
    add_to_step(&k->iterations, k->layout->ranks, rank, ns);
    add_to_step(&k->pieces, k->layout->ranks, rank, ns);
}

/// Waits of a first thread are of the step that it works in.
static void add_call(look *k, uint32_t rank)
{
    steps *kinds[] = {&k->steps, &k->iterations, &k->pieces};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        add_to_step(kinds[i], k->layout->ranks, rank, 0);
        kinds[i]->work.calls[kinds[i]->of_rank[rank]]++;
    }
}

static void look_at(look *k, const pj_tape_op *op)
{
    uint32_t rank = k->layout->rank_of[op->location];
    bool first = k->layout->first_location[rank] == op->location;
    switch ((pj_tape_kind)op->kind) {
    case PJ_TAPE_RUN:
    case PJ_TAPE_PIECE:
        k->of_region[op->what] += (double)op->value;
        if (first)
            add_work(k, rank, (double)op->value);
        break;
    case PJ_TAPE_AWAIT:
        k->patterns |= 1u << (op->value & PJ_TAPE_PATTERNS);
        if (first && !(op->value & PJ_TAPE_OF_ALL) &&
            (op->value & PJ_TAPE_PATTERNS) != PJ_WAIT_init_wait)
            add_call(k, rank);
        if (!first || !(op->value & PJ_TAPE_OF_ALL))
            break;
        k->steps.of_rank[rank]++;
        k->pieces.of_rank[rank]++;
        break;
    case PJ_TAPE_BORDER:
        k->iterations.of_rank[rank] += op->what == PJ_TAPE_ITERATION;
        k->pieces.of_rank[rank] += op->what == PJ_TAPE_ITERATION;
        if (first && op->what != PJ_TAPE_ITERATION)
            k->inside[rank] = op->what == 0;
        break;
    case PJ_TAPE_HELD:
        k->patterns |= 1u << PJ_WAIT_late_receiver;
        break;
    case PJ_TAPE_RECEIVE:
    case PJ_TAPE_RECEIVE_LARGE:
        k->patterns |= 1u << PJ_WAIT_late_sender;
        if (first)
            add_call(k, rank);
        break;
    default:
        break;
    }
    if (op->value && (op->kind == PJ_TAPE_RUN || op->kind == PJ_TAPE_BURST))
        k->of_length[63 - __builtin_clzll(op->value)] += (double)op->value;
}

static void take_looks(void *self, const pj_tape_op *ops, size_t n)
{
    look *k = self;
    k->stopped = k->stopped || (k->job && pj_job_stopped(k->job));
    for (size_t i = 0; i < n && !k->stopped; i++)
        if (ops[i].kind != PJ_TAPE_OPEN)
            look_at(k, &ops[i]);
}

static uint64_t long_of(const look *k)
{
    double all = 0, longer = 0;
    int at = 63;
    for (int i = 0; i < 64; i++)
        all += k->of_length[i];
    for (; at > 0 && (longer += k->of_length[at]) < all / 2;)
        at--;
    return UINT64_C(1) << at;
}

bool pj_play_bursts(const pj_run *run, pj_job *job, pj_arena *arena, pj_bursts *out, pj_err *err)
{
    if (!has_tape(run, err))
        return false;
    pj_auto_arena scratch = pj_arena_new(NULL);
    look k = {.layout = &run->layout, .job = job};
    k.steps.of_rank = pj_new_n(scratch, uint32_t, run->layout.ranks);
    k.iterations.of_rank = pj_new_n(scratch, uint32_t, run->layout.ranks);
    k.pieces.of_rank = pj_new_n(scratch, uint32_t, run->layout.ranks);
    k.inside = new_inside(run, scratch);
    k.of_region = pj_new_n(arena, double, pj_tape_regions(run->tape));
    pj_tape_each(run->tape, take_looks, &k);
    out->of_region = k.of_region;
    out->steps = keep_steps(&k.steps, run->layout.ranks, arena);
    out->iterations = keep_steps(&k.iterations, run->layout.ranks, arena);
    out->pieces = keep_steps(&k.pieces, run->layout.ranks, arena);
    if (out->iterations.count < 2)
        out->iterations.count = 0;
    out->long_ns = long_of(&k);
    out->patterns = k.patterns & ~(1u << PJ_WAIT_PATTERNS);
    return !k.stopped || stopped(run, err);
}
