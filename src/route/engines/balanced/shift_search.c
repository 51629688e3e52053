#include "route/engines/balanced/shift_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/routes_internal.h"

#define MOST_LOADS  (UINT64_C(1) << 26) /* endpoints · channels */
#define MOST_SWEEPS 20u
#define LEAST_GAIN  1e-3  /* of the time of all shifts, less than which is not worth a sweep */
#define BY_WORST    4.0   /* what the longest shift counts more than a short one */
#define STEEPNESS   2.0   /* of the smooth maximum, at first */
#define TALLEST     800.0 /* a logarithm beyond which nothing is added to a power: doubles end at 2^1024 */

static const char what[] = "a search for short shifts";

/* A channel between switches. */
struct way {
    uint16_t *load;     /* [shifts] messages */
    const double *rise; /* [load] by how much one more message raises its power */
    double slowness;
    double routes; /* in all */
};

/* A switch, and its part in the tree of the destination that is looked at. */
struct place {
    uint32_t first, many;    /* places of the endpoints there */
    uint32_t next, hops;     /* the channel by which it is left, and how many lead to the switch of the destination */
    uint32_t child, sibling; /* those whose channel leads here; CW_NONE: none */
    double passing;          /* sources whose routes pass */
};

/* Of a shift: the sum of powers, what it takes, and what that counts in the sum of all. */
struct total {
    double sum, time, weight;
};

/* All shifts, one after another, and the longest: in routes on the fastest channel. */
struct times {
    double all, worst;
};

struct search {
    struct cw_balanced_trees *trees;
    const struct cw_network *net;
    const struct cw_shift_setup *setup;
    struct cw_lft *tables;
    uint32_t n, n_switches;
    struct way *ways; /* [channels] */
    uint16_t *loads;  /* of all */
    struct speed {
        double slowness, *rise; /* [n + 1] */
    } * speeds;
    uint32_t n_speeds;
    double steepness;            /* of the smooth maximum */
    struct total *total;         /* [shifts] */
    double by_shift, by_meeting; /* what one unit of either costs */

    /* The tree of the destination that is looked at, by switch. */
    uint32_t place;
    struct place *at; /* [switches] */
    uint32_t *shifts; /* [n] of those of the switch that is looked at */
    double *more;     /* [n] on the sum of powers of each */
    uint32_t *stack;  /* [switches] */
};

static uint32_t head_of(const struct search *search, uint32_t channel)
{
    return search->net->head[channel] - search->net->n_endpoints;
}

static double power(const struct search *search, double time)
{
    return exp2(fmin(search->steepness * time, TALLEST));
}

/* --- making ------------------------------------------------------------------------------------------------------- */

/* Room for what messages raise the power of channel C by, which all of its speed share. */
static int find_rise(struct search *search, uint32_t c)
{
    const double slow = search->ways[c].slowness;
    uint32_t i = 0;
    while (i < search->n_speeds && search->speeds[i].slowness != slow) i++;
    if (i == search->n_speeds) {
        search->speeds[i] = (struct speed){slow, cw_new_array((size_t)search->n + 1, sizeof(double), what)};
        if (!search->speeds[i].rise) return CW_ENOMEM;
        search->n_speeds++;
    }
    search->ways[c].rise = search->speeds[i].rise;
    return 0;
}

/* Makes the smooth maximum so steep. */
static void set_steepness(struct search *search, double steepness)
{
    search->steepness = steepness;
    for (struct speed *speed = search->speeds; speed < search->speeds + search->n_speeds; speed++)
        for (uint32_t i = 0; i <= search->n; i++)
            speed->rise[i] = power(search, (i + 1) * speed->slowness) - power(search, i * speed->slowness);
}

static int make_ways(struct search *search)
{
    const struct cw_network *net = search->net;
    uint32_t n = 0;
    int rc = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) n += !cw_network_is_host_channel(net, c);
    search->loads = cw_new_array((size_t)n * search->n, sizeof *search->loads, what);
    search->speeds = cw_new_array(n, sizeof *search->speeds, what);
    if (!search->loads || !search->speeds) return CW_ENOMEM;
    n = 0;
    for (uint32_t c = 0; c < net->n_channels && rc == 0; c++) {
        if (cw_network_is_host_channel(net, c)) continue;
        search->ways[c].load = search->loads + (size_t)n++ * search->n;
        search->ways[c].slowness = search->trees->slowness ? search->trees->slowness[c] : 1;
        rc = find_rise(search, c);
    }
    return rc;
}

