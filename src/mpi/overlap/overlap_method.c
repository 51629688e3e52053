#include "mpi/overlap/overlap_method.h"

#include <stdlib.h>
#include <string.h>

const struct overlap_method overlap_methods[] = {
    {.name = "blocking", .of_mpi = true, .blocking = true},
    {.name = "native", .of_mpi = true},
    {.name = NULL},
};

const struct cw_registry overlap_method_registry = {.items = overlap_methods,
                                                    .size = sizeof *overlap_methods,
                                                    .near = "unknown method '%s'; did you mean %s?",
                                                    .none = "unknown method '%s'; expected one of %s"};

int overlap_begin(const struct overlap_method *method, const struct call *call, struct overlap_operation *operation)
{
    if (!method->blocking) call->operation->start(call, &operation->native);
    return 0;
}

int overlap_wait(const struct overlap_method *method, const struct call *call, struct overlap_operation *operation)
{
    if (method->blocking)
        call->operation->run(call);
    else
        MPI_Wait(&operation->native, MPI_STATUS_IGNORE);
    return 0;
}

const char *overlap_async_setting(void)
{
    static const char *const names[] = {"MPICH_ASYNC_PROGRESS", "MPIR_CVAR_ASYNC_PROGRESS", "I_MPI_ASYNC_PROGRESS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value && strcmp(value, "0") != 0) return names[i];
    }
    return NULL;
}
