// The thread that owns the publishing socket: sends what the queue holds, in order, and welcomes
// subscribers. Ownership: new/free.
#ifndef PJ_IOPUB_H
#define PJ_IOPUB_H

#include "kernel/jupyter/message.h"
#include "kernel/jupyter/outbox.h"
#include "kernel/jupyter/pubqueue.h"
#include "kernel/jupyter/wire.h"

typedef struct pj_iopub pj_iopub;

typedef struct pj_iopub_opts {
    void *socket;      // XPUB, bound; taken
    pj_wire *wire;     // taken
    pj_origin *origin; // borrowed, as are the next two
    pj_pubqueue *queue;
    pj_outbox *outbox;    // messages with `after` wait for its replies
    unsigned patience_ms; // after which a subscriber that reads nothing is cut off
} pj_iopub_opts;

/// Sets the options of an XPUB socket before it is bound.
void pj_iopub_prepare(void *socket, unsigned patience_ms);
/// One message, at once or not at all. False when a subscriber is full, or the peer of a router is
/// not connected (which only the stdin socket tells).
bool pj_frames_send(void *socket, const pj_frames *frames);
/// Starts the thread.
pj_iopub *pj_iopub_new(pj_iopub_opts opts);
/// Sends what is queued (closed before), as far as clients read it within half a second, ends the
/// thread and closes the socket.
void pj_iopub_free(pj_iopub *iopub);

#endif
