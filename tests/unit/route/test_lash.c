/* LASH: the tables and levels that OpenSM gave a torus, its options and refusals, the parts it consists of. That others
 * are OpenSM's, too, is live_levels.py's. */
#include "net/network_internal.h"
#include "route_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "net/builder.h"
#include "net/files/formats.h"
#include "route/engines/balanced/lane_order.h"
#include "route/engines/opensm/glibc_random.h"
#include "route/engines/opensm/lash_internal.h"
#include "route/files/lft_file.h"
#include "route/service_levels.h"

#define LEVELS CW_TEST_DATA "/golden/levels/"

/* What OpenSM gave the map NAME, as ROUTING. */
static void assert_opensms(const char *name, const char *routing, uint32_t lanes)
{
    struct cw_network *net = NULL;
    struct cw_routes *theirs = NULL, *ours;
    struct cw_service_levels *levels = NULL;
    char map[512], tables[512], records[512], maps[512];
    const int dash = (int)strcspn(name, "/");
    (void)snprintf(map, sizeof map, LEVELS "%.*s.ibnetdiscover", dash, name);
    (void)snprintf(tables, sizeof tables, LEVELS "%.*s-%s.lfts", dash, name, name + dash + 1);
    (void)snprintf(records, sizeof records, LEVELS "%.*s-%s.path-records", dash, name, name + dash + 1);
    (void)snprintf(maps, sizeof maps, LEVELS "%.*s-%s.sl2vl", dash, name, name + dash + 1);
    must(cw_network_read(map, &net));
    must(cw_lft_read(net, tables, NULL, &theirs));
    must(cw_service_levels_read(net, records, maps, &levels));
    must(cw_routes_set_service_levels(theirs, levels));
    ours = routes_of(net, routing);
    struct all_routes x = all_routes_of(theirs), y = all_routes_of(ours);
    assert_same_paths(&x, &y);
    assert_memory_equal(x.lanes, y.lanes, x.n * x.stride);
    assert_int_equal(cw_routes_lanes(ours), lanes);
    free_all_routes(&x);
    free_all_routes(&y);
    cw_routes_free(theirs);
    cw_routes_free(ours);
    cw_network_free(net);
}

/* The second lacks cables and has some twice. Ports, GUIDs and the order of the file are at random in those that
 * follow: a mesh, a torus without a cable, a line, and what is no mesh. */
static void routes_are_opensms(void **state)
{
    (void)state;
    assert_opensms("torus-4x4/lash", "lash", 2);
    assert_opensms("torus-6x3-cut/lash-mesh", "lash:mesh", 2);
    assert_opensms("mesh-3x3-mixed/lash-mesh", "lash:mesh", 1); /* one switch has all its neighbours */
    assert_opensms("mesh-4x3-mixed/lash-mesh", "lash:mesh", 1);
    assert_opensms("torus-5x3-mixed/lash-mesh", "lash:mesh", 2);
    assert_opensms("mesh-6-mixed/lash-mesh", "lash:mesh", 1);
    assert_opensms("random-8/lash-mesh", "lash:mesh", 2);
}

/* The lane of the last hop but one, which is the same on the whole route. */
static uint8_t lane_of(const struct cw_routes *routes, uint32_t src, uint32_t dst)
{
    uint32_t path[64];
    uint8_t lanes[64];
    const uint32_t hops = walk(routes, src, dst, path, lanes);
    for (uint32_t i = 1; i < hops; i++) assert_int_equal(lanes[i], lanes[0]);
    return lanes[0];
}

/* The lanes of START are those of 0, so many higher; endpoints of one switch have the first. */
static void lanes_start_later(void **state)
{
    (void)state;
    struct cw_network *net = network_of("dragonfly:2,4,2");
    struct cw_routes *plain = routes_of(net, "lash"), *later = routes_of(net, "lash:start=3");
    assert_true(cw_routes_lanes(plain) > 1);
    assert_int_equal(cw_routes_lanes(later), cw_routes_lanes(plain) + 3);
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
            if (src != dst) assert_int_equal(lane_of(later, src, dst), lane_of(plain, src, dst) + 3);
    assert_int_equal(lane_of(plain, 0, 1), 0);
    cw_routes_free(plain);
    cw_routes_free(later);
    cw_network_free(net);
}

