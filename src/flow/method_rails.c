/*
 * The split over rails of flow/rails.h as a plan.
 *
 * The bytes of two boxes are to be split by given shares; which pairs of them go by which rail is free. So few pairs
 * are split: one after another takes what is left of the first rail, then of the next. Where only endpoints relay, the
 * network's routes say which rail a leg takes, and a pair's own route comes first: only what exceeds the share of its
 * rail is relayed, by a GPU of the destination's box, or else of the source's, over NVLink; of several that could, the
 * pairs take different ones. Bytes for which nobody relays stay on the pair's own route. What relays add to the cables
 * of GPUs is not looked at in advance: the plan's z has it, and so has the gap.
 */
#include "flow/rails.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "flow/legs/legs.h"
#include "flow/method.h"
#include "net/network_internal.h"

#define GAP         1e-6
#define BLOCK       4096 /* demands between two looks up from the work */
#define LONGEST     32   /* channels of two legs */
#define LEAST_SHARE 1e-9 /* of a demand that a path is made for */

static bool accepts(const struct cw_flow_problem *problem)
{
    struct cw_rails *rails = NULL;
    if (cw_rails_new(problem->net, problem->capacity, &rails)) return false;
    cw_rails_free(rails);
    return true;
}

struct splitting {
    const struct cw_flow_problem *problem;
    const struct cw_rails *rails;
    double *left;             /* [boxes · boxes · rails] bytes that are still to go by a rail */
    double *own;              /* [demands] bytes on the pair's own route */
    uint32_t *first, *member; /* endpoints by box */
};

/* Splits the bytes of PROBLEM, as a matrix. */
static int split_demands(const struct cw_flow_problem *problem, struct cw_rails *rails, struct cw_rails_plan *split)
{
    const size_t n = problem->net->n_endpoints;
    uint64_t *bytes = cw_new_array(n * n, sizeof *bytes, "a matrix of bytes");
    if (!bytes) return CW_ENOMEM;
    for (size_t d = 0; d < problem->demands->n; d++) {
        const struct cw_demand *demand = &problem->demands->items[d];
        bytes[demand->src * n + demand->dst] += demand->bytes;
    }
    const int rc = cw_rails_solve(rails, bytes, GAP, split);
    free(bytes);
    return rc;
}

/* --- endpoints relay ---------------------------------------------------------------------------------------------- */

static int sort_members(struct splitting *s)
{
    const uint32_t n = s->problem->net->n_endpoints, boxes = cw_rails_boxes(s->rails);
    s->first = cw_new_array((size_t)boxes + 2, sizeof *s->first, "boxes");
    s->member = cw_new_array(n, sizeof *s->member, "boxes");
    if (!s->first || !s->member) return CW_ENOMEM;
    for (uint32_t e = 0; e < n; e++)
        if (cw_rails_box(s->rails, e) != CW_NONE) s->first[cw_rails_box(s->rails, e) + 2]++;
    for (uint32_t b = 0; b < boxes; b++) s->first[b + 2] += s->first[b + 1];
    for (uint32_t e = 0; e < n; e++)
        if (cw_rails_box(s->rails, e) != CW_NONE) s->member[s->first[cw_rails_box(s->rails, e) + 1]++] = e;
    return 0;
}

/* The channels of the leg between two endpoints, if it works; else none, *N = 0. */
static const uint32_t *leg_of(const struct splitting *s, uint32_t src, uint32_t dst, uint32_t *n)
{
    const struct cw_legs *legs = s->problem->legs;
    const uint32_t f = legs->from_index[src], t = legs->to_index[dst];
    *n = 0;
    if (f == CW_NONE || t == CW_NONE) return NULL;
    const uint32_t *channels = cw_legs_channels(legs, f, t, 0, n);
    if (!cw_legs_works(s->problem, channels, *n)) *n = 0;
    return channels;
}

/* True if the leg leaves by channel UP. */
static bool takes(const uint32_t *channels, uint32_t n, uint32_t up)
{
    for (uint32_t i = 0; i < n; i++)
        if (channels[i] == up) return true;
    return false;
}

