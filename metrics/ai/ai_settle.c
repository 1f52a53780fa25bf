// One rank by itself: records in order, each with its launch; of every device the time in which it
// computes, moves data and has nothing to do, and why. The split of exchanges needs the other ranks
// and cannot change what is idle, so that all this is final.
#include "metrics/ai/ai_cover.h"
#include "metrics/ai/ai_ranges.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_shared.h"
#include "metrics/ai/ai_spans.h"
#include "metrics/ai/ai_spill.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/ai_account.h"

#include <stdlib.h>

typedef struct settling {
    pj_ai_rank *rank;
    pj_job *job;
    pj_ai_device *device;
    const pj_ai_rank *user; // of the device, whose record is looked at
    pj_ai_spans computed, exchanged, copied;
} settling;

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/// Of records that are alike in all that orders them.
static int by_kind(const pj_ai_record *x, const pj_ai_record *y)
{
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->exchange != y->exchange)
        return x->exchange < y->exchange ? -1 : 1;
    return x->work - y->work;
}

static int by_stream(const void *a, const void *b)
{
    const pj_ai_record *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return by_kind(x, y);
}

static bool same_record(const pj_ai_record *a, const pj_ai_record *b)
{
    return a->stream == b->stream && a->begin == b->begin && a->end == b->end &&
           a->call == b->call && a->name == b->name;
}

static int by_device(const void *a, const void *b)
{
    const pj_ai_stream *x = a, *y = b;
    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/// In the order of devices and numbers.
static void order_streams(pj_ai_rank *rank)
{
    uint16_t *now = pj_take_memory((rank->stream_count + 1) * sizeof *now);
    for (size_t i = 0; i < rank->stream_count; i++)
        rank->streams[i].was = (uint16_t)i;
    if (rank->stream_count)
        qsort(rank->streams, rank->stream_count, sizeof *rank->streams, by_device);
    for (size_t i = 0; i < rank->stream_count; i++)
        now[rank->streams[i].was] = (uint16_t)i;
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        rank->records[i].stream = now[rank->records[i].stream];
    }
    free(now);
}

static int by_id(const void *a, const void *b)
{
    const pj_ai_call *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->doing - y->doing;
}

static int by_number(const void *a, const void *b)
{
    const pj_ai_step *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

static bool sort(settling *s, void *items, size_t count, size_t size,
                 int (*order)(const void *, const void *), pj_err *err)
{
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++) {
        pj_ai_spill_pass(&s->rank->spill, i);
        sorted = order((char *)items + (i - 1) * size, (char *)items + i * size) <= 0;
    }
    return (sorted || pj_ai_spill_sort(&s->rank->spill, items, count, size, order, s->job->stop) ||
            pj_job_check(s->job, s->rank->path, err)) &&
           pj_ai_spill_check(&s->rank->spill, err);
}

/// What stands twice counts once; late stamps of HIP are mended.
static void sift_records(pj_ai_rank *rank)
{
    size_t kept = 0;
    bool clips = rank->hip && !rank->true_ends;
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        pj_ai_record record = rank->records[i];
        pj_ai_record *last = kept ? &rank->records[kept - 1] : NULL;
        if (last && same_record(last, &record)) {
            rank->odd[PJ_AI_ODD_twice]++;
            continue;
        }
        if (last && last->stream == record.stream && last->end > record.begin) {
            rank->odd[clips ? PJ_AI_ODD_clipped : PJ_AI_ODD_overlap]++;
            if (clips)
                last->end = record.begin;
        }
        rank->records[kept++] = record;
    }
    rank->record_count = kept;
}

static uint32_t find_call(const pj_ai_rank *rank, uint32_t id)
{
    size_t low = 0, high = rank->call_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rank->calls[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rank->call_count && rank->calls[low].id == id ? (uint32_t)low : PJ_AI_NONE;
}

static void find_launches(pj_ai_rank *rank)
{
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_record *record = &rank->records[i];
        pj_ai_spill_jump(&rank->spill, i); // calls of a stream may lie far apart
        if (record->call != PJ_AI_NONE)
            record->call = find_call(rank, record->call);
        if (record->call == PJ_AI_NONE)
            rank->odd[PJ_AI_ODD_no_launch]++;
        else if (record->begin < rank->calls[record->call].begin)
            rank->odd[PJ_AI_ODD_early]++;
    }
}

