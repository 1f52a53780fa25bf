// Requests that wait for the language, in order of arrival. After a failed cell the cells behind
// it are aborted. Ownership: new/free; any thread may add, one thread takes.
#ifndef PJ_INBOX_H
#define PJ_INBOX_H

#include "kernel/request.h"

typedef struct pj_inbox pj_inbox;

pj_inbox *pj_inbox_new(void);
void pj_inbox_free(pj_inbox *inbox);

void pj_inbox_add(pj_inbox *inbox, pj_request *take);
/// The next request, the caller's; `aborted` tells that it must not run. Blocks; NULL when the
/// inbox was closed.
pj_request *pj_inbox_take(pj_inbox *inbox, bool *aborted);
/// Marks every execute_request that waits. Called before the failure is told to anybody: it first
/// waits (4 ms of silence, 16 ms at most) for what the front end sent without knowing of it.
void pj_inbox_abort_cells(pj_inbox *inbox);
/// Takers get NULL from now on, whatever waits.
void pj_inbox_close(pj_inbox *inbox);
/// What waited in a closed inbox, one by one, the caller's; NULL when nothing is left.
pj_request *pj_inbox_left(pj_inbox *inbox);

#endif
