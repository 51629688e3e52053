#include "study/compare/study_run.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "route/engine.h"
#include "route/files/lft_file.h"
#include "route/repair.h"
#include "topo/recognise.h"

#define LISTED 4 /* pairs without a route that a message names */

/* What all cases share. */
struct shared {
    const struct cw_study_setup *setup;
    unsigned n_threads; /* of each */
    size_t size;        /* of an outcome, in bytes */
    char *stored; /* outcomes with what the store has, where only the first of several processes has one; or NULL */
    pthread_mutex_t mutex;
    struct cw_inputs inputs; /* that figures were made of */
    struct cw_flit_how flits;
};

/* A case that is being measured. */
struct job {
    struct shared *shared;
    const struct cw_study_plan *plan;
    const struct cw_study_case *is;
    struct cw_study_outcome *outcome;
    struct cw_inputs inputs; /* files that the network and its routes are made of */
    struct cw_network *changed;
    struct cw_routes *routes; /* NULL: they are the packets' */
    struct cw_packet_routing *packets;
    struct cw_compared of;
    uint32_t cut_off;
    double begun;
};

/* --- what is found ------------------------------------------------------------------------------------------------ */

/* A figure that is there. To another process it goes as it is, and behind it each input: hash and path, ended by 0. */
struct finding {
    size_t trial, measure;
    struct cw_study_figure figure;
};

/* Enters INPUTS among those that figures were made of. */
static int share_inputs(struct shared *shared, const struct cw_inputs *inputs)
{
    pthread_mutex_lock(&shared->mutex);
    const int rc = cw_inputs_add_all(&shared->inputs, inputs);
    pthread_mutex_unlock(&shared->mutex);
    return rc;
}

/* In the process that has the store, if there is one. */
static int keep(struct shared *shared, const struct finding *finding, const struct cw_inputs *inputs)
{
    const struct cw_study_plan *plan = shared->setup->plan;
    const struct cw_study_case *is = &plan->cases[finding->trial];
    struct cw_text definition = {0};
    int rc = cw_study_define(plan, is, &plan->measures[finding->measure], &definition);
    const struct cw_study_figure_of of = {definition.data, is, &plan->measures[finding->measure]};
    if (!rc) cw_store_put(shared->setup->store, &of, &finding->figure, inputs);
    cw_text_free(&definition);
    return rc ? rc : share_inputs(shared, inputs);
}

static int tell(struct shared *shared, const struct finding *finding, const struct cw_inputs *inputs)
{
    const struct cw_executor *executor = shared->setup->executor;
    struct cw_text text = {0};
    if (!executor || !executor->tell) return keep(shared, finding, inputs);
    cw_text_append(&text, (const char *)finding, sizeof *finding);
    for (size_t i = 0; i < inputs->n; i++) {
        cw_text_append(&text, inputs->items[i].sha256, CW_SHA256_SIZE);
        cw_text_append(&text, inputs->items[i].path, strlen(inputs->items[i].path) + 1);
    }
    int rc = cw_text_check(&text);
    if (!rc) rc = executor->tell(executor, text.data, text.length);
    cw_text_free(&text);
    return rc;
}

/* What another process has found. */
static int told(const void *context, const char *bytes, size_t length)
{
    struct shared *shared = *(struct shared *const *)context;
    struct finding finding;
    struct cw_inputs inputs = {0};
    const char *end = bytes + length;
    memcpy(&finding, bytes, sizeof finding);
    int rc = 0;
    for (const char *at = bytes + sizeof finding; !rc && at < end; at += strlen(at) + 1) {
        rc = cw_inputs_add(&inputs, at + CW_SHA256_SIZE, at);
        at += CW_SHA256_SIZE;
    }
    if (!rc) rc = keep(shared, &finding, &inputs);
    cw_inputs_free(&inputs);
    return rc;
}

/* --- a case ------------------------------------------------------------------------------------------------------- */

static bool has(const char *text)
{
    return text && *text;
}

/* The network of JOB with what fails and is slow. */
static int change_network(struct job *job)
{
    const char *failed = job->is->of[CW_STUDY_FAILED], *degraded = job->is->of[CW_STUDY_DEGRADED];
    const uint64_t seed = job->of.seed;
    struct cw_faults *faults;
    if (!has(failed) && !has(degraded)) return 0;
    struct cw_network *fabric;
    int rc = cw_faults_new(cw_network_fabric(job->of.net), &faults);
    if (rc) return rc;
    if (has(failed)) rc = cw_faults_fail(faults, "failed", failed, seed);
    if (!rc && has(degraded)) rc = cw_faults_degrade(faults, "degraded", degraded, seed);
    if (!rc) rc = cw_network_changed(faults, &fabric);
    if (!rc) rc = cw_nodes_renew(job->of.net, fabric, &job->changed);
    if (!rc) job->of.net = job->changed;
    cw_faults_free(faults);
    return rc;
}

