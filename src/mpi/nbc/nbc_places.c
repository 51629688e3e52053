#include "mpi/nbc/nbc_places.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* What rank 0 knows of the file. */
struct known {
    int rc;
    bool any;
    struct cw_nbc_trees trees;
};

static void say(const struct cw_nbc_settings *settings, const struct cw_nbc_fabric *fabric, int known, int n_ranks)
{
    if (known == 0)
        fprintf(stderr, "crosswind-nbc: %s knows none of these hosts\n", settings->fabric);
    else
        fprintf(stderr,
                "crosswind-nbc: hosts of %d of %d ranks pass on messages as is predicted to be fastest for %s, "
                "routed by %s (%s)%s\n",
                known, n_ranks, *fabric->network ? fabric->network : "a network",
                *fabric->routes ? fabric->routes : "unknown routes", settings->fabric,
                settings->between.by_fabric
                    ? ""
                    : "; sums of floating-point numbers and the like by the order of ranks (CROSSWIND_NBC_HOSTS)");
}

/* A file that the user names must be there and be right; what is kept is left out if it is not. */
static void read_fabric(const struct cw_nbc_settings *settings, struct cw_nbc_fabric *fabric, struct known *known)
{
    if (!*settings->fabric || (settings->fabric_kept && access(settings->fabric, R_OK) != 0)) return;
    const int rc = cw_nbc_fabric_read(settings->fabric, fabric);
    known->any = !rc;
    known->rc = settings->fabric_kept && rc != CW_ENOMEM ? 0 : rc;
    known->trees = fabric->trees;
    if (rc && !known->rc && settings->verbose)
        fprintf(stderr, "crosswind-nbc: the order of hosts that is kept is not used: %s\n", cw_error_message());
}

/* Rank 0 looks the name of each rank's host up. */
static void look_up(const struct cw_nbc_settings *settings, const struct cw_nbc_fabric *fabric, int n_ranks,
                    const char *names, int *places)
{
    int known = 0;
    for (int rank = 0; rank < n_ranks; rank++) {
        places[rank] = cw_nbc_fabric_place(fabric, names + (size_t)rank * MPI_MAX_PROCESSOR_NAME);
        known += places[rank] >= 0;
    }
    if (settings->verbose) say(settings, fabric, known, n_ranks);
}

/* Collective. */
static int find(const struct cw_nbc_settings *settings, const struct cw_nbc_fabric *fabric, int rank, int n_ranks,
                struct nbc_places *out)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length, failed;
    char *names = rank == 0 ? cw_new_array((size_t)n_ranks, MPI_MAX_PROCESSOR_NAME, "names of hosts") : NULL;
    out->of_world = cw_new_array((size_t)n_ranks, sizeof(int), "places of hosts");
    failed = !out->of_world || (rank == 0 && !names);
    PMPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!failed) {
        PMPI_Get_processor_name(name, &length);
        PMPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (rank == 0) look_up(settings, fabric, n_ranks, names, out->of_world);
        PMPI_Bcast(out->of_world, n_ranks, MPI_INT, 0, MPI_COMM_WORLD);
    }
    free(names);
    return failed ? cw_fail(CW_ENOMEM, "a rank has no memory for the places of hosts") : 0;
}

/* Trees of a network in which none of these hosts is say nothing here. */
static void forget_others(int n_ranks, struct nbc_places *places)
{
    int rank = 0;
    while (rank < n_ranks && places->of_world[rank] < 0) rank++;
    if (rank == n_ranks) nbc_places_free(places);
}

int nbc_places_find(const struct cw_nbc_settings *settings, struct nbc_places *out)
{
    struct cw_nbc_fabric fabric = {.n = 0};
    struct known known = {0};
    int rank, n_ranks;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (rank == 0) read_fabric(settings, &fabric, &known);
    PMPI_Bcast(&known, (int)sizeof known, MPI_BYTE, 0, MPI_COMM_WORLD);
    int rc = known.rc;
    out->trees = known.trees;
    if (!rc && known.any) rc = find(settings, &fabric, rank, n_ranks, out);
    if (!rc && known.any) forget_others(n_ranks, out);
    if (known.rc && rank > 0) cw_fail(rc, "rank 0 could not read %s", settings->fabric);
    cw_nbc_fabric_free(&fabric);
    return rc;
}

void nbc_places_free(struct nbc_places *places)
{
    free(places->of_world);
    *places = (struct nbc_places){.of_world = NULL};
}
