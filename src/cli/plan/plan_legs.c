#include "cli/plan/plan_legs.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/plan/plan_options.h"
#include "net/network_internal.h"
#include "net/places.h"

static bool is_word(const struct plan_options *values, const char *word)
{
    return values->relays && strcmp(values->relays, word) == 0;
}

bool plan_has_legs(const struct invocation *invocation, const struct fabric *fabric)
{
    const struct plan_options *values = invocation->values;
    const bool anybody = !values->relays || is_word(values, "all");
    if (is_word(values, "switches")) return false;
    return !anybody || !cw_network_node_is_switch(fabric->net);
}

/* --relays switches: as if each endpoint were one with its switch. */
int plan_check_relays(const struct invocation *invocation, const struct cw_network *net)
{
    char name[CW_NAME_SIZE];
    for (uint32_t v = net->n_endpoints; v < net->n_vertices && is_word(invocation->values, "switches"); v++) {
        uint32_t endpoints = 0;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            endpoints += cw_network_is_endpoint(net, net->head[c]);
        if (endpoints != 1)
            return cw_fail(CW_EUSAGE,
                           "--relays switches: %s has %u endpoints, expected one, which relays in the switch's place",
                           cw_network_name(net, v, name, sizeof name), endpoints);
    }
    return 0;
}

int plan_host_limit(const struct invocation *invocation)
{
    static const int host_limits[] = {0, 1, -1}; /* auto, yes, no */
    const struct plan_options *values = invocation->values;
    const int limit = host_limits[values->host_limit];
    return limit == 0 && is_word(values, "switches") ? -1 : limit;
}

/* Those who relay: a selection of the caller's in *OWNED, or that of FABRIC, or nobody. */
static int find_relays(const struct plan_options *values, const struct fabric *fabric,
                       const struct cw_selection **relays, struct cw_selection **owned)
{
    *owned = NULL;
    *relays = NULL;
    if (is_word(values, "none")) return 0;
    *relays = fabric->selection;
    if (!values->relays || is_word(values, "all")) return 0;
    const int rc = cw_selection_new(fabric->net, values->relays, owned);
    *relays = *owned;
    return rc;
}

static int find_ways(const struct invocation *invocation, const struct fabric *fabric, struct cw_leg_ways *ways)
{
    const struct plan_options *values = invocation->values;
    const uint64_t seed = (uint64_t)invocation->common.seed;
    const unsigned threads = (unsigned)invocation->common.threads;
    if (values->lmc > 0 && values->lft)
        return cw_fail(CW_EUSAGE, "--lmc is for networks without tables; the tables of --lft already have their LIDs");
    if (values->lmc > 0 && cw_routes_lids(fabric->routes) > 1)
        return cw_fail(CW_EUSAGE, "--lmc is for routings without LIDs of their own; %s has %u for each endpoint",
                       cw_routes_name(fabric->routes), cw_routes_lids(fabric->routes));
    int rc = cw_leg_ways_add(ways, fabric->routes);
    if (!rc) rc = cw_leg_ways_add_lids(ways, fabric->net, (1u << values->lmc) - 1, seed, threads);
    if (!rc && values->ways) rc = cw_leg_ways_add_list(ways, fabric->net, values->ways, seed, threads);
    return rc;
}

int plan_make_legs(struct invocation *invocation, const struct fabric *fabric, struct cw_plan_case *made)
{
    const struct plan_options *values = invocation->values;
    const struct cw_selection *relays;
    int rc = find_relays(values, fabric, &relays, &made->relays);
    if (!rc) rc = find_ways(invocation, fabric, &made->ways);
    const struct cw_legs_setup setup = {.relays = relays,
                                        .max_relays = (uint32_t)values->max_relays,
                                        .routes = made->ways.routes,
                                        .n_routes = made->ways.n,
                                        .adaptive = made->ways.adaptive};
    if (!rc) rc = cw_legs_make(fabric->net, &made->demands, &setup, (unsigned)invocation->common.threads, &made->legs);
    return rc;
}

void plan_note_legs(struct invocation *invocation, const struct fabric *fabric, const struct cw_plan_case *made)
{
    const struct cw_legs *legs = made->legs;
    if (!legs && cw_network_node_is_switch(fabric->net)) {
        cw_result_note(invocation->result, "Every node may relay, and a path may take any cables: --relays none leaves "
                                           "the network's own routes, --relays FILE names who may.");
        return;
    }
    if (!legs) {
        cw_result_note(invocation->result,
                       "Assumed as asked for (--relays switches): every switch relays and copies at any rate, past its "
                       "endpoint's cable, and a path may take any cables. Only nodes of Blue Gene do; "
                       "elsewhere endpoints relay (--relays all).");
        return;
    }
    char ways[128] = "";
    if (legs->setup.n_routes > 1) snprintf(ways, sizeof ways, ", %zu ways a pair", legs->setup.n_routes);
    if (legs->setup.adaptive) strcat(ways, ", or adaptively by any shortest way, as suits the plan best");
    if (legs->n_relays == 0)
        cw_result_note(invocation->result, "No endpoint relays: all data take the routes of %s%s.",
                       cw_routes_name(fabric->routes), ways);
    else
        cw_result_note(invocation->result,
                       "Switches forward by the routes of %s%s. %s%u endpoints may relay, at most %u on a path.",
                       cw_routes_name(fabric->routes), ways, legs->n_relays == fabric->selection->n ? "All " : "",
                       legs->n_relays, legs->setup.max_relays);
}
