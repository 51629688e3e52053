#include "flow/files/plan_file.h"

#include <math.h>
#include <sha2.h>

#include "base/json.h"
#include "flow/plan.h"
#include "net/network_internal.h"

static void hash_numbers(SHA2_CTX *hash, const uint32_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[4];
        for (int b = 0; b < 4; b++) bytes[b] = (uint8_t)(numbers[i] >> (8 * b));
        SHA256Update(hash, bytes, sizeof bytes);
    }
}

void cw_plan_fingerprint(const struct cw_network *net, char fingerprint[CW_FINGERPRINT_SIZE])
{
    SHA2_CTX hash;
    SHA256Init(&hash);
    hash_numbers(&hash, (const uint32_t[]){net->n_endpoints, net->n_vertices}, 2);
    for (uint32_t c = 0; c < net->n_channels; c++)
        hash_numbers(&hash, (const uint32_t[]){net->tail[c], cw_network_port(net, c), net->head[c]}, 3);
    SHA256End(&hash, fingerprint);
}

const char *cw_plan_relays(const struct cw_flow_problem *problem)
{
    return problem->legs ? "endpoints" : "switches";
}

/* The file is composed here and not by jansson because a tree of all hops would take many times the memory of the plan,
 * and because one path a line is what people can read and compare. */

#define LENGTHS_A_LINE 6

static void write_network(const struct cw_network *net, struct cw_text *text)
{
    char fingerprint[CW_FINGERPRINT_SIZE];
    cw_plan_fingerprint(net, fingerprint);
    cw_text_add(text, "  \"network\": {");
    if (net->title) {
        cw_text_add(text, "\"title\": ");
        cw_json_add_string(text, net->title);
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
