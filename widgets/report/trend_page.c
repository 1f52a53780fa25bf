// Metrics over time as one HTML file: a section for each region, a picture for each of its metrics.
// Colours follow the reader's theme; a short script tells what the run under the pointer is.
#include "widgets/report/trend_page.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/time_axis.h"
#include "widgets/report/trend_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_CHANGES = 20, PAGE_ROOM = 460000 };
static const double poor = 0.6, fair = 0.8;

static const char style[] =
    ":root{--ink:#1f2937;--soft:#6b7280;--line:#d1d5db;--paper:#fff;--turn:#b91c1c}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e5e7eb;--soft:#9ca3af;--line:#374151;"
    "--paper:#111827;--turn:#f87171}figure [data-l],.v,i{filter:brightness(1.5)}}"
    "body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
    "max-width:1320px;margin:2em auto;padding:0 1em}h1{font-size:22px}h2{font-size:17px;"
    "display:inline}details{margin:1em 0}summary{cursor:pointer;margin:.4em 0}"
    "figure{display:inline-block;margin:0 .4em 1em 0;width:min(640px,50% - .8em)}"
    "@media(max-width:800px){figure{width:100%}}figcaption b{font-weight:600}"
    "table{border-collapse:collapse;margin:1em 0}td,th{text-align:left;padding:2px 10px;"
    "border-bottom:1px solid var(--line)}td:last-child{text-align:right}"
    "figure svg{width:100%;height:auto}.g text{font:110px system-ui,sans-serif;fill:var(--soft);"
    "stroke:none}"
    ".e{text-anchor:end}.m{text-anchor:middle}.a{stroke:var(--line);stroke-width:10}"
    "[data-l]{stroke-width:15;stroke-linejoin:round}.v{stroke-width:70;opacity:.28}"
    ".t{stroke:var(--turn);stroke-width:12;stroke-dasharray:40 30}"
    ".note,summary span{color:var(--soft)}i{display:inline-block;width:1.2em;height:.7em;"
    "margin:0 .4em 0 1em}#tip{position:fixed;pointer-events:none;padding:3px 8px;"
    "background:var(--ink);color:var(--paper);border-radius:4px;white-space:pre;font-size:12px}";

/// Values come from the coordinates, as exact as the picture is high; runs from `runs`, by layout.
static const char script[] =
    "const tip=document.getElementById('tip'),seen=new Map();function points(p){if(!seen.has(p)){"
    "let x=0,y=0;const n=p.getAttribute('d').match(/-?\\d+/g).map(Number),c=[];"
    "for(let i=0;i<n.length;i+=2){x+=n[i];y+=n[i+1];if(i!=2)c.push([x,y])}seen.set(p,c)}"
    "return seen.get(p)}addEventListener('mousemove',e=>{const s=e.target.closest&&"
    "e.target.closest('svg[data-a]');tip.hidden=true;if(!s)return;const "
    "b=s.getBoundingClientRect(),"
    "k=W/b.width,X=(e.clientX-b.left)*k,Y=(e.clientY-b.top)*k;let best=9e4,hit;"
    "s.querySelectorAll('[data-l]').forEach(p=>points(p).forEach((q,i)=>{const "
    "d=(q[0]-X)**2+(q[1]-Y)**2;if(d<best){best=d;hit=[p,i,q]}}));if(!hit)return;"
    "const[p,i,q]=hit,a=+s.dataset.a,z=+s.dataset.b,d=(z-a)/(B-T),v=a+(B-q[1])*d,"
    "at=p.dataset.i?p.dataset.i.split(' ')[i]:i,r=runs[p.dataset.l];"
    "tip.textContent=v.toFixed(Math.max(0,Math.ceil(-Math.log10(d))))+'\\n'+r[0]+'\\n'+r[1][at];"
    "tip.style.left=Math.min(e.clientX+14,innerWidth-260)+'px';tip.style.top=e.clientY+14+'px';"
    "tip.hidden=false})";

typedef struct page {
    const pj_table *trend;
    pj_arena *arena;
    pj_trend_lines lines;
    double *x;
    size_t *layout, *run;
    const char **layouts; // by number
    size_t *layout_row;   // a row that each begins with, of the first region
    size_t layout_count;
    bool in_order; // some run has no time: one after another
    pj_buf *out;
} page;

static const char *text_at(const page *p, size_t row, int column)
{
    return pj_trend_text(p->trend, row, column);
}

