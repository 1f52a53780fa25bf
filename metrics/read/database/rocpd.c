// Tables of rocpd (rocprofv3 of ROCm 7, rocprof-sys): each process has its own, whose names end in
// its id; the views over all of them are not used. Launch and record have events of one stack.
#include "metrics/ai/ai_calls.h"
#include "metrics/ai/ai_ranges.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_repeats.h"
#include "metrics/ai/ai_spans.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/read/database/device_tables.h"
#include "metrics/read/database/rocpd_meters.h"
#include "metrics/read/database/sql_file.h"
#include "metrics/read/kineto/json_span.h"
#include "metrics/read/kineto/kineto_event.h"

#include <stdlib.h>

#define KERNELS "rocpd_kernel_dispatch"

enum { OFTEN = 65536 };

typedef struct rocpd {
    pj_device_tables *tables;
    pj_job *job;
    const char *suffix; // of the tables of one process
    int64_t index;      // of these tables: their numbers of processes count anew
    pj_map stack_of;    // of an event
    pj_map symbols;     // of a kernel: its name
    pj_map agents;      // of an agent that is a GPU: its index plus one
    pj_map units;       // of that index: low and high half of its uuid
    pj_map categories;  // of a number of a category: whether programs mark by it
    pj_map marks;       // of an event that a program marks: its text, 0 = that of the region
    pj_buf text;        // without its escapes
} rocpd;

/// Calls `take` for every row of the process's table.
static bool each_row(rocpd *r, const char *table, const char *columns,
                     void (*take)(rocpd *r, const pj_sql_rows *row), pj_err *err)
{
    pj_auto_buf name = {.at = NULL};
    pj_buf_addf(&name, "%s%s", table, r->suffix);
    pj_sql_rows *rows = pj_sql_rows_new(r->tables->file, name.at, columns, err);
    if (!rows)
        return false;
    for (uint64_t i = 0; pj_sql_rows_next(rows, err); i++) {
        take(r, rows);
        if (i % OFTEN == 0 && !pj_device_tables_account(r->tables, r->job, err))
            break;
    }
    pj_sql_rows_free(rows);
    return !err->code;
}

static uint64_t key_of(const pj_sql_rows *row, unsigned column)
{
    return (uint64_t)pj_sql_rows_integer(row, column, -1);
}

