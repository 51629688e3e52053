/* What torus-2QoS.conf says, or a network's own shape. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/engines/opensm/torus/torus_lattice.h"
#include "route/files/lft_internal.h"

#define MOST_PORTS 16u      /* of a group, where nothing is said */
#define LONGEST    1048576u /* dimension: cells are counted in 32 bits */

static const char letters[] = "xyz";

static void begin(struct cw_lattice_config *config)
{
    *config = (struct cw_lattice_config){.most_ports = MOST_PORTS};
    for (uint32_t port = 0; port < CW_LATTICE_PORTS; port++) config->order[port] = (uint8_t)port;
}

void cw_lattice_config_free(struct cw_lattice_config *config)
{
    free(config->seeds);
    *config = (struct cw_lattice_config){.seeds = NULL};
}

static int add_seed(struct cw_lattice_config *config)
{
    void *seeds = config->seeds;
    size_t capacity = config->n_seeds;
    const int rc = cw_grow_array(&seeds, &capacity, (size_t)config->n_seeds + 1, sizeof *config->seeds, "torus seeds");
    if (rc) return rc;
    config->seeds = seeds;
    config->seeds[config->n_seeds++] = (struct cw_lattice_seed){.dateline = {0}};
    return 0;
}

/* --- a file ------------------------------------------------------------------------------------------------------- */

struct reading {
    const struct cw_lft_names *names;
    const struct cw_lines *lines;
    struct cw_lattice_config *config;
    char *rest; /* of the line */
};

static int fail(const struct reading *reading, const char *word, const char *expected)
{
    return cw_fail_at(reading->lines->file, reading->lines->number, "%s%s%s, expected %s", word ? "'" : "",
                      word ? word : "the line ends here", word ? "'" : "", expected);
}

/* A whole number from MIN to MAX. What stands behind its digits goes to *END, if it may. */
static int read_number(struct reading *reading, long min, long max, const char *expected, long *number, char **end)
{
    char *word = cw_next_word(&reading->rest), *rest = word;
    if (word) *number = strtol(word, &rest, 0);
    if (!word || rest == word || (*rest && !end) || *number < min || *number > max)
        return fail(reading, word, expected);
    if (end) *end = rest;
    return 0;
}

static int take_sizes(struct reading *reading, bool mesh)
{
    static const char expected[] = "three sizes of dimensions, 1 where there is none, such as 4 5t 1";
    struct cw_lattice_config *config = reading->config;
    if (config->size[0] > 0) return fail(reading, mesh ? "mesh" : "torus", "the sizes once");
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        long size;
        char *end;
        const int rc = read_number(reading, 1, LONGEST, expected, &size, &end);
        if (rc) return rc;
        config->size[d] = (uint32_t)size;
        config->mesh[d] = mesh;
        if (strchr("tT", *end) && *end) config->mesh[d] = false;
        if (strchr("mM", *end) && *end) config->mesh[d] = true;
        if (size == 2) config->mesh[d] = true; /* two cables between two switches are one group, no ring */
    }
    return 0;
}

/* A switch: a name, or a GUID with or without 0x; one that is not there is CW_NONE, for it may have failed. */
static int read_switch(struct reading *reading, uint32_t *v)
{
    const struct cw_network *net = reading->names->net;
    char *word = cw_next_word(&reading->rest), *end;
    if (!word) return fail(reading, word, "the GUIDs of two switches");
    *v = cw_name_index_vertex(reading->names->index, word);
    if (*v != CW_NONE && !cw_network_is_endpoint(net, *v)) return 0;
    *v = cw_lft_find_switch(reading->names, strtoull(word, &end, 0));
    return 0;
}

static struct cw_lattice_seed *last_seed(struct cw_lattice_config *config)
{
    if (config->n_seeds == 0 && add_seed(config)) return NULL;
    return &config->seeds[config->n_seeds - 1];
}

static int take_link(struct reading *reading, uint32_t group)
{
    struct cw_lattice_seed *seed = last_seed(reading->config);
    if (!seed) return CW_ENOMEM;
    struct cw_lattice_link *link = &seed->link[group];
    link->given = true;
    const int rc = read_switch(reading, &link->from);
    return rc ? rc : read_switch(reading, &link->to);
}

static int take_dateline(struct reading *reading, uint32_t d)
{
    struct cw_lattice_config *config = reading->config;
    struct cw_lattice_seed *seed = last_seed(config);
    if (!seed) return CW_ENOMEM;
    const long size = (long)config->size[d];
    long dateline = 0;
    const int rc = read_number(reading, 1 - size, size - 1,
                               "a number that is less, with or without its sign, than the size of the dimension, which "
                               "comes first",
                               &dateline, NULL);
    seed->dateline[d] = (int32_t)dateline;
    return rc;
}

/* Those that are named come first, in this order. */
static int take_port_order(struct reading *reading)
{
    uint8_t *order = reading->config->order;
    uint32_t done = 0;
    for (long port = 0; reading->rest[strspn(reading->rest, " \t\r")];) {
        const int rc = read_number(reading, 0, CW_LATTICE_PORTS - 1, "numbers of ports", &port, NULL);
        if (rc) return rc;
        uint32_t at = 0;
        while (order[at] != port) at++;
        if (at < done) continue; /* named before */
        memmove(order + done + 1, order + done, at - done);
        order[done++] = (uint8_t)port;
        if (port > reading->config->highest_port) reading->config->highest_port = (uint32_t)port;
    }
    return 0;
}

