#include "study/testbed/testbed.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/network_internal.h"
#include "route/lft.h"

#define NODES      (CW_TESTBED_HOSTS + CW_TESTBED_SWITCHES)
#define LEAST_RATE 8000 /* bit/s that tc can limit to with a queue of some packets */

struct planning {
    const struct cw_network *net;
    const struct cw_routes *tables;
    double scale;      /* bit/s for a byte/s of capacity */
    uint32_t *node_of; /* [n_vertices] or CW_NONE */
    uint32_t *link_of; /* [n_channels] or CW_NONE */
    struct cw_testbed *testbed;
};

/* --- names -------------------------------------------------------------------------------------------------------- */

/* The letters, digits and single '-' of NAME. A name that begins with a digit could be taken for an address. */
static void make_host_name(const char *name, char out[CW_TESTBED_NAME_SIZE])
{
    const size_t most = CW_TESTBED_NAME_SIZE - 1 - strlen("-12"); /* room to tell two apart */
    size_t n = 0;
    for (const char *c = name; *c && n < most; c++) {
        const bool plain = isascii(*c) && isalnum((unsigned char)*c);
        if (plain && n == 0 && isdigit((unsigned char)*c)) out[n++] = 'n';
        if (plain)
            out[n++] = (char)tolower((unsigned char)*c);
        else if (n > 0 && out[n - 1] != '-')
            out[n++] = '-';
    }
    while (n > 0 && out[n - 1] == '-') n--;
    if (n == 0) out[n++] = 'n';
    out[n] = 0;
}

static bool name_is_taken(const struct cw_testbed *testbed, const char *name)
{
    for (uint32_t i = 0; i < testbed->n_nodes; i++)
        if (strcmp(testbed->nodes[i].name, name) == 0) return true;
    return strcmp(name, "localhost") == 0;
}

/* --- nodes and routes --------------------------------------------------------------------------------------------- */

static int add_node(struct planning *planning, uint32_t v)
{
    struct cw_testbed *testbed = planning->testbed;
    const bool host = cw_network_is_endpoint(planning->net, v);
    if (!host && testbed->n_nodes == testbed->n_hosts + CW_TESTBED_SWITCHES)
        return cw_fail(CW_ELIMIT,
                       "the routes between these hosts pass more than %d switches; a testbed has no more "
                       "(--endpoints FILE chooses hosts that are closer)",
                       CW_TESTBED_SWITCHES);
    struct cw_testbed_node *node = &testbed->nodes[testbed->n_nodes];
    char name[CW_NAME_SIZE], base[CW_TESTBED_NAME_SIZE];
    make_host_name(cw_network_name(planning->net, v, name, sizeof name), base);
    memcpy(node->name, base, sizeof base);
    for (unsigned i = 2; name_is_taken(testbed, node->name); i++)
        snprintf(node->name, sizeof node->name, "%.60s-%u", base, i % 100);
    node->vertex = v;
    snprintf(node->address, sizeof node->address, "10.78.%u.%u", host ? 0u : 1u,
             (host ? testbed->n_nodes : testbed->n_nodes - testbed->n_hosts) + 1);
    planning->node_of[v] = testbed->n_nodes++;
    return 0;
}

/* The channel by which V sends to DST, or CW_NONE. */
static uint32_t channel_to(const struct planning *planning, uint32_t v, uint32_t dst)
{
    const uint32_t port = cw_routes_table_port(planning->tables, v, dst);
    return port == CW_NO_PORT ? CW_NONE : planning->net->first[v] + port;
}

/* Enters what NODE sends where, and the switches to which it leads. The routes between hosts arrive; an entry that none
 * of them uses may lead into a host, which would pass nothing on. */
