// How far a function of Python goes in its source. Ownership: borrow.
#ifndef PJ_PYTHON_BLOCK_H
#define PJ_PYTHON_BLOCK_H

#include "metrics/base/str.h"

/// Lines of the function or class that begins at the start of `source`, decorators first: what
/// Python's inspect.getblock finds. At least 1, unless there is no line at all.
size_t pj_python_block(pj_str source);

#endif
