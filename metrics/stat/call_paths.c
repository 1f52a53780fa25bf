// Archives: the reader fills the trees as it decodes. Other traces: from events, of which each
// family (MPI calls by class, OpenMP constructs, functions) ends its own innermost one.
#include "metrics/stat/call_paths.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/stat/call_name.h"
#include "metrics/stat/call_paths_state.h"
#include "metrics/trace/event.h"
#include "metrics/trace/event_code.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/path_tree.h"

#include <stdlib.h>

pj_call_paths *pj_call_paths_new(pj_job *job)
{
    pj_call_paths *self = pj_take_memory(sizeof *self);
    *self = (pj_call_paths){.job = job};
    return self;
}

static void free_parts(pj_call_paths *self)
{
    for (uint32_t i = 0; i < self->locations; i++)
        pj_path_tree_free(&self->trees[i]);
    free(self->trees);
    free(self->names);
    pj_map_free(&self->number_of);
    atomic_fetch_sub(&self->job->memory_used, self->charged);
    *self = (pj_call_paths){.job = self->job};
}

void pj_call_paths_free(pj_call_paths *self)
{
    if (!self)
        return;
    free_parts(self);
    free(self);
}

/// A quarter of the memory is for the trees, and for their columns where all have the same paths.
static uint32_t nodes_most(const pj_job *job, uint32_t locations)
{
    enum { LEAST = 1 << 12, MOST = 1 << 24, CELLS = 16, PART = 4 };
    uint64_t budget = job->memory_budget ? job->memory_budget : pj_job_default_budget();
    uint64_t nodes = budget / PART / (locations + UINT64_C(1)) / (PJ_PATH_BYTES + CELLS);
    return (uint32_t)(nodes < LEAST ? LEAST : nodes > MOST ? MOST : nodes);
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    pj_call_paths *self = memory;
    (void)err;
    free_parts(self);
    self->locations = run->layout.locations;
    self->layout = &run->layout;
    self->trees = pj_take_memory((self->locations + (size_t)1) * sizeof *self->trees);
    for (uint32_t i = 0; i < self->locations; i++) {
        pj_path_tree_begin(&self->trees[i], run->roi.set ? run->roi.from_ns : 0,
                           run->roi.set ? run->roi.to_ns : UINT64_MAX);
        self->trees[i].most = nodes_most(self->job, self->locations);
    }
    return true;
}

static pj_path_tree *calls_of(void *memory, uint32_t location)
{
    pj_call_paths *self = memory;
    self->followed = true;
    return &self->trees[location];
}

// Events

uint32_t pj_call_paths_name(pj_call_paths *self, pj_call_name name)
{
    enum { KIND_BITS = 8 };
    uint64_t key = (uint64_t)name.kind | (uint64_t)name.code << KIND_BITS |
                   name.value << (KIND_BITS + 8 * sizeof name.code);
    uint32_t number;
    if (pj_map_get(&self->number_of, key, &number))
        return number;
    pj_grow(self->names, &self->name_cap, self->name_count + 1);
    number = (uint32_t)self->name_count++;
    self->names[number] = name;
    pj_map_put(&self->number_of, key, number);
    return number;
}

static bool is_of(const pj_call_paths *self, uint32_t what, const pj_event *event)
{
    const pj_call_name *name = what & PJ_PATH_JOINED ? NULL : &self->names[what];
    return name && name->kind == event->kind && name->code == event->code;
}

/// The innermost open node of the family of an event; the root = there is none.
static uint32_t innermost(const pj_call_paths *self, const pj_path_tree *tree,
                          const pj_event *event)
{
    uint32_t at = tree->now;
    while (at != PJ_PATH_ROOT && !is_of(self, tree->nodes[at].what, event))
        at = tree->nodes[at].parent;
    return at;
}

/// The body of a parallel region in a thread of a team stands where its master has the region.
static void join_team(pj_call_paths *self, const pj_event *event)
{
    const pj_event parallel = {.kind = PJ_EV_OPENMP, .code = PJ_OMP_PARALLEL};
    pj_path_tree *tree = &self->trees[event->location];
    uint32_t first = self->layout->first_location[self->layout->rank_of[event->location]];
    if (first == event->location || tree->depth || event->code != PJ_OMP_FUNCTION)
        return;
    uint32_t node = innermost(self, &self->trees[first], &parallel);
    tree->apart += node == PJ_PATH_ROOT;
    if (node != PJ_PATH_ROOT)
        tree->now = pj_path_tree_add(tree, PJ_PATH_JOINED | node);
}

