// What ranks do in functions of the program, or in phases, or under values of parameters.
// A tree of call paths grows as functions are entered; at every node threads have sums of what they
// did in it alone, so that a function with what it calls is a sum over nodes. The threads of a rank
// are where its first thread is. Where a function is entered or left counts from the first event
// after that time on: what is read at the very time belongs to what was before.
#include "metrics/stat/parts/function_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/run/regions.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/stat/parts/part_crossings.h"
#include "metrics/stat/parts/part_values.h"
#include "metrics/stat/parts/state_mark.h"
#include "metrics/stat/state_clock.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OUTSIDE, // of any function: the root
    ENDED,   // behind the last event of a rank
    OTHERS,  // call paths beyond those that are kept
    FIRST,   // nodes of functions from here on
    NODES_MOST = 4096,
    NODES_LEAST = 64,
    DEEPEST = 1 << 9, // functions that are open; those within count for the outer one
    ROOM = 64 << 20,  // bytes that sums may take
    PATH_MOST = 4096, // bytes of the name of a call path
};

typedef struct pj_part_cell { // of a node and a thread
    pj_totals totals;
    double counted[PJ_STATE_CLOCK_COUNTERS];
    uint64_t wall_ns; // of first threads
    uint64_t instances;
    uint64_t first_ns, last_ns;
    uint64_t wait_ns, mpi_ns;
    double ideal_ns; // of first threads: on the clocks of the replay
} cell;

typedef pj_part_node node;

typedef struct change {
    uint64_t time;
    uint32_t node;
} change;

typedef struct part { // that is open
    uint32_t node;
    uint32_t parameter; // whose value it is
    size_t level;       // of the function that ends it
    uint64_t key;       // see key_of
} part;

typedef struct place { // of a rank
    part *open;        // the outermost first
    size_t depth, cap;
    size_t beyond; // open ones that are not kept
    size_t level;  // functions entered, where parameters are looked at
    uint32_t now;  // what its sums go to
    uint32_t next; // from `next_ns` on
    uint64_t next_ns, since_ns;
    change *changes; // ring, until the replay has passed them
    uint32_t head, count, changes_cap;
    uint32_t replayed; // where the replay is
    double clock;      // of the replay, up to which it is summed
} place;

typedef struct thread {
    pj_state_clock clock;
    pj_state_mark mark;
    double before[PJ_STATE_CLOCK_COUNTERS];
} thread;

struct pj_function_parts {
    pj_function_cut cut;
    bool few;  // see pj_function_parts_new
    bool idle; // nothing is looked for in this pass
    const pj_run *run;
    pj_arena *arena; // of one pass
    pj_window window;
    thread *threads;
    place *places; // by rank
    uint32_t locations, ranks;
    node *nodes;
    uint32_t count, most, left_out;
    size_t cap;
    pj_map children;     // of a node and a function
    pj_map numbers;      // of functions
    uint64_t *functions; // their keys
    pj_part_values values;
    uint32_t function_count;
    size_t function_cap;
    pj_totals *totals; // room for the threads of a rank
    bool present[PJ_STATE_CLOCK_COUNTERS];
    pj_part_crossings crossings;
    bool waited, moved;
};

pj_function_parts *pj_function_parts_new(pj_function_cut cut, bool few)
{
    pj_function_parts *self = pj_take_memory(sizeof *self);
    *self = (pj_function_parts){.cut = cut, .few = few, .idle = true};
    return self;
}

static void free_parts(pj_function_parts *self)
{
    for (uint32_t i = 0; i < self->locations; i++)
        pj_state_clock_free(&self->threads[i].clock);
    for (uint32_t i = 0; i < self->ranks; i++) {
        free(self->places[i].open);
        free(self->places[i].changes);
    }
    free(self->threads);
    free(self->places);
    free(self->nodes);
    free(self->functions);
    pj_map_free(&self->children);
    pj_map_free(&self->numbers);
    pj_part_crossings_free(&self->crossings);
    pj_arena_free(self->arena);
    pj_part_values_free(&self->values);
    *self = (pj_function_parts){.cut = self->cut, .few = self->few, .idle = true};
}

