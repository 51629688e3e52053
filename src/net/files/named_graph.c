#include "net/files/named_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

int cw_named_graph_open(struct cw_named_graph *graph)
{
    return cw_name_table_new(&graph->names);
}

void cw_named_graph_free(struct cw_named_graph *graph)
{
    cw_name_table_free(graph->names);
    free(graph->roles);
    free(graph->cables);
    free(graph->vertex);
}

int cw_named_graph_vertex(struct cw_named_graph *graph, unsigned long line, const char *name, size_t length,
                          uint32_t *id)
{
    if (length == 0 || length >= CW_NAME_SIZE || memchr(name, 0, length))
        return cw_fail_at(graph->file, line, "a name of %zu bytes, expected 1 to %d and no zero among them", length,
                          CW_NAME_SIZE - 1);
    int rc = cw_name_table_add(graph->names, name, length, id);
    if (rc || *id < graph->n_roles) return rc;
    rc = cw_grow_array((void **)&graph->roles, &graph->roles_capacity, (size_t)*id + 1, sizeof *graph->roles, "roles");
    if (!rc) graph->roles[graph->n_roles++] = CW_NAMED_UNSAID;
    return rc;
}

int cw_named_graph_cable(struct cw_named_graph *graph, unsigned long line, const struct cw_named_cable *cable)
{
    if (cable->a == cable->b)
        return cw_fail_at(graph->file, line, "a cable from '%s' to itself, expected two vertices",
                          cw_name_table_name(graph->names, cable->a));
    if (!(cable->capacity > 0) && (cable->one_way || !(cable->back_capacity > 0)))
        return cw_fail_at(graph->file, line, "capacity 0, expected more than 0");
    const int rc =
        cw_grow_array((void **)&graph->cables, &graph->cables_capacity, graph->n_cables + 1, sizeof *cable, "cables");
    if (!rc) graph->cables[graph->n_cables++] = *cable;
    return rc;
}

/* --- cables that are given one way -------------------------------------------------------------------------------- */

static uint64_t pair_of(const struct cw_named_cable *cable)
{
    const uint32_t low = cable->a < cable->b ? cable->a : cable->b;
    return (uint64_t)low << 32 | (cable->a ^ cable->b ^ low);
}

