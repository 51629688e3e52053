#include "net/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "net/name_table.h"
#include "net/network_internal.h"

/* A cable waits for finish. PORT is the number asked for (0: the next) and, in finish, becomes the channel. */
struct cable {
    uint32_t vertex[2];
    uint32_t port[2];
    double capacity, latency;
};

/* What the direction from the second vertex of a cable to its first has of its own: few cables, so not in all. */
struct back {
    size_t cable;
    double capacity, latency;
};

struct cw_builder {
    int error; /* the first; everything after it is ignored */
    char *message;
    uint32_t n_endpoints, n_vertices;
    struct cable *cables;
    size_t n_cables, cable_capacity;
    struct back *backs;
    size_t n_backs, backs_capacity;
    bool numbered;                /* some cable asks for a port number */
    struct cw_text names;         /* each followed by a 0 */
    size_t *name_at;              /* [n_vertices] or NULL; NO_NAME where none was given */
    struct cw_identity *identity; /* [n_vertices] or NULL */
    struct cw_shape shape;
    char *title;
};

#define NO_NAME      SIZE_MAX
#define MAX_IDS      (UINT32_MAX - 1) /* CW_NONE is no vertex and no channel */
#define LAST_PORT    UINT32_MAX       /* sorts cables without a number behind the others */
#define CW_NAME_SIZE 256              /* in messages */

/* Stands in for a builder that could not be allocated. It has an error, so nobody ever writes to it. */
static const struct cw_builder no_builder = {.error = CW_ENOMEM};

/* Bytes a network takes while it is built: the cables that wait, and the arrays of net/network.h. */
static double bytes_needed(double vertices, double cables)
{
    const double channel = 3 * sizeof(uint32_t) + 2 * sizeof(double);
    return vertices * sizeof(uint32_t) + cables * (sizeof(struct cable) + 2 * channel);
}

/* Refuses what does not fit in 32-bit ids or in memory. */
static int check_size(uint64_t n_endpoints, uint64_t n_switches, uint64_t n_cables)
{
    uint64_t vertices, channels;
    if (__builtin_add_overflow(n_endpoints, n_switches, &vertices)) vertices = UINT64_MAX;
    if (__builtin_mul_overflow(n_cables, 2, &channels)) channels = UINT64_MAX;
    if (vertices > MAX_IDS || channels > MAX_IDS)
        return cw_fail(CW_ELIMIT,
                       "a network of %" PRIu64 " vertices and %" PRIu64 " channels; at most %u of each are possible",
                       vertices, channels, MAX_IDS);
    const double bytes = bytes_needed((double)vertices, (double)n_cables);
    const uint64_t available = cw_memory_available();
    if (bytes <= (double)available) return 0;
    char needed[32], had[32];
    return cw_fail(CW_ELIMIT,
                   "a network of %" PRIu64 " vertices and %" PRIu64 " channels needs %s of memory; %s are available",
                   vertices, channels, cw_format_bytes((uint64_t)bytes, needed, sizeof needed),
                   cw_format_bytes(available, had, sizeof had));
}

void cw_builder_fail(struct cw_builder *builder, int code)
{
    if (builder->error) return;
    builder->error = code;
    builder->message = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
}

bool cw_builder_failed(const struct cw_builder *builder)
{
    return builder->error != 0;
}

/* True if CODE is an error; it is remembered. */
static bool failed(struct cw_builder *builder, int code)
{
    if (code) cw_builder_fail(builder, code);
    return code != 0;
}

struct cw_builder *cw_builder_new(uint64_t n_endpoints, uint64_t n_switches, uint64_t n_cables)
{
    struct cw_builder *builder = cw_new_array(1, sizeof *builder, "a network's builder");
    if (!builder) return (struct cw_builder *)&no_builder;
    if (failed(builder, check_size(n_endpoints, n_switches, n_cables))) return builder;
    builder->n_endpoints = (uint32_t)n_endpoints;
    builder->n_vertices = (uint32_t)(n_endpoints + n_switches);
    void *cables = NULL;
    if (failed(builder, cw_grow_array(&cables, &builder->cable_capacity, n_cables, sizeof *builder->cables, "cables")))
        return builder;
    builder->cables = cables;
    return builder;
}

