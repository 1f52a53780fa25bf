// The header and the communicators of a Paraver trace.
// Parses the header with one cursor; every list grows with the text that it is read from, so that
// a promise of 10^9 tasks costs nothing.
#include "metrics/read/paraver/prv_header.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/trace/layout.h"

#include <assert.h>
#include <stdlib.h>

enum {
    LOCATIONS_MAX = 1 << 24,
    LOCATION_BYTES = 1024, // what sinks and totals need for a thread, roughly
};

typedef struct header_text {
    pj_str rest;
    const char *path;
    pj_err *err;
} header_text;

static bool fail(header_text *parser, const char *what)
{
    return pj_fail(parser->err, PJ_E_FORMAT, parser->path, 1,
                   "the header %s (expected: #Paraver (date):end_ns:nodes(cpus,..):applications:"
                   "tasks(threads:node,..),communicators)",
                   what);
}

static bool skip(header_text *parser, char c)
{
    if (!parser->rest.len || parser->rest.at[0] != c)
        return false;
    parser->rest = pj_str_from(parser->rest, 1);
    return true;
}

static bool number(header_text *parser, uint64_t *value)
{
    size_t n = 0;
    while (n < parser->rest.len && parser->rest.at[n] >= '0' && parser->rest.at[n] <= '9')
        n++;
    pj_str digits = pj_str_head(parser->rest, n);
    parser->rest = pj_str_from(parser->rest, n);
    return pj_parse_u64(digits, value);
}

bool pj_prv_sniff(pj_str head)
{
    return pj_str_starts(head, PJ_S("#Paraver")) || pj_str_starts(head, PJ_S("new format"));
}

/// "(09/10/2019 at 16:10):": the date itself holds colons.
static bool parse_date(header_text *parser)
{
    if (!pj_str_starts(parser->rest, PJ_S("#Paraver")))
        return fail(parser, "announces the format 'new format', which no tool writes any more");
    size_t end = pj_str_find(parser->rest, ')');
    if (end == parser->rest.len)
        return fail(parser, "has no date in parentheses");
    parser->rest = pj_str_from(parser->rest, end + 1);
    return skip(parser, ':') || fail(parser, "does not go on after the date");
}

/// A time without unit is in microseconds.
static bool parse_end(header_text *parser, pj_prv_header *header)
{
    static const struct {
        pj_str name;
        uint64_t ns;
    } units[] = {{{"_ns", 3}, 1}, {{"_us", 3}, 1000}, {{"_ms", 3}, 1000000}, {{"", 0}, 1000}};
    uint64_t end;
    if (!number(parser, &end))
        return fail(parser, "has no end time");
    pj_str unit = pj_str_head(parser->rest, pj_str_find(parser->rest, ':'));
    parser->rest = pj_str_from(parser->rest, unit.len + 1);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pj_str_equal(units[i].name, pj_str_trim(unit)))
            header->unit_ns = units[i].ns;
    if (!header->unit_ns)
        return fail(parser, "has a unit of time that is not _ns, _us or _ms");
    if (__builtin_mul_overflow(end, header->unit_ns, &header->end_ns) || header->end_ns > INT64_MAX)
        return fail(parser, "has an end time above 2^63 ns");
    return true;
}

/// "0", "n" or "n(c1,..,cn)".
static bool parse_nodes(header_text *parser, pj_prv_header *header, pj_arena *arena)
{
    if (!number(parser, &header->nodes))
        return fail(parser, "has no number of nodes");
    header->cpus = header->nodes;
    if (skip(parser, '(')) {
        uint64_t *last = NULL, cpus, total = 0;
        size_t cap = 0, count = 0;
        do {
            if (!number(parser, &cpus) || __builtin_add_overflow(total, cpus, &total))
                break;
            pj_grow(last, &cap, count + 1);
            last[count++] = total;
        } while (skip(parser, ','));
        bool whole = count == header->nodes && skip(parser, ')');
        header->cpus = total;
        header->last_cpu = pj_new_n(arena, uint64_t, count);
        if (count)
            memcpy(header->last_cpu, last, count * sizeof *last);
        free(last);
        if (!whole)
            return fail(parser, "has a list of CPUs that is not what the number of nodes promises");
    }
    return skip(parser, ':') || fail(parser, "does not go on after the nodes");
}

