/*
 * One search of shortest paths, from or to one vertex, over the switches of a problem's network: what pricing runs once
 * for each group of demands that share an end. Dijkstra's algorithm; vertices wait in buckets by distance, and only
 * those of the nearest bucket are kept in order, in a heap that is small then.
 */
#ifndef CW_FLOW_PATH_SEARCH_H
#define CW_FLOW_PATH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/random.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

#define CW_SEARCH_BUCKETS 1024

struct cw_search_arc {
    double length;
    uint32_t vertex, channel; /* where it leads in the direction of the search, and by what */
};

/* A vertex that waits, with its distance when it was put there; out of date if it has a smaller one by now. */
struct cw_search_item {
    double key;
    uint32_t vertex;
    uint32_t next; /* of the same bucket, or CW_NONE */
};

/* A workspace, and after a search its tree. */
struct cw_path_search {
    const struct cw_flow_problem *problem;
    bool backward; /* distances to the root instead of from it */
    size_t *first; /* [vertices + 1] arcs that leave a vertex in the direction of the search */
    struct cw_search_arc *arcs;
    double *distance; /* [vertices] INFINITY where not reached */
    uint32_t *parent; /* [vertices] the channel on the root's side */
    uint32_t *wanted; /* [vertices] number of the last search that wanted it */
    uint32_t searches;
    size_t n_wanted;             /* still to be reached */
    struct cw_search_item *heap; /* [arcs + 1] 4-ary, smallest key first: what is nearer than the next bucket */
    size_t heap_n;
    struct cw_search_item *waiting; /* [arcs + 1] of all buckets */
    uint32_t waiting_n;
    uint32_t bucket[CW_SEARCH_BUCKETS]; /* first waiting of each, or CW_NONE; the last holds all that is farther */
    uint32_t current;                   /* bucket that is in the heap */
    double base, width;                 /* bucket i: base + i · width up to that of i + 1 */
};

int cw_path_search_make(const struct cw_flow_problem *problem, bool backward, struct cw_path_search *out);
void cw_path_search_free(struct cw_path_search *search);

/* Where searches for ENDPOINT begin: its switch if it has only that, else itself. */
uint32_t cw_path_search_root(const struct cw_flow_problem *problem, uint32_t endpoint);

/* The lengths [channels] by which the next searches go. */
void cw_path_search_set(struct cw_path_search *search, const double *length);

/* Between these calls, cw_path_search_want names the endpoints of interest: the search ends once their distances are
 * known. */
void cw_path_search_begin(struct cw_path_search *search);
void cw_path_search_want(struct cw_path_search *search, uint32_t endpoint);
void cw_path_search_run(struct cw_path_search *search, uint32_t root, double width);

/* A width of buckets that suits LENGTH: the mean over the vertices of the shortest channel. Any will do; the time
 * depends on it. */
double cw_path_search_width(const struct cw_path_search *search, const double *length);

/* The distance between the root and ENDPOINT (wanted), its own channel included, which goes into *CHANNEL; INFINITY if
 * there is no path. */
double cw_path_search_distance(const struct cw_path_search *search, uint32_t endpoint, const double *length,
                               uint32_t *channel);

/* How paths are drawn: at random among those that are longer than the shortest by SLACK at most, and of which each
 * vertex is nearer to the root than the one before. */
struct cw_path_draw {
    const double *length; /* [channels] as searched */
    double slack;
    struct cw_random *random;
};

/* The path between the root of the search that was begun for NEAR, and FAR with the channel CHANNEL found above; both
 * ends' own channels included, in the order of travel: the shortest, or one that DRAW (or NULL) draws. CHANNELS has
 * room for vertices + 1. Returns their number. */
uint32_t cw_path_search_path(const struct cw_path_search *search, uint32_t near, uint32_t channel,
                             const struct cw_path_draw *draw, uint32_t *channels);

CW_END_DECLS

#endif
