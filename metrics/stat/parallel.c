// OpenMP parallel regions from the events of their threads.
// A region is settled some while after its end, as the states of other threads may stand behind it
// in the trace. Pieces of computation are cut from the timeline of their thread and wait in a queue
// until the master has come as far: then it is known which region they belong to. Both waits are
// counted in events, so that any number of workers gives the same.
#include "metrics/stat/parallel.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/run/regions.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/stat/executed.h"
#include "metrics/stat/state_clock.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>

enum {
    LAG_LEAST = 1 << 14,     // events that a region waits for after its end
    LAG_EACH = 32,           // the same for each location
    INSTANCES_MOST = 1 << 20 // that are kept one by one
};

typedef struct piece { // of computation
    uint64_t begin, end;
} piece;

typedef struct member { // a thread
    pj_state_clock clock;
    piece *pieces; // ring, by time
    size_t first, count, cap;
    uint64_t settled; // later states that begin before this are too late
} member;

typedef struct region {
    uint64_t start, end; // UINT64_MAX = open
    uint64_t closed;     // number of the event that closed it
    uint64_t *busy;      // ns by thread; stays with its place in the ring
    pj_seen functions, lines;
} region;

typedef struct team { // of a rank
    region *regions;  // ring; the last one may be open
    size_t first, count, cap;
    uint64_t depth; // parallel regions open on the master
    uint64_t seen;  // time up to which the master has come
} team;

typedef struct parallel_state {
    const pj_run *run;
    team *teams;     // by rank
    member *members; // by location
    pj_window window, whole;
    uint64_t events, lag;
    pj_executed *functions, *lines;
    pj_region_instance *instances;
    size_t count, cap;
    uint64_t left_out;
    pj_region_loss *losses; // by rank
    pj_import_stats stats;
} parallel_state;

static region *region_at(const team *t, size_t i)
{
    return &t->regions[(t->first + i) & (t->cap - 1)];
}

static piece *piece_at(const member *m, size_t i)
{
    return &m->pieces[(m->first + i) & (m->cap - 1)];
}

static void free_parts(parallel_state *self)
{
    const pj_layout *layout = self->run ? &self->run->layout : NULL;
    for (uint32_t i = 0; layout && i < layout->locations; i++) {
        pj_state_clock_free(&self->members[i].clock);
        free(self->members[i].pieces);
    }
    for (uint32_t r = 0; layout && r < layout->ranks; r++) {
        for (size_t i = 0; i < self->teams[r].cap; i++)
            free(self->teams[r].regions[i].busy);
        free(self->teams[r].regions);
    }
    free(self->members);
    free(self->teams);
    free(self->instances);
    free(self->losses);
    pj_executed_free(self->functions);
    pj_executed_free(self->lines);
    *self = (parallel_state){.run = NULL};
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    parallel_state *self = memory;
    (void)err;
    free_parts(self);
    self->run = run;
    self->window = self->whole = (pj_window){0, UINT64_MAX, false};
    if (run->roi.set)
        self->window = (pj_window){run->roi.from_ns, run->roi.to_ns, run->roi.drop};
    uint32_t n = run->layout.locations, ranks = run->layout.ranks;
    self->lag = (uint64_t)n * LAG_EACH > LAG_LEAST ? (uint64_t)n * LAG_EACH : LAG_LEAST;
    self->members = pj_take_memory(n * sizeof *self->members);
    for (uint32_t i = 0; i < n; i++) {
        self->members[i] = (member){.count = 0};
        pj_state_clock_begin(&self->members[i].clock, &self->whole, NULL);
    }
    self->teams = pj_take_memory(ranks * sizeof *self->teams);
    for (uint32_t r = 0; r < ranks; r++)
        self->teams[r] = (team){.count = 0};
    self->losses = pj_take_memory((ranks + 1) * sizeof *self->losses);
    memset(self->losses, 0, (ranks + 1) * sizeof *self->losses);
    self->functions = pj_executed_new();
    self->lines = pj_executed_new();
    return true;
}

// Pieces of computation

