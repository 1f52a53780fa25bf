// Tables of Nsight Systems. A globalPid or globalTid is hardware << 56 | machine << 48 | process <<
// 24 | thread; correlations are unique in a process alone.
#include "metrics/ai/ai_calls.h"
#include "metrics/ai/ai_mpi.h"
#include "metrics/ai/ai_ranges.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_repeats.h"
#include "metrics/ai/ai_spans.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/read/database/device_tables.h"
#include "metrics/read/database/nsys_facts.h"
#include "metrics/read/database/sql_file.h"
#include "metrics/trace/mpi_call.h"

#define KIND "CUPTI_ACTIVITY_KIND_"

enum { OFTEN = 65536, TO_DEVICE = 1, TO_HOST = 2, IN_HOST = 9 };

/// Without the thread; files of 2020 have one process, which they do not tell.
static int64_t process_of(int64_t global)
{
    return global >> 24;
}

/// Calls `take` for every row of a table.
static bool each_row(pj_device_tables *t, pj_job *job, const char *table, const char *columns,
                     void (*take)(pj_device_tables *t, const pj_sql_rows *row), pj_err *err)
{
    pj_sql_rows *rows = pj_sql_rows_new(t->file, table, columns, err);
    if (!rows)
        return false;
    for (uint64_t i = 0; pj_sql_rows_next(rows, err); i++) {
        take(t, rows);
        if (i % OFTEN == 0 && !pj_device_tables_account(t, job, err))
            break;
    }
    pj_sql_rows_free(rows);
    return !err->code;
}

static pj_ai_rank *rank_of(pj_device_tables *t, const pj_sql_rows *row, unsigned column)
{
    int64_t global = pj_sql_rows_integer(row, column, 0);
    return pj_device_tables_rank(t, t->one_process ? 0 : process_of(global));
}

static int64_t device_of(const pj_device_tables *t, const pj_sql_rows *row)
{
    return pj_nsys_facts_device(t->facts, pj_sql_rows_integer(row, 5, 0),
                                pj_sql_rows_integer(row, 2, 0));
}

static const char kernel_columns[] =
    "start! end! deviceId streamId correlationId globalPid demangledName shortName";

static void take_kernel(pj_device_tables *t, const pj_sql_rows *row)
{
    int64_t name = pj_sql_rows_integer(row, 6, pj_sql_rows_integer(row, 7, -1));
    t->one_process = t->one_process || !pj_sql_rows_has(row, 5);
    pj_ai_record record = {.begin = pj_sql_rows_integer(row, 0, INT64_MIN),
                           .end = pj_sql_rows_integer(row, 1, INT64_MIN),
                           .call = pj_device_tables_id(pj_sql_rows_integer(row, 4, -1)),
                           .work = PJ_AI_COMPUTE};
    pj_device_tables_add(t, rank_of(t, row, 5), record, device_of(t, row),
                         pj_sql_rows_integer(row, 3, 0), pj_device_tables_text(t, name));
}

static const char graph_columns[] = "start! end! deviceId streamId correlationId globalPid";

/// A graph that was recorded as a whole; its kernels then have no rows.
static void take_graph(pj_device_tables *t, const pj_sql_rows *row)
{
    pj_ai_record record = {.begin = pj_sql_rows_integer(row, 0, INT64_MIN),
                           .end = pj_sql_rows_integer(row, 1, INT64_MIN),
                           .call = pj_device_tables_id(pj_sql_rows_integer(row, 4, -1)),
                           .work = PJ_AI_COMPUTE};
    pj_ai_rank *rank = rank_of(t, row, 5);
    rank->odd[PJ_AI_ODD_graphs]++;
    pj_device_tables_add(t, rank, record, device_of(t, row), pj_sql_rows_integer(row, 3, 0),
                         PJ_S("CUDA graph"));
}

static const char copy_columns[] =
    "start! end! deviceId streamId correlationId globalPid copyKind bytes";

