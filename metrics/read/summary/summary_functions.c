// Functions of the program: the longest of them, each with what it calls and alone; the others as
// one row, so that own times still add up to the run.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/read/summary/summary_vectors.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { BUDGET = 12000, MOST = 64, ROWS_MOST = 1 << 12 };

// Writing

/// Those that are known of a function: of all the same ones.
static json_t *write_names(const pj_functions *all)
{
    json_t *out = json_array();
    for (size_t row = 0; row < PJ_SUM_ROWS; row++) {
        bool known = false;
        for (uint32_t i = 0; i < all->count; i++)
            known |= isfinite(pj_sum_get(&all->items[i].whole.sums, row)) ||
                     isfinite(pj_sum_get(&all->items[i].own.sums, row));
        if (known)
            json_array_append_new(out, json_string(pj_sum_name(row)));
    }
    return out;
}

/// As a whole number where it is one.
static json_t *write_number(double value)
{
    const double exact = 9007199254740992; // 2^53
    if (!isfinite(value))
        return json_null();
    return value >= 0 && value < exact && value == floor(value) ? json_integer((json_int_t)value)
                                                                : json_real(value);
}

static json_t *write_use(const pj_function_use *use, const json_t *names)
{
    json_t *ideal =
        use->ideal_lacks ? pj_summary_text(use->ideal_lacks) : write_number(use->ideal_ns);
    json_t *out = json_pack("[I, I, I, o]", (json_int_t)use->time_ns, (json_int_t)use->longest_ns,
                            (json_int_t)use->ranks, ideal);
    size_t next = 0;
    for (size_t row = 0; row < PJ_SUM_ROWS; row++) {
        const char *name = json_string_value(json_array_get(names, next));
        if (!name || strcmp(name, pj_sum_name(row)) != 0)
            continue;
        json_array_append_new(out, write_number(pj_sum_get(&use->sums, row)));
        next++;
    }
    return out;
}

static json_t *write_function(const pj_function *f, const json_t *names)
{
    uint64_t span = f->last_ns > f->first_ns ? f->last_ns - f->first_ns : 0;
    json_t *own = write_use(&f->own, names), *whole = write_use(&f->whole, names);
    if (json_equal(own, whole)) { // it calls nothing
        json_decref(whole);
        whole = json_null();
    }
    return json_pack("[o, s, I, I, I, I, o, o]", pj_summary_text(f->name),
                     f->folded    ? "folded"
                     : f->outside ? "outside"
                                  : "function",
                     (json_int_t)f->instances, (json_int_t)span, (json_int_t)f->wait_ns,
                     (json_int_t)f->mpi_ns, own, whole);
}

typedef struct choice {
    uint64_t ns;
    uint32_t index;
} choice;

static int by_time(const void *a, const void *b)
{
    const choice *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/// Half of them the longest with what they call, the others the longest alone.
static void choose(const pj_functions *all, uint32_t most, bool *kept)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    choice *order = pj_new_n(arena, choice, all->count + 1);
    uint32_t count = 0, taken = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (!all->items[i].outside)
            order[count++] = (choice){all->items[i].whole.time_ns, i};
    qsort(order, count, sizeof *order, by_time);
    for (uint32_t i = 0; i < count && taken < most / 2; i++, taken++)
        kept[order[i].index] = true;
    for (uint32_t i = 0; i < all->count; i++)
        if (!all->items[i].outside && !kept[i] && taken < most) {
            kept[i] = true;
            taken++;
        }
}

static void fold(pj_function *into, const pj_function *f)
{
    pj_function_use *to = &into->own;
    into->instances += f->instances;
    into->wait_ns += f->wait_ns;
    into->mpi_ns += f->mpi_ns;
    to->time_ns += f->own.time_ns;
    to->sums.useful_sum += f->own.sums.useful_sum;
    to->sums.instructions += f->own.sums.instructions;
    to->sums.cycles += f->own.sums.cycles;
}

/// Rows of the `most` longest, of what is left of them, and of what is outside of any.
static json_t *write_rows(const pj_functions *all, uint32_t most, const json_t *names,
                          uint32_t *folded)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    bool *kept = pj_new_n(arena, bool, all->count + 1);
    pj_function rest = {.name = "all others", .outside = true, .folded = true};
    rest.own.ideal_lacks = "several functions";
    rest.own.sums = pj_sums_unknown();
    rest.own.sums.useful_sum = rest.own.sums.instructions = rest.own.sums.cycles = 0;
    json_t *rows = json_array(), *outside = json_array();
    *folded = 0;
    choose(all, most, kept);
    for (uint32_t i = 0; i < all->count; i++) {
        const pj_function *f = &all->items[i];
        if (f->outside || kept[i]) {
            json_array_append_new(f->outside ? outside : rows, write_function(f, names));
            continue;
        }
        fold(&rest, f);
        ++*folded;
    }
    rest.whole = rest.own;
    if (*folded)
        json_array_append_new(rows, write_function(&rest, names));
    json_array_extend(rows, outside);
    json_decref(outside);
    return rows;
}

static bool has_any(const pj_functions *all)
{
    for (uint32_t i = 0; all && i < all->count; i++)
        if (!all->items[i].outside)
            return true;
    return false;
}

