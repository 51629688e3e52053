/*
 * Slurm's topology.conf for its plugin topology/tree, or what `scontrol show topology` prints: a tree of switches, with
 * the nodes at each. It has no cables, so each node and each switch gets one upwards.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/builder.h"
#include "net/files/formats_internal.h"
#include "net/files/ib_scan.h"
#include "net/host_list.h"
#include "net/name_table.h"

#define EXPECT_LINE "'SwitchName=NAME Nodes=NAMES' or 'SwitchName=NAME Switches=NAMES'"
#define BYTES       125e6 /* per second, of a Gbit/s */

/* A switch, and what is below it. */
struct branch {
    unsigned long line;        /* its own; 0: it is only mentioned */
    unsigned long parent_line; /* where it is listed below another one; 0: nowhere */
    uint32_t parent, parent_port;
    uint32_t ports;   /* listed so far, downwards */
    uint32_t waiting; /* switches below it whose capacity is not yet known */
    double below;     /* byte/s of all cables downwards */
    double up;        /* of the cable upwards; 0: the file says nothing */
};

struct seat {
    uint32_t node, at, port;
};

struct slurm {
    const char *file;
    unsigned long line;
    uint32_t at; /* the switch of this line */
    struct cw_name_table *switch_names, *node_names;
    struct branch *switches;
    struct seat *seats;
    size_t n_switches, n_seats, switches_capacity, seats_capacity;
};

static int add_name(struct slurm *slurm, struct cw_name_table *names, const char *name, size_t length, uint32_t *id)
{
    if (length == 0 || length >= CW_NAME_SIZE)
        return cw_fail_at(slurm->file, slurm->line, "a name of %zu bytes, expected 1 to %d", length, CW_NAME_SIZE - 1);
    return cw_name_table_add(names, name, length, id);
}

