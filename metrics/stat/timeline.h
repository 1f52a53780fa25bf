// Times of one thread: how long it was in which state, inside and outside of MPI and OpenMP, and
// what its counters read in useful time; exactly what Paraver's timelines and histograms give.
// Ownership: begin/end; what it grows is its own.
#ifndef PJ_TIMELINE_H
#define PJ_TIMELINE_H

#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJ_TIMELINE_COUNTERS = 2 };

/// Interval that is looked at, in ns: [from, to).
typedef struct pj_window {
    uint64_t from, to;
    bool drop; // leave out states that cross a border instead of clipping them
} pj_window;

/// What matters of a state, twice the bits of PJ_IN_MPI and PJ_IN_OPENMP: together they number the
/// sums of a timeline.
enum {
    PJ_IN_MPI = 1,
    PJ_IN_OPENMP = 2,
    PJ_CLASS_IDLE = 0, // and gaps between records
    PJ_CLASS_RUNNING = 4,
    PJ_CLASS_OTHER = 8,
    PJ_CLASS_DISABLED = 12,
    PJ_TIMELINE_SUMS = 16,
};

/// The Running burst that a border of the window cuts, and how many began before it.
typedef struct pj_border {
    uint64_t at;
    bool crossed;          // the thread has been seen behind it
    bool cuts;             // a burst runs across it
    uint64_t begun, ended; // bursts that began before it; that ended up to it
    uint64_t begin, end;   // of the cut burst; its end is known when a later burst begins
    uint64_t ran;          // ns of Running up to it
} pj_border;

/// One counter. A reading is what was counted since the one before; it is credited once for each
/// Running burst in between, as Paraver does, or once if there was any.
typedef struct pj_credit {
    uint64_t last;  // time of the reading before
    uint64_t ended; // bursts that had ended by then
    uint64_t ran;   // ns of Running up to then; only kept where there are borders
    int64_t useful; // sum, at most what 64 bits hold
    bool present;
    bool overflown; // it would be more
} pj_credit;

typedef struct pj_timeline {
    uint64_t at;                     // the sums reach up to here
    uint64_t begin, end;             // of the current record; Idle from `end` on
    unsigned slot;                   // the sum that time now goes to
    unsigned state;                  // of the current record
    unsigned mpi;                    // set of MPI event types that are open
    unsigned spending;               // what time is now spent on: pj_spent, or PJ_SPENT_KINDS
    uint64_t sums[PJ_TIMELINE_SUMS]; // ns
    uint64_t spent[PJ_SPENT_KINDS + 1];
    uint64_t openmp_ns;
    uint64_t first_record, last_event; // ns

    uint64_t bursts;                 // Running bursts so far; records that touch make one
    uint64_t burst_begin, burst_end; // of the latest
    uint64_t ran;                    // ns of those before it; only kept where there are borders
    bool once;                       // a reading counts for one burst, however many it spans
    bool counted;                    // the current record is Running and counted in `bursts`
    pj_credit credits[PJ_TIMELINE_COUNTERS];

    uint64_t *levels; // stack of OpenMP levels, a bit each: whether it counts as time in OpenMP
    size_t level_cap;
    size_t depth;
    bool in_openmp;
    bool overlap; // records have ended others

    uint64_t *ends; // of earlier records that outlast the current one, as a heap
    size_t end_count, end_cap;
    const pj_window *window; // borrowed
    pj_border *borders;      // two; NULL when the window is the whole trace
    uint64_t dropped;        // Running records left out
} pj_timeline;

/// `borders` NULL or two that live as long.
void pj_timeline_begin(pj_timeline *timeline, const pj_window *window, pj_border *borders);
/// Sums up to `end_ns`, the end of the trace.
void pj_timeline_end(pj_timeline *timeline, uint64_t end_ns);
void pj_timeline_free(pj_timeline *timeline);

/// Running bursts that the borders of the window cut.
uint64_t pj_timeline_cuts(const pj_timeline *timeline);

__extension__ typedef __int128 pj_wide;

/// For the inline functions below: what they leave to the rare cases.
void pj_timeline_rare_state(pj_timeline *timeline, uint64_t begin, uint64_t end, unsigned state);
void pj_timeline_rare_reading(pj_timeline *timeline, unsigned counter, uint64_t time,
                              int64_t value);
void pj_timeline_credit_wide(pj_credit *credit, pj_wide value);
void pj_timeline_begin_burst(pj_timeline *timeline);

static inline void pj_timeline_see(pj_timeline *timeline, uint64_t time)
{
    if (time < timeline->first_record)
        timeline->first_record = time;
}

/// Sums up to `time` under the state so far.
static inline void pj_timeline_advance(pj_timeline *timeline, uint64_t time)
{
    uint64_t until = time < timeline->window->to ? time : timeline->window->to;
    if (until <= timeline->at)
        return;
    uint64_t from = timeline->begin > timeline->at ? timeline->begin : timeline->at;
    uint64_t to = timeline->end < until ? timeline->end : until;
    uint64_t length = to > from ? to - from : 0;
    timeline->sums[timeline->slot] += length;
    timeline->spent[timeline->spending] += length;
    timeline->openmp_ns += timeline->in_openmp ? until - timeline->at : 0;
    timeline->at = until;
}

