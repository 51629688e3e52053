#include "nbc/nbc_settings.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/option.h"
#include "base/units.h"
#include "nbc/nbc_fabric.h"

/* What the table below fills. */
struct texts {
    int on, copy;
    bool verbose;
    uint64_t min;
    char *cores, *schedule, *tuning, *between, *fabric;
};

static const char *const off_on[] = {"off", "on", NULL};
static const char *const copies[] = {"auto", "attach", "segment", NULL}; /* as enum cw_nbc_copy */

static const struct cw_option variables[] = {
    {.name = "CROSSWIND_NBC",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct texts, on),
     .choices = off_on,
     .default_text = "on",
     .help = "off: all collectives are left to MPI"},
    {.name = "CROSSWIND_NBC_CORES",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct texts, cores),
     .value_name = "LIST",
     .help = "communication cores of each host, as 3 or 0,4-7; without it, the cores that ranks leave free; none: all "
             "collectives are left to MPI"},
    {.name = "CROSSWIND_NBC_MIN",
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct texts, min),
     .default_text = "32KiB",
     .help = "messages of a rank that are shorter are left to MPI; without it, those that are as fast there, where "
             "that was measured"},
    {.name = "CROSSWIND_NBC_SCHEDULE",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct texts, schedule),
     .value_name = "SCHEDULE",
     .default_text = "auto",
     .help = "auto, what was measured to be best, or else slices; slices:F, the fraction F of all bytes on "
             "communication cores and the rest by ranks that wait; split-tree:S, a binomial tree whose last S levels "
             "are executed by ranks; binomial or k-nomial:K, the whole tree on communication cores. Allgathers and "
             "alltoalls have no tree: auto"},
    {.name = "CROSSWIND_NBC_COPY",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct texts, copy),
     .choices = copies,
     .default_text = "auto",
     .help = "attach: each rank reads and writes the others' memory; segment: bytes go through memory that the ranks "
             "of the host share; auto: attach where the kernel allows it, but for what communication cores move in "
             "pieces of more than 128 KiB"},
    {.name = "CROSSWIND_NBC_TUNING",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct texts, tuning),
     .value_name = "FILE",
     .default_text = "auto",
     .help = "what crosswind-mpi overlap --tuning has measured: auto, what is kept for this machine and MPI; a file; "
             "or off: defaults instead"},
    {.name = "CROSSWIND_NBC_HOSTS",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct texts, between),
     .value_name = "TREE",
     .default_text = "auto",
     .help = "how hosts pass on collectives that span them: chain, binomial, k-nomial:K; ring: allreduces go round; "
             "auto: as crosswind tree has predicted, or else chain, binomial or ring, by hosts and bytes, but sums and "
             "the like of floating-point numbers always by the order of ranks, as if nothing were known; fabric: those "
             "as predicted, too, so that their last bits depend on which hosts a job has; native: such collectives are "
             "left to MPI"},
    {.name = "CROSSWIND_NBC_FABRIC",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct texts, fabric),
     .value_name = "FILE",
     .default_text = "auto",
     .help = "what crosswind tree has predicted of the network: auto, what is kept; a file; or off"},
    {.name = "CROSSWIND_NBC_VERBOSE",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct texts, verbose),
     .help = "yes: one line a host at the start says what is used, and why not if nothing is"},
    {.name = NULL}};

int cw_nbc_cores_parse(const char *what, const char *text, cpu_set_t *out)
{
    const char *at = text;
    CPU_ZERO(out);
    do {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        bool number = end != at && *at >= '0' && *at <= '9';
        if (number && *end == '-') {
            at = end + 1;
            last = strtoul(at, &end, 10);
            number = end != at && *at >= '0' && *at <= '9';
        }
        if (!number || last < first || last >= CPU_SETSIZE || (*end && *end != ','))
            return cw_fail(CW_EUSAGE, "%s: '%s' is not a list of cores; expected for example 0,4-7", what, text);
        for (unsigned long core = first; core <= last; core++) CPU_SET(core, out);
        at = *end ? end + 1 : end;
    } while (*at);
    return 0;
}

/* What was measured. A file that the user names must be there and be right; what is kept is left out if it is not. */
static int read_tuning(const char *name, const char *mpi, struct cw_nbc_settings *out)
{
    const struct cw_nbc_site here = cw_nbc_site_of(mpi);
    const bool kept = strcmp(name, "auto") == 0;
    struct cw_text path = {0};
    int rc = 0;
    if (strcmp(name, "off") == 0) return 0;
    if (kept)
        rc = cw_nbc_tuning_path(cw_nbc_mpi_name(mpi), &path);
    else
        cw_text_add(&path, name);
    if (!rc) rc = cw_text_check(&path);
    out->tuning_state = CW_NBC_TUNING_NONE;
    if (!rc && (!kept || access(path.data, R_OK) == 0)) {
        rc = cw_nbc_tuning_read(path.data, &out->tuning);
        if (!rc) rc = cw_nbc_tuning_check(&out->tuning, &here);
        out->tuning_state = rc ? CW_NBC_TUNING_UNFIT : CW_NBC_TUNING_USED;
    }
    cw_text_free(&path);
    if (rc) out->tuning.n = 0;
    return kept ? 0 : rc;
}

