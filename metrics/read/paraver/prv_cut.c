// A part of a Paraver trace as a trace of its own.
// Lines are kept as they are but for their times: event types that nobody here knows stay in the
// trace. States are clipped, those that begin before the part as the timeline has them there: the
// end of any state makes the thread Idle, also that of an inner one. What is open at a border is
// opened or closed there; a counter reading across a border is divided as the statistics divide it.
// Where it then counts otherwise for the burst that the border cuts than for others, it becomes
// two: a first pass finds these.
#include "metrics/read/paraver/prv_cut.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/base/newfile.h"
#include "metrics/base/num.h"
#include "metrics/base/pseudonym.h"
#include "metrics/base/share.h"
#include "metrics/base/shelf.h"
#include "metrics/base/str.h"
#include "metrics/base/tiny.h"
#include "metrics/read/paraver/prv_anonymous.h"
#include "metrics/read/paraver/prv_header.h"
#include "metrics/read/source.h"
#include "metrics/trace/companion.h"
#include "metrics/trace/device.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    STATE_FIELDS = 8,
    MESSAGE_FIELDS = 15,
    FIELDS_MOST = 15,
    TRACING = 40000012, // switches make no sense without the rest, nor do numbers of requests
    REQUEST = 50190001,
    COMPLETE = 50190002,
    FLUSH_BYTES = PJ_SIZE(1 << 20, 1 << 10),
};

typedef struct burst { // of Running, records that touch are one
    uint64_t begin, end;
} burst;

typedef struct split { // of a reading: one more
    bool due;
    uint64_t time; // ns
    int64_t value;
} split;

typedef struct reading {
    uint64_t type, last; // ns of the latest one
    uint64_t ended;      // bursts of the thread by then
    bool done;           // one behind the end has been seen
    split splits[2];
} reading;

typedef struct due { // of a thread: which split of which reading
    uint64_t time;
    size_t reading;
    unsigned split;
} due;

typedef struct opened { // and not closed
    uint64_t type, value;
} opened;

typedef struct span { // a state
    uint64_t begin, end, state;
} span;

typedef struct thread {
    char place[64]; // "cpu:application:task:thread"
    span latest;    // the state that begins last before the part
    uint64_t reset; // the last end of a state before it
    uint64_t *ends; // in the part or behind it, of states that begin before it
    size_t end_count, end_cap;
    uint64_t shown_end; // of the state that the timeline shows
    uint64_t *pending;  // ends of earlier states, a heap: the first is the earliest
    size_t pending_count, pending_cap;
    pj_shelf open;
    bool begun;         // what was open at the begin has been written
    burst burst, at[2]; // the latest; those that borders cut
    uint64_t bursts;    // begun before the end of the part
    uint64_t before;    // of them, before its begin
    reading *readings;
    size_t reading_count, reading_cap;
    pj_map reading_of; // by type
    uint64_t now;      // time of the latest readings
    uint32_t *fresh;   // these
    size_t fresh_count, fresh_cap;
    due *dues; // readings that the first pass has split off, by their times
    size_t due_count, due_next;
} thread;

typedef struct cutting {
    const pj_run *run;
    const pj_pseudonyms *names; // NULL = names stay
    pj_roi roi;
    uint64_t unit;
    bool finding; // the first pass
    pj_cut_facts *facts;
    pj_newfile out;
    pj_buf line, tail;
    pj_map thread_of;
    thread *threads;
    size_t count, cap;
} cutting;

static bool is_counter(uint64_t type)
{
    return type >= 42000000 && type < 43000000 && type != 42009999;
}

/// Calls, copies and kernels of CUDA (63000000) and HIP (63500000), with the kernel's line.
static bool is_of_device(uint64_t type)
{
    uint64_t family = type / 100000, member = type % 100000;
    return (family == 630 || family == 635) &&
           (member <= 1 || member == 6 || member == 7 || member == 9 || member == 10);
}

/// MPI calls, of which a thread is in one of each type at most.
static bool is_call(uint64_t type)
{
    return type >= 50000001 && type <= 50000005;
}

/// Types whose value other than 0 holds until their 0.
static bool is_nesting(uint64_t type)
{
    return is_call(type) || (type >= 60000000 && type < 61000000) || is_of_device(type);
}

// Threads

