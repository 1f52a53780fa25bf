// TALP files from any bytes: refused, or a run and its regions that metrics can be made of.
#include "metrics/pop/metrics.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/run/run_table.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(pj_run *run)
{
    pj_err err = {0};
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, &err);
    pj_auto_metrics metrics =
        pj_metrics_new(pj_metric_set_default(study), study, (pj_metrics_opts){0}, &err);
    pj_auto_table table = pj_metrics_table(metrics);
    assert(table->row_count == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { BUDGET = 20 << 20 };
    pj_job job = {.workers = 1, .memory_budget = BUDGET};
    pj_err err = {0};
    pj_auto_run run = pj_run_new("fuzz.json");
    pj_pass pass = {.run = run, .job = &job};
    if (!pj_read_memory("fuzz", (pj_str){(const char *)data, size}, &pass, &err)) {
        assert(err.code && err.text[0]);
        return 0;
    }
    if (!run->untraced)
        return 0;
    evaluate(run);
    for (size_t i = 0; i < run->parts.count && i < 50; i++)
        evaluate(run->parts.items[i]);
    return 0;
}
