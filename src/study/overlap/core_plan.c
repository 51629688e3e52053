#include "study/overlap/core_plan.h"

#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* --- the cores of a machine --------------------------------------------------------------------------------------- */

/* The two numbers of a file that says how much time in which period, "max 100000"; INFINITY where there is no limit. */
static double read_quota(const char *folder, const char *file, const char *period_file)
{
    char path[4096], text[64] = "", period_text[64] = "";
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, file) >= sizeof path) return INFINITY;
    FILE *stream = fopen(path, "r");
    if (!stream) return INFINITY;
    if (!fgets(text, sizeof text, stream)) *text = '\0';
    fclose(stream);
    char *end;
    const double quota = strtod(text, &end);
    if (period_file) {
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, period_file) >= sizeof path) return INFINITY;
        stream = fopen(path, "r");
        if (!stream) return INFINITY;
        if (!fgets(period_text, sizeof period_text, stream)) *period_text = '\0';
        fclose(stream);
        end = period_text;
    }
    const double period = strtod(end, NULL);
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

/* The least limit from the group PATH up to the root of the tree. */
static double least_quota(const char *root, const char *path, const char *file, const char *period_file)
{
    char folder[4096];
    const size_t fixed = (size_t)snprintf(folder, sizeof folder, "%s%s", root, path);
    double least = INFINITY;
    if (fixed >= sizeof folder) return least;
    for (;;) {
        least = fmin(least, read_quota(folder, file, period_file));
        char *last = strrchr(folder, '/');
        if (!last || (size_t)(last - folder) < strlen(root)) return least;
        *last = '\0';
    }
}

double cw_machine_quota(const char *root, const char *membership)
{
    double least = INFINITY;
    char old_root[4096];
    while (*membership) { /* "0::/path" is version 2, "4:cpu,cpuacct:/path" version 1 */
        char line[4096];
        const size_t length = strcspn(membership, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, membership);
        membership += length + (membership[length] == '\n');
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        if (strcmp(controllers, ":") == 0) least = fmin(least, least_quota(root, path, "cpu.max", NULL));
        if (strcmp(controllers, ":cpu") != 0 && strncmp(controllers, ":cpu,", 5) != 0) continue;
        snprintf(old_root, sizeof old_root, "%s/cpu", root);
        least = fmin(least, least_quota(old_root, path, "cpu.cfs_quota_us", "cpu.cfs_period_us"));
    }
    return least;
}

static double own_quota(void)
{
    char membership[8192];
    FILE *stream = fopen("/proc/self/cgroup", "r");
    if (!stream) return INFINITY;
    membership[fread(membership, 1, sizeof membership - 1, stream)] = '\0';
    fclose(stream);
    return cw_machine_quota("/sys/fs/cgroup", membership);
}

static uint32_t number_of(hwloc_topology_t topology, hwloc_obj_t core, hwloc_obj_type_t type)
{
    for (hwloc_obj_t object = NULL; (object = hwloc_get_next_obj_by_type(topology, type, object));)
        if (hwloc_bitmap_intersects(object->cpuset, core->cpuset)) return object->logical_index;
    return 0;
}

static int list_cores(hwloc_topology_t topology, struct cw_machine_cores *out)
{
    const hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(topology);
    const int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    out->items = cw_new_array(n > 0 ? (size_t)n : 1, sizeof *out->items, "cores");
    if (!out->items) return CW_ENOMEM;
    out->all = n > 0 ? (size_t)n : 0;
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    if (!usable) return cw_fail(CW_ENOMEM, "no memory for a set of processors");
    for (hwloc_obj_t core = NULL; (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core));) {
        hwloc_bitmap_and(usable, core->cpuset, allowed);
        if (hwloc_bitmap_iszero(usable)) continue;
        out->items[out->n++] = (struct cw_machine_core){.cpu = (uint32_t)hwloc_bitmap_first(usable),
                                                        .package = number_of(topology, core, HWLOC_OBJ_PACKAGE),
                                                        .node = number_of(topology, core, HWLOC_OBJ_NUMANODE)};
    }
    hwloc_bitmap_free(usable);
    return 0;
}

static int ask_hwloc(const char *synthetic, struct cw_machine_cores *cores)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0) return cw_fail(CW_ENOMEM, "hwloc cannot be started");
    int rc = 0;
    if (synthetic && hwloc_topology_set_synthetic(topology, synthetic) != 0)
        rc = cw_fail(CW_EUSAGE, "'%s' describes no machine; expected hwloc's words, as in 'pack:2 core:24 pu:1'",
                     synthetic);
    if (!rc) {
        /* Cores that this process may not use are of the machine, too. */
        hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
        if (hwloc_topology_load(topology) != 0) rc = cw_fail(CW_EIO, "hwloc cannot tell the cores of this machine");
    }
    if (!rc) rc = list_cores(topology, cores);
    hwloc_topology_destroy(topology);
    return rc;
}

