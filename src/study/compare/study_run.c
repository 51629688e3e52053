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
#include "base/version.h"
#include "net/faults.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/files/lft_file.h"
#include "route/repair.h"
#include "topo/recognise.h"
#include "topo/topology.h"

#define DEFINITION 1 /* grows when a figure of the same definition becomes another one */
#define LISTED     4 /* pairs without a route that a message names */

/* --- a plan ------------------------------------------------------------------------------------------------------- */

/* Says where in the study the VALUE stands of which the last message is. */
static int fail_value(const struct cw_study *study, const struct cw_study_value *value, int rc)
{
    if (rc == CW_ENOMEM || rc == CW_EINTERRUPTED || value->line == 0) return rc;
    char *message = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
    if (!message) return CW_ENOMEM;
    rc = cw_fail_at(study->file, value->line, "%s%s", message,
                    value->parted ? "; in a list, quotes keep together what has commas: [\"dragonfly:2,4,2\"]" : "");
    free(message);
    return rc;
}

static int open_network(const struct cw_study *study, const char *spec, struct cw_study_network *out)
{
    const struct cw_reading how = {.format = cw_study_single(study, CW_STUDY_INPUT_FORMAT),
                                   .node_names = cw_study_single(study, CW_STUDY_NODE_NAMES)};
    struct cw_inputs *before = cw_inputs_record(&out->inputs);
    const int rc = cw_network_open_as(&how, spec, &out->net);
    cw_inputs_record(before);
    return rc;
}

static int open_networks(struct cw_study_plan *plan)
{
    const struct cw_study_values *values = &plan->study->keys[CW_STUDY_NETWORK];
    plan->networks = cw_new_array(values->n, sizeof *plan->networks, "networks of a study");
    if (!plan->networks) return CW_ENOMEM;
    for (size_t i = 0; i < values->n; i++) {
        plan->n_networks = i + 1;
        const int rc = open_network(plan->study, values->items[i].text, &plan->networks[i]);
        if (rc) return fail_value(plan->study, &values->items[i], rc);
    }
    return 0;
}

static int check_engines(const struct cw_study *study, enum cw_study_key key)
{
    for (size_t i = 0; i < study->keys[key].n; i++) {
        const int rc = cw_engine_check(study->keys[key].items[i].text);
        if (rc) return fail_value(study, &study->keys[key].items[i], rc);
    }
    return 0;
}

/* A file that is read is none that this program writes, and tables are there before hours of work. */
static int check_files(const struct cw_study *study)
{
    static const enum cw_study_key keys[] = {CW_STUDY_NETWORK, CW_STUDY_LFT,      CW_STUDY_ENDPOINTS,
                                             CW_STUDY_FAILED,  CW_STUDY_DEGRADED, CW_STUDY_NODE_NAMES};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; i < study->keys[keys[k]].n; i++) {
            const struct cw_study_value *value = &study->keys[keys[k]].items[i];
            struct cw_source *source = NULL;
            int rc = cw_inputs_check_read(value->text);
            if (!rc && keys[k] == CW_STUDY_LFT) rc = cw_source_open(value->text, &source);
            cw_source_close(source);
            if (rc) return fail_value(study, value, rc);
        }
    return 0;
}

static int read_measures(struct cw_study_plan *plan)
{
    const struct cw_study_values *values = &plan->study->keys[CW_STUDY_MEASURES];
    struct cw_text all = {0};
    int rc = 0;
    for (size_t i = 0; i < values->n && !rc; i++) {
        struct cw_measure *measure = NULL;
        size_t n = 0;
        rc = cw_measures_parse(values->items[i].text, &measure, &n);
        if (!rc && measure->kind->by_flits)
            rc = cw_fail(CW_EUSAGE, "%s is not for studies yet; crosswind compare has it", measure->kind->name);
        cw_measures_free(measure, n);
        if (rc) rc = fail_value(plan->study, &values->items[i], rc);
        cw_text_printf(&all, "%s%s", i > 0 ? "," : "", values->items[i].text);
    }
    if (!rc) rc = cw_text_check(&all);
    if (!rc) rc = cw_measures_parse(all.data, &plan->measures, &plan->n_measures);
    cw_text_free(&all);
    return rc;
}

