/* crosswind reproduce: published figures, computed again. */
#include <stdlib.h>
#include <string.h>

#include "base/beside.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "cli/fabric.h"
#include "study/papers/paper.h"
#include "topo/topology.h"

struct reproduce_options {
    int sizes; /* enum cw_paper_sizes */
    char *directory;
    int64_t trials;
    char *figures, *fabrics, *runs;
    bool emulate;
};

static const char *const sizes[] = {"quick", "small", "all", NULL};

/* Every experiment by itself, and this: */
static const char *const everything = "all";
static const struct cw_registry experiments = {.items = &(const char *const *const[]){&everything, NULL},
                                               .also = &cw_paper_registry,
                                               .near = "there is no experiment '%s'; did you mean '%s'?",
                                               .none = "there is no experiment '%s'; there are %s"};

static const struct cw_option arguments[] = {
    {.name = "EXPERIMENT",
     .type = CW_OPTION_TEXT,
     .names = &experiments,
     .required = true,
     .help = "noise, dragonfly-fig3, optiq or split-tree (see crosswind help experiments), or all of them"},
    {.name = NULL},
};

static const struct cw_option options[] = {
    {.name = "sizes",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct reproduce_options, sizes),
     .default_text = "small",
     .choices = sizes,
     .help = "dragonfly-fig3, optiq, all: tiny networks, to see how it works (seconds); the small ones of the papers "
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
     .help = "noise, all: random trials for each point of noise; all --sizes quick: 100, unless you say how many"},
    {.name = "fabrics",
     .type = CW_OPTION_INPUTS,
     .offset = offsetof(struct reproduce_options, fabrics),
     .value_name = "MAP[:TABLES][,...]",
     .help = "noise, all: fabrics for figure 11, each with its forwarding tables; by default the sample fabric"},
    {.name = "emulate",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct reproduce_options, emulate),
     .help = "split-tree, all: figures 5 and 6 by the scheduler of libcrosswind-nbc itself, on emulated cores (a "
             "minute); by "
             "default they are simulated"},
    {.name = "runs",
     .type = CW_OPTION_INPUTS,
     .offset = offsetof(struct reproduce_options, runs),
     .value_name = "FILE[,...]",
     .help = "split-tree, all: figure 7 from what crosswind-mpi overlap --save has measured; several files, of several "
             "MPIs, stand side by side. noise, all: figures 3 to 6 from what crosswind-mpi bench noise --save has "
             "measured; several files, of several allocations"},
    {.name = NULL},
};

/* --- fabrics ------------------------------------------------------------------------------------------------------ */

#define MAX_FABRICS 12

/* Real fabrics: those that the user gives, or the sample that comes with the program. */
struct fabrics {
    struct fabric opened[MAX_FABRICS];
    char *names[MAX_FABRICS];
    struct cw_paper_fabric items[MAX_FABRICS];
    size_t n;
};

static void free_fabrics(struct fabrics *fabrics)
{
    for (size_t i = 0; i < fabrics->n; i++) {
        fabric_free(&fabrics->opened[i]);
        free(fabrics->names[i]);
    }
}

/* Opens MAP with TABLES (NULL: the network's own engine) as the fabric called NAME, whose hosts take part. */
static int open_one(struct invocation *invocation, const char *name, const char *map, char *tables,
                    struct fabrics *fabrics)
{
    if (fabrics->n == MAX_FABRICS)
        return cw_fail(CW_EUSAGE, "--fabrics names more than %d maps, which is the most that figure 11 shows",
                       MAX_FABRICS);
    for (size_t i = 0; i < fabrics->n; i++)
        if (strcmp(fabrics->names[i], name) == 0) return cw_fail(CW_EUSAGE, "--fabrics names %s twice", name);
    const size_t i = fabrics->n;
    const struct routing routing = {.lft = tables};
    struct fabric *fabric = &fabrics->opened[i];
    fabrics->names[i] = cw_copy_text(name, strlen(name));
    if (!fabrics->names[i]) return CW_ENOMEM;
    fabrics->n++;
    int rc = cw_network_open(map, &fabric->net);
    if (!rc) rc = fabric_route(invocation, &routing, fabric);
    if (!rc) rc = cw_selection_new(fabric->net, "hca", &fabric->selection);
    fabrics->items[i] = (struct cw_paper_fabric){fabrics->names[i], fabric->routes, fabric->selection};
    return rc;
}

