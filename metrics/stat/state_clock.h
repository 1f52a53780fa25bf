// Times of one thread: how long it was in which state, inside and outside of MPI and OpenMP, and
// what its counters read in useful time; exactly what Paraver's timelines and histograms give.
// Ownership: begin/end; what it grows is its own.
#ifndef PJ_STATE_CLOCK_H
#define PJ_STATE_CLOCK_H

#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/io_clock.h"
#include "metrics/trace/mpi_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJ_STATE_CLOCK_COUNTERS = 2 };

/// Kinds of pj_spent and what only the clock tells apart.
enum {
    PJ_SPENT_NOTHING = PJ_SPENT_KINDS, // useful or idle
    PJ_SPENT_MPI_IO,
    PJ_STATE_CLOCK_SPENT,
};

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
    PJ_STATE_CLOCK_SUMS = 16,
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

typedef struct pj_state_clock {
    uint64_t at;                        // the sums reach up to here
    uint64_t begin, end;                // of the current record; Idle from `end` on
    unsigned slot;                      // the sum that time now goes to
    unsigned state;                     // of the current record
    unsigned mpi;                       // set of MPI event types that are open
    bool in_runtime;                    // of devices, whatever the state says of it
    unsigned spending;                  // what time is now spent on: below PJ_STATE_CLOCK_SPENT
    uint64_t sums[PJ_STATE_CLOCK_SUMS]; // ns
    uint64_t spent[PJ_STATE_CLOCK_SPENT];
    uint64_t openmp_ns;
    uint64_t called_ns, call_since; // in calls of the runtime; where the open one was last counted
    uint64_t first_record, last_event; // ns

    uint64_t bursts;                 // Running bursts so far; records that touch make one
    uint64_t burst_begin, burst_end; // of the latest
    uint64_t ran;                    // ns of those before it; only kept where there are borders
    bool once;                       // a reading counts for one burst, however many it spans
    bool counted;                    // the current record is Running and counted in `bursts`
    pj_credit credits[PJ_STATE_CLOCK_COUNTERS];

    uint64_t *levels; // stack of OpenMP levels, a bit each: whether it counts as time in OpenMP
    size_t level_cap;
    size_t depth;
    bool in_openmp;
    bool overlap; // records have ended others

    pj_io_clock io;

    uint64_t *ends; // of earlier records that outlast the current one, as a heap
    size_t end_count, end_cap;
    const pj_window *window; // borrowed
    pj_border *borders;      // two; NULL when the window is the whole trace
    uint64_t dropped;        // Running records left out
} pj_state_clock;

/// `borders` NULL or two that live as long.
void pj_state_clock_begin(pj_state_clock *clock, const pj_window *window, pj_border *borders);
/// Sums up to `end_ns`, the end of the trace.
void pj_state_clock_end(pj_state_clock *clock, uint64_t end_ns);
void pj_state_clock_free(pj_state_clock *clock);

/// Running bursts that the borders of the window cut.
uint64_t pj_state_clock_cuts(const pj_state_clock *clock);

__extension__ typedef __int128 pj_wide;

/// For the inline functions below: what they leave to the rare cases.
void pj_state_clock_rare_state(pj_state_clock *clock, uint64_t begin, uint64_t end, unsigned state);
void pj_state_clock_rare_reading(pj_state_clock *clock, unsigned counter, uint64_t time,
                                 int64_t value);
void pj_state_clock_credit_wide(pj_credit *credit, pj_wide value);
void pj_state_clock_begin_burst(pj_state_clock *clock);

static inline void pj_state_clock_see(pj_state_clock *clock, uint64_t time)
{
    if (time < clock->first_record)
        clock->first_record = time;
}

/// Sums up to `time` under the state so far.
static inline void pj_state_clock_advance(pj_state_clock *clock, uint64_t time)
{
    uint64_t until = time < clock->window->to ? time : clock->window->to;
    if (until <= clock->at)
        return;
    uint64_t from = clock->begin > clock->at ? clock->begin : clock->at;
    uint64_t to = clock->end < until ? clock->end : until;
    uint64_t length = to > from ? to - from : 0;
    clock->sums[clock->slot] += length;
    clock->spent[clock->spending] += length;
    clock->openmp_ns += clock->in_openmp ? until - clock->at : 0;
    clock->at = until;
}

