#include "base/trials.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

/* --- tallies ------------------------------------------------------------------------------------------------------ */

int cw_counts_reserve(struct cw_counts *counts, size_t n)
{
    const size_t before = counts->n;
    const int rc = cw_grow_array((void **)&counts->items, &counts->n, n, sizeof *counts->items, "counts");
    for (size_t i = before; !rc && i < counts->n; i++) counts->items[i] = 0;
    return rc;
}

int cw_tally_new_maxima(struct cw_tally *tally, size_t n)
{
    tally->maxima = cw_new_array(n, sizeof *tally->maxima, "maxima");
    if (!tally->maxima) return CW_ENOMEM;
    tally->n_maxima = n;
    return 0;
}

int cw_tally_merge(struct cw_tally *into, const struct cw_tally *from)
{
    for (size_t k = 0; k < CW_TALLY_COUNTS; k++) {
        const struct cw_counts *counts = &from->counts[k];
        const int rc = cw_counts_reserve(&into->counts[k], counts->n);
        if (rc) return rc;
        for (size_t i = 0; i < counts->n; i++) into->counts[k].items[i] += counts->items[i];
    }
    const int rc = into->maxima ? 0 : cw_tally_new_maxima(into, from->n_maxima);
    for (size_t i = 0; !rc && i < from->n_maxima; i++)
        if (from->maxima[i] > into->maxima[i]) into->maxima[i] = from->maxima[i];
    return rc;
}

void cw_tally_free(struct cw_tally *tally)
{
    for (size_t k = 0; k < CW_TALLY_COUNTS; k++) free(tally->counts[k].items);
    free(tally->maxima);
    *tally = (struct cw_tally){0};
}

/* --- trials ------------------------------------------------------------------------------------------------------- */

/* The trials that one call runs. */
struct share {
    const struct cw_trials *trials;
    struct cw_handout *handout; /* NULL: all of them */
    char *outcomes;
    char *states; /* [threads] */
};

static bool next_trial(void *context, size_t *trial)
{
    const struct share *share = context;
    return share->handout->next(share->handout, trial);
}

/* Of a trial that failed no half is left behind. */
static int run_trial(void *context, size_t trial, unsigned thread)
{
    const struct share *share = context;
    const struct cw_trials *trials = share->trials;
    void *outcome = share->outcomes + trial * trials->outcome_size;
    const int rc = trials->run(trials->context, share->states + thread * trials->state_size, trial, outcome);
    if (rc) {
        memset(outcome, 0, trials->outcome_size);
        return rc;
    }
    if (share->handout) share->handout->done(share->handout);
    cw_progress_step(trials->progress, 1);
    return 0;
}

static int run_share(struct share *share, unsigned n_threads, size_t *failed)
{
    const size_t n = share->trials->n;
    return share->handout ? cw_parallel_each(n_threads, next_trial, run_trial, share, failed)
                          : cw_parallel_for(n_threads, n, run_trial, share);
}

int cw_trials_run_here(const struct cw_trials *trials, struct cw_handout *handout, void *outcomes,
                       struct cw_tally *tally, size_t *failed)
{
    const unsigned n_threads = cw_parallel_threads(trials->n_threads, trials->n);
    struct share share = {trials, handout, outcomes,
                          cw_new_array(n_threads, trials->state_size, "workspaces of trials")};
    *failed = trials->n;
    if (!share.states) return CW_ENOMEM;
    int rc = 0;
    for (unsigned i = 0; trials->make && !rc && i < n_threads; i++)
        rc = trials->make(trials->context, share.states + i * trials->state_size);
    if (!rc) rc = run_share(&share, n_threads, failed);
    for (unsigned i = 0; i < n_threads; i++) {
        void *state = share.states + i * trials->state_size;
        if (!rc && trials->tally) rc = cw_tally_merge(tally, trials->tally(state));
        if (trials->release) trials->release(state);
    }
    free(share.states);
    return rc;
}

int cw_trials_run_into(const struct cw_trials *trials, void *outcomes, struct cw_tally *tally)
{
    if (trials->n == 0) return cw_fail(CW_EUSAGE, "0 trials, expected at least 1");
    struct cw_tally sum = {0};
    size_t failed;
    const int rc = trials->executor ? trials->executor->run(trials->executor, trials, outcomes, &sum)
                                    : cw_trials_run_here(trials, NULL, outcomes, &sum, &failed);
    if (!rc && tally)
        *tally = sum;
    else
        cw_tally_free(&sum);
    return rc;
}

int cw_trials_run(const struct cw_trials *trials, void **outcomes, struct cw_tally *tally)
{
    void *of_all = cw_new_array(trials->n, trials->outcome_size, "results of trials");
    if (!of_all) return CW_ENOMEM;
    const int rc = cw_trials_run_into(trials, of_all, tally);
    if (!rc)
        *outcomes = of_all;
    else
        free(of_all);
    return rc;
}
