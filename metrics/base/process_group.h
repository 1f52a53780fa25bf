// Several processes that read one input together: who they are, and the one way in which they
// exchange bytes. Knows nothing of what carries these. Ownership: begin/end.
#ifndef PJ_PROCESS_GROUP_H
#define PJ_PROCESS_GROUP_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <assert.h>

typedef struct pj_process_group {
    unsigned rank, size; // the first one (0) leads: it has the result
    pj_buf *out, *in;    // by member: what goes to it with the next exchange, what has come from it
    unsigned first;      // member with the first threads: 1 where the leader has enough to do
    bool over;           // somebody has failed: nobody exchanges any more
    /// Given by the transport: brings out[i] to member i and fills in[i]; all members call it the
    /// same number of times.
    bool (*carry)(void *self, const pj_buf *out, pj_buf *in, pj_err *err);
    void *self;
} pj_process_group;

/// Needs rank, size, carry and self.
void pj_process_group_begin(pj_process_group *group);
void pj_process_group_end(pj_process_group *group);

/// All members together. False when one of them has failed, with its error.
PJ_CHECKED bool pj_process_group_exchange(pj_process_group *group, pj_err *err);
/// What `member` has sent in the last exchange.
pj_str pj_process_group_from(const pj_process_group *group, unsigned member);
/// Adds to what goes to all the others and to itself.
void pj_process_group_tell(pj_process_group *group, pj_str bytes);
/// In place of the next exchange: the others learn from it that this member cannot go on.
void pj_process_group_give_up(pj_process_group *group, const pj_err *why);

static inline bool pj_process_group_leads(const pj_process_group *group)
{
    return !group || group->rank == 0;
}
/// How many members read: those from `first` on.
static inline unsigned pj_process_group_readers(const pj_process_group *group)
{
    return group->size - group->first;
}
/// The member that a thread of `locations` (more than 0) belongs to, where ranks need not stay
/// whole (trace/layout.h).
static inline unsigned pj_process_group_owner(const pj_process_group *group, uint32_t location,
                                              uint32_t locations)
{
    assert(locations > 0);
    return group->first +
           (unsigned)((uint64_t)location * pj_process_group_readers(group) / locations);
}

#endif
