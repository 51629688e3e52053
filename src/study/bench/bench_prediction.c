#include "study/bench/bench_prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "net/network.h"
#include "sim/collective.h"
#include "study/bench/partners.h"
#include "traffic/schedule.h"

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
        if (m == CW_BENCH_LOGGP) collective.timing = setup->timing;
        collective.timing.loggp = m == CW_BENCH_LOGGP;
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

/* How the points of cases that are SELECTED agree; X, Y and ERRORS have room for them. */
struct comparison {
    const struct cw_bench_prediction *prediction;
    const struct cw_bench_run *run;
    double *measured, *predicted, *errors;
};

static int agree(struct comparison *comparison, struct cw_bench_agreements *agreements)
{
    const struct cw_bench_prediction *prediction = comparison->prediction;
    for (int m = 0; m < CW_BENCH_MODELS; m++) {
        size_t n = 0;
        for (size_t i = 0; i < prediction->n_points; i++) {
            const struct cw_bench_point *point = &prediction->points[i];
            const struct cw_bench_case *about = &comparison->run->cases[point->case_index];
            if (about != agreements->about &&
                !(agreements->all_ratios && cw_bench_case_similar(about, agreements->about)))
                continue;
            comparison->measured[n] = point->measured;
            comparison->predicted[n] = point->predicted[m];
            comparison->errors[n++] = fabs(point->predicted[m] / point->measured - 1);
        }
        const int rc = cw_spearman_of(comparison->measured, comparison->predicted, n, &agreements->of[m].correlation);
        if (rc) return rc;
        cw_sort_reals(comparison->errors, n);
        agreements->of[m].error = cw_quantile(comparison->errors, n, 0.5);
        agreements->n = n;
    }
    return 0;
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

static int find_agreements(const struct cw_bench_run *run, struct cw_bench_prediction *prediction)
{
    const size_t n = prediction->n_points;
    double *room = cw_new_array(3 * n, sizeof *room, "slowdowns of splits");
    prediction->agreements = cw_new_array(2 * run->n_cases, sizeof *prediction->agreements, "agreements");
    struct comparison comparison = {prediction, run, room, room + n, room + 2 * n};
    int rc = room && prediction->agreements ? 0 : CW_ENOMEM;
    for (size_t c = 0; c < run->n_cases && !rc; c++)
        for (int all = 0; all < (ends_ratios(run, c) ? 2 : 1) && !rc; all++) {
            struct cw_bench_agreements *agreements = &prediction->agreements[prediction->n_agreements];
            *agreements = (struct cw_bench_agreements){.about = &run->cases[c], .all_ratios = all};
            rc = agree(&comparison, agreements);
            prediction->n_agreements += agreements->n > 0;
        }
    free(room);
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
            prediction->points[prediction->n_points++] = (struct cw_bench_point){c, split->split, measured, {0}};
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
    if (!rc) rc = find_agreements(analysis->run, &prediction);
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
