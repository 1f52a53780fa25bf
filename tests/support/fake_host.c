// A folder of made-up traces, and a queue in the place of the kernel's threads. What the wizard
// asks of traces and files the linker sends here (--wrap in CMakeLists.txt).
#include "tests/support/fake_host.h"

#include "metrics/analyse/folder_list.h"
#include "metrics/analyse/load.h"
#include "metrics/analyse/load_profile.h"
#include "metrics/analyse/paths.h"
#include "metrics/analyse/profile_run.h"
#include "metrics/analyse/trace_look.h"
#include "metrics/base/newfile.h"
#include "metrics/profile/profile.h"
#include "tests/support/made_run.h"
#include "tests/support/profile/profile_for_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

pj_run *__real_pj_load(const char *path, pj_load_opts opts, pj_job *job, pj_err *err);
pj_run *__wrap_pj_load(const char *path, pj_load_opts opts, pj_job *job, pj_err *err);
bool __wrap_pj_trace_look_at(const char *path, pj_arena *arena, pj_trace_look *out, pj_err *err);
bool __wrap_pj_folder_list(const char *path, pj_arena *arena, pj_folder *out, pj_err *err);
bool __wrap_pj_paths_runs(const char *text, pj_arena *arena, pj_paths *paths, pj_err *err);
bool __wrap_pj_newfile_put(const char *path, pj_str bytes, pj_err *err);
bool __wrap_pj_newfile_put_first(const char *path, pj_str bytes, pj_err *err);

pj_profile *__wrap_pj_load_profile(const char *const *paths, size_t count,
                                   pj_load_profile_opts opts, pj_job *job, pj_err *err);
pj_profile *__wrap_pj_profile_run(const char *path, pj_load_opts opts, pj_job *job, pj_run **run,
                                  pj_err *err);

static fake_host *the_fake; // of the wizard on stage

static bool shape_of(const char *path, unsigned *ranks, unsigned *threads)
{
    const char *slash = strrchr(path, '/');
    char *end;
    *ranks = (unsigned)strtoul(slash ? slash + 1 : path, &end, 10);
    *threads = *end == 'x' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
    return *ranks && *threads;
}