static bool is_same(const page *p, size_t a, size_t b, int column)
{
    return strcmp(text_at(p, a, column), text_at(p, b, column)) == 0;
}

/// The first row after `from` that differs in one of the columns down to `column`.
static size_t end_of(const page *p, size_t from, bool metric, bool layout)
{
    size_t to = from + 1;
    while (to < p->trend->row_count && is_same(p, from, to, PJ_TREND_REGION) &&
           (!metric || is_same(p, from, to, PJ_TREND_METRIC)) &&
           (!layout || is_same(p, from, to, PJ_TREND_LAYOUT)))
        to++;
    return to;
}

static size_t layout_at(page *p, size_t row)
{
    const char *name = text_at(p, row, PJ_TREND_LAYOUT);
    for (size_t i = 0; i < p->layout_count; i++)
        if (strcmp(p->layouts[i], name) == 0)
            return i;
    p->layouts[p->layout_count] = name;
    p->layout_row[p->layout_count] = row;
    return p->layout_count++;
}

/// Numbers the runs of a series as those of the same layout in the first region are.
static void number_runs(page *p, size_t from, size_t to)
{
    size_t known = p->layout_row[p->layout[from]];
    size_t end = end_of(p, known, true, true);
    for (size_t row = from, at = known; row < to; row++, at++) {
        while (at + 1 < end &&
               !(is_same(p, row, at, PJ_TREND_TIME) && is_same(p, row, at, PJ_TREND_COMMIT)))
            at++;
        p->run[row] = at - known;
    }
}

static void place_rows(page *p)
{
    const size_t rows = p->trend->row_count;
    p->x = pj_new_n(p->arena, double, rows + 1);
    p->layout = pj_new_n(p->arena, size_t, rows + 1);
    p->run = pj_new_n(p->arena, size_t, rows + 1);
    p->layouts = pj_new_n(p->arena, const char *, rows + 1);
    p->layout_row = pj_new_n(p->arena, size_t, rows + 1);
    for (size_t row = 0; row < rows; row++) {
        p->layout[row] = layout_at(p, row);
        p->in_order |= !pj_time_axis_parse(pj_str_of(text_at(p, row, PJ_TREND_TIME)), &p->x[row]);
    }
    for (size_t from = 0, to; from < rows; from = to) {
        to = end_of(p, from, true, true);
        number_runs(p, from, to);
    }
    double first = INFINITY, last = -INFINITY;
    for (size_t row = 0; row < rows; row++) {
        if (p->in_order)
            p->x[row] = (double)p->run[row];
        first = fmin(first, p->x[row]);
        last = fmax(last, p->x[row]);
    }
    p->lines = (pj_trend_lines){.table = p->trend,
                                .x = p->x,
                                .first = first,
                                .last = last,
                                .layout = p->layout,
                                .run = p->run};
}

/// The last label stays inside the picture.
static void add_tick(const page *p, double x, const char *label)
{
    enum { HALF_LABEL = 380 };
    pj_buf_addf(p->out, "<path d=\"M%.0f %dv40\"/><text x=\"%.0f\" y=\"%d\" class=\"m\">", x,
                PJ_TREND_HEIGHT - PJ_TREND_BOTTOM, fmin(x, PJ_TREND_WIDTH - HALF_LABEL),
                PJ_TREND_HEIGHT - 60);
    pj_escape_html(p->out, pj_str_of(label));
    pj_buf_puts(p->out, "</text>");
}

/// The axis that all pictures share, and the dots of lines.
static void add_shared(const page *p)
{
    pj_buf_puts(p->out, "<svg width=\"0\" height=\"0\" style=\"position:absolute\"><defs>");
    for (size_t i = 0; i < PJ_TREND_COLOURS; i++)
        pj_buf_addf(p->out,
                    "<marker id=\"m%zu\" markerUnits=\"userSpaceOnUse\" markerWidth=\"60\" "
                    "markerHeight=\"60\" refX=\"30\" refY=\"30\"><circle cx=\"30\" cy=\"30\" "
                    "r=\"27\" fill=\"#%06x\"/></marker>",
                    i, pj_palette_series(i) >> 8);
    pj_buf_addf(p->out, "<g id=\"x\" class=\"a g\"><path d=\"M%d %dV%dH%d\"/>", PJ_TREND_LEFT - 40,
                PJ_TREND_TOP, PJ_TREND_HEIGHT - PJ_TREND_BOTTOM, PJ_TREND_WIDTH - PJ_TREND_RIGHT);
    const double from = p->lines.first, to = p->lines.last;
    if (!p->in_order && to > from) {
        pj_axis axis = pj_time_axis(from, to, p->arena);
        for (size_t i = 0; i < axis.tick_count; i++) {
            double part = (axis.ticks[i].value - from) / (to - from);
            double x = PJ_TREND_LEFT + part * (PJ_TREND_WIDTH - PJ_TREND_LEFT - PJ_TREND_RIGHT);
            if (part >= 0 && part <= 1)
                add_tick(p, x, axis.ticks[i].label);
        }
    }
    pj_buf_puts(p->out, "</g></defs></svg>\n");
}