/// Steps that several threads repeat, or that lie within others, count once.
static void sift_steps(pj_ai_rank *rank)
{
    size_t kept = 0;
    for (size_t i = 0; i < rank->step_count; i++) {
        pj_ai_step step = rank->steps[i];
        step.first = INT64_MAX;
        if (!kept || step.begin >= rank->steps[kept - 1].end)
            rank->steps[kept++] = step;
    }
    rank->step_count = kept;
}

static pj_ai_step *step_at(pj_ai_rank *rank, int64_t time)
{
    size_t low = 0, high = rank->step_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rank->steps[middle].begin <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low && time < rank->steps[low - 1].end ? &rank->steps[low - 1] : NULL;
}

/// Only what the steps that are looked at have launched stays.
static void choose_steps(pj_ai_rank *rank)
{
    size_t kept = 0;
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        const pj_ai_record *record = &rank->records[i];
        const pj_ai_step *step =
            record->call == PJ_AI_NONE ? NULL : step_at(rank, rank->calls[record->call].begin);
        if (step && step->number >= rank->first_step && step->number <= rank->last_step)
            rank->records[kept++] = *record;
    }
    rank->record_count = kept;
}

/// A step lasts until the next one begins on the rank's devices, the last one to the end of what
/// they do.
static void end_steps(pj_ai_rank *rank)
{
    int64_t end = INT64_MIN;
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        end = rank->records[i].end > end ? rank->records[i].end : end;
    }
    for (size_t i = rank->step_count; i-- > 0;) {
        pj_ai_step *step = &rank->steps[i];
        if (step->first > end)
            step->first = INT64_MAX;
        if (step->first == INT64_MAX)
            continue;
        step->until = end;
        end = step->first;
        if (rank->windowed) {
            step->first = later(step->first, rank->from);
            step->until = earlier(step->until, rank->until);
        }
        if (step->first >= step->until) {
            step->first = INT64_MAX;
            continue;
        }
        step->driving = (uint64_t)pj_ai_cover_within(&rank->driving, step->first, step->until);
    }
}

static void assign_steps(pj_ai_rank *rank)
{
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        const pj_ai_record *record = &rank->records[i];
        pj_ai_step *step =
            record->call == PJ_AI_NONE ? NULL : step_at(rank, rank->calls[record->call].begin);
        if (step && record->begin < step->first)
            step->first = record->begin;
        if (record->exchange == PJ_AI_NONE)
            continue;
        pj_ai_exchange *exchange = &rank->exchanges[record->exchange];
        exchange->begin = record->begin;
        exchange->end = record->end;
        exchange->step = step ? step->number : INT64_MIN;
        exchange->device = rank->streams[record->stream].of;
        if (!rank->regions || record->call == PJ_AI_NONE)
            continue;
        exchange->region = rank->calls[record->call].place;
        pj_ai_ranges_name_exchange(rank, exchange->region, exchange);
    }
    end_steps(rank);
}

/// What calls and data loading cover together; there are few loadings.
static int64_t with_loading(const pj_ai_rank *rank, const pj_ai_cover *calls, int64_t a, int64_t b)
{
    const pj_ai_spans *loading = &rank->loading;
    int64_t covered = pj_ai_cover_within(calls, a, b);
    for (size_t i = pj_ai_spans_after(loading, a);
         i < loading->count && loading->items[i].begin < b; i++) {
        int64_t begin = later(a, loading->items[i].begin), end = earlier(b, loading->items[i].end);
        covered += end - begin - pj_ai_cover_within(calls, begin, end);
    }
    return covered;
}