static pj_run *go_slowly(const char *path, pj_job *job, pj_err *err)
{
    for (uint64_t i = 0; !pj_job_stopped(job); i++) {
        job->progress(job->progress_context, path, i % 100, 100);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    pj_fail(err, PJ_E_STOPPED, path, 0, "interrupted");
    return NULL;
}

pj_run *__wrap_pj_load(const char *path, pj_load_opts opts, pj_job *job, pj_err *err)
{
    unsigned ranks, threads;
    the_fake->loads++;
    if (strstr(path, "/notebooks/traces/") || strstr(path, "/notebooks/ai/"))
        return __real_pj_load(path, opts, job, err);
    if (strstr(path, "slow"))
        return go_slowly(path, job, err);
    if (strstr(path, "bad") || !shape_of(path, &ranks, &threads)) {
        pj_fail(err, PJ_E_FORMAT, path, 0, "this is <no> trace");
        return NULL;
    }
    job->progress(job->progress_context, path, 50, 100);
    uint64_t runtime = 1000000000u / ranks + 1000000u * ranks;
    pj_run *run = made_run_simple(path, ranks, threads, 900000000u / ranks, runtime);
    if (strstr(path, ".gpu."))
        made_run_devices(run, 0);
    return run;
}

pj_profile *__wrap_pj_load_profile(const char *const *paths, size_t count,
                                   pj_load_profile_opts opts, pj_job *job, pj_err *err)
{
    const char *read[64];
    size_t kept = 0;
    the_fake->loads++;
    for (size_t i = 0; i < count && kept < sizeof read / sizeof *read; i++) {
        pj_err problem = {.code = PJ_E_NONE};
        if (strstr(paths[i], "slow"))
            pj_run_release(go_slowly(paths[i], job, err));
        else if (strstr(paths[i], "bad"))
            pj_fail(&problem, PJ_E_FORMAT, paths[i], 0, "this is <no> profile");
        else
            read[kept++] = paths[i];
        if (problem.code && opts.complain && count > 1) // as where several are read
            opts.complain(opts.context, &problem);
        else if (problem.code)
            *err = problem;
        if (err->code)
            return NULL;
    }
    if (kept)
        return profile_for_pages(read, kept);
    pj_fail(err, PJ_E_IO, NULL, 0, "none of them could be read");
    return NULL;
}

pj_profile *__wrap_pj_profile_run(const char *path, pj_load_opts opts, pj_job *job, pj_run **run,
                                  pj_err *err)
{
    (void)opts, (void)run;
    the_fake->loads++;
    if (strstr(path, "slow"))
        pj_run_release(go_slowly(path, job, err));
    return err->code ? NULL : profile_for_pages(&path, 1);
}

bool __wrap_pj_trace_look_at(const char *path, pj_arena *arena, pj_trace_look *out, pj_err *err)
{
    unsigned ranks, threads;
    if (strstr(path, ".prof")) {
        *out = (pj_trace_look){
            .format = "cProfile profile", .layout = "", .bytes = 1200, .profile = true};
        return true;
    }
    if (!shape_of(path, &ranks, &threads))
        return pj_fail(err, PJ_E_FORMAT, path, 0, "no known format");
    *out = (pj_trace_look){.format = "Paraver trace",
                           .layout = pj_arena_format(arena, "%ux%u", ranks, threads),
                           .bytes = 2300000};
    return true;
}

bool __wrap_pj_folder_list(const char *folder, pj_arena *arena, pj_folder *out, pj_err *err)
{
    the_fake->listed = pj_arena_text(the_fake->arena, pj_str_of(folder));
    static const pj_folder_entry odd[] = {
        {.name = "a\xff", .folder = true},
        {.name = "1x1\xff.prv", .format = "Paraver trace", .bytes = 100},
        {.name = "2x1\r\n.prv", .format = "Paraver trace", .bytes = 100},
    };
    static const pj_folder_entry entries[] = {
        {.name = "deeper", .folder = true},
        {.name = "1x1.prv", .format = "Paraver trace", .bytes = 100},
        {.name = "2x1.prv", .format = "Paraver trace", .bytes = 200},
        {.name = "4x1.prv", .format = "Paraver trace", .bytes = 400},
        {.name = "4x1.otf2", .format = "OTF2 archive", .bytes = 400},
        {.name = "notes.txt", .bytes = 5},
    };
    if (strcmp(folder, "/nowhere") == 0)
        return pj_fail(err, PJ_E_IO, folder, 0, "cannot be opened: No such file or directory");
    bool is_odd = strncmp(folder, "/odd", 4) == 0;
    out->count = is_odd ? sizeof odd / sizeof *odd : sizeof entries / sizeof *entries;
    out->entries = pj_new_n(arena, pj_folder_entry, out->count);
    memcpy(out->entries, is_odd ? odd : entries, out->count * sizeof *out->entries);
    return true;
}

bool __wrap_pj_paths_runs(const char *text, pj_arena *arena, pj_paths *out, pj_err *err)
{
    static const char *const all[] = {"1x1.prv", "2x1.prv", "4x1.prv"};
    bool glob = strchr(text, '*') != NULL;
    if (strstr(text, "nothing"))
        return pj_fail(err, PJ_E_MISSING, text, 0, "no file matches");
    for (size_t i = 0; i < (glob ? 3 : 1); i++) {
        pj_grow(out->items, &out->cap, out->count + 1);
        out->items[out->count++] = glob ? pj_arena_format(arena, "/traces/%s", all[i])
                                        : pj_arena_text(arena, pj_str_of(text));
    }
    return true;
}

bool __wrap_pj_newfile_put(const char *path, pj_str bytes, pj_err *err)
{
    (void)err;
    const char *kept = pj_arena_text(the_fake->arena, pj_str_of(path));
    if (pj_str_ends(pj_str_of(path), PJ_S(".ipynb"))) {
        the_fake->reported = kept;
        return true;
    }
    the_fake->written = kept;
    the_fake->written_bytes = bytes.len;
    the_fake->written_text = pj_arena_text(the_fake->arena, bytes);
    return true;
}

bool __wrap_pj_newfile_put_first(const char *path, pj_str bytes, pj_err *err)
{
    if (strstr(path, "there"))
        return pj_fail(err, PJ_E_USAGE, path, 0, "is there already");
    return __wrap_pj_newfile_put(path, bytes, err);
}

static const pj_metric_set *set_at(void *self, size_t index)
{
    (void)self;
    return pj_metric_set_at(index);
}

static bool print(void *self, const char *notebook, const char *output, pj_job *job, pj_err *err)
{
    fake_host *fake = self;
    (void)notebook;
    while (strstr(output, "slow") && !pj_job_stopped(job))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (pj_job_stopped(job))
        return pj_fail(err, PJ_E_STOPPED, output, 0, "interrupted");
    if (strstr(output, "bad"))
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "xelatex is missing");
    snprintf(fake->printed, sizeof fake->printed, "%s", output);
    return true;
}

