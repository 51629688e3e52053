#include "nbc/nbc_fabric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "nbc/nbc_tuning.h"

int cw_nbc_fabric_path(struct cw_text *path)
{
    return cw_nbc_kept_path("fabric", path);
}

void cw_nbc_fabric_free(struct cw_nbc_fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->n; i++) free(fabric->hosts[i]);
    free(fabric->hosts);
    free(fabric->by_name);
    *fabric = (struct cw_nbc_fabric){.n = 0};
}

/* --- trees -------------------------------------------------------------------------------------------------------- */

static int order(const struct cw_nbc_tree_choice *a, const struct cw_nbc_tree_choice *b)
{
    if (a->collective != b->collective) return a->collective < b->collective ? -1 : 1;
    if (a->hosts != b->hosts) return a->hosts < b->hosts ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

int cw_nbc_trees_put(struct cw_nbc_trees *trees, const struct cw_nbc_tree_choice *choice)
{
    uint32_t at = 0;
    while (at < trees->n && order(&trees->items[at], choice) < 0) at++;
    const bool there = at < trees->n && order(&trees->items[at], choice) == 0;
    if (!there && trees->n == CW_NBC_TREES)
        return cw_fail(CW_ELIMIT, "expected %d trees of hosts at most", CW_NBC_TREES);
    if (!there) {
        memmove(&trees->items[at + 1], &trees->items[at], (trees->n - at) * sizeof *choice);
        trees->n++;
    }
    trees->items[at] = *choice;
    return 0;
}

/* NULL: nothing was predicted. */
static const struct cw_nbc_tree_choice *find_tree(const struct cw_nbc_trees *trees, enum cw_collective_kind collective,
                                                  uint32_t hosts, uint64_t bytes)
{
    const struct cw_nbc_tree_choice *found = NULL;
    double nearest = INFINITY;
    for (uint32_t i = 0; i < trees->n; i++) { /* of a number of hosts, sizes rise */
        const struct cw_nbc_tree_choice *choice = &trees->items[i];
        const double ratio = (double)choice->hosts / hosts, apart = ratio < 1 ? 1 / ratio : ratio;
        if (choice->collective != collective || apart > nearest) continue;
        if (apart < nearest) found = NULL; /* in case all its sizes are larger */
        nearest = apart;
        if (choice->bytes <= bytes) found = choice;
    }
    return found;
}

struct cw_nbc_between cw_nbc_trees_choose(const struct cw_nbc_trees *trees, const struct cw_nbc_between *asked,
                                          enum cw_collective_kind collective, bool exact, uint32_t hosts,
                                          uint64_t bytes)
{
    const struct cw_nbc_tree_choice *predicted =
        exact || asked->by_fabric ? find_tree(trees, collective, hosts, bytes) : NULL;
    struct cw_nbc_between chosen = *asked;
    chosen.by_fabric = predicted && predicted->between.by_fabric;
    return predicted && asked->shape == CW_NBC_SHAPE_AUTO ? predicted->between : chosen;
}

/* --- hosts -------------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b, void *hosts)
{
    char *const *names = hosts;
    return strcmp(names[*(const uint32_t *)a], names[*(const uint32_t *)b]);
}

/* Sorts names; each may be there once. */
static int index_names(const char *path, struct cw_nbc_fabric *fabric)
{
    fabric->by_name = cw_new_array(fabric->n, sizeof *fabric->by_name, "hosts");
    if (!fabric->by_name) return CW_ENOMEM;
    for (uint32_t i = 0; i < fabric->n; i++) fabric->by_name[i] = i;
    qsort_r(fabric->by_name, fabric->n, sizeof *fabric->by_name, compare, fabric->hosts);
    for (uint32_t i = 1; i < fabric->n; i++)
        if (strcmp(fabric->hosts[fabric->by_name[i - 1]], fabric->hosts[fabric->by_name[i]]) == 0)
            return cw_fail(CW_EPARSE, "%s: host '%s' is listed twice", path, fabric->hosts[fabric->by_name[i]]);
    return 0;
}

/* The first of the names that are not before the LENGTH bytes at NAME. */
static uint32_t lower_bound(const struct cw_nbc_fabric *fabric, const char *name, size_t length)
{
    uint32_t low = 0, high = fabric->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strncmp(fabric->hosts[fabric->by_name[middle]], name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Names that begin alike follow one another: one that is the same counts more than one that differs in its domain. */
int cw_nbc_fabric_place(const struct cw_nbc_fabric *fabric, const char *name)
{
    const size_t length = strcspn(name, ".");
    int found = -1;
    for (uint32_t i = lower_bound(fabric, name, length); i < fabric->n; i++) {
        const char *host = fabric->hosts[fabric->by_name[i]];
        if (strncmp(host, name, length) != 0) break;
        if (strcmp(host, name) == 0) return (int)fabric->by_name[i];
        if ((host[length] == '\0' || (host[length] == '.' && !name[length])) && found < 0)
            found = (int)fabric->by_name[i];
    }
    return found;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

#define TITLE  "# Predicted by crosswind tree: doc/formats/fabric.md"
#define HEADER "collective,hosts,bytes,order,tree,time"

static const char *const order_words[] = {"ranks", "fabric"};

static bool read_tree(const char *line, struct cw_nbc_tree_choice *choice)
{
    char collective[16], order_word[8], tree[32];
    unsigned long long bytes;
    int end = 0;
    *choice = (struct cw_nbc_tree_choice){.hosts = 0};
    if (sscanf(line, "%15[a-z],%u,%llu,%7[a-z],%31[a-z0-9:-],%lf%n", collective, &choice->hosts, &bytes, order_word,
               tree, &choice->time, &end) != 6 ||
        line[end])
        return false;
    const struct cw_collective_traits *traits = cw_registry_find(&cw_collective_registry, collective);
    if (!traits) return false;
    choice->collective = cw_collective_kind_of(traits);
    choice->bytes = bytes;
    if (choice->hosts < 2 || !(choice->time > 0) || !isfinite(choice->time) ||
        cw_nbc_between_parse("tree", tree, &choice->between) != 0 ||
        !cw_nbc_between_kind(choice->between.shape, choice->collective))
        return false;
    choice->between.by_fabric = strcmp(order_word, order_words[true]) == 0;
    return choice->between.by_fabric || strcmp(order_word, order_words[false]) == 0;
}

static int add_host(const char *name, size_t *capacity, struct cw_nbc_fabric *fabric)
{
    int rc = cw_grow_array((void **)&fabric->hosts, capacity, (size_t)fabric->n + 1, sizeof *fabric->hosts, "hosts");
    if (rc) return rc;
    fabric->hosts[fabric->n] = cw_copy_text(name, strlen(name));
    if (!fabric->hosts[fabric->n]) return CW_ENOMEM;
    fabric->n++;
    return 0;
}

/* Of what it was predicted. */
static bool read_about(const char *line, struct cw_nbc_fabric *fabric)
{
    const struct {
        const char *name;
        char *text; /* of CW_NBC_FABRIC_TEXT bytes */
    } about[] = {{"network", fabric->network}, {"routes", fabric->routes}, {"placement", fabric->placement}};
    for (size_t i = 0; i < sizeof about / sizeof *about; i++) {
        const char *value = cw_nbc_kept_word(line, about[i].name);
        if (!value) continue;
        snprintf(about[i].text, CW_NBC_FABRIC_TEXT, "%s", value);
        return true;
    }
    return false;
}

/* Other than tabs. What has them might not be read as it was written. */
static bool has_control(const char *line)
{
    while (*line && (*line == '\t' || cw_text_control(line) == 0)) line++;
    return *line != '\0';
}

static int read_line(const struct cw_lines *lines, const char *line, size_t *capacity, struct cw_nbc_fabric *fabric)
{
    struct cw_nbc_tree_choice choice;
    const char *host = cw_nbc_kept_word(line, "host");
    if (has_control(line)) return cw_fail_at(lines->file, lines->number, "a control character, expected text");
    if (host && *host) return add_host(host, capacity, fabric);
    if (strcmp(line, HEADER) == 0 || read_about(line, fabric)) return 0;
    if (read_tree(line, &choice)) return cw_nbc_trees_put(&fabric->trees, &choice);
    return cw_fail_at(lines->file, lines->number, "'%s' is not a line of a fabric; expected host NAME or %s", line,
                      HEADER);
}

int cw_nbc_fabric_read(const char *path, struct cw_nbc_fabric *out)
{
    struct cw_text text = {0};
    size_t capacity = 0;
    int rc = cw_file_read(path, &text);
    struct cw_lines lines = cw_lines_of(path, text.data, text.length);
    *out = (struct cw_nbc_fabric){.n = 0};
    while (!rc && cw_lines_next(&lines)) {
        char *line = cw_line_content(&lines);
        rc = !line ? CW_ENOMEM : *line ? read_line(&lines, line, &capacity, out) : 0;
        free(line);
    }
    cw_text_free(&text);
    if (!rc) rc = index_names(path, out);
    if (rc) cw_nbc_fabric_free(out);
    return rc;
}

static void add_tree(const struct cw_nbc_tree_choice *choice, struct cw_text *text)
{
    char tree[CW_NBC_BETWEEN_SIZE];
    cw_text_printf(text, "%s,%u,%llu,%s,%s,%.4g\n", cw_collectives[choice->collective].name, choice->hosts,
                   (unsigned long long)choice->bytes, order_words[choice->between.by_fabric],
                   cw_nbc_between_format(&choice->between, tree), choice->time);
}

static void add_about(const char *name, const char *value, struct cw_text *text)
{
    cw_text_printf(text, "%s ", name);
    cw_text_add_visible(text, value, strlen(value));
    cw_text_add(text, "\n");
}

void cw_nbc_fabric_print(const struct cw_nbc_fabric *fabric, struct cw_text *text)
{
    cw_text_printf(text, "%s\n", TITLE);
    add_about("network", fabric->network, text);
    add_about("routes", fabric->routes, text);
    add_about("placement", fabric->placement, text);
    cw_text_printf(text, "%s\n", HEADER);
    for (uint32_t i = 0; i < fabric->trees.n; i++) add_tree(&fabric->trees.items[i], text);
    for (uint32_t i = 0; i < fabric->n; i++) cw_text_printf(text, "host %s\n", fabric->hosts[i]);
}

int cw_nbc_fabric_write(const char *path, const struct cw_nbc_fabric *fabric)
{
    struct cw_text text = {0};
    cw_nbc_fabric_print(fabric, &text);
    return cw_nbc_kept_write(path, &text);
}
