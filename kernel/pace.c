// A sliding window a little longer than the server's, and a steady rate once its free part is used
// up: without that every window would be a burst and a silence.
#include "kernel/pace.h"

#include <string.h>

enum { SLOT_MS = 50, SHORT_MS = 5, WINDOW_MS = PJ_PACE_SLOTS * SLOT_MS };

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
    bool enough = (used_up && queued >= PJ_PACE_AHEAD) || pace->sum + queued >= most_bytes(pace);
    return enough ? SHORT_MS * NS_PER_MS : 0;
}

void pj_pace_note(pj_pace *pace, uint64_t now_ns, size_t bytes)
{
    if (!pace->rate)
        return;
    advance(pace, now_ns);
    pace->sent[pace->slot % PJ_PACE_SLOTS] += bytes;
    pace->sum += bytes;
    pace->steady = pace->steady || pace->sum > free_bytes(pace);
    if (pace->steady)
        pace->next = (pace->next > now_ns ? pace->next : now_ns) + bytes * NS_PER_S / pace->rate;
}

void pj_pace_forget(pj_pace *pace)
{
    *pace = (pj_pace){.rate = pace->rate};
}
