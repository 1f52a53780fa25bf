// The efficiency table in a terminal: the hierarchy as a tree, columns in blocks that fit.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/pop/metrics.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textlines.h"
#include "widgets/table/metrics_grid.h"
#include "widgets/table/render.h"

#include <string.h>

enum { GAP = 1, PAD = 1, LONGEST_LABEL = 24 };

typedef struct sheet {
    const pj_grid *grid;
    pj_arena *arena;
    pj_render_opts opts;
    const char **titles; // with tree marks
    size_t title_width;
    size_t *widths; // by column, with padding
} sheet;

/// Branches of the tree in front of row `row`: a line goes on below until the last row of its
/// depth.
static void add_branch(pj_buf *out, const pj_grid *grid, size_t row)
{
    unsigned depth = grid->rows[row].depth;
    for (unsigned level = 1; level <= depth; level++) {
        bool goes_on = false;
        for (size_t next = row + 1; next < grid->row_count; next++) {
            if (grid->rows[next].depth < level)
                break;
            goes_on = goes_on || grid->rows[next].depth == level;
        }
        if (level == depth)
            pj_buf_puts(out, goes_on ? "\u251c\u2500 " : "\u2514\u2500 ");
        else
            pj_buf_puts(out, goes_on ? "\u2502  " : "   ");
    }
}

