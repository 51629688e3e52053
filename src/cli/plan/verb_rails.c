/* crosswind rails: one matrix after another split over the rails of boxes, as fast as they come. A verb of its own, for
 * of what plan asks (relays, transports, paths, files) nothing is a question here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "cli/fabric.h"
#include "flow/rails.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "report/rows.h"
#include "topo/topology.h"

struct rails_options {
    double gap;
};

static const struct cw_option arguments[] = {
    {.name = "NETWORK",
     .type = CW_OPTION_INPUT,
     .names = &cw_topology_registry,
     .required = true,
     .help = "boxes of GPUs on rails: a specification or a file, as NETWORK of crosswind plan"},
    {.name = "MATRICES",
     .type = CW_OPTION_TEXT,
     .required = true,
     .help =
         "file or pipe with one matrix of bytes after another, - for standard input: of each endpoint for each, row "
         "by sender, 64-bit integers in the machine's order"},
    {.name = NULL},
};

static const struct cw_option options[] = {
    {.name = "gap",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct rails_options, gap),
     .value_name = "X",
     .default_text = "0.01",
     .min = 0,
     .max = 1,
     .help = "how near a plan is to come to its bound, as a share of it"},
    {.name = NULL},
};

static const struct cw_column columns[] = {
    {"step", CW_COLUMN_INT, NULL, "number of the matrix, from 0"},
    {"bytes", CW_COLUMN_REAL, "byte", "that boxes have for each other"},
    {"seconds", CW_COLUMN_REAL, "s", "of the busiest channel"},
    {"bound_seconds", CW_COLUMN_REAL, "s", "no split over rails is faster: proven by lengths of channels"},
    {"gap", CW_COLUMN_REAL, NULL, "(seconds - bound_seconds) / bound_seconds"},
    {"moved", CW_COLUMN_REAL, NULL, "share of the bytes that go by another rail than by the shares before"},
    {"sweeps", CW_COLUMN_INT, NULL, "of levelling; 0: the shares before were good enough"},
    {"plan_seconds", CW_COLUMN_REAL, "s", "of planning", .measured = true},
};

/* Reads the next matrix into BYTES [n · n]; *MORE: there was one. */
static int read_matrix(FILE *file, const char *name, size_t n, uint64_t *bytes, bool *more)
{
    const size_t wanted = n * n * sizeof *bytes, got = fread(bytes, 1, wanted, file);
    *more = got == wanted;
    if (ferror(file)) return cw_fail(CW_EIO, "%s: %s", name, strerror(errno));
    if (got > 0 && got < wanted)
        return cw_fail(CW_EPARSE, "%s: the last matrix has %zu bytes, expected %zu: 8 for each of %zu x %zu pairs",
                       name, got, wanted, n, n);
    return 0;
}

/* Puts the matrix of those in SELECTION, at the beginning of BYTES, in its place among all N endpoints; backwards, for
 * everything moves to the back. */
static void place(const struct cw_selection *selection, size_t n, uint64_t *bytes)
{
    for (size_t i = (size_t)selection->n * selection->n; i-- > 0 && selection->n < n;) {
        const uint64_t value = bytes[i];
        bytes[i] = 0;
        bytes[selection->endpoints[i / selection->n] * n + selection->endpoints[i % selection->n]] = value;
    }
}

static int follow(const struct fabric *fabric, struct cw_rails *rails, FILE *file, const char *name, double gap,
                  struct cw_table *table)
{
    /* what has failed does not change whose the rows are */
    const struct cw_selection *who = fabric->selection->asked ? fabric->selection->asked : fabric->selection;
    const size_t n = fabric->net->n_endpoints;
    uint64_t *bytes = cw_new_array(n * n, sizeof *bytes, "a matrix of bytes");
    int rc = bytes ? 0 : CW_ENOMEM;
    for (long step = 0; !rc; step++) {
        struct cw_rails_plan plan;
        bool more;
        rc = cw_interrupt_check();
        if (!rc && who->n < n) memset(bytes, 0, n * n * sizeof *bytes);
        if (!rc) rc = read_matrix(file, name, who->n, bytes, &more);
        if (rc || !more) break;
        place(who, n, bytes);
        const double begin = cw_stopwatch_now();
        rc = cw_rails_solve(rails, bytes, gap, &plan);
        const double taken = cw_stopwatch_now() - begin;
        if (rc) break;
        cw_table_int(table, step);
        cw_table_real(table, plan.bytes);
        cw_table_real(table, plan.seconds);
        cw_table_real(table, plan.bound);
        cw_table_real(table, plan.bound > 0 ? (plan.seconds - plan.bound) / plan.bound : 0);
        cw_table_real(table, plan.bytes > 0 ? plan.moved / plan.bytes : 0);
        cw_table_int(table, plan.sweeps);
        cw_table_real(table, taken);
    }
    free(bytes);
    return rc;
}

static int run(struct invocation *invocation)
{
    const struct rails_options *values = invocation->values;
    const char *name = invocation->positional[1];
    struct fabric fabric;
    struct cw_network *boxes = NULL;
    struct cw_rails *rails = NULL;
    struct cw_table *table = NULL;
    char title[512];
    const bool standard = strcmp(name, "-") == 0;
    int rc = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!rc && invocation->routing.nodes) rc = cw_nodes_to_boxes(fabric.net, &boxes);
    if (!rc) rc = cw_rails_new(boxes ? boxes : fabric.net, NULL, &rails);
    if (!rc) {
        snprintf(title, sizeof title, "All-to-all(v) over %u rails, between %u boxes with %u endpoints",
                 cw_rails_rails(rails), cw_rails_boxes(rails), fabric.net->n_endpoints);
        rc = cw_result_new_table(invocation->result, "rails", title, CW_ITEMS(columns), &table);
    }
    FILE *file = rc ? NULL : standard ? stdin : fopen(name, "rb");
    if (!rc && !file) rc = cw_fail(CW_EIO, "%s: %s", name, strerror(errno));
    if (!rc) rc = follow(&fabric, rails, file, name, values->gap, table);
    if (file && !standard) fclose(file);
    if (!rc)
        cw_result_note(invocation->result,
                       "A GPU's bytes for another box leave by any port of its own, and arrive by the port on the same "
                       "rail; the pairs of two boxes are split alike. Latencies are ignored.");
    cw_rails_free(rails);
    cw_network_free(boxes);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_rails = {
    .name = "rails",
    .help = "Splits one all-to-all(v) after another over the rails of boxes of GPUs",
    .arguments = arguments,
    .description =
        "Reads matrices of bytes, such as those of the experts of a mixture, from a file or a pipe, and splits each "
        "over the network ports of its boxes so that the busiest channel carries as little as possible, beginning with "
        "the shares of the matrix before. Each gives a row as soon as it is planned; with --format csv it leaves at "
        "once. What is planned is the library's (flow/rails.h), where programs get the shares; crosswind plan --method "
        "rails makes a plan of one matrix that ranks can carry out.",
    .examples = "  crosswind rails rail:64,8,8,nvlink=3600Gbit/s@400Gbit/s matrices.bin\n"
                "  ./router | crosswind rails rail:64,8,8 - --format csv\n",
    .options = options,
    .size = sizeof(struct rails_options),
    .network = true,
    .nodes = true,
    .run = run,
};
