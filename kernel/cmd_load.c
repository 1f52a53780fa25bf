// load "run_*.prv.gz": the verb of the command language that reads traces.
#include "kernel/inputs.h"

typedef struct load_args {
    pj_load_args load;
} load_args;

static bool run_load(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const load_args *args = given;
    return pj_inputs_load(session, &args->load, (pj_load_opts){0}, out, err);
}

static const pj_param params[] = {
    PJ_LOAD_PARAMS(load_args, "Files, globs or folders; what a trace is decides its content."),
    PJ_LOAD_OPTIONS(load_args),
    {0},
};

const pj_command pj_command_load = {
    .name = "load",
    .summary = "Read traces into a list of runs",
    .detail = "Every trace is read once, with all workers; what remains are the totals per rank "
              "and thread and the runtime on an ideal network.\n"
              "Given a function, or text that is no path and no glob, it is Lua's own load.",
    .example = "runs = load \"epoch_*.prv.gz\"",
    .faces = PJ_IN_LUA,
    .params = params,
    .args_size = sizeof(load_args),
    .run = run_load,
};
