#include "study/papers/paper.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/registry_internal.h"
#include "base/version.h"
#include "report/rows.h"

/* One line a publication: cw_paper_NAME is its descriptor. */
#define PAPERS(EACH)                                                                                                   \
    EACH(noise)                                                                                                        \
    EACH(dragonfly_fig3)                                                                                               \
    EACH(optiq)                                                                                                        \
    EACH(split_tree)

#define DECLARE(NAME) extern const struct cw_paper cw_paper_##NAME;
#define ENTER(NAME)   &cw_paper_##NAME,

PAPERS(DECLARE)

const struct cw_paper *const cw_papers[] = {PAPERS(ENTER) NULL};

const struct cw_registry cw_paper_registry = {.items = cw_papers,
                                              .near = "there is no experiment '%s'; did you mean '%s'?",
                                              .none = "there is no experiment '%s'; there are %s"};

/* --- points ------------------------------------------------------------------------------------------------------- */

void *cw_points_add(struct cw_points *points, const void *point)
{
    if (cw_grow_array(&points->items, &points->capacity, points->n + 1, points->size, "points")) return NULL;
    void *added = (char *)points->items + points->n++ * points->size;
    return memcpy(added, point, points->size);
}

const void *cw_points_at(const struct cw_points *points, size_t index)
{
    return (const char *)points->items + index * points->size;
}

const void *cw_points_next(const struct cw_points *points, size_t figure, size_t *at)
{
    while (*at < points->n) {
        const struct cw_point *point = cw_points_at(points, (*at)++);
        if (point->figure == figure && point->done) return point;
    }
    return NULL;
}

/* --- claims ------------------------------------------------------------------------------------------------------- */

const char *const cw_verdict_names[] = {"yes", "corrected", "in part", "no", "not tested", "failed"};

int cw_find(struct cw_finding *finding, enum cw_verdict verdict, double value, const char *format, ...)
{
    va_list arguments;
    finding->verdict = verdict;
    finding->value = value;
    va_start(arguments, format);
    vsnprintf(finding->found, sizeof finding->found, format, arguments);
    va_end(arguments);
    return 0;
}

int cw_find_nothing(struct cw_finding *finding, const char *why)
{
    finding->quantity = NULL;
    return cw_find(finding, CW_NOT_TESTED, NAN, "%s", why);
}

enum cw_verdict cw_verdict_of(size_t kept, size_t tested)
{
    if (tested == 0) return CW_NOT_TESTED;
    return kept == tested ? CW_HOLDS : kept > 0 ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
}

int cw_paper_find(const struct cw_paper *paper, size_t figure, size_t claim, const void *of, struct cw_finding *out)
{
    const struct cw_paper_claim *asked = &paper->figures[figure].claims[claim];
    *out = (struct cw_finding){.claim = asked,
                               .figure = asked->figure ? asked->figure : paper->figures[figure].name,
                               .index = figure,
                               .quantity = asked->quantity,
                               .value = NAN,
                               .ci95 = NAN,
                               .verdict = CW_NOT_TESTED,
                               .correction = asked->correction};
    const int rc = asked->find(of, out);
    if (out->verdict != CW_HOLDS) out->correction = NULL;
    if (out->correction) out->verdict = CW_HOLDS_CORRECTED;
    return rc;
}

#define WIDTH 100 /* of NAME-README.txt */

