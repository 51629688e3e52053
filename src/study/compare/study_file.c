#include "study/compare/study_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "route/engine.h"
#include "study/compare/measures.h"

#define LEAVE_OUT "leave out"

/* What a key takes. */
struct key {
    const char *name;
    bool several;                       /* a list */
    bool nothing;                       /* "" is a value, too */
    const struct cw_registry *elements; /* a text may hold several, separated by commas as that registry says */
    int64_t min, max;                   /* of whole numbers; both 0: texts */
};

static const struct key keys[CW_STUDY_KEYS] = {
    [CW_STUDY_NETWORK] = {.name = "network", .several = true},
    [CW_STUDY_LFT] = {.name = "lft", .several = true},
    [CW_STUDY_ROUTING] = {.name = "routing", .several = true, .elements = &cw_engine_registry},
    [CW_STUDY_ENDPOINTS] = {.name = "endpoints", .several = true},
    [CW_STUDY_FAILED] = {.name = "failed", .several = true, .nothing = true},
    [CW_STUDY_DEGRADED] = {.name = "degraded", .several = true, .nothing = true},
    [CW_STUDY_SEED] = {.name = "seed", .several = true, .min = 0, .max = 9000000000000000000},
    [CW_STUDY_TRIALS] = {.name = "trials", .several = true, .min = 1, .max = 1000000},
    [CW_STUDY_TITLE] = {.name = "title"},
    [CW_STUDY_INPUT_FORMAT] = {.name = "input-format"},
    [CW_STUDY_NODE_NAMES] = {.name = "node-name-map"},
    [CW_STUDY_NODES] = {.name = "nodes"},
    [CW_STUDY_REPAIR] = {.name = "repair"},
    [CW_STUDY_MEASURES] = {.name = "measure", .several = true, .elements = &cw_measure_registry},
};

static const char memory[] = "a study";

/* A document that is being read. */
struct reading {
    yaml_document_t document;
    struct cw_study *study;
};

/* --- values ------------------------------------------------------------------------------------------------------- */

static void free_values(struct cw_study_values *values)
{
    for (size_t i = 0; i < values->n; i++) free(values->items[i].text);
    free(values->items);
}

/* The value TEXT of VALUES, or NULL. */
static const struct cw_study_value *find_value(const struct cw_study_values *values, const char *text)
{
    for (size_t i = 0; i < values->n; i++)
        if (strcmp(values->items[i].text, text) == 0) return &values->items[i];
    return NULL;
}

static int append_value(struct cw_study_values *values, const char *text, size_t length, unsigned long line)
{
    const int rc =
        cw_grow_array((void **)&values->items, &values->capacity, values->n + 1, sizeof *values->items, memory);
    char *copy = rc ? NULL : cw_copy_text(text, length);
    if (!copy) return CW_ENOMEM;
    values->items[values->n++] = (struct cw_study_value){.text = copy, .line = line};
    return 0;
}

/* NUMBER of KEY as results print it. */
static int read_number(const char *file, unsigned long line, const struct key *key, const char *text, char number[32])
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno || value < key->min || value > key->max)
        return cw_fail_at(file, line, "%s: '%s' is no whole number from %lld to %lld", key->name, text,
                          (long long)key->min, (long long)key->max);
    snprintf(number, 32, "%lld", value);
    return 0;
}

/* Adds one value, LENGTH bytes at TEXT, which has been taken out of its list. */
static int add_value(const char *file, unsigned long line, enum cw_study_key which, const char *text, size_t length,
                     struct cw_study_values *values)
{
    const struct key *key = &keys[which];
    char number[32], *copy = cw_copy_text(text, length);
    int rc = copy ? 0 : CW_ENOMEM;
    if (!rc && length == 0 && !key->nothing) rc = cw_fail_at(file, line, "%s: a value is missing", key->name);
    if (!rc && strcmp(copy, "-") == 0)
        rc = cw_fail_at(file, line, "%s: standard input can be read but once; expected a file", key->name);
    if (!rc && key->max > 0) rc = read_number(file, line, key, copy, number);
    const char *value = !rc && key->max > 0 ? number : copy;
    if (!rc && find_value(values, value)) rc = cw_fail_at(file, line, "%s: '%s' is there twice", key->name, value);
    if (!rc) rc = append_value(values, value, strlen(value), line);
    free(copy);
    return rc;
}