static int new_search(struct search *search)
{
    const uint32_t n = search->n_switches;
    search->ways = cw_new_array(search->net->n_channels, sizeof *search->ways, what);
    search->total = cw_new_array(search->n, sizeof *search->total, what);
    search->at = cw_new_array(n, sizeof *search->at, what);
    search->stack = cw_new_array(n, sizeof *search->stack, what);
    search->shifts = cw_new_array(search->n, sizeof *search->shifts, what);
    search->more = cw_new_array(search->n, sizeof *search->more, what);
    if (!search->ways || !search->total || !search->at || !search->stack || !search->shifts || !search->more)
        return CW_ENOMEM;
    for (uint32_t i = search->n; i-- > 0;) {
        struct place *at = &search->at[head_of(search, search->net->first[search->trees->order[i]])];
        at->first = i;
        at->many++;
    }
    return make_ways(search);
}

static void free_search(struct search *search)
{
    while (search->n_speeds > 0) free(search->speeds[--search->n_speeds].rise);
    free(search->speeds);
    free(search->loads);
    free(search->ways);
    free(search->total);
    free(search->at);
    free(search->stack);
    free(search->shifts);
    free(search->more);
}

/* --- the tree of a destination ------------------------------------------------------------------------------------ */

/* True if CHANNEL of switch V is the first of a way as long as the one that it has. */
static bool leads(const struct search *search, uint32_t v, uint32_t channel)
{
    return search->ways[channel].load && search->at[head_of(search, channel)].hops + 1 == search->at[v].hops;
}

static void link_child(struct search *search, uint32_t v)
{
    const uint32_t parent = head_of(search, search->at[v].next);
    search->at[v].sibling = search->at[parent].child;
    search->at[parent].child = v;
}

static void unlink_child(struct search *search, uint32_t v)
{
    uint32_t *at = &search->at[head_of(search, search->at[v].next)].child;
    while (*at != v) at = &search->at[*at].sibling;
    *at = search->at[v].sibling;
}

/* The channel by which switch V is left towards DST: what the tables say or, where they are silent, the first of a
 * shortest way. */
static uint32_t find_next(const struct search *search, uint32_t v, uint32_t dst)
{
    const struct cw_network *net = search->net;
    const uint32_t *hops = search->trees->hops;
    uint32_t c = cw_lft_channel(search->tables, net->n_endpoints + v, dst);
    if (c != CW_NONE) return c;
    c = net->first[net->n_endpoints + v];
    while (!search->ways[c].load || hops[head_of(search, c)] + 1 != hops[v]) c++;
    return c;
}

/* Sets the hops from switch V, and counts its sources on the way. */
static int follow(struct search *search, uint32_t v)
{
    const uint32_t *far = search->trees->hops;
    uint32_t n = 0;
    for (uint32_t u = v; far[u] > 0; u = head_of(search, search->at[u].next)) {
        if (!search->ways[search->at[u].next].load || n++ == search->n_switches) return CW_EUSAGE;
        search->at[head_of(search, search->at[u].next)].passing += search->at[v].many;
    }
    search->at[v].hops = n;
    return 0;
}

/* Takes the tree of the endpoint at PLACE from the tables. */
static int read_tree(struct search *search, uint32_t place)
{
    struct cw_balanced_trees *trees = search->trees;
    const uint32_t dst = trees->order[place];
    int rc = 0;
    search->place = place;
    cw_trees_search(trees, dst);
    for (uint32_t v = 0; v < search->n_switches; v++) search->at[v].hops = CW_TREES_FAR;
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i];
        search->at[v].child = CW_NONE;
        search->at[v].passing = search->at[v].many;
        if (trees->hops[v] > 0) search->at[v].next = find_next(search, v, dst);
    }
    for (uint32_t i = 0; i < trees->n_reached && rc == 0; i++) {
        const uint32_t v = trees->reached[i];
        rc = follow(search, v);
        if (rc == 0 && trees->hops[v] > 0) link_child(search, v);
    }
    return rc;
}

static void write_tree(struct search *search)
{
    struct cw_balanced_trees *trees = search->trees;
    const uint32_t base = search->net->n_endpoints;
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i];
        if (trees->hops[v] > 0)
            cw_lft_enter(search->tables, base + v, trees->order[search->place],
                         search->at[v].next - search->net->first[base + v]);
    }
}

/* The shifts of the endpoints whose routes pass V into search->shifts; their number. */
static uint32_t find_shifts(struct search *search, uint32_t v)
{
    uint32_t n = 0, waiting = 0;
    search->stack[waiting++] = v;
    while (waiting > 0) {
        const uint32_t u = search->stack[--waiting];
        for (uint32_t i = search->at[u].first; i < search->at[u].first + search->at[u].many; i++)
            search->shifts[n++] = search->place >= i ? search->place - i : search->place + search->n - i;
        for (uint32_t w = search->at[u].child; w != CW_NONE; w = search->at[w].sibling) search->stack[waiting++] = w;
    }
    return n;
}

