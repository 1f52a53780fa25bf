// popinjay plot KIND TRACE...: pictures of metrics, of one run, of any table.
#include "kernel/command/args/metrics_args.h"
#include "kernel/command/args/part_args.h"
#include "kernel/command/args/profile_view_args.h"
#include "kernel/command/args/timeline_args.h"
#include "kernel/command/command.h"
#include "kernel/command/display.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/analyse/load_texts.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/part_models.h"
#include "metrics/pop/part_series.h"
#include "metrics/profile/derive/profile_difference.h"
#include "metrics/profile/profile.h"
#include "metrics/run/run.h"
#include "metrics/run/run_table.h"
#include "metrics/run/study/study.h"
#include "metrics/run/timeline.h"
#include "metrics/stat/parts/slice_sink.h"
#include "metrics/stat/query.h"
#include "metrics/table/question.h"
#include "metrics/table/table.h"
#include "metrics/trace/sink.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

#include <string.h>

enum { SLICES = 128 }; // of a run over time

typedef struct plot_args {
    const char *kind;
    pj_load_args load;
    pj_texts y;
    const char *x;
    pj_metrics_args metrics;
    bool log_x, log_y, linear, stacked, each_rank;
    pj_timeline_args timeline;
    pj_profile_view_args profile;
    pj_exports exports;
} plot_args;

static const char *plot_kind(const pj_session *session, size_t index)
{
    (void)session;
    const pj_plot *plot = pj_plot_at(index);
    bool known = plot && pj_plot_by_name(pj_str_of(plot->name)) != plot;
    return plot && !known ? plot->name : NULL;
}

static const pj_table *only_table(const pj_inputs *inputs)
{
    bool table = inputs->count == 1 && inputs->items[0].kind == PJ_VALUE_TABLE;
    return table ? inputs->items[0].table : NULL;
}

static bool take_opts(const plot_args *args, const pj_plot *plot, pj_plot_opts *opts, pj_err *err)
{
    size_t most_y = plot->most_y ? plot->most_y : PJ_PLOT_MOST_Y - 1;
    double zoom = pj_picture_zoom(args->exports.size);
    *opts = (pj_plot_opts){.title = args->metrics.title,
                           .x = args->x,
                           .by = args->metrics.by,
                           .log_x = args->log_x,
                           .log_y = args->log_y,
                           .linear = args->linear,
                           .stacked = args->stacked,
                           .width = args->exports.size.width / zoom,
                           .height = args->exports.size.height / zoom};
    if (args->y.count > most_y)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "plot: %s draws at most %zu value%s of -y",
                       plot->name, most_y, most_y == 1 ? "" : "s");
    if (args->stacked && !plot->stacks)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "plot: %s has nothing to be stacked; bar has",
                       plot->name);
    for (size_t i = 0; i < args->y.count; i++)
        opts->y[i] = args->y.items[i];
    return pj_profile_view_args_take(&args->profile, &opts->profile, err);
}

/// What a trace answers, in a table.
static bool ask_trace(pj_session *session, const plot_args *args, const pj_query_opts *question,
                      pj_value *source, pj_err *err)
{
    pj_query *query = pj_query_new(*question, err);
    if (!query)
        return false;
    pj_sink sink = pj_query_sink(query);
    pj_load_args load = args->load;
    load.reread = true; // runs in memory have forgotten their messages
    pj_load_opts how = {
        .no_replay = true, .listeners = &sink, .listener_count = 1, .in_order = true};
    pj_auto_run run = NULL;
    bool ok = pj_inputs_load_one(session, &load, how, &run, err);
    pj_table *table = ok ? pj_query_table(query) : NULL;
    if (table) {
        table->title = pj_arena_format(table->arena, "Messages of %s", run->name);
        *source = pj_value_table_take(table);
    }
    pj_query_free(query);
    return ok;
}

