/* crosswind route: what can be proven of the routes. */
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/fabric.h"
#include "cli/route/route_bounds.h"
#include "cli/route/route_files.h"
#include "net/name_index.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "route/check.h"
#include "sim/quality.h"
#include "traffic/pattern.h"

struct route_options {
    struct route_files files;
    char *traffic, *from, *to;
    int64_t max_pairs;
};

static const struct cw_option options[] = {
    {.name = "traffic",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct route_options, traffic),
     .value_name = "PATTERN",
     .names = &cw_pattern_registry,
     .help = "with --routing min-max-load: make the routes for this traffic (see crosswind help patterns) in all its "
             "rounds, not for all pairs alike; rank i is the i-th endpoint that takes part"},
    {.name = "write",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct route_options, files.tables),
     .help =
         "write the forwarding tables to FILE, in the form that opensm -R file -U FILE loads; entries that no route "
         "uses are filled in, so that every switch can be managed"},
    {.name = "write-json",
     .rare = true,
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct route_options, files.json),
     .help =
         "write the forwarding tables to FILE as JSON, with the service levels if the routes have any; --lft reads it"},
    {.name = "write-path-records",
     .rare = true,
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct route_options, files.records),
     .help = "write the service level of every path to FILE, as an opensm-path-records.dump"},
    {.name = "write-sl2vl",
     .rare = true,
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct route_options, files.sl2vl),
     .help = "write the virtual lanes of the service levels to FILE, as an opensm-sl2vl.dump"},
    {.name = "write-roots",
     .rare = true,
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct route_options, files.roots),
     .help = "write the GUIDs of the top switches, from which the hosts are nearest, to FILE: OpenSM's root_guid_file, "
             "and roots=FILE of updn and ftree"},
    {.name = "write-compute",
     .rare = true,
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct route_options, files.compute),
     .help = "write the GUIDs of the hosts' ports, without aggregation nodes and routers, to FILE: OpenSM's "
             "cn_guid_file, and compute=FILE of ftree"},
    {.name = "from",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct route_options, from),
     .value_name = "ENDPOINT",
     .help = "print the route from this endpoint (a name or GUID) to that of --to, hop by hop"},
    {.name = "to",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct route_options, to),
     .value_name = "ENDPOINT",
     .help = "the endpoint where that route ends"},
    {.name = "max-pairs",
     .rare = true,
     .type = CW_OPTION_INT,
     .offset = offsetof(struct route_options, max_pairs),
     .value_name = "N",
     .default_text = "500000000",
     .min = 1,
     .max = 9e18,
     .help = "check a random sample of this many pairs if there are more and each route must be walked by itself; "
             "routes of dmodk, smodk, dor, bgq and minimal are counted from their structure, forwarding tables by "
             "destination"},
    {.name = NULL},
};

static const struct cw_column summary_columns[] = {
    {"pairs", CW_COLUMN_INT, NULL, "ordered pairs of different endpoints that were checked, of those that take part"},
    {"reached", CW_COLUMN_INT, NULL, "... whose route arrives"},
    {"holes", CW_COLUMN_INT, NULL, "... whose route ends in a missing entry, or at another endpoint"},
    {"loops", CW_COLUMN_INT, NULL, "... whose route never ends"},
    {"minimal", CW_COLUMN_INT, NULL, "... whose route is a shortest one"},
    {"hops_mean", CW_COLUMN_REAL, "hop", "mean length of a route, host channels included"},
    {"hops_max", CW_COLUMN_INT, "hop", "longest route"},
    {"lanes", CW_COLUMN_INT, NULL, "virtual lanes used"},
    {"deadlock_free", CW_COLUMN_TEXT, NULL,
     "whether the channel-dependency graph over (channel, lane) is acyclic; unknown without the fabric's service "
     "levels; unproven if only a part of the routes was looked at"},
    {"dependencies", CW_COLUMN_INT, NULL,
     "edges of that graph, unless lanes that rise along each route prove it without", .detail = true},
    {"routes_are", CW_COLUMN_TEXT, NULL,
     "what all this is said of: read from files; made by the routing that was named, or by a generated network's own; "
     "or "
     "assumed: a fabric's own may differ, and may be free of deadlocks where these are not",
     .detail = true},
};

