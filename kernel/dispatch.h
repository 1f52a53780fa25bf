// From a request to its answer: the table of message types, and the state that handlers share.
// Knows no socket: messages leave through an outlet. Ownership: new/free.
#ifndef PJ_DISPATCH_H
#define PJ_DISPATCH_H

#include "kernel/comm.h"
#include "kernel/history.h"
#include "kernel/inbox.h"
#include "kernel/lang.h"
#include "kernel/message.h"
#include "kernel/prompt.h"

/// Where messages go: sockets, or a recorder in a test. Any thread may call.
typedef struct pj_outlet {
    void *self;
    void (*send)(void *self, pj_post *take);    // to the sender of its parent, on its channel
    void (*publish)(void *self, pj_post *take); // to everybody, in order
    void (*write)(void *self, pj_request *parent, pj_stream stream, pj_str text);
    void (*shut_down)(void *self); // the kernel has to end; returns at once
} pj_outlet;

typedef struct pj_kernel {
    pj_outlet out;
    pj_origin *origin;
    atomic_bool *stop; // raised by interrupts
    pj_inbox *inbox;
    pj_history *history;
    pj_comms *comms;
    pj_prompt *prompt;
    // Of the language thread alone:
    pj_lang *lang;
    pj_request *current; // borrowed: the request whose output is being made
    json_t *payload;     // of the running cell; NULL outside
    bool allow_stdin;
    int count; // of stored cells
} pj_kernel;

/// `origin` and `stop` are borrowed.
pj_kernel *pj_kernel_new(pj_outlet out, pj_origin *origin, atomic_bool *stop);
void pj_kernel_free(pj_kernel *kernel);

/// A request came in: it is answered at once or left in the inbox for the language. Called by the
/// threads of the sockets.
void pj_dispatch(pj_kernel *kernel, pj_request *take);
/// Serves the inbox until it is closed: the language's thread.
void pj_dispatch_inbox(pj_kernel *kernel);

#endif
