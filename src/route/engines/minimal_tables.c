#include "route/engines/minimal_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"
#include "route/guid_order.h"
#include "route/routes_internal.h"

#define GROUPS  64                  /* of a batch: one for each bit of a word */
#define BATCHES 8                   /* whose distances are held at a time */
#define ROWS    64                  /* vertices of a task: each writes a line of the cache for each destination */
#define WAYS    (UINT32_C(1) << 20) /* that a task holds */
#define PLANES  32                  /* most bits of a distance */

/* Destinations with the same distances: endpoints of one switch that follow one another, or one with several cables. */
struct group {
    uint32_t first, n; /* in `order` */
};

/* Hops from each switch to the nearest one that has the destinations of a group, for GROUPS of them at once: bit g of a
 * word is that of group g, and plane p holds bit p of the numbers. */
struct distances {
    uint64_t *reached;       /* [switches] it has a way */
    uint64_t *plane[PLANES]; /* [switches] */
    uint32_t n_planes;       /* that are not 0 */
};

/* Channels by which a vertex sends to the groups of a batch. */
struct ways {
    uint32_t *shortest; /* [GROUPS][ports] */
    uint32_t n[GROUPS];
    uint64_t last; /* groups whose endpoints it has */
};

/* Of a thread. */
struct workspace {
    uint64_t *now, *next;    /* [switches] groups whose search is here, and will be after the next hop */
    uint32_t *queue, *later; /* [switches] where `now` and `next` are not 0 */
    struct ways *ways;       /* [rows] */
    uint32_t *shortest;      /* theirs */
    uint32_t *chosen;        /* [ports] the channels to the destinations of a group */
    uint32_t farthest;       /* the greatest distance between switches with endpoints */
};

struct work {
    const struct cw_network *net;
    const struct cw_minimal_choice *choice;
    struct cw_lft *tables;
    uint32_t *order; /* endpoints, group by group */
    struct group *groups;
    uint32_t n_groups;
    uint32_t block;               /* first group of those that are held */
    uint32_t in_block;            /* groups */
    struct distances *distances;  /* [BATCHES] along shortest paths; NULL: by `hops` */
    uint8_t *hops;                /* [GROUPS][channels] of the choice's own search; NULL: by `distances` */
    bool *is_home;                /* [switches] there are endpoints */
    uint32_t ports;               /* most of a vertex */
    uint32_t rows;                /* vertices of a task */
    struct workspace *workspaces; /* for each thread */
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

/* Groups that batch I of the block has. */
static uint32_t groups_of(const struct work *work, size_t i)
{
    const uint32_t left = work->in_block - (uint32_t)i * GROUPS;
    return left < GROUPS ? left : GROUPS;
}

static uint32_t begin_search(const struct work *work, size_t i, struct distances *distances, struct workspace *space)
{
    const struct cw_network *net = work->net;
    const uint32_t base = net->n_endpoints;
    uint32_t n = 0;
    for (uint32_t p = 0; p < distances->n_planes; p++)
        memset(distances->plane[p], 0, cw_network_switches(net) * sizeof *distances->plane[p]);
    memset(distances->reached, 0, cw_network_switches(net) * sizeof *distances->reached);
    distances->n_planes = 0;
    for (uint32_t g = 0; g < groups_of(work, i); g++) {
        const uint32_t e = work->order[work->groups[work->block + (uint32_t)i * GROUPS + g].first];
        for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++) {
            const uint32_t at = net->head[c] - base;
            if (net->head[c] < base) continue;
            if (space->now[at] == 0) space->queue[n++] = at;
            space->now[at] |= UINT64_C(1) << g;
            distances->reached[at] |= UINT64_C(1) << g;
        }
    }
    return n;
}

/* One hop against the channels from the N switches in the queue; the result is how many were met, in `later`. */
static uint32_t spread(const struct cw_network *net, struct workspace *space, uint32_t n)
{
    const uint32_t base = net->n_endpoints;
    uint32_t met = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = space->queue[i];
        const uint64_t here = space->now[at];
        space->now[at] = 0;
        for (uint32_t c = net->first[base + at]; c < net->first[base + at + 1]; c++) {
            const uint32_t w = net->head[c] - base;
            if (net->head[c] < base || cw_network_is_closed(net, net->twin[c])) continue;
            if (space->next[w] == 0) space->later[met++] = w;
            space->next[w] |= here;
        }
    }
    return met;
}

