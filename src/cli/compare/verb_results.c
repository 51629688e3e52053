/* crosswind results: the figures that a store of studies has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/verb.h"
#include "report/rows.h"
#include "study/compare/store.h"

static const struct cw_option arguments[] = {
    {.name = "FILE.db", .type = CW_OPTION_INPUT, .required = true, .help = "the store of crosswind study --store"},
    {.name = "COLUMN=VALUE",
     .type = CW_OPTION_TEXT,
     .repeats = true,
     .help =
         "only rows that have this value in this column (network, routing, endpoints, failed, degraded, seed, trials, "
         "measure, cut_off or version), and so for each condition; no value: rows where it is missing"},
    {.name = NULL},
};

static const struct cw_column columns[] = {
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

/* The rows that all N CONDITIONS hold for. */
static int list(struct cw_store *store, const char *const *conditions, size_t n, struct cw_table *table)
{
    char **names = cw_new_array(n, sizeof *names, "conditions");
    const char **values = cw_new_array(n, sizeof *values, "conditions");
    int rc = names && values ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < n && !rc; i++) rc = split(conditions[i], &names[i], &values[i]);
    if (!rc) rc = cw_store_each(store, (const char *const *)names, values, n, add_row, table);
    for (size_t i = 0; names && i < n; i++) free(names[i]);
    free(names);
    free(values);
    return rc;
}

static int run(struct invocation *invocation)
{
    struct cw_store *store = NULL;
    struct cw_table *table;
    int rc = cw_store_open_to_read(invocation->positional[0], &store);
    if (!rc)
        rc = cw_result_new_table(invocation->result, "figures", "Figures that are stored", CW_ITEMS(columns), &table);
    if (!rc) rc = list(store, invocation->positional + 1, invocation->n_positional - 1, table);
    if (!rc) cw_result_note(invocation->result, "%zu figure%s.", cw_table_rows(table), cw_plural(cw_table_rows(table)));
    cw_store_close(store);
    return rc;
}

const struct verb verb_results = {
    .name = "results",
    .help = "The figures that studies have stored",
    .arguments = arguments,
    .description =
        "Lists the figures of a store, which crosswind study --store makes: of what case, which measure, its "
        "value with its interval, when it was there and how long it took. Conditions choose among them.",
    .examples = "  crosswind results engines.db routing=updn measure=ebb\n"
                "  crosswind results engines.db --format csv --output engines.csv\n",
    .computes = true,
    .run = run,
};
