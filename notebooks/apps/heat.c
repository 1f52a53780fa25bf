// Heat spreads over a plate (Jacobi): slabs of rows per rank, halo rows by MPI_Irecv, MPI_Isend and
// MPI_Waitall, the change by MPI_Allreduce. Rows in the middle of the plate are more expensive.
// usage: heat [CELLS [STEPS]]
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct slab {
    int rank, ranks, rows, width, first; // `first` of all rows is this rank's
    double *now, *next;                  // rows + 2 halo rows
} slab;

static slab slab_new(int cells)
{
    slab s = {.width = cells};
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
    s.first = (int)((long)cells * s.rank / s.ranks);
    s.rows = (int)((long)cells * (s.rank + 1) / s.ranks) - s.first;
    size_t size = (size_t)(s.rows + 2) * (size_t)cells;
    s.now = calloc(size, sizeof *s.now);
    s.next = calloc(size, sizeof *s.next);
    if (!s.now || !s.next)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; s.rank == 0 && i < cells; i++)
        s.now[i] = s.next[i] = 1; // the upper edge is hot
    return s;
}

static void exchange(const slab *s)
{
    int above = s->rank > 0 ? s->rank - 1 : MPI_PROC_NULL;
    int below = s->rank < s->ranks - 1 ? s->rank + 1 : MPI_PROC_NULL;
    int width = s->width;
    double *last = s->now + (size_t)s->rows * (size_t)width;
    MPI_Request request[4];
    MPI_Irecv(s->now, width, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(last + width, width, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(s->now + width, width, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(last, width, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

/// One row of the next state; what has changed. Rows in the middle are smoothed `sweeps` times.
static double smooth(const slab *s, int row, int sweeps)
{
    const double *at = s->now + (size_t)row * (size_t)s->width;
    double *to = s->next + (size_t)row * (size_t)s->width, change = 0;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        change = 0;
        for (int i = 1; i < s->width - 1; i++) {
            to[i] = .25 * (at[i - 1] + at[i + 1] + at[i - s->width] + at[i + s->width]);
            change += (to[i] - at[i]) * (to[i] - at[i]);
        }
    }
    return change;
}

static double step(slab *s)
{
    exchange(s);
    double change = 0, all = 0;
    for (int row = 1; row <= s->rows; row++) {
        double place = (s->first + row - 0.5) / s->width;
        change += smooth(s, row, place > 0.3 && place < 0.6 ? 3 : 2);
    }
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double *swap = s->now;
    s->now = s->next;
    s->next = swap;
    return sqrt(all);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int cells = argc > 1 ? atoi(argv[1]) : 1024, steps = argc > 2 ? atoi(argv[2]) : 40;
    slab s = slab_new(cells);
    double change = 0;
    for (int i = 0; i < steps; i++)
        change = step(&s);
    if (s.rank == 0)
        printf("heat: %d ranks, change %g\n", s.ranks, change);
    free(s.now);
    free(s.next);
    return MPI_Finalize();
}
