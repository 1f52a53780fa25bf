// Which communicators of processes are one: handles mean something in their process alone.
// Ownership: new/free; what the run knows of them is its arena's.
#ifndef PJ_AI_COMMUNICATORS_H
#define PJ_AI_COMMUNICATORS_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/run.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pj_ai_communicators pj_ai_communicators;

enum { PJ_AI_WORLD = 1 }; // number of the communicator of all ranks

/// From the collectives that ranks keep, in order: fills run->names.communicators. NULL when it is
/// stopped.
PJ_CHECKED pj_ai_communicators *pj_ai_communicators_new(pj_run *run, pj_ai_rank *const *ranks,
                                                        size_t count, pj_job *job, pj_err *err);
void pj_ai_communicators_free(pj_ai_communicators *all);
/// The number of what a rank calls so; PJ_AI_WORLD where its collectives do not tell.
uint32_t pj_ai_communicators_of(const pj_ai_communicators *all, uint32_t rank, int64_t handle);
/// The rank of the run that is the `member`-th of a communicator; PJ_AI_NONE = it was not read.
uint32_t pj_ai_communicators_member(const pj_ai_communicators *all, uint32_t communicator,
                                    int64_t member);

#endif
