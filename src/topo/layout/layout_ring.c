/* Networks of groups: switches, or whole groups, on a circle; and all other networks, by forces. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "topo/layout/layout_internal.h"

/* --- a ring of groups --------------------------------------------------------------------------------------------- */

#define MOST_ON_RING 300  /* switches */
#define MOST_CABLES  2500 /* between them */
#define MOST_GROUPS  34   /* boxes of groups */

/* COUNT boxes of a size stand on the circle, with room for GAP more behind each group of PER_GROUP. */
struct ring {
    uint32_t count, per_group;
    double width, height, gap, radius, step; /* step: angle from box to box */
};

static struct ring ring_of(uint32_t count, uint32_t per_group, double width, double height)
{
    struct ring ring = {count, per_group, width, height, per_group > 1 ? 1 : 0, 0, 0};
    const double slots = count + ring.gap * ((count - 1) / per_group + 1);
    const double chord = hypot(width, height) + 4; /* no two boxes overlap, whatever the angle between them */
    ring.step = 2 * acos(-1) / slots;
    ring.radius = slots < 3 ? 120 : fmax(120, chord / 2 / sin(ring.step / 2));
    return ring;
}

static double angle_of(const struct ring *ring, double i)
{
    return (i + floor(i / ring->per_group) * ring->gap) * ring->step - acos(0);
}

/* How far a line within a group that passes SPAN - 1 boxes is outside of the circle. */
static double bulge_of(double width, double height, uint32_t span)
{
    return fmin(hypot(width, height) / 2 + 4 + 4.0 * span, 90);
}

/* Within a group outside of the circle, the further the higher; to other groups across it. */
static double bend(const struct cw_layout_plan *plan, const struct cw_layout_line *line)
{
    const struct cw_layout_box *a = &plan->out->boxes[line->a], *b = &plan->out->boxes[line->b];
    const struct cw_layout_spot *from = &plan->spots[line->a], *to = &plan->spots[line->b];
    if (from->x == CW_NONE || to->x == CW_NONE || from->x != to->x || from->z + 1 == to->z) return 0;
    const double outward = (b->y - a->y) * (a->x + b->x) / 2 - (b->x - a->x) * (a->y + b->y) / 2;
    const double size = bulge_of(a->width, a->height, to->z - from->z);
    return outward > 0 ? size : -size;
}

static int add_words(struct cw_layout_plan *plan, const struct ring *ring, uint32_t groups)
{
    int rc = 0;
    const double radius = ring->radius + bulge_of(ring->width, ring->height, ring->per_group) + 24;
    for (uint32_t g = 0; g < groups && !rc; g++) {
        const double middle = g * (double)ring->per_group,
                     angle = (angle_of(ring, middle) + angle_of(ring, middle + ring->per_group - 1)) / 2;
        struct cw_layout_panel panel = {.x = radius * cos(angle), .y = radius * sin(angle)};
        snprintf(panel.label, sizeof panel.label, "group %u", g);
        rc = cw_layout_plan_panel(plan, panel);
    }
    return rc;
}

/* EACH switches in the order of groups are a box. */
static int seat_on_ring(struct cw_layout_plan *plan, const struct ring *ring, uint32_t each)
{
    const struct cw_network *net = plan->net;
    uint32_t *box_at = cw_new_array(ring->count, sizeof *box_at, "a ring"); /* number + 1 */
    int rc = box_at ? 0 : CW_ENOMEM;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices && !rc; v++) {
        const uint32_t at = cw_layout_plan_index(plan, v) / each;
        if (box_at[at] == 0) {
            const double angle = angle_of(ring, at);
            rc = cw_layout_plan_box(plan,
                                    (struct cw_layout_box){.x = ring->radius * cos(angle),
                                                           .y = ring->radius * sin(angle),
                                                           .width = ring->width,
                                                           .height = ring->height},
                                    (struct cw_layout_spot){at / ring->per_group, 0, at % ring->per_group});
            box_at[at] = (uint32_t)plan->out->n_boxes;
        }
        if (!rc) cw_layout_plan_seat(plan, v, box_at[at] - 1);
    }
    free(box_at);
    return rc;
}

