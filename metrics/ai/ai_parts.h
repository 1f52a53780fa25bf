// Parts of an AI run, as runs of their own. Ownership: the run's arena.
#ifndef PJ_AI_PARTS_H
#define PJ_AI_PARTS_H

#include "metrics/run/ai_account.h"
#include "metrics/run/run.h"

#include <stdint.h>

/// A part of the run in which no device does anything yet.
pj_run *pj_ai_part_new(pj_run *run, const char *name, uint64_t length_ns);
/// What a device does in it; what is left of its length is idle for an unknown cause.
void pj_ai_part_set_device(pj_run *part, uint32_t device, const pj_ai_share *share);
/// How long a rank is in calls of the device's runtime.
void pj_ai_part_set_host(pj_run *part, uint32_t rank, uint64_t driving_ns);
/// The part is a step: its rows, a device's each.
void pj_ai_part_set_steps(pj_run *part, pj_ai_step_row *rows, uint32_t count);
/// What hosts do in the part is not known.
void pj_ai_part_without_hosts(pj_run *part);

#endif
