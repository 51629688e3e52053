#include "net/files/node_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/files/ib_scan.h"
#include "net/files/infiniband/ib_blocks.h"

static const char example[] = "a GUID and a name such as 0x0008f10500200b50 \"leaf 1\"";

void cw_node_names_free(struct cw_node_names *names)
{
    if (!names) return;
    free(names->file);
    free(names->items);
    cw_text_free(&names->text);
    free(names);
}

/* The end of the line, or a comment. */
static bool is_end(struct cw_ib_scan scan)
{
    cw_ib_blanks(&scan);
    return cw_ib_end(&scan) || *scan.at == '#';
}

static int read_name(const struct cw_lines *lines, struct cw_ib_scan *scan, struct cw_ib_span *name)
{
    const struct cw_ib_scan before = *scan;
    if (!cw_ib_end(scan) && *scan->at == '"') {
        if (!cw_ib_quoted(scan, false, name)) return cw_ib_expected(lines, &before, "a name with a quote at its end");
        if (!is_end(*scan)) return cw_ib_expected(lines, scan, "'#' or the end of the line behind the name");
    } else {
        while (!cw_ib_end(scan) && *scan->at != '#' && *scan->at != '"') scan->at++;
        if (!is_end(*scan)) return cw_ib_expected(lines, &before, "a name without quotes, or within");
        const char *end = scan->at;
        while (end > before.at && (end[-1] == ' ' || end[-1] == '\t')) end--;
        *name = (struct cw_ib_span){before.at, (size_t)(end - before.at)};
    }
    return name->length > 0 ? 0 : cw_ib_expected(lines, &before, "a name");
}

static int add(struct cw_node_names *names, const struct cw_node_name *name)
{
    void *items = names->items;
    const int rc = cw_grow_array(&items, &names->capacity, names->n + 1, sizeof *name, "the names of nodes");
    if (rc) return rc;
    names->items = items;
    names->items[names->n++] = *name;
    return 0;
}

static int read_line(struct cw_node_names *names, const struct cw_lines *lines)
{
    struct cw_ib_scan scan = {lines->line, lines->line + lines->length};
    struct cw_ib_span name;
    uint64_t guid;
    if (is_end(scan)) return 0;
    cw_ib_blanks(&scan);
    const struct cw_ib_scan before = scan;
    struct cw_ib_scan prefix = scan;
    if (!cw_ib_word(&prefix, "0x") || !cw_ib_hex(&scan, &guid) || guid == 0)
        return cw_ib_expected(lines, &before, example);
    if (!cw_ib_end(&scan) && *scan.at != ' ' && *scan.at != '\t' && *scan.at != '#')
        return cw_ib_expected(lines, &before, example);
    cw_ib_blanks(&scan);
    const int rc = read_name(lines, &scan, &name);
    if (rc) return rc;
    return add(names, &(struct cw_node_name){guid, name.text, name.length, lines->number});
}

static int compare(const void *a, const void *b)
{
    const struct cw_node_name *x = a, *y = b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Sorts, and takes out what is said twice. */
static int order(struct cw_node_names *names)
{
    size_t n = 0;
    if (names->n == 0) return cw_fail_at(names->file, 0, "no name in this file; expected %s", example);
    qsort(names->items, names->n, sizeof *names->items, compare);
    for (size_t i = 0; i < names->n; i++) {
        const struct cw_node_name *item = &names->items[i], *last = n ? &names->items[n - 1] : NULL;
        if (!last || last->guid != item->guid) {
            names->items[n++] = *item;
            continue;
        }
        if (last->length != item->length || memcmp(last->name, item->name, item->length) != 0)
            return cw_fail_at(names->file, item->line, "0x%llx is called \"%.*s\" here, but \"%.*s\" in line %lu",
                              (unsigned long long)item->guid, (int)item->length, item->name, (int)last->length,
                              last->name, last->line);
    }
    names->n = n;
    return 0;
}

/* Takes TEXT, which it frees after an error. */
static int parse(const char *file, struct cw_text *text, struct cw_node_names **out)
{
    struct cw_node_names *names = cw_new_array(1, sizeof *names, "the names of nodes");
    if (!names) {
        cw_text_free(text);
        return CW_ENOMEM;
    }
    names->text = *text;
    names->file = strdup(file);
    int rc = names->file ? 0 : cw_fail(CW_ENOMEM, "out of memory for the name of a file");
    struct cw_lines lines = cw_lines_of(file, names->text.data, names->text.length);
    while (!rc && cw_lines_next(&lines)) rc = read_line(names, &lines);
    if (!rc) rc = order(names);
    if (rc)
        cw_node_names_free(names);
    else
        *out = names;
    return rc;
}

int cw_node_names_parse(const char *file, const char *data, size_t length, struct cw_node_names **out)
{
    struct cw_text text = {0};
    cw_text_append(&text, data, length);
    const int rc = cw_text_check(&text);
    return rc ? rc : parse(file, &text, out);
}

int cw_node_names_read(const char *path, struct cw_node_names **out)
{
    struct cw_text text = {0};
    const int rc = cw_file_read(path, &text);
    return rc ? rc : parse(path, &text, out);
}

static int compare_guid(const void *key, const void *item)
{
    const uint64_t guid = *(const uint64_t *)key, other = ((const struct cw_node_name *)item)->guid;
    return guid < other ? -1 : guid > other;
}

const struct cw_node_name *cw_node_names_find(const struct cw_node_names *names, uint64_t guid)
{
    return bsearch(&guid, names->items, names->n, sizeof *names->items, compare_guid);
}