/* Enters DISTANCE where a group comes for the first time; the result is at how many of the N switches. */
static uint32_t settle(const struct work *work, struct distances *distances, struct workspace *space, uint32_t n,
                       uint32_t distance)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = space->later[i];
        const uint64_t new = space->next[at] & ~distances->reached[at];
        space->next[at] = 0;
        if (new == 0) continue;
        distances->reached[at] |= new;
        space->now[at] = new;
        space->queue[left++] = at;
        for (uint32_t p = 0; distance >> p != 0; p++) {
            if (distance >> p & 1) distances->plane[p][at] |= new;
            if (p >= distances->n_planes) distances->n_planes = p + 1;
        }
        if (work->is_home[at] && distance > space->farthest) space->farthest = distance;
    }
    return left;
}

/* Distances to the groups of batch I of the block, breadth first. */
static int search_batch(void *context, size_t i, unsigned thread)
{
    const struct work *work = context;
    struct distances *distances = &work->distances[i];
    struct workspace *space = &work->workspaces[thread];
    uint32_t n = begin_search(work, i, distances, space);
    for (uint32_t distance = 1; n > 0; distance++)
        n = settle(work, distances, space, spread(work->net, space, n), distance);
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

static void add_way(const struct work *work, struct ways *ways, uint32_t channel, uint64_t groups)
{
    for (; groups != 0; groups &= groups - 1) {
        const uint32_t g = (uint32_t)__builtin_ctzll(groups);
        ways->shortest[(size_t)g * work->ports + ways->n[g]++] = channel;
    }
}

/* Of switch V: to switches that are one hop nearer. */
static void ways_of_switch(const struct work *work, const struct distances *distances, uint32_t v, struct ways *ways)
{
    const struct cw_network *net = work->net;
    const uint32_t base = net->n_endpoints, planes = distances->n_planes, at = v - base;
    uint64_t nearer[PLANES], far = 0, borrow = UINT64_MAX;
    for (uint32_t p = 0; p < planes; p++) {
        const uint64_t own = distances->plane[p][at];
        nearer[p] = own ^ borrow;
        borrow &= ~own;
        far |= own;
    }
    ways->last = distances->reached[at] & ~far;
    for (uint32_t i = net->first[v]; i < net->first[v + 1] && far != 0; i++) {
        const uint32_t c = channel_at(work, i), w = net->head[c] - base;
        if (net->head[c] < base || cw_network_is_closed(net, c)) continue;
        uint64_t groups = far & distances->reached[w];
        for (uint32_t p = 0; p < planes; p++) groups &= ~(distances->plane[p][w] ^ nearer[p]);
        add_way(work, ways, c, groups);
    }
}

static uint32_t distance_to(const struct distances *distances, uint32_t at, uint32_t g)
{
    uint32_t distance = 0;
    for (uint32_t p = 0; p < distances->n_planes; p++) distance |= (uint32_t)(distances->plane[p][at] >> g & 1) << p;
    return distance;
}

/* Of endpoint V, which has several cables: to the nearest of its switches, by the fastest cable that leads there. A GPU
 * that is as near by NVLink as by its adapter sends by NVLink. */
static void ways_of_endpoint(const struct work *work, const struct distances *distances, uint32_t v, struct ways *ways)
{
    const struct cw_network *net = work->net;
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t least = UINT32_MAX;
        double fastest = 0;
        for (int pass = 0; pass < 3; pass++)
            for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) {
                const uint32_t c = channel_at(work, i), w = net->head[c] - net->n_endpoints;
                if (net->head[c] < net->n_endpoints || !(distances->reached[w] >> g & 1)) continue;
                const uint32_t distance = distance_to(distances, w, g);
                if (distance < least) least = distance;
                if (pass == 1 && distance == least) fastest = fmax(fastest, net->capacity[c]);
                if (pass == 2 && distance == least && net->capacity[c] >= fastest && !cw_network_is_closed(net, c))
                    add_way(work, ways, c, UINT64_C(1) << g);
            }
    }
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

