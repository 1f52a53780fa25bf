// Definitions as they come, by kind and id.
// Ids count from 0 for each kind, and nothing refers to what comes later: so the format has it, and
// so libotf2 writes it. Of two definitions with one id the first is used; groups have an id for
// each of their types.
#include "metrics/read/otf2/otf2_gather.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <stdlib.h>

enum { GROUP_TYPES = 16 };

typedef struct reference {
    uint8_t from, at, to; // kind, index in `number`, kind
    bool name;
} reference;

static const reference references[] = {
    {PJ_OTF2_DEF_NODE, 0, PJ_OTF2_DEF_NODE, false},
    {PJ_OTF2_DEF_LOCATION_GROUP, 0, PJ_OTF2_DEF_STRING, true},
    {PJ_OTF2_DEF_LOCATION_GROUP, 2, PJ_OTF2_DEF_NODE, false},
    {PJ_OTF2_DEF_LOCATION, 0, PJ_OTF2_DEF_STRING, true},
    {PJ_OTF2_DEF_LOCATION, 3, PJ_OTF2_DEF_LOCATION_GROUP, false},
    {PJ_OTF2_DEF_REGION, 0, PJ_OTF2_DEF_STRING, true},
    {PJ_OTF2_DEF_REGION, 1, PJ_OTF2_DEF_STRING, false},
    {PJ_OTF2_DEF_REGION, 4, PJ_OTF2_DEF_STRING, false},
    {PJ_OTF2_DEF_CALLING_CONTEXT, 0, PJ_OTF2_DEF_REGION, false},
    {PJ_OTF2_DEF_GROUP, 2, PJ_OTF2_DEF_STRING, true},
    {PJ_OTF2_DEF_COMM, 0, PJ_OTF2_DEF_STRING, true},
    {PJ_OTF2_DEF_COMM, 1, PJ_OTF2_DEF_GROUP, false},
    {PJ_OTF2_DEF_COMM, 2, PJ_OTF2_DEF_GROUP, false},
    {PJ_OTF2_DEF_WINDOW, 0, PJ_OTF2_DEF_STRING, true},
    {PJ_OTF2_DEF_WINDOW, 1, PJ_OTF2_DEF_COMM, false},
    {PJ_OTF2_DEF_METRIC_MEMBER, 0, PJ_OTF2_DEF_STRING, true},
    {PJ_OTF2_DEF_PARAMETER, 0, PJ_OTF2_DEF_STRING, true},
    {PJ_OTF2_DEF_FILE, 0, PJ_OTF2_DEF_STRING, true},
    {PJ_OTF2_DEF_HANDLE, 0, PJ_OTF2_DEF_STRING, false},
    {PJ_OTF2_DEF_HANDLE, 1, PJ_OTF2_DEF_FILE, false},
    {PJ_OTF2_DEF_METRIC_INSTANCE, 0, PJ_OTF2_DEF_METRIC_CLASS, false},
};
enum { REFERENCES = sizeof references / sizeof *references };

static uint64_t key_of(const pj_otf2_def *def)
{
    return def->kind == PJ_OTF2_DEF_GROUP ? def->id << 4 | (def->number[0] & 15) : def->id;
}

// Order

/// Whether there is a definition of this id.
static bool is_known(const pj_otf2_gathered *all, pj_otf2_def_kind kind, uint64_t id)
{
    uint32_t at;
    if (kind == PJ_OTF2_DEF_STRING)
        return pj_map_get(&all->text_of, id, &at);
    bool known = false;
    if (kind == PJ_OTF2_DEF_GROUP)
        for (uint64_t type = 0; type < GROUP_TYPES && !known; type++)
            known = pj_otf2_def_of(all, kind, id << 4 | type);
    return known || (kind != PJ_OTF2_DEF_GROUP && pj_otf2_def_of(all, kind, id));
}

