// Score-P's rules: which events a region makes, and of which group it is.
#include "metrics/analyse/score_cost.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <ctype.h>

enum { COUNTS_MAX = 32 };

bool pj_score_cost_of(pj_score_cost *cost, const pj_cube *cube, uint32_t counters, pj_err *err)
{
    static const char mark[] = "Score-P::DefinitionCounters::";
    pj_otf2_def_count counts[COUNTS_MAX] = {
        {"Region", (uint32_t)cube->region_count},
        {"Metric", (uint32_t)cube->metric_count},
    };
    size_t count = 2;
    uint32_t arguments = 0;
    for (size_t i = 0; i < cube->attribute_count && count < COUNTS_MAX; i++) {
        const pj_cube_attribute *attribute = &cube->attributes[i];
        uint64_t number;
        if (!pj_str_starts(attribute->key, pj_str_of(mark)) ||
            !pj_parse_u64(attribute->value, &number))
            continue;
        pj_str kind = pj_str_from(attribute->key, sizeof mark - 1);
        counts[count++] = (pj_otf2_def_count){pj_arena_text(cube->arena, kind), (uint32_t)number};
    }
    for (size_t i = 0; i < cube->region_count; i++)
        if (cube->regions[i].arguments > 0)
            arguments = (uint32_t)cube->regions[i].arguments;
    *cost = (pj_score_cost){.counters = counters, .samples = pj_cube_find(cube, PJ_S("hits"))};
    pj_otf2_sized what = {.counts = counts,
                          .count_count = count,
                          .counters = (uint8_t)counters,
                          .arguments = arguments};
    return pj_otf2_sizes_estimate(&what, cost->sizes, err);
}

// Events of regions

typedef enum rule { NAMED, BEGINS } rule;

typedef struct event {
    pj_otf2_size size;
    bool timed;
    rule rule;
    const char *names;
} event;

static const event events[] = {
#define SCORE_EVENT(name, timed, rule, names) {PJ_OTF2_SIZE_##name, timed, rule, names},
#include "metrics/analyse/score_events.def"
#undef SCORE_EVENT
};

static bool makes(const event *row, pj_str region)
{
    pj_str names = pj_str_of(row->names);
    if (row->rule == BEGINS)
        return pj_str_starts(region, names);
    while (names.len)
        if (pj_str_equal(pj_str_cut(&names, ' '), region))
            return true;
    return false;
}

static bool is_instance(const pj_cube_region *region)
{
    return pj_str_equal(region->paradigm, PJ_S("user")) &&
           (pj_str_starts(region->name, PJ_S("instance=")) ||
            pj_str_starts(region->name, PJ_S("iteration=")));
}

static bool is_measurement_off(const pj_cube_region *region)
{
    return pj_str_equal(region->paradigm, PJ_S("user")) &&
           pj_str_equal(region->name, PJ_S("MEASUREMENT OFF"));
}

bool pj_score_is_part(const pj_cube_region *region)
{
    return is_instance(region) || is_measurement_off(region);
}

static bool is_measurement(const pj_cube_region *region)
{
    return pj_str_equal(region->paradigm, PJ_S("measurement"));
}

/// Enter and leave, and what else begins and ends.
static uint64_t border_bytes(const pj_score_cost *cost, const pj_cube_region *region, bool root)
{
    const uint64_t *size = cost->sizes;
    uint64_t stamp = size[PJ_OTF2_SIZE_Timestamp], bytes = 0;
    bool device = pj_str_equal(region->paradigm, PJ_S("cuda")) ||
                  pj_str_equal(region->paradigm, PJ_S("opencl"));
    if (is_measurement_off(region))
        return 2 * (size[PJ_OTF2_SIZE_MeasurementOnOffEvent] + stamp);
    if (!is_measurement(region) && !is_instance(region))
        bytes += cost->samples ? size[PJ_OTF2_SIZE_CallingContextEnterEvent] +
                                     size[PJ_OTF2_SIZE_CallingContextLeaveEvent]
                               : size[PJ_OTF2_SIZE_EnterEvent] + size[PJ_OTF2_SIZE_LeaveEvent];
    bytes += bytes ? 2 * stamp : 0;
    if (root && !device && region->arguments >= 0)
        bytes += size[PJ_OTF2_SIZE_ProgramBegin] + size[PJ_OTF2_SIZE_ProgramEndEvent] + 2 * stamp;
    return bytes;
}

