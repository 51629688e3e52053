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
#define BY_SHIFTS   0.12  /* what a share of their time costs, where the same share of the meetings costs 1 */
#define BY_WORST    4.0   /* what the longest shift counts more than a short one */
#define TALLEST     400.0 /* a time beyond which nothing is added to a power: doubles end at 2^1024 */

static const char what[] = "a search for short shifts";

/* A channel between switches. */
struct way {
    uint16_t *load;     /* [shifts] messages */
    const double *rise; /* [load] by how much one more message raises its power */
    double slowness;
    double routes; /* in all */
};

/* All shifts, one after another, and the longest: in routes on the fastest channel. */
struct times {
    double all, worst;
};

struct search {
    struct cw_balanced_trees *trees;
    const struct cw_network *net;
    struct cw_lft *tables;
    uint32_t n, n_switches;
    struct way *ways; /* [channels] */
    uint16_t *loads;  /* of all */
    double **rises;   /* [n_rises], each [n + 1], of channels of one speed */
    uint32_t n_rises;
    uint32_t *first, *many;      /* [switches] places of the endpoints there */
    double *sum;                 /* [shifts] of powers */
    double *time;                /* [shifts] */
    double *weight;              /* [shifts] in the sum of all */
    double by_shift, by_meeting; /* what one unit of either costs */

    /* The tree of the destination that is looked at, by switch. */
    uint32_t place;
    uint32_t *next;            /* channel */
    uint32_t *child, *sibling; /* those whose channel leads here; CW_NONE: none */
    double *passing;           /* sources whose routes pass */
    uint32_t *shifts;          /* [n] of those of the switch that is looked at */
    double *more;              /* [n] on the sum of powers of each */
    uint32_t *stack;           /* [switches] */
};

static uint32_t head_of(const struct search *search, uint32_t channel)
{
    return search->net->head[channel] - search->net->n_endpoints;
}

static double power(double time)
{
    return exp2(2 * fmin(time, TALLEST));
}

/* --- making ------------------------------------------------------------------------------------------------------- */

/* What messages raise the power of a channel by that is so slow: made once for each speed. */
static int find_rise(struct search *search, uint32_t c)
{
    const double slow = search->ways[c].slowness;
    for (uint32_t b = 0; b < c; b++)
        if (search->ways[b].rise && search->ways[b].slowness == slow) {
            search->ways[c].rise = search->ways[b].rise;
            return 0;
        }
    double *rise = cw_new_array((size_t)search->n + 1, sizeof *rise, what);
    if (!rise) return CW_ENOMEM;
    for (uint32_t i = 0; i <= search->n; i++) rise[i] = power((i + 1) * slow) - power(i * slow);
    search->ways[c].rise = search->rises[search->n_rises++] = rise;
    return 0;
}

static int make_ways(struct search *search)
{
    const struct cw_network *net = search->net;
    uint32_t n = 0;
    int rc = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) n += !cw_network_is_host_channel(net, c);
    search->loads = cw_new_array((size_t)n * search->n, sizeof *search->loads, what);
    search->rises = cw_new_array(n, sizeof *search->rises, what);
    if (!search->loads || !search->rises) return CW_ENOMEM;
    n = 0;
    for (uint32_t c = 0; c < net->n_channels && rc == 0; c++) {
        if (cw_network_is_host_channel(net, c)) continue;
        search->ways[c].load = search->loads + (size_t)n++ * search->n;
        search->ways[c].slowness = search->trees->slowness ? search->trees->slowness[c] : 1;
        rc = find_rise(search, c);
    }
    return rc;
}

static void place_endpoints(struct search *search)
{
    const struct cw_network *net = search->net;
    for (uint32_t i = search->n; i-- > 0;) {
        const uint32_t v = head_of(search, net->first[search->trees->order[i]]);
        search->first[v] = i;
        search->many[v]++;
    }
}

