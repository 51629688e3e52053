/* crosswind diff: what has changed in a fabric and its routes. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/diff/diff_tables.h"
#include "cli/fabric.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/lft.h"
#include "route/routes_internal.h"
#include "topo/topology.h"

struct diff_options {
    char *lft, *path_records, *sl2vl;
};

static const struct cw_option options[] = {
    {.name = "before-lft",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct diff_options, lft),
     .help = "forwarding tables of BEFORE; without them BEFORE is routed as AFTER is: by the same --routing or --lft"},
    {.name = "before-path-records",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct diff_options, path_records),
     .help = "service levels of the paths of --before-lft, as --path-records; with --before-sl2vl"},
    {.name = "before-sl2vl",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct diff_options, sl2vl),
     .help = "virtual lanes of these service levels, as --sl2vl; with --before-path-records"},
    {.name = NULL},
};

static const struct cw_option arguments[] = {
    {.name = "BEFORE",
     .type = CW_OPTION_INPUT,
     .names = &cw_topology_registry,
     .required = true,
     .help = "the network as it was: a specification or a file, as NETWORK of crosswind route"},
    {.name = "AFTER",
     .type = CW_OPTION_INPUT,
     .names = &cw_topology_registry,
     .help = "the network as it is; by default BEFORE, where only tables or --failed differ"},
    {.name = NULL},
};

#define MAX_PAIRS UINT64_C(500000000) /* of a check of routes that are no tables */

static int check_options(const struct invocation *invocation)
{
    static const char *const of_fabrics[] = {"before-path-records", "before-sl2vl", NULL};
    const struct diff_options *values = invocation->values;
    const char *const why = "is for a fabric without --nodes";
    const int rc = invocation->routing.nodes ? invocation_refuse(invocation, of_fabrics, why) : 0;
    if (rc) return rc;
    if (!values->path_records != !values->sl2vl)
        return cw_fail(CW_EUSAGE, "--before-path-records and --before-sl2vl must be given together");
    if (values->path_records && !values->lft)
        return cw_fail(CW_EUSAGE, "--before-path-records and --before-sl2vl are for --before-lft");
    return 0;
}

/* Opens BEFORE with the options of AFTER that are not about what has happened since. */
static int open_before(struct invocation *invocation, struct fabric *fabric)
{
    const struct diff_options *values = invocation->values;
    struct invocation before = *invocation;
    struct routing *routing = &before.routing;
    char *usual = NULL;
    routing->failed = routing->degraded = routing->repair = NULL;
    if (values->lft) {
        routing->name = routing->paths = NULL;
        routing->tables = false;
        routing->lft = values->lft;
        routing->path_records = values->path_records;
        routing->sl2vl = values->sl2vl;
    }
    int rc = fabric_open_network(&before, invocation->positional[0], fabric);
    if (!rc && !routing->name && !routing->lft && !routing->paths) {
        usual = routing->name = strdup(cw_engine_default(fabric->net)); /* so that only AFTER's routing is explained */
        if (!usual) rc = cw_fail(CW_ENOMEM, "no memory for the name of a routing");
    }
    if (!rc) rc = fabric_route(&before, routing, fabric);
    free(usual);
    return rc;
}

/* The tables that switches have for the routes of SIDE; where these are between GPUs, such routes over the tables. */
static int make_tables(struct diff_side *side, unsigned threads)
{
    const struct cw_routes *between = cw_routes_of_fabric(side->fabric.routes);
    const struct cw_routes *of_switches = between ? between : side->fabric.routes;
    struct cw_routes *bare, *made;
    side->tables = side->fabric.routes;
    if (cw_routes_kind(of_switches) == CW_ROUTES_TABLE) return 0;
    int rc = cw_routes_to_tables(of_switches, threads, &bare);
    if (rc) return rc;
    rc = cw_routes_fill_tables(bare, threads, &made);
    cw_routes_free(bare);
    if (!rc && between) rc = cw_routes_of_nodes(made, side->fabric.net, &made);
    if (!rc) side->tables = side->made = made;
    return rc;
}

static int compare(const struct invocation *invocation, struct diff *diff)
{
    const unsigned threads = (unsigned)invocation->common.threads;
    int rc = cw_network_match_find(diff->before.fabric.net, diff->after.fabric.net, &diff->match);
    if (!rc) rc = make_tables(&diff->before, threads);
    if (!rc) rc = make_tables(&diff->after, threads);
    if (!rc)
        rc = cw_route_changes_find(diff->before.tables, diff->after.tables, &diff->match, diff->after.fabric.selection,
                                   threads, &diff->changes);
    return rc;
}

/* Loads are those of tables, so that on both sides all routes are counted; lanes are known to the routes alone. */
static int check(const struct invocation *invocation, struct diff_side *side)
{
    const unsigned threads = (unsigned)invocation->common.threads;
    const struct cw_selection *selection = side->fabric.selection;
    const struct cw_selection *among = selection->n < side->fabric.net->n_endpoints ? selection : NULL;
    const int rc = cw_routes_reach(side->tables, among, MAX_PAIRS, threads, &side->reach);
    return rc ? rc : cw_routes_deadlock(side->fabric.routes, MAX_PAIRS, threads, &side->deadlock);
}

