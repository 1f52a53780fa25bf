// Puts reader, statistics and replay together. A trace is read again when the first pass shows that
// its records are unordered, or where its region of interest lies.
#include "metrics/analyse/load.h"

#include "metrics/ai/ai_steps.h"
#include "metrics/ai/ai_window.h"
#include "metrics/analyse/load_iterations.h"
#include "metrics/analyse/load_limits.h"
#include "metrics/analyse/load_needs.h"
#include "metrics/analyse/load_remarks.h"
#include "metrics/analyse/load_timeline.h"
#include "metrics/analyse/load_window.h"
#include "metrics/analyse/summarise.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/memory.h"
#include "metrics/base/ranks.h"
#include "metrics/base/str.h"
#include "metrics/read/fingerprint_trace.h"
#include "metrics/read/pass.h"
#include "metrics/read/rank_files.h"
#include "metrics/read/read.h"
#include "metrics/read/reader.h"
#include "metrics/replay/replay.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/parts/functions_table.h"
#include "metrics/run/parts/iterations.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/stat/bracket.h"
#include "metrics/stat/parts/function_sink.h"
#include "metrics/stat/parts/slice_sink.h"
#include "metrics/stat/useful.h"
#include "metrics/trace/companion.h"
#include "metrics/trace/import_stats.h"

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
    pj_function_parts *functions; // NULL = not asked for
    pj_slicing *slicing;          // NULL = not asked for
    pj_ideal *aside;              // of the last pass, on a network that is not ideal; else NULL
    pj_ai_window *window;         // of an AI run that was read as a whole; NULL = not asked for
} load_state;

