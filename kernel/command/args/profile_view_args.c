// Numbers that may be 0, parts and percents, as users write them.
#include "kernel/command/args/profile_view_args.h"

#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "widgets/plot/plot.h"

#include <string.h>

#define ROW(field, row_name, row_type, row_shown, ...)                                             \
    {                                                                                              \
        .name = row_name, .type = row_type, .offset = offsetof(pj_profile_view_args, field),       \
        .shown = row_shown, __VA_ARGS__                                                            \
    }
const pj_param pj_profile_view_rows[] = {
    ROW(function, "f", PJ_PARAM_TEXT, "NAME", .letter = 'f',
        .help = "The function of a profile that ranks and histogram show."),
    ROW(before, "before", PJ_PARAM_PATH, "PROFILE",
        .help = "A profile (file, glob or folder) that difference, flame, icicle, "
                "callgraph and ranks compare with."),
    ROW(value, "value", PJ_PARAM_CHOICE, "own|inclusive", .choices = pj_profile_view_values,
        .preset = "inclusive; own in heat",
        .help = "What heat, ranks -f and histogram show of a function: without or with callees."),
    ROW(order, "order", PJ_PARAM_CHOICE, "rank|value", .choices = pj_profile_view_orders,
        .preset = "rank", .help = "How ranks stand: as they are numbered, or the largest first."),
    {.name = "normalise",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_profile_view_args, normalise),
     .help = "Compare two profiles as if both took as long."},
    ROW(source, "source", PJ_PARAM_PATH, "FOLDER",
        .help = "Where the sources of lines are, when they are not where they were."),
    {.name = "skip-zero",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_profile_view_args, skip_zero),
     .help = "Leave out source lines without values."},
    ROW(rank, "rank", PJ_PARAM_TEXT, "RANK", .preset = "all, added up",
        .help = "The rank of a profile that is shown."),
    ROW(measure, "metric", PJ_PARAM_TEXT, "METRIC", .preset = "time",
        .help = "What of a profile is shown."),
    ROW(root, "root", PJ_PARAM_TEXT, "NAME",
        .help = "Only this function of a profile and what it calls; names "
                "may be short or have wildcards."),
    ROW(leaf, "leaf", PJ_PARAM_TEXT, "NAME",
        .help = "Only this function of a call graph and what calls it."),
    ROW(path, "path", PJ_PARAM_TEXT, "PREFIX",
        .help = "Only functions of a call graph whose files begin so."),
    ROW(depth, "depth", PJ_PARAM_COUNT, "N", .preset = "10; what call paths have",
        .help = "Calls below the root that are drawn."),
    ROW(cutoff, "cutoff", PJ_PARAM_TEXT, "PART", .preset = "1/1000 in call graphs",
        .help = "Least part of its caller that a callee takes (1/100, 1%, "
                "0 for all)."),
    {.name = "reverse",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_profile_view_args, reverse),
     .help = "Functions by their own time with their callers, in place of callees."},
    ROW(least_node, "n", PJ_PARAM_TEXT, "PERCENT", .letter = 'n', .preset = "0.5",
        .help = "Functions of a call graph with less are left out."),
    ROW(least_edge, "e", PJ_PARAM_TEXT, "PERCENT", .letter = 'e', .preset = "0.1",
        .help = "Calls of a call graph with less."),
    ROW(colours, "colors", PJ_PARAM_TEXT, "SCHEME", .preset = "by function",
        .help = "Colours of a profile: function or snakeviz; of call graphs "
                "color, pink, gray, bw or print, as gprof2dot has them."),
    ROW(colour_by, "color-by", PJ_PARAM_CHOICE, "total|self|difference",
        .choices = pj_profile_view_colour_by, .preset = "total",
        .help = "Whether colours of a call graph follow the time with or "
                "without callees, or, in a .dot of a compared one, by how much it differs."),
    {.name = "wrap",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_profile_view_args, wrap),
     .help = "Long names in a .dot in several lines."},
    {.name = "strip",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_profile_view_args, strip),
     .help = "Names in a .dot without parameters and template arguments."},
    ROW(skew, "skew", PJ_PARAM_NUMBER, "BASE", .preset = "1, even",
        .help = "Colours of a .dot lean to the hot end (below 1) or to the cold one (above 1)."),
    ROW(tolerance, "tolerance", PJ_PARAM_NUMBER, "PERCENT", .preset = "0.001",
        .help = "Of all time: smaller changes of a compared call graph are none in a .dot."),
    ROW(only, "only", PJ_PARAM_CHOICE, "slower|faster", .choices = pj_profile_view_marked,
        .preset = "both", .help = "Which changes of a compared call graph a .dot marks."),
    {.name = "slope",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_profile_view_args, slope),
     .help = "The trend of memory over time."},
    ROW(label, "label", PJ_PARAM_CHOICE, "share|time", .choices = pj_profile_view_labels,
        .preset = "share", .help = "What boxes of a call graph tell."),
    {0},
};
#undef ROW

