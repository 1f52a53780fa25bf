// One metric of a region over time as a small SVG: a line for each layout, means of levels, and
// where these change. Coordinates are whole and relative, so that archives of years stay small.
#include "widgets/report/trend_lines.h"

#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "widgets/figure/escape.h"

#include <math.h>
#include <string.h>

enum { MOST_DOTS = 200, NUMBER_ROOM = 32 };

/// Runs of one layout.
typedef struct series {
    const pj_trend_lines *of;
    size_t from, to, layout; // rows; which layout
} series;

/// The picture: rows of a metric, and its axis.
typedef struct picture {
    const pj_trend_lines *of;
    size_t from, to;
    double least, most;
} picture;

static bool find_range(picture *p)
{
    p->least = INFINITY;
    p->most = -INFINITY;
    for (size_t row = p->from; row < p->to; row++) {
        double value = pj_trend_number(p->of->table, row, PJ_TREND_VALUE);
        if (isnan(value))
            continue;
        p->least = fmin(p->least, value);
        p->most = fmax(p->most, value);
    }
    double room = fmax((p->most - p->least) * 0.1, fabs(p->most) * 0.01);
    p->least -= room;
    p->most += room > 0 ? room : 1;
    return isfinite(p->least);
}

static int x_of(const pj_trend_lines *of, size_t row)
{
    double part = of->last > of->first ? (of->x[row] - of->first) / (of->last - of->first) : 0.5;
    return PJ_TREND_LEFT + (int)lround(part * (PJ_TREND_WIDTH - PJ_TREND_LEFT - PJ_TREND_RIGHT));
}

static int y_of(const picture *p, double value)
{
    double part = (value - p->least) / (p->most - p->least);
    return PJ_TREND_HEIGHT - PJ_TREND_BOTTOM -
           (int)lround(part * (PJ_TREND_HEIGHT - PJ_TREND_TOP - PJ_TREND_BOTTOM));
}

static void add_label(const picture *p, double value, pj_buf *out)
{
    pj_buf_addf(out, "<text x=\"%d\" y=\"%d\" class=\"e\">%.4g</text>", PJ_TREND_LEFT - 60,
                y_of(p, value) + 40, value);
}

/// The mean of a level as a broad line.
static void add_level(const picture *p, const series *s, size_t from, size_t to, pj_buf *out)
{
    double sum = 0, count = 0;
    for (size_t row = from; row < to; row++) {
        double value = pj_trend_number(p->of->table, row, PJ_TREND_VALUE);
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    if (count > 1)
        pj_buf_addf(out, "<path class=\"v s%zu\" d=\"M%d %dH%d\"/>", s->layout % PJ_TREND_COLOURS,
                    x_of(p->of, from), y_of(p, sum / count), x_of(p->of, to - 1));
}

static void add_levels(const picture *p, const series *s, pj_buf *out)
{
    size_t first = s->from;
    for (size_t row = s->from + 1; row < s->to; row++) {
        double change = pj_trend_number(p->of->table, row, PJ_TREND_CHANGE);
        if (isnan(change))
            continue;
        int x = (x_of(p->of, row - 1) + x_of(p->of, row)) / 2;
        bool late = x > PJ_TREND_WIDTH - 800;
        pj_buf_addf(out,
                    "<path class=\"t\" d=\"M%d %dV%d\"/><text x=\"%d\" y=\"%d\"%s>%+.1f "
                    "%%</text>",
                    x, PJ_TREND_TOP, PJ_TREND_HEIGHT - PJ_TREND_BOTTOM, late ? x - 40 : x + 40,
                    PJ_TREND_TOP + 80, late ? " class=\"e\"" : "", 100 * change);
        add_level(p, s, first, row, out);
        first = row;
    }
    add_level(p, s, first, s->to, out);
}

/// Which runs of the layout have values, for what is said of them; nothing where all have.
static void add_indices(const series *s, pj_buf *out)
{
    const pj_trend_lines *of = s->of;
    bool gap = false;
    for (size_t row = s->from, k = 0; row < s->to; row++, k++)
        gap |= of->run[row] != k || isnan(pj_trend_number(of->table, row, PJ_TREND_VALUE));
    if (!gap)
        return;
    pj_buf_puts(out, " data-i=\"");
    for (size_t row = s->from; row < s->to; row++)
        if (!isnan(pj_trend_number(of->table, row, PJ_TREND_VALUE)))
            pj_buf_addf(out, "%zu ", of->run[row]);
    pj_buf_add_char(out, '"');
}

static void add_line(const picture *p, const series *s, pj_buf *out)
{
    int x = 0, y = 0;
    bool first = true;
    pj_buf_addf(out, "<path class=\"s%zu%s\" data-l=\"%zu\"", s->layout % PJ_TREND_COLOURS,
                s->to - s->from > MOST_DOTS ? " n" : "", s->layout);
    add_indices(s, out);
    pj_buf_puts(out, " d=\"");
    for (size_t row = s->from; row < s->to; row++) {
        double value = pj_trend_number(p->of->table, row, PJ_TREND_VALUE);
        if (isnan(value))
            continue;
        int dx = x_of(p->of, row) - x, dy = y_of(p, value) - y;
        pj_buf_addf(out, "%s%d%s%d", first ? "M" : dx < 0 ? "" : " ", dx, dy < 0 ? "" : " ", dy);
        if (first)
            pj_buf_puts(out, "l0 0");
        x += dx;
        y += dy;
        first = false;
    }
    pj_buf_puts(out, "\"/>");
}

static bool is_same(const pj_table *table, size_t a, size_t b, int column)
{
    return strcmp(pj_trend_text(table, a, column), pj_trend_text(table, b, column)) == 0;
}

static void add_caption(const picture *p, pj_buf *out)
{
    const pj_table *table = p->of->table;
    double latest = pj_trend_latest(table, p->from, p->to);
    pj_buf_puts(out, "<figure><figcaption>");
    pj_escape_html(out, pj_str_of(pj_trend_text(table, p->from, PJ_TREND_TITLE)));
    pj_buf_addf(out, " <b>%.4g</b></figcaption>", latest);
}

void pj_trend_lines_add(const pj_trend_lines *lines, size_t from, size_t to, pj_buf *out)
{
    picture p = {.of = lines, .from = from, .to = to};
    char least[NUMBER_ROOM], most[NUMBER_ROOM];
    if (!find_range(&p))
        return;
    least[pj_format_double(p.least, least)] = 0;
    most[pj_format_double(p.most, most)] = 0;
    add_caption(&p, out);
    pj_buf_addf(out,
                "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" fill=\"none\" "
                "class=\"g\" role=\"img\" data-a=\"%s\" data-b=\"%s\"><use href=\"#x\"/>",
                PJ_TREND_WIDTH / 10, PJ_TREND_HEIGHT / 10, PJ_TREND_WIDTH, PJ_TREND_HEIGHT, least,
                most);
    add_label(&p, p.most, out);
    add_label(&p, p.least, out);
    for (size_t row = from, end; row < to; row = end) {
        for (end = row + 1; end < to && is_same(lines->table, row, end, PJ_TREND_LAYOUT);)
            end++;
        series s = {.of = lines, .from = row, .to = end, .layout = lines->layout[row]};
        add_levels(&p, &s, out);
        add_line(&p, &s, out);
    }
    pj_buf_puts(out, "</svg></figure>\n");
}
