/*
 * Directions of the joints of a torus or mesh: at one switch by who is in squares with whom, and from there across
 * squares. recognise_torus.c says how it goes on.
 */
#include <string.h>

#include "topo/recognise_torus.h"

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
    if (!cw_look_around(grid, s, torus->around)) return false;
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
    good = good && cw_look_around(grid, s, around);
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
