// Summaries kept beside their traces or in a folder of their own.
// A summary stands for a trace as long as fingerprint and options are the same.
#include "metrics/analyse/summarise.h"
#include "metrics/analyse/load_how.h"
#include "metrics/analyse/load_needs.h"

#include "metrics/analyse/trace_files.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/job.h"
#include "metrics/base/newfile.h"
#include "metrics/base/pool.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/read/fingerprint_trace.h"
#include "metrics/read/summary/summary.h"
#include "metrics/replay/network.h"
#include "metrics/run/regions.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/trace/companion.h"

#include <ctype.h>
#include <time.h>
#include <unistd.h>

enum { SCENE_ROWS = 32, SCENE_COLUMNS = 128 }; // of what a summary tells over time

/// What a summary calls its trace: files as PyTorch's handler for TensorBoard names them,
/// HOST_PID.NANOSECONDS.pt.trace.json, would tell who measured where.
static pj_str name_of_source(const char *path)
{
    enum { STAMP_DIGITS = 10 };
    static const pj_str ends[] = {{".pt.trace.json", 14}, {".pt.trace.json.gz", 17}};
    pj_str name = pj_trace_files_name(path);
    size_t digits = 0, most = 0;
    for (size_t i = pj_str_find(name, '_'); i < name.len; i++) {
        digits = isdigit((unsigned char)name.at[i]) ? digits + 1 : 0;
        most = digits > most ? digits : most;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends && most >= STAMP_DIGITS; i++)
        if (pj_str_ends(name, ends[i]))
            return i ? PJ_S("*.pt.trace.json.gz") : PJ_S("*.pt.trace.json");
    return name;
}

/// Without fingerprints and sizes.
static pj_provenance begin_origin(const char *path, const pj_load_opts *opts, pj_arena *arena)
{
    return (pj_provenance){.source = pj_arena_text(arena, name_of_source(path)),
                           .format = "",
                           .options = pj_load_options(opts, arena),
                           .program = PJ_VERSION};
}

bool pj_summarise_origin(const char *path, const pj_load_opts *opts, pj_job *job, pj_arena *arena,
                         pj_provenance *out, pj_err *err)
{
    *out = begin_origin(path, opts, arena);
    return pj_fingerprint_trace(path, job, &out->fingerprint, &out->bytes, err) &&
           pj_trace_files_names(path, job, &out->names, err);
}

static bool is_same(const pj_provenance *a, const pj_provenance *b)
{
    return a->fingerprint == b->fingerprint && a->bytes == b->bytes && a->names == b->names;
}

/// As if it had been read from its trace.
static void show_as(pj_run *run, const char *path)
{
    pj_provenance *from = pj_new(run->arena, pj_provenance);
    *from = *run->provenance;
    from->alone = false;
    run->provenance = from;
    run->path = pj_arena_text(run->arena, pj_str_of(path));
    run->format = from->format;
    run->file_bytes = from->bytes;
    run->text_bytes = from->text_bytes;
}

pj_run *pj_summarise_find(const char *at, const char *path, const pj_load_opts *opts, pj_job *job,
                          pj_summary_state *state, pj_err *err)
{
    *state = PJ_SUMMARY_ABSENT;
    if (access(at, F_OK) != 0)
        return NULL;
    *state = PJ_SUMMARY_UNREADABLE;
    if (!pj_file_is_regular(at))
        return NULL;
    pj_job quick = {.stop = job->stop, .workers = 1};
    pj_load_opts plain = {.tag = opts->tag, .ignore_summary = true};
    pj_auto_run run = pj_load(at, plain, &quick, NULL);
    if (!run || !run->provenance)
        return NULL;
    pj_provenance origin;
    *state = PJ_SUMMARY_OLD;
    if (run->provenance->version < PJ_SUMMARY_VERSION)
        return NULL;
    *state = PJ_SUMMARY_OTHER_OPTIONS;
    if (strcmp(pj_load_options(opts, run->arena), run->provenance->options) != 0)
        return NULL;
    *state = PJ_SUMMARY_OTHER_BYTES;
    if (!pj_summarise_origin(path, opts, &quick, run->arena, &origin, err) ||
        !is_same(&origin, run->provenance))
        return NULL;
    *state = PJ_SUMMARY_FRESH;
    show_as(run, path);
    return pj_run_hold(run);
}

