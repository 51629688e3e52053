/*
 * Tori and meshes of two or three dimensions with the tables and the service levels of OpenSM's torus-2QoS (OpenSM
 * 3.3.23): dimension by dimension, around a failed switch and around one failed cable of each ring, without deadlocks.
 *
 * The service level says which datelines a pair passes, a bit for each dimension, whatever has failed. A port maps it
 * to a lane by the bit of the dimension in which it leads, so that lane 0 and lane 1 are two rounds of each ring. Lanes
 * 2 and 3 are for packets that have just made a turn against the order of dimensions, as around a failed switch.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/engine.h"
#include "route/engines/minhop.h"
#include "route/engines/opensm/torus/torus_lattice.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

/*
 * Which way OpenSM's torus-2QoS goes around each ring of a torus, and so from switch to switch.
 *
 * Dimensions are routed in the order x, y, z, each the shorter way round, half-way towards higher coordinates; where
 * that is interrupted, the other way. If the switch where the route should turn is missing, it goes towards it as far
 * as it can and turns there, into a turn that the order does not allow.
 */

#define NO_WAY 2u /* in place of a sign: 0 towards lower, 1 towards higher coordinates */

/* A cell, and what says the ways from it and to it. */
struct ring_place {
    uint32_t at[CW_LATTICE_DIMENSIONS];        /* coordinates */
    uint32_t column[CW_LATTICE_DIMENSIONS];    /* of a table: at · size */
    const uint8_t *way[CW_LATTICE_DIMENSIONS]; /* in its rings: [column of another place] the sign of the way there */
};

/* Tables are by (to, from), size² entries. */
struct rings {
    const struct cw_lattice *lattice;
    struct ring_place *place;              /* [n_cells] */
    uint8_t *way[CW_LATTICE_DIMENSIONS];   /* a table for each ring */
    uint8_t *ideal[CW_LATTICE_DIMENSIONS]; /* one for all: the sign if nothing were missing */
    uint8_t *wraps[CW_LATTICE_DIMENSIONS]; /* 1 if that way passes the dateline, between the last coordinate and 0 */
};

static void find_ideal(struct rings *rings, uint32_t d)
{
    const uint32_t k = rings->lattice->size[d];
    for (uint32_t to = 0; to < k; to++)
        for (uint32_t from = 0; from < k; from++) {
            const uint32_t direct = to > from ? to - from : from - to;
            const bool wraps = k - direct < direct;
            rings->wraps[d][to * k + from] = wraps;
            rings->ideal[d][to * k + from] = (uint8_t)((to > from) != wraps);
        }
}

/* Where the ring through START, of coordinate 0, leads from each of its cells: the ideal way if it is whole so far. */
static void find_ways(struct rings *rings, uint32_t d, uint32_t start, uint8_t *way)
{
    const struct cw_lattice *lattice = rings->lattice;
    const uint32_t k = lattice->size[d];
    memset(way, NO_WAY, (size_t)k * k);
    for (uint32_t from = 0; from < k; from++)
        for (uint32_t sign = 0; sign < 2; sign++) {
            uint32_t cell = start + from * lattice->stride[d];
            for (uint32_t i = 1; i < k && cw_lattice_group(lattice, cell, 2 * d + sign)->n > 0; i++) {
                cell = cw_lattice_step(lattice, cell, d, sign ? 1 : -1);
                const size_t at = (size_t)cw_lattice_coordinate(lattice, cell, d) * k + from;
                if (way[at] == NO_WAY || rings->ideal[d][at] == sign) way[at] = (uint8_t)sign;
            }
        }
}

/* The number of the ring along D through CELL. */
static uint32_t ring_of(const struct cw_lattice *lattice, uint32_t cell, uint32_t d)
{
    return cell % lattice->stride[d] + cell / (lattice->stride[d] * lattice->size[d]) * lattice->stride[d];
}

static int fill_dimension(struct rings *rings, uint32_t d)
{
    static const char what[] = "ways round rings";
    const struct cw_lattice *lattice = rings->lattice;
    const uint32_t k = lattice->size[d];
    rings->way[d] = cw_new_array((size_t)lattice->n_cells * k, 1, what);
    rings->ideal[d] = cw_new_array((size_t)k * k, 1, what);
    rings->wraps[d] = cw_new_array((size_t)k * k, 1, what);
    if (!rings->way[d] || !rings->ideal[d] || !rings->wraps[d]) return CW_ENOMEM;
    find_ideal(rings, d);
    for (uint32_t cell = 0; cell < lattice->n_cells; cell++) {
        struct ring_place *place = &rings->place[cell];
        const uint32_t at = cw_lattice_coordinate(lattice, cell, d);
        uint8_t *table = rings->way[d] + (size_t)ring_of(lattice, cell, d) * k * k;
        if (at == 0) find_ways(rings, d, cell, table);
        place->at[d] = at;
        place->column[d] = at * k;
        place->way[d] = table + at;
    }
    return 0;
}

