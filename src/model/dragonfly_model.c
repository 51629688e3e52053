/*
 * How `exact` is defined, after section III of the paper.
 *
 * Every group u has a partner D(u), to which it sends. A message from u under ValiantRestricted takes first some global
 * channel c from u to a switch s of an intermediate group q (not u, not D(u)), and at once the minimal way to D(u): out
 * of s by a global channel of its own if it has one (then nothing limits c), else by a local channel to the switch of q
 * that has one; if several have one, they share the traffic in proportion to their channels.
 *
 * Let x be the most incoming global channels of s whose messages share one local channel of s. The paper takes all of
 * them to be limited alike: with x and h - x on two local channels it finds the best case at x = h/2 and the average
 * near 3/(2h). That is the greater of the two parts (its mean is 2 ln 2 / h for large h); the sum of what both local
 * channels could carry would be the same for all 0 < x < h. So
 *
 *     effective(c) = min(capacity of c, capacity of a local channel / x),
 *
 * of which half is for messages in their first global hop, the other half for those in their second. Every message has
 * one first global hop, hence
 *
 *     T = Σ effective(c) / 2 / injection bandwidth of the senders,
 *
 * over the channels c that messages may take as their first. The channel from u to D(u) is none of them, so T may be
 * below equation 1 by up to 1/(a·h), which counts all channels. A group that talks to itself (the middle one of an odd
 * number under bit complement) is its own partner: its messages go round by an intermediate group, too, and leave that
 * by the cable they came in by, so that nothing limits them there.
 */
#include "model/dragonfly_model.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

struct analysis {
    const struct cw_network *net;
    const struct cw_dragonfly *shape;
    const struct cw_workload *workload;
    const uint32_t *endpoints;
    double *traffic;   /* [g · g] byte/s from group to group if all send at full rate */
    double *injection; /* [g] bandwidth of those that send */
    uint32_t *partner; /* [g] CW_NONE: sends nothing */
    uint32_t *sender;  /* [g] whose partner it is, CW_NONE: nobody's */
    uint32_t *ways;    /* [a · g] global channels of switch i of the group at hand to each group */
    double *shared;    /* [a] incoming channels of the switch at hand that share its local channel to each switch */
};

static uint32_t group_of_switch(const struct analysis *of, uint32_t v)
{
    return (v - of->net->n_endpoints) / of->shape->a;
}

static uint32_t group_of_endpoint(const struct analysis *of, uint32_t endpoint)
{
    return endpoint / (of->shape->a * of->shape->p);
}

static uint32_t first_global(const struct analysis *of, uint32_t v)
{
    return of->net->first[v] + of->shape->p + of->shape->a - 1;
}

/* --- who sends to whom -------------------------------------------------------------------------------------------- */

static int add_rank(struct analysis *of, uint32_t rank, struct cw_flows *flows)
{
    const uint32_t group = group_of_endpoint(of, of->endpoints[rank]);
    const double capacity = of->net->capacity[of->net->first[of->endpoints[rank]]];
    flows->n = 0;
    const int rc = cw_workload_flows_of(of->workload, rank, flows);
    if (rc) return rc;
    double all = 0, sent = 0;
    for (size_t i = 0; i < flows->n; i++) all += (double)flows->items[i].bytes;
    for (size_t i = 0; i < flows->n; i++) {
        if (flows->items[i].dst == rank) continue;
        const uint32_t to = group_of_endpoint(of, of->endpoints[flows->items[i].dst]);
        const double rate = (double)flows->items[i].bytes / all * capacity;
        of->traffic[(size_t)group * of->shape->g + to] += rate;
        sent += rate;
    }
    of->injection[group] += sent;
    return 0;
}

static int add_traffic(struct analysis *of)
{
    const uint32_t n_ranks = cw_workload_ranks(of->workload);
    struct cw_flows flows = {0};
    int rc = 0;
    for (uint32_t r = 0; r < n_ranks && !rc; r++)
        if (of->endpoints[r] >= of->net->n_endpoints)
            rc = cw_fail(CW_EUSAGE, "rank %u on endpoint %u of %u", r, of->endpoints[r], of->net->n_endpoints);
    for (uint32_t r = 0; r < n_ranks && !rc; r++) rc = add_rank(of, r, &flows);
    cw_flows_free(&flows);
    return rc;
}

