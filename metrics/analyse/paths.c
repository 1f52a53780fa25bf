// From words to files: paths, globs and folders, traces and profiles told apart by content.
#include "metrics/analyse/paths.h"

#include "metrics/analyse/trace_files.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/read/reader.h"
#include "metrics/read/summary/summary.h"

#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>

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

static void sort_from(pj_paths *paths, size_t first)
{
    if (paths->count > first)
        qsort(paths->items + first, paths->count - first, sizeof *paths->items, by_name);
}

static void add_path(pj_paths *paths, pj_arena *arena, const char *path)
{
    pj_grow(paths->items, &paths->cap, paths->count + 1);
    paths->items[paths->count++] = pj_arena_text(arena, pj_str_of(path));
}

static bool is_trace_name(const char *name)
{
    return pj_trace_files_named(name) != NULL;
}

/// Runs that come as JSON have any name.
static bool is_run(const char *path)
{
    if (is_trace_name(path))
        return true;
    bool json = pj_str_ends(pj_str_of(path), PJ_S(".json")) ||
                pj_str_ends(pj_str_of(path), PJ_S(".json.gz"));
    const pj_reader *reader = json ? pj_reader_of_path(path) : NULL;
    return reader && pj_reader_gives_trace(reader);
}

/// What the content says: a profile. Files named as traces are not opened for that.
static bool is_profile(const char *path)
{
    const pj_reader *reader = is_trace_name(path) ? NULL : pj_reader_of_path(path);
    return reader && !pj_reader_gives_trace(reader);
}

/// The same of what is a run too.
static bool may_be_profile(const char *path)
{
    const pj_reader *reader = is_trace_name(path) ? NULL : pj_reader_of_path(path);
    return reader && pj_reader_gives_profile(reader);
}

static bool matches_a_file(const char *pattern, int flags)
{
    glob_t found;
    bool any = glob(pattern, flags | GLOB_NOSORT, NULL, &found) == 0;
    if (any)
        globfree(&found);
    return any;
}

bool pj_paths_is_path(const char *text)
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
static void settle(pj_paths *paths, size_t first)
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

/// Adds the files of a folder that `chosen` says yes to, those of subfolders left out.
static bool add_files(pj_paths *paths, pj_arena *arena, const char *folder,
                      bool (*chosen)(const char *path), pj_err *err)
{
    size_t first = paths->count;
    DIR *dir = opendir(folder);
    if (!dir)
        return pj_fail_io(err, folder, "cannot be opened");
    const char *slash = pj_str_ends(pj_str_of(folder), PJ_S("/")) ? "" : "/";
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        const char *path = pj_arena_format(arena, "%s%s%s", folder, slash, entry->d_name);
        if (!is_special(path) && !is_folder(path) && chosen(path))
            add_path(paths, arena, path);
    }
    closedir(dir);
    settle(paths, first);
    return true;
}

/// A folder that is one profile, or the profiles in it.
static bool add_profiles(pj_paths *paths, pj_arena *arena, const char *folder, pj_err *err)
{
    if (!is_profile(folder))
        return add_files(paths, arena, folder, may_be_profile, err);
    add_path(paths, arena, folder);
    return true;
}

static bool holds_profiles(const char *folder)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_paths paths = {0};
    bool any = add_profiles(&paths, arena, folder, NULL) && paths.count;
    free(paths.items);
    return any;
}

enum { LEVELS_BELOW = 3, FOLDERS_MOST = 200, FOLDERS_NAMED = 6 };

static void add_folders(pj_paths *paths, pj_arena *arena, const char *folder)
{
    size_t first = paths->count;
    DIR *dir = opendir(folder);
    const char *slash = pj_str_ends(pj_str_of(folder), PJ_S("/")) ? "" : "/";
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *path = pj_arena_format(arena, "%s%s%s", folder, slash, entry->d_name);
        if (entry->d_name[0] != '.' && paths->count < FOLDERS_MOST && is_folder(path))
            add_path(paths, arena, path);
    }
    if (dir)
        closedir(dir);
    sort_from(paths, first);
}

/// Folders below that hold runs, as those of TALP-Pages: an experiment each, with its files.
static pj_paths folders_with_runs(pj_arena *arena, const char *folder)
{
    pj_paths all = {0}, found = {0};
    size_t next = 0;
    add_folders(&all, arena, folder);
    for (unsigned level = 1; level <= LEVELS_BELOW; level++)
        for (size_t end = all.count; next < end; next++) {
            pj_paths runs = {0};
            if (add_files(&runs, arena, all.items[next], is_run, NULL) && runs.count)
                add_path(&found, arena, all.items[next]);
            free(runs.items);
            if (level < LEVELS_BELOW)
                add_folders(&all, arena, all.items[next]);
        }
    free(all.items);
    return found;
}

static bool name_folders(const pj_paths *found, const char *folder, pj_err *err)
{
    pj_auto_buf names = {0};
    for (size_t i = 0; i < found->count && i < FOLDERS_NAMED; i++)
        pj_buf_addf(&names, "%s%s", i ? ", " : "", found->items[i]);
    if (found->count > FOLDERS_NAMED)
        pj_buf_addf(&names, " and %zu more", found->count - FOLDERS_NAMED);
    return pj_fail(err, PJ_E_MISSING, folder, 0,
                   "no trace in this folder, but in folders below, each a study of its own: %s",
                   names.at);
}