/* Adds what TEXT holds. */
static int add_values(const char *file, unsigned long line, enum cw_study_key which, const struct cw_text *text,
                      struct cw_study_values *values)
{
    const char *left = text->data ? text->data : "", *c = left;
    while (*c && !cw_text_control(c)) c++;
    if (c < left + text->length)
        return cw_fail_at(file, line, "%s: a value has a control character or the end of a line in it",
                          keys[which].name);
    if (!keys[which].elements) return add_value(file, line, which, left, strlen(left), values);
    for (;;) {
        const size_t length = cw_registry_element(keys[which].elements, left);
        const int rc = add_value(file, line, which, left, length, values);
        if (rc || left[length] == 0) return rc;
        left += length + 1;
    }
}

/* --- nodes -------------------------------------------------------------------------------------------------------- */

static unsigned long line_of(const yaml_node_t *node)
{
    return (unsigned long)node->start_mark.line + 1;
}

static const char *scalar(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* A scalar without quotes, which a comma ends. */
static bool is_plain(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

/* Parentheses of TEXT that are open. */
static int open_parentheses(const struct cw_text *text)
{
    int open = 0;
    for (const char *c = text->data; c && *c; c++) open += (*c == '(') - (*c == ')');
    return open;
}

/* Appends the scalar of NODE. Without quotes, nothing is no value. */
static int add_scalar(const struct reading *reading, const yaml_node_t *node, enum cw_study_key which,
                      struct cw_text *text)
{
    const char *file = reading->study->file, *value = scalar(node);
    if (!value) return cw_fail_at(file, line_of(node), "%s: expected a text or a number", keys[which].name);
    if (*value == 0 && is_plain(node))
        return cw_fail_at(file, line_of(node), "%s: a value is missing%s", keys[which].name,
                          keys[which].nothing ? "; \"\" is nothing" : "");
    cw_text_append(text, value, node->data.scalar.length);
    return 0;
}

/* Whether the item AT of LIST follows the one before it after a comma and nothing else. */
static bool follows(struct reading *reading, const yaml_node_t *list, const yaml_node_item_t *at)
{
    if (at <= list->data.sequence.items.start || at >= list->data.sequence.items.top) return false;
    const yaml_node_t *before = yaml_document_get_node(&reading->document, at[-1]);
    const yaml_node_t *item = yaml_document_get_node(&reading->document, *at);
    return is_plain(before) && is_plain(item) && before->end_mark.index + 1 == item->start_mark.index;
}

/* Reads the item at *AT of the list NODE, and those after it that a comma within parentheses has parted from it. */
static int read_item(struct reading *reading, const yaml_node_t *node, yaml_node_item_t **at, enum cw_study_key which,
                     struct cw_study_values *values)
{
    const bool flow = node->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE;
    const yaml_node_t *item = yaml_document_get_node(&reading->document, **at);
    const unsigned long line = line_of(item);
    const size_t begun = values->n;
    bool parted = follows(reading, node, *at);
    struct cw_text text = {0};
    int rc = add_scalar(reading, item, which, &text);
    ++*at;
    while (!rc && flow && is_plain(item) && open_parentheses(&text) > 0 && *at < node->data.sequence.items.top) {
        item = yaml_document_get_node(&reading->document, **at);
        cw_text_add(&text, ",");
        rc = add_scalar(reading, item, which, &text);
        ++*at;
    }
    parted |= follows(reading, node, *at);
    if (!rc) rc = cw_text_check(&text);
    if (!rc) rc = add_values(reading->study->file, line, which, &text, values);
    for (size_t i = begun; i < values->n; i++) values->items[i].parted = parted;
    cw_text_free(&text);
    return rc;
}

/* Reads NODE, a value or a list of them. */
static int read_values(struct reading *reading, const yaml_node_t *node, enum cw_study_key which, bool several,
                       struct cw_study_values *values)
{
    const char *file = reading->study->file;
    struct cw_text text = {0};
    int rc = 0;
    if (node->type == YAML_SEQUENCE_NODE) {
        if (!several) return cw_fail_at(file, line_of(node), "%s: expected one value, not a list", keys[which].name);
        if (node->data.sequence.items.start == node->data.sequence.items.top)
            return cw_fail_at(file, line_of(node), "%s: the list is empty", keys[which].name);
        for (yaml_node_item_t *at = node->data.sequence.items.start; !rc && at < node->data.sequence.items.top;)
            rc = read_item(reading, node, &at, which, values);
        return rc;
    }
    rc = add_scalar(reading, node, which, &text);
    if (!rc) rc = cw_text_check(&text);
    if (!rc) rc = add_values(file, line_of(node), which, &text, values);
    cw_text_free(&text);
    return rc;
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* NAME is none of the first N keys, nor LEAVE_OUT if ALL can be. */
static int fail_unknown(const char *file, unsigned long line, const char *name, size_t n, bool all)
{
    struct cw_text known = {0};
    struct cw_guess guess = cw_guess_of(name);
    for (size_t i = 0; i < n; i++) {
        cw_guess_try(&guess, keys[i].name);
        cw_text_printf(&known, "%s%s", i > 0 ? ", " : "", keys[i].name);
    }
    if (all) {
        cw_guess_try(&guess, LEAVE_OUT);
        cw_text_add(&known, ", " LEAVE_OUT);
    }
    int rc = cw_text_check(&known);
    if (!rc && guess.nearest)
        rc = cw_fail_at(file, line, "no key is called '%s'; did you mean '%s'?", name, guess.nearest);
    else if (!rc)
        rc = cw_fail_at(file, line, "no key is called '%s'; expected one of %s", name, known.data);
    cw_text_free(&known);
    return rc;
}

/* The key among the first N that NODE names; N if it is none. */
static size_t find_key(const yaml_node_t *node, size_t n)
{
    size_t i = 0;
    while (i < n && (!scalar(node) || strcmp(scalar(node), keys[i].name) != 0)) i++;
    return i;
}

static int fail_key(const struct reading *reading, const yaml_node_t *node, size_t n, bool all)
{
    if (scalar(node)) return fail_unknown(reading->study->file, line_of(node), scalar(node), n, all);
    return cw_fail_at(reading->study->file, line_of(node), "expected a key, such as \"network: torus:8x8\"");
}

/* A value of a rule that no case has would leave out nothing, which nobody means. */
static int check_rule(const struct reading *reading, enum cw_study_key axis, const struct cw_study_values *values)
{
    const struct cw_study_values *has = &reading->study->keys[axis];
    for (size_t i = 0; i < values->n; i++) {
        struct cw_guess guess = cw_guess_of(values->items[i].text);
        if (find_value(has, values->items[i].text)) continue;
        for (size_t j = 0; j < has->n; j++) cw_guess_try(&guess, has->items[j].text);
        return cw_fail_at(reading->study->file, values->items[i].line,
                          guess.nearest ? LEAVE_OUT ": no case has %s '%s'; did you mean '%s'?"
                                        : LEAVE_OUT ": no case has %s '%s'",
                          keys[axis].name, values->items[i].text, guess.nearest);
    }
    return 0;
}

static int read_rule(struct reading *reading, const yaml_node_t *node)
{
    struct cw_study *study = reading->study;
    if (node->type != YAML_MAPPING_NODE || node->data.mapping.pairs.start == node->data.mapping.pairs.top)
        return cw_fail_at(study->file, line_of(node),
                          LEAVE_OUT ": expected what the cases have, such as \"- {network: torus:8x8, routing: dor}\"");
    int rc = cw_grow_array((void **)&study->rules, &study->capacity, study->n_rules + 1, sizeof *study->rules, memory);
    if (rc) return rc;
    struct cw_study_rule *rule = &study->rules[study->n_rules++];
    *rule = (struct cw_study_rule){0};
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; !rc && pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(&reading->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&reading->document, pair->value);
        const size_t axis = find_key(name, CW_STUDY_AXES);
        if (axis == CW_STUDY_AXES) return fail_key(reading, name, CW_STUDY_AXES, false);
        if (rule->axes[axis].n > 0)
            return cw_fail_at(study->file, line_of(name), LEAVE_OUT ": %s is there twice", keys[axis].name);
        rc = read_values(reading, value, (enum cw_study_key)axis, true, &rule->axes[axis]);
        if (!rc) rc = check_rule(reading, (enum cw_study_key)axis, &rule->axes[axis]);
    }
    return rc;
}

static int read_rules(struct reading *reading, const yaml_node_t *node)
{
    int rc = 0;
    if (node->type != YAML_SEQUENCE_NODE) return read_rule(reading, node);
    for (yaml_node_item_t *at = node->data.sequence.items.start; !rc && at < node->data.sequence.items.top; at++)
        rc = read_rule(reading, yaml_document_get_node(&reading->document, *at));
    return rc;
}

/* Reads all keys but LEAVE_OUT, whose node goes to *RULES. */
static int read_keys(struct reading *reading, const yaml_node_t *root, const yaml_node_t **rules)
{
    struct cw_study *study = reading->study;
    int rc = 0;
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start; !rc && pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(&reading->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&reading->document, pair->value);
        const bool leaves = scalar(name) && strcmp(scalar(name), LEAVE_OUT) == 0;
        const size_t key = find_key(name, CW_STUDY_KEYS);
        if (!leaves && key == CW_STUDY_KEYS) return fail_key(reading, name, CW_STUDY_KEYS, true);
        if (leaves ? *rules != NULL : study->keys[key].n > 0)
            return cw_fail_at(study->file, line_of(name), "%s is there twice", scalar(name));
        if (leaves)
            *rules = value;
        else
            rc = read_values(reading, value, (enum cw_study_key)key, keys[key].several, &study->keys[key]);
    }
    return rc;
}

static int read_root(struct reading *reading)
{
    struct cw_study *study = reading->study;
    static const enum cw_study_key required[] = {CW_STUDY_NETWORK, CW_STUDY_MEASURES};
    const yaml_node_t *rules = NULL, *root = yaml_document_get_root_node(&reading->document);
    if (!root || root->type != YAML_MAPPING_NODE)
        return cw_fail_at(study->file, root ? line_of(root) : 0,
                          "this is no study; expected keys, such as \"network: torus:8x8\"");
    int rc = read_keys(reading, root, &rules);
    for (size_t i = 0; !rc && i < sizeof required / sizeof *required; i++)
        if (study->keys[required[i]].n == 0) rc = cw_fail_at(study->file, 0, "%s is missing", keys[required[i]].name);
    if (!rc && study->keys[CW_STUDY_REPAIR].n > 0 && study->keys[CW_STUDY_LFT].n == 0)
        rc = cw_fail_at(study->file, study->keys[CW_STUDY_REPAIR].items->line,
                        "repair is for the fabric's own tables, lft, which are missing");
    if (!rc && rules) rc = read_rules(reading, rules);
    return rc;
}

/* --- documents ---------------------------------------------------------------------------------------------------- */

static int fail_yaml(const char *file, const yaml_parser_t *parser, const char *data, size_t length)
{
    unsigned long line = (unsigned long)parser->problem_mark.line + 1;
    if (parser->error == YAML_MEMORY_ERROR) return cw_fail_memory(length, file);
    if (parser->error == YAML_READER_ERROR) {
        line = 1;
        for (size_t i = 0; i < length && i < parser->problem_offset; i++) line += data[i] == '\n';
    }
    return cw_fail_at(file, line, "this is no YAML: %s", parser->problem ? parser->problem : "expected a document");
}

/* Nothing may follow the document. */
static int check_end(const char *file, yaml_parser_t *parser, const char *data, size_t length)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next)) return fail_yaml(file, parser, data, length);
    const yaml_node_t *root = yaml_document_get_root_node(&next);
    const int rc = root ? cw_fail_at(file, line_of(root), "expected one document, this is a second") : 0;
    yaml_document_delete(&next);
    return rc;
}

