// Names that are the same in several processes become one; what is different in a process than in
// the archive gets a mapping table. Nothing of the events is read.
#include "metrics/record/merge/unite.h"

#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/record/merge/definition_table.h"
#include "metrics/record/merge/unite_files.h"
#include "metrics/record/rec_names.h"

#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

typedef struct uniting {
    pj_arena *arena;
    pj_united_part *parts;
    size_t count;
    pj_definition_table *strings, *regions, *parameters, *metrics, *comms, *hosts;
    pj_recorded *out;
} uniting;

// Texts

static uint32_t text_id(uniting *u, pj_str text)
{
    return text.len ? pj_definition_table_id(u->strings, text) : 0;
}

static uint32_t word_id(uniting *u, const char *text)
{
    return text_id(u, pj_arena_str(u->arena, pj_str_of(text)));
}

// Maps

/// Ids of a process begin with 1 and those of the archive with 0, as libotf2's readers want them.
static pj_recorded_map map_of(uint32_t *ids, uint32_t count)
{
    return (pj_recorded_map){.ids = count ? ids : NULL, .count = count};
}

/// Strings are their own table, whose first one is "".
static pj_recorded_map unite_kind(uniting *u, const pj_united_part *part, char kind,
                                  pj_definition_table *table)
{
    const uint32_t count = pj_part_log_count(part->log, kind);
    uint32_t *ids = pj_new_n(u->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        ids[i + 1] = pj_definition_table_id(table, pj_part_log_line(part->log, kind, i)) -
                     (table != u->strings);
    return map_of(ids, count);
}

/// Regions that events name and a damaged log does not.
static uint32_t regions_met(const pj_united_part *part)
{
    uint32_t most = 0;
    for (size_t i = 0; i < part->thread_count; i++)
        if (part->threads[i].recovered.regions > most)
            most = part->threads[i].recovered.regions;
    return most;
}

static pj_recorded_map unite_regions(uniting *u, const pj_united_part *part)
{
    const uint32_t known = pj_part_log_count(part->log, 'R'), met = regions_met(part);
    const uint32_t count = met > known ? met : known;
    uint32_t *ids = pj_new_n(u->arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        pj_str line =
            i < known
                ? pj_part_log_line(part->log, 'R', i)
                : pj_str_of(pj_arena_format(u->arena, "%d\t%d\t0\t0\tlost name %u\t\t",
                                            PJ_REC_ROLE_UNKNOWN, PJ_REC_PARADIGM_USER, i + 1));
        ids[i + 1] = pj_definition_table_id(u->regions, line) - 1;
    }
    return map_of(ids, count);
}

/// A communicator has the same name everywhere: the world rank that made it and its count there. A
/// team is its process's: its master and its level there.
static const char *name_of_comm(const uniting *u, const pj_united_part *part, pj_str line)
{
    pj_str kind = pj_part_log_field(line, 0), maker = pj_part_log_field(line, 1),
           number = pj_part_log_field(line, 2);
    if (pj_str_equal(kind, PJ_S("self")))
        return "self";
    if (pj_str_equal(kind, PJ_S("team")))
        return pj_arena_format(u->arena, "team %zu." PJ_STR_FMT "." PJ_STR_FMT,
                               (size_t)(part - u->parts), PJ_STR_ARG(maker), PJ_STR_ARG(number));
    return pj_arena_format(u->arena, PJ_STR_FMT "." PJ_STR_FMT, PJ_STR_ARG(maker),
                           PJ_STR_ARG(number));
}

static pj_recorded_map unite_comms(uniting *u, const pj_united_part *part)
{
    const uint32_t count = pj_part_log_count(part->log, 'C');
    uint32_t *ids = pj_new_n(u->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        pj_str line = pj_part_log_line(part->log, 'C', i);
        const char *name = name_of_comm(u, part, line);
        ids[i + 1] = pj_definition_table_id(u->comms, pj_str_of(name)) - 1;
    }
    return map_of(ids, count);
}

// Definitions of the archive

static void fill_regions(uniting *u)
{
    const uint32_t count = pj_definition_table_count(u->regions);
    pj_recorded_region *out = pj_new_n(u->arena, pj_recorded_region, count);
    for (uint32_t i = 0; i < count; i++) {
        pj_str line = pj_definition_table_text(u->regions, i + 1);
        pj_str name = pj_part_log_field(line, 4), canonical = pj_part_log_field(line, 5);
        pj_str module = pj_str_head(name, pj_str_find(name, ':'));
        const bool of_python = pj_part_log_number(line, 1) == PJ_REC_PARADIGM_USER;
        out[i] = (pj_recorded_region){
            .role = (uint8_t)pj_part_log_number(line, 0),
            .paradigm = (uint8_t)pj_part_log_number(line, 1),
            .first_line = (uint32_t)pj_part_log_number(line, 2),
            .last_line = (uint32_t)pj_part_log_number(line, 3),
            .name = text_id(u, name),
            .canonical = text_id(u, canonical.len ? canonical : name),
            .file = text_id(u, pj_part_log_field(line, 6)),
            .description = of_python && module.len < name.len ? text_id(u, module) : 0,
        };
    }
    u->out->regions = out;
    u->out->region_count = count;
}

static void fill_values(uniting *u)
{
    pj_recorded *out = u->out;
    out->parameter_count = pj_definition_table_count(u->parameters);
    out->metric_count = pj_definition_table_count(u->metrics);
    pj_recorded_parameter *parameters =
        pj_new_n(u->arena, pj_recorded_parameter, out->parameter_count);
    pj_recorded_metric *metrics = pj_new_n(u->arena, pj_recorded_metric, out->metric_count);
    for (uint32_t i = 0; i < out->parameter_count; i++) {
        pj_str line = pj_definition_table_text(u->parameters, i + 1);
        parameters[i].type = (uint8_t)pj_part_log_number(line, 0);
        parameters[i].name = text_id(u, pj_part_log_field(line, 1));
    }
    for (uint32_t i = 0; i < out->metric_count; i++) {
        pj_str line = pj_definition_table_text(u->metrics, i + 1);
        metrics[i].name = text_id(u, pj_part_log_field(line, 0));
        metrics[i].unit = text_id(u, pj_part_log_field(line, 1));
        metrics[i].type = (uint8_t)pj_part_log_number(line, 2);
        metrics[i].of_thread = pj_str_equal(pj_part_log_field(line, 3), PJ_S("thread"));
    }
    out->parameters = parameters;
    out->metrics = metrics;
}

static const uint64_t *take_members(uniting *u, pj_str text, uint32_t *taken)
{
    uint32_t count = text.len > 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.at[i] == ',';
    uint64_t *members = pj_new_n(u->arena, uint64_t, count);
    *taken = 0;
    while (text.len)
        if (pj_parse_u64(pj_str_cut(&text, ','), &members[*taken]))
            ++*taken;
    return members;
}

static void fill_comms(uniting *u, const pj_recorded_process *processes)
{
    const uint32_t count = pj_definition_table_count(u->comms);
    pj_recorded_comm *out = pj_new_n(u->arena, pj_recorded_comm, count);
    for (uint32_t i = 0; i < count; i++)
        out[i].parent = PJ_RECORDED_NONE;
    for (size_t p = 0; p < u->count; p++)
        for (uint32_t i = 0; i < pj_part_log_count(u->parts[p].log, 'C'); i++) {
            const uint32_t *ids = processes[p].comms.ids;
            pj_str line = pj_part_log_line(u->parts[p].log, 'C', i),
                   members = pj_part_log_field(line, 5);
            pj_recorded_comm *comm = &out[ids[i + 1]];
            uint64_t parent = pj_part_log_number(line, 3);
            comm->self = pj_str_equal(pj_part_log_field(line, 0), PJ_S("self"));
            comm->team = pj_str_equal(pj_part_log_field(line, 0), PJ_S("team"));
            comm->name = text_id(u, pj_part_log_field(line, 4));
            if (parent > 0 && parent <= i && ids[parent] < ids[i + 1]) // defined before it
                comm->parent = ids[parent];
            if (!members.len)
                continue;
            comm->members = take_members(u, pj_str_cut(&members, ';'), &comm->count);
            if (pj_str_equal(pj_part_log_field(line, 0), PJ_S("inter")))
                comm->others = take_members(u, members, &comm->other_count);
        }
    u->out->comms = out;
    u->out->comm_count = count;
}

static void add_member(pj_recorded_comm *team, uint32_t thread, pj_arena *arena)
{
    enum { FIRST = 8 };
    const uint32_t count = team->count;
    if (!team->team)
        return;
    if (count == 0 || (count >= FIRST && (count & (count - 1)) == 0)) { // full: twice as many
        uint64_t *more = pj_new_n(arena, uint64_t, count ? 2 * (size_t)count : FIRST);
        if (count)
            memcpy(more, team->members, count * sizeof *more);
        team->members = more;
    }
    ((uint64_t *)team->members)[team->count++] = thread;
}

/// Members of teams (J lines: team, thread), those that have events.
static void fill_teams(uniting *u, const pj_recorded_process *processes)
{
    pj_recorded *out = u->out;
    uint64_t *threads = pj_new_n(u->arena, uint64_t, out->location_count);
    const pj_recorded_location *location = out->locations;
    for (size_t p = 0; p < u->count; p++)
        for (size_t k = 0; k < u->parts[p].thread_count; k++, location++) {
            const pj_part_log *log = u->parts[p].log;
            uint32_t teams = 0;
            for (uint32_t i = 0; i < pj_part_log_count(log, 'J'); i++) {
                pj_str line = pj_part_log_line(log, 'J', i);
                uint64_t team = pj_part_log_number(line, 0);
                if (pj_part_log_number(line, 1) != u->parts[p].threads[k].number || !team ||
                    team > processes[p].comms.count)
                    continue;
                add_member((pj_recorded_comm *)&out->comms[processes[p].comms.ids[team]],
                           out->thread_count, u->arena);
                teams++;
            }
            if (teams)
                threads[out->thread_count++] = location->id;
        }
    out->threads = threads;
}

static void fill_strings(uniting *u)
{
    const uint32_t count = pj_definition_table_count(u->strings);
    const char **out = pj_new_n(u->arena, const char *, count + 1);
    out[0] = "";
    for (uint32_t i = 1; i <= count; i++)
        out[i] = pj_part_log_unescape(pj_definition_table_text(u->strings, i), u->arena);
    u->out->strings = out;
    u->out->string_count = count;
}

// Processes and locations

static uint32_t find_creator(const uniting *u, size_t of)
{
    uint64_t parent = pj_part_log_number(pj_part_log_line(u->parts[of].log, 'H', 0), 3);
    for (uint32_t i = 0; i < u->count; i++)
        if (i != of && pj_part_log_number(pj_part_log_line(u->parts[i].log, 'H', 0), 2) == parent)
            return i;
    return PJ_RECORDED_NONE;
}

static const pj_recorded_process *fill_processes(uniting *u)
{
    pj_recorded_process *out = pj_new_n(u->arena, pj_recorded_process, u->count);
    for (size_t i = 0; i < u->count; i++)
        out[i].strings = unite_kind(u, &u->parts[i], 'S', u->strings);
    for (size_t i = 0; i < u->count; i++) {
        const pj_united_part *part = &u->parts[i];
        pj_str head = pj_part_log_line(part->log, 'H', 0);
        pj_recorded_process *p = &out[i];
        p->regions = unite_regions(u, part);
        p->parameters = unite_kind(u, part, 'Q', u->parameters);
        p->metrics = unite_kind(u, part, 'M', u->metrics);
        p->comms = unite_comms(u, part);
        p->pid = pj_part_log_number(head, 2);
        p->node = pj_definition_table_id(u->hosts, pj_part_log_field(head, 0)) - 1;
        p->creator = part->in_world ? PJ_RECORDED_NONE : find_creator(u, i);
        p->name = word_id(u, part->in_world ? pj_arena_format(u->arena, "MPI Rank %u", part->rank)
                                            : pj_arena_format(u->arena, "Process %llu",
                                                              (unsigned long long)p->pid));
    }
    u->out->processes = out;
    u->out->process_count = u->count;
    return out;
}

static void fill_locations(uniting *u)
{
    size_t count = 0;
    for (size_t i = 0; i < u->count; i++)
        count += u->parts[i].thread_count;
    pj_recorded_location *out = pj_new_n(u->arena, pj_recorded_location, count);
    u->out->locations = out;
    for (uint32_t i = 0; i < u->count; i++)
        for (size_t k = 0; k < u->parts[i].thread_count; k++) {
            const pj_united_thread *thread = &u->parts[i].threads[k];
            out[u->out->location_count++] = (pj_recorded_location){
                .id = (uint64_t)thread->number << 32 | u->parts[i].place,
                .events = thread->recovered.events,
                .name = text_id(u, pj_part_log_thread(u->parts[i].log, thread->number)),
                .readings = pj_part_log_reads(u->parts[i].log, thread->number),
                .process = i,
            };
        }
}

uint32_t pj_unite_places(pj_united_part *parts, size_t count)
{
    uint32_t ranks = 0, next = 0;
    for (size_t i = 0; i < count; i++)
        if (parts[i].in_world && parts[i].world_size > ranks)
            ranks = parts[i].world_size;
    for (size_t i = 0; i < count; i++)
        parts[i].place = parts[i].in_world ? parts[i].rank : ranks + next++;
    return ranks;
}

static bool fill_world(uniting *u, pj_err *err)
{
    uint32_t ranks = pj_unite_places(u->parts, u->count), there = 0;
    for (size_t i = 0; i < u->count; i++)
        there += u->parts[i].in_world;
    if (there < ranks) // the merge stands in for a few
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "%u of the %u processes of MPI are there; bring the folders of the other "
                       "ones (on the disks of their nodes) into `parts`, then merge again",
                       there, ranks);
    uint64_t *world = pj_new_n(u->arena, uint64_t, ranks);
    for (uint32_t i = 0; i < ranks; i++)
        world[i] = i;
    u->out->world = world;
    u->out->world_size = ranks;
    return true;
}

