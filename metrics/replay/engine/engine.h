// The clocks of the replay: one timeline of operations per location, messages and synchronisations
// between them. Knows nothing of traces; replay.c and threads.c translate. Rules: DEFINITIONS 6.
// Ownership: new/free.
#ifndef PJ_ENGINE_H
#define PJ_ENGINE_H

#include "metrics/replay/call_waits.h"
#include "metrics/replay/network.h"
#include "metrics/replay/whatif/tape.h"
#include "metrics/trace/mpi_call.h"

#include <stddef.h>

typedef struct pj_engine pj_engine;

/// "No message", "no synchronisation".
#define PJ_NOTHING UINT32_MAX

typedef enum pj_op_kind { // moves, then those on messages, then those on synchronisations
    PJ_OP_RUN,            // computes from where the timeline stands in the trace to `time`
    PJ_OP_PASS,           // goes to `time` in the trace at no cost (the rest of an MPI call)
    PJ_OP_SEND,   // sends message `what`; above the eager limit waits until the receive is posted
    PJ_OP_ISEND,  // sends and goes on
    PJ_OP_POST,   // posts the receive of message `what`
    PJ_OP_WAIT,   // waits until message `what` is there; posts it if nothing did
    PJ_OP_SENT,   // completes the send of message `what`: nothing here, but for the account
    PJ_OP_ARRIVE, // arrives at synchronisation `what`
    PJ_OP_AWAIT,  // waits until synchronisation `what` is open
    PJ_OP_CALL,   // is in MPI call `what` until `time`: for the account
    PJ_OP_FENCE,  // that call is a fence of an unknown window: the same
    PJ_OP_LOCK,   // rank `what` has let it go on at `time`, giving a lock free: the same
} pj_op_kind;

typedef struct pj_op {
    uint64_t time; // ns in the trace
    uint32_t what;
    pj_op_kind kind;
} pj_op;

/// Who wants to see the clocks. All may be NULL.
typedef struct pj_engine_watch {
    /// The location went from `from` to `to` in the trace and from `begin` to `end` in the replay,
    /// computing or at no cost.
    void (*moved)(void *self, uint32_t location, const uint64_t trace[2], const double clock[2],
                  bool running);
    /// A call that the location enters at `time` in the trace, and did at `clock`, sends a message:
    /// what is returned comes back with its delivery.
    uint64_t (*sent)(void *self, uint32_t location, uint64_t time, double clock);
    /// The same of calls that receive or take part in a collective, where this is not NULL: two of
    /// them have to do with each other.
    void (*met)(void *self, uint64_t mark, uint64_t other);
    /// A message with all its ends replayed: clocks of send, start, post and arrival, in ns.
    void (*delivered)(void *self, uint32_t message, uint64_t mark, const double clock[4]);
    void *self;
} pj_engine_watch;

/// Where a timeline stands.
typedef struct pj_clock {
    double now;        // ns
    uint64_t at;       // ns in the trace
    double compute_ns; // sum of what it ran
} pj_clock;

/// `account` is told what calls wait for, `tape` of all that is done; NULL = nobody is; borrow.
pj_engine *pj_engine_new(uint32_t locations, pj_network network, pj_engine_watch watch,
                         pj_call_waits *account, pj_tape *tape);
void pj_engine_free(pj_engine *engine);

/// Adds to the end of the location's timeline: it goes to `time` in the trace, computing or at no
/// cost.
void pj_engine_move(pj_engine *engine, uint32_t location, uint64_t time, bool running);
/// Adds any other operation, and goes on wherever this lets somebody go on.
void pj_engine_add(pj_engine *engine, uint32_t location, pj_op_kind kind, uint32_t what);

/// The location is in a call until `leave` in the trace, where its next move ends. Only where there
/// is an account.
void pj_engine_call(pj_engine *engine, uint32_t location, pj_mpi_call call, uint64_t leave);
/// The call is a fence of a window that the trace does not name.
void pj_engine_fence(pj_engine *engine, uint32_t location);
/// The call could not end before this rank gave the lock of a window free, at `time`.
void pj_engine_lock(pj_engine *engine, uint32_t location, uint32_t rank, uint64_t time);
bool pj_engine_accounts(const pj_engine *engine);
/// What the guests of a synchronisation call, and the location that is their root or PJ_NOTHING.
void pj_engine_sync_mean(pj_engine *engine, uint32_t sync, pj_mpi_call call, uint32_t root);

