#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/saturate.h"
#include "topo/dragonfly.h"

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
