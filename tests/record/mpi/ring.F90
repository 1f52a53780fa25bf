! A ring of messages in Fortran, by the binding that BINDING names: 1 mpif.h, 2 use mpi, 3 use mpi_f08.
! Prints a checksum, and the number and bytes of the messages that it has sent, counted by itself.
program ring
#if BINDING == 3
    use mpi_f08
#elif BINDING == 2
    use mpi
#endif
    implicit none
#if BINDING == 1
    include 'mpif.h'
#endif
    integer, parameter :: doubles = 1000, rounds = 20
    double precision :: outgoing(doubles), incoming(doubles), total
    integer :: rank, ranks, round, ierror, counted(2), all(2), left, right, provided, own
#if BINDING == 3
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status
    type(MPI_Comm) :: half
#else
    integer :: requests(2), status(MPI_STATUS_SIZE), half
#endif
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    counted = 0
    total = 0
    left = mod(rank + ranks - 1, ranks)
    right = mod(rank + 1, ranks)
    do round = 1, rounds
        outgoing = rank + round
        call MPI_Irecv(incoming, doubles, MPI_DOUBLE_PRECISION, left, 7, MPI_COMM_WORLD, requests(1), ierror)
        call MPI_Isend(outgoing, doubles - round, MPI_DOUBLE_PRECISION, right, 7, MPI_COMM_WORLD, requests(2), ierror)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
        counted = counted + (/1, 8*(doubles - round)/)
        call MPI_Allreduce(MPI_IN_PLACE, incoming, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
        total = total + incoming(1)
    end do
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 8, own, 1, MPI_INTEGER, left, 8, MPI_COMM_WORLD, status, ierror)
    counted = counted + (/1, 4/)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierror)
    call MPI_Barrier(half, ierror)
    call MPI_Comm_free(half, ierror)
    call MPI_Reduce(counted, all, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    if (rank == 0) print '(I0,1X,I0,1X,A,I0,A,I0)', nint(total), own, 'messages ', all(1), ' bytes ', all(2)
    call MPI_Finalize(ierror)
end program
