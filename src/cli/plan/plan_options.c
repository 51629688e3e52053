#include "cli/plan/plan_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "cli/flit/flit_mode.h"
#include "flow/flow_problem.h"
#include "flow/method.h"
#include "flow/transport/transport_set.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/engine.h"
#include "traffic/pattern.h"

#define OPTION(MEMBER) .offset = offsetof(struct plan_options, MEMBER)

static const char *const tie_orders[] = {"plain", "rotated", "disjoint", "penalised", NULL};
static const char *const relays[] = {"all", "none", "switches", NULL};
static const char *const host_limits[] = {"auto", "yes", "no", NULL};

static const struct export_form {
    const char *name;
    enum cw_export form;
} export_forms[] = {{"lp", CW_EXPORT_LP}, {"mps", CW_EXPORT_MPS}, {"ampl", CW_EXPORT_AMPL}, {NULL, CW_EXPORT_LP}};
static const struct cw_registry export_registry = {.items = export_forms, .size = sizeof *export_forms};

static const char *const models[] = {"counts", "flows", "flits", NULL}; /* as enum plan_model has them */

const struct cw_option plan_option_table[] = {
    {.name = "traffic",
     .type = CW_OPTION_TEXT,
     OPTION(traffic),
     .value_name = "PATTERN",
     .names = &cw_pattern_registry,
     .help = "who sends how much to whom: 0 to 90, disjoint:128x8, alltoall, matrix:FILE, ... (see crosswind help "
             "patterns)"},
    {.name = "anycast",
     .type = CW_OPTION_INPUT,
     OPTION(anycast),
     .help = "instead: who sends how much to any of several endpoints, and what each of these can take or drain "
             "(doc/formats/anycast.md). Who sends to whom is chosen so that the data move as fast as can be"},
    {.name = "bytes",
     .type = CW_OPTION_BYTES,
     OPTION(bytes),
     .default_text = "8MiB",
     .min = 1,
     .max = 9e18,
     .help = "what each pair of --traffic exchanges"},
    {.name = "method",
     .type = CW_OPTION_TEXT,
     OPTION(methods),
     .value_name = "M[,M...]",
     .default_text = "default,auto",
     .names = &cw_method_registry,
     .help =
         "methods to compare: default, heuristic, greedy, lp, optimum, approx, rails, auto (crosswind help methods)"},
    {.name = "k",
     .type = CW_OPTION_INT,
     OPTION(k),
     .value_name = "K",
     .default_text = "16",
     .min = 1,
     .max = 1e9,
     .help = "shortest paths of each pair for heuristic, greedy, lp and --export"},
    {.name = "ties",
     .rare = true,
     .type = CW_OPTION_CHOICE,
     OPTION(ties),
     .default_text = "penalised",
     .choices = tie_orders,
     .help = "which of equally long paths come first: by port, by port turned by a hash, those that share least with "
             "the pair's own, or with all pairs' paths before"},
    {.name = "max-hops",
     .rare = true,
     .type = CW_OPTION_INT,
     OPTION(max_hops),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 1e9,
     .help = "longest of these paths, 0: no limit"},
    {.name = "max-paths",
     .rare = true,
     .type = CW_OPTION_INT,
     OPTION(max_paths),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 1e9,
     .help = "paths of one pair that a plan may have: those of the greatest shares, split anew; 0: no limit"},
    {.name = "maxload",
     .rare = true,
     .type = CW_OPTION_INT,
     OPTION(maxload),
     .value_name = "N",
     .default_text = "16",
     .min = 1,
     .max = 1e9,
     .help = "heuristic: paths a channel may carry"},
    {.name = "epsilon",
     .rare = true,
     .type = CW_OPTION_REAL,
     OPTION(epsilon),
     .default_text = "0.01",
     .min = 1e-6,
     .max = 0.5,
     .help = "approx: gap to the bound at which it may stop"},
    {.name = "budget",
     .type = CW_OPTION_TIME,
     OPTION(budget),
     .value_name = "TIME",
     .default_text = "0",
     .min = 0,
     .max = 1e9,
     .help = "lp, optimum, approx, auto: stop after this time with the best plan so far and its bound; 0: no limit. "
             "The only option with which results depend on the machine"},
    {.name = "routing",
     .type = CW_OPTION_TEXT,
     OPTION(routing),
     .value_name = "NAME",
     .names = &cw_engine_registry,
     .help = "routing of the network (see crosswind help routings); by default the one that suits it"},
    {.name = "lft",
     .type = CW_OPTION_INPUT,
     OPTION(lft),
     .help = "forwarding tables of the fabric instead of --routing, to all LIDs that an endpoint has"},
    {.name = "repair",
     .rare = true,
     .type = CW_OPTION_TEXT,
     OPTION(repair),
     .value_name = "NAME",
     .names = &cw_engine_registry,
     .help = "where these tables do not reach a destination (--failed), use the entries of this routing"},
    {.name = "relays",
     .rare = true,
     .type = CW_OPTION_INPUT,
     OPTION(relays),
     .value_name = "all|none|switches|FILE|NAMES",
     .choices = relays,
     .help =
         "who may relay: all that take part, none, or the endpoints of FILE or NAMES, as for --endpoints. Data go by "
         "the "
         "network's routes from endpoint to endpoint. Blue Gene's nodes are switches, too: there all means every node, "
         "on any path. switches assumes that of any network with one endpoint a switch (default: all)"},
    {.name = "max-relays",
     .rare = true,
     .type = CW_OPTION_INT,
     OPTION(max_relays),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = 8,
     .help = "most endpoints that relay on one path; 1 is what the k paths of a pair have"},
    {.name = "lmc",
     .rare = true,
     .type = CW_OPTION_INT,
     OPTION(lmc),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 6,
     .help = "2^N LIDs for each endpoint of a network without tables, each with a route of its own"},
    {.name = "ways",
     .rare = true,
     .type = CW_OPTION_TEXT,
     OPTION(ways),
     .value_name = "WAY[;WAY...]",
     .help = "further routes between two endpoints: of a routing; of tables, lft:FILE; or adaptive, any shortest ones "
             "that the switches choose"},
    {.name = "host-limit",
     .rare = true,
     .type = CW_OPTION_CHOICE,
     OPTION(host_limit),
     .default_text = "auto",
     .choices = host_limits,
     .help = "whether channels from and to endpoints limit the flow; auto: they do, but not on Blue Gene and with "
             "--relays switches, where they are the inside of a node"},
    {.name = "transport",
     .type = CW_OPTION_TEXT,
     OPTION(transport),
     .value_name = "NAME|FILE[:PARAMETER=VALUE,...]",
     .default_text = "auto",
     .names = &cw_transport_registry,
     .help = "what relaying costs (crosswind help transports), for predicted times. auto: bgq on Blue Gene/Q, gpu-host "
             "where GPUs are the endpoints (--nodes, rail:), and elsewhere ideal, relays that cost nothing but storing "
             "whole chunks. none: nothing is simulated, and only "
             "the time of the hottest channel is said"},
    {.name = "chunk",
     .type = CW_OPTION_BYTES,
     OPTION(chunk),
     .min = 1,
     .max = 9e18,
     .help = "bytes move in chunks of this size, instead of that of the transport"},
    {.name = "model",
     .type = CW_OPTION_CHOICE,
     OPTION(model),
     .default_text = "counts",
     .choices = models,
     .help =
         "counts: times are what the transport predicts; flows, flits: the plan that is predicted to be the fastest is "
         "also carried out by flows that share channels in time, or flit by flit, beside the same data on the "
         "network's own routes, and --moves has these times"},
    {.name = "plan",
     .type = CW_OPTION_OUTPUT,
     OPTION(plan),
     .help = "write the plan that is predicted to be the fastest there (JSON)"},
    {.name = "check",
     .type = CW_OPTION_INPUT,
     OPTION(check),
     .help = "make no plan: read this one, verify all it promises, and say what it is worth"},
    {.name = "moves",
     .type = CW_OPTION_OUTPUT,
     OPTION(moves),
     .help = "write what each rank does to carry this plan out, there (JSON): sends, forwards and receives"},
    {.name = "explain",
     .rare = true,
     .type = CW_OPTION_TEXT,
     OPTION(explain),
     .value_name = "all|NAME[,NAME...]",
     .help = "say in words what these endpoints do to carry this plan out, or all of them"},
    {.name = "channels",
     .rare = true,
     .type = CW_OPTION_OUTPUT,
     OPTION(channels),
     .help = "write the bytes that this plan has on every channel there (CSV)"},
    {.name = "export",
     .rare = true,
     .type = CW_OPTION_NAMED_OUTPUT,
     OPTION(export),
     .names = &export_registry,
     .value_name = "lp|mps|ampl:FILE",
     .help = "write the linear program over the k paths there, for another solver to prove it"},
    {.name = NULL},
};

