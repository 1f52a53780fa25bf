// Reads the events of a trace for its call paths alone.
#include "metrics/analyse/profile_run.h"

#include "metrics/base/process_group.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/read/reader.h"
#include "metrics/stat/call_paths.h"
#include "metrics/trace/roi.h"
#include "metrics/trace/sink.h"

#include <string.h>

static const char *title_of(const char *format)
{
    for (unsigned i = 0; format && pj_reader_at(i); i++)
        if (strcmp(pj_reader_at(i)->name, format) == 0)
            return pj_reader_at(i)->title;
    return "trace";
}

pj_profile *pj_profile_run(const char *path, pj_load_opts opts, pj_job *job, pj_run **out,
                           pj_err *err)
{
    pj_auto_call_paths paths = pj_call_paths_new(job);
    pj_sink sink = pj_call_paths_sink(paths);
    opts.no_replay = opts.ignore_summary = true;
    opts.listeners = &sink;
    opts.listener_count = 1;
    pj_auto_run run = pj_load(path, opts, job, err);
    if (!run || !pj_process_group_leads(opts.group))
        return NULL;
    bool alone = opts.group && pj_call_paths_are_apart(paths);
    if (alone) { // one process reads masters before their teams
        pj_run_release(run);
        opts.group = NULL;
        run = pj_load(path, opts, job, err);
        if (!run)
            return NULL;
    }
    pj_profile *profile = pj_call_paths_profile(paths, run, job, err);
    if (profile) {
        profile->title = title_of(run->format);
        profile->oddities.count[PJ_ODDITY_read_alone] = alone;
        profile->oddities.count[PJ_ODDITY_part_of_run] = run->roi.set;
    }
    if (profile && out)
        *out = pj_run_hold(run);
    return profile;
}

pj_profile *pj_profile_of_run(const pj_run *run, pj_job *job, pj_err *err)
{
    pj_load_opts opts = {.roi.kind = run->roi.set ? PJ_ROI_RANGE : PJ_ROI_OFF};
    opts.roi.from = (double)run->roi.from_ns;
    opts.roi.to = (double)run->roi.to_ns;
    opts.roi.drop = run->roi.drop;
    return pj_profile_run(run->path, opts, job, NULL, err);
}
