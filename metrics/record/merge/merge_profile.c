// Puts the trees of all threads together as a profile, which knows how it is written.
#include "metrics/record/merge/merge_profile.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/write/profile_write.h"
#include "metrics/record/merge/part_clock.h"
#include "metrics/record/merge/part_log.h"
#include "metrics/record/merge/part_tree.h"
#include "metrics/record/rec_chunk.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct columns {
    uint32_t visits, time, least, most, sent, received, trace, allocations, allocated;
} columns;

typedef struct putting {
    pj_build *build;
    pj_arena *arena;
    bool alone;          // as cProfile has it: functions by their last name
    const double *rates; // of the parts' clocks, in ticks a second: read once, they are the same
    columns to;
    pj_merged_profile *out;
} putting;

static uint32_t add_column(pj_build *build, pj_measure measure, bool whole)
{
    uint32_t number = pj_build_measure(build, measure);
    return pj_build_column(build, PJ_AT_NODE, PJ_EXCLUSIVE, number, whole);
}

/// `counted`: allocations were.
static columns add_columns(pj_build *b, bool counted)
{
    const pj_measure time = {.key = "time", .title = "Time", .unit = "s", .kind = PJ_MEASURE_TIME},
                     least = {.key = "min_time",
                              .title = "Minimum inclusive time",
                              .unit = "s",
                              .kind = PJ_MEASURE_TIME,
                              .fold = PJ_MEASURE_MIN},
                     most = {.key = "max_time",
                             .title = "Maximum inclusive time",
                             .unit = "s",
                             .kind = PJ_MEASURE_TIME,
                             .fold = PJ_MEASURE_MAX},
                     sent = {.key = "bytes_sent",
                             .title = "Bytes sent",
                             .unit = "B",
                             .kind = PJ_MEASURE_BYTES},
                     received = {.key = "bytes_received",
                                 .title = "Bytes received",
                                 .unit = "B",
                                 .kind = PJ_MEASURE_BYTES},
                     trace = {.key = "trace_bytes",
                              .title = "Bytes in a trace",
                              .unit = "B",
                              .kind = PJ_MEASURE_BYTES},
                     allocations = {.key = "allocations",
                                    .title = "Allocations",
                                    .unit = "#",
                                    .kind = PJ_MEASURE_COUNT},
                     allocated = {.key = "bytes_allocated",
                                  .title = "Bytes allocated",
                                  .unit = "B",
                                  .kind = PJ_MEASURE_BYTES};
    return (columns){
        .visits = pj_build_column(b, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM, true),
        .time = add_column(b, time, false),
        .least = add_column(b, least, false),
        .most = add_column(b, most, false),
        .sent = add_column(b, sent, true),
        .received = add_column(b, received, true),
        .trace = add_column(b, trace, true),
        .allocations = counted ? add_column(b, allocations, true) : PJ_NO_ITEM,
        .allocated = counted ? add_column(b, allocated, true) : PJ_NO_ITEM,
    };
}

// Regions

static pj_str text_of(const putting *p, pj_str field)
{
    return pj_str_of(pj_part_log_unescape(field, p->arena));
}

static pj_region_kind kind_of(uint64_t role, uint64_t paradigm)
{
    if (paradigm == PJ_REC_PARADIGM_MPI)
        return PJ_REGION_mpi;
    if (paradigm == PJ_REC_PARADIGM_SYSTEM)
        return PJ_REGION_system;
    return role == PJ_REC_ROLE_CODE ? PJ_REGION_user : PJ_REGION_function;
}

/// What follows a colon is a line.
static bool is_of_openmp(pj_str name)
{
    return pj_str_starts(name, PJ_S("!$omp "));
}

/// As Score-P tells it: functions of Python by their module and class.
static uint32_t group_of(const putting *p, pj_region_kind kind, pj_str name)
{
    if (kind == PJ_REGION_mpi || kind == PJ_REGION_system)
        return pj_build_text(p->build, kind == PJ_REGION_mpi ? PJ_S("mpi") : PJ_S("measurement"));
    pj_str module = pj_str_head(name, pj_str_find_last(name, ':'));
    if (kind == PJ_REGION_user || module.len == name.len || is_of_openmp(name))
        return pj_build_text(p->build, PJ_S("user"));
    return pj_build_text(
        p->build, pj_str_of(pj_arena_format(p->arena, "user:" PJ_STR_FMT, PJ_STR_ARG(module))));
}

