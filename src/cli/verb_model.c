/* crosswind model: what can be said of accepted load without simulating. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/flit/flit_mode.h"
#include "model/dragonfly_model.h"
#include "model/link_load.h"
#include "report/rows.h"
#include "route/engine.h"
#include "study/flit/flit_case.h"
#include "traffic/placement.h"
#include "traffic/workload.h"

struct model_options {
    char *traffic, *routing, *placement, *lft, *repair, *paths;
};

static const struct cw_option options[] = {
    {.name = "traffic",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct model_options, traffic),
     .value_name = "PATTERN",
     .default_text = "bitcomp",
     .names = &cw_pattern_registry,
     .help = "who sends to whom (see crosswind help patterns)"},
    {.name = "routing",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct model_options, routing),
     .value_name = "NAME",
     .names = &cw_engine_registry,
     .help = "routing whose link-load bounds to compute; by default that of --lft or --paths, minimal, "
             "valiant-restricted and valiant-any on dragonflies, and the one that suits elsewhere"},
    {.name = "lft",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct model_options, lft),
     .help =
         "the fabric's own forwarding tables instead of --routing: opensm-lfts.dump, opensm.fdbs, or what dump_fts, "
         "dump_lfts or ibroute print"},
    {.name = "repair",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct model_options, repair),
     .value_name = "NAME",
     .names = &cw_engine_registry,
     .help = "where these tables do not reach a destination (--failed), use the entries of this routing"},
    {.name = "paths",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct model_options, paths),
     .help = "explicit paths instead of --routing"},
    {.name = "placement",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct model_options, placement),
     .value_name = "PLACEMENT",
     .default_text = "contiguous",
     .names = &cw_placement_registry,
     .help = "which endpoint each rank runs on"},
    {.name = NULL},
};

static const struct cw_column columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"quantity", CW_COLUMN_TEXT, NULL, "what the figure is"},
    {"throughput", CW_COLUMN_REAL, NULL, "accepted load, as a share of injection bandwidth"},
    {"where", CW_COLUMN_TEXT, NULL, "the channel that limits it; none where channels carry all that is offered"},
};

static void add_row(struct cw_table *table, const char *routing, const char *quantity, double throughput,
                    const char *where)
{
    cw_table_row(table, "%s %s %g", routing, quantity, throughput);
    cw_table_text(table, where);
}

/* Takes ROUTING over. */
static int add_bounds(struct invocation *invocation, struct cw_table *table, struct cw_flit_case *made,
                      struct cw_packet_routing *routing)
{
    struct cw_link_load load = {0};
    double most;
    char name[512];
    const char *what = cw_packet_routing_spec(routing);
    int rc = cw_link_load_compute(routing, made->workload, made->endpoints, made->n_threads, &load);
    if (!rc) rc = cw_link_load_most(&load, 1, made->n_threads, &most);
    if (!rc) {
        add_row(table, what, "link-load bound, equal service", load.fair,
                load.channel == CW_NONE ? NULL : cw_network_channel_name(made->net, load.channel, name, sizeof name));
        add_row(table, what, "link-load bound", most, NULL);
        if (cw_packet_routing_by_traffic(routing))
            cw_result_note(invocation->result,
                           "%s sends %.1f %% of the packets minimally: the share with the highest link-load bound at "
                           "equal service.",
                           what, 100 * load.minimal);
        if (load.by_queues)
            cw_result_note(invocation->result,
                           "%s looks at queues, so only the channels from and to endpoints bound it.", what);
    }
    cw_link_load_free(&load);
    cw_packet_routing_free(routing);
    return rc;
}

static int add_named(struct invocation *invocation, struct cw_table *table, struct cw_flit_case *made, const char *spec)
{
    struct cw_packet_routing *routing;
    const struct cw_routes *over;
    const int rc = flit_packets(invocation, made->net, spec, &routing, &over);
    return rc ? rc : add_bounds(invocation, table, made, routing);
}

/* The routes of --lft or --paths. Bounds are of channels: which lanes packets take makes no difference. */
static int add_given(struct invocation *invocation, struct cw_table *table, struct cw_flit_case *made,
                     struct fabric *fabric)
{
    struct cw_packet_routing *routing;
    struct cw_routes *routes = fabric->routes;
    fabric->routes = NULL; /* they are the packet routing's */
    const int rc = cw_packet_routing_of_routes(routes, &routing);
    return rc ? rc : add_bounds(invocation, table, made, routing);
}

