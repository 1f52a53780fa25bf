// Reference values: CSV files (RFC 4180) as tables of text.
#include "tests/support/csv.h"

#include "metrics/base/file.h"
#include "metrics/base/num.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <math.h>

/// Takes a cell off the text, in place; `*end`: it was the last of its row.
static pj_str take_cell(char **at, bool *end)
{
    char *from = *at, *to = from, *start = from;
    bool quoted = *from == '"';
    from += quoted;
    for (; *from; from++) {
        if (quoted && *from == '"' && from[1] != '"')
            quoted = false;
        else if (quoted && *from == '"')
            *to++ = *from++;
        else if (!quoted && (*from == ',' || *from == '\n'))
            break;
        else
            *to++ = *from;
    }
    *end = *from != ',';
    to -= *end && to > start && to[-1] == '\r';
    *at = *from ? from + 1 : from;
    return (pj_str){start, (size_t)(to - start)};
}

bool csv_read(const char *path, csv *out)
{
    pj_buf text = {.at = NULL};
    *out = (csv){.text = NULL};
    if (access(path, R_OK) != 0 || !pj_file_read(path, &text, NULL)) {
        print_message("skipped: %s is not there\n", path);
        return false;
    }
    size_t cap = 0, count = 0;
    out->text = text.at;
    for (char *at = text.at; *at;) {
        bool end;
        pj_grow(out->cells, &cap, count + 1);
        out->cells[count++] = take_cell(&at, &end);
        if (end && !out->columns)
            out->columns = count;
    }
    assert_int_equal(count % out->columns, 0);
    out->rows = count / out->columns - 1;
    return true;
}

void csv_free(csv *table)
{
    free(table->text);
    free(table->cells);
}

pj_str csv_cell(const csv *table, size_t row, const char *column)
{
    for (size_t i = 0; i < table->columns; i++)
        if (pj_str_equal(table->cells[i], pj_str_of(column)))
            return table->cells[(row + 1) * table->columns + i];
    fail_msg("no column %s", column);
    return PJ_S("");
}

double csv_number(const csv *table, size_t row, const char *column)
{
    double value;
    return pj_parse_double(csv_cell(table, row, column), &value) ? value : NAN;
}

void csv_of_real_tools(const char *path, csv *out)
{
    if (access(path, F_OK) != 0) {
        print_message("no data of real tools: %s\n", path);
        skip();
    }
    assert_true(csv_read(path, out));
}
