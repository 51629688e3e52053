/*
 * Slim Fly: the graphs of McKay, Miller and Širáň (Besta and Hoefler, SC 2014, section II-B; for powers of two and of
 * other primes: Hafner, "Geometric realisation of the graphs of McKay–Miller–Širáň", 2004). The generator sets are
 * powers of a primitive element (topo/galois.h):
 *
 *     q = 4w + 1: X = even powers, X' = odd ones      q = 4w: X = {0, 2, …, q-2}, X' = X one further
 *     q = 4w - 1: X = {0, 2, …, 2w-2, 2w-1, 2w+1, …, 4w-3}, X' = X one further
 */

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "topo/formulas_internal.h"
#include "topo/galois.h"
#include "topo/topology.h"

#define MAX_Q 4096

struct parameters {
    int64_t q, p;
};

static const struct cw_option options[] = {
    {.name = "q",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct parameters, q),
     .min = 3,
     .max = MAX_Q,
     .positional = true,
     .required = true,
     .help =
         "a prime power q = 4w+d with d = -1, 0 or 1: there are 2*q*q switches, each with (3q-d)/2 channels to others"},
    {.name = "p",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct parameters, p),
     .max = 60000,
     .positional = true,
     .help = "endpoints of a switch (0: half its channels to other switches, rounded up, which balances the network)"},
    {.name = NULL}};

/* --- the graph ---------------------------------------------------------------------------------------------------- */

/* MEMBER[half·q + e]: element e is in the generator set of that half. */
static void find_members(const struct cw_galois *field, uint8_t *member)
{
    const uint32_t q = field->q, n = cw_slimfly_within(q);
    for (uint32_t i = 0; i < n; i++) {
        const bool late = q % 4 == 3 && i >= (n + 1) / 2; /* from there on odd powers: n = 2w sets of w each */
        const uint32_t exponent = late ? 2 * i - 1 : 2 * i;
        member[field->power[exponent % (q - 1)]] = 1;
        member[q + field->power[(exponent + 1) % (q - 1)]] = 1;
    }
}

/* NEIGHBOURS[switch·degree …] in order of ports. */
static void find_neighbours(const struct cw_galois *field, const uint8_t *member, uint32_t *neighbours)
{
    const uint32_t q = field->q;
    uint32_t *next = neighbours;
    for (uint32_t index = 0; index < 2 * q * q; index++) {
        const uint32_t half = index / (q * q), group = index / q % q, place = index % q;
        for (uint32_t i = 0; i < q; i++)
            if (member[half * q + cw_galois_subtract(field, place, i)]) *next++ = index - place + i;
        for (uint32_t i = 0; i < q; i++) {
            const uint32_t product = cw_galois_multiply(field, group, i); /* m·x */
            const uint32_t to =
                half == 0 ? cw_galois_subtract(field, place, product) : cw_galois_add(field, product, place);
            *next++ = (half == 0 ? q * q : 0) + i * q + to;
        }
    }
}

/* The neighbours of each switch of a Slim Fly of Q (a prime power of at least 3), in order of their ports:
 * (*OUT)[switch · degree + i], degree being cw_slimfly_within(Q) + Q. *OUT is the caller's. O(Q³). */
static int cw_slimfly_neighbours(uint32_t q, uint32_t **out)
{
    struct cw_galois field;
    const size_t degree = cw_slimfly_within(q) + (size_t)q;
    int rc = cw_galois_new(q, &field);
    if (rc) return rc;
    uint8_t *member = cw_new_array(2 * (size_t)q, sizeof *member, "generators of a Slim Fly");
    uint32_t *neighbours = cw_new_array(2 * (size_t)q * q * degree, sizeof *neighbours, "channels of a Slim Fly");
    if (member && neighbours) {
        find_members(&field, member);
        find_neighbours(&field, member, neighbours);
        *out = neighbours;
    } else {
        rc = CW_ENOMEM;
        free(neighbours);
    }
    free(member);
    cw_galois_free(&field);
    return rc;
}

/* --- the generator ------------------------------------------------------------------------------------------------ */

/* The port of switch B that leads to A, which NEIGHBOURS has. */
static uint32_t port_back(const uint32_t *neighbours, uint32_t degree, uint32_t a, uint32_t b)
{
    const uint32_t *of_b = neighbours + (size_t)b * degree;
    uint32_t i = 0;
    while (of_b[i] != a) i++;
    return i;
}

