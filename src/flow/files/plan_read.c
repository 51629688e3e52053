#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "flow/files/plan_file.h"
#include "flow/plan.h"
#include "flow/quotient.h"
#include "net/network_internal.h"

struct reader {
    const struct cw_network *net;
    const char *file;
    json_t *root;
    const struct cw_flow_problem *problem; /* NULL while only demands are read */
    const struct cw_demands *expected;     /* those that must be listed; NULL: any */
    uint32_t *channels;                    /* of one path */
    size_t capacity;
    struct cw_plan plan;
};

static struct cw_plan_place place_of(const struct reader *reader, const char *key)
{
    return (struct cw_plan_place){
        .file = reader->file, .demand = CW_NOWHERE, .path = CW_NOWHERE, .key = key, .index = CW_NOWHERE};
}

/* --- the head ----------------------------------------------------------------------------------------------------- */

/* The file must be of this network. Its title is for people. */
static int check_network(const struct reader *reader)
{
    static const char *const known[] = {"title", "endpoints", "switches", "cables", "fingerprint", "changes", NULL};
    const struct {
        const char *where, *key;
        uint32_t count;
    } counts[] = {{"network.endpoints", "endpoints", reader->net->n_endpoints},
                  {"network.switches", "switches", cw_network_switches(reader->net)},
                  {"network.cables", "cables", reader->net->n_channels / 2}};
    json_t *object = json_object_get(reader->root, "network");
    struct cw_plan_place place = place_of(reader, "network");
    char fingerprint[CW_FINGERPRINT_SIZE];
    uint32_t count;
    int rc = cw_plan_value_keys(&place, object, known);
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !rc; i++) {
        place.key = counts[i].where;
        rc = cw_plan_value_integer(&place, json_object_get(object, counts[i].key), counts[i].count, counts[i].count,
                                   &count);
    }
    place.key = "network.fingerprint";
    cw_plan_fingerprint(reader->net, fingerprint);
    return rc ? rc : cw_plan_value_text(&place, json_object_get(object, "fingerprint"), fingerprint);
}

static int check_format(const struct reader *reader)
{
    static const char *const known[] = {
        "format", "version", "network", "unit_capacity", "unit_bytes",  "method", "relays",  "network_routes",
        "k",      "z",       "bound",   "lengths",       "chunk_bytes", "step",   "demands", NULL};
    if (!json_is_object(reader->root))
        return cw_fail_at(reader->file, 1, "no object, expected { \"format\": \"%s\", …", CW_PLAN_FORMAT);
    struct cw_plan_place place = place_of(reader, "format");
    uint32_t version;
    int rc = cw_plan_value_text(&place, json_object_get(reader->root, "format"), CW_PLAN_FORMAT);
    place.key = "version";
    if (!rc)
        rc = cw_plan_value_integer(&place, json_object_get(reader->root, "version"), CW_PLAN_VERSION, CW_PLAN_VERSION,
                                   &version);
    place.key = NULL;
    if (!rc) rc = cw_plan_value_keys(&place, reader->root, known);
    return rc ? rc : check_network(reader);
}

/* Z is measured in these. */
static int check_units(const struct reader *reader)
{
    const struct cw_flow_problem *problem = reader->problem;
    struct cw_plan_place place = place_of(reader, "unit_capacity");
    char expected[64];
    double capacity;
    uint64_t bytes;
    const json_t *value = json_object_get(reader->root, place.key);
    int rc = cw_plan_value_real(&place, value, 0, &capacity);
    snprintf(expected, sizeof expected, "the network's %.17g", problem->unit_capacity);
    if (!rc && capacity != problem->unit_capacity) rc = cw_plan_value_fail(&place, value, expected);
    place.key = "unit_bytes";
    value = json_object_get(reader->root, place.key);
    if (!rc) rc = cw_plan_value_bytes(&place, value, &bytes);
    snprintf(expected, sizeof expected, "the largest demand's %" PRIu64, problem->unit_bytes);
    if (!rc && bytes != problem->unit_bytes) rc = cw_plan_value_fail(&place, value, expected);
    return rc;
}

