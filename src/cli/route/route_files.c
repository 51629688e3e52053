/* What crosswind route writes of routes. */
#include "cli/route/route_files.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "route/engine.h"
#include "route/files/lft_file.h"
#include "route/files/lft_internal.h"
#include "route/lft.h"
#include "route/roots.h"
#include "route/service_levels.h"

/* What the files will hold; NULL or empty: they are not written. Tables may be larger than memory. */
struct contents {
    struct cw_draft *tables, *json;
    const char *found; /* where the draft is that is read back: the tables', else JSON's */
    struct cw_text records, sl2vl, roots, compute;
};

static void free_contents(struct contents *contents)
{
    cw_draft_free(contents->tables);
    cw_draft_free(contents->json);
    cw_text_free(&contents->records);
    cw_text_free(&contents->sl2vl);
    cw_text_free(&contents->roots);
    cw_text_free(&contents->compute);
}

/* --- lists of GUIDs ----------------------------------------------------------------------------------------------- */

static void add_guid(const struct cw_network *net, uint32_t v, struct cw_text *text)
{
    char name[CW_NAME_SIZE];
    const uint64_t guid = cw_network_is_endpoint(net, v) ? cw_lft_port_guid(net, v) : cw_lft_switch_guid(net, v);
    cw_text_printf(text, "0x%016" PRIx64 " # %s\n", guid, cw_network_name(net, v, name, sizeof name));
}

/* The top switches, for root_guid_file. */
static int compose_roots(struct invocation *invocation, const char *file, const struct cw_network *net,
                         struct cw_text *text)
{
    uint32_t *roots = cw_new_array(cw_network_switches(net), sizeof *roots, "root switches"), n = 0;
    const int rc = roots ? cw_roots_add_tops(net, roots, &n) : CW_ENOMEM;
    for (uint32_t i = 0; !rc && i < n; i++) add_guid(net, roots[i], text);
    free(roots);
    if (rc) return rc;
    cw_result_note(invocation->result,
                   "%s has the %u switch%s from which the hosts are nearest. Into opensm.conf: root_guid_file %s, for "
                   "routing_engine updn or ftree.",
                   file, n, n == 1 ? "" : "es", file);
    return cw_text_check(text);
}

/* The hosts, for cn_guid_file. */
static int compose_compute(struct invocation *invocation, const char *file, const struct cw_network *net,
                           struct cw_text *text)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        if (cw_network_degree(net, e) == 0 || (net->identity && net->identity[e].kind != CW_KIND_HOST)) continue;
        add_guid(net, e, text);
        n++;
    }
    cw_result_note(
        invocation->result,
        "%s has the ports of %u host%s, without aggregation nodes and routers. Into opensm.conf: cn_guid_file "
        "%s, for routing_engine ftree.",
        file, n, cw_plural(n), file);
    return cw_text_check(text);
}

