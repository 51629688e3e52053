#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engines/opensm/ftree_fabric.h"

/* One destination on its way. */
struct way {
    struct cw_ftree *tree;
    uint32_t *out;  /* [switches] the channel towards the destination, or CW_NONE */
    uint32_t *hops; /* [switches] of that way */
    uint32_t *told; /* [switches] how often, for any destination, what is below was told to come up there */
    uint32_t *idle; /* [switches] groups down without load when they were last sorted */
    bool real;      /* there is a destination; else only its share of the load is counted */
    bool reverses;  /* the way may turn down and climb again: a switch is then come by more than once */
};

static struct cw_ftree_cable *least_cable(const struct cw_ftree *tree, const struct cw_ftree_group *group)
{
    struct cw_ftree_cable *least = &tree->cables[group->first];
    for (uint32_t i = 1; i < group->n; i++)
        if (tree->cables[group->first + i].load < least->load) least = &tree->cables[group->first + i];
    return least;
}

static bool is_before(const struct cw_ftree_group *a, const struct cw_ftree_group *b)
{
    if (a->load != b->load) return a->load < b->load;
    return a->order < b->order;
}

static bool is_indexed_before(const struct cw_ftree_group *a, const struct cw_ftree_group *b)
{
    return a->order < b->order;
}

typedef bool comparison(const struct cw_ftree_group *a, const struct cw_ftree_group *b);

/* Sorts N groups from FIRST on, which were sorted not long ago; equal ones stay in their order. */
static inline void sort(const struct cw_ftree *tree, uint32_t first, uint32_t n, comparison *before)
{
    struct cw_ftree_group *groups = tree->groups + first;
    for (uint32_t i = 1; i < n; i++) {
        const struct cw_ftree_group group = groups[i];
        uint32_t at = i;
        for (; at > 0 && before(&group, &groups[at - 1]); at--) groups[at] = groups[at - 1];
        groups[at] = group;
    }
}

/* Whether the peer of GROUP, whose own switch is HOPS away, has no way yet that is no longer. */
static bool is_wanted(const struct way *way, const struct cw_ftree_group *group, uint32_t hops)
{
    return way->out[group->peer] == CW_NONE || way->hops[group->peer] > hops + 1;
}

static void take(const struct way *way, const struct cw_ftree_group *group, const struct cw_ftree_cable *cable,
                 uint32_t hops)
{
    way->out[group->peer] = way->tree->net->twin[cable->channel];
    way->hops[group->peer] = hops + 1;
}

/* Sorts the groups from FIRST on, if the peer of any is wanted, or their order MATTERS anyhow. */
static bool sort_wanted(const struct way *way, uint32_t first, uint32_t n, uint32_t hops, bool matters)
{
    uint32_t g = first;
    while (g < first + n && !is_wanted(way, &way->tree->groups[g], hops)) g++;
    if (g == first + n && !matters) return false;
    sort(way->tree, first, n, is_before);
    return true;
}

static void count_idle(const struct way *way, uint32_t s)
{
    const struct cw_ftree_switch *t = &way->tree->switches[s];
    way->idle[s] = 0;
    while (way->idle[s] < t->n_down && way->tree->groups[t->down + way->idle[s]].load == 0) way->idle[s]++;
}

static bool descend(const struct way *way, uint32_t s, uint32_t before, uint32_t hops);

static bool descend_by(const struct way *way, struct cw_ftree_group *group, uint32_t hops)
{
    if (!is_wanted(way, group, hops)) return false;
    struct cw_ftree_cable *cable = least_cable(way->tree, group);
    take(way, group, cable, hops);
    const bool created = descend(way, group->peer, CW_NONE, hops + 1);
    if (created) {
        cable->load++;
        group->load++;
    }
    return created;
}

static bool descend(const struct way *way, uint32_t s, uint32_t before, uint32_t hops)
{
    const struct cw_ftree *tree = way->tree;
    const struct cw_ftree_switch *t = &tree->switches[s];
    bool created = t->n_hosts > 0;
    if (t->n_down + t->n_hosts == 0) return false; /* OpenSM does not look at switches beside it then */
    const bool below = sort_wanted(way, t->down, t->n_down, hops, way->reverses);
    if (way->reverses) count_idle(way, s);
    for (uint32_t g = t->down; below && g < t->down + t->n_down; g++)
        if (tree->groups[g].peer != before) created |= descend_by(way, &tree->groups[g], hops);
    way->told[s] += created;
    sort(tree, t->side, t->n_side, is_before);
    for (uint32_t g = t->side; way->real && g < t->side + t->n_side; g++)
        created |= descend_by(way, &tree->groups[g], hops);
    return created;
}