static const struct cw_column balance_columns[] = {
    {"routes_mean", CW_COLUMN_REAL, NULL, "routes on a channel between switches, all pairs, mean"},
    {"routes_max", CW_COLUMN_REAL, NULL, "routes on the busiest"},
    {"routes_deviation", CW_COLUMN_REAL, NULL, "standard deviation over channels"},
    {"busiest", CW_COLUMN_TEXT, NULL, "that channel"},
};

static const struct cw_column quality_columns[] = {
    {"measure", CW_COLUMN_TEXT, NULL,
     "destinations: of the routes on a channel between switches; ebb: effective bisection bandwidth, one half sending "
     "(uni) or both (bi); shift: every endpoint sends to the one K places further on, and what the slowest channel "
     "takes; alltoall: all shifts, one after another. Endpoints are in the order of the placement switches"},
    {"routes", CW_COLUMN_REAL, NULL, "of these routes; 1 is a message alone on the fastest cable of an endpoint"},
    {"ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval, where it was drawn", .interval = true},
    {"best", CW_COLUMN_REAL, NULL,
     "no forwarding tables can have less, or more bandwidth; this need not be reached. For routes that use no tables: "
     "no routes of their kind"},
};

static const struct cw_column length_columns[] = {
    {"hops", CW_COLUMN_INT, NULL, "length, host channels included"},
    {"routes", CW_COLUMN_INT, NULL, "routes of that length"},
};

static const struct cw_column change_columns[] = {
    {"switch", CW_COLUMN_TEXT, NULL, "a switch whose forwarding table --repair has changed"},
    {"entries", CW_COLUMN_INT, NULL, "its entries that are new, one a destination"},
};

static const struct cw_column hop_columns[] = {
    {"hop", CW_COLUMN_INT, NULL, "number of the hop"}, {"from", CW_COLUMN_TEXT, NULL, "where it leaves"},
    {"port", CW_COLUMN_INT, NULL, "by this port"},     {"to", CW_COLUMN_TEXT, NULL, "where it arrives"},
    {"to_port", CW_COLUMN_INT, NULL, "at this port"},  {"lane", CW_COLUMN_INT, NULL, "virtual lane"},
};

/* ROUTES are those that were checked. DEADLOCK is NULL if that was not found out. */
/* --- routes to the LIDs behind the first of each endpoint (LMC) --------------------------------------------------- */

static const struct cw_column lid_columns[] = {
    {"path_bits", CW_COLUMN_INT, NULL, "which LID of each endpoint: what is added to its first"},
    {"reached", CW_COLUMN_INT, NULL, "pairs whose route to that LID arrives"},
    {"holes", CW_COLUMN_INT, NULL, "... ends in a missing entry, or at another endpoint"},
    {"loops", CW_COLUMN_INT, NULL, "... never ends"},
    {"minimal", CW_COLUMN_INT, NULL, "... is a shortest one"},
    {"hops_mean", CW_COLUMN_REAL, "hop", "mean length of a route, host channels included"},
    {"hops_max", CW_COLUMN_INT, "hop", "longest route"},
    {"routes_max", CW_COLUMN_REAL, NULL, "routes on the busiest channel between switches"},
};

/* The cells reached, holes, loops, minimal, hops_mean and hops_max of a row. */
static void add_reach(struct cw_table *table, const struct cw_reach *reach)
{
    cw_table_row(table, "%lu %lu %lu %lu %g %u", reach->reached, reach->holes, reach->loops, reach->minimal,
                 reach->hops_mean, reach->hops_max);
}

static void add_lid(struct cw_table *table, uint32_t path_bits, const struct cw_reach *reach)
{
    cw_table_int(table, path_bits);
    add_reach(table, reach);
    cw_table_real(table, reach->load_max);
}

