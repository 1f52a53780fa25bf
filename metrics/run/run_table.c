// Tables of what a run holds: statistics, oddities, replay.
#include "metrics/run/run_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/trace/import_stats.h"

const char *pj_run_lacks_states(const pj_run *run)
{
    if (run->ai)
        return "the trace of an AI run tells what devices do, and no states of the threads of "
               "hosts";
    if (run->untraced)
        return "the file has sums over all CPUs and no values of single threads";
    return run->no_states ? "the trace has no states: useful time is not known" : NULL;
}

const char *pj_run_lacks_counter(const pj_run *run, unsigned counter)
{
    static const char *const lacks[] = {
        [PJ_COUNTER_INSTRUCTIONS] = "the trace has no instruction counter (PAPI_TOT_INS)",
        [PJ_COUNTER_CYCLES] = "the trace has no cycle counter (PAPI_TOT_CYC)",
    };
    static const char *const untold[] = {
        [PJ_COUNTER_INSTRUCTIONS] = "the file has no instructions",
        [PJ_COUNTER_CYCLES] = "the file has no cycles",
    };
    if (run->counters[counter].present)
        return NULL;
    return pj_run_whole(run)->untraced ? untold[counter] : lacks[counter];
}

/// A table named after the run: "Statistics of epoch_2proc".
static pj_table *new_table(const pj_run *run, const char *what, const pj_column *columns,
                           size_t count)
{
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "%s of %s", what, run->name);
    for (size_t i = 0; i < count; i++)
        pj_table_add_column(table, columns[i]);
    return table;
}

static pj_cell count_cell(uint64_t value)
{
    return value <= INT64_MAX ? pj_cell_int((int64_t)value) : pj_cell_real((double)value);
}

static const pj_column stats_columns[] = {
    {"rank", "Rank", NULL, PJ_UNIT_IDENTIFIER, false},
    {"thread", "Thread", "Thread of its rank, from 0.", PJ_UNIT_IDENTIFIER, false},
    {"useful_ns", "Useful", "Time in state Running.", PJ_UNIT_NS, false},
    {"serial_useful_ns", "Serial useful", "Useful time outside OpenMP regions.", PJ_UNIT_NS, false},
    {"openmp_useful_ns", "OpenMP useful", "Useful time inside OpenMP regions.", PJ_UNIT_NS, false},
    {"openmp_ns", "OpenMP", "Time inside OpenMP regions, whatever the state.", PJ_UNIT_NS, false},
    {"outside_mpi_ns", "Outside MPI", "Runtime less the time inside MPI calls.", PJ_UNIT_NS, false},
    {"runtime_ns", "Runtime", "Time in states other than Idle and Tracing disabled.", PJ_UNIT_NS,
     false},
    {"instructions", "Instructions", "Instructions during useful time.", PJ_UNIT_NONE, false},
    {"cycles", "Cycles", "Cycles during useful time.", PJ_UNIT_NONE, false},
    {"mpi_io_ns", "MPI-I/O", "Time in input and output of MPI, with all that it does itself.",
     PJ_UNIT_NS, false},
    {"posix_io_ns", "POSIX I/O", "Time in input and output outside MPI.", PJ_UNIT_NS, false},
    {"io_calls", "I/O calls", "Calls of input and output; those within others are not counted.",
     PJ_UNIT_NONE, false},
    {"io_bytes_read", "I/O read",
     "That these calls read; in Paraver traces what they were asked for.", PJ_UNIT_BYTES, false},
    {"io_bytes_written", "I/O written", "The same of writes.", PJ_UNIT_BYTES, false},
};
enum {
    STATS_COLUMNS = sizeof stats_columns / sizeof *stats_columns,
    FIRST_TIME = 2,
    OPENMP_TIME = 5, // follows from events
    FIRST_COUNTER = 8,
    MPI_IO = 10,
    POSIX_IO,
    IO_CALLS,
    IO_READ,
    IO_WRITTEN,
};

const pj_column *pj_run_table_stats_column(size_t column)
{
    return column < STATS_COLUMNS ? &stats_columns[column] : NULL;
}

/// Why time in input and output is not known: summaries do not tell that of MPI from the rest.
static const char *lack_of_io(const pj_run *run, uint32_t location)
{
    const char *lack = pj_run_lacks_states(run);
    if (lack)
        return lack;
    if (run->spent_unknown || run->spent_rounded)
        return "its summary does not tell time in input and output by thread";
    return run->io_unknown && run->totals[location].spent_ns[PJ_SPENT_IO]
               ? "its summary does not tell MPI-I/O from other input and output"
               : NULL;
}

