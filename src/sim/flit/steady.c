#include "sim/flit/steady.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/setup.h"
#include "base/stopwatch.h"
#include "sim/flit/batch_means.h"
#include "sim/flit/steady_jobs.h"

#define BATCH_CYCLES     200
#define LEAST_BATCHES    40     /* of a measurement, if it has so many cycles */
#define PRECISE_LEAST    20000  /* cycles before a measurement may be precise enough */
#define PRECISE_GROUPS   10     /* batches long enough to be independent that it must have then */
#define PRECISE_LOOKS    2      /* looks in a row at which it must be so: one may be chance, as many as there are */
#define WARMUP_LEAST     20000  /* cycles before warm-up may be over */
#define WARMUP_SATURATED 100000 /* … where the network is saturated: Valiant may rest for 40,000 before it decays */
#define WARMUP_LIMIT     400000 /* … is over */

static const double TOLERANCE = 0.01;
static const double SATURATED = 0.95;  /* accepted of offered load, below which the network is */
static const double MOST_DRIFT = 0.25; /* of what may pass for chance */
static const double DRIFT_CONFIDENCE = 0.99;
static const double SHORT = 0.001;  /* of the offered load: less than this may be missing */
static const double DEVIATIONS = 3; /* … and so many standard deviations of what is drawn */

/* A run in progress. */
struct run {
    struct cw_flit_simulation *simulation;
    const struct cw_steady_setup *setup;
    double bandwidth, offered;      /* flits that the senders could inject in a cycle, and the part they offer */
    double spread;                  /* at most the variance of n messages' flits, in (n mean lengths)²/n */
    uint64_t batch;                 /* cycles */
    struct cw_flit_window *windows; /* the batches so far, */
    size_t n, capacity;
    double *accepted; /* … and their accepted loads; room for `capacity` */
    struct cw_steady_jobs *jobs;
};

/* The variance that drawing adds to the flits of N messages of JOB, as a share of (N mean lengths)² / N: messages begin
 * at random, less so the higher the load, and have random lengths. */
static double spread_of(const struct cw_flit_job *job)
{
    const double mean = cw_flit_mean_message(job);
    double shares = 0, squares = 0;
    for (size_t i = 0; i < job->n_sizes; i++) {
        shares += job->sizes[i].share;
        squares += job->sizes[i].share * job->sizes[i].flits * job->sizes[i].flits;
    }
    return (1 - job->load) * (job->n_sizes > 0 ? squares / shares / (mean * mean) : 1);
}

