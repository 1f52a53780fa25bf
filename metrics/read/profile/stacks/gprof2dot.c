// gprof2dot's own JSON (its class JsonParser, version 0), as memray's `transform gprof2dot` and
// memtrail write it: functions by number, which may come last, and stacks with the leaf first.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/charged.h"
#include "metrics/read/json_look.h"
#include "metrics/read/jsonpull.h"
#include "metrics/read/profile/callstack.h"
#include "metrics/read/profile/stacks/pathtree.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <math.h>
#include <stdlib.h>

typedef struct listed {
    uint32_t name, module; // of a function; title and unit of a cost; texts
} listed;

typedef struct gprof2dot {
    pj_build *build;
    pj_jsonpull *json;
    pj_charge charge; // for the arrays
    pj_pathtree tree;
    listed *functions, *costs;
    size_t function_count, function_cap, cost_count, cost_cap;
    uint32_t *chain; // of the event at hand, the leaf first
    size_t chain_count, chain_cap;
    // Values of all events: which cost of which path.
    uint32_t *value_path, *value_cost;
    double *values;
    size_t value_count, path_cap, value_cost_cap, value_cap;
} gprof2dot;

static bool sniff(pj_str head)
{
    return (pj_json_look_key(head, PJ_S("events"), PJ_S("")) ||
            pj_json_look_key(head, PJ_S("functions"), PJ_S(""))) &&
           pj_json_look_key(head, PJ_S("costs"), PJ_S(""));
}

static bool take_name(gprof2dot *g, uint32_t *out, pj_err *err)
{
    pj_str text = PJ_S("");
    bool ok = pj_jsonpull_take_text(g->json, &text, err);
    *out = ok ? pj_build_text(g->build, pj_callstack_name(text)) : 0;
    return ok;
}

/// {"name": ..., "module": ...} or {"description": ..., "unit": ...}.
static bool take_listed(gprof2dot *g, listed *out, pj_err *err)
{
    pj_str key;
    while (pj_jsonpull_key(g->json, &key, err)) {
        bool name = pj_str_equal(key, PJ_S("name")) || pj_str_equal(key, PJ_S("description"));
        bool module = pj_str_equal(key, PJ_S("module")) || pj_str_equal(key, PJ_S("unit"));
        bool ok = name     ? take_name(g, &out->name, err)
                  : module ? take_name(g, &out->module, err)
                           : pj_jsonpull_skip(g->json, err);
        if (!ok)
            return false;
    }
    return err->code == PJ_E_NONE;
}

static bool take_list(gprof2dot *g, bool functions, pj_err *err)
{
    if (!pj_jsonpull_expect(g->json, PJ_JSON_ARRAY, err))
        return false;
    while (pj_jsonpull_item(g->json, PJ_JSON_OBJECT, err)) {
        listed at = {0};
        if (!take_listed(g, &at, err))
            return false;
        listed **list = functions ? &g->functions : &g->costs;
        size_t *count = functions ? &g->function_count : &g->cost_count;
        PJ_CHARGED(&g->charge, *list, functions ? &g->function_cap : &g->cost_cap, *count + 1);
        (*list)[(*count)++] = at;
    }
    return err->code == PJ_E_NONE;
}

static bool take_chain(gprof2dot *g, pj_err *err)
{
    g->chain_count = 0;
    if (!pj_jsonpull_expect(g->json, PJ_JSON_ARRAY, err))
        return false;
    while (pj_jsonpull_item(g->json, PJ_JSON_NUMBER, err)) {
        double number = pj_jsonpull_number(g->json);
        if (!(number >= 0 && number < PJ_BUILD_REGIONS && number == floor(number)))
            return pj_jsonpull_fail(g->json, err, "there is no function of that number");
        PJ_CHARGED(&g->charge, g->chain, &g->chain_cap, g->chain_count + 1);
        g->chain[g->chain_count++] = (uint32_t)number;
    }
    return err->code == PJ_E_NONE;
}

/// The costs of an event, whose path may not be known yet: its values are the last ones.
static bool take_costs(gprof2dot *g, pj_err *err)
{
    if (!pj_jsonpull_expect(g->json, PJ_JSON_ARRAY, err))
        return false;
    for (uint32_t cost = 0; pj_jsonpull_item(g->json, PJ_JSON_NUMBER, err); cost++) {
        PJ_CHARGED(&g->charge, g->values, &g->value_cap, g->value_count + 1);
        PJ_CHARGED(&g->charge, g->value_cost, &g->value_cost_cap, g->value_count + 1);
        g->values[g->value_count] = pj_jsonpull_number(g->json);
        g->value_cost[g->value_count++] = cost;
    }
    return err->code == PJ_E_NONE;
}

static bool take_event(gprof2dot *g, pj_err *err)
{
    size_t first = g->value_count;
    pj_str key;
    g->chain_count = 0;
    while (pj_jsonpull_key(g->json, &key, err)) {
        bool ok = pj_str_equal(key, PJ_S("callchain")) ? take_chain(g, err)
                  : pj_str_equal(key, PJ_S("cost"))    ? take_costs(g, err)
                                                       : pj_jsonpull_skip(g->json, err);
        if (!ok)
            return false;
    }
    size_t depth = g->chain_count;
    if (depth > PJ_CALLSTACK_DEPTH) {
        pj_build_odd(g->build, PJ_ODDITY_roots_cut, 0);
        depth = PJ_CALLSTACK_DEPTH;
    }
    uint32_t path = PJ_NO_ITEM;
    while (depth > 0)
        path = pj_pathtree_find(&g->tree, path, g->chain[--depth]);
    if (path == PJ_NO_ITEM)
        g->value_count = first;
    PJ_CHARGED(&g->charge, g->value_path, &g->path_cap, g->value_count);
    for (size_t i = first; i < g->value_count; i++)
        g->value_path[i] = path;
    return err->code == PJ_E_NONE;
}

