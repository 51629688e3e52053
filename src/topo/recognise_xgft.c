/*
 * Extended generalised fat trees, recognised by how they nest.
 *
 * A vertex of level l of an XGFT has digits a_h … a_{l+1} and b_l … b_1. Cables between levels up to l change only
 * b_1 … b_l and the digits a below, so the parts into which the network falls when only the levels up to l are left are
 * the values of a_h … a_{l+1}; and the parts of the levels from l on are the values of b_1 … b_l. Both nest. So: levels
 * by distance from the hosts; two rounds of growing sets, from below and from above, give each vertex the part it is in
 * either way; every order of the parts within the one around them numbers digits, and every cable between neighbouring
 * levels then joins digits that the shape joins. What remains to be seen is that no two vertices have the same digits,
 * and how much is missing.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "topo/recognise_internal.h"

static const char what[] = "recognition of a fat tree";

/* --- levels ------------------------------------------------------------------------------------------------------- */

/* True if two of V's neighbours on LEVEL are in the same part of SETS: then V is not above them, it is a leaf (or a
 * subtree's top) without hosts, beside its like. */
static bool has_lost_hosts(const struct cw_tree_levels *tree, uint32_t *sets, uint32_t v, uint32_t level)
{
    const struct cw_network *net = tree->net;
    uint32_t one = CW_NONE;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t u = net->head[c];
        if (tree->level[u] != level || u == one) continue;
        if (one != CW_NONE && cw_set_of(sets, u) == cw_set_of(sets, one)) return true;
        one = u;
    }
    return false;
}

static void join_with_level(const struct cw_tree_levels *tree, uint32_t *sets, uint32_t v, uint32_t level)
{
    const struct cw_network *net = tree->net;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (tree->level[net->head[c]] == level) cw_join_sets(sets, v, net->head[c]);
}

/* Gives their level to the switches next to level L - 1 that have none; QUEUE holds level L - 1, and then these. Their
 * number. */
static uint32_t next_level(struct cw_tree_levels *tree, uint32_t *sets, uint32_t l, uint32_t *queue, uint32_t n)
{
    const struct cw_network *net = tree->net;
    uint32_t *found = queue + n, n_found = 0, kept = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->first[queue[i]]; c < net->first[queue[i] + 1]; c++) {
            const uint32_t v = net->head[c];
            if (cw_network_is_endpoint(net, v) || tree->level[v] != CW_NO_LEVEL) continue;
            tree->level[v] = (uint8_t)l;
            found[n_found++] = v;
        }
    for (uint32_t i = 0; i < n_found; i++) {
        const uint32_t v = found[i];
        if (l >= 3 && has_lost_hosts(tree, sets, v, l - 1))
            tree->level[v] = (uint8_t)(l - 2);
        else
            queue[kept++] = v;
    }
    for (uint32_t i = 0; i < kept; i++) join_with_level(tree, sets, queue[i], l - 1);
    return kept;
}

static void measure(struct cw_tree_levels *tree, uint32_t *sets, uint32_t *queue)
{
    const struct cw_network *net = tree->net;
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        sets[v] = v;
        tree->level[v] = CW_NO_LEVEL;
        if (!cw_network_is_endpoint(net, v) || !cw_network_is_host(net, v)) continue;
        tree->level[v] = 0;
        queue[n++] = v;
    }
    for (uint32_t l = 1; n > 0 && l <= CW_XGFT_LEVELS; l++) {
        n = next_level(tree, sets, l, queue, n);
        if (n > 0) tree->h = l;
    }
}

/* True if all switches have a level and all cables join neighbouring ones. */
static bool levels_fit(const struct cw_tree_levels *tree)
{
    const struct cw_network *net = tree->net;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        if (tree->level[v] == CW_NO_LEVEL) return false;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const int up = tree->level[net->head[c]], down = tree->level[net->tail[c]];
        if (up == CW_NO_LEVEL || down == CW_NO_LEVEL) continue;
        if (up - down != 1 && down - up != 1) return false;
    }
    return tree->h >= 2;
}

static void order_by_level(struct cw_tree_levels *tree)
{
    const uint32_t n = tree->net->n_vertices;
    uint32_t end[CW_XGFT_LEVELS + 2] = {0};
    for (uint32_t v = 0; v < n; v++)
        if (tree->level[v] != CW_NO_LEVEL) end[tree->level[v] + 1]++;
    for (uint32_t l = 0; l <= tree->h; l++) end[l + 1] += end[l];
    for (uint32_t l = 0; l <= tree->h + 1; l++) tree->begin[l] = end[l];
    for (uint32_t v = 0; v < n; v++)
        if (tree->level[v] != CW_NO_LEVEL) tree->order[end[tree->level[v]]++] = v;
}

/* --- nesting ------------------------------------------------------------------------------------------------------ */

