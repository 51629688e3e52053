#include "flow/forest/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"

#define MUCH     (INT64_MAX / 4) /* more than any flow */
#define ROUNDING 1e-9            /* of sums of loads, relative */
#define NO_ARC   SIZE_MAX

#define FEW_NEIGHBOURS 16 /* of a switch: each is joined to all others */

/* --- max-flow (Dinic 1970), with an end as soon as it is known to be enough --------------------------------------- */

struct flow {
    uint32_t n; /* vertices */
    struct flow_edge {
        uint32_t tail, head;
        int64_t room;
    } * edges; /* as they were added */
    size_t n_edges, edges_capacity;
    struct flow_arc {
        int64_t room, back; /* back: that of its reverse */
        int64_t whole;      /* at first; of the reverse of an edge, less than 0 */
        uint32_t head, reverse;
    } * arcs; /* by tail, those of edges and their reverses */
    size_t arcs_capacity;
    size_t *first, *at; /* [n + 1] */
    uint32_t *level, *queue;
};

static void flow_free(struct flow *flow)
{
    free(flow->edges);
    free(flow->arcs);
    free(flow->first);
    free(flow->at);
    free(flow->level);
    free(flow->queue);
}

/* N vertices at most, at any time. */
static int flow_new(uint32_t n, struct flow *flow)
{
    *flow = (struct flow){.n = n};
    flow->first = cw_new_array((size_t)n + 1, sizeof *flow->first, "vertices of a flow");
    flow->at = cw_new_array((size_t)n + 1, sizeof *flow->at, "vertices of a flow");
    flow->level = cw_new_array(n, sizeof *flow->level, "vertices of a flow");
    flow->queue = cw_new_array(n, sizeof *flow->queue, "vertices of a flow");
    if (flow->first && flow->at && flow->level && flow->queue) return 0;
    flow_free(flow);
    return CW_ENOMEM;
}

static int flow_add(struct flow *flow, uint32_t tail, uint32_t head, int64_t room)
{
    const int rc = cw_grow_array((void **)&flow->edges, &flow->edges_capacity, flow->n_edges + 1, sizeof *flow->edges,
                                 "edges of a flow");
    if (!rc) flow->edges[flow->n_edges++] = (struct flow_edge){tail, head, room};
    return rc;
}

/* Puts the arcs of each vertex one behind another, those of the last edges first. */
static int flow_ready(struct flow *flow)
{
    if (flow->n_edges > UINT32_MAX / 2) return cw_fail(CW_ELIMIT, "%zu channels are too many for trees", flow->n_edges);
    const int rc = cw_grow_array((void **)&flow->arcs, &flow->arcs_capacity, 2 * flow->n_edges, sizeof *flow->arcs,
                                 "arcs of a flow");
    if (rc) return rc;
    size_t *end = flow->at;
    memset(end, 0, ((size_t)flow->n + 1) * sizeof *end);
    for (size_t i = 0; i < flow->n_edges; i++) {
        end[flow->edges[i].tail]++;
        end[flow->edges[i].head]++;
    }
    flow->first[0] = 0;
    for (uint32_t v = 0; v < flow->n; v++) flow->first[v + 1] = end[v] += flow->first[v];
    for (size_t i = 0; i < flow->n_edges; i++) {
        const struct flow_edge *edge = &flow->edges[i];
        const size_t a = --end[edge->tail], back = --end[edge->head];
        flow->arcs[a] = (struct flow_arc){.whole = edge->room, .head = edge->head, .reverse = (uint32_t)back};
        flow->arcs[back] = (struct flow_arc){.whole = -edge->room, .head = edge->tail, .reverse = (uint32_t)a};
    }
    return 0;
}

/* How far vertices are from SOURCE, or with BACK from STOP, against the arcs: those that it does not reach are at
 * CW_NONE, as are those behind the other one of the two. */
static bool flow_levels(struct flow *flow, uint32_t from, uint32_t stop, bool back)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < flow->n; v++) flow->level[v] = CW_NONE;
    flow->level[from] = 0;
    flow->queue[n++] = from;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = flow->queue[i];
        if (v == stop) return true;
        for (size_t a = flow->first[v]; a < flow->first[v + 1]; a++) {
            const struct flow_arc *arc = &flow->arcs[a];
            if ((back ? arc->back : arc->room) == 0 || flow->level[arc->head] != CW_NONE) continue;
            flow->level[arc->head] = flow->level[v] + 1;
            flow->queue[n++] = arc->head;
        }
    }
    return false;
}

static int64_t flow_push(struct flow *flow, uint32_t v, uint32_t sink, int64_t most)
{
    int64_t pushed = 0;
    if (v == sink) return most;
    for (; flow->at[v] < flow->first[v + 1]; flow->at[v]++) {
        struct flow_arc *arc = &flow->arcs[flow->at[v]], *reverse = &flow->arcs[arc->reverse];
        if (arc->room == 0 || flow->level[arc->head] + 1 != flow->level[v]) continue;
        const int64_t left = most - pushed;
        const int64_t more = flow_push(flow, arc->head, sink, left < arc->room ? left : arc->room);
        arc->room -= more;
        reverse->back -= more;
        reverse->room += more;
        arc->back += more;
        pushed += more;
        if (pushed == most) break; /* the arc may have room for the next push */
    }
    return pushed;
}

/* The greatest flow from SOURCE to SINK, or ENOUGH if it is greater. If it is less, levels that are not CW_NONE are a
 * least cut. */
static int64_t flow_most(struct flow *flow, uint32_t source, uint32_t sink, int64_t enough)
{
    int64_t value = 0;
    for (size_t a = 0; a < flow->first[flow->n]; a++) {
        struct flow_arc *arc = &flow->arcs[a];
        arc->room = arc->whole > 0 ? arc->whole : 0;
        arc->back = arc->whole < 0 ? -arc->whole : 0;
    }
    while (value < enough && flow_levels(flow, sink, source, true)) { /* nothing leads from here to a dead end */
        memcpy(flow->at, flow->first, flow->n * sizeof *flow->at);
        value += flow_push(flow, source, sink, enough - value);
    }
    if (value < enough) flow_levels(flow, source, sink, false);
    return value;
}

/* --- the network, as far as it is not yet split off --------------------------------------------------------------- */

/* A channel of the network, or two arcs one after the other, past a switch that is no more. */
struct arc {
    uint32_t tail, head;
    uint32_t channel; /* CW_NONE: it is the arcs `left` and `right` */
    size_t left, right;
    int64_t room;
};