/* Sets PATH [LONGEST] to two legs from SRC to DST by the port UP, with a relay in BOX; its length, or 0. */
static size_t relay_in(const struct splitting *s, uint32_t box, uint32_t src, uint32_t dst, uint32_t up, uint32_t *path)
{
    const uint32_t begin = s->first[box], size = s->first[box + 1] - begin;
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t relay = s->member[begin + (src + dst + i) % size];
        uint32_t n, m;
        if (relay == src || relay == dst || !s->problem->legs->may_relay[relay]) continue;
        const uint32_t *one = leg_of(s, src, relay, &n), *two = leg_of(s, relay, dst, &m);
        if (n == 0 || m == 0 || n + m > LONGEST || !(takes(one, n, up) || takes(two, m, up))) continue;
        for (uint32_t k = 0; k < n; k++) path[k] = one[k];
        for (uint32_t k = 0; k < m; k++) path[n + k] = two[k];
        return n + m;
    }
    return 0;
}

/* --- from shares to paths ----------------------------------------------------------------------------------------- */

struct pair {
    uint32_t demand, src, dst, a, b; /* endpoints, and their boxes */
    double bytes, *left;             /* [rails] of its boxes */
};

static struct pair pair_of(const struct splitting *s, size_t d)
{
    const struct cw_demand *demand = &s->problem->demands->items[d];
    const uint32_t a = cw_rails_box(s->rails, demand->src), b = cw_rails_box(s->rails, demand->dst);
    const size_t boxes = ((size_t)a * cw_rails_boxes(s->rails) + b) * cw_rails_rails(s->rails);
    return (struct pair){(uint32_t)d, demand->src, demand->dst, a, b, (double)demand->bytes, s->left + boxes};
}

/* Every pair on its own route, as far as the share of the rail goes that this takes. */
static void take_own(const struct splitting *s)
{
    for (size_t d = 0; d < s->problem->demands->n; d++) {
        const struct pair pair = pair_of(s, d);
        uint32_t n;
        const uint32_t *own = leg_of(s, pair.src, pair.dst, &n);
        for (uint32_t j = 0; j < cw_rails_rails(s->rails) && pair.a != pair.b; j++) {
            if (!takes(own, n, cw_rails_channel(s->rails, pair.a, j, true))) continue;
            s->own[d] = fmin(pair.bytes, pair.left[j]);
            pair.left[j] -= s->own[d];
            break;
        }
    }
}

/* Sets PATH [LONGEST] to one of PAIR by rail J; its length, or 0 if there is none. */
static size_t path_by(const struct splitting *s, const struct pair *pair, uint32_t j, uint32_t *path)
{
    const struct cw_network *net = s->problem->net;
    const struct cw_legs *legs = s->problem->legs;
    const uint32_t up = cw_rails_channel(s->rails, pair->a, j, true);
    if (legs) {
        if (legs->setup.max_relays == 0) return 0;
        const size_t n = relay_in(s, pair->b, pair->src, pair->dst, up, path);
        return n > 0 ? n : relay_in(s, pair->a, pair->src, pair->dst, up, path);
    }
    path[0] = net->first[pair->src];
    path[1] = up;
    path[2] = cw_rails_channel(s->rails, pair->b, j, false);
    path[3] = net->twin[net->first[pair->dst]];
    return 4;
}

/* Within a box, or of what no rail takes, the pair's own route. */
static int add_own(const struct splitting *s, const struct pair *pair, double share, struct cw_plan *plan)
{
    const struct cw_network *net = s->problem->net;
    const uint32_t within[] = {net->first[pair->src], net->twin[net->first[pair->dst]]};
    if (!s->problem->legs) return cw_plan_add(plan, pair->demand, share, within, 2);
    uint32_t n;
    const uint32_t *own = leg_of(s, pair->src, pair->dst, &n);
    if (n > 0) return cw_plan_add(plan, pair->demand, share, own, n);
    return cw_fail(CW_EROUTE, "demand %u has no route of its own, and what a rail takes of it no endpoint relays",
                   pair->demand);
}

