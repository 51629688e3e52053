/* crosswind what-if: what each failure costs, and what each repair brings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/compare/measure_columns.h"
#include "cli/fabric.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "route/engine.h"
#include "study/compare/what_if.h"

#define REPAIR "minhop" /* by default */

struct what_if_options {
    char *fail, *measures;
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
         "spine1,spine2;leaf3 (default: cables,switches)"},
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

struct run {
    struct invocation *invocation;
    const struct what_if_options *values;
    struct fabric fabric;
    struct cw_text tables; /* of --lft */
    struct cw_measure *measures;
    size_t n_measures;
    struct cw_what_if_cases cases;
    size_t upgrades; /* the first so many of them; the others fail */
    struct cw_what_if found;
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

static int add_lists(struct run *run, const char *lists)
{
    int rc = 0;
    for (const char *at = lists; at && !rc;) {
        const size_t length = strcspn(at, ";");
        rc = length == 0 ? cw_fail(CW_EUSAGE, "--fail %s: one of the cases is empty", lists)
                         : cw_what_if_add_list(&run->cases, run->fabric.net, at, length,
                                               (uint64_t)run->invocation->common.seed);
        at = at[length] ? at + length + 1 : NULL;
    }
    return rc;
}

static int add_failures(struct run *run, struct cw_what_if_cases *failures)
{
    const char *list = run->values->fail ? run->values->fail : "cables,switches";
    const uint64_t seed = (uint64_t)run->invocation->common.seed;
    unsigned which;
    int rc = 0;
    if (!is_of_groups(list, &which)) {
        if (run->values->pairs > 0 || run->values->sample > 0)
            return cw_fail(CW_EUSAGE, "--pairs and --sample draw from cables, switches and endpoints, not from a list");
        return add_lists(run, list);
    }
    for (size_t i = 0; i < GROUPS && !rc; i++)
        if (which & 1u << i) rc = groups[i].add(failures, run->fabric.net);
    if (!rc && run->values->pairs > 0) rc = cw_what_if_pair(failures, (size_t)run->values->pairs, seed);
    if (!rc && run->values->sample > 0) rc = cw_what_if_sample(failures, (size_t)run->values->sample, seed);
    return rc;
}

/* Upgrades, then failures. */
static int add_cases(struct run *run)
{
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
    if (!rc && cases->n == 0) rc = cw_fail(CW_EUSAGE, "%s has nothing of what is to fail", run->fabric.net->title);
    return rc;
}

static int check(struct run *run)
{
    static const char *const none[] = {"paths", "tables", "path-records", "sl2vl", NULL};
    const struct routing *routing = &run->invocation->routing;
    int rc = invocation_refuse(run->invocation, none, "is not for what-if, which routes the network anew in each case");
    if (!rc && routing->name && routing->lft) rc = cw_fail(CW_EUSAGE, "only one of --routing and --lft can be given");
    if (!rc && routing->repair && !routing->lft)
        rc = cw_fail(CW_EUSAGE, "--repair is for the fabric's own tables, --lft");
    if (!rc && routing->name) rc = cw_engine_check(routing->name);
    if (!rc && routing->repair) rc = cw_engine_check(routing->repair);
    if (!rc) rc = cw_measures_parse(run->values->measures, &run->measures, &run->n_measures);
    for (size_t i = 0; !rc && i < run->n_measures; i++) {
        const struct cw_measure_kind *kind = run->measures[i].kind;
        if (kind->by_flits || kind->in_words)
            rc = cw_fail(CW_EUSAGE, "--measure: %s is not for what-if, which compares figures of routes", kind->name);
    }
    return rc;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* A case and how it is ranked. */
struct ranked {
    const struct cw_what_if_case *is;
    const struct cw_what_if_outcome *outcome;
    double loss; /* by the measure that decides, of what there was; NAN: unknown */
    size_t number;
};

static const struct cw_what_if_outcome *base_of(const struct run *run)
{
    return cw_what_if_outcome(&run->found, 0);
}

/* The measure that decides the order; n_measures if none can. */
static size_t deciding(const struct run *run)
{
    size_t i = 0;
    while (i < run->n_measures && run->measures[i].kind->better == CW_BETTER_NEITHER) i++;
    return i;
}

/* How many times worse that measure is than in the network as it is. */
static double loss_of(const struct run *run, const struct cw_what_if_outcome *outcome)
{
    const size_t by = deciding(run);
    if (by == run->n_measures) return 1;
    const double was = base_of(run)->figures[by].value, is = outcome->figures[by].value;
    if (run->measures[by].kind->better == CW_BETTER_LESS) return is / was;
    return is != 0 ? was / is : was > 0 ? (double)INFINITY : 1;
}

/* The worst first: who is cut off, then what is lost. Those without figures come last. */
static int compare_ranks(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->outcome->error != y->outcome->error) return x->outcome->error ? 1 : y->outcome->error ? -1 : 0;
    if (x->outcome->cut_off != y->outcome->cut_off) return x->outcome->cut_off < y->outcome->cut_off ? 1 : -1;
    if (x->loss != y->loss && !isnan(x->loss) && !isnan(y->loss)) return x->loss < y->loss ? 1 : -1;
    return x->number < y->number ? -1 : 1;
}

/* Cases FROM to TO that are done, worst first. *OUT [*N] is the caller's. */
static int rank(const struct run *run, size_t from, size_t to, struct ranked **out, size_t *n)
{
    struct ranked *ranked = cw_new_array(to - from, sizeof *ranked, "cases");
    if (!ranked) return CW_ENOMEM;
    *n = 0;
    for (size_t i = from; i < to; i++) {
        const struct cw_what_if_outcome *outcome = cw_what_if_outcome(&run->found, i + 1);
        if (outcome->done)
            ranked[(*n)++] =
                (struct ranked){&run->cases.items[i], outcome, outcome->error ? (double)NAN : loss_of(run, outcome), i};
    }
    qsort(ranked, *n, sizeof *ranked, compare_ranks);
    *out = ranked;
    return 0;
}

static void add_row(const struct run *run, const struct measure_columns *columns, struct cw_table *table,
                    const char *name, const char *change, const struct cw_what_if_outcome *outcome)
{
    cw_table_row(table, "%s %s %u", name, change, outcome->cut_off);
    if (!outcome->error) measure_cells(columns, table, outcome->figures, base_of(run)->figures);
    for (size_t i = 3; outcome->error && i < columns->n; i++) cw_table_none(table);
}

static int new_table(const struct run *run, const char *name, const char *title, struct measure_columns *columns,
                     struct cw_table **table)
{
    int rc = measure_columns_begin(columns, 3, run->measures, run->n_measures);
    if (rc) return rc;
    measure_columns_add(columns, CW_COLUMN_TEXT, "case", "what changes; all else is as it was");
    measure_columns_add(columns, CW_COLUMN_TEXT, "change", "it fails, or what a cable carries afterwards");
    measure_columns_add(columns, CW_COLUMN_INT, "cut_off", "endpoints that have no path to most others");
    return measure_columns_end(columns, "the network as it is", run->invocation->result, name, title, table);
}

static int add_table(const struct run *run, const char *name, const char *title, const struct ranked *ranked, size_t n,
                     bool upgrades)
{
    struct measure_columns columns;
    struct cw_table *table;
    const int rc = new_table(run, name, title, &columns, &table);
    if (rc) return rc;
    cw_table_cut_text(table, (size_t)run->values->top + 1);
    add_row(run, &columns, table, "-", "as it is", base_of(run));
    for (size_t i = 0; i < n; i++) {
        const struct ranked *row = &ranked[upgrades ? n - 1 - i : i];
        char rate[32];
        add_row(run, &columns, table, row->is->name,
                row->is->capacity > 0 ? cw_format_rate(row->is->capacity, rate, sizeof rate) : "fails", row->outcome);
    }
    const size_t by = deciding(run);
    const struct cw_figure bars = {.kind = CW_FIGURE_BARS, .table = name, .rows = "case", .series = "change"};
    const int declared = measure_figure(&columns, run->invocation->result, &bars, "cut_off", NULL);
    if (declared || upgrades || by == run->n_measures) return declared;
    const struct cw_figure all = {
        .kind = CW_FIGURE_SORTED, .table = name, .title = "All failures", .y = measure_panel(&columns, by).y};
    return cw_result_figure(run->invocation->result, &all);
}

/* --- sentences ---------------------------------------------------------------------------------------------------- */

static void note_cut_off(const struct run *run, const struct ranked *ranked, size_t n)
{
    size_t cutting = 0;
    bool others = false; /* measures that do not count who is cut off */
    for (size_t i = 0; i < run->n_measures; i++) others |= strcmp(run->measures[i].kind->name, "ebb") != 0;
    const struct ranked *worst = ranked;
    for (size_t i = 0; i < n; i++) {
        cutting += ranked[i].outcome->cut_off > base_of(run)->cut_off;
        if (ranked[i].outcome->cut_off > worst->outcome->cut_off) worst = &ranked[i];
    }
    if (cutting > 0)
        cw_result_note(run->invocation->result, "%zu of %zu failures cut endpoints off, at most %u of %u (%s).%s",
                       cutting, n, worst->outcome->cut_off, run->fabric.selection->n, worst->is->name,
                       others ? " In ebb these count as 0; all other figures are then of what is left, which has less "
                                "to carry."
                              : " In ebb these count as 0.");
    else
        cw_result_note(run->invocation->result, "None of %zu failures cuts an endpoint off.", n);
}

static void note_worst(const struct run *run, const struct ranked *ranked, size_t n)
{
    const struct ranked *worst = NULL;
    const size_t by = deciding(run);
    size_t same = 0;
    for (size_t i = 0; i < n; i++) {
        if (ranked[i].outcome->error || isnan(ranked[i].loss)) continue;
        if (!worst || ranked[i].loss > worst->loss) worst = &ranked[i];
        same += ranked[i].loss <= 1;
    }
    if (!worst || by == run->n_measures) return;
    if (worst->loss > 1)
        cw_result_note(run->invocation->result,
                       "By %s, the worst failure is that of %s: %.4g instead of %.4g. %zu of %zu failures make it no "
                       "worse.",
                       run->measures[by].spec, worst->is->name, worst->outcome->figures[by].value,
                       base_of(run)->figures[by].value, same, n);
    else
        cw_result_note(run->invocation->result, "By %s, no failure makes the network worse.", run->measures[by].spec);
}

static void note_upgrade(const struct run *run, const struct ranked *ranked, size_t n)
{
    const size_t by = deciding(run);
    const struct ranked *best = n > 0 ? &ranked[n - 1] : NULL;
    char rate[32];
    if (!best || by == run->n_measures || !(best->loss < 1)) {
        if (n > 0 && by < run->n_measures)
            cw_result_note(run->invocation->result,
                           "%zu cable%s slower than most of %s kind. By %s, none is worth mending alone.", n,
                           n == 1 ? " is" : "s are", n == 1 ? "its" : "their", run->measures[by].spec);
        return;
    }
    cw_result_note(run->invocation->result,
                   "%zu cable%s slower than most of %s kind. Mend %s first: with %s, %s is %.4g instead of %.4g.", n,
                   n == 1 ? " is" : "s are", n == 1 ? "its" : "their", best->is->name,
                   cw_format_rate(best->is->capacity, rate, sizeof rate), run->measures[by].spec,
                   best->outcome->figures[by].value, base_of(run)->figures[by].value);
}

static void note_errors(const struct run *run, const struct ranked *ranked, size_t n)
{
    size_t errors = 0, others = 0;
    for (size_t i = 0; i < n; i++) {
        errors += ranked[i].outcome->error != 0;
        others += ranked[i].outcome->other_engine;
    }
    if (errors > 0) {
        const struct ranked *first = &ranked[n - errors];
        cw_result_note(run->invocation->result, "%zu case%s without figures. %s: %s.", errors,
                       errors == 1 ? " is" : "s are", first->is->name, first->outcome->message);
        run->invocation->failed = true;
    }
    if (others > 0)
        cw_result_note(run->invocation->result,
                       "In %zu cases another routing than %s suits the network, so that figures differ for that "
                       "reason, too; --routing NAME is the same for all.",
                       others, cw_engine_default(run->fabric.net));
}

static int note_regime(const struct run *run)
{
    const struct routing *routing = &run->invocation->routing;
    int rc = 0;
    if (routing->lft)
        cw_result_note(run->invocation->result,
                       "Routes are those of %s; where they no longer arrive, the entries of %s take over (--repair).",
                       routing->lft, routing->repair ? routing->repair : REPAIR);
    else if (routing->name)
        cw_result_note(run->invocation->result, "Each case is routed anew by %s.", routing->name);
    else
        rc = fabric_note_default(run->invocation, run->fabric.net, cw_engine_default(run->fabric.net), true);
    cw_result_note(run->invocation->result,
                   "Each case's figures are those of the verbs with --failed. All are drawn from one seed: differences "
                   "are surer than the intervals say.");
    return rc;
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static int simulate(struct run *run)
{
    struct invocation *invocation = run->invocation;
    const struct routing *routing = &invocation->routing;
    struct cw_what_if_setup setup = {.net = run->fabric.net,
                                     .endpoints = routing->endpoints ? routing->endpoints : "hca",
                                     .routing = routing->name,
                                     .tables_name = routing->lft,
                                     .tables = routing->lft ? &run->tables : NULL,
                                     .repair = routing->repair ? routing->repair : REPAIR,
                                     .measures = run->measures,
                                     .n_measures = run->n_measures,
                                     .cases = run->cases.items,
                                     .n = run->cases.n,
                                     .seed = (uint64_t)invocation->common.seed,
                                     .trials = (size_t)run->values->trials,
                                     .n_threads = (unsigned)invocation->common.threads,
                                     .executor = invocation_executor(invocation)};
    setup.progress = invocation_progress(invocation, "what-if", run->cases.n + 1);
    const int rc = cw_what_if_run(&setup, &run->found);
    cw_progress_free(setup.progress);
    return rc;
}

/* What is found, also where not all is. */
static int report(const struct run *run)
{
    struct ranked *failures = NULL, *upgrades = NULL;
    size_t n_failures = 0, n_upgrades = 0;
    struct cw_text title = {0};
    int rc = rank(run, 0, run->upgrades, &upgrades, &n_upgrades);
    if (!rc) rc = rank(run, run->upgrades, run->cases.n, &failures, &n_failures);
    cw_text_printf(&title, "What a failure costs %s, the worst first", run->fabric.net->title);
    if (!rc) rc = cw_text_check(&title);
    if (!rc && run->cases.n > run->upgrades) rc = add_table(run, "failures", title.data, failures, n_failures, false);
    if (!rc && run->upgrades > 0)
        rc = add_table(run, "upgrades", "What slow cables cost: each as fast as most of its kind, the best first",
                       upgrades, n_upgrades, true);
    if (!rc && n_failures > 0) {
        note_cut_off(run, failures, n_failures);
        note_worst(run, failures, n_failures);
        note_errors(run, failures, n_failures);
    }
    if (!rc) note_upgrade(run, upgrades, n_upgrades);
    if (!rc) rc = note_regime(run);
    cw_text_free(&title);
    free(failures);
    free(upgrades);
    return rc;
}

/* The tables, so far without rows, tell how many there would have been. */
static int compute(struct run *run)
{
    const int rc = simulate(run);
    if (!rc) return report(run);
    if (rc == CW_EINTERRUPTED && run->found.outcomes && base_of(run)->done) {
        const int reported = report(run);
        if (reported) return reported;
        return cw_fail(CW_EINTERRUPTED, "interrupted");
    }
    return rc;
}

static int run(struct invocation *invocation)
{
    struct run run = {.invocation = invocation, .values = invocation->values};
    invocation->routing.deferred = true; /* each case has routes of its own */
    int rc = check(&run);
    if (!rc) rc = fabric_open(invocation, invocation->positional[0], &run.fabric);
    if (!rc && invocation->routing.lft) rc = cw_file_read(invocation->routing.lft, &run.tables);
    if (!rc) rc = add_cases(&run);
    if (!rc) rc = compute(&run);
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
        "and ranked by what that brings.",
    .examples =
        "  crosswind what-if fabric.ibnetdiscover --lft opensm-lfts.dump\n"
        "  crosswind what-if fabric.ibnetdiscover --fail 'spine[1-2];leaf01-spine1' --measure ebb,noise,alltoall\n"
        "  crosswind what-if 'xgft(2,12,6)' --fail cables --pairs 200\n",
    .options = options,
    .size = sizeof(struct what_if_options),
    .network = true,
    .routes = true,
    .counts_cut_off = true,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