static void take_copy(pj_device_tables *t, const pj_sql_rows *row)
{
    int64_t kind = pj_sql_rows_integer(row, 6, 0), bytes = pj_sql_rows_integer(row, 7, 0);
    pj_ai_rank *rank = rank_of(t, row, 5);
    pj_ai_record record = {.begin = pj_sql_rows_integer(row, 0, INT64_MIN),
                           .end = pj_sql_rows_integer(row, 1, INT64_MIN),
                           .call = pj_device_tables_id(pj_sql_rows_integer(row, 4, -1)),
                           .work = PJ_AI_COPY};
    int64_t device = device_of(t, row), stream = pj_sql_rows_integer(row, 3, 0);
    if (kind == IN_HOST)
        return;
    if (!pj_device_tables_add(t, rank, record, device, stream, PJ_S("copy")))
        return;
    pj_ai_device *at = &rank->devices[rank->streams[pj_ai_rank_stream(rank, device, stream)].of];
    at->to_device += kind == TO_DEVICE && bytes > 0 ? (uint64_t)bytes : 0;
    at->to_host += kind == TO_HOST && bytes > 0 ? (uint64_t)bytes : 0;
}

static pj_ai_doing doing(pj_device_tables *t, int64_t text)
{
    uint32_t found;
    if (pj_map_get(&t->doing_of, (uint64_t)text, &found))
        return (pj_ai_doing)found;
    found = pj_ai_call_doing(pj_device_tables_text(t, text));
    pj_map_put(&t->doing_of, (uint64_t)text, found);
    return (pj_ai_doing)found;
}

static void take_call(pj_device_tables *t, const pj_sql_rows *row)
{
    const int64_t most = INT64_C(1) << 60;
    pj_ai_rank *rank = rank_of(t, row, 2);
    pj_ai_call call = {.begin = pj_sql_rows_integer(row, 0, INT64_MIN),
                       .end = pj_sql_rows_integer(row, 1, INT64_MIN),
                       .id = pj_device_tables_id(pj_sql_rows_integer(row, 3, -1)),
                       .doing = (uint16_t)doing(t, pj_sql_rows_integer(row, 4, -1))};
    rank->events++;
    if (call.begin < -most || call.end > most || call.end < call.begin)
        return;
    call.begin += t->base;
    call.end += t->base;
    pj_ai_rank_add_call(rank, call, pj_sql_rows_integer(row, 2, 0));
}

static void take_rank(pj_device_tables *t, const pj_sql_rows *row)
{
    int64_t number = pj_sql_rows_integer(row, 1, -1);
    if (number >= 0 && number < INT32_MAX)
        rank_of(t, row, 0)->rank = number;
}

static const char mpi_columns[] = "start! end! globalTid textId commHandle requestHandle tag "
                                  "remoteRank rootRank size recvSize";

static int32_t small(const pj_sql_rows *row, unsigned column)
{
    int64_t number = pj_sql_rows_integer(row, column, -1);
    return number >= 0 && number < INT32_MAX ? (int32_t)number : -1;
}

static pj_mpi_call called(pj_device_tables *t, int64_t text, pj_str name)
{
    uint32_t found;
    if (pj_map_get(&t->mpi_of, (uint64_t)text, &found))
        return found;
    found = pj_mpi_call_by_name(name);
    pj_map_put(&t->mpi_of, (uint64_t)text, found);
    return found;
}

static pj_ai_mpi_call call_of(pj_device_tables *t, const pj_sql_rows *row, pj_str name)
{
    int64_t sent = pj_sql_rows_integer(row, 9, 0), received = pj_sql_rows_integer(row, 10, 0);
    int64_t bytes = sent > received ? sent : received;
    return (pj_ai_mpi_call){.begin = pj_sql_rows_integer(row, 0, 0) + t->base,
                            .end = pj_sql_rows_integer(row, 1, 0) + t->base,
                            .communicator = pj_sql_rows_integer(row, 4, -1),
                            .request = pj_sql_rows_integer(row, 5, -1),
                            .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                            .call = called(t, pj_sql_rows_integer(row, 3, -1), name),
                            .peer = small(row, 7),
                            .root = small(row, 8),
                            .tag = (int32_t)pj_sql_rows_integer(row, 6, 0)};
}

static void take_mpi(pj_device_tables *t, const pj_sql_rows *row, pj_ai_mpi kind)
{
    const int64_t most = INT64_C(1) << 60;
    pj_ai_rank *rank = rank_of(t, row, 2);
    int64_t begin = pj_sql_rows_integer(row, 0, INT64_MIN),
            end = pj_sql_rows_integer(row, 1, INT64_MIN);
    rank->events++;
    pj_str name = pj_device_tables_text(t, pj_sql_rows_integer(row, 3, -1));
    if (pj_str_starts(name, PJ_S("MPI_File_"))) // in whichever table
        kind = PJ_AI_MPI_FILES;
    if (end < begin || begin < -most || end > most)
        return;
    pj_ai_rank_add_mpi(rank, kind, begin + t->base, end + t->base);
    if (kind != PJ_AI_MPI_FILES)
        pj_ai_mpi_keep(rank, call_of(t, row, name));
}

