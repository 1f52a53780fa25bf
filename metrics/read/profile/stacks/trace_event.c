// Chrome trace events (Trace Event Format, Google, 2016): what browsers, viztracer, PyTorch, JAX
// and py-spy write. A trace in its source; here the calls that its slices make, summed in a tree.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/sort.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/charged.h"
#include "metrics/read/json_look.h"
#include "metrics/read/jsonpull.h"
#include "metrics/read/profile/callstack.h"
#include "metrics/read/profile/stacks/slice_nest.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double SECONDS = 1e-6; // of a microsecond

/// A sample of Chrome's "samples", its stack as a text that names one of "stackFrames".
typedef struct event_sample {
    double ts;
    uint32_t stack;
    uint32_t order;
} event_sample;

typedef struct event_thread {
    uint32_t process, id, name; // texts; name 0 = not told
    pj_slice *slices;
    size_t slice_count, slice_cap;
    event_sample *samples;
    size_t sample_count, sample_cap;
    bool gpu, aside; // of a device; of the profiler itself
} event_thread;

/// One of "stackFrames": its caller is another one.
typedef struct stack_frame {
    uint32_t name, above; // texts; above 0 = none
} stack_frame;

/// One event as it comes.
typedef struct event {
    char phase;
    bool timed, lasting, gpu, aside;
    double ts, dur;
    uint32_t name; // frame of `names`; PJ_NO_ITEM = none
    pj_buf process, thread;
    pj_buf told; // of the arguments: the name that a metadata event gives
    pj_buf url;  // of the arguments: the file of the function
    double line;
    pj_buf stack; // of a sample
} event;

typedef struct events {
    pj_build *build;
    pj_job *job;
    pj_jsonpull *json;
    pj_callstack *names; // of slices, each once
    event at;
    event_thread *threads;
    size_t thread_count, thread_cap;
    size_t last;    // thread met last
    uint32_t *used; // threads in the order of their first slices or samples
    size_t used_count, used_cap;
    pj_map by_thread;     // texts of process and thread
    pj_map process_names; // text of the process: text
    stack_frame *frames;
    size_t frame_count, frame_cap;
    pj_map by_stack;  // text of an id: frame
    pj_charge charge; // for slices and samples
    uint32_t order;
} events;

static bool sniff(pj_str head)
{
    return pj_json_look_item(head, PJ_S("ph")) ||
           pj_json_look_key(head, PJ_S("traceEvents"), PJ_S("")) ||
           (pj_json_look_key(head, PJ_S("schemaVersion"), PJ_S("")) && // PyTorch's: groups of ranks
            pj_str_contains(head, PJ_S("\"deviceProperties\"")));      // may fill the head
}

/// A number, perhaps written as a text.
static bool take_number(events *e, pj_json_token token, double *out)
{
    if (token == PJ_JSON_NUMBER)
        *out = pj_jsonpull_number(e->json);
    return token == PJ_JSON_NUMBER ||
           (token == PJ_JSON_STRING && pj_parse_decimal(pj_jsonpull_text(e->json), out));
}

/// Any plain value as its text.
static void take_text(events *e, pj_json_token token, pj_buf *out)
{
    out->len = 0;
    if (token == PJ_JSON_STRING || token == PJ_JSON_NUMBER)
        pj_buf_add(out, pj_callstack_name(pj_jsonpull_text(e->json)));
}

static uint32_t name_of(events *e, pj_str text)
{
    bool found;
    return pj_callstack_frame(e->names, pj_callstack_name(text), &found);
}

/// Names that metadata give, and where hermes says that a function stands.
static bool take_arguments(events *e, pj_json_token token, pj_err *err)
{
    if (token != PJ_JSON_OBJECT)
        return pj_jsonpull_skip_value(e->json, token, err);
    while ((token = pj_jsonpull_next(e->json, err)) == PJ_JSON_KEY) {
        pj_str key = pj_jsonpull_text(e->json);
        bool name = pj_str_equal(key, PJ_S("name")), url = pj_str_equal(key, PJ_S("url"));
        bool line = pj_str_equal(key, PJ_S("line"));
        if (!name && !url && !line) {
            if (!pj_jsonpull_skip(e->json, err))
                return false;
            continue;
        }
        token = pj_jsonpull_next(e->json, err);
        if (name || (url && token == PJ_JSON_STRING))
            take_text(e, token, name ? &e->at.told : &e->at.url);
        else if (line)
            take_number(e, token, &e->at.line);
        if (!pj_jsonpull_skip_value(e->json, token, err))
            return false;
    }
    return token == PJ_JSON_OBJECT_END;
}

