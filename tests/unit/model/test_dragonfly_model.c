/* The model of load-imbalanced dragonflies against its equations, an enumeration of routed packets, and simulations. */
#include "model_test.h"

#include <stdio.h>

#include "model/dragonfly_model.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "route/packets/packet_routing.h"

static struct cw_dragonfly_model model_of(const struct setting *setting)
{
    struct cw_dragonfly_model model;
    if (cw_dragonfly_model_compute(setting->net, setting->workload, setting->endpoints, &model) != 0)
        fail_msg("%s", cw_error_message());
    return model;
}

static double exact_of(const char *topology, const char *workload)
{
    struct setting setting = setting_of(topology, workload);
    const double exact = model_of(&setting).exact;
    tear_down(&setting);
    return exact;
}

/* Equations 1 and 4 at full size are 1/(2p), 1/p and 3/(4p). The counted one lies between, also for bit complement. */
static void test_equations(void **state)
{
    (void)state;
    const struct cw_dragonfly sizes[] = {{2, 3, 2, 7}, {2, 4, 2, 9}, {3, 6, 3, 19}, {4, 8, 4, 33}, {6, 12, 6, 73}};
    const char *const workloads[] = {"bitcomp", "group-shift"};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const struct cw_dragonfly *size = &sizes[i / 2];
        char topology[64];
        snprintf(topology, sizeof topology, "dragonfly:%u,%u,%u", size->p, size->a, size->h);
        struct setting setting = setting_of(topology, workloads[i % 2]);
        const struct cw_dragonfly_model model = model_of(&setting);
        check_near(model.lower, 1.0 / (2 * size->p), 1e-12);
        check_near(model.upper, 1.0 / size->p, 1e-12);
        check_near(model.estimate, 3.0 / (4 * size->p), 1e-12);
        check_near(model.load_oblivious, 0.5, 0);
        if (model.exact < model.lower || model.exact > model.upper)
            fail_msg("%s, %s: %g not between %g and %g", topology, workloads[i % 2], model.exact, model.lower,
                     model.upper);
        tear_down(&setting);
    }
}

/* Simulated in the same setting: the model leaves out all queueing, so it is higher, by less than one half. */
static void test_simulated(void **state)
{
    (void)state;
    const struct {
        const char *topology;
        double accepted;
    } simulated[] = {{"dragonfly:2,4,2", .254},
                     {"dragonfly:3,6,3", .182},
                     {"dragonfly:4,8,4", .159},
                     {"dragonfly:6,12,6", .121},
                     {"dragonfly:8,16,8", .097}};
    for (size_t i = 0; i < sizeof simulated / sizeof *simulated; i++) {
        const double ratio = exact_of(simulated[i].topology, "bitcomp") / simulated[i].accepted;
        if (ratio < 1 || ratio > 1.5) fail_msg("%s: %g times the simulated", simulated[i].topology, ratio);
    }
}

/* Three groups of two switches: groups 0 and 2 talk through group 1, whose two incoming channels each have a local
 * channel to themselves; group 1 talks to itself and returns by the two cables it goes out by: half of four channels
 * for six times p endpoints. */
static void test_by_hand(void **state)
{
    (void)state;
    check_near(exact_of("dragonfly:1,2,1", "bitcomp"), 1.0 / 3, 1e-12);
    check_near(exact_of("dragonfly:2,2,1", "bitcomp"), 1.0 / 6, 1e-12);
}

/* --- by routed packets -------------------------------------------------------------------------------------------- */

/* How the packets of one group go on after their first global channel, INTO some switch. */
struct onward {
    uint32_t into, next;
};

