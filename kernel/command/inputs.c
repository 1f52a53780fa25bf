// From words to runs: paths, globs and folders are expanded, files loaded with progress.
#include "kernel/command/inputs.h"

#include "kernel/command/command.h"
#include "kernel/command/progress.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load_how.h"
#include "metrics/analyse/load_needs.h"
#include "metrics/analyse/paths.h"
#include "metrics/analyse/rank_runs.h"
#include "metrics/analyse/trace_files.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/replay/network.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/run.h"
#include "metrics/run/run_parts.h"
#include "metrics/run/study/study.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/roi.h"

#include <stdlib.h>

const pj_param pj_input_rows[] = {
    {.name = "traces",
     .type = PJ_PARAM_INPUTS,
     .place = PJ_IN_BOTH,
     .required = true,
     .offset = offsetof(pj_load_args, inputs),
     .shown = "TRACE",
     .help = "Traces: files, globs or folders."},
    {0},
};

const pj_param pj_reading_rows[] = {
#define EVERYWHERE(key, ...) PJ_READING_ROW(pj_load_args, key, __VA_ARGS__)
#define NUMBERS(...)
#include "metrics/analyse/load_how.def"
#undef EVERYWHERE
#undef NUMBERS
    {.name = "tag",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_load_args, tag),
     .shown = "TAG",
     .help = "Tag of all traces of this call, to group and order them by; several groups: "
             "load each with a tag of its own, or set runs[1].tag, in the notebook."},
    {.name = "force",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_load_args, reread),
     .help = "Reads the traces themselves, whatever summaries lie beside them, and those of "
             "runs in memory again."},
    {.name = "jobs",
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(pj_load_args, jobs),
     .shown = "N",
     .preset = "one per core",
     .help = "Threads to compute with; every number gives the same digits."},
    {.name = "memory",
     .type = PJ_PARAM_SIZE,
     .offset = offsetof(pj_load_args, memory),
     .shown = "SIZE",
     .preset = "half of what this process may use",
     .help = "Memory that reading may use; beyond it the command ends with a clear message. "
             "Records of AI runs that exceed half of it lie in TMPDIR, with the same digits."},
    {0},
};

const pj_param pj_region_rows[] = {
    {.name = "region",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_load_args, region),
     .shown = "NAME|all",
     .preset = "the whole run",
     .help = "The function of the program, or of files of TALP the region, that is looked at; or "
             "each of "
             "them beside the run."},
    {0},
};

const pj_param pj_roi_cut_rows[] = {
#define EVERYWHERE(...)
#define NUMBERS(key, ...) PJ_READING_ROW(pj_load_args, key, __VA_ARGS__)
#include "metrics/analyse/load_how.def"
#undef EVERYWHERE
#undef NUMBERS
    {0},
};

enum { MOST_JOBS = 1024 };

/// What one pass over the inputs needs.
typedef struct loading {
    pj_session *session;
    const pj_load_args *args;
    pj_load_opts opts;
    pj_progress *progress;
    pj_value *runs;
    size_t wanted;
} loading;

/// Whether a text breaks off: no newline at its end, and its last record is no whole one or lies
/// before the end that the header gives.
static bool breaks_off(const pj_import_stats *import)
{
    uint64_t last = import->first_line[PJ_IMPORT_no_final_newline];
    return last && (import->count[PJ_IMPORT_ends_early] ||
                    import->first_line[PJ_IMPORT_malformed_record] == last ||
                    import->first_line[PJ_IMPORT_unknown_record] == last);
}

void pj_inputs_complain_of_damage(pj_session *session, const pj_run *run)
{
    const pj_import_stats *import = &run->import;
    pj_err problem = {0};
    for (unsigned key = 0; key < PJ_IMPORT_COUNT && !problem.code; key++) {
        const pj_import_row *row = pj_import_at(key);
        if (row->advice && import->count[key])
            pj_fail(&problem, PJ_E_FORMAT, run->path, import->first_line[key], "%s; %s",
                    run->damage ? run->damage : row->sentence, row->advice);
    }
    if (!problem.code && run->damage)
        pj_fail(&problem, PJ_E_FORMAT, run->path, 0, "%s", run->damage);
    if (!problem.code && breaks_off(import))
        pj_fail(&problem, PJ_E_FORMAT, run->path, import->first_line[PJ_IMPORT_no_final_newline],
                "the trace breaks off in its last line: what came before was used; copy the file "
                "again");
    if (problem.code)
        pj_session_complain(session, &problem);
}

/// Whether functions of a trace, of which sums are kept, have what is wanted.
static bool known_of_parts(const loading *l, const pj_run *run, pj_err *err)
{
    const pj_load_opts *opts = &l->opts;
    bool more = opts->no_replay || opts->slices || opts->iterations || opts->timeline ||
                opts->listener_count;
    return run->untraced || !more ||
           pj_fail(err, PJ_E_MISSING, run->path, 0,
                   "of its functions sums over all threads are kept, and nothing of single threads "
                   "or times: metrics, plot scaling, compare, gate, model and trend take "
                   "--region");
}