/// Kinds of PyTorch's slices that are the work of a device.
static bool is_gpu(pj_str category)
{
    return pj_str_equal(category, PJ_S("kernel")) || pj_str_starts(category, PJ_S("gpu_"));
}

/// Those that its profiler writes as if they were of a process "Spans" or "Traces".
static bool is_aside(pj_str category)
{
    return pj_str_equal(category, PJ_S("Trace")) || pj_str_equal(category, PJ_S("overhead"));
}

typedef enum member {
    ANOTHER,
    PHASE,
    TIME,
    DURATION,
    THREAD_DURATION,
    NAME,
    PROCESS,
    THREAD,
    CATEGORY,
    ARGUMENTS,
    STACK,
} member;

static member member_of(pj_str key)
{
    static const struct {
        pj_str key;
        member member;
    } keys[] = {{{"ph", 2}, PHASE},     {{"ts", 2}, TIME},        {{"dur", 3}, DURATION},
                {{"name", 4}, NAME},    {{"pid", 3}, PROCESS},    {{"tid", 3}, THREAD},
                {{"cat", 3}, CATEGORY}, {{"args", 4}, ARGUMENTS}, {{"tdur", 4}, THREAD_DURATION},
                {{"sf", 2}, STACK}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key.len == key.len && memcmp(keys[i].key.at, key.at, key.len) == 0)
            return keys[i].member;
    return ANOTHER;
}

static bool take_member(events *e, member what, pj_err *err)
{
    event *at = &e->at;
    pj_json_token token = pj_jsonpull_next(e->json, err);
    pj_str text = pj_jsonpull_text(e->json);
    bool is_text = token == PJ_JSON_STRING;
    switch (what) {
    case PHASE:
        at->phase = is_text && text.len ? text.at[0] : 0;
        break;
    case TIME:
        at->timed = take_number(e, token, &at->ts);
        break;
    case DURATION:
        at->lasting = take_number(e, token, &at->dur);
        break;
    case THREAD_DURATION:
        if (!at->lasting)
            take_number(e, token, &at->dur);
        break;
    case NAME:
        at->name = is_text ? name_of(e, text) : PJ_NO_ITEM;
        break;
    case PROCESS:
        take_text(e, token, &at->process);
        break;
    case THREAD:
        take_text(e, token, &at->thread);
        break;
    case CATEGORY:
        at->gpu = is_text && is_gpu(text);
        at->aside = is_text && is_aside(text);
        break;
    case ARGUMENTS:
        return take_arguments(e, token, err);
    case STACK:
        take_text(e, token, &at->stack);
        break;
    case ANOTHER:
        break;
    }
    return pj_jsonpull_skip_value(e->json, token, err);
}

/// The members of an event whose object is open; `*whole`: it ends.
static bool take_event(events *e, bool *whole, pj_err *err)
{
    event *at = &e->at;
    at->phase = 0;
    at->timed = at->lasting = at->gpu = at->aside = false;
    at->ts = at->dur = at->line = 0;
    at->name = PJ_NO_ITEM;
    at->process.len = at->thread.len = at->told.len = at->url.len = at->stack.len = 0;
    pj_json_token token;
    while ((token = pj_jsonpull_next(e->json, err)) == PJ_JSON_KEY) {
        member what = member_of(pj_jsonpull_text(e->json));
        bool ok = what == ANOTHER ? pj_jsonpull_skip(e->json, err) : take_member(e, what, err);
        if (!ok)
            break;
    }
    *whole = token == PJ_JSON_OBJECT_END;
    return *whole || err->code == PJ_E_NONE;
}

static pj_str text_at(const events *e, uint32_t text)
{
    return pj_build_profile(e->build)->texts[text];
}

/// The thread of the event at hand.
static event_thread *thread_of(events *e)
{
    pj_str process = pj_buf_str(&e->at.process), id = pj_buf_str(&e->at.thread);
    if (e->last < e->thread_count) {
        event_thread *last = &e->threads[e->last];
        if (pj_str_equal(text_at(e, last->id), id) &&
            pj_str_equal(text_at(e, last->process), process))
            return last;
    }
    uint32_t process_text = pj_build_text(e->build, process), number;
    uint32_t id_text = pj_build_text(e->build, id);
    uint64_t key = (uint64_t)process_text << 32 | id_text;
    if (!pj_map_get(&e->by_thread, key, &number)) {
        number = (uint32_t)e->thread_count++;
        pj_grow(e->threads, &e->thread_cap, e->thread_count);
        e->threads[number] = (event_thread){.process = process_text, .id = id_text};
        pj_map_put(&e->by_thread, key, number);
    }
    e->last = number;
    return &e->threads[number];
}