/// A profile, or that of the functions of a trace.
static pj_profile *load_profile(pj_session *session, const plot_args *args, const pj_plot *plot,
                                pj_inputs inputs, pj_err *err)
{
    pj_profile_args files = {.inputs = inputs,
                             .beside = plot->beside,
                             .how = args->load.how,
                             .jobs = args->load.jobs,
                             .memory = args->load.memory};
    return pj_profile_inputs(session, &files, err);
}

static bool take_profile(pj_session *session, const plot_args *args, const pj_plot *plot,
                         pj_value *source, pj_err *err)
{
    pj_inputs inputs = args->load.inputs;
    if (plot->pair && !args->profile.before) // the first one is what was
        inputs = (pj_inputs){.items = inputs.items + 1, .count = inputs.count - 1};
    pj_profile *profile = load_profile(session, args, plot, inputs, err);
    if (profile)
        *source = pj_value_profile_take(profile);
    return profile != NULL;
}

/// The profile that another one is compared with; NULL without an error where there is none.
static pj_profile *take_before(pj_session *session, const plot_args *args, const pj_plot *plot,
                               pj_err *err)
{
    const pj_inputs *inputs = &args->load.inputs;
    pj_value named = pj_value_borrow_text(args->profile.before);
    if (args->profile.before)
        return load_profile(session, args, plot, (pj_inputs){.items = &named, .count = 1}, err);
    if (!plot->pair)
        return NULL;
    if (inputs->count == 2)
        return load_profile(session, args, plot, (pj_inputs){.items = inputs->items, .count = 1},
                            err);
    pj_fail(err, PJ_E_USAGE, NULL, 0,
            "two profiles are wanted, what was and what is; there %s %zu; several files that are "
            "one profile are a folder or a glob in quotes",
            inputs->count == 1 ? "is" : "are", inputs->count);
    return NULL;
}

/// `slices` are used as long as what is returned.
static pj_load_opts reading_of(const plot_args *args, const pj_plot *plot,
                               const pj_slicing_opts *slices)
{
    pj_load_opts opts = {.no_replay = !plot->sliced && !plot->iterations,
                         .iterations = plot->iterations,
                         .aspects = plot->aspects};
    if (plot->sliced) {
        opts.iterations = args->x && strcmp(args->x, "iteration") == 0;
        opts.slices = opts.iterations ? NULL : slices;
        opts.steps = !opts.iterations; // their begins are ticks
    }
    return opts;
}

static bool take_run(pj_session *session, const plot_args *args, const pj_plot *plot, pj_run **run,
                     pj_err *err)
{
    const pj_slicing_opts slices = pj_slicing_equal(SLICES);
    pj_timeline_opts timeline;
    if (!pj_timeline_args_take(&args->timeline, args->exports.size, &timeline, err))
        return false;
    pj_load_opts opts = reading_of(args, plot, &slices);
    opts.timeline = plot->aspects & PJ_WANT(timeline) ? &timeline : NULL;
    if (opts.timeline)
        pj_load_ask_timeline(&opts);
    return pj_inputs_load_one(session, &args->load, opts, run, err);
}

/// What the plot is made from, as a value that holds it.
static bool take_source(pj_session *session, const plot_args *args, const pj_plot *plot,
                        pj_value *source, pj_err *err)
{
    const pj_table *table = only_table(&args->load.inputs);
    if (plot->source == PJ_PLOT_PROFILE)
        return take_profile(session, args, plot, source, err);
    if (plot->source == PJ_PLOT_METRICS)
        return pj_metrics_args_run(session, &args->load, &args->metrics, source, err);
    if (table && plot->source == PJ_PLOT_TABLE) {
        *source = pj_value_hold(args->load.inputs.items[0]);
        return true;
    }
    if (plot->source == PJ_PLOT_TABLE && plot->question)
        return ask_trace(session, args, plot->question, source, err);
    pj_run *run = NULL;
    if (!take_run(session, args, plot, &run, err))
        return false;
    *source = pj_value_run_take(run);
    if (plot->source == PJ_PLOT_TABLE) {
        pj_table *stats = pj_run_table_stats(run);
        pj_value_clear(source);
        *source = pj_value_table_take(stats);
    }
    return true;
}

