// Runs that are looked at part by part: which of them `--by` means, loaded. Ownership: new study,
// arena parts.
#ifndef PJ_PART_ARGS_H
#define PJ_PART_ARGS_H

#include "kernel/command/args/metrics_args.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/pop/part_series.h"
#include "metrics/run/study/study.h"

/// Whether `by` names parts of which models are made: region, path, phase, parameter, cluster.
bool pj_part_args_are(const char *by);
/// NULL with the errors of loading, or where a run has no such parts.
PJ_CHECKED pj_study *pj_part_args_load(pj_session *session, const pj_load_args *load,
                                       const pj_metrics_args *args, pj_part_study *out,
                                       pj_arena *arena, pj_err *err);

#endif
