/*
 * Directions of the joints of a torus or mesh: at one switch by who is in squares with whom, and from there across
 * squares. recognise_torus.c says how it goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "net/network_internal.h"
#include "topo/recognise_torus.h"

static const char what[] = "recognition of a torus";

void cw_grid_free(struct cw_grid *grid)
{
    free(grid->first);
    free(grid->to);
    free(grid->joint);
    free(grid->cables);
}

/* --- joints ------------------------------------------------------------------------------------------------------- */

/* The different switches next to switch S, ascending, into OUT; their number. */
static uint32_t neighbours(const struct cw_network *net, uint32_t s, uint32_t *out)
{
    const uint32_t v = net->n_endpoints + s;
    uint32_t n = 0, different = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (!cw_network_is_endpoint(net, net->head[c])) out[n++] = net->head[c] - net->n_endpoints;
    cw_sort_numbers(out, n);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || out[i] != out[i - 1]) out[different++] = out[i];
    return different;
}

uint32_t cw_grid_index(const struct cw_grid *grid, uint32_t s, uint32_t to)
{
    uint32_t i = grid->first[s];
    while (grid->to[i] != to) i++;
    return i;
}

static void number_joints(struct cw_grid *grid)
{
    const struct cw_network *net = grid->net;
    for (uint32_t s = 0; s < grid->n; s++)
        for (uint32_t i = grid->first[s]; i < grid->first[s + 1]; i++) {
            const uint32_t t = grid->to[i];
            grid->joint[i] = t < s ? grid->joint[cw_grid_index(grid, t, s)] : grid->n_joints++;
        }
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints || net->tail[c] > net->head[c]) continue;
        const uint32_t s = net->tail[c] - net->n_endpoints, t = net->head[c] - net->n_endpoints;
        uint8_t *cables = &grid->cables[grid->joint[cw_grid_index(grid, s, t)]];
        if (*cables < UINT8_MAX) (*cables)++;
    }
}

static int find_joints(struct cw_grid *grid, bool *good)
{
    const struct cw_network *net = grid->net;
    grid->n = cw_network_switches(net);
    grid->first = cw_new_array((size_t)grid->n + 1, sizeof *grid->first, what);
    grid->to = cw_new_array(net->n_channels, sizeof *grid->to, what);
    grid->joint = cw_new_array(net->n_channels, sizeof *grid->joint, what);
    grid->cables = cw_new_array(net->n_channels, sizeof *grid->cables, what);
    if (!grid->first || !grid->to || !grid->joint || !grid->cables) return CW_ENOMEM;
    for (uint32_t s = 0; s < grid->n && *good; s++) {
        const uint32_t degree = neighbours(net, s, grid->to + grid->first[s]);
        grid->first[s + 1] = grid->first[s] + degree;
        *good = degree <= CW_GRID_DEGREE;
    }
    if (*good) number_joints(grid);
    return 0;
}

/* --- squares ------------------------------------------------------------------------------------------------------ */

/* Looks around switch S; false if something is reached by three neighbours, as nothing is in a torus. O(degree²). */
static bool look_around(const struct cw_grid *grid, uint32_t s, struct cw_around *around)
{
    bool good = true;
    around->n = 0;
    for (uint32_t i = grid->first[s]; i < grid->first[s + 1]; i++) {
        const uint32_t a = grid->to[i];
        for (uint32_t j = grid->first[a]; j < grid->first[a + 1]; j++) {
            const uint32_t u = grid->to[j];
            if (u == s) continue;
            if (around->mark[u] == 0) {
                around->far[around->n] = u;
                around->via[around->n][0] = i;
                around->via[around->n][1] = CW_NONE;
                around->mark[u] = ++around->n;
            } else if (around->via[around->mark[u] - 1][1] == CW_NONE) {
                around->via[around->mark[u] - 1][1] = i;
            } else {
                good = false;
            }
        }
    }
    for (uint32_t k = 0; k < around->n; k++) around->mark[around->far[k]] = 0;
    return good;
}

int cw_grid_new(const struct cw_network *net, struct cw_grid *grid, bool *good)
{
    *grid = (struct cw_grid){.net = net};
    *good = true;
    return find_joints(grid, good);
}

/* --- labels ------------------------------------------------------------------------------------------------------- */

static uint8_t opposite(const struct cw_torus_search *torus, uint8_t label)
{
    return torus->axis[label / 2].both ? label ^ 1 : label;
}

/* Bit j of spans[i]: the neighbours FIRST + i and FIRST + j of the switch looked around are sides of a square. */
static void find_spans(const struct cw_torus_search *torus, uint32_t first, uint64_t *spans)
{
    const struct cw_around *around = torus->around;
    memset(spans, 0, CW_GRID_DEGREE * sizeof *spans);
    for (uint32_t k = 0; k < around->n; k++) {
        const uint32_t i = around->via[k][0] - first, j = around->via[k][1] - first;
        if (around->via[k][1] == CW_NONE) continue;
        spans[i] |= UINT64_C(1) << j;
        spans[j] |= UINT64_C(1) << i;
    }
}