/// Adds the part of a piece that lies in regions of the team to the thread's computation there.
static void add_piece(team *t, uint32_t thread, piece p)
{
    for (size_t i = t->count; i-- > 0;) {
        region *r = region_at(t, i);
        if (r->end <= p.begin)
            return;
        uint64_t from = p.begin > r->start ? p.begin : r->start;
        uint64_t to = p.end < r->end ? p.end : r->end;
        r->busy[thread] += to > from ? to - from : 0;
    }
}

/// Hands on the pieces before `until`.
static void drain(team *t, uint32_t thread, member *m, uint64_t until)
{
    while (m->count && piece_at(m, 0)->begin < until) {
        piece *first = piece_at(m, 0), part = *first;
        if (part.end > until) {
            part.end = until;
            first->begin = until;
            add_piece(t, thread, part);
            return;
        }
        m->first = (m->first + 1) & (m->cap - 1);
        m->count--;
        add_piece(t, thread, part);
    }
}

static void push_piece(const parallel_state *self, member *m, uint64_t begin, uint64_t end)
{
    begin = begin > self->window.from ? begin : self->window.from;
    end = end < self->window.to ? end : self->window.to;
    begin = begin > m->settled ? begin : m->settled;
    if (end <= begin)
        return;
    if (m->count == m->cap) {
        size_t cap = m->cap ? m->cap * 2 : 8;
        piece *pieces = pj_take_memory(cap * sizeof *pieces);
        for (size_t i = 0; i < m->count; i++)
            pieces[i] = *piece_at(m, i);
        free(m->pieces);
        m->pieces = pieces;
        m->cap = cap;
        m->first = 0;
    }
    m->count++;
    *piece_at(m, m->count - 1) = (piece){begin, end};
}

static bool is_running(const pj_state_clock *clock)
{
    return (clock->slot & PJ_CLASS_DISABLED) == PJ_CLASS_RUNNING;
}

/// Everything that is known of the thread before `until` is final from now on.
static void settle_member(parallel_state *self, team *t, uint32_t thread, member *m, uint64_t until)
{
    const pj_state_clock *now = &m->clock;
    if (until <= m->settled)
        return;
    drain(t, thread, m, until);
    if (is_running(now) && now->begin < until && m->count == 0) {
        push_piece(self, m, now->begin, now->end < until ? now->end : until);
        drain(t, thread, m, until);
    }
    m->settled = until;
}

static void take_state(parallel_state *self, team *t, uint32_t thread, const pj_event *event)
{
    member *m = &self->members[event->location];
    pj_state_clock *clock = &m->clock;
    const pj_window *window = &self->window;
    bool crosses = (event->time < window->from && event->a > window->from) ||
                   (event->time < window->to && event->a > window->to);
    if (window->drop && crosses && event->code == PJ_STATE_RUNNING)
        return;
    if (event->time < m->settled)
        pj_import_add(&self->stats, PJ_IMPORT_region_late, 0);
    bool ran = is_running(clock);
    piece before = {clock->begin, clock->end};
    pj_state_clock_state(clock, event->time, event->a, event->code);
    if (ran && clock->begin > before.begin)
        push_piece(self, m, before.begin, before.end < clock->begin ? before.end : clock->begin);
    drain(t, thread, m, t->seen);
}

// Regions

static void add_loss(pj_region_loss *loss, const pj_region_instance *instance)
{
    uint64_t length = instance->end_ns - instance->start_ns, all = instance->threads;
    loss->length_ns += length;
    loss->total_ns += instance->total_ns;
    loss->imbalance_ns += all * instance->max_ns - instance->total_ns;
    loss->scheduling_ns += length > instance->max_ns ? all * (length - instance->max_ns) : 0;
}

static void keep(parallel_state *self, pj_region_instance instance)
{
    add_loss(&self->losses[instance.rank], &instance);
    pj_region_sum_add(pj_executed_sum(self->functions, instance.function), &instance);
    pj_region_sum_add(pj_executed_sum(self->lines, instance.location), &instance);
    if (self->count == INSTANCES_MOST) {
        self->left_out++;
        return;
    }
    pj_grow(self->instances, &self->cap, self->count + 1);
    self->instances[self->count++] = instance;
}

