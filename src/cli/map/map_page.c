#include "cli/map/map_page.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/map/map_loads.h"
#include "net/network_internal.h"
#include "study/pair_traffic.h"

#define MOST_PAIRS  4000000 /* which the page looks through at a click */
#define MOST_LISTED 200000  /* pairs that are written one by one, unless they are all there can be */
#define MOST_NEXT   2000000 /* entries of tables */
#define MOST_OTHERS 300000  /* hops of routes that are in no table */

static const char what[] = "the map of a page";

/* --- the network -------------------------------------------------------------------------------------------------- */

/* Channel C of the whole network in the one that there is now, or CW_NONE. */
static uint32_t channel_now(const struct map_drawing *drawing, uint32_t c)
{
    return drawing->match ? drawing->match->after_channel[c] : c;
}

static uint32_t vertex_before(const struct map_drawing *drawing, uint32_t v)
{
    return drawing->match ? drawing->match->before_vertex[v] : v;
}

static uint32_t channel_before(const struct map_drawing *drawing, uint32_t c)
{
    return drawing->match ? drawing->match->before_channel[c] : c;
}

static const char *before_item(size_t i)
{
    return i > 0 ? "," : "";
}

static void add_numbers(struct cw_text *text, const char *key, const uint32_t *values, size_t n)
{
    cw_text_printf(text, "\"%s\": [", key);
    for (size_t i = 0; i < n; i++) cw_json_add_item(text, before_item(i), values[i]);
    cw_text_add(text, "],\n");
}

static void add_names(struct cw_text *text, const struct cw_network *net)
{
    char name[CW_NAME_SIZE];
    cw_text_add(text, "\"names\": [");
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        cw_text_add(text, before_item(v));
        cw_json_add_string(text, cw_network_name(net, v, name, sizeof name));
    }
    cw_text_add(text, "],\n");
}

static void add_ports(struct cw_text *text, const struct cw_network *net)
{
    cw_text_add(text, "\"port\": [");
    for (uint32_t c = 0; c < net->n_channels; c++) cw_json_add_item(text, before_item(c), cw_network_port(net, c));
    cw_text_add(text, "],\n");
}

/* Capacities, each once in the order in which they first appear, and which one each channel has: that of now, or where
 * it has failed, that of before. */
static int add_speeds(struct cw_text *text, const struct map_content *content, const struct map_drawing *drawing)
{
    const struct cw_network *whole = content->whole, *net = content->net;
    uint32_t *speed = cw_new_array(whole->n_channels, sizeof *speed, what);
    double *capacities = NULL;
    size_t n = 0, capacity = 0;
    int rc = speed ? 0 : CW_ENOMEM;
    for (uint32_t c = 0; c < whole->n_channels && !rc; c++) {
        const uint32_t now = channel_now(drawing, c);
        const double value = now == CW_NONE || cw_network_is_closed(net, now) ? whole->capacity[c] : net->capacity[now];
        while (speed[c] < n && capacities[speed[c]] != value) speed[c]++;
        if (speed[c] < n) continue;
        rc = cw_grow_array((void **)&capacities, &capacity, n + 1, sizeof *capacities, what);
        if (!rc) capacities[n++] = value;
    }
    cw_text_add(text, "\"speeds\": [");
    for (size_t i = 0; i < n && !rc; i++) {
        char rate[32];
        cw_text_add(text, before_item(i));
        cw_json_add_string(text, cw_format_rate(capacities[i], rate, sizeof rate));
    }
    cw_text_add(text, "],\n\"capacities\": [");
    for (size_t i = 0; i < n && !rc; i++) {
        cw_text_add(text, before_item(i));
        cw_json_add_real(text, capacities[i]);
    }
    cw_text_add(text, "],\n");
    if (!rc) add_numbers(text, "speed", speed, whole->n_channels);
    free(capacities);
    free(speed);
    return rc;
}

/* VALUES by channel of now; null of those that do not work. */
static void add_values(struct cw_text *text, const char *key, const struct map_content *content,
                       const struct map_drawing *drawing, const double *values)
{
    cw_text_printf(text, "\"%s\": [", key);
    for (uint32_t c = 0; c < content->whole->n_channels; c++) {
        const uint32_t now = channel_now(drawing, c);
        const bool works = now != CW_NONE && !cw_network_is_closed(content->net, now);
        cw_text_add(text, before_item(c));
        cw_json_add_real(text, works ? values[now] : (double)NAN);
    }
    cw_text_add(text, "],\n");
}