static void note_lid_problems(struct invocation *invocation, uint32_t path_bits, const struct cw_reach *reach)
{
    if (reach->holes + reach->loops == 0) return;
    cw_result_note(invocation->result, "To LIDs with path bits %u, the routes leave %llu pair%s unconnected: %s",
                   path_bits, (unsigned long long)(reach->holes + reach->loops), cw_plural(reach->holes + reach->loops),
                   reach->first_problem.data);
    invocation->failed = true;
}

/* Says that DEADLOCK is about all LIDs, unless it is about the first only. */
static void note_lids(struct invocation *invocation, const struct cw_routes *routes, const struct cw_deadlock *deadlock)
{
    if (cw_routes_lids(routes) > 1 && !deadlock->first_lids)
        cw_result_note(invocation->result, "The deadlock check covers the routes to all LIDs together.");
}

/* If there are several: adds a table with a row for each and says what is wrong with those behind the first. FIRST is
 * what was found of the routes to the first, between AMONG (NULL: all). */
static int add_lids(struct invocation *invocation, const struct cw_routes *routes, const struct cw_selection *among,
                    const struct cw_reach *first)
{
    const uint32_t lids = cw_routes_lids(routes);
    struct cw_table *table;
    if (lids == 1) return 0;
    int rc = cw_result_new_detail(invocation->result, "lids", "Routes to each LID", CW_ITEMS(lid_columns), &table);
    if (rc) return rc;
    add_lid(table, 0, first);
    for (uint32_t i = 1; i < lids; i++) {
        struct cw_reach reach;
        rc = cw_routes_reach(cw_routes_to_lid(routes, i), among, 0, (unsigned)invocation->common.threads, &reach);
        if (rc) return rc;
        add_lid(table, i, &reach);
        note_lid_problems(invocation, i, &reach);
        cw_reach_free(&reach);
    }
    return 0;
}

/* --- routes to the first LID, and what all have in common --------------------------------------------------------- */

static int add_summary(struct invocation *invocation, const struct fabric *fabric, const struct cw_routes *routes,
                       const struct cw_reach *reach, const struct cw_deadlock *deadlock)
{
    struct cw_table *table;
    struct cw_text title = {0};
    cw_text_printf(&title, "Routes of %s by %s", fabric->net->title, cw_routes_name(fabric->routes));
    int rc = cw_text_check(&title);
    if (!rc) rc = cw_table_new("routes", title.data, CW_ITEMS(summary_columns), &table);
    cw_text_free(&title);
    if (rc) return rc;
    cw_table_int(table, (int64_t)reach->pairs);
    add_reach(table, reach);
    cw_table_int(table, cw_routes_lanes(routes));
    if (deadlock) {
        cw_table_text(table, cw_deadlock_verdict(deadlock));
        if (deadlock->by_rule)
            cw_table_none(table);
        else
            cw_table_int(table, (int64_t)deadlock->dependencies);
    } else {
        cw_table_none(table);
        cw_table_none(table);
    }
    cw_table_text(table, routes_origin(&invocation->routing, fabric->net));
    return cw_result_add_table(invocation->result, table);
}

static int add_balance(struct invocation *invocation, const struct fabric *fabric, const struct cw_reach *reach)
{
    struct cw_table *table;
    char name[512];
    const int rc = cw_table_new("balance", "Routes on channels between switches", CW_ITEMS(balance_columns), &table);
    if (rc) return rc;
    const uint32_t busiest = reach->load_max_channel;
    cw_table_row(table, "%g %g %g", reach->load_mean, reach->load_max, reach->load_deviation);
    cw_table_text(table, busiest == CW_NONE ? NULL : cw_network_channel_name(fabric->net, busiest, name, sizeof name));
    return cw_result_add_detail(invocation->result, table);
}

static void add_measure(struct cw_table *table, const char *name, const struct cw_quality_measure *measure)
{
    cw_table_row(table, "%s %g %g %g", name, measure->value, measure->ci95, measure->best);
}

