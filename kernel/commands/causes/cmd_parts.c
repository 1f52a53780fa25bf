// popinjay parts TRACE: what ranks do in functions of the program, and how well.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/cut.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/parts/functions_table.h"
#include "metrics/run/parts/iterations_table.h"
#include "metrics/run/parts/parts_named.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

#include <string.h>

typedef struct parts_args {
    pj_load_args load;
    const char *by, *of;
    bool own;
    pj_exports exports;
} parts_args;

static const char iteration[] = "iteration"; // cut by what the program does, not by what it marks

static const char *const groupings[] = {
#define CUT(name, key, part_key, title, outside, lack) part_key,
#include "metrics/run/parts/function_cuts.def"
#undef CUT
    iteration,
    NULL,
};

static pj_table *whole_table(const pj_run *run, const parts_args *args, pj_err *err)
{
    if (args->by && strcmp(args->by, iteration) == 0)
        return run->ai ? pj_ai_iterations_table(run) : pj_iterations_table(run, err);
    return run->ai ? pj_ai_regions_table(run, args->own, err)
                   : pj_functions_table(run, args->own, err);
}

static pj_table *table_of(const pj_run *run, const parts_args *args, pj_err *err)
{
    pj_auto_table table = whole_table(run, args, err);
    if (!table)
        return NULL;
    return args->of ? pj_parts_named(table, args->of, err) : pj_table_hold(table);
}

static bool run_parts(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const parts_args *args = given;
    pj_auto_run run = NULL;
    bool iterations = args->by && strcmp(args->by, iteration) == 0;
    pj_load_opts opts = {.iterations = iterations};
    if (!iterations)
        opts.functions = args->by ? pj_function_cut_of_part(pj_str_of(args->by)) : PJ_CUT_FUNCTIONS;
    if (!pj_export_check(&args->exports, err) ||
        !pj_inputs_load_one(session, &args->load, opts, &run, err))
        return false;
    if (run->untraced && !run->ai)
        return pj_fail(err, PJ_E_MISSING, run->path, 0,
                       "holds sums over all CPUs, of the run and of its regions: popinjay metrics "
                       "--region all shows them side by side");
    return pj_run_view_take(session, run, table_of(run, args, err), out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "by",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(parts_args, by),
     .shown = "WHAT",
     .choices = groupings,
     .preset = "function",
     .help = "Functions, wherever they are called from, or call paths; phases as the trace marks "
             "them, or values of parameters that it has; iterations (as popinjay iterations)."},
    {.name = "of",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(parts_args, of),
     .shown = "NAME",
     .preset = "all",
     .help = "Only this part: a function or phase, call paths that go through a function, the "
             "values of a parameter, an iteration or some (3..8)."},
    {.name = "own",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(parts_args, own),
     .help = "Runtime and efficiencies without what a part calls."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(parts_args, load),
     .help = "One trace that names functions of its program, or its summary, or in Lua a run."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(parts_args, load)},
    {.rows = pj_export_rows, .base = offsetof(parts_args, exports)},
    {0},
};

const pj_command pj_command_parts = {
    .name = "parts",
    .summary = "The efficiencies of functions and call paths across ranks",
    .detail = "The runtime of a function is that of the rank that is longest in it; its "
              "efficiencies follow from it as those of the run do from the runtime. Shares of the "
              "run and the useful part of them add up over all rows to the parallel efficiency "
              "of the run.\n"
              "Of AI runs parts are ranges that the program marks (annotations of PyTorch, NVTX, "
              "rocTX): what devices do of what is launched in them.\n"
              "`popinjay metrics --by region` shows functions as columns of the table of "
              "efficiencies, `--region NAME` one of them; both tables agree with --set bsc.",
    .example = "popinjay parts run.otf2 --by path",
    .faces = PJ_IN_BOTH,
    .groups = groups,
    .args_size = sizeof(parts_args),
    .run = run_parts,
};
