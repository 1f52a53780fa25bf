// Cells of bursts, doubled in size whenever there are too many: which size comes out depends on the
// bursts alone, not on their order.
#include "metrics/run/parts/burst_cells.h"

#include "metrics/base/buf.h"

#include <math.h>
#include <stdlib.h>

enum { IPC_MOST = 1 << 12, DURATION_BITS = 9, AXIS_BITS = 20, FUNCTION_BITS = 20 };

void pj_burst_sum_add(pj_burst_sum *to, const pj_burst_sum *from)
{
    to->bursts += from->bursts;
    to->time_ns += from->time_ns;
    to->instructions += from->instructions;
    to->cycles += from->cycles;
    to->order += from->order;
    to->ranks |= from->ranks;
}

void pj_burst_cells_free(pj_burst_cells *cells)
{
    free(cells->items);
    pj_map_free(&cells->place_of);
    *cells = (pj_burst_cells){.count = 0};
}

static uint64_t key_of(const pj_burst_cell *cell)
{
    uint64_t place = ((uint64_t)cell->x << AXIS_BITS | cell->y) << DURATION_BITS | cell->duration;
    return place << FUNCTION_BITS | cell->function;
}

static void add_cell(pj_burst_cells *cells, const pj_burst_cell *cell)
{
    uint32_t place;
    if (pj_map_get(&cells->place_of, key_of(cell), &place)) {
        pj_burst_sum_add(&cells->items[place].sum, &cell->sum);
        return;
    }
    pj_map_put(&cells->place_of, key_of(cell), (uint32_t)cells->count);
    pj_grow(cells->items, &cells->cap, cells->count + 1);
    cells->items[cells->count++] = *cell;
}

static void make_coarser(pj_burst_cells *cells)
{
    size_t count = cells->count;
    cells->coarser++;
    cells->count = 0;
    pj_map_free(&cells->place_of);
    cells->place_of = (pj_map){.count = 0};
    for (size_t i = 0; i < count; i++) { // never ahead of what is read
        pj_burst_cell cell = cells->items[i];
        cell.x >>= 1;
        cell.y >>= 1;
        add_cell(cells, &cell);
    }
}

static uint32_t on_axis(double value)
{
    return value > 0 ? (uint32_t)(value * PJ_BURST_FINENESS) : 0;
}

void pj_burst_cells_add(pj_burst_cells *cells, const pj_burst_sum *burst, uint32_t function)
{
    double time = burst->time_ns ? (double)burst->time_ns : 1;
    pj_burst_cell cell = {.duration = (uint32_t)(4 * log2(time)),
                          .function = function < PJ_BURST_FUNCTIONS ? function : 0,
                          .sum = *burst};
    if (burst->instructions && burst->cycles) {
        double ipc = (double)burst->instructions / (double)burst->cycles;
        cell.x = on_axis(log10((double)burst->instructions));
        cell.y = on_axis(ipc < IPC_MOST ? ipc : IPC_MOST);
    } else {
        cell.x = on_axis(log10(time));
    }
    cell.x >>= cells->coarser;
    cell.y >>= cells->coarser;
    add_cell(cells, &cell);
    while (cells->count > PJ_BURST_CELLS_MOST)
        make_coarser(cells);
}
