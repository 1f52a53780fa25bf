// Names of the cases of a study, which tell them apart. Ownership: names are the study's.
#ifndef PJ_STUDY_NAMES_H
#define PJ_STUDY_NAMES_H

#include "metrics/run/study/study.h"

/// Fills pj_case.name: "a/run", "run @ lat 2us" on another network, "run: solve" of a region,
/// "run [0s..1.5s]" where the same trace stands in the study with several windows.
void pj_study_name_cases(pj_study *study);

#endif