/// The first region of the team: all its threads have said what they did in it.
static void settle_first(parallel_state *self, uint32_t rank)
{
    team *t = &self->teams[rank];
    region *r = region_at(t, 0);
    const pj_layout *layout = &self->run->layout;
    uint32_t threads = pj_layout_threads(layout, rank), first = layout->first_location[rank];
    pj_region_instance instance = {.rank = rank, .threads = threads};
    instance.start_ns = r->start > self->window.from ? r->start : self->window.from;
    instance.end_ns = r->end < self->window.to ? r->end : self->window.to;
    for (uint32_t i = 0; i < threads; i++) {
        settle_member(self, t, i, &self->members[first + i], r->end);
        instance.total_ns += r->busy[i];
        instance.max_ns = r->busy[i] > instance.max_ns ? r->busy[i] : instance.max_ns;
    }
    if (instance.start_ns <= instance.end_ns) {
        instance.function = pj_executed_number(self->functions, &r->functions);
        instance.location =
            pj_executed_number(self->lines, r->lines.count ? &r->lines : &r->functions);
        keep(self, instance);
    }
    t->first = (t->first + 1) & (t->cap - 1);
    t->count--;
}

static void settle_due(parallel_state *self, uint32_t rank, uint64_t number)
{
    team *t = &self->teams[rank];
    while (t->count && region_at(t, 0)->end != UINT64_MAX &&
           region_at(t, 0)->closed + self->lag < number)
        settle_first(self, rank);
}

static void grow_regions(team *t)
{
    size_t cap = t->cap ? t->cap * 2 : 4;
    region *regions = pj_take_memory(cap * sizeof *regions);
    for (size_t i = 0; i < cap; i++)
        regions[i] = i < t->cap ? *region_at(t, i) : (region){.busy = NULL};
    free(t->regions);
    t->regions = regions;
    t->cap = cap;
    t->first = 0;
}

static void open_region(parallel_state *self, uint32_t rank, uint64_t time)
{
    team *t = &self->teams[rank];
    if (t->count == t->cap)
        grow_regions(t);
    t->count++;
    region *r = region_at(t, t->count - 1);
    size_t size = pj_layout_threads(&self->run->layout, rank) * sizeof *r->busy;
    uint64_t *busy = r->busy ? r->busy : pj_take_memory(size);
    memset(busy, 0, size);
    *r = (region){.start = time, .end = UINT64_MAX, .busy = busy};
}

static void take_parallel(parallel_state *self, uint32_t rank, const pj_event *event,
                          uint64_t number)
{
    team *t = &self->teams[rank];
    if (event->location != self->run->layout.first_location[rank]) {
        if (event->a)
            pj_import_add(&self->stats, PJ_IMPORT_region_nested, 0);
        return;
    }
    if (event->a) {
        if (t->depth++)
            pj_import_add(&self->stats, PJ_IMPORT_region_nested, 0);
        else
            open_region(self, rank, event->time);
    } else if (t->depth == 0) {
        pj_import_add(&self->stats, PJ_IMPORT_region_not_opened, 0);
    } else if (--t->depth == 0) {
        region *last = region_at(t, t->count - 1);
        last->end = event->time;
        last->closed = number;
    }
}

static bool is_line(unsigned code)
{
    return code == PJ_OMP_FUNCTION_LINE || code == PJ_OMP_TASK_LINE;
}

static bool executes(unsigned code)
{
    return code == PJ_OMP_FUNCTION || code == PJ_OMP_TASK || is_line(code);
}

/// Notes what a thread executes in the region around it.
static void take_function(team *t, const pj_event *event)
{
    if (event->a == 0)
        return;
    for (size_t i = t->count; i-- > 0;) {
        region *r = region_at(t, i);
        if (event->time > r->end)
            return;
        if (event->time < r->start)
            continue;
        pj_seen_add(is_line(event->code) ? &r->lines : &r->functions, event->code, event->a);
        return;
    }
}