static bool vertex_is_wrong(struct cw_builder *builder, uint32_t v)
{
    return v >= builder->n_vertices &&
           failed(builder, cw_fail(CW_EUSAGE, "vertex %u in a network of %u vertices", v, builder->n_vertices));
}

/* 0, or the error of a direction of a cable of vertex A. */
static int check_link(uint32_t a, double capacity, double latency)
{
    if (!(capacity >= 0) || !isfinite(capacity))
        return cw_fail(CW_EUSAGE, "capacity %g byte/s of a cable of vertex %u; expected 0 or more", capacity, a);
    char time[32];
    if (!(latency >= 0) || !isfinite(latency))
        return cw_fail(CW_EUSAGE, "latency %s of a cable of vertex %u; expected 0 or more",
                       cw_format_time(latency, time, sizeof time), a);
    return 0;
}

void cw_builder_cable(struct cw_builder *builder, uint32_t a, uint32_t port_a, uint32_t b, uint32_t port_b,
                      double capacity, double latency)
{
    if (builder->error || vertex_is_wrong(builder, a) || vertex_is_wrong(builder, b)) return;
    int rc = a == b ? cw_fail(CW_EUSAGE, "a cable joins vertex %u to itself", a) : check_link(a, capacity, latency);
    if (rc == 0 && (port_a == LAST_PORT || port_b == LAST_PORT))
        rc = cw_fail(CW_EUSAGE, "port %u; expected at most %u", LAST_PORT, LAST_PORT - 1);
    else if (rc == 0 && builder->n_cables >= MAX_IDS / 2)
        rc = cw_fail(CW_ELIMIT, "more than %u cables", MAX_IDS / 2);
    else if (rc == 0 && builder->n_cables == builder->cable_capacity) {
        void *cables = builder->cables;
        rc = cw_grow_array(&cables, &builder->cable_capacity, builder->n_cables + 1, sizeof *builder->cables, "cables");
        builder->cables = cables;
    }
    if (failed(builder, rc)) return;
    builder->cables[builder->n_cables++] = (struct cable){{a, b}, {port_a, port_b}, capacity, latency};
    builder->numbered |= port_a != 0 || port_b != 0;
}

void cw_builder_back(struct cw_builder *builder, double capacity, double latency)
{
    if (builder->error) return;
    const size_t n = builder->n_cables;
    void *backs = builder->backs;
    int rc = n == 0 ? cw_fail(CW_EUSAGE, "the way back of a cable, but there is no cable yet")
                    : check_link(builder->cables[n - 1].vertex[1], capacity, latency);
    if (rc == 0)
        rc = cw_grow_array(&backs, &builder->backs_capacity, builder->n_backs + 1, sizeof *builder->backs, "cables");
    builder->backs = backs;
    if (failed(builder, rc)) return;
    builder->backs[builder->n_backs++] = (struct back){n - 1, capacity, latency};
}

void cw_builder_name(struct cw_builder *builder, uint32_t v, const char *name)
{
    if (builder->error || vertex_is_wrong(builder, v)) return;
    const size_t length = strlen(name);
    if (length == 0 || length >= CW_NAME_SIZE) {
        failed(builder, cw_fail(CW_EUSAGE, "the name of vertex %u has %zu bytes; expected 1 to %d", v, length,
                                CW_NAME_SIZE - 1));
        return;
    }
    if (!builder->name_at) {
        builder->name_at = cw_new_array(builder->n_vertices, sizeof *builder->name_at, "names");
        if (!builder->name_at && failed(builder, CW_ENOMEM)) return;
        for (uint32_t i = 0; i < builder->n_vertices; i++) builder->name_at[i] = NO_NAME;
    }
    builder->name_at[v] = builder->names.length;
    cw_text_append(&builder->names, name, length + 1);
    failed(builder, cw_text_check(&builder->names));
}

