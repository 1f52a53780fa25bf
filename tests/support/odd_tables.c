// One maker per table.
#include "tests/support/odd_tables.h"

#include <float.h>
#include <math.h>

static const char *const odd_texts[] = {
    "plain",
    "a \"quoted\" word",
    "comma, semicolon; tab\t.",
    "two\nlines\r\nand a third",
    "<b>bold</b> & <script>alert('x')</script>",
    "| pipe | table | \\ backslash",
    "100 % of $5_000 #1 {braces} ~tilde^ `code` [link](x)",
    " blanks at both ends ",
    "",
    "\u65e5\u672c\u8a9e na\u00efve \u0394\u03c0 \U0001f680",
    "a_very_long_name_of_a_function::with<templates, and, more>::that_goes_on_and_on_and_on()",
    "]]> --> */ ?>",
    "=1+1",
    "\x1b[31mred\x7f \xc2\x9bJgone",
};

const char *pj_odd_text(size_t index)
{
    return index < sizeof odd_texts / sizeof *odd_texts ? odd_texts[index] : NULL;
}

static pj_table *without_columns(void)
{
    return pj_table_new("nothing");
}

static pj_table *without_rows(void)
{
    pj_table *table = pj_table_new("no rows");
    pj_table_add_column(table, (pj_column){.key = "a", .title = "A", .text = true});
    pj_table_add_column(table, (pj_column){.key = "b", .title = "B", .unit = PJ_UNIT_NS});
    return table;
}

static pj_table *one_cell(void)
{
    pj_table *table = pj_table_new("one");
    pj_table_add_column(table, (pj_column){.key = "n", .title = "N"});
    pj_table_add_row(table)[0] = pj_cell_int(42);
    return table;
}

static pj_table *odd(void)
{
    pj_table *table = pj_table_new("Odd <title> & \"quotes\" 100 %");
    table->note = "A note with | and <b> and\na line end.";
    pj_table_add_column(table, (pj_column){.key = "text", .title = "T|e<x>t", .text = true});
    pj_table_add_column(table, (pj_column){.key = "value",
                                           .title = "Value & unit",
                                           .help = "<help> \"me\"",
                                           .unit = PJ_UNIT_RATIO});
    for (size_t i = 0; pj_odd_text(i); i++) {
        pj_cell *row = pj_table_add_row(table);
        row[0] = pj_cell_text(pj_odd_text(i));
        row[1] = i % 2 ? pj_cell_real((double)i / 3) : pj_cell_empty("no <counter> & \"why\"");
    }
    pj_table_add_row(table)[0] = pj_cell_text("broken \xff\xc3( UTF-8 \x1b[31m");
    return table;
}

static pj_table *extremes(void)
{
    static const double reals[] = {0,       -0.0,    1,    -1,     1.0 / 3, 1e-300,  -1e300,
                                   DBL_MAX, DBL_MIN, 1e15, 123456, 0.1,     99999.5, 5e-324};
    static const int64_t integers[] = {0, -1, INT64_MAX, INT64_MIN, 1000, 999999, 1};
    pj_table *table = pj_table_new("extremes");
    for (unsigned unit = PJ_UNIT_NONE; unit <= PJ_UNIT_GHZ; unit++) {
        char key[] = {'r', (char)('0' + unit), 0};
        pj_table_add_column(table, (pj_column){.key = key, .title = key, .unit = (pj_unit)unit});
    }
    pj_table_add_column(table, (pj_column){.key = "i", .title = "i"});
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        pj_cell *row = pj_table_add_row(table);
        for (unsigned unit = PJ_UNIT_NONE; unit <= PJ_UNIT_GHZ; unit++)
            row[unit] = pj_cell_real(reals[i]);
        row[PJ_UNIT_GHZ + 1] = pj_cell_int(integers[i % 7]);
    }
    return table;
}

static pj_table *large(void)
{
    pj_table *table = pj_table_new("large");
    pj_table_add_column(table, (pj_column){.key = "name", .title = "Name", .text = true});
    pj_table_add_column(table, (pj_column){.key = "time", .title = "Time", .unit = PJ_UNIT_NS});
    pj_table_add_column(table, (pj_column){.key = "ipc", .title = "IPC"});
    pj_table_add_column(table, (pj_column){.key = "kind", .title = "Kind", .text = true});
    static const char *const kinds[] = {"compute", "halo", "reduce"};
    for (int i = 0; i < 2000; i++) {
        pj_cell *row = pj_table_add_row(table);
        row[0] = pj_cell_text(pj_arena_format(table->arena, "function_%d", i));
        row[1] = pj_cell_int(1000000 + i * 7919 % 100000);
        row[2] = pj_cell_real(1 + sin(i / 100.0) / 2);
        row[3] = pj_cell_text(kinds[i % 3]);
    }
    return table;
}

pj_table *pj_odd_table(size_t index)
{
    static pj_table *(*const makers[])(void) = {without_columns, without_rows, one_cell, odd,
                                                extremes,        large};
    return index < sizeof makers / sizeof *makers ? makers[index]() : NULL;
}
