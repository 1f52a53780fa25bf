// Traces come first, then all other files together, so that ranks are told by their names, then
// what is in memory.
#include "kernel/command/profile_inputs.h"

#include "kernel/command/progress.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/analyse/load_profile.h"
#include "metrics/analyse/paths.h"
#include "metrics/analyse/profile_run.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/base/process_group.h"
#include "metrics/base/ranks.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/derive/profile_merge.h"
#include "metrics/read/reader.h"
#include "metrics/run/run.h"
#include "metrics/trace/roi.h"

#include <stdlib.h>
#include <sys/stat.h>

const pj_param pj_profile_input_rows[] = {
    {.name = "profiles",
     .type = PJ_PARAM_INPUTS,
     .place = PJ_IN_BOTH,
     .required = true,
     .named = true,
     .offset = offsetof(pj_profile_args, inputs),
     .shown = "PROFILE",
     .help = "Profiles: files, globs or folders."},
    {0},
};

const pj_param pj_profile_reading_rows[] = {
#define EVERYWHERE(key, ...) PJ_READING_ROW(pj_profile_args, key, __VA_ARGS__)
#define NUMBERS(...)
#include "metrics/analyse/load_how.def"
#include "metrics/analyse/load_how.h"
#undef EVERYWHERE
#undef NUMBERS
    {.name = "jobs",
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(pj_profile_args, jobs),
     .shown = "N",
     .preset = "one per core",
     .help = "Threads to compute with; every number gives the same digits."},
    {.name = "memory",
     .type = PJ_PARAM_SIZE,
     .offset = offsetof(pj_profile_args, memory),
     .shown = "SIZE",
     .preset = "half of what this process may use",
     .help = "Memory that reading may use; beyond it the command ends with a clear message."},
    {0},
};

enum { MOST_JOBS = 1024 };

typedef struct complaining {
    pj_session *session;
    pj_progress *progress;
} complaining;

static void complain(void *context, const pj_err *err)
{
    const complaining *c = context;
    pj_progress_clear(c->progress);
    pj_session_complain(c->session, err);
}

bool pj_profile_inputs_are(const pj_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const pj_value *value = &inputs->items[i];
        bool is = value->kind == PJ_VALUE_PROFILE ||
                  (value->kind == PJ_VALUE_TEXT && pj_paths_are_profiles(value->text));
        if (!is)
            return false;
    }
    return inputs->count > 0;
}

/// What reading needs of session and arguments.
typedef struct loading {
    pj_session *session;
    const pj_profile_args *args;
    pj_load_opts opts;  // of traces
    size_t wanted;      // inputs
    pj_profile **parts; // what was loaded
    const char **names; // of their locations; NULL = what they are called in the part
    size_t count, cap;
} loading;

/// Files, and the names that the user gave them.
typedef struct named_paths {
    pj_paths paths;
    const char **names;
    size_t cap;
} named_paths;

static pj_job job_of(const loading *l)
{
    return (pj_job){.stop = l->session->stop,
                    .workers = (unsigned)(l->args->jobs > MOST_JOBS ? MOST_JOBS : l->args->jobs),
                    .memory_budget = l->args->memory};
}

static void add_part(loading *l, pj_profile *profile_take, const char *name)
{
    size_t room = l->cap;
    pj_grow(l->parts, &l->cap, l->count + 1);
    pj_grow(l->names, &room, l->count + 1);
    l->names[l->count] = name;
    l->parts[l->count++] = profile_take;
}

/// Whether an input that could not be read ends the command.
static bool hopeless(const loading *l, const pj_err *problem)
{
    return l->wanted == 1 || problem->code == PJ_E_STOPPED || problem->code == PJ_E_USAGE ||
           problem->code == PJ_E_MEMORY;
}

/// Whether a part of the run is asked for.
static bool wants_part(const loading *l)
{
    return l->opts.roi.kind == PJ_ROI_RANGE || l->opts.roi.kind == PJ_ROI_ITERATIONS;
}

