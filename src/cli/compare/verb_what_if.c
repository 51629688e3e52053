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
#include "net/places.h"
#include "report/rows.h"
#include "route/engine.h"
#include "study/compare/what_if.h"

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

struct run {
    struct invocation *invocation;
    const struct what_if_options *values;
    struct fabric fabric;
    struct cw_text tables; /* of --lft */
    const char *engine;    /* that routes all cases; NULL: tables, or what suits each */
    struct cw_measure *measures;
    size_t n_measures;
    struct cw_what_if_cases cases;
    size_t upgrades;  /* the first so many of them; the others fail */
    uint32_t unknown; /* switches that lack cables to nobody knows whom */
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
    if (run->values->add && !run->values->fail) return 0;
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
    if (!rc && cases->n == 0 && !run->values->add)
        rc = cw_fail(CW_EUSAGE, "%s has nothing of what is to fail", run->fabric.net->title);
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
    if (!rc && run->values->add && strcmp(run->values->add, "missing") != 0)
        rc = cw_fail(CW_EUSAGE, "--add %s; expected the word missing: cables cannot be named yet", run->values->add);
    if (!rc && run->values->add && !run->values->fail && (run->values->pairs > 0 || run->values->sample > 0))
        rc = cw_fail(CW_EUSAGE, "--pairs and --sample draw from what fails; with --add, expected --fail, too");
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

/* Cases FROM to TO that are done, worst first, or if they are GAINS the best. *OUT [*N] is the caller's. */
static int rank(const struct run *run, size_t from, size_t to, bool gains, struct ranked **out, size_t *n)
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
    size_t known = 0;
    while (known < *n && !ranked[known].outcome->error) known++;
    for (size_t i = 0; gains && i < known / 2; i++) {
        const struct ranked swapped = ranked[i];
        ranked[i] = ranked[known - 1 - i];
        ranked[known - 1 - i] = swapped;
    }
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
    measure_columns_add(columns, CW_COLUMN_TEXT, "change",
                        "it fails, what a cable carries afterwards, or how many are there then");
    measure_columns_add(columns, CW_COLUMN_INT, "cut_off", "endpoints that have no path to most others");
    return measure_columns_end(columns, "the network as it is", run->invocation->result, name, title, table);
}

/* "32 Gbit/s", "3 → 4 cables" or "fails". */
static const char *describe(const struct cw_what_if_case *is, char *buffer, size_t size)
{
    uint32_t there = 0, added = 0;
    for (size_t i = 0; i < is->n_additions; i++) {
        there += is->additions[i].there;
        added += is->additions[i].added;
    }
    if (is->capacity > 0) return cw_format_rate(is->capacity, buffer, size);
    if (added == 0) return "fails";
    snprintf(buffer, size, "%u → %u cable%s", there, there + added, there + added == 1 ? "" : "s");
    return buffer;
}