static int parse(const char *data, size_t length, struct cw_study *study)
{
    yaml_parser_t parser;
    struct reading reading = {.study = study};
    if (!yaml_parser_initialize(&parser)) return cw_fail_memory(sizeof parser, study->file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)data, length);
    int rc = yaml_parser_load(&parser, &reading.document) ? 0 : fail_yaml(study->file, &parser, data, length);
    if (!rc) {
        rc = read_root(&reading);
        yaml_document_delete(&reading.document);
        if (!rc) rc = check_end(study->file, &parser, data, length);
    }
    yaml_parser_delete(&parser);
    return rc;
}

int cw_study_parse(const char *file, const char *data, size_t length, struct cw_study *out)
{
    struct cw_study study = {.file = cw_copy_text(file, strlen(file))};
    const int rc = study.file ? parse(data, length, &study) : CW_ENOMEM;
    if (rc)
        cw_study_free(&study);
    else
        *out = study;
    return rc;
}

int cw_study_read(const char *path, struct cw_study *out)
{
    struct cw_text text = {0};
    int rc = cw_file_read(path, &text);
    if (!rc)
        rc = cw_study_parse(strcmp(path, "-") == 0 ? "standard input" : path, text.data ? text.data : "", text.length,
                            out);
    cw_text_free(&text);
    return rc;
}

