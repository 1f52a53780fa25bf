// Whether the runs of a study belong together.
// Programs that traces name tell for certain. Work tells more: in strong scaling that of all
// threads stays, in weak scaling it grows as they do; repeated work lies between. And a program is
// parallel in one way.
#include "metrics/run/study/study_mixed.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/// What tells how much a run has computed, the first that both know; and how many times more or
/// less it may be, as time depends on caches and clocks, too.
static const struct {
    size_t sum; // in pj_sums
    const char *words;
    double tolerance;
} works[] = {
    {offsetof(pj_sums, instructions), "the instructions", 2},
    {offsetof(pj_sums, useful_sum), "the useful time", 8},
};

static const char *program_of(const pj_run *run)
{
    const pj_layout *layout = &run->layout;
    return layout->application_name && layout->applications == 1 ? layout->application_name[0]
                                                                 : NULL;
}

/// The file name of a program without its folder.
static pj_str base_name(const char *program)
{
    pj_str name = pj_str_of(program);
    size_t slash = pj_str_find_last(name, '/');
    return slash < name.len ? pj_str_from(name, slash + 1) : name;
}

static const char *other_program(const pj_study *study, size_t run, pj_arena *arena)
{
    const char *first = program_of(study->cases[study->reference].run);
    const char *other = program_of(study->cases[run].run);
    if (!first || !other || !*first || !*other || pj_str_equal(base_name(first), base_name(other)))
        return NULL;
    return pj_arena_format(arena,
                           "the runs are of different programs (%s: " PJ_STR_FMT ", %s: " PJ_STR_FMT
                           "): their efficiencies are not those of one code",
                           study->cases[study->reference].name, PJ_STR_ARG(base_name(first)),
                           study->cases[run].name, PJ_STR_ARG(base_name(other)));
}

static bool is_only_mpi(const pj_run *run)
{
    return run->has_mpi && !run->has_openmp;
}

static bool is_only_openmp(const pj_run *run)
{
    return run->has_openmp && !run->has_mpi;
}

/// One program may leave out MPI or OpenMP on few cores, but not change one for the other.
static const char *other_parallelism(const pj_study *study, size_t run, pj_arena *arena)
{
    const pj_case *first = &study->cases[study->reference], *other = &study->cases[run];
    if (is_only_mpi(other->run)) {
        const pj_case *swap = first;
        first = other;
        other = swap;
    }
    if (!is_only_mpi(first->run) || !is_only_openmp(other->run))
        return NULL;
    return pj_arena_format(arena,
                           "%s calls MPI and has no OpenMP, %s has OpenMP and does not call MPI: "
                           "the runs seem to be of different applications",
                           first->name, other->name);
}

static double sum_of(const pj_case *of, size_t sum)
{
    double value;
    memcpy(&value, (const char *)&of->sums + sum, sizeof value);
    return value;
}

static const char *other_input(const pj_study *study, size_t run, pj_arena *arena)
{
    const pj_run *reference = study->cases[study->reference].run;
    double before = 0, work = 0;
    size_t by = 0;
    if (study->cases[run].run->part.whole) // another part of the work
        return NULL;
    for (; by < sizeof works / sizeof *works && !(before > 0 && work > 0); by++) {
        before = sum_of(&study->cases[study->reference], works[by].sum);
        work = sum_of(&study->cases[run], works[by].sum);
    }
    double growth = (double)study->cases[run].layout->locations / reference->layout.locations;
    double least = growth < 1 ? growth : 1, most = growth > 1 ? growth : 1;
    double tolerance = works[by - 1].tolerance;
    if (!(before > 0) || !(work > 0) ||
        (work >= before * least / tolerance && work <= before * most * tolerance))
        return NULL;
    return pj_arena_format(arena,
                           "%s takes %.3g times %s of %s on %.3g times the threads: the runs seem "
                           "to be of different applications or inputs",
                           study->cases[run].name, work / before, works[by - 1].words,
                           study->cases[study->reference].name, growth);
}

const char *pj_study_mixed(const pj_study *study, pj_arena *arena)
{
    const char *found = NULL;
    for (size_t run = 0; run < study->count && !found; run++)
        found = other_program(study, run, arena);
    for (size_t run = 0; run < study->count && !found; run++)
        found = other_parallelism(study, run, arena);
    for (size_t run = 0; run < study->count && !found; run++)
        if (!pj_import_cut(&study->cases[run].run->import))
            found = other_input(study, run, arena);
    return found;
}
