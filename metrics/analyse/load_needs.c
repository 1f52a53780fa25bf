// What loading is asked for beside the totals, and whether a summary has it.
#include "metrics/analyse/load_needs.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/replay/network.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/trace/roi.h"

#include <string.h>

static const char *range_end(double value, bool percent, pj_arena *arena)
{
    char text[32];
    pj_format_double(value, text);
    return pj_arena_format(arena, "%s%s", text, percent ? "%" : "ns");
}

const char *pj_load_options(const pj_load_opts *opts, pj_arena *arena)
{
    const pj_roi_request *roi = &opts->roi;
    const char *region = "auto";
    switch (roi->kind) {
    case PJ_ROI_AUTO:
        break;
    case PJ_ROI_OFF:
        region = "off";
        break;
    case PJ_ROI_RANGE:
        region = pj_arena_format(arena, "%s..%s", range_end(roi->from, roi->from_percent, arena),
                                 range_end(roi->to, roi->to_percent, arena));
        break;
    }
    return pj_arena_format(arena, "roi %s, roi-cut %s, clock %s", region,
                           roi->drop ? "drop" : "clip", opts->raw_clock ? "raw" : "repair");
}

unsigned pj_load_aspects(const pj_load_opts *opts)
{
    unsigned besides = opts->aspects & ~PJ_WANT(timeline);
    return besides | (opts->timeline ? PJ_WANT(timeline) : 0) |
           (opts->no_replay ? 0 : PJ_WANT(mpi_use));
}

const char *pj_load_lack(const pj_load_opts *opts, const pj_run *run, bool beside)
{
    if (opts->listener_count || opts->ideal_path)
        return "has no events";
    if (!pj_network_is_ideal(&opts->network))
        return "knows the ideal network only";
    if (beside && opts->no_replay && run->provenance->rounded)
        return "has rounded the values of threads";
    return pj_aspects_lack(pj_load_aspects(opts), run, opts->timeline, beside);
}

bool pj_load_suffices(const pj_load_opts *opts, const pj_run *run, pj_err *err)
{
    const pj_provenance *from = run->provenance;
    const pj_roi_request *roi = &opts->roi;
    const char *lack = pj_load_lack(opts, run, false);
    if (lack)
        return pj_fail(err, PJ_E_MISSING, run->path, 0, "a summary %s; give its trace, %s", lack,
                       from->source);
    bool plain = roi->kind == PJ_ROI_AUTO && !roi->drop && !opts->raw_clock;
    if (plain || strcmp(pj_load_options(opts, run->arena), from->options) == 0)
        return true;
    return pj_fail(err, PJ_E_MISSING, run->path, 0,
                   "was made with %s; anything else needs its trace, %s", from->options,
                   from->source);
}
