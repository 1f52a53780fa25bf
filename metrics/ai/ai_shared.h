// Devices that several ranks use. Ownership: borrow.
#ifndef PJ_AI_SHARED_H
#define PJ_AI_SHARED_H

#include "metrics/ai/ai_rank.h"

#include <stdbool.h>
#include <stddef.h>

/// Whether two of the ranks use the same device (its uuid).
bool pj_ai_shared_any(pj_ai_rank *const *ranks, size_t count);
/// Gives the records on such a device to the first rank that uses it, whose device it becomes; the
/// others have it no longer. The ranks are in order, with their launches known, not settled; their
/// records then are by stream no longer. Whether there is such a device.
bool pj_ai_shared_merge(pj_ai_rank *const *ranks, size_t count);

#endif
