// Names and values of TAU's entries. What the source gave for functions is told again; else it is
// what follows from call paths.
#include "metrics/profile/write/tau_entries.h"

#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/profile/profile_sums.h"

#include <stdlib.h>

enum { DEPTH_MAX = 4096 };

/// "solve [{a.c} {12}]": with its place in the source, unless the name has it. An arrow would make
/// a call path of it.
static void add_name(const pj_profile *p, uint32_t region, pj_buf *out)
{
    const pj_profile_region *at = &p->regions[region];
    pj_str name = p->texts[at->name];
    size_t from = out->len;
    pj_buf_add(out, name.len ? name : PJ_S("???"));
    if (at->file && at->line && !pj_str_contains(name, PJ_S("[{")))
        pj_buf_addf(out, " [{" PJ_STR_FMT "} {%u}]", PJ_STR_ARG(p->texts[at->file]), at->line);
    for (size_t i = from; i + 1 < out->len; i++)
        if (out->at[i] == '=' && out->at[i + 1] == '>')
            out->at[i] = '-';
}

/// Without parameters, which TAU would take for other functions: equal paths are added up.
static void add_path(const pj_profile *p, uint32_t node, pj_buf *out)
{
    uint32_t path[DEPTH_MAX], depth = 0;
    for (uint32_t n = node; n != PJ_NO_ITEM && depth < DEPTH_MAX; n = p->nodes[n].parent)
        path[depth++] = n;
    while (depth-- > 0) {
        add_name(p, p->nodes[path[depth]].region, out);
        pj_buf_puts(out, depth ? " => " : "");
    }
}

static void add_entry(pj_tau_entries *e, pj_site site, uint32_t item, uint32_t region)
{
    pj_auto_buf name = {.at = NULL};
    const pj_profile *p = e->profile;
    if (site == PJ_AT_NODE) {
        add_path(p, item, &name);
    } else if (site == PJ_AT_EDGE) {
        add_name(p, p->edges[item].caller, &name);
        pj_buf_puts(&name, " => ");
        add_name(p, p->edges[item].callee, &name);
    } else {
        add_name(p, item, &name);
    }
    e->entries[e->count++] =
        (pj_tau_entry){pj_arena_str(e->arena, pj_buf_str(&name)), site, item, region};
}

static bool has_values(const pj_profile *p, uint32_t measure)
{
    for (uint32_t c = 0; c < p->column_count; c++)
        if (p->columns[c].measure == measure && p->columns[c].site != PJ_AT_LINE)
            return true;
    return false;
}

pj_tau_entries *pj_tau_entries_new(const pj_profile *p)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_tau_entries *e = pj_new(arena, pj_tau_entries);
    *e = (pj_tau_entries){.arena = arena, .profile = p};
    size_t most = (size_t)p->count[PJ_AT_REGION] + p->count[PJ_AT_NODE] + p->count[PJ_AT_EDGE];
    e->entries = pj_new_n(arena, pj_tau_entry, most + 1);
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++)
        add_entry(e, PJ_AT_REGION, r, r);
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++)
        if (p->nodes[n].depth) // roots are functions
            add_entry(e, PJ_AT_NODE, n, p->nodes[n].region);
    for (uint32_t i = 0; p->shape == PJ_SHAPE_GRAPH && i < p->count[PJ_AT_EDGE]; i++)
        add_entry(e, PJ_AT_EDGE, i, p->edges[i].callee);
    e->measures = pj_new_n(arena, uint32_t, p->measure_count + 1);
    for (uint32_t m = 0; m < p->measure_count; m++)
        if (!p->measures[m].reason && has_values(p, m))
            e->measures[e->measure_count++] = m;
    e->calls = pj_new_n(arena, double, e->count + 1);
    e->child_calls = pj_new_n(arena, double, e->count + 1);
    e->exclusive = pj_new_n(arena, double, e->count * e->measure_count + 1);
    e->inclusive = pj_new_n(arena, double, e->count * e->measure_count + 1);
    return e;
}

void pj_tau_entries_free(pj_tau_entries *entries)
{
    if (entries)
        pj_arena_free(entries->arena);
}

// Values

static const pj_profile_sums_of *sums_at(const pj_profile_sums *sums, pj_site site)
{
    return site == PJ_AT_NODE ? &sums->nodes : site == PJ_AT_EDGE ? &sums->edges : &sums->regions;
}

/// The stored value, else what follows.
static double value_at(const pj_tau_entries *e, const pj_tau_entry *entry, pj_value_part part,
                       uint32_t measure, const double *follows)
{
    const pj_profile_column *column = pj_profile_find(e->profile, entry->site, part, measure);
    if (column)
        return pj_profile_value(e->profile, column, entry->item, e->location);
    return follows ? follows[entry->item] : NAN;
}

/// Microseconds that were whole numbers before they became seconds are so again, others are those
/// that are read as the same seconds.
static double in_microseconds(double seconds)
{
    static const double per_second = 1e6;
    double value = seconds * per_second, whole = round(value);
    double near[] = {value, nextafter(value, INFINITY), nextafter(value, -INFINITY)};
    if (fabs(value - whole) <= 1e-9 * fabs(value))
        return whole;
    for (size_t i = 0; i < sizeof near / sizeof *near; i++)
        if (near[i] / per_second == seconds)
            return near[i];
    return value;
}

