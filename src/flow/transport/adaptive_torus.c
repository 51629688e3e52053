#include "flow/transport/adaptive_torus.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "net/network_internal.h"

#define PACKETS     64  /* of the largest message */
#define LEAST_BYTES 512 /* of a packet */
#define MANY_HOPS   4e6 /* of all packets: some seconds */
#define ROOM        2   /* packets in a queue */
#define LOOK_UP     64  /* steps between two reports of progress */

enum { FREE, ORDERED, QUEUES }; /* any way, or the order of the dimensions */

struct packet {
    uint32_t message;
    uint64_t bytes;
};

struct queue {
    struct packet packets[ROOM];
    uint32_t first, n;
};

/* A path of the plan with bytes. */
struct message {
    uint32_t path, from, to; /* nodes */
    uint32_t next;           /* of the same source, or CW_NONE */
    uint32_t hops;
    uint64_t left;  /* bytes that have not been sent */
    double latency; /* of the cables of its route */
};

struct node {
    uint32_t message;       /* that it sends, or CW_NONE */
    uint32_t packets;       /* in the queues here */
    double sends, receives; /* packets that it may now */
};

/* What wants to go over a channel in this step: the last of those that the draw has favoured so far. */
struct bid {
    uint32_t n; /* bidders */
    uint32_t message;
    uint32_t from; /* index of a queue, or CW_NONE: the node itself */
    uint8_t queue; /* in which it would wait behind the channel */
};

struct adaptive {
    const struct cw_flow_problem *problem;
    const struct cw_plan *plan;
    const struct cw_transport *transport;
    const struct cw_torus *torus;
    uint32_t order[CW_TORUS_DIMENSIONS]; /* dimensions, the longest first, of equal ones the last */
    uint32_t n_nodes, degree;            /* channels of a switch, its endpoint's included */
    uint32_t *at;                        /* [n_nodes · dimensions] coordinates */
    uint8_t *port;                       /* [messages · dimensions] channels of a switch that packets take; 0: none */
    struct message *messages;
    uint32_t n_messages;
    struct node *nodes;
    struct queue *queues; /* [channels · QUEUES] at their heads */
    struct bid *bids;     /* [channels] */
    uint64_t packet_bytes, draws;
    double step;               /* s that a channel needs for a packet */
    double sending, receiving; /* packets that a node can in a step */
    uint64_t *arrived;         /* [demands] bytes */
    double *done;              /* [demands] s */
    double bytes, delivered, steps;
    struct cw_transport_result result;
};

bool cw_adaptive_torus_applies(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                               const struct cw_transport *transport)
{
    const struct cw_network *net = problem->net;
    if (!transport->messages.adaptive || !plan->network_routes) return false;
    if (net->shape.kind != &cw_shape_torus || !net->shape.torus.wrap) return false;
    const double capacity = problem->capacity[net->n_channels - 1];
    for (uint32_t c = net->first[net->n_endpoints]; c < net->n_channels; c++)
        if (!cw_network_is_endpoint(net, net->head[c]) &&
            (problem->capacity[c] < capacity || problem->capacity[c] > capacity))
            return false;
    return capacity > 0;
}

/* --- setting up --------------------------------------------------------------------------------------------------- */

static uint32_t first_channel(const struct adaptive *a, uint32_t node)
{
    return a->problem->net->first[a->n_nodes + node];
}

/* The dimension of the port with INDEX > 0 of a switch: number 2 + 2d leads on in dimension d, 3 + 2d back. */
static uint32_t dimension_of(const struct adaptive *a, uint32_t index)
{
    return (cw_network_port(a->problem->net, first_channel(a, 0) + index) - 2) / 2;
}

static void place_nodes(struct adaptive *a)
{
    const uint32_t n = a->torus->n;
    for (uint32_t d = 0; d < n; d++) {
        uint32_t i = d; /* Blue Gene's A, which comes first of equal ones, is the last */
        for (; i > 0 && a->torus->k[a->order[i - 1]] <= a->torus->k[d]; i--) a->order[i] = a->order[i - 1];
        a->order[i] = d;
    }
    for (uint32_t v = 0, rest = 0; v < a->n_nodes; v++) {
        rest = v;
        for (uint32_t d = 0; d < n; d++) {
            a->at[(size_t)v * n + d] = rest % a->torus->k[d];
            rest /= a->torus->k[d];
        }
        a->nodes[v].message = CW_NONE;
    }
}