static int begin(struct run *run, const struct cw_flit_setup *of)
{
    double all = 0, load = 0;
    for (size_t i = 0; i < of->n_jobs; i++)
        if (of->jobs[i].kind != CW_FLIT_CONTINUOUS)
            return cw_fail(CW_EUSAGE, "job %zu ends by itself; a steady state is of continuous jobs only", i);
    cw_flit_reset_counters(run->simulation);
    const int rc = cw_steady_jobs_new(run->simulation, of, &run->jobs);
    if (rc) return rc;
    for (size_t i = 0; i < of->n_jobs; i++) {
        const double more = cw_steady_jobs_bandwidth(run->jobs, i);
        if (more <= 0) return cw_fail(CW_EUSAGE, "no rank of job %zu sends; there is no load to be accepted", i);
        all += more;
        load += more * of->jobs[i].load;
        run->spread = fmax(run->spread, spread_of(&of->jobs[i]));
    }
    run->bandwidth = all;
    run->offered = load / all;
    return 0;
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

static uint64_t batch_of(const struct cw_steady_setup *setup)
{
    const uint64_t share = setup->cycles / LEAST_BATCHES;
    return share > BATCH_CYCLES ? BATCH_CYCLES : share > 0 ? share : 1;
}

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
    return cw_steady_jobs_add(run->jobs, cycles);
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

/* The first batch of those by which to judge how the batches from FROM on scatter: half of what went before, for a
 * state may rest for longer than it is measured, and look more certain than it is. */
static size_t scatter_from(size_t from)
{
    return from / 2;
}

/* Mean and drift of the batches from FROM on. */
static int find_means(const struct run *run, size_t from, double confidence, struct cw_batch_means *out)
{
    const size_t before = scatter_from(from);
    return cw_batch_means(run->accepted + before, run->n - before, from - before, confidence, out);
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
    const size_t from = run->n / 2;
    struct cw_batch_means means;
    const int rc = cw_batch_means(run->accepted + from, run->n - from, 0, DRIFT_CONFIDENCE, &means);
    if (rc) return rc;
    const bool saturated = means.mean < SATURATED * run->offered;
    *out = !is_drift_seen(run, &means) && (!saturated || run->n * run->batch >= WARMUP_SATURATED);
    return 0;
}

static uint64_t most_warmup(const struct cw_steady_setup *setup)
{
    return setup->find_warmup && setup->warmup == 0 ? WARMUP_LIMIT : setup->warmup;
}

static int warm_up(struct run *run)
{
    const struct cw_steady_setup *setup = run->setup;
    uint64_t left = most_warmup(setup);
    size_t look = WARMUP_LEAST / run->batch;
    bool settled = false;
    int rc = 0;
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
    const int rc = find_means(run, from, run->setup->confidence, &means);
    if (rc) return rc;
    *out = means.half_width <= run->setup->until_ci * means.mean && run->n - from >= PRECISE_GROUPS * means.joined;
    return 0;
}

/* From batch FROM on. */
static int measure(struct run *run, size_t from)
{
    uint64_t left = run->setup->cycles;
    size_t look = PRECISE_LEAST / run->batch;
    unsigned looks = 0; /* at which it was precise, one after another */
    int rc = 0;
    cw_flit_reset_counters(run->simulation);
    cw_steady_jobs_reset(run->jobs);
    while (left > 0 && looks < PRECISE_LOOKS && !rc) {
        const uint64_t cycles = next_batch(run, left);
        rc = run_batch(run, cycles);
        left -= cycles;
        if (rc || run->setup->until_ci <= 0 || run->n - from < look) continue;
        bool precise;
        rc = is_precise(run, from, &precise);
        if (!rc) looks = precise ? looks + 1 : 0;
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
    const int rc = cw_batch_means(excess, n, 0, run->setup->confidence, &means);
    free(excess);
    if (rc) return rc;
    out->latency_mean = mean;
    out->latency_ci = means.half_width * (double)n / (double)out->messages;
    return 0;
}

/* By the last third of the batches from FROM on: what was short before it may have been filling up. */
static bool is_saturated(const struct run *run, size_t from)
{
    double cycles = 0, accepted = 0, messages = 0;
    for (size_t i = run->n - (run->n - from) / 3; i < run->n; i++) {
        cycles += (double)run->windows[i].cycles;
        accepted += (double)run->windows[i].accepted_flits;
        messages += (double)run->windows[i].messages;
    }
    const double chance = DEVIATIONS * sqrt(run->spread / (messages + 1));
    return run->offered - accepted / (cycles * run->bandwidth) > fmax(SHORT, chance) * run->offered;
}

static int summarise_load(const struct run *run, size_t from, struct cw_steady_result *out)
{
    struct cw_batch_means means, wide, drift;
    int rc = find_means(run, from, 0.95, &means);
    if (!rc) rc = find_means(run, from, run->setup->confidence, &wide);
    if (!rc) rc = find_means(run, from, DRIFT_CONFIDENCE, &drift);
    if (rc) return rc;
    uint64_t accepted = 0;
    for (size_t i = from; i < run->n; i++) accepted += run->windows[i].accepted_flits;
    out->offered = run->offered;
    out->accepted = (double)accepted / ((double)out->cycles * run->bandwidth);
    out->saturated = is_saturated(run, from);
    out->accepted_ci95 = means.half_width;
    out->accepted_ci = wide.half_width;
    out->correlated_cycles = means.joined * run->batch;
    out->drift = means.mean > 0 ? drift.drift / means.mean : 0;
    out->drift_ci = means.mean > 0 ? drift.drift_half_width / means.mean : 0;
    out->steady = !is_drift_seen(run, &drift);
    return 0;
}

static int summarise(const struct run *run, size_t from, struct cw_steady_result *out)
{
    for (size_t i = 0; i < run->n; i++) *(i < from ? &out->warmup_cycles : &out->cycles) += run->windows[i].cycles;
    for (size_t i = from; i < run->n; i++) {
        out->messages += run->windows[i].messages;
        out->flit_hops += run->windows[i].flit_hops;
        out->marked += run->windows[i].marked;
        out->notices += run->windows[i].notices;
    }
    out->latency_p50 = cw_flit_latency_quantile(run->simulation, 0.5);
    out->latency_p99 = cw_flit_latency_quantile(run->simulation, 0.99);
    out->latency_p999 = cw_flit_latency_quantile(run->simulation, 0.999);
    const int rc = summarise_load(run, from, out);
    return rc ? rc : summarise_latency(run, from, out);
}

static int list_jobs(const struct run *run, size_t n_jobs, size_t from, struct cw_steady_result *out)
{
    out->jobs = cw_new_array(n_jobs, sizeof *out->jobs, "figures of jobs");
    return out->jobs ? cw_steady_jobs_summarise(run->jobs, scatter_from(from), from, out->jobs) : CW_ENOMEM;
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

static int run_all(struct run *run, const struct cw_flit_setup *of, struct cw_steady_result *result)
{
    run->batch = batch_of(run->setup);
    int rc = begin(run, of);
    if (!rc) rc = warm_up(run);
    const size_t from = run->n;
    const double start = cw_stopwatch_now();
    if (!rc) rc = measure(run, from);
    result->seconds = cw_stopwatch_now() - start;
    if (!rc) rc = summarise(run, from, result);
    if (!rc) rc = list_jobs(run, of->n_jobs, from, result);
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

size_t cw_steady_most_batches(const struct cw_steady_setup *setup)
{
    const uint64_t batch = batch_of(setup);
    return (size_t)(most_warmup(setup) / batch + setup->cycles / batch + 2);
}

int cw_steady_run_sized(struct cw_flit_simulation *simulation, const struct cw_flit_setup *of,
                        const struct cw_steady_setup *given, size_t size, struct cw_steady_result *out)
{
    struct cw_steady_setup whole;
    const struct cw_steady_setup *setup = &whole;
    const int read = cw_setup_read(given, size, &whole, sizeof whole);
    if (read) return read;
    struct run run = {.simulation = simulation, .setup = setup};
    struct cw_steady_result result = {0};
    int rc = check_setup(setup);
    if (!rc) rc = run_all(&run, of, &result);
    cw_steady_jobs_free(run.jobs);
    free(run.windows);
    free(run.accepted);
    if (rc)
        cw_steady_free(&result);
    else
        *out = result;
    return rc;
}

void cw_steady_free(struct cw_steady_result *result)
{
    if (!result) return;
    free(result->batches);
    free(result->jobs);
    result->batches = NULL;
    result->n_batches = 0;
    result->jobs = NULL;
}