/// Counts the burst of the current record, which is certain by now to have a length.
static inline void pj_timeline_count_burst(pj_timeline *timeline)
{
    if (timeline->counted || (timeline->slot & PJ_CLASS_DISABLED) != PJ_CLASS_RUNNING)
        return;
    if (timeline->borders || timeline->burst_end == timeline->begin) {
        pj_timeline_begin_burst(timeline);
    } else {
        timeline->bursts++;
        timeline->burst_begin = timeline->begin;
    }
    timeline->burst_end = timeline->end;
    timeline->counted = true;
}

static inline unsigned pj_timeline_class(unsigned state)
{
    return state == PJ_STATE_RUNNING    ? PJ_CLASS_RUNNING
           : state == PJ_STATE_IDLE     ? PJ_CLASS_IDLE
           : state == PJ_STATE_DISABLED ? PJ_CLASS_DISABLED
                                        : PJ_CLASS_OTHER;
}

/// What a state is spent on in the MPI event types that are open.
unsigned pj_timeline_in_mpi(unsigned mpi, unsigned by_state);
extern const uint8_t pj_timeline_spent[32]; // by state, outside of MPI

static inline unsigned pj_timeline_spending(const pj_timeline *timeline)
{
    unsigned spent = timeline->state < 32 ? pj_timeline_spent[timeline->state] : PJ_SPENT_OTHER;
    return timeline->mpi ? pj_timeline_in_mpi(timeline->mpi, spent) : spent;
}

/// Records come in order of time. A state lasts from `begin` to before `end` (UINT64_MAX = open);
/// the latest begin wins, and the end of any record makes the thread Idle.
static inline void pj_timeline_state(pj_timeline *timeline, uint64_t begin, uint64_t end,
                                     unsigned state)
{
    bool plain = begin >= timeline->end && begin > timeline->begin && end > begin;
    if (!plain || timeline->borders || timeline->end_count) {
        pj_timeline_rare_state(timeline, begin, end, state);
        return;
    }
    pj_timeline_advance(timeline, begin);
    pj_timeline_count_burst(timeline);
    timeline->begin = begin;
    timeline->end = end;
    timeline->slot = pj_timeline_class(state) | (timeline->slot & (PJ_IN_MPI | PJ_IN_OPENMP));
    timeline->state = state;
    timeline->spending = pj_timeline_spending(timeline);
    timeline->counted = false;
}

/// Bursts that a reading is credited for.
static inline uint64_t pj_timeline_spanned(const pj_timeline *timeline, const pj_credit *credit)
{
    uint64_t bursts = timeline->bursts - credit->ended;
    return timeline->once && bursts > 1 ? 1 : bursts;
}

/// Credits `value` for each of `bursts`.
static inline void pj_timeline_credit(pj_credit *credit, uint64_t bursts, int64_t value)
{
    int64_t sum;
    if (__builtin_mul_overflow((int64_t)bursts, value, &sum) ||
        __builtin_add_overflow(credit->useful, sum, &sum))
        pj_timeline_credit_wide(credit, (pj_wide)(int64_t)bursts * value);
    else
        credit->useful = sum;
}

static inline void pj_timeline_reading(pj_timeline *timeline, unsigned counter, uint64_t time,
                                       int64_t value)
{
    pj_credit *credit = &timeline->credits[counter];
    if (timeline->borders || time <= credit->last) {
        pj_timeline_rare_reading(timeline, counter, time, value);
        return;
    }
    if (time > timeline->begin)
        pj_timeline_count_burst(timeline);
    pj_timeline_credit(credit, pj_timeline_spanned(timeline, credit), value);
    bool runs_on = timeline->counted && timeline->burst_end > time;
    credit->ended = timeline->bursts - runs_on;
    credit->last = time;
    credit->present = true;
}

/// The first two counters, read together.
static inline void pj_timeline_readings(pj_timeline *timeline, uint64_t time, int64_t first,
                                        int64_t second)
{
    pj_credit *credits = timeline->credits;
    if (timeline->borders || time <= credits[0].last || time <= credits[1].last) {
        pj_timeline_reading(timeline, 0, time, first);
        pj_timeline_reading(timeline, 1, time, second);
        return;
    }
    if (time > timeline->begin)
        pj_timeline_count_burst(timeline);
    pj_timeline_credit(&credits[0], pj_timeline_spanned(timeline, &credits[0]), first);
    pj_timeline_credit(&credits[1], pj_timeline_spanned(timeline, &credits[1]), second);
    bool runs_on = timeline->counted && timeline->burst_end > time;
    credits[0].ended = credits[1].ended = timeline->bursts - runs_on;
    credits[0].last = credits[1].last = time;
    credits[0].present = credits[1].present = true;
}

/// An MPI call of event type `kind` is entered or left.
static inline void pj_timeline_mpi(pj_timeline *timeline, uint64_t time, unsigned kind,
                                   bool entered)
{
    pj_timeline_advance(timeline, time);
    timeline->mpi = (timeline->mpi & ~(1u << kind)) | (unsigned)entered << kind;
    timeline->slot = (timeline->slot & ~(unsigned)PJ_IN_MPI) | (timeline->mpi ? PJ_IN_MPI : 0);
    timeline->spending = pj_timeline_spending(timeline);
}

/// An OpenMP level is entered (value not 0) or left.
void pj_timeline_level(pj_timeline *timeline, uint64_t time, int64_t value);

#endif
