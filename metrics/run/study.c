// Studies: order of the cases, their names, the reference and the kind of scaling.
#include "metrics/run/study.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/sums.h"
#include "metrics/trace/layout.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/// Study order. With equal threads, fewer threads per rank means more ranks.
static int order_runs(const pj_run *a, const pj_run *b)
{
    int order = compare(a->layout.locations, b->layout.locations);
    if (!order)
        order = compare(b->layout.ranks, a->layout.ranks);
    if (!order)
        order = pj_str_order_natural(pj_str_of(a->tag), pj_str_of(b->tag));
    if (!order)
        order = pj_str_order_natural(pj_str_of(a->name), pj_str_of(b->name));
    if (!order)
        order = pj_str_order_natural(pj_str_of(a->path), pj_str_of(b->path));
    return order;
}

/// Insertion keeps runs that compare equal in the order they came in.
static void sort_runs(pj_run **runs, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        pj_run *run = runs[i];
        size_t at = i;
        for (; at > 0 && order_runs(run, runs[at - 1]) < 0; at--)
            runs[at] = runs[at - 1];
        runs[at] = run;
    }
}

static void fill_cases(pj_study *study, pj_run *const *runs)
{
    pj_auto_arena kept = pj_arena_new(NULL);
    pj_run **sorted = pj_new_n(kept, pj_run *, study->count);
    for (size_t i = 0; i < study->count; i++)
        sorted[i] = runs[i];
    sort_runs(sorted, study->count);
    study->cases = pj_new_n(study->arena, pj_case, study->count);
    for (size_t i = 0; i < study->count; i++)
        study->cases[i] = (pj_case){.run = pj_run_hold(sorted[i]),
                                    .layout = &sorted[i]->layout,
                                    .sums = pj_sums_of(sorted[i])};
}