/* --- what shifts take --------------------------------------------------------------------------------------------- */

static void count_tree(struct search *search)
{
    const struct cw_balanced_trees *trees = search->trees;
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i];
        if (trees->hops[v] == 0) continue;
        struct way *way = &search->ways[search->at[v].next];
        const uint32_t n = find_shifts(search, v);
        way->routes += n;
        for (uint32_t s = 0; s < n; s++) way->load[search->shifts[s]]++;
    }
}

/* Adds up the powers, and gives shifts that take long their weight. What all take. */
static struct times add_up(struct search *search)
{
    struct times times = {0};
    for (uint32_t k = 1; k < search->n; k++) {
        search->total[k].sum = 0;
        search->total[k].time = 1;
    }
    for (uint32_t c = 0; c < search->net->n_channels; c++) {
        const struct way *way = &search->ways[c];
        for (uint32_t k = 1; way->load && k < search->n; k++) {
            const double time = way->load[k] * way->slowness;
            search->total[k].sum += power(search, time);
            search->total[k].time = fmax(search->total[k].time, time);
        }
    }
    for (uint32_t k = 1; k < search->n; k++) {
        times.all += search->total[k].time;
        times.worst = fmax(times.worst, search->total[k].time);
    }
    for (uint32_t k = 1; k < search->n; k++)
        search->total[k].weight = 1 + BY_WORST * exp2(search->total[k].time - times.worst);
    return times;
}

/* Σ over channels of routes², by time. */
static double count_meetings(const struct search *search)
{
    double sum = 0;
    for (uint32_t c = 0; c < search->net->n_channels; c++)
        sum += search->ways[c].routes * search->ways[c].routes * search->ways[c].slowness;
    return sum;
}

/* --- one entry ---------------------------------------------------------------------------------------------------- */

/* What is gained if the N sources in search->shifts go by channel TO from their switch and not by FROM. */
static double gain_of(const struct search *search, uint32_t n, uint32_t from, uint32_t to)
{
    double met = 0, saved = 0, on_from = n, on_to = 0; /* of this destination */
    memset(search->more, 0, n * sizeof *search->more);
    for (;;) {
        const struct way *x = &search->ways[from], *y = &search->ways[to];
        const uint32_t u = head_of(search, from), w = head_of(search, to);
        met += (x->routes - on_from) * x->slowness - (y->routes - on_to) * y->slowness;
        for (uint32_t s = 0; s < n; s++) {
            const uint32_t k = search->shifts[s];
            search->more[s] += y->rise[y->load[k]] - x->rise[x->load[k] - 1];
        }
        if (u == w || search->at[u].hops == 0) break;
        from = search->at[u].next;
        to = search->at[w].next;
        on_from = search->at[u].passing;
        on_to = search->at[w].passing;
    }
    for (uint32_t s = 0; s < n; s++) {
        const uint32_t k = search->shifts[s];
        saved -= search->total[k].weight * log2(1 + search->more[s] / search->total[k].sum);
    }
    return search->by_shift * saved / search->steepness + search->by_meeting * 2 * n * met;
}

/* Adds N sources, whose shifts are in search->shifts, to the way that begins with channel C; SIGN -1: takes them off.
 */
static void put(struct search *search, uint32_t n, uint32_t c, int sign)
{
    for (;;) {
        struct way *way = &search->ways[c];
        const uint32_t u = head_of(search, c);
        way->routes += sign * (double)n;
        for (uint32_t s = 0; s < n; s++) {
            const uint32_t k = search->shifts[s], load = way->load[k];
            search->total[k].sum += sign > 0 ? way->rise[load] : -way->rise[load - 1];
            way->load[k] = (uint16_t)(sign > 0 ? load + 1 : load - 1);
        }
        search->at[u].passing += sign * (double)n;
        if (search->at[u].hops == 0) return;
        c = search->at[u].next;
    }
}

/* True if the entry of V stays. */
static bool is_kept(const struct search *search, uint32_t v)
{
    const struct cw_lft *kept = search->setup->kept;
    return kept && cw_lft_channel(kept, search->net->n_endpoints + v, search->trees->order[search->place]) != CW_NONE;
}

/* Has V go on by CHANNEL. */
static void turn(struct search *search, uint32_t v, uint32_t channel)
{
    unlink_child(search, v);
    search->at[v].next = channel;
    link_child(search, v);
}

/* The same after switches on the way that begins with TO, from the head of LAST on, have chosen the best way on: those
 * that no route passes yet are free to. Only where some entries stay, so that few ways are left. */
