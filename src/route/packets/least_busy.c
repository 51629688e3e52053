#include "route/packets/least_busy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engines/shortest_ways.h"
#include "route/routes_internal.h"

#define SLACK       0.01 /* in lengths: what is nearly shortest is as good */
#define MOST_SWEEPS 2000
#define CHECKED     4  /* sweeps between looks at the bound */
#define FIRST_POWER 2  /* from the 2^2nd on */
#define LAST_POWER  10 /* up to the 2^10th */
#define HALVINGS    20 /* in the search for how much to move */

static const char what[] = "the least busy ways";

/* One way and what goes by it. */
struct path {
    double bytes;
    uint32_t hops;
    uint32_t *channels; /* [hops] owned */
    size_t room;
};

/* All messages from a switch to another one. */
struct flow {
    uint32_t from, target;
    double bytes;
    struct path *paths; /* [n]; others, up to CAPACITY, keep their room */
    size_t n, capacity;
};

/* A switch that a search has come to. */
struct reached {
    double price;
    uint32_t hops, at;
};

static bool is_nearer(const void *context, const struct reached *a, const struct reached *b)
{
    (void)context;
    if (a->price < b->price || a->price > b->price) return a->price < b->price;
    return a->hops != b->hops ? a->hops < b->hops : a->at < b->at;
}
CW_HEAP(nearest, struct reached, 4, const void *, is_nearer, CW_HEAP_PUT)

struct message {
    uint32_t src, dst;
    uint32_t flow; /* CW_NONE: within a switch, or to itself */
    uint32_t order;
    double bytes;
};

struct cw_least_busy {
    const struct cw_network *net;
    const struct cw_shortest_ways *ways;
    struct cw_ways found;
    struct message *messages, *sorted; /* [n] as given, and by switches */
    size_t n, n_room, sorted_room;
    struct flow *flows;
    size_t n_flows, flows_room; /* flows that were used once keep the room of their paths */
    double *bytes;              /* [channels] */
    double *price;              /* [switches] of the shortest way from where a flow begins */
    uint32_t *by;               /* [switches] the channel by which it comes */
    uint32_t *hops;             /* [switches] its hops; of searches for any ways, as are the next two */
    struct reached *heap;       /* [channels + 1] */
    uint32_t root;              /* where the last one began; CW_NONE: lengths are others now */
    struct path shortest;       /* that was found */
    uint32_t *gives, *takes;    /* [switches] channels of one way and not of another one */
    bool sprayed;               /* these ways are the best, and paths are not used */
    double gap;                 /* of the busiest time, above the bound */
    double top;                 /* the busiest time when a sweep began: others are relative to it */
    unsigned power;             /* lengths are times to the 2^power */
};

int cw_least_busy_new(const struct cw_routes *routes, struct cw_least_busy **out)
{
    const struct cw_network *net = routes->net;
    struct cw_least_busy *least = cw_new_array(1, sizeof *least, what);
    if (!least) return CW_ENOMEM;
    least->net = net;
    least->ways = cw_packet_routing_state(routes->packets);
    least->gap = least->ways->any ? 0.02 : 0.01;
    least->bytes = cw_new_array(net->n_channels, sizeof *least->bytes, what);
    least->price = cw_new_array(cw_network_switches(net), sizeof *least->price, what);
    least->by = cw_new_array(cw_network_switches(net), sizeof *least->by, what);
    least->hops = cw_new_array(cw_network_switches(net), sizeof *least->hops, what);
    least->heap = cw_new_array((size_t)net->n_channels + 1, sizeof *least->heap, what);
    least->gives = cw_new_array(cw_network_switches(net), sizeof *least->gives, what);
    least->takes = cw_new_array(cw_network_switches(net), sizeof *least->takes, what);
    least->shortest.channels = cw_new_array(cw_network_switches(net), sizeof *least->shortest.channels, what);
    int rc = least->bytes && least->price && least->by && least->hops && least->heap && least->gives && least->takes &&
                     least->shortest.channels
                 ? 0
                 : CW_ENOMEM;
    if (!rc) rc = cw_ways_init(&least->found, net);
    if (rc)
        cw_least_busy_free(least);
    else
        *out = least;
    return rc;
}