static void refusals(void **state)
{
    (void)state;
    struct cw_network *ring = network_of("torus:6");
    struct cw_routes *routes = NULL;
    assert_int_equal(cw_engine_route(ring, "lash:lanes=1", 0, 1, &routes), CW_ELIMIT);
    assert_non_null(strstr(cw_error_message(), "lash needs more than 1 virtual lane, and so does OpenSM's: "));
    assert_int_equal(cw_engine_route(ring, "lash:lanes=3,start=2", 0, 1, &routes), CW_ELIMIT);
    assert_int_equal(cw_engine_route(ring, "lash:lanes=2,start=2", 0, 1, &routes), CW_EUSAGE);
    assert_null(routes);
    cw_network_free(ring);
}

/* No packet of LANE can wait for itself: who follows whom on the routes of its pairs is without a circle. */
static void assert_no_circle(const struct cw_lash *lash, uint32_t lane)
{
    enum { CHANNELS = 600 };
    static bool follows[CHANNELS][CHANNELS], gone[CHANNELS];
    const uint32_t n = lash->net->n_channels;
    assert_true(n <= CHANNELS);
    memset(follows, 0, sizeof follows);
    memset(gone, 0, sizeof gone);
    for (uint32_t a = 0; a < lash->n; a++)
        for (uint32_t b = 0; b < lash->n; b++) {
            if (lash->lane[a * lash->n + b] != lane) continue;
            uint32_t link = cw_lash_link(lash, a, b), next;
            while ((next = cw_lash_link(lash, lash->head[link], b)) != CW_NONE) {
                follows[lash->channel[link]][lash->channel[next]] = true;
                link = next;
            }
        }
    uint32_t left = n;
    for (bool some = true; some;) {
        some = false;
        for (uint32_t c = 0; c < n; c++) {
            bool waits = gone[c];
            for (uint32_t d = 0; d < n && !waits; d++) waits = follows[c][d] && !gone[d];
            if (waits) continue;
            gone[c] = some = true;
            left--;
        }
    }
    assert_int_equal(left, 0);
}

/* Both directions of a pair share a lane; lanes differ by few pairs, and by none that OpenSM would have moved. */
static void lanes_are_balanced(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:6x6");
    struct cw_lash lash;
    uint64_t pairs[15] = {0}, most = 0, least = UINT64_MAX;
    must(cw_lash_open(net, &lash));
    must(cw_lash_find_paths(&lash, 2));
    must(cw_lash_assign_lanes(&lash, 15));
    assert_int_equal(lash.lanes, 5);
    for (uint32_t a = 0; a < lash.n; a++)
        for (uint32_t b = 0; b < lash.n; b++) {
            const uint8_t lane = lash.lane[a * lash.n + b];
            assert_int_equal(lane, lash.lane[b * lash.n + a]);
            if (a == b) assert_int_equal(lane, CW_LASH_NO_LANE);
            if (a != b) pairs[lane]++;
        }
    for (uint32_t lane = 0; lane < lash.lanes; lane++) {
        assert_no_circle(&lash, lane);
        if (pairs[lane] > most) most = pairs[lane];
        if (pairs[lane] < least) least = pairs[lane];
    }
    assert_int_equal(most, 256); /* OpenSM's log of this torus */
    assert_int_equal(least, 250);
    cw_lash_free(&lash);
    cw_network_free(net);
}

/* However many pairs moved to other lanes. */
static void balance_keeps_lanes_free(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:9x5", "torus:4x4x4", "dragonfly:2,4,2", "torus:7x7", "jellyfish:40,5,1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_lash lash;
        must(cw_lash_open(net, &lash));
        must(cw_lash_find_paths(&lash, 2));
        must(cw_lash_assign_lanes(&lash, 15));
        assert_true(lash.lanes > 1);
        for (uint32_t lane = 0; lane < lash.lanes; lane++) assert_no_circle(&lash, lane);
        cw_lash_free(&lash);
        cw_network_free(net);
    }
}

/* --- reckoned plainly --------------------------------------------------------------------------------------------- */

#define MOST_CHANNELS 100 /* of networks that are reckoned */

/* All that counts, without an order of channels: how often each depends on each, and how many paths take it. */
struct plain {
    const struct cw_lash *lash;
    uint32_t lanes;
    uint32_t uses[15][MOST_CHANNELS][MOST_CHANNELS], paths[15][MOST_CHANNELS], pairs[15];
    uint8_t lane[64 * 64];
    bool failed[64 * 64];
    uint32_t n_failed;
};

