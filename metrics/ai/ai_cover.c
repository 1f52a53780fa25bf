// Spans wait until so many have come that the earlier half can be taken to be in order; those that
// are later still are merged at the end.
#include "metrics/ai/ai_cover.h"

#include "metrics/ai/ai_spans.h"
#include "metrics/ai/ai_spill.h"

#include <string.h>

enum { RECENT = 1 << 16, BLOCK = 32 };

static size_t size_of_block(const pj_ai_cover *cover, size_t block)
{
    bool last = block + 1 == cover->block_count;
    size_t end = last ? cover->packed_count : cover->blocks[block + 1].first;
    return cover->blocks[block].length ? 1 : end - cover->blocks[block].first;
}

static pj_ai_span span_of(const pj_ai_cover *cover, size_t block, size_t index)
{
    const pj_ai_cover_block *b = &cover->blocks[block];
    if (b->length)
        return (pj_ai_span){b->begin, b->begin + b->length, b->before};
    const pj_ai_cover_span *span = &cover->packed[b->first + index];
    int64_t begin = b->begin + span->begin;
    return (pj_ai_span){begin, begin + span->length, 0};
}

static void open_block(pj_ai_cover *cover, int64_t begin, int64_t length)
{
    pj_ai_grow(cover->spill, cover->blocks, &cover->block_cap, cover->block_count + 1);
    cover->blocks[cover->block_count++] =
        (pj_ai_cover_block){begin, cover->total, length, cover->packed_count};
}

static void append(pj_ai_cover *cover, int64_t begin, int64_t end)
{
    pj_ai_cover_block *last = cover->block_count ? &cover->blocks[cover->block_count - 1] : NULL;
    bool fits = last && !last->length && cover->packed_count - last->first < BLOCK &&
                begin - last->begin <= UINT32_MAX;
    if (end - begin > UINT32_MAX) {
        open_block(cover, begin, end - begin);
    } else {
        if (!fits)
            open_block(cover, begin, 0);
        last = &cover->blocks[cover->block_count - 1];
        pj_ai_grow(cover->spill, cover->packed, &cover->packed_cap, cover->packed_count + 1);
        cover->packed[cover->packed_count++] =
            (pj_ai_cover_span){(uint32_t)(begin - last->begin), (uint32_t)(end - begin)};
    }
    cover->total += end - begin;
    cover->begin = begin;
    cover->end = end;
}

static void take_last_away(pj_ai_cover *cover)
{
    pj_ai_cover_block *last = &cover->blocks[cover->block_count - 1];
    cover->total -= cover->end - cover->begin;
    cover->packed_count -= !last->length;
    cover->block_count -= last->length || cover->packed_count == last->first;
}

static void push(pj_ai_cover *cover, int64_t begin, int64_t end)
{
    if (cover->block_count && begin <= cover->end) {
        if (begin < cover->begin) {
            cover->late.spill = cover->spill;
            pj_ai_spans_add(&cover->late, begin, end);
            return;
        }
        begin = cover->begin;
        end = end > cover->end ? end : cover->end;
        take_last_away(cover);
    }
    append(cover, begin, end);
}

/// The earliest `count` of what is recent.
static void settle(pj_ai_cover *cover, size_t count)
{
    pj_ai_spans *recent = &cover->recent;
    for (size_t i = 0; i < count; i++)
        push(cover, recent->items[i].begin, recent->items[i].end);
    recent->count -= count;
    if (recent->count)
        memmove(recent->items, recent->items + count, recent->count * sizeof *recent->items);
}

void pj_ai_cover_add(pj_ai_cover *cover, int64_t begin, int64_t end)
{
    pj_ai_spans_add(&cover->recent, begin, end);
    if (cover->recent.count < RECENT)
        return;
    pj_ai_spans_unite(&cover->recent);
    settle(cover, cover->recent.count / 2);
}

void pj_ai_cover_each(const pj_ai_cover *cover, void (*take)(void *context, pj_ai_span span),
                      void *context)
{
    for (size_t b = 0; b < cover->block_count; b++) {
        pj_ai_spill_pass(cover->spill, b);
        for (size_t i = 0; i < size_of_block(cover, b); i++)
            take(context, span_of(cover, b, i));
    }
}

