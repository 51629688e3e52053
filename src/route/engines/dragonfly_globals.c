#include "route/engines/dragonfly_globals.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

static const char what[] = "global channels";

bool cw_dragonfly_accepts(const struct cw_network *net, const void *values)
{
    (void)values;
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    return shape->p > 0 && shape->a > 0 && shape->g > 0;
}

/* How good CHANNEL is: one of V's own before one that ends at LAST. */
static inline uint32_t rank_of(const struct cw_network *net, uint32_t channel, uint32_t v, uint32_t last)
{
    return 2 * (uint32_t)(net->tail[channel] == v) + (uint32_t)(net->head[channel] == last);
}

uint32_t cw_dragonfly_pick(const struct cw_dragonfly_globals *globals, uint32_t from, uint32_t to, uint32_t v,
                           uint32_t last, uint32_t dst)
{
    const struct cw_network *net = globals->net;
    const uint32_t *begin = globals->begin + (size_t)from * globals->shape.g + to;
    const uint32_t *channels = globals->global + begin[0], n = begin[1] - begin[0];
    uint32_t best = 0, equal = 0, first = 0; /* the best rank, how many channels have it, and the first of them */
    if (n == 1) return *channels;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t rank = rank_of(net, channels[i], v, last);
        first = rank > best ? i : first;
        equal = rank > best ? 1 : equal + (rank == best);
        best = rank > best ? rank : best;
    }
    uint32_t left = equal > 1 ? dst % equal : 0;
    if (best == 0) return channels[left]; /* all are equal */
    for (; left > 0; left--) do
            first++;
        while (rank_of(net, channels[first], v, last) != best);
    return channels[first];
}

/* --- finding them ------------------------------------------------------------------------------------------------- */

/* Goes through the global channels, and on with the place of their pair: to count them, or to put each in its place. */
static void list_globals(struct cw_dragonfly_globals *globals, uint32_t *place, bool count)
{
    const struct cw_network *net = globals->net;
    const uint32_t a = globals->shape.a, g = globals->shape.g, local = globals->shape.p + a - 1;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t c = net->first[v] + local; c < net->first[v + 1]; c++) {
            uint32_t *at = &place[(v - net->n_endpoints) / a * g + (net->head[c] - net->n_endpoints) / a];
            if (!count) globals->global[*at] = c;
            (*at)++;
        }
}

static int find_globals(struct cw_dragonfly_globals *globals)
{
    const uint32_t g = globals->shape.g;
    const size_t pairs = (size_t)g * g;
    globals->begin = cw_new_array(pairs + 1, sizeof *globals->begin, what);
    if (!globals->begin) return CW_ENOMEM;
    list_globals(globals, globals->begin + 1, true);
    for (size_t i = 0; i < pairs; i++) {
        if (globals->begin[i + 1] == 0 && i % g != i / g)
            return cw_fail(CW_EUSAGE, "no global channel leads from group %zu to group %zu", i / g, i % g);
        globals->begin[i + 1] += globals->begin[i];
    }
    globals->global = cw_new_array(globals->begin[pairs], sizeof *globals->global, what);
    uint32_t *place = cw_new_array(pairs, sizeof *place, what);
    if (!globals->global || !place) {
        free(place);
        return CW_ENOMEM;
    }
    memcpy(place, globals->begin, pairs * sizeof *place);
    list_globals(globals, place, false);
    free(place);
    return 0;
}

int cw_dragonfly_globals_new(const struct cw_network *net, struct cw_dragonfly_globals *out)
{
    struct cw_dragonfly_globals globals = {.net = net, .shape = net->shape.dragonfly};
    int rc = cw_network_check_shape(net);
    if (!rc) rc = find_globals(&globals);
    if (rc)
        cw_dragonfly_globals_free(&globals);
    else
        *out = globals;
    return rc;
}

void cw_dragonfly_globals_free(struct cw_dragonfly_globals *globals)
{
    free(globals->begin);
    free(globals->global);
    *globals = (struct cw_dragonfly_globals){0};
}
