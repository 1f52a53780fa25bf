// From words to runs: paths, globs and folders are expanded, files loaded with progress.
#include "kernel/command/inputs.h"

#include "kernel/command/progress.h"
#include "metrics/read/reader.h"
#include "metrics/read/summary/summary.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_JOBS = 1024 };

const char *const pj_roi_cuts[] = {"clip", "drop", NULL};
const char *const pj_clocks[] = {"repair", "raw", NULL};

static bool has_wildcard(const char *text)
{
    return strpbrk(text, "*?[{") != NULL;
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return pj_str_order_natural(pj_str_of(*(const char *const *)a),
                                pj_str_of(*(const char *const *)b));
}

static void sort_from(pj_texts *paths, size_t first)
{
    if (paths->count > first)
        qsort(paths->items + first, paths->count - first, sizeof *paths->items, by_name);
}

static void add_path(pj_texts *paths, pj_arena *arena, const char *path)
{
    pj_grow(paths->items, &paths->cap, paths->count + 1);
    paths->items[paths->count++] = pj_arena_text(arena, pj_str_of(path));
}

static bool is_trace_name(const char *name)
{
    pj_str file = pj_str_of(name);
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++) {
        pj_str suffixes = pj_str_of(reader->suffixes);
        while (suffixes.len) {
            pj_str suffix = pj_str_cut(&suffixes, ' ');
            if (suffix.len && file.len > suffix.len && pj_str_ends(file, suffix))
                return true;
        }
    }
    return false;
}

static bool matches_a_file(const char *pattern, int flags)
{
    glob_t found;
    bool any = glob(pattern, flags | GLOB_NOSORT, NULL, &found) == 0;
    if (any)
        globfree(&found);
    return any;
}

bool pj_inputs_is_path(const char *text)
{
    if (*text && exists(text))
        return true;
    if (strchr(text, '\n') || !*text)
        return false;
    if (is_trace_name(text))
        return true;
    bool code = strpbrk(text, " \t=();\"'") != NULL;
    if (code) // braces stay Lua's: their expansions could be many
        return strpbrk(text, "*?[") && matches_a_file(text, 0);
    return strpbrk(text, "/*?") || (has_wildcard(text) && matches_a_file(text, GLOB_BRACE));
}

/// Whether `path` is another form of one of the `count` paths that end at it: the same run
/// compressed, or its summary.
static bool is_repeated(const char *const *paths, size_t count, const char *path)
{
    const pj_str forms[] = {PJ_S(".gz"), PJ_S(PJ_SUMMARY_SUFFIX), PJ_S(".gz" PJ_SUMMARY_SUFFIX)};
    pj_str text = pj_str_of(path);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (size_t i = 0; pj_str_ends(text, forms[f]) && i < count; i++)
            if (pj_str_equal(pj_str_of(paths[i]), pj_str_head(text, text.len - forms[f].len)))
                return true;
    return false;
}

/// Sorts what a folder or a glob gave and leaves each run once.
static void settle(pj_texts *paths, size_t first)
{
    enum { NEAR = 4 }; // forms of one trace stand side by side
    size_t kept = first;
    sort_from(paths, first);
    for (size_t i = first; i < paths->count; i++) {
        size_t near = kept - first < NEAR ? kept - first : NEAR;
        if (!is_repeated(paths->items + kept - near, near, paths->items[i]))
            paths->items[kept++] = paths->items[i];
    }
    paths->count = kept;
}

/// A pipe or a device is read where it is named and nowhere else; a link that leads nowhere is not
/// passed over.
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/// The traces of a folder, those of subfolders left out.
static bool add_folder(pj_texts *paths, pj_arena *arena, const char *folder, pj_err *err)
{
    size_t first = paths->count;
    DIR *dir = opendir(folder);
    if (!dir)
        return pj_fail_io(err, folder, "cannot be opened");
    const char *slash = pj_str_ends(pj_str_of(folder), PJ_S("/")) ? "" : "/";
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' || !is_trace_name(entry->d_name))
            continue;
        const char *path = pj_arena_format(arena, "%s%s%s", folder, slash, entry->d_name);
        if (!is_special(path))
            add_path(paths, arena, path);
    }
    closedir(dir);
    if (paths->count == first)
        return pj_fail(err, PJ_E_MISSING, folder, 0, "no trace in this folder");
    settle(paths, first);
    return true;
}

static bool add_glob(pj_texts *paths, pj_arena *arena, const char *pattern, pj_err *err)
{
    glob_t found;
    int status = glob(pattern, GLOB_BRACE | GLOB_TILDE | GLOB_NOSORT, NULL, &found);
    if (status != 0)
        return pj_fail(err, PJ_E_MISSING, pattern, 0, "no file matches");
    size_t first = paths->count;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (is_folder(found.gl_pathv[i]))
            add_folder(paths, arena, found.gl_pathv[i], NULL); // one without traces is passed over
        else if (!is_special(found.gl_pathv[i]))
            add_path(paths, arena, found.gl_pathv[i]);
    globfree(&found);
    settle(paths, first);
    return paths->count > first ||
           pj_fail(err, PJ_E_MISSING, pattern, 0, "no trace in the folders that match");
}

