/*
 * Adaptive routing of extended generalised fat trees: up by the cable with the fewest flits waiting, until the
 * destination is below, then down, where there is one way but for parallel cables, among which the destination chooses.
 * Every up channel is a candidate, in order of occupancy; ties begin at a random one.
 *
 * Packets go up and then down, never up again, so one lane is enough. The dependencies are exactly these turns.
 *
 * In a tree that was recognised in a map (net/places.h) the same holds of places. Where it has gaps, candidates are
 * only the channels from which the destination can be reached, and the way down is D-mod-k's; packets from and to
 * endpoints beside the tree may have to go another way first, on lane 1 (xgft_detours.h).
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/engine.h"
#include "route/engines/xgft_detours.h"
#include "route/engines/xgft_paths.h"
#include "route/fast_divide.h"
#include "route/routes_internal.h"

#define MAX_UP 256 /* cables up of a switch */

struct place {
    uint32_t first;  /* channel of the switch */
    uint32_t lowest; /* endpoint below it */
    uint32_t level;
    uint32_t n_down, n_up;
    uint32_t row; /* in `port` */
};

/* The cables from a switch to its child number c are its ports port[row + c] … port[row + c + 1] - 1. */
struct tree {
    const struct cw_network *net;     /* the one that packets are in */
    const struct cw_network *regular; /* the one with the shape: NET, or its places' ideal */
    const struct cw_places *places;   /* NULL: NET has the shape itself */
    bool gaps;                        /* something is missing on the way, or stands beside the tree */
    struct cw_xgft_detours detours;   /* where there are places */
    struct place *place;              /* [switches of `regular`] */
    uint32_t *port;
    uint32_t below[CW_XGFT_LEVELS + 1];       /* endpoints below a switch of each level */
    struct cw_divisor by[CW_XGFT_LEVELS + 1]; /* division by those below one of its children */
};

static uint32_t tree_choices(const void *state, uint32_t sw, uint32_t dst)
{
    (void)state, (void)sw, (void)dst;
    return 0;
}

/* Enters CHANNEL, behind which FLITS wait, among the N best in OUT, at most MAX, sorted by insertion; their number. */
static int enter(struct cw_hop *out, uint32_t *occupancy, int n, int max, uint32_t channel, uint32_t flits)
{
    if (n == max && occupancy[n - 1] <= flits) return n;
    int at = n < max ? n++ : n - 1;
    for (; at > 0 && occupancy[at - 1] > flits; at--) {
        occupancy[at] = occupancy[at - 1];
        out[at] = out[at - 1];
    }
    occupancy[at] = flits;
    out[at] = (struct cw_hop){channel, 0};
    return n;
}

static uint32_t real_channel(const struct tree *tree, uint32_t channel)
{
    return tree->places ? tree->places->channel[channel] : channel;
}

/* The best of the channels up, at most MAX. */
static int go_up(const struct tree *tree, const struct place *place, const struct cw_queue_view *view, uint64_t random,
                 struct cw_hop *out, int max)
{
    uint32_t occupancy[CW_PACKET_CANDIDATES], k = cw_choice(random, place->n_up);
    int n = 0;
    if (max > CW_PACKET_CANDIDATES) max = CW_PACKET_CANDIDATES;
    for (uint32_t i = 0; i < place->n_up; i++, k = k + 1 < place->n_up ? k + 1 : 0) {
        const uint32_t channel = real_channel(tree, place->first + place->n_down + k);
        n = enter(out, occupancy, n, max, channel, view->occupancy(view->simulator, channel));
    }
    return n;
}

/* The same past gaps. */
static int go_on(const struct tree *tree, uint32_t sw, uint32_t dst, const struct cw_queue_view *view, uint64_t random,
                 struct cw_hop *out, int max)
{
    uint32_t occupancy[CW_PACKET_CANDIDATES], channels[MAX_UP];
    int n = 0;
    if (max > CW_PACKET_CANDIDATES) max = CW_PACKET_CANDIDATES;
    const uint32_t ways = cw_xgft_ways_up(&tree->detours, sw, dst, channels, MAX_UP);
    if (ways == 0) {
        *out = cw_xgft_hop(&tree->detours, sw, dst);
        return out->channel == CW_NONE ? cw_fail_hole(tree->net, sw, dst) : 1;
    }
    for (uint32_t i = 0, k = cw_choice(random, ways); i < ways; i++, k = k + 1 < ways ? k + 1 : 0)
        n = enter(out, occupancy, n, max, channels[k], view->occupancy(view->simulator, channels[k]));
    return n;
}

/* The place of switch SW. */
static const struct place *place_of(const struct tree *tree, uint32_t sw)
{
    return &tree->place[(tree->places ? tree->places->place[sw] : sw) - tree->regular->n_endpoints];
}

