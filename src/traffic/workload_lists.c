/* Workloads that give each rank several destinations, with a share of its traffic for each. */
#include "base/error.h"
#include "traffic/grid.h"
#include "traffic/matrix.h"
#include "traffic/shares.h"
#include "traffic/workload.h"

enum { PHASE_REMOTE, PHASE_ALL };

static const char *const phases[] = {"remote", "all", NULL};

struct neighbour {
    struct cw_ints grid; /* empty: chosen by the number of ranks */
    int phase;
    bool periodic;
};

static const struct cw_option neighbour_options[] = {
    {.name = "grid",
     .type = CW_OPTION_DIMENSIONS,
     .offset = offsetof(struct neighbour, grid),
     .value_name = "XxYxZ",
     .min = 1,
     .max = UINT32_MAX,
     .positional = true,
     .help = "the grid of ranks, x fastest; by default the most nearly cubic one, the smallest size first; the remote "
             "phase is adversarial only if X·Y is more than h groups of a dragonfly"},
    {.name = "phase",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct neighbour, phase),
     .default_text = "remote",
     .choices = phases,
     .help = "remote: to z + 1 only, the most remote neighbour; all: equal shares for up to six neighbours"},
    {.name = "periodic",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct neighbour, periodic),
     .help = "ranks at opposite faces are neighbours, too"},
    {.name = NULL},
};

static int prepare_neighbour(const void *values, const struct cw_ranks *ranks, struct cw_random *random, void **state)
{
    (void)random;
    const struct neighbour *neighbour = values;
    uint32_t size[CW_GRID_DIMENSIONS];
    int rc = cw_grid_of("neighbour3d", &neighbour->grid, CW_GRID_DIMENSIONS, ranks->n, size);
    if (rc) return rc;
    const bool remote = neighbour->phase == PHASE_REMOTE;
    struct cw_flows flows = {0};
    for (uint32_t i = 0; i < ranks->n; i++)
        for (uint32_t d = remote ? CW_GRID_DIMENSIONS - 1 : 0; d < CW_GRID_DIMENSIONS; d++)
            for (uint32_t down = 0; !rc && down < (remote ? 1 : 2); down++) {
                const uint32_t to = cw_grid_neighbour(size, i, d, down == 0, neighbour->periodic);
                if (to != i) rc = cw_flows_add(&flows, i, to, 1);
            }
    if (!rc && flows.n == 0)
        rc =
            cw_fail(CW_EUSAGE, "neighbour3d: in a grid of %ux%ux%u ranks nobody has a neighbour in the third dimension",
                    size[0], size[1], size[2]);
    return cw_shares_prepare(rc, ranks->n, &flows, state);
}

const struct cw_workload_kind cw_workload_neighbour3d = {
    .name = "neighbour3d",
    .help = "halo exchange in a grid: rank k = x + X·(y + Y·z) sends to its neighbour at z + 1, k + X·Y, or with "
            "phase=all to all six in equal shares; who has no neighbour is silent",
    .options = neighbour_options,
    .size = sizeof(struct neighbour),
    .prepare = prepare_neighbour,
    .release = cw_shares_free,
    .destination = cw_shares_destination,
    .flows = cw_shares_flows,
};

struct matrix {
    char *file;
};

static const struct cw_option matrix_options[] = {
    {.name = "file",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct matrix, file),
     .positional = true,
     .required = true,
     .help = "lines of 'src dst bytes', or CSV of the same; '#' begins a comment"},
    {.name = NULL},
};

static int prepare_matrix(const void *values, const struct cw_ranks *ranks, struct cw_random *random, void **state)
{
    (void)random;
    const struct matrix *matrix = values;
    struct cw_matrix content;
    int rc = cw_matrix_read(matrix->file, ranks, &content);
    if (rc) return rc;
    rc = cw_matrix_check(&content, matrix->file, ranks->n);
    return cw_shares_prepare(rc, ranks->n, &content.flows, state);
}

const struct cw_workload_kind cw_workload_matrix = {
    .name = "matrix",
    .help = "rank src sends to dst in proportion to the bytes that a file has for the two; who sends none is silent",
    .options = matrix_options,
    .size = sizeof(struct matrix),
    .prepare = prepare_matrix,
    .release = cw_shares_free,
    .destination = cw_shares_destination,
    .flows = cw_shares_flows,
};
