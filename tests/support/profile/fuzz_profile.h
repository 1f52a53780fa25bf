// Any bytes to readers of profiles: a profile whose parts fit each other, or an error; all else
// ends the process. Ownership: borrow.
#ifndef PJ_FUZZ_PROFILE_H
#define PJ_FUZZ_PROFILE_H

#include "metrics/base/str.h"

#include <stddef.h>
#include <stdint.h>

/// `reader` is the name of its row; bytes that another row would read are passed over.
void fuzz_profile(const char *reader, const uint8_t *data, size_t size);
/// To whichever reader recognises them; whether they were read.
bool try_profile(pj_str bytes);

#endif