static int find_partner(struct analysis *of, uint32_t group)
{
    const uint32_t g = of->shape->g;
    const double *traffic = of->traffic + (size_t)group * g;
    uint32_t most = 0;
    of->partner[group] = CW_NONE;
    if (of->injection[group] <= 0) return 0;
    for (uint32_t to = 1; to < g; to++)
        if (traffic[to] > traffic[most]) most = to;
    if (traffic[most] <= 0.5 * of->injection[group])
        return cw_fail(CW_EUSAGE,
                       "%s is not traffic from group to group: no group gets more than half of what group %u sends",
                       cw_workload_spec(of->workload), group);
    if (of->sender[most] != CW_NONE)
        return cw_fail(CW_EUSAGE, "%s is not traffic between pairs of groups: groups %u and %u both send to group %u",
                       cw_workload_spec(of->workload), of->sender[most], group, most);
    of->partner[group] = most;
    of->sender[most] = group;
    return 0;
}

static int find_partners(struct analysis *of)
{
    int rc = add_traffic(of);
    for (uint32_t group = 0; group < of->shape->g; group++) of->sender[group] = CW_NONE;
    for (uint32_t group = 0; group < of->shape->g && !rc; group++) rc = find_partner(of, group);
    return rc;
}

/* --- what the channels into a switch can carry -------------------------------------------------------------------- */

/* Counts the global channels of GROUP's switches to each group. */
static void count_ways(struct analysis *of, uint32_t group)
{
    const uint32_t a = of->shape->a, g = of->shape->g;
    for (size_t i = 0; i < (size_t)a * g; i++) of->ways[i] = 0;
    for (uint32_t i = 0; i < a; i++) {
        const uint32_t v = of->net->n_endpoints + group * a + i;
        for (uint32_t c = first_global(of, v); c < of->net->first[v + 1]; c++)
            of->ways[(size_t)i * g + group_of_switch(of, of->net->head[c])]++;
    }
}

/* The group for which messages are whose first global channel is OUT's twin, into GROUP; CW_NONE if there are none. */
static uint32_t bound_for(const struct analysis *of, uint32_t group, uint32_t out)
{
    const uint32_t to = of->partner[group_of_switch(of, of->net->head[out])];
    return to == group ? CW_NONE : to;
}

/* Adds what one incoming channel of switch I whose messages are for group TO brings to each local channel. */
static void share(struct analysis *of, uint32_t i, uint32_t to)
{
    const uint32_t a = of->shape->a, g = of->shape->g;
    uint32_t all = 0;
    if (of->ways[(size_t)i * g + to] > 0) return;
    for (uint32_t t = 0; t < a; t++) all += of->ways[(size_t)t * g + to];
    for (uint32_t t = 0; t < a && all > 0; t++) of->shared[t] += (double)of->ways[(size_t)t * g + to] / all;
}

/* What each incoming channel of switch I (vertex V) can carry, as far as its local channels limit it. */
static double local_limit(const struct analysis *of, uint32_t i, uint32_t v)
{
    double limit = INFINITY;
    for (uint32_t t = 0; t < of->shape->a; t++) {
        const uint32_t channel = of->net->first[v] + of->shape->p + t - (t > i);
        if (of->shared[t] > 0) limit = fmin(limit, of->net->capacity[channel] / fmax(1, of->shared[t]));
    }
    return limit;
}

/* Σ effective(c) over the channels c into switch I of GROUP. */
static double effective(struct analysis *of, uint32_t group, uint32_t i)
{
    const struct cw_network *net = of->net;
    const uint32_t g = of->shape->g, v = net->n_endpoints + group * of->shape->a + i;
    for (uint32_t t = 0; t < of->shape->a; t++) of->shared[t] = 0;
    for (uint32_t c = first_global(of, v); c < net->first[v + 1]; c++) {
        const uint32_t to = bound_for(of, group, c);
        if (to != CW_NONE) share(of, i, to);
    }
    const double limit = local_limit(of, i, v);
    double sum = 0;
    for (uint32_t c = first_global(of, v); c < net->first[v + 1]; c++) {
        const uint32_t to = bound_for(of, group, c);
        if (to == CW_NONE) continue;
        const double capacity = net->capacity[net->twin[c]];
        sum += of->ways[(size_t)i * g + to] > 0 ? capacity : fmin(capacity, limit);
    }
    return sum;
}

