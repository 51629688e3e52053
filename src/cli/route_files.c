/* What crosswind route writes of routes. */
#include "cli/route_files.h"

#include "base/error.h"
#include "base/text.h"
#include "route/engine.h"
#include "route/files/lft_file.h"
#include "route/service_levels.h"
#include "route/tables.h"

static int write_file(const struct cw_routes *routes, int write(const struct cw_routes *, struct cw_text *),
                      const char *path)
{
    struct cw_text text = {0};
    if (!path) return 0;
    int rc = write(routes, &text);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    return rc;
}

/* The tables with every entry, for a subnet manager. */
static int write_filled(const struct cw_routes *tables, unsigned n_threads, const char *path)
{
    struct cw_routes *filled = NULL;
    if (!path) return 0;
    int rc = cw_routes_fill_tables(tables, n_threads, &filled);
    if (!rc) rc = write_file(filled, cw_lft_write, path);
    cw_routes_free(filled);
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
                   "The network file gives no LID to %u switches and %u endpoints. The tables that were written do not "
                   "lead to them, and a subnet manager that loads these cannot manage the switches. A map that "
                   "ibnetdiscover prints has all LIDs.",
                   switches, endpoints);
}

/* ROUTES as tables in *MADE, unless they are that. */
static int make_tables(const struct route_files *files, const struct cw_routes *routes, unsigned n_threads,
                       struct cw_routes **made)
{
    const bool levels = files->records || files->sl2vl || files->json;
    if (cw_routes_kind(routes) == CW_ROUTES_TABLE) return 0;
    if (levels && cw_routes_lanes(routes) > 1)
        return cw_fail(CW_EUSAGE,
                       "the lanes of %s are not those of service levels; expected a routing that has them, or one "
                       "lane, for --write-path-records, --write-sl2vl and --write-json",
                       cw_routes_name(routes));
    return cw_routes_to_tables(routes, n_threads, made);
}

int route_files_write(struct invocation *invocation, const struct route_files *files, const struct fabric *fabric)
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
    if (!rc) rc = write_filled(tables, n_threads, files->tables);
    if (!rc) rc = write_file(tables, cw_lft_write_json, files->json);
    if (!rc && tables_too) note_without_lids(invocation, fabric->net);
    if (!rc) rc = write_file(tables, cw_path_records_write, files->records);
    if (!rc) rc = write_file(tables, cw_sl2vl_write, files->sl2vl);
    cw_routes_free(made);
    return rc;
}