static void note_lost(struct invocation *invocation, const struct diff *diff)
{
    const struct cw_network *after = diff->match.after;
    char name[CW_NAME_SIZE];
    uint32_t worst = 0;
    if (diff->changes.pairs.lost == 0) return;
    for (uint32_t dst = 0; dst < after->n_endpoints; dst++)
        if (diff->changes.of[dst].lost > diff->changes.of[worst].lost) worst = dst;
    cw_result_note(invocation->result, "%llu pair%s lost connection, %llu of them to %s.",
                   (unsigned long long)diff->changes.pairs.lost, cw_plural(diff->changes.pairs.lost),
                   (unsigned long long)diff->changes.of[worst].lost, cw_network_name(after, worst, name, sizeof name));
}

/* Tables and counts of pairs are about first LIDs. */
static void note_lids(struct invocation *invocation, const struct diff *diff)
{
    const uint32_t was = cw_routes_lids(diff->before.tables), is = cw_routes_lids(diff->after.tables);
    const struct cw_pair_changes *further = &diff->changes.further;
    if (was != is)
        cw_result_note(
            invocation->result,
            "Endpoints had %u LID%s each before, and now have %u. Only entries for LIDs on both sides are compared.",
            was, cw_plural(was), is);
    if (further->lost > 0)
        cw_result_note(invocation->result, "%llu route%s to further LIDs no longer arrive%s.",
                       (unsigned long long)further->lost, cw_plural(further->lost), further->lost == 1 ? "s" : "");
}

/* What is worse than before. Whether routes can deadlock may not be known: that is said, and no harm. */
static void note_harm(struct invocation *invocation, const struct diff *diff)
{
    const struct cw_reach *reach = &diff->after.reach;
    const struct cw_deadlock *was = &diff->before.deadlock, *is = &diff->after.deadlock;
    note_lost(invocation, diff);
    note_lids(invocation, diff);
    if (reach->loops > diff->before.reach.loops)
        cw_result_note(invocation->result, "%llu route%s now go round in circles; before, %llu did.",
                       (unsigned long long)reach->loops, cw_plural(reach->loops),
                       (unsigned long long)diff->before.reach.loops);
    const bool deadlock = !is->acyclic && was->acyclic && !is->lanes_unknown;
    if (!is->acyclic && was->acyclic) deadlock_note(invocation, diff->after.fabric.net, is);
    invocation->failed = diff->changes.pairs.lost > 0 || diff->changes.further.lost > 0 ||
                         reach->loops > diff->before.reach.loops || deadlock;
}

static int report_changes(struct invocation *invocation, const struct diff *diff)
{
    struct cw_result *result = invocation->result;
    int rc = diff_add_summary(result, diff);
    if (!rc) rc = diff_add_parts(result, diff);
    if (!rc) rc = diff_add_switches(result, diff);
    return rc ? rc : diff_add_destinations(result, diff);
}

static int report_checks(struct invocation *invocation, const struct diff *diff)
{
    int rc = diff_add_channels(invocation->result, diff);
    if (!rc) rc = diff_add_routes(invocation->result, diff);
    if (!rc) note_harm(invocation, diff);
    return rc;
}

static void free_side(struct diff_side *side)
{
    cw_reach_free(&side->reach);
    cw_deadlock_free(&side->deadlock);
    cw_routes_free(side->made);
    fabric_free(&side->fabric);
}

static int run(struct invocation *invocation)
{
    struct diff diff = {0};
    const char *after = invocation->positional[invocation->n_positional - 1];
    int rc = check_options(invocation);
    invocation->routing.all_lids = true;
    if (!rc) rc = open_before(invocation, &diff.before.fabric);
    if (!rc) rc = fabric_open(invocation, after, &diff.after.fabric);
    if (!rc) rc = compare(invocation, &diff);
    if (!rc) rc = report_changes(invocation, &diff); /* before what takes longest, and may be interrupted */
    if (!rc) rc = check(invocation, &diff.before);
    if (!rc) rc = check(invocation, &diff.after);
    if (!rc) rc = report_checks(invocation, &diff);
    cw_route_changes_free(&diff.changes);
    cw_network_match_free(&diff.match);
    free_side(&diff.before);
    free_side(&diff.after);
    return rc;
}

const struct verb verb_diff = {
    .name = "diff",
    .help = "What has changed in a fabric and its routes, from one dump to the next",
    .arguments = arguments,
    .description =
        "Compares two maps of a fabric, their forwarding tables, and the routes that these give: which switches, "
        "endpoints and cables came and went, whose entries changed, whose routes lead elsewhere, which pairs lost "
        "theirs, and which channels carry more. Vertices are the same if their GUIDs are, or, where there are none, "
        "their names; cables, if they join the same ports. BEFORE is read and "
        "routed by the same options as AFTER, without --failed, --degraded and --repair. With --nodes, pairs and loads "
        "are those of GPUs, and entries those of the fabric's tables. The exit status is 1 if pairs "
        "have lost their route, if more "
        "routes loop, or if the routes can deadlock and could not before.",
    .examples =
        "  crosswind diff monday.ibnetdiscover tuesday.ibnetdiscover --before-lft monday.lfts --lft tuesday.lfts\n"
        "  crosswind diff fabric.ibnetdiscover --before-lft monday.lfts --lft tuesday.lfts\n"
        "  crosswind diff fabric.ibnetdiscover --routing ftree --failed leaf02/31\n",
    .options = options,
    .size = sizeof(struct diff_options),
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .reports_holes = true,
    .lanes = true,
    .routes = true,
    .one_route = true,
    .run = run,
};
