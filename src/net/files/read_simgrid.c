/*
 * Platforms of SimGrid: one zone whose routes, each of one link, are the cables between hosts and routers. Zones that
 * list whole routes (Full), and clusters, which SimGrid generates, are no graphs of cables.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "net/files/formats_internal.h"
#include "net/files/ib_scan.h"
#include "net/files/named_graph.h"
#include "net/files/xml.h"

struct link {
    double bandwidth, latency;
    bool split;         /* each direction has the bandwidth */
    unsigned long line; /* of the route that uses it in this direction; 0: none does */
    unsigned long back;
};

struct simgrid {
    struct cw_named_graph graph;
    struct cw_name_table *link_ids;
    struct link *links;
    size_t n_links, links_capacity;
    unsigned long shared; /* the first route over a link that both directions share; 0: none does */
    /* the route that is open */
    struct cw_named_cable cable;
    unsigned long line;
    unsigned n; /* links of it */
};

/* --- values ------------------------------------------------------------------------------------------------------- */

struct unit {
    const char *name;
    double factor;
};

/* The attribute NAME of ELEMENT, which must be there. */
static int need(const struct simgrid *simgrid, unsigned long line, const char *element, const char *const *attributes,
                const char *name, const char **value)
{
    *value = cw_xml_attribute(attributes, name);
    return *value ? 0
                  : cw_fail_at(simgrid->graph.file, line, "<%s> without %s, expected %s=\"…\"", element, name, name);
}

/* "125MBps" by UNITS, of which the first is that of a bare number and the last has no name; at least 0. */
static int get_quantity(const struct simgrid *simgrid, unsigned long line, const char *name, const char *value,
                        const struct unit *units, const char *example, double *out)
{
    char *end;
    const double number = strtod(value, &end);
    const struct unit *unit = units;
    while (*end && unit->name && strcmp(unit->name, end) != 0) unit++;
    if (end == value || !unit->name || !isfinite(number) || number < 0)
        return cw_fail_at(simgrid->graph.file, line, "%s '%.60s', expected a number with a unit, as %s", name, value,
                          example);
    *out = number * unit->factor;
    return 0;
}

static const struct unit rates[] = {{"Bps", 1},
                                    {"kBps", 1e3},
                                    {"MBps", 1e6},
                                    {"GBps", 1e9},
                                    {"TBps", 1e12},
                                    {"KiBps", 1 << 10},
                                    {"MiBps", 1 << 20},
                                    {"GiBps", 1 << 30},
                                    {"bps", 1 / 8.0},
                                    {"kbps", 1e3 / 8},
                                    {"Mbps", 1e6 / 8},
                                    {"Gbps", 1e9 / 8},
                                    {"Tbps", 1e12 / 8},
                                    {"Kibps", 1024 / 8.0},
                                    {"Mibps", 1048576 / 8.0},
                                    {"Gibps", 1073741824 / 8.0},
                                    {NULL, 0}};
static const struct unit times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}, {NULL, 0}};

/* --- elements ----------------------------------------------------------------------------------------------------- */

static int begin_zone(const struct simgrid *simgrid, unsigned long line, const char *element,
                      const char *const *attributes)
{
    static const char *const graphs[] = {"Dijkstra", "DijkstraCache", "Floyd"};
    const char *routing;
    const int rc = need(simgrid, line, element, attributes, "routing", &routing);
    for (size_t i = 0; !rc && i < 3; i++)
        if (strcmp(routing, graphs[i]) == 0) return 0;
    return rc ? rc
              : cw_fail_at(simgrid->graph.file, line,
                           "routing '%.60s', in which routes do not tell which cables there "
                           "are; expected Dijkstra, DijkstraCache or Floyd",
                           routing);
}

/* The specification of what SimGrid would generate, where we have the same. */
static int fail_cluster(const struct simgrid *simgrid, unsigned long line, const char *const *attributes)
{
    const char *topology = cw_xml_attribute(attributes, "topology"),
               *given = cw_xml_attribute(attributes, "topo_parameters");
    const char *like = "a topology of Crosswind (crosswind help topologies)";
    if (topology && strcmp(topology, "FAT_TREE") == 0)
        like = "xgft:h:m1,m2,…:w1,w2,…:u1,u2,…, where u are w times the last list of topo_parameters";
    else if (topology && strcmp(topology, "TORUS") == 0)
        like = "torus:AxBxC";
    else if (!topology || strcmp(topology, "FLAT") == 0)
        like = "crossbar:HOSTS";
    return cw_fail_at(simgrid->graph.file, line, "a cluster%s%.60s%s%.60s, which SimGrid generates; give %s instead",
                      topology ? " " : "", topology ? topology : "", given ? " " : "", given ? given : "", like);
}

