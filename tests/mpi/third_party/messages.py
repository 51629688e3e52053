"""Every nonblocking collective of mpi4py, on memory that Python owns, by several threads at the same time, too. Each rank
prints a checksum of what it has received: the same with whatever carries the collectives out."""
import array
import threading
import zlib

from mpi4py import MPI

COUNT = 9000
world = MPI.COMM_WORLD
checksums = {}


def numbers(*seeds, n=COUNT):
    return array.array("q", ((i * 31 + sum(seeds) * 1009) % 100003 for i in range(n)))


def keep(what, *buffers):
    for buffer in buffers:
        checksums[what] = zlib.crc32(bytes(buffer), checksums.get(what, 0))


def first_even(left, right, datatype):
    """An operation of the program's own, in which the order counts."""
    a, b = (memoryview(buffer).cast("b").cast("q") for buffer in (left, right))
    for i, value in enumerate(a):
        if value % 2 == 0:
            b[i] = value


def each(comm, name):
    me, n = comm.rank, comm.size
    for root in range(n):
        one, many = numbers(me, root), numbers(me, root, n=n * COUNT)
        sums, all_of, turned, some = (array.array("q", bytes(8 * COUNT * k)) for k in (1, n, n, 1))
        told = numbers(root) if me == root else numbers(99)
        requests = [
            comm.Ibcast(told, root),
            comm.Ireduce(one, sums if me == root else None, MPI.SUM, root),
            comm.Igather(one, all_of if me == root else None, root),
            comm.Ialltoall(many, turned),
            comm.Iscatter(many if me == root else None, some, root),
        ]
        MPI.Request.Waitall(requests[:2])
        left = requests[2:]
        while left:
            done = MPI.Request.Waitsome(left)
            left = [request for i, request in enumerate(left) if i not in done]
        keep(name, told, sums, all_of, turned, some)


def in_place(comm):
    me, n = comm.rank, comm.size
    data, blocks = numbers(me), numbers(me, n=n * COUNT)
    first = comm.Iallreduce(MPI.IN_PLACE, data, MPI.MAX)
    second = comm.Iallgather(MPI.IN_PLACE, blocks)
    while not MPI.Request.Testall([first, second]):
        pass
    keep("in place", data, blocks)


def own_operation(comm):
    operation = MPI.Op.Create(first_even, commute=False)
    given, result = numbers(comm.rank), array.array("q", bytes(8 * COUNT))
    comm.Iallreduce(given, result, operation).Wait()
    operation.Free()
    keep("own operation", result)


def datatypes(comm):
    column = MPI.INT64_T.Create_vector(COUNT // 3, 1, 3).Commit()
    table = numbers(comm.rank)
    request = comm.Ibcast([table, 1, column], 0)
    column.Free()
    status = MPI.Status()
    request.Wait(status)
    keep("datatypes", table)


def threads(comm):
    copies = [comm.Dup() for _ in range(3)]
    workers = [threading.Thread(target=each, args=(copy, f"thread {i}")) for i, copy in enumerate(copies)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for copy in copies:
        copy.Free()


each(world, "world")
in_place(world)
own_operation(world)
datatypes(world)
part = world.Split(world.rank % 2, -world.rank)
each(part, "part")
part.Free()
if MPI.Query_thread() == MPI.THREAD_MULTIPLE:
    threads(world)
everything = world.gather(sorted(checksums.items()))
if world.rank == 0:
    for rank, lines in enumerate(everything):
        for what, checksum in lines:
            print(f"{rank} {what}: {checksum:08x}")