void cw_study_free(struct cw_study *study)
{
    for (size_t i = 0; i < CW_STUDY_KEYS; i++) free_values(&study->keys[i]);
    for (size_t i = 0; i < study->n_rules; i++)
        for (size_t axis = 0; axis < CW_STUDY_AXES; axis++) free_values(&study->rules[i].axes[axis]);
    free(study->rules);
    free(study->file);
    *study = (struct cw_study){0};
}

/* --- what is in it ------------------------------------------------------------------------------------------------ */

const char *cw_study_key_name(enum cw_study_key key)
{
    return keys[key].name;
}

const char *cw_study_single(const struct cw_study *study, enum cw_study_key key)
{
    return study->keys[key].n > 0 ? study->keys[key].items->text : NULL;
}

int cw_study_default(struct cw_study *study, enum cw_study_key key, const char *text)
{
    return study->keys[key].n > 0 ? 0 : append_value(&study->keys[key], text, strlen(text), 0);
}

/* How many values AXIS varies over. Tables and engines are one axis, that of tables. */
static size_t extent(const struct cw_study *study, size_t axis)
{
    const size_t n = axis == CW_STUDY_ROUTING ? 0
                     : axis == CW_STUDY_LFT   ? study->keys[axis].n + study->keys[CW_STUDY_ROUTING].n
                                              : study->keys[axis].n;
    return n > 0 ? n : 1;
}

