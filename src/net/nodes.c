#include "net/nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "net/builder.h"
#include "net/host_list.h"
#include "net/hosts.h"
#include "net/name_index.h"
#include "net/name_table.h"
#include "net/network_internal.h"

static const char what[] = "the inside of hosts";

/* Rates are of one direction. NVIDIA states those of NVLink for both together: 600 GB/s of an A100, 900 GB/s of an
 * H100, 1.8 TB/s of a GB200's GPU. That has its HCAs behind a processor, to which NVLink-C2C leads; PCI Express is the
 * slower part of this way. 16 lanes of PCI Express 4 and 5 carry 16 and 32 Gbit/s each, of which 128 bits in 130 are
 * data. */
static const struct cw_machine machines[] = {
    {"dgx-a100", "NVIDIA DGX A100: 8 GPUs with NVLink 3 and PCI Express 4, 8 HCAs",
     "gpus=8 hcas=8 nvlink=300GB/s pcie=31.5GB/s"},
    {"dgx-h100", "NVIDIA DGX H100: 8 GPUs with NVLink 4 and PCI Express 5, 8 HCAs",
     "gpus=8 hcas=8 nvlink=450GB/s pcie=63GB/s"},
    {"gb200-nvl72", "NVIDIA GB200 NVL72: 18 hosts with 4 GPUs and 4 HCAs each share NVLink 5",
     "gpus=4 hcas=4 domain=18 nvlink=900GB/s pcie=63GB/s"},
    {NULL, NULL, NULL}};

const struct cw_registry cw_machine_registry = {
    .items = machines,
    .size = sizeof *machines,
    .near = "no machine is called '%s'; did you mean '%s'? (the name of a file has a '.' or a '/')",
    .none = "no machine is called '%s'; expected one of %s, or a file, whose name has a '.' or a '/'"};

/* What a line says of its hosts. */
struct inside {
    int64_t gpus, hcas, domain, sockets;
    double nvlink, pcie, latency, intersocket;
    bool pxn;
};

static const struct cw_option options[] = {
    {.name = "gpus", .type = CW_OPTION_INT, .offset = offsetof(struct inside, gpus), .min = 1, .max = 64},
    {.name = "hcas", .type = CW_OPTION_INT, .offset = offsetof(struct inside, hcas), .min = 1, .max = 64},
    {.name = "domain",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct inside, domain),
     .default_text = "1",
     .min = 1,
     .max = 512},
    {.name = "nvlink", .type = CW_OPTION_RATE, .offset = offsetof(struct inside, nvlink), .max = 1e18},
    {.name = "pcie", .type = CW_OPTION_RATE, .offset = offsetof(struct inside, pcie), .min = 1, .max = 1e18},
    {.name = "sockets",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct inside, sockets),
     .default_text = "1",
     .min = 1,
     .max = 8},
    {.name = "intersocket",
     .type = CW_OPTION_RATE,
     .offset = offsetof(struct inside, intersocket),
     .min = 1,
     .max = 1e18},
    {.name = "latency",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct inside, latency),
     .default_text = "100ns",
     .max = 1},
    {.name = "pxn", .type = CW_OPTION_FLAG, .offset = offsetof(struct inside, pxn)},
    {.name = NULL}};

/* A port of an HCA, or what else an endpoint of the fabric may be. */
struct port {
    uint32_t endpoint, host; /* host: CW_NONE if it is none */
    const char *host_name, *name;
};

/* A host that a line describes: N ports from FIRST on. */
struct host {
    const struct inside *inside;
    uint32_t first, n, domain;
    uint32_t nvlink; /* its NVLink switch among all, if it has one */
    uint32_t socket; /* the first of its sockets among those of all hosts, if it has some */
    uint32_t gpu;    /* the first of its GPUs */
};

struct making {
    const struct cw_network *fabric;
    const char *file;
    unsigned long line;          /* 0: it is no file, but the name of a machine */
    bool named;                  /* by who knows the hosts; else a host is some endpoints that follow one another */
    struct cw_hosts *hosts;      /* by names; each endpoint is one where these do not say */
    struct cw_name_table *names; /* of hosts, by the same numbers */
    struct port *ports;          /* [endpoints] host by host, in the order of names; or of endpoints, if not named */
    uint32_t *port_of;           /* [hosts] the first of its ports */
    bool *taken;                 /* [ports] by a line */
    struct host *described;      /* [endpoints at most] */
    struct inside **insides;     /* of the lines */
    size_t n_insides, insides_capacity;
    uint32_t n_described, n_domains, in_domain; /* in_domain: hosts of the last domain */
    uint32_t n_nvlinks;                         /* switches */
    uint32_t n_sockets;                         /* of hosts in which they matter */
    const struct inside *now;                   /* of the line that is read */
    uint32_t *hca_of;                           /* [endpoints] its place in hcas, or CW_NONE */
    struct cw_nodes *nodes;
};

