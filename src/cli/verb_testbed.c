/* crosswind testbed: a network made real on one machine, and a command in it. */
#include <stdio.h>

#include "base/error.h"
#include "cli/fabric.h"
#include "net/network_internal.h"
#include "study/testbed/testbed.h"
#include "study/testbed/testbed_script.h"

struct testbed_options {
    double rate;
    uint64_t queue;
    int64_t ranks;
    bool all, print;
};

static const struct cw_option options[] = {
    {.name = "rate",
     .type = CW_OPTION_RATE,
     .offset = offsetof(struct testbed_options, rate),
     .default_text = "100Mbit/s",
     .min = 1e3,
     .max = 125e9,
     .help = "rate of the network's fastest channel in the testbed; others are slower in proportion"},
    {.name = "queue",
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct testbed_options, queue),
     .default_text = "256KiB",
     .min = 4096,
     .max = 1e9,
     .help = "bytes that wait for a channel at most; more are dropped"},
    {.name = "ranks-per-host",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct testbed_options, ranks),
     .default_text = "1",
     .min = 1,
     .max = 64,
     .help = "MPI ranks that mpirun starts on each host; those of one host share memory"},
    {.name = "all",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct testbed_options, all),
     .help = "run COMMAND on every host at once; the exit status is the first in the order of hosts that is not 0"},
    {.name = "print",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct testbed_options, print),
     .help = "print the shell script that makes the network, and do nothing; needs neither root nor COMMAND"},
    {.name = NULL},
};

static int print_script(const struct cw_testbed *testbed, uint64_t queue, const char *about)
{
    const struct cw_testbed_place place = {.prefix = "crosswind-testbed-", .queue = queue};
    struct cw_text script = {0};
    cw_testbed_make_script(testbed, &place, about, &script);
    const int rc = cw_text_check(&script);
    if (!rc) fputs(script.data, stdout);
    cw_text_free(&script);
    return rc;
}

static int check_arguments(const struct invocation *invocation)
{
    static const char *const unused[] = {"format", "output", NULL};
    const struct testbed_options *values = invocation->values;
    const bool has_command = invocation->command && *invocation->command;
    const int rc = invocation_refuse(invocation, unused, "is for results; what a testbed shows is COMMAND's output");
    if (rc) return rc;
    if (values->print && (has_command || values->all))
        return cw_fail(CW_EUSAGE, "--print runs nothing; leave out %s", has_command ? "COMMAND" : "--all");
    if (values->print && values->ranks > 1)
        return cw_fail(CW_EUSAGE, "--ranks-per-host is for mpirun, and --print runs nothing");
    if (!values->print && !has_command)
        return cw_fail(CW_EUSAGE, "crosswind testbed needs a command behind --, such as -- sh, or --print");
    return 0;
}

static int run(struct invocation *invocation)
{
    const struct testbed_options *values = invocation->values;
    struct fabric fabric = {0};
    struct cw_testbed testbed = {0};
    struct cw_text about = {0};
    int rc = check_arguments(invocation);
    if (!rc) rc = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!rc)
        rc = cw_testbed_plan(fabric.routes, fabric.selection->endpoints, fabric.selection->n, values->rate,
                             (unsigned)invocation->common.threads, &testbed);
    if (!rc) {
        cw_text_printf(&about, "%s, routed by %s: %u hosts, %u switch%s, %zu cables", fabric.net->title,
                       cw_routes_name(fabric.routes), testbed.n_hosts, testbed.n_nodes - testbed.n_hosts,
                       testbed.n_nodes == testbed.n_hosts + 1 ? "" : "es", testbed.n_links / 2);
        rc = cw_text_check(&about);
    }
    if (!rc && values->print) {
        rc = print_script(&testbed, values->queue, about.data);
    } else if (!rc) {
        if (!invocation->common.quiet) fprintf(stderr, "crosswind: testbed of %s\n", about.data);
        rc = cw_testbed_run(&testbed, values->queue, (uint32_t)values->ranks, invocation->command, values->all,
                            &invocation->status);
    }
    cw_text_free(&about);
    cw_testbed_free(&testbed);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_testbed = {
    .name = "testbed",
    .help = "Makes a small network real on this machine and runs a command in it",
    .arguments = network_argument,
    .command = true,
    .description =
        "Hosts and switches become Linux network namespaces, cables pairs of virtual Ethernet devices with limited "
        "rates, forwarding tables static IP routes: packets of real programs take the network's routes and meet its "
        "contention. COMMAND runs on the first host, or with --all on every one; its exit status is that of crosswind. "
        "Afterwards, also after an error or a signal, everything is taken down. The next testbed removes what a "
        "killed one has left behind. There are up to 16 hosts and 20 switches, with routes that depend on the "
        "destination only. Switches and cables that no route can use are left out. Latencies are those of the machine. "
        "A host with several cables has one address and sends by the cable that its table says. With --nodes, GPUs are "
        "the hosts of the testbed, and what is inside hosts is switches and cables. COMMAND finds in its "
        "environment: CROSSWIND_TESTBED_HOSTS, the hosts' names, with commas between them; CROSSWIND_TESTBED_RANK, the "
        "number of its own host, from 0; CROSSWIND_TESTBED_SIZE, how many there are; CROSSWIND_TESTBED_SUBNET, where "
        "their addresses are; CROSSWIND_TESTBED_AGENT, a program that runs commands on other hosts as rsh does. mpirun "
        "of Open MPI and MPICH needs no option there: it starts a rank on each host, or as many as --ranks-per-host "
        "says, in the order of hosts. Needs root and iproute2.",
    .examples = "  crosswind testbed xgft:2:4,2:1,2 --all -- hostname\n"
                "  crosswind testbed xgft:2:4,2:1,2 -- sh -c '$CROSSWIND_TESTBED_AGENT h3 traceroute h7'\n"
                "  crosswind testbed xgft:2:4,2:1,2 -- mpirun ./app\n"
                "  crosswind testbed fabric.ibnetdiscover --lft opensm-lfts.dump --endpoints hosts.txt -- sh\n"
                "  crosswind testbed torus:2x2 --rate 1Gbit/s --print >torus.sh\n",
    .options = options,
    .size = sizeof(struct testbed_options),
    .network = true,
    .nodes = true,
    .routes = true,
    .one_route = true,
    .run = run,
};
