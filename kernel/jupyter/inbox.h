// Requests and errands that wait for a shell, in order of arrival. After a failed cell the cells
// behind it are aborted. Ownership: new/free; any thread may add, one thread takes.
#ifndef PJ_INBOX_H
#define PJ_INBOX_H

#include "kernel/command/face.h"
#include "kernel/jupyter/request.h"

#include <stdatomic.h>

typedef struct pj_inbox pj_inbox;

pj_inbox *pj_inbox_new(void);
void pj_inbox_free(pj_inbox *inbox);

typedef struct pj_inbox_item {
    pj_request *request; // or, with an errand, the one that it is run for; may be NULL then
    bool aborted;        // it must not run
    pj_errand errand;    // .call NULL = none
    char owner[80];      // of its widgets
} pj_inbox_item;

/// Takes what the item holds.
void pj_inbox_add_take(pj_inbox *inbox, pj_inbox_item item);
typedef enum pj_inbox_news {
    PJ_INBOX_ITEM,   // the caller's (pj_inbox_item_drop)
    PJ_INBOX_SIGNAL, // none: the flag is raised, since before the wait or during it
    PJ_INBOX_CLOSED,
} pj_inbox_news;

/// Waits for the next one. `interrupted`: what the handler of SIGINT raises in the thread that
/// waits; NULL = no signal comes to it.
pj_inbox_news pj_inbox_take(pj_inbox *inbox, const atomic_bool *interrupted, pj_inbox_item *out);
void pj_inbox_item_drop(pj_inbox_item *item);
/// Bytes that the waiting items hold, roughly.
size_t pj_inbox_bytes(pj_inbox *inbox);
/// Marks every execute_request that waits. Called before the failure is told to anybody: it first
/// waits (4 ms of silence, 16 ms at most) for what the front end sent without knowing of it.
void pj_inbox_abort_cells(pj_inbox *inbox);
/// Takers get PJ_INBOX_CLOSED from now on, whatever waits.
void pj_inbox_close(pj_inbox *inbox);
/// What waited in a closed inbox, one by one, the caller's; false when nothing is left.
bool pj_inbox_left(pj_inbox *inbox, pj_inbox_item *out);

#endif