static const char *title_of(const sheet *s, size_t row)
{
    pj_auto_buf text = {0};
    add_branch(&text, s->grid, row);
    pj_textlines_elide(&text, pj_str_of(s->grid->rows[row].title), 60);
    return pj_arena_text(s->arena, pj_buf_str(&text));
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static const char *cell_text(const sheet *s, size_t row, size_t column)
{
    const pj_grid_cell *cell = pj_grid_at(s->grid, row, column);
    return pj_arena_format(s->arena, "%s%s", cell->text, *cell->mark ? cell->mark : " ");
}

/// Whether what is cut off would tell two columns apart.
static bool cut_alike(const pj_grid *grid)
{
    for (size_t i = 1; i < grid->column_count; i++) {
        const char *left = grid->columns[i - 1].label, *right = grid->columns[i].label;
        pj_auto_buf a = {0}, b = {0};
        pj_textlines_elide(&a, pj_str_of(left), LONGEST_LABEL);
        pj_textlines_elide(&b, pj_str_of(right), LONGEST_LABEL);
        if (strcmp(left, right) != 0 && pj_str_equal(pj_buf_str(&a), pj_buf_str(&b)))
            return true;
    }
    return false;
}

/// Labels are cut where there are many: not if all fit, nor if they would be the same.
static size_t longest_label(const sheet *s, size_t room)
{
    size_t all = s->title_width;
    for (size_t i = 0; i < s->grid->column_count; i++)
        all += pj_utf8_columns(pj_str_of(s->grid->columns[i].label)) + 1 + PAD + GAP;
    if (all > room && !cut_alike(s->grid))
        return LONGEST_LABEL;
    size_t taken = s->title_width + 1 + PAD + GAP;
    return larger(LONGEST_LABEL, room > taken ? room - taken : 0);
}

static void measure(sheet *s, size_t room)
{
    const pj_grid *grid = s->grid;
    s->titles = pj_new_n(s->arena, const char *, grid->row_count + 1);
    s->widths = pj_new_n(s->arena, size_t, grid->column_count + 1);
    s->title_width = larger(pj_utf8_columns(pj_str_of(grid->label_title)),
                            pj_utf8_columns(pj_str_of(grid->group_title)));
    for (size_t row = 0; row < grid->row_count; row++) {
        s->titles[row] = title_of(s, row);
        s->title_width = larger(s->title_width, pj_utf8_columns(pj_str_of(s->titles[row])));
    }
    size_t longest = longest_label(s, room);
    for (size_t i = 0; i < grid->column_count; i++) {
        pj_auto_buf label = {0};
        pj_textlines_elide(&label, pj_str_of(grid->columns[i].label), longest);
        grid->columns[i].label = pj_arena_text(s->arena, pj_buf_str(&label));
        size_t width = pj_utf8_columns(pj_buf_str(&label)) + 1;
        for (size_t row = 0; row < grid->row_count; row++)
            width = larger(width, pj_utf8_columns(pj_str_of(cell_text(s, row, i))));
        s->widths[i] = width + PAD;
    }
}

static void add_padded(pj_buf *out, pj_str text, size_t width, bool right)
{
    size_t columns = pj_utf8_columns(text), pad = width > columns ? width - columns : 0;
    pj_textlines_repeat(out, " ", right ? pad : 0);
    pj_buf_add(out, text);
    pj_textlines_repeat(out, " ", right ? 0 : pad);
}

static void end_line(pj_buf *out)
{
    while (out->len && out->at[out->len - 1] == ' ')
        out->at[--out->len] = 0;
    pj_buf_add_char(out, '\n');
}

/// The group's name over its columns of this block, centred on a rule.
static void add_groups(const sheet *s, size_t first, size_t last, pj_buf *out)
{
    const pj_grid *grid = s->grid;
    add_padded(out, pj_str_of(grid->group_title), s->title_width, true);
    for (size_t i = first; i < last;) {
        size_t group = grid->columns[i].group, width = 0;
        for (; i < last && grid->columns[i].group == group; i++)
            width += s->widths[i] + GAP;
        pj_auto_buf name = {0};
        const char *text = *grid->groups[group] ? grid->groups[group] : "(none)";
        pj_textlines_elide(&name, pj_str_of(text), width - GAP - 1);
        size_t used = pj_utf8_columns(pj_buf_str(&name)), rest = width - GAP - 1 - used;
        bool ruled = rest >= 4;
        pj_textlines_repeat(out, " ", GAP + (ruled ? 1 : 1 + (rest + 1) / 2 + rest % 2));
        pj_textlines_repeat(out, "\u2500", ruled ? rest / 2 - 1 : 0);
        pj_buf_puts(out, ruled ? " " : "");
        pj_buf_add(out, pj_buf_str(&name));
        pj_buf_puts(out, ruled ? " " : "");
        if (ruled)
            pj_textlines_repeat(out, "\u2500", rest - rest / 2 - 1);
    }
    end_line(out);
}

static void add_header(const sheet *s, size_t first, size_t last, pj_buf *out)
{
    if (s->grid->group_title)
        add_groups(s, first, last, out);
    add_padded(out, pj_str_of(s->grid->label_title), s->title_width, true);
    for (size_t i = first; i < last; i++) {
        pj_auto_buf label = {0};
        pj_buf_addf(&label, "%s ", s->grid->columns[i].label);
        pj_textlines_repeat(out, " ", GAP);
        pj_buf_puts(out, s->opts.colour ? PJ_ANSI_BOLD : "");
        add_padded(out, pj_buf_str(&label), s->widths[i], true);
        pj_buf_puts(out, s->opts.colour ? PJ_ANSI_RESET : "");
    }
    end_line(out);
}

static void add_cell(const sheet *s, size_t row, size_t column, pj_buf *out)
{
    pj_textlines_repeat(out, " ", GAP);
    pj_str text = pj_str_of(cell_text(s, row, column));
    bool coloured = s->opts.colour && pj_grid_coloured(s->grid, row, column);
    if (coloured) {
        pj_terminal_pair pair =
            pj_palette_terminal(s->opts.palette, pj_grid_at(s->grid, row, column)->value,
                                s->grid->rows[row].kind == PJ_METRIC_INEFFICIENCY);
        pj_buf_addf(out, "\033[48;5;%um\033[38;5;%um", pair.fill, pair.ink);
    } else if (s->opts.colour && pj_grid_at(s->grid, row, column)->reason) {
        pj_buf_puts(out, PJ_ANSI_FAINT);
        coloured = true;
    }
    add_padded(out, text, s->widths[column], true);
    pj_buf_puts(out, coloured ? PJ_ANSI_RESET : "");
}

static void add_row(const sheet *s, size_t row, size_t first, size_t last, pj_buf *out)
{
    bool bold = s->opts.colour && s->grid->rows[row].depth == 0;
    pj_buf_puts(out, bold ? PJ_ANSI_BOLD : "");
    add_padded(out, pj_str_of(s->titles[row]), s->title_width, false);
    pj_buf_puts(out, bold ? PJ_ANSI_RESET : "");
    for (size_t i = first; i < last; i++)
        add_cell(s, row, i, out);
    end_line(out);
}

/// One block of columns from `first`; returns the first of the next block.
static size_t add_block(const sheet *s, size_t first, unsigned room, pj_buf *out)
{
    size_t width = s->title_width, last = first;
    do
        width += s->widths[last++] + GAP;
    while (last < s->grid->column_count && width + GAP + s->widths[last] <= room);
    add_header(s, first, last, out);
    pj_textlines_repeat(out, "\u2500", width);
    pj_buf_add_char(out, '\n');
    for (size_t row = 0; row < s->grid->row_count; row++)
        add_row(s, row, first, last, out);
    return last;
}

static void add_notes(const sheet *s, unsigned width, pj_buf *out)
{
    static const char *const marks[] = {
        [PJ_NOTE] = "\u2022 ", [PJ_WARNING] = "! ", [PJ_LOSS] = "! "};
    const pj_metrics *metrics = s->grid->metrics;
    pj_buf_add_char(out, '\n');
    if (s->grid->beyond_note)
        pj_textlines_wrap(out, "", pj_str_of(s->grid->beyond_note), width);
    for (size_t i = 0; i < s->grid->reason_count; i++)
        pj_textlines_wrap(out, "n/a: ", pj_str_of(s->grid->reasons[i]), width);
    if (metrics->note)
        pj_textlines_wrap(out, "", pj_str_of(metrics->note), width);
    for (size_t i = metrics->urgent; i < metrics->remark_count; i++)
        pj_textlines_wrap(out, marks[metrics->remarks[i].severity],
                          pj_str_of(metrics->remarks[i].text), width);
}

void pj_metrics_txt(const pj_metrics *metrics, pj_render_opts opts, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    sheet s = {.grid = pj_grid_new(metrics, arena), .arena = arena, .opts = opts};
    unsigned width = opts.width ? opts.width : 100;
    measure(&s, width);
    pj_textlines_title(out, pj_str_of(metrics->title), opts.colour);
    for (size_t i = 0; i < metrics->urgent; i++) {
        pj_textlines_wrap(out, "! ", pj_str_of(metrics->remarks[i].text), width);
        pj_buf_add_char(out, '\n');
    }
    for (size_t first = 0; first < s.grid->column_count;) {
        if (first > 0)
            pj_buf_add_char(out, '\n');
        first = add_block(&s, first, width, out);
    }
    add_notes(&s, width, out);
    if (metrics->study->count == 1)
        pj_buf_add_char(out, '\n');
    pj_render_overview(&pj_renderer_txt, metrics, opts, out);
}