// Clocks

static int64_t difference(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b);
}

/// What to add to a clock at a reading to have that of the first process, by the time of day.
static pj_recorded_offset offset_at(const pj_part_clock *reference, uint64_t rate,
                                    const pj_clock_reading *reading)
{
    __int128 ns = difference(reading->real, reference->first.real);
    uint64_t ticks =
        reference->first.ticks + (uint64_t)(int64_t)(ns * (__int128)rate / (__int128)SECOND);
    return (pj_recorded_offset){.ticks = reading->ticks,
                                .offset = difference(ticks, reading->ticks)};
}

static bool same_clock(const pj_united_part *a, const pj_united_part *b)
{
    pj_str boot = pj_part_log_field(pj_part_log_line(a->log, 'H', 0), 1);
    return a->clock.counts_ns == b->clock.counts_ns && boot.len > 0 &&
           pj_str_equal(boot, pj_part_log_field(pj_part_log_line(b->log, 'H', 0), 1));
}

/// Measured by MPI (O lines), else by the time of day.
static void fill_offsets(uniting *u, uint64_t rate)
{
    for (size_t i = 0; i < u->count; i++) {
        pj_recorded_process *p = (pj_recorded_process *)&u->out->processes[i];
        const pj_united_part *part = &u->parts[i];
        const uint32_t measured = pj_part_log_count(part->log, 'O');
        p->has_offsets = true;
        if (same_clock(&u->parts[0], part)) {
            p->offsets[0] = (pj_recorded_offset){.ticks = part->clock.first.ticks};
            p->offsets[1] = (pj_recorded_offset){.ticks = part->clock.last.ticks + 1};
            continue;
        }
        p->offsets[0] = offset_at(&u->parts[0].clock, rate, &part->clock.first);
        p->offsets[1] = offset_at(&u->parts[0].clock, rate, &part->clock.last);
        for (uint32_t k = 0; k < 2 && measured; k++) {
            pj_str line = pj_part_log_line(part->log, 'O', k ? measured - 1 : 0);
            int64_t offset = 0;
            if (!pj_parse_i64(pj_part_log_field(line, 1), &offset))
                offset = 0;
            p->offsets[k] =
                (pj_recorded_offset){.ticks = pj_part_log_number(line, 0), .offset = offset};
        }
        if (p->offsets[1].ticks <= p->offsets[0].ticks)
            p->offsets[1] = (pj_recorded_offset){.ticks = p->offsets[0].ticks + 1,
                                                 .offset = p->offsets[0].offset};
    }
}