uint64_t pj_score_visit_bytes(const pj_score_cost *cost, const pj_cube *cube,
                              const pj_cube_node *node)
{
    const uint64_t *size = cost->sizes;
    const pj_cube_region *region = &cube->regions[node->region];
    uint64_t stamp = size[PJ_OTF2_SIZE_Timestamp];
    uint64_t bytes = border_bytes(cost, region, node->parent < 0);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (makes(&events[i], region->name))
            bytes += size[events[i].size] + (events[i].timed ? stamp : 0);
    if (!is_instance(region))
        bytes += pj_score_counter_bytes(cost);
    for (uint32_t i = 0; i < node->parameter_count; i++)
        bytes += stamp + size[cube->parameters[node->first_parameter + i].numeric
                                  ? PJ_OTF2_SIZE_ParameterIntEvent
                                  : PJ_OTF2_SIZE_ParameterStringEvent];
    return bytes;
}

uint64_t pj_score_counter_bytes(const pj_score_cost *cost)
{
    const uint64_t *size = cost->sizes;
    return cost->counters ? 2 * size[PJ_OTF2_SIZE_Metric] + size[PJ_OTF2_SIZE_Timestamp] : 0;
}

uint64_t pj_score_hit_bytes(const pj_score_cost *cost)
{
    return cost->sizes[PJ_OTF2_SIZE_CallingContextSampleEvent] +
           cost->sizes[PJ_OTF2_SIZE_Timestamp];
}

// Groups

static bool begins_with_capital_after(pj_str name, const char *prefix)
{
    size_t len = strlen(prefix);
    return pj_str_starts(name, pj_str_of(prefix)) && name.len > len &&
           isupper((unsigned char)name.at[len]);
}

static pj_score_group group_by_name(pj_str name)
{
    if (pj_str_starts(name, PJ_S("MPI_")))
        return PJ_SCORE_MPI;
    if (pj_str_starts(name, PJ_S("shmem_")))
        return PJ_SCORE_SHMEM;
    if (pj_str_starts(name, PJ_S("!$omp ")))
        return PJ_SCORE_OMP;
    if (pj_str_starts(name, PJ_S("pthread_")))
        return PJ_SCORE_PTHREAD;
    if (begins_with_capital_after(name, "cu"))
        return PJ_SCORE_CUDA;
    return begins_with_capital_after(name, "cl") ? PJ_SCORE_OPENCL : PJ_SCORE_USR;
}

pj_score_group pj_score_group_of(const pj_cube_region *region)
{
    static const struct row {
        const char *paradigm;
        pj_score_group group;
    } rows[] = {
        {"mpi", PJ_SCORE_MPI},
        {"shmem", PJ_SCORE_SHMEM},
        {"openmp", PJ_SCORE_OMP},
        {"pthread", PJ_SCORE_PTHREAD},
        {"cuda", PJ_SCORE_CUDA},
        {"opencl", PJ_SCORE_OPENCL},
        {"openacc", PJ_SCORE_OPENACC},
        {"memory", PJ_SCORE_MEMORY},
        {"hip", PJ_SCORE_HIP},
        {"io", PJ_SCORE_IO},
        {"measurement", PJ_SCORE_SCOREP},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (pj_str_equal(region->paradigm, pj_str_of(rows[i].paradigm)))
            return rows[i].group;
    if (pj_str_starts(region->paradigm, PJ_S("libwrap:")))
        return PJ_SCORE_LIB;
    if (pj_str_starts(region->paradigm, PJ_S("kokkos:")))
        return PJ_SCORE_KOKKOS;
    bool unknown = !region->paradigm.len || pj_str_equal(region->paradigm, PJ_S("unknown"));
    return unknown ? group_by_name(region->name) : PJ_SCORE_USR;
}
