// One file that PyTorch's profiler (Kineto) wrote: the records of one rank. Ownership: borrow.
#ifndef PJ_KINETO_FILE_H
#define PJ_KINETO_FILE_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/err.h"
#include "metrics/read/kineto/kineto_split.h"
#include "metrics/read/source.h"

/// Reads all of it into a new rank and settles that. Events may stand in any order, metadata before
/// or behind them; a file that breaks off gives what came before. `split` learns the ranks that
/// processes of the file are called by. Errors: PJ_E_FORMAT (no events), PJ_E_IO, PJ_E_STOPPED,
/// PJ_E_MEMORY.
PJ_CHECKED bool pj_kineto_file_read(pj_source *source, pj_ai_rank *rank, pj_kineto_split *split,
                                    pj_err *err);
/// Reads a file of several ranks into as many new ones: what the processes of one do. The others'
/// belong to nobody.
PJ_CHECKED bool pj_kineto_file_part(pj_source *source, pj_ai_rank **ranks,
                                    const pj_kineto_split *split, pj_err *err);

#endif
