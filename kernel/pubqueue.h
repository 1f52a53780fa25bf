// The queue between those who publish and the thread that sends: merges streams, holds a bounded
// number of bytes, and never loses a status, a reply or a comm message. Ownership: new/free; any
// thread may add, one thread takes.
#ifndef PJ_PUBQUEUE_H
#define PJ_PUBQUEUE_H

#include "kernel/message.h"

#include <stdatomic.h>

typedef struct pj_pubqueue pj_pubqueue;

typedef struct pj_pubqueue_opts {
    size_t limit;            // bytes of output held before a producer must wait; 0 = 64 MB
    unsigned patience_ms;    // how long it waits before output is dropped; 0 = 10 s
    const atomic_bool *stop; // raised = producers do not wait; may be NULL
} pj_pubqueue_opts;

enum {
    PJ_PUBQUEUE_MERGE_MS = 20,   // a stream waits so long for more of it
    PJ_PUBQUEUE_CHUNK = 64 << 10 // or until it has so many bytes, the most in one message
};

pj_pubqueue *pj_pubqueue_new(pj_origin *origin, pj_pubqueue_opts opts);
void pj_pubqueue_free(pj_pubqueue *queue);

void pj_pubqueue_post(pj_pubqueue *queue, pj_post *take);
/// Output of a program: any bytes. `parent` NULL is allowed.
void pj_pubqueue_write(pj_pubqueue *queue, pj_request *parent, pj_stream stream, pj_str text);
/// Nothing waits any more: what is queued is due at once, producers never block.
void pj_pubqueue_close(pj_pubqueue *queue);

/// Becomes readable when pj_pubqueue_take has to be called (again).
int pj_pubqueue_fd(const pj_pubqueue *queue);
/// The next message that is due; the caller's. NULL with the time to wait in `wait_ms`: -1 = until
/// the descriptor is readable.
pj_post *pj_pubqueue_take(pj_pubqueue *queue, int *wait_ms);
bool pj_pubqueue_closed(pj_pubqueue *queue);
/// Whether it is closed and empty.
bool pj_pubqueue_finished(pj_pubqueue *queue);

#endif