static int add_dragonfly(struct invocation *invocation, struct cw_table *table, const struct cw_flit_case *made)
{
    struct cw_dragonfly_model model;
    if (cw_dragonfly_model_compute(made->net, made->workload, made->endpoints, &model) != 0) {
        cw_result_note(invocation->result, "The analytic model does not apply: %s.", cw_error_message());
        return 0;
    }
    add_row(table, "valiant-restricted", "lower bound of equation 1", model.lower, NULL);
    add_row(table, "valiant-restricted", "upper bound of equation 1", model.upper, NULL);
    add_row(table, "valiant-restricted", "estimate of equation 4", model.estimate, NULL);
    add_row(table, "valiant-restricted", "exact from x at every switch", model.exact, NULL);
    add_row(table, "any Valiant", "load-oblivious limit", model.load_oblivious, NULL);
    return 0;
}

static int fill(struct invocation *invocation, struct cw_table *table, struct cw_flit_case *made, struct fabric *fabric)
{
    static const char *const on_dragonflies[] = {"minimal", "valiant-restricted", "valiant-any"};
    const struct model_options *values = invocation->values;
    const bool given = values->lft || values->paths, one = given || values->routing;
    const bool dragonfly = cw_dragonfly_model_is_of(made->net);
    int rc = dragonfly ? add_dragonfly(invocation, table, made) : 0;
    const size_t routings = one || !dragonfly ? 1 : sizeof on_dragonflies / sizeof *on_dragonflies;
    cw_table_expect(table, cw_table_rows(table) + 2 * routings);
    if (!rc && given) return add_given(invocation, table, made, fabric);
    if (!rc && !one && !dragonfly) rc = fabric_note_default(invocation, made->net, cw_engine_default(made->net), true);
    if (!rc && (values->routing || !dragonfly))
        return add_named(invocation, table, made, values->routing ? values->routing : cw_engine_default(made->net));
    for (size_t i = 0; !rc && i < sizeof on_dragonflies / sizeof *on_dragonflies; i++)
        rc = add_named(invocation, table, made, on_dragonflies[i]);
    return rc;
}

static int read_routes(struct invocation *invocation, struct fabric *fabric)
{
    const struct model_options *values = invocation->values;
    const struct routing given = {.name = values->routing,
                                  .lft = values->lft,
                                  .repair = values->repair,
                                  .paths = values->paths,
                                  .lids = invocation->routing.lids};
    const int rc = fabric_route(invocation, &given, fabric);
    cw_result_set_context(invocation->result, CW_CONTEXT_ROUTES, NULL); /* each row names its routing */
    return rc;
}

static int run(struct invocation *invocation)
{
    static const struct cw_figure_panel throughput = {.y = "throughput"};
    const struct model_options *values = invocation->values;
    struct fabric fabric;
    struct cw_table *table = NULL;
    int rc = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!rc && (values->lft || values->paths || values->repair)) rc = read_routes(invocation, &fabric);
    struct cw_flit_case made = {.net = fabric.net,
                                .selection = fabric.selection,
                                .traffic_spec = values->traffic,
                                .placement_spec = values->placement,
                                .seed = (uint64_t)invocation->common.seed,
                                .n_threads = (unsigned)invocation->common.threads};
    if (!rc) rc = cw_flit_case_make(&made);
    if (!rc) rc = cw_table_new("model", "Accepted load by models", CW_ITEMS(columns), &table);
    if (!rc) {
        cw_result_set_context(invocation->result, CW_CONTEXT_PLACEMENT, values->placement);
        cw_result_set_context(invocation->result, CW_CONTEXT_TRAFFIC, values->traffic);
        rc = cw_result_add_table(invocation->result, table);
    }
    if (!rc)
        rc = cw_result_figure(invocation->result, &(struct cw_figure){.kind = CW_FIGURE_BARS,
                                                                      .table = "model",
                                                                      .rows = "routing",
                                                                      .series = "quantity",
                                                                      .panels = &throughput,
                                                                      .n_panels = 1});
    if (!rc) rc = fill(invocation, table, &made, &fabric);
    cw_flit_case_free(&made);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_model = {
    .name = "model",
    .help = "Accepted load without simulation: link-load bounds, and the analytic model of dragonflies",
    .arguments = network_argument,
    .description =
        "The link-load bounds count every flow and every choice of the routing. With equal service, all ranks get the "
        "same, and the busiest channel limits them. Without it, ranks that avoid that channel may get more: the bound "
        "is then the optimum of a linear programme over all channels, which no simulation exceeds. For dragonflies, "
        "the bounds, the estimate 3/(4p) and the exact count of Prisacari et al. (2015) for ValiantRestricted are "
        "printed, too.",
    .examples = "  crosswind model dragonfly:4,8,4 --traffic bitcomp\n"
                "  crosswind model torus:8x8 --traffic uniform --routing dor\n"
                "  crosswind model fabric.ibnetdiscover --lft opensm-lfts.dump --traffic uniform\n",
    .options = options,
    .size = sizeof(struct model_options),
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .lft = true,
    .lids = true,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
