// A plain trace read by a process group: ranges of the file are dealt out in turn, and after each
// round the events go to the members that own their threads. So every thread's events come to one
// member in the order of the file, and what is open where a range ends needs no further care.
// Ownership: new/free.
#ifndef PJ_PRV_SHARE_H
#define PJ_PRV_SHARE_H

#include "metrics/base/err.h"
#include "metrics/read/paraver/prv_record.h"
#include "metrics/read/pass.h"
#include "metrics/read/source.h"
#include "metrics/trace/event.h"

typedef struct pj_prv_share pj_prv_share;

/// Records begin at `first` in the file; all members together. NULL with the error of any of them.
PJ_CHECKED pj_prv_share *pj_prv_share_new(const pj_pass *pass, const pj_source *source,
                                          uint64_t first, pj_err *err);
void pj_prv_share_free(pj_prv_share *share);

/// The next block of this member's ranges, of which the text from `*begin` on is meant; false at
/// the end or with an error. `*last` = no text: the range has ended, and with it the round.
PJ_CHECKED bool pj_prv_share_next(pj_prv_share *share, pj_source *source, pj_block *block,
                                  size_t *begin, bool *last, pj_err *err);
/// Sends what a block holds to whom it concerns, with the next exchange.
void pj_prv_share_send(pj_prv_share *share, const pj_prv_batch *batch, bool unended);
/// At the end of each range, all members together.
PJ_CHECKED bool pj_prv_share_exchange(pj_prv_share *share, pj_err *err);

/// A block of any member, in the order of the file.
typedef struct pj_prv_received {
    const pj_prv_batch *facts; // lines, oddities, times; the leader's only
    bool unended;
    pj_batch own, all; // events of this member's threads; of all, for the leader
} pj_prv_received;

/// After an exchange, until it says false; with an error when a member's bytes make no sense.
PJ_CHECKED bool pj_prv_share_receive(pj_prv_share *share, pj_prv_received *out, pj_err *err);

/// At the end, all members together: whether nobody has seen a thread go back in time, and the
/// leader's end of the trace.
PJ_CHECKED bool pj_prv_share_end(pj_prv_share *share, bool *ordered, uint64_t *end_ns, pj_err *err);

#endif
