#include "cli/fabric.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "net/selection.h"
#include "route/engine.h"
#include "route/lft.h"
#include "route/paths.h"
#include "route/service_levels.h"
#include "sim/load.h"
#include "topo/recognise.h"
#include "topo/topology.h"

/* Selections that no file names. */
static const char *const selections[] = {"all", "hca", NULL};

const struct cw_option network_argument[] = {
    {.name = "NETWORK",
     .type = CW_OPTION_INPUT,
     .names = &cw_topology_registry,
     .required = true,
     .help = NETWORK_HELP},
    {.name = NULL},
};

const struct cw_option endpoints_options[] = {
    {.name = "input-format",
     .rare = true,
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct routing, input_format),
     .value_name = "FORMAT",
     .names = &cw_reader_registry,
     .help = "read NETWORK as a file of this format (see crosswind help formats), whatever its content looks like"},
    {.name = "node-name-map",
     .rare = true,
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct routing, node_names),
     .value_name = "FILE",
     .help =
         "names for the nodes of an InfiniBand fabric by GUID, as infiniband-diags and OpenSM read them: lines such "
         "as 0x0008f10500200b50 \"leaf 1\""},
    {.name = "endpoints",
     .type = CW_OPTION_INPUT,
     .choices = selections,
     .offset = offsetof(struct routing, endpoints),
     .value_name = "all|hca|FILE|NAMES",
     .help = "endpoints that take part: hca: without aggregation nodes and routers, the default where traffic is sent; "
             "all: with these, the default of diff, route and topo; FILE: those that it names; or names (see crosswind "
             "help names), e.g. node[001-064],login1"},
    {.name = "failed",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct routing, failed),
     .value_name = "ITEM,...",
     .help = "remove these: a switch, an endpoint, a host, A-B (all cables between the two), A>B (in this direction "
             "only; also A/PORT>B, A/PORT>B/PORT), A/PORT, A/PORT-B/PORT, a channel's number, N% of the cables between "
             "switches (drawn by --seed), or a file of such lines; brackets stand for numbers: leaf[01-16]-spine3"},
    {.name = "degraded",
     .rare = true,
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct routing, degraded),
     .value_name = "ITEM=RATE,...",
     .help = "slow down the cables of such items: s2-s7=8Gbit/s, or one direction: s2>s7=8Gbit/s"},
    {.name = NULL},
};

const struct cw_option routing_options[] = {
    {.name = "routing",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct routing, name),
     .value_name = "NAME",
     .names = &cw_engine_registry,
     .help =
         "routing, e.g. dmodk, dor, minhop (see crosswind help routings); by default the one that suits the network"},
    {.name = "lft",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct routing, lft),
     .help = "forwarding tables of the fabric instead of --routing: opensm-lfts.dump, opensm.fdbs, what dump_fts, "
             "dump_lfts or ibroute print, or JSON (route --write-json)"},
    {.name = "repair",
     .rare = true,
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct routing, repair),
     .value_name = "NAME",
     .names = &cw_engine_registry,
     .help = "where the tables of --lft no longer lead to the destination (--failed), use entries of this routing"},
    {.name = "paths",
     .rare = true,
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct routing, paths),
     .help = "explicit paths instead of --routing"},
    {.name = "tables",
     .rare = true,
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct routing, tables),
     .help = "walk the routing's forwarding tables, as switches do, rather than its closed form"},
    {.name = NULL},
};

const struct cw_option levels_options[] = {
    {.name = "path-records",
     .rare = true,
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct routing, path_records),
     .help = "service levels of the paths: opensm-path-records.dump or what saquery -p prints; with --lft and --sl2vl"},
    {.name = "sl2vl",
     .rare = true,
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct routing, sl2vl),
     .help = "virtual lanes of the service levels: opensm-sl2vl.dump or what smpquery sl2vl prints; with --lft and "
             "--path-records"},
    {.name = NULL},
};

static const char *const lids[] = {/* as enum lids has them */
                                   "first", "all", NULL};

const struct cw_option lids_options[] = {
    {.name = "lids",
     .rare = true,
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct routing, lids),
     .default_text = "first",
     .choices = lids,
     .help = "where endpoints have several LIDs (tables with an LMC; minhop:lmc=2), send each message to the first, as "
             "most programs do, or spread it evenly over the routes to all, as libraries do that use several paths: "
             "flit by flit, each packet draws one"},
    {.name = NULL},
};