struct work {
    const struct cw_forest_setup *setup;
    struct cw_forest *out;
    uint32_t source; /* of flows: from it to each root */
    uint32_t n_roots;
    bool *is_member; /* [vertices] */
    struct arc *arcs;
    size_t n_arcs, arcs_capacity;
    int64_t need;     /* capacity that each root is to have to every member, in units of */
    double unit;      /* byte/s */
    double promised;  /* [byte/s] the rate before switches were split off */
    uint32_t suspect; /* the member that was last too weakly connected: others are asked after it */
    bool wide;        /* switches are split off so that trees branch, first of all */
    struct flow flow;
};

static bool is_root(const struct work *work, uint32_t v)
{
    return work->is_member[v] && (work->setup->root == CW_NONE || work->setup->root == v);
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int add_arc(struct work *work, struct arc arc)
{
    const int rc =
        cw_grow_array((void **)&work->arcs, &work->arcs_capacity, work->n_arcs + 1, sizeof arc, "arcs of a forest");
    if (rc == 0) work->arcs[work->n_arcs++] = arc;
    return rc;
}

static int add_channels(struct work *work)
{
    const struct cw_network *net = work->setup->net;
    int64_t measure = 0;
    int rc = 0;
    for (uint32_t c = 0; c < net->n_channels && rc == 0; c++) {
        const double bits = net->capacity[c] * 8;
        uint32_t tail = net->tail[c], head = net->head[c];
        if (bits == 0) continue;
        if (!cw_network_forwards(net, tail) && !work->is_member[tail]) continue;
        if (!cw_network_forwards(net, head) && !work->is_member[head]) continue;
        if (!(bits >= 1 && bits < 1e18)) return cw_fail(CW_EUSAGE, "a channel has %g bit/s: expected 1 to 1e18", bits);
        if (work->setup->to_roots) {
            tail = net->head[c];
            head = net->tail[c];
        }
        const int64_t room = (int64_t)floor(bits);
        measure = gcd(room, measure);
        rc = add_arc(work, (struct arc){tail, head, c, NO_ARC, NO_ARC, room});
    }
    for (size_t a = 0; a < work->n_arcs; a++) work->arcs[a].room /= measure;
    work->unit = (double)measure / 8;
    return rc;
}

/* Arcs, and from the source to each root NEED. */
static int build_flow(struct work *work, int64_t factor, int64_t need)
{
    int rc = 0;
    work->flow.n_edges = 0;
    for (size_t a = 0; a < work->n_arcs && rc == 0; a++)
        if (work->arcs[a].room > 0)
            rc = flow_add(&work->flow, work->arcs[a].tail, work->arcs[a].head, work->arcs[a].room * factor);
    for (uint32_t i = 0; i < work->setup->n_members && rc == 0; i++)
        if (is_root(work, work->setup->members[i]))
            rc = flow_add(&work->flow, work->source, work->setup->members[i], need);
    return rc ? rc : flow_ready(&work->flow);
}

/* --- the optimum: Newton's steps from violated cut to violated cut ------------------------------------------------ */

/* Capacity of the arcs that leave the cut of the last flow, and roots in it. */
static int64_t measure_cut(const struct work *work, int64_t *roots)
{
    const uint32_t *level = work->flow.level;
    int64_t capacity = 0;
    *roots = 0;
    for (size_t a = 0; a < work->n_arcs; a++)
        if (level[work->arcs[a].tail] != CW_NONE && level[work->arcs[a].head] == CW_NONE)
            capacity += work->arcs[a].room;
    for (uint32_t i = 0; i < work->setup->n_members; i++) {
        const uint32_t v = work->setup->members[i];
        *roots += level[v] != CW_NONE && is_root(work, v);
    }
    return capacity;
}

static int fail_unreached(const struct work *work, uint32_t member)
{
    char name[CW_NAME_SIZE];
    return cw_fail(CW_EUSAGE,
                   "no channels lead %s %s from all others that have data for it: expected a network in "
                   "one piece",
                   work->setup->to_roots ? "away from" : "to",
                   cw_network_name(work->setup->net, member, name, sizeof name));
}

/* Units so small that `need`, the most that every cut has for each root, is whole. */
static int take_units(struct work *work, int64_t capacity, int64_t roots)
{
    int64_t measure = capacity;
    for (size_t a = 0; a < work->n_arcs; a++) measure = gcd(measure, work->arcs[a].room * roots);
    for (size_t a = 0; a < work->n_arcs; a++) work->arcs[a].room = work->arcs[a].room * roots / measure;
    work->need = capacity / measure;
    work->unit *= (double)measure / (double)roots;
    return 0;
}

static void keep_cut(struct work *work, int64_t capacity, int64_t roots)
{
    struct cw_forest *out = work->out;
    for (uint32_t v = 0; v < work->setup->net->n_vertices; v++) out->cut[v] = work->flow.level[v] != CW_NONE;
    out->cut_roots = (uint32_t)roots;
    out->cut_capacity = (double)capacity * work->unit;
}

/* Sets `need` to what all cuts have for each root, exactly. KEEP: the cut that has no more is the proof. */
static int find_optimum(struct work *work, bool keep)
{
    const struct cw_forest_setup *setup = work->setup;
    const uint32_t n = setup->n_members;
    int64_t sum = 1, capacity, roots = 1;
    for (size_t a = 0; a < work->n_arcs; a++) {
        if (work->arcs[a].room > MUCH / n / n - sum)
            return cw_fail(CW_EUSAGE,
                           "the capacities of all channels are more than %lld times what they are multiples "
                           "of: expected round figures, such as 200Gbit/s",
                           (long long)(MUCH / n / n));
        sum += work->arcs[a].room;
    }
    capacity = sum; /* more than any cut has */
    int rc = build_flow(work, 1, capacity);
    for (uint32_t i = 0, right = 0; right < n && rc == 0; i = (i + 1) % n, right++) {
        const int64_t whole = capacity * work->n_roots;
        if (flow_most(&work->flow, work->source, setup->members[i], whole) == whole) continue;
        capacity = measure_cut(work, &roots);
        if (capacity == 0) return fail_unreached(work, setup->members[i]);
        if (keep) keep_cut(work, capacity, roots);
        right = UINT32_MAX;  /* 0 after the loop's step */
        i = (i + n - 1) % n; /* the same member again: it is the one that most probably still has too little */
        rc = build_flow(work, roots, capacity);
        if (rc == 0) rc = cw_interrupt_check();
    }
    return rc ? rc : take_units(work, capacity, roots);
}

/* --- few trees ---------------------------------------------------------------------------------------------------- */

/* Whether every member can get TREES from each root if arcs have room for ROOMS times SCALE of them, rounded down. */
static int try_scale(struct work *work, const int64_t *rooms, double scale, int64_t trees, bool *fits)
{
    const struct cw_forest_setup *setup = work->setup;
    const int64_t whole = trees * work->n_roots;
    for (size_t a = 0; a < work->n_arcs; a++) work->arcs[a].room = (int64_t)floor((double)rooms[a] * scale);
    int rc = build_flow(work, 1, trees);
    *fits = true;
    for (uint32_t i = 0, m = work->suspect; i < setup->n_members && rc == 0 && *fits;
         i++, m = (m + 1) % setup->n_members)
        if (flow_most(&work->flow, work->source, setup->members[m], whole) < whole) {
            work->suspect = m;
            *fits = false;
        }
    return rc ? rc : cw_interrupt_check();
}

/* The least scale of rooms with which TREES fit; but if it is no better than *BEST for each tree, that stays. */
static int improve_scale(struct work *work, const int64_t *rooms, int64_t trees, double *best, int64_t *best_trees)
{
    double low = (double)trees / (double)work->need, high = *best * (double)trees;
    bool fits = true;
    int rc = 0;
    if (*best_trees == 0) { /* nothing is known yet */
        high = low;
        do {
            high *= 2;
            rc = try_scale(work, rooms, high, trees, &fits);
        } while (rc == 0 && !fits);
    } else {
        high *= 1 - 1e-9;
        rc = try_scale(work, rooms, high, trees, &fits);
    }
    if (rc || !fits) return rc;
    while (rc == 0 && high - low > 1e-12 * high) {
        const double middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        rc = try_scale(work, rooms, middle, trees, &fits);
        if (fits)
            high = middle;
        else
            low = middle;
    }
    *best = high / (double)trees;
    *best_trees = trees;
    return rc;
}

/* Makes arcs so coarse that no root has more than the trees that are asked for, at the greatest rate that this leaves.
 */
static int limit_trees(struct work *work)
{
    double best = 0;
    int64_t trees = 0;
    bool fits;
    int64_t *rooms = cw_new_array(work->n_arcs, sizeof *rooms, "arcs of a forest");
    if (!rooms) return CW_ENOMEM;
    for (size_t a = 0; a < work->n_arcs; a++) rooms[a] = work->arcs[a].room;
    int rc = 0;
    for (uint32_t k = 1; k <= work->setup->most_trees && rc == 0; k++)
        rc = improve_scale(work, rooms, k, &best, &trees);
    if (rc == 0) rc = try_scale(work, rooms, best * (double)trees, trees, &fits);
    work->need = trees;
    work->unit /= best * (double)trees;
    free(rooms);
    return rc;
}

/* --- switches are split off --------------------------------------------------------------------------------------- */

/* What the member with the least flow lacks, or LIMIT if it is more. */
static int find_short(struct work *work, int64_t limit, int64_t *out)
{
    const uint32_t n = work->setup->n_members;
    const int64_t whole = work->need * work->n_roots;
    int64_t missing = 0;
    int rc = build_flow(work, 1, work->need);
    for (uint32_t i = 0, m = work->suspect; i < n && rc == 0 && missing < limit; i++, m = (m + 1) % n) {
        const int64_t value = flow_most(&work->flow, work->source, work->setup->members[m], whole);
        if (whole - value <= missing) continue;
        missing = whole - value;
        work->suspect = m;
    }
    if (rc == 0) rc = cw_interrupt_check();
    *out = missing < limit ? missing : limit;
    return rc;
}

/* Joins AMOUNT of arcs IN and OUT, which meet at a switch. What would lead back to where it came from is dropped. */
static int join(struct work *work, size_t in, size_t out, int64_t amount)
{
    work->arcs[in].room -= amount;
    work->arcs[out].room -= amount;
    if (work->arcs[in].tail == work->arcs[out].head) return 0;
    return add_arc(work, (struct arc){work->arcs[in].tail, work->arcs[out].head, CW_NONE, in, out, amount});
}

/* The same, as far as no cut falls below the optimum: each unit too much has cost a cut one. */
static int join_safely(struct work *work, size_t in, size_t out)
{
    const int64_t a = work->arcs[in].room, b = work->arcs[out].room, most = a < b ? a : b;
    const size_t n = work->n_arcs;
    int64_t missing;
    if (most == 0) return 0;
    int rc = join(work, in, out, most);
    if (rc == 0) rc = find_short(work, most, &missing);
    if (rc || missing == 0) return rc;
    work->n_arcs = n;
    work->arcs[in].room = a;
    work->arcs[out].room = b;
    return missing < most ? join(work, in, out, most - missing) : 0;
}

/* The arcs into and out of a switch, by the vertex at their other end. */
struct around {
    size_t *in, *out;
    size_t n_in, n_out, shift; /* the first of `out` that leads on from in[0] */
};

static int look_around(const struct work *work, uint32_t v, struct around *around)
{
    *around = (struct around){.in = cw_new_array(work->n_arcs, sizeof *around->in, "arcs of a switch"),
                              .out = cw_new_array(work->n_arcs, sizeof *around->out, "arcs of a switch")};
    if (!around->in || !around->out) return CW_ENOMEM;
    for (size_t a = 0; a < work->n_arcs; a++) {
        if (work->arcs[a].room == 0) continue;
        if (work->arcs[a].head == v) around->in[around->n_in++] = a;
        if (work->arcs[a].tail == v) around->out[around->n_out++] = a;
    }
    return 0;
}

static void sort_by_other_end(const struct work *work, size_t *items, size_t n, bool by_tail)
{
    for (size_t i = 1; i < n; i++) {
        const size_t item = items[i];
        const uint32_t key = by_tail ? work->arcs[item].tail : work->arcs[item].head;
        size_t j = i;
        for (; j > 0; j--) {
            const struct arc *before = &work->arcs[items[j - 1]];
            if ((by_tail ? before->tail : before->head) <= key) break;
            items[j] = items[j - 1];
        }
        items[j] = item;
    }
}

/* All at once, each neighbour's arcs to the next neighbour's. */
static int join_in_turn(struct work *work, const struct around *around)
{
    int rc = 0;
    for (size_t i = 0, j = 0; i < around->n_in && j < around->n_out && rc == 0;) {
        const size_t in = around->in[i], out = around->out[(j + around->shift) % around->n_out];
        const int64_t a = work->arcs[in].room, b = work->arcs[out].room;
        if (a > 0 && b > 0) rc = join(work, in, out, a < b ? a : b);
        i += work->arcs[in].room == 0;
        j += work->arcs[out].room == 0;
    }
    return rc;
}

/* The neighbours of a switch by number, as the arcs are sorted: those of neighbour i begin at in[first_in[i]] and
 * out[first_out[i]], and have so much room. */
struct neighbours {
    uint32_t n;
    uint32_t *vertex;             /* [n] */
    size_t *first_in, *first_out; /* [n + 1] */
    int64_t *room_in, *room_out;
};

static int group(const struct work *work, const struct around *around, struct neighbours *neighbours)
{
    const size_t most = around->n_in + around->n_out;
    *neighbours = (struct neighbours){
        .vertex = cw_new_array(most, sizeof *neighbours->vertex, "neighbours of a switch"),
        .first_in = cw_new_array(most + 1, sizeof *neighbours->first_in, "neighbours of a switch"),
        .first_out = cw_new_array(most + 1, sizeof *neighbours->first_out, "neighbours of a switch"),
        .room_in = cw_new_array(most, sizeof *neighbours->room_in, "neighbours of a switch"),
        .room_out = cw_new_array(most, sizeof *neighbours->room_out, "neighbours of a switch")};
    if (!neighbours->vertex || !neighbours->first_in || !neighbours->first_out || !neighbours->room_in ||
        !neighbours->room_out)
        return CW_ENOMEM;
    for (size_t i = 0, j = 0; i < around->n_in || j < around->n_out; neighbours->n++) {
        const uint32_t a = i < around->n_in ? work->arcs[around->in[i]].tail : CW_NONE;
        const uint32_t b = j < around->n_out ? work->arcs[around->out[j]].head : CW_NONE, v = a < b ? a : b;
        neighbours->vertex[neighbours->n] = v;
        for (; i < around->n_in && work->arcs[around->in[i]].tail == v; i++)
            neighbours->room_in[neighbours->n] += work->arcs[around->in[i]].room;
        for (; j < around->n_out && work->arcs[around->out[j]].head == v; j++)
            neighbours->room_out[neighbours->n] += work->arcs[around->out[j]].room;
        neighbours->first_in[neighbours->n + 1] = i;
        neighbours->first_out[neighbours->n + 1] = j;
    }
    return 0;
}

static void neighbours_free(struct neighbours *neighbours)
{
    free(neighbours->vertex);
    free(neighbours->first_in);
    free(neighbours->first_out);
    free(neighbours->room_in);
    free(neighbours->room_out);
}

/* The next distance at which neighbours are joined. */
static uint32_t next_step(const struct neighbours *neighbours, uint32_t step)
{
    return neighbours->n <= FEW_NEIGHBOURS ? step + 1 : 2 * step;
}

/* Joins MOST of what neighbour I sends to what neighbour J receives, as far as there is so much. */
static int join_neighbours(struct work *work, const struct around *around, const struct neighbours *neighbours,
                           uint32_t i, uint32_t j, int64_t most)
{
    size_t in = neighbours->first_in[i], out = neighbours->first_out[j];
    int rc = 0;
    while (most > 0 && in < neighbours->first_in[i + 1] && out < neighbours->first_out[j + 1] && rc == 0) {
        const int64_t a = work->arcs[around->in[in]].room, b = work->arcs[around->out[out]].room;
        int64_t amount = a < b ? a : b;
        if (amount > most) amount = most;
        if (amount > 0) rc = join(work, around->in[in], around->out[out], amount);
        most -= amount;
        in += amount == a;
        out += amount == b;
    }
    return rc;
}

/* What other switches have left of their arcs to this one and from it is dropped, as much of the one as of the other:
 * as much capacity as before leads into each of them as out of it. */
static int turn_back(struct work *work, const struct around *around, const struct neighbours *neighbours)
{
    int rc = 0;
    for (uint32_t i = 0; i < neighbours->n && rc == 0; i++)
        if (!work->is_member[neighbours->vertex[i]]) rc = join_neighbours(work, around, neighbours, i, i, MUCH);
    return rc;
}

/* What a member sends goes to its switch's other neighbours evenly, and what it receives comes from all of them: I
 * sends so much to J. */
static int64_t even_share(const struct work *work, const struct neighbours *neighbours, uint32_t i, uint32_t j)
{
    const bool by_receiver = work->is_member[neighbours->vertex[j]];
    const int64_t *others = by_receiver ? neighbours->room_in : neighbours->room_out;
    const uint32_t self = by_receiver ? j : i;
    double whole = 0;
    for (uint32_t step = 1; step < neighbours->n; step = next_step(neighbours, step))
        whole += (double)others[by_receiver ? (j + neighbours->n - step) % neighbours->n : (i + step) % neighbours->n];
    if (whole <= 0) return 0;
    return (int64_t)((double)(by_receiver ? neighbours->room_out : neighbours->room_in)[self] *
                     ((double)others[by_receiver ? i : j] / whole));
}

/* Room of all arcs from one neighbour to another, past whatever switch. */
static int64_t room_between(const struct work *work, uint32_t tail, uint32_t head)
{
    int64_t room = 0;
    for (size_t a = 0; a < work->n_arcs; a++)
        if (work->arcs[a].tail == tail && work->arcs[a].head == head) room += work->arcs[a].room;
    return room;
}

/* As much from each member to each other one as a root gives: with that alone, each tree is a star. */
static int join_stars(struct work *work, const struct around *around, const struct neighbours *neighbours)
{
    const uint32_t n = neighbours->n;
    int rc = 0;
    for (uint32_t step = 1; step < n && rc == 0; step++)
        for (uint32_t i = 0; i < n && rc == 0; i++) {
            const uint32_t a = neighbours->vertex[i], b = neighbours->vertex[(i + step) % n];
            if (!work->is_member[a] || !work->is_member[b] || !is_root(work, a)) continue;
            const int64_t lacks = work->need - room_between(work, a, b);
            rc = join_neighbours(work, around, neighbours, i, (i + step) % n, lacks);
        }
    return rc;
}

/* All at once, the members' arcs, so that trees can branch there: to each other one what a star needs; then to the
 * neighbours of its switch evenly, first to other switches, for members have other ways to each other: to all of them,
 * or where these are too many, to the next one, the one after that, the fourth, the eighth … What only passes between
 * other switches is left. */
static int join_members(struct work *work, const struct around *around, const struct neighbours *neighbours)
{
    const uint32_t n = neighbours->n;
    int rc = join_stars(work, around, neighbours);
    for (int turn = 0; turn < 5; turn++)
        for (uint32_t step = 1; step < n; step = turn == 4 ? step + 1 : next_step(neighbours, step))
            for (uint32_t i = 0; i < n && rc == 0; i++) {
                const uint32_t j = (i + step) % n;
                const uint32_t members =
                    work->is_member[neighbours->vertex[i]] + work->is_member[neighbours->vertex[j]];
                if (members == 0 || (turn < 2 && members == 2)) continue;
                const int64_t most = turn == 4 ? MUCH : turn % 2 ? 1 : even_share(work, neighbours, i, j);
                rc = join_neighbours(work, around, neighbours, i, j, most);
            }
    return rc;
}

/* Pair K of arcs that could be joined; false: there is nothing to join. What leads back is lost, and is joined last. */
static bool next_pair(const struct work *work, const struct around *around, size_t k, size_t *in, size_t *out)
{
    const size_t pairs = around->n_in * around->n_out, i = k % pairs / around->n_out, j = k % around->n_out;
    *in = around->in[i];
    *out = around->out[(i + j + around->shift) % around->n_out];
    return (work->arcs[*in].tail == work->arcs[*out].head) == (k >= pairs) && work->arcs[*in].room > 0 &&
           work->arcs[*out].room > 0;
}

/* Joins all of up to MOST pairs from *K on, and sets that behind them. */
static int join_pairs(struct work *work, const struct around *around, size_t most, size_t *k)
{
    const size_t end = 2 * around->n_in * around->n_out;
    int rc = 0;
    for (size_t in, out; *k < end && most > 0 && rc == 0; ++*k) {
        if (!next_pair(work, around, *k, &in, &out)) continue;
        const int64_t a = work->arcs[in].room, b = work->arcs[out].room;
        rc = join(work, in, out, a < b ? a : b);
        most--;
    }
    return rc;
}

/* Each pair as far as no cut falls below the optimum. As joining never makes a cut greater, several pairs that leave
 * all cuts what they need do so one by one, too: 2, 4, 8 … are tried at once, as long as that goes well. ROOMS are no
 * more needed. */
static int join_one_by_one(struct work *work, const struct around *around, int64_t *rooms)
{
    const size_t end = 2 * around->n_in * around->n_out;
    size_t at_once = 1;
    int rc = 0;
    for (size_t k = 0, in, out; k < end && rc == 0;) {
        int64_t missing = 0;
        size_t next = k;
        if (at_once > 1) {
            const size_t n_arcs = work->n_arcs;
            for (size_t i = 0; i < around->n_in; i++) rooms[around->in[i]] = work->arcs[around->in[i]].room;
            for (size_t i = 0; i < around->n_out; i++) rooms[around->out[i]] = work->arcs[around->out[i]].room;
            rc = join_pairs(work, around, at_once, &next);
            if (rc == 0) rc = find_short(work, 1, &missing);
            if (rc || missing == 0) {
                k = next;
                at_once *= 2;
                continue;
            }
            work->n_arcs = n_arcs;
            for (size_t i = 0; i < around->n_in; i++) work->arcs[around->in[i]].room = rooms[around->in[i]];
            for (size_t i = 0; i < around->n_out; i++) work->arcs[around->out[i]].room = rooms[around->out[i]];
        }
        at_once = 1;
        if (!next_pair(work, around, k++, &in, &out)) continue;
        rc = join_safely(work, in, out);
        if (work->arcs[in].room == 0 || work->arcs[out].room == 0) at_once = 2;
    }
    return rc;
}

/* What is left of a switch is no use. True if there was both a way in and a way out, whose loss cuts may feel. */
static bool drop_rest(struct work *work, const struct around *around)
{
    bool in = false, out = false;
    for (size_t i = 0; i < around->n_in; i++) {
        in = in || work->arcs[around->in[i]].room > 0;
        work->arcs[around->in[i]].room = 0;
    }
    for (size_t i = 0; i < around->n_out; i++) {
        out = out || work->arcs[around->out[i]].room > 0;
        work->arcs[around->out[i]].room = 0;
    }
    return in && out;
}

static void undo(struct work *work, size_t n_arcs, const int64_t *rooms)
{
    work->n_arcs = n_arcs;
    for (size_t a = 0; a < n_arcs; a++) work->arcs[a].room = rooms[a];
}

/* From the ways that make the best trees to the one that always does: until no cut falls below the optimum. ROOMS are
 * those of the N_ARCS arcs before. */
static int join_around(struct work *work, const struct around *around, size_t n_arcs, int64_t *rooms)
{
    enum { MEMBERS_ALONE, MEMBERS_FIRST, IN_TURN, ONE_BY_ONE };
    struct neighbours neighbours;
    int64_t missing = 1;
    int rc = group(work, around, &neighbours);
    for (int way = work->wide ? MEMBERS_ALONE : IN_TURN; way <= ONE_BY_ONE && rc == 0 && missing > 0; way++) {
        undo(work, n_arcs, rooms);
        if (way <= MEMBERS_FIRST) rc = join_members(work, around, &neighbours);
        if (rc == 0 && way == MEMBERS_ALONE) rc = turn_back(work, around, &neighbours);
        if (rc == 0) rc = way == ONE_BY_ONE ? join_one_by_one(work, around, rooms) : join_in_turn(work, around);
        if (rc == 0 && way < ONE_BY_ONE) rc = find_short(work, 1, &missing);
    }
    neighbours_free(&neighbours);
    return rc;
}

static int split_off(struct work *work, uint32_t v)
{
    const size_t n_arcs = work->n_arcs;
    struct around around;
    int rc = look_around(work, v, &around);
    int64_t *rooms = rc ? NULL : cw_new_array(n_arcs, sizeof *rooms, "arcs of a switch");
    if (rc == 0 && !rooms) rc = CW_ENOMEM;
    if (rc == 0 && around.n_in > 0 && around.n_out > 0) {
        sort_by_other_end(work, around.in, around.n_in, true);
        sort_by_other_end(work, around.out, around.n_out, false);
        const uint32_t first = work->arcs[around.in[0]].tail;
        while (around.shift < around.n_out && work->arcs[around.out[around.shift]].head <= first) around.shift++;
        for (size_t a = 0; a < n_arcs; a++) rooms[a] = work->arcs[a].room;
        rc = join_around(work, &around, n_arcs, rooms);
    }
    if (rc == 0 && drop_rest(work, &around)) rc = find_optimum(work, false);
    free(around.in);
    free(around.out);
    free(rooms);
    return rc;
}

/* --- trees are packed --------------------------------------------------------------------------------------------- */

/* A tree that grows, for `weight` trees of one shape. */
struct sprout {
    int64_t weight;
    uint32_t n;        /* members that it has reached: */
    uint32_t *reached; /* in this order */
    size_t *by;        /* the arc to each */
};

struct packing {
    struct work *work;
    size_t *first, *order; /* arcs by their tails: order[first[v]] … */
    int64_t *waiting;      /* [vertices] the weight of roots whose trees have not begun */
    bool *inside;          /* [vertices] of the tree that grows */
    uint32_t *depth;       /* [vertices] in that tree */
    bool *full;            /* [arcs] which cannot be added to it, nor can they when it has grown */
    struct sprout *sprouts;
    size_t n, capacity; /* the last one grows; the others wait for it */
};

static int add_sprout(struct packing *packing, const struct sprout *like, int64_t weight)
{
    const uint32_t n = packing->work->setup->n_members;
    struct sprout sprout = {weight, like->n, cw_new_array(n, sizeof *sprout.reached, "a tree"),
                            cw_new_array(n, sizeof *sprout.by, "a tree")};
    int rc = sprout.reached && sprout.by ? 0 : CW_ENOMEM;
    if (rc == 0)
        rc = cw_grow_array((void **)&packing->sprouts, &packing->capacity, packing->n + 1, sizeof sprout, "trees");
    if (rc) {
        free(sprout.reached);
        free(sprout.by);
        return rc;
    }
    memcpy(sprout.reached, like->reached, like->n * sizeof *like->reached);
    memcpy(sprout.by, like->by, like->n * sizeof *like->by);
    packing->sprouts[packing->n++] = sprout;
    return 0;
}

static void drop_sprout(struct packing *packing)
{
    packing->n--;
    free(packing->sprouts[packing->n].reached);
    free(packing->sprouts[packing->n].by);
}

/* The cut of the last flow has nothing to spare, for none of the arcs that leave it. The growing tree only takes from
 * what leaves a cut, so it stays so. */
static void mark_full(struct packing *packing)
{
    const struct work *work = packing->work;
    const uint32_t *level = work->flow.level;
    for (size_t a = 0; a < work->n_arcs; a++)
        if (level[work->arcs[a].tail] != CW_NONE && level[work->arcs[a].head] == CW_NONE) packing->full[a] = true;
}

/* *MOST: how much of the growing tree can take ARC, so that all others can still be completed: for each set of vertices
 * that the arc leads out of, as much capacity leaves it as trees wait in it. */
static int find_share(struct packing *packing, size_t arc, int64_t *most)
{
    struct work *work = packing->work;
    const struct sprout *sprout = &packing->sprouts[packing->n - 1];
    const uint32_t tail = work->arcs[arc].tail;
    struct flow *flow = &work->flow;
    int64_t sum = 0;
    int rc = 0;
    flow->n_edges = 0;
    for (size_t a = 0; a < work->n_arcs && rc == 0; a++)
        if (work->arcs[a].room > 0) rc = flow_add(flow, work->arcs[a].tail, work->arcs[a].head, work->arcs[a].room);
    for (uint32_t i = 0; i < work->setup->n_members && rc == 0; i++) {
        const uint32_t v = work->setup->members[i];
        sum += packing->waiting[v];
        if (v == tail || packing->waiting[v] > 0)
            rc = flow_add(flow, work->source, v, v == tail ? MUCH : packing->waiting[v]);
    }
    for (size_t i = 0; i + 1 < packing->n && rc == 0; i++) {
        const struct sprout *other = &packing->sprouts[i];
        const uint32_t vertex = work->source + 1 + (uint32_t)i; /* there are enough: each waiting one is larger */
        sum += other->weight;
        rc = flow_add(flow, work->source, vertex, other->weight);
        for (uint32_t j = 0; j < other->n && rc == 0; j++) rc = flow_add(flow, vertex, other->reached[j], MUCH);
    }
    if (!rc) rc = flow_ready(flow);
    if (rc) return rc;
    *most = sprout->weight < work->arcs[arc].room ? sprout->weight : work->arcs[arc].room;
    const int64_t value = flow_most(flow, work->source, work->arcs[arc].head, sum + *most) - sum;
    if (value < *most) *most = value;
    if (value <= 0) mark_full(packing);
    return cw_interrupt_check();
}

/* The arc that reaches a new member from one as near to the root as there is, and of these, that with most room: what
 * is scarce is left for others. NO_ARC: there is none. */
static size_t next_arc(const struct packing *packing)
{
    const struct work *work = packing->work;
    const struct sprout *sprout = &packing->sprouts[packing->n - 1];
    size_t best = NO_ARC;
    for (uint32_t i = 0; i < sprout->n; i++) {
        const uint32_t tail = sprout->reached[i];
        if (best != NO_ARC && packing->depth[tail] > packing->depth[work->arcs[best].tail]) continue;
        size_t widest = NO_ARC;
        for (size_t k = packing->first[tail]; k < packing->first[tail + 1]; k++) {
            const size_t a = packing->order[k];
            if (work->arcs[a].room == 0 || packing->full[a] || packing->inside[work->arcs[a].head]) continue;
            if (widest == NO_ARC || work->arcs[a].room > work->arcs[widest].room) widest = a;
        }
        if (widest == NO_ARC) continue;
        if (best == NO_ARC || packing->depth[tail] < packing->depth[work->arcs[best].tail] ||
            work->arcs[widest].room > work->arcs[best].room)
            best = widest;
    }
    return best;
}

/* The growing tree reaches one more member. What of it cannot waits. */
static int grow(struct packing *packing)
{
    struct work *work = packing->work;
    for (size_t a; (a = next_arc(packing)) != NO_ARC;) {
        int64_t share = 0;
        int rc = find_share(packing, a, &share);
        if (rc) return rc;
        if (share <= 0) continue;
        struct sprout *sprout = &packing->sprouts[packing->n - 1];
        if (share < sprout->weight) { /* the rest waits below the one that grows */
            const struct sprout grows = *sprout;
            rc = add_sprout(packing, &grows, share);
            if (rc) return rc;
            packing->sprouts[packing->n - 2].weight -= share;
            sprout = &packing->sprouts[packing->n - 1];
        }
        sprout->reached[sprout->n] = work->arcs[a].head;
        sprout->by[sprout->n++] = a;
        work->arcs[a].room -= share;
        packing->inside[work->arcs[a].head] = true;
        packing->depth[work->arcs[a].head] = packing->depth[work->arcs[a].tail] + 1;
        return 0;
    }
    return cw_fail(CW_EINTERNAL, "no arc can be added to a tree of %u members", packing->sprouts[packing->n - 1].n);
}

/* Grown trees become those of the forest. A path is written down for each edge: it is as long as the tree is deep. */
struct lists {
    size_t trees, edges, paths, channels; /* capacities */
};

static int write_path(struct work *work, size_t arc, struct lists *lists, size_t *n)
{
    const struct arc *a = &work->arcs[arc];
    struct cw_forest *out = work->out;
    if (a->channel != CW_NONE) {
        const int rc =
            cw_grow_array((void **)&out->channels, &lists->channels, *n + 1, sizeof *out->channels, "channels");
        if (rc == 0) out->channels[(*n)++] = a->channel;
        return rc;
    }
    const bool turned = work->setup->to_roots;
    const int rc = write_path(work, turned ? a->right : a->left, lists, n);
    return rc ? rc : write_path(work, turned ? a->left : a->right, lists, n);
}

/* The paths of all arcs between members that trees may use: path i is that of arc numbers[i]. */
static int write_paths(struct work *work, struct lists *lists, size_t *path_of)
{
    struct cw_forest *out = work->out;
    size_t n = 0;
    out->path_first = cw_new_array(work->n_arcs + 1, sizeof *out->path_first, "paths");
    int rc = out->path_first ? 0 : CW_ENOMEM;
    for (size_t a = 0; a < work->n_arcs && rc == 0; a++) {
        if (work->arcs[a].room == 0) continue;
        path_of[a] = out->n_paths;
        rc = write_path(work, a, lists, &n);
        if (rc == 0) out->path_first[++out->n_paths] = n;
    }
    return rc;
}

static int write_tree(struct packing *packing, struct lists *lists, const size_t *path_of)
{
    struct work *work = packing->work;
    struct cw_forest *out = work->out;
    const struct sprout *sprout = &packing->sprouts[packing->n - 1];
    struct cw_forest_tree tree = {sprout->reached[0], 0, sprout->weight, out->n_edges};
    int rc = cw_grow_array((void **)&out->trees, &lists->trees, out->n_trees + 1, sizeof tree, "trees");
    if (rc == 0)
        rc = cw_grow_array((void **)&out->edges, &lists->edges, out->n_edges + sprout->n, sizeof *out->edges, "edges");
    if (rc) return rc;
    for (uint32_t i = 1; i < sprout->n; i++) {
        const struct arc *arc = &work->arcs[sprout->by[i]];
        struct cw_forest_edge edge = {arc->tail, arc->head, path_of[sprout->by[i]]};
        if (packing->depth[edge.head] > tree.depth) tree.depth = packing->depth[edge.head];
        if (work->setup->to_roots) edge = (struct cw_forest_edge){arc->head, arc->tail, edge.path};
        out->edges[out->n_edges++] = edge;
    }
    out->trees[out->n_trees++] = tree;
    return 0;
}

static int pack_root(struct packing *packing, uint32_t root, struct lists *lists, const size_t *path_of)
{
    struct work *work = packing->work;
    size_t none = NO_ARC;
    packing->waiting[root] = 0;
    int rc = add_sprout(packing, &(struct sprout){0, 1, &root, &none}, work->need);
    while (rc == 0 && packing->n > 0) {
        const struct sprout *sprout = &packing->sprouts[packing->n - 1];
        memset(packing->inside, 0, work->setup->net->n_vertices * sizeof *packing->inside);
        for (uint32_t i = 0; i < sprout->n; i++) {
            const uint32_t v = sprout->reached[i];
            packing->inside[v] = true;
            packing->depth[v] = i == 0 ? 0 : packing->depth[work->arcs[sprout->by[i]].tail] + 1;
        }
        memset(packing->full, 0, work->n_arcs * sizeof *packing->full);
        while (rc == 0 && packing->sprouts[packing->n - 1].n < work->setup->n_members) rc = grow(packing);
        if (rc == 0) rc = write_tree(packing, lists, path_of);
        drop_sprout(packing);
    }
    return rc;
}

static void sort_arcs(const struct work *work, struct packing *packing)
{
    const uint32_t n = work->setup->net->n_vertices;
    for (size_t a = 0; a < work->n_arcs; a++) packing->first[work->arcs[a].tail + 1]++;
    for (uint32_t v = 0; v < n; v++) packing->first[v + 1] += packing->first[v];
    for (size_t a = work->n_arcs; a-- > 0;) packing->order[--packing->first[work->arcs[a].tail + 1]] = a;
    /* first[v + 1] is now where those of v begin */
    memmove(packing->first, packing->first + 1, n * sizeof *packing->first);
    packing->first[n] = work->n_arcs;
}

static int pack(struct work *work)
{
    const uint32_t n = work->setup->net->n_vertices;
    struct packing packing = {.work = work,
                              .first = cw_new_array((size_t)n + 1, sizeof *packing.first, "arcs by vertex"),
                              .order = cw_new_array(work->n_arcs, sizeof *packing.order, "arcs by vertex"),
                              .waiting = cw_new_array(n, sizeof *packing.waiting, "roots"),
                              .inside = cw_new_array(n, sizeof *packing.inside, "members of a tree"),
                              .depth = cw_new_array(n, sizeof *packing.depth, "members of a tree"),
                              .full = cw_new_array(work->n_arcs, sizeof *packing.full, "arcs by vertex")};
    size_t *path_of = cw_new_array(work->n_arcs, sizeof *path_of, "paths");
    struct lists lists = {0};
    int rc =
        packing.first && packing.order && packing.waiting && packing.inside && packing.depth && packing.full && path_of
            ? 0
            : CW_ENOMEM;
    if (rc == 0) {
        sort_arcs(work, &packing);
        rc = write_paths(work, &lists, path_of);
    }
    for (uint32_t i = 0; i < work->setup->n_members && rc == 0; i++)
        if (is_root(work, work->setup->members[i])) packing.waiting[work->setup->members[i]] = work->need;
    for (uint32_t i = 0; i < work->setup->n_members && rc == 0; i++)
        if (is_root(work, work->setup->members[i])) rc = pack_root(&packing, work->setup->members[i], &lists, path_of);
    while (packing.n > 0) drop_sprout(&packing);
    free(packing.sprouts);
    free(packing.first);
    free(packing.order);
    free(packing.waiting);
    free(packing.inside);
    free(packing.full);
    free(path_of);
    free(packing.depth);
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int check_setup(const struct cw_forest_setup *setup)
{
    bool found = setup->root == CW_NONE;
    if (setup->n_members < 2 || setup->n_members > CW_FOREST_MEMBERS)
        return cw_fail(CW_EUSAGE, "%u endpoints take part: expected 2 to %d", setup->n_members, CW_FOREST_MEMBERS);
    for (uint32_t i = 0; i < setup->n_members; i++) found = found || setup->members[i] == setup->root;
    return found ? 0 : cw_fail(CW_EUSAGE, "the root takes no part: expected one of the endpoints that do");
}

static int split_all(struct work *work)
{
    const struct cw_network *net = work->setup->net;
    work->n_arcs = 0;
    int rc = add_channels(work);
    if (rc == 0) rc = find_optimum(work, true);
    if (rc == 0 && work->setup->most_trees > 0 && work->need > work->setup->most_trees) rc = limit_trees(work);
    work->promised = (double)work->need * work->unit;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices && rc == 0; v++) rc = split_off(work, v);
    return rc;
}

/* What passes between switches is dropped where no cut needs it, which may be felt later: then all begins anew. */
static int find(struct work *work)
{
    work->wide = work->setup->wide;
    int rc = split_all(work);
    if (rc == 0 && work->wide && (double)work->need * work->unit * (1 + ROUNDING) < work->promised) {
        work->wide = false;
        rc = split_all(work);
    }
    if (rc) return rc;
    rc = pack(work);
    work->out->root_weight = work->need;
    work->out->rate = (double)work->need * work->unit;
    return rc;
}

int cw_forest_find(const struct cw_forest_setup *setup, struct cw_forest *out)
{
    const uint32_t n = setup->net->n_vertices;
    int rc = check_setup(setup);
    if (rc) return rc;
    struct cw_forest forest = {.n_members = setup->n_members,
                               .n_roots = setup->root == CW_NONE ? setup->n_members : 1,
                               .cut = cw_new_array(n, sizeof *forest.cut, "the vertices of a cut")};
    struct work work = {.setup = setup,
                        .out = &forest,
                        .source = n,
                        .n_roots = forest.n_roots,
                        .is_member = cw_new_array(n, sizeof *work.is_member, "members")};
    rc = forest.cut && work.is_member ? flow_new(n + 1 + setup->n_members, &work.flow) : CW_ENOMEM;
    if (rc == 0) {
        for (uint32_t i = 0; i < setup->n_members; i++) work.is_member[setup->members[i]] = true;
        rc = find(&work);
        flow_free(&work.flow);
    }
    free(work.is_member);
    free(work.arcs);
    if (rc == 0)
        *out = forest;
    else
        cw_forest_free(&forest);
    return rc;
}

void cw_forest_free(struct cw_forest *forest)
{
    free(forest->trees);
    free(forest->edges);
    free(forest->path_first);
    free(forest->channels);
    free(forest->cut);
    *forest = (struct cw_forest){0};
}

/* --- the check, which trusts nothing above ------------------------------------------------------------------------ */

static int check_path(const struct cw_forest_setup *setup, const struct cw_forest *forest,
                      const struct cw_forest_edge *edge)
{
    const struct cw_network *net = setup->net;
    uint32_t at = edge->tail;
    if (edge->path >= forest->n_paths) return cw_fail(CW_EINTERNAL, "a tree has an edge without a path");
    for (size_t i = forest->path_first[edge->path]; i < forest->path_first[edge->path + 1]; i++) {
        const uint32_t c = forest->channels[i];
        if (net->tail[c] != at || (at != edge->tail && !cw_network_forwards(net, at)))
            return cw_fail(CW_EINTERNAL, "a path is broken at channel %u", c);
        at = net->head[c];
    }
    return at == edge->head ? 0 : cw_fail(CW_EINTERNAL, "a path ends at %u, not at %u", at, edge->head);
}

static int check_tree(const struct cw_forest_setup *setup, const struct cw_forest *forest,
                      const struct cw_forest_tree *tree, bool *reached, double *load)
{
    uint32_t n = 1;
    memset(reached, 0, setup->net->n_vertices * sizeof *reached);
    reached[tree->root] = true;
    for (size_t i = tree->first; i < tree->first + setup->n_members - 1; i++) {
        const struct cw_forest_edge *edge = &forest->edges[i];
        const uint32_t from = setup->to_roots ? edge->head : edge->tail, to = setup->to_roots ? edge->tail : edge->head;
        if (!reached[from] || reached[to])
            return cw_fail(CW_EINTERNAL, "the tree of %u comes to %u from %u out of turn", tree->root, to, from);
        reached[to] = true;
        const int rc = check_path(setup, forest, edge);
        if (rc) return rc;
        for (size_t k = forest->path_first[edge->path]; k < forest->path_first[edge->path + 1]; k++)
            load[forest->channels[k]] += (double)tree->weight;
    }
    for (uint32_t i = 0; i < setup->n_members; i++)
        if (reached[setup->members[i]]) n += setup->members[i] != tree->root;
    return n == setup->n_members ? 0 : cw_fail(CW_EINTERNAL, "a tree of %u reaches %u members", tree->root, n);
}

static int check_cut(const struct cw_forest_setup *setup, const struct cw_forest *forest, const bool *is_member)
{
    const struct cw_network *net = setup->net;
    uint32_t roots = 0, outside = 0;
    double capacity = 0;
    for (uint32_t i = 0; i < setup->n_members; i++) {
        const uint32_t v = setup->members[i];
        roots += forest->cut[v] && (setup->root == CW_NONE || setup->root == v);
        outside += !forest->cut[v];
    }
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t from = setup->to_roots ? net->head[c] : net->tail[c];
        const uint32_t to = setup->to_roots ? net->tail[c] : net->head[c];
        if (!cw_network_forwards(net, to) && !is_member[to]) continue; /* it passes on nothing */
        if (forest->cut[from] && !forest->cut[to]) capacity += net->capacity[c];
    }
    if (roots == 0 || outside == 0 || roots != forest->cut_roots ||
        fabs(capacity - forest->cut_capacity) > ROUNDING * capacity)
        return cw_fail(CW_EINTERNAL, "the cut has %u roots and %g byte/s, not %u and %g", roots, capacity,
                       forest->cut_roots, forest->cut_capacity);
    if (forest->rate > capacity / roots * (1 + ROUNDING))
        return cw_fail(CW_EINTERNAL, "the rate %g is above what the cut allows, %g", forest->rate, capacity / roots);
    return 0;
}

