// Items are mapped part by part, values are copied block by block over all parts: profiles of ranks
// have their items in much the same order, so the rows being filled stay in the cache.
#include "metrics/profile/derive/profile_merge.h"

#include "metrics/base/arena.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/derive/same_function.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_names.h"

/// Where the items of one part went.
typedef struct mapping {
    const pj_profile *from;
    pj_profile *held;
    uint32_t *texts;
    uint32_t *items[PJ_SITE_COUNT];
    uint32_t *measures;
    uint32_t *columns;
    uint32_t *locations;
    uint32_t first_file, first_series;
    const char *name;        // of its locations; NULL = as they are
    const uint32_t *aligned; // by region: that of the parts before; NULL = not asked for
} mapping;

typedef struct merging {
    pj_build *build;
    pj_arena *arena;
    mapping *parts;
    size_t count;
    pj_shape shape; // of the whole
    pj_profile_merging how;
} merging;

static bool is_out(const bool *without, uint32_t item)
{
    return without && without[item];
}

/// What the part before had at the same place: ranks of one program are much alike.
static uint32_t guess(const mapping *before, const uint32_t *map, uint32_t count, uint32_t i)
{
    return before && i < count ? map[i] : PJ_NO_ITEM;
}

static void map_texts(merging *m, mapping *part, const mapping *before)
{
    const pj_profile *p = part->from, *all = pj_build_profile(m->build);
    part->texts = pj_new_n(m->arena, uint32_t, p->text_count);
    for (uint32_t t = 0; t < p->text_count; t++) {
        uint32_t same =
            guess(before, before ? before->texts : NULL, before ? before->from->text_count : 0, t);
        bool fits = same != PJ_NO_ITEM && pj_str_equal(all->texts[same], p->texts[t]);
        part->texts[t] = fits ? same : pj_build_text(m->build, p->texts[t]);
    }
}

static uint32_t *new_map(merging *m, mapping *part, pj_site site)
{
    part->items[site] = pj_new_n(m->arena, uint32_t, part->from->count[site]);
    return part->items[site];
}

static void copy_region(merging *m, const mapping *part, uint32_t number, uint32_t region)
{
    const pj_profile_region *from = &part->from->regions[number];
    pj_profile_region *to = pj_build_region_at(m->build, region);
    to->kind = from->kind;
    to->module = part->texts[from->module];
    to->end_line = from->end_line;
    if (!from->group_count)
        return;
    uint32_t *groups = pj_new_n(m->arena, uint32_t, from->group_count);
    for (uint32_t g = 0; g < from->group_count; g++)
        groups[g] = part->texts[part->from->groups[from->first_group + g]];
    pj_build_groups(m->build, region, groups, from->group_count);
}

static bool is_region(const pj_profile_region *at, pj_profile_region asked)
{
    return at->name == asked.name && at->file == asked.file && at->line == asked.line &&
           at->apart == asked.apart;
}

/// Regions of the part that those before have at another place.
static void align(merging *m, mapping *part)
{
    const pj_profile *p = part->from, *all = pj_build_profile(m->build);
    uint32_t *other = pj_new_n(m->arena, uint32_t, p->count[PJ_AT_REGION] + (size_t)1);
    uint32_t *back = pj_new_n(m->arena, uint32_t, all->count[PJ_AT_REGION] + (size_t)1);
    memset(other, 0xff, p->count[PJ_AT_REGION] * sizeof *other);
    memset(back, 0xff, all->count[PJ_AT_REGION] * sizeof *back);
    for (pj_same_level level = PJ_SAME_ALL; level < PJ_SAME_LEVELS; level++)
        pj_same_functions((pj_same_side){p, other}, (pj_same_side){all, back}, level);
    part->aligned = other;
}

