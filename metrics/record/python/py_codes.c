// A hash of code objects: linear probing, doubled when half full, rows of dead code taken out.
#include "metrics/record/python/py_codes.h"

#include "metrics/record/python/py_lines.h"
#include "metrics/record/python/py_name.h"
#include "metrics/record/rec_calls.h"
#include "metrics/record/rec_filter.h"
#include "metrics/record/rec_names.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 1024, CO_GENERATOR = 0x20, CO_COROUTINE = 0x80, CO_ASYNC_GENERATOR = 0x200 };

pj_py_codes pj_py_codes_seen;
static Py_ssize_t extra_index = -1;
static _Atomic uint64_t deaths;

static void put(pj_py_codes *codes, pj_py_code row)
{
    size_t at = pj_py_codes_place(row.code) & codes->mask;
    while (codes->rows[at].code)
        at = (at + 1) & codes->mask;
    codes->rows[at] = row;
    codes->used++;
}

/// Without memory the table stays as it is: it fills up to its last free row.
static void grow(pj_py_codes *codes)
{
    pj_py_codes larger = {.mask = 2 * codes->mask + 1, .all = codes->all};
    larger.rows = calloc(larger.mask + 1, sizeof *larger.rows);
    if (!larger.rows)
        return;
    for (size_t i = 0; i <= codes->mask; i++)
        if (codes->rows[i].code)
            put(&larger, codes->rows[i]);
    free(codes->rows);
    *codes = larger;
}

/// Closes the gap: rows behind it that were pushed away from their place move up.
static void take_out(pj_py_codes *codes, const void *code)
{
    const pj_py_code *row = pj_py_codes_find(code);
    if (!row)
        return;
    size_t gap = (size_t)(row - codes->rows);
    for (size_t at = (gap + 1) & codes->mask; codes->rows[at].code; at = (at + 1) & codes->mask) {
        size_t home = pj_py_codes_place(codes->rows[at].code) & codes->mask;
        if (((at - home) & codes->mask) >= ((at - gap) & codes->mask)) {
            codes->rows[gap] = codes->rows[at];
            gap = at;
        }
    }
    codes->rows[gap] = (pj_py_code){0};
    codes->used--;
}

uint64_t pj_py_codes_deaths(void)
{
    return atomic_load_explicit(&deaths, memory_order_relaxed);
}

static void on_death(void *code)
{
    atomic_fetch_add_explicit(&deaths, 1, memory_order_relaxed);
    take_out(&pj_py_codes_seen, code);
    if (pj_py.minor < 11)
        pj_py_name_forget(code);
}

/// Called when a call of the region ends.
static bool switch_off(uint32_t region)
{
    pj_py_codes *codes = &pj_py_codes_seen;
    bool found = false;
    for (size_t i = 0; i <= codes->mask; i++)
        if (codes->rows[i].code && codes->rows[i].region == region)
            codes->rows[i].off = found = true;
    return found;
}

bool pj_py_codes_init(bool all)
{
    pj_rec_filter_begin();
    pj_rec_calls_switch(switch_off);
    pj_py_codes *codes = &pj_py_codes_seen;
    if (!codes->rows) {
        codes->rows = calloc(FIRST_ROWS, sizeof *codes->rows);
        codes->mask = FIRST_ROWS - 1;
    }
    codes->all = all;
    if (extra_index < 0 && pj_py.new_code_extra)
        extra_index = pj_py.new_code_extra(on_death);
    return codes->rows != NULL;
}

/// `lines`: whether those of the function are recorded, too; then its number for them.
static uint32_t region_of(PyObject *code, PyObject *globals, uint32_t *lines)
{
    pj_py_name name;
    pj_py_name_of(code, globals, &name);
    const bool chosen = *lines || pj_py_lines_choose(name.name);
    *lines = 0;
    if (!chosen && ((!pj_py_codes_seen.all && pj_py_name_is_left_out(&name)) ||
                    pj_rec_filter_excludes(name.name, name.file)))
        return PJ_PY_NOT_RECORDED;
    uint32_t region = pj_rec_region(&(pj_rec_region_of){.name = name.name,
                                                        .file = name.file,
                                                        .first_line = name.first_line,
                                                        .last_line = name.last_line});
    if (region && chosen)
        *lines = pj_py_lines_of(code, region, name.first_line, name.last_line);
    return region ? region : PJ_PY_NOT_RECORDED;
}

/// Whether its death will be told. A table without that would take new code for old.
static bool watch(PyObject *code)
{
    bool ok = extra_index >= 0 && pj_py.set_code_extra(code, extra_index, code) == 0;
    PyErr_Clear();
    if (!ok)
        Py_INCREF(code); // it lives on, then
    return ok;
}

pj_py_code pj_py_codes_add(PyObject *code, PyObject *globals)
{
    pj_py_codes *codes = &pj_py_codes_seen;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    long flags = pj_py_number(code, "co_flags");
    if (pj_py.minor < 11 && flags >= 0 && !(flags & 1))
        pj_py_name_learn(code);
    uint32_t lines = 0;
    const uint32_t region = region_of(code, globals, &lines);
    pj_py_code row = {.code = code,
                      .region = region,
                      .lines = lines,
                      .makes_generator = flags > 0 && (flags & (CO_GENERATOR | CO_COROUTINE |
                                                                CO_ASYNC_GENERATOR))};
    if (2 * codes->used > codes->mask)
        grow(codes);
    if (codes->used < codes->mask && !pj_py_codes_find(code)) {
        watch(code);
        put(codes, row);
    }
    PyErr_Restore(type, value, trace);
    return row;
}

bool pj_py_codes_take_lines(PyObject *code, PyObject *globals)
{
    uint32_t lines = 1;
    if (!pj_py_codes_find(code))
        pj_py_codes_add(code, globals);
    pj_py_code *row = (pj_py_code *)pj_py_codes_find(code);
    const uint32_t region = row ? region_of(code, globals, &lines) : PJ_PY_NOT_RECORDED;
    if (region == PJ_PY_NOT_RECORDED || !lines)
        return false;
    row->region = region;
    row->lines = lines;
    return true;
}
