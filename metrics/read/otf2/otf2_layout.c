// Ranks, threads and nodes of an archive.
// A rank is a process (location group); its number is its place among the MPI locations, else in
// the order of definition. Its threads are its CPU threads, the one that MPI names first. Locations
// of an accelerator, or of a group of one, are streams.
#include "metrics/read/otf2/otf2_layout.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "metrics/run/run.h"
#include "metrics/trace/device.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <string.h>

enum { // OTF2_Definitions.h
    CPU_THREAD = 1,
    ACCELERATOR_STREAM = 2,
    METRIC_LOCATION = 3,
    COMM_LOCATIONS = 4,
    COMM_GROUP = 5,
    COMM_SELF = 6,
    ACCELERATOR_GROUP = 2, // of locations: the context of a device
};

typedef struct work {
    pj_otf2_defs *defs;
    const pj_otf2_gathered *all;
    pj_run *run;
    const pj_otf2_def *world; // the group of all MPI locations; NULL without MPI
    pj_map rank_of;           // by id of the location group
    uint32_t ranks;
    uint32_t *world_ranks; // rank of each member of `world`
    pj_map node_of;        // by id of a node of the system
} work;

static const pj_otf2_def_list *list(const work *w, pj_otf2_def_kind kind)
{
    return &w->all->lists[kind];
}

/// The largest list of MPI locations: others are about parts of the run.
static const pj_otf2_def *find_world(const work *w)
{
    const pj_otf2_def_list *groups = list(w, PJ_OTF2_DEF_GROUP);
    const pj_otf2_def *found = NULL;
    for (size_t i = 0; i < groups->count; i++) {
        const pj_otf2_def *group = &groups->items[i];
        if (group->number[0] == COMM_LOCATIONS && group->number[1] == PJ_OTF2_PARADIGM_MPI &&
            (!found || group->member_count > found->member_count))
            found = group;
    }
    return found;
}

static const pj_otf2_def *group_of_location(const work *w, const pj_otf2_def *number)
{
    return pj_otf2_def_of(w->all, PJ_OTF2_DEF_LOCATION_GROUP, number->number[3]);
}

static bool is_stream(const work *w, const pj_otf2_def *number)
{
    const pj_otf2_def *group = group_of_location(w, number);
    return group && (number->number[1] == ACCELERATOR_STREAM ||
                     (number->number[1] == CPU_THREAD && group->number[1] == ACCELERATOR_GROUP));
}

static bool is_thread(const work *w, const pj_otf2_def *number)
{
    return number->number[1] == CPU_THREAD && !is_stream(w, number);
}

static uint32_t take_rank(work *w, uint64_t group)
{
    uint32_t rank;
    if (!pj_map_get(&w->rank_of, group, &rank)) {
        rank = w->ranks++;
        pj_map_put(&w->rank_of, group, rank);
    }
    return rank;
}

static void number_ranks(work *w)
{
    w->world = find_world(w);
    size_t members = w->world ? w->world->member_count : 0;
    w->world_ranks = pj_new_n(w->defs->arena, uint32_t, members);
    for (size_t i = 0; i < members; i++) {
        const pj_otf2_def *number =
            pj_otf2_def_of(w->all, PJ_OTF2_DEF_LOCATION, w->world->members[i]);
        w->world_ranks[i] =
            number && !is_stream(w, number) ? take_rank(w, number->number[3]) : PJ_OTF2_NONE;
    }
    const pj_otf2_def_list *locations = list(w, PJ_OTF2_DEF_LOCATION);
    for (size_t i = 0; i < locations->count; i++)
        if (is_thread(w, &locations->items[i]))
            take_rank(w, locations->items[i].number[3]);
}

static uint32_t rank_of_location(const work *w, const pj_otf2_def *number)
{
    uint32_t rank = PJ_OTF2_NONE;
    pj_map_get(&w->rank_of, number->number[3], &rank);
    return rank;
}

/// Threads of each rank; locations of metrics are counted.
static void count_threads(work *w, uint32_t *threads)
{
    const pj_otf2_def_list *locations = list(w, PJ_OTF2_DEF_LOCATION);
    for (size_t i = 0; i < locations->count; i++) {
        w->defs->recorders += locations->items[i].number[1] == METRIC_LOCATION;
        if (is_thread(w, &locations->items[i]))
            threads[rank_of_location(w, &locations->items[i])]++;
    }
}

