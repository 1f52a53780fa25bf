// The pixels of a timeline: how long each lane is in which kind of time, by columns. All sums are
// whole numbers: it does not matter in which order, or by whom, they are found.
// Ownership: begin/free.
#ifndef PJ_TIMELINE_PIXELS_H
#define PJ_TIMELINE_PIXELS_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/stat/timeline_view.h"

typedef struct pj_timeline_pixels {
    pj_timeline_view view;
    uint64_t *ticks; // as pj_timeline.time
    uint64_t *sums;  // as pj_timeline.sums
} pj_timeline_pixels;

/// Frees what was there before.
PJ_CHECKED bool pj_timeline_pixels_begin(pj_timeline_pixels *pixels, const pj_timeline_opts *opts,
                                         const pj_run *run, pj_err *err);
void pj_timeline_pixels_free(pj_timeline_pixels *pixels);

/// Numbers of ticks and of sums.
size_t pj_timeline_pixels_count(const pj_timeline_pixels *pixels);
size_t pj_timeline_pixels_sums(const pj_timeline_pixels *pixels);

/// A lane is in a kind of time from `begin` to `end` (ns).
void pj_timeline_pixels_lay(pj_timeline_pixels *pixels, uint32_t lane, pj_timeline_kind kind,
                            uint64_t begin, uint64_t end);
/// What was laid as the first of two kinds is of the second one.
void pj_timeline_pixels_move(pj_timeline_pixels *pixels, uint32_t lane,
                             const pj_timeline_kind kinds[2], uint64_t begin, uint64_t end);
/// Where the end is open: makes room up to `ns`, or for columns of that span.
void pj_timeline_pixels_reach(pj_timeline_pixels *pixels, uint64_t ns);
void pj_timeline_pixels_span(pj_timeline_pixels *pixels, uint64_t span_ns);
/// Adds what was laid to a timeline of the same view.
void pj_timeline_pixels_add(const pj_timeline_pixels *pixels, pj_timeline *timeline);

#endif
