/*
 * Slurm's topology.conf for its plugin topology/tree (man topology.conf): switches with their nodes, switches with
 * their switches.
 *
 * Slurm wants a tree, and few networks are one. What is connected when only some cables count is, whatever the network:
 * first the leaf switches, of which those that share most of their hosts are one; then, in turns, what cables among
 * leaf switches connect, what cables up to the second level connect, up to the third, ..., without those between the
 * groups of a shape; at last all. Each time that several become one, that is a switch for Slurm.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/files/formats_internal.h"
#include "net/hosts.h"
#include "net/network_internal.h"
#include "net/roles.h"

static const char what[] = "a tree of switches";

/* A switch for Slurm: the switches of a component of the highest level there. */
struct entry {
    uint32_t first, switches; /* the lowest of them, and how many they are */
    uint32_t member;          /* any switch of the component */
    uint32_t parent;          /* entry, or CW_NONE */
    double up;                /* capacity of its cables to the rest [byte/s] */
};

/* What is known of a component while it is looked at. */
struct component {
    uint32_t first, switches, role; /* of its highest level */
    uint32_t children, entry;
};

/* A host at a switch. */
struct seat {
    uint32_t host, at;
};

struct tree {
    const struct cw_network *net;
    struct cw_hosts *hosts;
    struct cw_name_table *names; /* of entries, by their numbers */
    uint32_t *roles;             /* [n_vertices] */
    uint32_t *up;                /* [n_vertices] of a union of switches: one nearer to its root, which is its own */
    uint32_t *home;              /* [hosts] the switch of its first cable, or CW_NONE */
    uint32_t *entry_of;          /* [hosts] or CW_NONE */
    struct component *at;        /* [n_vertices] of roots */
    struct seat *seats, *places; /* [n_seats] by host, by switch; each pair once */
    uint32_t n_seats, levels;
    struct entry *entries;
    size_t n, capacity;
};

static void free_tree(struct tree *tree)
{
    cw_hosts_free(tree->hosts);
    cw_name_table_free(tree->names);
    free(tree->roles);
    free(tree->up);
    free(tree->home);
    free(tree->entry_of);
    free(tree->at);
    free(tree->seats);
    free(tree->places);
    free(tree->entries);
}

static uint32_t root_of(const struct tree *tree, uint32_t v)
{
    uint32_t *up = tree->up;
    while (up[v] != v) v = up[v] = up[up[v]];
    return v;
}

/* The lower of two roots is that of both. */
static void unite(const struct tree *tree, uint32_t a, uint32_t b)
{
    const uint32_t x = root_of(tree, a), y = root_of(tree, b);
    tree->up[x > y ? x : y] = x > y ? y : x;
}

/* --- leaf switches ------------------------------------------------------------------------------------------------ */

static int compare_seats(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    if (x->host != y->host) return x->host < y->host ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int compare_places(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->host < y->host ? -1 : x->host > y->host;
}

/* Fills seats, places and homes. */
static void seat_hosts(struct tree *tree)
{
    const struct cw_network *net = tree->net;
    uint32_t n = 0;
    for (uint32_t h = 0; h < cw_hosts_count(tree->hosts); h++) tree->home[h] = tree->entry_of[h] = CW_NONE;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const uint32_t host = cw_hosts_of(tree->hosts, e);
        for (uint32_t c = net->first[e]; host != CW_NONE && c < net->first[e + 1]; c++) {
            if (cw_network_is_endpoint(net, net->head[c])) continue;
            if (tree->home[host] == CW_NONE) tree->home[host] = net->head[c];
            tree->seats[n++] = (struct seat){host, net->head[c]};
        }
    }
    if (n > 0) qsort(tree->seats, n, sizeof *tree->seats, compare_seats);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || compare_seats(&tree->seats[i], &tree->seats[i - 1]) != 0)
            tree->seats[tree->n_seats++] = tree->seats[i];
    if (tree->n_seats == 0) return;
    memcpy(tree->places, tree->seats, tree->n_seats * sizeof *tree->places);
    qsort(tree->places, tree->n_seats, sizeof *tree->places, compare_places);
}

/* Leaf switches that share at least half of the hosts of either become one. SHARED [n_vertices] is zero, before and
 * behind; COUNT [n_vertices] is how many hosts a switch has, FIRST_SEAT [hosts + 1] where a host's seats begin. */
static void join_leaves(struct tree *tree, const uint32_t *count, const uint32_t *first_seat, uint32_t *shared)
{
    const struct seat *places = tree->places, *seats = tree->seats;
    for (uint32_t from = 0, to; from < tree->n_seats; from = to) {
        const uint32_t a = places[from].at;
        for (int pass = 0; pass < 2; pass++)
            for (to = from; to < tree->n_seats && places[to].at == a; to++)
                for (uint32_t i = first_seat[places[to].host]; i < first_seat[places[to].host + 1]; i++) {
                    const uint32_t b = seats[i].at;
                    if (pass == 0) {
                        shared[b]++;
                        continue;
                    }
                    if (b != a && 2 * shared[b] >= (count[a] > count[b] ? count[a] : count[b])) unite(tree, a, b);
                    shared[b] = 0;
                }
    }
}

