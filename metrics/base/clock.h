// The clocks of the machine: one that only goes forward, for how long things take and deadlines,
// and the time of day.
#ifndef PJ_CLOCK_H
#define PJ_CLOCK_H

#include <stdint.h>
#include <time.h>

/// Since some moment of the past, never backwards.
uint64_t pj_clock_ns(void);
uint64_t pj_clock_ms(void);
/// Since the beginning of 1970 (UTC), in ns.
uint64_t pj_clock_of_day(void);
/// When `ns` from now have passed, as pthread_cond_timedwait wants it of this clock.
struct timespec pj_clock_until(clockid_t clock, uint64_t ns);

#endif
