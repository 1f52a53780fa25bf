// Which function of the program a rank is in.
// Events come ahead of the replay: changes wait in a queue until it passes their time.
#include "metrics/replay/wait_regions.h"

#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/run/regions.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST = 1 << 16, // functions that are open; those within count for the outer one
    RECENT = 256,      // numbers that are found without the map, a power of two
};

typedef struct change {
    uint64_t time;
    uint32_t region;
} change;

typedef struct place { // of a rank
    uint32_t *open;    // regions, the outermost first
    size_t depth, cap;
    size_t beyond;   // open ones that are not kept
    change *changes; // ring
    uint32_t head, count, changes_cap;
} place;

/// What a number stands for: a kind and its value.
typedef struct naming {
    uint16_t kind; // PJ_EV_MPI: call; PJ_EV_ENTER: region of the trace; PJ_EV_OTHER: function
    uint64_t value;
} naming;

typedef struct numbered {
    uint64_t key; // 0 = none
    uint32_t number;
} numbered;

struct pj_wait_regions {
    const pj_run *run;
    place *places;      // by rank
    pj_region_now *now; // the same
    pj_map numbers;
    numbered recent[RECENT]; // by the lowest digits of the key
    naming namings[PJ_WAIT_REGIONS_MOST];
    uint32_t count;
    size_t bytes;
};

pj_wait_regions *pj_wait_regions_new(const pj_run *run)
{
    pj_wait_regions *regions = pj_take_memory(sizeof *regions);
    *regions = (pj_wait_regions){.run = run, .count = PJ_WAIT_REGION_REST + 1};
    regions->places = pj_take_zeros(run->layout.ranks * sizeof *regions->places);
    regions->now = pj_take_memory(run->layout.ranks * sizeof *regions->now);
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        regions->now[i] = (pj_region_now){UINT64_MAX, PJ_WAIT_REGION_NONE};
    return regions;
}

void pj_wait_regions_free(pj_wait_regions *regions)
{
    if (!regions)
        return;
    for (uint32_t i = 0; i < regions->run->layout.ranks; i++) {
        free(regions->places[i].open);
        free(regions->places[i].changes);
    }
    free(regions->places);
    free(regions->now);
    pj_map_free(&regions->numbers);
    free(regions);
}

static uint32_t find_number(pj_wait_regions *regions, uint16_t kind, uint64_t value, uint64_t key)
{
    uint32_t number;
    if (pj_map_get(&regions->numbers, key, &number))
        return number;
    if (regions->count == PJ_WAIT_REGIONS_MOST)
        return PJ_WAIT_REGION_REST;
    number = regions->count++;
    regions->namings[number] = (naming){kind, value};
    pj_map_put(&regions->numbers, key, number);
    return number;
}

static uint32_t number_of(pj_wait_regions *regions, uint16_t kind, uint64_t value)
{
    enum { KIND_BITS = 4 };
    uint64_t key = value << KIND_BITS | kind;
    numbered *recent = &regions->recent[(value ^ (uint64_t)kind << KIND_BITS) & (RECENT - 1)];
    if (recent->key != key || !key)
        *recent = (numbered){key, find_number(regions, kind, value, key)};
    return recent->number;
}

uint32_t pj_wait_regions_call(pj_wait_regions *regions, pj_mpi_call call)
{
    return number_of(regions, PJ_EV_MPI, call);
}

static uint32_t innermost(const place *p)
{
    return p->depth ? p->open[p->depth - 1] : PJ_WAIT_REGION_NONE;
}

static void add_change(pj_wait_regions *regions, uint32_t rank, uint64_t time)
{
    place *p = &regions->places[rank];
    if (p->count == p->changes_cap) {
        uint32_t cap = p->changes_cap ? 2 * p->changes_cap : 8;
        p->changes = pj_widen_ring(p->changes, p->changes_cap, p->head, cap, sizeof *p->changes);
        regions->bytes += (cap - p->changes_cap) * sizeof *p->changes;
        p->changes_cap = cap;
        p->head = 0;
    }
    p->changes[(p->head + p->count++) & (p->changes_cap - 1)] = (change){time, innermost(p)};
    if (p->count == 1)
        regions->now[rank].until = time;
}

