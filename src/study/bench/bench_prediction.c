#include "study/bench/bench_prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/trials.h"
#include "net/network.h"
#include "sim/collective.h"
#include "study/bench/partners.h"
#include "traffic/schedule.h"

#define RESAMPLES 2000

const char *const cw_bench_model_names[] = {"congestion", "loggp"};

/* What all rounds share. */
struct study {
    const struct cw_bench_analysis *analysis;
    const struct cw_bench_prediction_setup *setup;
    struct cw_bench_point *points;
};

/* What a thread needs: the simulations of the case at hand. */
struct worker {
    const struct study *study;
    const struct cw_bench_case *about; /* NULL: none yet */
    struct cw_schedule *schedule;
    struct cw_collective *models[CW_BENCH_MODELS];
    uint32_t *endpoints, *groups, *to, *src, *dst; /* [n_ranks] */
};

struct outcome {
    double slowdown[CW_BENCH_MODELS];
};

static void drop_case(struct worker *worker)
{
    for (int m = 0; m < CW_BENCH_MODELS; m++) {
        cw_collective_free(worker->models[m]);
        worker->models[m] = NULL;
    }
    cw_schedule_free(worker->schedule);
    worker->schedule = NULL;
    worker->about = NULL;
}

static int make_worker(const void *context, void *state)
{
    struct worker *worker = state;
    worker->study = context;
    const uint32_t n = worker->study->analysis->run->n_ranks;
    worker->endpoints = cw_new_array(5 * (size_t)n, sizeof *worker->endpoints, "ranks of a split");
    if (!worker->endpoints) return CW_ENOMEM;
    worker->groups = worker->endpoints + n;
    worker->to = worker->groups + n;
    worker->src = worker->to + n;
    worker->dst = worker->src + n;
    return 0;
}

static void release_worker(void *state)
{
    struct worker *worker = state;
    drop_case(worker);
    free(worker->endpoints);
}

const char *cw_bench_schedule(const struct cw_bench_run *run, const char *operation)
{
    static const char open_mpi[] = "Open MPI";
    const char *mpi = json_string_value(json_object_get(run->conditions, "mpi"));
    const char *wait = json_string_value(json_object_get(run->conditions, "wait"));
    const bool nonblocking = wait && strcmp(wait, "spin") != 0;
    const bool by_tree = mpi && strncmp(mpi, open_mpi, strlen(open_mpi)) == 0 && nonblocking;
    return by_tree && strcmp(operation, "allreduce") == 0 ? "binomial-allreduce" : operation;
}

/* The simulations of ABOUT, unless they are there. */
static int take_case(struct worker *worker, const struct cw_bench_case *about)
{
    const struct cw_bench_prediction_setup *setup = worker->study->setup;
    if (worker->about == about) return 0;
    drop_case(worker);
    int rc = cw_schedule_new(cw_bench_schedule(worker->study->analysis->run, about->operation), &worker->schedule);
    for (int m = 0; m < CW_BENCH_MODELS && !rc; m++) {
        struct cw_collective_setup collective = {
            .routes = setup->routes, .schedule = worker->schedule, .bytes = about->bytes};
        if (m == CW_BENCH_LOGGP) {
            collective.timing = setup->timing;
            collective.timing.loggp = true;
            collective.sends = CW_SENDS_IN_ORDER;
        }
        rc = cw_collective_new(&collective, &worker->models[m]);
    }
    if (!rc) worker->about = about;
    return rc;
}

/* Where the ranks of the application are, the root first: schedules count ranks from it. */
static void place_application(struct worker *worker, const struct cw_bench_split *split, uint32_t root)
{
    const uint32_t n = split->n_application, first = n - root % n;
    for (uint32_t r = 0, i = 0; r < worker->study->analysis->run->n_ranks; r++)
        if (split->roles[r] == CW_BENCH_APPLICATION)
            worker->endpoints[(first + i++) % n] = worker->study->setup->endpoints[r];
}

