// A channel that keeps what is sent, and a strict front end: it notes every message that a real one
// would stumble over. Ownership: new/free; records are borrows.
#ifndef PJ_RECORDING_CHANNEL_H
#define PJ_RECORDING_CHANNEL_H

#include "widgets/channel.h"

typedef struct pj_recording {
    json_t *messages; // [{kind: open|msg|close, id, view, target, data, metadata, buffers}]
    json_t *states;   // {id: state} of the open comms, updates merged
    json_t *mistakes; // ["..."], empty after every good test
} pj_recording;

pj_recording pj_recording_new(void);
void pj_recording_free(pj_recording *recording);
#define pj_auto_recording __attribute__((cleanup(pj_recording_free))) pj_recording

pj_comm_channel pj_recording_channel(pj_recording *recording);
/// Forgets the messages, not the states.
void pj_recording_clear(pj_recording *recording);

size_t pj_recording_count(const pj_recording *recording);
/// Negative places count from the last message; NULL when there is none.
json_t *pj_recording_at(const pj_recording *recording, long place);
/// Comms that are the front end's own (jupyter.widget.control): answers to them are no mistake.
void pj_recording_open(pj_recording *recording, const char *id);

#endif
