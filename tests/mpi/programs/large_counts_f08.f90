! Fortran 2008 with counts of kind MPI_COUNT_KIND: compilers choose MPI's functions of large counts by that.
program large_counts_f08
    use, intrinsic :: iso_fortran_env, only: int64
    use mpi_f08
    implicit none
    integer(MPI_COUNT_KIND), parameter :: n = 30000
    integer :: rank, ranks, i
    integer(int64) :: checksum, all
    integer(int64), allocatable :: given(:), got(:), total(:), own(:)
    type(MPI_Request) :: requests(3)

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    allocate (given(n*ranks), got(n*ranks), total(n), own(n))
    given = [(int(i, int64)*i + 1000*rank, i = 1, int(n)*ranks)]
    total = given(1:n)
    own = -1
    if (rank == 0) own = [(int(i, int64)*7, i = 1, int(n))]
    call MPI_Ialltoall(given, n, MPI_INTEGER8, got, n, MPI_INTEGER8, MPI_COMM_WORLD, requests(1))
    call MPI_Iallreduce(MPI_IN_PLACE, total, n, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, requests(2))
    call MPI_Bcast_init(own, n, MPI_INTEGER8, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests(3))
    call MPI_Start(requests(3))
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
    call MPI_Request_free(requests(3))
    checksum = 0
    do i = 1, int(n)
        checksum = ieor(checksum*31, got(i) + 3*total(i) + 5*own(i))
    end do
    call MPI_Reduce(checksum, all, 1, MPI_INTEGER8, MPI_BXOR, 0, MPI_COMM_WORLD)
    if (rank == 0) print '("large_counts_f08: ", z16.16)', all
    call MPI_Finalize()
end program
