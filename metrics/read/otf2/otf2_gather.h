// The global definitions of an OTF2 archive as they come, by kind and id, and what is odd about
// them: they may come in any order, twice and without names. Ownership: a zeroed struct with an
// arena is empty; free releases it.
#ifndef PJ_OTF2_GATHER_H
#define PJ_OTF2_GATHER_H

#include "metrics/base/arena.h"
#include "metrics/base/map.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "metrics/trace/import_stats.h"

enum { PJ_OTF2_DEF_KINDS = PJ_OTF2_DEF_OFFSET + 1 };

typedef struct pj_otf2_def_list {
    pj_otf2_def *items;
    size_t count, cap;
    size_t met; // with those whose id was taken
    pj_map index_of;
} pj_otf2_def_list;

typedef struct pj_otf2_gathered {
    pj_arena *arena;
    pj_otf2_def_list lists[PJ_OTF2_DEF_KINDS];
    const char **texts;
    size_t text_count, text_cap;
    pj_map text_of;
    uint64_t duplicates, disordered;
} pj_otf2_gathered;

/// A pj_otf2_define: keeps a definition; its members and its text are copied.
void pj_otf2_gather(void *self, const pj_otf2_def *def);
void pj_otf2_gathered_free(pj_otf2_gathered *all);
/// Counts what is odd, once all are there.
void pj_otf2_gathered_count(const pj_otf2_gathered *all, pj_import_stats *import);

/// "" when there is no such string.
const char *pj_otf2_text(const pj_otf2_gathered *all, uint64_t id);
/// NULL when there is no such definition. The key is the id; of groups id << 4 | type.
const pj_otf2_def *pj_otf2_def_of(const pj_otf2_gathered *all, pj_otf2_def_kind kind, uint64_t key);

#endif