static int rings_new(const struct cw_lattice *lattice, struct rings *rings)
{
    *rings = (struct rings){.lattice = lattice};
    rings->place = cw_new_array(lattice->n_cells, sizeof *rings->place, "ways round rings");
    int rc = rings->place ? 0 : CW_ENOMEM;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS && rc == 0; d++) rc = fill_dimension(rings, d);
    return rc;
}

static void rings_free(struct rings *rings)
{
    free(rings->place);
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        free(rings->way[d]);
        free(rings->ideal[d]);
        free(rings->wraps[d]);
    }
    *rings = (struct rings){.lattice = NULL};
}

/* The group by which cell FROM sends to cell TO if there is no way in dimension D, which it would go first, or
 * CW_LATTICE_GROUPS if it goes in none. */
static uint32_t rings_detour(const struct rings *rings, uint32_t from, uint32_t to, uint32_t d)
{
    const struct cw_lattice *lattice = rings->lattice;
    const struct ring_place *a = &rings->place[from], *b = &rings->place[to];
    const uint32_t turn = from + (b->at[d] - a->at[d]) * lattice->stride[d];
    if (lattice->vertex[turn] != CW_NONE || d + 1 == CW_LATTICE_DIMENSIONS) return CW_LATTICE_GROUPS;
    const uint32_t group = 2 * d + rings->ideal[d][b->column[d] + a->at[d]];
    return cw_lattice_group(lattice, from, group)->n > 0 ? group : CW_LATTICE_GROUPS;
}

/* The group by which cell FROM sends to cell TO, another; CW_LATTICE_GROUPS if it has no way. */
static inline uint32_t rings_group(const struct rings *rings, uint32_t from, uint32_t to)
{
    const struct ring_place *a = &rings->place[from], *b = &rings->place[to];
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        if (a->at[d] == b->at[d]) continue;
        const uint32_t sign = a->way[d][b->column[d]];
        if (sign != NO_WAY) return 2 * d + sign;
        const uint32_t group = rings_detour(rings, from, to, d);
        if (group != CW_LATTICE_GROUPS) return group;
    }
    return CW_LATTICE_GROUPS;
}

/* The service levels of packets from cell FROM to every cell, LEVEL [n_cells]: a bit for each dimension whose dateline
 * they would pass if nothing were missing. */
static void rings_levels(const struct rings *rings, uint32_t from, uint8_t *level)
{
    const struct cw_lattice *lattice = rings->lattice;
    const uint32_t *column = rings->place[from].column, *k = lattice->size; /* there and back pass the same datelines */
    const uint8_t *x_wraps = rings->wraps[0] + column[0];
    for (uint32_t z = 0; z < k[2]; z++)
        for (uint32_t y = 0; y < k[1]; y++, level += k[0]) {
            const uint32_t others = (uint32_t)rings->wraps[1][column[1] + y] << 1 | //
                                    (uint32_t)rings->wraps[2][column[2] + z] << 2;
            for (uint32_t x = 0; x < k[0]; x++) level[x] = (uint8_t)(x_wraps[x] | others);
        }
}

#define SEVERAL UINT16_MAX
#define BLOCK   256u /* switches of a task: their entries towards an endpoint are a few lines of a cache */

struct options {
    char *config;
};

struct torus {
    const struct cw_network *net;
    struct cw_lattice lattice;
    struct rings rings;
    uint32_t *host;   /* [n_channels] the endpoint that `lattice.channels` leads to */
    uint16_t *single; /* [n_cells · CW_LATTICE_GROUPS] the port of a group that has but one, or SEVERAL */
    uint32_t *sent;   /* likewise: whose turn it is in a group */
    uint32_t *cell;   /* [n_endpoints] of its switch, or CW_NONE */
    struct cw_lft *tables;
    struct cw_service_levels *levels;
};

extern const struct cw_engine cw_engine_torus_2qos;

static const char *title_of(const struct cw_network *net)
{
    return net->title ? net->title : "this network";
}

static void torus_free(struct torus *torus)
{
    rings_free(&torus->rings);
    cw_lattice_free(&torus->lattice);
    free(torus->host);
    free(torus->single);
    free(torus->sent);
    free(torus->cell);
}

