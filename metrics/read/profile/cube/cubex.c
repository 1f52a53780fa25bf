// CUBE profiles (.cubex) and the folders in which Score-P leaves them. Rows of values go to their
// call paths as they lie in the file; what follows from them is the profile's to compute.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/cube/blob.h"
#include "metrics/read/profile/cube/cube.h"
#include "metrics/read/profile/cube/tar.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct cubex {
    const pj_cube *cube;
    pj_build *build;
    pj_job *job;
    uint32_t *regions; // of the builder, by number in the cube
    uint32_t *nodes;
    uint32_t *above; // 1 + measure of each metric; 0 = it is none
    bool plain;      // nodes are numbered as in the cube, so that rows can be read in place
} cubex;

static void add_metadata(const cubex *x)
{
    pj_profile *profile = pj_build_profile(x->build);
    for (size_t i = 0; i < x->cube->attribute_count; i++) {
        const pj_cube_attribute *attribute = &x->cube->attributes[i];
        pj_build_pair(x->build, PJ_NO_ITEM, attribute->key, attribute->value);
        if (pj_str_equal(attribute->key, PJ_S("Creator")))
            profile->tool = pj_build_text(x->build, attribute->value);
    }
}

static pj_region_kind kind_of(const pj_cube_region *region)
{
    static const struct row {
        const char *paradigm;
        pj_region_kind kind;
    } rows[] = {
        {"mpi", PJ_REGION_mpi},
        {"openmp", PJ_REGION_omp},
        {"compiler", PJ_REGION_function},
        {"user", PJ_REGION_user},
        {"measurement", PJ_REGION_system},
        {"pthread", PJ_REGION_thread},
        {"sampling", PJ_REGION_sample},
        {"io", PJ_REGION_system},
        {"memory", PJ_REGION_system},
    };
    if (pj_str_equal(region->role, PJ_S("loop")))
        return PJ_REGION_loop;
    if (pj_str_starts(region->paradigm, PJ_S("user:"))) // functions of Python
        return PJ_REGION_function;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (pj_str_equal(region->paradigm, pj_str_of(rows[i].paradigm)))
            return rows[i].kind;
    return PJ_REGION_unknown;
}

static uint32_t line_of(int64_t line)
{
    return line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;
}

static void add_regions(cubex *x)
{
    x->regions = pj_take_memory((x->cube->region_count + 1) * sizeof *x->regions);
    for (size_t i = 0; i < x->cube->region_count; i++) {
        const pj_cube_region *region = &x->cube->regions[i];
        uint32_t begin = line_of(region->begin), group = pj_build_text(x->build, region->paradigm);
        x->regions[i] = pj_build_region(x->build, region->name, region->file, begin);
        pj_profile_region *made = pj_build_region_at(x->build, x->regions[i]);
        made->kind = kind_of(region);
        made->end_line = line_of(region->end);
        if (group && !made->group_count)
            pj_build_groups(x->build, x->regions[i], &group, 1);
    }
}

/// "parity=1, level=2"
static uint32_t parameters_of(const cubex *x, const pj_cube_node *node)
{
    pj_auto_buf text = {.at = NULL};
    for (uint32_t i = 0; i < node->parameter_count; i++) {
        const pj_cube_parameter *parameter = &x->cube->parameters[node->first_parameter + i];
        pj_buf_puts(&text, i ? ", " : "");
        pj_buf_add(&text, parameter->key);
        pj_buf_add_char(&text, '=');
        pj_buf_add(&text, parameter->value);
    }
    return pj_build_text(x->build, pj_buf_str(&text));
}

static void add_nodes(cubex *x)
{
    x->nodes = pj_take_memory((x->cube->node_count + 1) * sizeof *x->nodes);
    x->plain = true;
    for (size_t i = 0; i < x->cube->node_count && pj_build_ok(x->build); i++) {
        const pj_cube_node *node = &x->cube->nodes[i];
        uint32_t parent = node->parent < 0 ? PJ_NO_ITEM : x->nodes[node->parent];
        x->nodes[i] =
            pj_build_node_with(x->build, parent, x->regions[node->region], parameters_of(x, node));
        x->plain &= x->nodes[i] == i;
    }
}

