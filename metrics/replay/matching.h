// Which send a receive belongs to, where both are told apart: messages of one tag do not overtake
// each other on their way from a rank to another one on a communicator. Ownership: new/free.
#ifndef PJ_MATCHING_H
#define PJ_MATCHING_H

#include "metrics/base/str.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/far.h"
#include "metrics/run/run.h"
#include "metrics/trace/layout.h"

typedef struct pj_matching pj_matching;

/// `far`: ranks of other processes; NULL = none.
pj_matching *pj_matching_new(pj_engine *engine, const pj_layout *layout, pj_far *far);
void pj_matching_free(pj_matching *matching);

/// The next channel of a location, from 0 on: messages to and from the rank `other`.
void pj_matching_open(pj_matching *matching, uint32_t location, uint32_t other,
                      uint32_t communicator);

/// One end of a message on a channel that has been opened.
typedef struct pj_matching_end {
    uint32_t location;
    uint32_t channel;
    uint32_t tag;
} pj_matching_end;

/// A send; gives the engine's number for it, held once for the caller.
uint32_t pj_matching_send(pj_matching *matching, pj_matching_end end, uint64_t size);
/// The receive `message` of the engine (pj_engine_post) belongs to the channel.
void pj_matching_receive(pj_matching *matching, pj_matching_end end, uint32_t message);
/// Writes to `far` what the others need to know, and takes what `member` has written; false when
/// that cannot be understood.
void pj_matching_tell(pj_matching *matching);
bool pj_matching_hear(pj_matching *matching, unsigned member, pj_far_kind kind, pj_str *in);
/// Bytes in use.
size_t pj_matching_bytes(const pj_matching *matching);

#endif
