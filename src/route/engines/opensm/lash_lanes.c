/*
 * Virtual lanes of lash: pairs of switches, in order, each with the paths of both directions, take the first lane on
 * which no cycle of dependencies is closed; then pairs are moved, at random, from the fullest lane to the emptiest.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "route/engines/balanced/lane_order.h"
#include "route/engines/opensm/glibc_random.h"
#include "route/engines/opensm/lash_internal.h"

static const char what[] = "virtual lanes of lash";

#define MOST_LANES 15u

/* The dependency of a channel on the one before it. */
struct step {
    uint32_t from, to;
    bool is_new;
};

struct lanes {
    struct cw_lash *lash;
    uint32_t most;
    struct cw_lane_order order[MOST_LANES]; /* of those that are used */
    uint32_t *routes[MOST_LANES];           /* [n_channels] paths of the lane over a channel */
    bool shrunk[MOST_LANES];                /* dependencies went, so that some are allowed again that were not */
    uint64_t pairs[MOST_LANES];             /* ordered pairs of switches */
    struct step *steps;                     /* of the pair that is looked at */
    uint32_t n_steps;
};

/* --- a pair on a lane --------------------------------------------------------------------------------------------- */

/* Adds the dependencies of the path from V to D; the result is its length. */
static uint32_t add_steps(struct lanes *lanes, uint32_t v, uint32_t d)
{
    const struct cw_lash *lash = lanes->lash;
    uint32_t link = cw_lash_link(lash, v, d), n = 0;
    for (; link != CW_NONE; n++) {
        const uint32_t after = cw_lash_link(lash, lash->head[link], d);
        if (after != CW_NONE)
            lanes->steps[lanes->n_steps++] = (struct step){lash->channel[link], lash->channel[after], false};
        link = after;
    }
    return n;
}

/* Counts one more path on LANE over each channel from V to D. */
static void count_path(struct lanes *lanes, uint32_t lane, uint32_t v, uint32_t d)
{
    const struct cw_lash *lash = lanes->lash;
    for (uint32_t link = cw_lash_link(lash, v, d); link != CW_NONE; link = cw_lash_link(lash, lash->head[link], d))
        lanes->routes[lane][lash->channel[link]]++;
}

/* Takes the steps that are new out of ORDER again, which did not let REFUSED in. Whether it would without the others is
 * found out, so that it need not be asked again. */
static void take_back(struct lanes *lanes, struct cw_lane_order *order, const struct step *refused)
{
    bool others = false;
    for (uint32_t i = 0; i < lanes->n_steps; i++) {
        struct step *step = &lanes->steps[i];
        if (!step->is_new) continue;
        cw_lane_order_drop(order, step->from, step->to);
        others = true;
    }
    if (!others) return;
    cw_lane_order_forgive_one(order, refused->from, refused->to);
    if (cw_lane_order_take(order, refused->from, refused->to)) cw_lane_order_drop(order, refused->from, refused->to);
}

/* Takes all steps, or none that is new. As in OpenSM, a pair that is not let in counts all the same on dependencies
 * that there were: they may stay when all pairs have gone. */
static bool let_in(struct lanes *lanes, uint32_t lane)
{
    struct cw_lane_order *order = &lanes->order[lane];
    const struct step *refused = NULL;
    bool in = true;
    for (uint32_t i = 0; i < lanes->n_steps; i++) {
        struct step *step = &lanes->steps[i];
        const enum cw_lane_dependency state = cw_lane_order_state(order, step->from, step->to);
        step->is_new = state != CW_DEPENDENCY_TAKEN;
        if (state == CW_DEPENDENCY_REFUSED) in = false;
    }
    for (uint32_t i = 0; i < lanes->n_steps; i++) {
        struct step *step = &lanes->steps[i];
        if (step->is_new && !in) {
            step->is_new = false;
        } else if (!cw_lane_order_take(order, step->from, step->to)) {
            step->is_new = in = false;
            refused = step;
        }
    }
    if (refused) take_back(lanes, order, refused);
    return in;
}

/* True if switches A and B may use LANE, which they then do. */
static bool enter(struct lanes *lanes, uint32_t lane, uint32_t a, uint32_t b)
{
    struct cw_lash *lash = lanes->lash;
    if (lanes->shrunk[lane]) cw_lane_order_forgive(&lanes->order[lane]);
    lanes->shrunk[lane] = false;
    if (!let_in(lanes, lane)) return false;
    count_path(lanes, lane, a, b);
    count_path(lanes, lane, b, a);
    lash->lane[(size_t)a * lash->n + b] = lash->lane[(size_t)b * lash->n + a] = (uint8_t)lane;
    lanes->pairs[lane] += 2;
    return true;
}

