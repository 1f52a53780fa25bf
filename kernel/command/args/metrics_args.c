// From arguments to an evaluated metric set.
#include "kernel/command/args/metrics_args.h"

#include "kernel/command/command.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/cut.h"
#include "metrics/analyse/load.h"
#include "metrics/analyse/load_how.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/pop/repeated_runs.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "widgets/figure/palette.h"

const pj_param pj_set_rows[] = {
    {.name = "set",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(pj_metrics_args, set),
     .shown = "SET",
     .choice = pj_session_set_key,
     .preset = "hybrid, openmp or mpi, what fits the runs",
     .help = "The metric set."},
    {0},
};

/// Keys of runs, then ways to cut them.
static const char *by_choice(const pj_session *session, size_t index)
{
    const char *key = pj_key_choice(session, index);
    size_t keys = PJ_BY_COUNT - PJ_BY_NONE - 1;
    return key ? key : pj_cut_choice(index - keys);
}

const pj_param pj_scaling_rows[] = {
    {.name = "ref",
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(pj_metrics_args, ref),
     .shown = "N",
     .preset = "the run with the fewest threads",
     .help = "The reference run of the scalings, counted from 1 in the order of the table."},
    {.name = "scaling",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(pj_metrics_args, scaling),
     .shown = "auto|strong|weak",
     .choices = pj_scalings,
     .preset = "auto",
     .help = "Whether the work stays the same (strong) or grows with the threads (weak)."},
    {.name = "by",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_metrics_args, by),
     .shown = "KEY",
     .choice = by_choice,
     .open = true,
     .help = "Groups the runs by ranks, threads, threads_per_rank, layout or tag; or shows parts "
             "of each run as further columns: time:N its slices of equal length, "
             "iteration, region (functions of the program), path (their call paths), phase (as "
             "the trace marks them) or parameter (while one has a value)."},
    {0},
};

static const char *const repeats[] = {
    [PJ_REPEAT_ALL] = "all", [PJ_REPEAT_MEDIAN] = "median", [PJ_REPEAT_BEST] = "best", NULL};

const pj_param pj_repeat_rows[] = {
    {.name = "repeat",
     .lua = "repetitions",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(pj_metrics_args, repeat),
     .shown = "all|median|best",
     .choices = repeats,
     .preset = "all",
     .help = "Runs of the same ranks, threads, nodes and tag are repetitions: each is a column, "
             "as tables have one for each run, or one stands for all, whose runtime is the lower "
             "median or the least, with the spread "
             "of the others and warnings of noise; in Lua, where repeat is a reserved word, "
             "repetitions."},
    {0},
};

const pj_param pj_causes_rows[] = {
    {.name = "causes",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_metrics_args, causes),
     .help = "Under load balance, serialisation and transfer: the waits and calls that they are "
             "lost to, in points of the runtime; under OpenMP regions what threads lose there."},
    {0},
};

const pj_param pj_title_rows[] = {
    {.name = "title",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_metrics_args, title),
     .shown = "TITLE",
     .help = "The heading of the result."},
    {0},
};

const pj_param pj_palette_rows[] = {
    {.name = "good",
     .type = PJ_PARAM_PART,
     .offset = offsetof(pj_metrics_args, good),
     .shown = "PART",
     .preset = "0.8",
     .help = "Efficiencies from here on have the colours of good ones."},
    {.name = "bad",
     .type = PJ_PARAM_PART,
     .offset = offsetof(pj_metrics_args, bad),
     .shown = "PART",
     .preset = "0.5",
     .help = "Efficiencies below have the colours of bad ones."},
    {.name = "colours",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(pj_metrics_args, colours),
     .shown = "red-green|blue-orange",
     .choices = pj_colour_schemes,
     .preset = "red-green",
     .help = "The colours of efficiencies; blue-orange for the colour-blind."},
    {0},
};

const char *const pj_scalings[] = {"auto", "strong", "weak", NULL};
const char *const pj_colour_schemes[] = {
    [PJ_SCHEME_RED_GREEN] = "red-green", [PJ_SCHEME_BLUE_ORANGE] = "blue-orange", NULL};

const char *pj_key_choice(const pj_session *session, size_t index)
{
    (void)session;
    pj_key key = (pj_key)(PJ_BY_NONE + 1 + index);
    return index < PJ_BY_COUNT - PJ_BY_NONE - 1 ? pj_key_name(key) : NULL;
}

/// Index of a choice; the first when none was made.
static unsigned index_of(const char *const *choices, const char *name)
{
    for (unsigned i = 0; name && choices[i]; i++)
        if (strcmp(choices[i], name) == 0)
            return i;
    return 0;
}

