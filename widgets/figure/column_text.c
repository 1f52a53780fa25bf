// Numbers of a column as people read them.
// Chooses unit and decimals by the largest and the smallest value of a column.
#include "widgets/figure/column_text.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <math.h>

typedef struct scale {
    double from, factor;
    const char *unit;
} scale;

pj_column_text pj_column_text_unit(pj_unit unit, double largest)
{
    static const scale times[] = {
        {1e9, 1e-9, "s"}, {1e6, 1e-6, "ms"}, {1e3, 1e-3, "us"}, {0, 1, "ns"}};
    static const scale sizes[] = {
        {1e12, 1e-12, "TB"}, {1e9, 1e-9, "GB"}, {1e6, 1e-6, "MB"}, {1e3, 1e-3, "kB"}, {0, 1, "B"}};
    static const scale rates[] = {{1e12, 1e-12, "TB/s"},
                                  {1e9, 1e-9, "GB/s"},
                                  {1e6, 1e-6, "MB/s"},
                                  {1e3, 1e-3, "kB/s"},
                                  {0, 1, "B/s"}};
    static const scale core_times[] = {
        {1, 1, "core-hours"}, {1.0 / 60, 60, "core-minutes"}, {0, 3600, "core-seconds"}};
    static const scale *const scales[] = {[PJ_UNIT_NS] = times,
                                          [PJ_UNIT_BYTES] = sizes,
                                          [PJ_UNIT_RATE] = rates,
                                          [PJ_UNIT_CORE_HOURS] = core_times};
    const scale *rows = unit < sizeof scales / sizeof *scales ? scales[unit] : NULL;
    if (!rows)
        return (pj_column_text){.factor = 1, .unit = pj_unit_text_of(unit).shown};
    while (!(largest >= rows->from))
        rows++;
    return (pj_column_text){.factor = rows->factor, .unit = rows->unit};
}

typedef struct spread {
    double largest, smallest; // magnitudes; smallest of those that are not 0
    size_t count;
    bool whole; // no fractions
} spread;

static void spread_add(spread *s, double value)
{
    double magnitude = fabs(value);
    if (isnan(value))
        return;
    s->count++;
    s->whole = s->whole && magnitude < 9e15 && value == floor(value);
    s->largest = fmax(s->largest, magnitude);
    if (magnitude > 0)
        s->smallest = s->smallest > 0 ? fmin(s->smallest, magnitude) : magnitude;
}

static pj_column_text fit(pj_unit unit, spread s)
{
    pj_column_text form = pj_column_text_unit(unit, s.largest);
    double largest = s.largest * form.factor, smallest = s.smallest * form.factor;
    if (unit == PJ_UNIT_RATIO || unit == PJ_UNIT_CHANGE) {
        form.decimals = largest < 1000 ? 3 : -1;
        form.sign = unit == PJ_UNIT_CHANGE;
        return form;
    }
    int after = smallest > 0 ? 3 - (int)floor(log10(smallest)) - 1 : 0;
    form.integers = s.whole && form.factor == 1 && unit != PJ_UNIT_S;
    int before = largest >= 1 ? (int)floor(log10(largest)) + 1 : 1;
    form.decimals = form.integers ? 0 : before < 4 ? 4 - before : 1;
    if (form.integers)
        return form;
    if (after > form.decimals)
        form.decimals = after;
    if (largest >= 1e7 || form.decimals > 6)
        form.decimals = -1;
    return form;
}

pj_column_text pj_column_text_of(const pj_table *table, size_t column)
{
    spread s = {.whole = true};
    bool own = false; // units stand in the cells
    bool numbers = false;
    for (size_t row = 0; row < table->row_count; row++) {
        pj_cell cell = *pj_table_cell(table, row, column);
        own = own || cell.unit;
        numbers = numbers || cell.kind == PJ_CELL_INT || cell.kind == PJ_CELL_REAL;
        if (!cell.unit)
            spread_add(&s, pj_cell_number(cell));
    }
    pj_column_text form = fit(own && !s.count ? PJ_UNIT_NONE : table->columns[column].unit, s);
    if (table->decimals[column] && !own) {
        form.decimals = (int)table->decimals[column] - 1;
        form.integers = false;
    }
    form.left = table->columns[column].text && !numbers;
    return form;
}

const pj_column_text *pj_column_texts_of(const pj_table *table, pj_arena *arena)
{
    pj_column_text *forms = pj_new_n(arena, pj_column_text, table->column_count + 1);
    for (size_t i = 0; i < table->column_count; i++)
        forms[i] = pj_column_text_of(table, i);
    return forms;
}

pj_column_text pj_column_text_fit(pj_unit unit, const double *values, size_t count)
{
    spread s = {0};
    for (size_t i = 0; i < count; i++)
        spread_add(&s, values[i]);
    return fit(unit, s);
}

