// The region of interest of a run: a range that its user gave, or what the trace marks itself.
#include "metrics/analyse/load_window.h"

#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/trace/layout.h"

uint64_t pj_load_border(double value, bool percent, uint64_t end_ns)
{
    double ns = percent ? value / 100 * (double)end_ns : value;
    return ns >= (double)end_ns ? end_ns : (uint64_t)(ns + 0.5);
}

bool pj_load_range(const pj_run *run, const pj_roi_request *request, pj_roi *roi, pj_err *err)
{
    roi->set = true;
    roi->from_ns = pj_load_border(request->from, request->from_percent, run->end_ns);
    roi->to_ns = pj_load_border(request->to, request->to_percent, run->end_ns);
    if (roi->from_ns < roi->to_ns)
        return true;
    char end[32];
    pj_format_duration((double)run->end_ns, end);
    return pj_fail(err, PJ_E_MISSING, run->path, 0,
                   "nothing of the trace lies in the region of interest; it ends after %s", end);
}

static void bracket_of(pj_run *run, const pj_bracket *bracket, pj_roi *roi)
{
    const pj_layout *layout = &run->layout;
    uint32_t rank = layout->rank_of[bracket->location];
    switch (bracket->kind) {
    case PJ_BRACKET_NONE:
        pj_run_remark(run, PJ_NOTE, "roi_unmarked",
                      "no region of interest is marked in the trace: it is used whole");
        break;
    case PJ_BRACKET_INVALID:
        pj_run_remark(run, PJ_WARNING, "roi_no_bracket",
                      "tracing is switched on and off, but not as a bracket (rank %u, thread %u): "
                      "the whole trace is used",
                      rank, bracket->location - layout->first_location[rank]);
        break;
    case PJ_BRACKET_VALID:
        roi->set = true;
        roi->from_ns = bracket->from_ns;
        roi->to_ns = bracket->to_ns;
        break;
    }
}

bool pj_load_window(pj_run *run, const pj_roi_request *request, const pj_bracket *found,
                    pj_roi *roi, pj_err *err)
{
    *roi = (pj_roi){.drop = request->drop};
    switch (request->kind) {
    case PJ_ROI_OFF:
    case PJ_ROI_ITERATIONS: // has become a range
        break;
    case PJ_ROI_RANGE:
        return pj_load_range(run, request, roi, err);
    case PJ_ROI_AUTO:
        bracket_of(run, found, roi);
        break;
    }
    return true;
}
