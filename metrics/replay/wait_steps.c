// What ranks did of late.
// Two rings a rank, made when it makes its first call.
#include "metrics/replay/wait_steps.h"

#include "metrics/base/arena.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT_MOST = 256, // of a rank
    KEPT_LEAST = 16,
    ENTRIES_EACH = 4, // on average
};

pj_wait_steps *pj_wait_steps_new(uint32_t ranks, uint32_t of_all)
{
    pj_wait_steps *steps = pj_take_memory(sizeof *steps);
    *steps = (pj_wait_steps){.ranks = ranks, .most = KEPT_MOST};
    while (steps->most > KEPT_LEAST && (uint64_t)steps->most * ranks > of_all)
        steps->most /= 2;
    size_t size = ranks * sizeof *steps->lines;
    steps->lines = memset(pj_take_memory(size), 0, size);
    steps->bytes = size;
    return steps;
}

void pj_wait_steps_free(pj_wait_steps *steps)
{
    if (!steps)
        return;
    for (uint32_t i = 0; i < steps->ranks; i++) {
        free(steps->lines[i].steps);
        free(steps->lines[i].entries);
    }
    free(steps->lines);
    free(steps);
}

static void start(pj_wait_steps *steps, pj_step_line *line)
{
    size_t room = steps->most * sizeof *line->steps;
    size_t more = (size_t)ENTRIES_EACH * steps->most * sizeof *line->entries;
    line->steps = pj_take_memory(room);
    line->entries = pj_take_memory(more);
    line->first = line->next = 1;
    steps->bytes += room + more;
}

static void forget_first(const pj_wait_steps *steps, pj_step_line *line)
{
    line->first++;
    line->first_entry = line->first < line->next
                            ? line->steps[line->first & (steps->most - 1)].first
                            : line->next_entry;
}

uint64_t pj_wait_steps_begin(pj_wait_steps *steps, uint32_t rank, uint64_t enter, uint32_t region)
{
    pj_step_line *line = &steps->lines[rank];
    if (!line->steps)
        start(steps, line);
    if (line->next - line->first == steps->most)
        forget_first(steps, line);
    uint64_t number = line->next++;
    *pj_wait_steps_at(steps, rank, number) =
        (pj_wait_step){.enter = enter, .leave = enter, .first = line->next_entry, .region = region};
    return number;
}

/// Times of one region are one entry, and another one outside of the region of interest.
static bool joins(const pj_wait_steps *steps, uint32_t rank, const pj_wait_step *step,
                  pj_step_entry entry)
{
    for (uint64_t i = step->first; entry.kind <= PJ_STEP_BEYOND && i < step->first + step->count;
         i++) {
        pj_step_entry *other =
            &steps->lines[rank].entries[i & ((uint64_t)ENTRIES_EACH * steps->most - 1)];
        if (other->kind != entry.kind || other->region != entry.region)
            continue;
        other->ns += entry.ns;
        return true;
    }
    return false;
}

void pj_wait_steps_add(pj_wait_steps *steps, uint32_t rank, pj_step_entry entry)
{
    pj_step_line *line = &steps->lines[rank];
    pj_wait_step *step = pj_wait_steps_at(steps, rank, line->next - 1);
    uint64_t cap = (uint64_t)ENTRIES_EACH * steps->most;
    if (joins(steps, rank, step, entry))
        return;
    while (line->next_entry - line->first_entry == cap && line->first + 1 < line->next)
        forget_first(steps, line);
    if (line->next_entry - line->first_entry == cap)
        return;
    line->entries[line->next_entry++ & (cap - 1)] = entry;
    step->count++;
}

uint64_t pj_wait_steps_find(const pj_wait_steps *steps, uint32_t rank, uint64_t time)
{
    const pj_step_line *line = &steps->lines[rank];
    uint64_t low = line->first, high = line->next; // the first that begins later
    for (uint64_t back = 1; back <= line->next - line->first; back *= 2) { // mostly one of the last
        if (pj_wait_steps_at(steps, rank, line->next - back)->enter <= time) {
            low = line->next - back;
            break;
        }
        high = line->next - back;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (pj_wait_steps_at(steps, rank, middle)->enter <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low > line->first ? low - 1 : 0;
}
