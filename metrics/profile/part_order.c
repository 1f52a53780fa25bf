// Choosing and sorting rows of lines, callers and callees, by the operations of any table.
#include "metrics/profile/part_order.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile_table.h"
#include "metrics/table/table.h"
#include "metrics/table/table_ops.h"

#include <inttypes.h>
#include <math.h>
#include <regex.h>

static void add_cell(const pj_table *table, size_t row, const char *key, const char *format,
                     pj_buf *out)
{
    int column = pj_table_column(table, pj_str_of(key));
    if (column < 0)
        return;
    pj_cell cell = *pj_table_cell(table, row, (size_t)column);
    if (cell.kind == PJ_CELL_TEXT)
        pj_buf_addf(out, format, cell.text);
    else if (cell.kind == PJ_CELL_INT)
        pj_buf_addf(out, ":%" PRId64, cell.integer);
}

/// Whether "file:line(function)" of a row matches the regex_t `context`.
static bool is_match(void *context, const pj_table *table, size_t row, pj_cell *out, pj_err *err)
{
    (void)err;
    pj_auto_buf label = {0};
    bool lines = pj_table_column(table, PJ_S("function_line")) >= 0;
    add_cell(table, row, "file", "%s", &label);
    add_cell(table, row, lines ? "function_line" : "line", "%s", &label);
    add_cell(table, row, "function", "(%s)", &label);
    *out = pj_cell_int(regexec(context, label.len ? label.at : "", 0, NULL, 0) == 0);
    return true;
}

static pj_table *matching(const pj_table *table, pj_str match, pj_err *err)
{
    regex_t pattern;
    char why[128];
    pj_auto_buf text = {0};
    pj_buf_add(&text, match);
    int status = regcomp(&pattern, text.at, REG_EXTENDED | REG_NOSUB);
    if (status != 0) {
        regerror(status, &pattern, why, sizeof why);
        pj_fail(err, PJ_E_USAGE, NULL, 0, "match: \"%s\" is no regular expression: %s", text.at,
                why);
        return NULL;
    }
    pj_table *out =
        pj_table_where(table, (pj_row_value){.call = is_match, .context = &pattern}, err);
    regfree(&pattern);
    return out;
}

/// Numbers stand largest first unless a key is turned, texts smallest first.
static pj_table *sorted(const pj_table *table, pj_str keys, const atomic_bool *stop, pj_err *err)
{
    enum { MOST = 16 };
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_str turned[MOST];
    size_t count = 0;
    while (keys.len && count < MOST) {
        pj_str key = pj_str_trim(pj_str_cut(&keys, ','));
        bool minus = pj_str_starts(key, PJ_S("-"));
        key = minus ? pj_str_from(key, 1) : key;
        int column = pj_table_column(table, key);
        bool number = column >= 0 && table->columns[column].text == PJ_TEXT_NONE;
        turned[count++] = pj_str_of(
            pj_arena_format(arena, "%s" PJ_STR_FMT, number != minus ? "-" : "", PJ_STR_ARG(key)));
    }
    return pj_table_sort(table, turned, count, stop, err);
}

static size_t first_of(const pj_table *table, const pj_profile_ask *ask)
{
    if (ask->first_part > 0)
        return (size_t)ceil(ask->first_part * (double)table->row_count);
    return ask->first && ask->first < table->row_count ? (size_t)ask->first : table->row_count;
}

pj_table *pj_part_order(const pj_table *table, const pj_profile_ask *ask, const atomic_bool *stop,
                        pj_err *err)
{
    pj_auto_table all = pj_table_head(table, table->row_count);
    pj_auto_table matched = ask->match.len ? matching(all, ask->match, err) : pj_table_hold(all);
    if (!matched)
        return NULL;
    pj_row_value where = {.formula = ask->where};
    pj_auto_table chosen =
        ask->where.len ? pj_table_where(matched, where, err) : pj_table_hold(matched);
    if (!chosen)
        return NULL;
    pj_auto_table ordered =
        ask->sort.len ? sorted(chosen, ask->sort, stop, err) : pj_table_hold(chosen);
    return ordered ? pj_table_head(ordered, first_of(ordered, ask)) : NULL;
}
