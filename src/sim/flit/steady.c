#include "sim/flit/steady.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/flit/batch_means.h"

#define BATCH_CYCLES  200
#define LEAST_BATCHES 40     /* of a measurement, if it has so many cycles, and before it is precise enough */
#define WARMUP_LEAST  20000  /* cycles before warm-up may be over: saturated Valiant seems steady from 3,000 to 6,000 */
#define WARMUP_LIMIT  400000 /* … is over */
#define PROBES        8      /* destinations drawn to see whether a rank sends at all */

static const double TOLERANCE = 0.01;
static const double MOST_DRIFT = 0.1; /* of what may pass for chance */
static const double DRIFT_CONFIDENCE = 0.99;

/* A run in progress. */
struct run {
    struct cw_flit_simulation *simulation;
    const struct cw_steady_setup *setup;
    double bandwidth;               /* flits that the senders could inject in a cycle */
    uint64_t batch;                 /* cycles */
    struct cw_flit_window *windows; /* the batches so far, */
    size_t n, capacity;
    double *accepted; /* … and their accepted loads; room for `capacity` */
};

/* --- who sends ---------------------------------------------------------------------------------------------------- */

/* True if RANK ever sends; drawing a few destinations spares most workloads the list of all. */
static int ever_sends(const struct cw_workload *workload, uint32_t rank, bool *out)
{
    struct cw_flows flows = {0};
    *out = true;
    for (uint64_t k = 0; k < PROBES; k++)
        if (cw_workload_destination(workload, rank, cw_random_hash(rank, k)) != rank) return 0;
    const int rc = cw_workload_flows_of(workload, rank, &flows);
    *out = false;
    for (size_t i = 0; i < flows.n; i++) *out |= flows.items[i].dst != rank;
    cw_flows_free(&flows);
    return rc;
}

/* Adds the injection bandwidth of JOB's senders, in flits a cycle. */
static int add_bandwidth(const struct cw_flit_setup *of, const struct cw_flit_job *job, double *bandwidth)
{
    const struct cw_network *net = cw_packet_routing_network(of->routing);
    int rc = 0;
    for (uint32_t r = 0; r < job->n_ranks && !rc; r++) {
        bool sends;
        rc = ever_sends(job->workload, r, &sends);
        if (!rc && sends) *bandwidth += net->capacity[net->first[job->endpoints[r]]] / of->hardware.reference_capacity;
    }
    return rc;
}

