// Which clock is good: the counter of the processor must run at one rate, in sleep too, and be the
// one that the kernel itself trusts.
#include "metrics/record/rec_clock.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool pj_rec_clock_counter;

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t pj_rec_clock_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t pj_rec_clock_real(void)
{
    return read_clock(CLOCK_REALTIME);
}

#if defined(__x86_64__)
/// Whether the beginning of a file of the kernel contains all of `words`.
static bool file_says(const char *path, const char *const *words)
{
    char text[4096];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = '\0';
    for (; *words; words++)
        if (!strstr(text, *words))
            return false;
    return true;
}

void pj_rec_clock_choose(void)
{
    pj_rec_clock_counter =
        file_says("/proc/cpuinfo", (const char *[]){"constant_tsc", "nonstop_tsc", NULL}) &&
        file_says("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  (const char *[]){"tsc", NULL});
}

const char *pj_rec_clock_name(void)
{
    return pj_rec_clock_counter ? "tsc" : "monotonic";
}
#elif defined(__aarch64__)
void pj_rec_clock_choose(void)
{
    enum { LEAST_RATE = 100000000 };
    uint64_t rate;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(rate));
    pj_rec_clock_counter = rate >= LEAST_RATE;
}

const char *pj_rec_clock_name(void)
{
    return pj_rec_clock_counter ? "cntvct" : "monotonic";
}
#else
void pj_rec_clock_choose(void)
{
}

const char *pj_rec_clock_name(void)
{
    return "monotonic";
}
#endif
