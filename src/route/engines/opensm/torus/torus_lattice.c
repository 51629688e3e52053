#include "route/engines/opensm/torus/torus_lattice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

int cw_lattice_refuse(struct cw_lattice *lattice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(lattice->why, sizeof lattice->why, format, arguments);
    va_end(arguments);
    return CW_EUSAGE;
}

const char *cw_lattice_name(const struct cw_lattice *lattice, uint32_t cell, char *name)
{
    snprintf(name, CW_LATTICE_NAME_SIZE, "(%u,%u,%u)", cw_lattice_coordinate(lattice, cell, 0),
             cw_lattice_coordinate(lattice, cell, 1), cw_lattice_coordinate(lattice, cell, 2));
    return name;
}

/* --- cables ------------------------------------------------------------------------------------------------------- */

static void enter(struct cw_lattice_search *search, uint32_t channel, uint32_t cell, uint32_t group)
{
    struct cw_lattice *lattice = search->lattice;
    const uint32_t v = lattice->net->tail[channel];
    struct cw_lattice_group *ports = &lattice->group[(size_t)cell * CW_LATTICE_GROUPS + group];
    uint32_t *filled = &search->filled[v - lattice->net->n_endpoints];
    if (ports->n == 0) ports->first = lattice->net->first[v] + *filled;
    lattice->channels[ports->first + ports->n++] = channel;
    lattice->direction[channel] = (uint8_t)group;
    search->linked[channel] = true;
    ++*filled;
}

bool cw_lattice_link(struct cw_lattice_search *search, uint32_t cell, uint32_t d)
{
    struct cw_lattice *lattice = search->lattice;
    const struct cw_network *net = lattice->net;
    const uint32_t next = cw_lattice_step(lattice, cell, d, 1), a = lattice->vertex[cell], b = lattice->vertex[next];
    if (next == cell || a == CW_NONE || b == CW_NONE) return true;
    for (uint32_t c = net->first[a]; c < net->first[a + 1]; c++) {
        if (net->head[c] != b || search->linked[c]) continue;
        if (cw_lattice_group(lattice, cell, 2 * d + 1)->n == search->config->most_ports) return false;
        enter(search, c, cell, 2 * d + 1);
        enter(search, net->twin[c], next, 2 * d);
        search->linking = true;
    }
    return true;
}

/* --- switches ----------------------------------------------------------------------------------------------------- */

bool cw_lattice_place(struct cw_lattice_search *search, uint32_t cell, uint32_t v)
{
    struct cw_lattice *lattice = search->lattice;
    if (v == CW_NONE) return false;
    if (lattice->vertex[cell] != CW_NONE) return true;
    uint32_t *at = &lattice->cell[v - lattice->net->n_endpoints];
    if (*at != CW_NONE) {
        search->twice = v;
        return false;
    }
    *at = cell;
    lattice->vertex[cell] = v;
    lattice->placed[lattice->n_placed++] = cell;
    return true;
}

/* --- from the seed ------------------------------------------------------------------------------------------------ */

/* 1 if all switches of SEED are there, 0 if not; CW_EUSAGE if it does not say enough. */
static int check_seed(struct cw_lattice *lattice, const struct cw_lattice_seed *seed)
{
    static const char *const signs[] = {"m", "p"};
    uint32_t from = CW_NONE;
    int complete = 1;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        const struct cw_lattice_link *link = seed->link + 2 * (size_t)d;
        if (lattice->size[d] == 1) continue;
        if (lattice->size[d] == 4 && !lattice->mesh[d] && link[0].given != link[1].given)
            return cw_lattice_refuse(lattice,
                                     "%c has size 4, and only %c%s_link is given, expected %cp_link and %cm_link",
                                     "xyz"[d], "xyz"[d], signs[link[1].given], "xyz"[d], "xyz"[d]);
        if (!link[0].given && !link[1].given)
            return cw_lattice_refuse(lattice, "there is no %cp_link and no %cm_link, expected one for each dimension",
                                     "xyz"[d], "xyz"[d]);
        for (uint32_t sign = 0; sign < 2; sign++) {
            if (!link[sign].given) continue;
            if (link[sign].from == CW_NONE || link[sign].to == CW_NONE) complete = 0;
            if (link[sign].from == CW_NONE) continue;
            if (from != CW_NONE && link[sign].from != from)
                return cw_lattice_refuse(lattice,
                                         "%c%s_link does not begin at the switch of the other links, expected one "
                                         "seed",
                                         "xyz"[d], signs[sign]);
            from = link[sign].from;
        }
    }
    return complete;
}