static int find_bandwidth(const struct cw_flit_setup *of, double *bandwidth, double *offered)
{
    double all = 0, load = 0;
    for (size_t i = 0; i < of->n_jobs; i++) {
        double more = 0;
        if (of->jobs[i].kind != CW_FLIT_CONTINUOUS)
            return cw_fail(CW_EUSAGE, "job %zu ends by itself; a steady state is of continuous jobs only", i);
        const int rc = add_bandwidth(of, &of->jobs[i], &more);
        if (rc) return rc;
        all += more;
        load += more * of->jobs[i].load;
    }
    if (all <= 0) return cw_fail(CW_EUSAGE, "no rank of any job sends; there is no load to be accepted");
    *bandwidth = all;
    *offered = load / all;
    return 0;
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

static int make_room(struct run *run)
{
    if (run->n < run->capacity) return 0;
    void *windows = run->windows, *accepted = run->accepted;
    size_t for_windows = run->capacity, for_accepted = run->capacity;
    int rc = cw_grow_array(&windows, &for_windows, run->n + 1, sizeof *run->windows, "batches");
    run->windows = windows;
    if (!rc) rc = cw_grow_array(&accepted, &for_accepted, run->n + 1, sizeof *run->accepted, "batches");
    run->accepted = accepted;
    if (!rc) run->capacity = for_windows < for_accepted ? for_windows : for_accepted;
    return rc;
}

static int run_batch(struct run *run, uint64_t cycles)
{
    int rc = make_room(run);
    if (!rc) rc = cw_flit_run(run->simulation, cycles, &run->windows[run->n]);
    if (rc) return rc;
    run->accepted[run->n] = (double)run->windows[run->n].accepted_flits / ((double)cycles * run->bandwidth);
    run->n++;
    cw_progress_step(run->setup->progress, cycles);
    return 0;
}

/* The next batch of LEFT cycles: all of them if another whole batch would not fit. */
static uint64_t next_batch(const struct run *run, uint64_t left)
{
    return left < 2 * run->batch ? left : run->batch;
}

static double tolerance_of(const struct cw_steady_setup *setup)
{
    return fmax(TOLERANCE, setup->until_ci);
}

/* The number of batches after N at which to look again: not at each, or chance would have the last word. */
static size_t next_look(size_t n)
{
    return n + n / 8 + 1;
}

/* --- warm-up ------------------------------------------------------------------------------------------------------ */

/* What drifts in the batches from FROM on. */
static int find_drift(const struct run *run, size_t from, struct cw_batch_means *out)
{
    return cw_batch_means(run->accepted + from, run->n - from, DRIFT_CONFIDENCE, out);
}

/* True if the drift is more than the tolerance and more than chance; or so much that it is too noisy to tell. */
static bool is_drift_seen(const struct run *run, const struct cw_batch_means *means)
{
    const double drift = fabs(means->drift);
    return drift > MOST_DRIFT * means->mean ||
           drift > fmax(means->drift_half_width, tolerance_of(run->setup) * means->mean);
}

static int has_settled(const struct run *run, bool *out)
{
    struct cw_batch_means means;
    const int rc = find_drift(run, run->n / 2, &means);
    if (rc) return rc;
    *out = !is_drift_seen(run, &means) && fabs(means.drift) + means.drift_half_width <= MOST_DRIFT * means.mean;
    return 0;
}

static int warm_up(struct run *run)
{
    const struct cw_steady_setup *setup = run->setup;
    uint64_t left = setup->find_warmup && setup->warmup == 0 ? WARMUP_LIMIT : setup->warmup;
    size_t look = WARMUP_LEAST / BATCH_CYCLES;
    bool settled = false;
    int rc = 0;
    run->batch = BATCH_CYCLES;
    while (left > 0 && !settled && !rc) {
        const uint64_t cycles = next_batch(run, left);
        rc = run_batch(run, cycles);
        left -= cycles;
        if (rc || !setup->find_warmup || run->n < look) continue;
        rc = has_settled(run, &settled);
        look = next_look(run->n);
    }
    return rc;
}

/* --- measurement -------------------------------------------------------------------------------------------------- */

static int is_precise(const struct run *run, size_t from, bool *out)
{
    struct cw_batch_means means;
    const int rc = cw_batch_means(run->accepted + from, run->n - from, run->setup->confidence, &means);
    if (!rc) *out = means.half_width <= run->setup->until_ci * means.mean;
    return rc;
}

/* From batch FROM on. */
static int measure(struct run *run, size_t from)
{
    const uint64_t share = run->setup->cycles / LEAST_BATCHES;
    uint64_t left = run->setup->cycles;
    size_t look = LEAST_BATCHES;
    bool precise = false;
    int rc = 0;
    run->batch = share > BATCH_CYCLES ? BATCH_CYCLES : share > 0 ? share : 1;
    cw_flit_reset_counters(run->simulation);
    while (left > 0 && !precise && !rc) {
        const uint64_t cycles = next_batch(run, left);
        rc = run_batch(run, cycles);
        left -= cycles;
        if (rc || run->setup->until_ci <= 0 || run->n - from < look) continue;
        rc = is_precise(run, from, &precise);
        look = next_look(run->n - from);
    }
    return rc;
}

/* --- the result --------------------------------------------------------------------------------------------------- */

/* The mean latency is a ratio of two sums; its error is that of their difference from the right ratio (W. G. Cochran,
 * "Sampling techniques", chapter 6). */
static int summarise_latency(const struct run *run, size_t from, struct cw_steady_result *out)
{
    const size_t n = run->n - from;
    const struct cw_flit_window *windows = run->windows + from;
    double sum = 0;
    out->latency_mean = out->latency_ci = NAN;
    if (out->messages == 0) return 0;
    double *excess = cw_new_array(n, sizeof *excess, "latencies of batches");
    if (!excess) return CW_ENOMEM;
    for (size_t i = 0; i < n; i++) sum += (double)windows[i].latency_sum;
    const double mean = sum / (double)out->messages;
    for (size_t i = 0; i < n; i++) excess[i] = (double)windows[i].latency_sum - mean * (double)windows[i].messages;
    struct cw_batch_means means;
    const int rc = cw_batch_means(excess, n, run->setup->confidence, &means);
    free(excess);
    if (rc) return rc;
    out->latency_mean = mean;
    out->latency_ci = means.half_width * (double)n / (double)out->messages;
    return 0;
}

static int summarise(const struct run *run, size_t from, struct cw_steady_result *out)
{
    struct cw_batch_means means, drift;
    uint64_t accepted = 0;
    int rc = cw_batch_means(run->accepted + from, run->n - from, run->setup->confidence, &means);
    if (!rc) rc = find_drift(run, from, &drift);
    if (rc) return rc;
    for (size_t i = 0; i < run->n; i++) *(i < from ? &out->warmup_cycles : &out->cycles) += run->windows[i].cycles;
    for (size_t i = from; i < run->n; i++) {
        accepted += run->windows[i].accepted_flits;
        out->messages += run->windows[i].messages;
        out->flit_hops += run->windows[i].flit_hops;
    }
    out->accepted = (double)accepted / ((double)out->cycles * run->bandwidth);
    out->accepted_ci = means.half_width;
    out->drift = means.mean > 0 ? means.drift / means.mean : 0;
    out->steady = !is_drift_seen(run, &drift);
    out->latency_p50 = cw_flit_latency_quantile(run->simulation, 0.5);
    out->latency_p99 = cw_flit_latency_quantile(run->simulation, 0.99);
    out->latency_p999 = cw_flit_latency_quantile(run->simulation, 0.999);
    return summarise_latency(run, from, out);
}

static int list_batches(const struct run *run, struct cw_steady_result *out)
{
    out->batches = cw_new_array(run->n, sizeof *out->batches, "batches");
    if (!out->batches) return CW_ENOMEM;
    out->n_batches = run->n;
    for (size_t i = 0; i < run->n; i++) {
        const struct cw_flit_window *window = &run->windows[i];
        out->batches[i] = (struct cw_steady_batch){
            .first_cycle = window->first_cycle,
            .cycles = window->cycles,
            .accepted = run->accepted[i],
            .latency = window->messages ? (double)window->latency_sum / (double)window->messages : NAN,
        };
    }
    return 0;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int run_all(struct run *run, struct cw_steady_result *result)
{
    int rc = warm_up(run);
    const size_t from = run->n;
    const double begin = seconds_now();
    if (!rc) rc = measure(run, from);
    result->seconds = seconds_now() - begin;
    if (!rc) rc = summarise(run, from, result);
    return rc ? rc : list_batches(run, result);
}

static int check_setup(const struct cw_steady_setup *setup)
{
    if (setup->cycles < CW_BATCH_MEANS_LEAST)
        return cw_fail(CW_EUSAGE, "%llu cycles to be measured; at least %d are needed",
                       (unsigned long long)setup->cycles, CW_BATCH_MEANS_LEAST);
    if (!(setup->confidence > 0 && setup->confidence < 1))
        return cw_fail(CW_EUSAGE, "a confidence level of %g; it must be between 0 and 1, such as 0.95",
                       setup->confidence);
    return 0;
}

int cw_steady_run(struct cw_flit_simulation *simulation, const struct cw_flit_setup *of,
                  const struct cw_steady_setup *setup, struct cw_steady_result *out)
{
    struct run run = {.simulation = simulation, .setup = setup};
    struct cw_steady_result result = {0};
    int rc = check_setup(setup);
    if (!rc) rc = find_bandwidth(of, &run.bandwidth, &result.offered);
    if (!rc) rc = run_all(&run, &result);
    free(run.windows);
    free(run.accepted);
    if (!rc) *out = result;
    return rc;
}

void cw_steady_free(struct cw_steady_result *result)
{
    if (!result) return;
    free(result->batches);
    result->batches = NULL;
    result->n_batches = 0;
}
