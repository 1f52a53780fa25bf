// What a visit of a region costs in a trace, and which group a region is of.
// Ownership: borrow.
#ifndef PJ_SCORE_COST_H
#define PJ_SCORE_COST_H

#include "metrics/analyse/score.h"
#include "metrics/base/err.h"
#include "metrics/read/otf2/otf2_sizes.h"
#include "metrics/read/profile/cube/cube.h"

typedef struct pj_score_cost {
    uint64_t sizes[PJ_OTF2_SIZE_COUNT]; // bytes of events
    uint32_t counters;
    bool samples; // enter and leave carry calling contexts
} pj_score_cost;

/// Sizes of events for what a file defines. Errors: PJ_E_MISSING.
PJ_CHECKED bool pj_score_cost_of(pj_score_cost *cost, const pj_cube *cube, uint32_t counters,
                                 pj_err *err);
/// Bytes of a visit of a call path, parameters included.
uint64_t pj_score_visit_bytes(const pj_score_cost *cost, const pj_cube *cube,
                              const pj_cube_node *node);
uint64_t pj_score_hit_bytes(const pj_score_cost *cost);
/// Of a visit, of the hardware counters at its enter and leave.
uint64_t pj_score_counter_bytes(const pj_score_cost *cost);
/// Regions of instances and iterations, and what stands for switched-off measurement: what they
/// have counts for their caller.
bool pj_score_is_part(const pj_cube_region *region);
/// By paradigm, or by name where that is not known; USR for all else.
pj_score_group pj_score_group_of(const pj_cube_region *region);

#endif