static void add_locations(const cubex *x)
{
    for (size_t i = 0; i < x->cube->location_count; i++) {
        const pj_cube_location *location = &x->cube->locations[i];
        const pj_cube_process *process = &x->cube->processes[location->process];
        pj_location_kind kind = PJ_LOCATION_CPU;
        if (pj_str_equal(location->type, PJ_S("gpu")) ||
            pj_str_equal(process->type, PJ_S("accelerator")))
            kind = PJ_LOCATION_GPU;
        else if (pj_str_equal(location->type, PJ_S("metric")))
            kind = PJ_LOCATION_UNKNOWN;
        pj_build_location(x->build,
                          (pj_profile_location){.rank = process->rank,
                                                .thread = location->rank,
                                                .kind = kind,
                                                .name = pj_build_text(x->build, location->name)});
    }
}

// Metrics

/// What a unit of CUBE is here: kind, unit, and what a value is to be multiplied with.
typedef struct cube_unit {
    const char *theirs, *ours;
    pj_measure_kind kind;
    double scale;
} cube_unit;

static cube_unit unit_of(const pj_cube_metric *metric, pj_arena *arena)
{
    static const cube_unit units[] = {
        {"sec", "s", PJ_MEASURE_TIME, 1},     {"s", "s", PJ_MEASURE_TIME, 1},
        {"msec", "s", PJ_MEASURE_TIME, 1e-3}, {"ms", "s", PJ_MEASURE_TIME, 1e-3},
        {"usec", "s", PJ_MEASURE_TIME, 1e-6}, {"us", "s", PJ_MEASURE_TIME, 1e-6},
        {"nsec", "s", PJ_MEASURE_TIME, 1e-9}, {"ns", "s", PJ_MEASURE_TIME, 1e-9},
        {"bytes", "B", PJ_MEASURE_BYTES, 1},  {"occ", "", PJ_MEASURE_COUNT, 1},
        {"#", "", PJ_MEASURE_COUNT, 1},
    };
    cube_unit found = {
        .ours = pj_arena_text(arena, metric->unit), .kind = PJ_MEASURE_COUNT, .scale = 1};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pj_str_equal(metric->unit, pj_str_of(units[i].theirs)))
            found = units[i];
    if (pj_cube_is_pair(metric->type))
        found.kind = PJ_MEASURE_RATIO;
    return found;
}

static const char *why_without_values(const pj_cube_metric *metric)
{
    if (metric->derived)
        return "a formula of CUBE (CubePL), which is not evaluated";
    return metric->type == PJ_CUBE_UNREAD ? "of a kind of values that is listed, not read" : NULL;
}

static bool is_mean(pj_cube_type type)
{
    return type == PJ_CUBE_COMPLEX || type == PJ_CUBE_ATOMIC;
}

static uint32_t add_measure(const cubex *x, const pj_cube_metric *metric, cube_unit unit)
{
    pj_measure measure = {
        .key = pj_arena_text(x->cube->arena, metric->key),
        .title = pj_arena_text(x->cube->arena, metric->title),
        .unit = unit.ours,
        .kind = unit.kind,
        .stored = is_mean(metric->type) ? PJ_STORED_BOTH
                  : metric->inclusive   ? PJ_STORED_INCLUSIVE
                                        : PJ_STORED_EXCLUSIVE,
        .above = metric->parent < 0 ? 0 : x->above[metric->parent],
        .reason = why_without_values(metric),
    };
    if (metric->type == PJ_CUBE_MIN || metric->type == PJ_CUBE_MAX)
        measure.fold = metric->type == PJ_CUBE_MIN ? PJ_MEASURE_MIN : PJ_MEASURE_MAX;
    return pj_build_measure(x->build, measure);
}

static bool is_visits(const pj_cube_metric *metric)
{
    return pj_str_equal(metric->key, PJ_S("visits")) && pj_cube_is_whole(metric->type);
}

// Values

static void count_odd(const cubex *x, const pj_cube_counts *counts)
{
    pj_oddities *odd = &pj_build_profile(x->build)->oddities;
    odd->count[PJ_ODDITY_not_finite] += counts->not_finite;
    odd->count[PJ_ODDITY_large_value] += counts->large;
}

static void scale_cells(double *cells, size_t count, double scale)
{
    for (size_t i = 0; scale != 1 && i < count; i++)
        cells[i] *= scale;
}

