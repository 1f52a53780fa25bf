// Puts reader, statistics and replay together. A trace is read again when the first pass shows that
// its records are unordered, or where its region of interest lies.
#include "metrics/analyse/load.h"

#include "metrics/analyse/load_limits.h"
#include "metrics/analyse/summarise.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/memory.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/read/fingerprint_trace.h"
#include "metrics/read/reader.h"
#include "metrics/replay/replay.h"
#include "metrics/run/run_table.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/stat/bracket.h"
#include "metrics/stat/useful.h"
#include "metrics/trace/companion.h"
#include "metrics/trace/device.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <stdlib.h>

/// What one pass needs to know and leaves behind for the next.
typedef struct load_state {
    const char *path;
    const pj_load_opts *opts;
    pj_job *job;
    pj_roi roi;                // the window of the next pass
    pj_timeline_opts timeline; // what is to be seen; percentages become times when the end is known
    uint64_t *disorder;        // of the last pass
    void *learnt;              // of the first pass that had something to learn
    bool again, learning;
    pj_process_group *group; // of the next pass
    bool apart;              // it cannot share this trace
    pj_bracket bracket;
    pj_ideal *aside; // of the last pass, on a network that is not ideal; else NULL
} load_state;

/// The ideal network for the metrics, and beside it the one that is asked for.
static size_t add_replays(load_state *loading, pj_run *run, pj_sink *sinks)
{
    const pj_load_opts *opts = loading->opts;
    pj_replay_opts replay = {.job = loading->job, .ideal_path = opts->ideal_path};
    size_t count = 0;
    if (!pj_network_is_ideal(&opts->network)) {
        replay.network = opts->network;
        replay.aside = loading->aside = pj_new(run->arena, pj_ideal);
        loading->aside->reason = run->ideal.reason;
        sinks[count++] = pj_replay_sink(replay);
        replay = (pj_replay_opts){.job = loading->job, .alone = true};
    }
    sinks[count++] = pj_replay_sink(replay);
    return count;
}

static pj_run *read_once(load_state *loading, pj_err *err)
{
    pj_auto_run run = pj_run_new(loading->path);
    run->roi = loading->roi;
    if (loading->opts->tag)
        run->tag = pj_arena_text(run->arena, pj_str_of(loading->opts->tag));
    const pj_load_opts *opts = loading->opts;
    enum { OWN = 4 + PJ_ASPECT_SINKS }; // the replay needs the totals: it comes after them
    pj_sink *sinks = pj_new_n(run->arena, pj_sink, OWN + opts->listener_count);
    size_t own = 0;
    sinks[own++] = pj_useful_sink();
    sinks[own++] = pj_bracket_sink(&loading->bracket);
    unsigned aspects = pj_load_aspects(opts);
    own += pj_aspects_listen(aspects, &loading->timeline, sinks + own);
    if (!opts->no_replay)
        own += add_replays(loading, run, sinks + own);
    size_t count = own + opts->listener_count;
    for (size_t i = own; i < count; i++)
        sinks[i] = opts->listeners[i - own];
    pj_pass pass = {.run = run,
                    .sinks = sinks,
                    .sink_count = count,
                    .job = loading->job,
                    .disorder = loading->disorder,
                    .learnt = loading->learnt,
                    .by_location = opts->no_replay && !opts->in_order &&
                                   !pj_aspects_merged(aspects) && !loading->group,
                    .regions = opts->regions,
                    .raw_clock = opts->raw_clock,
                    .group = loading->group};
    bool ok = pj_read_file(loading->path, &pass, err);
    for (size_t i = 0; i < own; i++)
        sinks[i].close(sinks[i].self);
    loading->disorder = pass.disorder;
    loading->learnt = pass.learnt;
    loading->learning = pass.learning;
    loading->again = pass.again;
    loading->apart = pass.apart;
    return ok ? pj_run_hold(run) : NULL;
}

/// One end of the range that the user gave, in ns of this run.
static uint64_t border(double value, bool percent, uint64_t end_ns)
{
    double ns = percent ? value / 100 * (double)end_ns : value;
    return ns >= (double)end_ns ? end_ns : (uint64_t)(ns + 0.5);
}

