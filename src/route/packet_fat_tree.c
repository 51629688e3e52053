/*
 * Adaptive routing of extended generalised fat trees: up by the cable with the fewest flits waiting, until the
 * destination is below, then down, where there is one way but for parallel cables, among which the destination chooses.
 * Every up channel is a candidate, in order of occupancy; ties begin at a random one.
 *
 * Packets go up and then down, never up again, so one lane is enough. The dependencies are exactly these turns.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/fast_divide.h"
#include "route/packet_routing.h"
#include "route/xgft_paths.h"

struct place {
    uint32_t first;  /* channel of the switch */
    uint32_t lowest; /* endpoint below it */
    uint32_t level;
    uint32_t n_down, n_up;
    uint32_t row; /* in `port` */
};

/* The cables from a switch to its child number c are its ports port[row + c] … port[row + c + 1] - 1. */
struct tree {
    const struct cw_network *net;
    uint32_t n_endpoints;
    struct place *place; /* [switches] */
    uint32_t *port;
    uint32_t below[CW_XGFT_LEVELS + 1];       /* endpoints below a switch of each level */
    struct cw_divisor by[CW_XGFT_LEVELS + 1]; /* division by those below one of its children */
};

static uint32_t tree_choices(const void *state, uint32_t sw, uint32_t dst)
{
    (void)state, (void)sw, (void)dst;
    return 0;
}

/* The best of the channels up, at most MAX, sorted by insertion. */
static int go_up(const struct place *place, const struct cw_queue_view *view, uint64_t random, struct cw_hop *out,
                 int max)
{
    uint32_t occupancy[CW_PACKET_CANDIDATES], k = cw_choice(random, place->n_up);
    int n = 0;
    if (max > CW_PACKET_CANDIDATES) max = CW_PACKET_CANDIDATES;
    for (uint32_t i = 0; i < place->n_up; i++, k = k + 1 < place->n_up ? k + 1 : 0) {
        const uint32_t channel = place->first + place->n_down + k;
        const uint32_t flits = view->occupancy(view->simulator, channel);
        if (n == max && occupancy[n - 1] <= flits) continue;
        int at = n < max ? n++ : n - 1;
        for (; at > 0 && occupancy[at - 1] > flits; at--) {
            occupancy[at] = occupancy[at - 1];
            out[at] = out[at - 1];
        }
        occupancy[at] = flits;
        out[at] = (struct cw_hop){channel, 0};
    }
    return n;
}

static int tree_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                     uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)in, (void)lane;
    const struct tree *tree = state;
    const struct place *place = &tree->place[sw - tree->n_endpoints];
    const uint32_t d = packet->dst - place->lowest; /* wraps for those before */
    if (d >= tree->below[place->level]) return go_up(place, view, random, out, max);
    const uint32_t *port = tree->port + place->row + cw_divide(d, tree->by[place->level]);
    const uint32_t cables = port[1] - port[0];
    *out = (struct cw_hop){place->first + port[0] + (cables > 1 ? d % cables : 0), 0};
    return 1;
}

/* Of packets that come from where OUT of switch SW leads to. */
static int turns_from(const struct tree *tree, uint32_t sw, uint32_t out,
                      int (*edge)(void *context, struct cw_hop from, struct cw_hop to), void *context)
{
    const struct cw_network *net = tree->net;
    const struct place *place = &tree->place[sw];
    const bool from_above = out - place->first >= place->n_down;
    const uint32_t n = place->n_down + (from_above ? 0 : place->n_up);
    int rc = 0;
    for (uint32_t c = place->first; c < place->first + n && rc == 0; c++)
        if (!cw_network_is_endpoint(net, net->head[c]) && net->head[c] != net->head[out])
            rc = edge(context, (struct cw_hop){net->twin[out], 0}, (struct cw_hop){c, 0});
    return rc;
}

static int tree_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                             void *context)
{
    const struct tree *tree = state;
    const struct cw_network *net = tree->net;
    int rc = 0;
    for (uint32_t sw = 0; sw < cw_network_switches(net); sw++) {
        const struct place *place = &tree->place[sw];
        for (uint32_t c = place->first; c < place->first + place->n_down + place->n_up && rc == 0; c++)
            if (!cw_network_is_endpoint(net, net->head[c])) rc = turns_from(tree, sw, c, edge, context);
    }
    return rc;
}