static bool reaches(const struct plain *plain, uint32_t lane, uint32_t from, uint32_t to, bool *seen)
{
    if (from == to) return true;
    seen[from] = true;
    for (uint32_t c = 0; c < plain->lash->net->n_channels; c++)
        if (plain->uses[lane][from][c] > 0 && !seen[c] && reaches(plain, lane, c, to, seen)) return true;
    return false;
}

/* BY is added to what the path from V to D uses; BEFORE: only where that was in use. */
static void use(struct plain *plain, uint32_t lane, uint32_t v, uint32_t d, uint32_t by, const bool *before)
{
    const struct cw_lash *lash = plain->lash;
    for (uint32_t link = cw_lash_link(lash, v, d), next; link != CW_NONE; link = next) {
        next = cw_lash_link(lash, lash->head[link], d);
        if (next == CW_NONE) break;
        const uint32_t from = lash->channel[link], to = lash->channel[next];
        if (!before || before[from * MOST_CHANNELS + to]) plain->uses[lane][from][to] += by;
    }
}

static bool closes(const struct plain *plain, uint32_t lane, uint32_t v, uint32_t d)
{
    const struct cw_lash *lash = plain->lash;
    for (uint32_t link = cw_lash_link(lash, v, d), next; link != CW_NONE; link = next) {
        bool seen[MOST_CHANNELS] = {false};
        next = cw_lash_link(lash, lash->head[link], d);
        if (next != CW_NONE && reaches(plain, lane, lash->channel[next], lash->channel[link], seen)) return true;
    }
    return false;
}

static void count(struct plain *plain, uint32_t lane, uint32_t v, uint32_t d)
{
    const struct cw_lash *lash = plain->lash;
    for (uint32_t link = cw_lash_link(lash, v, d); link != CW_NONE; link = cw_lash_link(lash, lash->head[link], d))
        plain->paths[lane][lash->channel[link]]++;
}

/* Both directions, or nothing but uses of what was in use. */
static bool lets_in(struct plain *plain, uint32_t lane, uint32_t a, uint32_t b)
{
    static bool before[MOST_CHANNELS * MOST_CHANNELS];
    for (uint32_t c = 0; c < MOST_CHANNELS; c++)
        for (uint32_t d = 0; d < MOST_CHANNELS; d++) before[c * MOST_CHANNELS + d] = plain->uses[lane][c][d] > 0;
    use(plain, lane, a, b, 1, NULL);
    use(plain, lane, b, a, 1, NULL);
    if (closes(plain, lane, a, b) || closes(plain, lane, b, a)) {
        use(plain, lane, a, b, UINT32_MAX, NULL); /* - 1 */
        use(plain, lane, b, a, UINT32_MAX, NULL);
        use(plain, lane, a, b, 1, before);
        use(plain, lane, b, a, 1, before);
        return false;
    }
    count(plain, lane, a, b);
    count(plain, lane, b, a);
    plain->lane[a * plain->lash->n + b] = plain->lane[b * plain->lash->n + a] = (uint8_t)lane;
    plain->pairs[lane] += 2;
    return true;
}

/* A channel that no path takes any more depends on nothing, and nothing on it. */
static void give_up(struct plain *plain, uint32_t lane, uint32_t v, uint32_t d)
{
    const struct cw_lash *lash = plain->lash;
    for (uint32_t link = cw_lash_link(lash, v, d), next; link != CW_NONE; link = next) {
        const uint32_t channel = lash->channel[link];
        next = cw_lash_link(lash, lash->head[link], d);
        if (--plain->paths[lane][channel] == 0)
            for (uint32_t c = 0; c < MOST_CHANNELS; c++)
                plain->uses[lane][channel][c] = plain->uses[lane][c][channel] = 0;
        else if (next != CW_NONE)
            plain->uses[lane][channel][lash->channel[next]]--;
    }
}

/* The fullest lane, and the emptiest; of equal ones the first. */
static void choose(const struct plain *plain, uint32_t *fullest, uint32_t *emptiest)
{
    *fullest = *emptiest = 0;
    for (uint32_t lane = 1; lane < plain->lanes; lane++) {
        if (plain->pairs[lane] > plain->pairs[*fullest]) *fullest = lane;
        if (plain->pairs[lane] < plain->pairs[*emptiest]) *emptiest = lane;
    }
}

