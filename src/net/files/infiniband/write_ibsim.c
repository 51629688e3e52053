/*
 * Writes a network as a net file of ibsim, which the real ibsim starts with and net/files/infiniband/read_ibsim.c reads
 * back as the same network: order, names, ports, capacities, latencies, identities and shape. Of identities:
 *   - A network without any gets those that ibsim would number: switches from 0x200000, adapters from 2^32 by 256, so
 * that they never meet.
 *   - Endpoints called NAME/P1, NAME/P2 … one after another, with one node GUID, become one adapter again.
 *   - An endpoint whose node GUID is unknown gets its port GUID minus the port number, as ibsim counts.
 * What the format cannot hold is refused: an endpoint with more or less than one cable, more than 255 ports, two nodes
 * with the same GUID, names that would not fit ibsim's lines of 255 bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/builder.h"
#include "net/files/formats_internal.h"
#include "net/files/infiniband/ib_fabric.h"
#include "net/files/infiniband/ib_recognise.h"
#include "net/files/infiniband/ib_speed.h"
#include "net/files/shape_text.h"
#include "net/network_internal.h"

#define FIRST_SWITCH_GUID 0x200000u
#define FIRST_HOST_GUID   0x100000000u
#define HOST_GUIDS        256

#define ID_LENGTH   31  /* that a program can say it is attached to (SIM_HOST) */
#define NAME_LENGTH 160 /* with an id and the number of ports this fits in ibsim's 255 bytes */

struct writer {
    const struct cw_network *net;
    struct cw_text *text;
    uint32_t *leader; /* [n_endpoints] the first endpoint of the same adapter */
    uint32_t device;  /* as the lines so far have set it */
};

static uint64_t node_guid(const struct cw_network *net, uint32_t v)
{
    if (!cw_network_is_endpoint(net, v)) {
        const uint64_t guid = net->identity ? net->identity[v].node_guid : 0;
        return guid ? guid : FIRST_SWITCH_GUID + (uint64_t)(v - net->n_endpoints);
    }
    if (net->identity && net->identity[v].node_guid) return net->identity[v].node_guid;
    if (net->identity && net->identity[v].port_guid)
        return net->identity[v].port_guid - cw_network_port(net, net->first[v]);
    return FIRST_HOST_GUID + (uint64_t)HOST_GUIDS * v;
}

/* Whether NAME, perhaps followed by "/P" and a number, is that of an adapter's port PORT; *LENGTH is the adapter's
 * name. */
static bool is_rail(const char *name, uint32_t port, size_t *length)
{
    char end[16];
    const int n = snprintf(end, sizeof end, "/P%u", port);
    const size_t total = strlen(name);
    *length = total - (size_t)n;
    return total > (size_t)n && strcmp(name + *length, end) == 0;
}

/* Is endpoint V the next port of the adapter that endpoint V - 1 belongs to? */
static bool is_same_adapter(const struct cw_network *net, uint32_t v)
{
    char a[NAME_LENGTH + 1], b[NAME_LENGTH + 1];
    size_t length_a, length_b;
    const uint32_t port_a = cw_network_port(net, net->first[v - 1]), port_b = cw_network_port(net, net->first[v]);
    return net->identity && node_guid(net, v - 1) == node_guid(net, v) && port_a < port_b &&
           is_rail(cw_network_name(net, v - 1, a, sizeof a), port_a, &length_a) &&
           is_rail(cw_network_name(net, v, b, sizeof b), port_b, &length_b) && length_a == length_b &&
           memcmp(a, b, length_a) == 0;
}

static int check(const struct cw_network *net)
{
    char name[NAME_LENGTH + 2];
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const uint32_t degree = cw_network_degree(net, v);
        cw_network_name(net, v, name, sizeof name);
        if (strlen(name) > NAME_LENGTH || strpbrk(name, "\r\n"))
            return cw_fail(CW_EUSAGE, "'%s': expected a name of at most %d bytes on one line for an ibsim file", name,
                           NAME_LENGTH);
        if (cw_network_is_endpoint(net, v) && degree != 1)
            return cw_fail(CW_EUSAGE, "endpoint '%s' has %u cables; expected one for an ibsim file", name, degree);
        if (degree > 0 && cw_network_port(net, net->first[v + 1] - 1) > CW_IB_MAX_PORTS)
            return cw_fail(CW_EUSAGE, "port %u of '%s'; expected at most %d for an ibsim file",
                           cw_network_port(net, net->first[v + 1] - 1), name, CW_IB_MAX_PORTS);
    }
    return 0;
}

struct owner {
    uint64_t guid;
    uint32_t v;
};

static int compare_owners(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->v < y->v ? -1 : x->v > y->v;
}