/* The paths of a pair, both directions; the length of the longer one, 0 if there is no way. */
static uint32_t look_at(struct lanes *lanes, uint32_t a, uint32_t b)
{
    lanes->n_steps = 0;
    const uint32_t there = add_steps(lanes, a, b), back = add_steps(lanes, b, a);
    return there > back ? there : back;
}

/* --- the first lane that does ------------------------------------------------------------------------------------- */

static int add_lane(struct lanes *lanes, uint32_t a, uint32_t b)
{
    struct cw_lash *lash = lanes->lash;
    const struct cw_network *net = lash->net;
    char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
    if (lash->lanes == lanes->most)
        return cw_fail(CW_ELIMIT,
                       "lash needs more than %u virtual lane%s, and so does OpenSM's: the paths between %s and %s, of "
                       "pair %" PRIu64 " of %" PRIu64 ", close a cycle on each; expected lanes=N with more of them, or "
                       "another routing, such as nue",
                       lanes->most, cw_plural(lanes->most), cw_network_name(net, lash->vertex[a], from, sizeof from),
                       cw_network_name(net, lash->vertex[b], to, sizeof to),
                       (uint64_t)a * (2 * (uint64_t)lash->n - a - 1) / 2 + b - a,
                       (uint64_t)lash->n * (lash->n - 1) / 2);
    const int rc = cw_lane_order_new(net, &lanes->order[lash->lanes]);
    if (rc) return rc;
    lanes->routes[lash->lanes] = cw_new_array(net->n_channels, sizeof **lanes->routes, what);
    lash->lanes++;
    return lanes->routes[lash->lanes - 1] ? 0 : CW_ENOMEM;
}

static int place_pair(struct lanes *lanes, uint32_t a, uint32_t b, bool endpoints)
{
    struct cw_lash *lash = lanes->lash;
    const uint32_t length = look_at(lanes, a, b);
    if (length == 0) return 0;
    if (endpoints && length > lash->longest) lash->longest = length;
    for (uint32_t lane = 0;; lane++) {
        if (lane == lash->lanes) {
            const int rc = add_lane(lanes, a, b);
            if (rc) return rc;
        }
        if (enter(lanes, lane, a, b)) return 0;
    }
}

static bool has_endpoints(const struct cw_lash *lash, uint32_t v)
{
    const struct cw_network *net = lash->net;
    uint32_t c = net->first[lash->vertex[v]];
    while (c < net->first[lash->vertex[v] + 1] && !cw_network_is_endpoint(net, net->head[c])) c++;
    return c < net->first[lash->vertex[v] + 1];
}

static int place_pairs(struct lanes *lanes)
{
    const struct cw_lash *lash = lanes->lash;
    bool *leaf = cw_new_array(lash->n, sizeof *leaf, what);
    int rc = leaf ? 0 : CW_ENOMEM;
    for (uint32_t v = 0; v < lash->n && rc == 0; v++) leaf[v] = has_endpoints(lash, v);
    for (uint32_t a = 0; a < lash->n && rc == 0; a++) {
        rc = cw_interrupt_check();
        for (uint32_t b = a + 1; b < lash->n && rc == 0; b++) rc = place_pair(lanes, a, b, leaf[a] && leaf[b]);
    }
    free(leaf);
    return rc;
}

/* --- balance ------------------------------------------------------------------------------------------------------ */

#define FAILED   0x80u /* a pair of the fullest lane that the emptiest did not let in */
#define BALANCED 6u    /* pairs by which lanes may differ */
#define COUNTED  9999u /* OpenSM takes lanes that have as many pairs for none that could be the emptiest */

/* Pairs on their way from one lane to another. */
struct balance {
    struct lanes *lanes;
    struct cw_glibc_random random;
    uint32_t fullest, emptiest;
    uint64_t trials; /* that are left, counted by pairs */
    size_t *failed;  /* places of pairs in `lane` */
    size_t n_failed;
};

/* The first switch from B on, counted round, that A is with on the fullest lane, without failure; CW_NONE: there is
 * none. */
static uint32_t partner(const struct balance *balance, uint32_t a, uint32_t b)
{
    const struct cw_lash *lash = balance->lanes->lash;
    const uint8_t *row = lash->lane + (size_t)a * lash->n;
    const uint8_t *found = memchr(row + b, (int)balance->fullest, lash->n - b);
    if (!found) found = memchr(row, (int)balance->fullest, b);
    return found ? (uint32_t)(found - row) : CW_NONE;
}

/* A pair at random that may be moved; there is one. */
static void draw(struct balance *balance, uint32_t *a, uint32_t *b)
{
    const uint32_t n = balance->lanes->lash->n;
    *a = cw_glibc_random_next(&balance->random) % n;
    const uint32_t from = cw_glibc_random_next(&balance->random) % n;
    while ((*b = partner(balance, *a, from)) == CW_NONE) *a = *a + 1 == n ? 0 : *a + 1;
}

