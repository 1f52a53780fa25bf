// The efficiency table as a real HTML table: read aloud, copied, hovered without any script.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/html_page.h"
#include "widgets/figure/palette.h"
#include "widgets/table/metrics_grid.h"
#include "widgets/table/render.h"

/// Coloured cells are turned dark by the theme, as pictures are.
#define SHADED "pj-metrics-cell"
static const char themes[] = "<style>" PJ_DARK_RULES("." SHADED) "</style>\n";

#define HEAD "padding:3px 8px;font-weight:600;text-align:center;white-space:nowrap"

static void add_tooltip(pj_buf *out, const char *text, pj_render_opts opts)
{
    if (!opts.plain)
        pj_html_tooltip(out, pj_str_of(text));
}

static void add_groups(pj_buf *out, const pj_grid *grid)
{
    pj_buf_puts(out, "<tr><th scope=\"row\" style=\"" HEAD ";text-align:right\">");
    pj_escape_html(out, pj_str_of(grid->group_title));
    pj_buf_puts(out, "</th>");
    for (size_t i = 0; i < grid->column_count;) {
        size_t first = i, group = grid->columns[i].group;
        while (i < grid->column_count && grid->columns[i].group == group)
            i++;
        pj_buf_addf(out,
                    "<th scope=\"colgroup\" colspan=\"%zu\" style=\"" HEAD
                    ";border-bottom:1px solid " PJ_HTML_RULE "\">",
                    i - first);
        pj_escape_html(out, pj_str_of(grid->groups[group]));
        pj_buf_puts(out, "</th>");
    }
    pj_buf_puts(out, "</tr>\n");
}

static void add_header(pj_buf *out, const pj_grid *grid, pj_render_opts opts)
{
    pj_buf_puts(out, "<thead>\n");
    if (grid->group_title)
        add_groups(out, grid);
    pj_buf_puts(out, "<tr><th scope=\"row\" style=\"" HEAD ";text-align:right;border-bottom:2px "
                     "solid " PJ_HTML_RULE "\">");
    pj_escape_html(out, pj_str_of(grid->label_title));
    pj_buf_puts(out, "</th>");
    for (size_t i = 0; i < grid->column_count; i++) {
        pj_buf_puts(out, "<th scope=\"col\" style=\"" HEAD ";border-bottom:2px solid " PJ_HTML_RULE
                         "\"");
        add_tooltip(out, grid->columns[i].about, opts);
        pj_buf_add_char(out, '>');
        pj_escape_html(out, pj_str_of(grid->columns[i].label));
        pj_buf_puts(out, "</th>");
    }
    pj_buf_puts(out, "</tr></thead>\n");
}

static void add_cell(pj_buf *out, const pj_grid *grid, size_t row, size_t column,
                     pj_render_opts opts)
{
    const pj_grid_cell *cell = pj_grid_at(grid, row, column);
    bool coloured = !opts.plain && pj_grid_coloured(grid, row, column);
    pj_buf_puts(out, coloured ? "<td class=\"" SHADED "\"" : "<td");
    pj_buf_puts(out, " style=\"padding:3px 8px;text-align:center");
    if (coloured) {
        pj_colour fill = pj_grid_fill(grid, row, column, opts.palette);
        pj_colour ink = pj_palette_ink(fill) >> 8;
        pj_buf_addf(out, ";background:#%06x;color:#%06x", fill >> 8, ink);
        if (pj_grid_hatched(grid, row, column)) // with a halo: lines would be read as letters'
            pj_buf_addf(
                out,
                ";background-image:repeating-linear-gradient(45deg,#%06x40 0 1px,"
                "transparent 1px 6px);text-shadow:0 0 2px #%06x,0 0 2px #%06x,0 0 3px #%06x",
                ink, fill >> 8, fill >> 8, fill >> 8);
    } else if (cell->reason) {
        pj_buf_puts(out, ";opacity:.65");
    }
    pj_buf_add_char(out, '"');
    pj_auto_buf tip = {0};
    pj_buf_addf(&tip, "%s: %s\n%s", grid->rows[row].title, cell->exact,
                grid->columns[column].about);
    add_tooltip(out, tip.at, opts);
    pj_buf_add_char(out, '>');
    pj_escape_html(out, pj_str_of(cell->text));
    pj_buf_puts(out, cell->mark);
    pj_buf_puts(out, "</td>");
}

static void add_row(pj_buf *out, const pj_grid *grid, size_t row, pj_render_opts opts)
{
    const pj_grid_row *r = &grid->rows[row];
    pj_buf_addf(out,
                "<tr><th scope=\"row\" style=\"text-align:left;white-space:nowrap;padding:3px 12px "
                "3px %upx;font-weight:%s;font-style:%s\"",
                6 + 18 * r->depth, r->depth == 0 ? "600" : "400",
                r->residual ? "italic" : "normal");
    pj_auto_buf tip = {0};
    pj_buf_addf(&tip, "%s%s%s%s%s", r->title, r->formula ? " = " : "", r->formula ? r->formula : "",
                r->explanation ? "\n" : "", r->explanation ? r->explanation : "");
    add_tooltip(out, tip.at, opts);
    pj_buf_add_char(out, '>');
    pj_escape_html(out, pj_str_of(r->title));
    pj_buf_puts(out, "</th>");
    for (size_t i = 0; i < grid->column_count; i++)
        add_cell(out, grid, row, i, opts);
    pj_buf_puts(out, "</tr>\n");
}

static void add_notes(pj_buf *out, const pj_grid *grid)
{
    const pj_metrics *metrics = grid->metrics;
    if (grid->beyond_note)
        pj_html_note(out, "", pj_str_of(grid->beyond_note));
    for (size_t i = 0; i < grid->reason_count; i++)
        pj_html_note(out, "n/a: ", pj_str_of(grid->reasons[i]));
    if (metrics->note)
        pj_html_note(out, "", pj_str_of(metrics->note));
    for (size_t i = metrics->urgent; i < metrics->remark_count; i++)
        pj_html_note(out, metrics->remarks[i].severity == PJ_NOTE ? "\u2022 " : "\u26a0 ",
                     pj_str_of(metrics->remarks[i].text));
}

void pj_metrics_html(const pj_metrics *metrics, pj_render_opts opts, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_grid *grid = pj_grid_new(metrics, arena);
    if (opts.page)
        pj_html_page_open(out, pj_str_of(metrics->title));
    pj_buf_puts(out, "<div style=\"" PJ_HTML_FONT ";overflow-x:auto\">\n");
    if (!opts.plain)
        pj_buf_puts(out, themes);
    pj_html_title(out, pj_str_of(metrics->title));
    for (size_t i = 0; i < metrics->urgent; i++)
        pj_html_note(out, "\u26a0 ", pj_str_of(metrics->remarks[i].text));
    pj_buf_puts(out, "<table style=\"border-collapse:separate;border-spacing:2px;margin:0;"
                     "font-size:13px\">\n");
    add_header(out, grid, opts);
    pj_buf_puts(out, "<tbody>\n");
    for (size_t row = 0; row < grid->row_count; row++)
        add_row(out, grid, row, opts);
    pj_buf_puts(out, "</tbody></table>\n");
    add_notes(out, grid);
    pj_buf_puts(out, "</div>\n");
    if (!opts.plain) // folded under a picture: the overview stands beside it
        pj_render_overview(&pj_renderer_html, metrics, opts, out);
    if (opts.page)
        pj_html_page_close(out);
}
