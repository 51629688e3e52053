/* crosswind-mpi overlap: how much of a nonblocking collective is hidden behind a computation. */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "base/units.h"
#include "mpi/bench/bench_environment.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/overlap/overlap_measure.h"
#include "study/papers/split_tree_points.h"

/* [s] that an emulated transfer of a vector takes, or of a block, of which more are one after the other: threads wake
 * in time within a few per cent of it. */
#define UNIT       10e-3
#define UNIT_BLOCK 2e-3

static const struct cw_option options[] = {
    {.name = "op",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct overlap_options, op),
     .value_name = "OP[,OP...]",
     .default_text = "bcast,reduce",
     .help =
         "collectives: bcast, reduce, allreduce, scatter, gather, allgather, alltoall; with --tuning all of them by "
         "default"},
    {.name = "bytes",
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct overlap_options, bytes),
     .default_text = "2MiB",
     .min = 1,
     .max = INT_MAX,
     .help = "size of the buffer of a bcast or reduction; of the others, of what goes to, or comes from, each rank"},
    {.name = "ranks",
     .type = CW_OPTION_INTS,
     .offset = offsetof(struct overlap_options, ranks),
     .value_name = "N[,N...]|N..N",
     .min = 2,
     .max = 1e6,
     .help = "how many ranks take part, the first ones; by default all. The others are idle, and their cores "
             "communicate, unless --cores says which do"},
    {.name = "methods",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct overlap_options, methods),
     .value_name = "NAME[,NAME...]",
     .default_text = "blocking,native,blocking@all,native@all,native-yield@all,split-tree:0,split-tree:1,slices:1,auto",
     .help =
         "ways to carry the collective out, in turn. MPI's own: blocking (after the computation) and native (its "
         "nonblocking function), and native-yield (the same, and MPI_Test and sched_yield until it is done, for ranks "
         "that share cores), on the cores that are left to ranks; the same with @all, on the communication cores, too. "
         "With communication cores: split-tree:S (the last S levels of the tree by ranks), "
         "binomial or k-nomial:K (the whole tree on these cores; an allgather or alltoall has none), "
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
     .choices = cw_overlap_kinds,
     .help = "what ranks do meanwhile: a loop on their core (cpu), or sleep as ranks whose device computes, so that "
             "their cores are free (accelerator)"},
    {.name = "compute",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct overlap_options, compute),
     .help = "how long that takes with all ranks; by default as long as the collective alone among all by whichever of "
             "blocking@all, native@all and native-yield@all takes least, for perfect overlap. Fewer ranks share the "
             "same work, so that it takes longer"},
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
     .help =
         "begin no repetition after that, for each collective and number of ranks; with --tuning, 5s by default, no "
         "measurement in all; 0: no limit"},
    {.name = "emulate",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct overlap_options, emulate),
     .value_name = "CORES",
     .min = 4,
     .max = 256,
     .help =
         "measure nothing; let the scheduler run on so many emulated cores, as threads that sleep instead of moving "
         "data, beside model and simulation. Of one --op that has a tree: bcast, reduce, allreduce, scatter, gather"},
    {.name = "save",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct overlap_options, save),
     .value_name = "FILE.csv",
     .incidental = true,
     .help = "write every repetition to FILE, as soon as a collective among a number of ranks is measured, and what is "
             "known of the run to FILE-metadata.json, for crosswind reproduce split-tree --runs"},
    {.name = "dry-run",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct overlap_options, dry_run),
     .help = "show what would be measured, by which ranks and communication cores and for how long, and end"},
    {.name = "tuning",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct overlap_options, tune),
     .help =
         "measure shortly which schedule is best for which collective and size here, or that MPI's own is, and keep "
         "that for libcrosswind-nbc and crosswind cores"},
    {.name = NULL},
};

/* --- emulating ---------------------------------------------------------------------------------------------------- */

static int refuse_emulation(void)
{
    struct cw_text names = {0};
    cw_registry_list(&cw_collective_trees, ", ", &names);
    int rc = cw_text_check(&names);
    if (!rc) rc = cw_fail(CW_EUSAGE, "--emulate: expected one --op that has a tree: %s", names.data);
    cw_text_free(&names);
    return rc;
}