static void map_regions(merging *m, mapping *part, const mapping *before)
{
    const pj_profile *p = part->from, *all = pj_build_profile(m->build);
    uint32_t *map = new_map(m, part, PJ_AT_REGION);
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++) {
        const pj_profile_region *from = &p->regions[r];
        uint32_t known = all->count[PJ_AT_REGION], file = part->texts[from->file];
        map[r] = PJ_NO_ITEM;
        if (is_out(m->how.without_region, r))
            continue;
        if (m->how.strip)
            file = pj_build_text(m->build, pj_profile_file_name(p->texts[from->file]));
        pj_profile_region asked = {part->texts[from->name], file,
                                   .apart = part->texts[from->apart]};
        asked.line = from->line;
        uint32_t same = guess(before, before ? before->items[PJ_AT_REGION] : NULL,
                              before ? before->from->count[PJ_AT_REGION] : 0, r);
        if (part->aligned && part->aligned[r] != PJ_NO_ITEM)
            map[r] = part->aligned[r];
        else if (same != PJ_NO_ITEM && is_region(&all->regions[same], asked))
            map[r] = same;
        else
            map[r] = pj_build_region_apart(m->build, asked.name, file, asked.line, asked.apart);
        if (pj_build_ok(m->build) && map[r] == known)
            copy_region(m, part, r, map[r]);
    }
}

static void map_nodes(merging *m, mapping *part)
{
    const pj_profile *p = part->from;
    uint32_t *map = new_map(m, part, PJ_AT_NODE);
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        const pj_profile_node *from = &p->nodes[n];
        uint32_t parent = from->parent == PJ_NO_ITEM ? PJ_NO_ITEM : map[from->parent];
        map[n] = PJ_NO_ITEM;
        if (is_out(m->how.without_node, n) || part->items[PJ_AT_REGION][from->region] == PJ_NO_ITEM)
            continue;
        map[n] = pj_build_node_with(m->build, parent, part->items[PJ_AT_REGION][from->region],
                                    part->texts[from->parameters]);
    }
}

static void map_edges(merging *m, mapping *part, const mapping *before)
{
    const pj_profile *p = part->from, *all = pj_build_profile(m->build);
    const uint32_t *regions = part->items[PJ_AT_REGION];
    uint32_t *map = new_map(m, part, PJ_AT_EDGE);
    for (uint32_t e = 0; e < p->count[PJ_AT_EDGE]; e++) {
        uint32_t caller = regions[p->edges[e].caller], callee = regions[p->edges[e].callee];
        uint32_t same = guess(before, before ? before->items[PJ_AT_EDGE] : NULL,
                              before ? before->from->count[PJ_AT_EDGE] : 0, e);
        bool out = caller == PJ_NO_ITEM || callee == PJ_NO_ITEM || m->shape == PJ_SHAPE_FLAT;
        bool fits = !out && same != PJ_NO_ITEM && all->edges[same].caller == caller &&
                    all->edges[same].callee == callee;
        if (out || fits)
            map[e] = out ? PJ_NO_ITEM : same;
        else
            map[e] = before || m->how.strip ? pj_build_edge(m->build, caller, callee)
                                            : pj_build_new_edge(m->build, caller, callee);
    }
}

static void map_lines(merging *m, mapping *part)
{
    const pj_profile *p = part->from;
    uint32_t *map = new_map(m, part, PJ_AT_LINE);
    for (uint32_t i = 0; i < p->count[PJ_AT_LINE]; i++) {
        uint32_t region = part->items[PJ_AT_REGION][p->lines[i].region];
        map[i] = region == PJ_NO_ITEM ? PJ_NO_ITEM
                                      : pj_build_line(m->build, region, p->lines[i].line,
                                                      part->texts[p->lines[i].text]);
    }
}

static void map_measures(merging *m, mapping *part)
{
    const pj_profile *p = part->from;
    part->measures = pj_new_n(m->arena, uint32_t, p->measure_count);
    for (uint32_t i = 0; i < p->measure_count; i++) {
        pj_measure measure = p->measures[i];
        measure.above = measure.above ? 1 + part->measures[measure.above - 1] : 0;
        part->measures[i] = pj_build_measure(m->build, measure);
    }
    part->columns = pj_new_n(m->arena, uint32_t, p->column_count);
    for (uint32_t c = 0; c < p->column_count; c++) {
        const pj_profile_column *from = &p->columns[c];
        uint32_t measure = from->measure == PJ_NO_ITEM ? PJ_NO_ITEM : part->measures[from->measure];
        part->columns[c] = pj_build_column(m->build, from->site, from->part, measure, from->whole);
    }
}

static void map_locations(merging *m, mapping *part)
{
    const pj_profile *p = part->from, *all = pj_build_profile(m->build);
    part->first_file = all->file_count;
    for (uint32_t f = 0; f < p->file_count; f++)
        pj_build_file(m->build, p->files[f]);
    part->locations = pj_new_n(m->arena, uint32_t, p->location_count);
    for (uint32_t i = 0; i < p->location_count; i++) {
        pj_profile_location location = p->locations[i];
        location.name = part->name ? pj_build_text(m->build, pj_str_of(part->name))
                                   : part->texts[location.name];
        location.file += part->first_file;
        part->locations[i] =
            is_out(m->how.without_location, i) ? PJ_NO_ITEM : pj_build_location(m->build, location);
    }
}