/* Cases that nobody named a routing for have the one that suits their network as it is, whatever fails. */
static int make_cases(struct cw_study_plan *plan)
{
    const int rc = cw_study_cases(plan->study, &plan->cases, &plan->n);
    for (size_t i = 0; !rc && i < plan->n; i++) {
        struct cw_study_case *is = &plan->cases[i];
        if (!is->of[CW_STUDY_LFT] && !is->of[CW_STUDY_ROUTING])
            is->of[CW_STUDY_ROUTING] = cw_engine_default(plan->networks[is->network].net);
        if (!is->of[CW_STUDY_ENDPOINTS]) is->of[CW_STUDY_ENDPOINTS] = "hca";
    }
    return rc;
}

int cw_study_plan_make(const struct cw_study *study, struct cw_study_plan *out)
{
    struct cw_study_plan plan = {.study = study};
    int rc = check_engines(study, CW_STUDY_ROUTING);
    if (!rc) rc = check_engines(study, CW_STUDY_REPAIR);
    if (!rc) rc = check_files(study);
    if (!rc) rc = read_measures(&plan);
    if (!rc) rc = open_networks(&plan);
    if (!rc) rc = make_cases(&plan);
    if (rc)
        cw_study_plan_free(&plan);
    else
        *out = plan;
    return rc;
}

void cw_study_plan_free(struct cw_study_plan *plan)
{
    for (size_t i = 0; i < plan->n_networks; i++) {
        cw_network_free(plan->networks[i].net);
        cw_inputs_free(&plan->networks[i].inputs);
    }
    free(plan->networks);
    free(plan->cases);
    cw_measures_free(plan->measures, plan->n_measures);
    *plan = (struct cw_study_plan){0};
}

/* --- a definition ------------------------------------------------------------------------------------------------- */

/* All that figure MEASURE of case IS depends on, but for the contents of files, a line each. What one release finds is
 * no other's. */
static int define(const struct cw_study_plan *plan, const struct cw_study_case *is, const struct cw_measure *measure,
                  struct cw_text *text)
{
    static const enum cw_study_key singles[] = {CW_STUDY_INPUT_FORMAT, CW_STUDY_NODE_NAMES};
    *text = (struct cw_text){0};
    cw_text_printf(text, "crosswind %s study %d\n", cw_version(), DEFINITION);
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
        if (cw_study_single(plan->study, singles[i]))
            cw_text_printf(text, "%s %s\n", cw_study_key_name(singles[i]), cw_study_single(plan->study, singles[i]));
    if (is->of[CW_STUDY_LFT] && cw_study_single(plan->study, CW_STUDY_REPAIR))
        cw_text_printf(text, "repair %s\n", cw_study_single(plan->study, CW_STUDY_REPAIR));
    for (size_t axis = 0; axis < CW_STUDY_AXES; axis++)
        if (is->of[axis] && *is->of[axis])
            cw_text_printf(text, "%s %s\n", cw_study_key_name((enum cw_study_key)axis), is->of[axis]);
    cw_text_printf(text, "measure %s\n", measure->spec);
    return cw_text_check(text);
}

/* --- a case ------------------------------------------------------------------------------------------------------- */

/* What all cases share. */
struct shared {
    const struct cw_study_setup *setup;
    unsigned n_threads; /* of each */
    pthread_mutex_t mutex;
    struct cw_inputs inputs; /* that figures were made of */
};

/* A case that is being measured. */
struct job {
    struct shared *shared;
    const struct cw_study_plan *plan;
    const struct cw_study_case *is;
    struct cw_study_outcome *outcome;
    bool *stored;            /* [n_measures] which figures were */
    struct cw_inputs inputs; /* files that the network and its routes are made of */
    struct cw_network *changed;
    struct cw_routes *routes;
    struct cw_compared of;
    uint32_t cut_off;
    double begun;
};

static int add_inputs(struct cw_inputs *to, const struct cw_inputs *from)
{
    int rc = 0;
    for (size_t i = 0; i < from->n && !rc; i++) rc = cw_inputs_add(to, from->items[i].path, from->items[i].sha256);
    return rc;
}

