/*
 * Crosswind's C interface: everything that libcrosswind offers, in the order in which it is used.
 *
 *     struct cw_network *net;                                  what is there
 *     struct cw_routes *routes;                                how messages travel
 *     if (cw_network_open("fabric.ibnetdiscover", &net) ||
 *         cw_lft_read(net, "opensm-lfts.dump", NULL, &routes))
 *         puts(cw_error_message());
 *
 *     struct cw_ebb_setup setup = {.routes = routes, .trials = 1000, .seed = 1};
 *     struct cw_ebb_result result;                             what that costs
 *     cw_ebb_run(&setup, &result);
 *
 * Conventions, everywhere: a function that can fail returns 0 or a negative cw_error, sets its outputs only on success
 * and leaves a message in cw_error_message(). Inputs are borrowed and const; what comes out through a pointer to a
 * pointer belongs to the caller, who gives it to the _free function of its kind (which accepts NULL). What is built is
 * immutable, so any number of threads may read it. The library never prints and never exits. Setups are zeroed and then
 * filled, as above: what is 0 has its default, also in fields that a later version adds. Each header below is the
 * manual of its module.
 */
#ifndef CROSSWIND_H
#define CROSSWIND_H

/* ground: errors, text, units, random numbers, parameters, and what can be named */
#include "base/buffer.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/parameters.h"
#include "base/plugin.h"
#include "base/progress_part.h"
#include "base/random.h"
#include "base/registry.h"
#include "base/summary.h"
#include "base/units.h"
#include "base/version.h"

/* networks: the graph, building one, files */
#include "net/builder.h"
#include "net/faults.h"
#include "net/files/formats.h"
#include "net/files/node_names.h"
#include "net/host_list.h"
#include "net/name_index.h"
#include "net/network.h"
#include "net/network_match.h"
#include "net/part.h"
#include "net/selection.h"
#include "net/shape.h"

/* topologies and their measures */
#include "topo/metrics.h"
#include "topo/recognise.h"
#include "topo/topology.h"

/* routes: engines, tables, files, checks */
#include "route/check.h"
#include "route/engine.h"
#include "route/files/lft_file.h"
#include "route/lft.h"
#include "route/packets/least_busy.h"
#include "route/packets/packet_routing.h"
#include "route/packets/ways.h"
#include "route/pair_weights.h"
#include "route/paths.h"
#include "route/repair.h"
#include "route/route_changes.h"
#include "route/routes.h"

/* traffic: patterns, collectives, placements */
#include "traffic/collectives.h"
#include "traffic/flows.h"
#include "traffic/goal_file.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"
#include "traffic/rank_program.h"
#include "traffic/ranks.h"
#include "traffic/recorded/recording.h"
#include "traffic/schedule.h"
#include "traffic/split_plan.h"
#include "traffic/workload.h"

/* simulation: congestion, effective bisection bandwidth, quality of routes, network noise, flows */
#include "sim/collective.h"
#include "sim/congestion.h"
#include "sim/ebb.h"
#include "sim/flit/flit.h"
#include "sim/flit/steady.h"
#include "sim/flows/flow_sim.h"
#include "sim/load.h"
#include "sim/noise.h"
#include "sim/noise_case.h"
#include "sim/quality.h"
#include "sim/round.h"
#include "sim/split_tree_sim.h"
#include "sim/timing.h"
#include "sim/trace.h"

/* models: link-load bounds, dragonflies under adversarial traffic, split-tree collectives */
#include "model/dragonfly_model.h"
#include "model/link_load.h"
#include "model/split_tree.h"

/* data movement: demands, paths, plans, the time they take */
#include "flow/files/flow_export.h"
#include "flow/flow_problem.h"
#include "flow/method.h"
#include "flow/moves/mover.h"
#include "flow/moves/moves.h"
#include "flow/paths/k_paths.h"
#include "flow/plan.h"
#include "flow/proof.h"
#include "flow/rails.h"
#include "flow/transport/transport.h"
#include "flow/transport/transport_set.h"

#endif
