// Entries of functions.
#include "metrics/stat/parts/function_entries.h"

#include "metrics/base/buf.h"
#include "metrics/run/regions.h"

#include <stdlib.h>

enum {
    FUNCTIONS_MOST = 1 << 12,
    ENTRIES_MOST = 1 << 16, // of one function
    DEEPEST = 1 << 9,       // visits whose number is kept
};

void pj_function_entries_free(pj_function_entries *self)
{
    for (size_t i = 0; i < self->count; i++)
        free(self->functions[i].items);
    free(self->functions);
    free(self->open);
    pj_map_free(&self->numbers);
    *self = (pj_function_entries){.count = 0};
}

static pj_entries *function_of(pj_function_entries *self, uint64_t key)
{
    uint32_t number;
    if (pj_map_get(&self->numbers, key, &number))
        return &self->functions[number];
    if (self->count == FUNCTIONS_MOST)
        return NULL;
    pj_map_put(&self->numbers, key, (uint32_t)self->count);
    pj_grow(self->functions, &self->cap, self->count + 1);
    self->functions[self->count] = (pj_entries){.key = key};
    return &self->functions[self->count++];
}

static void forget(pj_function_entries *self, pj_entries *function)
{
    self->kept -= function->count;
    free(function->items);
    *function = (pj_entries){.key = function->key, .often = true};
}

/// Makes room: what is entered most often is least likely what an iteration begins with.
static void forget_most_frequent(pj_function_entries *self)
{
    pj_entries *most = &self->functions[0];
    for (size_t i = 1; i < self->count; i++)
        if (self->functions[i].count > most->count)
            most = &self->functions[i];
    forget(self, most);
}

static void keep(pj_function_entries *self, uint64_t key, pj_entry entry)
{
    pj_entries *function = function_of(self, key);
    if (!function || function->often)
        return;
    if (function->count == ENTRIES_MOST) {
        forget(self, function);
        return;
    }
    if (self->kept >= self->most)
        forget_most_frequent(self);
    if (function->often)
        return;
    pj_grow(function->items, &function->cap, function->count + 1);
    function->items[function->count++] = entry;
    self->kept++;
}

static void enter(pj_function_entries *self, uint64_t key, uint64_t time, uint32_t call)
{
    size_t level = self->depth < DEEPEST ? self->depth : DEEPEST;
    uint32_t caller = level ? self->open[level - 1] : 0;
    if (!self->only || self->only == key)
        keep(self, key, (pj_entry){time, call, caller});
    self->visits++;
    if (self->depth++ >= DEEPEST)
        return;
    pj_grow(self->open, &self->open_cap, self->depth);
    self->open[self->depth - 1] = self->visits;
}

void pj_function_entries_event(pj_function_entries *self, const pj_run *run, const pj_event *event,
                               uint32_t call)
{
    bool value = event->kind == PJ_EV_OTHER && event->code == PJ_FUNCTION;
    bool region = (event->kind == PJ_EV_ENTER || event->kind == PJ_EV_LEAVE) &&
                  pj_region_is_function(run, event->a);
    if (!value && !region)
        return;
    if (value ? event->a != 0 : event->kind == PJ_EV_ENTER)
        enter(self, event->a + region, event->time, call);
    else if (self->depth)
        self->depth--;
}
