/* crosswind reproduce: published figures, computed again. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/reproduce.h"
#include "report/plot.h"

/* One line a publication: reproduction_NAME is its descriptor. */
#define REPRODUCTIONS(EACH)                                                                                            \
    EACH(noise)                                                                                                        \
    EACH(dragonfly_fig3)                                                                                               \
    EACH(optiq)

#define DECLARE(NAME) extern const struct reproduction reproduction_##NAME;
#define ENTER(NAME)   &reproduction_##NAME,

REPRODUCTIONS(DECLARE)

static const struct reproduction *const reproductions[] = {REPRODUCTIONS(ENTER) NULL};

static const struct cw_registry registry = {.items = reproductions,
                                            .near = "there is no reproduction '%s', did you mean '%s'",
                                            .none = "there is no reproduction '%s', expected one of %s"};

static const char *const sizes[] = {"small", "all", NULL};

static const struct cw_option options[] = {
    {.name = "sizes",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct reproduce_options, sizes),
     .default_text = "small",
     .choices = sizes,
     .help = "dragonfly-fig3, optiq: the small networks (a minute or two), or all of the paper's"},
    {.name = "directory",
     .type = CW_OPTION_DIRECTORY,
     .offset = offsetof(struct reproduce_options, directory),
     .default_text = ".",
     .help = "where to write the CSV and the pictures; made if it is not there"},
    {.name = "figures",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct reproduce_options, figures),
     .value_name = "FIGURE[,...]",
     .default_text = "all",
     .help = "noise: some of 1, 7, 8, 9, 10 (these four are one), 11, 13, 15, 16, table1, table2"},
    {.name = "trials",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct reproduce_options, trials),
     .value_name = "N",
     .default_text = "1000",
     .min = 10,
     .max = 1e9,
     .help = "noise: random trials for each point"},
    {.name = "fabrics",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct reproduce_options, fabrics),
     .value_name = "MAP[:TABLES][,...]",
     .help = "noise: fabrics for figure 11, each with its forwarding tables; by default the sample fabric"},
    {.name = NULL},
};

/* Options of other experiments mean nothing to this one. */
static int refuse_others(struct invocation *invocation, const struct reproduction *reproduction)
{
    for (const struct cw_option *option = options; option->name; option++) {
        bool taken = strcmp(option->name, "directory") == 0;
        for (const char *const *name = reproduction->takes; *name; name++)
            taken = taken || strcmp(option->name, *name) == 0;
        if (!taken && invocation_has(invocation, option->name))
            return cw_fail(CW_EUSAGE, "--%s is not for %s", option->name, reproduction->name);
    }
    return 0;
}

static int run(struct invocation *invocation)
{
    const struct reproduce_options *values = invocation->values;
    const struct reproduction *reproduction = cw_registry_find(&registry, invocation->positional[0]);
    if (!reproduction) return cw_registry_unknown(&registry, invocation->positional[0]);
    int error = refuse_others(invocation, reproduction);
    if (!error) error = cw_plot_check();
    if (error) return error;
    if (mkdir(values->directory, 0777) != 0 && errno != EEXIST)
        return cw_fail(CW_EIO, "%s cannot be made: %s", values->directory, strerror(errno));
    return reproduction->run(invocation);
}

const struct verb verb_reproduce = {
    .name = "reproduce",
    .help = "Computes a published experiment again: a CSV file and a picture for each panel",
    .arguments = "EXPERIMENT",
    .description =
        "noise: the slowdown of a collective by the traffic of others, on fat trees, tori and fabrics of your own; the "
        "worked example; and whether each claim of the papers holds (Hoefler, Schneider and Lumsdaine 2009; figures "
        "are "
        "numbered as in the journal paper). "
        "dragonfly-fig3: accepted load of bit complement, shift and nearest-neighbour traffic on dragonflies of "
        "growing size, under minimal, ValiantRestricted and ValiantAny routing, with contiguous and randomised groups, "
        "beside the analytic estimate (Prisacari et al. 2015, figure 3). "
        "optiq: multi-path data movement on Blue Gene/Q partitions against MPI's default routes, by simulation: "
        "throughput with growing partitions, chunk sizes, message sizes, distances and numbers of destinations and "
        "paths, and 91 patterns (Bui et al., figures 4 and 5 and those announced).",
    .examples =
        "  crosswind reproduce noise --directory noise\n"
        "  crosswind reproduce noise --figures 11 --fabrics fabric.ibnetdiscover:opensm-lfts.dump --directory noise\n"
        "  crosswind reproduce dragonfly-fig3 --sizes small --directory fig3\n"
        "  crosswind reproduce optiq --directory optiq\n",
    .options = options,
    .computes = true,
    .size = sizeof(struct reproduce_options),
    .min_positional = 1,
    .max_positional = 1,
    .run = run,
};