/// The device is idle from `a` to `b`, when the work of `launch` begins, or later.
static void explain_gap(settling *s, int64_t a, int64_t b, const pj_ai_call *launch)
{
    uint64_t *idle = s->device->idle;
    if (!launch) {
        idle[PJ_AI_IDLE_unknown] += (uint64_t)(b - a);
        return;
    }
    int64_t upto = later(a, earlier(b, launch->begin));
    int64_t loading = pj_ai_spans_within(&s->user->loading, a, upto);
    int64_t waiting = with_loading(s->user, &s->user->waiting, a, upto);
    int64_t calling = with_loading(s->user, &s->user->driving, a, upto);
    int64_t from = later(a, launch->begin), to = earlier(b, launch->end);
    idle[PJ_AI_IDLE_data_loading] += (uint64_t)loading;
    idle[PJ_AI_IDLE_synchronise] += (uint64_t)(waiting - loading);
    idle[PJ_AI_IDLE_runtime] += (uint64_t)(calling - waiting);
    idle[PJ_AI_IDLE_host] += (uint64_t)(upto - a - calling);
    idle[PJ_AI_IDLE_launch] += (uint64_t)(to > from ? to - from : 0);
    if (launch->end <= a)
        idle[PJ_AI_IDLE_queued] += (uint64_t)(b - a);
    else if (launch->end < b)
        idle[PJ_AI_IDLE_launch_latency] += (uint64_t)(b - later(a, launch->end));
}

static void add_piece(settling *s, int64_t begin, int64_t end, pj_ai_piece of)
{
    pj_ai_device *device = s->device;
    if (end <= begin)
        return;
    pj_ai_grow(&s->rank->spill, device->pieces, &device->piece_cap, device->piece_count + 1);
    of.begin = begin;
    of.end = end;
    device->pieces[device->piece_count++] = of;
}

/// What is left of a span without the time in which the device computes.
static void add_exposed(settling *s, int64_t begin, int64_t end, pj_ai_piece of)
{
    const pj_ai_spans *computed = &s->computed;
    size_t i = pj_ai_spans_after(computed, begin);
    for (; i < computed->count && computed->items[i].begin < end; i++) {
        add_piece(s, begin, earlier(end, computed->items[i].begin), of);
        begin = later(begin, computed->items[i].end);
    }
    add_piece(s, begin, end, of);
}

/// Of what a user's record was launched in; NULL = nobody asks.
static pj_ai_region_share *share_of(settling *s, uint8_t user, uint32_t region)
{
    size_t first = 0;
    for (uint8_t u = 0; u < user; u++)
        first += pj_ai_device_user(s->rank, s->device, u)->region_count + 1;
    return s->device->of_region ? &s->device->of_region[first + region] : NULL;
}

/// The time before a record counts where it was launched.
static void explain_to_region(settling *s, int64_t a, int64_t b, const pj_ai_record *next)
{
    uint64_t before[PJ_AI_IDLE_CAUSES];
    const pj_ai_call *launch = next->call == PJ_AI_NONE ? NULL : &s->user->calls[next->call];
    pj_ai_region_share *of = share_of(s, next->user, launch ? launch->place : 0);
    memcpy(before, s->device->idle, sizeof before);
    explain_gap(s, a, b, launch);
    for (unsigned c = 0; of && c < PJ_AI_IDLE_CAUSES; c++)
        of->share.idle[c] += s->device->idle[c] - before[c];
}

static size_t region_shares(const settling *s)
{
    size_t count = 0;
    unsigned users = s->device->users ? s->device->user_count : 1;
    for (unsigned u = 0; u < users; u++)
        count += pj_ai_device_user(s->rank, s->device, (uint8_t)u)->region_count + 1;
    return count;
}

