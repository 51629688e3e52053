/*
 * Steady state: what a continuous load settles to, with a confidence interval, or the word that it did not settle.
 *
 * The run is cut into equal batches of cycles. Warm-up ends, if it is to be found, when the latter half of the batches
 * so far, 20,000 cycles or more, shows no drift: the difference between its last and its first third is within the
 * tolerance or within chance (99 %), and certainly below 10 %. The window grows with the time that has passed, so that
 * slow decays show. Measuring begins afterwards, with batches that had no part in the decision; their interval allows
 * for the correlation of neighbours (sim/flit/batch_means.h), as far as the series is long enough to show it. The
 * tolerance is 1 % of the mean, or until_ci if that is more.
 *
 * Saturated Valiant routing decays for tens of thousands of cycles: .474 of injection bandwidth after 3,000 cycles,
 * .426 after 45,000, on dragonfly:4,8,4; a fixed short warm-up reports the former.
 */
#ifndef CW_SIM_FLIT_STEADY_H
#define CW_SIM_FLIT_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress.h"
#include "sim/flit/flit.h"

CW_BEGIN_DECLS

struct cw_steady_setup {
    bool find_warmup;  /* else `warmup` cycles */
    uint64_t warmup;   /* cycles before measuring; with find_warmup the most that may be spent on it (0: 400,000) */
    uint64_t cycles;   /* measured after warm-up, at least 10; with until_ci the most */
    double until_ci;   /* stop when the interval's half width is this share of the mean (0: run all cycles) */
    double confidence; /* 0.95, 0.99 */
    struct cw_progress *progress; /* steps in cycles; may be NULL */
};

/* One batch of the series, warm-up included. */
struct cw_steady_batch {
    uint64_t first_cycle, cycles;
    double accepted; /* share of injection bandwidth */
    double latency;  /* mean, cycles; NaN without messages */
};

struct cw_steady_result {
    double offered, accepted, accepted_ci; /* shares of the injection bandwidth of the endpoints that send */
    double latency_mean, latency_ci, latency_p50, latency_p99, latency_p999; /* cycles */
    uint64_t warmup_cycles, cycles, messages, flit_hops;
    double seconds; /* of computing the measured cycles; never in results that must be reproducible */
    double drift;   /* accepted load of the last third less that of the first, as a share of the mean */
    bool steady;    /* what was measured drifts by no more than the tolerance or chance, and by less than 10 % */
    struct cw_steady_batch *batches; /* owned: cw_steady_free */
    size_t n_batches;
};

/* Runs SIMULATION, made with OF for continuous jobs only (CW_EUSAGE), from where it is. Its counters are those of the
 * measured cycles afterwards; the caller ends the run with cw_flit_drain_and_check when they have been read. */
int cw_steady_run(struct cw_flit_simulation *simulation, const struct cw_flit_setup *of,
                  const struct cw_steady_setup *setup, struct cw_steady_result *out);
void cw_steady_free(struct cw_steady_result *result);

CW_END_DECLS

#endif
