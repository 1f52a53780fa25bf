// From locations, location groups and communicators of an OTF2 archive to ranks and threads.
// Ownership: borrow.
#ifndef PJ_OTF2_LAYOUT_H
#define PJ_OTF2_LAYOUT_H

#include "metrics/read/otf2_defs.h"

enum { PJ_OTF2_DEF_KINDS = PJ_OTF2_DEF_OFFSET + 1 };

typedef struct pj_otf2_def_list {
    pj_otf2_def *items;
    size_t count, cap;
    pj_map index_of;
} pj_otf2_def_list;

/// All definitions as they came, by kind.
typedef struct pj_otf2_gathered {
    pj_arena *arena;
    pj_otf2_def_list lists[PJ_OTF2_DEF_KINDS];
    const char **texts;
    size_t text_count, text_cap;
    pj_map text_of;
    uint64_t duplicates;
} pj_otf2_gathered;

/// "" when there is no such string.
const char *pj_otf2_text(const pj_otf2_gathered *all, uint64_t id);
/// NULL when there is no such definition. The key is the id; of groups id << 4 | type.
const pj_otf2_def *pj_otf2_def_of(const pj_otf2_gathered *all, pj_otf2_def_kind kind, uint64_t key);

/// Fills places and communicators of `defs`, layout and communicators of `run`.
bool pj_otf2_layout_resolve(pj_otf2_defs *defs, const pj_otf2_gathered *all, pj_run *run,
                            pj_err *err);

#endif
