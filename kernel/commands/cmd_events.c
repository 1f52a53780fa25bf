// popinjay events TRACE: any question about the events of a trace, in one pass.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/stat/query.h"
#include "metrics/table/fold.h"
#include "metrics/table/question.h"
#include "metrics/table/table.h"
#include "metrics/trace/roi.h"
#include "metrics/trace/sink.h"

#include <stdlib.h>

typedef struct events_args {
    pj_load_args load;
    const char *type, *rank, *region, *from, *to, *where, *histogram;
    pj_texts by, sum, mean, min, max;
    bool count;
    uint64_t limit;
    pj_exports exports;
} events_args;

/// What a question is made of, while its options are gathered.
typedef struct question {
    pj_query_opts opts;
    pj_str *keys;
    pj_query_fold *folds;
    size_t key_cap, fold_cap;
} question;

/// Several fields in one text, or a formula that is taken whole.
static bool next_name(pj_str *rest, pj_str *name)
{
    static const char formula[] = "()+-*/%^<>='~";
    while (rest->len && strchr(", ", rest->at[0]))
        *rest = pj_str_from(*rest, 1);
    size_t end = 0;
    bool whole = false;
    for (size_t i = 0; i < rest->len; i++)
        whole |= strchr(formula, rest->at[i]) != NULL;
    while (end < rest->len && (whole || !strchr(", ", rest->at[end])))
        end++;
    *name = pj_str_head(*rest, end);
    *rest = pj_str_from(*rest, end);
    return name->len > 0;
}

static void add_fold(question *q, pj_fold fold, pj_str of)
{
    pj_grow(q->folds, &q->fold_cap, q->opts.fold_count + 1);
    q->folds[q->opts.fold_count++] = (pj_query_fold){fold, of};
}

static void gather(question *q, const events_args *args)
{
    const struct {
        const pj_texts *texts;
        pj_fold fold;
    } folds[] = {{&args->sum, PJ_FOLD_SUM},
                 {&args->mean, PJ_FOLD_MEAN},
                 {&args->min, PJ_FOLD_MIN},
                 {&args->max, PJ_FOLD_MAX}};
    pj_str name;
    for (size_t i = 0; i < args->by.count; i++)
        for (pj_str rest = pj_str_of(args->by.items[i]); next_name(&rest, &name);) {
            pj_grow(q->keys, &q->key_cap, q->opts.key_count + 1);
            q->keys[q->opts.key_count++] = name;
        }
    if (args->count)
        add_fold(q, PJ_FOLD_COUNT, (pj_str){0});
    for (size_t f = 0; f < sizeof folds / sizeof *folds; f++)
        for (size_t i = 0; i < folds[f].texts->count; i++)
            for (pj_str rest = pj_str_of(folds[f].texts->items[i]); next_name(&rest, &name);)
                add_fold(q, folds[f].fold, name);
    q->opts.keys = q->keys;
    q->opts.folds = q->folds;
}

/// A time with its unit, or a number of nanoseconds, as tables have them.
static bool take_time(const char *text, const char *option, uint64_t *ns, pj_err *err)
{
    double value;
    const double most = 9e18;
    if (!text)
        return true;
    if ((!pj_parse_duration(pj_str_of(text), &value) &&
         !pj_parse_double(pj_str_of(text), &value)) ||
        !(value >= 0 && value < most))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "events: %s: \"%s\" is no time (1.5s, 20ms, or a number of ns)", option,
                       text);
    *ns = (uint64_t)value;
    return true;
}

static bool take_opts(const events_args *args, question *q, pj_err *err)
{
    uint64_t rank = 0;
    q->opts = (pj_query_opts){.type = args->type,
                              .region = args->region,
                              .where = pj_str_of(args->where ? args->where : ""),
                              .histogram = pj_str_of(args->histogram ? args->histogram : ""),
                              .limit = args->limit};
    if (args->rank && (!pj_parse_u64(pj_str_of(args->rank), &rank) || rank >= UINT32_MAX))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "events: rank: \"%s\" is no rank; they count from 0", args->rank);
    q->opts.has_rank = args->rank != NULL;
    q->opts.rank = (uint32_t)rank;
    gather(q, args);
    return take_time(args->from, "from", &q->opts.from_ns, err) &&
           take_time(args->to, "to", &q->opts.to_ns, err);
}

/// A run in memory is asked about the part of its trace that it is about.
static pj_roi_request part_of(const events_args *args)
{
    const pj_inputs *inputs = &args->load.inputs;
    pj_roi_request part = {0};
    if (inputs->count != 1 || inputs->items[0].kind != PJ_VALUE_RUN)
        return part;
    const pj_roi *roi = &inputs->items[0].run->roi;
    part.kind = roi->set ? PJ_ROI_RANGE : PJ_ROI_OFF;
    part.from = (double)roi->from_ns;
    part.to = (double)roi->to_ns;
    return part;
}

