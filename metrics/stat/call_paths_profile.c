// One tree of the trees of all locations, in their order. A node is made when it or something below
// it has a value: what lies outside of a region of interest leaves nothing.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/run/run.h"
#include "metrics/stat/call_name.h"
#include "metrics/stat/call_paths.h"
#include "metrics/stat/call_paths_state.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/path_tree.h"

#include <stdlib.h>

enum { NOT_YET = UINT32_MAX - 1 }; // of regions and nodes

typedef struct merging {
    const pj_call_paths *paths;
    const pj_run *run;
    pj_build *build;
    uint32_t *region_of; // of the profile, by `what`
    uint32_t *master;    // nodes of the profile, by node of the first thread of the rank
    size_t master_count;
    const pj_path_tree *master_tree;
    uint32_t exclusive, calls;
} merging;

static pj_str module_of(const char *file)
{
    pj_str path = pj_str_of(file ? file : "");
    size_t slash = pj_str_find_last(path, '/');
    pj_str base = slash < path.len ? pj_str_from(path, slash + 1) : path;
    size_t dot = pj_str_find_last(base, '.');
    return dot > 0 && dot < base.len ? pj_str_head(base, dot) : base;
}

static pj_region_kind kind_of(const char *key)
{
    for (unsigned kind = 0; key && kind < PJ_REGION_KIND_COUNT; kind++)
        if (strcmp(pj_region_kind_key((pj_region_kind)kind), key) == 0)
            return (pj_region_kind)kind;
    return PJ_REGION_unknown;
}

static uint32_t region_of(merging *m, uint32_t what)
{
    if (m->region_of[what] != NOT_YET)
        return m->region_of[what];
    const pj_call_paths *paths = m->paths;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_region from = paths->followed ? m->run->names.regions[what]
                                     : pj_call_name_region(m->run, &paths->names[what], arena);
    pj_str file = pj_str_of(from.file ? from.file : "");
    uint32_t region = pj_build_region(m->build, pj_str_of(from.name), file, from.line);
    uint32_t module = pj_build_text(m->build, module_of(from.file));
    pj_profile_region *at = pj_build_region_at(m->build, region);
    at->kind = kind_of(from.kind);
    at->module = module;
    return m->region_of[what] = region;
}

/// What stands for all call paths that are left out, each function below it.
static uint32_t others_region(const merging *m)
{
    uint32_t region = pj_build_region(m->build, PJ_S("call paths left out"), PJ_S(""), 0);
    pj_build_region_at(m->build, region)->kind = PJ_REGION_system;
    return region;
}

static uint32_t child_of(merging *m, const pj_path_tree *tree, uint32_t parent, uint32_t what)
{
    uint32_t region =
        what & PJ_PATH_OTHERS ? others_region(m) : region_of(m, pj_path_tree_region(tree, what));
    uint32_t parameters = 0;
    if (what & PJ_PATH_VARIANT)
        parameters =
            pj_build_text(m->build, pj_str_of(tree->variants[what & ~PJ_PATH_VARIANT].text));
    return pj_build_node_with(m->build, parent, region, parameters);
}

/// Node of the profile for a node of a tree, `made` by its number; those above it are made first.
static uint32_t node_of(merging *m, const pj_path_tree *tree, uint32_t *made, uint32_t node)
{
    uint32_t way[PJ_PATH_DEPTH + 2], steps = 0;
    for (; made[node] == NOT_YET; node = tree->nodes[node].parent)
        way[steps++] = node;
    while (steps > 0) {
        node = way[--steps];
        const pj_path_node *n = &tree->nodes[node];
        made[node] = n->what & PJ_PATH_JOINED
                         ? node_of(m, m->master_tree, m->master, n->what & ~PJ_PATH_JOINED)
                         : child_of(m, tree, made[n->parent], n->what);
    }
    return made[node];
}

/// Time of every node without its callees, which stand behind it.
static uint64_t *exclusive_of(const pj_path_tree *tree)
{
    uint64_t *self = pj_take_memory(tree->count * sizeof *self);
    for (size_t i = 0; i < tree->count; i++)
        self[i] = tree->nodes[i].time_ns;
    for (size_t i = tree->count; i-- > 1;)
        self[tree->nodes[i].parent] -= tree->nodes[i].time_ns;
    return self;
}

