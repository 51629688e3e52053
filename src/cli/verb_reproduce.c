/* crosswind reproduce: published figures, computed again. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/reproduce.h"

extern const struct reproduction reproduction_dragonfly_fig3, reproduction_optiq;

static const struct reproduction *const reproductions[] = {&reproduction_dragonfly_fig3, &reproduction_optiq, NULL};

static const char *const sizes[] = {"small", "all", NULL};

static const struct cw_option options[] = {
    {.name = "sizes",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct reproduce_options, sizes),
     .default_text = "small",
     .choices = sizes,
     .help = "the small networks (a minute or two), or all of the paper's"},
    {.name = "directory",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct reproduce_options, directory),
     .value_name = "DIRECTORY",
     .default_text = ".",
     .help = "where to write the CSV and the pictures; made if it is not there"},
    {.name = NULL},
};

static int run(struct invocation *invocation)
{
    const struct reproduce_options *values = invocation->values;
    const char *names[sizeof reproductions / sizeof *reproductions] = {NULL}, *name = invocation->positional[0];
    for (size_t i = 0; reproductions[i]; i++) {
        names[i] = reproductions[i]->name;
        if (strcmp(names[i], name) != 0) continue;
        if (mkdir(values->directory, 0777) != 0 && errno != EEXIST)
            return cw_fail(CW_EIO, "%s cannot be made: %s", values->directory, strerror(errno));
        return reproductions[i]->run(invocation);
    }
    const char *nearest = cw_nearest(name, names);
    return cw_fail(CW_EUSAGE, "there is no reproduction '%s', %s '%s'", name, nearest ? "did you mean" : "expected",
                   nearest ? nearest : names[0]);
}

const struct verb verb_reproduce = {
    .name = "reproduce",
    .help = "Computes a published experiment again: a CSV file and a picture for each panel",
    .arguments = "EXPERIMENT",
    .description =
        "dragonfly-fig3: accepted load of bit complement, shift and nearest-neighbour traffic on dragonflies of "
        "growing size, under minimal, ValiantRestricted and ValiantAny routing, with contiguous and randomised groups, "
        "beside the analytic estimate (Prisacari et al. 2015, figure 3). "
        "optiq: multi-path data movement on Blue Gene/Q partitions against MPI's default routes, by simulation: "
        "throughput with growing partitions, chunk sizes, message sizes, distances and numbers of destinations and "
        "paths, and 91 patterns (Bui et al., figures 4 and 5 and those announced).",
    .examples = "  crosswind reproduce dragonfly-fig3 --sizes small --directory fig3\n"
                "  crosswind reproduce optiq --directory optiq\n",
    .options = options,
    .computes = true,
    .size = sizeof(struct reproduce_options),
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