static double gain_by(struct search *search, uint32_t n, uint32_t from, uint32_t to, uint32_t last)
{
    const uint32_t v = head_of(search, last), *first = &search->net->first[search->net->n_endpoints + v];
    uint32_t best = search->at[v].next;
    double most = -INFINITY;
    if (search->setup->kept && search->at[v].hops > 0 && search->at[v].passing <= 0 && !is_kept(search, v)) {
        for (uint32_t c = first[0]; c < first[1]; c++) {
            if (!leads(search, v, c)) continue;
            turn(search, v, c);
            const double gain = gain_by(search, n, from, to, c);
            if (gain <= most) continue;
            most = gain;
            best = c;
        }
        turn(search, v, best);
    }
    return gain_of(search, n, from, to);
}

/* Gives switch V the way that gains most. */
static void improve(struct search *search, uint32_t v)
{
    const uint32_t *first = &search->net->first[search->net->n_endpoints + v], now = search->at[v].next;
    uint32_t best = now, n = 0;
    double most = 1e-12;
    if (is_kept(search, v)) return;
    for (uint32_t c = first[0]; c < first[1]; c++) {
        if (c == now || !leads(search, v, c)) continue;
        if (n == 0) n = find_shifts(search, v);
        if (n == 0) return;
        const double gain = gain_by(search, n, now, c, c);
        if (gain > most) {
            most = gain;
            best = c;
        }
    }
    if (best == now) return;
    put(search, n, now, -1);
    turn(search, v, best);
    put(search, n, best, 1);
}

/* --- the search --------------------------------------------------------------------------------------------------- */

static int sweep(struct search *search)
{
    const struct cw_balanced_trees *trees = search->trees;
    int rc = 0;
    for (uint32_t i = 0; i < search->n && rc == 0; i++) {
        rc = read_tree(search, i);
        for (uint32_t k = 0; k < trees->n_reached && rc == 0; k++)
            if (trees->hops[trees->reached[k]] > 0) improve(search, trees->reached[k]);
        if (rc == 0) write_tree(search);
        if (rc == 0) rc = cw_interrupt_check();
    }
    return rc;
}

/* Sweeps as long as that pays. *NOW is what all shifts take. */
static int descend(struct search *search, struct times *now)
{
    struct times last = {INFINITY, INFINITY};
    int rc = 0;
    *now = add_up(search);
    for (uint32_t i = 0; i < MOST_SWEEPS && rc == 0 && now->worst > 1 && now->all < last.all * (1 - LEAST_GAIN); i++) {
        last = *now;
        rc = sweep(search);
        if (rc == 0) *now = add_up(search);
    }
    return rc;
}

/* A maximum that is not steep sees channels that are nearly the busiest, too; a steep one in the end only those that
 * are. *BETTER: all shifts are done sooner. */
static int run_search(struct search *search, bool *better)
{
    const struct cw_shift_setup *setup = search->setup;
    int rc = 0;
    for (uint32_t i = 0; i < search->n && rc == 0; i++) {
        rc = read_tree(search, i);
        if (rc == 0) count_tree(search);
    }
    if (rc) return rc;
    set_steepness(search, STEEPNESS);
    const struct times before = add_up(search);
    struct times now = before;
    search->by_meeting = 1 / count_meetings(search);
    for (double steepness = STEEPNESS;
         steepness <= setup->steepest && (steepness <= STEEPNESS || steepness * now.worst < TALLEST) && rc == 0;
         steepness *= 2) {
        set_steepness(search, steepness);
        search->by_shift = setup->by_shifts / now.all;
        rc = descend(search, &now);
    }
    *better = now.all < before.all && now.worst <= before.worst;
    return rc;
}

int cw_shift_search(struct cw_balanced_trees *trees, const struct cw_routes *routes, const struct cw_shift_setup *setup,
                    unsigned n_threads, struct cw_routes **out)
{
    struct search search = {.trees = trees,
                            .net = trees->net,
                            .setup = setup,
                            .n = trees->n_order,
                            .n_switches = cw_network_switches(trees->net)};
    struct cw_routes *made = NULL;
    bool better = false;
    *out = NULL;
    if (trees->n_several > 0 || search.n < 2 || (uint64_t)search.n * trees->net->n_channels > MOST_LOADS) return 0;
    int rc = cw_routes_to_tables(routes, n_threads, &made);
    if (rc == 0) {
        search.tables = made->tables;
        rc = new_search(&search);
    }
    if (rc == 0) rc = run_search(&search, &better);
    free_search(&search);
    if (rc == 0 && better) {
        *out = made;
        return 0;
    }
    cw_routes_free(made);
    return rc == CW_EUSAGE || rc == CW_EROUTE ? 0 : rc; /* these are no such routes */
}
