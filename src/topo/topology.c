#include "topo/topology.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "base/units.h"
#include "net/builder.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "topo/recognise.h"

/* The registry, in the order of help; NAME stands for the descriptor cw_topology_NAME. */
#define TOPOLOGIES(EACH)                                                                                               \
    EACH(xgft)                                                                                                         \
    EACH(torus)                                                                                                        \
    EACH(mesh)                                                                                                         \
    EACH(hypercube)                                                                                                    \
    EACH(bgq)                                                                                                          \
    EACH(dragonfly)                                                                                                    \
    EACH(crossbar)                                                                                                     \
    EACH(hyperx)                                                                                                       \
    EACH(slimfly)                                                                                                      \
    EACH(megafly)                                                                                                      \
    EACH(jellyfish)                                                                                                    \
    EACH(rail)                                                                                                         \
    EACH(nvl72)

#define DECLARE(NAME) extern const struct cw_topology cw_topology_##NAME;
#define ENTER(NAME)   &cw_topology_##NAME,

TOPOLOGIES(DECLARE)

static const struct cw_topology *topologies[CW_REGISTRY_ROOM] = {TOPOLOGIES(ENTER)};
const struct cw_topology *const *const cw_topologies = topologies;

#define LETTERS "abcdefghijklmnopqrstuvwxyz"

static const char *lacks(const void *item)
{
    const struct cw_topology *topology = item;
    const size_t letters = strspn(topology->name, LETTERS);
    if (letters == 0 || topology->name[letters + strspn(topology->name + letters, "0123456789")] != 0)
        return "a name of letters, or of letters and then digits";
    if (!topology->help || !topology->synopsis) return "a help or a synopsis";
    if (!topology->examples || !topology->examples[0]) return "an example";
    return topology->build ? NULL : "a function build";
}

const struct cw_registry cw_topology_registry = {.items = topologies,
                                                 .near = "no topology is called '%s'; did you mean '%s'?",
                                                 .none = "no topology is called '%s'; there are %s",
                                                 .room = CW_REGISTRY_ROOM,
                                                 .item_size = sizeof(struct cw_topology),
                                                 .kind = "topology",
                                                 .lacks = lacks};

#define NAME_SIZE 64 /* more than any name has */

/* The LENGTH bytes at NAME in lower case; a longer name is cut. */
static void lower_name(const char *name, size_t length, char out[NAME_SIZE])
{
    snprintf(out, NAME_SIZE, "%.*s", (int)length, name);
    for (char *c = out; *c; c++) *c = (char)tolower((unsigned char)*c);
}

/* The topology called by the LENGTH bytes at NAME, upper or lower case, or NULL. */
static const struct cw_topology *find_topology(const char *name, size_t length)
{
    char lower[NAME_SIZE];
    lower_name(name, length, lower);
    return cw_registry_find(&cw_topology_registry, lower);
}

/* The length of the topology's name that SPEC begins with. */
static size_t name_length(const char *spec)
{
    return strcspn(spec, ":(@");
}

/* True if SPEC begins with what may be a topology's name misspelt. */
static bool is_nearly_known(const char *spec)
{
    char name[NAME_SIZE];
    lower_name(spec, name_length(spec), name);
    struct cw_guess guess = cw_guess_of(name);
    cw_registry_guess(&cw_topology_registry, &guess);
    return guess.nearest != NULL;
}

static int fail_unknown(const char *spec)
{
    char name[NAME_SIZE];
    lower_name(spec, name_length(spec), name);
    const int rc = cw_registry_unknown(&cw_topology_registry, name);
    return rc == CW_EUSAGE ? cw_fail(rc, "'%s': %s", spec, cw_error_message()) : rc;
}

/* Reads the "RATE[,TIME]" behind a specification's '@', in place. */
static int parse_link(char *text, struct cw_link *link)
{
    char *latency = strchr(text, ',');
    if (latency) *latency++ = '\0';
    struct cw_link given = *link;
    int rc = cw_parse_rate("capacity of links", text, &given.capacity);
    if (rc == 0 && given.capacity <= 0) rc = cw_fail(CW_EUSAGE, "capacity of links: %s; expected more than 0", text);
    if (rc == 0 && latency) rc = cw_parse_time("latency of links", latency, &given.latency);
    if (rc == 0) *link = given;
    return rc;
}

/* The parameters of TOPOLOGY in TEXT: what follows its name, ":…" or "(…)". They are changed in place. A parser of the
 * topology's own sees the parentheses, which may mean another notation. */
static int parameters_of(const struct cw_topology *topology, char *text, const char **out)
{
    const size_t length = strlen(text);
    if (*text != '(') {
        *out = *text ? text + 1 : NULL;
        return 0;
    }
    if (length < 2 || text[length - 1] != ')' || strcspn(text + 1, "()") != length - 2)
        return cw_fail(CW_EUSAGE, "%s%s: expected one ')', at the end", topology->name, text);
    *out = text;
    if (!topology->parse) {
        text[length - 1] = '\0';
        *out = text + 1;
    }
    return 0;
}

static int build_with(const struct cw_topology *topology, const char *parameters, const struct cw_link *link,
                      struct cw_network **net)
{
    void *values;
    int rc = cw_option_values_new(topology->name, topology->options, topology->size,
                                  topology->parse ? NULL : parameters, &values);
    if (rc) return rc;
    if (topology->parse) rc = topology->parse(parameters, values);
    if (rc == 0) rc = topology->build(values, link, net);
    cw_option_values_free(topology->options, values);
    return rc;
}