/* The schedules of libcrosswind-nbc on cores that there are not; on one rank. */
static int emulate(struct invocation *invocation)
{
    static const char *const measuring[] = {"bytes",       "ranks", "methods", "cores",   "beside", "compute",
                                            "repetitions", "time",  "save",    "dry-run", "tuning", NULL};
    const struct overlap_options *values = invocation->values;
    const struct cw_collective_traits *collective = cw_registry_find(&cw_collective_trees, values->op);
    int rc = invocation_refuse(invocation, measuring, "is for measuring, not for --emulate");
    if (!rc && !collective) rc = refuse_emulation();
    if (rc) return rc;
    const enum cw_collective_kind kind = cw_collective_kind_of(collective);
    const double unit = cw_collective_has_blocks(kind) ? UNIT_BLOCK : UNIT;
    const struct cw_split_case about = {.model = {.cores = (uint32_t)values->emulate, .collective = kind, .ratio = 1},
                                        .simulated = true,
                                        .chunks = 1,
                                        .unit = unit};
    struct cw_split_points points;
    struct cw_table *table;
    rc = cw_split_points_new(&about, 1, &points);
    if (rc) return rc;
    rc = cw_split_tree_executed_table(&points, &table);
    if (!rc) rc = cw_result_add_table(invocation->result, table);
    if (!rc)
        cw_result_note(
            invocation->result,
            "Emulated, not measured: threads of the scheduler hold a core for %g ms instead of moving data. It "
            "differs from the simulation by %.1f %% at most; memory bandwidth that cores share is in neither.",
            1e3 * unit, 100 * cw_split_emulation_apart(&points));
    if (!rc && invocation->common.plot)
        rc = cw_split_tree_draw(&points, CW_SPLIT_OVERLAPPED, NULL, invocation->common.plot);
    cw_split_points_free(&points);
    return rc;
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

/* Each collective has one of METHODS at least. */
static int check_methods(const struct overlap *overlap, const struct cw_overlap_methods *methods)
{
    for (size_t i = 0; i < overlap->n_operations; i++) {
        struct cw_overlap_methods own = *methods;
        cw_overlap_methods_fit(&own, cw_collective_kind_of(overlap->operations[i]));
        if (own.n == 0) return cw_fail(CW_EUSAGE, "--methods: %s has no tree", overlap->operations[i]->name);
    }
    return 0;
}

static int prepare(struct overlap *overlap, struct cw_overlap_measurements *points)
{
    const struct overlap_options *values = overlap->values;
    int rc = overlap_prepare(overlap, values->op);
    if (!rc) rc = cw_overlap_methods_parse(values->methods, &points->methods);
    if (!rc) rc = check_methods(overlap, &points->methods);
    if (!rc && overlap->invocation->common.plot && overlap->n_operations > 1)
        rc = cw_fail(CW_EUSAGE, "--plot: expected one --op to draw");
    if (rc) return rc;
    points->bytes = values->bytes;
    points->kind = (enum cw_overlap_kind)values->beside;
    points->items = cw_new_array(overlap->n_operations * overlap->numbers.n, sizeof *points->items, "measurements");
    return points->items ? 0 : CW_ENOMEM;
}

/* What is measured among N ranks: methods that need communication cores are left out where there are none, unless the
 * user has named them, and this is all that is asked for. Collective. */
static int begin_ranks(struct overlap *overlap, const struct cw_overlap_measurements *points, int n,
                       struct cw_overlap_methods *methods)
{
    unsigned cores = 0;
    *methods = points->methods;
    if (!cw_overlap_methods_need_cores(methods)) return 0;
    const int rc = overlap_start_cores(overlap, n, &cores);
    if (rc || cores > 0) return rc;
    if (invocation_has(overlap->invocation, "methods") && overlap->numbers.n == 1)
        return cw_fail(CW_EUSAGE, "no core is left for communication: start fewer ranks, or name some with --cores");
    cw_overlap_methods_keep_native(methods);
    return 0;
}

/* By default the computation is as long as the collective alone among all that are measured, by whatever of MPI takes
 * least: a longer one would hide more than there is to hide without us. */
static int size_computation(struct overlap *overlap, size_t i, size_t bytes)
{
    const struct overlap_setup setup = {.operation = overlap->operations[i], .bytes = bytes, .places = overlap->places};
    struct overlap_size *size = &overlap->sizes[i];
    const int most = (int)overlap->numbers.values[overlap->numbers.n - 1];
    int rc = 0;
    *size = (struct overlap_size){.seconds = overlap->values->compute};
    if (size->seconds == 0) rc = overlap_measure_least(overlap, &setup, most, &size->seconds, size->method);
    size->seconds *= most;
    return rc;
}

/* How the computations were sized: "bcast: 451 us, as alone by native@all; ...". */
static void keep_sizes(const struct overlap *overlap)
{
    char text[96 * OVERLAP_OPERATIONS] = "";
    const double most = (double)overlap->numbers.values[overlap->numbers.n - 1];
    for (size_t i = 0; i < overlap->n_operations; i++) {
        const struct overlap_size *size = &overlap->sizes[i];
        char time[32];
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s: %s, %s%s", i > 0 ? "; " : "", overlap->operations[i]->name,
                 cw_format_time(size->seconds / most, time, sizeof time), *size->method ? "as alone by " : "as given",
                 size->method);
    }
    cw_result_set_property(overlap->invocation->result, "computation", json_string(text));
    cw_result_note(overlap->invocation->result, "Computation with all ranks: %s.", text);
    if (overlap->sharing > 1)
        cw_result_note(overlap->invocation->result,
                       "%.3g ranks share a core: each has 1/%.3g of the work that would take that long on a core of "
                       "its own.",
                       overlap->sharing, overlap->sharing);
    cw_result_note(
        overlap->invocation->result,
        "This is with all cores. Where some are left to communication, ranks compute on fewer cores and take "
        "longer (column compute).");
}

