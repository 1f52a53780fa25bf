// The OTF2 archives that tests read: those beside the checkout. Ownership: borrow.
#ifndef PJ_ARCHIVES_H
#define PJ_ARCHIVES_H

#include <stddef.h>

/// Paths of the anchors of real archives, from the root of the checkout; NULL past the end.
const char *archives_real(size_t index);

#endif
