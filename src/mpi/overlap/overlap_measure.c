#include "mpi/overlap/overlap_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mpi/bench/bench_operation.h"
#include "mpi/host_cores.h"
#include "mpi/nbc/nbc.h"
#include "mpi/nbc/nbc_job.h"

static int add_operation(struct overlap *overlap, const char *name)
{
    const struct cw_collective_traits *operation = cw_registry_find(&operation_registry, name);
    if (!operation) return cw_registry_unknown(&operation_registry, name);
    if (!operation->carried) return cw_fail(CW_EUSAGE, "--op: %s is always left to MPI", name);
    if (overlap->n_operations == OVERLAP_OPERATIONS)
        return cw_fail(CW_EUSAGE, "--op: expected %d at most", OVERLAP_OPERATIONS);
    overlap->operations[overlap->n_operations++] = operation;
    return 0;
}

static int choose_operations(struct overlap *overlap, const char *list)
{
    int rc = 0;
    for (const struct cw_collective_traits *operation = cw_collectives; !*list && operation->name && !rc; operation++)
        if (operation->carried) rc = add_operation(overlap, operation->name);
    if (!*list) list = NULL;
    while (list && !rc) {
        char name[32];
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        rc = add_operation(overlap, name);
        list = list[length] ? list + length + 1 : NULL;
    }
    return rc;
}

static int choose_ranks(struct overlap *overlap)
{
    const unsigned n = overlap->ranks->program.n;
    overlap->all = n;
    overlap->numbers = overlap->values->ranks;
    if (overlap->numbers.n == 0) overlap->numbers = (struct cw_ints){&overlap->all, 1};
    if (n < 2) return cw_fail(CW_EUSAGE, "overlap needs two ranks, but there is one");
    for (size_t i = 0; i < overlap->numbers.n; i++) {
        if (overlap->numbers.values[i] > n)
            return cw_fail(CW_EUSAGE, "--ranks: %lld are more than there are, %u",
                           (long long)overlap->numbers.values[i], n);
        if (i > 0 && overlap->numbers.values[i] <= overlap->numbers.values[i - 1])
            return cw_fail(CW_EUSAGE, "--ranks: expected rising numbers");
    }
    return 0;
}

int overlap_prepare(struct overlap *overlap, const char *list)
{
    static const char *const unused[] = {"threads", "seed", NULL};
    overlap_places_find(&overlap->places);
    int rc = invocation_refuse(overlap->invocation, unused, "means nothing here: ranks measure, and draw nothing");
    if (!rc) rc = choose_ranks(overlap);
    return rc ? rc : choose_operations(overlap, list);
}

static bool takes_part(const struct overlap *overlap, int n)
{
    return (int)overlap->ranks->program.rank < n;
}

int overlap_start_cores(struct overlap *overlap, int n, unsigned *cores)
{
    if (overlap->values->cores) setenv("CROSSWIND_NBC_CORES", overlap->values->cores, 1);
    overlap_places_reset(&overlap->places);
    int rc = ranks_agree(overlap->ranks, overlap_places_avoid_given(&overlap->places));
    if (!rc) rc = ranks_agree(overlap->ranks, nbc_job_renew(takes_part(overlap, n)));
    if (!rc && nbc_job.active) overlap_places_avoid(&overlap->places, &nbc_job.cores.set);
    *cores = !rc && nbc_job.active ? nbc_job.cores.n : 0;
    return rc;
}

/* The first N ranks; MPI_COMM_NULL for others. */
static MPI_Comm among(const struct overlap *overlap, int n)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, takes_part(overlap, n) ? 0 : MPI_UNDEFINED, 0, &comm);
    return comm;
}

void overlap_find_rate(struct overlap *overlap, int n)
{
    MPI_Comm comm = among(overlap, n);
    overlap->rate = overlap_calibrate(MPI_COMM_WORLD);
    if (comm == MPI_COMM_NULL) return; /* and computes nothing */
    overlap->sharing = host_sharing(comm);
    overlap->rate /= overlap->sharing;
    MPI_Comm_free(&comm);
}

int overlap_measure(const struct overlap *overlap, const struct overlap_setup *setup, int n, double seconds,
                    struct cw_overlap_measurement *point)
{
    struct overlap_setup own = *setup;
    int rc = 0;
    own.comm = among(overlap, n);
    own.seconds = seconds / n;
    *point = (struct cw_overlap_measurement){.operation = setup->operation, .ranks = n, .methods = *setup->methods};
    if (nbc_job.active) point->cores = nbc_job.cores.n;
    if (own.comm != MPI_COMM_NULL) rc = cw_nbc_comm_prepare(own.comm); /* and all of them fail, or none */
    if (own.comm != MPI_COMM_NULL && !rc) rc = overlap_run(&own, &point->samples);
    rc = ranks_pass_on(overlap->ranks, rc);
    if (own.comm != MPI_COMM_NULL) MPI_Comm_free(&own.comm);
    if (rc) cw_overlap_samples_free(&point->samples);
    return rc;
}

/* SECONDS [methods], the same on all ranks that take part; others leave it alone. */
static int measure_alone(const struct overlap *overlap, const struct overlap_setup *setup, int n,
                         const struct cw_overlap_methods *methods, double seconds[])
{
    struct overlap_setup own = *setup;
    int rc = 0;
    own.comm = among(overlap, n);
    own.methods = methods;
    if (own.comm != MPI_COMM_NULL) rc = overlap_alone(&own, seconds);
    rc = ranks_pass_on(overlap->ranks, rc);
    if (own.comm != MPI_COMM_NULL) MPI_Comm_free(&own.comm);
    return rc;
}

int overlap_measure_blocking(const struct overlap *overlap, const struct overlap_setup *setup, int n, double *seconds)
{
    struct cw_overlap_methods methods;
    int rc = cw_overlap_methods_parse("blocking@all", &methods);
    return rc ? rc : measure_alone(overlap, setup, n, &methods, seconds);
}

int overlap_measure_least(const struct overlap *overlap, const struct overlap_setup *setup, int n, double *seconds,
                          char method[CW_NBC_SHARING_SIZE])
{
    struct cw_overlap_methods methods;
    double times[CW_OVERLAP_METHODS] = {0};
    int rc = cw_overlap_methods_parse("blocking@all,native@all,native-yield@all", &methods);
    if (!rc) rc = measure_alone(overlap, setup, n, &methods, times);
    if (rc) return rc;
    const size_t least = cw_overlap_least(times, methods.n);
    *seconds = times[least];
    memcpy(method, methods.items[least].name, CW_NBC_SHARING_SIZE);
    return 0;
}

struct cw_nbc_site overlap_site(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    return cw_nbc_site_of(library);
}
