// Each rank's time goes to the innermost region of the program that its first thread is in, calls
// of libraries within it too.
#include "metrics/stat/energy_regions.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/meter.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };

typedef struct place {
    uint64_t at;     // accounted up to here
    uint32_t *stack; // of slots
    size_t depth, cap;
} place;

struct pj_energy_regions {
    const pj_layout *layout;
    const char **names;
    uint32_t *slot_of; // by region; `count` = none of the program
    size_t regions, count;
    place *ranks;
    uint32_t nodes;
    double *ns; // by node and slot, that of all nodes last
};

static size_t width(const pj_energy_regions *r)
{
    return r->count + 1;
}

static bool is_of_program(const pj_region *region)
{
    static const char *const kinds[] = {"function", "user", "loop"};
    for (size_t i = 0; region->kind && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(region->kind, kinds[i]) == 0)
            return true;
    return false;
}

static uint32_t node_of(const pj_energy_regions *r, uint32_t rank)
{
    return r->layout->node_of[r->layout->first_location[rank]];
}

static void *zeros(size_t count, size_t size)
{
    return memset(pj_take_memory((count + 1) * size), 0, (count + 1) * size);
}

pj_energy_regions *pj_energy_regions_new(const pj_run *run)
{
    size_t count = 0, regions = run->names.region_count;
    for (size_t i = 0; i < regions; i++)
        count += is_of_program(&run->names.regions[i]);
    if (!count || count > MOST)
        return NULL;
    pj_energy_regions *r = pj_take_memory(sizeof *r);
    *r = (pj_energy_regions){.layout = &run->layout,
                             .names = zeros(count, sizeof *r->names),
                             .slot_of = zeros(regions, sizeof *r->slot_of),
                             .regions = regions,
                             .ranks = zeros(run->layout.ranks, sizeof *r->ranks)};
    for (size_t i = 0; i < regions; i++) {
        bool own = is_of_program(&run->names.regions[i]);
        r->slot_of[i] = own ? (uint32_t)r->count : (uint32_t)count;
        if (own)
            r->names[r->count++] = run->names.regions[i].name;
    }
    for (uint32_t rank = 0; rank < run->layout.ranks; rank++)
        if (node_of(r, rank) >= r->nodes)
            r->nodes = node_of(r, rank) + 1;
    r->ns = zeros((r->nodes + 1) * width(r), sizeof *r->ns);
    return r;
}

void pj_energy_regions_free(pj_energy_regions *r)
{
    for (uint32_t rank = 0; r && rank < r->layout->ranks; rank++)
        free(r->ranks[rank].stack);
    if (!r)
        return;
    free(r->names);
    free(r->slot_of);
    free(r->ranks);
    free(r->ns);
    free(r);
}

size_t pj_energy_regions_count(const pj_energy_regions *r)
{
    return r ? width(r) : 0;
}

const char *pj_energy_regions_name(const pj_energy_regions *r, size_t at)
{
    return at < r->count ? r->names[at] : NULL;
}

static void advance(pj_energy_regions *r, uint32_t rank, uint64_t time)
{
    place *p = &r->ranks[rank];
    if (time <= p->at)
        return;
    size_t slot = p->depth ? p->stack[p->depth - 1] : r->count;
    double span = (double)(time - p->at);
    r->ns[node_of(r, rank) * width(r) + slot] += span;
    r->ns[r->nodes * width(r) + slot] += span;
    p->at = time;
}

void pj_energy_regions_enter(pj_energy_regions *r, uint32_t rank, uint64_t time, uint64_t region)
{
    place *p = &r->ranks[rank];
    if (region >= r->regions || r->slot_of[region] == r->count)
        return;
    advance(r, rank, time);
    if (p->depth == p->cap)
        pj_grow(p->stack, &p->cap, p->depth + 1);
    p->stack[p->depth++] = r->slot_of[region];
}

void pj_energy_regions_leave(pj_energy_regions *r, uint32_t rank, uint64_t time, uint64_t region)
{
    place *p = &r->ranks[rank];
    if (region >= r->regions || r->slot_of[region] == r->count || !p->depth)
        return;
    advance(r, rank, time);
    p->depth--;
}

const double *pj_energy_regions_at(pj_energy_regions *r, uint32_t node, uint64_t time)
{
    for (uint32_t rank = 0; rank < r->layout->ranks; rank++)
        if (node == PJ_METER_ALL_NODES || node_of(r, rank) == node)
            advance(r, rank, time);
    size_t row = node < r->nodes ? node : r->nodes;
    return r->ns + row * width(r);
}
