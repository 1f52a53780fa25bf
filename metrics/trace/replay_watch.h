// Who wants to see what the replay finds, as it finds it. Ownership: plain data.
#ifndef PJ_REPLAY_WATCH_H
#define PJ_REPLAY_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/// All may be NULL. Each location is told in its order, locations in any; waits in any order. Times
/// of the trace in ns; calls and waits are those of the first thread of a rank.
typedef struct pj_replay_watch {
    /// The location went from trace[0] to trace[1] in the trace and from clock[0] to clock[1] in
    /// the replay, computing or inside a call.
    void (*moved)(void *self, uint32_t location, const uint64_t trace[2], const double clock[2],
                  bool running);
    /// The rank was in an MPI call; what is returned comes back with its wait.
    uint32_t (*called)(void *self, uint32_t rank, uint64_t enter, uint64_t leave);
    /// Of a call, it waited from `begin` to `end`.
    void (*waited)(void *self, uint32_t rank, uint32_t tag, uint64_t begin, uint64_t end);
    /// A call that the location enters at `time`, and does at `clock`, sends or receives a message
    /// or takes part in a collective; what is returned stands for it there.
    uint64_t (*sent)(void *self, uint32_t location, uint64_t time, double clock);
    /// Two of these have to do with each other.
    void (*met)(void *self, uint64_t mark, uint64_t other);
    void *self;
} pj_replay_watch;

#endif
