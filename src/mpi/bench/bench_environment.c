#include "mpi/bench/bench_environment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"

extern char **environ;

/* One line, as MPI says it; Open MPI's ends with a 0, MPICH's has several lines. */
static json_t *library(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = 0;
    for (char *c = text; *c; c++)
        if (*c == '\t') *c = ' ';
    return cw_json_string(text);
}

json_t *bench_conditions(const struct bench_crew *crew, const struct bench_sites *sites)
{
    json_t *conditions = json_object();
    cw_json_set(&conditions, "start", cw_json_string(bench_starts[crew->sampling.start]));
    cw_json_set(&conditions, "wait", cw_json_string(cw_wait_names[crew->mode]));
    cw_json_set(&conditions, "oversubscribed", json_boolean(sites->oversubscribed));
    cw_json_set(&conditions, "mpi", library());
    return conditions;
}

/* Variables that tell an MPI, or the transport below it, what to do. */
static json_t *variables(void)
{
    static const char *const prefixes[] = {"OMPI_", "MPICH_", "MPIR_", "UCX_", "FI_", "PSM", "I_MPI_"};
    json_t *all = json_object();
    for (char **variable = environ; *variable; variable++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
            const size_t length = strcspn(*variable, "=");
            if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) != 0) continue;
            char *name = cw_copy_text(*variable, length);
            if (name) cw_json_set(&all, name, cw_json_string(*variable + length + ((*variable)[length] == '=')));
            free(name);
        }
    return all;
}

static json_t *kernel(void)
{
    struct utsname name;
    json_t *all = json_object();
    if (uname(&name) != 0) return all;
    cw_json_set(&all, "system", cw_json_string(name.sysname));
    cw_json_set(&all, "release", cw_json_string(name.release));
    cw_json_set(&all, "version", cw_json_string(name.version));
    cw_json_set(&all, "machine", cw_json_string(name.machine));
    return all;
}

/* "0-3,8" */
static json_t *processors(const cpu_set_t *cpus)
{
    struct cw_text text = {0};
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, cpus)) continue;
        size_t last = cpu;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus)) last++;
        cw_text_printf(&text, last > cpu ? "%s%zu-%zu" : "%s%zu", text.length > 0 ? "," : "", cpu, last);
        cpu = last;
    }
    json_t *json = cw_text_check(&text) == 0 ? cw_json_string(text.data ? text.data : "") : NULL;
    cw_text_free(&text);
    return json;
}

static json_t *time_of_day(void)
{
    char text[32] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return cw_json_string(text);
}

json_t *bench_environment(const struct bench_sites *sites)
{
    json_t *environment = json_object(), *mpi = json_object(), *bound = json_array();
    int version, subversion;
    MPI_Get_version(&version, &subversion);
    cw_json_set(&mpi, "standard", json_sprintf("%d.%d", version, subversion));
    cw_json_set(&mpi, "library", library());
    cw_json_set(&mpi, "variables", variables());
    for (uint32_t rank = 0; rank < sites->places.n_ranks; rank++)
        cw_json_append(&bound, processors(&sites->facts[rank].cpus));
    cw_json_set(&environment, "started", time_of_day());
    cw_json_set(&environment, "kernel", kernel());
    cw_json_set(&environment, "mpi", mpi);
    cw_json_set(&environment, "processors_of_ranks", bound);
    return environment;
}

/* --- clocks ------------------------------------------------------------------------------------------------------- */

struct clock_facts {
    int64_t at, offset;               /* [ns] of the own clock; what is to be added for that of rank 0 */
    double error, drift, drift_error; /* [s], [s/s] */
};

static struct clock_facts describe_clock(const struct bench_clock *clock, int64_t base)
{
    const double at = clock->synchronised;
    const struct cw_clock_model *model = &clock->model;
    return (struct clock_facts){.at = clock->base + llround(1e9 * at),
                                .offset = base - clock->base + llround(1e9 * (cw_clock_global(model, at) - at)),
                                .error = cw_clock_error(model, at),
                                .drift = model->drift,
                                .drift_error = cw_clock_drift_error(model)};
}

static json_t *clock_json(const struct clock_facts *facts)
{
    return json_pack("{s:I, s:I, s:f, s:f, s:f}", "at_ns", (json_int_t)facts->at, "offset_ns",
                     (json_int_t)facts->offset, "error", facts->error, "drift", facts->drift, "drift_error",
                     facts->drift_error);
}

int bench_environment_clocks(struct bench_crew *crew, json_t *environment)
{
    const struct bench_clock *clock = &crew->clock;
    int64_t base = clock->base;
    MPI_Request request;
    struct clock_facts *all = cw_new_array((size_t)clock->n, sizeof *all, "clocks");
    int rc = ranks_agree_or_stop(crew->ranks, crew->mode, all ? 0 : CW_ENOMEM);
    if (!rc) {
        MPI_Ibcast(&base, 1, MPI_INT64_T, 0, crew->all, &request);
        rc = wait_for(crew->mode, &request);
    }
    if (!rc) {
        const struct clock_facts mine = describe_clock(clock, base);
        MPI_Igather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, 0, crew->all, &request);
        rc = wait_for(crew->mode, &request);
    }
    if (!rc && clock->rank == 0) {
        json_t *list = json_array();
        for (int rank = 0; rank < clock->n; rank++) cw_json_append(&list, clock_json(&all[rank]));
        if (!list || json_object_set_new(environment, "clocks_of_ranks", list) != 0) rc = CW_ENOMEM;
    }
    free(all);
    return rc;
}
