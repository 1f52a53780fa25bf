// What ranks did before they waited.
// Delays and the paths on both clocks each follow what they need of it, where they are asked for.
// On the ideal network each call is a step that takes no time; one more is behind each of its
// waits.
#include "metrics/replay/wait_history.h"

#include "metrics/base/arena.h"
#include "metrics/replay/wait_paths.h"
#include "metrics/replay/wait_regions.h"
#include "metrics/run/aspect.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 1 << 17, // that are kept of all ranks
    IDEAL_STEPS = STEPS / 2,
};

typedef struct wait_sum {
    pj_region_waits measured;
    uint64_t ideal_ns;
} wait_sum;

typedef struct moment {          // of a rank
    uint64_t until, ideal_until; // ns on both clocks: all before has been taken
    uint64_t enter;              // of its last call
    uint64_t steps;              // number of that
} moment;

struct pj_wait_history {
    const pj_run *run;
    unsigned aspects;
    pj_roi roi; // all is followed, and what lies in it is told
    pj_wait_regions *regions;
    const pj_region_now *now;   // by rank
    moment *moments;            // by rank
    pj_wait_delays *delays;     // NULL = not asked for
    pj_wait_paths *paths;       // the same
    pj_wait_paths *ideal_paths; // on the clocks of the replay; the same
    wait_sum sums[PJ_WAIT_REGIONS_MOST][PJ_WAIT_PATTERNS];
};

pj_wait_history *pj_wait_history_new(const pj_run *run, unsigned aspects)
{
    pj_wait_history *history = pj_take_zeros(sizeof *history);
    uint32_t ranks = run->layout.ranks;
    history->run = run;
    history->aspects = aspects;
    history->roi = run->roi;
    history->regions = pj_wait_regions_new(run);
    history->now = pj_wait_regions_now(history->regions);
    history->moments = pj_take_zeros(ranks * sizeof *history->moments);
    history->delays = aspects & PJ_WANT(delays) ? pj_wait_delays_new(ranks, STEPS) : NULL;
    history->paths = aspects & PJ_WANT(path) ? pj_wait_paths_new(ranks, STEPS) : NULL;
    history->ideal_paths =
        aspects & PJ_WANT(ideal_path) ? pj_wait_paths_new(ranks, IDEAL_STEPS) : NULL;
    return history;
}

void pj_wait_history_free(pj_wait_history *history)
{
    if (!history)
        return;
    pj_wait_paths_free(history->ideal_paths);
    pj_wait_paths_free(history->paths);
    pj_wait_delays_free(history->delays);
    pj_wait_regions_free(history->regions);
    free(history->moments);
    free(history);
}

void pj_wait_history_event(pj_wait_history *history, const pj_event *event)
{
    pj_wait_regions_event(history->regions, event);
}

static uint64_t ns_between(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

/// From one call to the next on both clocks: a rank waits for its threads, which may differ.
typedef struct between {
    uint64_t ns, ideal_ns;     // all of it
    uint64_t done, ideal_done; // so far
} between;

/// What a rank does there takes its share of the ideal clock.
static pj_region_piece ideal_piece(between *all, pj_region_piece piece)
{
    uint64_t until;
    all->done += piece.ns;
    if (all->done == all->ns || all->ns == all->ideal_ns)
        until = all->ideal_ns - (all->ns - all->done);
    else
        until = (uint64_t)((double)all->done / (double)all->ns * (double)all->ideal_ns);
    piece.ns = until - all->ideal_done;
    all->ideal_done = until;
    return piece;
}

/// What a rank does outside MPI; beyond the region of interest paths gain nothing.
static void spend(pj_wait_history *history, uint32_t rank, bool inside, between *all,
                  pj_region_piece piece)
{
    if (history->delays)
        pj_wait_delays_spend(history->delays, rank, piece);
    if (history->paths && inside)
        pj_wait_paths_spend(history->paths, rank, piece);
    if (!history->ideal_paths)
        return;
    piece = ideal_piece(all, piece);
    if (inside)
        pj_wait_paths_spend(history->ideal_paths, rank, piece);
}

/// As pj_wait_regions_next, cut at the borders of the region of interest; whether it lies inside.
static bool next_cut(const pj_wait_history *history, uint32_t rank, uint64_t *from, uint64_t to,
                     pj_region_piece *piece, bool *inside)
{
    const pj_roi *roi = &history->roi;
    const uint64_t ends[] = {roi->from_ns, roi->to_ns, to};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        uint64_t end = ends[i] < to ? ends[i] : to;
        if ((i < 2 && end <= *from) ||
            !pj_wait_regions_next(history->regions, rank, from, end, piece))
            continue;
        *inside = *from > roi->from_ns && *from <= roi->to_ns;
        return true;
    }
    return false;
}