static void add_style(const page *p)
{
    pj_buf_addf(p->out, "<style>%s", style);
    for (size_t i = 0; i < PJ_TREND_COLOURS; i++)
        pj_buf_addf(p->out, ".s%zu{stroke:#%06x;background:#%06x;marker:url(#m%zu)}", i,
                    pj_palette_series(i) >> 8, pj_palette_series(i) >> 8, i);
    pj_buf_puts(p->out, ".v,.n{marker:none}</style>");
}

static void add_legend(const page *p)
{
    if (p->layout_count < 2)
        return;
    pj_buf_puts(p->out, "<p>");
    for (size_t i = 0; i < p->layout_count; i++) {
        pj_buf_addf(p->out, "<i class=\"s%zu\"></i>", i % PJ_TREND_COLOURS);
        pj_escape_html(p->out, pj_str_of(p->layouts[i]));
    }
    pj_buf_puts(p->out, "</p>\n");
}

typedef struct turn {
    size_t row;
    const char *time;
} turn;

static int latest_first(const void *a, const void *b)
{
    const turn *x = a, *y = b;
    int order = strcmp(y->time, x->time);
    return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

static size_t find_turns(const page *p, size_t from, size_t to, turn *turns)
{
    size_t count = 0;
    for (size_t row = from; row < to; row++)
        if (!isnan(pj_trend_number(p->trend, row, PJ_TREND_CHANGE))) {
            if (turns)
                turns[count] = (turn){row, text_at(p, row, PJ_TREND_TIME)};
            count++;
        }
    return count;
}

static void add_turn(const page *p, size_t row)
{
    static const int shown[] = {PJ_TREND_TIME, PJ_TREND_COMMIT, PJ_TREND_REGION, PJ_TREND_LAYOUT,
                                PJ_TREND_TITLE};
    pj_buf_puts(p->out, "<tr>");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        pj_buf_puts(p->out, "<td>");
        pj_escape_html(p->out, pj_str_of(text_at(p, row, shown[i])));
        pj_buf_puts(p->out, "</td>");
    }
    pj_buf_addf(p->out, "<td>%+.1f %%</td></tr>\n",
                100 * pj_trend_number(p->trend, row, PJ_TREND_CHANGE));
}

/// What changed, the latest first.
static void add_turns(const page *p)
{
    const size_t rows = p->trend->row_count;
    turn *turns = pj_new_n(p->arena, turn, rows + 1);
    size_t count = find_turns(p, 0, rows, turns);
    if (!count) {
        pj_buf_puts(p->out, "<p>No level changes.</p>\n");
        return;
    }
    qsort(turns, count, sizeof *turns, latest_first);
    pj_buf_puts(p->out, "<table><thead><tr><th>New level from</th><th>Commit</th><th>Region</th>"
                        "<th>Layout</th><th>Metric</th><th>Change</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < count && i < SHOWN_CHANGES; i++)
        add_turn(p, turns[i].row);
    pj_buf_puts(p->out, "</tbody></table>\n");
    if (count > SHOWN_CHANGES)
        pj_buf_addf(p->out, "<p class=\"note\">The latest %d of %zu changes of level.</p>\n",
                    SHOWN_CHANGES, count);
}

static void add_region(const page *p, size_t from, size_t to, pj_buf *out)
{
    size_t turns = find_turns(p, from, to, NULL);
    pj_buf_addf(out, "<details%s><summary><h2>", from == 0 || turns ? " open" : "");
    pj_escape_html(out, pj_str_of(text_at(p, from, PJ_TREND_REGION)));
    pj_buf_puts(out, "</h2> <span>");
    if (turns)
        pj_buf_addf(out, "%zu change%s of level", turns, turns == 1 ? "" : "s");
    pj_buf_puts(out, "</span></summary>\n");
    for (size_t row = from, end; row < to; row = end) {
        end = end_of(p, row, true, false);
        pj_trend_lines_add(&p->lines, row, end, out);
    }
    pj_buf_puts(out, "</details>\n");
}

/// The longest regions, as many as there is room for.
static void add_regions(const page *p)
{
    size_t left_out = 0;
    for (size_t from = 0, to; from < p->trend->row_count; from = to) {
        pj_auto_buf region = {.at = NULL};
        to = end_of(p, from, false, false);
        if (!left_out)
            add_region(p, from, to, &region);
        if (left_out || (from && p->out->len + region.len > PAGE_ROOM))
            left_out++;
        else
            pj_buf_add(p->out, pj_buf_str(&region));
    }
    if (left_out)
        pj_buf_addf(p->out,
                    "<p class=\"note\">%zu shorter region%s would make this page too large: "
                    "popinjay trend --region NAME shows one.</p>\n",
                    left_out, left_out == 1 ? "" : "s");
}

static void add_text(pj_buf *out, const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || *text == '<' || (unsigned char)*text < ' ')
            pj_buf_addf(out, "\\u%04x", (unsigned)*text);
        else
            pj_buf_add_char(out, *text);
}

