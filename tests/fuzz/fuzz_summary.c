// Summaries from any bytes: refused, or a run that tables can be made of.
#include "metrics/pop/measures.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/parts/functions_table.h"
#include "metrics/run/run_table.h"
#include "metrics/run/timeline.h"
#include "metrics/run/waits/omp_causes.h"
#include "metrics/run/waits/omp_waits.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/waits_table.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { BUDGET = 50 << 20 };
    pj_job job = {.workers = 1, .memory_budget = BUDGET};
    pj_err err = {0};
    pj_auto_run run = pj_run_new("fuzz.popinjay.json.gz");
    pj_pass pass = {.run = run, .job = &job};
    if (!pj_read_memory("fuzz", (pj_str){(const char *)data, size}, &pass, &err)) {
        assert(err.code && err.text[0]);
        return 0;
    }
    if (!run->provenance)
        return 0;
    pj_auto_table stats = pj_run_table_stats(run);
    pj_auto_table ideal = pj_run_table_ideal(run);
    assert(stats->row_count == run->layout.locations);
    pj_auto_table parts = pj_functions_table(run, false, &err);
    assert(!parts || parts->row_count == run->functions->count);
    pj_auto_table threads = pj_omp_waits_table(run, &err);
    assert(!threads || threads->row_count == run->omp_waits->count);
    pj_auto_table culprits = pj_waits_table(run, PJ_WAITS_BLAMES, &err);
    assert(!culprits || run->waits->has_ideal);
    if (run->omp_waits) {
        uint32_t causes;
        assert(pj_omp_causes(run, run->arena, &causes) && causes > 0);
    }
    const pj_case one = {.run = run, .layout = &run->layout, .sums = pj_sums_of(run)};
    assert(pj_measures_of(&one, false).run == run && ideal->row_count <= run->layout.ranks);
    return 0;
}
