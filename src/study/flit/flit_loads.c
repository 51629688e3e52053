#include "study/flit/flit_loads.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* A search that is under way, or NULL, and how many loads have been told. */
struct telling {
    const struct cw_flit_loads *loads;
    struct cw_saturation *search;
    size_t told;
};

static int tell(struct telling *telling, struct cw_flit_measurement *run)
{
    if (telling->search) cw_saturation_add(telling->search, &run->steady);
    return telling->loads->end(telling->loads->context, telling->told++, run);
}

static int run_load(const struct cw_flit_loads *loads, double load, struct cw_flit_measurement *run)
{
    struct cw_steady_setup steady = *loads->steady;
    steady.progress = loads->begin(loads->context, load);
    const int rc = cw_flit_case_measure(loads->made, loads->hardware, loads->messages, load, &steady, run);
    cw_progress_free(steady.progress);
    return rc;
}

/* Of what a measurement came to: nothing moves any more, where that may be. */
static bool is_stuck(const struct cw_flit_loads *loads, int measured)
{
    return measured == CW_EROUTE && loads->made->allow_deadlock;
}

static void tell_stuck(struct telling *telling, double load)
{
    const struct cw_steady_result none = {.offered = load, .latency_mean = (double)INFINITY, .messages = UINT32_MAX};
    if (telling->search) cw_saturation_add(telling->search, &none);
    telling->loads->stuck(telling->loads->context, load);
    telling->told++;
}

/* --- one after another -------------------------------------------------------------------------------------------- */

static int measure_one(struct telling *telling, double load)
{
    struct cw_flit_measurement run;
    int rc = run_load(telling->loads, load, &run);
    if (is_stuck(telling->loads, rc)) {
        tell_stuck(telling, load);
        rc = 0;
    } else if (!rc) {
        rc = tell(telling, &run);
    }
    cw_flit_measurement_free(&run);
    return rc;
}

/* --- side by side ------------------------------------------------------------------------------------------------- */

#define WHY_SIZE 1024 /* of the message of a load that is stuck */

/* Loads as trials, the last load first. An outcome is a record, then WHY_SIZE bytes: a message if it is stuck. */
struct sharing {
    const struct cw_flit_loads *loads;
    const double *values; /* [n], borrowed */
    size_t n, record_size;
    char *outcomes; /* [n]; zeros of a load that was not measured */
};

static int measure_shared(const void *context, void *state, size_t trial, void *outcome)
{
    const struct sharing *sharing = context;
    struct cw_flit_measurement run;
    (void)state;
    int rc = run_load(sharing->loads, sharing->values[sharing->n - 1 - trial], &run);
    if (!rc) cw_flit_record_write(&run, sharing->record_size, outcome);
    if (is_stuck(sharing->loads, rc)) {
        snprintf((char *)outcome + sharing->record_size, WHY_SIZE, "%s", cw_error_message());
        rc = 0;
    }
    cw_flit_measurement_free(&run);
    return rc;
}

/* Free `outcomes` also after an error: there may be some then. */
static int share_loads(const struct cw_flit_loads *loads, size_t n, const double *values, struct sharing *sharing)
{
    *sharing = (struct sharing){.loads = loads, .values = values, .n = n};
    sharing->record_size = cw_flit_record_size(loads->made, loads->steady, 1, loads->series);
    const struct cw_trials trials = {.n = n,
                                     .outcome_size = sharing->record_size + WHY_SIZE,
                                     .context = sharing,
                                     .run = measure_shared,
                                     .n_threads = 1,
                                     .executor = loads->executor};
    sharing->outcomes = cw_new_array(n, trials.outcome_size, "measurements");
    return sharing->outcomes ? cw_trials_run_into(&trials, sharing->outcomes, NULL) : CW_ENOMEM;
}

/* Tells what load I came to; *THERE is false if it was not measured. */
static int tell_outcome(struct telling *telling, const struct sharing *sharing, size_t i, bool *there)
{
    const struct cw_flit_loads *loads = telling->loads;
    const char *outcome = sharing->outcomes + (sharing->n - 1 - i) * (sharing->record_size + WHY_SIZE);
    const char *why = outcome + sharing->record_size;
    struct cw_flit_measurement run;
    *there = cw_flit_record_is_there(outcome) || *why;
    if (!*there) return 0;
    if (*why) {
        cw_fail(CW_EROUTE, "%s", why);
        tell_stuck(telling, sharing->values[i]);
        return 0;
    }
    int rc = cw_flit_record_read(outcome, loads->made, loads->hardware, loads->messages, sharing->values[i], &run);
    if (!rc) rc = tell(telling, &run);
    cw_flit_measurement_free(&run);
    return rc;
}

/* In their order. */
static int measure_side_by_side(struct telling *telling, size_t n, const double *values)
{
    struct sharing sharing;
    bool there;
    const int rc = share_loads(telling->loads, n, values, &sharing);
    int told = 0;
    for (size_t i = 0; sharing.outcomes && i < n && !told; i++) {
        telling->told = i;
        told = tell_outcome(telling, &sharing, i, &there);
    }
    free(sharing.outcomes);
    return rc ? rc : told;
}

/* One round of a search: what it may ask for next, N loads, is measured; what it asks for is told. */
static int search_round(struct telling *telling, size_t n, const double *values)
{
    struct sharing sharing;
    const int rc = share_loads(telling->loads, n, values, &sharing);
    int told = 0;
    bool there = sharing.outcomes != NULL, any = false;
    while (there && !told) {
        const double next = cw_saturation_next(telling->search);
        size_t i = 0;
        while (i < n && values[i] != next) i++;
        if (i == n) break;
        told = tell_outcome(telling, &sharing, i, &there);
        any |= there;
    }
    free(sharing.outcomes);
    return any && rc != CW_EINTERRUPTED ? told : rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

int cw_flit_loads_measure(const struct cw_flit_loads *loads, size_t n, const double *values)
{
    struct telling telling = {.loads = loads};
    int rc = 0;
    if (loads->executor) return measure_side_by_side(&telling, n, values);
    for (size_t i = 0; i < n && !rc; i++) rc = measure_one(&telling, values[i]);
    return rc;
}

int cw_flit_loads_search(const struct cw_flit_loads *loads, struct cw_saturation *search)
{
    struct telling telling = {.loads = loads, .search = search};
    double next, ahead[CW_SATURATION_AHEAD];
    const size_t room = loads->n_processes < CW_SATURATION_AHEAD ? loads->n_processes : CW_SATURATION_AHEAD;
    int rc = 0;
    if (loads->executor)
        for (size_t n; !rc && (n = cw_saturation_ahead(search, room, ahead)) > 0;)
            rc = search_round(&telling, n, ahead);
    else
        while (!rc && (next = cw_saturation_next(search)) > 0) rc = measure_one(&telling, next);
    return rc;
}
