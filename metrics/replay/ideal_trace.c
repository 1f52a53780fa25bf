// The replayed run as a Paraver trace.
// Records of a location wait until the replay has passed them; then their times are known and they
// go to the sorter. States wait for both their ends.
#include "metrics/replay/ideal_trace.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/base/tiny.h"
#include "metrics/replay/ideal_names.h"
#include "metrics/replay/sorter.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SORT_MEMORY = PJ_SIZE(8 << 20, 4 << 10),
    SHOWN = 1 << PJ_EV_STATE | 1 << PJ_EV_COUNTER | 1 << PJ_EV_COUNTERS | 1 << PJ_EV_MPI |
            1 << PJ_EV_COLLECTIVE | 1 << PJ_EV_REQUEST | 1 << PJ_EV_COMPLETE | 1 << PJ_EV_OPENMP |
            1 << PJ_EV_TRACING,
};

typedef struct open_state {
    uint64_t begin; // ns in the replay
    uint64_t end;   // ns in the trace
    uint64_t order; // of its record
    unsigned state;
} open_state;

typedef struct track { // of a location
    pj_event *waiting; // ring
    size_t first, count, cap;
    open_state *open;
    size_t open_count, open_cap;
    uint64_t seen; // time of the last record, ns in the trace
    double clock;  // where the replay has left it
} track;

struct pj_ideal_trace {
    pj_arena *arena;
    const char *path;
    const pj_run *run;
    const pj_engine *engine;
    track *tracks;
    size_t track_bytes;
    int64_t *tags; // by message
    size_t tag_cap;
    uint64_t order; // of records
    pj_sorter *sorter;
    pj_buf line;
    uint32_t *first_rank; // by application
    bool failed;
    pj_err err; // the first failure on the way
};

pj_ideal_trace *pj_ideal_trace_new(const char *path, const pj_run *run, pj_err *err)
{
    if (!pj_str_ends(pj_str_of(path), PJ_S(PJ_IDEAL_TRACE_SUFFIX))) {
        pj_fail(err, PJ_E_USAGE, path, 0,
                "an idealised trace is written as " PJ_IDEAL_TRACE_SUFFIX
                ", with .pcf and .row beside it");
        return NULL;
    }
    pj_arena *arena = pj_arena_new(NULL);
    pj_ideal_trace *trace = pj_new(arena, pj_ideal_trace);
    trace->arena = arena;
    trace->path = pj_arena_text(arena, pj_str_of(path));
    trace->run = run;
    trace->tracks = pj_new_n(arena, track, run->layout.locations);
    trace->first_rank = pj_new_n(arena, uint32_t, run->layout.applications);
    for (uint32_t r = run->layout.ranks; r-- > 0;)
        trace->first_rank[run->layout.application_of[r]] = r;
    trace->sorter = pj_sorter_new(path, SORT_MEMORY);
    return trace;
}

void pj_ideal_trace_free(pj_ideal_trace *trace)
{
    if (!trace)
        return;
    for (uint32_t i = 0; i < trace->run->layout.locations; i++) {
        free(trace->tracks[i].waiting);
        free(trace->tracks[i].open);
    }
    free(trace->tags);
    pj_buf_free(&trace->line);
    pj_sorter_free(trace->sorter);
    pj_arena_free(trace->arena);
}

void pj_ideal_trace_engine(pj_ideal_trace *trace, const pj_engine *engine)
{
    trace->engine = engine;
}

// Lines

/// "cpu:application:rank:thread:", all from 1; the CPU is not known.
static void add_place(pj_ideal_trace *trace, uint32_t location)
{
    const pj_layout *layout = &trace->run->layout;
    uint32_t rank = layout->rank_of[location], application = layout->application_of[rank];
    pj_buf_addf(&trace->line, "0:%u:%u:%u:", application + 1,
                rank - trace->first_rank[application] + 1,
                location - layout->first_location[rank] + 1);
}

static void end_line(pj_ideal_trace *trace, uint64_t time, uint64_t order)
{
    pj_buf_add_char(&trace->line, '\n');
    if (!trace->failed)
        trace->failed =
            !pj_sorter_add(trace->sorter, time, order, pj_buf_str(&trace->line), &trace->err);
    trace->line.len = 0;
}

static void add_pair(pj_ideal_trace *trace, uint64_t type, int64_t value)
{
    pj_buf_addf(&trace->line, ":%llu:%lld", (unsigned long long)type, (long long)value);
}

