// Values of a profile that is being made: columns of rows of locations, widened as locations come;
// series, events and metadata; and the end of it all.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/build_state.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/build/profile_check.h"
#include "metrics/profile/profile.h"

#include <float.h>
#include <stdlib.h>

uint32_t pj_build_measure(pj_build *b, pj_measure measure)
{
    pj_profile *p = b->p;
    uint32_t found = pj_profile_measure(p, pj_str_of(measure.key));
    if (found != PJ_NO_ITEM)
        return found;
    PJ_GROW_ARRAY(b, p->measures, &b->cap.measures, p->measure_count + (size_t)1);
    if (!b->ok || !pj_build_within(b, p->measure_count, PJ_BUILD_REGIONS, "metrics"))
        return PJ_NO_ITEM;
    measure.key = pj_arena_text(p->arena, pj_str_of(measure.key));
    measure.title = pj_arena_text(p->arena, pj_str_of(measure.title));
    measure.unit = pj_arena_text(p->arena, pj_str_of(measure.unit));
    if (measure.reason)
        measure.reason = pj_arena_text(p->arena, pj_str_of(measure.reason));
    p->measures[p->measure_count] = measure;
    return p->measure_count++;
}

void pj_build_expect(pj_build *b, pj_site site, size_t items)
{
    b->expected[site] = items;
}

uint32_t pj_build_column(pj_build *b, pj_site site, pj_value_part part, uint32_t measure,
                         bool whole)
{
    pj_profile *p = b->p;
    const pj_profile_column *found = pj_profile_find(p, site, part, measure);
    if (found)
        return (uint32_t)(found - p->columns);
    PJ_GROW_ARRAY(b, p->columns, &b->cap.columns, p->column_count + (size_t)1);
    PJ_GROW_ARRAY(b, b->column_rows, &b->column_rows_cap, p->column_count + (size_t)1);
    PJ_GROW_ARRAY(b, b->column_room, &b->column_room_cap, p->column_count + (size_t)1);
    if (!b->ok)
        return PJ_NO_ITEM;
    p->columns[p->column_count] =
        (pj_profile_column){.site = site, .part = part, .measure = measure, .whole = whole};
    b->column_rows[p->column_count] = b->column_room[p->column_count] = 0;
    return p->column_count++;
}

static void clear_cells(pj_profile_column *column, size_t from, size_t to)
{
    if (column->whole)
        for (size_t i = from; i < to; i++)
            column->integer[i] = PJ_ABSENT_WHOLE;
    else
        for (size_t i = from; i < to; i++)
            column->real[i] = NAN;
}

static bool make_room(pj_build *b, uint32_t number, size_t rows)
{
    pj_profile_column *column = &b->p->columns[number];
    size_t had = b->column_room[number];
    if (!b->stride)
        b->stride = b->p->location_count ? b->p->location_count : 1;
    if (rows > had && !pj_build_charge(b, (rows - had) * b->stride * sizeof(double)))
        return false;
    column->real = pj_resize_memory(column->real, rows * b->stride * sizeof(double));
    b->column_room[number] = rows;
    return true;
}

bool pj_build_set_rows(pj_build *b, uint32_t number, size_t rows)
{
    size_t had = b->column_rows[number];
    if (!make_room(b, number, rows))
        return false;
    b->column_rows[number] = rows;
    clear_cells(&b->p->columns[number], had * b->stride, rows * b->stride);
    return true;
}

/// Room grows by a half, and rows are cleared just before they are used: memory that nobody has
/// touched costs nothing.
static __attribute__((noinline)) bool widen(pj_build *b, uint32_t number, uint32_t item)
{
    enum { CELLS_AHEAD = 512 };
    size_t need = item + (size_t)item / 2 + 16, guess = b->expected[b->p->columns[number].site];
    if (item >= b->column_room[number] && !make_room(b, number, need > guess ? need : guess))
        return false;
    size_t had = b->column_rows[number], rows = item + 1 + CELLS_AHEAD / b->stride;
    b->column_rows[number] = rows = rows < b->column_room[number] ? rows : b->column_room[number];
    clear_cells(&b->p->columns[number], had * b->stride, rows * b->stride);
    return true;
}