static uint64_t key_of(const uint64_t object[4])
{
    return object[1] << 48 ^ object[2] << 20 ^ object[3];
}

static thread *thread_of(cutting *c, const uint64_t object[4])
{
    uint32_t index;
    if (pj_map_get(&c->thread_of, key_of(object), &index))
        return &c->threads[index];
    index = (uint32_t)c->count++;
    pj_map_put(&c->thread_of, key_of(object), index);
    pj_grow(c->threads, &c->cap, c->count);
    thread *t = &c->threads[index];
    *t = (thread){.open = {.item_size = sizeof(opened)}};
    snprintf(t->place, sizeof t->place, "%llu:%llu:%llu:%llu", (unsigned long long)object[0],
             (unsigned long long)object[1], (unsigned long long)object[2],
             (unsigned long long)object[3]);
    return t;
}

/// Types of one stack: whatever is innermost is closed by the 0 of any of them (METRICS part B).
static bool is_level(uint64_t type)
{
    return type == 60000001 || type == 60000005 || type == 60000018 || type == 60000023;
}

static void note_open(thread *t, uint64_t type, uint64_t value)
{
    enum { LEVELS = 0 }; // the key of them all
    uint64_t key = is_level(type) ? LEVELS : type;
    if (!value || is_call(type))
        pj_shelf_take(&t->open, key, PJ_NEWEST, &(opened){0});
    if (value)
        pj_shelf_put(&t->open, key, &(opened){type, value});
}

static void write_state(cutting *c, const thread *t, uint64_t begin, uint64_t end, uint64_t state)
{
    c->facts->records++;
    pj_buf_addf(&c->line, "1:%s:%llu:%llu:%llu\n", t->place,
                (unsigned long long)(begin - c->roi.from_ns),
                (unsigned long long)(end - c->roi.from_ns), (unsigned long long)state);
}

/// The state at the begin of the part, behind Idle ones that end where further states would.
static void write_carried(cutting *c, const thread *t)
{
    uint64_t from = c->roi.from_ns, to = c->roi.to_ns;
    bool lasts = t->latest.end > from && t->reset <= t->latest.begin, own = lasts;
    for (size_t i = 0; i < t->end_count; i++) {
        bool is_own = own && t->ends[i] == t->latest.end;
        own &= !is_own;
        if (!is_own && t->ends[i] < to)
            write_state(c, t, from, t->ends[i], PJ_STATE_IDLE);
    }
    if (lasts)
        write_state(c, t, from, t->latest.end < to ? t->latest.end : to, t->latest.state);
}

/// What is due of a thread before its line of `time`: what was open at the begin, readings.
static void write_due(cutting *c, thread *t, uint64_t time)
{
    if (!t->begun)
        write_carried(c, t);
    const opened *o;
    for (size_t at = 0; !t->begun && (o = pj_shelf_next(&t->open, PJ_OLDEST, &at));)
        pj_buf_addf(&c->line, "2:%s:0:%llu:%llu\n", t->place, (unsigned long long)o->type,
                    (unsigned long long)o->value);
    t->begun = true;
    for (; t->due_next < t->due_count && t->dues[t->due_next].time <= time; t->due_next++) {
        const due *d = &t->dues[t->due_next];
        const reading *r = &t->readings[d->reading];
        const split *s = &r->splits[d->split];
        pj_buf_addf(&c->line, "2:%s:%llu:%llu:%lld\n", t->place,
                    (unsigned long long)(s->time - c->roi.from_ns), (unsigned long long)r->type,
                    (long long)s->value);
    }
}

static void write_closed(cutting *c, thread *t)
{
    const opened *o;
    for (size_t at = 0; (o = pj_shelf_next(&t->open, PJ_NEWEST, &at));)
        pj_buf_addf(&c->tail, "2:%s:%llu:%llu:0\n", t->place,
                    (unsigned long long)(c->roi.to_ns - c->roi.from_ns),
                    (unsigned long long)o->type);
}

// States

/// How many readings there are at `time`, to which the thread has come.
static size_t fresh_at(const thread *t, uint64_t time)
{
    return t->now == time ? t->fresh_count : 0;
}

/// A burst goes on where readings took it for ended.
static void join_burst(const cutting *c, thread *t)
{
    bool counted = t->burst.begin < c->roi.to_ns;
    for (size_t i = 0; counted && i < fresh_at(t, t->burst.end); i++) {
        reading *r = &t->readings[t->fresh[i]];
        r->ended -= r->ended == t->bursts;
    }
}

