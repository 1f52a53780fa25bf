// Steps tile the time of a rank; what its devices do is shared out by their borders.
#include "metrics/ai/ai_steps.h"

#include "metrics/ai/ai_parts.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_sweep.h"
#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/devices.h"

#include <stdlib.h>

typedef struct sharing {
    const pj_ai_rank *rank;
    pj_ai_step_row **row_of; // by step; NULL = it launched nothing
    size_t next;             // step that may end after the last stretch
} sharing;

static uint64_t *part_of(pj_ai_step_row *row, pj_ai_layer layer)
{
    uint64_t *const parts[PJ_AI_LAYERS] = {[PJ_AI_TRANSFERS] = &row->transfer,
                                           [PJ_AI_COPIES] = &row->copies,
                                           [PJ_AI_UNSPLIT] = &row->unsplit,
                                           [PJ_AI_WAITS] = &row->wait};
    return parts[layer];
}

static void share_stretch(void *self, const pj_ai_stretch *stretch)
{
    sharing *s = self;
    for (size_t i = s->next; i < s->rank->step_count; i++) {
        const pj_ai_step *step = &s->rank->steps[i];
        if (!s->row_of[i])
            continue;
        if (step->until <= stretch->begin) {
            s->next = i;
            continue;
        }
        int64_t begin = stretch->begin > step->first ? stretch->begin : step->first;
        int64_t end = stretch->end < step->until ? stretch->end : step->until;
        if (step->first >= stretch->end)
            break;
        *part_of(s->row_of[i], stretch->layer) += (uint64_t)(end - begin);
    }
}

/// The rows of a device.
static void fill_device(const pj_ai_ranks *ranks, uint32_t r, size_t d, pj_ai_step_row *template,
                        pj_ai_account *account)
{
    pj_ai_rank *rank = ranks->items[r];
    const pj_ai_device *device = &rank->devices[d];
    sharing s = {.rank = rank, .row_of = pj_take_zeros((rank->step_count + 1) * sizeof *s.row_of)};
    for (size_t i = 0; i < rank->step_count; i++) {
        const pj_ai_step *step = &rank->steps[i];
        if (step->first == INT64_MAX)
            continue;
        pj_ai_step_row *row = s.row_of[i] = &account->steps[account->step_count++];
        *row = *template;
        row->number = step->number;
        int64_t begin = pj_ai_rank_common(rank, step->first) - ranks->begin;
        row->begin_ns = begin > 0 ? (uint64_t)begin : 0;
        row->length_ns = (uint64_t)(step->until - step->first);
        row->driving = step->driving;
        row->useful = device->step_useful ? device->step_useful[i] : 0;
    }
    pj_ai_sweep(rank, device, (pj_ai_watch){share_stretch, &s});
    free(s.row_of);
}

static int by_step(const void *a, const void *b)
{
    const pj_ai_step_row *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->device > y->device) - (x->device < y->device);
}

void pj_ai_steps_fill(pj_run *run, const pj_ai_ranks *ranks, pj_ai_account *account)
{
    size_t count = 0;
    pj_ai_step_row template = {.device = 0};
    for (size_t r = 0; r < ranks->count; r++)
        count += ranks->items[r]->step_count * ranks->items[r]->device_count;
    account->steps = pj_new_n(run->arena, pj_ai_step_row, count + 1);
    for (uint32_t r = 0; r < ranks->count; r++)
        for (size_t d = 0; d < ranks->items[r]->device_count; d++, template.device++) {
            template.rank = r;
            fill_device(ranks, r, d, &template, account);
        }
    if (account->step_count)
        qsort(account->steps, account->step_count, sizeof *account->steps, by_step);
    for (uint32_t i = 0; i < account->step_count; i++) {
        pj_ai_step_row *row = &account->steps[i];
        row->idle =
            row->length_ns - row->useful - row->transfer - row->copies - row->unsplit - row->wait;
    }
}

// Parts

static void add_part(pj_run *run, pj_ai_step_row *rows, uint32_t count)
{
    uint64_t length = 0;
    for (uint32_t i = 0; i < count; i++)
        length = rows[i].length_ns > length ? rows[i].length_ns : length;
    pj_run *part = pj_ai_part_new(
        run, pj_arena_format(run->arena, "step %lld", (long long)rows->number), length);
    for (uint32_t i = 0; i < count; i++) {
        const pj_ai_step_row *row = &rows[i];
        pj_ai_share share = {.useful = row->useful,
                             .transfer = row->transfer,
                             .copies = row->copies,
                             .unsplit = row->unsplit,
                             .wait = row->wait};
        share.idle[PJ_AI_IDLE_unknown] = row->idle;
        pj_ai_part_set_device(part, row->device, &share);
        pj_ai_part_set_host(part, row->rank, row->driving);
    }
    pj_ai_part_set_steps(part, rows, count);
}

void pj_ai_steps_parts(pj_run *run)
{
    const pj_ai_account *account = run->ai;
    for (uint32_t i = 0, end; i < account->step_count; i = end) {
        for (end = i;
             end < account->step_count && account->steps[end].number == account->steps[i].number;)
            end++;
        add_part(run, &account->steps[i], end - i);
    }
}
