// What became of every box of a call tree since another profile: the paths of both are matched from
// the root on, by function. Ownership: arena.
#ifndef PJ_CALL_CHANGE_H
#define PJ_CALL_CHANGE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/profile/call_tree.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/profile/profile_view.h"

enum { PJ_CALL_CHANGE_KEYS = 4 };

typedef struct pj_call_change {
    const pj_profile_view *view; // of what is drawn
    const pj_call_tree *tree;
    double *before;    // by box; NaN = there was none
    double most;       // of the changes, either way
    double whole;      // of the root before
    bool scaled;       // before is multiplied so that both take as long
    bool counts;       // samples: changes of less than two standard deviations are noise
    const char *named; // "after.prof against before.prof"
    const char *gone;  // "xypix 278 ms, fit 79 ms": paths that are no longer there; "" = none
} pj_call_change;

/// The options of the view hold for the profile of before, too. Errors: those of
/// pj_profile_view_new and pj_call_tree_new.
PJ_CHECKED pj_call_change *pj_call_change_new(const pj_profile_view *view, const pj_call_tree *tree,
                                              pj_arena *arena, pj_err *err);
/// Whether so small a change of a count of samples means nothing.
bool pj_call_change_is_noise(const pj_call_change *change, uint32_t box);
/// Red = more, blue = less, pale = as before; grey where a change is noise.
pj_colour pj_call_change_colour(const pj_call_change *change, uint32_t box);
/// "+550 ms, +91 %", "new", "as before"; `wide` says both values.
const char *pj_call_change_text(const pj_call_change *change, uint32_t box, bool wide);
size_t pj_call_change_keys(const pj_call_change *change, pj_chart_key keys[PJ_CALL_CHANGE_KEYS]);
/// "2.00 s, 2.31 s before: -310 ms (-13 %)".
const char *pj_call_change_said(const pj_call_change *change);

#endif
