// A part of an archive as an archive of its own.
// libotf2 copies; what it needs to know comes from here: windows in ticks, offsets of the clocks,
// and which messages and collectives lie in the part with all who take part in them.
#include "metrics/read/otf2/cut/otf2_cut.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/pseudonym.h"
#include "metrics/base/str.h"
#include "metrics/read/otf2/cut/otf2_useful.h"
#include "metrics/read/otf2/otf2_anchor.h"
#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/read/otf2/otf2_kept.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "metrics/trace/event.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAP_METRIC = 5, MAP_COMM = 6, NS_PER_SECOND = 1000000000 }; // OTF2_MappingType

typedef struct crossing { // a side of a message whose other side is outside
    uint32_t location;
    bool send, used;
    uint64_t time, bytes; // ns
    uint32_t tag;
} crossing;

/// Collectives of a communicator that ended for a thread.
typedef struct meetings {
    uint64_t before; // the part; as it is copied, up to where the copy stands
    uint64_t known;  // up to the end of the part
} meetings;

typedef struct location {
    uint64_t id;
    uint32_t location;
    pj_otf2_clock clock;
    int64_t shift; // ticks
    pj_otf2_window window;
    pj_otf2_knot *knots;
    size_t knot_count;
    pj_map comms, metrics; // global ids of its own ones
    meetings *met;         // by communicator
} location;

struct pj_otf2_cut {
    pj_arena *arena;
    bool hides; // names
    pj_pseudonyms names;
    pj_roi roi; // of the latest pass
    pj_otf2_useful useful;
    crossing *crossings;
    size_t count, cap;
    const pj_run *run;
    pj_job *job;
    pj_otf2_defs *defs;
    location *locations;
    uint32_t location_count;
    pj_map location_of; // by id
    meetings *most;     // of any thread, by communicator
};

pj_otf2_cut *pj_otf2_cut_new(void)
{
    pj_otf2_cut *cut = pj_take_memory(sizeof *cut);
    *cut = (pj_otf2_cut){.arena = pj_arena_new(NULL)};
    return cut;
}

void pj_otf2_cut_hide(pj_otf2_cut *cut, const pj_pseudonyms *names)
{
    cut->hides = true;
    cut->names = *names;
}

void pj_otf2_cut_free(pj_otf2_cut *cut)
{
    if (!cut)
        return;
    for (uint32_t i = 0; i < cut->location_count; i++) {
        pj_otf2_clock_free(&cut->locations[i].clock);
        pj_map_free(&cut->locations[i].comms);
        pj_map_free(&cut->locations[i].metrics);
    }
    pj_map_free(&cut->location_of);
    pj_otf2_defs_free(cut->defs);
    pj_otf2_useful_free(&cut->useful);
    free(cut->crossings);
    pj_arena_free(cut->arena);
    free(cut);
}

// What the events say: messages across the borders, and work between readings of counters there

static bool begin_pass(void *self, const pj_run *run, pj_err *err)
{
    (void)err;
    pj_otf2_cut *cut = self;
    cut->roi = run->roi;
    cut->count = 0;
    pj_otf2_useful_begin(&cut->useful, run->layout.locations, run->roi.from_ns, run->roi.to_ns);
    return true;
}

static bool is_inside(const pj_otf2_cut *cut, uint64_t time)
{
    return time >= cut->roi.from_ns && time <= cut->roi.to_ns;
}

static void note_crossing(pj_otf2_cut *cut, const pj_message *m)
{
    bool sent = is_inside(cut, m->logical_send), received = is_inside(cut, m->physical_recv);
    if (sent == received)
        return;
    pj_grow(cut->crossings, &cut->cap, cut->count + 1);
    cut->crossings[cut->count++] = (crossing){.location = sent ? m->from : m->to,
                                              .send = sent,
                                              .time = sent ? m->logical_send : m->physical_recv,
                                              .bytes = m->size,
                                              .tag = (uint32_t)m->tag};
}

static bool take_events(void *self, const pj_batch *batch, pj_err *err)
{
    (void)err;
    pj_otf2_cut *cut = self;
    for (size_t i = 0; cut->roi.set && i < batch->message_count; i++)
        note_crossing(cut, &batch->messages[i]);
    for (size_t i = 0; cut->roi.set && i < batch->count; i++)
        pj_otf2_useful_take(&cut->useful, &batch->events[i]);
    return true;
}

static bool finish_pass(void *self, pj_run *run, pj_err *err)
{
    (void)self, (void)run, (void)err;
    return true;
}

static void close_sink(void *self)
{
    (void)self;
}

pj_sink pj_otf2_cut_sink(pj_otf2_cut *cut)
{
    return (pj_sink){.name = "cut",
                     .begin = begin_pass,
                     .events = take_events,
                     .finish = finish_pass,
                     .close = close_sink,
                     .self = cut};
}