/// A thread that gets its first slice or sample.
static void use_thread(events *e, const event_thread *thread)
{
    if (thread->slice_count || thread->sample_count)
        return;
    pj_grow(e->used, &e->used_cap, e->used_count + 1);
    e->used[e->used_count++] = (uint32_t)(thread - e->threads);
}

/// The region of "name (file:12)", of PyTorch's "file.py(12): name", or of "12\0file\0name" as
/// place_name makes it; else of the name alone.
static uint32_t make_region(events *e, pj_str text)
{
    pj_str name, file, rest = text;
    uint32_t line;
    uint64_t at;
    if (pj_frame_cut_place(text, &name, &file, &line))
        return pj_build_region(e->build, name, file, line);
    pj_str number = pj_str_cut(&rest, 0);
    if (number.len < text.len && pj_parse_u64(number, &at)) {
        file = pj_str_cut(&rest, 0);
        return pj_build_region(e->build, rest, file, (uint32_t)at);
    }
    size_t bracket = pj_str_find(text, '(');
    rest = pj_str_from(text, bracket + 1);
    number = pj_str_cut(&rest, ')');
    file = pj_str_head(text, bracket);
    if (pj_str_ends(file, PJ_S(".py")) && pj_parse_u64(number, &at) && at <= UINT32_MAX &&
        pj_str_starts(rest, PJ_S(": ")) && rest.len > 2)
        return pj_build_region(e->build, pj_str_from(rest, 2), file, (uint32_t)at);
    return pj_build_region(e->build, text, PJ_S(""), 0);
}

/// The name of the slice at hand, with its file where hermes tells that in the arguments.
static uint32_t place_name(events *e)
{
    const event *at = &e->at;
    if (at->name == PJ_NO_ITEM)
        return name_of(e, PJ_S("(unnamed)"));
    if (!at->url.len)
        return at->name;
    bool lined = at->line >= 1 && at->line <= UINT32_MAX;
    pj_auto_buf key = {.at = NULL};
    pj_buf_addf(&key, "%" PRIu32, lined ? (uint32_t)at->line : 0);
    pj_buf_add_char(&key, 0);
    pj_buf_add(&key, pj_buf_str(&at->url));
    pj_buf_add_char(&key, 0);
    pj_buf_add(&key, e->names->frames[at->name].text);
    return name_of(e, pj_buf_str(&key));
}

static bool add_slice(events *e, pj_slice_kind kind, pj_err *err)
{
    const event *at = &e->at;
    bool anonymous = kind == PJ_SLICE_END && at->name == PJ_NO_ITEM;
    bool good = at->timed && isfinite(at->ts) && (kind != PJ_SLICE_WHOLE || at->dur >= 0);
    if (!good) {
        pj_build_odd(e->build, PJ_ODDITY_malformed_record, 0);
        return true;
    }
    event_thread *thread = thread_of(e);
    use_thread(e, thread);
    PJ_CHARGED(&e->charge, thread->slices, &thread->slice_cap, thread->slice_count + 1);
    thread->gpu |= at->gpu;
    thread->aside |= at->aside;
    thread->slices[thread->slice_count++] =
        (pj_slice){.ts = at->ts,
                   .dur = kind == PJ_SLICE_WHOLE ? at->dur : 0,
                   .name = anonymous ? PJ_NO_ITEM : place_name(e),
                   .order = e->order++ & PJ_SLICE_ORDER_MAX,
                   .kind = kind};
    return e->order <= PJ_SLICE_ORDER_MAX ||
           pj_jsonpull_fail(e->json, err, "more than 2^30 slices");
}

/// Names of processes and threads.
static void take_metadata(events *e)
{
    const event *at = &e->at;
    pj_str what = at->name == PJ_NO_ITEM ? PJ_S("") : e->names->frames[at->name].text;
    if (!at->told.len)
        return;
    uint32_t told = pj_build_text(e->build, pj_buf_str(&at->told));
    if (pj_str_equal(what, PJ_S("thread_name")))
        thread_of(e)->name = told;
    else if (pj_str_equal(what, PJ_S("process_name")))
        pj_map_put(&e->process_names, pj_build_text(e->build, pj_buf_str(&at->process)), told);
}

