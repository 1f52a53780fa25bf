// Spans of time are sorted once and joined; sums up to each span make a question a binary search.
#include "metrics/ai/ai_spans.h"

#include "metrics/ai/ai_spill.h"

void pj_ai_spans_add(pj_ai_spans *spans, int64_t begin, int64_t end)
{
    if (end <= begin)
        return;
    pj_ai_grow(spans->spill, spans->items, &spans->cap, spans->count + 1);
    spans->items[spans->count++] = (pj_ai_span){begin, end, 0};
}

static int by_begin(const void *a, const void *b)
{
    const pj_ai_span *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

void pj_ai_spans_unite(pj_ai_spans *spans)
{
    bool sorted = true;
    for (size_t i = 1; i < spans->count && sorted; i++) {
        pj_ai_spill_pass(spans->spill, i);
        sorted = spans->items[i - 1].begin <= spans->items[i].begin;
    }
    if (!sorted)
        (void)!pj_ai_spill_sort(spans->spill, spans->items, spans->count, sizeof *spans->items,
                                by_begin, NULL);
    size_t kept = 0;
    int64_t before = 0;
    for (size_t i = 0; i < spans->count; i++) {
        pj_ai_spill_pass(spans->spill, i);
        pj_ai_span span = spans->items[i], *last = kept ? &spans->items[kept - 1] : NULL;
        if (last && span.begin <= last->end) {
            if (span.end > last->end) {
                before += span.end - last->end;
                last->end = span.end;
            }
            continue;
        }
        span.before = before;
        before += span.end - span.begin;
        spans->items[kept++] = span;
    }
    spans->count = kept;
}

int64_t pj_ai_spans_total(const pj_ai_spans *spans)
{
    const pj_ai_span *last = spans->count ? &spans->items[spans->count - 1] : NULL;
    return last ? last->before + last->end - last->begin : 0;
}

size_t pj_ai_spans_after(const pj_ai_spans *spans, int64_t time)
{
    size_t low = 0, high = spans->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans->items[middle].end > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int64_t pj_ai_spans_until(const pj_ai_spans *spans, int64_t time)
{
    size_t i = pj_ai_spans_after(spans, time);
    if (i == spans->count)
        return pj_ai_spans_total(spans);
    const pj_ai_span *span = &spans->items[i];
    return span->before + (time > span->begin ? time - span->begin : 0);
}

int64_t pj_ai_spans_within(const pj_ai_spans *spans, int64_t begin, int64_t end)
{
    return end > begin ? pj_ai_spans_until(spans, end) - pj_ai_spans_until(spans, begin) : 0;
}

void pj_ai_spans_shift(pj_ai_spans *spans, int64_t by)
{
    for (size_t i = 0; i < spans->count; i++) {
        pj_ai_spill_pass(spans->spill, i);
        spans->items[i].begin += by;
        spans->items[i].end += by;
    }
}

void pj_ai_spans_free(pj_ai_spans *spans)
{
    pj_ai_spill_drop(spans->spill, spans->items);
    *spans = (pj_ai_spans){.spill = spans->spill};
}