/// A message as its record says: three ends (send, post, wait), each of which the caller gives back
/// with pj_engine_message_release, after the operations that it makes. When neither the caller nor
/// an operation holds it, the message is gone and its number is used again.
uint32_t pj_engine_message(pj_engine *engine, uint32_t from, uint32_t to, uint64_t size);
/// A receive whose message is not known yet, held once.
uint32_t pj_engine_post(pj_engine *engine, uint32_t to);
/// The message of such a receive has been found: two more ends, send and wait.
void pj_engine_bind(pj_engine *engine, uint32_t message, uint32_t from, uint64_t size);
/// What the sender knows of a message whose receive (pj_engine_post) is another number, held once.
/// Both are to be held until they are joined: then what happens at one of them is known at the
/// other, and the receive has sender and size.
uint32_t pj_engine_send(pj_engine *engine, uint32_t from, uint32_t to, uint64_t size);
void pj_engine_from(pj_engine *engine, uint32_t receive, uint32_t from); // a guess until then
void pj_engine_join(pj_engine *engine, uint32_t send, uint32_t receive);
void pj_engine_message_hold(pj_engine *engine, uint32_t message);
void pj_engine_message_release(pj_engine *engine, uint32_t message);
/// Whether an operation that posts its receive has been added.
bool pj_engine_has_post(const pj_engine *engine, uint32_t message);
/// Whether a location sends it to itself, but has not done so far.
bool pj_engine_sends_itself(const pj_engine *engine, uint32_t message);
/// True with the clock when the receive of `message` has been posted in the replay.
bool pj_engine_posted(const pj_engine *engine, uint32_t message, double *clock);
/// Nobody sends the message: who waits for it goes on at once.
void pj_engine_no_send(pj_engine *engine, uint32_t message);
/// No operation posts its receive: it counts as posted at `clock`.
void pj_engine_no_post(pj_engine *engine, uint32_t message, double clock);
/// The same: it counts as posted when the receive `as` was, at once when that is not known.
void pj_engine_post_like(pj_engine *engine, uint32_t message, uint32_t as);

/// A synchronisation opens when it is closed for newcomers and all its guests have arrived.
/// `costed`: the network's cost of a collective is added after the last arrival.
uint32_t pj_engine_sync(pj_engine *engine, bool costed);
/// `guests` more will arrive; `bytes` is the most that any of them moves.
void pj_engine_sync_expect(pj_engine *engine, uint32_t sync, uint32_t guests, uint64_t bytes);
/// One guest less.
void pj_engine_sync_excuse(pj_engine *engine, uint32_t sync);
void pj_engine_sync_close(pj_engine *engine, uint32_t sync);
/// `next` expects the opening of `sync` as one of its guests.
void pj_engine_sync_chain(pj_engine *engine, uint32_t sync, uint32_t next);
/// `sync` has stood for `meant` until that was known: who has arrived at it, or does so later, is a
/// guest of `meant`, and who waits in it waits in `meant`. `sync` was never closed.
void pj_engine_sync_join(pj_engine *engine, uint32_t sync, uint32_t meant);
/// The maker and each holder give their reference back; operations hold one of their own.
void pj_engine_sync_hold(pj_engine *engine, uint32_t sync);
void pj_engine_sync_release(pj_engine *engine, uint32_t sync);

// What happens in other processes: whoever talks to them keeps the messages and synchronisations
// concerned.

/// It will be among the news when one of its clocks becomes known: a send that goes to another
/// process (pj_engine_send), or one that stands for the send of another process and is to be
/// received here.
void pj_engine_far(pj_engine *engine, uint32_t message);
/// The next of these, once for each clock; false when there is no other.
bool pj_engine_far_news(pj_engine *engine, uint32_t *message);
/// When a message was sent; false when it is not yet. `*lost`: nobody does, see pj_engine_no_send.
bool pj_engine_sent(const pj_engine *engine, uint32_t message, double *clock, bool *lost);
/// Whether its sender waits for its receive to be posted; whether one may, for its size.
bool pj_engine_sender_waits(const pj_engine *engine, uint32_t message);
bool pj_engine_is_large(const pj_engine *engine, uint32_t message);
/// It was sent in another process.
void pj_engine_sent_at(pj_engine *engine, uint32_t message, double clock);

/// The synchronisation has guests in other processes, who know it by these numbers.
void pj_engine_sync_far(pj_engine *engine, uint32_t sync, uint32_t row, uint64_t number);
/// So many guests have arrived at such a synchronisation since this was asked for; the last of all
/// here at `clock`.
typedef struct pj_arrivals {
    uint32_t row;
    uint64_t number;
    uint32_t guests;
    double clock;
} pj_arrivals;
bool pj_engine_sync_news(pj_engine *engine, pj_arrivals *out);
/// Guests have arrived in another process.
void pj_engine_sync_arrived(pj_engine *engine, uint32_t sync, uint32_t guests, double clock);
/// A guest that need not come counts as one who came before all others, in other processes, too.
void pj_engine_sync_skip(pj_engine *engine, uint32_t sync);
bool pj_engine_sync_is_open(const pj_engine *engine, uint32_t sync);

/// Borders of the region of interest, ns in the trace; before anything is added.
void pj_engine_roi(pj_engine *engine, uint64_t from, uint64_t to);
/// Clocks with which the location passed them; now, when it has not passed yet or there is none.
/// True when it passed the second one within an MPI call, whose waits were over by then.
bool pj_engine_borders(const pj_engine *engine, uint32_t location, pj_clock *from, pj_clock *to);

pj_clock pj_engine_clock(const pj_engine *engine, uint32_t location);
/// The operation that the location waits in; false when it does not wait.
bool pj_engine_waits(const pj_engine *engine, uint32_t location, pj_op *op);
/// Sender, receiver and size of a message that is not gone.
void pj_engine_ends(const pj_engine *engine, uint32_t message, uint32_t *from, uint32_t *to,
                    uint64_t *size);
/// Bytes in use.
size_t pj_engine_bytes(const pj_engine *engine);

#endif
