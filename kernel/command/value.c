// Counting of references behind one tagged union.
#include "kernel/command/value.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

static const char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(pj_take_memory(size), text, size);
}

static void release_list(pj_list *list)
{
    if (--list->references > 0)
        return;
    for (size_t i = 0; i < list->count; i++)
        pj_value_clear(&list->items[i]);
    free(list->items);
    free(list);
}

static void release_drawing(pj_drawing *drawing)
{
    if (--drawing->references > 0)
        return;
    pj_figure_free(drawing->figure);
    pj_table_release(drawing->data);
    free(drawing);
}

pj_value pj_value_hold(pj_value value)
{
    switch (value.kind) {
    case PJ_VALUE_NIL:
    case PJ_VALUE_BOOL:
    case PJ_VALUE_NUMBER:
        break;
    case PJ_VALUE_TEXT:
    case PJ_VALUE_WIDGET:
        value.text = copy_text(value.text);
        break;
    case PJ_VALUE_LIST:
        value.list->references++;
        break;
    case PJ_VALUE_RUN:
        pj_run_hold(value.run);
        break;
    case PJ_VALUE_TABLE:
        pj_table_hold(value.table);
        break;
    case PJ_VALUE_METRICS:
        pj_metrics_hold(value.metrics);
        break;
    case PJ_VALUE_DRAWING:
        value.drawing->references++;
        break;
    }
    return value;
}

void pj_value_clear(pj_value *value)
{
    switch (value->kind) {
    case PJ_VALUE_NIL:
    case PJ_VALUE_BOOL:
    case PJ_VALUE_NUMBER:
        break;
    case PJ_VALUE_TEXT:
    case PJ_VALUE_WIDGET:
        free((void *)value->text);
        break;
    case PJ_VALUE_LIST:
        release_list(value->list);
        break;
    case PJ_VALUE_RUN:
        pj_run_release(value->run);
        break;
    case PJ_VALUE_TABLE:
        pj_table_release(value->table);
        break;
    case PJ_VALUE_METRICS:
        pj_metrics_release(value->metrics);
        break;
    case PJ_VALUE_DRAWING:
        release_drawing(value->drawing);
        break;
    }
    *value = (pj_value){0};
}

static uint64_t table_bytes(const pj_table *table)
{
    return table ? pj_arena_size(table->arena) + table->cell_cap * sizeof *table->cells : 0;
}

static uint64_t drawing_bytes(const pj_drawing *drawing)
{
    const pj_figure *figure = drawing->figure;
    return pj_arena_size(figure->arena) + figure->mark_cap * sizeof *figure->marks +
           table_bytes(drawing->data);
}

uint64_t pj_value_bytes(const pj_value *value)
{
    uint64_t bytes = 0;
    switch (value->kind) {
    case PJ_VALUE_NIL:
    case PJ_VALUE_BOOL:
    case PJ_VALUE_NUMBER:
    case PJ_VALUE_WIDGET:
        return 0;
    case PJ_VALUE_TEXT:
        return strlen(value->text);
    case PJ_VALUE_LIST:
        for (size_t i = 0; i < value->list->count; i++)
            bytes += pj_value_bytes(&value->list->items[i]);
        return bytes;
    case PJ_VALUE_RUN:
        return pj_arena_size(value->run->arena);
    case PJ_VALUE_TABLE:
        return table_bytes(value->table);
    case PJ_VALUE_METRICS:
        return pj_arena_size(value->metrics->arena);
    case PJ_VALUE_DRAWING:
        return drawing_bytes(value->drawing);
    }
    return bytes;
}

const char *pj_value_name(pj_value_kind kind)
{
    static const char *const names[] = {
        [PJ_VALUE_NIL] = "nil",         [PJ_VALUE_BOOL] = "boolean",
        [PJ_VALUE_NUMBER] = "number",   [PJ_VALUE_TEXT] = "text",
        [PJ_VALUE_LIST] = "list",       [PJ_VALUE_RUN] = "run",
        [PJ_VALUE_TABLE] = "table",     [PJ_VALUE_METRICS] = "metrics",
        [PJ_VALUE_DRAWING] = "picture", [PJ_VALUE_WIDGET] = "widget",
    };
    return names[kind];
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
