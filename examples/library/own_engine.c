/*
 * A routing engine in a program of one's own, which the library then knows by its name: shortest ways, each by the last
 * of the ports that lead there.
 *     own_engine torus:4x4
 */
#include <crosswind.h>
#include <stdio.h>
#include <stdlib.h>

/* DISTANCE[v] of every vertex to DST, in channels; QUEUE has room for all vertices. */
static void search(const struct cw_network *net, uint32_t dst, uint32_t *distance, uint32_t *queue)
{
    uint32_t n = 1;
    for (uint32_t v = 0; v < cw_network_vertices(net); v++) distance[v] = CW_NONE;
    distance[dst] = 0;
    queue[0] = dst;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t port = 0; port < cw_network_degree(net, queue[i]); port++) {
            const uint32_t next = cw_network_head(net, cw_network_first(net, queue[i]) + port);
            if (distance[next] != CW_NONE) continue;
            distance[next] = distance[queue[i]] + 1;
            queue[n++] = next;
        }
}

/* The entries of all switches for DST. */
static void fill(struct cw_lft *tables, const struct cw_network *net, uint32_t dst, const uint32_t *distance)
{
    for (uint32_t v = cw_network_endpoints(net); v < cw_network_vertices(net); v++)
        for (uint32_t port = 0; port < cw_network_degree(net, v); port++)
            if (distance[cw_network_head(net, cw_network_first(net, v) + port)] + 1 == distance[v])
                cw_lft_set(tables, v, dst, port);
}

static int compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                   struct cw_routes **out)
{
    const uint32_t n = cw_network_vertices(net);
    uint32_t *distance = calloc(2 * (size_t)n, sizeof *distance);
    struct cw_lft *tables;
    (void)values, (void)seed, (void)n_threads;
    const int rc = distance ? cw_lft_new(net, &tables) : cw_fail(CW_ENOMEM, "no memory for a search");
    for (uint32_t dst = 0; !rc && dst < cw_network_endpoints(net); dst++) {
        search(net, dst, distance, distance + n);
        fill(tables, net, dst, distance);
    }
    free(distance);
    return rc ? rc : cw_lft_finish(tables, "last-port", out);
}

static const struct cw_engine last_port = {.name = "last-port",
                                           .help = "Shortest ways by the last ports that lead there",
                                           .needs = "any network",
                                           .minimal = true,
                                           .compile = compile};

int main(int argc, char **argv)
{
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    struct cw_reach reach;
    if (argc != 2) return fprintf(stderr, "usage: own_engine NETWORK\n"), 2;
    int rc = cw_engine_register(&last_port);
    if (!rc) rc = cw_network_open(argv[1], &net);
    if (!rc) rc = cw_engine_route(net, "last-port", 1, 1, &routes);
    if (!rc) rc = cw_routes_reach(routes, NULL, UINT64_MAX, 1, &reach);
    if (rc) return fprintf(stderr, "%s\n", cw_error_message()), 1;
    printf("%llu of %llu pairs, %llu of them on shortest ways; %.0f routes on the busiest channel\n",
           (unsigned long long)reach.reached, (unsigned long long)reach.pairs, (unsigned long long)reach.minimal,
           reach.load_max);
    cw_reach_free(&reach);
    cw_routes_free(routes);
    cw_network_free(net);
    return 0;
}
