// popinjay profile FILE...: what other profilers have recorded, as one table.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/base/utf8.h"
#include "metrics/profile/derive/profile_filter.h"
#include "metrics/profile/listing/line_text.h"
#include "metrics/profile/listing/pprof_listing.h"
#include "metrics/profile/listing/pstats_listing.h"
#include "metrics/profile/part_order.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_files.h"
#include "metrics/profile/profile_parts.h"
#include "metrics/profile/profile_rows.h"
#include "metrics/profile/profile_table.h"
#include "metrics/profile/profile_timers.h"
#include "metrics/profile/profile_waits.h"
#include "metrics/table/table.h"
#include "metrics/table/table_ops.h"

typedef struct profile_args {
    pj_profile_args files;
    const char *by, *sort, *metric, *where, *match, *first, *min, *callers, *callees, *root, *rank;
    const char *unit;
    const char *source;
    bool strip, skip_zero, pstats, lines, pprof, waits, timers, io;
    pj_exports exports;
} profile_args;

static const char *const units[] = {"s", "ms", "us", "ns", NULL};

/// What `by` may list; what it asks for is a change of the grouping.
typedef struct by_word {
    const char *name;
    pj_profile_by item;
    bool rank, thread, metric;
} by_word;

static const by_word by_words[] = {
    {"function", PJ_BY_FUNCTION, false, false, false},
    {"path", PJ_BY_PATH, false, false, false},
    {"rank", PJ_BY_NOTHING, true, false, false},
    {"thread", PJ_BY_NOTHING, false, true, false},
    {"line", PJ_BY_LINE, false, false, false},
    {"module", PJ_BY_MODULE, false, false, false},
    {"file", PJ_BY_FILE, false, false, false},
    {"group", PJ_BY_GROUP, false, false, false},
    {"process", PJ_BY_NOTHING, true, false, false},
    {"metric", PJ_BY_NOTHING, false, false, true},
};

static bool unknown_by(pj_str word, pj_err *err)
{
    pj_suggest suggest = {.word = word};
    pj_auto_buf known = {0}, hint = {0};
    for (size_t i = 0; i < sizeof by_words / sizeof *by_words; i++) {
        pj_suggest_try(&suggest, by_words[i].name);
        pj_buf_addf(&known, "%s%s", i ? ", " : "", by_words[i].name);
    }
    pj_suggest_add(&suggest, &hint);
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "by: unknown word \"" PJ_STR_FMT "\"%s valid: %s",
                   PJ_STR_ARG(word), hint.at, known.at);
}

static bool parse_by(const char *text, pj_profile_grouping *by, bool *metric, pj_err *err)
{
    pj_str rest = pj_str_of(text ? text : "function");
    while (rest.len) {
        pj_str word = pj_str_trim(pj_str_cut(&rest, ','));
        size_t i = 0, count = sizeof by_words / sizeof *by_words;
        while (i < count && !pj_str_equal(word, pj_str_of(by_words[i].name)))
            i++;
        if (i == count)
            return unknown_by(word, err);
        if (by_words[i].item && by->item && by->item != by_words[i].item)
            return pj_fail(err, PJ_E_USAGE, NULL, 0,
                           "by: one of function, path, line, module, file, group at a time");
        by->item = by_words[i].item ? by_words[i].item : by->item;
        by->rank = by->rank || by_words[i].rank;
        by->thread = by->thread || by_words[i].thread;
        *metric = *metric || by_words[i].metric;
    }
    return true;
}

/// "12" or "5%".
static bool parse_first(const char *text, pj_profile_ask *ask, pj_err *err)
{
    pj_str word = pj_str_of(text ? text : "");
    double part;
    if (!word.len)
        return true;
    if (pj_str_ends(word, PJ_S("%")) && pj_parse_double(pj_str_head(word, word.len - 1), &part) &&
        part > 0 && part <= 100) {
        ask->first_part = part / 100;
        return true;
    }
    if (pj_parse_u64(word, &ask->first))
        return true;
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "first: \"%s\" is no number of rows (12, 5%%)", text);
}

