// The efficiency table in Markdown: depth by em spaces, which every renderer keeps.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/textlines.h"
#include "widgets/table/metrics_grid.h"
#include "widgets/table/render.h"

static void add_field(pj_buf *out, const char *text, const char *style)
{
    pj_buf_puts(out, "| ");
    pj_buf_puts(out, style);
    pj_escape_md(out, pj_str_of(text));
    pj_buf_puts(out, style);
    pj_buf_add_char(out, ' ');
}

static void add_header(pj_buf *out, const pj_grid *grid)
{
    if (grid->group_title) {
        pj_buf_puts(out, "| ");
        pj_escape_md(out, pj_str_of(grid->group_title));
        pj_buf_puts(out, " / ");
        pj_escape_md(out, pj_str_of(grid->label_title));
        pj_buf_add_char(out, ' ');
    } else {
        add_field(out, grid->label_title, "");
    }
    for (size_t i = 0; i < grid->column_count; i++) {
        const pj_grid_column *column = &grid->columns[i];
        pj_buf_puts(out, "| ");
        if (grid->group_title) {
            pj_escape_md(out, pj_str_of(grid->groups[column->group]));
            pj_buf_puts(out, " / ");
        }
        pj_escape_md(out, pj_str_of(column->label));
        pj_buf_add_char(out, ' ');
    }
    pj_buf_puts(out, "|\n|:---");
    pj_textlines_repeat(out, "|---:", grid->column_count);
    pj_buf_puts(out, "|\n");
}

static void add_row(pj_buf *out, const pj_grid *grid, size_t row)
{
    const pj_grid_row *r = &grid->rows[row];
    const char *style = r->depth == 0 && !r->residual ? "**" : r->residual ? "*" : "";
    pj_buf_puts(out, "| ");
    pj_textlines_repeat(out, "\u2003", r->depth);
    pj_buf_puts(out, style);
    pj_escape_md(out, pj_str_of(r->title));
    pj_buf_puts(out, style);
    pj_buf_add_char(out, ' ');
    for (size_t i = 0; i < grid->column_count; i++) {
        const pj_grid_cell *cell = pj_grid_at(grid, row, i);
        pj_buf_addf(out, "| %s%s ", cell->text, cell->mark);
    }
    pj_buf_puts(out, "|\n");
}

static void add_line(pj_buf *out, const char *mark, const char *text)
{
    pj_buf_addf(out, "\n%s", mark);
    pj_escape_md(out, pj_str_of(text));
    pj_buf_add_char(out, '\n');
}

void pj_metrics_md(const pj_metrics *metrics, pj_render_opts opts, pj_buf *out)
{
    (void)opts;
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_grid *grid = pj_grid_new(metrics, arena);
    pj_buf_puts(out, "**");
    pj_escape_md(out, pj_str_of(metrics->title));
    pj_buf_puts(out, "**\n\n");
    for (size_t i = 0; i < metrics->urgent; i++) {
        pj_buf_puts(out, "Warning: ");
        pj_escape_md(out, pj_str_of(metrics->remarks[i].text));
        pj_buf_puts(out, "\n\n");
    }
    add_header(out, grid);
    for (size_t row = 0; row < grid->row_count; row++)
        add_row(out, grid, row);
    if (grid->beyond_note)
        add_line(out, "", grid->beyond_note);
    for (size_t i = 0; i < grid->reason_count; i++)
        add_line(out, "n/a: ", grid->reasons[i]);
    if (metrics->note)
        add_line(out, "", metrics->note);
    for (size_t i = metrics->urgent; i < metrics->remark_count; i++)
        add_line(out, metrics->remarks[i].severity == PJ_NOTE ? "Note: " : "Warning: ",
                 metrics->remarks[i].text);
    if (metrics->study->count == 1)
        pj_buf_add_char(out, '\n');
    pj_render_overview(&pj_renderer_md, metrics, opts, out);
}