static pj_table *table_of(const pj_value *source, const pj_plot *plot, const pj_plot_opts *opts)
{
    if (source->kind == PJ_VALUE_METRICS && plot->numbers_of_metrics)
        return plot->numbers_of_metrics(source->metrics, opts);
    if (source->kind == PJ_VALUE_METRICS)
        return pj_metrics_table(source->metrics);
    if (source->kind == PJ_VALUE_PROFILE)
        return pj_display_table(source);
    if (source->kind == PJ_VALUE_RUN)
        return (plot->numbers ? plot->numbers : pj_run_table_stats)(source->run);
    return pj_table_hold(source->table);
}

static pj_plot_data data_of(const pj_value *source)
{
    pj_plot_data data = {0};
    if (source->kind == PJ_VALUE_METRICS)
        data.metrics = source->metrics;
    else if (source->kind == PJ_VALUE_RUN)
        data.run = source->run;
    else if (source->kind == PJ_VALUE_PROFILE)
        data.profile = source->profile;
    else
        data.table = source->table;
    return data;
}

/// Plots of one name may be of several kinds of values.
static const pj_plot *choose_plot(const plot_args *args)
{
    bool profile = pj_profile_inputs_are(&args->load.inputs);
    pj_str kind = pj_str_of(args->kind);
    if (!args->kind)
        return pj_plot_usual(profile                          ? PJ_PLOT_PROFILE
                             : only_table(&args->load.inputs) ? PJ_PLOT_TABLE
                                                              : PJ_PLOT_METRICS);
    const pj_plot *of_profile = profile ? pj_plot_of_profile(kind) : NULL;
    return of_profile ? of_profile : pj_plot_by_name(kind);
}

/// "calls.dot" for rank 3: "calls_3.dot".
static const char *rank_path(pj_arena *arena, const char *path, int64_t rank)
{
    pj_str text = pj_str_of(path);
    size_t dot = pj_str_find_last(text, '.'), slash = pj_str_find_last(text, '/');
    bool suffix = dot < text.len && (slash >= text.len || dot > slash);
    size_t end = suffix ? dot : text.len;
    return pj_arena_format(arena, PJ_STR_FMT "_%lld" PJ_STR_FMT, PJ_STR_ARG(pj_str_head(text, end)),
                           (long long)rank, PJ_STR_ARG(pj_str_from(text, end)));
}

/// One rank into files of its own.
static bool export_rank(pj_session *session, const plot_args *args, const pj_value *source,
                        pj_plot_opts opts, pj_value *out, pj_err *err)
{
    const pj_plot *plot = choose_plot(args);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_exports exports = args->exports;
    const char **paths = pj_new_n(arena, const char *, exports.paths.count + 1);
    for (size_t i = 0; i < exports.paths.count; i++)
        paths[i] = rank_path(arena, args->exports.paths.items[i], opts.profile.rank);
    exports.paths.items = paths;
    pj_value_clear(out);
    *out = pj_display_plot(session, plot, data_of(source), opts, &exports, err);
    if (out->kind != PJ_VALUE_DRAWING)
        return false;
    out->drawing->data = table_of(source, plot, &opts);
    return pj_export_all(session, out, &exports, err);
}

