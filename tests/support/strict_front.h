// A channel that keeps what is sent, and a strict front end: it notes every message that a real one
// would stumble over. Ownership: new/free; records are borrows.
#ifndef PJ_STRICT_FRONT_H
#define PJ_STRICT_FRONT_H

#include "widgets/ipy/channel.h"

typedef struct pj_front {
    json_t *messages; // [{kind: open|msg|close, id, view, target, data, metadata, buffers}]
    json_t *states;   // {id: state} of the open comms, updates merged
    json_t *mistakes; // ["..."], empty after every good test
} pj_front;

pj_front pj_front_new(void);
void pj_front_free(pj_front *front);

pj_comm_channel pj_front_channel(pj_front *front);
/// Forgets the messages, not the states.
void pj_front_clear(pj_front *front);

size_t pj_front_count(const pj_front *front);
/// Negative places count from the last message; NULL when there is none.
json_t *pj_front_at(const pj_front *front, long place);
/// Comms that are the front end's own (jupyter.widget.control): answers to them are no mistake.
void pj_front_open(pj_front *front, const char *id);

#endif
