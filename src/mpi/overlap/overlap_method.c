#include "mpi/overlap/overlap_method.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mpi/nbc/nbc_internal.h"
#include "mpi/nbc/nbc_job.h"

static const struct overlap_method of_mpi[] = {
    {.name = "blocking", .of_mpi = true, .blocking = true},
    {.name = "native", .of_mpi = true},
    {.name = "native-yield", .of_mpi = true, .yields = true},
    {.name = "blocking@all", .of_mpi = true, .blocking = true, .all_cores = true},
    {.name = "native@all", .of_mpi = true, .all_cores = true},
    {.name = "native-yield@all", .of_mpi = true, .yields = true, .all_cores = true},
};

static int parse(const char *name, struct overlap_method *out)
{
    for (size_t i = 0; i < sizeof of_mpi / sizeof *of_mpi; i++) {
        if (strcmp(of_mpi[i].name, name) != 0) continue;
        *out = of_mpi[i];
        if (!out->blocking && overlap_async_setting())
            snprintf(out->name, sizeof out->name, "native-async%s%s", out->yields ? "-yield" : "",
                     out->all_cores ? "@all" : "");
        return 0;
    }
    *out = (struct overlap_method){0};
    snprintf(out->name, sizeof out->name, "%s", name);
    if (cw_nbc_way_parse("--methods", name, &out->way) == 0) return 0;
    return cw_fail(
        CW_EUSAGE,
        "--methods: '%s' is not a method; expected blocking, native, native-yield, the same with @all, auto, "
        "slices:F (0 to 1), binomial, k-nomial:K or split-tree:S",
        name);
}

int overlap_methods_parse(const char *list, struct overlap_methods *out)
{
    struct overlap_methods methods = {.n = 0};
    for (int rc; list;) {
        char name[32];
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        if (methods.n == OVERLAP_METHODS)
            return cw_fail(CW_EUSAGE, "--methods: expected %d names at most", OVERLAP_METHODS);
        if ((rc = parse(name, &methods.items[methods.n++]))) return rc;
        list = list[length] ? list + length + 1 : NULL;
    }
    *out = methods;
    return 0;
}

bool overlap_methods_need_cores(const struct overlap_methods *methods)
{
    for (size_t m = 0; m < methods->n; m++)
        if (!methods->items[m].of_mpi) return true;
    return false;
}

void overlap_methods_keep_native(struct overlap_methods *methods)
{
    size_t kept = 0;
    for (size_t m = 0; m < methods->n; m++)
        if (methods->items[m].of_mpi) methods->items[kept++] = methods->items[m];
    methods->n = kept;
}

void overlap_methods_fit(struct overlap_methods *methods, enum cw_collective_kind collective)
{
    size_t kept = 0;
    for (size_t m = 0; m < methods->n; m++)
        if (methods->items[m].way.schedule != CW_NBC_SPLIT_TREE || cw_collectives[collective].tree)
            methods->items[kept++] = methods->items[m];
    methods->n = kept;
}

/* The same call for the functions of communication cores. */
static struct cw_nbc_call call_of(const struct call *call)
{
    const enum cw_collective_kind collective = cw_collective_kind_of(call->operation);
    const bool sends = collective != CW_COLLECTIVE_BCAST;
    return (struct cw_nbc_call){.collective = collective,
                                .send = sends ? call->send : NULL,
                                .recv = call->receive,
                                .send_count = sends ? call->count : 0,
                                .recv_count = call->count,
                                .send_type = call->type,
                                .recv_type = call->type,
                                .op = call->combine,
                                .root = call->root,
                                .comm = call->comm};
}

int overlap_begin(const struct overlap_method *method, const struct call *call, struct overlap_operation *operation)
{
    if (method->blocking) return 0;
    if (method->of_mpi) {
        call_start(call, &operation->native);
        return 0;
    }
    nbc_job.settings.way = method->way; /* all ranks have the same turn */
    const struct cw_nbc_call ours = call_of(call);
    return cw_nbc_begin(&ours, NULL, &operation->ours);
}

static void test_and_yield(MPI_Request *request)
{
    int done;
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE)) sched_yield();
}

int overlap_wait(const struct overlap_method *method, const struct call *call, struct overlap_operation *operation)
{
    if (method->blocking) return call_run(call);
    if (method->yields)
        test_and_yield(&operation->native);
    else if (method->of_mpi)
        MPI_Wait(&operation->native, MPI_STATUS_IGNORE);
    else
        return cw_nbc_wait(&operation->ours);
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