static json_t *recall(void *self)
{
    return json_incref(((fake_host *)self)->kept);
}

static void keep(void *self, json_t *choices)
{
    fake_host *fake = self;
    json_decref(fake->kept);
    fake->kept = json_incref(choices);
}

static void show(void *self, pj_wizard_slot slot, json_t *data, json_t *metadata)
{
    (void)metadata;
    fake_host *fake = self;
    json_decref(fake->shown[slot]);
    fake->shown[slot] = json_incref(data);
}

static void later(void *self, void (*call)(void *context), void (*drop)(void *context),
                  void *context)
{
    fake_host *fake = self;
    pthread_mutex_lock(&fake->lock);
    if (fake->call_count < FAKE_CALLS) {
        fake->calls[fake->call_count] = call;
        fake->drops[fake->call_count] = drop;
        fake->contexts[fake->call_count++] = context;
    }
    pthread_cond_signal(&fake->change);
    pthread_mutex_unlock(&fake->lock);
}

static void release(void *self)
{
    ((fake_host *)self)->released++;
}

void fake_host_init(fake_host *fake)
{
    *fake = (fake_host){.arena = pj_arena_new(NULL)};
    the_fake = fake;
    pthread_mutex_init(&fake->lock, NULL);
    pthread_cond_init(&fake->change, NULL);
}

void fake_host_free(fake_host *fake)
{
    fake_host_drain(fake, true);
    json_decref(fake->kept);
    for (size_t i = 0; i < PJ_WIZARD_SLOTS; i++)
        json_decref(fake->shown[i]);
    pthread_cond_destroy(&fake->change);
    pthread_mutex_destroy(&fake->lock);
    pj_arena_free(fake->arena);
}

pj_wizard_host fake_host_of(fake_host *fake)
{
    return (pj_wizard_host){.self = fake,
                            .set_at = set_at,
                            .print = print,
                            .recall = recall,
                            .keep = keep,
                            .kept_where = "in a test",
                            .show = show,
                            .later = later,
                            .release = release};
}

/// Called with the lock held, which it gives up.
static void make_first(fake_host *fake, bool gone)
{
    void (*call)(void *) = fake->calls[0];
    void (*drop)(void *) = fake->drops[0];
    void *context = fake->contexts[0];
    fake->call_count--;
    memmove((void *)fake->calls, (void *)(fake->calls + 1), fake->call_count * sizeof *fake->calls);
    memmove((void *)fake->drops, (void *)(fake->drops + 1), fake->call_count * sizeof *fake->drops);
    memmove((void *)fake->contexts, (void *)(fake->contexts + 1),
            fake->call_count * sizeof *fake->contexts);
    pthread_mutex_unlock(&fake->lock);
    if (!gone)
        call(context);
    drop(context);
}

bool fake_host_pump(fake_host *fake)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    int rc = 0;
    pthread_mutex_lock(&fake->lock);
    while (!fake->call_count && rc == 0)
        rc = pthread_cond_timedwait(&fake->change, &fake->lock, &until);
    if (!fake->call_count) {
        pthread_mutex_unlock(&fake->lock);
        return false;
    }
    make_first(fake, false);
    return true;
}

void fake_host_drain(fake_host *fake, bool gone)
{
    pthread_mutex_lock(&fake->lock);
    while (fake->call_count) {
        make_first(fake, gone);
        pthread_mutex_lock(&fake->lock);
    }
    pthread_mutex_unlock(&fake->lock);
}
