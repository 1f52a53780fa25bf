// Traces of PyTorch's profiler (Kineto): a run is one file a rank. Its files are profiles too.
#include "metrics/ai/ai_ranges.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_repeats.h"
#include "metrics/ai/ai_run.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/base/str.h"
#include "metrics/read/kineto/kineto_file.h"
#include "metrics/read/kineto/kineto_split.h"
#include "metrics/read/pass.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"

#include <stdlib.h>

/// What came of a file: one rank, but of files that were made of several.
typedef struct file {
    pj_ai_rank **ranks;
    size_t count;
} file;

typedef struct ranks {
    const pj_pass *pass;
    pj_ai_run_opts how;
    pj_source *first; // of the first file
    file *files;
    size_t count, next;
} ranks;

static bool holds_one(pj_str text, const pj_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pj_str_contains(text, words[i]))
            return true;
    return false;
}

/// By metadata, or by what only PyTorch calls events of the host: those of devices may come late.
/// Lists of groups alone may be longer than what is looked at.
static bool sniff(pj_str head)
{
    static const pj_str metadata[] = {{"\"deviceProperties\"", 18},
                                      {"\"computeProperties\"", 19}, // until 2021
                                      {"\"distributedInfo\"", 17},
                                      {"\"baseTimeNanoseconds\"", 21}};
    static const pj_str host[] = {{"\"External id\"", 13},
                                  {"\"cpu_op\"", 8},
                                  {"\"python_function\"", 17},
                                  {"\"user_annotation\"", 17}};
    static const pj_str work[] = {
        {"\"kernel\"", 8}, {"\"gpu_memcpy\"", 12}, {"\"gpu_memset\"", 12}};
    pj_str text = pj_str_trim(pj_str_head(head, 4096));
    if (!text.len || (text.at[0] != '{' && text.at[0] != '['))
        return false;
    head = pj_str_head(head, 64 << 10);
    bool known = holds_one(head, metadata, sizeof metadata / sizeof *metadata);
    if (known && pj_str_contains(head, PJ_S("\"schemaVersion\"")))
        return true;
    if (!pj_str_contains(head, PJ_S("\"traceEvents\"")) && !pj_str_contains(head, PJ_S("\"ph\"")))
        return false;
    return known || holds_one(head, host, sizeof host / sizeof *host) ||
           (pj_str_contains(head, PJ_S("\"correlation\"")) &&
            holds_one(head, work, sizeof work / sizeof *work));
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

static void new_ranks(const ranks *r, file *f, const char *path, size_t count)
{
    f->ranks = pj_take_zeros((count + 1) * sizeof(pj_ai_rank *));
    f->count = count;
    for (size_t i = 0; i < count; i++) {
        f->ranks[i] = pj_ai_rank_new(path);
        if (count > 1) // as none of them is the file
            f->ranks[i]->path = pj_arena_format(f->ranks[i]->arena, "%s#%04zu", path, i);
        pj_ai_run_prepare(r->how, f->ranks[i]);
        if (pj_ai_run_wants_steps(r->how))
            f->ranks[i]->repeats = pj_ai_repeats_new();
        if (f->ranks[i]->wants_regions)
            pj_ai_ranges_expect(f->ranks[i], true, SIZE_MAX);
    }
}

static void free_ranks(file *f)
{
    for (size_t i = 0; i < f->count; i++)
        pj_ai_rank_free(f->ranks[i]);
    free(f->ranks);
    *f = (file){.ranks = NULL};
}

/// A file of several ranks once more, each by itself.
static bool read_parts(const ranks *r, file *f, const char *path, const pj_kineto_split *split,
                       pj_err *err)
{
    pj_source *source = pj_source_open(path, r->pass->job, err);
    if (!source)
        return false;
    uint64_t bytes = f->ranks[0]->file_bytes;
    free_ranks(f);
    new_ranks(r, f, path, split->count);
    for (size_t i = 0; i < split->count; i++) {
        f->ranks[i]->rank = split->numbers[i];
        f->ranks[i]->odd[PJ_AI_ODD_merged] = 1;
    }
    bool ok = pj_kineto_file_part(source, f->ranks, split, err);
    f->ranks[0]->file_bytes = bytes;
    pj_source_close(source);
    return ok;
}

static bool read_rank(void *self, void *slot, pj_err *err)
{
    ranks *r = self;
    size_t i = *(const size_t *)slot;
    const char *path = r->count > 1 ? r->pass->files[i] : pj_source_path(r->first);
    file *f = &r->files[i];
    pj_kineto_split split = {.count = 0};
    new_ranks(r, f, path, 1);
    pj_source *source = i ? pj_source_open(path, r->pass->job, err) : r->first;
    bool ok = source && pj_kineto_file_read(source, f->ranks[0], &split, err);
    bool again = source && pj_source_facts_of(source).again;
    if (i && source)
        f->ranks[0]->file_bytes = pj_source_facts_of(source).file_bytes;
    if (i)
        pj_source_close(source);
    if (ok && split.count > 1 && again)
        ok = read_parts(r, f, path, &split, err);
    pj_kineto_split_free(&split);
    return ok;
}

static bool put_rank(void *self, void *slot, pj_err *err)
{
    ranks *r = self;
    pj_run *run = r->pass->run;
    const pj_ai_rank *rank = r->files[*(const size_t *)slot].ranks[0];
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

/// Whether some device did something; where not, why.
static bool check_devices(const ranks *r, pj_ai_rank *const *all, size_t count, pj_err *err)
{
    const pj_ai_rank *cut = NULL;
    bool unranked = false;
    for (size_t i = 0; i < count; i++) {
        if (all[i]->device_count)
            return true;
        if (all[i]->cut && !cut)
            cut = all[i];
        unranked = unranked || all[i]->odd[PJ_AI_ODD_unranked];
    }
    if (unranked)
        return pj_fail(err, PJ_E_MISSING, r->pass->run->path, 0,
                       "no process of a device is called by a rank, in a file made of those of "
                       "several ranks: give the files of single ranks");
    if (cut)
        return pj_fail(err, PJ_E_FORMAT, cut->path, 0,
                       "is cut short or broken: nothing after byte %llu of its text can be read, "
                       "and no device activity stands before it; copy it again or record it anew",
                       (unsigned long long)cut->cut_at);
    return pj_fail(err, PJ_E_MISSING, r->pass->run->path, 0,
                   "no device activity in the trace: metrics need kernels; popinjay profile "
                   "shows the calls of the host");
}

/// All ranks in one list, whose run it becomes.
static bool fill_run(ranks *r, pj_err *err)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < r->count; i++)
        count += r->files[i].count;
    pj_ai_rank **all = pj_take_zeros((count + 1) * sizeof(pj_ai_rank *));
    for (size_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < r->files[i].count; k++)
            all[at++] = r->files[i].ranks[k];
        r->files[i].count = 0;
    }
    bool ok = check_devices(r, all, count, err) &&
              pj_ai_run_fill(r->pass->run, all, count, r->how, r->pass->job, err);
    for (size_t i = 0; i < count; i++)
        pj_ai_rank_free(all[i]);
    free(all);
    return ok;
}

static bool read_kineto(pj_source *source, pj_pass *pass, pj_err *err)
{
    ranks r = {.pass = pass,
               .how = {.raw_clock = pass->raw_clock,
                       .timeline = pass->timeline,
                       .steps = pass->steps,
                       .window = pass->window,
                       .parts = pass->step_parts,
                       .finds_steps = pass->find_steps,
                       .cut = pass->cut},
               .first = source,
               .count = pass->file_count ? pass->file_count : 1};
    r.files = pj_take_zeros(r.count * sizeof *r.files);
    pj_source_call(source, "PyTorch trace");
    // Sets the budget, which workers compare.
    bool ok = pj_job_check(pass->job, pj_source_path(source), err) && read_ranks(&r, err) &&
              fill_run(&r, err);
    for (size_t i = 0; i < r.count; i++)
        free_ranks(&r.files[i]);
    free(r.files);
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