static void write_state(pj_ideal_trace *trace, uint32_t location, const open_state *s, uint64_t end)
{
    if (end <= s->begin)
        return;
    pj_buf_puts(&trace->line, "1:");
    add_place(trace, location);
    pj_buf_addf(&trace->line, "%llu:%llu:%u", (unsigned long long)s->begin, (unsigned long long)end,
                s->state);
    end_line(trace, s->begin, s->order);
}

static uint64_t openmp_type(unsigned code)
{
    static const uint64_t types[] = {
        [PJ_OMP_PARALLEL] = 60000001,  [PJ_OMP_BARRIER] = 60000005,
        [PJ_OMP_FUNCTION] = 60000018,  [PJ_OMP_TASK] = 60000023,
        [PJ_OMP_TASK_MADE] = 60000024, [PJ_OMP_TASKWAIT] = 60000022,
        [PJ_OMP_TASKGROUP] = 60000025, [PJ_OMP_FUNCTION_LINE] = 60000118,
        [PJ_OMP_TASK_LINE] = 60000123,
    };
    return types[code];
}

static void add_fields(pj_ideal_trace *trace, const pj_event *event, uint64_t communicator)
{
    add_pair(trace, 50100001, (int64_t)event->b);
    add_pair(trace, 50100002, (int64_t)event->b);
    if (event->code)
        add_pair(trace, 50100003, 1);
    add_pair(trace, 50100004, (int64_t)communicator);
}

static void add_event(pj_ideal_trace *trace, const pj_event *event)
{
    switch ((pj_event_kind)event->kind) {
    case PJ_EV_MPI:
        add_pair(trace, 50000000u + event->code,
                 event->a ? pj_ideal_names_value((pj_mpi_call)event->a) : 0);
        break;
    case PJ_EV_COLLECTIVE:
        add_fields(trace, event, event->a);
        break;
    case PJ_EV_REQUEST:
        add_pair(trace, 50190001, 1);
        break;
    case PJ_EV_COMPLETE:
        add_pair(trace, 50190002, (int64_t)(event->a >> 32) + 1);
        add_fields(trace, event, (uint32_t)event->a);
        break;
    case PJ_EV_COUNTER:
        add_pair(trace, event->code == PJ_COUNTER_CYCLES ? 42000059 : 42000050, (int64_t)event->a);
        break;
    case PJ_EV_COUNTERS:
        add_pair(trace, 42000050, (int64_t)event->a);
        add_pair(trace, 42000059, (int64_t)event->b);
        break;
    case PJ_EV_OPENMP:
        add_pair(trace, openmp_type(event->code), (int64_t)event->a);
        if (event->b)
            add_pair(trace, 60190001, (int64_t)event->b);
        break;
    case PJ_EV_TRACING:
        add_pair(trace, 40000012, (int64_t)event->a);
        break;
    case PJ_EV_STATE:
    case PJ_EV_MESSAGE:
    case PJ_EV_ENTER:
    case PJ_EV_LEAVE:
    case PJ_EV_PART:
    case PJ_EV_DEVICE:
    case PJ_EV_OTHER:
    case PJ_EV_END:
    case PJ_EV_LAST:
        break;
    }
}

// Tracks

static pj_event *waiting_at(const track *t, size_t i)
{
    return &t->waiting[(t->first + i) & (t->cap - 1)];
}

static void grow(pj_ideal_trace *trace, track *t)
{
    size_t cap = t->cap ? t->cap * 2 : 64;
    t->waiting = pj_widen_ring(t->waiting, t->cap, t->first, cap, sizeof *t->waiting);
    trace->track_bytes += (cap - t->cap) * sizeof *t->waiting;
    t->cap = cap;
    t->first = 0;
}

void pj_ideal_trace_event(pj_ideal_trace *trace, const pj_event *event)
{
    track *t = &trace->tracks[event->location];
    if (event->time > t->seen)
        t->seen = event->time;
    if (!(SHOWN >> event->kind & 1) ||
        (event->kind == PJ_EV_COUNTER && event->code > PJ_COUNTER_CYCLES))
        return;
    if (t->count == t->cap)
        grow(trace, t);
    t->count++;
    *waiting_at(t, t->count - 1) = *event;
}

uint64_t pj_ideal_trace_seen(const pj_ideal_trace *trace, uint32_t location)
{
    return trace->tracks[location].seen;
}

/// A piece of a location's way: linear between two points.
typedef struct piece {
    uint64_t from, to;
    double begin, end;
} piece;

static uint64_t replayed(const piece *p, uint64_t time)
{
    if (time <= p->from)
        return (uint64_t)nearbyint(p->begin);
    if (time >= p->to)
        return (uint64_t)nearbyint(p->end);
    double part = (double)(time - p->from) / (double)(p->to - p->from);
    if (p->end - p->begin == (double)(p->to - p->from))
        return (uint64_t)nearbyint(p->begin + (double)(time - p->from));
    return (uint64_t)nearbyint(p->begin + part * (p->end - p->begin));
}

