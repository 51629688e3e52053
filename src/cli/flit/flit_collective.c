#include "cli/flit/flit_collective.h"

#include "base/error.h"
#include "cli/flit/flit_outcomes.h"
#include "report/rows.h"

#define TRIALS   20  /* if nothing is said of them */
#define DISAGREE 1.3 /* slowdowns of two models that differ by more are said to */

static const struct cw_column columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all endpoints"},
    {"trials", CW_COLUMN_INT, NULL, "random trials that ended"},
    {"clean_mean", CW_COLUMN_REAL, "cycle", "time of the collective alone"},
    {"clean_ci95", CW_COLUMN_REAL, "cycle", "half width of its 95 % confidence interval", .interval = true},
    {"perturbed_mean", CW_COLUMN_REAL, "cycle", "time beside the perturbation"},
    {"perturbed_ci95", CW_COLUMN_REAL, "cycle", "half width of its 95 % confidence interval", .interval = true},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "perturbed / clean, mean over trials"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"congestion_slowdown_mean", CW_COLUMN_REAL, NULL, "the congestion model's slowdown in the same trials"},
    {"congestion_slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

struct study {
    const struct flit_mode *mode;
    size_t trials;
    struct cw_flit_jobs jobs; /* the collective, then the perturbation if there is any */
    struct cw_table *table;   /* the result's */
};

static int add_row(const struct study *study, const struct flit_routing *routing, const struct cw_flit_trials *trials)
{
    static const enum cw_outcome_quantity quantities[] = {CW_OUTCOME_ALONE, CW_OUTCOME_TIME, CW_OUTCOME_SLOWDOWN,
                                                          CW_OUTCOME_CONGESTION_SLOWDOWN};
    struct cw_table *table = study->table;
    cw_table_row(table, "%s %g %zu", cw_packet_routing_spec(routing->packets), study->mode->values->ratio,
                 trials->kept);
    int rc = 0;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities && !rc; i++)
        rc = flit_outcomes_add(trials, 0, quantities[i], table);
    return rc;
}

/* What `crosswind noise` would have said of the same trials, where that is another answer. */
static int note_disagreement(const struct study *study, const struct flit_routing *routing,
                             const struct cw_flit_trials *trials)
{
    struct cw_summary flits, counts;
    int rc = cw_flit_trials_summarise(trials, 0, CW_OUTCOME_SLOWDOWN, &flits);
    if (!rc) rc = cw_flit_trials_summarise(trials, 0, CW_OUTCOME_CONGESTION_SLOWDOWN, &counts);
    if (rc || !(counts.mean > 0) || study->jobs.n == 1) return rc;
    const double ratio = flits.mean / counts.mean;
    if (ratio <= DISAGREE && ratio >= 1 / DISAGREE) return 0;
    cw_result_note(study->mode->invocation->result,
                   "%s: flit by flit the slowdown is %.3g, and %.3g by counting messages, as crosswind noise does. "
                   "Its model leaves out queues, which fill from one channel to the next.",
                   cw_packet_routing_spec(routing->packets), flits.mean, counts.mean);
    return 0;
}

static int run_routing(void *context, const struct flit_routing *routing)
{
    struct study *study = context;
    struct cw_flit_trials trials;
    uint64_t warmup;
    int rc = flit_outcomes_run(study->mode, &study->jobs, routing, study->trials, &trials, &warmup);
    if (rc) return rc;
    rc = add_row(study, routing, &trials);
    if (!rc) rc = note_disagreement(study, routing, &trials);
    cw_flit_trials_free(&trials);
    if (!rc && warmup > 0)
        cw_result_note(study->mode->invocation->result,
                       "%s: the perturbation ran for %llu cycles before each collective began.",
                       cw_packet_routing_spec(routing->packets), (unsigned long long)warmup);
    return rc;
}

/* The collective and its perturbation on random endpoints. */
static int make_jobs(struct study *study)
{
    const struct flit_options *values = study->mode->values;
    struct cw_result *result = study->mode->invocation->result;
    const int rc = cw_flit_jobs_perturb(values->schedule, values->bytes, values->ratio,
                                        flit_options_loads(values).values[0], study->mode->selection->n, &study->jobs);
    if (rc) return rc;
    cw_result_set_context(result, CW_CONTEXT_PLACEMENT, "random");
    cw_result_set_context(result, CW_CONTEXT_TRAFFIC, values->schedule);
    if (study->jobs.n > 1) cw_result_set_context(result, CW_CONTEXT_BACKGROUND, "permutation");
    return 0;
}

int flit_collective(const struct flit_mode *mode)
{
    struct study study = {.mode = mode, .trials = mode->values->trials > 0 ? (size_t)mode->values->trials : TRIALS};
    int rc = make_jobs(&study);
    if (!rc) rc = cw_table_new("collective", "Time of a collective, flit by flit", CW_ITEMS(columns), &study.table);
    if (!rc) rc = cw_result_add_table(mode->invocation->result, study.table);
    if (!rc) cw_table_expect(study.table, mode->n_routings);
    if (!rc) rc = flit_each_routing(mode, run_routing, &study);
    cw_flit_jobs_free(&study.jobs);
    return rc;
}