/// A picture of every rank, each into files with its number; the last one is the result.
static bool export_ranks(pj_session *session, const plot_args *args, const pj_value *source,
                         pj_plot_opts opts, pj_value *out, pj_err *err)
{
    if (choose_plot(args)->source != PJ_PLOT_PROFILE || !args->exports.paths.count)
        return pj_fail(
            err, PJ_E_USAGE, NULL, 0,
            "each-rank draws profiles into files, one for every rank: --export calls.svg");
    const pj_profile *p = source->profile;
    opts.profile.one_rank = true;
    for (uint32_t at = 0; at < p->location_count; at++) {
        int64_t rank = p->locations[at].rank; // threads of a rank stand together
        bool seen = at && rank >= 0 && p->locations[at - 1].rank == rank;
        opts.profile.rank = rank < 0 ? (int64_t)at : rank;
        if (!seen && !export_rank(session, args, source, opts, out, err))
            return false;
    }
    return true;
}

/// One run, or several that stand beside each other.
static bool plot_runs(pj_session *session, const plot_args *args, pj_plot_opts opts, pj_value *out,
                      pj_err *err)
{
    const pj_plot *plot = choose_plot(args);
    pj_auto_value runs = {0};
    const pj_slicing_opts slices = pj_slicing_equal(SLICES);
    if (!pj_inputs_load(session, &args->load, reading_of(args, plot, &slices), &runs, err))
        return false;
    if (runs.list->count == 1) {
        pj_plot_data one = {.run = runs.list->items[0].run};
        *out = pj_display_plot(session, plot, one, opts, &args->exports, err);
        if (out->kind != PJ_VALUE_DRAWING)
            return false;
        out->drawing->data = plot->numbers(one.run);
        return pj_export_all(session, out, &args->exports, err);
    }
    pj_study_opts grouped = {.scaling = pj_scaling_choice(args->metrics.scaling)};
    pj_auto_study study = pj_inputs_study(runs.list, grouped, err);
    pj_auto_table numbers = study ? plot->numbers_of_study(study, err) : NULL;
    if (!numbers)
        return false;
    *out =
        pj_display_plot(session, plot, (pj_plot_data){.study = study}, opts, &args->exports, err);
    if (out->kind != PJ_VALUE_DRAWING)
        return false;
    out->drawing->data = pj_table_hold(numbers);
    return pj_export_all(session, out, &args->exports, err);
}

/// Models of parts of the program.
static bool plot_parts(pj_session *session, const plot_args *args, pj_plot_opts opts, pj_value *out,
                       pj_err *err)
{
    const pj_plot *plot = choose_plot(args);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_part_study parts;
    if (opts.y[0])
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "plot: --by %s is of the time of threads, not %s",
                       opts.by, opts.y[0]);
    pj_auto_study study =
        pj_part_args_load(session, &args->load, &args->metrics, &parts, arena, err);
    pj_auto_table models = study ? pj_part_models_table(&parts, NULL, 0, err) : NULL;
    if (!models)
        return false;
    *out =
        pj_display_plot(session, plot, (pj_plot_data){.parts = &parts}, opts, &args->exports, err);
    if (out->kind != PJ_VALUE_DRAWING)
        return false;
    out->drawing->data = pj_table_hold(models);
    return pj_export_all(session, out, &args->exports, err);
}

static bool run_plot(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const plot_args *args = given;
    const pj_plot *plot = choose_plot(args);
    pj_plot_opts opts;
    pj_auto_value source = {0};
    if (!take_opts(args, plot, &opts, err) || !pj_export_check(&args->exports, err))
        return false;
    if (plot->several)
        return plot_runs(session, args, opts, out, err);
    if (plot->parts && pj_part_args_are(opts.by))
        return plot_parts(session, args, opts, out, err);
    pj_auto_profile before = take_before(session, args, plot, err);
    if (err->code || !take_source(session, args, plot, &source, err))
        return false;
    opts.profile.before = before;
    if (args->each_rank)
        return export_ranks(session, args, &source, opts, out, err);
    *out = pj_display_plot(session, plot, data_of(&source), opts, &args->exports, err);
    if (out->kind != PJ_VALUE_DRAWING)
        return false;
    out->drawing->data = before && plot->pair ? pj_profile_difference(before, source.profile,
                                                                      args->profile.normalise, err)
                                              : table_of(&source, plot, &opts);
    if (err->code)
        return false;
    return pj_export_all(session, out, &args->exports, err);
}

