// Text for a terminal: numbers aligned on their points, units in the header. A table wider than
// the terminal is cut into blocks that repeat the leading columns; sentences, and texts of the last
// column, are wrapped; commands have blocks of their own and are never cut.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/table/table.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/textlines.h"
#include "widgets/table/render.h"

#include <math.h>
#include <stdint.h>

enum { GAP = 2, LONGEST = 48, NARROWEST = 24, BAR = 10, EIGHTHS = 8 };

/// A table's texts, cleaned and measured: texts[row * columns + column], row 0 is the header.
typedef struct sheet {
    const pj_table *table;
    pj_arena *arena;
    size_t rows; // with the header
    const char **texts;
    const pj_column_text *forms;
    size_t *widths; // by column
    bool colour;
} sheet;

static bool is_command(const pj_table *table, size_t column)
{
    return table->columns[column].unit == PJ_UNIT_COMMAND;
}

/// Whether a column may be wrapped to the room that is left: the last one, when it holds text.
static bool is_wrapped(const pj_table *table, size_t column)
{
    return column + 1 == table->column_count && table->columns[column].text &&
           !is_command(table, column);
}

static bool is_sentence(const pj_table *table, size_t column)
{
    return table->columns[column].unit == PJ_UNIT_SENTENCE && !is_wrapped(table, column);
}

static bool is_whole(const pj_table *table, size_t column)
{
    return is_wrapped(table, column) || is_sentence(table, column) || is_command(table, column);
}

static void keep(sheet *s, size_t row, size_t column, const pj_buf *raw)
{
    pj_auto_buf clean = {0};
    pj_textlines_elide(&clean, pj_buf_str(raw), is_whole(s->table, column) ? SIZE_MAX : LONGEST);
    size_t width = pj_utf8_columns(pj_buf_str(&clean));
    if (is_sentence(s->table, column) && width > LONGEST)
        width = LONGEST;
    s->texts[row * s->table->column_count + column] = pj_arena_text(s->arena, pj_buf_str(&clean));
    if (width > s->widths[column])
        s->widths[column] = width;
}

/// Blocks of a cell and eighths of it, as long as the part of a whole.
static void add_bar(pj_buf *out, double percent)
{
    static const char *const parts[EIGHTHS] = {"",       "\u258f", "\u258e", "\u258d",
                                               "\u258c", "\u258b", "\u258a", "\u2589"};
    double length = percent > 0 ? fmin(percent, 100) / 100 * BAR * EIGHTHS : 0;
    unsigned eighths = length > 0 && length < 1 ? 1 : (unsigned)lround(length);
    pj_textlines_repeat(out, "\u2588", eighths / EIGHTHS);
    pj_buf_puts(out, parts[eighths % EIGHTHS]);
    pj_textlines_repeat(out, " ", BAR - eighths / EIGHTHS - (eighths % EIGHTHS > 0));
}

/// Numbers keep their width and are followed by their bars.
static void add_bars(sheet *s, size_t column)
{
    size_t width = s->widths[column];
    for (size_t row = 0; row < s->rows; row++) {
        pj_auto_buf text = {0};
        const char **at = &s->texts[row * s->table->column_count + column];
        pj_textlines_repeat(&text, " ", width - pj_utf8_columns(pj_str_of(*at)));
        pj_buf_puts(&text, *at);
        pj_buf_add_char(&text, ' ');
        add_bar(&text, row ? pj_cell_number(*pj_table_cell(s->table, row - 1, column)) : 0);
        *at = pj_arena_text(s->arena, pj_buf_str(&text));
    }
    s->widths[column] += 1 + BAR;
}

/// Not whole where it is stopped.
static sheet sheet_of(const pj_table *table, pj_arena *arena, size_t rows, pj_render_opts opts)
{
    sheet s = {.table = table, .arena = arena, .rows = rows + 1};
    size_t n = table->column_count;
    s.texts = pj_new_n(arena, const char *, s.rows *n + 1);
    s.widths = pj_new_n(arena, size_t, n + 1);
    s.forms = pj_column_texts_of(table, arena);
    for (size_t column = 0; column < n; column++) {
        pj_auto_buf title = {0};
        pj_column_text_title(&title, s.forms[column], table->columns[column].title);
        keep(&s, 0, column, &title);
        for (size_t row = 0; row < rows && !pj_render_stopped(opts); row++) {
            pj_auto_buf text = {0};
            pj_column_text_cell(&text, s.forms[column], *pj_table_cell(table, row, column));
            keep(&s, row + 1, column, &text);
        }
        if (opts.colour && !pj_render_stopped(opts) &&
            table->columns[column].unit == PJ_UNIT_PERCENT)
            add_bars(&s, column);
    }
    return s;
}

/// Columns that tell rows apart: the leading ones without a unit, at most two.
static size_t leading_columns(const pj_table *table)
{
    size_t n = 0;
    for (; n < 2 && n + 1 < table->column_count; n++)
        if (table->columns[n].unit != PJ_UNIT_NONE && table->columns[n].unit != PJ_UNIT_IDENTIFIER)
            break;
    return n;
}

static int trend_of(const sheet *s, size_t row, size_t column)
{
    return pj_column_text_trend(&s->table->columns[column], *pj_table_cell(s->table, row, column));
}

/// A line of a text that is wider than its column; `more`: there is another.
static pj_str line_of(const sheet *s, size_t column, pj_str text, size_t line, bool *more)
{
    pj_auto_buf lines = {0}, elided = {0};
    pj_str at = PJ_S("");
    pj_textlines_wrap(&lines, "", text, s->widths[column]);
    pj_str rest = pj_buf_str(&lines);
    for (size_t i = 0; i <= line; i++)
        at = rest.len ? pj_str_cut(&rest, '\n') : PJ_S("");
    *more = *more || rest.len;
    pj_textlines_elide(&elided, at, is_sentence(s->table, column) ? s->widths[column] : SIZE_MAX);
    return pj_str_of(pj_arena_text(s->arena, pj_buf_str(&elided)));
}

