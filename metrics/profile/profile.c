// Profiles are shared by counting who holds them; kinds of regions as data.
#include "metrics/profile/profile.h"

#include "metrics/base/str.h"

#include <stdlib.h>

pj_profile *pj_profile_hold(pj_profile *profile)
{
    atomic_fetch_add(&profile->references, 1);
    return profile;
}

void pj_profile_release(pj_profile *profile)
{
    if (!profile || atomic_fetch_sub(&profile->references, 1) > 1)
        return;
    for (uint32_t c = 0; c < profile->column_count; c++)
        free(profile->columns[c].real);
    for (uint32_t s = 0; s < profile->series_count; s++)
        free(profile->series[s].points);
    void *arrays[] = {profile->files,   profile->texts,  profile->groups,   profile->regions,
                      profile->nodes,   profile->edges,  profile->lines,    profile->locations,
                      profile->columns, profile->series, profile->brackets, profile->phases,
                      profile->events,  profile->pairs,  profile->measures};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    pj_arena_free(profile->arena);
    free(profile);
}

const char *pj_region_kind_key(pj_region_kind kind)
{
    static const char *const keys[] = {
#define REGION_KIND(key, ...) #key,
#include "metrics/profile/region_kinds.def"
#undef REGION_KIND
    };
    return keys[kind];
}

const char *pj_shape_name(pj_shape shape)
{
    static const char *const names[] = {
        [PJ_SHAPE_FLAT] = "flat", [PJ_SHAPE_GRAPH] = "graph", [PJ_SHAPE_TREE] = "tree"};
    return names[shape];
}

const char pj_profile_of_several[] = "several";

int64_t pj_profile_rank_count(const pj_profile *profile)
{
    int64_t ranks = 0;
    for (uint32_t i = 0; i < profile->location_count; i++)
        ranks += i == 0 || profile->locations[i].rank != profile->locations[i - 1].rank;
    return ranks;
}

uint32_t pj_profile_measure(const pj_profile *profile, pj_str key)
{
    for (uint32_t m = 0; m < profile->measure_count; m++)
        if (pj_str_equal(key, pj_str_of(profile->measures[m].key)))
            return m;
    return PJ_NO_ITEM;
}

bool pj_profile_tells(const pj_profile *profile, const pj_profile_column *column, uint32_t location)
{
    if (!column || strcmp(profile->format, pj_profile_of_several) != 0)
        return true;
    for (uint32_t i = 0; i < profile->count[column->site]; i++)
        if (!isnan(pj_profile_value(profile, column, i, location)))
            return true;
    return false;
}

const pj_profile_column *pj_profile_find(const pj_profile *profile, pj_site site,
                                         pj_value_part part, uint32_t measure)
{
    for (uint32_t c = 0; c < profile->column_count; c++) {
        const pj_profile_column *column = &profile->columns[c];
        if (column->site == site && column->part == part && column->measure == measure)
            return column;
    }
    return NULL;
}
