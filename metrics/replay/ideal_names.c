// Labels and names beside an ideal trace.
// The original's labels are kept as they are, except those of MPI calls, whose numbers may be its
// own.
#include "metrics/replay/ideal_names.h"

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/trace/companion.h"
#include "metrics/trace/layout.h"

/// Calls that Extrae has no number for have more than this, by their row.
enum { UNKNOWN_CALL = 499 };

uint32_t pj_ideal_names_value(pj_mpi_call call)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(call);
    if (!row)
        return UNKNOWN_CALL;
    return row->extrae ? row->extrae : UNKNOWN_CALL + call;
}

/// Whether the block names one of the types of MPI calls (50000001..5): "gradient type label".
static bool names_mpi_calls(pj_str block)
{
    while (block.len > 0) {
        pj_str line = pj_str_trim(pj_str_cut(&block, '\n'));
        pj_str type = pj_str_trim(pj_str_from(line, pj_str_find(line, ' ')));
        if (type.len > 8 && pj_str_starts(type, PJ_S("5000000")) && type.at[7] >= '1' &&
            type.at[7] <= '5' && (type.at[8] == ' ' || type.at[8] == '\t'))
            return true;
    }
    return false;
}

/// The text without its EVENT_TYPE blocks of MPI calls.
static void keep_labels(pj_str text, pj_buf *out)
{
    pj_auto_buf block = {.at = NULL};
    while (text.len > 0) {
        pj_str line = pj_str_cut(&text, '\n');
        bool starts = pj_str_starts(line, PJ_S("EVENT_TYPE"));
        if (starts && !names_mpi_calls(pj_buf_str(&block)))
            pj_buf_add(out, pj_buf_str(&block));
        if (starts)
            block.len = 0;
        pj_buf_add(&block, line);
        pj_buf_add_char(&block, '\n');
    }
    if (!names_mpi_calls(pj_buf_str(&block)))
        pj_buf_add(out, pj_buf_str(&block));
}

static const char own_labels[] =
    "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\n"
    "STATES\n0    Idle\n1    Running\n2    Not created\n3    Waiting a message\n"
    "4    Blocking Send\n5    Synchronization\n6    Test/Probe\n7    Scheduling and Fork/Join\n"
    "8    Wait/WaitAll\n9    Blocked\n10    Immediate Send\n11    Immediate Receive\n12    I/O\n"
    "13    Group Communication\n14    Tracing Disabled\n15    Others\n16    Send Receive\n\n"
    "EVENT_TYPE\n0    60000001    Parallel (OMP)\nVALUES\n0      close\n1      open\n\n"
    "EVENT_TYPE\n7    42000050    PAPI_TOT_INS [Instr completed]\n"
    "7    42000059    PAPI_TOT_CYC [Total cycles]\n\n";

static const char added_labels[] =
    "EVENT_TYPE\n0    50190001    Request of a collective (popinjay)\n"
    "0    50190002    Request that is completed, counted from 1 (popinjay)\n"
    "0    60190001    Team of the OpenMP event before it (popinjay)\n\n";

static void add_calls(pj_mpi_class class_, const char *title, pj_buf *out)
{
    pj_buf_addf(out, "EVENT_TYPE\n9    5000000%d    %s\nVALUES\n", (int)class_, title);
    pj_buf_puts(out, "0   Outside MPI\n");
    pj_buf_addf(out, "%u   Unknown MPI call\n", (unsigned)UNKNOWN_CALL);
    const pj_mpi_call_row *row;
    for (pj_mpi_call call = 1; (row = pj_mpi_call_at(call)); call++)
        pj_buf_addf(out, "%u   %s\n", (unsigned)pj_ideal_names_value(call), row->name);
    pj_buf_puts(out, "\n");
}

void pj_ideal_names_pcf(const pj_run *run, pj_buf *out)
{
    static const char *const titles[] = {[PJ_MPI_P2P] = "MPI Point-to-point",
                                         [PJ_MPI_COLLECTIVE] = "MPI Collective Comm",
                                         [PJ_MPI_OTHER] = "MPI Other",
                                         [PJ_MPI_ONE_SIDED] = "MPI One-sided",
                                         [PJ_MPI_IO] = "MPI I/O"};
    pj_auto_buf original = {.at = NULL};
    pj_ignore(pj_companion_read(run->path, ".pcf", &original, NULL));
    keep_labels(original.len ? pj_buf_str(&original) : pj_str_of(own_labels), out);
    pj_buf_puts(out, "\n");
    pj_buf_puts(out, added_labels);
    for (pj_mpi_class class_ = PJ_MPI_P2P; class_ <= PJ_MPI_IO; class_++)
        add_calls(class_, titles[class_], out);
}

void pj_ideal_names_row(const pj_run *run, pj_buf *out)
{
    pj_ignore(pj_companion_read(run->path, ".row", out, NULL));
    if (out->len > 0)
        return;
    const pj_layout *layout = &run->layout;
    pj_buf_addf(out, "LEVEL THREAD SIZE %u\n", layout->locations);
    uint32_t first = 0; // rank of the application
    for (uint32_t i = 0; i < layout->locations; i++) {
        uint32_t rank = layout->rank_of[i];
        if (rank > 0 && layout->application_of[rank] != layout->application_of[rank - 1] &&
            i == layout->first_location[rank])
            first = rank;
        pj_buf_addf(out, "THREAD %u.%u.%u\n", layout->application_of[rank] + 1, rank - first + 1,
                    i - layout->first_location[rank] + 1);
    }
}
