/*
 * A topology as a plug-in: N rungs of a ladder, two switches with an endpoint each.
 *     cc -shared -fPIC $(pkg-config --cflags crosswind) own_topology.c -o ladder.so
 *     crosswind topo --plugin ladder.so ladder:4
 */
#include <crosswind.h>

struct ladder {
    int64_t rungs;
};

static const struct cw_option options[] = {{.name = "rungs",
                                            .type = CW_OPTION_INT,
                                            .offset = offsetof(struct ladder, rungs),
                                            .min = 1,
                                            .max = 1 << 20,
                                            .positional = true,
                                            .required = true,
                                            .help = "rungs of the ladder"},
                                           {.name = NULL}};

/* Endpoint e is at switch e; the switches of rung r are 2r and 2r + 1. */
static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    const uint32_t n = 2 * (uint32_t)((const struct ladder *)values)->rungs;
    struct cw_builder *builder = cw_builder_new(n, n, 3 * (uint64_t)n);
    for (uint32_t i = 0; i < n && !cw_builder_failed(builder); i++) {
        const uint32_t here = n + i;
        cw_builder_cable(builder, i, 0, here, 0, link->capacity, link->latency);
        if (i % 2 == 0) cw_builder_cable(builder, here, 0, here + 1, 0, link->capacity, link->latency);
        if (i + 2 < n) cw_builder_cable(builder, here, 0, here + 2, 0, link->capacity, link->latency);
    }
    return cw_builder_finish(builder, net);
}

static const char *const examples[] = {"ladder:1", "ladder:4", NULL};

static const struct cw_topology ladder = {.name = "ladder",
                                          .help = "A ladder of N rungs: two rows of switches with an endpoint each",
                                          .synopsis = "ladder:N",
                                          .examples = examples,
                                          .options = options,
                                          .size = sizeof(struct ladder),
                                          .build = build};

CW_PLUGIN
{
    return cw_topology_register(&ladder);
}
