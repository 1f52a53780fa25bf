// popinjay model TRACE...: how metrics go on with more threads.
#include "kernel/command/args/metrics_args.h"
#include "kernel/command/args/part_args.h"
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/models.h"
#include "metrics/pop/part_models.h"
#include "metrics/pop/part_series.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

#include <string.h>

typedef struct model_args {
    pj_load_args load;
    pj_metrics_args metrics;
    const char *metric, *at, *form;
    pj_exports exports;
} model_args;

enum { SIZES_MAX = 64 };

static const char *const forms[] = {[PJ_MODELS_AUTO] = "auto",
                                    [PJ_MODELS_AMDAHL] = "amdahl",
                                    [PJ_MODELS_PIPE] = "pipe",
                                    [PJ_MODELS_PMNF] = "pmnf",
                                    NULL};

/// "64,128".
static bool take_sizes(const char *text, double *sizes, size_t *count, pj_err *err)
{
    pj_str rest = pj_str_of(text ? text : "");
    while (rest.len) {
        uint64_t size = 0;
        if (*count == SIZES_MAX || !pj_parse_u64(pj_str_trim(pj_str_cut(&rest, ',')), &size) ||
            size == 0)
            return pj_fail(err, PJ_E_USAGE, NULL, 0,
                           "model: --at: \"%s\" are not at most %d numbers of threads (64,128)",
                           text, SIZES_MAX);
        sizes[(*count)++] = (double)size;
    }
    return true;
}

static pj_models_form form_of(const char *name)
{
    for (unsigned i = 0; name && forms[i]; i++)
        if (strcmp(forms[i], name) == 0)
            return (pj_models_form)i;
    return PJ_MODELS_AUTO;
}

/// Models of parts of the program, or of clusters of bursts.
static bool model_parts(pj_session *session, const model_args *args, const pj_models_opts *opts,
                        pj_value *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_part_study parts;
    if (opts->metric || opts->form != PJ_MODELS_AUTO)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "model: --by %s is of the time of threads, in the form pmnf",
                       args->metrics.by);
    pj_auto_study study =
        pj_part_args_load(session, &args->load, &args->metrics, &parts, arena, err);
    if (!study)
        return false;
    pj_table *table = pj_part_models_table(&parts, opts->at, opts->at_count, err);
    return pj_run_view_take(session, NULL, table, out, &args->exports, err);
}

static bool run_model(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const model_args *args = given;
    double sizes[SIZES_MAX];
    pj_models_opts opts = {.metric = args->metric, .form = form_of(args->form)};
    pj_auto_value metrics = {0};
    if (!pj_export_check(&args->exports, err) || !take_sizes(args->at, sizes, &opts.at_count, err))
        return false;
    opts.at = opts.at_count ? sizes : NULL;
    if (pj_part_args_are(args->metrics.by))
        return model_parts(session, args, &opts, out, err);
    if (!pj_metrics_args_run(session, &args->load, &args->metrics, &metrics, err))
        return false;
    pj_table *table = pj_models_table(metrics.metrics, opts, err);
    return pj_run_view_take(session, NULL, table, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "metric",
     .letter = 'y',
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(model_args, metric),
     .shown = "METRIC",
     .preset = "all of the set",
     .help = "The only metric that is modelled, by its key: runtime_s, mpi_load_balance."},
    {.name = "at",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(model_args, at),
     .shown = "P,P",
     .help = "Threads for which values are predicted: 64,128. The table is then of these."},
    {.name = "form",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(model_args, form),
     .shown = "auto|amdahl|pipe|pmnf",
     .choices = forms,
     .preset = "auto",
     .help = "The curve: amdahl or pipe (the better one for efficiencies and scalings), or "
             "c0 + c1 p^a log2(p)^b (pmnf; for everything else)."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(model_args, load),
     .help = "Traces of the runs, of 3 sizes at least: files, globs or folders."},
    {.rows = params},
    {.rows = pj_set_rows, .base = offsetof(model_args, metrics)},
    {.rows = pj_scaling_rows, .base = offsetof(model_args, metrics)},
    {.rows = pj_reading_rows, .base = offsetof(model_args, load)},
    {.rows = pj_region_rows, .base = offsetof(model_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(model_args, load)},
    {.rows = pj_export_rows, .base = offsetof(model_args, exports)},
    {0},
};

const pj_command pj_command_model = {
    .name = "model",
    .summary = "Scaling models of metrics, and what they predict for more threads",
    .detail = "Efficiencies follow BSC's forms (amdahl, pipe), times and counts Extra-P's normal "
              "form, chosen by how well each size is foretold from the others. Parallel and global "
              "efficiency are made of their parts' models.\n"
              "Low and high are what comes out without one of the sizes; with three repetitions of "
              "each size also what other repetitions could have given.\n"
              "--by region (path, phase, parameter) models the time that a thread spends in each "
              "part on average, --by cluster in each cluster of bursts, followed from run to run: "
              "ordered by growth, with the share that each has of all parts, measured and "
              "predicted; without --at for four times the largest size.",
    .example = "popinjay model epoch_*.prv.gz --at 64,128",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(model_args),
    .run = run_model,
};
