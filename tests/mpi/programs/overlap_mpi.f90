! Fortran with "use mpi": handles are integers, statuses arrays, and every call has its ierror.
program overlap_mpi
    use mpi
    implicit none
    integer, parameter :: n = 40000
    integer :: rank, ranks, i, ierror, round, done, positions(3)
    integer :: requests(3), statuses(MPI_STATUS_SIZE, 3)
    double precision :: checksum, total
    double precision, allocatable :: vector(:), norms(:), parts(:), whole(:)
    logical :: flag

    call MPI_INIT(ierror)
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
    call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
    allocate (vector(n), norms(n), parts(n), whole(n*ranks))
    checksum = 0
    do round = 1, 4
        if (rank == mod(round, ranks)) vector = [(dble(mod(i*round, 97)), i = 1, n)]
        parts = dble(rank + round)
        call MPI_IBCAST(vector, n, MPI_DOUBLE_PRECISION, mod(round, ranks), MPI_COMM_WORLD, requests(1), ierror)
        call MPI_IALLREDUCE(parts, norms, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, requests(2), ierror)
        call MPI_IGATHER(parts, n, MPI_DOUBLE_PRECISION, whole, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, requests(3), &
                         ierror)
        if (round == 1) then
            call MPI_WAITALL(3, requests, statuses, ierror)
        else if (round == 2) then
            done = 0
            do while (done /= MPI_UNDEFINED)
                call MPI_WAITSOME(3, requests, done, positions, statuses, ierror)
            end do
        else if (round == 3) then
            do i = 1, 3
                flag = .false.
                do while (.not. flag)
                    call MPI_TEST(requests(i), flag, statuses(:, 1), ierror)
                end do
            end do
        else
            flag = .false.
            do while (.not. flag)
                call MPI_REQUEST_GET_STATUS(requests(1), flag, statuses(:, 1), ierror)
            end do
            call MPI_WAITALL(3, requests, MPI_STATUSES_IGNORE, ierror)
        end if
        if (any(requests /= MPI_REQUEST_NULL)) checksum = -1
        checksum = checksum + sum(vector) + sum(norms)
        if (rank == 0) checksum = checksum + sum(whole)
    end do
    call MPI_REDUCE(checksum, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    if (rank == 0) print '("overlap_mpi: ", f0.1)', total
    call MPI_FINALIZE(ierror)
end program