static int add_switch(struct slurm *slurm, const char *name, size_t length, uint32_t *id)
{
    int rc = add_name(slurm, slurm->switch_names, name, length, id);
    if (rc || *id < slurm->n_switches) return rc;
    rc = cw_grow_array((void **)&slurm->switches, &slurm->switches_capacity, slurm->n_switches + 1,
                       sizeof *slurm->switches, "switches");
    if (!rc) slurm->switches[slurm->n_switches++] = (struct branch){0};
    return rc;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Takes one name of Nodes=. */
static int take_node(void *context, const char *name, bool last)
{
    struct slurm *slurm = context;
    if (!last) return CW_HOST_UNKNOWN;
    if (slurm->n_seats == CW_HOST_LIST_LIMIT)
        return cw_fail_at(slurm->file, slurm->line, "more than %u nodes", CW_HOST_LIST_LIMIT);
    struct seat seat = {.at = slurm->at, .port = ++slurm->switches[slurm->at].ports};
    int rc = add_name(slurm, slurm->node_names, name, strlen(name), &seat.node);
    if (!rc)
        rc = cw_grow_array((void **)&slurm->seats, &slurm->seats_capacity, slurm->n_seats + 1, sizeof seat, "nodes");
    if (!rc) slurm->seats[slurm->n_seats++] = seat;
    return rc;
}

/* Takes one name of Switches=. */
static int take_switch(void *context, const char *name, bool last)
{
    struct slurm *slurm = context;
    uint32_t id;
    if (!last) return CW_HOST_UNKNOWN;
    const int rc = add_switch(slurm, name, strlen(name), &id);
    if (rc) return rc;
    struct branch *below = &slurm->switches[id], *at = &slurm->switches[slurm->at];
    if (below->parent_line != 0)
        return cw_fail_at(slurm->file, slurm->line, "switch '%s' is below another one in line %lu, expected a tree",
                          name, below->parent_line);
    below->parent_line = slurm->line;
    below->parent = slurm->at;
    below->parent_port = ++at->ports;
    at->waiting++;
    return 0;
}

static int take_list(struct slurm *slurm, const char *list, cw_host_list_take *take)
{
    const int rc = cw_host_list_each(list, take, slurm);
    return rc == CW_EUSAGE ? cw_fail_at(slurm->file, slurm->line, "%s", cw_error_message()) : rc;
}

static int take_speed(struct slurm *slurm, const char *value)
{
    struct cw_ib_scan scan = {value, value + strlen(value)};
    uint32_t speed;
    if (!cw_ib_decimal(&scan, UINT32_MAX, &speed) || !cw_ib_end(&scan))
        return cw_fail_at(slurm->file, slurm->line, "LinkSpeed=%s, expected a number: Gbit/s of all cables upwards",
                          value);
    if (speed > 1) slurm->switches[slurm->at].up = BYTES * speed; /* 1 is what scontrol prints where nothing is said */
    return 0;
}

/* The value of KEY in the word at TEXT, or NULL. Keys are the same in small letters. */
static const char *value_of(const char *text, const char *key)
{
    const size_t length = strlen(key);
    return strncasecmp(text, key, length) == 0 && text[length] == '=' ? text + length + 1 : NULL;
}

/* A line, without its comment, which is split into words here. */
static int read_line(struct slurm *slurm, char *text)
{
    const char *name = NULL, *nodes = NULL, *below = NULL, *speed = NULL, *level = NULL;
    const struct {
        const char *key, **value;
    } keys[] = {
        {"SwitchName", &name}, {"Nodes", &nodes}, {"Switches", &below}, {"LinkSpeed", &speed}, {"Level", &level}};
    char *rest = NULL;
    bool any = false;
    for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        size_t k = 0;
        while (k < sizeof keys / sizeof *keys && !value_of(word, keys[k].key)) k++;
        if (k == sizeof keys / sizeof *keys || *keys[k].value)
            return cw_fail_at(slurm->file, slurm->line, "'%.60s', expected " EXPECT_LINE, word);
        *keys[k].value = value_of(word, keys[k].key);
        any = true;
    }
    if (!any) return 0;
    if (!name || (!nodes && !below)) return cw_fail_at(slurm->file, slurm->line, "expected " EXPECT_LINE);
    int rc = add_switch(slurm, name, strlen(name), &slurm->at);
    if (rc) return rc;
    struct branch *at = &slurm->switches[slurm->at];
    if (at->line != 0)
        return cw_fail_at(slurm->file, slurm->line, "switch '%s' has line %lu, too; expected one", name, at->line);
    at->line = slurm->line;
    /* scontrol lists the nodes of all switches below, too. */
    if (nodes && !(level && below)) rc = take_list(slurm, nodes, take_node);
    if (!rc && below) rc = take_list(slurm, below, take_switch);
    return rc || !speed ? rc : take_speed(slurm, speed);
}

/* Lines that end in a backslash go on in the next one. */
static int read_lines(struct slurm *slurm, const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of(slurm->file, data, length);
    struct cw_text text = {0};
    bool more = false;
    int rc = 0;
    while (!rc && cw_lines_next(&lines)) {
        const char *comment = memchr(lines.line, '#', lines.length);
        size_t n = comment ? (size_t)(comment - lines.line) : lines.length;
        if (memchr(lines.line, 0, n)) rc = cw_fail_at(slurm->file, lines.number, "a zero byte, expected " EXPECT_LINE);
        if (!more) {
            slurm->line = lines.number;
            text.length = 0;
        }
        more = n > 0 && lines.line[n - 1] == '\\';
        cw_text_append(&text, lines.line, n - more);
        if (!rc) rc = cw_text_check(&text);
        if (!rc && !more) rc = read_line(slurm, text.data);
    }
    if (!rc && more) rc = read_line(slurm, text.data);
    cw_text_free(&text);
    return rc;
}

/* --- the network -------------------------------------------------------------------------------------------------- */

static int check_lines(const struct slurm *slurm)
{
    for (size_t s = 0; s < slurm->n_switches; s++)
        if (slurm->switches[s].line == 0)
            return cw_fail_at(slurm->file, slurm->switches[s].parent_line,
                              "switch '%s' has no line of its own, expected SwitchName=%s",
                              cw_name_table_name(slurm->switch_names, (uint32_t)s),
                              cw_name_table_name(slurm->switch_names, (uint32_t)s));
    return slurm->n_seats > 0 ? 0 : cw_fail_at(slurm->file, 0, "no nodes, expected " EXPECT_LINE);
}