const struct cw_option nodes_options[] = {
    {.name = "nodes",
     .rare = true,
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct routing, nodes),
     .value_name = "NAME|FILE",
     .names = &cw_machine_registry,
     .help =
         "what is behind the HCAs of hosts: GPUs, which are the endpoints then, with NVLink and PCI Express, as in a "
         "machine of this name (see crosswind help machines), e.g. dgx-h100:pxn, or as the lines of a file say"},
    {.name = NULL},
};

static int check_levels(const struct invocation *invocation)
{
    const bool records = invocation->routing.path_records != NULL, maps = invocation->routing.sl2vl != NULL;
    if (records != maps)
        return cw_fail(CW_EUSAGE, "--path-records and --sl2vl must be given together: a path has a service "
                                  "level, and a port's table gives its lane");
    if (records && !invocation->routing.lft && !invocation_has(invocation, "lft"))
        return cw_fail(CW_EUSAGE, "--path-records and --sl2vl are for the fabric's own tables, --lft");
    return 0;
}

/* Adds the inside of hosts that --nodes describes. */
static int add_nodes(struct invocation *invocation, struct fabric *fabric)
{
    static const char *const of_fabrics[] = {"path-records", "sl2vl", "tables", NULL};
    const struct routing *routing = &invocation->routing;
    if (!routing->nodes) return 0;
    int rc = invocation_refuse(invocation, of_fabrics, "is for a fabric without --nodes");
    if (!rc && routing->lids == LIDS_ALL)
        rc = cw_fail(CW_EUSAGE, "--lids all is for a fabric without --nodes: between GPUs, messages go to first LIDs");
    if (rc) return rc;
    struct cw_network *fabric_alone = fabric->net;
    fabric->net = NULL;
    rc = cw_nodes_add(fabric_alone, routing->nodes, &fabric->net);
    if (rc) return rc;
    const struct cw_nodes *nodes = cw_network_nodes(fabric->net);
    const uint32_t others = fabric->net->n_endpoints - nodes->n_gpus;
    const uint32_t hosts = nodes->n_hosts, without = nodes->n_without, domains = nodes->n_domains - without;
    struct cw_text text = {0};
    cw_text_printf(&text, "By %s, %u host%s ha%s %u GPUs behind %u HCA%s", routing->nodes, hosts, cw_plural(hosts),
                   hosts == 1 ? "s" : "ve", nodes->n_gpus, nodes->n_hcas, cw_plural(nodes->n_hcas));
    if (domains > 0)
        cw_text_printf(&text, ", in %u NVLink domain%s. Inside a domain messages go by NVLink.", domains,
                       cw_plural(domains));
    if (without > 0)
        cw_text_printf(&text, "%s %u host%s no NVLink: inside, messages go by PCI Express.", domains > 0 ? "" : ".",
                       without, without == 1 ? " has" : "s have");
    cw_result_note_text(invocation->result, &text);
    if (others > 0)
        cw_result_note(invocation->result, "%u endpoint%s remain%s as %s: no GPU is behind %s.", others,
                       cw_plural(others), others == 1 ? "s" : "", others == 1 ? "it is" : "they are",
                       others == 1 ? "it" : "them");
    return 0;
}

/* Opens the network with the endpoints WHICH of it. */
static int open_network(struct invocation *invocation, const char *spec_or_file, const char *which,
                        struct fabric *fabric)
{
    *fabric = (struct fabric){0};
    const struct cw_reading how = {.format = invocation->routing.input_format,
                                   .node_names = invocation->routing.node_names};
    int rc = check_levels(invocation);
    if (!rc) rc = cw_network_open_as(&how, spec_or_file, &fabric->net);
    if (!rc) rc = fabric_add_faults(invocation, fabric);
    if (!rc) rc = fabric_note_one_way(invocation, fabric->net);
    if (!rc) rc = add_nodes(invocation, fabric);
    if (!rc) rc = cw_selection_new(fabric->net, which, &fabric->selection);
    return rc;
}

int fabric_open_network(struct invocation *invocation, const char *spec_or_file, struct fabric *fabric)
{
    const char *which = invocation->routing.endpoints;
    return open_network(invocation, spec_or_file, which ? which : "all", fabric);
}

