/* What the tests of the flit simulator share. */
#ifndef CW_TESTS_FLIT_TEST_H
#define CW_TESTS_FLIT_TEST_H

#include "net/network_internal.h"
#include "sim/flit/flit.h"
#include "sim_test.h"

/* A network with its packet routing, and one job on all of its endpoints. */
struct flit_case {
    struct cw_network *net;
    struct cw_packet_routing *routing;
    struct cw_workload *workload;
    struct cw_schedule *schedule;
    uint32_t *endpoints; /* 0, 1, … */
    struct cw_flit_job job;
    struct cw_flit_setup setup;
};

/* WORKLOAD may be NULL. A continuous load of 1 in messages of a flit, on one thread, with channels of 3 cycles. */
static inline struct flit_case open_flit_case(const char *network, const char *routing, const char *workload)
{
    struct flit_case c = {0};
    if (cw_topology_build(network, &c.net)) fail_msg("%s: %s", network, cw_error_message());
    if (cw_packet_routing_new(c.net, routing, 1, 1, &c.routing)) fail_msg("%s: %s", routing, cw_error_message());
    struct cw_ranks ranks = {.n = c.net->n_endpoints, .per_group = 1};
    if (c.net->shape.kind == &cw_shape_dragonfly) {
        ranks.per_group = c.net->shape.dragonfly.a * c.net->shape.dragonfly.p;
        ranks.h = c.net->shape.dragonfly.h;
    }
    if (workload && cw_workload_new(workload, &ranks, 1, &c.workload)) fail_msg("%s: %s", workload, cw_error_message());
    c.endpoints = new_array(c.net->n_endpoints, sizeof *c.endpoints);
    for (uint32_t e = 0; e < c.net->n_endpoints; e++) c.endpoints[e] = e;
    c.job = (struct cw_flit_job){.kind = CW_FLIT_CONTINUOUS,
                                 .n_ranks = c.net->n_endpoints,
                                 .endpoints = c.endpoints,
                                 .workload = c.workload,
                                 .load = 1,
                                 .message_flits = 1};
    c.setup = (struct cw_flit_setup){
        .routing = c.routing, .hardware = cw_flit_default_hardware(), .n_jobs = 1, .seed = 7, .n_threads = 1};
    c.setup.hardware.host_latency = c.setup.hardware.local_latency = c.setup.hardware.global_latency = 3;
    return c;
}

static inline void close_flit_case(struct flit_case *c)
{
    cw_workload_free(c->workload);
    cw_schedule_free(c->schedule);
    cw_packet_routing_free(c->routing);
    cw_network_free(c->net);
    free(c->endpoints);
}

static inline struct cw_flit_simulation *begin_flit_case(struct flit_case *c)
{
    struct cw_flit_simulation *simulation = NULL;
    if (!c->setup.jobs) c->setup.jobs = &c->job;
    if (cw_flit_new(&c->setup, &simulation)) fail_msg("%s", cw_error_message());
    return simulation;
}

static inline struct cw_flit_window run_flits(struct cw_flit_simulation *simulation, uint64_t cycles)
{
    struct cw_flit_window window = {0};
    if (cw_flit_run(simulation, cycles, &window)) fail_msg("%s", cw_error_message());
    return window;
}

static inline void end_flit_case(struct cw_flit_simulation *simulation)
{
    if (cw_flit_drain_and_check(simulation)) fail_msg("%s", cw_error_message());
    cw_flit_free(simulation);
}

#endif