void pj_function_parts_free(pj_function_parts *self)
{
    if (!self)
        return;
    free_parts(self);
    free(self);
}

static uint32_t new_node(pj_function_parts *self, uint32_t parent, uint64_t function)
{
    pj_grow(self->nodes, &self->cap, self->count + 1);
    self->nodes[self->count] = (node){.parent = parent, .function = function};
    return self->count++;
}

static bool names_functions(const pj_run *run)
{
    for (size_t i = 0; i < run->names.label_count; i++)
        if (run->names.labels[i].code == PJ_FUNCTION && run->names.labels[i].value)
            return true;
    for (uint32_t i = 0; i < run->names.region_count; i++)
        if (pj_region_is_function(run, i))
            return true;
    return false;
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    pj_function_parts *self = memory;
    (void)err;
    free_parts(self);
    self->idle = self->few && (run->layout.locations >= PJ_FEW_WAITS || !names_functions(run));
    if (self->idle)
        return true;
    self->run = run;
    self->crossings.by_path = self->cut == PJ_CUT_PATHS;
    self->arena = pj_arena_new(NULL);
    self->window = (pj_window){0, UINT64_MAX, false};
    if (run->roi.set)
        self->window = (pj_window){run->roi.from_ns, run->roi.to_ns, false};
    self->locations = run->layout.locations;
    self->ranks = run->layout.ranks;
    size_t fit = ROOM / sizeof(cell) / (self->locations + (size_t)1);
    self->most = (uint32_t)(fit < NODES_LEAST ? NODES_LEAST : fit > NODES_MOST ? NODES_MOST : fit);
    self->threads = pj_take_memory((self->locations + (size_t)1) * sizeof *self->threads);
    for (uint32_t i = 0; i < self->locations; i++) {
        self->threads[i] = (thread){.before = {0}};
        pj_state_clock_begin(&self->threads[i].clock, &self->window, NULL);
        self->threads[i].clock.once = run->told.states_unread;
    }
    self->totals = pj_new_n(self->arena, pj_totals, self->locations + 1);
    self->places = pj_take_memory((self->ranks + (size_t)1) * sizeof *self->places);
    for (uint32_t r = 0; r < self->ranks; r++)
        self->places[r] = (place){.next_ns = UINT64_MAX, .since_ns = self->window.from};
    while (self->count < FIRST)
        new_node(self, PJ_PART_NONE, 0);
    return true;
}

// Where ranks are

static cell *cell_of(pj_function_parts *self, uint32_t id, uint32_t location)
{
    node *n = &self->nodes[id];
    if (!n->cells) {
        n->cells = pj_new_n(self->arena, cell, self->locations);
        for (uint32_t i = 0; i < self->locations; i++)
            n->cells[i].first_ns = UINT64_MAX;
    }
    return &n->cells[location];
}

enum { KEY_LABEL, KEY_REGION, KEY_VALUE, KEY_BITS = 2 };

/// Functions of archives are regions, those of other traces labels.
static uint64_t key_of(const pj_event *event)
{
    return event->a << KEY_BITS | (event->kind == PJ_EV_ENTER ? KEY_REGION : KEY_LABEL);
}

static uint32_t number_of(pj_function_parts *self, uint64_t key)
{
    uint32_t number;
    if (pj_map_get(&self->numbers, key, &number))
        return number;
    pj_grow(self->functions, &self->function_cap, self->function_count + 1);
    self->functions[self->function_count] = key;
    pj_map_put(&self->numbers, key, self->function_count);
    return self->function_count++;
}

static uint32_t child_of(pj_function_parts *self, uint32_t parent, uint64_t key)
{
    uint32_t function = number_of(self, key), id;
    uint64_t step = (uint64_t)parent << 32 | function;
    if (pj_map_get(&self->children, step, &id))
        return id;
    if (parent == OTHERS || self->count >= self->most) {
        self->left_out += parent != OTHERS;
        id = OTHERS;
    } else {
        id = new_node(self, parent, function);
    }
    pj_map_put(&self->children, step, id);
    return id;
}