static void take_event(parallel_state *self, const pj_event *event, uint64_t number)
{
    const pj_layout *layout = &self->run->layout;
    uint32_t rank = layout->rank_of[event->location];
    uint32_t thread = event->location - layout->first_location[rank];
    team *t = &self->teams[rank];
    if (thread == 0 && event->time > t->seen)
        t->seen = event->time;
    if (event->kind == PJ_EV_STATE)
        take_state(self, t, thread, event);
    else if (event->kind == PJ_EV_OPENMP && event->code == PJ_OMP_PARALLEL)
        take_parallel(self, rank, event, number);
    else if (executes(event->code))
        take_function(t, event);
    settle_due(self, rank, number);
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    parallel_state *self = memory;
    (void)err;
    const unsigned heard = 1u << PJ_EV_STATE | 1u << PJ_EV_OPENMP;
    for (size_t i = 0; i < batch->count; i++)
        if (heard >> batch->events[i].kind & 1)
            take_event(self, &batch->events[i], self->events + i);
    self->events += batch->count;
    return true;
}

// The end

static int by_rank_and_start(const void *a, const void *b)
{
    const pj_region_instance *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

static void settle_rest(parallel_state *self, uint64_t end_ns)
{
    const pj_layout *layout = &self->run->layout;
    for (uint32_t rank = 0; rank < layout->ranks; rank++) {
        team *t = &self->teams[rank];
        if (t->depth) {
            pj_import_add(&self->stats, PJ_IMPORT_region_not_closed, 0);
            region *last = region_at(t, t->count - 1);
            last->end = end_ns > last->start ? end_ns : last->start;
        }
        while (t->count)
            settle_first(self, rank);
    }
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    parallel_state *self = memory;
    (void)err;
    settle_rest(self, run->end_ns);
    pj_import_merge(&run->import, &self->stats);
    run->openmp_regions = NULL;
    if (self->count == 0)
        return true;
    qsort(self->instances, self->count, sizeof *self->instances, by_rank_and_start);
    pj_regions *regions = pj_new(run->arena, pj_regions);
    pj_region_instance *instances = pj_new_n(run->arena, pj_region_instance, self->count);
    memcpy(instances, self->instances, self->count * sizeof *instances);
    *regions =
        (pj_regions){.instances = instances, .count = self->count, .left_out = self->left_out};
    const uint32_t *functions, *lines;
    pj_region_loss *losses = pj_new_n(run->arena, pj_region_loss, run->layout.ranks);
    memcpy(losses, self->losses, run->layout.ranks * sizeof *losses);
    regions->losses = losses;
    regions->functions =
        pj_executed_named(self->functions, run, false, &functions, &regions->function_count);
    regions->locations =
        pj_executed_named(self->lines, run, true, &lines, &regions->location_count);
    for (size_t i = 0; i < self->count; i++) {
        instances[i].function = functions[instances[i].function];
        instances[i].location = lines[instances[i].location];
    }
    run->openmp_regions = regions;
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
    free(memory);
}

pj_sink pj_parallel_sink(void)
{
    parallel_state *self = pj_take_memory(sizeof *self);
    *self = (parallel_state){.run = NULL};
    return (pj_sink){.name = "parallel",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .kinds = 1u << PJ_EV_STATE | 1u << PJ_EV_OPENMP};
}

static size_t listen_regions(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_parallel_sink();
    return 1;
}

/// A summary tells the costliest regions: where the trace is at hand all of them are wanted.
static const char *lack_regions(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    const pj_regions *regions = run->openmp_regions;
    bool whole = !run->has_openmp || (regions && !regions->left_out);
    return beside && !whole ? "has not every OpenMP region" : NULL;
}

static bool stale_regions(const pj_run *run)
{
    return run->has_openmp && !run->openmp_regions;
}

const pj_aspect pj_aspect_openmp_regions = {
    .listen = listen_regions,
    .merged = true,
    .lack = lack_regions,
    .stale = stale_regions,
};
