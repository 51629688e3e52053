/* crosswind cores: which cores of a machine to leave to communication, and what to type. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/verb.h"
#include "report/rows.h"
#include "study/overlap/core_plan.h"

struct cores_options {
    int64_t ranks;
    int collective;
    double compute;
    uint64_t bytes;
    char *machine, *tuning;
};

static const struct cw_option options[] = {
    {.name = "compute",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct cores_options, compute),
     .value_name = "R",
     .default_text = "1",
     .min = 0,
     .max = 1e6,
     .help = "how long the program computes beside a collective when it has all cores, as a multiple of the "
             "collective's time (crosswind-mpi overlap: compute / pure of method blocking)"},
    {.name = "ranks",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct cores_options, ranks),
     .value_name = "N",
     .min = 1,
     .max = 1e6,
     .help = "ranks on this machine; by default the best number"},
    {.name = "collective",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct cores_options, collective),
     .default_text = "bcast",
     .names = &cw_collective_trees,
     .help = "which nonblocking collective the program uses most"},
    {.name = "bytes",
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct cores_options, bytes),
     .default_text = "2MiB",
     .min = 1,
     .max = 1e15,
     .help = "size of its messages, as MPI counts it: of what was measured, the next smaller one counts"},
    {.name = "tuning",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct cores_options, tuning),
     .value_name = "FILE",
     .default_text = "auto",
     .help = "costs of collectives: a file of crosswind-mpi overlap --tuning; auto: what was last measured on this "
             "machine, if anything; off, or with --machine: the model alone"},
    {.name = "machine",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct cores_options, machine),
     .value_name = "WORDS",
     .help = "plan for another machine, in hwloc's words, as in 'pack:2 core:24 pu:1'"},
    {.name = NULL},
};

static const struct cw_column columns[] = {
    {"cpu", CW_COLUMN_INT, NULL, "the kernel's number of the core's first processing unit"},
    {"package", CW_COLUMN_INT, NULL, "socket"},
    {"numa_node", CW_COLUMN_INT, NULL, "NUMA node"},
    {"role", CW_COLUMN_TEXT, NULL, "rank, communication or free"},
};

/* The next core of one kind from I on, by position; n: there is none. */
static size_t next_of(const struct cw_machine_cores *cores, const struct cw_core_plan *plan, bool communication,
                      size_t i)
{
    while (i < cores->n && plan->communicates[i] != communication) i++;
    return i;
}

/* The first N cores of one kind: "0-2,5", or one by one, "0,1,2,5". */
static void list(const struct cw_machine_cores *cores, const struct cw_core_plan *plan, bool communication, size_t n,
                 bool ranges, struct cw_text *text)
{
    size_t i = next_of(cores, plan, communication, 0);
    while (n > 0 && i < cores->n) {
        const uint32_t first = cores->items[i].cpu;
        uint32_t last = first;
        do {
            last = cores->items[i].cpu;
            i = next_of(cores, plan, communication, i + 1);
        } while (--n > 0 && ranges && i < cores->n && cores->items[i].cpu == last + 1);
        cw_text_printf(text, last > first ? "%s%u-%u" : "%s%u", text->length > 0 ? "," : "", first, last);
    }
}

static int add_table(struct cw_result *result, const struct cw_machine_cores *cores, const struct cw_core_plan *plan)
{
    struct cw_table *table;
    int rc = cw_result_new_table(result, "cores", "Cores that can be used", CW_ITEMS(columns), &table);
    uint32_t ranks = 0;
    for (size_t i = 0; !rc && i < cores->n; i++) {
        cw_table_row(table, "%u %u %u %s", cores->items[i].cpu, cores->items[i].package, cores->items[i].node,
                     plan->communicates[i]   ? "communication"
                     : ranks++ < plan->ranks ? "rank"
                                             : "free");
    }
    return rc;
}

static void note_limits(struct cw_result *result, const struct cw_machine_cores *cores)
{
    if (cores->n < cores->all)
        cw_result_note(result, "Warning: of %zu cores of this machine, this process may use %zu (cgroup or affinity).",
                       cores->all, cores->n);
    if (cores->quota < (double)cores->n)
        cw_result_note(result,
                       "Warning: its control group allows the time of %.3g processors, on %zu cores. A communication "
                       "core that polls uses it up, too; ranks would be stopped for it.",
                       cores->quota, cores->n);
}

