#include "route/engines/placed_routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/routes_internal.h"

static const char what[] = "routes of a recognised torus";

/* The switch of endpoint E, or CW_NONE. */
static uint32_t switch_of(const struct cw_network *net, uint32_t e)
{
    if (cw_network_degree(net, e) == 0) return CW_NONE;
    const uint32_t v = net->head[net->first[e]];
    return cw_network_is_endpoint(net, v) ? CW_NONE : v;
}

/* The endpoint of the shape that switch V has. */
static uint32_t node_of(const struct cw_network *net, uint32_t v)
{
    return net->places->place[v] - net->places->ideal->n_endpoints;
}

/* --- nothing missing ---------------------------------------------------------------------------------------------- */

struct carried {
    const struct cw_network *net;
    struct cw_routes *ideal; /* owned */
};

static void carried_free(void *state)
{
    struct carried *carried = state;
    cw_routes_free(carried->ideal);
    free(carried);
}

/* One route, which may begin or end beside the torus. */
static int carry(const struct carried *carried, uint32_t src, uint32_t dst, uint32_t *hops, uint32_t *channels,
                 uint8_t *lanes)
{
    const struct cw_network *net = carried->net;
    const uint32_t from = switch_of(net, src), to = switch_of(net, dst);
    *hops = 0;
    if (src == dst) return 0;
    if (from == CW_NONE || to == CW_NONE) return cw_fail_hole(net, src, dst);
    const uint32_t s = node_of(net, from), d = node_of(net, to);
    if (s != d) {
        const int rc = cw_routes_paths(carried->ideal, 1, &s, &d, hops, channels, lanes);
        if (rc) return rc;
    } else {
        *hops = 2;
        for (uint32_t i = 0; i < 2 && lanes; i++) lanes[i] = 0;
    }
    for (uint32_t i = 1; i + 1 < *hops; i++) channels[i] = net->places->channel[channels[i]];
    channels[0] = net->first[src];
    channels[*hops - 1] = net->twin[net->first[dst]];
    return 0;
}

static int carried_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                         uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    for (size_t i = 0; i < n; i++) {
        const int rc = carry(state, src[i], dst[i], &hops[i], channels, lanes);
        if (rc) return rc;
        const uint32_t step = stride > 0 ? stride : hops[i];
        channels += step;
        if (lanes) lanes += step;
    }
    return 0;
}

static const struct cw_formula formula = {.name = "carried", .paths = carried_paths, .free_state = carried_free};

static int carry_over(struct cw_routes *ideal, const struct cw_network *net, struct cw_routes **out)
{
    struct carried *carried = cw_new_array(1, sizeof *carried, what);
    if (!carried) {
        cw_routes_free(ideal);
        return CW_ENOMEM;
    }
    *carried = (struct carried){net, ideal};
    struct cw_routes *routes;
    const uint32_t max_hops = ideal->max_hops > 2 ? ideal->max_hops : 2;
    int rc = cw_routes_from_formula(net, &formula, carried, max_hops, ideal->lanes, ideal->by_destination, &routes);
    if (rc) return rc;
    free(routes->name);
    routes->name = cw_copy_text(ideal->name, strlen(ideal->name));
    if (!routes->name) {
        cw_routes_free(routes);
        return CW_ENOMEM;
    }
    *out = routes;
    return 0;
}

/* --- gaps --------------------------------------------------------------------------------------------------------- */

struct mending {
    const struct cw_network *net;
    const struct cw_routes *ideal; /* tables */
    struct cw_lft *tables;
    struct worker {
        uint32_t *queue;  /* [switches] */
        uint8_t *arrives; /* [switches] */
    } * worker;
};

/* The channel by which the ideal's tables leave switch V of the network towards the node of switch TO. */
static uint32_t own_channel(const struct mending *mending, uint32_t v, uint32_t to)
{
    const struct cw_places *places = mending->net->places;
    const uint32_t place = places->place[v],
                   port = cw_routes_table_port(mending->ideal, place, node_of(mending->net, to));
    return port == CW_NO_PORT ? CW_NONE : places->channel[places->ideal->first[place] + port];
}

/* The queue begins with the destination's switch. The first round follows ways of the torus back, as far as they are
 * whole; then every switch around that has none goes to the one from which it was met. */
static int mend(void *context, size_t index, unsigned thread)
{
    const struct mending *mending = context;
    const struct cw_network *net = mending->net;
    const uint32_t dst = (uint32_t)index, to = switch_of(net, dst), n_endpoints = net->n_endpoints;
    uint32_t *queue = mending->worker[thread].queue, n = 0;
    uint8_t *arrives = mending->worker[thread].arrives;
    if (to == CW_NONE) return 0;
    for (uint32_t s = 0; s < cw_network_switches(net); s++) arrives[s] = 0;
    cw_lft_set(mending->tables, to, dst, net->twin[net->first[dst]] - net->first[to]);
    arrives[to - n_endpoints] = 1;
    queue[n++] = to;
    for (int mended = 0; mended < 2; mended++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t c = net->first[queue[i]]; c < net->first[queue[i] + 1]; c++) {
                const uint32_t v = net->head[c], back = net->twin[c];
                if (v < n_endpoints || arrives[v - n_endpoints]) continue;
                if (!mended && own_channel(mending, v, to) != back) continue;
                cw_lft_set(mending->tables, v, dst, back - net->first[v]);
                arrives[v - n_endpoints] = 1;
                queue[n++] = v;
            }
    return 0;
}

static int mend_all(struct mending *mending, unsigned n_threads)
{
    const struct cw_network *net = mending->net;
    const unsigned n = cw_parallel_threads(n_threads, net->n_endpoints);
    mending->worker = cw_new_array(n, sizeof *mending->worker, what);
    if (!mending->worker) return CW_ENOMEM;
    int rc = 0;
    for (unsigned i = 0; i < n && rc == 0; i++) {
        struct worker *worker = &mending->worker[i];
        worker->queue = cw_new_array(cw_network_switches(net), sizeof *worker->queue, what);
        worker->arrives = cw_new_array(cw_network_switches(net), sizeof *worker->arrives, what);
        if (!worker->queue || !worker->arrives) rc = CW_ENOMEM;
    }
    if (rc == 0) rc = cw_parallel_for(n_threads, net->n_endpoints, mend, mending);
    for (unsigned i = 0; i < n; i++) {
        free(mending->worker[i].queue);
        free(mending->worker[i].arrives);
    }
    free(mending->worker);
    return rc;
}

static int mend_over(struct cw_routes *ideal, const struct cw_network *net, unsigned n_threads, struct cw_routes **out)
{
    struct cw_routes *tables;
    struct mending mending = {.net = net};
    int rc = cw_routes_to_tables(ideal, n_threads, &tables);
    if (rc == 0) {
        mending.ideal = tables;
        rc = cw_lft_new(net, &mending.tables);
        if (rc == 0) rc = mend_all(&mending, n_threads);
        if (rc == 0)
            rc = cw_lft_finish(mending.tables, ideal->name, out);
        else
            cw_lft_free(mending.tables);
        cw_routes_free(tables);
    }
    cw_routes_free(ideal);
    return rc;
}

int cw_routes_of_places(struct cw_routes *ideal, const struct cw_network *net, unsigned n_threads,
                        struct cw_routes **out)
{
    if (cw_places_have_all_routes(net->places)) return carry_over(ideal, net, out);
    return mend_over(ideal, net, n_threads, out);
}