void cw_builder_identity(struct cw_builder *builder, uint32_t v, const struct cw_identity *identity)
{
    if (builder->error || vertex_is_wrong(builder, v)) return;
    if (identity->kind > CW_KIND_ROUTER &&
        failed(builder, cw_fail(CW_EUSAGE, "vertex %u has kind %d", v, identity->kind)))
        return;
    if ((identity->kind == CW_KIND_SWITCH) != (v >= builder->n_endpoints)) {
        failed(builder, cw_fail(CW_EUSAGE, "vertex %u is %s by its place and %s by its identity", v,
                                v < builder->n_endpoints ? "an endpoint" : "a switch",
                                identity->kind == CW_KIND_SWITCH ? "a switch" : "an endpoint"));
        return;
    }
    if (!builder->identity) {
        builder->identity = cw_new_array(builder->n_vertices, sizeof *builder->identity, "identities");
        if (!builder->identity && failed(builder, CW_ENOMEM)) return;
        for (uint32_t i = 0; i < builder->n_endpoints; i++) builder->identity[i].kind = CW_KIND_HOST;
    }
    builder->identity[v] = *identity;
}

void cw_builder_shape(struct cw_builder *builder, const struct cw_shape *shape)
{
    if (!builder->error) builder->shape = *shape;
}

void cw_builder_title(struct cw_builder *builder, const char *title)
{
    if (builder->error) return;
    char *copy = cw_copy_text(title, strlen(title));
    if (!copy && failed(builder, CW_ENOMEM)) return;
    free(builder->title);
    builder->title = copy;
}

static void builder_free(struct cw_builder *builder)
{
    if (builder == &no_builder) return;
    free(builder->message);
    free(builder->cables);
    free(builder->backs);
    cw_text_free(&builder->names);
    free(builder->name_at);
    free(builder->identity);
    free(builder->title);
    free(builder);
}

/* V's name in messages, as the network would have it. */
static const char *name_of(const struct cw_builder *builder, uint32_t v, char *name, size_t size)
{
    if (builder->name_at && builder->name_at[v] != NO_NAME)
        snprintf(name, size, "%s", builder->names.data + builder->name_at[v]);
    else
        cw_shape_name(&builder->shape, builder->n_endpoints, v, name, size);
    return name;
}

static int check_names(const struct cw_builder *builder)
{
    struct cw_name_table *table = NULL;
    int rc = cw_name_table_new(&table);
    for (uint32_t v = 0; v < builder->n_vertices && !rc; v++) {
        if (builder->name_at[v] == NO_NAME) {
            rc = cw_fail(CW_EUSAGE, "vertex %u has no name; expected one as for other vertices", v);
            break;
        }
        const char *name = builder->names.data + builder->name_at[v];
        uint32_t id;
        rc = cw_name_table_add(table, name, strlen(name), &id);
        if (!rc && id != v) rc = cw_fail(CW_EUSAGE, "vertices %u and %u are both named '%s'", id, v, name);
    }
    cw_name_table_free(table);
    return rc;
}

static int check_shape(const struct cw_builder *builder)
{
    const uint32_t n_switches = builder->n_vertices - builder->n_endpoints;
    if (cw_shape_fits(&builder->shape, builder->n_endpoints, n_switches)) return 0;
    return cw_fail(CW_EUSAGE, "the network's %u endpoints and %u switches are not those of its shape",
                   builder->n_endpoints, n_switches);
}

static int allocate(const struct cw_builder *builder, struct cw_network *net)
{
    static const char what[] = "a network";
    net->n_endpoints = builder->n_endpoints;
    net->n_vertices = builder->n_vertices;
    net->n_channels = 2 * (uint32_t)builder->n_cables;
    net->first = cw_new_array((size_t)net->n_vertices + 1, sizeof *net->first, what);
    net->tail = cw_new_array(net->n_channels, sizeof *net->tail, what);
    net->head = cw_new_array(net->n_channels, sizeof *net->head, what);
    net->twin = cw_new_array(net->n_channels, sizeof *net->twin, what);
    net->capacity = cw_new_array(net->n_channels, sizeof *net->capacity, what);
    net->latency = cw_new_array(net->n_channels, sizeof *net->latency, what);
    const bool all = net->first && net->tail && net->head && net->twin && net->capacity && net->latency;
    return all ? 0 : CW_ENOMEM;
}

