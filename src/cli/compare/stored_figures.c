#include "cli/compare/stored_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "cli/compare/measure_columns.h"
#include "report/rows.h"
#include "study/compare/study_plan.h"

void stored_figures_close(struct invocation *invocation, struct cw_store *store)
{
    const char *why = cw_store_failure(store);
    if (why) {
        invocation->failed = true;
        if (program_speaks(invocation->ranks))
            fprintf(stderr, "%s: %s; what is printed is right, but not all of it is stored\n", program_name, why);
    }
    cw_store_close(store);
}

/* --- keeping them ------------------------------------------------------------------------------------------------- */

int figure_keeper_open(struct invocation *invocation, const char *path, const char *repair,
                       struct figure_keeper *keeper)
{
    const struct routing *routing = &invocation->routing;
    const struct {
        enum cw_study_key key;
        const char *value;
    } common[] = {{CW_STUDY_INPUT_FORMAT, routing->input_format},
                  {CW_STUDY_NODE_NAMES, routing->node_names},
                  {CW_STUDY_NODES, routing->nodes},
                  {CW_STUDY_REPAIR, repair}};
    keeper->result = invocation->result;
    snprintf(keeper->seed, sizeof keeper->seed, "%lld", (long long)invocation->common.seed);
    int rc = cw_inputs_add_all(&keeper->before, cw_result_inputs(invocation->result));
    for (size_t i = 0; i < sizeof common / sizeof *common && !rc; i++)
        if (common[i].value) rc = cw_study_default(&keeper->study, common[i].key, common[i].value);
    return rc || !path ? rc : cw_store_open(path, &keeper->store);
}

void figure_keeper_close(struct invocation *invocation, struct figure_keeper *keeper)
{
    stored_figures_close(invocation, keeper->store);
    cw_study_free(&keeper->study);
    cw_inputs_free(&keeper->before);
}

/* Takes MEASURE, and stores what comes of it. */
static int take_and_store(const struct figure_keeper *keeper, const struct kept_case *kept,
                          const struct cw_study_figure_of *stored, struct cw_compared *of, struct cw_study_figure *out)
{
    const double begun = cw_stopwatch_now();
    struct cw_inputs inputs = {0};
    struct cw_measured measured;
    int rc = cw_inputs_add_all(&inputs, &keeper->before);
    if (!rc) rc = cw_inputs_add_all(&inputs, kept->network);
    if (!rc) rc = cw_inputs_add_all(&inputs, &kept->routes);
    cw_inputs_begin_part(&inputs);
    if (!rc) rc = cw_measure_take(stored->measure, of, &measured);
    cw_inputs_end_part(&inputs);
    if (!rc || cw_ends_case_only(rc)) {
        *out = cw_study_figure_made(rc, &measured);
        out->cut_off = kept->cut_off;
        out->seconds = cw_stopwatch_now() - begun;
        cw_store_put(keeper->store, stored, out, &inputs);
        rc = 0;
    }
    cw_inputs_free(&inputs);
    return rc;
}

int figure_keeper_take(const struct figure_keeper *keeper, const struct kept_case *kept,
                       const struct cw_measure *measure, struct cw_compared *of, struct cw_study_figure *out)
{
    const struct cw_study_plan plan = {.study = &keeper->study};
    struct cw_text definition;
    bool found = false;
    int rc = cw_study_define(&plan, &kept->is, measure, &definition);
    const struct cw_study_figure_of stored = {definition.data, &kept->is, measure};
    if (!rc) rc = cw_store_find(keeper->store, definition.data, out, &found, cw_result_inputs(keeper->result));
    if (!rc && !found) rc = take_and_store(keeper, kept, &stored, of, out);
    cw_text_free(&definition);
    return rc;
}

/* --- row by row --------------------------------------------------------------------------------------------------- */