static bool enters(const pj_event *event)
{
    return event->kind == PJ_EV_MPI && event->a != PJ_MPI_NONE;
}

/// The events at the front with one time make one line, with one begin or end of a call: fields of
/// collectives belong to the only call of their line, and messages stand between two.
static void write_events(pj_ideal_trace *trace, uint32_t location, uint64_t at)
{
    track *t = &trace->tracks[location];
    uint64_t time = waiting_at(t, 0)->time;
    pj_buf_puts(&trace->line, "2:");
    add_place(trace, location);
    pj_buf_addf(&trace->line, "%llu", (unsigned long long)at);
    bool called = false, completed = false;
    for (; t->count > 0; t->first = (t->first + 1) & (t->cap - 1), t->count--) {
        const pj_event *event = waiting_at(t, 0);
        bool is_call = event->kind == PJ_EV_MPI, completes = event->kind == PJ_EV_COMPLETE;
        if (event->time != time || event->kind == PJ_EV_STATE || (is_call && called) || completed ||
            (completes && called))
            break;
        called |= is_call;
        completed |= completes;
        add_event(trace, event);
    }
    end_line(trace, at, trace->order++);
}

static void open_one(pj_ideal_trace *trace, track *t, uint64_t at)
{
    const pj_event *event = waiting_at(t, 0);
    pj_grow(t->open, &t->open_cap, t->open_count + 1);
    t->open[t->open_count++] = (open_state){at, event->a, trace->order++, event->code};
    t->first = (t->first + 1) & (t->cap - 1);
    t->count--;
}

static void close_states(pj_ideal_trace *trace, uint32_t location, const piece *p)
{
    track *t = &trace->tracks[location];
    size_t kept = 0;
    for (size_t i = 0; i < t->open_count; i++) {
        if (t->open[i].end <= p->to)
            write_state(trace, location, &t->open[i], replayed(p, t->open[i].end));
        else
            t->open[kept++] = t->open[i];
    }
    t->open_count = kept;
}

/// The replay has made its location wait here: states that last are cut in two.
static void cut_states(pj_ideal_trace *trace, uint32_t location, double clock)
{
    track *t = &trace->tracks[location];
    for (size_t i = 0; i < t->open_count; i++) {
        write_state(trace, location, &t->open[i], (uint64_t)nearbyint(t->clock));
        t->open[i].begin = (uint64_t)nearbyint(clock);
        t->open[i].order = trace->order++;
    }
}

static void write_next(pj_ideal_trace *trace, uint32_t location, uint64_t at)
{
    track *t = &trace->tracks[location];
    if (waiting_at(t, 0)->kind == PJ_EV_STATE)
        open_one(trace, t, at);
    else
        write_events(trace, location, at);
}

static void follow(pj_ideal_trace *trace, uint32_t location, const piece *p)
{
    track *t = &trace->tracks[location];
    if (p->begin > t->clock)
        cut_states(trace, location, p->begin);
    while (t->count > 0 && waiting_at(t, 0)->time < p->to)
        write_next(trace, location, replayed(p, waiting_at(t, 0)->time));
    close_states(trace, location, p);
    t->clock = p->end;
}

static bool completes_next(const track *t, uint64_t time)
{
    return t->count > 0 && waiting_at(t, 0)->time == time &&
           waiting_at(t, 0)->kind == PJ_EV_COMPLETE;
}

/// A call that takes no time in the trace ends here: what it waited for lies between its two
/// events. Calls of one time end one after another.
static void end_call(pj_ideal_trace *trace, uint32_t location, uint64_t time, const double clock[2])
{
    track *t = &trace->tracks[location];
    size_t enter = 0;
    while (enter < t->count && waiting_at(t, enter)->time <= time && !enters(waiting_at(t, enter)))
        enter++;
    if (enter == t->count || waiting_at(t, enter)->time != time)
        return;
    if (clock[0] > t->clock)
        cut_states(trace, location, clock[0]);
    for (size_t left = t->count - enter; t->count >= left || completes_next(t, time);)
        write_next(trace, location, (uint64_t)nearbyint(clock[0]));
    if (clock[1] > clock[0]) {
        t->clock = clock[0];
        cut_states(trace, location, clock[1]);
    }
    t->clock = clock[1];
    if (t->count > 0 && waiting_at(t, 0)->time == time && waiting_at(t, 0)->kind == PJ_EV_MPI)
        write_events(trace, location, (uint64_t)nearbyint(clock[1]));
}