static void add_slow(struct cw_text *text, const struct map_content *content, const struct map_drawing *drawing)
{
    size_t n = 0;
    cw_text_add(text, "\"slow\": [");
    for (uint32_t c = 0; c < content->whole->n_channels; c++)
        if (drawing->is_slow[c]) cw_json_add_item(text, before_item(n++), c);
    cw_text_add(text, "]},\n");
}

static int add_network(struct cw_text *text, const struct map_content *content, const struct map_drawing *drawing)
{
    const struct cw_network *whole = content->whole;
    cw_text_printf(text, "\"network\": {\"endpoints\": %u,\n", whole->n_endpoints);
    add_names(text, whole);
    add_numbers(text, "box", drawing->box_of, whole->n_vertices);
    add_numbers(text, "first", whole->first, (size_t)whole->n_vertices + 1);
    add_numbers(text, "head", whole->head, whole->n_channels);
    add_numbers(text, "twin", whole->twin, whole->n_channels);
    add_ports(text, whole);
    const int rc = add_speeds(text, content, drawing);
    add_values(text, "carried", content, drawing, content->loads->carried);
    add_values(text, "load", content, drawing, content->loads->load);
    if (content->loads->before) add_values(text, "before", content, drawing, content->loads->before);
    add_slow(text, content, drawing);
    return rc;
}

/* --- routes ------------------------------------------------------------------------------------------------------- */

/* Routes as they are met: those to a receiver that do not fit into a table, as they do where a vertex sends on by
 * sender, too, stand by themselves. */
struct route_writer {
    const struct map_content *content;
    const struct map_drawing *drawing;
    uint32_t *rows;   /* [vertices of the whole network] place among those with a choice; CW_NONE: it has none */
    uint32_t *choice; /* [n_rows] vertices with a choice */
    uint32_t *next;   /* [n_rows] of the receiver at hand; CW_NONE: no route leads there */
    size_t n_rows, n_others, n_entries;
    struct cw_text tables, others;
};

static void route_writer_free(struct route_writer *writer)
{
    free(writer->rows);
    free(writer->choice);
    free(writer->next);
    cw_text_free(&writer->tables);
    cw_text_free(&writer->others);
}

static int route_writer_make(struct route_writer *writer)
{
    const struct cw_network *whole = writer->content->whole;
    writer->rows = cw_new_array(whole->n_vertices, sizeof *writer->rows, what);
    writer->choice = cw_new_array(whole->n_vertices, sizeof *writer->choice, what);
    writer->next = cw_new_array(whole->n_vertices, sizeof *writer->next, what);
    if (!writer->rows || !writer->choice || !writer->next) return CW_ENOMEM;
    for (uint32_t v = 0; v < whole->n_vertices; v++) {
        writer->rows[v] = cw_network_degree(whole, v) > 1 ? (uint32_t)writer->n_rows : CW_NONE;
        if (writer->rows[v] != CW_NONE) writer->choice[writer->n_rows++] = v;
    }
    return 0;
}

/* The place of CHANNEL, of now, among those that leave where it does; *ROW of that in the table. */
static uint32_t place_of(const struct route_writer *writer, uint32_t channel, uint32_t *row)
{
    const struct cw_network *whole = writer->content->whole;
    const uint32_t c = channel_before(writer->drawing, channel);
    *row = writer->rows[whole->tail[c]];
    return c - whole->first[whole->tail[c]];
}

static void write_other(struct route_writer *writer, uint32_t src, uint32_t dst, const uint32_t *path, uint32_t hops)
{
    uint32_t row;
    cw_text_add(&writer->others, writer->n_others > 0 ? ",\n" : "");
    cw_json_add_item(&writer->others, "[", vertex_before(writer->drawing, src));
    cw_json_add_item(&writer->others, ",", vertex_before(writer->drawing, dst));
    for (uint32_t i = 0; i < hops; i++) cw_json_add_item(&writer->others, ",", place_of(writer, path[i], &row));
    cw_text_add(&writer->others, "]");
    writer->n_others += hops;
}

/* Puts PATH into the table, if no other route contradicts it. */
static void write_route(struct route_writer *writer, uint32_t src, uint32_t dst, const uint32_t *path, uint32_t hops)
{
    bool fits = true;
    uint32_t row;
    for (uint32_t i = 0; i < hops && fits; i++) {
        const uint32_t place = place_of(writer, path[i], &row);
        if (row == CW_NONE) continue;
        if (writer->next[row] == CW_NONE) writer->next[row] = place;
        fits = writer->next[row] == place;
    }
    if (!fits) write_other(writer, src, dst, path, hops);
}

static void begin_table(struct route_writer *writer)
{
    for (size_t i = 0; i < writer->n_rows; i++) writer->next[i] = CW_NONE;
}

