// How fast output may go to a server that limits its rate.
// A sliding window a little longer than the server's, and a steady rate once its free part is used
// up: without that every window would be a burst and a silence.
#include "kernel/jupyter/pace.h"

#include <string.h>

enum { SLOT_MS = 50, SHORT_MS = 5, TRICKLE = 16 << 10, WINDOW_MS = PJ_PACE_SLOTS * SLOT_MS };

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

/// 2.5 MB and 2.925 MB at 900 kB/s.
static uint64_t free_bytes(const pj_pace *pace)
{
    return pace->rate * 25 / 9;
}

static uint64_t most_bytes(const pj_pace *pace)
{
    return pace->rate * WINDOW_MS / 1000;
}

static void advance(pj_pace *pace, uint64_t now_ns)
{
    uint64_t slot = now_ns / (SLOT_MS * NS_PER_MS);
    if (slot > pace->slot + PJ_PACE_SLOTS) {
        memset(pace->sent, 0, sizeof pace->sent);
        pace->sum = 0;
        pace->slot = slot;
    }
    while (pace->slot < slot) {
        uint64_t *oldest = &pace->sent[++pace->slot % PJ_PACE_SLOTS];
        pace->sum -= *oldest;
        *oldest = 0;
    }
    pace->steady = pace->steady && pace->sum;
}

uint64_t pj_pace_wait(pj_pace *pace, uint64_t now_ns, size_t queued)
{
    if (!pace->rate)
        return 0;
    advance(pace, now_ns);
    if (now_ns < pace->next)
        return pace->next - now_ns;
    bool used_up = pace->steady || pace->sum + queued > free_bytes(pace);
    bool enough = (used_up && queued >= (pace->trickles ? TRICKLE : PJ_PACE_AHEAD)) ||
                  pace->sum + queued >= most_bytes(pace);
    return enough ? SHORT_MS * NS_PER_MS : 0;
}

/// After a burst the rate at which what is left beside it lasts until the burst counts no more, so
/// that output trickles on; otherwise the rate. Pieces make the next few slots uneven.
static uint64_t rate_now(const pj_pace *pace)
{
    enum { UNEVEN = 4 };
    uint64_t lowest = pace->rate;
    uint64_t room = pace->sum < most_bytes(pace) ? most_bytes(pace) - pace->sum : 0;
    for (uint64_t slots = 1; slots <= PJ_PACE_SLOTS; slots++) {
        uint64_t rate = slots < UNEVEN ? lowest : room * 1000 / (slots * SLOT_MS);
        lowest = rate < lowest ? rate : lowest;
        room += pace->sent[(pace->slot + slots) % PJ_PACE_SLOTS];
    }
    return lowest < pace->rate / 2 ? lowest : pace->rate;
}

void pj_pace_note(pj_pace *pace, uint64_t now_ns, size_t bytes)
{
    if (!pace->rate)
        return;
    advance(pace, now_ns);
    pace->sent[pace->slot % PJ_PACE_SLOTS] += bytes;
    pace->sum += bytes;
    pace->steady = pace->steady || pace->sum > free_bytes(pace);
    if (!pace->steady)
        return;
    uint64_t rate = rate_now(pace);
    pace->trickles = rate < pace->rate;
    uint64_t begin = pace->next > now_ns ? pace->next : now_ns;
    pace->next = begin + (rate ? bytes * NS_PER_S / rate : SLOT_MS * NS_PER_MS);
}

void pj_pace_forget(pj_pace *pace)
{
    *pace = (pj_pace){.rate = pace->rate};
}