/* Which file; whether it is there and right is seen by those who need it. */
static int find_fabric(const char *name, struct cw_nbc_settings *out)
{
    struct cw_text path = {0};
    out->fabric_kept = strcmp(name, "auto") == 0;
    if (strcmp(name, "off") == 0) return 0;
    if (!out->fabric_kept)
        cw_text_add(&path, name);
    else if (cw_nbc_fabric_path(&path)) { /* there is no folder, and so no file */
        cw_text_free(&path);
        return 0;
    }
    int rc = cw_text_check(&path);
    if (!rc && path.length >= sizeof out->fabric) rc = cw_fail(CW_EUSAGE, "CROSSWIND_NBC_FABRIC: the name is too long");
    if (!rc) memcpy(out->fabric, path.data, path.length + 1);
    cw_text_free(&path);
    return rc;
}

static int interpret(const struct texts *texts, const char *mpi, struct cw_nbc_settings *out)
{
    *out = (struct cw_nbc_settings){.on = texts->on,
                                    .verbose = texts->verbose,
                                    .min = texts->min,
                                    .cores_given = texts->cores && *texts->cores,
                                    .copy = (enum cw_nbc_copy)texts->copy};
    int rc = cw_nbc_sharing_parse("CROSSWIND_NBC_SCHEDULE", texts->schedule, &out->sharing);
    if (!rc) rc = cw_nbc_between_parse("CROSSWIND_NBC_HOSTS", texts->between, &out->between);
    if (!rc && out->cores_given) rc = cw_nbc_cores_parse("CROSSWIND_NBC_CORES", texts->cores, &out->cores);
    if (!rc && out->on) rc = find_fabric(texts->fabric, out);
    if (!rc && out->on) rc = read_tuning(texts->tuning, mpi, out);
    return rc;
}

/* VALUE of VARIABLE as options are written: many say 1 and 0 in the environment. */
static const char *as_option(const struct cw_option *variable, const char *value)
{
    if (variable->type != CW_OPTION_FLAG) return value;
    return strcmp(value, "1") == 0 ? "yes" : strcmp(value, "0") == 0 ? "no" : value;
}

static bool is_variable(const char *name)
{
    const struct cw_option *variable = variables;
    while (variable->name && strcmp(variable->name, name) != 0) variable++;
    return variable->name;
}

/* One that begins like ours, and is none, is misspelled. */
static int check_names(struct texts *texts)
{
    static const char prefix[] = "CROSSWIND_NBC_";
    char name[64];
    for (char **entry = environ; *entry; entry++) {
        if (strncmp(*entry, prefix, sizeof prefix - 1) != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*entry, "="), *entry);
        if (!is_variable(name)) return cw_options_set("the environment", variables, texts, name, "");
    }
    return 0;
}

int cw_nbc_settings_read(const char *mpi, struct cw_nbc_settings *out)
{
    struct texts texts = {0};
    int rc = cw_options_init(variables, &texts);
    if (!rc) rc = check_names(&texts);
    for (const struct cw_option *variable = variables; variable->name && !rc; variable++) {
        const char *value = getenv(variable->name);
        if (value && *value)
            rc = cw_options_set("the environment", variables, &texts, variable->name, as_option(variable, value));
    }
    if (!rc) rc = interpret(&texts, mpi, out);
    const char *min = getenv("CROSSWIND_NBC_MIN");
    if (!rc) out->min_given = min && *min;
    cw_options_free(variables, &texts);
    return rc;
}

void cw_nbc_settings_fit(struct cw_nbc_settings *settings, uint32_t cores)
{
    cw_nbc_tuning_keep(&settings->tuning, cores);
    settings->least = settings->min;
    for (uint32_t i = 0; i < settings->tuning.n && !settings->min_given; i++) {
        const struct cw_nbc_choice *choice = &settings->tuning.items[i];
        if (!choice->native && choice->bytes < settings->least) settings->least = choice->bytes;
    }
}

bool cw_nbc_settings_choose(const struct cw_nbc_settings *settings, enum cw_collective_kind collective, bool exact,
                            uint32_t ranks, uint64_t bytes, struct cw_nbc_sharing *sharing)
{
    const struct cw_nbc_choice *choice = exact ? cw_nbc_tuning_find(&settings->tuning, collective, ranks, bytes) : NULL;
    *sharing = settings->sharing;
    if (!choice) return bytes >= settings->min;
    if (sharing->schedule == CW_NBC_AUTO && !choice->native) *sharing = choice->sharing;
    return settings->min_given ? bytes >= settings->min : !choice->native;
}