static const struct cw_column claim_columns[] = {
    {"figure", CW_COLUMN_TEXT, NULL, "figure or table of the publication"},
    {"claim", CW_COLUMN_TEXT, NULL, "what it says", .detail = true},
    {"holds", CW_COLUMN_TEXT, NULL, "yes, corrected, in part, no, not tested, or failed"},
    {"quantity", CW_COLUMN_TEXT, NULL, "what the value is"},
    {"value", CW_COLUMN_REAL, NULL, "the number that decides it"},
    {"value_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"found", CW_COLUMN_TEXT, NULL, "what is found", .detail = true},
};

static void add_finding(struct cw_table *table, const struct cw_finding *finding)
{
    cw_table_row(table, "%s %s %s", finding->figure, finding->claim->text, cw_verdict_names[finding->verdict]);
    cw_table_text(table, finding->quantity);
    cw_table_row(table, "%g %g %s", finding->value, finding->ci95, finding->found);
}

static void add_item(struct cw_text *text, const char *item)
{
    cw_text_add(text, "- ");
    cw_text_wrap(text, item, 2, 2, WIDTH);
    cw_text_add(text, "\n");
}

/* Figures have numbers, "13" or "3a"; tables and experiments have names. */
void cw_paper_name_figure(const char *figure, struct cw_text *text)
{
    const bool numbered = figure[0] >= '0' && figure[0] <= '9';
    const bool table = strncmp(figure, "table ", 6) == 0;
    cw_text_printf(text, "%s %s",
                   numbered ? "Figure"
                   : table  ? "Table"
                            : "Experiment",
                   figure + (table ? strlen("table ") : 0));
}

void cw_finding_say(const struct cw_finding *finding, struct cw_text *text)
{
    cw_paper_name_figure(finding->figure, text);
    cw_text_printf(text, ", %s. Holds: %s", finding->claim->text, cw_verdict_names[finding->verdict]);
    if (finding->correction) cw_text_printf(text, " (%s)", finding->correction);
    cw_text_printf(text, "; %s.", finding->found);
}

static int say(struct cw_paper_run *run, const struct cw_finding *finding)
{
    struct cw_text text = {0};
    cw_finding_say(finding, &text);
    const int rc = cw_text_check(&text);
    if (!rc) add_item(&run->items, text.data);
    if (!rc) cw_result_note(run->setup->result, "%s", text.data);
    cw_text_free(&text);
    return rc;
}

static int write_readme(const struct cw_paper_run *run)
{
    const struct cw_paper *paper = run->paper;
    struct cw_text text = {0}, line = {0}, path = {0};
    cw_text_add(&line, paper->source);
    if (run->setup->trials > 0) cw_text_printf(&line, " %zu trials a point.", run->setup->trials);
    cw_text_printf(&line,
                   " Simulated again by crosswind %s: crosswind reproduce %s, seed %llu. Each figure: NAME.csv, "
                   "NAME.svg, and NAME.gp, its gnuplot script.",
                   cw_version(), paper->name, (unsigned long long)run->setup->seed);
    int rc = cw_text_check(&line);
    if (!rc) cw_text_wrap(&text, line.data, 0, 0, WIDTH);
    cw_text_add(&text, "\n\nClaims: what is published, whether it holds, what is found\n\n");
    cw_text_append(&text, run->items.data, run->items.length);
    cw_text_add(&text, "\nRemarks\n\n");
    for (const char *const *remark = paper->remarks; *remark; remark++) add_item(&text, *remark);
    cw_text_printf(&path, "%s/%s-README.txt", run->setup->directory, paper->name);
    if (!rc) rc = cw_text_check(&path);
    if (!rc) rc = cw_text_check(&run->items);
    if (!rc) rc = cw_text_check(&text);
    if (!rc) rc = cw_file_write(path.data, &text);
    cw_text_free(&text);
    cw_text_free(&line);
    cw_text_free(&path);
    return rc;
}

static int tell_one(struct cw_paper_run *run, const struct cw_finding *finding)
{
    const struct cw_paper_watcher *watcher = run->setup->watcher;
    add_finding(run->claims, finding);
    const int rc = say(run, finding);
    return !rc && watcher && watcher->found ? watcher->found(watcher->context, run->paper, finding) : rc;
}

static int write_claims(const struct cw_paper_run *run)
{
    struct cw_text path = {0};
    int rc = cw_paper_path(run, run->paper->name, "-claims.csv", &path);
    if (!rc) rc = cw_table_save_csv(run->claims, path.data);
    if (!rc) rc = write_readme(run);
    cw_text_free(&path);
    return rc;
}

int cw_paper_tell(struct cw_paper_run *run, size_t figure, size_t first, size_t n, const void *of)
{
    int rc = 0;
    for (size_t i = first; !rc && i < first + n; i++) {
        struct cw_finding finding;
        rc = cw_paper_find(run->paper, figure, i, of, &finding);
        if (!rc) rc = tell_one(run, &finding);
        if (!rc && run->told <= i) run->told = i + 1;
    }
    return rc ? rc : write_claims(run);
}

/* What is claimed of a figure that has failed, and is not told yet. */
static int tell_failure(struct cw_paper_run *run, const char *why)
{
    const struct cw_paper_figure *figure = &run->paper->figures[run->figure];
    const struct cw_paper_watcher *watcher = run->setup->watcher;
    int rc = 0;
    for (size_t i = run->told; !rc && i < figure->n_claims; i++) {
        const struct cw_paper_claim *claim = &figure->claims[i];
        struct cw_finding finding = {
            .claim = claim, .figure = claim->figure ? claim->figure : figure->name, .index = run->figure, .ci95 = NAN};
        cw_find(&finding, CW_NOT_COMPUTED, NAN, "%s", why);
        rc = tell_one(run, &finding);
    }
    if (!rc && watcher && watcher->failed) rc = watcher->failed(watcher->context, run->paper, run->figure, why);
    return rc;
}

static void begin_figure(struct cw_paper_run *run, size_t figure)
{
    run->figure = figure;
    run->told = 0;
}

/* Returns RC, what came of the figure under way, or 0 if that stops no other. */
static int end_figure(struct cw_paper_run *run, int rc)
{
    if (!run->setup->goes_on || !cw_error_stops_one(rc)) return rc;
    char *why = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
    rc = why ? tell_failure(run, why) : CW_ENOMEM;
    free(why);
    return rc;
}

/* --- computing a figure ------------------------------------------------------------------------------------------- */

/* Points of one figure, side by side. */
struct batch {
    struct cw_paper_run *run;
    struct cw_point **order;
    pthread_mutex_t beginning;
    size_t begun; /* of all figures; of this one those that began here */
};

static struct cw_point *point_at(struct cw_paper_run *run, size_t index)
{
    return (struct cw_point *)((char *)run->points.items + index * run->points.size);
}

/* Dear ones first, else as they stand. */
static int compare(const void *a, const void *b)
{
    const struct cw_point *one = *(struct cw_point *const *)a, *other = *(struct cw_point *const *)b;
    if (one->cost != other->cost) return one->cost < other->cost ? 1 : -1;
    return one < other ? -1 : one > other;
}

static void announce(const struct cw_paper_run *run, size_t begun, size_t figure)
{
    char label[64];
    snprintf(label, sizeof label, "point %zu of %zu (figure %s)", begun, run->points.n,
             run->paper->figures[figure].name);
    cw_progress_label(run->progress, label);
}

static int compute(const void *context, void *state, size_t index, void *outcome)
{
    struct batch *batch = *(struct batch *const *)context;
    const struct cw_paper_run *run = batch->run;
    struct cw_point *point = memcpy(outcome, batch->order[index], run->points.size);
    (void)state;
    pthread_mutex_lock(&batch->beginning);
    announce(run, ++batch->begun, point->figure);
    pthread_mutex_unlock(&batch->beginning);
    const int rc = run->paper->compute(run, point);
    point->done = !rc;
    return rc;
}

/* In other processes pointers of a point would lead elsewhere: only what was computed is taken over. */
static int side_by_side(struct cw_paper_run *run, size_t first, size_t n)
{
    const size_t size = run->points.size, results = run->paper->results;
    struct batch batch = {.run = run, .begun = first}, *of = &batch;
    const struct cw_trials trials = {.n = n,
                                     .outcome_size = size,
                                     .context = &of,
                                     .run = compute,
                                     .n_threads = run->setup->n_threads,
                                     .progress = run->progress,
                                     .executor = run->setup->executor};
    char *outcomes = cw_new_array(n, size, "results of points");
    batch.order = cw_new_array(n, sizeof *batch.order, "points");
    int rc = outcomes && batch.order ? 0 : CW_ENOMEM;
    for (size_t i = 0; !rc && i < n; i++) batch.order[i] = point_at(run, first + i);
    if (!rc) {
        qsort(batch.order, n, sizeof *batch.order, compare);
        pthread_mutex_init(&batch.beginning, NULL);
        rc = cw_trials_run_into(&trials, outcomes, NULL);
        pthread_mutex_destroy(&batch.beginning);
    }
    for (size_t i = 0; outcomes && batch.order && i < n; i++) {
        const struct cw_point *outcome = (const void *)(outcomes + i * size);
        struct cw_point *point = batch.order[i];
        if (!outcome->done) continue;
        memcpy((char *)point + results, (const char *)outcome + results, size - results);
        point->done = true;
    }
    free(outcomes);
    free(batch.order);
    return rc;
}

static int one_after_another(struct cw_paper_run *run, size_t first, size_t n)
{
    int rc = 0;
    for (size_t i = first; !rc && i < first + n; i++) {
        struct cw_point *point = point_at(run, i);
        announce(run, i + 1, point->figure);
        rc = run->paper->compute(run, point);
        point->done = !rc;
    }
    return rc;
}

/* The CSV of a figure, and its rows of the result: of the points that are done. */
static int write_points(const struct cw_paper_run *run, size_t figure)
{
    const struct cw_paper *paper = run->paper;
    struct cw_table *table;
    int rc = cw_table_new(paper->name, NULL, paper->columns, paper->n_columns, &table);
    if (rc) return rc;
    size_t at = 0;
    for (const void *point; (point = cw_points_next(&run->points, figure, &at));) {
        paper->rows(run, table, point);
        if (run->table) paper->rows(run, run->table, point);
    }
    return cw_paper_csv(run, paper->figures[figure].file, table);
}

/* The N points of a figure from FIRST on. */
static int run_figure(struct cw_paper_run *run, size_t first, size_t n)
{
    const struct cw_paper *paper = run->paper;
    const size_t figure = point_at(run, first)->figure;
    const int failed = paper->shared ? one_after_another(run, first, n) : side_by_side(run, first, n);
    const int rc = write_points(run, figure);
    if (failed || rc) return failed ? failed : rc;
    if (paper->sum) paper->sum(run, figure);
    const int told = cw_paper_tell(run, figure, 0, paper->figures[figure].n_claims, &run->points);
    return told ? told : paper->draw(run, figure);
}

static int run_points(struct cw_paper_run *run)
{
    const struct cw_paper_setup *setup = run->setup;
    if (run->points.n == 0) return 0;
    if (setup->bar)
        run->progress =
            cw_progress_new(stderr, run->paper->name, run->points.n * (setup->trials > 0 ? setup->trials : 1));
    int rc = 0;
    for (size_t first = 0, n; !rc && first < run->points.n; first += n) {
        const size_t figure = point_at(run, first)->figure;
        for (n = 1; first + n < run->points.n && point_at(run, first + n)->figure == figure;) n++;
        begin_figure(run, figure);
        rc = end_figure(run, run_figure(run, first, n));
    }
    cw_progress_free(run->progress);
    return rc;
}

/* --- all figures -------------------------------------------------------------------------------------------------- */

static int choose(const struct cw_paper *paper, const char *name, bool wanted[CW_MAX_FIGURES])
{
    const struct cw_registry registry = {.items = paper->figures,
                                         .size = sizeof *paper->figures,
                                         .near = "--figures: there is no figure '%s' to reproduce, did you mean '%s'",
                                         .none =
                                             "--figures: there is no figure '%s' to reproduce, expected some of %s"};
    const struct cw_paper_figure *found = cw_registry_find(&registry, name);
    if (!found) return cw_registry_unknown(&registry, name);
    while (!found->file) found--;
    wanted[found - paper->figures] = true;
    return 0;
}

int cw_paper_choose(const struct cw_paper *paper, const char *figures, bool wanted[CW_MAX_FIGURES])
{
    memset(wanted, 0, CW_MAX_FIGURES * sizeof *wanted);
    if (strcmp(figures, "all") == 0) {
        for (size_t i = 0; paper->figures[i].name; i++) wanted[i] = paper->figures[i].file != NULL;
        return 0;
    }
    int rc = 0;
    while (!rc && figures) {
        char name[32];
        const size_t length = strcspn(figures, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, figures);
        rc = choose(paper, name, wanted);
        figures = figures[length] ? figures + length + 1 : NULL;
    }
    return rc;
}

const struct cw_paper_option *cw_paper_takes(const struct cw_paper *paper, const char *name)
{
    const struct cw_paper_option *option = paper->takes;
    while (option->name && strcmp(option->name, name) != 0) option++;
    return option->name ? option : NULL;
}

/* Adds the points of the figures that are wanted; those that have none are not any more. */
static int add_points(struct cw_paper_run *run)
{
    int rc = 0;
    run->points.size = run->paper->point_size;
    for (size_t i = 0; !rc && run->paper->figures[i].name; i++) {
        if (!run->wanted[i] || run->paper->figures[i].make) continue;
        const size_t before = run->points.n;
        rc = run->paper->add(run, i);
        run->wanted[i] = run->points.n > before;
    }
    return rc;
}

int cw_paper_table(const struct cw_paper_run *run, const char *name, const char *title, const struct cw_column *columns,
                   size_t n_columns, size_t rows, struct cw_table **out)
{
    const int rc = cw_result_new_table(run->setup->result, name, title, columns, n_columns, out);
    if (!rc) cw_table_expect(*out, rows);
    return rc;
}

static int add_claims(struct cw_paper_run *run)
{
    const struct cw_paper_figure *figures = run->paper->figures;
    size_t n = run->expected_claims;
    for (size_t i = 0; figures[i].name; i++) n += run->wanted[i] ? figures[i].n_claims : 0;
    return cw_paper_table(run, "claims", "What the papers say, and whether it holds", CW_ITEMS(claim_columns), n,
                          &run->claims);
}

/* What takes no time comes first. */
static int run_all(struct cw_paper_run *run)
{
    const struct cw_paper *paper = run->paper;
    int rc = cw_paper_choose(paper, run->setup->figures, run->wanted);
    if (!rc && paper->begin) rc = paper->begin(run);
    if (!rc) rc = add_points(run);
    if (!rc && paper->tables) rc = paper->tables(run);
    if (!rc) rc = add_claims(run);
    for (size_t i = 0; !rc && paper->figures[i].name; i++) {
        if (!run->wanted[i] || !paper->figures[i].make) continue;
        begin_figure(run, i);
        rc = end_figure(run, paper->figures[i].make(run, i));
    }
    if (!rc) rc = run_points(run);
    for (size_t i = 0; !rc && i < paper->n_told; i++) cw_result_note(run->setup->result, "%s", paper->remarks[i]);
    if (!rc)
        cw_result_note(run->setup->result, "Written to %s: %s%s", run->setup->directory, paper->written,
                       run->also ? run->also : "");
    return rc;
}

int cw_paper_run(const struct cw_paper *paper, const struct cw_paper_setup *setup)
{
    struct cw_paper_run run = {.setup = setup, .paper = paper};
    const int rc = run_all(&run);
    if (paper->end) paper->end(&run);
    free(run.points.items);
    cw_text_free(&run.items);
    return rc;
}