/* The ways from V to the groups of batch I of the block. */
static void find_ways(const struct work *work, uint32_t v, uint32_t i, struct ways *ways)
{
    const struct cw_network *net = work->net;
    ways->last = 0;
    memset(ways->n, 0, sizeof ways->n);
    if (work->distances && cw_network_is_endpoint(net, v)) ways_of_endpoint(work, &work->distances[i], v, ways);
    if (work->distances && !cw_network_is_endpoint(net, v)) ways_of_switch(work, &work->distances[i], v, ways);
    for (uint32_t g = 0; work->hops && g < groups_of(work, i); g++) {
        const uint32_t e = work->order[work->groups[work->block + g].first];
        if (net->head[net->first[e]] == v)
            ways->last |= UINT64_C(1) << g;
        else
            ways->n[g] = channels_of_least(work, v, work->hops + (size_t)g * net->n_channels,
                                           ways->shortest + (size_t)g * work->ports);
    }
}

/* The entry of V towards DST of group G. */
static void fill_entry(const struct work *work, uint32_t v, uint32_t dst, const struct ways *ways, uint32_t g)
{
    const struct cw_minimal_choice *choice = work->choice;
    uint32_t *channels = ways->shortest + (size_t)g * work->ports;
    if (dst == v) return;
    if (ways->last >> g & 1) {
        const uint32_t n = channels_to_vertex(work->net, v, dst, channels);
        cw_lft_set(work->tables, v, dst, choice->rule(choice->context, v, dst, channels, n) - work->net->first[v]);
    } else if (ways->n[g] > 0) {
        const uint32_t channel = choice->rule(choice->context, v, dst, channels, ways->n[g]);
        cw_lft_enter(work->tables, v, dst, channel - work->net->first[v]);
    }
}

/* The entries of V towards the destinations of group I of the block, which is group G of its batch. */
static void fill_group(const struct work *work, uint32_t v, uint32_t i, const struct ways *ways, uint32_t g,
                       uint32_t *chosen)
{
    const struct cw_minimal_choice *choice = work->choice;
    const struct group *group = &work->groups[work->block + i];
    const uint32_t *dst = work->order + group->first, first = work->net->first[v];
    if (!choice->several || (ways->last >> g & 1) || cw_network_is_endpoint(work->net, v)) {
        for (uint32_t j = 0; j < group->n; j++) fill_entry(work, v, dst[j], ways, g);
    } else if (ways->n[g] > 0) {
        choice->several(choice->context, ways->shortest + (size_t)g * work->ports, ways->n[g], chosen, group->n);
        for (uint32_t j = 0; j < group->n; j++) cw_lft_enter(work->tables, v, dst[j], chosen[j] - first);
    }
}

/* Rows index · rows … of the block's destinations. */
static int fill_rows(void *context, size_t index, unsigned thread)
{
    const struct work *work = context;
    const uint32_t begin = work->tables->row_base + (uint32_t)index * work->rows;
    const uint32_t end = work->net->n_vertices - begin < work->rows ? work->net->n_vertices : begin + work->rows;
    const struct workspace *space = &work->workspaces[thread];
    struct ways *ways = space->ways;
    for (uint32_t i = 0; i * GROUPS < work->in_block; i++) {
        for (uint32_t v = begin; v < end; v++) find_ways(work, v, i, &ways[v - begin]);
        for (uint32_t g = 0; g < groups_of(work, i); g++)
            for (uint32_t v = begin; v < end; v++)
                fill_group(work, v, i * GROUPS + g, &ways[v - begin], g, space->chosen);
    }
    return 0;
}

