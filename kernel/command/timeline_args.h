// Which part of a run a timeline shows. Ownership: plain data.
#ifndef PJ_TIMELINE_ARGS_H
#define PJ_TIMELINE_ARGS_H

#include "kernel/command/command.h"
#include "metrics/base/err.h"
#include "metrics/run/timeline.h"
#include "widgets/figure/figure.h"

typedef struct pj_timeline_args {
    const char *range, *ranks;
} pj_timeline_args;

/// Rows for a struct with a field `timeline` of this type.
#define PJ_TIMELINE_PARAMS(args_type)                                                              \
    {.name = "range",                                                                              \
     .type = PJ_PARAM_TEXT,                                                                        \
     .offset = offsetof(args_type, timeline.range),                                                \
     .shown = "FROM..TO",                                                                          \
     .preset = "what is analysed",                                                                 \
     .help = "The time that a timeline shows (1.5s..1.6s, 10%..20%)."},                            \
    {                                                                                              \
        .name = "ranks", .type = PJ_PARAM_TEXT, .offset = offsetof(args_type, timeline.ranks),     \
        .shown = "FIRST-LAST", .preset = "all",                                                    \
        .help = "The ranks that a timeline shows (3, 0-15); they count from 0."                    \
    }

/// As fine as a picture of this size can show. False with PJ_E_USAGE.
PJ_CHECKED bool pj_timeline_args_take(const pj_timeline_args *args, pj_picture_size size,
                                      pj_timeline_opts *out, pj_err *err);

#endif
