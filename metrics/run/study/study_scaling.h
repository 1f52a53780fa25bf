// Whether the work of a study stays the same (strong scaling) or grows with the threads (weak).
// Ownership: texts are the study's.
#ifndef PJ_STUDY_SCALING_H
#define PJ_STUDY_SCALING_H

#include "metrics/run/study/study.h"

/// Fills scaling, scaling_note, one_size and alone of a study whose reference is known.
void pj_study_scale(pj_study *study, pj_scaling wanted);

#endif
