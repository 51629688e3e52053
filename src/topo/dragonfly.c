#include "topo/dragonfly.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "base/saturate.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "topo/formulas_internal.h"
#include "topo/topology.h"

/* --- formulas: distances, bisection and a halving ----------------------------------------------------------------- */

/* All groups present, so one cable a pair of groups: from switch s to switch a - 1 - s of the other, whatever the
 * groups (palmtree and relative; in what order the groups are does not matter). Of the targets in other groups seen
 * from one switch, h are a global channel away, 2·h·(a-1) a local one more at one end, and h·(a-1)² two more. But two
 * global channels join switch s to switch s of the h - 1 groups on either side, where the local way takes three, unless
 * s is the first or last, which have it in two. */
static void dragonfly_sums(const struct cw_dragonfly *shape, struct cw_distances *out)
{
    const double p = shape->p, a = shape->a, h = shape->h;
    const double shortcuts = a > 2 ? 2 * (h - 1) * (a - 2) : 0;
    /* Ordered pairs of switches, the first in one group, by the number of channels between them. */
    const double near[] = {a, a * (a - 1) + a * h, a * 2 * h * (a - 1) + shortcuts,
                           a * h * (a - 1) * (a - 1) - shortcuts};
    double pairs = -a * p, sum = -2 * a * p; /* an endpoint and itself would be 2 apart */
    for (uint32_t d = 0; d < 4; d++) {
        pairs += near[d] * p * p;
        sum += (2.0 + d) * near[d] * p * p;
        if (near[d] > 0 && (d > 0 || p > 1)) out->diameter = 2 + d;
    }
    out->mean_distance = pairs > 0 ? sum / pairs : 0;
}

static int distances(const struct cw_network *net, const struct cw_shape *whole, struct cw_distances *out)
{
    const struct cw_dragonfly *shape = &whole->dragonfly;
    const uint64_t full = (uint64_t)shape->a * shape->h + 1;
    if (shape->arrangement != CW_ARRANGEMENT_PALMTREE && shape->arrangement != CW_ARRANGEMENT_RELATIVE)
        return cw_fail(CW_EUSAGE, "distances in a dragonfly of the %s arrangement have no formula",
                       cw_arrangement_names[shape->arrangement]);
    if (shape->g != full)
        return cw_fail(CW_EUSAGE, "distances in a dragonfly of %u groups have no formula; %" PRIu64 " groups would",
                       shape->g, full);
    const int rc = cw_dragonfly_check_wiring(net);
    if (!rc) dragonfly_sums(shape, out);
    return rc;
}

/* With all groups one cable joins each pair of them, in every arrangement, and carries (a·p)² of all-to-all traffic; a
 * local channel carries p²·(1 + 2·a·h). Unless that is more, n²/4L = g²/4, the cut between two halves of the groups. */
static int bisection(const struct cw_network *net, const struct cw_shape *whole, double *out)
{
    const struct cw_dragonfly *shape = &whole->dragonfly;
    const double a = shape->a, h = shape->h, g = shape->g;
    if (shape->g != (uint64_t)shape->a * shape->h + 1 || shape->g % 2 != 0) return 0;
    if (shape->a > 1 && 1 + 2 * a * h > a * a) return 0;
    const double across = g * g / 4, hosts = a * g * shape->p / 2;
    *out = across < hosts ? across : hosts;
    const int rc = cw_dragonfly_check_wiring(net);
    return rc ? rc : 1;
}

static uint32_t halvings(const struct cw_shape *shape)
{
    (void)shape;
    return 1;
}

static void halve(const struct cw_network *net, const struct cw_shape *whole, uint32_t i, uint8_t *side)
{
    (void)i; /* there is one */
    const struct cw_dragonfly *shape = &whole->dragonfly;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const uint32_t s = e / shape->p % shape->a, mirror = shape->a - 1 - s;
        side[e] = 4 * (s < mirror ? s : mirror) >= shape->a;
    }
}

static const struct cw_formulas formulas = {.shape = &cw_shape_dragonfly,
                                            .distances = distances,
                                            .bisection = bisection,
                                            .bisection_how = "by formula: between two halves of the groups",
                                            .halvings = halvings,
                                            .halve = halve};