/// What the names of a study are made from, by run.
typedef struct naming {
    size_t count;
    pj_str *files; // where the trace is, from the root
    pj_str *bares; // the same less the suffix that the run's name lacks
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

static void name_cases(pj_study *study)
{
    pj_auto_arena kept = pj_arena_new(NULL);
    naming names = {study->count, pj_new_n(kept, pj_str, study->count),
                    pj_new_n(kept, pj_str, study->count)};
    for (size_t i = 0; i < study->count; i++) {
        names.files[i] = path_from_root(study->cases[i].run, kept);
        const pj_run *run = study->cases[i].run;
        pj_str name = pj_str_of(run->other.base ? run->other.base->name : run->name);
        names.bares[i] = bare_path(names.files[i], name);
    }
    for (size_t i = 0; i < study->count; i++) {
        const char *label = study->cases[i].run->other.label;
        const char *name = pj_arena_text(study->arena, shown_name(&names, i));
        study->cases[i].name = label ? pj_arena_format(study->arena, "%s @ %s", name, label) : name;
    }
}

static void fill_keys(pj_study *study, size_t run)
{
    const pj_layout *layout = study->cases[run].layout;
    uint32_t per_rank = pj_layout_threads_per_rank(layout);
    const char *text = pj_layout_text(layout, study->arena);
    const char **keys = study->cases[run].keys;
    keys[PJ_BY_NONE] = "";
    keys[PJ_BY_RANKS] = pj_arena_format(study->arena, "%u", layout->ranks);
    keys[PJ_BY_THREADS] = pj_arena_format(study->arena, "%u", layout->locations);
    keys[PJ_BY_LAYOUT] = text;
    pj_str varying = pj_str_of(text);
    keys[PJ_BY_THREADS_PER_RANK] = per_rank
                                       ? pj_arena_format(study->arena, "%u", per_rank)
                                       : pj_str_from(varying, pj_str_find(varying, 'x') + 1).at;
    keys[PJ_BY_TAG] = pj_arena_text(study->arena, pj_str_of(study->cases[run].run->tag));
}

/// One sign of weak scaling: the mean of a quantity over that of the reference run.
typedef struct indicator {
    const char *title;
    double mean;
    bool available;
} indicator;

static double useful_per_thread(const pj_case *one)
{
    return one->sums.useful_sum / one->layout->locations;
}

static double runtime(const pj_case *one)
{
    return one->sums.runtime;
}

static double instructions_per_thread(const pj_case *one)
{
    return one->sums.instructions / one->layout->locations;
}

static bool is_of_size(const pj_study *study, size_t a, size_t b)
{
    return study->cases[a].layout->locations == study->cases[b].layout->locations;
}

/// The runs of one size stand together; the first of the next one.
static size_t end_of_size(const pj_study *study, size_t run)
{
    size_t end = run + 1;
    while (end < study->count && is_of_size(study, end, run))
        end++;
    return end;
}

/// The mean of runs [from, to) over the reference; 0 when one of them lacks the quantity. Where
/// they are smaller than the reference it is taken the other way round, so that the choice of the
/// reference changes nothing.
static double vote_of_size(const pj_study *study, size_t from, size_t to,
                           double (*quantity)(const pj_case *one))
{
    double first = quantity(&study->cases[study->reference]), sum = 0;
    for (size_t i = from; i < to; i++) {
        double value = quantity(&study->cases[i]);
        if (value <= 0)
            return 0;
        sum += from < study->reference ? first / value : value / first;
    }
    return sum / (double)(to - from);
}

/// One vote a size, however often it was run; runs of the reference's size tell nothing.
static indicator indicate(const pj_study *study, const char *title,
                          double (*quantity)(const pj_case *one))
{
    bool available = quantity(&study->cases[study->reference]) > 0;
    double sum = 0;
    size_t sizes = 0;
    for (size_t from = 0, to; available && from < study->count; from = to) {
        to = end_of_size(study, from);
        if (is_of_size(study, from, study->reference))
            continue;
        double vote = vote_of_size(study, from, to, quantity);
        available = vote > 0;
        sum += vote;
        sizes++;
    }
    available = available && sizes > 0;
    return (indicator){title, available ? sum / (double)sizes : 0, available};
}

static const char *const scaling_names[] = {"auto", "strong", "weak"};

/// Two of three indicators above 0.9 mean weak scaling (BSC Basic Analysis, 2026).
static void detect_scaling(pj_study *study, pj_scaling wanted)
{
    const indicator indicators[] = {
        indicate(study, "instructions per thread", instructions_per_thread),
        indicate(study, "runtime", runtime),
        indicate(study, "useful time per thread", useful_per_thread),
    };
    unsigned votes = 0, voters = 0;
    pj_auto_buf seen = {0};
    for (size_t i = 0; i < sizeof indicators / sizeof *indicators; i++) {
        if (!indicators[i].available)
            continue;
        voters++;
        votes += indicators[i].mean > 0.9;
        pj_buf_addf(&seen, "%s%s %.2f", seen.len ? ", " : "", indicators[i].title,
                    indicators[i].mean);
    }
    pj_scaling detected = votes >= 2 ? PJ_SCALING_WEAK : PJ_SCALING_STRONG;
    study->scaling = wanted == PJ_SCALING_AUTO ? detected : wanted;
    const char *name = scaling_names[study->scaling];
    if (wanted != PJ_SCALING_AUTO)
        study->scaling_note = pj_arena_format(
            study->arena, "%s scaling (chosen%s)", name,
            voters && wanted != detected ? "; the runs look like the other kind" : "");
    else if (voters)
        study->scaling_note = pj_arena_format(
            study->arena, "%s scaling (detected: %s of the reference run)", name, seen.at);
    else
        study->scaling_note =
            study->one_size
                ? "one size: nothing to detect"
                : pj_arena_format(study->arena, "%s scaling (nothing to detect it by)", name);
}

/// Why computation cannot be compared, unless the user says what with.
static const char *why_alone(const pj_study *study, pj_study_opts opts)
{
    if (!study->one_size || opts.reference || opts.scaling != PJ_SCALING_AUTO)
        return NULL;
    return study->count == 1 ? "one run: computation cannot be compared"
                             : "runs of one size: computation cannot be compared";
}

/// Whether the run on the ideal network, of the same trace, is among the runs.
static bool has_base(pj_run *const *runs, size_t count, const pj_run *one)
{
    for (size_t i = 0; i < count; i++)
        if (!runs[i]->other.base && strcmp(runs[i]->path, one->path) == 0)
            return true;
    return false;
}

static pj_run *const *with_bases(pj_run *const *runs, size_t *count, pj_arena *arena)
{
    pj_run **all = pj_new_n(arena, pj_run *, 2 * *count);
    size_t n = 0;
    for (size_t i = 0; i < *count; i++)
        all[n++] = runs[i];
    for (size_t i = 0; i < *count; i++)
        if (runs[i]->other.base && !has_base(all, n, runs[i]))
            all[n++] = runs[i]->other.base;
    *count = n;
    return all;
}

pj_study *pj_study_new(pj_run *const *runs, size_t count, pj_study_opts opts, pj_err *err)
{
    if (count == 0) {
        pj_fail(err, PJ_E_USAGE, NULL, 0, "there is no run; load at least one trace");
        return NULL;
    }
    pj_auto_arena given = pj_arena_new(NULL);
    if (opts.beside)
        runs = with_bases(runs, &count, given);
    if (opts.reference > count) {
        pj_fail(err, PJ_E_USAGE, NULL, 0,
                "there is no run %zu to refer to; choose a reference from 1 to %zu (by threads)",
                opts.reference, count);
        return NULL;
    }
    pj_study *study = pj_take_memory(sizeof *study);
    *study = (pj_study){.arena = pj_arena_new(NULL), .references = 1, .count = count};
    fill_cases(study, runs);
    name_cases(study);
    for (size_t i = 0; i < count; i++)
        fill_keys(study, i);
    study->reference = opts.reference ? opts.reference - 1 : 0;
    study->one_size = is_of_size(study, 0, count - 1);
    study->chosen = opts.reference > 0;
    detect_scaling(study, opts.scaling);
    study->alone = why_alone(study, opts);
    return study;
}

pj_study *pj_study_hold(pj_study *study)
{
    study->references++;
    return study;
}

void pj_study_release(pj_study *study)
{
    if (!study || --study->references > 0)
        return;
    for (size_t i = 0; i < study->count; i++)
        pj_run_release(study->cases[i].run);
    pj_arena_free(study->arena);
    free(study);
}

static const char *const key_names[PJ_BY_COUNT][2] = {
    [PJ_BY_NONE] = {"none", "None"},
    [PJ_BY_RANKS] = {"ranks", "Ranks"},
    [PJ_BY_THREADS] = {"threads", "Threads"},
    [PJ_BY_THREADS_PER_RANK] = {"threads_per_rank", "Threads per rank"},
    [PJ_BY_LAYOUT] = {"layout", "Layout"},
    [PJ_BY_TAG] = {"tag", "Tag"},
};

const char *pj_key_name(pj_key key)
{
    return key < PJ_BY_COUNT ? key_names[key][0] : NULL;
}

const char *pj_key_title(pj_key key)
{
    return key < PJ_BY_COUNT ? key_names[key][1] : NULL;
}

bool pj_key_parse(pj_str text, pj_key *out)
{
    for (pj_key key = PJ_BY_RANKS; key < PJ_BY_COUNT; key++)
        if (pj_str_equal(text, pj_str_of(pj_key_name(key)))) {
            *out = key;
            return true;
        }
    return false;
}

const char *pj_study_key_text(const pj_study *study, size_t run, pj_key key)
{
    return study->cases[run].keys[key];
}

/// Position of the run's text among the distinct texts of the study, from 0.
static double position(const pj_study *study, size_t run, pj_key key)
{
    size_t at = 0;
    for (size_t i = 0; i < study->count; i++) {
        pj_str text = pj_str_of(study->cases[i].keys[key]);
        bool first = true;
        for (size_t before = 0; before < i && first; before++)
            first = !pj_str_equal(pj_str_of(study->cases[before].keys[key]), text);
        if (pj_str_equal(text, pj_str_of(study->cases[run].keys[key])))
            return (double)at;
        at += first;
    }
    return (double)at;
}

double pj_study_key_number(const pj_study *study, size_t run, pj_key key)
{
    const pj_layout *layout = study->cases[run].layout;
    switch (key) {
    case PJ_BY_RANKS:
        return layout->ranks;
    case PJ_BY_THREADS:
        return layout->locations;
    case PJ_BY_THREADS_PER_RANK:
        return (double)layout->locations / layout->ranks;
    case PJ_BY_LAYOUT:
    case PJ_BY_TAG:
        return position(study, run, key);
    case PJ_BY_NONE:
    case PJ_BY_COUNT:
        break;
    }
    return 0;
}
