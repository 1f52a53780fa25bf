// How the cases of a study are called: by the shortest tail of a path that no other file has, and
// by what part of their run they are.
#include "metrics/run/study/study_names.h"

#include "metrics/base/arena.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"

#include <limits.h>
#include <stdint.h>
#include <unistd.h>

/// What the names of a study are made from, by run; parts of a run are called by it.
typedef struct naming {
    size_t count;
    pj_str *files; // where the trace is, from the root
    pj_str *bares; // the same less the suffix that the run's name lacks
    pj_map runs;   // their numbers, by address
    size_t *of;    // the number of the run of each case
} naming;

/// The path from the root, so that two ways of naming a file are seen to be one.
static pj_str path_from_root(const pj_run *run, pj_arena *arena)
{
    char folder[PATH_MAX];
    pj_str path = pj_str_of(run->path);
    if (pj_str_starts(path, PJ_S("/")) || !getcwd(folder, sizeof folder))
        return path;
    while (pj_str_starts(path, PJ_S("./")))
        path = pj_str_from(path, 2);
    return pj_str_of(pj_arena_format(arena, "%s/" PJ_STR_FMT, folder, PJ_STR_ARG(path)));
}

/// "a/run.prv.gz" of the run "run" -> "a/run", "a/x/traces.otf2" of the run "x" -> "a/x".
static pj_str bare_path(pj_str path, pj_str name)
{
    size_t slash = pj_str_find_last(path, '/');
    size_t first = slash < path.len ? slash + 1 : 0;
    if (pj_str_starts(pj_str_from(path, first), name))
        return pj_str_head(path, first + name.len);
    pj_str folder = pj_str_head(path, first ? slash : 0);
    return pj_str_ends(folder, name) ? folder : path;
}

/// The last `parts` components of a path.
static pj_str path_tail(pj_str path, size_t parts)
{
    size_t at = path.len;
    while (parts-- > 0 && at > 0) {
        size_t slash = pj_str_find_last(pj_str_head(path, at - 1), '/');
        at = slash < at - 1 ? slash : 0;
        if (at == 0 && path.at[0] != '/')
            return path;
    }
    return pj_str_from(path, at == 0 ? 0 : at + 1);
}

/// Whether another file's path has the same tail of `parts` components.
static bool tail_is_shared(const naming *names, const pj_str *paths, size_t run, size_t parts)
{
    pj_str tail = path_tail(paths[run], parts);
    for (size_t i = 0; i < names->count; i++)
        if (!pj_str_equal(names->files[i], names->files[run]) &&
            pj_str_equal(path_tail(paths[i], parts), tail))
            return true;
    return false;
}

/// The shortest tail of the path that no other file has; with the suffix where only that tells two
/// files apart.
static pj_str shown_name(const naming *names, size_t run)
{
    size_t parts = 1, all = names->bares[run].len; // more components than there can be
    const pj_str *paths =
        tail_is_shared(names, names->bares, run, all) ? names->files : names->bares;
    while (path_tail(paths[run], parts).len < paths[run].len &&
           tail_is_shared(names, paths, run, parts))
        parts++;
    return path_tail(paths[run], parts);
}

/// What a case is of its run, to follow the run's name: " @ lat 2us", ": solve"; "" = all of it.
static const char *part_text(const pj_run *run, pj_arena *arena)
{
    const char *part = run->part.name ? pj_arena_format(arena, ": %s", run->part.name) : "";
    return run->other.label ? pj_arena_format(arena, "%s @ %s", part, run->other.label) : part;
}

static bool is_same_window(const pj_run *a, const pj_run *b)
{
    return a->roi.set == b->roi.set &&
           (!a->roi.set || (a->roi.from_ns == b->roi.from_ns && a->roi.to_ns == b->roi.to_ns));
}

/// Whether only its window tells the case from another of the same file.
static bool is_told_by_window(const pj_study *study, const naming *names, size_t index)
{
    const pj_run *run = study->cases[index].run;
    for (size_t i = 0; run->roi.set && i < study->count; i++)
        if (pj_str_equal(names->files[names->of[i]], names->files[names->of[index]]) &&
            !is_same_window(study->cases[i].run, run))
            return true;
    return false;
}

/// As the option roi takes it, to the digits that fit a table's head.
static const char *window_text(const pj_roi *roi, pj_arena *arena)
{
    return pj_arena_format(arena, " [%.4gs..%.4gs]", (double)roi->from_ns / 1e9,
                           (double)roi->to_ns / 1e9);
}

/// Each run once, whatever parts of it are cases.
static void add_run(naming *names, size_t index, const pj_run *run, pj_arena *arena)
{
    uint32_t known = (uint32_t)names->count;
    if (!pj_map_get(&names->runs, (uintptr_t)run, &known)) {
        pj_map_put(&names->runs, (uintptr_t)run, known);
        names->files[known] = path_from_root(run, arena);
        names->bares[known] = bare_path(
            names->files[known], pj_str_of(run->other.base ? run->other.base->name : run->name));
        names->count++;
    }
    names->of[index] = known;
}

void pj_study_name_cases(pj_study *study)
{
    pj_auto_arena kept = pj_arena_new(NULL);
    naming names = {.files = pj_new_n(kept, pj_str, study->count),
                    .bares = pj_new_n(kept, pj_str, study->count),
                    .of = pj_new_n(kept, size_t, study->count)};
    for (size_t i = 0; i < study->count; i++)
        add_run(&names, i, pj_run_whole(study->cases[i].run), kept);
    pj_map_free(&names.runs);
    pj_str *shown = pj_new_n(kept, pj_str, names.count);
    for (size_t i = 0; i < names.count; i++)
        shown[i] = shown_name(&names, i);
    for (size_t i = 0; i < study->count; i++) {
        pj_case *one = &study->cases[i];
        pj_str name = shown[names.of[i]];
        const char *window =
            is_told_by_window(study, &names, i) ? window_text(&one->run->roi, kept) : "";
        one->name = pj_arena_format(study->arena, PJ_STR_FMT "%s%s", PJ_STR_ARG(name), window,
                                    part_text(one->run, kept));
    }
}