/* For every group and every intermediate one, by walking what valiant-restricted does with the group's first rank. */
static size_t find_onward(const struct setting *setting, struct onward *out)
{
    const struct cw_network *net = setting->net;
    const uint32_t size = net->shape.dragonfly.a * net->shape.dragonfly.p;
    struct cw_packet_routing *routing;
    size_t n = 0;
    assert_int_equal(cw_packet_routing_new(net, "valiant-restricted", 1, 1, &routing), 0);
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    const void *routes = cw_packet_routing_state(routing);
    for (uint32_t rank = 0; rank < net->n_endpoints; rank += size) {
        const uint32_t source = setting->endpoints[rank], sw = net->head[net->first[source]];
        const uint32_t dst = setting->endpoints[cw_workload_destination(setting->workload, rank, 0)];
        const uint32_t choices = ops->choices(routes, sw, dst);
        for (uint32_t k = 0; k < choices; k++, n++) {
            struct cw_packet packet = cw_packet_of(CW_VIA_NONE, dst);
            struct cw_hop hop = {CW_NONE, 0};
            uint32_t at = sw, before = sw;
            packet = cw_packet_inject(ops, routes, sw, NULL, cw_random_for_choice(k, choices), packet);
            while ((at - net->n_endpoints) / net->shape.dragonfly.a == source / size) {
                assert_int_equal(ops->next(routes, at, hop.channel, hop.lane, NULL, 0, &packet, &hop, 1), 1);
                before = hop.channel;
                at = net->head[hop.channel];
            }
            if (at != dst) /* else it has met its destination before it left its group */
                assert_int_equal(ops->next(routes, at, hop.channel, hop.lane, NULL, 0, &packet, &hop, 1), 1);
            out[n] = (struct onward){.into = before, .next = hop.channel};
        }
    }
    cw_packet_routing_free(routing);
    return n;
}

static bool is_local(const struct cw_network *net, uint32_t channel)
{
    const uint32_t a = net->shape.dragonfly.a, first = net->n_endpoints;
    return (net->tail[channel] - first) / a == (net->head[channel] - first) / a;
}

/* The model's definition, with x counted on packets' channels instead of derived from the wiring. */
static void check_enumerated(const char *topology, const char *workload, const uint32_t *order)
{
    struct setting setting = setting_of(topology, workload);
    const struct cw_network *net = setting.net;
    struct onward *onward = calloc((size_t)net->shape.dragonfly.g * net->shape.dragonfly.g, sizeof *onward);
    uint32_t *sharing = calloc(net->n_channels, sizeof *sharing), *most = calloc(net->n_vertices, sizeof *most);
    if (order) place_groups(&setting, order);
    const size_t n = find_onward(&setting, onward);
    double carried = 0;
    for (size_t i = 0; i < n; i++)
        if (is_local(net, onward[i].next)) sharing[onward[i].next]++;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (sharing[c] > most[net->tail[c]]) most[net->tail[c]] = sharing[c];
    for (size_t i = 0; i < n; i++)
        carried += is_local(net, onward[i].next) ? 0.5 / most[net->head[onward[i].into]] : 0.5;
    check_near(model_of(&setting).exact, carried / net->n_endpoints, 1e-9);
    free(onward);
    free(sharing);
    free(most);
    tear_down(&setting);
}

static void test_enumerated(void **state)
{
    (void)state;
    uint32_t order[33];
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    check_enumerated("dragonfly:2,4,2", "bitcomp", NULL);
    check_enumerated("dragonfly:3,6,3", "bitcomp", NULL);
    check_enumerated("dragonfly:4,8,4", "bitcomp", NULL);
    check_enumerated("dragonfly:4,8,4", "group-shift", NULL);
    check_enumerated("dragonfly:4,8,4", "group-shift:1", NULL);
    for (unsigned i = 0; i < 3; i++) {
        cw_random_permutation(&random, 33, order);
        check_enumerated("dragonfly:4,8,4", "bitcomp", order);
        check_enumerated("dragonfly:4,8,4", "group-shift", order);
    }
}

/* --- wiring and placement ----------------------------------------------------------------------------------------- */

/* A dragonfly of full size whose groups are wired in the order ORDER: the group numbered order[i] has the cables that
 * group i of the default arrangement has. */
