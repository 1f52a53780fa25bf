// A list of the thread's own. Handlers come within handlers, hence no signal comes while it is
// changed; what a call has begun has its room to the end.
#include "metrics/record/rec_late.h"

#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_shape.h"
#include "metrics/record/rec_signal.h"
#include "metrics/record/rec_store.h"

#include <string.h>

enum {
    MEMBERS = 6,
    RECORDS_A_CALL = 8, // its enter and leave, and what may be between them
    FIRST_RECORDS = 64,
    RECORDS_MOST = 1 << 16,
};

struct pj_rec_late {
    uint64_t ticks;
    uint64_t members[MEMBERS]; // of a call: its region
    uint8_t type;
};

/// Room for one more call beside what those that are open may need.
static bool reserve(pj_rec_thread *t)
{
    const uint32_t needed = t->late_count + RECORDS_A_CALL * (t->late_open + 1);
    uint32_t most = t->late_most ? t->late_most : FIRST_RECORDS;
    while (most < needed)
        most *= 2;
    if (most == t->late_most)
        return true;
    pj_rec_late *more =
        most <= RECORDS_MOST
            ? pj_rec_store_grow(t->late, t->late_most * sizeof *more, most * sizeof *more)
            : NULL;
    if (!more)
        return false;
    t->late = more;
    t->late_most = most;
    return true;
}

static void keep(pj_rec_thread *t, uint8_t type, const uint64_t *members, size_t count)
{
    pj_rec_late *one = &t->late[t->late_count++];
    one->ticks = pj_rec_now();
    one->type = type;
    memcpy(one->members, members, count * sizeof *members);
}

bool pj_rec_late_enter(pj_rec_thread *t, uint32_t region)
{
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    const bool fits = reserve(t);
    if (fits) {
        t->late_open++;
        keep(t, PJ_REC_TYPE_ENTER, (const uint64_t[]){region}, 1);
    }
    pj_rec_signal_let(&before);
    return fits;
}

void pj_rec_late_event(pj_rec_thread *t, pj_rec_event_type type, const uint64_t *members)
{
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    keep(t, (uint8_t)type, members, strlen(pj_rec_shapes[(uint8_t)type].members));
    pj_rec_signal_let(&before);
}

void pj_rec_late_leave(pj_rec_thread *t, uint32_t region)
{
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    keep(t, PJ_REC_TYPE_LEAVE, (const uint64_t[]){region}, 1);
    t->late_open--;
    pj_rec_signal_let(&before);
}

/// Enters that are not wanted any more have neither leaves nor what is between.
static void write_all(pj_rec_thread *t, const pj_rec_late *from, uint32_t count)
{
    uint32_t left_out = 0; // of the calls that are open
    for (uint32_t i = 0; i < count; i++) {
        const pj_rec_late *one = &from[i];
        const uint32_t region = (uint32_t)one->members[0];
        if (one->type == PJ_REC_TYPE_ENTER)
            left_out += left_out > 0 || !pj_rec_thread_enter(t, region, one->ticks);
        else if (one->type == PJ_REC_TYPE_LEAVE && left_out > 0)
            left_out--;
        else if (one->type == PJ_REC_TYPE_LEAVE)
            pj_rec_thread_leave_to(t, region, one->ticks);
        else if (left_out == 0)
            pj_rec_event(t, (pj_rec_event_type)one->type, one->ticks, one->members);
    }
}

void pj_rec_thread_write_late(pj_rec_thread *t)
{
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    const uint32_t count = t->late_count;
    t->late_count = 0;
    write_all(t, t->late, count);
    pj_rec_signal_let(&before);
}

void pj_rec_thread_free_late(pj_rec_thread *t)
{
    pj_rec_store_free(t->late, t->late_most * sizeof *t->late);
}
