// Golden files: small texts under tests/golden. Ownership: borrow.
#ifndef PJ_GOLDEN_H
#define PJ_GOLDEN_H

#include "metrics/base/str.h"

/// Whether `text` is what the file holds; prints the first line that differs to standard error.
/// With PJ_UPDATE_GOLDEN in the environment the file is written instead.
bool pj_golden_same(const char *path, pj_str text);

#endif