/* Enters INPUTS among those that figures were made of. */
static int share_inputs(struct shared *shared, const struct cw_inputs *inputs)
{
    pthread_mutex_lock(&shared->mutex);
    const int rc = add_inputs(&shared->inputs, inputs);
    pthread_mutex_unlock(&shared->mutex);
    return rc;
}

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
    int rc = cw_faults_new(job->of.net, &faults);
    if (rc) return rc;
    if (has(failed)) rc = cw_faults_fail(faults, "failed", failed, seed);
    if (!rc && has(degraded)) rc = cw_faults_degrade(faults, "degraded", degraded, seed);
    if (!rc) rc = cw_network_changed(faults, &job->changed);
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
    struct cw_routes *anew = NULL, *mended;
    uint64_t changed;
    int rc = cw_lft_read(job->of.net, job->is->of[CW_STUDY_LFT], &report, &job->routes);
    if (rc) return rc;
    cw_text_free(&report.details);
    if (!repair) return has(job->is->of[CW_STUDY_FAILED]) ? check_lost(job) : 0;
    rc = cw_engine_route(job->of.net, repair, job->of.seed, job->shared->n_threads, &anew);
    if (!rc) rc = cw_routes_repair(job->routes, anew, job->shared->n_threads, &changed, &mended);
    cw_routes_free(anew);
    if (rc) return rc;
    cw_routes_free(job->routes);
    job->routes = mended;
    return 0;
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
    return rc;
}

/* Whether RC, an error, is one of this case or figure only: no case stops another. */
static bool ends_case(int rc)
{
    return rc && rc != CW_ENOMEM && rc != CW_EINTERNAL && rc != CW_EINTERRUPTED;
}

/* RC and its message, or 0 with MEASURED, become figure M of JOB, made of INPUTS, and are stored. A file that cannot be
 * read, or a limit of this machine, may be another one next time. */
static int end_figure(struct job *job, size_t m, int rc, const struct cw_measured *measured,
                      const struct cw_inputs *inputs)
{
    struct cw_figure *figure = &job->outcome->figures[m];
    struct cw_text definition;
    *figure = (struct cw_figure){.value = (double)NAN, .ci95 = (double)NAN, .error = rc, .cut_off = job->cut_off};
    if (rc) {
        snprintf(figure->message, sizeof figure->message, "%s", cw_error_message());
    } else {
        figure->value = measured->value;
        figure->ci95 = measured->ci95;
        if (measured->word) snprintf(figure->word, sizeof figure->word, "%s", measured->word);
    }
    const double now = cw_stopwatch_now();
    figure->seconds = now - job->begun;
    job->begun = now;
    if (rc && rc != CW_EUSAGE && rc != CW_EROUTE) return 0;
    rc = define(job->plan, job->is, &job->plan->measures[m], &definition);
    const struct cw_figure_of of = {definition.data, job->is, &job->plan->measures[m]};
    if (!rc) cw_store_put(job->shared->setup->store, &of, figure, inputs);
    cw_text_free(&definition);
    return rc;
}

/* Takes measure M, and enters what it reads beside what the network and its routes are made of. */
static int take(struct job *job, size_t m)
{
    struct cw_inputs inputs = {0};
    struct cw_measured measured;
    int rc = add_inputs(&inputs, &job->inputs);
    struct cw_inputs *before = cw_inputs_record(&inputs);
    if (!rc) rc = cw_measure_take(&job->plan->measures[m], &job->of, &measured);
    cw_inputs_record(before);
    if (!rc || ends_case(rc)) rc = end_figure(job, m, rc, &measured, &inputs);
    if (!rc) rc = share_inputs(job->shared, &inputs);
    cw_inputs_free(&inputs);
    return rc;
}

static int take_all(struct job *job)
{
    int rc = 0;
    for (size_t m = 0; m < job->plan->n_measures && !rc; m++)
        if (!job->stored[m]) rc = take(job, m);
    return rc;
}

