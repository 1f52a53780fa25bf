// What costs an AI run most, read off the account of its devices. Ownership: arena.
#ifndef PJ_AI_FAULTS_H
#define PJ_AI_FAULTS_H

#include "metrics/analyse/faults/faults.h"
#include "metrics/base/arena.h"
#include "metrics/run/run.h"

/// All faults of a run that has an account, in any order: times are of all devices, disjoint, so
/// that they add up.
void pj_ai_faults_find(const pj_run *run, pj_arena *arena, pj_faults *out);

#endif