static bool parse_min(const char *text, pj_profile_ask *ask, pj_err *err)
{
    pj_str word = pj_str_of(text ? text : "");
    if (!word.len)
        return true;
    if (pj_str_ends(word, PJ_S("%")) &&
        pj_parse_double(pj_str_head(word, word.len - 1), &ask->least_part) &&
        ask->least_part >= 0 && ask->least_part <= 100) {
        ask->least_part /= 100;
        return true;
    }
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "min: \"%s\" is no share of the whole (1%%)", text);
}

static pj_profile *filter(const profile_args *args, pj_profile *whole, pj_err *err)
{
    int64_t rank;
    pj_auto_profile below =
        args->root ? pj_profile_below(whole, pj_str_of(args->root), err) : pj_profile_hold(whole);
    if (!below || !args->rank)
        return below ? pj_profile_hold(below) : NULL;
    if (pj_parse_i64(pj_str_of(args->rank), &rank))
        return pj_profile_of_rank(below, rank, err);
    pj_fail(err, PJ_E_USAGE, NULL, 0, "rank: \"%s\" is no number", args->rank);
    return NULL;
}

/// Listings stand as they are made, names of functions and lines of sources among them.
static void take_listing(const pj_buf *text, pj_value *out)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean_text(&clean, pj_buf_str(text));
    *out = pj_value_text(clean.len ? clean.at : "");
}

static bool make_listing(const profile_args *args, const pj_profile_ask *ask, pj_profile *profile,
                         pj_value *out, pj_err *err)
{
    pj_auto_buf text = {0};
    pj_pstats_ask listing = {.sort = pj_str_of(args->sort),
                             .match = ask->match,
                             .first = ask->first,
                             .first_part = ask->first_part,
                             .strip = ask->strip};
    const char *side = args->callers ? args->callers : args->callees;
    if (side) {
        listing.side = args->callers ? PJ_CALLERS : PJ_CALLEES;
        listing.match = pj_str_of(side);
    }
    if (!pj_pstats_listing(profile, &listing, &text, err))
        return false;
    take_listing(&text, out);
    return true;
}

/// Listings by line tell times in microseconds unless another unit is asked for.
static bool list_lines(const profile_args *args, const pj_profile *profile, pj_value *out,
                       pj_err *err)
{
    static const double seconds[] = {1, 1e-3, 1e-6, 1e-9};
    pj_auto_buf text = {0};
    pj_line_text_opts opts = {.skip_zero = args->skip_zero, .source = args->source};
    for (size_t i = 0; args->unit && units[i]; i++)
        if (strcmp(args->unit, units[i]) == 0)
            opts.unit = seconds[i];
    if (!pj_line_text(profile, opts, &text, err))
        return false;
    take_listing(&text, out);
    return true;
}

static bool make_pprof(const pj_profile *profile, pj_value *out, pj_err *err)
{
    pj_auto_buf text = {0};
    if (!pj_pprof_listing(profile, &text, err))
        return false;
    take_listing(&text, out);
    return true;
}

/// What other programs print of their profiles.
static bool make_text(const profile_args *args, const pj_profile_ask *ask, pj_profile *profile,
                      pj_value *out, pj_err *err)
{
    if (args->pstats)
        return make_listing(args, ask, profile, out, err);
    return args->lines ? list_lines(args, profile, out, err) : make_pprof(profile, out, err);
}