static int open_sample(struct invocation *invocation, struct fabrics *fabrics)
{
    static const char *const places[] = {"../share/crosswind/sample", "../../examples/sample", NULL};
    struct cw_text map = {0}, tables = {0};
    char *folder = cw_find_beside_program(places);
    if (!folder) {
        cw_result_note(invocation->result,
                       "The sample fabric is not beside the program, and --fabrics names none: there is no figure 11.");
        return 0;
    }
    cw_text_printf(&map, "%s/fabric.ibnetdiscover", folder);
    cw_text_printf(&tables, "%s/opensm-lfts.dump", folder);
    int rc = cw_text_check(&map);
    if (!rc) rc = cw_text_check(&tables);
    if (!rc) rc = open_one(invocation, "the sample fabric (143 hosts)", map.data, tables.data, fabrics);
    free(folder);
    cw_text_free(&map);
    cw_text_free(&tables);
    return rc;
}

/* "MAP[:TABLES][,MAP[:TABLES]…]", which is cut at its commas and colons. */
static int open_list(struct invocation *invocation, char *list, struct fabrics *fabrics)
{
    int rc = 0;
    while (!rc && list) {
        char *map = list;
        list = strchr(list, ',');
        if (list) *list++ = 0;
        char *tables = strchr(map, ':');
        if (tables) *tables++ = 0;
        if (!*map || (tables && !*tables))
            return cw_fail(CW_EUSAGE, "--fabrics has an empty name, expected MAP[:TABLES][,MAP[:TABLES]...]");
        struct cw_text name = {0};
        cw_text_printf(&name, tables ? "%s by %s" : "%s", map, tables);
        rc = cw_text_check(&name);
        if (!rc) rc = open_one(invocation, name.data, map, tables, fabrics);
        cw_text_free(&name);
    }
    return rc;
}

