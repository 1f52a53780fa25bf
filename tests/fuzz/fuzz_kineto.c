// Traces of AI runs from any bytes: refused, or a run whose account closes.
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/run/ai_account.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { BUDGET = 64 << 20 };
    pj_job job = {.workers = 1, .memory_budget = BUDGET};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = pj_run_new("fuzz.json");
    pj_pass pass = {.run = run, .job = &job};
    if (!pj_read_memory("fuzz", (pj_str){(const char *)data, size}, &pass, &err)) {
        assert(err.code && err.text[0]);
        return 0;
    }
    for (uint32_t d = 0; run->ai && d < run->ai->count; d++) {
        const pj_ai_share *share = &run->ai->shares[d];
        assert(share->useful + share->transfer + share->copies + share->unsplit + share->wait +
                   pj_ai_share_idle(share) ==
               run->runtime_ns);
    }
    return 0;
}
