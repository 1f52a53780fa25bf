// What metric formulas see of a case: sums, means and maxima over its threads and ranks.
// Ownership: plain data made from a case, whose run it borrows.
#ifndef PJ_MEASURES_H
#define PJ_MEASURES_H

#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

/// What a run must have for a measure or a metric to exist.
enum {
    PJ_NEEDS_NOTHING = 0,
    PJ_NEEDS_IDEAL = 1,
    PJ_NEEDS_INSTRUCTIONS = 2,
    PJ_NEEDS_CYCLES = 4,
    PJ_NEEDS_REFERENCE = 8, // a run of another size: of rows that compare; pj_study.alone
    PJ_NEEDS_STATES = 16,   // as every metric of the built-in sets does
    PJ_NEEDS_TEAMS = 32,    // what threads lose in OpenMP regions
    PJ_NEEDS_NODES = 64,
    PJ_NEEDS_WAITS = 128, // of single MPI calls
    PJ_NEEDS_DEVICES = 256,
    PJ_NEEDS_MPI_IO = 512,
    PJ_NEEDS_POSIX_IO = 1024,
    PJ_NEEDS_OPENMP = 2048,
    PJ_NEEDS_EXCHANGES = 4096, // what devices wait for in exchanges
    PJ_NEEDS_MPI_TOLD = 8192,  // what threads did in MPI calls, or that there were none
    PJ_NEEDS_IO = 16384,       // any of the two
    PJ_NEEDS_ENERGY = 1 << 15,
    PJ_NEEDS_ENERGY_STATES = 1 << 16, // what was done with it
    PJ_NEEDS_STEPS = 1 << 17,         // iterations
    PJ_NEEDS_ENERGY_SHARED = PJ_NEEDS_ENERGY | PJ_NEEDS_ENERGY_STATES,
    PJ_NEEDS_METERS = PJ_NEEDS_ENERGY_SHARED | PJ_NEEDS_STEPS,
    PJ_NEEDS_ENERGY_AND_STEPS = PJ_NEEDS_ENERGY | PJ_NEEDS_STEPS,
    PJ_NEEDS_DEVICE_CALLS = 1 << 18, // of the runtime of devices, whatever is known of these
    PJ_NEEDS_DEVICE_STEPS = 1 << 19, // steps of an AI run
    PJ_NEEDS_PIPELINE = 1 << 20,     // messages between devices in several groups
    PJ_NEEDS_DEVICES_AND_MPI_TOLD = PJ_NEEDS_DEVICES | PJ_NEEDS_MPI_TOLD,
    PJ_NEEDS_DEVICES_AND_MPI_IDEAL = PJ_NEEDS_DEVICES | PJ_NEEDS_MPI_TOLD | PJ_NEEDS_IDEAL,
    PJ_NEEDS_COUNTERS = PJ_NEEDS_INSTRUCTIONS | PJ_NEEDS_CYCLES,
    PJ_NEEDS_TEAMS_AND_REFERENCE = PJ_NEEDS_TEAMS | PJ_NEEDS_REFERENCE,
    PJ_NEEDS_DEVICES_AND_IDEAL = PJ_NEEDS_DEVICES | PJ_NEEDS_IDEAL,
    PJ_NEEDS_DEVICES_AND_REFERENCE = PJ_NEEDS_DEVICES | PJ_NEEDS_REFERENCE,
    /// Where a run has none of it there is nothing to tell.
    PJ_NEEDS_ACTIVITY = PJ_NEEDS_DEVICES | PJ_NEEDS_MPI_IO | PJ_NEEDS_POSIX_IO | PJ_NEEDS_OPENMP |
                        PJ_NEEDS_EXCHANGES | PJ_NEEDS_MPI_TOLD | PJ_NEEDS_IO | PJ_NEEDS_ENERGY |
                        PJ_NEEDS_DEVICE_CALLS | PJ_NEEDS_DEVICE_STEPS | PJ_NEEDS_PIPELINE,
};

/// Times in ns, counters in counts; one field per row of sums.def. Sums run over locations in
/// order, so that every number of workers gives the same digits.
typedef struct pj_measures {
    const pj_run *run;
    bool weak;      // the study scales weakly: see pj_measures_growth
    unsigned lacks; // PJ_NEEDS_* that the run cannot serve
#define MEASURE(name, needs, unit, sentence) double name;
#include "metrics/run/sums.def"
#undef MEASURE
} pj_measures;

pj_measures pj_measures_of(const pj_case *of, bool weak);

/// Whether some of the sums are no number: the run was kept without them.
bool pj_measures_unknown(const pj_measures *measures);

/// Factor of speedup, computation and instruction scaling: N / N0 in weak scaling, else 1.
static inline double pj_measures_growth(const pj_measures *run, const pj_measures *reference)
{
    return run->weak ? run->threads / reference->threads : 1;
}

/// NULL when the run has all of `needs` (PJ_NEEDS_*), else why not, as a whole sentence without a
/// full stop: "the trace has no cycle counter (PAPI_TOT_CYC)".
const char *pj_measures_lack(const pj_measures *measures, unsigned needs);

/// A row of sums.def, for formulas, help and completion.
typedef struct pj_measures_row {
    const char *name;
    const char *sentence;
    unsigned needs;
    pj_unit unit;
    size_t offset; // of the double in pj_measures
} pj_measures_row;

/// NULL past the end.
const pj_measures_row *pj_measures_row_at(size_t index);
/// The value, or an empty cell that says why there is none.
pj_cell pj_measures_value(const pj_measures_row *measure, const pj_measures *measures);

#endif
