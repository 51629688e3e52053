#include "study/papers/published_networks.h"

#include <math.h>
#include <stdio.h>

#include "net/network_internal.h"
#include "topo/topology.h"

const struct cw_published_network cw_published_trees[] = {
    {"XGFT(2,12,6)", "xgft(2,12,6)", 144, 18},
    {"XGFT(2,24,12)", "xgft(2,24,12)", 288, 36},
    {"XGFT(3,12,8,12,4)", "xgft(3,12,8,12,4)", 1152, 240},
    {"XGFT(3,12,16,12,8)", "xgft(3,12,16,12,8)", 2304, 480},
    {"XGFT(3,12,24,12,12)", "xgft(3,12,24,12,12)", 3456, 720},
    {"XGFT(4,12,12,6,12,12,3)", "xgft(4,12,12,6,12,12,3)", 10368, 3024},
    {"XGFT(4,12,12,12,12,12,6)", "xgft(4,12,12,12,12,12,6)", 20736, 6048},
    {NULL, NULL, 0, 0},
};

#define SQUARE(k, printed)                                                                                             \
    {                                                                                                                  \
#k "-ary 2-cube", "torus:" #k "x" #k, printed, 0                                                               \
    }
#define CUBE(k, printed)                                                                                               \
    {                                                                                                                  \
#k "-ary 3-cube", "torus:" #k "x" #k "x" #k, printed, 0                                                        \
    }

const struct cw_published_network cw_published_cubes[] = {
    SQUARE(10, 100),    SQUARE(14, 196),  SQUARE(17, 289),  SQUARE(20, 400),  SQUARE(22, 484),  SQUARE(24, 576),
    SQUARE(26, 676),    SQUARE(28, 784),  SQUARE(30, 900),  SQUARE(31, 961),  SQUARE(44, 1936), SQUARE(54, 2916),
    SQUARE(70, 4900),   SQUARE(77, 5929), SQUARE(83, 6889), SQUARE(89, 7921), CUBE(4, 64),      CUBE(5, 125),
    CUBE(6, 216),       CUBE(7, 343),     CUBE(8, 512),     CUBE(9, 728),     CUBE(10, 1000),   CUBE(12, 1728),
    CUBE(14, 2744),     CUBE(15, 3375),   CUBE(17, 4912),   CUBE(18, 5832),   CUBE(19, 6859),   CUBE(20, 8000),
    {NULL, NULL, 0, 0},
};

/* The least and the greatest number of cables between two switches that are joined. */
static void count_cables(const struct cw_network *net, char *out, size_t room)
{
    uint32_t least = UINT32_MAX, greatest = 0;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            uint32_t n = 0;
            if (cw_network_is_endpoint(net, net->head[c])) continue;
            for (uint32_t other = net->first[v]; other < net->first[v + 1]; other++)
                n += net->head[other] == net->head[c];
            if (n < least) least = n;
            if (n > greatest) greatest = n;
        }
    if (least < greatest)
        snprintf(out, room, "%u to %u", least, greatest);
    else
        snprintf(out, room, "%u", greatest);
}

int cw_published_network_size(const struct cw_published_network *network, struct cw_network_size *out)
{
    struct cw_network *net;
    const int rc = cw_topology_build(network->spec, &net);
    if (rc) return rc;
    /* A torus of the generator has endpoints at its switches: what the table counts are the former. */
    out->endpoints = net->n_endpoints;
    out->switches = cw_network_switches(net);
    count_cables(net, out->cables, sizeof out->cables);
    cw_network_free(net);
    return 0;
}

int cw_find_counts(const char *table, const struct cw_published_network *networks, const struct cw_network_size *sizes,
                   size_t n, struct cw_findings *findings)
{
    char misprints[300] = "";
    size_t right = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        const struct cw_published_network *printed = &networks[i];
        const bool endpoints = sizes[i].endpoints == printed->endpoints;
        const bool switches = printed->switches == 0 || sizes[i].switches == printed->switches;
        right += endpoints && switches;
        if (at < sizeof misprints && !endpoints)
            at += (size_t)snprintf(misprints + at, sizeof misprints - at, "; %s has %u endpoints, printed %u",
                                   printed->layout, sizes[i].endpoints, printed->endpoints);
        if (at < sizeof misprints && !switches)
            at += (size_t)snprintf(misprints + at, sizeof misprints - at, "; %s has %u switches, printed %u",
                                   printed->layout, sizes[i].switches, printed->switches);
    }
    const struct cw_finding finding = {.figure = table,
                                       .claim = "the networks have the sizes printed",
                                       .quantity = "rows as printed",
                                       .value = (double)right,
                                       .ci95 = NAN,
                                       .verdict = right == n  ? CW_HOLDS
                                                  : right > 0 ? CW_HOLDS_IN_PART
                                                              : CW_HOLDS_NOT};
    return cw_findings_add(findings, &finding, "%zu of %zu rows are as printed%s", right, n, misprints);
}
