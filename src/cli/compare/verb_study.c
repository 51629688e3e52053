/* crosswind study: every combination of networks, routings and failures of a file, by several measures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/compare/measure_columns.h"
#include "cli/compare/stored_figures.h"
#include "cli/verb.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "study/compare/study_run.h"

struct study_options {
    bool dry_run;
};

static const struct cw_option options[] = {
    {.name = "dry-run",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct study_options, dry_run),
     .help = "only list the cases, how many of their figures are stored, and how long the others will take"},
    {.name = NULL},
};

static const struct cw_option arguments[] = {
    {.name = "FILE.yaml", .type = CW_OPTION_INPUT, .required = true, .help = "what is to be compared"},
    {.name = NULL},
};

/* What tells cases apart: an axis that varies, with its column. */
static const struct axis {
    enum cw_study_key key;
    enum cw_column_type type;
    const char *name, *help;
} axes[] = {
    {CW_STUDY_NETWORK, CW_COLUMN_TEXT, "network", "specification or file"},
    {CW_STUDY_ROUTING, CW_COLUMN_TEXT, "routing", "routing, or the file with tables"},
    {CW_STUDY_ENDPOINTS, CW_COLUMN_TEXT, "endpoints", "endpoints that take part, as --endpoints has them"},
    {CW_STUDY_FAILED, CW_COLUMN_TEXT, "failed", "what has failed; missing: nothing"},
    {CW_STUDY_DEGRADED, CW_COLUMN_TEXT, "degraded", "what is slow; missing: nothing"},
    {CW_STUDY_SEED, CW_COLUMN_INT, "seed", "seed of all random choices"},
    {CW_STUDY_TRIALS, CW_COLUMN_INT, "trials", "random trials of ebb and noise"},
};

#define AXES      (sizeof axes / sizeof *axes)
#define MOST_BARS 60 /* cases of a figure */

struct run {
    struct invocation *invocation;
    const struct study_options *values;
    struct cw_study study;
    struct cw_study_plan plan;
    struct cw_study_setup setup;
    struct cw_inputs before; /* files that change figures, whatever the study: plug-ins */
    struct cw_store *store;
    struct cw_study_results found;
    const char *title;
    bool shown[AXES]; /* which of them tell cases apart */
};

/* --- cases -------------------------------------------------------------------------------------------------------- */

/* The value of AXIS in case I; NULL: it has none. */
static const char *value_of(const struct run *run, size_t i, const struct axis *axis)
{
    const struct cw_study_case *is = &run->plan.cases[i];
    const bool tables = axis->key == CW_STUDY_ROUTING && is->of[CW_STUDY_LFT];
    return is->of[tables ? CW_STUDY_LFT : axis->key];
}

static bool varies(const struct run *run, const struct axis *axis)
{
    const char *first = value_of(run, 0, axis);
    for (size_t i = 1; i < run->plan.n; i++) {
        const char *value = value_of(run, i, axis);
        if (value && first && strcmp(value, first) != 0) return true;
    }
    return false;
}

/* Which axes tell cases apart. Where none does, the routing stands for all. */
static void find_shown(struct run *run)
{
    bool any = false;
    for (size_t a = 0; a < AXES; a++) any |= run->shown[a] = varies(run, &axes[a]);
    for (size_t a = 0; a < AXES; a++) run->shown[a] |= !any && axes[a].key == CW_STUDY_ROUTING;
}

/* Appends what case I is called in a sentence. */
static void name_case(const struct run *run, size_t i, struct cw_text *text)
{
    const size_t begun = text->length;
    for (size_t a = 0; a < AXES; a++) {
        const char *value = value_of(run, i, &axes[a]);
        if (!value || !run->shown[a]) continue;
        if (text->length > begun) cw_text_add(text, axes[a].key == CW_STUDY_ROUTING ? " by " : ", ");
        if (axes[a].key == CW_STUDY_FAILED || axes[a].key == CW_STUDY_DEGRADED)
            cw_text_printf(text, "%s %s", *value ? value : "nothing", axes[a].name);
        else
            cw_text_printf(text, "%s%s%s", axes[a].key > CW_STUDY_ROUTING ? axes[a].name : "",
                           axes[a].key > CW_STUDY_ROUTING ? " " : "", value);
    }
}

