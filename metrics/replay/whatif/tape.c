// What the clocks of a replay have done. A useful state between two operations of a location is a
// burst; where functions are traced, it is told apart by them.
#include "metrics/replay/whatif/tape.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/replay/wait_regions.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_flow.h"

#include <stdlib.h>

enum { BLOCK = 1 << 14 }; // operations

typedef struct block {
    struct block *next;
    size_t count;
    pj_tape_op ops[BLOCK];
} block;

typedef struct span {
    uint64_t begin, end; // ns in the trace
} span;

typedef struct burst { // of a location, that goes on
    uint64_t begin;    // ns in the trace
    uint64_t at;       // told up to here
    span *useful;      // ring: states that lie ahead
    uint32_t head, useful_count, useful_cap;
    bool told;  // the trace tells states
    bool other; // no useful time: it is no burst
    uint64_t ns;
    pj_region_piece *pieces;
    size_t count, cap;
} burst;

struct pj_tape {
    const pj_run *run;
    pj_arena *arena; // the run's
    uint64_t budget, count;
    block *first, *last;
    const char *lacks;
    burst *bursts;
    uint16_t *patterns; // by synchronisation
    size_t pattern_cap;
    pj_wait_regions *regions;
    const pj_borders *iterations; // NULL = not known
    uint32_t *iteration;          // by rank: borders that it has passed
    uint32_t region_count;
    size_t bytes;              // of the rings of states
    const char **region_names; // when closed
};

pj_tape *pj_tape_new(const pj_run *run, uint64_t budget, const pj_borders *iterations)
{
    pj_tape *tape = pj_new(run->arena, pj_tape);
    *tape = (pj_tape){.run = run, .arena = run->arena, .budget = budget};
    if (iterations && iterations->ranks == run->layout.ranks) {
        tape->iterations = iterations;
        tape->iteration = pj_take_zeros(run->layout.ranks * sizeof *tape->iteration);
    }
    tape->bursts = pj_take_zeros(run->layout.locations * sizeof *tape->bursts);
    tape->regions = pj_wait_regions_new(run);
    return tape;
}

// Operations

static void forget(pj_tape *tape)
{
    tape->first = tape->last = NULL; // the arena frees them with the run
    tape->lacks = "the replayed run needs more memory than may be kept: --memory gives more, --roi "
                  "takes a part";
}

static void append(pj_tape *tape, pj_tape_op op)
{
    tape->count++;
    if (tape->lacks)
        return;
    if (!tape->last || tape->last->count == BLOCK) {
        if ((tape->count + BLOCK) * sizeof op > tape->budget) {
            forget(tape);
            return;
        }
        block *added = pj_new(tape->arena, block);
        *(tape->last ? &tape->last->next : &tape->first) = added;
        tape->last = added;
    }
    tape->last->ops[tape->last->count++] = op;
}

static pj_tape_op op_of(pj_tape_kind kind, uint32_t location, uint32_t what, uint64_t value)
{
    return (pj_tape_op){.kind = kind & 15u, .location = location & 0xfffffffu, what, value};
}

/// A first thread of a rank goes on behind borders of its iterations.
static void pass_iterations(pj_tape *tape, uint32_t location, uint64_t time)
{
    const pj_layout *layout = &tape->run->layout;
    uint32_t rank = layout->rank_of[location];
    if (!tape->iterations || layout->first_location[rank] != location)
        return;
    const uint64_t *at = pj_borders_of(tape->iterations, rank);
    uint32_t *passed = &tape->iteration[rank];
    for (; *passed <= tape->iterations->count && at[*passed] <= time; ++*passed)
        append(tape, op_of(PJ_TAPE_BORDER, location, PJ_TAPE_ITERATION, 0));
}

