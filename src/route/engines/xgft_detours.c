#include "route/engines/xgft_detours.h"

#include <stdlib.h>

#include "base/memory.h"
#include "net/network_internal.h"

/* Where a route goes. */
struct target {
    struct cw_xgft_vertex at; /* the endpoint, or the switch it stands at */
    uint32_t number;          /* the endpoint whose digits choose among equal ways */
    uint32_t last;            /* channel from that switch; CW_NONE: `at` is the endpoint */
};

/* A step of a route. */
struct step {
    uint32_t channel; /* the network's, or CW_NONE: there is none */
    struct cw_xgft_vertex to;
};

struct cw_xgft_detours cw_xgft_detours_of(const struct cw_network *net)
{
    return (struct cw_xgft_detours){net, net->places, cw_xgft_tree_of(net->places->ideal)};
}

/* The channel from the switch of E, which stands beside the tree, to it; CW_NONE if it is not connected to one. */
static uint32_t channel_to(const struct cw_xgft_detours *of, uint32_t e)
{
    const struct cw_network *net = of->net;
    for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++)
        if (!cw_network_is_endpoint(net, net->head[c])) return net->twin[c];
    return CW_NONE;
}

static bool find_target(const struct cw_xgft_detours *of, uint32_t d, struct target *target)
{
    const uint32_t place = of->places->place[d];
    if (place != CW_NONE) {
        *target = (struct target){cw_xgft_vertex_of(&of->tree, place), place, CW_NONE};
        return true;
    }
    const uint32_t last = channel_to(of, d);
    if (last == CW_NONE) return false;
    const struct cw_xgft_vertex at = cw_xgft_vertex_of(&of->tree, of->places->place[of->net->tail[last]]);
    const uint32_t below = of->tree.block[at.level];
    *target = (struct target){at, at.a * below + at.b % below, last};
    return true;
}

static bool is_above(const struct cw_xgft_tree *tree, struct cw_xgft_vertex v, struct cw_xgft_vertex t)
{
    return v.level >= t.level && t.a / (tree->block[v.level] / tree->block[t.level]) == v.a &&
           v.b / (tree->width[v.level] / tree->width[t.level]) == t.b;
}

/* Which of parallel cables a route may take: D-mod-k's own, or also the next that is there. */
enum choice { OWN, ANY };

/* The first channel that is there of N parallel ones, FIRST and each STRIDE further, beginning with number I. */
static uint32_t pick(const struct cw_xgft_detours *of, uint32_t first, uint32_t stride, uint32_t n, uint32_t i,
                     enum choice choice)
{
    if (choice == OWN) return of->places->channel[first + i * stride];
    for (uint32_t tried = 0; tried < n; tried++, i = i + 1 < n ? i + 1 : 0) {
        const uint32_t channel = of->places->channel[first + i * stride];
        if (channel != CW_NONE) return channel;
    }
    return CW_NONE;
}

/* From V down to its child with digit C; NUMBER chooses among parallel cables. */
static struct step to_child(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, uint32_t c, uint32_t number,
                            enum choice choice)
{
    const struct cw_xgft_tree *tree = &of->tree;
    const uint32_t l = v.level - 1, m = tree->shape->m[v.level], w = tree->shape->w[v.level], up = tree->shape->up[l];
    const struct cw_xgft_vertex child = {l, v.a * m + c, v.b / w};
    uint32_t first;
    const uint32_t n = cw_xgft_bundle(up, w, c, v.b % w, &first), cable = up * c + first; /* of the siblings' */
    const uint32_t u = cw_xgft_number(tree, l, number);
    const uint32_t before = u > first ? (u - first + w - 1) / w : 0;
    const uint32_t channel = tree->net->first[cw_xgft_id(tree, v)] + cable / w;
    return (struct step){pick(of, channel, 1, n, before % n, choice), child};
}

static struct step down(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, const struct target *target,
                        enum choice choice)
{
    const struct cw_xgft_tree *tree = &of->tree;
    const uint32_t child = target->at.a / (tree->block[v.level - 1] / tree->block[target->at.level]);
    return to_child(of, v, child % tree->shape->m[v.level], target->number, choice);
}

