/* crosswind what-if: what each failure costs, and what each repair and each cable that is missing would bring. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/compare/what_if_report.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "route/engine.h"

#define REPAIR "minhop" /* by default */

struct what_if_options {
    char *fail, *add, *measures;
    int64_t pairs, sample, trials, top;
};

static const struct cw_option options[] = {
    {.name = "fail",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct what_if_options, fail),
     .value_name = "cables|switches|endpoints|ITEM,...[;ITEM,...]",
     .help =
         "what fails, one after another: every cable between switches, every switch, every endpoint; several of "
         "these words, separated by commas; or what fails together, as --failed has it, with ';' between two cases: "
         "spine1,spine2;leaf3 (default: cables,switches; with --add nothing)"},
    {.name = "add",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct what_if_options, add),
     .value_name = "missing",
     .help = "cables that are added: those that the network's shape or most of its bundles have and a pair of switches "
             "lacks, pair by pair, and all of them together"},
    {.name = "measure",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct what_if_options, measures),
     .value_name = "NAME[:PARAMETER][,...]",
     .names = &cw_measure_registry,
     .default_text = "ebb,busiest",
     .help = "what it costs (see crosswind help measures); the first decides the order"},
    {.name = "pairs",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct what_if_options, pairs),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 1e7,
     .help = "instead of one at a time, N pairs of them, drawn at random"},
    {.name = "sample",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct what_if_options, sample),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 1e7,
     .help = "only N of them, drawn at random; 0: all"},
    {.name = "trials",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct what_if_options, trials),
     .value_name = "N",
     .default_text = "100",
     .min = 1,
     .max = 1e6,
     .help = "random trials of ebb and noise in each case"},
    {.name = "top",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct what_if_options, top),
     .value_name = "N",
     .default_text = "20",
     .min = 0,
     .max = 1e7,
     .help = "how many cases to show in text, the worst first; csv and json have all"},
    {.name = NULL},
};

/* --- what is asked for -------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*add)(struct cw_what_if_cases *cases, const struct cw_network *net);
} groups[] = {
    {"cables", cw_what_if_add_cables}, {"switches", cw_what_if_add_switches}, {"endpoints", cw_what_if_add_endpoints}};

#define GROUPS (sizeof groups / sizeof *groups)

/* The group of WORD, LENGTH bytes; GROUPS if that is none. */
static size_t group_of(const char *word, size_t length)
{
    for (size_t i = 0; i < GROUPS; i++)
        if (strlen(groups[i].name) == length && strncmp(word, groups[i].name, length) == 0) return i;
    return GROUPS;
}