static void note_burst(const cutting *c, thread *t, uint64_t begin, uint64_t end)
{
    const uint64_t borders[] = {c->roi.from_ns, c->roi.to_ns};
    if (t->burst.end != begin || t->burst.begin == t->burst.end) {
        t->burst.begin = begin;
        t->bursts += begin < c->roi.to_ns;
        t->before += begin < c->roi.from_ns;
    } else {
        join_burst(c, t);
    }
    t->burst.end = end;
    for (unsigned b = 0; b < 2; b++)
        if (t->burst.begin < borders[b] && end > borders[b])
            t->at[b] = t->burst;
}

static void push_end(thread *t, uint64_t end)
{
    pj_grow(t->pending, &t->pending_cap, t->pending_count + 1);
    size_t at = t->pending_count++;
    for (; at > 0 && t->pending[(at - 1) / 2] > end; at = (at - 1) / 2)
        t->pending[at] = t->pending[(at - 1) / 2];
    t->pending[at] = end;
}

static uint64_t pop_end(thread *t)
{
    uint64_t first = t->pending[0], last = t->pending[--t->pending_count];
    size_t at = 0, next;
    while ((next = 2 * at + 1) < t->pending_count) {
        next += next + 1 < t->pending_count && t->pending[next + 1] < t->pending[next];
        if (last <= t->pending[next])
            break;
        t->pending[at] = t->pending[next];
        at = next;
    }
    t->pending[at] = last;
    return first;
}

/// Where the timeline ends a state: where it, or any before it, ends.
static uint64_t end_shown(thread *t, uint64_t begin, uint64_t end)
{
    if (t->shown_end > begin)
        push_end(t, t->shown_end);
    while (t->pending_count && t->pending[0] <= begin)
        pop_end(t);
    push_end(t, end);
    return t->shown_end = pop_end(t);
}

/// A state begins while a burst lasts: it ends, or has never been where both begin at once.
static void end_burst(const cutting *c, thread *t, uint64_t begin)
{
    if (t->burst.end <= begin || t->burst.begin > begin)
        return;
    if (t->burst.begin == begin) {
        t->bursts -= begin < c->roi.to_ns;
        t->before -= begin < c->roi.from_ns;
    }
    for (unsigned b = 0; b < 2; b++)
        if (t->at[b].begin == t->burst.begin && t->at[b].end > begin)
            t->at[b].end = begin;
    for (size_t i = 0; i < fresh_at(t, begin); i++)
        t->readings[t->fresh[i]].ended = t->bursts;
    t->burst.end = begin;
}

/// Keeps a state that begins before the part until it is known what comes of it.
static void carry(cutting *c, thread *t, span state)
{
    t->latest = state;
    if (state.end <= c->roi.from_ns) {
        t->reset = state.end > t->reset ? state.end : t->reset;
        return;
    }
    c->facts->clipped++;
    pj_grow(t->ends, &t->end_cap, t->end_count + 1);
    t->ends[t->end_count++] = state.end;
}

static void cut_state(cutting *c, const uint64_t *field)
{
    thread *t = thread_of(c, field);
    uint64_t begin = field[4], end = field[5], from = c->roi.from_ns, to = c->roi.to_ns;
    if (end <= begin)
        return;
    end_burst(c, t, begin);
    uint64_t shown = end_shown(t, begin, end);
    if (field[6] == PJ_STATE_RUNNING)
        note_burst(c, t, begin, shown);
    if (begin < from && !t->begun) {
        carry(c, t, (span){begin, end, field[6]});
        return;
    }
    uint64_t first = begin > from ? begin : from, last = end < to ? end : to;
    bool cut = first != begin || last != end;
    if (first >= last)
        return;
    if (begin >= from)
        write_due(c, t, begin);
    c->facts->clipped += cut;
    write_state(c, t, first, last, field[6]);
}

// Counters

static reading *reading_of(thread *t, uint64_t type)
{
    uint32_t known;
    if (pj_map_get(&t->reading_of, type, &known))
        return &t->readings[known];
    pj_map_put(&t->reading_of, type, (uint32_t)t->reading_count);
    pj_grow(t->readings, &t->reading_cap, t->reading_count + 1);
    t->readings[t->reading_count] = (reading){.type = type};
    return &t->readings[t->reading_count++];
}