bool pj_inputs_expand(const char *text, pj_arena *arena, pj_texts *paths, pj_err *err)
{
    if (is_folder(text))
        return add_folder(paths, arena, text, err);
    if (!exists(text) && (has_wildcard(text) || *text == '~'))
        return add_glob(paths, arena, text, err);
    add_path(paths, arena, text);
    return true;
}

/// What one pass over the inputs needs.
typedef struct loading {
    pj_session *session;
    const pj_load_args *args;
    pj_load_opts opts;
    pj_progress *progress;
    pj_value *runs;
    size_t wanted;
} loading;

/// Whether a text breaks off: no newline at its end, and its last record is no whole one or lies
/// before the end that the header gives.
static bool breaks_off(const pj_import_stats *import)
{
    uint64_t last = import->first_line[PJ_IMPORT_no_final_newline];
    return last && (import->count[PJ_IMPORT_ends_early] ||
                    import->first_line[PJ_IMPORT_malformed_record] == last ||
                    import->first_line[PJ_IMPORT_unknown_record] == last);
}

void pj_inputs_complain_of_damage(pj_session *session, const pj_run *run)
{
    const pj_import_stats *import = &run->import;
    pj_err problem = {0};
    for (unsigned key = 0; key < PJ_IMPORT_COUNT && !problem.code; key++) {
        const pj_import_row *row = pj_import_at(key);
        if (row->advice && import->count[key])
            pj_fail(&problem, PJ_E_FORMAT, run->path, import->first_line[key], "%s; %s",
                    run->damage ? run->damage : row->sentence, row->advice);
    }
    if (!problem.code && breaks_off(import))
        pj_fail(&problem, PJ_E_FORMAT, run->path, import->first_line[PJ_IMPORT_no_final_newline],
                "the trace breaks off in its last line: what came before was used; copy the file "
                "again");
    if (problem.code)
        pj_session_complain(session, &problem);
}

static bool load_path(loading *l, const char *path, const char *tag, pj_err *err)
{
    pj_load_opts opts = l->opts;
    opts.tag = l->args->tag ? l->args->tag : tag;
    opts.ignore_summary = l->args->reread;
    opts.summaries = l->session->summaries;
    pj_err problem = {0};
    pj_job job = {.stop = l->session->stop,
                  .workers = (unsigned)(l->args->jobs > MOST_JOBS ? MOST_JOBS : l->args->jobs),
                  .memory_budget = l->args->memory};
    pj_progress_attach(l->progress, &job);
    pj_run *run = pj_load(path, opts, &job, &problem);
    if (run) {
        pj_progress_clear(l->progress);
        pj_inputs_complain_of_damage(l->session, run);
        l->progress->bytes += run->file_bytes;
        pj_value_list_add_take(l->runs, pj_value_run_take(run));
        return true;
    }
    bool hopeless = problem.code == PJ_E_STOPPED || problem.code == PJ_E_USAGE;
    if (hopeless || l->wanted == 1) {
        *err = problem;
        return false;
    }
    pj_progress_clear(l->progress);
    pj_session_complain(l->session, &problem);
    return true;
}

/// Whether the run's own file is a summary, not a trace beside which one lies.
static bool is_summary(const pj_run *run)
{
    return run->provenance && strcmp(run->format, "summary") == 0;
}

/// Whether the run was read without what is wanted now.
static bool lacks(const pj_run *run, const pj_load_opts *opts)
{
    if (run->provenance && run->provenance->rounded && opts->no_replay && !is_summary(run))
        return true;
    return opts->scene || (opts->openmp_regions && run->has_openmp && !run->openmp_regions);
}

/// The same part of the trace again.
static bool load_more(loading *l, const pj_run *run, pj_err *err)
{
    const pj_roi_request asked = l->opts.roi;
    l->opts.known = run;
    l->opts.roi = (pj_roi_request){.kind = PJ_ROI_OFF};
    if (is_summary(run))
        l->opts.roi = (pj_roi_request){.kind = PJ_ROI_AUTO};
    else if (run->roi.set)
        l->opts.roi = (pj_roi_request){.kind = PJ_ROI_RANGE,
                                       .from = (double)run->roi.from_ns,
                                       .to = (double)run->roi.to_ns,
                                       .drop = run->roi.drop};
    bool ok = load_path(l, run->path, run->tag, err);
    l->opts.roi = asked;
    l->opts.known = NULL;
    return ok;
}

/// A run in memory; it comes from its file again where it must be read otherwise.
static bool take_run(loading *l, pj_run *run, pj_err *err)
{
    const pj_load_args *args = l->args;
    pj_network asked = l->opts.network;
    bool ok = true;
    if (run->network && pj_network_is_ideal(&asked))
        l->opts.network = *run->network;
    if (args->reread || args->roi || args->roi_cut || args->clock || args->tag)
        ok = load_path(l, run->path, run->tag, err);
    else if (lacks(run, &l->opts))
        ok = load_more(l, run, err);
    else
        pj_value_list_add_take(l->runs, pj_value_run_take(pj_run_hold(run)));
    l->opts.network = asked;
    return ok;
}

