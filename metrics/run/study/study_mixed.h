// Whether the runs of a study can be compared at all. Ownership: texts are the caller's arena.
#ifndef PJ_STUDY_MIXED_H
#define PJ_STUDY_MIXED_H

#include "metrics/base/arena.h"
#include "metrics/run/study/study.h"

/// Why the runs seem to be of different applications or inputs, as a sentence without a full stop;
/// NULL when they do not.
const char *pj_study_mixed(const pj_study *study, pj_arena *arena);

#endif