// Clocks

static int64_t offset_at(const location *p, uint64_t ticks)
{
    pj_otf2_clock clock = p->clock;
    clock.current = 0;
    uint64_t global = pj_otf2_clock_ticks(&clock, ticks);
    return (int64_t)(global - ticks) +
           llround((double)(int64_t)(global - clock.base) * clock.rate) + p->shift;
}

/// Ends of the window, and what the definitions have in between.
static void set_knots(pj_otf2_cut *cut, location *p)
{
    p->knots = pj_new_n(cut->arena, pj_otf2_knot, p->clock.count + 2);
    p->knots[p->knot_count++] = (pj_otf2_knot){p->window.from, offset_at(p, p->window.from)};
    for (size_t i = 0; i < p->clock.count; i++) {
        uint64_t time = p->clock.offsets[i].time;
        if (time > p->window.from && time < p->window.to)
            p->knots[p->knot_count++] = (pj_otf2_knot){time, offset_at(p, time)};
    }
    p->knots[p->knot_count++] = (pj_otf2_knot){p->window.to, offset_at(p, p->window.to)};
}

static void set_window(pj_otf2_cut *cut, location *p)
{
    uint64_t behind = pj_otf2_clock_first(&p->clock, cut->roi.to_ns + 1);
    p->window = (pj_otf2_window){.from = pj_otf2_clock_first(&p->clock, cut->roi.from_ns),
                                 .to = behind - (behind > 0),
                                 .from_ns = cut->roi.from_ns,
                                 .to_ns = cut->roi.to_ns};
    if (p->window.to <= p->window.from)
        p->window.to = p->window.from + 1;
}

// Locations

static void take_local(void *self, const pj_otf2_def *def)
{
    location *p = self;
    if (def->kind == PJ_OTF2_DEF_OFFSET)
        pj_otf2_clock_add(&p->clock, def->number[0], (int64_t)def->number[1]);
    if (def->kind != PJ_OTF2_DEF_MAP || def->number[1] > UINT32_MAX)
        return;
    if (def->number[0] == MAP_COMM)
        pj_map_put(&p->comms, def->id, (uint32_t)def->number[1]);
    if (def->number[0] == MAP_METRIC)
        pj_map_put(&p->metrics, def->id, (uint32_t)def->number[1]);
}

static void open_locations(pj_otf2_cut *cut, const pj_otf2_lib *lib, pj_otf2_archive *archive)
{
    const pj_otf2_clocks *clocks = &pj_otf2_kept_of(cut->run)->clocks;
    uint32_t count = cut->defs->location_count;
    uint64_t *ids = pj_new_n(cut->arena, uint64_t, count);
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = cut->defs->locations[i].id;
        least = clocks->items[i].shift < least ? clocks->items[i].shift : least;
    }
    lib->select(archive, ids, count);
    cut->locations = pj_new_n(cut->arena, location, count);
    double ticks_per_ns = (double)cut->defs->ticks_per_second / NS_PER_SECOND;
    for (uint32_t i = 0; i < count; i++) {
        location *p = &cut->locations[cut->location_count++];
        *p = (location){.id = ids[i],
                        .location = cut->defs->locations[i].location,
                        .clock = clocks->items[i],
                        .met = pj_new_n(cut->arena, meetings, cut->defs->comm_count)};
        p->shift = (int64_t)((double)(p->clock.shift - least) * ticks_per_ns + 0.5);
        lib->local(archive, p->id, take_local, p);
        pj_map_put(&cut->location_of, p->id, i);
        set_window(cut, p);
        set_knots(cut, p);
    }
}

/// The location of an id; NULL for streams and recorders of metrics.
static location *location_at(const pj_otf2_cut *cut, uint64_t id)
{
    uint32_t index;
    return pj_map_get(&cut->location_of, id, &index) ? &cut->locations[index] : NULL;
}

/// Streams and recorders are cut as the first thread is.
static const location *location_for(const pj_otf2_cut *cut, uint64_t id)
{
    const location *p = location_at(cut, id);
    assert(cut->locations);
    return p ? p : cut->locations;
}

// What the copy asks

static pj_otf2_window window_of(void *self, uint64_t number)
{
    const pj_otf2_cut *cut = self;
    return location_for(cut, number)->window;
}

static uint64_t ns_of(void *self, uint64_t number, uint64_t ticks)
{
    const pj_otf2_cut *cut = self;
    return pj_otf2_clock_any_ns(&location_for(cut, number)->clock, ticks);
}

static const pj_otf2_knot *knots_of(void *self, uint64_t number, size_t *count)
{
    const pj_otf2_cut *cut = self;
    const location *p = location_for(cut, number);
    bool any = false;
    for (size_t i = 0; i < p->knot_count; i++)
        any |= p->knots[i].offset != 0;
    *count = any ? p->knot_count : 0;
    return p->knots;
}

