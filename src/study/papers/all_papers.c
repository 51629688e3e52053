/* All publications in one run: what is claimed, whether it holds, and the pictures beside it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/rows.h"
#include "study/papers/paper.h"

#define QUICK_TRIALS 100
#define TRIALS       1000

static const char *const sizes[] = {[CW_SIZES_QUICK] = "quick", [CW_SIZES_SMALL] = "small", [CW_SIZES_ALL] = "all"};

/* A claim, or a picture, of a figure. */
struct item {
    const struct cw_paper *paper;
    size_t figure;
    struct cw_finding finding;
    char *picture; /* its file; NULL: the item is a claim */
};

struct all {
    const struct cw_paper_setup *setup;
    struct cw_table *claims, *pictures;
    struct item *items;
    size_t n, capacity, failures;
};

/* --- what is found ------------------------------------------------------------------------------------------------ */

static const struct cw_column claim_columns[] = {
    {"experiment", CW_COLUMN_TEXT, NULL, "as crosswind reproduce calls it"},
    {"figure", CW_COLUMN_TEXT, NULL, "figure or table of the publication"},
    {"holds", CW_COLUMN_TEXT, NULL, "yes, corrected, in part, no, not tested, or failed"},
    {"claim", CW_COLUMN_TEXT, NULL, "what the publication says"},
    {"correction", CW_COLUMN_TEXT, NULL, "of a mistake in the publication, without which it does not hold",
     .detail = true},
    {"quantity", CW_COLUMN_TEXT, NULL, "what the value is", .detail = true},
    {"value", CW_COLUMN_REAL, NULL, "the number that decides it", .detail = true},
    {"value_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .detail = true,
     .interval = true},
    {"found", CW_COLUMN_TEXT, NULL, "what is found", .detail = true},
};

static const struct cw_column picture_columns[] = {
    {"experiment", CW_COLUMN_TEXT, NULL, "as crosswind reproduce calls it"},
    {"figure", CW_COLUMN_TEXT, NULL, "that chooses it with --figures"},
    {"picture", CW_COLUMN_TEXT, NULL, "its file in --directory; its script and its CSV are beside it"},
};

static struct item *add_item(struct all *all, const struct cw_paper *paper, size_t figure)
{
    if (cw_grow_array((void **)&all->items, &all->capacity, all->n + 1, sizeof *all->items, "claims")) return NULL;
    all->items[all->n] = (struct item){.paper = paper, .figure = figure};
    return &all->items[all->n++];
}

static int found(void *context, const struct cw_paper *paper, const struct cw_finding *finding)
{
    struct all *all = context;
    struct item *item = add_item(all, paper, finding->index);
    if (!item) return CW_ENOMEM;
    item->finding = *finding;
    cw_table_row(all->claims, "%s %s %s %s", paper->name, finding->figure, cw_verdict_names[finding->verdict],
                 finding->claim->text);
    cw_table_text(all->claims, finding->correction);
    cw_table_text(all->claims, finding->quantity);
    cw_table_row(all->claims, "%g %g %s", finding->value, finding->ci95, finding->found);
    return 0;
}

/* PATH without the folder of all. */
static const char *path_in(const struct all *all, const char *path)
{
    return path + strlen(all->setup->directory) + 1;
}

static int drawn(void *context, const struct cw_paper *paper, size_t figure, const char *path)
{
    struct all *all = context;
    struct item *item = add_item(all, paper, figure);
    if (item) item->picture = cw_copy_text(path, strlen(path));
    if (!item || !item->picture) return CW_ENOMEM;
    cw_table_row(all->pictures, "%s %s %s", paper->name, paper->figures[figure].name, path_in(all, path));
    return 0;
}

static int failed(void *context, const struct cw_paper *paper, size_t figure, const char *why)
{
    struct all *all = context;
    all->failures++;
    cw_result_note(all->setup->result, "%s, figure %s has failed: %s.", paper->name, paper->figures[figure].name, why);
    return 0;
}

/* --- one of them -------------------------------------------------------------------------------------------------- */

/* The command that gives PAPER alone again, in the metadata of its files. */
static int set_command(const struct cw_paper *paper, const struct cw_paper_setup *setup)
{
    struct cw_text command = {0};
    cw_text_printf(&command, "crosswind reproduce %s", paper->name);
    if (cw_paper_takes(paper, "sizes")) cw_text_printf(&command, " --sizes %s", sizes[setup->sizes]);
    if (setup->trials > 0) cw_text_printf(&command, " --trials %zu", setup->trials);
    if (setup->runs) cw_text_printf(&command, " --runs %s", setup->runs);
    const int rc = cw_text_check(&command);
    if (!rc) cw_result_set_command(setup->result, command.data, setup->seed);
    if (!rc) cw_result_set_context_number(setup->result, CW_CONTEXT_SEED, setup->seed);
    cw_text_free(&command);
    return rc;
}

