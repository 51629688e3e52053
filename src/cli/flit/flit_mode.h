/* The modes of `crosswind flit`, and what they have in common: a network, hardware, and the routings to compare. */
#ifndef CW_CLI_FLIT_MODE_H
#define CW_CLI_FLIT_MODE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/fabric.h"
#include "cli/flit/flit_options.h"
#include "cli/verb.h"
#include "route/packets/packet_routing.h"
#include "sim/flit/flit.h"
#include "sim/flit/steady.h"
#include "study/flit/flit_jobs.h"

/* One routing to be simulated. */
struct flit_routing {
    struct cw_packet_routing *packets;
    const char *spec;               /* NULL: they follow `routes` */
    const struct cw_routes *routes; /* read from a file; NULL: those of SPEC, if it has any */
};

struct flit_mode {
    struct invocation *invocation;
    const struct flit_options *values;
    const struct cw_network *net;
    const struct cw_selection *selection; /* endpoints that take part */
    struct cw_flit_hardware hardware;
    struct cw_flit_messages messages;
    bool covers_round_trip; /* the size of input buffers was left to the program */
    bool sweep;             /* loads are looked for; else those of the options are measured */
    struct cw_steady_setup steady;
    const struct cw_routes *own; /* of --moves: the network's, with which a plan is compared */
    struct flit_routing given;   /* of --lft or --paths, it comes first; packets NULL: none */
    const char *routings;        /* others, a list (cw_registry_element); NULL: none */
    size_t n_routings;           /* of both */
};

/* Fills in routes and routings of MODE, whose members down to `net` are set, and counts them. FABRIC's routes are read
 * if the options name some; that they cannot deadlock is checked at once. Free with flit_mode_free in any case. */
int flit_mode_route(struct flit_mode *mode, struct fabric *fabric);
void flit_mode_free(struct flit_mode *mode);

/* Calls USE with each routing of MODE, until one fails. */
int flit_each_routing(const struct flit_mode *mode, int (*use)(void *context, const struct flit_routing *routing),
                      void *context);

/* --- modes -------------------------------------------------------------------------------------------------------- */

/* The traffic of the options at its loads; or, in a sweep, at loads that are tried. */
int flit_load(const struct flit_mode *mode);
/* JOBS, of which none ends, side by side. */
int flit_load_jobs(const struct flit_mode *mode, const struct cw_flit_jobs *jobs);

/* JOBS side by side, of which one ends. */
int flit_completion_jobs(const struct flit_mode *mode, const struct cw_flit_jobs *jobs);
/* The traffic of the options, a finite amount of it. */
int flit_completion_finite(const struct flit_mode *mode);
/* --schedule: the time of a collective, alone and perturbed, beside the congestion model's. */
int flit_collective(const struct flit_mode *mode);

/* --moves: how long a plan takes. */
int flit_moves(const struct flit_mode *mode);

#endif
