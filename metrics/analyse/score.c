// Adds up what visits would cost in a trace, by region and process.
#include "metrics/analyse/score.h"

#include "metrics/analyse/score_cost.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/memory.h"
#include "metrics/base/str.h"
#include "metrics/read/profile/cube/blob.h"
#include "metrics/read/profile/cube/cube.h"
#include "metrics/read/source.h"

#include <math.h>
#include <stdlib.h>

const char *pj_score_group_name(pj_score_group group)
{
    static const char *const names[] = {
#define SCORE_GROUP(key, ...) #key,
#include "metrics/analyse/score_groups.def"
#undef SCORE_GROUP
    };
    return names[group];
}

bool pj_score_filterable(pj_score_group group)
{
    static const bool filterable[] = {
#define SCORE_GROUP(key, can) can,
#include "metrics/analyse/score_groups.def"
#undef SCORE_GROUP
    };
    return filterable[group];
}

/// What is read of the file.
typedef struct scoring {
    pj_score *score;
    const pj_cube *cube;
    pj_score_cost cost;
    int64_t *visits, *hits; // by call path and location; NULL = there are none
    int64_t *bytes;         // that our recorder has counted; NULL = to be estimated
    double *times;
    uint32_t *owner; // region that a call path counts for
} scoring;

static int64_t *take_whole(const scoring *s)
{
    size_t cells = s->cube->node_count * s->cube->location_count + 1;
    return memset(pj_take_memory(cells * sizeof(int64_t)), 0, cells * sizeof(int64_t));
}

static bool read_whole(const scoring *s, pj_str key, int64_t **out, pj_job *job, pj_err *err)
{
    const pj_cube_metric *metric = pj_cube_find(s->cube, key);
    pj_cube_counts counts = {.large = 0};
    if (!metric || metric->derived || !pj_cube_is_whole(metric->type) || metric->inclusive)
        return true;
    *out = take_whole(s);
    pj_cube_cells cells = {.whole = *out, .stride = s->cube->location_count};
    return pj_cube_read(s->cube, metric, cells, job, &counts, err);
}

/// Times without those of callees.
static bool read_times(scoring *s, pj_job *job, pj_err *err)
{
    const pj_cube_metric *metric = pj_cube_find(s->cube, PJ_S("time"));
    pj_cube_counts counts = {.large = 0};
    size_t at = s->cube->location_count;
    if (!metric || metric->derived || metric->type != PJ_CUBE_DOUBLE)
        return true;
    s->times = (double *)take_whole(s);
    pj_cube_cells cells = {.real = s->times, .stride = at};
    if (!pj_cube_read(s->cube, metric, cells, job, &counts, err))
        return false;
    for (size_t n = 0; metric->inclusive && n < s->cube->node_count; n++) {
        int32_t parent = s->cube->nodes[n].parent;
        for (size_t l = 0; parent >= 0 && l < at; l++)
            s->times[(size_t)parent * at + l] -= s->times[n * at + l];
    }
    return true;
}

static bool read_values(scoring *s, pj_job *job, pj_err *err)
{
    const char *where = s->cube->blob->name;
    uint64_t bytes = 32 * (uint64_t)s->cube->node_count * (s->cube->location_count + 1);
    if (!pj_memory_want(bytes, where, "visits and times of all call paths", err) ||
        !read_whole(s, PJ_S("visits"), &s->visits, job, err) ||
        !read_whole(s, PJ_S("hits"), &s->hits, job, err) ||
        !read_whole(s, PJ_S("trace_bytes"), &s->bytes, job, err) || !read_times(s, job, err))
        return false;
    if (!s->visits || !s->times)
        return pj_fail(err, PJ_E_MISSING, where, 0,
                       "has no %s of its call paths: only profiles of Score-P can be scored",
                       s->visits ? "times" : "visits");
    return true;
}

// Regions and groups

/// What counts for its caller, counts for the first one above it that is no part itself.
static void find_owners(scoring *s)
{
    const pj_cube_node *nodes = s->cube->nodes;
    s->owner = pj_take_memory((s->cube->node_count + 1) * sizeof *s->owner);
    for (size_t n = 0; n < s->cube->node_count; n++) {
        bool part = pj_score_is_part(&s->cube->regions[nodes[n].region]) && nodes[n].parent >= 0;
        s->owner[n] = part ? s->owner[nodes[n].parent] : nodes[n].region;
    }
}

static void make_regions(scoring *s)
{
    pj_score *score = s->score;
    score->region_count = s->cube->region_count;
    score->process_count = s->cube->process_count;
    score->regions = pj_new_n(score->arena, pj_score_row, score->region_count + 1);
    for (size_t i = 0; i < score->region_count; i++) {
        const pj_cube_region *region = &s->cube->regions[i];
        score->regions[i] = (pj_score_row){
            .name = pj_arena_str(score->arena, region->name),
            .mangled = pj_arena_str(score->arena, region->mangled),
            .file = pj_arena_str(score->arena, region->file),
            .group = pj_score_group_of(region),
            .bytes = pj_new_n(score->arena, uint64_t, score->process_count + 1),
        };
    }
    // User regions above what synchronises are COM. Children stand behind their parents.
    bool *above = pj_new_n(score->arena, bool, s->cube->node_count + 1);
    for (size_t n = s->cube->node_count; n-- > 0;) {
        const pj_cube_node *node = &s->cube->nodes[n];
        pj_score_row *row = &score->regions[node->region];
        if (above[n] && row->group == PJ_SCORE_USR)
            row->group = PJ_SCORE_COM;
        if (node->parent >= 0 && (above[n] || row->group > PJ_SCORE_COM))
            above[node->parent] = true;
    }
}

