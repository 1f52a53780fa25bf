// Slices that nest as they are, which is nearly every file, take one pass over their begins; others
// take two queues, of begins and of ends.
#include "metrics/read/profile/stacks/slice_nest.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/base/sort.h"

#include <stdlib.h>

static const double SECONDS = 1e-6; // of a microsecond
/// Times are printed to the nanosecond, so that ends of equal times may differ by two of them.
static const double SLACK = 0.002;

typedef struct open_slice {
    const pj_slice *slice;
    uint32_t node;
    double end, inner; // inner: what its children took
} open_slice;

typedef struct nest {
    const pj_nest_out *out;
    open_slice *open;
    size_t depth, cap;
    double now; // when the innermost slice was last looked at; of the two queues
} nest;

/// By begin, the longer first.
static int by_begin(const void *a, const void *b)
{
    const pj_slice *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    if (x->kind != y->kind) // a begin without a length is taken for the longest
        return x->kind > y->kind ? -1 : 1;
    if (x->dur != y->dur)
        return x->dur > y->dur ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void push(nest *n, const pj_slice *slice)
{
    const pj_nest_out *out = n->out;
    uint32_t above = n->depth ? n->open[n->depth - 1].node : PJ_NO_ITEM;
    uint32_t node = pj_build_node(out->build, above, out->regions[slice->name]);
    pj_build_count(out->build, out->calls, node, out->location, 1);
    pj_grow(n->open, &n->cap, n->depth + 1);
    n->open[n->depth++] = (open_slice){.slice = slice, .node = node, .end = slice->ts + slice->dur};
}

static void pop_whole(nest *n)
{
    const pj_nest_out *out = n->out;
    open_slice *top = &n->open[--n->depth];
    double own = top->slice->dur - top->inner;
    pj_build_add(out->build, out->exclusive, top->node, out->location, own * SECONDS);
    if (n->depth)
        n->open[n->depth - 1].inner += top->slice->dur;
}

/// Whether a slice begins behind the end of another, and not just before it for its whole length.
static bool is_behind(const pj_slice *slice, double end)
{
    bool inside = slice->ts < end && slice->ts + slice->dur <= end;
    return end <= slice->ts + SLACK && !inside;
}

/// Whether all are whole and nest; `slices` are in the order of their begins.
static bool do_nest(const pj_slice *slices, size_t count)
{
    double *ends = NULL;
    size_t depth = 0, cap = 0;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        double end = slices[i].ts + slices[i].dur;
        while (depth && is_behind(&slices[i], ends[depth - 1]))
            depth--;
        good = slices[i].kind == PJ_SLICE_WHOLE && (!depth || end <= ends[depth - 1] + SLACK);
        pj_grow(ends, &cap, depth + 1);
        ends[depth++] = end;
    }
    free(ends);
    return good;
}

static void add_nested(nest *n, const pj_slice *slices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        while (n->depth && is_behind(&slices[i], n->open[n->depth - 1].end))
            pop_whole(n);
        push(n, &slices[i]);
    }
    while (n->depth)
        pop_whole(n);
}

/// An end of a slice in its queue: by time, those that stand alone before those of whole slices.
typedef struct slice_end {
    double time;
    uint32_t rank, index; // index: of the slice
} slice_end;

typedef struct queues {
    const pj_slice *slices; // in the order of their begins
    size_t count, next;     // next: slice to begin
    slice_end *ends;
    size_t end_count, next_end;
    bool *begun; // by slice
} queues;