/// Metrics, callers, callees or lines; NULL without an error: the question is about functions.
static pj_table *parts_of(const profile_args *args, const pj_profile_ask *ask, bool metrics,
                          pj_profile *profile, pj_err *err)
{
    if (metrics)
        return pj_profile_metrics(profile);
    if (args->callers)
        return pj_profile_edges(profile, PJ_CALLERS, pj_str_of(args->callers), ask, err);
    if (args->callees)
        return pj_profile_edges(profile, PJ_CALLEES, pj_str_of(args->callees), ask, err);
    if (args->waits)
        return pj_profile_waits(profile, err);
    if (args->timers)
        return pj_profile_timers(profile, err);
    if (args->io)
        return pj_profile_files(profile, err);
    return ask->by.item == PJ_BY_LINE ? pj_profile_lines(profile, ask->stop, err) : NULL;
}

static pj_table *make_table(const pj_session *session, const profile_args *args,
                            const pj_profile_ask *ask, bool metrics, pj_profile *profile,
                            pj_err *err)
{
    pj_auto_table parts = parts_of(args, ask, metrics, profile, err);
    if (err->code)
        return NULL;
    return parts ? pj_part_order(parts, ask, session->stop, err)
                 : pj_profile_table(profile, ask, err);
}

/// People see the first rows unless they ask for more; files hold all.
static void limit(const pj_session *session, const profile_args *args, pj_profile_ask *ask)
{
    enum { SHOWN = 40 };
    bool asked = args->first || args->waits || args->where || args->callers || args->callees ||
                 ask->by.item != PJ_BY_FUNCTION || session->lang;
    if (!args->exports.paths.count && !args->exports.answer.json && !asked)
        ask->first = SHOWN;
}

/// Nothing is asked for but the profile itself.
static bool is_plain(const profile_args *args)
{
    const char *const asked[] = {args->by,    args->sort, args->metric,  args->where,   args->match,
                                 args->first, args->min,  args->callers, args->callees, args->unit};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (asked[i])
            return false;
    return !args->strip && !args->skip_zero && !args->waits && !args->timers && !args->io &&
           !args->pstats && !args->pprof;
}

