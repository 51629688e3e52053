#include "route/engines/minimal_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"
#include "route/guid_order.h"
#include "route/routes_internal.h"

#define BLOCK 64 /* groups whose distances are held at a time */
#define ROWS  64 /* vertices of a task: tasks write to bytes that lie side by side */
#define FAR   UINT32_MAX

/* Destinations with the same distances: endpoints of one switch that follow one another, or one with several cables. */
struct group {
    uint32_t first, n; /* in `order` */
};

struct work {
    const struct cw_network *net;
    const struct cw_minimal_choice *choice;
    struct cw_lft *tables;
    uint32_t *order; /* endpoints, group by group */
    struct group *groups;
    uint32_t n_groups;
    uint32_t block; /* first group of the block */
    uint32_t in_block;
    uint32_t *distance;  /* [BLOCK][switches] hops from a switch to one that has the destination; NULL: by `hops` */
    uint8_t *hops;       /* [BLOCK][channels] of the choice's own search; NULL: by `distance` */
    uint32_t **queue;    /* for each thread: [switches] */
    uint32_t **shortest; /* for each thread: channels of a vertex */
    uint32_t *farthest;  /* for each thread: the greatest distance between switches with endpoints */
};

/* --- destinations, grouped and in order -------------------------------------------------------------------------- */

struct place {
    uint32_t v, endpoints, index;
};

/* Descending number of endpoints, else as they were. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->endpoints != y->endpoints) return x->endpoints > y->endpoints ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int order_switches(const struct cw_network *net, struct place **out)
{
    const uint32_t n = cw_network_switches(net);
    struct place *places = cw_new_array(n, sizeof *places, "destinations");
    uint32_t *by_guid = NULL;
    const int rc = places ? cw_guid_order(net, &by_guid) : CW_ENOMEM;
    if (rc) {
        free(places);
        return rc;
    }
    for (uint32_t i = 0; i < n; i++) {
        places[i] = (struct place){.v = by_guid[i], .index = i};
        for (uint32_t c = net->first[by_guid[i]]; c < net->first[by_guid[i] + 1]; c++)
            places[i].endpoints += cw_network_is_endpoint(net, net->head[c]);
    }
    free(by_guid);
    qsort(places, n, sizeof *places, compare_places);
    *out = places;
    return 0;
}

/* Appends E, unless it is there or has no cable. */
static void add_destination(struct work *work, uint32_t e, bool *added, uint32_t *n)
{
    const struct cw_network *net = work->net;
    if (added[e] || cw_network_degree(net, e) == 0) return;
    struct group *last = work->n_groups > 0 ? &work->groups[work->n_groups - 1] : NULL;
    const uint32_t before = last ? work->order[last->first] : 0;
    const bool same = last && cw_network_degree(net, e) == 1 && cw_network_degree(net, before) == 1 &&
                      net->head[net->first[e]] == net->head[net->first[before]];
    if (same)
        last->n++;
    else
        work->groups[work->n_groups++] = (struct group){*n, 1};
    work->order[(*n)++] = e;
    added[e] = true;
}

/* The endpoints of switch V with one cable, then each other of which this is the first switch. */
static void add_destinations_of(struct work *work, uint32_t v, bool *added, uint32_t *n)
{
    const struct cw_network *net = work->net;
    for (int several = 0; several < 2; several++)
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t e = net->head[c];
            if (cw_network_is_endpoint(net, e) && (cw_network_degree(net, e) > 1) == several &&
                net->twin[c] == net->first[e])
                add_destination(work, e, added, n);
        }
}

static int make_groups(struct work *work)
{
    const struct cw_network *net = work->net;
    struct place *places = NULL;
    uint32_t n = 0;
    bool *added = cw_new_array(net->n_endpoints, sizeof *added, "destinations");
    work->order = cw_new_array(net->n_endpoints, sizeof *work->order, "destinations");
    work->groups = cw_new_array(net->n_endpoints, sizeof *work->groups, "destinations");
    const int rc = added && work->order && work->groups ? order_switches(net, &places) : CW_ENOMEM;
    if (rc == 0) {
        for (uint32_t i = 0; i < work->choice->n_first; i++) add_destination(work, work->choice->first[i], added, &n);
        for (uint32_t i = 0; i < cw_network_switches(net); i++) add_destinations_of(work, places[i].v, added, &n);
    }
    free(places);
    free(added);
    return rc;
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

/* The same by the choice's own search, from the switch of the destination. */
static int search_choice(void *context, size_t i, unsigned thread)
{
    const struct work *work = context;
    const struct cw_network *net = work->net;
    const uint32_t e = work->order[work->groups[work->block + i].first], to = net->head[net->first[e]];
    uint8_t *hops = work->hops + i * net->n_channels;
    (void)thread;
    memset(hops, CW_HOPS_NONE, net->n_channels);
    return cw_network_is_endpoint(net, to) ? 0 : work->choice->search(work->choice->search_context, to, hops);
}

/* --- entries ----------------------------------------------------------------------------------------------------- */

/* The channel that comes at place I of the network's. */
static uint32_t channel_at(const struct work *work, uint32_t i)
{
    return work->choice->channels ? work->choice->channels[i] : i;
}

/* Channels of V that lead to a switch at DISTANCE, into SHORTEST; the result is their number. */
static uint32_t channels_to_distance(const struct work *work, uint32_t v, const uint32_t *distances, uint32_t distance,
                                     uint32_t *shortest)
{
    const struct cw_network *net = work->net;
    uint32_t n = 0;
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) {
        const uint32_t c = channel_at(work, i), w = net->head[c];
        if (w < net->n_endpoints || distances[w - net->n_endpoints] != distance) continue;
        if (!cw_network_is_closed(net, c)) shortest[n++] = c;
    }
    return n;
}

