// Parts of several runs brought together by their names.
#include "metrics/pop/part_series.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/parts/burst_tracks.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/parts/functions_table.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double second = 1e9; // ns

typedef struct entry {
    const char *name;
    size_t run;
    double value;
} entry;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static void begin(const pj_study *study, pj_part_study *out, pj_arena *arena)
{
    double *p = pj_new_n(arena, double, study->count);
    for (size_t i = 0; i < study->count; i++)
        p[i] = pj_study_key_number(study, i, PJ_BY_THREADS);
    *out = (pj_part_study){
        .p = p, .runs = study->count, .strong = study->scaling == PJ_SCALING_STRONG};
}

static void gather(entry *entries, size_t count, pj_part_study *out, pj_arena *arena)
{
    pj_part_series *items = pj_new_n(arena, pj_part_series, count + 1);
    qsort(entries, count, sizeof *entries, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(entries[i].name, entries[i - 1].name) != 0) {
            pj_part_series *item = &items[out->count++];
            *item = (pj_part_series){entries[i].name, pj_new_n(arena, double, out->runs)};
            for (size_t run = 0; run < out->runs; run++)
                item->value[run] = NAN;
        }
        double *value = &items[out->count - 1].value[entries[i].run];
        *value = entries[i].value + (isnan(*value) ? 0 : *value);
    }
    out->items = items;
}

bool pj_part_study_functions(const pj_study *study, pj_part_study *out, pj_arena *arena,
                             pj_err *err)
{
    size_t count = 0, all = 0;
    begin(study, out, arena);
    for (size_t i = 0; i < study->count; i++) {
        if (!pj_functions_known(study->cases[i].run, err))
            return false;
        all += study->cases[i].run->functions->count;
    }
    entry *entries = pj_new_n(arena, entry, all + 1);
    for (size_t i = 0; i < study->count; i++) {
        const pj_run *run = study->cases[i].run;
        for (uint32_t k = 0; k < run->functions->count; k++) {
            const pj_function *f = &run->functions->items[k];
            entries[count++] =
                (entry){f->name, i, (double)f->own.time_ns / run->layout.locations / second};
        }
        out->title = pj_function_cut_at(run->functions->cut)->title;
    }
    gather(entries, count, out, arena);
    return true;
}

bool pj_part_study_clusters(const pj_study *study, pj_part_study *out, pj_arena *arena, pj_err *err)
{
    pj_burst_tracks tracks;
    begin(study, out, arena);
    if (!pj_burst_tracks_find(study, &tracks, arena, err))
        return false;
    size_t count = 0;
    entry *entries = pj_new_n(arena, entry, study->count * (tracks.count + 1));
    for (size_t i = 0; i < study->count; i++) {
        const pj_run *run = study->cases[i].run;
        double rest = (double)run->runtime_ns;
        for (uint32_t track = 0; track < tracks.count; track++) {
            const pj_burst_sum *sum = pj_burst_tracks_at(&tracks, i, track);
            double time = (double)sum->time_ns / run->layout.locations;
            rest -= time;
            if (sum->bursts)
                entries[count++] =
                    (entry){pj_arena_format(arena, "cluster %u", track + 1), i, time / second};
        }
        entries[count++] = (entry){"outside these clusters", i, fmax(rest, 0) / second};
    }
    out->title = "Clusters of bursts";
    gather(entries, count, out, arena);
    return true;
}
