// Slices as rows: means and maxima of times, and the efficiencies made of them.
#include "metrics/run/parts/slices_table.h"

#include "metrics/base/arena.h"
#include "metrics/run/run_table.h"
#include "metrics/run/sums.h"

static const char no_useful[] = "nobody computes in this slice";
static const char no_length[] = "the slice has no length";

static const pj_column columns[] = {
    {"start_ns", "Start", "Where the slice begins.", PJ_UNIT_NS, false},
    {"end_ns", "End", "Where it ends.", PJ_UNIT_NS, false},
    {"useful_mean_ns", "Useful, mean", "Useful time, mean over ranks.", PJ_UNIT_NS, false},
    {"useful_max_ns", "Useful, max", "Useful time of the thread that has most.", PJ_UNIT_NS, false},
    {"outside_mpi_mean_ns", "Outside MPI, mean", "Of first threads.", PJ_UNIT_NS, false},
    {"outside_mpi_max_ns", "Outside MPI, max", "Of first threads.", PJ_UNIT_NS, false},
    {"ideal_ns", "Ideal", "What the slice takes on an ideal network.", PJ_UNIT_NS, false},
    {"parallel_efficiency", "Parallel efficiency", "Mean useful / length.", PJ_UNIT_RATIO, false},
    {"load_balance", "Load balance", "Mean useful / max useful.", PJ_UNIT_RATIO, false},
    {"communication_efficiency", "Communication efficiency", "Max useful / length.", PJ_UNIT_RATIO,
     false},
    {"serialisation_efficiency", "Serialisation efficiency", "Max useful / ideal.", PJ_UNIT_RATIO,
     false},
    {"transfer_efficiency", "Transfer efficiency", "Ideal / length.", PJ_UNIT_RATIO, false},
    {"wait_ns", "Waits", "In MPI calls, over all ranks.", PJ_UNIT_NS, false},
    {"transfer_ns", "Transfer", "The rest of MPI calls, over all ranks.", PJ_UNIT_NS, false},
    {"ipc", "IPC", "Useful instructions per cycle.", PJ_UNIT_RATIO, false},
};

static pj_cell quotient(double above, double below, const char *reason)
{
    return below > 0 ? pj_cell_real(above / below) : pj_cell_empty(reason);
}

pj_slice_metrics pj_slice_metrics_of(const pj_slices *slices, uint32_t index)
{
    const pj_run_slice *s = &slices->items[index];
    const pj_sums *m = &s->sums;
    double length = (double)s->length_ns;
    const char *lacks = slices->ideal_lacks;
    pj_slice_metrics out = {
        .parallel_efficiency = quotient(m->useful_mean, length, no_length),
        .load_balance = quotient(m->useful_mean, m->useful_max, no_useful),
        .communication_efficiency = quotient(m->useful_max, length, no_length),
        .serialisation_efficiency =
            lacks ? pj_cell_empty(lacks)
                  : quotient(m->useful_max, s->ideal_ns, "on an ideal network it takes no time"),
        .transfer_efficiency =
            lacks ? pj_cell_empty(lacks) : quotient(s->ideal_ns, length, no_length),
        .ipc = pj_cell_empty("the trace has no counters of instructions and cycles"),
    };
    if (slices->instructions && slices->cycles)
        out.ipc = quotient(m->instructions, m->cycles, "no cycle was counted in this slice");
    return out;
}

static void fill(const pj_slices *slices, uint32_t index, pj_cell *cell)
{
    const pj_run_slice *s = &slices->items[index];
    const pj_slice_metrics metrics = pj_slice_metrics_of(slices, index);
    const char *lacks = slices->ideal_lacks;
    *cell++ = pj_cell_int((int64_t)s->start_ns);
    *cell++ = pj_cell_int((int64_t)s->end_ns);
    *cell++ = pj_cell_real(s->sums.useful_mean);
    *cell++ = pj_cell_real(s->sums.useful_max);
    *cell++ = pj_cell_real((double)s->outside_ns / s->sums.ranks);
    *cell++ = pj_cell_int((int64_t)s->outside_max_ns);
    *cell++ = lacks ? pj_cell_empty(lacks) : pj_cell_real(s->ideal_ns);
    *cell++ = metrics.parallel_efficiency;
    *cell++ = metrics.load_balance;
    *cell++ = metrics.communication_efficiency;
    *cell++ = metrics.serialisation_efficiency;
    *cell++ = metrics.transfer_efficiency;
    *cell++ = lacks ? pj_cell_empty(lacks) : pj_cell_int((int64_t)s->wait_ns);
    *cell++ = lacks ? pj_cell_empty(lacks) : pj_cell_int((int64_t)(s->mpi_ns - s->wait_ns));
    *cell = metrics.ipc;
}

pj_table *pj_slices_table(const pj_run *run, pj_err *err)
{
    const pj_slices *slices = run->slices;
    const char *lack = pj_run_lacks_states(run);
    if (lack || !slices) {
        pj_fail(err, PJ_E_MISSING, run->path, 0, "%s",
                lack ? lack : "the run was not cut into slices");
        return NULL;
    }
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Slices of %s", run->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (uint32_t i = 0; i < slices->count; i++)
        fill(slices, i, pj_table_add_row(table));
    table->note = "Parallel efficiencies of slices, weighted with their lengths, give that of the "
                  "run; ideal times add up to its own. Serialisation and transfer may exceed 1 "
                  "where ranks catch up on what they lost before. " PJ_EFFICIENCIES_OF_PARTS;
    return table;
}