/// Gaps in the order of time, and at each exchange what was idle before it.
static void walk(settling *s, pj_ai_record *records, size_t count)
{
    int64_t end = records[0].begin, idle = 0;
    int64_t from = s->rank->windowed ? s->rank->from : INT64_MIN;
    int64_t until = s->rank->windowed ? s->rank->until : INT64_MAX;
    if (s->rank->wants_regions)
        s->device->of_region = pj_take_zeros(region_shares(s) * sizeof(pj_ai_region_share));
    for (size_t i = 0; i < count; i++) {
        pj_ai_spill_pass(&s->rank->spill, i);
        const pj_ai_record *record = &records[i];
        s->user = pj_ai_device_user(s->rank, s->device, record->user);
        int64_t a = later(end, from), b = earlier(record->begin, until);
        if (b > a) {
            idle += b - a;
            explain_to_region(s, a, b, record);
        }
        end = later(end, record->end);
        if (record->exchange != PJ_AI_NONE)
            memcpy(s->user->exchanges[record->exchange].idle, s->device->idle,
                   sizeof s->device->idle);
    }
    s->device->busy = true;
    s->device->first = later(from, earlier(records[0].begin, until));
    s->device->last = later(from, earlier(end, until));
    s->device->active = (uint64_t)(s->device->last - s->device->first - idle);
}

/// Gaps are explained: what is left counts as far as it is looked at.
static void clip(settling *s, pj_ai_record *records, size_t count)
{
    int64_t from = s->rank->from, until = s->rank->until;
    for (size_t i = 0; i < count; i++) {
        pj_ai_spill_pass(&s->rank->spill, i);
        pj_ai_record *record = &records[i];
        if (record->begin >= until || record->end <= from)
            record->work = PJ_AI_OUTSIDE;
        record->begin = later(from, earlier(record->begin, until));
        record->end = later(from, earlier(record->end, until));
    }
}

static void gather(settling *s, const pj_ai_record *records, size_t count)
{
    pj_ai_spans *const lists[] = {&s->computed, &s->exchanged, &s->copied};
    for (size_t i = 0; i < count; i++) {
        pj_ai_spill_pass(&s->rank->spill, i);
        s->device->kernels += records[i].work == PJ_AI_COMPUTE;
        if (records[i].work != PJ_AI_OUTSIDE)
            pj_ai_spans_add(lists[records[i].work], records[i].begin, records[i].end);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        pj_ai_spans_unite(lists[i]);
    s->device->useful = (uint64_t)pj_ai_spans_total(&s->computed);
    s->device->exchange_total = (uint64_t)pj_ai_spans_total(&s->exchanged);
    s->device->copy_total = (uint64_t)pj_ai_spans_total(&s->copied);
}

/// A moment in which several records compute counts for the one that began first, and so for
/// copies: the regions sum to what the device does. `call` is the region by now.
static void share_regions(settling *s, const pj_ai_record *records, size_t count)
{
    int64_t computed = INT64_MIN, copied = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        pj_ai_spill_pass(&s->rank->spill, i);
        const pj_ai_record *record = &records[i];
        if (record->work == PJ_AI_COMPUTE) {
            int64_t begin = later(record->begin, computed);
            pj_ai_region_share *of = share_of(s, record->user, record->call);
            of->share.useful += (uint64_t)(record->end > begin ? record->end - begin : 0);
            of->kernels++;
            computed = later(computed, record->end);
        } else if (record->work == PJ_AI_COPY) {
            add_exposed(s, later(record->begin, copied), record->end,
                        (pj_ai_piece){.exchange = PJ_AI_NONE,
                                      .region = (uint16_t)record->call,
                                      .user = record->user});
            copied = later(copied, record->end);
        }
    }
}

static void expose(settling *s, const pj_ai_record *records, size_t count)
{
    pj_ai_device *device = s->device;
    for (size_t i = 0; i < s->exchanged.count; i++) {
        pj_ai_spill_jump(&s->rank->spill, i);
        device->hidden += (uint64_t)pj_ai_spans_within(&s->computed, s->exchanged.items[i].begin,
                                                       s->exchanged.items[i].end);
    }
    if (device->of_region)
        share_regions(s, records, count);
    for (size_t i = 0; i < s->copied.count && !device->of_region; i++) {
        pj_ai_spill_jump(&s->rank->spill, i);
        add_exposed(s, s->copied.items[i].begin, s->copied.items[i].end,
                    (pj_ai_piece){.exchange = PJ_AI_NONE});
    }
    for (size_t i = 0; i < count; i++) {
        pj_ai_spill_pass(&s->rank->spill, i);
        if (records[i].exchange == PJ_AI_NONE)
            continue;
        pj_ai_rank *user = pj_ai_device_user(s->rank, device, records[i].user);
        pj_ai_exchange *exchange = &user->exchanges[records[i].exchange];
        add_exposed(s, records[i].begin, records[i].end,
                    (pj_ai_piece){.exchange = records[i].exchange, .user = records[i].user});
        exchange->computed[0] = pj_ai_spans_until(&s->computed, exchange->begin);
        exchange->computed[1] = pj_ai_spans_until(&s->computed, exchange->end);
        exchange->copied[0] = pj_ai_spans_until(&s->copied, exchange->begin);
        exchange->copied[1] = pj_ai_spans_until(&s->copied, exchange->end);
    }
}