static struct cw_network *reordered(const struct cw_dragonfly *shape, const uint32_t *order)
{
    const uint32_t p = shape->p, a = shape->a, h = shape->h, first = shape->g * a * p;
    struct cw_builder *builder = cw_builder_new(first, shape->g * a, first);
    cw_builder_shape(builder, &(struct cw_shape){.kind = &cw_shape_dragonfly, .dragonfly = *shape});
    for (uint32_t v = 0; v < first; v++) cw_builder_cable(builder, v, 1, first + v / p, v % p + 1, 5e9, 1e-7);
    for (uint32_t i = 0; i < shape->g * a; i++)
        for (uint32_t t = i % a + 1; t < a; t++)
            cw_builder_cable(builder, first + i, p + t, first + i - i % a + t, p + i % a + 1, 5e9, 1e-7);
    for (uint32_t i = 0; i < shape->g; i++)
        for (uint32_t q = 0; q < a * h; q++) {
            const uint32_t far = (i + q + 1) % shape->g, far_q = a * h - 1 - q;
            if (far < i) continue;
            cw_builder_cable(builder, first + order[i] * a + q / h, p + a + q % h, first + order[far] * a + far_q / h,
                             p + a + far_q % h, 5e9, 1e-7);
        }
    struct cw_network *net;
    if (cw_builder_finish(builder, &net) != 0) fail_msg("%s", cw_error_message());
    return net;
}

/* Other numbers for the groups are the same as another placement; and both make it better, as published. */
static void test_wiring_is_read(void **state)
{
    (void)state;
    const struct cw_dragonfly shape = {3, 6, 3, 19};
    uint32_t order[19], inverse[19];
    struct cw_random random = cw_random_of(2, CW_STREAM_TEST, 0);
    cw_random_permutation(&random, 19, order);
    for (uint32_t i = 0; i < 19; i++) inverse[order[i]] = i;
    struct setting wired = set_up(reordered(&shape, order), "group-shift");
    struct setting placed = setting_of("dragonfly:3,6,3", "group-shift");
    const double contiguous = model_of(&placed).exact;
    place_groups(&placed, inverse);
    check_near(model_of(&wired).exact, model_of(&placed).exact, 1e-9);
    assert_true(model_of(&placed).exact > 1.2 * contiguous);
    tear_down(&wired);
    tear_down(&placed);
}

/* The default arrangement looks the same from every group, and so does a shift. */
static void test_rotation(void **state)
{
    (void)state;
    struct setting setting = setting_of("dragonfly:3,6,3", "group-shift:5");
    const double before = model_of(&setting).exact;
    uint32_t order[19];
    for (uint32_t i = 0; i < 19; i++) order[i] = (i + 4) % 19;
    place_groups(&setting, order);
    check_near(model_of(&setting).exact, before, 1e-12);
    tear_down(&setting);
}

/* Which endpoint of the partner group a message goes to does not matter. */
static void test_adversarial(void **state)
{
    (void)state;
    check_near(exact_of("dragonfly:3,6,3", "group-adversarial:4"), exact_of("dragonfly:3,6,3", "group-shift:4"), 1e-6);
}

/* --- by definition ------------------------------------------------------------------------------------------------ */

static uint32_t group_of(const struct cw_network *net, uint32_t v)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    return v < net->n_endpoints ? v / (shape->a * shape->p) : (v - net->n_endpoints) / shape->a;
}

/* Global channels from switch V to GROUP. */
static uint32_t ways_on(const struct cw_network *net, uint32_t v, uint32_t group)
{
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        n += net->head[c] >= net->n_endpoints && group_of(net, v) != group && group_of(net, net->head[c]) == group;
    return n;
}