/* The case itself cannot be: no figure of it that is not stored can. */
static int end_case(struct job *job, int failed)
{
    char *message = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
    int rc = message ? 0 : CW_ENOMEM;
    for (size_t m = 0; m < job->plan->n_measures && !rc; m++) {
        if (job->stored[m]) continue;
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
    int rc = add_inputs(&job->inputs, job->shared->setup->before);
    if (!rc) rc = add_inputs(&job->inputs, &job->plan->networks[job->is->network].inputs);
    if (rc) return rc;
    struct cw_inputs *before = cw_inputs_record(&job->inputs);
    rc = open_case(job);
    cw_inputs_record(before);
    if (ends_case(rc))
        rc = end_case(job, rc);
    else if (!rc)
        rc = take_all(job);
    return rc ? rc : share_inputs(job->shared, &job->inputs);
}

/* Looks for all figures of JOB. */
static int find_stored(struct job *job, size_t *missing)
{
    struct shared *shared = job->shared;
    struct cw_inputs inputs = {0};
    struct cw_text definition;
    int rc = 0;
    *missing = 0;
    for (size_t m = 0; m < job->plan->n_measures && !rc; m++) {
        rc = define(job->plan, job->is, &job->plan->measures[m], &definition);
        if (!rc)
            rc = cw_store_find(shared->setup->store, definition.data, &job->outcome->figures[m], &job->stored[m],
                               &inputs);
        *missing += !job->stored[m];
        cw_text_free(&definition);
    }
    if (!rc) rc = share_inputs(shared, &inputs);
    cw_inputs_free(&inputs);
    return rc;
}

static int run_case(const void *context, void *state, size_t trial, void *out)
{
    struct shared *shared = *(struct shared *const *)context;
    struct job job = {.shared = shared,
                      .plan = shared->setup->plan,
                      .is = &shared->setup->plan->cases[trial],
                      .outcome = out,
                      .stored = cw_new_array(shared->setup->plan->n_measures, sizeof(bool), "figures of a case")};
    size_t missing = 0;
    (void)state;
    int rc = job.stored ? find_stored(&job, &missing) : CW_ENOMEM;
    if (!rc && missing > 0) rc = measure(&job);
    job.outcome->done = rc == 0;
    cw_compared_release(&job.of);
    cw_routes_free(job.routes);
    cw_network_free(job.changed);
    cw_inputs_free(&job.inputs);
    free(job.stored);
    return rc;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int compare_inputs(const void *a, const void *b)
{
    const struct cw_input *x = a, *y = b;
    const int order = strcmp(x->path, y->path);
    return order ? order : strcmp(x->sha256, y->sha256);
}

static void begin_shared(const struct cw_study_setup *setup, struct shared *shared)
{
    const unsigned threads = cw_parallel_threads(setup->n_threads, SIZE_MAX),
                   cases = cw_parallel_threads(setup->n_threads, setup->plan->n);
    *shared = (struct shared){.setup = setup, .n_threads = threads / cases};
    pthread_mutex_init(&shared->mutex, NULL);
}

int cw_study_run(const struct cw_study_setup *setup, struct cw_study_results *out)
{
    struct shared shared, *context = &shared;
    *out = (struct cw_study_results){
        .n = setup->plan->n,
        .size = (sizeof(struct cw_study_outcome) + setup->plan->n_measures * sizeof(struct cw_figure) + 15) / 16 * 16};
    out->outcomes = cw_new_array(out->n, out->size, "cases of a study");
    if (!out->outcomes) return CW_ENOMEM;
    begin_shared(setup, &shared);
    const struct cw_trials trials = {.n = out->n,
                                     .outcome_size = out->size,
                                     .context = &context,
                                     .run = run_case,
                                     .n_threads = setup->n_threads,
                                     .progress = setup->progress,
                                     .executor = setup->executor};
    const int rc = cw_trials_run_into(&trials, out->outcomes, NULL);
    out->inputs = shared.inputs;
    if (out->inputs.n > 0) qsort(out->inputs.items, out->inputs.n, sizeof *out->inputs.items, compare_inputs);
    pthread_mutex_destroy(&shared.mutex);
    return rc;
}

void cw_study_results_free(struct cw_study_results *results)
{
    free(results->outcomes);
    cw_inputs_free(&results->inputs);
    *results = (struct cw_study_results){0};
}

int cw_study_cost(const struct cw_study_setup *setup, size_t i, size_t *missing, double *seconds)
{
    const struct cw_study_plan *plan = setup->plan;
    struct cw_inputs inputs = {0};
    struct cw_text definition;
    int rc = 0;
    *missing = 0;
    *seconds = 0;
    for (size_t m = 0; m < plan->n_measures && !rc; m++) {
        struct cw_figure figure;
        bool found = false;
        rc = define(plan, &plan->cases[i], &plan->measures[m], &definition);
        if (!rc) rc = cw_store_find(setup->store, definition.data, &figure, &found, &inputs);
        if (!rc && !found) {
            ++*missing;
            *seconds += cw_store_seconds(setup->store, plan->cases[i].of[CW_STUDY_NETWORK], plan->measures[m].spec);
        }
        cw_text_free(&definition);
    }
    cw_inputs_free(&inputs);
    return rc;
}