static size_t trials_for(const struct cw_paper *paper, const struct cw_paper_setup *setup)
{
    if (!cw_paper_takes(paper, "trials")) return 0;
    return setup->trials > 0 ? setup->trials : setup->sizes == CW_SIZES_QUICK ? QUICK_TRIALS : TRIALS;
}

/* *IS: whether the file PATH of measured runs is one of those that PAPER takes. */
static int is_run_of(const struct cw_paper *paper, const char *path, bool *is)
{
    struct cw_text text = {0};
    const int rc = cw_file_read(path, &text);
    *is = !rc && paper->runs_begin && strncmp(text.data, paper->runs_begin, strlen(paper->runs_begin)) == 0;
    cw_text_free(&text);
    return rc;
}

/* Files that are runs of one of PAPERS. */
struct choice {
    const struct cw_paper *const *papers;
    struct cw_text *out; /* gets their names; NULL: all must be such runs */
};

/* CW_EUSAGE for a file that is none where all must be. */
static int choose(void *context, const char *path)
{
    const struct choice *choice = context;
    bool is = false;
    int rc = 0;
    for (size_t i = 0; !rc && !is && choice->papers[i]; i++) rc = is_run_of(choice->papers[i], path, &is);
    if (is && choice->out) cw_text_printf(choice->out, "%s%s", choice->out->length > 0 ? "," : "", path);
    if (!rc && !is && !choice->out)
        rc = cw_fail(CW_EUSAGE, "%s: expected what crosswind-mpi bench noise --save or overlap --save has written",
                     path);
    return rc || !choice->out ? rc : cw_text_check(choice->out);
}

static int run_in(struct all *all, const struct cw_paper *paper, const char *directory)
{
    const struct cw_paper_watcher watcher = {all, found, drawn, failed};
    struct cw_paper_setup setup = *all->setup;
    const struct cw_paper *const only[] = {paper, NULL};
    struct cw_text runs = {0};
    struct cw_result *own;
    int rc = cw_paper_folder(directory);
    if (!rc) rc = cw_list_each(setup.runs, choose, &(struct choice){only, &runs});
    if (!rc) rc = cw_result_new(&own);
    if (rc) {
        cw_text_free(&runs);
        return rc;
    }
    setup.directory = directory;
    setup.figures = "all";
    setup.trials = trials_for(paper, all->setup);
    setup.emulate = setup.emulate && cw_paper_takes(paper, "emulate");
    setup.runs = runs.data;
    setup.result = own;
    setup.goes_on = true;
    setup.watcher = &watcher;
    const struct cw_paper_option *measured = cw_paper_takes(paper, "runs");
    if (measured && !setup.runs)
        cw_result_note(all->setup->result, "%s: --runs FILE draws what you have measured (figure%s %s).", paper->name,
                       strchr(measured->figures, ',') ? "s" : "", measured->figures);
    rc = set_command(paper, &setup);
    if (!rc) rc = cw_paper_run(paper, &setup);
    cw_result_free(own);
    cw_text_free(&runs);
    return rc;
}

/* Returns an error only if it ends all. */
static int run_one(struct all *all, const struct cw_paper *paper)
{
    struct cw_text directory = {0};
    cw_text_printf(&directory, "%s/%s", all->setup->directory, paper->name);
    int rc = cw_text_check(&directory);
    if (!rc) rc = run_in(all, paper, directory.data);
    cw_text_free(&directory);
    if (!cw_error_stops_one(rc)) return rc;
    all->failures++;
    cw_result_note(all->setup->result, "%s has failed: %s.", paper->name, cw_error_message());
    return 0;
}

/* --- what it comes to --------------------------------------------------------------------------------------------- */

static bool holds(const struct cw_finding *finding)
{
    return finding->verdict == CW_HOLDS || finding->verdict == CW_HOLDS_CORRECTED;
}

/* How many claims hold, and why others do not. */
static void note_claims(const struct all *all)
{
    static const char *const words[] = {"hold",
                                        "hold once a mistake of the publication is put right",
                                        "hold in part",
                                        "do not hold",
                                        "could not be tested",
                                        "have failed"};
    size_t counts[sizeof words / sizeof *words] = {0}, n = 0;
    struct cw_text text = {0};
    for (size_t i = 0; i < all->n; i++) {
        if (all->items[i].picture) continue;
        counts[all->items[i].finding.verdict]++;
        n++;
    }
    cw_text_printf(&text, "%zu claim%s", n, cw_plural(n));
    const char *before = ": ";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (counts[i] == 0) continue;
        cw_text_printf(&text, "%s%zu %s", before, counts[i], words[i]);
        before = ", ";
    }
    cw_text_add(&text, ".");
    cw_result_note_text(all->setup->result, &text);
    for (size_t i = 0; i < all->n; i++) {
        if (all->items[i].picture || holds(&all->items[i].finding)) continue;
        text = (struct cw_text){0};
        cw_text_printf(&text, "%s. ", all->items[i].paper->name);
        cw_finding_say(&all->items[i].finding, &text);
        cw_result_note_text(all->setup->result, &text);
    }
}

