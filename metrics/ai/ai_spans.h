// Lists of spans of time, begin to end in ns, and how much of a span they cover.
// Ownership: a zeroed struct is empty; freed with pj_ai_spans_free.
#ifndef PJ_AI_SPANS_H
#define PJ_AI_SPANS_H

#include "metrics/ai/ai_spill.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pj_ai_span {
    int64_t begin, end;
    int64_t before; // once united: ns covered by earlier spans
} pj_ai_span;

typedef struct pj_ai_spans {
    pj_ai_span *items;
    size_t count, cap;
    pj_ai_spill *spill; // where they go when they are many; NULL = nowhere
} pj_ai_spans;

void pj_ai_spans_add(pj_ai_spans *spans, int64_t begin, int64_t end);
/// Sorts and joins what overlaps or touches: then the spans are apart and in order.
void pj_ai_spans_unite(pj_ai_spans *spans);
/// What united spans cover, in ns: all, up to a time, between two times.
int64_t pj_ai_spans_total(const pj_ai_spans *spans);
int64_t pj_ai_spans_until(const pj_ai_spans *spans, int64_t time);
int64_t pj_ai_spans_within(const pj_ai_spans *spans, int64_t begin, int64_t end);
/// The first of united spans that ends after a time; `count` = none does.
size_t pj_ai_spans_after(const pj_ai_spans *spans, int64_t time);
/// All of them by `by` ns later.
void pj_ai_spans_shift(pj_ai_spans *spans, int64_t by);
void pj_ai_spans_free(pj_ai_spans *spans);

#endif
