! Fortran 2008: all collectives that can be overlapped, once with each way to complete them; integers, exact.
program overlap_f08
    use, intrinsic :: iso_fortran_env, only: int64
    use mpi_f08
    implicit none
    integer, parameter :: n = 30000
    integer :: rank, ranks, i, round, position, provided
    integer(int64) :: checksum
    integer(int64), allocatable :: given(:), got(:), total(:), own(:), all(:)
    type(MPI_Request) :: requests(4)
    type(MPI_Status) :: statuses(4)
    logical :: done

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    allocate (given(n*ranks), got(n*ranks), total(n), own(n), all(n*ranks))
    checksum = 0
    do round = 1, 5
        given = [(int(i, int64)*round + 1000*rank, i = 1, n*ranks)]
        total = given(1:n)
        own = -1
        if (rank == 0) own = [(int(i, int64)*i + round, i = 1, n)]
        call MPI_Ialltoall(given, n, MPI_INTEGER8, got, n, MPI_INTEGER8, MPI_COMM_WORLD, requests(1))
        call MPI_Iallreduce(MPI_IN_PLACE, total, n, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, requests(2))
        call MPI_Ibcast(own, n, MPI_INTEGER8, 0, MPI_COMM_WORLD, requests(3))
        call MPI_Iallgather(given, n, MPI_INTEGER8, all, n, MPI_INTEGER8, MPI_COMM_WORLD, requests(4))
        if (round == 1) then
            call MPI_Waitall(4, requests, statuses)
        else if (round == 2) then
            call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
        else if (round == 3) then
            do i = 1, 4
                call MPI_Waitany(4, requests, position, statuses(1))
            end do
        else if (round == 4) then
            done = .false.
            do while (.not. done)
                call MPI_Testall(4, requests, done, MPI_STATUSES_IGNORE)
            end do
        else
            do i = 4, 1, -1
                call MPI_Wait(requests(i), MPI_STATUS_IGNORE)
            end do
        end if
        do i = 1, 4
            if (requests(i) /= MPI_REQUEST_NULL) checksum = checksum + 1000000007_int64*i
        end do
        do i = 1, n
            checksum = ieor(checksum*31, got(i) + 3*total(i) + 5*own(i) + 7*all(n*ranks - i + 1))
        end do
    end do
    total = given(1:n)
    call MPI_Iscatter(given, n, MPI_INTEGER8, own, n, MPI_INTEGER8, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Igather(given, n, MPI_INTEGER8, all, n, MPI_INTEGER8, ranks - 1, MPI_COMM_WORLD, requests(2))
    call MPI_Ireduce(total, got, n, MPI_INTEGER8, MPI_MAX, ranks - 1, MPI_COMM_WORLD, requests(3))
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
    if (rank == ranks - 1) checksum = ieor(checksum, sum(all) + sum(got(1:n)))
    checksum = ieor(checksum, sum(own))
    call MPI_Reduce(checksum, total(1), 1, MPI_INTEGER8, MPI_BXOR, 0, MPI_COMM_WORLD)
    if (rank == 0) print '("overlap_f08: ", z16.16)', total(1)
    call MPI_Finalize()
end program
