// Call paths of a profile as a page of widgets: a click zooms, the list of calls leads back, depth,
// cut-off and search are controls. Everything is drawn by the kernel, so that zooming has no end.
// Ownership: what it holds goes with its widgets.
#ifndef PJ_CALL_BROWSER_H
#define PJ_CALL_BROWSER_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "widgets/ipy/widget.h"
#include "widgets/plot/plot.h"

/// The outermost widget; the profile is held. `plot` draws call paths. Errors: those of the plot.
PJ_CHECKED pj_widget *pj_call_browser_new(pj_widgets *widgets, pj_profile *profile,
                                          const pj_plot *plot, pj_plot_opts opts, pj_err *err);

#endif
