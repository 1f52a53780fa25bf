// What the union of millions of spans of time covers, in about 9 bytes a span where they come
// nearly in order. Times in ns. Ownership: a zeroed struct is empty; freed with pj_ai_cover_free.
#ifndef PJ_AI_COVER_H
#define PJ_AI_COVER_H

#include "metrics/ai/ai_spans.h"
#include "metrics/ai/ai_spill.h"

#include <stddef.h>
#include <stdint.h>

/// Spans that follow each other.
typedef struct pj_ai_cover_block {
    int64_t begin;  // of its first span
    int64_t before; // ns covered by earlier blocks
    int64_t length; // of its only span; 0 = spans are `packed`
    size_t first;   // of `packed`
} pj_ai_cover_block;

typedef struct pj_ai_cover_span {
    uint32_t begin, length; // begin: less that of the block
} pj_ai_cover_span;

typedef struct pj_ai_cover {
    pj_ai_spans recent; // not in order yet
    pj_ai_spans late;   // begin before what is packed
    pj_ai_cover_block *blocks;
    size_t block_count, block_cap;
    pj_ai_cover_span *packed;
    size_t packed_count, packed_cap;
    int64_t begin, end; // of the last span
    int64_t total;      // covered
    pj_ai_spill *spill; // where it goes when it is long; NULL = nowhere
} pj_ai_cover;

void pj_ai_cover_add(pj_ai_cover *cover, int64_t begin, int64_t end);
/// No span follows: only then the next functions answer.
void pj_ai_cover_finish(pj_ai_cover *cover);
/// ns covered between two times.
int64_t pj_ai_cover_within(const pj_ai_cover *cover, int64_t begin, int64_t end);
/// Calls `take` for every span in the order of time.
void pj_ai_cover_each(const pj_ai_cover *cover, void (*take)(void *context, pj_ai_span span),
                      void *context);
/// Leaves nothing between two times.
void pj_ai_cover_clear(pj_ai_cover *cover, int64_t begin, int64_t end);
/// All spans by `by` ns later.
void pj_ai_cover_shift(pj_ai_cover *cover, int64_t by);
/// In memory.
size_t pj_ai_cover_bytes(const pj_ai_cover *cover);
/// What is long leaves memory.
void pj_ai_cover_spill(pj_ai_cover *cover);
void pj_ai_cover_free(pj_ai_cover *cover);

#endif
