// Replies and questions on their way to the io thread, which alone may use the shell and stdin
// sockets. Counts what was sent, so that "idle" can wait for its reply. Ownership: new/free.
#ifndef PJ_OUTBOX_H
#define PJ_OUTBOX_H

#include "kernel/jupyter/message.h"

typedef struct pj_outbox pj_outbox;

pj_outbox *pj_outbox_new(void);
void pj_outbox_free(pj_outbox *outbox);

void pj_outbox_add(pj_outbox *outbox, pj_post *take);
/// How many were added so far.
unsigned long pj_outbox_added(pj_outbox *outbox);
/// Blocks until so many of them were sent, or the outbox is closed and empty.
void pj_outbox_wait(pj_outbox *outbox, unsigned long count);
/// Nothing more is taken in: the io thread ends when it has sent the rest.
void pj_outbox_close(pj_outbox *outbox);

/// Readable when something was added or the outbox was closed.
int pj_outbox_fd(const pj_outbox *outbox);
/// The next one, the caller's; NULL when empty, with `closed` telling whether that is for good.
pj_post *pj_outbox_take(pj_outbox *outbox, bool *closed);
/// One more is out; called by the taker.
void pj_outbox_sent(pj_outbox *outbox);

#endif
