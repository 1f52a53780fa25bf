// Reads a block of Paraver records fast: lines of digits and colons by their marks, all others by
// the careful reading of prv_record.h, with the same result. Ownership: new/free.
#ifndef PJ_PRV_BLOCK_H
#define PJ_PRV_BLOCK_H

#include "metrics/base/str.h"
#include "metrics/read/paraver/prv_record.h"

/// What one worker needs to read blocks: room for marks, and threads seen before.
typedef struct pj_prv_block pj_prv_block;

pj_prv_block *pj_prv_block_new(const pj_prv_trace *trace);
void pj_prv_block_free(pj_prv_block *block);
/// Adds the records of `text` (whole lines, PJ_BLOCK_PAD readable bytes before and after) to
/// `batch`, which has been begun for its size.
void pj_prv_block_read(pj_prv_block *block, pj_str text, pj_prv_batch *batch);

#endif
