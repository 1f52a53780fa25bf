// What follows from the times of an instance, and names of values.
#include "metrics/run/regions.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/trace/event.h"

#include <string.h>

double pj_region_load_balance(const pj_region_instance *instance)
{
    double length = pj_region_length(instance);
    return length > 0 ? 1 - ((double)instance->max_ns - pj_region_mean(instance)) / length : 1;
}

double pj_region_efficiency(const pj_region_instance *instance)
{
    double length = pj_region_length(instance);
    return length > 0 ? pj_region_mean(instance) / length : 1;
}

void pj_region_sum_add(pj_region_sum *sum, const pj_region_instance *instance)
{
    double length = pj_region_length(instance), mean = pj_region_mean(instance);
    sum->instances++;
    sum->length_ns += instance->end_ns - instance->start_ns;
    sum->total_ns += instance->total_ns;
    if (instance->max_ns > sum->max_ns)
        sum->max_ns = instance->max_ns;
    sum->delay_ns += (double)instance->max_ns - mean;
    sum->region_delay_ns += length - mean;
    sum->mean_ns += mean;
    sum->weighted_mean += mean * length;
}

static const char *find_label(const pj_run *run, uint16_t code, uint64_t value)
{
    size_t low = 0, high = run->names.label_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const pj_label *label = &run->names.labels[middle];
        if (label->code < code || (label->code == code && label->value < value))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == run->names.label_count)
        return NULL;
    const pj_label *found = &run->names.labels[low];
    return found->code == code && found->value == value ? found->text : NULL;
}

static const pj_region *find_region(const pj_run *run, uint64_t value)
{
    return value >= 1 && value <= run->names.region_count ? &run->names.regions[value - 1] : NULL;
}

bool pj_region_is_function(const pj_run *run, uint64_t region)
{
    static const char *const others[] = {"mpi", "omp", "thread", "system"};
    const pj_run_names *names = &run->names;
    if (region >= names->region_count)
        return true;
    const char *kind = names->regions[region].kind;
    for (size_t i = 0; kind && i < sizeof others / sizeof *others; i++)
        if (strcmp(kind, others[i]) == 0)
            return false;
    return !names->regions[region].root;
}

bool pj_regions_name_functions(const pj_run *run)
{
    static const char *const kinds[] = {"function", "user", "loop"};
    for (uint32_t i = 0; i < run->names.region_count; i++)
        for (size_t k = 0; run->names.regions[i].kind && k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(run->names.regions[i].kind, kinds[k]) == 0)
                return true;
    for (size_t i = 0; i < run->names.label_count; i++)
        if (run->names.labels[i].code == PJ_FUNCTION && run->names.labels[i].value)
            return true;
    return false;
}

const char *pj_region_label(const pj_run *run, uint16_t code, uint64_t value)
{
    const pj_region *region = find_region(run, value);
    if (region)
        return *region->name ? region->name : NULL;
    return find_label(run, code, value);
}

const char *pj_region_line(const pj_run *run, uint16_t code, uint64_t value, pj_arena *arena)
{
    const pj_region *region = find_region(run, value);
    if (!region)
        return code == PJ_OMP_FUNCTION_LINE || code == PJ_OMP_TASK_LINE
                   ? find_label(run, code, value)
                   : NULL;
    if (!region->file)
        return NULL;
    pj_str path = pj_str_of(region->file);
    size_t slash = pj_str_find_last(path, '/');
    const char *file = slash < path.len ? path.at + slash + 1 : path.at;
    return pj_arena_format(arena, "%u (%s)", region->line, file);
}