/* Vertices that no route passes stay empty: [3,,,7] is no JSON, so they are 0, which nobody asks for. */
static void end_table(struct route_writer *writer, uint32_t dst)
{
    cw_json_add_item(&writer->tables, writer->n_entries > 0 ? ",\n\"" : "\"", vertex_before(writer->drawing, dst));
    cw_text_add(&writer->tables, "\":[");
    for (size_t i = 0; i < writer->n_rows; i++)
        cw_json_add_item(&writer->tables, before_item(i), writer->next[i] == CW_NONE ? 0 : writer->next[i]);
    cw_text_add(&writer->tables, "]");
    writer->n_entries += writer->n_rows;
}

/* The N routes from SRC to DST, the same for all, which TRAFFIC's pairs from I on are. */
static int write_table(struct route_writer *writer, const struct cw_routes *routes, const uint32_t *src,
                       const uint32_t *dst, size_t n)
{
    uint32_t *hops = cw_new_array(n, sizeof *hops, what),
             *channels = cw_new_array(n * cw_routes_max_hops(routes), sizeof *channels, what);
    int rc = hops && channels ? cw_routes_packed_paths(routes, n, src, dst, hops, channels) : CW_ENOMEM;
    begin_table(writer);
    for (size_t i = 0, at = 0; i < n && !rc; at += hops[i], i++)
        write_route(writer, src[i], *dst, channels + at, hops[i]);
    if (!rc) end_table(writer, *dst);
    free(hops);
    free(channels);
    return rc;
}

/* The routes of all TRAFFIC. *FIT: they are few enough, and complete. */
static int write_routes(struct route_writer *writer, const struct cw_routes *routes,
                        const struct cw_pair_traffic *traffic, bool *fit)
{
    int rc = route_writer_make(writer);
    for (size_t i = 0, end; i < traffic->n && !rc; i = end) {
        end = i;
        while (end < traffic->n && traffic->dst[end] == traffic->dst[i]) end++;
        if (writer->n_entries > MOST_NEXT || writer->n_others > MOST_OTHERS) break;
        rc = cw_interrupt_check();
        if (!rc) rc = write_table(writer, routes, traffic->src + i, traffic->dst + i, end - i);
    }
    *fit = writer->n_entries <= MOST_NEXT && writer->n_others <= MOST_OTHERS;
    return rc;
}