static int open_tables(const struct routing *routing, struct fabric *fabric)
{
    const int rc =
        cw_lft_read_lids(fabric->net, routing->lft, routing->all_lids || routing->lids == LIDS_ALL ? CW_LIDS_MAX : 1,
                         &fabric->report, &fabric->routes);
    fabric->has_report = rc == 0;
    return rc;
}

static int open_routes(struct invocation *invocation, const struct routing *routing, struct fabric *fabric)
{
    const uint64_t seed = (uint64_t)invocation->common.seed;
    const unsigned threads = (unsigned)invocation->common.threads;
    if ((routing->name != NULL) + (routing->lft != NULL) + (routing->paths != NULL) > 1)
        return cw_fail(CW_EUSAGE, "only one of --routing, --lft and --paths can be given");
    if (routing->tables && (routing->lft || routing->paths))
        return cw_fail(CW_EUSAGE, "--tables is for --routing, not for --lft or --paths");
    if (routing->repair && !routing->lft)
        return cw_fail(CW_EUSAGE,
                       "--repair is for the fabric's own tables, --lft; other routes are made for the network "
                       "as it is");
    if (routing->lft) return open_tables(routing, fabric);
    if (routing->paths) return cw_paths_read(fabric->net, routing->paths, seed, &fabric->routes);
    struct cw_routes *tables;
    int rc = cw_engine_route(fabric->net, routing->name, seed, threads, &fabric->routes);
    if (rc || !routing->tables) return rc;
    rc = cw_routes_to_tables(fabric->routes, threads, &tables);
    if (rc) return rc;
    cw_routes_free(fabric->routes);
    fabric->routes = tables;
    return 0;
}

/* What did not match: the kinds of which there is something, then examples. */
static void note_unmatched(struct cw_result *result, const struct cw_lft_report *report)
{
    const struct {
        uint64_t n;
        const char *one, *many;
    } kinds[] = {{report->switches_without_table, "switch without a table", "switches without a table"},
                 {report->switches_unknown, "table of an unknown switch", "tables of unknown switches"},
                 {report->lids_unknown, "unknown LID", "unknown LIDs"},
                 {report->endpoints_without_lid, "endpoint without a LID", "endpoints without a LID"},
                 {report->entries_bad_port, "entry to an unconnected port", "entries to unconnected ports"},
                 {report->holes, "missing entry", "missing entries"}};
    struct cw_text text = {0};
    const char *separator = "Not matched: ";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].n == 0) continue;
        cw_text_printf(&text, "%s%" PRIu64 " %s", separator, kinds[i].n,
                       kinds[i].n == 1 ? kinds[i].one : kinds[i].many);
        separator = ", ";
    }
    cw_text_printf(&text, "%s\n%s", text.length > 0 ? ":" : "Not matched:", report->details.data);
    cw_result_note_text(result, &text);
}

/* What of the tables did not match is said with the result, whatever the verb. */
static void note_report(struct invocation *invocation, const char *file, const struct cw_lft_report *report)
{
    cw_result_note(invocation->result, "%s (%s): %llu entr%s%s for %u switch%s %s read.", file, report->format,
                   (unsigned long long)report->entries, report->entries == 1 ? "y" : "ies",
                   report->lids_most > 1 ? " to first LIDs" : "", report->switches_matched,
                   report->switches_matched == 1 ? "" : "es", report->entries == 1 ? "was" : "were");
    if (report->details.length > 0) note_unmatched(invocation->result, report);
}

int fabric_note_default(struct invocation *invocation, const struct cw_network *net, const char *spec, bool has_lft)
{
    struct cw_text why = {0};
    const char *usual = cw_engine_default(net);
    cw_engine_why(net, &why);
    if (strcmp(spec, usual) != 0)
        cw_text_printf(&why, ", and packets on the routes of %s could wait for one another in a circle", usual);
    const int rc = cw_text_check(&why);
    const char *own = net->generated ? "."
                      : has_lft ? ". The fabric's own may differ; to use them, give --lft FILE: what opensm -D 0x43 "
                                  "--dump_files_dir DIR writes (opensm-lfts.dump), or ibdiagnet (*.fdbs), or dump_fts "
                                  "prints."
                                : ". The fabric's own may differ.";
    if (!rc) cw_result_note(invocation->result, "Routes are by %s, because %s%s", spec, why.data, own);
    cw_text_free(&why);
    return rc;
}

