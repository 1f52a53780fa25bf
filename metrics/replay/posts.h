// Receives that have been replayed before their message was seen in the trace, by location: what a
// late record needs to know when its receive was posted. Bounded: the oldest are forgotten.
// Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_POSTS_H
#define PJ_POSTS_H

#include "metrics/replay/engine/engine.h"

typedef struct pj_posted {
    uint64_t begin, end; // of the call, ns in the trace
    uint32_t message;    // PJ_NOTHING: its message has been found
    bool many;           // the call may post several receives
} pj_posted;

typedef struct pj_posts {
    pj_posted *items; // ring, by time
    uint32_t head, count, cap;
    bool forgot; // some have been dropped at the front
} pj_posts;

/// Adds a receive. When `most` are kept, the oldest one is dropped; it is one that has been found
/// as long as fewer than half as many are open.
void pj_posts_add(pj_posts *posts, pj_engine *engine, pj_posted item, uint32_t most);
/// The call that holds `time`; NULL when there is none. `*forgotten`: it would be older than all.
pj_posted *pj_posts_find(pj_posts *posts, uint64_t time, bool *forgotten);
/// Drops the found receives at the front.
void pj_posts_trim(pj_posts *posts);
void pj_posts_free(pj_posts *posts);

#endif