static int compose_lists(struct invocation *invocation, const struct route_files *files, const struct cw_network *net,
                         struct contents *contents)
{
    int rc = files->roots ? compose_roots(invocation, files->roots, net, &contents->roots) : 0;
    if (!rc && files->compute) rc = compose_compute(invocation, files->compute, net, &contents->compute);
    return rc;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static int append(void *context, const struct cw_text *table) /* a cw_lft_take */
{
    return cw_draft_append(context, table);
}

/* The tables with every entry, for a subnet manager. */
static int draft_tables(const char *file, const struct cw_routes *tables, unsigned n_threads, struct contents *contents)
{
    struct cw_routes *filled = NULL;
    int rc = cw_routes_fill_tables(tables, n_threads, &filled);
    if (!rc) rc = cw_draft_begin(file, &contents->tables);
    if (!rc) rc = cw_lft_write_each(filled, append, contents->tables);
    if (!rc) rc = cw_draft_end(contents->tables, &contents->found);
    cw_routes_free(filled);
    return rc;
}

static int draft_json(const char *file, const struct cw_routes *tables, struct contents *contents)
{
    struct cw_text text = {0};
    int rc = cw_lft_write_json(tables, &text);
    if (!rc) rc = cw_draft_begin(file, &contents->json);
    if (!rc) rc = cw_draft_append(contents->json, &text);
    if (!rc) rc = cw_draft_end(contents->json, contents->found ? NULL : &contents->found);
    cw_text_free(&text);
    return rc;
}

static int compose(const struct route_files *files, const struct cw_routes *tables, unsigned n_threads,
                   struct contents *contents)
{
    int rc = files->tables ? draft_tables(files->tables, tables, n_threads, contents) : 0;
    if (!rc && files->json) rc = draft_json(files->json, tables, contents);
    if (!rc && files->records) rc = cw_path_records_write(tables, &contents->records);
    if (!rc && files->sl2vl) rc = cw_sl2vl_write(tables, &contents->sl2vl);
    return rc;
}

static int write_contents(const struct route_files *files, const struct contents *contents)
{
    int rc = contents->tables ? cw_draft_commit(contents->tables) : 0;
    if (!rc && contents->json) rc = cw_draft_commit(contents->json);
    if (!rc && files->records) rc = cw_file_write(files->records, &contents->records);
    if (!rc && files->sl2vl) rc = cw_file_write(files->sl2vl, &contents->sl2vl);
    if (!rc && files->roots) rc = cw_file_write(files->roots, &contents->roots);
    if (!rc && files->compute) rc = cw_file_write(files->compute, &contents->compute);
    return rc;
}

/* A network file may know LIDs, but not all: what was edited or comes from other tools, for example. */
static void note_without_lids(struct invocation *invocation, const struct cw_network *net)
{
    uint32_t with = 0, switches = 0, endpoints = 0;
    for (uint32_t v = 0; net->identity && v < net->n_vertices; v++) {
        if (net->identity[v].lid != 0)
            with++;
        else if (cw_network_is_endpoint(net, v))
            endpoints++;
        else
            switches++;
    }
    if (with == 0 || switches + endpoints == 0) return;
    cw_result_note(invocation->result,
                   "The network file gives no LID to %u switch%s and %u endpoint%s. The written tables do not lead to "
                   "them, so a subnet manager that loads these tables cannot manage the switches. The output of "
                   "ibnetdiscover has all LIDs.",
                   switches, switches == 1 ? "" : "es", endpoints, cw_plural(endpoints));
}

/* ROUTES as tables in *MADE, unless they are that. */
static int make_tables(const struct route_files *files, const struct cw_routes *routes, unsigned n_threads,
                       struct cw_routes **made)
{
    const bool levels = files->records || files->sl2vl || files->json;
    if (cw_routes_kind(routes) == CW_ROUTES_TABLE) return 0;
    if (levels && cw_routes_lanes(routes) > 1)
        return cw_fail(
            CW_EUSAGE,
            "the lanes of %s do not follow from service levels; expected a routing with service levels, or one "
            "lane, for --write-path-records, --write-sl2vl and --write-json",
            cw_routes_name(routes));
    return cw_routes_to_tables(routes, n_threads, made);
}

/* --- what was written --------------------------------------------------------------------------------------------- */

/* The lanes that are written beside the tables, which hold none themselves. ROUTES: those that were to be written. */
static int read_lanes(const struct route_files *files, const struct contents *contents, const struct cw_routes *routes,
                      struct cw_routes *back)
{
    const struct cw_levels_file records = {files->records, contents->records.data, contents->records.length};
    const struct cw_levels_file sl2vl = {files->sl2vl, contents->sl2vl.data, contents->sl2vl.length};
    struct cw_service_levels *levels;
    if (files->records && files->sl2vl) {
        const int rc = cw_service_levels_parse(cw_routes_network(routes), &records, &sl2vl, &levels);
        return rc ? rc : cw_routes_set_service_levels(back, levels);
    }
    if (cw_routes_lanes_known(routes)) cw_routes_set_one_lane(back);
    return 0;
}

/* Reads back what was drafted; of two files of tables the one that OpenSM loads. */
static int read_back(const struct route_files *files, const struct contents *contents, const struct cw_routes *routes,
                     struct cw_routes **back)
{
    const char *file = files->tables ? files->tables : files->json;
    struct cw_routes *made;
    int rc = cw_lft_read_back(cw_routes_network(routes), contents->found, file, cw_routes_lids(routes), &made);
    if (rc) return rc;
    if (files->tables) rc = read_lanes(files, contents, routes, made);
    if (rc)
        cw_routes_free(made);
    else
        *back = made;
    return rc;
}

/* Packets that go round in circles hold up all others: no file may say so. */
static int refuse_loops(const char *file, const struct cw_routes *back, unsigned n_threads)
{
    int rc = 0;
    for (uint32_t lid = 0; !rc && lid < cw_routes_lids(back); lid++) {
        struct cw_reach reach;
        rc = cw_routes_reach(cw_routes_to_lid(back, lid), NULL, 0, n_threads, &reach);
        if (rc) return rc;
        if (reach.loops > 0)
            rc = cw_fail(CW_EROUTE,
                         "%s is not written: with its tables, packets of %llu pair%s would go round in circles "
                         "(%s); expected routes that arrive",
                         file, (unsigned long long)reach.loops, cw_plural(reach.loops), reach.first_problem.data);
        cw_reach_free(&reach);
    }
    return rc;
}

/* That what follows is about the file, and what of the routes it does not hold. */
static void note_written(struct invocation *invocation, const struct route_files *files, const struct cw_routes *routes,
                         const struct cw_routes *back)
{
    const char *file = files->tables ? files->tables : files->json;
    const uint32_t lanes = cw_routes_lanes(routes);
    if (files->tables && files->records && files->sl2vl)
        cw_result_note(invocation->result,
                       "%s was read back with the lanes in %s and %s: the checks apply to these files.", file,
                       files->records, files->sl2vl);
    else
        cw_result_note(invocation->result, "%s was read back: the checks apply to this file.", file);
    if (lanes > 1 && cw_routes_lanes(back) == 1)
        cw_result_note(invocation->result,
                       "%s uses %u virtual lanes, but this file holds none, so all packets share one. %s",
                       cw_routes_name(routes), lanes,
                       cw_routes_kind(routes) == CW_ROUTES_TABLE
                           ? "--write-path-records and --write-sl2vl write the lanes beside it."
                           : "These lanes do not follow from service levels, so they cannot be written.");
}

/* Composes what files of routes hold; *BACK are the tables that were read back. */
static int compose_routes(const struct invocation *invocation, const struct route_files *files,
                          const struct fabric *fabric, struct contents *contents, struct cw_routes **back)
{
    const struct routing *routing = &invocation->routing;
    const unsigned n_threads = (unsigned)invocation->common.threads;
    const bool tables_too = files->tables || files->json;
    struct cw_routes *made = NULL;
    if (!tables_too && !files->records && !files->sl2vl) return 0;
    int rc = make_tables(files, fabric->routes, n_threads, &made);
    struct cw_routes *tables = made ? made : fabric->routes;
    if (!rc && tables_too && !routing->lft && !routing->paths)
        rc = cw_engine_to_switches(tables, routing->name, n_threads);
    if (!rc) rc = compose(files, tables, n_threads, contents);
    if (!rc && tables_too) rc = read_back(files, contents, fabric->routes, back);
    if (!rc && tables_too) rc = refuse_loops(files->tables ? files->tables : files->json, *back, n_threads);
    cw_routes_free(made);
    return rc;
}

int route_files_write(struct invocation *invocation, const struct route_files *files, const struct fabric *fabric,
                      struct cw_routes **written)
{
    struct cw_routes *back = NULL;
    struct contents contents = {.tables = NULL};
    int rc = compose_routes(invocation, files, fabric, &contents, &back);
    if (!rc) rc = compose_lists(invocation, files, fabric->net, &contents);
    if (!rc) rc = write_contents(files, &contents);
    if (!rc && back) note_without_lids(invocation, fabric->net);
    if (!rc && back) note_written(invocation, files, fabric->routes, back);
    free_contents(&contents);
    if (rc)
        cw_routes_free(back);
    else
        *written = back;
    return rc;
}