/// A line of a cell, as wide as its column.
static void add_text(const sheet *s, size_t row, size_t column, size_t line, bool *more,
                     pj_buf *out)
{
    pj_str text = pj_str_of(s->texts[row * s->table->column_count + column]);
    size_t room = s->widths[column];
    if (pj_utf8_columns(text) > room)
        text = line_of(s, column, text, line, more);
    else if (line)
        text = PJ_S("");
    size_t width = pj_utf8_columns(text), pad = width < room ? room - width : 0;
    bool left = s->forms[column].left;
    bool faint =
        s->colour && row > 0 && pj_table_cell(s->table, row - 1, column)->kind == PJ_CELL_EMPTY;
    pj_textlines_repeat(out, " ", left ? 0 : pad);
    int trend = s->colour && row > 0 ? trend_of(s, row - 1, column) : 0;
    const char *style = !text.len               ? ""
                        : s->colour && row == 0 ? PJ_ANSI_BOLD
                        : faint                 ? PJ_ANSI_FAINT
                        : trend > 0             ? PJ_ANSI_GREEN
                        : trend < 0             ? PJ_ANSI_RED
                                                : "";
    pj_buf_puts(out, style);
    pj_buf_add(out, text);
    pj_buf_puts(out, *style ? PJ_ANSI_RESET : "");
    pj_textlines_repeat(out, " ", left ? pad : 0);
}

/// The last column takes the room that the others leave, and not more than it needs.
static void fit_last(sheet *s, size_t room)
{
    size_t last = s->table->column_count, used = 0;
    if (!last || !is_wrapped(s->table, --last))
        return;
    for (size_t i = 0; i < last; i++)
        used += s->widths[i] + GAP;
    size_t left = room > used + NARROWEST ? room - used : LONGEST;
    if (s->widths[last] > left)
        s->widths[last] = left;
}

/// A row, in as many lines as its texts have.
static void add_line(const sheet *s, size_t row, size_t lead, size_t first, size_t last,
                     pj_buf *out)
{
    bool more = true;
    for (size_t line = 0; more; line++) {
        more = false;
        for (size_t i = 0; i < lead; i++) {
            add_text(s, row, i, line, &more, out);
            pj_textlines_repeat(out, " ", GAP);
        }
        for (size_t i = first; i < last; i++) {
            add_text(s, row, i, line, &more, out);
            pj_textlines_repeat(out, " ", i + 1 < last ? GAP : 0);
        }
        while (out->len && out->at[out->len - 1] == ' ')
            out->at[--out->len] = 0;
        pj_buf_add_char(out, '\n');
    }
}

/// Whether a column stands beside the one before it.
static bool stands_beside(const pj_table *table, size_t column)
{
    return column < table->column_count && !is_command(table, column) &&
           !is_command(table, column - 1);
}

/// One block of columns first..last-1 after the leading ones; returns the first of the next.
static size_t add_block(const sheet *s, size_t lead, size_t first, unsigned room, pj_buf *out)
{
    size_t width = 0, last = first;
    for (size_t i = 0; i < lead; i++)
        width += s->widths[i] + GAP;
    do
        width += s->widths[last++] + GAP;
    while (stands_beside(s->table, last) && width + s->widths[last] <= room);
    add_line(s, 0, lead, first, last, out);
    pj_textlines_repeat(out, "\u2500", width - GAP < room ? width - GAP : room);
    pj_buf_add_char(out, '\n');
    for (size_t row = 1; row < s->rows; row++)
        add_line(s, row, lead, first, last, out);
    return last;
}

/// "n/a: reason" once for each reason.
static void add_reasons(const sheet *s, unsigned width, pj_buf *out)
{
    pj_reasons reasons = {.arena = s->arena};
    size_t cells = (s->rows - 1) * s->table->column_count;
    for (size_t i = 0; i < cells; i++)
        if (s->table->cells[i].kind == PJ_CELL_EMPTY)
            pj_reasons_add(&reasons, s->table->cells[i].text);
    for (size_t i = 0; i < reasons.count; i++)
        pj_textlines_wrap(out, "n/a  ", pj_str_of(reasons.items[i]), width);
}

static void render(const pj_table *table, pj_render_opts opts, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    unsigned width = opts.width ? opts.width : 100;
    size_t shown =
        opts.max_rows && opts.max_rows < table->row_count ? opts.max_rows : table->row_count;
    sheet s = sheet_of(table, arena, shown, opts);
    if (pj_render_stopped(opts))
        return;
    s.colour = opts.colour;
    fit_last(&s, width);
    if (*table->title)
        pj_textlines_title(out, pj_str_of(table->title), opts.colour);
    size_t lead = leading_columns(table);
    for (size_t first = lead; first < table->column_count;) {
        if (first > lead)
            pj_buf_add_char(out, '\n');
        first = add_block(&s, lead, first, width, out);
    }
    if (table->row_count == 0)
        pj_buf_puts(out, "no rows\n");
    if (shown < table->row_count)
        pj_buf_addf(out, "\u2026 %zu of %zu rows\n", shown, table->row_count);
    add_reasons(&s, width, out);
    pj_str note = pj_str_of(table->note);
    while (note.len)
        pj_textlines_wrap(out, "", pj_str_cut(&note, '\n'), width);
}

const pj_renderer pj_renderer_txt = {.name = "txt",
                                     .title = "Text",
                                     .mime = "text/plain",
                                     .table = render,
                                     .metrics = pj_metrics_txt};