static uint32_t innermost(const place *p)
{
    return p->depth ? p->open[p->depth - 1].node : OUTSIDE;
}

static uint64_t clip(const pj_function_parts *self, uint64_t time)
{
    return time < self->window.from ? self->window.from
           : time > self->window.to ? self->window.to
                                    : time;
}

/// Sums of the rank's threads up to `time` go to where it is.
static void sum_up(pj_function_parts *self, uint32_t rank, uint64_t time)
{
    place *p = &self->places[rank];
    uint32_t first = self->run->layout.first_location[rank];
    uint32_t last = self->run->layout.first_location[rank + 1];
    uint64_t until = clip(self, time);
    for (uint32_t i = first; i < last; i++) {
        thread *t = &self->threads[i];
        cell *c = cell_of(self, p->now, i);
        pj_state_clock_advance(&t->clock, time);
        pj_totals totals = pj_state_mark_since(&t->mark, &t->clock);
        pj_totals_add(&c->totals, &totals);
        t->mark = pj_state_mark_of(&t->clock);
        for (unsigned k = 0; k < PJ_STATE_CLOCK_COUNTERS; k++) {
            double now = (double)t->clock.credits[k].useful;
            c->counted[k] += now - t->before[k];
            t->before[k] = now;
            self->present[k] |= t->clock.credits[k].present;
        }
    }
    if (until > p->since_ns) {
        cell_of(self, p->now, first)->wall_ns += until - p->since_ns;
        p->since_ns = until;
    }
}

static inline void go_to(pj_function_parts *self, uint32_t rank, uint64_t time)
{
    place *p = &self->places[rank];
    if (p->next_ns >= time)
        return;
    sum_up(self, rank, p->next_ns);
    p->now = p->next;
    p->next_ns = UINT64_MAX;
}

static void move_to(place *p, uint64_t time)
{
    p->next = innermost(p);
    p->next_ns = time;
    if (p->count == p->changes_cap) {
        uint32_t cap = p->changes_cap ? 2 * p->changes_cap : 8;
        p->changes = pj_widen_ring(p->changes, p->changes_cap, p->head, cap, sizeof *p->changes);
        p->changes_cap = cap;
        p->head = 0;
    }
    p->changes[(p->head + p->count++) & (p->changes_cap - 1)] = (change){time, p->next};
}

static bool counts(const pj_function_parts *self, uint64_t time)
{
    return time >= self->window.from && time < self->window.to;
}

static void note_time(pj_function_parts *self, uint32_t id, uint32_t location, uint64_t time)
{
    cell *c = cell_of(self, id, location);
    time = clip(self, time);
    c->first_ns = time < c->first_ns ? time : c->first_ns;
    c->last_ns = time > c->last_ns ? time : c->last_ns;
}

static void push(pj_function_parts *self, uint32_t rank, const pj_event *event, part what)
{
    place *p = &self->places[rank];
    what.node = what.key == UINT64_MAX ? OTHERS : child_of(self, innermost(p), what.key);
    pj_grow(p->open, &p->cap, p->depth + 1);
    p->open[p->depth++] = what;
    note_time(self, what.node, event->location, event->time);
    cell_of(self, what.node, event->location)->instances += counts(self, event->time);
}

static void enter(pj_function_parts *self, uint32_t rank, const pj_event *event)
{
    place *p = &self->places[rank];
    if (p->depth == DEEPEST) {
        p->beyond++;
        return;
    }
    push(self, rank, event, (part){.key = key_of(event)});
    move_to(p, event->time);
}

static void leave(pj_function_parts *self, uint32_t rank, const pj_event *event)
{
    place *p = &self->places[rank];
    if (p->beyond) {
        p->beyond--;
        return;
    }
    if (!p->depth)
        return;
    note_time(self, innermost(p), event->location, event->time);
    p->depth--;
    move_to(p, event->time);
}

