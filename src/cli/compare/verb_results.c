/* crosswind results: what a store has. */
#include "cli/compare/stored_figures.h"
#include "cli/verb.h"

static const struct cw_option arguments[] = {
    {.name = "FILE.db", .type = CW_OPTION_INPUT, .required = true, .help = "the store of other verbs, with --store"},
    {.name = "COLUMN=VALUE",
     .type = CW_OPTION_TEXT,
     .repeats = true,
     .help = "only figures that have this value in this column (network, routing, endpoints, failed, degraded, seed, "
             "trials, "
             "measure, cut_off or version), and so for each condition; no value: rows where it is missing"},
    {.name = NULL},
};

static int run(struct invocation *invocation)
{
    return stored_figures_list(invocation->result, invocation->positional[0], invocation->positional + 1,
                               invocation->n_positional - 1);
}

const struct verb verb_results = {
    .name = "results",
    .help = "What verbs have stored",
    .arguments = arguments,
    .description =
        "Lists what is in a store. Of figures, which crosswind study and compare put there: of what case, which "
        "measure, its value with its interval, when it was there and how long it took. Conditions choose among them. A "
        "second table says which of the cases that are chosen are the best, but only where the intervals leave no "
        "doubt. Of results of other verbs: the command that gives each again, and with --store from there, in any "
        "format.",
    .examples = "  crosswind results engines.db routing=updn measure=ebb\n"
                "  crosswind results engines.db failed= seed=1\n"
                "  crosswind results engines.db --format csv --output engines.csv\n",
    .computes = true,
    .run = run,
};