static bool run_profile(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const profile_args *args = given;
    bool metrics = false;
    pj_profile_ask ask = {.metric = pj_str_of(args->metric),
                          .sort = pj_str_of(args->sort),
                          .match = pj_str_of(args->match),
                          .where = pj_str_of(args->where),
                          .unit = args->unit,
                          .stop = session->stop,
                          .strip = args->strip,
                          .skip_zero = args->skip_zero};
    if (!pj_export_check(&args->exports, err) || !parse_by(args->by, &ask.by, &metrics, err) ||
        !parse_first(args->first, &ask, err) || !parse_min(args->min, &ask, err))
        return false;
    pj_profile_args files = args->files;
    files.beside = args->lines ? "lines" : NULL;
    pj_auto_profile whole = pj_profile_inputs(session, &files, err);
    if (!whole && !err->code) // under mpirun the first process speaks
        return true;
    pj_auto_profile profile = whole ? filter(args, whole, err) : NULL;
    if (!profile)
        return false;
    if (args->pstats || args->lines || args->pprof)
        return make_text(args, &ask, profile, out, err) &&
               pj_export_all(session, out, &args->exports, err);
    if (is_plain(args)) {
        *out = pj_value_profile_take(pj_profile_hold(profile));
        return pj_export_all(session, out, &args->exports, err);
    }
    limit(session, args, &ask);
    pj_table *table = make_table(session, args, &ask, metrics, profile, err);
    return pj_run_view_take(session, NULL, table, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "by",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, by),
     .shown = "WORD,...",
     .preset = "function",
     .help = "What has rows of its own: function, path, line, module, file, group, rank, thread, "
             "process or metric, several with commas."},
    {.name = "sort",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, sort),
     .shown = "KEY,...",
     .preset = "exclusive",
     .help = "Keys that put the rows in order: numbers downwards, names upwards, -KEY turned."},
    {.name = "metric",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, metric),
     .shown = "METRIC",
     .preset = "time",
     .help = "Which of the metrics of the profile; --by metric lists them."},
    {.name = "where",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, where),
     .shown = "FORMULA",
     .help = "Only rows for which a formula over the columns holds: \"exclusive_s > 0.1\"."},
    {.name = "match",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, match),
     .shown = "REGEX",
     .help = "Only functions whose file:line(function) matches."},
    {.name = "first",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, first),
     .shown = "N|P%",
     .preset = "40 functions",
     .help = "The first rows, or the first part of them."},
    {.name = "min",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, min),
     .shown = "P%",
     .help = "Leaves out what is a smaller part of the whole."},
    {.name = "callers",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, callers),
     .shown = "REGEX",
     .help = "Who calls the functions that match."},
    {.name = "callees",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, callees),
     .shown = "REGEX",
     .help = "Whom the functions that match call."},
    {.name = "root",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, root),
     .shown = "REGEX",
     .help = "Only what is below the functions that match; of a call graph, what they reach."},
    {.name = "rank",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(profile_args, rank),
     .shown = "R",
     .help = "Only this rank."},
    {.name = "unit",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(profile_args, unit),
     .shown = "s|ms|us|ns",
     .choices = units,
     .preset = "s",
     .help = "Unit in which times are shown; files keep seconds."},
    {.name = "strip",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(profile_args, strip),
     .help = "Files without their folders."},
    {.name = "skip-zero",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(profile_args, skip_zero),
     .help = "Leaves out functions in which nothing was measured."},
    {.name = "pstats",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(profile_args, pstats),
     .help = "The text that Python's pstats prints, with its sort keys (cumulative, time, calls, "
             "...)."},
    {.name = "lines",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(profile_args, lines),
     .help = "The listing by line that line_profiler or memory_profiler print, with the source."},
    {.name = "source",
     .type = PJ_PARAM_PATH,
     .offset = offsetof(profile_args, source),
     .shown = "DIR",
     .help = "Where the sources are that --lines shows, when they are not where they were."},
    {.name = "waits",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(profile_args, waits),
     .help = "What every rank does: work, MPI, other waiting, and the part of each."},
    {.name = "timers",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(profile_args, timers),
     .help = "Timed regions as programs print them: total time, calls, average of a call."},
    {.name = "io",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(profile_args, io),
     .help =
         "Input and output by file and rank, of traces with I/O records (popinjay record --io)."},
    {.name = "pprof",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(profile_args, pprof),
     .help = "The text that TAU's pprof prints: every thread, then totals and means over all."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_profile_input_rows,
     .base = offsetof(profile_args, files),
     .help = "Files, globs or folders, one profile together; traces give their call paths. In "
             "Lua profiles and runs too, and NAME = FILE gives ranks a name."},
    {.rows = params},
    {.rows = pj_profile_reading_rows, .base = offsetof(profile_args, files)},
    {.rows = pj_export_rows, .base = offsetof(profile_args, exports)},
    {0},
};

const pj_command pj_command_profile = {
    .name = "profile",
    .summary = "Functions of any profiler's files: time, calls, ranks, load balance",
    .detail =
        "Several files are one profile with a rank each: the rank that the file tells, else the "
        "last number in the names that tells them apart, else the place in the call. Statistics "
        "are over ranks; load balance is mean over maximum.\n"
        "A trace gives the exact call paths of its functions, MPI calls and OpenMP constructs: it "
        "is "
        "read once, by the processes of mpirun together where there are several. Of a region of "
        "interest counts what is inside, and the visits that begin there; a profile has sums "
        "alone and counts whole.\n"
        "Files by suffix: .csv and .json hold all functions with exact numbers, .prof is read by "
        "Python's pstats, .callgrind by kcachegrind, .dot by graphviz, .collapsed by "
        "flamegraph.pl, "
        ".speedscope.json by speedscope.",
    .example = "popinjay profile cpu_*.prof --sort inclusive --first 20",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(profile_args),
    .run = run_profile,
};
