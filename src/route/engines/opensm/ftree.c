/*
 * The tables of OpenSM's fat-tree engine, entry by entry (OpenSM 3.3.23), for whatever fabric it accepts.
 *
 * Destinations are taken leaf switch by leaf switch. From the destination's switch up, the group of cables with the
 * least load is the main way, whose load counts; from every switch on it all that is below is told to come up there, by
 * the least loaded cables. The other groups up, and cables within the rank, then tell the switches that have no way yet
 * or a longer one. So every shift of a complete tree is free of contention.
 *
 * Where leaf switches are cabled to each other, or to switches that are farther from the roots, OpenSM sorts their
 * hosts by addresses in its memory: its own tables may change from run to run, and hosts may be missing; here hosts are
 * taken in order of ports.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/minhop.h"
#include "route/engines/opensm/ftree_fabric.h"
#include "route/roots.h"
#include "route/routes_internal.h"

struct ftree {
    char *roots, *compute, *io;
    int64_t max_reverse_hops;
};

/* *LISTED[v] is true of the vertices of KIND that FILE lists. */
static int read_list(const struct cw_network *net, const char *file, enum cw_opensm_kind kind, bool **listed)
{
    uint32_t *vertices = NULL, n = 0;
    if (!file) return 0;
    int rc = cw_opensm_vertices(net, file, kind, &vertices, &n);
    if (rc == 0 && n == 0)
        rc = cw_fail(CW_EPARSE, "%s names no %s; expected a GUID or a name in each line", file,
                     kind == CW_OPENSM_SWITCHES ? "switch" : "endpoint");
    if (rc == 0) *listed = cw_new_array(net->n_vertices, sizeof **listed, "listed vertices");
    if (rc == 0 && !*listed) rc = CW_ENOMEM;
    for (uint32_t i = 0; i < n && rc == 0; i++) (*listed)[vertices[i]] = true;
    free(vertices);
    return rc;
}

static int read_roles(const struct cw_network *net, const struct ftree *values, struct cw_ftree_roles *roles)
{
    int rc = read_list(net, values->roots, CW_OPENSM_SWITCHES, &roles->roots);
    if (rc == 0) rc = read_list(net, values->compute, CW_OPENSM_ENDPOINTS, &roles->compute);
    if (rc == 0) rc = read_list(net, values->io, CW_OPENSM_ENDPOINTS, &roles->io);
    roles->max_reverse_hops = (uint32_t)values->max_reverse_hops;
    return rc;
}

/* Aggregation nodes are adapters inside switches, of spines, too: without files OpenSM's ftree takes such switches for
 * leaves, and refuses. With the hosts as compute nodes and the top of the tree as roots it does not. *FOUND unless
 * there are files, or only hosts. */
static int find_roles(const struct cw_network *net, struct cw_ftree_roles *roles, uint32_t *n_roots, bool *found)
{
    uint32_t others = 0;
    *found = false;
    for (uint32_t e = 0; e < net->n_endpoints && net->identity; e++)
        others += net->identity[e].kind == CW_KIND_AGGREGATION;
    if (others == 0 || roles->roots || roles->compute || roles->io) return 0;
    uint32_t *roots = cw_new_array(cw_network_switches(net), sizeof *roots, "roots of a fat tree");
    roles->roots = cw_new_array(net->n_vertices, sizeof *roles->roots, "roots of a fat tree");
    roles->compute = cw_new_array(net->n_vertices, sizeof *roles->compute, "hosts of a fat tree");
    int rc = roots && roles->roots && roles->compute ? 0 : CW_ENOMEM;
    *n_roots = 0;
    if (rc == 0) rc = cw_roots_add_tops(net, roots, n_roots);
    for (uint32_t i = 0; rc == 0 && i < *n_roots; i++) roles->roots[roots[i]] = true;
    for (uint32_t e = 0; rc == 0 && e < net->n_endpoints; e++)
        roles->compute[e] = net->identity[e].kind == CW_KIND_HOST;
    free(roots);
    *found = rc == 0;
    return rc;
}

static void free_roles(struct cw_ftree_roles *roles)
{
    free(roles->roots);
    free(roles->compute);
    free(roles->io);
}

/* TREE by ROLES, or by those that are found where OpenSM refuses; then *N_ROOTS is not 0, and WHY says why it does.
 * CW_EUSAGE: tree->why. */
static int open_tree(const struct cw_network *net, struct cw_ftree_roles *roles, struct cw_ftree *tree,
                     uint32_t *n_roots, char *why, size_t size)
{
    bool found;
    *n_roots = 0;
    int rc = cw_ftree_new(net, roles, tree);
    if (rc != CW_EUSAGE) return rc;
    snprintf(why, size, "%s", tree->why);
    rc = find_roles(net, roles, n_roots, &found);
    if (rc || !found) return rc ? rc : CW_EUSAGE;
    cw_ftree_free(tree);
    return cw_ftree_new(net, roles, tree);
}

