// Any table as a picture.
// Numbers stand right, texts left, a rule under the header; sentences in the last column are
// wrapped.
#include "widgets/table/table_picture.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/textbox.h"
#include "widgets/figure/textlines.h"
#include "widgets/table/part_bar.h"

#include <math.h>

static const double margin = 18, line_height = 16, row_gap = 6, column_gap = 22;
static const double most_text = 320, most_wrapped = 560, least_width = 200, bar_width = 64;
static const double legend_height = 18;
static const pj_colour better = 0x1e7a43ff, worse = 0xb3261eff;
static const pj_style head_style = {.bold = true};

typedef struct cell_text {
    const char *const *lines;
    size_t count;
} cell_text;

typedef struct sheet {
    const pj_table *table;
    const pj_draw *draw;
    pj_arena *arena; // the figure's
    pj_figure *figure;
    const pj_column_text *forms;
    size_t rows, columns; // that are drawn
    double *left, *width; // of columns
    cell_text *cells;     // rows * table->column_count
    double y;             // where the next part begins
    const atomic_bool *stop;
} sheet;

static bool is_stopped(const sheet *s)
{
    return s->stop && atomic_load_explicit(s->stop, memory_order_relaxed);
}

/// Sentences, those of the last column among them, and commands: nothing of them is left out.
static bool is_wrapped(const sheet *s, size_t column)
{
    pj_unit unit = s->table->columns[column].unit;
    return (column + 1 == s->table->column_count && s->table->columns[column].text) ||
           unit == PJ_UNIT_SENTENCE || unit == PJ_UNIT_COMMAND;
}

static cell_text *text_at(const sheet *s, size_t row, size_t column)
{
    return &s->cells[row * s->table->column_count + column];
}

static const char *header_of(const sheet *s, size_t column)
{
    pj_auto_buf title = {0};
    pj_column_text_title(&title, s->forms[column], s->table->columns[column].title);
    return pj_textbox_elide(s->draw, s->arena, pj_arena_text(s->arena, pj_buf_str(&title)),
                            head_style, most_text);
}

/// Lays a cell out in lines and widens its column. Digits are of one width: a number that is not
/// longer than the widest is not measured.
static void lay_cell(sheet *s, size_t row, size_t column, size_t *longest)
{
    const char **lines;
    pj_auto_buf text = {0};
    pj_column_text_cell(&text, s->forms[column], *pj_table_cell(s->table, row, column));
    const char *whole = pj_arena_text(s->arena, pj_buf_str(&text));
    size_t length = pj_utf8_columns(pj_buf_str(&text)), count = 1;
    if (is_wrapped(s, column)) {
        count = pj_textbox_wrap(s->draw, s->arena, whole, (pj_style){0}, most_wrapped, &lines);
    } else {
        lines = pj_new_n(s->arena, const char *, 1);
        lines[0] = whole;
    }
    bool text_column = s->table->columns[column].text;
    for (size_t i = 0; i < count && (text_column || length > *longest); i++) {
        double most = is_wrapped(s, column) ? most_wrapped : most_text;
        lines[i] = pj_textbox_elide(s->draw, s->arena, lines[i], (pj_style){0}, most);
        s->width[column] =
            fmax(s->width[column], pj_textbox_width(s->draw, lines[i], (pj_style){0}));
    }
    *longest = length > *longest ? length : *longest;
    *text_at(s, row, column) = (cell_text){lines, count};
}

static void lay_out(sheet *s)
{
    double x = margin;
    for (size_t column = 0; column < s->table->column_count; column++) {
        size_t longest = 0;
        s->width[column] = pj_textbox_width(s->draw, header_of(s, column), head_style);
        if (s->table->columns[column].unit == PJ_UNIT_PERCENT)
            s->width[column] = fmax(s->width[column], bar_width);
        for (size_t row = 0; row < s->rows && !is_stopped(s); row++)
            lay_cell(s, row, column, &longest);
        s->left[column] = x;
        x += s->width[column] + column_gap;
        if (column > 0 && x > PJ_PICTURE_WIDTH)
            return;
        s->columns = column + 1;
    }
}