/* From V up to its parent with digit B. */
static struct step to_parent(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, uint32_t b, uint32_t number,
                             enum choice choice)
{
    const struct cw_xgft_tree *tree = &of->tree;
    const uint32_t m = tree->shape->m[v.level + 1], w = tree->shape->w[v.level + 1], up = tree->shape->up[v.level];
    const struct cw_xgft_vertex parent = {v.level + 1, v.a / m, v.b * w + b};
    uint32_t first;
    const uint32_t n = cw_xgft_bundle(up, w, v.a % m, b, &first);
    const uint32_t channel = tree->net->first[cw_xgft_id(tree, v)] + cw_xgft_down_ports(tree, v.level, v.b) + first;
    return (struct step){pick(of, channel, w, n, cw_xgft_cable(tree, v.level, number) / w % n, choice), parent};
}

static bool can_reach(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, const struct target *target,
                      enum choice choice);

/* The digit of the parent of V, below the top, by which the whole tree's routes go. */
static uint32_t wanted_parent(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, const struct target *target)
{
    return cw_xgft_cable(&of->tree, v.level, target->number) % of->tree.shape->w[v.level + 1];
}

/* The step from V, below the top, to its parent with digit B if the target can be reached from there. */
static struct step by_parent(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, const struct target *target,
                             uint32_t b, enum choice choice)
{
    const struct cw_xgft_tree *tree = &of->tree;
    const struct cw_xgft_vertex t = target->at;
    const uint32_t l = v.level + 1;
    struct step step = {.channel = CW_NONE};
    /* below the target's level its own digits must be taken, or it is never above the target */
    if (l <= t.level && v.b * tree->shape->w[l] + b != t.b / (tree->width[t.level] / tree->width[l])) return step;
    step = to_parent(of, v, b, target->number, choice);
    if (step.channel != CW_NONE && !can_reach(of, step.to, target, choice)) step.channel = CW_NONE;
    return step;
}

/* The step up from V after which the target can be reached: as in the whole tree if all of that way is there; else
 * destinations that would go alike, and blocks of sources, begin one behind the other with the parents that are left,
 * so that what is lost spreads over them. */
static struct step up(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, const struct target *target,
                      enum choice choice)
{
    const struct cw_xgft_tree *tree = &of->tree;
    struct step step = {.channel = CW_NONE};
    if (v.level == tree->shape->h) return step;
    const uint32_t w = tree->shape->w[v.level + 1], wanted = wanted_parent(of, v, target);
    step = by_parent(of, v, target, wanted, OWN);
    if (step.channel != CW_NONE || choice == OWN) return step;
    const uint32_t alike = target->number / cw_xgft_scale(tree, v.level) / tree->shape->up[v.level] + v.a;
    const uint32_t lost = by_parent(of, v, target, wanted, ANY).channel == CW_NONE, left = w - lost;
    for (uint32_t i = 0; i < left && step.channel == CW_NONE; i++)
        step = by_parent(of, v, target, (wanted + lost + (alike + i) % left) % w, ANY);
    return step;
}

/* True if the target can be reached from V by going up and then down. */
static bool can_reach(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, const struct target *target,
                      enum choice choice)
{
    if (!is_above(&of->tree, v, target->at)) return up(of, v, target, choice).channel != CW_NONE;
    while (v.level > target->at.level) {
        const struct step step = down(of, v, target, choice);
        if (step.channel == CW_NONE) return false;
        v = step.to;
    }
    return true;
}

/* The step from switch V, from which the target cannot be reached so, down to where it can, or nearer. */
static struct step descend(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, const struct target *target)
{
    const uint32_t m = of->tree.shape->m[v.level];
    for (uint32_t i = 0; i < m && v.level > 1; i++) {
        const struct step step = to_child(of, v, (target->number + i) % m, target->number, ANY);
        if (step.channel == CW_NONE) continue;
        if (can_reach(of, step.to, target, ANY) || descend(of, step.to, target).channel != CW_NONE) return step;
    }
    return (struct step){.channel = CW_NONE};
}

/* The step up from switch V, from which there is no way down either to where the target can be reached so. */
static struct step ascend(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, const struct target *target)
{
    const struct cw_xgft_tree *tree = &of->tree;
    if (v.level == tree->shape->h) return (struct step){.channel = CW_NONE};
    const uint32_t w = tree->shape->w[v.level + 1];
    for (uint32_t i = 0, b = wanted_parent(of, v, target); i < w; i++, b = b + 1 < w ? b + 1 : 0) {
        const struct step step = to_parent(of, v, b, target->number, ANY);
        if (step.channel == CW_NONE) continue;
        if (descend(of, step.to, target).channel != CW_NONE || ascend(of, step.to, target).channel != CW_NONE)
            return step;
    }
    return (struct step){.channel = CW_NONE};
}

