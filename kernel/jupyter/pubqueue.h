// The queue between those who publish and the thread that sends: merges streams and tells those who
// make output how long to wait for room. Nothing is lost and nobody held up in here. Ownership:
// new/free; any thread may add, one thread takes.
#ifndef PJ_PUBQUEUE_H
#define PJ_PUBQUEUE_H

#include "kernel/jupyter/message.h"
#include "kernel/jupyter/request.h"
#include "metrics/base/str.h"

typedef struct pj_pubqueue pj_pubqueue;

typedef struct pj_pubqueue_opts {
    size_t limit;  // bytes held before output has to wait; 0 = 64 MB
    uint64_t rate; // bytes per second of streams (pace.h); 0 = any
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
/// Milliseconds that output, a stream or another one, should wait before it is added; 0 = none.
int pj_pubqueue_delay(pj_pubqueue *queue, bool stream);
/// The front ends were told that the kernel is idle: pacing begins anew.
void pj_pubqueue_turned_idle(pj_pubqueue *queue);
/// What is queued is due at once.
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