static inline bool next_piece(const pj_wait_history *history, uint32_t rank, uint64_t *from,
                              uint64_t to, pj_region_piece *piece, bool *inside)
{
    if (__builtin_expect(history->roi.set, 0))
        return next_cut(history, rank, from, to, piece, inside);
    *inside = true;
    return pj_wait_regions_next(history->regions, rank, from, to, piece);
}

pj_step_place pj_wait_history_enter(pj_wait_history *history, uint32_t rank, pj_mpi_call call,
                                    uint64_t enter, uint64_t clock)
{
    moment *m = &history->moments[rank];
    between all = {ns_between(m->until, enter), ns_between(m->ideal_until, clock), 0, 0};
    uint32_t called = pj_wait_regions_call(history->regions, call);
    pj_region_piece piece;
    bool inside;
    while ((m->until < enter || history->now[rank].until <= enter) &&
           next_piece(history, rank, &m->until, enter, &piece, &inside))
        spend(history, rank, inside, &all, piece);
    if (history->delays)
        pj_wait_delays_begin(history->delays, rank, enter, called);
    if (history->paths)
        pj_wait_paths_begin(history->paths, rank, enter, called);
    if (history->ideal_paths)
        pj_wait_paths_begin(history->ideal_paths, rank, clock, called);
    m->enter = enter;
    m->ideal_until = clock;
    return (pj_step_place){++m->steps, history->now[rank].region};
}

void pj_wait_history_receive(pj_wait_history *history, uint32_t rank, uint32_t from, uint64_t sent)
{
    if (history->delays)
        pj_wait_delays_receive(history->delays, rank, from, sent);
}

void pj_wait_history_meet(pj_wait_history *history, uint32_t rank, uint64_t meeting)
{
    if (history->delays)
        pj_wait_delays_meet(history->delays, rank, meeting);
}

void pj_wait_history_wait(pj_wait_history *history, const pj_delayed *wait)
{
    if (history->delays)
        pj_wait_delays_charge(history->delays, wait);
    if (history->paths)
        pj_wait_paths_wait(history->paths, wait);
}

void pj_wait_history_leave(pj_wait_history *history, uint32_t rank, uint64_t leave)
{
    moment *m = &history->moments[rank];
    m->until = leave;
    if (history->delays)
        pj_wait_delays_leave(history->delays, rank, leave);
    if (history->paths)
        pj_wait_paths_leave(history->paths, rank,
                            pj_roi_clip(&history->roi, leave) -
                                pj_roi_clip(&history->roi, m->enter));
}

void pj_wait_history_ideal(pj_wait_history *history, const pj_ideal_wait *wait)
{
    history->sums[wait->region][wait->pattern].ideal_ns += wait->inside ? wait->ns : 0;
    if (!history->ideal_paths)
        return;
    pj_wait_paths_wait(history->ideal_paths,
                       &(pj_delayed){.rank = wait->rank,
                                     .culprit = wait->culprit,
                                     .step = pj_wait_paths_last(history->ideal_paths, wait->rank),
                                     .released = wait->until,
                                     .ns = wait->ns,
                                     .inside_ns = wait->ns});
    pj_wait_paths_begin(history->ideal_paths, wait->rank, wait->until, PJ_WAIT_REGION_NONE);
    history->moments[wait->rank].ideal_until = wait->until;
}

void pj_wait_history_sum(pj_wait_history *history, uint32_t region, const pj_one_wait *wait)
{
    pj_region_waits *sum = &history->sums[region][wait->pattern].measured;
    sum->instances++;
    sum->wait_ns += wait->ns;
    if (wait->ns < sum->longest_ns ||
        (wait->ns == sum->longest_ns && wait->begin >= sum->longest_at_ns))
        return;
    sum->longest_ns = wait->ns;
    sum->longest_at_ns = wait->begin;
}

