/* crosswind flit: flit-level simulation of a network under a load. */
#include <string.h>

#include "base/error.h"
#include "cli/flit/flit_mode.h"

/* Options that mean nothing beside others are errors. */
static int refuse_options(const struct invocation *invocation, bool several)
{
    static const char *const of_one[] = {"load", "analytic", NULL}, *const cycles[] = {"cycles", NULL};
    const struct flit_options *values = invocation->values;
    int rc =
        several ? invocation_refuse(invocation, of_one, "is not for several patterns, each of which has load=") : 0;
    if (!rc && values->span.time > 0)
        rc = invocation_refuse(invocation, cycles, "means the same as --time; give only one of them");
    return rc;
}

/* Several patterns side by side. */
static int load_jobs(const struct flit_mode *mode)
{
    const struct flit_options *values = mode->values;
    struct cw_jobs jobs;
    int rc = cw_jobs_parse(values->traffic, values->placement, mode->selection->n, mode->net, &jobs);
    if (rc) return rc;
    for (size_t i = 0; !rc && i < jobs.n; i++)
        if (cw_job_ends(&jobs.items[i]))
            rc = cw_fail(CW_EUSAGE,
                         "job %zu (%s) ends; expected traffic without end: crosswind jobs --model flits has "
                         "what ends",
                         i + 1, jobs.items[i].what);
    if (!rc) rc = cw_jobs_check_flits(&jobs);
    if (!rc) rc = flit_load_jobs(mode, &jobs);
    cw_jobs_free(&jobs);
    return rc;
}

static int run(struct invocation *invocation)
{
    const struct flit_options *values = invocation->values;
    const bool several = strchr(values->traffic, ';');
    const struct routing routing = {
        .name = values->routings, .lft = values->lft, .repair = values->repair, .paths = values->paths};
    struct flit_mode mode = {0};
    struct fabric fabric = {0};
    int rc = refuse_options(invocation, several);
    if (!rc) rc = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!rc) rc = flit_mode_open(invocation, &fabric, &mode);
    mode.values = values;
    mode.sweep = values->loads.n == 0 && !values->analytic && !several;
    if (!rc) rc = cw_flit_how_steady(&values->span, &invocation->flits, &mode.hardware, mode.sweep, &mode.steady);
    if (!rc) rc = flit_mode_route(&mode, &routing, &fabric);
    if (!rc) rc = several ? load_jobs(&mode) : flit_load(&mode);
    if (!rc) flit_mode_note_buffers(&mode);
    flit_mode_free(&mode);
    fabric_free(&fabric);
    return rc;
}

#define BY_FLITS "crosswind jobs NETWORK --model flits"

static const struct moved_option moved[] = {
    {"jobs", BY_FLITS " --jobs JOBS; and for traffic without end, --traffic 'PATTERN load=X; ...'"},
    {"schedule", BY_FLITS " --jobs 'SCHEDULE bytes=SIZE'"},
    {"ratio", BY_FLITS " --placement random --jobs 'SCHEDULE bytes=SIZE; permutation ranks=50%'"},
    {"finite", BY_FLITS " --jobs 'PATTERN bytes=SIZE'"},
    {"moves", BY_FLITS " --jobs moves:FILE"},
    {"bytes", BY_FLITS " --jobs 'SCHEDULE bytes=SIZE'"},
    {"trials", BY_FLITS " --trials N"},
    {"model", "--analytic; to choose a model of work that ends, crosswind jobs NETWORK --model flits"},
    {.name = NULL},
};

const struct verb verb_flit = {
    .name = "flit",
    .help = "Flit-level simulation: accepted load, latency and hot channels",
    .arguments = network_argument,
    .description =
        "Simulates every flit, cycle by cycle, through switches with input and output queues, virtual lanes (virtual "
        "channels) and credits. In one cycle a channel moves one flit (64 B at 40 Gbit/s: 12.8 ns). Each routing is "
        "proven deadlock-free before it is simulated, unless --allow-deadlock; --lft and --paths read the fabric's own "
        "routes.\nWithout --load, "
        "the program searches for the load at which the network saturates. With --load, each load is measured in "
        "steady state, after warm-up. If a run does not reach steady state, its row says so and has no interval, and "
        "the exit status is 1 unless --unsteady accepts it. --analytic adds the predictions of the models, at full "
        "load "
        "unless --load says otherwise. Several patterns, separated by ';', share the network: each takes the first "
        "free endpoints in the order of its "
        "placement, and one may leave out ranks= to get all that remain. What ends is for crosswind jobs --model "
        "flits.",
    .examples = "  crosswind flit dragonfly:4,8,4 --traffic bitcomp --routing minimal,valiant-restricted,valiant-any "
                "--analytic\n"
                "  crosswind flit fabric.ibnetdiscover --lft opensm-lfts.dump\n"
                "  crosswind flit torus:8x8 --traffic uniform --routing dor --load 0.1..1:0.1 --until-ci 1%\n"
                "  crosswind flit dragonfly:2,4,2 --traffic 'uniform ranks=40 load=0.5; bitcomp' --placement random\n",
    .options = flit_option_table,
    .size = sizeof(struct flit_options),
    .moved = moved,
    .flits = FLITS_OF_LOADS,
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .lft = true,
    .lids = true,
    .lanes = true,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