/* LIST consists of names of groups: *WHICH gets their bits. */
static bool is_of_groups(const char *list, unsigned *which)
{
    *which = 0;
    for (const char *at = list; at;) {
        const size_t length = strcspn(at, ","), group = group_of(at, length);
        if (group == GROUPS) return false;
        *which |= 1u << group;
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

static int add_lists(struct what_if_run *run, const char *lists)
{
    int rc = 0;
    for (const char *at = lists; at && !rc;) {
        const size_t length = strcspn(at, ";");
        rc = length == 0 ? cw_fail(CW_EUSAGE, "--fail %s: one of the cases is empty", lists)
                         : cw_what_if_add_list(&run->cases, cw_network_fabric(run->fabric.net), at, length,
                                               (uint64_t)run->invocation->common.seed);
        at = at[length] ? at + length + 1 : NULL;
    }
    return rc;
}

static int add_failures(struct what_if_run *run, struct cw_what_if_cases *failures)
{
    const struct what_if_options *values = run->invocation->values;
    const char *list = values->fail ? values->fail : "cables,switches";
    if (values->add && !values->fail) return 0;
    const uint64_t seed = (uint64_t)run->invocation->common.seed;
    unsigned which;
    int rc = 0;
    if (!is_of_groups(list, &which)) {
        if (values->pairs > 0 || values->sample > 0)
            return cw_fail(CW_EUSAGE, "--pairs and --sample draw from cables, switches and endpoints, not from a list");
        return add_lists(run, list);
    }
    for (size_t i = 0; i < GROUPS && !rc; i++)
        if (which & 1u << i) rc = groups[i].add(failures, cw_network_fabric(run->fabric.net));
    if (!rc && values->pairs > 0) rc = cw_what_if_pair(failures, (size_t)values->pairs, seed);
    if (!rc && values->sample > 0) rc = cw_what_if_sample(failures, (size_t)values->sample, seed);
    return rc;
}

/* Upgrades, then failures. */
static int add_cases(struct what_if_run *run)
{
    const struct what_if_options *values = run->invocation->values;
    struct cw_what_if_cases failures = {0}, *cases = &run->cases;
    int rc = cw_what_if_add_upgrades(cases, run->fabric.net);
    run->upgrades = cases->n;
    if (!rc) rc = add_failures(run, &failures);
    if (!rc)
        rc = cw_grow_array((void **)&cases->items, &cases->capacity, cases->n + failures.n, sizeof *cases->items,
                           "cases");
    if (!rc && failures.n > 0) {
        memcpy(cases->items + cases->n, failures.items, failures.n * sizeof *failures.items);
        cases->n += failures.n;
        failures.n = 0; /* they belong to the others */
    }
    cw_what_if_cases_free(&failures);
    if (!rc && cases->n == 0 && !values->add)
        rc = cw_fail(CW_EUSAGE, "%s has nothing of what is to fail", run->fabric.net->title);
    return rc;
}

static int check(struct what_if_run *run)
{
    const struct what_if_options *values = run->invocation->values;
    static const char *const none[] = {"paths", "tables", "path-records", "sl2vl", NULL};
    const struct routing *routing = &run->invocation->routing;
    int rc = invocation_refuse(run->invocation, none, "is not for what-if, which routes the network anew in each case");
    if (!rc && routing->name && routing->lft) rc = cw_fail(CW_EUSAGE, "only one of --routing and --lft can be given");
    if (!rc && routing->repair && !routing->lft)
        rc = cw_fail(CW_EUSAGE, "--repair is for the fabric's own tables, --lft");
    if (!rc && values->add && strcmp(values->add, "missing") != 0)
        rc = cw_fail(CW_EUSAGE, "--add %s; expected the word missing: cables cannot be named yet", values->add);
    if (!rc && values->add && !values->fail && (values->pairs > 0 || values->sample > 0))
        rc = cw_fail(CW_EUSAGE, "--pairs and --sample draw from what fails; with --add, expected --fail, too");
    if (!rc && routing->name) rc = cw_engine_check(routing->name);
    if (!rc && routing->repair) rc = cw_engine_check(routing->repair);
    if (!rc) rc = cw_measures_parse(values->measures, &run->measures, &run->n_measures);
    for (size_t i = 0; !rc && i < run->n_measures; i++) {
        const struct cw_measure_kind *kind = run->measures[i].kind;
        if (kind->by_flits || kind->in_words)
            rc = cw_fail(CW_EUSAGE, "--measure: %s is not for what-if, which compares figures of routes", kind->name);
    }
    return rc;
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static int simulate(struct what_if_run *run)
{
    const struct what_if_options *values = run->invocation->values;
    struct invocation *invocation = run->invocation;
    const struct routing *routing = &invocation->routing;
    struct cw_what_if_setup setup = {.net = run->fabric.net,
                                     .endpoints = routing->endpoints ? routing->endpoints : "hca",
                                     .routing = run->engine,
                                     .tables_name = routing->lft,
                                     .tables = routing->lft && !run->engine ? &run->tables : NULL,
                                     .repair = run->repair,
                                     .measures = run->measures,
                                     .n_measures = run->n_measures,
                                     .cases = run->cases.items,
                                     .n = run->cases.n,
                                     .seed = (uint64_t)invocation->common.seed,
                                     .trials = (size_t)values->trials,
                                     .n_threads = (unsigned)invocation->common.threads,
                                     .executor = invocation_executor(invocation)};
    setup.progress = invocation_progress(invocation, "what-if", run->cases.n + 1);
    const int rc = cw_what_if_run(&setup, &run->found);
    cw_progress_free(setup.progress);
    return rc;
}

/* The tables, so far without rows, tell how many there would have been. */
static int compute(struct what_if_run *run, int (*tell)(const struct what_if_run *run))
{
    const int rc = simulate(run);
    if (!rc) return tell(run);
    if (rc == CW_EINTERRUPTED && run->found.outcomes && what_if_base(run)->done) {
        const int reported = tell(run);
        if (reported) return reported;
        return cw_fail(CW_EINTERRUPTED, "interrupted");
    }
    return rc;
}

/* Cables that are missing, apart from the other cases: tables cannot route them, so that an engine routes all rows. */
static int add_missing(const struct what_if_run *run)
{
    struct what_if_run adding = *run;
    adding.cases = (struct cw_what_if_cases){0};
    adding.found = (struct cw_what_if){0};
    adding.others = run->cases.n > 0;
    if (run->invocation->routing.lft) adding.engine = run->repair;
    int rc = cw_what_if_add_missing(&adding.cases, cw_network_fabric(run->fabric.net), &adding.unknown);
    if (!rc) rc = compute(&adding, what_if_report_additions);
    cw_what_if_free(&adding.found);
    cw_what_if_cases_free(&adding.cases);
    return rc;
}

static int run(struct invocation *invocation)
{
    const struct what_if_options *values = invocation->values;
    const struct routing *routing = &invocation->routing;
    struct what_if_run run = {.invocation = invocation,
                              .repair = routing->repair ? routing->repair : REPAIR,
                              .engine = routing->name,
                              .top = (size_t)values->top};
    invocation->routing.deferred = true; /* each case has routes of its own */
    int rc = check(&run);
    if (!rc) rc = fabric_open(invocation, invocation->positional[0], &run.fabric);
    if (!rc && invocation->routing.lft) rc = cw_file_read(invocation->routing.lft, &run.tables);
    if (!rc) rc = add_cases(&run);
    if (!rc && run.cases.n > 0) rc = compute(&run, what_if_report);
    if (!rc && values->add) rc = add_missing(&run);
    cw_what_if_free(&run.found);
    cw_what_if_cases_free(&run.cases);
    cw_measures_free(run.measures, run.n_measures);
    cw_text_free(&run.tables);
    fabric_free(&run.fabric);
    return rc;
}

const struct verb verb_what_if = {
    .name = "what-if",
    .help = "What each failure costs, and which cable to mend first",
    .arguments = network_argument,
    .description =
        "Every cable between switches and every switch fails in turn, or whatever --fail says. Each time the network "
        "is routed anew, or its tables are mended, and measured. The cases come ranked: those that cut endpoints off, "
        "then what costs most. Cables that are slower than most of their kind are made as fast as these, each in turn, "
        "and ranked by what that brings. With --add missing, so are cables that are put where the network's peers have "
        "one.",
    .examples =
        "  crosswind what-if fabric.ibnetdiscover --lft opensm-lfts.dump\n"
        "  crosswind what-if fabric.ibnetdiscover --fail 'spine[1-2];leaf01-spine1' --measure ebb,noise,alltoall\n"
        "  crosswind what-if 'xgft(2,12,6)' --fail cables --pairs 200\n"
        "  crosswind what-if fabric.ibnetdiscover --add missing\n",
    .options = options,
    .size = sizeof(struct what_if_options),
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .routes = true,
    .counts_cut_off = true,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