/// Layouts, and of each its runs.
static void add_script(const page *p)
{
    pj_buf_puts(p->out, "<div id=\"tip\" hidden></div>\n<script>const runs=[");
    for (size_t i = 0; i < p->layout_count; i++) {
        size_t from = p->layout_row[i], to = end_of(p, from, true, true);
        pj_buf_puts(p->out, i ? ",[\"" : "[\"");
        add_text(p->out, p->layouts[i]);
        pj_buf_puts(p->out, "\",[");
        for (size_t row = from; row < to; row++) {
            pj_buf_puts(p->out, row > from ? ",\"" : "\"");
            add_text(p->out, text_at(p, row, PJ_TREND_TIME));
            pj_buf_add_char(p->out, ' ');
            add_text(p->out, text_at(p, row, PJ_TREND_COMMIT));
            pj_buf_add_char(p->out, ' ');
            add_text(p->out, text_at(p, row, PJ_TREND_BRANCH));
            pj_buf_add_char(p->out, '"');
        }
        pj_buf_puts(p->out, "]]");
    }
    pj_buf_addf(p->out, "],W=%d,T=%d,B=%d;%s</script>\n", PJ_TREND_WIDTH, PJ_TREND_TOP,
                PJ_TREND_HEIGHT - PJ_TREND_BOTTOM, script);
}

void pj_trend_page(const pj_table *trend, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    page p = {.trend = trend, .arena = arena, .out = out};
    place_rows(&p);
    pj_buf_puts(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                     "name=\"viewport\" content=\"width=device-width\"><title>");
    pj_escape_html(out, pj_str_of(trend->title));
    pj_buf_puts(out, "</title>");
    add_style(&p);
    pj_buf_puts(out, "</head><body>\n<h1>");
    pj_escape_html(out, pj_str_of(trend->title));
    pj_buf_puts(out, "</h1>\n");
    pj_trend_badge(trend, out);
    add_shared(&p);
    add_legend(&p);
    add_turns(&p);
    add_regions(&p);
    pj_buf_puts(out, "<p class=\"note\">Dots: runs; broad: means of levels; dashed: where another "
                     "level begins; bold: the latest value.");
    if (trend->note) {
        pj_buf_puts(out, " ");
        pj_escape_html(out, pj_str_of(trend->note));
    }
    pj_buf_puts(out, "</p>\n");
    add_script(&p);
    pj_buf_puts(out, "</body></html>\n");
}

/// The latest parallel efficiency of the first region; NaN = there is none.
static double latest(const pj_table *trend)
{
    page p = {.trend = trend};
    for (size_t from = 0, to; from < trend->row_count; from = to) {
        to = end_of(&p, from, true, false);
        if (!is_same(&p, 0, from, PJ_TREND_REGION))
            break;
        if (strcmp(text_at(&p, from, PJ_TREND_METRIC), "parallel_efficiency") == 0)
            return pj_trend_latest(trend, from, to);
    }
    return NAN;
}

void pj_trend_badge(const pj_table *trend, pj_buf *out)
{
    double value = latest(trend);
    const char *colour = value < poor ? "#dc2626" : value < fair ? "#d97706" : "#15803d";
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
