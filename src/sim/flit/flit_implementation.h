/*
 * What simulates flits by the rules of sim/flit/flit.h: an implementation of its functions. Not installed.
 *
 * There are two. The tuned one (flit_internal.h) is fast and holds the switches of published dragonfly studies. The
 * plain one (plain/plain.h) is slow and short, and is where switches are extended: each of their parts is a module that
 * can be exchanged. What both can do they do alike, in every cycle (tests/unit/sim/test_flit_reference.c).
 */
#ifndef CW_SIM_FLIT_FLIT_IMPLEMENTATION_H
#define CW_SIM_FLIT_FLIT_IMPLEMENTATION_H

#include "base/decls.h"
#include "base/registry.h"
#include "sim/flit/flit.h"
#include "sim/flit/flit_task.h"

CW_BEGIN_DECLS

struct cw_flit_task;

/* Functions are those of sim/flit/flit.h; `new` does not prove that the routing is free of deadlocks. */
struct cw_flit_implementation {
    const char *name, *help;
    int (*new)(const struct cw_flit_setup *setup, struct cw_flit_simulation **out);
    void (*free)(struct cw_flit_simulation *simulation);
    int (*run)(struct cw_flit_simulation *simulation, uint64_t cycles, struct cw_flit_window *window);
    void (*reset_counters)(struct cw_flit_simulation *simulation);
    const uint64_t *(*channel_flits)(struct cw_flit_simulation *simulation);
    const uint64_t *(*accepted_by)(struct cw_flit_simulation *simulation);
    const uint64_t *(*injected_by)(struct cw_flit_simulation *simulation);
    const uint64_t *(*latency_histogram)(struct cw_flit_simulation *simulation);
    const struct cw_flit_task *(*task)(const struct cw_flit_simulation *simulation, size_t job);
    double (*cycle_seconds)(const struct cw_flit_simulation *simulation);
    size_t (*memory)(const struct cw_flit_simulation *simulation);
    int (*drain_within)(struct cw_flit_simulation *simulation, uint64_t most);
};

/* What all simulations begin with. */
struct cw_flit_simulation {
    const struct cw_flit_implementation *by;
};

extern const struct cw_flit_implementation cw_flit_tuned_implementation, cw_flit_plain_implementation;
extern const struct cw_registry cw_flit_implementation_registry;

/* Why nothing moves any more. */
struct cw_flit_stall {
    const struct cw_network *net;
    uint64_t flits; /* in the network */
    uint64_t since; /* cycle */
    /* What a message at the head of an input queue of HOP waits for; false if there is none or it need not wait. HOP's
     * lane may be one that its channel does not have: false. */
    bool (*waits_for)(const void *simulation, struct cw_hop hop, struct cw_hop *next);
    const void *simulation;
};

/* CW_EROUTE with who waits for whom. */
int cw_flit_explain_stall(const struct cw_flit_stall *stall);

CW_END_DECLS

#endif