/// Of all that are read at one time.
static void note_fresh(thread *t, const reading *r)
{
    if (r->last != t->now)
        t->fresh_count = 0;
    t->now = r->last;
    pj_grow(t->fresh, &t->fresh_cap, t->fresh_count + 1);
    t->fresh[t->fresh_count++] = (uint32_t)(r - t->readings);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/// What a reading that crosses borders counts for.
typedef struct portions {
    bool first, second, same; // bursts cut by the begin and by the end; one cut by both
    int64_t share[2];         // of these
    uint64_t whole;           // bursts that count in full
} portions;

static portions portions_of(const cutting *c, const thread *t, const reading *r, uint64_t time,
                            int64_t value)
{
    const uint64_t borders[] = {c->roi.from_ns, c->roi.to_ns};
    portions p = {.first = r->last < borders[0] && t->at[0].end > borders[0],
                  .second = time > borders[1] && t->at[1].end > borders[1]};
    uint64_t begun = t->bursts - (t->burst.begin >= time && t->burst.begin < borders[1]);
    uint64_t ended = r->last < borders[0] ? t->before - (t->at[0].end > borders[0]) : r->ended;
    p.same = p.first && p.second && t->at[0].begin == t->at[1].begin;
    for (unsigned b = 0; b < 2; b++) {
        uint64_t from = larger(r->last, t->at[b].begin), to = smaller(time, t->at[b].end);
        uint64_t inside_from = larger(from, borders[0]), inside_to = smaller(to, borders[1]);
        if (to > from && inside_to > inside_from)
            p.share[b] = (int64_t)pj_share(value, inside_to - inside_from, to - from);
    }
    p.whole = begun - ended - p.first - (p.second && !p.same);
    return p;
}

/// One more reading is due at `time`; only the first pass may say so.
static void split_off(const cutting *c, split *s, uint64_t time, int64_t value)
{
    if (c->finding)
        *s = (split){.due = true, .time = time, .value = value};
}

/// The value of a reading across the begin.
static int64_t divide_first(const cutting *c, const thread *t, reading *r, const portions *p,
                            int64_t value)
{
    if (!p->first)
        return value;
    if (!p->whole)
        return p->share[0];
    split_off(c, &r->splits[0], t->at[0].end, p->share[0]);
    return value;
}

/// The value that a reading behind the end has at the end.
static int64_t divide_last(const cutting *c, const thread *t, reading *r, const portions *p,
                           int64_t value)
{
    if (p->same)
        return p->share[0];
    if (p->first && (p->whole || p->second))
        split_off(c, &r->splits[0], t->at[0].end, p->share[0]);
    if (p->second && p->whole)
        split_off(c, &r->splits[1], t->at[1].begin, value);
    if (p->second)
        return p->share[1];
    return p->whole ? value : p->first ? p->share[0] : 0;
}

/// The value of a counter pair as the part has it; false when the pair is left out.
static bool cut_counter(cutting *c, thread *t, uint64_t time, uint64_t type, int64_t *value)
{
    reading *r = reading_of(t, type);
    bool inside = time > c->roi.from_ns && time <= c->roi.to_ns;
    bool behind = time > c->roi.to_ns && !r->done && r->last < c->roi.to_ns;
    bool crosses = (inside && r->last < c->roi.from_ns) || behind;
    portions p = portions_of(c, t, r, time, *value);
    c->facts->divided += crosses;
    if (behind) {
        r->done = true;
        pj_buf_addf(&c->tail, "2:%s:%llu:%llu:%lld\n", t->place,
                    (unsigned long long)(c->roi.to_ns - c->roi.from_ns), (unsigned long long)type,
                    (long long)divide_last(c, t, r, &p, *value));
    } else if (crosses) {
        *value = divide_first(c, t, r, &p, *value);
    }
    if (time > r->last) {
        bool runs_on = t->burst.end > time && t->burst.begin < c->roi.to_ns;
        r->last = time;
        r->ended = t->bursts - runs_on;
        note_fresh(t, r);
    }
    return inside;
}

// Events

static bool take_pair(pj_str *rest, uint64_t *type, int64_t *value)
{
    return pj_parse_u64(pj_str_cut(rest, ':'), type) && pj_parse_i64(pj_str_cut(rest, ':'), value);
}

static void cut_events(cutting *c, const uint64_t *field, pj_str rest)
{
    thread *t = thread_of(c, field);
    uint64_t time = field[4], type;
    int64_t value;
    bool inside = time >= c->roi.from_ns && time <= c->roi.to_ns;
    if (inside)
        write_due(c, t, time);
    size_t start = c->line.len, pairs = 0;
    pj_buf_addf(&c->line, "2:%s:%llu", t->place, (unsigned long long)(time - c->roi.from_ns));
    while (rest.len && take_pair(&rest, &type, &value)) {
        if (type == TRACING || type == REQUEST || type == COMPLETE ||
            (is_counter(type) && !cut_counter(c, t, time, type, &value)))
            continue;
        if (is_nesting(type) && time <= c->roi.to_ns)
            note_open(t, type, (uint64_t)value);
        pj_buf_addf(&c->line, ":%llu:%lld", (unsigned long long)type, (long long)value);
        pairs++;
    }
    pj_buf_add_char(&c->line, '\n');
    if (!inside || pairs == 0)
        c->line.len = start;
    c->facts->records += inside && pairs;
}

// Messages

static void cut_message(cutting *c, const uint64_t *field)
{
    uint64_t from = c->roi.from_ns, to = c->roi.to_ns;
    const uint64_t times[] = {field[4], field[5], field[10], field[11]};
    unsigned inside = 0;
    for (unsigned i = 0; i < 4; i++)
        inside += times[i] >= from && times[i] <= to;
    if (inside < 4) {
        c->facts->messages += inside > 0;
        return;
    }
    write_due(c, thread_of(c, field), field[4]);
    c->facts->records++;
    pj_buf_add_char(&c->line, '3');
    for (unsigned i = 0; i < MESSAGE_FIELDS - 1; i++) {
        bool is_time = i == 4 || i == 5 || i == 10 || i == 11;
        pj_buf_addf(&c->line, ":%lld", (long long)(is_time ? field[i] - from : field[i]));
    }
    pj_buf_add_char(&c->line, '\n');
}

// Lines

/// The first numbers of a record behind its kind; how many there are.
static size_t take_fields(pj_str *rest, uint64_t *field, size_t most)
{
    size_t n = 0;
    int64_t value;
    while (n < most && rest->len && pj_parse_i64(pj_str_cut(rest, ':'), &value))
        field[n++] = (uint64_t)value;
    return n;
}

/// Times of a record become ns; an open end is the end of the trace.
static void scale(const cutting *c, uint64_t *field, const unsigned *times, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t time = field[times[i]];
        field[times[i]] = time > UINT64_MAX / 2 / c->unit ? c->run->end_ns : time * c->unit;
    }
}

