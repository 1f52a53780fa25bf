// From the MPI calls and messages of a trace to operations of the replay (DEFINITIONS 6).
// Ownership: new/free.
#ifndef PJ_CALLS_H
#define PJ_CALLS_H

#include "metrics/replay/engine/engine.h"
#include "metrics/replay/groups.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/mpi_call.h"

typedef struct pj_calls pj_calls;

enum { PJ_TOUCHING_MOST = 16 };

/// An MPI call as the trace has it.
typedef struct pj_replay_call {
    uint64_t begin, end; // ns
    uint64_t number;     // of the event that left it; where messages are whole records
    uint32_t location;
    pj_mpi_call call;
    uint32_t communicator; // of a collective
    bool has_communicator; // its fields are in the trace
    bool root;
    uint64_t bytes;
} pj_replay_call;

/// `stats` receives the oddities.
pj_calls *pj_calls_new(pj_engine *engine, pj_groups *groups, const pj_run *run,
                       pj_import_stats *stats);
void pj_calls_free(pj_calls *calls);

/// A message, the `number`-th event; its calls follow, or precede by not much more than the
/// replay's window. Gives the engine's number for it.
uint32_t pj_calls_message(pj_calls *calls, const pj_message *message, uint64_t number);
/// Where the ends of messages are told apart (pj_run.told.messages_apart): the next call of the
/// location sends `message` (which it releases), or posts a receive at `time`, or completes one
/// that was posted then, or one that it posts itself (NULL). The number of what is completed is
/// returned, held once for the caller.
void pj_calls_send(pj_calls *calls, uint32_t location, uint32_t message);
void pj_calls_post(pj_calls *calls, uint32_t location, uint64_t time);
uint32_t pj_calls_receive(pj_calls *calls, uint32_t location, const uint64_t *time);
/// It completes the `number`-th send of the location, from 0 on.
void pj_calls_sent(pj_calls *calls, uint32_t location, uint64_t number);
/// It waits until the rank gives the lock of a window free, at `time`: for the account.
void pj_calls_unlocked(pj_calls *calls, uint32_t location, uint32_t rank, uint64_t time);
/// What was told since the last call stands in no call.
void pj_calls_stray(pj_calls *calls, uint32_t location);
/// The calls after one that begin where it ends, as many as are known, the first of them first.
typedef struct pj_touching {
    const pj_replay_call *calls[PJ_TOUCHING_MOST];
    uint32_t count;
} pj_touching;

/// The next call of its location. The caller has run the location to call->begin.
void pj_calls_replay(pj_calls *calls, const pj_replay_call *call, const pj_touching *next);
/// The next call of the location requests a non-blocking collective whose communicator comes with
/// its completion. The caller has run the location to call->begin.
void pj_calls_request(pj_calls *calls, const pj_replay_call *call);
/// The next call of the location completes the `number`-th of these, from 0 on; `call` has what is
/// then known of it.
void pj_calls_complete(pj_calls *calls, const pj_replay_call *call, uint32_t number);
/// No call of the location follows.
void pj_calls_end(pj_calls *calls, uint32_t location);
/// Bytes in use.
size_t pj_calls_bytes(const pj_calls *calls);

#endif
