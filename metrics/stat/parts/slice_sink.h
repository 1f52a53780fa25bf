// Cuts a run along time: what ranks do in each slice, on the clocks of the trace and, as the replay
// tells it, on the ideal ones. Ownership: new/free; made for one pass after another.
#ifndef PJ_SLICE_SINK_H
#define PJ_SLICE_SINK_H

#include "metrics/run/parts/slices.h"
#include "metrics/trace/replay_watch.h"
#include "metrics/trace/sink.h"

typedef struct pj_slicing pj_slicing;

typedef struct pj_slicing_opts {
    uint32_t equal;     // so many slices of equal length; 0 = `borders` say it
    pj_borders borders; // borrow
    uint32_t first;     // number of their first slice
    const char *what;   // "slice", "iteration"
    uint64_t end_ns;    // of the trace, where an earlier pass has found it; 0 = as its header says
} pj_slicing_opts;

/// Slices of equal length.
static inline pj_slicing_opts pj_slicing_equal(uint32_t count)
{
    return (pj_slicing_opts){.equal = count, .what = "slice"};
}

pj_slicing *pj_slicing_new(pj_slicing_opts opts);
void pj_slicing_free(pj_slicing *slicing);

/// Writes pj_run.slices and its parts. Its events come merged over threads; it comes after the
/// replay, which tells the watch.
pj_sink pj_slice_sink(pj_slicing *slicing);
pj_replay_watch pj_slicing_watch(pj_slicing *slicing);
/// Whether the trace was longer, or shorter, than the last pass took it to be.
bool pj_slicing_missed(const pj_slicing *slicing, uint64_t end_ns);
/// For the next pass.
void pj_slicing_set_end(pj_slicing *slicing, uint64_t end_ns);

#endif