static void enter(pj_wait_regions *regions, uint32_t rank, const pj_event *event, uint32_t region)
{
    place *p = &regions->places[rank];
    if (p->depth == DEEPEST) {
        p->beyond++;
        return;
    }
    pj_grow(p->open, &p->cap, p->depth + 1);
    bool changes = region != innermost(p);
    p->open[p->depth++] = region;
    if (changes)
        add_change(regions, rank, event->time);
}

static void leave(pj_wait_regions *regions, uint32_t rank, const pj_event *event)
{
    place *p = &regions->places[rank];
    if (p->beyond) {
        p->beyond--;
        return;
    }
    if (!p->depth)
        return;
    uint32_t left = innermost(p);
    p->depth--;
    if (left != innermost(p))
        add_change(regions, rank, event->time);
}

/// MPI functions are told by their calls, and what a recorder opens itself is no function: to have
/// entered one changes nothing.
static uint32_t region_of(pj_wait_regions *regions, const place *p, uint64_t region)
{
    const pj_run_names *names = &regions->run->names;
    const pj_region *known = region < names->region_count ? &names->regions[region] : NULL;
    bool other = known && (known->root || (known->kind && strcmp(known->kind, "mpi") == 0));
    return other ? innermost(p) : number_of(regions, PJ_EV_ENTER, region);
}

void pj_wait_regions_event(pj_wait_regions *regions, const pj_event *event)
{
    const pj_layout *layout = &regions->run->layout;
    uint32_t rank = layout->rank_of[event->location];
    bool function = event->kind == PJ_EV_OTHER && event->code == PJ_FUNCTION;
    if (layout->first_location[rank] != event->location)
        return;
    if (event->kind == PJ_EV_ENTER)
        enter(regions, rank, event, region_of(regions, &regions->places[rank], event->a));
    else if (function && event->a)
        enter(regions, rank, event, number_of(regions, PJ_EV_OTHER, event->a));
    else if (function || event->kind == PJ_EV_LEAVE)
        leave(regions, rank, event);
}

bool pj_wait_regions_next(pj_wait_regions *regions, uint32_t rank, uint64_t *from, uint64_t to,
                          pj_region_piece *piece)
{
    place *p = &regions->places[rank];
    pj_region_now *now = &regions->now[rank];
    while (now->until <= to && p->count) {
        if (now->until > *from) {
            *piece = (pj_region_piece){now->region, now->until - *from};
            *from = now->until;
            return true;
        }
        now->region = p->changes[p->head].region;
        p->head = (p->head + 1) & (p->changes_cap - 1);
        p->count--;
        now->until = p->count ? p->changes[p->head].time : UINT64_MAX;
    }
    *piece = (pj_region_piece){now->region, to > *from ? to - *from : 0};
    *from = to > *from ? to : *from;
    return piece->ns > 0;
}

const pj_region_now *pj_wait_regions_now(const pj_wait_regions *regions)
{
    return regions->now;
}

uint32_t pj_wait_regions_count(const pj_wait_regions *regions)
{
    return regions->count;
}

const char *pj_wait_regions_name(const pj_wait_regions *regions, uint32_t number, pj_arena *arena)
{
    const naming *what = &regions->namings[number];
    const pj_mpi_call_row *row;
    const char *label;
    if (number == PJ_WAIT_REGION_NONE)
        return "outside any function";
    if (number == PJ_WAIT_REGION_REST)
        return "other functions";
    switch (what->kind) {
    case PJ_EV_MPI:
        row = pj_mpi_call_at((pj_mpi_call)what->value);
        return row ? row->name : "unknown MPI call";
    case PJ_EV_ENTER:
        return what->value < regions->run->names.region_count
                   ? regions->run->names.regions[what->value].name
                   : "unknown region";
    default:
        label = pj_region_label(regions->run, PJ_FUNCTION, what->value);
        return label ? label
                     : pj_arena_format(arena, "function %llu", (unsigned long long)what->value);
    }
}

size_t pj_wait_regions_bytes(const pj_wait_regions *regions)
{
    return sizeof *regions + regions->bytes +
           regions->run->layout.ranks * (sizeof(place) + sizeof(pj_region_now));
}
