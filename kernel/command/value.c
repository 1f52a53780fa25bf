// Counting of references behind one tagged union.
#include "kernel/command/value.h"

#include "kernel/command/kind.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdlib.h>

static const char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(pj_take_memory(size), text, size);
}

pj_value pj_value_hold(pj_value value)
{
    const pj_kind *kind = pj_kind_of(&value);
    if (kind->hold)
        kind->hold(&value);
    return value;
}

void pj_value_clear(pj_value *value)
{
    const pj_kind *kind = pj_kind_of(value);
    if (kind->release)
        kind->release(value);
    *value = (pj_value){0};
}

uint64_t pj_value_bytes(const pj_value *value)
{
    const pj_kind *kind = pj_kind_of(value);
    return kind->bytes ? kind->bytes(value) : 0;
}

const char *pj_value_name(pj_value_kind kind)
{
    return pj_kind_at(kind)->name;
}

bool pj_value_is_runs(const pj_value *value)
{
    if (value->kind != PJ_VALUE_LIST)
        return false;
    for (size_t i = 0; i < value->list->count; i++)
        if (value->list->items[i].kind != PJ_VALUE_RUN)
            return false;
    return value->list->count > 0;
}

pj_value pj_value_text(const char *text)
{
    return (pj_value){.kind = PJ_VALUE_TEXT, .text = copy_text(text)};
}

pj_value pj_value_drawing_take(pj_figure *figure, pj_table *data)
{
    pj_drawing *drawing = pj_take_memory(sizeof *drawing);
    *drawing = (pj_drawing){.references = 1, .figure = figure, .data = data};
    return (pj_value){.kind = PJ_VALUE_DRAWING, .drawing = drawing};
}

pj_value pj_value_list_new(void)
{
    pj_list *list = pj_take_memory(sizeof *list);
    *list = (pj_list){.references = 1};
    return (pj_value){.kind = PJ_VALUE_LIST, .list = list};
}

void pj_value_list_add_take(pj_value *list, pj_value item)
{
    pj_list *to = list->list;
    pj_grow(to->items, &to->cap, to->count + 1);
    to->items[to->count++] = item;
}