static int ftree_files(const struct cw_network *net, const char **files)
{
    const struct cw_ftree_roles none = {.roots = NULL};
    struct cw_ftree tree = {0};
    const int rc = cw_ftree_new(net, &none, &tree);
    cw_ftree_free(&tree);
    *files = rc == CW_EUSAGE ? "root_guid_file FILE, cn_guid_file FILE" : NULL;
    return rc == CW_EUSAGE ? 0 : rc;
}

static bool ftree_accepts(const struct cw_network *net, const void *values)
{
    static const struct ftree defaults;
    struct cw_ftree_roles roles = {0};
    struct cw_ftree tree = {0};
    char why[sizeof tree.why];
    uint32_t n_roots;
    int rc = read_roles(net, values ? values : &defaults, &roles);
    if (rc == 0) rc = open_tree(net, &roles, &tree, &n_roots, why, sizeof why);
    cw_ftree_free(&tree);
    free_roles(&roles);
    return rc == 0;
}

static int fill(const struct cw_network *net, const struct ftree *values, struct cw_lft *tables, uint8_t *to_switches)
{
    const char *title = net->title ? net->title : "the network";
    struct cw_ftree_roles roles = {0};
    struct cw_ftree tree = {0};
    char why[sizeof tree.why];
    uint32_t n_roots;
    int rc = read_roles(net, values, &roles);
    if (rc == 0) rc = open_tree(net, &roles, &tree, &n_roots, why, sizeof why);
    if (rc == CW_EUSAGE && tree.why[0]) cw_fail(rc, "ftree refuses %s, as OpenSM does: %s", title, tree.why);
    if (rc == 0 && n_roots > 0 && !to_switches)
        cw_inputs_remark(title, 0,
                         "OpenSM's ftree refuses without files: %s. These are its tables with the %u switches from "
                         "which hosts are nearest as roots, and hosts without aggregation nodes as compute nodes: "
                         "route --write-roots and --write-compute write them for root_guid_file and cn_guid_file",
                         why, n_roots);
    if (rc == 0) rc = cw_ftree_route(&tree, tables, to_switches);
    cw_ftree_free(&tree);
    free_roles(&roles);
    return rc;
}

/* The loads on which the ways to switches depend are those of all routes, which are laid again. */
static int ftree_to_switches(const struct cw_network *net, const void *values, const struct cw_routes *routes,
                             unsigned n_threads, uint8_t *ports)
{
    (void)routes, (void)n_threads;
    struct cw_lft *tables;
    int rc = cw_lft_new(net, &tables);
    if (rc) return rc;
    rc = fill(net, values, tables, ports);
    cw_lft_free(tables);
    return rc;
}

static int ftree_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                         struct cw_routes **out)
{
    (void)seed;
    struct cw_lft *tables;
    int rc = cw_lft_new(net, &tables);
    if (rc) return rc;
    rc = fill(net, values, tables, NULL);
    if (rc) {
        cw_lft_free(tables);
        return rc;
    }
    rc = cw_lft_finish_as(tables, "ftree", 0, n_threads, out);
    if (rc == 0) (*out)->complete = true; /* OpenSM leaves holes, too */
    return rc;
}

static const struct cw_option options[] = {
    {.name = "roots",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct ftree, roots),
     .help = "the root switches, a GUID or a name in each line; the tree need not be regular then (OpenSM: -a)"},
    {.name = "compute",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct ftree, compute),
     .help = "the compute nodes, a port GUID or a name in each line; the others are routed after them (OpenSM: -u)"},
    {.name = "io",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct ftree, io),
     .help = "the I/O nodes, likewise; without compute, all others are compute nodes (OpenSM: -G)"},
    {.name = "max_reverse_hops",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct ftree, max_reverse_hops),
     .default_text = "0",
     .min = 0,
     .max = CW_FTREE_RANKS,
     .help = "at so many switches ways to an I/O node may turn down and climb again (OpenSM: -H)"},
    {.name = NULL}};

const struct cw_engine cw_engine_ftree = {
    .name = "ftree",
    .opensm = "ftree",
    .opensm_files = ftree_files,
    .help = "fat trees: the tables of OpenSM's engine ftree, entry by entry",
    .needs = "a tree of 2 to 8 ranks of switches, all compute nodes at the lowest, equal switches at each",
    .options = options,
    .size = sizeof(struct ftree),
    .deadlock_freedom = CW_CLAIM_NONE,
    .explains = true,
    .accepts = ftree_accepts,
    .compile = ftree_compile,
    .to_switches = ftree_to_switches};