/* Packets of a pair may take several ways: an error, or a sentence. */
static int consider_ways(struct invocation *invocation, const struct cw_routes *routes)
{
    const char *name = cw_routes_name(routes);
    const bool any = cw_routes_by_any_ways(routes);
    if (cw_routes_kind(routes) != CW_ROUTES_WAYS) return 0;
    if (invocation->verb->one_route) {
        char engine[64];
        snprintf(engine, sizeof engine, "%.*s", (int)strcspn(name, ":"), name);
        return cw_fail(CW_EUSAGE, "%s is for %s", name, cw_engine_use(cw_registry_find(&cw_engine_registry, engine)));
    }
    if (cw_routes_by_round(routes)) {
        cw_result_note(invocation->result,
                       "%s divides the messages of each round over %s so that the busiest channel is "
                       "done as early as possible, to %d %%. %s are not done earlier. A "
                       "message takes as long as the busiest channel on any of its paths.",
                       name, any ? "any paths through switches" : "their shortest paths", any ? 2 : 1,
                       any ? "Switches that also send packets by longer paths, whatever they know,"
                           : "Switches that choose by their queues");
        return 0;
    }
    cw_result_note(invocation->result,
                   "%s sends the packets of one message over several paths. Each channel carries the expected share of "
                   "each message, and a message takes as long as the busiest channel on any of its paths.",
                   name);
    if (cw_routes_by_traffic(routes))
        cw_result_note(invocation->result,
                       "The share of minimal packets is the one with the least time of the busiest channel, found anew "
                       "for the messages of every round.");
    return 0;
}

/* Gives tables the lanes that their service levels mean. */
static int add_levels(struct invocation *invocation, struct fabric *fabric)
{
    const char *path_records = invocation->routing.path_records, *sl2vl = invocation->routing.sl2vl;
    struct cw_service_levels *levels;
    if (!path_records) return 0;
    int rc = cw_service_levels_read(fabric->net, path_records, sl2vl, &levels);
    if (!rc) rc = cw_routes_set_service_levels(fabric->routes, levels);
    if (rc || invocation->verb->lanes || invocation->routing.deferred) return rc;
    const uint32_t lanes = cw_routes_lanes(fabric->routes);
    cw_result_note(
        invocation->result,
        "The service levels put the packets on %u virtual lane%s. The lanes of a channel share its bandwidth, "
        "so they change no figure here; crosswind route checks whether they prevent deadlocks.",
        lanes, cw_plural(lanes));
    return 0;
}

/* Has the packets of a message take the routes to all LIDs of its destination. */
static int spread_over_lids(struct invocation *invocation, struct fabric *fabric)
{
    const uint32_t n = cw_routes_lids(fabric->routes);
    const bool by_shares = invocation->verb->routes && !invocation->routing.deferred;
    if (n == 1) {
        cw_result_note(invocation->result, "Each endpoint has one LID: --lids all changes nothing.");
        return 0;
    }
    cw_result_note(
        invocation->result,
        "Each endpoint has %u LIDs. The packets of a message are spread evenly over the routes to all of them%s.", n,
        by_shares ? ", and it takes as long as the busiest channel on any" : ": each draws the one that it is sent to");
    return cw_routes_over_lids(fabric->routes, &fabric->routes);
}

int fabric_route(struct invocation *invocation, const struct routing *routing, struct fabric *fabric)
{
    int rc = open_routes(invocation, routing, fabric);
    if (!rc) rc = consider_ways(invocation, fabric->routes);
    if (rc) return rc;
    if (invocation->verb->network && !invocation->verb->compares)
        cw_result_set_context(invocation->result, CW_CONTEXT_ROUTES, cw_routes_name(fabric->routes));
    if (fabric->has_report) note_report(invocation, routing->lft, &fabric->report);
    if (routing->lft) {
        const int lost = fabric_repair(invocation, routing, fabric);
        if (lost) return lost;
    }
    if (routing->lft) rc = add_levels(invocation, fabric);
    if (!rc && routing->lids == LIDS_ALL) rc = spread_over_lids(invocation, fabric);
    if (rc || !routing_is_default(routing)) return rc;
    return fabric_note_default(invocation, fabric->net, cw_engine_default(fabric->net), true);
}