/// The index of a definition by its own id; PJ_OTF2_NONE when there is none.
static uint32_t index_of(const pj_map *own, const pj_map *indices, uint64_t id)
{
    uint32_t global, index;
    if (pj_map_get(own, id, &global))
        id = global;
    return pj_map_get(indices, id, &index) ? index : PJ_OTF2_NONE;
}

/// The metric of a thread that has a counter of useful time, which goes to `counter`; or NULL.
static const pj_otf2_metric *metric_at(const pj_otf2_cut *cut, uint64_t number, uint64_t metric,
                                       unsigned *counter)
{
    const location *p = location_at(cut, number);
    uint32_t index = p ? index_of(&p->metrics, &cut->defs->metric_of, metric) : PJ_OTF2_NONE;
    const pj_otf2_metric *m = index == PJ_OTF2_NONE ? NULL : &cut->defs->metrics[index];
    if (!m || !m->used)
        return NULL;
    *counter = m->has[PJ_COUNTER_INSTRUCTIONS] ? PJ_COUNTER_INSTRUCTIONS : PJ_COUNTER_CYCLES;
    return m;
}

static pj_otf2_counting counting_of(void *self, uint64_t number, uint64_t metric)
{
    unsigned c;
    const pj_otf2_metric *m = metric_at(self, number, metric, &c);
    if (!m)
        return PJ_OTF2_NO_COUNTER;
    return m->mode[c] == PJ_OTF2_RELATIVE ? PJ_OTF2_COUNTS_ANEW : PJ_OTF2_COUNTS_ON;
}

static pj_otf2_divided divided_of(void *self, uint64_t number, uint64_t metric, unsigned border)
{
    const pj_otf2_cut *cut = self;
    unsigned c;
    if (!metric_at(cut, number, metric, &c))
        return (pj_otf2_divided){0};
    return pj_otf2_useful_divided(&cut->useful, location_at(cut, number)->location, border, c);
}

/// What a location has met of a communicator, whose index goes to `comm`; or NULL.
static meetings *met_at(const pj_otf2_cut *cut, uint64_t number, uint64_t *comm)
{
    location *p = location_at(cut, number);
    uint32_t index = p ? index_of(&p->comms, &cut->defs->comm_of, *comm) : PJ_OTF2_NONE;
    if (index == PJ_OTF2_NONE || cut->defs->comms[index].self)
        return NULL;
    *comm = index;
    return &p->met[index];
}

static void meet(void *self, uint64_t number, uint64_t comm, bool before)
{
    pj_otf2_cut *cut = self;
    meetings *met = met_at(cut, number, &comm);
    if (!met)
        return;
    met->before += before;
    met->known++;
    meetings *all = &cut->most[comm];
    all->before = met->before > all->before ? met->before : all->before;
    all->known = met->known > all->known ? met->known : all->known;
}

static bool meets(void *self, uint64_t number, uint64_t comm)
{
    const pj_otf2_cut *cut = self;
    meetings *met = met_at(cut, number, &comm);
    return !met || met->before++ >= cut->most[comm].before;
}

static bool over(void *self, uint64_t number, uint64_t comm)
{
    const pj_otf2_cut *cut = self;
    const meetings *met = met_at(cut, number, &comm);
    return met && met->known < cut->most[comm].known;
}

static bool matched(void *self, uint64_t number, const pj_otf2_side *side)
{
    pj_otf2_cut *cut = self;
    const location *p = location_at(cut, number);
    uint64_t time = p ? pj_otf2_clock_any_ns(&p->clock, side->time) : 0;
    for (size_t i = 0; p && i < cut->count; i++) {
        crossing *x = &cut->crossings[i];
        if (x->used || x->location != p->location || x->time != time || x->send != side->send ||
            x->tag != side->tag || (x->send && x->bytes != side->bytes))
            continue;
        x->used = true;
        return false;
    }
    return true;
}

static bool is_stopped(void *self)
{
    return pj_job_stopped(((pj_otf2_cut *)self)->job);
}

// Writing

static pj_str base_of(const char *anchor)
{
    return pj_str_head(pj_str_of(anchor), strlen(anchor) - 5);
}

/// Takes away what a copy that failed has left.
static void remove_copy(const pj_otf2_cut *cut, const char *anchor)
{
    pj_str base = base_of(anchor);
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *folder = pj_arena_text(arena, base);
    for (uint32_t i = 0; i < cut->location_count; i++) {
        unsigned long long id = cut->locations[i].id;
        unlink(pj_arena_format(arena, "%s/%llu.evt", folder, id));
        unlink(pj_arena_format(arena, "%s/%llu.def", folder, id));
    }
    rmdir(folder);
    unlink(pj_arena_format(arena, "%s.def", folder));
    unlink(anchor);
}