int cw_layout_plan_ring(struct cw_layout_plan *plan)
{
    const struct cw_groups groups = cw_shape_groups(plan->shape);
    const uint32_t switches = groups.n * groups.switches;
    if (switches <= MOST_ON_RING && cw_layout_plan_cables(plan) <= MOST_CABLES) {
        const bool room = switches <= 64;
        const struct ring ring = ring_of(switches, groups.switches, room ? 62 : 16, room ? 32 : 16);
        plan->bend = bend;
        const int rc = seat_on_ring(plan, &ring, 1);
        return rc || groups.switches == 1 ? rc : add_words(plan, &ring, groups.n);
    }
    const uint32_t together = (groups.n - 1) / MOST_GROUPS + 1;
    const struct ring ring = ring_of((groups.n - 1) / together + 1, 1, 96, 34);
    if (together > 1)
        cw_text_printf(&plan->out->merged, "A box is up to %u groups of %u switches that follow one another. ",
                       together, groups.switches);
    else
        cw_text_printf(&plan->out->merged, "A box is a group of %u switches. ", groups.switches);
    return seat_on_ring(plan, &ring, together * groups.switches);
}

/* --- forces ------------------------------------------------------------------------------------------------------- */

#define MOST_BOXES 96 /* by forces */
#define MOST_LINES 1200
#define ROUNDS     300
#define WIDTH      88
#define HEIGHT     34

/* Switches that are one box: `of` leads to it, numbered from 0. */
struct clusters {
    uint32_t n;
    uint32_t *of;     /* [switches] */
    uint32_t *size;   /* [switches] */
    uint32_t *match;  /* [switches] work space */
    uint32_t *cables; /* [switches] … */
};

static uint32_t cluster_of(const struct cw_layout_plan *plan, const struct clusters *clusters, uint32_t v)
{
    return cw_network_is_endpoint(plan->net, v) ? CW_NONE : clusters->of[v - plan->net->n_endpoints];
}

/* The unmatched cluster that A, some of whose switches are V …, has most cables to; of equals the smaller, the earlier.
 * CABLES is all 0 before and afterwards. */
static uint32_t best_partner(const struct cw_layout_plan *plan, const struct clusters *clusters, uint32_t a,
                             const uint32_t *members, uint32_t n)
{
    const struct cw_network *net = plan->net;
    uint32_t best = CW_NONE;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t c = net->first[members[i]]; c < net->first[members[i] + 1]; c++) {
                const uint32_t b = cluster_of(plan, clusters, net->head[c]);
                if (b == CW_NONE || b == a || clusters->match[b] != CW_NONE) continue;
                if (pass == 1) {
                    clusters->cables[b] = 0;
                    continue;
                }
                const uint32_t cables = ++clusters->cables[b], most = best == CW_NONE ? 0 : clusters->cables[best];
                if (cables > most || (cables == most && b != best &&
                                      (clusters->size[b] < clusters->size[best] ||
                                       (clusters->size[b] == clusters->size[best] && b < best))))
                    best = b;
            }
    return best;
}

/* Joins pairs of clusters, each with the one that it has most cables to; those that find none, with the next that is
 * left. *JOINED: how many pairs. */