void cw_least_busy_free(struct cw_least_busy *least)
{
    if (!least) return;
    for (size_t f = 0; f < least->flows_room; f++) {
        for (size_t p = 0; p < least->flows[f].capacity; p++) free(least->flows[f].paths[p].channels);
        free(least->flows[f].paths);
    }
    free(least->flows);
    free(least->messages);
    free(least->sorted);
    free(least->bytes);
    free(least->price);
    free(least->by);
    free(least->hops);
    free(least->heap);
    free(least->gives);
    free(least->takes);
    free(least->shortest.channels);
    cw_ways_free(&least->found);
    free(least);
}

/* --- flows -------------------------------------------------------------------------------------------------------- */

static uint32_t switch_at(const struct cw_least_busy *least, uint32_t endpoint)
{
    return cw_shortest_switch(least->ways, endpoint);
}

static int compare_messages(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->src != y->src) return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst) return x->dst < y->dst ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int grow(struct cw_least_busy *least, size_t n)
{
    const size_t before = least->flows_room;
    void *messages = least->messages, *sorted = least->sorted, *flows = least->flows;
    int rc = cw_grow_array(&messages, &least->n_room, n, sizeof *least->messages, what);
    if (!rc) rc = cw_grow_array(&sorted, &least->sorted_room, n, sizeof *least->sorted, what);
    if (!rc) rc = cw_grow_array(&flows, &least->flows_room, n, sizeof *least->flows, what);
    least->messages = messages;
    least->sorted = sorted;
    least->flows = flows;
    if (least->flows_room > before)
        memset(least->flows + before, 0, (least->flows_room - before) * sizeof *least->flows);
    return rc;
}

/* Puts messages between the same switches together; the sorted ones have switches for endpoints. */
static void gather(struct cw_least_busy *least)
{
    size_t n = 0;
    for (size_t i = 0; i < least->n; i++) {
        struct message *message = &least->messages[i];
        const uint32_t from = switch_at(least, message->src), to = switch_at(least, message->dst);
        message->flow = CW_NONE;
        if (from != to) least->sorted[n++] = (struct message){from, to, CW_NONE, (uint32_t)i, message->bytes};
    }
    qsort(least->sorted, n, sizeof *least->sorted, compare_messages);
    least->n_flows = 0;
    for (size_t i = 0; i < n; i++) {
        const struct message *message = &least->sorted[i];
        struct flow *flow = &least->flows[least->n_flows];
        if (i == 0 || message->src != message[-1].src || message->dst != message[-1].dst) {
            least->n_flows++;
            flow->from = message->src;
            flow->target = message->dst;
            flow->bytes = 0;
            flow->n = 0;
        } else
            flow--;
        flow->bytes += message->bytes;
        least->messages[message->order].flow = (uint32_t)(flow - least->flows);
    }
}

/* --- times -------------------------------------------------------------------------------------------------------- */

static double time_of(const struct cw_least_busy *least, uint32_t c)
{
    return least->bytes[c] > 0 ? least->bytes[c] / least->net->capacity[c] : 0;
}

static double busiest(const struct cw_least_busy *least)
{
    double most = 0;
    for (uint32_t c = 0; c < least->net->n_channels; c++) most = fmax(most, time_of(least, c));
    return most;
}

/* The bytes of endpoints on their own channels, all others 0; the busiest time. */
static double put_ends(struct cw_least_busy *least)
{
    const struct cw_network *net = least->net;
    memset(least->bytes, 0, net->n_channels * sizeof *least->bytes);
    for (size_t i = 0; i < least->n; i++) {
        const struct message *message = &least->messages[i];
        if (message->src == message->dst) continue;
        least->bytes[net->first[message->src]] += message->bytes;
        least->bytes[net->twin[net->first[message->dst]]] += message->bytes;
    }
    return busiest(least);
}