/* first[v] … first[v+1]: as many channels as V has ends of cables. */
static void count_channels(const struct cw_builder *builder, uint32_t *first)
{
    for (size_t i = 0; i < builder->n_cables; i++) {
        first[builder->cables[i].vertex[0] + 1]++;
        first[builder->cables[i].vertex[1] + 1]++;
    }
    for (uint32_t v = 0; v < builder->n_vertices; v++) first[v + 1] += first[v];
}

/* While channels are given out, first[v] counts up to first[v+1]; this undoes it. */
static void restore_first(uint32_t *first, uint32_t n_vertices)
{
    memmove(first + 1, first, n_vertices * sizeof *first);
    first[0] = 0;
}

/* Gives each end of a cable the next channel of its vertex. */
static void order_by_call(struct cw_builder *builder, uint32_t *first)
{
    for (size_t i = 0; i < builder->n_cables; i++) {
        struct cable *cable = builder->cables + i;
        for (unsigned end = 0; end < 2; end++) cable->port[end] = first[cable->vertex[end]]++;
    }
    restore_first(first, builder->n_vertices);
}

/* An end of a cable that waits for its channel: port number · 2^32 + cable · 2 + end; ends without a number come last
 * in the order of the calls. */
static uint64_t end_key(uint32_t port, size_t cable, unsigned end)
{
    return (uint64_t)(port == 0 ? LAST_PORT : port) << 32 | (cable * 2 + end);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts the N ends at KEYS of vertex V and completes their port numbers. *PLAIN becomes false unless these are 1 … n.
 */
static int number_ports(const struct cw_builder *builder, uint32_t v, uint64_t *keys, uint32_t n, bool *plain)
{
    for (uint32_t i = 1; i < n; i++) {
        if (keys[i - 1] <= keys[i]) continue;
        qsort(keys, n, sizeof *keys, compare_keys);
        break;
    }
    uint64_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t given = keys[i] >> 32;
        const uint64_t port = given == LAST_PORT ? last + 1 : given;
        char name[CW_NAME_SIZE];
        if (port == last)
            return cw_fail(CW_EUSAGE, "port %" PRIu64 " of %s has two cables; expected one", port,
                           name_of(builder, v, name, sizeof name));
        if (port >= LAST_PORT)
            return cw_fail(CW_ELIMIT, "port %" PRIu64 " of %s; expected at most %u", port,
                           name_of(builder, v, name, sizeof name), LAST_PORT - 1);
        *plain &= port == i + 1;
        keys[i] = port << 32 | (keys[i] & UINT32_MAX);
        last = port;
    }
    return 0;
}

/* Stores the port numbers in NET, where an index does not say them. */
static int keep_ports(const struct cw_builder *builder, const uint64_t *keys, struct cw_network *net)
{
    net->port = cw_new_array(net->n_channels, sizeof *net->port, "port numbers");
    if (!net->port) return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            char name[CW_NAME_SIZE];
            if (keys[c] >> 32 > UINT16_MAX)
                return cw_fail(CW_ELIMIT, "port %" PRIu64 " of %s; expected at most %d", keys[c] >> 32,
                               name_of(builder, v, name, sizeof name), UINT16_MAX);
            net->port[c] = (uint16_t)(keys[c] >> 32);
        }
    }
    return 0;
}