static bool take_study(loading *l, const pj_study *study, pj_err *err)
{
    for (size_t i = 0; i < study->count; i++)
        if (!take_run(l, study->runs[i], err))
            return false;
    return true;
}

static bool load_input(loading *l, const pj_value *input, pj_err *err)
{
    switch (input->kind) {
    case PJ_VALUE_TEXT:
        return load_path(l, input->text, NULL, err);
    case PJ_VALUE_RUN:
        return take_run(l, input->run, err);
    case PJ_VALUE_METRICS:
        return take_study(l, input->metrics->study, err);
    case PJ_VALUE_NIL:
    case PJ_VALUE_BOOL:
    case PJ_VALUE_NUMBER:
    case PJ_VALUE_LIST:
    case PJ_VALUE_TABLE:
    case PJ_VALUE_DRAWING:
    case PJ_VALUE_WIDGET:
        break;
    }
    return pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "a %s is no trace; give file names, globs, folders, runs or metrics",
                   pj_value_name(input->kind));
}

/// Whether `path` is the .pcf or .row beside a trace that is among the inputs.
static bool is_companion(const pj_inputs *inputs, const char *path)
{
    pj_str name = pj_str_of(path);
    if (pj_str_ends(name, PJ_S(".gz")))
        name = pj_str_head(name, name.len - 3);
    if (!pj_str_ends(name, PJ_S(".pcf")) && !pj_str_ends(name, PJ_S(".row")))
        return false;
    pj_str stem = pj_str_head(name, name.len - 4);
    for (size_t i = 0; i < inputs->count; i++) {
        bool text = inputs->items[i].kind == PJ_VALUE_TEXT;
        pj_str other = pj_str_of(text ? inputs->items[i].text : "");
        if (pj_str_starts(other, stem) && pj_str_starts(pj_str_from(other, stem.len), PJ_S(".prv")))
            return true;
    }
    return false;
}

/// A glob takes the files beside its traces too; they are read with their trace.
static void drop_companions(pj_inputs *inputs)
{
    size_t kept = 0;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].kind != PJ_VALUE_TEXT || !is_companion(inputs, inputs->items[i].text))
            inputs->items[kept++] = inputs->items[i];
    inputs->count = kept;
}

bool pj_inputs_expand_all(pj_session *session, const pj_inputs *inputs, pj_arena *arena,
                          pj_inputs *out, pj_err *err)
{
    for (size_t i = 0; i < inputs->count; i++) {
        pj_texts paths = {0};
        pj_err problem = {0};
        pj_value value = inputs->items[i];
        bool text = value.kind == PJ_VALUE_TEXT;
        bool ok = !text || pj_inputs_expand(value.text, arena, &paths, &problem);
        for (size_t k = 0; ok && k < (text ? paths.count : 1); k++) {
            pj_grow(out->items, &out->cap, out->count + 1);
            out->items[out->count++] = text ? pj_value_borrow_text(paths.items[k]) : value;
        }
        free(paths.items);
        if (!ok && inputs->count == 1) {
            *err = problem;
            return false;
        }
        if (!ok)
            pj_session_complain(session, &problem);
    }
    drop_companions(out);
    return out->count > 0 ||
           pj_fail(err, PJ_E_MISSING, NULL, 0, "none of the inputs names a trace");
}

bool pj_inputs_options(const pj_load_args *args, pj_load_opts *opts, pj_err *err)
{
    if (args->roi && !pj_roi_parse(pj_str_of(args->roi), &opts->roi, err))
        return false;
    opts->roi.drop = args->roi_cut && strcmp(args->roi_cut, "drop") == 0;
    opts->raw_clock = args->clock && strcmp(args->clock, "raw") == 0;
    return true;
}

bool pj_inputs_load(pj_session *session, const pj_load_args *args, pj_load_opts opts,
                    pj_value *runs, pj_err *err)
{
    if (!pj_inputs_options(args, &opts, err))
        return false;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_inputs inputs = {0};
    *runs = pj_value_list_new();
    bool ok = pj_inputs_expand_all(session, &args->inputs, arena, &inputs, err);
    pj_progress progress = pj_progress_of(session, inputs.count);
    loading l = {.session = session,
                 .args = args,
                 .opts = opts,
                 .progress = &progress,
                 .runs = runs,
                 .wanted = inputs.count};
    for (size_t i = 0; ok && i < inputs.count; i++)
        ok = load_input(&l, &inputs.items[i], err);
    pj_progress_end(&progress);
    free(inputs.items);
    if (ok && runs->list->count == 0)
        ok = pj_fail(err, PJ_E_IO, NULL, 0, "none of the %zu traces could be read", l.wanted);
    return ok;
}

bool pj_inputs_load_one(pj_session *session, const pj_load_args *args, pj_load_opts opts,
                        pj_run **run, pj_err *err)
{
    pj_auto_value runs = {0};
    if (!pj_inputs_load(session, args, opts, &runs, err))
        return false;
    if (runs.list->count != 1)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "one trace is wanted, there are %zu",
                       runs.list->count);
    *run = pj_run_hold(runs.list->items[0].run);
    return true;
}
