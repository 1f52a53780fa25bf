// Chrome trace events as PyTorch writes them (libkineto, output_json.cpp): one object with metadata
// and "traceEvents", or a bare array. Of the events of the host only calls of the device's runtime,
// steps and data loading are kept.
#include "metrics/read/kineto/kineto_file.h"

#include "metrics/ai/ai_calls.h"
#include "metrics/ai/ai_ranges.h"
#include "metrics/ai/ai_repeats.h"
#include "metrics/ai/ai_spans.h"
#include "metrics/ai/ai_spill.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/read/kineto/json_span.h"
#include "metrics/read/kineto/kineto_event.h"
#include "metrics/read/kineto/kineto_flows.h"
#include "metrics/read/kineto/kineto_window.h"

typedef struct reading {
    pj_kineto_window window;
    pj_ai_rank *rank; // whose the event is
    pj_ai_rank **ranks;
    size_t rank_count;
    pj_kineto_split *learns;      // NULL = it is known:
    const pj_kineto_split *split; // which process is of which rank; NULL = there is one rank
    pj_map hosts;                 // processes that call the runtime
    pj_kineto_flows flows;
    pj_job *job;
    int64_t base;     // ns that all times count from
    uint64_t counted; // memory of text and arrows that the job knows of
    pj_buf text;      // of a name without its escapes
    bool listed;      // "traceEvents" was there
} reading;

static bool account(reading *r, pj_err *err)
{
    uint64_t now = pj_kineto_flows_bytes(&r->flows) + r->window.cap;
    bool fits = true;
    r->job->memory_used += now - r->counted;
    r->counted = now;
    for (size_t i = 0; fits && i < r->rank_count; i++)
        fits = pj_ai_rank_fit(r->ranks[i], r->job, err);
    return fits && pj_job_check(r->job, pj_source_path(r->window.source), err);
}

/// More text; false at the end or with an error.
static bool more(reading *r, pj_err *err)
{
    return account(r, err) && pj_kineto_window_more(&r->window, err);
}

static bool failed(const pj_err *err)
{
    return err->code != PJ_E_NONE;
}

static pj_str text_of(reading *r, pj_str text)
{
    if (pj_str_find(text, '\\') == text.len)
        return text;
    r->text.len = 0;
    pj_buf_add(&r->text, text); // room enough
    return pj_json_unescape(text, r->text.at);
}

static uint32_t name_of(reading *r, pj_str text)
{
    return pj_ai_rank_name(r->rank, text_of(r, text));
}

static int64_t number_or(pj_str text, int64_t other)
{
    int64_t number;
    return pj_parse_i64(text, &number) ? number : other;
}

/// False where the event has no time.
static bool times_of(reading *r, const pj_kineto_event *event, int64_t *begin, int64_t *end)
{
    const int64_t absurd = INT64_C(1) << 53;
    int64_t length = 0;
    if (!pj_json_nanoseconds(event->ts, begin))
        return false;
    if (event->dur.len && !pj_json_nanoseconds(event->dur, &length))
        length = 0;
    r->rank->odd[PJ_AI_ODD_negative] += length > absurd;
    *end = *begin + (length < 0 || length > absurd ? 0 : length);
    return true;
}

static uint32_t call_id(int64_t correlation)
{
    return correlation > 0 ? (uint32_t)((uint64_t)correlation % PJ_AI_NONE) : PJ_AI_NONE;
}

static uint32_t add_exchange(reading *r, const pj_kineto_args *args, uint32_t kernel)
{
    pj_ai_exchange exchange = {
        .seq = args->seq,
        .in_elements = args->in_elements,
        .out_elements = args->out_elements,
        .source = args->source,
        .target = args->target,
        .kernel = kernel,
        .operation = pj_ai_rank_name(r->rank, args->operation),
        .type = pj_ai_rank_name(r->rank, args->type),
        .size = args->size > 0 && args->size < INT32_MAX ? (uint32_t)args->size : 0};
    pj_auto_buf group = {.at = NULL};
    pj_buf_add(&group, args->group);
    pj_buf_puts(&group, args->ranks.len ? " " : "");
    pj_buf_add(&group, args->ranks);
    exchange.group = pj_ai_rank_name(r->rank, pj_buf_str(&group));
    return pj_ai_rank_add_exchange(r->rank, exchange);
}

