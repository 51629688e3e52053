/*
 * One flit-level measurement: a network, a routing, a traffic, a placement and a load. What `crosswind flit` and
 * `crosswind reproduce` have in common.
 */
#ifndef CW_STUDY_FLIT_CASE_H
#define CW_STUDY_FLIT_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "net/selection.h"
#include "route/packets/packet_routing.h"
#include "sim/flit/flit.h"
#include "sim/flit/steady.h"
#include "traffic/workload.h"

CW_BEGIN_DECLS

/* Network, routing, traffic and placement, made. */
struct cw_flit_case {
    const struct cw_network *net;         /* borrowed, as the next two */
    const struct cw_selection *selection; /* endpoints that take part; NULL: all */
    const struct cw_packet_routing *routing;
    const char *traffic_spec, *placement_spec;
    struct cw_workload *workload;
    uint32_t n_ranks;    /* endpoints that take part */
    uint32_t *endpoints; /* [n_ranks] in the placement's order; rank r runs on endpoints[r] */
    uint64_t seed;
    unsigned n_threads;
};

/* The endpoints of NET that are in SELECTION (NULL: all) in the order of the placement SPEC, drawn for a trial: *ORDER
 * [*N] is the caller's. */
int cw_flit_placement_order(const char *spec, const struct cw_network *net, const struct cw_selection *selection,
                            uint64_t seed, uint64_t trial, uint32_t *n, uint32_t **order);

/* The workload TRAFFIC of N ranks, whose endpoints are the first N of that order: the numbers of a file mean the same
 * ones whatever has been cut off of SELECTION. */
int cw_flit_workload_new(const char *traffic, const char *placement, const struct cw_network *net,
                         const struct cw_selection *selection, uint32_t n, const uint32_t *endpoints, uint64_t seed,
                         struct cw_workload **out);

/* Makes the workload and the placement of a case whose other members are set. */
int cw_flit_case_make(struct cw_flit_case *made);
void cw_flit_case_free(struct cw_flit_case *made);

/* What the models say of a case; NaN where they say nothing. */
struct cw_flit_model {
    double estimate; /* 3/(4p) of equation 4 for valiant-restricted on a dragonfly */
    double bound;    /* link-load bound that no simulation passes; of a routing that looks at queues by the channels of
                        endpoints only */
};

int cw_flit_case_model(const struct cw_flit_case *made, struct cw_flit_model *model); /* at full load */
/* At each of N loads, (0, 1]; MODELS has room for N. */
int cw_flit_case_models(const struct cw_flit_case *made, const double *loads, size_t n, struct cw_flit_model *models);

/* A measurement under way or done; its simulation keeps the counters of the measured cycles. */
struct cw_flit_measurement {
    struct cw_flit_job job;
    struct cw_flit_setup setup;
    struct cw_flit_simulation *simulation;
    struct cw_steady_result steady;
};

/* Measures the steady state of the case at LOAD in MESSAGES (borrowed until the end). Free with cw_flit_measurement_end
 * also after an error. */
int cw_flit_case_measure(const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                         const struct cw_flit_messages *messages, double load, const struct cw_steady_setup *steady,
                         struct cw_flit_measurement *run);
/* The same with JOBS (borrowed until the end) on the case's network and routing. */
int cw_flit_case_measure_jobs(const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                              const struct cw_flit_job *jobs, size_t n_jobs, const struct cw_steady_setup *steady,
                              struct cw_flit_measurement *run);

/* Lets what is under way arrive, checks that nothing was lost, and frees the run. */
int cw_flit_measurement_end(struct cw_flit_measurement *run);

CW_END_DECLS

#endif
