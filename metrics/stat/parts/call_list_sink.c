// Lists the MPI calls of some ranks, and what stands for them in ranks that have next to none: the
// parallel regions of the first thread.
// A call is known by its function alone: sizes and communicators may change from one iteration to
// the next. A parallel region is known by what is executed in it first.
#include "metrics/stat/parts/call_list_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/stat/parts/function_entries.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"

#include <stdlib.h>
#include <string.h>

enum { ANCHOR_MARKS_ALL = 1 << 24, ANCHOR_MARKS_LEAST = 1 << 10 };

/// A call that goes on.
typedef struct open_call {
    pj_call_mark call;
    uint16_t class_;
    bool open;
} open_call;

static bool may_wait(uint64_t name, uint16_t class_)
{
    const pj_mpi_call_row *row = pj_mpi_call_at((pj_mpi_call)name);
    switch (row ? row->role : PJ_ROLE_NONE) {
    case PJ_ROLE_RECV:
    case PJ_ROLE_WAIT:
    case PJ_ROLE_SENDRECV:
    case PJ_ROLE_BARRIER:
    case PJ_ROLE_REDUCE:
    case PJ_ROLE_FENCE:
        return true;
    case PJ_ROLE_NONE:
    case PJ_ROLE_SEND:
    case PJ_ROLE_ISEND:
    case PJ_ROLE_IRECV:
    case PJ_ROLE_START:
    case PJ_ROLE_PROBE:
    case PJ_ROLE_ICOLLECTIVE:
    case PJ_ROLE_IREDUCE:
    case PJ_ROLE_INIT:
    case PJ_ROLE_WINDOW:
    case PJ_ROLE_EPOCH:
        break;
    }
    return class_ == PJ_MPI_COLLECTIVE && !row;
}

/// True when the event ends a call, which is then whole.
static bool take_call(open_call *now, const pj_event *event)
{
    if (event->a && !now->open) {
        *now = (open_call){.open = true, .class_ = event->code};
        now->call = (pj_call_mark){
            .enter = event->time, .key = event->a, .synchronises = may_wait(event->a, event->code)};
        return false;
    }
    if (event->a || !now->open || event->code != now->class_)
        return false;
    now->open = false;
    now->call.leave = event->time;
    return true;
}

/// A parallel region that goes on.
typedef struct open_region {
    pj_call_mark region;
    uint32_t depth;
    uint32_t entered; // constructs that its key tells
} open_region;

/// What stands in a region tells it from others: the first function, and in archives constructs.
static void tell_region(open_region *now, const pj_event *event)
{
    enum { CONSTRUCTS = 4, LABEL_BITS = 32 };
    uint64_t *key = &now->region.key;
    if (event->kind == PJ_EV_OPENMP && event->code == PJ_OMP_FUNCTION && event->a) {
        if (!(*key & UINT32_MAX))
            *key |= event->a;
    } else if (event->kind == PJ_EV_ENTER && now->entered < CONSTRUCTS) {
        uint64_t high = (*key >> LABEL_BITS) * 31 + event->a + 1;
        *key = high << LABEL_BITS | (*key & UINT32_MAX);
        now->entered++;
    }
}

/// True when the event ends a region that is in no other one.
static bool take_region(open_region *now, const pj_event *event)
{
    bool opens = event->a != 0;
    if (now->depth == 1)
        tell_region(now, event);
    if (event->kind != PJ_EV_OPENMP || event->code != PJ_OMP_PARALLEL)
        return false;
    if (opens && now->depth++ == 0) {
        now->region = (pj_call_mark){.enter = event->time, .synchronises = true};
        now->entered = 0;
    }
    if (opens || !now->depth || --now->depth)
        return false;
    now->region.leave = event->time;
    return true;
}

// Lists

/// Of a rank.
typedef struct listing {
    open_call call;
    open_region region;
    pj_call_list calls, regions;
    uint32_t waits; // calls that may wait for others, up to PJ_CHAIN_LEAST
    pj_function_entries functions;
} listing;

