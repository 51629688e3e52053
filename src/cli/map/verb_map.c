/* crosswind map: a picture of a network, its channels coloured by load. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "cli/map/map_against.h"
#include "cli/map/map_drawing.h"
#include "cli/map/map_loads.h"
#include "cli/map/map_page.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "report/map_picture.h"
#include "report/rows.h"
#include "sim/congestion.h"
#include "topo/topology.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"

#define MOST_ROUTES 4000000 /* walked one by one, where loads are those of all pairs */

struct map_options {
    char *traffic, *placement, *against;
    int64_t trials, top;
};

static const struct cw_option arguments[] = {
    {.name = "NETWORK",
     .type = CW_OPTION_INPUT,
     .names = &cw_topology_registry,
     .required = true,
     .help = NETWORK_HELP},
    {.name = "FILE",
     .type = CW_OPTION_OUTPUT,
     .required = true,
     .help = "the picture: NAME.svg; NAME.html, a page to zoom and click in; or NAME.json for other programs"},
    {.name = NULL},
};

static const struct cw_option options[] = {
    {.name = "traffic",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct map_options, traffic),
     .value_name = "PATTERN",
     .names = &cw_pattern_registry,
     .help = "colour channels by what this puts on them (see crosswind help patterns); by default by one message from "
             "each endpoint to each other"},
    {.name = "placement",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct map_options, placement),
     .value_name = "PLACEMENT",
     .default_text = "contiguous",
     .names = &cw_placement_registry,
     .help = "which endpoint each rank of --traffic runs on (see crosswind help placements)"},
    {.name = "trials",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct map_options, trials),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 1e9,
     .help = "repetitions of --traffic with new random choices; 0: 100 if the pattern or the placement is random, else "
             "1"},
    {.name = "against",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct map_options, against),
     .value_name = "STATE",
     .help = "colour channels by how their load differs from that in another state: whole, without what --failed and "
             "--degraded say; failed:ITEM,..., with this in place of --failed; routing:NAME or lft:FILE, by these "
             "routes in place of its own"},
    {.name = "top",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct map_options, top),
     .value_name = "N",
     .default_text = "10",
     .min = 0,
     .max = 1e6,
     .help = "how many of the busiest channels to list, or with --against of those that change most"},
    {.name = NULL},
};

static const struct cw_column map_columns[] = {
    {"form", CW_COLUMN_TEXT, NULL, "levels, planes, grid, ring or forces"},
    {"boxes", CW_COLUMN_INT, NULL, "endpoints and switches, or several of them"},
    {"lines", CW_COLUMN_INT, NULL, "cables between two boxes, all of them one line"},
    {"endpoints", CW_COLUMN_INT, NULL, "that are drawn"},
    {"switches", CW_COLUMN_INT, NULL, "that are drawn, failed ones, too"},
    {"cables", CW_COLUMN_INT, NULL, "that are drawn, those within boxes, too"},
    {"failed", CW_COLUMN_INT, NULL, "of these, cables that have failed, or work in one direction only"},
    {"slow", CW_COLUMN_INT, NULL, "of these, cables that are slower than most of their kind"},
    {"width", CW_COLUMN_INT, "pixel", "of the drawing"},
    {"height", CW_COLUMN_INT, "pixel", "of the drawing"},
};

#define CHANNEL_COLUMNS(CARRIES, UNIT, TIME_UNIT, TIME)                                                                \
    {"channel", CW_COLUMN_INT, NULL, "id, in the network as it is drawn"},                                             \
        {"tail", CW_COLUMN_TEXT, NULL, "where it comes from"},                                                         \
        {"tail_port", CW_COLUMN_INT, NULL, "port number there"}, {"head", CW_COLUMN_TEXT, NULL, "where it leads"},     \
        {"head_port", CW_COLUMN_INT, NULL, "port number there"},                                                       \
        {"speed", CW_COLUMN_TEXT, NULL, "capacity, for people"},                                                       \
        {"capacity", CW_COLUMN_REAL, "byte/s", "capacity", .detail = true},                                            \
        {CARRIES, CW_COLUMN_REAL, UNIT, "what all rounds put on it, mean over trials"},                                \
        {"load", CW_COLUMN_REAL, TIME_UNIT, TIME},
#define CHANNEL_LENGTH 9
#define CHANGE_COLUMNS(UNIT)                                                                                           \
    {"load_before", CW_COLUMN_REAL, UNIT, "the load in the state of --against; 0 where the channel does not work"},    \
        {"change", CW_COLUMN_REAL, UNIT, "load - load_before: the colour"},
