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
#include "net/network_internal.h"
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

/* Everything that is needed to choose ports. */
struct dnup {
    struct cw_opensm opensm;
    struct cw_updown updown;
};

static int open_dnup(const struct cw_network *net, const struct options *options, struct dnup *dnup)
{
    uint32_t *leaves = NULL, n = 0;
    *dnup = (struct dnup){.opensm = {.net = NULL}};
    int rc = find_leaves(net, &leaves, &n);
    if (rc == 0) rc = cw_updown_open(net, CW_UPDOWN_DOWN_FIRST, leaves, n, &dnup->updown);
    if (rc == 0) rc = cw_opensm_open(net, "dnup", &options->opensm, false, &dnup->opensm);
    if (rc == 0) rc = cw_updown_search_by(&dnup->updown, &dnup->opensm);
    free(leaves);
    return rc;
}

static void free_dnup(struct dnup *dnup)
{
    cw_opensm_free(&dnup->opensm);
    cw_updown_free(&dnup->updown);
}

static int dnup_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                        struct cw_routes **out)
{
    (void)seed;
    struct dnup dnup;
    int rc = open_dnup(net, values, &dnup);
    if (rc == 0) rc = cw_opensm_tables(&dnup.opensm, n_threads, out);
    free_dnup(&dnup);
    return rc;
}

static int dnup_to_switches(const struct cw_network *net, const void *values, const struct cw_routes *routes,
                            unsigned n_threads, uint8_t *ports)
{
    struct dnup dnup;
    int rc = open_dnup(net, values, &dnup);
    if (rc == 0) rc = cw_opensm_to_switches(&dnup.opensm, routes, n_threads, ports);
    free_dnup(&dnup);
    return rc;
}

static const struct cw_option options[] = {CW_OPENSM_OPTIONS(struct options), {.name = NULL}};

const struct cw_engine cw_engine_dnup = {
    .name = "dnup",
    .opensm = "dnup",
    .help = "any network: paths that lead away from the switches with endpoints, then back; OpenSM's tables",
    .needs = "a network with one cable at each endpoint",
    .options = options,
    .size = sizeof(struct options),
    .deadlock_freedom = CW_CLAIM_NONE,
    .accepts = cw_opensm_accepts,
    .compile = dnup_compile,
    .to_switches = dnup_to_switches};
