#include "cli/flit_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/dragonfly_model.h"
#include "model/link_load.h"
#include "traffic/placement.h"

static int place(struct flit_case *made)
{
    struct cw_placement *placement;
    int error = cw_placement_new(made->placement_spec, made->net, &placement);
    if (error) return error;
    made->endpoints = cw_new_array(made->net->n_endpoints, sizeof *made->endpoints, "a placement");
    struct cw_random random = cw_random_of(made->seed, CW_STREAM_PLACEMENT, 0);
    error = made->endpoints ? cw_placement_order(placement, &random, made->endpoints) : CW_ENOMEM;
    cw_placement_free(placement);
    return error;
}

int flit_case_make(struct flit_case *made)
{
    struct cw_ranks ranks;
    cw_ranks_of(made->net, made->net->n_endpoints, &ranks);
    made->workload = NULL;
    made->endpoints = NULL;
    int error = cw_workload_new(made->traffic_spec, &ranks, made->seed, &made->workload);
    if (!error) error = place(made);
    if (error) flit_case_free(made);
    return error;
}

void flit_case_free(struct flit_case *made)
{
    cw_workload_free(made->workload);
    free(made->endpoints);
    made->workload = NULL;
    made->endpoints = NULL;
}

static int bound_of(const struct flit_case *made, const struct cw_packet_routing *routing, double *bound)
{
    struct cw_link_load load;
    const int error = cw_link_load_compute(routing, made->workload, made->endpoints, made->n_threads, &load);
    if (error) return error;
    *bound = load.bound;
    cw_link_load_free(&load);
    return 0;
}

/* A routing that looks at queues has no bound of its own in this model. */
static bool looks_at_queues(const struct cw_packet_routing *routing)
{
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    const struct cw_network *net = cw_packet_routing_network(routing);
    return ops->choices &&
           ops->choices(cw_packet_routing_state(routing), net->head[net->first[0]], net->n_endpoints - 1) == 0;
}

int flit_case_model(const struct flit_case *made, struct flit_model *model)
{
    struct flit_model result = {(double)NAN, (double)NAN};
    if (strcmp(cw_packet_routing_name(made->routing), "valiant-restricted") == 0) {
        struct cw_dragonfly_model dragonfly;
        if (cw_dragonfly_model_compute(made->net, made->workload, made->endpoints, &dragonfly) == 0)
            result.estimate = dragonfly.estimate;
    }
    int error = 0;
    if (!looks_at_queues(made->routing)) error = bound_of(made, made->routing, &result.bound);
    if (!error) *model = result;
    return error;
}

int flit_run_begin(const struct flit_case *made, const struct cw_flit_hardware *hardware, uint32_t message_flits,
                   double load, const struct cw_steady_setup *steady, struct flit_run *run)
{
    *run = (struct flit_run){
        .job = {.kind = CW_FLIT_CONTINUOUS,
                .n_ranks = made->net->n_endpoints,
                .endpoints = made->endpoints,
                .workload = made->workload,
                .load = load,
                .message_flits = message_flits},
        .setup = {.routing = made->routing,
                  .hardware = *hardware,
                  .jobs = &run->job,
                  .n_jobs = 1,
                  .seed = made->seed,
                  .n_threads = made->n_threads},
    };
    const int error = cw_flit_new(&run->setup, &run->simulation);
    return error ? error : cw_steady_run(run->simulation, &run->setup, steady, &run->steady);
}

int flit_run_end(struct flit_run *run)
{
    const int error = run->simulation ? cw_flit_drain_and_check(run->simulation) : 0;
    cw_flit_free(run->simulation);
    cw_steady_free(&run->steady);
    *run = (struct flit_run){.simulation = NULL};
    return error;
}