/// A profile does not tell when things were done.
static void complain_of_whole(const loading *l, const char *path)
{
    pj_err problem = {0};
    if (!wants_part(l))
        return;
    pj_fail(&problem, PJ_E_MISSING, path, 0,
            "a profile has sums of the whole run and no region of interest: it counts whole");
    pj_session_complain(l->session, &problem);
}

static bool load_files(loading *l, const named_paths *files, pj_err *err)
{
    pj_progress progress = pj_progress_of(l->session, 1);
    complaining context = {l->session, &progress};
    pj_job job = job_of(l);
    pj_progress_attach(&progress, &job);
    pj_load_profile_opts opts = {
        .complain = complain, .context = &context, .names = files->names, .align = l->args->align};
    pj_profile *profile = pj_load_profile(files->paths.items, files->paths.count, opts, &job, err);
    pj_progress_end(&progress);
    if (profile)
        complain_of_whole(l, files->paths.items[0]);
    if (profile)
        add_part(l, profile, NULL);
    return profile != NULL;
}

/// A trace, or the trace of a run; in a process group only the leader has something of it.
static bool load_trace(loading *l, const char *path, const pj_run *run, const char *name,
                       pj_err *err)
{
    pj_progress progress = pj_progress_of(l->session, 1);
    pj_job job = job_of(l);
    pj_err problem = {0};
    pj_auto_run read = NULL;
    pj_progress_attach(&progress, &job);
    pj_profile *profile = run ? pj_profile_of_run(run, &job, &problem)
                              : pj_profile_run(path, l->opts, &job, &read, &problem);
    pj_progress_end(&progress);
    if (read)
        pj_inputs_complain_of_damage(l->session, read);
    if (profile)
        add_part(l, profile, name);
    if (!problem.code || !hopeless(l, &problem)) {
        if (problem.code)
            pj_session_complain(l->session, &problem);
        return true;
    }
    *err = problem;
    return false;
}

static bool is_trace(const char *path)
{
    const pj_reader *reader = pj_reader_of_path(path);
    return reader && pj_reader_gives_trace(reader) && !reader->both;
}

static void add_file(named_paths *files, const char *path, const char *name)
{
    pj_grow(files->paths.items, &files->paths.cap, files->paths.count + 1);
    pj_grow(files->names, &files->cap, files->paths.count + 1);
    files->names[files->paths.count] = name;
    files->paths.items[files->paths.count++] = path;
}

/// Traces are read one after another, all other files together.
static bool load_paths(loading *l, const named_paths *all, pj_err *err)
{
    named_paths files = {0};
    bool ok = true;
    for (size_t i = 0; i < all->paths.count && ok; i++) {
        if (is_trace(all->paths.items[i]))
            ok = load_trace(l, all->paths.items[i], NULL, all->names[i], err);
        else
            add_file(&files, all->paths.items[i], all->names[i]);
    }
    if (ok && files.paths.count && pj_process_group_leads(l->opts.group))
        ok = load_files(l, &files, err);
    free(files.paths.items);
    free(files.names);
    return ok;
}

static const char *name_of(const pj_inputs *inputs, size_t index)
{
    return inputs->names ? inputs->names[index] : NULL;
}

static pj_profile *join(const loading *l, pj_err *err)
{
    if (l->count == 1 && !l->names[0])
        return pj_profile_hold(l->parts[0]);
    pj_job job = {.memory_budget = l->args->memory};
    pj_auto_build build = pj_build_new("the profiles together", &job);
    pj_profile_merging how = {.align = l->args->align, .names = l->names};
    bool ok = pj_profile_merge(build, l->parts, l->count, how, err);
    return ok ? pj_build_finish(build, err) : NULL;
}