/// Rows into the column itself.
static bool read_in_place(const cubex *x, const pj_cube_metric *metric, uint32_t column,
                          double scale, pj_err *err)
{
    pj_cube_cells cells = {.stride = 0};
    pj_cube_counts counts = {.large = 0};
    size_t nodes = x->cube->node_count;
    if (pj_cube_is_whole(metric->type))
        cells.whole = pj_build_rows_whole(x->build, column, (uint32_t)nodes, &cells.stride);
    else
        cells.real = pj_build_rows(x->build, column, (uint32_t)nodes, &cells.stride);
    if (!cells.whole && !cells.real)
        return true; // the builder says why
    if (!pj_cube_read(x->cube, metric, cells, x->job, &counts, err))
        return false;
    if (cells.real)
        scale_cells(cells.real, nodes * cells.stride, scale);
    count_odd(x, &counts);
    return true;
}

/// Cells of all call paths and locations, apart from the profile: zeros.
static double *take_cells(const cubex *x)
{
    size_t size = x->cube->node_count * x->cube->location_count * sizeof(double);
    return memset(pj_take_memory(size), 0, size);
}

/// Adds cells to a column where call paths of the cube share nodes.
static void add_cells(const cubex *x, uint32_t column, const double *cells)
{
    size_t locations = x->cube->location_count;
    for (size_t n = 0; n < x->cube->node_count; n++)
        for (size_t at = 0; at < locations; at++)
            if (!isnan(cells[n * locations + at]))
                pj_build_add(x->build, column, x->nodes[n], (uint32_t)at,
                             cells[n * locations + at]);
}

/// Inclusive from exclusive values (`sign` 1), or the other way round (-1).
static void fold_subtrees(const cubex *x, double *cells, double sign)
{
    size_t locations = x->cube->location_count;
    const pj_cube_node *nodes = x->cube->nodes;
    for (size_t i = 0; i < x->cube->node_count; i++) {
        size_t n = sign > 0 ? x->cube->node_count - 1 - i : i; // children first, or parents
        if (nodes[n].parent < 0)
            continue;
        double *parent = cells + (size_t)nodes[n].parent * locations;
        for (size_t at = 0; at < locations; at++)
            parent[at] += sign * cells[n * locations + at];
    }
}

static void add_means(const cubex *x, const pj_cube_metric *metric, uint32_t column,
                      const double *first, const double *second)
{
    size_t count = x->cube->node_count * x->cube->location_count;
    double *values = take_cells(x);
    for (size_t i = 0; i < count; i++)
        if (metric->type == PJ_CUBE_COMPLEX)
            values[i] = hypot(first[i], second[i]);
        else
            values[i] = second[i] != 0 ? first[i] / second[i] : NAN;
    add_cells(x, column, values);
    free(values);
}

/// Values that do not add: moduli and means, whose parts do.
static bool read_means(const cubex *x, const pj_cube_metric *metric, uint32_t measure, pj_err *err)
{
    pj_cube_cells cells = {
        .real = take_cells(x), .second = take_cells(x), .stride = x->cube->location_count};
    pj_cube_counts counts = {.large = 0};
    bool ok = pj_cube_read(x->cube, metric, cells, x->job, &counts, err);
    pj_value_part stored = metric->inclusive ? PJ_INCLUSIVE : PJ_EXCLUSIVE;
    pj_value_part other = metric->inclusive ? PJ_EXCLUSIVE : PJ_INCLUSIVE;
    if (ok) {
        uint32_t column = pj_build_column(x->build, PJ_AT_NODE, stored, measure, false);
        add_means(x, metric, column, cells.real, cells.second);
        fold_subtrees(x, cells.real, metric->inclusive ? -1 : 1);
        fold_subtrees(x, cells.second, metric->inclusive ? -1 : 1);
        column = pj_build_column(x->build, PJ_AT_NODE, other, measure, false);
        add_means(x, metric, column, cells.real, cells.second);
        count_odd(x, &counts);
    }
    free(cells.real);
    free(cells.second);
    return ok;
}

