/* crosswind topo: what a network is like, before any routing. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "cli/topo/topo_faults.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "net/roles.h"
#include "report/rows.h"
#include "topo/metrics.h"

struct topo_options {
    char *write;
};

static const struct cw_option options[] = {
    {.name = "write",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct topo_options, write),
     .help = "write the network to FILE; its ending chooses the format: .json, .net (ibsim), .dot, .graphml, .conf "
             "(Slurm's topology.conf), .anynet (BookSim), .xml (SimGrid)"},
    {.name = NULL},
};

static const struct cw_column summary_columns[] = {
    {"network", CW_COLUMN_TEXT, NULL, "network, as given"},
    {"endpoints", CW_COLUMN_INT, NULL, "host ports that send and receive"},
    {"switches", CW_COLUMN_INT, NULL, "switches"},
    {"cables", CW_COLUMN_INT, NULL, "undirected cables, those to endpoints included"},
    {"channels", CW_COLUMN_INT, NULL, "directions in which cables work"},
    {"diameter", CW_COLUMN_INT, "hop", "greatest distance between two endpoints, host channels included"},
    {"mean_distance", CW_COLUMN_REAL, "hop", "mean over ordered pairs of different endpoints"},
};

static const struct cw_column kind_columns[] = {
    {"kind", CW_COLUMN_TEXT, NULL, "switch, host, aggregation node or router"},
    {"ports_used", CW_COLUMN_INT, NULL, "cables at it"},
    {"ports", CW_COLUMN_INT, NULL, "ports it has; missing where nothing says"},
    {"count", CW_COLUMN_INT, NULL, "how many there are"},
};

static const struct cw_column cable_columns[] = {
    {"from", CW_COLUMN_TEXT, NULL, "endpoint or switch"},
    {"speed", CW_COLUMN_TEXT, NULL, "capacity of one direction, for people"},
    {"capacity", CW_COLUMN_REAL, "byte/s", "capacity of one direction", .detail = true},
    {"latency", CW_COLUMN_REAL, "s", "latency"},
    {"cables", CW_COLUMN_INT, NULL, "how many there are"},
};

static const struct cw_column level_columns[] = {
    {"level", CW_COLUMN_TEXT, NULL,
     "of switches: leaves have hosts, the others are higher by their distance from leaves"},
    {"switches", CW_COLUMN_INT, NULL, "how many there are"},
    {"down_speed", CW_COLUMN_TEXT, NULL, "capacity from hosts and lower levels to all of them, for people"},
    {"down", CW_COLUMN_REAL, "byte/s", "that capacity", .detail = true},
    {"across_speed", CW_COLUMN_TEXT, NULL, "capacity between switches of the level, one direction"},
    {"across", CW_COLUMN_REAL, "byte/s", "that capacity", .detail = true},
    {"up_speed", CW_COLUMN_TEXT, NULL, "capacity to higher levels"},
    {"up", CW_COLUMN_REAL, "byte/s", "that capacity", .detail = true},
    {"oversubscribed", CW_COLUMN_REAL, NULL, "down / up; missing at the top"},
    {"worst", CW_COLUMN_REAL, NULL, "the same of the switch where it is greatest"},
    {"worst_switch", CW_COLUMN_TEXT, NULL, "that switch"},
};

static const struct cw_column cut_columns[] = {
    {"bisection_channels", CW_COLUMN_REAL, NULL, "channels from one half of the endpoints to the other"},
    {"bisection_speed", CW_COLUMN_TEXT, NULL, "their capacity, for people"},
    {"bisection_capacity", CW_COLUMN_REAL, "byte/s", "their capacity", .detail = true},
    {"of_full", CW_COLUMN_REAL, NULL,
     "their capacity, of what half the endpoints (rounded down) can send: 1 is full bisection"},
    {"bisection_is", CW_COLUMN_TEXT, NULL, "exact, or an upper bound"},
    {"components", CW_COLUMN_INT, NULL, "connected parts"},
    {"unreachable_pairs", CW_COLUMN_INT, NULL, "ordered pairs of endpoints without a path"},
};

static int add_summary(struct invocation *invocation, const struct cw_network *net,
                       const struct cw_distances *distances)
{
    struct cw_table *table;
    const int rc = cw_table_new("topology", "Network", CW_ITEMS(summary_columns), &table);
    if (rc) return rc;
    cw_table_row(table, "%s %u %u %u %u %u %g", net->title, net->n_endpoints, cw_network_switches(net),
                 net->n_channels / 2, net->n_channels - net->n_closed, distances->diameter, distances->mean_distance);
    return cw_result_add_table(invocation->result, table);
}

/* --- equal things, counted ---------------------------------------------------------------------------------------- */