/* For whom messages are whose first global channel is C; CW_NONE if none takes it so. */
static uint32_t bound_for(const struct cw_network *net, const uint32_t *partner, uint32_t c)
{
    const uint32_t u = net->tail[c], s = net->head[c];
    if (u < net->n_endpoints || s < net->n_endpoints || group_of(net, u) == group_of(net, s)) return CW_NONE;
    const uint32_t to = partner[group_of(net, u)];
    return to == group_of(net, s) ? CW_NONE : to;
}

/* How many of the channels into the tail of LOCAL share it, in parts where several switches go on. */
static double sharing(const struct cw_network *net, const uint32_t *partner, uint32_t local)
{
    const uint32_t s = net->tail[local], q = group_of(net, s), a = net->shape.dragonfly.a;
    double sum = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t to = net->head[c] == s ? bound_for(net, partner, c) : CW_NONE;
        uint32_t all = 0;
        if (to == CW_NONE || ways_on(net, s, to) > 0) continue;
        for (uint32_t t = 0; t < a; t++) all += ways_on(net, net->n_endpoints + q * a + t, to);
        sum += (double)ways_on(net, net->head[local], to) / all;
    }
    return sum;
}

/* Half of what all first global channels can carry, each limited by the tightest local channel out of its head, if its
 * messages need one: what a rank may send on average of what it can. */
static double defined(const struct setting *setting, const uint32_t *partner)
{
    const struct cw_network *net = setting->net;
    double *limit = calloc(net->n_vertices, sizeof *limit), carried = 0, injection = 0;
    assert_non_null(limit);
    for (uint32_t v = 0; v < net->n_vertices; v++) limit[v] = INFINITY;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t s = net->tail[c], t = net->head[c];
        if (s < net->n_endpoints || t < net->n_endpoints || group_of(net, s) != group_of(net, t)) continue;
        const double shared = sharing(net, partner, c);
        if (shared > 0) limit[s] = fmin(limit[s], net->capacity[c] / fmax(shared, 1));
    }
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t to = bound_for(net, partner, c), s = net->head[c];
        if (to == CW_NONE) continue;
        carried += 0.5 * (ways_on(net, s, to) > 0 ? net->capacity[c] : fmin(net->capacity[c], limit[s]));
    }
    for (uint32_t v = 0; v < net->n_endpoints; v++)
        if (partner[group_of(net, v)] != CW_NONE) injection += net->capacity[net->first[v]];
    free(limit);
    return fmin(1, carried / injection);
}

/* Group i sends to group i + STEP. */
static void check_defined(struct setting setting, uint32_t step)
{
    const uint32_t g = setting.net->shape.dragonfly.g;
    uint32_t partner[40];
    for (uint32_t i = 0; i < g; i++) partner[i] = (i + step) % g;
    check_near(model_of(&setting).exact, defined(&setting, partner), 1e-9);
    tear_down(&setting);
}

static void test_speeds(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 4; trial++) {
        check_defined(setting_with_speeds("dragonfly:2,4,2", "group-shift:3", trial), 3);
        check_defined(setting_with_speeds("dragonfly:3,6,3", "group-shift:1", trial), 1);
        check_defined(setting_with_speeds("dragonfly:4,8,4,g=12", "group-shift:5", trial), 5);
        check_defined(setting_with_speeds("dragonfly:2,6,3,g=5", "group-shift:2", trial), 2);
    }
}

/* Two cables between each two of five groups of four switches: every switch has a channel of its own to each of two
 * groups, the other two are reached by two other switches each. */
static void test_fewer_groups(void **state)
{
    (void)state;
    struct setting setting = setting_of("dragonfly:2,4,2,g=5", "group-shift:2");
    check_near(model_of(&setting).lower, 40.0 / (2 * 40 * 2), 1e-12);
    tear_down(&setting);
    check_defined(setting_of("dragonfly:2,4,2,g=5", "group-shift:2"), 2);
    check_defined(setting_of("dragonfly:2,4,2,g=4", "group-shift:1"), 1);
}