static void share_steps(settling *s)
{
    const pj_ai_rank *rank = s->rank;
    s->device->step_useful = pj_take_zeros((rank->step_count + 1) * sizeof(uint64_t));
    for (size_t i = 0; i < rank->step_count; i++) {
        pj_ai_spill_jump(s->computed.spill, i);
        if (rank->steps[i].first != INT64_MAX)
            s->device->step_useful[i] = (uint64_t)pj_ai_spans_within(
                &s->computed, rank->steps[i].first, rank->steps[i].until);
    }
}

/// What the device does while it exchanges and copies.
static void settle_device(settling *s, pj_ai_record *records, size_t count)
{
    s->computed = s->exchanged = s->copied = (pj_ai_spans){.spill = &s->rank->spill};
    gather(s, records, count);
    expose(s, records, count);
    share_steps(s);
    if (s->rank->draws)
        s->device->computed = s->computed;
    else
        pj_ai_spans_free(&s->computed);
    pj_ai_spans_free(&s->exchanged);
    pj_ai_spans_free(&s->copied);
}

static int by_begin(const void *a, const void *b)
{
    const pj_ai_record *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    if (x->user != y->user)
        return x->user < y->user ? -1 : 1;
    return by_kind(x, y);
}

/// Where the records of the device end that `first` is of: they are in the order of streams.
static size_t end_of_device(pj_ai_rank *rank, size_t first)
{
    uint32_t device = rank->streams[rank->records[first].stream].of;
    size_t end = first;
    for (; end < rank->record_count && rank->streams[rank->records[end].stream].of == device; end++)
        pj_ai_spill_pass(&rank->spill, end);
    return end;
}

/// By device and begin, of equal ones the lowest stream first.
static bool order_records(settling *s, pj_err *err)
{
    pj_ai_rank *rank = s->rank;
    for (size_t i = 0, end; i < rank->record_count; i = end) {
        end = end_of_device(rank, i);
        if (!sort(s, rank->records + i, end - i, sizeof *rank->records, by_begin, err))
            return false;
    }
    return true;
}

static void each_device(settling *s, void (*take)(settling *s, pj_ai_record *records, size_t count))
{
    pj_ai_rank *rank = s->rank;
    for (size_t i = 0, end; i < rank->record_count; i = end) {
        end = end_of_device(rank, i);
        s->device = &rank->devices[rank->streams[rank->records[i].stream].of];
        take(s, rank->records + i, end - i);
    }
}

/// Exchanges that no record has any longer, as it stood twice, are gone; the others are in order.
static void order_exchanges(pj_ai_rank *rank)
{
    size_t count = 0, cap;
    pj_ai_exchange *kept = pj_ai_spill_new(&rank->spill, rank->exchange_count, sizeof *kept, &cap);
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        if (rank->records[i].exchange == PJ_AI_NONE)
            continue;
        kept[count] = rank->exchanges[rank->records[i].exchange];
        rank->records[i].exchange = (uint32_t)count++;
    }
    pj_ai_spill_drop(&rank->spill, rank->exchanges);
    rank->exchanges = kept;
    rank->exchange_count = count;
    rank->exchange_cap = cap;
}