static int save(const struct overlap *overlap, const struct cw_overlap_measurements *points)
{
    const struct cw_nbc_site site = overlap_site();
    return cw_overlap_save(points, &site, overlap->invocation->result, overlap->values->save);
}

static int measure_number(struct overlap *overlap, struct cw_overlap_measurements *points, int n)
{
    const struct overlap_options *values = overlap->values;
    struct cw_overlap_methods all;
    int rc = begin_ranks(overlap, points, n, &all);
    for (size_t i = 0; !rc && i < overlap->n_operations; i++) {
        struct cw_overlap_methods methods = all;
        cw_overlap_methods_fit(&methods, cw_collective_kind_of(overlap->operations[i]));
        const struct overlap_setup setup = {.operation = overlap->operations[i],
                                            .bytes = points->bytes,
                                            .methods = &methods,
                                            .kind = points->kind,
                                            .rate = overlap->rate,
                                            .places = overlap->places,
                                            .repetitions = (size_t)values->repetitions,
                                            .time = values->time};
        struct cw_overlap_measurement *point = &points->items[points->n];
        rc = overlap_measure(overlap, &setup, n, overlap->sizes[i].seconds, point);
        if (rc) continue;
        points->n++;
        if (values->save)
            rc = ranks_agree(overlap->ranks, overlap->ranks->program.rank == 0 ? save(overlap, points) : 0);
        if (!rc) rc = ranks_agree(overlap->ranks, cw_interrupt_check());
        cw_progress_step(overlap->progress, 1);
    }
    return rc;
}

static int measure(struct overlap *overlap, struct cw_overlap_measurements *points)
{
    int rc = 0;
    if (overlap->ranks->program.rank == 0)
        overlap->progress =
            invocation_progress(overlap->invocation, "overlap", overlap->numbers.n * overlap->n_operations);
    overlap_find_rate(overlap, (int)overlap->numbers.values[overlap->numbers.n - 1]);
    for (size_t i = 0; i < overlap->n_operations && !rc; i++) rc = size_computation(overlap, i, points->bytes);
    if (!rc && overlap->ranks->program.rank == 0) keep_sizes(overlap);
    for (size_t i = 0; i < overlap->numbers.n && !rc; i++)
        rc = measure_number(overlap, points, (int)overlap->numbers.values[i]);
    cw_progress_free(overlap->progress);
    return rc;
}