static bool names_one(pj_str name, const pj_str *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pj_str_contains(name, parts[i]))
            return true;
    return false;
}

/// As CUDA, HIP and XPU call copies.
static void count_bytes(reading *r, uint16_t stream, pj_str name, int64_t bytes)
{
    static const pj_str to_device[] = {{"HtoD", 4}, {"HostToDevice", 12}, {"M2D", 3}};
    static const pj_str to_host[] = {{"DtoH", 4}, {"DeviceToHost", 12}, {"D2M", 3}};
    pj_ai_device *device = &r->rank->devices[r->rank->streams[stream].of];
    if (bytes <= 0)
        return;
    if (names_one(name, to_device, sizeof to_device / sizeof *to_device))
        device->to_device += (uint64_t)bytes;
    else if (names_one(name, to_host, sizeof to_host / sizeof *to_host))
        device->to_host += (uint64_t)bytes;
}

static void add_record(reading *r, const pj_kineto_event *event)
{
    pj_ai_rank *rank = r->rank;
    pj_ai_record record = {.exchange = PJ_AI_NONE};
    if (!times_of(r, event, &record.begin, &record.end)) {
        rank->odd[PJ_AI_ODD_untimed]++;
        return;
    }
    if (record.begin == 0 && record.end == 0) {
        rank->odd[PJ_AI_ODD_zero_stamp]++;
        return;
    }
    pj_kineto_args args = pj_kineto_args_read(event->args);
    int64_t device = args.device >= 0 ? args.device : number_or(event->pid, 0);
    int64_t stream = args.stream >= 0 ? args.stream : number_or(event->tid, 0);
    record.stream = pj_ai_rank_stream(rank, device, stream);
    record.name = name_of(r, event->name);
    record.call = call_id(args.correlation);
    r->flows.unneeded = r->flows.unneeded || args.correlated;
    record.work = event->class == PJ_KINETO_COPY ? PJ_AI_COPY : PJ_AI_COMPUTE;
    if (record.work == PJ_AI_COPY)
        count_bytes(r, record.stream, event->name, args.bytes);
    else if (pj_ai_rank_exchanges(rank, record.name)) {
        record.work = PJ_AI_EXCHANGE;
        record.exchange = add_exchange(r, &args, record.name);
    }
    int64_t *last = &rank->streams[record.stream].last;
    rank->odd[PJ_AI_ODD_unsorted] += record.begin < *last;
    *last = record.begin > *last ? record.begin : *last;
    pj_ai_rank_add_record(rank, record);
}

static int64_t thread_of(const pj_kineto_event *event)
{
    return (int64_t)(pj_fingerprint_of(event->pid) * 31 + pj_fingerprint_of(event->tid));
}

static void add_call(reading *r, const pj_kineto_event *event)
{
    pj_ai_call call;
    if (!times_of(r, event, &call.begin, &call.end))
        return;
    pj_kineto_args args = pj_kineto_args_read(event->args);
    pj_map_put(&r->hosts, pj_fingerprint_of(event->pid), 0);
    call.id = call_id(args.correlation);
    call.doing = (uint16_t)pj_ai_call_doing(event->name);
    r->rank->hip = r->rank->hip || pj_ai_call_is_hip(event->name);
    r->flows.unneeded = r->flows.unneeded || args.correlated;
    if (r->flows.unneeded)
        pj_ai_rank_add_call(r->rank, call, thread_of(event));
    else
        pj_kineto_flows_call(&r->flows, r->rank, call, thread_of(event));
}

static void add_flow(reading *r, const pj_kineto_event *event)
{
    int64_t time, id;
    if (r->flows.unneeded || !pj_parse_i64(event->id, &id) ||
        !pj_json_nanoseconds(event->ts, &time))
        return;
    if (event->phase == 's')
        pj_kineto_flows_begin(&r->flows, thread_of(event), time, call_id(id));
    else if (event->phase == 'f')
        pj_kineto_flows_end(&r->flows, number_or(event->pid, 0), number_or(event->tid, 0), time,
                            call_id(id));
}

static void add_region(reading *r, int64_t thread, int64_t begin, int64_t end, pj_str name)
{
    if (r->rank->ranges)
        pj_ai_ranges_add(r->rank, thread, begin, end, name);
    pj_ai_repeats_add(r->rank, thread, begin, end, name);
}

