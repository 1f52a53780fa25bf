// A profile in three linked panes, as Cube shows one: metrics, call paths (or functions), ranks and
// threads. What is chosen in a pane is what the panes to its right show; a row that is shut shows
// its value with what lies below it, an open one what it has itself.
// Ownership: what it holds goes with its widgets.
#ifndef PJ_PANE_BROWSER_H
#define PJ_PANE_BROWSER_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "widgets/ipy/widget.h"

/// The outermost widget; the profile is held. PJ_E_MISSING where it has no values of functions.
PJ_CHECKED pj_widget *pj_pane_browser_new(pj_widgets *widgets, pj_profile *profile, pj_err *err);

#endif
