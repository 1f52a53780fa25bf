// Columns of the region tables; their numbers are those of DEFINITIONS 5.
#include "metrics/run/regions_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"

#include <stdlib.h>
#include <string.h>

static const char no_function[] = "the trace does not say what the region executes";
static const char no_line[] = "the trace does not say where the region stands";
static const char no_length[] = "the region has no length";

static const pj_column each_columns[] = {
    {"rank", "Rank", NULL, PJ_UNIT_IDENTIFIER, false},
    {"region", "Region", "Counted from 0 on each rank.", PJ_UNIT_IDENTIFIER, false},
    {"start_ns", "Start", NULL, PJ_UNIT_NS, false},
    {"end_ns", "End", NULL, PJ_UNIT_NS, false},
    {"length_ns", "Length", NULL, PJ_UNIT_NS, false},
    {"load_balance", "Load balance", "1 - (largest - mean computation) / length.", PJ_UNIT_RATIO,
     false},
    {"parallel_efficiency", "Parallel efficiency", "Mean computation / length.", PJ_UNIT_RATIO,
     false},
    {"mean_ns", "Mean computation", "Time in state Running, mean over the threads.", PJ_UNIT_NS,
     false},
    {"max_ns", "Largest computation", "Of a thread.", PJ_UNIT_NS, false},
    {"delay_ns", "Delay", "Largest less mean computation.", PJ_UNIT_NS, false},
    {"total_ns", "Total computation", "Of all threads.", PJ_UNIT_NS, false},
    {"region_delay_ns", "Region delay", "Length less mean computation.", PJ_UNIT_NS, false},
    {"function", "Function", NULL, PJ_UNIT_NONE, true},
    {"location", "Location", NULL, PJ_UNIT_NONE, true},
};

static const pj_column sum_columns[] = {
    {"instances", "Instances", NULL, PJ_UNIT_NONE, false},
    {"inefficiency", "Inefficiency", "Region delays / (ranks x runtime).", PJ_UNIT_RATIO, false},
    {"imbalance", "Imbalance", "Delays / (ranks x runtime).", PJ_UNIT_RATIO, false},
    {"parallel_efficiency", "Parallel efficiency", "Mean over instances, weighted by length.",
     PJ_UNIT_RATIO, false},
    {"load_balance", "Load balance", "Mean over instances, weighted by length.", PJ_UNIT_RATIO,
     false},
    {"region_ns", "Region time", "Lengths of all instances.", PJ_UNIT_NS, false},
    {"computation_ns", "Computation", "Of all threads in all instances.", PJ_UNIT_NS, false},
    {"mean_ns", "Mean computation", "Of a thread in an instance, weighted by length.", PJ_UNIT_NS,
     false},
    {"max_ns", "Largest computation", "Of a thread in an instance.", PJ_UNIT_NS, false},
};

enum {
    EACH_COLUMNS = sizeof each_columns / sizeof *each_columns,
    SUM_COLUMNS = sizeof sum_columns / sizeof *sum_columns,
};

static pj_cell name_cell(pj_table *table, const char *name, const char *reason)
{
    return *name ? pj_cell_text(pj_arena_text(table->arena, pj_str_of(name)))
                 : pj_cell_empty(reason);
}

