/*
 * One flit-level measurement: a network, a routing, a traffic, a placement and a load, what `crosswind flit` and
 * `crosswind reproduce` have in common; how evenly it served the endpoints, and what channels moved in it.
 */
#ifndef CW_STUDY_FLIT_FLIT_CASE_H
#define CW_STUDY_FLIT_FLIT_CASE_H

#include <stdbool.h>
#include <stddef.h>
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
    bool allow_deadlock; /* as in struct cw_flit_setup */
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

/* A measurement that is done. */
struct cw_flit_measurement {
    struct cw_flit_job job; /* of the case's one traffic */
    struct cw_flit_setup setup;
    struct cw_steady_result steady;
    /* Of the measured cycles, one behind another; the first owns them all: */
    uint64_t *channel_flits; /* [channels] flits that left by it */
    uint64_t *injected_by;   /* [endpoints] flits */
    uint64_t *accepted_by;   /* [endpoints] flits */
    uint64_t *latencies;     /* [CW_FLIT_LATENCY_BINS], as cw_flit_latency_histogram has them */
};

/* Measures the steady state of the case at LOAD in MESSAGES (borrowed until the measurement is freed), then as
 * cw_flit_case_end. CW_EROUTE, with who waits for whom, if nothing moves any more. Free with cw_flit_measurement_free
 * also after an error. */
int cw_flit_case_measure(const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                         const struct cw_flit_messages *messages, double load, const struct cw_steady_setup *steady,
                         struct cw_flit_measurement *run);
/* The same with JOBS (borrowed until the end) on the case's network and routing. */
int cw_flit_case_measure_jobs(const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                              const struct cw_flit_job *jobs, size_t n_jobs, const struct cw_steady_setup *steady,
                              struct cw_flit_measurement *run);

/* Ends a run of CYCLES of which all is known that was asked for: lets what is under way arrive and checks that nothing
 * was lost, if that takes a tenth of the run at most; where queues are long it can take far longer than the run. Where
 * routes MAY_BE_STUCK it takes what it takes: a circle of few waits unnoticed beside all else that moves, and shows
 * when that has gone (CW_EROUTE). */
int cw_flit_case_end(struct cw_flit_simulation *simulation, uint64_t cycles, bool may_be_stuck);

void cw_flit_measurement_free(struct cw_flit_measurement *run);

/* A measurement as plain data, for another process that has the same case: bytes of the record of one with SETUP of
 * N_JOBS jobs; its batches are left out unless SERIES. */
size_t cw_flit_record_size(const struct cw_flit_case *made, const struct cw_steady_setup *setup, size_t n_jobs,
                           bool series);
/* Fills the RECORD of RUN, of SIZE bytes, zeroed. Batches for which there is no room are left out. */
void cw_flit_record_write(const struct cw_flit_measurement *run, size_t size, void *record);
/* Whether a record has been filled, or is zeros. */
bool cw_flit_record_is_there(const void *record);
/* The measurement of the case at LOAD, of one job, again. Free with cw_flit_measurement_free also after an error. */
int cw_flit_record_read(const void *record, const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                        const struct cw_flit_messages *messages, double load, struct cw_flit_measurement *run);

/* --- fairness ----------------------------------------------------------------------------------------------------- */

/* How evenly a measurement served the endpoints, and which of them starved. */

/* The loads of some endpoints, in flits a cycle. */
struct cw_shares {
    size_t n;
    double least, mean, most;
    double jain; /* (Σx)² / (n Σx²): 1 if all are equal, 1/n if one has all; R. Jain, D. Chiu, W. Hawe, "A quantitative
                    measure of fairness and discrimination", DEC-TR-301, 1984. NaN if all are 0 */
};

/* Of N VALUES, none negative; all NaN of none. */
struct cw_shares cw_shares_of(const double *values, size_t n);

struct cw_fairness {
    struct cw_shares injected; /* by the endpoints that have something to send */
    struct cw_shares accepted; /* by all endpoints of the case's selection */
    size_t n_starved;
    uint32_t *starved; /* [n_starved] endpoints, job by job in the order of ranks; owned */
};

/* What RUN, a measurement of MADE, did to its endpoints. A sender is starved if it injected nothing in all the cycles
 * measured, in which it had at least 30 messages to send on average (so that chance leaves one in 10^13 without any).
 * Free with cw_fairness_free. */
int cw_fairness_of(const struct cw_flit_case *made, const struct cw_flit_measurement *run, struct cw_fairness *out);
void cw_fairness_free(struct cw_fairness *fairness);

/* --- utilisation -------------------------------------------------------------------------------------------------- */

/* How much of what channels can move they moved in a measurement: by class, and which are the hottest. */

enum cw_channel_class {
    CW_CHANNEL_INJECTION, /* from an endpoint */
    CW_CHANNEL_EJECTION,  /* to an endpoint */
    CW_CHANNEL_LOCAL,     /* between switches, of one group where there are groups */
    CW_CHANNEL_GLOBAL,    /* between groups */
    CW_CHANNEL_CLASSES
};

/* "injection", …: by class. */
extern const char *const cw_channel_classes[];

enum cw_channel_class cw_channel_class_of(const struct cw_network *net, uint32_t channel);

/* What CHANNEL moved in RUN, as a share of what it can move. */
double cw_utilisation_of(const struct cw_network *net, const struct cw_flit_measurement *run, uint32_t channel);

struct cw_utilisation {
    double mean[CW_CHANNEL_CLASSES]; /* of the channels of each class; NaN if it has none */
    double busiest;                  /* greatest of a channel between switches; 0 if there is none */
};

void cw_utilisation_by_class(const struct cw_network *net, const struct cw_flit_measurement *run,
                             struct cw_utilisation *out);

/* A channel between switches and what it moved. */
struct cw_hot_channel {
    double utilisation;
    uint32_t channel;
};

/* Channels between switches, the hottest first, of equal ones the one of lowest id: *OUT [*N], owned by the caller.
 * O(channels · log channels). */
int cw_utilisation_hottest(const struct cw_network *net, const struct cw_flit_measurement *run, size_t *n,
                           struct cw_hot_channel **out);

CW_END_DECLS

#endif