#define CHANGE_LENGTH (CHANNEL_LENGTH + 2)

static const struct cw_column channel_columns[][CHANNEL_LENGTH] = {
    {CHANNEL_COLUMNS("messages", NULL, NULL,
                     "the same times the capacity of the fastest endpoint's cable / its own: the colour")},
    {CHANNEL_COLUMNS("bytes", "byte", "s", "the same / the capacity: the colour")}};

static const struct cw_column change_columns[][CHANGE_LENGTH] = {
    {CHANNEL_COLUMNS("messages", NULL, NULL, "the same times the capacity of the fastest endpoint's cable / its own")
         CHANGE_COLUMNS(NULL)},
    {CHANNEL_COLUMNS("bytes", "byte", "s", "the same / the capacity") CHANGE_COLUMNS("s")}};

/* --- loads -------------------------------------------------------------------------------------------------------- */

/* What colours channels, and the traffic that it is of. Starts zeroed. */
struct traffic {
    struct map_loads loads;
    struct cw_placement *placement;
    struct cw_pattern *pattern; /* NULL: a message from each endpoint to each other */
    struct cw_congestion_setup setup;
};

static void traffic_free(struct traffic *traffic)
{
    map_loads_free(&traffic->loads);
    cw_pattern_free(traffic->pattern);
    cw_placement_free(traffic->placement);
}

/* What the pattern SPEC puts on channels, as crosswind congestion counts it. */
static int count_traffic(struct invocation *invocation, const struct fabric *fabric, const char *spec,
                         struct traffic *traffic)
{
    const struct map_options *values = invocation->values;
    struct cw_congestion_result result = {0};
    int rc = cw_placement_new(values->placement, fabric->net, fabric->selection, &traffic->placement);
    if (!rc) rc = cw_placement_pattern(traffic->placement, spec, &traffic->pattern);
    if (rc) return rc;
    const bool random = cw_pattern_is_random(traffic->pattern) || cw_placement_is_random(traffic->placement);
    const size_t trials = values->trials ? (size_t)values->trials : random ? 100 : 1;
    struct cw_progress *progress = invocation_progress(invocation, "map", trials);
    traffic->setup = (struct cw_congestion_setup){.routes = fabric->routes,
                                                  .pattern = traffic->pattern,
                                                  .placement = traffic->placement,
                                                  .trials = trials,
                                                  .seed = (uint64_t)invocation->common.seed,
                                                  .n_threads = (unsigned)invocation->common.threads,
                                                  .progress = progress,
                                                  .executor = invocation_executor(invocation)};
    rc = cw_congestion_run(&traffic->setup, &result);
    cw_progress_free(progress);
    traffic->setup.progress = NULL;
    if (rc) return rc;
    rc = map_loads_of_congestion(&result, fabric->net, cw_pattern_spec(traffic->pattern), trials, &traffic->loads);
    cw_congestion_free(&result);
    cw_result_set_context(invocation->result, CW_CONTEXT_PLACEMENT, values->placement);
    cw_result_set_context(invocation->result, CW_CONTEXT_TRAFFIC, cw_pattern_spec(traffic->pattern));
    return rc;
}

/* Whether each endpoint that takes part has one cable: all that it sends and receives goes over it. */
static bool has_single_cables(const struct fabric *fabric)
{
    bool single = true;
    for (uint32_t i = 0; i < fabric->selection->n; i++)
        single &= cw_network_degree(fabric->net, fabric->selection->endpoints[i]) == 1;
    return single;
}

/* One message from each endpoint to each other: the routes over each channel. */
static int count_pairs(struct invocation *invocation, const struct fabric *fabric, struct traffic *traffic)
{
    const struct cw_network *net = fabric->net;
    const double n = fabric->selection->n;
    struct map_loads *loads = &traffic->loads;
    struct cw_reach reach;
    if (n > 1 && (cw_routes_kind(fabric->routes) == CW_ROUTES_WAYS || !has_single_cables(fabric)))
        return count_traffic(invocation, fabric, "alltoall", traffic);
    loads->carried = cw_new_array(net->n_channels, sizeof *loads->carried, "loads of channels");
    if (!loads->carried) return CW_ENOMEM;
    /* all of them can be counted by the structure of the routes */
    const struct cw_selection *among = fabric->selection->n < net->n_endpoints ? fabric->selection : NULL;
    int rc = cw_routes_reach(fabric->routes, among, MOST_ROUTES, (unsigned)invocation->common.threads, &reach);
    if (rc) return rc;
    if (reach.reached < reach.pairs)
        rc = cw_fail(CW_EROUTE, "%s", reach.first_problem.data ? reach.first_problem.data : "routes are missing");
    loads->sampled = reach.sampled;
    for (uint32_t c = 0; c < net->n_channels && !rc; c++)
        loads->carried[c] = reach.pairs > 0 ? (double)reach.load[c] * (n * (n - 1) / (double)reach.pairs) : 0;
    for (uint32_t i = 0; i < n && n > 1 && !rc; i++) { /* of tables, only channels between switches are counted */
        const uint32_t c = net->first[fabric->selection->endpoints[i]];
        loads->carried[c] = loads->carried[net->twin[c]] = n - 1;
    }
    cw_reach_free(&reach);
    cw_text_add(&loads->quantity, "Messages of an all-to-all on a channel");
    return rc;
}

