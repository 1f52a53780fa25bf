// Which clusters of bursts are the same computation in several runs.
#include "metrics/run/parts/burst_tracks.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/parts/burst_clusters.h"
#include "metrics/run/run.h"
#include "metrics/run/run_table.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

#include <math.h>

static const double farthest = 0.12; // a third more instructions, or an eighth of the largest IPC
static const double as_near = 0.01;  // less is no difference: the longer one is meant

typedef struct place {
    double x, y;
} place;

static const pj_burst_clusters *bursts_of(const pj_study *study, size_t index)
{
    return study->cases[index].run->bursts;
}

static double ipc_of(const pj_burst_sum *sum)
{
    return sum->cycles ? (double)sum->instructions / (double)sum->cycles : 0;
}

static bool are_known(const pj_study *study, pj_err *err)
{
    for (size_t i = 0; i < study->count; i++) {
        const pj_run *run = study->cases[i].run;
        if (run->no_states || !run->bursts)
            return pj_fail(err, PJ_E_MISSING, run->path, 0, "%s",
                           run->no_states ? pj_run_lacks_states(run)
                                          : "nobody has looked for bursts");
        if (run->bursts->timed || !run->bursts->count)
            return pj_fail(err, PJ_E_MISSING, run->path, 0,
                           "has no clusters of instructions and IPC that could be found again in "
                           "other runs; record with these counters (PAPI_TOT_INS, PAPI_TOT_CYC)");
    }
    return true;
}

/// Where a cluster lies; with strong scaling each of p ranks has a p-th of the work.
static place place_of(const pj_study *study, size_t index, const pj_burst_sum *sum, double most_ipc)
{
    double work = (double)sum->instructions / (double)sum->bursts;
    if (study->scaling == PJ_SCALING_STRONG)
        work *= study->cases[index].layout->ranks;
    return (place){log10(fmax(work, 1)), ipc_of(sum) / most_ipc};
}

static double largest_ipc(const pj_study *study)
{
    double most = 0;
    for (size_t i = 0; i < study->count; i++)
        for (uint32_t k = 0; k < bursts_of(study, i)->count; k++)
            most = fmax(most, ipc_of(&bursts_of(study, i)->clusters[k]));
    return most > 0 ? most : 1;
}

/// The cluster of the case before that is nearest; PJ_NO_CLUSTER = none is near.
static uint32_t nearest(const place *before, uint32_t count, place at)
{
    uint32_t best = PJ_NO_CLUSTER;
    double least = farthest + as_near;
    for (uint32_t i = 0; i < count; i++) { // the longest first
        double far = hypot(before[i].x - at.x, before[i].y - at.y);
        if (far < least - as_near) {
            least = far;
            best = i;
        }
    }
    return best;
}

static void follow(const pj_study *study, pj_burst_tracks *out, pj_arena *arena)
{
    const double most = largest_ipc(study);
    const place *before = NULL;
    for (size_t i = 0; i < study->count; i++) {
        const pj_burst_clusters *bursts = bursts_of(study, i);
        place *here = pj_new_n(arena, place, bursts->count);
        out->track_of[i] = pj_new_n(arena, uint32_t, bursts->count);
        out->before[i] = pj_new_n(arena, uint32_t, bursts->count);
        for (uint32_t k = 0; k < bursts->count; k++) {
            here[k] = place_of(study, i, &bursts->clusters[k], most);
            uint32_t old =
                before ? nearest(before, bursts_of(study, i - 1)->count, here[k]) : PJ_NO_CLUSTER;
            out->track_of[i][k] = old == PJ_NO_CLUSTER ? out->count++ : out->track_of[i - 1][old];
            out->before[i][k] = old;
        }
        before = here;
    }
}

bool pj_burst_tracks_find(const pj_study *study, pj_burst_tracks *out, pj_arena *arena, pj_err *err)
{
    *out = (pj_burst_tracks){.track_of = pj_new_n(arena, uint32_t *, study->count),
                             .before = pj_new_n(arena, uint32_t *, study->count)};
    if (!are_known(study, err))
        return false;
    follow(study, out, arena);
    out->sums = pj_new_n(arena, pj_burst_sum, study->count * out->count);
    for (size_t i = 0; i < study->count; i++)
        for (uint32_t k = 0; k < bursts_of(study, i)->count; k++)
            pj_burst_sum_add(&out->sums[i * out->count + out->track_of[i][k]],
                             &bursts_of(study, i)->clusters[k]);
    return true;
}

