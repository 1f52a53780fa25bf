// Ranges go through a queue that puts them in the order of their begins, then onto the stack of
// their thread; calls of the thread go past in the order of theirs. Only what is open is kept.
#include "metrics/ai/ai_ranges.h"

#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_spill.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"

#include <stdlib.h>

enum { MOST_REGIONS = UINT16_MAX, MOST_OPEN = 4096 };

typedef struct range {
    int64_t begin, end;
    uint32_t name;
    uint16_t thread;
} range;

typedef struct open_range {
    int64_t end, least; // least: of its end and those of all below it
    uint32_t name;
    uint16_t region;
} open_range;

typedef struct thread {
    size_t call, call_end; // of the rank, in the order of their begins
    open_range *open;
    size_t depth, cap;
    int64_t now;
} thread;

struct pj_ai_ranges {
    pj_ai_spill *spill; // the rank's
    bool all, placing;
    size_t waiting;
    range *row; // those that came in order, as most do
    size_t row_first, row_end, row_cap;
    range *heap; // the others, the first one at 0
    size_t heap_count, heap_cap;
    thread *threads;
    size_t thread_count, thread_cap;
    pj_map child_of; // region << 32 | name
    size_t region_cap;
};

void pj_ai_ranges_expect(pj_ai_rank *rank, bool all, size_t waiting)
{
    pj_ai_ranges *r = rank->ranges = pj_take_zeros(sizeof *r);
    r->spill = &rank->spill;
    r->all = all;
    r->waiting = waiting;
    pj_grow(rank->regions, &r->region_cap, 1);
    rank->regions[0] = (pj_ai_region){.parent = 0};
    rank->region_count = 1;
}

void pj_ai_ranges_free(pj_ai_ranges *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->thread_count; i++)
        free(r->threads[i].open);
    free(r->threads);
    pj_ai_spill_drop(r->spill, r->row);
    pj_ai_spill_drop(r->spill, r->heap);
    pj_map_free(&r->child_of);
    free(r);
}

void pj_ai_ranges_shift(pj_ai_ranges *r, int64_t by)
{
    for (size_t i = r ? r->row_first : 0; r && i < r->row_end; i++) {
        r->row[i].begin += by;
        r->row[i].end += by;
    }
    for (size_t i = 0; r && i < r->heap_count; i++) {
        r->heap[i].begin += by;
        r->heap[i].end += by;
    }
}

size_t pj_ai_ranges_bytes(const pj_ai_ranges *r)
{
    return r ? pj_ai_spill_held(r->spill, r->row, r->row_cap * sizeof(range)) +
                   pj_ai_spill_held(r->spill, r->heap, r->heap_cap * sizeof(range))
             : 0;
}

void pj_ai_ranges_spill(pj_ai_ranges *r)
{
    if (!r)
        return;
    r->row = pj_ai_spill_move(r->spill, r->row, r->row_cap * sizeof(range));
    r->heap = pj_ai_spill_move(r->spill, r->heap, r->heap_cap * sizeof(range));
}

// The queue

/// Of those that begin together the outer one first.
static bool comes_before(const range *a, const range *b)
{
    return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
}

static void push_heap(pj_ai_ranges *r, range item)
{
    pj_ai_grow(r->spill, r->heap, &r->heap_cap, r->heap_count + 1);
    size_t at = r->heap_count++;
    for (; at && comes_before(&item, &r->heap[(at - 1) / 2]); at = (at - 1) / 2)
        r->heap[at] = r->heap[(at - 1) / 2];
    r->heap[at] = item;
}

static range pop_heap(pj_ai_ranges *r)
{
    range first = r->heap[0], last = r->heap[--r->heap_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < r->heap_count; at = child) {
        if (child + 1 < r->heap_count && comes_before(&r->heap[child + 1], &r->heap[child]))
            child++;
        if (!comes_before(&r->heap[child], &last))
            break;
        r->heap[at] = r->heap[child];
    }
    r->heap[at] = last;
    return first;
}

static size_t queued(const pj_ai_ranges *r)
{
    return r->row_end - r->row_first + r->heap_count;
}

static void push(pj_ai_ranges *r, range item)
{
    if (r->row_first < r->row_end && comes_before(&item, &r->row[r->row_end - 1])) {
        push_heap(r, item);
        return;
    }
    if (r->row_end == r->row_cap && r->row_first > r->row_cap / 2) { // close up
        memcpy(r->row, r->row + r->row_first, (r->row_end - r->row_first) * sizeof *r->row);
        r->row_end -= r->row_first;
        r->row_first = 0;
    }
    pj_ai_grow(r->spill, r->row, &r->row_cap, r->row_end + 1);
    r->row[r->row_end++] = item;
}