/// The runs of the only folder below that has any.
static bool add_below(pj_paths *paths, pj_arena *arena, const char *folder, pj_err *err)
{
    pj_paths found = folders_with_runs(arena, folder);
    bool ok = found.count == 1 ? add_files(paths, arena, found.items[0], is_run, err)
                               : !found.count || name_folders(&found, folder, err);
    free(found.items);
    return ok;
}

static bool nothing_in(const char *folder, pj_want want, pj_err *err)
{
    const pj_reader *reader = pj_reader_of_path(folder);
    if (want != PJ_WANT_TRACES)
        return pj_fail(err, PJ_E_MISSING, folder, 0, "no profile and no trace in this folder");
    if (reader)
        return pj_reader_no_trace(reader, folder, err);
    if (holds_profiles(folder))
        return pj_fail(err, PJ_E_USAGE, folder, 0, "holds profiles and no trace: popinjay profile");
    return pj_fail(err, PJ_E_MISSING, folder, 0, "no trace in this folder");
}

/// Whether a folder below holds a recording, under the name that recorders of archives give it.
static void add_recording(pj_paths *paths, pj_arena *arena, const char *folder)
{
    const char *path = pj_arena_format(arena, "%s/traces.otf2", folder);
    if (is_folder(folder) && exists(path) && !is_special(path))
        add_path(paths, arena, path);
}

/// The runs of a study: a recording in a folder of its own each.
static void add_recordings(pj_paths *paths, pj_arena *arena, const char *folder)
{
    size_t first = paths->count;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            add_recording(paths, arena, pj_arena_format(arena, "%s/%s", folder, entry->d_name));
    if (dir)
        closedir(dir);
    sort_from(paths, first);
}

static bool add_folder(pj_paths *paths, pj_arena *arena, const char *folder, pj_want want,
                       pj_err *err)
{
    size_t first = paths->count;
    if (want != PJ_WANT_TRACES && !add_profiles(paths, arena, folder, err))
        return false;
    bool traces = want != PJ_WANT_PROFILES || paths->count == first;
    if (traces && !add_files(paths, arena, folder, is_run, err))
        return false;
    if (paths->count == first && want != PJ_WANT_PROFILES) // several runs are no profile
        add_recordings(paths, arena, folder);
    bool below = paths->count == first && want == PJ_WANT_TRACES && !pj_reader_of_path(folder) &&
                 !holds_profiles(folder);
    if (below && !add_below(paths, arena, folder, err))
        return false;
    return paths->count > first || nothing_in(folder, want, err);
}

/// A pattern that matches more than traces means the traces, unless all that it names are profiles.
static void leave_out_profiles(pj_paths *paths, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < paths->count; i++) {
        const char *path = paths->items[i];
        if (!is_profile(path))
            paths->items[kept++] = path;
    }
    if (kept > first)
        paths->count = kept;
}

static bool add_glob(pj_paths *paths, pj_arena *arena, const char *pattern, pj_want want,
                     pj_err *err)
{
    glob_t found;
    int status = glob(pattern, GLOB_BRACE | GLOB_TILDE | GLOB_NOSORT, NULL, &found);
    if (status != 0)
        return pj_fail(err, PJ_E_MISSING, pattern, 0, "no file matches");
    size_t first = paths->count;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (is_folder(found.gl_pathv[i]))
            add_folder(paths, arena, found.gl_pathv[i], want, NULL); // an empty one is passed over
        else if (!is_special(found.gl_pathv[i]))
            add_path(paths, arena, found.gl_pathv[i]);
    globfree(&found);
    settle(paths, first);
    if (want == PJ_WANT_TRACES)
        leave_out_profiles(paths, first);
    return paths->count > first ||
           pj_fail(err, PJ_E_MISSING, pattern, 0, "no trace in the folders that match");
}

bool pj_paths_expand(const char *text, pj_want want, pj_arena *arena, pj_paths *paths, pj_err *err)
{
    if (is_folder(text))
        return add_folder(paths, arena, text, want, err);
    if (!exists(text) && (has_wildcard(text) || *text == '~'))
        return add_glob(paths, arena, text, want, err);
    add_path(paths, arena, text);
    return true;
}

bool pj_paths_are_profiles(const char *text)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_paths paths = {0};
    pj_err err = {.code = PJ_E_NONE};
    bool found = pj_paths_expand(text, PJ_WANT_TRACES, arena, &paths, &err);
    bool profiles = found ? paths.count && is_profile(paths.items[0]) : err.code == PJ_E_USAGE;
    free(paths.items);
    return profiles;
}

bool pj_paths_runs(const char *text, pj_arena *arena, pj_paths *paths, pj_err *err)
{
    size_t first = paths->count, kept = first;
    if (!exists(text) && !has_wildcard(text) && *text != '~')
        return pj_fail(err, PJ_E_MISSING, text, 0, "there is no such file; check the name");
    pj_want want = is_folder(text)               ? PJ_WANT_ANY
                   : pj_paths_are_profiles(text) ? PJ_WANT_PROFILES
                                                 : PJ_WANT_TRACES;
    if (!pj_paths_expand(text, want, arena, paths, err))
        return false;
    for (size_t i = first; i < paths->count; i++)
        if (!pj_trace_files_part(paths->items[i]))
            paths->items[kept++] = paths->items[i];
    paths->count = kept;
    return kept > first ||
           pj_fail(err, PJ_E_USAGE, text, 0, "is no run: choose the trace that it belongs to");
}