static void add_cables(struct cw_builder *builder, const struct cw_slimfly *slimfly, const struct cw_link *link,
                       const uint32_t *neighbours)
{
    const uint32_t p = slimfly->p, switches = 2 * slimfly->q * slimfly->q, n = switches * p;
    const uint32_t degree = cw_slimfly_within(slimfly->q) + slimfly->q;
    for (uint32_t a = 0; a < switches && !cw_builder_failed(builder); a++) {
        for (uint32_t i = 0; i < p; i++)
            cw_builder_cable(builder, a * p + i, 1, n + a, i + 1, link->capacity, link->latency);
        for (uint32_t i = 0; i < degree; i++) {
            const uint32_t b = neighbours[(size_t)a * degree + i];
            if (b < a) continue;
            cw_builder_cable(builder, n + a, p + i + 1, n + b, p + port_back(neighbours, degree, a, b) + 1,
                             link->capacity, link->latency);
        }
    }
}

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    const struct parameters *parameters = values;
    const uint32_t q = (uint32_t)parameters->q, degree = cw_slimfly_within(q) + q;
    if (cw_galois_characteristic(q) == 0) return cw_fail(CW_EUSAGE, "slimfly: q = %u is not a power of a prime", q);
    const struct cw_shape shape = {
        .kind = &cw_shape_slimfly,
        .slimfly = {.q = q, .p = parameters->p > 0 ? (uint32_t)parameters->p : (degree + 1) / 2}};
    const uint64_t switches = cw_shape_switches(&shape), endpoints = cw_shape_endpoints(&shape);
    struct cw_builder *builder = cw_builder_new(endpoints, switches, endpoints + switches * degree / 2);
    uint32_t *neighbours = NULL;
    cw_builder_shape(builder, &shape);
    if (!cw_builder_failed(builder)) {
        const int rc = cw_slimfly_neighbours(q, &neighbours);
        if (rc) cw_builder_fail(builder, rc);
    }
    if (neighbours) add_cables(builder, &shape.slimfly, link, neighbours);
    free(neighbours);
    return cw_builder_finish(builder, net);
}

/* --- formulas ----------------------------------------------------------------------------------------------------- */

/* The shape's check does not know the field, and these formulas rely on its graph. */
static int check_graph(const struct cw_network *net, const struct cw_slimfly *slimfly)
{
    const uint32_t n = net->n_endpoints, degree = cw_slimfly_within(slimfly->q) + slimfly->q;
    uint32_t *neighbours;
    if (cw_galois_characteristic(slimfly->q) == 0)
        return cw_fail(CW_EUSAGE, "a Slim Fly of q = %u has no formula: q is not a power of a prime", slimfly->q);
    int rc = cw_slimfly_neighbours(slimfly->q, &neighbours);
    if (rc) return rc;
    for (uint32_t a = 0; a < cw_network_switches(net) && !rc; a++)
        for (uint32_t i = 0; i < degree && !rc; i++)
            if (net->head[net->first[n + a] + slimfly->p + i] != n + neighbours[(size_t)a * degree + i])
                rc = cw_fail(CW_EUSAGE, "distances have no formula: the cables are not those of a Slim Fly");
    free(neighbours);
    return rc;
}

/* Of the other switches `degree` are one hop away and all others two. */
static int distances(const struct cw_network *net, const struct cw_shape *shape, struct cw_distances *out)
{
    const double p = shape->slimfly.p, switches = cw_network_switches(net), n = switches * p;
    const double degree = cw_slimfly_within(shape->slimfly.q) + shape->slimfly.q;
    out->diameter = 4;
    out->mean_distance = 2 + p * (degree + 2 * (switches - 1 - degree)) / (n - 1);
    return check_graph(net, &shape->slimfly);
}

static const struct cw_formulas formulas = {.shape = &cw_shape_slimfly, .distances = distances};

static const char *const examples[] = {"slimfly:3", "slimfly:4,1", "slimfly:5,1", "slimfly:5,2", NULL};

const struct cw_topology cw_topology_slimfly = {
    .name = "slimfly",
    .help =
        "2*Q*Q switches with P endpoints each, any two of them at most two hops apart (Slim Fly; Q is a prime power)",
    .synopsis = "slimfly:Q[,P]",
    .examples = examples,
    .options = options,
    .size = sizeof(struct parameters),
    .formulas = &formulas,
    .build = build,
};
