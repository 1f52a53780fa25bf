// The efficiency table of the wizard as HTML: numbers beside the buttons of their names, the lines
// of the tree between those, title and scale as in the figure.
#include "widgets/wizard/wizard_table.h"

#include "metrics/base/str.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/html_page.h"
#include "widgets/figure/palette.h"

#define CELL                                                                                       \
    "height:28px;box-sizing:border-box;padding:0 8px;line-height:1;text-align:center;"             \
    "white-space:nowrap;border:1px solid transparent;background-clip:padding-box"

/// What the theme turns dark, as it does pictures.
#define SHADED "pj-shaded"
static const char themes[] = "<style>" PJ_DARK_RULES("." SHADED) "</style>";

static void add_value(const pj_grid *grid, pj_palette palette, size_t row, size_t column,
                      pj_buf *out)
{
    const pj_grid_cell *cell = pj_grid_at(grid, row, column);
    bool coloured = pj_grid_coloured(grid, row, column);
    pj_buf_puts(out, coloured ? "<td class=\"" SHADED "\" style=\"" CELL : "<td style=\"" CELL);
    if (coloured) {
        pj_colour fill = pj_grid_fill(grid, row, column, palette);
        pj_buf_addf(out, ";background-color:#%06x;color:#%06x", fill >> 8,
                    pj_palette_ink(fill) >> 8);
    }
    pj_auto_buf tip = {0};
    pj_buf_addf(&tip, "%s: %s\n%s", grid->rows[row].title, cell->exact,
                grid->columns[column].about);
    pj_buf_add_char(out, '"');
    pj_html_tooltip(out, pj_buf_str(&tip));
    pj_buf_add_char(out, '>');
    pj_escape_html(out, pj_str_of(cell->text));
    pj_buf_puts(out, cell->mark);
    pj_buf_puts(out, "</td>");
}

static void add_head(const char *text, const char *tip, pj_buf *out)
{
    pj_buf_puts(out, "<th style=\"" CELL ";font-weight:600\"");
    pj_html_tooltip(out, pj_str_of(tip));
    pj_buf_add_char(out, '>');
    pj_escape_html(out, pj_str_of(text));
    pj_buf_puts(out, "</th>");
}

static void add_groups(const pj_grid *grid, pj_buf *out)
{
    pj_buf_puts(out, "<tr>");
    for (size_t first = 0, c = 0; c < grid->column_count; first = c) {
        size_t group = grid->columns[c].group;
        while (c < grid->column_count && grid->columns[c].group == group)
            c++;
        pj_buf_addf(out,
                    "<th colspan=\"%zu\" style=\"" CELL ";font-weight:600;"
                    "border-bottom-color:" PJ_HTML_RULE "\">",
                    c - first);
        pj_escape_html(out, pj_str_of(grid->groups[group]));
        pj_buf_puts(out, "</th>");
    }
    pj_buf_puts(out, "</tr>");
}

static void add_upright(const pj_grid *grid, pj_palette palette, pj_buf *out)
{
    if (grid->group_title)
        add_groups(grid, out);
    pj_buf_puts(out, "<tr>");
    for (size_t c = 0; c < grid->column_count; c++)
        add_head(grid->columns[c].label, grid->columns[c].about, out);
    pj_buf_puts(out, "</tr>");
    for (size_t row = 0; row < grid->row_count; row++) {
        pj_buf_puts(out, "<tr>");
        for (size_t c = 0; c < grid->column_count; c++)
            add_value(grid, palette, row, c, out);
        pj_buf_puts(out, "</tr>");
    }
}

static void add_turned(const pj_grid *grid, pj_palette palette, pj_buf *out)
{
    pj_buf_puts(out, grid->group_title ? "<tr><td></td><td></td>" : "<tr><td></td>");
    for (size_t row = 0; row < grid->row_count; row++)
        add_head(grid->rows[row].title, grid->rows[row].explanation, out);
    pj_buf_puts(out, "</tr>");
    for (size_t c = 0; c < grid->column_count; c++) {
        pj_buf_puts(out, "<tr>");
        bool first = c == 0 || grid->columns[c].group != grid->columns[c - 1].group;
        if (grid->group_title)
            add_head(first ? grid->groups[grid->columns[c].group] : "", grid->group_title, out);
        add_head(grid->columns[c].label, grid->columns[c].about, out);
        for (size_t row = 0; row < grid->row_count; row++)
            add_value(grid, palette, row, c, out);
        pj_buf_puts(out, "</tr>");
    }
}

