#include "flow/transport/transport_set.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "net/places.h"

/* One line a set, in the order of help: cw_transport_set_NAME is its descriptor. */
#define SETS(EACH)                                                                                                     \
    EACH(bgq)                                                                                                          \
    EACH(infiniband_host)                                                                                              \
    EACH(nvlink_gpu)                                                                                                   \
    EACH(gpu_host)                                                                                                     \
    EACH(ideal)

#define DECLARE(NAME) extern const struct cw_transport_set cw_transport_set_##NAME;
#define ENTER(NAME)   &cw_transport_set_##NAME,

SETS(DECLARE)

const struct cw_transport_set *const cw_transport_sets[] = {SETS(ENTER) NULL};

const struct cw_registry cw_transport_registry = {
    .items = cw_transport_sets,
    .near = "no transport is called '%s'; did you mean '%s'? (the name of a file has a '.' or a '/')",
    .none = "no transport is called '%s'; expected one of %s, or a file, whose name has a '.' or a '/'"};

#define PARAMETER(MEMBER) .offset = offsetof(struct cw_transport, MEMBER)

static const char *const orders[] = {"local", "forward", "first-come", NULL};

const struct cw_option cw_transport_options[] = {
    {.name = "chunk",
     .type = CW_OPTION_BYTES,
     PARAMETER(chunk_bytes),
     .required = true,
     .min = 1,
     .max = 9e18,
     .help = "bytes move in chunks of this size"},
    {.name = "credits",
     .type = CW_OPTION_INT,
     PARAMETER(credits),
     .required = true,
     .min = 1,
     .max = 1e9,
     .help = "chunks of one path that a relay buffers"},
    {.name = "order",
     .type = CW_OPTION_CHOICE,
     PARAMETER(order),
     .default_text = "local",
     .choices = orders,
     .help = "what a node sends first, its own chunks or those it forwards"},
    {.name = "cut-through",
     .type = CW_OPTION_FLAG,
     PARAMETER(cut_through),
     .help = "relays forward a chunk once its head is there, not all of it"},
    {.name = "chunk-overhead",
     .type = CW_OPTION_TIME,
     PARAMETER(chunk_overhead),
     .max = 1e6,
     .help = "time of the sending channel for each chunk"},
    {.name = "copy",
     .type = CW_OPTION_RATE,
     PARAMETER(copy),
     .max = 1e18,
     .help = "rate at which a relay copies a chunk before it forwards it; 0: no copy"},
    {.name = "node-copy",
     .type = CW_OPTION_RATE,
     PARAMETER(node_copy),
     .max = 1e18,
     .help = "rate at which a relay copies all it forwards, one chunk after another; 0: no limit"},
    {.name = "hop-latency",
     .type = CW_OPTION_TIME,
     PARAMETER(hop_latency),
     .max = 1e6,
     .help = "time until a relay knows of a chunk that has come"},
    {.name = "inside-latency",
     .type = CW_OPTION_TIME,
     PARAMETER(inside_latency),
     .max = 1e6,
     .help = "time until what stays inside a host, by NVLink, is there, beside that of the cables"},
    {.name = "nic-latency",
     .type = CW_OPTION_TIME,
     PARAMETER(nic_latency),
     .max = 1e6,
     .help = "time until what leaves a host by a NIC is there, beside that of the cables"},
    {.name = "list-search",
     .type = CW_OPTION_TIME,
     PARAMETER(list_search),
     .max = 1e6,
     .help = "time of a node for each chunk it handles, times those it handled before: software that searches a list "
             "of all its chunks"},
    {.name = "injection",
     .type = CW_OPTION_RATE,
     PARAMETER(injection),
     .max = 1e18,
     .help = "most that a node can send in all, its own and what it forwards; 0: no limit"},
    {.name = "reception",
     .type = CW_OPTION_RATE,
     PARAMETER(reception),
     .max = 1e18,
     .help = "most that a node can receive in all; 0: no limit"},
    {.name = "efficiency",
     .type = CW_OPTION_REAL,
     PARAMETER(efficiency),
     .required = true,
     .min = 0.001,
     .max = 1,
     .help = "share of a channel's capacity that payload gets"},
    {.name = "inside-efficiency",
     .type = CW_OPTION_REAL,
     PARAMETER(inside_efficiency),
     .max = 1,
     .help = "share that payload gets of NVLink and PCI Express inside hosts; 0: as efficiency"},
    {.name = "whole-messages",
     .type = CW_OPTION_FLAG,
     PARAMETER(messages.whole),
     .help = "without relays, channels carry one message after the other, not chunks of all in turn"},
    {.name = "adaptive",
     .type = CW_OPTION_FLAG,
     PARAMETER(messages.adaptive),
     .help =
         "without relays, the packets of a torus choose their ways: dimensions of one size in any order, the longest "
         "first, unless --routing or --lft says their routes"},
    {.name = "message-rate",
     .type = CW_OPTION_RATE,
     PARAMETER(messages.rate),
     .max = 1e18,
     .help = "adaptive: rate at which a node sends its messages, one after another; 0: no limit"},
    {.name = NULL},
};

