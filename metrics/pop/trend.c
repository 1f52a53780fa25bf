// Metrics of the same program over time.
#include "metrics/pop/trend.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/change_points.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/run.h"
#include "metrics/run/run_parts.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const pj_column columns[PJ_TREND_COLUMNS] = {
    {"time", "Time", "Of the commit, else of the measurement, else of the file.", PJ_UNIT_NONE,
     PJ_TEXT},
    {"commit", "Commit", NULL, PJ_UNIT_NONE, PJ_TEXT},
    {"branch", "Branch", NULL, PJ_UNIT_NONE, PJ_TEXT},
    {"layout", "Layout", NULL, PJ_UNIT_NONE, PJ_TEXT},
    {"region", "Region", NULL, PJ_UNIT_NONE, PJ_TEXT},
    {"metric", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"title", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
    {"value", "Value", NULL, PJ_UNIT_NONE, false},
    {"change", "Change", "Of the level, where one begins, in parts of the one before.",
     PJ_UNIT_CHANGE, false},
};

static const char whole_region[] = "Global", each_region[] = "all";

/// A run and when it counts.
typedef struct moment {
    const pj_run *run;
    size_t index; // in the study
    const char *time, *commit, *branch, *layout, *region;
    double region_s; // of the region, over all runs and threads
    bool of_file;    // the time is that of the file
} moment;

typedef struct trend {
    const pj_metrics *metrics;
    pj_trend_opts opts;
    pj_table *table;
    moment *moments;
    size_t count;
    size_t lacking; // runs without the region
} trend;

static const char *file_time(const char *path, pj_arena *arena)
{
    struct stat status;
    struct tm parts;
    char text[32];
    if (stat(path, &status) != 0 || !gmtime_r(&status.st_mtime, &parts) ||
        !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts))
        return "";
    return pj_arena_text(arena, pj_str_of(text));
}

static const char *text_or_nothing(const char *text)
{
    return text ? text : "";
}

static moment moment_of(const trend *t, size_t index)
{
    static const pj_run_origin nothing = {.version = NULL};
    const pj_case *c = &t->metrics->study->cases[index];
    const pj_run *whole = pj_run_whole(c->run);
    const pj_run_origin *origin = whole->origin ? whole->origin : &nothing;
    moment m = {.run = whole,
                .index = index,
                .branch = text_or_nothing(origin->branch),
                .region = c->run == whole ? whole_region : c->run->part.name};
    m.commit = origin->commit ? origin->commit : text_or_nothing(whole->tag);
    m.time = origin->committed ? origin->committed : origin->measured;
    if (!m.time) {
        m.time = file_time(whole->path, t->table->arena);
        m.of_file = true;
    }
    uint32_t each = c->layout->ranks ? c->layout->locations / c->layout->ranks : 0;
    m.layout = pj_arena_format(t->table->arena, "%uxMPI %uxOpenMP", c->layout->ranks, each);
    return m;
}

static bool is_whole(const moment *m)
{
    return m->region == whole_region;
}

static int by_region(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    if (is_whole(x) != is_whole(y))
        return is_whole(x) ? -1 : 1;
    if (x->region_s != y->region_s)
        return x->region_s > y->region_s ? -1 : 1;
    return strcmp(x->region, y->region);
}

static int by_name(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    return strcmp(x->region, y->region);
}

static int by_layout_and_time(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    int order = by_region(x, y);
    if (order == 0)
        order = pj_str_order_natural(pj_str_of(x->layout), pj_str_of(y->layout));
    if (order == 0)
        order = strcmp(x->time, y->time);
    return order ? order : strcmp(x->run->path, y->run->path);
}

/// How long each region takes in all runs.
static void sum_regions(const trend *t)
{
    qsort(t->moments, t->count, sizeof *t->moments, by_name);
    for (size_t from = 0, to; from < t->count; from = to) {
        double sum = 0;
        for (to = from; to < t->count && by_name(&t->moments[from], &t->moments[to]) == 0; to++) {
            const pj_case *c = &t->metrics->study->cases[t->moments[to].index];
            sum += (double)c->run->runtime_ns * 1e-9 * c->layout->locations;
        }
        for (size_t i = from; i < to; i++)
            t->moments[i].region_s = sum;
    }
}