int plan_options_check(const struct invocation *invocation)
{
    static const char *const of_solving[] = {"method", "k",    "ties",   "max-hops",  "maxload", "epsilon",
                                             "budget", "plan", "export", "max-paths", NULL};
    const struct plan_options *values = invocation->values;
    const int rc = values->model == PLAN_FLITS ? 0 : flit_mode_refuse(invocation, "is for --model flits");
    if (rc) return rc;
    if (values->routing && values->lft) return cw_fail(CW_EUSAGE, "--routing and --lft cannot be used together");
    if (values->traffic && values->anycast)
        return cw_fail(CW_EUSAGE, "--traffic and --anycast cannot be used together: each says who sends what");
    if (values->anycast && invocation_refuses(invocation, "bytes"))
        return cw_fail(CW_EUSAGE, "--bytes: %s has sizes of its own", values->anycast);
    if (values->check) return invocation_refuse(invocation, of_solving, "is for making a plan, not for --check");
    if (values->traffic) {
        const struct cw_pattern_kind *kind = cw_pattern_kind_of(values->traffic);
        if (kind && kind->sized && invocation_refuses(invocation, "bytes"))
            return cw_fail(CW_EUSAGE, "--bytes: %s has sizes of its own", values->traffic);
    }
    if (!values->traffic && !values->anycast)
        return cw_fail(CW_EUSAGE, "expected --traffic PATTERN: who sends how much to whom, e.g. matrix:FILE; or "
                                  "--anycast FILE: to any of several");
    return 0;
}

