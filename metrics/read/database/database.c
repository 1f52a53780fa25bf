// Databases of what devices did: Nsight Systems and rocprofiler. A file holds one process or
// several, several files are one run; which tool wrote it is told by its tables.
#include "metrics/ai/ai_mpi.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_run.h"
#include "metrics/ai/ai_shared.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/read/database/device_tables.h"
#include "metrics/read/database/rocpd_meters.h"
#include "metrics/read/database/sql_file.h"
#include "metrics/read/pass.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct databases {
    pj_pass *pass;
    pj_ai_run_opts how;
    pj_ai_rank **ranks;
    size_t count, cap;
    pj_rocpd_meters meters;
    bool together; // ranks of several files are settled together, as these share devices
} databases;

enum { HEADER = 100 };

/// An export that was interrupted has not written its header yet.
static bool is_unfinished(pj_str head)
{
    for (size_t i = 0; i < HEADER && i < head.len; i++)
        if (head.at[i])
            return false;
    return head.len >= HEADER;
}

static bool sniff(pj_str head)
{
    return pj_str_starts(head, (pj_str){"SQLite format 3\0", 16}) || is_unfinished(head);
}

static bool is_finished(const char *path, pj_err *err)
{
    char head[HEADER];
    FILE *in = fopen(path, "rb");
    size_t len = in ? fread(head, 1, sizeof head, in) : 0;
    if (in)
        fclose(in);
    return !is_unfinished((pj_str){head, len}) ||
           pj_fail(err, PJ_E_FORMAT, path, 0,
                   "begins with nothing but zeros: an export or a copy that was interrupted; do it "
                   "again");
}

/// Whether changes lie beside a database that are not in it: it is opened as if nobody ever wrote
/// into it, so that they are not seen.
static bool has_journal(const char *path)
{
    static const char *const tails[] = {"-wal", "-journal"};
    enum { HEADER_OF_WAL = 32 };
    bool any = false;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        pj_auto_buf beside = {.at = NULL};
        struct stat found;
        pj_buf_addf(&beside, "%s%s", path, tails[i]);
        any = any || (stat(beside.at, &found) == 0 && S_ISREG(found.st_mode) &&
                      found.st_size > HEADER_OF_WAL);
    }
    return any;
}

static bool read_tables(pj_device_tables *t, pj_job *job, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char **names;
    size_t count;
    if (!pj_sql_file_tables(t->file, "rocpd_kernel_dispatch", arena, &names, &count, err))
        return false;
    if (count)
        return pj_rocpd_read(t, job, err);
    if (!pj_sql_file_tables(t->file, "CUPTI_ACTIVITY_KIND_", arena, &names, &count, err))
        return false;
    if (count || pj_sql_file_has(t->file, "StringIds"))
        return pj_nsys_read(t, job, err);
    if (has_journal(t->path))
        return pj_fail(err, PJ_E_FORMAT, t->path, 0,
                       "has no tables: they may be in the journal beside it (-wal, -journal); "
                       "sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)' brings it in");
    return pj_fail(err, PJ_E_FORMAT, t->path, 0,
                   "is a database without tables of Nsight Systems (nsys export --type sqlite) or "
                   "rocprofiler (rocpd)");
}

static int64_t first_device(const pj_ai_rank *rank)
{
    int64_t least = INT64_MAX;
    for (size_t d = 0; d < rank->device_count; d++)
        least = rank->devices[d].number < least ? rank->devices[d].number : least;
    return least;
}

static bool comes_before(const pj_device_tables *t, size_t a, size_t b)
{
    int64_t x = first_device(t->ranks[a]), y = first_device(t->ranks[b]);
    return x != y ? x < y : t->processes[a] < t->processes[b];
}

/// The processes of a file in the order of their devices and numbers, whatever table they are met
/// in.
static void order_processes(pj_device_tables *t)
{
    for (size_t i = 1; i < t->count; i++)
        for (size_t k = i; k > 0 && comes_before(t, k, k - 1); k--) {
            int64_t process = t->processes[k];
            pj_ai_rank *rank = t->ranks[k];
            t->processes[k] = t->processes[k - 1];
            t->ranks[k] = t->ranks[k - 1];
            t->processes[k - 1] = process;
            t->ranks[k - 1] = rank;
        }
}

/// Processes without devices and calls are no ranks. The others are of one machine and its clock.
static void keep_ranks(databases *all, pj_device_tables *t)
{
    size_t first = all->count;
    order_processes(t);
    if (t->count)
        for (unsigned odd = 0; odd < PJ_AI_ODDITIES; odd++)
            t->ranks[0]->odd[odd] += t->texts->odd[odd];
    for (size_t i = 0; i < t->count; i++) {
        if (t->count > 1) // as none of them is the file
            t->ranks[i]->path = pj_arena_format(t->ranks[i]->arena, "%s#%04zu", t->path, i);
        pj_ai_run_prepare(all->how, t->ranks[i]);
        if (all->meters.wanted && t->ranks[i]->draws == PJ_AI_DRAWS_NOTHING)
            t->ranks[i]->draws = PJ_AI_DRAWS_DEVICES; // energy is shared by what devices do
        if (!t->ranks[i]->device_count) {
            pj_ai_rank_free(t->ranks[i]);
            continue;
        }
        pj_grow(all->ranks, &all->cap, all->count + 1);
        all->ranks[all->count++] = t->ranks[i];
        t->ranks[i]->clock = all->count - first > 1 ? all->ranks[first] : NULL;
    }
    t->count = 0;
}

/// Ranks from the `first` on.
static bool settle(databases *all, size_t first, pj_job *job, pj_err *err)
{
    bool ok = pj_ai_rank_settle_all(all->ranks + first, all->count - first, job, err);
    for (size_t r = first; ok && r < all->count; r++)
        ok = pj_ai_rank_fit(all->ranks[r], job, err);
    return ok;
}

