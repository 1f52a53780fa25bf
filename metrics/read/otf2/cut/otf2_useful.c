// Shares readings at the borders of a part by useful time, as the statistics of a region do: a
// reading that spans calls tells nothing of them.
#include "metrics/read/otf2/cut/otf2_useful.h"

#include "metrics/base/arena.h"

#include <stdlib.h>

void pj_otf2_useful_begin(pj_otf2_useful *useful, uint32_t locations, uint64_t from_ns,
                          uint64_t to_ns)
{
    pj_otf2_useful_free(useful);
    *useful = (pj_otf2_useful){.borders = {from_ns, to_ns}, .count = locations};
    useful->threads = pj_take_memory(locations * sizeof *useful->threads);
    for (uint32_t i = 0; i < locations; i++)
        useful->threads[i] = (pj_otf2_worked){.now = 0};
}

void pj_otf2_useful_free(pj_otf2_useful *useful)
{
    free(useful->threads);
    useful->threads = NULL;
}

/// The thread was useful, or not, from `begin` to `end`; it may have come across borders by then.
static void go_on(const pj_otf2_useful *useful, pj_otf2_worked *w, uint64_t begin, uint64_t end,
                  bool works)
{
    for (unsigned b = 0; b < PJ_OTF2_BORDERS; b++) {
        uint64_t border = useful->borders[b];
        if (w->crossed[b] || end <= border)
            continue;
        w->crossed[b] = true;
        w->at[b] = w->now + (works && border > begin ? border - begin : 0);
        for (unsigned c = 0; c < PJ_OTF2_COUNTERS; c++)
            w->before[b][c] = w->read[c];
    }
    w->now += works ? end - begin : 0;
}

static void take_reading(const pj_otf2_useful *useful, pj_otf2_worked *w, uint64_t time, unsigned c)
{
    go_on(useful, w, time, time, false);
    w->read[c] = w->now;
    for (unsigned b = 0; b < PJ_OTF2_BORDERS; b++) {
        if (!w->crossed[b] || w->passed[b][c])
            continue;
        w->passed[b][c] = true;
        w->behind[b][c] = w->now;
    }
}

void pj_otf2_useful_take(pj_otf2_useful *useful, const pj_event *event)
{
    if (event->location >= useful->count)
        return;
    pj_otf2_worked *w = &useful->threads[event->location];
    if (event->kind == PJ_EV_STATE)
        go_on(useful, w, event->time, event->a, event->code == PJ_STATE_RUNNING);
    else if (event->kind == PJ_EV_COUNTER && event->code < PJ_OTF2_COUNTERS)
        take_reading(useful, w, event->time, event->code);
    for (unsigned c = 0; event->kind == PJ_EV_COUNTERS && c < PJ_OTF2_COUNTERS; c++)
        take_reading(useful, w, event->time, c);
}

pj_otf2_divided pj_otf2_useful_divided(const pj_otf2_useful *useful, uint32_t location,
                                       unsigned border, unsigned counter)
{
    if (location >= useful->count || !useful->threads[location].passed[border][counter])
        return (pj_otf2_divided){0};
    const pj_otf2_worked *w = &useful->threads[location];
    uint64_t before = w->before[border][counter], behind = w->behind[border][counter];
    pj_otf2_divided d = {.whole = behind - before};
    if (border == 0)
        d.inside = behind - w->at[0];
    else
        d.inside = w->at[1] - (before > w->at[0] ? before : w->at[0]);
    return d;
}