/* Every switch must have the ports that the order names. */
static int check_ports(struct cw_lattice *lattice, uint32_t highest)
{
    const struct cw_network *net = lattice->net;
    char name[CW_NAME_SIZE];
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        const uint32_t degree = cw_network_degree(net, v);
        uint32_t ports = net->identity ? net->identity[v].ports : 0;
        if (degree > 0 && ports == 0) ports = cw_network_port(net, net->first[v + 1] - 1);
        if (highest > ports)
            return cw_lattice_refuse(lattice, "port_order names port %u, and %s has %u ports", highest,
                                     cw_network_name(net, v, name, sizeof name), ports);
    }
    return 0;
}

static int choose_seed(struct cw_lattice *lattice, const struct cw_lattice_config *config,
                       const struct cw_lattice_seed **seed)
{
    static const struct cw_lattice_seed none;
    *seed = NULL;
    for (uint32_t i = 0; i < config->n_seeds || i == 0; i++) {
        const struct cw_lattice_seed *candidate = config->n_seeds > 0 ? &config->seeds[i] : &none;
        const int complete = check_seed(lattice, candidate);
        if (complete < 0) return complete;
        if (complete && !*seed) *seed = candidate;
    }
    return *seed ? 0 : cw_lattice_refuse(lattice, "a switch of every seed is missing in the network");
}

static void place_seed(struct cw_lattice_search *search, const struct cw_lattice_seed *seed)
{
    const struct cw_lattice *lattice = search->lattice;
    uint32_t origin = 0;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++)
        origin = cw_lattice_step(lattice, origin, d, -seed->dateline[d]);
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++)
        for (uint32_t sign = 2; sign-- > 0;) {
            const struct cw_lattice_link *link = &seed->link[2 * d + sign];
            if (!link->given || link->from == CW_NONE || link->to == CW_NONE) continue;
            if (cw_lattice_place(search, origin, link->from))
                cw_lattice_place(search, cw_lattice_step(lattice, origin, d, sign ? 1 : -1), link->to);
        }
}

/* --- endpoints ---------------------------------------------------------------------------------------------------- */

/* Enters the endpoints of a switch in the order of ports that RANK says. */
static int enter_hosts_of(struct cw_lattice_search *search, uint32_t cell, const uint32_t *rank)
{
    struct cw_lattice *lattice = search->lattice;
    const struct cw_network *net = lattice->net;
    const uint32_t v = lattice->vertex[cell], most = search->config->most_ports;
    struct cw_lattice_group *hosts = &lattice->hosts[cell];
    char name[CW_NAME_SIZE];
    hosts->first = net->first[v] + search->filled[v - net->n_endpoints];
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        if (!cw_network_is_endpoint(net, net->head[c])) continue;
        uint32_t at = hosts->first + hosts->n++;
        for (; at > hosts->first; at--) {
            const uint32_t before = lattice->channels[at - 1];
            if (rank[cw_network_port(net, before) % CW_LATTICE_PORTS] <
                rank[cw_network_port(net, c) % CW_LATTICE_PORTS])
                break;
            lattice->channels[at] = before;
        }
        lattice->channels[at] = c;
    }
    if (hosts->n < most) return 0;
    return cw_lattice_refuse(lattice,
                             "%s has %u endpoints, with its own port more than portgroup_max_ports, which is %u",
                             cw_network_name(net, v, name, sizeof name), hosts->n, most);
}