/* True if one of the N methods is in the list NAMES, which is ended by NULL. */
static bool is_one_of(const struct cw_method *const *methods, size_t n, const char *const *names)
{
    for (; *names; names++)
        for (size_t i = 0; i < n; i++)
            if (strcmp(methods[i]->name, *names) == 0) return true;
    return false;
}

static const char *const of_routes[] = {"routing", "lft", "repair", NULL};

int plan_options_refuse_routes(const struct invocation *invocation)
{
    return invocation_refuse(invocation, of_routes,
                             "is for plans on the network's routes, and this one's paths are free");
}

int plan_options_use(const struct invocation *invocation, bool legs, const struct cw_method *const *methods, size_t n)
{
    static const struct {
        const char *options[7], *methods[7], *why;
        bool exported; /* --export looks at them, too */
    } uses[] = {
        {{"k", "ties", "max-hops"},
         {"heuristic", "greedy", "lp"},
         "is for the methods heuristic, greedy and lp and for --export",
         true},
        {{"maxload"}, {"heuristic"}, "is for the method heuristic", false},
        {{"epsilon"}, {"approx", "auto"}, "is for the methods approx and auto", false},
        {{"budget"}, {"lp", "optimum", "approx", "auto"}, "is for the methods lp, optimum, approx and auto", false},
    };
    static const char *const of_legs[] = {"max-relays", "lmc", "ways", NULL};
    static const char *const routed[] = {"default", "auto", NULL};
    const struct plan_options *values = invocation->values;
    int rc = 0;
    if (!legs)
        rc = invocation_refuse(invocation, of_legs, "is for plans on the network's routes: --relays none or FILE");
    if (!rc && !legs && !values->check && !is_one_of(methods, n, routed))
        rc = invocation_refuse(invocation, of_routes, "is for the methods default and auto: paths are free here");
    if (rc || values->check) return rc;
    for (size_t i = 0; i < sizeof uses / sizeof *uses && !rc; i++)
        if (!(uses[i].exported && values->export) && !is_one_of(methods, n, uses[i].methods))
            rc = invocation_refuse(invocation, uses[i].options, uses[i].why);
    return rc;
}

