// What commands share that evaluate a metric set over runs. Ownership: new references.
#ifndef PJ_METRICS_ARGS_H
#define PJ_METRICS_ARGS_H

#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"

typedef struct pj_metrics_args {
    const char *set;
    uint64_t ref;
    const char *scaling, *by, *title;
    double good, bad;
    const char *colours;
} pj_metrics_args;

/// Rows for a struct with a field `metrics` of this type; `set_place` as in pj_param.
#define PJ_SET_PARAM(args_type, set_place)                                                         \
    {                                                                                              \
        .name = "set", .type = PJ_PARAM_CHOICE, .place = set_place,                                \
        .offset = offsetof(args_type, metrics.set), .shown = "SET", .choice = pj_session_set_key,  \
        .preset = "hybrid, openmp or mpi, what fits the runs", .help = "The metric set."           \
    }
#define PJ_METRICS_OPTIONS(args_type)                                                              \
    {.name = "ref",                                                                                \
     .type = PJ_PARAM_COUNT,                                                                       \
     .offset = offsetof(args_type, metrics.ref),                                                   \
     .shown = "N",                                                                                 \
     .preset = "the run with the fewest threads",                                                  \
     .help = "The reference run of the scalings, counted from 1 in the order of the table."},      \
        {.name = "scaling",                                                                        \
         .type = PJ_PARAM_CHOICE,                                                                  \
         .offset = offsetof(args_type, metrics.scaling),                                           \
         .shown = "auto|strong|weak",                                                              \
         .choices = pj_scalings,                                                                   \
         .preset = "auto",                                                                         \
         .help = "Whether the work stays the same (strong) or grows with the threads (weak)."},    \
    {                                                                                              \
        .name = "by", .type = PJ_PARAM_CHOICE, .offset = offsetof(args_type, metrics.by),          \
        .shown = "KEY", .choice = pj_key_choice, .help = "Groups the runs."                        \
    }
#define PJ_TITLE_PARAM(args_type)                                                                  \
    {                                                                                              \
        .name = "title", .type = PJ_PARAM_TEXT, .offset = offsetof(args_type, metrics.title),      \
        .shown = "TITLE", .help = "The heading of the result."                                     \
    }

#define PJ_PALETTE_PARAMS(args_type)                                                               \
    {.name = "good",                                                                               \
     .type = PJ_PARAM_PART,                                                                        \
     .offset = offsetof(args_type, metrics.good),                                                  \
     .shown = "PART",                                                                              \
     .preset = "0.8",                                                                              \
     .help = "Efficiencies from here on have the colours of good ones."},                          \
        {.name = "bad",                                                                            \
         .type = PJ_PARAM_PART,                                                                    \
         .offset = offsetof(args_type, metrics.bad),                                               \
         .shown = "PART",                                                                          \
         .preset = "0.5",                                                                          \
         .help = "Efficiencies below have the colours of bad ones."},                              \
    {                                                                                              \
        .name = "colours", .type = PJ_PARAM_CHOICE,                                                \
        .offset = offsetof(args_type, metrics.colours), .shown = "red-green|blue-orange",          \
        .choices = pj_colour_schemes, .preset = "red-green",                                       \
        .help = "The colours of efficiencies; blue-orange for the colour-blind."                   \
    }

extern const char *const pj_scalings[];
extern const char *const pj_colour_schemes[];
/// What `--scaling` says; NULL = auto.
pj_scaling pj_scaling_choice(const char *name);
/// The names of pj_key; NULL past the end.
const char *pj_key_choice(const pj_session *session, size_t index);

/// Loads the inputs and evaluates the set. Metrics given alone and without options are returned
/// as they are.
PJ_CHECKED bool pj_metrics_args_run(pj_session *session, const pj_load_args *load,
                                    const pj_metrics_args *args, pj_value *out, pj_err *err);

#endif
