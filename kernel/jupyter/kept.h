// The latest outputs of cells, so that a front end that was away can see them again. Ownership:
// new/free; any thread may call.
#ifndef PJ_KEPT_H
#define PJ_KEPT_H

#include "kernel/jupyter/message.h"
#include "kernel/jupyter/request.h"
#include "metrics/base/str.h"

typedef struct pj_kept pj_kept;

/// `limit`: bytes of output kept in all; the oldest goes first.
pj_kept *pj_kept_new(size_t limit);
void pj_kept_free(pj_kept *kept);

/// What was published: an execute_input begins a cell, outputs of the same parent are added to it,
/// a clear_output empties it. Everything else is ignored.
void pj_kept_post(pj_kept *kept, const pj_post *post);
void pj_kept_text(pj_kept *kept, const pj_request *parent, pj_stream stream, pj_str text);

/// What the cell `count` (0 = the latest one with outputs) published, in order, new:
/// [{"type": "stdout", "text"}, {"type": "display_data", "content"}, ...]. NULL when nothing of it
/// is kept. The cell of `except` does not count. `gone` is the number of outputs that are missing.
json_t *pj_kept_outputs(pj_kept *kept, uint64_t count, const pj_request *except, size_t *gone);

#endif