static void add_range(reading *r, const pj_kineto_event *event)
{
    bool steps = pj_kineto_is_step(event->name), loads = pj_ai_ranges_is_loading(event->name);
    int64_t begin, end, number;
    bool region = !steps && !loads;
    bool wanted = r->rank->ranges || r->rank->repeats;
    if ((region && (event->class != PJ_KINETO_ANNOTATION || !wanted)) ||
        !times_of(r, event, &begin, &end))
        return;
    if (region)
        add_region(r, thread_of(event), begin, end, text_of(r, event->name));
    else if (loads)
        pj_ai_spans_add(&r->rank->loading, begin, end);
    else if (pj_parse_i64(pj_str_from(event->name, strlen("ProfilerStep#")), &number))
        pj_ai_rank_add_step(r->rank, (pj_ai_step){.begin = begin, .end = end, .number = number});
}

static void add_overhead(reading *r, const pj_kineto_event *event)
{
    int64_t begin, end;
    if (times_of(r, event, &begin, &end))
        r->rank->overhead += (uint64_t)(end - begin);
}

/// What a process is called.
static void take_name(reading *r, const pj_kineto_event *event)
{
    bool named = pj_str_equal(event->name, PJ_S("process_name")) ||
                 pj_str_equal(event->name, PJ_S("process_labels"));
    pj_str rest = pj_str_from(event->args, 1), key, value;
    if (!named || !r->learns || !event->args.len || event->args.at[0] != '{')
        return;
    while (pj_kineto_member(&rest, &key, &value))
        pj_kineto_split_note(r->learns, event->pid, value);
}

/// In a file of several ranks; false where the name of its process tells none.
static bool tell_rank(reading *r, const pj_kineto_event *event)
{
    size_t index = pj_kineto_split_of(r->split, event->pid);
    bool told = index < r->split->count;
    bool record = event->class == PJ_KINETO_KERNEL || event->class == PJ_KINETO_COPY;
    if (told)
        r->rank = r->ranks[index];
    else if (record && event->phase == 'X')
        r->ranks[0]->odd[PJ_AI_ODD_unranked]++;
    return told;
}

static void take_event(reading *r, const pj_kineto_event *event)
{
    if (r->split && !tell_rank(r, event))
        return;
    r->rank->events++;
    if (event->phase == 'M')
        take_name(r, event);
    if (event->class == PJ_KINETO_FLOW)
        add_flow(r, event);
    if (event->phase != 'X')
        return;
    r->rank->odd[PJ_AI_ODD_negative] += event->dur.len && *event->dur.at == '-'; // of any kind
    switch (event->class) {
    case PJ_KINETO_KERNEL:
    case PJ_KINETO_COPY:
        add_record(r, event);
        break;
    case PJ_KINETO_RUNTIME:
        add_call(r, event);
        break;
    case PJ_KINETO_ANNOTATION:
    case PJ_KINETO_OPERATOR:
        add_range(r, event);
        break;
    case PJ_KINETO_OVERHEAD:
        add_overhead(r, event);
        break;
    case PJ_KINETO_FLOW:
    case PJ_KINETO_OTHER:
        break;
    }
}

static void cut(reading *r)
{
    r->ranks[0]->cut = true;
    r->ranks[0]->cut_at = pj_kineto_window_offset(&r->window);
}

/// The character that comes next; 0 = the input has ended.
static char next_character(reading *r, pj_err *err)
{
    pj_kineto_window *w = &r->window;
    for (;;) {
        if (w->at < w->end) // before the first window there is no text
            w->at += pj_json_blank(w->at, w->end) - w->at;
        if (w->at < w->end)
            return *w->at;
        if (!more(r, err))
            return 0;
    }
}

/// What is no event is passed over up to the next one; false at the end. Where a member of
/// compressed data begins within it text is lost before that, and times behind it would tell of
/// idle devices: the file ends there.
static bool resume(reading *r, pj_err *err)
{
    uint64_t at = pj_kineto_window_offset(&r->window);
    bool goes_on = pj_kineto_window_resume(&r->window, err);
    bool lost = pj_source_seam(r->window.source, at) < pj_kineto_window_offset(&r->window);
    r->rank->odd[lost ? PJ_AI_ODD_lost_member : PJ_AI_ODD_broken]++;
    if (goes_on && !lost)
        return true;
    cut(r);
    r->ranks[0]->cut_at = lost ? at : r->ranks[0]->cut_at;
    return false;
}

