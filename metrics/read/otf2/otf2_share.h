// An archive read by a process group: each member decodes the event files of its own threads for
// the sinks that take threads apart, and sends the leader what the others need. There a location
// without files stands for each thread of the others; the leader asks for more when it needs more.
// Ownership: new/free.
#ifndef PJ_OTF2_SHARE_H
#define PJ_OTF2_SHARE_H

#include "metrics/base/err.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/pass.h"

typedef struct pj_otf2_share pj_otf2_share;

/// `locations` by location, those of others from pj_otf2_location_absent.
pj_otf2_share *pj_otf2_share_new(pj_pass *pass, pj_otf2_location **locations, unsigned workers);
void pj_otf2_share_free(pj_otf2_share *share);
bool pj_otf2_share_owns(const pj_otf2_share *share, const pj_otf2_location *location);

/// All members together: when the threads of the others begin.
PJ_CHECKED bool pj_otf2_share_begins(pj_otf2_share *share, pj_err *err);

/// Leader: this location of another member is to get so many events more. Then all that was asked
/// for is sent for; while it comes, the leader may fill its own; then it is taken.
void pj_otf2_share_ask(pj_otf2_share *share, const pj_otf2_location *location, size_t events);
PJ_CHECKED bool pj_otf2_share_send_for(pj_otf2_share *share, pj_err *err);
PJ_CHECKED bool pj_otf2_share_take(pj_otf2_share *share, pj_err *err);
/// Leader: nothing more is wanted.
PJ_CHECKED bool pj_otf2_share_dismiss(pj_otf2_share *share, pj_err *err);
/// The others: does what the leader asks for until it wants nothing more.
PJ_CHECKED bool pj_otf2_share_serve(pj_otf2_share *share, pj_err *err);

/// Events of an own location from the `first` on, for the sinks that take threads apart. Messages
/// are left out: the leader alone knows both of their ends.
PJ_CHECKED bool pj_otf2_share_pass(pj_otf2_share *share, const pj_otf2_location *location,
                                   size_t first, pj_err *err);

#endif
