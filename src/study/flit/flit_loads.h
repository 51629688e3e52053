/*
 * Loads of one case, measured one after another, or side by side where an executor shares trials out over processes:
 * those that are given, or those that a search for saturation tries. What comes of them is told in the same order
 * either way.
 */
#ifndef CW_STUDY_FLIT_FLIT_LOADS_H
#define CW_STUDY_FLIT_FLIT_LOADS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "base/progress.h"
#include "base/trials.h"
#include "sim/flit/saturation.h"
#include "study/flit/flit_case.h"

CW_BEGIN_DECLS

/* How loads are measured, and who is told. All is borrowed. */
struct cw_flit_loads {
    const struct cw_flit_case *made; /* with a routing */
    const struct cw_flit_hardware *hardware;
    const struct cw_flit_messages *messages;
    const struct cw_steady_setup *steady; /* without progress */
    bool series;                          /* batches are wanted of loads that another process measures */
    const struct cw_executor *executor;   /* NULL: one load after another */
    size_t n_processes;                   /* of the executor's: a search tries as many loads at once */
    void *context;                        /* of the three: */
    /* A bar for LOAD, which steps in cycles, or NULL. */
    struct cw_progress *(*begin)(void *context, double load);
    /* RUN is of load INDEX of those given, or number INDEX that is tried; it is freed afterwards. An error ends all. */
    int (*end)(void *context, size_t index, struct cw_flit_measurement *run);
    /* Nothing moves any more at LOAD, which cw_error_message explains. Called where the case may deadlock; else that is
     * an error. A search takes such a load for one that is not accepted. */
    void (*stuck)(void *context, double load);
};

/* Measures N loads. With an executor the greatest begin first, as they take longest, and after an error those that were
 * measured are told. The error is that of the lowest load, or what `end` returned. */
int cw_flit_loads_measure(const struct cw_flit_loads *loads, size_t n, const double *values);

/* Tries loads until SEARCH, zeroed, knows where the network saturates. With an executor, loads that the search may ask
 * for next are measured side by side; what it then does not ask for is dropped, errors too. So the same is told for any
 * number of processes. */
int cw_flit_loads_search(const struct cw_flit_loads *loads, struct cw_saturation *search);

CW_END_DECLS

#endif
