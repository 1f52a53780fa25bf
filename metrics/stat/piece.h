// Pieces of the states of one thread, cut as in the statistics (timeline.h): the latest begin wins,
// and the end of any state makes the thread Idle. Ownership: begin/end; what it grows is its own.
#ifndef PJ_PIECE_H
#define PJ_PIECE_H

#include "metrics/stat/timeline.h"

typedef struct pj_piece {
    uint64_t begin, end; // ns; it has no length when end <= begin
    unsigned state;
} pj_piece;

typedef struct pj_pieces {
    pj_timeline timeline; // its current record
    unsigned state;       // of that record
} pj_pieces;

/// `whole` lives as long and holds all times.
static inline void pj_pieces_begin(pj_pieces *pieces, const pj_window *whole)
{
    *pieces = (pj_pieces){.state = PJ_STATE_IDLE};
    pj_timeline_begin(&pieces->timeline, whole, NULL);
}

static inline void pj_pieces_free(pj_pieces *pieces)
{
    pj_timeline_free(&pieces->timeline);
}

/// The last piece of a thread in a trace of this length.
static inline pj_piece pj_pieces_last(const pj_pieces *pieces, uint64_t end_ns)
{
    const pj_timeline *t = &pieces->timeline;
    return (pj_piece){t->begin, t->end < end_ns ? t->end : end_ns, pieces->state};
}

/// Takes a state; what it ends, or nothing.
static inline pj_piece pj_pieces_state(pj_pieces *pieces, const pj_event *event)
{
    pj_timeline *t = &pieces->timeline;
    pj_piece piece = {t->begin, t->end, pieces->state};
    if (event->a <= event->time || event->a <= t->begin)
        return (pj_piece){.state = PJ_STATE_IDLE}; // it has no length for the timeline either
    pj_timeline_state(t, event->time, event->a, event->code);
    piece.end = piece.end < t->begin ? piece.end : t->begin;
    pieces->state = event->code;
    return piece;
}

#endif