static json_t *write(const pj_run *run, size_t budget)
{
    const pj_functions *all = run->functions;
    if (!has_any(all) || all->cut != PJ_CUT_FUNCTIONS)
        return NULL;
    json_t *out = json_pack("{s:o, s:b, s:b, s:I}", "sums", write_names(all), "instructions",
                            (int)all->instructions, "cycles", (int)all->cycles, "left_out",
                            (json_int_t)all->left_out);
    if (!all->waits)
        json_object_set_new(out, "waits_lack", pj_summary_text(all->waits_lack));
    for (uint32_t most = MOST; most > 1; most -= most / 4 > 0 ? most / 4 : 1) {
        uint32_t folded;
        json_object_set_new(out, "rows",
                            write_rows(all, most, json_object_get(out, "sums"), &folded));
        json_object_set_new(out, "folded", json_integer((json_int_t)folded));
        if (pj_summary_size(out) <= budget)
            return out;
    }
    json_decref(out);
    return NULL;
}

// Reading

static bool damaged(const pj_run *run, pj_err *err)
{
    return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: functions");
}

/// Which sum each number is; PJ_SUM_ROWS = one of another version.
typedef struct sum_names {
    size_t *rows;
    size_t count;
} sum_names;

static sum_names read_names(const json_t *from, pj_arena *arena)
{
    sum_names names = {.count = json_array_size(from)};
    names.rows = pj_new_n(arena, size_t, names.count + 1);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = json_string_value(json_array_get(from, i));
        size_t row = 0;
        while (row < PJ_SUM_ROWS && (!name || strcmp(name, pj_sum_name(row)) != 0))
            row++;
        names.rows[i] = row;
    }
    return names;
}

static bool read_use(json_t *from, const pj_run *run, const sum_names *names, pj_function_use *out)
{
    enum { COUNTS = 3, HEAD = COUNTS + 1 };
    json_int_t head[COUNTS];
    const json_t *ideal = json_array_get(from, COUNTS);
    if (json_array_size(from) != HEAD + names->count ||
        (!json_is_string(ideal) && !json_is_number(ideal)))
        return false;
    for (size_t i = 0; i < COUNTS; i++) {
        if (!json_is_integer(json_array_get(from, i)))
            return false;
        head[i] = json_integer_value(json_array_get(from, i));
        if (head[i] < 0)
            return false;
    }
    *out = (pj_function_use){.time_ns = (uint64_t)head[0],
                             .longest_ns = (uint64_t)head[1],
                             .ranks = (uint32_t)head[2],
                             .sums = pj_sums_unknown(),
                             .ideal_ns = json_number_value(ideal)};
    if (json_is_string(ideal))
        out->ideal_lacks = pj_arena_text(run->arena, pj_str_of(json_string_value(ideal)));
    for (size_t i = 0; i < names->count; i++) {
        const json_t *value = json_array_get(from, HEAD + i);
        if (names->rows[i] < PJ_SUM_ROWS && json_is_number(value))
            pj_sum_set(&out->sums, names->rows[i], json_number_value(value));
    }
    return head[2] <= run->layout.ranks;
}

static bool read_function(json_t *from, const pj_run *run, const sum_names *names, pj_function *out)
{
    const char *name, *kind;
    json_int_t instances, span, wait, mpi;
    json_t *own, *whole;
    if (json_unpack(from, "[s, s, I, I, I, I, o, o]", &name, &kind, &instances, &span, &wait, &mpi,
                    &own, &whole) != 0 ||
        instances < 0 || span < 0 || wait < 0 || mpi < 0)
        return false;
    *out = (pj_function){.name = pj_arena_text(run->arena, pj_str_of(name)),
                         .instances = (uint64_t)instances,
                         .last_ns = (uint64_t)span,
                         .wait_ns = (uint64_t)wait,
                         .mpi_ns = (uint64_t)mpi,
                         .folded = strcmp(kind, "folded") == 0,
                         .outside = strcmp(kind, "function") != 0};
    return read_use(own, run, names, &out->own) &&
           read_use(json_is_null(whole) ? own : whole, run, names, &out->whole);
}

static uint32_t count_at(const json_t *from, const char *key)
{
    json_int_t count = json_integer_value(json_object_get(from, key));
    return count > 0 && count <= UINT32_MAX ? (uint32_t)count : 0;
}

static bool read(json_t *from, pj_run *run, pj_err *err)
{
    json_t *rows = json_object_get(from, "rows"), *row;
    const char *lack = json_string_value(json_object_get(from, "waits_lack"));
    sum_names names = read_names(json_object_get(from, "sums"), run->arena);
    size_t count = json_array_size(rows), i;
    if (!json_is_array(rows) || count > ROWS_MOST || names.count > 2 * (size_t)PJ_SUM_ROWS)
        return damaged(run, err);
    pj_functions *all = pj_new(run->arena, pj_functions);
    *all = (pj_functions){.cut = PJ_CUT_FUNCTIONS,
                          .items = pj_new_n(run->arena, pj_function, count + 1),
                          .count = (uint32_t)count,
                          .left_out = count_at(from, "left_out"),
                          .folded = count_at(from, "folded"),
                          .waits = !lack,
                          .waits_lack = lack ? pj_arena_text(run->arena, pj_str_of(lack)) : NULL,
                          .instructions = json_is_true(json_object_get(from, "instructions")),
                          .cycles = json_is_true(json_object_get(from, "cycles"))};
    json_array_foreach(rows, i, row)
    {
        if (!read_function(row, run, &names, &all->items[i]))
            return damaged(run, err);
    }
    run->functions = all;
    pj_functions_make_parts(run, all);
    return true;
}

const pj_summary_part pj_summary_part_functions = {
    .name = "functions", .budget = BUDGET, .write = write, .read = read};
