#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_build.h"
#include "flow/plan.h"
#include "flow/plan_file.h"

/* The file is composed here and not by jansson because a tree of all hops would take many times the memory of the plan,
 * and because one path a line is what people can read and compare. */

#define LENGTHS_A_LINE 6

/* VALUE with as few digits as give the same number when read; null where JSON has no number for it. */
static void write_real(struct cw_text *text, double value)
{
    char number[32];
    if (!isfinite(value)) {
        cw_text_add(text, "null");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value) break;
    }
    cw_text_add(text, number);
}

static void write_string(struct cw_text *text, const char *string)
{
    json_t *value = cw_json_string(string);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    if (quoted)
        cw_text_add(text, quoted);
    else
        text->failed = true;
    free(quoted);
}

/* As cw_json_unsigned: what JSON readers cannot hold as a number is a text of its digits. */
static void write_bytes(struct cw_text *text, uint64_t bytes)
{
    cw_text_printf(text, bytes <= INT64_MAX ? "%" PRIu64 : "\"%" PRIu64 "\"", bytes);
}

static void write_network(const struct cw_network *net, struct cw_text *text)
{
    char fingerprint[CW_FINGERPRINT_SIZE];
    cw_plan_fingerprint(net, fingerprint);
    cw_text_add(text, "  \"network\": {");
    if (net->title) {
        cw_text_add(text, "\"title\": ");
        write_string(text, net->title);
        cw_text_add(text, ", ");
    }
    cw_text_printf(text,
                   "\"endpoints\": %u, \"switches\": %u, \"cables\": %u,\n              \"fingerprint\": \"%s\"},\n",
                   net->n_endpoints, cw_network_switches(net), net->n_channels / 2, fingerprint);
}

static void write_head(const struct cw_flow_problem *problem, const struct cw_plan *plan, struct cw_text *text)
{
    cw_text_printf(text, "{\n  \"format\": \"%s\",\n  \"version\": %d,\n", CW_PLAN_FORMAT, CW_PLAN_VERSION);
    write_network(problem->net, text);
    cw_text_add(text, "  \"unit_capacity\": ");
    write_real(text, problem->unit_capacity);
    cw_text_add(text, ",\n  \"unit_bytes\": ");
    write_bytes(text, problem->unit_bytes);
    cw_text_add(text, ",\n  \"method\": ");
    write_string(text, plan->method);
    cw_text_printf(text,
                   ",\n  \"network_routes\": %s,\n  \"k\": %u,\n  \"z\": ", plan->network_routes ? "true" : "false",
                   plan->k);
    write_real(text, plan->z);
    cw_text_add(text, ",\n  \"bound\": ");
    write_real(text, plan->proof.n > 0 ? plan->proof.bound : (double)NAN);
    cw_text_add(text, ",\n  \"chunk_bytes\": ");
    write_bytes(text, plan->chunk_bytes);
}

/* As cw_text_printf with "%s%u", which is too slow for hundreds of megabytes of numbers. */
static void write_item(struct cw_text *text, const char *before, uint32_t number)
{
    char digits[10];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    cw_text_add(text, before);
    cw_text_append(text, digits + at, sizeof digits - at);
}

static void write_lengths(const struct cw_proof *proof, struct cw_text *text)
{
    cw_text_add(text, ",\n  \"lengths\": [");
    for (uint32_t i = 0; i < proof->n; i++) {
        const char *separator = i % LENGTHS_A_LINE == 0 ? "\n    [" : " [";
        write_item(text, separator, proof->channel[i]);
        cw_text_add(text, ", ");
        write_real(text, proof->length[i]);
        cw_text_add(text, i + 1 < proof->n ? "]," : "]");
    }
    cw_text_add(text, "]");
}

static void write_path(const struct cw_network *net, const struct cw_plan *plan, const struct cw_plan_path *path,
                       struct cw_text *text)
{
    const uint32_t *channels = plan->channels + path->first;
    cw_text_add(text, "{\"share\": ");
    write_real(text, path->share);
    cw_text_add(text, ", \"bytes\": ");
    write_bytes(text, path->bytes);
    write_item(text, ", \"vertices\": [", net->tail[channels[0]]);
    for (uint32_t hop = 0; hop < path->n; hop++) write_item(text, ", ", net->head[channels[hop]]);
    cw_text_add(text, "], \"channels\": [");
    for (uint32_t hop = 0; hop < path->n; hop++) write_item(text, hop > 0 ? ", " : "", channels[hop]);
    cw_text_add(text, "]}");
}

static void write_demand(const struct cw_network *net, const struct cw_demand *demand, struct cw_text *text)
{
    char name[CW_NAME_SIZE];
    cw_text_printf(text, "    {\"src\": %u, \"src_name\": ", demand->src);
    write_string(text, cw_network_name(net, demand->src, name, sizeof name));
    cw_text_printf(text, ", \"dst\": %u, \"dst_name\": ", demand->dst);
    write_string(text, cw_network_name(net, demand->dst, name, sizeof name));
    cw_text_add(text, ", \"bytes\": ");
    write_bytes(text, demand->bytes);
    cw_text_add(text, ", \"paths\": [");
}

int cw_plan_write(const struct cw_flow_problem *problem, const struct cw_plan *plan, struct cw_text *text)
{
    const int rc = cw_flow_problem_check(problem);
    if (rc) return rc;
    size_t index = 0;
    write_head(problem, plan, text);
    write_lengths(&plan->proof, text);
    cw_text_add(text, ",\n  \"demands\": [");
    for (size_t d = 0; d < problem->demands->n; d++) {
        cw_text_add(text, d > 0 ? ",\n" : "\n");
        write_demand(problem->net, &problem->demands->items[d], text);
        for (bool first = true; index < plan->n_paths && plan->paths[index].demand == d; index++, first = false) {
            cw_text_add(text, first ? "\n      " : ",\n      ");
            write_path(problem->net, plan, &plan->paths[index], text);
        }
        cw_text_add(text, "]}");
    }
    cw_text_add(text, "]\n}\n");
    return cw_text_check(text);
}