static uint32_t node_number(work *w, const pj_otf2_def *location)
{
    const pj_otf2_def *group = group_of_location(w, location);
    uint32_t number = 0;
    if (!group || group->number[2] == PJ_OTF2_UNDEFINED)
        return 0;
    if (!pj_map_get(&w->node_of, group->number[2], &number)) {
        number = (uint32_t)w->node_of.count + 1;
        pj_map_put(&w->node_of, group->number[2], number);
    }
    return number;
}

/// Puts a thread at the next free place of its rank.
static void location_thread(work *w, const pj_otf2_def *def, uint32_t *next, pj_map *placed)
{
    pj_layout *layout = &w->run->layout;
    uint32_t rank = rank_of_location(w, def), taken;
    if (!is_thread(w, def) || pj_map_get(placed, def->id, &taken))
        return;
    uint32_t number = next[rank]++;
    pj_map_put(placed, def->id, number);
    layout->rank_of[number] = rank;
    layout->node_of[number] = node_number(w, def);
    const char *name = pj_otf2_text(w->all, def->number[0]);
    layout->location_name[number] = *name ? pj_arena_text(w->run->arena, pj_str_of(name)) : NULL;
    w->defs->locations[number] =
        (pj_otf2_location_def){.id = def->id, .location = number, .events = def->number[2]};
}

/// The rank whose process drives a stream: that of its group, or of who made its group;
/// PJ_OTF2_NONE = the archive does not tell.
static uint32_t told_rank_of_stream(const work *w, const pj_otf2_def *number)
{
    const pj_otf2_def *group = group_of_location(w, number);
    uint32_t rank = rank_of_location(w, number);
    if (rank == PJ_OTF2_NONE && group)
        pj_map_get(&w->rank_of, group->number[3], &rank);
    return rank;
}

static uint32_t rank_of_stream(const work *w, const pj_otf2_def *number)
{
    uint32_t rank = told_rank_of_stream(w, number);
    return rank == PJ_OTF2_NONE ? 0 : rank;
}

/// Whether a node of the system tree is that of processes, and no device.
static bool has_processes(const work *w, uint64_t node)
{
    const pj_otf2_def_list *groups = list(w, PJ_OTF2_DEF_LOCATION_GROUP);
    for (size_t i = 0; i < groups->count; i++)
        if (groups->items[i].number[1] != ACCELERATOR_GROUP && groups->items[i].number[2] == node)
            return true;
    return false;
}

/// A device that is a node of the system tree, or a group beside those of processes (rocprofv3,
/// whose nodes are of the class of their host).
static const char *key_of_group(const work *w, const pj_otf2_def *group, const pj_otf2_def *node)
{
    pj_arena *arena = w->run->arena;
    const pj_otf2_def *above = pj_otf2_def_of(w->all, PJ_OTF2_DEF_NODE, node->number[0]);
    const char *class_ = pj_otf2_text(w->all, node->number[2]);
    const char *name = pj_otf2_text(w->all, node->number[1]);
    if (!has_processes(w, group->number[2]))
        return pj_arena_format(arena, "%s:%s %s",
                               above ? pj_otf2_text(w->all, above->number[1]) : "", class_, name);
    bool usual = strcmp(class_, "node") == 0 || strcmp(class_, "machine") == 0;
    return pj_arena_format(arena, "%s:%s", usual ? name : class_,
                           pj_otf2_text(w->all, group->number[0]));
}

/// Older archives tell the device by the name of the location: "CUDA[0:13]" is of "CUDA[0".
static const char *device_key(const work *w, const pj_otf2_def *number)
{
    const pj_otf2_def *group = group_of_location(w, number);
    const pj_otf2_def *node =
        group && group->number[1] == ACCELERATOR_GROUP && group->number[2] != PJ_OTF2_UNDEFINED
            ? pj_otf2_def_of(w->all, PJ_OTF2_DEF_NODE, group->number[2])
            : NULL;
    if (node)
        return key_of_group(w, group, node);
    pj_str name = pj_str_of(pj_otf2_text(w->all, number->number[0]));
    return pj_arena_format(w->run->arena, "rank %u:" PJ_STR_FMT, rank_of_stream(w, number),
                           PJ_STR_ARG(pj_str_head(name, pj_str_find_last(name, ':'))));
}