/* Sprays all flows; the busiest time. */
static double spray(struct cw_least_busy *least)
{
    struct cw_ways *found = &least->found;
    for (size_t f = 0; f < least->n_flows; f++) {
        const struct flow *flow = &least->flows[f];
        cw_shortest_add(least->ways, flow->from, flow->target, flow->bytes, found);
        for (; found->n > 0; found->n--) {
            const uint32_t c = found->channels[found->n - 1];
            least->bytes[c] += found->amounts[c];
            found->amounts[c] = 0;
        }
    }
    return busiest(least);
}

/* How fast the sum of powers grows with the bytes of channel C, of which there are MORE, times a constant. */
static double length_with(const struct cw_least_busy *least, uint32_t c, double more)
{
    const double capacity = least->net->capacity[c];
    double length = fmax(0, least->bytes[c] + more) / capacity / least->top;
    for (unsigned i = 0; i < least->power; i++) length *= length;
    return length / capacity;
}

/* --- short ways --------------------------------------------------------------------------------------------------- */

/* Puts the way to TARGET, of so many HOPS, that a search has come by into least->shortest; its length. */
static double note_shortest(struct cw_least_busy *least, uint32_t target, uint32_t hops)
{
    least->shortest.hops = hops;
    for (uint32_t h = hops, at = target; h-- > 0;) {
        least->shortest.channels[h] = least->by[at];
        at = least->net->tail[least->by[at]] - least->net->n_endpoints;
    }
    return least->price[target];
}

/* Of the ways of FLOW with the fewest hops, the shortest by length. The first of equally short ones. */
static double find_shortest(struct cw_least_busy *least, const struct flow *flow)
{
    const struct cw_network *net = least->net;
    uint32_t *queue = least->found.queue, n = 0;
    double *seen = least->found.held;
    queue[n++] = flow->from;
    least->price[flow->from] = 0;
    for (uint32_t i = 0; i < n && queue[i] != flow->target; i++) {
        const uint32_t here = queue[i], v = net->n_endpoints + here;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            if (!cw_shortest_leads(least->ways, here, flow->target, c)) continue;
            const uint32_t head = net->head[c] - net->n_endpoints;
            const double price = least->price[here] + length_with(least, c, 0);
            if (seen[head] == 0)
                queue[n++] = head;
            else if (price >= least->price[head])
                continue;
            seen[head] = 1;
            least->price[head] = price;
            least->by[head] = c;
        }
    }
    for (uint32_t i = 0; i < n; i++) seen[queue[i]] = 0;
    return note_shortest(least, flow->target,
                         least->ways->distance[(size_t)flow->target * least->ways->n + flow->from]);
}

/* Finds the shortest way from switch ROOT to every other, of equally short ones one of the fewest hops. */
static void grow_tree(struct cw_least_busy *least, uint32_t root)
{
    const struct cw_network *net = least->net;
    const uint32_t n = cw_network_switches(net);
    size_t waiting = 0;
    for (uint32_t s = 0; s < n; s++) least->hops[s] = UINT32_MAX;
    least->price[root] = least->hops[root] = 0;
    nearest_push(NULL, least->heap, &waiting, (struct reached){0, 0, root});
    while (waiting > 0) {
        const struct reached here = nearest_pop(NULL, least->heap, &waiting);
        const uint32_t v = net->n_endpoints + here.at;
        if (here.hops != least->hops[here.at] || here.price > least->price[here.at]) continue;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            if (!cw_network_forwards(net, net->head[c]) || cw_network_is_closed(net, c)) continue;
            const uint32_t head = net->head[c] - net->n_endpoints;
            const struct reached next = {here.price + length_with(least, c, 0), here.hops + 1, head};
            const struct reached known = {least->price[head], least->hops[head], head};
            if (least->hops[head] != UINT32_MAX && !is_nearer(NULL, &next, &known)) continue;
            least->price[head] = next.price;
            least->hops[head] = next.hops;
            least->by[head] = c;
            nearest_push(NULL, least->heap, &waiting, next);
        }
    }
    least->root = root;
}

/* The shortest of the ways that FLOW may take into least->shortest; its length. */
static double find_way(struct cw_least_busy *least, const struct flow *flow)
{
    if (!least->ways->any) return find_shortest(least, flow);
    if (least->root != flow->from) grow_tree(least, flow->from);
    return note_shortest(least, flow->target, least->hops[flow->target]);
}

