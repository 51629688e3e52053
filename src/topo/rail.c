/*
 * Rail-optimised clusters of GPUs: the generators, distances and the bisection by formula. GPU i of a node belongs to
 * rail i mod r: the port that is nearest to it.
 *
 * `nvl72` is such a cluster, whose nodes are racks: NVIDIA's GB200 NVL72 has 18 hosts of 4 GPUs in one NVLink domain,
 * where each GPU has 900 GB/s in a direction, and a NIC of 400 Gbit/s beside each GPU. GPUs with the same place in
 * their racks are on one rail, as in rail-only clusters (Wang et al., "Rail-only: a low-cost high-performance network
 * for training LLMs with trillion parameters", 2024).
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/option.h"
#include "base/saturate.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "topo/formulas_internal.h"
#include "topo/topology.h"

#define MAX_PORTS 65535

struct parameters {
    int64_t n, g, r, l, s;
    double nvlink;
};

#define COUNT(NAME, FIELD, HELP)                                                                                       \
    .name = NAME, .type = CW_OPTION_INT, .offset = offsetof(struct parameters, FIELD), .min = 1, .max = MAX_PORTS,     \
    .positional = true, .required = true, .help = HELP

#define PODS(HELP)                                                                                                     \
    {                                                                                                                  \
        .name = "pods", .type = CW_OPTION_INT, .offset = offsetof(struct parameters, l), .default_text = "1",          \
        .min = 1, .max = MAX_PORTS, .help = HELP                                                                       \
    }

#define SPINES(NODES)                                                                                                  \
    {                                                                                                                  \
        .name = "spines", .type = CW_OPTION_INT, .offset = offsetof(struct parameters, s), .max = MAX_PORTS,           \
        .help = "spine switches, each with a cable to every leaf (0: none, for one pod only; rails are then "          \
                "connected through the " NODES " only)"                                                                \
    }

static const struct cw_option options[] = {
    {COUNT("nodes", n, "nodes of the cluster")},
    {COUNT("gpus", g, "GPUs of a node, which are the endpoints, connected by its NVLink switch")},
    {COUNT("rails", r, "network ports of a node, each on its own rail")},
    PODS("pods, each with the same number of nodes; a leaf switch is one rail of one pod"),
    SPINES("nodes"),
    {.name = "nvlink",
     .type = CW_OPTION_RATE,
     .offset = offsetof(struct parameters, nvlink),
     .help = "capacity of the link from a GPU to its NVLink switch (0: that of the network's links)"},
    {.name = NULL}};

static const struct cw_option rack_options[] = {
    {COUNT("racks", n, "racks, each an NVLink domain of 72 GPUs, which are the endpoints")},
    PODS("pods, each with the same number of racks; a leaf switch is one rail of one pod"),
    SPINES("racks"),
    {.name = "nvlink",
     .type = CW_OPTION_RATE,
     .offset = offsetof(struct parameters, nvlink),
     .default_text = "900GB/s",
     .min = 1,
     .max = 1e18,
     .help = "capacity of the link from a GPU to the NVLink switches of its rack, which are one here"},
    {.name = NULL}};

/* --- the generator ------------------------------------------------------------------------------------------------ */

/* NAME and NODES are what a cluster and its nodes are called. */
static int shape_of(const char *name, const char *nodes, const struct parameters *parameters, struct cw_rail *out)
{
    const int64_t n = parameters->n, l = parameters->l;
    const int64_t node = parameters->g + parameters->r, leaf = n / l + parameters->s, spine = l * parameters->r;
    const int64_t ports = node > leaf ? node : leaf;
    if (n % l != 0)
        return cw_fail(CW_EUSAGE, "%s: %" PRId64 " %s cannot be divided into %" PRId64 " equal pods", name, n, nodes,
                       l);
    if (l > 1 && parameters->s == 0)
        return cw_fail(CW_EUSAGE, "%s: %" PRId64 " pods are not joined without spines; expected spines=1 or more", name,
                       l);
    if (ports > MAX_PORTS || (parameters->s > 0 && spine > MAX_PORTS))
        return cw_fail(CW_EUSAGE, "%s: switches of %" PRId64 " ports; at most %d are possible", name,
                       ports > spine ? ports : spine, MAX_PORTS);
    if (parameters->nvlink < 0) return cw_fail(CW_EUSAGE, "%s: nvlink must not be negative", name);
    *out = (struct cw_rail){.n = (uint32_t)n,
                            .g = (uint32_t)parameters->g,
                            .r = (uint32_t)parameters->r,
                            .l = (uint32_t)l,
                            .s = (uint32_t)parameters->s};
    return 0;
}

static uint64_t cables(const struct cw_rail *rail)
{
    return (uint64_t)rail->n * rail->g + (uint64_t)rail->n * rail->r +
           cw_saturating_multiply((uint64_t)rail->l * rail->r, rail->s);
}

