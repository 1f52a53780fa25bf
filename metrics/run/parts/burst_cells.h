// Bursts of computation in cells of instructions and IPC: bounded, however many there are, and the
// same in whatever order they come. Ownership: begin/free; what it grows is its own.
#ifndef PJ_BURST_CELLS_H
#define PJ_BURST_CELLS_H

#include "metrics/base/map.h"

#include <stddef.h>
#include <stdint.h>

enum { PJ_BURST_CELLS_MOST = 1 << 16, PJ_BURST_FINENESS = 128 }; // cells; of an axis, per unit

/// Sums over bursts.
typedef struct pj_burst_sum {
    uint64_t bursts, time_ns, instructions, cycles;
    uint64_t order; // sum of their places among the bursts of their threads, from 1
    uint64_t ranks; // set of groups of ranks, PJ_BURST_RANKS at most
} pj_burst_sum;

enum { PJ_BURST_RANKS = 64, PJ_BURST_FUNCTIONS = 1 << 20 };

typedef struct pj_burst_cell {
    uint32_t x, y;     // floor(fineness * log10 instructions), floor(fineness * IPC)
    uint32_t duration; // floor(4 log2 ns)
    uint32_t function; // below PJ_BURST_FUNCTIONS, the caller's numbers; 0 = not known
    pj_burst_sum sum;
} pj_burst_cell;

/// A zeroed struct is empty.
typedef struct pj_burst_cells {
    pj_burst_cell *items;
    size_t count, cap;
    pj_map place_of;
    unsigned coarser; // times that the cells have been doubled because there were too many
} pj_burst_cells;

/// One burst of a function, or what is known of one: with neither instructions nor cycles its cell
/// is that of its duration, with y 0.
void pj_burst_cells_add(pj_burst_cells *cells, const pj_burst_sum *burst, uint32_t function);
void pj_burst_cells_free(pj_burst_cells *cells);
void pj_burst_sum_add(pj_burst_sum *to, const pj_burst_sum *from);

#endif