typedef struct merging {
    pj_ai_cover out;
    const pj_ai_spans *late;
    size_t next; // of late
} merging;

static void take_late(merging *m, int64_t until)
{
    for (; m->next < m->late->count && m->late->items[m->next].begin < until; m->next++)
        push(&m->out, m->late->items[m->next].begin, m->late->items[m->next].end);
}

static void merge(void *context, pj_ai_span span)
{
    merging *m = context;
    take_late(m, span.begin);
    push(&m->out, span.begin, span.end);
}

void pj_ai_cover_finish(pj_ai_cover *cover)
{
    pj_ai_spans_unite(&cover->recent);
    settle(cover, cover->recent.count);
    pj_ai_spans_free(&cover->recent);
    if (!cover->late.count)
        return;
    pj_ai_spans_unite(&cover->late);
    merging m = {.out = {.spill = cover->spill}, .late = &cover->late};
    pj_ai_cover_each(cover, merge, &m);
    take_late(&m, INT64_MAX);
    pj_ai_cover_free(cover);
    *cover = m.out;
}

static int64_t until(const pj_ai_cover *cover, int64_t time)
{
    size_t low = 0, high = cover->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cover->blocks[middle].begin < time)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    int64_t covered = cover->blocks[low - 1].before;
    for (size_t i = 0; i < size_of_block(cover, low - 1); i++) {
        pj_ai_span span = span_of(cover, low - 1, i);
        if (span.begin >= time)
            break;
        covered += (span.end < time ? span.end : time) - span.begin;
    }
    return covered;
}

int64_t pj_ai_cover_within(const pj_ai_cover *cover, int64_t begin, int64_t end)
{
    return end > begin ? until(cover, end) - until(cover, begin) : 0;
}

typedef struct clearing {
    pj_ai_cover out;
    int64_t begin, end;
} clearing;

static void keep_outside(void *context, pj_ai_span span)
{
    clearing *c = context;
    if (span.begin < c->begin)
        push(&c->out, span.begin, span.end < c->begin ? span.end : c->begin);
    if (span.end > c->end)
        push(&c->out, span.begin > c->end ? span.begin : c->end, span.end);
}

void pj_ai_cover_clear(pj_ai_cover *cover, int64_t begin, int64_t end)
{
    clearing c = {.out = {.spill = cover->spill}, .begin = begin, .end = end};
    pj_ai_cover_each(cover, keep_outside, &c);
    pj_ai_cover_free(cover);
    *cover = c.out;
}

void pj_ai_cover_shift(pj_ai_cover *cover, int64_t by)
{
    pj_ai_spans_shift(&cover->recent, by);
    pj_ai_spans_shift(&cover->late, by);
    for (size_t b = 0; b < cover->block_count; b++)
        cover->blocks[b].begin += by;
    cover->begin += by;
    cover->end += by;
}

size_t pj_ai_cover_bytes(const pj_ai_cover *cover)
{
    const pj_ai_spans *late = &cover->late;
    return cover->recent.cap * sizeof(pj_ai_span) +
           pj_ai_spill_held(cover->spill, late->items, late->cap * sizeof *late->items) +
           pj_ai_spill_held(cover->spill, cover->blocks, cover->block_cap * sizeof *cover->blocks) +
           pj_ai_spill_held(cover->spill, cover->packed, cover->packed_cap * sizeof *cover->packed);
}

void pj_ai_cover_spill(pj_ai_cover *cover)
{
    pj_ai_spans *late = &cover->late;
    late->items = pj_ai_spill_move(cover->spill, late->items, late->cap * sizeof *late->items);
    cover->blocks =
        pj_ai_spill_move(cover->spill, cover->blocks, cover->block_cap * sizeof *cover->blocks);
    cover->packed =
        pj_ai_spill_move(cover->spill, cover->packed, cover->packed_cap * sizeof *cover->packed);
}

void pj_ai_cover_free(pj_ai_cover *cover)
{
    pj_ai_spans_free(&cover->recent);
    pj_ai_spans_free(&cover->late);
    pj_ai_spill_drop(cover->spill, cover->blocks);
    pj_ai_spill_drop(cover->spill, cover->packed);
    *cover = (pj_ai_cover){.spill = cover->spill};
}
