/* crosswind reproduce: published figures, computed again. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "cli/reproduce/reproduce.h"
#include "report/plot.h"

/* One line a publication: reproduction_NAME is its descriptor. */
#define REPRODUCTIONS(EACH)                                                                                            \
    EACH(noise)                                                                                                        \
    EACH(dragonfly_fig3)                                                                                               \
    EACH(optiq)                                                                                                        \
    EACH(split_tree)

#define DECLARE(NAME) extern const struct reproduction reproduction_##NAME;
#define ENTER(NAME)   &reproduction_##NAME,

REPRODUCTIONS(DECLARE)

static const struct reproduction *const reproductions[] = {REPRODUCTIONS(ENTER) NULL};

const struct cw_registry reproduction_registry = {.items = reproductions,
                                                  .near = "there is no experiment '%s'; did you mean '%s'?",
                                                  .none = "there is no experiment '%s'; there are %s"};

static const char *const sizes[] = {"quick", "small", "all", NULL};

static const struct cw_option arguments[] = {
    {.name = "EXPERIMENT",
     .type = CW_OPTION_TEXT,
     .names = &reproduction_registry,
     .required = true,
     .help = "noise, dragonfly-fig3, optiq or split-tree (see crosswind help experiments)"},
    {.name = NULL},
};

static const struct cw_option options[] = {
    {.name = "sizes",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct reproduce_options, sizes),
     .default_text = "small",
     .choices = sizes,
     .help = "dragonfly-fig3, optiq: tiny networks, to see how it works (seconds); the small ones of the paper "
             "(minutes); or all of them"},
    {.name = "directory",
     .type = CW_OPTION_DIRECTORY,
     .offset = offsetof(struct reproduce_options, directory),
     .default_text = ".",
     .help = "where to write the CSV files and the pictures; created if it does not exist"},
    {.name = "figures",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct reproduce_options, figures),
     .value_name = "FIGURE[,...]",
     .default_text = "all",
     .help =
         "only these figures. noise: 1, 7, 8, 9, 10 (these four are one), 11, 13, 15, 16, table1, table2; "
         "dragonfly-fig3: 3a to 3f; optiq: 4, fixed, destinations, distance, 5, messages, paths, patterns; split-tree: "
         "2 to 7"},
    {.name = "trials",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct reproduce_options, trials),
     .value_name = "N",
     .default_text = "1000",
     .min = 10,
     .max = 1e9,
     .help = "noise: random trials for each point"},
    {.name = "fabrics",
     .type = CW_OPTION_INPUTS,
     .offset = offsetof(struct reproduce_options, fabrics),
     .value_name = "MAP[:TABLES][,...]",
     .help = "noise: fabrics for figure 11, each with its forwarding tables; by default the sample fabric"},
    {.name = "emulate",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct reproduce_options, emulate),
     .help =
         "split-tree: figures 5 and 6 by the scheduler of libcrosswind-nbc itself, on emulated cores (a minute); by "
         "default they are simulated"},
    {.name = "runs",
     .type = CW_OPTION_INPUTS,
     .offset = offsetof(struct reproduce_options, runs),
     .value_name = "FILE[,...]",
     .help =
         "split-tree: figure 7 from what crosswind-mpi overlap --save has measured; several files, of several MPIs, "
         "stand side by side"},
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
    const char *name = invocation->positional[0];
    const struct reproduction *reproduction = cw_registry_find(&reproduction_registry, name);
    if (!reproduction) return cw_registry_unknown(&reproduction_registry, name);
    int rc = refuse_others(invocation, reproduction);
    if (!rc) rc = cw_plot_check();
    if (rc) return rc;
    if (!cw_files_muted() && mkdir(values->directory, 0777) != 0 && errno != EEXIST)
        return cw_fail(CW_EIO, "cannot create %s: %s", values->directory, strerror(errno));
    return reproduction->run(invocation);
}

const struct verb verb_reproduce = {
    .name = "reproduce",
    .help = "Repeats a published experiment: a CSV file and a picture for each panel",
    .arguments = arguments,
    .description =
        "Every figure is written as soon as its points have run: CSV files, pictures, their gnuplot scripts, and "
        "sentences that say whether the claims of the publication hold, with the numbers. NAME-README.txt and "
        "NAME-claims.csv collect the sentences. After an error or Ctrl-C, the finished figures are there. gnuplot "
        "draws "
        "the pictures; if it is missing, the command fails before it computes anything.",
    .examples =
        "  crosswind reproduce noise --directory noise\n"
        "  crosswind reproduce noise --figures 11 --fabrics fabric.ibnetdiscover:opensm-lfts.dump --directory noise\n"
        "  crosswind reproduce dragonfly-fig3 --sizes quick --directory fig3\n"
        "  crosswind reproduce dragonfly-fig3 --figures 3a,3b --sizes all --directory fig3\n"
        "  crosswind reproduce optiq --directory optiq\n"
        "  crosswind reproduce split-tree --directory split-tree\n"
        "  crosswind reproduce split-tree --figures 7 --runs openmpi.csv,mpich.csv --directory split-tree\n",
    .options = options,
    .computes = true,
    .size = sizeof(struct reproduce_options),
    .run = run,
};