/// Rows of `from` cells become rows of `to`; the bits of the cells are moved as they are.
static void change_stride(pj_profile_column *column, size_t rows, size_t from, size_t to)
{
    size_t keep = from < to ? from : to;
    if (to > from) {
        column->real = pj_resize_memory(column->real, rows * to * sizeof(double));
        for (size_t row = rows; row-- > 0;) {
            memmove(column->real + row * to, column->real + row * from, keep * sizeof(double));
            clear_cells(column, row * to + keep, (row + 1) * to);
        }
        return;
    }
    for (size_t row = 0; row < rows; row++)
        memmove(column->real + row * to, column->real + row * from, keep * sizeof(double));
    column->real = pj_resize_memory(column->real, rows * to * sizeof(double));
}

static bool restride(pj_build *b, uint32_t stride)
{
    if (stride == b->stride)
        return true;
    for (uint32_t c = 0; c < b->p->column_count; c++) {
        size_t rows = b->column_rows[c];
        if (stride > b->stride && !pj_build_charge(b, rows * (stride - b->stride) * sizeof(double)))
            return false;
        if (rows)
            change_stride(&b->p->columns[c], rows, b->stride, stride);
        b->column_room[c] = rows;
    }
    b->stride = stride;
    return true;
}

uint32_t pj_build_location(pj_build *b, pj_profile_location location)
{
    pj_profile *p = b->p;
    PJ_GROW_ARRAY(b, p->locations, &b->cap.locations, p->location_count + (size_t)1);
    if (!b->ok || !pj_build_within(b, p->location_count, PJ_BUILD_LOCATIONS, "ranks and threads"))
        return PJ_NO_ITEM;
    if (b->stride && p->location_count + 1 > b->stride && !restride(b, b->stride * 2))
        return PJ_NO_ITEM;
    p->locations[p->location_count] = location;
    return p->location_count++;
}

/// The cell to add to; false when there is none to add to.
static inline bool find_cell(pj_build *b, uint32_t number, uint32_t item, uint32_t location,
                             size_t *cell)
{
    if (!b->ok)
        return false;
    const pj_profile_column *column = &b->p->columns[number];
    if (column->site == PJ_AT_NODE && item & PJ_NODE_CUT) {
        if (column->part != PJ_EXCLUSIVE)
            return false;
        item &= ~PJ_NODE_CUT;
    }
    if (item >= b->column_rows[number] && !widen(b, number, item))
        return false;
    *cell = (size_t)item * b->stride + location;
    return true;
}

static pj_measure_fold fold_of(const pj_build *b, const pj_profile_column *column)
{
    return column->measure == PJ_NO_ITEM ? PJ_MEASURE_SUM : b->p->measures[column->measure].fold;
}

static __attribute__((noinline)) void fold_count(pj_build *b, uint32_t column, uint32_t item,
                                                 uint32_t location, int64_t value)
{
    size_t cell;
    if (!find_cell(b, column, item, location, &cell))
        return;
    pj_profile_column *at = &b->p->columns[column];
    if (!at->whole) {
        pj_build_add(b, column, item, location, (double)value);
        return;
    }
    if (value < 0 && at->measure == PJ_NO_ITEM) {
        pj_build_odd(b, PJ_ODDITY_calls_unknown, 0);
        return;
    }
    int64_t had = at->integer[cell], sum = value;
    if (had == PJ_ABSENT_WHOLE) {
        at->integer[cell] = value;
        return;
    }
    pj_measure_fold fold = fold_of(b, at);
    if (fold == PJ_MEASURE_SUM) {
        if (__builtin_add_overflow(had, value, &sum)) {
            pj_build_odd(b, PJ_ODDITY_large_value, 0);
            return;
        }
    } else {
        sum = (fold == PJ_MEASURE_MIN) == (value < had) ? value : had;
    }
    at->integer[cell] = sum;
}