/* Numbers the parts that the vertices of level L are in, in the order of their lowest vertices. INDEX has room for one
 * number a vertex. */
static void number_nodes(const struct cw_tree_levels *tree, uint32_t *sets, uint32_t l, uint32_t *index,
                         struct cw_nesting *nesting)
{
    for (uint32_t v = 0; v < tree->net->n_vertices; v++) index[v] = CW_NONE;
    for (uint32_t i = tree->begin[l]; i < tree->begin[l + 1]; i++) index[cw_set_of(sets, tree->order[i])] = 0;
    nesting->n[l] = 0;
    for (uint32_t v = 0; v < tree->net->n_vertices; v++)
        if (index[v] == 0) index[v] = nesting->n[l]++;
    for (uint32_t i = tree->begin[l]; i < tree->begin[l + 1]; i++)
        nesting->node[tree->order[i]] = index[cw_set_of(sets, tree->order[i])];
}

/* Finds the parents of the nodes of level BELOW on level L, and numbers each one's children. *GOOD is false if a node
 * has none. */
static int find_parents(const struct cw_tree_levels *tree, uint32_t *sets, uint32_t below, uint32_t l,
                        const uint32_t *index, struct cw_nesting *nesting, bool *good)
{
    uint32_t *parent = nesting->parent[below] = cw_new_array(nesting->n[below], sizeof *parent, what);
    uint32_t *digit = nesting->digit[below] = cw_new_array(nesting->n[below], sizeof *digit, what);
    uint32_t *children = cw_new_array(nesting->n[l], sizeof *children, what);
    if (!parent || !digit || !children) {
        free(children);
        return CW_ENOMEM;
    }
    for (uint32_t i = tree->begin[below]; i < tree->begin[below + 1]; i++) {
        const uint32_t v = tree->order[i];
        parent[nesting->node[v]] = index[cw_set_of(sets, v)];
    }
    for (uint32_t x = 0; x < nesting->n[below] && *good; x++) {
        *good = parent[x] != CW_NONE;
        if (!*good) break;
        digit[x] = children[parent[x]]++;
        if (children[parent[x]] > nesting->children[l]) nesting->children[l] = children[parent[x]];
    }
    free(children);
    return 0;
}

/* Grows the parts from level FROM to level TO, one of which is 0. *GOOD is false if they do not end in one. */
static int nest(const struct cw_tree_levels *tree, uint32_t from, uint32_t to, uint32_t *sets, uint32_t *index,
                struct cw_nesting *nesting, bool *good)
{
    const struct cw_network *net = tree->net;
    nesting->node = cw_new_array(net->n_vertices, sizeof *nesting->node, what);
    if (!nesting->node) return CW_ENOMEM;
    for (uint32_t v = 0; v < net->n_vertices; v++) sets[v] = v;
    int rc = 0;
    for (uint32_t l = from, before = from; rc == 0 && *good; before = l, l = from < to ? l + 1 : l - 1) {
        if (l != from)
            for (uint32_t i = tree->begin[l]; i < tree->begin[l + 1]; i++)
                join_with_level(tree, sets, tree->order[i], before);
        number_nodes(tree, sets, l, index, nesting);
        if (l != from) rc = find_parents(tree, sets, before, l, index, nesting, good);
        if (l == to) break;
    }
    *good = *good && nesting->n[to] == 1;
    return rc;
}

static void nesting_free(struct cw_nesting *nesting)
{
    free(nesting->node);
    for (uint32_t l = 0; l <= CW_XGFT_LEVELS; l++) {
        free(nesting->parent[l]);
        free(nesting->digit[l]);
    }
}

/* --- the shape ---------------------------------------------------------------------------------------------------- */

/* Cables up that vertices of level L should have: the greatest number that an eighth of them have, and two at least.
 * Fewer is a loss; more is rare, and too many. COUNT has room for one more than the highest degree. */
static uint32_t usual_up(const struct cw_tree_levels *tree, uint32_t l, uint32_t *count, uint32_t max_degree)
{
    const struct cw_network *net = tree->net;
    const uint64_t vertices = tree->begin[l + 1] - tree->begin[l];
    for (uint32_t d = 0; d <= max_degree; d++) count[d] = 0;
    for (uint32_t i = tree->begin[l]; i < tree->begin[l + 1]; i++) {
        const uint32_t v = tree->order[i];
        uint32_t up = 0;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) up += tree->level[net->head[c]] == l + 1;
        count[up]++;
    }
    uint32_t usual = max_degree;
    while (usual > 0 && (8 * (uint64_t)count[usual] < vertices || (count[usual] < 2 && vertices > 1))) usual--;
    return usual;
}

