#include "flow/files/plan_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "flow/plan.h"
#include "flow/quotient.h"
#include "net/network_internal.h"

static void hash_numbers(struct sha256_ctx *hash, const uint32_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[4];
        for (int b = 0; b < 4; b++) bytes[b] = (uint8_t)(numbers[i] >> (8 * b));
        sha256_update(hash, sizeof bytes, bytes);
    }
}

void cw_plan_fingerprint(const struct cw_network *net, char fingerprint[CW_FINGERPRINT_SIZE])
{
    struct sha256_ctx hash;
    sha256_init(&hash);
    hash_numbers(&hash, (const uint32_t[]){net->n_endpoints, net->n_vertices}, 2);
    for (uint32_t c = 0; c < net->n_channels; c++)
        hash_numbers(&hash, (const uint32_t[]){net->tail[c], cw_network_port(net, c), net->head[c]}, 3);
    cw_sha256_end(&hash, fingerprint);
}

const char *cw_plan_relays(const struct cw_flow_problem *problem)
{
    return problem->legs ? "endpoints" : "switches";
}

/* The file is composed here and not by jansson because a tree of all hops would take many times the memory of the plan,
 * and because one path a line is what people can read and compare. */

#define LENGTHS_A_LINE 6
#define CHANGES_A_LINE 4

static void write_faults(const struct cw_channel_changes *faults, struct cw_text *text)
{
    for (size_t i = 0; i < faults->n; i++) {
        const char *separator = i > 0 ? " [" : "              \"changes\": [[";
        cw_json_add_item(text, i % CHANGES_A_LINE == 0 && i > 0 ? "\n                [" : separator,
                         faults->items[i].channel);
        cw_text_add(text, ", ");
        cw_json_add_real(text, faults->items[i].capacity);
        cw_text_add(text, i + 1 < faults->n ? "]," : "]],\n");
    }
}

static void write_network(const struct cw_network *net, const struct cw_channel_changes *faults, struct cw_text *text)
{
    char fingerprint[CW_FINGERPRINT_SIZE];
    cw_plan_fingerprint(net, fingerprint);
    cw_text_add(text, "  \"network\": {");
    if (net->title) {
        cw_text_add(text, "\"title\": ");
        cw_json_add_string(text, net->title);
        cw_text_add(text, ", ");
    }
    cw_text_printf(text, "\"endpoints\": %u, \"switches\": %u, \"cables\": %u,\n", net->n_endpoints,
                   cw_network_switches(net), net->n_channels / 2);
    if (faults) write_faults(faults, text);
    cw_text_printf(text, "              \"fingerprint\": \"%s\"},\n", fingerprint);
}

static void write_head(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                       const struct cw_channel_changes *faults, struct cw_text *text)
{
    cw_text_printf(text, "{\n  \"format\": \"%s\",\n  \"version\": %d,\n", CW_PLAN_FORMAT, CW_PLAN_VERSION);
    write_network(problem->net, faults, text);
    cw_text_add(text, "  \"unit_capacity\": ");
    cw_json_add_real(text, problem->unit_capacity);
    cw_text_add(text, ",\n  \"unit_bytes\": ");
    cw_json_add_unsigned(text, problem->unit_bytes);
    cw_text_add(text, ",\n  \"method\": ");
    cw_json_add_string(text, plan->method);
    cw_text_printf(text, ",\n  \"relays\": \"%s\",\n  \"network_routes\": %s,\n  \"k\": %u,\n  \"z\": ",
                   cw_plan_relays(problem), plan->network_routes ? "true" : "false", plan->k);
    cw_json_add_real(text, plan->z);
    cw_text_add(text, ",\n  \"bound\": ");
    cw_json_add_real(text, plan->proof.n > 0 ? plan->proof.bound : (double)NAN);
    cw_text_add(text, ",\n  \"chunk_bytes\": ");
    cw_json_add_unsigned(text, plan->chunk_bytes);
}

static void write_lengths(const struct cw_proof *proof, struct cw_text *text)
{
    cw_text_add(text, ",\n  \"lengths\": [");
    for (uint32_t i = 0; i < proof->n; i++) {
        const char *separator = i % LENGTHS_A_LINE == 0 ? "\n    [" : " [";
        cw_json_add_item(text, separator, proof->channel[i]);
        cw_text_add(text, ", ");
        cw_json_add_real(text, proof->length[i]);
        cw_text_add(text, i + 1 < proof->n ? "]," : "]");
    }
    cw_text_add(text, "]");
}

static void write_path(const struct cw_network *net, const struct cw_plan *plan, const struct cw_plan_path *path,
                       struct cw_text *text)
{
    const uint32_t *channels = plan->channels + path->first;
    cw_text_add(text, "{\"share\": ");
    cw_json_add_real(text, path->share);
    cw_text_add(text, ", \"bytes\": ");
    cw_json_add_unsigned(text, path->bytes);
    cw_json_add_item(text, ", \"vertices\": [", net->tail[channels[0]]);
    for (uint32_t hop = 0; hop < path->n; hop++) cw_json_add_item(text, ", ", net->head[channels[hop]]);
    cw_text_add(text, "], \"channels\": [");
    for (uint32_t hop = 0; hop < path->n; hop++) cw_json_add_item(text, hop > 0 ? ", " : "", channels[hop]);
    cw_text_add(text, "]}");
}