/* --- the search --------------------------------------------------------------------------------------------------- */

/* By how much the sum grows for each byte more that goes by the TAKES instead of the GIVES once MOVED bytes do. */
static double slope(const struct cw_least_busy *least, uint32_t gives, uint32_t takes, double moved)
{
    double sum = 0;
    for (uint32_t h = 0; h < takes; h++) sum += length_with(least, least->takes[h], moved);
    for (uint32_t h = 0; h < gives; h++) sum -= length_with(least, least->gives[h], -moved);
    return sum;
}

/* The channels of path A that B does not have into OUT; their number. */
static uint32_t find_others(const struct path *a, const struct path *b, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t h = 0; h < a->hops; h++) {
        uint32_t k = 0;
        while (k < b->hops && b->channels[k] != a->channels[h]) k++;
        if (k == b->hops) out[n++] = a->channels[h];
    }
    return n;
}

/* Moves from one path to another what lowers the sum most, unless both are nearly as long. */
static void move(struct cw_least_busy *least, struct path *from, struct path *to)
{
    double low = 0, high = from->bytes;
    const uint32_t gives = find_others(from, to, least->gives), takes = find_others(to, from, least->takes);
    if (slope(least, gives, takes, 0) >= SLACK / 8 * slope(least, gives, 0, 0)) return;
    if (slope(least, gives, takes, high) <= 0)
        low = high;
    else
        for (unsigned i = 0; i < HALVINGS; i++) {
            const double middle = (low + high) / 2;
            *(slope(least, gives, takes, middle) < 0 ? &low : &high) = middle;
        }
    for (uint32_t h = 0; h < gives; h++) least->bytes[least->gives[h]] -= low;
    for (uint32_t h = 0; h < takes; h++) least->bytes[least->takes[h]] += low;
    from->bytes -= low;
    to->bytes += low;
}

/* The place of a path like the one that was found among those of FLOW, to which it is added without bytes if it is new.
 */
static int place_shortest(const struct cw_least_busy *least, struct flow *flow, size_t *place)
{
    const struct path *shortest = &least->shortest;
    const size_t size = shortest->hops * sizeof *shortest->channels, before = flow->capacity;
    for (*place = 0; *place < flow->n; ++*place)
        if (flow->paths[*place].hops == shortest->hops &&
            !memcmp(flow->paths[*place].channels, shortest->channels, size))
            return 0;
    void *paths = flow->paths;
    int rc = cw_grow_array(&paths, &flow->capacity, flow->n + 1, sizeof *flow->paths, what);
    flow->paths = paths;
    if (rc) return rc;
    memset(flow->paths + before, 0, (flow->capacity - before) * sizeof *flow->paths);
    struct path *path = &flow->paths[flow->n];
    void *channels = path->channels;
    rc = cw_grow_array(&channels, &path->room, shortest->hops, sizeof *path->channels, what);
    path->channels = channels;
    if (rc) return rc;
    memcpy(path->channels, shortest->channels, size);
    path->hops = shortest->hops;
    path->bytes = 0;
    flow->n++;
    return 0;
}

static int improve(struct cw_least_busy *least, struct flow *flow)
{
    size_t to;
    find_way(least, flow);
    const int rc = place_shortest(least, flow, &to);
    if (rc) return rc;
    for (size_t p = 0; p < flow->n; p++)
        if (p != to) move(least, &flow->paths[p], &flow->paths[to]);
    for (size_t p = flow->n; p-- > 0;) {
        if (flow->paths[p].bytes > 0) continue;
        const struct path empty = flow->paths[p];
        flow->paths[p] = flow->paths[--flow->n];
        flow->paths[flow->n] = empty;
    }
    return 0;
}