/// An event, or what stands in its place; false at the end or with an error.
static bool read_event(reading *r, pj_err *err)
{
    pj_kineto_window *w = &r->window;
    pj_kineto_event event;
    pj_json_broken broken = false;
    const char *behind = pj_kineto_event_read(w->at, w->end, r->split, &event, &broken);
    if (behind) {
        take_event(r, &event);
        w->at += behind - w->at;
        return true;
    }
    if (broken)
        return resume(r, err);
    if (more(r, err))
        return true;
    if (failed(err))
        return false;
    if (w->over) {
        cut(r);
        return false;
    }
    r->rank->odd[PJ_AI_ODD_too_long]++;
    return pj_kineto_window_skip(w, err);
}

static bool read_events(reading *r, pj_err *err)
{
    pj_kineto_window *w = &r->window;
    r->listed = true;
    for (;;) {
        char c = next_character(r, err);
        if (c == '{') {
            if (!read_event(r, err))
                return false;
        } else if (c == ',') {
            w->at++;
        } else if (c == ']') {
            w->at++;
            return true;
        } else if (c) {
            if (!resume(r, err))
                return false;
        } else {
            if (!failed(err))
                cut(r);
            return false;
        }
    }
}

static void read_distribution(reading *r, pj_str value)
{
    pj_str rest = pj_str_from(value, 1), key, text;
    int64_t number;
    if (!value.len || value.at[0] != '{')
        return;
    while (pj_kineto_member(&rest, &key, &text)) {
        bool is_number = pj_parse_i64(text, &number) && number >= 0 && number < INT32_MAX;
        if (is_number && !r->split && pj_str_equal(key, PJ_S("rank")))
            r->rank->rank = number;
        else if (is_number && pj_str_equal(key, PJ_S("world_size")))
            r->rank->world = number;
    }
}

static void take_metadata(reading *r, pj_str key, pj_str value)
{
    pj_str bare = value;
    int64_t number;
    if (value.len > 1 && value.at[0] == '"')
        bare = (pj_str){value.at + 1, value.len - 2};
    if (pj_str_equal(key, PJ_S("distributedInfo")))
        read_distribution(r, value);
    else if (pj_str_equal(key, PJ_S("baseTimeNanoseconds")) && pj_parse_i64(bare, &number) &&
             number > 0 && number < INT64_C(1) << 61)
        r->base = number;
    else if (pj_str_equal(key, PJ_S("roctracer_version")))
        r->rank->hip =
            bare.len && bare.at[0] >= '0' && bare.at[0] <= '9' && !pj_str_equal(bare, PJ_S("0"));
}

/// A member of the outermost object whose text is at hand, or passed over; its value begins at
/// `at`.
static bool read_metadata(reading *r, pj_str key, pj_err *err)
{
    pj_kineto_window *w = &r->window;
    pj_json_broken broken = false;
    char kept[64];
    key = pj_str_head(key, sizeof kept);
    memcpy(kept, key.at, key.len); // the text may move
    key.at = kept;
    for (;;) {
        const char *behind = pj_json_value(w->at, w->end, &broken);
        if (behind) {
            take_metadata(r, key, (pj_str){w->at, (size_t)(behind - w->at)});
            w->at += behind - w->at;
            return true;
        }
        if (broken || !more(r, err))
            break;
    }
    if (failed(err))
        return false;
    take_metadata(r, key, (pj_str){w->at, (size_t)(w->end - w->at)}); // ranks stand before groups
    return pj_kineto_window_skip(w, err);
}

/// The text of a key and, behind its colon, the value; false at the end.
static bool read_key(reading *r, pj_buf *key, pj_err *err)
{
    pj_kineto_window *w = &r->window;
    pj_json_broken broken = false;
    const char *quote;
    while (!(quote = pj_json_quote(w->at + 1, w->end, &broken)))
        if (broken || !more(r, err))
            return false;
    key->len = 0;
    pj_buf_add(key, (pj_str){w->at + 1, (size_t)(quote - w->at - 1)});
    w->at += quote + 1 - w->at;
    if (next_character(r, err) != ':')
        return false;
    w->at++;
    return next_character(r, err) != 0;
}

