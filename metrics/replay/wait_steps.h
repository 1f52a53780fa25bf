// What ranks did of late: their calls, each with the times by region that led to it. Bounded: the
// oldest calls of a rank are forgotten. Ownership: new/free.
#ifndef PJ_WAIT_STEPS_H
#define PJ_WAIT_STEPS_H

#include "metrics/replay/wait_regions.h"

/// A call. Behind the times before it stands its own, as far as it is over.
typedef struct pj_wait_step {
    uint64_t enter; // ns
    uint64_t call;  // place of its own piece
} pj_wait_step;

typedef struct pj_step_line { // of a rank
    pj_wait_step *steps;      // ring, by number
    pj_region_piece *pieces;  // ring, by place
    uint64_t first, next;     // steps that are kept, from 1 on
    uint64_t begin;           // of the pieces of the first one
    uint64_t coming;          // of the pieces of the next one
    uint64_t end;             // of all pieces
} pj_step_line;

typedef struct pj_wait_steps {
    pj_step_line *lines; // by rank
    uint32_t ranks;
    uint32_t most; // steps that are kept of a rank, a power of two
    size_t bytes;
} pj_wait_steps;

/// Times before calls that are kept, and pieces that there is room for, for each step that is.
enum { PJ_STEP_TIMES = 4, PJ_STEP_PIECES = 8 };

/// Keeps so many steps of all ranks together, but at least some of each.
pj_wait_steps *pj_wait_steps_new(uint32_t ranks, uint32_t of_all);
void pj_wait_steps_free(pj_wait_steps *steps);

/// A rank does something before its next call; times of one region are one piece. False when there
/// is no room, for the times before one call that have taken it all.
bool pj_wait_steps_spend(pj_wait_steps *steps, uint32_t rank, pj_region_piece piece);
/// The next call of a rank, entered at `enter`; gives its number.
uint64_t pj_wait_steps_begin(pj_wait_steps *steps, uint32_t rank, uint64_t enter, uint32_t region);
/// The oldest step is kept no longer.
void pj_wait_steps_forget(const pj_wait_steps *steps, pj_step_line *line);

static inline pj_step_line *pj_wait_steps_line(const pj_wait_steps *steps, uint32_t rank)
{
    return &steps->lines[rank];
}
/// A step that is kept.
static inline pj_wait_step *pj_wait_steps_at(const pj_wait_steps *steps, uint32_t rank,
                                             uint64_t number)
{
    return &steps->lines[rank].steps[number & (steps->most - 1)];
}
/// A piece that is there: those of steps that are kept, and as many more as there was room for.
static inline pj_region_piece *pj_wait_steps_piece(const pj_wait_steps *steps,
                                                   const pj_step_line *line, uint64_t place)
{
    return &line->pieces[place & (PJ_STEP_PIECES * (uint64_t)steps->most - 1)];
}
static inline bool pj_wait_steps_has(const pj_wait_steps *steps, uint32_t rank, uint64_t number)
{
    return number >= steps->lines[rank].first && number < steps->lines[rank].next;
}
/// How many times before calls are kept.
static inline uint64_t pj_step_line_times(const pj_step_line *line)
{
    return line->end - line->begin - (line->next - line->first);
}
/// The last kept call of a rank that has begun by `time`; 0 when there is none.
uint64_t pj_wait_steps_find(const pj_wait_steps *steps, uint32_t rank, uint64_t time);

#endif
