// How long a thread was in which state.
// Every record moves the sums forward to its time under the state before it. Ties need no care
// there, since nothing passes between them; bursts and readings say where they do.
#include "metrics/stat/state_clock.h"

#include "metrics/base/buf.h"
#include "metrics/base/share.h"

#include <assert.h>
#include <stdlib.h>

enum { NOTHING = PJ_SPENT_NOTHING };

const uint8_t pj_state_clock_spent[32] = {
    [PJ_STATE_IDLE] = NOTHING,
    [PJ_STATE_RUNNING] = NOTHING,
    [PJ_STATE_NOT_CREATED] = NOTHING,
    [3] = PJ_SPENT_P2P, // waiting for a message
    [4] = PJ_SPENT_P2P, // blocking send
    [5] = PJ_SPENT_SYNC,
    [6] = PJ_SPENT_P2P, // test, probe
    [7] = PJ_SPENT_FORK,
    [8] = PJ_SPENT_P2P,  // wait
    [9] = PJ_SPENT_SYNC, // blocked
    [10] = PJ_SPENT_P2P, // immediate send
    [11] = PJ_SPENT_P2P, // immediate receive
    [12] = PJ_SPENT_IO,
    [13] = PJ_SPENT_COLLECTIVE,
    [PJ_STATE_DISABLED] = NOTHING,
    [PJ_STATE_OTHERS] = PJ_SPENT_OTHER,
    [16] = PJ_SPENT_P2P, // send and receive
    [17] = PJ_SPENT_OTHER,
    [18] = PJ_SPENT_OTHER,
    [19] = PJ_SPENT_OTHER,
    [20] = PJ_SPENT_MPI, // remote memory access
    [21] = PJ_SPENT_MPI, // atomic memory operation
    [22] = PJ_SPENT_MPI, // memory ordering operation
    [23] = PJ_SPENT_MPI, // distributed locking
    [24] = PJ_SPENT_OTHER,
    [25] = PJ_SPENT_MPI, // one-sided
    [26] = PJ_SPENT_P2P, // startup latency
    [27] = PJ_SPENT_P2P, // waiting for links
    [28] = PJ_SPENT_OTHER,
    [29] = PJ_SPENT_OTHER,
    [30] = PJ_SPENT_OTHER,
    [31] = PJ_SPENT_OTHER,
};

/// Of MPI's other calls the state tells those that test for messages.
unsigned pj_state_clock_in_mpi(unsigned mpi, unsigned by_state)
{
    bool known = by_state == PJ_SPENT_P2P || by_state == PJ_SPENT_COLLECTIVE;
    if (by_state == NOTHING)
        return NOTHING;
    if (mpi & 1u << PJ_MPI_P2P)
        return PJ_SPENT_P2P;
    if (mpi & 1u << PJ_MPI_COLLECTIVE)
        return PJ_SPENT_COLLECTIVE;
    if (mpi & 1u << PJ_MPI_IO)
        return PJ_SPENT_MPI_IO;
    if (by_state == PJ_SPENT_IO) // MPI_Init reads files, too
        return PJ_SPENT_IO;
    return mpi & 1u << PJ_MPI_OTHER && known ? by_state : PJ_SPENT_MPI;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void pj_state_clock_begin(pj_state_clock *clock, const pj_window *window, pj_border *borders)
{
    *clock = (pj_state_clock){.at = window->from,
                              .first_record = UINT64_MAX,
                              .spending = NOTHING,
                              .window = window,
                              .borders = borders};
    if (borders) {
        borders[0] = (pj_border){.at = window->from};
        borders[1] = (pj_border){.at = window->to};
    }
}

void pj_state_clock_free(pj_state_clock *clock)
{
    free(clock->levels);
    free(clock->ends);
}

/// A record that touches the burst before it carries that burst on. Readings taken at the seam
/// took the burst for ended.
static void join_burst(pj_state_clock *clock)
{
    for (unsigned c = 0; c < PJ_STATE_CLOCK_COUNTERS; c++) {
        pj_credit *credit = &clock->credits[c];
        if (credit->last == clock->begin && credit->ended == clock->bursts)
            credit->ended--;
    }
}

void pj_state_clock_begin_burst(pj_state_clock *clock)
{
    if (clock->bursts && clock->burst_end == clock->begin) {
        join_burst(clock);
        return;
    }
    for (unsigned b = 0; clock->borders && b < 2; b++)
        if (clock->borders[b].cuts && clock->borders[b].begun == clock->bursts)
            clock->borders[b].end = clock->burst_end;
    clock->bursts++;
    clock->ran += clock->burst_end - clock->burst_begin;
    clock->burst_begin = clock->begin;
}

/// Running up to `time`; the latest burst begins before it.
static uint64_t ran(const pj_state_clock *clock, uint64_t time)
{
    return clock->ran + least(clock->burst_end, time) - clock->burst_begin;
}

/// Notes the bursts at borders of the window that lie before `time`.
static void cross_borders(pj_state_clock *clock, uint64_t time)
{
    for (unsigned b = 0; b < 2; b++) {
        pj_border *border = &clock->borders[b];
        if (border->crossed || time <= border->at)
            continue;
        border->crossed = true;
        bool touches = clock->bursts && clock->burst_end == clock->begin;
        if (clock->begin < border->at || (clock->begin == border->at && touches))
            pj_state_clock_count_burst(clock);
        border->begun = clock->bursts;
        border->cuts =
            clock->bursts && clock->burst_begin < border->at && clock->burst_end > border->at;
        border->ended = border->begun - border->cuts;
        border->begin = clock->burst_begin;
        border->ran = ran(clock, most(border->at, clock->burst_begin));
    }
}

/// Keeps the end of a record that outlasts the current one; an end that is the earliest already is
/// there for all. `ends` is a binary heap, the earliest on top.
static void keep_end(pj_state_clock *clock, uint64_t end)
{
    if (end == UINT64_MAX || (clock->end_count && clock->ends[0] == end))
        return;
    pj_grow(clock->ends, &clock->end_cap, clock->end_count + 1);
    uint64_t *ends = clock->ends;
    size_t at = clock->end_count++;
    for (; at > 0 && ends[(at - 1) / 2] > end; at = (at - 1) / 2)
        ends[at] = ends[(at - 1) / 2];
    ends[at] = end;
}

/// Takes the earliest end away.
static uint64_t take_end(pj_state_clock *clock)
{
    uint64_t *ends = clock->ends, earliest = ends[0], last = ends[--clock->end_count];
    size_t at = 0, count = clock->end_count;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && ends[child + 1] < ends[child];
        if (ends[child] >= last)
            break;
        ends[at] = ends[child];
        at = child;
    }
    ends[at] = last;
    return earliest;
}