static bool read_members(reading *r, pj_buf *key, pj_err *err)
{
    pj_kineto_window *w = &r->window;
    for (;;) {
        char c = next_character(r, err);
        if (c == ',')
            w->at++;
        else if (c == '}')
            return true;
        else if (c != '"' || !read_key(r, key, err))
            break;
        else if (pj_str_equal(pj_buf_str(key), PJ_S("traceEvents")) && *w->at == '[') {
            w->at++;
            if (!read_events(r, err))
                return !failed(err);
        } else if (!read_metadata(r, pj_buf_str(key), err))
            return false;
    }
    if (!failed(err))
        cut(r);
    return !failed(err);
}

static bool read_text(reading *r, pj_err *err)
{
    pj_auto_buf key = {.at = NULL};
    pj_kineto_window *w = &r->window;
    char c = next_character(r, err);
    if (c == '[') {
        w->at++;
        if (!read_events(r, err))
            return !failed(err);
        return true;
    }
    if (c != '{')
        return !failed(err) && pj_fail(err, PJ_E_FORMAT, pj_source_path(w->source), 0,
                                       "is no JSON of trace events");
    w->at++;
    return read_members(r, &key, err);
}

/// Stamps before the base are written as 0, whatever they last: where all else is an hour later
/// they cannot be true.
static void drop_clamped(pj_ai_rank *rank)
{
    const int64_t hour = INT64_C(3600000000000);
    int64_t first = INT64_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        if (rank->records[i].begin && rank->records[i].begin < first)
            first = rank->records[i].begin;
    }
    if (first == INT64_MAX || first < hour)
        return;
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        if (rank->records[i].begin)
            rank->records[kept++] = rank->records[i];
    }
    rank->odd[PJ_AI_ODD_zero_stamp] += rank->record_count - kept;
    rank->record_count = kept;
}

/// Bases may stand behind the events.
static bool settle(reading *r, pj_err *err)
{
    pj_source_facts facts = pj_source_facts_of(r->window.source);
    bool ok = true;
    pj_kineto_flows_tell(&r->flows, r->ranks, r->rank_count);
    for (size_t i = 0; i < r->rank_count; i++) {
        pj_ai_rank *rank = r->ranks[i];
        drop_clamped(rank);
        pj_ai_repeats_finish(rank);
        pj_ai_rank_shift(rank, r->base);
        rank->cut = r->ranks[0]->cut;
        rank->unchecked = facts.damage && !rank->cut;
        rank->cut_at = r->ranks[0]->cut_at;
        rank->text_bytes = i ? 0 : r->window.behind;
        ok = ok && pj_ai_rank_settle(rank, r->job, err) && pj_ai_rank_fit(rank, r->job, err);
    }
    return ok;
}

static bool read_all(reading *r, pj_err *err)
{
    pj_err problem = {.code = PJ_E_NONE};
    r->rank = r->ranks[0];
    r->job = pj_source_job(r->window.source);
    bool ok = read_text(r, &problem);
    if (ok && !r->listed)
        ok = pj_fail(&problem, PJ_E_FORMAT, r->rank->path, 0, "has no \"traceEvents\"");
    ok = ok && settle(r, &problem);
    if (!r->split && r->hosts.count > 1)
        r->rank->odd[PJ_AI_ODD_processes] = r->hosts.count;
    pj_map_free(&r->hosts);
    pj_kineto_flows_free(&r->flows);
    r->job->memory_used -= r->counted;
    pj_kineto_window_free(&r->window);
    pj_buf_free(&r->text);
    if (!ok && err && !err->code)
        *err = problem;
    return ok;
}

bool pj_kineto_file_read(pj_source *source, pj_ai_rank *rank, pj_kineto_split *split, pj_err *err)
{
    reading r = {.window = {.source = source}, .ranks = &rank, .rank_count = 1, .learns = split};
    return read_all(&r, err);
}

bool pj_kineto_file_part(pj_source *source, pj_ai_rank **ranks, const pj_kineto_split *split,
                         pj_err *err)
{
    reading r = {
        .window = {.source = source}, .ranks = ranks, .rank_count = split->count, .split = split};
    return read_all(&r, err);
}
