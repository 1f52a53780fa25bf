// What the module popinjay-record.so shows to the other modules of the recorder.
#ifndef PJ_REC_EXPORT_H
#define PJ_REC_EXPORT_H

#include <stdbool.h>

#define PJ_REC_API __attribute__((visibility("default")))

/// Whether a function of popinjay-record.so is at this address: what it does itself is not
/// recorded.
PJ_REC_API bool pj_rec_is_own(const void *address);

#endif