static int by_end(const void *a, const void *b)
{
    const slice_end *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/// What is not a begin goes to the queue of ends. False when stopped.
static bool fill_ends(queues *q, const pj_job *job)
{
    for (size_t i = 0; i < q->count; i++) {
        const pj_slice *slice = &q->slices[i];
        if (slice->kind == PJ_SLICE_BEGIN)
            continue;
        bool alone = slice->kind == PJ_SLICE_END;
        uint32_t index = (uint32_t)i;
        q->ends[q->end_count++] =
            (slice_end){.time = alone ? slice->ts : slice->ts + slice->dur,
                        .rank = alone ? slice->order : PJ_SLICE_ORDER_MAX + 1 + index,
                        .index = index};
    }
    return pj_sort_records(q->ends, q->end_count, sizeof *q->ends, by_end, job->stop);
}

static void pass_ends(queues *q)
{
    while (q->next < q->count && q->slices[q->next].kind == PJ_SLICE_END)
        q->next++;
}

static bool names_equal(const pj_slice *open, const pj_slice *end)
{
    return end->name == PJ_NO_ITEM || end->name == open->name;
}

/// Whether a begin comes before an end. At one time the end does, unless the slice it ends is the
/// one that begins.
static bool begin_is_next(const nest *n, const queues *q)
{
    if (q->next == q->count || q->next_end == q->end_count)
        return q->next < q->count;
    const pj_slice *begin = &q->slices[q->next];
    const slice_end *at = &q->ends[q->next_end];
    const pj_slice *end = &q->slices[at->index];
    if (begin->ts != at->time)
        return begin->ts < at->time;
    if (end->kind == PJ_SLICE_WHOLE)
        return !q->begun[at->index];
    bool closes = n->depth && names_equal(n->open[n->depth - 1].slice, end);
    return names_equal(begin, end) && (!closes || begin->order < end->order);
}

/// Up to `time` the innermost slice is at work.
static void advance(nest *n, double time)
{
    const pj_nest_out *out = n->out;
    if (n->depth)
        pj_build_add(out->build, out->exclusive, n->open[n->depth - 1].node, out->location,
                     (time - n->now) * SECONDS);
    n->now = time;
}

/// Of the ends of one time takes the one that ends the innermost slice, if there is one.
static void choose_end(const nest *n, queues *q)
{
    enum { MOST = 1000 }; // looked at, so that equal times without a match cost no more
    const pj_slice *open = n->open[n->depth - 1].slice;
    size_t first = q->next_end, chosen = first;
    bool named = names_equal(open, &q->slices[q->ends[first].index]);
    for (size_t i = first; i < q->end_count && i < first + MOST; i++) {
        const pj_slice *end = &q->slices[q->ends[i].index];
        if (q->ends[i].time > q->ends[first].time)
            break;
        if (end == open) {
            chosen = i;
            break;
        }
        if (!named && names_equal(open, end)) {
            chosen = i;
            named = true;
        }
    }
    slice_end swap = q->ends[first];
    q->ends[first] = q->ends[chosen];
    q->ends[chosen] = swap;
}

static void take_end(nest *n, queues *q)
{
    if (n->depth)
        choose_end(n, q);
    const slice_end *at = &q->ends[q->next_end++];
    if (!n->depth || !names_equal(n->open[n->depth - 1].slice, &q->slices[at->index])) {
        pj_build_odd(n->out->build, PJ_ODDITY_leave_without_enter, 0);
        return;
    }
    advance(n, at->time);
    n->depth--;
}

static void add_queued(nest *n, queues *q)
{
    for (pass_ends(q); q->next < q->count || q->next_end < q->end_count; pass_ends(q)) {
        if (!begin_is_next(n, q)) {
            take_end(n, q);
            continue;
        }
        advance(n, q->slices[q->next].ts);
        q->begun[q->next] = true;
        push(n, &q->slices[q->next++]);
    }
    for (; n->depth; n->depth--) {
        pj_build_odd(n->out->build, PJ_ODDITY_call_not_left, 0);
        advance(n, n->now);
    }
}

void pj_slice_nest(pj_slice *slices, size_t count, const pj_nest_out *out, pj_job *job)
{
    nest n = {.out = out};
    if (!pj_sort_records(slices, count, sizeof *slices, by_begin, job->stop))
        return; // whoever reads finds that out, too
    if (do_nest(slices, count)) {
        add_nested(&n, slices, count);
    } else {
        pj_auto_arena arena = pj_arena_new(&job->memory_used);
        queues q = {.slices = slices, .count = count, .ends = pj_new_n(arena, slice_end, count)};
        q.begun = pj_new_n(arena, bool, count);
        if (fill_ends(&q, job))
            add_queued(&n, &q);
    }
    free(n.open);
}
