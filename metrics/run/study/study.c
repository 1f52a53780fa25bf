// Studies: which cases there are, their order, and what each is compared with.
#include "metrics/run/study/study.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/study/study_names.h"
#include "metrics/run/study/study_scaling.h"
#include "metrics/run/sums.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>
#include <string.h>

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/// Study order. With equal threads, fewer threads per rank means more ranks. Parts of a run stay
/// together, in their order.
static int order_runs(const pj_run *a_part, const pj_run *b_part)
{
    const pj_run *a = pj_run_whole(a_part), *b = pj_run_whole(b_part);
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

/// Whether the run on the ideal network, of the same trace, is among the runs.
static bool has_base(pj_run *const *runs, size_t count, const pj_run *one)
{
    for (size_t i = 0; i < count; i++)
        if (!runs[i]->other.base && !runs[i]->part.whole && strcmp(runs[i]->path, one->path) == 0)
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

static bool has_run(pj_run *const *runs, size_t count, const pj_run *one)
{
    for (size_t i = 0; i < count; i++)
        if (runs[i] == one)
            return true;
    return false;
}

static pj_run *const *with_parts(pj_run *const *runs, size_t *count, pj_arena *arena)
{
    size_t most = *count, n = 0;
    for (size_t i = 0; i < *count; i++)
        most += runs[i]->parts.count;
    pj_run **all = pj_new_n(arena, pj_run *, most);
    for (size_t i = 0; i < *count; i++) {
        all[n++] = runs[i];
        for (size_t k = 0; k < runs[i]->parts.count; k++)
            if (!has_run(runs, *count, runs[i]->parts.items[k]))
                all[n++] = runs[i]->parts.items[k];
    }
    *count = n;
    return all;
}

static bool is_same_part(const pj_run *a, const pj_run *b)
{
    return !a->part.name || !b->part.name ? a->part.name == b->part.name
                                          : strcmp(a->part.name, b->part.name) == 0;
}

/// The case that `index` is compared with: the same part of the reference run.
static size_t reference_of(const pj_study *study, size_t index)
{
    const pj_run *one = study->cases[index].run;
    const pj_run *reference = study->cases[study->reference].run;
    if (is_same_part(one, reference))
        return study->reference;
    for (size_t i = 0; i < study->count; i++)
        if (pj_run_whole(study->cases[i].run) == pj_run_whole(reference) &&
            is_same_part(study->cases[i].run, one))
            return i;
    return one->part.whole ? PJ_NO_CASE : study->reference;
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
    if (opts.parts)
        runs = with_parts(runs, &count, given);
    if (opts.reference > count) {
        pj_fail(err, PJ_E_USAGE, NULL, 0,
                "there is no run %zu to refer to; choose a reference from 1 to %zu (by threads)",
                opts.reference, count);
        return NULL;
    }
    pj_study *study = pj_take_memory(sizeof *study);
    *study = (pj_study){.arena = pj_arena_new(NULL), .references = 1, .count = count};
    fill_cases(study, runs);
    pj_study_name_cases(study);
    for (size_t i = 0; i < count; i++)
        fill_keys(study, i);
    study->reference = opts.reference ? opts.reference - 1 : 0;
    for (size_t i = 0; i < count; i++)
        study->cases[i].reference = reference_of(study, i);
    study->chosen = opts.reference > 0;
    pj_study_scale(study, opts.scaling);
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

void pj_study_say_roi(const pj_study *study, pj_buf *out)
{
    enum { NAMED = 4 };
    char from[32], to[32];
    size_t told = 0;
    for (size_t i = 0; i < study->count; i++) {
        const pj_roi *roi = &study->cases[i].run->roi;
        if (!roi->set || ++told > NAMED)
            continue;
        if (told == 1 && out->len && out->at[out->len - 1] != '\n')
            pj_buf_add_char(out, '\n');
        pj_format_duration((double)roi->from_ns, from);
        pj_format_duration((double)roi->to_ns, to);
        pj_buf_addf(out, "%s%s %s to %s",
                    told > 1 ? ", " : "region of interest: ", study->cases[i].name, from, to);
    }
    if (told > NAMED)
        pj_buf_addf(out, ", and %zu more", told - NAMED);
}