static uint32_t location_of(const mapping *part, uint32_t location)
{
    return location < part->from->location_count ? part->locations[location] : PJ_NO_ITEM;
}

/// Whether it belongs to a location that is left out.
static bool is_elsewhere(const mapping *part, uint32_t location)
{
    return location < part->from->location_count && part->locations[location] == PJ_NO_ITEM;
}

/// What is not by item: curves, calls in them, phases, events, metadata.
static void copy_rest(merging *m, mapping *part)
{
    const pj_profile *p = part->from;
    const uint32_t *texts = part->texts;
    part->first_series = pj_build_profile(m->build)->series_count;
    for (uint32_t s = 0; s < p->series_count; s++) {
        const pj_profile_series *from = &p->series[s];
        uint32_t to = pj_build_series(m->build, location_of(part, from->location),
                                      p->texts[from->quantity], p->texts[from->unit]);
        for (size_t i = 0; i < from->count; i++)
            pj_build_point(m->build, to, from->points[i].time, from->points[i].value);
    }
    for (uint32_t i = 0; i < p->bracket_count; i++) {
        pj_profile_bracket bracket = p->brackets[i];
        bracket.series += part->first_series;
        bracket.region = part->items[PJ_AT_REGION][bracket.region];
        if (bracket.region == PJ_NO_ITEM)
            continue;
        pj_build_bracket(m->build, bracket);
    }
    for (uint32_t i = 0; i < p->phase_count; i++) {
        pj_profile_phase phase = p->phases[i];
        if (is_elsewhere(part, phase.location))
            continue;
        phase.name = texts[phase.name];
        phase.location = location_of(part, phase.location);
        pj_build_phase(m->build, phase);
    }
    for (uint32_t i = 0; i < p->event_count; i++) {
        pj_profile_event event = p->events[i];
        if (is_elsewhere(part, event.location))
            continue;
        event.name = texts[event.name];
        event.location = location_of(part, event.location);
        pj_build_event(m->build, event);
    }
    for (uint32_t i = 0; i < p->pair_count; i++)
        if (!is_elsewhere(part, p->pairs[i].location))
            pj_build_pair(m->build, location_of(part, p->pairs[i].location),
                          p->texts[p->pairs[i].key], p->texts[p->pairs[i].value]);
}

/// To items and locations of the merged profile; what is met twice is added.
static void copy_cells(merging *m, const mapping *part, uint32_t number, uint32_t from, uint32_t to)
{
    const pj_profile_column *column = &part->from->columns[number];
    pj_build_cells cells = {.column = column,
                            .map = part->items[column->site],
                            .width = part->from->location_count,
                            .from = from,
                            .to = to};
    for (; cells.location < cells.width; cells.location++)
        if (part->locations[cells.location] != PJ_NO_ITEM)
            pj_build_put_cells(m->build, part->columns[number], part->locations[cells.location],
                               cells);
}

/// The next block of items of every column of a site.
static bool copy_block(merging *m, pj_site site, uint32_t from, uint32_t size)
{
    bool more = false;
    for (size_t k = 0; k < m->count; k++) {
        const pj_profile *p = m->parts[k].from;
        uint32_t count = p->count[site], to = from + size < count ? from + size : count;
        for (uint32_t c = 0; from < to && c < p->column_count; c++)
            if (p->columns[c].site == site)
                copy_cells(m, &m->parts[k], c, from, to);
        more |= to < count && from < count;
    }
    return more && pj_build_ok(m->build);
}

static void copy_values(merging *m)
{
    enum { BLOCK = 128 };
    for (pj_site site = 0; site < PJ_SITE_COUNT; site++)
        for (uint32_t from = 0; copy_block(m, site, from, BLOCK); from += BLOCK)
            continue;
}

/// What all parts say alike; else nothing.
static uint32_t common_text(const merging *m, size_t offset)
{
    uint32_t common = PJ_NO_ITEM;
    for (size_t k = 0; k < m->count; k++) {
        uint32_t text;
        memcpy(&text, (const char *)m->parts[k].from + offset, sizeof text);
        text = m->parts[k].texts[text];
        if (common != PJ_NO_ITEM && common != text)
            return 0;
        common = text;
    }
    return common == PJ_NO_ITEM ? 0 : common;
}