static int join_pairs(struct cw_layout_plan *plan, struct clusters *clusters, uint32_t *joined)
{
    const uint32_t switches = cw_network_switches(plan->net), base = plan->net->n_endpoints;
    uint32_t *first = cw_new_array((size_t)clusters->n + 2, sizeof *first, "clusters");
    uint32_t *members = cw_new_array(switches, sizeof *members, "clusters");
    if (!first || !members) {
        free(first);
        free(members);
        return CW_ENOMEM;
    }
    for (uint32_t s = 0; s < switches; s++) first[clusters->of[s] + 2]++;
    for (uint32_t i = 0; i < clusters->n; i++) first[i + 2] += first[i + 1];
    for (uint32_t s = 0; s < switches; s++) members[first[clusters->of[s] + 1]++] = s + base;
    for (uint32_t i = 0; i < clusters->n; i++) {
        clusters->size[i] = first[i + 1] - first[i];
        clusters->match[i] = CW_NONE;
    }
    uint32_t lonely = CW_NONE, n = 0;
    for (uint32_t i = 0; i < clusters->n; i++) {
        if (clusters->match[i] != CW_NONE) continue;
        uint32_t other = best_partner(plan, clusters, i, members + first[i], clusters->size[i]);
        if (other == CW_NONE && lonely == CW_NONE)
            lonely = i;
        else if (other == CW_NONE)
            other = lonely, lonely = CW_NONE;
        clusters->match[i] = i;
        if (other == CW_NONE) continue;
        clusters->match[i] = other < i ? other : i;
        clusters->match[other] = clusters->match[i];
        n++;
    }
    /* renumber in their order: those that are their own match, and the lower of a pair */
    uint32_t number = 0;
    for (uint32_t i = 0; i < clusters->n; i++)
        first[i] = clusters->match[i] == i ? number++ : first[clusters->match[i]];
    for (uint32_t s = 0; s < switches; s++) clusters->of[s] = first[clusters->of[s]];
    clusters->n = number;
    *joined = n;
    free(first);
    free(members);
    return 0;
}

static int cluster(struct cw_layout_plan *plan, struct clusters *clusters)
{
    const uint32_t switches = cw_network_switches(plan->net), cables = cw_layout_plan_cables(plan);
    uint32_t joined = 1, most = MOST_BOXES;
    int rc = 0;
    for (uint32_t s = 0; s < switches; s++) clusters->of[s] = s;
    clusters->n = switches;
    if (switches <= most && cables > MOST_LINES) most = 48; /* 48 · 47 / 2 lines are fewer */
    if (switches > most) most = 48;
    while (clusters->n > most && joined > 0 && !rc) rc = join_pairs(plan, clusters, &joined);
    return rc;
}

struct body {
    double x, y, to_x, to_y;
};

/* Fruchterman and Reingold, "Graph drawing by force-directed placement", 1991: all push each other apart, cables pull;
 * every round moves less than the one before. K is the distance that is aimed at. */
static void settle(const struct cw_layout_plan *plan, const struct clusters *clusters, struct body *bodies)
{
    const struct cw_network *net = plan->net;
    const uint32_t n = clusters->n;
    const double k = 1.9 * WIDTH, all = cw_layout_plan_cables(plan);
    const double weight = all > 5.0 * n ? 5.0 * n / all : 1; /* of a cable: many must not pull all into one heap */
    for (int round = 0; round < ROUNDS; round++) {
        const double limit = 4 * k * (1 - round / (double)ROUNDS) / 5;
        for (uint32_t i = 0; i < n; i++) bodies[i].to_x = bodies[i].to_y = 0;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < i; j++) {
                const double dx = bodies[i].x - bodies[j].x, dy = bodies[i].y - bodies[j].y;
                const double push = k * k / fmax(dx * dx + dy * dy, 1);
                bodies[i].to_x += dx * push, bodies[i].to_y += dy * push;
                bodies[j].to_x -= dx * push, bodies[j].to_y -= dy * push;
            }
        for (uint32_t c = net->first[net->n_endpoints]; c < net->n_channels; c++) {
            const uint32_t a = cluster_of(plan, clusters, net->tail[c]), b = cluster_of(plan, clusters, net->head[c]);
            if (b == CW_NONE || a <= b) continue;
            const double dx = bodies[a].x - bodies[b].x, dy = bodies[a].y - bodies[b].y;
            const double pull = weight * fmin(hypot(dx, dy) / k, 4);
            bodies[a].to_x -= dx * pull, bodies[a].to_y -= dy * pull;
            bodies[b].to_x += dx * pull, bodies[b].to_y += dy * pull;
        }
        for (uint32_t i = 0; i < n; i++) { /* and all are drawn to the middle, or parts would drift away */
            const double x = bodies[i].to_x - bodies[i].x / 4, y = bodies[i].to_y - bodies[i].y / 4;
            const double far = hypot(x, y), step = far > limit ? limit / far : 1;
            bodies[i].x += x * step;
            bodies[i].y += y * step;
        }
    }
}

