#include "cli/kept_result.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "cli/compare/stored_figures.h"

/* In stored metadata, the name of the file that they describe. */
#define THIS_FILE "crosswind::this-file"

/* An output beside the result itself: a picture, a page, tables. */
static bool writes_more(const struct invocation *invocation)
{
    for (size_t i = 0; i < invocation->arguments.n; i++) {
        const struct cw_option *option = invocation->arguments.items[i].option;
        if (!option || strcmp(option->name, "output") == 0 || strcmp(option->name, "store") == 0) continue;
        if (option->type == CW_OPTION_OUTPUT || option->type == CW_OPTION_NAMED_OUTPUT) return true;
    }
    return false;
}

/* METADATA of the file PATH go beside it, under its name. */
static int write_metadata(const struct cw_text *metadata, const char *path)
{
    const char *slash = strrchr(path, '/'), *rest = metadata->data;
    struct cw_text beside = {0}, name = {0}, named = {0};
    cw_text_printf(&beside, "%s-metadata.json", path);
    cw_json_add_string(&name, slash ? slash + 1 : path);
    int rc = cw_text_check(&beside);
    if (!rc) rc = cw_text_check(&name);
    for (const char *at; !rc && (at = strstr(rest, THIS_FILE)); rest = at + strlen(THIS_FILE)) {
        cw_text_append(&named, rest, (size_t)(at - rest));
        cw_text_append(&named, name.data + 1, name.length - 2); /* without its quotes */
    }
    cw_text_add(&named, rest);
    if (!rc) rc = cw_text_check(&named);
    if (!rc) rc = cw_file_write_beside(beside.data, &named);
    cw_text_free(&beside);
    cw_text_free(&name);
    cw_text_free(&named);
    return rc;
}

static int write_taken(const struct invocation *invocation, const struct cw_stored_result *result)
{
    const struct cw_text *const forms[] = {&result->text, &result->csv, &result->json}; /* as enum cw_format */
    const struct cw_text *form = forms[invocation->common.format];
    const char *path = invocation->common.output;
    if (!path) return cw_file_append(STDOUT_FILENO, NULL, form);
    const int rc = cw_file_write(path, form);
    return rc || invocation->common.format != CW_FORMAT_CSV ? rc : write_metadata(&result->metadata, path);
}

static int take(struct kept_result *kept, struct invocation *invocation)
{
    struct cw_stored_result result = {0};
    const char *command = cw_result_command(invocation->result);
    int rc = cw_store_find_result(kept->store, command, &result, &kept->taken);
    if (!rc && kept->taken) {
        invocation->failed = result.wrong;
        rc = write_taken(invocation, &result);
        if (!rc && !invocation->common.quiet)
            fprintf(stderr, "%s: note: taken from %s: computed %s, in %.3g s\n", program_name, invocation->common.store,
                    result.finished, result.seconds);
    }
    cw_stored_result_free(&result);
    return rc;
}

int kept_result_begin(struct kept_result *kept, struct invocation *invocation)
{
    const char *path = invocation->common.store;
    *kept = (struct kept_result){.begun = cw_stopwatch_now()};
    if (!path || invocation->verb->stores != STORES_RESULT) return 0;
    if (invocation->ranks)
        return cw_fail(CW_EUSAGE, "--store is for one process; expected crosswind %s", invocation->verb->name);
    int rc = cw_store_open(path, &kept->store);
    if (!rc && !writes_more(invocation)) rc = take(kept, invocation);
    return rc;
}

/* Every form of RESULT, as it would be written to a file. */
static int render(const struct cw_result *result, struct cw_stored_result *out)
{
    int rc = cw_result_write(result, CW_FORMAT_TEXT, 0, &out->text);
    if (!rc) rc = cw_result_write(result, CW_FORMAT_CSV, 0, &out->csv);
    if (!rc) rc = cw_result_write(result, CW_FORMAT_JSON, 0, &out->json);
    return rc ? rc : cw_result_write_metadata(result, THIS_FILE, &out->metadata);
}

void kept_result_end(struct kept_result *kept, struct invocation *invocation, int rc)
{
    if (kept->store && !kept->taken && !rc && cw_result_tables(invocation->result) > 0) {
        struct cw_stored_result result = {.wrong = invocation->failed, .seconds = cw_stopwatch_now() - kept->begun};
        if (render(invocation->result, &result) == 0)
            cw_store_put_result(kept->store, cw_result_command(invocation->result), &result,
                                cw_result_inputs(invocation->result));
        else
            cw_store_give_up(kept->store);
        cw_stored_result_free(&result);
    }
    stored_figures_close(invocation, kept->store);
}
