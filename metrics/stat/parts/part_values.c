// Values of different parameters may have the same bits: they are chained.
#include "metrics/stat/parts/part_values.h"

#include "metrics/base/buf.h"
#include "metrics/run/regions.h"

#include <inttypes.h>
#include <stdlib.h>

void pj_part_values_free(pj_part_values *values)
{
    free(values->items);
    pj_map_free(&values->first_of);
    *values = (pj_part_values){.items = NULL};
}

uint32_t pj_part_values_number(pj_part_values *values, const pj_event *event)
{
    uint32_t first = UINT32_MAX;
    if (!pj_map_get(&values->first_of, event->a, &first))
        first = UINT32_MAX;
    for (uint32_t i = first; i != UINT32_MAX; i = values->items[i].next)
        if (values->items[i].parameter == event->b && values->items[i].kind == event->code)
            return i;
    if (values->count == PJ_PART_VALUES_MOST)
        return UINT32_MAX;
    pj_grow(values->items, &values->cap, values->count + 1);
    values->items[values->count] = (pj_part_value){
        .value = event->a, .parameter = (uint32_t)event->b, .next = first, .kind = event->code};
    pj_map_put(&values->first_of, event->a, values->count);
    return values->count++;
}

const char *pj_part_values_text(const pj_part_values *values, uint32_t number, const pj_run *run,
                                pj_arena *arena)
{
    const pj_part_value *v = &values->items[number];
    const pj_run_names *names = &run->names;
    const char *name =
        v->parameter < names->parameter_count ? names->parameters[v->parameter] : "parameter";
    const char *text = NULL;
    if (v->kind == PJ_PARAMETER_TEXT)
        text = v->value < names->text_count ? names->texts[v->value] : "";
    else if (v->kind == PJ_PARAMETER_LASTING)
        text = pj_region_label(run, (uint16_t)(PJ_LABEL_PARAMETERS + v->parameter), v->value);
    if (text)
        return pj_arena_format(arena, "%s=%s", name, text);
    if (v->kind == PJ_PARAMETER_UNSIGNED)
        return pj_arena_format(arena, "%s=%" PRIu64, name, v->value);
    return pj_arena_format(arena, "%s=%" PRId64, name, (int64_t)v->value);
}