static void write_demand(const struct cw_network *net, const struct cw_demand *demand, struct cw_text *text)
{
    char name[CW_NAME_SIZE];
    cw_text_printf(text, "    {\"src\": %u, \"src_name\": ", demand->src);
    cw_json_add_string(text, cw_network_name(net, demand->src, name, sizeof name));
    cw_text_printf(text, ", \"dst\": %u, \"dst_name\": ", demand->dst);
    cw_json_add_string(text, cw_network_name(net, demand->dst, name, sizeof name));
    cw_text_add(text, ", \"bytes\": ");
    cw_json_add_unsigned(text, demand->bytes);
    cw_text_add(text, ", \"paths\": [");
}

/* Demand D of the problem, with its paths; *INDEX is the first of them in PLAN, and then that after the last. */
static void write_demand_and_paths(const struct cw_flow_problem *problem, const struct cw_plan *plan, size_t d,
                                   size_t *index, struct cw_text *text)
{
    write_demand(problem->net, &problem->demands->items[d], text);
    for (bool first = true; *index < plan->n_paths && plan->paths[*index].demand == d; ++*index, first = false) {
        cw_text_add(text, first ? "\n      " : ",\n      ");
        write_path(problem->net, plan, &plan->paths[*index], text);
    }
    cw_text_add(text, "]}");
}

static void write_all(const struct cw_flow_problem *problem, const struct cw_plan *plan, struct cw_text *text)
{
    size_t index = 0;
    cw_text_add(text, ",\n  \"demands\": [");
    for (size_t d = 0; d < problem->demands->n; d++) {
        cw_text_add(text, d > 0 ? ",\n" : "\n");
        write_demand_and_paths(problem, plan, d, &index, text);
    }
}

/* --- plans that are the same everywhere --------------------------------------------------------------------------- */

/* Where the paths of each demand begin in a plan that is sorted by demand, [demands + 1], the last is their number. */
static size_t *index_paths(const struct cw_flow_problem *problem, const struct cw_plan *plan)
{
    const size_t n = problem->demands->n;
    size_t *first = cw_new_array(n + 1, sizeof *first, "paths by demand");
    if (!first) return NULL;
    for (size_t i = 0; i < plan->n_paths; i++) first[plan->paths[i].demand + 1] = i + 1;
    for (size_t d = 1; d <= n; d++)
        if (first[d] == 0) first[d] = first[d - 1];
    return first;
}

/* Whether path A is B but for the place where it begins. */
static bool is_same_path(const struct cw_quotient *quotient, const struct cw_plan *plan, const struct cw_plan_path *a,
                         const struct cw_plan_path *b)
{
    bool same = a->n == b->n && a->share == b->share && a->bytes == b->bytes;
    for (uint32_t i = 0; i < a->n && same; i++) {
        uint32_t folded[] = {plan->channels[a->first + i], plan->channels[b->first + i]};
        cw_quotient_fold_path(quotient, folded, 2);
        same = folded[0] == folded[1];
    }
    return same;
}

/* Whether the paths of demands that are alike are, too. OF [demands of the quotient] is one of the whole for each. */
static bool is_rule(const struct cw_quotient *quotient, const struct cw_plan *plan, const size_t *first,
                    const size_t *of)
{
    for (size_t d = 0; d < quotient->whole->demands->n; d++) {
        const size_t by = of[quotient->stands_for[d]], n = first[by + 1] - first[by];
        if (first[d + 1] - first[d] != n) return false;
        for (size_t i = 0; i < n; i++)
            if (!is_same_path(quotient, plan, &plan->paths[first[d] + i], &plan->paths[first[by] + i])) return false;
    }
    return true;
}

static void write_rule(const struct cw_quotient *quotient, const struct cw_plan *plan, const size_t *first,
                       const size_t *of, struct cw_text *text)
{
    cw_text_add(text, ",\n  \"step\": [");
    for (uint32_t d = 0; d < quotient->n_dimensions; d++) cw_json_add_item(text, d > 0 ? ", " : "", quotient->step[d]);
    cw_text_add(text, "],\n  \"demands\": [");
    for (size_t q = 0; q < quotient->demands.n; q++) {
        size_t index = first[of[q]];
        cw_text_add(text, q > 0 ? ",\n" : "\n");
        write_demand_and_paths(quotient->whole, plan, of[q], &index, text);
    }
}

