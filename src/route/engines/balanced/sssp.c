/*
 * SSSP routing (Hoefler, Schneider, Lumsdaine, "Optimized routing for large-scale InfiniBand networks", HotI 2009), and
 * DFSSSP, the same routes with virtual lanes that keep them free of deadlocks (Domke, Hoefler, Nagel, "Deadlock-free
 * oblivious routing for arbitrary topologies", IPDPS 2011).
 *
 * For one destination after another the shortest ways are found on which the routes laid before are fewest in sum, over
 * the whole way and the whole fabric: minhop looks at the ports of one switch only. Beyond the papers, routes count as
 * soon as their switch has chosen, not after the whole tree; and all are laid a second time, when the later ones are
 * known.
 */
#include <stddef.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "route/engine.h"
#include "route/engines/balanced/balanced_trees.h"
#include "route/engines/balanced/lane_layers.h"
#include "route/engines/opensm/opensm.h"
#include "route/routes_internal.h"

/* Lays the routes of one destination to the LID behind those of LAID, on other channels if that costs little. */
static void lay_one(struct cw_balanced_trees *trees, uint32_t dst, const struct cw_routes *laid)
{
    for (const struct cw_routes *before = laid; before; before = before->next_lid)
        cw_trees_repeat(trees, dst, before->tables);
    cw_trees_search(trees, dst);
    cw_trees_lay(trees);
    for (const struct cw_routes *before = laid; before; before = before->next_lid)
        cw_trees_lift(trees, dst, before->tables);
}

/* Lays the routes of all destinations; AGAIN: anew, beside those of all others. */
static int lay_all(struct cw_balanced_trees *trees, bool again, const struct cw_routes *laid, struct cw_tables *tables,
                   uint32_t *longest)
{
    int rc = 0;
    for (uint32_t i = 0; i < trees->n_order && rc == 0; i++) {
        if (again) cw_trees_lift(trees, trees->order[i], tables);
        lay_one(trees, trees->order[i], laid);
        cw_trees_enter(trees, tables);
        if (cw_trees_longest(trees) > *longest) *longest = cw_trees_longest(trees);
        rc = cw_interrupt_check();
    }
    return rc;
}

/* The routes to one more LID than LAID has of each endpoint. */
static int add_lid(struct cw_balanced_trees *trees, const char *name, unsigned n_threads, struct cw_routes **laid)
{
    struct cw_tables *tables;
    struct cw_routes *routes;
    uint32_t longest = 0;
    int rc = cw_tables_new(trees->net, &tables);
    if (rc) return rc;
    rc = lay_all(trees, false, *laid, tables, &longest);
    if (rc == 0) rc = lay_all(trees, true, *laid, tables, &longest);
    if (rc) {
        cw_tables_free(tables);
        return rc;
    }
    rc = cw_tables_finish_as(tables, name, longest, n_threads, &routes);
    if (rc) return rc;
    if (*laid)
        cw_routes_add_lid(*laid, routes);
    else
        *laid = routes;
    return 0;
}

static int route(const struct cw_network *net, const char *name, int lmc, unsigned n_threads, struct cw_routes **out)
{
    struct cw_balanced_trees trees;
    struct cw_routes *routes = NULL;
    const uint32_t lids = cw_opensm_lids(net, lmc);
    int rc = cw_trees_new(net, &trees);
    if (rc) return rc;
    for (uint32_t lid = 0; lid < lids && rc == 0; lid++) rc = add_lid(&trees, name, n_threads, &routes);
    cw_trees_free(&trees);
    if (rc)
        cw_routes_free(routes);
    else
        *out = routes;
    return rc;
}

struct parameters {
    int64_t lanes; /* of dfsssp */
    int lmc;
};

static int sssp_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                        struct cw_routes **out)
{
    (void)seed;
    const struct parameters *parameters = values;
    return route(net, "sssp", parameters->lmc, n_threads, out);
}

static const struct cw_option plain_options[] = {CW_OPENSM_LMC(struct parameters, lmc), {.name = NULL}};

const struct cw_engine cw_engine_sssp = {
    .name = "sssp",
    .help = "any network: shortest paths; each is laid where the paths before it are fewest, over its whole length",
    .needs = "any network",
    .options = plain_options,
    .size = sizeof(struct parameters),
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_NONE,
    .compile = sssp_compile};

/* --- with lanes --------------------------------------------------------------------------------------------------- */

static const struct cw_option options[] = {{.name = "lanes",
                                            .type = CW_OPTION_INT,
                                            .offset = offsetof(struct parameters, lanes),
                                            .value_name = "N",
                                            .default_text = "8",
                                            .min = 1,
                                            .max = CW_LANE_DISCARDED,
                                            .help = "virtual lanes that there are; as few as possible are used"},
                                           CW_OPENSM_LMC(struct parameters, lmc),
                                           {.name = NULL}};

static int dfsssp_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                          struct cw_routes **out)
{
    (void)seed;
    const struct parameters *parameters = values;
    struct cw_routes *routes;
    int rc = route(net, "dfsssp", parameters->lmc, n_threads, &routes);
    if (rc) return rc;
    rc = cw_layer_lanes(routes, (uint32_t)parameters->lanes);
    if (rc)
        cw_routes_free(routes);
    else
        *out = routes;
    return rc;
}

const struct cw_engine cw_engine_dfsssp = {
    .name = "dfsssp",
    .help = "any network: the routes of sssp; virtual lanes (service levels) keep them free of deadlocks",
    .needs = "any network",
    .options = options,
    .size = sizeof(struct parameters),
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .compile = dfsssp_compile};