static __attribute__((noinline)) void fold_real(pj_build *b, uint32_t column, uint32_t item,
                                                uint32_t location, double value)
{
    size_t cell;
    if (!find_cell(b, column, item, location, &cell))
        return;
    pj_profile_column *at = &b->p->columns[column];
    if (!isfinite(value)) {
        pj_build_odd(b, PJ_ODDITY_not_finite, 0);
        return;
    }
    if (value < 0 && at->measure == PJ_NO_ITEM) {
        pj_build_odd(b, PJ_ODDITY_calls_unknown, 0);
        return;
    }
    if (at->whole) {
        if (fabs(value) < 0x1p63)
            pj_build_count(b, column, item, location, llround(value));
        else
            pj_build_odd(b, PJ_ODDITY_large_value, 0);
        return;
    }
    double had = at->real[cell];
    if (isnan(had)) {
        at->real[cell] = value;
        return;
    }
    pj_measure_fold fold = fold_of(b, at);
    if (fold == PJ_MEASURE_SUM)
        at->real[cell] = had + value;
    else
        at->real[cell] = (fold == PJ_MEASURE_MIN) == (value < had) ? value : had;
}

static inline bool has_row(const pj_build *b, uint32_t column, uint32_t item)
{
    return b->ok && item < b->column_rows[column];
}

void pj_build_count(pj_build *b, uint32_t column, uint32_t item, uint32_t location, int64_t value)
{
    if (has_row(b, column, item) && value >= 0 && b->p->columns[column].whole) {
        int64_t *cell = &b->p->columns[column].integer[(size_t)item * b->stride + location];
        if (*cell == PJ_ABSENT_WHOLE) {
            *cell = value;
            return;
        }
    }
    fold_count(b, column, item, location, value);
}

void pj_build_add(pj_build *b, uint32_t column, uint32_t item, uint32_t location, double value)
{
    if (has_row(b, column, item) && value >= 0 && value <= DBL_MAX &&
        !b->p->columns[column].whole) {
        double *cell = &b->p->columns[column].real[(size_t)item * b->stride + location];
        if (isnan(*cell)) {
            *cell = value;
            return;
        }
    }
    fold_real(b, column, item, location, value);
}

void pj_build_make_real(pj_build *b, uint32_t measure)
{
    for (uint32_t c = 0; c < b->p->column_count; c++) {
        pj_profile_column *column = &b->p->columns[c];
        if (!column->whole || column->measure != measure)
            continue;
        column->whole = false;
        for (size_t i = 0, n = b->column_rows[c] * b->stride; i < n; i++) {
            int64_t value = column->integer[i];
            column->real[i] = value == PJ_ABSENT_WHOLE ? NAN : (double)value;
        }
    }
}

static bool is_absent(const pj_profile_column *column, size_t cell)
{
    return column->whole ? column->integer[cell] == PJ_ABSENT_WHOLE : isnan(column->real[cell]);
}

static void zero_above(pj_build *b, uint32_t number)
{
    const pj_profile *p = b->p;
    uint32_t nodes = p->count[PJ_AT_NODE];
    if (!nodes || !pj_build_set_rows(b, number, nodes))
        return;
    const pj_profile_column *column = &p->columns[number];
    for (uint32_t n = nodes; n-- > 0;) {
        size_t from = (size_t)n * b->stride, to = (size_t)p->nodes[n].parent * b->stride;
        for (uint32_t at = 0; p->nodes[n].parent != PJ_NO_ITEM && at < p->location_count; at++) {
            if (is_absent(column, from + at) || !is_absent(column, to + at))
                continue;
            if (column->whole)
                column->integer[to + at] = 0;
            else
                column->real[to + at] = 0;
        }
    }
}

void pj_build_zero_above(pj_build *b)
{
    for (uint32_t c = 0; b->ok && c < b->p->column_count; c++)
        if (b->p->columns[c].site == PJ_AT_NODE && b->p->columns[c].part == PJ_EXCLUSIVE)
            zero_above(b, c);
}

