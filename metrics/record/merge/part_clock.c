// A process that was killed early has one reading only. Where it ran on this machine, the present
// is the second one.
#include "metrics/record/merge/part_clock.h"

#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "metrics/base/str.h"
#include "metrics/record/rec_clock.h"

#define SECOND UINT64_C(1000000000)
#define APART_ENOUGH (SECOND / 100)

static pj_clock_reading reading_of(pj_str line)
{
    return (pj_clock_reading){.ticks = pj_part_log_number(line, 1),
                              .monotonic = pj_part_log_number(line, 2),
                              .real = pj_part_log_number(line, 3)};
}

static bool is_this_boot(pj_str boot)
{
    pj_auto_buf now = {0};
    return boot.len > 0 && pj_file_read("/proc/sys/kernel/random/boot_id", &now, NULL) &&
           pj_str_equal(pj_str_trim(pj_buf_str(&now)), boot);
}

pj_part_clock pj_part_clock_of(const pj_part_log *log)
{
    pj_part_clock clock = {0};
    uint32_t count = pj_part_log_count(log, 'K');
    if (count == 0)
        return clock;
    pj_str first = pj_part_log_line(log, 'K', 0);
    clock.first = reading_of(first);
    clock.last = reading_of(pj_part_log_line(log, 'K', count - 1));
    clock.counts_ns = pj_str_equal(pj_part_log_field(first, 0), PJ_S("monotonic"));
    clock.here = is_this_boot(pj_part_log_field(pj_part_log_line(log, 'H', 0), 1));
    return clock;
}

uint64_t pj_part_clock_rate(const pj_part_clock *clock)
{
    if (clock->counts_ns)
        return SECOND;
    uint64_t ticks = clock->last.ticks - clock->first.ticks,
             ns = clock->last.monotonic - clock->first.monotonic;
    if (ns < APART_ENOUGH && clock->here) {
        ns = pj_clock_ns() - clock->first.monotonic;
        ticks = pj_rec_ticks() - clock->first.ticks;
    }
    return ns ? (uint64_t)((__uint128_t)ticks * SECOND / ns) : 0;
}
