// Lists the MPI calls of some ranks.
// A call is known by its function alone: sizes and communicators may change from one iteration to
// the next.
#include "metrics/stat/parts/call_list_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"
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

// Lists

struct pj_call_lists {
    const pj_layout *layout;
    pj_call_list lists[PJ_CALL_LISTS];
    open_call open[PJ_CALL_LISTS];
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
    for (uint32_t i = 0; i < self->count; i++)
        free(self->lists[i].items);
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
    self->layout = layout;
    self->count = layout->ranks < PJ_CALL_LISTS ? layout->ranks : PJ_CALL_LISTS;
    size_t size = (layout->locations + (size_t)1) * sizeof *self->list_of;
    self->list_of = memset(pj_take_memory(size), 0, size);
    for (uint32_t i = 0; i < self->count; i++) {
        self->ranks[i] = (uint32_t)((uint64_t)i * layout->ranks / self->count);
        self->list_of[layout->first_location[self->ranks[i]]] = i + 1;
        self->lists[i] = (pj_call_list){.to_ns = UINT64_MAX};
    }
    return true;
}

static void note_limits(pj_call_list *list, const pj_call_mark *call)
{
    const pj_mpi_call_row *row = pj_mpi_call_at((pj_mpi_call)call->key);
    if (row && row->role == PJ_ROLE_INIT)
        list->from_ns = call->leave;
    if (row && strcmp(row->name, "MPI_Finalize") == 0 && list->to_ns == UINT64_MAX)
        list->to_ns = call->enter;
}

static bool take_lists(void *memory, const pj_batch *batch, pj_err *err)
{
    pj_call_lists *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        uint32_t at = event->kind == PJ_EV_MPI ? self->list_of[event->location] : 0;
        if (!at || !take_call(&self->open[at - 1], event))
            continue;
        pj_call_list *list = &self->lists[at - 1];
        const pj_call_mark *call = &self->open[at - 1].call;
        note_limits(list, call);
        if (list->count >= PJ_CALL_LIST_ALL / self->count) {
            self->full = true;
            continue;
        }
        pj_grow(list->items, &list->cap, list->count + 1);
        list->items[list->count++] = *call;
    }
    return true;
}

static bool finish_lists(void *memory, pj_run *run, pj_err *err)
{
    pj_call_lists *self = memory;
    (void)run;
    (void)err;
    for (uint32_t i = 0; i < self->count; i++) {
        pj_call_list *list = &self->lists[i];
        if (!list->from_ns && list->count)
            list->from_ns = list->items[0].enter;
        if (list->to_ns == UINT64_MAX)
            list->to_ns = list->count ? list->items[list->count - 1].leave : 0;
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
                     .kinds = 1u << PJ_EV_MPI};
}

uint32_t pj_call_lists_count(const pj_call_lists *lists)
{
    return lists->count;
}

const pj_call_list *pj_call_lists_at(const pj_call_lists *lists, uint32_t index)
{
    return &lists->lists[index];
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
    pj_call_mark recent[PJ_ANCHOR_CALLS_MOST]; // ring of the last calls
    uint32_t calls;
    pj_anchor_mark *marks;
    size_t count, cap;
    size_t most;
} follower;

struct pj_anchor_marks {
    pj_loop_anchor anchor;
    const pj_layout *layout;
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
    for (uint32_t i = 0; i < self->ranks; i++)
        free(self->followers[i].marks);
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
    self->layout = &run->layout;
    self->ranks = run->layout.ranks;
    size_t size = (self->ranks + (size_t)1) * sizeof *self->followers;
    self->followers = memset(pj_take_memory(size), 0, size);
    size_t most = ANCHOR_MARKS_ALL / (self->ranks + (size_t)1);
    for (uint32_t i = 0; i < self->ranks; i++)
        self->followers[i].most = most > ANCHOR_MARKS_LEAST ? most : ANCHOR_MARKS_LEAST;
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
static void follow_call(const pj_loop_anchor *anchor, follower *f)
{
    const pj_call_mark *before =
        &f->recent[(f->calls + PJ_ANCHOR_CALLS_MOST - 1) % PJ_ANCHOR_CALLS_MOST];
    const pj_call_mark *call = &f->open.call;
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

static bool take_marks(void *memory, const pj_batch *batch, pj_err *err)
{
    pj_anchor_marks *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        uint32_t rank = self->layout->rank_of[event->location];
        if (event->kind == PJ_EV_MPI && self->layout->first_location[rank] == event->location &&
            take_call(&self->followers[rank].open, event))
            follow_call(&self->anchor, &self->followers[rank]);
    }
    return true;
}

static bool finish_marks(void *memory, pj_run *run, pj_err *err)
{
    (void)memory;
    (void)run;
    (void)err;
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
                     .kinds = 1u << PJ_EV_MPI};
}

const pj_anchor_mark *pj_anchor_marks_of(const pj_anchor_marks *marks, uint32_t rank, size_t *count)
{
    *count = marks->followers[rank].count;
    return marks->followers[rank].marks;
}