static bool climb(const struct way *way, uint32_t s, uint32_t before, bool counts, uint32_t credit, uint32_t hops);

/* After a turn the main way goes on even where there is a way already, and counts. */
static bool climb_by(const struct way *way, uint32_t s, struct cw_ftree_group *group, bool counts, uint32_t credit,
                     uint32_t hops)
{
    const uint32_t peer = group->peer; /* further up the groups may be sorted anew */
    const bool wanted = is_wanted(way, group, hops);
    if (!wanted && !(counts && way->reverses)) return false;
    struct cw_ftree_cable *cable = least_cable(way->tree, group);
    if (wanted) take(way, group, cable, hops);
    if (counts) {
        cable->load++;
        group->load++;
    }
    return climb(way, peer, s, counts, credit, hops + 1);
}

static struct cw_ftree_cable *least_cable_across(const struct cw_ftree *tree, const struct cw_ftree_group *group)
{
    struct cw_ftree_cable *least = &tree->cables[group->first];
    for (uint32_t i = 1; i < group->n; i++)
        if (tree->cables[group->first + i].across < least->across) least = &tree->cables[group->first + i];
    return least;
}

/* To a switch of the same rank and on up from it. A destination that is not there is not known at its own switch,
 * whose way has 1 hop, so that the way may lead back to it. */
static bool climb_across(const struct way *way, uint32_t s, const struct cw_ftree_group *group, uint32_t credit,
                         uint32_t hops)
{
    const bool is_start = !way->real && way->hops[group->peer] == 1;
    if (!is_wanted(way, group, hops) && !is_start) return false;
    struct cw_ftree_cable *cable = least_cable_across(way->tree, group);
    take(way, group, cable, hops);
    const bool created = climb(way, group->peer, s, false, credit, hops + 1);
    cable->across += created;
    return created;
}

/* One more for the group of S that leads up to PEER. */
static void count_up(const struct way *way, uint32_t s, uint32_t peer)
{
    uint32_t g = way->tree->switches[s].up;
    while (way->tree->groups[g].peer != peer) g++;
    way->tree->groups[g].load++;
}

/* Down from switch S, whose GROUP is, only to climb again. */
static bool turn_down(const struct way *way, uint32_t s, uint32_t group, bool counts, uint32_t credit, uint32_t hops)
{
    return climb(way, way->tree->groups[group].peer, s, counts, credit - 1, hops + 1);
}

/* A root begins at another group each time. OpenSM counts hosts as groups without load, behind the others of these. */
static bool turn_at_root(const struct way *way, uint32_t s, bool counts, uint32_t credit, uint32_t hops)
{
    const struct cw_ftree_switch *t = &way->tree->switches[s];
    const uint32_t n = t->n_down + t->n_hosts;
    bool created = false;
    if (credit == 0 || n == 0) return false;
    const uint32_t begin = ++way->told[s] % n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (begin + i) % n, hosts = way->idle[s];
        if (at >= hosts && at < hosts + t->n_hosts) continue;
        created |= turn_down(way, s, t->down + (at < hosts ? at : at - t->n_hosts), counts, credit, hops);
    }
    return created;
}

/* What goes to the side counts for what was the least loaded group up, too. CREDIT: the switches at which the way may
 * still turn down. */
static bool climb(const struct way *way, uint32_t s, uint32_t before, bool counts, uint32_t credit, uint32_t hops)
{
    const struct cw_ftree *tree = way->tree;
    const struct cw_ftree_switch *t = &tree->switches[s];
    bool created = descend(way, s, before, hops);
    if (t->rank == 0) return turn_at_root(way, s, counts, credit, hops) || created;
    const bool up = sort_wanted(way, t->up, t->n_up, hops, way->reverses || t->n_side > 0);
    const uint32_t least = tree->groups[t->up].peer;
    for (uint32_t i = 0; up && i < t->n_up; i++)
        created |= climb_by(way, s, &tree->groups[t->up + i], counts && i == 0, credit, hops);
    sort(tree, t->side, t->n_side, is_indexed_before);
    for (uint32_t i = 0; i < t->n_side; i++) {
        if (!climb_across(way, s, &tree->groups[t->side + i], credit, hops)) continue;
        count_up(way, s, least);
        created = true;
    }
    if (credit == 0 || cw_ftree_compute_nodes(tree, s) > 0) return created;
    for (uint32_t g = t->down; g < t->down + t->n_down; g++) created |= turn_down(way, s, g, true, credit, hops);
    return created;
}