static void note_quality(struct cw_result *result, const struct cw_quality *quality)
{
    cw_result_note(result,
                   "Between random halves that both send, a message gets %.0f %% of an endpoint's cable. A shift takes "
                   "the time of %.3g messages there on average, of %.3g at worst%s.",
                   100 * quality->ebb_bi.value, quality->shift.value, quality->worst_shift.value,
                   quality->n_shifts + 1 < quality->endpoints ? " of a random sample" : "");
    if (!isnan(quality->ebb_bi.best))
        cw_result_note(
            result,
            "No forwarding tables can do better than the column best: %.0f %% between halves, %.3g for the mean "
            "shift. It counts what leaves and enters each switch, and distances; it may be out of reach.",
            100 * quality->ebb_bi.best, quality->shift.best);
}

/* Adds the table of measures and their bounds (sim/quality.h) of ROUTES, all of which arrive. */
static int add_quality(struct invocation *invocation, const struct fabric *fabric, const struct cw_routes *routes)
{
    const struct cw_quality_setup setup = {.routes = routes,
                                           .selection = fabric->selection,
                                           .seed = (uint64_t)invocation->common.seed,
                                           .n_threads = (unsigned)invocation->common.threads};
    struct cw_quality quality;
    struct cw_table *table;
    if (fabric->selection->n < 2) return 0;
    int rc = cw_quality_run(&setup, &quality);
    if (!rc)
        rc = cw_result_new_detail(invocation->result, "quality", "What messages feel of the routes",
                                  CW_ITEMS(quality_columns), &table);
    if (rc) return rc;
    add_measure(table, "destinations, mean", &quality.destinations);
    add_measure(table, "destinations, most", &quality.most_destinations);
    add_measure(table, "ebb uni", &quality.ebb_uni);
    add_measure(table, "ebb bi", &quality.ebb_bi);
    add_measure(table, "shift, mean", &quality.shift);
    add_measure(table, "shift, worst", &quality.worst_shift);
    add_measure(table, "alltoall", &quality.alltoall);
    note_quality(invocation->result, &quality);
    return 0;
}

static int add_lengths(struct invocation *invocation, const struct cw_reach *reach)
{
    struct cw_table *table;
    const int rc = cw_table_new("lengths", "Routes by length", CW_ITEMS(length_columns), &table);
    if (rc) return rc;
    for (size_t i = 0; i < sizeof reach->histogram / sizeof *reach->histogram; i++) {
        if (reach->histogram[i] == 0) continue;
        cw_table_int(table, (int64_t)i);
        cw_table_int(table, (int64_t)reach->histogram[i]);
    }
    return cw_result_add_detail(invocation->result, table);
}

/* Of a part of the endpoints, or a sample of the pairs, nothing is known. */
static int add_bounds(struct invocation *invocation, const struct fabric *fabric, const struct cw_reach *reach)
{
    const uint64_t n = fabric->net->n_endpoints;
    return reach->pairs == n * (n - 1) ? route_add_bounds(invocation, fabric, reach->load_max) : 0;
}

static void note_problems(struct invocation *invocation, const struct cw_reach *reach)
{
    if (reach->sampled)
        cw_result_note(invocation->result, "Only a random sample of %llu pairs was checked (see --max-pairs).",
                       (unsigned long long)reach->pairs);
    if (reach->holes + reach->loops == 0) return;
    cw_result_note(invocation->result, "The routes leave %llu pair%s unconnected: %s",
                   (unsigned long long)(reach->holes + reach->loops), cw_plural(reach->holes + reach->loops),
                   reach->first_problem.data ? reach->first_problem.data : "");
    invocation->failed = true;
}

static void note_discarded(struct invocation *invocation, const struct cw_deadlock *deadlock)
{
    if (deadlock->discarded.length == 0) return;
    cw_result_note(invocation->result, "Some packets never arrive: %s.", deadlock->discarded.data);
    invocation->failed = true;
}