struct pj_call_lists {
    const pj_run *run;
    listing of[PJ_CALL_LISTS];
    uint32_t ranks[PJ_CALL_LISTS];
    uint32_t *list_of; // 1 + list, by location
    uint32_t count;
    bool full;
};

pj_call_lists *pj_call_lists_new(void)
{
    pj_call_lists *self = pj_take_memory(sizeof *self);
    *self = (pj_call_lists){.count = 0};
    return self;
}

static void free_lists(pj_call_lists *self)
{
    for (uint32_t i = 0; i < self->count; i++) {
        free(self->of[i].calls.items);
        free(self->of[i].regions.items);
        pj_function_entries_free(&self->of[i].functions);
    }
    free(self->list_of);
    *self = (pj_call_lists){.count = 0};
}

void pj_call_lists_free(pj_call_lists *self)
{
    if (!self)
        return;
    free_lists(self);
    free(self);
}

static bool begin_lists(void *memory, const pj_run *run, pj_err *err)
{
    pj_call_lists *self = memory;
    const pj_layout *layout = &run->layout;
    (void)err;
    free_lists(self);
    self->run = run;
    self->count = layout->ranks < PJ_CALL_LISTS ? layout->ranks : PJ_CALL_LISTS;
    size_t size = (layout->locations + (size_t)1) * sizeof *self->list_of;
    self->list_of = memset(pj_take_memory(size), 0, size);
    for (uint32_t i = 0; i < self->count; i++) {
        self->ranks[i] = (uint32_t)((uint64_t)i * layout->ranks / self->count);
        self->list_of[layout->first_location[self->ranks[i]]] = i + 1;
        self->of[i] = (listing){.calls = {.to_ns = UINT64_MAX}};
        self->of[i].functions.most = PJ_CALL_LIST_ALL / self->count;
    }
    return true;
}

static void add_call(pj_call_lists *self, pj_call_list *list, const pj_call_mark *call)
{
    if (list->count >= PJ_CALL_LIST_ALL / self->count) {
        self->full = true;
        return;
    }
    pj_grow(list->items, &list->cap, list->count + 1);
    list->items[list->count++] = *call;
}

/// A whole call. Regions are of no use where there are calls.
static void note_call(listing *of)
{
    const pj_call_mark *call = &of->call.call;
    const pj_mpi_call_row *row = pj_mpi_call_at((pj_mpi_call)call->key);
    bool ends = row && strcmp(row->name, "MPI_Finalize") == 0;
    if (row && row->role == PJ_ROLE_INIT)
        of->calls.from_ns = call->leave;
    else if (ends && of->calls.to_ns == UINT64_MAX)
        of->calls.to_ns = call->enter;
    else if (call->synchronises && of->waits < PJ_CHAIN_LEAST && ++of->waits == PJ_CHAIN_LEAST) {
        free(of->regions.items);
        of->regions = (pj_call_list){.count = 0};
    }
}

static bool take_lists(void *memory, const pj_batch *batch, pj_err *err)
{
    pj_call_lists *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        uint32_t at = event->kind == PJ_EV_MESSAGE ? 0 : self->list_of[event->location];
        if (!at)
            continue;
        listing *of = &self->of[at - 1];
        if (event->kind == PJ_EV_MPI && take_call(&of->call, event)) {
            note_call(of);
            add_call(self, &of->calls, &of->call.call);
        }
        if (of->waits < PJ_CHAIN_LEAST && take_region(&of->region, event))
            add_call(self, &of->regions, &of->region.region);
        pj_function_entries_event(&of->functions, self->run, event, (uint32_t)of->calls.count);
    }
    return true;
}

/// Whether no rank has so many calls that wait that a loop could be among them.
static bool have_few_calls(const pj_call_lists *self)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->of[i].waits >= PJ_CHAIN_LEAST)
            return false;
    return true;
}

