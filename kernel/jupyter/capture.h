// What libraries and child processes print to the descriptors 1 and 2: pipes stand in their place,
// and what comes out of them becomes output of the request that is served. Ownership: new/free.
#ifndef PJ_CAPTURE_H
#define PJ_CAPTURE_H

#include "kernel/command/face.h"
#include "kernel/jupyter/request.h"
#include "metrics/base/str.h"

typedef struct pj_capture pj_capture;

/// Where the output goes.
typedef struct pj_capture_sink {
    void *self;
    void (*write)(void *self, pj_request *parent, pj_stream stream, pj_str text);
    /// Milliseconds that a stream has to wait for room; 0 = none. Who prints is held up meanwhile.
    int (*delay)(void *self, bool stream);
} pj_capture_sink;

/// Takes the two descriptors. NULL when the process has no descriptors left: nothing is captured.
/// All functions take NULL for such a capture.
pj_capture *pj_capture_new(pj_capture_sink sink);
/// Puts the descriptors back; after pj_capture_run has returned.
void pj_capture_free(pj_capture *capture);

/// The work of a thread of its own: hands on what is printed, until pj_capture_end.
void pj_capture_run(pj_capture *capture);
void pj_capture_end(pj_capture *capture);

/// Hands on all that was printed so far; what follows belongs to `parent`. Called by those that
/// run cells, before output of their own and at the end of a cell.
void pj_capture_settle(pj_capture *capture, pj_request *parent);
/// The same for who prints again and again: looks at the pipes once in 10 us.
void pj_capture_glance(pj_capture *capture, pj_request *parent);
/// Writes as if the running request had printed it.
void pj_capture_say(pj_capture *capture, const char *text);
/// Standard error as it was before: the log of the kernel.
int pj_capture_log(const pj_capture *capture);

#endif