static void making_free(struct making *making)
{
    cw_hosts_free(making->hosts);
    cw_name_table_free(making->names);
    free(making->ports);
    free(making->port_of);
    free(making->taken);
    free(making->described);
    for (size_t i = 0; i < making->n_insides; i++) free(making->insides[i]);
    free(making->insides);
    free(making->hca_of);
    cw_nodes_free(making->nodes);
}

void cw_nodes_free(struct cw_nodes *nodes)
{
    if (!nodes) return;
    cw_network_free(nodes->fabric);
    free(nodes->channel);
    free(nodes->endpoint);
    free(nodes->hcas);
    free(nodes->gpus);
    free(nodes->file);
    free(nodes->lines);
    free(nodes);
}

const struct cw_nodes *cw_network_nodes(const struct cw_network *net)
{
    return net->nodes;
}

uint32_t cw_nodes_endpoint(const struct cw_nodes *nodes, uint32_t e)
{
    return e < nodes->n_gpus ? nodes->hcas[nodes->gpus[e].hca].endpoint : nodes->endpoint[e - nodes->n_gpus];
}

const struct cw_network *cw_network_fabric(const struct cw_network *net)
{
    return net->nodes ? net->nodes->fabric : net;
}

/* --- which HCAs are whose ----------------------------------------------------------------------------------------- */

static int compare_ports(const void *a, const void *b)
{
    const struct port *x = a, *y = b;
    if ((x->host == CW_NONE) != (y->host == CW_NONE)) return x->host == CW_NONE ? 1 : -1;
    int order = x->host == y->host || !x->name ? 0 : cw_natural_compare(x->host_name, y->host_name);
    if (order == 0) order = (x->host > y->host) - (x->host < y->host);
    if (order == 0 && x->name) order = cw_natural_compare(x->name, y->name);
    return order != 0 ? order : (x->endpoint > y->endpoint) - (x->endpoint < y->endpoint);
}

static int find_hosts(struct making *making)
{
    const struct cw_network *net = making->fabric;
    const uint32_t n = net->n_endpoints;
    int rc = cw_hosts_new(net, &making->hosts);
    if (!rc) rc = cw_name_table_new(&making->names);
    const uint32_t hosts = rc ? 0 : cw_hosts_count(making->hosts);
    making->ports = cw_new_array(n, sizeof *making->ports, what);
    making->port_of = cw_new_array(hosts, sizeof *making->port_of, what);
    making->taken = cw_new_array(n, sizeof *making->taken, what);
    making->described = cw_new_array(n, sizeof *making->described, what);
    making->hca_of = cw_new_array(n, sizeof *making->hca_of, what);
    if (!rc && (!making->ports || !making->port_of || !making->taken || !making->described || !making->hca_of))
        rc = CW_ENOMEM;
    for (uint32_t h = 0, id; !rc && h < hosts; h++) {
        const char *name = cw_hosts_name(making->hosts, h);
        rc = cw_name_table_add(making->names, name, strlen(name), &id);
    }
    if (rc) return rc;
    making->named = net->names && !net->generated;
    for (uint32_t e = 0; e < n; e++) {
        const uint32_t host = cw_hosts_of(making->hosts, e);
        making->ports[e] = (struct port){.endpoint = e,
                                         .host = host,
                                         .host_name = host == CW_NONE ? "" : cw_hosts_name(making->hosts, host),
                                         .name = making->named ? net->names + net->name_at[e] : NULL};
        making->hca_of[e] = CW_NONE;
    }
    if (n > 0) qsort(making->ports, n, sizeof *making->ports, compare_ports);
    for (uint32_t i = n; i-- > 0;)
        if (making->ports[i].host != CW_NONE) making->port_of[making->ports[i].host] = i;
    return 0;
}

/* The ports from FIRST on that are one host: those of its name, or, if names do not say, as many as the line says. */
static uint32_t ports_of_host(const struct making *making, uint32_t first)
{
    const uint32_t all = making->fabric->n_endpoints;
    const uint64_t joined = making->now->hcas > 0 ? (uint64_t)making->now->hcas : 1;
    uint32_t n = 1;
    while (first + n < all && !making->taken[first + n] && making->ports[first + n].host != CW_NONE &&
           (making->named ? making->ports[first + n].host == making->ports[first].host : n < joined))
        n++;
    return n;
}