static int begin_vertex(struct simgrid *simgrid, unsigned long line, const char *element, const char *const *attributes)
{
    const char *id;
    const uint32_t next = cw_name_table_count(simgrid->graph.names);
    uint32_t vertex;
    int rc = need(simgrid, line, element, attributes, "id", &id);
    if (!rc) rc = cw_named_graph_vertex(&simgrid->graph, line, id, strlen(id), &vertex);
    if (!rc && vertex != next)
        rc = cw_fail_at(simgrid->graph.file, line, "a second host or router '%.60s', expected each id once", id);
    if (!rc) simgrid->graph.roles[vertex] = *element == 'h' ? CW_NAMED_ENDPOINT : CW_NAMED_SWITCH;
    return rc;
}

static int begin_link(struct simgrid *simgrid, unsigned long line, const char *const *attributes)
{
    const char *id, *bandwidth, *latency = cw_xml_attribute(attributes, "latency");
    const char *policy = cw_xml_attribute(attributes, "sharing_policy");
    struct link link = {.latency = 0};
    uint32_t number;
    int rc = need(simgrid, line, "link", attributes, "id", &id);
    if (!rc) rc = need(simgrid, line, "link", attributes, "bandwidth", &bandwidth);
    if (!rc) rc = get_quantity(simgrid, line, "bandwidth", bandwidth, rates, "125MBps or 10Gbps", &link.bandwidth);
    if (!rc && latency) rc = get_quantity(simgrid, line, "latency", latency, times, "50us", &link.latency);
    link.split = policy && strcmp(policy, "SPLITDUPLEX") == 0;
    if (!rc && policy && !link.split && strcmp(policy, "SHARED") != 0)
        rc = cw_fail_at(simgrid->graph.file, line, "sharing_policy '%.60s', expected SPLITDUPLEX or SHARED", policy);
    if (!rc) rc = cw_name_table_add(simgrid->link_ids, id, strlen(id), &number);
    if (!rc && number < simgrid->n_links)
        rc = cw_fail_at(simgrid->graph.file, line, "a second link '%.60s', expected each id once", id);
    if (!rc)
        rc = cw_grow_array((void **)&simgrid->links, &simgrid->links_capacity, simgrid->n_links + 1, sizeof link,
                           "links");
    if (!rc) simgrid->links[simgrid->n_links++] = link;
    return rc;
}

static int find_end(const struct simgrid *simgrid, unsigned long line, const char *const *attributes, const char *name,
                    uint32_t *vertex)
{
    const char *id;
    const int rc = need(simgrid, line, "route", attributes, name, &id);
    if (rc) return rc;
    *vertex = cw_name_table_find(simgrid->graph.names, id, strlen(id));
    return *vertex != CW_NONE
               ? 0
               : cw_fail_at(simgrid->graph.file, line, "a route of '%.60s', which is no host and no router above", id);
}

static int begin_route(struct simgrid *simgrid, unsigned long line, const char *const *attributes)
{
    const char *symmetrical = cw_xml_attribute(attributes, "symmetrical");
    simgrid->cable = (struct cw_named_cable){
        .one_way = symmetrical && (strcmp(symmetrical, "NO") == 0 || strcmp(symmetrical, "no") == 0)};
    simgrid->line = line;
    simgrid->n = 0;
    int rc = find_end(simgrid, line, attributes, "src", &simgrid->cable.a);
    if (!rc) rc = find_end(simgrid, line, attributes, "dst", &simgrid->cable.b);
    return rc;
}