/* What a subnet manager would have to write anew. */
static int add_changes(struct invocation *invocation, const struct fabric *fabric)
{
    const struct cw_network *net = fabric->net;
    struct cw_table *table;
    char name[CW_NAME_SIZE];
    if (!fabric->changes) return 0;
    const int rc =
        cw_table_new("changes", "Forwarding tables that the repair has changed", CW_ITEMS(change_columns), &table);
    for (uint32_t v = net->n_endpoints; !rc && v < net->n_vertices; v++) {
        if (fabric->changes[v - net->n_endpoints] == 0) continue;
        cw_table_text(table, cw_network_name(net, v, name, sizeof name));
        cw_table_int(table, (int64_t)fabric->changes[v - net->n_endpoints]);
    }
    return rc ? rc : cw_result_add_detail(invocation->result, table);
}

/* Checks ROUTES: those of FABRIC, or what was written of them. */
static int check(struct invocation *invocation, const struct fabric *fabric, const struct cw_routes *routes)
{
    const struct route_options *values = invocation->values;
    const uint64_t max_pairs = (uint64_t)values->max_pairs;
    const unsigned threads = (unsigned)invocation->common.threads;
    struct cw_reach reach = {0};
    struct cw_deadlock deadlock = {0};
    const struct cw_selection *among = fabric->selection->n < fabric->net->n_endpoints ? fabric->selection : NULL;
    int rc = cw_routes_reach(routes, among, max_pairs, threads, &reach);
    if (rc) return rc;
    const int unknown = cw_routes_deadlock(routes, max_pairs, threads, &deadlock);
    rc = add_summary(invocation, fabric, routes, &reach, unknown ? NULL : &deadlock);
    if (!rc) rc = add_balance(invocation, fabric, &reach);
    if (!rc && reach.holes + reach.loops == 0) rc = add_quality(invocation, fabric, routes);
    if (!rc) rc = add_lengths(invocation, &reach);
    if (!rc) rc = add_changes(invocation, fabric);
    if (!rc) rc = route_add_loads(invocation, fabric->net, reach.load);
    if (!unknown) deadlock_note(invocation, fabric->net, &deadlock);
    if (!unknown) note_lids(invocation, routes, &deadlock);
    if (!unknown && among)
        cw_result_note(
            invocation->result,
            "The deadlock check covers the routes between all endpoints, not only those that take part: the switches "
            "have them all.");
    if (!unknown) note_discarded(invocation, &deadlock);
    if (!unknown && !rc) rc = add_bounds(invocation, fabric, &reach);
    note_problems(invocation, &reach);
    if (!rc) rc = add_lids(invocation, routes, among, &reach);
    cw_reach_free(&reach);
    cw_deadlock_free(&deadlock);
    return unknown ? unknown : rc;
}

/* --- one route --------------------------------------------------------------------------------------------------- */

static int find_endpoint(const struct cw_network *net, const char *option, const char *name, uint32_t *out)
{
    uint32_t v = cw_network_find(net, name);
    if (v == CW_NONE) {
        struct cw_name_index *index;
        int rc = cw_name_index_new(net, &index);
        if (rc) return rc;
        rc = cw_name_index_host_only(index, name, &v);
        cw_name_index_free(index);
        if (rc) return rc == CW_EUSAGE ? cw_fail(rc, "--%s: %s", option, cw_error_message()) : rc;
    }
    if (v == CW_NONE || !cw_network_is_endpoint(net, v))
        return cw_fail(CW_EUSAGE, "--%s %s is not an endpoint of %s", option, name, net->title);
    *out = v;
    return 0;
}

static void add_hop(struct cw_table *table, const struct cw_network *net, uint32_t number, struct cw_hop hop)
{
    char tail[256], head[256];
    cw_table_row(table, "%u %s %u %s %u %u", number, cw_network_name(net, net->tail[hop.channel], tail, sizeof tail),
                 cw_network_port(net, hop.channel), cw_network_name(net, net->head[hop.channel], head, sizeof head),
                 cw_network_port(net, net->twin[hop.channel]), hop.lane);
}