static bool add_event(events *e, pj_err *err)
{
    switch (e->at.phase) {
    case 'X':
        return add_slice(e, PJ_SLICE_WHOLE, err);
    case 'B':
        return add_slice(e, PJ_SLICE_BEGIN, err);
    case 'E':
        return add_slice(e, PJ_SLICE_END, err);
    case 'M':
        take_metadata(e);
        return true;
    default: // instants, counters, flows, objects: they take no time
        pj_build_odd(e->build, PJ_ODDITY_unknown_record, 0);
        return true;
    }
}

static bool add_sample(events *e, pj_err *err)
{
    (void)err;
    if (!e->at.timed || !isfinite(e->at.ts)) {
        pj_build_odd(e->build, PJ_ODDITY_malformed_record, 0);
        return true;
    }
    event_thread *thread = thread_of(e);
    use_thread(e, thread);
    PJ_CHARGED(&e->charge, thread->samples, &thread->sample_cap, thread->sample_count + 1);
    thread->samples[thread->sample_count++] =
        (event_sample){.ts = e->at.ts,
                       .stack = pj_build_text(e->build, pj_buf_str(&e->at.stack)),
                       .order = e->order++};
    return true;
}

/// An array of objects, each an event. A file of a program that was ended may stop anywhere.
static bool take_array(events *e, bool (*add)(events *, pj_err *), pj_err *err)
{
    for (;;) {
        bool whole = false;
        pj_json_token token = pj_jsonpull_next(e->json, err);
        if (token == PJ_JSON_ARRAY_END || token == PJ_JSON_END)
            return true;
        if (token == PJ_JSON_ERROR)
            return false;
        if (token != PJ_JSON_OBJECT) {
            pj_build_odd(e->build, PJ_ODDITY_malformed_record, 0);
            if (!pj_jsonpull_skip_value(e->json, token, err))
                return err->code == PJ_E_NONE;
            continue;
        }
        if (!take_event(e, &whole, err))
            return false;
        if (whole && !add(e, err))
            return false;
        if (!pj_build_ok(e->build))
            return true;
    }
}

/// One of "stackFrames": {"name": ..., "parent": id}.
static bool take_stack_frame(events *e, uint32_t id, pj_err *err)
{
    stack_frame frame = {0};
    pj_json_token token = pj_jsonpull_next(e->json, err);
    if (token != PJ_JSON_OBJECT)
        return pj_jsonpull_skip_value(e->json, token, err);
    while ((token = pj_jsonpull_next(e->json, err)) == PJ_JSON_KEY) {
        bool name = pj_str_equal(pj_jsonpull_text(e->json), PJ_S("name"));
        bool above = pj_str_equal(pj_jsonpull_text(e->json), PJ_S("parent"));
        token = pj_jsonpull_next(e->json, err);
        take_text(e, token, &e->at.stack);
        if (name || above)
            *(name ? &frame.name : &frame.above) =
                pj_build_text(e->build, pj_buf_str(&e->at.stack));
        if (!pj_jsonpull_skip_value(e->json, token, err))
            return false;
    }
    if (token != PJ_JSON_OBJECT_END)
        return false;
    pj_map_put(&e->by_stack, id, (uint32_t)e->frame_count++);
    pj_grow(e->frames, &e->frame_cap, e->frame_count);
    e->frames[e->frame_count - 1] = frame;
    return true;
}

static bool take_stack_frames(events *e, pj_err *err)
{
    pj_json_token token = pj_jsonpull_next(e->json, err);
    if (token != PJ_JSON_OBJECT)
        return pj_jsonpull_skip_value(e->json, token, err);
    while ((token = pj_jsonpull_next(e->json, err)) == PJ_JSON_KEY)
        if (!take_stack_frame(e, pj_build_text(e->build, pj_jsonpull_text(e->json)), err))
            return false;
    return token == PJ_JSON_OBJECT_END;
}

