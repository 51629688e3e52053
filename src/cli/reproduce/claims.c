#include "cli/reproduce/claims.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/reproduce/figures.h"

#define WIDTH 100 /* of NAME-README.txt */

static const struct cw_column columns[] = {
    {"figure", CW_COLUMN_TEXT, NULL, "figure or table of the publication"},
    {"claim", CW_COLUMN_TEXT, NULL, "what it says", .detail = true},
    {"holds", CW_COLUMN_TEXT, NULL, "yes, in part, no, or not tested"},
    {"quantity", CW_COLUMN_TEXT, NULL, "what the value is"},
    {"value", CW_COLUMN_REAL, NULL, "the number that decides it"},
    {"value_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"found", CW_COLUMN_TEXT, NULL, "what is found", .detail = true},
};

int claims_begin(struct claims *claims, size_t expected)
{
    int rc = cw_table_new("claims", "What the papers say, and whether it holds", columns,
                          sizeof columns / sizeof *columns, &claims->table);
    if (!rc) rc = cw_result_add_table(claims->invocation->result, claims->table);
    if (!rc) cw_table_expect(claims->table, expected);
    return rc;
}

static void add_row(struct cw_table *table, const struct cw_finding *finding)
{
    cw_table_text(table, finding->figure);
    cw_table_text(table, finding->claim);
    cw_table_text(table, cw_verdict_names[finding->verdict]);
    if (finding->quantity)
        cw_table_text(table, finding->quantity);
    else
        cw_table_none(table);
    cw_table_real(table, finding->value);
    cw_table_real(table, finding->ci95);
    cw_table_text(table, finding->found);
}

/* Figures have numbers, "13" or "3a"; tables and experiments have names. */
static void add_sentence(struct cw_text *text, const struct cw_finding *finding)
{
    const bool numbered = finding->figure[0] >= '0' && finding->figure[0] <= '9';
    const bool table = strncmp(finding->figure, "table ", 6) == 0;
    cw_text_printf(text, "%s %s, %s. Holds: %s; %s.",
                   numbered ? "Figure"
                   : table  ? "Table"
                            : "Experiment",
                   finding->figure + (table ? strlen("table ") : 0), finding->claim, cw_verdict_names[finding->verdict],
                   finding->found);
}

static void add_item(struct cw_text *text, const char *item)
{
    cw_text_add(text, "- ");
    cw_text_wrap(text, item, 2, 2, WIDTH);
    cw_text_add(text, "\n");
}

static int write_readme(const struct claims *claims)
{
    struct cw_text text = {0}, line = {0}, path = {0};
    cw_text_printf(&line,
                   "%s Simulated again by crosswind %s: crosswind reproduce %s, seed %lld. Each figure: NAME.csv, "
                   "NAME.svg, and NAME.gp, its gnuplot script.",
                   claims->source, cw_version(), claims->name, (long long)claims->invocation->common.seed);
    if (line.data) cw_text_wrap(&text, line.data, 0, 0, WIDTH);
    cw_text_add(&text, "\n\nClaims: what is published, whether it holds, what is found\n\n");
    for (size_t i = 0; i < claims->findings.n; i++) {
        line.length = 0;
        add_sentence(&line, &claims->findings.items[i]);
        if (line.data) add_item(&text, line.data);
    }
    cw_text_add(&text, "\nRemarks\n\n");
    for (const char *const *remark = claims->remarks; *remark; remark++) add_item(&text, *remark);
    cw_text_printf(&path, "%s/%s-README.txt", claims->directory, claims->name);
    int rc = cw_text_check(&path);
    if (!rc) rc = cw_text_check(&line);
    if (!rc) rc = cw_text_check(&text);
    if (!rc) rc = cw_file_write(path.data, &text);
    cw_text_free(&text);
    cw_text_free(&line);
    cw_text_free(&path);
    return rc;
}

int claims_tell(struct claims *claims)
{
    struct cw_text line = {0}, name = {0};
    for (; claims->told < claims->findings.n; claims->told++) {
        const struct cw_finding *finding = &claims->findings.items[claims->told];
        add_row(claims->table, finding);
        line.length = 0;
        add_sentence(&line, finding);
        if (!line.failed) cw_result_note(claims->invocation->result, "%s", line.data);
    }
    cw_text_printf(&name, "%s-claims", claims->name);
    int rc = cw_text_check(&line);
    if (!rc) rc = cw_text_check(&name);
    if (!rc) rc = figure_csv(claims->table, claims->directory, name.data);
    if (!rc) rc = write_readme(claims);
    cw_text_free(&line);
    cw_text_free(&name);
    return rc;
}

void claims_free(struct claims *claims)
{
    cw_findings_free(&claims->findings);
}