static int find_leaves(struct tree *tree)
{
    const uint32_t n = tree->net->n_vertices, hosts = cw_hosts_count(tree->hosts);
    uint32_t *count = cw_new_array(n, sizeof *count, what), *shared = cw_new_array(n, sizeof *shared, what);
    uint32_t *first = cw_new_array((size_t)hosts + 1, sizeof *first, what);
    const int rc = count && shared && first ? 0 : CW_ENOMEM;
    for (uint32_t i = 0; !rc && i < tree->n_seats; i++) {
        count[tree->seats[i].at]++;
        first[tree->seats[i].host + 1]++;
    }
    for (uint32_t h = 0; !rc && h < hosts; h++) first[h + 1] += first[h];
    if (!rc) join_leaves(tree, count, first, shared);
    free(count);
    free(shared);
    free(first);
    return rc;
}

/* --- components --------------------------------------------------------------------------------------------------- */

/* Looks at all switches: what is the highest level of each component. */
static void look_at_components(const struct tree *tree)
{
    const struct cw_network *net = tree->net;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        tree->at[v] = (struct component){.first = CW_NONE, .entry = CW_NONE};
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        struct component *at = &tree->at[root_of(tree, v)];
        if (at->first == CW_NONE || tree->roles[v] > at->role)
            *at = (struct component){.first = v, .role = tree->roles[v], .entry = CW_NONE};
        at->switches += tree->roles[v] == at->role;
    }
}

/* The component of root ROOT becomes a switch. */
static int add_entry(struct tree *tree, uint32_t root)
{
    struct component *at = &tree->at[root];
    char name[CW_NAME_SIZE + 16];
    int rc = cw_grow_array((void **)&tree->entries, &tree->capacity, tree->n + 1, sizeof *tree->entries, what);
    if (rc) return rc;
    cw_network_name(tree->net, at->first, name, CW_NAME_SIZE);
    if (at->switches > 1) snprintf(name + strlen(name), 16, "_x%" PRIu32, at->switches);
    rc = cw_hosts_add_legal(tree->names, name, strlen(name));
    if (rc) return rc;
    at->entry = (uint32_t)tree->n;
    tree->entries[tree->n++] = (struct entry){at->first, at->switches, root, CW_NONE, 0};
    return 0;
}

/* What the entries from FIRST on have of cables to the rest. */
static void add_capacities(struct tree *tree, size_t first)
{
    const struct cw_network *net = tree->net;
    for (uint32_t c = net->first[net->n_endpoints]; first < tree->n && c < net->n_channels; c++) {
        if (cw_network_is_endpoint(net, net->head[c])) continue;
        const uint32_t from = root_of(tree, net->tail[c]), entry = tree->at[from].entry;
        if (entry != CW_NONE && entry >= first && from != root_of(tree, net->head[c]))
            tree->entries[entry].up += net->capacity[c];
    }
}

/* The components of leaf switches that are the home of hosts. */
static int add_leaves(struct tree *tree)
{
    int rc = 0;
    look_at_components(tree);
    for (uint32_t h = 0; !rc && h < cw_hosts_count(tree->hosts); h++) {
        if (tree->home[h] == CW_NONE) continue;
        const uint32_t root = root_of(tree, tree->home[h]);
        if (tree->at[root].entry == CW_NONE) rc = add_entry(tree, root);
        tree->entry_of[h] = tree->at[root].entry;
    }
    if (!rc) add_capacities(tree, 0);
    return rc;
}

/* Cables up to switches of role ROLE count from now on; all of them if it is CW_NONE. */
static int add_level(struct tree *tree, uint32_t role)
{
    const struct cw_network *net = tree->net;
    const size_t before = tree->n;
    int rc = 0;
    for (uint32_t c = net->first[net->n_endpoints]; c < net->n_channels; c++) {
        const uint32_t a = net->tail[c], b = net->head[c];
        if (cw_network_is_endpoint(net, b)) continue;
        if (role == CW_NONE || (tree->roles[a] <= role && tree->roles[b] <= role && !cw_network_is_global(net, c)))
            unite(tree, a, b);
    }
    look_at_components(tree);
    for (size_t i = 0; i < before; i++)
        if (tree->entries[i].parent == CW_NONE) tree->at[root_of(tree, tree->entries[i].member)].children++;
    for (size_t i = 0; !rc && i < before; i++) {
        const uint32_t root = root_of(tree, tree->entries[i].member);
        if (tree->entries[i].parent != CW_NONE || tree->at[root].children < 2) continue;
        if (tree->at[root].entry == CW_NONE) rc = add_entry(tree, root);
        tree->entries[i].parent = tree->at[root].entry;
    }
    if (!rc) add_capacities(tree, before);
    return rc;
}

