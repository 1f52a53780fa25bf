// HTML: a real table, so that it can be read aloud and copied; tooltips hold exact values.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/table/table.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/html_page.h"
#include "widgets/table/part_bar.h"
#include "widgets/table/render.h"

static const char *align_of(pj_column_text form)
{
    return form.left ? "left" : "right";
}

/// Characters that words have beside each other before they are broken into lines.
static size_t room_of(const pj_table *table, size_t column, size_t shown)
{
    enum { SENTENCE = 24, COMMAND = 40 };
    size_t most = table->columns[column].unit == PJ_UNIT_COMMAND ? COMMAND : SENTENCE, widest = 0;
    for (size_t row = 0; row < shown && widest < most; row++) {
        pj_cell cell = *pj_table_cell(table, row, column);
        size_t width = cell.kind == PJ_CELL_TEXT ? pj_utf8_columns(pj_str_of(cell.text)) : 0;
        if (width > widest)
            widest = width < most ? width : most;
    }
    return widest;
}

static void add_header(pj_buf *out, const pj_table *table, size_t shown,
                       const pj_column_text *forms, pj_render_opts opts)
{
    pj_buf_puts(out, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        const pj_column *column = &table->columns[i];
        pj_auto_buf title = {0};
        pj_column_text_title(&title, forms[i], column->title);
        pj_buf_addf(out,
                    "<th scope=\"col\" style=\"text-align:%s;padding:4px 10px;font-weight:600;"
                    "border-bottom:2px solid " PJ_HTML_RULE ";white-space:nowrap",
                    align_of(forms[i]));
        size_t room = room_of(table, i, shown);
        if (room)
            pj_buf_addf(out, ";min-width:%zuch", room);
        pj_buf_add_char(out, '"');
        if (!opts.plain)
            pj_html_tooltip(out, pj_str_of(column->help ? column->help : column->key));
        pj_buf_add_char(out, '>');
        pj_escape_html(out, pj_buf_str(&title));
        pj_buf_puts(out, "</th>");
    }
    pj_buf_puts(out, "</tr></thead>\n");
}

/// Blocks stand side by side on any page; a click takes the whole of a command.
static const char *font_of(const pj_column *column)
{
    return column->unit == PJ_UNIT_SPREAD    ? ";white-space:pre;letter-spacing:0;" PJ_HTML_BLOCKS
           : column->unit == PJ_UNIT_COMMAND ? ";font-family:monospace;user-select:all"
                                             : "";
}

/// Half of the page's own ink: read on light and dark pages (browsers before 2023 show the first
/// colour).
static const char *style_of(const pj_column *column, pj_cell cell)
{
    int trend = pj_column_text_trend(column, cell);
    return cell.kind == PJ_CELL_EMPTY ? ";opacity:.65"
           : trend > 0 ? ";color:#2c9455;color:color-mix(in srgb,currentColor,#18b35c)"
           : trend < 0 ? ";color:#d2473e;color:color-mix(in srgb,currentColor,#ff4b3e)"
                       : "";
}

static void add_colour(pj_buf *out, pj_colour colour)
{
    pj_buf_addf(out, "rgba(%u,%u,%u,%.2f)", colour >> 24, colour >> 16 & 255, colour >> 8 & 255,
                (colour & 255) / 255.0);
}

/// A bar behind the number, as long as the part of a whole.
static void add_bar(pj_buf *out, const pj_column *column, pj_cell cell)
{
    double length = pj_part_bar_length(column, cell);
    if (!(length > 0))
        return;
    pj_buf_puts(out, ";background:linear-gradient(90deg,");
    add_colour(out, pj_part_bar_of(cell.tone).colour);
    pj_buf_addf(out, " %.1f%%,transparent 0)", 100 * length);
}

static void add_row(pj_buf *out, const pj_table *table, size_t row, const pj_column_text *forms,
                    pj_render_opts opts)
{
    pj_buf_puts(out, "<tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        pj_cell cell = *pj_table_cell(table, row, i);
        pj_auto_buf text = {0};
        pj_column_text_cell(&text, forms[i], cell);
        pj_buf_addf(out,
                    "<td style=\"text-align:%s;padding:3px 10px;border-bottom:1px solid "
                    "rgba(128,128,128,.15)%s%s",
                    align_of(forms[i]), font_of(&table->columns[i]),
                    style_of(&table->columns[i], cell));
        if (!opts.plain)
            add_bar(out, &table->columns[i], cell);
        pj_buf_add_char(out, '"');
        pj_auto_buf exact = {0};
        pj_column_text_exact(&exact, &table->columns[i], cell, pj_buf_str(&text));
        if (!opts.plain && exact.len)
            pj_html_tooltip(out, pj_buf_str(&exact));
        pj_buf_add_char(out, '>');
        pj_escape_sentence(out, pj_buf_str(&text));
        pj_buf_puts(out, "</td>");
    }
    pj_buf_puts(out, "</tr>\n");
}

/// What the bars stand for, where they differ.
static void add_tones(pj_buf *out, const pj_table *table, size_t shown)
{
    unsigned there = pj_part_bar_tones(table, shown);
    if (!there)
        return;
    pj_buf_puts(out, "<p style=\"margin:4px 0;opacity:.8\">Bars:");
    for (unsigned t = 0; t < PJ_TONES; t++) {
        if (!(there >> t & 1))
            continue;
        pj_buf_puts(out, " <span aria-hidden=\"true\" style=\"display:inline-block;width:1.2em;"
                         "height:.8em;background-color:");
        add_colour(out, pj_part_bar_of(t).colour);
        pj_buf_addf(out, "\"></span> %s", pj_part_bar_of(t).said);
    }
    pj_buf_puts(out, "</p>\n");
}

static void render(const pj_table *table, pj_render_opts opts, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_column_text *forms = pj_column_texts_of(table, arena);
    size_t shown =
        opts.max_rows && opts.max_rows < table->row_count ? opts.max_rows : table->row_count;
    if (opts.page)
        pj_html_page_open(out, pj_str_of(table->title));
    pj_buf_puts(out, "<div style=\"" PJ_HTML_FONT ";overflow-x:auto\">\n");
    pj_html_title(out, pj_str_of(table->title));
    pj_buf_puts(out, "<table style=\"border-collapse:collapse;margin:0;font-size:13px\">\n");
    add_header(out, table, shown, forms, opts);
    pj_buf_puts(out, "<tbody>\n");
    for (size_t row = 0; row < shown && !pj_render_stopped(opts); row++)
        add_row(out, table, row, forms, opts);
    pj_buf_puts(out, "</tbody></table>\n");
    if (shown < table->row_count) {
        pj_auto_buf rest = {0};
        pj_buf_addf(&rest, "%zu of %zu rows", shown, table->row_count);
        pj_html_note(out, "", pj_buf_str(&rest));
    }
    if (!opts.plain)
        add_tones(out, table, shown);
    pj_str note = pj_str_of(table->note);
    while (note.len)
        pj_html_note(out, "", pj_str_cut(&note, '\n'));
    pj_buf_puts(out, "</div>\n");
    if (opts.page)
        pj_html_page_close(out);
}

const pj_renderer pj_renderer_html = {.name = "html",
                                      .title = "HTML",
                                      .mime = "text/html",
                                      .table = render,
                                      .metrics = pj_metrics_html};