static void case_cells(const struct run *run, size_t i, struct cw_table *table)
{
    for (size_t a = 0; a < AXES; a++) {
        const char *value = value_of(run, i, &axes[a]);
        if (!run->shown[a]) continue;
        if (!value || !*value)
            cw_table_none(table);
        else if (axes[a].type == CW_COLUMN_INT)
            cw_table_int(table, strtoll(value, NULL, 10));
        else
            cw_table_text(table, value);
    }
}

/* What all cases have in common is said once. */
static void set_context(const struct run *run)
{
    static const struct {
        enum cw_study_key key;
        enum cw_context context;
    } common[] = {{CW_STUDY_NETWORK, CW_CONTEXT_NETWORK}, {CW_STUDY_ROUTING, CW_CONTEXT_ROUTES}};
    struct cw_result *result = run->invocation->result;
    for (size_t a = 0; a < AXES; a++) {
        const char *value = value_of(run, 0, &axes[a]);
        if (!value || !*value || run->shown[a]) continue;
        for (size_t c = 0; c < sizeof common / sizeof *common; c++)
            if (common[c].key == axes[a].key) cw_result_set_context(result, common[c].context, value);
        if (axes[a].key == CW_STUDY_SEED)
            cw_result_set_context_number(result, CW_CONTEXT_SEED, strtoull(value, NULL, 10));
        if (run->study.keys[axes[a].key].n > 0 && (axes[a].key == CW_STUDY_FAILED || axes[a].key == CW_STUDY_DEGRADED))
            cw_result_note(result, "In all cases, %s: %s.", axes[a].name, value);
    }
}

/* --- a dry run ---------------------------------------------------------------------------------------------------- */

static int begin_plan(const struct run *run, struct measure_columns *columns, struct cw_table **table)
{
    int rc = measure_columns_begin(columns, AXES + 3, NULL, 0);
    if (rc) return rc;
    for (size_t a = 0; a < AXES; a++)
        if (run->shown[a]) measure_columns_add(columns, axes[a].type, axes[a].name, axes[a].help);
    measure_columns_add(columns, CW_COLUMN_INT, "figures", "measures of the case");
    measure_columns_add(columns, CW_COLUMN_INT, "stored", "those that the store has");
    measure_columns_add(
        columns, CW_COLUMN_REAL, "estimate",
        "what the others will take on one thread, by what such figures took; missing: nothing is known");
    columns->columns[columns->n - 1].unit = "s";
    columns->columns[columns->n - 1].measured = true;
    return measure_columns_end(columns, "", run->invocation->result, "plan", run->title, table);
}

static void note_cost(const struct run *run, size_t missing, size_t unknown, double seconds)
{
    const size_t all = run->plan.n * run->plan.n_measures;
    const unsigned threads = cw_parallel_threads(run->setup.n_threads, run->plan.n);
    struct cw_result *result = run->invocation->result;
    char time[32];
    cw_result_note(result, "%zu case%s of %zu figure%s each: %zu figure%s, of which %zu %s stored.", run->plan.n,
                   cw_plural(run->plan.n), run->plan.n_measures, cw_plural(run->plan.n_measures), all, cw_plural(all),
                   all - missing, all - missing == 1 ? "is" : "are");
    if (missing == 0) return;
    if (unknown == run->plan.n || seconds == 0) {
        cw_result_note(result, "How long the other %zu will take is not known: %s.", missing,
                       run->invocation->common.store ? "the store has no figures of the kind"
                                                     : "there is no --store with others");
        return;
    }
    cw_result_note(result, "The other %zu will take about %s on %u thread%s, by what such figures took%s.", missing,
                   cw_format_time(seconds / threads, time, sizeof time), threads, cw_plural(threads),
                   unknown > 0 ? "; of some cases nothing is known, and they come on top" : "");
}