static uint64_t shifted(const pj_recorded_process *p, uint64_t ticks)
{
    const pj_recorded_offset *a = &p->offsets[0], *b = &p->offsets[1];
    __int128 slope = (__int128)(b->offset - a->offset) * difference(ticks, a->ticks);
    return ticks + (uint64_t)(a->offset + (int64_t)(slope / (__int128)(b->ticks - a->ticks)));
}

static bool fill_clock(uniting *u, pj_err *err)
{
    pj_recorded *out = u->out;
    uint64_t widest = 0, rate = 0;
    for (size_t i = 0; i < u->count; i++) {
        const pj_part_clock *clock = &u->parts[i].clock;
        uint64_t span = clock->last.monotonic - clock->first.monotonic;
        if (same_clock(&u->parts[0], &u->parts[i]) && (span > widest || rate == 0)) {
            widest = span;
            rate = pj_part_clock_rate(clock);
        }
    }
    if (rate == 0)
        return pj_fail(err, PJ_E_FORMAT, pj_part_log_folder(u->parts[0].log), 0,
                       "has one reading of its clock only, which tells no rate: the process was "
                       "killed too early, or elsewhere");
    fill_offsets(u, rate);
    uint64_t begin = UINT64_MAX, end = 0;
    for (size_t i = 0; i < u->count; i++)
        for (size_t k = 0; k < u->parts[i].thread_count; k++) {
            const pj_recovered *r = &u->parts[i].threads[k].recovered;
            const pj_recorded_process *p = &out->processes[i];
            // Readers interpolate in floating point: a tick more or less.
            const uint64_t odd = same_clock(&u->parts[0], &u->parts[i]) ? 0 : 1;
            uint64_t first = shifted(p, r->first) - odd, last = shifted(p, r->last) + odd;
            begin = first < begin ? first : begin;
            end = last > end ? last : end;
        }
    const pj_clock_reading *reading = &u->parts[0].clock.first;
    __int128 ahead =
        (__int128)difference(begin, reading->ticks) * (__int128)SECOND / (__int128)rate;
    out->ticks_per_second = rate;
    out->begin = begin;
    out->length = end - begin;
    out->real = reading->real + (uint64_t)(int64_t)ahead;
    return true;
}

