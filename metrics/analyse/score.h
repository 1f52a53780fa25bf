// What a trace of a profiled program would cost: bytes of events by region and process, as
// Score-P's scorep-score estimates them (Score-P 8.4, src/tools/score), with the filters of
// Score-P. Ownership: new/free by counted reference.
#ifndef PJ_SCORE_H
#define PJ_SCORE_H

#include "metrics/analyse/score_filter.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"

/// Kinds of regions; what stands after COM makes user regions above it COM.
typedef enum pj_score_group {
#define SCORE_GROUP(key, ...) PJ_SCORE_##key,
#include "metrics/analyse/score_groups.def"
#undef SCORE_GROUP
    PJ_SCORE_GROUP_COUNT
} pj_score_group;

typedef enum pj_score_sort {
    PJ_SCORE_BY_MAX_BUFFER, // descending, as all but the two that say otherwise
    PJ_SCORE_BY_TOTAL_TIME,
    PJ_SCORE_BY_TIME_PER_VISIT, // ascending
    PJ_SCORE_BY_VISITS,
    PJ_SCORE_BY_NAME, // ascending
} pj_score_sort;

/// A region, or a group of them.
typedef struct pj_score_row {
    pj_str name, mangled, file;
    pj_score_group group;
    bool filtered;
    uint64_t *bytes;  // by process
    uint64_t max_buf; // the largest of them
    uint64_t visits, hits;
    double time; // seconds, of all locations
} pj_score_row;

/// Sums over regions, one of each group.
typedef struct pj_score_sums {
    pj_score_row groups[PJ_SCORE_GROUP_COUNT];
} pj_score_sums;

typedef struct pj_score {
    pj_arena *arena;
    _Atomic uint32_t references;
    pj_score_row *regions; // in the order of the profile
    size_t region_count, process_count;
    uint64_t most_locations; // of a process
    pj_score_sums all;
    pj_score_sums left; // what a filter leaves; FLT = what it takes
    bool has_filter;
    bool has_hits; // a profile of samples
    bool with_regions;
    pj_score_sort sort;
    const char *proposed; // the file that a filter was proposed in; NULL = none
} pj_score;

typedef struct pj_score_opts {
    uint32_t counters;             // hardware counters read at every enter and leave
    const pj_score_filter *filter; // NULL = none
    pj_score_sort sort;
    bool with_regions; // for the text: regions, too
} pj_score_opts;

/// Of a CUBE file, or of a folder of Score-P. Errors: PJ_E_IO, PJ_E_FORMAT, PJ_E_MISSING (no visits
/// or times in it; no libotf2), PJ_E_MEMORY, PJ_E_STOPPED.
PJ_CHECKED pj_score *pj_score_new(const char *path, pj_score_opts opts, pj_job *job, pj_err *err);
pj_score *pj_score_hold(pj_score *score);
void pj_score_release(pj_score *score);

/// "USR"
const char *pj_score_group_name(pj_score_group group);
/// Whether Score-P can leave regions of a group out.
bool pj_score_filterable(pj_score_group group);
/// Rows in the order of a key: groups (without those of no bytes), or regions. Arena: `arena`.
const pj_score_row **pj_score_sorted(const pj_score_row *rows, size_t count, pj_score_sort sort,
                                     pj_arena *arena, size_t *kept);

/// The text of scorep-score; after a proposal with how its file is used.
void pj_score_text(const pj_score *score, pj_buf *out);
/// One row a group, then one a region.
pj_table *pj_score_table(const pj_score *score);

/// Which regions a filter file is proposed for. Zero = no such limit.
typedef struct pj_score_proposal {
    double buffer_percent;  // of the largest process's bytes that a region has at least
    double time_per_visit;  // microseconds, that it takes less of
    double buffer_absolute; // MB that it has at least
    double visits;          // that it has at least
    bool usr, com;          // of these types
} pj_score_proposal;

/// "bufferpercent=1,timepervisit=1,visits=0,bufferabsolute=0,type=usr|com|both"; "" = the defaults.
PJ_CHECKED bool pj_score_parse_proposal(pj_str text, pj_score_proposal *out, pj_err *err);
/// A filter file of Score-P, with a comment on each region.
void pj_score_propose(const pj_score *score, pj_score_proposal proposal, pj_buf *out);

#endif