static int open_fabrics(struct invocation *invocation, struct fabrics *fabrics)
{
    const struct reproduce_options *values = invocation->values;
    if (!values->fabrics) return open_sample(invocation, fabrics);
    char *copy = cw_copy_text(values->fabrics, strlen(values->fabrics));
    const int rc = copy ? open_list(invocation, copy, fabrics) : CW_ENOMEM;
    free(copy);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Whether a figure that OPTION is for is WANTED. */
static bool is_for(const struct cw_paper *paper, const struct cw_paper_option *option, const bool *wanted)
{
    bool own[CW_MAX_FIGURES];
    if (cw_paper_choose(paper, option->figures ? option->figures : "all", own)) return false;
    for (size_t i = 0; paper->figures[i].name; i++)
        if (wanted[i] && own[i]) return true;
    return false;
}

/* Options of other experiments mean nothing to this one. */
static int refuse_others(struct invocation *invocation, const struct cw_paper *paper)
{
    for (const struct cw_option *option = options; option->name; option++)
        if (strcmp(option->name, "directory") != 0 && !cw_paper_takes(paper, option->name) &&
            invocation_refuses(invocation, option->name))
            return cw_fail(CW_EUSAGE, "--%s is not for %s", option->name, paper->name);
    return 0;
}

static int refuse_idle(struct invocation *invocation, const struct cw_paper *paper, const bool *wanted)
{
    for (const struct cw_paper_option *option = paper->takes; option->name; option++)
        if (!is_for(paper, option, wanted) && invocation_refuses(invocation, option->name))
            return cw_fail(CW_EUSAGE, "--%s is for figure%s %s, which --figures leaves out", option->name,
                           strchr(option->figures, ',') ? "s" : "", option->figures);
    return 0;
}

/* How everything is asked for, but for what an experiment makes of it. */
static struct cw_paper_setup setup_of(const struct invocation *invocation, const struct fabrics *fabrics)
{
    const struct reproduce_options *values = invocation->values;
    return (struct cw_paper_setup){.directory = values->directory,
                                   .figures = values->figures,
                                   .sizes = (enum cw_paper_sizes)values->sizes,
                                   .emulate = values->emulate,
                                   .runs = values->runs,
                                   .fabrics = fabrics->items,
                                   .n_fabrics = fabrics->n,
                                   .seed = (uint64_t)invocation->common.seed,
                                   .n_threads = (unsigned)invocation->common.threads,
                                   .executor = invocation_executor(invocation),
                                   .bar = !invocation->common.quiet && program_speaks(invocation->ranks),
                                   .result = invocation->result};
}

static int reproduce(struct invocation *invocation, const struct cw_paper *paper, struct fabrics *fabrics)
{
    const struct reproduce_options *values = invocation->values;
    const struct cw_paper_option *of_fabrics = cw_paper_takes(paper, "fabrics");
    bool wanted[CW_MAX_FIGURES];
    int rc = cw_paper_choose(paper, values->figures, wanted);
    if (!rc) rc = refuse_idle(invocation, paper, wanted);
    if (!rc && of_fabrics && is_for(paper, of_fabrics, wanted)) rc = open_fabrics(invocation, fabrics);
    struct cw_paper_setup setup = setup_of(invocation, fabrics);
    if (cw_paper_takes(paper, "trials")) setup.trials = (size_t)values->trials;
    return rc ? rc : cw_paper_run(paper, &setup);
}

static int reproduce_all(struct invocation *invocation, struct fabrics *fabrics)
{
    const struct reproduce_options *values = invocation->values;
    bool whole = false;
    int rc = open_fabrics(invocation, fabrics);
    struct cw_paper_setup setup = setup_of(invocation, fabrics);
    if (invocation_has(invocation, "trials")) setup.trials = (size_t)values->trials;
    if (!rc)
        rc = cw_papers_run(cw_papers, &setup, invocation_has_page(invocation) ? &invocation->more.experiments : NULL,
                           &whole);
    invocation->failed = !rc && !whole;
    return rc;
}

static int run(struct invocation *invocation)
{
    static const char *const of_one[] = {"figures", NULL};
    const struct reproduce_options *values = invocation->values;
    const char *name = invocation->positional[0];
    const bool all = strcmp(name, everything) == 0;
    const struct cw_paper *paper = cw_registry_find(&cw_paper_registry, name);
    if (!all && !paper) return cw_registry_unknown(&experiments, name);
    int rc = all ? invocation_refuse(invocation, of_one, "is not for all") : refuse_others(invocation, paper);
    if (!rc) rc = cw_plot_check();
    if (!rc) rc = cw_paper_folder(values->directory);
    if (rc) return rc;
    struct fabrics fabrics = {.n = 0};
    rc = all ? reproduce_all(invocation, &fabrics) : reproduce(invocation, paper, &fabrics);
    free_fabrics(&fabrics);
    return rc;
}

const struct verb verb_reproduce = {
    .name = "reproduce",
    .help = "Repeats a published experiment: a CSV file and a picture for each panel",
    .arguments = arguments,
    .description =
        "Every figure is written as soon as its points have run: CSV files, pictures, their gnuplot scripts, and "
        "sentences that say whether the claims of the publication hold, with the numbers. NAME-README.txt and "
        "NAME-claims.csv collect the sentences. 'all' repeats every experiment, each in a folder of its own, and gives "
        "one table of all claims; with --html, one page of them with the pictures; what fails stops no other, and the "
        "exit status is then 1. After an error or Ctrl-C, the finished figures are "
        "there. gnuplot "
        "draws "
        "the pictures; if it is missing, the command fails before it computes anything.",
    .examples =
        "  crosswind reproduce all --sizes quick --directory papers --html papers.html\n"
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