static void note_limits(const struct all *all)
{
    struct cw_result *result = all->setup->result;
    if (all->setup->sizes == CW_SIZES_QUICK)
        cw_result_note(result, "With --sizes quick dragonflies and tori are tiny: that shows how it works, not what is "
                               "true of the machines of the papers.");
    cw_result_note(result, "Figures 12 and 14 of noise show networks only.");
    cw_result_note(result,
                   "Written to %s: for each experiment a folder with its pictures, their scripts, CSV files and "
                   "remarks.",
                   all->setup->directory);
}

/* --- for a page --------------------------------------------------------------------------------------------------- */

/* A picture that cannot be read is left out: its file was there a moment ago. */
static json_t *picture_of(const struct all *all, const struct item *item)
{
    struct cw_text svg = {0};
    json_t *picture = json_object();
    struct cw_inputs *inputs = cw_inputs_record(NULL); /* it is no input */
    const int rc = cw_file_read(item->picture, &svg);
    cw_inputs_record(inputs);
    cw_json_set(&picture, "name", cw_json_string(path_in(all, item->picture)));
    cw_json_set(&picture, "svg", rc ? json_null() : cw_json_string(svg.data));
    cw_text_free(&svg);
    return picture;
}

static json_t *claim_of(const struct item *item)
{
    const struct cw_finding *finding = &item->finding;
    json_t *claim = json_object();
    cw_json_set(&claim, "figure", cw_json_string(finding->figure));
    cw_json_set(&claim, "claim", cw_json_string(finding->claim->text));
    cw_json_set(&claim, "holds", cw_json_string(cw_verdict_names[finding->verdict]));
    cw_json_set(&claim, "correction", cw_json_string(finding->correction));
    cw_json_set(&claim, "found", cw_json_string(finding->found));
    return claim;
}

static const char *title_of(const struct cw_paper_figure *figure, struct cw_text *name)
{
    if (figure->title) return figure->title;
    const bool table = figure->n_claims > 0 && figure->claims[0].figure && strncmp(figure->name, "table", 5) == 0;
    cw_paper_name_figure(table ? figure->claims[0].figure : figure->name, name);
    return name->data;
}

/* What there is of FIGURE, if there is ANY. */
static json_t *figure_of(const struct all *all, const struct cw_paper *paper, size_t figure, bool *any)
{
    struct cw_text name = {0};
    json_t *made = json_object(), *claims = json_array(), *pictures = json_array();
    *any = false;
    for (size_t i = 0; i < all->n; i++) {
        const struct item *item = &all->items[i];
        if (item->paper != paper || item->figure != figure) continue;
        *any = true;
        if (item->picture)
            cw_json_append(&pictures, picture_of(all, item));
        else
            cw_json_append(&claims, claim_of(item));
    }
    cw_json_set(&made, "title", cw_json_string(title_of(&paper->figures[figure], &name)));
    cw_json_set(&made, "claims", claims);
    cw_json_set(&made, "pictures", pictures);
    cw_text_free(&name);
    return made;
}

static json_t *experiment_of(const struct all *all, const struct cw_paper *paper)
{
    json_t *experiment = json_object(), *figures = json_array();
    for (size_t i = 0; paper->figures[i].name; i++) {
        bool any;
        json_t *figure = figure_of(all, paper, i, &any);
        if (any)
            cw_json_append(&figures, figure);
        else
            json_decref(figure);
    }
    cw_json_set(&experiment, "name", cw_json_string(paper->name));
    cw_json_set(&experiment, "source", cw_json_string(paper->source));
    cw_json_set(&experiment, "figures", figures);
    return experiment;
}

static int make_page(const struct all *all, const struct cw_paper *const *papers, struct cw_text *page)
{
    json_t *experiments = json_array();
    for (; *papers; papers++) cw_json_append(&experiments, experiment_of(all, *papers));
    return cw_json_write(experiments, page);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int run_papers(struct all *all, const struct cw_paper *const *papers)
{
    struct cw_result *result = all->setup->result;
    int rc = cw_result_new_table(result, "claims", "What the papers say, and whether it holds", CW_ITEMS(claim_columns),
                                 &all->claims);
    if (!rc) rc = cw_result_new_detail(result, "pictures", NULL, CW_ITEMS(picture_columns), &all->pictures);
    if (!rc) cw_table_cut_text(all->pictures, 0);
    for (; !rc && *papers; papers++) rc = run_one(all, *papers);
    return rc;
}

int cw_papers_run(const struct cw_paper *const *papers, const struct cw_paper_setup *setup, struct cw_text *page,
                  bool *whole)
{
    struct all all = {.setup = setup};
    int rc = cw_list_each(setup->runs, choose, &(struct choice){papers, NULL});
    if (!rc) rc = run_papers(&all, papers);
    if (!rc || rc == CW_EINTERRUPTED) {
        note_claims(&all);
        note_limits(&all);
        if (page && make_page(&all, papers, page)) rc = CW_ENOMEM;
    }
    *whole = all.failures == 0;
    for (size_t i = 0; i < all.n; i++) free(all.items[i].picture);
    free(all.items);
    return rc;
}