/* The lines to type. */
static int note_commands(struct cw_result *result, const struct cw_machine_cores *cores,
                         const struct cw_core_plan *plan)
{
    struct cw_text ranks = {0}, each = {0}, ours = {0}, schedule = {0};
    list(cores, plan, false, plan->ranks, true, &ranks);
    list(cores, plan, false, plan->ranks, false, &each);
    list(cores, plan, true, cores->n, true, &ours);
    if (plan->slices)
        cw_text_add(&schedule, "auto");
    else
        cw_text_printf(&schedule, "split-tree:%u", plan->steps);
    int rc = cw_text_check(&ranks);
    if (!rc) rc = cw_text_check(&each);
    if (!rc) rc = cw_text_check(&ours);
    if (!rc) rc = cw_text_check(&schedule);
    if (!rc) {
        cw_result_note(result,
                       "Open MPI:\n    mpirun -n %u --bind-to none -x LD_PRELOAD=libcrosswind-nbc.so -x "
                       "CROSSWIND_NBC_CORES=%s -x CROSSWIND_NBC_SCHEDULE=%s taskset -c %s PROGRAM",
                       plan->ranks, ours.data, schedule.data, ranks.data);
        cw_result_note(result,
                       "MPICH:\n    mpirun -n %u -bind-to user:%s -genv LD_PRELOAD libcrosswind-nbc.so -genv "
                       "CROSSWIND_NBC_CORES %s -genv CROSSWIND_NBC_SCHEDULE %s PROGRAM",
                       plan->ranks, each.data, ours.data, schedule.data);
        cw_result_note(
            result,
            "Slurm:\n    LD_PRELOAD=libcrosswind-nbc.so CROSSWIND_NBC_CORES=%s CROSSWIND_NBC_SCHEDULE=%s srun "
            "--exclusive --ntasks-per-node=%u --cpu-bind=map_cpu:%s PROGRAM",
            ours.data, schedule.data, plan->ranks, each.data);
    }
    cw_text_free(&ranks);
    cw_text_free(&each);
    cw_text_free(&ours);
    cw_text_free(&schedule);
    return rc;
}

/* So many transfers, and what that is in seconds, if it is known. */
static const char *format_transfers(double transfers, const struct cw_core_costs *costs, char *text, size_t size)
{
    char time[32];
    if (costs->measured)
        snprintf(text, size, "%s", cw_format_time(transfers * costs->transfer, time, sizeof time));
    else
        snprintf(text, size, "%.3g transfers", transfers);
    return text;
}

/* What the advice rests on. */
static void note_costs(struct cw_result *result, const struct cw_core_costs *costs, const struct cw_nbc_tuning *tuning)
{
    const struct cw_nbc_choice *measured = costs->measured;
    char bytes[32], transfer[32], blocking[32], start[32];
    if (!measured) {
        cw_result_note(
            result, "This rests on the model alone: crosswind-mpi overlap --tuning measures what transfers take here.");
        return;
    }
    cw_result_note(result,
                   "This rests on what was measured with %s and %u ranks beside %u communication core%s (%s): a "
                   "communication core moves %s in %s, MPI's blocking %s takes %s and its nonblocking one hides %.0f "
                   "%%; the call that starts one on communication cores takes %s.",
                   tuning->site.mpi, measured->ranks, measured->cores, cw_plural(measured->cores), tuning->site.time,
                   cw_format_bytes(measured->bytes, bytes, sizeof bytes),
                   cw_format_time(costs->transfer, transfer, sizeof transfer),
                   cw_collectives[measured->collective].name,
                   cw_format_time(measured->blocking, blocking, sizeof blocking), 100 * costs->hidden,
                   cw_format_time(measured->start, start, sizeof start));
}

static int note_advice(struct cw_result *result, const struct cw_machine_cores *cores, const struct cw_core_plan *plan,
                       const struct cw_core_costs *costs)
{
    const uint32_t communication = plan->usable - plan->ranks;
    char ours[64], of_mpi[64];
    if (plan->advice == CW_CORES_NO_SPARE) {
        cw_result_note(result,
                       "No spare core: stay with MPI's own collectives. With %u cores to use and %u rank%s none is "
                       "left for communication, and one that ranks share slows them down.",
                       plan->usable, plan->ranks, cw_plural(plan->ranks));
        return 0;
    }
    if (plan->advice == CW_CORES_MEASURED) {
        cw_result_note(result,
                       "Stay with MPI's own collectives: with a computation as long as the collective, MPI's own "
                       "nonblocking one took %s here, and the best schedule with communication cores %s.",
                       cw_format_time(costs->measured->native_total, of_mpi, sizeof of_mpi),
                       cw_format_time(costs->measured->total, ours, sizeof ours));
        return 0;
    }
    format_transfers(plan->time, costs, ours, sizeof ours);
    format_transfers(plan->all_cores, costs, of_mpi, sizeof of_mpi);
    if (plan->advice == CW_CORES_STAY) {
        cw_result_note(result,
                       "Stay with MPI's own collectives, and a rank on each of %u cores: that takes %s, and the best "
                       "plan with communication cores %s.",
                       plan->usable, of_mpi, ours);
        return 0;
    }
    cw_result_note(result,
                   "%u ranks and %u communication core%s: collective and computation take %s by the model of %s, "
                   "instead of %s %s with a rank on each of %u cores.",
                   plan->ranks, communication, cw_plural(communication), ours, plan->slices ? "slices" : "split trees",
                   of_mpi, costs->measured ? "by MPI's own nonblocking one," : "one after the other,", plan->usable);
    return note_commands(result, cores, plan);
}

