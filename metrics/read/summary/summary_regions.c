// OpenMP regions: sums exactly, instances when all of them fit.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/read/summary/summary_vectors.h"
#include "metrics/run/regions.h"
#include "metrics/run/run.h"

#include <stdlib.h>

enum { COLUMNS = 8 };

static json_t *write_sum(const pj_region_sum *sum, const char *name)
{
    return json_pack("[o, I, I, I, I, f, f, f, f]", pj_summary_text(name),
                     (json_int_t)sum->instances, (json_int_t)sum->length_ns,
                     (json_int_t)sum->total_ns, (json_int_t)sum->max_ns, sum->delay_ns,
                     sum->region_delay_ns, sum->mean_ns, sum->weighted_mean);
}

static void add_sum(pj_region_sum *into, const pj_region_sum *sum)
{
    into->instances += sum->instances;
    into->length_ns += sum->length_ns;
    into->total_ns += sum->total_ns;
    into->max_ns = sum->max_ns > into->max_ns ? sum->max_ns : into->max_ns;
    into->delay_ns += sum->delay_ns;
    into->region_delay_ns += sum->region_delay_ns;
    into->mean_ns += sum->mean_ns;
    into->weighted_mean += sum->weighted_mean;
}

static int by_cost(const void *a, const void *b)
{
    const pj_region_sum *x = *(const pj_region_sum *const *)a,
                        *y = *(const pj_region_sum *const *)b;
    if (x->region_delay_ns != y->region_delay_ns)
        return x->region_delay_ns > y->region_delay_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

/// The `kept` costliest in full, what is left of them as one further sum.
static json_t *write_costliest(const pj_region_sum *const *order, uint32_t count, uint32_t kept)
{
    json_t *out = json_array();
    pj_region_sum rest = {.name = "all others"};
    for (uint32_t i = 0; i < count; i++)
        if (i < kept)
            json_array_append_new(out, write_sum(order[i], order[i]->name));
        else
            add_sum(&rest, order[i]);
    if (kept < count)
        json_array_append_new(out, write_sum(&rest, rest.name));
    return out;
}

static json_t *write_sums(const pj_region_sum *sums, uint32_t count, size_t budget)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_region_sum **order = pj_new_n(arena, const pj_region_sum *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        order[i] = &sums[i];
    json_t *out = write_costliest(order, count, count); // instances name them by number
    uint32_t kept = count;
    if (pj_summary_size(out) > budget)
        qsort(order, count, sizeof(const pj_region_sum *), by_cost);
    while (kept > 0 && pj_summary_size(out) > budget) {
        json_decref(out);
        kept /= 2;
        out = write_costliest(order, count, kept);
    }
    return out;
}

static json_t *write(const pj_run *run, size_t budget)
{
    const pj_regions *regions = run->openmp_regions;
    if (!regions)
        return NULL;
    return json_pack(
        "{s:I, s:o, s:o}", "instances", (json_int_t)regions->count + (json_int_t)regions->left_out,
        "functions", write_sums(regions->functions, regions->function_count, budget / 2),
        "locations", write_sums(regions->locations, regions->location_count, budget / 2));
}

/// Instances as vectors over one rank of `count` items, zeroed.
static pj_summary_vectors by_instance(uint32_t count, pj_arena *arena)
{
    static const char *const names[COLUMNS] = {"start_ns", "length_ns", "total_ns", "max_ns",
                                               "rank",     "threads",   "function", "location"};
    uint32_t *first = pj_new_n(arena, uint32_t, 2);
    first[1] = count;
    pj_summary_vectors v = {.items = pj_new_n(arena, pj_summary_vector, COLUMNS),
                            .count = COLUMNS,
                            .ranks = 1,
                            .first = first};
    for (size_t i = 0; i < COLUMNS; i++)
        v.items[i] = (pj_summary_vector){names[i], pj_new_n(arena, int64_t, count + 1)};
    return v;
}

static void write_each(const pj_run *run, size_t budget, json_t *into)
{
    enum { MOST = 20000 }; // more do not fit
    const pj_regions *regions = run->openmp_regions;
    bool whole = json_array_size(json_object_get(into, "functions")) == regions->function_count &&
                 json_array_size(json_object_get(into, "locations")) == regions->location_count;
    if (!whole || regions->left_out || regions->count > MOST)
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_instance((uint32_t)regions->count, arena);
    for (size_t i = 0; i < regions->count; i++) {
        const pj_region_instance *one = &regions->instances[i];
        const int64_t values[COLUMNS] = {(int64_t)one->start_ns,
                                         (int64_t)(one->end_ns - one->start_ns),
                                         (int64_t)one->total_ns,
                                         (int64_t)one->max_ns,
                                         one->rank,
                                         one->threads,
                                         one->function,
                                         one->location};
        for (size_t c = 0; c < COLUMNS; c++)
            v.items[c].values[i] = values[c];
    }
    json_t *each = pj_summary_vectors_encode(&v, budget, true);
    if (each)
        json_object_set_new(into, "each", each);
}

// Reading

static bool damaged(const pj_run *run, const char *what, pj_err *err)
{
    return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: %s of OpenMP regions", what);
}

static bool read_sum(json_t *from, pj_run *run, pj_region_sum *out)
{
    const char *name;
    json_int_t instances, length, total, max;
    if (json_unpack(from, "[s, I, I, I, I, F, F, F, F]", &name, &instances, &length, &total, &max,
                    &out->delay_ns, &out->region_delay_ns, &out->mean_ns,
                    &out->weighted_mean) != 0 ||
        instances < 0 || length < 0 || total < 0 || max < 0)
        return false;
    out->name = pj_arena_text(run->arena, pj_str_of(name));
    out->instances = (uint64_t)instances;
    out->length_ns = (uint64_t)length;
    out->total_ns = (uint64_t)total;
    out->max_ns = (uint64_t)max;
    return true;
}

static bool read_sums(const json_t *from, pj_run *run, pj_region_sum **out, uint32_t *count)
{
    size_t index, size = json_array_size(from);
    json_t *item;
    *out = pj_new_n(run->arena, pj_region_sum, size + 1);
    *count = (uint32_t)size;
    bool ok = json_is_array(from);
    json_array_foreach(from, index, item)
    {
        ok = ok && read_sum(item, run, &(*out)[index]);
    }
    return ok;
}

static bool take_instance(const pj_summary_vectors *v, size_t i, const pj_run *run,
                          const pj_regions *regions, pj_region_instance *out)
{
    int64_t value[COLUMNS];
    for (size_t c = 0; c < COLUMNS; c++) {
        value[c] = v->items[c].values[i];
        if (value[c] < 0)
            return false;
    }
    *out = (pj_region_instance){.start_ns = (uint64_t)value[0],
                                .end_ns = (uint64_t)value[0] + (uint64_t)value[1],
                                .total_ns = (uint64_t)value[2],
                                .max_ns = (uint64_t)value[3],
                                .rank = (uint32_t)value[4],
                                .threads = (uint32_t)value[5],
                                .function = (uint32_t)value[6],
                                .location = (uint32_t)value[7]};
    return value[4] < run->layout.ranks && value[5] > 0 && value[5] <= UINT32_MAX &&
           value[6] < regions->function_count && value[7] < regions->location_count;
}

static bool read_each(const json_t *from, pj_run *run, pj_regions *regions, uint64_t count,
                      pj_err *err)
{
    enum { MOST = 1 << 20 };
    if (count > MOST)
        return damaged(run, "too many instances", err);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_instance((uint32_t)count, arena);
    if (!pj_summary_vectors_decode(from, &v, run->path, err))
        return false;
    pj_region_instance *instances = pj_new_n(run->arena, pj_region_instance, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!take_instance(&v, i, run, regions, &instances[i]))
            return damaged(run, "an instance", err);
    regions->instances = instances;
    regions->count = count;
    return true;
}

static bool read(json_t *from, pj_run *run, pj_err *err)
{
    pj_regions *regions = pj_new(run->arena, pj_regions);
    json_int_t count = json_integer_value(json_object_get(from, "instances"));
    const json_t *each = json_object_get(from, "each");
    if (count < 0 ||
        !read_sums(json_object_get(from, "functions"), run, &regions->functions,
                   &regions->function_count) ||
        !read_sums(json_object_get(from, "locations"), run, &regions->locations,
                   &regions->location_count))
        return damaged(run, "sums", err);
    if (each && !read_each(each, run, regions, (uint64_t)count, err))
        return false;
    regions->left_out = (uint64_t)count - regions->count;
    run->openmp_regions = regions;
    return true;
}

/// OpenMP regions by function and by source line: the costliest that fit and the rest as one; every
/// instance when all of them fit.
const pj_summary_part pj_summary_part_regions = {
    .name = "regions",
    .budget = 20000,
    .write = write,
    .write_more = write_each,
    .read = read,
};