static const struct cw_column figure_columns[] = {
    {"network", CW_COLUMN_TEXT, NULL, "specification or file"},
    {"routing", CW_COLUMN_TEXT, NULL, "routing, or the file with tables"},
    {"endpoints", CW_COLUMN_TEXT, NULL, "endpoints that take part, as --endpoints has them", .detail = true},
    {"failed", CW_COLUMN_TEXT, NULL, "what has failed; missing: nothing"},
    {"degraded", CW_COLUMN_TEXT, NULL, "what is slow; missing: nothing", .detail = true},
    {"seed", CW_COLUMN_INT, NULL, "seed of all random choices"},
    {"trials", CW_COLUMN_INT, NULL, "random trials of ebb and noise; missing: as many as these verbs run"},
    {"cut_off", CW_COLUMN_INT, NULL, "endpoints that have no path to most others", .detail = true},
    {"measure", CW_COLUMN_TEXT, NULL, "what was measured"},
    {"value", CW_COLUMN_REAL, NULL, "its figure; missing: a word, or none"},
    {"ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval, or what the measure has instead",
     .interval = true},
    {"unit", CW_COLUMN_TEXT, NULL, "of value and ci95; missing: a plain number"},
    {"word", CW_COLUMN_TEXT, NULL, "the figure of measures in words"},
    {"finished", CW_COLUMN_TEXT, NULL, "when it was there, universal time"},
    {"took", CW_COLUMN_REAL, "s", "how long it took, with the routes where it was the first of its case"},
    {"version", CW_COLUMN_TEXT, NULL, "the release that computed it", .detail = true},
    {"error", CW_COLUMN_TEXT, NULL, "why there is no figure"},
};

/* An empty text is a missing one. */
static void add_text(struct cw_table *table, const char *text)
{
    if (text && *text)
        cw_table_text(table, text);
    else
        cw_table_none(table);
}

static int add_row(void *context, const struct cw_store_row *row)
{
    struct cw_table *table = context;
    const char *first[] = {row->network, row->routing, row->endpoints, row->failed, row->degraded};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) add_text(table, first[i]);
    cw_table_int(table, row->seed);
    if (row->trials > 0)
        cw_table_int(table, row->trials);
    else
        cw_table_none(table);
    cw_table_int(table, row->cut_off);
    cw_table_text(table, row->measure);
    cw_table_real(table, row->value);
    cw_table_real(table, row->ci95 > 0 ? row->ci95 : (double)NAN);
    const char *next[] = {row->unit, row->word, row->finished};
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) add_text(table, next[i]);
    cw_table_real(table, row->seconds);
    add_text(table, row->version);
    add_text(table, row->error);
    return 0;
}

/* "COLUMN=VALUE": the column into *COLUMN, owned. */
static int split(const char *condition, char **column, const char **value)
{
    const size_t length = strcspn(condition, "=");
    if (condition[length] == 0 || length == 0)
        return cw_fail(CW_EUSAGE, "'%s' is no condition; expected COLUMN=VALUE, such as routing=minhop", condition);
    *column = cw_copy_text(condition, length);
    *value = condition + length + 1;
    return *column ? 0 : CW_ENOMEM;
}

/* Calls EACH with CONTEXT for the rows that all N CONDITIONS hold for. */
static int choose(struct cw_store *store, const char *const *conditions, size_t n,
                  int (*each)(void *context, const struct cw_store_row *row), void *context)
{
    char **names = cw_new_array(n, sizeof *names, "conditions");
    const char **values = cw_new_array(n, sizeof *values, "conditions");
    int rc = names && values ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < n && !rc; i++) rc = split(conditions[i], &names[i], &values[i]);
    if (!rc) rc = cw_store_each(store, (const char *const *)names, values, n, each, context);
    for (size_t i = 0; names && i < n; i++) free(names[i]);
    free(names);
    free(values);
    return rc;
}

/* --- case by case ------------------------------------------------------------------------------------------------- */

enum { NETWORK, ROUTING, ENDPOINTS, FAILED, DEGRADED, SEED, TRIALS, VERSION, AXES };

static const char *const axis_names[AXES] = {"network",  "routing", "endpoints", "failed",
                                             "degraded", "seed",    "trials",    "version"};

/* A figure with what tells its case from others. */
struct stored {
    char *axes[AXES]; /* owned, as all texts here; "": nothing, or the default */
    char *measure, *word;
    double value, ci95;
};