/* What was measured last of this machine, with any MPI; none: n is 0. A file that does not fit is said. */
static int find_tuning(struct cw_result *result, struct cw_nbc_tuning *tuning)
{
    static const char *const mpis[] = {"openmpi", "mpich"};
    const struct cw_nbc_site here = cw_nbc_site_of(NULL);
    struct cw_nbc_tuning *one = cw_new_array(1, sizeof *one, "what was measured");
    int rc = one ? 0 : CW_ENOMEM;
    for (size_t i = 0; !rc && i < sizeof mpis / sizeof *mpis; i++) {
        struct cw_text path = {0};
        if (cw_nbc_tuning_path(mpis[i], &path) == 0 && access(path.data, R_OK) == 0) {
            if (cw_nbc_tuning_read(path.data, one) || cw_nbc_tuning_check(one, &here))
                cw_result_note(result, "The measurements kept in %s are not used: %s.", path.data, cw_error_message());
            else if (tuning->n == 0 || strcmp(one->site.time, tuning->site.time) > 0)
                *tuning = *one;
        }
        cw_text_free(&path);
    }
    free(one);
    return rc;
}

static int read_tuning(const struct invocation *invocation, struct cw_nbc_tuning *tuning)
{
    const struct cores_options *values = invocation->values;
    if (strcmp(values->tuning, "off") == 0) return 0;
    if (strcmp(values->tuning, "auto") != 0) return cw_nbc_tuning_read(values->tuning, tuning);
    return values->machine ? 0 : find_tuning(invocation->result, tuning);
}

static int plan_and_say(struct invocation *invocation, const struct cw_machine_cores *cores,
                        const struct cw_nbc_tuning *tuning)
{
    const struct cores_options *values = invocation->values;
    const struct cw_collective_traits *collective = cw_registry_item(&cw_collective_trees, (size_t)values->collective);
    const struct cw_split_model model = {.collective = cw_collective_kind_of(collective), .ratio = values->compute};
    const uint32_t ranks = values->ranks > 0 ? (uint32_t)values->ranks : (uint32_t)cores->n - (cores->n > 1);
    const struct cw_core_costs costs = cw_core_costs_of(tuning, model.collective, ranks, values->bytes);
    struct cw_core_plan plan = {0};
    int rc = cw_core_plan_new(cores, &model, &costs, (uint32_t)values->ranks, &plan);
    if (!rc) rc = add_table(invocation->result, cores, &plan);
    if (!rc) {
        note_limits(invocation->result, cores);
        rc = note_advice(invocation->result, cores, &plan, &costs);
    }
    if (!rc && plan.advice != CW_CORES_NO_SPARE) note_costs(invocation->result, &costs, tuning);
    cw_core_plan_free(&plan);
    return rc;
}

static int run(struct invocation *invocation)
{
    const struct cores_options *values = invocation->values;
    struct cw_machine_cores cores = {0};
    struct cw_nbc_tuning *tuning = cw_new_array(1, sizeof *tuning, "what was measured");
    cw_result_set_context(invocation->result, CW_CONTEXT_SEED, NULL);
    int rc = tuning ? cw_machine_cores_read(values->machine, &cores) : CW_ENOMEM;
    if (!rc) rc = read_tuning(invocation, tuning);
    if (!rc) rc = plan_and_say(invocation, &cores, tuning);
    free(tuning);
    cw_machine_cores_free(&cores);
    return rc;
}

const struct verb verb_cores = {
    .name = "cores",
    .help = "Which cores of this machine to leave to nonblocking collectives, and what to type",
    .description = "Reads the cores that a job may use here (hwloc, control groups), chooses by the model of crosswind "
                   "model split-tree how many ranks and communication cores suit a program that computes beside its "
                   "collectives, and prints the command that starts it. Where it does not pay, it says so: no spare "
                   "core, or too much computation for what could be hidden. What collectives cost is taken from "
                   "crosswind-mpi overlap --tuning, if that was measured here, else from the model.",
    .examples = "  crosswind cores --compute 2\n"
                "  crosswind cores --ranks 60 --collective reduce\n"
                "  crosswind cores --machine 'pack:2 core:24 pu:1'\n",
    .options = options,
    .size = sizeof(struct cores_options),
    .computes = true,
    .run = run,
};