/* Whether something may go by the sockets of a host. */
static bool has_sockets(const struct inside *inside)
{
    return inside->sockets > 1 || !(inside->nvlink > 0);
}

/* Has the line that is read describe the host whose ports begin at FIRST. */
static int describe_host(struct making *making, uint32_t first)
{
    const struct inside *inside = making->now;
    const char *name = making->ports[first].host_name;
    const uint32_t n = ports_of_host(making, first);
    if (!making->named && inside->hcas > n)
        return cw_fail_at(making->file, making->line,
                          "%" PRIu32 " endpoints from %s on are left for a host of %" PRId64 " HCAs", n, name,
                          inside->hcas);
    if (inside->hcas > 0 && n > inside->hcas)
        return cw_fail_at(making->file, making->line,
                          "%s has %" PRIu32 " HCAs; expected at most %" PRId64 ", as hcas says", name, n, inside->hcas);
    if (n > inside->gpus)
        return cw_fail_at(making->file, making->line,
                          "%s has %" PRIu32 " HCAs for %" PRId64 " GPUs; expected at most one a GPU", name, n,
                          inside->gpus);
    for (uint32_t i = first; i < first + n; i++) making->taken[i] = true;
    if (making->in_domain == 0 || making->in_domain == inside->domain) {
        making->n_domains++;
        making->n_nvlinks += inside->nvlink > 0;
        making->in_domain = 0;
    }
    making->in_domain++;
    making->described[making->n_described++] = (struct host){.inside = inside,
                                                             .first = first,
                                                             .n = n,
                                                             .domain = making->n_domains - 1,
                                                             .nvlink = making->n_nvlinks - (inside->nvlink > 0),
                                                             .socket = making->n_sockets};
    if (has_sockets(inside)) making->n_sockets += (uint32_t)inside->sockets;
    return 0;
}

