/* Figure 3a of `reproduce dragonfly-fig3` on tiny networks: its rows, files and curves, beside the models. */
#include "cli_test.h"
#include "curves.h"

#include "net/network_internal.h"
#include "study/flit/flit_case.h"
#include "study/papers/dragonfly_paper.h"
#include "topo/topology.h"

extern const struct verb verb_reproduce;
const struct verb *const verbs[] = {&verb_reproduce, NULL};

/* What the channels of TOPOLOGY bound bit-complement traffic to. */
static double bound_of(const char *topology, const char *placement, const char *routing, uint32_t *nodes)
{
    struct cw_network *net;
    struct cw_packet_routing *packets;
    struct cw_flit_model model;
    assert_int_equal(cw_topology_build(topology, &net), 0);
    struct cw_flit_case made = {
        .net = net, .traffic_spec = "bitcomp", .placement_spec = placement, .seed = 1, .n_threads = 1};
    assert_int_equal(cw_flit_case_make(&made), 0);
    assert_int_equal(cw_packet_routing_new(net, routing, 1, 1, &packets), 0);
    made.routing = packets;
    assert_int_equal(cw_flit_case_model(&made, &model), 0);
    *nodes = net->n_endpoints;
    cw_packet_routing_free(packets);
    cw_flit_case_free(&made);
    cw_network_free(net);
    return model.bound;
}

static void test_panel(void **state)
{
    (void)state;
    static const char *const networks[] = {"dragonfly:2,3,2", "dragonfly:2,4,2"};
    static const struct {
        const char *routing, *placement, *title;
    } curves[] = {{"minimal", "contiguous", "shortest path"},
                  {"valiant-restricted", "contiguous", "ValiantRestricted"},
                  {"minimal", "random-groups", "shortest path, random groups"}};
    struct ran ran = result_of("reproduce dragonfly-fig3 --sizes quick --figures 3a --directory out");
    char *script = content_of("out/dragonfly-fig3a.gp");
    assert_int_equal(rows_of(&ran, "dragonfly_fig3"), 6);
    for (size_t i = 0; i < 6; i++) {
        uint32_t nodes;
        const double bound = bound_of(networks[i % 2], curves[i / 2].placement, curves[i / 2].routing, &nodes);
        const double accepted = json_number_value(cell(&ran, "dragonfly_fig3", i, "accepted_mean"));
        check_text(&ran, "dragonfly_fig3", i, "panel", "3a");
        check_text(&ran, "dragonfly_fig3", i, "network", networks[i % 2]);
        check_text(&ran, "dragonfly_fig3", i, "traffic", "bitcomp");
        check_text(&ran, "dragonfly_fig3", i, "routing", curves[i / 2].routing);
        check_text(&ran, "dragonfly_fig3", i, "placement", curves[i / 2].placement);
        check_int(&ran, "dragonfly_fig3", i, "nodes", nodes);
        check_real(&ran, "dragonfly_fig3", i, "offered", 1);
        check_real(&ran, "dragonfly_fig3", i, "model_estimate", 3 / (4 * 2.0));
        check_real(&ran, "dragonfly_fig3", i, "model_bound", bound);
        assert_true(accepted > 0.1 && accepted < bound * (1 + 1e-6));
        check_point(script, curves[i / 2].title, nodes, accepted);
        check_point(script, "estimate 3/(4p)", nodes, 0.375);
        assert_int_equal(points_of(script, curves[i / 2].title), 2);
    }
    assert_int_equal(lines_of("out/dragonfly-fig3a.csv"), 7);
    assert_int_equal(rows_of(&ran, "claims"), cw_paper_dragonfly_fig3.figures[0].n_claims);
    assert_int_equal(lines_of("out/dragonfly-fig3-claims.csv"), 1 + cw_paper_dragonfly_fig3.figures[0].n_claims);
    assert_int_not_equal(access("out/dragonfly-fig3b.csv", F_OK), 0);
    check_note(&ran, "Written to out: dragonfly-fig3-README.txt with remarks");
    free(script);
    ran_free(&ran);
    check_refused("reproduce dragonfly-fig3 --figures 3g", 2, "--figures: there is no figure '3g'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_panel)};
    return cmocka_run_group_tests(tests, enter_without_gnuplot, leave_folder);
}
