#include "mpi/nbc/preload_handles.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mpi/locks.h"
#include "mpi/nbc/preload.h"

struct handle {
    bool is_op;
    uintptr_t value; /* a pointer, or a number */
    size_t uses;
    size_t frees; /* by the program: it may have got a handle several times (MPI_Type_get_contents) */
};

static pthread_mutex_t lock = CW_LOCK;
static struct handle *handles; /* few: most programs use the same datatypes again and again */
static size_t n, room;

static struct handle *find(bool is_op, uintptr_t value)
{
    for (size_t i = 0; i < n; i++)
        if (handles[i].value == value && handles[i].is_op == is_op) return &handles[i];
    return NULL;
}

static struct handle *add(bool is_op, uintptr_t value)
{
    if (cw_grow_array((void **)&handles, &room, n + 1, sizeof *handles, "handles")) return NULL;
    handles[n] = (struct handle){.is_op = is_op, .value = value};
    return &handles[n++];
}

static int use(bool is_op, uintptr_t value)
{
    lock_take(&lock);
    struct handle *handle = find(is_op, value);
    if (!handle) handle = add(is_op, value);
    if (handle) handle->uses++;
    lock_give(&lock);
    return handle ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void free_now(struct handle handle)
{
    for (; handle.frees > 0; handle.frees--) {
        MPI_Op op = (MPI_Op)handle.value;
        MPI_Datatype type = (MPI_Datatype)handle.value;
        if (handle.is_op)
            PMPI_Op_free(&op);
        else
            PMPI_Type_free(&type);
    }
}

static void leave(bool is_op, uintptr_t value)
{
    struct handle last = {0};
    lock_take(&lock);
    struct handle *handle = find(is_op, value);
    if (handle && --handle->uses == 0) {
        last = *handle;
        *handle = handles[--n];
    }
    lock_give(&lock);
    free_now(last); /* which may call functions of the program */
}

/* The program frees it: whether that must wait. */
static bool is_later(bool is_op, uintptr_t value)
{
    lock_take(&lock);
    struct handle *handle = find(is_op, value);
    if (handle) handle->frees++;
    lock_give(&lock);
    return handle;
}

int preload_type_use(MPI_Datatype type)
{
    return type == MPI_DATATYPE_NULL ? MPI_SUCCESS : use(false, (uintptr_t)type);
}

int preload_op_use(MPI_Op op)
{
    return op == MPI_OP_NULL ? MPI_SUCCESS : use(true, (uintptr_t)op);
}

void preload_type_leave(MPI_Datatype type)
{
    if (type != MPI_DATATYPE_NULL) leave(false, (uintptr_t)type);
}

void preload_op_leave(MPI_Op op)
{
    if (op != MPI_OP_NULL) leave(true, (uintptr_t)op);
}

int cw_preload_Type_free(MPI_Datatype *type)
{
    if (!is_later(false, (uintptr_t)*type)) return CW_NBC_LEFT_TO_MPI;
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int cw_preload_Op_free(MPI_Op *op)
{
    if (!is_later(true, (uintptr_t)*op)) return CW_NBC_LEFT_TO_MPI;
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

void preload_handles_free(void)
{
    while (n > 0) free_now(handles[--n]);
    free(handles);
    handles = NULL;
    room = 0;
}
