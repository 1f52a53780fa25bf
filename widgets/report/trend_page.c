// Metrics over time as one HTML file. Colours follow the reader's theme.
#include "widgets/report/trend_page.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/figure/escape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TIME, COMMIT, BRANCH, LAYOUT, REGION, METRIC, VALUE, CHANGE }; // columns
enum { WIDTH = 640, HEIGHT = 150, LEFT = 56, RIGHT = 12, TOP = 12, BOTTOM = 22 };
static const double POOR = 0.6, FAIR = 0.8;

static const char style[] =
    ":root{--ink:#1f2937;--soft:#6b7280;--line:#d1d5db;--paper:#fff;--mark:#2563eb;--turn:#b91c1c}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e5e7eb;--soft:#9ca3af;--line:#374151;"
    "--paper:#111827;--mark:#60a5fa;--turn:#f87171}}"
    "body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
    "max-width:1320px;margin:2em auto;padding:0 1em}h1{font-size:22px}h2{font-size:17px;"
    "margin:1.6em 0 .4em}figure{display:inline-block;margin:0 1em 1em 0}figcaption{font-weight:600}"
    "svg text{font:11px system-ui,sans-serif;fill:var(--soft)}.axis{stroke:var(--line)}"
    ".level{stroke:var(--mark);stroke-width:2}.turn{stroke:var(--turn);stroke-dasharray:3 3}"
    "circle{fill:var(--mark)}.note{color:var(--soft)}";

/// Rows of one layout and metric.
typedef struct series {
    const pj_table *table;
    size_t from, to;
    double least, most; // of the axis
} series;

static const char *text_at(const pj_table *table, size_t row, int column)
{
    const pj_cell *cell = pj_table_cell(table, row, (size_t)column);
    return cell->kind == PJ_CELL_TEXT ? cell->text : "";
}

static double number_at(const pj_table *table, size_t row, int column)
{
    return pj_cell_number(*pj_table_cell(table, row, (size_t)column));
}

static bool is_same(const pj_table *table, size_t a, size_t b, int column)
{
    return strcmp(text_at(table, a, column), text_at(table, b, column)) == 0;
}

static size_t end_of(const pj_table *table, size_t from)
{
    size_t to = from + 1;
    while (to < table->row_count && is_same(table, from, to, LAYOUT) &&
           is_same(table, from, to, METRIC))
        to++;
    return to;
}

static void find_range(series *s)
{
    s->least = INFINITY;
    s->most = -INFINITY;
    for (size_t row = s->from; row < s->to; row++) {
        double value = number_at(s->table, row, VALUE);
        if (isnan(value))
            continue;
        s->least = fmin(s->least, value);
        s->most = fmax(s->most, value);
    }
    double room = fmax((s->most - s->least) * 0.1, fabs(s->most) * 0.01);
    s->least -= room;
    s->most += room;
}

static double x_of(const series *s, size_t row)
{
    size_t count = s->to - s->from;
    double step = count > 1 ? (double)(WIDTH - LEFT - RIGHT) / (double)(count - 1) : 0;
    return LEFT + (double)(row - s->from) * step;
}

static double y_of(const series *s, double value)
{
    return HEIGHT - BOTTOM - (value - s->least) / (s->most - s->least) * (HEIGHT - TOP - BOTTOM);
}

static void add_label(const series *s, double value, pj_buf *out)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    pj_buf_addf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>", LEFT - 6,
                y_of(s, value) + 4, text);
}

/// The mean of a level as a line.
static void add_level(const series *s, size_t from, size_t to, pj_buf *out)
{
    double sum = 0, count = 0;
    for (size_t row = from; row < to; row++) {
        double value = number_at(s->table, row, VALUE);
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    if (count > 0)
        pj_buf_addf(out, "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>", x_of(s, from),
                    y_of(s, sum / count), x_of(s, to - 1));
}

static void add_levels(const series *s, pj_buf *out)
{
    size_t first = s->from;
    for (size_t row = s->from + 1; row < s->to; row++) {
        double change = number_at(s->table, row, CHANGE);
        if (isnan(change))
            continue;
        double x = (x_of(s, row - 1) + x_of(s, row)) / 2;
        pj_buf_addf(out,
                    "<path class=\"turn\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\">%+.1f "
                    "%%</text>",
                    x, TOP, HEIGHT - BOTTOM, x + 3, TOP + 8, 100 * change);
        add_level(s, first, row, out);
        first = row;
    }
    add_level(s, first, s->to, out);
}

static void add_point(const series *s, size_t row, pj_buf *out)
{
    char exact[32];
    double value = number_at(s->table, row, VALUE);
    if (isnan(value))
        return;
    exact[pj_format_double(value, exact)] = 0;
    pj_buf_addf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%s, ", x_of(s, row),
                y_of(s, value), exact);
    pj_escape_html(out, pj_str_of(text_at(s->table, row, TIME)));
    pj_buf_puts(out, " ");
    pj_escape_html(out, pj_str_of(text_at(s->table, row, COMMIT)));
    pj_buf_puts(out, "</title></circle>");
}

