// One file that PyTorch's profiler (Kineto) wrote: the records of one rank. Ownership: borrow.
#ifndef PJ_KINETO_FILE_H
#define PJ_KINETO_FILE_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/err.h"
#include "metrics/read/source.h"

/// Reads all of it into a new rank and settles that. Events may stand in any order, metadata before
/// or behind them; a file that breaks off gives what came before. Errors: PJ_E_FORMAT (no events),
/// PJ_E_IO, PJ_E_STOPPED, PJ_E_MEMORY.
PJ_CHECKED bool pj_kineto_file_read(pj_source *source, pj_ai_rank *rank, pj_err *err);

#endif