static void note_lids(struct invocation *invocation, const struct fabric *fabric)
{
    const uint32_t n = fabric->has_report ? fabric->report.lids_most : cw_routes_lids(fabric->routes);
    if (n > 1 && invocation->routing.lids == LIDS_FIRST)
        cw_result_note(invocation->result, "Each endpoint has %u LIDs. The routes are those to the first.", n);
}

/* How many endpoints are no hosts: no ranks run there, so they have been left out. */
static void note_no_hosts(struct invocation *invocation, const struct cw_network *net)
{
    uint32_t aggregation = 0, routers = 0;
    for (uint32_t v = 0; net->identity && v < net->n_endpoints; v++) {
        aggregation += net->identity[v].kind == CW_KIND_AGGREGATION;
        routers += net->identity[v].kind == CW_KIND_ROUTER;
    }
    if (aggregation > 0)
        cw_result_note(invocation->result,
                       "%u of %u endpoints %s and neither send%s nor receive%s. --endpoints all "
                       "includes them.",
                       aggregation, net->n_endpoints,
                       aggregation == 1 ? "is an aggregation node inside a switch"
                                        : "are aggregation nodes inside switches",
                       aggregation == 1 ? "s" : "", aggregation == 1 ? "s" : "");
    if (routers > 0)
        cw_result_note(invocation->result,
                       "%u of %u endpoints %s and neither send%s nor receive%s. --endpoints all includes them.",
                       routers, net->n_endpoints, routers == 1 ? "is a router" : "are routers", routers == 1 ? "s" : "",
                       routers == 1 ? "s" : "");
}

/* The endpoints that take part unless the user says which. */
static const char *usual_endpoints(const struct invocation *invocation)
{
    return invocation->verb->reports_holes || invocation->routing.named ? "all" : "hca";
}

int fabric_open(struct invocation *invocation, const char *spec_or_file, struct fabric *fabric)
{
    const char *given = invocation->routing.endpoints, *usual = usual_endpoints(invocation);
    int rc = open_network(invocation, spec_or_file, given ? given : usual, fabric);
    if (!rc && !given && strcmp(usual, "hca") == 0) note_no_hosts(invocation, fabric->net);
    if (!rc) rc = fabric_leave_cut_off(invocation, fabric);
    if (!rc && fabric->selection->n < fabric->net->n_endpoints)
        cw_result_note(invocation->result, "%u of %u endpoints take part. The routes are those of the whole network.",
                       fabric->selection->n, fabric->net->n_endpoints);
    if (!rc && !invocation->verb->compares) {
        cw_result_set_context(invocation->result, CW_CONTEXT_NETWORK, fabric->net->title);
        cw_result_set_context_number(invocation->result, CW_CONTEXT_ENDPOINTS, fabric->selection->n);
    }
    if (rc || !invocation->verb->routes || invocation->routing.deferred) return rc;
    rc = fabric_route(invocation, &invocation->routing, fabric);
    if (!rc) note_lids(invocation, fabric);
    return rc;
}

int fabric_cut(struct invocation *invocation, struct fabric *fabric)
{
    struct cw_network *cut;
    if (fabric->selection->n == fabric->net->n_endpoints) return 0;
    cw_result_note(invocation->result, "%u of %u endpoints are left. The others are removed with their cables.",
                   fabric->selection->n, fabric->net->n_endpoints);
    int rc = cw_selection_cut(fabric->net, fabric->selection, &cut);
    if (rc) return rc;
    cw_network_free(fabric->net);
    cw_selection_free(fabric->selection);
    fabric->net = cut;
    fabric->selection = NULL;
    rc = cw_network_recognise(cut);
    if (rc) return rc;
    return cw_selection_new(cut, "all", &fabric->selection);
}

const char *fabric_count(const struct cw_network *net, const struct cw_selection *selection, char *buffer)
{
    const uint32_t n = selection->n, all = net->n_endpoints;
    if (n == all)
        snprintf(buffer, FABRIC_COUNT_SIZE, "%u endpoints", all);
    else
        snprintf(buffer, FABRIC_COUNT_SIZE, "%u of %u endpoints", n, all);
    return buffer;
}

#define SPEEDS_SIZE 80

/* "8 Gbit/s to 32 Gbit/s", the capacities of NET's channels, or NULL where they are all alike; BUFFER has SPEEDS_SIZE.
 */