struct cases {
    struct stored *rows;
    size_t n_rows, capacity;
    struct cw_text measures; /* the list of them, as --measure takes it */
    struct cw_measure *list;
    size_t n_measures;
    size_t *first;               /* [n] a row of each case */
    struct cw_measured *figures; /* [n][n_measures]; NaN without a word: none */
    size_t n;
    bool varies[AXES]; /* what differs between two cases */
};

static char *copy(const char *text)
{
    return cw_copy_text(text ? text : "", text ? strlen(text) : 0);
}

static char *copy_number(int64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    return copy(number > 0 ? digits : "");
}

static int keep_row(void *context, const struct cw_store_row *row)
{
    struct cases *cases = context;
    const int rc = cw_grow_array((void **)&cases->rows, &cases->capacity, cases->n_rows + 1, sizeof *cases->rows,
                                 "stored figures");
    if (rc) return rc;
    struct stored *stored = &cases->rows[cases->n_rows++];
    *stored = (struct stored){.axes = {copy(row->network), copy(row->routing), copy(row->endpoints), copy(row->failed),
                                       copy(row->degraded), copy_number(row->seed), copy_number(row->trials),
                                       copy(row->version)},
                              .measure = copy(row->measure),
                              .word = copy(row->word),
                              .value = row->value,
                              .ci95 = row->ci95};
    for (size_t a = 0; a < AXES; a++)
        if (!stored->axes[a]) return CW_ENOMEM;
    return stored->measure && stored->word ? 0 : CW_ENOMEM;
}

static void cases_free(struct cases *cases)
{
    for (size_t i = 0; i < cases->n_rows; i++) {
        for (size_t a = 0; a < AXES; a++) free(cases->rows[i].axes[a]);
        free(cases->rows[i].measure);
        free(cases->rows[i].word);
    }
    free(cases->rows);
    free(cases->first);
    free(cases->figures);
    cw_text_free(&cases->measures);
    cw_measures_free(cases->list, cases->n_measures);
}

/* Whether two figures are of the same case, but for the release that computed them. */
static bool same_case(const struct stored *x, const struct stored *y)
{
    for (size_t a = 0; a < VERSION; a++)
        if (strcmp(x->axes[a], y->axes[a]) != 0) return false;
    return true;
}

/* Appends the measure SPEC to the list, unless it is there. */
static void list_measure(struct cw_text *list, const char *spec)
{
    const size_t length = strlen(spec);
    for (const char *at = list->data; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, spec, length) == 0 && (at[length] == ',' || at[length] == 0)) return;
    }
    cw_text_printf(list, "%s%s", list->length > 0 ? "," : "", spec);
}

static size_t measure_of(const struct cases *cases, const struct stored *row)
{
    size_t m = 0;
    while (strcmp(cases->list[m].spec, row->measure) != 0) m++;
    return m;
}

static bool is_missing(const struct cw_measured *figure)
{
    return isnan(figure->value) && !figure->word;
}

/* The place of ROW, whose case is one of those from FROM on, or a new one: files may have changed since it was computed
 * first, so that it is there twice. */
static void place_row(struct cases *cases, size_t row, size_t from)
{
    const struct stored *stored = &cases->rows[row];
    const size_t m = measure_of(cases, stored), width = cases->n_measures;
    size_t k = from;
    while (k < cases->n && (strcmp(cases->rows[cases->first[k]].axes[VERSION], stored->axes[VERSION]) != 0 ||
                            !is_missing(&cases->figures[k * width + m])))
        k++;
    if (k == cases->n) {
        cases->first[cases->n++] = row;
        for (size_t i = 0; i < width; i++)
            cases->figures[k * width + i] = (struct cw_measured){.value = (double)NAN, .ci95 = (double)NAN};
    }
    cases->figures[k * width + m] =
        (struct cw_measured){stored->value, stored->ci95, *stored->word ? stored->word : NULL};
}