/* The messages of perturbation ROUND on split S that leave their endpoint: *N of them from src to dst. */
static int draw_perturbation(struct worker *worker, uint32_t s, uint32_t round, size_t *n)
{
    const struct cw_bench_run *run = worker->study->analysis->run;
    const struct cw_bench_prediction_setup *setup = worker->study->setup;
    const struct cw_perturbation *kind = cw_registry_find(&cw_perturbation_registry, worker->about->perturbation);
    struct cw_partners partners = {0};
    uint32_t lowest = CW_NONE;
    if (!kind) return cw_registry_unknown(&cw_perturbation_registry, worker->about->perturbation);
    for (uint32_t r = 0; r < run->n_ranks; r++) {
        const bool perturbs = run->splits[s].roles[r] == CW_BENCH_PERTURBING;
        if (perturbs && lowest == CW_NONE) lowest = r;
        worker->groups[r] = perturbs ? lowest : CW_NONE;
    }
    const int rc = cw_partners_init(kind, worker->groups, run->n_ranks, setup->seed, s, &partners);
    if (rc) return rc;
    cw_partners_of_round(&partners, round, worker->to);
    cw_partners_free(&partners);
    *n = 0;
    for (uint32_t r = 0; r < run->n_ranks; r++) {
        if (worker->to[r] == CW_NONE || setup->endpoints[worker->to[r]] == setup->endpoints[r]) continue;
        worker->src[*n] = setup->endpoints[r];
        worker->dst[(*n)++] = setup->endpoints[worker->to[r]];
    }
    return 0;
}

static int simulate(struct cw_collective *collective, struct worker *worker, uint32_t n_application, size_t n_messages,
                    double *slowdown)
{
    struct cw_times times;
    cw_collective_clear_background(collective);
    int rc = cw_collective_add_background(collective, n_messages, worker->src, worker->dst);
    if (!rc) rc = cw_collective_run(collective, n_application, worker->endpoints, NULL, NULL, &times);
    if (!rc) *slowdown = times.clean > 0 ? times.perturbed / times.clean : 1;
    return rc;
}

static int run_round(const void *context, void *state, size_t trial, void *out)
{
    const struct study *study = context;
    struct worker *worker = state;
    struct outcome *outcome = out;
    const struct cw_bench_point *point = &study->points[trial / study->setup->rounds];
    const struct cw_bench_split *split = &study->analysis->run->splits[point->split];
    const struct cw_bench_case *about = &study->analysis->run->cases[point->case_index];
    size_t n_messages;
    int rc = take_case(worker, about);
    if (!rc) rc = draw_perturbation(worker, point->split, (uint32_t)(trial % study->setup->rounds), &n_messages);
    if (rc) return rc;
    place_application(worker, split, about->root);
    for (int m = 0; m < CW_BENCH_MODELS && !rc; m++)
        rc = simulate(worker->models[m], worker, split->n_application, n_messages, &outcome->slowdown[m]);
    return rc;
}

static int simulate_points(const struct study *study, size_t n_points)
{
    const size_t rounds = study->setup->rounds;
    const struct cw_trials trials = {.n = n_points * rounds,
                                     .outcome_size = sizeof(struct outcome),
                                     .state_size = sizeof(struct worker),
                                     .context = study,
                                     .make = make_worker,
                                     .release = release_worker,
                                     .run = run_round,
                                     .n_threads = study->setup->n_threads,
                                     .progress = study->setup->progress,
                                     .executor = study->setup->executor};
    void *found;
    struct cw_tally tally;
    const int rc = cw_trials_run(&trials, &found, &tally);
    if (rc) return rc;
    const struct outcome *outcomes = found;
    for (size_t i = 0; i < n_points * rounds; i++)
        for (int m = 0; m < CW_BENCH_MODELS; m++)
            study->points[i / rounds].predicted[m] += outcomes[i].slowdown[m] / (double)rounds;
    cw_tally_free(&tally);
    free(found);
    return 0;
}

/* --- agreement ---------------------------------------------------------------------------------------------------- */

/* The points that are compared, in arrays with room for all. */
struct comparison {
    const struct cw_bench_prediction *prediction;
    const struct cw_bench_analysis *analysis;
    uint64_t seed;
    double *measured, *predicted, *sorted[2], *errors;
    uint32_t *order[2], *counts; /* ORDER: of the points in `sorted` */
    size_t n;
};

