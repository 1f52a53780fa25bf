// Several processes that read one input together: who they are, and the one way in which they
// exchange bytes. Knows nothing of what carries these. Ownership: begin/end.
#ifndef PJ_CREW_H
#define PJ_CREW_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"

#include <assert.h>

typedef struct pj_crew {
    unsigned rank, size; // the first one (0) leads: it has the result
    pj_buf *out, *in;    // by member: what goes to it with the next exchange, what has come from it
    unsigned first;      // member with the first threads: 1 where the leader has enough to do
    bool over;           // somebody has failed: nobody exchanges any more
    uint64_t range;      // bytes of a file that are dealt out at once; 0 = as many as suit
    uint32_t crowd;      // threads from which on ranks are replayed apart; 0 = as many as pay
    /// Given by the transport: brings out[i] to member i and fills in[i]; all members call it the
    /// same number of times.
    bool (*carry)(void *self, const pj_buf *out, pj_buf *in, pj_err *err);
    void *self;
} pj_crew;

/// Needs rank, size, carry and self.
void pj_crew_begin(pj_crew *crew);
void pj_crew_end(pj_crew *crew);

/// All members together. False when one of them has failed, with its error.
bool pj_crew_exchange(pj_crew *crew, pj_err *err);
/// What `member` has sent in the last exchange.
pj_str pj_crew_from(const pj_crew *crew, unsigned member);
/// Adds to what goes to all the others and to itself.
void pj_crew_tell(pj_crew *crew, pj_str bytes);
/// In place of the next exchange: the others learn from it that this member cannot go on.
void pj_crew_give_up(pj_crew *crew, const pj_err *why);

static inline bool pj_crew_leads(const pj_crew *crew)
{
    return !crew || crew->rank == 0;
}
/// How many members read: those from `first` on.
static inline unsigned pj_crew_readers(const pj_crew *crew)
{
    return crew->size - crew->first;
}
/// The member that a thread of `locations` (more than 0) belongs to, where ranks need not stay
/// whole (trace/layout.h).
static inline unsigned pj_crew_owner(const pj_crew *crew, uint32_t location, uint32_t locations)
{
    assert(locations > 0);
    return crew->first + (unsigned)((uint64_t)location * pj_crew_readers(crew) / locations);
}

#endif