static int take_host(void *context, const char *name, bool last)
{
    struct making *making = context;
    const uint32_t host = cw_name_table_find(making->names, name, strlen(name));
    if (host == CW_NONE && !last) return CW_HOST_UNKNOWN;
    if (host == CW_NONE) return cw_fail_at(making->file, making->line, "no host of the network is called '%s'", name);
    if (making->taken[making->port_of[host]])
        return cw_fail_at(making->file, making->line, "%s is described a second time; expected once", name);
    return describe_host(making, making->port_of[host]);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Sets what WORDS say, with blanks between two. They are cut up. */
static int set_words(const struct making *making, char *words, struct inside *inside)
{
    int rc = 0;
    for (char *word, *rest = words; !rc && (word = strsep(&rest, " \t"));) {
        const struct cw_machine *machine = cw_registry_find(&cw_machine_registry, word);
        char *value = strchr(word, '=');
        if (*word == '\0') continue;
        if (machine) {
            char *copy = cw_copy_text(machine->words, strlen(machine->words));
            rc = copy ? set_words(making, copy, inside) : CW_ENOMEM;
            free(copy);
            continue;
        }
        if (value) *value++ = '\0';
        rc = cw_options_set(making->file, options, inside, word, value);
        if (rc == CW_EUSAGE && making->line > 0) rc = cw_fail_at(making->file, making->line, "%s", cw_error_message());
    }
    return rc;
}

/* What the words of a line must be together. */
static int check_inside(const struct making *making, const struct inside *inside)
{
    const char *missing = inside->gpus == 0     ? "gpus"
                          : inside->nvlink < 0  ? "nvlink"
                          : !(inside->pcie > 0) ? "pcie"
                                                : NULL;
    if (missing)
        return cw_fail_at(making->file, making->line, "%s is missing; expected 'HOSTS gpus=N nvlink=RATE pcie=RATE'",
                          missing);
    if (!(inside->nvlink > 0) && (inside->domain > 1 || inside->pxn))
        return cw_fail_at(making->file, making->line, "%s needs NVLink; expected a nvlink=RATE of more than 0",
                          inside->pxn ? "pxn" : "domain");
    if (inside->sockets > 1 && !(inside->intersocket > 0))
        return cw_fail_at(making->file, making->line,
                          "intersocket is missing; expected intersocket=RATE, of the link between two sockets");
    if (inside->sockets == 1 && inside->intersocket > 0)
        return cw_fail_at(making->file, making->line, "intersocket is for several sockets; expected sockets=N");
    if (inside->gpus % inside->sockets != 0)
        return cw_fail_at(making->file, making->line,
                          "%" PRId64 " GPUs are not the same number at each of %" PRId64 " sockets", inside->gpus,
                          inside->sockets);
    return 0;
}

static int read_line(struct making *making, char *line)
{
    char *rest = line;
    const char *list = strsep(&rest, " \t");
    struct inside *inside = cw_new_array(1, sizeof *inside, what);
    void *insides = making->insides;
    int rc = inside ? cw_grow_array(&insides, &making->insides_capacity, making->n_insides + 1, sizeof *making->insides,
                                    what)
                    : CW_ENOMEM;
    making->insides = insides;
    if (rc) {
        free(inside);
        return rc;
    }
    making->insides[making->n_insides++] = inside;
    making->now = inside;
    making->in_domain = 0;
    rc = cw_options_init(options, inside);
    inside->nvlink = -1;
    if (!rc && rest) rc = set_words(making, rest, inside);
    if (!rc) rc = check_inside(making, inside);
    if (!rc && strcmp(list, "*") != 0) {
        rc = cw_host_list_each(list, take_host, making);
        return rc == CW_EUSAGE ? cw_fail_at(making->file, making->line, "%s", cw_error_message()) : rc;
    }
    for (uint32_t i = 0; !rc && i < making->fabric->n_endpoints; i++)
        if (!making->taken[i] && making->ports[i].host != CW_NONE) rc = describe_host(making, i);
    return rc;
}

/* IS_FILE: else DATA is one line that stands for a name. */
static int read_lines(struct making *making, bool is_file, const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of(making->file, data, length);
    int rc = 0;
    while (!rc && cw_lines_next(&lines)) {
        char *line = cw_line_content(&lines);
        making->line = is_file ? lines.number : 0;
        if (!line)
            rc = CW_ENOMEM;
        else if (*line)
            rc = read_line(making, line);
        free(line);
    }
    if (!rc && making->n_insides == 0)
        rc = cw_fail_at(making->file, 0, "no line; expected 'HOSTS gpus=N nvlink=RATE pcie=RATE'");
    if (!rc && making->n_described == 0) rc = cw_fail_at(making->file, 0, "no host of the network is described");
    return rc;
}

/* --- the network -------------------------------------------------------------------------------------------------- */

/* What the HCA at PORT, number PLACE of its host, is called there. */
static int find_rail(struct cw_name_table *rails, const struct port *port, uint32_t place, uint32_t *rail)
{
    char number[16];
    snprintf(number, sizeof number, "%" PRIu32, place);
    const size_t host = port->name ? cw_host_name_length(port->name) : 0;
    const char *name = host > 0 ? port->name + host : number;
    return cw_name_table_add(rails, name, strlen(name), rail);
}

/* Divides N more GPUs among the HCAs from FIRST on, those of a host with so many SOCKETS. */
static void share_gpus(struct cw_nodes *nodes, uint32_t first, uint32_t sockets, uint32_t n)
{
    const uint32_t end = nodes->n_hcas, each = n / sockets;
    uint32_t at = first;
    for (uint32_t i = first; i < end; i++) nodes->hcas[i].end = end;
    for (uint32_t s = 0; s < sockets; s++) {
        const uint32_t begin = at, gpu = nodes->n_gpus + s * each;
        while (at < end && nodes->hcas[at].socket == s) at++;
        const uint32_t here = at - begin;
        for (uint32_t i = begin; i < at; i++) {
            struct cw_node_hca *hca = nodes->hcas + i;
            hca->gpu = gpu + (i - begin) * each / here;
            hca->gpus = gpu + (i - begin + 1) * each / here - hca->gpu;
            for (uint32_t g = 0; g < hca->gpus; g++)
                nodes->gpus[hca->gpu + g] = (struct cw_node_gpu){.hca = i, .near = true};
        }
        for (uint32_t g = 0; here == 0 && g < each; g++) nodes->gpus[gpu + g].hca = first + g * (end - first) / each;
    }
}

/* The HCAs and GPUs of all hosts, but for channels. */
static int number_gpus(struct making *making)
{
    struct cw_nodes *nodes = making->nodes;
    struct cw_name_table *rails = NULL;
    uint64_t gpus = 0;
    for (uint32_t h = 0; h < making->n_described; h++) gpus += (uint64_t)making->described[h].inside->gpus;
    if (gpus > CW_NONE / 8) return cw_fail(CW_ELIMIT, "%" PRIu64 " GPUs; at most %u are possible", gpus, CW_NONE / 8);
    nodes->hcas = cw_new_array(making->fabric->n_endpoints, sizeof *nodes->hcas, what);
    nodes->gpus = cw_new_array(gpus, sizeof *nodes->gpus, what);
    int rc = nodes->hcas && nodes->gpus ? cw_name_table_new(&rails) : CW_ENOMEM;
    nodes->n_hosts = making->n_described;
    nodes->n_domains = making->n_domains;
    for (uint32_t h = 0; !rc && h < making->n_described; h++) {
        struct host *host = making->described + h;
        const uint32_t first = nodes->n_hcas, of_host = (uint32_t)host->inside->gpus;
        bool connected = false;
        for (uint32_t i = 0; i < host->n; i++)
            connected |= cw_network_degree(making->fabric, making->ports[host->first + i].endpoint) > 0;
        for (uint32_t i = 0; !rc && i < host->n; i++) {
            const struct port *port = making->ports + host->first + i;
            if (connected && cw_network_degree(making->fabric, port->endpoint) == 0) continue;
            struct cw_node_hca *hca = nodes->hcas + nodes->n_hcas;
            *hca = (struct cw_node_hca){.endpoint = port->endpoint,
                                        .first = first,
                                        .domain = host->domain,
                                        .socket = i * (uint32_t)host->inside->sockets / host->n,
                                        .up = CW_NONE,
                                        .pxn = host->inside->pxn};
            making->hca_of[port->endpoint] = nodes->n_hcas++;
            rc = find_rail(rails, port, i, &hca->rail);
        }
        host->gpu = nodes->n_gpus;
        share_gpus(nodes, first, (uint32_t)host->inside->sockets, of_host);
        nodes->n_without += !(host->inside->nvlink > 0);
        nodes->n_gpus += of_host;
    }
    cw_name_table_free(rails);
    return rc;
}

/* Where the vertices of the new network begin, in this order. */
struct numbering {
    uint32_t others, switches, hcas, pcie, nvlink, crossbars, sockets;
};

/* The vertex that V of the fabric becomes. OTHER has the places of endpoints that stay endpoints. */
static uint32_t vertex_of(const struct making *making, const struct numbering *at, const uint32_t *other, uint32_t v)
{
    if (v >= making->fabric->n_endpoints) return at->switches + (v - making->fabric->n_endpoints);
    return making->hca_of[v] == CW_NONE ? at->others + other[v] : at->hcas + making->hca_of[v];
}

static void copy_fabric(const struct making *making, const struct numbering *at, const uint32_t *other,
                        struct cw_builder *builder)
{
    const struct cw_network *net = making->fabric;
    char name[CW_NAME_SIZE];
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const uint32_t to = vertex_of(making, at, other, v);
        if (to < at->hcas) cw_builder_name(builder, to, cw_network_name(net, v, name, sizeof name));
        if (!net->identity) continue;
        struct cw_identity identity = net->identity[v];
        if (to >= at->switches) identity.kind = CW_KIND_SWITCH;
        cw_builder_identity(builder, to, &identity);
    }
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t twin = net->twin[c];
        if (c > twin) continue;
        cw_builder_cable(builder, vertex_of(making, at, other, net->tail[c]), cw_network_port(net, c),
                         vertex_of(making, at, other, net->head[c]), cw_network_port(net, twin), net->capacity[c],
                         net->latency[c]);
        cw_builder_back(builder, net->capacity[twin], net->latency[twin]);
    }
}

