#include "study/flit/flit_case.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/dragonfly_model.h"
#include "model/link_load.h"
#include "net/network_internal.h"
#include "traffic/placement.h"

#define DRAIN_PART 10 /* of a run is what checking its books may take */

int cw_flit_placement_order(const char *spec, const struct cw_network *net, const struct cw_selection *selection,
                            uint64_t seed, uint64_t trial, uint32_t *n, uint32_t **order)
{
    struct cw_placement *placement;
    struct cw_random random = cw_random_of(seed, CW_STREAM_PLACEMENT, trial);
    int rc = cw_placement_new(spec, net, selection, &placement);
    if (rc) return rc;
    uint32_t *endpoints = cw_new_array(cw_placement_count(placement), sizeof *endpoints, "a placement");
    rc = endpoints ? cw_placement_order(placement, &random, endpoints) : CW_ENOMEM;
    if (!rc) {
        *n = cw_placement_count(placement);
        *order = endpoints;
    } else {
        free(endpoints);
    }
    cw_placement_free(placement);
    return rc;
}

int cw_flit_workload_new(const char *traffic, const char *placement, const struct cw_network *net,
                         const struct cw_selection *selection, uint32_t n, const uint32_t *endpoints, uint64_t seed,
                         struct cw_workload **out)
{
    struct cw_placement *placed;
    struct cw_ranks ranks;
    uint32_t *numbers;
    int rc = cw_placement_new(placement, net, selection, &placed);
    if (rc) return rc;
    cw_ranks_of(net, n, &ranks);
    ranks.net = net;
    ranks.endpoints = endpoints;
    rc = cw_placement_numbers(placed, &ranks, &numbers);
    if (!rc) rc = cw_workload_new(traffic, &ranks, seed, out);
    free(numbers);
    cw_placement_free(placed);
    return rc;
}

int cw_flit_case_make(struct cw_flit_case *made)
{
    made->workload = NULL;
    made->endpoints = NULL;
    int rc = cw_flit_placement_order(made->placement_spec, made->net, made->selection, made->seed, 0, &made->n_ranks,
                                     &made->endpoints);
    if (rc) return rc;
    rc = cw_flit_workload_new(made->traffic_spec, made->placement_spec, made->net, made->selection, made->n_ranks,
                              made->endpoints, made->seed, &made->workload);
    if (rc) cw_flit_case_free(made);
    return rc;
}

void cw_flit_case_free(struct cw_flit_case *made)
{
    cw_workload_free(made->workload);
    free(made->endpoints);
    made->workload = NULL;
    made->endpoints = NULL;
}

/* The paper's model is of valiant-restricted and of traffic from group to group. */
static double estimate_of(const struct cw_flit_case *made)
{
    struct cw_dragonfly_model model;
    if (strcmp(cw_packet_routing_name(made->routing), "valiant-restricted") != 0 ||
        cw_dragonfly_model_compute(made->net, made->workload, made->endpoints, &model) != 0)
        return (double)NAN;
    return model.estimate;
}

int cw_flit_case_models(const struct cw_flit_case *made, const double *loads, size_t n, struct cw_flit_model *models)
{
    const double estimate = estimate_of(made);
    struct cw_link_load load;
    int rc = cw_link_load_compute(made->routing, made->workload, made->endpoints, made->n_threads, &load);
    for (size_t i = 0; i < n; i++) models[i] = (struct cw_flit_model){.estimate = estimate, .bound = (double)NAN};
    if (rc) return rc == CW_ELIMIT ? 0 : rc; /* it would take too long */
    for (size_t i = 0; i < n && !rc; i++) rc = cw_link_load_most(&load, loads[i], made->n_threads, &models[i].bound);
    cw_link_load_free(&load);
    return rc;
}

int cw_flit_case_model(const struct cw_flit_case *made, struct cw_flit_model *model)
{
    const double full = 1;
    return cw_flit_case_models(made, &full, 1, model);
}

