/* crosswind jobs: finite work side by side, by counts, flows or flits. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/jobs/jobs_run.h"
#include "net/hosts.h"
#include "net/network_internal.h"
#include "traffic/placement.h"

static const char *const models[] = {"counts", "flows", "flits", NULL}; /* as enum jobs_model has them */
static const char *const advices[] = {"none", "placement", "collective", "routing", "cable", "all", NULL};

static const struct cw_option options[] = {
    {.name = "jobs",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct jobs_options, jobs),
     .value_name = "JOB[;JOB...]|FILE",
     .help =
         "jobs that share the network, or a file with one a line. Each is a collective, a traffic pattern or a program "
         "(goal:FILE, or recorded:FILE), followed by any of hosts=N (or N% of them, or names, see crosswind help "
         "names; also ranks=N), "
         "bytes=SIZE, placement=P, load=X, start=TIME and repeat=N: a "
         "collective has messages of that size, a pattern ends when each rank has sent that much, and without bytes= "
         "it never ends; a program has the ranks of its file, and collectives=RULE, once or more, says which schedules "
         "the collectives of a recording are, as for crosswind program. Or moves:FILE, what "
         "crosswind plan --moves wrote, alone: how long the plan takes, and the same data on the network's own routes"},
    {.name = "model",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct jobs_options, model),
     .default_text = "flows",
     .choices = models,
     .help = "messages of a round are counted on channels (counts: one collective beside traffic without end), share "
             "channels in time (flows), or every flit is moved, cycle by cycle (flits, with which --routing may be a "
             "list)"},
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
     .help =
         "try all placements for the last job, and swaps of its hosts, or all algorithms of its collective, with the "
         "other jobs as they are; or for all jobs all routings, or faster cables where they are busiest and cables "
         "that are missing; or all of "
         "these; and say what brings how much"},
    {.name = "hosts",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct jobs_options, hosts),
     .help = "write where the last job runs under the best placement to FILE"},
    {.name = "hosts-format",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct jobs_options, hosts_format),
     .default_text = "endpoints",
     .choices = cw_hosts_forms,
     .help =
         "what --hosts writes: endpoints, a line a rank, as placement=file:FILE reads them; hostfile: hosts, a line "
         "a rank, for mpirun and SLURM_HOSTFILE; nodelist: the hosts as srun --nodelist takes them; rankfile: "
         "\"rank N=HOST slot=M\" for mpirun"},
    {.name = "check",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct jobs_options, check),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 1e6,
     .help = "simulate the first N trials by the other of flows and flits, too, and compare"},
    {.name = "longest-path",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct jobs_options, path),
     .value_name = "JOB",
     .default_text = "0",
     .min = 0,
     .max = 1e6,
     .help = "which computations, sends and waits decided the end of the job of this number, beside the others: how "
             "much of its time is what, and on which channels; 0: of none"},
    {.name = "counters",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct jobs_options, counters),
     .value_name = "BEFORE,AFTER",
     .help = "two readings of the ports' counters while the jobs ran, as perfquery or ibqueryerrors --counters print "
             "them: how often each job has run, which cables are busy for no job's sake, and where ports wait"},
    {.name = "counters-seconds",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct jobs_options, counters_seconds),
     .value_name = "TIME",
     .default_text = "0s",
     .min = 0,
     .max = 1e9,
     .help = "time between the readings; 0: that between the times of the files"},
    {.name = "top",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct jobs_options, top),
     .value_name = "N",
     .default_text = "5",
     .min = 0,
     .max = 1e6,
     .help = "how many channels to list of each kind, such as the busiest"},
    {.name = NULL},
};

/* --- what is asked for -------------------------------------------------------------------------------------------- */

