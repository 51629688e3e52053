#include "route/engines/minimal_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "route/routes_internal.h"

#define BLOCK 64 /* groups whose distances are held at a time */
#define ROWS  64 /* vertices of a task: tasks write to bytes that lie side by side */
#define FAR   UINT32_MAX

/* Destinations with the same distances: the endpoints of one switch, or one endpoint with several cables. */
struct group {
    uint32_t first, n;  /* in `order` */
    uint32_t sorted_by; /* endpoints at its switch */
};

struct work {
    const struct cw_network *net;
    struct cw_tables *tables;
    cw_minimal_rule *rule;
    void *context;
    uint32_t *order; /* endpoints, group by group */
    struct group *groups;
    uint32_t n_groups;
    uint32_t block; /* first group of the block */
    uint32_t in_block;
    uint32_t *distance;  /* [BLOCK][switches] hops from a switch to one that has the destination */
    uint32_t **queue;    /* for each thread: [switches] */
    uint32_t **shortest; /* for each thread: channels of a vertex */
    uint32_t *farthest;  /* for each thread: the greatest distance between switches with endpoints */
};

/* --- destinations, grouped and in order -------------------------------------------------------------------------- */

static uint32_t endpoints_at(const struct cw_network *net, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) n += cw_network_is_endpoint(net, net->head[c]);
    return n;
}

static void add_group(struct work *work, uint32_t n, uint32_t sorted_by)
{
    const uint32_t first =
        work->n_groups > 0 ? work->groups[work->n_groups - 1].first + work->groups[work->n_groups - 1].n : 0;
    if (n > 0) work->groups[work->n_groups++] = (struct group){first, n, sorted_by};
}

/* Adds the groups of switch V: its endpoints with one cable, then each other of which this is the first switch. */
static void add_groups_of(struct work *work, uint32_t v, uint32_t *next)
{
    const struct cw_network *net = work->net;
    const uint32_t at_switch = endpoints_at(net, v);
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        if (!cw_network_is_endpoint(net, net->head[c]) || cw_network_degree(net, net->head[c]) > 1) continue;
        work->order[(*next)++] = net->head[c];
        n++;
    }
    add_group(work, n, at_switch);
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t e = net->head[c];
        if (!cw_network_is_endpoint(net, e) || cw_network_degree(net, e) < 2 || net->twin[c] != net->first[e]) continue;
        work->order[(*next)++] = e;
        add_group(work, 1, at_switch);
    }
}

/* Descending number of endpoints at the switch; groups were made, and their endpoints lie, in order of switches and
 * ports. */
static int compare_groups(const void *a, const void *b)
{
    const struct group *g = a, *h = b;
    if (g->sorted_by != h->sorted_by) return g->sorted_by > h->sorted_by ? -1 : 1;
    return (g->first > h->first) - (g->first < h->first);
}

static int make_groups(struct work *work)
{
    const struct cw_network *net = work->net;
    uint32_t next = 0;
    work->order = cw_new_array(net->n_endpoints, sizeof *work->order, "destinations");
    work->groups = cw_new_array(net->n_endpoints, sizeof *work->groups, "destinations");
    if (!work->order || !work->groups) return CW_ENOMEM;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) add_groups_of(work, v, &next);
    qsort(work->groups, work->n_groups, sizeof *work->groups, compare_groups);
    return 0;
}

/* --- distances --------------------------------------------------------------------------------------------------- */

/* Distances to group BLOCK + i, breadth first. */
static int search_group(void *context, size_t i, unsigned thread)
{
    const struct work *work = context;
    const struct cw_network *net = work->net;
    const uint32_t base = net->n_endpoints, switches = cw_network_switches(net);
    const uint32_t e = work->order[work->groups[work->block + i].first];
    uint32_t *distance = work->distance + i * switches, *queue = work->queue[thread], n = 0;
    memset(distance, 0xff, switches * sizeof *distance);
    for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++) {
        const uint32_t v = net->head[c];
        if (v < base || distance[v - base] == 0) continue;
        distance[v - base] = 0;
        queue[n++] = v;
    }
    for (uint32_t i_queue = 0; i_queue < n; i_queue++) {
        const uint32_t v = queue[i_queue];
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t w = net->head[c];
            if (w < base) {
                if (distance[v - base] > work->farthest[thread]) work->farthest[thread] = distance[v - base];
            } else if (distance[w - base] == FAR && !cw_network_is_closed(net, net->twin[c])) {
                distance[w - base] = distance[v - base] + 1;
                queue[n++] = w;
            }
        }
    }
    return 0;
}

/* --- entries ----------------------------------------------------------------------------------------------------- */

/* Channels of V that lead to a switch at DISTANCE, into SHORTEST; the result is their number. */
static uint32_t channels_to_distance(const struct cw_network *net, uint32_t v, const uint32_t *distances,
                                     uint32_t distance, uint32_t *shortest)
{
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t w = net->head[c];
        if (w < net->n_endpoints || distances[w - net->n_endpoints] != distance) continue;
        if (!cw_network_is_closed(net, c)) shortest[n++] = c;
    }
    return n;
}