/// Whether a call ends before the next one begins, by `time`.
static bool leaves_first(const track *t, uint64_t time)
{
    for (size_t i = 0; i < t->count && waiting_at(t, i)->time <= time; i++)
        if (waiting_at(t, i)->kind == PJ_EV_MPI)
            return !enters(waiting_at(t, i));
    return false;
}

static void moved(void *self, uint32_t location, const uint64_t times[2], const double clock[2],
                  bool running)
{
    if (times[0] == times[1] && !running)
        end_call(self, location, times[0], clock);
    if (times[0] < times[1])
        follow(self, location, &(piece){times[0], times[1], clock[0], clock[1]});
}

void pj_ideal_trace_tag(pj_ideal_trace *trace, uint32_t message, int64_t tag)
{
    pj_grow(trace->tags, &trace->tag_cap, (size_t)message + 1);
    trace->tags[message] = tag;
}

/// The message's line comes before that of the call, and after those of the calls before: where
/// they last no time, whose message it is can be told.
static uint64_t sent(void *self, uint32_t location, uint64_t time, double clock)
{
    pj_ideal_trace *trace = self;
    track *t = &trace->tracks[location];
    while (leaves_first(t, time))
        write_next(trace, location, (uint64_t)nearbyint(clock));
    return trace->order++;
}

static void delivered(void *self, uint32_t message, uint64_t order, const double clock[4])
{
    pj_ideal_trace *trace = self;
    uint32_t from, to;
    uint64_t size;
    pj_engine_ends(trace->engine, message, &from, &to, &size);
    pj_buf_puts(&trace->line, "3:");
    add_place(trace, from);
    pj_buf_addf(&trace->line, "%.0f:%.0f:", clock[0], clock[1]);
    add_place(trace, to);
    pj_buf_addf(&trace->line, "%.0f:%.0f:%llu:%lld", clock[2], clock[3], (unsigned long long)size,
                (long long)trace->tags[message]);
    end_line(trace, (uint64_t)nearbyint(clock[0]), order);
}

pj_engine_watch pj_ideal_trace_watch(pj_ideal_trace *trace)
{
    return (pj_engine_watch){.moved = moved, .sent = sent, .delivered = delivered, .self = trace};
}

// Files

static void add_nodes(const pj_ideal_trace *trace, pj_buf *out)
{
    const pj_layout *layout = &trace->run->layout;
    uint32_t nodes = 0;
    bool known = true;
    for (uint32_t i = 0; i < layout->locations; i++) {
        known = known && layout->node_of[i] > 0;
        nodes = layout->node_of[i] > nodes ? layout->node_of[i] : nodes;
    }
    if (!known || nodes > layout->locations) {
        pj_buf_puts(out, "0");
        return;
    }
    uint32_t *cpus = pj_new_n(trace->arena, uint32_t, nodes + 1);
    for (uint32_t i = 0; i < layout->locations; i++)
        cpus[layout->node_of[i]]++;
    pj_buf_addf(out, "%u(", nodes);
    for (uint32_t n = 1; n <= nodes; n++)
        pj_buf_addf(out, n > 1 ? ",%u" : "%u", cpus[n] ? cpus[n] : 1);
    pj_buf_puts(out, ")");
}

static void add_ranks(const pj_ideal_trace *trace, uint32_t application, bool nodes, pj_buf *out)
{
    const pj_layout *layout = &trace->run->layout;
    uint32_t first = trace->first_rank[application], last = first;
    while (last < layout->ranks && layout->application_of[last] == application)
        last++;
    pj_buf_addf(out, "%c%u(", application ? ',' : ':', last - first);
    for (uint32_t r = first; r < last; r++)
        pj_buf_addf(out, r > first ? ",%u:%u" : "%u:%u", pj_layout_threads(layout, r),
                    nodes ? layout->node_of[layout->first_location[r]] : 0);
    pj_buf_puts(out, ")");
}

static void add_communicators(const pj_ideal_trace *trace, pj_buf *out)
{
    for (uint32_t i = 0; i < trace->run->names.communicator_count; i++) {
        const pj_communicator *c = &trace->run->names.communicators[i];
        pj_buf_addf(out, "%c:%u:%u:%u", c->inter ? 'i' : 'c', c->application + 1, c->id, c->size);
        for (uint32_t k = 0; k < c->size; k++)
            pj_buf_addf(out, ":%u", c->ranks[k] - trace->first_rank[c->application] + 1);
        pj_buf_puts(out, "\n");
    }
}