static void name_path(named_paths *files, size_t index, const char *name)
{
    pj_grow(files->names, &files->cap, index + 1);
    files->names[index] = name;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/// The folder that is meant in place of an input; NULL = the input itself.
static const char *folder_beside(const pj_profile_args *args, const pj_value *value,
                                 pj_arena *arena)
{
    const char *path = value->kind == PJ_VALUE_TEXT  ? value->text
                       : value->kind == PJ_VALUE_RUN ? value->run->path
                                                     : NULL;
    if (!args->beside || !path)
        return NULL;
    const pj_str whole = pj_str_of(path);
    const size_t slash = pj_str_find_last(whole, '/');
    const char *above = is_folder(path)      ? path
                        : slash == whole.len ? "."
                                             : pj_arena_text(arena, pj_str_head(whole, slash));
    const char *folder = pj_arena_format(arena, "%s/%s", above, args->beside);
    return is_folder(folder) ? folder : NULL;
}

/// Profiles and runs in memory.
static bool load_values(loading *l, pj_arena *arena, pj_err *err)
{
    for (size_t i = 0; i < l->args->inputs.count; i++) {
        const pj_value *value = &l->args->inputs.items[i];
        const pj_run *run = value->kind == PJ_VALUE_RUN ? value->run : NULL;
        const char *name = name_of(&l->args->inputs, i);
        if (value->kind == PJ_VALUE_PROFILE) {
            complain_of_whole(l, NULL);
            add_part(l, pj_profile_hold(value->profile), name);
        } else if (run && !folder_beside(l->args, value, arena) &&
                   !load_trace(l, run->path, wants_part(l) ? NULL : run, name, err)) {
            return false;
        }
    }
    return true;
}

static bool expand(pj_session *session, const pj_profile_args *args, pj_arena *arena,
                   named_paths *files, pj_err *err)
{
    const pj_inputs *inputs = &args->inputs;
    for (size_t i = 0; i < inputs->count; i++) {
        const pj_value *value = &inputs->items[i];
        pj_err problem = {0};
        const char *text = folder_beside(args, value, arena);
        if (!text && (value->kind == PJ_VALUE_PROFILE || value->kind == PJ_VALUE_RUN))
            continue;
        if (!text && value->kind != PJ_VALUE_TEXT)
            return pj_fail(err, PJ_E_USAGE, NULL, 0,
                           "a %s is no profile; give file names, globs, folders, profiles or runs",
                           pj_value_name(value->kind));
        size_t first = files->paths.count;
        if (pj_paths_expand(text ? text : value->text, PJ_WANT_PROFILES, arena, &files->paths,
                            &problem)) {
            for (; first < files->paths.count; first++)
                name_path(files, first, name_of(inputs, i));
            continue;
        }
        if (inputs->count == 1) {
            *err = problem;
            return false;
        }
        pj_session_complain(session, &problem);
    }
    return true;
}

static pj_profile *load_all(loading *l, const named_paths *files, pj_arena *arena, pj_err *err)
{
    l->wanted = files->paths.count + l->args->inputs.count;
    if (files->paths.count == 1 && l->args->inputs.count == 1)
        l->wanted = 1;
    bool ok = load_paths(l, files, err) && load_values(l, arena, err);
    if (!ok || !pj_process_group_leads(l->opts.group))
        return NULL;
    if (!l->count)
        pj_fail(err, PJ_E_MISSING, NULL, 0, "none of the inputs names a profile");
    return l->count ? join(l, err) : NULL;
}

pj_profile *pj_profile_inputs(pj_session *session, const pj_profile_args *args, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_ranks group = session->lang ? NULL : pj_ranks_join(err); // scripts are read by each
    named_paths files = {0};
    loading l = {.session = session, .args = args, .opts.group = group};
    bool ok = !err->code && pj_load_how_take(&args->how, &l.opts, err) &&
              expand(session, args, arena, &files, err);
    pj_profile *made = ok ? load_all(&l, &files, arena, err) : NULL;
    for (size_t i = 0; i < l.count; i++)
        pj_profile_release(l.parts[i]);
    free(l.parts);
    free(l.names);
    free(files.paths.items);
    free(files.names);
    return made;
}