static void fill_words(uniting *u)
{
    pj_recorded *out = u->out;
    out->machine = out->machine_class = 0;
    out->machine = word_id(u, "Linux");
    out->machine_class = word_id(u, "machine");
    out->node_class = word_id(u, "node");
    out->world_name = word_id(u, "MPI locations");
    out->self_name = word_id(u, "MPI_COMM_SELF");
    out->mpi_name = word_id(u, "MPI");
    out->threads_name = word_id(u, "OpenMP threads");
    out->openmp_name = word_id(u, "OpenMP");
    out->id_name = word_id(u, "ProcessId");
    out->node_count = pj_definition_table_count(u->hosts);
    uint32_t *nodes = pj_new_n(u->arena, uint32_t, out->node_count);
    for (uint32_t i = 0; i < out->node_count; i++)
        nodes[i] = text_id(u, pj_definition_table_text(u->hosts, i + 1));
    out->nodes = nodes;
}

static void add_property(uniting *u, size_t *cap, const char *kind, const char *value)
{
    pj_recorded *out = u->out;
    const size_t count = out->property_count;
    if (count == *cap) {
        *cap = 2 * count + 16;
        pj_recorded_property *more = pj_new_n(u->arena, pj_recorded_property, *cap);
        if (count)
            memcpy(more, out->properties, count * sizeof *more);
        out->properties = more;
    }
    const char *name = count ? pj_arena_format(u->arena, "%s%zu", kind, count) : kind;
    ((pj_recorded_property *)out->properties)[count] = (pj_recorded_property){name, value};
    out->property_count++;
}