/* Switches from below: those above wait until all that they can carry down is known. READY has room for all. */
static int join_switches(struct slurm *slurm, uint32_t n_nodes, uint32_t *ready, struct cw_builder *builder)
{
    size_t n = 0;
    for (uint32_t s = 0; s < slurm->n_switches; s++)
        if (slurm->switches[s].waiting == 0) ready[n++] = s;
    for (size_t i = 0; i < n; i++) {
        struct branch *at = &slurm->switches[ready[i]];
        if (at->parent_line == 0) continue;
        if (!(at->up > 0)) at->up = at->below;
        struct branch *parent = &slurm->switches[at->parent];
        parent->below += at->up;
        cw_builder_cable(builder, n_nodes + ready[i], 0, n_nodes + at->parent, at->parent_port, at->up,
                         CW_DEFAULT_LATENCY);
        if (--parent->waiting == 0) ready[n++] = at->parent;
    }
    for (uint32_t s = 0; n < slurm->n_switches && s < slurm->n_switches; s++)
        if (slurm->switches[s].waiting > 0)
            return cw_fail_at(slurm->file, slurm->switches[s].line, "switch '%s' is below itself, expected a tree",
                              cw_name_table_name(slurm->switch_names, s));
    return 0;
}

static int build(struct slurm *slurm, struct cw_network **net)
{
    const uint32_t n_nodes = cw_name_table_count(slurm->node_names);
    uint32_t *ready = cw_new_array(slurm->n_switches, sizeof *ready, "switches");
    if (!ready) return CW_ENOMEM;
    struct cw_builder *builder = cw_builder_new(n_nodes, slurm->n_switches, slurm->n_seats + slurm->n_switches);
    for (uint32_t i = 0; i < n_nodes; i++) cw_builder_name(builder, i, cw_name_table_name(slurm->node_names, i));
    for (uint32_t s = 0; s < slurm->n_switches; s++)
        cw_builder_name(builder, n_nodes + s, cw_name_table_name(slurm->switch_names, s));
    for (size_t i = 0; i < slurm->n_seats; i++) {
        const struct seat *seat = &slurm->seats[i];
        slurm->switches[seat->at].below += CW_DEFAULT_CAPACITY;
        cw_builder_cable(builder, seat->node, 0, n_nodes + seat->at, seat->port, CW_DEFAULT_CAPACITY,
                         CW_DEFAULT_LATENCY);
    }
    const int rc = join_switches(slurm, n_nodes, ready, builder);
    if (rc) cw_builder_fail(builder, rc);
    free(ready);
    return cw_builder_finish(builder, net);
}

static int read_network(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                        struct cw_network **net)
{
    (void)names; /* refused: names_nodes is not set */
    struct slurm slurm = {.file = file};
    int rc = cw_name_table_new(&slurm.switch_names);
    if (!rc) rc = cw_name_table_new(&slurm.node_names);
    if (!rc) rc = read_lines(&slurm, data, length);
    if (!rc) rc = check_lines(&slurm);
    if (!rc) rc = build(&slurm, net);
    cw_name_table_free(slurm.switch_names);
    cw_name_table_free(slurm.node_names);
    free(slurm.switches);
    free(slurm.seats);
    return rc;
}

/* By the first line that is no comment. */
static bool recognises(const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of("", data, length);
    static const char key[] = "SwitchName=";
    while (cw_lines_next(&lines)) {
        struct cw_ib_scan scan = {lines.line, lines.line + lines.length};
        cw_ib_blanks(&scan);
        if (cw_ib_end(&scan) || *scan.at == '#') continue;
        return (size_t)(scan.end - scan.at) >= sizeof key - 1 && strncasecmp(scan.at, key, sizeof key - 1) == 0;
    }
    return false;
}

const struct cw_reader cw_reader_slurm = {
    .name = "slurm",
    .help = "Slurm's topology.conf for topology/tree, or what scontrol show topology prints: a tree of switches.",
    .recognises = recognises,
    .read = read_network};
