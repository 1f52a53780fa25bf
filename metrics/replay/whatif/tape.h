// What the clocks of a replay have done, in an order in which causes come before effects: to do it
// again with other computation or another network, without the trace. Ownership: the run's arena;
// what it needs while it grows is the replay's.
#ifndef PJ_TAPE_H
#define PJ_TAPE_H

#include "metrics/base/arena.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

typedef struct pj_tape pj_tape;

typedef enum pj_tape_kind {
    PJ_TAPE_RUN,           // the location computes for `value` ns in region `what`
    PJ_TAPE_BURST,         // it will compute for `value` ns, in pieces that follow
    PJ_TAPE_PIECE,         // one of them, as RUN
    PJ_TAPE_SENT,          // it sends message `what`
    PJ_TAPE_SENT_COPY,     // message `what` is sent when `value` was
    PJ_TAPE_POSTED,        // it posts the receive of message `what`
    PJ_TAPE_POSTED_COPY,   // that is posted when `value` was; UINT32_MAX: at once
    PJ_TAPE_HELD,          // its send waits until message `what` is posted
    PJ_TAPE_RECEIVE,       // waits until message `what` of `value` bytes is there
    PJ_TAPE_RECEIVE_LARGE, // the same, of one that waits to be posted
    PJ_TAPE_SYNC,          // synchronisation `what` begins
    PJ_TAPE_ARRIVE,        // it arrives there
    PJ_TAPE_CHAIN,         // `what` opens no sooner than `value` has come to
    PJ_TAPE_OPEN,   // `what` costs `location` transfers of `value` bytes after its last arrival
    PJ_TAPE_AWAIT,  // it waits until `what` is open: PJ_TAPE_PATTERN(value), PJ_TAPE_OF_ALL
    PJ_TAPE_BORDER, // it passes border `what` of the region of interest, or PJ_TAPE_ITERATION
    PJ_TAPE_KINDS   // number of kinds
} pj_tape_kind;

/// Of the value of PJ_TAPE_AWAIT: all ranks meet there; what the wait is called
/// (pj_wait_pattern), PJ_WAIT_PATTERNS when it is none of MPI.
enum { PJ_TAPE_OF_ALL = 1 << 8, PJ_TAPE_PATTERNS = PJ_TAPE_OF_ALL - 1 };

/// Of PJ_TAPE_BORDER: between iterations of its rank.
enum { PJ_TAPE_ITERATION = 2 };

typedef struct pj_tape_op {
    uint32_t kind : 4; // pj_tape_kind
    uint32_t location : 28;
    uint32_t what;
    uint64_t value;
} pj_tape_op;

/// For a run that is about to be replayed; it keeps operations of `budget` bytes and forgets them
/// when there are more. `iterations` (borrow): where each rank begins one; NULL = not known.
pj_tape *pj_tape_new(const pj_run *run, uint64_t budget, const pj_borders *iterations);
/// No operation follows; what is needed to grow is released. `complete`: the replay came to its
/// end.
void pj_tape_close(pj_tape *tape, bool complete);

// Told by the engine.

void pj_tape_add(pj_tape *tape, pj_tape_kind kind, uint32_t location, uint32_t what,
                 uint64_t value);
void pj_tape_copy(pj_tape *tape, pj_tape_kind kind, uint32_t to, uint32_t from);
/// Computes from `from` to `to`, ns in the trace.
void pj_tape_run(pj_tape *tape, uint32_t location, uint64_t from, uint64_t to);
/// Is in an MPI call, at no cost.
void pj_tape_pass(pj_tape *tape, uint32_t location);
/// Passes a border (0 or 1); when it computes from `from` on: at `at`, else 0.
void pj_tape_border(pj_tape *tape, uint32_t location, uint32_t border, uint64_t from, uint64_t at);
void pj_tape_sync(pj_tape *tape, uint32_t sync);
void pj_tape_sync_mean(pj_tape *tape, uint32_t sync, pj_mpi_call call);
void pj_tape_sync_join(pj_tape *tape, uint32_t sync, uint32_t meant);
/// A collective of so many guests; 0 = none.
void pj_tape_await(pj_tape *tape, uint32_t location, uint32_t sync, uint32_t guests);
/// Of functions that are entered and left, and states; may come ahead of the clocks.
void pj_tape_event(pj_tape *tape, const pj_event *event);
/// Bytes in use beside the operations that are kept.
size_t pj_tape_bytes(const pj_tape *tape);

// Read when it is closed.

/// Why there are no operations; NULL when there are.
const char *pj_tape_lacks(const pj_tape *tape);
uint64_t pj_tape_count(const pj_tape *tape);
/// Calls `take` with all of them, in blocks.
void pj_tape_each(const pj_tape *tape, void (*take)(void *self, const pj_tape_op *ops, size_t n),
                  void *self);
uint32_t pj_tape_regions(const pj_tape *tape);
/// Functions of the program; the first ones are PJ_WAIT_REGION_NONE and PJ_WAIT_REGION_REST.
const char *pj_tape_region_name(const pj_tape *tape, uint32_t region);

#endif
