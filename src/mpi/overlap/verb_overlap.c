/* crosswind-mpi overlap: how much of a nonblocking collective is hidden behind a computation. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "cli/split_tree/split_tree_figure.h"
#include "cli/split_tree/split_tree_table.h"
#include "cli/verb.h"
#include "mpi/bench/bench_environment.h"
#include "mpi/mpi_ranks.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/overlap/overlap_report.h"
#include "report/plot.h"
#include "study/split_tree_findings.h"

#define OPERATIONS 8 /* at most */

struct overlap_options {
    char *op, *methods, *cores, *plot;
    uint64_t bytes;
    struct cw_ints ranks;
    int beside;
    double compute, time;
    int64_t repetitions, emulate;
};

static const struct cw_option options[] = {
    {.name = "op",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct overlap_options, op),
     .value_name = "OP[,OP...]",
     .default_text = "bcast,reduce",
     .help = "collectives: bcast, reduce, allreduce, alltoall, allgather"},
    {.name = "bytes",
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct overlap_options, bytes),
     .default_text = "2MiB",
     .min = 1,
     .max = INT_MAX,
     .help = "size of the buffer; of an alltoall or allgather, of what goes to each rank"},
    {.name = "ranks",
     .type = CW_OPTION_INTS,
     .offset = offsetof(struct overlap_options, ranks),
     .value_name = "N[,N...]",
     .min = 2,
     .max = 1e6,
     .help = "how many ranks take part, the first ones; by default all. The others are idle"},
    {.name = "methods",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct overlap_options, methods),
     .value_name = "NAME[,NAME...]",
     .default_text = "blocking,native,blocking@all,native@all,split-tree:0,split-tree:1,slices:1,auto",
     .help =
         "ways to carry the collective out, in turn. MPI's own: blocking (after the computation) and native (its "
         "nonblocking function), on the cores that are left to ranks; blocking@all and native@all, on the "
         "communication cores, too. With communication cores: split-tree:S (the last S levels of the tree by ranks), "
         "slices:F (the fraction F of the bytes on these cores) and auto"},
    {.name = "cores",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct overlap_options, cores),
     .value_name = "LIST",
     .help =
         "communication cores of each host, as 3 or 0,4-7; by default CROSSWIND_NBC_CORES, or those that ranks leave "
         "free"},
    {.name = "beside",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct overlap_options, beside),
     .default_text = "cpu",
     .choices = overlap_kinds,
     .help = "what ranks do meanwhile: a loop on their core (cpu), or sleep as ranks whose device computes, so that "
             "their cores are free (accelerator)"},
    {.name = "compute",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct overlap_options, compute),
     .help = "how long that takes with all ranks; by default as long as the blocking collective among all, for perfect "
             "overlap. Fewer ranks share the same work, so that it takes longer"},
    {.name = "repetitions",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct overlap_options, repetitions),
     .value_name = "N",
     .default_text = "100",
     .min = 1,
     .max = 1e6,
     .help = "repetitions of all methods, at most"},
    {.name = "time",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct overlap_options, time),
     .default_text = "20s",
     .min = 0,
     .max = 1e6,
     .help = "begin no repetition after that, for each collective and number of ranks; 0: no limit"},
    {.name = "emulate",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct overlap_options, emulate),
     .value_name = "CORES",
     .min = 4,
     .max = 256,
     .help =
         "measure nothing; let the scheduler run on so many emulated cores, as threads that sleep instead of moving "
         "data, beside model and simulation. Of one --op, bcast or reduce"},
    {.name = "plot",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct overlap_options, plot),
     .value_name = "FILE.svg",
     .help = "draw the times of one collective over the number of ranks with gnuplot, whose script stays beside it"},
    {.name = NULL},
};

struct overlap {
    struct invocation *invocation;
    const struct overlap_options *values;
    struct ranks *ranks;
    const struct operation *operations[OPERATIONS];
    size_t n_operations;
    struct overlap_points points;
    struct overlap_places places;
    double rate;
    struct cw_progress *progress;
};

/* --- what is asked for -------------------------------------------------------------------------------------------- */