/* The jobs that TEXT lists; or, if that is the name of a file, those in it. */
static int read_jobs(const struct jobs_options *values, const struct fabric *fabric, struct cw_jobs *jobs)
{
    struct stat status;
    struct cw_text text = {0};
    if (!values->jobs)
        return cw_fail(CW_EUSAGE,
                       "no jobs are given; expected for example --jobs 'allreduce ranks=8 bytes=1MiB; alltoall'");
    if (stat(values->jobs, &status) || !S_ISREG(status.st_mode))
        return cw_jobs_parse(values->jobs, values->placement, fabric->selection->n, fabric->net, jobs);
    int rc = cw_file_read(values->jobs, &text);
    if (!rc) rc = cw_jobs_parse(text.data ? text.data : "", values->placement, fabric->selection->n, fabric->net, jobs);
    cw_text_free(&text);
    return rc;
}

static int count_trials(const struct jobs_options *values, const struct fabric *fabric, const struct cw_jobs *jobs,
                        size_t *trials)
{
    bool drawn;
    const int rc = cw_jobs_are_drawn(jobs, fabric->net, fabric->selection, &drawn);
    if (rc) return rc;
    drawn |= values->advise != JOBS_ADVISE_NONE; /* random ones are tried, too */
    *trials = values->trials > 0 ? (size_t)values->trials : drawn ? CW_JOBS_RANDOM_TRIALS : 1;
    return 0;
}

/* --- running them ------------------------------------------------------------------------------------------------- */

static const char not_moves[] = "is not for moves:FILE, which says who sends what by which way";

/* The file of moves:FILE, or NULL. */
static const char *moves_of(const char *jobs)
{
    static const char prefix[] = "moves:";
    while (jobs && isspace((unsigned char)*jobs)) jobs++;
    return jobs && strncmp(jobs, prefix, strlen(prefix)) == 0 ? jobs + strlen(prefix) : NULL;
}

static const char *undrawn(const struct invocation *invocation)
{
    const struct jobs_options *values = invocation->values;
    return moves_of(values->jobs) ? not_moves : NULL;
}

static int refuse_options(const struct invocation *invocation, bool moves)
{
    static const char *const of_flows[] = {"L",        "rendezvous",       "advise", "hosts",        "hosts-format",
                                           "counters", "counters-seconds", "top",    "longest-path", NULL};
    static const char *const of_times[] = {"o", "tables", NULL}, *const check[] = {"check", NULL};
    static const char *const of_jobs[] = {"placement",      "trials", "check", "paths",
                                          "path-records",   "lids",   "sl2vl", "endpoints",
                                          "allow-deadlock", "warmup", NULL};
    const struct jobs_options *values = invocation->values;
    int rc = values->model == JOBS_FLOWS ? 0 : invocation_refuse(invocation, of_flows, "is for --model flows");
    if (!rc && values->model == JOBS_FLITS) rc = invocation_refuse(invocation, of_times, "is not for --model flits");
    if (!rc && values->model == JOBS_COUNTS)
        rc = invocation_refuse(invocation, check, "is for --model flows and --model flits");
    if (!rc && values->model != JOBS_FLITS && values->check == 0)
        rc = flit_mode_refuse(invocation, "is for --model flits, and for --check");
    if (!rc && moves && values->model == JOBS_COUNTS)
        rc = cw_fail(CW_EUSAGE, "moves:FILE: relays are not counted; expected --model flows or --model flits");
    if (!rc && moves) rc = invocation_refuse(invocation, of_jobs, not_moves);
    if (!rc && moves && values->model == JOBS_FLOWS) rc = invocation_refuse(invocation, of_flows, not_moves);
    if (!rc && moves && values->model == JOBS_FLOWS) rc = invocation_refuse(invocation, of_times, not_moves);
    if (!rc && values->hosts && !jobs_advises(values, CW_ADVISE_PLACEMENT))
        rc = cw_fail(CW_EUSAGE, "--hosts is for --advise placement and all");
    return rc;
}