/// Ranks as they are read: their threads and nodes, and where applications begin.
typedef struct rank_list {
    uint32_t *threads, *nodes;
    size_t count, threads_cap, nodes_cap;
    uint32_t *first_rank;
    size_t applications, first_cap;
    uint64_t locations;
} rank_list;

static void free_ranks(rank_list *ranks)
{
    free(ranks->threads);
    free(ranks->nodes);
    free(ranks->first_rank);
}

/// "threads:node"
static bool parse_rank(header_text *parser, rank_list *ranks)
{
    uint64_t threads, node;
    if (!number(parser, &threads) || !skip(parser, ':') || !number(parser, &node))
        return fail(parser, "has a list of tasks that breaks off");
    if (threads == 0)
        return fail(parser, "has a task without threads");
    if (threads > LOCATIONS_MAX || ranks->locations + threads > LOCATIONS_MAX)
        return fail(parser, "promises more than 16777216 threads");
    pj_grow(ranks->threads, &ranks->threads_cap, ranks->count + 1);
    pj_grow(ranks->nodes, &ranks->nodes_cap, ranks->count + 1);
    ranks->threads[ranks->count] = (uint32_t)threads;
    ranks->nodes[ranks->count] = node > UINT32_MAX ? 0 : (uint32_t)node;
    ranks->count++;
    ranks->locations += threads;
    return true;
}

/// "tasks(threads:node,..)"; nsys2prv writes a ':' before the list.
static bool parse_application(header_text *parser, rank_list *ranks, bool *by_nsys)
{
    uint64_t promised, read = 0;
    if (!number(parser, &promised))
        return fail(parser, "has no list of tasks");
    *by_nsys |= skip(parser, ':');
    if (!skip(parser, '('))
        return fail(parser, "has no list of tasks");
    pj_grow(ranks->first_rank, &ranks->first_cap, ranks->applications + 2);
    ranks->first_rank[ranks->applications++] = (uint32_t)ranks->count;
    while (!skip(parser, ')')) {
        if (read++ && !skip(parser, ','))
            return fail(parser, "has a list of tasks that breaks off");
        if (!parse_rank(parser, ranks))
            return false;
    }
    ranks->first_rank[ranks->applications] = (uint32_t)ranks->count;
    return promised == read || fail(parser, "promises another number of tasks than it lists");
}

static bool parse_applications(header_text *parser, rank_list *ranks, pj_prv_header *header)
{
    uint64_t applications;
    if (!number(parser, &applications) || !skip(parser, ':'))
        return fail(parser, "has no number of applications");
    for (uint64_t i = 0; i < applications; i++)
        if ((i && !skip(parser, ',')) || !parse_application(parser, ranks, &header->by_nsys))
            return fail(parser, "lists fewer applications than it promises");
    if (ranks->count == 0)
        return fail(parser, "has no tasks");
    if (skip(parser, ',') && !number(parser, &header->communicators))
        return fail(parser, "has no number of communicators after its last comma");
    return true;
}

static void build_layout(const rank_list *ranks, pj_run *run, pj_prv_header *header)
{
    assert(ranks->nodes); // a header without ranks is refused
    pj_arena *arena = run->arena;
    pj_layout *layout = &run->layout;
    *layout = (pj_layout){
        .applications = (uint32_t)ranks->applications,
        .ranks = (uint32_t)ranks->count,
        .locations = (uint32_t)ranks->locations,
        .first_location = pj_new_n(arena, uint32_t, ranks->count + 1),
        .rank_of = pj_new_n(arena, uint32_t, ranks->locations),
        .application_of = pj_new_n(arena, uint32_t, ranks->count),
        .node_of = pj_new_n(arena, uint32_t, ranks->locations),
    };
    layout->location_name = pj_new_n(arena, const char *, ranks->locations);
    header->first_thread = layout->first_location;
    header->node_of = pj_new_n(arena, uint32_t, ranks->count);
    memcpy(header->node_of, ranks->nodes, ranks->count * sizeof *ranks->nodes);
    header->first_rank = pj_new_n(arena, uint32_t, ranks->applications + 1);
    for (size_t a = 0; a < ranks->applications; a++) {
        header->first_rank[a + 1] = ranks->first_rank[a + 1];
        for (uint32_t r = ranks->first_rank[a]; r < ranks->first_rank[a + 1]; r++)
            layout->application_of[r] = (uint32_t)a;
    }
    header->applications = (uint32_t)ranks->applications;
    uint32_t location = 0;
    for (uint32_t r = 0; r < layout->ranks; r++) {
        layout->first_location[r] = location;
        for (uint32_t t = 0; t < ranks->threads[r]; t++, location++) {
            layout->rank_of[location] = r;
            layout->node_of[location] = ranks->nodes[r] <= header->nodes ? ranks->nodes[r] : 0;
        }
    }
    layout->first_location[layout->ranks] = location;
}

