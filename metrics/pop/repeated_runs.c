// Never means of metrics over runs of different runtimes: one run stands for its repetitions.
#include "metrics/pop/repeated_runs.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/repetitions.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>
#include <string.h>

static const double NOISY = 0.05, OTHER_WORK = 0.01; // spreads of times, of instructions
static const double NORMAL = 1.4826, FAR = 3;        // MAD, as a standard deviation; of outliers

enum { NOTES_EACH = 4, NAMES_SHOWN = 6, TOLD_FROM = 3, LOOKED_AT = 64 };

/// Runs that repeat each other, as they came.
typedef struct group {
    pj_run **runs;
    size_t count;
    pj_run *chosen;
    double *runtime, *useful, *instructions, *efficiency; // by run
} group;

/// 0 = not known.
static uint32_t nodes_of(const pj_layout *layout)
{
    uint32_t most = 0;
    for (uint32_t i = 0; layout->node_of && i < layout->locations; i++)
        most = layout->node_of[i] > most ? layout->node_of[i] : most;
    return most;
}

static bool is_same(const pj_run *a, const pj_run *b, pj_arena *arena)
{
    const char *tags[] = {a->tag ? a->tag : "", b->tag ? b->tag : ""};
    return strcmp(pj_layout_text(&a->layout, arena), pj_layout_text(&b->layout, arena)) == 0 &&
           nodes_of(&a->layout) == nodes_of(&b->layout) && strcmp(tags[0], tags[1]) == 0 &&
           !a->other.base && !b->other.base;
}

static void measure(group *g, pj_arena *arena)
{
    g->runtime = pj_new_n(arena, double, g->count);
    g->useful = pj_new_n(arena, double, g->count);
    g->instructions = pj_new_n(arena, double, g->count);
    g->efficiency = pj_new_n(arena, double, g->count);
    for (size_t i = 0; i < g->count; i++) {
        pj_sums sums = pj_sums_of(g->runs[i]);
        g->runtime[i] = (double)g->runs[i]->runtime_ns;
        g->useful[i] = sums.useful_sum;
        g->instructions[i] = sums.instructions;
        double all = g->runtime[i] * g->runs[i]->layout.locations;
        g->efficiency[i] = all > 0 ? sums.useful_sum / all : 0;
    }
}

