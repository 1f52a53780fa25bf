// Which times stand where in a plain trace, so that a timeline that zooms in reads no more than it
// needs. Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_PRV_PART_H
#define PJ_PRV_PART_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/read/paraver/prv_record.h"
#include "metrics/read/pass.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"

typedef struct pj_prv_parts {
    pj_part *items;
    size_t count, cap;
    size_t next; // of those that a pass reads
} pj_prv_parts;

/// The next block, whose records begin at `begin`. There are never more than a few thousand
/// parts: then two of them become one.
void pj_prv_parts_add(pj_prv_parts *parts, const pj_block *block, size_t begin,
                      const pj_prv_batch *batch);
/// Copies them into run->ranged.parts.
void pj_prv_parts_keep(const pj_prv_parts *parts, pj_run *run);
/// Skips what pass->known says is not needed; false at the end of what is, or with an error.
PJ_CHECKED bool pj_prv_parts_seek(pj_prv_parts *parts, pj_source *source, const pj_pass *pass,
                                  pj_err *err);
void pj_prv_parts_free(pj_prv_parts *parts);

#endif