static range pop(pj_ai_ranges *r)
{
    bool any = r->row_first < r->row_end;
    if (r->heap_count && (!any || comes_before(&r->heap[0], &r->row[r->row_first])))
        return pop_heap(r);
    return r->row[r->row_first++];
}

// The stacks

/// The region of this name within another one; that one itself where there are too many.
static uint16_t region_within(pj_ai_rank *rank, uint16_t parent, uint32_t name)
{
    pj_ai_ranges *r = rank->ranges;
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t found;
    if (pj_map_get(&r->child_of, key, &found))
        return (uint16_t)found;
    if (rank->region_count == MOST_REGIONS) {
        rank->odd[PJ_AI_ODD_regions]++;
        return parent;
    }
    pj_grow(rank->regions, &r->region_cap, rank->region_count + 1);
    rank->regions[rank->region_count] = (pj_ai_region){.parent = parent, .name = name};
    pj_map_put(&r->child_of, key, (uint32_t)rank->region_count);
    return (uint16_t)rank->region_count++;
}

static void lay(pj_ai_rank *rank, thread *t, size_t at, int64_t end, uint32_t name)
{
    const open_range *below = at ? &t->open[at - 1] : NULL;
    t->open[at] = (open_range){
        .end = end,
        .least = below && below->least < end ? below->least : end,
        .name = name,
        .region = region_within(rank, below ? below->region : 0, name),
    };
}

/// Ranges nest as a rule; where one ends before those within it, these are laid anew.
static void close_ended(pj_ai_rank *rank, thread *t, int64_t time)
{
    while (t->depth && t->open[t->depth - 1].end <= time)
        t->depth--;
    if (!t->depth || t->open[t->depth - 1].least > time)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < t->depth; i++)
        if (t->open[i].end > time)
            lay(rank, t, kept++, t->open[i].end, t->open[i].name);
    t->depth = kept;
}

static void place_calls(pj_ai_rank *rank, thread *t, int64_t until)
{
    for (; t->call < t->call_end && rank->calls[t->call].begin < until; t->call++) {
        close_ended(rank, t, rank->calls[t->call].begin);
        rank->calls[t->call].place = t->depth ? t->open[t->depth - 1].region : 0;
    }
}

static void open_next(pj_ai_rank *rank)
{
    range next = pop(rank->ranges);
    thread *t = &rank->ranges->threads[next.thread];
    if (next.begin < t->now) {
        rank->odd[PJ_AI_ODD_late_range]++;
        return;
    }
    t->now = next.begin;
    place_calls(rank, t, next.begin);
    close_ended(rank, t, next.begin);
    if (t->depth == MOST_OPEN) {
        rank->odd[PJ_AI_ODD_regions]++;
        return;
    }
    pj_grow(t->open, &t->cap, t->depth + 1);
    lay(rank, t, t->depth++, next.end, next.name);
    pj_ai_region *region = &rank->regions[t->open[t->depth - 1].region];
    region->instances++;
    region->time += (uint64_t)(next.end - next.begin);
}

