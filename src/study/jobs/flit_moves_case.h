/*
 * A plan's moves, flit by flit or by flows: how long they take on the network that they were made for. It is the
 * network that plans are made for: what is relayed comes in by the cable of an endpoint and leaves by it; but where a
 * node is its switch (cw_network_node_is_switch) that is no cable, and limits nothing.
 */
#ifndef CW_STUDY_JOBS_FLIT_MOVES_CASE_H
#define CW_STUDY_JOBS_FLIT_MOVES_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress.h"
#include "flow/moves/moves.h"
#include "route/routes.h"
#include "sim/flit/flit.h"

CW_BEGIN_DECLS

struct cw_flit_moves_case {
    const struct cw_network *net; /* borrowed, as the moves */
    const struct cw_moves *moves;
    struct cw_flit_hardware hardware;
    uint32_t message_flits; /* chunks are sent in packets of so many */
    uint64_t seed;
    unsigned n_threads;
    struct cw_progress_part progress; /* by the bytes that have arrived */
};

struct cw_flit_moves_result {
    uint64_t bytes, cycles; /* of all demands; until they have arrived, by flits */
    double seconds;         /* the same */
    double bound_seconds;   /* no less is possible: what the most loaded channel takes for its bytes */
    uint32_t hottest;       /* that channel */
    uint32_t forwards;      /* steps that send on what their rank has received */
    uint32_t lanes;         /* of channels between switches, by flits */
};

/* Source, relays and destinations send along the channels of their steps; a relay tells the rank before by a message of
 * one flit, along the same channels backwards, that it has sent a chunk on. An endpoint with several cables sends and
 * receives by all of them at once. What a rank adds up goes on chunk by chunk, once all ranks before have sent it that
 * chunk; adding takes no time. A sum for all comes to a rank when it has done its part in it, which it says likewise by
 * a message of one flit. CW_EUSAGE if the moves are not of the network; else as cw_flit_new and cw_flit_run. */
int cw_flit_moves_case_run(const struct cw_flit_moves_case *made, struct cw_flit_moves_result *out);

/* The same by flows (sim/flows/flow_sim.h) on the network of ROUTES, which say nothing of the moves' ways: each stream
 * is a flow over the channels of all its steps, for a relay that has room for a few chunks passes on as much as it
 * gets (what goes to several ranks goes to all as fast as to the slowest); and each relay stores a chunk before it
 * sends the first byte, at the speed of the slowest channel of its step. With latencies of channels, and OVERHEAD
 * seconds that each stream costs its sender's processor, one after another, and a chunk each relay. Where ranks add up
 * data each chunk is a message, which waits for all that is combined with it and for the chunk before it on its way, as
 * the program of a forest has it (flow/forest/forest.h); adding takes no time. CW_EUSAGE if the moves are not of the
 * network. Time: see cw_flow_run, for as many messages as there are streams, or chunks on edges. */
int cw_flow_moves_run(const struct cw_routes *routes, const struct cw_moves *moves, double overhead,
                      struct cw_flit_moves_result *out);

/* Whether A and B have the same steps in the same order, over the same channels: one run tells the time of both. */
bool cw_flit_moves_same(const struct cw_moves *a, const struct cw_moves *b);

CW_END_DECLS

#endif