static void add_plan(const struct run *run, const struct cw_study_cost *costs, struct cw_table *table)
{
    size_t missing = 0, unknown = 0;
    double seconds = 0;
    for (size_t i = 0; i < run->plan.n; i++) {
        case_cells(run, i, table);
        cw_table_row(table, "%zu %zu %g", run->plan.n_measures, run->plan.n_measures - costs[i].missing,
                     costs[i].seconds);
        missing += costs[i].missing;
        unknown += isnan(costs[i].seconds) ? 1 : 0;
        seconds += isnan(costs[i].seconds) ? 0 : costs[i].seconds;
    }
    note_cost(run, missing, unknown, seconds);
}

static int show_plan(const struct run *run)
{
    struct measure_columns columns;
    struct cw_table *table;
    struct cw_study_cost *costs = cw_new_array(run->plan.n, sizeof *costs, "cases of a study");
    int rc = costs ? cw_study_costs(&run->setup, costs) : CW_ENOMEM;
    if (!rc) rc = begin_plan(run, &columns, &table);
    if (!rc) add_plan(run, costs, table);
    free(costs);
    return rc;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static int begin_table(const struct run *run, struct measure_columns *columns, struct cw_table **table)
{
    int rc = measure_columns_begin(columns, AXES + 2, run->plan.measures, run->plan.n_measures);
    if (rc) return rc;
    measure_columns_add(columns, CW_COLUMN_TEXT, "case", "what tells it from others");
    columns->columns[columns->n - 1].detail = true;
    for (size_t a = 0; a < AXES; a++)
        if (run->shown[a]) measure_columns_add(columns, axes[a].type, axes[a].name, axes[a].help);
    if (run->study.keys[CW_STUDY_FAILED].n > 0)
        measure_columns_add(columns, CW_COLUMN_INT, "cut_off", "endpoints that have no path to most others");
    rc = measure_columns_end(columns, "the first row", run->invocation->result, "study", run->title, table);
    if (!rc) cw_table_expect(*table, run->plan.n);
    return rc;
}

static void name_cell(const struct run *run, size_t i, struct cw_table *table)
{
    struct cw_text name = {0};
    name_case(run, i, &name);
    cw_table_text(table, name.data ? name.data : "");
    cw_text_free(&name);
}

/* The figures of case I, [n_measures]. */
static void figures_of(const struct run *run, size_t i, struct cw_measured *out)
{
    const struct cw_study_outcome *outcome = cw_study_outcome(&run->found, i);
    for (size_t m = 0; m < run->plan.n_measures; m++)
        out[m] = outcome->done ? cw_study_figure_measured(&outcome->figures[m])
                               : (struct cw_measured){.value = (double)NAN, .ci95 = (double)NAN};
}

/* Whether no figure of case I can be, all for one reason: it is the case's. */
static bool is_impossible(const struct run *run, size_t i)
{
    const struct cw_study_figure *figures = cw_study_outcome(&run->found, i)->figures;
    for (size_t m = 0; m < run->plan.n_measures; m++)
        if (!figures[m].error || strcmp(figures[m].message, figures[0].message) != 0) return false;
    return true;
}

static int add_rows(const struct run *run, const struct measure_columns *columns, struct cw_table *table)
{
    struct cw_measured *figures = cw_new_array(2 * run->plan.n_measures, sizeof *figures, "figures"), *base = figures;
    if (!figures) return CW_ENOMEM;
    figures_of(run, 0, base);
    figures += run->plan.n_measures;
    for (size_t i = 0; i < run->plan.n; i++) {
        if (!cw_study_outcome(&run->found, i)->done) continue;
        figures_of(run, i, figures);
        name_cell(run, i, table);
        case_cells(run, i, table);
        if (run->study.keys[CW_STUDY_FAILED].n > 0 && is_impossible(run, i))
            cw_table_none(table);
        else if (run->study.keys[CW_STUDY_FAILED].n > 0)
            cw_table_int(table, cw_study_outcome(&run->found, i)->figures[0].cut_off);
        measure_cells(columns, table, figures, base);
    }
    free(base);
    return 0;
}

/* Why case I cannot be, and how many later ones cannot for the same reason; these are SAID then, too. */
static void note_impossible(const struct run *run, size_t i, bool *said)
{
    const char *reason = cw_study_outcome(&run->found, i)->figures[0].message;
    struct cw_text text = {0};
    size_t others = 0;
    for (size_t j = i + 1; j < run->plan.n; j++) {
        if (said[j] || !is_impossible(run, j)) continue;
        said[j] = strcmp(cw_study_outcome(&run->found, j)->figures[0].message, reason) == 0;
        others += said[j];
    }
    name_case(run, i, &text);
    if (others > 0) cw_text_printf(&text, ", and %zu more case%s", others, cw_plural(others));
    cw_text_printf(&text, ": %s.", reason);
    cw_result_note_text(run->invocation->result, &text);
}

/* Why some figures of case I cannot be. */
static void note_figures(const struct run *run, size_t i)
{
    for (size_t m = 0; m < run->plan.n_measures; m++) {
        const struct cw_study_figure *figure = &cw_study_outcome(&run->found, i)->figures[m];
        struct cw_text text = {0};
        if (!figure->error) continue;
        name_case(run, i, &text);
        cw_text_printf(&text, ", %s: %s.", run->plan.measures[m].spec, figure->message);
        cw_result_note_text(run->invocation->result, &text);
        run->invocation->failed = true;
    }
}

static int note_errors(const struct run *run)
{
    bool *said = cw_new_array(run->plan.n, sizeof *said, "cases of a study");
    if (!said) return CW_ENOMEM;
    for (size_t i = 0; i < run->plan.n; i++) {
        if (said[i] || !cw_study_outcome(&run->found, i)->done) continue;
        if (!is_impossible(run, i)) {
            note_figures(run, i);
            continue;
        }
        note_impossible(run, i, said);
        run->invocation->failed = true;
    }
    free(said);
    return 0;
}

static void note_cut_off(const struct run *run)
{
    size_t cases = 0;
    for (size_t i = 0; i < run->plan.n; i++) {
        const struct cw_study_outcome *outcome = cw_study_outcome(&run->found, i);
        cases += outcome->done && outcome->figures[0].cut_off > 0;
    }
    if (cases > 0)
        cw_result_note(
            run->invocation->result,
            "%zu of %zu cases cut endpoints off. In ebb these count as 0; all other figures are then of what "
            "is left, which has less to carry.",
            cases, run->plan.n);
}

static void note_sizes(const struct run *run)
{
    uint32_t fewest = UINT32_MAX, most = 0;
    for (size_t i = 0; i < run->plan.n_networks; i++) {
        const uint32_t n = run->plan.networks[i].net->n_endpoints;
        if (n < fewest) fewest = n;
        if (n > most) most = n;
    }
    if (fewest < most)
        cw_result_note(run->invocation->result,
                       "The networks have from %u to %u endpoints. A job or pattern that runs on all of them is more "
                       "work on the larger ones: its times do not compare networks.",
                       fewest, most);
}

/* What is found, also where not all is. */
static int report(struct run *run)
{
    static const struct cw_figure bars = {.kind = CW_FIGURE_BARS, .table = "study", .rows = "case"};
    struct measure_columns columns;
    struct cw_table *table;
    int rc = begin_table(run, &columns, &table);
    if (!rc) rc = add_rows(run, &columns, table);
    if (!rc) rc = cw_inputs_add_all(cw_result_inputs(run->invocation->result), &run->found.inputs);
    if (!rc) rc = note_errors(run);
    if (!rc && run->plan.n <= MOST_BARS) rc = measure_figure(&columns, run->invocation->result, &bars, NULL, NULL);
    if (rc) return rc;
    note_cut_off(run);
    measures_note(run->invocation->result, run->plan.measures, run->plan.n_measures);
    note_sizes(run);
    return 0;
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

/* The table, so far without rows, tells how many there would have been. */
static int compute(struct run *run)
{
    struct invocation *invocation = run->invocation;
    run->setup.progress = invocation_progress(invocation, "study", run->plan.n);
    const int rc = cw_study_run(&run->setup, &run->found);
    cw_progress_free(run->setup.progress);
    if (rc && rc != CW_EINTERRUPTED) return rc;
    const int reported = run->found.outcomes ? report(run) : 0;
    return reported ? reported : rc ? cw_fail(CW_EINTERRUPTED, "interrupted") : 0;
}

/* One process writes. */
static int open_store(struct run *run)
{
    const char *path = run->invocation->common.store;
    if (!path || !program_speaks(run->invocation->ranks)) return 0;
    if (!run->values->dry_run) return cw_store_open(path, &run->store);
    return access(path, F_OK) == 0 ? cw_store_open_to_read(path, &run->store) : 0;
}

static int read_study(struct run *run)
{
    struct invocation *invocation = run->invocation;
    char seed[32];
    int rc = cw_inputs_add_all(&run->before, cw_result_inputs(invocation->result));
    if (!rc) rc = cw_study_read(invocation->positional[0], &run->study);
    if (!rc && run->study.keys[CW_STUDY_SEED].n > 0 && invocation_refuses(invocation, "seed"))
        rc = cw_fail(CW_EUSAGE, "%s has a seed; expected no --seed, too", invocation->positional[0]);
    snprintf(seed, sizeof seed, "%lld", (long long)invocation->common.seed);
    if (!rc) rc = cw_study_default(&run->study, CW_STUDY_SEED, seed);
    return rc;
}

static int check_plot(const struct run *run)
{
    const char *undrawn = measures_undrawn(run->plan.measures, run->plan.n_measures);
    char many[80];
    snprintf(many, sizeof many, "is for %d cases at most; crosswind results chooses among more", MOST_BARS);
    if (run->values->dry_run) undrawn = "is for figures, and --dry-run has none";
    if (run->plan.n > MOST_BARS) undrawn = many;
    return undrawn ? invocation_refuse_plot(run->invocation, undrawn) : 0;
}

static int run(struct invocation *invocation)
{
    struct run run = {.invocation = invocation, .values = invocation->values};
    int rc = read_study(&run);
    if (!rc) rc = cw_study_plan_make(&run.study, &run.plan);
    if (!rc) rc = check_plot(&run);
    if (!rc) rc = open_store(&run);
    run.title = cw_study_single(&run.study, CW_STUDY_TITLE);
    if (!run.title) run.title = "Every case of the study";
    run.setup = (struct cw_study_setup){.plan = &run.plan,
                                        .before = &run.before,
                                        .store = run.store,
                                        .n_threads = (unsigned)invocation->common.threads,
                                        .executor = invocation_executor(invocation)};
    if (!rc) find_shown(&run);
    if (!rc) set_context(&run);
    if (!rc) rc = run.values->dry_run ? show_plan(&run) : compute(&run);
    stored_figures_close(invocation, run.store);
    cw_study_results_free(&run.found);
    cw_study_plan_free(&run.plan);
    cw_study_free(&run.study);
    cw_inputs_free(&run.before);
    return rc;
}

const struct verb verb_study = {
    .name = "study",
    .help = "Every combination of networks, routings and failures of a file, by several measures",
    .arguments = arguments,
    .description =
        "The file is YAML. Its keys are called as the options of other verbs are: network, routing, lft, endpoints, "
        "failed, degraded, seed and trials, each a list or one value, and measure as in crosswind compare. Every "
        "combination is a case and a row, less those that 'leave out' names. With --store, each figure is kept as soon "
        "as it is there, and none is computed twice. A case that cannot be says why, and the others go on; the exit "
        "status is then 1.",
    .examples = "  crosswind study engines.yaml --store engines.db\n"
                "  crosswind study engines.yaml --store engines.db --dry-run\n",
    .options = options,
    .size = sizeof(struct study_options),
    .computes = true,
    .stores = STORES_FIGURES,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