bool pj_build_all_rows(pj_build *b)
{
    for (uint32_t c = 0; b->ok && c < b->p->column_count; c++)
        if (!pj_build_set_rows(b, c, b->p->count[b->p->columns[c].site]))
            return false;
    return b->ok;
}

/// Values are finite: a sum that is no number has an absent one.
static void add_sums(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double sum = to[i] + from[i];
        if (!isnan(sum))
            to[i] = sum;
        else if (isnan(to[i]))
            to[i] = from[i];
    }
}

/// Adds cells in haste; false where one is absent, negative or too large.
static bool add_counts(int64_t *to, const int64_t *from, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits |= (uint64_t)to[i] | (uint64_t)from[i];
    if (bits > INT64_MAX / 2)
        return false;
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
    return true;
}

void pj_build_add_cells(pj_build *b, uint32_t column, uint32_t item, const pj_profile_column *from,
                        uint32_t from_item)
{
    size_t cell, count = b->p->location_count, first = (size_t)from_item * count;
    if (!find_cell(b, column, item, 0, &cell))
        return;
    const pj_profile_column *to = &b->p->columns[column];
    if (!to->whole && fold_of(b, to) == PJ_MEASURE_SUM && to->measure != PJ_NO_ITEM) {
        add_sums(to->real + cell, from->real + first, count);
        return;
    }
    if (to->whole && fold_of(b, to) == PJ_MEASURE_SUM &&
        add_counts(to->integer + cell, from->integer + first, count))
        return;
    for (uint32_t at = 0; at < count; at++)
        if (from->whole && from->integer[first + at] != PJ_ABSENT_WHOLE)
            pj_build_count(b, column, item, at, from->integer[first + at]);
        else if (!from->whole && !isnan(from->real[first + at]))
            pj_build_add(b, column, item, at, from->real[first + at]);
}

/// Most cells have a row that is empty so far; the others go the long way, which may move the rows.
static void put_counts(pj_build *b, uint32_t column, uint32_t location, pj_build_cells cells)
{
    const int64_t *from = cells.column->integer + cells.location;
    for (uint32_t i = cells.from; i < cells.to;) {
        const pj_profile_column *to = &b->p->columns[column];
        size_t rows = b->ok && to->whole ? b->column_rows[column] : 0, stride = b->stride;
        int64_t *out = rows ? to->integer + location : NULL, value = 0;
        uint32_t item = PJ_NO_ITEM;
        for (; i < cells.to; i++) {
            value = from[(size_t)i * cells.width];
            item = cells.map[i];
            if (item == PJ_NO_ITEM || value == PJ_ABSENT_WHOLE)
                continue;
            if (item >= rows || value < 0 || out[item * stride] != PJ_ABSENT_WHOLE)
                break;
            out[item * stride] = value;
        }
        if (i++ < cells.to)
            pj_build_count(b, column, item, location, value);
    }
}

static void put_reals(pj_build *b, uint32_t column, uint32_t location, pj_build_cells cells)
{
    const double *from = cells.column->real + cells.location;
    for (uint32_t i = cells.from; i < cells.to;) {
        const pj_profile_column *to = &b->p->columns[column];
        size_t rows = b->ok && !to->whole ? b->column_rows[column] : 0, stride = b->stride;
        double *out = rows ? to->real + location : NULL, value = 0;
        uint32_t item = PJ_NO_ITEM;
        for (; i < cells.to; i++) {
            value = from[(size_t)i * cells.width];
            item = cells.map[i];
            if (item == PJ_NO_ITEM || isnan(value))
                continue;
            if (item >= rows || !(value >= 0 && value <= DBL_MAX) || !isnan(out[item * stride]))
                break;
            out[item * stride] = value;
        }
        if (i++ < cells.to)
            pj_build_add(b, column, item, location, value);
    }
}

