// The tables of scorep-score: byte for byte as text, and as a table of ours.
#include "metrics/analyse/score.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double per_visit(const pj_score_row *row)
{
    return row->visits ? row->time / (double)row->visits * 1e6 : 0;
}

// Order

static int compare(const pj_score_row *a, const pj_score_row *b, pj_score_sort sort)
{
    switch (sort) {
    case PJ_SCORE_BY_MAX_BUFFER:
        return a->max_buf == b->max_buf ? 0 : a->max_buf > b->max_buf ? -1 : 1;
    case PJ_SCORE_BY_TOTAL_TIME:
        return a->time == b->time ? 0 : a->time > b->time ? -1 : 1;
    case PJ_SCORE_BY_TIME_PER_VISIT:
        return per_visit(a) == per_visit(b) ? 0 : per_visit(a) < per_visit(b) ? -1 : 1;
    case PJ_SCORE_BY_VISITS:
        return a->visits == b->visits ? 0 : a->visits > b->visits ? -1 : 1;
    case PJ_SCORE_BY_NAME:
        return pj_str_order(a->name, b->name);
    }
    return 0;
}

typedef struct place {
    const pj_score_row *row;
    pj_score_sort sort;
} place;

/// What is equal keeps its order.
static int by_sort(const void *left, const void *right)
{
    const place *a = left, *b = right;
    int order = compare(a->row, b->row, a->sort);
    return order ? order : a->row < b->row ? -1 : 1;
}

const pj_score_row **pj_score_sorted(const pj_score_row *rows, size_t count, pj_score_sort sort,
                                     pj_arena *arena, size_t *kept)
{
    place *places = pj_new_n(arena, place, count + 1);
    *kept = 0;
    for (size_t i = 0; i < count; i++)
        if (rows[i].max_buf)
            places[(*kept)++] = (place){&rows[i], sort};
    if (*kept)
        qsort(places, *kept, sizeof *places, by_sort);
    const pj_score_row **out = pj_new_n(arena, const pj_score_row *, *kept + 1);
    for (size_t i = 0; i < *kept; i++)
        out[i] = places[i].row;
    return out;
}

// Text

/// "418MB": divided by 1024 while that leaves more than four digits, and rounded up.
static void add_size(pj_buf *out, uint64_t bytes)
{
    static const char *const units[] = {" bytes", "kB", "MB", "GB", "TB", "PB"};
    enum { LARGEST = 4096 };
    double size = (double)bytes;
    size_t unit = 0;
    for (; size > LARGEST && unit + 1 < sizeof units / sizeof *units; unit++)
        size /= 1024;
    pj_buf_addf(out, "%.0f%s", floor(size) + 1, units[unit]);
}

static uint64_t total_of(const pj_score *score, const pj_score_row *row)
{
    uint64_t total = 0;
    for (size_t p = 0; p < score->process_count; p++)
        total += row->bytes[p];
    return total;
}

static void add_head(const pj_score *score, pj_buf *out)
{
    enum { PAGE = 2 << 20 };
    const pj_score_row *all = &score->left.groups[PJ_SCORE_ALL];
    uint64_t memory = (all->max_buf > PAGE ? all->max_buf : PAGE) + PAGE * score->most_locations;
    pj_buf_puts(out, "\nEstimated aggregate size of event trace:                   ");
    add_size(out, total_of(score, all));
    pj_buf_puts(out, "\nEstimated requirements for largest trace buffer (max_buf): ");
    add_size(out, all->max_buf);
    pj_buf_puts(out, "\nEstimated memory requirements (SCOREP_TOTAL_MEMORY):       ");
    add_size(out, memory);
    pj_buf_puts(out, "\n(hint: When tracing set SCOREP_TOTAL_MEMORY=");
    add_size(out, memory);
    pj_buf_puts(out, " to avoid intermediate flushes\n"
                     " or reduce requirements using USR regions filters.)\n\n");
}

typedef struct widths {
    int bytes, visits, hits, time, per_visit;
    bool has_hits;
    double total; // seconds of all
} widths;

static int digits(uint64_t number)
{
    char text[32];
    return (int)pj_format_grouped((int64_t)number, text);
}

static void widen(int *width, int need)
{
    *width = need > *width ? need : *width;
}

