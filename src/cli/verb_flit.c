/* crosswind flit: flit-level simulation of a network under a load, or of a collective. */
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "cli/flit/flit_mode.h"
#include "net/network_internal.h"

/* --- options without effect --------------------------------------------------------------------------------------- */

static const char *const of_steady_states[] = {"cycles",   "time",      "until-ci",   "unsteady", "model", "series",
                                               "channels", "histogram", "confidence", "top",      NULL};
static const char *const of_warmup[] = {"warmup", NULL};

/* Options that a mode passes over are errors. */
static int refuse_options(const struct invocation *invocation)
{
    static const char *const of_collectives[] = {"bytes", "ratio", NULL};
    static const char *const of_traffic[] = {"traffic", "finite", NULL};
    static const char *const of_one_traffic[] = {"load", "model", "schedule", NULL};
    static const char *const of_perturbation[] = {"load", "warmup", NULL};
    static const char *const trials[] = {"trials", NULL}, *const placement[] = {"placement", NULL};
    static const char *const cycles[] = {"cycles", NULL};
    static const char *const of_others[] = {"traffic", "path-records", "sl2vl",     "paths",          "placement",
                                            "load",    "schedule",     "finite",    "jobs",           "trials",
                                            "bytes",   "ratio",        "endpoints", "allow-deadlock", NULL};
    const struct flit_options *values = invocation->values;
    int rc = 0;
    if (values->moves) {
        rc = invocation_refuse(invocation, of_others, "is not for --moves, which says who sends what by which way");
        if (!rc) rc = invocation_refuse(invocation, of_steady_states, "is for traffic that never ends");
        if (!rc && values->routings && values->lft)
            rc = cw_fail(CW_EUSAGE, "--routing and --lft cannot be used together: a plan is compared with one");
        return rc ? rc : invocation_refuse(invocation, of_warmup, "is for traffic that never ends");
    }
    if (!values->schedule) rc = invocation_refuse(invocation, of_collectives, "is for --schedule");
    if (!rc && (values->schedule || values->jobs))
        rc = invocation_refuse(invocation, of_traffic, "is not for --schedule and --jobs");
    if (!rc && values->jobs) rc = invocation_refuse(invocation, of_one_traffic, "is not for --jobs");
    if (!rc && values->schedule) rc = invocation_refuse(invocation, placement, "is not for --schedule");
    if (!rc && (values->schedule || values->finite))
        rc = invocation_refuse(invocation, of_steady_states, "is for traffic that never ends");
    if (!rc && values->finite)
        rc = invocation_refuse(invocation, of_warmup,
                               "is for traffic that never ends; --finite begins in an empty network");
    if (!rc && values->schedule && values->ratio <= 0)
        rc = invocation_refuse(invocation, of_perturbation,
                               "is for the perturbation, and without --ratio there is none");
    if (!rc && !values->schedule && !values->finite && !values->jobs)
        rc = invocation_refuse(invocation, trials, "is for --finite, --jobs and --schedule");
    if (!rc && values->time > 0)
        rc = invocation_refuse(invocation, cycles, "means the same as --time; give only one of them");
    return rc;
}

static int refuse_of_jobs(const struct invocation *invocation, bool one_ends, bool all_end)
{
    static const char *const trials[] = {"trials", NULL};
    int rc = one_ends ? 0 : invocation_refuse(invocation, trials, "is for jobs that end, and none of these does");
    if (!rc && one_ends)
        rc = invocation_refuse(invocation, of_steady_states, "is for jobs that never end, and one of these ends");
    if (!rc && all_end)
        rc = invocation_refuse(invocation, of_warmup, "is for jobs that never end, and all of these end");
    return rc;
}

/* --- modes -------------------------------------------------------------------------------------------------------- */

static int simulate_jobs(const struct flit_mode *mode)
{
    const struct flit_options *values = mode->values;
    struct cw_flit_jobs jobs;
    int rc = cw_flit_jobs_parse(values->jobs, values->placement, mode->selection->n, &jobs);
    if (rc) return rc;
    const size_t ending = cw_flit_jobs_ending(&jobs);
    rc = cw_flit_jobs_check(&jobs);
    if (!rc) rc = refuse_of_jobs(mode->invocation, ending > 0, ending == jobs.n);
    if (!rc) rc = ending > 0 ? flit_completion_jobs(mode, &jobs) : flit_load_jobs(mode, &jobs);
    cw_flit_jobs_free(&jobs);
    return rc;
}

/* Says how long input buffers are, where that is not what the help says; or that they are too short: a lane has no more
 * flits under way than the input buffer has room for, until its credits are back. */