/* Pushes boxes apart that overlap; whether any did. */
static bool part(struct body *bodies, uint32_t n)
{
    const double width = WIDTH + 14, height = HEIGHT + 14;
    bool moved = false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            const double dx = bodies[i].x - bodies[j].x, dy = bodies[i].y - bodies[j].y;
            const double x = width - fabs(dx), y = height - fabs(dy);
            if (x <= 0 || y <= 0) continue;
            moved = true;
            if (y < x) {
                bodies[i].y += (dy < 0 ? -1 : 1) * (y / 2 + .1);
                bodies[j].y -= (dy < 0 ? -1 : 1) * (y / 2 + .1);
            } else {
                bodies[i].x += (dx < 0 ? -1 : 1) * (x / 2 + .1);
                bodies[j].x -= (dx < 0 ? -1 : 1) * (x / 2 + .1);
            }
        }
    return moved;
}

static int seat_bodies(struct cw_layout_plan *plan, const struct clusters *clusters, const struct body *bodies)
{
    int rc = 0;
    for (uint32_t i = 0; i < clusters->n && !rc; i++)
        rc = cw_layout_plan_box(
            plan, (struct cw_layout_box){.x = bodies[i].x, .y = bodies[i].y, .width = WIDTH, .height = HEIGHT},
            (struct cw_layout_spot){i, 0, 0});
    for (uint32_t v = plan->net->n_endpoints; v < plan->net->n_vertices && !rc; v++)
        cw_layout_plan_seat(plan, v, clusters->of[v - plan->net->n_endpoints]);
    return rc;
}

int cw_layout_plan_forces(struct cw_layout_plan *plan)
{
    const uint32_t switches = cw_network_switches(plan->net);
    uint32_t *numbers = cw_new_array(4 * (size_t)switches, sizeof *numbers, "clusters");
    struct clusters clusters = {.of = numbers};
    struct body *bodies = NULL;
    if (!numbers) return CW_ENOMEM;
    clusters.size = numbers + switches;
    clusters.match = numbers + 2 * (size_t)switches;
    clusters.cables = numbers + 3 * (size_t)switches;
    int rc = cluster(plan, &clusters);
    if (!rc) bodies = cw_new_array(clusters.n, sizeof *bodies, "a layout");
    if (!rc && !bodies) rc = CW_ENOMEM;
    if (!rc) {
        struct cw_random random = cw_random_of(1, CW_STREAM_ORDER, clusters.n);
        for (uint32_t i = 0; i < clusters.n; i++) {
            bodies[i].x = (cw_random_unit(&random) - .5) * WIDTH * sqrt(clusters.n) * 2;
            bodies[i].y = (cw_random_unit(&random) - .5) * WIDTH * sqrt(clusters.n) * 2;
        }
        settle(plan, &clusters, bodies);
        for (int round = 1; part(bodies, clusters.n); round++)
            for (uint32_t i = 0; round % ROUNDS == 0 && i < clusters.n; i++) /* there is no room: make some */
                bodies[i].x *= 1.2, bodies[i].y *= 1.2;
        rc = seat_bodies(plan, &clusters, bodies);
        if (clusters.n < switches)
            cw_text_printf(&plan->out->merged,
                           "%u switches are %u boxes, each of those with most cables between them. ", switches,
                           clusters.n);
    }
    free(bodies);
    free(numbers);
    return rc;
}