static int fill_tables(struct work *work, unsigned n_threads)
{
    const size_t tasks = ((size_t)work->tables->rows + work->rows - 1) / work->rows;
    const uint32_t most = work->hops ? GROUPS : GROUPS * BATCHES;
    int rc = 0;
    for (work->block = 0; work->block < work->n_groups && rc == 0; work->block += most) {
        work->in_block = work->n_groups - work->block < most ? work->n_groups - work->block : most;
        rc = work->hops ? cw_parallel_for(n_threads, work->in_block, search_choice, work)
                        : cw_parallel_for(n_threads, (work->in_block + GROUPS - 1) / GROUPS, search_batch, work);
        if (rc == 0) rc = cw_parallel_for(n_threads, tasks, fill_rows, work);
    }
    return rc;
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

static const char what[] = "shortest paths";

static int new_distances(struct work *work)
{
    const uint32_t switches = cw_network_switches(work->net);
    work->distances = cw_new_array(BATCHES, sizeof *work->distances, what);
    if (!work->distances) return CW_ENOMEM;
    for (uint32_t i = 0; i < BATCHES; i++) {
        struct distances *distances = &work->distances[i];
        distances->reached = cw_new_array(switches, sizeof *distances->reached, what);
        if (!distances->reached) return CW_ENOMEM;
        for (uint32_t p = 0; p < PLANES && switches >> p != 0; p++) {
            distances->plane[p] = cw_new_array(switches, sizeof *distances->plane[p], what);
            if (!distances->plane[p]) return CW_ENOMEM;
        }
    }
    return 0;
}

static int new_workspaces(struct work *work, unsigned threads)
{
    const struct cw_network *net = work->net;
    const uint32_t switches = cw_network_switches(net);
    work->is_home = cw_new_array(switches, sizeof *work->is_home, what);
    work->workspaces = cw_new_array(threads, sizeof *work->workspaces, what);
    if (!work->is_home || !work->workspaces) return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (cw_network_is_endpoint(net, net->head[c]) && !cw_network_is_endpoint(net, net->tail[c]))
            work->is_home[net->tail[c] - net->n_endpoints] = true;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (cw_network_degree(net, v) > work->ports) work->ports = cw_network_degree(net, v);
    work->rows = WAYS / GROUPS / (work->ports > 0 ? work->ports : 1);
    work->rows = work->rows > ROWS ? ROWS : work->rows > 0 ? work->rows : 1;
    for (unsigned t = 0; t < threads; t++) {
        struct workspace *space = &work->workspaces[t];
        space->now = cw_new_array(switches, sizeof *space->now, what);
        space->next = cw_new_array(switches, sizeof *space->next, what);
        space->queue = cw_new_array(switches, sizeof *space->queue, what);
        space->later = cw_new_array(switches, sizeof *space->later, what);
        space->ways = cw_new_array(work->rows, sizeof *space->ways, what);
        space->shortest = cw_new_array((size_t)work->rows * GROUPS * work->ports, sizeof *space->shortest, what);
        space->chosen = cw_new_array(work->ports, sizeof *space->chosen, what);
        if (!space->now || !space->next || !space->queue || !space->later || !space->ways || !space->shortest ||
            !space->chosen)
            return CW_ENOMEM;
        for (uint32_t i = 0; i < work->rows; i++)
            space->ways[i].shortest = space->shortest + (size_t)i * GROUPS * work->ports;
    }
    if (!work->choice->search) return new_distances(work);
    work->hops = cw_new_array((size_t)GROUPS * net->n_channels, sizeof *work->hops, what);
    return work->hops ? 0 : CW_ENOMEM;
}

static void free_work(struct work *work, unsigned threads)
{
    for (unsigned t = 0; work->workspaces && t < threads; t++) {
        free(work->workspaces[t].now);
        free(work->workspaces[t].next);
        free(work->workspaces[t].queue);
        free(work->workspaces[t].later);
        free(work->workspaces[t].ways);
        free(work->workspaces[t].shortest);
        free(work->workspaces[t].chosen);
    }
    for (uint32_t i = 0; work->distances && i < BATCHES; i++) {
        free(work->distances[i].reached);
        for (uint32_t p = 0; p < PLANES; p++) free(work->distances[i].plane[p]);
    }
    free(work->workspaces);
    free(work->distances);
    free(work->is_home);
    free(work->hops);
    free(work->order);
    free(work->groups);
}

int cw_minimal_tables_by(const struct cw_network *net, const struct cw_minimal_choice *choice, unsigned n_threads,
                         struct cw_routes **out)
{
    struct work work = {.net = net, .choice = choice};
    const unsigned threads =
        cw_parallel_threads(n_threads, (size_t)net->n_vertices + GROUPS); /* enough for every loop */
    uint32_t farthest = 0;
    int rc = cw_lft_new_on(net, n_threads, &work.tables);
    if (rc) return rc;
    rc = new_workspaces(&work, threads);
    if (rc == 0) rc = make_groups(&work);
    if (rc == 0) rc = fill_tables(&work, n_threads);
    for (unsigned t = 0; t < threads && rc == 0; t++)
        if (work.workspaces[t].farthest > farthest) farthest = work.workspaces[t].farthest;
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