static void cut_line(cutting *c, pj_str line)
{
    static const unsigned state[] = {4, 5}, event[] = {4}, message[] = {4, 5, 10, 11};
    uint64_t field[FIELDS_MOST];
    pj_str rest = pj_str_from(line, 2);
    char kind = line.len > 2 && line.at[1] == ':' ? line.at[0] : 0;
    if (kind == '1' && take_fields(&rest, field, STATE_FIELDS - 1) == STATE_FIELDS - 1) {
        scale(c, field, state, 2);
        cut_state(c, field);
    } else if (kind == '2' && take_fields(&rest, field, 5) == 5) {
        scale(c, field, event, 1);
        cut_events(c, field, rest);
    } else if (kind == '3' && take_fields(&rest, field, MESSAGE_FIELDS - 1) == MESSAGE_FIELDS - 1) {
        scale(c, field, message, 4);
        cut_message(c, field);
    } // what else there is was counted when the whole trace was read
}

/// "#Paraver (date):END:...": with the part's length.
static bool cut_header(cutting *c, pj_str line, pj_job *job, pj_err *err)
{
    pj_auto_run run = pj_run_new(c->run->path);
    pj_prv_header header;
    if (!pj_prv_header_parse(line, run, job, &header, err))
        return false;
    c->unit = header.unit_ns;
    size_t at = pj_str_find(line, ')');
    pj_str rest = pj_str_from(line, at + 2);
    pj_str_cut(&rest, ':');
    pj_buf_addf(&c->line, PJ_STR_FMT ":%llu_ns:" PJ_STR_FMT "\n",
                PJ_STR_ARG(pj_str_head(line, at + 1)),
                (unsigned long long)(c->roi.to_ns - c->roi.from_ns), PJ_STR_ARG(rest));
    return true;
}