/* Message INDEX, which takes path PATH of the plan. LAST has the last message of each node so far. */
static void place_message(struct adaptive *a, uint32_t index, uint32_t path, uint32_t *last)
{
    const struct cw_network *net = a->problem->net;
    const struct cw_plan_path *way = &a->plan->paths[path];
    const struct cw_demand *demand = &a->problem->demands->items[way->demand];
    struct message *message = &a->messages[index];
    *message =
        (struct message){.path = path, .from = demand->src, .to = demand->dst, .next = CW_NONE, .left = way->bytes};
    for (uint32_t i = 1; i + 1 < way->n; i++) {
        const uint32_t c = a->plan->channels[way->first + i];
        const uint32_t port = c - net->first[net->tail[c]];
        a->port[(size_t)index * a->torus->n + dimension_of(a, port)] = (uint8_t)port;
        message->latency += net->latency[c];
        message->hops++;
    }
    if (a->nodes[demand->src].message == CW_NONE)
        a->nodes[demand->src].message = index;
    else
        a->messages[last[demand->src]].next = index;
    last[demand->src] = index;
}

/* Chooses the size of packets, and gives the messages to their sources, which begin with the node behind their own, as
 * MPI does: all nodes' messages for the first one would come at the same time otherwise. */
static int place_messages(struct adaptive *a)
{
    uint64_t largest = 0;
    double hops = 0;
    uint32_t n = 0;
    uint32_t *last = cw_new_array(a->n_nodes, sizeof *last, "messages of nodes");
    if (!last) return CW_ENOMEM;
    for (int later = 0; later < 2; later++)
        for (size_t i = 0; i < a->plan->n_paths; i++) {
            const struct cw_plan_path *path = &a->plan->paths[i];
            const struct cw_demand *demand = &a->problem->demands->items[path->demand];
            if (path->bytes == 0 || (demand->dst < demand->src) != (later == 1)) continue;
            place_message(a, n++, (uint32_t)i, last);
            if (path->bytes > largest) largest = path->bytes;
            hops += (double)path->bytes * path->n;
            a->bytes += (double)path->bytes;
        }
    free(last);
    a->packet_bytes = largest / PACKETS > LEAST_BYTES ? largest / PACKETS + (largest % PACKETS > 0) : LEAST_BYTES;
    while (a->packet_bytes < largest && hops / (double)a->packet_bytes > MANY_HOPS) a->packet_bytes *= 2;
    return 0;
}

/* How long a packet takes, and how many a node can send and receive in that time. */
static void set_pace(struct adaptive *a)
{
    const struct cw_transport *transport = a->transport;
    const double *capacity = a->problem->capacity, rate = capacity[a->problem->net->n_channels - 1];
    const double most = (double)(a->degree - 1);
    const double in = fmin(most, capacity[first_channel(a, 0)] / rate); /* the channels of the first node's endpoint */
    const double out = fmin(most, capacity[0] / rate);
    const double channel = rate * transport->efficiency;
    a->step = (double)a->packet_bytes / channel;
    a->sending = transport->messages.rate > 0 ? fmin(out, transport->messages.rate / channel) : out;
    if (transport->injection > 0) a->sending = fmin(a->sending, transport->injection / channel);
    a->receiving = transport->reception > 0 ? fmin(in, transport->reception / channel) : in;
}