static int enter_hosts(struct cw_lattice_search *search)
{
    struct cw_lattice *lattice = search->lattice;
    uint32_t rank[CW_LATTICE_PORTS];
    int rc = 0;
    for (uint32_t i = 0; i < CW_LATTICE_PORTS; i++) rank[search->config->order[i]] = i;
    for (uint32_t e = 0; e < lattice->net->n_endpoints; e++)
        lattice->left_out += cw_network_degree(lattice->net, e) > 0;
    for (uint32_t i = 0; i < lattice->n_placed && rc == 0; i++) {
        rc = enter_hosts_of(search, lattice->placed[i], rank);
        lattice->left_out -= lattice->hosts[lattice->placed[i]].n;
    }
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int allocate(struct cw_lattice_search *search)
{
    static const char what[] = "a torus";
    struct cw_lattice *lattice = search->lattice;
    const struct cw_network *net = lattice->net;
    const uint32_t n = lattice->n_cells, switches = cw_network_switches(net);
    lattice->vertex = cw_new_array(n, sizeof *lattice->vertex, what);
    lattice->placed = cw_new_array(n, sizeof *lattice->placed, what);
    lattice->group = cw_new_array((size_t)n * CW_LATTICE_GROUPS, sizeof *lattice->group, what);
    lattice->hosts = cw_new_array(n, sizeof *lattice->hosts, what);
    lattice->cell = cw_new_array(switches, sizeof *lattice->cell, what);
    lattice->channels = cw_new_array(net->n_channels, sizeof *lattice->channels, what);
    lattice->direction = cw_new_array(net->n_channels, sizeof *lattice->direction, what);
    search->linked = cw_new_array(net->n_channels, sizeof *search->linked, what);
    search->filled = cw_new_array(switches, sizeof *search->filled, what);
    if (!lattice->vertex || !lattice->placed || !lattice->group || !lattice->hosts || !lattice->cell ||
        !lattice->channels || !lattice->direction || !search->linked || !search->filled)
        return CW_ENOMEM;
    memset(lattice->vertex, 0xff, n * sizeof *lattice->vertex); /* CW_NONE */
    memset(lattice->cell, 0xff, switches * sizeof *lattice->cell);
    memset(lattice->direction, CW_LATTICE_GROUPS, net->n_channels);
    return 0;
}

static uint32_t count_axes(const struct cw_lattice *lattice)
{
    uint32_t n = 0;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) n += lattice->size[d] > 1;
    return n;
}

static int find_places(struct cw_lattice_search *search)
{
    struct cw_lattice *lattice = search->lattice;
    const struct cw_lattice_seed *seed;
    char name[CW_NAME_SIZE];
    int rc = check_ports(lattice, search->config->highest_port);
    if (rc == 0) rc = choose_seed(lattice, search->config, &seed);
    if (rc) return rc;
    place_seed(search, seed);
    do {
        search->linking = false;
        for (uint32_t cell = 0; cell < lattice->n_cells && search->twice == CW_NONE; cell++)
            cw_lattice_look(search, cell);
    } while (search->linking && search->twice == CW_NONE);
    if (search->twice != CW_NONE)
        return cw_lattice_refuse(lattice, "%s would stand at two places; expected the sizes and links of this network",
                                 cw_network_name(lattice->net, search->twice, name, sizeof name));
    if (lattice->n_placed < lattice->n_cells && count_axes(lattice) < 2)
        return cw_lattice_refuse(lattice, "in one dimension it knows the places of the seed only");
    return enter_hosts(search);
}

int cw_lattice_new(const struct cw_network *net, const struct cw_lattice_config *config, struct cw_lattice *lattice)
{
    struct cw_lattice_search search = {.lattice = lattice, .config = config, .twice = CW_NONE};
    uint64_t cells = 1;
    *lattice = (struct cw_lattice){.net = net};
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        lattice->size[d] = config->size[d];
        lattice->mesh[d] = config->mesh[d];
        lattice->stride[d] = (uint32_t)cells;
        cells *= config->size[d];
        if (cells > 2 * (uint64_t)cw_network_switches(net) + 2)
            return cw_lattice_refuse(lattice, "it has %u switches, not half of those of the torus",
                                     cw_network_switches(net));
    }
    lattice->n_cells = (uint32_t)cells;
    int rc = allocate(&search);
    if (rc == 0) rc = find_places(&search);
    free(search.linked);
    free(search.filled);
    return rc;
}

void cw_lattice_free(struct cw_lattice *lattice)
{
    free(lattice->vertex);
    free(lattice->cell);
    free(lattice->placed);
    free(lattice->group);
    free(lattice->hosts);
    free(lattice->channels);
    free(lattice->direction);
    *lattice = (struct cw_lattice){.net = NULL};
}