static bool cut_block(cutting *c, pj_str text, uint64_t *lines, pj_job *job, pj_err *err)
{
    while (text.len) {
        pj_str line = pj_str_trim(pj_str_cut(&text, '\n'));
        bool first = (*lines)++ == 0;
        if (first && !cut_header(c, line, job, err))
            return false;
        bool told = pj_prv_is_communicator(line) || pj_str_starts(line, PJ_S("#"));
        if (!first && told)
            pj_buf_addf(&c->line, PJ_STR_FMT "\n", PJ_STR_ARG(line));
        else if (!first)
            cut_line(c, line);
    }
    bool full = c->line.len >= FLUSH_BYTES || c->finding;
    bool ok = !full || c->finding || pj_newfile_add(&c->out, pj_buf_str(&c->line), err);
    c->line.len = full ? 0 : c->line.len;
    return ok && pj_job_check(job, c->run->path, err);
}

static bool cut_records(cutting *c, pj_job *job, pj_err *err)
{
    pj_source *source = pj_source_open(c->run->path, job, err);
    pj_block block = {.text = NULL};
    pj_err local = {.code = PJ_E_NONE};
    uint64_t lines = 0;
    bool ok = source != NULL;
    while (ok && pj_source_next(source, &block, &local))
        ok = block.dropped || cut_block(c, (pj_str){block.text, block.len}, &lines, job, &local);
    if (local.code && err)
        *err = local;
    ok = ok && !local.code;
    pj_block_free(&block);
    if (source)
        pj_source_close(source);
    return ok;
}

static int by_time(const void *a, const void *b)
{
    const due *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->reading != y->reading)
        return x->reading < y->reading ? -1 : 1;
    return (x->split > y->split) - (x->split < y->split);
}

static void list_dues(thread *t)
{
    t->dues = pj_take_memory((2 * t->reading_count + 1) * sizeof *t->dues);
    for (size_t i = 0; i < 2 * t->reading_count; i++) {
        const split *s = &t->readings[i / 2].splits[i % 2];
        if (s->due)
            t->dues[t->due_count++] = (due){s->time, i / 2, i % 2};
    }
    if (t->due_count)
        qsort(t->dues, t->due_count, sizeof *t->dues, by_time);
}

/// Threads are as before their first record, but for the splits that the first pass has found.
static void start_again(cutting *c)
{
    for (size_t i = 0; i < c->count; i++) {
        thread *t = &c->threads[i];
        t->begun = false;
        t->end_count = t->pending_count = 0;
        pj_shelf_clear(&t->open);
        t->latest = (span){0};
        t->reset = t->shown_end = 0;
        t->bursts = t->before = 0;
        t->burst = t->at[0] = t->at[1] = (burst){0};
        t->now = t->fresh_count = 0;
        list_dues(t);
        for (size_t k = 0; k < t->reading_count; k++) {
            reading *r = &t->readings[k];
            *r = (reading){.type = r->type, .splits = {r->splits[0], r->splits[1]}};
        }
    }
    *c->facts = (pj_cut_facts){0};
    c->line.len = c->tail.len = 0;
    c->finding = false;
}

static bool finish(cutting *c, pj_err *err)
{
    for (size_t i = 0; i < c->count; i++) {
        write_due(c, &c->threads[i], c->roi.to_ns);
        write_closed(c, &c->threads[i]);
    }
    pj_buf_addf(&c->tail, "#popinjay:CUTTER:%llu:%llu\n", (unsigned long long)c->roi.from_ns,
                (unsigned long long)c->roi.to_ns);
    return pj_newfile_add(&c->out, pj_buf_str(&c->line), err) &&
           pj_newfile_add(&c->out, pj_buf_str(&c->tail), err) && pj_newfile_commit(&c->out, err);
}

// Files beside it