/* A class of vertices or cables, and how many are in it; ordered by its figures. */
struct class
{
    double figures[3];
    uint64_t count;
};

struct classes {
    struct class *items;
    size_t n, capacity;
};

static int compare_classes(const void *a, const void *b)
{
    const struct class *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x->figures[i] != y->figures[i]) return x->figures[i] < y->figures[i] ? -1 : 1;
    return 0;
}

static int count(struct classes *classes, double first, double second, double third)
{
    const struct class wanted = {{first, second, third}, 1};
    for (size_t i = 0; i < classes->n; i++)
        if (compare_classes(&classes->items[i], &wanted) == 0) {
            classes->items[i].count++;
            return 0;
        }
    const int rc = cw_grow_array((void **)&classes->items, &classes->capacity, classes->n + 1, sizeof *classes->items,
                                 "kinds of vertices and cables");
    if (!rc) classes->items[classes->n++] = wanted;
    return rc;
}

static void sort_classes(struct classes *classes)
{
    if (classes->n > 0) qsort(classes->items, classes->n, sizeof *classes->items, compare_classes);
}

static enum cw_vertex_kind kind_of(const struct cw_network *net, uint32_t v)
{
    if (net->identity) return (enum cw_vertex_kind)net->identity[v].kind;
    return cw_network_is_endpoint(net, v) ? CW_KIND_HOST : CW_KIND_SWITCH;
}

static int add_kinds(struct invocation *invocation, const struct cw_network *net)
{
    static const char *const names[] = {"switch", "host", "aggregation node", "router"};
    struct classes classes = {0};
    struct cw_table *table;
    int rc = 0;
    for (uint32_t v = 0; !rc && v < net->n_vertices; v++)
        rc = count(&classes, kind_of(net, v), cw_network_degree(net, v), net->identity ? net->identity[v].ports : 0);
    sort_classes(&classes);
    if (!rc) rc = cw_table_new("kinds", "Vertices by kind and ports", CW_ITEMS(kind_columns), &table);
    if (!rc) {
        for (size_t i = 0; i < classes.n; i++) {
            const struct class *class = &classes.items[i];
            cw_table_text(table, names[(int)class->figures[0]]);
            cw_table_int(table, (int64_t) class->figures[1]);
            if (class->figures[2] > 0)
                cw_table_int(table, (int64_t) class->figures[2]);
            else
                cw_table_none(table);
            cw_table_int(table, (int64_t) class->count);
        }
        rc = cw_result_add_detail(invocation->result, table);
    }
    free(classes.items);
    return rc;
}