/// Parallel regions take the place of calls.
static void use_regions(listing *of)
{
    pj_call_list *calls = &of->calls, *regions = &of->regions;
    const pj_function_entries *functions = &of->functions;
    if (!regions->count)
        return;
    free(calls->items);
    calls->items = regions->items;
    calls->count = regions->count;
    calls->cap = regions->cap;
    calls->openmp = true;
    *regions = (pj_call_list){.count = 0};
    for (size_t i = 0; i < functions->count; i++) {
        const pj_entries *entries = &functions->functions[i];
        uint32_t call = 0;
        for (size_t k = 0; k < entries->count; k++) {
            while (call < calls->count && calls->items[call].enter < entries->items[k].time)
                call++;
            entries->items[k].call = call;
        }
    }
}

static bool finish_lists(void *memory, pj_run *run, pj_err *err)
{
    pj_call_lists *self = memory;
    bool few = have_few_calls(self);
    (void)err;
    for (uint32_t i = 0; i < self->count; i++) {
        pj_call_list *list = &self->of[i].calls;
        if (!run->has_mpi && list->to_ns == UINT64_MAX)
            list->to_ns = run->end_ns;
        else if (!list->from_ns && list->count)
            list->from_ns = list->items[0].enter;
        if (list->to_ns == UINT64_MAX)
            list->to_ns = list->count ? list->items[list->count - 1].leave : 0;
        list->few = few;
        if (few)
            use_regions(&self->of[i]);
        list->functions = self->of[i].functions.functions;
        list->function_count = self->of[i].functions.count;
    }
    return true;
}

static void close_nothing(void *memory)
{
    (void)memory;
}

pj_sink pj_call_list_sink(pj_call_lists *lists)
{
    return (pj_sink){.name = "call_lists",
                     .begin = begin_lists,
                     .events = take_lists,
                     .finish = finish_lists,
                     .close = close_nothing,
                     .self = lists,
                     .kinds = 1u << PJ_EV_MPI | 1u << PJ_EV_OPENMP | PJ_FUNCTION_ENTRY_KINDS};
}

uint32_t pj_call_lists_count(const pj_call_lists *lists)
{
    return lists->count;
}

const pj_call_list *pj_call_lists_at(const pj_call_lists *lists, uint32_t index)
{
    return &lists->of[index].calls;
}

uint32_t pj_call_lists_rank(const pj_call_lists *lists, uint32_t index)
{
    return lists->ranks[index];
}

bool pj_call_lists_full(const pj_call_lists *lists)
{
    return lists->full;
}

// One anchor in all ranks

typedef struct follower { // of a rank
    open_call open;
    open_region region;
    pj_function_entries functions;
    pj_call_mark recent[PJ_ANCHOR_CALLS_MOST]; // ring of the last calls
    uint32_t calls;
    pj_anchor_mark *marks;
    size_t count, cap;
    size_t most;
} follower;

struct pj_anchor_marks {
    pj_loop_anchor anchor;
    const pj_run *run;
    follower *followers;
    uint32_t ranks;
};

pj_anchor_marks *pj_anchor_marks_new(const pj_loop_anchor *anchor)
{
    pj_anchor_marks *self = pj_take_memory(sizeof *self);
    *self = (pj_anchor_marks){.anchor = *anchor};
    return self;
}

static void free_followers(pj_anchor_marks *self)
{
    for (uint32_t i = 0; i < self->ranks; i++) {
        free(self->followers[i].marks);
        pj_function_entries_free(&self->followers[i].functions);
    }
    free(self->followers);
    *self = (pj_anchor_marks){.anchor = self->anchor};
}

void pj_anchor_marks_free(pj_anchor_marks *self)
{
    if (!self)
        return;
    free_followers(self);
    free(self);
}

