// Events in any order, as sinks of parts and the account of waits get them: functions, call paths,
// phases and parameters of two ranks of two threads, bursts of computation, slices of time. What
// they find is no more than there is.
#include "metrics/base/arena.h"
#include "metrics/replay/replay.h"
#include "metrics/run/aspect.h"
#include "metrics/run/parts/burst_clusters.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/stat/parts/burst_sink.h"
#include "metrics/stat/parts/function_sink.h"
#include "metrics/stat/parts/slice_sink.h"
#include "metrics/stat/useful.h"
#include "metrics/trace/event.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RANKS = 2, THREADS = 2, BYTES = 3, EVENTS_MOST = 1 << 14 };

static void require(bool truth)
{
    if (!truth)
        abort();
}

static void name_things(pj_run *run)
{
    static const pj_region regions[] = {{.name = "main", .kind = "user"},
                                        {.name = "step", .kind = "user", .phase = true},
                                        {.name = "MPI_Send", .kind = "mpi"},
                                        {.name = "Working", .kind = "function", .root = true}};
    static const char *parameters[] = {"size", "case"}, *texts[] = {"hot"};
    run->names.regions = (pj_region *)regions;
    run->names.region_count = sizeof regions / sizeof *regions;
    run->names.parameters = parameters;
    run->names.parameter_count = 2;
    run->names.texts = texts;
    run->names.text_count = 1;
}

/// Three bytes are an event: what it is and of which thread, how much later, and a value.
static pj_event event_of(const uint8_t *bytes, uint64_t *time)
{
    static const pj_event kinds[] = {
        {.kind = PJ_EV_STATE, .code = PJ_STATE_RUNNING},
        {.kind = PJ_EV_STATE, .code = 13},
        {.kind = PJ_EV_ENTER},
        {.kind = PJ_EV_LEAVE},
        {.kind = PJ_EV_OTHER, .code = PJ_FUNCTION},
        {.kind = PJ_EV_OTHER, .code = PJ_PARAMETER_SIGNED},
        {.kind = PJ_EV_OTHER, .code = PJ_PARAMETER_UNSIGNED, .b = 1},
        {.kind = PJ_EV_OTHER, .code = PJ_PARAMETER_TEXT, .b = 1},
        {.kind = PJ_EV_OTHER, .code = PJ_PARAMETER_LASTING, .b = 7},
        {.kind = PJ_EV_MPI, .code = 1},
        {.kind = PJ_EV_COUNTERS},
        {.kind = PJ_EV_OTHER},
    };
    pj_event event = kinds[(bytes[0] >> 2) % (sizeof kinds / sizeof *kinds)];
    *time += bytes[1];
    event.time = *time;
    event.location = bytes[0] % (RANKS * THREADS);
    event.a = bytes[2] & 15;
    if (event.kind == PJ_EV_STATE)
        event.a = *time + 1 + bytes[2];
    if (event.kind == PJ_EV_COUNTERS) {
        event.a = bytes[2] * UINT64_C(1000);
        event.b = bytes[2] * UINT64_C(500) + 1;
    }
    return event;
}

static void feed(pj_run *run, pj_sink sink, const pj_event *events, size_t count)
{
    pj_err err = {.code = PJ_E_NONE};
    require(sink.begin(sink.self, run, &err));
    for (size_t i = 0; i < count; i += 7) {
        pj_batch batch = {.events = events + i, .count = count - i < 7 ? count - i : 7};
        require(sink.events(sink.self, &batch, &err));
    }
    require(sink.finish(sink.self, run, &err));
    sink.close(sink.self);
}

static void check_functions(const pj_run *run)
{
    const pj_functions *all = run->functions;
    for (uint32_t i = 0; i < all->count; i++) {
        const pj_function *f = &all->items[i];
        require(f->name && f->whole.ranks <= RANKS && f->own.time_ns <= f->whole.time_ns);
        require(f->outside || f->first_ns <= f->last_ns);
    }
}

static void check_bursts(const pj_run *run)
{
    for (uint32_t i = 0; i < run->bursts->count; i++) {
        double place = pj_burst_position(&run->bursts->clusters[i], run->bursts->order);
        require(place >= 0 && place <= 1);
        require(run->bursts->functions[i].time_ns <= run->bursts->clusters[i].time_ns);
    }
}

/// What ranks wait is part of MPI, and all of it is charged or not attributed.
static void check_waits(const pj_run *run)
{
    const pj_waits *waits = run->waits;
    double all = 0, costs = waits->delays->unattributed_ns;
    for (uint32_t i = 0; i < RANKS; i++) {
        require(waits->ranks[i].wait_ns <= waits->ranks[i].mpi_ns);
        all += (double)waits->ranks[i].wait_ns;
    }
    for (uint32_t i = 0; i < waits->delays->delay_count; i++)
        costs += waits->delays->delays[i].short_ns + waits->delays->delays[i].long_ns;
    require(fabs(all - costs) <= 1e-6 * (1 + all));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / BYTES < EVENTS_MOST ? size / BYTES : EVENTS_MOST;
    pj_auto_run run = made_run_even("fuzz", RANKS, THREADS);
    pj_event *events = pj_new_n(run->arena, pj_event, count + 1);
    uint64_t time = 0;
    name_things(run);
    for (size_t i = 0; i < count; i++)
        events[i] = event_of(data + i * BYTES, &time);
    run->end_ns = time + 300;
    feed(run, pj_useful_sink(), events, count);
    for (pj_function_cut cut = PJ_CUT_NOTHING + 1; cut < PJ_CUT_END; cut++) {
        pj_function_parts *parts = pj_function_parts_new(cut, false);
        feed(run, pj_function_sink(parts), events, count);
        feed(run, pj_function_finish_sink(parts), events, count);
        check_functions(run);
        pj_function_parts_free(parts);
    }
    feed(run, pj_burst_sink(), events, count);
    check_bursts(run);
    run->runtime_ns = run->end_ns;
    feed(run, pj_replay_sink((pj_replay_opts){.waits = true, .history = PJ_HISTORY}), events,
         count);
    check_waits(run);
    pj_slicing *slicing = pj_slicing_new(pj_slicing_equal((uint32_t)(1 + size % 9)));
    feed(run, pj_slice_sink(slicing), events, count);
    pj_slicing_free(slicing);
    return 0;
}