static int add_routes_at(struct planning *planning, uint32_t node)
{
    struct cw_testbed *testbed = planning->testbed;
    for (uint32_t host = 0; host < testbed->n_hosts; host++) {
        const uint32_t dst = testbed->nodes[host].vertex;
        const uint32_t channel = node == host ? CW_NONE : channel_to(planning, testbed->nodes[node].vertex, dst);
        if (channel == CW_NONE) continue;
        const uint32_t next = planning->net->head[channel];
        if (next != dst && !cw_network_forwards(planning->net, next)) continue;
        if (planning->node_of[next] == CW_NONE) {
            const int rc = add_node(planning, next);
            if (rc) return rc;
        }
        /* as channels until the links are numbered; marked with a number that links do not have */
        testbed->routes[testbed->n_routes++] = (struct cw_testbed_route){node, host, channel};
        planning->link_of[channel] = planning->link_of[planning->net->twin[channel]] = 0;
    }
    return 0;
}

/* --- links -------------------------------------------------------------------------------------------------------- */

/* The number of NODE's links, which are the last ones. */
static unsigned links_before(const struct cw_testbed *testbed, uint32_t node)
{
    size_t first = testbed->n_links;
    while (first > 0 && testbed->links[first - 1].node == node) first--;
    return (unsigned)(testbed->n_links - first);
}

static int add_link(struct planning *planning, uint32_t node, uint32_t channel)
{
    const struct cw_network *net = planning->net;
    struct cw_testbed *testbed = planning->testbed;
    struct cw_testbed_link *link = &testbed->links[testbed->n_links];
    const double rate = net->capacity[channel] * planning->scale;
    if (cw_network_is_closed(net, channel)) {
        char name[2 * CW_NAME_SIZE + 32];
        return cw_fail(CW_EUSAGE, "channel %s is closed; a testbed's cables work in both directions, as Ethernet's do",
                       cw_network_channel_name(net, channel, name, sizeof name));
    }
    if (rate < LEAST_RATE || rate > 1e12) {
        char name[2 * CW_NAME_SIZE + 32], text[32];
        return cw_fail(
            CW_EUSAGE, "%s would get %s, but rates of a testbed are 8 kbit/s to 1 Tbit/s; choose another --rate",
            cw_network_channel_name(net, channel, name, sizeof name), cw_format_rate(rate / 8, text, sizeof text));
    }
    *link = (struct cw_testbed_link){.node = node, .channel = channel, .rate = (uint64_t)(rate + 0.5)};
    if (node >= testbed->n_hosts)
        snprintf(link->device, sizeof link->device, "p%u", cw_network_port(net, channel));
    else
        snprintf(link->device, sizeof link->device, "eth%u", links_before(testbed, node));
    planning->link_of[channel] = (uint32_t)testbed->n_links++;
    return 0;
}

