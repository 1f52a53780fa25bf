// What a profile holds beside functions and call paths, as tables.
#include "metrics/profile/profile_parts.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/profile/profile_findings.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_names.h"
#include "metrics/profile/profile_table.h"

#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>

static pj_cell number(double value)
{
    return isnan(value) ? pj_cell_empty("not recorded") : pj_cell_real(value);
}

static pj_cell text(pj_table *table, pj_str text)
{
    return pj_cell_text(pj_arena_text(table->arena, text));
}

static pj_cell sum_whole(const pj_profile *p, const int64_t *cells)
{
    int64_t sum = PJ_ABSENT_WHOLE;
    for (uint32_t at = 0; at < p->location_count; at++) {
        if (cells[at] == PJ_ABSENT_WHOLE)
            continue;
        if (sum == PJ_ABSENT_WHOLE)
            sum = cells[at];
        else if (__builtin_add_overflow(sum, cells[at], &sum))
            return pj_cell_empty("the sum does not fit 63 bits");
    }
    return sum == PJ_ABSENT_WHOLE ? pj_cell_empty("not recorded") : pj_cell_int(sum);
}

/// The sum over all locations; whole numbers stay whole.
static pj_cell sum_cell(const pj_profile *p, const pj_profile_column *column, uint32_t item)
{
    double sum = NAN;
    size_t first = (size_t)item * p->location_count;
    if (column && column->whole)
        return sum_whole(p, column->integer + first);
    for (uint32_t at = 0; column && at < p->location_count; at++) {
        double value = column->real[first + at];
        if (!isnan(value))
            sum = isnan(sum) ? value : sum + value;
    }
    return number(sum);
}

static void add_columns(pj_table *table, const pj_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pj_table_add_column(table, columns[i]);
}

#define ADD_COLUMNS(table, columns)                                                                \
    add_columns((table), (columns), sizeof(columns) / sizeof *(columns))

// Edges.

static bool *pick(const pj_profile *p, pj_str functions, pj_err *err)
{
    regex_t pattern;
    char why[128];
    pj_auto_buf source = {0}, label = {0};
    pj_buf_add(&source, functions);
    pj_buf_add_char(&source, '\0');
    int status = regcomp(&pattern, source.at, REG_EXTENDED | REG_NOSUB);
    if (status != 0) {
        regerror(status, &pattern, why, sizeof why);
        pj_fail(err, PJ_E_USAGE, NULL, 0, "\"%s\" is no regular expression: %s", source.at, why);
        return NULL;
    }
    bool *picked = pj_take_memory(p->count[PJ_AT_REGION] + (size_t)1), any = false;
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++) {
        label.len = 0;
        pj_profile_label(p, r, false, &label);
        pj_buf_add_char(&label, '\0');
        picked[r] = regexec(&pattern, label.at, 0, NULL, 0) == 0;
        any = any || picked[r];
    }
    regfree(&pattern);
    if (any)
        return picked;
    free(picked);
    pj_fail(err, PJ_E_MISSING, NULL, 0, "no function matches \"%s\"", source.at);
    return NULL;
}

static void put_edge(const pj_profile *p, pj_table *table, uint32_t edge, uint32_t measure)
{
    const pj_profile_region *caller = &p->regions[p->edges[edge].caller];
    const pj_profile_region *callee = &p->regions[p->edges[edge].callee];
    pj_auto_buf label = {0};
    pj_cell *cell = pj_table_add_row(table);
    pj_profile_label(p, p->edges[edge].caller, true, &label);
    *cell++ = text(table, pj_buf_str(&label));
    label.len = 0;
    pj_profile_label(p, p->edges[edge].callee, true, &label);
    *cell++ = text(table, pj_buf_str(&label));
    *cell++ = text(table, p->texts[caller->name]);
    *cell++ = text(table, p->texts[caller->file]);
    *cell++ = pj_cell_int(caller->line);
    *cell++ = text(table, p->texts[callee->name]);
    *cell++ = text(table, p->texts[callee->file]);
    *cell++ = pj_cell_int(callee->line);
    *cell++ = sum_cell(p, pj_profile_find(p, PJ_AT_EDGE, PJ_CALLS, PJ_NO_ITEM), edge);
    *cell++ = sum_cell(p, pj_profile_find(p, PJ_AT_EDGE, PJ_PRIMITIVE_CALLS, PJ_NO_ITEM), edge);
    *cell++ = sum_cell(p, pj_profile_find(p, PJ_AT_EDGE, PJ_EXCLUSIVE, measure), edge);
    *cell++ = sum_cell(p, pj_profile_find(p, PJ_AT_EDGE, PJ_INCLUSIVE, measure), edge);
}

