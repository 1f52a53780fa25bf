// Picks the parts that a name stands for.
#include "metrics/run/parts/parts_named.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/table/table_ops.h"

/// What is asked for.
typedef struct wanted {
    pj_str name;
    bool numbers;
    uint64_t first, last;
} wanted;

static wanted wanted_of(const char *name)
{
    wanted w = {.name = pj_str_of(name)};
    size_t dots = pj_str_find(w.name, '.');
    pj_str from = pj_str_head(w.name, dots), to = from;
    if (dots < w.name.len && pj_str_starts(pj_str_from(w.name, dots), PJ_S("..")))
        to = pj_str_from(w.name, dots + 2);
    w.numbers = pj_parse_u64(from, &w.first) && pj_parse_u64(to, &w.last);
    return w;
}

/// Whether `name` is among the functions of a call path, or several of them in turn.
static bool goes_through(pj_str path, pj_str name)
{
    for (size_t at = 0; at + name.len <= path.len; at++) {
        bool begins = at == 0 || path.at[at - 1] == '/';
        bool ends = at + name.len == path.len || path.at[at + name.len] == '/';
        if (begins && ends && pj_str_starts(pj_str_from(path, at), name))
            return true;
    }
    return false;
}

static bool is_wanted(const wanted *w, pj_cell cell)
{
    if (cell.kind == PJ_CELL_INT)
        return w->numbers && cell.integer >= 0 && (uint64_t)cell.integer >= w->first &&
               (uint64_t)cell.integer <= w->last;
    if (cell.kind != PJ_CELL_TEXT)
        return false;
    pj_str part = pj_str_of(cell.text);
    bool value =
        pj_str_starts(part, w->name) && part.len > w->name.len && part.at[w->name.len] == '=';
    return value || goes_through(part, w->name);
}

static bool test_row(void *context, const pj_table *table, size_t row, pj_cell *out, pj_err *err)
{
    (void)err;
    *out = pj_cell_int(is_wanted(context, *pj_table_cell(table, row, 0)));
    return true;
}

static bool fail_unknown(const pj_table *table, const char *name, pj_err *err)
{
    enum { SHOWN = 20 };
    pj_auto_buf known = {.at = NULL};
    pj_suggest suggest = {.word = pj_str_of(name)};
    for (size_t row = 0; row < table->row_count; row++) {
        const pj_cell *cell = pj_table_cell(table, row, 0);
        if (cell->kind == PJ_CELL_TEXT)
            pj_suggest_try(&suggest, cell->text);
    }
    pj_suggest_add(&suggest, &known);
    pj_buf_puts(&known, " there are");
    for (size_t row = 0; row < table->row_count && row < SHOWN; row++) {
        const pj_cell *cell = pj_table_cell(table, row, 0);
        pj_buf_puts(&known, row ? ", " : " ");
        if (cell->kind == PJ_CELL_TEXT)
            pj_buf_puts(&known, cell->text);
        else if (cell->kind == PJ_CELL_INT)
            pj_buf_addf(&known, "%lld", (long long)cell->integer);
    }
    if (table->row_count > SHOWN)
        pj_buf_addf(&known, " and %zu more", table->row_count - SHOWN);
    return pj_fail(err, PJ_E_MISSING, NULL, 0, "there is no part \"%s\"%s", name, known.at);
}

pj_table *pj_parts_named(const pj_table *table, const char *name, pj_err *err)
{
    wanted w = wanted_of(name);
    pj_auto_table found =
        pj_table_where(table, (pj_row_value){.call = test_row, .context = &w}, err);
    if (!found || (!found->row_count && !fail_unknown(table, name, err)))
        return NULL;
    found->title = pj_arena_format(found->arena, "%s: %s", table->title, name);
    return pj_table_hold(found);
}