static void describe(const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                     const struct cw_flit_job *jobs, size_t n_jobs, struct cw_flit_measurement *run)
{
    const struct cw_flit_job job = run->job;
    *run = (struct cw_flit_measurement){.job = job};
    run->setup = (struct cw_flit_setup){.routing = made->routing,
                                        .hardware = *hardware,
                                        .jobs = jobs,
                                        .n_jobs = n_jobs,
                                        .seed = made->seed,
                                        .n_threads = made->n_threads,
                                        .allow_deadlock = made->allow_deadlock};
}

static struct cw_flit_job job_of(const struct cw_flit_case *made, const struct cw_flit_messages *messages, double load)
{
    return (struct cw_flit_job){.kind = CW_FLIT_CONTINUOUS,
                                .n_ranks = made->n_ranks,
                                .endpoints = made->endpoints,
                                .workload = made->workload,
                                .load = load,
                                .message_flits = messages->flits,
                                .sizes = messages->sizes,
                                .n_sizes = messages->n_sizes};
}

static size_t count_counters(const struct cw_network *net)
{
    return (size_t)net->n_channels + 2 * (size_t)net->n_endpoints + CW_FLIT_LATENCY_BINS;
}

static int make_counters(const struct cw_network *net, struct cw_flit_measurement *run)
{
    run->channel_flits = cw_new_array(count_counters(net), sizeof *run->channel_flits, "counters");
    if (!run->channel_flits) return CW_ENOMEM;
    run->injected_by = run->channel_flits + net->n_channels;
    run->accepted_by = run->injected_by + net->n_endpoints;
    run->latencies = run->accepted_by + net->n_endpoints;
    return 0;
}

static int copy_counters(const struct cw_network *net, struct cw_flit_simulation *simulation,
                         struct cw_flit_measurement *run)
{
    const int rc = make_counters(net, run);
    if (rc) return rc;
    memcpy(run->channel_flits, cw_flit_channel_flits(simulation), net->n_channels * sizeof *run->channel_flits);
    memcpy(run->injected_by, cw_flit_injected_by(simulation), net->n_endpoints * sizeof *run->injected_by);
    memcpy(run->accepted_by, cw_flit_accepted_by(simulation), net->n_endpoints * sizeof *run->accepted_by);
    memcpy(run->latencies, cw_flit_latency_histogram(simulation), CW_FLIT_LATENCY_BINS * sizeof *run->latencies);
    return 0;
}

int cw_flit_case_end(struct cw_flit_simulation *simulation, uint64_t cycles, bool may_be_stuck)
{
    return may_be_stuck ? cw_flit_drain_and_check(simulation) : cw_flit_drain_within(simulation, cycles / DRAIN_PART);
}

int cw_flit_case_measure_jobs(const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                              const struct cw_flit_job *jobs, size_t n_jobs, const struct cw_steady_setup *steady,
                              struct cw_flit_measurement *run)
{
    struct cw_flit_simulation *simulation = NULL;
    describe(made, hardware, jobs, n_jobs, run);
    int rc = cw_flit_new(&run->setup, &simulation);
    if (!rc) rc = cw_steady_run(simulation, &run->setup, steady, &run->steady);
    if (!rc) rc = copy_counters(made->net, simulation, run);
    if (!rc) rc = cw_flit_case_end(simulation, run->steady.warmup_cycles + run->steady.cycles, made->allow_deadlock);
    cw_flit_free(simulation);
    return rc;
}

int cw_flit_case_measure(const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                         const struct cw_flit_messages *messages, double load, const struct cw_steady_setup *steady,
                         struct cw_flit_measurement *run)
{
    run->job = job_of(made, messages, load);
    return cw_flit_case_measure_jobs(made, hardware, &run->job, 1, steady, run);
}