/* Channels of V with the least of HOPS. */
static uint32_t channels_of_least(const struct work *work, uint32_t v, const uint8_t *hops, uint32_t *shortest)
{
    const struct cw_network *net = work->net;
    uint8_t least = CW_HOPS_NONE;
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (hops[c] < least) least = hops[c];
    for (uint32_t i = net->first[v]; i < net->first[v + 1] && least != CW_HOPS_NONE; i++)
        if (hops[channel_at(work, i)] == least) shortest[n++] = channel_at(work, i);
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

/* The channels by which V sends to group I of the block; *LAST if V has its endpoints. */
static uint32_t channels_to_group(const struct work *work, uint32_t v, uint32_t i, uint32_t *shortest, bool *last)
{
    const struct cw_network *net = work->net;
    if (work->hops) {
        const uint32_t e = work->order[work->groups[work->block + i].first];
        *last = net->head[net->first[e]] == v;
        return *last ? 0 : channels_of_least(work, v, work->hops + (size_t)i * net->n_channels, shortest);
    }
    const uint32_t *distances = work->distance + (size_t)i * cw_network_switches(net);
    const bool endpoint = cw_network_is_endpoint(net, v);
    const uint32_t own = endpoint ? nearest_switch(net, v, distances) : distances[v - net->n_endpoints];
    *last = !endpoint && own == 0;
    if (own == FAR || *last) return 0;
    return channels_to_distance(work, v, distances, endpoint ? own : own - 1, shortest);
}

static void fill_entries(const struct work *work, uint32_t v, uint32_t i, uint32_t *shortest)
{
    const struct cw_network *net = work->net;
    const struct group *group = &work->groups[work->block + i];
    bool last;
    uint32_t n = channels_to_group(work, v, i, shortest, &last);
    if (n == 0 && !last) return;
    for (uint32_t j = group->first; j < group->first + group->n; j++) {
        const uint32_t dst = work->order[j];
        if (dst == v) continue;
        if (last) n = channels_to_vertex(net, v, dst, shortest);
        const uint32_t channel = work->choice->rule(work->choice->context, v, dst, shortest, n);
        cw_lft_set(work->tables, v, dst, channel - net->first[v]);
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
        rc = cw_parallel_for(n_threads, work->in_block, work->hops ? search_choice : search_group, work);
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
    if (work->choice->search)
        work->hops = cw_new_array((size_t)BLOCK * work->net->n_channels, sizeof *work->hops, what);
    else
        work->distance = cw_new_array((size_t)BLOCK * switches, sizeof *work->distance, what);
    work->queue = cw_new_array(threads, sizeof *work->queue, what);
    work->shortest = cw_new_array(threads, sizeof *work->shortest, what);
    work->farthest = cw_new_array(threads, sizeof *work->farthest, what);
    if ((!work->distance && !work->hops) || !work->queue || !work->shortest || !work->farthest) return CW_ENOMEM;
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
    free(work->hops);
    free(work->order);
    free(work->groups);
}

int cw_minimal_tables_by(const struct cw_network *net, const struct cw_minimal_choice *choice, unsigned n_threads,
                         struct cw_routes **out)
{
    struct work work = {.net = net, .choice = choice};
    const unsigned threads =
        cw_parallel_threads(n_threads, (size_t)net->n_vertices + BLOCK); /* enough for every loop */
    uint32_t farthest = 0;
    int rc = cw_lft_new(net, &work.tables);
    if (rc) return rc;
    rc = new_workspaces(&work, threads);
    if (rc == 0) rc = make_groups(&work);
    if (rc == 0) rc = fill_tables(&work, n_threads);
    for (unsigned t = 0; t < threads && rc == 0; t++)
        if (work.farthest[t] > farthest) farthest = work.farthest[t];
    free_work(&work, threads);
    if (rc) {
        cw_lft_free(work.tables);
        return rc;
    }
    rc = cw_lft_finish_as(work.tables, choice->name, choice->search ? 0 : farthest + 2, n_threads, out);
    if (rc == 0) (*out)->complete = true;
    return rc;
}

int cw_minimal_tables(const struct cw_network *net, const char *name, cw_minimal_rule *rule, void *context,
                      unsigned n_threads, struct cw_routes **out)
{
    const struct cw_minimal_choice choice = {.name = name, .rule = rule, .context = context};
    return cw_minimal_tables_by(net, &choice, n_threads, out);
}