/* --- the torus ---------------------------------------------------------------------------------------------------- */

/* True if the shape of NET says all that a configuration does. */
static bool has_shape(const struct cw_network *net)
{
    const uint32_t n = cw_network_regular_shape(net)->torus.n; /* 0 for other shapes */
    return n > 0 && n <= CW_LATTICE_DIMENSIONS;
}

/* Sees NET so. CW_EUSAGE where that cannot be: TORUS->lattice.why says why, unless a message is set of what the file
 * says.
 */
static int torus_new(const struct cw_network *net, const struct options *options, struct torus *torus)
{
    struct cw_lattice_config config = {.seeds = NULL};
    *torus = (struct torus){.net = net};
    int rc = options->config ? cw_lattice_config_read(net, options->config, &config)
                             : cw_lattice_config_of_shape(net, &config);
    if (rc == 0) rc = cw_lattice_new(net, &config, &torus->lattice);
    if (rc == 0) rc = cw_lattice_check(&torus->lattice);
    if (rc == 0) rc = rings_new(&torus->lattice, &torus->rings);
    cw_lattice_config_free(&config);
    return rc;
}

static bool torus_accepts(const struct cw_network *net, const void *values)
{
    static const struct options defaults;
    const struct options *options = values ? values : &defaults;
    struct torus torus;
    if (!cw_opensm_accepts(net, NULL) || (!options->config && !has_shape(net))) return false;
    const int rc = torus_new(net, options, &torus);
    torus_free(&torus);
    return rc == 0;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* The port of a group by which an endpoint is sent to: its cables take turns. */
static uint32_t next_port(struct torus *torus, uint32_t from, uint32_t group)
{
    const struct cw_lattice *lattice = &torus->lattice;
    const struct cw_lattice_group *ports = cw_lattice_group(lattice, from, group);
    uint32_t *sent = &torus->sent[(size_t)from * CW_LATTICE_GROUPS + group];
    const uint32_t i = *sent;
    *sent = i + 1 < ports->n ? i + 1 : 0;
    return lattice->channels[ports->first + i] - torus->net->first[lattice->vertex[from]];
}

/* The endpoints of a switch are taken in the order of HOSTS. False if there is no way. */
static bool send_to(struct torus *torus, uint32_t from, uint32_t to)
{
    const struct cw_lattice *lattice = &torus->lattice;
    const struct cw_lattice_group *hosts = &lattice->hosts[to];
    if (hosts->n == 0) return true;
    const uint32_t v = lattice->vertex[from], group = rings_group(&torus->rings, from, to);
    if (group == CW_LATTICE_GROUPS) return false;
    const uint32_t single = torus->single[(size_t)from * CW_LATTICE_GROUPS + group];
    for (uint32_t i = 0; i < hosts->n; i++)
        cw_lft_enter(torus->tables, v, torus->host[hosts->first + i],
                     single != SEVERAL ? single : next_port(torus, from, group));
    return true;
}

static void deliver(struct torus *torus, uint32_t cell)
{
    const struct cw_lattice *lattice = &torus->lattice;
    const struct cw_lattice_group *hosts = &lattice->hosts[cell];
    const uint32_t v = lattice->vertex[cell];
    for (uint32_t i = hosts->first; i < hosts->first + hosts->n; i++)
        cw_lft_enter(torus->tables, v, torus->host[i], lattice->channels[i] - torus->net->first[v]);
}

static int fill_block(void *context, size_t index, unsigned thread)
{
    (void)thread;
    struct torus *torus = context;
    const struct cw_lattice *lattice = &torus->lattice;
    const uint32_t n = cw_network_switches(torus->net), first = (uint32_t)index * BLOCK;
    char one[CW_LATTICE_NAME_SIZE], other[CW_LATTICE_NAME_SIZE];
    for (uint32_t i = 0; i < lattice->n_placed; i++)
        for (uint32_t s = first; s < first + BLOCK && s < n; s++) {
            const uint32_t from = lattice->cell[s], to = lattice->placed[i];
            if (from == CW_NONE) continue;
            if (from == to)
                deliver(torus, to);
            else if (!send_to(torus, from, to))
                return cw_fail(CW_EUSAGE, "torus-2qos refuses %s, as OpenSM does: it finds no way from %s to %s",
                               title_of(torus->net), cw_lattice_name(lattice, from, one),
                               cw_lattice_name(lattice, to, other));
        }
    return 0;
}

/* The longest route if nothing is missing; 0: to be searched for. */
static uint32_t max_hops(const struct cw_lattice *lattice)
{
    uint32_t hops = 2;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++)
        hops += lattice->mesh[d] ? lattice->size[d] - 1 : lattice->size[d] / 2;
    for (uint32_t i = 0; i < lattice->n_cells * CW_LATTICE_GROUPS; i++) {
        const uint32_t cell = i / CW_LATTICE_GROUPS, d = i % CW_LATTICE_GROUPS / 2,
                       x = cw_lattice_coordinate(lattice, cell, d);
        const bool edge = lattice->size[d] == 1 || (lattice->mesh[d] && x == (i % 2 ? lattice->size[d] - 1 : 0));
        if (!edge && lattice->group[i].n == 0) return 0;
    }
    return hops;
}