static void take_message(pj_device_tables *t, const pj_sql_rows *row)
{
    take_mpi(t, row, PJ_AI_MPI_MESSAGES);
}

static void take_collective(pj_device_tables *t, const pj_sql_rows *row)
{
    take_mpi(t, row, PJ_AI_MPI_COLLECTIVES);
}

static void take_other_mpi(pj_device_tables *t, const pj_sql_rows *row)
{
    take_mpi(t, row, PJ_AI_MPI_ALL);
}

/// A call may stand several times, once for each of its requests.
static bool read_mpi(pj_device_tables *t, pj_job *job, pj_err *err)
{
    static const struct {
        const char *table;
        void (*take)(pj_device_tables *t, const pj_sql_rows *row);
    } tables[] = {{"MPI_P2P_EVENTS", take_message},
                  {"MPI_START_WAIT_EVENTS", take_message},
                  {"MPI_COLLECTIVES_EVENTS", take_collective},
                  {"MPI_OTHER_EVENTS", take_other_mpi}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof tables / sizeof *tables; i++)
        ok = each_row(t, job, tables[i].table, mpi_columns, tables[i].take, err);
    return ok;
}

static const char range_columns[] = "start! end! globalTid eventType text textId";

/// What ranges are called in ENUM_NSYS_EVENT_TYPE, and their numbers where a file lacks that table;
/// those with a t come from NVTXT.
static const struct {
    pj_str name;
    int64_t number;
} range_types[PJ_NSYS_RANGE_TYPES] = {{{"NvtxPushPopRange", 16}, 59},
                                      {{"NvtxStartEndRange", 17}, 60},
                                      {{"NvtxtPushPopRange", 17}, 70},
                                      {{"NvtxtStartEndRange", 18}, 71}};

static void take_type(pj_device_tables *t, const pj_sql_rows *row)
{
    pj_str name = pj_sql_rows_text(row, 1);
    for (size_t i = 0; i < PJ_NSYS_RANGE_TYPES; i++)
        if (pj_str_equal(name, range_types[i].name))
            t->range_types[i] = pj_sql_rows_integer(row, 0, t->range_types[i]);
}

static bool is_range(const pj_device_tables *t, const pj_sql_rows *row)
{
    bool found = !pj_sql_rows_has(row, 3);
    for (size_t i = 0; !found && i < PJ_NSYS_RANGE_TYPES; i++)
        found = pj_sql_rows_integer(row, 3, 0) == t->range_types[i];
    return found;
}

static pj_str name_of_range(const pj_device_tables *t, const pj_sql_rows *row, unsigned column)
{
    pj_str name = pj_sql_rows_text(row, column);
    return name.len ? name : pj_device_tables_text(t, pj_sql_rows_integer(row, column + 1, -1));
}

static void take_range(pj_device_tables *t, const pj_sql_rows *row)
{
    const int64_t most = INT64_C(1) << 60;
    int64_t begin = pj_sql_rows_integer(row, 0, INT64_MIN),
            end = pj_sql_rows_integer(row, 1, INT64_MIN);
    if (!is_range(t, row) || end < begin || begin < -most || end > most)
        return;
    pj_str name = name_of_range(t, row, 4);
    pj_ai_rank *rank = rank_of(t, row, 2);
    int64_t thread = pj_sql_rows_integer(row, 2, 0);
    if (t->loading && pj_ai_ranges_is_loading(name))
        pj_ai_spans_add(&rank->loading, begin + t->base, end + t->base);
    pj_ai_repeats_add(rank, thread, begin + t->base, end + t->base, name);
    if (rank->ranges)
        pj_ai_ranges_add(rank, thread, begin + t->base, end + t->base, name);
}

/// Who loads data says so by ranges from the begin on. Where there are exchanges all ranges are
/// read anyway. What is asked for does not matter: the account is the same.
static bool look_for_loading(pj_device_tables *t, pj_err *err)
{
    for (size_t i = 0; i < t->count; i++)
        t->loading = t->loading || t->ranks[i]->exchange_count;
    if (t->loading)
        return true;
    pj_sql_rows *rows = pj_sql_rows_new(t->file, "NVTX_EVENTS", "text textId", err);
    for (size_t i = 0; rows && !t->loading && i < OFTEN && pj_sql_rows_next(rows, err); i++)
        t->loading = pj_ai_ranges_is_loading(name_of_range(t, rows, 0));
    pj_sql_rows_free(rows);
    return !err->code;
}