static pj_cell text_cell(const trend *t, const char *text)
{
    return *text ? pj_table_copy_cell(t->table, pj_cell_text(text))
                 : pj_cell_empty("the file does not tell");
}

/// "Parallel efficiency", "Runtime [s]".
static pj_cell title_cell(const trend *t, const pj_metric *metric)
{
    const char *unit = pj_unit_text_of(metric->unit).shown;
    return *unit ? pj_cell_text(pj_arena_format(t->table->arena, "%s [%s]", metric->title, unit))
                 : text_cell(t, metric->title);
}

static void add_row(const trend *t, const moment *m, const pj_metric *metric, pj_metric_value value)
{
    pj_cell *cells = pj_table_add_row(t->table);
    cells[PJ_TREND_TIME] = text_cell(t, m->time);
    cells[PJ_TREND_COMMIT] = text_cell(t, m->commit);
    cells[PJ_TREND_BRANCH] = text_cell(t, m->branch);
    cells[PJ_TREND_LAYOUT] = pj_cell_text(m->layout);
    cells[PJ_TREND_REGION] = text_cell(t, m->region);
    cells[PJ_TREND_METRIC] = text_cell(t, metric->key);
    cells[PJ_TREND_TITLE] = title_cell(t, metric);
    cells[PJ_TREND_VALUE] = value.reason ? pj_table_copy_cell(t->table, pj_cell_empty(value.reason))
                                         : pj_cell_real(value.value);
    cells[PJ_TREND_CHANGE] = pj_cell_empty("no other level begins");
}

static double mean_of(const double *values, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += values[i];
    return sum / (double)(to - from);
}

/// Fills in the changes of the rows from `first` on, which are one series.
static void mark_changes(const trend *t, size_t first)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    size_t rows = t->table->row_count - first, count = 0, before = 0;
    double *values = pj_new_n(arena, double, rows + 1);
    size_t *places = pj_new_n(arena, size_t, rows + 1);
    bool *changes = pj_new_n(arena, bool, rows + 1);
    for (size_t i = 0; i < rows; i++) {
        const pj_cell *value = pj_table_cell(t->table, first + i, PJ_TREND_VALUE);
        if (value->kind == PJ_CELL_EMPTY)
            continue;
        places[count] = first + i;
        values[count++] = pj_cell_number(*value);
    }
    pj_change_points(values, count, changes);
    for (size_t at = 1; at < count; at++) {
        size_t end = at + 1;
        if (!changes[at])
            continue;
        while (end < count && !changes[end])
            end++;
        double old = mean_of(values, before, at), new = mean_of(values, at, end);
        if (old > 0)
            *pj_table_cell(t->table, places[at], PJ_TREND_CHANGE) = pj_cell_real(new / old - 1);
        before = at;
    }
}

static bool is_wanted(const trend *t, const pj_metric *metric)
{
    if (t->opts.metric_count == 0)
        return metric->kind == PJ_METRIC_EFFICIENCY || metric->kind == PJ_METRIC_INEFFICIENCY ||
               strcmp(metric->key, "runtime_s") == 0;
    for (size_t i = 0; i < t->opts.metric_count; i++)
        if (strcmp(t->opts.metrics[i], metric->key) == 0)
            return true;
    return false;
}

static bool has_metric(const trend *t, size_t from, size_t to, size_t row)
{
    for (size_t i = from; i < to; i++)
        if (!pj_metrics_at(t->metrics, t->moments[i].index, row).reason)
            return true;
    return false;
}

/// A metric of the runs of a layout.
static void add_series(const trend *t, size_t from, size_t to, size_t row)
{
    size_t first = t->table->row_count;
    if (!has_metric(t, from, to, row))
        return;
    for (size_t i = from; i < to; i++)
        add_row(t, &t->moments[i], &t->metrics->set->rows[row],
                pj_metrics_at(t->metrics, t->moments[i].index, row));
    mark_changes(t, first);
}

/// All metrics of a region, each in all layouts.
static void add_region(const trend *t, size_t from, size_t to)
{
    for (size_t row = 0; row < t->metrics->set->count; row++) {
        if (!is_wanted(t, &t->metrics->set->rows[row]))
            continue;
        for (size_t i = from, end; i < to; i = end) {
            for (end = i + 1; end < to; end++)
                if (strcmp(t->moments[end].layout, t->moments[i].layout) != 0)
                    break;
            add_series(t, i, end, row);
        }
    }
}