static const pj_column edge_columns[] = {
    {"from", "Caller", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
    {"to", "Function", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
    {"caller_function", "Caller", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"caller_file", "Caller's file", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"caller_line", "Caller's line", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_OF_MACHINES},
    {"function", "Function", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"file", "File", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"line", "Line", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_OF_MACHINES},
    {"calls", "Calls", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"primitive_calls", "Primitive calls", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
};

/// "exclusive_s" of time, else "exclusive_<metric>". What no edge has is not shown to people.
static void add_value_column(const pj_profile *p, pj_table *table, pj_value_part part,
                             uint32_t measure)
{
    const pj_measure *of = measure == PJ_NO_ITEM ? NULL : &p->measures[measure];
    const char *stem = part == PJ_EXCLUSIVE ? "exclusive" : "inclusive";
    bool time = !of || of->kind == PJ_MEASURE_TIME, plain = !of || strcmp(of->key, "time") == 0;
    bool bytes = of && of->kind == PJ_MEASURE_BYTES && strcmp(of->unit, "MiB") != 0;
    const pj_column column = {
        .key = pj_arena_format(table->arena, "%s_%s", stem, plain ? "s" : of->key),
        .title = part == PJ_EXCLUSIVE ? "Exclusive" : "Inclusive",
        .help = of ? pj_arena_format(table->arena, "%s.", of->title) : NULL,
        .unit = time    ? PJ_UNIT_S
                : bytes ? PJ_UNIT_BYTES
                        : PJ_UNIT_NONE,
        .text = pj_profile_find(p, PJ_AT_EDGE, part, measure) ? PJ_TEXT_NONE : PJ_TEXT_OF_MACHINES};
    pj_table_add_column(table, column);
}

/// Times are told as precisely as the longest one, so that columns can be compared.
static void set_decimals(pj_table *table)
{
    enum { DIGITS = 5, MOST_DECIMALS = 9 };
    double longest = 0;
    for (size_t row = 0; row < table->row_count; row++)
        for (size_t i = 0; i < table->column_count; i++)
            if (table->columns[i].unit == PJ_UNIT_S)
                longest = fmax(longest, fabs(pj_cell_number(*pj_table_cell(table, row, i))));
    double before = longest > 0 ? floor(log10(longest)) + 1 : 1;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].unit == PJ_UNIT_S)
            pj_table_set_decimals(table, i,
                                  (unsigned)fmax(0, fmin(MOST_DECIMALS, DIGITS - before)));
}

/// NULL with PJ_E_STOPPED where not all rows were made.
static pj_table *unless_stopped(pj_table *table, const pj_job *job, pj_err *err)
{
    if (!pj_job_stopped(job)) {
        set_decimals(table);
        return table;
    }
    pj_table_release(table);
    pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted");
    return NULL;
}

pj_table *pj_profile_edges(pj_profile *profile, pj_profile_side side, pj_str functions,
                           const pj_profile_ask *ask, pj_err *err)
{
    pj_job job = {.stop = ask->stop};
    uint32_t measure;
    pj_auto_profile p = pj_profile_graph(profile, &job, err);
    if (!p || !pj_profile_pick_measure(p, ask->metric, &measure, err))
        return NULL;
    if (!p->count[PJ_AT_EDGE]) {
        bool could = p->shape != PJ_SHAPE_FLAT;
        pj_fail(err, PJ_E_MISSING, p->file_count ? p->files[0] : NULL, 0,
                could ? "the %s has no calls between functions"
                      : "a %s does not say who calls whom",
                p->title);
        return NULL;
    }
    bool *picked = side == PJ_ALL_EDGES ? NULL : pick(p, functions, err);
    if (side != PJ_ALL_EDGES && !picked)
        return NULL;
    pj_table *table = pj_table_new(side == PJ_CALLERS   ? "Callers"
                                   : side == PJ_CALLEES ? "Callees"
                                                        : "Calls between functions");
    ADD_COLUMNS(table, edge_columns);
    add_value_column(p, table, PJ_EXCLUSIVE, measure);
    add_value_column(p, table, PJ_INCLUSIVE, measure);
    for (uint32_t e = 0; e < p->count[PJ_AT_EDGE] && !pj_job_stopped(&job); e++) {
        pj_profile_edge edge = p->edges[e];
        if (!picked || picked[side == PJ_CALLERS ? edge.callee : edge.caller])
            put_edge(p, table, e, measure);
    }
    free(picked);
    return unless_stopped(table, &job, err);
}

// Lines.

static void put_line(const pj_profile *p, pj_table *table, uint32_t line, uint32_t at)
{
    const pj_profile_line *l = &p->lines[line];
    const pj_profile_region *region = &p->regions[l->region];
    size_t cell_at = (size_t)line * p->location_count + at;
    bool any = false;
    for (uint32_t c = 0; c < p->column_count; c++)
        any = any || (p->columns[c].site == PJ_AT_LINE &&
                      !isnan(pj_profile_value(p, &p->columns[c], line, at)));
    if (!any)
        return;
    pj_cell *cell = pj_table_add_row(table);
    *cell++ = pj_cell_int(p->locations[at].rank);
    *cell++ = text(table, p->texts[region->name]);
    *cell++ = text(table, p->texts[region->file]);
    *cell++ = pj_cell_int(region->line);
    *cell++ = pj_cell_int(l->line);
    for (uint32_t c = 0; c < p->column_count; c++) {
        const pj_profile_column *column = &p->columns[c];
        if (column->site != PJ_AT_LINE)
            continue;
        if (column->whole && column->integer[cell_at] != PJ_ABSENT_WHOLE)
            *cell++ = pj_cell_int(column->integer[cell_at]);
        else
            *cell++ = number(pj_profile_value(p, column, line, at));
    }
}

static void add_line_column(const pj_profile *p, pj_table *table, const pj_profile_column *column)
{
    if (column->measure == PJ_NO_ITEM) {
        bool memory = pj_profile_measure(p, PJ_S("memory")) != PJ_NO_ITEM;
        pj_table_add_column(table, (pj_column){.key = memory ? "occurrences" : "hits",
                                               .title = memory ? "Occurrences" : "Hits"});
        return;
    }
    const pj_measure *m = &p->measures[column->measure];
    bool time = m->kind == PJ_MEASURE_TIME;
    bool mib = strcmp(m->unit, "MiB") == 0;
    pj_auto_buf key = {0};
    pj_buf_addf(&key, "%s%s", m->key, time ? "_s" : mib ? "_mib" : "");
    pj_table_add_column(table, (pj_column){.key = pj_arena_text(table->arena, pj_buf_str(&key)),
                                           .title = m->title,
                                           .unit = time ? PJ_UNIT_S : PJ_UNIT_NONE});
}

pj_table *pj_profile_lines(const pj_profile *p, atomic_bool *stop, pj_err *err)
{
    const pj_job job = {.stop = stop};
    static const pj_column columns[] = {
        {"rank", "Rank", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"function", "Function", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"file", "File", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"function_line", "Function's line", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_OF_MACHINES},
        {"line", "Line", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
    };
    if (!p->count[PJ_AT_LINE]) {
        pj_fail(err, PJ_E_MISSING, p->file_count ? p->files[0] : NULL, 0,
                "a %s has no values by line; line_profiler and memory_profiler record them",
                p->title);
        return NULL;
    }
    pj_table *table = pj_table_new("Lines");
    ADD_COLUMNS(table, columns);
    for (uint32_t c = 0; c < p->column_count; c++)
        if (p->columns[c].site == PJ_AT_LINE)
            add_line_column(p, table, &p->columns[c]);
    for (uint32_t at = 0; at < p->location_count; at++)
        for (uint32_t line = 0; line < p->count[PJ_AT_LINE] && !pj_job_stopped(&job); line++)
            put_line(p, table, line, at);
    return unless_stopped(table, &job, err);
}

// The rest.

pj_table *pj_profile_events(const pj_profile *p)
{
    static const pj_column columns[] = {
        {"rank", "Rank", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"thread", "Thread", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"event", "Event", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"count", "Count", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"min", "Min", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"max", "Max", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"mean", "Mean", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"std", "Std. dev.", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
    };
    pj_table *table = pj_table_new("Events");
    ADD_COLUMNS(table, columns);
    for (uint32_t i = 0; i < p->event_count; i++) {
        const pj_profile_event *e = &p->events[i];
        pj_cell *cell = pj_table_add_row(table);
        const pj_profile_location *at =
            e->location < p->location_count ? &p->locations[e->location] : NULL;
        *cell++ = at ? pj_cell_int(at->rank) : pj_cell_empty(NULL);
        *cell++ = at ? pj_cell_int(at->thread) : pj_cell_empty(NULL);
        *cell++ = text(table, p->texts[e->name]);
        *cell++ = number(e->count);
        *cell++ = number(e->min);
        *cell++ = number(e->max);
        *cell++ = number(e->mean);
        *cell++ = number(sqrt(fabs(e->sum_of_squares / e->count - e->mean * e->mean)));
    }
    return table;
}

pj_table *pj_profile_series_table(const pj_profile *p)
{
    static const pj_column columns[] = {
        {"series", "Curve", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"rank", "Rank", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"quantity", "Quantity", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"unit", "Unit", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"time_s", "Time", NULL, PJ_UNIT_S, PJ_TEXT_NONE},
        {"value", "Value", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
    };
    pj_table *table = pj_table_new("Values over time");
    ADD_COLUMNS(table, columns);
    for (uint32_t s = 0; s < p->series_count; s++) {
        const pj_profile_series *series = &p->series[s];
        bool known = series->location < p->location_count;
        for (size_t i = 0; i < series->count; i++) {
            pj_cell *cell = pj_table_add_row(table);
            *cell++ = pj_cell_int(s);
            *cell++ =
                known ? pj_cell_int(p->locations[series->location].rank) : pj_cell_empty(NULL);
            *cell++ = text(table, p->texts[series->quantity]);
            *cell++ = text(table, p->texts[series->unit]);
            *cell++ = number(series->points[i].time);
            *cell++ = number(series->points[i].value);
        }
    }
    return table;
}

static uint32_t file_of(const pj_profile *p, const pj_profile_series *series)
{
    return series->location < p->location_count ? p->locations[series->location].file : 0;
}

/// When the first curve of the same recording begins.
static double start_of(const pj_profile *p, const pj_profile_series *series)
{
    double start = series->points[0].time;
    for (uint32_t s = 0; s < p->series_count; s++)
        if (p->series[s].count && file_of(p, &p->series[s]) == file_of(p, series))
            start = fmin(start, p->series[s].points[0].time);
    return start;
}

static void add_peak(const pj_profile *p, const pj_profile_series *series, pj_buf *out)
{
    const pj_profile_point *most = series->points;
    for (size_t i = 1; i < series->count; i++)
        if (series->points[i].value > most->value)
            most = &series->points[i];
    uint32_t name = series->location < p->location_count ? p->locations[series->location].name : 0;
    pj_buf_add(out, p->texts[series->quantity]);
    if (name)
        pj_buf_addf(out, " of " PJ_STR_FMT, PJ_STR_ARG(p->texts[name]));
    pj_buf_addf(out, ": at most %.3f " PJ_STR_FMT ", %.4g s after the start\n", most->value,
                PJ_STR_ARG(p->texts[series->unit]), most->time - start_of(p, series));
}

void pj_profile_peaks(const pj_profile *p, pj_buf *out)
{
    enum { SHOWN = 8 };
    for (uint32_t s = 0; s < p->series_count && s < SHOWN; s++)
        if (p->series[s].count)
            add_peak(p, &p->series[s], out);
    if (p->series_count > SHOWN)
        pj_buf_addf(out, "%u more curves\n", p->series_count - SHOWN);
}

pj_table *pj_profile_metrics(const pj_profile *p)
{
    static const pj_column columns[] = {
        {"metric", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"title", "Title", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"unit", "Unit", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"kind", "Kind", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"fold", "Over ranks", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"stored", "Stored", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"above", "Part of", NULL, PJ_UNIT_NONE, PJ_TEXT},
    };
    static const char *const kinds[] = {"time", "count", "bytes", "ratio"};
    static const char *const folds[] = {"sum", "min", "max"};
    static const char *const stored[] = {"exclusive", "inclusive", "both"};
    pj_table *table = pj_table_new("Metrics");
    ADD_COLUMNS(table, columns);
    for (uint32_t i = 0; i < p->measure_count; i++) {
        const pj_measure *m = &p->measures[i];
        pj_cell *cell = pj_table_add_row(table);
        *cell++ = text(table, pj_str_of(m->key));
        *cell++ = text(table, pj_str_of(m->title));
        *cell++ = text(table, pj_str_of(m->unit));
        *cell++ = pj_cell_text(kinds[m->kind]);
        *cell++ = pj_cell_text(folds[m->fold]);
        *cell++ = text(table, pj_str_of(m->reason ? m->reason : stored[m->stored]));
        *cell++ =
            m->above ? text(table, pj_str_of(p->measures[m->above - 1].key)) : pj_cell_empty(NULL);
    }
    return table;
}

static void put_fact(pj_table *table, const char *key, const char *title, pj_cell value)
{
    pj_cell *cell = pj_table_add_row(table);
    *cell++ = pj_cell_text(key);
    *cell++ = pj_cell_text(title);
    *cell = value;
}

static void put_lines(pj_table *table, const char *key, const char *title, const pj_buf *lines)
{
    pj_str rest = pj_buf_str(lines);
    while (rest.len)
        put_fact(table, key, title, text(table, pj_str_cut(&rest, '\n')));
}

pj_table *pj_profile_info(const pj_profile *p)
{
    static const pj_column columns[] = {
        {"key", "Key", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"fact", "Fact", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"value", "Value", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
    };
    pj_table *table = pj_table_new("Profile");
    ADD_COLUMNS(table, columns);
    pj_auto_buf lines = {0};
    put_fact(table, "format", "Format", text(table, pj_str_of(p->title)));
    put_fact(table, "shape", "Shape", text(table, pj_str_of(pj_shape_name(p->shape))));
    put_fact(table, "files", "Files", pj_cell_int(p->file_count));
    const struct {
        const char *key, *title;
        uint32_t text;
    } facts[] = {{"command", "Command", p->command},
                 {"created", "Recorded", p->created},
                 {"tool", "Recorded by", p->tool},
                 {"version", "Version", p->version}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (facts[i].text)
            put_fact(table, facts[i].key, facts[i].title, text(table, p->texts[facts[i].text]));
    put_fact(table, "ranks", "Ranks", pj_cell_int(pj_profile_rank_count(p)));
    put_fact(table, "threads", "Threads", pj_cell_int(p->location_count));
    put_fact(table, "functions", "Functions", pj_cell_int(p->count[PJ_AT_REGION]));
    put_fact(table, "paths", "Call paths", pj_cell_int(p->count[PJ_AT_NODE]));
    put_fact(table, "edges", "Calls between functions", pj_cell_int(p->count[PJ_AT_EDGE]));
    put_fact(table, "lines", "Lines", pj_cell_int(p->count[PJ_AT_LINE]));
    for (uint32_t m = 0; m < p->measure_count; m++)
        pj_buf_addf(&lines, "%s%s", m ? ", " : "", p->measures[m].key);
    put_fact(table, "metrics", "Metrics", text(table, pj_buf_str(&lines)));
    lines.len = 0;
    pj_profile_findings(p, &lines);
    put_lines(table, "finding", "Finding", &lines);
    lines.len = 0;
    pj_profile_remarks(p, &lines);
    put_lines(table, "remark", "Remark", &lines);
    return table;
}
