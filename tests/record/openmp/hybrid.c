// An MPI program whose ranks have threads; higher ranks have more to do.
#include <mpi.h>

#include <stdio.h>

enum { ROUNDS = 10, ITEMS = 20 };

static double work(long n)
{
    volatile double sum = 0;
    for (long i = 0; i < n; i++)
        sum += (double)i;
    return sum;
}

int main(int argc, char **argv)
{
    double sum = 0, all = 0;
    int given, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
        for (int i = 0; i < ITEMS; i++)
            sum += work(5000L * (i + 1) * (rank + 1));
        work(10000);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("computed %g\n", all);
    MPI_Finalize();
    return 0;
}