/// `first`: moments of the region that comes first, which are the runs.
static void add_note(const trend *t, size_t first)
{
    pj_auto_buf note = {.at = NULL};
    size_t of_files = 0;
    for (size_t i = 0; i < first; i++)
        of_files += t->moments[i].of_file;
    if (of_files)
        pj_buf_addf(&note,
                    "%zu of %zu runs tell neither commit time nor time of measurement: the time of "
                    "the file counts",
                    of_files, first);
    if (t->lacking)
        pj_buf_addf(&note, "%s%zu of %zu runs do not have this region", note.len ? "\n" : "",
                    t->lacking, t->lacking + first);
    pj_study_say_roi(t->metrics->study, &note);
    if (note.len)
        t->table->note = pj_arena_text(t->table->arena, pj_buf_str(&note));
}

static void fill(trend *t)
{
    size_t first = 0;
    t->count = t->metrics->study->count;
    t->moments = pj_new_n(t->table->arena, moment, t->count);
    for (size_t i = 0; i < t->count; i++)
        t->moments[i] = moment_of(t, i);
    sum_regions(t);
    qsort(t->moments, t->count, sizeof *t->moments, by_layout_and_time);
    for (size_t from = 0, to; from < t->count; from = to) {
        for (to = from + 1; to < t->count; to++)
            if (by_region(&t->moments[to], &t->moments[from]) != 0)
                break;
        first = first ? first : to;
        add_region(t, from, to);
    }
    add_note(t, first);
}

static bool all_known(const trend *t, pj_err *err)
{
    for (size_t i = 0; i < t->opts.metric_count; i++) {
        bool known = false;
        for (size_t row = 0; row < t->metrics->set->count && !known; row++)
            known = strcmp(t->metrics->set->rows[row].key, t->opts.metrics[i]) == 0;
        if (!known)
            return pj_fail(err, PJ_E_USAGE, NULL, 0, "trend: the set %s has no metric \"%s\"",
                           t->metrics->set->key, t->opts.metrics[i]);
    }
    return true;
}

static pj_table *trend_of(const pj_metrics *metrics, pj_trend_opts opts, size_t lacking,
                          pj_err *err)
{
    pj_auto_table table = pj_table_new("Metrics over time");
    trend t = {.metrics = metrics, .opts = opts, .table = table, .lacking = lacking};
    for (size_t c = 0; c < PJ_TREND_COLUMNS; c++)
        pj_table_add_column(table, columns[c]);
    if (!all_known(&t, err))
        return NULL;
    fill(&t);
    return pj_table_hold(table);
}

pj_table *pj_trend_of(const pj_metrics *metrics, pj_trend_opts opts, pj_err *err)
{
    return trend_of(metrics, opts, 0, err);
}

/// The region of the runs that have it; regions come and go while a program is written.
static size_t take_region(pj_run *const *runs, size_t count, const char *region, pj_run **parts,
                          pj_err *err)
{
    size_t found = 0;
    pj_err problem = {.code = PJ_E_NONE};
    for (size_t i = 0; i < count; i++) {
        bool whole = !region || strcmp(region, whole_region) == 0;
        pj_run *part = whole ? runs[i] : pj_run_parts_named(runs[i], region, &problem);
        if (part)
            parts[found++] = part;
    }
    if (!found)
        *err = problem;
    return found;
}

pj_table *pj_trend_table(pj_run *const *runs, size_t count, pj_trend_opts opts, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run **parts = pj_new_n(arena, pj_run *, count + 1);
    bool each = opts.region && strcmp(opts.region, each_region) == 0;
    size_t found = take_region(runs, count, each ? NULL : opts.region, parts, err);
    pj_auto_study study =
        found ? pj_study_new(parts, found, (pj_study_opts){.parts = each}, err) : NULL;
    const pj_metric_set *set = study ? pj_metric_set_default(study) : NULL;
    pj_auto_metrics metrics =
        set ? pj_metrics_new(set, study, (pj_metrics_opts){.bare = true}, err) : NULL;
    return metrics ? trend_of(metrics, opts, count - found, err) : NULL;
}
