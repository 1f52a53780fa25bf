// Values as people see them: text for terminals, MIME bundles for notebooks. Ownership: text is
// appended; JSON references are new.
#ifndef PJ_DISPLAY_H
#define PJ_DISPLAY_H

#include "kernel/session.h"

/// Key of a bundle's metadata under which metrics say what they come from: {"set", "traces":
/// [{"name", "path", "layout"}]}.
#define PJ_DISPLAY_ORIGIN "application/x-popinjay"

/// Text for a terminal, ending with a newline.
void pj_display_text(const pj_session *session, const pj_value *value, pj_buf *out);
/// The table that a value is or was made from; NULL when it has none. New reference.
pj_table *pj_display_table(const pj_value *value);
/// Data and metadata of a bundle; at least text/plain.
void pj_display_bundle(pj_session *session, const pj_value *value, json_t **data,
                       json_t **metadata);

#endif