/// The run, or of a run that has regions those that are asked for.
static bool add_run_take(loading *l, pj_run *run, pj_err *err)
{
    const char *region = l->args->region;
    bool all = (region && strcmp(region, "all") == 0) || (l->opts.parts_too && !region);
    bool named = region && !all;
    pj_run *one = !named                        ? run
                  : known_of_parts(l, run, err) ? pj_run_parts_named(run, region, err)
                                                : NULL;
    if (!named || one)
        pj_value_list_add_take(l->runs, pj_value_run_take(pj_run_hold(one)));
    for (size_t i = 0; all && i < run->parts.count; i++)
        pj_value_list_add_take(l->runs, pj_value_run_take(pj_run_hold(run->parts.items[i])));
    pj_run_release(run);
    return !named || one;
}

static bool load_path(loading *l, const char *path, const char *tag, pj_err *err)
{
    pj_load_opts opts = l->opts;
    opts.tag = l->args->tag ? l->args->tag : tag;
    opts.ignore_summary = l->args->reread;
    opts.summaries = l->session->summaries;
    pj_err problem = {0};
    pj_job job = {.stop = l->session->stop,
                  .workers = (unsigned)(l->args->jobs > MOST_JOBS ? MOST_JOBS : l->args->jobs),
                  .memory_budget = l->args->memory};
    pj_progress_attach(l->progress, &job);
    pj_run *run = pj_load(path, opts, &job, &problem);
    if (run) {
        pj_progress_clear(l->progress);
        pj_inputs_complain_of_damage(l->session, run);
        l->progress->bytes += run->file_bytes;
        if (add_run_take(l, run, &problem))
            return true;
    }
    bool hopeless = problem.code == PJ_E_STOPPED || problem.code == PJ_E_USAGE;
    if (hopeless || l->wanted == 1) {
        *err = problem;
        return false;
    }
    pj_progress_clear(l->progress);
    pj_session_complain(l->session, &problem);
    return true;
}

/// Whether the run's own file is a summary, not a trace beside which one lies.
static bool is_summary(const pj_run *run)
{
    return run->provenance && run->provenance->alone;
}

/// Whether the run was read without what is wanted now.
static bool lacks(const pj_run *run, const pj_load_opts *opts)
{
    if (run->provenance && run->provenance->rounded && opts->no_replay && !is_summary(run))
        return true;
    return opts->slices || opts->functions || opts->iterations ||
           pj_aspects_stale(pj_load_aspects(opts), run);
}

/// The same part of the trace again.
static bool load_more(loading *l, const pj_run *run, pj_err *err)
{
    const pj_roi_request asked = l->opts.roi;
    l->opts.known = run;
    l->opts.roi = (pj_roi_request){.kind = PJ_ROI_OFF};
    if (is_summary(run))
        l->opts.roi = (pj_roi_request){.kind = PJ_ROI_AUTO};
    else if (run->ai && run->ai->only)
        l->opts.roi = *run->ai->only;
    else if (run->roi.set)
        l->opts.roi = (pj_roi_request){.kind = PJ_ROI_RANGE,
                                       .from = (double)run->roi.from_ns,
                                       .to = (double)run->roi.to_ns,
                                       .drop = run->roi.drop};
    bool ok = load_path(l, run->path, run->tag, err);
    l->opts.roi = asked;
    l->opts.known = NULL;
    return ok;
}

/// A part of a run in memory: what it has is all there is of it.
static bool take_part(loading *l, pj_run *part, bool otherwise, pj_err *err)
{
    if (otherwise || lacks(part, &l->opts))
        return pj_fail(err, PJ_E_MISSING, part->path, 0,
                       "\"%s\" is a part of this run: what is asked for needs the run itself",
                       part->part.name);
    pj_value_list_add_take(l->runs, pj_value_run_take(pj_run_hold(part)));
    return true;
}

/// A run in memory; it comes from its file again where it must be read otherwise.
static bool take_run(loading *l, pj_run *run, pj_err *err)
{
    const pj_load_args *args = l->args;
    pj_network asked = l->opts.network;
    bool otherwise = args->reread || pj_load_how_given(&args->how) || args->tag;
    bool ok = true;
    if (run->part.whole)
        return take_part(l, run, otherwise, err);
    if (run->other.network && pj_network_is_ideal(&asked))
        l->opts.network = *run->other.network;
    if (otherwise)
        ok = load_path(l, run->path, run->tag, err);
    else if (lacks(run, &l->opts))
        ok = load_more(l, run, err);
    else
        ok = add_run_take(l, pj_run_hold(run), err);
    l->opts.network = asked;
    return ok;
}

static bool take_study(loading *l, const pj_study *study, pj_err *err)
{
    for (size_t i = 0; i < study->count; i++)
        if (!take_run(l, study->cases[i].run, err))
            return false;
    return true;
}