static const pj_param kind[] = {
    {.name = "kind",
     .type = PJ_PARAM_CHOICE,
     .place = PJ_IN_BOTH,
     .offset = offsetof(plot_args, kind),
     .shown = "KIND",
     .choice = plot_kind,
     .preset = "scaling, bar for a table, flame for a profile",
     .help = "The kind of plot."},
    {0},
};

static const pj_param params[] = {
    {.name = "y",
     .letter = 'y',
     .type = PJ_PARAM_TEXTS,
     .offers = pj_session_metric_key,
     .place = PJ_IN_LUA,
     .offset = offsetof(plot_args, y),
     .shown = "METRIC",
     .preset = "the kind's own",
     .help = "What is drawn: a metric of the set, or a column."},
    {.name = "x",
     .letter = 'x',
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(plot_args, x),
     .shown = "KEY",
     .choice = pj_key_choice,
     .preset = "the kind's own",
     .help = "What it is drawn over: a key of the runs, or a column."},
    {.name = "log-x",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(plot_args, log_x),
     .help = "Logarithmic x axis; that of scaling is by itself from a span of 8 on."},
    {.name = "log-y",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(plot_args, log_y),
     .help = "Logarithmic y axis."},
    {.name = "linear",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(plot_args, linear),
     .help = "Linear axes, whatever the span."},
    {.name = "each-rank",
     .output = true,
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(plot_args, each_rank),
     .help = "A picture of every rank of a profile, each into files with its number."},
    {.name = "stacked",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(plot_args, stacked),
     .help = "Several -y of bars on top of each other."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = kind},
    {.rows = pj_input_rows,
     .base = offsetof(plot_args, load),
     .help = "Traces or profiles, and in Lua also runs, metrics, profiles or a table."},
    {.rows = params},
    {.rows = pj_timeline_rows, .base = offsetof(plot_args, timeline)},
    {.rows = pj_profile_view_rows, .base = offsetof(plot_args, profile)},
    {.rows = pj_set_rows, .base = offsetof(plot_args, metrics)},
    {.rows = pj_scaling_rows, .base = offsetof(plot_args, metrics)},
    {.rows = pj_reading_rows, .base = offsetof(plot_args, load)},
    {.rows = pj_region_rows, .base = offsetof(plot_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(plot_args, load)},
    {.rows = pj_title_rows, .base = offsetof(plot_args, metrics)},
    {.rows = pj_export_rows, .base = offsetof(plot_args, exports)},
    {0},
};

const pj_command pj_command_plot = {
    .name = "plot",
    .summary = "Plots of metrics over the scale of runs, and of values within a run",
    .detail =
        "scaling draws any metric of a set over ranks, threads or layout, trend over the time of "
        "commits; ranks draws where "
        "the time of one run goes, regions its OpenMP regions over time, timeline what its "
        "threads do when; "
        "matrix draws who sends how much to whom, sizes how large messages are; bar, line and "
        "scatter draw columns of a table (of a trace: its statistics). Of profiles, and of the "
        "functions of a trace, flame, icicle and sunburst draw call paths (in .html and .svg a "
        "click zooms, and they can be searched), callgraph who calls whom, heat what every "
        "function "
        "takes at every rank, ranks and histogram (-f NAME) how ranks differ, "
        "difference A B what changed between two, source lines with what they take, memory what "
        "mprof "
        "recorded.\n"
        "Without --export the plot is drawn in the terminal; into a pipe or a file go its numbers "
        "as a table, which --export -.csv gives in any place.",
    .example = "popinjay plot scaling epoch_*.prv.gz -y parallel_efficiency --export pe.svg",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(plot_args),
    .run = run_plot,
};
