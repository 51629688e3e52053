/* At full load no network stalls, by its own routing nor by any packet routing that accepts it, with buffers that are
 * hardly large enough, and all that was sent arrives. */
#include "../engine_example.h"
#include "flit_test.h"
#include "net/network_internal.h"
#include "route/engine.h"

#define CYCLES         400
#define MOST_ENDPOINTS 110

static void run_full(const char *network, const char *routing, const char *workload)
{
    struct flit_case c = open_flit_case(network, routing, workload);
    c.setup.hardware.input_flits = c.setup.hardware.output_flits = 8;
    c.job.message_flits = 2;
    struct cw_flit_simulation *simulation = begin_flit_case(&c); /* proves the routing free of deadlock */
    uint64_t moved = 0;
    for (int i = 0; i < 2; i++) {
        const struct cw_flit_window window = run_flits(simulation, CYCLES);
        if (window.stalled) fail_msg("%s by %s: stalled", network, routing ? routing : "its own routing");
        moved += window.accepted_flits;
    }
    if (moved == 0) fail_msg("%s by %s: nothing arrives", network, routing ? routing : "its own routing");
    end_flit_case(simulation);
    close_flit_case(&c);
}

static void run_example(const char *network, unsigned *runs)
{
    struct cw_network *net = NULL;
    if (cw_topology_build(network, &net)) fail_msg("%s: %s", network, cw_error_message());
    const uint32_t n = net->n_endpoints;
    if (n >= 2 && n <= MOST_ENDPOINTS) {
        run_full(network, NULL, "uniform");
        if (n % 2 == 0) run_full(network, NULL, "bitcomp");
        for (size_t k = 0; cw_engines[k]; k++) {
            if (!cw_engines[k]->packets || !cw_engine_accepts(cw_engines[k], net, NULL)) continue;
            run_full(network, example_of_engine(cw_engines[k]), "uniform");
            ++*runs;
        }
    }
    cw_network_free(net);
}

static void full_load(void **state)
{
    (void)state;
    static const char *const names[] = {"hyperx", "slimfly", "megafly", "jellyfish", "rail"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned runs = 0;
        for (size_t t = 0; cw_topologies[t]; t++)
            for (size_t j = 0; strcmp(cw_topologies[t]->name, names[i]) == 0 && cw_topologies[t]->examples[j]; j++)
                run_example(cw_topologies[t]->examples[j], &runs);
        if (runs < 3) fail_msg("%s: %u runs", names[i], runs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_load)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