/* Writes the demands as a rule; *WRITTEN: PLAN is one. */
static int try_rule(const struct cw_quotient *quotient, const struct cw_plan *plan, struct cw_text *text, bool *written)
{
    const size_t n = quotient->whole->demands->n;
    size_t *first = index_paths(quotient->whole, plan);
    size_t *of = cw_new_array(quotient->demands.n, sizeof *of, "paths by demand");
    const int rc = first && of ? 0 : CW_ENOMEM;
    if (!rc) {
        for (size_t d = n; d > 0; d--) of[quotient->stands_for[d - 1]] = d - 1;
        *written = is_rule(quotient, plan, first, of);
        if (*written) write_rule(quotient, plan, first, of, text);
    }
    free(first);
    free(of);
    return rc;
}

int cw_plan_write(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                  const struct cw_channel_changes *faults, struct cw_text *text)
{
    int rc = cw_flow_problem_check(problem);
    if (rc) return rc;
    bool is_rule = false;
    write_head(problem, plan, faults, text);
    write_lengths(&plan->proof, text);
    if (plan->n_paths > CW_PLAN_MOST_PATHS) {
        struct cw_quotient quotient;
        rc = cw_quotient_make(problem, &quotient);
        if (!rc && quotient.n > 1) rc = try_rule(&quotient, plan, text, &is_rule);
        cw_quotient_free(&quotient);
    }
    if (!rc && !is_rule) write_all(problem, plan, text);
    cw_text_add(text, "]\n}\n");
    return rc ? rc : cw_text_check(text);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

int cw_plan_value_fail(const struct cw_plan_place *place, const json_t *value, const char *expected)
{
    struct cw_text where = {0};
    if (place->demand != CW_NOWHERE)
        cw_text_printf(&where, "%s[%zu]", place->demands ? place->demands : "demands", place->demand);
    if (place->path != CW_NOWHERE)
        cw_text_printf(&where, ".%s[%zu]", place->paths ? place->paths : "paths", place->path);
    if (place->key) cw_text_printf(&where, "%s%s", where.length > 0 ? "." : "", place->key);
    if (place->index != CW_NOWHERE) cw_text_printf(&where, "[%zu]", place->index);
    int rc = cw_text_check(&where);
    char *found = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    if (!rc && !value)
        rc = cw_fail_at(place->file, 0, "%s is missing, expected %s", where.data, expected);
    else if (!rc)
        rc = cw_fail_at(place->file, 0, "%s is %.72s, expected %s", where.data, found ? found : "?", expected);
    free(found);
    cw_text_free(&where);
    return rc;
}

int cw_plan_value_integer(const struct cw_plan_place *place, const json_t *value, uint32_t min, uint32_t max,
                          uint32_t *out)
{
    if (json_is_integer(value) && json_integer_value(value) >= min && json_integer_value(value) <= max) {
        *out = (uint32_t)json_integer_value(value);
        return 0;
    }
    char expected[64];
    if (min == max)
        snprintf(expected, sizeof expected, "%u", min);
    else
        snprintf(expected, sizeof expected, "a whole number from %u to %u", min, max);
    return cw_plan_value_fail(place, value, expected);
}

int cw_plan_value_bytes(const struct cw_plan_place *place, const json_t *value, uint64_t *out)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *out = (uint64_t)json_integer_value(value);
        return 0;
    }
    const char *text = json_string_value(value); /* NULL if it is no text */
    uint64_t bytes = 0;
    bool good = text && *text;
    for (; good && *text; text++) {
        const unsigned digit = (unsigned)*text - '0';
        good = digit <= 9 && bytes <= (UINT64_MAX - digit) / 10;
        if (good) bytes = 10 * bytes + digit;
    }
    if (!good) return cw_plan_value_fail(place, value, "a number of bytes, 0 to 18446744073709551615");
    *out = bytes;
    return 0;
}

int cw_plan_value_real(const struct cw_plan_place *place, const json_t *value, double if_null, double *out)
{
    const bool nullable = !(if_null == 0), null = nullable && json_is_null(value);
    if (!null && !(json_is_number(value) && json_number_value(value) >= 0))
        return cw_plan_value_fail(place, value, nullable ? "a number, 0 or more, or null" : "a number, 0 or more");
    *out = null ? if_null : json_number_value(value);
    return 0;
}

int cw_plan_value_text(const struct cw_plan_place *place, const json_t *value, const char *expected)
{
    json_t *text = cw_json_string(expected);
    const bool same = text && json_equal(text, value);
    char *quoted = text && !same ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
    json_decref(text);
    if (same) return 0;
    if (!quoted) return cw_fail_memory(strlen(expected), "a text");
    const int rc = cw_plan_value_fail(place, value, quoted);
    free(quoted);
    return rc;
}

int cw_plan_value_keys(const struct cw_plan_place *place, json_t *object, const char *const *known)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object)) return cw_plan_value_fail(place, object, "an object");
    json_object_foreach(object, key, value)
    {
        const char *const *word = known;
        while (*word && strcmp(*word, key) != 0) word++;
        if (*word) continue;
        struct cw_plan_place unknown = *place;
        char name[80];
        snprintf(name, sizeof name, "%s%s%.60s", place->key ? place->key : "", place->key ? "." : "", key);
        unknown.key = name;
        return cw_plan_value_fail(&unknown, value, "no such key");
    }
    return 0;
}
