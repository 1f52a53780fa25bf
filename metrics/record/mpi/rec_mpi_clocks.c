// The shortest of some round trips tells best: the first process has read its clock in the middle
// of it, to half of the trip (F. Cristian, Probabilistic clock synchronization, 1989).
#include "metrics/record/mpi/rec_mpi_clocks.h"

#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_part.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { TRIPS = 64, TAG = 1 };

typedef struct reading {
    uint64_t ticks;  // here, in the middle of the trip
    int64_t offset;  // to add to them
    uint64_t around; // half of the trip, in ticks
} reading;

/// A number for the boot of this system, not negative.
static int node_number(void)
{
    char boot[PJ_REC_BOOT_BYTES];
    uint64_t hash = 0xCBF29CE484222325;
    pj_rec_part_boot(boot);
    for (const char *at = boot; *at; at++)
        hash = (hash ^ (uint8_t)*at) * 0x100000001B3;
    return (int)((hash ^ hash >> 32) & INT32_MAX);
}

static bool are_on_one_node(int number)
{
    int least[] = {number, -number}, all[2];
    PMPI_Allreduce(least, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all[0] == -all[1];
}

static void answer(MPI_Comm leaders, int other)
{
    for (int i = 0; i < TRIPS; i++) {
        uint64_t now;
        PMPI_Recv(&now, 1, MPI_UINT64_T, other, TAG, leaders, MPI_STATUS_IGNORE);
        now = pj_rec_now();
        PMPI_Send(&now, 1, MPI_UINT64_T, other, TAG, leaders);
    }
}

static reading ask(MPI_Comm leaders)
{
    reading best = {.around = UINT64_MAX};
    for (int i = 0; i < TRIPS; i++) {
        uint64_t there, before = pj_rec_now();
        PMPI_Send(&before, 1, MPI_UINT64_T, 0, TAG, leaders);
        PMPI_Recv(&there, 1, MPI_UINT64_T, 0, TAG, leaders, MPI_STATUS_IGNORE);
        const uint64_t half = (pj_rec_now() - before) / 2;
        if (half < best.around)
            best = (reading){
                .ticks = before + half, .offset = (int64_t)(there - before - half), .around = half};
    }
    return best;
}

/// The first process of each node with that of the world, one node after another.
static reading measure(MPI_Comm leaders)
{
    int rank, size;
    reading own = {0};
    PMPI_Comm_rank(leaders, &rank);
    PMPI_Comm_size(leaders, &size);
    if (rank > 0)
        own = ask(leaders);
    for (int i = 1; rank == 0 && i < size; i++)
        answer(leaders, i);
    return own;
}

void pj_rec_mpi_clocks_measure(void)
{
    const int number = node_number();
    if (are_on_one_node(number))
        return;
    MPI_Comm node, leaders;
    int rank, here;
    reading own = {0};
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_split(MPI_COMM_WORLD, number, rank, &node);
    PMPI_Comm_rank(node, &here);
    PMPI_Comm_split(MPI_COMM_WORLD, here == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
    if (here == 0) {
        own = measure(leaders);
        PMPI_Comm_free(&leaders);
    }
    PMPI_Bcast(&own, sizeof own, MPI_BYTE, 0, node);
    PMPI_Comm_free(&node);
    if (own.ticks && pj_rec_active())
        pj_rec_defs_numbers('O', "%llu\t%lld\t%llu", (unsigned long long)own.ticks,
                            (long long)own.offset, (unsigned long long)own.around);
}
