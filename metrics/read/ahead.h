// Blocks made ahead by a thread of their own, a bounded number of them. Ownership: new/free.
#ifndef PJ_AHEAD_H
#define PJ_AHEAD_H

#include "metrics/base/err.h"
#include "metrics/read/source.h"

typedef struct pj_ahead pj_ahead;

/// Calls `fill(context, block, err)` on its own thread until it returns false. NULL when the system
/// gives no thread.
PJ_CHECKED pj_ahead *pj_ahead_start(bool (*fill)(void *context, pj_block *block, pj_err *err),
                                    void *context);
/// Stops the thread after the block it is at.
void pj_ahead_stop(pj_ahead *ahead);
/// Trades `block` for the next one made; false at the end or with the error of `fill`.
PJ_CHECKED bool pj_ahead_next(pj_ahead *ahead, pj_block *block, pj_err *err);

#endif
