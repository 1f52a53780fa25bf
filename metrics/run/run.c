// A run's life: made by a reader, held by studies, metrics and scripts.
#include "metrics/run/run.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pj_str file_name(pj_str path)
{
    size_t slash = pj_str_find_last(path, '/');
    return slash < path.len ? pj_str_from(path, slash + 1) : path;
}

/// Whether an archive's anchor is called as its measurement system calls every one.
static bool says_nothing(pj_str anchor)
{
    static const pj_str names[] = {{"traces.otf2", 11}, {"eztrace_log.otf2", 16}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pj_str_equal(anchor, names[i]))
            return true;
    return false;
}

/// The name of the folder that a file lies in, which may be the one that the program runs in.
static pj_str folder_name(pj_str path, pj_arena *arena)
{
    char here[PATH_MAX];
    size_t slash = pj_str_find_last(path, '/');
    pj_str folder = pj_str_head(path, slash < path.len ? slash : 0);
    if ((slash == path.len || pj_str_equal(folder, PJ_S("."))) && getcwd(here, sizeof here))
        folder = pj_str_of(pj_arena_text(arena, pj_str_of(here)));
    return file_name(folder);
}

/// The file name without its folder and the suffixes that traces have, or the archive's folder.
static pj_str bare_name(pj_str path, pj_arena *arena)
{
    static const pj_str suffixes[] = {{".prv.gz", 7}, {".prv", 4},     {".otf2", 5},
                                      {".json", 5},   {".json.gz", 8}, {".sqlite", 7}};
    const pj_str summary = PJ_S(".popinjay.json.gz");
    pj_str name = file_name(path);
    if (name.len > summary.len && pj_str_ends(name, summary)) {
        path.len -= summary.len;
        name.len -= summary.len;
    }
    if (says_nothing(name) || pj_str_find(name, '{') < name.len) { // or the files of ranks
        pj_str folder = folder_name(path, arena);
        name = folder.len && folder.at[0] != '.' ? folder : name;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (name.len > suffixes[i].len && pj_str_ends(name, suffixes[i]))
            return pj_str_head(name, name.len - suffixes[i].len);
    return name;
}

pj_run *pj_run_new(const char *path)
{
    pj_run *run = pj_take_memory(sizeof *run);
    *run = (pj_run){.arena = pj_arena_new(NULL), .references = 1, .tag = ""};
    run->path = pj_arena_text(run->arena, pj_str_of(path));
    run->name = pj_arena_text(run->arena, bare_name(pj_str_of(path), run->arena));
    run->ideal.reason = "the ideal-network replay has not run";
    return run;
}

/// Who counts the references: a part lives as long as its run.
static pj_run *keeper(pj_run *run)
{
    return run->part.whole ? run->part.whole : run;
}

pj_run *pj_run_hold(pj_run *run)
{
    keeper(run)->references++;
    return run;
}

void pj_run_release(pj_run *one)
{
    pj_run *run = one ? keeper(one) : NULL;
    if (!run || --run->references > 0)
        return;
    pj_run_release(run->other.base);
    for (size_t i = 0; i < run->parts.count; i++)
        free(run->parts.items[i]->remarks.items);
    free(run->parts.items);
    free(run->remarks.items);
    pj_arena_free(run->arena);
    free(run);
}

static double *copy_clocks(const double *clocks, uint32_t ranks, pj_arena *arena)
{
    double *copy = pj_new_n(arena, double, ranks);
    for (uint32_t i = 0; clocks && i < ranks; i++)
        copy[i] = clocks[i];
    return copy;
}

pj_run *pj_run_case(pj_run *base, const pj_ideal *ideal, const char *network_label)
{
    pj_run *run = pj_take_memory(sizeof *run);
    *run = *base;
    run->arena = pj_arena_new(NULL);
    run->references = 1;
    run->other.base = pj_run_hold(base);
    run->other.label = pj_arena_text(run->arena, pj_str_of(network_label));
    run->name = pj_arena_format(run->arena, "%s @ %s", base->name, network_label);
    run->ideal = *ideal;
    run->ideal.finish_ns = copy_clocks(ideal->finish_ns, base->layout.ranks, run->arena);
    run->ideal.first_ns = copy_clocks(ideal->first_ns, base->layout.ranks, run->arena);
    run->ideal.ahead_ns = copy_clocks(ideal->ahead_ns, base->layout.ranks, run->arena);
    run->ideal.compute_ns = copy_clocks(ideal->compute_ns, base->layout.ranks, run->arena);
    run->sums = NULL; // follow from the totals and the clocks
    run->part = (pj_part_of){.whole = NULL};
    run->parts = (pj_run_parts){.items = NULL};
    run->remarks = (pj_remarks){.items = NULL};
    for (size_t i = 0; i < base->remarks.count; i++)
        pj_run_remark(run, base->remarks.items[i].severity, base->remarks.items[i].key, "%s",
                      base->remarks.items[i].text);
    return run;
}

static pj_run *new_part(pj_run *whole, pj_str name)
{
    pj_run *part = pj_new(whole->arena, pj_run);
    *part = (pj_run){.arena = whole->arena,
                     .path = whole->path,
                     .format = whole->format,
                     .tag = whole->tag,
                     .layout = whole->layout,
                     .names = whole->names,
                     .has_mpi = whole->has_mpi,
                     .has_openmp = whole->has_openmp,
                     .told = whole->told,
                     .provenance = whole->provenance};
    part->part = (pj_part_of){whole, pj_arena_text(whole->arena, name)};
    part->name = pj_arena_format(whole->arena, "%s: %s", whole->name, part->part.name);
    part->ideal.reason = "a part of a run has no replay of its own";
    pj_grow(whole->parts.items, &whole->parts.cap, whole->parts.count + 1);
    whole->parts.items[whole->parts.count++] = part;
    return part;
}

pj_run *pj_run_add_part(pj_run *whole, pj_str name)
{
    pj_run *part = new_part(whole, name);
    pj_run_allocate(part);
    return part;
}

/// Of threads of which nothing is known: all such parts share them.
static pj_totals *unknown_totals(const pj_run *whole)
{
    for (size_t i = 0; i < whole->parts.count; i++)
        if (whole->parts.items[i]->untraced && whole->parts.items[i]->totals)
            return whole->parts.items[i]->totals;
    return pj_new_n(whole->arena, pj_totals, whole->layout.locations + 1);
}

pj_run *pj_run_add_sums(pj_run *whole, pj_str name, const struct pj_sums *sums)
{
    pj_totals *totals = unknown_totals(whole);
    pj_run *part = new_part(whole, name);
    part->totals = totals;
    part->sums = sums;
    part->untraced = true;
    part->no_states = whole->no_states;
    part->counters = pj_new_n(whole->arena, pj_counter, PJ_COUNTER_CYCLES + 1);
    part->counter_count = PJ_COUNTER_CYCLES + 1;
    for (unsigned c = 0; c < part->counter_count; c++)
        part->counters[c].name = whole->counters[c].name;
    return part;
}

const pj_run *pj_run_whole(const pj_run *run)
{
    return run->part.whole ? run->part.whole : run;
}

void pj_run_set_tag(pj_run *run, pj_str tag)
{
    for (; run; run = run->other.base) {
        run->tag = pj_arena_text(run->arena, tag);
        for (size_t i = 0; i < run->parts.count; i++)
            run->parts.items[i]->tag = run->tag;
    }
}

bool pj_run_calls_devices(const pj_run *run)
{
    for (uint32_t i = 0; run->totals && i < run->layout.locations; i++)
        if (run->totals[i].device_calls_ns)
            return true;
    return false;
}

void pj_run_allocate(pj_run *run)
{
    uint32_t n = run->layout.locations;
    run->totals = pj_new_n(run->arena, pj_totals, n);
    for (uint32_t i = 0; i < n; i++)
        run->totals[i].first_record_ns = UINT64_MAX;
    run->counter_count = 2;
    run->counters = pj_new_n(run->arena, pj_counter, run->counter_count);
    static const char *const names[] = {"instructions", "cycles"};
    for (uint32_t c = 0; c < run->counter_count; c++)
        run->counters[c] =
            (pj_counter){.name = names[c], .useful = pj_new_n(run->arena, int64_t, n)};
}

void pj_run_remark(pj_run *run, pj_severity severity, const char *key, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pj_remarks *remarks = &run->remarks;
    pj_grow(remarks->items, &remarks->cap, remarks->count + 1);
    remarks->items[remarks->count++] =
        (pj_remark){severity, pj_arena_text(run->arena, pj_str_of(text)),
                    pj_arena_text(run->arena, pj_str_of(key))};
}