static void note_buffers(const struct flit_mode *mode)
{
    const uint32_t trip = cw_flit_round_trip(mode->net, &mode->hardware), flits = mode->hardware.input_flits;
    const uint64_t bytes = (uint64_t)flits * mode->hardware.flit_bytes;
    char size[32];
    if (flits < trip)
        cw_result_note(mode->invocation->result,
                       "Input buffers of %u flits do not cover the longest round trip of %u cycles: one lane can use "
                       "at most %.2g of such a channel.",
                       flits, trip, (double)flits / trip);
    else if (mode->covers_round_trip && bytes > FLIT_INPUT_BUFFER)
        cw_result_note(mode->invocation->result,
                       "Input buffers hold %u flits (%s) for each lane, which the longest round trip of %u cycles "
                       "needs at full load.",
                       flits, cw_format_bytes(bytes, size, sizeof size), trip);
}

/* Says what simulates, where that is not what the help says. */
static int note_implementation(const struct flit_mode *mode)
{
    const char *name, *needed_by;
    const int rc = cw_flit_find_implementation(&mode->hardware, &name, &needed_by);
    if (!rc && needed_by && !mode->values->implementation)
        cw_result_note(
            mode->invocation->result,
            "The plain implementation simulated this, because %s needs it. It is slower and runs on one thread.",
            needed_by);
    return rc;
}

static int run_mode(const struct flit_mode *mode)
{
    const struct flit_options *values = mode->values;
    if (values->moves) return flit_moves(mode);
    if (values->schedule) return flit_collective(mode);
    if (values->jobs) return simulate_jobs(mode);
    return values->finite ? flit_completion_finite(mode) : flit_load(mode);
}

static int open_mode(struct invocation *invocation, struct fabric *fabric, struct flit_mode *mode)
{
    const struct flit_options *values = mode->values;
    int rc = fabric_open(invocation, invocation->positional[0], fabric);
    if (rc) return rc;
    mode->net = fabric->net;
    mode->selection = fabric->selection;
    mode->sweep = !values->moves && values->loads.n == 0 && !values->model && !values->schedule && !values->jobs &&
                  !values->finite;
    rc = flit_options_hardware(values, mode->net, &mode->hardware, &mode->messages, &mode->covers_round_trip);
    if (!rc) rc = note_implementation(mode);
    if (!rc) rc = flit_options_steady(values, &mode->hardware, mode->sweep, &mode->steady);
    if (rc || !values->moves) return rc ? rc : flit_mode_route(mode, fabric);
    const struct routing own = {.name = values->routings, .lft = values->lft, .repair = values->repair};
    rc = fabric_route(invocation, &own, fabric);
    mode->own = fabric->routes;
    return rc;
}

static int run(struct invocation *invocation)
{
    struct flit_mode mode = {.invocation = invocation, .values = invocation->values};
    struct fabric fabric = {0};
    int rc = refuse_options(invocation);
    if (!rc) rc = open_mode(invocation, &fabric, &mode);
    if (!rc) rc = run_mode(&mode);
    if (!rc) note_buffers(&mode);
    flit_mode_free(&mode);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_flit = {
    .name = "flit",
    .help = "Flit-level simulation: accepted load, latency and hot channels, or the time of a collective",
    .arguments = network_argument,
    .description =
        "Simulates every flit, cycle by cycle, through switches with input and output queues, virtual lanes (virtual "
        "channels) and credits. In one cycle a channel moves one flit (64 B at 40 Gbit/s: 12.8 ns). Each routing is "
        "proven deadlock-free before it is simulated, unless --allow-deadlock; --lft and --paths read the fabric's own "
        "routes.\nWithout --load, "
        "the program searches for the load at which the network saturates. With --load, each load is measured in "
        "steady state, after warm-up. If a run does not reach steady state, its row says so and has no interval, and "
        "the exit status is 1 unless --unsteady accepts it. --model adds the predictions of the models, at full load "
        "unless --load says otherwise.\n--finite, --schedule, --jobs and --moves measure how long finite work takes. "
        "Jobs share "
        "the network: each takes the first free endpoints in the order of its placement, and one job may leave out "
        "ranks= to get all that remain. Jobs that never end are in steady state when the others begin. The time of "
        "each job is compared with its time alone and, for a collective, with the prediction of the congestion model.",
    .examples =
        "  crosswind flit dragonfly:4,8,4 --traffic bitcomp --routing minimal,valiant-restricted,valiant-any --model\n"
        "  crosswind flit fabric.ibnetdiscover --lft opensm-lfts.dump\n"
        "  crosswind flit torus:8x8 --traffic uniform --routing dor --load 0.1..1:0.1 --until-ci 1%\n"
        "  crosswind flit dragonfly:4,8,4 --traffic halo:axis=z,direction=up --finite 256KiB --routing "
        "minimal,valiant-any\n"
        "  crosswind flit dragonfly:2,4,2 --jobs 'allreduce ranks=40 bytes=64KiB; uniform load=0.5' --placement "
        "random\n"
        "  crosswind flit 'xgft(2,12,6)' --schedule binomial-bcast --ratio 0.5 --trials 50\n",
    .options = flit_option_table,
    .size = sizeof(struct flit_options),
    .network = true,
    .lft = true,
    .lanes = true,
    .run = run,
};