static bool fits_budget(header_text *parser, uint64_t locations, const pj_job *job)
{
    uint64_t budget = job->memory_budget ? job->memory_budget : pj_job_default_budget();
    if (locations * LOCATION_BYTES <= budget)
        return true;
    return pj_fail(parser->err, PJ_E_MEMORY, parser->path, 1,
                   "the header promises %llu threads, which need more memory than the budget "
                   "allows; raise it with --memory",
                   (unsigned long long)locations);
}

bool pj_prv_header_parse(pj_str line, pj_run *run, pj_job *job, pj_prv_header *header, pj_err *err)
{
    *header = (pj_prv_header){.unit_ns = 0};
    header_text parser = {pj_str_trim(line), run->path, err};
    rank_list ranks = {.threads = NULL};
    bool ok = parse_date(&parser) && parse_end(&parser, header) &&
              parse_nodes(&parser, header, run->arena) &&
              parse_applications(&parser, &ranks, header) &&
              fits_budget(&parser, ranks.locations, job);
    if (ok)
        build_layout(&ranks, run, header);
    free_ranks(&ranks);
    return ok;
}

/// Reads the tasks behind "c:app:id:n:"; -1 (MPI_COMM_SELF) leaves the list empty.
static bool parse_members(pj_str rest, const pj_prv_header *header, pj_communicator *communicator)
{
    uint32_t first = header->first_rank[communicator->application];
    uint32_t end = header->first_rank[communicator->application + 1];
    communicator->size = 0;
    while (rest.len) {
        pj_str field = pj_str_cut(&rest, ':');
        uint64_t task;
        if (pj_str_equal(field, PJ_S("-1"))) {
            communicator->size = 0;
            return true;
        }
        if (!pj_parse_u64(field, &task) || task < 1 || task > end - first)
            return false;
        communicator->ranks[communicator->size++] = first + (uint32_t)task - 1;
    }
    return true;
}

bool pj_prv_communicator_parse(pj_str line, const pj_prv_header *header,
                               pj_communicator *communicator, pj_arena *arena)
{
    uint64_t application, id, promised;
    pj_str rest = pj_str_trim(line);
    *communicator = (pj_communicator){.inter = (line.at[0] | 0x20) == 'i'};
    pj_str_cut(&rest, ':');
    if (!pj_parse_u64(pj_str_cut(&rest, ':'), &application) ||
        !pj_parse_u64(pj_str_cut(&rest, ':'), &id) ||
        !pj_parse_u64(pj_str_cut(&rest, ':'), &promised) || application < 1 ||
        application > header->applications || id > UINT32_MAX)
        return false;
    size_t fields = 1;
    for (size_t i = 0; i < rest.len; i++)
        fields += rest.at[i] == ':';
    communicator->application = (uint32_t)application - 1;
    communicator->id = (uint32_t)id;
    communicator->ranks = pj_new_n(arena, uint32_t, fields);
    return parse_members(rest, header, communicator);
}

uint64_t pj_prv_node_of(const pj_prv_header *header, uint64_t cpu)
{
    if (!header->nodes || !cpu)
        return 0;
    if (!header->last_cpu)
        return cpu;
    size_t low = 0, high = header->nodes; // the first node whose last CPU is at least `cpu`
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (header->last_cpu[middle] < cpu)
            low = middle + 1;
        else
            high = middle;
    }
    return low + 1;
}
