/* crosswind report: results as one page that a browser shows. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/compare/stored_figures.h"
#include "cli/verb.h"
#include "study/compare/store.h"

static const struct cw_option arguments[] = {
    {.name = "RESULT",
     .type = CW_OPTION_INPUT,
     .required = true,
     .repeats = true,
     .help = "results in JSON, as --format json gives them (\"-\": standard input), or stores; they "
             "stand on the page in this order"},
    {.name = "FILE",
     .type = CW_OPTION_OUTPUT,
     .required = true,
     .help = "where the page goes: a name that ends in .html"},
    {.name = NULL},
};

/* A result must not be lost to a forgotten name: FILE is the last argument, whatever it is. */
static int check_name(const char *file)
{
    if (cw_page_is_name(file)) return 0;
    return cw_fail(CW_EUSAGE, "the last argument, '%s', does not end in .html; expected the page's name", file);
}

/* What the store FILE has, as crosswind results gives it, and by case. */
static int read_store(const char *file, struct cw_text *json)
{
    struct cw_result *result;
    struct cw_text command = {0};
    cw_text_add(&command, "crosswind results");
    program_add_word(&command, file);
    int rc = cw_text_check(&command);
    if (!rc) rc = cw_result_new(&result);
    if (rc) {
        cw_text_free(&command);
        return rc;
    }
    cw_result_set_command(result, command.data, 1); /* the seed that results has if nobody says one: it draws nothing */
    rc = stored_figures_by_case(result, file);
    if (!rc) rc = cw_result_write(result, CW_FORMAT_JSON, 0, json);
    cw_result_free(result);
    cw_text_free(&command);
    return rc;
}

static int add_document(struct cw_text *page, const char *file, const char *json, size_t length)
{
    const int rc = cw_page_check_document(file, json, length);
    if (!rc) cw_page_add(page, file, &(struct cw_page_more){0}, json, length);
    return rc ? rc : cw_text_check(page);
}

/* A result of a store, under the command that gave it. */
static int add_result(void *page, const struct cw_stored_row *row)
{
    return add_document(page, row->command, row->json, strlen(row->json));
}

/* The results of the store FILE behind what else is in it. */
static int add_results(struct cw_text *page, const char *file)
{
    struct cw_store *store = NULL;
    int rc = cw_store_open_to_read(file, &store);
    if (!rc) rc = cw_store_each_result(store, add_result, page);
    cw_store_close(store);
    return rc;
}

static int add_file(struct cw_text *page, const char *file)
{
    struct cw_text json = {0};
    const bool is_store = cw_store_is_database(file);
    int rc = is_store ? read_store(file, &json) : cw_file_read(file, &json);
    if (!rc) rc = add_document(page, file, json.data, json.length);
    cw_text_free(&json);
    return !rc && is_store ? add_results(page, file) : rc;
}

static int run(struct invocation *invocation)
{
    const size_t n = invocation->n_positional - 1;
    const char *file = invocation->positional[n];
    struct cw_text page = {0};
    int rc = check_name(file);
    if (!rc) rc = cw_page_begin(&page);
    for (size_t i = 0; i < n && !rc; i++) rc = add_file(&page, invocation->positional[i]);
    if (!rc) rc = cw_file_write(file, &page);
    cw_text_free(&page);
    return rc;
}

const struct verb verb_report = {
    .name = "report",
    .help = "Results as one page with charts, which a browser shows",
    .arguments = arguments,
    .description =
        "Makes a page of results that verbs have written with --format json: the sentences, charts with values under "
        "the pointer, tables that sort and filter, and where each result is from. Of a store (--store of other verbs) "
        "it shows all figures, case by case, and all results. The page is one file, and needs no "
        "network. --html of other verbs makes such a page of their own result.",
    .examples = "  crosswind noise fabric.ibnetdiscover --ratio 0.1..0.9 --output noise.json\n"
                "  crosswind ebb fabric.ibnetdiscover --output ebb.json\n"
                "  crosswind report noise.json ebb.json fabric.html\n"
                "  crosswind report engines.db engines.html\n",
    .run = run,
};