/* Rows of one case stand together. */
static int find_cases(struct cases *cases)
{
    const size_t n = cases->n_rows;
    for (size_t i = 0; i < n; i++) list_measure(&cases->measures, cases->rows[i].measure);
    int rc = cw_text_check(&cases->measures);
    if (rc || n == 0) return rc;
    rc = cw_measures_parse(cases->measures.data, &cases->list, &cases->n_measures);
    if (rc) return rc;
    cases->first = cw_new_array(n, sizeof *cases->first, "cases");
    cases->figures = cw_new_array(n * cases->n_measures, sizeof *cases->figures, "cases");
    if (!cases->first || !cases->figures) return CW_ENOMEM;
    for (size_t i = 0, from = 0; i < n; i++) {
        if (i > 0 && !same_case(&cases->rows[i], &cases->rows[i - 1])) from = cases->n;
        place_row(cases, i, from);
        for (size_t a = 0; a < AXES; a++)
            cases->varies[a] |= strcmp(cases->rows[i].axes[a], cases->rows[0].axes[a]) != 0;
    }
    return 0;
}

/* "updn, spine1 failed, seed 2": what tells the case of ROW from others. */
static void name_case(const struct cases *cases, const struct stored *row, struct cw_text *name)
{
    static const char *const before[AXES] = {[SEED] = "seed ", [TRIALS] = "trials ", [VERSION] = "by "},
                             *const behind[AXES] = {[FAILED] = " failed", [DEGRADED] = " degraded"};
    bool some = false;
    for (size_t a = 0; a < AXES; a++) {
        if (!cases->varies[a] || !*row->axes[a]) continue;
        cw_text_printf(name, "%s%s%s%s", some ? ", " : "", before[a] ? before[a] : "", row->axes[a],
                       behind[a] ? behind[a] : "");
        some = true;
    }
    if (!some) cw_text_add(name, *row->axes[ROUTING] ? row->axes[ROUTING] : row->axes[NETWORK]);
}

/* "updn, seed 2" and so on: *OUT [n], the caller's, as what it has. */
static int name_cases(const struct cases *cases, char ***out)
{
    char **names = cw_new_array(cases->n, sizeof *names, "cases");
    int rc = names ? 0 : CW_ENOMEM;
    *out = names;
    for (size_t i = 0; i < cases->n && !rc; i++) {
        struct cw_text name = {0};
        name_case(cases, &cases->rows[cases->first[i]], &name);
        rc = cw_text_check(&name);
        if (rc)
            cw_text_free(&name);
        else
            names[i] = name.data;
    }
    return rc;
}

static void free_names(char **names, size_t n)
{
    for (size_t i = 0; names && i < n; i++) free(names[i]);
    free(names);
}

static int add_cases(struct cw_result *result, const struct cases *cases, char *const *names)
{
    static const struct cw_figure bars = {.kind = CW_FIGURE_BARS, .table = "cases", .rows = "case"};
    struct measure_columns columns;
    struct cw_table *table;
    bool *best = NULL;
    int rc = measure_columns_begin(&columns, 1, cases->list, cases->n_measures);
    if (rc) return rc;
    measure_columns_add(&columns, CW_COLUMN_TEXT, "case", "what tells it from others");
    rc = measure_columns_end(&columns, "the first row", result, "cases", "Figures by case", &table);
    for (size_t i = 0; i < cases->n && !rc; i++) {
        cw_table_text(table, names[i]);
        measure_cells(&columns, table, cases->figures + i * cases->n_measures, cases->figures);
    }
    if (!rc) measures_note(result, cases->list, cases->n_measures);
    if (!rc) rc = measures_find_best(cases->list, cases->n_measures, cases->figures, cases->n, &best);
    if (!rc) rc = measure_figure(&columns, result, &bars, NULL, best);
    free(best);
    return rc;
}

/* Among which cases the best are, and in what else than their routing these differ: that may be the reason. */
static void note_best(struct cw_result *result, const struct cases *cases, bool chosen)
{
    struct cw_text text = {0};
    size_t differ = 0;
    cw_text_printf(&text,
                   "Which are best is said of the %zu cases %s. Of those that are called the best, none is better than "
                   "another by more than the intervals of both allow.",
                   cases->n, chosen ? "that the conditions choose" : "that are stored");
    for (size_t a = 0; a < AXES; a++)
        if (a != ROUTING && cases->varies[a])
            cw_text_printf(&text, "%s%s", differ++ == 0 ? " The cases differ in " : ", ", axis_names[a]);
    if (differ > 0)
        cw_text_printf(&text,
                       ", and may be better or worse for that reason alone: crosswind results with a condition for %s "
                       "says which are best of those that are alike.",
                       differ == 1 ? "it" : "each");
    cw_result_note_text(result, &text);
}