static int by_runtime(const void *a, const void *b)
{
    const pj_run *x = *(pj_run *const *)a, *y = *(pj_run *const *)b;
    if (x->runtime_ns != y->runtime_ns)
        return x->runtime_ns < y->runtime_ns ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void choose(group *g, pj_repeat how, pj_arena *arena)
{
    pj_run **sorted = pj_new_n(arena, pj_run *, g->count);
    memcpy(sorted, g->runs, g->count * sizeof *sorted);
    qsort(sorted, g->count, sizeof *sorted, by_runtime);
    g->chosen = sorted[how == PJ_REPEAT_BEST ? 0 : (g->count - 1) / 2];
}

static void note(pj_repeated_runs *out, const group *g, pj_severity severity, const char *text)
{
    out->notes[out->note_count++] = (pj_repeated_note){g->chosen, severity, text};
}

static const char *names_of(const group *g, pj_arena *arena)
{
    pj_auto_buf names = {.at = NULL};
    for (size_t i = 0; i < g->count && i < NAMES_SHOWN; i++)
        pj_buf_addf(&names, "%s%s", i ? ", " : "", g->runs[i]->name);
    if (g->count > NAMES_SHOWN)
        pj_buf_addf(&names, " and %zu more", g->count - NAMES_SHOWN);
    return pj_arena_text(arena, pj_buf_str(&names));
}

static void say_who(pj_repeated_runs *out, const group *g, pj_repeat how, pj_arena *arena)
{
    char median[32], least[32], most[32], low[32], high[32];
    pj_repeated r = pj_repetitions_of(g->runtime, g->count);
    pj_repeated e = pj_repetitions_of(g->efficiency, g->count);
    pj_format_duration(r.median, median);
    pj_format_duration(r.least, least);
    pj_format_duration(r.most, most);
    pj_format_duration(r.low, low);
    pj_format_duration(r.high, high);
    note(out, g, PJ_NOTE,
         pj_arena_format(arena,
                         "the %s of %zu repetitions (%s): median runtime %s, %s to %s (spread "
                         "%.1f %%), within %s to %s with %.1f %%; parallel efficiency %.3f to %.3f",
                         how == PJ_REPEAT_BEST ? "fastest" : "median run", g->count,
                         names_of(g, arena), median, least, most, 100 * r.spread, low, high,
                         100 * r.coverage, e.least, e.most));
}

/// What the spread comes from, as far as counters tell.
static void say_noise(pj_repeated_runs *out, const group *g, pj_arena *arena)
{
    pj_repeated runtime = pj_repetitions_of(g->runtime, g->count);
    pj_repeated useful = pj_repetitions_of(g->useful, g->count);
    pj_repeated instructions = pj_repetitions_of(g->instructions, g->count);
    bool counted = instructions.least > 0;
    if (runtime.spread > NOISY)
        note(out, g, PJ_WARNING,
             pj_arena_format(arena, "runtimes of its repetitions differ by %.1f %%%s",
                             100 * runtime.spread,
                             runtime.outliers
                                 ? pj_arena_format(arena, ", %zu of them far off", runtime.outliers)
                                 : ""));
    if (counted && instructions.spread > OTHER_WORK)
        note(out, g, PJ_WARNING,
             pj_arena_format(arena,
                             "its repetitions are not the same work: instructions differ by "
                             "%.1f %%",
                             100 * instructions.spread));
    else if (counted && useful.spread > NOISY)
        note(out, g, PJ_WARNING,
             pj_arena_format(arena,
                             "noise or clock: its repetitions compute for times that differ "
                             "by %.1f %%, with the same instructions",
                             100 * useful.spread));
}

/// The first one slower than all others, beyond their scatter.
static void say_warm_up(pj_repeated_runs *out, const group *g)
{
    pj_repeated others = pj_repetitions_of(g->runtime + 1, g->count - 1);
    double scatter = FAR * NORMAL * others.mad;
    if (g->count > 2 && g->runtime[0] > others.most && g->runtime[0] > others.median + scatter)
        note(out, g, PJ_NOTE,
             "the first of its repetitions is slower than all others: it may have warmed up caches "
             "and file systems");
}

static bool is_taken(pj_run *const *runs, size_t count, const pj_run *run)
{
    for (size_t i = 0; i < count; i++)
        if (runs[i] == run)
            return true;
    return false;
}

/// The repetitions of a run among those behind it.
static group group_of(pj_run *const *runs, size_t count, size_t first, pj_arena *arena)
{
    group g = {.runs = pj_new_n(arena, pj_run *, count - first)};
    for (size_t i = first; i < count; i++)
        if (!runs[i]->part.whole && is_same(runs[first], runs[i], arena))
            g.runs[g.count++] = runs[i];
    return g;
}

/// Two runs of one size may be before and after a change; more are rather repetitions.
static void say_together(pj_repeated_runs *out, const group *g, pj_arena *arena)
{
    const char *text = pj_arena_format(
        arena,
        "%zu runs of one size: where they are repetitions --repeat median shows the one "
        "that stands for them, with their spread and what is noise",
        g->count);
    for (size_t i = 0; g->count >= TOLD_FROM && i < g->count; i++)
        out->notes[out->note_count++] = (pj_repeated_note){g->runs[i], PJ_NOTE, text};
}

void pj_repeated_runs_choose(pj_run *const *runs, size_t count, pj_repeat how,
                             pj_repeated_runs *out, pj_arena *arena)
{
    pj_run **chosen = pj_new_n(arena, pj_run *, count + 1),
           **seen = pj_new_n(arena, pj_run *, count);
    size_t chosen_count = 0, seen_count = 0;
    *out = (pj_repeated_runs){.items = pj_new_n(arena, pj_run *, count + 1),
                              .notes = pj_new_n(arena, pj_repeated_note, NOTES_EACH * count + 1)};
    bool all = how == PJ_REPEAT_ALL;
    for (size_t i = 0; (!all || count <= LOOKED_AT) && i < count; i++) {
        if (runs[i]->part.whole || is_taken(seen, seen_count, runs[i]))
            continue;
        group g = group_of(runs, count, i, arena);
        for (size_t k = 0; k < g.count; k++)
            seen[seen_count++] = g.runs[k];
        choose(&g, how, arena);
        chosen[chosen_count++] = g.chosen;
        if (all)
            say_together(out, &g, arena);
        if (all || g.count < 2)
            continue;
        measure(&g, arena);
        say_who(out, &g, how, arena);
        say_noise(out, &g, arena);
        say_warm_up(out, &g);
    }
    for (size_t i = 0; i < count; i++) {
        pj_run *whole = (pj_run *)pj_run_whole(runs[i]);
        bool alone = runs[i]->part.whole && !is_taken(runs, count, whole);
        if (all || alone || is_taken(chosen, chosen_count, whole))
            out->items[out->count++] = runs[i];
    }
}
