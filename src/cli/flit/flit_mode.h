/* What simulations of flits have in common: a network, hardware, and the routings to compare; and the modes of
 * `crosswind flit`. */
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
#include "study/jobs/job_list.h"

/* One routing to be simulated. */
struct flit_routing {
    struct cw_packet_routing *packets;
    const char *spec;               /* NULL: they follow `routes` */
    const struct cw_routes *routes; /* read from a file, or to all LIDs; NULL: those of SPEC, if it has any */
};

struct flit_mode {
    struct invocation *invocation;
    const struct flit_options *values; /* NULL: of another verb */
    const struct cw_network *net;
    const struct cw_selection *selection; /* endpoints that take part */
    struct cw_flit_hardware hardware;
    struct cw_flit_messages messages;
    bool covers_round_trip; /* the size of input buffers was left to the program */
    bool sweep;             /* loads are looked for; else those of the options are measured */
    struct cw_steady_setup steady;
    struct flit_routing given; /* of --lft or --paths, it comes first; packets NULL: none */
    const char *routings;      /* others, a list (cw_registry_element); NULL: none */
    size_t n_routings;         /* of both */
};

/* A zeroed MODE of FABRIC, which is open, with the hardware of INVOCATION's options; says what simulates it, where that
 * is not what the help says. Free with flit_mode_free in any case. */
int flit_mode_open(struct invocation *invocation, const struct fabric *fabric, struct flit_mode *mode);
void flit_mode_free(struct flit_mode *mode);

/* Fills in routes and routings of MODE, and counts them: those of ROUTING, whose `name` is a list. FABRIC's routes are
 * read if that names some; that they cannot deadlock is checked at once. */
int flit_mode_route(struct flit_mode *mode, const struct routing *routing, struct fabric *fabric);

/* CW_EUSAGE if an option of flits was given, which means nothing where none move: "--NAME WHY". */
int flit_mode_refuse(const struct invocation *invocation, const char *why);

/* Says how long input buffers are, where that is not what the help says; or that they are too short. */
void flit_mode_note_buffers(const struct flit_mode *mode);

/* The packet routing SPEC of NET with the seed and --lids of INVOCATION, which says what these have done. *OVER: the
 * routes to all LIDs that packets draw among, of *OUT; NULL: they go to the first. */
int flit_packets(struct invocation *invocation, const struct cw_network *net, const char *spec,
                 struct cw_packet_routing **out, const struct cw_routes **over);

/* Calls USE with each routing of MODE, until one fails. */
int flit_each_routing(const struct flit_mode *mode, int (*use)(void *context, const struct flit_routing *routing),
                      void *context);

/* --- modes -------------------------------------------------------------------------------------------------------- */

/* The traffic of the options at its loads; or, in a sweep, at loads that are tried. */
int flit_load(const struct flit_mode *mode);
/* JOBS, of which none ends, side by side. */
int flit_load_jobs(const struct flit_mode *mode, const struct cw_jobs *jobs);

#endif
