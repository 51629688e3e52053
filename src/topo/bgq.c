/*
 * Blue Gene/Q partitions by their number of nodes: five-dimensional tori A x B x C x D x E.
 *
 * A node's number is row-major, E fastest. Tori here have dimension 0 fastest, so the dimensions are built in the order
 * E, D, C, B, A, and coordinates in switch names stand in that order. E has size 2 and two cables, as the machine has;
 * published records of data movement merge them into one (`merge2`).
 *
 * Shapes: 512 to 8192 nodes as in the experiments on Mira that this project reproduces; the larger ones are the usual
 * blocks of that machine, 49152 being all of it. Elsewhere the same number of nodes may have another shape (2048 as
 * 4x4x8x8x2), which `torus:2x8x8x4x4,doubled` gives. Blocks below a midplane of 512 are missing on purpose: some of
 * their dimensions of size 2 are pieces of a ring of 4 and have one cable, others two.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/text.h"
#include "topo/torus.h"

#define DIMENSIONS 5

static const struct partition {
    uint32_t nodes, size[DIMENSIONS]; /* A … E */
} partitions[] = {
    {512, {4, 4, 4, 4, 2}},      {1024, {4, 4, 4, 8, 2}},    {2048, {4, 4, 4, 16, 2}},
    {4096, {4, 4, 8, 16, 2}},    {8192, {4, 4, 16, 16, 2}},  {16384, {4, 8, 16, 16, 2}},
    {24576, {4, 12, 16, 16, 2}}, {32768, {8, 8, 16, 16, 2}}, {49152, {8, 12, 16, 16, 2}},
};

#define N_PARTITIONS (sizeof partitions / sizeof *partitions)

struct parameters {
    int64_t nodes;
    bool merge2;
};

static const struct cw_option options[] = {{.name = "nodes",
                                            .type = CW_OPTION_INT,
                                            .offset = offsetof(struct parameters, nodes),
                                            .value_name = "NODES",
                                            .positional = true,
                                            .required = true,
                                            .help = "nodes of the partition: 512, 1024, 2048 ... 49152"},
                                           {.name = "merge2",
                                            .type = CW_OPTION_FLAG,
                                            .offset = offsetof(struct parameters, merge2),
                                            .help = "one cable, not two, in the dimension of size 2"},
                                           {.name = NULL}};

static int fail_unknown(int64_t nodes)
{
    struct cw_text known = {0};
    for (size_t i = 0; i < N_PARTITIONS; i++) cw_text_printf(&known, "%s%u", i ? ", " : "", partitions[i].nodes);
    int rc = cw_text_check(&known);
    if (rc == 0) rc = cw_fail(CW_EUSAGE, "bgq: no partition of %" PRId64 " nodes; there are %s", nodes, known.data);
    cw_text_free(&known);
    return rc;
}

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    const struct parameters *parameters = values;
    for (size_t i = 0; i < N_PARTITIONS; i++) {
        if (partitions[i].nodes != parameters->nodes) continue;
        struct cw_torus torus = {.n = DIMENSIONS, .wrap = true, .doubled = !parameters->merge2};
        for (uint32_t d = 0; d < DIMENSIONS; d++) torus.k[d] = partitions[i].size[DIMENSIONS - 1 - d];
        return cw_torus_build(&torus, link, net);
    }
    return fail_unknown(parameters->nodes);
}

static const char *const examples[] = {"bgq:512", "bgq:512,merge2", NULL};

const struct cw_topology cw_topology_bgq = {
    .name = "bgq",
    .help = "A Blue Gene/Q partition: a five-dimensional torus with links of 2 GB/s, whose nodes are numbered with "
            "dimension E fastest",
    .synopsis = "bgq:NODES[,merge2]",
    .examples = examples,
    .options = options,
    .size = sizeof(struct parameters),
    .capacity = 2e9,
    .formulas = &cw_formulas_torus,
    .build = build,
};