/* What the child says: this, and then the cores, or why there are none. */
struct answer {
    int rc;
    size_t n, all;
    char message[512];
};

/* Of the child: ends it. */
static void answer(const char *synthetic, FILE *to)
{
    struct cw_machine_cores cores = {0};
    struct answer answer = {.rc = ask_hwloc(synthetic, &cores), .n = cores.n, .all = cores.all};
    if (answer.rc) snprintf(answer.message, sizeof answer.message, "%s", cw_error_message());
    fwrite(&answer, sizeof answer, 1, to);
    if (!answer.rc) fwrite(cores.items, sizeof *cores.items, cores.n, to);
    _exit(fflush(to) == 0 ? 0 : 1);
}

static int read_answer(FILE *from, struct cw_machine_cores *cores)
{
    struct answer answer;
    if (fread(&answer, sizeof answer, 1, from) != 1) return cw_fail(CW_EIO, "hwloc ended while it looked for cores");
    if (answer.rc) return cw_fail(answer.rc, "%s", answer.message);
    cores->items = cw_new_array(answer.n, sizeof *cores->items, "cores");
    if (!cores->items) return CW_ENOMEM;
    cores->n = answer.n;
    cores->all = answer.all;
    return fread(cores->items, sizeof *cores->items, cores->n, from) == cores->n
               ? 0
               : cw_fail(CW_EIO, "hwloc ended before it had named the cores");
}

/* hwloc 2.9 does not look whether it gets the memory that it asks for, and would end the program: a child asks it. */
int cw_machine_cores_read(const char *synthetic, struct cw_machine_cores *out)
{
    struct cw_machine_cores cores = {.quota = synthetic ? INFINITY : own_quota()};
    int ends[2];
    if (pipe(ends) != 0) return cw_fail(CW_EIO, "no pipe for the cores of this machine: %s", strerror(errno));
    FILE *from = fdopen(ends[0], "r"), *to = fdopen(ends[1], "w");
    const pid_t child = from && to ? fork() : -1;
    if (child == 0) answer(synthetic, to);
    int rc = child > 0 ? 0 : cw_fail(CW_ENOMEM, "no process or memory to look for cores: %s", strerror(errno));
    if (to)
        fclose(to);
    else
        close(ends[1]);
    if (!rc) rc = read_answer(from, &cores);
    if (from)
        fclose(from);
    else
        close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    if (rc)
        cw_machine_cores_free(&cores);
    else
        *out = cores;
    return rc;
}

void cw_machine_cores_free(struct cw_machine_cores *cores)
{
    free(cores->items);
    *cores = (struct cw_machine_cores){0};
}

/* --- what collectives cost on them -------------------------------------------------------------------------------- */

struct cw_core_costs cw_core_costs_default(void)
{
    return (struct cw_core_costs){.level = 1, .transfer = NAN};
}

struct cw_core_costs cw_core_costs_of(const struct cw_nbc_tuning *tuning, enum cw_collective_kind collective,
                                      uint32_t ranks, uint64_t bytes)
{
    struct cw_core_costs costs = cw_core_costs_default();
    const struct cw_nbc_choice *choice = cw_nbc_tuning_find(tuning, collective, ranks, bytes);
    if (!choice) return costs;
    const struct cw_split_model model = {.cores = choice->ranks + choice->cores, .collective = collective, .ratio = 1};
    const double levels = cw_split_times_of(&model, choice->ranks, 0).blocking;
    const double transfers = (cw_collective_is_rooted(collective) ? 1.0 : 2.0) * (choice->ranks - 1) / choice->cores;
    costs.transfer = choice->workers / transfers;
    costs.level = choice->blocking / levels / costs.transfer;
    costs.hidden = fmin(1, fmax(0, 2 - choice->native_total / choice->blocking));
    costs.measured = choice;
    return costs;
}

/* --- which are for what ------------------------------------------------------------------------------------------- */

/* The better schedule for N ranks. */
static double time_of(const struct cw_split_model *model, uint32_t n, uint32_t *steps, bool *slices)
{
    *steps = cw_split_best_steps(model, n);
    const double tree = cw_split_times_of(model, n, *steps).overlapped;
    const double sliced = cw_split_slices_of(model, n).overlapped;
    *slices = sliced < tree;
    return fmin(tree, sliced);
}