/* Tables that were not repaired must still arrive where something has failed. */
static int check_lost(const struct job *job)
{
    struct cw_lost_routes lost;
    int rc = cw_routes_lost(job->routes, job->of.asked, LISTED, job->shared->n_threads, &lost);
    if (rc) return rc;
    if (lost.lost > 0)
        rc = cw_fail(CW_EROUTE,
                     "%llu of %llu pairs have no route in %s (%s%s); repair: ROUTING in the study gives them new ones",
                     (unsigned long long)lost.lost, (unsigned long long)lost.pairs, job->is->of[CW_STUDY_LFT],
                     lost.first.data, lost.lost > LISTED ? ", ..." : "");
    cw_lost_routes_free(&lost);
    return rc;
}

/* The fabric's own tables, mended if the study says by what. */
static int read_tables(struct job *job)
{
    const char *repair = cw_study_single(job->plan->study, CW_STUDY_REPAIR);
    struct cw_lft_report report;
    struct cw_routes *mended;
    uint64_t changed;
    int rc = cw_lft_read_lids(job->of.net, job->is->of[CW_STUDY_LFT], CW_LIDS_MAX, &report, &job->routes);
    if (rc) return rc;
    cw_text_free(&report.details);
    if (!repair) return has(job->is->of[CW_STUDY_FAILED]) ? check_lost(job) : 0;
    rc = cw_routes_repair_by(job->routes, repair, job->of.seed, job->shared->n_threads, &changed, &mended);
    if (rc) return rc;
    cw_routes_free(job->routes);
    job->routes = mended;
    return 0;
}

/* Whether a figure that is not stored needs flits. */
static bool needs_flits(const struct job *job)
{
    for (size_t m = 0; m < job->plan->n_measures; m++)
        if (job->plan->measures[m].kind->by_flits && !job->outcome->figures[m].stored) return true;
    return false;
}

/* Has packets follow the routes of JOB. Where they cannot, the measure says so. */
static int add_packets(struct job *job)
{
    int rc;
    if (job->is->of[CW_STUDY_LFT]) {
        rc = cw_packet_routing_of_routes(job->routes, &job->packets);
        job->routes = NULL;
    } else {
        rc = cw_packet_routing_new(job->of.net, job->is->of[CW_STUDY_ROUTING], job->of.seed, job->shared->n_threads,
                                   &job->packets);
        if (cw_ends_case_only(rc)) rc = 0;
    }
    job->of.packets = job->packets;
    job->of.flits = &job->shared->flits;
    return rc;
}

/* Makes what measures are taken of. */
static int open_case(struct job *job)
{
    const char *trials = job->is->of[CW_STUDY_TRIALS];
    uint64_t cut_pairs;
    job->of = (struct cw_compared){.net = job->plan->networks[job->is->network].net,
                                   .seed = strtoull(job->is->of[CW_STUDY_SEED], NULL, 10),
                                   .trials = trials ? strtoull(trials, NULL, 10) : 0,
                                   .n_threads = job->shared->n_threads};
    int rc = change_network(job);
    if (!rc) rc = cw_compared_select(&job->of, job->is->of[CW_STUDY_ENDPOINTS], &job->cut_off, &cut_pairs);
    if (!rc)
        rc = job->is->of[CW_STUDY_LFT] ? read_tables(job)
                                       : cw_engine_route(job->of.net, job->is->of[CW_STUDY_ROUTING], job->of.seed,
                                                         job->shared->n_threads, &job->routes);
    job->of.routes = job->routes;
    return rc || !needs_flits(job) ? rc : add_packets(job);
}

/* RC and its message, or 0 with MEASURED, become figure M of JOB, made of INPUTS, and are stored. */
static int end_figure(struct job *job, size_t m, int rc, const struct cw_measured *measured,
                      const struct cw_inputs *inputs)
{
    struct cw_study_figure *figure = &job->outcome->figures[m];
    const double now = cw_stopwatch_now();
    *figure = cw_study_figure_made(rc, measured);
    figure->cut_off = job->cut_off;
    figure->seconds = now - job->begun;
    job->begun = now;
    const struct finding finding = {.trial = (size_t)(job->is - job->plan->cases), .measure = m, .figure = *figure};
    return tell(job->shared, &finding, inputs);
}

