#include "base/option.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "topo/formulas_internal.h"
#include "topo/topology.h"

struct crossbar {
    int64_t endpoints;
};

static const struct cw_option options[] = {{.name = "endpoints",
                                            .type = CW_OPTION_INT,
                                            .offset = offsetof(struct crossbar, endpoints),
                                            .value_name = "N",
                                            .min = 1,
                                            .max = UINT32_MAX,
                                            .positional = true,
                                            .required = true,
                                            .help = "endpoints of the switch"},
                                           {.name = NULL}};

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    const struct crossbar *crossbar = values;
    const uint64_t n = (uint64_t)crossbar->endpoints;
    struct cw_builder *builder = cw_builder_new(n, 1, n);
    const struct cw_shape shape = {.kind = &cw_shape_crossbar};
    cw_builder_shape(builder, &shape);
    for (uint64_t i = 0; i < n && !cw_builder_failed(builder); i++)
        cw_builder_cable(builder, (uint32_t)i, 0, (uint32_t)n, 0, link->capacity, link->latency);
    return cw_builder_finish(builder, net);
}

static int distances(const struct cw_network *net, const struct cw_shape *shape, struct cw_distances *out)
{
    (void)shape;
    out->diameter = net->n_endpoints > 1 ? 2 : 0;
    out->mean_distance = out->diameter;
    return 0;
}

static int bisection(const struct cw_network *net, const struct cw_shape *shape, double *channels)
{
    (void)shape;
    *channels = net->n_endpoints / 2;
    return 1;
}

static const struct cw_formulas formulas = {.shape = &cw_shape_crossbar,
                                            .distances = distances,
                                            .bisection = bisection,
                                            .bisection_how = "by formula: half the endpoints"};

static const char *const examples[] = {"crossbar:1", "crossbar:2", "crossbar:16", NULL};

const struct cw_topology cw_topology_crossbar = {
    .name = "crossbar",
    .help = "One switch with N endpoints: an ideal network, with contention at endpoints only",
    .synopsis = "crossbar:N",
    .examples = examples,
    .options = options,
    .size = sizeof(struct crossbar),
    .formulas = &formulas,
    .build = build,
};