static int tree_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                     uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)in, (void)lane;
    const struct tree *tree = state;
    if (tree->gaps) return go_on(tree, sw, packet->dst, view, random, out, max);
    const struct place *place = place_of(tree, sw);
    const uint32_t dst = tree->places ? tree->places->place[packet->dst] : packet->dst;
    const uint32_t d = dst - place->lowest; /* wraps for those before */
    if (d >= tree->below[place->level]) return go_up(tree, place, view, random, out, max);
    const uint32_t *port = tree->port + place->row + cw_fast_divide(d, tree->by[place->level]);
    const uint32_t cables = port[1] - port[0];
    *out = (struct cw_hop){real_channel(tree, place->first + port[0] + (cables > 1 ? d % cables : 0)), 0};
    return 1;
}

/* True if CHANNEL leads up the tree. */
static bool leads_up(const struct tree *tree, uint32_t channel)
{
    return place_of(tree, tree->net->head[channel])->level > place_of(tree, tree->net->tail[channel])->level;
}

/* Of packets that come to switch SW by channel IN. */
static int turns_from(const struct tree *tree, uint32_t sw, uint32_t in,
                      int (*edge)(void *context, struct cw_hop from, struct cw_hop to), void *context)
{
    const struct cw_network *net = tree->net;
    const bool rises = leads_up(tree, in), beside = tree->places && tree->places->beside > 0;
    int rc = 0;
    for (uint32_t c = net->first[sw]; c < net->first[sw + 1] && rc == 0; c++) {
        if (cw_network_is_endpoint(net, net->head[c]) || net->head[c] == net->tail[in]) continue;
        const bool goes_up = leads_up(tree, c);
        for (uint8_t lane = 0; lane <= beside && rc == 0 && (rises || !goes_up); lane++)
            rc = edge(context, (struct cw_hop){in, lane}, (struct cw_hop){c, lane});
        if (rc == 0 && beside && !rises) rc = edge(context, (struct cw_hop){in, 1}, (struct cw_hop){c, 0});
    }
    return rc;
}

static int tree_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                             void *context)
{
    const struct tree *tree = state;
    const struct cw_network *net = tree->net;
    int rc = 0;
    for (uint32_t sw = net->n_endpoints; sw < net->n_vertices; sw++)
        for (uint32_t c = net->first[sw]; c < net->first[sw + 1] && rc == 0; c++)
            if (!cw_network_is_endpoint(net, net->head[c])) rc = turns_from(tree, sw, net->twin[c], edge, context);
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
    const struct cw_network *net = tree->regular;
    const struct cw_xgft *shape = &net->shape.xgft;
    const uint32_t n = (uint32_t)cw_xgft_level_size(shape, level), m = shape->m[level], w = shape->w[level];
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = net->n_endpoints + sw + i, up = level < shape->h ? shape->up[level] : 0;
        tree->place[sw + i] = (struct place){.first = net->first[v],
                                             .lowest = i / width * tree->below[level],
                                             .level = level,
                                             .n_down = cw_network_degree(net, v) - up,
                                             .n_up = up,
                                             .row = row + i % width % w * (m + 1)};
    }
}

static int fill(struct tree *tree)
{
    static const char what[] = "packet routes of a fat tree";
    const struct cw_network *net = tree->regular;
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

/* True if packets of endpoints beside the tree may take a second lane on CHANNEL. */
static bool is_beside(const struct cw_network *net, uint32_t channel)
{
    return net->places && net->places->beside > 0 && !cw_network_is_host_channel(net, channel);
}

static int tree_compile(const struct cw_network *net, const void *values, uint64_t seed, struct cw_packet_routing **out)
{
    (void)values, (void)seed;
    const struct cw_places *places = net->places;
    int rc = places ? 0 : cw_network_check_shape(net);
    if (rc) return rc;
    struct tree *tree = cw_new_array(1, sizeof *tree, "packet routes of a fat tree");
    if (!tree) return CW_ENOMEM;
    *tree = (struct tree){.net = net, .regular = places ? places->ideal : net, .places = places};
    tree->gaps = places && (!cw_places_have_all_routes(places) || places->beside > 0);
    if (places) tree->detours = cw_xgft_detours_of(net);
    rc = fill(tree);
    if (rc) {
        tree_free(tree);
        return rc;
    }
    uint8_t *lanes = cw_new_array(net->n_channels, sizeof *lanes, "lanes");
    for (uint32_t c = 0; lanes && c < net->n_channels; c++) lanes[c] = is_beside(net, c) ? 2 : 1;
    return cw_packet_routing_make(net, "adaptive-up", &ops, tree, lanes, out);
}

const struct cw_engine cw_engine_adaptive_up = {
    .name = "adaptive-up",
    .help = "fat trees: up by the port with the fewest waiting flits, then down by the only way",
    .needs = "an XGFT, generated or recognised in a map, in which every vertex has a cable to each of its parents",
    .by_queues = true,
    .shape = &cw_shape_xgft,
    .maps = CW_MAPS_ROUTED,
    .accepts = cw_xgft_paths_accepts,
    .packets = tree_compile};
