// The ranks of a replay that other processes of a process group replay, and what goes to them:
// numbers and clocks, written one after another. Ownership: new/free.
#ifndef PJ_FAR_H
#define PJ_FAR_H

#include "metrics/base/buf.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/trace/layout.h"

typedef struct pj_far {
    unsigned self;   // this member
    unsigned size;   // members
    unsigned *owner; // by rank
    pj_buf *out;     // by member: what is to be told
    pj_buf *gone;    // what has been
} pj_far;

/// What a piece of news is about; its numbers follow.
typedef enum pj_far_kind {
    PJ_FAR_WAY,     // from, to, communicator: opens the next way of messages from here
    PJ_FAR_SEND,    // way, tag, location, size: the next message on a way
    PJ_FAR_SENT,    // way, message, clock: it has been sent
    PJ_FAR_LOST,    // the same: nobody will send it
    PJ_FAR_POSTED,  // way (of the other member), message, clock: its receive has been posted
    PJ_FAR_MET,     // row, collective, guests, call, whether others differ, bytes
    PJ_FAR_ARRIVED, // row, collective, guests, clock
} pj_far_kind;

pj_far *pj_far_new(const pj_process_group *group, const pj_layout *layout);
void pj_far_free(pj_far *far);

/// Whether another member replays the rank; `far` NULL = there is no other.
static inline bool pj_far_has(const pj_far *far, uint32_t rank)
{
    return far && far->owner[rank] != far->self;
}

/// What goes to the others, by member; what is told from now on goes the next time. Borrow.
const pj_buf *pj_far_send(pj_far *far);

void pj_far_put(pj_buf *out, pj_far_kind kind, const uint64_t *numbers, size_t count);
void pj_far_put_clock(pj_buf *out, double clock);
/// False when the bytes end before.
bool pj_far_take(pj_str *in, uint64_t *numbers, size_t count);
bool pj_far_take_clock(pj_str *in, double *clock);

#endif
