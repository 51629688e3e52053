/* The messages of a file. */
#include "traffic/matrix.h"
#include "traffic/pattern.h"

struct parameters {
    char *file;
    struct cw_matrix matrix;
};

static const struct cw_option matrix_options[] = {
    {.name = "file",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct parameters, file),
     .positional = true,
     .required = true,
     .help = "file with lines 'src dst bytes', or the same as CSV; '#' begins a comment (doc/formats/matrix.md)"},
    {.name = NULL},
};

static int prepare_matrix(void *values, const struct cw_ranks *ranks)
{
    struct parameters *parameters = values;
    return cw_matrix_read(parameters->file, ranks, &parameters->matrix);
}

static void release_matrix(void *values)
{
    struct parameters *parameters = values;
    cw_flows_free(&parameters->matrix.flows);
}

static int matrix_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    const struct parameters *parameters = values;
    const int rc = cw_matrix_check(&parameters->matrix, parameters->file, n);
    if (!rc) *rounds = 1;
    return rc;
}

static int append_matrix(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                         struct cw_flows *flows)
{
    (void)n;
    (void)round;
    (void)bytes;
    (void)random;
    const struct parameters *parameters = values;
    const struct cw_flows *entries = &parameters->matrix.flows;
    int rc = cw_flows_reserve(flows, entries->n);
    for (size_t i = 0; !rc && i < entries->n; i++)
        rc = cw_flows_add(flows, entries->items[i].src, entries->items[i].dst, entries->items[i].bytes);
    flows->self += entries->self;
    flows->self_bytes += entries->self_bytes;
    return rc;
}

const struct cw_pattern_kind cw_pattern_matrix = {
    .name = "matrix",
    .help = "the messages of a file, each with its own size: rank src sends bytes to rank dst, all in one round",
    .options = matrix_options,
    .size = sizeof(struct parameters),
    .sized = true,
    .prepare = prepare_matrix,
    .release = release_matrix,
    .rounds = matrix_rounds,
    .append = append_matrix,
};