/* "HOST PART0", "HOST PART0 BEHIND", …; a negative NUMBER is left out. */
static void name_part(struct cw_builder *builder, uint32_t v, const char *host, const char *part, int64_t number,
                      const char *behind)
{
    char name[2 * CW_NAME_SIZE];
    if (number < 0)
        snprintf(name, sizeof name, "%s %s", host, part);
    else
        snprintf(name, sizeof name, "%s %s%" PRId64 "%s", host, part, number, behind);
    cw_builder_name(builder, v, name);
}

/* GPU number G of HOST with its crossbar and links. */
static void add_gpu(const struct making *making, const struct numbering *at, const struct host *host, uint32_t g,
                    struct cw_builder *builder)
{
    const struct inside *inside = host->inside;
    const struct cw_node_gpu *gpu = making->nodes->gpus + g;
    const char *name = making->ports[host->first].host_name;
    const uint32_t crossbar = at->crossbars + g;
    const uint32_t socket = (g - host->gpu) * (uint32_t)inside->sockets / (uint32_t)inside->gpus;
    name_part(builder, g, name, "gpu", g - host->gpu, "");
    name_part(builder, crossbar, name, "gpu", g - host->gpu, " xbar");
    /* memory is faster than all links of a GPU together, so that they decide */
    cw_builder_cable(builder, g, 0, crossbar, 0, inside->nvlink + inside->pcie, inside->latency);
    if (inside->nvlink > 0)
        cw_builder_cable(builder, crossbar, 0, at->nvlink + host->nvlink, 0, inside->nvlink, inside->latency);
    cw_builder_cable(builder, crossbar, 0, gpu->near ? at->pcie + gpu->hca : at->sockets + host->socket + socket, 0,
                     inside->pcie, inside->latency);
}