static double row_height(const sheet *s, size_t row)
{
    size_t lines = 1;
    for (size_t i = 0; i < s->columns; i++)
        lines = text_at(s, row, i)->count > lines ? text_at(s, row, i)->count : lines;
    return (double)lines * line_height + row_gap;
}

static double right_of(const sheet *s)
{
    size_t last = s->columns;
    return last ? s->left[last - 1] + s->width[last - 1] : margin;
}

static void add_rule(sheet *s, double y, pj_colour colour, double width)
{
    pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                       .x = margin - 4,
                                       .y = y,
                                       .w = right_of(s) + 4,
                                       .h = y,
                                       .stroke = colour,
                                       .stroke_width = width});
}

static void put(sheet *s, size_t column, double y, const char *text, pj_style style)
{
    bool left = s->forms[column].left;
    style.anchor = left ? PJ_ANCHOR_START : PJ_ANCHOR_END;
    pj_textbox_put(s->figure, s->left[column] + (left ? 0 : s->width[column]), y, text, style);
}

static void add_hover(sheet *s, size_t column, double height, const char *text)
{
    pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                       .x = s->left[column],
                                       .y = s->y,
                                       .w = s->width[column],
                                       .h = height,
                                       .hover = text});
}

static void add_header(sheet *s)
{
    for (size_t i = 0; i < s->columns; i++) {
        const pj_column *column = &s->table->columns[i];
        put(s, i, s->y + 13, header_of(s, i), head_style);
        add_hover(s, i, line_height + row_gap, column->help ? column->help : column->key);
    }
    s->y += line_height + row_gap;
    add_rule(s, s->y - 1, PJ_RULE, 1.5);
}

static void add_bar(sheet *s, size_t column, pj_cell cell, double height)
{
    const double beside = 4; // of the number
    double length = pj_part_bar_length(&s->table->columns[column], cell);
    if (length > 0)
        pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                           .x = s->left[column] - beside,
                                           .y = s->y + 2,
                                           .w = length * (s->width[column] + 2 * beside),
                                           .h = height - 4,
                                           .fill = pj_part_bar_of(cell.tone).colour});
}

static void add_cell(sheet *s, size_t row, size_t column, double height)
{
    const cell_text *text = text_at(s, row, column);
    pj_cell cell = *pj_table_cell(s->table, row, column);
    add_bar(s, column, cell, height);
    int trend = pj_column_text_trend(&s->table->columns[column], cell);
    pj_style style = {.colour = cell.kind == PJ_CELL_EMPTY ? PJ_MUTED
                                : trend > 0                ? better
                                : trend < 0                ? worse
                                                           : PJ_INK};
    for (size_t i = 0; i < text->count; i++)
        put(s, column, s->y + 15 + (double)i * line_height, text->lines[i], style);
    pj_auto_buf exact = {0};
    pj_str shown = text->count == 1 ? pj_str_of(text->lines[0]) : pj_str_of(cell.text);
    pj_column_text_exact(&exact, &s->table->columns[column], cell, shown);
    if (exact.len)
        add_hover(s, column, height, exact.at);
}

static void add_rows(sheet *s)
{
    for (size_t row = 0; row < s->rows && !is_stopped(s); row++) {
        double height = row_height(s, row);
        for (size_t i = 0; i < s->columns; i++)
            add_cell(s, row, i, height);
        s->y += height;
        add_rule(s, s->y, PJ_GRID, 1);
    }
}

/// What the bars stand for, where they differ.
static void add_tones(sheet *s)
{
    const double swatch = 14, beside = 6;
    unsigned there = pj_part_bar_tones(s->table, s->rows);
    double x = margin;
    for (unsigned t = 0; t < PJ_TONES; t++) {
        if (!(there >> t & 1))
            continue;
        pj_part_bar bar = pj_part_bar_of(t);
        pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                           .x = x,
                                           .y = s->y + 8,
                                           .w = swatch,
                                           .h = 10,
                                           .fill = bar.colour});
        x += swatch + beside;
        pj_textbox_put(s->figure, x, s->y + 17, bar.said, pj_textbox_note);
        x += pj_textbox_width(s->draw, bar.said, pj_textbox_note) + swatch;
    }
    s->y += there ? legend_height : 0;
}

/// What stands under the rows.
typedef struct notes {
    const char **items;
    size_t count;
} notes;

