/*
 * Down-up routing of any network with the tables of OpenSM's dnup, for networks with endpoints nearer to the roots than
 * some switches: switches are ranked by their distance from those that have endpoints, and paths go away from these
 * first and then back only, but may always pass to a switch of the same rank, which can deadlock. Each switch spreads
 * the destinations over its ports as minhop does.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engine.h"
#include "route/engines/opensm/updown.h"

struct options {
    struct cw_opensm_options opensm;
};

/* The switches with endpoints, into *LEAVES, which is the caller's. */
static int find_leaves(const struct cw_network *net, uint32_t **leaves, uint32_t *n)
{
    *leaves = cw_new_array(cw_network_switches(net), sizeof **leaves, "switches with endpoints");
    if (!*leaves) return CW_ENOMEM;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        uint32_t c = net->first[v];
        while (c < net->first[v + 1] && !cw_network_is_endpoint(net, net->head[c])) c++;
        if (c < net->first[v + 1]) (*leaves)[(*n)++] = v;
    }
    return 0;
}

static int dnup_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                        struct cw_routes **out)
{
    (void)seed;
    const struct options *options = values;
    struct cw_opensm opensm = {.net = NULL};
    struct cw_updown updown = {.net = NULL};
    uint32_t *leaves = NULL, n = 0;
    int rc = find_leaves(net, &leaves, &n);
    if (rc == 0) rc = cw_updown_open(net, CW_UPDOWN_DOWN_FIRST, leaves, n, &updown);
    if (rc == 0) rc = cw_opensm_open(net, "dnup", &options->opensm, false, &opensm);
    if (rc == 0) rc = cw_updown_tables(&updown, &opensm, n_threads, out);
    cw_opensm_free(&opensm);
    cw_updown_free(&updown);
    free(leaves);
    return rc;
}

static const struct cw_option options[] = {CW_OPENSM_OPTIONS(struct options), {.name = NULL}};

const struct cw_engine cw_engine_dnup = {
    .name = "dnup",
    .help = "any network: paths that lead away from the switches with endpoints, then back; OpenSM's tables",
    .needs = "a network with one cable at each endpoint",
    .options = options,
    .size = sizeof(struct options),
    .deadlock_freedom = CW_CLAIM_NONE,
    .accepts = cw_opensm_accepts,
    .compile = dnup_compile};