static int find_loads(struct invocation *invocation, const struct fabric *fabric, struct traffic *traffic)
{
    static const char *const names[] = {"placement", "trials", NULL};
    const struct map_options *values = invocation->values;
    int rc = 0;
    if (!values->traffic) rc = invocation_refuse(invocation, names, "is for --traffic");
    if (!rc)
        rc = values->traffic ? count_traffic(invocation, fabric, values->traffic, traffic)
                             : count_pairs(invocation, fabric, traffic);
    return rc ? rc : map_loads_weigh(fabric->net, false, &traffic->loads);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static int add_summary(struct invocation *invocation, const struct map_drawing *drawing)
{
    struct cw_table *table;
    const struct cw_map_picture *picture = &drawing->picture;
    uint32_t endpoints = 0, switches = 0;
    for (size_t i = 0; i < picture->n_boxes; i++) {
        endpoints += picture->boxes[i].endpoints;
        switches += picture->boxes[i].switches;
    }
    const int rc = cw_result_new_table(invocation->result, "map", "The picture", CW_ITEMS(map_columns), &table);
    if (!rc)
        cw_table_row(table, "%s %zu %zu %u %u %u %u %u %ld %ld", picture->form, picture->n_boxes, picture->n_lines,
                     endpoints, switches, drawing->cables, drawing->failed, drawing->slow, lround(picture->width),
                     lround(picture->height));
    return rc;
}

struct heat {
    double load; /* or the size of its change */
    uint32_t channel;
    bool of_host;
};

/* The busiest first, or what changes most; of equal ones those between switches, which can be routed around. */
static int compare_heat(const void *a, const void *b)
{
    const struct heat *x = a, *y = b;
    if (x->load != y->load) return x->load < y->load ? 1 : -1;
    if (x->of_host != y->of_host) return x->of_host ? 1 : -1;
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

static int new_channels(struct invocation *invocation, const struct map_loads *loads, struct cw_table **table)
{
    if (loads->before)
        return cw_result_new_detail(invocation->result, "changes", "The channels that change most",
                                    change_columns[loads->by_bytes], CHANGE_LENGTH, table);
    return cw_result_new_detail(invocation->result, "busiest", "The busiest channels", channel_columns[loads->by_bytes],
                                CHANNEL_LENGTH, table);
}

/* The TOP busiest channels, or of those that change the ones that change most. */
static int add_channels(struct invocation *invocation, const struct cw_network *net, const struct map_loads *loads,
                        size_t top)
{
    struct cw_table *table;
    struct heat *heat = cw_new_array(net->n_channels, sizeof *heat, "channels by load");
    if (!heat) return CW_ENOMEM;
    size_t n = 0;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (!cw_network_is_closed(net, c) && !(loads->before && map_loads_value(loads, c) == 0))
            heat[n++] = (struct heat){fabs(map_loads_value(loads, c)), c, cw_network_is_host_channel(net, c)};
    if (n > 0) qsort(heat, n, sizeof *heat, compare_heat);
    const int rc = new_channels(invocation, loads, &table);
    for (size_t i = 0; !rc && i < top && i < n; i++) {
        char tail[CW_NAME_SIZE], head[CW_NAME_SIZE], speed[32];
        const uint32_t c = heat[i].channel;
        cw_table_row(table, "%u %s %u %s %u %s %g %g %g", c, cw_network_name(net, net->tail[c], tail, sizeof tail),
                     cw_network_port(net, c), cw_network_name(net, net->head[c], head, sizeof head),
                     cw_network_port(net, net->twin[c]), cw_format_rate(net->capacity[c], speed, sizeof speed),
                     net->capacity[c], loads->carried[c], loads->load[c]);
        if (loads->before) cw_table_row(table, "%g %g", loads->before[c], map_loads_value(loads, c));
    }
    free(heat);
    return rc;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

/* With faults the network is read twice: as it is drawn, and as it is; and once more for another state. */
static int check_input(const struct invocation *invocation)
{
    const char *path = invocation->positional[0];
    struct stat found;
    const struct map_options *values = invocation->values;
    if (!invocation->routing.failed && !invocation->routing.degraded && !values->against) return 0;
    if (strcmp(path, "-") != 0 && (stat(path, &found) != 0 || S_ISREG(found.st_mode))) return 0;
    return cw_fail(CW_EUSAGE,
                   "--failed and --degraded draw the network whole, and --against looks at two of its states, which "
                   "takes a second look at %s: expected a file, not a pipe",
                   path);
}

/* The network before anything failed, which is what is drawn. *OUT is the caller's if it is another one. */
static int open_whole(struct invocation *invocation, const struct fabric *fabric, struct cw_network **out)
{
    const struct routing *routing = &invocation->routing;
    const struct cw_reading how = {.format = routing->input_format, .node_names = routing->node_names};
    *out = NULL;
    if (!routing->failed && !routing->degraded) return 0;
    struct cw_network *whole;
    int rc = cw_network_open_as(&how, invocation->positional[0], &whole);
    if (!rc) rc = cw_nodes_renew(fabric->net, whole, out);
    if (!rc && cw_network_endpoints(*out) != cw_network_endpoints(fabric->net)) {
        cw_network_free(*out);
        *out = NULL;
        rc = cw_fail(CW_EUSAGE, "%s is read twice, because of --failed or --degraded, and was another network then",
                     invocation->positional[0]);
    }
    return rc;
}

static void note_regime(struct invocation *invocation, const struct fabric *fabric, const struct map_loads *loads)
{
    const struct map_options *values = invocation->values;
    cw_result_note(invocation->result, "%s%s. %sThe routes are those of %s.",
                   loads->before ? "" : "Loads: ", loads->quantity.data,
                   values->traffic ? "" : "An all-to-all is one message from each endpoint to each other. ",
                   cw_routes_name(fabric->routes));
    if (loads->sampled)
        cw_result_note(invocation->result, "Loads are estimated from an even sample of about %u routes.", MOST_ROUTES);
    if (!loads->by_bytes) fabric_note_speeds(invocation->result, fabric->net, false);
}

/* How many channels carry more than in the other state, and what became of the busiest. */
static void note_changes(struct invocation *invocation, const struct cw_network *net, const struct map_loads *loads)
{
    const struct map_loads plain = {.by_bytes = loads->by_bytes};
    uint32_t more = 0, less = 0, works = 0;
    double was = 0, is = 0;
    char before[64], now[64];
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const double change = map_loads_value(loads, c);
        if (cw_network_is_closed(net, c)) continue;
        works++;
        more += change > 0;
        less += change < 0;
        was = fmax(was, loads->before[c]);
        is = fmax(is, loads->load[c]);
    }
    cw_result_note(
        invocation->result,
        "Of %u channels, %u have more load than with %s, %u less. The greatest load is %s; there, on the same "
        "channels, it is %s.",
        works, more, loads->against.data, less, map_loads_format(&plain, is, now, sizeof now),
        map_loads_format(&plain, was, before, sizeof before));
}

/* Writes the picture, or leaves it to the page that the program writes of the result. */
static int write_map(struct invocation *invocation, const struct map_drawing *drawing)
{
    const char *file = invocation->positional[1];
    if (!cw_page_is_name(file)) return cw_map_write(&drawing->picture, file);
    invocation->page = file;
    return 0;
}

static int draw(struct invocation *invocation, const struct fabric *fabric, const struct cw_network *whole,
                const struct cw_routes *other_routes, const struct traffic *traffic)
{
    const struct map_options *values = invocation->values;
    const struct map_loads *loads = &traffic->loads;
    const struct map_source source = {fabric, traffic->pattern ? &traffic->setup : NULL};
    const struct map_content content = {whole ? whole : fabric->net, fabric->net, loads, cw_routes_name(fabric->routes),
                                        other_routes ? cw_routes_name(other_routes) : NULL};
    struct map_drawing drawing;
    int rc = map_drawing_new(&content, &drawing);
    if (rc) return rc;
    rc = add_summary(invocation, &drawing);
    if (!rc && values->top > 0) rc = add_channels(invocation, fabric->net, loads, (size_t)values->top);
    if (!rc) rc = write_map(invocation, &drawing);
    if (!rc && *drawing.merged) cw_result_note(invocation->result, "%s", drawing.merged);
    if (!rc) note_regime(invocation, fabric, loads);
    if (!rc && loads->before) note_changes(invocation, fabric->net, loads);
    if (!rc) rc = map_page_make(invocation, &content, &drawing, &source);
    map_drawing_free(&drawing);
    return rc;
}

/* Before long work. */
static int check_file(const char *file)
{
    return cw_page_is_name(file) ? cw_page_check() : cw_map_check(file);
}

/* The other state of --against: the same command but for one thing. Its result is read for its notes alone. */
struct other {
    struct invocation invocation;
    struct fabric fabric;
    struct traffic traffic;
    struct cw_text words;
};

static int open_other(const struct invocation *invocation, struct other *other)
{
    const struct map_options *values = invocation->values;
    if (!values->against) return 0;
    other->invocation = *invocation;
    other->invocation.result = NULL;
    int rc = cw_result_new(&other->invocation.result);
    if (!rc) rc = map_against_apply(values->against, &other->invocation.routing, &other->words);
    if (!rc) rc = cw_text_check(&other->words);
    return rc ? rc : fabric_open(&other->invocation, invocation->positional[0], &other->fabric);
}

static int compare(struct invocation *invocation, struct other *other, const struct fabric *fabric,
                   struct map_loads *loads)
{
    if (!other->fabric.net) return 0;
    int rc = find_loads(&other->invocation, &other->fabric, &other->traffic);
    if (!rc) rc = map_loads_compare(loads, fabric->net, &other->traffic.loads, other->fabric.net, other->words.data);
    if (!rc) map_against_notes(invocation->result, other->invocation.result);
    return rc;
}

static void other_free(struct other *other)
{
    traffic_free(&other->traffic);
    fabric_free(&other->fabric);
    cw_result_free(other->invocation.result);
    cw_text_free(&other->words);
}

static int run(struct invocation *invocation)
{
    struct fabric fabric = {0};
    struct cw_network *whole = NULL;
    struct traffic traffic = {0};
    struct other other = {0};
    int rc = check_file(invocation->positional[1]);
    if (!rc) rc = check_input(invocation);
    if (!rc) rc = open_other(invocation, &other);
    if (!rc) rc = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!rc) rc = open_whole(invocation, &fabric, &whole);
    if (!rc) rc = find_loads(invocation, &fabric, &traffic);
    if (!rc) rc = compare(invocation, &other, &fabric, &traffic.loads);
    if (!rc) rc = draw(invocation, &fabric, whole, other.fabric.routes, &traffic);
    other_free(&other);
    traffic_free(&traffic);
    cw_network_free(whole);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_map = {
    .name = "map",
    .help = "Draws a network in its shape, its channels coloured by load",
    .arguments = arguments,
    .description =
        "Trees, and maps whose switches have levels, are drawn in rows, endpoints below; tori, meshes and HyperX as a "
        "grid, rings folded; groups on a circle; rails side by side; all else by forces. Large networks are put "
        "together "
        "until they can be looked at, and the picture says how: endpoints of one switch, switches that look alike, "
        "blocks, groups. A cable has the colour of the busier of its directions, and a width by its capacity. What "
        "--failed takes out is dashed; cables slower than most of their kind have a mark. SVG shows names, loads and "
        "capacities where the pointer rests, in light or dark colours. --against shows what differs between two "
        "states: red "
        "where a channel has more load than in the other, blue where it has less. On a page (NAME.html, or --html of "
        "any map) the "
        "map can be zoomed into; a click on a channel shows who sends over it, a click on a host its routes.",
    .examples = "  crosswind map fabric.ibnetdiscover fabric.svg --lft opensm-lfts.dump\n"
                "  crosswind map fabric.ibnetdiscover fabric.html --lft opensm-lfts.dump\n"
                "  crosswind map torus:4x4x4 torus.svg --traffic bitcomp\n"
                "  crosswind map dragonfly:4,8,4 map.svg --failed 5%\n"
                "  crosswind map fabric.ibnetdiscover change.svg --lft today.lfts --against lft:yesterday.lfts\n"
                "  crosswind map torus:8x8 change.svg --failed 's(0,0)' --against whole\n",
    .options = options,
    .size = sizeof(struct map_options),
    .network = true,
    .nodes = true,
    .routes = true,
    .lids = true,
    .run = run,
};