/* The first HCA of HOST in `hcas`. */
static uint32_t first_hca(const struct making *making, const struct host *host)
{
    uint32_t i = host->first;
    while (making->hca_of[making->ports[i].endpoint] == CW_NONE) i++;
    return making->hca_of[making->ports[i].endpoint];
}

/* The sockets of HOST, with cables to PCI Express switches and to each other. */
static void add_sockets(const struct making *making, const struct numbering *at, const struct host *host,
                        struct cw_builder *builder)
{
    const struct inside *inside = host->inside;
    const struct cw_node_hca *hcas = making->nodes->hcas;
    const uint32_t hca = first_hca(making, host), sockets = at->sockets + host->socket;
    for (uint32_t i = hca; i < hcas[hca].end; i++)
        cw_builder_cable(builder, at->pcie + i, 0, sockets + hcas[i].socket, 0, inside->pcie, inside->latency);
    for (uint32_t s = 0; s < inside->sockets; s++) {
        name_part(builder, sockets + s, making->ports[host->first].host_name, "socket", s, "");
        for (uint32_t t = 0; t < s; t++)
            cw_builder_cable(builder, sockets + t, 0, sockets + s, 0, inside->intersocket, inside->latency);
    }
}

static void add_host(const struct making *making, const struct numbering *at, const struct host *host, bool first,
                     struct cw_builder *builder)
{
    const struct inside *inside = host->inside;
    const char *name = making->ports[host->first].host_name;
    const struct cw_node_hca *hcas = making->nodes->hcas;
    const uint32_t hca = first_hca(making, host);
    if (first && inside->nvlink > 0) name_part(builder, at->nvlink + host->nvlink, name, "nvlink", -1, "");
    for (uint32_t i = hca; i < hcas[hca].end; i++) {
        char own[CW_NAME_SIZE];
        cw_network_name(making->fabric, hcas[i].endpoint, own, sizeof own);
        if (cw_host_name_length(own) > 0)
            cw_builder_name(builder, at->hcas + i, own);
        else /* the name is for all of the host */
            name_part(builder, at->hcas + i, name, "hca", i - hca, "");
        name_part(builder, at->pcie + i, name, "pcie", i - hca, "");
        cw_builder_cable(builder, at->pcie + i, 0, at->hcas + i, 0, inside->pcie, inside->latency);
    }
    for (uint32_t g = 0; g < inside->gpus; g++) add_gpu(making, at, host, host->gpu + g, builder);
    if (has_sockets(inside)) add_sockets(making, at, host, builder);
}

/* The channel from TAIL to HEAD, which is there. */
static uint32_t channel_between(const struct cw_network *net, uint32_t tail, uint32_t head)
{
    uint32_t c = net->first[tail];
    while (net->head[c] != head) c++;
    return c;
}

/* Finds the channels of NET that routes are made of. */
static void find_channels(const struct making *making, const struct numbering *at, const uint32_t *other,
                          const struct cw_network *net)
{
    const struct cw_network *fabric = making->fabric;
    struct cw_nodes *nodes = making->nodes;
    for (uint32_t c = 0; c < fabric->n_channels; c++)
        nodes->channel[c] =
            cw_network_channel_at(net, vertex_of(making, at, other, fabric->tail[c]), cw_network_port(fabric, c));
    for (uint32_t i = 0; i < nodes->n_hcas; i++) nodes->hcas[i].in = channel_between(net, at->pcie + i, at->hcas + i);
    for (uint32_t h = 0; h < making->n_described; h++) {
        const struct host *host = making->described + h;
        const uint32_t hca = first_hca(making, host);
        for (uint32_t i = hca; i < nodes->hcas[hca].end && has_sockets(host->inside); i++)
            nodes->hcas[i].up = channel_between(net, at->pcie + i, at->sockets + host->socket + nodes->hcas[i].socket);
        for (uint32_t g = host->gpu; g < host->gpu + (uint32_t)host->inside->gpus; g++) {
            struct cw_node_gpu *gpu = nodes->gpus + g;
            const bool nvlink = host->inside->nvlink > 0;
            gpu->begin = net->first[g];
            gpu->nvlink = nvlink ? channel_between(net, at->crossbars + g, at->nvlink + host->nvlink) : CW_NONE;
            gpu->pcie = net->first[at->crossbars + g + 1] - 1; /* the last one that was added */
        }
    }
}