/// What the location has computed stands before what it does next.
static void end_burst(pj_tape *tape, uint32_t location)
{
    burst *b = &tape->bursts[location];
    bool whole = b->count == 1 && !b->other;
    if (b->count == 0)
        return;
    pass_iterations(tape, location, b->begin);
    if (!whole)
        append(tape, op_of(PJ_TAPE_BURST, location, 0, b->other ? 0 : b->ns));
    for (size_t i = 0; i < b->count; i++)
        append(tape, op_of(whole ? PJ_TAPE_RUN : PJ_TAPE_PIECE, location, b->pieces[i].region,
                           b->pieces[i].ns));
    b->count = 0;
    b->ns = 0;
}

void pj_tape_add(pj_tape *tape, pj_tape_kind kind, uint32_t location, uint32_t what, uint64_t value)
{
    if (kind != PJ_TAPE_OPEN) // whose `location` is none
        end_burst(tape, location);
    append(tape, op_of(kind, location, what, value));
}

void pj_tape_copy(pj_tape *tape, pj_tape_kind kind, uint32_t to, uint32_t from)
{
    append(tape, op_of(kind, 0, to, from));
}

// Computation

static void add_piece(burst *b, pj_region_piece piece)
{
    b->ns += piece.ns;
    for (size_t i = b->count; i-- > 0;)
        if (b->pieces[i].region == piece.region) {
            b->pieces[i].ns += piece.ns;
            return;
        }
    pj_grow(b->pieces, &b->cap, b->count + 1);
    b->pieces[b->count++] = piece;
}

static void compute(pj_tape *tape, uint32_t location, uint64_t from, uint64_t to)
{
    const pj_layout *layout = &tape->run->layout;
    burst *b = &tape->bursts[location];
    uint32_t rank = layout->rank_of[location];
    pj_region_piece piece;
    if (b->count == 0)
        b->begin = from;
    if (layout->first_location[rank] != location)
        add_piece(b, (pj_region_piece){PJ_WAIT_REGION_NONE, to - from});
    else
        while (pj_wait_regions_next(tape->regions, rank, &from, to, &piece))
            add_piece(b, piece);
}

/// The state at `from` and where it ends, `to` at the latest; whether it is useful.
static bool state_at(burst *b, uint64_t from, uint64_t *to)
{
    for (; b->useful_count > 0; b->head = (b->head + 1) & (b->useful_cap - 1), b->useful_count--) {
        const span *next = &b->useful[b->head];
        if (next->end <= from)
            continue;
        bool inside = next->begin <= from;
        uint64_t end = inside ? next->end : next->begin;
        *to = end < *to ? end : *to;
        return inside;
    }
    return !b->told;
}

void pj_tape_run(pj_tape *tape, uint32_t location, uint64_t from, uint64_t to)
{
    burst *b = &tape->bursts[location];
    if (from < b->at)
        from = b->at;
    while (from < to) {
        uint64_t end = to;
        bool other = !state_at(b, from, &end);
        if (other != b->other)
            end_burst(tape, location);
        b->other = other;
        compute(tape, location, from, end);
        b->at = from = end;
    }
}

static void add_state(pj_tape *tape, burst *b, const pj_event *event)
{
    b->told = true;
    if (event->code != PJ_STATE_RUNNING || event->a <= event->time)
        return;
    if (b->useful_count == b->useful_cap) {
        uint32_t cap = b->useful_cap ? 2 * b->useful_cap : 8;
        b->useful = pj_widen_ring(b->useful, b->useful_cap, b->head, cap, sizeof *b->useful);
        tape->bytes += (cap - b->useful_cap) * sizeof *b->useful;
        b->useful_cap = cap;
        b->head = 0;
    }
    b->useful[(b->head + b->useful_count++) & (b->useful_cap - 1)] = (span){event->time, event->a};
}

void pj_tape_pass(pj_tape *tape, uint32_t location)
{
    end_burst(tape, location);
}

void pj_tape_border(pj_tape *tape, uint32_t location, uint32_t border, uint64_t from, uint64_t at)
{
    pj_tape_run(tape, location, from, at);
    pj_tape_add(tape, PJ_TAPE_BORDER, location, border, 0);
}

