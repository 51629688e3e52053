/*
 * The order of siblings where parallel cables do not divide evenly.
 *
 * With up = q·w + r cables to w parents, every child has q cables to each parent and one more to r of them, which
 * follow one another, beginning where the previous child's ended (net/shape.h). With g = gcd(up, w) there are n = w/g
 * such beginnings, all multiples of g: parents come in n classes of g that all children treat alike, and the child with
 * digit c has its additional cables to the r/g classes from (up/g)·c mod n on. So: the different sets of parents with
 * additional cables below one node, put into the order in which each overlaps the next most, are the beginnings; each
 * child's set gives its own, and all children together the class of each parent.
 */
#include <stdlib.h>

#include "base/common_divisor.h"
#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "topo/recognise_internal.h"

#define MAX_PARENTS 64 /* a set of parents is a word */
#define MAX_TRIES   16 /* nodes looked at for one in which nothing is missing */

static const char what[] = "recognition of uneven bundles";

struct bundles {
    struct cw_tree_levels *tree;
    uint32_t l, m, w, up;
    uint32_t g, n, whole, more; /* whole = ⌊up/w⌋; more: classes with one cable more, r/g */
    uint64_t set[MAX_PARENTS];  /* [n] by beginning: parents, by their first digits below the node looked at */
    uint32_t *used;             /* digits or classes given away */
    int32_t *score;             /* [parent nodes · n] */
};

/* The beginning of the child with digit C. */
static uint32_t start_of(const struct bundles *of, uint32_t c)
{
    return (uint32_t)((uint64_t)(of->up / of->g) * c % of->n);
}

/* Counts V's cables to each parent, by digit; their sum. */
static uint32_t count_up(const struct bundles *of, uint32_t v, uint32_t *count)
{
    const struct cw_tree_levels *tree = of->tree;
    const struct cw_network *net = tree->net;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < of->w; i++) count[i] = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        if (tree->level[net->head[c]] != of->l + 1) continue;
        count[tree->up.digit[of->l + 1][tree->up.node[net->head[c]]]]++;
        sum++;
    }
    return sum;
}

/* The parents to which V has additional cables; *CLEAN if none is missing and none too many. */
static uint64_t additional(const struct bundles *of, uint32_t v, bool *clean)
{
    uint32_t count[MAX_PARENTS], n = 0;
    uint64_t set = 0;
    *clean = count_up(of, v, count) == of->up;
    for (uint32_t i = 0; i < of->w; i++) {
        if (count[i] < of->whole || count[i] > of->whole + 1) *clean = false;
        if (count[i] <= of->whole) continue;
        set |= UINT64_C(1) << i;
        n++;
    }
    *clean = *clean && n == of->up % of->w;
    return set;
}

/* Collects the different sets below node Y of the level; true if there are as many as beginnings. */
static bool collect(struct bundles *of, uint32_t y)
{
    const struct cw_tree_levels *tree = of->tree;
    uint32_t n = 0;
    for (uint32_t i = tree->begin[of->l]; i < tree->begin[of->l + 1]; i++) {
        const uint32_t v = tree->order[i];
        bool clean, known = false;
        if (tree->up.node[v] != y) continue;
        const uint64_t set = additional(of, v, &clean);
        for (uint32_t s = 0; s < n && !known; s++) known = of->set[s] == set;
        if (!clean || known) continue;
        if (n == of->n) return false;
        of->set[n++] = set;
    }
    return n == of->n;
}

/* Puts the sets into an order in which each shares all classes but one with the next; false if there is none. */
static bool chain(struct bundles *of)
{
    const int shared = (int)((of->more > 0 ? of->more - 1 : 0) * of->g);
    for (uint32_t s = 0; s + 1 < of->n; s++) {
        uint32_t next = s + 1;
        while (next < of->n && __builtin_popcountll(of->set[s] & of->set[next]) != shared) next++;
        if (next == of->n) return false;
        const uint64_t set = of->set[next];
        of->set[next] = of->set[s + 1];
        of->set[s + 1] = set;
    }
    return __builtin_popcountll(of->set[of->n - 1] & of->set[0]) == shared || of->n == 1;
}

/* The beginning whose set is most like V's. */
static uint32_t likeliest_start(const struct bundles *of, uint32_t v)
{
    bool clean;
    const uint64_t set = additional(of, v, &clean);
    uint32_t best = 0;
    int least = MAX_PARENTS + 1;
    for (uint32_t s = 0; s < of->n; s++) {
        const int differ = __builtin_popcountll(set ^ of->set[s]);
        if (differ >= least) continue;
        least = differ;
        best = s;
    }
    return best;
}

