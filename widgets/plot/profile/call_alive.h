// The data with which a picture of call paths is alive (widgets/figure/alive/alive.js): more boxes
// than are drawn, so that zooming shows what was too small. Ownership: arena.
#ifndef PJ_CALL_ALIVE_H
#define PJ_CALL_ALIVE_H

#include "metrics/base/arena.h"
#include "widgets/plot/profile/call_view.h"

typedef struct pj_call_alive_opts {
    const char *shape; // "rows" or "rings"
    bool upwards;      // rows: the root lies at the bottom
} pj_call_alive_opts;

/// An object of JSON, at most about 400 kB: of more boxes the largest are in it.
const char *pj_call_alive(const pj_call_view *view, pj_call_alive_opts opts, pj_arena *arena);

#endif