static void note(notes *n, const char *text)
{
    n->items[n->count++] = text;
}

/// "500 of 2,000 rows": a picture is no place for all of them.
static void note_rest(const sheet *s, notes *n, const char *what, size_t shown, size_t all)
{
    if (shown < all)
        note(n, pj_arena_format(s->arena, "%zu of %zu %s are drawn; .csv and .html hold them all",
                                shown, all, what));
}

static notes notes_of(const sheet *s)
{
    const pj_table *table = s->table;
    pj_reasons reasons = {.arena = s->arena};
    for (size_t i = 0; i < s->rows * table->column_count; i++)
        if (table->cells[i].kind == PJ_CELL_EMPTY)
            pj_reasons_add(&reasons, table->cells[i].text);
    pj_str rest = pj_str_of(table->note);
    size_t most = 3 + reasons.count + 1;
    for (size_t i = 0; i < rest.len; i++)
        most += rest.at[i] == '\n';
    notes n = {.items = pj_new_n(s->arena, const char *, most)};
    if (table->row_count == 0)
        note(&n, "no rows");
    note_rest(s, &n, "rows", s->rows, table->row_count);
    note_rest(s, &n, "columns", s->columns, table->column_count);
    for (size_t i = 0; i < reasons.count; i++)
        note(&n, pj_arena_format(s->arena, "n/a  %s", reasons.items[i]));
    while (rest.len)
        note(&n, pj_arena_text(s->arena, pj_str_cut(&rest, '\n')));
    return n;
}

/// Height of the notes, by laying them out without putting them anywhere.
static double notes_height(const sheet *s, const notes *n, double width)
{
    size_t count = 0;
    const char **lines;
    for (size_t i = 0; i < n->count; i++)
        count += pj_textbox_wrap(s->draw, s->arena, n->items[i], pj_textbox_note, width, &lines);
    return count ? (double)count * PJ_TEXTBOX_LINE + 10 : 0;
}

/// Its size, and the title.
static void size_figure(sheet *s, const notes *n)
{
    const char *text = s->table->title;
    double title = pj_textbox_width(s->draw, text, pj_textbox_title_style);
    s->figure->width =
        ceil(fmax(fmax(right_of(s), least_width), margin + fmin(title, 700)) + margin);
    s->y = pj_textbox_title(s->figure, s->draw, margin, text);
    double height = s->y + line_height + row_gap;
    for (size_t row = 0; row < s->rows; row++)
        height += row_height(s, row);
    height += pj_part_bar_tones(s->table, s->rows) ? legend_height : 0;
    height += notes_height(s, n, s->figure->width - 2 * margin);
    s->figure->height = ceil(height + margin - 6);
}

static pj_figure *draw_table(const pj_table *table, const pj_draw *draw, const atomic_bool *stop)
{
    pj_figure *figure = pj_figure_new(0, 0, table->title);
    size_t rows = table->row_count < PJ_PICTURE_ROWS ? table->row_count : PJ_PICTURE_ROWS;
    size_t columns = table->column_count;
    sheet s = {.table = table,
               .draw = draw,
               .arena = figure->arena,
               .figure = figure,
               .rows = rows,
               .stop = stop,
               .forms = pj_column_texts_of(table, figure->arena),
               .left = pj_new_n(figure->arena, double, columns + 1),
               .width = pj_new_n(figure->arena, double, columns + 1),
               .cells = pj_new_n(figure->arena, cell_text, rows * columns + 1)};
    lay_out(&s);
    notes n = notes_of(&s);
    size_figure(&s, &n);
    double width = figure->width - 2 * margin;
    add_header(&s);
    add_rows(&s);
    add_tones(&s);
    s.y += 20;
    for (size_t i = 0; i < n.count; i++)
        s.y = pj_textbox_paragraph(figure, draw, (pj_point){margin, s.y}, width, n.items[i]);
    figure->summary = pj_arena_format(s.arena, "Table of %zu rows and %zu columns.",
                                      table->row_count, table->column_count);
    return figure;
}

pj_figure *pj_table_picture(const pj_table *table, const pj_draw *draw, const atomic_bool *stop)
{
    pj_auto_table shown = pj_table_without(table, PJ_TEXT_OF_MACHINES);
    return draw_table(shown ? shown : table, draw, stop);
}