/* "xp_link" and the like; *GROUP is 2d, and one more for "p". */
static bool is_link(const char *word, uint32_t *group)
{
    const char *letter = *word ? strchr(letters, *word) : NULL;
    if (!letter || (word[1] != 'm' && word[1] != 'p') || strcmp(word + 2, "_link") != 0) return false;
    *group = 2 * (uint32_t)(letter - letters) + (word[1] == 'p');
    return true;
}

static bool is_dateline(const char *word, uint32_t *d)
{
    const char *letter = *word ? strchr(letters, *word) : NULL;
    if (!letter || strcmp(word + 1, "_dateline") != 0) return false;
    *d = (uint32_t)(letter - letters);
    return true;
}

static int take_line(struct reading *reading)
{
    const char *word = cw_next_word(&reading->rest);
    uint32_t which;
    long number = 0;
    int rc;
    if (!word || *word == '#') return 0;
    if (strcmp(word, "torus") == 0 || strcmp(word, "mesh") == 0) return take_sizes(reading, *word == 'm');
    if (is_link(word, &which)) return take_link(reading, which);
    if (is_dateline(word, &which)) return take_dateline(reading, which);
    if (strcmp(word, "next_seed") == 0) return add_seed(reading->config);
    if (strcmp(word, "port_order") == 0) return take_port_order(reading);
    if (strcmp(word, "portgroup_max_ports") == 0) {
        rc = read_number(reading, 1, CW_LATTICE_PORTS, "a number of ports from 1 to 256", &number, NULL);
        if (rc == 0) reading->config->most_ports = (uint32_t)number;
        return rc;
    }
    if (strcmp(word, "max_changes") == 0) /* how much OpenSM reports when the fabric changes: nothing for routes */
        return read_number(reading, 0, INT32_MAX, "a number of changes", &number, NULL);
    return fail(
        reading, word,
        "torus, mesh, xp_link, xm_link, x_dateline (likewise y and z), next_seed, portgroup_max_ports, port_order "
        "or max_changes");
}

int cw_lattice_config_read(const struct cw_network *net, const char *file, struct cw_lattice_config *config)
{
    struct cw_text text = {0};
    struct cw_lft_names names;
    begin(config);
    int rc = cw_lft_names_new(net, &names);
    if (rc) return rc;
    rc = cw_file_read(file, &text);
    struct cw_lines lines = cw_lines_of(file, text.data, text.length);
    while (rc == 0 && cw_lines_next(&lines)) {
        char *content = cw_line_content(&lines);
        struct reading reading = {&names, &lines, config, content};
        rc = content ? take_line(&reading) : CW_ENOMEM;
        free(content);
    }
    if (rc == 0 && config->size[0] == 0)
        rc = cw_fail_at(file, 0, "no line says the sizes, expected one such as 'torus 4 5 1'");
    cw_lft_names_free(&names);
    cw_text_free(&text);
    return rc;
}

/* --- a shape ------------------------------------------------------------------------------------------------------ */

/* Who stands at PLACE, which counts as cells do. */
static uint32_t vertex_at(const struct cw_network *net, uint32_t place)
{
    return net->places ? net->places->vertex[net->places->ideal->n_endpoints + place] : net->n_endpoints + place;
}

/* The seed of the switch at PLACE, as far as its neighbours are there. */
static bool seed_at(const struct cw_network *net, const struct cw_lattice_config *config, uint32_t place,
                    struct cw_lattice_seed *seed)
{
    const uint32_t from = vertex_at(net, place);
    bool all = from != CW_NONE;
    for (uint32_t d = 0, stride = 1; d < CW_LATTICE_DIMENSIONS; stride *= config->size[d++]) {
        const uint32_t k = config->size[d], x = place / stride % k;
        seed->dateline[d] = -(int32_t)x;
        if (k == 1) continue;
        const bool plus = !config->mesh[d] || x + 1 < k;
        const uint32_t up = vertex_at(net, place - x * stride + (x + 1) % k * stride);
        const uint32_t down = vertex_at(net, place - x * stride + (x + k - 1) % k * stride);
        if (plus) seed->link[2 * d + 1] = (struct cw_lattice_link){true, from, up};
        if (!plus || (k == 4 && !config->mesh[d])) seed->link[2 * d] = (struct cw_lattice_link){true, from, down};
        all = all && (!plus || up != CW_NONE) && (!seed->link[2 * d].given || down != CW_NONE);
    }
    return all;
}

int cw_lattice_config_of_shape(const struct cw_network *net, struct cw_lattice_config *config)
{
    const struct cw_torus *torus = &cw_network_regular_shape(net)->torus;
    uint32_t n_cells = 1;
    begin(config);
    config->most_ports = UINT32_MAX;
    for (uint32_t d = 0; d < CW_LATTICE_DIMENSIONS; d++) {
        config->size[d] = d < torus->n ? torus->k[d] : 1;
        config->mesh[d] = !torus->wrap || config->size[d] == 2;
        n_cells *= config->size[d];
    }
    const int rc = add_seed(config);
    for (uint32_t place = 0; rc == 0 && place < n_cells; place++) {
        config->seeds[0] = (struct cw_lattice_seed){.dateline = {0}};
        if (seed_at(net, config, place, config->seeds)) break;
    }
    return rc;
}
