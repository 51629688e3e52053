#include "flow/paths/live_arcs.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static uint32_t add_arcs(const struct cw_flow_problem *problem, uint32_t v, bool to_endpoints,
                         struct cw_live_arcs *arcs)
{
    const struct cw_network *net = problem->net;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        if (!(problem->capacity[c] > 0) || cw_network_is_endpoint(net, net->head[c]) != to_endpoints) continue;
        arcs->head[arcs->n_arcs] = net->head[c];
        arcs->channel[arcs->n_arcs++] = c;
    }
    return arcs->n_arcs;
}

static void pack_out(const struct cw_flow_problem *problem, struct cw_live_arcs *arcs)
{
    for (uint32_t v = 0; v < arcs->n_vertices; v++) {
        arcs->first[v] = arcs->n_arcs;
        arcs->switch_end[v] = add_arcs(problem, v, false, arcs);
        const uint32_t degree = add_arcs(problem, v, true, arcs) - arcs->first[v];
        if (degree > arcs->max_degree) arcs->max_degree = degree;
    }
    arcs->first[arcs->n_vertices] = arcs->n_arcs;
}

/* Of parallel channels one is enough. A channel's twin leads back to its tail. */
static void pack_in(const struct cw_flow_problem *problem, struct cw_live_arcs *arcs)
{
    const struct cw_network *net = problem->net;
    uint32_t n = 0;
    for (uint32_t v = 0; v < arcs->n_vertices; v++) {
        arcs->into[v] = n;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t u = net->head[c];
            const bool again = n > arcs->into[v] && arcs->from[n - 1] == u;
            if (cw_network_is_endpoint(net, u) || again || !(problem->capacity[net->twin[c]] > 0)) continue;
            arcs->from[n++] = u;
        }
    }
    arcs->into[arcs->n_vertices] = n;
}

int cw_live_arcs_make(const struct cw_flow_problem *problem, struct cw_live_arcs *out)
{
    const size_t n = problem->net->n_vertices, m = problem->net->n_channels;
    struct cw_live_arcs arcs = {
        .n_vertices = problem->net->n_vertices,
        .first = cw_new_array(n + 1, sizeof *arcs.first, "searches"),
        .switch_end = cw_new_array(n, sizeof *arcs.switch_end, "searches"),
        .head = cw_new_array(m, sizeof *arcs.head, "searches"),
        .channel = cw_new_array(m, sizeof *arcs.channel, "searches"),
        .into = cw_new_array(n + 1, sizeof *arcs.into, "searches"),
        .from = cw_new_array(m, sizeof *arcs.from, "searches"),
    };
    if (!arcs.first || !arcs.switch_end || !arcs.head || !arcs.channel || !arcs.into || !arcs.from) {
        cw_live_arcs_free(&arcs);
        return CW_ENOMEM;
    }
    pack_out(problem, &arcs);
    pack_in(problem, &arcs);
    *out = arcs;
    return 0;
}

void cw_live_arcs_free(struct cw_live_arcs *arcs)
{
    if (!arcs) return;
    free(arcs->first);
    free(arcs->switch_end);
    free(arcs->head);
    free(arcs->channel);
    free(arcs->into);
    free(arcs->from);
    *arcs = (struct cw_live_arcs){0};
}