/* Routes to what is at switch S, beyond CHANNEL. */
static void route_from(const struct way *way, uint32_t s, uint32_t channel, uint32_t credit)
{
    const uint32_t n = cw_network_switches(way->tree->net);
    for (uint32_t i = 0; i < n; i++) way->out[i] = CW_NONE;
    way->out[s] = channel;
    way->hops[s] = 1;
    climb(way, s, CW_NONE, true, credit, 1);
}

static void route_to(const struct way *way, struct cw_lft *tables, uint32_t s, uint32_t e, uint32_t credit)
{
    const struct cw_network *net = way->tree->net;
    route_from(way, s, net->twin[net->first[e]], credit);
    for (uint32_t i = 0; i < cw_network_switches(net); i++) {
        const uint32_t v = i + net->n_endpoints;
        if (way->out[i] != CW_NONE) cw_lft_set(tables, v, e, way->out[i] - net->first[v]);
    }
}

static uint32_t most_compute_nodes(const struct cw_ftree *tree)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < tree->n_leaves; i++) {
        const uint32_t n = cw_ftree_compute_nodes(tree, tree->leaves[i]);
        if (n > most) most = n;
    }
    return most;
}

/* Leaf by leaf, as many as the fullest has: where one is missing, the load is counted as if it were there, so that
 * shifts find the routes that a full tree has. */
static int route_to_compute_nodes(const struct way *way, struct cw_lft *tables)
{
    const struct cw_ftree *tree = way->tree;
    const uint32_t most = most_compute_nodes(tree);
    struct way nobody = *way;
    int rc = 0;
    nobody.real = false;
    for (uint32_t i = 0; i < tree->n_leaves && rc == 0; i++) {
        const struct cw_ftree_switch *t = &tree->switches[tree->leaves[i]];
        uint32_t routed = 0;
        rc = cw_interrupt_check();
        for (uint32_t h = t->host; h < t->host + t->n_hosts; h++) {
            if (!cw_ftree_is_compute(tree, tree->hosts[h])) continue;
            route_to(way, tables, tree->leaves[i], tree->hosts[h], 0);
            routed++;
        }
        for (; routed < most; routed++) route_from(&nobody, tree->leaves[i], 0, 0);
    }
    return rc;
}

static int route_to_others(const struct way *way, struct cw_lft *tables)
{
    const struct cw_ftree *tree = way->tree;
    const struct cw_network *net = tree->net;
    int rc = 0;
    for (uint32_t i = 0; i < tree->n_others && rc == 0; i++) {
        const uint32_t e = tree->others[i];
        const uint32_t credit = tree->roles->io && tree->roles->io[e] ? tree->roles->max_reverse_hops : 0;
        struct way to = *way;
        to.reverses = credit > 0;
        rc = cw_interrupt_check();
        route_to(&to, tables, net->head[net->first[e]] - net->n_endpoints, e, credit);
    }
    return rc;
}

/* As to a host that is at none of the switch's ports: nothing counts on the way up. */
static int route_to_switches(const struct way *way, uint8_t *ports)
{
    const struct cw_ftree *tree = way->tree;
    const struct cw_network *net = tree->net;
    const uint32_t n = cw_network_switches(net);
    int rc = 0;
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        const uint32_t to = tree->by_guid[i];
        rc = cw_interrupt_check();
        for (uint32_t s = 0; s < n; s++) way->out[s] = CW_NONE;
        way->out[to] = 0;
        way->hops[to] = 0;
        climb(way, to, CW_NONE, false, 0, 0);
        for (uint32_t s = 0; s < n; s++)
            if (s != to && way->out[s] != CW_NONE)
                ports[(size_t)s * n + to] = (uint8_t)cw_network_port(net, way->out[s]);
    }
    return rc;
}

int cw_ftree_route(struct cw_ftree *tree, struct cw_lft *tables, uint8_t *to_switches)
{
    static const char what[] = "the routes of a fat tree";
    const uint32_t n = cw_network_switches(tree->net);
    struct way way = {.tree = tree, .real = true};
    way.out = cw_new_array(n, sizeof *way.out, what);
    way.hops = cw_new_array(n, sizeof *way.hops, what);
    way.told = cw_new_array(n, sizeof *way.told, what);
    way.idle = cw_new_array(n, sizeof *way.idle, what);
    int rc = way.out && way.hops && way.told && way.idle ? 0 : CW_ENOMEM;
    if (rc == 0) rc = route_to_compute_nodes(&way, tables);
    if (rc == 0) rc = route_to_others(&way, tables);
    if (rc == 0 && to_switches) rc = route_to_switches(&way, to_switches);
    free(way.idle);
    free(way.told);
    free(way.hops);
    free(way.out);
    return rc;
}