static void tree_free(void *state)
{
    struct tree *tree = state;
    free(tree->place);
    free(tree->port);
    free(tree);
}

static const struct cw_packet_routing_ops ops = {
    .choices = tree_choices, .next = tree_next, .dependencies = tree_dependencies, .free_state = tree_free};

/* --- compiling ---------------------------------------------------------------------------------------------------- */

/* The rows of LEVEL, one for each digit b_l, from ROW on: of the cables q = 0 … of a group of siblings, switch b has
 * those with q mod w = b, in order. */
static void fill_rows(const struct cw_xgft *shape, uint32_t level, uint32_t *row)
{
    const uint32_t m = shape->m[level], w = shape->w[level], up = shape->up[level - 1];
    for (uint32_t b = 0; b < w; b++)
        for (uint32_t c = 0; c <= m; c++) *row++ = (up * c + w - 1 - b) / w;
}

/* Fills the places of LEVEL, the first of which is switch SW. */
static void fill_places(struct tree *tree, uint32_t level, uint32_t sw, uint32_t width, uint32_t row)
{
    const struct cw_xgft *shape = &tree->net->shape.xgft;
    const uint32_t n = (uint32_t)cw_xgft_level_size(shape, level), m = shape->m[level], w = shape->w[level];
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = tree->n_endpoints + sw + i, up = level < shape->h ? shape->up[level] : 0;
        tree->place[sw + i] = (struct place){.first = tree->net->first[v],
                                             .lowest = i / width * tree->below[level],
                                             .level = level,
                                             .n_down = cw_network_degree(tree->net, v) - up,
                                             .n_up = up,
                                             .row = row + i % width % w * (m + 1)};
    }
}

static int fill(struct tree *tree)
{
    static const char what[] = "packet routes of a fat tree";
    const struct cw_network *net = tree->net;
    const struct cw_xgft *shape = &net->shape.xgft;
    size_t entries = 0;
    for (uint32_t l = 1; l <= shape->h; l++) entries += (size_t)shape->w[l] * (shape->m[l] + 1);
    tree->place = cw_new_array(cw_network_switches(net), sizeof *tree->place, what);
    tree->port = cw_new_array(entries, sizeof *tree->port, what);
    if (!tree->place || !tree->port) return CW_ENOMEM;
    tree->below[0] = 1;
    for (uint32_t l = 1, sw = 0, width = 1, row = 0; l <= shape->h; l++) {
        tree->below[l] = tree->below[l - 1] * shape->m[l];
        tree->by[l] = cw_divisor_of(tree->below[l - 1]);
        width *= shape->w[l];
        fill_rows(shape, l, tree->port + row);
        fill_places(tree, l, sw, width, row);
        sw += (uint32_t)cw_xgft_level_size(shape, l);
        row += shape->w[l] * (shape->m[l] + 1);
    }
    return 0;
}

static int tree_compile(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out)
{
    (void)values, (void)seed;
    int rc = cw_network_check_shape(net);
    if (rc) return rc;
    struct tree *tree = cw_new_array(1, sizeof *tree, "packet routes of a fat tree");
    if (!tree) return CW_ENOMEM;
    *tree = (struct tree){.net = net, .n_endpoints = net->n_endpoints};
    rc = fill(tree);
    if (rc) {
        tree_free(tree);
        return rc;
    }
    uint8_t *lanes = cw_new_array(net->n_channels, sizeof *lanes, "lanes");
    for (uint32_t c = 0; lanes && c < net->n_channels; c++) lanes[c] = 1;
    return cw_packet_routing_make(net, "adaptive-up", &ops, tree, lanes, out);
}

const struct cw_packet_routing_kind cw_packet_adaptive_up = {
    .name = "adaptive-up",
    .help = "fat trees: up by the cable with the fewest flits waiting, down by the only way",
    .needs = "an XGFT made by the generator in which every vertex has a cable to each of its parents",
    .accepts = cw_xgft_paths_accepts,
    .compile = tree_compile};
