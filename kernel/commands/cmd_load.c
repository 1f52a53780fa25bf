// load "run_*.prv.gz": the verb of the command language that reads traces.
#include "kernel/command/args/network_args.h"
#include "kernel/command/command.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"

typedef struct load_args {
    pj_load_args load;
    pj_network_args network;
} load_args;

static bool run_load(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    load_args args = *(const load_args *)given;
    const pj_network_args *network = &args.network;
    if (network->latency > 0 || network->bandwidth > 0 || network->eager)
        args.load.reread = true; // runs in memory have forgotten their messages
    pj_load_opts opts = {0};
    return pj_network_args_take(network, &opts.network, err) &&
           pj_inputs_load(session, &args.load, opts, out, err);
}

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(load_args, load),
     .help = "Files, globs or folders; what a trace is decides its content."},
    {.rows = pj_network_rows, .base = offsetof(load_args, network)},
    {.rows = pj_reading_rows, .base = offsetof(load_args, load)},
    {.rows = pj_region_rows, .base = offsetof(load_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(load_args, load)},
    {0},
};

const pj_command pj_command_load = {
    .name = "load",
    .summary = "Read traces into a list of runs",
    .detail = "Every trace is read once, with all workers; what remains are the totals per rank "
              "and thread and the runtime on an ideal network.\n"
              "With latency, bandwidth or eager the runs are replayed on that network, too, and "
              "named after it; metrics always use the ideal one and show the other in a column of "
              "its own.\n"
              "Given a function, or text that is no path and no glob, it is Lua's own load.",
    .example = "runs = load \"epoch_*.prv.gz\"",
    .faces = PJ_IN_LUA,
    .groups = groups,
    .args_size = sizeof(load_args),
    .run = run_load,
};