/// Whether a summary can have what the options want.
static bool may_suffice(const pj_load_opts *opts)
{
    return !opts->ignore_summary && !opts->group && !opts->listener_count && !opts->ideal_path &&
           !opts->timeline && !opts->known && pj_network_is_ideal(&opts->network);
}

pj_run *pj_summarise_beside(const char *path, const pj_load_opts *opts, pj_job *job,
                            pj_summary_state *state, pj_err *err)
{
    *state = PJ_SUMMARY_ABSENT;
    if (!may_suffice(opts))
        return NULL;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *const folders[] = {opts->summaries, NULL};
    for (size_t i = opts->summaries ? 0 : 1; i < 2; i++) {
        pj_err problem = {.code = PJ_E_NONE};
        const char *at = pj_trace_files_summary(path, folders[i], arena);
        pj_auto_run run = pj_summarise_find(at, path, opts, job, state, &problem);
        if (run && !pj_load_lack(opts, run, true))
            return pj_run_hold(run);
        if (problem.code) {
            *err = problem;
            return NULL;
        }
    }
    return NULL;
}

bool pj_summarise_keep(const pj_run *run, const pj_provenance *origin, const char *folder,
                       pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_provenance from = *origin;
    const char *at = pj_trace_files_summary(run->path, folder, arena);
    from.format = run->format;
    from.text_bytes = run->text_bytes;
    if (!pj_summary_write(run, &from, at, NULL, err))
        return false;
    pj_job quick = {.workers = 1};
    pj_auto_run kept = pj_load(at, (pj_load_opts){.ignore_summary = true}, &quick, NULL);
    if (!kept || !kept->provenance || kept->provenance->rounded)
        unlink(at);
    return true;
}

/// In a process group: the others begin to read the trace too. NULL = there is none left.
static bool call_group(pj_process_group *group, const char *path, pj_err *err)
{
    pj_process_group_tell(group, pj_str_of(path));
    return pj_process_group_exchange(group, err);
}

/// Fingerprints of a trace while the trace is read: on a thread of its own where there are several.
typedef struct printing {
    const char *path;
    pj_process_group *group; // who shares its files; NULL = this process alone
    pj_job job;              // stopped by `stop`
    atomic_bool stop, done;
    pj_arena *arena;
    pj_fingerprint_parts parts;
    uint64_t names;
    pj_err err;
    bool ok;
    pj_task *task;
} printing;

static void print_own(void *memory)
{
    printing *p = memory;
    p->ok = pj_fingerprint_list(p->path, p->arena, &p->parts, &p->err) &&
            pj_fingerprint_read(&p->parts, p->group, &p->job, &p->err) &&
            (!pj_process_group_leads(p->group) ||
             pj_trace_files_names(p->path, &p->job, &p->names, &p->err));
    p->done = true;
}

static void begin_printing(printing *p, const pj_job *job)
{
    p->job = (pj_job){.stop = &p->stop, .workers = 1, .memory_budget = job->memory_budget};
    p->task = pj_job_workers(job) > 1 ? pj_task_start(print_own, p) : NULL;
}

/// All members together; who could not read its files tells the others.
static bool gather_prints(printing *p, pj_err *err)
{
    bool ok = p->ok && pj_fingerprint_gather(&p->parts, p->group, err);
    if (!p->ok)
        pj_process_group_give_up(p->group, &p->err);
    p->group->over = false; // for all at the same exchange
    return ok;
}