static int choose_operations(struct overlap *overlap)
{
    const char *list = overlap->values->op;
    while (list) {
        char name[32];
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        const struct operation *operation = cw_registry_find(&operation_registry, name);
        if (!operation) return cw_registry_unknown(&operation_registry, name);
        if (operation->no_bytes) return cw_fail(CW_EUSAGE, "--op: %s moves no data", name);
        if (overlap->n_operations == OPERATIONS) return cw_fail(CW_EUSAGE, "--op: expected %d at most", OPERATIONS);
        overlap->operations[overlap->n_operations++] = operation;
        list = list[length] ? list + length + 1 : NULL;
    }
    return 0;
}

static int check_ranks(const struct overlap *overlap)
{
    const struct cw_ints *ranks = &overlap->values->ranks;
    const unsigned n = overlap->ranks->program.n;
    if (n < 2) return cw_fail(CW_EUSAGE, "overlap needs two ranks, but there is one");
    for (size_t i = 0; i < ranks->n; i++) {
        if (ranks->values[i] > n)
            return cw_fail(CW_EUSAGE, "--ranks: %lld are more than there are, %u", (long long)ranks->values[i], n);
        if (i > 0 && ranks->values[i] <= ranks->values[i - 1])
            return cw_fail(CW_EUSAGE, "--ranks: expected rising numbers");
    }
    return 0;
}

static int prepare(struct overlap *overlap)
{
    static const char *const unused[] = {"threads", "seed", NULL};
    const struct overlap_options *values = overlap->values;
    struct overlap_points *points = &overlap->points;
    int rc = invocation_refuse(overlap->invocation, unused, "means nothing here: ranks measure, and draw nothing");
    if (!rc) rc = check_ranks(overlap);
    if (!rc) rc = choose_operations(overlap);
    if (!rc) rc = overlap_methods_parse(values->methods, &points->methods);
    if (!rc && values->plot && overlap->n_operations > 1) rc = cw_fail(CW_EUSAGE, "--plot: expected one --op to draw");
    if (!rc && values->plot && overlap->ranks->program.rank == 0) rc = cw_plot_check();
    if (rc) return rc;
    points->bytes = values->bytes;
    points->kind = (enum overlap_kind)values->beside;
    const size_t numbers = values->ranks.n > 0 ? values->ranks.n : 1;
    points->items = cw_new_array(overlap->n_operations * numbers, sizeof *points->items, "measurements");
    return points->items ? 0 : CW_ENOMEM;
}

/* Starts the threads on communication cores. Methods that need them are left out where there are none, unless the user
 * has named them. Collective. */
static int start_cores(struct overlap *overlap)
{
    struct overlap_methods *methods = &overlap->points.methods;
    overlap_places_find(&overlap->places);
    if (!overlap_methods_need_cores(methods)) return 0;
    if (overlap->values->cores) setenv("CROSSWIND_NBC_CORES", overlap->values->cores, 1);
    int rc = ranks_agree(overlap->ranks, overlap_places_avoid_given(&overlap->places));
    if (!rc) rc = ranks_agree(overlap->ranks, cw_nbc_init());
    if (!rc && nbc_job.active) overlap_places_avoid(&overlap->places, &nbc_job.cores.set);
    if (rc || nbc_job.active) return rc;
    if (invocation_has(overlap->invocation, "methods"))
        return cw_fail(CW_EUSAGE, "no core is left for communication: start fewer ranks, or name some with --cores");
    overlap_methods_keep_native(methods);
    return 0;
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

/* Among the first N ranks; the others sleep until these are done. WORK is the computation of all ranks together. */
static int measure_among(struct overlap *overlap, struct overlap_setup setup, int n, double work)
{
    const bool takes_part = (int)overlap->ranks->program.rank < n;
    struct overlap_point *point = &overlap->points.items[overlap->points.n];
    *point = (struct overlap_point){.operation = setup.operation, .ranks = n};
    int rc = 0;
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, 0, &setup.comm);
    setup.seconds = work / n;
    if (takes_part) rc = cw_nbc_comm_prepare(setup.comm); /* and all of them fail, or none */
    if (takes_part && !rc) rc = overlap_run(&setup, &point->samples);
    rc = ranks_agree(overlap->ranks, rc);
    if (takes_part) MPI_Comm_free(&setup.comm);
    if (!rc) overlap->points.n++;
    cw_progress_step(overlap->progress, 1);
    return rc ? rc : ranks_agree(overlap->ranks, cw_interrupt_check());
}