/* Takes the path from V to D out of LANE. A channel that no path takes any more depends on nothing. */
static void leave(struct lanes *lanes, uint32_t lane, uint32_t v, uint32_t d)
{
    const struct cw_lash *lash = lanes->lash;
    struct cw_lane_order *order = &lanes->order[lane];
    for (uint32_t link = cw_lash_link(lash, v, d); link != CW_NONE; link = cw_lash_link(lash, lash->head[link], d)) {
        const uint32_t channel = lash->channel[link], after = cw_lash_link(lash, lash->head[link], d);
        if (--lanes->routes[lane][channel] == 0)
            cw_lane_order_cut(order, channel);
        else if (after != CW_NONE)
            cw_lane_order_drop(order, channel, lash->channel[after]);
    }
    lanes->shrunk[lane] = true;
}

/* Tries to move A and B from the fullest lane to the emptiest. */
static void move(struct balance *balance, uint32_t a, uint32_t b)
{
    struct lanes *lanes = balance->lanes;
    struct cw_lash *lash = lanes->lash;
    const size_t there = (size_t)a * lash->n + b, back = (size_t)b * lash->n + a;
    (void)look_at(lanes, a, b);
    if (enter(lanes, balance->emptiest, a, b)) {
        leave(lanes, balance->fullest, a, b);
        leave(lanes, balance->fullest, b, a);
        lanes->pairs[balance->fullest] -= 2;
        return;
    }
    lash->lane[there] |= FAILED;
    lash->lane[back] |= FAILED;
    balance->failed[balance->n_failed++] = there;
    balance->failed[balance->n_failed++] = back;
    balance->trials -= 2;
}

static void forget_failures(struct balance *balance)
{
    for (size_t i = 0; i < balance->n_failed; i++) balance->lanes->lash->lane[balance->failed[i]] &= (uint8_t)~FAILED;
    balance->n_failed = 0;
}

/* Chooses the lanes anew. If they are others, pairs that failed may be tried again. */
static void choose_lanes(struct balance *balance)
{
    const struct lanes *lanes = balance->lanes;
    const uint32_t fullest = balance->fullest, emptiest = balance->emptiest;
    uint64_t most = 0, least = COUNTED;
    for (uint32_t lane = 0; lane < lanes->lash->lanes; lane++) {
        if (lanes->pairs[lane] < least) {
            least = lanes->pairs[lane];
            balance->emptiest = lane;
        }
        if (lanes->pairs[lane] > most) {
            most = lanes->pairs[lane];
            balance->fullest = lane;
        }
    }
    if (balance->fullest == fullest && balance->emptiest == emptiest) return;
    balance->trials = lanes->pairs[balance->fullest];
    forget_failures(balance);
}

/* Until all pairs have failed, or the lanes that were chosen last hardly differ. (OpenSM counts trials from the pairs
 * that there were at first, and if some of them moved and all others failed, never ends.) */
static int balance_lanes(struct lanes *lanes)
{
    struct cw_lash *lash = lanes->lash;
    struct balance balance = {.lanes = lanes, .emptiest = lash->lanes - 1, .trials = lanes->pairs[0]};
    bool done = lash->lanes == 1;
    int rc = 0;
    balance.failed = cw_new_array((size_t)lash->n * lash->n, sizeof *balance.failed, what);
    if (!balance.failed) return CW_ENOMEM;
    cw_glibc_random_begin(&balance.random);
    while (!done && rc == 0) {
        uint32_t a, b;
        draw(&balance, &a, &b);
        move(&balance, a, b);
        done = balance.trials == 0 || lanes->pairs[balance.fullest] < lanes->pairs[balance.emptiest] + BALANCED;
        choose_lanes(&balance);
        done = done || lanes->pairs[balance.fullest] == balance.n_failed;
        rc = cw_interrupt_check();
    }
    forget_failures(&balance);
    free(balance.failed);
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

int cw_lash_assign_lanes(struct cw_lash *lash, uint32_t most)
{
    struct lanes lanes = {.lash = lash, .most = most};
    memset(lash->lane, CW_LASH_NO_LANE, (size_t)lash->n * lash->n);
    lanes.steps = cw_new_array(2 * (size_t)lash->n, sizeof *lanes.steps, what);
    int rc = lanes.steps ? 0 : CW_ENOMEM;
    if (rc == 0) rc = place_pairs(&lanes);
    if (rc == 0 && lash->lanes > 1) rc = balance_lanes(&lanes);
    for (uint32_t lane = 0; lane < MOST_LANES; lane++) {
        cw_lane_order_free(&lanes.order[lane]);
        free(lanes.routes[lane]);
    }
    free(lanes.steps);
    return rc;
}