static int list(struct cw_result *result, struct cw_store *store, const char *const *conditions, size_t n)
{
    struct cw_table *table;
    int rc = cw_result_new_table(result, "figures", "Figures that are stored", CW_ITEMS(figure_columns), &table);
    if (!rc) rc = choose(store, conditions, n, add_row, table);
    if (!rc) cw_result_note(result, "%zu figure%s.", cw_table_rows(table), cw_plural(cw_table_rows(table)));
    return rc;
}

static const struct cw_column result_columns[] = {
    {"finished", CW_COLUMN_TEXT, NULL, "when it was there, universal time"},
    {"took", CW_COLUMN_REAL, "s", "how long it took"},
    {"command", CW_COLUMN_TEXT, NULL, "what gives it again, with --store from there"},
    {"version", CW_COLUMN_TEXT, NULL, "the release that computed it", .detail = true},
};

static int add_result(void *context, const struct cw_stored_row *row)
{
    struct cw_table *table = context;
    cw_table_text(table, row->finished);
    cw_table_real(table, row->seconds);
    cw_table_text(table, row->command);
    cw_table_text(table, row->version);
    return 0;
}

static int list_results(struct cw_result *result, struct cw_store *store)
{
    struct cw_table *table;
    int rc = cw_result_new_table(result, "results", "Results that are stored", CW_ITEMS(result_columns), &table);
    if (!rc) rc = cw_store_each_result(store, add_result, table);
    if (!rc) cw_result_note(result, "%zu result%s.", cw_table_rows(table), cw_plural(cw_table_rows(table)));
    return rc;
}

/* The tables of figures of a store that is open: BY_CASE, row by row, and which are best. */
static int tell(struct cw_result *result, struct cw_store *store, const char *const *conditions, size_t n, bool by_case)
{
    struct cases cases = {0};
    char **names = NULL;
    int rc = choose(store, conditions, n, keep_row, &cases);
    if (!rc) {
        rc = find_cases(&cases);
        if (rc && rc != CW_ENOMEM) { /* a measure of another release, or of a file that is gone */
            cw_result_note(result, "%sWhich are best is not known: %s.", by_case ? "There is no table by case. " : "",
                           cw_error_message());
            cases.n = 0;
            rc = 0;
        }
    }
    if (!rc) rc = name_cases(&cases, &names);
    if (!rc && by_case && cases.n > 0) rc = add_cases(result, &cases, names);
    if (!rc) rc = list(result, store, conditions, n);
    if (!rc && cases.n > 1) {
        rc = measures_add_best(result, cases.list, cases.n_measures, cases.figures, names, cases.n);
        if (!rc) note_best(result, &cases, n > 0);
    }
    free_names(names, cases.n);
    cases_free(&cases);
    return rc;
}

static int open_and_tell(struct cw_result *result, const char *path, const char *const *conditions, size_t n,
                         bool by_case)
{
    struct cw_store *store = NULL;
    int64_t n_figures = 0, n_results = 0;
    int rc = cw_store_open_to_read(path, &store);
    if (!rc) rc = cw_store_count(store, &n_figures, &n_results);
    if (!rc && (n_figures > 0 || n_results == 0 || n > 0)) rc = tell(result, store, conditions, n, by_case);
    if (!rc && n_results > 0 && n == 0) rc = list_results(result, store);
    cw_store_close(store);
    return rc;
}

int stored_figures_list(struct cw_result *result, const char *path, const char *const *conditions, size_t n)
{
    return open_and_tell(result, path, conditions, n, false);
}

int stored_figures_by_case(struct cw_result *result, const char *path)
{
    return open_and_tell(result, path, NULL, 0, true);
}
