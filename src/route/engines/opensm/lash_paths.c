/*
 * The fabric as OpenSM's lash sees it, and its shortest paths: a breadth-first tree from each switch, in order, gives
 * every switch on it the way to all switches behind; what an earlier tree gave stays.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "route/engines/opensm/lash_internal.h"
#include "route/guid_order.h"

static const char what[] = "paths of lash";

#define TREES 64u /* that are held at a time */

/* --- the fabric --------------------------------------------------------------------------------------------------- */

/* The link from switch V (a number) to switch TO, which is added if there is none. */
static void add_link(struct cw_lash *lash, uint32_t v, uint32_t to, uint32_t channel)
{
    uint32_t link = lash->first[v];
    while (link < lash->first[v + 1] && lash->head[link] != to) link++;
    if (link < lash->first[v + 1]) return; /* a parallel cable */
    lash->tail[link] = v;
    lash->head[link] = to;
    lash->channel[link] = channel;
    lash->first[v + 1]++;
}

static void add_links(struct cw_lash *lash)
{
    const struct cw_network *net = lash->net;
    lash->first[0] = 0;
    for (uint32_t v = 0; v < lash->n; v++) {
        lash->first[v + 1] = lash->first[v];
        for (uint32_t c = net->first[lash->vertex[v]]; c < net->first[lash->vertex[v] + 1]; c++)
            if (!cw_network_is_endpoint(net, net->head[c]))
                add_link(lash, v, lash->number[net->head[c] - net->n_endpoints], c);
    }
}

int cw_lash_open(const struct cw_network *net, struct cw_lash *lash)
{
    const uint32_t n = cw_network_switches(net);
    *lash = (struct cw_lash){.net = net, .n = n};
    lash->number = cw_new_array(n, sizeof *lash->number, what);
    lash->first = cw_new_array((size_t)n + 1, sizeof *lash->first, what);
    lash->tail = cw_new_array(net->n_channels, sizeof *lash->tail, what);
    lash->head = cw_new_array(net->n_channels, sizeof *lash->head, what);
    lash->channel = cw_new_array(net->n_channels, sizeof *lash->channel, what);
    lash->next = cw_new_array((size_t)n * n, sizeof *lash->next, what);
    lash->lane = cw_new_array((size_t)n * n, sizeof *lash->lane, what);
    int rc = lash->number && lash->first && lash->tail && lash->head && lash->channel && lash->next && lash->lane
                 ? cw_guid_order(net, &lash->vertex)
                 : CW_ENOMEM;
    if (rc == 0) {
        for (uint32_t v = 0; v < n; v++) lash->number[lash->vertex[v] - net->n_endpoints] = v;
        add_links(lash);
    }
    return rc;
}

void cw_lash_free(struct cw_lash *lash)
{
    free(lash->vertex);
    free(lash->number);
    free(lash->first);
    free(lash->tail);
    free(lash->head);
    free(lash->channel);
    free(lash->next);
    free(lash->lane);
    *lash = (struct cw_lash){0};
}

/* --- shortest paths ----------------------------------------------------------------------------------------------- */

struct trees {
    struct cw_lash *lash;
    uint32_t root, n; /* those of the roots ROOT … ROOT + N - 1 */
    uint32_t *into;   /* [TREES][switches] the link by which a switch was met, or CW_NONE */
    uint32_t **queue; /* for each thread: [switches] */
};

static int grow_tree(void *context, size_t index, unsigned thread)
{
    const struct trees *trees = context;
    const struct cw_lash *lash = trees->lash;
    uint32_t *into = trees->into + index * lash->n, *queue = trees->queue[thread], n = 0;
    const uint32_t root = trees->root + (uint32_t)index;
    for (uint32_t v = 0; v < lash->n; v++) into[v] = CW_NONE;
    queue[n++] = root;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t link = lash->first[queue[i]]; link < lash->first[queue[i] + 1]; link++) {
            const uint32_t w = lash->head[link];
            if (w == root || into[w] != CW_NONE) continue;
            into[w] = link;
            queue[n++] = w;
        }
    return 0;
}

/* The ways to switch D, from the trees in order. */
static int take_ways(void *context, size_t d, unsigned thread)
{
    const struct trees *trees = context;
    const struct cw_lash *lash = trees->lash;
    uint16_t *next = lash->next + d * lash->n;
    (void)thread;
    for (uint32_t i = 0; i < trees->n; i++) {
        const uint32_t *into = trees->into + (size_t)i * lash->n;
        for (uint32_t link = into[d]; link != CW_NONE;) {
            const uint32_t v = lash->tail[link];
            if (next[v] == CW_LASH_NO_LINK) next[v] = (uint16_t)(link - lash->first[v]);
            link = into[v];
        }
    }
    return 0;
}

int cw_lash_find_paths(struct cw_lash *lash, unsigned n_threads)
{
    const unsigned threads = cw_parallel_threads(n_threads, TREES);
    struct trees trees = {.lash = lash};
    trees.into = cw_new_array((size_t)TREES * lash->n, sizeof *trees.into, what);
    trees.queue = cw_new_array(threads, sizeof *trees.queue, what);
    int rc = trees.into && trees.queue ? 0 : CW_ENOMEM;
    for (unsigned t = 0; t < threads && rc == 0; t++) {
        trees.queue[t] = cw_new_array(lash->n, sizeof **trees.queue, what);
        if (!trees.queue[t]) rc = CW_ENOMEM;
    }
    if (rc == 0) memset(lash->next, 0xff, (size_t)lash->n * lash->n * sizeof *lash->next); /* CW_LASH_NO_LINK */
    for (; rc == 0 && trees.root < lash->n; trees.root += TREES) {
        trees.n = lash->n - trees.root < TREES ? lash->n - trees.root : TREES;
        rc = cw_parallel_for(n_threads, trees.n, grow_tree, &trees);
        if (rc == 0) rc = cw_parallel_for(n_threads, lash->n, take_ways, &trees);
    }
    for (unsigned t = 0; trees.queue && t < threads; t++) free(trees.queue[t]);
    free(trees.queue);
    free(trees.into);
    return rc;
}