static bool take_events(gprof2dot *g, pj_err *err)
{
    if (!pj_jsonpull_expect(g->json, PJ_JSON_ARRAY, err))
        return false;
    while (pj_jsonpull_item(g->json, PJ_JSON_OBJECT, err))
        if (!take_event(g, err))
            return false;
    return err->code == PJ_E_NONE;
}

static bool take_version(gprof2dot *g, pj_err *err)
{
    double version = NAN;
    return pj_jsonpull_take_number(g->json, &version, err) &&
           (version == 0 || pj_jsonpull_fail(g->json, err, "its version is not 0"));
}

static bool take_document(gprof2dot *g, pj_err *err)
{
    pj_str key;
    if (!pj_jsonpull_expect(g->json, PJ_JSON_OBJECT, err))
        return false;
    while (pj_jsonpull_key(g->json, &key, err)) {
        bool ok = pj_str_equal(key, PJ_S("functions")) ? take_list(g, true, err)
                  : pj_str_equal(key, PJ_S("costs"))   ? take_list(g, false, err)
                  : pj_str_equal(key, PJ_S("events"))  ? take_events(g, err)
                  : pj_str_equal(key, PJ_S("version")) ? take_version(g, err)
                                                       : pj_jsonpull_skip(g->json, err);
        if (!ok)
            return false;
    }
    return err->code == PJ_E_NONE && pj_jsonpull_expect(g->json, PJ_JSON_END, err);
}

static bool check_numbers(const gprof2dot *g, pj_err *err)
{
    for (size_t i = 0; i < g->tree.count; i++)
        if (g->tree.paths[i].frame >= g->function_count)
            return pj_jsonpull_fail(g->json, err, "an event names a function that is not there");
    for (size_t i = 0; i < g->value_count; i++)
        if (g->value_cost[i] >= g->cost_count)
            return pj_jsonpull_fail(g->json, err, "an event has more costs than are described");
    return true;
}

/// A column for a cost: its description in small letters is the key.
static uint32_t column_of(gprof2dot *g, const listed *cost, pj_arena *arena)
{
    const pj_profile *profile = pj_build_profile(g->build);
    pj_str title = profile->texts[cost->name], unit = profile->texts[cost->module];
    char *key = pj_new_n(arena, char, title.len + 1);
    for (size_t i = 0; i < title.len; i++) {
        char c = title.at[i];
        bool capital = c >= 'A' && c <= 'Z',
             plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        key[i] = (char)(capital ? c - 'A' + 'a' : plain ? c : '_');
    }
    bool bytes = pj_str_equal(unit, PJ_S("bytes"));
    pj_measure row = {.key = title.len ? key : "cost",
                      .title = title.len ? pj_arena_text(arena, title) : "Cost",
                      .unit = bytes ? "B" : pj_arena_text(arena, unit),
                      .kind = bytes ? PJ_MEASURE_BYTES : PJ_MEASURE_COUNT};
    return pj_build_column(g->build, PJ_AT_NODE, PJ_EXCLUSIVE, pj_build_measure(g->build, row),
                           false);
}

static void build_tree(gprof2dot *g, pj_arena *arena)
{
    uint32_t *columns = pj_new_n(arena, uint32_t, g->cost_count);
    uint32_t *regions = pj_new_n(arena, uint32_t, g->function_count);
    uint32_t here = pj_build_location(
        g->build, (pj_profile_location){.rank = -1, .thread = -1, .kind = PJ_LOCATION_PROCESS});
    for (size_t i = 0; i < g->cost_count; i++)
        columns[i] = column_of(g, &g->costs[i], arena);
    for (size_t i = 0; i < g->function_count; i++) {
        const listed *at = &g->functions[i];
        regions[i] = pj_build_region_apart(g->build, at->name, 0, 0, at->module);
        pj_build_region_at(g->build, regions[i])->module = at->module;
    }
    const uint32_t *nodes = pj_pathtree_nodes(&g->tree, regions, g->build, arena);
    for (size_t i = 0; i < g->value_count && pj_build_ok(g->build); i++)
        pj_build_add(g->build, columns[g->value_cost[i]], nodes[g->value_path[i]], here,
                     g->values[i]);
}

static bool read_gprof2dot(pj_source *source, pj_build *build, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    pj_auto_jsonpull json = pj_jsonpull_new(source);
    pj_auto_arena arena = pj_arena_new(&pj_source_job(source)->memory_used);
    gprof2dot g = {.build = build, .json = json, .charge = {.job = pj_source_job(source)}};
    g.tree.charge = &g.charge;
    pj_jsonpull_want_whole(json);
    pj_build_profile(build)->shape = PJ_SHAPE_TREE;
    bool ok = take_document(&g, &local) && check_numbers(&g, &local);
    if (ok)
        build_tree(&g, arena);
    pj_build_zero_above(build);
    pj_charge_end(&g.charge);
    pj_pathtree_free(&g.tree);
    void *lists[] = {g.functions, g.costs, g.chain, g.value_path, g.value_cost, g.values};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    if (!ok && err && err->code == PJ_E_NONE)
        *err = local;
    return ok;
}

const pj_reader pj_reader_gprof2dot = {
    .name = "gprof2dot",
    .title = "gprof2dot profile",
    .suffixes = ".gprof2dot.json",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_gprof2dot,
};