static void widen_all(widths *w, const pj_score_row *row)
{
    char text[64];
    widen(&w->bytes, digits(row->max_buf));
    widen(&w->visits, digits(row->visits));
    widen(&w->hits, digits(row->hits));
    widen(&w->time, snprintf(text, sizeof text, "%.2f", row->time));
    widen(&w->per_visit, snprintf(text, sizeof text, "%.6f", per_visit(row)));
}

static widths widths_of(const pj_score *score)
{
    widths w = {.bytes = sizeof "max_buf[B]" - 1,
                .visits = sizeof "visits" - 1,
                .hits = sizeof "hits" - 1,
                .time = sizeof "time[s]" - 1,
                .per_visit = sizeof "time/visit[us]" - 1,
                .has_hits = score->has_hits,
                .total = score->all.groups[PJ_SCORE_ALL].time};
    for (pj_score_group g = 0; g < PJ_SCORE_GROUP_COUNT; g++)
        widen_all(&w, &score->all.groups[g]);
    for (size_t i = 0; i < score->region_count; i++)
        widen_all(&w, &score->regions[i]);
    return w;
}

static void add_row(const widths *w, char flag, const pj_score_row *row, const char *suffix,
                    pj_buf *out)
{
    char bytes[32], visits[32], hits[32];
    bytes[pj_format_grouped((int64_t)row->max_buf, bytes)] = 0;
    visits[pj_format_grouped((int64_t)row->visits, visits)] = 0;
    hits[pj_format_grouped((int64_t)row->hits, hits)] = 0;
    pj_buf_addf(out, " %c %9s %*s %*s", flag, pj_score_group_name(row->group), w->bytes, bytes,
                w->visits, visits);
    if (w->has_hits)
        pj_buf_addf(out, " %*s", w->hits, hits);
    pj_buf_addf(out, " %*.2f %7.1f %*.2f  ", w->time, row->time,
                w->total > 0 ? 100 * row->time / w->total : 0, w->per_visit, per_visit(row));
    pj_buf_add(out, row->name);
    pj_buf_puts(out, suffix);
    pj_buf_add_char(out, '\n');
}

static void add_header(const widths *w, pj_buf *out)
{
    pj_buf_addf(out, "flt %8s %*s %*s", "type", w->bytes, "max_buf[B]", w->visits, "visits");
    if (w->has_hits)
        pj_buf_addf(out, " %*s", w->hits, "hits");
    pj_buf_addf(out, " %*s %7s %*s  region\n", w->time, "time[s]", "time[%]", w->per_visit,
                "time/visit[us]");
}

static char flag_of_group(const pj_score_row *row)
{
    if (row->group == PJ_SCORE_FLT)
        return '+';
    return row->group == PJ_SCORE_ALL || pj_score_filterable(row->group) ? '*' : '-';
}

/// What a filter leaves: all, what it takes, then the groups.
static void add_left(const pj_score *score, const widths *w, pj_arena *arena, pj_buf *out)
{
    const pj_score_row *groups = score->left.groups;
    size_t kept;
    const pj_score_row **sorted =
        pj_score_sorted(groups + PJ_SCORE_FLT + 1, PJ_SCORE_GROUP_COUNT - PJ_SCORE_FLT - 1,
                        score->sort, arena, &kept);
    pj_buf_add_char(out, '\n');
    add_row(w, '*', &groups[PJ_SCORE_ALL], "-FLT", out);
    if (groups[PJ_SCORE_FLT].max_buf)
        add_row(w, '+', &groups[PJ_SCORE_FLT], "", out);
    for (size_t i = 0; i < kept; i++)
        add_row(w, flag_of_group(sorted[i]), sorted[i], "-FLT", out);
}

static void add_regions(const pj_score *score, const widths *w, pj_arena *arena, pj_buf *out)
{
    size_t kept;
    const pj_score_row **rows =
        pj_score_sorted(score->regions, score->region_count, score->sort, arena, &kept);
    pj_buf_add_char(out, '\n');
    for (size_t i = 0; i < kept; i++)
        add_row(w, !score->has_filter ? ' ' : rows[i]->filtered ? '+' : '-', rows[i], "", out);
}