static bool range_of(const load_state *loading, const pj_run *run, pj_roi *roi, pj_err *err)
{
    const pj_roi_request *request = &loading->opts->roi;
    roi->set = true;
    roi->from_ns = border(request->from, request->from_percent, run->end_ns);
    roi->to_ns = border(request->to, request->to_percent, run->end_ns);
    if (roi->from_ns < roi->to_ns)
        return true;
    char end[32];
    pj_format_duration((double)run->end_ns, end);
    return pj_fail(err, PJ_E_MISSING, loading->path, 0,
                   "nothing of the trace lies in the region of interest; it ends after %s", end);
}

static void bracket_of(const load_state *loading, pj_run *run, pj_roi *roi)
{
    const pj_bracket *bracket = &loading->bracket;
    const pj_layout *layout = &run->layout;
    uint32_t rank = layout->rank_of[bracket->location];
    switch (bracket->kind) {
    case PJ_BRACKET_NONE:
        pj_run_remark(run, PJ_NOTE,
                      "no region of interest is marked in the trace: it is used whole");
        break;
    case PJ_BRACKET_INVALID:
        pj_run_remark(run, PJ_WARNING,
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

/// The region of interest of the trace; not set = the whole trace. A remark says why.
static bool choose_roi(const load_state *loading, pj_run *run, pj_roi *roi, pj_err *err)
{
    *roi = (pj_roi){.drop = loading->opts->roi.drop};
    switch (loading->opts->roi.kind) {
    case PJ_ROI_OFF:
        break;
    case PJ_ROI_RANGE:
        return range_of(loading, run, roi, err);
    case PJ_ROI_AUTO:
        bracket_of(loading, run, roi);
        break;
    }
    return true;
}

static void remark_on_roi(pj_run *run)
{
    char from[32], to[32];
    pj_format_grouped((int64_t)run->roi.from_ns, from);
    pj_format_grouped((int64_t)run->roi.to_ns, to);
    pj_run_remark(run, PJ_NOTE, "region of interest: %s ns to %s ns of the trace", from, to);
    if (run->roi.cut_bursts)
        pj_run_remark(run, PJ_NOTE,
                      run->roi.drop ? "%llu bursts across its borders were left out"
                                    : "%llu bursts across its borders count with the part inside, "
                                      "their counters in proportion to time",
                      (unsigned long long)run->roi.cut_bursts);
}

static void remark_on_devices(pj_run *run)
{
    const pj_layout *layout = &run->layout;
    uint32_t streams = pj_device_streams(layout->streams, layout->stream_count), devices;
    pj_device_keys(layout->streams, layout->stream_count, run->arena, &devices);
    if (streams)
        pj_run_remark(run, PJ_URGENT,
                      "the trace holds what %u device%s did in %u stream%s: it is not yet in the "
                      "metrics, which are of the threads of the host alone",
                      devices, devices == 1 ? "" : "s", streams, streams == 1 ? "" : "s");
    if (streams < layout->stream_count)
        pj_run_remark(run, PJ_NOTE, "%u threads of samples of device metrics were left out",
                      layout->stream_count - streams);
}

static void remark_on_trace(pj_run *run)
{
    pj_str name = pj_str_of(run->name);
    remark_on_devices(run);
    if (run->no_states)
        pj_run_remark(run, PJ_WARNING, "%s, nor any efficiency", pj_run_lacks_states(run));
    if (run->idealised || pj_str_ends(name, PJ_S(".sim")) || pj_str_contains(name, PJ_S(".sim.")))
        pj_run_remark(run, PJ_WARNING,
                      "this trace is the result of a simulation%s, not a measurement",
                      run->idealised ? " (a replay)" : " (.sim.)");
    if (run->chopped || pj_str_contains(name, PJ_S(".chop")))
        pj_run_remark(run, PJ_NOTE, "this trace was cut out of a longer one");
    if (run->layout.applications > 1)
        pj_run_remark(run, PJ_NOTE, "the trace holds %u applications; ranks are numbered through",
                      run->layout.applications);
}

/// A pipe gives one pass: what another would have mended is said.
static void settle_for_one_pass(pj_run *run, bool moved)
{
    pj_import_stats *import = &run->import;
    import->count[PJ_IMPORT_unsorted] = import->count[PJ_IMPORT_time_backwards];
    import->first_line[PJ_IMPORT_unsorted] = import->first_line[PJ_IMPORT_time_backwards];
    import->count[PJ_IMPORT_time_backwards] = 0;
    if (moved)
        pj_run_remark(run, PJ_WARNING,
                      "a pipe cannot be read twice: the region of interest is not applied");
}

/// Some traces tell their length only at their end. True when another pass shows the right range.
static bool settle_timeline(load_state *loading, const pj_run *run)
{
    pj_roi_request *range = &loading->timeline.range;
    if (!run->timeline || !run->timeline->guessed || loading->learning) // its clocks change
        return false;
    range->from = (double)border(range->from, range->from_percent, run->end_ns);
    range->to = (double)border(range->to, range->to_percent, run->end_ns);
    range->from_percent = range->to_percent = false;
    return true;
}

/// Looks at what a pass has found; `*again` = another one must follow.
static bool judge(load_state *loading, pj_run *run, bool ordered, bool *again, pj_err *err)
{
    pj_roi roi;
    if (!choose_roi(loading, run, &roi, err))
        return false;
    bool same = run->roi.set && run->roi.from_ns == roi.from_ns && run->roi.to_ns == roi.to_ns;
    bool moved = roi.set && !same;
    bool shifted = settle_timeline(loading, run);
    *again = loading->again &&
             (moved || shifted || loading->learning || (loading->disorder && !ordered));
    if (*again)
        loading->roi = roi;
    else if (!loading->again)
        settle_for_one_pass(run, moved);
    return true;
}

/// In a process group the leader judges, for it alone has the whole run.
static bool judge_together(load_state *loading, pj_run *run, bool ordered, bool *again, pj_err *err)
{
    struct {
        bool again;
        pj_roi roi;
        pj_roi_request range;
    } next;
    pj_process_group *group = loading->group;
    if (pj_process_group_leads(group) && !judge(loading, run, ordered, again, err))
        return false;
    if (!group)
        return true;
    memset(&next, 0, sizeof next);
    next.again = *again;
    next.roi = loading->roi;
    next.range = loading->timeline.range;
    if (pj_process_group_leads(group))
        pj_process_group_tell(group, (pj_str){(const char *)&next, sizeof next});
    if (!pj_process_group_exchange(group, err))
        return false;
    memcpy(&next, pj_process_group_from(group, 0).at, sizeof next);
    *again = next.again;
    loading->roi = next.roi;
    loading->timeline.range = next.range;
    return true;
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

/// Whether a summary that was given in place of its trace has what is wanted.
static bool suffices(const pj_load_opts *opts, const pj_run *run, pj_err *err)
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

static pj_run *load(load_state *loading, pj_err *err)
{
    enum { PASSES = 5 }; // to see, to mend twice, to clip: the end may move a percentage
    for (int pass = 1;; pass++) {
        bool ordered = loading->disorder != NULL, again = false;
        pj_auto_run run = read_once(loading, err);
        if (run && loading->apart && !pj_process_group_leads(loading->group))
            return pj_run_hold(run);
        if (run && loading->apart) { // what a process group cannot share its leader reads alone
            loading->group = NULL;
            pass = 0;
            continue;
        }
        if (run && run->provenance)
            return suffices(loading->opts, run, err) ? pj_run_hold(run) : NULL;
        if (!run || !judge_together(loading, run, ordered, &again, err))
            return NULL;
        if (again && pass < PASSES)
            continue;
        if (run->roi.set)
            remark_on_roi(run);
        remark_on_trace(run);
        pj_load_remark_limits(run, *loading->opts, loading->again, loading->job);
        return pj_run_hold(run);
    }
}

/// Whether a run that was read before knows where in its file the timeline stands.
static bool knows_parts(const pj_load_opts *opts)
{
    const pj_run *known = opts->known;
    return known && pj_load_aspects(opts) == PJ_WANT(timeline) && !known->ranged.states_overlap &&
           !opts->listener_count && pj_reader_knows(known);
}

/// The timeline alone, from the parts of the file that hold it; the totals of the run stay empty.
static pj_run *load_timeline(const pj_load_opts *opts, pj_job *job, pj_err *err)
{
    const pj_run *known = opts->known;
    pj_timeline_opts timeline = *opts->timeline;
    pj_roi_request *range = &timeline.range;
    uint64_t from = known->roi.set ? known->roi.from_ns : 0;
    uint64_t to = known->roi.set ? known->roi.to_ns : known->end_ns;
    if (range->kind == PJ_ROI_RANGE) {
        from = border(range->from, range->from_percent, known->end_ns);
        to = border(range->to, range->to_percent, known->end_ns);
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

/// A worker has a stack, blocks of text and batches of events; measured, with a little to spare.
static uint64_t need_of(unsigned workers)
{
    const uint64_t base = 14 << 20, each = 13 << 20;
    return base + (workers > 1 ? workers * each : 0);
}

/// Whether there is memory to read with; as many workers as it allows where nobody asked for a
/// number.
static bool find_room(pj_job *job, const char *path, pj_err *err)
{
    unsigned workers = pj_job_workers(job);
    if (!job->workers) {
        uint64_t left = pj_memory_look("").left;
        while (workers > 1 && need_of(workers) > left)
            workers--;
        job->workers = workers;
    }
    return pj_memory_want(need_of(workers), path, "reading it", err);
}

/// All members of a process group have read their part, or all fail.
static bool part(pj_process_group *group, const pj_run *run, pj_err *err)
{
    bool ok = run && pj_process_group_exchange(group, err);
    if (!run)
        pj_process_group_give_up(group, err);
    group->over = false; // for all at the same exchange: they can go on with another trace
    return ok;
}

/// The run on the network that was asked for; takes the reference to `base`.
static pj_run *case_of(const load_state *loading, pj_run *base)
{
    const pj_network *asked = &loading->opts->network;
    pj_run *run = pj_run_case(base, loading->aside, pj_network_label(asked, base->arena));
    pj_network *network = pj_new(run->arena, pj_network);
    *network = *asked;
    run->other.network = network;
    pj_run_release(base);
    return run;
}

pj_run *pj_load(const char *path, pj_load_opts opts, pj_job *job, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    load_state loading = {.path = path, .opts = &opts, .job = job, .group = opts.group};
    if (opts.timeline)
        loading.timeline = *opts.timeline;
    if (opts.ideal_path && pj_companion_shared(path, opts.ideal_path)) {
        pj_fail(err, PJ_E_USAGE, opts.ideal_path, 0,
                "would replace files of the trace; give the idealised one another name");
        return NULL;
    }
    uint64_t before, after;
    bool stamped = pj_fingerprint_stamp(path, &before, NULL);
    pj_summary_state state = PJ_SUMMARY_ABSENT;
    pj_run *run = pj_summarise_beside(path, &opts, job, &state, &local);
    if (!run && !local.code && find_room(job, path, &local))
        run = knows_parts(&opts) ? load_timeline(&opts, job, &local) : load(&loading, &local);
    free(loading.disorder);
    free(loading.learnt);
    if (opts.group && !part(opts.group, run, &local)) {
        pj_run_release(run);
        run = NULL;
    }
    if (run && state == PJ_SUMMARY_OLD)
        pj_run_remark(run, PJ_NOTE,
                      "the summary beside the trace is of an older version: the trace was read");
    if (run && state == PJ_SUMMARY_OTHER_BYTES)
        pj_run_remark(run, PJ_NOTE,
                      "the summary beside the trace was made from other bytes: the trace was read");
    if (run && stamped && pj_fingerprint_stamp(path, &after, NULL) && after != before)
        pj_run_remark(run, PJ_WARNING, "the trace changed while it was read: load it again");
    if (run && loading.aside)
        run = case_of(&loading, run);
    if (run)
        pj_job_report(job, path, true);
    else if (err && !err->code)
        *err = local;
    return run;
}