/// The ideal network for the metrics, and beside it the one that is asked for.
static size_t add_replays(load_state *loading, pj_run *run, pj_sink *sinks)
{
    const pj_load_opts *opts = loading->opts;
    bool tape = pj_load_aspects(opts) & PJ_WANT(tape);
    pj_replay_opts replay = {.job = loading->job,
                             .ideal_path = opts->ideal_path,
                             .tape = tape,
                             .iterations = opts->borders};
    size_t count = 0;
    if (!pj_network_is_ideal(&opts->network)) {
        replay.network = opts->network;
        replay.aside = loading->aside = pj_new(run->arena, pj_ideal);
        loading->aside->reason = run->ideal.reason;
        sinks[count++] = pj_replay_sink(replay);
        replay = (pj_replay_opts){.job = loading->job, .alone = true, .tape = false};
    }
    replay.waits = pj_load_aspects(opts) & (PJ_WANT(waits) | PJ_HISTORY);
    replay.few_waits = opts->few_waits && !replay.waits;
    replay.history = pj_load_aspects(opts) & PJ_HISTORY;
    if (loading->slicing || loading->functions) {
        replay.watch = loading->slicing ? pj_slicing_watch(loading->slicing)
                                        : pj_function_parts_watch(loading->functions);
        if (!opts->few_functions) {
            replay.waits = replay.alone = true;
            replay.few_waits = false;
        }
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
    enum { OWN = 7 + PJ_ASPECT_SINKS }; // the replay needs the totals: it comes after them
    pj_sink *sinks = pj_new_n(run->arena, pj_sink, OWN + opts->listener_count);
    size_t own = 0;
    sinks[own++] = pj_useful_sink();
    sinks[own++] = pj_bracket_sink(&loading->bracket);
    unsigned aspects = pj_load_aspects(opts);
    own += pj_aspects_listen(aspects, &loading->timeline, sinks + own);
    if (loading->functions)
        sinks[own++] = pj_function_sink(loading->functions);
    if (!opts->no_replay || pj_aspects_replayed(aspects))
        own += add_replays(loading, run, sinks + own);
    if (loading->slicing)
        sinks[own++] = pj_slice_sink(loading->slicing);
    if (loading->functions)
        sinks[own++] = pj_function_finish_sink(loading->functions);
    size_t count = own + opts->listener_count;
    for (size_t i = own; i < count; i++)
        sinks[i] = opts->listeners[i - own];
    pj_pass pass = {.run = run,
                    .sinks = sinks,
                    .sink_count = count,
                    .job = loading->job,
                    .disorder = loading->disorder,
                    .learnt = loading->learnt,
                    .by_location = opts->no_replay && !opts->in_order && !loading->slicing &&
                                   !loading->functions && !pj_aspects_merged(aspects),
                    .regions = opts->regions || loading->functions || pj_aspects_named(aspects),
                    .regions_below = opts->regions || opts->functions || pj_aspects_named(aspects)
                                         ? 0
                                         : PJ_FEW_WAITS,
                    .parameters = opts->functions == PJ_CUT_PARAMETERS,
                    .raw_clock = opts->raw_clock,
                    .timeline = opts->timeline ? &loading->timeline : NULL,
                    .steps = opts->roi.kind == PJ_ROI_ITERATIONS ? &opts->roi : NULL,
                    .window = loading->window,
                    .step_parts = opts->iterations,
                    .find_steps = opts->few_functions,
                    .cut = opts->functions,
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

/// A pipe gives one pass: what another would have mended is said.
static void settle_for_one_pass(pj_run *run, bool moved)
{
    pj_import_stats *import = &run->import;
    import->count[PJ_IMPORT_unsorted] = import->count[PJ_IMPORT_time_backwards];
    import->first_line[PJ_IMPORT_unsorted] = import->first_line[PJ_IMPORT_time_backwards];
    import->count[PJ_IMPORT_time_backwards] = 0;
    if (moved)
        pj_run_remark(run, PJ_WARNING, "pipe_roi",
                      "a pipe cannot be read twice: the region of interest is not applied");
}

/// Some traces tell their length only at their end. True when another pass shows the right range.
static bool settle_timeline(load_state *loading, const pj_run *run)
{
    pj_roi_request *range = &loading->timeline.range;
    if (!run->timeline || !run->timeline->guessed || loading->learning) // its clocks change
        return false;
    range->from = (double)pj_load_border(range->from, range->from_percent, run->end_ns);
    range->to = (double)pj_load_border(range->to, range->to_percent, run->end_ns);
    range->from_percent = range->to_percent = false;
    return true;
}

/// The same of slices that end with the trace.
static bool settle_slices(load_state *loading, const pj_run *run)
{
    if (!loading->slicing || run->roi.set || loading->learning ||
        !pj_slicing_missed(loading->slicing, run->end_ns))
        return false;
    pj_slicing_set_end(loading->slicing, run->end_ns);
    return true;
}

/// Looks at what a pass has found; `*again` = another one must follow.
static bool judge(load_state *loading, pj_run *run, bool ordered, bool *again, pj_err *err)
{
    pj_roi roi;
    if (!pj_load_window(run, &loading->opts->roi, &loading->bracket, &roi, err))
        return false;
    bool same = run->roi.set && run->roi.from_ns == roi.from_ns && run->roi.to_ns == roi.to_ns;
    bool moved = roi.set && !same;
    bool shifted = settle_timeline(loading, run);
    shifted = settle_slices(loading, run) || shifted;
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

/// Whether an AI run has to be read again for a part of its time.
static bool wants_window(const load_state *loading)
{
    return loading->opts->roi.kind == PJ_ROI_RANGE && !loading->window;
}

static bool find_window(load_state *loading, const pj_run *run, pj_err *err)
{
    pj_roi roi;
    if (!pj_load_range(run, &loading->opts->roi, &roi, err))
        return false;
    loading->window = pj_ai_window_new(run, roi.from_ns, roi.to_ns);
    return true;
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
        if (run && run->provenance) {
            if (run->ai && loading->opts->iterations)
                pj_ai_steps_parts(run);
            return pj_load_suffices(loading->opts, run, err) ? pj_run_hold(run) : NULL;
        }
        if (run && run->ai && wants_window(loading)) {
            if (!find_window(loading, run, err))
                return NULL;
            continue;
        }
        if (run && run->untraced)
            return pj_load_tells(loading->opts, run, err) ? pj_run_hold(run) : NULL;
        if (!run || !judge_together(loading, run, ordered, &again, err))
            return NULL;
        if (again && pass < PASSES)
            continue;
        pj_load_remark(run);
        if (!loading->opts->group && pj_ranks_several())
            pj_load_remark_processes(run);
        pj_load_remark_limits(run, *loading->opts, loading->again, loading->job);
        return pj_run_hold(run);
    }
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

static pj_run *load_as_asked(const char *path, pj_load_opts opts, pj_job *job, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    load_state loading = {.path = path, .opts = &opts, .job = job, .group = opts.group};
    if (opts.timeline)
        loading.timeline = *opts.timeline;
    if (opts.slices)
        loading.slicing = pj_slicing_new(*opts.slices);
    else if (opts.functions) // the replay tells one of them
        loading.functions = pj_function_parts_new(opts.functions, false);
    else if (opts.few_functions)
        loading.functions = pj_function_parts_new(PJ_CUT_FUNCTIONS, true);
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
        run = pj_load_timeline_knows(&opts) ? pj_load_timeline(&opts, job, &local)
                                            : load(&loading, &local);
    free(loading.disorder);
    free(loading.learnt);
    pj_ai_window_free(loading.window);
    pj_slicing_free(loading.slicing);
    pj_function_parts_free(loading.functions);
    if (opts.group && !part(opts.group, run, &local)) {
        pj_run_release(run);
        run = NULL;
    }
    if (run && state == PJ_SUMMARY_OLD)
        pj_run_remark(run, PJ_NOTE, "summary_old",
                      "the summary beside the trace is of an older version: the trace was read");
    if (run && state == PJ_SUMMARY_OTHER_BYTES)
        pj_run_remark(run, PJ_NOTE, "summary_other",
                      "the summary beside the trace was made from other bytes: the trace was read");
    if (run && stamped && pj_fingerprint_stamp(path, &after, NULL) && after != before)
        pj_run_remark(run, PJ_WARNING, "changed_meanwhile",
                      "the trace changed while it was read: load it again");
    if (run && loading.aside)
        run = case_of(&loading, run);
    if (run)
        pj_job_report(job, path, true);
    else if (err && !err->code)
        *err = local;
    bool known = !run || !opts.functions;
    if (!known && run->ai)
        known = pj_ai_regions_known(run, err);
    else if (!known)
        known = run->untraced || pj_functions_known(run, err);
    if (!known) {
        pj_run_release(run);
        return NULL;
    }
    return run;
}

/// What is kept of iterations: all but their borders.
static void keep_iterations(pj_run *run, const pj_iterations *found)
{
    pj_iterations *kept = pj_new(run->arena, pj_iterations);
    *kept = *found;
    kept->borders.at = NULL;
    kept->looked_at = NULL;
    kept->lack = found->lack ? pj_arena_text(run->arena, pj_str_of(found->lack)) : NULL;
    kept->anchor = found->anchor ? pj_arena_text(run->arena, pj_str_of(found->anchor)) : NULL;
    kept->outlier = pj_new_n(run->arena, bool, found->borders.count + 1);
    if (found->outlier)
        memcpy(kept->outlier, found->outlier, found->borders.count * sizeof *found->outlier);
    kept->starts = pj_new_n(run->arena, uint64_t, found->borders.count + 2);
    for (uint32_t i = 0; !found->lack && i <= found->borders.count; i++) {
        kept->starts[i] = UINT64_MAX;
        for (uint32_t r = 0; r < found->borders.ranks; r++) {
            uint64_t at = pj_borders_of(&found->borders, r)[i];
            kept->starts[i] = at < kept->starts[i] ? at : kept->starts[i];
        }
    }
    run->iterations = kept;
}

/// Finds iterations first, then reads them, or the region of interest that they make.
static pj_run *load_iterations(const char *path, pj_load_opts opts, pj_job *job, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_iterations found;
    uint32_t first = 0, last = 0;
    pj_slicing_opts slices;
    bool range = opts.roi.kind == PJ_ROI_ITERATIONS;
    if (!pj_load_find_iterations(path, &opts, job, arena, &found, err))
        return NULL;
    bool whole = range && opts.roi.steady && found.lack && !opts.parts_too;
    bool needed = (range && !whole) || opts.parts_too;
    if ((!found.lack || needed) &&
        !pj_load_choose_iterations(path, &opts.roi, &found, &first, &last, err))
        return NULL;
    bool window = opts.iterations && !found.lack && opts.roi.kind == PJ_ROI_RANGE;
    if (window && !pj_load_iterations_within(path, &opts.roi, &found, &first, &last, err))
        return NULL;
    if (opts.iterations && !found.lack) {
        slices = (pj_slicing_opts){.borders = found.borders, .first = first, .what = "iteration"};
        slices.borders.at += first;
        slices.borders.count = last - first + 1;
        opts.slices = &slices;
    }
    if (opts.steps && !found.lack)
        opts.borders = &found.borders;
    bool alone = opts.slices == &slices && !opts.parts_too; // iterations are whole
    if (alone && (range || window))
        opts.roi = (pj_roi_request){.kind = PJ_ROI_OFF};
    else if (range)
        opts.roi = whole ? (pj_roi_request){.kind = PJ_ROI_RANGE,
                                            .from = (double)found.work_from_ns,
                                            .to = (double)found.work_to_ns}
                         : pj_load_iterations_range(&found, first, last);
    pj_run *run = load_as_asked(path, opts, job, err);
    if (!run)
        return NULL;
    keep_iterations(run, &found);
    if (whole)
        pj_run_remark(run, PJ_WARNING, "iterations", "no iterations found: %s; %s is looked at",
                      found.lack,
                      found.work_from_ns > 0 || found.work_to_ns < found.end_ns
                          ? "what is between MPI_Init and MPI_Finalize of all ranks"
                          : "the whole run");
    else if (range)
        pj_run_remark(run, PJ_NOTE, "iterations", "%s of %u %s looked at",
                      pj_iterations_text(first, last, arena), found.borders.count,
                      first == last ? "is" : "are");
    if (window)
        pj_run_remark(run, PJ_NOTE, "iterations",
                      "%s of %u %s a part in the region of interest, and %s looked at as a whole",
                      pj_iterations_text(first, last, arena), found.borders.count,
                      first == last ? "has" : "have", first == last ? "is" : "are");
    return run;
}

/// Whether the trace tells its iterations itself.
static bool tells_steps(const char *path, pj_job *job)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char **files = NULL;
    bool several = pj_rank_files_of(path, arena, &files) > 0;
    const pj_reader *reader = pj_reader_of_path(several ? files[0] : path);
    if (!reader || reader->steps || reader->gives != PJ_GIVES_RUN)
        return reader && reader->steps;
    pj_job quick = {.stop = job->stop, .workers = 1};
    pj_auto_run run = pj_load(path, (pj_load_opts){.ignore_summary = true}, &quick, NULL);
    return run && run->ai; // it is a summary of one that does
}

pj_run *pj_load(const char *path, pj_load_opts opts, pj_job *job, pj_err *err)
{
    return pj_load_wants_iterations(&opts, path) && !tells_steps(path, job)
               ? load_iterations(path, opts, job, err)
               : load_as_asked(path, opts, job, err);
}
