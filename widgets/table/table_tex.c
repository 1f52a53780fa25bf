// LaTeX: booktabs rules, shrunk to the line by adjustbox, longtable when it may pass a page. Both
// packages are in the preamble of nbconvert, where these fragments are put.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/table/table.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/escape.h"
#include "widgets/table/render.h"

enum { PAGE_ROWS = 45 };

static void add_columns(pj_buf *out, const pj_table *table, const pj_column_text *forms)
{
    pj_buf_puts(out, "{");
    for (size_t i = 0; i < table->column_count; i++)
        pj_buf_puts(out, forms[i].left ? "l" : "r");
    pj_buf_puts(out, "}\n\\toprule\n");
}

static void add_header(pj_buf *out, const pj_table *table, const pj_column_text *forms)
{
    for (size_t i = 0; i < table->column_count; i++) {
        pj_auto_buf title = {0};
        pj_column_text_title(&title, forms[i], table->columns[i].title);
        pj_buf_puts(out, i ? " & " : "");
        pj_escape_tex(out, pj_buf_str(&title));
    }
    pj_buf_puts(out, " \\\\\n\\midrule\n");
}

/// Blocks as rules: fonts of documents have none.
static void add_blocks(pj_buf *out, pj_str text)
{
    enum { NONE = 0x2580, FULL = 0x2588 };
    while (text.len) {
        uint32_t c = pj_utf8_next(&text);
        unsigned level = c > NONE && c <= FULL ? c - NONE : 0;
        if (level)
            pj_buf_addf(out, "\\rule{.35em}{.%uem}", level);
        else
            pj_buf_puts(out, "\\hspace*{.35em}");
    }
}

static void add_row(pj_buf *out, const pj_table *table, size_t row, const pj_column_text *forms)
{
    for (size_t i = 0; i < table->column_count; i++) {
        pj_auto_buf text = {0};
        pj_column_text_cell(&text, forms[i], *pj_table_cell(table, row, i));
        pj_buf_puts(out, i ? " & " : "");
        if (table->columns[i].unit == PJ_UNIT_SPREAD)
            add_blocks(out, pj_buf_str(&text));
        else
            pj_escape_tex(out, pj_buf_str(&text));
    }
    pj_buf_puts(out, " \\\\\n");
}

static void add_notes(pj_buf *out, const pj_table *table, size_t shown)
{
    if (shown < table->row_count)
        pj_buf_addf(out, "\\par{\\footnotesize %zu of %zu rows}\n", shown, table->row_count);
    pj_str note = pj_str_of(table->note);
    while (note.len) {
        pj_buf_puts(out, "\\par{\\footnotesize ");
        pj_escape_tex(out, pj_str_cut(&note, '\n'));
        pj_buf_puts(out, "}\n");
    }
}

static void render(const pj_table *table, pj_render_opts opts, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_column_text *forms = pj_column_texts_of(table, arena);
    size_t shown =
        opts.max_rows && opts.max_rows < table->row_count ? opts.max_rows : table->row_count;
    bool paged = shown > PAGE_ROWS;
    pj_buf_puts(out, "{\\small\n");
    if (*table->title) {
        pj_buf_puts(out, "\\noindent\\textbf{");
        pj_escape_tex(out, pj_str_of(table->title));
        pj_buf_puts(out, "}\\par\\nobreak\\smallskip\\nobreak\n");
    }
    if (table->column_count) {
        pj_buf_puts(out, paged ? "\\begin{longtable}"
                               : "\\noindent\\begin{adjustbox}{max width=\\linewidth}\n"
                                 "\\begin{tabular}");
        add_columns(out, table, forms);
        add_header(out, table, forms);
        pj_buf_puts(out, paged ? "\\endhead\n" : "");
        for (size_t row = 0; row < shown && !pj_render_stopped(opts); row++)
            add_row(out, table, row, forms);
        pj_buf_puts(out, paged ? "\\bottomrule\n\\end{longtable}\n"
                               : "\\bottomrule\n\\end{tabular}\n\\end{adjustbox}\n");
    }
    add_notes(out, table, shown);
    pj_buf_puts(out, "}\n");
}

const pj_renderer pj_renderer_tex = {.name = "tex",
                                     .title = "LaTeX",
                                     .mime = "text/latex",
                                     .table = render,
                                     .metrics = pj_metrics_tex};