/// A clock that was shifted behind a border does not reach it.
static bool reaches(const location *p, uint64_t border_ns)
{
    return p->clock.shift <= (int64_t)border_ns;
}

/// From the first begin to the last end of windows. Threads that begin behind them lie there too,
/// with no event.
static void set_span(pj_otf2_cut *cut, pj_otf2_part *part)
{
    for (uint32_t i = 0; i < cut->location_count; i++) {
        const location *p = &cut->locations[i];
        uint64_t begin = p->window.from + (uint64_t)p->knots[0].offset;
        uint64_t end = p->window.to + (uint64_t)p->knots[p->knot_count - 1].offset;
        if (begin < part->clock_from && reaches(p, cut->roi.from_ns))
            part->clock_from = begin;
        if (end > part->clock_to && reaches(p, cut->roi.to_ns))
            part->clock_to = end;
    }
    for (uint32_t i = 0; i < cut->location_count; i++) {
        location *p = &cut->locations[i];
        if (reaches(p, cut->roi.to_ns))
            continue;
        p->knots[0].offset = (int64_t)(part->clock_from - p->window.from);
        p->knots[p->knot_count - 1].offset = (int64_t)(part->clock_to - p->window.to);
    }
}

static bool copy_part(pj_otf2_cut *cut, const pj_otf2_lib *lib, const char *from, const char *path,
                      pj_otf2_copied *copied, pj_err *err)
{
    pj_otf2_part part = {.window = window_of,
                         .ns = ns_of,
                         .divided = divided_of,
                         .knots = knots_of,
                         .counting = counting_of,
                         .met = meet,
                         .meets = meets,
                         .over = over,
                         .matched = matched,
                         .stopped = is_stopped,
                         .names = cut->hides ? &cut->names : NULL,
                         .clock_from = UINT64_MAX,
                         .self = cut};
    cut->most = pj_new_n(cut->arena, meetings, cut->defs->comm_count);
    set_span(cut, &part);
    bool ok = lib->copy(from, path, &part, copied, err);
    if (!ok)
        remove_copy(cut, path);
    return ok;
}

static bool is_free(const char *path, pj_err *err)
{
    struct stat facts;
    pj_auto_arena arena = pj_arena_new(NULL);
    return (stat(path, &facts) != 0 && stat(pj_arena_text(arena, base_of(path)), &facts) != 0) ||
           pj_fail(err, PJ_E_USAGE, path, 0,
                   "there is an archive of that name: choose another one");
}

bool pj_otf2_cut_write(pj_otf2_cut *cut, const pj_run *run, const char *path, pj_job *job,
                       pj_otf2_copied *copied, pj_err *err)
{
    pj_otf2_anchor anchor;
    *copied = (pj_otf2_copied){0};
    cut->run = run;
    cut->job = job;
    cut->roi = run->roi;
    if (!is_free(path, err) || !pj_otf2_anchor_read(run->path, cut->arena, &anchor, err))
        return false;
    const pj_otf2_lib *lib = pj_otf2_lib_open(err);
    pj_otf2_archive *archive = lib ? pj_otf2_lib_archive(lib, &anchor, err) : NULL;
    if (!archive)
        return false;
    pj_auto_run scratch = pj_run_new(run->path);
    cut->defs = pj_otf2_defs_read(lib, archive, scratch, err);
    const pj_otf2_kept *kept = pj_otf2_kept_of(run);
    bool ok = cut->defs && kept && cut->defs->location_count <= kept->clocks.count;
    if (ok) {
        open_locations(cut, lib, archive);
        ok = copy_part(cut, lib, anchor.path, path, copied, err);
    } else {
        pj_fail(err, PJ_E_FORMAT, run->path, 0, "the archive has changed since it was read");
    }
    lib->close(archive);
    return ok;
}

static void *begin(const pj_pseudonyms *names)
{
    pj_otf2_cut *cut = pj_otf2_cut_new();
    if (names)
        pj_otf2_cut_hide(cut, names);
    return cut;
}

static pj_sink sink(void *self)
{
    return pj_otf2_cut_sink(self);
}

static void end(void *self)
{
    pj_otf2_cut_free(self);
}

/// What was copied, in the words that all formats share.
static bool write_part(void *self, const pj_run *run, const char *path, pj_job *job,
                       pj_cut_facts *facts, pj_err *err)
{
    pj_otf2_copied copied;
    bool ok = pj_otf2_cut_write(self, run, path, job, &copied, err);
    *facts = (pj_cut_facts){.records = copied.records,
                            .messages = copied.messages,
                            .clipped = copied.opened,
                            .divided = copied.readings};
    return ok;
}

const pj_cutter pj_otf2_cutter = {
    .suffix = ".otf2",
    .begin = begin,
    .sink = sink,
    .end = end,
    .write = write_part,
};
