// Pieces of the states of one thread, cut as in the statistics (timeline.h): the latest begin wins,
// and the end of any state makes the thread Idle. Ownership: begin/end; what it grows is its own.
#ifndef PJ_STATE_PIECE_H
#define PJ_STATE_PIECE_H

#include "metrics/stat/state_clock.h"
#include "metrics/trace/event.h"

typedef struct pj_state_piece {
    uint64_t begin, end; // ns; it has no length when end <= begin
    unsigned state;
} pj_state_piece;

typedef struct pj_state_pieces {
    pj_state_clock clock; // its current record
    unsigned state;       // of that record
} pj_state_pieces;

/// `whole` lives as long and holds all times.
static inline void pj_state_pieces_begin(pj_state_pieces *pieces, const pj_window *whole)
{
    *pieces = (pj_state_pieces){.state = PJ_STATE_IDLE};
    pj_state_clock_begin(&pieces->clock, whole, NULL);
}

static inline void pj_state_pieces_free(pj_state_pieces *pieces)
{
    pj_state_clock_free(&pieces->clock);
}

/// The last piece of a thread in a trace of this length.
static inline pj_state_piece pj_state_pieces_last(const pj_state_pieces *pieces, uint64_t end_ns)
{
    const pj_state_clock *t = &pieces->clock;
    return (pj_state_piece){t->begin, t->end < end_ns ? t->end : end_ns, pieces->state};
}

/// Takes a state; what it ends, or nothing.
static inline pj_state_piece pj_state_pieces_state(pj_state_pieces *pieces, const pj_event *event)
{
    pj_state_clock *t = &pieces->clock;
    pj_state_piece piece = {t->begin, t->end, pieces->state};
    if (event->a <= event->time || event->a <= t->begin)
        return (pj_state_piece){.state = PJ_STATE_IDLE}; // it has no length for the timeline either
    pj_state_clock_state(t, event->time, event->a, event->code);
    piece.end = piece.end < t->begin ? piece.end : t->begin;
    pieces->state = event->code;
    return piece;
}

#endif
