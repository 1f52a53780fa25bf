// The call paths of one thread, in place of its events (profile mode): a file of nodes, mapped into
// memory segment by segment, so that it is there whatever becomes of the process and nothing need
// be written at the end. Time is told at each enter and leave to the path that it passed in, so
// that the file is right at any instant. Ownership: a thread's own.
#ifndef PJ_REC_TREE_H
#define PJ_REC_TREE_H

#include "metrics/record/rec_event.h"
#include "metrics/record/rec_thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PJ_REC_TREE_SEGMENT = 4096, // nodes that are mapped at once: 320 KiB
    PJ_REC_TREE_ROOT = 0,       // as a parent: none; its place is the head's
    PJ_REC_TREE_FOLDED = 1,     // its children are what could have no path of their own
    PJ_REC_TREE_FIRST = 2,
};

#define PJ_REC_TREE_MAGIC UINT64_C(0x3245455254525040) // of version 2

/// The place of node 0.
typedef struct pj_rec_tree_head {
    uint64_t magic;
    uint64_t count; // nodes so far, this one included
    uint64_t rest[8];
} pj_rec_tree_head;

/// Times in ticks.
typedef struct pj_rec_node {
    uint32_t parent, region; // region 0: FOLDED, of which nothing was made
    uint64_t visits;
    uint64_t own;         // without callees
    uint64_t least, most; // of one visit, callees included; `least` UINT64_MAX: none has ended
    uint64_t records;     // bytes in a trace of what is no enter and no leave
    uint64_t sent, received;
    uint64_t allocations, allocated; // how many, and their bytes
} pj_rec_node;

/// Makes the tree of the thread in the file `path`; NULL with errno.
pj_rec_tree *pj_rec_tree_new(const char *path, uint32_t depth_most);
/// Cuts the file down to its nodes; false when they could not be kept. The tree is gone.
bool pj_rec_tree_close(pj_rec_tree *tree, const char *path);
/// Without its file.
void pj_rec_tree_free(pj_rec_tree *tree);

/// Where the bytes of a record may be made that is counted only.
uint8_t *pj_rec_tree_scratch(pj_rec_tree *tree);
/// The path of `region` below the innermost one that is open; the thread has room for its frame.
void pj_rec_tree_enter(pj_rec_thread *thread, uint32_t region, uint64_t ticks);
/// Of the innermost region.
void pj_rec_tree_leave(pj_rec_thread *thread, uint64_t ticks);
/// A record of so many bytes of the innermost region.
void pj_rec_tree_record(pj_rec_thread *thread, pj_rec_event_type type, uint64_t ticks,
                        const uint64_t *members, size_t bytes);
/// Time up to here is that of the innermost region; that from here on is of nobody while the thread
/// is off.
PJ_REC_API void pj_rec_tree_charge(pj_rec_thread *thread, uint64_t ticks);

#endif
