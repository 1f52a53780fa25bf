// Comm messages of a front end for widgets: targets jupyter.widget and jupyter.widget.control.
// Answers leave through the channel before the call returns, so that all of them belong to the
// message being handled. Hostile messages change nothing and are told as errors.
#ifndef PJ_WIDGET_COMM_H
#define PJ_WIDGET_COMM_H

#include "metrics/base/err.h"
#include "widgets/ipy/channel.h"
#include "widgets/ipy/widget.h"

#define PJ_WIDGET_TARGET "jupyter.widget"
#define PJ_WIDGET_CONTROL_TARGET "jupyter.widget.control"

/// A known comm is left as it is. False for an unknown target (PJ_E_MISSING) and for a model that
/// cannot be (PJ_E_FORMAT, PJ_E_USAGE): the caller closes the comm at once.
PJ_CHECKED bool pj_widgets_take_open(pj_widgets *widgets, const pj_comm_message *message,
                                     pj_err *err);
/// update, request_state, custom; request_states. PJ_E_MISSING for an unknown comm, PJ_E_FORMAT for
/// a message out of shape, PJ_E_USAGE for a value that does not fit (the front end is corrected).
PJ_CHECKED bool pj_widgets_take_msg(pj_widgets *widgets, const pj_comm_message *message,
                                    pj_err *err);
/// An unknown comm is ignored.
void pj_widgets_take_close(pj_widgets *widgets, const pj_comm_message *message);

/// {"<comm_id>": {"target_name": ...}} of one target, or of both for NULL: comm_info_reply's comms.
json_t *pj_widgets_comms(const pj_widgets *widgets, const char *target);

#endif