/* ibsim refuses a second node with the same GUID. */
static int check_guids(const struct writer *writer)
{
    const struct cw_network *net = writer->net;
    struct owner *owners = cw_new_array(net->n_vertices, sizeof *owners, "GUIDs");
    if (!owners) return CW_ENOMEM;
    size_t n = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (!cw_network_is_endpoint(net, v) || writer->leader[v] == v)
            owners[n++] = (struct owner){node_guid(net, v), v};
    qsort(owners, n, sizeof *owners, compare_owners);
    int rc = 0;
    for (size_t i = 1; i < n && !rc; i++) {
        char a[NAME_LENGTH + 1], b[NAME_LENGTH + 1];
        if (owners[i - 1].guid == owners[i].guid)
            rc = cw_fail(CW_EUSAGE,
                         "'%s' and '%s' have the same node GUID 0x%" PRIx64
                         "; expected different ones, or names such as "
                         "NAME/P1 and NAME/P2 one after another, for an ibsim file",
                         cw_network_name(net, owners[i - 1].v, a, sizeof a),
                         cw_network_name(net, owners[i].v, b, sizeof b), owners[i].guid);
    }
    free(owners);
    return rc;
}

/* ibsim's id of V's node: the name if ibsim and our reader take it for one, else "v" and the number of the vertex. */
static void write_id(const struct writer *writer, uint32_t v)
{
    char name[NAME_LENGTH + 1];
    const uint32_t node = cw_network_is_endpoint(writer->net, v) ? writer->leader[v] : v;
    cw_network_name(writer->net, node, name, sizeof name);
    const size_t length = strlen(name);
    bool good = length <= ID_LENGTH && !strpbrk(name, "#@\"") && !cw_ib_is_guid_id((struct cw_ib_span){name, length});
    for (size_t i = 0; i < length; i++) good = good && (unsigned char)name[i] >= ' ';
    if (name[0] == 'v' && strspn(name + 1, "0123456789") == length - 1) good = false;
    if (good)
        cw_text_printf(writer->text, "\"%s\"", name);
    else
        cw_text_printf(writer->text, "\"v%u\"", node);
}

/* A word such as 40Gbit/s that PARSE reads as exactly VALUE: VALUE / UNIT with the fewest digits, else VALUE in the
 * base. */
static void write_quantity(struct cw_text *text, double value, double unit, const char *name, const char *base,
                           int (*parse)(const char *what, const char *text, double *out))
{
    char word[64];
    double read;
    for (int digits = 3; digits <= 17; digits++) {
        snprintf(word, sizeof word, "%.*g%s", digits, value / unit, name);
        if (!parse("", word, &read) && read == value) break;
        snprintf(word, sizeof word, "%.*g%s", digits, value, base);
    }
    cw_text_printf(text, " %s", word);
}

/* The comment at the end of a port line, as ibnetdiscover has it, because ibsim takes the rate from there if it is one
 * of InfiniBand's. ENDPOINT is the port's own identity. Everything that has its usual value is left out. */
static void write_port_comment(const struct writer *writer, uint32_t c, const struct cw_identity *endpoint)
{
    struct cw_text *text = writer->text;
    const double capacity = writer->net->capacity[c], latency = writer->net->latency[c];
    const bool has_rate = capacity != CW_DEFAULT_CAPACITY || latency != CW_DEFAULT_LATENCY;
    const bool has_lid = endpoint && (endpoint->lid || endpoint->lmc);
    if (!has_lid && !has_rate) return;
    char rate[16];
    cw_text_add(text, "\t#");
    if (has_lid) cw_text_printf(text, " lid %u lmc %u", endpoint->lid, endpoint->lmc);
    if (!has_rate) return;
    cw_text_add(text, " \"\" lid 0");
    if (cw_ib_rate_name(capacity, rate, sizeof rate))
        cw_text_printf(text, " %s", rate);
    else
        write_quantity(text, capacity, 1e9 / 8, "Gbit/s", "B/s", cw_parse_rate);
    if (latency != CW_DEFAULT_LATENCY) write_quantity(text, latency, 1e-9, "ns", "s", cw_parse_time);
}

static void write_port(const struct writer *writer, uint32_t c)
{
    const struct cw_network *net = writer->net;
    const uint32_t v = net->tail[c], port = cw_network_port(net, c);
    const bool endpoint = cw_network_is_endpoint(net, v);
    const struct cw_identity *identity = net->identity && endpoint ? &net->identity[v] : NULL;
    cw_text_printf(writer->text, "[%u]", port);
    if (identity && identity->port_guid && identity->port_guid != node_guid(net, v) + port)
        cw_text_printf(writer->text, "(%" PRIx64 ")", identity->port_guid);
    cw_text_add(writer->text, "\t");
    write_id(writer, net->head[c]);
    cw_text_printf(writer->text, "[%u]", cw_network_port(net, net->twin[c]));
    write_port_comment(writer, c, identity);
    cw_text_add(writer->text, "\n");
}