/// Of the host only its calls while no device has begun or all have ended may still be asked for.
static void forget_host(pj_ai_rank *rank)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t d = 0; d < rank->device_count; d++) {
        if (!rank->devices[d].busy)
            continue;
        first = earlier(first, rank->devices[d].first);
        last = later(last, rank->devices[d].last);
    }
    if (first < last) {
        rank->driving_within = (uint64_t)pj_ai_cover_within(&rank->driving, first, last);
        rank->driving_in_mpi = pj_ai_rank_driving_in_mpi(rank, first, last);
        pj_ai_cover_clear(&rank->driving, first, last);
    }
    pj_ai_cover_free(&rank->waiting);
    pj_ai_spans_free(&rank->loading);
    pj_ai_spill_drop(&rank->spill, rank->calls);
    rank->calls = NULL;
    rank->call_count = rank->call_cap = 0;
}

/// Calls are about to go: a record keeps the region in which it was launched.
static void keep_regions(settling *s, pj_ai_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pj_ai_spill_pass(&s->rank->spill, i);
        const pj_ai_rank *user = pj_ai_device_user(s->rank, s->device, records[i].user);
        uint32_t call = records[i].call;
        records[i].call = call == PJ_AI_NONE ? 0 : user->calls[call].place;
    }
}

static void forget_records(pj_ai_rank *rank)
{
    pj_ai_spill_drop(&rank->spill, rank->records);
    rank->records = NULL;
    rank->record_count = rank->record_cap = 0;
}

/// Records in order, each with its launch and its step.
static bool arrange(settling *s, pj_err *err)
{
    pj_ai_rank *rank = s->rank;
    free(rank->launches);
    rank->launches = NULL;
    rank->launch_words = 0;
    pj_ai_ranges_finish(rank);
    order_streams(rank);
    if (!sort(s, rank->records, rank->record_count, sizeof *rank->records, by_stream, err) ||
        !sort(s, rank->calls, rank->call_count, sizeof *rank->calls, by_id, err) ||
        !sort(s, rank->steps, rank->step_count, sizeof *rank->steps, by_number, err))
        return false;
    sift_records(rank);
    find_launches(rank);
    sift_steps(rank);
    pj_ai_spans_unite(&rank->loading);
    pj_ai_cover_finish(&rank->waiting);
    pj_ai_cover_finish(&rank->driving);
    for (unsigned k = 0; k < PJ_AI_MPI_KINDS; k++)
        pj_ai_cover_finish(&rank->mpi[k]);
    if (!order_records(s, err))
        return false;
    if (rank->some_steps)
        choose_steps(rank);
    order_exchanges(rank);
    assign_steps(rank);
    return true;
}

/// The hosts of all users are known while gaps are explained.
static void settle_devices(settling *s, pj_ai_rank *const *ranks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        s->rank = ranks[i];
        each_device(s, walk);
    }
    for (size_t i = 0; i < count; i++) {
        s->rank = ranks[i];
        if (s->rank->wants_regions)
            each_device(s, keep_regions);
        if (s->rank->windowed)
            each_device(s, clip);
    }
    for (size_t i = 0; i < count; i++)
        if (!ranks[i]->draws)
            forget_host(ranks[i]); // before lists as long as its own are made
    for (size_t i = 0; i < count; i++) {
        s->rank = ranks[i];
        each_device(s, settle_device);
        if (s->rank->draws != PJ_AI_DRAWS_STREAMS)
            forget_records(s->rank);
    }
}

bool pj_ai_rank_settle_all(pj_ai_rank *const *ranks, size_t count, pj_job *job, pj_err *err)
{
    settling s = {.job = job};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        s.rank = ranks[i];
        ok = arrange(&s, err);
    }
    if (ok && pj_ai_shared_merge(ranks, count))
        for (size_t i = 0; ok && i < count; i++) {
            s.rank = ranks[i];
            order_streams(s.rank);
            ok = order_records(&s, err);
        }
    if (ok)
        settle_devices(&s, ranks, count);
    return ok;
}

bool pj_ai_rank_settle(pj_ai_rank *rank, pj_job *job, pj_err *err)
{
    return pj_ai_rank_settle_all(&rank, 1, job, err);
}