void cw_flit_measurement_free(struct cw_flit_measurement *run)
{
    cw_steady_free(&run->steady);
    free(run->channel_flits);
    *run = (struct cw_flit_measurement){.channel_flits = NULL};
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* What a record begins with; then jobs, counters and batches. */
struct record {
    struct cw_steady_result steady; /* its pointers mean nothing */
    uint64_t n_jobs, n_counters;
};

size_t cw_flit_record_size(const struct cw_flit_case *made, const struct cw_steady_setup *setup, size_t n_jobs,
                           bool series)
{
    return sizeof(struct record) + n_jobs * sizeof(struct cw_steady_job) +
           count_counters(made->net) * sizeof(uint64_t) +
           (series ? cw_steady_most_batches(setup) * sizeof(struct cw_steady_batch) : 0);
}

static char *put(char *to, const void *items, size_t size)
{
    memcpy(to, items, size);
    return to + size;
}

void cw_flit_record_write(const struct cw_flit_measurement *run, size_t size, void *to)
{
    struct record record = {.steady = run->steady, .n_jobs = run->setup.n_jobs};
    record.n_counters = (size_t)(run->latencies - run->channel_flits) + CW_FLIT_LATENCY_BINS;
    const size_t jobs = record.n_jobs * sizeof *run->steady.jobs;
    const size_t counters = record.n_counters * sizeof *run->channel_flits;
    const size_t room = (size - sizeof record - jobs - counters) / sizeof *run->steady.batches;
    if (record.steady.n_batches > room) record.steady.n_batches = 0;
    char *at = put(to, &record, sizeof record);
    at = put(at, run->steady.jobs, jobs);
    at = put(at, run->channel_flits, counters);
    put(at, run->steady.batches, record.steady.n_batches * sizeof *run->steady.batches);
}

bool cw_flit_record_is_there(const void *record)
{
    return ((const struct record *)record)->n_jobs > 0;
}

int cw_flit_record_read(const void *from, const struct cw_flit_case *made, const struct cw_flit_hardware *hardware,
                        const struct cw_flit_messages *messages, double load, struct cw_flit_measurement *run)
{
    const struct record *record = from;
    const char *at = (const char *)(record + 1);
    run->job = job_of(made, messages, load);
    describe(made, hardware, &run->job, 1, run);
    struct cw_steady_result *steady = &run->steady;
    *steady = record->steady;
    steady->jobs = cw_new_array(record->n_jobs, sizeof *steady->jobs, "figures of jobs");
    steady->batches = cw_new_array(steady->n_batches, sizeof *steady->batches, "batches");
    if (!steady->jobs || !steady->batches) return CW_ENOMEM;
    const int rc = make_counters(made->net, run);
    if (rc) return rc;
    memcpy(steady->jobs, at, record->n_jobs * sizeof *steady->jobs);
    at += record->n_jobs * sizeof *steady->jobs;
    memcpy(run->channel_flits, at, record->n_counters * sizeof *run->channel_flits);
    at += record->n_counters * sizeof *run->channel_flits;
    memcpy(steady->batches, at, steady->n_batches * sizeof *steady->batches);
    return 0;
}

/* --- fairness ----------------------------------------------------------------------------------------------------- */

#define MESSAGES_LEAST 30 /* that a sender must have had, on average, to be called starved */

struct cw_shares cw_shares_of(const double *values, size_t n)
{
    struct cw_shares shares = {.n = n, .least = (double)INFINITY};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        shares.least = fmin(shares.least, values[i]);
        shares.most = fmax(shares.most, values[i]);
        sum += values[i];
        squares += values[i] * values[i];
    }
    shares.mean = sum / (double)n;
    shares.jain = sum * sum / (squares * (double)n);
    if (n == 0) shares.least = shares.most = (double)NAN;
    return shares;
}

/* Appends what the senders of JOB injected to SHARES [*N], and those that starve to FAIRNESS. */
static int add_senders(const struct cw_flit_measurement *run, const struct cw_flit_job *job, double *shares, size_t *n,
                       struct cw_fairness *fairness)
{
    const uint64_t *injected = run->injected_by;
    const double cycles = (double)run->steady.cycles;
    const bool enough = job->load * cycles >= MESSAGES_LEAST * cw_flit_mean_message(job);
    bool *sends = cw_new_array(job->n_ranks, sizeof *sends, "ranks that send");
    if (!sends) return CW_ENOMEM;
    const int rc = cw_steady_senders(job, sends);
    for (uint32_t r = 0; r < job->n_ranks && !rc; r++) {
        if (!sends[r]) continue;
        const uint32_t endpoint = job->endpoints[r];
        shares[(*n)++] = (double)injected[endpoint] / cycles;
        if (enough && injected[endpoint] == 0) fairness->starved[fairness->n_starved++] = endpoint;
    }
    free(sends);
    return rc;
}