/* Takes measure M, with what it reads beside what the network and its routes are made of. */
static int take(struct job *job, size_t m)
{
    struct cw_inputs inputs = {0};
    struct cw_measured measured;
    int rc = cw_inputs_add_all(&inputs, &job->inputs);
    struct cw_inputs *before = cw_inputs_record(&inputs);
    if (!rc) rc = cw_measure_take(&job->plan->measures[m], &job->of, &measured);
    cw_inputs_record(before);
    if (!rc || cw_error_stops_one(rc)) rc = end_figure(job, m, rc, &measured, &inputs);
    cw_inputs_free(&inputs);
    return rc;
}

static int take_all(struct job *job)
{
    int rc = 0;
    for (size_t m = 0; m < job->plan->n_measures && !rc; m++)
        if (!job->outcome->figures[m].stored) rc = take(job, m);
    return rc;
}

/* The case itself cannot be: no figure of it that is not stored can. */
static int end_case(struct job *job, int failed)
{
    char *message = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
    int rc = message ? 0 : CW_ENOMEM;
    for (size_t m = 0; m < job->plan->n_measures && !rc; m++) {
        if (job->outcome->figures[m].stored) continue;
        cw_fail(failed, "%s", message);
        rc = end_figure(job, m, failed, NULL, &job->inputs);
    }
    free(message);
    return rc;
}

/* Measures what is not stored. */
static int measure(struct job *job)
{
    job->begun = cw_stopwatch_now();
    int rc = cw_inputs_add_all(&job->inputs, job->shared->setup->before);
    if (!rc) rc = cw_inputs_add_all(&job->inputs, &job->plan->networks[job->is->network].inputs);
    if (rc) return rc;
    struct cw_inputs *before = cw_inputs_record(&job->inputs);
    rc = open_case(job);
    cw_inputs_record(before);
    if (cw_error_stops_one(rc))
        rc = end_case(job, rc);
    else if (!rc)
        rc = take_all(job);
    return rc;
}

/* Looks for all figures of JOB. */
static int find_stored(struct job *job)
{
    struct shared *shared = job->shared;
    struct cw_inputs inputs = {0};
    struct cw_text definition;
    int rc = 0;
    for (size_t m = 0; m < job->plan->n_measures && !rc; m++) {
        struct cw_study_figure *figure = &job->outcome->figures[m];
        bool found = false;
        rc = cw_study_define(job->plan, job->is, &job->plan->measures[m], &definition);
        if (!rc) rc = cw_store_find(shared->setup->store, definition.data, figure, &found, &inputs);
        figure->stored = found;
        cw_text_free(&definition);
    }
    if (!rc) rc = share_inputs(shared, &inputs);
    cw_inputs_free(&inputs);
    return rc;
}

static struct job job_of(struct shared *shared, size_t i, void *outcome)
{
    const struct cw_study_plan *plan = shared->setup->plan;
    return (struct job){.shared = shared, .plan = plan, .is = &plan->cases[i], .outcome = outcome};
}

static size_t count_missing(const struct job *job)
{
    size_t missing = 0;
    for (size_t m = 0; m < job->plan->n_measures; m++) missing += !job->outcome->figures[m].stored;
    return missing;
}