/* --- wiring ------------------------------------------------------------------------------------------------------- */

/* Draws of a wiring, by index of the stream: the order of groups, and that of the channels of group i. */
#define INDEX_OF_SHUFFLE 0
#define INDEX_OF_GROUP   1

/* Cables between two groups. */
static uint64_t trunks_of(const struct cw_dragonfly *shape)
{
    return shape->g > 1 ? (uint64_t)shape->a * shape->h / (shape->g - 1) : 0;
}

uint64_t cw_dragonfly_cables(const struct cw_dragonfly *shape)
{
    const uint64_t switches = (uint64_t)shape->a * shape->g;
    const uint64_t hosts = cw_saturating_multiply(switches, shape->p);
    const uint64_t local = cw_saturating_multiply(switches, shape->a - 1) / 2;
    const uint64_t pairs = (uint64_t)shape->g * (shape->g - 1) / 2;
    return cw_saturating_add(hosts, cw_saturating_add(local, cw_saturating_multiply(pairs, trunks_of(shape))));
}

/* The group that channel R of a block of group I leads to. */
static uint32_t far_group(const struct cw_dragonfly *shape, uint32_t i, uint32_t r)
{
    switch ((enum cw_arrangement)shape->arrangement) {
    case CW_ARRANGEMENT_PALMTREE:
        return (i + r + 1) % shape->g;
    case CW_ARRANGEMENT_RELATIVE:
        return (i + (shape->g - 1 - r)) % shape->g;
    case CW_ARRANGEMENT_CONSECUTIVE:
    case CW_ARRANGEMENT_RANDOM:
        break;
    }
    return r < i ? r : r + 1;
}

/* The channel of the same block by which group J leads back to group I, whose channel R leads to it. */
static uint32_t far_channel(const struct cw_dragonfly *shape, uint32_t i, uint32_t r, uint32_t j)
{
    switch ((enum cw_arrangement)shape->arrangement) {
    case CW_ARRANGEMENT_PALMTREE:
    case CW_ARRANGEMENT_RELATIVE:
        return shape->g - 2 - r;
    case CW_ARRANGEMENT_CONSECUTIVE:
    case CW_ARRANGEMENT_RANDOM:
        break;
    }
    return i < j ? i : i - 1;
}

/* PLACE[i·used + q] becomes the number of the channel that is q-th of the i-th group of the formulas. */
static int place_channels(const struct cw_dragonfly *shape, uint32_t used, uint32_t *place)
{
    uint32_t *group = cw_new_array(shape->g, sizeof *group, "the order of groups");
    if (!group) return CW_ENOMEM;
    if (shape->shuffle) {
        struct cw_random random = cw_random_of(shape->shuffle, CW_STREAM_TOPOLOGY, INDEX_OF_SHUFFLE);
        cw_random_permutation(&random, shape->g, group);
    } else {
        for (uint32_t i = 0; i < shape->g; i++) group[i] = i;
    }
    for (uint32_t i = 0; i < shape->g; i++) {
        uint32_t *own = place + (size_t)i * used;
        for (uint32_t q = 0; q < used; q++) own[q] = group[i] * used + q;
        if (shape->arrangement != CW_ARRANGEMENT_RANDOM) continue;
        struct cw_random random = cw_random_of(shape->seed, CW_STREAM_TOPOLOGY, INDEX_OF_GROUP + i);
        cw_random_shuffle(&random, own, used);
    }
    free(group);
    return 0;
}

int cw_dragonfly_wire(const struct cw_dragonfly *shape, struct cw_dragonfly_wiring *out)
{
    const uint32_t others = shape->g - 1, used = (uint32_t)trunks_of(shape) * others;
    const size_t channels = (size_t)shape->g * used;
    uint32_t *place = cw_new_array(channels, sizeof *place, "global channels");
    uint32_t *far = cw_new_array(channels, sizeof *far, "global channels");
    const int rc = place && far ? place_channels(shape, used, place) : CW_ENOMEM;
    if (rc) {
        free(place);
        free(far);
        return rc;
    }
    for (uint32_t i = 0; i < shape->g; i++)
        for (uint32_t q = 0; q < used; q++) {
            const uint32_t r = q % others, j = far_group(shape, i, r);
            far[place[i * used + q]] = place[j * used + (q - r) + far_channel(shape, i, r, j)];
        }
    free(place);
    *out = (struct cw_dragonfly_wiring){.used = used, .far = far};
    return 0;
}