/// Four significant digits: the shortest of fixed and exponent form.
static size_t format_short(double value, char *out)
{
    double magnitude = fabs(value);
    if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e7)) {
        int exponent = (int)floor(log10(magnitude));
        size_t len = pj_format_fixed(value / pow(10, exponent), 3, out);
        out[len++] = 'e';
        return len + pj_format_grouped(exponent, out + len);
    }
    int before = magnitude >= 1 ? (int)floor(log10(magnitude)) + 1 : 0;
    return pj_format_fixed(value, before < 4 ? 4 - before : 0, out);
}

/// Whether a number is shown that is not 0.
static bool has_digit(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] >= '1' && text[i] <= '9')
            return true;
    return false;
}

/// "12433.7" -> "12,433.7": thousands, as of whole numbers.
static size_t format_grouped_fixed(double value, int decimals, char *out)
{
    char plain[48];
    size_t len = pj_format_fixed(value, decimals, plain), sign = plain[0] == '-', whole = sign,
           n = 0;
    while (whole < len && plain[whole] >= '0' && plain[whole] <= '9')
        whole++;
    for (size_t i = 0; i < len; i++) {
        if (i > sign && i < whole && (whole - i) % 3 == 0)
            out[n++] = ',';
        out[n++] = plain[i];
    }
    return n;
}

void pj_column_text_number(pj_buf *out, pj_column_text form, double value)
{
    char text[64];
    double shown = value * form.factor;
    size_t len;
    if (!isfinite(shown))
        len = pj_format_double(shown, text);
    else if (form.integers)
        len = pj_format_grouped((int64_t)shown, text);
    else if (form.decimals < 0)
        len = format_short(shown, text);
    else
        len = format_grouped_fixed(shown, form.decimals, text);
    bool more = form.sign && shown > 0 && has_digit(text, len);
    pj_buf_puts(out, more ? "+" : "");
    pj_buf_add(out, (pj_str){text, len});
}

void pj_column_text_slight(pj_buf *out, pj_column_text form, double value)
{
    double least = form.integers || form.decimals < 0 ? 0 : pow(10, -form.decimals);
    double shown = fabs(value * form.factor), residue = least * 1e-9; // of sums that are equal
    bool slight = shown > residue && shown < least / 2;
    pj_buf_puts(out, slight ? value > 0 ? "<" : ">" : "");
    pj_column_text_number(out, form, slight ? copysign(least, value) / form.factor : value);
}

/// A number with a unit of its own, which stands behind it.
static void add_quantity(pj_buf *out, pj_cell cell)
{
    spread s = {.whole = true};
    spread_add(&s, pj_cell_number(cell));
    pj_column_text form = fit(cell.unit, s);
    pj_column_text_number(out, form, pj_cell_number(cell));
    pj_buf_addf(out, "%s%s", *form.unit ? " " : "", form.unit);
}

void pj_column_text_cell(pj_buf *out, pj_column_text form, pj_cell cell)
{
    char text[32];
    bool number = cell.kind == PJ_CELL_INT || cell.kind == PJ_CELL_REAL;
    if (number && cell.unit) {
        add_quantity(out, cell);
        return;
    }
    switch (cell.kind) {
    case PJ_CELL_EMPTY:
        pj_buf_puts(out, cell.text ? "n/a" : "");
        break;
    case PJ_CELL_TEXT:
        pj_buf_puts(out, cell.text);
        break;
    case PJ_CELL_INT:
        if (form.integers)
            pj_buf_add(out, (pj_str){text, pj_format_grouped(cell.integer, text)});
        else
            pj_column_text_number(out, form, (double)cell.integer);
        break;
    case PJ_CELL_REAL:
        if (form.sign)
            pj_column_text_number(out, form, cell.real);
        else
            pj_column_text_slight(out, form, cell.real);
        break;
    }
}

void pj_column_text_exact(pj_buf *out, const pj_column *column, pj_cell cell, pj_str shown)
{
    char number[32];
    pj_str exact = {0};
    switch (cell.kind) {
    case PJ_CELL_EMPTY:
    case PJ_CELL_TEXT:
        exact = pj_str_of(cell.text);
        break;
    case PJ_CELL_INT:
        exact = (pj_str){number, pj_format_grouped(cell.integer, number)};
        break;
    case PJ_CELL_REAL:
        exact = (pj_str){number, pj_format_double(cell.real, number)};
        break;
    }
    if (!exact.len || pj_str_equal(exact, shown))
        return;
    bool number_shown = cell.kind == PJ_CELL_INT || cell.kind == PJ_CELL_REAL;
    pj_buf_addf(out, "%s: " PJ_STR_FMT, column->title, PJ_STR_ARG(exact));
    if (number_shown)
        pj_unit_text_add(out, cell.unit ? cell.unit : column->unit);
}

void pj_column_text_title(pj_buf *out, pj_column_text form, const char *title)
{
    pj_buf_puts(out, title);
    if (*form.unit)
        pj_buf_addf(out, " [%s]", form.unit);
}

int pj_column_text_trend(const pj_column *column, pj_cell cell)
{
    if (column->unit != PJ_UNIT_TREND || cell.kind != PJ_CELL_TEXT)
        return 0;
    if (strstr(cell.text, "better"))
        return 1;
    return strstr(cell.text, "worse") || strstr(cell.text, "regressed") ? -1 : 0;
}