/* What is looked up for every entry. */
static int prepare(struct torus *torus)
{
    static const char what[] = "a torus";
    const struct cw_network *net = torus->net;
    const struct cw_lattice *lattice = &torus->lattice;
    const size_t n_groups = (size_t)lattice->n_cells * CW_LATTICE_GROUPS;
    torus->host = cw_new_array(net->n_channels, sizeof *torus->host, what);
    torus->single = cw_new_array(n_groups, sizeof *torus->single, what);
    torus->sent = cw_new_array(n_groups, sizeof *torus->sent, what);
    torus->cell = cw_new_array(net->n_endpoints, sizeof *torus->cell, what);
    if (!torus->host || !torus->single || !torus->sent || !torus->cell) return CW_ENOMEM;
    memset(torus->cell, 0xff, net->n_endpoints * sizeof *torus->cell); /* CW_NONE */
    for (uint32_t i = 0; i < lattice->n_placed; i++) {
        const uint32_t cell = lattice->placed[i], first = net->first[lattice->vertex[cell]];
        const struct cw_lattice_group *hosts = &lattice->hosts[cell];
        for (uint32_t group = 0; group < CW_LATTICE_GROUPS; group++) {
            const struct cw_lattice_group *ports = cw_lattice_group(lattice, cell, group);
            torus->single[(size_t)cell * CW_LATTICE_GROUPS + group] =
                ports->n == 1 ? (uint16_t)(lattice->channels[ports->first] - first) : SEVERAL;
        }
        for (uint32_t j = hosts->first; j < hosts->first + hosts->n; j++) {
            torus->host[j] = net->head[lattice->channels[j]];
            torus->cell[torus->host[j]] = cell;
        }
    }
    return 0;
}

static int fill_tables(struct torus *torus, unsigned n_threads, struct cw_routes **out)
{
    const size_t blocks = (cw_network_switches(torus->net) + BLOCK - 1) / BLOCK;
    int rc = prepare(torus);
    if (rc == 0) rc = cw_lft_new(torus->net, &torus->tables);
    if (rc) return rc;
    rc = cw_parallel_for(n_threads, blocks, fill_block, torus);
    if (rc == 0) return cw_lft_finish_as(torus->tables, "torus-2qos", max_hops(&torus->lattice), n_threads, out);
    cw_lft_free(torus->tables);
    return rc;
}

/* --- service levels ----------------------------------------------------------------------------------------------- */

/* The levels from the endpoints of BLOCK switches. */
static int fill_levels(void *context, size_t index, unsigned thread)
{
    (void)thread;
    const struct torus *torus = context;
    const struct cw_lattice *lattice = &torus->lattice;
    const uint32_t n = torus->net->n_endpoints;
    uint8_t *to_cell = cw_new_array(lattice->n_cells, 1, "service levels");
    if (!to_cell) return CW_ENOMEM;
    for (size_t i = index * BLOCK; i < (index + 1) * BLOCK && i < lattice->n_placed; i++) {
        const struct cw_lattice_group *hosts = &lattice->hosts[lattice->placed[i]];
        if (hosts->n == 0) continue;
        uint8_t *first = torus->levels->level + (size_t)torus->host[hosts->first] * n;
        rings_levels(&torus->rings, lattice->placed[i], to_cell);
        for (uint32_t e = 0; e < n; e++) first[e] = torus->cell[e] == CW_NONE ? 0 : to_cell[torus->cell[e]];
        for (uint32_t j = 1; j < hosts->n; j++)
            memcpy(torus->levels->level + (size_t)torus->host[hosts->first + j] * n, first, n);
    }
    free(to_cell);
    return 0;
}

/* The lanes of all levels of packets that came in dimension IN and leave in dimension OUT; CW_LATTICE_DIMENSIONS: from
 * or to an endpoint. Levels 8 to 15 are the second quality of service, with lanes of its own. */
