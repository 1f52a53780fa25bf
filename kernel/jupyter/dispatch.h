// From a request to its answer: the table of message types, and the state that handlers share.
// Knows no socket: messages leave through an outlet. Ownership: new/free.
#ifndef PJ_DISPATCH_H
#define PJ_DISPATCH_H

#include "kernel/jupyter/comm.h"
#include "kernel/jupyter/kept.h"
#include "kernel/jupyter/message.h"
#include "kernel/jupyter/request.h"
#include "kernel/jupyter/subshell.h"
#include "metrics/base/str.h"

/// Where messages go: sockets, or a recorder in a test. Any thread may call.
typedef struct pj_outlet {
    void *self;
    void (*send)(void *self, pj_post *take);    // to the sender of its parent, on its channel
    void (*publish)(void *self, pj_post *take); // to everybody, in order
    void (*write)(void *self, pj_request *parent, pj_stream stream, pj_str text);
    /// Milliseconds that output, a stream or another one, has to wait for room; 0 = none.
    int (*delay)(void *self, bool stream);
    /// What libraries printed to the descriptors so far is published; what follows belongs to
    /// `parent`. Called by those that run cells; a `glance` is cheap and may miss the latest 10 us.
    void (*settle)(void *self, pj_request *parent, bool glance);
    void (*shut_down)(void *self); // the kernel has to end; returns at once
} pj_outlet;

typedef struct pj_kernel {
    pj_outlet out;
    pj_origin *origin;
    pj_comms *comms;
    pj_kept *kept;
    pj_subshells *shells;
    atomic_bool debugging; // a front end has attached its debugger
    bool queue_comms;      // comm messages wait for their turn among cells
} pj_kernel;

/// `origin` and `stop`, the flag that interrupts of the main shell raise, are borrowed.
pj_kernel *pj_kernel_new(pj_outlet out, pj_origin *origin, atomic_bool *stop);
void pj_kernel_free(pj_kernel *kernel);

/// A request came in: it is answered at once or left in the inbox of a shell. Called by the
/// threads of the sockets.
void pj_dispatch(pj_kernel *kernel, pj_request *take);
/// Serves the inbox until it is closed: the shell's thread.
void pj_dispatch_inbox(pj_subshell *shell);

#endif
