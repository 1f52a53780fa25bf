// One device over time.
// Times come in order: a piece of work is either open, or one of those with a known end of which
// the latest says until when there is any. While the device is idle its time is put down to what
// its thread does; if it is given work in between, all from then on is a matter of launching it.
#include "metrics/stat/device_clock.h"

#include <string.h>

void pj_device_clock_begin(pj_device_clock *clock, pj_device_sum *sum, uint64_t from, uint64_t to)
{
    *clock = (pj_device_clock){.sum = sum, .from = from, .to = to, .cause = PJ_DEVICE_IDLE_host};
}

static bool does(const pj_device_clock *clock, pj_device_work work)
{
    return clock->open[work] || clock->until[work] > clock->at;
}

static bool is_idle(const pj_device_clock *clock)
{
    return !does(clock, PJ_DEVICE_WORK_KERNEL) && !does(clock, PJ_DEVICE_WORK_TRANSFER);
}

/// The next time up to which nothing changes by itself.
static uint64_t next_change(const pj_device_clock *clock, uint64_t time)
{
    for (unsigned work = 0; work < PJ_DEVICE_WORKS; work++)
        if (!clock->open[work] && clock->until[work] > clock->at && clock->until[work] < time)
            time = clock->until[work];
    return time;
}

static uint64_t clip(const pj_device_clock *clock, uint64_t time)
{
    return time < clock->from ? clock->from : time > clock->to ? clock->to : time;
}

/// Up to `time` nothing changes.
static void account(pj_device_clock *clock, uint64_t time)
{
    uint64_t length = clip(clock, time) - clip(clock, clock->at);
    bool kernel = does(clock, PJ_DEVICE_WORK_KERNEL), moves = does(clock, PJ_DEVICE_WORK_TRANSFER);
    clock->sum->useful_ns += kernel ? length : 0;
    clock->sum->transfer_total_ns += moves ? length : 0;
    clock->sum->transfer_ns += moves && !kernel ? length : 0;
    if (!kernel && !moves)
        clock->since[clock->begun ? clock->cause : PJ_DEVICE_IDLE_ends] += length;
    if (clock->watch.tell)
        clock->watch.tell(clock->watch.self, clock->watch.lane,
                          kernel  ? PJ_DEVICE_WORK_KERNEL
                          : moves ? PJ_DEVICE_WORK_TRANSFER
                                  : PJ_DEVICE_WORKS,
                          clock->at, time);
    clock->at = time;
}

void pj_device_clock_advance(pj_device_clock *clock, uint64_t time)
{
    while (clock->at < time)
        account(clock, next_change(clock, time));
}

/// Moves the times of `from`; all of it is a matter of launching, or each is of its own cause.
static void put_down(uint64_t *to, uint64_t *from, bool launched)
{
    for (unsigned cause = 0; cause < PJ_DEVICE_IDLE_CAUSES; cause++) {
        to[launched ? PJ_DEVICE_IDLE_launch : cause] += from[cause];
        from[cause] = 0;
    }
}

/// Work begins after it was idle, or goes on beside other work.
static void begin_work(pj_device_clock *clock)
{
    if (!is_idle(clock))
        return;
    put_down(clock->sum->idle_ns, clock->since, clock->asked);
    put_down(clock->sum->idle_ns, clock->gap, false);
    clock->begun = true;
    clock->asked = false;
}

void pj_device_clock_open(pj_device_clock *clock, pj_device_work work)
{
    begin_work(clock);
    clock->open[work]++;
}

void pj_device_clock_close(pj_device_clock *clock, pj_device_work work)
{
    if (clock->open[work])
        clock->open[work]--;
}

void pj_device_clock_piece(pj_device_clock *clock, pj_device_work work, uint64_t end)
{
    if (end <= clock->at)
        return;
    begin_work(clock);
    if (end > clock->until[work])
        clock->until[work] = end;
}

void pj_device_clock_shorten(pj_device_clock *clock, pj_device_work work, uint64_t until)
{
    clock->until[work] = until;
}

void pj_device_clock_ask(pj_device_clock *clock)
{
    if (!is_idle(clock) || !clock->begun)
        return;
    put_down(clock->gap, clock->since, false);
    clock->asked = true;
}

void pj_device_clock_end(pj_device_clock *clock, uint64_t time)
{
    pj_device_clock_advance(clock, time);
    for (unsigned cause = 0; cause < PJ_DEVICE_IDLE_CAUSES; cause++)
        clock->sum->idle_ns[PJ_DEVICE_IDLE_ends] += clock->since[cause] + clock->gap[cause];
    memset(clock->since, 0, sizeof clock->since);
    memset(clock->gap, 0, sizeof clock->gap);
}