/// `wanted`: the trace has been read, by all members of a process group. Else, or when `job` is
/// stopped, what is under way ends.
static bool end_printing(printing *p, const pj_job *job, bool wanted, pj_err *err)
{
    if (!p->task && wanted) {
        p->job.stop = job->stop;
        print_own(p);
    }
    while (p->task && !p->done) {
        p->stop |= !wanted || pj_job_stopped(job);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    pj_task_join(p->task);
    if (wanted && !p->ok && !err->code)
        *err = p->err;
    return wanted && (p->group ? gather_prints(p, err) : p->ok);
}

/// Reads the trace and prints it. A printing is freed by the caller.
static pj_run *read_printing(printing *p, const pj_load_opts *opts, pj_job *job, pj_err *err)
{
    begin_printing(p, job);
    pj_auto_run run = pj_load(p->path, *opts, job, err);
    return end_printing(p, job, run != NULL, err) ? pj_run_hold(run) : NULL;
}

/// Reads the trace; fails when it changes meanwhile.
static pj_run *read_steady(const char *path, const pj_load_opts *opts, pj_job *job, pj_arena *arena,
                           pj_provenance *origin, pj_err *err)
{
    uint64_t before, after;
    if (!pj_fingerprint_stamp(path, &before, err) ||
        (opts->group && !call_group(opts->group, path, err)))
        return NULL;
    printing p = {.path = path, .group = opts->group, .arena = arena};
    pj_auto_run run = read_printing(&p, opts, job, err);
    *origin = begin_origin(path, opts, arena);
    if (run) {
        origin->fingerprint = pj_fingerprint_fold(&p.parts, &origin->bytes);
        origin->names = p.names;
    }
    pj_fingerprint_free(&p.parts);
    if (!run || !pj_fingerprint_stamp(path, &after, err))
        return NULL;
    if (before == after)
        return pj_run_hold(run);
    pj_fail(err, PJ_E_IO, path, 0,
            "changed while it was read; wait until it is complete and try again");
    return NULL;
}

static const pj_timeline_opts whole_timeline = {
    .last_rank = UINT32_MAX, .rows_most = SCENE_ROWS, .columns = SCENE_COLUMNS, .counted = true};

/// For all that a summary tells, the same for any number of processes.
static pj_load_opts with_all(pj_load_opts opts)
{
    opts.ignore_summary = true;
    opts.aspects |= PJ_WANT(openmp_regions) | PJ_WANT(omp_waits);
    opts.few_waits = opts.few_functions = true;
    opts.timeline = &whole_timeline;
    return opts;
}

void pj_summarise_help(pj_load_opts opts, pj_job *job)
{
    pj_process_group *group = opts.group;
    opts = with_all(opts);
    while (pj_process_group_exchange(group, NULL)) {
        pj_str path = pj_process_group_from(group, 0);
        if (!path.len)
            return;
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_err err = {.code = PJ_E_NONE};
        printing p = {.path = pj_arena_text(arena, path), .group = group, .arena = arena};
        pj_run_release(read_printing(&p, &opts, job, &err)); // the leader has all
        pj_fingerprint_free(&p.parts);
    }
}

void pj_summarise_dismiss(pj_process_group *group)
{
    if (group)
        call_group(group, NULL, NULL);
}

static pj_run_origin *copy_of(const pj_run_origin *from, pj_arena *arena)
{
    if (!from || (!from->commit && !from->branch && !from->committed))
        return NULL;
    pj_run_origin *out = pj_new(arena, pj_run_origin);
    const char *const texts[] = {from->commit, from->branch, from->committed};
    const char **const to[] = {&out->commit, &out->branch, &out->committed};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *to[i] = texts[i] ? pj_arena_text(arena, pj_str_of(texts[i])) : NULL;
    return out;
}

bool pj_summarise(const char *path, const char *at, pj_load_opts opts, pj_job *job, pj_run **run,
                  pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_provenance origin;
    opts = with_all(opts);
    if (!pj_newfile_check(at, err))
        return false;
    pj_auto_run read = read_steady(path, &opts, job, arena, &origin, err);
    if (!read)
        return false;
    if (read->provenance)
        return pj_fail(err, PJ_E_USAGE, path, 0, "is a summary already");
    origin.format = read->format;
    origin.text_bytes = read->text_bytes;
    if (!read->origin)
        read->origin = copy_of(opts.origin, read->arena);
    if (!pj_summary_write(read, &origin, at, NULL, err))
        return false;
    *run = pj_run_hold(read);
    return true;
}