static bool is_movable(const struct plain *plain, uint32_t lane, uint32_t a, uint32_t b)
{
    return a != b && plain->lane[a * plain->lash->n + b] == lane && !plain->failed[a * plain->lash->n + b];
}

/* From the fullest lane to the emptiest, until they hardly differ or no pair of the fullest can go. */
static void even_out(struct plain *plain)
{
    const uint32_t n = plain->lash->n;
    struct cw_glibc_random random;
    uint32_t fullest = 0, emptiest = plain->lanes - 1;
    int64_t trials = plain->pairs[0];
    cw_glibc_random_begin(&random);
    for (bool done = plain->lanes == 1; !done;) {
        uint32_t a = cw_glibc_random_next(&random) % n, b = cw_glibc_random_next(&random) % n, turns = 0;
        for (; !is_movable(plain, fullest, a, b); b = (b + 1) % n) /* the next a once all b were looked at */
            if (turns++ % n == n - 1) a = (a + 1) % n;
        if (lets_in(plain, emptiest, a, b)) {
            give_up(plain, fullest, a, b);
            give_up(plain, fullest, b, a);
            plain->pairs[fullest] -= 2;
        } else {
            plain->failed[a * n + b] = plain->failed[b * n + a] = true;
            plain->n_failed += 2;
            trials -= 2;
        }
        done = trials == 0 || plain->pairs[fullest] < plain->pairs[emptiest] + 6;
        const uint32_t full = fullest, empty = emptiest;
        choose(plain, &fullest, &emptiest);
        if (full != fullest || empty != emptiest) {
            trials = plain->pairs[fullest];
            memset(plain->failed, 0, sizeof plain->failed);
            plain->n_failed = 0;
        }
        done = done || plain->pairs[fullest] == plain->n_failed;
    }
}

static void assert_reckoned(struct cw_lash *lash)
{
    struct plain *plain = calloc(1, sizeof *plain);
    assert_non_null(plain);
    assert_true(lash->net->n_channels <= MOST_CHANNELS && lash->n <= 64);
    plain->lash = lash;
    memset(plain->lane, CW_LASH_NO_LANE, sizeof plain->lane);
    for (uint32_t a = 0; a < lash->n; a++)
        for (uint32_t b = a + 1; b < lash->n; b++) {
            uint32_t lane = 0;
            while (lane < 15 && !lets_in(plain, lane, a, b)) lane++;
            if (lane >= plain->lanes) plain->lanes = lane + 1;
        }
    if (plain->lanes <= 15) {
        even_out(plain);
        must(cw_lash_assign_lanes(lash, 15));
        assert_int_equal(lash->lanes, plain->lanes);
        assert_memory_equal(lash->lane, plain->lane, (size_t)lash->n * lash->n);
    } else {
        assert_int_equal(cw_lash_assign_lanes(lash, 15), CW_ELIMIT);
    }
    free(plain);
}

/* A circle of switches with as many chords as are asked for. */
static struct cw_network *circle_with_chords(struct cw_random *random, uint32_t n, uint32_t chords)
{
    struct cw_builder *builder = cw_builder_new(n, n, 2 * n + chords);
    struct cw_network *net;
    for (uint32_t i = 0; i < n; i++) {
        cw_builder_cable(builder, i, 0, n + i, 0, 5e9, 0);
        cw_builder_cable(builder, n + i, 0, n + (i + 1) % n, 0, 5e9, 0);
    }
    for (uint32_t i = 0; i < chords; i++) {
        const uint32_t a = (uint32_t)cw_random_below(random, n), b = (uint32_t)cw_random_below(random, n - 1);
        cw_builder_cable(builder, n + a, 0, n + (a + 1 + b) % n, 0, 5e9, 0);
    }
    must(cw_builder_finish(builder, &net));
    return net;
}

/* Paths towards D along a tree that grows at random from where it has grown last: long ones. */
static void draw_paths(struct cw_lash *lash, struct cw_random *random, uint32_t d)
{
    uint16_t *next = lash->next + (size_t)d * lash->n;
    uint32_t stack[64], height = 1;
    for (uint32_t v = 0; v < lash->n; v++) next[v] = CW_LASH_NO_LINK;
    stack[0] = d;
    while (height > 0) {
        const uint32_t top = stack[height - 1];
        uint32_t found[64], n = 0;
        for (uint32_t link = 0; link < lash->first[lash->n]; link++) /* into the top, from where there is no way yet */
            if (lash->head[link] == top && lash->tail[link] != d && next[lash->tail[link]] == CW_LASH_NO_LINK)
                found[n++] = link;
        if (n == 0) {
            height--;
            continue;
        }
        const uint32_t link = found[cw_random_below(random, n)], v = lash->tail[link];
        next[v] = (uint16_t)(link - lash->first[v]);
        stack[height++] = v;
    }
}

