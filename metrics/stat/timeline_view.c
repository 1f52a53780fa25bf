// The range and the ranks that somebody asked for, in ns and lanes of this run.
#include "metrics/stat/timeline_view.h"

#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/run/run.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/roi.h"

#define TICKS_MOST (UINT64_C(1) << 62)

/// One end of the range in ns.
static uint64_t border(double value, bool percent, uint64_t end_ns)
{
    double ns = percent ? value / 100 * (double)end_ns : value;
    return end_ns && ns >= (double)end_ns ? end_ns : (uint64_t)(ns + 0.5);
}

static bool choose_range(pj_timeline_view *view, const pj_roi_request *range, const pj_run *run,
                         pj_err *err)
{
    view->from_ns = run->roi.set ? run->roi.from_ns : 0;
    view->to_ns = run->roi.set ? run->roi.to_ns : run->end_ns;
    view->open_end = !run->roi.set;
    view->guessed = run->end_ns == 0 && (range->from_percent || range->to_percent);
    if (range->kind == PJ_ROI_RANGE && !view->guessed) {
        view->from_ns = border(range->from, range->from_percent, run->end_ns);
        view->to_ns = border(range->to, range->to_percent, run->end_ns);
        view->open_end = false;
    }
    if (view->open_end && view->to_ns == 0)
        view->to_ns = 1;
    if (view->from_ns < view->to_ns)
        return true;
    char end[32];
    pj_format_duration((double)run->end_ns, end);
    return pj_fail(err, PJ_E_USAGE, run->path, 0,
                   "nothing of the trace lies in the range; it ends after %s", end);
}

static bool choose_ranks(pj_timeline_view *view, const pj_timeline_opts *opts, const pj_run *run,
                         pj_err *err)
{
    const pj_layout *layout = &run->layout;
    uint32_t first = opts->first_rank, last = opts->last_rank;
    if (last >= layout->ranks && last != UINT32_MAX)
        return pj_fail(err, PJ_E_USAGE, run->path, 0,
                       "there is no rank %u; ranks count from 0 to %u", last, layout->ranks - 1);
    last = last < layout->ranks ? last : layout->ranks - 1;
    if (first > last)
        return pj_fail(err, PJ_E_USAGE, run->path, 0,
                       "there is no rank %u; ranks count from 0 to %u", first, layout->ranks - 1);
    view->first_location = layout->first_location[first];
    view->threads = layout->first_location[last + 1] - view->first_location;
    uint32_t devices;
    view->devices = pj_timeline_devices_of(layout, opts, run->arena, &devices);
    view->lanes = view->threads + devices;
    return true;
}

bool pj_timeline_view_choose(pj_timeline_view *view, const pj_timeline_opts *opts,
                             const pj_run *run, pj_err *err)
{
    *view = (pj_timeline_view){.columns = opts->columns};
    if (!choose_range(view, &opts->range, run, err) || !choose_ranks(view, opts, run, err))
        return false;
    view->rows = view->lanes < opts->rows_most ? view->lanes : opts->rows_most;
    view->span_ns = view->to_ns - view->from_ns;
    while (pj_timeline_view_width(view) > TICKS_MOST / view->columns)
        view->coarse++;
    return true;
}

bool pj_timeline_view_holds(const pj_timeline_view *view, uint64_t ns)
{
    return ns - view->from_ns <= view->span_ns ||
           pj_timeline_view_width(view) > TICKS_MOST / 2 / view->columns;
}

void pj_timeline_view_double(pj_timeline_view *view)
{
    view->span_ns *= 2;
}