/// Copies to the host, which rocprofv3 has as a group of its own.
static bool is_host(const work *w, const pj_otf2_def *number)
{
    const pj_otf2_def *group = group_of_location(w, number);
    return group && group->number[1] == ACCELERATOR_GROUP &&
           pj_str_starts(pj_str_of(pj_otf2_text(w->all, group->number[0])), PJ_S("CPU"));
}

static pj_device_kind kind_of_stream(pj_str name)
{
    static const struct {
        pj_str begin;
        pj_device_kind kind;
    } kinds[] = {{{"CUDA", 4}, PJ_STREAM_CUDA},
                 {{"HIP", 3}, PJ_STREAM_HIP},
                 {{"OpenCL", 6}, PJ_STREAM_OPENCL}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (pj_str_starts(name, kinds[i].begin))
            return kinds[i].kind;
    return PJ_STREAM_DEVICE;
}

/// The device of copies to the host is the only one; where there are several, nothing tells it.
static void settle_hosts(pj_device_stream *streams, uint32_t count)
{
    const char *device = NULL;
    bool several = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!streams[i].device)
            continue;
        several |= device && strcmp(device, streams[i].device) != 0;
        device = streams[i].device;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (streams[i].device)
            continue;
        streams[i].device = device ? device : "";
        if (!device || several)
            streams[i].kind = PJ_STREAM_SAMPLES;
    }
}

static uint32_t count_streams(const work *w)
{
    const pj_otf2_def_list *locations = list(w, PJ_OTF2_DEF_LOCATION);
    uint32_t count = 0;
    for (size_t i = 0; i < locations->count; i++)
        count += is_stream(w, &locations->items[i]);
    return count;
}

/// Rank by rank, in the order of definition.
static void list_streams(work *w)
{
    const pj_otf2_def_list *locations = list(w, PJ_OTF2_DEF_LOCATION);
    pj_arena *arena = w->run->arena;
    pj_layout *layout = &w->run->layout;
    uint32_t *next = pj_new_n(w->defs->arena, uint32_t, w->ranks + 2);
    for (size_t i = 0; i < locations->count; i++)
        if (is_stream(w, &locations->items[i]))
            next[rank_of_stream(w, &locations->items[i]) + 1]++;
    for (uint32_t r = 0; r < w->ranks; r++)
        next[r + 1] += next[r];
    layout->stream_count = w->defs->stream_count = next[w->ranks];
    pj_device_stream *streams = pj_new_n(arena, pj_device_stream, layout->stream_count);
    for (size_t i = 0; i < locations->count; i++) {
        const pj_otf2_def *def = &locations->items[i];
        if (!is_stream(w, def))
            continue;
        pj_str name = pj_str_of(pj_otf2_text(w->all, def->number[0]));
        uint32_t rank = rank_of_stream(w, def), at = next[rank]++, number = layout->locations + at;
        if (w->ranks > 1 && told_rank_of_stream(w, def) == PJ_OTF2_NONE)
            pj_import_add(&w->run->import, PJ_IMPORT_stream_of_no_rank, 0);
        streams[at] = (pj_device_stream){.kind = kind_of_stream(name),
                                         .rank = rank,
                                         .device = is_host(w, def) ? NULL : device_key(w, def),
                                         .name = name.len ? pj_arena_text(arena, name) : NULL};
        w->defs->locations[number] =
            (pj_otf2_location_def){.id = def->id, .location = number, .events = def->number[2]};
    }
    settle_hosts(streams, layout->stream_count);
    layout->streams = streams;
}

static bool lay_out(work *w, pj_err *err)
{
    pj_arena *arena = w->run->arena;
    pj_layout *layout = &w->run->layout;
    *layout = (pj_layout){.applications = 1, .ranks = w->ranks};
    layout->first_location = pj_new_n(arena, uint32_t, w->ranks + 1);
    layout->application_of = pj_new_n(arena, uint32_t, w->ranks);
    uint32_t *next = pj_new_n(w->defs->arena, uint32_t, w->ranks);
    count_threads(w, next);
    for (uint32_t r = 0; r < w->ranks; r++) {
        layout->first_location[r + 1] = layout->first_location[r] + next[r];
        next[r] = layout->first_location[r];
    }
    uint32_t n = layout->locations = layout->first_location[w->ranks];
    if (n == 0)
        return pj_fail(err, PJ_E_FORMAT, w->run->path, 0,
                       "the archive defines no thread of a process (no CPU location)");
    layout->rank_of = pj_new_n(arena, uint32_t, n);
    layout->node_of = pj_new_n(arena, uint32_t, n);
    layout->location_name = pj_new_n(arena, const char *, n);
    w->defs->locations = pj_new_n(w->defs->arena, pj_otf2_location_def, n + count_streams(w));
    w->defs->location_count = n;
    pj_map placed = {0};
    for (size_t i = 0; w->world && i < w->world->member_count; i++) {
        const pj_otf2_def *def = pj_otf2_def_of(w->all, PJ_OTF2_DEF_LOCATION, w->world->members[i]);
        if (def)
            location_thread(w, def, next, &placed);
    }
    const pj_otf2_def_list *locations = list(w, PJ_OTF2_DEF_LOCATION);
    for (size_t i = 0; i < locations->count; i++)
        location_thread(w, &locations->items[i], next, &placed);
    pj_map_free(&placed);
    list_streams(w);
    return true;
}

