/*
 * Calls that are wrong, one after another: what MPI says of them, where the communicator has errors returned. Only what
 * is found at the call, so that nobody waits.
 */
#include <mpi.h>
#include <stdio.h>

enum { COUNT = 20000 };

static void tell(const char *what, int code)
{
    int error, rank;
    MPI_Error_class(code, &error);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("%s: error %d\n", what, error);
}

int main(int argc, char **argv)
{
    static float data[COUNT], result[COUNT];
    MPI_Comm comm;
    MPI_Request request, right, also;
    MPI_Datatype type;
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* to which Open MPI turns now and then */
    MPI_Ibcast(data, COUNT, MPI_FLOAT, 0, comm, &right);
    tell("root", MPI_Ibcast(data, COUNT, MPI_FLOAT, ranks, comm, &request));
    tell("negative root", MPI_Ibcast(data, COUNT, MPI_FLOAT, -9, comm, &request));
    tell("root of a reduction", MPI_Ireduce(data, result, COUNT, MPI_FLOAT, MPI_SUM, 2 * ranks, comm, &request));
    tell("count", MPI_Ibcast(data, -1, MPI_FLOAT, 0, comm, &request));
    tell("datatype", MPI_Ibcast(data, COUNT, MPI_DATATYPE_NULL, 0, comm, &request));
    tell("operation", MPI_Iallreduce(data, result, COUNT, MPI_FLOAT, MPI_OP_NULL, comm, &request));
    tell("operation on floats", MPI_Iallreduce(data, result, COUNT, MPI_FLOAT, MPI_BXOR, comm, &request));
    MPI_Iallreduce(data, result, COUNT, MPI_INT, MPI_BXOR, comm, &also);
    tell("operation that was right on integers",
         MPI_Iallreduce(data, result, COUNT, MPI_FLOAT, MPI_BXOR, comm, &request));
    MPI_Wait(&also, MPI_STATUS_IGNORE);
    MPI_Iallreduce(data, result, COUNT, MPI_FLOAT, MPI_SUM, comm, &also);
    tell("operation on what was summed up", MPI_Iallreduce(data, result, COUNT, MPI_FLOAT, MPI_BXOR, comm, &request));
    MPI_Wait(&also, MPI_STATUS_IGNORE);
    MPI_Type_contiguous(2, MPI_FLOAT, &type);
    tell("uncommitted", MPI_Ibcast(data, COUNT / 2, type, 0, comm, &request));
    MPI_Type_free(&type);
    MPI_Wait(&right, MPI_STATUS_IGNORE);
    const int code = MPI_Iallreduce(data, data, COUNT, MPI_FLOAT, MPI_SUM, comm, &request); /* some MPIs allow it */
    tell("one buffer for both", code);
    if (code == MPI_SUCCESS) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
