// The rows, and the walks over those that are wanted.
#include "metrics/stat/aspect_rows.h"

#include "metrics/run/devices.h"
#include "metrics/run/energy.h"
#include "metrics/run/regions.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/stat/bundle_sink.h"
#include "metrics/stat/device_sink.h"
#include "metrics/stat/energy_sink.h"
#include "metrics/stat/mpi_use_sink.h"
#include "metrics/stat/omp_waits_sink.h"
#include "metrics/stat/parallel.h"
#include "metrics/stat/parts/burst_sink.h"
#include "metrics/stat/timeline_sink.h"

static size_t listen_devices(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_device_sink();
    return 1;
}

static const char *lack_devices(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    bool has = pj_device_streams(run->layout.streams, run->layout.stream_count) > 0;
    return beside && has && !run->devices ? "does not say what devices did" : NULL;
}

static const pj_aspect pj_aspect_devices = {.listen = listen_devices, .lack = lack_devices};

static size_t listen_regions(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_parallel_sink();
    return 1;
}

/// A summary tells the costliest regions: where the trace is at hand all of them are wanted.
static const char *lack_regions(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    const pj_regions *regions = run->openmp_regions;
    bool whole = !run->has_openmp || (regions && !regions->left_out);
    return beside && !whole ? "has not every OpenMP region" : NULL;
}

static bool stale_regions(const pj_run *run)
{
    return run->has_openmp && !run->openmp_regions;
}

static const pj_aspect pj_aspect_regions = {
    .listen = listen_regions,
    .merged = true,
    .lack = lack_regions,
    .stale = stale_regions,
};

static size_t listen_timeline(const pj_timeline_opts *timeline, pj_sink *out)
{
    out[0] = pj_timeline_sink(*timeline);
    out[1] = pj_bundle_sink(*timeline);
    out[2] = pj_device_lanes_sink(*timeline);
    return 3;
}

static const char *lack_timeline(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    bool whole = timeline->range.kind == PJ_ROI_AUTO && timeline->first_rank == 0 &&
                 timeline->last_rank >= run->layout.ranks - 1 &&
                 !(timeline->streams && run->layout.stream_count);
    if (!run->timeline)
        return "does not say what happens over time";
    return beside || !whole ? "shows the run over time only as a whole" : NULL;
}

/// What was asked for before was another range, or other ranks.
static bool stale_timeline(const pj_run *run)
{
    (void)run;
    return true;
}

static const pj_aspect pj_aspect_timeline = {
    .listen = listen_timeline,
    .merged = true,
    .lack = lack_timeline,
    .stale = stale_timeline,
};

static size_t listen_mpi_use(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_mpi_use_sink();
    out[1] = pj_mpi_messages_sink();
    return 2;
}

static const pj_aspect pj_aspect_mpi_use = {.listen = listen_mpi_use, .merged = true};

/// The replay finds them: it knows which call waits for which.
static size_t listen_waits(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    (void)out;
    return 0;
}

static const char *lack_waits(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->waits ? NULL : "does not say who waited for whom";
}

static bool stale_waits(const pj_run *run)
{
    return !run->waits;
}

static const pj_aspect pj_aspect_waits = {
    .listen = listen_waits,
    .merged = true,
    .replayed = true,
    .lack = lack_waits,
    .stale = stale_waits,
};

static const char *lack_delays(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->waits && run->waits->delays ? NULL : "does not say who made ranks wait";
}

static bool stale_delays(const pj_run *run)
{
    return !run->waits || (!run->waits->delays && !run->roi.set);
}

static const pj_aspect pj_aspect_delays = {
    .listen = listen_waits,
    .merged = true,
    .replayed = true,
    .named = true,
    .lack = lack_delays,
    .stale = stale_delays,
};

static size_t listen_omp_waits(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_omp_waits_sink();
    return 1;
}

static const char *lack_omp_waits(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->omp_waits ? NULL : "does not say what threads waited for";
}