static void add_node(const scoring *s, size_t n)
{
    size_t at = s->cube->location_count;
    pj_score_row *row = &s->score->regions[s->owner[n]];
    uint64_t visit = pj_score_visit_bytes(&s->cost, s->cube, &s->cube->nodes[n]);
    uint64_t hit = pj_score_hit_bytes(&s->cost), counters = pj_score_counter_bytes(&s->cost);
    for (size_t l = 0; l < at; l++) {
        uint64_t visits = s->visits[n * at + l] > 0 ? (uint64_t)s->visits[n * at + l] : 0;
        uint64_t hits = s->hits && s->hits[n * at + l] > 0 ? (uint64_t)s->hits[n * at + l] : 0;
        double time = s->times[n * at + l];
        uint64_t counted =
            s->bytes && s->bytes[n * at + l] > 0 ? (uint64_t)s->bytes[n * at + l] : 0;
        uint64_t bytes = s->bytes ? counted + visits * counters : visits * visit + hits * hit;
        row->bytes[s->cube->locations[l].process] += bytes;
        row->visits += visits;
        row->hits += hits;
        row->time += isnan(time) ? 0 : time;
    }
}

static void find_max(pj_score_row *row, size_t processes)
{
    for (size_t p = 0; p < processes; p++)
        row->max_buf = row->bytes[p] > row->max_buf ? row->bytes[p] : row->max_buf;
}

static void add_row(pj_score_row *to, const pj_score_row *row, size_t processes)
{
    for (size_t p = 0; p < processes; p++)
        to->bytes[p] += row->bytes[p];
    to->visits += row->visits;
    to->hits += row->hits;
    to->time += row->time;
}

static void make_sums(const pj_score *score, pj_score_sums *sums, bool filtered)
{
    for (pj_score_group g = 0; g < PJ_SCORE_GROUP_COUNT; g++)
        sums->groups[g] =
            (pj_score_row){.name = pj_str_of(pj_score_group_name(g)),
                           .group = g,
                           .bytes = pj_new_n(score->arena, uint64_t, score->process_count + 1)};
    for (size_t i = 0; i < score->region_count; i++) {
        const pj_score_row *row = &score->regions[i];
        if (filtered && row->filtered) {
            add_row(&sums->groups[PJ_SCORE_FLT], row, score->process_count);
        } else {
            add_row(&sums->groups[PJ_SCORE_ALL], row, score->process_count);
            add_row(&sums->groups[row->group], row, score->process_count);
        }
    }
    for (pj_score_group g = 0; g < PJ_SCORE_GROUP_COUNT; g++)
        find_max(&sums->groups[g], score->process_count);
}

static void apply_filter(pj_score *score, const pj_score_filter *filter)
{
    score->has_filter = true;
    for (size_t i = 0; i < score->region_count; i++) {
        pj_score_row *row = &score->regions[i]; // texts of an arena are terminated
        row->filtered =
            pj_score_filterable(row->group) &&
            pj_score_filter_excludes(filter, row->name.at, row->mangled.at, row->file.at);
    }
}

static void count_locations(const scoring *s)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint64_t *counts = pj_new_n(arena, uint64_t, s->cube->process_count + 1);
    for (size_t l = 0; l < s->cube->location_count; l++) {
        uint64_t count = ++counts[s->cube->locations[l].process];
        if (count > s->score->most_locations)
            s->score->most_locations = count;
    }
}

static bool score_cube(scoring *s, pj_score_opts opts, pj_job *job, pj_err *err)
{
    pj_score *score = s->score;
    bool ok = pj_score_cost_of(&s->cost, s->cube, opts.counters, err) && read_values(s, job, err);
    if (ok) {
        score->has_hits = s->hits != NULL;
        find_owners(s);
        make_regions(s);
        count_locations(s);
        for (size_t n = 0; n < s->cube->node_count; n++)
            add_node(s, n);
        for (size_t i = 0; i < score->region_count; i++)
            find_max(&score->regions[i], score->process_count);
        if (opts.filter)
            apply_filter(score, opts.filter);
        make_sums(score, &score->all, false);
        make_sums(score, &score->left, true);
    }
    free(s->visits);
    free(s->hits);
    free(s->bytes);
    free(s->times);
    free(s->owner);
    return ok;
}

pj_score *pj_score_new(const char *path, pj_score_opts opts, pj_job *job, pj_err *err)
{
    pj_auto_buf file = {.at = NULL};
    pj_buf_addf(&file, "%s%s", path, pj_file_is_regular(path) ? "" : "/profile.cubex");
    pj_source *source = pj_source_open(file.at, job, err);
    if (!source)
        return NULL;
    pj_auto_arena arena = pj_arena_new(&job->memory_used);
    pj_score *score = pj_take_memory(sizeof *score);
    *score = (pj_score){.arena = pj_arena_new(NULL),
                        .references = 1,
                        .sort = opts.sort,
                        .with_regions = opts.with_regions};
    pj_blob blob;
    pj_cube cube;
    bool ok = pj_blob_open(&blob, source, err) && pj_cube_open(&cube, &blob, arena, job, err) &&
              score_cube(&(scoring){.score = score, .cube = &cube}, opts, job, err);
    pj_blob_close(&blob);
    pj_source_close(source);
    if (ok)
        return score;
    pj_score_release(score);
    return NULL;
}

pj_score *pj_score_hold(pj_score *score)
{
    score->references++;
    return score;
}

void pj_score_release(pj_score *score)
{
    if (!score || --score->references)
        return;
    pj_arena_free(score->arena);
    free(score);
}
