// The efficiency table in LaTeX. Cells are coloured by \colorbox, which needs xcolor alone: the
// preamble of nbconvert has no colortbl.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textlines.h"
#include "widgets/table/metrics_grid.h"
#include "widgets/table/render.h"

static void add_escaped(pj_buf *out, const char *before, const char *text, const char *after)
{
    pj_buf_puts(out, before);
    pj_escape_tex(out, pj_str_of(text));
    pj_buf_puts(out, after);
}

enum { BLOCK_LETTERS = 98, COLUMN_LETTERS = 7 }; // what stays readable on a page

/// The first column after `begin` that the page has no room for.
static size_t block_end(const pj_grid *grid, size_t begin)
{
    size_t letters = 0, end = begin;
    for (; end < grid->column_count; end++) {
        size_t label = strlen(grid->columns[end].label);
        letters += label > COLUMN_LETTERS ? label : COLUMN_LETTERS;
        if (end > begin && letters > BLOCK_LETTERS)
            break;
    }
    return end;
}

static void add_header(pj_buf *out, const pj_grid *grid, size_t begin, size_t end)
{
    if (grid->group_title) {
        add_escaped(out, "\\hfill ", grid->group_title, "");
        for (size_t i = begin; i < end;) {
            size_t first = i, group = grid->columns[i].group;
            while (i < end && grid->columns[i].group == group)
                i++;
            pj_buf_addf(out, " & \\multicolumn{%zu}{c}{", i - first);
            add_escaped(out, "", grid->groups[group], "}");
        }
        pj_buf_puts(out, " \\\\\n");
    }
    add_escaped(out, "\\hfill ", grid->label_title, "");
    for (size_t i = begin; i < end; i++)
        add_escaped(out, " & \\multicolumn{1}{c}{", grid->columns[i].label, "}");
    pj_buf_puts(out, " \\\\\n\\midrule\n");
}

static void add_cell(pj_buf *out, const pj_grid *grid, size_t row, size_t column,
                     pj_palette palette)
{
    const pj_grid_cell *cell = pj_grid_at(grid, row, column);
    if (!pj_grid_coloured(grid, row, column)) {
        pj_buf_addf(out, " & \\makebox[3.4em][c]{%s%s}", cell->reason ? "\\color{gray}" : "",
                    cell->text);
        return;
    }
    pj_colour fill = pj_grid_fill(grid, row, column, palette);
    pj_buf_addf(out,
                " & \\colorbox[HTML]{%06X}{\\makebox[3.2em][c]{\\strut\\color[HTML]{%06X}%s%s}}",
                fill >> 8, pj_palette_ink(fill) >> 8, cell->text,
                !*cell->mark                          ? ""
                : strcmp(cell->mark, PJ_GRID_UP) == 0 ? "\\rlap{$^{\\uparrow}$}"
                                                      : "\\rlap{$^{\\downarrow}$}");
}

static void add_title(pj_buf *out, const pj_grid *grid, size_t row)
{
    const pj_grid_row *r = &grid->rows[row];
    const char *style = r->residual ? "\\textit{" : r->depth == 0 ? "\\textbf{" : "{";
    pj_buf_addf(out, "\\hspace*{%u.2em}%s", r->depth, style);
    add_escaped(out, "", r->title, "}");
}

static void add_block(pj_buf *out, const pj_grid *grid, size_t begin, size_t end,
                      pj_palette palette)
{
    pj_buf_puts(out, "\\begin{adjustbox}{max width=\\linewidth}\n\\begin{tabular}{l@{\\quad}");
    pj_textlines_repeat(out, "c", end - begin);
    pj_buf_puts(out, "}\n\\toprule\n");
    add_header(out, grid, begin, end);
    for (size_t row = 0; row < grid->row_count; row++) {
        add_title(out, grid, row);
        for (size_t i = begin; i < end; i++)
            add_cell(out, grid, row, i, palette);
        pj_buf_puts(out, " \\\\\n");
    }
    pj_buf_puts(out, "\\bottomrule\n\\end{tabular}\n\\end{adjustbox}\\par\\nobreak\\smallskip\n");
}

static void add_notes(pj_buf *out, const pj_grid *grid)
{
    const pj_metrics *metrics = grid->metrics;
    pj_buf_puts(out, "{\\footnotesize\n");
    if (grid->beyond && strstr(grid->beyond, "above"))
        pj_buf_puts(out, "$\\uparrow$ above 1\\par\n");
    if (grid->beyond && strstr(grid->beyond, "below"))
        pj_buf_puts(out, "$\\downarrow$ below 0\\par\n");
    for (size_t i = 0; i < grid->reason_count; i++)
        add_escaped(out, "n/a: ", grid->reasons[i], "\\par\n");
    if (metrics->note)
        add_escaped(out, "", metrics->note, "\\par\n");
    for (size_t i = metrics->urgent; i < metrics->remark_count; i++)
        add_escaped(out, metrics->remarks[i].severity == PJ_NOTE ? "Note: " : "Warning: ",
                    metrics->remarks[i].text, "\\par\n");
    pj_buf_puts(out, "}\n");
}

void pj_metrics_tex(const pj_metrics *metrics, pj_render_opts opts, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_grid *grid = pj_grid_new(metrics, arena);
    pj_buf_puts(out, "{\\small\\setlength{\\fboxsep}{1.5pt}\\setlength{\\tabcolsep}{1.5pt}%\n"
                     "\\setlength{\\parindent}{0pt}%\n");
    add_escaped(out, "\\textbf{", metrics->title, "}\\par\\nobreak\\smallskip\\nobreak\n");
    for (size_t i = 0; i < metrics->urgent; i++)
        add_escaped(out, "Warning: ", metrics->remarks[i].text, "\\par\\smallskip\n");
    for (size_t first = 0; first < grid->column_count;) {
        size_t last = block_end(grid, first);
        add_block(out, grid, first, last, opts.palette);
        first = last;
    }
    add_notes(out, grid);
    pj_buf_puts(out, "}\n");
    if (metrics->study->count == 1)
        pj_buf_puts(out, "\\par\\bigskip\n");
    pj_render_overview(&pj_renderer_tex, metrics, opts, out);
}