static void add_day(const series *s, size_t row, const char *anchor, pj_buf *out)
{
    pj_str day = pj_str_head(pj_str_of(text_at(s->table, row, TIME)), 10);
    pj_buf_addf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">", x_of(s, row), HEIGHT - 6,
                anchor);
    pj_escape_html(out, day);
    pj_buf_puts(out, "</text>");
}

static void add_series(series *s, pj_buf *out)
{
    find_range(s);
    if (!isfinite(s->least))
        return;
    pj_buf_puts(out, "<figure><figcaption>");
    pj_escape_html(out, pj_str_of(text_at(s->table, s->from, METRIC)));
    pj_buf_addf(out,
                "</figcaption><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" fill=\"none\" "
                "role=\"img\"><path class=\"axis\" d=\"M%d %dV%dH%d\"/>",
                WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT - 4, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
    add_label(s, s->most, out);
    add_label(s, s->least, out);
    add_levels(s, out);
    for (size_t row = s->from; row < s->to; row++)
        add_point(s, row, out);
    add_day(s, s->from, "start", out);
    if (s->to - s->from > 1)
        add_day(s, s->to - 1, "end", out);
    pj_buf_puts(out, "</svg></figure>\n");
}

void pj_trend_page(const pj_table *trend, pj_buf *out)
{
    pj_buf_puts(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    pj_escape_html(out, pj_str_of(trend->title));
    pj_buf_addf(out, "</title><style>%s</style></head><body>\n<h1>", style);
    pj_escape_html(out, pj_str_of(trend->title));
    pj_buf_puts(out, "</h1>\n");
    pj_trend_badge(trend, out);
    for (size_t from = 0, to; from < trend->row_count; from = to) {
        to = end_of(trend, from);
        if (from == 0 || !is_same(trend, from - 1, from, LAYOUT)) {
            pj_buf_puts(out, "<h2>");
            pj_escape_html(out, pj_str_of(text_at(trend, from, LAYOUT)));
            pj_buf_puts(out, "</h2>\n");
        }
        add_series(&(series){.table = trend, .from = from, .to = to}, out);
    }
    pj_buf_puts(out,
                "<p class=\"note\">Dots: runs in order of time; lines: means of levels; dashed: "
                "where another level begins.");
    if (trend->note) {
        pj_buf_puts(out, " ");
        pj_escape_html(out, pj_str_of(trend->note));
    }
    pj_buf_puts(out, "</p>\n</body></html>\n");
}

/// The latest value of a metric over all layouts; NAN = there is none.
static double latest(const pj_table *trend, const char *metric)
{
    double value = NAN;
    const char *time = "";
    for (size_t row = 0; row < trend->row_count; row++)
        if (strcmp(text_at(trend, row, METRIC), metric) == 0 &&
            strcmp(text_at(trend, row, TIME), time) >= 0 && !isnan(number_at(trend, row, VALUE))) {
            time = text_at(trend, row, TIME);
            value = number_at(trend, row, VALUE);
        }
    return value;
}

void pj_trend_badge(const pj_table *trend, pj_buf *out)
{
    double value = latest(trend, "parallel_efficiency");
    const char *colour = value < POOR ? "#dc2626" : value < FAIR ? "#d97706" : "#15803d";
    char text[32] = "unknown";
    if (isnan(value))
        colour = "#6b7280";
    else
        snprintf(text, sizeof text, "%.2f", value);
    pj_buf_addf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"196\" height=\"20\" role=\"img\" "
        "aria-label=\"parallel efficiency: %s\"><rect width=\"130\" height=\"20\" "
        "fill=\"#4b5563\"/><rect x=\"130\" width=\"66\" height=\"20\" fill=\"%s\"/><g "
        "style=\"font:11px system-ui,sans-serif\" text-anchor=\"middle\"><text x=\"65\" "
        "y=\"14\" style=\"fill:#fff\">parallel efficiency</text><text x=\"163\" y=\"14\" "
        "style=\"fill:#fff\">%s</text></g></svg>\n",
        text, colour, text);
}