static int by_thread(const void *a, const void *b)
{
    const pj_ai_call *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static thread *thread_at(pj_ai_ranges *r, size_t index)
{
    size_t known = r->thread_count;
    if (index < known)
        return &r->threads[index];
    pj_grow(r->threads, &r->thread_cap, index + 1);
    memset(r->threads + known, 0, (index + 1 - known) * sizeof *r->threads);
    for (size_t i = known; i <= index; i++)
        r->threads[i].now = INT64_MIN;
    r->thread_count = index + 1;
    return &r->threads[index];
}

/// The calls of each thread in their order.
static void begin_placing(pj_ai_rank *rank)
{
    bool sorted = true;
    rank->ranges->placing = true;
    for (size_t i = 1; i < rank->call_count && sorted; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        sorted = by_thread(&rank->calls[i - 1], &rank->calls[i]) <= 0;
    }
    if (!sorted)
        (void)!pj_ai_spill_sort(&rank->spill, rank->calls, rank->call_count, sizeof *rank->calls,
                                by_thread, NULL);
    for (size_t i = 0, end; i < rank->call_count; i = end) {
        uint16_t place = rank->calls[i].place;
        thread *t = thread_at(rank->ranges, place);
        for (end = i; end < rank->call_count && rank->calls[end].place == place; end++)
            pj_ai_spill_pass(&rank->spill, end);
        t->call = i;
        t->call_end = end;
    }
}

void pj_ai_ranges_finish(pj_ai_rank *rank)
{
    pj_ai_ranges *r = rank->ranges;
    if (!r)
        return;
    if (!r->placing)
        begin_placing(rank);
    for (size_t i = 0; queued(r); i++) {
        pj_ai_spill_pass(&rank->spill, i);
        open_next(rank);
    }
    for (size_t i = 0; i < r->thread_count; i++)
        place_calls(rank, &r->threads[i], INT64_MAX);
    pj_ai_ranges_free(r);
    rank->ranges = NULL;
}

// Names

static bool is_of_nccl(pj_str name)
{
    return pj_str_starts(name, PJ_S("nccl"));
}

static pj_str bare(pj_str name)
{
    static const pj_str tails[] = {{", seq = ", 8}, {", op_id = ", 10}, {", sizes = ", 10}};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
        for (size_t at = 0; at + tails[i].len <= name.len; at++)
            if (name.at[at] == ',' && pj_str_starts(pj_str_from(name, at), tails[i]))
                name.len = at;
    return name;
}

void pj_ai_ranges_add(pj_ai_rank *rank, int64_t thread_number, int64_t begin, int64_t end,
                      pj_str name)
{
    pj_ai_ranges *r = rank->ranges;
    bool region =
        r->all && !pj_str_starts(name, PJ_S("ProfilerStep#")) && !pj_ai_ranges_is_loading(name);
    if (!name.len || end <= begin || (!region && !is_of_nccl(name)))
        return;
    range item = {.begin = begin,
                  .end = end,
                  .name = pj_ai_rank_name(rank, bare(name)),
                  .thread = pj_ai_rank_thread(rank, thread_number)};
    thread_at(r, item.thread);
    push(r, item);
    if (queued(r) <= r->waiting)
        return;
    if (!r->placing)
        begin_placing(rank);
    open_next(rank);
}

/// As arguments of PyTorch's kernels call it; what a range does not tell is empty.
static pj_str operation_of(pj_str name)
{
    static const struct {
        pj_str range, operation;
    } names[] = {
#define OPERATION(range, operation)                                                                \
    {{range, sizeof(range) - 1}, {operation, sizeof(operation) - 1}},
#include "metrics/ai/ai_range_operations.def"
#undef OPERATION
    };
    bool torch = pj_str_starts(name, PJ_S("nccl:"));
    pj_str text = pj_str_from(name, torch ? 5 : 4);
    text = pj_str_head(text, pj_str_find(text, ' '));
    while (torch && text.len && text.at[0] == '_')
        text = pj_str_from(text, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pj_str_equal(text, names[i].range))
            return names[i].operation;
    return (pj_str){"", 0};
}

/// "nccl:send 0->1" and "nccl:recv 1<-0" tell both ends.
static bool read_ends(pj_str name, int64_t *left, int64_t *right)
{
    pj_str ends = pj_str_trim(pj_str_from(name, pj_str_find(name, ' ')));
    size_t dash = pj_str_find(ends, '-');
    size_t first = dash && dash < ends.len && ends.at[dash - 1] == '<' ? dash - 1 : dash;
    size_t second = first == dash ? dash + 2 : dash + 1;
    return dash < ends.len && second < ends.len && pj_parse_i64(pj_str_head(ends, first), left) &&
           pj_parse_i64(pj_str_from(ends, second), right) && *left >= 0 && *right >= 0;
}

void pj_ai_ranges_name_exchange(pj_ai_rank *rank, uint32_t region, pj_ai_exchange *exchange)
{
    pj_str name = pj_str_of(rank->names[rank->regions[region].name]);
    int64_t left, right;
    pj_str operation = is_of_nccl(name) ? operation_of(name) : (pj_str){"", 0};
    bool sends = pj_str_equal(operation, PJ_S("send"));
    bool message = sends || pj_str_equal(operation, PJ_S("recv"));
    if (exchange->operation || !operation.len || (message && !read_ends(name, &left, &right)))
        return;
    exchange->operation = pj_ai_rank_name(rank, operation);
    exchange->marked = true;
    if (!message)
        return;
    exchange->source = sends ? left : right;
    exchange->target = sends ? right : left;
}