/* SPEC, of which COPY is a copy to be cut up. */
static int build_spec(const char *spec, char *copy, struct cw_network **net)
{
    const size_t length = name_length(copy);
    const struct cw_topology *topology = find_topology(copy, length);
    if (!topology) return fail_unknown(spec);
    struct cw_link link = {topology->capacity > 0 ? topology->capacity : CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY};
    char *at = strchr(copy, '@');
    if (at) *at = '\0';
    const char *parameters;
    struct cw_network *built;
    int rc = parameters_of(topology, copy + length, &parameters);
    if (rc == 0 && at) rc = parse_link(at + 1, &link);
    if (rc == 0) rc = build_with(topology, parameters, &link, &built);
    if (rc) return rc;
    rc = cw_network_set_title(built, spec);
    built->generated = true;
    if (rc == 0)
        *net = built;
    else
        cw_network_free(built);
    return rc;
}

int cw_topology_build(const char *spec, struct cw_network **net)
{
    char *copy = cw_copy_text(spec, strlen(spec));
    if (!copy) return CW_ENOMEM;
    const int rc = build_spec(spec, copy, net);
    free(copy);
    return rc;
}

/* True if TEXT is a word and then parameters, as a specification is; the word need not be known. */
static bool looks_like_spec(const char *text)
{
    size_t length = 0;
    while (isalpha((unsigned char)text[length])) length++;
    while (length > 0 && isdigit((unsigned char)text[length])) length++;
    return length > 0 && (text[length] == ':' || text[length] == '(');
}

int cw_topology_is_spec(const char *text)
{
    return looks_like_spec(text) && find_topology(text, name_length(text)) != NULL;
}

static int read_file(const struct cw_reading *how, const char *path, struct cw_network **out)
{
    struct cw_network *net;
    int rc = cw_network_read_as(how, path, &net);
    if (rc) return rc;
    rc = cw_network_recognise(net);
    if (rc)
        cw_network_free(net);
    else
        *out = net;
    return rc;
}

/* What others call a topology, and what to write here. */
static const struct {
    const char *name, *instead;
} other_names[] = {
    {"fattree", "xgft:2:12,12:1,6 or xgft:3:8,8,16:1,8,8"},
    {"fat-tree", "xgft:2:12,12:1,6 or xgft:3:8,8,16:1,8,8"},
    {"fat_tree", "xgft:2:12,12:1,6 or xgft:3:8,8,16:1,8,8"},
    {"tree", "xgft:2:12,12:1,6 or xgft:3:8,8,16:1,8,8"},
    {"clos", "xgft:2:12,12:1,6 or xgft:3:8,8,16:1,8,8"},
    {"folded-clos", "xgft:2:12,12:1,6 or xgft:3:8,8,16:1,8,8"},
    {"leaf-spine", "xgft:2:12,12:1,6"},
    {"spine-leaf", "xgft:2:12,12:1,6"},
    {"2-level", "xgft:2:12,12:1,6"},
    {"3-level", "xgft:3:8,8,16:1,8,8"},
    {"ring", "torus:8"},
    {"grid", "mesh:8x8"},
    {"star", "crossbar:16"},
    {"switch", "crossbar:16"},
};

/* "fattree:K" is, to its many users, the tree of three levels of switches with K ports. */
static int fail_fat_tree(const char *spec, unsigned long ports)
{
    const unsigned long half = ports / 2;
    return cw_fail(CW_EUSAGE,
                   "there is no topology '%s'; the fat tree of three levels of %lu-port switches (%lu endpoints) is "
                   "xgft:3:%lu,%lu,%lu:1,%lu,%lu",
                   spec, ports, half * half * ports, half, half, ports, half, half);
}

/* 0 unless SPEC has one of those names. */
static int refuse_other_name(const char *spec)
{
    const size_t length = strcspn(spec, ":(");
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++) {
        const char *name = other_names[i].name;
        if (strlen(name) != length || strncasecmp(name, spec, length) != 0) continue;
        char *end;
        const unsigned long ports = spec[length] ? strtoul(spec + length + 1, &end, 10) : 0;
        if (strncmp(name, "fat", 3) == 0 && ports >= 4 && ports <= 1024 && ports % 2 == 0 &&
            strspn(end, ")") == strlen(end))
            return fail_fat_tree(spec, ports);
        return cw_fail(CW_EUSAGE, "there is no topology '%s'; write, for instance, %s", spec, other_names[i].instead);
    }
    return 0;
}

int cw_network_open(const char *spec_or_file, struct cw_network **net)
{
    return cw_network_open_as(&(struct cw_reading){0}, spec_or_file, net);
}

int cw_network_open_as(const struct cw_reading *how, const char *spec_or_file, struct cw_network **net)
{
    const bool is_file = how->format || strcmp(spec_or_file, "-") == 0 || access(spec_or_file, F_OK) == 0;
    const size_t length = strlen(spec_or_file);
    const struct cw_topology *bare = find_topology(spec_or_file, length);
    const int refused = is_file || cw_topology_is_spec(spec_or_file) ? 0 : refuse_other_name(spec_or_file);
    if (refused) return refused;
    if (!is_file && bare) return cw_fail(CW_EUSAGE, "%s needs parameters: %s", spec_or_file, bare->synopsis);
    if (is_file || !looks_like_spec(spec_or_file)) return read_file(how, spec_or_file, net);
    if (!cw_topology_is_spec(spec_or_file) && !is_nearly_known(spec_or_file)) return read_file(how, spec_or_file, net);
    if (how->node_names)
        return cw_fail(CW_EUSAGE, "a node name map is for a file of an InfiniBand fabric, and %s is generated",
                       spec_or_file);
    return cw_topology_build(spec_or_file, net);
}
