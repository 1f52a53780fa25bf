// How a run is cut into parts, as people write it: "time:16". Ownership: plain data.
#ifndef PJ_CUT_H
#define PJ_CUT_H

#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/parts/functions.h"
#include "metrics/stat/parts/slice_sink.h"

typedef struct pj_cut {
    bool set;
    pj_slicing_opts slices; // of time
    bool iterations;
    pj_function_cut functions;
} pj_cut;

/// "time:N"; N may be left out; "iteration"; keys of function_cuts.def. Errors: PJ_E_USAGE.
PJ_CHECKED bool pj_cut_parse(pj_str text, pj_cut *out, pj_err *err);
/// What the texts begin with; NULL past the end.
const char *pj_cut_choice(size_t index);
/// Asks for the parts, and that they stand beside their run. `cut` lives as long as `opts`.
void pj_cut_ask(const pj_cut *cut, pj_load_opts *opts);

#endif