static int read_method(struct reader *reader)
{
    const struct cw_plan_place place = place_of(reader, "method");
    const json_t *value = json_object_get(reader->root, place.key);
    const size_t length = json_is_string(value) ? json_string_length(value) : 0;
    if (length == 0 || length >= sizeof reader->plan.method)
        return cw_plan_value_fail(&place, value, "a name of 1 to 31 bytes");
    memcpy(reader->plan.method, json_string_value(value), length + 1);
    return 0;
}

/* A plan is of the paths that its problem knows. */
static int check_relays(const struct reader *reader)
{
    const struct cw_plan_place place = place_of(reader, "relays");
    const json_t *value = json_object_get(reader->root, place.key);
    const bool legs = reader->problem->legs;
    if (json_is_string(value) && strcmp(json_string_value(value), cw_plan_relays(reader->problem)) == 0) return 0;
    return cw_plan_value_fail(
        &place, value,
        legs ? "\"endpoints\": plans for this network consist of its routes between endpoints, unless "
               "its switches are said to relay"
             : "\"switches\": every node of this network relays, unless relays are named");
}

static int read_truth(const struct reader *reader, const char *key, bool *out)
{
    const struct cw_plan_place place = place_of(reader, key);
    const json_t *value = json_object_get(reader->root, key);
    if (!json_is_boolean(value)) return cw_plan_value_fail(&place, value, "true or false");
    *out = json_is_true(value);
    return 0;
}

/* A channel and its length. */
static int read_length(const struct cw_plan_place *place, const json_t *pair, struct cw_proof *proof)
{
    const json_t *channel = json_array_get(pair, 0), *length = json_array_get(pair, 1);
    if (json_array_size(pair) != 2 || !json_is_integer(channel) || json_integer_value(channel) < 0 ||
        json_integer_value(channel) >= UINT32_MAX || !json_is_number(length))
        return cw_plan_value_fail(place, pair, "a channel and its length");
    proof->channel[proof->n] = (uint32_t)json_integer_value(channel);
    proof->length[proof->n++] = json_number_value(length);
    return 0;
}

/* Whether they are lengths, and prove the bound, is for cw_proof_verify to say. */
static int read_lengths(struct reader *reader)
{
    struct cw_plan_place place = place_of(reader, "lengths");
    struct cw_proof *proof = &reader->plan.proof;
    const json_t *list = json_object_get(reader->root, place.key);
    const size_t n = json_array_size(list);
    if (!json_is_array(list) || (n == 0) != isnan(proof->bound))
        return cw_plan_value_fail(&place, list,
                                  isnan(proof->bound) ? "an empty list, because there is no bound"
                                                      : "a list of channels and lengths that prove the bound");
    proof->channel = cw_new_array(n, sizeof *proof->channel, "a proof");
    proof->length = cw_new_array(n, sizeof *proof->length, "a proof");
    int rc = proof->channel && proof->length ? 0 : CW_ENOMEM;
    for (place.index = 0; place.index < n && !rc; place.index++)
        rc = read_length(&place, json_array_get(list, place.index), proof);
    return rc;
}