static void copy_facts(merging *m)
{
    pj_profile *all = pj_build_profile(m->build);
    const pj_profile *first = m->parts[0].from;
    bool same = true;
    for (size_t k = 0; k < m->count; k++) {
        const pj_profile *p = m->parts[k].from;
        same = same && strcmp(p->format, first->format) == 0;
        all->tick = p->tick > all->tick ? p->tick : all->tick;
        pj_oddities_merge(&all->oddities, &p->oddities);
    }
    all->shape = m->shape;
    all->format = same ? first->format : pj_profile_of_several;
    all->by_line = same && first->by_line;
    all->shared = same && first->shared;
    all->title = same ? first->title : "profile of several tools";
    all->command = common_text(m, offsetof(pj_profile, command));
    all->created = common_text(m, offsetof(pj_profile, created));
    all->tool = common_text(m, offsetof(pj_profile, tool));
    all->version = common_text(m, offsetof(pj_profile, version));
}

/// Who takes how long by itself: what lines, curves and timers beside it do not tell.
static bool has_functions(const pj_profile *p)
{
    for (uint32_t c = 0; c < p->column_count; c++)
        if (p->columns[c].site != PJ_AT_LINE &&
            (p->columns[c].site != PJ_AT_REGION || p->columns[c].part == PJ_EXCLUSIVE))
            return true;
    return false;
}

/// That all of them have; lines and curves alone are at home in any.
static pj_shape common_shape(pj_profile *const *parts, size_t count)
{
    pj_shape least = PJ_SHAPE_TREE;
    bool any = false;
    for (size_t k = 0; k < count; k++)
        if (has_functions(parts[k])) {
            least = parts[k]->shape < least ? parts[k]->shape : least;
            any = true;
        }
    return any ? least : parts[0]->shape;
}

/// A tree among call graphs or flat profiles as the graph that follows from it.
static pj_profile *in_shape(pj_build *build, pj_profile *part, pj_shape shape, pj_err *err)
{
    pj_job job = {0};
    if (part->shape <= shape || !has_functions(part))
        return pj_profile_hold(part);
    pj_build_odd(build, shape == PJ_SHAPE_GRAPH ? PJ_ODDITY_paths_added : PJ_ODDITY_calls_left_out,
                 0);
    return pj_profile_graph(part, &job, err);
}

static void release_parts(merging *m)
{
    for (size_t k = 0; k < m->count; k++)
        pj_profile_release(m->parts[k].held);
}

static bool hold_parts(merging *m, pj_profile *const *parts, size_t count, pj_err *err)
{
    m->shape = common_shape(parts, count);
    for (; m->count < count; m->count++) {
        mapping *part = &m->parts[m->count];
        part->from = part->held = in_shape(m->build, parts[m->count], m->shape, err);
        if (!part->held)
            return false;
        part->name = m->how.names ? m->how.names[m->count] : NULL;
    }
    return true;
}

static void merge(merging *m)
{
    for (size_t k = 0; k < m->count; k++) {
        map_texts(m, &m->parts[k], k ? &m->parts[k - 1] : NULL);
        map_locations(m, &m->parts[k]);
    }
    for (size_t k = 0; k < m->count && pj_build_ok(m->build); k++) {
        mapping *part = &m->parts[k];
        if (m->how.align && k)
            align(m, part);
        map_regions(m, part, k ? part - 1 : NULL);
        map_nodes(m, part);
        map_edges(m, part, k ? part - 1 : NULL);
        map_lines(m, part);
        map_measures(m, part);
        copy_rest(m, part);
    }
    if (pj_build_all_rows(m->build)) {
        copy_values(m);
        copy_facts(m);
        pj_build_is_checked(m->build);
    }
}

bool pj_profile_merge(pj_build *build, pj_profile *const *parts, size_t count,
                      pj_profile_merging how, pj_err *err)
{
    if (count == 0)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "there is no profile");
    pj_auto_arena arena = pj_arena_new(NULL);
    merging m = {
        .build = build, .arena = arena, .parts = pj_new_n(arena, mapping, count), .how = how};
    bool held = hold_parts(&m, parts, count, err);
    if (held)
        merge(&m);
    release_parts(&m);
    return held;
}