static bool stale_omp_waits(const pj_run *run)
{
    return run->has_openmp && !run->omp_waits;
}

static const pj_aspect pj_aspect_omp_waits = {
    .listen = listen_omp_waits,
    .merged = true,
    .lack = lack_omp_waits,
    .stale = stale_omp_waits,
};

static const char *lack_tape(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->tape ? NULL : "has no events to replay";
}

static bool stale_tape(const pj_run *run)
{
    return !run->tape;
}

static const pj_aspect pj_aspect_tape = {
    .listen = listen_waits,
    .merged = true,
    .replayed = true,
    .named = true,
    .lack = lack_tape,
    .stale = stale_tape,
};

static size_t listen_energy(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_energy_sink();
    return 1;
}

static const char *lack_energy(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->energy ? NULL : "does not say how much energy was used";
}

static bool stale_energy(const pj_run *run)
{
    return run->meters.count && !run->energy;
}

static const pj_aspect pj_aspect_energy = {
    .listen = listen_energy,
    .merged = true,
    .lack = lack_energy,
    .stale = stale_energy,
};

static bool stale_energy_regions(const pj_run *run)
{
    return run->meters.count && (!run->energy || !run->energy->region_count);
}

static const pj_aspect pj_aspect_energy_regions = {
    .listen = listen_waits, // as energy does, where regions are told
    .merged = true,
    .named = true,
    .lack = lack_energy,
    .stale = stale_energy_regions,
};

static size_t listen_bursts(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_burst_sink();
    return 1;
}

static const char *lack_bursts(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->bursts ? NULL : "does not say how long each burst of computation was";
}

static bool stale_bursts(const pj_run *run)
{
    return !run->bursts;
}

static const pj_aspect pj_aspect_bursts = {
    .listen = listen_bursts, .lack = lack_bursts, .stale = stale_bursts};

static const pj_aspect *const aspects[] = {
#define ASPECT(key, part) [PJ_ASPECT_##key] = &pj_aspect_##key,
#include "metrics/run/aspects.def"
#include "metrics/trace/device.h"
#undef ASPECT
};

static bool is_wanted(unsigned wanted, unsigned key)
{
    return wanted >> key & 1;
}

size_t pj_aspects_listen(unsigned wanted, const pj_timeline_opts *timeline, pj_sink *out)
{
    size_t count = 0;
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++)
        if (is_wanted(wanted, key))
            count += aspects[key]->listen(timeline, out + count);
    return count;
}

bool pj_aspects_merged(unsigned wanted)
{
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++)
        if (is_wanted(wanted, key) && aspects[key]->merged)
            return true;
    return false;
}

bool pj_aspects_named(unsigned wanted)
{
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++)
        if (is_wanted(wanted, key) && aspects[key]->named)
            return true;
    return false;
}

bool pj_aspects_replayed(unsigned wanted)
{
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++)
        if (is_wanted(wanted, key) && aspects[key]->replayed)
            return true;
    return false;
}

const char *pj_aspects_lack(unsigned wanted, const pj_run *run, const pj_timeline_opts *timeline,
                            bool beside)
{
    const char *lack = NULL;
    if (run->ai) // its account says what they would
        wanted &= PJ_WANT(timeline) | PJ_WANT(devices);
    for (unsigned key = 0; key < PJ_ASPECT_COUNT && !lack; key++)
        if (is_wanted(wanted, key) && aspects[key]->lack)
            lack = aspects[key]->lack(run, timeline, beside);
    return lack;
}

bool pj_aspects_stale(unsigned wanted, const pj_run *run)
{
    if (run->untraced) // its file has no more, but that of an AI run
        return run->ai && is_wanted(wanted, PJ_ASPECT_timeline);
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++)
        if (is_wanted(wanted, key) && aspects[key]->stale && aspects[key]->stale(run))
            return true;
    return false;
}