static void add_takers(const struct cw_flit_case *made, const struct cw_flit_measurement *run, double *shares,
                       size_t *n)
{
    const uint64_t *accepted = run->accepted_by;
    const struct cw_selection *selection = made->selection;
    *n = selection ? selection->n : made->net->n_endpoints;
    for (size_t i = 0; i < *n; i++)
        shares[i] = (double)accepted[selection ? selection->endpoints[i] : i] / (double)run->steady.cycles;
}

int cw_fairness_of(const struct cw_flit_case *made, const struct cw_flit_measurement *run, struct cw_fairness *out)
{
    const uint32_t endpoints = made->net->n_endpoints;
    struct cw_fairness fairness = {.starved = cw_new_array(endpoints, sizeof *fairness.starved, "endpoints")};
    double *shares = cw_new_array(endpoints, sizeof *shares, "endpoints");
    size_t n = 0;
    int rc = fairness.starved && shares ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < run->setup.n_jobs && !rc; i++)
        rc = add_senders(run, &run->setup.jobs[i], shares, &n, &fairness);
    if (!rc) {
        fairness.injected = cw_shares_of(shares, n);
        add_takers(made, run, shares, &n);
        fairness.accepted = cw_shares_of(shares, n);
        *out = fairness;
    } else {
        cw_fairness_free(&fairness);
    }
    free(shares);
    return rc;
}

void cw_fairness_free(struct cw_fairness *fairness)
{
    free(fairness->starved);
    *fairness = (struct cw_fairness){0};
}

/* --- utilisation -------------------------------------------------------------------------------------------------- */

const char *const cw_channel_classes[] = {"injection", "ejection", "local", "global"};

enum cw_channel_class cw_channel_class_of(const struct cw_network *net, uint32_t channel)
{
    if (cw_network_is_endpoint(net, net->tail[channel])) return CW_CHANNEL_INJECTION;
    if (cw_network_is_endpoint(net, net->head[channel])) return CW_CHANNEL_EJECTION;
    return cw_network_is_global(net, channel) ? CW_CHANNEL_GLOBAL : CW_CHANNEL_LOCAL;
}

static bool between_switches(const struct cw_network *net, uint32_t channel)
{
    return cw_channel_class_of(net, channel) >= CW_CHANNEL_LOCAL;
}

double cw_utilisation_of(const struct cw_network *net, const struct cw_flit_measurement *run, uint32_t channel)
{
    const double flits = (double)run->channel_flits[channel] / (double)run->steady.cycles;
    return flits * run->setup.hardware.reference_capacity / net->capacity[channel];
}

void cw_utilisation_by_class(const struct cw_network *net, const struct cw_flit_measurement *run,
                             struct cw_utilisation *out)
{
    double sum[CW_CHANNEL_CLASSES] = {0}, n[CW_CHANNEL_CLASSES] = {0};
    *out = (struct cw_utilisation){0};
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const double utilisation = cw_utilisation_of(net, run, c);
        sum[cw_channel_class_of(net, c)] += utilisation;
        n[cw_channel_class_of(net, c)]++;
        if (between_switches(net, c) && utilisation > out->busiest) out->busiest = utilisation;
    }
    for (int class = 0; class < CW_CHANNEL_CLASSES; class ++) out->mean[class] = sum[class] / n[class];
}

static int compare_heat(const void *a, const void *b)
{
    const struct cw_hot_channel *x = a, *y = b;
    if (x->utilisation != y->utilisation) return x->utilisation < y->utilisation ? 1 : -1;
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

int cw_utilisation_hottest(const struct cw_network *net, const struct cw_flit_measurement *run, size_t *n,
                           struct cw_hot_channel **out)
{
    size_t found = 0;
    struct cw_hot_channel *hot = cw_new_array(net->n_channels, sizeof *hot, "channels by utilisation");
    if (!hot) return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (between_switches(net, c)) hot[found++] = (struct cw_hot_channel){cw_utilisation_of(net, run, c), c};
    qsort(hot, found, sizeof *hot, compare_heat);
    *n = found;
    *out = hot;
    return 0;
}
