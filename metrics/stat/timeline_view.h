// What of a run is looked at over time, and the columns that it is laid over: whole ns and a fixed
// number of columns, so that a column's borders are exact in `ticks`, of which `columns` are 1 ns.
#ifndef PJ_TIMELINE_VIEW_H
#define PJ_TIMELINE_VIEW_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"

typedef struct pj_timeline_view {
    uint64_t from_ns, to_ns;
    uint64_t span_ns; // of all columns; they begin at from_ns
    bool open_end;    // to the end of the trace, wherever that is: the span doubles when it must
    bool guessed;     // pj_timeline.guessed
    uint32_t first_location, threads, lanes, rows, columns; // as pj_timeline's
    const pj_timeline_device *devices;
    unsigned coarse; // bits of a time that are left out: none, but in spans beyond all reason
} pj_timeline_view;

PJ_CHECKED bool pj_timeline_view_choose(pj_timeline_view *view, const pj_timeline_opts *opts,
                                        const pj_run *run, pj_err *err);

/// Whether the columns reach up to `ns`, and the same columns of twice the time.
bool pj_timeline_view_holds(const pj_timeline_view *view, uint64_t ns);
void pj_timeline_view_double(pj_timeline_view *view);

/// Of a time in the view.
static inline uint64_t pj_timeline_view_ticks(const pj_timeline_view *view, uint64_t ns)
{
    return ((ns - view->from_ns) >> view->coarse) * view->columns;
}
/// Ticks of a column.
static inline uint64_t pj_timeline_view_width(const pj_timeline_view *view)
{
    return view->span_ns >> view->coarse;
}
/// Counted on beyond the last one.
static inline uint64_t pj_timeline_view_column(const pj_timeline_view *view, uint64_t ns)
{
    return pj_timeline_view_ticks(view, ns) / pj_timeline_view_width(view);
}
static inline uint32_t pj_timeline_view_row(const pj_timeline_view *view, uint32_t lane)
{
    return (uint32_t)((uint64_t)lane * view->rows / view->lanes);
}

#endif
