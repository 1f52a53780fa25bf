// Widgets in notebooks: how a cell's output mentions one, and what keeps them readable without a
// kernel. Ownership: new JSON references, the caller's.
#ifndef PJ_WIDGET_SAVE_H
#define PJ_WIDGET_SAVE_H

#include "widgets/ipy/widget.h"

/// The data of a display_data: the view, and text/plain for front ends that show no widgets.
/// `plain` NULL = a sentence that says what the widget is and what to install.
json_t *pj_widget_view(const pj_widget *widget, const char *plain);

/// metadata.widgets of a notebook: the whole state of every open widget, bytes as base64.
json_t *pj_widgets_saved(const pj_widgets *widgets);

#endif