static int build(struct making *making, struct cw_network **out)
{
    const struct cw_network *fabric = making->fabric;
    struct cw_nodes *nodes = making->nodes;
    const uint32_t others = fabric->n_endpoints - nodes->n_hcas;
    const uint64_t switches = (uint64_t)cw_network_switches(fabric) + 2 * (uint64_t)nodes->n_hcas + making->n_nvlinks +
                              nodes->n_gpus + making->n_sockets;
    struct cw_network *net = NULL;
    /* at most 8 sockets, each with half a cable to seven others */
    struct cw_builder *builder = cw_builder_new((uint64_t)nodes->n_gpus + others, switches,
                                                fabric->n_channels / 2 + 2 * (uint64_t)nodes->n_hcas +
                                                    3 * (uint64_t)nodes->n_gpus + 4 * (uint64_t)making->n_sockets);
    struct numbering at = {.others = nodes->n_gpus};
    at.switches = at.others + others;
    at.hcas = at.switches + cw_network_switches(fabric);
    at.pcie = at.hcas + nodes->n_hcas;
    at.nvlink = at.pcie + nodes->n_hcas;
    at.crossbars = at.nvlink + making->n_nvlinks;
    at.sockets = at.crossbars + nodes->n_gpus;
    nodes->sockets = making->n_sockets > 0;
    nodes->inside = at.pcie;
    uint32_t *other = cw_new_array(fabric->n_endpoints, sizeof *other, what);
    nodes->endpoint = cw_new_array(others, sizeof *nodes->endpoint, what);
    nodes->channel = cw_new_array(fabric->n_channels, sizeof *nodes->channel, what);
    if (!other || !nodes->endpoint || !nodes->channel) cw_builder_fail(builder, CW_ENOMEM);
    if (!cw_builder_failed(builder)) {
        for (uint32_t e = 0, n = 0; e < fabric->n_endpoints; e++) {
            if (making->hca_of[e] != CW_NONE) continue;
            other[e] = n;
            nodes->endpoint[n++] = e;
        }
        copy_fabric(making, &at, other, builder);
        for (uint32_t h = 0; h < making->n_described; h++)
            add_host(making, &at, making->described + h,
                     h == 0 || making->described[h].domain != making->described[h - 1].domain, builder);
        if (fabric->title) cw_builder_title(builder, fabric->title);
    }
    const int rc = cw_builder_finish(builder, &net);
    if (!rc) {
        find_channels(making, &at, other, net);
        net->generated = fabric->generated;
        *out = net;
    }
    free(other);
    return rc;
}

static int add(struct cw_network *fabric, const char *file, bool is_file, const char *data, size_t length,
               struct cw_network **out)
{
    struct making making = {.fabric = fabric, .file = file};
    struct cw_network *net = NULL;
    making.nodes = cw_new_array(1, sizeof *making.nodes, what);
    if (!making.nodes) {
        cw_network_free(fabric);
        return CW_ENOMEM;
    }
    making.nodes->fabric = fabric;
    making.nodes->file = cw_copy_text(file, strlen(file));
    making.nodes->lines = cw_copy_text(data, length);
    making.nodes->length = length;
    making.nodes->is_file = is_file;
    int rc = making.nodes->file && making.nodes->lines ? 0 : CW_ENOMEM;
    if (!rc && (fabric->shape.kind == &cw_shape_rail || fabric->nodes))
        rc = cw_fail(CW_EUSAGE, "the endpoints of %s are GPUs already; expected a network of HCAs",
                     fabric->title ? fabric->title : "the network");
    if (!rc) rc = find_hosts(&making);
    if (!rc) rc = read_lines(&making, is_file, data, length);
    if (!rc) rc = number_gpus(&making);
    if (!rc) rc = build(&making, &net);
    if (!rc) {
        net->nodes = making.nodes;
        making.nodes = NULL;
        *out = net;
    }
    making_free(&making);
    return rc;
}

int cw_nodes_parse(struct cw_network *fabric, const char *file, const char *data, size_t length,
                   struct cw_network **out)
{
    return add(fabric, file, true, data, length, out);
}

int cw_nodes_renew(const struct cw_network *net, struct cw_network *fabric, struct cw_network **out)
{
    const struct cw_nodes *nodes = net->nodes;
    if (nodes) return add(fabric, nodes->file, nodes->is_file, nodes->lines, nodes->length, out);
    *out = fabric;
    return 0;
}

