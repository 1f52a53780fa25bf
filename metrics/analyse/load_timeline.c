// A timeline of a run that was read before, from the parts of its file that hold it.
#include "metrics/analyse/load_timeline.h"

#include "metrics/analyse/load_needs.h"
#include "metrics/analyse/load_window.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/read/reader.h"
#include "metrics/run/timeline.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/trace/roi.h"
#include "metrics/trace/sink.h"

#include <stdlib.h>

bool pj_load_timeline_knows(const pj_load_opts *opts)
{
    const pj_run *known = opts->known;
    const unsigned seen = PJ_WANT(timeline) | PJ_WANT(devices);
    bool whole = known && known->ranged.states_overlap;
    return known && !whole && pj_load_aspects(opts) == seen && !opts->listener_count &&
           pj_reader_knows(known);
}

pj_run *pj_load_timeline(const pj_load_opts *opts, pj_job *job, pj_err *err)
{
    const pj_run *known = opts->known;
    pj_timeline_opts timeline = *opts->timeline;
    pj_roi_request *range = &timeline.range;
    uint64_t from = known->roi.set ? known->roi.from_ns : 0;
    uint64_t to = known->roi.set ? known->roi.to_ns : known->end_ns;
    if (range->kind == PJ_ROI_RANGE) {
        from = pj_load_border(range->from, range->from_percent, known->end_ns);
        to = pj_load_border(range->to, range->to_percent, known->end_ns);
    }
    *range = (pj_roi_request){.kind = PJ_ROI_RANGE, .from = (double)from, .to = (double)to};
    pj_auto_run run = pj_run_new(known->path);
    run->roi = known->roi;
    pj_sink sinks[PJ_ASPECT_SINKS];
    size_t count = pj_aspects_listen(PJ_WANT(timeline), &timeline, sinks);
    pj_pass pass = {.run = run,
                    .sinks = sinks,
                    .sink_count = count,
                    .job = job,
                    .known = known,
                    .from_ns = from,
                    .to_ns = to};
    bool ok = pj_read_file(known->path, &pass, err);
    for (size_t i = 0; i < count; i++)
        sinks[i].close(sinks[i].self);
    free(pass.disorder);
    return ok ? pj_run_hold(run) : NULL;
}
