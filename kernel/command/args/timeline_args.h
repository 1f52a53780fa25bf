// Which part of a run a timeline shows. Ownership: plain data.
#ifndef PJ_TIMELINE_ARGS_H
#define PJ_TIMELINE_ARGS_H

#include "kernel/command/command.h"
#include "metrics/base/err.h"
#include "metrics/run/timeline.h"
#include "widgets/figure/figure.h"

typedef struct pj_timeline_args {
    const char *range, *ranks;
    bool streams, waits;
} pj_timeline_args;

/// A group over pj_timeline_args.
extern const pj_param pj_timeline_rows[];

/// As fine as a picture of this size can show. False with PJ_E_USAGE.
PJ_CHECKED bool pj_timeline_args_take(const pj_timeline_args *args, pj_picture_size size,
                                      pj_timeline_opts *out, pj_err *err);

#endif