static int run_case(const void *context, void *state, size_t trial, void *out)
{
    struct shared *shared = *(struct shared *const *)context;
    struct job job = job_of(shared, trial, out);
    int rc = 0;
    (void)state;
    if (shared->stored)
        memcpy(out, shared->stored + trial * shared->size, shared->size);
    else
        rc = find_stored(&job);
    if (!rc && count_missing(&job) > 0) rc = measure(&job);
    job.outcome->done = rc == 0;
    cw_compared_release(&job.of);
    cw_packet_routing_free(job.packets);
    cw_routes_free(job.routes);
    cw_network_free(job.changed);
    cw_inputs_free(&job.inputs);
    return rc;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int compare_inputs(const void *a, const void *b)
{
    const struct cw_input *x = a, *y = b;
    const int order = strcmp(x->path, y->path);
    return order ? order : strcmp(x->sha256, y->sha256);
}

/* Ends with end_shared, also after an error. */
static int begin_shared(const struct cw_study_setup *setup, struct shared *shared)
{
    const unsigned threads = cw_parallel_threads(setup->n_threads, SIZE_MAX),
                   cases = cw_parallel_threads(setup->n_threads, setup->plan->n);
    *shared = (struct shared){
        .setup = setup,
        .n_threads = threads / cases,
        .size = (sizeof(struct cw_study_outcome) + setup->plan->n_measures * sizeof(struct cw_study_figure) + 15) / 16 *
                16};
    pthread_mutex_init(&shared->mutex, NULL);
    return cw_flit_how_init(&shared->flits);
}

static void end_shared(struct shared *shared)
{
    pthread_mutex_destroy(&shared->mutex);
    cw_flit_how_free(&shared->flits);
    free(shared->stored);
}

/* Of several processes the first one alone has the store, and tells the others what is in it. */
static int share_stored(struct shared *shared)
{
    const struct cw_executor *executor = shared->setup->executor;
    const size_t n = shared->setup->plan->n;
    if (!executor || !executor->share) return 0;
    shared->stored = cw_new_array(n, shared->size, "cases of a study");
    int rc = shared->stored ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < n && !rc && !executor->tell; i++) {
        struct job job = job_of(shared, i, shared->stored + i * shared->size);
        rc = find_stored(&job);
    }
    return rc ? rc : executor->share(executor, shared->stored, n * shared->size);
}

int cw_study_run(const struct cw_study_setup *setup, struct cw_study_results *out)
{
    struct shared shared, *context = &shared;
    int rc = begin_shared(setup, &shared);
    *out = (struct cw_study_results){.n = setup->plan->n, .size = shared.size};
    out->outcomes = cw_new_array(out->n, out->size, "cases of a study");
    if (!rc) rc = out->outcomes ? share_stored(&shared) : CW_ENOMEM;
    const struct cw_trials trials = {.n = out->n,
                                     .outcome_size = out->size,
                                     .context = &context,
                                     .run = run_case,
                                     .told = told,
                                     .n_threads = setup->n_threads,
                                     .progress = setup->progress,
                                     .executor = setup->executor};
    if (!rc) rc = cw_trials_run_into(&trials, out->outcomes, NULL);
    out->inputs = shared.inputs;
    if (out->inputs.n > 0) qsort(out->inputs.items, out->inputs.n, sizeof *out->inputs.items, compare_inputs);
    end_shared(&shared);
    return rc;
}

void cw_study_results_free(struct cw_study_results *results)
{
    free(results->outcomes);
    cw_inputs_free(&results->inputs);
    *results = (struct cw_study_results){0};
}

/* The mean times of figures, [networks][measures]. */
static double *mean_times(const struct cw_study_setup *setup)
{
    const struct cw_study_plan *plan = setup->plan;
    double *times = cw_new_array(plan->n_networks * plan->n_measures, sizeof *times, "times of figures");
    for (size_t i = 0; times && i < plan->n_networks * plan->n_measures; i++)
        times[i] = cw_store_seconds(setup->store, plan->study->keys[CW_STUDY_NETWORK].items[i / plan->n_measures].text,
                                    plan->measures[i % plan->n_measures].spec);
    return times;
}

static int find_cost(struct shared *shared, size_t i, const double *times, struct cw_study_cost *out)
{
    const struct cw_study_plan *plan = shared->setup->plan;
    struct job job = job_of(shared, i, cw_new_array(1, shared->size, "figures of a case"));
    const int rc = job.outcome ? find_stored(&job) : CW_ENOMEM;
    if (!rc) out->missing = count_missing(&job);
    for (size_t m = 0; !rc && m < plan->n_measures; m++)
        if (!job.outcome->figures[m].stored) out->seconds += times[plan->cases[i].network * plan->n_measures + m];
    free(job.outcome);
    return rc;
}

int cw_study_costs(const struct cw_study_setup *setup, struct cw_study_cost *out)
{
    struct shared shared;
    double *times = mean_times(setup);
    int rc = begin_shared(setup, &shared);
    if (!rc && !times) rc = CW_ENOMEM;
    for (size_t i = 0; i < setup->plan->n && !rc; i++) {
        out[i] = (struct cw_study_cost){.missing = 0};
        rc = find_cost(&shared, i, times, &out[i]);
    }
    end_shared(&shared);
    cw_inputs_free(&shared.inputs);
    free(times);
    return rc;
}