static bool read_file(databases *all, const char *path, pj_err *err)
{
    pj_job *job = all->pass->job;
    if (!is_finished(path, err))
        return false;
    pj_device_tables t = {.path = path, .file = pj_sql_file_open(path, job, err)};
    if (!t.file)
        return false;
    t.steps = pj_ai_run_wants_steps(all->how);
    t.regions = pj_ai_run_wants_regions(all->how);
    t.mpi = pj_pass_wants_calls(all->pass);
    t.meters = &all->meters;
    t.texts = pj_ai_rank_new(path);
    bool ok = read_tables(&t, job, err) && pj_device_tables_account(&t, job, err);
    size_t first = all->count;
    keep_ranks(all, &t);
    pj_rocpd_meters_keep(&all->meters, all->count > first ? &all->ranks[first] : NULL,
                         all->count - first);
    ok = ok && (all->together || settle(all, first, job, err));
    pj_ai_rank_free(t.texts);
    pj_map_free(&t.text_of);
    pj_map_free(&t.mpi_of);
    pj_map_free(&t.doing_of);
    pj_sql_file_close(t.file);
    free(t.ranks);
    free(t.processes);
    return ok;
}

static void forget_ranks(databases *all)
{
    for (size_t i = 0; i < all->count; i++)
        pj_ai_rank_free(all->ranks[i]);
    all->count = 0;
    pj_rocpd_meters_free(&all->meters);
}

static bool read_files(databases *all, const char *path, pj_err *err)
{
    const pj_pass *pass = all->pass;
    bool ok = true;
    for (size_t i = 0; ok && i < pass->file_count; i++)
        ok = read_file(all, pass->files[i], err);
    return pass->file_count ? ok : read_file(all, path, err);
}

static void remark_on_journals(const pj_pass *pass, const char *path)
{
    size_t count = !pass->file_count && has_journal(path);
    for (size_t i = 0; i < pass->file_count; i++)
        count += has_journal(pass->files[i]);
    if (count)
        pj_run_remark(pass->run, PJ_LOSS, "journal",
                      "beside %zu database%s lies a journal (-wal, -journal): what it holds is not "
                      "read; sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)' brings it in",
                      count, count == 1 ? "" : "s");
}

/// Which devices files have in common is known once all are read: then they are read anew, and
/// what is done on a device is in memory together.
static bool read_all(databases *all, const char *path, pj_err *err)
{
    if (!read_files(all, path, err))
        return false;
    if (!pj_ai_shared_any(all->ranks, all->count))
        return true;
    forget_ranks(all);
    all->together = true;
    if (!read_files(all, path, err))
        return false;
    if (all->count)
        qsort(all->ranks, all->count, sizeof(pj_ai_rank *), pj_ai_rank_by_number);
    return settle(all, 0, all->pass->job, err);
}

static bool begin_calls(void *self, pj_err *err)
{
    return pj_pass_begin(self, err);
}

static bool hand_calls(void *self, const pj_batch *batch, pj_err *err)
{
    return pj_pass_events(self, batch, err);
}

static bool finish_calls(void *self, pj_err *err)
{
    return pj_pass_finish(self, err);
}

/// Who waits for whom in MPI is found as it is in traces.
static bool tell_calls(databases *all, pj_err *err)
{
    pj_pass *pass = all->pass;
    if (!pass->run->has_mpi || !pj_pass_wants_calls(pass))
        return true;
    pass->calls_alone = true;
    return pj_ai_mpi_tell(pass->run, all->ranks,
                          (pj_ai_mpi_listener){.begin = begin_calls,
                                               .events = hand_calls,
                                               .finish = finish_calls,
                                               .self = pass,
                                               .sent = pj_pass_wants_sent(pass)},
                          pass->job, err);
}

static bool read_databases(pj_source *source, pj_pass *pass, pj_err *err)
{
    pj_err problem = {.code = PJ_E_NONE};
    size_t files = pass->file_count ? pass->file_count : 1;
    bool one_clock = files == 1 || pass->raw_clock; // never aligned within a file
    databases all = {.pass = pass,
                     .how = {.raw_clock = one_clock,
                             .timeline = pass->timeline,
                             .steps = pass->steps,
                             .window = pass->window,
                             .parts = pass->step_parts,
                             .finds_steps = pass->find_steps,
                             .cut = pass->cut}};
    all.meters.charge.job = pass->job;
    for (size_t i = 0; i < pass->sink_count; i++)
        all.meters.wanted |= pass->sinks[i].meters;
    bool ok = pj_source_facts_of(source).skips ||
              pj_fail(&problem, PJ_E_FORMAT, pj_source_path(source), 0,
                      "is a compressed database: decompress it first");
    ok = ok && pj_job_check(pass->job, pj_source_path(source), &problem);
    ok = ok && read_all(&all, pj_source_path(source), &problem);
    ok = ok && pj_ai_run_fill(pass->run, all.ranks, all.count, all.how, pass->job, &problem) &&
         tell_calls(&all, &problem) &&
         pj_rocpd_meters_tell(&all.meters, pass, all.ranks, all.count, &problem);
    if (ok)
        remark_on_journals(pass, pj_source_path(source));
    forget_ranks(&all);
    free(all.ranks);
    if (!ok && err && !err->code)
        *err = problem;
    return ok;
}

const pj_reader pj_reader_database = {
    .name = "database",
    .title = "database of Nsight Systems or rocprofiler",
    .suffixes = ".sqlite _results.db",
    .gives = PJ_GIVES_RUN,
    .steps = true,
    .several = true,
    .sniff = sniff,
    .read = read_databases,
};
