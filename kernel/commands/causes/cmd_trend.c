// popinjay trend DIR: metrics of a program over time.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/pop/trend.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "widgets/report/trend_page.h"

#include <string.h>

typedef struct trend_args {
    pj_load_args load;
    pj_texts metrics;
    const char *page, *badge;
    pj_exports exports;
} trend_args;

static bool write_page(pj_session *session, const char *path, const pj_table *trend,
                       void (*fill)(const pj_table *trend, pj_buf *out), pj_err *err)
{
    pj_auto_buf text = {.at = NULL};
    if (!path)
        return true;
    fill(trend, &text);
    if (!pj_newfile_put(path, pj_buf_str(&text), err))
        return false;
    session->exports++;
    pj_session_wrote(session, path);
    return true;
}

static pj_table *table_of(const trend_args *args, const pj_list *list, const char *region,
                          pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run **runs = pj_new_n(arena, pj_run *, list->count);
    for (size_t i = 0; i < list->count; i++)
        runs[i] = list->items[i].run;
    return pj_trend_table(runs, list->count,
                          (pj_trend_opts){.region = region,
                                          .metrics = args->metrics.items,
                                          .metric_count = args->metrics.count},
                          err);
}

static bool is_page(const char *path)
{
    return pj_str_ends(pj_str_of(path), PJ_S(".html")) && strncmp(path, "-.", 2) != 0;
}

/// Pages have each region. HTML files of `exports` are pages, too, and are taken out of them.
static bool write_pages(pj_session *session, const trend_args *args, const pj_list *runs,
                        pj_exports *exports, pj_err *err)
{
    const char *region = args->load.region ? args->load.region : "all";
    size_t kept = 0;
    pj_auto_table table = NULL;
    for (size_t i = 0; i <= args->exports.paths.count; i++) {
        bool last = i == args->exports.paths.count;
        const char *path = last ? args->page : args->exports.paths.items[i];
        if (!last && !is_page(path)) {
            exports->paths.items[kept++] = path;
            continue;
        }
        if (path && !table && !(table = table_of(args, runs, region, err)))
            return false;
        if (!write_page(session, path, table, pj_trend_page, err))
            return false;
    }
    exports->paths.count = kept;
    return true;
}

/// Whether some trace has regions that nobody has looked for: summaries and files of TALP are read
/// with all they have.
static bool lacks_regions(const pj_list *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        const pj_run *run = runs->items[i].run;
        bool summary = run->provenance && run->provenance->alone;
        if (!summary && !run->untraced && !run->parts.count && !run->part.whole)
            return true;
    }
    return false;
}

/// With their regions where one is wanted.
static bool load_runs(pj_session *session, const trend_args *args, pj_value *runs, pj_err *err)
{
    pj_load_args load = args->load;
    pj_load_opts how = {.for_sums = true};
    load.region = NULL; // is taken from each run
    if (!pj_inputs_load(session, &load, how, runs, err))
        return false;
    if (!args->load.region || !lacks_regions(runs->list))
        return true;
    pj_value_clear(runs);
    how.functions = PJ_CUT_FUNCTIONS;
    return pj_inputs_load(session, &load, how, runs, err);
}

static bool run_trend(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    trend_args args = *(const trend_args *)given;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_value runs = {0};
    pj_exports exports = args.exports;
    exports.paths.items = pj_new_n(arena, const char *, exports.paths.count + 1);
    if (!pj_export_check(&args.exports, err) || !load_runs(session, &args, &runs, err))
        return false;
    pj_table *table = table_of(&args, runs.list, args.load.region, err);
    if (!table)
        return false;
    *out = pj_value_table_take(table);
    return write_pages(session, &args, runs.list, &exports, err) &&
           write_page(session, args.badge, table, pj_trend_badge, err) &&
           pj_export_all(session, out, &exports, err);
}

static const pj_param params[] = {
    {.name = "metric",
     .letter = 'y',
     .type = PJ_PARAM_TEXTS,
     .offset = offsetof(trend_args, metrics),
     .shown = "METRIC",
     .preset = "efficiencies and runtime_s",
     .help = "Metrics by their keys: parallel_efficiency, runtime_s."},
    {.name = "output",
     .output = true,
     .letter = 'o',
     .type = PJ_PARAM_PATH,
     .offset = offsetof(trend_args, page),
     .shown = "FILE",
     .help = "Writes an HTML page with a picture of each metric of each region, which needs no "
             "other file; --export FILE.html does the same."},
    {.name = "badge",
     .output = true,
     .type = PJ_PARAM_PATH,
     .offset = offsetof(trend_args, badge),
     .shown = "FILE",
     .help = "Writes the latest parallel efficiency as an SVG: red below 0.6, orange below 0.8."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(trend_args, load),
     .help = "Summaries (popinjay preprocess) or files of TALP, or folders of them."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(trend_args, load)},
    {.rows = pj_region_rows, .base = offsetof(trend_args, load)},
    {.rows = pj_export_rows, .base = offsetof(trend_args, exports)},
    {0},
};

const pj_command pj_command_trend = {
    .name = "trend",
    .summary = "Metrics of a program over time, and where they change",
    .detail =
        "Runs are in order of the time of their commit, as TALP's files and summaries have it, "
        "else of their measurement, else of their file; popinjay preprocess notes commit, branch "
        "and time as continuous integration tells them, or git in the working folder. Runs of one "
        "layout are one series. A change is where the "
        "level of a series becomes another one: at least three runs on each side, by far more "
        "likely than chance.\n"
        "share/ci has templates that keep an archive and publish the page.",
    .example = "popinjay trend archive -o trend.html --badge badge.svg",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(trend_args),
    .run = run_trend,
};