/// Rates, and whatever has call paths that share nodes.
static bool read_apart(const cubex *x, const pj_cube_metric *metric, uint32_t column, double scale,
                       pj_err *err)
{
    size_t count = x->cube->node_count * x->cube->location_count;
    pj_cube_cells cells = {.stride = x->cube->location_count};
    pj_cube_counts counts = {.large = 0};
    double *values = take_cells(x);
    if (pj_cube_is_whole(metric->type))
        cells.whole = (int64_t *)take_cells(x);
    else
        cells.real = values;
    if (pj_cube_is_pair(metric->type))
        cells.second = take_cells(x);
    bool ok = pj_cube_read(x->cube, metric, cells, x->job, &counts, err);
    for (size_t i = 0; ok && cells.whole && i < count; i++)
        values[i] = cells.whole[i] == INT64_MIN ? NAN : (double)cells.whole[i];
    for (size_t i = 0; ok && cells.second && i < count; i++)
        values[i] = cells.second[i] != 0 ? values[i] / cells.second[i] : NAN;
    if (ok) {
        scale_cells(values, count, scale);
        add_cells(x, column, values);
        count_odd(x, &counts);
    }
    free(values);
    free(cells.whole);
    free(cells.second);
    return ok;
}

static bool read_metric(cubex *x, size_t number, pj_err *err)
{
    const pj_cube_metric *metric = &x->cube->metrics[number];
    cube_unit unit = unit_of(metric, x->cube->arena);
    uint32_t measure = PJ_NO_ITEM;
    pj_value_part part = metric->inclusive ? PJ_INCLUSIVE : PJ_EXCLUSIVE;
    if (is_visits(metric)) {
        part = PJ_CALLS;
    } else {
        measure = add_measure(x, metric, unit);
        x->above[number] = measure + 1;
    }
    if (why_without_values(metric) || !pj_build_ok(x->build))
        return true;
    if (is_mean(metric->type))
        return read_means(x, metric, measure, err);
    uint32_t column =
        pj_build_column(x->build, PJ_AT_NODE, part, measure, pj_cube_is_whole(metric->type));
    if (!x->plain || pj_cube_is_pair(metric->type))
        return read_apart(x, metric, column, unit.scale, err);
    return read_in_place(x, metric, column, unit.scale, err);
}

static bool fill(cubex *x, pj_err *err)
{
    pj_build_profile(x->build)->shape = PJ_SHAPE_TREE;
    add_metadata(x);
    add_regions(x);
    add_nodes(x);
    add_locations(x);
    size_t count = x->cube->metric_count;
    x->above = pj_take_memory((count + 1) * sizeof *x->above);
    memset(x->above, 0, (count + 1) * sizeof *x->above);
    bool ok = true;
    for (size_t i = 0; ok && pj_build_ok(x->build) && i < count; i++)
        ok = pj_job_check(x->job, x->cube->blob->name, err) && read_metric(x, i, err);
    free(x->regions);
    free(x->nodes);
    free(x->above);
    return ok;
}

static bool read_cubex(pj_source *source, pj_build *build, pj_err *err)
{
    pj_blob blob;
    pj_cube cube;
    pj_job *job = pj_source_job(source);
    pj_auto_arena arena = pj_arena_new(&job->memory_used);
    bool ok = pj_blob_open(&blob, source, err) && pj_cube_open(&cube, &blob, arena, job, err);
    if (ok)
        ok = fill(&(cubex){.cube = &cube, .build = build, .job = job}, err);
    pj_blob_close(&blob);
    return ok;
}

const pj_reader pj_reader_cubex = {
    .name = "cubex",
    .title = "CUBE profile",
    .suffixes = ".cubex",
    .gives = PJ_GIVES_PROFILE,
    .sniff = pj_tar_sniff,
    .profile = read_cubex,
};

// Folders of Score-P

static char *profile_in(const char *folder)
{
    pj_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/profile.cubex", folder);
    return path.at;
}

static bool is_experiment(const char *folder)
{
    char *path = profile_in(folder);
    bool is = pj_file_is_regular(path);
    free(path);
    return is;
}

static bool read_experiment(pj_source *source, pj_build *build, pj_err *err)
{
    char *path = profile_in(pj_source_path(source));
    pj_source *file = pj_source_open(path, pj_source_job(source), err);
    bool ok = file && read_cubex(file, build, err);
    pj_source_close(file);
    free(path);
    return ok;
}

const pj_reader pj_reader_scorep = {
    .name = "scorep",
    .title = "Score-P experiment",
    .suffixes = "",
    .gives = PJ_GIVES_PROFILE,
    .sniff_folder = is_experiment,
    .profile = read_experiment,
};
