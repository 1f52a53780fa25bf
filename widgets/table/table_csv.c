// CSV after RFC 4180: comma, quotes doubled, LF, UTF-8, the keys as header; no value = no text.
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/figure/escape.h"
#include "widgets/table/render.h"

static void add_cell(pj_buf *out, pj_cell cell)
{
    char number[32];
    switch (cell.kind) {
    case PJ_CELL_EMPTY:
        break;
    case PJ_CELL_TEXT:
        pj_escape_csv(out, pj_str_of(cell.text));
        break;
    case PJ_CELL_INT:
        pj_buf_addf(out, "%lld", (long long)cell.integer);
        break;
    case PJ_CELL_REAL:
        pj_buf_add(out, (pj_str){number, pj_format_double(cell.real, number)});
        break;
    }
}

static void render(const pj_table *table, pj_render_opts opts, pj_buf *out)
{
    for (size_t i = 0; i < table->column_count; i++) {
        pj_buf_puts(out, i ? "," : "");
        pj_escape_csv(out, pj_str_of(table->columns[i].key));
    }
    pj_buf_add_char(out, '\n');
    for (size_t row = 0; row < table->row_count && !pj_render_stopped(opts); row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            pj_buf_puts(out, i ? "," : "");
            add_cell(out, *pj_table_cell(table, row, i));
        }
        pj_buf_add_char(out, '\n');
    }
}

const pj_renderer pj_renderer_csv = {.name = "csv",
                                     .title = "Comma-separated values",
                                     .mime = "text/csv",
                                     .machines = true,
                                     .table = render};