/// A function of a process that is not, or not wholly, in the trace.
static const char *left_out(const uniting *u, const pj_united_part *part, pj_str line)
{
    const uint64_t id = pj_part_log_number(line, 0), rate = pj_part_clock_rate(&part->clock);
    pj_str region = id ? pj_part_log_line(part->log, 'R', (uint32_t)id - 1) : (pj_str){0};
    const bool brief = pj_str_equal(pj_part_log_field(line, 2), PJ_S("short"));
    const double seconds = rate ? (double)pj_part_log_number(line, 4) / (double)rate : 0;
    return pj_arena_format(
        u->arena, "process %llu: %s: %s %llu calls of together %.6g s",
        (unsigned long long)pj_part_log_number(pj_part_log_line(part->log, 'H', 0), 2),
        pj_part_log_unescape(pj_part_log_field(region, 4), u->arena),
        brief ? "without" : "switched off behind", (unsigned long long)pj_part_log_number(line, 3),
        seconds);
}

static void fill_properties(uniting *u)
{
    size_t cap = 0;
    pj_str command = pj_part_log_field(pj_part_log_line(u->parts[0].log, 'H', 0), 5);
    add_property(u, &cap, "POPINJAY::COMMAND", pj_part_log_unescape(command, u->arena));
    for (size_t i = 0; i < u->count; i++) {
        const pj_part_log *log = u->parts[i].log;
        for (uint32_t k = 0; k < pj_part_log_count(log, 'X'); k++) {
            pj_str note = pj_part_log_field(pj_part_log_line(log, 'X', k), 1);
            add_property(u, &cap, "POPINJAY::NOTE", pj_part_log_unescape(note, u->arena));
        }
        for (uint32_t k = 0; k < pj_part_log_count(log, 'F'); k++)
            add_property(u, &cap, "POPINJAY::LEFT_OUT",
                         left_out(u, &u->parts[i], pj_part_log_line(log, 'F', k)));
    }
}

static bool unite_all(uniting *u, pj_err *err)
{
    const pj_recorded_process *processes = fill_processes(u);
    if (!fill_world(u, err) || !fill_clock(u, err))
        return false;
    fill_regions(u);
    fill_values(u);
    fill_comms(u, processes);
    fill_locations(u);
    fill_teams(u, processes);
    fill_words(u);
    fill_properties(u);
    pj_unite_files(u->parts, u->count, u->strings, u->arena, u->out);
    fill_strings(u);
    return true;
}

bool pj_unite(pj_united_part *parts, size_t count, pj_arena *arena, pj_recorded *out, pj_err *err)
{
    *out = (pj_recorded){0};
    uniting u = {.arena = arena, .parts = parts, .count = count, .out = out};
    pj_definition_table **tables[] = {&u.strings, &u.regions, &u.parameters,
                                      &u.metrics, &u.comms,   &u.hosts};
    enum { TABLES = sizeof tables / sizeof *tables };
    for (unsigned i = 0; i < TABLES; i++)
        *tables[i] = pj_definition_table_new();
    bool ok = unite_all(&u, err);
    for (unsigned i = 0; i < TABLES; i++)
        pj_definition_table_free(*tables[i]);
    return ok;
}