static uint32_t region_of(const putting *p, const pj_part_log *log, uint32_t id)
{
    pj_str line = pj_part_log_line(log, 'R', id - 1);
    pj_str name = text_of(p, pj_part_log_field(line, 4)),
           file = text_of(p, pj_part_log_field(line, 6));
    const pj_region_kind kind = kind_of(pj_part_log_number(line, 0), pj_part_log_number(line, 1));
    const uint32_t group = group_of(p, kind, name);
    size_t colon = pj_str_find_last(name, ':');
    if (p->alone && kind == PJ_REGION_function && colon < name.len && !is_of_openmp(name))
        name = pj_str_from(name, colon + 1);
    uint32_t region = pj_build_region(p->build, name, file, (uint32_t)pj_part_log_number(line, 2));
    pj_profile_region *made = pj_build_region_at(p->build, region);
    made->kind = kind;
    made->end_line = (uint32_t)pj_part_log_number(line, 3);
    pj_build_groups(p->build, region, &group, 1);
    return region;
}

static uint32_t *regions_of(const putting *p, const pj_part_log *log)
{
    const uint32_t count = pj_part_log_count(log, 'R');
    uint32_t *regions = pj_new_n(p->arena, uint32_t, count + (size_t)1);
    for (uint32_t id = 1; id <= count && pj_build_ok(p->build); id++)
        regions[id] = region_of(p, log, id);
    return regions;
}

// Values

/// Bytes of an enter and a leave: eleven, and those of the region's id.
static uint64_t visit_bytes(uint32_t region)
{
    uint8_t number[2 * sizeof(uint64_t)];
    return 2 * (uint64_t)(10 + (pj_rec_chunk_number(number, region) - number));
}

static void put_node(const putting *p, double rate, const pj_rec_node *node, uint32_t to,
                     uint32_t location)
{
    pj_build *b = p->build;
    const columns *at = &p->to;
    pj_build_count(b, at->visits, to, location, (int64_t)node->visits);
    pj_build_add(b, at->time, to, location, (double)node->own / rate);
    if (node->least <= node->most) {
        pj_build_add(b, at->least, to, location, (double)node->least / rate);
        pj_build_add(b, at->most, to, location, (double)node->most / rate);
    }
    if (node->sent)
        pj_build_count(b, at->sent, to, location, (int64_t)node->sent);
    if (node->received)
        pj_build_count(b, at->received, to, location, (int64_t)node->received);
    if (node->allocations) {
        pj_build_count(b, at->allocations, to, location, (int64_t)node->allocations);
        pj_build_count(b, at->allocated, to, location, (int64_t)node->allocated);
    }
    pj_build_count(b, at->trace, to, location,
                   (int64_t)(node->visits * visit_bytes(node->region) + node->records));
    p->out->visits += node->visits;
}

static void put_tree(const putting *p, double rate, const pj_part_tree *tree,
                     const uint32_t *regions, uint32_t location)
{
    uint32_t *nodes = pj_take_memory((tree->count + (size_t)1) * sizeof *nodes);
    nodes[PJ_REC_TREE_ROOT] = PJ_NO_ITEM;
    for (uint32_t i = PJ_REC_TREE_FOLDED; i < tree->count && pj_build_ok(p->build); i++) {
        const pj_rec_node *node = pj_part_tree_node(tree, i);
        if (node->region == 0) {
            nodes[i] = PJ_NO_ITEM;
            continue;
        }
        nodes[i] = pj_build_node(p->build, nodes[node->parent], regions[node->region]);
        put_node(p, rate, node, nodes[i], location);
    }
    free(nodes);
}