void cw_dragonfly_wiring_free(struct cw_dragonfly_wiring *wiring)
{
    if (!wiring) return;
    free(wiring->far);
    *wiring = (struct cw_dragonfly_wiring){0};
}

/* True if global channel Q of GROUP leads to channel FAR. */
static bool is_in_place(const struct cw_network *net, uint32_t used, uint32_t group, uint32_t q, uint32_t far)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    const uint32_t first = net->n_endpoints, a = shape->a, h = shape->h, globals = shape->p + a;
    const uint32_t channel = cw_network_channel_at(net, first + group * a + q / h, globals + q % h);
    const uint32_t far_q = far % used;
    return channel != CW_NONE && net->head[channel] == first + far / used * a + far_q / h &&
           cw_network_port(net, net->twin[channel]) == globals + far_q % h;
}

int cw_dragonfly_check_wiring(const struct cw_network *net)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    struct cw_dragonfly_wiring wiring = {0};
    bool same =
        cw_dragonfly_cables(shape) == net->n_channels / 2; /* none where none should be, if all others are there */
    const int rc = same ? cw_dragonfly_wire(shape, &wiring) : 0;
    for (uint32_t group = 0; !rc && same && group < shape->g; group++)
        for (uint32_t q = 0; q < wiring.used && same; q++)
            same = is_in_place(net, wiring.used, group, q, wiring.far[group * wiring.used + q]);
    cw_dragonfly_wiring_free(&wiring);
    if (rc || same) return rc;
    return cw_fail(CW_EUSAGE, "the global cables of this dragonfly are not those of the %s arrangement",
                   cw_arrangement_names[shape->arrangement]);
}

/* --- generator ---------------------------------------------------------------------------------------------------- */

struct parameters {
    int64_t p, a, h, g, seed, shuffle;
    int arrangement;
};

#define MAX_PORTS 65535 /* port numbers have 16 bits; it also keeps a·h + 1 within 32 */

#define COUNT(NAME, FIELD, HELP)                                                                                       \
    .name = NAME, .type = CW_OPTION_INT, .offset = offsetof(struct parameters, FIELD), .min = 1, .max = MAX_PORTS,     \
    .positional = true, .required = true, .help = HELP

#define SEED(NAME, FIELD, HELP)                                                                                        \
    .name = NAME, .type = CW_OPTION_INT, .offset = offsetof(struct parameters, FIELD), .max = UINT32_MAX, .help = HELP

static const struct cw_option options[] = {
    {COUNT("p", p, "endpoints of a switch")},
    {COUNT("a", a, "switches of a group, all connected to one another")},
    {COUNT("h", h, "global channels of a switch")},
    {.name = "g",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct parameters, g),
     .help = "groups, at most a*h+1 (0: that many); with fewer groups, pairs of groups have several global channels"},
    {.name = "arrangement",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct parameters, arrangement),
     .default_text = "palmtree",
     .choices = cw_arrangement_names,
     .help = "where global channel q of group i leads, counted over the switches of the group. palmtree: to group "
             "i+q+1; relative: to i-q-1; consecutive: to q, or q+1 if q >= i; random: to any"},
    {SEED("seed", seed, "random seed of arrangement=random")},
    {SEED("shuffle", shuffle, "random seed of the order of groups in the wiring (0: by number)")},
    {.name = NULL}};

