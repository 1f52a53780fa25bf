// Functions by number: regions of the trace, or values of its events, so that a number is the same
// in whatever order events come.
#include "metrics/stat/parts/function_stay.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/regions.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1 << 9, REGION = 1 };

static uint32_t number_of(uint64_t value, unsigned kind)
{
    return value + 1 < PJ_BURST_FUNCTIONS / 2 ? (uint32_t)(value + 1) << 1 | kind : 0;
}

void pj_function_stay_free(pj_function_stay *stay)
{
    free(stay->stack);
    *stay = (pj_function_stay){.stack = NULL};
}

void pj_function_stay_begin(pj_function_stay *stay, uint64_t time)
{
    stay->since = time;
    stay->count = 0;
}

static uint32_t innermost(const pj_function_stay *stay)
{
    size_t depth = stay->depth < DEEPEST ? stay->depth : DEEPEST;
    return depth ? stay->stack[depth - 1] : 0;
}

static void count_to(pj_function_stay *stay, uint64_t time)
{
    uint32_t function = innermost(stay);
    size_t i = 0;
    if (time <= stay->since)
        return;
    while (i < stay->count && stay->stays[i].function != function)
        i++;
    if (i == stay->count && i < PJ_FUNCTION_STAYS) {
        stay->stays[stay->count].function = function;
        stay->stays[stay->count++].ns = 0;
    }
    if (i < PJ_FUNCTION_STAYS)
        stay->stays[i].ns += time - stay->since;
    stay->since = time;
}

static void enter(pj_function_stay *stay, uint32_t function)
{
    if (stay->depth++ >= DEEPEST)
        return;
    pj_grow(stay->stack, &stay->cap, stay->depth);
    stay->stack[stay->depth - 1] = function;
}

void pj_function_stay_event(pj_function_stay *stay, const pj_run *run, const pj_event *event,
                            uint64_t until)
{
    bool value = event->kind == PJ_EV_OTHER && event->code == PJ_FUNCTION;
    bool region = (event->kind == PJ_EV_ENTER || event->kind == PJ_EV_LEAVE) &&
                  pj_region_is_function(run, event->a);
    if (!value && !region)
        return;
    count_to(stay, until < event->time ? until : event->time);
    if (value ? event->a != 0 : event->kind == PJ_EV_ENTER)
        enter(stay, number_of(event->a, region ? REGION : 0));
    else if (stay->depth)
        stay->depth--;
}

uint32_t pj_function_stay_longest(pj_function_stay *stay, uint64_t end)
{
    size_t longest = 0;
    count_to(stay, end);
    for (size_t i = 1; i < stay->count; i++)
        if (stay->stays[i].ns > stay->stays[longest].ns)
            longest = i;
    return stay->count ? stay->stays[longest].function : 0;
}

const char *pj_function_stay_name(const pj_run *run, uint32_t number, pj_arena *arena)
{
    uint64_t value = (number >> 1) - 1;
    if (!number)
        return NULL;
    if (number & REGION)
        return value < run->names.region_count ? run->names.regions[value].name : "unknown region";
    const char *label = pj_region_label(run, PJ_FUNCTION, value);
    return label ? label : pj_arena_format(arena, "function %llu", (unsigned long long)value);
}