static int new_search(struct search *search)
{
    const uint32_t n = search->n_switches;
    search->ways = cw_new_array(search->net->n_channels, sizeof *search->ways, what);
    search->first = cw_new_array(n, sizeof *search->first, what);
    search->many = cw_new_array(n, sizeof *search->many, what);
    search->sum = cw_new_array(search->n, sizeof *search->sum, what);
    search->time = cw_new_array(search->n, sizeof *search->time, what);
    search->weight = cw_new_array(search->n, sizeof *search->weight, what);
    search->next = cw_new_array(n, sizeof *search->next, what);
    search->child = cw_new_array(n, sizeof *search->child, what);
    search->sibling = cw_new_array(n, sizeof *search->sibling, what);
    search->passing = cw_new_array(n, sizeof *search->passing, what);
    search->stack = cw_new_array(n, sizeof *search->stack, what);
    search->shifts = cw_new_array(search->n, sizeof *search->shifts, what);
    search->more = cw_new_array(search->n, sizeof *search->more, what);
    if (!search->ways || !search->first || !search->many || !search->sum || !search->time || !search->weight ||
        !search->next || !search->child || !search->sibling || !search->passing || !search->stack || !search->shifts ||
        !search->more)
        return CW_ENOMEM;
    place_endpoints(search);
    return make_ways(search);
}

static void free_search(struct search *search)
{
    while (search->n_rises > 0) free(search->rises[--search->n_rises]);
    free(search->rises);
    free(search->loads);
    free(search->ways);
    free(search->first);
    free(search->many);
    free(search->sum);
    free(search->time);
    free(search->weight);
    free(search->next);
    free(search->child);
    free(search->sibling);
    free(search->passing);
    free(search->stack);
    free(search->shifts);
    free(search->more);
}

/* --- the tree of a destination ------------------------------------------------------------------------------------ */

/* True if CHANNEL of switch V is the first of a shortest way. */
static bool leads(const struct search *search, uint32_t v, uint32_t channel)
{
    return search->ways[channel].load && search->trees->hops[head_of(search, channel)] + 1 == search->trees->hops[v];
}

static void link_child(struct search *search, uint32_t v)
{
    const uint32_t parent = head_of(search, search->next[v]);
    search->sibling[v] = search->child[parent];
    search->child[parent] = v;
}

static void unlink_child(struct search *search, uint32_t v)
{
    uint32_t *at = &search->child[head_of(search, search->next[v])];
    while (*at != v) at = &search->sibling[*at];
    *at = search->sibling[v];
}

/* Takes the tree of the endpoint at PLACE from the tables. */
static int read_tree(struct search *search, uint32_t place)
{
    struct cw_balanced_trees *trees = search->trees;
    const uint32_t dst = trees->order[place], base = search->net->n_endpoints;
    search->place = place;
    cw_trees_search(trees, dst);
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i];
        search->child[v] = CW_NONE;
        search->passing[v] = search->many[v];
        if (trees->hops[v] == 0) continue;
        uint32_t c = cw_lft_channel(search->tables, base + v, dst);
        if (c == CW_NONE)
            for (c = search->net->first[base + v]; !leads(search, v, c);) c++;
        else if (!leads(search, v, c))
            return CW_EUSAGE;
        search->next[v] = c;
        link_child(search, v);
    }
    for (uint32_t i = trees->n_reached; i-- > 0;) {
        const uint32_t v = trees->reached[i];
        if (trees->hops[v] > 0) search->passing[head_of(search, search->next[v])] += search->passing[v];
    }
    return 0;
}

static void write_tree(struct search *search)
{
    struct cw_balanced_trees *trees = search->trees;
    const uint32_t base = search->net->n_endpoints;
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i];
        if (trees->hops[v] > 0)
            cw_lft_enter(search->tables, base + v, trees->order[search->place],
                         search->next[v] - search->net->first[base + v]);
    }
}