static int add_cables(struct invocation *invocation, const struct cw_network *net)
{
    char speed[32];
    struct classes classes = {0};
    struct cw_table *table;
    int rc = 0;
    for (uint32_t c = 0; !rc && c < net->n_channels; c++)
        if (c < net->twin[c] ? !cw_network_is_closed(net, c) : cw_network_is_closed(net, net->twin[c]))
            rc = count(&classes, cw_network_is_endpoint(net, net->tail[c]) ? 0 : 1, net->capacity[c], net->latency[c]);
    sort_classes(&classes);
    if (!rc) rc = cw_table_new("cables", "Cables by place and speed", CW_ITEMS(cable_columns), &table);
    if (!rc) {
        for (size_t i = 0; i < classes.n; i++) {
            cw_table_row(table, "%s %s %g %g %lu", classes.items[i].figures[0] == 0 ? "endpoint" : "switch",
                         cw_format_rate(classes.items[i].figures[1], speed, sizeof speed), classes.items[i].figures[1],
                         classes.items[i].figures[2], classes.items[i].count);
        }
        rc = cw_result_add_detail(invocation->result, table);
    }
    free(classes.items);
    return rc;
}

#define CLOSE 1e-9 /* relative: sums of capacities */

/* --- levels ------------------------------------------------------------------------------------------------------- */

/* What a switch, or all of a level, can take in from hosts and lower levels, pass to its own and to higher ones. */
struct level {
    uint32_t switches, worst_switch;
    double down, across, up, worst;
};

static struct level level_of(const struct cw_network *net, const uint32_t *roles, uint32_t v)
{
    struct level here = {.switches = 1};
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t to = net->head[c];
        if (cw_network_is_endpoint(net, to)) {
            if (kind_of(net, to) == CW_KIND_HOST) here.down += net->capacity[net->twin[c]];
        } else if (cw_network_is_closed(net, c) || roles[to] == CW_ROLE_LOOSE) {
            continue;
        } else if (roles[to] == roles[v])
            here.across += net->capacity[c];
        else if (roles[to] < roles[v])
            here.down += net->capacity[net->twin[c]];
        else
            here.up += net->capacity[c];
    }
    return here;
}

static void add_switch(struct level *level, const struct level *here, uint32_t v)
{
    const double ratio = here->up > 0 ? here->down / here->up : 0;
    level->switches++;
    level->down += here->down;
    level->across += here->across;
    level->up += here->up;
    if (ratio <= level->worst) return;
    level->worst = ratio;
    level->worst_switch = v;
}

static void add_level(struct cw_table *table, const struct cw_network *net, const struct level *level, uint32_t role,
                      uint32_t levels)
{
    char name[CW_ROLE_SIZE], speed[32], worst[CW_NAME_SIZE];
    const double rates[] = {level->down, level->across, level->up};
    cw_table_row(table, "%s %u", cw_role_name(role, levels, name), level->switches);
    for (size_t i = 0; i < 3; i++)
        if (rates[i] > 0)
            cw_table_row(table, "%s %g", cw_format_rate(rates[i], speed, sizeof speed), rates[i]);
        else
            cw_table_row(table, "- -");
    if (level->up > 0)
        cw_table_row(table, "%g %g %s", level->down / level->up, level->worst,
                     cw_network_name(net, level->worst_switch, worst, sizeof worst));
    else
        cw_table_row(table, "- - -");
}

static void note_level(struct cw_result *result, const struct cw_network *net, const struct level *level,
                       uint32_t number)
{
    char name[CW_NAME_SIZE];
    if (level->up <= 0 || level->worst <= 1 + CLOSE) return;
    const double ratio = level->down / level->up;
    if (level->worst > ratio * 1.05)
        cw_result_note(result, "Level %u of switches is oversubscribed %.3g : 1, at worst %.3g : 1 at %s.", number,
                       ratio, level->worst, cw_network_name(net, level->worst_switch, name, sizeof name));
    else
        cw_result_note(result, "Level %u of switches is oversubscribed %.3g : 1.", number, ratio);
}

