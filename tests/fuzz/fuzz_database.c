// Databases from any bytes: refused, or a run whose account closes.
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/run/ai_account.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_account(const pj_run *run)
{
    for (uint32_t d = 0; run->ai && d < run->ai->count; d++) {
        const pj_ai_share *share = &run->ai->shares[d];
        assert(share->useful + share->transfer + share->copies + share->unsplit + share->wait +
                   pj_ai_share_idle(share) ==
               run->runtime_ns);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { BUDGET = 64 << 20 };
    char path[] = "/tmp/popinjay_fuzz_XXXXXX";
    int fd = mkstemp(path);
    FILE *out = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!out)
        return 0;
    size_t written = fwrite(data, 1, size, out);
    fclose(out);
    pj_job job = {.workers = 1, .memory_budget = BUDGET};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = pj_run_new(path);
    pj_pass pass = {.run = run, .job = &job};
    bool ok = written == size && pj_read_file(path, &pass, &err);
    remove(path);
    if (ok)
        expect_account(run);
    else
        assert(written < size || (err.code && err.text[0]));
    return 0;
}