static void add_header(const pj_ideal_trace *trace, double end, pj_buf *out)
{
    time_t now = time(NULL);
    struct tm date;
    char text[64];
    strftime(text, sizeof text, "%d/%m/%Y at %H:%M", gmtime_r(&now, &date));
    pj_buf_addf(out, "#Paraver (%s):%.0f_ns:", text, end);
    size_t start = out->len;
    add_nodes(trace, out);
    bool nodes = out->at[start] != '0';
    pj_buf_addf(out, ":%u", trace->run->layout.applications);
    for (uint32_t a = 0; a < trace->run->layout.applications; a++)
        add_ranks(trace, a, nodes, out);
    pj_buf_addf(out, ",%u\n", trace->run->names.communicator_count);
    add_communicators(trace, out);
    // By which readers know that it is no measurement, and by which rules it is replayed again.
    const pj_told *told = &trace->run->told;
    pj_buf_addf(out, "#popinjay:REPLAY:%s%s%s\n", told->forks_traced ? "forks:" : "",
                told->starts_go_on ? "starts:" : "", told->windows ? "windows:" : "");
}

typedef struct output {
    pj_newfile file;
    pj_job *job;
    uint64_t lines;
} output;

static bool write_line(void *self, pj_str line, pj_err *err)
{
    enum { LINES_PER_CHECK = 1 << 14 };
    output *out = self;
    if (out->job && ++out->lines % LINES_PER_CHECK == 0 &&
        !pj_job_check(out->job, out->file.path, err))
        return false;
    return pj_newfile_add(&out->file, line, err);
}

/// Writes the file whose name ends with `suffix` in place of .prv.
static bool write_companion(const pj_ideal_trace *trace, const char *suffix, pj_str text,
                            pj_err *err)
{
    pj_str path = pj_str_of(trace->path);
    pj_auto_buf name = {.at = NULL};
    pj_buf_addf(&name, PJ_STR_FMT "%s", PJ_STR_ARG(pj_str_head(path, path.len - 4)), suffix);
    return pj_newfile_put(name.at, text, err);
}

/// "Application: End": the last event of a location, up to which it is replayed.
static void end_location(pj_ideal_trace *trace, uint32_t location, double finish)
{
    uint64_t at = (uint64_t)nearbyint(finish);
    pj_buf_puts(&trace->line, "2:");
    add_place(trace, location);
    pj_buf_addf(&trace->line, "%llu", (unsigned long long)at);
    add_pair(trace, 40000001, 0);
    end_line(trace, at, trace->order++);
}

/// What the replay has not come to: beyond the last event, or of a thread that it leaves out.
static void finish_tracks(pj_ideal_trace *trace, const double *finish)
{
    for (uint32_t i = 0; i < trace->run->layout.locations; i++) {
        track *t = &trace->tracks[i];
        uint64_t last = t->seen > trace->run->end_ns ? t->seen : trace->run->end_ns;
        uint64_t from = t->count > 0 && t->clock > 0 ? waiting_at(t, 0)->time : 0;
        follow(trace, i, &(piece){from, last + 1, t->clock, finish[i]});
        for (size_t k = 0; k < t->open_count; k++)
            write_state(trace, i, &t->open[k], (uint64_t)nearbyint(finish[i]));
        end_location(trace, i, finish[i]);
    }
}

bool pj_ideal_trace_write(pj_ideal_trace *trace, const double *finish, pj_job *job, pj_err *err)
{
    double end = 0;
    for (uint32_t i = 0; i < trace->run->layout.locations; i++)
        end = fmax(end, finish[i]);
    finish_tracks(trace, finish);
    if (trace->failed)
        return pj_fail(err, trace->err.code, trace->err.where, 0, "%s", trace->err.text);
    pj_auto_buf header = {.at = NULL}, pcf = {.at = NULL}, row = {.at = NULL};
    output out = {.job = job};
    add_header(trace, nearbyint(end), &header);
    pj_ideal_names_pcf(trace->run, &pcf);
    pj_ideal_names_row(trace->run, &row);
    bool good = pj_newfile_open(&out.file, trace->path, err) &&
                pj_newfile_add(&out.file, pj_buf_str(&header), err) &&
                pj_sorter_each(trace->sorter, write_line, &out, err) &&
                write_companion(trace, ".pcf", pj_buf_str(&pcf), err) &&
                write_companion(trace, ".row", pj_buf_str(&row), err) &&
                pj_newfile_commit(&out.file, err);
    pj_newfile_drop(&out.file);
    return good;
}

size_t pj_ideal_trace_bytes(const pj_ideal_trace *trace)
{
    return trace->track_bytes + trace->tag_cap * sizeof *trace->tags;
}