static void add_location(merging *m, uint32_t location, uint32_t *made)
{
    const double ns_per_second = 1e9;
    const pj_path_tree *tree = &m->paths->trees[location];
    uint64_t *self = exclusive_of(tree);
    made[PJ_PATH_ROOT] = PJ_NO_ITEM;
    for (uint32_t i = 1; i < tree->count && pj_build_ok(m->build); i++) {
        const pj_path_node *n = &tree->nodes[i];
        if (n->what & (PJ_PATH_JOINED | PJ_PATH_OTHERS) || (!n->visits && !self[i]))
            continue;
        uint32_t node = node_of(m, tree, made, i);
        pj_build_add(m->build, m->exclusive, node, location, (double)self[i] / ns_per_second);
        pj_build_count(m->build, m->calls, node, location, (int64_t)n->visits);
    }
    free(self);
}

static uint32_t *new_numbers(size_t count)
{
    uint32_t *numbers = pj_take_memory(count * sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = NOT_YET;
    return numbers;
}

static void add_rank(merging *m, uint32_t rank)
{
    const pj_layout *layout = &m->run->layout;
    for (uint32_t l = layout->first_location[rank]; l < layout->first_location[rank + 1]; l++) {
        uint32_t *made = new_numbers(m->paths->trees[l].count);
        if (l == layout->first_location[rank]) {
            m->master = made;
            m->master_tree = &m->paths->trees[l];
        }
        add_location(m, l, made);
        if (made != m->master)
            free(made);
    }
    free(m->master);
    m->master = NULL;
}

static void add_locations(const merging *m)
{
    const pj_layout *layout = &m->run->layout;
    uint32_t file = pj_build_file(m->build, m->run->path);
    for (uint32_t l = 0; l < layout->locations; l++) {
        uint32_t rank = layout->rank_of[l];
        const char *name = layout->location_name[l];
        pj_build_location(
            m->build,
            (pj_profile_location){.rank = rank,
                                  .thread = (int64_t)l - layout->first_location[rank],
                                  .kind = PJ_LOCATION_CPU,
                                  .name = pj_build_text(m->build, pj_str_of(name ? name : "")),
                                  .file = file});
    }
}

static void odd(merging *m, pj_oddity oddity, uint64_t count)
{
    pj_build_profile(m->build)->oddities.count[oddity] += count;
}

static void count_oddities(merging *m)
{
    const pj_call_paths *paths = m->paths;
    const uint64_t *import = m->run->import.count;
    bool followed = paths->followed;
    odd(m, PJ_ODDITY_call_not_left, followed ? import[PJ_IMPORT_region_not_left] : paths->not_left);
    odd(m, PJ_ODDITY_leave_without_enter,
        followed ? import[PJ_IMPORT_leave_without_enter] : paths->not_entered);
    odd(m, PJ_ODDITY_wrong_nesting,
        followed ? import[PJ_IMPORT_wrong_nesting] : paths->wrong_nesting);
    odd(m, PJ_ODDITY_ends_early, m->run->damage != NULL);
    for (uint32_t l = 0; l < paths->locations; l++) {
        odd(m, PJ_ODDITY_paths_folded, paths->trees[l].folded);
        odd(m, PJ_ODDITY_team_apart, paths->trees[l].apart + paths->trees[l].forks_left_out);
    }
}

static bool has_nodes(const pj_call_paths *paths)
{
    for (uint32_t l = 0; l < paths->locations; l++)
        if (paths->trees[l].count > 1)
            return true;
    return false;
}

static void merge(merging *m)
{
    add_locations(m);
    uint32_t time = pj_build_measure(m->build, (pj_measure){.key = "time",
                                                            .title = "Time",
                                                            .unit = "s",
                                                            .kind = PJ_MEASURE_TIME,
                                                            .stored = PJ_STORED_EXCLUSIVE});
    m->exclusive = pj_build_column(m->build, PJ_AT_NODE, PJ_EXCLUSIVE, time, false);
    m->calls = pj_build_column(m->build, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM, true);
    size_t names = m->paths->followed ? m->run->names.region_count : m->paths->name_count;
    m->region_of = new_numbers(names + 1);
    for (uint32_t rank = 0; rank < m->run->layout.ranks; rank++)
        add_rank(m, rank);
    free(m->region_of);
    count_oddities(m);
}

pj_profile *pj_call_paths_profile(const pj_call_paths *paths, const pj_run *run, pj_job *job,
                                  pj_err *err)
{
    const double tick = 1e-9;
    if (!has_nodes(paths)) {
        pj_fail(err, PJ_E_MISSING, run->path, 0,
                "the trace names no functions, MPI calls or OpenMP constructs: there is nothing to "
                "make a profile of");
        return NULL;
    }
    pj_auto_build build = pj_build_new(run->path, job);
    pj_profile *profile = pj_build_profile(build);
    profile->format = run->format;
    profile->shape = PJ_SHAPE_TREE;
    profile->tick = tick;
    merging m = {.paths = paths, .run = run, .build = build};
    merge(&m);
    return pj_build_finish(build, err);
}