static int begin(struct adaptive *a)
{
    const struct cw_network *net = a->problem->net;
    static const char what[] = "messages of a torus";
    for (size_t i = 0; i < a->plan->n_paths; i++) a->n_messages += a->plan->paths[i].bytes > 0;
    if (a->n_messages == 0)
        return cw_fail(CW_EUSAGE, "transport: the plan's paths have no bytes; it must be rounded first");
    a->torus = &net->shape.torus;
    a->n_nodes = net->n_endpoints;
    a->degree = cw_network_degree(net, a->n_nodes);
    a->at = cw_new_array((size_t)a->n_nodes * a->torus->n, sizeof *a->at, what);
    a->port = cw_new_array((size_t)a->n_messages * a->torus->n, sizeof *a->port, what);
    a->messages = cw_new_array(a->n_messages, sizeof *a->messages, what);
    a->nodes = cw_new_array(a->n_nodes, sizeof *a->nodes, what);
    a->queues = cw_new_array((size_t)net->n_channels * QUEUES, sizeof *a->queues, what);
    a->bids = cw_new_array(net->n_channels, sizeof *a->bids, what);
    a->arrived = cw_new_array(a->problem->demands->n, sizeof *a->arrived, what);
    a->done = cw_new_array(a->problem->demands->n, sizeof *a->done, what);
    if (!a->at || !a->port || !a->messages || !a->nodes || !a->queues || !a->bids || !a->arrived || !a->done)
        return CW_ENOMEM;
    place_nodes(a);
    const int rc = place_messages(a);
    if (!rc) set_pace(a);
    return rc;
}

