// The files beside a Paraver trace without the names that somebody has given. Ownership: text is
// appended to the caller's buffer.
#ifndef PJ_PRV_ANONYMOUS_H
#define PJ_PRV_ANONYMOUS_H

#include "metrics/base/buf.h"
#include "metrics/base/pseudonym.h"
#include "metrics/base/str.h"

/// A .pcf: labels of functions, lines, kernels, locks and of types of the user's own are hashed,
/// those of MPI, OpenMP, counters, states and calls of GPUs stay.
void pj_prv_anonymous_labels(pj_str text, const pj_pseudonyms *names, pj_buf *out);
/// A .row: numbers and the words that every trace has stay, names of nodes and programs go.
void pj_prv_anonymous_names(pj_str text, const pj_pseudonyms *names, pj_buf *out);

#endif
