// What pictures of profiles show. Ownership: plain data; texts are the caller's.
#ifndef PJ_PROFILE_VIEW_ARGS_H
#define PJ_PROFILE_VIEW_ARGS_H

#include "kernel/command/command.h"
#include "metrics/base/err.h"
#include "widgets/plot/plot.h"

typedef struct pj_profile_view_args {
    const char *measure, *function, *root, *leaf, *path, *colours, *colour_by, *label, *only,
        *value, *order;
    const char *before, *source, *rank, *cutoff, *least_node, *least_edge;
    uint64_t depth;
    double skew, tolerance;
    bool reverse, normalise, skip_zero, wrap, strip, slope;
} pj_profile_view_args;

extern const char *const pj_profile_view_values[], *const pj_profile_view_orders[];
extern const char *const pj_profile_view_colour_by[], *const pj_profile_view_marked[],
                                                          *const pj_profile_view_labels[];

/// A group over pj_profile_view_args.
extern const pj_param pj_profile_view_rows[];

/// False with PJ_E_USAGE where a text is no number.
PJ_CHECKED bool pj_profile_view_args_take(const pj_profile_view_args *args, pj_profile_opts *out,
                                          pj_err *err);

#endif
