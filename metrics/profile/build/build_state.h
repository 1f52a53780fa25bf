// The inside of a builder: what profile_build.c (items) and profile_values.c (their values) share.
// Ownership: the builder's.
#ifndef PJ_BUILD_STATE_H
#define PJ_BUILD_STATE_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/profile/build/buckets.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"

typedef struct room {
    size_t texts, groups, regions, nodes, edges, lines, locations, measures, columns, series;
    size_t brackets, phases, events, pairs, files;
} room;

struct pj_build {
    pj_profile *p;
    pj_job *job;
    char where[512];
    bool ok;
    bool checked; // made of profiles whose oddities are counted
    pj_err err;
    uint64_t charged; // bytes on the account of the job
    uint64_t arena_charged;
    room cap;
    pj_buckets texts, regions, nodes, edges, lines;
    size_t *column_rows;            // cells of a column are for this many items
    size_t *column_room;            // and there is memory for this many
    size_t *series_points;          // room in a series
    size_t expected[PJ_SITE_COUNT]; // items, as far as the reader can guess; 0 = it cannot
    size_t column_rows_cap, column_room_cap, series_points_cap;
    uint32_t group_count;
    // Edges and lines that have a bucket; later ones get theirs when one is looked for.
    uint32_t edges_known, lines_known;
    uint32_t stride;          // cells of a row, at least one for each location
    pj_profile_region nobody; // what a failed builder hands out
};

/// Puts bytes on the job's account; false when that is more than it may use.
bool pj_build_charge(pj_build *build, uint64_t bytes);
/// `items` with room for `need` of them, unless the builder has failed.
void *pj_build_grown(pj_build *build, void *items, size_t *cap, size_t need, size_t size);
/// Whether one more of `what` may be made; fails the builder otherwise.
bool pj_build_within(pj_build *build, size_t count, size_t most, const char *what);

/// Cells of `rows` items in a column, the new ones absent.
bool pj_build_set_rows(pj_build *build, uint32_t column, size_t rows);

#define PJ_GROW_ARRAY(build, items, cap, need)                                                     \
    ((items) = pj_build_grown((build), (items), (cap), (need), sizeof *(items)))

#endif
