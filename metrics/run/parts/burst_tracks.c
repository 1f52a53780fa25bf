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
static const double as_near = 0.02;  // less is no difference: where they come tells, then size
static const double as_early = 0.01; // the same of positions

typedef struct place {
    double x, y;
    double position; // among the bursts of a thread
    double bursts;   // of a rank
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
        const char *lack = pj_run_lacks_states(run);
        if (lack || !run->bursts)
            return pj_fail(err, PJ_E_MISSING, run->path, 0, "%s",
                           lack ? lack : "nobody has looked for bursts");
        if (run->bursts->timed || !run->bursts->count)
            return pj_fail(err, PJ_E_MISSING, run->path, 0,
                           "has no clusters of instructions and IPC that could be found again in "
                           "other runs; record with these counters (PAPI_TOT_INS, PAPI_TOT_CYC)");
    }
    return true;
}

/// Where a cluster lies; with strong scaling each of p ranks has a p-th of the work.
static place place_of(const pj_study *study, size_t index, uint32_t cluster, double most_ipc)
{
    const pj_burst_sum *sum = &bursts_of(study, index)->clusters[cluster];
    double work = (double)sum->instructions / (double)sum->bursts;
    if (study->scaling == PJ_SCALING_STRONG)
        work *= study->cases[index].layout->ranks;
    return (place){log10(fmax(work, 1)), ipc_of(sum) / most_ipc,
                   pj_burst_position(sum, bursts_of(study, index)->order),
                   (double)sum->bursts / study->cases[index].layout->ranks};
}

static double largest_ipc(const pj_study *study)
{
    double most = 0;
    for (size_t i = 0; i < study->count; i++)
        for (uint32_t k = 0; k < bursts_of(study, i)->count; k++)
            most = fmax(most, ipc_of(&bursts_of(study, i)->clusters[k]));
    return most > 0 ? most : 1;
}

/// The cluster of the case before that is nearest, of several that are as near the one that comes
/// at the same place, then the longest; PJ_NO_CLUSTER = none is near.
static uint32_t nearest(const place *before, uint32_t count, place at)
{
    uint32_t best = PJ_NO_CLUSTER;
    double least = farthest, apart = 2;
    for (uint32_t i = 0; i < count; i++)
        least = fmin(least, hypot(before[i].x - at.x, before[i].y - at.y));
    for (uint32_t i = 0; i < count; i++) { // the longest first
        double far = hypot(before[i].x - at.x, before[i].y - at.y);
        double moved = fabs(before[i].position - at.position);
        if (far < farthest && far <= least + as_near && moved < apart - as_early) {
            apart = moved;
            best = i;
        }
    }
    return best;
}

/// The cluster that nobody follows yet and that comes as often at the same place, whatever it
/// computes there; PJ_NO_CLUSTER = there is none.
static uint32_t at_same_place(const place *before, const bool *followed, uint32_t count, place at)
{
    static const double as_often = 1e-6;
    uint32_t best = PJ_NO_CLUSTER;
    double least = as_early;
    for (uint32_t i = 0; i < count; i++) {
        double moved = fabs(before[i].position - at.position);
        if (!followed[i] && moved < least && fabs(before[i].bursts - at.bursts) < as_often) {
            least = moved;
            best = i;
        }
    }
    return best;
}

/// Fills in which cluster of the case before each cluster of a case follows.
static void follow_case(const place *before, uint32_t old_count, const place *here, uint32_t count,
                        uint32_t *followed_by)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    bool *followed = pj_new_n(arena, bool, old_count + 1);
    for (uint32_t k = 0; k < count; k++) {
        followed_by[k] = nearest(before, old_count, here[k]);
        if (followed_by[k] != PJ_NO_CLUSTER)
            followed[followed_by[k]] = true;
    }
    for (uint32_t k = 0; k < count; k++) // the longest first
        if (followed_by[k] == PJ_NO_CLUSTER) {
            followed_by[k] = at_same_place(before, followed, old_count, here[k]);
            if (followed_by[k] != PJ_NO_CLUSTER)
                followed[followed_by[k]] = true;
        }
}

static void follow(const pj_study *study, pj_burst_tracks *out, pj_arena *arena)
{
    const double most = largest_ipc(study);
    const place *before = NULL;
    for (size_t i = 0; i < study->count; i++) {
        const pj_burst_clusters *bursts = bursts_of(study, i);
        uint32_t old_count = i ? bursts_of(study, i - 1)->count : 0;
        place *here = pj_new_n(arena, place, bursts->count);
        out->track_of[i] = pj_new_n(arena, uint32_t, bursts->count);
        out->before[i] = pj_new_n(arena, uint32_t, bursts->count);
        for (uint32_t k = 0; k < bursts->count; k++)
            here[k] = place_of(study, i, k, most);
        follow_case(before, old_count, here, bursts->count, out->before[i]);
        for (uint32_t k = 0; k < bursts->count; k++) {
            uint32_t old = out->before[i][k];
            out->track_of[i][k] = old == PJ_NO_CLUSTER ? out->count++ : out->track_of[i - 1][old];
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
    {"position", "Position", "Mean place among the bursts of a thread: 0 the first, 1 the last.",
     PJ_UNIT_RATIO, PJ_TEXT_NONE},
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
    *cell++ = pj_cell_real(ipc_of(sum) / ipc_of(old));
    *cell = pj_cell_real(pj_burst_position(sum, bursts_of(study, index)->order));
}

/// " Cluster 3 of a_4 splits into 2, 5 of a_8."; "" where none does.
static const char *splits_text(const pj_study *study, const pj_burst_tracks *tracks,
                               pj_arena *arena)
{
    pj_auto_buf text = {.at = NULL};
    for (size_t i = 1; i < study->count; i++)
        for (uint32_t old = 0; old < bursts_of(study, i - 1)->count; old++) {
            pj_auto_buf into = {.at = NULL};
            unsigned count = 0;
            for (uint32_t k = 0; k < bursts_of(study, i)->count; k++)
                if (tracks->before[i][k] == old)
                    pj_buf_addf(&into, "%s%u", count++ ? ", " : "", k + 1);
            if (count > 1)
                pj_buf_addf(&text, " Cluster %u of %s splits into %s of %s.", old + 1,
                            study->cases[i - 1].name, into.at, study->cases[i].name);
        }
    return pj_arena_text(arena, pj_buf_str(&text));
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
        "IPC, of several as near to the one that comes at the same place of the run, then to the "
        "longest; what is near none, to one that comes as often at the same place. %s scaling.%s",
        study->scaling == PJ_SCALING_STRONG ? " x ranks" : "",
        study->scaling == PJ_SCALING_STRONG ? "Strong" : "Weak",
        splits_text(study, &tracks, table->arena));
    return table;
}