/// The members of the outermost object.
static bool take_object(events *e, pj_err *err)
{
    pj_json_token token;
    while ((token = pj_jsonpull_next(e->json, err)) == PJ_JSON_KEY) {
        pj_str key = pj_jsonpull_text(e->json);
        bool slices = pj_str_equal(key, PJ_S("traceEvents"));
        bool samples = pj_str_equal(key, PJ_S("samples"));
        bool ok = true;
        if (pj_str_equal(key, PJ_S("stackFrames"))) {
            ok = take_stack_frames(e, err);
        } else if (slices || samples) {
            token = pj_jsonpull_next(e->json, err);
            ok = token == PJ_JSON_ARRAY ? take_array(e, slices ? add_event : add_sample, err)
                                        : pj_jsonpull_skip_value(e->json, token, err);
        } else {
            ok = pj_jsonpull_skip(e->json, err);
        }
        if (!ok)
            return err->code == PJ_E_NONE;
    }
    return token != PJ_JSON_ERROR;
}

/// Columns and what threads have to know of each other.
typedef struct placing {
    uint32_t exclusive, calls;
    uint32_t *regions; // by name of a slice
    pj_map ranks;      // by text of the process
    int64_t *counts;   // threads of each rank
    uint32_t host;     // text of the only process; PJ_NO_ITEM = there are several
} placing;

/// Devices, and what a profiler says of itself, are of the process beside which they stand.
static uint32_t only_host(const events *e)
{
    uint32_t host = PJ_NO_ITEM;
    for (size_t i = 0; i < e->used_count; i++) {
        const event_thread *thread = &e->threads[e->used[i]];
        if (thread->gpu || thread->aside || thread->process == host)
            continue;
        if (host != PJ_NO_ITEM)
            return PJ_NO_ITEM;
        host = thread->process;
    }
    return host;
}

static uint32_t place_thread(events *e, placing *to, const event_thread *thread)
{
    uint32_t rank = (uint32_t)to->ranks.count, process_name = 0;
    uint32_t process = to->host != PJ_NO_ITEM ? to->host : thread->process;
    if (!pj_map_get(&to->ranks, process, &rank))
        pj_map_put(&to->ranks, process, rank);
    pj_auto_buf name = {.at = NULL};
    if (pj_map_get(&e->process_names, thread->process, &process_name))
        pj_buf_add(&name, text_at(e, process_name));
    pj_str own = text_at(e, thread->name ? thread->name : thread->id);
    pj_buf_puts(&name, name.len && own.len ? ", " : "");
    pj_buf_add(&name, own);
    return pj_build_location(
        e->build, (pj_profile_location){.rank = rank,
                                        .thread = to->counts[rank]++,
                                        .kind = thread->gpu ? PJ_LOCATION_GPU : PJ_LOCATION_CPU,
                                        .name = pj_build_text(e->build, pj_buf_str(&name))});
}