static void choose(const struct cw_split_model *wanted, const struct cw_core_costs *costs, uint32_t ranks,
                   struct cw_core_plan *plan)
{
    struct cw_split_model of_model = *wanted, *model = &of_model; /* with the computation in transfers of ours */
    const double levels = cw_split_times_of(wanted, wanted->cores, UINT32_MAX).blocking;
    plan->all_cores = levels * costs->level * (1 + wanted->ratio - costs->hidden * fmin(1, wanted->ratio));
    model->ratio *= costs->level;
    plan->time = INFINITY;
    for (uint32_t n = ranks > 0 ? ranks : 2; n < model->cores && (ranks == 0 || n == ranks); n++) {
        uint32_t steps;
        bool slices;
        const double time = time_of(model, n, &steps, &slices);
        if (time >= plan->time) continue;
        plan->time = time;
        plan->ranks = n;
        plan->steps = steps;
        plan->slices = slices;
    }
    if (plan->time < plan->all_cores || ranks > 0) return;
    plan->advice = CW_CORES_STAY;
    plan->ranks = model->cores;
}

/* A package and NUMA node. */
struct domain {
    const struct cw_machine_core *core; /* one of its own */
    uint32_t n, given;                  /* cores; of these, for communication */
};

/* The domain of CORE; a new one if it is the first of its own. */
static struct domain *domain_of(struct domain *domains, const struct cw_machine_core *core)
{
    while (domains->core && (domains->core->package != core->package || domains->core->node != core->node)) domains++;
    domains->core = core;
    return domains;
}

/* Of the first N cores the one to be given next: the last that ranks still have, of the domain of which least is given
 * then, for its size. */
static size_t next_to_give(const struct cw_machine_cores *cores, const struct cw_core_plan *plan,
                           struct domain *domains)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = plan->usable; i-- > 0;) {
        if (plan->communicates[i]) continue;
        const struct domain *domain = domain_of(domains, &cores->items[i]);
        const double share = (double)(domain->given + 1) / domain->n;
        if (share >= least) continue;
        least = share;
        best = i;
    }
    return best;
}

static int place(const struct cw_machine_cores *cores, const struct cw_core_plan *plan)
{
    struct domain *domains = cw_new_array(plan->usable + 1, sizeof *domains, "packages");
    if (!domains) return CW_ENOMEM;
    for (size_t i = 0; i < plan->usable; i++) domain_of(domains, &cores->items[i])->n++;
    for (uint32_t given = plan->ranks; given < plan->usable; given++) {
        const size_t core = next_to_give(cores, plan, domains);
        plan->communicates[core] = true;
        domain_of(domains, &cores->items[core])->given++;
    }
    free(domains);
    return 0;
}

int cw_core_plan_new(const struct cw_machine_cores *cores, const struct cw_split_model *model,
                     const struct cw_core_costs *costs, uint32_t ranks, struct cw_core_plan *out)
{
    struct cw_core_plan plan = {.advice = CW_CORES_OVERLAP, .usable = (uint32_t)cores->n};
    if (cores->quota < plan.usable) plan.usable = cores->quota < 1 ? 1 : (uint32_t)cores->quota;
    if (ranks > plan.usable)
        return cw_fail(CW_EUSAGE, "%u ranks are more than the %u cores that can be used", ranks, plan.usable);
    plan.communicates = cw_new_array(cores->n, sizeof *plan.communicates, "roles of cores");
    if (!plan.communicates) return CW_ENOMEM;
    if (plan.usable < 3 || ranks == plan.usable) { /* two ranks at least, and one core */
        plan.advice = CW_CORES_NO_SPARE;
        plan.ranks = ranks > 0 ? ranks : plan.usable;
    } else if (costs->measured && costs->measured->native) {
        plan.advice = CW_CORES_MEASURED;
        plan.ranks = ranks > 0 ? ranks : plan.usable;
    } else {
        struct cw_split_model own = *model;
        own.cores = plan.usable;
        choose(&own, costs, ranks, &plan);
    }
    const int rc = plan.advice == CW_CORES_OVERLAP ? place(cores, &plan) : 0;
    if (rc) {
        cw_core_plan_free(&plan);
        return rc;
    }
    *out = plan;
    return 0;
}

void cw_core_plan_free(struct cw_core_plan *plan)
{
    free(plan->communicates);
    *plan = (struct cw_core_plan){0};
}