/// Values of parameters end with the function in which they were given.
static void go_down(pj_function_parts *self, uint32_t rank, const pj_event *event)
{
    place *p = &self->places[rank];
    size_t before = p->depth;
    p->level -= p->level > 0;
    for (; p->depth && p->open[p->depth - 1].level > p->level; p->depth--)
        note_time(self, innermost(p), event->location, event->time);
    if (p->depth != before)
        move_to(p, event->time);
}

/// What stood in the place of that value ends; those within stay open, within what is around it.
static void end_value(pj_function_parts *self, place *p, const pj_event *event, size_t level)
{
    size_t at = p->depth;
    while (at && p->open[at - 1].level >= level && p->open[at - 1].parameter != event->b)
        at--;
    if (!at || p->open[at - 1].level < level)
        return;
    note_time(self, innermost(p), event->location, event->time);
    for (p->depth--; at <= p->depth; at++) {
        part *inner = &p->open[at - 1];
        *inner = p->open[at];
        inner->node = inner->key == UINT64_MAX
                          ? OTHERS
                          : child_of(self, at > 1 ? inner[-1].node : OUTSIDE, inner->key);
    }
}

static void set_value(pj_function_parts *self, uint32_t rank, const pj_event *event)
{
    place *p = &self->places[rank];
    bool lasts = event->code == PJ_PARAMETER_LASTING;
    size_t level = lasts ? 0 : p->level;
    end_value(self, p, event, level);
    if (p->depth < DEEPEST && !(lasts && event->a == 0)) {
        uint32_t value = pj_part_values_number(&self->values, event);
        uint64_t key = value == UINT32_MAX ? UINT64_MAX : (uint64_t)value << KEY_BITS | KEY_VALUE;
        push(self, rank, event,
             (part){.key = key, .level = level, .parameter = (uint32_t)event->b});
    }
    move_to(p, event->time);
}

static bool is_function(const pj_function_parts *self, uint64_t region)
{
    const pj_run_names *names = &self->run->names;
    if (self->cut == PJ_CUT_PHASES)
        return region < names->region_count && names->regions[region].phase;
    return pj_region_is_function(self->run, region);
}

static void take_parameter(pj_function_parts *self, uint32_t rank, const pj_event *event)
{
    if (event->kind == PJ_EV_OTHER && event->code >= PJ_PARAMETER_SIGNED)
        set_value(self, rank, event);
    else if (event->kind == PJ_EV_ENTER)
        self->places[rank].level++;
    else if (event->kind == PJ_EV_LEAVE)
        go_down(self, rank, event);
}

static void take_function(pj_function_parts *self, uint32_t rank, const pj_event *event)
{
    if (event->kind == PJ_EV_OTHER && event->code == PJ_FUNCTION && self->cut != PJ_CUT_PHASES) {
        if (event->a)
            enter(self, rank, event);
        else
            leave(self, rank, event);
    } else if (event->kind == PJ_EV_ENTER && is_function(self, event->a)) {
        enter(self, rank, event);
    } else if (event->kind == PJ_EV_LEAVE && is_function(self, event->a)) {
        leave(self, rank, event);
    }
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    pj_function_parts *self = memory;
    (void)err;
    for (size_t i = 0; !self->idle && i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind == PJ_EV_MESSAGE)
            continue;
        uint32_t rank = self->run->layout.rank_of[event->location];
        go_to(self, rank, event->time);
        if (self->run->layout.first_location[rank] != event->location)
            ; // the threads of a rank are where its first one is
        else if (self->cut == PJ_CUT_PARAMETERS)
            take_parameter(self, rank, event);
        else
            take_function(self, rank, event);
        pj_state_clock_event(&self->threads[event->location].clock, event);
    }
    return true;
}

// What the replay tells

static void pass_change(place *p)
{
    p->replayed = p->changes[p->head].node;
    p->head = (p->head + 1) & (p->changes_cap - 1);
    p->count--;
}