static bool ask(pj_session *session, const events_args *args, pj_query *query, pj_value *out,
                pj_err *err)
{
    pj_auto_run run = NULL;
    pj_sink sink = pj_query_sink(query);
    pj_load_args load = args->load;
    load.reread = true; // runs in memory have forgotten their events
    pj_load_opts opts = {.roi = part_of(args),
                         .no_replay = true,
                         .listeners = &sink,
                         .listener_count = 1,
                         .in_order = true,
                         .regions = pj_query_wants_regions(query)};
    if (!pj_inputs_load_one(session, &load, opts, &run, err))
        return false;
    pj_table *table = pj_query_table(query);
    return pj_run_view_take(session, run, table, out, &args->exports, err);
}

static bool run_events(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const events_args *args = given;
    question q = {.keys = NULL};
    bool ok = pj_export_check(&args->exports, err) && take_opts(args, &q, err);
    pj_query *query = ok ? pj_query_new(q.opts, err) : NULL;
    ok = query && ask(session, args, query, out, err);
    pj_query_free(query);
    free(q.keys);
    free(q.folds);
    return ok;
}

static const char *field_choice(const pj_session *session, size_t index)
{
    (void)session;
    return pj_query_field((unsigned)index);
}

#define FOLD_PARAM(fold, what)                                                                     \
    {                                                                                              \
        .name = #fold, .type = PJ_PARAM_TEXTS, .offset = offsetof(events_args, fold),              \
        .shown = "FIELD", .choice = field_choice, .open = true,                                    \
        .help = what " of a field, or of a formula over fields, in each group."                    \
    }

static const pj_param params[] = {
    {.name = "type",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(events_args, type),
     .shown = "NAME",
     .help =
         "Which events: a call (MPI_Send), a state (Running), a region, message, or a kind: call, "
         "message, state, openmp, region; * and ? stand for any characters."},
    {.name = "rank",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(events_args, rank),
     .shown = "R",
     .help = "Only of this rank; ranks count from 0."},
    {.name = "region",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(events_args, region),
     .shown = "NAME",
     .help = "Only inside this region, as the innermost one; * and ? stand for any characters."},
    {.name = "from",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(events_args, from),
     .shown = "T",
     .help = "Only what begins from here on: 1.5s, 20ms, or a number of ns."},
    {.name = "to",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(events_args, to),
     .shown = "T",
     .help = "Only what begins before."},
    {.name = "where",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(events_args, where),
     .shown = "TEST",
     .help = "Only where a formula over fields holds: \"bytes > 32768 and partner ~= rank + 1\"."},
    {.name = "by",
     .type = PJ_PARAM_TEXTS,
     .offset = offsetof(events_args, by),
     .shown = "FIELD",
     .choice = field_choice,
     .open = true,
     .help = "Groups by a field, or by a formula that gives a number (floor(start_ns / 1e9))."},
    {.name = "count",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(events_args, count),
     .help = "Events of each group."},
    FOLD_PARAM(sum, "Sum"),
    FOLD_PARAM(mean, "Mean"),
    FOLD_PARAM(min, "Least"),
    FOLD_PARAM(max, "Largest"),
    {.name = "histogram",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(events_args, histogram),
     .shown = "FIELD",
     .choice = field_choice,
     .open = true,
     .help = "Groups by powers of two of a field or formula."},
    {.name = "limit",
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(events_args, limit),
     .shown = "N",
     .preset = "10000",
     .help = "Most rows of the result; where there are more the command ends and says so."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(events_args, load),
     .help = "One trace, or in Lua a run."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(events_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(events_args, load)},
    {.rows = pj_export_rows, .base = offsetof(events_args, exports)},
    {0},
};

const pj_command pj_command_events = {
    .name = "events",
    .summary = "Questions about the events of a trace: which, by what, how many, how much",
    .detail =
        "Every MPI call, message, piece of a state, OpenMP construct and region (where the trace "
        "has "
        "them) is an event with these fields: kind, type, rank, thread, start_ns, end_ns, "
        "duration_ns, partner, bytes, tag, communicator, region. The trace is read once, whatever "
        "its length, and nothing is kept but the groups. Of a region of interest (--roi) they are "
        "the parts inside; a message belongs to where it is sent.\n"
        "Without --by, --count, --sum, --mean, --min, --max and --histogram the events themselves "
        "are the result, up to the limit; a file .trace.json of them is shown by Perfetto and "
        "chrome://tracing.",
    .example =
        "popinjay events epoch_16proc.prv.gz --type MPI_Send --by partner --sum bytes --count",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(events_args),
    .run = run_events,
};
