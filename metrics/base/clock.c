// The clocks of the machine, asked through clock_gettime.
#include "metrics/base/clock.h"

enum { NS_PER_SECOND = 1000000000, NS_PER_MS = 1000000 };

static uint64_t ns_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t pj_clock_ns(void)
{
    return ns_of(CLOCK_MONOTONIC);
}

uint64_t pj_clock_ms(void)
{
    return pj_clock_ns() / NS_PER_MS;
}

uint64_t pj_clock_of_day(void)
{
    return ns_of(CLOCK_REALTIME);
}

struct timespec pj_clock_until(clockid_t clock, uint64_t ns)
{
    uint64_t then = ns_of(clock) + ns;
    return (struct timespec){(time_t)(then / NS_PER_SECOND), (long)(then % NS_PER_SECOND)};
}