/// Calls of a rank come in order.
static uint32_t called(void *memory, uint32_t rank, uint64_t begin, uint64_t end)
{
    pj_function_parts *self = memory;
    if (self->idle)
        return 0;
    place *p = &self->places[rank];
    while (p->count && p->changes[p->head].time <= begin)
        pass_change(p);
    cell_of(self, p->replayed, self->run->layout.first_location[rank])->mpi_ns += end - begin;
    self->waited = true;
    return p->replayed;
}

static void waited(void *memory, uint32_t rank, uint32_t tag, uint64_t begin, uint64_t end)
{
    pj_function_parts *self = memory;
    if (self->idle)
        return;
    cell_of(self, tag, self->run->layout.first_location[rank])->wait_ns += end - begin;
}

/// A part of a timeline: trace[0] to trace[1] in the trace, clock[0] to clock[1] in the replay.
typedef struct stretch {
    const uint64_t *trace;
    const double *clock;
    bool running;
} stretch;

/// In computation it goes on, inside a call it is that of its enter.
static double clock_at(const stretch *s, uint64_t time)
{
    if (time >= s->trace[1])
        return s->clock[1];
    return s->running && time > s->trace[0] ? s->clock[0] + (double)(time - s->trace[0])
                                            : s->clock[0];
}

/// Where the rank is takes what the clock has gone up to `until`.
static void spend(pj_function_parts *self, uint32_t rank, double until)
{
    place *p = &self->places[rank];
    if (until > p->clock)
        cell_of(self, p->replayed, self->run->layout.first_location[rank])->ideal_ns +=
            until - p->clock;
    p->clock = until;
}

static void moved(void *memory, uint32_t location, const uint64_t trace[2], const double clock[2],
                  bool running)
{
    pj_function_parts *self = memory;
    if (self->idle)
        return;
    const pj_layout *layout = &self->run->layout;
    uint32_t rank = layout->rank_of[location];
    place *p = &self->places[rank];
    const stretch s = {trace, clock, running};
    uint64_t from = self->window.from, to = self->window.to;
    self->moved = true;
    if (layout->first_location[rank] != location || trace[0] >= to)
        return;
    if (from && trace[0] <= from) // what was before does not count
        p->clock = clock_at(&s, from);
    while (p->count && p->changes[p->head].time < trace[1]) {
        uint64_t time = p->changes[p->head].time;
        if (time > from)
            spend(self, rank, clock_at(&s, time < to ? time : to));
        pass_change(p);
    }
    if (trace[1] > from)
        spend(self, rank, clock_at(&s, trace[1] < to ? trace[1] : to));
}

// Messages and collectives

/// Where a rank will be at a time that the replay may not have passed.
static uint32_t node_at(const place *p, uint64_t time)
{
    uint32_t now = p->replayed;
    for (uint32_t i = 0; i < p->count; i++) {
        const change *next = &p->changes[(p->head + i) & (p->changes_cap - 1)];
        if (next->time > time)
            break;
        now = next->node;
    }
    return now;
}

static uint64_t sent(void *memory, uint32_t location, uint64_t time, double clock)
{
    pj_function_parts *self = memory;
    if (self->idle)
        return 0;
    const pj_layout *layout = &self->run->layout;
    uint32_t rank = layout->rank_of[location];
    bool first = layout->first_location[rank] == location;
    (void)clock;
    return pj_part_mark(first ? node_at(&self->places[rank], time) : PJ_PART_NONE,
                        counts(self, time));
}

static void met(void *memory, uint64_t mark, uint64_t other)
{
    pj_function_parts *self = memory;
    if (!self->idle)
        pj_part_crossings_meet(&self->crossings, self->nodes, mark, other);
}

pj_replay_watch pj_function_parts_watch(pj_function_parts *parts)
{
    return (pj_replay_watch){.moved = moved,
                             .called = called,
                             .waited = waited,
                             .sent = sent,
                             .met = met,
                             .self = parts};
}