static int exact_throughput(struct analysis *of, double *out)
{
    double carried = 0, injection = 0;
    bool others = false;
    const int rc = find_partners(of);
    if (rc) return rc;
    for (uint32_t group = 0; group < of->shape->g; group++) {
        injection += of->injection[group];
        others |= of->partner[group] != CW_NONE && of->partner[group] != group;
        count_ways(of, group);
        for (uint32_t i = 0; i < of->shape->a; i++) carried += 0.5 * effective(of, group, i);
    }
    if (!others) return cw_fail(CW_EUSAGE, "under %s no group sends to another", cw_workload_spec(of->workload));
    *out = fmin(1, carried / injection);
    return 0;
}

/* --- the model ---------------------------------------------------------------------------------------------------- */

bool cw_dragonfly_model_is_of(const struct cw_network *net)
{
    return net->shape.kind == &cw_shape_dragonfly;
}

static int check_network(const struct cw_network *net)
{
    if (!cw_dragonfly_model_is_of(net))
        return cw_fail(CW_EUSAGE, "the dragonfly model is for dragonflies, which %s is not",
                       net->title ? net->title : "this network");
    if (net->shape.dragonfly.g < 3)
        return cw_fail(CW_EUSAGE, "the dragonfly model needs an intermediate group; there are only %u groups",
                       net->shape.dragonfly.g);
    return cw_network_check_shape(net);
}

static int analyse(struct analysis *of, double *exact)
{
    const size_t g = of->shape->g, a = of->shape->a;
    of->traffic = cw_new_array(g * g, sizeof *of->traffic, "traffic between groups");
    of->injection = cw_new_array(g, sizeof *of->injection, "traffic of groups");
    of->partner = cw_new_array(g, sizeof *of->partner, "partners of groups");
    of->sender = cw_new_array(g, sizeof *of->sender, "partners of groups");
    of->ways = cw_new_array(a * g, sizeof *of->ways, "global channels of a group");
    of->shared = cw_new_array(a, sizeof *of->shared, "local channels of a switch");
    const bool complete = of->traffic && of->injection && of->partner && of->sender && of->ways && of->shared;
    const int rc = complete ? exact_throughput(of, exact) : CW_ENOMEM;
    free(of->traffic);
    free(of->injection);
    free(of->partner);
    free(of->sender);
    free(of->ways);
    free(of->shared);
    return rc;
}

/* Channels between groups, each direction counted. */
static uint32_t count_global(const struct analysis *of)
{
    uint32_t n = 0;
    for (uint32_t v = of->net->n_endpoints; v < of->net->n_vertices; v++)
        n += of->net->first[v + 1] - first_global(of, v);
    return n;
}

int cw_dragonfly_model_compute(const struct cw_network *net, const struct cw_workload *workload,
                               const uint32_t *endpoints, struct cw_dragonfly_model *out)
{
    struct analysis of = {.net = net, .shape = &net->shape.dragonfly, .workload = workload, .endpoints = endpoints};
    double exact;
    int rc = check_network(net);
    if (!rc && cw_workload_ranks(workload) != net->n_endpoints)
        rc = cw_fail(CW_EUSAGE, "%u of %u endpoints have a rank, and the model needs one on each",
                     cw_workload_ranks(workload), net->n_endpoints);
    if (!rc) rc = analyse(&of, &exact);
    if (rc) return rc;
    const double lower = 0.5 * count_global(&of) / net->n_endpoints / of.shape->h;
    *out = (struct cw_dragonfly_model){
        .lower = lower, .upper = 2 * lower, .estimate = 1.5 * lower, .exact = exact, .load_oblivious = 0.5};
    return 0;
}
