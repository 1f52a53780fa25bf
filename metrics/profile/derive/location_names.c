// Of several locations of a rank the name counts when they agree.
#include "metrics/profile/derive/location_names.h"

static uint32_t find(const pj_location_names *n, int64_t rank, int64_t thread)
{
    size_t place = pj_buckets_hash((uint64_t)rank, (uint64_t)thread);
    uint32_t hash = (uint32_t)place, i;
    while ((i = pj_buckets_next(&n->buckets, hash, &place)) != PJ_NO_ITEM)
        if (n->ranks[i] == rank && n->threads[i] == thread)
            return i;
    return PJ_NO_ITEM;
}

bool pj_location_names_of(const pj_profile *p, bool by_thread, pj_arena *arena,
                          pj_location_names *n)
{
    *n = (pj_location_names){.ranks = pj_new_n(arena, int64_t, p->location_count + (size_t)1),
                             .threads = pj_new_n(arena, int64_t, p->location_count + (size_t)1),
                             .texts = pj_new_n(arena, uint32_t, p->location_count + (size_t)1),
                             .by_thread = by_thread};
    for (uint32_t l = 0; l < p->location_count; l++) {
        int64_t rank = p->locations[l].rank, thread = by_thread ? p->locations[l].thread : -1;
        uint32_t known = find(n, rank, thread);
        if (known != PJ_NO_ITEM) {
            n->texts[known] = n->texts[known] == p->locations[l].name ? n->texts[known] : 0;
            continue;
        }
        n->ranks[n->count] = rank;
        n->threads[n->count] = thread;
        n->texts[n->count] = p->locations[l].name;
        pj_buckets_put(&n->buckets, pj_buckets_hash((uint64_t)rank, (uint64_t)thread), n->count++);
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        if (first && n->texts[i] && n->texts[i] != first)
            return true;
        first = first ? first : n->texts[i];
    }
    return false;
}

void pj_location_names_free(pj_location_names *n)
{
    pj_buckets_free(&n->buckets);
}

uint32_t pj_location_name(const pj_location_names *n, int64_t rank, int64_t thread)
{
    uint32_t found = find(n, rank, n->by_thread ? thread : -1);
    return found == PJ_NO_ITEM ? 0 : n->texts[found];
}