// Functions

/// Sums of several nodes, by thread.
typedef struct sum {
    cell *cells;
    uint64_t instances;
    bool left; // by messages
} sum;

static void add_cells(const pj_function_parts *self, sum *to, const node *from)
{
    if (!from->cells)
        return;
    if (!to->cells) {
        to->cells = pj_new_n(self->arena, cell, self->locations);
        for (uint32_t i = 0; i < self->locations; i++)
            to->cells[i].first_ns = UINT64_MAX;
    }
    for (uint32_t i = 0; i < self->locations; i++) {
        cell *a = &to->cells[i];
        const cell *b = &from->cells[i];
        pj_totals_add(&a->totals, &b->totals);
        for (unsigned k = 0; k < PJ_STATE_CLOCK_COUNTERS; k++)
            a->counted[k] += b->counted[k];
        a->wall_ns += b->wall_ns;
        a->wait_ns += b->wait_ns;
        a->mpi_ns += b->mpi_ns;
        a->ideal_ns += b->ideal_ns;
        a->first_ns = b->first_ns < a->first_ns ? b->first_ns : a->first_ns;
        a->last_ns = b->last_ns > a->last_ns ? b->last_ns : a->last_ns;
    }
}

static bool is_inside(const pj_function_parts *self, uint32_t id, uint64_t function)
{
    for (id = self->nodes[id].parent; id >= FIRST && id != PJ_PART_NONE;
         id = self->nodes[id].parent)
        if (self->nodes[id].function == function)
            return true;
    return false;
}

static uint64_t instances_of(const pj_function_parts *self, const node *n)
{
    uint64_t instances = 0;
    for (uint32_t i = 0; n->cells && i < self->locations; i++)
        instances += n->cells[i].instances;
    return instances;
}

/// Why it has no ideal runtime; NULL = it has.
static const char *ideal_lack(const pj_function_parts *self, const sum *of)
{
    const pj_ideal *ideal = &self->run->ideal;
    if (!ideal->available || !self->moved)
        return ideal->reason ? ideal->reason : "the run was not replayed";
    if (self->crossings.unplaced)
        return "threads beside the first one of their rank exchange messages";
    return of->left ? "messages leave the region: alone it has no ideal runtime" : NULL;
}

static pj_function_use use_of(const pj_function_parts *self, const sum *of)
{
    const pj_layout *layout = &self->run->layout;
    pj_function_use use = {.sums = pj_sums_of_ranks()};
    double counted[PJ_STATE_CLOCK_COUNTERS] = {0};
    uint32_t threads = 0;
    for (uint32_t r = 0; of->cells && r < layout->ranks; r++) {
        uint32_t first = layout->first_location[r], n = pj_layout_threads(layout, r);
        uint64_t wall = of->cells[first].wall_ns;
        if (!wall)
            continue;
        for (uint32_t i = 0; i < n; i++) {
            self->totals[i] = of->cells[first + i].totals;
            for (unsigned k = 0; k < PJ_STATE_CLOCK_COUNTERS; k++)
                counted[k] += of->cells[first + i].counted[k];
        }
        pj_sums_add_rank(&use.sums, self->totals, n);
        use.ranks++;
        threads += n;
        use.time_ns += wall * n;
        use.longest_ns = wall > use.longest_ns ? wall : use.longest_ns;
        use.ideal_ns = fmax(use.ideal_ns, of->cells[first].ideal_ns);
    }
    use.ideal_lacks = ideal_lack(self, of);
    use.sums.ranks = use.ranks ? use.ranks : 1;
    use.sums.threads = threads;
    use.sums.runtime = (double)use.longest_ns;
    use.sums.ideal_runtime = use.ideal_ns;
    use.sums.instructions = counted[PJ_COUNTER_INSTRUCTIONS];
    use.sums.cycles = counted[PJ_COUNTER_CYCLES];
    pj_sums_divide(&use.sums);
    return use;
}

