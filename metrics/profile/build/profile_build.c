// What a reader tells, interned and put into columns: arrays that double, accounted to the job, and
// buckets by hash. The profile takes the arrays over, so that nothing is held twice.
#include "metrics/profile/build/profile_build.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/buckets.h"
#include "metrics/profile/build/build_state.h"
#include "metrics/profile/build/oddities.h"

#include <stdlib.h>

pj_build *pj_build_new(const char *where, pj_job *job)
{
    pj_build *b = pj_take_memory(sizeof *b);
    *b = (pj_build){.job = job, .ok = true};
    size_t len = strlen(where);
    memcpy(b->where, where, len < sizeof b->where ? len : sizeof b->where - 1);
    b->p = pj_take_memory(sizeof *b->p);
    *b->p = (pj_profile){
        .arena = pj_arena_new(NULL), .references = 1, .format = "", .title = "profile"};
    pj_build_text(b, PJ_S(""));
    return b;
}

void pj_build_free(pj_build *b)
{
    if (!b)
        return;
    atomic_fetch_sub(&b->job->memory_used, b->charged);
    pj_profile_release(b->p);
    pj_buckets *buckets[] = {&b->texts, &b->regions, &b->nodes, &b->edges, &b->lines};
    for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++)
        pj_buckets_free(buckets[i]);
    free(b->column_rows);
    free(b->column_room);
    free(b->series_points);
    free(b);
}

bool pj_build_ok(pj_build *b)
{
    if (b->ok && pj_job_stopped(b->job))
        b->ok = pj_fail(&b->err, PJ_E_STOPPED, b->where, 0, "interrupted");
    return b->ok;
}

const atomic_bool *pj_build_stop(const pj_build *b)
{
    return b->job->stop;
}

pj_profile *pj_build_profile(pj_build *b)
{
    return b->p;
}

void pj_build_odd(pj_build *b, pj_oddity oddity, uint64_t line)
{
    if (b->p->oddities.count[oddity]++ == 0)
        b->p->oddities.first_line[oddity] = line;
}

bool pj_build_charge(pj_build *b, uint64_t bytes)
{
    atomic_fetch_add(&b->job->memory_used, bytes);
    b->charged += bytes;
    return pj_job_check(b->job, b->where, &b->err) || (b->ok = false);
}

void *pj_build_grown(pj_build *b, void *items, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap || !b->ok)
        return items;
    size_t wider = *cap * 2 > need ? *cap * 2 : need;
    wider = wider < 16 ? 16 : wider;
    if (!pj_build_charge(b, (wider - *cap) * size))
        return items;
    *cap = wider;
    return pj_resize_memory(items, wider * size);
}

bool pj_build_within(pj_build *b, size_t count, size_t most, const char *what)
{
    if (count >= most && b->ok)
        b->ok = pj_fail(&b->err, PJ_E_FORMAT, b->where, 0,
                        "has more than %zu %s, the most that is read", most, what);
    return b->ok;
}

static void remember(pj_build *b, pj_buckets *buckets, uint32_t hash, uint32_t item)
{
    size_t before = buckets->cap;
    pj_buckets_put(buckets, hash, item);
    if (buckets->cap != before)
        pj_build_charge(b, (buckets->cap - before) * sizeof *buckets->at);
}

uint32_t pj_build_text(pj_build *b, pj_str text)
{
    if (!b->ok)
        return 0;
    if (text.len > PJ_BUILD_NAME_BYTES) {
        b->ok = pj_fail(&b->err, PJ_E_FORMAT, b->where, 0,
                        "has a name of %zu bytes, more than the %d that are read", text.len,
                        PJ_BUILD_NAME_BYTES);
        return 0;
    }
    uint32_t hash = (uint32_t)pj_fingerprint_of(text);
    size_t place = hash;
    for (uint32_t t; (t = pj_buckets_next(&b->texts, hash, &place)) != PJ_NO_ITEM;)
        if (pj_str_equal(b->p->texts[t], text))
            return t;
    pj_profile *p = b->p;
    PJ_GROW_ARRAY(b, p->texts, &b->cap.texts, p->text_count + (size_t)1);
    if (!b->ok || !pj_build_within(b, p->text_count, PJ_BUILD_NODES, "texts"))
        return 0;
    p->texts[p->text_count] = pj_arena_str(p->arena, text);
    remember(b, &b->texts, hash, p->text_count);
    uint64_t bytes = pj_arena_size(p->arena) - b->arena_charged;
    b->arena_charged += bytes;
    if (bytes)
        pj_build_charge(b, bytes);
    return p->text_count++;
}

uint32_t pj_build_region(pj_build *b, pj_str name, pj_str file, uint32_t line)
{
    uint32_t name_text = pj_build_text(b, name);
    return pj_build_region_of(b, name_text, pj_build_text(b, file), line);
}

uint32_t pj_build_region_of(pj_build *b, uint32_t name, uint32_t file, uint32_t line)
{
    return pj_build_region_apart(b, name, file, line, 0);
}

uint32_t pj_build_region_apart(pj_build *b, uint32_t name, uint32_t file, uint32_t line,
                               uint32_t apart)
{
    pj_profile *p = b->p;
    pj_profile_region made = {.name = name, .file = file, .line = line, .apart = apart};
    uint64_t rest = ((uint64_t)apart << 32) | line;
    uint32_t hash = pj_buckets_hash(((uint64_t)name << 32) | file, rest);
    size_t place = hash;
    for (uint32_t r; (r = pj_buckets_next(&b->regions, hash, &place)) != PJ_NO_ITEM;) {
        const pj_profile_region *at = &p->regions[r];
        if (at->name == name && at->file == file && at->line == line && at->apart == apart)
            return r;
    }
    uint32_t region = p->count[PJ_AT_REGION];
    PJ_GROW_ARRAY(b, p->regions, &b->cap.regions, region + (size_t)1);
    if (!b->ok || !pj_build_within(b, region, PJ_BUILD_REGIONS, "functions"))
        return PJ_NO_ITEM;
    p->regions[region] = made;
    remember(b, &b->regions, hash, region);
    p->count[PJ_AT_REGION]++;
    return region;
}

