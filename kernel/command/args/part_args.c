// Loads runs with their functions, or with their clusters of bursts.
#include "kernel/command/args/part_args.h"

#include "kernel/command/args/metrics_args.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/part_series.h"
#include "metrics/run/aspect.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/study/study.h"

#include <string.h>

static pj_function_cut cut_of(const char *by)
{
    return by ? pj_function_cut_of(pj_str_of(by)) : PJ_CUT_NOTHING;
}

bool pj_part_args_are(const char *by)
{
    return cut_of(by) != PJ_CUT_NOTHING || (by && strcmp(by, "cluster") == 0);
}

pj_study *pj_part_args_load(pj_session *session, const pj_load_args *load,
                            const pj_metrics_args *args, pj_part_study *out, pj_arena *arena,
                            pj_err *err)
{
    pj_load_opts how = {.no_replay = true, .functions = cut_of(args->by)};
    bool clusters = how.functions == PJ_CUT_NOTHING;
    pj_auto_value runs = {0};
    if (clusters)
        how.aspects = PJ_WANT(bursts);
    if (!pj_inputs_load(session, load, how, &runs, err))
        return NULL;
    pj_auto_study study = pj_inputs_study(
        runs.list, (pj_study_opts){.scaling = pj_scaling_choice(args->scaling)}, err);
    if (!study || !(clusters ? pj_part_study_clusters(study, out, arena, err)
                             : pj_part_study_functions(study, out, arena, err)))
        return NULL;
    return pj_study_hold(study);
}
