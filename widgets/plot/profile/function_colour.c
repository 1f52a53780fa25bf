// Pale colours under dark text: 12 blues, teals and violets for work, greys for what is built in,
// oranges for waiting.
#include "metrics/base/str.h"
#include "metrics/profile/build/buckets.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/profile/profile_view.h"

static const pj_colour work[] = {0x9ec5e8ff, 0x93d2d2ff, 0xb6b6eaff, 0x86b6e2ff,
                                 0xaadde0ff, 0xc9c0efff, 0x9fc0f2ff, 0x8ac6cbff,
                                 0xa9a9e0ff, 0xbcd7f3ff, 0x9cd5ecff, 0xd3c6f1ff};
static const pj_colour builtin[] = {0xd9dde3ff, 0xcbd1d9ff, 0xe3e5eaff, 0xc2c9d2ff, 0xd1d8dfff};
static const pj_colour waiting[] = {0xf0a860ff, 0xf9d6a4ff, 0xe39a5bff, 0xf4bd62ff,
                                    0xe3a67aff, 0xffc98aff, 0xd8a765ff};

/// FNV-1a: the same on every machine, so that pictures of two of them agree.
static uint32_t hashed(pj_str text)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (uint8_t)text.at[i]) * 16777619u;
    return hash;
}

pj_colour pj_function_colour(const pj_profile *profile, uint32_t region)
{
    uint32_t hash = pj_buckets_hash(hashed(pj_profile_name(profile, region)),
                                    hashed(pj_function_module(profile, region)));
    switch (pj_function_family_of(profile, region)) {
    case PJ_FAMILY_WAIT:
        return waiting[hash % (sizeof waiting / sizeof *waiting)];
    case PJ_FAMILY_BUILTIN:
        return builtin[hash % (sizeof builtin / sizeof *builtin)];
    case PJ_FAMILY_WORK:
    case PJ_FAMILY_COUNT:
        break;
    }
    return work[hash % (sizeof work / sizeof *work)];
}

size_t pj_function_keys(const bool there[PJ_FAMILY_COUNT], pj_chart_key keys[PJ_FAMILY_COUNT])
{
    static const pj_chart_key all[] = {
        [PJ_FAMILY_WORK] = {"Functions (blue to violet)", 0x9ec5e8ff},
        [PJ_FAMILY_BUILTIN] = {"Built-in and system", 0xcbd1d9ff},
        [PJ_FAMILY_WAIT] = {"Communication and waiting", 0xf0a860ff},
    };
    size_t count = 0;
    for (size_t i = 0; i < PJ_FAMILY_COUNT; i++)
        if (there[i])
            keys[count++] = all[i];
    return count;
}

/// d3's category20c.
pj_colour pj_function_colour_of_snakeviz(size_t appearance)
{
    static const pj_colour colours[] = {0x3182bdff, 0x6baed6ff, 0x9ecae1ff, 0xc6dbefff, 0xe6550dff,
                                        0xfd8d3cff, 0xfdae6bff, 0xfdd0a2ff, 0x31a354ff, 0x74c476ff,
                                        0xa1d99bff, 0xc7e9c0ff, 0x756bb1ff, 0x9e9ac8ff, 0xbcbddcff,
                                        0xdadaebff, 0x636363ff, 0x969696ff, 0xbdbdbdff, 0xd9d9d9ff};
    return colours[appearance % (sizeof colours / sizeof *colours)];
}