/* Gives the joints of switch S labels; false if its neighbours are not in squares as a torus has them. */
static bool begin_at(struct cw_torus_search *torus, uint32_t s)
{
    const struct cw_grid *grid = &torus->grid;
    const uint32_t first = grid->first[s], degree = grid->first[s + 1] - first;
    uint64_t spans[CW_GRID_DEGREE];
    if (!look_around(grid, s, torus->around)) return false;
    find_spans(torus, first, spans);
    torus->n_axes = 0;
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t partner = CW_NONE;
        for (uint32_t j = 0; j < degree; j++) {
            if (j == i || spans[i] >> j & 1) continue;
            if (partner != CW_NONE) return false;
            partner = j;
        }
        if (partner != CW_NONE && partner < i) continue; /* has its label */
        const uint32_t x = torus->n_axes++;
        torus->axis[x] = (struct cw_axis){.both = partner != CW_NONE};
        torus->label[first + i] = (uint8_t)(2 * x);
        if (partner != CW_NONE) torus->label[first + partner] = (uint8_t)(2 * x + 1);
    }
    return true;
}

struct queue {
    uint32_t head, n;
};

static void push(struct cw_torus_search *torus, struct queue *queue, uint32_t s)
{
    if (torus->waiting[s]) return;
    torus->waiting[s] = 1;
    torus->queue[(queue->head + queue->n++) % torus->grid.n] = s;
}

/* Labels the joint of S at index I of `to`, from both ends; false if it had another label. */
static bool give_label(struct cw_torus_search *torus, struct queue *queue, uint32_t s, uint32_t i, uint8_t label)
{
    const uint32_t t = torus->grid.to[i], back = cw_grid_index(&torus->grid, t, s);
    if (torus->label[i] == label && torus->label[back] == opposite(torus, label)) return true;
    if (torus->label[i] != CW_NO_LABEL && torus->label[i] != label) return false;
    if (torus->label[back] != CW_NO_LABEL) return false;
    torus->label[i] = label;
    torus->label[back] = opposite(torus, label);
    push(torus, queue, s);
    push(torus, queue, t);
    return true;
}

/* Labels the joints of switch S, looked around just now, to which only one direction is left: no other joint of S has
 * it, nor is one in a square with the joint whose opposite it would be. So a line goes straight on. */
static bool label_the_rest(struct cw_torus_search *torus, struct queue *queue, uint32_t s)
{
    const uint32_t first = torus->grid.first[s], degree = torus->grid.first[s + 1] - first;
    uint64_t spans[CW_GRID_DEGREE];
    find_spans(torus, first, spans);
    for (uint32_t i = 0; i < degree; i++) {
        bool excluded[2 * CW_GRID_DEGREE] = {false};
        uint32_t left = 0;
        uint8_t last = CW_NO_LABEL;
        if (torus->label[first + i] != CW_NO_LABEL) continue;
        for (uint32_t j = 0; j < degree; j++) {
            const uint8_t label = torus->label[first + j];
            if (label == CW_NO_LABEL) continue;
            excluded[label] = true;
            if (spans[i] >> j & 1) excluded[opposite(torus, label)] = true;
        }
        for (uint32_t label = 0; label < 2 * torus->n_axes; label++) {
            if (excluded[label] || (label % 2 == 1 && !torus->axis[label / 2].both)) continue;
            left++;
            last = (uint8_t)label;
        }
        if (left == 1 && !give_label(torus, queue, s, first + i, last)) return false;
    }
    return true;
}

/* Carries the labels of S across its squares. */
static bool carry_labels(struct cw_torus_search *torus, struct queue *queue, uint32_t s)
{
    const struct cw_grid *grid = &torus->grid;
    struct cw_around *around = torus->around;
    bool good = true;
    for (uint32_t i = grid->first[s]; i < grid->first[s + 1] && good; i++)
        if (torus->label[i] != CW_NO_LABEL) good = give_label(torus, queue, s, i, torus->label[i]);
    good = good && look_around(grid, s, around);
    for (uint32_t k = 0; k < around->n && good; k++) {
        const uint32_t i = around->via[k][0], j = around->via[k][1], u = around->far[k];
        if (j == CW_NONE || torus->label[i] == CW_NO_LABEL || torus->label[j] == CW_NO_LABEL) continue;
        const uint32_t a = grid->to[i], b = grid->to[j];
        good = give_label(torus, queue, a, cw_grid_index(grid, a, u), torus->label[j]) &&
               give_label(torus, queue, b, cw_grid_index(grid, b, u), torus->label[i]);
    }
    return good && label_the_rest(torus, queue, s);
}

bool cw_label_joints(struct cw_torus_search *torus, uint32_t start)
{
    struct queue queue = {0};
    memset(torus->label, CW_NO_LABEL, 2 * (size_t)torus->grid.n_joints);
    memset(torus->waiting, 0, torus->grid.n);
    if (!begin_at(torus, start)) return false;
    push(torus, &queue, start);
    while (queue.n > 0) {
        const uint32_t s = torus->queue[queue.head];
        queue.head = (queue.head + 1) % torus->grid.n;
        queue.n--;
        torus->waiting[s] = 0;
        if (!carry_labels(torus, &queue, s)) return false;
    }
    return true;
}