static int print_route(struct invocation *invocation, const struct fabric *fabric)
{
    const struct route_options *values = invocation->values;
    uint32_t src, dst;
    struct cw_table *table;
    struct cw_walk walk = {0};
    static const char *const checking[] = {"max-pairs", NULL};
    if (!values->from || !values->to) return cw_fail(CW_EUSAGE, "--from and --to must be given together");
    int rc = invocation_refuse(invocation, checking, "applies to the check of all routes, not to --from and --to");
    if (!rc) rc = find_endpoint(fabric->net, "from", values->from, &src);
    if (!rc) rc = find_endpoint(fabric->net, "to", values->to, &dst);
    if (!rc) rc = cw_result_new_table(invocation->result, "route", "Route", CW_ITEMS(hop_columns), &table);
    if (rc) return rc;
    rc = cw_walk_begin(&walk, fabric->routes, src, dst);
    while (!rc) {
        struct cw_hop hop;
        const int n = cw_walk_candidates(&walk, &hop, 1);
        if (n <= 0) {
            rc = n;
            break;
        }
        add_hop(table, fabric->net, walk.hops + 1, hop);
        cw_walk_take(&walk, hop);
    }
    cw_walk_end(&walk);
    return rc;
}

static const char *undrawn(const struct invocation *invocation)
{
    const struct route_options *values = invocation->values;
    return values->from || values->to ? "applies to the check of all routes, not to --from and --to" : NULL;
}

static int run(struct invocation *invocation)
{
    static const char *const of_fabrics[] = {"traffic",     "write",       "write-json",    "write-path-records",
                                             "write-sl2vl", "write-roots", "write-compute", NULL};
    const struct route_options *values = invocation->values;
    struct fabric fabric = {0};
    struct cw_routes *written = NULL;
    struct route_traffic traffic = {0};
    invocation->routing.all_lids = true;
    invocation->routing.deferred = values->traffic != NULL;
    int rc =
        invocation->routing.nodes ? invocation_refuse(invocation, of_fabrics, "is for a fabric without --nodes") : 0;
    if (!rc) rc = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!rc && values->traffic) rc = route_for_traffic(invocation, values->traffic, &fabric, &traffic);
    if (!rc) rc = route_files_write(invocation, &values->files, &fabric, &written);
    if (!rc && (values->from || values->to))
        rc = print_route(invocation, &fabric);
    else if (!rc)
        rc = check(invocation, &fabric, written ? written : fabric.routes);
    if (!rc && values->traffic) rc = route_add_traffic(invocation, &fabric, &traffic);
    cw_demands_free(&traffic.demands);
    cw_routes_free(written);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_route = {
    .name = "route",
    .help = "Routes a network, or reads its forwarding tables, and checks them",
    .arguments = network_argument,
    .description =
        "Checks every ordered pair of endpoints: whether the route arrives, how long it is, how the routes spread over "
        "the channels, what messages feel of them, and whether they can deadlock. The exit status is 1 if some pair is "
        "not connected. Tables "
        "that are written are read back, and the checks apply to the files. Tables with loops are not written.",
    .examples = "  crosswind route fabric.ibnetdiscover --lft opensm-lfts.dump\n"
                "  crosswind route torus:8x8x8 --routing dor:lanes=1\n"
                "  crosswind route 'xgft(2,12,6)' --from h0 --to h143\n"
                "  crosswind route dragonfly:4,8,4 --write lfts.dump\n"
                "  crosswind route torus:8x8 --routing min-max-load --traffic bitcomp --write lfts.dump\n",
    .options = options,
    .size = sizeof(struct route_options),
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .reports_holes = true,
    .lanes = true,
    .routes = true,
    .one_route = true,
    .pictures = PICTURES_DECLARED,
    .undrawn = undrawn,
    .run = run,
};