/// Classes and instances of metrics count together; locations may have any id.
static bool has_next_id(const pj_otf2_gathered *all, const pj_otf2_def *def)
{
    size_t met = all->lists[def->kind].met;
    if (def->kind == PJ_OTF2_DEF_METRIC_CLASS)
        met += all->lists[PJ_OTF2_DEF_METRIC_INSTANCE].met;
    if (def->kind == PJ_OTF2_DEF_METRIC_INSTANCE)
        met += all->lists[PJ_OTF2_DEF_METRIC_CLASS].met;
    return def->kind == PJ_OTF2_DEF_CLOCK || def->kind == PJ_OTF2_DEF_LOCATION || def->id == met;
}

static bool is_in_order(const pj_otf2_gathered *all, const pj_otf2_def *def)
{
    bool fits = has_next_id(all, def);
    for (size_t i = 0; i < REFERENCES && fits; i++) {
        const reference *ref = &references[i];
        if (ref->from == def->kind && def->number[ref->at] != PJ_OTF2_UNDEFINED)
            fits = is_known(all, ref->to, def->number[ref->at]);
    }
    return fits;
}

// Keeping

static void gather_text(pj_otf2_gathered *all, const pj_otf2_def *def)
{
    uint32_t at = (uint32_t)all->text_count;
    if (pj_map_get(&all->text_of, def->id, &at)) {
        all->duplicates++;
        return;
    }
    pj_grow(all->texts, &all->text_cap, ++all->text_count);
    all->texts[at] = pj_arena_text(all->arena, pj_str_of(def->text));
    pj_map_put(&all->text_of, def->id, at);
}

static void keep(pj_otf2_gathered *all, const pj_otf2_def *def)
{
    pj_otf2_def_list *list = &all->lists[def->kind];
    pj_map_put(&list->index_of, key_of(def), (uint32_t)list->count);
    pj_grow(list->items, &list->cap, list->count + 1);
    pj_otf2_def *kept = &list->items[list->count++];
    *kept = *def;
    uint64_t *members = pj_new_n(all->arena, uint64_t, def->member_count);
    if (def->member_count)
        memcpy(members, def->members, def->member_count * sizeof *members);
    kept->members = members;
}

void pj_otf2_gather(void *self, const pj_otf2_def *def)
{
    pj_otf2_gathered *all = self;
    if (def->kind == PJ_OTF2_DEF_STRING) {
        gather_text(all, def);
        return;
    }
    all->disordered += !is_in_order(all, def);
    all->lists[def->kind].met++;
    if (pj_otf2_def_of(all, def->kind, key_of(def)))
        all->duplicates++;
    else
        keep(all, def);
}

const char *pj_otf2_text(const pj_otf2_gathered *all, uint64_t id)
{
    uint32_t at;
    return pj_map_get(&all->text_of, id, &at) ? all->texts[at] : "";
}

const pj_otf2_def *pj_otf2_def_of(const pj_otf2_gathered *all, pj_otf2_def_kind kind, uint64_t key)
{
    uint32_t at;
    const pj_otf2_def_list *list = &all->lists[kind];
    return pj_map_get(&list->index_of, key, &at) ? &list->items[at] : NULL;
}

static uint64_t count_nameless(const pj_otf2_gathered *all)
{
    uint64_t count = 0;
    for (size_t i = 0; i < REFERENCES; i++) {
        const pj_otf2_def_list *list = &all->lists[references[i].from];
        for (size_t k = 0; references[i].name && k < list->count; k++)
            count += *pj_otf2_text(all, list->items[k].number[references[i].at]) == 0;
    }
    return count;
}

void pj_otf2_gathered_count(const pj_otf2_gathered *all, pj_import_stats *import)
{
    import->count[PJ_IMPORT_duplicate_definition] += all->duplicates;
    import->count[PJ_IMPORT_definition_order] += all->disordered;
    import->count[PJ_IMPORT_nameless_definition] += count_nameless(all);
}

void pj_otf2_gathered_free(pj_otf2_gathered *all)
{
    for (unsigned k = 0; k < PJ_OTF2_DEF_KINDS; k++) {
        free(all->lists[k].items);
        pj_map_free(&all->lists[k].index_of);
    }
    pj_map_free(&all->text_of);
    free(all->texts);
    pj_arena_free(all->arena);
}