static int shape_of(const struct parameters *parameters, struct cw_dragonfly *out)
{
    const int64_t most = parameters->a * parameters->h + 1;
    if (parameters->g < 0 || parameters->g > most)
        return cw_fail(CW_EUSAGE,
                       "dragonfly: %" PRId64 " groups; %" PRId64 " switches with %" PRId64
                       " global channels each can join at least 1 and at most %" PRId64 " groups",
                       parameters->g, parameters->a, parameters->h, most);
    const int64_t ports = parameters->p + parameters->a - 1 + parameters->h;
    if (ports > MAX_PORTS)
        return cw_fail(CW_EUSAGE, "dragonfly: switches of %" PRId64 " ports; at most %d are possible", ports,
                       MAX_PORTS);
    if (parameters->seed && parameters->arrangement != CW_ARRANGEMENT_RANDOM)
        return cw_fail(CW_EUSAGE, "dragonfly: the %s arrangement takes no seed; only arrangement=random does",
                       cw_arrangement_names[parameters->arrangement]);
    *out = (struct cw_dragonfly){.p = (uint32_t)parameters->p,
                                 .a = (uint32_t)parameters->a,
                                 .h = (uint32_t)parameters->h,
                                 .g = (uint32_t)(parameters->g ? parameters->g : most),
                                 .arrangement = (uint32_t)parameters->arrangement,
                                 .seed = (uint32_t)parameters->seed,
                                 .shuffle = (uint32_t)parameters->shuffle};
    return 0;
}

/* The cables of switch S of GROUP: its endpoints, later switches of the group, and later groups. */
static void add_switch(struct cw_builder *builder, const struct cw_dragonfly *shape, const struct cw_link *link,
                       const struct cw_dragonfly_wiring *wiring, uint32_t group, uint32_t s)
{
    const uint32_t p = shape->p, a = shape->a, h = shape->h, used = wiring->used;
    const uint32_t first_switch = a * shape->g * p, index = group * a + s, vertex = first_switch + index;
    for (uint32_t i = 0; i < p; i++)
        cw_builder_cable(builder, index * p + i, 1, vertex, i + 1, link->capacity, link->latency);
    for (uint32_t t = s + 1; t < a; t++)
        cw_builder_cable(builder, vertex, p + t, vertex + (t - s), p + s + 1, link->capacity, link->latency);
    for (uint32_t m = 0; m < h && s * h + m < used; m++) {
        const uint32_t far = wiring->far[group * used + s * h + m], far_group = far / used, far_q = far % used;
        if (far_group < group) continue;
        cw_builder_cable(builder, vertex, p + a + m, first_switch + far_group * a + far_q / h, p + a + far_q % h,
                         link->capacity, link->latency);
    }
}

static int build(const void *values, const struct cw_link *link, struct cw_network **net)
{
    struct cw_shape shape = {.kind = &cw_shape_dragonfly};
    int rc = shape_of(values, &shape.dragonfly);
    if (rc) return rc;
    const uint64_t switches = cw_shape_switches(&shape), cables = cw_dragonfly_cables(&shape.dragonfly);
    struct cw_builder *builder = cw_builder_new(cw_shape_endpoints(&shape), switches, cables);
    struct cw_dragonfly_wiring wiring = {0};
    cw_builder_shape(builder, &shape);
    if (!cw_builder_failed(builder)) rc = cw_dragonfly_wire(&shape.dragonfly, &wiring);
    if (rc) cw_builder_fail(builder, rc);
    for (uint32_t group = 0; group < shape.dragonfly.g && !cw_builder_failed(builder); group++)
        for (uint32_t s = 0; s < shape.dragonfly.a; s++) add_switch(builder, &shape.dragonfly, link, &wiring, group, s);
    cw_dragonfly_wiring_free(&wiring);
    return cw_builder_finish(builder, net);
}

static const char *const examples[] = {"dragonfly:2,4,2",
                                       "dragonfly:1,1,1",
                                       "dragonfly:2,2,1",
                                       "dragonfly:2,3,2",
                                       "dragonfly:2,4,2,g=1",
                                       "dragonfly:2,4,2,g=5",
                                       "dragonfly:1,3,2,g=4",
                                       "dragonfly:1,4,3,g=6",
                                       "dragonfly:2,4,2,arrangement=relative,shuffle=3",
                                       "dragonfly:2,3,2,arrangement=consecutive",
                                       "dragonfly:1,4,3,arrangement=random,seed=5,shuffle=1",
                                       "dragonfly:1,4,3,g=6,arrangement=random",
                                       NULL};

const struct cw_topology cw_topology_dragonfly = {
    .name = "dragonfly",
    .help = "Groups of fully connected switches, with global channels between the groups",
    .synopsis = "dragonfly:P,A,H[,g=G][,arrangement=NAME][,shuffle=SEED]",
    .examples = examples,
    .options = options,
    .size = sizeof(struct parameters),
    .formulas = &formulas,
    .build = build,
};