/* Other paths than lash's own, on which the first lane is not always the fullest. */
static void check_drawn(uint64_t trial)
{
    struct cw_random random = cw_random_of(18, CW_STREAM_TEST, trial);
    const uint32_t n = 5 + (uint32_t)cw_random_below(&random, 8);
    struct cw_network *net = circle_with_chords(&random, n, (uint32_t)cw_random_below(&random, n));
    struct cw_lash lash;
    must(cw_lash_open(net, &lash));
    for (uint32_t d = 0; d < n; d++) draw_paths(&lash, &random, d);
    assert_reckoned(&lash);
    cw_lash_free(&lash);
    cw_network_free(net);
}

/* Paths of lash's own, and others. */
static void lanes_are_reckoned(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:4x3", "torus:9", "hypercube:3", "jellyfish:14,3,1", "torus:3x3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_lash lash;
        must(cw_lash_open(net, &lash));
        must(cw_lash_find_paths(&lash, 2));
        assert_reckoned(&lash);
        cw_lash_free(&lash);
        cw_network_free(net);
    }
    for (uint64_t trial = 0; trial < 60; trial++) check_drawn(trial);
}

/* Published: the first numbers of rand() after srand(1), which is as good as none, in glibc. */
static void random_numbers_are_glibcs(void **state)
{
    (void)state;
    static const uint32_t expected[] = {1804289383, 846930886, 1681692777, 1714636915, 1957747793};
    struct cw_glibc_random random;
    cw_glibc_random_begin(&random);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(cw_glibc_random_next(&random), expected[i]);
#ifdef __GLIBC__
    srand(1);
    cw_glibc_random_begin(&random);
    for (int i = 0; i < 1000; i++) assert_int_equal(cw_glibc_random_next(&random), rand());
#endif
}

/* On a ring the dependency that closes it is refused, until one of the others is cut. */
static void order_forgets(void **state)
{
    (void)state;
    struct cw_network *ring = network_of("torus:4");
    struct cw_lane_order order;
    uint32_t channel[4];
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t v = ring->n_endpoints + i;
        channel[i] = ring->first[v];
        while (ring->head[channel[i]] != ring->n_endpoints + (i + 1) % 4) channel[i]++;
    }
    must(cw_lane_order_new(ring, &order));
    for (uint32_t i = 0; i < 3; i++) assert_true(cw_lane_order_take(&order, channel[i], channel[i + 1]));
    assert_int_equal(cw_lane_order_state(&order, channel[3], channel[0]), CW_DEPENDENCY_NEW);
    assert_false(cw_lane_order_take(&order, channel[3], channel[0]));
    assert_int_equal(cw_lane_order_state(&order, channel[3], channel[0]), CW_DEPENDENCY_REFUSED);
    assert_int_equal(cw_lane_order_state(&order, channel[0], channel[1]), CW_DEPENDENCY_TAKEN);
    cw_lane_order_cut(&order, channel[1]);
    assert_int_equal(cw_lane_order_state(&order, channel[0], channel[1]), CW_DEPENDENCY_NEW);
    assert_int_equal(cw_lane_order_state(&order, channel[1], channel[2]), CW_DEPENDENCY_NEW);
    assert_int_equal(cw_lane_order_state(&order, channel[2], channel[3]), CW_DEPENDENCY_TAKEN);
    cw_lane_order_forgive_one(&order, channel[3], channel[0]);
    assert_true(cw_lane_order_take(&order, channel[3], channel[0]));
    cw_lane_order_free(&order);
    cw_network_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(routes_are_opensms),
                                       cmocka_unit_test(lanes_start_later),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(lanes_are_balanced),
                                       cmocka_unit_test(balance_keeps_lanes_free),
                                       cmocka_unit_test(lanes_are_reckoned),
                                       cmocka_unit_test(random_numbers_are_glibcs),
                                       cmocka_unit_test(order_forgets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