/// Categories of rocTX: MARKER_CORE_RANGE_API of rocprofv3, rocm_marker_api of rocprof-sys.
static bool is_mark_word(pj_str category)
{
    static const pj_str words[] = {
        {"MARKER", 6}, {"marker", 6}, {"ROCTX", 5}, {"roctx", 5}, {"rocTX", 5}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (pj_str_contains(category, words[i]))
            return true;
    return false;
}

static bool is_mark(rocpd *r, int64_t category)
{
    uint32_t known;
    if (pj_map_get(&r->categories, (uint64_t)category, &known))
        return known;
    bool mark = is_mark_word(pj_device_tables_text(r->tables, category));
    pj_map_put(&r->categories, (uint64_t)category, mark);
    return mark;
}

/// What the program calls the range: {"message": "..."}.
static pj_str message_of(pj_str data, pj_buf *out)
{
    enum { BEHIND = 64 }; // the scanner looks so far ahead
    out->len = 0;
    pj_buf_add(out, data);
    memset(pj_buf_room(out, BEHIND), 0, BEHIND);
    pj_str rest = {out->at + 1, data.len ? data.len - 1 : 0}, key, value;
    while (data.len && data.at[0] == '{' && pj_kineto_member(&rest, &key, &value))
        if (pj_str_equal(key, PJ_S("message")))
            return pj_json_unescape(value, out->at); // which lies before it
    return (pj_str){"", 0};
}

static void take_event(rocpd *r, const pj_sql_rows *row)
{
    uint32_t id = pj_device_tables_id(pj_sql_rows_integer(row, 1, -1));
    if (id != PJ_AI_NONE)
        pj_map_put(&r->stack_of, key_of(row, 0), id);
    if (!is_mark(r, pj_sql_rows_integer(row, 2, -1)))
        return;
    pj_str name = message_of(pj_sql_rows_text(row, 3), &r->text);
    if (r->tables->regions || r->tables->steps || !name.len || pj_ai_ranges_is_loading(name))
        pj_map_put(&r->marks, key_of(row, 0), pj_ai_rank_name(r->tables->texts, name));
}

static void take_symbol(rocpd *r, const pj_sql_rows *row)
{
    pj_str name = pj_sql_rows_text(row, 1);
    pj_map_put(&r->symbols, key_of(row, 0),
               pj_ai_rank_name(r->tables->texts, name.len ? name : pj_sql_rows_text(row, 2)));
}

static void take_agent(rocpd *r, const pj_sql_rows *row)
{
    int64_t index = pj_sql_rows_integer(row, 2, pj_sql_rows_integer(row, 3, 0));
    if (pj_str_equal(pj_sql_rows_text(row, 1), PJ_S("GPU")) && index >= 0 && index < INT32_MAX)
        pj_map_put(&r->agents, key_of(row, 0), (uint32_t)index + 1);
    else
        return;
    pj_str uuid = pj_sql_rows_text(row, 4);
    uint64_t unit = uuid.len && !pj_str_equal(uuid, PJ_S("0")) ? pj_fingerprint_of(uuid) | 1 : 0;
    pj_map_put(&r->units, 2 * (uint64_t)index, (uint32_t)unit);
    pj_map_put(&r->units, 2 * (uint64_t)index + 1, (uint32_t)(unit >> 32));
}

static uint32_t found_or(const pj_map *map, uint64_t key, uint32_t otherwise)
{
    uint32_t found;
    return pj_map_get(map, key, &found) ? found : otherwise;
}

static pj_ai_rank *rank_of(rocpd *r, const pj_sql_rows *row, unsigned column)
{
    pj_ai_rank *rank = pj_device_tables_rank(
        r->tables, r->index * ((int64_t)1 << 32) + (uint32_t)pj_sql_rows_integer(row, column, 0));
    rank->hip = rank->true_ends = true;
    return rank;
}

static void take_kernel(rocpd *r, const pj_sql_rows *row)
{
    pj_device_tables *t = r->tables;
    pj_ai_record record = {.begin = pj_sql_rows_integer(row, 0, INT64_MIN),
                           .end = pj_sql_rows_integer(row, 1, INT64_MIN),
                           .call = found_or(&r->stack_of, key_of(row, 6), PJ_AI_NONE),
                           .work = PJ_AI_COMPUTE};
    int64_t agent = found_or(&r->agents, key_of(row, 3), 1) - INT64_C(1);
    uint32_t name = found_or(&r->symbols, key_of(row, 4), 0);
    pj_device_tables_add(t, rank_of(r, row, 2), record, agent, pj_sql_rows_integer(row, 5, 0),
                         pj_str_of(t->texts->names[name]));
}

/// A copy belongs to the GPU: of two to the one that it goes to.
static void take_copy(rocpd *r, const pj_sql_rows *row)
{
    pj_ai_rank *rank = rank_of(r, row, 2);
    uint32_t to = found_or(&r->agents, key_of(row, 3), 0);
    uint32_t from = found_or(&r->agents, key_of(row, 4), 0);
    int64_t device = (to ? to : from) - INT64_C(1), stream = pj_sql_rows_integer(row, 5, 0);
    int64_t bytes = pj_sql_rows_integer(row, 7, 0);
    pj_ai_record record = {.begin = pj_sql_rows_integer(row, 0, INT64_MIN),
                           .end = pj_sql_rows_integer(row, 1, INT64_MIN),
                           .call = found_or(&r->stack_of, key_of(row, 6), PJ_AI_NONE),
                           .work = PJ_AI_COPY};
    if (!to && !from)
        return;
    // Copies do not run on the stream of kernels, whose late stamps must not be cut by them.
    int64_t lane = -1 - stream;
    if (!pj_device_tables_add(r->tables, rank, record, device, lane, PJ_S("copy")))
        return;
    pj_ai_device *at = &rank->devices[rank->streams[pj_ai_rank_stream(rank, device, lane)].of];
    at->to_device += to && !from && bytes > 0 ? (uint64_t)bytes : 0;
    at->to_host += from && !to && bytes > 0 ? (uint64_t)bytes : 0;
}

static void take_region(rocpd *r, const pj_sql_rows *row)
{
    pj_str name = pj_device_tables_text(r->tables, pj_sql_rows_integer(row, 3, -1));
    pj_ai_call call = {.begin = pj_sql_rows_integer(row, 0, INT64_MIN),
                       .end = pj_sql_rows_integer(row, 1, INT64_MIN),
                       .id = found_or(&r->stack_of, key_of(row, 4), PJ_AI_NONE),
                       .doing = (uint16_t)pj_ai_call_doing(name)};
    const int64_t most = INT64_C(1) << 60;
    pj_ai_rank *rank = rank_of(r, row, 2);
    rank->events++;
    if (call.begin >= -most && call.end <= most && call.end >= call.begin &&
        (pj_ai_call_is_hip(name) || call.id != PJ_AI_NONE))
        pj_ai_rank_add_call(rank, call, pj_sql_rows_integer(row, 5, 0));
}

/// Regions of programs stand among those of the runtime, in the order of their ends.
static void take_mark(rocpd *r, const pj_sql_rows *row)
{
    uint32_t text;
    int64_t begin = pj_sql_rows_integer(row, 0, -1), end = pj_sql_rows_integer(row, 1, -1);
    if (begin < 0 || end < begin || !pj_map_get(&r->marks, key_of(row, 4), &text))
        return;
    pj_ai_rank *rank = rank_of(r, row, 2);
    pj_str name = pj_str_of(r->tables->texts->names[text]);
    if (!name.len)
        name = pj_device_tables_text(r->tables, pj_sql_rows_integer(row, 3, -1));
    if (pj_ai_ranges_is_loading(name))
        pj_ai_spans_add(&rank->loading, begin, end);
    int64_t thread = pj_sql_rows_integer(row, 5, 0);
    if (rank->ranges)
        pj_ai_ranges_add(rank, thread, begin, end, name);
    pj_ai_repeats_add(rank, thread, begin, end, name);
}

static const char region_columns[] = "start! end! pid name_id event_id tid";

/// Those of regions and steps where somebody asks for them, of data loading always.
static bool read_marks(rocpd *r, pj_err *err)
{
    if (!r->marks.count && !r->tables->regions && !r->tables->steps)
        return true;
    if (r->tables->regions)
        pj_device_tables_expect_ranges(r->tables, SIZE_MAX);
    bool ok = each_row(r, "rocpd_region", region_columns, take_mark, err);
    for (size_t i = 0; i < r->tables->count; i++)
        pj_ai_repeats_finish(r->tables->ranks[i]);
    return ok;
}

/// Which devices of the machine those of the ranks that were met from `first` on are.
static void tell_units(const rocpd *r, size_t first)
{
    for (size_t i = first; i < r->tables->count; i++)
        for (size_t d = 0; d < r->tables->ranks[i]->device_count; d++) {
            pj_ai_device *device = &r->tables->ranks[i]->devices[d];
            uint64_t low = found_or(&r->units, 2 * (uint64_t)device->number, 0);
            uint64_t high = found_or(&r->units, 2 * (uint64_t)device->number + 1, 0);
            device->unit = high << 32 | low;
        }
}

static bool read_process(rocpd *r, pj_err *err)
{
    pj_auto_buf strings = {.at = NULL};
    pj_buf_addf(&strings, "rocpd_string%s", r->suffix);
    bool ok =
        pj_device_tables_read_texts(r->tables, strings.at, "id string", err) &&
        each_row(r, "rocpd_event", "id stack_id category_id extdata", take_event, err) &&
        each_row(r, "rocpd_info_kernel_symbol", "id display_name kernel_name", take_symbol, err) &&
        each_row(r, "rocpd_info_agent", "id type logical_index absolute_index uuid", take_agent,
                 err) &&
        each_row(r, KERNELS, "start! end! pid agent_id kernel_id queue_id event_id", take_kernel,
                 err) &&
        each_row(r, "rocpd_memory_copy",
                 "start! end! pid dst_agent_id src_agent_id queue_id event_id size", take_copy,
                 err);
    pj_device_tables_expect_calls(r->tables);
    return ok && each_row(r, "rocpd_region", region_columns, take_region, err) &&
           read_marks(r, err) &&
           pj_rocpd_meters_read(r->tables->meters, r->tables,
                                (pj_rocpd_process){.suffix = r->suffix,
                                                   .index = r->index,
                                                   .agents = &r->agents,
                                                   .units = &r->units},
                                err);
}

bool pj_rocpd_read(pj_device_tables *tables, pj_job *job, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char **names;
    size_t count;
    bool ok = pj_sql_file_tables(tables->file, KERNELS, arena, &names, &count, err);
    for (size_t i = 0; ok && i < count; i++) {
        rocpd r = {.tables = tables,
                   .job = job,
                   .suffix = names[i] + strlen(KERNELS),
                   .index = (int64_t)i};
        size_t first = tables->count;
        ok = read_process(&r, err);
        tell_units(&r, first);
        pj_map_free(&r.units);
        pj_map_free(&r.stack_of);
        pj_map_free(&r.symbols);
        pj_map_free(&r.agents);
        pj_map_free(&r.categories);
        pj_map_free(&r.marks);
        pj_buf_free(&r.text);
    }
    return ok;
}