/* How much each level of switches can pass on of what reaches it from below. */
static int add_levels(struct invocation *invocation, const struct cw_network *net)
{
    uint32_t *roles = cw_new_array(net->n_vertices, sizeof *roles, "levels of switches"), levels;
    struct cw_table *table;
    int rc = roles ? cw_network_roles(net, roles, &levels) : CW_ENOMEM;
    if (!rc && levels > 0)
        rc = cw_result_new_detail(invocation->result, "levels", "Levels of switches", CW_ITEMS(level_columns), &table);
    for (uint32_t l = 0; !rc && l < levels; l++) {
        struct level level = {.worst_switch = CW_NONE};
        for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
            if (roles[v] != CW_ROLE_LEAF + l) continue;
            const struct level here = level_of(net, roles, v);
            add_switch(&level, &here, v);
        }
        add_level(table, net, &level, CW_ROLE_LEAF + l, levels);
        note_level(invocation->result, net, &level, l + 1);
    }
    free(roles);
    return rc;
}

static int add_cut(struct invocation *invocation, const struct cw_network *net, const struct cw_distances *distances)
{
    struct cw_bisection bisection;
    struct cw_table *table;
    char speed[32];
    double all = 0;
    const uint32_t components = cw_components(net);
    int rc = components == 0 ? CW_ENOMEM : cw_network_bisection(net, (uint64_t)invocation->common.seed, &bisection);
    if (!rc) rc = cw_table_new("connectivity", "Bisection and connectivity", CW_ITEMS(cut_columns), &table);
    if (rc) return rc;
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++) all += net->capacity[c];
    cw_table_row(table, "%g %s %g", bisection.channels, cw_format_rate(bisection.capacity, speed, sizeof speed),
                 bisection.capacity);
    if (all > 0 && net->n_endpoints > 1)
        cw_table_real(table, bisection.capacity / (all / net->n_endpoints * (net->n_endpoints / 2)));
    else
        cw_table_none(table);
    cw_table_row(table, "%s %u %lu", bisection.exact ? "exact" : "upper bound", components, distances->unreachable);
    rc = cw_result_add_detail(invocation->result, table);
    if (rc) return rc;
    cw_result_note(invocation->result, "The bisection is %s, %s.", bisection.exact ? "exact" : "an upper bound",
                   bisection.how);
    if (components > 1)
        cw_result_note(invocation->result, "The network has %u parts with no cable between them.", components);
    if (!distances->exact)
        cw_result_note(invocation->result, "Distances are estimated from %u sources: the diameter is a lower bound.",
                       distances->sources);
    return 0;
}

/* --- pictures ----------------------------------------------------------------------------------------------------- */

#define STEPS 3e8 /* of the search: about a second */

static const struct cw_column distance_columns[] = {
    {"distance", CW_COLUMN_INT, "hop", "channels between two endpoints, those of the endpoints included"},
    {"pairs", CW_COLUMN_INT, NULL, "ordered pairs of endpoints, or of a sample of senders and all others"},
    {"share", CW_COLUMN_REAL, NULL, "the same, of all pairs that can reach each other"},
};

/* Adds how many pairs of endpoints of NET are how far apart, as a table and its figure, where somebody looks at
 * figures. Large networks are sampled, which a note says. */
static int add_distances(struct invocation *invocation, const struct cw_network *net)
{
    const uint64_t seed = (uint64_t)invocation->common.seed;
    struct cw_result *result = invocation->result;
    struct cw_distances distances;
    struct cw_table *table;
    uint64_t *pairs, all = 0;
    uint32_t n;
    if (!invocation_has_figures(invocation) || cw_network_endpoints(net) < 2) return 0;
    int rc = cw_network_distance_counts(net, (unsigned)invocation->common.threads, seed, STEPS, &pairs, &n, &distances);
    if (rc) return rc;
    rc = cw_result_new_detail(result, "distances", "Distances between endpoints", CW_ITEMS(distance_columns), &table);
    if (!rc) cw_table_cut_text(table, 0);
    for (uint32_t d = 0; d < n; d++) all += pairs[d];
    for (uint32_t d = 0; !rc && d < n; d++)
        if (pairs[d] > 0) cw_table_row(table, "%u %lu %g", d, pairs[d], (double)pairs[d] / (double)all);
    free(pairs);
    if (rc || all == 0) return rc;
    if (!distances.exact)
        cw_result_note(result, "Table distances counts pairs from %u random endpoints to all others.",
                       distances.sources);
    return cw_result_figure(result, &(struct cw_figure){.kind = CW_FIGURE_HISTOGRAM,
                                                        .table = "distances",
                                                        .x = "distance",
                                                        .y = "share",
                                                        .x_label = "channels from endpoint to endpoint",
                                                        .y_label = "share of the pairs"});
}