/* The step from V, which is not where the target stands; *LANE is the lane it takes. */
static struct step next(const struct cw_xgft_detours *of, struct cw_xgft_vertex v, const struct target *target,
                        uint8_t *lane)
{
    *lane = 0;
    if (is_above(&of->tree, v, target->at)) {
        if (can_reach(of, v, target, ANY)) return down(of, v, target, ANY);
    } else {
        const struct step step = up(of, v, target, ANY);
        if (step.channel != CW_NONE) return step;
    }
    *lane = 1;
    const struct step step = descend(of, v, target);
    return step.channel != CW_NONE || target->last == CW_NONE ? step : ascend(of, v, target);
}

uint32_t cw_xgft_detour(const struct cw_xgft_detours *of, uint32_t s, uint32_t d, uint32_t *channels, uint8_t *lanes)
{
    struct target target, source;
    uint32_t n = 0;
    if (s == d || !find_target(of, d, &target) || !find_target(of, s, &source)) return 0;
    if (source.last != CW_NONE) {
        if (lanes) lanes[n] = 0;
        channels[n++] = of->net->twin[source.last];
    }
    for (struct cw_xgft_vertex v = source.at; cw_xgft_id(&of->tree, v) != cw_xgft_id(&of->tree, target.at);) {
        uint8_t lane;
        const struct step step = next(of, v, &target, &lane);
        if (step.channel == CW_NONE) return 0;
        if (lanes) lanes[n] = lane;
        channels[n++] = step.channel;
        v = step.to;
    }
    if (target.last != CW_NONE) {
        if (lanes) lanes[n] = 0;
        channels[n++] = target.last;
    }
    return n;
}

struct cw_hop cw_xgft_hop(const struct cw_xgft_detours *of, uint32_t v, uint32_t d)
{
    struct target target;
    struct cw_hop hop = {CW_NONE, 0};
    if (!find_target(of, d, &target)) return hop;
    const uint32_t place = of->places->place[v];
    if (place == cw_xgft_id(&of->tree, target.at))
        hop.channel = target.last;
    else
        hop.channel = next(of, cw_xgft_vertex_of(&of->tree, place), &target, &hop.lane).channel;
    return hop;
}

uint32_t cw_xgft_ways_up(const struct cw_xgft_detours *of, uint32_t v, uint32_t d, uint32_t *channels, uint32_t max)
{
    const struct cw_network *net = of->net;
    struct target target;
    uint32_t n = 0;
    if (!find_target(of, d, &target)) return 0;
    const struct cw_xgft_vertex at = cw_xgft_vertex_of(&of->tree, of->places->place[v]);
    if (is_above(&of->tree, at, target.at) || at.level == of->tree.shape->h) return 0;
    const uint32_t w = of->tree.shape->w[at.level + 1], wanted = wanted_parent(of, at, &target);
    for (uint32_t i = 0; i < w; i++) {
        const struct step step = by_parent(of, at, &target, (wanted + i) % w, ANY);
        if (step.channel == CW_NONE) continue;
        for (uint32_t c = net->first[v]; c < net->first[v + 1] && n < max; c++)
            if (net->head[c] == net->head[step.channel]) channels[n++] = c;
    }
    return n;
}

/* --- is everything connected? ------------------------------------------------------------------------------------- */

/* Fills REACH[p] with the number of vertices of LEVEL that can be reached upwards from each place below. */
static void count_reach(const struct cw_xgft_detours *of, uint32_t level, uint32_t *reach)
{
    const struct cw_xgft_tree *tree = &of->tree;
    const uint32_t *vertex = of->places->vertex;
    for (uint32_t l = level + 1; l-- > 0;) {
        const uint32_t n = (uint32_t)cw_xgft_level_size(tree->shape, l);
        for (uint32_t p = tree->base[l]; p < tree->base[l] + n; p++) {
            const struct cw_xgft_vertex v = cw_xgft_vertex_of(tree, p);
            reach[p] = l == level && vertex[p] != CW_NONE;
            if (l == level || vertex[p] == CW_NONE) continue;
            for (uint32_t b = 0; b < tree->shape->w[l + 1]; b++) {
                const struct step step = to_parent(of, v, b, 0, ANY);
                if (step.channel != CW_NONE) reach[p] += reach[cw_xgft_id(tree, step.to)];
            }
        }
    }
}

/* Pairs of source vertices below vertex block A of LEVEL: if those of two reach more of its vertices than there are,
 * they have one in common; else a route is looked for. Sources are the vertices of level FROM. */
