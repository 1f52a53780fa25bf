// What pictures of profiles show. Ownership: plain data; texts are the caller's.
#ifndef PJ_PROFILE_VIEW_ARGS_H
#define PJ_PROFILE_VIEW_ARGS_H

#include "kernel/command/command.h"
#include "metrics/base/err.h"
#include "widgets/plot/plot.h"

typedef struct pj_profile_view_args {
    const char *measure, *function, *root, *leaf, *path, *colours, *colour_by, *label;
    const char *rank, *cutoff, *least_node, *least_edge;
    uint64_t depth;
    bool reverse;
} pj_profile_view_args;

extern const char *const pj_profile_view_colour_by[], *const pj_profile_view_labels[];

#define PJ_PROFILE_VIEW_ROW(args_type, field, row_name, row_type, row_shown, ...)                  \
    {                                                                                              \
        .name = row_name, .type = row_type, .offset = offsetof(args_type, profile.field),          \
        .shown = row_shown, __VA_ARGS__                                                            \
    }

/// Rows for a struct with a field `profile` of this type.
#define PJ_PROFILE_VIEW_PARAMS(args_type)                                                          \
    PJ_PROFILE_VIEW_ROW(args_type, function, "f", PJ_PARAM_TEXT, "NAME", .letter = 'f',            \
                        .help = "The function of a profile that ranks and histogram show."),       \
        PJ_PROFILE_VIEW_ROW(args_type, rank, "rank", PJ_PARAM_TEXT, "RANK",                        \
                            .preset = "all, added up",                                             \
                            .help = "The rank of a profile that is shown."),                       \
        PJ_PROFILE_VIEW_ROW(args_type, measure, "metric", PJ_PARAM_TEXT, "METRIC",                 \
                            .preset = "time", .help = "What of a profile is shown."),              \
        PJ_PROFILE_VIEW_ROW(args_type, root, "root", PJ_PARAM_TEXT, "NAME",                        \
                            .help = "Only this function of a profile and what it calls; names "    \
                                    "may be short or have wildcards."),                            \
        PJ_PROFILE_VIEW_ROW(args_type, leaf, "leaf", PJ_PARAM_TEXT, "NAME",                        \
                            .help = "Only this function of a call graph and what calls it."),      \
        PJ_PROFILE_VIEW_ROW(args_type, path, "path", PJ_PARAM_TEXT, "PREFIX",                      \
                            .help = "Only functions of a call graph whose files begin so."),       \
        PJ_PROFILE_VIEW_ROW(args_type, depth, "depth", PJ_PARAM_COUNT, "N",                        \
                            .preset = "10; what call paths have",                                  \
                            .help = "Calls below the root that are drawn."),                       \
        PJ_PROFILE_VIEW_ROW(args_type, cutoff, "cutoff", PJ_PARAM_TEXT, "PART",                    \
                            .preset = "1/1000 in call graphs",                                     \
                            .help = "Least part of its caller that a callee takes (1/100, 1%, "    \
                                    "0 for all)."),                                                \
        {.name = "reverse",                                                                        \
         .type = PJ_PARAM_FLAG,                                                                    \
         .offset = offsetof(args_type, profile.reverse),                                           \
         .help = "Functions by their own time with their callers, in place of callees."},          \
        PJ_PROFILE_VIEW_ROW(args_type, least_node, "n", PJ_PARAM_TEXT, "PERCENT", .letter = 'n',   \
                            .preset = "0.5",                                                       \
                            .help = "Functions of a call graph with less are left out."),          \
        PJ_PROFILE_VIEW_ROW(args_type, least_edge, "e", PJ_PARAM_TEXT, "PERCENT", .letter = 'e',   \
                            .preset = "0.1", .help = "Calls of a call graph with less."),          \
        PJ_PROFILE_VIEW_ROW(args_type, colours, "colors", PJ_PARAM_TEXT, "SCHEME",                 \
                            .preset = "by function",                                               \
                            .help = "Colours of a profile: function or snakeviz; of call graphs "  \
                                    "color, pink, gray, bw or print, as gprof2dot has them."),     \
        PJ_PROFILE_VIEW_ROW(args_type, colour_by, "color-by", PJ_PARAM_CHOICE, "total|self",       \
                            .choices = pj_profile_view_colour_by, .preset = "total",               \
                            .help = "Whether colours of a call graph follow the time with or "     \
                                    "without callees."),                                           \
        PJ_PROFILE_VIEW_ROW(args_type, label, "label", PJ_PARAM_CHOICE, "share|time",              \
                            .choices = pj_profile_view_labels, .preset = "share",                  \
                            .help = "What boxes of a call graph tell.")

/// False with PJ_E_USAGE where a text is no number.
PJ_CHECKED bool pj_profile_view_args_take(const pj_profile_view_args *args, pj_profile_opts *out,
                                          pj_err *err);

#endif
