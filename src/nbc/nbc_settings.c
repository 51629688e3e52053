#include "nbc/nbc_settings.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/units.h"

/* What the table below fills. */
struct texts {
    int on, copy;
    bool verbose;
    uint64_t min;
    char *cores, *schedule;
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
     .help = "messages of a rank that are shorter are left to MPI"},
    {.name = "CROSSWIND_NBC_SCHEDULE",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct texts, schedule),
     .value_name = "SCHEDULE",
     .default_text = "auto",
     .help =
         "auto; slices:F, the fraction F of all bytes on communication cores and the rest by ranks that wait; "
         "split-tree:S, a binomial tree whose last S levels are executed by ranks; binomial or k-nomial:K, the whole "
         "tree on communication cores. Allgathers and alltoalls have no tree: auto"},
    {.name = "CROSSWIND_NBC_COPY",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct texts, copy),
     .choices = copies,
     .default_text = "auto",
     .help =
         "attach: each rank reads and writes the others' memory; segment: bytes go through memory that the ranks of "
         "the host share; auto: attach where the kernel allows it, but for what communication cores move in pieces of "
         "more than "
         "128 KiB"},
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

static int parse_count(const char *what, const char *text, const char *of, int64_t least, int64_t most, unsigned *out)
{
    int64_t value;
    int rc = cw_parse_int(what, text, &value);
    if (!rc && (value < least || value > most))
        rc = cw_fail(CW_EUSAGE, "%s: %s %s are not within %d and %d", what, text, of, (int)least, (int)most);
    if (!rc) *out = (unsigned)value;
    return rc;
}

static int parse_fraction(const char *what, const char *text, double *out)
{
    int rc = cw_parse_real(what, text, out);
    if (rc || (*out >= 0 && *out <= 1)) return rc;
    return cw_fail(CW_EUSAGE, "%s: the fraction %s is not within 0 and 1", what, text);
}

int cw_nbc_schedule_parse(const char *what, const char *text, struct cw_nbc_settings *settings)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameter = cw_spec_split(text, name, sizeof name);
    settings->schedule = CW_NBC_AUTO;
    settings->radix = 2;
    settings->steps = 0;
    if (strcmp(name, "auto") == 0 && !parameter) return 0;
    settings->schedule = CW_NBC_SLICES;
    if (strcmp(name, "slices") == 0 && parameter) return parse_fraction(what, parameter, &settings->fraction);
    settings->schedule = CW_NBC_SPLIT_TREE;
    if (strcmp(name, "binomial") == 0 && !parameter) return 0;
    if (strcmp(name, "k-nomial") == 0 && parameter)
        return parse_count(what, parameter, "ranks", 2, 1024, &settings->radix);
    if (strcmp(name, "split-tree") == 0 && parameter)
        return parse_count(what, parameter, "levels", 0, 31, &settings->steps);
    return cw_fail(CW_EUSAGE, "%s: '%s' is no schedule; expected auto, slices:F, binomial, k-nomial:K or split-tree:S",
                   what, text);
}

static int interpret(const struct texts *texts, struct cw_nbc_settings *out)
{
    *out = (struct cw_nbc_settings){.on = texts->on,
                                    .verbose = texts->verbose,
                                    .min = texts->min,
                                    .cores_given = texts->cores && *texts->cores,
                                    .copy = (enum cw_nbc_copy)texts->copy};
    int rc = cw_nbc_schedule_parse("CROSSWIND_NBC_SCHEDULE", texts->schedule, out);
    if (!rc && out->cores_given) rc = cw_nbc_cores_parse("CROSSWIND_NBC_CORES", texts->cores, &out->cores);
    return rc;
}

/* VALUE of VARIABLE as options are written: many say 1 and 0 in the environment. */
static const char *as_option(const struct cw_option *variable, const char *value)
{
    if (variable->type != CW_OPTION_FLAG) return value;
    return strcmp(value, "1") == 0 ? "yes" : strcmp(value, "0") == 0 ? "no" : value;
}

int cw_nbc_settings_read(struct cw_nbc_settings *out)
{
    struct texts texts = {0};
    int rc = cw_options_init(variables, &texts);
    for (const struct cw_option *variable = variables; variable->name && !rc; variable++) {
        const char *value = getenv(variable->name);
        if (value && *value)
            rc = cw_options_set("the environment", variables, &texts, variable->name, as_option(variable, value));
    }
    if (!rc) rc = interpret(&texts, out);
    cw_options_free(variables, &texts);
    return rc;
}
