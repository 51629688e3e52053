#include "cli/compare/what_if_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/compare/measure_columns.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "report/rows.h"
#include "route/engine.h"

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* A case and how it is ranked. */
struct ranked {
    const struct cw_what_if_case *is;
    const struct cw_what_if_outcome *outcome;
    double loss; /* by the measure that decides, of what there was; NAN: unknown */
    size_t number;
};

/* The measure that decides the order; n_measures if none can. */
static size_t deciding(const struct what_if_run *run)
{
    size_t i = 0;
    while (i < run->n_measures && run->measures[i].kind->better == CW_BETTER_NEITHER) i++;
    return i;
}

/* How many times worse that measure is than in the network as it is. */
static double loss_of(const struct what_if_run *run, const struct cw_what_if_outcome *outcome)
{
    const size_t by = deciding(run);
    if (by == run->n_measures) return 1;
    const double was = what_if_base(run)->figures[by].value, is = outcome->figures[by].value;
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
static int rank(const struct what_if_run *run, size_t from, size_t to, bool gains, struct ranked **out, size_t *n)
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

static void add_row(const struct what_if_run *run, const struct measure_columns *columns, struct cw_table *table,
                    const char *name, const char *change, const struct cw_what_if_outcome *outcome)
{
    cw_table_row(table, "%s %s %u", name, change, outcome->cut_off);
    if (!outcome->error) measure_cells(columns, table, outcome->figures, what_if_base(run)->figures);
    for (size_t i = 3; outcome->error && i < columns->n; i++) cw_table_none(table);
}

static int new_table(const struct what_if_run *run, const char *name, const char *title,
                     struct measure_columns *columns, struct cw_table **table)
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
static int add_table(const struct what_if_run *run, const char *name, const char *title, const struct ranked *ranked,
                     size_t n, bool gains)
{
    struct measure_columns columns;
    struct cw_table *table;
    const int rc = new_table(run, name, title, &columns, &table);
    if (rc) return rc;
    cw_table_cut_text(table, run->top + 1);
    add_row(run, &columns, table, "-", "as it is", what_if_base(run));
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

static void note_cut_off(const struct what_if_run *run, const struct ranked *ranked, size_t n)
{
    size_t cutting = 0;
    bool others = false; /* measures that do not count who is cut off */
    for (size_t i = 0; i < run->n_measures; i++) others |= strcmp(run->measures[i].kind->name, "ebb") != 0;
    const struct ranked *worst = ranked;
    for (size_t i = 0; i < n; i++) {
        cutting += ranked[i].outcome->cut_off > what_if_base(run)->cut_off;
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

static void note_worst(const struct what_if_run *run, const struct ranked *ranked, size_t n)
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
                       what_if_base(run)->figures[by].value, same, n);
    else
        cw_result_note(run->invocation->result, "By %s, no failure makes the network worse.", run->measures[by].spec);
}

static void note_upgrade(const struct what_if_run *run, const struct ranked *ranked, size_t n)
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
                   best->outcome->figures[by].value, what_if_base(run)->figures[by].value);
}

/* Pairs that lack cables, cables that they lack. */
static void count_missing(const struct what_if_run *run, size_t *pairs, size_t *cables)
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
static void note_additions(const struct what_if_run *adding, const struct ranked *ranked, size_t n)
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
                       best->outcome->figures[by].value, what_if_base(adding)->figures[by].value);
    else if (by < adding->n_measures && best)
        cw_text_printf(&text, " By %s, %s worth adding alone.", adding->measures[by].spec,
                       pairs == 1 ? "it is not" : "none is");
    if (by < adding->n_measures && all)
        cw_text_printf(&text, " With all of them it is %.4g.", all->outcome->figures[by].value);
    cw_result_note_text(adding->invocation->result, &text);
}

/* Where no pair is known that lacks a cable. */
static void note_nothing_missing(const struct what_if_run *adding)
{
    cw_result_note(adding->invocation->result,
                   "No cable is missing between two of %s, as far as its shape or most of its bundles tell.",
                   adding->fabric.net->title);
}

/* What is missing, too, and no row adds. */
static void note_left_out(const struct what_if_run *adding)
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

static void note_errors(const struct what_if_run *run, const struct ranked *ranked, size_t n)
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
static int note_adding(const struct what_if_run *adding)
{
    const struct routing *routing = &adding->invocation->routing;
    struct cw_result *result = adding->invocation->result;
    const bool said = adding->others;
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
    else if (adding->others)
        return 0; /* said of these */
    else if (adding->engine)
        cw_result_note(result, "%s routes the network anew with each of them.", adding->engine);
    else
        return fabric_note_default(adding->invocation, adding->fabric.net, cw_engine_default(adding->fabric.net), true);
    return 0;
}

static int note_regime(const struct what_if_run *run)
{
    const struct routing *routing = &run->invocation->routing;
    int rc = 0;
    if (routing->lft)
        cw_result_note(run->invocation->result,
                       "Routes are those of %s; where they no longer arrive, the entries of %s take over (--repair).",
                       routing->lft, run->repair);
    else if (routing->name)
        cw_result_note(run->invocation->result, "Each case is routed anew by %s.", routing->name);
    else
        rc = fabric_note_default(run->invocation, run->fabric.net, cw_engine_default(run->fabric.net), true);
    cw_result_note(run->invocation->result,
                   "Each case's figures are those of the verbs with --failed. All are drawn from one seed: differences "
                   "are surer than the intervals say.");
    return rc;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

int what_if_report_additions(const struct what_if_run *adding)
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

int what_if_report(const struct what_if_run *run)
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