/* A link is one cable, so that one route uses it in each direction. */
static int use_link(struct simgrid *simgrid, unsigned long line, const char *const *attributes)
{
    const char *id, *direction = cw_xml_attribute(attributes, "direction");
    int rc = need(simgrid, line, "link_ctn", attributes, "id", &id);
    if (rc) return rc;
    const uint32_t number = cw_name_table_find(simgrid->link_ids, id, strlen(id));
    if (number == CW_NONE)
        return cw_fail_at(simgrid->graph.file, line, "the link '%.60s', which is not defined above", id);
    struct link *link = &simgrid->links[number];
    const bool down = link->split && direction && strcmp(direction, "DOWN") == 0;
    unsigned long *used = down ? &link->back : &link->line;
    if (*used > 0 || (!simgrid->cable.one_way && (link->line > 0 || link->back > 0)))
        return cw_fail_at(simgrid->graph.file, line,
                          "the link '%.60s' is in the route of line %lu, too; expected a link "
                          "for each cable",
                          id,
                          *used > 0        ? *used
                          : link->line > 0 ? link->line
                                           : link->back);
    *used = simgrid->line;
    if (!simgrid->cable.one_way) link->line = link->back = simgrid->line;
    if (!link->split && !simgrid->cable.one_way && simgrid->shared == 0) simgrid->shared = simgrid->line;
    simgrid->n++;
    simgrid->cable.capacity = simgrid->cable.back_capacity = link->bandwidth;
    simgrid->cable.latency = simgrid->cable.back_latency = link->latency;
    return 0;
}

static int on_begin(void *context, unsigned long line, const char *element, const char *text,
                    const char *const *attributes)
{
    struct simgrid *simgrid = context;
    (void)text;
    if (strcmp(element, "zone") == 0 || strcmp(element, "AS") == 0)
        return begin_zone(simgrid, line, element, attributes);
    if (strcmp(element, "host") == 0 || strcmp(element, "router") == 0)
        return begin_vertex(simgrid, line, element, attributes);
    if (strcmp(element, "link") == 0) return begin_link(simgrid, line, attributes);
    if (strcmp(element, "route") == 0) return begin_route(simgrid, line, attributes);
    if (strcmp(element, "link_ctn") == 0) return use_link(simgrid, line, attributes);
    if (strcmp(element, "cluster") == 0) return fail_cluster(simgrid, line, attributes);
    static const char *const refused[] = {"zoneRoute", "ASroute", "bypassRoute", "bypassZoneRoute", "bypassASroute",
                                          "include",   "cabinet", "peer",        "host_link",       "backbone"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(element, refused[i]) == 0)
            return cw_fail_at(simgrid->graph.file, line, "<%s>, expected one zone of hosts, routers, links and routes",
                              element);
    return 0;
}

static int on_end(void *context, unsigned long line, const char *element, const char *text)
{
    struct simgrid *simgrid = context;
    (void)line;
    (void)text;
    if (strcmp(element, "route") != 0) return 0;
    if (simgrid->n != 1)
        return cw_fail_at(simgrid->graph.file, simgrid->line, "a route of %u links, expected one, which is a cable",
                          simgrid->n);
    return cw_named_graph_cable(&simgrid->graph, simgrid->line, &simgrid->cable);
}

/* --- the network -------------------------------------------------------------------------------------------------- */

static int read_network(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                        struct cw_network **net)
{
    (void)names; /* refused: names_nodes is not set */
    static const struct cw_xml_handlers handlers = {on_begin, on_end};
    struct simgrid simgrid = {.graph = {.file = file, .ways_count = true}};
    struct cw_builder *builder;
    int rc = cw_named_graph_open(&simgrid.graph);
    if (!rc) rc = cw_name_table_new(&simgrid.link_ids);
    if (!rc) rc = cw_xml_read(file, data, length, &handlers, &simgrid);
    if (!rc && simgrid.graph.n_cables == 0) rc = cw_fail_at(file, 0, "no route, expected one for each cable");
    if (!rc) rc = cw_named_graph_build(&simgrid.graph, &builder);
    if (!rc) rc = cw_builder_finish(builder, net);
    if (!rc && simgrid.shared > 0)
        cw_inputs_remark(file, simgrid.shared,
                         "Both directions share the bandwidth of this link in SimGrid, and perhaps "
                         "of others (SHARED); here each has all of it.");
    cw_named_graph_free(&simgrid.graph);
    cw_name_table_free(simgrid.link_ids);
    free(simgrid.links);
    return rc;
}

static bool recognises(const char *data, size_t length)
{
    return cw_xml_is(data, length, "platform");
}

const struct cw_reader cw_reader_simgrid = {
    .name = "simgrid",
    .help = "A platform of SimGrid: one zone with routing Dijkstra or Floyd, whose routes are cables.",
    .recognises = recognises,
    .read = read_network};
