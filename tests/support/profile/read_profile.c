// Profiles of files and of bytes, and single values of them.
#include "tests/support/profile/read_profile.h"

#include "metrics/profile/build/profile_build.h"
#include "metrics/read/read.h"
#include "metrics/read/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static pj_profile *finish(const pj_reader *reader, pj_build *build, pj_err *err)
{
    return reader ? pj_build_finish(build, err) : NULL;
}

pj_profile *read_profile_bytes(const char *name, pj_str bytes, pj_err *err)
{
    pj_job job = {.workers = 1, .memory_budget = 64 << 20};
    pj_auto_build build = pj_build_new(name, &job);
    return finish(pj_read_profile_memory(name, bytes, &job, build, err), build, err);
}

static pj_profile *read_file(const char *path, pj_err *err)
{
    pj_job job = {.workers = 1};
    pj_auto_build build = pj_build_new(path, &job);
    return finish(pj_read_profile(path, &job, build, err), build, err);
}

pj_profile *read_profile_file(const char *path)
{
    pj_err err = {0};
    pj_profile *profile = read_file(path, &err);
    if (!profile)
        fail_msg("%s: %s", path, err.text);
    return profile;
}

void refuse_profile_file(const char *path, const char *part)
{
    pj_err err = {0};
    pj_auto_profile profile = read_file(path, &err);
    if (profile || err.code == PJ_E_NONE || !pj_str_contains(pj_str_of(err.text), pj_str_of(part)))
        fail_msg("%s is not refused for \"%s\" but for \"%s\"", path, part, err.text);
}

uint32_t region_called(const pj_profile *profile, pj_str name, const pj_str *file)
{
    for (uint32_t i = 0; i < profile->count[PJ_AT_REGION]; i++)
        if (pj_str_equal(pj_profile_name(profile, i), name) &&
            (!file || pj_str_equal(pj_profile_text(profile, profile->regions[i].file), *file)))
            return i;
    return PJ_NO_ITEM;
}

double profile_value(const pj_profile *profile, pj_site site, pj_value_part part, const char *key,
                     uint32_t item, uint32_t location)
{
    uint32_t measure = key ? pj_profile_measure(profile, pj_str_of(key)) : PJ_NO_ITEM;
    if (key && measure == PJ_NO_ITEM)
        return NAN;
    return pj_profile_value(profile, pj_profile_find(profile, site, part, measure), item, location);
}

void same_value(double a, double b)
{
    double larger = fmax(fabs(a), fabs(b));
    if (isnan(a) != isnan(b) || fabs(a - b) > 1e-9 * larger)
        fail_msg("%.17g is not %.17g", a, b);
}