static uint32_t channels_to_vertex(const struct cw_network *net, uint32_t v, uint32_t head, uint32_t *shortest)
{
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (net->head[c] == head) shortest[n++] = c;
    return n;
}

/* Least distance of the switches of endpoint V. */
static uint32_t nearest_switch(const struct cw_network *net, uint32_t v, const uint32_t *distances)
{
    uint32_t least = FAR;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t w = net->head[c];
        if (w >= net->n_endpoints && distances[w - net->n_endpoints] < least) least = distances[w - net->n_endpoints];
    }
    return least;
}

static void fill_entries(const struct work *work, uint32_t v, uint32_t i, uint32_t *shortest)
{
    const struct cw_network *net = work->net;
    const struct group *group = &work->groups[work->block + i];
    const uint32_t *distances = work->distance + (size_t)i * cw_network_switches(net);
    const bool endpoint = cw_network_is_endpoint(net, v);
    const uint32_t own = endpoint ? nearest_switch(net, v, distances) : distances[v - net->n_endpoints];
    if (own == FAR) return;
    const bool last = !endpoint && own == 0;
    uint32_t n = last ? 0 : channels_to_distance(net, v, distances, endpoint ? own : own - 1, shortest);
    for (uint32_t j = group->first; j < group->first + group->n; j++) {
        const uint32_t dst = work->order[j];
        if (dst == v) continue;
        if (last) n = channels_to_vertex(net, v, dst, shortest);
        cw_tables_set(work->tables, v, dst, work->rule(work->context, v, dst, shortest, n) - net->first[v]);
    }
}

/* Rows index · ROWS … of the block's destinations. */
static int fill_rows(void *context, size_t index, unsigned thread)
{
    const struct work *work = context;
    const uint32_t begin = work->tables->row_base + (uint32_t)index * ROWS;
    const uint32_t end = work->net->n_vertices - begin < ROWS ? work->net->n_vertices : begin + ROWS;
    for (uint32_t i = 0; i < work->in_block; i++)
        for (uint32_t v = begin; v < end; v++) fill_entries(work, v, i, work->shortest[thread]);
    return 0;
}

static int fill_tables(struct work *work, unsigned n_threads)
{
    const size_t tasks = ((size_t)work->tables->rows + ROWS - 1) / ROWS;
    int rc = 0;
    for (work->block = 0; work->block < work->n_groups && rc == 0; work->block += BLOCK) {
        work->in_block = work->n_groups - work->block < BLOCK ? work->n_groups - work->block : BLOCK;
        rc = cw_parallel_for(n_threads, work->in_block, search_group, work);
        if (rc == 0) rc = cw_parallel_for(n_threads, tasks, fill_rows, work);
    }
    return rc;
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

static int new_workspaces(struct work *work, unsigned threads)
{
    static const char what[] = "shortest paths";
    const uint32_t switches = cw_network_switches(work->net);
    uint32_t ports = 0;
    for (uint32_t v = 0; v < work->net->n_vertices; v++)
        if (cw_network_degree(work->net, v) > ports) ports = cw_network_degree(work->net, v);
    work->distance = cw_new_array((size_t)BLOCK * switches, sizeof *work->distance, what);
    work->queue = cw_new_array(threads, sizeof *work->queue, what);
    work->shortest = cw_new_array(threads, sizeof *work->shortest, what);
    work->farthest = cw_new_array(threads, sizeof *work->farthest, what);
    if (!work->distance || !work->queue || !work->shortest || !work->farthest) return CW_ENOMEM;
    for (unsigned t = 0; t < threads; t++) {
        work->queue[t] = cw_new_array(switches, sizeof **work->queue, what);
        work->shortest[t] = cw_new_array(ports, sizeof **work->shortest, what);
        if (!work->queue[t] || !work->shortest[t]) return CW_ENOMEM;
    }
    return 0;
}

static void free_work(struct work *work, unsigned threads)
{
    for (unsigned t = 0; t < threads; t++) {
        if (work->queue) free(work->queue[t]);
        if (work->shortest) free(work->shortest[t]);
    }
    free(work->queue);
    free(work->shortest);
    free(work->farthest);
    free(work->distance);
    free(work->order);
    free(work->groups);
}

int cw_minimal_tables(const struct cw_network *net, const char *name, cw_minimal_rule *rule, void *context,
                      unsigned n_threads, struct cw_routes **out)
{
    struct work work = {.net = net, .rule = rule, .context = context};
    const unsigned threads =
        cw_parallel_threads(n_threads, (size_t)net->n_vertices + BLOCK); /* enough for every loop */
    uint32_t farthest = 0;
    int rc = cw_tables_new(net, &work.tables);
    if (rc) return rc;
    rc = new_workspaces(&work, threads);
    if (rc == 0) rc = make_groups(&work);
    if (rc == 0) rc = fill_tables(&work, n_threads);
    for (unsigned t = 0; t < threads && rc == 0; t++)
        if (work.farthest[t] > farthest) farthest = work.farthest[t];
    free_work(&work, threads);
    if (rc) {
        cw_tables_free(work.tables);
        return rc;
    }
    return cw_tables_finish_as(work.tables, name, farthest + 2, n_threads, out);
}
