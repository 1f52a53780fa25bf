// Any string of the archive may be a value: where there are parameters all strings are kept. Of
// calls of input and output the file is a parameter.
#include "metrics/read/otf2/otf2_parameters.h"

#include "metrics/base/arena.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/read/otf2/otf2_lib.h"

#include <stdlib.h>

struct pj_otf2_parameters {
    pj_arena *arena;
    pj_map name_of, text_of, file_of; // by id: number in `texts`
    pj_map index_of;                  // of a parameter, by id
    const char **texts;
    uint32_t text_count, count;
};

/// Handles by the name of their file, else by their own.
static void name_files(pj_otf2_parameters *p, const pj_otf2_gathered *all)
{
    const pj_otf2_def_list *list = &all->lists[PJ_OTF2_DEF_HANDLE];
    uint32_t text;
    for (size_t i = 0; i < list->count; i++) {
        const pj_otf2_def *handle = &list->items[i];
        const pj_otf2_def *file = pj_otf2_def_of(all, PJ_OTF2_DEF_FILE, handle->number[1]);
        if (pj_map_get(&p->text_of, file ? file->number[0] : handle->number[0], &text))
            pj_map_put(&p->file_of, handle->id, text);
    }
}

pj_otf2_parameters *pj_otf2_parameters_new(const pj_otf2_gathered *all)
{
    const pj_otf2_def_list *list = &all->lists[PJ_OTF2_DEF_PARAMETER];
    if (!list->count && !all->lists[PJ_OTF2_DEF_HANDLE].count)
        return NULL;
    pj_otf2_parameters *p = pj_take_memory(sizeof *p);
    *p = (pj_otf2_parameters){.arena = pj_arena_new(NULL)};
    p->texts = pj_new_n(p->arena, const char *, all->text_count + 1);
    p->text_count = (uint32_t)all->text_count;
    for (size_t i = 0; i < all->text_count; i++)
        p->texts[i] = pj_arena_text(p->arena, pj_str_of(all->texts[i]));
    for (size_t i = 0; i < all->text_of.cap; i++)
        if (all->text_of.entries[i].used)
            pj_map_put(&p->text_of, all->text_of.entries[i].key, all->text_of.entries[i].value);
    uint32_t text;
    for (size_t i = 0; i < list->count; i++) {
        pj_map_put(&p->index_of, list->items[i].id, p->count++);
        if (pj_map_get(&p->text_of, list->items[i].number[0], &text))
            pj_map_put(&p->name_of, list->items[i].id, text);
    }
    name_files(p, all);
    return p;
}

void pj_otf2_parameters_free(pj_otf2_parameters *p)
{
    if (!p)
        return;
    pj_map_free(&p->index_of);
    pj_map_free(&p->name_of);
    pj_map_free(&p->text_of);
    pj_map_free(&p->file_of);
    pj_arena_free(p->arena);
    free(p);
}

void pj_otf2_parameters_name_run(const pj_otf2_parameters *p, pj_run *run)
{
    if (!p || !p->count)
        return;
    run->names.parameters = pj_new_n(run->arena, const char *, p->count);
    run->names.texts = pj_new_n(run->arena, const char *, p->text_count + 1);
    run->names.parameter_count = p->count;
    run->names.text_count = p->text_count;
    for (uint32_t i = 0; i < p->text_count; i++)
        run->names.texts[i] = pj_arena_text(run->arena, pj_str_of(p->texts[i]));
    for (size_t i = 0; i < p->index_of.cap; i++)
        if (p->index_of.entries[i].used)
            run->names.parameters[p->index_of.entries[i].value] = pj_arena_text(
                run->arena, pj_str_of(pj_otf2_parameters_name(p, p->index_of.entries[i].key)));
}

uint32_t pj_otf2_parameters_index(const pj_otf2_parameters *p, uint64_t id)
{
    uint32_t index;
    return p && pj_map_get(&p->index_of, id, &index) ? index : UINT32_MAX;
}

uint32_t pj_otf2_parameters_text_index(const pj_otf2_parameters *p, uint64_t string)
{
    uint32_t text;
    return p && pj_map_get(&p->text_of, string, &text) ? text : UINT32_MAX;
}

const char *pj_otf2_parameters_name(const pj_otf2_parameters *p, uint64_t id)
{
    uint32_t text;
    return p && pj_map_get(&p->name_of, id, &text) ? p->texts[text] : "parameter";
}

const char *pj_otf2_parameters_text(const pj_otf2_parameters *p, uint64_t string)
{
    uint32_t text;
    return p && pj_map_get(&p->text_of, string, &text) ? p->texts[text] : "";
}

const char *pj_otf2_parameters_file(const pj_otf2_parameters *p, uint64_t handle)
{
    uint32_t text;
    return p && pj_map_get(&p->file_of, handle, &text) ? p->texts[text] : NULL;
}