static bool block_is_connected(const struct cw_xgft_detours *of, uint32_t level, uint32_t a, uint32_t from,
                               const uint32_t *reach)
{
    const struct cw_xgft_tree *tree = &of->tree;
    const uint32_t *vertex = of->places->vertex;
    const uint32_t width = tree->width[level], n = tree->block[level] / tree->block[from] * tree->width[from];
    const uint32_t first = tree->base[from] + a * n;
    uint32_t tops = 0, least = UINT32_MAX;
    for (uint32_t b = 0; b < width; b++) tops += vertex[tree->base[level] + a * width + b] != CW_NONE;
    for (uint32_t i = 0; i < n; i++)
        if (vertex[first + i] != CW_NONE && reach[first + i] < least) least = reach[first + i];
    for (uint32_t i = 0; i < n; i++) {
        if (vertex[first + i] == CW_NONE || reach[first + i] + (uint64_t)least > tops) continue;
        for (uint32_t j = 0; j < n; j++) {
            if (i == j || vertex[first + j] == CW_NONE || reach[first + i] + (uint64_t)reach[first + j] > tops)
                continue;
            const struct cw_xgft_vertex v = cw_xgft_vertex_of(tree, first + i);
            const struct target target = {cw_xgft_vertex_of(tree, first + j), 0, CW_NONE};
            if (!can_reach(of, v, &target, ANY)) return false;
        }
    }
    return true;
}

/* Keeps the first endpoint of each switch in E; their number. SEEN has a zero for each vertex. */
static uint32_t first_endpoints(const struct cw_xgft_detours *of, bool only_beside, uint8_t *seen, uint32_t *e)
{
    const struct cw_network *net = of->net;
    uint32_t n = 0;
    for (uint32_t s = 0; s < net->n_endpoints; s++) {
        const uint32_t channel = channel_to(of, s);
        if (channel == CW_NONE || (only_beside && of->places->place[s] != CW_NONE)) continue;
        if (seen[net->tail[channel]] >> only_beside & 1) continue;
        seen[net->tail[channel]] |= (uint8_t)(1 << only_beside);
        e[n++] = s;
    }
    return n;
}

/* Endpoints beside the tree must be reached from everywhere, and reach everything. */
static bool beside_are_connected(const struct cw_xgft_detours *of)
{
    const struct cw_network *net = of->net;
    uint32_t channels[4 * CW_XGFT_LEVELS];
    uint8_t *seen = cw_new_array(net->n_vertices, sizeof *seen, "connections of a tree");
    uint32_t *all = cw_new_array(2 * (size_t)net->n_endpoints, sizeof *all, "connections of a tree");
    uint32_t *beside = all ? all + net->n_endpoints : NULL;
    const bool known = seen && all;
    bool connected = true; /* as below without memory */
    const uint32_t n = known ? first_endpoints(of, false, seen, all) : 0;
    const uint32_t n_beside = known ? first_endpoints(of, true, seen, beside) : 0;
    for (uint32_t i = 0; i < n_beside; i++)
        for (uint32_t j = 0; j < n && connected; j++)
            connected = all[j] == beside[i] || (cw_xgft_detour(of, all[j], beside[i], channels, NULL) > 0 &&
                                                cw_xgft_detour(of, beside[i], all[j], channels, NULL) > 0);
    free(seen);
    free(all);
    return connected;
}

bool cw_xgft_all_connected(const struct cw_xgft_detours *of)
{
    const struct cw_xgft_tree *tree = &of->tree;
    const uint32_t h = tree->shape->h, from = tree->shape->w[1] == 1 ? 1 : 0;
    if (of->places->beside > 0 && from == 0) return false; /* there is no switch that can reach all */
    if (cw_places_have_all_routes(of->places)) return true;
    uint32_t *reach = cw_new_array(tree->net->n_vertices, sizeof *reach, "connections of a tree");
    bool connected = true; /* without memory, too: whoever routes asks again, and "no" would choose another routing */
    for (uint32_t level = from + 1; level <= h && reach && connected; level++) {
        const uint32_t blocks = (uint32_t)(cw_xgft_level_size(tree->shape, level) / tree->width[level]);
        count_reach(of, level, reach);
        for (uint32_t a = 0; a < blocks && connected; a++) connected = block_is_connected(of, level, a, from, reach);
    }
    free(reach);
    return connected && (of->places->beside == 0 || beside_are_connected(of));
}
