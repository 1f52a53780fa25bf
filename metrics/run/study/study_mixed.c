// Whether the runs of a study belong together.
// Programs that traces name tell for certain. Work tells more: in strong scaling that of all
// threads stays, in weak scaling it grows as they do; repeated work lies between. And a program is
// parallel in one way, communicates by the same calls, and has functions that every run knows.
#include "metrics/run/study/study_mixed.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/// What a file is called before its sizes: "stencil_" of "stencil_2x1".
static pj_str stem_of(const pj_case *of)
{
    pj_str stem = pj_str_of(of->run->name);
    stem.len = strcspn(of->run->name, "0123456789");
    return stem;
}

/// Files of one name may be of builds with and without OpenMP or MPI; a thread alone needs neither.
static const char *other_build(const pj_study *study, size_t run, pj_arena *arena)
{
    const pj_case *has = &study->cases[study->reference], *lacks = &study->cases[run];
    bool openmp = has->run->has_openmp != lacks->run->has_openmp;
    if (!openmp && has->run->has_mpi == lacks->run->has_mpi)
        return NULL;
    if (openmp ? lacks->run->has_openmp : lacks->run->has_mpi) {
        const pj_case *swap = has;
        has = lacks;
        lacks = swap;
    }
    if (!(lacks->run->has_mpi || lacks->run->has_openmp) || lacks->layout->locations < 2 ||
        pj_str_equal(stem_of(has), stem_of(lacks)))
        return NULL;
    return pj_arena_format(arena,
                           "%s %s and %s does not: the runs seem to be of different applications "
                           "or builds",
                           has->name, openmp ? "has OpenMP regions" : "calls MPI", lacks->name);
}

/// What names of functions come from; those of two sources are spelt otherwise.
enum { NAMES_OF_ARCHIVE, NAMES_OF_OPENMP, NAMES_OF_FUNCTIONS, NAME_SOURCES };

enum { NAMES_MOST = 1000 }; // of a run; more tell no more

typedef struct names {
    const char *of[NAMES_MOST];
    size_t count;
} names;

/// Every program has a main function; what has no name is called in some other way.
static void add_name(names *out, const char *name)
{
    static const char *const nobody[] = {"main", "MAIN__", "<module>", "Unresolved", "_NOT_Found"};
    if (!*name || (name[0] == '0' && name[1] == 'x') || out->count == NAMES_MOST)
        return;
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++)
        if (strcmp(name, nobody[i]) == 0)
            return;
    out->of[out->count++] = name;
}

static void find_names(const pj_run *run, int source, names *out)
{
    out->count = 0;
    for (uint32_t i = 0; source == NAMES_OF_ARCHIVE && i < run->names.region_count; i++) {
        const pj_region *region = &run->names.regions[i];
        if (region->kind && (!strcmp(region->kind, "function") || !strcmp(region->kind, "user")))
            add_name(out, region->name);
    }
    uint16_t code = source == NAMES_OF_OPENMP ? PJ_OMP_FUNCTION : PJ_FUNCTION;
    for (size_t i = 0; source != NAMES_OF_ARCHIVE && i < run->names.label_count; i++)
        if (run->names.labels[i].code == code && run->names.labels[i].value)
            add_name(out, run->names.labels[i].text);
}

static bool share_one(const names *a, const names *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (strcmp(a->of[i], b->of[k]) == 0)
                return true;
    return false;
}

/// One function may be missing in a run, or have another name; not all of them.
static const char *other_functions(const pj_study *study, size_t run, pj_arena *arena)
{
    enum { LEAST = 2 };
    const pj_case *first = &study->cases[study->reference], *other = &study->cases[run];
    if (strcmp(first->run->format, other->run->format) != 0)
        return NULL;
    names *a = pj_new(arena, names), *b = pj_new(arena, names);
    const char *found = NULL;
    for (int source = 0; source < NAME_SOURCES; source++) {
        find_names(first->run, source, a);
        find_names(other->run, source, b);
        if (share_one(a, b))
            return NULL;
        if (!found && a->count >= LEAST && b->count >= LEAST)
            found =
                pj_arena_format(arena,
                                "no function of %s (%s, %s, ...) is in %s (%s, %s, ...): the "
                                "runs are of different programs",
                                first->name, a->of[0], a->of[1], other->name, b->of[0], b->of[1]);
    }
    return found;
}

/// Whether a call moves data: all programs begin, end and ask for their rank alike.
static bool tells(const pj_mpi_sum *sum)
{
    return sum->calls && sum->class_ != PJ_MPI_OTHER &&
           pj_mpi_call_by_name(pj_str_of(sum->name)) != PJ_MPI_NONE &&
           strcmp(sum->name, "MPI_Barrier") != 0;
}

/// The calls of one run that tell, its most frequent ones at the beginning.
static size_t telling_calls(const pj_mpi_use *use, const pj_mpi_sum **out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < use->count; i++) {
        size_t at = count;
        if (!tells(&use->sums[i]))
            continue;
        for (; at > 0 && out[at - 1]->calls < use->sums[i].calls; at--)
            out[at] = out[at - 1];
        out[at] = &use->sums[i];
        count++;
    }
    return count;
}

/// Between ranks a program communicates by the same calls, whatever their number: none in
/// common are two programs, and so are few where the files have other names.
static const char *other_calls(const pj_study *study, size_t run, pj_arena *arena)
{
    enum { NONE_LEAST = 2, FEW_LEAST = 3, FEW = 3 };
    const pj_case *first = &study->cases[study->reference], *other = &study->cases[run];
    const pj_mpi_use *a = first->run->mpi_use, *b = other->run->mpi_use;
    if (!a || !b || first->run->layout.ranks < 2 || other->run->layout.ranks < 2 ||
        first->run->part.whole || other->run->part.whole || pj_import_cut(&first->run->import) ||
        pj_import_cut(&other->run->import))
        return NULL;
    const pj_mpi_sum **of = pj_new_n(arena, const pj_mpi_sum *, a->count + (size_t)1);
    const pj_mpi_sum **with = pj_new_n(arena, const pj_mpi_sum *, b->count + (size_t)1);
    size_t count = telling_calls(a, of), known = telling_calls(b, with), shared = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < known; k++)
            shared += strcmp(of[i]->name, with[k]->name) == 0;
    size_t fewer = count < known ? count : known;
    bool few = shared * FEW <= count + known - shared && fewer >= FEW_LEAST &&
               !pj_str_equal(stem_of(first), stem_of(other));
    if (!few && (shared || fewer < NONE_LEAST))
        return NULL;
    return pj_arena_format(arena,
                           "%s communicates by %s and %s, %s by %s and %s, %s calls in common: the "
                           "runs seem to be of different applications or builds",
                           first->name, of[0]->name, of[1]->name, other->name, with[0]->name,
                           with[1]->name, shared ? "with few" : "with no");
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
    static const char *(*const tells[])(const pj_study *, size_t, pj_arena *) = {
        other_program, other_functions, other_parallelism, other_build, other_calls};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof tells / sizeof *tells; i++)
        for (size_t run = 0; run < study->count && !found; run++)
            if (run != study->reference)
                found = tells[i](study, run, arena);
    for (size_t run = 0; run < study->count && !found; run++)
        if (!pj_import_cut(&study->cases[run].run->import))
            found = other_input(study, run, arena);
    return found;
}