void plan_options_case(const struct invocation *invocation, struct cw_plan_case *made)
{
    const struct plan_options *values = invocation->values;
    made->wanted = (struct cw_k_paths_setup){
        .k = (uint32_t)values->k, .ties = (enum cw_ties)values->ties, .max_hops = (uint32_t)values->max_hops};
    made->setup = (struct cw_method_setup){.k = (uint32_t)values->k,
                                           .max_paths = (uint32_t)values->max_paths,
                                           .maxload = (uint32_t)values->maxload,
                                           .epsilon = values->epsilon,
                                           .seconds = values->budget,
                                           .n_threads = (unsigned)invocation->common.threads,
                                           .seed = (uint64_t)invocation->common.seed};
}

/* True if the parameter NAME is among those GIVEN (cw_transport_get). */
static bool is_given(uint32_t given, const char *name)
{
    size_t i = 0;
    while (strcmp(cw_transport_options[i].name, name) != 0) i++;
    return given >> i & 1;
}

/* The first parameter that was given and is a cost, not what moves need whatever they cost; NULL: none. */
static const char *cost_given(uint32_t given)
{
    const char *name;
    for (size_t i = 0; (name = cw_transport_options[i].name); i++)
        if (given >> i & 1 && strcmp(name, "chunk") != 0 && strcmp(name, "credits") != 0) break;
    return name;
}

int plan_options_transport(const struct invocation *invocation, const struct cw_method *const *methods, size_t n,
                           struct cw_plan_case *made)
{
    static const char *const relaying[] = {"heuristic", "greedy", "lp", "optimum", "approx", "rails", "auto", NULL};
    static const char *const of_relays[] = {"credits",   "copy",        "cut-through",
                                            "node-copy", "hop-latency", "list-search"};
    const struct plan_options *values = invocation->values;
    char name[CW_SPEC_NAME_SIZE];
    cw_spec_split(values->transport, name, sizeof name);
    const bool none = strcmp(name, "none") == 0, relayed = values->check || is_one_of(methods, n, relaying);
    const struct cw_transport_set *set = cw_transport_set_for(&made->problem);
    uint32_t given;
    made->transport = none ? cw_transport_set_ideal.transport : set->transport;
    int rc = cw_transport_get(values->transport, &made->transport, &given);
    if (rc) return rc;
    const char *cost = cost_given(given);
    if (cost && none) return cw_fail(CW_EUSAGE, "--transport none simulates nothing, and so has no %s", cost);
    for (size_t i = 0; !relayed && i < sizeof of_relays / sizeof *of_relays; i++)
        if (is_given(given, of_relays[i]))
            return cw_fail(CW_EUSAGE,
                           "--transport: %s is for relayed plans; those of the method default are the network's own "
                           "affair",
                           of_relays[i]);
    made->has_transport = !none;
    made->usual = strcmp(name, "auto") == 0 && !cost ? set : NULL;
    if ((values->routing || values->lft) && !is_given(given, "adaptive"))
        made->transport.messages.adaptive = false; /* messages keep to these */
    if (values->chunk > 0) made->transport.chunk_bytes = values->chunk;
    return cw_plan_case_group_chunks(made, values->chunk == 0 && !is_given(given, "chunk"));
}

enum cw_export plan_options_export(const struct plan_options *values, const char **path)
{
    const struct cw_option *option = plan_option_table;
    while (strcmp(option->name, "export") != 0) option++;
    const struct export_form *form = cw_option_named_output(option, values->export, path);
    return form->form;
}

/* --- who relays, and by which routes ------------------------------------------------------------------------------ */

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
    static const int limits[] = {0, 1, -1}; /* auto, yes, no */
    const struct plan_options *values = invocation->values;
    const int limit = limits[values->host_limit];
    return limit == 0 && is_word(values, "switches") ? -1 : limit;
}

/* Those who relay: a selection of the caller's in *OWNED, or that of FABRIC, or nobody. */
static int find_relays(const struct plan_options *values, const struct fabric *fabric, const struct cw_selection **who,
                       struct cw_selection **owned)
{
    *owned = NULL;
    *who = NULL;
    if (is_word(values, "none")) return 0;
    *who = fabric->selection;
    if (!values->relays || is_word(values, "all")) return 0;
    const int rc = cw_selection_new(fabric->net, values->relays, owned);
    *who = *owned;
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
    const struct cw_selection *who;
    int rc = find_relays(values, fabric, &who, &made->relays);
    if (!rc) rc = find_ways(invocation, fabric, &made->ways);
    const struct cw_legs_setup setup = {.relays = who,
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