static void select_points(struct comparison *comparison, const struct cw_bench_agreements *agreements, int model)
{
    const struct cw_bench_prediction *prediction = comparison->prediction;
    comparison->n = 0;
    for (size_t i = 0; i < prediction->n_points; i++) {
        const struct cw_bench_point *point = &prediction->points[i];
        const struct cw_bench_case *about = comparison->analysis->cases[point->case_index].about;
        if (about != agreements->about && !(agreements->all_ratios && cw_bench_case_similar(about, agreements->about)))
            continue;
        comparison->measured[comparison->n] = point->measured;
        comparison->predicted[comparison->n] = point->predicted[model];
        comparison->errors[comparison->n++] = fabs(point->predicted[model] / point->measured - 1);
    }
}

/* VALUES sorted into SORTED; ORDER says which is where. */
static void sort_points(const double *values, size_t n, double *sorted, uint32_t *order)
{
    for (size_t i = 0; i < n; i++) {
        size_t place = i;
        for (; place > 0 && sorted[place - 1] > values[i]; place--) {
            sorted[place] = sorted[place - 1];
            order[place] = order[place - 1];
        }
        sorted[place] = values[i];
        order[place] = (uint32_t)i;
    }
}

static double ratio_of_medians(void *context, const uint32_t *counts)
{
    const struct comparison *comparison = context;
    double medians[2];
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < comparison->n; i++) comparison->counts[i] = counts[comparison->order[k][i]];
        medians[k] = cw_drawn_median(comparison->sorted[k], comparison->n, comparison->counts);
    }
    return medians[1] / medians[0];
}

static int compare_medians(struct comparison *comparison, struct cw_bench_agreement *agreement)
{
    const size_t n = comparison->n;
    const struct cw_bootstrap bootstrap = {.n = n,
                                           .statistic = ratio_of_medians,
                                           .context = comparison,
                                           .resamples = RESAMPLES,
                                           .confidence = 0.95,
                                           .seed = comparison->seed};
    sort_points(comparison->measured, n, comparison->sorted[0], comparison->order[0]);
    sort_points(comparison->predicted, n, comparison->sorted[1], comparison->order[1]);
    agreement->predicted = cw_quantile(comparison->sorted[1], n, 0.5);
    const int rc = cw_bootstrap_run(&bootstrap, &agreement->ratio);
    if (!rc && n < CW_MEDIAN_VALUES) agreement->ratio.low = agreement->ratio.high = NAN;
    return rc;
}

static int agree_with(struct comparison *comparison, double scatter, struct cw_bench_agreement *agreement)
{
    const double none = (double)NAN;
    struct cw_running logs = {0};
    const size_t n = comparison->n;
    int rc = compare_medians(comparison, agreement);
    for (size_t i = 0; i < n; i++) cw_running_add(&logs, log(comparison->predicted[i]));
    agreement->spread = cw_running_deviation(&logs);
    if (!rc) rc = cw_spearman_of(comparison->measured, comparison->predicted, n, &agreement->correlation);
    if (agreement->spread <= scatter)
        agreement->correlation = (struct cw_spearman){.n = n, .r = none, .low = none, .high = none, .p = none};
    cw_sort_reals(comparison->errors, n);
    agreement->error = cw_quantile(comparison->errors, n, 0.5);
    return rc;
}

/* Of the cases that AGREEMENTS are about. */
static double mean_scatter(const struct cw_bench_analysis *analysis, const struct cw_bench_agreements *agreements)
{
    double sum = 0;
    size_t n = 0;
    for (size_t c = 0; c < analysis->n_cases; c++) {
        const struct cw_bench_summary *summary = &analysis->cases[c];
        if (summary->about != agreements->about &&
            !(agreements->all_ratios && cw_bench_case_similar(summary->about, agreements->about)))
            continue;
        sum += summary->scatter;
        n++;
    }
    return sum / (double)n;
}

static int agree(struct comparison *comparison, struct cw_bench_agreements *agreements)
{
    int rc = 0;
    agreements->scatter = mean_scatter(comparison->analysis, agreements);
    for (int m = 0; m < CW_BENCH_MODELS && !rc; m++) {
        select_points(comparison, agreements, m);
        agreements->n = comparison->n;
        if (comparison->n == 0) return 0;
        rc = agree_with(comparison, agreements->scatter, &agreements->of[m]);
        agreements->measured = cw_quantile(comparison->sorted[0], comparison->n, 0.5);
        if (agreements->of[m].error < agreements->of[agreements->best].error) agreements->best = (enum cw_bench_model)m;
    }
    return rc;
}