/* The first rail of both boxes. */
static uint32_t common_rail(const struct splitting *s, const struct pair *pair)
{
    uint32_t j = 0;
    while (cw_rails_channel(s->rails, pair->a, j, true) == CW_NONE ||
           cw_rails_channel(s->rails, pair->b, j, false) == CW_NONE)
        j++;
    return j;
}

/* What its own route does not take goes by one rail after another. */
static int add_pair(const struct splitting *s, size_t d, struct cw_plan *plan)
{
    const struct pair pair = pair_of(s, d);
    const double least = LEAST_SHARE * pair.bytes;
    const size_t before = plan->n_paths;
    double left = pair.bytes - s->own[d];
    uint32_t path[LONGEST];
    int rc = 0;
    if (pair.a == pair.b) return add_own(s, &pair, 1, plan);
    for (uint32_t j = 0; j < cw_rails_rails(s->rails) && left > least && !rc; j++) {
        const double taken = fmin(left, pair.left[j]);
        if (!(taken > least)) continue;
        const size_t n = path_by(s, &pair, j, path);
        if (n == 0) continue;
        rc = cw_plan_add(plan, pair.demand, taken / pair.bytes, path, n);
        pair.left[j] -= taken;
        left -= taken;
    }
    left += s->own[d];
    if (rc || !(left > 0)) return rc;
    if (plan->n_paths > before && (!s->problem->legs || left <= least)) { /* rounding */
        plan->paths[plan->n_paths - 1].share += left / pair.bytes;
        return 0;
    }
    if (s->problem->legs) return add_own(s, &pair, left / pair.bytes, plan);
    return cw_plan_add(plan, pair.demand, 1, path, path_by(s, &pair, common_rail(s, &pair), path));
}

static int add_paths(struct splitting *s, struct cw_plan *plan)
{
    int rc = 0;
    if (s->problem->legs) rc = sort_members(s);
    if (s->problem->legs && !rc) take_own(s);
    for (size_t d = 0; d < s->problem->demands->n && !rc; d++) {
        if (d % BLOCK == 0) rc = cw_interrupt_check();
        if (!rc) rc = add_pair(s, d, plan);
    }
    return rc;
}

/* Makes room, and notes what is to go by each rail. */
static int begin(struct splitting *s, const struct cw_rails_plan *split)
{
    const uint32_t n_rails = cw_rails_rails(s->rails);
    const size_t boxes = (size_t)cw_rails_boxes(s->rails) * cw_rails_boxes(s->rails);
    s->left = cw_new_array(boxes * n_rails, sizeof *s->left, "bytes of rails");
    s->own = cw_new_array(s->problem->demands->n, sizeof *s->own, "bytes of routes");
    if (!s->left || !s->own) return CW_ENOMEM;
    for (size_t d = 0; d < s->problem->demands->n; d++) {
        const struct pair pair = pair_of(s, d);
        const double *share = split->share + (pair.left - s->left);
        for (uint32_t j = 0; j < n_rails; j++) pair.left[j] += pair.bytes * share[j];
    }
    return 0;
}

static int solve(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *out)
{
    struct cw_rails *rails = NULL;
    struct cw_rails_plan split;
    int rc = cw_rails_new(problem->net, problem->capacity, &rails);
    if (!rc) rc = split_demands(problem, rails, &split);
    if (!rc) {
        struct splitting s = {.problem = problem, .rails = rails};
        rc = begin(&s, &split);
        if (!rc) rc = add_paths(&s, out);
        free(s.left);
        free(s.own);
        free(s.first);
        free(s.member);
    }
    if (!rc) rc = cw_proof_make(problem, split.length, setup->n_threads, &out->proof);
    if (!rc && isfinite(out->proof.bound)) out->bound = out->proof.bound;
    cw_rails_free(rails);
    return rc;
}

const struct cw_method cw_method_rails = {
    .name = "rails",
    .help = "boxes of GPUs on rails: what two boxes have for each other split over their ports, levelled; fast",
    .accepts = accepts,
    .solve = solve};
