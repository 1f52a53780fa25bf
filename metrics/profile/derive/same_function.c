// Two tables of hashes: a pair is one only when it is so seen from both sides.
#include "metrics/profile/derive/same_function.h"

#include "metrics/base/fingerprint.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/buckets.h"
#include "metrics/profile/function_name.h"

/// Files of this name are many, their folder tells them apart.
static bool is_every_package(pj_str module)
{
    return pj_str_equal(module, PJ_S("__init__")) || pj_str_equal(module, PJ_S("__main__"));
}

/// What stays of the place of a function when a program is installed elsewhere.
static pj_str place_of(const pj_profile *p, uint32_t region)
{
    pj_str module = pj_function_module(p, region),
           file = pj_profile_text(p, p->regions[region].file);
    if (!is_every_package(module))
        return module;
    size_t slash = pj_str_find_last(file, '/');
    size_t before = slash < file.len ? pj_str_find_last(pj_str_head(file, slash), '/') : file.len;
    return before < slash ? pj_str_from(file, before + 1) : file;
}

static uint32_t hash_of(const pj_profile *p, uint32_t region, pj_same_level level)
{
    const pj_profile_region *r = &p->regions[region];
    pj_str place = level == PJ_SAME_ALL ? pj_profile_text(p, r->file) : place_of(p, region);
    uint64_t name = pj_fingerprint_of(pj_profile_name(p, region));
    return pj_buckets_hash(name ^ (level == PJ_SAME_NAME ? 0 : r->line), pj_fingerprint_of(place));
}

static bool is_same(pj_same_side a, uint32_t x, pj_same_side b, uint32_t y, pj_same_level level)
{
    const pj_profile_region *r = &a.profile->regions[x], *s = &b.profile->regions[y];
    if ((level != PJ_SAME_NAME && r->line != s->line) ||
        !pj_str_equal(pj_profile_name(a.profile, x), pj_profile_name(b.profile, y)) ||
        !pj_str_equal(pj_profile_text(a.profile, r->apart), pj_profile_text(b.profile, s->apart)))
        return false;
    if (level != PJ_SAME_ALL)
        return pj_str_equal(place_of(a.profile, x), place_of(b.profile, y));
    return pj_str_equal(pj_profile_text(a.profile, r->file), pj_profile_text(b.profile, s->file));
}

/// The only function of `b` that is free and the same; PJ_NO_ITEM when there are none or several.
static uint32_t find(const pj_buckets *buckets, pj_same_side a, uint32_t region, pj_same_side b,
                     pj_same_level level)
{
    uint32_t found = PJ_NO_ITEM, hash = hash_of(a.profile, region, level);
    size_t place = hash;
    for (uint32_t r; (r = pj_buckets_next(buckets, hash, &place)) != PJ_NO_ITEM;) {
        if (b.other[r] != PJ_NO_ITEM || !is_same(a, region, b, r, level))
            continue;
        if (found != PJ_NO_ITEM)
            return PJ_NO_ITEM;
        found = r;
    }
    return found;
}

/// Two that are alike are enough to know that neither is the only one.
static void put(pj_buckets *buckets, uint32_t hash, uint32_t region)
{
    size_t place = hash;
    unsigned met = 0;
    while (met < 2 && pj_buckets_next(buckets, hash, &place) != PJ_NO_ITEM)
        met++;
    if (met < 2)
        pj_buckets_put(buckets, hash, region);
}

static pj_buckets index_side(pj_same_side s, pj_same_level level)
{
    pj_buckets buckets = {0};
    for (uint32_t r = 0; r < s.profile->count[PJ_AT_REGION]; r++)
        if (s.other[r] == PJ_NO_ITEM)
            put(&buckets, hash_of(s.profile, r, level), r);
    return buckets;
}

void pj_same_functions(pj_same_side a, pj_same_side b, pj_same_level level)
{
    pj_buckets of_a = index_side(a, level), of_b = index_side(b, level);
    for (uint32_t r = 0; of_b.count && r < a.profile->count[PJ_AT_REGION]; r++) {
        if (a.other[r] != PJ_NO_ITEM)
            continue;
        uint32_t other = find(&of_b, a, r, b, level);
        if (other == PJ_NO_ITEM || find(&of_a, b, other, a, level) != r)
            continue;
        a.other[r] = other;
        b.other[other] = r;
    }
    pj_buckets_free(&of_a);
    pj_buckets_free(&of_b);
}
