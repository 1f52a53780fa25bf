// The Paraver reader with all sinks on any bytes; blocks read fast must give what careful reading
// gives, which `test_prv` compares and a crash here would show.
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/replay/replay.h"
#include "metrics/run/aspect.h"
#include "metrics/stat/bracket.h"
#include "metrics/stat/device_sink.h"
#include "metrics/stat/omp_waits_sink.h"
#include "metrics/stat/parts/burst_sink.h"
#include "metrics/stat/parts/function_sink.h"
#include "metrics/stat/parts/slice_sink.h"
#include "metrics/stat/useful.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLICES = 5 };

/// What one pass leaves for the next.
typedef struct found {
    uint64_t *disorder;
    void *learnt;
    bool learning;
} found;

static bool read_pass(pj_str bytes, pj_job *job, found *passed)
{
    pj_bracket bracket;
    pj_function_parts *parts = pj_function_parts_new(PJ_CUT_PATHS, false);
    pj_slicing *slicing = pj_slicing_new(pj_slicing_equal(SLICES));
    pj_replay_opts replay = {.job = job, .waits = true, .history = PJ_HISTORY};
    pj_sink sinks[] = {pj_useful_sink(),          pj_device_sink(),
                       pj_bracket_sink(&bracket), pj_omp_waits_sink(),
                       pj_replay_sink(replay),    pj_burst_sink(),
                       pj_function_sink(parts),   pj_function_finish_sink(parts),
                       pj_slice_sink(slicing)};
    enum { SINKS = sizeof sinks / sizeof *sinks };
    pj_pass pass = {.run = pj_run_new("fuzz"),
                    .sinks = sinks,
                    .sink_count = SINKS,
                    .job = job,
                    .disorder = passed->disorder,
                    .learnt = passed->learnt};
    pj_err err = {.code = PJ_E_NONE};
    bool ok = pj_read_memory("fuzz", bytes, &pass, &err);
    assert(ok == (err.code == PJ_E_NONE));
    *passed = (found){pass.disorder, pass.learnt, pass.learning};
    for (size_t i = 0; i < SINKS; i++)
        sinks[i].close(sinks[i].self);
    pj_function_parts_free(parts);
    pj_slicing_free(slicing);
    pj_run_release(pass.run);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pj_job job = {.workers = 1, .memory_budget = 64 << 20};
    found passed = {.disorder = NULL};
    pj_str bytes = {(const char *)data, size};
    bool ok = read_pass(bytes, &job, &passed);
    if (ok && passed.learning)
        ok = read_pass(bytes, &job, &passed);
    if (ok && passed.disorder)
        read_pass(bytes, &job, &passed);
    free(passed.disorder);
    free(passed.learnt);
    assert(atomic_load(&job.memory_used) == 0);
    return 0;
}