static bool begin_marks(void *memory, const pj_run *run, pj_err *err)
{
    pj_anchor_marks *self = memory;
    (void)err;
    free_followers(self);
    self->run = run;
    self->ranks = run->layout.ranks;
    size_t size = (self->ranks + (size_t)1) * sizeof *self->followers;
    self->followers = memset(pj_take_memory(size), 0, size);
    size_t most = ANCHOR_MARKS_ALL / (self->ranks + (size_t)1);
    for (uint32_t i = 0; i < self->ranks; i++) {
        follower *f = &self->followers[i];
        f->most = most > ANCHOR_MARKS_LEAST ? most : ANCHOR_MARKS_LEAST;
        f->functions = (pj_function_entries){.most = f->most, .only = self->anchor.keys[0]};
    }
    return true;
}

static void add_mark(follower *f, uint64_t time, uint32_t call)
{
    if (f->count >= f->most)
        return;
    pj_grow(f->marks, &f->cap, f->count + 1);
    f->marks[f->count++] = (pj_anchor_mark){time, call};
}

/// A whole call; of a burst, what lies before it.
static void follow_call(const pj_loop_anchor *anchor, follower *f, const pj_call_mark *call)
{
    const pj_call_mark *before =
        &f->recent[(f->calls + PJ_ANCHOR_CALLS_MOST - 1) % PJ_ANCHOR_CALLS_MOST];
    uint64_t since = f->calls ? before->leave : 0;
    if (anchor->kind == PJ_ANCHOR_BURST && call->enter > since &&
        call->enter - since >= UINT64_C(1) << anchor->length)
        add_mark(f, since, f->calls);
    f->recent[f->calls++ % PJ_ANCHOR_CALLS_MOST] = *call;
    if (anchor->kind != PJ_ANCHOR_CALLS || f->calls < anchor->length)
        return;
    uint32_t first = f->calls - anchor->length;
    for (uint32_t k = 0; k < anchor->length; k++)
        if (f->recent[(first + k) % PJ_ANCHOR_CALLS_MOST].key != anchor->keys[k])
            return;
    add_mark(f, f->recent[first % PJ_ANCHOR_CALLS_MOST].enter, first);
}

static void follow(const pj_anchor_marks *self, follower *f, const pj_event *event)
{
    const pj_loop_anchor *anchor = &self->anchor;
    if (event->kind == PJ_EV_MPI && !anchor->openmp && take_call(&f->open, event))
        follow_call(anchor, f, &f->open.call);
    if (anchor->openmp && take_region(&f->region, event))
        follow_call(anchor, f, &f->region.region);
    if (anchor->kind == PJ_ANCHOR_FUNCTION)
        pj_function_entries_event(&f->functions, self->run, event, f->calls);
}

static bool take_marks(void *memory, const pj_batch *batch, pj_err *err)
{
    pj_anchor_marks *self = memory;
    const pj_layout *layout = &self->run->layout;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind == PJ_EV_MESSAGE)
            continue;
        uint32_t rank = layout->rank_of[event->location];
        if (layout->first_location[rank] == event->location)
            follow(self, &self->followers[rank], event);
    }
    return true;
}

static bool finish_marks(void *memory, pj_run *run, pj_err *err)
{
    pj_anchor_marks *self = memory;
    (void)run;
    (void)err;
    for (uint32_t i = 0; i < self->ranks; i++) {
        follower *f = &self->followers[i];
        if (!f->functions.count)
            continue;
        pj_grow(f->marks, &f->cap, f->functions.functions[0].count + 1);
        f->count = pj_anchors_by_one_visit(&f->functions.functions[0], f->marks);
    }
    return true;
}

pj_sink pj_anchor_marks_sink(pj_anchor_marks *marks)
{
    return (pj_sink){.name = "anchor_marks",
                     .begin = begin_marks,
                     .events = take_marks,
                     .finish = finish_marks,
                     .close = close_nothing,
                     .self = marks,
                     .kinds = 1u << PJ_EV_MPI | 1u << PJ_EV_OPENMP | PJ_FUNCTION_ENTRY_KINDS};
}

const pj_anchor_mark *pj_anchor_marks_of(const pj_anchor_marks *marks, uint32_t rank, size_t *count)
{
    *count = marks->followers[rank].count;
    return marks->followers[rank].marks;
}
