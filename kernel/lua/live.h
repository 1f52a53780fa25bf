// Live widgets from C: for commands that build pages of widgets (widgets/ipy/widget.h), answer
// their events and let long work report to them. Widgets belong to one thread at a time:
//   - the command's own thread, between pj_live_enter and pj_live_leave;
//   - whoever calls a watch of a widget: that thread is inside already;
//   - an errand: what another thread (a pj_task) has posted to the desk runs on the thread of the
//     handlers, inside.
// Nothing that takes long may run inside: cells and other handlers wait for it.
// Ownership: a pj_live is a borrow for the life of the language; a desk is closed by who opened it.
#ifndef PJ_LIVE_H
#define PJ_LIVE_H

#include "kernel/command/face.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "widgets/ipy/widget.h"

typedef struct pj_lang_stage pj_live;

/// NULL where there is no language, as in the shell.
pj_live *pj_live_of(const pj_session *session);

/// Enters with the thread that runs a command of this session; calls may nest. Widgets made inside
/// belong to the cell that runs.
pj_widgets *pj_live_enter(pj_session *session);
void pj_live_leave(pj_session *session);

/// Inside only: the widgets, and the session of whoever is inside (its face, its stop flag).
pj_widgets *pj_live_widgets(pj_live *live);
pj_session *pj_live_session(pj_live *live);

/// Inside only: a desk for the cell, or the widget's cell, on whose behalf this runs. `self` is
/// NULL where nobody serves handlers (scripts).
pj_desk pj_live_desk(pj_live *live);

/// A widget as the value of a command.
pj_value pj_live_value(const pj_widget *widget);

#endif