static struct cw_study_case case_of(const struct cw_study *study, size_t number)
{
    struct cw_study_case out = {.network = 0};
    for (size_t axis = CW_STUDY_AXES; axis-- > 0;) {
        const size_t n = extent(study, axis), at = number % n, tables = study->keys[CW_STUDY_LFT].n;
        number /= n;
        if (axis == CW_STUDY_NETWORK) out.network = at;
        if (axis == CW_STUDY_LFT && at >= tables && study->keys[CW_STUDY_ROUTING].n > 0)
            out.of[CW_STUDY_ROUTING] = study->keys[CW_STUDY_ROUTING].items[at - tables].text;
        else if (axis != CW_STUDY_ROUTING && study->keys[axis].n > 0)
            out.of[axis] = study->keys[axis].items[at].text;
    }
    return out;
}

static bool matches(const struct cw_study_rule *rule, const struct cw_study_case *is)
{
    for (size_t axis = 0; axis < CW_STUDY_AXES; axis++)
        if (rule->axes[axis].n > 0 && !(is->of[axis] && find_value(&rule->axes[axis], is->of[axis]))) return false;
    return true;
}

static bool is_left_out(const struct cw_study *study, const struct cw_study_case *is)
{
    for (size_t i = 0; i < study->n_rules; i++)
        if (matches(&study->rules[i], is)) return true;
    return false;
}

int cw_study_cases(const struct cw_study *study, struct cw_study_case **out, size_t *n)
{
    size_t all = 1, kept = 0;
    for (size_t axis = 0; axis < CW_STUDY_AXES; axis++) {
        if (extent(study, axis) > CW_STUDY_MOST_CASES / all)
            return cw_fail(CW_ELIMIT, "%s: there are more than %d combinations, too many for one study", study->file,
                           CW_STUDY_MOST_CASES);
        all *= extent(study, axis);
    }
    struct cw_study_case *cases = cw_new_array(all, sizeof *cases, "cases of a study");
    if (!cases) return CW_ENOMEM;
    for (size_t i = 0; i < all; i++) {
        cases[kept] = case_of(study, i);
        kept += !is_left_out(study, &cases[kept]);
    }
    if (kept == 0) {
        free(cases);
        return cw_fail_at(study->file, 0, LEAVE_OUT ": no case remains");
    }
    *out = cases;
    *n = kept;
    return 0;
}