static int by_time(const void *a, const void *b)
{
    const event_sample *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/// The node of a stack of "stackFrames"; PJ_NO_ITEM when there is none.
static uint32_t node_of_stack(events *e, uint32_t stack)
{
    uint32_t frames[PJ_BUILD_DEPTH], count = 0, frame;
    while (count < PJ_BUILD_DEPTH && pj_map_get(&e->by_stack, stack, &frame)) {
        frames[count++] = frame;
        stack = e->frames[frame].above;
    }
    uint32_t node = PJ_NO_ITEM;
    while (count > 0) {
        pj_str name = text_at(e, e->frames[frames[--count]].name);
        node = pj_build_node(e->build, node, pj_build_region(e->build, name, PJ_S(""), 0));
    }
    return node;
}

/// A sample holds until the next one of its thread.
static void add_samples(events *e, const placing *to, event_thread *thread, uint32_t location)
{
    if (!pj_sort_records(thread->samples, thread->sample_count, sizeof *thread->samples, by_time,
                         e->job->stop))
        return;
    for (size_t i = 0; i < thread->sample_count; i++) {
        const event_sample *at = &thread->samples[i];
        bool last = i + 1 == thread->sample_count;
        uint32_t node = node_of_stack(e, at->stack);
        if (node != PJ_NO_ITEM)
            pj_build_add(e->build, to->exclusive, node, location,
                         last ? 0 : (thread->samples[i + 1].ts - at->ts) * SECONDS);
    }
}

/// Regions of the names that slices of a thread have.
static void make_regions(events *e, placing *to, const event_thread *thread)
{
    for (size_t i = 0; i < thread->slice_count; i++) {
        uint32_t name = thread->slices[i].name;
        bool opens = thread->slices[i].kind != PJ_SLICE_END;
        if (opens && to->regions[name] == PJ_NO_ITEM)
            to->regions[name] = make_region(e, e->names->frames[name].text);
    }
}

/// The slices and samples of all threads; where a thread has both, its samples tell more.
static void add_threads(events *e, placing *to)
{
    for (size_t i = 0; i < e->used_count && pj_build_ok(e->build) && !pj_job_stopped(e->job); i++) {
        event_thread *thread = &e->threads[e->used[i]];
        uint32_t location = place_thread(e, to, thread);
        pj_nest_out out = {.build = e->build,
                           .regions = to->regions,
                           .location = location,
                           .exclusive = to->exclusive,
                           .calls = to->calls};
        if (thread->sample_count) {
            add_samples(e, to, thread, location);
        } else {
            make_regions(e, to, thread);
            pj_slice_nest(thread->slices, thread->slice_count, &out, e->job);
        }
    }
}

static void build_tree(events *e)
{
    pj_measure time = {.key = "time", .title = "Time", .unit = "s", .kind = PJ_MEASURE_TIME};
    uint32_t measure = pj_build_measure(e->build, time);
    pj_auto_arena arena = pj_arena_new(&e->job->memory_used);
    placing to = {
        .exclusive = pj_build_column(e->build, PJ_AT_NODE, PJ_EXCLUSIVE, measure, false),
        .calls = pj_build_column(e->build, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM, true),
        .regions = pj_new_n(arena, uint32_t, e->names->frame_count),
        .counts = pj_new_n(arena, int64_t, e->thread_count),
        .host = only_host(e),
    };
    for (size_t i = 0; i < e->names->frame_count; i++)
        to.regions[i] = PJ_NO_ITEM;
    add_threads(e, &to);
    pj_profile *profile = pj_build_profile(e->build);
    for (uint32_t i = 0; to.ranks.count == 1 && i < profile->location_count; i++)
        profile->locations[i].rank = -1; // one process does not tell which rank it was
    profile->tick = 1e-9;
    pj_map_free(&to.ranks);
}

static bool take_document(events *e, pj_err *err)
{
    pj_json_token token = pj_jsonpull_next(e->json, err);
    bool array = token == PJ_JSON_ARRAY;
    bool ok =
        array ? take_array(e, add_event, err) : token == PJ_JSON_OBJECT && take_object(e, err);
    if (!ok)
        return false;
    bool open_array = array && pj_jsonpull_depth(e->json) == 1;
    if (pj_build_ok(e->build) && pj_jsonpull_depth(e->json) == 0 &&
        pj_jsonpull_next(e->json, err) == PJ_JSON_ERROR)
        return false;
    if (!pj_jsonpull_is_whole(e->json) && !open_array)
        pj_build_odd(e->build, PJ_ODDITY_ends_early, 0);
    return true;
}

static void free_events(events *e)
{
    for (size_t i = 0; i < e->thread_count; i++) {
        free(e->threads[i].slices);
        free(e->threads[i].samples);
    }
    free(e->threads);
    free(e->used);
    free(e->frames);
    pj_buf *buffers[] = {&e->at.process, &e->at.thread, &e->at.told, &e->at.url, &e->at.stack};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        pj_buf_free(buffers[i]);
    pj_map_free(&e->by_thread);
    pj_map_free(&e->process_names);
    pj_map_free(&e->by_stack);
    pj_charge_end(&e->charge);
}

static bool read_trace_event(pj_source *source, pj_build *build, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    pj_job *job = pj_source_job(source);
    pj_auto_jsonpull json = pj_jsonpull_new(source);
    pj_auto_callstack names = pj_callstack_new(build, job);
    events e = {.build = build, .job = job, .json = json, .charge = {.job = job}, .names = names};
    pj_build_profile(build)->shape = PJ_SHAPE_TREE;
    pj_jsonpull_allow_nan(json);
    bool ok = take_document(&e, &local);
    if (ok)
        build_tree(&e);
    if (ok && pj_job_stopped(job))
        ok = pj_fail(&local, PJ_E_STOPPED, NULL, 0, "interrupted");
    pj_build_zero_above(build);
    free_events(&e);
    if (!ok && err && err->code == PJ_E_NONE)
        *err = local;
    return ok;
}

const pj_reader pj_reader_trace_event = {
    .name = "trace_event",
    .title = "file of Chrome trace events",
    .suffixes = ".json .json.gz .trace.json .pt.trace.json",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_trace_event,
};