static int fill_shape(const struct cw_tree_levels *tree, struct cw_xgft *xgft, bool *good)
{
    const struct cw_network *net = tree->net;
    uint32_t max_degree = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (cw_network_degree(net, v) > max_degree) max_degree = cw_network_degree(net, v);
    uint32_t *count = cw_new_array((size_t)max_degree + 1, sizeof *count, what);
    if (!count) return CW_ENOMEM;
    *xgft = (struct cw_xgft){.h = tree->h};
    for (uint32_t l = 0; l < tree->h; l++) {
        const uint32_t m = xgft->m[l + 1] = tree->down.children[l + 1], w = xgft->w[l + 1] = tree->up.children[l];
        const uint32_t up = xgft->up[l] = usual_up(tree, l, count, max_degree);
        *good = *good && up >= w && (uint64_t)m * up % w == 0;
    }
    free(count);
    return 0;
}

/* The numbers that the digits of the nodes make, from the last level, which has one node, on. VALUES[l] has room for
 * the nodes of level l. */
static void make_numbers(const struct cw_nesting *nesting, uint32_t last, uint32_t first, uint32_t **values)
{
    values[last][0] = 0;
    for (uint32_t l = last; l != first;) {
        const uint32_t above = l, size = nesting->children[above];
        l = first < last ? l - 1 : l + 1;
        for (uint32_t x = 0; x < nesting->n[l]; x++)
            values[l][x] = values[above][nesting->parent[l][x]] * size + nesting->digit[l][x];
    }
}

static int take_places(const struct cw_tree_levels *tree, const struct cw_xgft *xgft, uint32_t *place)
{
    uint32_t *a[CW_XGFT_LEVELS + 1] = {NULL}, *b[CW_XGFT_LEVELS + 1] = {NULL}, base = 0, width = 1;
    bool memory = true;
    for (uint32_t l = 0; l <= tree->h; l++) {
        a[l] = cw_new_array(tree->down.n[l], sizeof **a, what);
        b[l] = cw_new_array(tree->up.n[l], sizeof **b, what);
        memory = memory && a[l] && b[l];
    }
    if (memory) {
        make_numbers(&tree->down, tree->h, 0, a);
        make_numbers(&tree->up, 0, tree->h, b);
        for (uint32_t v = 0; v < tree->net->n_vertices; v++) place[v] = CW_NONE;
    }
    for (uint32_t l = 0; l <= tree->h && memory; l++) {
        if (l > 0) width *= xgft->w[l];
        for (uint32_t i = tree->begin[l]; i < tree->begin[l + 1]; i++) {
            const uint32_t v = tree->order[i];
            place[v] = base + a[l][tree->down.node[v]] * width + b[l][tree->up.node[v]];
        }
        base += (uint32_t)cw_xgft_level_size(xgft, l);
    }
    for (uint32_t l = 0; l <= tree->h; l++) {
        free(a[l]);
        free(b[l]);
    }
    return memory ? 0 : CW_ENOMEM;
}

static int find_shape(struct cw_tree_levels *tree, uint32_t *scratch, struct cw_likeness *out)
{
    const uint32_t n = tree->net->n_vertices;
    struct cw_shape shape = {.kind = &cw_shape_xgft};
    bool good = true;
    order_by_level(tree);
    int rc = nest(tree, 0, tree->h, scratch, scratch + n, &tree->down, &good);
    if (rc == 0 && good) rc = nest(tree, tree->h, 0, scratch, scratch + n, &tree->up, &good);
    if (rc == 0 && good) rc = fill_shape(tree, &shape.xgft, &good);
    if (rc || !good || !cw_likeness_fits(tree->net, tree->begin[1], &shape)) return rc;
    for (uint32_t l = 0; l < tree->h && rc == 0 && good; l++)
        if (shape.xgft.up[l] % shape.xgft.w[l + 1] != 0) rc = cw_order_bundles(tree, &shape.xgft, l, &good);
    if (rc || !good) return rc;
    uint32_t *place = cw_new_array(n, sizeof *place, what);
    if (!place) return CW_ENOMEM;
    rc = take_places(tree, &shape.xgft, place);
    if (rc)
        free(place);
    else
        *out = (struct cw_likeness){shape, place};
    return rc;
}

int cw_recognise_xgft(const struct cw_network *net, struct cw_likeness *out)
{
    struct cw_tree_levels tree = {.net = net};
    const size_t n = net->n_vertices;
    uint32_t *scratch = cw_new_array(2 * n, sizeof *scratch, what);
    uint32_t *queue = cw_new_array(n, sizeof *queue, what);
    tree.level = cw_new_array(n, sizeof *tree.level, what);
    tree.order = cw_new_array(n, sizeof *tree.order, what);
    int rc = scratch && queue && tree.level && tree.order ? 0 : CW_ENOMEM;
    if (rc == 0) measure(&tree, scratch, queue);
    if (rc == 0 && levels_fit(&tree)) rc = find_shape(&tree, scratch, out);
    nesting_free(&tree.down);
    nesting_free(&tree.up);
    free(tree.level);
    free(tree.order);
    free(scratch);
    free(queue);
    return rc;
}
