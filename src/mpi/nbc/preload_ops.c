/*
 * Programs may free an operation (MPI_Op) that is in use, which MPI then keeps. It cannot keep it for ours: so
 * operations are not freed before there is no request of ours left.
 */
#include <pthread.h>
#include <stdlib.h>

#include "mpi/nbc/preload.h"
#include "mpi/nbc/preload_requests.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Op *kept;
static size_t n, room;

static bool keep(MPI_Op op)
{
    if (n == room) {
        MPI_Op *more = realloc(kept, (2 * room + 4) * sizeof *kept);
        if (!more) return false;
        kept = more;
        room = 2 * room + 4;
    }
    kept[n++] = op;
    return true;
}

static void free_kept(void)
{
    while (n > 0) PMPI_Op_free(&kept[--n]);
}

int cw_preload_Op_free(MPI_Op *op)
{
    pthread_mutex_lock(&lock);
    const bool any = preload_requests_any(), later = any && keep(*op);
    if (!any) free_kept();
    pthread_mutex_unlock(&lock);
    if (!later) return PMPI_Op_free(op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

void preload_ops_free(void)
{
    free_kept();
    free(kept);
    kept = NULL;
    room = 0;
}
