// Joins what the locations of an OTF2 archive did together: sends with receives in the order of
// each sender, receiver, communicator and tag; collectives by their number on a communicator. What
// they say about the clocks goes to otf2_sync. Ownership: new/free.
#ifndef PJ_OTF2_MATCH_H
#define PJ_OTF2_MATCH_H

#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/read/otf2/otf2_reach.h"
#include "metrics/read/otf2/otf2_sync.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"

typedef struct pj_otf2_match pj_otf2_match;

pj_otf2_match *pj_otf2_match_new(const pj_otf2_defs *defs, pj_otf2_sync *sync);
void pj_otf2_match_free(pj_otf2_match *match);

/// Takes the operations that the location has found since the last call.
void pj_otf2_match_take(pj_otf2_match *match, pj_otf2_location *location);
/// Messages that went from one rank to another on a communicator.
typedef struct pj_otf2_traffic {
    uint32_t from, to, comm;
    bool completed; // some of its receives have a completion
    bool counted;   // each wait of the receiver completes as many of them
    uint64_t sends;
} pj_otf2_traffic;

/// What has been sent to `rank`: fills `out` (NULL = only counts), gives the number of items.
size_t pj_otf2_match_traffic(const pj_otf2_match *match, uint32_t rank, pj_otf2_traffic *out);
/// The receiver of this traffic has no completions of its receives in the trace: what is sent to it
/// is received by its `waits` waits, evenly: the first ones by the first, where the traffic is
/// counted, else in the order of time. Before anything is taken.
void pj_otf2_match_infer(pj_otf2_match *match, const pj_otf2_traffic *traffic, uint32_t waits);
bool pj_otf2_match_infers(const pj_otf2_match *match, uint32_t rank);
/// The next rank that sends messages to such a rank; `cursor` begins at 0. False = no other.
bool pj_otf2_match_sender(const pj_otf2_match *match, uint32_t rank, uint32_t *cursor,
                          uint32_t *from);
/// A receive of such a rank, in the order of time.
void pj_otf2_match_receive(pj_otf2_match *match, const pj_otf2_location *location,
                           const pj_otf2_op *receive);

/// The message of a send; false while its receive has not been found.
bool pj_otf2_match_message(const pj_otf2_match *match, uint32_t message, pj_message *out);
/// The send's event is about to leave its place: true with the message when it is complete, else it
/// comes out of pj_otf2_match_late once it is.
bool pj_otf2_match_release(pj_otf2_match *match, uint32_t message, pj_message *out);
/// The next message that was completed after its release.
bool pj_otf2_match_late(pj_otf2_match *match, pj_message *out);
/// Sends to this rank are not expected to be received.
void pj_otf2_match_forgive(pj_otf2_match *match, uint32_t rank);
/// Messages so far that have only one end.
uint64_t pj_otf2_match_left(const pj_otf2_match *match);
/// Messages that were received before they were sent.
uint64_t pj_otf2_match_reversed(const pj_otf2_match *match);
/// Counts what is left over.
void pj_otf2_match_end(pj_otf2_match *match, pj_import_stats *import);
/// How far the messages reach that have been completed.
const pj_otf2_reach *pj_otf2_match_reach(const pj_otf2_match *match);
/// Bytes in use.
size_t pj_otf2_match_bytes(const pj_otf2_match *match);

#endif
