// popinjay compare BASELINE NEW: what changed from one run to another.
#include "kernel/command/compare_args.h"
#include "kernel/command/export.h"

typedef struct compare_args {
    pj_load_args load;
    pj_compare_args compare;
    pj_exports exports;
} compare_args;

static bool run_compare(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const compare_args *args = given;
    pj_comparison made;
    if (!pj_export_check(&args->exports, err) ||
        !pj_compare_args_run(session, &args->load, &args->compare, (pj_comparison_opts){0}, &made,
                             err))
        return false;
    *out = pj_value_table_take(made.table);
    return pj_export_all(session, out, &args->exports, err);
}

static const pj_param params[] = {
    PJ_COMPARE_PARAMS(compare_args),
    PJ_COMPARE_OPTIONS(compare_args),
    PJ_LOAD_OPTIONS(compare_args),
    PJ_EXPORT_PARAM(compare_args),
    {0},
};

const pj_command pj_command_compare = {
    .name = "compare",
    .summary = "What changed from one run to another, metric by metric",
    .detail = "The first run is the reference of the second, so that scalings say what became of "
              "instructions, IPC and frequency.",
    .example = "popinjay compare before.prv.gz after.prv.gz",
    .faces = PJ_IN_BOTH,
    .params = params,
    .args_size = sizeof(compare_args),
    .run = run_compare,
};
