// An MPI program of all kinds of messages and collectives. Prints a checksum of what it computed
// and the number and bytes of the messages that it has sent, counted by itself.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { DOUBLES = 1000, ROUNDS = 20, SHORT = 10 };

static unsigned long long counted[2]; // messages, bytes
static double outgoing[DOUBLES], incoming[DOUBLES];
static int rank, ranks;

static void count(size_t bytes)
{
    counted[0]++;
    counted[1] += bytes;
}

/// Around the ring, by requests; ends come in any order.
static double go_round(int round)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    const int doubles = DOUBLES - round;
    for (int i = 0; i < doubles; i++)
        outgoing[i] = rank + round + i;
    MPI_Irecv(incoming, DOUBLES, MPI_DOUBLE, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(outgoing, doubles, MPI_DOUBLE, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &requests[1]);
    count((size_t)doubles * sizeof(double));
    if (round % 3 == 0) {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (round % 3 == 1) {
        int index;
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    } else {
        for (int done = 0; !done;)
            MPI_Testall(2, requests, &done, statuses);
    }
    double own = incoming[0], sum;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void use_communicators(void)
{
    MPI_Comm half, copy;
    int own, size, numbers[DOUBLES] = {0};
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_rank(copy, &own);
    MPI_Comm_size(copy, &size);
    if (size > 1 && own == 0) {
        MPI_Send(numbers, 5, MPI_INT, 1, 1, copy);
        count(5 * sizeof(int));
    } else if (own == 1) {
        MPI_Recv(numbers, DOUBLES, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(numbers, SHORT, MPI_INT, size - 1, half);
    MPI_Sendrecv(&own, 1, MPI_INT, (own + 1) % size, 2, numbers, 1, MPI_INT,
                 (own + size - 1) % size, 2, half, MPI_STATUS_IGNORE);
    count(sizeof(int));
    MPI_Send(numbers, 1, MPI_INT, MPI_PROC_NULL, 2, half); // no message
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
}

/// Between even and odd ranks, and over what is made of that; a copy that is made meanwhile.
static void use_groups(void)
{
    MPI_Comm half, between, whole, copy;
    MPI_Request request;
    int own, number = rank, all = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 5, &between);
    MPI_Comm_rank(half, &own);
    if (own == 0) {
        MPI_Sendrecv_replace(&number, 1, MPI_INT, 0, 8, 0, 8, between, MPI_STATUS_IGNORE);
        count(sizeof(int));
    }
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, between);
    MPI_Intercomm_merge(between, rank % 2, &whole);
    MPI_Comm_idup(whole, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_rank(copy, &own);
    MPI_Sendrecv_replace(&number, 1, MPI_INT, (own + 1) % ranks, 9, (own + ranks - 1) % ranks, 9,
                         copy, MPI_STATUS_IGNORE);
    count(sizeof(int));
    MPI_Comm_free(&copy);
    MPI_Comm_free(&whole);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

/// The first process sends persistently, the last one probes.
static void use_requests(void)
{
    char letters[SHORT] = {0};
    MPI_Request request;
    if (rank == 0) {
        MPI_Send_init(letters, SHORT, MPI_CHAR, ranks - 1, 3, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 3; i++) {
            MPI_Start(&request);
            count(SHORT);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    }
    for (int i = 0; rank == ranks - 1 && i < 3; i++) {
        MPI_Message message;
        MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(letters, SHORT, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    }
    if (rank == 0) { // a receive that never comes
        MPI_Irecv(letters, SHORT, MPI_CHAR, ranks - 1, 99, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        sum += go_round(round);
    use_communicators();
    use_groups();
    use_requests();
    int one = 1, all = 0;
    MPI_Request request;
    MPI_Iallreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int *gathered = malloc((size_t)ranks * sizeof *gathered);
    MPI_Gather(rank ? &rank : MPI_IN_PLACE, 1, MPI_INT, gathered, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(gathered);
    unsigned long long total[2];
    MPI_Reduce(counted, total, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%g %d messages %llu bytes %llu\n", sum, all, total[0], total[1]);
    MPI_Finalize();
    return 0;
}