/* The shifts of the endpoints whose routes pass V into search->shifts; their number. */
static uint32_t find_shifts(struct search *search, uint32_t v)
{
    uint32_t n = 0, waiting = 0;
    search->stack[waiting++] = v;
    while (waiting > 0) {
        const uint32_t u = search->stack[--waiting];
        for (uint32_t i = search->first[u]; i < search->first[u] + search->many[u]; i++)
            search->shifts[n++] = search->place >= i ? search->place - i : search->place + search->n - i;
        for (uint32_t w = search->child[u]; w != CW_NONE; w = search->sibling[w]) search->stack[waiting++] = w;
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
        struct way *way = &search->ways[search->next[v]];
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
        search->sum[k] = 0;
        search->time[k] = 1;
    }
    for (uint32_t c = 0; c < search->net->n_channels; c++) {
        const struct way *way = &search->ways[c];
        for (uint32_t k = 1; way->load && k < search->n; k++) {
            const double time = way->load[k] * way->slowness;
            search->sum[k] += power(time);
            search->time[k] = fmax(search->time[k], time);
        }
    }
    for (uint32_t k = 1; k < search->n; k++) {
        times.all += search->time[k];
        times.worst = fmax(times.worst, search->time[k]);
    }
    for (uint32_t k = 1; k < search->n; k++) search->weight[k] = 1 + BY_WORST * exp2(search->time[k] - times.worst);
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
        if (u == w || search->trees->hops[u] == 0) break;
        from = search->next[u];
        to = search->next[w];
        on_from = search->passing[u];
        on_to = search->passing[w];
    }
    for (uint32_t s = 0; s < n; s++) {
        const uint32_t k = search->shifts[s];
        saved -= search->weight[k] * log2(1 + search->more[s] / search->sum[k]);
    }
    return search->by_shift * saved / 2 + search->by_meeting * 2 * n * met;
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
            search->sum[k] += sign > 0 ? way->rise[load] : -way->rise[load - 1];
            way->load[k] = (uint16_t)(sign > 0 ? load + 1 : load - 1);
        }
        search->passing[u] += sign * (double)n;
        if (search->trees->hops[u] == 0) return;
        c = search->next[u];
    }
}

/* Gives switch V the way that gains most. */
static void improve(struct search *search, uint32_t v)
{
    const uint32_t *first = &search->net->first[search->net->n_endpoints + v], now = search->next[v];
    uint32_t best = now, n = 0;
    double most = 1e-12;
    for (uint32_t c = first[0]; c < first[1]; c++) {
        if (c == now || !leads(search, v, c)) continue;
        if (n == 0) n = find_shifts(search, v);
        if (n == 0) return;
        const double gain = gain_of(search, n, now, c);
        if (gain > most) {
            most = gain;
            best = c;
        }
    }
    if (best == now) return;
    put(search, n, now, -1);
    unlink_child(search, v);
    search->next[v] = best;
    link_child(search, v);
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

static int count_all(struct search *search)
{
    int rc = 0;
    for (uint32_t i = 0; i < search->n && rc == 0; i++) {
        rc = read_tree(search, i);
        if (rc == 0) count_tree(search);
    }
    return rc;
}

/* Sweeps as long as that pays. *BETTER: all shifts are done sooner in the end. */
static int run_search(struct search *search, bool *better)
{
    struct times before, last = {INFINITY, INFINITY}, now;
    int rc = count_all(search);
    if (rc) return rc;
    now = before = add_up(search);
    search->by_shift = BY_SHIFTS / now.all;
    search->by_meeting = 1 / count_meetings(search);
    for (uint32_t i = 0; i < MOST_SWEEPS && rc == 0 && now.worst > 1 && now.all < last.all * (1 - LEAST_GAIN); i++) {
        last = now;
        rc = sweep(search);
        if (rc == 0) now = add_up(search);
    }
    *better = now.all < before.all && now.worst <= before.worst;
    return rc;
}

int cw_shift_search(struct cw_balanced_trees *trees, const struct cw_routes *routes, unsigned n_threads,
                    struct cw_routes **out)
{
    struct search search = {
        .trees = trees, .net = trees->net, .n = trees->n_order, .n_switches = cw_network_switches(trees->net)};
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
