/* crosswind jobs: finite work side by side, by flows. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/fabric.h"
#include "cli/jobs/jobs_report.h"
#include "net/network_internal.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"

#define RANDOM_TRIALS 20 /* by default, where something is drawn */

struct jobs_options {
    char *jobs, *placement, *hosts;
    int advise;
    int64_t trials, top, check;
    double overhead, latency;
    uint64_t rendezvous;
};

enum advise { ADVISE_NONE, ADVISE_ONE, ADVISE_ALL = ADVISE_ONE + CW_ADVICE_KINDS }; /* ADVISE_ONE + a kind */
static const char *const advices[] = {"none", "placement", "collective", "routing", "cable", "all", NULL};

static const struct cw_option options[] = {
    {.name = "jobs",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct jobs_options, jobs),
     .value_name = "JOB[;JOB...]|FILE",
     .help =
         "jobs that share the network, or a file with one a line. Each is a collective, a traffic pattern or a program "
         "(goal:FILE), followed by any of ranks=N, bytes=SIZE, placement=P, load=X, start=TIME and repeat=N: a "
         "collective has messages of that size, a pattern ends when each rank has sent that much, and without bytes= "
         "it never ends; a program has the ranks of its file"},
    {.name = "placement",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct jobs_options, placement),
     .value_name = "PLACEMENT",
     .default_text = "contiguous",
     .names = &cw_placement_registry,
     .help = "which endpoints jobs get that name no placement of their own: each takes the first that are free in this "
             "order (see crosswind help placements)"},
    {.name = "trials",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct jobs_options, trials),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 1e6,
     .help = "repetitions with new random choices; 0: 20 if a placement or a pattern is random, else 1"},
    {.name = "o",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct jobs_options, overhead),
     .value_name = "TIME",
     .default_text = "1us",
     .min = 0,
     .max = 1e6,
     .help = "time a message costs its sender's processor, software and adapters of both ends together"},
    {.name = "L",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct jobs_options, latency),
     .value_name = "TIME",
     .default_text = "0us",
     .min = 0,
     .max = 1e6,
     .help = "latency of a message beside those of the channels on its route"},
    {.name = "rendezvous",
     .rare = true,
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct jobs_options, rendezvous),
     .value_name = "SIZE",
     .default_text = "0B",
     .min = 0,
     .max = 0x1p62,
     .help = "longer messages ask their receiver first and begin when it has answered; 0: none does"},
    {.name = "advise",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct jobs_options, advise),
     .default_text = "none",
     .choices = advices,
     .help = "try all placements for the last job, or all algorithms of its collective, with the other jobs as they "
             "are; or "
             "for all jobs all routings, or faster cables where they are busiest; or all of these; and say what brings "
             "how much"},
    {.name = "hosts",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct jobs_options, hosts),
     .help = "write the last job's endpoints under the best placement to FILE, one a line, as placement=file:FILE and "
             "mpirun read them"},
    {.name = "check",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct jobs_options, check),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 1e6,
     .help = "simulate the first N trials flit by flit, too, and compare"},
    {.name = "top",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct jobs_options, top),
     .value_name = "N",
     .default_text = "5",
     .min = 0,
     .max = 1e6,
     .help = "how many of the busiest channels to list"},
    {.name = NULL},
};

/* --- what is asked for -------------------------------------------------------------------------------------------- */

/* The jobs that TEXT lists; or, if that is the name of a file, those in it. */
static int read_jobs(const struct jobs_options *values, uint32_t n, struct cw_flit_jobs *jobs)
{
    struct stat status;
    struct cw_text text = {0};
    if (!values->jobs)
        return cw_fail(CW_EUSAGE,
                       "no jobs are given; expected for example --jobs 'allreduce ranks=8 bytes=1MiB; alltoall'");
    if (stat(values->jobs, &status) || !S_ISREG(status.st_mode))
        return cw_flit_jobs_parse(values->jobs, values->placement, n, jobs);
    int rc = cw_file_read(values->jobs, &text);
    if (!rc) rc = cw_flit_jobs_parse(text.data ? text.data : "", values->placement, n, jobs);
    cw_text_free(&text);
    return rc;
}

static int is_drawn(const struct fabric *fabric, const struct cw_flit_request *job, bool *drawn)
{
    struct cw_placement *placement = NULL;
    struct cw_pattern *pattern = NULL;
    struct cw_ranks ranks;
    int rc = cw_placement_new(job->placement, fabric->net, fabric->selection, &placement);
    cw_ranks_of(fabric->net, job->ranks, &ranks);
    if (!rc && !job->collective && !job->program) rc = cw_pattern_new(job->what, &ranks, &pattern);
    if (!rc) *drawn |= cw_placement_is_random(placement) || (pattern && cw_pattern_is_random(pattern));
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    return rc;
}

static int count_trials(const struct jobs_options *values, const struct fabric *fabric, const struct cw_flit_jobs *jobs,
                        size_t *trials)
{
    bool drawn = values->advise != ADVISE_NONE; /* random ones are tried, too */
    int rc = 0;
    for (size_t i = 0; !rc && i < jobs->n; i++) rc = is_drawn(fabric, &jobs->items[i], &drawn);
    *trials = values->trials > 0 ? (size_t)values->trials : drawn ? RANDOM_TRIALS : 1;
    return rc;
}