static int add_links(struct planning *planning)
{
    const struct cw_network *net = planning->net;
    struct cw_testbed *testbed = planning->testbed;
    size_t n = 0;
    for (uint32_t i = 0; i < testbed->n_nodes; i++) n += cw_network_degree(net, testbed->nodes[i].vertex);
    testbed->links = cw_new_array(n, sizeof *testbed->links, "links");
    if (!testbed->links) return CW_ENOMEM;
    int rc = 0;
    for (uint32_t i = 0; i < testbed->n_nodes; i++) {
        const uint32_t v = testbed->nodes[i].vertex;
        for (uint32_t c = net->first[v]; !rc && c < net->first[v + 1]; c++)
            if (planning->link_of[c] != CW_NONE) rc = add_link(planning, i, c);
    }
    if (rc) return rc;
    for (size_t i = 0; i < testbed->n_links; i++)
        testbed->links[i].peer = planning->link_of[net->twin[testbed->links[i].channel]];
    for (size_t i = 0; i < testbed->n_routes; i++) testbed->routes[i].link = planning->link_of[testbed->routes[i].link];
    return 0;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static int check_hosts(const struct cw_routes *routes, const uint32_t *hosts, uint32_t n)
{
    uint32_t src[CW_TESTBED_HOSTS], hops[CW_TESTBED_HOSTS];
    if (n < 2) return cw_fail(CW_EUSAGE, "a testbed has two hosts or more");
    if (n > CW_TESTBED_HOSTS)
        return cw_fail(CW_ELIMIT,
                       "%u hosts are more than one machine can be; expected at most %d (--endpoints FILE "
                       "chooses them)",
                       n, CW_TESTBED_HOSTS);
    if (!cw_routes_by_destination(routes))
        return cw_fail(CW_EUSAGE,
                       "routes by %s depend on the source; a testbed has forwarding tables, which know destinations "
                       "only",
                       cw_routes_name(routes));
    uint32_t *channels = cw_new_array((size_t)n * cw_routes_max_hops(routes), sizeof *channels, "routes");
    int rc = channels ? 0 : CW_ENOMEM;
    for (uint32_t i = 0; !rc && i < n; i++) {
        for (uint32_t j = 0; j < n; j++) src[j] = hosts[i];
        rc = cw_routes_paths(routes, n, src, hosts, hops, channels, NULL);
    }
    free(channels);
    return rc;
}

/* Tables with an entry for every host at every switch, so that switches can answer, too. */
static int find_tables(const struct cw_routes *routes, unsigned n_threads, struct cw_routes **out)
{
    if (cw_routes_kind(routes) == CW_ROUTES_TABLE) return cw_routes_fill_tables(routes, n_threads, out);
    struct cw_routes *tables;
    int rc = cw_routes_to_tables(routes, n_threads, &tables);
    if (rc) return rc;
    rc = cw_routes_fill_tables(tables, n_threads, out);
    cw_routes_free(tables);
    return rc;
}

static int plan_all(struct planning *planning, const uint32_t *hosts, uint32_t n)
{
    struct cw_testbed *testbed = planning->testbed;
    const struct cw_network *net = planning->net;
    planning->node_of = cw_new_array(net->n_vertices, sizeof *planning->node_of, "nodes");
    planning->link_of = cw_new_array(net->n_channels, sizeof *planning->link_of, "links");
    testbed->nodes = cw_new_array(NODES, sizeof *testbed->nodes, "nodes");
    testbed->routes = cw_new_array((size_t)NODES * n, sizeof *testbed->routes, "routes");
    if (!planning->node_of || !planning->link_of || !testbed->nodes || !testbed->routes) return CW_ENOMEM;
    memset(planning->node_of, 0xff, net->n_vertices * sizeof *planning->node_of);
    memset(planning->link_of, 0xff, net->n_channels * sizeof *planning->link_of);
    int rc = 0;
    testbed->n_hosts = n;
    for (uint32_t i = 0; !rc && i < n; i++) rc = add_node(planning, hosts[i]);
    for (uint32_t i = 0; !rc && i < testbed->n_nodes; i++) rc = add_routes_at(planning, i);
    return rc ? rc : add_links(planning);
}

int cw_testbed_plan(const struct cw_routes *routes, const uint32_t *hosts, uint32_t n, double rate, unsigned n_threads,
                    struct cw_testbed *out)
{
    const struct cw_network *net = cw_routes_network(routes);
    struct cw_testbed testbed = {.net = net};
    struct cw_routes *tables;
    double slowest, fastest;
    int rc = check_hosts(routes, hosts, n);
    if (!rc) rc = find_tables(routes, n_threads, &tables);
    if (rc) return rc;
    cw_network_capacities(net, &slowest, &fastest);
    struct planning planning = {.net = net, .tables = tables, .scale = 8 * rate / fastest, .testbed = &testbed};
    rc = plan_all(&planning, hosts, n);
    free(planning.node_of);
    free(planning.link_of);
    cw_routes_free(tables);
    if (rc)
        cw_testbed_free(&testbed);
    else
        *out = testbed;
    return rc;
}

void cw_testbed_free(struct cw_testbed *testbed)
{
    free(testbed->nodes);
    free(testbed->links);
    free(testbed->routes);
    *testbed = (struct cw_testbed){0};
}