static int make_tree(struct tree *tree)
{
    const struct cw_network *net = tree->net;
    int rc = cw_hosts_new(net, &tree->hosts);
    if (!rc) rc = cw_name_table_new(&tree->names);
    if (rc) return rc;
    const uint32_t hosts = cw_hosts_count(tree->hosts), cables = net->first[net->n_endpoints];
    tree->roles = cw_new_array(net->n_vertices, sizeof *tree->roles, what);
    tree->up = cw_new_array(net->n_vertices, sizeof *tree->up, what);
    tree->at = cw_new_array(net->n_vertices, sizeof *tree->at, what);
    tree->home = cw_new_array(hosts, sizeof *tree->home, what);
    tree->entry_of = cw_new_array(hosts, sizeof *tree->entry_of, what);
    tree->seats = cw_new_array(cables, sizeof *tree->seats, what);
    tree->places = cw_new_array(cables, sizeof *tree->places, what);
    if (!tree->roles || !tree->up || !tree->at || !tree->home || !tree->entry_of || !tree->seats || !tree->places)
        return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices; v++) tree->up[v] = v;
    rc = cw_network_roles(net, tree->roles, &tree->levels);
    seat_hosts(tree);
    if (!rc) rc = find_leaves(tree);
    if (!rc) rc = add_leaves(tree);
    for (uint32_t l = 0; !rc && l < tree->levels; l++) rc = add_level(tree, CW_ROLE_LEAF + l);
    return rc ? rc : add_level(tree, CW_NONE);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* What belongs to an entry, by its name. */
struct member {
    uint32_t entry;
    const char *name;
};

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* A line for each entry that MEMBERS [N], which are sorted here, belong to. NAMES has room for all. */
static void write_lines(const struct tree *tree, const char *key, struct member *members, size_t n, const char **names,
                        struct cw_text *text)
{
    if (n > 0) qsort(members, n, sizeof *members, compare_members);
    for (size_t from = 0, to; from < n; from = to) {
        const uint32_t entry = members[from].entry;
        for (to = from; to < n && members[to].entry == entry; to++) names[to - from] = members[to].name;
        cw_text_printf(text, "SwitchName=%s %s=", cw_name_table_name(tree->names, entry), key);
        cw_hosts_write_names(names, to - from, text);
        const double gbits = 8e-9 * tree->entries[entry].up;
        if (tree->entries[entry].parent != CW_NONE) cw_text_printf(text, " LinkSpeed=%.0f", fmax(1, round(gbits)));
        cw_text_add(text, "\n");
    }
}

static int write_tree(const struct tree *tree, struct cw_text *text)
{
    const uint32_t hosts = cw_hosts_count(tree->hosts);
    const size_t most = hosts > tree->n ? hosts : tree->n;
    struct member *members = cw_new_array(most, sizeof *members, what);
    const char **names = cw_new_array(most, sizeof *names, what);
    const int rc = members && names ? 0 : CW_ENOMEM;
    size_t n = 0, upper = 0;
    for (uint32_t h = 0; !rc && h < hosts; h++)
        if (tree->entry_of[h] != CW_NONE)
            members[n++] = (struct member){tree->entry_of[h], cw_hosts_name(tree->hosts, h)};
    cw_text_add(text, "# For topology/tree. LinkSpeed: Gbit/s of all cables upwards.\n");
    if (!rc) write_lines(tree, "Nodes", members, n, names, text);
    for (uint32_t i = 0; !rc && i < tree->n; i++)
        if (tree->entries[i].parent != CW_NONE)
            members[upper++] = (struct member){tree->entries[i].parent, cw_name_table_name(tree->names, i)};
    if (!rc) write_lines(tree, "Switches", members, upper, names, text);
    free(members);
    free(names);
    return rc ? rc : cw_text_check(text);
}

static int write_network(const struct cw_network *net, struct cw_text *text)
{
    struct tree tree = {.net = net};
    int rc = make_tree(&tree);
    if (!rc && tree.n == 0)
        rc = cw_fail(CW_EUSAGE, "%s has no host at a switch; expected some that Slurm could place jobs on",
                     net->title ? net->title : "the network");
    if (!rc) rc = write_tree(&tree, text);
    free_tree(&tree);
    return rc;
}

const struct cw_writer cw_writer_slurm = {
    .name = "slurm",
    .extension = ".conf",
    .help = "The switches as a tree, for Slurm's plugin topology/tree: topology.conf.",
    .write = write_network,
    .directed = true,
    .remark =
        "Slurm's topology.conf is a tree: NAME_xN stands for N switches of one level, the first of which is NAME, "
        "that connect what is below them, or that share most of their hosts. A host at several of its leaf "
        "switches is at that of its first cable."};
