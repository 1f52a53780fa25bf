// Ranks pass a vector around a ring (MPI_Isend, MPI_Recv) and smooth their own with threads; rank 0
// writes a line every ten steps, which the others wait for in the next MPI_Allreduce. usage: ring
// [CELLS [STEPS]]
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct ring {
    int rank, ranks, cells;
    double *own, *given;
} ring;

static void pass_on(const ring *r)
{
    int next = (r->rank + 1) % r->ranks, previous = (r->rank + r->ranks - 1) % r->ranks;
    MPI_Request sent;
    MPI_Isend(r->own, r->cells, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &sent);
    MPI_Recv(r->given, r->cells, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

/// The later half of the cells is dearer: the last threads have more to do.
static double mix(const ring *r)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < r->cells; i++) {
        int turns = i < r->cells / 2 ? 20 : 30;
        for (int k = 0; k < turns; k++)
            r->own[i] = 0.5 * (r->own[i] + sqrt(r->given[i] * r->given[i] + k));
        sum += r->own[i];
    }
    return sum;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int steps = argc > 2 ? atoi(argv[2]) : 30;
    ring r = {.cells = argc > 1 ? atoi(argv[1]) : 40000};
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
    r.own = calloc((size_t)r.cells, sizeof *r.own);
    r.given = calloc((size_t)r.cells, sizeof *r.given);
    if (!r.own || !r.given)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < steps; i++) {
        pass_on(&r);
        double sum = mix(&r), all = 0;
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (r.rank == 0 && i % 10 == 9)
            printf("ring: step %d, sum %g\n", i + 1, all);
    }
    free(r.own);
    free(r.given);
    return MPI_Finalize();
}
