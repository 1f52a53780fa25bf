// The recorder's clock: ticks of the processor where they are good, else CLOCK_MONOTONIC in ns.
#ifndef PJ_REC_CLOCK_H
#define PJ_REC_CLOCK_H

#include "metrics/record/rec_export.h"

#include <stdbool.h>
#include <stdint.h>

/// Whether the processor's counter is read; set before the first event.
extern PJ_REC_API bool pj_rec_clock_counter;

/// Chooses the clock; again is harmless.
void pj_rec_clock_choose(void);
/// "tsc", "cntvct" or "monotonic".
const char *pj_rec_clock_name(void);
PJ_REC_API uint64_t pj_rec_clock_monotonic(void); // ns
uint64_t pj_rec_clock_real(void);                 // ns since 1970

/// The processor's counter, where there is one that is ever read; else 0.
static inline uint64_t pj_rec_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

static inline uint64_t pj_rec_now(void)
{
    if (__builtin_expect(pj_rec_clock_counter, 1))
        return pj_rec_ticks();
    return pj_rec_clock_monotonic();
}

#endif
