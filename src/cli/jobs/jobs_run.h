/* What `crosswind jobs` consists of: its options, a run of it by each model, and what all models show alike. */
#ifndef CW_CLI_JOBS_RUN_H
#define CW_CLI_JOBS_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "base/summary.h"
#include "cli/fabric.h"
#include "cli/flit/flit_mode.h"
#include "flow/moves/moves.h"
#include "net/files/counters.h"
#include "study/jobs/advice.h"
#include "study/jobs/flit_jobs_case.h"
#include "study/jobs/flow_jobs.h"

#define JOBS_DISAGREEMENT 1.3 /* of two models: from here on it is said in words */

enum jobs_model { JOBS_COUNTS, JOBS_FLOWS, JOBS_FLITS };
enum jobs_advise { JOBS_ADVISE_NONE, JOBS_ADVISE_ONE, JOBS_ADVISE_ALL = JOBS_ADVISE_ONE + CW_ADVICE_KINDS };

struct jobs_options {
    char *jobs, *placement, *hosts, *counters;
    int advise, model; /* enum jobs_advise, JOBS_ADVISE_ONE and a kind; enum jobs_model */
    int hosts_format;  /* enum cw_hosts_form */
    int64_t trials, top, check, path;
    double overhead, latency, counters_seconds;
    uint64_t rendezvous;
};

/* What ports have counted between two readings. */
struct jobs_counters {
    struct cw_channel_counts counts; /* zeroed: none */
    double seconds;                  /* between the readings; NAN: unknown */
};

struct jobs_run {
    struct invocation *invocation;
    const struct jobs_options *values;
    struct fabric fabric;
    struct cw_jobs jobs;
    size_t trials;
    struct jobs_counters counters;
    struct cw_table *table; /* the result's */
};

/* --- by model ----------------------------------------------------------------------------------------------------- */

static inline bool jobs_advises(const struct jobs_options *values, enum cw_advice_kind kind)
{
    return values->advise == JOBS_ADVISE_ALL || values->advise == JOBS_ADVISE_ONE + (int)kind;
}

/* All that counts and flows say: times, pairs, channels, advice; and with --check what flits say of the same. */
int jobs_by_flows(struct jobs_run *run);

/* Tries what is to be advised on the jobs of SETUP, which are RUN's, and says what would be faster. */
int jobs_advise(struct jobs_run *run, const struct cw_flow_jobs_setup *setup);

/* Says what decided the end of the job that --longest-path names, beside all others. */
int jobs_longest_path(const struct jobs_run *run, const struct cw_flow_jobs_setup *setup);

/* Reads what --counters names. */
int jobs_read_counters(struct jobs_run *run);

/* Compares what was counted with what the jobs of SETUP, which are RUN's, send; TIMES are theirs. */
int jobs_add_counters(const struct jobs_run *run, const struct cw_flow_jobs_setup *setup,
                      const struct cw_flow_jobs *times);

/* What flits say, with --check beside flows. FABRIC of RUN has no routes yet. */
int jobs_by_flits(struct jobs_run *run);

/* A plan flit by flit, or by flows, beside the routes of FABRIC: MOVES, in which the times that are found become those
 * that are predicted, or those in FILE. */
int jobs_moves(struct invocation *invocation, const struct fabric *fabric, struct cw_moves *moves, bool flits);
int jobs_moves_file(struct invocation *invocation, const struct fabric *fabric, const char *file, bool flits);

/* The first TRIALS trials of RUN flit by flit, on the routes of its fabric, which are given away. Free with
 * cw_flit_trials_free. */
int jobs_try_flits(struct jobs_run *run, size_t trials, struct cw_flit_trials *out);

/* The same TRIALS by flows on ROUTES, without o and L, which flits have not. Free with cw_flow_jobs_free. */
int jobs_try_flows(const struct jobs_run *run, const struct cw_routes *routes, size_t trials, struct cw_flow_jobs *out);

/* --- what is shown ------------------------------------------------------------------------------------------------ */

/* Of a job in all trials. A quantity without samples does not apply. */
struct jobs_figures {
    size_t trials;                           /* 0: nothing of it was measured */
    struct cw_summary time, alone, slowdown; /* [s], [s], time / alone */
    /* by flits only: */
    struct cw_summary accepted, cycles, counts_slowdown;
};

/* Makes the table, for ROWS rows. */
int jobs_report_begin(struct jobs_run *run, size_t rows);

/* Declares what each job takes and suffers as a figure. */
int jobs_report_figure(const struct jobs_run *run);

/* Adds a row for each job, FIGURES [jobs]; and says who suffers most. ROUTING is NULL but by flits. */
void jobs_report_rows(const struct jobs_run *run, const char *routing, const struct jobs_figures *figures);

/* The cells of CHANNEL with which a row of it begins: id, from, to, speed. */
void jobs_report_channel(const struct cw_network *net, uint32_t channel, struct cw_table *table);

/* Says what the names of collectives stand for. */
void jobs_report_names(const struct jobs_run *run);

/* Says so if WHAT takes another time by flits than by flows, APART times that of flits. */
void jobs_note_apart(struct cw_result *result, const char *what, double apart);

/* Says what flits say beside flows, of the same trials; where they disagree, in words. */
int jobs_report_check(const struct jobs_run *run, const struct cw_flow_jobs *flows, const struct cw_flit_trials *flits);

#endif