/// Why it is not known how often that was, and how much was moved.
static const char *lack_of_io_calls(const pj_totals *t, size_t column)
{
    uint64_t untold = column == IO_READ      ? t->io_read_untold
                      : column == IO_WRITTEN ? t->io_written_untold
                                             : 0;
    if (t->spent_ns[PJ_SPENT_IO] && !t->io_calls)
        return "the trace has time in input and output, but no calls of it";
    return untold ? "the trace does not tell how many bytes its calls move" : NULL;
}

static pj_cell io_cell(const pj_run *run, uint32_t location, size_t column)
{
    const pj_totals *t = &run->totals[location];
    const char *lack = lack_of_io(run, location);
    if (!lack && column >= IO_CALLS)
        lack = lack_of_io_calls(t, column);
    if (lack)
        return pj_cell_empty(lack);
    const uint64_t values[] = {t->mpi_io_ns, t->spent_ns[PJ_SPENT_IO] - t->mpi_io_ns, t->io_calls,
                               t->io_read_bytes, t->io_written_bytes};
    return count_cell(values[column - MPI_IO]);
}

pj_cell pj_run_table_stats_cell(const pj_run *run, uint32_t location, size_t column)
{
    const pj_totals *t = &run->totals[location];
    uint32_t rank = run->layout.rank_of[location];
    const uint64_t values[FIRST_COUNTER] = {
        rank,
        location - run->layout.first_location[rank],
        t->useful_ns,
        t->serial_useful_ns,
        t->openmp_useful_ns,
        t->openmp_ns,
        t->outside_mpi_ns,
        t->runtime_ns,
    };
    bool of_states = column >= FIRST_TIME && (column != OPENMP_TIME || run->untraced);
    const char *lack = of_states ? pj_run_lacks_states(run) : NULL;
    if (column < FIRST_COUNTER)
        return lack ? pj_cell_empty(lack) : count_cell(values[column]);
    if (column >= MPI_IO)
        return io_cell(run, location, column);
    unsigned counter = (unsigned)(column - FIRST_COUNTER);
    lack = lack ? lack : pj_run_lacks_counter(run, counter);
    return lack ? pj_cell_empty(lack) : pj_cell_int(run->counters[counter].useful[location]);
}

pj_table *pj_run_table_stats(const pj_run *run)
{
    pj_table *table = new_table(run, "Statistics", stats_columns, STATS_COLUMNS);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        pj_cell *cells = pj_table_add_row(table);
        for (size_t c = 0; c < STATS_COLUMNS; c++)
            cells[c] = pj_run_table_stats_cell(run, i, c);
    }
    return table;
}

pj_table *pj_run_table_import(const pj_run *run)
{
    static const pj_column columns[] = {
        {"key", "Key", NULL, PJ_UNIT_NONE, true},
        {"severity", "Severity",
         "note: harmless; warning: numbers may be touched; loss: something is missing from them.",
         PJ_UNIT_NONE, true},
        {"count", "Count", NULL, PJ_UNIT_NONE, false},
        {"first_line", "First line", NULL, PJ_UNIT_IDENTIFIER, false},
        {"sentence", "What was met", NULL, PJ_UNIT_NONE, true},
    };
    pj_table *table =
        new_table(run, "Oddities in the trace", columns, sizeof columns / sizeof *columns);
    for (unsigned key = 0; key < PJ_IMPORT_COUNT; key++) {
        const pj_import_row *row = pj_import_at(key);
        uint64_t line = run->import.first_line[key];
        if (run->import.count[key] == 0)
            continue;
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(row->key);
        cells[1] = pj_cell_text(pj_severity_name(row->severity));
        cells[2] = count_cell(run->import.count[key]);
        cells[3] = line ? count_cell(line) : pj_cell_empty("it is not bound to a line");
        cells[4] = pj_cell_text(row->sentence);
    }
    return table;
}

pj_table *pj_run_table_ideal(const pj_run *run)
{
    static const pj_column columns[] = {
        {"rank", "Rank", NULL, PJ_UNIT_IDENTIFIER, false},
        {"finish_ns", "Finish", "Clock of the rank at its end on the ideal network.", PJ_UNIT_NS,
         false},
        {"compute_ns", "Computation", "Time of the rank outside MPI calls.", PJ_UNIT_NS, false},
    };
    pj_table *table =
        new_table(run, "Ideal-network replay", columns, sizeof columns / sizeof *columns);
    if (!run->ideal.available) {
        table->note = pj_arena_text(table->arena, pj_str_of(run->ideal.reason));
        return table;
    }
    char runtime[32];
    pj_format_double(run->ideal.runtime_ns, runtime);
    table->note = pj_arena_format(table->arena, "ideal runtime %s ns", runtime);
    for (uint32_t rank = 0; rank < run->layout.ranks; rank++) {
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_int(rank);
        cells[1] = pj_cell_real(run->ideal.finish_ns[rank]);
        cells[2] = pj_cell_real(run->ideal.compute_ns[rank]);
    }
    return table;
}
