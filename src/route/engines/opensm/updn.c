/*
 * Up-down routing of any network with the tables of OpenSM's updn: switches are ranked by their distance from the
 * roots, paths go up towards these first and then down only, and each switch spreads the destinations over its ports as
 * minhop does. Roots are given, or those that OpenSM finds; where it finds none, and so refuses, the top of the tree
 * has them, or the most central switch if it is none (route/roots.h), which is remarked.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/opensm/updown.h"
#include "route/roots.h"

struct options {
    struct cw_opensm_options opensm;
    char *roots, *ids;
};

static const char *title_of(const struct cw_network *net)
{
    return net->title ? net->title : "this network";
}

/* --- roots -------------------------------------------------------------------------------------------------------- */

/* Endpoints in a list of roots stand for their switch; OpenSM passes over their GUIDs. */
static int read_roots(const struct cw_network *net, const char *file, uint32_t **out, uint32_t *n)
{
    uint32_t *roots = NULL, kept = 0;
    const int rc = cw_opensm_vertices(net, file, CW_OPENSM_SWITCHES + CW_OPENSM_NAMED_ENDPOINTS, &roots, n);
    if (rc) return rc;
    for (uint32_t i = 0; i < *n; i++) {
        uint32_t v = roots[i];
        if (cw_network_is_endpoint(net, v)) v = cw_network_degree(net, v) > 0 ? net->head[net->first[v]] : v;
        if (!cw_network_is_endpoint(net, v)) roots[kept++] = v;
    }
    *out = roots;
    *n = kept;
    return kept > 0 ? 0 : cw_fail(CW_EUSAGE, "%s names no switch, expected the roots of updn, one a line", file);
}

/* OpenSM also takes leaves for roots where each has less than 5 % of the endpoints. */
static void remark_cables_between(const struct cw_network *net, const uint32_t *roots, uint32_t n, const bool *is_root)
{
    uint32_t cables = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->first[roots[i]]; c < net->first[roots[i] + 1]; c++)
            cables += is_root[net->head[c]] && net->head[c] > roots[i];
    if (cables > 0)
        cw_inputs_remark(
            title_of(net), 0,
            "OpenSM's updn finds %u roots among %u switches, with %u cables between them, on which there is "
            "no up and down: routes need not be free of deadlocks. roots=FILE (opensm -a) names the top "
            "switches",
            n, cw_network_switches(net), cables);
}

static int remark_found(const struct cw_network *net, const uint32_t *roots, uint32_t n)
{
    bool *is_root = cw_new_array(net->n_vertices, sizeof *is_root, "roots of updn");
    if (!is_root) return CW_ENOMEM;
    for (uint32_t i = 0; i < n; i++) is_root[roots[i]] = true;
    remark_cables_between(net, roots, n, is_root);
    free(is_root);
    return 0;
}

static int find_roots(const struct cw_network *net, bool as_opensm, bool remarks, uint32_t **out, uint32_t *n)
{
    static const char none[] = "there is no switch to which more than 90% of the endpoints are equally far and no more "
                               "than 5% at any other distance";
    char name[CW_NAME_SIZE];
    uint32_t found;
    int rc = cw_roots_of_opensm(net, out, n);
    if (rc) return rc;
    found = *n;
    rc = cw_roots_add_tops(net, *out, n);
    if (rc) return rc;
    if (*n == found) return found > 0 && remarks ? remark_found(net, *out, found) : 0;
    cw_network_name(net, (*out)[found], name, sizeof name);
    if (as_opensm)
        return cw_fail(CW_EUSAGE, "updn finds no root in %s%s%s, nor does OpenSM: %s; expected roots=FILE",
                       title_of(net), found > 0 ? " around " : "", found > 0 ? name : "", none);
    if (remarks && *n == found + 1)
        cw_inputs_remark(
            title_of(net), 0,
            "OpenSM's updn finds no root and refuses: %s. The root is %s, from which the hosts are nearest", none,
            name);
    else if (remarks)
        cw_inputs_remark(title_of(net), 0,
                         "OpenSM's updn finds no root and refuses: %s. The roots are the %u switches from which the "
                         "hosts are nearest, %s and others; route --write-roots writes them for its root_guid_file",
                         none, *n - found, name);
    return 0;
}