static const char *name_of(const pj_function_parts *self, uint32_t function, pj_arena *arena)
{
    uint64_t key = self->functions[function], value = key >> KEY_BITS;
    if ((key & ((1 << KEY_BITS) - 1)) == KEY_VALUE)
        return pj_part_values_text(&self->values, (uint32_t)value, self->run, arena);
    if ((key & ((1 << KEY_BITS) - 1)) == KEY_REGION)
        return value < self->run->names.region_count ? self->run->names.regions[value].name
                                                     : "unknown region";
    const char *label = pj_region_label(self->run, PJ_FUNCTION, value);
    return label ? label : pj_arena_format(arena, "function %llu", (unsigned long long)value);
}

static const char *path_of(const pj_function_parts *self, uint32_t id, pj_arena *arena)
{
    uint32_t chain[DEEPEST], depth = 0;
    pj_auto_buf text = {.at = NULL};
    for (; id >= FIRST && id != PJ_PART_NONE && depth < DEEPEST; id = self->nodes[id].parent)
        chain[depth++] = id;
    while (depth-- > 0 && text.len < PATH_MOST)
        pj_buf_addf(&text, "%s%s", text.len ? "/" : "",
                    name_of(self, (uint32_t)self->nodes[chain[depth]].function, arena));
    return pj_arena_text(arena, (pj_str){text.at, text.len});
}

static pj_function function_of(const pj_function_parts *self, const char *name, const sum *whole,
                               const sum *own)
{
    pj_function f = {.name = name,
                     .instances = own->instances,
                     .first_ns = UINT64_MAX,
                     .whole = use_of(self, whole),
                     .own = use_of(self, own)};
    for (uint32_t i = 0; whole->cells && i < self->locations; i++) {
        f.first_ns = whole->cells[i].first_ns < f.first_ns ? whole->cells[i].first_ns : f.first_ns;
        f.last_ns = whole->cells[i].last_ns > f.last_ns ? whole->cells[i].last_ns : f.last_ns;
    }
    for (uint32_t i = 0; own->cells && i < self->locations; i++) {
        f.wait_ns += own->cells[i].wait_ns;
        f.mpi_ns += own->cells[i].mpi_ns;
    }
    f.last_ns = f.last_ns > f.first_ns ? f.last_ns : f.first_ns;
    return f;
}

/// By path every node is one, with the nodes below it; else all nodes of a function are.
static void fold(pj_function_parts *self, sum *whole, sum *own)
{
    uint32_t *seen = pj_new_n(self->arena, uint32_t, self->function_count + 1); // from this node
    bool paths = self->crossings.by_path;
    for (uint32_t id = FIRST; id < self->count; id++) {
        const node *n = &self->nodes[id];
        uint32_t at = paths ? id - FIRST : (uint32_t)n->function;
        if (paths)
            own[at].cells = n->cells;
        else
            add_cells(self, &own[at], n);
        own[at].left |= n->left_alone;
        whole[at].left |= n->left;
        own[at].instances += paths || !is_inside(self, id, n->function) ? instances_of(self, n) : 0;
        for (uint32_t up = id; up >= FIRST && up != PJ_PART_NONE; up = self->nodes[up].parent) {
            uint32_t function = (uint32_t)self->nodes[up].function;
            if (paths)
                add_cells(self, &whole[up - FIRST], n);
            else if (seen[function] != id)
                add_cells(self, &whole[function], n);
            seen[function] = id;
        }
    }
}

