#include "route/service_levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

uint32_t cw_service_levels_of(const struct cw_service_levels *levels, uint32_t src, uint32_t dst)
{
    return levels->level[(size_t)src * levels->net->n_endpoints + dst];
}

uint32_t cw_service_levels_lane(const struct cw_service_levels *levels, uint32_t before, uint32_t channel, uint32_t sl)
{
    return cw_lane_in(cw_level_lanes(levels, before, channel), sl);
}

/* --- making ------------------------------------------------------------------------------------------------------- */

int cw_service_levels_new(const struct cw_network *net, uint32_t lanes, struct cw_service_levels **out)
{
    struct cw_service_levels *levels = cw_new_array(1, sizeof *levels, "service levels");
    if (!levels) return CW_ENOMEM;
    levels->net = net;
    levels->lanes = lanes;
    levels->level = cw_new_array((size_t)net->n_endpoints * net->n_endpoints, sizeof *levels->level, "service levels");
    if (!levels->level) {
        cw_service_levels_free(levels);
        return CW_ENOMEM;
    }
    cw_use_large_pages(levels->level, (size_t)net->n_endpoints * net->n_endpoints); /* read by columns, too */
    *out = levels;
    return 0;
}

void cw_service_levels_set(struct cw_service_levels *levels, uint32_t src, uint32_t dst, uint32_t sl)
{
    levels->level[(size_t)src * levels->net->n_endpoints + dst] = (uint8_t)sl;
}

int cw_service_levels_new_maps(const struct cw_network *net, uint32_t lanes, struct cw_service_levels **out)
{
    static const char what[] = "service levels";
    size_t rows = 0;
    struct cw_service_levels *levels;
    const int rc = cw_service_levels_new(net, lanes, &levels);
    if (rc) return rc;
    levels->first_row = cw_new_array((size_t)net->n_vertices + 1, sizeof *levels->first_row, what);
    for (uint32_t v = 0; levels->first_row && v < net->n_vertices; v++) {
        const size_t degree = cw_network_degree(net, v);
        levels->first_row[v] = rows;
        rows += cw_network_is_endpoint(net, v) ? degree : degree * degree;
    }
    if (levels->first_row) levels->first_row[net->n_vertices] = rows;
    levels->row = cw_new_array(rows, sizeof *levels->row, what);
    if (!levels->first_row || !levels->row) {
        cw_service_levels_free(levels);
        return CW_ENOMEM;
    }
    *out = levels;
    return 0;
}

/* Levels of which nothing is known yet. */
static int new_unknown(const struct cw_network *net, struct cw_service_levels **out)
{
    struct cw_service_levels *levels;
    const int rc = cw_service_levels_new_maps(net, 0, &levels);
    if (rc) return rc;
    levels->given = cw_new_array(levels->first_row[net->n_vertices], sizeof *levels->given, "service levels");
    if (!levels->given) {
        cw_service_levels_free(levels);
        return CW_ENOMEM;
    }
    memset(levels->level, CW_LEVEL_UNKNOWN, (size_t)net->n_endpoints * net->n_endpoints);
    *out = levels;
    return 0;
}

void cw_service_levels_free(struct cw_service_levels *levels)
{
    if (!levels) return;
    free(levels->level);
    free(levels->first_row);
    free(levels->row);
    free(levels->given);
    free(levels);
}

static int check_pairs(const struct cw_service_levels *levels, const char *file)
{
    const struct cw_network *net = levels->net;
    char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
    for (uint32_t src = 0; src < net->n_endpoints; src++) {
        if (cw_network_degree(net, src) == 0) continue;
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            if (src == dst || cw_network_degree(net, dst) == 0) continue;
            if (cw_service_levels_of(levels, src, dst) == CW_LEVEL_UNKNOWN)
                return cw_fail_at(file, 0,
                                  "there is no path record from %s to %s, expected one for every pair of endpoints; is "
                                  "the file whole?",
                                  cw_network_name(net, src, from, sizeof from),
                                  cw_network_name(net, dst, to, sizeof to));
        }
    }
    return 0;
}