static const pj_column columns[] = {
    {"track", "Track", "From 1: clusters of the first run, then those that are new.",
     PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
    {"trace", "Trace", NULL, PJ_UNIT_NONE, PJ_TEXT},
    {"ranks", "Ranks", "Of the run.", PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"clusters", "Clusters", "Of that run.", PJ_UNIT_NONE, PJ_TEXT},
    {"bursts", "Bursts", "Of all threads.", PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"time_ns", "Time", "Sum over bursts.", PJ_UNIT_NS, PJ_TEXT_NONE},
    {"share", "Share", "Of the useful time of all clusters.", PJ_UNIT_RATIO, PJ_TEXT_NONE},
    {"instructions", "Instructions", "Sum over bursts.", PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"ipc", "IPC", "Instructions per cycle.", PJ_UNIT_RATIO, PJ_TEXT_NONE},
    {"time_ratio", "Time, x", "Against the first run that has the track (weak scaling: per rank).",
     PJ_UNIT_RATIO, PJ_TEXT_NONE},
    {"instructions_ratio", "Instructions, x", "The same of instructions.", PJ_UNIT_RATIO,
     PJ_TEXT_NONE},
    {"ipc_ratio", "IPC, x", "The same of IPC.", PJ_UNIT_RATIO, PJ_TEXT_NONE},
};

/// "1, 4": clusters of a run that are of a track.
static pj_cell clusters_cell(const pj_study *study, const pj_burst_tracks *tracks, size_t index,
                             uint32_t track, pj_table *table)
{
    pj_auto_buf text = {.at = NULL};
    for (uint32_t k = 0; k < bursts_of(study, index)->count; k++)
        if (tracks->track_of[index][k] == track)
            pj_buf_addf(&text, "%s%u", text.len ? ", " : "", k + 1);
    return pj_cell_text(pj_arena_text(table->arena, pj_buf_str(&text)));
}

static void add_row(const pj_study *study, const pj_burst_tracks *tracks, size_t index,
                    uint32_t track, size_t first, pj_table *table)
{
    const pj_burst_sum *sum = pj_burst_tracks_at(tracks, index, track);
    const pj_burst_sum *old = pj_burst_tracks_at(tracks, first, track);
    double whole = 0, each = 1;
    for (uint32_t i = 0; i < tracks->count; i++)
        whole += (double)pj_burst_tracks_at(tracks, index, i)->time_ns;
    if (study->scaling == PJ_SCALING_WEAK)
        each = (double)study->cases[first].layout->ranks / study->cases[index].layout->ranks;
    pj_cell *cell = pj_table_add_row(table);
    *cell++ = pj_cell_int(track + 1);
    *cell++ = pj_table_copy_cell(table, pj_cell_text(study->cases[index].name));
    *cell++ = pj_cell_int(study->cases[index].layout->ranks);
    *cell++ = clusters_cell(study, tracks, index, track, table);
    *cell++ = pj_cell_int((int64_t)sum->bursts);
    *cell++ = pj_cell_int((int64_t)sum->time_ns);
    *cell++ = pj_cell_real((double)sum->time_ns / whole);
    *cell++ = pj_cell_int((int64_t)sum->instructions);
    *cell++ = pj_cell_real(ipc_of(sum));
    *cell++ = pj_cell_real(each * (double)sum->time_ns / (double)old->time_ns);
    *cell++ = pj_cell_real(each * (double)sum->instructions / (double)old->instructions);
    *cell = pj_cell_real(ipc_of(sum) / ipc_of(old));
}

pj_table *pj_burst_tracks_table(const pj_study *study, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_burst_tracks tracks;
    if (!pj_burst_tracks_find(study, &tracks, arena, err))
        return NULL;
    pj_table *table = pj_table_new("Clusters of bursts in several runs");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (uint32_t track = 0; track < tracks.count; track++)
        for (size_t i = 0, first = study->count; i < study->count; i++) {
            if (!pj_burst_tracks_at(&tracks, i, track)->bursts)
                continue;
            first = first == study->count ? i : first;
            add_row(study, &tracks, i, track, first, table);
        }
    table->note = pj_arena_format(
        table->arena,
        "Clusters of a run belong to that of the run before which is nearest in instructions%s and "
        "IPC; %s scaling.",
        study->scaling == PJ_SCALING_STRONG ? " x ranks" : "",
        study->scaling == PJ_SCALING_STRONG ? "strong" : "weak");
    return table;
}
