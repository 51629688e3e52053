/*
 * Jobs that end, flit by flit: how long each takes beside the others, how long alone, and what the congestion model
 * says of that.
 */
#ifndef CW_CLI_FLIT_STUDY_H
#define CW_CLI_FLIT_STUDY_H

#include <stdint.h>

#include "cli/flit/flit_jobs.h"
#include "route/packets/packet_routing.h"
#include "route/routes.h"
#include "sim/flit/flit.h"
#include "sim/flit/steady.h"

struct flit_study {
    const struct cw_network *net; /* borrowed, as the next */
    const struct cw_selection *selection;
    struct cw_flit_hardware hardware;
    const struct cw_flit_messages *messages; /* borrowed */
    uint64_t seed;
    unsigned n_threads;
    const struct flit_jobs *jobs; /* borrowed, as the next two */
    const struct cw_packet_routing *routing;
    const struct cw_routes *routes; /* of the congestion model; NULL where the routing is none of an engine */
    struct cw_routes *compiled;     /* the same, if they are the study's own */
    uint64_t warmup;                /* cycles that jobs without end run before the others begin; 0 if there are none */
};

/* What a job did in one trial; NaN where it does not apply. */
struct flit_outcome {
    double time, alone;         /* cycles, of a job that ends, beside the others and without them */
    double slowdown;            /* time / alone */
    double congestion_slowdown; /* the congestion model's, of a collective beside traffic */
    double accepted;            /* load; of a job without end while one that ends was running */
};

/* Makes STUDY, whose members down to `routing` are set, and `routes` unless the routing is one by the name SPEC, and
 * finds its warm-up: that of STEADY, or if it is to be found, what the jobs without end take in the first trial. Free
 * with flit_study_free in any case. */
int flit_study_make(struct flit_study *study, const char *spec, const struct cw_steady_setup *steady);
void flit_study_free(struct flit_study *study);

/* Runs trial TRIAL. OUTCOMES has room for all jobs, one of which ends. Jobs without end are in steady state when those
 * that end begin, all together; the run ends with the last of these. */
int flit_study_run(const struct flit_study *study, uint64_t trial, struct flit_outcome *outcomes);

#endif
