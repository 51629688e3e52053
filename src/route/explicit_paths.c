#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "route/paths.h"
#include "route/routes_internal.h"

struct path {
    uint32_t src, dst;
    size_t first; /* its channels */
    uint32_t length;
    uint32_t order; /* of the calls that added it */
    double weight;  /* once finished: sum of the weights of the pair's paths up to this one */
};

/* Finished: paths sorted by source, destination and order, and those of source s are by_source[s] …. */
struct cw_paths {
    const struct cw_network *net;
    struct path *paths;
    size_t n, capacity;
    uint32_t *channels;
    size_t n_channels, channel_capacity;
    size_t *by_source; /* [n_endpoints + 1], NULL before finish */
    uint64_t seed;
};

#define MOST_PATHS UINT32_MAX
#define NAME_SIZE  256 /* in messages */

int cw_paths_new(const struct cw_network *net, struct cw_paths **out)
{
    struct cw_paths *paths = cw_new_array(1, sizeof *paths, "paths");
    if (!paths) return CW_ENOMEM;
    paths->net = net;
    *out = paths;
    return 0;
}

void cw_paths_free(struct cw_paths *paths)
{
    if (!paths) return;
    free(paths->paths);
    free(paths->channels);
    free(paths->by_source);
    free(paths);
}

static int fail_path(const struct cw_network *net, uint32_t src, uint32_t dst, const char *problem)
{
    char from[NAME_SIZE], to[NAME_SIZE];
    return cw_fail(CW_EUSAGE, "path from %s to %s: %s", cw_network_name(net, src, from, sizeof from),
                   cw_network_name(net, dst, to, sizeof to), problem);
}

static int check_path(const struct cw_network *net, uint32_t src, uint32_t dst, double weight, const uint32_t *channels,
                      size_t n)
{
    if (src >= net->n_endpoints || dst >= net->n_endpoints)
        return cw_fail(CW_EUSAGE, "a path from vertex %u to vertex %u; endpoints are 0 to %u", src, dst,
                       net->n_endpoints - 1);
    if (src == dst) return fail_path(net, src, dst, "a path joins two different endpoints");
    if (!(weight > 0) || weight > 1e300) return fail_path(net, src, dst, "the weight must be more than 0");
    if (n == 0 || n >= UINT32_MAX) return fail_path(net, src, dst, "it has no channels, or too many");
    uint32_t v = src;
    for (size_t i = 0; i < n; i++) {
        if (channels[i] >= net->n_channels) return fail_path(net, src, dst, "it has a channel that does not exist");
        if (i > 0 && !cw_network_forwards(net, v))
            return fail_path(net, src, dst, "it leads through an endpoint, which forwards nothing");
        if (net->tail[channels[i]] != v)
            return fail_path(net, src, dst, "a channel does not begin where the one before ends");
        if (cw_network_is_closed(net, channels[i]))
            return fail_path(net, src, dst, "it takes a cable that works in the other direction only");
        v = net->head[channels[i]];
    }
    return v == dst ? 0 : fail_path(net, src, dst, "it ends elsewhere");
}

int cw_paths_add(struct cw_paths *paths, uint32_t src, uint32_t dst, double weight, const uint32_t *channels, size_t n)
{
    int rc = check_path(paths->net, src, dst, weight, channels, n);
    if (rc) return rc;
    if (paths->n >= MOST_PATHS) return cw_fail(CW_ELIMIT, "more than %u paths", MOST_PATHS);
    void *items = paths->paths;
    rc = cw_grow_array(&items, &paths->capacity, paths->n + 1, sizeof *paths->paths, "paths");
    paths->paths = items;
    if (rc) return rc;
    items = paths->channels;
    rc = cw_grow_array(&items, &paths->channel_capacity, paths->n_channels + n, sizeof *channels, "channels of paths");
    paths->channels = items;
    if (rc) return rc;
    memcpy(paths->channels + paths->n_channels, channels, n * sizeof *channels);
    paths->paths[paths->n] = (struct path){src, dst, paths->n_channels, (uint32_t)n, (uint32_t)paths->n, weight};
    paths->n++;
    paths->n_channels += n;
    return 0;
}

static int compare_paths(const void *a, const void *b)
{
    const struct path *p = a, *q = b;
    if (p->src != q->src) return p->src < q->src ? -1 : 1;
    if (p->dst != q->dst) return p->dst < q->dst ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

static bool same_pair(const struct path *p, const struct path *q)
{
    return p->src == q->src && p->dst == q->dst;
}

/* Sorts, adds weights up within each pair, and finds where each source begins. */
static void index_paths(struct cw_paths *paths)
{
    if (paths->n > 0) qsort(paths->paths, paths->n, sizeof *paths->paths, compare_paths);
    for (size_t i = 0; i < paths->n; i++) {
        struct path *path = &paths->paths[i];
        paths->by_source[path->src + 1]++;
        if (i > 0 && same_pair(path, path - 1)) path->weight += path[-1].weight;
    }
    for (uint32_t s = 0; s < paths->net->n_endpoints; s++) paths->by_source[s + 1] += paths->by_source[s];
}

int cw_paths_finish(struct cw_paths *paths, const char *name, uint64_t seed, struct cw_routes **out)
{
    struct cw_routes *routes = NULL;
    int rc = cw_routes_new(paths->net, name, CW_ROUTES_PATHS, &routes);
    if (rc == 0) {
        paths->by_source = cw_new_array((size_t)paths->net->n_endpoints + 1, sizeof *paths->by_source, "paths");
        if (!paths->by_source) rc = CW_ENOMEM;
    }
    if (rc) {
        cw_routes_free(routes);
        cw_paths_free(paths);
        return rc;
    }
    index_paths(paths);
    paths->seed = seed;
    routes->paths = paths;
    routes->max_hops = 1;
    for (size_t i = 0; i < paths->n; i++)
        if (paths->paths[i].length > routes->max_hops) routes->max_hops = paths->paths[i].length;
    *out = routes;
    return 0;
}

/* The first of the N paths, all of one source, whose destination is DST or more; N if there is none. */
static size_t find_destination(const struct path *paths, size_t n, uint32_t dst)
{
    size_t low = 0;
    while (low < n) {
        const size_t middle = low + (n - low) / 2;
        if (paths[middle].dst < dst)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* The path among those of one pair that a number UNIT of [0, 1) falls on, in proportion to their weights. */
static const struct path *choose(const struct path *first, const struct path *end, double unit)
{
    const double target = unit * end[-1].weight;
    while (first + 1 < end && first->weight <= target) first++;
    return first;
}

const uint32_t *cw_paths_of_pair(const struct cw_paths *paths, uint32_t src, uint32_t dst, uint32_t *length)
{
    if (paths->by_source[src] == paths->by_source[src + 1]) return NULL;
    const struct path *path = paths->paths + paths->by_source[src], *end = paths->paths + paths->by_source[src + 1];
    path += find_destination(path, (size_t)(end - path), dst);
    if (path == end || path->dst != dst) return NULL;
    end = path + find_destination(path, (size_t)(end - path), dst + 1);
    if (end - path > 1) {
        const uint64_t hash = cw_random_hash(paths->seed, (uint64_t)src << 32 | dst);
        path = choose(path, end, (double)(hash >> 11) * 0x1p-53);
    }
    *length = path->length;
    return paths->channels + path->first;
}
