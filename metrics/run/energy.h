// How much energy a run used, from the meters in its trace (DEFINITIONS 14): a row for each meter,
// and which of them make up the whole. Ownership: arena (the run's).
#ifndef PJ_ENERGY_H
#define PJ_ENERGY_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "metrics/trace/meter.h"

/// What is done meanwhile. Devices have no MPI and no runtime, threads no transfer.
typedef enum pj_energy_state {
    PJ_ENERGY_USEFUL,
    PJ_ENERGY_TRANSFER, // data are moved
    PJ_ENERGY_WAIT,     // of a device for others, in exchanges
    PJ_ENERGY_MPI,
    PJ_ENERGY_RUNTIME, // of devices
    PJ_ENERGY_IDLE,    // the rest
    PJ_ENERGY_STATES,
} pj_energy_state;

/// What a meter has read. Values are in its own units: times pj_meter.factor they are joules,
/// watts.
typedef struct pj_energy_reading {
    pj_meter_kind kind; // by its values; the name may say something else
    uint64_t samples;   // that were taken
    uint64_t dropped;   // that are no numbers, or negative
    uint64_t resets;    // of a counter
    uint64_t gaps;      // intervals of more than ten times the usual one
    uint64_t step_ns;   // from one sample to the next, usually
    uint64_t covered_ns;
    double sum;                      // energy; of power: times seconds
    double min, max;                 // power
    double first, last;              // samples
    double states[PJ_ENERGY_STATES]; // of the sum
} pj_energy_reading;

typedef enum pj_energy_share {
    PJ_ENERGY_OF_DEVICE,  // its states are those of a device of the trace
    PJ_ENERGY_OF_THREADS, // of the threads of its node
    PJ_ENERGY_OF_TOLD,    // the same, waits in exchanges told apart: its reader tells them
    PJ_ENERGY_UNUSED,     // of a device of a node whose other devices the trace knows: it is idle
    PJ_ENERGY_OF_NOBODY,  // nothing in the trace is known to run there
} pj_energy_share;

typedef struct pj_energy_row {
    pj_meter meter;
    pj_energy_reading reading;
    pj_energy_share share;
    bool counted;      // in the whole
    const char *apart; // why not
    double *regions;   // of reading.sum, by pj_energy.regions; NULL = not known
    uint32_t same;     // the row that `deviation` is from; its own = none
} pj_energy_row;

typedef struct pj_energy {
    pj_energy_row *rows; // in the order of the trace
    uint32_t count;
    const char **regions; // of the program; the last one, NULL, is what is outside of them
    size_t region_count;  // 0 = they are not known
    uint64_t span_ns;     // of the run, or its region of interest
    double joules;        // of the rows that are counted; NaN where there are none
    double watts;         // the same: mean power of each over what it covers
    double states[PJ_ENERGY_STATES]; // of these, where all have states; else NaN
} pj_energy;

/// Agreement of the power that two meters read at the same time: of `total` looks `near` found less
/// than 2 % between them.
typedef struct pj_energy_pair {
    uint64_t total, near;
} pj_energy_pair;

/// Why it is not known how much energy a run used, or what it did with it; NULL = it is.
const char *pj_energy_lack(const pj_run *run);
const char *pj_energy_lack_states(const pj_run *run);
/// "shared by time; sampled every 4.0 ms: ..."; NULL where nothing counts.
const char *pj_energy_sampling(const pj_energy *energy, pj_arena *arena);

/// Joules of a row; NaN when its unit is not known, or nothing was read.
double pj_energy_joules(const pj_energy_row *row);

/// Decides which rows make up the whole: one source a domain, no domain within another. `pairs` has
/// count x count items, or is NULL.
void pj_energy_settle(pj_energy *energy, const pj_energy_pair *pairs, pj_arena *arena);

/// The same in which meters whose unit the trace does not tell have `factor` joules, or watts, per
/// unit of a value; NULL where there is no energy.
const pj_energy *pj_energy_in_unit(const pj_energy *energy, double factor, pj_arena *arena);

/// domain, scope, source, kind, unit, samples, step_ns, covered, energy_j, useful_j, transfer_j,
/// wait_j, mpi_j, runtime_j, idle_j, mean_w, min_w, max_w, deviation, counted; a row for each
/// meter. New table, without rows and with a note where there are none. `factor` as above; 0 = none
/// is given.
pj_table *pj_energy_table(const pj_run *run, double factor);
/// region, energy_j, share: of the meters that count, in the order of the trace. `factor` as above.
pj_table *pj_energy_regions_table(const pj_run *run, double factor);

#endif