/* No more is accepted than is sent: one rank alone has the network to itself. */
static void test_one_rank(void **state)
{
    (void)state;
    struct setting setting = set_up_matrix(built("dragonfly:2,4,2"), "0 8 100\n");
    check_near(model_of(&setting).exact, 1, 0);
    tear_down(&setting);
    uint32_t partner[9] = {1, 2, CW_NONE, CW_NONE, CW_NONE, CW_NONE, CW_NONE, CW_NONE, CW_NONE};
    char text[1024];
    int end = 0;
    for (int r = 0; r < 16; r++) end += snprintf(text + end, sizeof text - (size_t)end, "%d %d 1\n", r, r + 8);
    setting = set_up_matrix(with_speeds(built("dragonfly:2,4,2"), 5), text); /* two groups send */
    check_near(model_of(&setting).exact, defined(&setting, partner), 1e-9);
    tear_down(&setting);
}

/* Rank 0 sends to two groups: SHARE hundredths to the first. */
static int try_shares(unsigned share)
{
    char text[64];
    struct cw_dragonfly_model model;
    snprintf(text, sizeof text, "0 8 %u\n0 16 %u\n", share, 100 - share);
    struct setting setting = set_up_matrix(built("dragonfly:2,4,2"), text);
    const int rc = cw_dragonfly_model_compute(setting.net, setting.workload, setting.endpoints, &model);
    tear_down(&setting);
    return rc;
}

static void test_more_than_half(void **state)
{
    (void)state;
    assert_int_equal(try_shares(51), 0);
    assert_int_equal(try_shares(49), 0); /* the second is the partner then */
    assert_int_equal(try_shares(50), CW_EUSAGE);
    check_message("no group gets more than half of what group 0 sends");
}

static void check_refused(const char *topology, const char *workload, const char *part)
{
    struct setting setting = setting_of(topology, workload);
    struct cw_dragonfly_model model;
    assert_int_equal(cw_dragonfly_model_compute(setting.net, setting.workload, setting.endpoints, &model), CW_EUSAGE);
    check_message(part);
    tear_down(&setting);
}

static void test_refusals(void **state)
{
    (void)state;
    check_refused("dragonfly:2,4,2", "uniform", "uniform is not traffic from group to group");
    check_refused("dragonfly:4,8,4", "halo:axis=z,direction=up", "both send to group");
    check_refused("dragonfly:2,4,2,g=2", "bitcomp", "only 2 groups");
    check_refused("torus:4x4", "bitcomp", "which torus:4x4 is not");
    check_refused("dragonfly:2,4,2", "halo:1x1x72,axis=z,direction=up", "no group sends to another");
    struct setting setting = setting_of("dragonfly:2,4,2,g=3", "group-shift:1"); /* three groups will do */
    struct cw_dragonfly_model model;
    assert_int_equal(cw_dragonfly_model_compute(setting.net, setting.workload, setting.endpoints, &model), 0);
    setting.endpoints[23] = 24;
    assert_int_equal(cw_dragonfly_model_compute(setting.net, setting.workload, setting.endpoints, &model), CW_EUSAGE);
    check_message("rank 23 on endpoint 24 of 24");
    cw_workload_free(setting.workload);
    struct cw_ranks ranks;
    cw_ranks_of(setting.net, 16, &ranks);
    assert_int_equal(cw_workload_new("shift:8", &ranks, 1, &setting.workload), 0);
    assert_int_equal(cw_dragonfly_model_compute(setting.net, setting.workload, setting.endpoints, &model), CW_EUSAGE);
    check_message("16 of 24 endpoints have a rank");
    tear_down(&setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equations),   cmocka_unit_test(test_simulated),      cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_enumerated),  cmocka_unit_test(test_wiring_is_read), cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_adversarial), cmocka_unit_test(test_fewer_groups),   cmocka_unit_test(test_speeds),
        cmocka_unit_test(test_one_rank),    cmocka_unit_test(test_more_than_half), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