// Communicators

static const pj_otf2_def *group_of(const work *w, uint64_t id)
{
    const pj_otf2_def *group = pj_otf2_def_of(w->all, PJ_OTF2_DEF_GROUP, id << 4 | COMM_GROUP);
    return group ? group : pj_otf2_def_of(w->all, PJ_OTF2_DEF_GROUP, id << 4 | COMM_SELF);
}

/// The members of a group as ranks; NULL when it is not about MPI processes.
static uint32_t *members_of(work *w, const pj_otf2_def *group, uint32_t *size)
{
    if (!group || group->number[1] != PJ_OTF2_PARADIGM_MPI)
        return NULL;
    *size = (uint32_t)group->member_count;
    uint32_t *ranks = pj_new_n(w->run->arena, uint32_t, group->member_count + 1);
    for (size_t i = 0; i < group->member_count; i++) {
        uint64_t member = group->members[i];
        ranks[i] =
            w->world && member < w->world->member_count ? w->world_ranks[member] : PJ_OTF2_NONE;
    }
    return ranks;
}

static bool all_known(const uint32_t *ranks, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if (ranks[i] == PJ_OTF2_NONE)
            return false;
    return true;
}

/// Whether a communicator, which may be NULL, is a team of OpenMP threads.
static bool is_team(const work *w, const pj_otf2_def *def)
{
    const pj_otf2_def *group = def ? group_of(w, def->number[1]) : NULL;
    return group && group->number[1] == PJ_OTF2_PARADIGM_OPENMP;
}

static pj_otf2_comm resolve_comm(work *w, const pj_otf2_def *def)
{
    const pj_otf2_def *parent = pj_otf2_def_of(w->all, PJ_OTF2_DEF_COMM, def->number[3]);
    pj_otf2_comm comm = {.nested = is_team(w, def) && is_team(w, parent)};
    const pj_otf2_def *group = group_of(w, def->number[1]);
    comm.ranks = members_of(w, group, &comm.size);
    if (!comm.ranks)
        return comm;
    comm.self = group->number[0] == COMM_SELF || comm.size == 0;
    if (def->number[2] != PJ_OTF2_UNDEFINED)
        comm.other = members_of(w, group_of(w, def->number[2]), &comm.other_size);
    bool whole = all_known(comm.ranks, comm.size) && all_known(comm.other, comm.other_size);
    if (whole && (def->number[2] == PJ_OTF2_UNDEFINED || comm.other))
        comm.number = PJ_OTF2_NONE; // is given when all are known
    else
        pj_import_add(&w->run->import, PJ_IMPORT_bad_communicator, 0);
    return comm;
}

/// The members of both sides.
static void list_members(work *w, const pj_otf2_comm *comm, pj_communicator *out)
{
    out->inter = comm->other != NULL;
    out->size = comm->self ? 0 : comm->size + (comm->other ? comm->other_size : 0);
    out->ranks = pj_new_n(w->run->arena, uint32_t, out->size + 1);
    for (uint32_t i = 0; i < out->size; i++)
        out->ranks[i] =
            i < comm->size || !comm->other ? comm->ranks[i] : comm->other[i - comm->size];
}

static void give_number(work *w, pj_otf2_comm *comm)
{
    pj_run *run = w->run;
    comm->number = ++run->names.communicator_count;
    pj_communicator *out = &run->names.communicators[comm->number - 1];
    out->id = comm->number;
    list_members(w, comm, out);
}