/// Names are copied once, not for each instance.
static const char **names_of(pj_table *table, const pj_region_sum *sums, uint32_t count)
{
    const char **names = pj_new_n(table->arena, const char *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        names[i] = pj_arena_text(table->arena, pj_str_of(sums[i].name));
    return names;
}

static pj_cell ratio_cell(const pj_region_instance *instance, double ratio)
{
    return instance->end_ns > instance->start_ns ? pj_cell_real(ratio) : pj_cell_empty(no_length);
}

static void fill_row(pj_cell *cells, const pj_region_instance *instance, uint64_t number)
{
    double mean = pj_region_mean(instance), length = pj_region_length(instance);
    cells[0] = pj_cell_int(instance->rank);
    cells[1] = pj_cell_int((int64_t)number);
    cells[2] = pj_cell_int((int64_t)instance->start_ns);
    cells[3] = pj_cell_int((int64_t)instance->end_ns);
    cells[4] = pj_cell_int((int64_t)(instance->end_ns - instance->start_ns));
    cells[5] = ratio_cell(instance, pj_region_load_balance(instance));
    cells[6] = ratio_cell(instance, pj_region_efficiency(instance));
    cells[7] = pj_cell_real(mean);
    cells[8] = pj_cell_int((int64_t)instance->max_ns);
    cells[9] = pj_cell_real((double)instance->max_ns - mean);
    cells[10] = pj_cell_int((int64_t)instance->total_ns);
    cells[11] = pj_cell_real(length - mean);
}

static pj_table *table_of_each(const pj_run *run, const pj_regions *regions)
{
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "OpenMP regions of %s", run->name);
    for (size_t c = 0; c < EACH_COLUMNS; c++)
        pj_table_add_column(table, each_columns[c]);
    const char **functions = names_of(table, regions->functions, regions->function_count);
    const char **lines = names_of(table, regions->locations, regions->location_count);
    uint64_t number = 0;
    for (size_t i = 0; i < regions->count; i++) {
        const pj_region_instance *instance = &regions->instances[i];
        number = i && instance[-1].rank == instance->rank ? number + 1 : 0;
        pj_cell *cells = pj_table_add_row(table);
        const char *function = functions[instance->function], *line = lines[instance->location];
        fill_row(cells, instance, number);
        cells[12] = *function ? pj_cell_text(function) : pj_cell_empty(no_function);
        cells[13] = *line ? pj_cell_text(line) : pj_cell_empty(no_line);
    }
    if (regions->left_out)
        table->note = pj_arena_format(
            table->arena,
            "%llu further instances are not listed; sums by function and by location "
            "hold them",
            (unsigned long long)regions->left_out);
    return table;
}

static int by_cost(const void *a, const void *b)
{
    const pj_region_sum *x = *(const pj_region_sum *const *)a,
                        *y = *(const pj_region_sum *const *)b;
    if (x->region_delay_ns != y->region_delay_ns)
        return x->region_delay_ns > y->region_delay_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void add_sum(pj_table *table, const pj_run *run, const pj_region_sum *sum,
                    const char *reason)
{
    double all = (double)run->layout.ranks * (double)run->runtime_ns;
    double length = (double)sum->length_ns;
    pj_cell *cells = pj_table_add_row(table);
    cells[0] = name_cell(table, sum->name, reason);
    cells[1] = pj_cell_int((int64_t)sum->instances);
    cells[2] = pj_cell_real(sum->region_delay_ns / all);
    cells[3] = pj_cell_real(sum->delay_ns / all);
    cells[4] = length > 0 ? pj_cell_real(sum->mean_ns / length) : pj_cell_empty(no_length);
    cells[5] = length > 0 ? pj_cell_real(1 - sum->delay_ns / length) : pj_cell_empty(no_length);
    cells[6] = pj_cell_int((int64_t)sum->length_ns);
    cells[7] = pj_cell_int((int64_t)sum->total_ns);
    cells[8] = length > 0 ? pj_cell_real(sum->weighted_mean / length) : pj_cell_empty(no_length);
    cells[9] = pj_cell_int((int64_t)sum->max_ns);
}

static pj_table *table_of_sums(const pj_run *run, const pj_region_sum *sums, uint32_t count,
                               bool lines)
{
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "OpenMP regions of %s by %s", run->name,
                                   lines ? "location" : "function");
    pj_table_add_column(table, (pj_column){.key = lines ? "location" : "function",
                                           .title = lines ? "Location" : "Function",
                                           .text = true});
    for (size_t c = 0; c < SUM_COLUMNS; c++)
        pj_table_add_column(table, sum_columns[c]);
    const pj_region_sum **order = pj_new_n(table->arena, const pj_region_sum *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        order[i] = &sums[i];
    qsort(order, count, sizeof(const pj_region_sum *), by_cost);
    for (uint32_t i = 0; i < count; i++)
        add_sum(table, run, order[i], lines ? no_line : no_function);
    return table;
}

pj_table *pj_regions_table(const pj_run *run, pj_regions_by by, pj_err *err)
{
    const pj_regions *regions = run->openmp_regions;
    if (!regions) {
        pj_fail(err, PJ_E_MISSING, run->path, 0,
                run->has_openmp ? "has OpenMP events, but no parallel region in what is analysed"
                                : "has no OpenMP events, hence no regions");
        return NULL;
    }
    if (run->no_states) {
        pj_fail(err, PJ_E_MISSING, run->path, 0,
                "has no states: what regions compute is not known");
        return NULL;
    }
    switch (by) {
    case PJ_REGIONS_EACH:
        break;
    case PJ_REGIONS_FUNCTION:
        return table_of_sums(run, regions->functions, regions->function_count, false);
    case PJ_REGIONS_LOCATION:
        return table_of_sums(run, regions->locations, regions->location_count, true);
    }
    return table_of_each(run, regions);
}