int cw_nodes_add(struct cw_network *fabric, const char *spec, struct cw_network **out)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    struct cw_text text = {0};
    const bool is_file = !cw_registry_find(&cw_machine_registry, name);
    int rc = 0;
    if (!is_file) {
        cw_text_printf(&text, "* %s %s", name, parameters ? parameters : "");
        rc = cw_text_check(&text);
        for (size_t i = 0; !rc && i < text.length; i++)
            if (text.data[i] == ',') text.data[i] = ' ';
        spec = name;
    } else if (strcmp(spec, "-") == 0 || strpbrk(spec, "./")) {
        rc = cw_file_read(spec, &text);
    } else {
        rc = cw_registry_unknown(&cw_machine_registry, name);
    }
    if (rc)
        cw_network_free(fabric);
    else
        rc = add(fabric, spec, is_file, text.data, text.length, out);
    cw_text_free(&text);
    return rc;
}

/* --- as boxes on rails -------------------------------------------------------------------------------------------- */

/* Vertex V of NET's fabric among boxes; *LIMIT, if it is an HCA, becomes what PCI Express leaves. */
static uint32_t box_or_rail(const struct cw_network *net, const uint32_t *hca_of, uint32_t v, double *limit)
{
    const struct cw_nodes *nodes = net->nodes;
    if (v >= nodes->fabric->n_endpoints) return net->n_endpoints + nodes->n_domains + v - nodes->fabric->n_endpoints;
    if (hca_of[v] >= nodes->n_hcas) return hca_of[v] - nodes->n_hcas; /* an endpoint that stays one */
    const struct cw_node_hca *hca = nodes->hcas + hca_of[v];
    if (net->capacity[hca->in] < *limit) *limit = net->capacity[hca->in];
    return net->n_endpoints + hca->domain;
}

int cw_nodes_to_boxes(const struct cw_network *net, struct cw_network **out)
{
    const struct cw_nodes *nodes = net->nodes;
    const struct cw_network *fabric = nodes->fabric;
    char name[CW_NAME_SIZE];
    if (nodes->n_without > 0)
        return cw_fail(CW_EUSAGE, "no boxes on rails: %" PRIu32 " hosts have no NVLink", nodes->n_without);
    uint32_t *hca_of = cw_new_array(fabric->n_endpoints, sizeof *hca_of, what); /* or n_hcas + the endpoint it stays */
    if (!hca_of) return CW_ENOMEM;
    struct cw_builder *builder =
        cw_builder_new(net->n_endpoints, (uint64_t)nodes->n_domains + cw_network_switches(fabric),
                       (uint64_t)nodes->n_gpus + fabric->n_channels / 2);
    for (uint32_t i = 0; i < nodes->n_hcas; i++) hca_of[nodes->hcas[i].endpoint] = i;
    for (uint32_t e = nodes->n_gpus; e < net->n_endpoints; e++)
        hca_of[nodes->endpoint[e - nodes->n_gpus]] = nodes->n_hcas + e;
    for (uint32_t e = 0; e < net->n_endpoints && !cw_builder_failed(builder); e++)
        cw_builder_name(builder, e, cw_network_name(net, e, name, sizeof name));
    for (uint32_t g = 0; g < nodes->n_gpus && !cw_builder_failed(builder); g++) {
        const uint32_t c = nodes->gpus[g].nvlink, box = net->n_endpoints + nodes->hcas[nodes->gpus[g].hca].domain;
        cw_builder_name(builder, box, cw_network_name(net, net->head[c], name, sizeof name));
        cw_builder_cable(builder, g, 0, box, 0, net->capacity[c], net->latency[c]);
    }
    for (uint32_t v = fabric->n_endpoints; v < fabric->n_vertices && !cw_builder_failed(builder); v++)
        cw_builder_name(builder, box_or_rail(net, hca_of, v, NULL), cw_network_name(fabric, v, name, sizeof name));
    for (uint32_t c = 0; c < fabric->n_channels && !cw_builder_failed(builder); c++) {
        const uint32_t twin = fabric->twin[c];
        double to = fabric->capacity[c], back = fabric->capacity[twin];
        if (c > twin) continue;
        const uint32_t tail = box_or_rail(net, hca_of, fabric->tail[c], &to);
        const uint32_t head = box_or_rail(net, hca_of, fabric->head[c], &to);
        box_or_rail(net, hca_of, fabric->tail[c], &back);
        box_or_rail(net, hca_of, fabric->head[c], &back);
        cw_builder_cable(builder, tail, 0, head, 0, to, fabric->latency[c]);
        cw_builder_back(builder, back, fabric->latency[twin]);
    }
    if (net->title) cw_builder_title(builder, net->title);
    free(hca_of);
    return cw_builder_finish(builder, out);
}
