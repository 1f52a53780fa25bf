// Short slices of processor time for threads that answer.
// EEVDF, the scheduler of Linux since 6.6: a thread that asks for a shorter slice than the running
// one has takes its place when it wakes up.
#include "kernel/jupyter/slice.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/// sched_setattr(2); the C library has no call for it.
typedef struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period; // ns; of a normal thread the first is its slice
} attributes;

static void set_slice(uint64_t ns)
{
    int before = errno;
    attributes a = {0};
    if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) == 0) {
        a.runtime = ns;
        syscall(SYS_sched_setattr, 0, &a, 0);
    }
    errno = before;
}

void pj_slice_short(void)
{
    enum { SHORTEST_NS = 100000 };
    set_slice(SHORTEST_NS);
}

void pj_slice_default(void)
{
    set_slice(0);
}