pj_scaling pj_scaling_choice(const char *name)
{
    return (pj_scaling)index_of(pj_scalings, name);
}

static bool take_palette(const pj_metrics_args *args, pj_palette *palette, pj_err *err)
{
    palette->scheme = (pj_scheme)index_of(pj_colour_schemes, args->colours);
    palette->good = args->good;
    palette->bad = args->bad;
    pj_palette used = pj_palette_resolve(*palette);
    if ((args->good == 0 || used.good == args->good) && (args->bad == 0 || used.bad == args->bad))
        return true;
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "bad (%g) must be less than good (%g)", args->bad,
                   used.good);
}

static bool evaluate(pj_session *session, const pj_list *runs, const pj_metrics_args *args,
                     pj_value *out, pj_err *err)
{
    pj_study_opts how = {
        .reference = args->ref, .scaling = pj_scaling_choice(args->scaling), .beside = true};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run **given = pj_new_n(arena, pj_run *, runs->count + 1);
    pj_repeated_runs repeated;
    for (size_t i = 0; i < runs->count; i++)
        given[i] = runs->items[i].run;
    pj_repeated_runs_choose(given, runs->count, (pj_repeat)index_of(repeats, args->repeat),
                            &repeated, arena);
    pj_study *study = pj_study_new(repeated.items, repeated.count, how, err);
    if (!study)
        return false;
    const pj_metric_set *set =
        args->set ? pj_session_set(session, pj_str_of(args->set)) : pj_metric_set_default(study);
    pj_metrics_opts opts = {.title = args->title, .causes = args->causes, .repeated = &repeated};
    if (args->by)
        pj_key_parse(pj_str_of(args->by), &opts.by);
    pj_metrics *metrics = pj_metrics_new(set, study, opts, err);
    pj_study_release(study);
    if (!metrics)
        return false;
    *out = pj_value_metrics_take(metrics);
    return true;
}

/// What `--by` says if it is no key of runs.
static bool take_cut(const pj_session *session, const char *by, pj_cut *cut, pj_err *err)
{
    pj_key key;
    pj_err problem = {0};
    *cut = (pj_cut){.set = false};
    if (!by || pj_key_parse(pj_str_of(by), &key))
        return true;
    size_t colon = pj_str_find(pj_str_of(by), ':');
    bool known = false;
    pj_auto_buf words = {.at = NULL};
    for (size_t i = 0; by_choice(session, i); i++) {
        known |= pj_str_equal(pj_str_head(pj_str_of(by), colon), pj_str_of(by_choice(session, i)));
        pj_buf_addf(&words, "%s%s", i ? ", " : "", by_choice(session, i));
    }
    if (!known)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "by: '%s' is none of %s", by, words.at);
    return pj_cut_parse(pj_str_of(by), cut, &problem) ||
           pj_fail(err, problem.code, NULL, 0, "by: %s", problem.text);
}

pj_load_opts pj_metrics_args_reading(const pj_session *session, const char *set, bool causes)
{
    const pj_metric_set *known = set ? pj_session_set(session, pj_str_of(set)) : NULL;
    unsigned aspects = known ? pj_metric_set_aspects(known) : 0;
    return (pj_load_opts){.for_sums = true,
                          .each_wait = causes,
                          .steps = known && pj_metric_set_steps(known),
                          .aspects = aspects | (causes ? PJ_WANT(waits) | PJ_WANT(omp_waits) : 0)};
}

bool pj_metrics_args_run(pj_session *session, const pj_load_args *load, const pj_metrics_args *args,
                         pj_value *out, pj_err *err)
{
    const pj_inputs *inputs = &load->inputs;
    pj_palette palette;
    if (!take_palette(args, &palette, err))
        return false;
    bool plain = !pj_load_how_given(&load->how) && !load->region && !load->tag && !load->reread &&
                 !args->set && !args->ref && !args->scaling && !args->by && !args->title &&
                 !args->causes && !args->repeat;
    if (plain && inputs->count == 1 && inputs->items[0].kind == PJ_VALUE_METRICS) {
        *out = pj_value_hold(inputs->items[0]);
        if (args->good != 0 || args->bad != 0 || args->colours)
            out->palette = palette;
        return true;
    }
    pj_auto_value runs = {0};
    pj_load_opts opts = pj_metrics_args_reading(session, args->set, args->causes);
    pj_cut cut;
    if (!take_cut(session, args->by, &cut, err))
        return false;
    pj_cut_ask(&cut, &opts);
    if (!pj_inputs_load(session, load, opts, &runs, err) ||
        !evaluate(session, runs.list, args, out, err))
        return false;
    out->palette = palette;
    return true;
}
