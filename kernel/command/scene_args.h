// Which part of a run a timeline shows. Ownership: plain data.
#ifndef PJ_SCENE_ARGS_H
#define PJ_SCENE_ARGS_H

#include "kernel/command/command.h"
#include "metrics/run/scene.h"
#include "widgets/figure/figure.h"

typedef struct pj_scene_args {
    const char *range, *ranks;
} pj_scene_args;

/// Rows for a struct with a field `scene` of this type.
#define PJ_SCENE_PARAMS(args_type)                                                                 \
    {.name = "range",                                                                              \
     .type = PJ_PARAM_TEXT,                                                                        \
     .offset = offsetof(args_type, scene.range),                                                   \
     .shown = "FROM..TO",                                                                          \
     .preset = "what is analysed",                                                                 \
     .help = "The time that a timeline shows (1.5s..1.6s, 10%..20%)."},                            \
    {                                                                                              \
        .name = "ranks", .type = PJ_PARAM_TEXT, .offset = offsetof(args_type, scene.ranks),        \
        .shown = "FIRST-LAST", .preset = "all",                                                    \
        .help = "The ranks that a timeline shows (3, 0-15); they count from 0."                    \
    }

/// As fine as a picture of this size can show. False with PJ_E_USAGE.
bool pj_scene_args_take(const pj_scene_args *args, pj_picture_size size, pj_scene_opts *out,
                        pj_err *err);

#endif