/// Copies labels or names; there may be none.
static bool copy_companion(const cutting *c, const char *path, const char *suffix, pj_err *err)
{
    pj_auto_buf to = {.at = NULL}, text = {.at = NULL}, hidden = {.at = NULL};
    pj_companion_path(path, suffix, &to);
    if (!pj_companion_read(c->run->path, suffix, &text, NULL))
        return true;
    if (c->names && strcmp(suffix, ".pcf") == 0)
        pj_prv_anonymous_labels(pj_buf_str(&text), c->names, &hidden);
    else if (c->names)
        pj_prv_anonymous_names(pj_buf_str(&text), c->names, &hidden);
    return pj_newfile_put(to.at, pj_buf_str(c->names ? &hidden : &text), err);
}

/// Streams that no name tells: in a part of the trace their events need not tell them either.
static bool has_untold_streams(const pj_layout *layout)
{
    for (uint32_t i = 0; i < layout->stream_count; i++)
        if (!layout->streams[i].name)
            return true;
    return false;
}

/// Names for all that the header calls threads; each rank's streams as those of a device.
static bool name_streams(const cutting *c, const char *path, pj_err *err)
{
    const pj_layout *layout = &c->run->layout;
    pj_auto_buf to = {.at = NULL}, text = {.at = NULL};
    pj_buf_addf(&text, "LEVEL THREAD SIZE %u\n", layout->locations + layout->stream_count);
    const pj_device_stream *stream = layout->streams, *end = stream + layout->stream_count;
    for (uint32_t r = 0; r < layout->ranks; r++) {
        uint32_t threads = pj_layout_threads(layout, r), number = 0;
        for (uint32_t place = 0; threads > 0 || (stream < end && stream->rank == r); place++) {
            bool is_stream = stream < end && stream->rank == r && stream->place == place;
            if (is_stream)
                pj_buf_addf(&text, "GPU-D%u.S%u\n", r, ++number);
            else
                pj_buf_addf(&text, "THREAD 1.%u.%u\n", r + 1, place + 1);
            stream += is_stream;
            threads -= !is_stream;
        }
    }
    pj_companion_path(path, ".row", &to);
    return pj_newfile_put(to.at, pj_buf_str(&text), err);
}

static bool write_names(const cutting *c, const char *path, pj_err *err)
{
    return has_untold_streams(&c->run->layout) ? name_streams(c, path, err)
                                               : copy_companion(c, path, ".row", err);
}

static void free_cutting(cutting *c)
{
    for (size_t i = 0; i < c->count; i++) {
        pj_shelf_free(&c->threads[i].open);
        free(c->threads[i].ends);
        free(c->threads[i].pending);
        free(c->threads[i].readings);
        free(c->threads[i].fresh);
        free(c->threads[i].dues);
        pj_map_free(&c->threads[i].reading_of);
    }
    free(c->threads);
    pj_map_free(&c->thread_of);
    pj_buf_free(&c->line);
    pj_buf_free(&c->tail);
    pj_newfile_drop(&c->out);
}

static bool cut_part(const pj_pseudonyms *names, const pj_run *run, const char *path, pj_job *job,
                     pj_cut_facts *facts, pj_err *err)
{
    *facts = (pj_cut_facts){0};
    cutting c = {.run = run,
                 .names = names,
                 .roi = run->roi,
                 .finding = true,
                 .facts = facts,
                 .out = {.fd = -1}};
    bool ok = pj_newfile_open(&c.out, path, err) && cut_records(&c, job, err);
    start_again(&c);
    ok = ok && cut_records(&c, job, err) && finish(&c, err) &&
         copy_companion(&c, path, ".pcf", err) && write_names(&c, path, err);
    free_cutting(&c);
    return ok;
}

bool pj_prv_cut(const pj_run *run, const char *path, pj_job *job, pj_cut_facts *facts, pj_err *err)
{
    return cut_part(NULL, run, path, job, facts, err);
}

static void *begin_part(const pj_pseudonyms *names)
{
    pj_pseudonyms *own = names ? pj_take_memory(sizeof *own) : NULL;
    if (own)
        *own = *names;
    return own;
}

static bool write_part(void *self, const pj_run *run, const char *path, pj_job *job,
                       pj_cut_facts *facts, pj_err *err)
{
    return cut_part(self, run, path, job, facts, err);
}

const pj_cutter pj_prv_cutter = {
    .suffix = ".prv", .begin = begin_part, .end = free, .write = write_part};