const struct cw_transport_set *cw_transport_set_find(const char *name)
{
    return cw_registry_find(&cw_transport_registry, name);
}

const struct cw_transport_set *cw_transport_set_for(const struct cw_flow_problem *problem)
{
    const struct cw_shape_kind *kind = cw_network_regular_shape(problem->net)->kind;
    for (size_t i = 0; cw_transport_sets[i]; i++) {
        const struct cw_transport_set *set = cw_transport_sets[i];
        if (set->made_for && (!set->shape || set->shape == kind) && set->made_for(problem)) return set;
    }
    return &cw_transport_set_ideal;
}

/* Words that mean the usual one, or leave out what is simulated. */
static bool is_no_set(const char *name)
{
    return strcmp(name, "auto") == 0 || strcmp(name, "none") == 0;
}

/* The number of the parameter that the LENGTH characters at NAME are; that of the end if there is none. */
static size_t number_of(const char *name, size_t length)
{
    size_t i = 0;
    for (const char *other; (other = cw_transport_options[i].name); i++)
        if (strlen(other) == length && memcmp(other, name, length) == 0) break;
    return i;
}

static bool is_parameter(const char *name, size_t length)
{
    return cw_transport_options[number_of(name, length)].name;
}

const char *cw_transport_parameters(const char *spec)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    if (is_no_set(name) || cw_transport_set_find(name)) return parameters;
    while (parameters && !is_parameter(parameters, strcspn(parameters, "=,"))) { /* the name of a file may have a ':' */
        parameters = strchr(parameters, ':');
        if (parameters) parameters++;
    }
    return parameters;
}

static int get_set(const char *name, struct cw_transport *out)
{
    const struct cw_transport_set *set = cw_transport_set_find(name);
    if (set) *out = set->transport;
    if (set || is_no_set(name)) return 0;
    if (!strpbrk(name, "./")) return cw_registry_unknown(&cw_transport_registry, name);
    struct cw_text text = {0};
    int rc = cw_file_read(name, &text);
    if (!rc) rc = cw_transport_parse(name, text.data, text.length, out);
    cw_text_free(&text);
    return rc;
}

/* PARAMETERS is cut up. */
static int replace(const char *name, char *parameters, struct cw_transport *out, uint32_t *given)
{
    int rc = 0;
    for (char *value; !rc && (value = strsep(&parameters, ","));) {
        const char *key = strsep(&value, "=");
        rc = cw_options_set(name, cw_transport_options, out, key, value);
        *given |= UINT32_C(1) << number_of(key, strlen(key));
        if (strcmp(key, "chunk") != 0 && strcmp(key, "credits") != 0) out->pieces = 0; /* costs are by the chunk */
    }
    return rc;
}

int cw_transport_get(const char *spec, struct cw_transport *out, uint32_t *given)
{
    struct cw_transport made = *out;
    uint32_t replaced = 0;
    char *copy = cw_copy_text(spec, strlen(spec));
    if (!copy) return CW_ENOMEM;
    const char *begin = cw_transport_parameters(spec);
    char *parameters = begin ? copy + (begin - spec) : NULL;
    if (parameters) parameters[-1] = 0;
    int rc = get_set(copy, &made);
    if (!rc && parameters) rc = replace(copy, parameters, &made, &replaced);
    if (!rc) *out = made;
    if (!rc && given) *given = replaced;
    free(copy);
    return rc;
}