static uint32_t add_location(const putting *p, const pj_united_part *part, uint32_t thread)
{
    pj_str name = text_of(p, pj_part_log_thread(part->log, thread));
    return pj_build_location(p->build,
                             (pj_profile_location){.rank = part->place,
                                                   .thread = thread,
                                                   .name = pj_build_text(p->build, name)});
}

/// All locations stand before the first value.
static void put_parts(const putting *p, const pj_united_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < parts[i].tree_count; k++)
            add_location(p, &parts[i], parts[i].trees[k].number);
    uint32_t location = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *regions = regions_of(p, parts[i].log);
        for (size_t k = 0; k < parts[i].tree_count; k++)
            put_tree(p, p->rates[i], &parts[i].trees[k], regions, location++);
    }
}

// Files

static bool counts_allocations(const pj_united_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < parts[i].tree_count; k++)
            for (uint32_t n = PJ_REC_TREE_FOLDED; n < parts[i].trees[k].count; n++)
                if (pj_part_tree_node(&parts[i].trees[k], n)->allocations)
                    return true;
    return false;
}

static pj_profile *make(const pj_united_part *parts, size_t count, putting p, pj_err *err)
{
    pj_job job = {.workers = 1};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_build build = pj_build_new("the recording", &job);
    p.arena = arena;
    p.build = build;
    pj_profile *profile = pj_build_profile(build);
    profile->format = "cubex";
    profile->title = "CUBE profile";
    profile->shape = PJ_SHAPE_TREE;
    p.to = add_columns(build, counts_allocations(parts, count));
    put_parts(&p, parts, count);
    return pj_build_finish(build, err);
}

static bool save(pj_profile *profile, const char *path, pj_str suffix, pj_err *err)
{
    pj_job job = {.workers = 1};
    pj_auto_buf bytes = {.at = NULL};
    return pj_profile_writer_of(suffix)->write(profile, &job, &bytes, err) &&
           pj_newfile_put(path, pj_buf_str(&bytes), err);
}

static bool save_alone(const pj_united_part *part, putting p, const char *folder, pj_err *err)
{
    pj_merged_profile counted = {0};
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/%u.prof", folder, part->place);
    p.alone = true;
    p.out = &counted;
    pj_auto_profile profile = make(part, 1, p, err);
    return profile && save(profile, path.at, PJ_S("prof"), err);
}

/// One that tells none is taken for the same as another one.
static const double *rates_of(const pj_united_part *parts, size_t count, pj_arena *arena)
{
    double *rates = pj_new_n(arena, double, count), any = 0;
    for (size_t i = 0; i < count; i++) {
        rates[i] = (double)pj_part_clock_rate(&parts[i].clock);
        any = rates[i] > 0 ? rates[i] : any;
    }
    for (size_t i = 0; i < count; i++)
        rates[i] = rates[i] > 0 ? rates[i] : any;
    return any > 0 ? rates : NULL;
}

bool pj_merge_profile(const pj_united_part *parts, size_t count, const char *folder,
                      pj_merged_profile *out, pj_err *err)
{
    *out = (pj_merged_profile){0};
    pj_auto_arena arena = pj_arena_new(NULL);
    putting p = {.rates = rates_of(parts, count, arena), .out = out};
    if (!p.rates)
        return pj_fail(err, PJ_E_FORMAT, folder, 0,
                       "no process has read its clock twice, which tells no rate: they were killed "
                       "too early, or elsewhere");
    pj_auto_buf path = {.at = NULL}, alone = {.at = NULL};
    pj_buf_addf(&path, "%s/profile.cubex", folder);
    pj_buf_addf(&alone, "%s/prof", folder);
    pj_auto_profile profile = make(parts, count, p, err);
    if (!profile || !save(profile, path.at, PJ_S("cubex"), err))
        return false;
    out->paths = profile->count[PJ_AT_NODE];
    if (mkdir(alone.at, 0777) != 0 && errno != EEXIST)
        return pj_fail_io(err, alone.at, "cannot be made");
    for (size_t i = 0; i < count; i++)
        if (parts[i].tree_count &&
            !save_alone(&parts[i], (putting){.rates = p.rates + i}, alone.at, err))
            return false;
    return true;
}