const char *const pj_profile_view_colour_by[] = {"total", "self", "difference", NULL};
const char *const pj_profile_view_values[] = {"own", "inclusive", NULL};
const char *const pj_profile_view_orders[] = {"rank", "value", NULL};
const char *const pj_profile_view_marked[] = {"slower", "faster", NULL};
const char *const pj_profile_view_labels[] = {"share", "time", NULL};

static bool part_of(const char *name, const char *text, double unit, double *out, pj_err *err)
{
    pj_str rest = pj_str_of(text), first = pj_str_cut(&rest, '/');
    double value = 0, below = 1;
    bool percent = pj_str_ends(first, PJ_S("%"));
    if (!text)
        return true;
    if (percent)
        first = pj_str_head(first, first.len - 1);
    bool ok =
        pj_parse_double(first, &value) && (!rest.len || pj_parse_double(rest, &below)) && below > 0;
    value *= (percent ? 0.01 : unit) / below;
    if (!ok || !(value >= 0) || value >= 1)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: \"%s\" is no part (0.5, 1%%, 1/100)", name,
                       text);
    *out = value > 0 ? value : -1; // none
    return true;
}

bool pj_profile_view_args_take(const pj_profile_view_args *args, pj_profile_opts *out, pj_err *err)
{
    *out = (pj_profile_opts){
        .own = args->value && strcmp(args->value, "own") == 0,
        .with_callees = args->value && strcmp(args->value, "inclusive") == 0,
        .by_value = args->order && strcmp(args->order, "value") == 0,
        .measure = args->measure,
        .function = args->function,
        .root = args->root,
        .leaf = args->leaf,
        .path = args->path,
        .colours = args->colours,
        .label = args->label,
        .reverse = args->reverse,
        .normalise = args->normalise,
        .wrap = args->wrap,
        .strip = args->strip,
        .skew = args->skew,
        .slope = args->slope,
        .source = args->source,
        .skip_zero = args->skip_zero,
        .tolerance = args->tolerance,
        .marked = !args->only                         ? 0
                  : strcmp(args->only, "slower") == 0 ? 1
                                                      : 2,
        .by_difference = args->colour_by && strcmp(args->colour_by, "difference") == 0,
        .by_self = args->colour_by && strcmp(args->colour_by, "self") == 0,
        .one_rank = args->rank != NULL,
        .depth = args->depth < UINT16_MAX ? (unsigned)args->depth : UINT16_MAX};
    if (args->rank && !pj_parse_i64(pj_str_of(args->rank), &out->rank))
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "rank: \"%s\" is no number", args->rank);
    return part_of("cutoff", args->cutoff, 1, &out->cutoff, err) &&
           part_of("n", args->least_node, 0.01, &out->least_node, err) &&
           part_of("e", args->least_edge, 0.01, &out->least_edge, err);
}
