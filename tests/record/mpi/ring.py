"""Passes numbers round; rank 0 prints ranks, messages of arrays and their bytes."""

from array import array

from mpi4py import MPI

ROUNDS = 7


def pass_on(comm, numbers):
    got = array("d", [0.0] * len(numbers))
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    request = comm.Irecv([got, MPI.DOUBLE], left)
    comm.Send([numbers, MPI.DOUBLE], right)
    request.Wait()
    return got


def main():
    comm = MPI.COMM_WORLD
    numbers, total, sums = array("d", [float(comm.rank)] * 32), 0, array("i", [0])
    for length in range(1, ROUNDS + 1):
        numbers = pass_on(comm, numbers[:length])
        numbers.extend([1.0] * 32)
        comm.Allreduce([array("i", [length]), MPI.INT], [sums, MPI.INT])
        total += sums[0]
    if comm.rank == 0:
        print(total, comm.size, "messages", ROUNDS * comm.size,
              "bytes", 8 * comm.size * sum(range(1, ROUNDS + 1)))


main()