/* Whether cases like CASE_INDEX, of which it is the last, have several ratios. */
static bool ends_ratios(const struct cw_bench_run *run, size_t case_index)
{
    size_t similar = 0;
    for (size_t c = 0; c < run->n_cases; c++) {
        if (!cw_bench_case_similar(&run->cases[c], &run->cases[case_index])) continue;
        if (c > case_index) return false;
        similar++;
    }
    return similar > 1;
}

static int find_agreements(const struct cw_bench_analysis *analysis, uint64_t seed,
                           struct cw_bench_prediction *prediction)
{
    const struct cw_bench_run *run = analysis->run;
    const size_t n = prediction->n_points;
    double *room = cw_new_array(5 * n, sizeof *room, "slowdowns of splits");
    uint32_t *orders = cw_new_array(3 * n, sizeof *orders, "slowdowns of splits");
    prediction->agreements = cw_new_array(2 * run->n_cases, sizeof *prediction->agreements, "agreements");
    int rc = room && orders && prediction->agreements ? 0 : CW_ENOMEM;
    struct comparison comparison = {.prediction = prediction, .analysis = analysis, .seed = seed};
    if (!rc) {
        comparison.measured = room;
        comparison.predicted = room + n;
        comparison.errors = room + 2 * n;
        comparison.counts = orders;
        for (size_t k = 0; k < 2; k++) {
            comparison.sorted[k] = room + (3 + k) * n;
            comparison.order[k] = orders + (1 + k) * n;
        }
    }
    for (size_t c = 0; c < run->n_cases && !rc; c++)
        for (int all = 0; all < (ends_ratios(run, c) ? 2 : 1) && !rc; all++) {
            struct cw_bench_agreements *agreements = &prediction->agreements[prediction->n_agreements];
            *agreements = (struct cw_bench_agreements){.about = &run->cases[c], .all_ratios = all};
            rc = agree(&comparison, agreements);
            prediction->n_agreements += agreements->n > 0;
        }
    free(room);
    free(orders);
    return rc;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

size_t cw_bench_prediction_points(const struct cw_bench_analysis *analysis)
{
    size_t n = 0;
    for (size_t c = 0; c < analysis->n_cases; c++) n += analysis->cases[c].effects[CW_BENCH_PERTURBED].n;
    return n;
}

static int list_points(const struct cw_bench_analysis *analysis, struct cw_bench_prediction *prediction)
{
    const size_t n = cw_bench_prediction_points(analysis);
    prediction->points = cw_new_array(n, sizeof *prediction->points, "predictions");
    if (!prediction->points) return CW_ENOMEM;
    for (uint32_t c = 0; c < analysis->n_cases; c++)
        for (size_t s = 0; s < analysis->cases[c].n_splits; s++) {
            const struct cw_bench_medians *split = &analysis->cases[c].splits[s];
            const double measured = cw_bench_split_ratio(split, CW_BENCH_PERTURBED);
            if (isnan(measured)) continue;
            prediction->points[prediction->n_points++] = (struct cw_bench_point){
                c, split->split, measured, cw_bench_split_error(split, CW_BENCH_PERTURBED), {0}};
        }
    return n > 0 ? 0
                 : cw_fail(CW_EUSAGE, "no split was measured both clean and perturbed: there is nothing to predict");
}

int cw_bench_predict(const struct cw_bench_analysis *analysis, const struct cw_bench_prediction_setup *setup,
                     struct cw_bench_prediction *out)
{
    struct cw_bench_prediction prediction = {0};
    int rc = list_points(analysis, &prediction);
    const struct study study = {analysis, setup, prediction.points};
    if (!rc) rc = simulate_points(&study, prediction.n_points);
    if (!rc) rc = find_agreements(analysis, setup->seed, &prediction);
    if (rc)
        cw_bench_prediction_free(&prediction);
    else
        *out = prediction;
    return rc;
}

void cw_bench_prediction_free(struct cw_bench_prediction *prediction)
{
    if (!prediction) return;
    free(prediction->points);
    free(prediction->agreements);
    *prediction = (struct cw_bench_prediction){0};
}
