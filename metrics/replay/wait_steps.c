// What ranks did of late.
// Two rings a rank, made when it does something first.
#include "metrics/replay/wait_steps.h"

#include "metrics/base/arena.h"

#include <stdlib.h>

enum {
    KEPT_MOST = 256, // of a rank
    KEPT_LEAST = 16,
};

pj_wait_steps *pj_wait_steps_new(uint32_t ranks, uint32_t of_all)
{
    pj_wait_steps *steps = pj_take_memory(sizeof *steps);
    *steps = (pj_wait_steps){.ranks = ranks, .most = KEPT_MOST};
    while (steps->most > KEPT_LEAST && (uint64_t)steps->most * ranks > of_all)
        steps->most /= 2;
    steps->bytes = ranks * sizeof *steps->lines;
    steps->lines = pj_take_zeros(steps->bytes);
    for (uint32_t i = 0; i < ranks; i++)
        steps->lines[i] = (pj_step_line){.first = 1, .next = 1, .begin = 1, .coming = 1, .end = 1};
    return steps;
}

void pj_wait_steps_free(pj_wait_steps *steps)
{
    if (!steps)
        return;
    for (uint32_t i = 0; i < steps->ranks; i++) {
        free(steps->lines[i].steps);
        free(steps->lines[i].pieces);
    }
    free(steps->lines);
    free(steps);
}

static void start(pj_wait_steps *steps, pj_step_line *line)
{
    size_t room = steps->most * sizeof *line->steps;
    size_t more = (size_t)PJ_STEP_PIECES * steps->most * sizeof *line->pieces;
    line->steps = pj_take_memory(room);
    line->pieces = pj_take_memory(more);
    steps->bytes += room + more;
}

void pj_wait_steps_forget(const pj_wait_steps *steps, pj_step_line *line)
{
    line->begin = line->steps[line->first++ & (steps->most - 1)].call + 1;
}

bool pj_wait_steps_spend(pj_wait_steps *steps, uint32_t rank, pj_region_piece piece)
{
    pj_step_line *line = &steps->lines[rank];
    uint64_t cap = (uint64_t)PJ_STEP_TIMES * steps->most;
    if (!line->pieces)
        start(steps, line);
    for (uint64_t i = line->coming; i < line->end; i++)
        if (pj_wait_steps_piece(steps, line, i)->region == piece.region) {
            pj_wait_steps_piece(steps, line, i)->ns += piece.ns;
            return true;
        }
    while (pj_step_line_times(line) >= cap && line->first < line->next)
        pj_wait_steps_forget(steps, line);
    if (pj_step_line_times(line) >= cap)
        return false;
    *pj_wait_steps_piece(steps, line, line->end++) = piece;
    return true;
}

uint64_t pj_wait_steps_begin(pj_wait_steps *steps, uint32_t rank, uint64_t enter, uint32_t region)
{
    pj_step_line *line = &steps->lines[rank];
    if (!line->pieces)
        start(steps, line);
    if (line->next - line->first == steps->most)
        pj_wait_steps_forget(steps, line);
    *pj_wait_steps_at(steps, rank, line->next) = (pj_wait_step){.enter = enter, .call = line->end};
    *pj_wait_steps_piece(steps, line, line->end++) = (pj_region_piece){.region = region};
    line->coming = line->end;
    return line->next++;
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