static void leave(pj_call_paths *self, const pj_event *event)
{
    pj_path_tree *tree = &self->trees[event->location];
    if (tree->depth > tree->kept) { // what is folded is not looked for
        pj_path_tree_leave(tree, event->time);
        return;
    }
    uint32_t node = tree->depth ? innermost(self, tree, event) : PJ_PATH_ROOT;
    if (node == PJ_PATH_ROOT) {
        self->not_entered++;
        return;
    }
    self->wrong_nesting += node != tree->now;
    if (node == tree->now)
        pj_path_tree_leave(tree, event->time);
    else
        pj_path_tree_leave_region(tree, tree->nodes[node].what, event->time);
}

static void enter(pj_call_paths *self, const pj_event *event)
{
    pj_call_name name = {.kind = event->kind, .code = event->code, .value = event->a};
    if (event->kind == PJ_EV_OPENMP) {
        join_team(self, event);
        if (!pj_call_name_has_value(event->code))
            name.value = 1;
    }
    if (event->kind == PJ_EV_MPI && innermost(self, &self->trees[event->location], event))
        leave(self, event); // a call ends where another one of its class begins
    pj_path_tree *tree = &self->trees[event->location];
    size_t before = tree->count;
    pj_path_tree_enter(tree, pj_call_paths_name(self, name), event->time);
    if (tree->count > before) {
        atomic_fetch_add(&self->job->memory_used, PJ_PATH_BYTES);
        self->charged += PJ_PATH_BYTES;
    }
}

/// The line of a function stands behind it in one record.
static void take_line(pj_call_paths *self, const pj_event *event)
{
    const pj_path_tree *tree = &self->trees[event->location];
    if (!event->a || tree->now == PJ_PATH_ROOT || tree->depth > tree->kept ||
        tree->nodes[tree->now].what & PJ_PATH_JOINED)
        return;
    pj_call_name *name = &self->names[tree->nodes[tree->now].what];
    if (name->kind == PJ_EV_OTHER && !name->line)
        name->line = event->a;
}

static void take_event(pj_call_paths *self, const pj_event *event)
{
    switch ((pj_event_kind)event->kind) {
    case PJ_EV_OTHER:
        if (event->code == PJ_FUNCTION_LINE)
            take_line(self, event);
        if (event->code != PJ_FUNCTION)
            return;
        break;
    case PJ_EV_OPENMP:
        if (!pj_call_name_is_construct(event->code))
            return;
        break;
    case PJ_EV_MPI:
        break;
    case PJ_EV_STATE:
    case PJ_EV_COUNTER:
    case PJ_EV_COUNTERS:
    case PJ_EV_COLLECTIVE:
    case PJ_EV_REQUEST:
    case PJ_EV_COMPLETE:
    case PJ_EV_MESSAGE:
    case PJ_EV_PART:
    case PJ_EV_TRACING:
    case PJ_EV_ENTER:
    case PJ_EV_LEAVE:
    case PJ_EV_DEVICE:
    case PJ_EV_END:
    case PJ_EV_LAST:
        return;
    }
    if (event->a)
        enter(self, event);
    else
        leave(self, event);
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    pj_call_paths *self = memory;
    (void)err;
    for (size_t i = 0; !self->followed && i < batch->count; i++)
        take_event(self, &batch->events[i]);
    return true;
}

// From one process to another

static void end_trees(pj_call_paths *self, const pj_run *run)
{
    for (uint32_t l = 0; l < self->locations; l++)
        if (!self->trees[l].ended) {
            self->not_left += self->trees[l].depth;
            pj_path_tree_end(&self->trees[l], run->totals[l].last_event_ns);
        }
}

static void tell_what(const pj_call_paths *self, const pj_path_tree *tree, uint32_t what,
                      pj_buf *out)
{
    pj_call_name name = {.value = what};
    const char *text = "";
    if (what & (PJ_PATH_JOINED | PJ_PATH_OTHERS)) {
        name.value = what;
    } else if (!self->followed) {
        name = self->names[what];
    } else if (what & PJ_PATH_VARIANT) {
        text = tree->variants[what & ~PJ_PATH_VARIANT].text;
        name.value = pj_path_tree_region(tree, what);
    }
    pj_code_number(out, name.kind);
    pj_code_number(out, name.code);
    pj_code_number(out, name.value);
    pj_code_number(out, name.line);
    pj_code_number(out, strlen(text));
    pj_buf_puts(out, text);
}

