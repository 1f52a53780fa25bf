// Ranks of processes in the order in which they are met.
#include "metrics/read/database/device_tables.h"

#include "metrics/ai/ai_ranges.h"
#include "metrics/ai/ai_repeats.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"

enum { MOST_PROCESSES = 4096 };

pj_ai_rank *pj_device_tables_rank(pj_device_tables *t, int64_t process)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->processes[i] == process)
            return t->ranks[i];
    if (t->count == MOST_PROCESSES)
        return t->ranks[t->count - 1];
    pj_grow(t->ranks, &t->cap, t->count + 1);
    pj_grow(t->processes, &t->process_cap, t->count + 1);
    t->ranks[t->count] = pj_ai_rank_new(t->path);
    t->ranks[t->count]->keeps_mpi = t->mpi;
    t->ranks[t->count]->repeats = t->steps ? pj_ai_repeats_new() : NULL;
    t->processes[t->count] = process;
    return t->ranks[t->count++];
}

pj_str pj_device_tables_text(const pj_device_tables *t, int64_t number)
{
    uint32_t found;
    return pj_map_get(&t->text_of, (uint64_t)number, &found) ? pj_str_of(t->texts->names[found])
                                                             : (pj_str){"", 0};
}

bool pj_device_tables_read_texts(pj_device_tables *t, const char *table, const char *columns,
                                 pj_err *err)
{
    pj_sql_rows *rows = pj_sql_rows_new(t->file, table, columns, err);
    if (!rows)
        return false;
    while (pj_sql_rows_next(rows, err))
        pj_map_put(&t->text_of, (uint64_t)pj_sql_rows_integer(rows, 0, 0),
                   pj_ai_rank_name(t->texts, pj_sql_rows_text(rows, 1)));
    pj_sql_rows_free(rows);
    return !err->code;
}

uint32_t pj_device_tables_id(int64_t correlation)
{
    return correlation > 0 ? (uint32_t)((uint64_t)correlation % PJ_AI_NONE) : PJ_AI_NONE;
}

/// Whether the times can be reckoned with; the length of a reversed record counts as 0.
static bool mend(const pj_device_tables *t, pj_ai_rank *rank, pj_ai_record *record)
{
    const int64_t most = INT64_C(1) << 60, absurd = INT64_C(1) << 53;
    if (record->begin < -most || record->begin > most || record->end < -most)
        return false;
    if (record->end < record->begin || record->end > record->begin + absurd) {
        rank->odd[PJ_AI_ODD_negative]++;
        record->end = record->begin;
    }
    record->begin += t->base;
    record->end += t->base;
    return true;
}

bool pj_device_tables_add(pj_device_tables *t, pj_ai_rank *rank, pj_ai_record record,
                          int64_t device, int64_t stream, pj_str name)
{
    record.exchange = PJ_AI_NONE;
    rank->events++;
    if (!mend(t, rank, &record)) {
        rank->odd[PJ_AI_ODD_untimed]++;
        return false;
    }
    record.stream = pj_ai_rank_stream(rank, device, stream);
    record.name = pj_ai_rank_name(rank, name);
    if (record.work == PJ_AI_COMPUTE && pj_ai_rank_exchanges(rank, record.name)) {
        pj_ai_exchange exchange = {.seq = -1,
                                   .in_elements = -1,
                                   .out_elements = -1,
                                   .source = -1,
                                   .target = -1,
                                   .kernel = record.name};
        record.work = PJ_AI_EXCHANGE;
        record.exchange = pj_ai_rank_add_exchange(rank, exchange);
    }
    pj_ai_rank_add_record(rank, record);
    return true;
}

void pj_device_tables_expect_calls(pj_device_tables *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (!t->ranks[i]->launches)
            pj_ai_rank_expect_calls(t->ranks[i]);
}

void pj_device_tables_expect_ranges(pj_device_tables *t, size_t waiting)
{
    for (size_t i = 0; i < t->count; i++)
        if (!t->ranks[i]->ranges && (t->regions || t->ranks[i]->exchange_count))
            pj_ai_ranges_expect(t->ranks[i], t->regions, waiting);
}

bool pj_device_tables_account(pj_device_tables *t, pj_job *job, pj_err *err)
{
    bool fits = pj_ai_rank_fit(t->texts, job, err);
    for (size_t i = 0; fits && i < t->count; i++)
        fits = pj_ai_rank_fit(t->ranks[i], job, err);
    return fits;
}