static uint64_t lanes_of(uint32_t in, uint32_t out)
{
    uint64_t row = 0;
    for (uint32_t sl = CW_SERVICE_LEVELS; sl-- > 0;) {
        const uint32_t quality = sl >> CW_LATTICE_DIMENSIONS;
        uint32_t lane = quality;
        if (out < CW_LATTICE_DIMENSIONS)
            lane = (sl >> out & 1) | (uint32_t)(in < CW_LATTICE_DIMENSIONS && in > out) << 1 | quality << 2;
        row = row << 4 | lane;
    }
    return row;
}

static void fill_lanes(const struct torus *torus)
{
    const struct cw_network *net = torus->net;
    struct cw_service_levels *levels = torus->levels;
    const uint8_t *direction = torus->lattice.direction;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        for (uint32_t out = net->first[v]; out < net->first[v + 1]; out++) {
            if (cw_network_is_endpoint(net, v))
                levels->row[cw_level_row(levels, CW_NONE, out)] =
                    lanes_of(CW_LATTICE_DIMENSIONS, CW_LATTICE_DIMENSIONS);
            for (uint32_t in = net->first[v]; in < net->first[v + 1] && !cw_network_is_endpoint(net, v); in++)
                levels->row[cw_level_row(levels, net->twin[in], out)] =
                    lanes_of(direction[in] / 2u, direction[out] / 2u);
        }
}

static int set_levels(struct torus *torus, unsigned n_threads, struct cw_routes *routes)
{
    const uint32_t lanes = torus->lattice.n_placed < torus->lattice.n_cells ? 4 : 2;
    int rc = cw_service_levels_new_maps(torus->net, lanes, &torus->levels);
    if (rc) return rc;
    fill_lanes(torus);
    rc = cw_parallel_for(n_threads, (torus->lattice.n_placed + BLOCK - 1) / BLOCK, fill_levels, torus);
    if (rc == 0) return cw_routes_set_service_levels(routes, torus->levels);
    cw_service_levels_free(torus->levels);
    return rc;
}

/* --- the engine --------------------------------------------------------------------------------------------------- */

static int route(struct torus *torus, unsigned n_threads, struct cw_routes **out)
{
    struct cw_routes *routes;
    int rc = fill_tables(torus, n_threads, &routes);
    if (rc) return rc;
    rc = set_levels(torus, n_threads, routes);
    if (rc) {
        cw_routes_free(routes);
        return rc;
    }
    routes->complete = true; /* no way but by the order of dimensions */
    *out = routes;
    return 0;
}

static int torus_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                         struct cw_routes **out)
{
    (void)seed;
    const struct options *options = values;
    struct torus torus;
    if (!cw_opensm_accepts(net, NULL) || (!options->config && !has_shape(net)))
        return cw_fail(CW_EUSAGE, "torus-2qos cannot route %s; it needs %s", title_of(net), cw_engine_torus_2qos.needs);
    int rc = torus_new(net, options, &torus);
    if (rc == CW_EUSAGE && torus.lattice.why[0])
        cw_fail(rc, "torus-2qos refuses %s, as OpenSM does: %s", title_of(net), torus.lattice.why);
    if (rc == 0) rc = route(&torus, n_threads, out);
    if (rc == 0 && torus.lattice.left_out > 0)
        cw_inputs_remark(
            title_of(net), 0,
            "torus-2qos has no routes for %u endpoints, as OpenSM: too many cables are missing around their "
            "switches to say where in the torus these are",
            torus.lattice.left_out);
    torus_free(&torus);
    return rc;
}

static const struct cw_option options[] = {
    {.name = "config",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct options, config),
     .positional = true,
     .help = "sizes, where to begin and datelines: OpenSM's torus-2QoS.conf, with names where it expects GUIDs if one "
             "likes (default: those of the network's own shape)"},
    {.name = NULL}};

const struct cw_engine cw_engine_torus_2qos = {
    .name = "torus-2qos",
    .opensm = "torus-2QoS",
    .help =
        "tori and meshes of 2 or 3 dimensions: dimension by dimension, around failures, with service levels against "
        "deadlocks; OpenSM's tables of torus-2QoS",
    .needs = "a torus or mesh of at most 3 dimensions with one cable at each endpoint, generated or recognised, or "
             "config=FILE",
    .options = options,
    .size = sizeof(struct options),
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .explains = true,
    .accepts = torus_accepts,
    .compile = torus_compile};
