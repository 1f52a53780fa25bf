// Call graphs in blocks of lines, as gprof prints them and VTune after it: a function with its
// index in brackets, its callers above and its callees below it. Ownership: new/free.
#ifndef PJ_CALL_BLOCKS_H
#define PJ_CALL_BLOCKS_H

#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"

#include <stdint.h>

typedef struct pj_call_blocks pj_call_blocks;

/// `counts`: lines tell numbers of calls (gprof) or none (VTune).
pj_call_blocks *pj_call_blocks_new(bool counts);
void pj_call_blocks_free(pj_call_blocks *blocks);

/// A line of a block; false when it is none. Those of other things (headers, <spontaneous>) are
/// passed over.
bool pj_call_blocks_line(pj_call_blocks *blocks, pj_str line);
/// The end of a block.
void pj_call_blocks_end(pj_call_blocks *blocks);

/// Functions with self and total seconds, and edges, which are each told twice and counted once.
/// False when there was not one function.
bool pj_call_blocks_build(pj_call_blocks *blocks, pj_build *build);

#endif