/* --- running them ------------------------------------------------------------------------------------------------- */

/* The routes of FABRIC are given away. */
static int check_jobs(const struct jobs_report *report, size_t trials, struct fabric *fabric)
{
    struct cw_flow_jobs_setup setup = *report->setup;
    struct cw_flow_jobs_check check;
    struct cw_routes *routes = fabric->routes;
    fabric->routes = NULL;
    setup.progress = invocation_progress(report->invocation, "flit by flit", trials);
    int rc = cw_flow_jobs_check_run(&setup, trials, routes, &check);
    cw_progress_free(setup.progress);
    if (rc) return rc;
    rc = jobs_report_check(report, &check);
    cw_flow_jobs_check_free(&check);
    return rc;
}

static bool is_advised(unsigned advise, enum cw_advice_kind kind)
{
    return advise == ADVISE_ALL || advise == ADVISE_ONE + (unsigned)kind;
}

static int advise(const struct jobs_report *report, unsigned advise, const char *hosts)
{
    bool kinds[CW_ADVICE_KINDS];
    for (enum cw_advice_kind k = 0; k < CW_ADVICE_KINDS; k++) kinds[k] = is_advised(advise, k);
    return jobs_report_advise(report, kinds, hosts);
}

static int run_jobs(struct invocation *invocation, struct fabric *fabric, const struct cw_flit_jobs *jobs)
{
    const struct jobs_options *values = invocation->values;
    struct cw_flow_jobs_setup setup = {.routes = fabric->routes,
                                       .selection = fabric->selection,
                                       .jobs = jobs,
                                       .overhead = values->overhead,
                                       .latency = values->latency,
                                       .rendezvous = values->rendezvous,
                                       .seed = (uint64_t)invocation->common.seed,
                                       .pairs = jobs->n > 2 ? CW_PAIRS_ALL : CW_PAIRS_NONE,
                                       .n_threads = (unsigned)invocation->common.threads,
                                       .executor = invocation_executor(invocation)};
    struct jobs_report report = {.invocation = invocation, .fabric = fabric, .jobs = jobs, .setup = &setup};
    int rc = count_trials(values, fabric, jobs, &setup.trials);
    if (rc) return rc;
    setup.progress = invocation_progress(invocation, "jobs", cw_flow_jobs_steps(&setup));
    rc = cw_flow_jobs_run(&setup, &report.times);
    cw_progress_free(setup.progress);
    setup.progress = NULL;
    if (rc) return rc;
    report.values = cw_new_array(setup.trials, sizeof *report.values, "times of jobs");
    rc = report.values ? jobs_report_add(&report, (size_t)values->top) : CW_ENOMEM;
    if (!rc && values->advise != ADVISE_NONE) rc = advise(&report, (unsigned)values->advise, values->hosts);
    if (!rc && values->check > 0) rc = check_jobs(&report, (size_t)values->check, fabric);
    free(report.values);
    cw_flow_jobs_free(&report.times);
    return rc;
}

static int run(struct invocation *invocation)
{
    const struct jobs_options *values = invocation->values;
    struct fabric fabric;
    struct cw_flit_jobs jobs = {0};
    if (values->hosts && !is_advised((unsigned)values->advise, CW_ADVISE_PLACEMENT))
        return cw_fail(CW_EUSAGE, "--hosts is for --advise placement and all");
    int rc = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!rc) rc = read_jobs(values, fabric.selection->n, &jobs);
    if (!rc && values->check > 0) rc = cw_flit_jobs_check(&jobs);
    if (!rc) {
        cw_result_set_context(invocation->result, CW_CONTEXT_PLACEMENT, values->placement);
        rc = run_jobs(invocation, &fabric, &jobs);
    }
    cw_flit_jobs_free(&jobs);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_jobs = {
    .name = "jobs",
    .help = "How long jobs take side by side, and which one slows down which",
    .arguments = network_argument,
    .description =
        "Jobs are collectives, traffic patterns and programs. All begin together, unless start= says otherwise, each "
        "on endpoints of its own: the first that are free in the order of its placement; one job may leave out ranks= "
        "to get all that remain. Each is run alone, beside all others, and beside each one of them. Messages are flows "
        "that share channels in time, max-min fairly: between counting messages of a round (crosswind noise) and "
        "simulating every flit (crosswind flit --jobs). The "
        "time of a collective comes with the bandwidths that NCCL's tests print.",
    .examples =
        "  crosswind jobs rail:8,8,8@400Gbit/s --jobs 'ring-allreduce bytes=1GiB'\n"
        "  crosswind jobs fabric.ibnetdiscover --lft opensm-lfts.dump --jobs 'allreduce ranks=64 bytes=1MiB; alltoall "
        "ranks=32 bytes=64KiB; uniform' --placement random\n",
    .options = options,
    .size = sizeof(struct jobs_options),
    .network = true,
    .routes = true,
    .lids = true,
    .run = run,
};
