/*
 * Predictions beside a measurement: what the simulator (sim/collective.h) makes of every split that was measured, with
 * the same ranks in the application and in the perturbation, on a given network with given routes.
 *
 * The operation is simulated by the algorithm that its name usually stands for (traffic/schedule.h: recursive doubling
 * for an allreduce), beside rounds of the same perturbation (study/bench/partners.h), each of which lasts for the whole
 * collective. Two models:
 *
 *   congestion   a message takes as long as the most messages on a channel of its route: the papers' model. It knows no
 *                sizes. What small messages lose in the queues of large ones it states as if they shared bandwidth
 *   loggp        o + L + bytes · G · congestion: bandwidth of the operation's own bytes is shared, and ranks send
 *                in order; queues are not known, so that small messages lose next to nothing
 *
 * Both predict splits in an order; their size is that of a model, and so is what they leave out: queues, congestion
 * control, ranks on one host that share its processor, other jobs.
 */
#ifndef CW_STUDY_BENCH_BENCH_PREDICTION_H
#define CW_STUDY_BENCH_BENCH_PREDICTION_H

#include "base/progress.h"
#include "base/result.h"
#include "base/trials.h"
#include "route/routes.h"
#include "sim/timing.h"
#include "study/bench/bench_analysis.h"

CW_BEGIN_DECLS

enum cw_bench_model { CW_BENCH_CONGESTION, CW_BENCH_LOGGP, CW_BENCH_MODELS };

struct cw_bench_prediction_setup {
    const struct cw_routes *routes; /* borrowed, as all */
    const uint32_t *endpoints;      /* [ranks of the run]: on which endpoint each rank is; several may be on one */
    struct cw_timing timing;        /* of loggp */
    size_t rounds;                  /* of the perturbation, for each split */
    uint64_t seed;
    unsigned n_threads;                 /* 0: all cores */
    struct cw_progress *progress;       /* steps once a round; may be NULL */
    const struct cw_executor *executor; /* who runs the rounds; NULL: threads of this process */
};

/* A split that was measured clean and perturbed. */
struct cw_bench_point {
    uint32_t case_index, split;
    double measured;                   /* slowdown: ratio of medians */
    double error;                      /* standard error of that, relative; NaN: not known */
    double predicted[CW_BENCH_MODELS]; /* mean over rounds of perturbed / clean; 1 where no message of the application
                                        * travels */
};

/* How a model agrees with what was measured on several splits. */
struct cw_bench_agreement {
    double predicted;               /* slowdown: median over splits */
    struct cw_estimate ratio;       /* of the medians, predicted / measured; the interval is from resampling splits */
    double error;                   /* median of |predicted / measured - 1| */
    double spread;                  /* standard deviation of the logarithms of what is predicted */
    struct cw_spearman correlation; /* over splits; r, and with it the rest, is NaN unless `spread` exceeds the scatter
                                     * of what was measured: else chance alone puts splits into an order */
};

/* The points of a case, or of several that differ in their ratio alone. */
struct cw_bench_agreements {
    const struct cw_bench_case *about;
    bool all_ratios;
    size_t n;                 /* points */
    double measured;          /* slowdown: median over splits */
    double scatter;           /* as of cw_bench_summary; the mean of several cases */
    enum cw_bench_model best; /* whose `error` is the least; of equal ones the first */
    struct cw_bench_agreement of[CW_BENCH_MODELS];
};

extern const char *const cw_bench_model_names[CW_BENCH_MODELS];

struct cw_bench_prediction {
    struct cw_bench_point *points; /* by case, then as measured */
    struct cw_bench_agreements *agreements;
    size_t n_points, n_agreements;
};

/* The schedule that OPERATION was carried out by in RUN, as far as that is known. Ranks that do not spin call
 * nonblocking operations, and Open MPI's (libnbc) reduce and broadcast small vectors along binomial trees, where its
 * blocking allreduce doubles. */
const char *cw_bench_schedule(const struct cw_bench_run *run, const char *operation);

/* How many splits of how many cases have something to predict. */
size_t cw_bench_prediction_points(const struct cw_bench_analysis *analysis);

/* Predicts all splits of ANALYSIS. CW_EUSAGE for an operation or a perturbation that the simulator does not know. */
int cw_bench_predict(const struct cw_bench_analysis *analysis, const struct cw_bench_prediction_setup *setup,
                     struct cw_bench_prediction *out);
void cw_bench_prediction_free(struct cw_bench_prediction *prediction);

/* Adds the tables "prediction" (a row a split) and "agreement", and notes. */
int cw_bench_prediction_report(const struct cw_bench_analysis *analysis, const struct cw_bench_prediction *prediction,
                               struct cw_result *result);

/* ENDPOINTS[run->n_ranks] gets on which endpoint of NET each rank of RUN is. Line by line the file MAP says "HOST
 * ENDPOINT", where ENDPOINT is a name, a GUID or an id, and '#' begins a comment; hosts that it does not list, or all
 * with a MAP of NULL, are the endpoints of their own name, without a domain if need be, or the only one whose name
 * begins with that word ("node7" is "node7 HCA-1"). CW_EUSAGE for a host that is none of these, CW_EPARSE for a wrong
 * line. */
int cw_bench_hosts(const struct cw_bench_run *run, const struct cw_network *net, const char *map, uint32_t *endpoints);

CW_END_DECLS

#endif