void pj_build_put_cells(pj_build *b, uint32_t column, uint32_t location, pj_build_cells cells)
{
    if (cells.from >= cells.to)
        return;
    if (cells.column->whole)
        put_counts(b, column, location, cells);
    else
        put_reals(b, column, location, cells);
}

static bool find_row(pj_build *b, uint32_t column, uint32_t item, size_t *cell)
{
    bool cut = item & PJ_NODE_CUT && b->ok && b->p->columns[column].site == PJ_AT_NODE;
    return !cut && find_cell(b, column, item, 0, cell);
}

double *pj_build_row(pj_build *b, uint32_t column, uint32_t item)
{
    size_t cell;
    return find_row(b, column, item, &cell) ? &b->p->columns[column].real[cell] : NULL;
}

int64_t *pj_build_row_whole(pj_build *b, uint32_t column, uint32_t item)
{
    size_t cell;
    return find_row(b, column, item, &cell) ? &b->p->columns[column].integer[cell] : NULL;
}

/// Rows of a column that has none yet: pages that nobody has touched are zeros and cost nothing.
static bool take_zeros(pj_build *b, uint32_t number, size_t rows)
{
    pj_profile_column *column = &b->p->columns[number];
    b->stride = b->stride ? b->stride : b->p->location_count ? b->p->location_count : 1;
    size_t size = rows * b->stride * sizeof(double);
    if (!pj_build_charge(b, size))
        return false;
    column->real = pj_take_zeros(size);
    b->column_rows[number] = b->column_room[number] = rows;
    return true;
}

static pj_profile_column *find_rows(pj_build *b, uint32_t number, uint32_t items, size_t *stride)
{
    if (!b->ok || b->column_rows[number] || !items || !take_zeros(b, number, items))
        return NULL;
    *stride = b->stride;
    return &b->p->columns[number];
}

double *pj_build_rows(pj_build *b, uint32_t column, uint32_t items, size_t *stride)
{
    pj_profile_column *at = find_rows(b, column, items, stride);
    return at ? at->real : NULL;
}

int64_t *pj_build_rows_whole(pj_build *b, uint32_t column, uint32_t items, size_t *stride)
{
    pj_profile_column *at = find_rows(b, column, items, stride);
    return at ? at->integer : NULL;
}

uint32_t pj_build_series(pj_build *b, uint32_t location, pj_str quantity, pj_str unit)
{
    pj_profile *p = b->p;
    PJ_GROW_ARRAY(b, p->series, &b->cap.series, p->series_count + (size_t)1);
    PJ_GROW_ARRAY(b, b->series_points, &b->series_points_cap, p->series_count + (size_t)1);
    uint32_t quantity_text = pj_build_text(b, quantity), unit_text = pj_build_text(b, unit);
    if (!b->ok || !pj_build_within(b, p->series_count, PJ_BUILD_REGIONS, "curves"))
        return PJ_NO_ITEM;
    b->series_points[p->series_count] = 0;
    p->series[p->series_count] =
        (pj_profile_series){.location = location, .quantity = quantity_text, .unit = unit_text};
    return p->series_count++;
}

void pj_build_point(pj_build *b, uint32_t series, double time, double value)
{
    if (!b->ok)
        return;
    pj_profile_series *at = &b->p->series[series];
    PJ_GROW_ARRAY(b, at->points, &b->series_points[series], at->count + 1);
    if (b->ok)
        at->points[at->count++] = (pj_profile_point){time, value};
}

void pj_build_bracket(pj_build *b, pj_profile_bracket bracket)
{
    pj_profile *p = b->p;
    PJ_GROW_ARRAY(b, p->brackets, &b->cap.brackets, p->bracket_count + (size_t)1);
    if (b->ok && pj_build_within(b, p->bracket_count, PJ_BUILD_NODES, "calls"))
        p->brackets[p->bracket_count++] = bracket;
}