static int by_time(const void *a, const void *b)
{
    const pj_function *x = a, *y = b;
    if (x->outside != y->outside)
        return x->outside - y->outside;
    if (x->own.time_ns != y->own.time_ns)
        return x->own.time_ns > y->own.time_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void add_outside(const pj_function_parts *self, uint32_t id, const char *name,
                        pj_functions *out)
{
    sum own = {.left = self->nodes[id].left_alone};
    add_cells(self, &own, &self->nodes[id]);
    own.instances = instances_of(self, &self->nodes[id]);
    pj_function *f = &out->items[out->count];
    *f = function_of(self, name, &own, &own);
    if (id == ENDED)
        f->own.ideal_lacks = "the replay of a rank ends with its last event";
    f->outside = true;
    out->count += f->own.time_ns > 0;
}

static void write_functions(pj_function_parts *self, pj_run *run, pj_functions *out)
{
    bool paths = self->crossings.by_path;
    uint32_t count = paths ? self->count - FIRST : self->function_count;
    sum *whole = pj_new_n(self->arena, sum, count + 1),
        *own = pj_new_n(self->arena, sum, count + 1);
    out->items = pj_new_n(run->arena, pj_function, count + FIRST);
    fold(self, whole, own);
    for (uint32_t i = 0; i < count; i++) {
        const char *name =
            paths ? path_of(self, i + FIRST, run->arena) : name_of(self, i, run->arena);
        if (whole[i].cells)
            out->items[out->count++] = function_of(self, name, &whole[i], &own[i]);
    }
    add_outside(self, OUTSIDE, pj_function_cut_at(self->cut)->outside, out);
    add_outside(self, OTHERS, "others", out);
    add_outside(self, ENDED, "after the last event of a rank", out);
    qsort(out->items, out->count, sizeof *out->items, by_time);
}

static void end_ranks(pj_function_parts *self, const pj_run *run)
{
    uint64_t end = run->roi.set ? run->roi.to_ns : run->end_ns;
    for (uint32_t r = 0; r < self->ranks; r++) {
        place *p = &self->places[r];
        uint64_t last = run->totals[run->layout.first_location[r]].last_event_ns;
        for (uint32_t i = run->layout.first_location[r]; i < run->layout.first_location[r + 1]; i++)
            last = run->totals[i].last_event_ns > last ? run->totals[i].last_event_ns : last;
        go_to(self, r, UINT64_MAX);
        while (p->depth > 0)
            note_time(self, p->open[--p->depth].node, run->layout.first_location[r], last);
        sum_up(self, r, last);
        p->now = ENDED;
        sum_up(self, r, end);
    }
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    pj_function_parts *self = memory;
    (void)err;
    if (self->idle || (self->few && run->no_states))
        return true;
    self->run = run;
    end_ranks(self, run);
    pj_functions *out = pj_new(run->arena, pj_functions);
    *out = (pj_functions){.cut = self->cut,
                          .left_out = self->left_out,
                          .waits = self->waited || !run->has_mpi,
                          .waits_lack = "waits of MPI calls are not known",
                          .instructions = self->present[PJ_COUNTER_INSTRUCTIONS],
                          .cycles = self->present[PJ_COUNTER_CYCLES]};
    write_functions(self, run, out);
    run->functions = out;
    pj_functions_make_parts(run, out);
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
}

static bool begin_nothing(void *memory, const pj_run *run, pj_err *err)
{
    (void)memory;
    (void)run;
    (void)err;
    return true;
}

static bool hear_nothing(void *memory, const pj_batch *batch, pj_err *err)
{
    (void)memory;
    (void)batch;
    (void)err;
    return true;
}

static bool finish_nothing(void *memory, pj_run *run, pj_err *err)
{
    (void)memory;
    (void)run;
    (void)err;
    return true;
}

static void close_nothing(void *memory)
{
    (void)memory;
}

pj_sink pj_function_sink(pj_function_parts *parts)
{
    return (pj_sink){.name = "functions",
                     .begin = begin,
                     .events = events,
                     .finish = finish_nothing,
                     .close = close_nothing,
                     .self = parts,
                     .below = parts->few ? PJ_FEW_WAITS : 0};
}

pj_sink pj_function_finish_sink(pj_function_parts *parts)
{
    return (pj_sink){.name = "functions: finish",
                     .begin = begin_nothing,
                     .events = hear_nothing,
                     .finish = finish,
                     .close = close_sink,
                     .self = parts,
                     .kinds = 1 << PJ_EV_END,
                     .below = parts->few ? PJ_FEW_WAITS : 0};
}