/// The record that gives the state so far ends at `begin` though it would go on. A reading at that
/// very time took its burst for running on.
static void interrupt(pj_state_clock *clock, uint64_t begin)
{
    clock->overlap = true;
    keep_end(clock, clock->end);
    if (!clock->counted || clock->burst_end <= begin)
        return;
    clock->burst_end = begin;
    for (unsigned c = 0; c < PJ_STATE_CLOCK_COUNTERS; c++)
        if (clock->credits[c].last == begin)
            clock->credits[c].ended = clock->bursts;
}

/// The earliest end among `end` and those of earlier records that still lie ahead; the others
/// stay for later records.
static uint64_t earliest_end(pj_state_clock *clock, uint64_t begin, uint64_t end)
{
    while (clock->end_count && clock->ends[0] <= begin)
        take_end(clock);
    if (!clock->end_count || clock->ends[0] >= end)
        return end;
    uint64_t earliest = take_end(clock);
    keep_end(clock, end);
    return earliest;
}

/// Whether the window leaves the record out because it crosses a border.
static bool is_dropped(const pj_window *window, uint64_t begin, uint64_t end)
{
    return window->drop && ((begin < window->from && end > window->from) ||
                            (begin < window->to && end > window->to));
}

void pj_state_clock_rare_state(pj_state_clock *clock, uint64_t begin, uint64_t end, unsigned state)
{
    if (begin < clock->begin) // out of order, and counted as such
        begin = clock->begin;
    if (end <= begin)
        return; // Paraver drops states without length
    unsigned class_ = pj_state_clock_class(state);
    if (clock->borders && is_dropped(clock->window, begin, end)) {
        clock->dropped += class_ == PJ_CLASS_RUNNING;
        return;
    }
    pj_state_clock_advance(clock, begin);
    if (clock->borders)
        cross_borders(clock, begin);
    if (begin > clock->begin)
        pj_state_clock_count_burst(clock);
    if (clock->end > begin)
        interrupt(clock, begin);
    clock->begin = begin;
    clock->end = clock->end_count ? earliest_end(clock, begin, end) : end;
    clock->slot = class_ | (clock->slot & (PJ_IN_MPI | PJ_IN_OPENMP));
    clock->state = state;
    clock->spending = pj_state_clock_spending(clock);
    clock->counted = false;
}

