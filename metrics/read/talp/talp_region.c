// The rows of TALP's models are recomputed from the times, as those in the file have two decimals.
// DLB 3.5 relates its MPI rows to the process that computes most, later versions to the elapsed
// time.
#include "metrics/read/talp/talp_region.h"

#include "metrics/base/str.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CPUS = 1 << 22 };

static const struct {
    const char *key;
    bool needed;
} fields[] = {
#define FIELD(key, needed) {#key, needed},
#include "metrics/read/talp/talp_fields.def"
#undef FIELD
};

static size_t field_of(pj_str key)
{
    for (size_t i = 0; i < PJ_TALP_FIELDS; i++)
        if (pj_str_equal(key, pj_str_of(fields[i].key)))
            return i;
    return PJ_TALP_FIELDS;
}

bool pj_talp_region_read(pj_jsonpull *json, pj_talp_region *out, pj_err *err)
{
    pj_str key;
    while (pj_jsonpull_key(json, &key, err)) {
        size_t field = field_of(key);
        if (field < PJ_TALP_FIELDS && out->known[field])
            return pj_jsonpull_fail(json, err, "a member stands twice in a region");
        double value = NAN;
        if (!pj_jsonpull_take_number(json, &value, err))
            return false;
        if (field < PJ_TALP_FIELDS && isfinite(value)) {
            out->value[field] = value;
            out->known[field] = true;
        }
    }
    return !(err && err->code);
}

static bool is_counter(size_t field)
{
    return field == PJ_TALP_cycles || field == PJ_TALP_instructions; // these overflow
}

const char *pj_talp_region_lacks(const pj_talp_region *region, char room[64])
{
    for (size_t i = 0; i < PJ_TALP_FIELDS; i++) {
        const char *what = fields[i].needed && !region->known[i]          ? "lacks"
                           : region->value[i] < 0 && !is_counter(i)       ? "has a negative"
                           : i == PJ_TALP_numCpus && region->value[i] < 1 ? "has no CPU by its"
                           : i <= PJ_TALP_numGpus && region->value[i] > MOST_CPUS ? "has an absurd"
                                                                                  : NULL;
        if (!what)
            continue;
        snprintf(room, 64, "%s %s", what, fields[i].key);
        return room;
    }
    return NULL;
}

uint32_t pj_talp_region_ranks(const pj_talp_region *region)
{
    double ranks = region->value[PJ_TALP_numMpiRanks];
    return ranks >= 1 ? (uint32_t)ranks : 1;
}

uint32_t pj_talp_region_cpus(const pj_talp_region *region)
{
    uint32_t cpus = (uint32_t)region->value[PJ_TALP_numCpus], ranks = pj_talp_region_ranks(region);
    return cpus > ranks ? cpus : ranks;
}

static double known(const pj_talp_region *region, pj_talp_field field)
{
    return region->known[field] ? region->value[field] : NAN;
}

/// DLB 3.6 and later: all relates to the elapsed time.
static void add_elapsed(const pj_talp_region *region, pj_sums *m)
{
    double idle = m->mpi_worker_idle_sum, elapsed = m->runtime;
    m->mpi_elapsed = elapsed;
    m->cpu_outside_mpi_mean = elapsed - (m->mpi_sum + idle) / m->threads;
    m->cpu_outside_mpi_max = elapsed - known(region, PJ_TALP_minMpiNormdProc);
    m->cpu_outside_mpi_node_max = elapsed - known(region, PJ_TALP_minMpiNormdNode);
    m->cpu_v1_outside_mpi_mean = elapsed - m->mpi_sum / m->threads;
    if (idle > 0) // the file has the least of both together
        return;
    m->cpu_v1_outside_mpi_max = m->cpu_outside_mpi_max;
    m->cpu_v1_outside_mpi_node_max = m->cpu_outside_mpi_node_max;
}

/// DLB 3.5: useful time by CPU, and the MPI of the process that has most of it.
static void add_busiest(const pj_talp_region *region, pj_sums *m)
{
    bool mean = region->known[PJ_TALP_usefulNormdApp];
    double busiest = known(region, PJ_TALP_maxUsefulNormdProc);
    m->mpi_elapsed = busiest + known(region, PJ_TALP_mpiNormdOfMaxUseful);
    m->cpu_outside_mpi_mean = known(region, PJ_TALP_usefulNormdApp);
    m->cpu_outside_mpi_max = busiest;
    m->cpu_outside_mpi_node_max = known(region, PJ_TALP_maxUsefulNormdNode);
    if (!mean) { // the one row that times alone give
        m->cpu_outside_mpi_mean = m->useful_sum;
        m->mpi_elapsed = m->useful_sum + m->mpi_sum;
        m->cpu_outside_mpi_max = m->cpu_outside_mpi_node_max = NAN;
    }
    m->cpu_v1_outside_mpi_mean = m->cpu_outside_mpi_mean;
    m->cpu_v1_outside_mpi_max = m->cpu_outside_mpi_max;
    m->cpu_v1_outside_mpi_node_max = m->cpu_outside_mpi_node_max;
}

static void add_devices(const pj_talp_region *region, pj_sums *m)
{
    m->devices = region->value[PJ_TALP_numGpus];
    m->gpu_runtime_sum = region->value[PJ_TALP_gpuRuntimeTime];
    m->device_useful_sum = known(region, PJ_TALP_gpuUsefulTime);
    m->device_useful_max = known(region, PJ_TALP_maxGpuUsefulTime);
    m->device_active_max = known(region, PJ_TALP_maxGpuActiveTime);
}

pj_sums pj_talp_region_sums(const pj_talp_region *region)
{
    const double *value = region->value;
    pj_sums m = pj_sums_unknown();
    m.ranks = pj_talp_region_ranks(region);
    m.threads = value[PJ_TALP_numCpus];
    m.runtime = value[PJ_TALP_elapsedTime] > 0 ? value[PJ_TALP_elapsedTime] : NAN;
    m.useful_sum = value[PJ_TALP_usefulTime];
    if (fmod(m.threads, m.ranks) == 0) // all processes weigh alike
        m.useful_mean = m.useful_sum / m.threads;
    m.ideal_runtime = 0;
    m.instructions = fmax(value[PJ_TALP_instructions], 0);
    m.cycles = fmax(value[PJ_TALP_cycles], 0);
    m.mpi_sum = value[PJ_TALP_mpiTime];
    m.mpi_worker_idle_sum = value[PJ_TALP_mpiWorkerIdleTime];
    m.omp_imbalance_sum = value[PJ_TALP_ompLoadImbalanceTime];
    m.omp_scheduling_sum = value[PJ_TALP_ompSchedulingTime];
    m.omp_serial_sum = value[PJ_TALP_ompSerializationTime];
    if (region->known[PJ_TALP_minMpiNormdProc])
        add_elapsed(region, &m);
    else
        add_busiest(region, &m);
    add_devices(region, &m);
    return m;
}