void pj_build_phase(pj_build *b, pj_profile_phase phase)
{
    pj_profile *p = b->p;
    PJ_GROW_ARRAY(b, p->phases, &b->cap.phases, p->phase_count + (size_t)1);
    if (b->ok && pj_build_within(b, p->phase_count, PJ_BUILD_NODES, "phases"))
        p->phases[p->phase_count++] = phase;
}

void pj_build_event(pj_build *b, pj_profile_event event)
{
    pj_profile *p = b->p;
    PJ_GROW_ARRAY(b, p->events, &b->cap.events, p->event_count + (size_t)1);
    if (b->ok && pj_build_within(b, p->event_count, PJ_BUILD_NODES, "events"))
        p->events[p->event_count++] = event;
}

void pj_build_pair(pj_build *b, uint32_t location, pj_str key, pj_str value)
{
    pj_profile *p = b->p;
    uint32_t key_text = pj_build_text(b, key), value_text = pj_build_text(b, value);
    PJ_GROW_ARRAY(b, p->pairs, &b->cap.pairs, p->pair_count + (size_t)1);
    if (b->ok && pj_build_within(b, p->pair_count, PJ_BUILD_NODES, "metadata"))
        p->pairs[p->pair_count++] = (pj_profile_pair){location, key_text, value_text};
}

uint32_t pj_build_file(pj_build *b, const char *path)
{
    pj_profile *p = b->p;
    PJ_GROW_ARRAY(b, p->files, &b->cap.files, p->file_count + (size_t)1);
    if (!b->ok || !pj_build_within(b, p->file_count, PJ_BUILD_REGIONS, "files"))
        return PJ_NO_ITEM;
    p->files[p->file_count] = pj_arena_text(p->arena, pj_str_of(path));
    return p->file_count++;
}

/// Every array as long as what it holds.
static void trim(pj_build *b)
{
    pj_profile *p = b->p;
#define TRIM(array, n)                                                                             \
    ((array) = (n) ? pj_resize_memory((array), (n) * sizeof *(array)) : (free(array), NULL),       \
     p->bytes += (n) * sizeof *(array))
    TRIM(p->files, p->file_count);
    TRIM(p->texts, p->text_count);
    TRIM(p->groups, b->group_count);
    TRIM(p->regions, p->count[PJ_AT_REGION]);
    TRIM(p->nodes, p->count[PJ_AT_NODE]);
    TRIM(p->edges, p->count[PJ_AT_EDGE]);
    TRIM(p->lines, p->count[PJ_AT_LINE]);
    TRIM(p->locations, p->location_count);
    TRIM(p->measures, p->measure_count);
    TRIM(p->columns, p->column_count);
    TRIM(p->series, p->series_count);
    TRIM(p->brackets, p->bracket_count);
    TRIM(p->phases, p->phase_count);
    TRIM(p->events, p->event_count);
    TRIM(p->pairs, p->pair_count);
    for (uint32_t s = 0; s < p->series_count; s++)
        TRIM(p->series[s].points, p->series[s].count);
#undef TRIM
}

/// Every column has the rows of its site and the cells of its locations, no more and no less.
static bool settle_columns(pj_build *b)
{
    pj_profile *p = b->p;
    if (!pj_build_all_rows(b))
        return false;
    for (uint32_t c = 0; c < p->column_count; c++)
        p->bytes += b->column_rows[c] * p->location_count * sizeof(double);
    return restride(b, p->location_count ? p->location_count : 1);
}

void pj_build_is_checked(pj_build *b)
{
    b->checked = true;
}

pj_profile *pj_build_finish(pj_build *b, pj_err *err)
{
    if (b->ok && settle_columns(b)) {
        trim(b);
        if (!b->checked)
            pj_profile_check(b->p);
    }
    if (!b->ok) {
        if (err && err->code == PJ_E_NONE)
            *err = b->err;
        return NULL;
    }
    pj_profile *profile = b->p;
    b->p = NULL;
    b->ok = false;
    atomic_fetch_sub(&b->job->memory_used, b->charged);
    b->charged = 0;
    return profile;
}
