// How much memory this process may still take before somebody ends it: RAM, control groups, limits
// of the process. Ownership: none.
#ifndef PJ_MEMORY_H
#define PJ_MEMORY_H

#include "metrics/base/err.h"

#include <stdint.h>

typedef struct pj_memory_room {
    uint64_t limit;   // bytes that may be used in all
    uint64_t left;    // bytes of them that may still be taken
    const char *what; // sets the limit: "the control group (memory.max)"
} pj_memory_room;

/// The tightest room of all. `root` is put before /proc and /sys: "" on a real system.
/// Sources: proc(5), the kernel's cgroup-v1 and cgroup-v2 documents, getrlimit(2).
pj_memory_room pj_memory_look(const char *root);
/// Bytes of this process that are in RAM; 0 when the system does not tell.
uint64_t pj_memory_resident(void);
/// False with PJ_E_MEMORY and the figures when `bytes` more are not to be had; `where` names the
/// input, `why` says what they are for.
PJ_CHECKED bool pj_memory_want(uint64_t bytes, const char *where, const char *why, pj_err *err);

#endif