/* Vendor, device, system and node GUID. */
static void write_ids(struct writer *writer, uint32_t v, const char *guid_key)
{
    const struct cw_network *net = writer->net;
    const uint64_t guid = node_guid(net, v);
    const struct cw_identity none = {.system_guid = guid, .port_guid = guid};
    const struct cw_identity *identity = net->identity ? &net->identity[v] : &none;
    cw_text_add(writer->text, "\n");
    if (identity->vendor) cw_text_printf(writer->text, "vendid=0x%x\n", identity->vendor);
    if (identity->device != writer->device) cw_text_printf(writer->text, "devid=0x%x\n", identity->device);
    writer->device = identity->device;
    if (identity->system_guid != guid)
        cw_text_printf(writer->text, "sysimgguid=0x%" PRIx64 "\n", identity->system_guid);
    cw_text_printf(writer->text, "%s=0x%" PRIx64, guid_key, guid);
    if (!cw_network_is_endpoint(net, v) && identity->port_guid != guid)
        cw_text_printf(writer->text, "(%" PRIx64 ")", identity->port_guid);
    cw_text_add(writer->text, "\n");
}

/* The node's line. NAME_LENGTH bytes of the name are its description. */
static void write_header(const struct writer *writer, uint32_t v, const char *word, uint32_t last_port,
                         size_t name_length)
{
    const struct cw_network *net = writer->net;
    char name[NAME_LENGTH + 1];
    const struct cw_identity *identity = net->identity ? &net->identity[v] : NULL;
    const uint32_t ports = identity && identity->ports > last_port ? identity->ports : last_port;
    cw_text_printf(writer->text, "%s\t%u ", word, ports > 0 ? ports : 1);
    write_id(writer, v);
    cw_text_printf(writer->text, "\t# \"%.*s\"", (int)name_length, cw_network_name(net, v, name, sizeof name));
    if (identity && !cw_network_is_endpoint(net, v) && (identity->lid || identity->lmc))
        cw_text_printf(writer->text, " base port 0 lid %u lmc %u", identity->lid, identity->lmc);
    cw_text_add(writer->text, "\n");
}

static void write_switch(struct writer *writer, uint32_t v)
{
    const struct cw_network *net = writer->net;
    const uint32_t degree = cw_network_degree(net, v);
    write_ids(writer, v, "switchguid");
    write_header(writer, v, "Switch", degree > 0 ? cw_network_port(net, net->first[v + 1] - 1) : 1, NAME_LENGTH);
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) write_port(writer, c);
}

/* The adapter of endpoints V … END-1. */
static void write_adapter(struct writer *writer, uint32_t v, uint32_t end)
{
    const struct cw_network *net = writer->net;
    const bool router = net->identity && net->identity[v].kind == CW_KIND_ROUTER;
    char name[NAME_LENGTH + 1];
    size_t length = NAME_LENGTH;
    if (end - v > 1) is_rail(cw_network_name(net, v, name, sizeof name), cw_network_port(net, net->first[v]), &length);
    write_ids(writer, v, router ? "rtguid" : "caguid");
    write_header(writer, v, router ? "Rt" : "Hca", cw_network_port(net, net->first[end - 1]), length);
    for (; v < end; v++) write_port(writer, net->first[v]);
}

static void write_nodes(struct writer *writer)
{
    const struct cw_network *net = writer->net;
    cw_text_printf(writer->text, "# ibsim net file written by Crosswind\n# %u endpoints, %u switches, %u cables\n",
                   net->n_endpoints, cw_network_switches(net), net->n_channels / 2);
    if (net->shape.kind) {
        cw_text_add(writer->text, "# shape: ");
        cw_shape_text_write(net, writer->text);
        cw_text_add(writer->text, "\n");
    }
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) write_switch(writer, v);
    for (uint32_t v = 0, end; v < net->n_endpoints; v = end) {
        for (end = v + 1; end < net->n_endpoints && writer->leader[end] == v; end++) continue;
        write_adapter(writer, v, end);
    }
}

static int write_net(const struct cw_network *net, struct cw_text *text)
{
    struct writer writer = {.net = net, .text = text};
    int rc = check(net);
    if (rc) return rc;
    writer.leader = cw_new_array(net->n_endpoints, sizeof *writer.leader, "the adapters of a network");
    if (!writer.leader) return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_endpoints; v++)
        writer.leader[v] = v > 0 && is_same_adapter(net, v) ? writer.leader[v - 1] : v;
    rc = check_guids(&writer);
    if (!rc) write_nodes(&writer);
    free(writer.leader);
    return rc ? rc : cw_text_check(text);
}

const struct cw_writer cw_writer_ibsim = {"ibsim", ".net", "net file of the InfiniBand simulator ibsim", write_net};