static void add_routes(struct cw_text *text, const struct route_writer *writer)
{
    cw_text_add(text, "\"routes\": {\n");
    add_numbers(text, "rows", writer->choice, writer->n_rows);
    cw_text_add(text, "\"next\": {");
    if (writer->tables.data) cw_text_append(text, writer->tables.data, writer->tables.length);
    cw_text_add(text, "},\n\"others\": [");
    if (writer->others.data) cw_text_append(text, writer->others.data, writer->others.length);
    cw_text_add(text, "]},\n");
    text->failed |= writer->tables.failed || writer->others.failed;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

/* Whether TRAFFIC is one message from each of its receivers to each other. */
static bool is_all(const struct cw_pair_traffic *traffic, size_t *n)
{
    size_t receivers = 0;
    for (size_t i = 0; i < traffic->n; i++) {
        if (traffic->amount[i] != 1) return false;
        receivers += i == 0 || traffic->dst[i] != traffic->dst[i - 1];
    }
    *n = receivers;
    if (traffic->n != receivers * (receivers - 1) || receivers < 2) return false;
    /* the senders to the first receiver are all the others then, and so on */
    for (size_t i = 0; i < traffic->n; i++) {
        const size_t d = i / (receivers - 1), s = i % (receivers - 1), other = s < d ? s : s + 1;
        if (traffic->src[i] != traffic->dst[other * (receivers - 1)]) return false;
    }
    return true;
}

static void add_vertices(struct cw_text *text, const char *key, const struct map_drawing *drawing,
                         const uint32_t *vertices, size_t n, size_t step)
{
    cw_text_printf(text, "\"%s\": [", key);
    for (size_t i = 0; i < n; i++) cw_json_add_item(text, before_item(i), vertex_before(drawing, vertices[i * step]));
    cw_text_add(text, "]");
}

static void add_messages(struct cw_text *text, const struct map_drawing *drawing, const struct cw_pair_traffic *traffic)
{
    size_t n;
    cw_text_add(text, "\"messages\": {");
    if (is_all(traffic, &n)) {
        add_vertices(text, "all", drawing, traffic->dst, n, n - 1);
    } else {
        add_vertices(text, "src", drawing, traffic->src, traffic->n, 1);
        cw_text_add(text, ",\n");
        add_vertices(text, "dst", drawing, traffic->dst, traffic->n, 1);
        cw_text_add(text, ",\n\"amount\": [");
        for (size_t i = 0; i < traffic->n; i++) {
            cw_text_add(text, before_item(i));
            cw_json_add_real(text, traffic->amount[i]);
        }
        cw_text_add(text, "]");
    }
    cw_text_add(text, "}\n");
}

static int leave_out(struct invocation *invocation, struct cw_text *text, const char *why)
{
    struct cw_text sentence = {0};
    cw_text_printf(&sentence, "The map has no messages and routes: %s.", why);
    const int rc = cw_text_check(&sentence);
    if (!rc) {
        cw_result_note(invocation->result, "%s", sentence.data);
        cw_text_add(text, "\"left_out\": ");
        cw_json_add_string(text, sentence.data);
        cw_text_add(text, "\n");
    }
    cw_text_free(&sentence);
    return rc;
}

static int find_traffic(const struct map_content *content, const struct map_source *source,
                        struct cw_pair_traffic *traffic)
{
    const struct cw_selection *selection = source->fabric->selection;
    size_t n;
    if (!source->setup) return cw_pair_traffic_of_all(selection->endpoints, selection->n, MOST_PAIRS, traffic);
    const int rc = cw_pair_traffic_of(source->setup, content->loads->by_bytes, MOST_PAIRS, traffic);
    if (!rc && traffic->n > MOST_LISTED && !is_all(traffic, &n)) traffic->too_many = true;
    return rc;
}

static int add_traffic(struct invocation *invocation, const struct map_content *content,
                       const struct map_drawing *drawing, const struct map_source *source, struct cw_text *text)
{
    const struct cw_routes *routes = source->fabric->routes;
    struct route_writer writer = {.content = content, .drawing = drawing};
    struct cw_pair_traffic traffic = {0};
    bool fit = false;
    if (cw_routes_kind(routes) == CW_ROUTES_WAYS)
        return leave_out(invocation, text, "packets of one message take several ways");
    int rc = find_traffic(content, source, &traffic);
    if (!rc && !traffic.too_many) rc = write_routes(&writer, routes, &traffic, &fit);
    if (!rc && fit) {
        add_routes(text, &writer);
        add_messages(text, drawing, &traffic);
    } else if (!rc) {
        rc = leave_out(invocation, text,
                       traffic.too_many ? "more pairs of endpoints send than a page has room for"
                                        : "the routes are too many for a page");
    }
    route_writer_free(&writer);
    cw_pair_traffic_free(&traffic);
    return rc;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

int map_page_make(struct invocation *invocation, const struct map_content *content, const struct map_drawing *drawing,
                  const struct map_source *source)
{
    struct cw_text *text = &invocation->more.map;
    struct cw_map_picture picture = drawing->picture;
    if (!invocation_has_page(invocation)) return 0;
    picture.channel_name = NULL; /* the network has them */
    cw_text_add(text, "{\"drawing\": ");
    int rc = cw_map_json(&picture, text);
    cw_text_printf(text, ", \"unit\": %s, \"carries\": \"%s\",\n", content->loads->by_bytes ? "\"s\"" : "null",
                   content->loads->by_bytes ? "bytes" : "messages");
    if (!rc) rc = add_network(text, content, drawing);
    if (!rc) rc = add_traffic(invocation, content, drawing, source, text);
    cw_text_add(text, "}\n");
    if (!rc) rc = cw_text_check(text);
    if (rc) cw_text_free(text);
    return rc;
}

static int draw_loads(struct invocation *invocation, const struct map_source *source, const struct map_loads *loads)
{
    const struct fabric *fabric = source->fabric;
    const struct map_content content = {fabric->net, fabric->net, loads, cw_routes_name(fabric->routes)};
    struct map_drawing drawing;
    int rc = map_drawing_new(&content, &drawing);
    if (rc) return rc;
    rc = map_page_make(invocation, &content, &drawing, source);
    map_drawing_free(&drawing);
    return rc;
}

int map_page_of_congestion(struct invocation *invocation, const struct fabric *fabric,
                           const struct cw_congestion_setup *setup, const struct cw_congestion_result *result)
{
    const struct map_source source = {fabric, setup};
    struct map_loads loads = {0};
    if (!invocation_has_page(invocation)) return 0;
    int rc = map_loads_of_congestion(result, fabric->net, cw_pattern_spec(setup->pattern), setup->trials, &loads);
    if (!rc) rc = map_loads_weigh(fabric->net, setup->equal_speeds, &loads);
    if (!rc) rc = draw_loads(invocation, &source, &loads);
    map_loads_free(&loads);
    return rc;
}
