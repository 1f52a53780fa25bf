// A run written down as events, without a trace file, and what the replay makes of it.
// Ownership: new/free.
#ifndef PJ_REPLAY_SCRIPT_H
#define PJ_REPLAY_SCRIPT_H

#include "metrics/base/map.h"
#include "metrics/replay/replay.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"

typedef struct pj_script {
    pj_run *run;
    pj_event *events;
    size_t count, cap;
    pj_message *messages;
    size_t message_count, message_cap;
    size_t communicator_cap;
    pj_map *channels; // by location: of ends of messages, by (other rank, communicator)
} pj_script;

/// `threads` of each rank; communicator 1 holds all ranks.
pj_script *pj_script_new(uint32_t ranks, uint32_t threads);
void pj_script_free(pj_script *script);
static inline void pj_script_drop(pj_script **script)
{
    pj_script_free(*script);
}
#define pj_auto_script __attribute__((cleanup(pj_script_drop))) pj_script *

void pj_script_communicator(pj_script *script, uint32_t id, const uint32_t *ranks, uint32_t size);
void pj_script_event(pj_script *script, pj_event event);
/// The call's two events; the process ends on a name without a row.
void pj_script_call(pj_script *script, uint32_t location, const char *name, uint64_t begin,
                    uint64_t end);
typedef struct pj_script_collective {
    const char *name;
    uint64_t begin, end;
    uint32_t communicator; // 0 = without the event that names it
    bool root;
    uint64_t bytes;
} pj_script_collective;
void pj_script_collect(pj_script *script, uint32_t location, pj_script_collective call);
/// Completes the `number`-th request of the location.
typedef struct pj_script_completion {
    uint32_t number;
    uint32_t communicator;
    bool root;
    uint64_t bytes;
} pj_script_completion;
/// A call that requests a non-blocking collective, or completes some.
typedef struct pj_script_part {
    const char *name;
    uint64_t begin, end;
    bool requests;
    const pj_script_completion *completes;
    size_t count;
} pj_script_part;
void pj_script_request(pj_script *script, uint32_t location, pj_script_part call);
/// Physical send = `sent`, or logical send when that is 0. The record stands at `send`, or at
/// `record` when that is not 0.
typedef struct pj_script_message {
    uint32_t from, to;
    uint64_t send, post, received;
    uint64_t size;
    uint64_t record, sent;
    int64_t tag;
} pj_script_message;
void pj_script_send(pj_script *script, pj_script_message message);
/// One end of a message, where messages come apart; the script opens its channel.
typedef struct pj_script_end {
    pj_part_kind kind;
    uint32_t other; // rank
    uint32_t communicator, tag;
    uint64_t
        more; // of a send its bytes, of a receive when it was posted; of PJ_PART_SENT the number
} pj_script_end;
/// A call with such ends, in their order; without a name they stand in no call.
typedef struct pj_script_ends {
    const char *name;
    uint64_t begin, end;
    const pj_script_end *ends;
    size_t count;
} pj_script_ends;
/// From the first one on, records of messages (pj_script_send) count for nothing.
void pj_script_apart(pj_script *script, uint32_t location, pj_script_ends call);
void pj_script_openmp(pj_script *script, uint32_t location, uint16_t code, uint64_t value,
                      uint64_t time);
/// The last event record of a location, where that is later than its calls.
void pj_script_last(pj_script *script, uint32_t location, uint64_t time);

/// Sorts by time (calls before messages at equal times) and replays in batches of `batch` events
/// (0 = all at once); the results are in script->run->ideal.
void pj_script_replay(pj_script *script, pj_replay_opts opts, size_t batch);

/// ns that a metric of the replayed run is lost to a cause; NULL = to all of them together.
double pj_script_lost(const pj_script *script, const char *metric, const char *cause);

// By cmocka's means.

/// Replays on the ideal network, with an account of waits; fails when there is no answer.
void pj_script_solve(pj_script *script);
/// Fails unless there are ideal times, and those of the rank are exactly these, in ns.
void pj_script_expect(const pj_script *script, uint32_t rank, double finish, double compute);
uint64_t pj_script_counted(const pj_script *script, pj_import_key key);

#endif