static int updn_files(const struct cw_network *net, const char **files)
{
    uint32_t *roots, n;
    int rc = cw_roots_of_opensm(net, &roots, &n);
    if (rc) return rc;
    const uint32_t found = n;
    rc = cw_roots_add_tops(net, roots, &n);
    free(roots);
    *files = n > found ? "root_guid_file FILE" : NULL;
    return rc;
}

static int choose_roots(const struct cw_network *net, const char *how, bool remarks, uint32_t **out, uint32_t *n)
{
    if (how && strcmp(how, "found") != 0 && strcmp(how, "any") != 0) return read_roots(net, how, out, n);
    return find_roots(net, how && strcmp(how, "found") == 0, remarks, out, n);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static const char *take_id(void *context, uint32_t v, const uint64_t *numbers, uint32_t n)
{
    const struct cw_updown *updown = context;
    updown->id[v - updown->net->n_endpoints] = n > 0 ? numbers[0] : 0;
    return NULL;
}

/* Everything that is needed to choose ports. */
struct updn {
    struct cw_opensm opensm;
    struct cw_updown updown;
};

static int open_updn(const struct cw_network *net, const struct options *options, bool remarks, struct updn *updn)
{
    uint32_t *roots = NULL, n = 0;
    *updn = (struct updn){.opensm = {.net = NULL}};
    int rc = choose_roots(net, options->roots, remarks, &roots, &n);
    if (rc == 0) rc = cw_updown_open(net, CW_UPDOWN_UP_FIRST, roots, n, &updn->updown);
    if (rc == 0 && options->ids) rc = cw_opensm_numbers(net, options->ids, 1, take_id, &updn->updown);
    if (rc == 0) rc = cw_opensm_open(net, "updn", &options->opensm, false, &updn->opensm);
    if (rc == 0) rc = cw_updown_search_by(&updn->updown, &updn->opensm);
    free(roots);
    return rc;
}

static void free_updn(struct updn *updn)
{
    cw_opensm_free(&updn->opensm);
    cw_updown_free(&updn->updown);
}

static int updn_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                        struct cw_routes **out)
{
    (void)seed;
    struct updn updn;
    int rc = open_updn(net, values, true, &updn);
    if (rc == 0) rc = cw_opensm_tables(&updn.opensm, n_threads, out);
    free_updn(&updn);
    return rc;
}

static int updn_to_switches(const struct cw_network *net, const void *values, const struct cw_routes *routes,
                            unsigned n_threads, uint8_t *ports)
{
    struct updn updn;
    int rc = open_updn(net, values, false, &updn);
    if (rc == 0) rc = cw_opensm_to_switches(&updn.opensm, routes, n_threads, ports);
    free_updn(&updn);
    return rc;
}

static const char *const ways[] = {"any", "found", NULL};

static const struct cw_option options[] = {
    {.name = "roots",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct options, roots),
     .default_text = "any",
     .choices = ways,
     .positional = true,
     .help =
         "switches of rank 0, one name or GUID a line (as opensm -a; an endpoint's name stands for its switch). "
         "found: those that OpenSM finds, refused where it finds none; any: there, the top switches of a tree, else "
         "the switch that is nearest to all hosts"},
    {.name = "ids",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct options, ids),
     .help = "lines of a switch and the number by which it is compared with others of its rank, instead of its node "
             "GUID; as OpenSM's ids_guid_file"},
    CW_OPENSM_OPTIONS(struct options),
    {.name = NULL}};

const struct cw_engine cw_engine_updn = {
    .name = "updn",
    .opensm = "updn",
    .opensm_files = updn_files,
    .help = "any network: paths that go up towards the roots, then down, spread evenly over ports; OpenSM's tables",
    .needs = "a network with one cable at each endpoint",
    .options = options,
    .size = sizeof(struct options),
    .deadlock_freedom = CW_CLAIM_NONE,
    .one_way = true,
    .accepts = cw_opensm_accepts,
    .compile = updn_compile,
    .to_switches = updn_to_switches};