/* Gives each end of a cable its channel by the order of port numbers. */
static int order_by_number(struct cw_builder *builder, struct cw_network *net)
{
    uint64_t *keys = cw_new_array(net->n_channels, sizeof *keys, "port numbers");
    if (!keys) return CW_ENOMEM;
    for (size_t i = 0; i < builder->n_cables; i++)
        for (unsigned end = 0; end < 2; end++)
            keys[net->first[builder->cables[i].vertex[end]]++] = end_key(builder->cables[i].port[end], i, end);
    restore_first(net->first, net->n_vertices);
    int rc = 0;
    bool plain = true;
    for (uint32_t v = 0; v < net->n_vertices && !rc; v++)
        rc = number_ports(builder, v, keys + net->first[v], cw_network_degree(net, v), &plain);
    if (!rc && !plain) rc = keep_ports(builder, keys, net);
    for (uint32_t c = 0; c < net->n_channels && !rc; c++)
        builder->cables[(keys[c] & UINT32_MAX) / 2].port[keys[c] & 1] = c;
    free(keys);
    return rc;
}

/* Fills the channels, now that every end of a cable knows its own. */
static void connect(const struct cw_builder *builder, struct cw_network *net)
{
    for (size_t i = 0; i < builder->n_cables; i++) {
        const struct cable *cable = builder->cables + i;
        for (unsigned end = 0; end < 2; end++) {
            const uint32_t c = cable->port[end];
            net->tail[c] = cable->vertex[end];
            net->head[c] = cable->vertex[1 - end];
            net->twin[c] = cable->port[1 - end];
            net->capacity[c] = cable->capacity;
            net->latency[c] = cable->latency;
        }
    }
    for (size_t i = 0; i < builder->n_backs; i++) {
        const uint32_t c = builder->cables[builder->backs[i].cable].port[1];
        net->capacity[c] = builder->backs[i].capacity;
        net->latency[c] = builder->backs[i].latency;
    }
}

/* Counts the closed channels, and refuses cables that nothing can use. */
static int close_channels(struct cw_network *net)
{
    char name[2 * CW_NAME_SIZE + 32];
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->capacity[c] > 0) continue;
        cw_network_channel_name(net, c, name, sizeof name);
        if (!(net->capacity[net->twin[c]] > 0))
            return cw_fail(CW_EUSAGE, "capacity 0 of %s and of the way back; expected more than 0 in one direction",
                           name);
        if (cw_network_is_host_channel(net, c))
            return cw_fail(CW_EUSAGE,
                           "capacity 0 of %s; expected more, because cables of endpoints work in both directions",
                           name);
        if (net->shape.kind)
            return cw_fail(CW_EUSAGE,
                           "capacity 0 of %s; expected more, because the cables of a shape work in both directions",
                           name);
        net->n_closed++;
    }
    return 0;
}

/* Moves to NET what the builder holds in the form that a network has it. */
static void hand_over(struct cw_builder *builder, struct cw_network *net)
{
    net->names = builder->names.data;
    builder->names = (struct cw_text){0};
    net->name_at = builder->name_at;
    net->identity = builder->identity;
    net->title = builder->title;
    net->shape = builder->shape;
    builder->name_at = NULL;
    builder->identity = NULL;
    builder->title = NULL;
}

static int make_network(struct cw_builder *builder, struct cw_network *net)
{
    if (builder->error)
        return cw_fail(builder->error, "%s", builder->message ? builder->message : "out of memory for a network");
    int rc = builder->name_at ? check_names(builder) : 0;
    if (!rc) rc = check_shape(builder);
    if (!rc) rc = allocate(builder, net);
    if (rc) return rc;
    count_channels(builder, net->first);
    if (builder->numbered)
        rc = order_by_number(builder, net);
    else
        order_by_call(builder, net->first);
    if (rc) return rc;
    connect(builder, net);
    hand_over(builder, net);
    return close_channels(net);
}

int cw_builder_finish(struct cw_builder *builder, struct cw_network **net)
{
    struct cw_network *made = cw_new_array(1, sizeof *made, "a network");
    const int rc = made ? make_network(builder, made) : CW_ENOMEM;
    builder_free(builder);
    if (rc)
        cw_network_free(made);
    else
        *net = made;
    return rc;
}