/* What the plan says of itself. */
static int read_head(struct reader *reader)
{
    struct cw_plan *plan = &reader->plan;
    const struct {
        const char *key;
        double if_null, *value;
    } reals[] = {{"z", INFINITY, &plan->z}, {"bound", NAN, &plan->proof.bound}};
    int rc = read_method(reader);
    if (!rc) rc = check_relays(reader);
    if (!rc) rc = read_truth(reader, "network_routes", &plan->network_routes);
    struct cw_plan_place place = place_of(reader, "k");
    if (!rc) rc = cw_plan_value_integer(&place, json_object_get(reader->root, "k"), 0, UINT32_MAX, &plan->k);
    for (size_t i = 0; i < sizeof reals / sizeof *reals && !rc; i++) {
        place.key = reals[i].key;
        rc = cw_plan_value_real(&place, json_object_get(reader->root, place.key), reals[i].if_null, reals[i].value);
    }
    plan->bound = plan->proof.bound;
    if (!rc) rc = read_lengths(reader);
    place.key = "chunk_bytes";
    return rc ? rc : cw_plan_value_bytes(&place, json_object_get(reader->root, place.key), &plan->chunk_bytes);
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

/* The channels of a path and the vertices between which each of them must be: one more. */
struct hops {
    const json_t *channels, *vertices;
};

static int fail_channel(const struct reader *reader, const struct cw_plan_place *place, const struct hops *hops,
                        const uint32_t ends[2])
{
    char name[2][CW_NAME_SIZE], expected[2 * CW_NAME_SIZE + 80];
    for (int i = 0; i < 2; i++) cw_network_name(reader->net, ends[i], name[i], sizeof name[i]);
    snprintf(expected, sizeof expected, "a channel from vertex %u, %s, to %u, %s", ends[0], name[0], ends[1], name[1]);
    return cw_plan_value_fail(place, json_array_get(hops->channels, place->index), expected);
}

/* Hop PLACE->index of a path, from vertex *AT. */
static int read_hop(struct reader *reader, struct cw_plan_place place, const struct hops *hops, uint32_t *at)
{
    const struct cw_network *net = reader->net;
    const size_t hop = place.index;
    uint32_t next, *channel = &reader->channels[hop];
    place.key = "vertices";
    place.index = hop + 1;
    int rc = cw_plan_value_integer(&place, json_array_get(hops->vertices, hop + 1), 0, net->n_vertices - 1, &next);
    place.key = "channels";
    place.index = hop;
    if (!rc) rc = cw_plan_value_integer(&place, json_array_get(hops->channels, hop), 0, net->n_channels - 1, channel);
    if (!rc && (net->tail[*channel] != *at || net->head[*channel] != next))
        rc = fail_channel(reader, &place, hops, (const uint32_t[]){*at, next});
    *at = next;
    return rc;
}

static int read_hops(struct reader *reader, struct cw_plan_place place, const struct hops *hops)
{
    const size_t n = json_array_size(hops->channels);
    uint32_t at;
    place.key = "channels";
    if (n == 0) return cw_plan_value_fail(&place, hops->channels, "a list of one or more channels");
    place.key = "vertices";
    if (json_array_size(hops->vertices) != n + 1)
        return cw_plan_value_fail(&place, hops->vertices, "a list of vertices, one more than there are channels");
    void *channels = reader->channels;
    int rc = cw_grow_array(&channels, &reader->capacity, n, sizeof *reader->channels, "a path");
    reader->channels = channels;
    place.index = 0;
    if (!rc) rc = cw_plan_value_integer(&place, json_array_get(hops->vertices, 0), 0, reader->net->n_vertices - 1, &at);
    for (; place.index < n && !rc; place.index++) rc = read_hop(reader, place, hops, &at);
    return rc;
}

static int read_path(struct reader *reader, struct cw_plan_place place, json_t *object)
{
    static const char *const known[] = {"share", "bytes", "vertices", "channels", NULL};
    const struct hops hops = {json_object_get(object, "channels"), json_object_get(object, "vertices")};
    double share = 0;
    uint64_t bytes = 0;
    int rc = cw_plan_value_keys(&place, object, known);
    place.key = "share";
    if (!rc) rc = cw_plan_value_real(&place, json_object_get(object, "share"), 0, &share);
    place.key = "bytes";
    if (!rc) rc = cw_plan_value_bytes(&place, json_object_get(object, "bytes"), &bytes);
    if (!rc) rc = read_hops(reader, place, &hops);
    if (!rc)
        rc =
            cw_plan_add(&reader->plan, (uint32_t)place.demand, share, reader->channels, json_array_size(hops.channels));
    if (!rc) reader->plan.paths[reader->plan.n_paths - 1].bytes = bytes;
    return rc;
}

/* --- demands ------------------------------------------------------------------------------------------------------ */

/* An end of a demand, by its number and its name. */
static int read_end(const struct reader *reader, struct cw_plan_place place, json_t *object, const char *const keys[2],
                    const uint32_t *expected, uint32_t *out)
{
    const uint32_t min = expected ? *expected : 0, max = expected ? *expected : reader->net->n_endpoints - 1;
    char name[CW_NAME_SIZE];
    place.key = keys[0];
    const int rc = cw_plan_value_integer(&place, json_object_get(object, place.key), min, max, out);
    if (rc) return rc;
    place.key = keys[1];
    return cw_plan_value_text(&place, json_object_get(object, place.key),
                              cw_network_name(reader->net, *out, name, sizeof name));
}

/* Who sends how much to whom. It must be EXPECTED unless that is NULL. */
static int read_demand(const struct reader *reader, struct cw_plan_place place, json_t *object,
                       const struct cw_demand *expected, struct cw_demand *out)
{
    static const char *const known[] = {"src", "src_name", "dst", "dst_name", "bytes", "paths", NULL};
    static const char *const src_keys[] = {"src", "src_name"}, *const dst_keys[] = {"dst", "dst_name"};
    char text[64];
    int rc = cw_plan_value_keys(&place, object, known);
    if (!rc) rc = read_end(reader, place, object, src_keys, expected ? &expected->src : NULL, &out->src);
    if (!rc) rc = read_end(reader, place, object, dst_keys, expected ? &expected->dst : NULL, &out->dst);
    place.key = "dst";
    if (!rc && out->src == out->dst)
        rc = cw_plan_value_fail(&place, json_object_get(object, "dst"), "another endpoint than src");
    place.key = "bytes";
    const json_t *value = json_object_get(object, "bytes");
    if (!rc) rc = cw_plan_value_bytes(&place, value, &out->bytes);
    if (rc || (expected ? out->bytes == expected->bytes : out->bytes > 0)) return rc;
    snprintf(text, sizeof text, "the %" PRIu64 " of this demand", expected ? expected->bytes : 0);
    return cw_plan_value_fail(&place, value, expected ? text : "more than 0");
}

static int read_paths(struct reader *reader, struct cw_plan_place place, json_t *object)
{
    json_t *paths = json_object_get(object, "paths");
    const size_t begin = reader->plan.n_paths;
    place.key = "paths";
    if (json_array_size(paths) == 0) return cw_plan_value_fail(&place, paths, "a list of one or more paths");
    place.key = NULL;
    int rc = 0;
    for (place.path = 0; !rc && place.path < json_array_size(paths); place.path++)
        rc = read_path(reader, place, json_array_get(paths, place.path));
    bool bytes = false;
    for (size_t i = begin; i < reader->plan.n_paths; i++) bytes = bytes || reader->plan.paths[i].bytes > 0;
    if (!rc && !bytes) rc = cw_fail_at(reader->file, 0, "demands[%zu].paths have no bytes", place.demand);
    return rc;
}

/* All demands with their paths, or if DEMANDS is not NULL only demands, which go there. */
static int read_all(struct reader *reader, struct cw_demands *demands)
{
    json_t *list = json_object_get(reader->root, "demands");
    struct cw_plan_place place = place_of(reader, "demands");
    const struct cw_demands *expected = reader->expected;
    const size_t n = json_array_size(list);
    int rc = 0;
    if (n == 0) return cw_plan_value_fail(&place, list, "a list of one or more demands");
    if (expected && n != expected->n)
        return cw_fail_at(reader->file, 0, "demands has %zu items, expected %zu: one for each demand of the problem", n,
                          expected->n);
    place.key = NULL;
    for (place.demand = 0; place.demand < n && !rc; place.demand++) {
        json_t *object = json_array_get(list, place.demand);
        struct cw_demand demand;
        rc = read_demand(reader, place, object, expected ? &expected->items[place.demand] : NULL, &demand);
        if (!rc && demands)
            rc = cw_demands_add(demands, demand.src, demand.dst, demand.bytes);
        else if (!rc)
            rc = read_paths(reader, place, object);
    }
    return rc;
}

/* --- rules -------------------------------------------------------------------------------------------------------- */

/* How far apart the demands are that one stands for, in each dimension of a torus of sizes K: it must be EXPECTED, or
 * if that is NULL divide these. */
static int read_step(const struct reader *reader, const uint32_t *k, uint32_t n_dimensions, const uint32_t *expected,
                     uint32_t *step)
{
    struct cw_plan_place place = place_of(reader, "step");
    const json_t *list = json_object_get(reader->root, place.key);
    int rc = 0;
    if (n_dimensions == 0) return cw_plan_value_fail(&place, list, "no such key: the network is no torus");
    if (json_array_size(list) != n_dimensions)
        return cw_plan_value_fail(&place, list, "a list of numbers, one for each dimension");
    for (uint32_t d = 0; d < n_dimensions && !rc; d++) {
        const json_t *value = json_array_get(list, d);
        place.index = d;
        rc = cw_plan_value_integer(&place, value, expected ? expected[d] : 1, expected ? expected[d] : k[d], &step[d]);
        if (!rc && k[d] % step[d] != 0)
            rc = cw_plan_value_fail(&place, value, "a divisor of the size of its dimension");
    }
    return rc;
}

/* Gives each demand the paths of the one that stands for it. */
static int apply_rule(struct reader *reader, const struct cw_quotient *quotient)
{
    struct cw_plan *rule = &reader->plan, whole;
    const size_t n = quotient->demands.n, n_demands = quotient->whole->demands->n;
    size_t *first = cw_new_array(n + 1, sizeof *first, "paths by demand");
    int rc = first ? cw_plan_without_paths(rule, &whole) : CW_ENOMEM;
    if (rc) {
        free(first);
        return rc;
    }
    for (size_t i = 0; i < rule->n_paths; i++) first[rule->paths[i].demand + 1] = i + 1;
    cw_quotient_fold_path(quotient, rule->channels, (uint32_t)rule->n_channels);
    for (size_t d = 0; d < n_demands && !rc; d++) {
        const uint32_t by = quotient->stands_for[d], src = quotient->whole->demands->items[d].src;
        for (size_t i = first[by]; i < first[by + 1] && !rc; i++) {
            const struct cw_plan_path *path = &rule->paths[i];
            rc = cw_plan_add(&whole, (uint32_t)d, path->share, rule->channels + path->first, path->n);
            if (rc) break;
            whole.paths[whole.n_paths - 1].bytes = path->bytes;
            cw_quotient_unfold_path(quotient, src, whole.channels + whole.n_channels - path->n, path->n);
        }
    }
    if (!rc) cw_plan_take_paths(rule, &whole);
    cw_plan_free(&whole);
    free(first);
    return rc;
}

static int read_rule(struct reader *reader)
{
    const struct cw_plan_place place = place_of(reader, "step");
    struct cw_quotient quotient;
    uint32_t step[CW_TORUS_DIMENSIONS];
    int rc = cw_quotient_make(reader->problem, &quotient);
    if (rc) return rc;
    reader->expected = &quotient.demands;
    if (quotient.n == 1)
        rc = cw_plan_value_fail(&place, json_object_get(reader->root, place.key),
                                "no such key: these demands are not alike on this network");
    if (!rc) rc = read_step(reader, quotient.k, quotient.n_dimensions, quotient.step, step);
    if (!rc) rc = read_all(reader, NULL);
    if (!rc) rc = apply_rule(reader, &quotient);
    cw_quotient_free(&quotient);
    return rc;
}

/* Of a rule DEMANDS are those that are listed. Adds what they stand for, all that lie a number of steps away in each
 * dimension. */
static int repeat_demands(const struct reader *reader, struct cw_demands *demands)
{
    const struct cw_shape *shape = &reader->net->shape;
    const size_t n = demands->n, n_endpoints = reader->net->n_endpoints;
    const uint32_t *k = NULL, n_dimensions = shape->kind && shape->kind->lattice ? shape->kind->lattice(shape, &k) : 0;
    uint32_t step[CW_TORUS_DIMENSIONS];
    size_t cells = 1; /* endpoints whose demands are listed */
    int rc = read_step(reader, k, n_dimensions, NULL, step);
    for (uint32_t d = 0; d < n_dimensions && !rc; d++) cells *= step[d];
    if (!rc && n > cells * (n_endpoints - 1))
        return cw_fail_at(reader->file, 0, "demands has %zu items, expected at most %zu: one for each pair", n,
                          cells * (n_endpoints - 1));
    for (uint32_t node = 1; node < n_endpoints && !rc; node++) {
        bool is_step = true;
        for (uint32_t d = 0, rest = node; d < n_dimensions; rest /= k[d++])
            is_step = is_step && rest % k[d] % step[d] == 0;
        for (size_t i = 0; i < n && is_step && !rc; i++) {
            const struct cw_demand demand = demands->items[i];
            rc = cw_demands_add(demands, cw_lattice_sum(k, n_dimensions, demand.src, node),
                                cw_lattice_sum(k, n_dimensions, demand.dst, node), demand.bytes);
        }
    }
    return rc;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* The JSON of READER's file. */
static int load(struct reader *reader, const char *data, size_t length)
{
    const int rc = cw_json_read(reader->file, data, length, &reader->root);
    return rc ? rc : check_format(reader);
}

/* A file's broken promise, RC, is the file's fault. */
static int blame(const char *file, int rc)
{
    if (rc != CW_EINTERNAL) return rc;
    const char *message = cw_error_message() + strlen(CW_PLAN_BREACH);
    char *breach = cw_copy_text(message, strlen(message));
    if (!breach) return CW_ENOMEM;
    rc = cw_fail_at(file, 0, "%s", breach);
    free(breach);
    return rc;
}

int cw_plan_check_routes(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                         const struct cw_routes *routes, const char *file)
{
    return blame(file, cw_plan_verify_routes(problem, plan, routes));
}

int cw_plan_parse(const struct cw_flow_problem *problem, const char *file, const char *data, size_t length,
                  struct cw_plan *out)
{
    struct reader reader = {.net = problem->net, .problem = problem, .expected = problem->demands, .file = file};
    int rc = load(&reader, data, length);
    if (!rc) rc = check_units(&reader);
    if (!rc) rc = read_head(&reader);
    if (!rc) rc = json_object_get(reader.root, "step") ? read_rule(&reader) : read_all(&reader, NULL);
    json_decref(reader.root);
    if (!rc) rc = blame(file, cw_plan_verify(problem, &reader.plan));
    reader.plan.proof.verified = !rc;
    free(reader.channels);
    if (rc)
        cw_plan_free(&reader.plan);
    else
        *out = reader.plan;
    return rc;
}

/* A change is the number of a channel and its capacity. */
static int read_change(struct cw_plan_place *place, const json_t *pair, struct cw_channel_change *out)
{
    if (!json_is_array(pair) || json_array_size(pair) != 2)
        return cw_plan_value_fail(place, pair, "a list of two: channel and byte/s");
    const int rc = cw_plan_value_integer(place, json_array_get(pair, 0), 0, UINT32_MAX - 1, &out->channel);
    return rc ? rc : cw_plan_value_real(place, json_array_get(pair, 1), 0, &out->capacity);
}

int cw_plan_parse_faults(const char *file, const char *data, size_t length, struct cw_channel_changes *out)
{
    struct reader reader = {.file = file};
    struct cw_plan_place place = place_of(&reader, "network.changes");
    struct cw_channel_changes changes = {.file = file};
    int rc = cw_json_read(file, data, length, &reader.root);
    if (rc) return rc;
    const json_t *list = json_object_get(json_object_get(reader.root, "network"), "changes");
    if (list && !json_is_array(list)) rc = cw_plan_value_fail(&place, list, "a list of changes");
    changes.n = json_array_size(list);
    changes.items = cw_new_array(changes.n, sizeof *changes.items, "changes");
    if (!rc && !changes.items) rc = CW_ENOMEM;
    for (place.index = 0; place.index < changes.n && !rc; place.index++)
        rc = read_change(&place, json_array_get(list, place.index), &changes.items[place.index]);
    json_decref(reader.root);
    if (rc)
        free(changes.items);
    else
        *out = changes;
    return rc;
}

int cw_plan_parse_demands(const struct cw_network *net, const char *file, const char *data, size_t length,
                          struct cw_demands *out)
{
    struct reader reader = {.net = net, .file = file};
    struct cw_demands demands = {0};
    if (net->n_endpoints == 0) return cw_fail(CW_EUSAGE, "a network without endpoints has no plan");
    int rc = load(&reader, data, length);
    if (!rc) rc = read_all(&reader, &demands);
    if (!rc && json_object_get(reader.root, "step")) rc = repeat_demands(&reader, &demands);
    json_decref(reader.root);
    if (rc)
        cw_demands_free(&demands);
    else
        *out = demands;
    return rc;
}
