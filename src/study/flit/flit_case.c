#include "study/flit/flit_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/dragonfly_model.h"
#include "model/link_load.h"
#include "traffic/placement.h"

int cw_flit_placement_order(const char *spec, const struct cw_network *net, const struct cw_selection *selection,
                            uint64_t seed, uint64_t trial, uint32_t *n, uint32_t **order)
{
    struct cw_placement *placement;
    struct cw_random random = cw_random_of(seed, CW_STREAM_PLACEMENT, trial);
    int rc = cw_placement_new(spec, net, selection, &placement);
    if (rc) return rc;
    uint32_t *endpoints = cw_new_array(cw_placement_count(placement), sizeof *endpoints, "a placement");
    rc = endpoints ? cw_placement_order(placement, &random, endpoints) : CW_ENOMEM;
    if (!rc) {
        *n = cw_placement_count(placement);
        *order = endpoints;
    } else {
        free(endpoints);
    }
    cw_placement_free(placement);
    return rc;
}

int cw_flit_workload_new(const char *traffic, const char *placement, const struct cw_network *net,
                         const struct cw_selection *selection, uint32_t n, const uint32_t *endpoints, uint64_t seed,
                         struct cw_workload **out)
{
    struct cw_placement *placed;
    struct cw_ranks ranks;
    uint32_t *numbers;
    int rc = cw_placement_new(placement, net, selection, &placed);
    if (rc) return rc;
    cw_ranks_of(net, n, &ranks);
    ranks.net = net;
    ranks.endpoints = endpoints;
    rc = cw_placement_numbers(placed, &ranks, &numbers);
    if (!rc) rc = cw_workload_new(traffic, &ranks, seed, out);
    free(numbers);
    cw_placement_free(placed);
    return rc;
}

int cw_flit_case_make(struct cw_flit_case *made)
{
    made->workload = NULL;
    made->endpoints = NULL;
    int rc = cw_flit_placement_order(made->placement_spec, made->net, made->selection, made->seed, 0, &made->n_ranks,
                                     &made->endpoints);
    if (rc) return rc;
    rc = cw_flit_workload_new(made->traffic_spec, made->placement_spec, made->net, made->selection, made->n_ranks,
                              made->endpoints, made->seed, &made->workload);
    if (rc) cw_flit_case_free(made);
    return rc;
}

void cw_flit_case_free(struct cw_flit_case *made)
{
    cw_workload_free(made->workload);
    free(made->endpoints);
    made->workload = NULL;
    made->endpoints = NULL;
}

/* The paper's model is of valiant-restricted and of traffic from group to group. */
static double estimate_of(const struct cw_flit_case *made)
{
    struct cw_dragonfly_model model;
    if (strcmp(cw_packet_routing_name(made->routing), "valiant-restricted") != 0 ||
        cw_dragonfly_model_compute(made->net, made->workload, made->endpoints, &model) != 0)
        return (double)NAN;
    return model.estimate;
}

int cw_flit_case_models(const struct cw_flit_case *made, const double *loads, size_t n, struct cw_flit_model *models)
{
    const double estimate = estimate_of(made);
    struct cw_link_load load;
    int rc = cw_link_load_compute(made->routing, made->workload, made->endpoints, made->n_threads, &load);
    for (size_t i = 0; i < n; i++) models[i] = (struct cw_flit_model){.estimate = estimate, .bound = (double)NAN};
    if (rc) return rc == CW_ELIMIT ? 0 : rc; /* it would take too long */
    for (size_t i = 0; i < n && !rc; i++) rc = cw_link_load_most(&load, loads[i], made->n_threads, &models[i].bound);
    cw_link_load_free(&load);
    return rc;
}

int cw_flit_case_model(const struct cw_flit_case *made, struct cw_flit_model *model)
{
    const double full = 1;
    return cw_flit_case_models(made, &full, 1, model);
}

int cw_flit_case_measure_jobs(const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                              const struct cw_flit_job *jobs, size_t n_jobs, const struct cw_steady_setup *steady,
                              struct cw_flit_measurement *run)
{
    run->simulation = NULL;
    run->steady = (struct cw_steady_result){0};
    run->setup = (struct cw_flit_setup){.routing = made->routing,
                                        .hardware = *hardware,
                                        .jobs = jobs,
                                        .n_jobs = n_jobs,
                                        .seed = made->seed,
                                        .n_threads = made->n_threads};
    const int rc = cw_flit_new(&run->setup, &run->simulation);
    return rc ? rc : cw_steady_run(run->simulation, &run->setup, steady, &run->steady);
}

int cw_flit_case_measure(const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                         const struct cw_flit_messages *messages, double load, const struct cw_steady_setup *steady,
                         struct cw_flit_measurement *run)
{
    run->job = (struct cw_flit_job){.kind = CW_FLIT_CONTINUOUS,
                                    .n_ranks = made->n_ranks,
                                    .endpoints = made->endpoints,
                                    .workload = made->workload,
                                    .load = load,
                                    .message_flits = messages->flits,
                                    .sizes = messages->sizes,
                                    .n_sizes = messages->n_sizes};
    return cw_flit_case_measure_jobs(made, hardware, &run->job, 1, steady, run);
}

int cw_flit_measurement_end(struct cw_flit_measurement *run)
{
    const int rc = run->simulation ? cw_flit_drain_and_check(run->simulation) : 0;
    cw_flit_free(run->simulation);
    cw_steady_free(&run->steady);
    *run = (struct cw_flit_measurement){.simulation = NULL};
    return rc;
}