/* What may come in by a cable may go on by any other. */
static int check_rows(const struct cw_service_levels *levels, const char *file)
{
    const struct cw_network *net = levels->net;
    char name[CW_NAME_SIZE];
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const uint32_t degree = cw_network_degree(net, v);
        cw_network_name(net, v, name, sizeof name);
        if (cw_network_is_endpoint(net, v)) {
            if (degree > 0 && !levels->given[levels->first_row[v]])
                return cw_fail_at(file, 0, "there is no row of %s, expected one for every endpoint; is the file whole?",
                                  name);
            continue;
        }
        for (size_t i = 0; i < (size_t)degree * degree; i++) {
            const uint32_t in = (uint32_t)(i / degree), out = (uint32_t)(i % degree);
            if (in != out && !levels->given[levels->first_row[v] + i])
                return cw_fail_at(file, 0,
                                  "there is no row of %s from port %u to port %u, expected one for every pair of "
                                  "connected ports; is the file whole?",
                                  name, cw_network_port(net, net->first[v] + in),
                                  cw_network_port(net, net->first[v] + out));
        }
    }
    return 0;
}

/* One more than the highest lane to which a level that some pair has is mapped anywhere. */
static uint32_t count_lanes(const struct cw_service_levels *levels)
{
    const struct cw_network *net = levels->net;
    bool used[CW_SERVICE_LEVELS] = {false};
    uint32_t most = 0;
    for (size_t i = 0; i < (size_t)net->n_endpoints * net->n_endpoints; i++)
        if (levels->level[i] < CW_SERVICE_LEVELS) used[levels->level[i]] = true;
    for (size_t i = 0; i < levels->first_row[net->n_vertices]; i++)
        for (uint32_t sl = 0; sl < CW_SERVICE_LEVELS && levels->given[i]; sl++) {
            const uint32_t lane = cw_lane_in(levels->row[i], sl);
            if (used[sl] && lane != CW_LANE_DISCARDED && lane > most) most = lane;
        }
    return most + 1;
}

int cw_service_levels_make(const struct cw_network *net, const struct cw_levels_source *source,
                           struct cw_service_levels **out)
{
    struct cw_lft_names names;
    struct cw_service_levels *levels;
    int rc = cw_lft_check_network(net);
    if (rc == 0) rc = new_unknown(net, &levels);
    if (rc) return rc;
    rc = cw_lft_names_new(net, &names);
    if (rc == 0) {
        rc = source->fill(source->context, &names, levels);
        cw_lft_names_free(&names);
    }
    if (rc == 0) rc = check_pairs(levels, source->pairs);
    if (rc == 0) rc = check_rows(levels, source->maps);
    if (rc == 0) levels->lanes = count_lanes(levels);
    free(levels->given);
    levels->given = NULL;
    if (rc)
        cw_service_levels_free(levels);
    else
        *out = levels;
    return rc;
}

struct files {
    const struct cw_levels_file *path_records, *sl2vl;
};

static int read_both(void *context, const struct cw_lft_names *names, struct cw_service_levels *levels)
{
    const struct files *files = context;
    const int rc = cw_levels_read_paths(names, files->path_records, levels);
    return rc ? rc : cw_levels_read_maps(names, files->sl2vl, levels);
}

int cw_service_levels_parse(const struct cw_network *net, const struct cw_levels_file *path_records,
                            const struct cw_levels_file *sl2vl, struct cw_service_levels **out)
{
    struct files files = {path_records, sl2vl};
    const struct cw_levels_source source = {path_records->name, sl2vl->name, read_both, &files};
    return cw_service_levels_make(net, &source, out);
}

int cw_service_levels_read(const struct cw_network *net, const char *path_records, const char *sl2vl,
                           struct cw_service_levels **out)
{
    struct cw_text paths = {0}, maps = {0};
    int rc = cw_file_read(path_records, &paths);
    if (rc == 0) rc = cw_file_read(sl2vl, &maps);
    if (rc == 0) {
        const struct cw_levels_file a = {path_records, paths.data, paths.length}, b = {sl2vl, maps.data, maps.length};
        rc = cw_service_levels_parse(net, &a, &b, out);
    }
    cw_text_free(&paths);
    cw_text_free(&maps);
    return rc;
}

void cw_routes_set_one_lane(struct cw_routes *routes)
{
    for (; routes; routes = routes->next_lid) routes->lanes_unknown = false;
}

int cw_routes_set_service_levels(struct cw_routes *routes, struct cw_service_levels *levels)
{
    if (routes->kind != CW_ROUTES_TABLE || routes->net != levels->net) {
        cw_service_levels_free(levels);
        return cw_fail(CW_EUSAGE, "service levels are for the forwarding tables of the fabric they were read for");
    }
    cw_service_levels_free(routes->levels);
    routes->levels = levels;
    routes->lanes = levels->lanes;
    routes->lanes_unknown = false;
    return 0;
}