static int build_cluster(const char *name, const char *nodes, const struct parameters *parameters,
                         const struct cw_link *link, struct cw_network **net)
{
    struct cw_shape shape = {.kind = &cw_shape_rail};
    const struct cw_rail *rail = &shape.rail;
    const int rc = shape_of(name, nodes, parameters, &shape.rail);
    if (rc) return rc;
    struct cw_builder *builder = cw_builder_new(cw_shape_endpoints(&shape), cw_shape_switches(&shape), cables(rail));
    const uint32_t m = rail->n / rail->l, node = rail->n * rail->g, leaf = node + rail->n;
    const uint32_t spine = leaf + rail->l * rail->r;
    const double nvlink = parameters->nvlink > 0 ? parameters->nvlink : link->capacity;
    cw_builder_shape(builder, &shape);
    for (uint32_t i = 0; i < rail->n && !cw_builder_failed(builder); i++) {
        for (uint32_t j = 0; j < rail->g; j++)
            cw_builder_cable(builder, i * rail->g + j, 1, node + i, j + 1, nvlink, link->latency);
        for (uint32_t j = 0; j < rail->r; j++)
            cw_builder_cable(builder, node + i, rail->g + j + 1, leaf + i / m * rail->r + j, i % m + 1, link->capacity,
                             link->latency);
    }
    for (uint32_t i = 0; i < rail->l * rail->r && !cw_builder_failed(builder); i++)
        for (uint32_t k = 0; k < rail->s; k++)
            cw_builder_cable(builder, leaf + i, m + k + 1, spine + k, i + 1, link->capacity, link->latency);
    return cw_builder_finish(builder, net);
}

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    return build_cluster("rail", "nodes", values, link, net);
}

static int build_racks(const void *values, const struct cw_link *link, struct cw_network **net)
{
    struct parameters parameters = *(const struct parameters *)values;
    parameters.g = parameters.r = 72;
    return build_cluster("nvl72", "racks", &parameters, link, net);
}

/* --- formulas ----------------------------------------------------------------------------------------------------- */

/* GPUs of a node are 2 apart, by its switch; of a pod 4, by a leaf; of two pods 6, by a spine. */
static int distances(const struct cw_network *net, const struct cw_shape *shape, struct cw_distances *out)
{
    const struct cw_rail *rail = &shape->rail;
    const double g = rail->g, m = rail->n / rail->l, n = net->n_endpoints;
    out->diameter = rail->l > 1 ? 6 : m > 1 ? 4 : g > 1 ? 2 : 0;
    out->mean_distance = n > 1 ? (2 * (g - 1) + 4 * (m - 1) * g + 6 * (rail->l - 1.0) * m * g) / (n - 1) : 0;
    return 0;
}

/* All traffic in or out of a node can be spread evenly over its rails, and that of a pod over its leaves and all their
 * cables to spines: as in a fat tree (xgft.c), the narrowest level decides, if half the GPUs are whole nodes
 * or pods of it. */
static int bisection(const struct cw_network *net, const struct cw_shape *shape, double *out)
{
    const struct cw_rail *rail = &shape->rail;
    const uint32_t half = net->n_endpoints / 2, pod = rail->n / rail->l * rail->g;
    const double shares[] = {1, (double)rail->r / rail->g, (double)rail->r * rail->s / pod};
    const uint32_t below[] = {1, rail->g, pod};
    const size_t levels = rail->l > 1 ? 3 : rail->n > 1 ? 2 : 1;
    double least = shares[0];
    bool whole = true;
    for (size_t i = 1; i < levels; i++) {
        const bool divides = half % below[i] == 0;
        whole = shares[i] < least ? divides : whole || (shares[i] <= least && divides);
        if (shares[i] < least) least = shares[i];
    }
    *out = least * half;
    return whole;
}

static const struct cw_formulas formulas = {.shape = &cw_shape_rail,
                                            .distances = distances,
                                            .bisection = bisection,
                                            .bisection_how = "by formula: GPUs, nodes or pods of the narrowest level"};

static const char *const examples[] = {
    "rail:4,4,4", "rail:4,4,2,pods=2,spines=2", "rail:6,3,2,pods=3,spines=1", "rail:2,8,8,spines=2", "rail:1,4,1",
    NULL};

const struct cw_topology cw_topology_rail = {
    .name = "rail",
    .help = "A rail-optimised cluster: NODES nodes, each with GPUS GPUs behind an NVLink switch and RAILS network "
            "ports; port i of all nodes of a pod is on one leaf switch",
    .synopsis = "rail:NODES,GPUS,RAILS[,pods=P,spines=S][,nvlink=RATE]",
    .examples = examples,
    .options = options,
    .size = sizeof(struct parameters),
    .formulas = &formulas,
    .build = build,
};

static const char *const rack_examples[] = {"nvl72:2", NULL};

const struct cw_topology cw_topology_nvl72 = {
    .name = "nvl72",
    .help =
        "Racks of 72 GPUs, as NVIDIA's GB200 NVL72: one NVLink domain a rack, with 900 GB/s a GPU, and a NIC of 400 "
        "Gbit/s for each GPU, on the rail of its place in the rack",
    .synopsis = "nvl72:RACKS[,pods=P,spines=S][,nvlink=RATE]",
    .examples = rack_examples,
    .options = rack_options,
    .size = sizeof(struct parameters),
    .formulas = &formulas,
    .capacity = 50e9,
    .build = build_racks,
};