/// Counts the burst of the current record, which is certain by now to have a length.
static inline void pj_state_clock_count_burst(pj_state_clock *clock)
{
    if (clock->counted || (clock->slot & PJ_CLASS_DISABLED) != PJ_CLASS_RUNNING)
        return;
    if (clock->borders || clock->burst_end == clock->begin) {
        pj_state_clock_begin_burst(clock);
    } else {
        clock->bursts++;
        clock->burst_begin = clock->begin;
    }
    clock->burst_end = clock->end;
    clock->counted = true;
}

static inline unsigned pj_state_clock_class(unsigned state)
{
    return state == PJ_STATE_RUNNING    ? PJ_CLASS_RUNNING
           : state == PJ_STATE_IDLE     ? PJ_CLASS_IDLE
           : state == PJ_STATE_DISABLED ? PJ_CLASS_DISABLED
                                        : PJ_CLASS_OTHER;
}

/// What a state is spent on in the MPI event types that are open.
unsigned pj_state_clock_in_mpi(unsigned mpi, unsigned by_state);
extern const uint8_t pj_state_clock_spent[32]; // by state, outside of MPI

static inline unsigned pj_state_clock_spending(const pj_state_clock *clock)
{
    unsigned spent = clock->state < 32 ? pj_state_clock_spent[clock->state] : PJ_SPENT_OTHER;
    if (clock->in_runtime && spent != PJ_SPENT_NOTHING)
        spent = PJ_SPENT_DEVICE;
    if (clock->mpi && clock->io.other && spent != PJ_SPENT_NOTHING)
        spent = PJ_SPENT_IO; // whatever the state says of it
    return clock->mpi ? pj_state_clock_in_mpi(clock->mpi, spent) : spent;
}

/// Records come in order of time. A state lasts from `begin` to before `end` (UINT64_MAX = open);
/// the latest begin wins, and the end of any record makes the thread Idle.
static inline void pj_state_clock_state(pj_state_clock *clock, uint64_t begin, uint64_t end,
                                        unsigned state)
{
    bool plain = begin >= clock->end && begin > clock->begin && end > begin;
    if (!plain || clock->borders || clock->end_count) {
        pj_state_clock_rare_state(clock, begin, end, state);
        return;
    }
    pj_state_clock_advance(clock, begin);
    pj_state_clock_count_burst(clock);
    clock->begin = begin;
    clock->end = end;
    clock->slot = pj_state_clock_class(state) | (clock->slot & (PJ_IN_MPI | PJ_IN_OPENMP));
    clock->state = state;
    clock->spending = pj_state_clock_spending(clock);
    clock->counted = false;
}

/// Bursts that a reading is credited for.
static inline uint64_t pj_state_clock_spanned(const pj_state_clock *clock, const pj_credit *credit)
{
    uint64_t bursts = clock->bursts - credit->ended;
    return clock->once && bursts > 1 ? 1 : bursts;
}

/// Credits `value` for each of `bursts`.
static inline void pj_state_clock_credit(pj_credit *credit, uint64_t bursts, int64_t value)
{
    int64_t sum;
    if (__builtin_mul_overflow((int64_t)bursts, value, &sum) ||
        __builtin_add_overflow(credit->useful, sum, &sum))
        pj_state_clock_credit_wide(credit, (pj_wide)(int64_t)bursts * value);
    else
        credit->useful = sum;
}

static inline void pj_state_clock_reading(pj_state_clock *clock, unsigned counter, uint64_t time,
                                          int64_t value)
{
    pj_credit *credit = &clock->credits[counter];
    if (clock->borders || time <= credit->last) {
        pj_state_clock_rare_reading(clock, counter, time, value);
        return;
    }
    if (time > clock->begin)
        pj_state_clock_count_burst(clock);
    pj_state_clock_credit(credit, pj_state_clock_spanned(clock, credit), value);
    bool runs_on = clock->counted && clock->burst_end > time;
    credit->ended = clock->bursts - runs_on;
    credit->last = time;
    credit->present = true;
}