/* GAINS: it is no table of failures. */
static int add_table(const struct run *run, const char *name, const char *title, const struct ranked *ranked, size_t n,
                     bool gains)
{
    struct measure_columns columns;
    struct cw_table *table;
    const int rc = new_table(run, name, title, &columns, &table);
    if (rc) return rc;
    cw_table_cut_text(table, (size_t)run->values->top + 1);
    add_row(run, &columns, table, "-", "as it is", base_of(run));
    for (size_t i = 0; i < n; i++) {
        const struct ranked *row = &ranked[i];
        char change[48];
        add_row(run, &columns, table, row->is->name, describe(row->is, change, sizeof change), row->outcome);
    }
    const size_t by = deciding(run);
    const struct cw_figure bars = {.kind = CW_FIGURE_BARS, .table = name, .rows = "case", .series = "change"};
    const int declared = measure_figure(&columns, run->invocation->result, &bars, "cut_off", NULL);
    if (declared || gains || by == run->n_measures) return declared;
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
    const struct ranked *best = n > 0 ? ranked : NULL;
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

/* Pairs that lack cables, cables that they lack. */
static void count_missing(const struct run *run, size_t *pairs, size_t *cables)
{
    *pairs = *cables = 0;
    for (size_t i = 0; i < run->cases.n; i++) {
        const struct cw_what_if_case *is = &run->cases.items[i];
        if (is->n_additions != 1) continue; /* all of them */
        ++*pairs;
        *cables += is->additions->added;
    }
}

/* RANKED: those of ADDING. Which pair comes first, and what all of them bring together. */
static void note_additions(const struct run *adding, const struct ranked *ranked, size_t n)
{
    const size_t by = deciding(adding);
    const struct ranked *best = NULL, *all = NULL;
    struct cw_text text = {0};
    size_t pairs, cables;
    count_missing(adding, &pairs, &cables);
    for (size_t i = 0; i < n; i++) {
        const struct ranked **one = ranked[i].is->n_additions == 1 ? &best : &all;
        if (!*one && !ranked[i].outcome->error) *one = &ranked[i];
    }
    cw_text_printf(&text, "%zu cable%s missing, between %zu pair%s.", cables, cables == 1 ? " is" : "s are", pairs,
                   cw_plural(pairs));
    if (by < adding->n_measures && best && best->loss < 1)
        cw_text_printf(&text, " Add %s first: with %s, %s is %.4g instead of %.4g.", best->is->name,
                       best->is->additions->added == 1 ? "it" : "them", adding->measures[by].spec,
                       best->outcome->figures[by].value, base_of(adding)->figures[by].value);
    else if (by < adding->n_measures && best)
        cw_text_printf(&text, " By %s, %s worth adding alone.", adding->measures[by].spec,
                       pairs == 1 ? "it is not" : "none is");
    if (by < adding->n_measures && all)
        cw_text_printf(&text, " With all of them it is %.4g.", all->outcome->figures[by].value);
    cw_result_note_text(adding->invocation->result, &text);
}

/* Where no pair is known that lacks a cable. */
static void note_nothing_missing(const struct run *adding)
{
    cw_result_note(adding->invocation->result,
                   "No cable is missing between two of %s, as far as its shape or most of its bundles tell.",
                   adding->fabric.net->title);
}

/* What is missing, too, and no row adds. */
static void note_left_out(const struct run *adding)
{
    const struct cw_places *places = adding->fabric.net->places;
    const uint32_t switches = places ? places->missing_switches : 0;
    if (adding->unknown > 0)
        cw_result_note(adding->invocation->result,
                       "%u switch%s fewer cables than most, but nothing says where the others would lead.",
                       adding->unknown, adding->unknown == 1 ? " has" : "es have");
    if (switches > 0)
        cw_result_note(adding->invocation->result, "%u switch%s missing in the shape; no row adds %s.", switches,
                       switches == 1 ? " is" : "es are", switches == 1 ? "it" : "them");
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

/* What is assumed of cables that are added, and who routes them. */
static int note_adding(const struct run *adding)
{
    const struct routing *routing = &adding->invocation->routing;
    struct cw_result *result = adding->invocation->result;
    const bool said = adding->upgrades > 0 || adding->values->fail; /* of the other tables */
    if (adding->cases.n > 0)
        cw_result_note(result,
                       "A cable that is added takes the lowest port that is free at either end, and has the speed and "
                       "latency of most cables that these two have between their levels.%s",
                       said ? "" : " All rows are drawn from one seed: differences are surer than the intervals say.");
    if (routing->lft)
        cw_result_note(result,
                       "The tables of %s lead over no cable that is added. So %s (--repair) routes the network in all "
                       "rows of additions, also as it is.",
                       routing->lft, adding->engine);
    else if (adding->engine)
        cw_result_note(result, "%s routes the network anew with each of them.", adding->engine);
    else
        return fabric_note_default(adding->invocation, adding->fabric.net, cw_engine_default(adding->fabric.net), true);
    return 0;
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
                                     .routing = run->engine,
                                     .tables_name = routing->lft,
                                     .tables = routing->lft && !run->engine ? &run->tables : NULL,
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

static int report_additions(const struct run *adding)
{
    struct ranked *ranked = NULL;
    size_t n = 0;
    int rc = rank(adding, 0, adding->cases.n, true, &ranked, &n);
    if (!rc) rc = add_table(adding, "additions", "What missing cables would bring, the best first", ranked, n, true);
    if (!rc && adding->cases.n > 0) note_additions(adding, ranked, n);
    if (!rc && adding->cases.n == 0) note_nothing_missing(adding);
    if (!rc) note_left_out(adding);
    if (!rc) note_errors(adding, ranked, n);
    if (!rc) rc = note_adding(adding);
    free(ranked);
    return rc;
}

/* What is found, also where not all is. */
static int report(const struct run *run)
{
    struct ranked *failures = NULL, *upgrades = NULL;
    size_t n_failures = 0, n_upgrades = 0;
    struct cw_text title = {0};
    int rc = rank(run, 0, run->upgrades, true, &upgrades, &n_upgrades);
    if (!rc) rc = rank(run, run->upgrades, run->cases.n, false, &failures, &n_failures);
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
static int compute(struct run *run, int (*tell)(const struct run *run))
{
    const int rc = simulate(run);
    if (!rc) return tell(run);
    if (rc == CW_EINTERRUPTED && run->found.outcomes && base_of(run)->done) {
        const int reported = tell(run);
        if (reported) return reported;
        return cw_fail(CW_EINTERRUPTED, "interrupted");
    }
    return rc;
}

/* Cables that are missing, apart from the other cases: tables cannot route them, so that an engine routes all rows. */
static int add_missing(const struct run *run)
{
    const struct routing *routing = &run->invocation->routing;
    struct run adding = *run;
    adding.cases = (struct cw_what_if_cases){0};
    adding.found = (struct cw_what_if){0};
    if (routing->lft) adding.engine = routing->repair ? routing->repair : REPAIR;
    int rc = cw_what_if_add_missing(&adding.cases, run->fabric.net, &adding.unknown);
    if (!rc) rc = compute(&adding, report_additions);
    cw_what_if_free(&adding.found);
    cw_what_if_cases_free(&adding.cases);
    return rc;
}

static int run(struct invocation *invocation)
{
    struct run run = {.invocation = invocation, .values = invocation->values, .engine = invocation->routing.name};
    invocation->routing.deferred = true; /* each case has routes of its own */
    int rc = check(&run);
    if (!rc) rc = fabric_open(invocation, invocation->positional[0], &run.fabric);
    if (!rc && invocation->routing.lft) rc = cw_file_read(invocation->routing.lft, &run.tables);
    if (!rc) rc = add_cases(&run);
    if (!rc && run.cases.n > 0) rc = compute(&run, report);
    if (!rc && run.values->add) rc = add_missing(&run);
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
    .routes = true,
    .counts_cut_off = true,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