int cw_forest_check(const struct cw_forest_setup *setup, const struct cw_forest *forest)
{
    const struct cw_network *net = setup->net;
    bool *reached = cw_new_array(net->n_vertices, sizeof *reached, "members of a tree");
    double *load = cw_new_array(net->n_channels, sizeof *load, "loads of channels");
    int64_t *weight = cw_new_array(net->n_vertices, sizeof *weight, "weights of roots");
    int rc = reached && load && weight ? 0 : CW_ENOMEM;
    if (rc == 0) {
        for (uint32_t i = 0; i < setup->n_members; i++) reached[setup->members[i]] = true;
        rc = check_cut(setup, forest, reached);
    }
    for (size_t i = 0; i < forest->n_trees && rc == 0; i++) {
        weight[forest->trees[i].root] += forest->trees[i].weight;
        rc = check_tree(setup, forest, &forest->trees[i], reached, load);
    }
    for (uint32_t i = 0; i < setup->n_members && rc == 0; i++) {
        const uint32_t v = setup->members[i];
        const bool root = setup->root == CW_NONE || setup->root == v;
        if (weight[v] != (root ? forest->root_weight : 0))
            rc = cw_fail(CW_EINTERNAL, "the trees of %u do not carry its data", v);
    }
    const double unit = forest->rate / (double)forest->root_weight;
    for (uint32_t c = 0; c < net->n_channels && rc == 0; c++)
        if (load[c] * unit > net->capacity[c] * (1 + ROUNDING))
            rc = cw_fail(CW_EINTERNAL, "channel %u carries %g byte/s of %g", c, load[c] * unit, net->capacity[c]);
    free(reached);
    free(load);
    free(weight);
    return rc;
}