pj_profile_region *pj_build_region_at(pj_build *b, uint32_t region)
{
    return region < b->p->count[PJ_AT_REGION] ? &b->p->regions[region] : &b->nobody;
}

void pj_build_groups(pj_build *b, uint32_t region, const uint32_t *groups, uint32_t count)
{
    pj_profile *p = b->p;
    PJ_GROW_ARRAY(b, p->groups, &b->cap.groups, b->group_count + (size_t)count);
    if (!b->ok)
        return;
    pj_profile_region *at = &p->regions[region];
    at->first_group = b->group_count;
    at->group_count = count;
    for (uint32_t g = 0; g < count; g++)
        p->groups[b->group_count++] = groups[g];
}

uint32_t pj_build_node(pj_build *b, uint32_t parent, uint32_t region)
{
    return pj_build_node_with(b, parent, region, 0);
}

static uint32_t find_node(pj_build *b, pj_profile_node node, uint32_t hash)
{
    size_t place = hash;
    for (uint32_t n; (n = pj_buckets_next(&b->nodes, hash, &place)) != PJ_NO_ITEM;) {
        const pj_profile_node *at = &b->p->nodes[n];
        if (at->parent == node.parent && at->region == node.region &&
            at->parameters == node.parameters)
            return n;
    }
    return PJ_NO_ITEM;
}

uint32_t pj_build_node_with(pj_build *b, uint32_t parent, uint32_t region, uint32_t parameters)
{
    pj_profile *p = b->p;
    bool root = parent == PJ_NO_ITEM;
    if (!b->ok || (!root && parent & PJ_NODE_CUT))
        return parent;
    pj_profile_node node = {parent, region, parameters, root ? 0 : p->nodes[parent].depth + 1};
    if (node.depth >= PJ_BUILD_DEPTH) {
        pj_build_odd(b, PJ_ODDITY_too_deep, 0);
        return parent | PJ_NODE_CUT;
    }
    uint32_t hash = pj_buckets_hash(((uint64_t)parent << 32) | region, parameters);
    uint32_t found = find_node(b, node, hash);
    if (found != PJ_NO_ITEM)
        return found;
    uint32_t number = p->count[PJ_AT_NODE];
    PJ_GROW_ARRAY(b, p->nodes, &b->cap.nodes, number + (size_t)1);
    if (!b->ok || !pj_build_within(b, number, PJ_BUILD_NODES, "call paths"))
        return PJ_NO_ITEM;
    p->nodes[number] = node;
    remember(b, &b->nodes, hash, number);
    p->count[PJ_AT_NODE]++;
    return number;
}

uint32_t pj_build_new_edge(pj_build *b, uint32_t caller, uint32_t callee)
{
    pj_profile *p = b->p;
    uint32_t number = p->count[PJ_AT_EDGE];
    PJ_GROW_ARRAY(b, p->edges, &b->cap.edges, number + (size_t)1);
    if (!b->ok || !pj_build_within(b, number, PJ_BUILD_NODES, "calls between functions"))
        return PJ_NO_ITEM;
    p->edges[number] = (pj_profile_edge){caller, callee};
    p->count[PJ_AT_EDGE]++;
    return number;
}

uint32_t pj_build_edge(pj_build *b, uint32_t caller, uint32_t callee)
{
    pj_profile *p = b->p;
    for (; b->edges_known < p->count[PJ_AT_EDGE]; b->edges_known++) {
        pj_profile_edge edge = p->edges[b->edges_known];
        remember(b, &b->edges, pj_buckets_hash(edge.caller, edge.callee), b->edges_known);
    }
    uint32_t hash = pj_buckets_hash(caller, callee);
    size_t place = hash;
    for (uint32_t e; (e = pj_buckets_next(&b->edges, hash, &place)) != PJ_NO_ITEM;)
        if (p->edges[e].caller == caller && p->edges[e].callee == callee)
            return e;
    return pj_build_new_edge(b, caller, callee);
}

uint32_t pj_build_new_line(pj_build *b, uint32_t region, uint32_t line, uint32_t text)
{
    pj_profile *p = b->p;
    uint32_t number = p->count[PJ_AT_LINE];
    PJ_GROW_ARRAY(b, p->lines, &b->cap.lines, number + (size_t)1);
    if (!b->ok || !pj_build_within(b, number, PJ_BUILD_NODES, "lines"))
        return PJ_NO_ITEM;
    p->lines[number] = (pj_profile_line){region, line, text};
    p->count[PJ_AT_LINE]++;
    return number;
}

uint32_t pj_build_line(pj_build *b, uint32_t region, uint32_t line, uint32_t text)
{
    pj_profile *p = b->p;
    for (; b->lines_known < p->count[PJ_AT_LINE]; b->lines_known++) {
        pj_profile_line at = p->lines[b->lines_known];
        remember(b, &b->lines, pj_buckets_hash(at.region, at.line), b->lines_known);
    }
    uint32_t hash = pj_buckets_hash(region, line);
    size_t place = hash;
    for (uint32_t i; (i = pj_buckets_next(&b->lines, hash, &place)) != PJ_NO_ITEM;)
        if (p->lines[i].region == region && p->lines[i].line == line)
            return i;
    return pj_build_new_line(b, region, line, text);
}