static void fill_measure(pj_tau_entries *e, size_t number, const pj_profile_sums *sums)
{
    uint32_t measure = e->measures[number];
    bool time = e->profile->measures[measure].kind == PJ_MEASURE_TIME;
    for (size_t i = 0; i < e->count; i++) {
        const pj_tau_entry *entry = &e->entries[i];
        const pj_profile_sums_of *of = sums_at(sums, entry->site);
        double exclusive = value_at(e, entry, PJ_EXCLUSIVE, measure, of->exclusive);
        double inclusive = value_at(e, entry, PJ_INCLUSIVE, measure, of->inclusive);
        size_t cell = i * e->measure_count + number;
        e->exclusive[cell] = time ? in_microseconds(exclusive) : exclusive;
        e->inclusive[cell] = time ? in_microseconds(inclusive) : inclusive;
    }
}

/// Calls of callees, where the source does not tell them.
static double *count_children(const pj_tau_entries *e, const pj_profile_sums *sums, pj_arena *arena)
{
    const pj_profile *p = e->profile;
    double *counts = pj_new_n(arena, double, p->count[PJ_AT_NODE] + p->count[PJ_AT_REGION] + 1);
    for (uint32_t n = 0; sums->nodes.calls && n < p->count[PJ_AT_NODE]; n++) {
        uint32_t parent = p->nodes[n].parent;
        double calls = isnan(sums->nodes.calls[n]) ? 0 : sums->nodes.calls[n];
        if (parent == PJ_NO_ITEM)
            continue;
        counts[parent] += calls;
        counts[p->count[PJ_AT_NODE] + p->nodes[parent].region] += calls;
    }
    return counts;
}

static void fill_calls(pj_tau_entries *e, const pj_profile_sums *sums, pj_arena *arena)
{
    const pj_profile *p = e->profile;
    const double *children = count_children(e, sums, arena);
    for (size_t i = 0; i < e->count; i++) {
        const pj_tau_entry *entry = &e->entries[i];
        e->calls[i] = value_at(e, entry, PJ_CALLS, PJ_NO_ITEM, sums_at(sums, entry->site)->calls);
        e->child_calls[i] = value_at(e, entry, PJ_CHILD_CALLS, PJ_NO_ITEM, NULL);
        if (!pj_profile_find(p, entry->site, PJ_CHILD_CALLS, PJ_NO_ITEM))
            e->child_calls[i] = entry->site == PJ_AT_NODE ? children[entry->item]
                                : entry->site == PJ_AT_REGION
                                    ? children[p->count[PJ_AT_NODE] + entry->item]
                                    : 0;
    }
}

void pj_tau_entries_at(pj_tau_entries *e, uint32_t location)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    e->location = location;
    bool *chosen = pj_new_n(arena, bool, e->profile->location_count);
    chosen[location] = true;
    const pj_profile_sums *sums = NULL;
    for (size_t m = 0; m < e->measure_count; m++) {
        sums = pj_profile_sums_new(e->profile, e->measures[m], chosen, arena);
        fill_measure(e, m, sums);
    }
    if (!sums)
        sums = pj_profile_sums_new(e->profile, PJ_NO_ITEM, chosen, arena);
    fill_calls(e, sums, arena);
}

void pj_tau_entries_place(const pj_profile *profile, uint32_t location, int32_t place[3])
{
    const pj_profile_location *at = &profile->locations[location];
    pj_str name = profile->texts[at->name];
    uint64_t context = 0;
    bool told = pj_str_starts(name, PJ_S("context "));
    if (told) {
        pj_str number = pj_str_from(name, sizeof "context " - 1);
        told = pj_parse_u64(pj_str_cut(&number, ','), &context);
    }
    place[0] = at->rank >= 0 && at->rank <= INT32_MAX ? (int32_t)at->rank : (int32_t)location;
    place[1] = told && context <= INT32_MAX ? (int32_t)context : 0;
    place[2] = at->thread >= 0 && at->thread <= INT32_MAX ? (int32_t)at->thread : 0;
}

size_t pj_tau_entries_groups(const pj_profile *profile, const pj_tau_entry *entry, pj_str *groups,
                             size_t most)
{
    const pj_profile_region *region = &profile->regions[entry->region];
    size_t count = 0;
    if (entry->site != PJ_AT_REGION)
        groups[count++] = PJ_S("TAU_CALLPATH");
    for (uint32_t i = 0; i < region->group_count && count < most; i++) {
        pj_str group = profile->texts[profile->groups[region->first_group + i]];
        if (entry->site == PJ_AT_REGION || !pj_str_equal(group, PJ_S("TAU_PHASE")))
            groups[count++] = group;
    }
    if (!region->group_count && count < most)
        groups[count++] = region->kind == PJ_REGION_mpi   ? PJ_S("MPI")
                          : region->kind == PJ_REGION_omp ? PJ_S("OpenMP")
                                                          : PJ_S("TAU_USER");
    return count;
}

pj_str pj_tau_entries_metric(const pj_tau_entries *entries, size_t measure)
{
    const pj_measure *at = &entries->profile->measures[entries->measures[measure]];
    return pj_str_of(at->title[0] ? at->title : at->key);
}