/* --- what would be measured --------------------------------------------------------------------------------------- */

static const struct cw_column dry_columns[] = {
    {"ranks", CW_COLUMN_INT, NULL, "that take part"},
    {"idle", CW_COLUMN_INT, "rank", "that sleep meanwhile"},
    {"cores", CW_COLUMN_INT, NULL, "for communication, of a host"},
    {"methods", CW_COLUMN_INT, NULL, "that can be measured: without communication cores, those of MPI alone"},
};

/* A row for each number of ranks, with its communication cores. Collective. */
static int dry_run(struct overlap *overlap, const struct cw_overlap_measurements *points)
{
    const struct overlap_options *values = overlap->values;
    struct cw_result *result = overlap->invocation->result;
    struct cw_table *table;
    int rc = cw_table_new("measurements", "What would be measured", dry_columns,
                          sizeof dry_columns / sizeof *dry_columns, &table);
    if (!rc) rc = cw_result_add_table(result, table);
    rc = ranks_agree(overlap->ranks, rc);
    for (size_t i = 0; i < overlap->numbers.n && !rc; i++) {
        struct cw_overlap_methods methods = points->methods;
        unsigned cores;
        const int n = (int)overlap->numbers.values[i];
        rc = overlap_start_cores(overlap, n, &cores);
        if (cores == 0) cw_overlap_methods_keep_native(&methods);
        cw_table_int(table, n);
        cw_table_int(table, (int64_t)overlap->ranks->program.n - n);
        cw_table_int(table, cores);
        cw_table_int(table, (int64_t)methods.n);
    }
    char bytes[32], time[32];
    const double limit = values->time * (double)(overlap->n_operations * overlap->numbers.n);
    if (!rc)
        cw_result_note(result, "%zu collective%s of %s, up to %lld repetitions of all methods each.",
                       overlap->n_operations, cw_plural(overlap->n_operations),
                       cw_format_bytes(points->bytes, bytes, sizeof bytes), (long long)values->repetitions);
    if (!rc && limit > 0)
        cw_result_note(result, "This takes at most little more than %s, and less where the repetitions need less.",
                       cw_format_time(limit, time, sizeof time));
    return rc;
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

/* Who carried out what is not MPI's own. */
static void note_cores(const struct overlap *overlap, const struct cw_overlap_measurements *points)
{
    struct cw_result *result = overlap->invocation->result;
    unsigned most = 0;
    for (size_t i = 0; i < points->n; i++)
        if (cw_overlap_methods_need_cores(&points->items[i].methods) && points->items[i].cores > most)
            most = points->items[i].cores;
    if (!cw_overlap_methods_need_cores(&points->methods)) return;
    if (most == 0)
        cw_result_note(result, "No core is left for communication (--cores), so that only methods of MPI itself were "
                               "measured.");
    else if (points->bytes < nbc_job.settings.least)
        cw_result_note(result, "Messages are shorter than CROSSWIND_NBC_MIN, %llu bytes: all methods left them to MPI.",
                       (unsigned long long)nbc_job.settings.least);
    else
        cw_result_note(result,
                       "%s%u communication core%s a host carried out the methods that are not MPI's.%s Ranks %s: "
                       "@all are methods of MPI with all cores.",
                       overlap->numbers.n > 1 ? "At most " : "", most, cw_plural(most),
                       nbc_job.cores.shared ? " Ranks use these cores, too." : "",
                       nbc_job.cores.shared ? "are not bound" : "are bound to the other cores");
    if (nbc_job.settings.tuning_state == CW_NBC_TUNING_USED && most > 0)
        cw_result_note(result, "Method auto is as it was measured here (--tuning, %s).",
                       nbc_job.settings.tuning.site.time);
}

static void note_conditions(const struct overlap *overlap, const struct cw_overlap_measurements *points,
                            const struct bench_sites *sites)
{
    struct cw_result *result = overlap->invocation->result;
    const char *async = cw_overlap_async_setting();
    if (async)
        cw_result_note(result, "%s is set: MPI makes progress in threads of its own, as far as it knows how.", async);
    else
        cw_result_note(result, "MPI made no progress in threads of its own. MPICH has some when it is started with "
                               "MPICH_ASYNC_PROGRESS=1 mpirun ..., Intel MPI with I_MPI_ASYNC_PROGRESS=1; Open MPI 4 "
                               "has none.");
    note_cores(overlap, points);
    if (sites->oversubscribed)
        cw_result_note(result, "There are more ranks than processors for them: times are of ranks that take turns, and "
                               "say little of a machine with a core for each.");
}

static int show(const struct overlap *overlap, const struct cw_overlap_measurements *points,
                const struct bench_sites *sites)
{
    int rc = cw_overlap_show(points, overlap->invocation->result);
    if (!rc) note_conditions(overlap, points, sites);
    if (!rc && overlap->invocation->common.plot) rc = cw_overlap_draw(points, overlap->invocation->common.plot);
    return rc;
}

static int measure_and_show(struct overlap *overlap)
{
    struct bench_sites sites = {0};
    struct cw_overlap_measurements points = {.n = 0};
    int rc = ranks_agree(overlap->ranks, bench_sites_find(overlap->ranks, NULL, &sites));
    if (!rc && overlap->ranks->program.rank == 0)
        cw_result_set_property(overlap->invocation->result, "environment", bench_environment(&sites));
    if (!rc) rc = ranks_agree(overlap->ranks, prepare(overlap, &points));
    if (!rc && overlap->values->dry_run)
        rc = dry_run(overlap, &points);
    else if (!rc)
        rc = measure(overlap, &points);
    int shown = 0;
    if (points.n > 0 && overlap->ranks->program.rank == 0) shown = show(overlap, &points, &sites);
    if (!rc) rc = ranks_agree(overlap->ranks, shown);
    for (size_t i = 0; i < points.n; i++) cw_overlap_samples_free(&points.items[i].samples);
    free(points.items);
    bench_sites_free(&sites);
    return rc;
}

static int run(struct invocation *invocation)
{
    struct overlap overlap = {
        .invocation = invocation, .values = invocation->values, .ranks = ranks_of(invocation->ranks)};
    cw_result_set_context(invocation->result, CW_CONTEXT_SEED, NULL);
    if (overlap.values->emulate > 0) /* others sleep meanwhile */
        return ranks_agree(overlap.ranks, overlap.ranks->program.rank == 0 ? emulate(invocation) : 0);
    return overlap.values->tune ? overlap_tune(&overlap) : measure_and_show(&overlap);
}

const struct verb verb_overlap = {
    .name = "overlap",
    .help = "Measures how much of a nonblocking collective is hidden behind a computation",
    .description =
        "The benchmark of Denis et al. (2018): the total work of the computation is fixed, and sized so that with all "
        "ranks it takes as long as the fastest collective of MPI itself alone. Each repetition measures, for one "
        "method after another, "
        "the collective alone, the computation alone, and both: the collective is started, ranks compute, and wait for "
        "it; each in a loop of 4 to 10 rounds, whose mean counts. Ranks keep off communication cores. Every result is "
        "checked. Methods are MPI's own functions and libcrosswind-nbc, which leaves the work to "
        "communication cores. Times are of the slowest rank, overlap that of the rank with the largest total. With "
        "--tuning it measures all collectives and several sizes shortly, and keeps what is best for each.",
    .examples = "  mpirun -n 4 crosswind-mpi overlap\n"
                "  mpirun -n 8 crosswind-mpi overlap --op reduce --ranks 2..8 --plot overlap.svg\n"
                "  mpirun -n 7 crosswind-mpi overlap --tuning\n"
                "  mpirun -n 1 crosswind-mpi overlap --emulate 64 --op reduce --plot emulated.svg\n"
                "  MPICH_ASYNC_PROGRESS=1 mpirun.mpich -n 4 crosswind-mpi overlap --methods native\n",
    .options = options,
    .size = sizeof(struct overlap_options),
    .computes = true,
    .ranks = true,
    .pictures = PICTURES_OWN,
    .run = run,
};