void pj_wizard_table_values(const pj_grid *grid, pj_palette palette, bool turned, pj_buf *out)
{
    pj_buf_puts(out, themes);
    pj_buf_puts(out, "<table style=\"" PJ_HTML_FONT
                     ";border-collapse:collapse;border-spacing:0;margin:0\">");
    if (turned)
        add_turned(grid, palette, out);
    else
        add_upright(grid, palette, out);
    pj_buf_puts(out, "</table>");
}

void pj_wizard_table_head(const pj_grid *grid, bool turned, pj_buf *out)
{
    const char *lines[] = {grid->group_title, grid->label_title};
    for (size_t i = 0; i < 2 && !turned; i++) {
        if (!lines[i])
            continue;
        pj_buf_puts(out, "<div style=\"" PJ_HTML_FONT ";height:28px;line-height:28px;"
                         "padding:0 6px;font-weight:600;text-align:right\">");
        pj_escape_html(out, pj_str_of(lines[i]));
        pj_buf_puts(out, "</div>");
    }
}

static void add_line(double x1, double y1, double x2, double y2, pj_buf *out)
{
    pj_buf_addf(out, "M%g %gL%g %g", x1, y1, x2, y2);
}

/// Under the names: a line down from each parent to its last part, and one to each part.
void pj_wizard_table_tree(const pj_grid *grid, pj_buf *out)
{
    double top = PJ_WIZARD_ROW_PX * (grid->group_title ? 2 : 1);
    pj_buf_addf(out,
                "<div style=\"position:relative;width:0;height:0\"><svg width=\"200\" "
                "height=\"%g\" style=\"position:absolute;left:0;top:0;pointer-events:none;"
                "opacity:.35\"><path fill=\"none\" stroke=\"currentColor\" d=\"",
                top + PJ_WIZARD_ROW_PX * (double)grid->row_count);
    for (size_t row = 0; row < grid->row_count; row++) {
        unsigned depth = grid->rows[row].depth;
        if (!depth)
            continue;
        size_t from = row;
        while (from > 0 && grid->rows[from - 1].depth > depth)
            from--;
        double x = PJ_WIZARD_STEP_PX * (depth - 1) + 10.5;
        double y = top + PJ_WIZARD_ROW_PX * ((double)row + 0.5) + 0.5;
        bool first = from > 0 && grid->rows[from - 1].depth < depth;
        double above = top + PJ_WIZARD_ROW_PX * ((double)from - (first ? 0.1 : 0.5)) + 0.5;
        add_line(x, above, x, y, out);
        add_line(x, y, x + 7, y, out);
    }
    pj_buf_puts(out, "\"/></svg></div>");
}

static void add_scale(pj_palette palette, pj_buf *out)
{
    enum { STEPS = 40 };
    pj_buf_puts(out, "<div class=\"" SHADED "\" style=\"width:150px;height:10px;"
                     "background:linear-gradient(to right");
    for (int i = 0; i <= STEPS; i++)
        pj_buf_addf(out, ",#%06x", pj_palette_fill(palette, (double)i / STEPS, false) >> 8);
    pj_buf_puts(out, ")\"></div><div style=\"position:relative;width:150px;height:18px;"
                     "font-size:11px\">");
    const double ticks[] = {0, palette.bad, palette.good, 1};
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
        pj_buf_addf(out,
                    "<span style=\"position:absolute;left:%.1fpx;transform:translateX(-50%%)\">"
                    "%g</span>",
                    150 * ticks[i], ticks[i]);
    pj_buf_puts(out, "</div>");
}

void pj_wizard_table_legend(pj_palette palette, pj_buf *out)
{
    pj_buf_puts(out, "<div style=\"" PJ_HTML_FONT ";margin:8px 12px\">");
    add_scale(pj_palette_resolve(palette), out);
    pj_buf_puts(out, "</div>");
}
