// Who waits where for whom, when a replay cannot go on. Ownership: plain data.
#ifndef PJ_WAITS_H
#define PJ_WAITS_H

#include "metrics/base/arena.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/groups.h"
#include "metrics/run/run.h"
#include "metrics/trace/layout.h"

typedef struct pj_wait { // of a location
    bool waits;
    uint32_t kind;   // pj_op_kind
    uint32_t other;  // of a message: the location at its other end
    uint64_t size;   // of a message: bytes
    uint64_t at;     // where in the trace, ns
    bool collective; // which its synchronisation is; else the threads of its rank meet there
    pj_sync_name sync;
} pj_wait;

pj_wait pj_wait_of(const pj_engine *engine, const pj_groups *groups, uint32_t location);
/// How many of all locations wait, and one of them with what it waits for, further on in the circle
/// if there is one; NULL when nobody does.
const char *pj_waits_text(const pj_wait *waits, const pj_groups *groups, const pj_layout *layout,
                          pj_arena *arena);

#endif
