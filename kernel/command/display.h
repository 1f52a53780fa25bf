// Values as people see them: text for terminals, MIME bundles for notebooks. Ownership: text is
// appended; JSON references are new.
#ifndef PJ_DISPLAY_H
#define PJ_DISPLAY_H

#include "kernel/command/export.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/table/table.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/plot/plot.h"

/// Key of a bundle's metadata under which metrics say what they come from: {"set", "traces":
/// [{"name", "path", "layout"}]}.
#define PJ_DISPLAY_ORIGIN "application/x-popinjay"

/// Text for a terminal, ending with a newline.
void pj_display_text(const pj_session *session, const pj_value *value, pj_buf *out);
/// The table that a value is or was made from; NULL when it has none. New reference.
pj_table *pj_display_table(const pj_value *value);
/// All rows and columns of it that are for programs; NULL too when `stop` (may be NULL) is raised.
pj_table *pj_display_whole(const pj_value *value, atomic_bool *stop);
/// Data and metadata of a bundle; at least text/plain. When `stop` (NULL = never) is raised, a
/// picture is left and tables end early: of no use then.
void pj_display_bundle(pj_session *session, const pj_value *value, const atomic_bool *stop,
                       json_t **data, json_t **metadata);

pj_terminal_opts pj_display_terminal(const pj_session *session);

/// A plot: laid out for the terminal where the shell is to show it, for a picture otherwise. Its
/// data are for the caller to set; nil with an error.
PJ_CHECKED pj_value pj_display_plot(pj_session *session, const pj_plot *plot, pj_plot_data data,
                                    pj_plot_opts opts, const pj_exports *exports, pj_err *err);

#endif