/* Files with a set of parameters of the simulated transport: JSON, version 1, doc/formats/transport.md. */

#define FORMAT "crosswind-transport"

/* Keys that are no parameters. */
static bool is_head(const char *key)
{
    return strcmp(key, "format") == 0 || strcmp(key, "version") == 0 || strcmp(key, "about") == 0;
}

/* Sets the parameter KEY to VALUE, which is written as on the command line; numbers may stand without quotes. */
static int set_parameter(const char *file, const char *key, const json_t *value, struct cw_transport *out)
{
    char number[64];
    const char *text = json_string_value(value);
    if (json_is_boolean(value)) text = json_is_true(value) ? "yes" : "no";
    if (json_is_number(value)) {
        if (json_is_integer(value))
            snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else
            snprintf(number, sizeof number, "%.17g", json_real_value(value));
        text = number;
    }
    if (!text)
        return cw_fail(CW_EPARSE, "%s: %s is not a value; expected a number, true or false, or text such as \"64KiB\"",
                       file, key);
    const int rc = cw_options_set(file, cw_transport_options, out, key, text);
    return rc == CW_EUSAGE ? CW_EPARSE : rc;
}

static int check_head(const char *file, json_t *root)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version");
    if (!format || strcmp(format, FORMAT) != 0)
        return cw_fail(CW_EPARSE, "%s: no transport; expected an object with \"format\": \"%s\"", file, FORMAT);
    if (!json_is_integer(version) || json_integer_value(version) != 1)
        return cw_fail(CW_EPARSE, "%s: the version is not known; expected \"version\": 1", file);
    return 0;
}

static int read_parameters(const char *file, json_t *root, struct cw_transport *out)
{
    const char *key;
    json_t *value;
    int rc = cw_options_init(cw_transport_options, out);
    for (const struct cw_option *option = cw_transport_options; !rc && option->name; option++)
        if (option->required && !json_object_get(root, option->name))
            rc = cw_fail(CW_EPARSE, "%s: %s is missing; expected it: %s", file, option->name, option->help);
    if (rc) return rc;
    json_object_foreach(root, key, value)
    {
        if (!is_head(key)) rc = set_parameter(file, key, value, out);
        if (rc) return rc;
    }
    return 0;
}

int cw_transport_parse(const char *file, const char *data, size_t length, struct cw_transport *out)
{
    struct cw_transport transport = {0};
    json_t *root;
    int rc = cw_json_read(file, data, length, &root);
    if (rc) return rc;
    rc = check_head(file, root);
    if (!rc) rc = read_parameters(file, root, &transport);
    json_decref(root);
    if (!rc) *out = transport;
    return rc;
}

static void write_value(const struct cw_option *option, const void *value, struct cw_text *text)
{
    switch (option->type) {
    case CW_OPTION_FLAG:
        cw_text_add(text, *(const bool *)value ? "true" : "false");
        return;
    case CW_OPTION_CHOICE:
        cw_json_add_string(text, option->choices[*(const int *)value]);
        return;
    case CW_OPTION_INT:
        cw_text_printf(text, "%" PRId64, *(const int64_t *)value);
        return;
    case CW_OPTION_BYTES:
        cw_text_printf(text, "%" PRIu64, *(const uint64_t *)value);
        return;
    default:
        cw_text_printf(text, "%.6g", *(const double *)value);
    }
}

int cw_transport_write(const struct cw_transport *transport, const char *about, struct cw_text *text)
{
    cw_text_printf(text, "{\n  \"format\": \"%s\",\n  \"version\": 1,\n  \"about\": ", FORMAT);
    cw_json_add_string(text, about);
    for (const struct cw_option *option = cw_transport_options; option->name; option++) {
        cw_text_printf(text, ",\n  \"%s\": ", option->name);
        write_value(option, (const char *)transport + option->offset, text);
    }
    cw_text_add(text, "\n}\n");
    return cw_text_check(text);
}
