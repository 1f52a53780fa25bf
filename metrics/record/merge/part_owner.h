// Whether the process that writes a part is still at it. Ownership: none.
#ifndef PJ_PART_OWNER_H
#define PJ_PART_OWNER_H

#include "metrics/record/merge/part_log.h"

/// It is on this machine, was there when the part began, and has not closed it.
bool pj_part_owner_lives(const pj_part_log *log);
/// Whether this process of the system has ended, and nobody has asked for its status yet.
bool pj_part_owner_ended(uint64_t pid);

#endif