/* Jobs that the model knows. */
static int check_jobs(const struct jobs_run *run)
{
    static const char *const warmup[] = {"warmup", NULL};
    const size_t ending = cw_jobs_ending(&run->jobs);
    const bool flits = run->values->model == JOBS_FLITS;
    const int64_t path = run->values->path;
    if (path > (int64_t)run->jobs.n || (path > 0 && !cw_job_ends(&run->jobs.items[path - 1])))
        return cw_fail(CW_EUSAGE, "--longest-path %" PRId64 ": expected the number of a job that ends, from 1", path);
    int rc = ending > 0 ? 0
                        : cw_fail(CW_EUSAGE, "no job ends; expected a collective, a program, or a traffic with "
                                             "bytes=SIZE. crosswind flit has traffic without end");
    if (!rc && (flits || run->values->check > 0)) rc = cw_jobs_check_flits(&run->jobs);
    if (!rc && run->values->model == JOBS_COUNTS) rc = cw_jobs_check_counts(&run->jobs);
    if (!rc && ending == run->jobs.n)
        rc = invocation_refuse(run->invocation, warmup, "is for jobs that never end, and all of these end");
    if (!rc && run->jobs.n == 1 && run->values->model == JOBS_FLOWS && run->values->top == 0)
        rc = invocation_refuse_plot(run->invocation,
                                    "shows a single job by its busiest channels, of which --top 0 has none");
    return rc;
}

static int run_jobs(struct jobs_run *run)
{
    int rc = read_jobs(run->values, &run->fabric, &run->jobs);
    if (!rc) rc = count_trials(run->values, &run->fabric, &run->jobs, &run->trials);
    if (!rc) rc = check_jobs(run);
    if (!rc && run->values->counters) rc = jobs_read_counters(run);
    if (rc) return rc;
    cw_result_set_context(run->invocation->result, CW_CONTEXT_PLACEMENT, run->values->placement);
    return run->values->model == JOBS_FLITS ? jobs_by_flits(run) : jobs_by_flows(run);
}

static int run(struct invocation *invocation)
{
    struct jobs_run run = {.invocation = invocation, .values = invocation->values};
    const char *moves = moves_of(run.values->jobs);
    int rc = refuse_options(invocation, moves);
    invocation->routing.deferred = run.values->model == JOBS_FLITS; /* packets have more routings */
    if (!rc) rc = fabric_open(invocation, invocation->positional[0], &run.fabric);
    const bool flits = run.values->model == JOBS_FLITS;
    if (!rc && moves && flits) rc = fabric_route(invocation, &invocation->routing, &run.fabric);
    if (!rc) rc = moves ? jobs_moves_file(invocation, &run.fabric, moves, flits) : run_jobs(&run);
    cw_channel_counts_free(&run.counters.counts);
    cw_jobs_free(&run.jobs);
    fabric_free(&run.fabric);
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
        "that share channels in time, max-min fairly; or, with --model, they are counted round by round, as by "
        "crosswind "
        "noise, or every flit is moved, as by crosswind flit. Flit by flit, jobs that never end are in steady state "
        "when "
        "the others begin, and --routing may name several routings to compare. The "
        "time of a collective comes with the bandwidths that NCCL's tests print.",
    .examples =
        "  crosswind jobs rail:8,8,8@400Gbit/s --jobs 'ring-allreduce bytes=1GiB'\n"
        "  crosswind jobs fabric.ibnetdiscover --lft opensm-lfts.dump --jobs 'allreduce ranks=64 bytes=1MiB; alltoall "
        "ranks=32 bytes=64KiB; uniform' --placement random\n"
        "  crosswind jobs 'xgft(2,12,6)' --model flits --placement random --jobs 'binomial-bcast; permutation "
        "ranks=50%'\n"
        "  crosswind jobs dragonfly:4,8,4 --model flits --jobs 'halo:axis=z,direction=up bytes=256KiB' --routing "
        "minimal,valiant-any\n",
    .options = options,
    .size = sizeof(struct jobs_options),
    .flits = FLITS_OF_LOADS,
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .routes = true,
    .lids = true,
    .pictures = PICTURES_DECLARED,
    .undrawn = undrawn,
    .run = run,
};