/// MPI_COMM_WORLD is the largest, and of those the first.
static void resolve_comms(work *w)
{
    const pj_otf2_def_list *from = list(w, PJ_OTF2_DEF_COMM);
    pj_otf2_defs *defs = w->defs;
    defs->comm_count = (uint32_t)from->count;
    defs->comms = pj_new_n(defs->arena, pj_otf2_comm, from->count);
    uint32_t world = PJ_OTF2_NONE;
    for (uint32_t i = 0; i < from->count; i++) {
        defs->comms[i] = resolve_comm(w, &from->items[i]);
        pj_map_put(&defs->comm_of, from->items[i].id, i);
        defs->has_nested |= defs->comms[i].nested;
        if (defs->comms[i].number && !defs->comms[i].other &&
            (world == PJ_OTF2_NONE || defs->comms[i].size > defs->comms[world].size))
            world = i;
    }
    w->run->names.communicators = pj_new_n(w->run->arena, pj_communicator, from->count);
    if (world != PJ_OTF2_NONE)
        give_number(w, &defs->comms[world]);
    for (uint32_t i = 0; i < from->count; i++)
        if (defs->comms[i].number && i != world)
            give_number(w, &defs->comms[i]);
}

// Windows

/// The list of locations whose places the members of a group are; NULL = they are locations.
static const pj_otf2_def *list_behind(const work *w, const pj_otf2_def *group)
{
    const pj_otf2_def_list *groups = list(w, PJ_OTF2_DEF_GROUP);
    for (size_t i = 0; group->number[0] != COMM_LOCATIONS && i < groups->count; i++)
        if (groups->items[i].number[0] == COMM_LOCATIONS &&
            groups->items[i].number[1] == group->number[1])
            return &groups->items[i];
    return NULL;
}

/// Ranks of a window that are streams: what is brought from there comes from a device.
static void resolve_device_window(work *w, const pj_otf2_def *window)
{
    const pj_otf2_def *comm = pj_otf2_def_of(w->all, PJ_OTF2_DEF_COMM, window->number[1]);
    const pj_otf2_def *group = comm ? group_of(w, comm->number[1]) : NULL;
    if (!group || group->number[1] == PJ_OTF2_PARADIGM_MPI)
        return;
    const pj_otf2_def *behind = list_behind(w, group);
    for (size_t i = 0; i < group->member_count; i++) {
        uint64_t id = group->members[i];
        if (behind)
            id = id < behind->member_count ? behind->members[id] : PJ_OTF2_UNDEFINED;
        const pj_otf2_def *location = pj_otf2_def_of(w->all, PJ_OTF2_DEF_LOCATION, id);
        if (location && is_stream(w, location))
            pj_map_put(&w->defs->stream_ranks, window->id << 32 | i, 1);
    }
}

/// Those of communicators of MPI processes, and the groups that may be synchronised in them.
static void resolve_windows(work *w)
{
    const pj_otf2_def_list *windows = list(w, PJ_OTF2_DEF_WINDOW);
    const pj_otf2_def_list *groups = list(w, PJ_OTF2_DEF_GROUP);
    pj_otf2_defs *defs = w->defs;
    for (uint32_t i = 0; i < windows->count; i++) {
        uint32_t comm;
        if (pj_map_get(&defs->comm_of, windows->items[i].number[1], &comm) &&
            defs->comms[comm].number)
            pj_map_put(&defs->window_of, windows->items[i].id, comm);
        else
            resolve_device_window(w, &windows->items[i]);
    }
    w->run->told.windows = defs->window_of.count > 0;
    if (!w->run->told.windows)
        return;
    defs->groups = pj_new_n(defs->arena, pj_otf2_group, groups->count);
    for (uint32_t i = 0; i < groups->count; i++) {
        const pj_otf2_def *def = group_of(w, groups->items[i].id);
        pj_otf2_group *group = &defs->groups[i];
        group->ranks = members_of(w, def, &group->size);
        if (group->ranks)
            pj_map_put(&defs->group_of, def->id, i);
    }
}

bool pj_otf2_layout_resolve(pj_otf2_defs *defs, const pj_otf2_gathered *all, pj_run *run,
                            pj_err *err)
{
    work w = {.defs = defs, .all = all, .run = run};
    number_ranks(&w);
    bool ok = lay_out(&w, err);
    if (ok) {
        resolve_comms(&w);
        resolve_windows(&w);
    }
    pj_map_free(&w.rank_of);
    pj_map_free(&w.node_of);
    return ok;
}