/* Declares what the tables `levels`, if there is one, or else `cables` have to show. */
static int declare_figures(struct cw_result *result)
{
    static const struct cw_figure_panel capacities[] = {{.y = "down", .label = "from below"},
                                                        {.y = "across", .label = "within the level"},
                                                        {.y = "up", .label = "to higher levels"}},
                                        cables[] = {{.y = "cables"}};
    static const struct cw_figure levels = {.kind = CW_FIGURE_BARS,
                                            .table = "levels",
                                            .title = "Capacity at each level of switches",
                                            .rows = "level",
                                            .panels = capacities,
                                            .n_panels = 3},
                                  places = {.kind = CW_FIGURE_BARS,
                                            .table = "cables",
                                            .rows = "from",
                                            .series = "speed",
                                            .panels = cables,
                                            .n_panels = 1};
    const struct cw_table *table = cw_result_find_table(result, "levels");
    return cw_result_figure(result, table && cw_table_rows(table) > 0 ? &levels : &places);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static int write_network(struct cw_result *result, const struct cw_network *net, const char *path)
{
    const struct cw_writer *writer = cw_writer_of(path);
    if (writer && writer->remark) cw_result_note(result, "%s", writer->remark);
    return cw_network_write(net, path);
}

static int run(struct invocation *invocation)
{
    const struct topo_options *values = invocation->values;
    struct fabric fabric;
    struct cw_distances distances;
    struct cw_table *odd = NULL;
    int rc = fabric_open_network(invocation, invocation->positional[0], &fabric);
    /* of the whole network: without its hosts a leaf would be none */
    if (!rc) rc = topo_find_odd_cables(invocation, fabric.net, &odd);
    if (!rc) rc = fabric_cut(invocation, &fabric);
    if (!rc && values->write) rc = write_network(invocation->result, fabric.net, values->write);
    if (!rc)
        rc = cw_network_distances(fabric.net, (unsigned)invocation->common.threads, (uint64_t)invocation->common.seed,
                                  &distances);
    if (!rc) rc = add_summary(invocation, fabric.net, &distances);
    if (!rc) rc = add_kinds(invocation, fabric.net);
    if (!rc) rc = add_cables(invocation, fabric.net);
    if (!rc && odd) {
        rc = cw_result_add_detail(invocation->result, odd);
        odd = NULL;
    }
    if (!rc) rc = add_levels(invocation, fabric.net);
    if (!rc) rc = add_distances(invocation, fabric.net);
    if (!rc) rc = declare_figures(invocation->result);
    if (!rc) rc = topo_add_shape(invocation, fabric.net);
    if (!rc) rc = add_cut(invocation, fabric.net, &distances);
    cw_table_free(odd);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_topo = {
    .name = "topo",
    .help = "Describes a network (counts, distances, bisection) and writes it in other formats",
    .arguments = network_argument,
    .description =
        "--endpoints removes the other endpoints with their cables before the network is described and written. The "
        "result names cables that are slower than most between the same levels of switches, and switches and bundles "
        "that have fewer cables than most. It looks for these in the whole network.",
    .examples = "  crosswind topo 'xgft(3,12,8,12,4)'\n"
                "  crosswind topo dragonfly:4,8,4 --write dragonfly.net\n"
                "  crosswind topo 'xgft(3,12,8,12,4)' --plot distances.svg\n"
                "  crosswind topo fabric.ibnetdiscover --endpoints hca --format json\n",
    .options = options,
    .size = sizeof(struct topo_options),
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
