/*
 * Trials: many runs of one experiment with other draws, each keyed by its number. The one loop of all simulating verbs.
 *
 * A simulator says how one trial is run and what its outcome is, a structure of fixed size without pointers. What
 * trials add up beyond that (histograms, figures of every channel) goes into a tally, whose whole numbers and maxima do
 * not depend on the order. The simulator makes its figures of all outcomes, in the order of trials, after the last one.
 * So results do not depend on who computed which trial.
 *
 * Who computes them is the executor's affair: the threads of this process, or, with an executor of the caller's, any
 * number of processes. A simulator passes the caller's executor on and knows nothing of it.
 */
#ifndef CW_BASE_TRIALS_H
#define CW_BASE_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress.h"

CW_BEGIN_DECLS

/* --- tallies ------------------------------------------------------------------------------------------------------ */

/* Whole numbers, by index; those from N on are 0. Starts zeroed. */
struct cw_counts {
    uint64_t *items; /* [n] */
    size_t n;
};

/* Makes room for N of them at least. 0 or CW_ENOMEM. */
int cw_counts_reserve(struct cw_counts *counts, size_t n);

/* One more of INDEX. 0 or CW_ENOMEM. */
static inline int cw_counts_add(struct cw_counts *counts, size_t index)
{
    const int rc = index < counts->n ? 0 : cw_counts_reserve(counts, index + 1);
    if (!rc) counts->items[index]++;
    return rc;
}

#define CW_TALLY_COUNTS 3

/* What trials have added up so far. Starts zeroed; free with cw_tally_free. */
struct cw_tally {
    struct cw_counts counts[CW_TALLY_COUNTS]; /* are added */
    double *maxima;                           /* [n_maxima], at least 0: the greater one is kept */
    size_t n_maxima;
};

/* Makes room for N maxima, all 0. 0 or CW_ENOMEM. */
int cw_tally_new_maxima(struct cw_tally *tally, size_t n);

/* Adds FROM to INTO, which has no maxima yet or as many. 0 or CW_ENOMEM. */
int cw_tally_merge(struct cw_tally *into, const struct cw_tally *from);
void cw_tally_free(struct cw_tally *tally);

/* --- trials ------------------------------------------------------------------------------------------------------- */

struct cw_executor;

struct cw_trials {
    size_t n;                                      /* trials 0 … n-1; at least 1 */
    size_t outcome_size;                           /* bytes of an outcome */
    size_t state_size;                             /* bytes of a state: the workspace of a thread */
    const void *context;                           /* what all share; the functions get it */
    int (*make)(const void *context, void *state); /* a zeroed STATE; `release` is called in any case. Both may be … */
    void (*release)(void *state);                  /* … NULL: nothing to do */
    /* Runs trial TRIAL. OUTCOME is zeroed; it may depend on CONTEXT and TRIAL only. */
    int (*run)(const void *context, void *state, size_t trial, void *outcome);
    struct cw_tally *(*tally)(void *state); /* the tally in STATE; NULL: there is none */
    /* In the first of several processes, on one thread: what a trial of another has told (struct cw_executor). NULL:
     * they tell nothing. */
    int (*told)(const void *context, const char *bytes, size_t length);
    unsigned n_threads;                 /* 0: all cores */
    struct cw_progress *progress;       /* steps once a trial; may be NULL */
    const struct cw_executor *executor; /* NULL: the threads of this process run all */
};

/* Runs all trials. *OUTCOMES, [n], is the caller's: free. *TALLY gets the sum of all tallies, cw_tally_free; NULL if
 * there are none. If trials fail, the error is that of the lowest, for any number of threads (base/parallel.h);
 * CW_EUSAGE for no trials. Memory: outcomes, and a state for each thread. */
int cw_trials_run(const struct cw_trials *trials, void **outcomes, struct cw_tally *tally);

/* The same with OUTCOMES of the caller's, zeroed; after an error it has those of the trials that ran, and zeros. */
int cw_trials_run_into(const struct cw_trials *trials, void *outcomes, struct cw_tally *tally);

/* Hands out trials to the threads of this process; the first member of a structure that has what it needs. */
struct cw_handout {
    /* The next trial, each once and in rising order, to whichever thread asks; it may wait. False: there are no more.
     */
    bool (*next)(struct cw_handout *handout, size_t *trial);
    void (*done)(struct cw_handout *handout); /* a trial has run; any thread */
};

/* Runs the trials that HANDOUT gives on threads of this process: the share of an executor. OUTCOMES, [trials->n] and
 * zeroed, gets theirs, also those that ran before an error; TALLY the sum of theirs, if there is none. After an error
 * of a trial, *FAILED is its number; else at least trials->n. */
int cw_trials_run_here(const struct cw_trials *trials, struct cw_handout *handout, void *outcomes,
                       struct cw_tally *tally, size_t *failed);

/* Another way to run trials, e.g. shared out over processes; the first member of a structure that has what it needs.
 * `run` fills OUTCOMES, [trials->n] and zeroed, and TALLY (empty) in every process, so that all of them make the same
 * figures afterwards; OUTCOMES also after an error, as far as trials have run. Of several errors, all give that of the
 * lowest trial. */
struct cw_executor {
    int (*run)(const struct cw_executor *executor, const struct cw_trials *trials, void *outcomes,
               struct cw_tally *tally);
    /* For what must not be lost with a process: a trial that runs tells the first process LENGTH > 0 BYTES, which
     * `told` of the trials gets soon, in the order of each process and before `run` ends. Any thread may. 0 or
     * CW_ENOMEM. NULL in the first process, which has nobody to tell. */
    int (*tell)(const struct cw_executor *executor, const char *bytes, size_t length);
    /* Between two runs, in all processes: BYTES, as many in each, become those of the first. NULL: it is alone. */
    int (*share)(const struct cw_executor *executor, void *bytes, size_t length);
};

CW_END_DECLS

#endif