/// The first two counters, read together.
static inline void pj_state_clock_readings(pj_state_clock *clock, uint64_t time, int64_t first,
                                           int64_t second)
{
    pj_credit *credits = clock->credits;
    if (clock->borders || time <= credits[0].last || time <= credits[1].last) {
        pj_state_clock_reading(clock, 0, time, first);
        pj_state_clock_reading(clock, 1, time, second);
        return;
    }
    if (time > clock->begin)
        pj_state_clock_count_burst(clock);
    pj_state_clock_credit(&credits[0], pj_state_clock_spanned(clock, &credits[0]), first);
    pj_state_clock_credit(&credits[1], pj_state_clock_spanned(clock, &credits[1]), second);
    bool runs_on = clock->counted && clock->burst_end > time;
    credits[0].ended = credits[1].ended = clock->bursts - runs_on;
    credits[0].last = credits[1].last = time;
    credits[0].present = credits[1].present = true;
}

/// An MPI call of event type `kind` is entered or left.
static inline void pj_state_clock_mpi(pj_state_clock *clock, uint64_t time, unsigned kind,
                                      bool entered)
{
    pj_state_clock_advance(clock, time);
    clock->mpi = (clock->mpi & ~(1u << kind)) | (unsigned)entered << kind;
    clock->slot = (clock->slot & ~(unsigned)PJ_IN_MPI) | (clock->mpi ? PJ_IN_MPI : 0);
    clock->spending = pj_state_clock_spending(clock);
}

/// Time in calls of the runtime of devices so far.
static inline uint64_t pj_state_clock_called(const pj_state_clock *clock)
{
    return clock->called_ns + (clock->in_runtime ? clock->at - clock->call_since : 0);
}

/// A function of the runtime of devices is entered or left.
static inline void pj_state_clock_runtime(pj_state_clock *clock, uint64_t time, bool entered)
{
    pj_state_clock_advance(clock, time);
    clock->called_ns = pj_state_clock_called(clock);
    clock->call_since = clock->at;
    clock->in_runtime = entered;
    clock->spending = pj_state_clock_spending(clock);
}

/// An OpenMP level is entered (value not 0) or left.
void pj_state_clock_level(pj_state_clock *clock, uint64_t time, int64_t value);

/// An event of input or output.
void pj_state_clock_file(pj_state_clock *clock, const pj_event *event);

/// Whether an OpenMP event is a level; the other families serve the replay.
static inline bool pj_state_clock_is_level(unsigned code)
{
    return code == PJ_OMP_PARALLEL || code == PJ_OMP_BARRIER || code == PJ_OMP_FUNCTION ||
           code == PJ_OMP_TASK;
}

/// An event of the thread, of any kind.
static inline void pj_state_clock_event(pj_state_clock *clock, const pj_event *event)
{
    switch ((pj_event_kind)event->kind) {
    case PJ_EV_STATE:
        pj_state_clock_state(clock, event->time, event->a, event->code);
        break;
    case PJ_EV_COUNTER:
        if (event->code < PJ_STATE_CLOCK_COUNTERS)
            pj_state_clock_reading(clock, event->code, event->time, (int64_t)event->a);
        break;
    case PJ_EV_COUNTERS:
        pj_state_clock_readings(clock, event->time, (int64_t)event->a, (int64_t)event->b);
        break;
    case PJ_EV_MPI:
        pj_state_clock_mpi(clock, event->time, event->code, event->a != 0);
        if (event->code == PJ_MPI_IO)
            pj_io_clock_event(&clock->io, event, clock->window->from, clock->window->to);
        break;
    case PJ_EV_OPENMP:
        if (pj_state_clock_is_level(event->code))
            pj_state_clock_level(clock, event->time, (int64_t)event->a);
        break;
    case PJ_EV_DEVICE:
        if (event->code == PJ_DEVICE_CALL)
            pj_state_clock_runtime(clock, event->time, event->a != 0);
        break;
    case PJ_EV_COLLECTIVE:
    case PJ_EV_REQUEST:
    case PJ_EV_COMPLETE:
    case PJ_EV_MESSAGE:
    case PJ_EV_TRACING:
    case PJ_EV_ENTER:
    case PJ_EV_LEAVE:
    case PJ_EV_PART:
    case PJ_EV_END:
    case PJ_EV_LAST:
        break;
    case PJ_EV_OTHER:
        if (event->code >= PJ_IO_CALL && event->code <= PJ_IO_MOVED)
            pj_state_clock_file(clock, event);
        break;
    }
}

#endif
