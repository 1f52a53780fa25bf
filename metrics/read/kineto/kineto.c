// Traces of PyTorch's profiler (Kineto): a run is one file a rank. Its files are profiles too.
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_run.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/base/str.h"
#include "metrics/read/kineto/kineto_file.h"
#include "metrics/read/pass.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"

#include <stdlib.h>

typedef struct ranks {
    const pj_pass *pass;
    pj_ai_run_opts how;
    pj_source *first; // of the first file
    pj_ai_rank **items;
    size_t count, next;
} ranks;

static bool sniff(pj_str head)
{
    static const pj_str keys[] = {
        {"\"deviceProperties\"", 18}, {"\"distributedInfo\"", 17}, {"\"baseTimeNanoseconds\"", 21}};
    static const pj_str work[] = {
        {"\"kernel\"", 8}, {"\"gpu_memcpy\"", 12}, {"\"gpu_memset\"", 12}};
    pj_str text = pj_str_trim(pj_str_head(head, 4096));
    if (!text.len || (text.at[0] != '{' && text.at[0] != '['))
        return false;
    head = pj_str_head(head, 64 << 10);
    if (!pj_str_contains(head, PJ_S("\"traceEvents\"")) && !pj_str_contains(head, PJ_S("\"ph\"")))
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (pj_str_contains(head, keys[i]))
            return true;
    if (!pj_str_contains(head, PJ_S("\"correlation\"")))
        return false;
    for (size_t i = 0; i < sizeof work / sizeof *work; i++)
        if (pj_str_contains(head, work[i]))
            return true;
    return false;
}

static bool take_rank(void *self, void *slot, pj_err *err)
{
    ranks *r = self;
    (void)err;
    if (r->next == r->count)
        return false;
    *(size_t *)slot = r->next++;
    return true;
}

static bool read_rank(void *self, void *slot, pj_err *err)
{
    ranks *r = self;
    size_t i = *(const size_t *)slot;
    const char *path = r->count > 1 ? r->pass->files[i] : pj_source_path(r->first);
    pj_ai_rank *rank = r->items[i] = pj_ai_rank_new(path);
    pj_ai_run_prepare(r->how, rank);
    if (i == 0)
        return pj_kineto_file_read(r->first, rank, err);
    pj_source *source = pj_source_open(path, r->pass->job, err);
    bool ok = source && pj_kineto_file_read(source, rank, err);
    if (source)
        rank->file_bytes = pj_source_facts_of(source).file_bytes;
    pj_source_close(source);
    return ok;
}

static bool put_rank(void *self, void *slot, pj_err *err)
{
    ranks *r = self;
    pj_run *run = r->pass->run;
    const pj_ai_rank *rank = r->items[*(const size_t *)slot];
    run->file_bytes += rank->file_bytes; // those of the first are the door's to count
    run->text_bytes += rank->file_bytes ? rank->text_bytes : 0;
    return pj_job_check(r->pass->job, rank->path, err);
}

static void report(void *self)
{
    const ranks *r = self;
    pj_job_report(r->pass->job, r->pass->run->path, false);
}

static bool read_ranks(ranks *r, pj_err *err)
{
    enum { MOST_SLOTS = 256 };
    size_t numbers[MOST_SLOTS];
    void *slots[MOST_SLOTS];
    unsigned workers = pj_job_workers(r->pass->job);
    workers = workers > MOST_SLOTS / 2 ? MOST_SLOTS / 2 : workers;
    for (size_t i = 0; i < MOST_SLOTS; i++)
        slots[i] = &numbers[i];
    pj_line line = {
        .self = r, .take = take_rank, .work = read_rank, .put = put_rank, .report = report};
    return pj_pool_run(&line, workers, slots, pj_pool_slots(workers), err);
}

static bool read_kineto(pj_source *source, pj_pass *pass, pj_err *err)
{
    ranks r = {.pass = pass,
               .how = {.raw_clock = pass->raw_clock,
                       .timeline = pass->timeline,
                       .steps = pass->steps,
                       .parts = pass->step_parts},
               .first = source,
               .count = pass->file_count ? pass->file_count : 1};
    r.items = pj_take_zeros(r.count * sizeof(pj_ai_rank *));
    pj_source_call(source, "PyTorch trace");
    bool ok =
        read_ranks(&r, err) && pj_ai_run_fill(pass->run, r.items, r.count, r.how, pass->job, err);
    for (size_t i = 0; i < r.count; i++)
        pj_ai_rank_free(r.items[i]);
    free(r.items);
    return ok;
}

const pj_reader pj_reader_kineto = {
    .name = "kineto",
    .title = "PyTorch trace",
    .suffixes = "",
    .gives = PJ_GIVES_RUN,
    .both = true,
    .steps = true,
    .sniff = sniff,
    .read = read_kineto,
};