static int measure_operation(struct overlap *overlap, const struct operation *operation)
{
    const struct overlap_options *values = overlap->values;
    const int all = (int)overlap->ranks->program.n;
    const struct overlap_setup setup = {.comm = MPI_COMM_WORLD,
                                        .operation = operation,
                                        .bytes = overlap->points.bytes,
                                        .methods = &overlap->points.methods,
                                        .kind = overlap->points.kind,
                                        .rate = overlap->rate,
                                        .places = overlap->places,
                                        .repetitions = (size_t)values->repetitions,
                                        .time = values->time};
    double seconds = values->compute;
    int rc = seconds > 0 ? 0 : ranks_agree(overlap->ranks, overlap_blocking_time(&setup, &seconds));
    if (values->ranks.n == 0) return rc ? rc : measure_among(overlap, setup, all, all * seconds);
    for (size_t i = 0; !rc && i < values->ranks.n; i++)
        rc = measure_among(overlap, setup, (int)values->ranks.values[i], all * seconds);
    return rc;
}

static int measure(struct overlap *overlap)
{
    const size_t numbers = overlap->values->ranks.n > 0 ? overlap->values->ranks.n : 1;
    if (overlap->ranks->program.rank == 0)
        overlap->progress = invocation_progress(overlap->invocation, "overlap", numbers * overlap->n_operations);
    overlap->rate = overlap_calibrate(MPI_COMM_WORLD);
    int rc = 0;
    for (size_t i = 0; !rc && i < overlap->n_operations; i++) rc = measure_operation(overlap, overlap->operations[i]);
    cw_progress_free(overlap->progress);
    return rc;
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

/* Who carried out what is not MPI's own. */
static void note_cores(const struct overlap *overlap)
{
    struct cw_result *result = overlap->invocation->result;
    if (!nbc_job.active)
        cw_result_note(result, "No core is left for communication (--cores), so that only methods of MPI itself were "
                               "measured.");
    else if (overlap->points.bytes < nbc_job.settings.min)
        cw_result_note(result, "Messages are shorter than CROSSWIND_NBC_MIN, %llu bytes: all methods left them to MPI.",
                       (unsigned long long)nbc_job.settings.min);
    else if (overlap_methods_need_cores(&overlap->points.methods))
        cw_result_note(result,
                       "%u communication core%s a host carried out the methods that are not MPI's.%s Ranks %s: "
                       "@all are methods of MPI with all cores.",
                       nbc_job.cores.n, nbc_job.cores.n == 1 ? "" : "s",
                       nbc_job.cores.shared ? " Ranks use these cores, too." : "",
                       nbc_job.cores.shared ? "are not bound" : "are bound to the other cores");
}

static void note_conditions(const struct overlap *overlap, const struct bench_sites *sites)
{
    struct cw_result *result = overlap->invocation->result;
    const char *async = overlap_async_setting();
    if (async)
        cw_result_note(result, "%s is set: MPI makes progress in threads of its own, as far as it knows how.", async);
    else
        cw_result_note(result, "MPI made no progress in threads of its own. MPICH has some when it is started with "
                               "MPICH_ASYNC_PROGRESS=1 mpirun ..., Intel MPI with I_MPI_ASYNC_PROGRESS=1; Open MPI 4 "
                               "has none.");
    note_cores(overlap);
    if (sites->oversubscribed)
        cw_result_note(result, "There are more ranks than processors for them: times are of ranks that take turns, and "
                               "say little of a machine with a core for each.");
}

static int show(const struct overlap *overlap)
{
    struct cw_result *result = overlap->invocation->result;
    struct bench_sites sites;
    int rc = bench_sites_find(overlap->ranks, NULL, &sites);
    rc = ranks_agree(overlap->ranks, rc);
    if (rc) return rc;
    if (overlap->ranks->program.rank == 0) {
        cw_result_set_property(result, "environment", bench_environment(&sites));
        rc = overlap_show(&overlap->points, result);
        if (!rc) note_conditions(overlap, &sites);
        if (!rc && overlap->values->plot) rc = overlap_draw(&overlap->points, overlap->values->plot);
    }
    bench_sites_free(&sites);
    return ranks_agree(overlap->ranks, rc);
}

static int measure_and_show(struct invocation *invocation)
{
    struct overlap overlap = {
        .invocation = invocation, .values = invocation->values, .ranks = ranks_of(invocation->ranks)};
    int rc = ranks_agree(overlap.ranks, prepare(&overlap));
    if (!rc) rc = ranks_agree(overlap.ranks, start_cores(&overlap));
    if (!rc) rc = measure(&overlap);
    if (!rc) rc = show(&overlap);
    for (size_t i = 0; i < overlap.points.n; i++) overlap_samples_free(&overlap.points.items[i].samples);
    free(overlap.points.items);
    return rc;
}

/* --- emulation ---------------------------------------------------------------------------------------------------- */

#define UNIT 10e-3 /* [s] that an emulated transfer takes: threads wake in time within a few per cent of it */

static int emulate(struct invocation *invocation)
{
    static const char *const measuring[] = {"bytes",   "ranks",       "methods", "cores", "beside",
                                            "compute", "repetitions", "time",    NULL};
    const struct overlap_options *values = invocation->values;
    const bool bcast = strcmp(values->op, "bcast") == 0;
    int rc = invocation_refuse(invocation, measuring, "is for measuring, not for --emulate");
    if (!rc && !bcast && strcmp(values->op, "reduce") != 0)
        rc = cw_fail(CW_EUSAGE, "--emulate: expected --op bcast or --op reduce");
    if (!rc && values->plot) rc = cw_plot_check();
    if (rc) return rc;
    const struct cw_split_case about = {.model = {.cores = (uint32_t)values->emulate,
                                                  .collective = bcast ? CW_SPLIT_BCAST : CW_SPLIT_REDUCE,
                                                  .ratio = 1},
                                        .simulated = true,
                                        .chunks = 1,
                                        .unit = UNIT};
    struct cw_split_points points;
    struct cw_table *table;
    rc = cw_split_points_new(&about, 1, &points);
    if (rc) return rc;
    rc = split_tree_executed_table(&points, &table);
    if (!rc) rc = cw_result_add_table(invocation->result, table);
    if (!rc)
        cw_result_note(
            invocation->result,
            "Emulated, not measured: threads of the scheduler hold a core for %g ms instead of moving data. It "
            "differs from the simulation by %.1f %% at most; memory bandwidth that cores share is in neither.",
            1e3 * UNIT, 100 * cw_split_emulation_apart(&points));
    if (!rc && values->plot) rc = split_tree_draw(&points, SPLIT_TREE_OVERLAPPED, NULL, values->plot);
    cw_split_points_free(&points);
    return rc;
}

static int run(struct invocation *invocation)
{
    const struct overlap_options *values = invocation->values;
    struct ranks *ranks = ranks_of(invocation->ranks);
    cw_result_set_context(invocation->result, CW_CONTEXT_SEED, NULL);
    if (values->emulate == 0) return measure_and_show(invocation);
    return ranks_agree(ranks, ranks->program.rank == 0 ? emulate(invocation) : 0); /* others sleep meanwhile */
}

const struct verb verb_overlap = {
    .name = "overlap",
    .help = "Measures how much of a nonblocking collective is hidden behind a computation",
    .description =
        "The benchmark of Denis et al. (2018): the total work of the computation is fixed, and sized so that with all "
        "ranks it takes as long as the blocking collective. Each repetition measures, for one method after another, "
        "the "
        "collective alone, the computation alone, and both: the collective is started, ranks compute, and wait for it; "
        "each in a loop of 4 to 10 rounds, whose mean counts. Ranks keep off communication cores. Every result is "
        "checked. Methods are MPI's own functions and libcrosswind-nbc, which leaves the work to "
        "communication cores. Times are of the slowest rank, overlap that of the rank with the largest total.",
    .examples = "  mpirun -n 4 crosswind-mpi overlap\n"
                "  mpirun -n 8 crosswind-mpi overlap --op reduce --ranks 2,4,6,8 --plot overlap.svg\n"
                "  mpirun -n 1 crosswind-mpi overlap --emulate 64 --op reduce --plot emulated.svg\n"
                "  MPICH_ASYNC_PROGRESS=1 mpirun.mpich -n 4 crosswind-mpi overlap --methods native\n",
    .options = options,
    .size = sizeof(struct overlap_options),
    .computes = true,
    .ranks = true,
    .run = run,
};
