// Markdown: a pipe table (GitHub's dialect, understood by pandoc).
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/escape.h"
#include "widgets/table/render.h"

static void add_header(pj_buf *out, const pj_table *table, const pj_column_text *forms)
{
    for (size_t i = 0; i < table->column_count; i++) {
        pj_auto_buf title = {0};
        pj_column_text_title(&title, forms[i], table->columns[i].title);
        pj_buf_puts(out, "| ");
        pj_escape_md(out, pj_buf_str(&title));
        pj_buf_add_char(out, ' ');
    }
    pj_buf_puts(out, "|\n");
    for (size_t i = 0; i < table->column_count; i++)
        pj_buf_puts(out, forms[i].left ? "|:---" : "|---:");
    pj_buf_puts(out, "|\n");
}

static void render(const pj_table *table, pj_render_opts opts, pj_buf *out)
{
    if (*table->title) {
        pj_buf_puts(out, "**");
        pj_escape_md(out, pj_str_of(table->title));
        pj_buf_puts(out, "**\n\n");
    }
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_column_text *forms = pj_column_texts_of(table, arena);
    if (table->column_count)
        add_header(out, table, forms);
    size_t shown =
        opts.max_rows && opts.max_rows < table->row_count ? opts.max_rows : table->row_count;
    for (size_t row = 0; row < shown && !pj_render_stopped(opts); row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            pj_auto_buf text = {0};
            pj_column_text_cell(&text, forms[i], *pj_table_cell(table, row, i));
            pj_buf_puts(out, "| ");
            pj_escape_md(out, pj_buf_str(&text));
            pj_buf_add_char(out, ' ');
        }
        pj_buf_puts(out, "|\n");
    }
    if (shown < table->row_count)
        pj_buf_addf(out, "\n%zu of %zu rows\n", shown, table->row_count);
    pj_str note = pj_str_of(table->note);
    while (note.len) {
        pj_buf_add_char(out, '\n');
        pj_escape_md(out, pj_str_cut(&note, '\n'));
        pj_buf_add_char(out, '\n');
    }
}

const pj_renderer pj_renderer_md = {.name = "md",
                                    .title = "Markdown",
                                    .mime = "text/markdown",
                                    .table = render,
                                    .metrics = pj_metrics_md};