static bool load_input(loading *l, const pj_value *input, pj_err *err)
{
    if (input->kind == PJ_VALUE_TEXT)
        return load_path(l, input->text, NULL, err);
    if (input->kind == PJ_VALUE_RUN)
        return take_run(l, input->run, err);
    if (input->kind == PJ_VALUE_METRICS)
        return take_study(l, input->metrics->study, err);
    return pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "a %s is no trace; give file names, globs, folders, runs or metrics",
                   pj_value_name(input->kind));
}

/// Whether `path` is part of a trace that is among the inputs: a glob takes the files beside its
/// traces too, which are read with their trace.
static bool is_part(const pj_inputs *inputs, const char *path)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].kind == PJ_VALUE_TEXT &&
            pj_trace_files_belongs(path, inputs->items[i].text))
            return true;
    return false;
}

static void drop_parts(pj_inputs *inputs)
{
    size_t kept = 0;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].kind != PJ_VALUE_TEXT || !is_part(inputs, inputs->items[i].text))
            inputs->items[kept++] = inputs->items[i];
    inputs->count = kept;
}

/// Files of the ranks of one run become one input.
static void join_ranks(pj_inputs *inputs, pj_arena *arena)
{
    const char **paths = pj_new_n(arena, const char *, inputs->count + 1);
    size_t kept = 0;
    for (size_t i = 0; i < inputs->count; i++)
        paths[i] = inputs->items[i].kind == PJ_VALUE_TEXT ? inputs->items[i].text : NULL;
    pj_rank_runs_join(paths, inputs->count, arena);
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].kind != PJ_VALUE_TEXT)
            inputs->items[kept++] = inputs->items[i];
        else if (paths[i])
            inputs->items[kept++] = pj_value_borrow_text(paths[i]);
    inputs->count = kept;
}

bool pj_inputs_expand_all(pj_session *session, const pj_inputs *inputs, pj_arena *arena,
                          pj_inputs *out, pj_err *err)
{
    for (size_t i = 0; i < inputs->count; i++) {
        pj_paths paths = {0};
        pj_err problem = {0};
        pj_value value = inputs->items[i];
        bool text = value.kind == PJ_VALUE_TEXT;
        if (text && is_part(inputs, value.text))
            continue;
        bool ok = !text || pj_paths_expand(value.text, PJ_WANT_TRACES, arena, &paths, &problem);
        for (size_t k = 0; ok && k < (text ? paths.count : 1); k++) {
            pj_grow(out->items, &out->cap, out->count + 1);
            out->items[out->count++] = text ? pj_value_borrow_text(paths.items[k]) : value;
        }
        free(paths.items);
        if (!ok && inputs->count == 1) {
            *err = problem;
            return false;
        }
        if (!ok)
            pj_session_complain(session, &problem);
    }
    drop_parts(out);
    join_ranks(out, arena);
    return out->count > 0 ||
           pj_fail(err, PJ_E_MISSING, NULL, 0, "none of the inputs names a trace");
}

bool pj_inputs_load(pj_session *session, const pj_load_args *args, pj_load_opts opts,
                    pj_value *runs, pj_err *err)
{
    if (!pj_load_how_take(&args->how, &opts, err))
        return false;
    if (args->region && !opts.functions && !opts.slices && !opts.iterations)
        opts.functions = PJ_CUT_FUNCTIONS;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_inputs inputs = {0};
    *runs = pj_value_list_new();
    bool ok = pj_inputs_expand_all(session, &args->inputs, arena, &inputs, err);
    pj_progress progress = pj_progress_of(session, inputs.count);
    loading l = {.session = session,
                 .args = args,
                 .opts = opts,
                 .progress = &progress,
                 .runs = runs,
                 .wanted = inputs.count};
    for (size_t i = 0; ok && i < inputs.count; i++)
        ok = load_input(&l, &inputs.items[i], err);
    pj_progress_end(&progress);
    free(inputs.items);
    if (ok && runs->list->count == 0)
        ok = pj_fail(err, PJ_E_IO, NULL, 0, "none of the %zu traces could be read", l.wanted);
    return ok;
}

bool pj_inputs_load_one(pj_session *session, const pj_load_args *args, pj_load_opts opts,
                        pj_run **run, pj_err *err)
{
    pj_auto_value runs = {0};
    if (!pj_inputs_load(session, args, opts, &runs, err))
        return false;
    if (runs.list->count != 1)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "one trace is wanted, there are %zu",
                       runs.list->count);
    *run = pj_run_hold(runs.list->items[0].run);
    return true;
}

pj_study *pj_inputs_study(const pj_list *runs, pj_study_opts opts, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run **items = pj_new_n(arena, pj_run *, runs->count);
    for (size_t i = 0; i < runs->count; i++)
        items[i] = runs->items[i].run;
    return pj_study_new(items, runs->count, opts, err);
}