/// It may end last: of equal ones the lowest does.
static void end_path(pj_critical_path *path, uint32_t rank, uint64_t end)
{
    if (end <= path->length_ns)
        return;
    path->length_ns = end;
    path->last_rank = rank;
}

/// The clock of the replay at the end of a rank, which does so much behind its last call.
static uint64_t ideal_end(const pj_wait_history *history, uint32_t rank, uint64_t behind)
{
    if (!history->roi.set) // else these are times in the region
        return (uint64_t)(history->run->ideal.first_ns[rank] + 0.5);
    return history->moments[rank].ideal_until + behind;
}

/// What ranks do behind their last call.
static void end_ranks(pj_wait_history *history, bool cut, pj_delays *out)
{
    const pj_layout *layout = &history->run->layout;
    bool lacks = out->paths[PJ_PATH_IDEAL].lacks != NULL;
    for (uint32_t i = 0; i < layout->ranks; i++) {
        moment *m = &history->moments[i];
        uint64_t end = history->run->totals[layout->first_location[i]].last_event_ns;
        between all = {.ns = ns_between(m->until, end)};
        uint64_t ideal = lacks ? 0 : ideal_end(history, i, all.ns);
        all.ideal_ns = ns_between(m->ideal_until, ideal);
        pj_region_piece piece;
        bool inside;
        while (!cut && next_piece(history, i, &m->until, end, &piece, &inside))
            spend(history, i, inside, &all, piece);
        end_path(&out->paths[PJ_PATH_MEASURED], i, end);
        end_path(&out->paths[PJ_PATH_IDEAL], i, ideal);
    }
}

/// What of the paths lies in the region of interest: on the ideal network what is known of them.
static void cut_paths(const pj_wait_history *history, pj_delays *out)
{
    pj_critical_path *measured = &out->paths[PJ_PATH_MEASURED];
    pj_critical_path *ideal = &out->paths[PJ_PATH_IDEAL];
    if (!history->roi.set)
        return;
    measured->length_ns = pj_roi_clip(&history->roi, measured->length_ns) - history->roi.from_ns;
    ideal->length_ns = 0;
    for (uint32_t i = 0; i < ideal->count; i++)
        ideal->length_ns += ideal->parts[i].ns;
}

static void write_regions(const pj_wait_history *history, pj_delays *out, pj_arena *arena)
{
    out->region_count = pj_wait_regions_count(history->regions);
    out->regions = pj_new_n(arena, pj_delay_region, out->region_count);
    for (uint32_t r = 0; r < out->region_count; r++) {
        out->regions[r].name = pj_wait_regions_name(history->regions, r, arena);
        for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++) {
            const wait_sum *sum = &history->sums[r][p];
            out->regions[r].waits[p] = sum->measured;
            out->regions[r].ideal_wait_ns[p] = sum->ideal_ns;
        }
    }
}

const pj_delays *pj_wait_history_finish(pj_wait_history *history, pj_run *run,
                                        const pj_waits *waits)
{
    pj_delays *out = pj_new(run->arena, pj_delays);
    out->aspects = history->aspects;
    out->paths[PJ_PATH_IDEAL].lacks = waits->ideal_lacks;
    history->run = run;
    end_ranks(history, waits->cut, out);
    write_regions(history, out, run->arena);
    if (history->delays)
        pj_wait_delays_finish(history->delays, out, run->arena);
    if (history->paths)
        pj_wait_paths_finish(history->paths, PJ_PATH_MEASURED, out, run->arena);
    if (history->ideal_paths && !waits->ideal_lacks)
        pj_wait_paths_finish(history->ideal_paths, PJ_PATH_IDEAL, out, run->arena);
    cut_paths(history, out);
    return out;
}

size_t pj_wait_history_bytes(const pj_wait_history *history)
{
    return sizeof *history + pj_wait_regions_bytes(history->regions) +
           (history->delays ? pj_wait_delays_bytes(history->delays) : 0) +
           (history->paths ? pj_wait_paths_bytes(history->paths) : 0) +
           (history->ideal_paths ? pj_wait_paths_bytes(history->ideal_paths) : 0);
}