static void add_use_of_filter(const char *path, pj_buf *out)
{
    pj_buf_addf(out,
                "\n\nAn initial filter file template has been generated: '%s'\n\n"
                "To use this file for filtering at run-time, set the respective Score-P variable:"
                "\n\n    SCOREP_FILTERING_FILE=%s\n\n"
                "For compile-time filtering 'scorep' has to be provided with the "
                "'--instrument-filter' option:\n\n    $ scorep --instrument-filter=%s\n\n",
                path, path, path);
    pj_buf_puts(out, "Compile-time filtering depends on support in the used Score-P installation."
                     "\n\nThe filter file is annotated with comments, please check if the "
                     "selection is\nsuitable for your purposes and add or remove functions if "
                     "needed.\n\n");
}

void pj_score_text(const pj_score *score, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    widths w = widths_of(score);
    char flag = score->has_filter ? '-' : ' ';
    size_t kept;
    add_head(score, out);
    add_header(&w, out);
    const pj_score_row **rows =
        pj_score_sorted(score->all.groups, PJ_SCORE_GROUP_COUNT, score->sort, arena, &kept);
    for (size_t i = 0; i < kept; i++)
        add_row(&w, flag, rows[i], "", out);
    if (score->has_filter)
        add_left(score, &w, arena, out);
    if (score->with_regions)
        add_regions(score, &w, arena, out);
    if (score->proposed)
        add_use_of_filter(score->proposed, out);
}

// Table

static void add_columns(pj_table *table, bool has_hits)
{
    pj_table_add_column(table, (pj_column){.key = "type", .title = "Type", .text = PJ_TEXT});
    pj_table_add_column(table, (pj_column){.key = "region", .title = "Region", .text = PJ_TEXT});
    pj_table_add_column(table, (pj_column){.key = "filtered",
                                           .title = "Filtered",
                                           .help = "+ what the filter leaves out.",
                                           .text = PJ_TEXT});
    pj_table_add_column(table, (pj_column){.key = "max_buf",
                                           .title = "max_buf",
                                           .help = "Bytes of events of the process that has most.",
                                           .unit = PJ_UNIT_BYTES});
    pj_table_add_column(table, (pj_column){.key = "total_bytes",
                                           .title = "Total",
                                           .help = "Bytes of events of all processes.",
                                           .unit = PJ_UNIT_BYTES});
    pj_table_add_column(table, (pj_column){.key = "visits", .title = "Visits"});
    if (has_hits)
        pj_table_add_column(table, (pj_column){.key = "hits", .title = "Samples"});
    pj_table_add_column(table, (pj_column){.key = "time_s", .title = "Time", .unit = PJ_UNIT_S});
    pj_table_add_column(table,
                        (pj_column){.key = "share", .title = "Time/total", .unit = PJ_UNIT_RATIO});
    pj_table_add_column(table, (pj_column){.key = "time_per_visit_us",
                                           .title = "Time/visit (us)",
                                           .help = "Mean time of a visit in microseconds."});
}

static void add_cells(const pj_score *score, pj_table *table, const pj_score_row *row)
{
    double total = score->all.groups[PJ_SCORE_ALL].time;
    pj_cell *cell = pj_table_add_row(table);
    *cell++ = pj_cell_text(pj_score_group_name(row->group));
    *cell++ = pj_table_copy_cell(table, pj_cell_text(row->name.at));
    *cell++ = score->has_filter ? pj_cell_text(row->filtered ? "+" : "-") : pj_cell_empty(NULL);
    *cell++ = pj_cell_int((int64_t)row->max_buf);
    *cell++ = pj_cell_int((int64_t)total_of(score, row));
    *cell++ = pj_cell_int((int64_t)row->visits);
    if (score->has_hits)
        *cell++ = pj_cell_int((int64_t)row->hits);
    *cell++ = pj_cell_real(row->time);
    *cell++ = total > 0 ? pj_cell_real(row->time / total) : pj_cell_empty("no time");
    *cell = row->visits ? pj_cell_real(per_visit(row)) : pj_cell_empty("no visits");
}

pj_table *pj_score_table(const pj_score *score)
{
    pj_table *table = pj_table_new("Size of a trace by region");
    pj_auto_arena arena = pj_arena_new(NULL);
    size_t kept;
    add_columns(table, score->has_hits);
    const pj_score_row **rows =
        pj_score_sorted(score->all.groups, PJ_SCORE_GROUP_COUNT, score->sort, arena, &kept);
    for (size_t i = 0; i < kept; i++)
        add_cells(score, table, rows[i]);
    rows = pj_score_sorted(score->regions, score->region_count, score->sort, arena, &kept);
    for (size_t i = 0; i < kept; i++)
        add_cells(score, table, rows[i]);
    return table;
}
