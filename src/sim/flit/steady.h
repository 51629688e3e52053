/*
 * Steady state: what a continuous load settles to, with a confidence interval, or the word that it did not settle.
 *
 * The run is cut into equal batches of cycles. Warm-up ends, if it is to be found, when the latter half of the batches
 * so far shows no drift: the difference between its last and its first third is within the tolerance or within chance
 * (99 %), and certainly below 25 %; and not before 20,000 cycles, or 100,000 where less than 95 % of the offered load
 * is accepted. The window grows with the time that has passed, so that slow decays show. The tolerance is 1 % of the
 * mean, or until_ci if that is more.
 *
 * Measuring begins afterwards, with batches that had no part in the decision. Their interval allows for the correlation
 * of batches (sim/flit/batch_means.h), which is judged by them and by the latter half of the warm-up.
 *
 * Why so long: a saturated network with Valiant routing swings between states that last for thousands of cycles, and
 * may rest in its first one for 40,000, steadily enough for any test. A measurement that is shorter than the swings
 * cannot know of them, unless by what came before it.
 */
#ifndef CW_SIM_FLIT_STEADY_H
#define CW_SIM_FLIT_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "sim/flit/flit.h"

CW_BEGIN_DECLS

struct cw_progress;

struct cw_steady_setup {
    bool find_warmup; /* else `warmup` cycles */
    uint64_t warmup;  /* cycles before measuring; with find_warmup the most that may be spent on it (0: 400,000) */
    uint64_t cycles;  /* measured after warm-up, at least 10; with until_ci the most */
    double until_ci;  /* stop when the interval's half width is this share of the mean (0: run all cycles), at two looks
                         in a row, after 20,000 cycles and ten times correlated_cycles at least */
    double confidence;            /* 0.95, 0.99 */
    struct cw_progress *progress; /* steps in cycles; may be NULL */
};

/* One batch of the series, warm-up included. */
struct cw_steady_batch {
    uint64_t first_cycle, cycles;
    double accepted; /* share of injection bandwidth */
    double latency;  /* mean, cycles; NaN without messages */
};

/* What one job gets. */
struct cw_steady_job {
    double offered, accepted, accepted_ci95; /* shares of the injection bandwidth of its ranks that send */
    double network_latency;                  /* mean, cycles, of a flit from its injection to its end */
};

struct cw_steady_result {
    double offered, accepted;   /* shares of the injection bandwidth of the endpoints that send */
    double accepted_ci95;       /* half width of the 95 % confidence interval … */
    double accepted_ci;         /* … and of that of cw_steady_setup.confidence, which latency_ci is of, too */
    uint64_t correlated_cycles; /* shorter batches are correlated with their neighbours */
    double latency_mean, latency_ci, latency_p50, latency_p99, latency_p999; /* cycles */
    bool saturated; /* less is accepted than offered in the last third, by more than 0.1 % and chance: messages queue at
                       their sources for as long as the run lasts, which is what the latencies tell then */
    uint64_t warmup_cycles, cycles, messages, flit_hops;
    uint64_t marked, notices; /* as in struct cw_flit_window */
    double seconds;           /* of computing the measured cycles; never in results that must be reproducible */
    double drift;             /* accepted load of the last third less that of the first, as a share of the mean */
    double drift_ci;          /* what of it may be chance (99 %) */
    bool steady; /* what was measured drifts by no more than the tolerance or chance, and by less than 25 % */
    struct cw_steady_batch *batches; /* owned: cw_steady_free */
    size_t n_batches;
    struct cw_steady_job *jobs; /* one a job; owned likewise */
};

/* Which ranks of JOB ever send: SENDS has room for them all. */
CW_API int cw_steady_senders(const struct cw_flit_job *job, bool *sends);
/* Their injection bandwidth, in flits a cycle. */
CW_API int cw_steady_bandwidth(const struct cw_flit_setup *of, const struct cw_flit_job *job, double *flits);

/* A run has no more batches than this. */
CW_API size_t cw_steady_most_batches(const struct cw_steady_setup *setup);

CW_API int cw_steady_run_sized(struct cw_flit_simulation *simulation, const struct cw_flit_setup *of,
                               const struct cw_steady_setup *setup, size_t size, struct cw_steady_result *out);

/* Runs SIMULATION, made with OF for continuous jobs only (CW_EUSAGE), from cycle 0. Its counters are those of the
 * measured cycles afterwards; the caller may end the run with cw_flit_drain_and_check when they have been read. */
static inline int cw_steady_run(struct cw_flit_simulation *simulation, const struct cw_flit_setup *of,
                                const struct cw_steady_setup *setup, struct cw_steady_result *out)
{
    return cw_steady_run_sized(simulation, of, setup, sizeof *setup, out);
}
CW_API void cw_steady_free(struct cw_steady_result *result);

CW_END_DECLS

#endif