static void tell_tree(const pj_call_paths *self, const pj_path_tree *tree, pj_buf *out)
{
    pj_code_number(out, tree->count - 1);
    pj_code_number(out, tree->folded);
    pj_code_number(out, tree->apart);
    for (size_t i = 1; i < tree->count; i++) {
        const pj_path_node *node = &tree->nodes[i];
        pj_code_number(out, node->parent);
        pj_code_number(out, node->visits);
        pj_code_number(out, node->time_ns);
        tell_what(self, tree, node->what, out);
    }
}

static void tell(void *memory, const pj_run *run, pj_buf *out)
{
    pj_call_paths *self = memory;
    end_trees(self, run);
    pj_code_number(out, self->not_left);
    pj_code_number(out, self->not_entered);
    pj_code_number(out, self->wrong_nesting);
    for (uint32_t l = 0; l < self->locations; l++)
        if (self->trees[l].count > 1) {
            pj_code_number(out, l + UINT64_C(1));
            tell_tree(self, &self->trees[l], out);
        }
    pj_code_number(out, 0);
}

static bool decode_all(pj_str *in, uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!pj_decode_number(in, &numbers[i]))
            return false;
    return true;
}

static bool hear_what(pj_call_paths *self, pj_path_tree *tree, pj_str *in, uint32_t *what)
{
    enum { KIND, CODE, VALUE, LINE, TEXT, FIELDS };
    uint64_t n[FIELDS];
    if (!decode_all(in, n, FIELDS) || n[TEXT] > in->len)
        return false;
    *what = (uint32_t)n[VALUE];
    if (n[TEXT])
        *what = pj_path_tree_variant(tree, *what, pj_str_head(*in, n[TEXT]));
    *in = pj_str_from(*in, n[TEXT]);
    if (!n[KIND])
        return true;
    pj_call_name name = {.kind = (uint16_t)n[KIND], .code = (uint16_t)n[CODE], .value = n[VALUE]};
    *what = pj_call_paths_name(self, name);
    if (!self->names[*what].line)
        self->names[*what].line = n[LINE];
    return true;
}

static bool hear_tree(pj_call_paths *self, pj_path_tree *tree, pj_str *in)
{
    enum { PARENT, VISITS, TIME, FIELDS };
    uint64_t head[3], n[FIELDS];
    uint32_t what;
    if (!decode_all(in, head, 3) || tree->count != 1)
        return false;
    tree->folded = head[1];
    tree->apart = head[2];
    for (uint64_t i = 0; i < head[0]; i++) {
        if (!decode_all(in, n, FIELDS) || n[PARENT] > i || !hear_what(self, tree, in, &what))
            return false;
        pj_path_tree_put(tree, (pj_path_node){(uint32_t)n[PARENT], what, n[VISITS], n[TIME]});
    }
    tree->ended = true;
    return true;
}

static bool hear(void *memory, pj_str in)
{
    pj_call_paths *self = memory;
    uint64_t counts[3], location;
    if (!decode_all(&in, counts, 3))
        return false;
    self->not_left += counts[0];
    self->not_entered += counts[1];
    self->wrong_nesting += counts[2];
    while (pj_decode_number(&in, &location) && location)
        if (location > self->locations || !hear_tree(self, &self->trees[location - 1], &in))
            return false;
    return in.len == 0;
}

// The end

/// What a reader has filled has been on its account until now.
static void take_account(pj_call_paths *self)
{
    for (uint32_t l = 0; self->followed && l < self->locations; l++)
        self->charged += pj_path_tree_bytes(&self->trees[l]);
    if (self->followed)
        atomic_fetch_add(&self->job->memory_used, self->charged);
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    (void)err;
    end_trees(memory, run);
    take_account(memory);
    return true;
}

bool pj_call_paths_are_apart(const pj_call_paths *self)
{
    for (uint32_t l = 0; l < self->locations; l++)
        if (self->trees[l].apart)
            return true;
    return false;
}

static void close_nothing(void *memory)
{
    (void)memory;
}

pj_sink pj_call_paths_sink(pj_call_paths *paths)
{
    return (pj_sink){.name = "paths",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_nothing,
                     .self = paths,
                     .kinds = 1u << PJ_EV_MPI | 1u << PJ_EV_OPENMP | 1u << PJ_EV_OTHER,
                     .calls = calls_of,
                     .by_location = true,
                     .tell = tell,
                     .hear = hear};
}