/// Only where somebody asks for steps or regions, exchanges are to be told, or data is loaded:
/// there may be very many. They come in the order of their begins, but for a few.
static bool read_ranges(pj_device_tables *t, pj_job *job, pj_err *err)
{
    pj_device_tables_expect_ranges(t, OFTEN);
    if (!look_for_loading(t, err))
        return false;
    bool wanted = t->steps || t->regions || t->loading;
    if (!wanted)
        return true;
    for (size_t i = 0; i < PJ_NSYS_RANGE_TYPES; i++)
        t->range_types[i] = range_types[i].number;
    bool ok = each_row(t, job, "ENUM_NSYS_EVENT_TYPE", "id name", take_type, err) &&
              each_row(t, job, "NVTX_EVENTS", range_columns, take_range, err);
    for (size_t i = 0; i < t->count; i++)
        pj_ai_repeats_finish(t->ranks[i]);
    return ok;
}

static void take_start(pj_device_tables *t, const pj_sql_rows *row)
{
    int64_t start = pj_sql_rows_integer(row, 0, 0);
    t->base = start > 0 && start < INT64_C(1) << 61 ? start : 0;
}

static void take_overhead(pj_device_tables *t, const pj_sql_rows *row)
{
    int64_t begin = pj_sql_rows_integer(row, 0, -1), end = pj_sql_rows_integer(row, 1, -1);
    if (begin >= 0 && end > begin)
        rank_of(t, row, 2)->overhead += (uint64_t)(end - begin);
}

/// "Not all CUDA events might have been collected.", "No NVTX events collected ...".
static void take_diagnostic(pj_device_tables *t, const pj_sql_rows *row)
{
    static const pj_str words[] = {{"Not all ", 8}, {"lost", 4}, {"dropped", 7}, {"No CUDA", 7}};
    pj_str text = pj_sql_rows_text(row, 0);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (pj_str_contains(text, words[i]) && pj_str_contains(text, PJ_S("events"))) {
            t->texts->odd[PJ_AI_ODD_complaints]++;
            return;
        }
}

/// What the profiler says of itself.
static bool read_notes(pj_device_tables *t, pj_job *job, pj_err *err)
{
    return each_row(t, job, "PROFILER_OVERHEAD", "start! end! globalTid", take_overhead, err) &&
           each_row(t, job, KIND "OVERHEAD", "start! end! globalTid", take_overhead, err) &&
           each_row(t, job, "DIAGNOSTIC_EVENT", "text", take_diagnostic, err);
}

/// Without its texts a file has no names.
static bool check_texts(const pj_device_tables *t, pj_err *err)
{
    return pj_sql_file_has(t->file, "StringIds") || !pj_sql_file_has(t->file, KIND "KERNEL") ||
           pj_fail(
               err, PJ_E_FORMAT, t->path, 0,
               "lacks the table StringIds, without which nothing has a name: export all tables");
}

static bool read_events(pj_device_tables *t, pj_job *job, pj_err *err)
{
    if (!check_texts(t, err))
        return false;
    bool ok = each_row(t, job, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs", take_start, err) &&
              pj_device_tables_read_texts(t, "StringIds", "id value", err) &&
              each_row(t, job, KIND "KERNEL", kernel_columns, take_kernel, err) &&
              each_row(t, job, KIND "GRAPH_TRACE", graph_columns, take_graph, err) &&
              each_row(t, job, KIND "MEMCPY", copy_columns, take_copy, err) &&
              each_row(t, job, KIND "MEMSET", copy_columns, take_copy, err);
    pj_device_tables_expect_calls(t);
    return ok &&
           each_row(t, job, KIND "RUNTIME", "start! end! globalTid correlationId nameId", take_call,
                    err) &&
           read_mpi(t, job, err) && read_ranges(t, job, err) && read_notes(t, job, err) &&
           each_row(t, job, "MPI_RANKS", "globalTid rank", take_rank, err);
}

bool pj_nsys_read(pj_device_tables *t, pj_job *job, pj_err *err)
{
    t->facts = pj_nsys_facts_new(t, job, err);
    bool ok = t->facts && read_events(t, job, err);
    if (ok)
        pj_nsys_facts_tell(t->facts, t);
    pj_nsys_facts_free(t->facts);
    t->facts = NULL;
    return ok;
}