/// Credit for a reading whose interval (last, time] holds a border: bursts inside count in full, a
/// burst that a border cuts with the part of its time that lies inside.
static pj_wide credit_at_border(const pj_state_clock *clock, const pj_credit *credit, uint64_t time,
                                int64_t value)
{
    assert(clock->borders);
    const pj_border *from = &clock->borders[0], *to = &clock->borders[1];
    uint64_t begun = time > to->at ? to->begun : clock->bursts;
    uint64_t ended = credit->last < from->at ? from->ended : credit->ended;
    pj_wide sum = 0;
    for (unsigned b = 0; b < 2; b++) {
        const pj_border *border = &clock->borders[b];
        bool same = b == 1 && from->cuts && from->begun == to->begun && credit->last < from->at;
        bool between = credit->last < border->at && time > border->at;
        if (!border->cuts || !between || same)
            continue;
        uint64_t end = border->begun == clock->bursts ? clock->burst_end : border->end;
        uint64_t first = most(credit->last, border->begin), last = least(time, end);
        uint64_t inside_first = most(first, from->at), inside_last = least(last, to->at);
        uint64_t inside = inside_last > inside_first ? inside_last - inside_first : 0;
        sum += pj_share(value, inside, last - first);
        begun--;
    }
    return sum + (pj_wide)(int64_t)(begun - ended) * value;
}

/// The same where a reading counts once: in proportion to its Running time inside.
static int64_t once_at_border(const pj_state_clock *clock, const pj_credit *credit, uint64_t time,
                              int64_t value)
{
    const pj_border *from = &clock->borders[0], *to = &clock->borders[1];
    uint64_t now = ran(clock, time);
    uint64_t first = credit->last < from->at ? from->ran : credit->ran;
    uint64_t last = time > to->at ? to->ran : now;
    return now > credit->ran ? pj_share(value, last - first, now - credit->ran) : 0;
}

void pj_state_clock_credit_wide(pj_credit *credit, pj_wide value)
{
    pj_wide sum = credit->useful + value, kept = sum > INT64_MAX   ? INT64_MAX
                                                 : sum < INT64_MIN ? INT64_MIN
                                                                   : sum;
    credit->useful = (int64_t)kept;
    credit->overflown |= kept != sum;
}

void pj_state_clock_rare_reading(pj_state_clock *clock, unsigned counter, uint64_t time,
                                 int64_t value)
{
    pj_credit *credit = &clock->credits[counter];
    credit->present = true;
    if (time <= credit->last)
        return; // of several readings at one time the first counts
    if (clock->borders)
        cross_borders(clock, time);
    if (time > clock->begin)
        pj_state_clock_count_burst(clock);
    const pj_window *window = clock->window;
    if (credit->last >= window->from && time <= window->to)
        pj_state_clock_credit(credit, pj_state_clock_spanned(clock, credit), value);
    else if (clock->borders && time > window->from && credit->last < window->to)
        pj_state_clock_credit_wide(credit, clock->once
                                               ? once_at_border(clock, credit, time, value)
                                               : credit_at_border(clock, credit, time, value));
    credit->ran = ran(clock, time);
    bool runs_on = clock->counted && clock->burst_end > time;
    credit->ended = clock->bursts - runs_on;
    credit->last = time;
}

void pj_state_clock_file(pj_state_clock *clock, const pj_event *event)
{
    pj_state_clock_advance(clock, event->time);
    pj_io_clock_event(&clock->io, event, clock->window->from, clock->window->to);
    clock->spending = pj_state_clock_spending(clock);
}

static void push_level(pj_state_clock *clock, bool counts)
{
    size_t word = clock->depth / 64;
    uint64_t bit = UINT64_C(1) << clock->depth % 64;
    pj_grow(clock->levels, &clock->level_cap, word + 1);
    if (clock->depth % 64 == 0)
        clock->levels[word] = 0;
    clock->levels[word] = counts ? clock->levels[word] | bit : clock->levels[word] & ~bit;
    clock->depth++;
}

static bool top_level(const pj_state_clock *clock)
{
    size_t top = clock->depth - 1;
    return clock->depth && clock->levels[top / 64] >> top % 64 & 1;
}

void pj_state_clock_level(pj_state_clock *clock, uint64_t time, int64_t value)
{
    enum { LARGEST_LEVEL = 100000 }; // the established tools' limit for time in OpenMP
    pj_state_clock_advance(clock, time);
    if (value)
        push_level(clock, value >= 1 && value <= LARGEST_LEVEL);
    else if (clock->depth)
        clock->depth--;
    clock->in_openmp = top_level(clock);
    clock->slot = clock->depth ? clock->slot | PJ_IN_OPENMP : clock->slot & ~(unsigned)PJ_IN_OPENMP;
}

void pj_state_clock_end(pj_state_clock *clock, uint64_t end_ns)
{
    pj_state_clock_advance(clock, end_ns);
    pj_io_clock_end(&clock->io, end_ns, clock->window->from, clock->window->to);
    if (clock->borders)
        cross_borders(clock, UINT64_MAX);
}

uint64_t pj_state_clock_cuts(const pj_state_clock *clock)
{
    const pj_border *borders = clock->borders;
    return clock->dropped + (borders ? borders[0].cuts + borders[1].cuts : 0);
}