static const char *unlike_speeds(const struct cw_network *net, char *buffer)
{
    double slowest, fastest;
    char from[32], to[32];
    cw_network_capacities(net, &slowest, &fastest);
    if (slowest >= fastest) return NULL;
    snprintf(buffer, SPEEDS_SIZE, "%s to %s", cw_format_rate(slowest, from, sizeof from),
             cw_format_rate(fastest, to, sizeof to));
    return buffer;
}

void fabric_note_speeds(struct cw_result *result, const struct cw_network *net, bool equal)
{
    char range[SPEEDS_SIZE], rate[32];
    const char *speeds = unlike_speeds(net, range);
    if (speeds && equal)
        cw_result_note(result, "Capacities range from %s, but all channels count as equally fast (--equal-speeds).",
                       speeds);
    else if (speeds)
        cw_result_note(result,
                       "Capacities range from %s. 1 stands for the fastest cable of an endpoint, %s; the messages on a "
                       "channel share its own.",
                       speeds, cw_format_rate(cw_load_reference(net), rate, sizeof rate));
}

void fabric_free(struct fabric *fabric)
{
    cw_selection_free(fabric->asked);
    cw_selection_free(fabric->selection);
    cw_routes_free(fabric->routes);
    free(fabric->faults.items);
    free(fabric->changes);
    cw_network_free(fabric->net);
    cw_text_free(&fabric->report.details);
    *fabric = (struct fabric){0};
}

/* --- what a check for deadlocks found, in words ------------------------------------------------------------------- */

const char *routes_origin(const struct routing *routing, const struct cw_network *net)
{
    if (routing->lft || routing->paths) return "read";
    return routing_is_default(routing) && !net->generated ? "assumed" : "made";
}

void deadlock_note(struct invocation *invocation, const struct cw_network *net, const struct cw_deadlock *deadlock)
{
    const bool assumed = strcmp(routes_origin(&invocation->routing, net), "assumed") == 0;
    if (deadlock->acyclic && !deadlock->sampled && deadlock->first_lids) {
        cw_result_note(invocation->result,
                       "The routes to the first LID of each endpoint are free of deadlocks: their channel-dependency "
                       "graph over (channel, lane) has no cycle. Those to further LIDs are not looked at, because only "
                       "the service levels of the first LIDs are read.");
        return;
    }
    if (deadlock->acyclic && !deadlock->sampled && deadlock->lanes_unknown) {
        cw_result_note(
            invocation->result,
            "Deadlock-free: the channel-dependency graph has no cycle even if all routes share one lane, so it "
            "has none whatever their service levels are.");
        return;
    }
    if (deadlock->acyclic && !deadlock->sampled) {
        cw_result_note(invocation->result, "%s: the channel-dependency graph over (channel, lane) has no cycle.",
                       assumed ? "The routes that are assumed here, not the fabric's own, are free of deadlocks"
                               : "Deadlock-free");
        return;
    }
    if (deadlock->acyclic) {
        cw_result_note(invocation->result,
                       "No cycle was found among the dependencies of a sample of the routes. This does not prove that "
                       "the routes are free of deadlock.");
        return;
    }
    struct cw_text cycle = {0};
    char name[512];
    for (uint32_t i = 0; i < deadlock->cycle_length; i++) {
        cw_text_printf(&cycle, "\n  %s", cw_network_channel_name(net, deadlock->cycle[i], name, sizeof name));
        if (!deadlock->lanes_unknown) cw_text_printf(&cycle, " lane %u", (unsigned)deadlock->cycle_lanes[i]);
    }
    if (deadlock->lanes_unknown)
        cw_result_note(
            invocation->result,
            "Whether the routes can deadlock is unknown, because no service levels are given (--path-records "
            "and --sl2vl). If all routes shared one lane, each of these channels could wait for the next, "
            "and the last for the first:%s",
            cycle.data ? cycle.data : "");
    else
        cw_result_note(invocation->result,
                       "%s: each of these channels %s wait for the next, and the last for the first:%s",
                       assumed ? "The routes that are assumed here, not the fabric's own, are not free of deadlocks"
                               : "Not deadlock-free",
                       assumed ? "could" : "can", cycle.data ? cycle.data : "");
    cw_text_free(&cycle);
}