/* Puts each flow on the way of the fewest hops that is shortest when it is its turn. */
static int begin(struct cw_least_busy *least)
{
    int rc = 0;
    for (size_t f = 0; f < least->n_flows && !rc; f++) {
        struct flow *flow = &least->flows[f];
        size_t place;
        find_shortest(least, flow);
        rc = place_shortest(least, flow, &place);
        if (rc) break;
        flow->paths[place].bytes = flow->bytes;
        for (uint32_t h = 0; h < least->shortest.hops; h++) least->bytes[least->shortest.channels[h]] += flow->bytes;
    }
    return rc;
}

/* What the lengths prove; those of endpoints' channels are left out, which only lowers it. *SETTLED: nearly all is on
 * shortest ways, so that the sum of powers is nearly the least. */
static double prove(struct cw_least_busy *least, bool *settled)
{
    double sent = 0, used = 0, room = 0;
    least->root = CW_NONE;
    for (size_t f = 0; f < least->n_flows; f++) sent += least->flows[f].bytes * find_way(least, &least->flows[f]);
    for (uint32_t c = 0; c < least->net->n_channels; c++) {
        const bool inner = !cw_network_is_host_channel(least->net, c);
        if (!inner || least->bytes[c] <= 0) continue;
        const double length = length_with(least, c, 0);
        room += least->net->capacity[c] * length;
        used += least->bytes[c] * length;
    }
    *settled = sent >= used * (1 - (least->power < LAST_POWER / 2 ? 5 * SLACK : SLACK));
    return room > 0 ? sent / room : 0;
}

/* *BOUND: what is known of the least time. */
static int search(struct cw_least_busy *least, double *bound)
{
    int rc = begin(least);
    bool settled;
    for (unsigned sweep = 1; !rc && sweep <= MOST_SWEEPS; sweep++) {
        least->top = busiest(least);
        least->root = CW_NONE;
        for (size_t f = 0; f < least->n_flows && !rc; f++) rc = improve(least, &least->flows[f]);
        if (!rc) rc = cw_interrupt_check();
        if (rc || sweep % CHECKED > 0) continue;
        least->top = busiest(least);
        *bound = fmax(*bound, prove(least, &settled));
        if (least->top <= *bound * (1 + least->gap)) return 0;
        if (settled && least->power < LAST_POWER) least->power++;
    }
    return rc ? rc
              : cw_fail(CW_ELIMIT, "the least busy ways of %zu messages are not known to %g %% after %d sweeps",
                        least->n, 100 * least->gap, MOST_SWEEPS);
}

int cw_least_busy_find(struct cw_least_busy *least, size_t n, const uint32_t *src, const uint32_t *dst,
                       const double *bytes, double *bound)
{
    int rc = grow(least, n);
    if (rc) return rc;
    least->n = n;
    for (size_t i = 0; i < n; i++)
        least->messages[i] = (struct message){src[i], dst[i], CW_NONE, (uint32_t)i, bytes ? bytes[i] : 1};
    gather(least);
    bool settled;
    double known = put_ends(least);
    least->top = spray(least);
    least->power = LAST_POWER;
    known = fmax(known, prove(least, &settled));
    least->sprayed = least->top <= known * (1 + least->gap);
    if (!least->sprayed) {
        least->power = FIRST_POWER;
        put_ends(least);
        rc = search(least, &known);
    }
    if (!rc && bound) *bound = known;
    return rc;
}

void cw_least_busy_ways(const struct cw_least_busy *least, size_t i, struct cw_ways *ways)
{
    const struct message *message = &least->messages[i];
    ways->n = 0;
    if (message->src == message->dst) return;
    cw_ways_add(ways, least->net->first[message->src], 1);
    const struct flow *flow = message->flow == CW_NONE ? NULL : &least->flows[message->flow];
    if (flow && least->sprayed) cw_shortest_add(least->ways, flow->from, flow->target, 1, ways);
    for (size_t p = 0; flow && !least->sprayed && p < flow->n; p++)
        for (uint32_t h = 0; h < flow->paths[p].hops && flow->paths[p].bytes > 0; h++)
            cw_ways_add(ways, flow->paths[p].channels[h], flow->paths[p].bytes / flow->bytes);
    cw_ways_add(ways, least->net->twin[least->net->first[message->dst]], 1);
    cw_ways_settle(ways);
}