/* Gives child X the lowest digit left below its parent, of beginning START unless that is CW_NONE. */
static bool give_digit(struct bundles *of, uint32_t x, uint32_t start)
{
    struct cw_nesting *down = &of->tree->down;
    uint32_t *used = of->used + (size_t)down->parent[of->l][x] * of->m;
    for (uint32_t c = 0; c < of->m; c++) {
        if (used[c] || (start != CW_NONE && start_of(of, c) != start)) continue;
        used[c] = 1;
        down->digit[of->l][x] = c;
        return true;
    }
    return false;
}

/* Orders the children by what those below node Y have. */
static int order_children(struct bundles *of, uint32_t y, bool *good)
{
    const struct cw_tree_levels *tree = of->tree;
    const uint32_t n = tree->down.n[of->l];
    uint32_t *start = cw_new_array(n, sizeof *start, what);
    of->used = cw_new_array((size_t)tree->down.n[of->l + 1] * of->m, sizeof *of->used, what);
    const bool memory = start && of->used;
    for (uint32_t x = 0; x < n && memory; x++) start[x] = CW_NONE;
    for (uint32_t i = tree->begin[of->l]; i < tree->begin[of->l + 1] && memory; i++) {
        const uint32_t v = tree->order[i];
        if (tree->up.node[v] == y) start[tree->down.node[v]] = likeliest_start(of, v);
    }
    for (uint32_t x = 0; x < n && memory && *good; x++)
        if (start[x] != CW_NONE) *good = give_digit(of, x, start[x]);
    for (uint32_t x = 0; x < n && memory && *good; x++)
        if (start[x] == CW_NONE) *good = give_digit(of, x, CW_NONE);
    free(start);
    free(of->used);
    of->used = NULL;
    return memory ? 0 : CW_ENOMEM;
}

/* How well each class suits each parent, by all cables of V. */
static void score_parents(struct bundles *of, uint32_t v)
{
    const struct cw_tree_levels *tree = of->tree;
    const struct cw_network *net = tree->net;
    const uint32_t start = start_of(of, tree->down.digit[of->l][tree->down.node[v]]);
    uint32_t count[MAX_PARENTS];
    count_up(of, v, count);
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        if (tree->level[net->head[c]] != of->l + 1) continue;
        const uint32_t z = tree->up.node[net->head[c]];
        const bool one_more = count[tree->up.digit[of->l + 1][z]] > of->whole;
        for (uint32_t k = 0; k < of->n; k++) {
            const bool expected = (k + of->n - start) % of->n < of->more;
            of->score[(size_t)z * of->n + k] += expected == one_more ? 1 : -1;
        }
    }
}

/* Orders the parents, each in the class that suits it best of those that have room. */
static int order_parents(struct bundles *of)
{
    struct cw_nesting *up = &of->tree->up;
    const uint32_t l = of->l, n = up->n[l + 1];
    of->score = cw_new_array((size_t)n * of->n, sizeof *of->score, what);
    of->used = cw_new_array((size_t)up->n[l] * of->n, sizeof *of->used, what);
    const bool memory = of->score && of->used;
    for (uint32_t i = of->tree->begin[l]; i < of->tree->begin[l + 1] && memory; i++)
        score_parents(of, of->tree->order[i]);
    for (uint32_t z = 0; z < n && memory; z++) {
        uint32_t *used = of->used + (size_t)up->parent[l + 1][z] * of->n, best = CW_NONE;
        const int32_t *score = of->score + (size_t)z * of->n;
        for (uint32_t k = 0; k < of->n; k++)
            if (used[k] < of->g && (best == CW_NONE || score[k] > score[best])) best = k;
        up->digit[l + 1][z] = best * of->g + used[best]++;
    }
    free(of->score);
    free(of->used);
    return memory ? 0 : CW_ENOMEM;
}

int cw_order_bundles(struct cw_tree_levels *tree, const struct cw_xgft *xgft, uint32_t l, bool *good)
{
    struct bundles of = {.tree = tree, .l = l, .m = xgft->m[l + 1], .w = xgft->w[l + 1], .up = xgft->up[l]};
    of.g = (uint32_t)cw_common_divisor(of.up, of.w);
    of.n = of.w / of.g;
    of.whole = of.up / of.w;
    of.more = of.up % of.w / of.g;
    uint32_t y = 0;
    *good = of.w <= MAX_PARENTS;
    while (*good && !collect(&of, y))
        if (++y == tree->up.n[l] || y == MAX_TRIES) *good = false;
    *good = *good && chain(&of);
    if (!*good) return 0;
    const int rc = order_children(&of, y, good);
    return rc || !*good ? rc : order_parents(&of);
}