static void end(struct adaptive *a)
{
    free(a->at);
    free(a->port);
    free(a->messages);
    free(a->nodes);
    free(a->queues);
    free(a->bids);
    free(a->arrived);
    free(a->done);
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

/* The channel that a packet of MESSAGE at NODE takes in dimension D; CW_NONE if it has come far enough there. */
static uint32_t channel_in(const struct adaptive *a, uint32_t message, uint32_t node, uint32_t d)
{
    const uint32_t n = a->torus->n, to = a->messages[message].to;
    if (a->at[(size_t)node * n + d] == a->at[(size_t)to * n + d]) return CW_NONE;
    return first_channel(a, node) + a->port[(size_t)message * n + d];
}

static uint32_t room(const struct adaptive *a, uint32_t channel, int queue)
{
    return ROOM - a->queues[(size_t)channel * QUEUES + (size_t)queue].n;
}

/* True with probability 1 / N: a draw that depends on nothing but the draws before it. */
static bool draw(struct adaptive *a, uint32_t n)
{
    return n == 1 || cw_random_word(a->n_messages, a->draws++) % n == 0;
}

/* The channel that a packet of MESSAGE may take from NODE: of those of the longest dimensions that it has to go in the
 * one with most room behind it; CW_NONE if there is no room. TAKEN has a bit for each place in the order of dimensions
 * that is out of the question, and gets that of the channel. */
static uint32_t free_channel(struct adaptive *a, uint32_t message, uint32_t node, uint32_t *taken)
{
    uint32_t best = CW_NONE, most = 1, longest = 0, ties = 0, place = 0;
    for (uint32_t i = 0; i < a->torus->n && a->torus->k[a->order[i]] >= longest; i++) {
        const uint32_t c = channel_in(a, message, node, a->order[i]);
        if (c == CW_NONE) continue;
        longest = a->torus->k[a->order[i]];
        if (*taken >> i & 1 || room(a, c, FREE) < most) continue;
        ties = room(a, c, FREE) > most ? 1 : ties + 1;
        most = room(a, c, FREE);
        if (!draw(a, ties)) continue;
        best = c;
        place = i;
    }
    *taken |= UINT32_C(1) << place;
    return best;
}

/* The same in the order of the dimensions, for a packet that came in dimension CAME of that queue (CW_NONE: of another,
 * which must leave room for one more). */
static uint32_t ordered_channel(const struct adaptive *a, uint32_t message, uint32_t node, uint32_t came)
{
    for (uint32_t i = 0; i < a->torus->n; i++) {
        const uint32_t c = channel_in(a, message, node, a->order[i]);
        if (c != CW_NONE) return room(a, c, ORDERED) >= (came == a->order[i] ? 1 : 2) ? c : CW_NONE;
    }
    return CW_NONE;
}

static void bid(struct adaptive *a, uint32_t channel, uint32_t message, uint32_t from, int queue)
{
    if (channel == CW_NONE || !draw(a, ++a->bids[channel].n)) return;
    a->bids[channel].message = message;
    a->bids[channel].from = from;
    a->bids[channel].queue = (uint8_t)queue;
}

static struct packet take(struct queue *queue)
{
    const struct packet packet = queue->packets[queue->first];
    queue->first = (queue->first + 1) % ROOM;
    queue->n--;
    return packet;
}

static void put(struct queue *queue, struct packet packet)
{
    queue->packets[(queue->first + queue->n++) % ROOM] = packet;
}

/* --- a step ------------------------------------------------------------------------------------------------------- */

/* The queue number WHICH of those at NODE. */
static size_t queue_at(const struct adaptive *a, uint32_t node, uint32_t which)
{
    return (size_t)a->problem->net->twin[first_channel(a, node) + 1 + which / QUEUES] * QUEUES + which % QUEUES;
}

/* NODE takes in what has come for it. A packet here stands for many small ones, the first of which came long before the
 * last: on its way it lost no time but where it waited. */
static uint32_t receive(struct adaptive *a, uint32_t node)
{
    const uint32_t n = (a->degree - 1) * QUEUES;
    uint32_t received = 0;
    for (uint32_t i = 0; i < n && a->nodes[node].packets > 0 && a->nodes[node].receives >= 1; i++) {
        struct queue *queue = &a->queues[queue_at(a, node, (i + (uint32_t)a->draws) % n)];
        if (queue->n == 0 || a->messages[queue->packets[queue->first].message].to != node) continue;
        const struct packet packet = take(queue);
        const struct message *message = &a->messages[packet.message];
        const uint32_t demand = a->plan->paths[message->path].demand;
        const double steps = a->steps + 1 - (double)message->hops;
        a->arrived[demand] += packet.bytes;
        const double time =
            steps * a->step + message->latency + a->transport->nic_latency + a->transport->chunk_overhead;
        a->done[demand] = fmax(a->done[demand], time);
        if (a->transport->arrivals) cw_arrivals_add(a->transport->arrivals, time, (double)packet.bytes);
        a->delivered += (double)packet.bytes;
        a->nodes[node].packets--;
        a->nodes[node].receives--;
        received++;
    }
    return received;
}

/* The packets at NODE, and its own, bid for channels. */
static void bid_for_channels(struct adaptive *a, uint32_t node)
{
    const struct node *here = &a->nodes[node];
    for (uint32_t i = 0; i < (a->degree - 1) * QUEUES && here->packets > 0; i++) {
        const size_t at = queue_at(a, node, i);
        const struct queue *queue = &a->queues[at];
        if (queue->n == 0) continue;
        const uint32_t message = queue->packets[queue->first].message;
        if (a->messages[message].to == node) continue;
        const uint32_t came = i % QUEUES == ORDERED ? dimension_of(a, 1 + i / QUEUES) : CW_NONE;
        uint32_t taken = 0;
        const uint32_t any = free_channel(a, message, node, &taken);
        if (any != CW_NONE)
            bid(a, any, message, (uint32_t)at, FREE);
        else
            bid(a, ordered_channel(a, message, node, came), message, (uint32_t)at, ORDERED);
    }
    uint32_t taken = 0;
    for (double i = 1; here->message != CW_NONE && i <= here->sends; i++)
        bid(a, free_channel(a, here->message, node, &taken), here->message, CW_NONE, FREE);
}

/* The next packet of MESSAGE, NODE's own; false if that is not its turn any more. */
static bool send(struct adaptive *a, uint32_t node, uint32_t message, struct packet *packet)
{
    struct node *here = &a->nodes[node];
    uint64_t *left = &a->messages[message].left;
    if (here->message != message || here->sends < 1) return false;
    *packet = (struct packet){message, *left < a->packet_bytes ? *left : a->packet_bytes};
    *left -= packet->bytes;
    here->sends--;
    if (*left == 0) {
        here->message = a->messages[message].next;
        here->sends -= a->transport->chunk_overhead / a->step * a->sending;
    }
    return true;
}

/* Who won CHANNEL moves over it. */
static bool move(struct adaptive *a, uint32_t channel)
{
    const struct cw_network *net = a->problem->net;
    const uint32_t tail = net->tail[channel] - a->n_nodes, head = net->head[channel] - a->n_nodes;
    const struct bid *won = &a->bids[channel];
    struct packet packet;
    if (won->from == CW_NONE) {
        if (!send(a, tail, won->message, &packet)) return false;
    } else {
        packet = take(&a->queues[won->from]);
        a->nodes[tail].packets--;
    }
    put(&a->queues[(size_t)channel * QUEUES + won->queue], packet);
    a->nodes[head].packets++;
    return true;
}

/* What nodes may send and receive in N steps more. Returns the steps until one that cannot now can. */
static double give_credit(struct adaptive *a, double n)
{
    double wait = INFINITY;
    for (uint32_t v = 0; v < a->n_nodes; v++) {
        struct node *node = &a->nodes[v];
        node->sends = fmin(node->sends + n * a->sending, a->sending + 1);
        node->receives = fmin(node->receives + n * a->receiving, a->receiving + 1);
        if (node->message != CW_NONE && node->sends < 1) wait = fmin(wait, (1 - node->sends) / a->sending);
        if (node->packets > 0 && node->receives < 1) wait = fmin(wait, (1 - node->receives) / a->receiving);
    }
    return wait;
}

/* Packets that moved or arrived. */
static uint32_t make_step(struct adaptive *a)
{
    const struct cw_network *net = a->problem->net;
    uint32_t moved = 0;
    for (uint32_t c = net->first[a->n_nodes]; c < net->n_channels; c++) a->bids[c].n = 0;
    for (uint32_t v = 0; v < a->n_nodes; v++)
        if (a->nodes[v].packets > 0 || a->nodes[v].message != CW_NONE) bid_for_channels(a, v);
    for (uint32_t v = 0; v < a->n_nodes; v++)
        if (a->nodes[v].packets > 0) moved += receive(a, v);
    for (uint32_t c = net->first[a->n_nodes]; c < net->n_channels; c++)
        if (a->bids[c].n > 0) moved += move(a, c);
    return moved;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static int settle(struct adaptive *a)
{
    const struct cw_demands *demands = a->problem->demands;
    struct cw_transport_result *result = &a->result;
    result->adaptive = true;
    result->first_done = INFINITY;
    result->chunks = a->n_messages;
    for (size_t d = 0; d < demands->n; d++) {
        if (a->arrived[d] != demands->items[d].bytes)
            return cw_fail(CW_EINTERNAL, "transport: %" PRIu64 " of the %" PRIu64 " bytes of demand %zu arrived",
                           a->arrived[d], demands->items[d].bytes, d);
        result->first_done = fmin(result->first_done, a->done[d]);
        result->last_done = fmax(result->last_done, a->done[d]);
    }
    result->seconds = result->last_done;
    result->bytes_per_second = a->bytes / result->seconds;
    return 0;
}

static int move_all(struct adaptive *a)
{
    int rc = 0;
    double wait = give_credit(a, 1), n = 1;
    for (uint64_t i = 0; !rc && a->delivered < a->bytes; i++) {
        const uint32_t moved = make_step(a);
        if (moved == 0 && isinf(wait))
            return cw_fail(CW_EINTERNAL, "transport: nothing moves after %g of %g bytes", a->delivered, a->bytes);
        n = moved > 0 ? 1 : fmax(1, ceil(wait));
        wait = give_credit(a, n);
        a->steps += n;
        rc = cw_interrupt_check();
        if (i % LOOK_UP == 0) cw_progress_reach(&a->transport->progress, a->delivered / a->bytes);
    }
    return rc ? rc : settle(a);
}

int cw_adaptive_torus_run(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                          const struct cw_transport *transport, struct cw_transport_result *out)
{
    struct adaptive a = {.problem = problem, .plan = plan, .transport = transport};
    int rc = begin(&a);
    if (!rc) rc = move_all(&a);
    if (!rc) *out = a.result;
    end(&a);
    return rc;
}