/* By the pair of vertices, then by direction, then in the order of the file. */
static int compare_ways(const void *a, const void *b)
{
    const struct cw_named_cable *x = *(const struct cw_named_cable *const *)a,
                                *y = *(const struct cw_named_cable *const *)b;
    if (pair_of(x) != pair_of(y)) return pair_of(x) < pair_of(y) ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* CABLE gets its way back from BACK, which is one with it from now on: both capacities of that are 0. */
static void join_ways(struct cw_named_cable *cable, struct cw_named_cable *back)
{
    cable->back_capacity = back->capacity;
    cable->back_latency = back->latency;
    if (cable->port_b == 0) cable->port_b = back->port_a;
    cable->one_way = back->one_way = false;
    back->capacity = back->back_capacity = 0;
}

static int pair_ways(struct cw_named_graph *graph)
{
    size_t n = 0, pairs = 0;
    struct cw_named_cable **ways = cw_new_array(graph->n_cables, sizeof(*ways), "cables");
    if (!ways) return CW_ENOMEM;
    for (size_t i = 0; i < graph->n_cables; i++)
        if (graph->cables[i].one_way) ways[n++] = &graph->cables[i];
    if (n > 0) qsort(ways, n, sizeof(*ways), compare_ways);
    for (size_t from = 0, back, to; from < n; from = to) {
        const uint64_t pair = pair_of(ways[from]);
        for (back = from; back < n && pair_of(ways[back]) == pair && ways[back]->a == ways[from]->a;) back++;
        for (to = back; to < n && pair_of(ways[to]) == pair;) to++;
        for (size_t i = 0; from + i < back && back + i < to; i++, pairs++) {
            const bool first = ways[from + i] < ways[back + i];
            join_ways(ways[first ? from + i : back + i], ways[first ? back + i : from + i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        struct cw_named_cable *cable = ways[i];
        if (!cable->one_way) continue;
        cable->back_capacity = pairs > 0 || graph->ways_count ? 0 : cable->capacity;
        cable->back_latency = cable->latency;
    }
    free(ways);
    n = 0;
    for (size_t i = 0; i < graph->n_cables; i++)
        if (graph->cables[i].capacity > 0 || graph->cables[i].back_capacity > 0) graph->cables[n++] = graph->cables[i];
    graph->n_cables = n;
    return 0;
}

/* --- endpoints ---------------------------------------------------------------------------------------------------- */

/* Whether vertices are endpoints goes to ENDPOINT [names]; how many are. DEGREE [names] is zero. */
static uint32_t find_endpoints(const struct cw_named_graph *graph, bool *endpoint, uint32_t *degree)
{
    const uint32_t n = cw_name_table_count(graph->names);
    uint32_t count = 0;
    for (uint32_t id = 0; id < n; id++) count += endpoint[id] = graph->roles[id] == CW_NAMED_ENDPOINT;
    if (count > 0) return count;
    for (size_t i = 0; i < graph->n_cables; i++) {
        degree[graph->cables[i].a]++;
        degree[graph->cables[i].b]++;
    }
    for (uint32_t id = 0; id < n; id++) count += endpoint[id] = degree[id] == 1 && graph->roles[id] == CW_NAMED_UNSAID;
    return count;
}

static void name_vertices(const struct cw_named_graph *graph, const bool *endpoint, uint32_t n_endpoints,
                          struct cw_builder *builder)
{
    uint32_t next_endpoint = 0, next_switch = n_endpoints;
    for (uint32_t id = 0; id < cw_name_table_count(graph->names); id++) {
        graph->vertex[id] = endpoint[id] ? next_endpoint++ : next_switch++;
        cw_builder_name(builder, graph->vertex[id], cw_name_table_name(graph->names, id));
    }
}

/* Of a plain graph. FASTEST [names] is zero. */
static void attach_endpoints(const struct cw_named_graph *graph, double *fastest, struct cw_builder *builder)
{
    const uint32_t n = cw_name_table_count(graph->names);
    for (size_t i = 0; i < graph->n_cables; i++) {
        const struct cw_named_cable *cable = graph->cables + i;
        const double capacity = cable->capacity > cable->back_capacity ? cable->capacity : cable->back_capacity;
        if (fastest[cable->a] < capacity) fastest[cable->a] = capacity;
        if (fastest[cable->b] < capacity) fastest[cable->b] = capacity;
    }
    for (uint32_t id = 0; id < n; id++) {
        char name[CW_NAME_SIZE + 2];
        const char *label = cw_name_table_name(graph->names, id);
        graph->vertex[id] = n + id;
        snprintf(name, sizeof name, "%s.h", label);
        cw_builder_name(builder, id, name);
        cw_builder_name(builder, n + id, label);
        cw_builder_cable(builder, id, 0, n + id, 0, fastest[id] > 0 ? fastest[id] : CW_DEFAULT_CAPACITY,
                         CW_DEFAULT_LATENCY);
    }
}

int cw_named_graph_build(struct cw_named_graph *graph, struct cw_builder **out)
{
    const uint32_t n = cw_name_table_count(graph->names);
    bool *endpoint = cw_new_array(n, sizeof *endpoint, "endpoints");
    uint32_t *degree = cw_new_array(n, sizeof *degree, "degrees");
    double *fastest = cw_new_array(n, sizeof *fastest, "capacities");
    graph->vertex = cw_new_array(n, sizeof *graph->vertex, "vertices");
    const int rc = endpoint && degree && fastest && graph->vertex ? pair_ways(graph) : CW_ENOMEM;
    if (!rc) {
        const uint32_t n_endpoints = find_endpoints(graph, endpoint, degree);
        const bool plain = n_endpoints == 0;
        struct cw_builder *builder =
            cw_builder_new(plain ? n : n_endpoints, plain ? n : n - n_endpoints, graph->n_cables + (plain ? n : 0));
        if (plain)
            attach_endpoints(graph, fastest, builder);
        else
            name_vertices(graph, endpoint, n_endpoints, builder);
        for (size_t i = 0; i < graph->n_cables; i++) {
            const struct cw_named_cable *cable = graph->cables + i;
            cw_builder_cable(builder, graph->vertex[cable->a], cable->port_a, graph->vertex[cable->b], cable->port_b,
                             cable->capacity, cable->latency);
            if (cable->capacity != cable->back_capacity || cable->latency != cable->back_latency)
                cw_builder_back(builder, cable->back_capacity, cable->back_latency);
        }
        *out = builder;
    }
    free(endpoint);
    free(degree);
    free(fastest);
    return rc;
}
