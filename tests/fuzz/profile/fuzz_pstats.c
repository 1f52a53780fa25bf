// cProfile files from any bytes: refused, or a profile that holds together.
#include "metrics/profile/build/profile_build.h"
#include "metrics/read/read.h"
#include "metrics/read/reader.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { BUDGET = 50 << 20 };
    pj_job job = {.workers = 1, .memory_budget = BUDGET};
    pj_err err = {0};
    pj_auto_build build = pj_build_new("fuzz.prof", &job);
    pj_str bytes = {(const char *)data, size};
    const pj_reader *reader = pj_read_profile_memory("fuzz.prof", bytes, &job, build, &err);
    pj_auto_profile profile = reader ? pj_build_finish(build, &err) : NULL;
    assert((profile != NULL) == (err.code == PJ_E_NONE));
    if (!profile)
        return 0;
    if (strcmp(reader->name, "pstats") == 0) // other formats may be recognised too
        assert(profile->location_count == 1 || profile->count[PJ_AT_REGION] == 0);
    for (uint32_t e = 0; e < profile->count[PJ_AT_EDGE]; e++)
        assert(profile->edges[e].caller < profile->count[PJ_AT_REGION] &&
               profile->edges[e].callee < profile->count[PJ_AT_REGION]);
    assert(atomic_load(&job.memory_used) == 0);
    return 0;
}