void pj_tape_event(pj_tape *tape, const pj_event *event)
{
    if (event->kind == PJ_EV_STATE)
        add_state(tape, &tape->bursts[event->location], event);
    else
        pj_wait_regions_event(tape->regions, event);
}

// Synchronisations

void pj_tape_sync(pj_tape *tape, uint32_t sync)
{
    pj_grow(tape->patterns, &tape->pattern_cap, sync + 1);
    tape->patterns[sync] = PJ_WAIT_PATTERNS;
    append(tape, op_of(PJ_TAPE_SYNC, 0, sync, 0));
}

void pj_tape_sync_mean(pj_tape *tape, uint32_t sync, pj_mpi_call call)
{
    static const uint16_t patterns[] = {
        [PJ_FLOW_ALL] = PJ_WAIT_wait_at_nxn,     [PJ_FLOW_BARRIER] = PJ_WAIT_barrier_wait,
        [PJ_FLOW_FROM] = PJ_WAIT_late_broadcast, [PJ_FLOW_TO] = PJ_WAIT_early_reduce,
        [PJ_FLOW_SCAN] = PJ_WAIT_early_scan,     [PJ_FLOW_INIT] = PJ_WAIT_init_wait,
        [PJ_FLOW_FENCE] = PJ_WAIT_wait_at_fence,
    };
    tape->patterns[sync] = patterns[pj_mpi_flow_of(call)];
}

void pj_tape_sync_join(pj_tape *tape, uint32_t sync, uint32_t meant)
{
    if (tape->patterns[meant] == PJ_WAIT_PATTERNS)
        tape->patterns[meant] = tape->patterns[sync];
    pj_tape_copy(tape, PJ_TAPE_CHAIN, meant, sync);
}

void pj_tape_await(pj_tape *tape, uint32_t location, uint32_t sync, uint32_t guests)
{
    bool all = guests > 0 && guests >= tape->run->layout.ranks;
    pj_tape_add(tape, PJ_TAPE_AWAIT, location, sync,
                tape->patterns[sync] | (all ? PJ_TAPE_OF_ALL : 0));
}

// The end

static void name_regions(pj_tape *tape)
{
    tape->region_count = pj_wait_regions_count(tape->regions);
    tape->region_names = pj_new_n(tape->arena, const char *, tape->region_count);
    for (uint32_t i = 0; i < tape->region_count; i++)
        tape->region_names[i] = pj_wait_regions_name(tape->regions, i, tape->arena);
}

void pj_tape_close(pj_tape *tape, bool complete)
{
    if (!tape || !tape->bursts)
        return;
    name_regions(tape);
    for (uint32_t i = 0; i < tape->run->layout.locations; i++) {
        end_burst(tape, i);
        free(tape->bursts[i].pieces);
        free(tape->bursts[i].useful);
    }
    free(tape->bursts);
    free(tape->patterns);
    free(tape->iteration);
    pj_wait_regions_free(tape->regions);
    tape->bursts = NULL;
    tape->patterns = NULL;
    tape->iterations = NULL;
    tape->regions = NULL;
    if (!complete && !tape->lacks)
        tape->lacks = "the replay does not come to its end";
}

// What can be read

size_t pj_tape_bytes(const pj_tape *tape)
{
    return tape->bytes + (tape->regions ? pj_wait_regions_bytes(tape->regions) : 0);
}

const char *pj_tape_lacks(const pj_tape *tape)
{
    return tape->lacks;
}

uint64_t pj_tape_count(const pj_tape *tape)
{
    return tape->count;
}

void pj_tape_each(const pj_tape *tape, void (*take)(void *self, const pj_tape_op *ops, size_t n),
                  void *self)
{
    for (const block *b = tape->first; b; b = b->next)
        take(self, b->ops, b->count);
}

uint32_t pj_tape_regions(const pj_tape *tape)
{
    return tape->region_count;
}

const char *pj_tape_region_name(const pj_tape *tape, uint32_t region)
{
    return tape->region_names[region];
}
