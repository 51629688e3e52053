#include "sim/flows/flow_past.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/setup.h"
#include "net/network_internal.h"
#include "sim/flows/max_min.h"
#include "sim/load.h"
#include "sim/round.h"

#define NONE      UINT32_MAX
#define SAME_TIME 1e-12 /* times that differ by less, relatively, are the same */
#define PATHS     128   /* messages that are routed together */

static const char what[] = "a simulation of flows";

enum event_kind { EVENT_JOB, EVENT_ARRIVAL, EVENT_PROCESSOR, EVENT_GRANT, EVENT_CABLE };

struct event {
    double time;
    uint64_t order; /* of events at the same time: kind · 2^32 + the number of the job, action, rank or cable */
};

/* An action. */
struct state {
    uint32_t rank;  /* among those of all jobs */
    uint32_t waits; /* for so many others */
    uint32_t next;  /* the one after it in the queue of its rank's processor; NONE: none */
    bool posted;    /* a receive: its rank has come to it; a send: its receiver has heard of it */
    bool arrived;   /* a receive: the message is there */
};

struct rank {
    uint32_t job, endpoint;
    uint32_t first_cable;
    uint64_t bytes;      /* that it sends in all, where messages are mixed */
    uint32_t head, tail; /* actions that its processor does, or is to do; head NONE: none */
};

/* A cable that messages of a rank leave by. */
struct cable {
    uint32_t *ready; /* [n] sends, the first in the program first: a heap */
    size_t n, room;
    double free_at; /* no message begins before that */
    uint32_t last;  /* the send that it carried last; NONE: none */
    bool busy, listed;
};

/* A message on its way; its number is that of its flow. */
struct flight {
    uint32_t send;  /* action; NONE: background */
    uint32_t cable; /* NONE: it has none of its own */
    uint32_t place; /* in the heap */
    double left;    /* bytes, at time `since` */
    double since, end;
    double latency;
};

struct simulation {
    const struct cw_flow_setup *setup;
    const struct cw_network *net;
    struct cw_max_min *sharing;
    struct cw_round round;               /* its ways, where packets are spread */
    uint32_t *first_action, *first_rank; /* [jobs + 1] */
    uint32_t *left;                      /* [jobs] actions that are not done */
    double *job_ends;
    struct state *states;
    struct rank *ranks;
    struct cable *cables;
    uint32_t n_cables;
    uint32_t first_limit; /* the links after all channels and hosts: a limit for each rank of all jobs */
    double *heard;        /* [actions] of sends that are announced: when their receiver knows; none where none is */
    struct event *events;
    size_t n_events, events_room;
    struct flight *flights; /* by number of flow */
    size_t flights_room;
    uint32_t *flying; /* [n_flying] a heap of flights, the one that ends first first */
    size_t n_flying, flying_room;
    uint32_t *ready; /* [n_ready] actions that wait for nothing any more, not seen to yet */
    size_t n_ready, ready_room;
    uint32_t *listed; /* [n_listed] cables on which a message may begin; room for all */
    size_t n_listed;
    uint32_t *starting; /* [n_starting] sends whose flows begin; at most one a cable, unless at once */
    size_t n_starting, starting_room;
    uint32_t *channels; /* of PATHS routes */
    uint32_t *links;    /* of one flow, */
    double *shares;     /* and what it puts on each: room for all channels two hosts and a limit */
    double now;
    struct cw_flow_past *past; /* [actions]; NULL: nothing is noted, */
    double *waited;            /* [channels] or only what there is */
    struct cw_flow_result result;
};

#define NOTE(sim, action, field, value)                                                                                \
    do                                                                                                                 \
        if ((sim)->past) (sim)->past[action].field = (value);                                                          \
    while (0)

static int grow(uint32_t **items, size_t *room, size_t needed)
{
    return cw_grow_array((void **)items, room, needed, sizeof **items, what);
}

/* --- what comes first ----------------------------------------------------------------------------------------------
 */

static bool event_before(const void *context, const struct event *a, const struct event *b)
{
    (void)context;
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}
CW_HEAP(event, struct event, 4, const void *, event_before, CW_HEAP_PUT)

static bool flight_before(struct flight *flights, const uint32_t *a, const uint32_t *b)
{
    const struct flight *x = &flights[*a], *y = &flights[*b];
    return x->end < y->end || (x->end == y->end && x->send < y->send);
}
#define PUT_FLIGHT(flights, items, at, item) ((items)[at] = (item), (flights)[item].place = (uint32_t)(at))
CW_HEAP(flying, uint32_t, 4, struct flight *, flight_before, PUT_FLIGHT)

static bool send_before(const void *context, const uint32_t *a, const uint32_t *b)
{
    (void)context;
    return *a < *b;
}
CW_HEAP(sends, uint32_t, 2, const void *, send_before, CW_HEAP_PUT)

static int add_event(struct simulation *sim, double time, enum event_kind kind, uint32_t number)
{
    int rc = cw_grow_array((void **)&sim->events, &sim->events_room, sim->n_events + 1, sizeof *sim->events, what);
    if (!rc) event_push(NULL, sim->events, &sim->n_events, (struct event){time, (uint64_t)kind << 32 | number});
    return rc;
}

/* --- who is who ----------------------------------------------------------------------------------------------------
 */

static uint32_t job_of(const struct simulation *sim, uint32_t action)
{
    return sim->ranks[sim->states[action].rank].job;
}

static const struct cw_action *look(const struct simulation *sim, uint32_t action)
{
    const uint32_t job = job_of(sim, action);
    return &sim->setup->jobs[job].program->actions[action - sim->first_action[job]];
}

/* The other action of its message. */
static uint32_t partner_of(const struct simulation *sim, uint32_t action)
{
    return sim->first_action[job_of(sim, action)] + look(sim, action)->partner;
}

static void ends_of(const struct simulation *sim, uint32_t send, uint32_t *src, uint32_t *dst)
{
    *src = sim->ranks[sim->states[send].rank].endpoint;
    *dst = sim->ranks[sim->states[partner_of(sim, send)].rank].endpoint;
}

/* --- routes --------------------------------------------------------------------------------------------------------
 */

/* The channels of a message and the share of it that each carries (NULL: all of it). */
struct way {
    size_t n;
    const uint32_t *channels;
    const double *shares;
};

static int find_spread(struct simulation *sim, uint32_t src, uint32_t dst, struct way *out)
{
    const int rc = cw_routes_ways(sim->setup->routes, src, dst, &sim->round.ways);
    *out = (struct way){sim->round.ways.n, sim->round.ways.channels, sim->round.ways.shares};
    return rc;
}

static int find_way(struct simulation *sim, uint32_t src, uint32_t dst, struct way *out)
{
    uint32_t hops;
    if (cw_round_has_ways(&sim->round)) return find_spread(sim, src, dst, out);
    const int rc = cw_routes_packed_paths(sim->setup->routes, 1, &src, &dst, &hops, sim->channels);
    *out = (struct way){hops, sim->channels, NULL};
    return rc;
}

static struct way given_way(const struct simulation *sim, uint32_t send)
{
    const struct cw_flow_ways *ways = sim->setup->ways;
    const size_t first = ways->first[send];
    return (struct way){ways->first[send + 1] - first, ways->channels + first, ways->shares + first};
}

static int find_way_of(struct simulation *sim, uint32_t send, struct way *out)
{
    uint32_t src, dst;
    if (sim->setup->ways) {
        *out = given_way(sim, send);
        return 0;
    }
    ends_of(sim, send, &src, &dst);
    return find_way(sim, src, dst, out);
}

/* The cable that a message of RANK on WAY leaves by. */
static uint32_t cable_of(const struct simulation *sim, const struct rank *rank, const struct way *way)
{
    const bool several = cw_network_degree(sim->net, rank->endpoint) > 1 && way->n > 0;
    return rank->first_cable + (several ? way->channels[0] - sim->net->first[rank->endpoint] : 0);
}

static double latency_of(const struct simulation *sim, const struct way *way)
{
    double sum = 0;
    for (size_t i = 0; i < way->n; i++) sum += sim->net->latency[way->channels[i]] * (way->shares ? way->shares[i] : 1);
    return sim->setup->latency + sum;
}

/* --- actions are done ------------------------------------------------------------------------------------------- */

static int make_ready(struct simulation *sim, uint32_t action)
{
    const int rc = grow(&sim->ready, &sim->ready_room, sim->n_ready + 1);
    if (!rc) sim->ready[sim->n_ready++] = action;
    return rc;
}

static int complete(struct simulation *sim, uint32_t action)
{
    const uint32_t number = job_of(sim, action), first = sim->first_action[number];
    const struct cw_flow_job *job = &sim->setup->jobs[number];
    const struct cw_program *program = job->program;
    const uint32_t at = action - first;
    int rc = 0;
    NOTE(sim, action, done, sim->now);
    if (job->ends) job->ends[at] = sim->now;
    sim->job_ends[number] = sim->now;
    sim->left[number]--;
    for (size_t i = program->first_next[at]; !rc && i < program->first_next[at + 1]; i++) {
        const uint32_t next = first + program->next[i];
        if (--sim->states[next].waits > 0) continue;
        NOTE(sim, next, cause, action);
        rc = make_ready(sim, next);
    }
    return rc;
}

static void list_cable(struct simulation *sim, uint32_t number)
{
    struct cable *cable = &sim->cables[number];
    if (!cable->listed) sim->listed[sim->n_listed++] = number;
    cable->listed = true;
}

/* The send may begin as soon as its cable is free. */
static int line_up(struct simulation *sim, uint32_t send)
{
    const struct rank *rank = &sim->ranks[sim->states[send].rank];
    struct way way = {0};
    NOTE(sim, send, asked, sim->now);
    if (sim->setup->jobs[rank->job].sends != CW_FLOW_IN_ORDER) {
        const int rc = grow(&sim->starting, &sim->starting_room, sim->n_starting + 1);
        if (!rc) sim->starting[sim->n_starting++] = send;
        return rc;
    }
    /* with one cable the way makes no difference */
    int rc = cw_network_degree(sim->net, rank->endpoint) > 1 ? find_way_of(sim, send, &way) : 0;
    if (rc) return rc;
    const uint32_t number = cable_of(sim, rank, &way);
    struct cable *cable = &sim->cables[number];
    rc = grow(&cable->ready, &cable->room, cable->n + 1);
    if (rc) return rc;
    sends_push(NULL, cable->ready, &cable->n, send);
    list_cable(sim, number);
    return 0;
}

/* When the receiver has heard of SEND and has come to its receive, the sender learns of it a latency later. */
static int grant(struct simulation *sim, uint32_t send)
{
    struct way way;
    const int rc = find_way_of(sim, send, &way);
    NOTE(sim, send, receiver_late, sim->now > sim->heard[send]);
    return rc ? rc : add_event(sim, fmax(sim->now, sim->heard[send]) + latency_of(sim, &way), EVENT_GRANT, send);
}

/* The receiver is asked whether SEND may begin. */
static int announce(struct simulation *sim, uint32_t send)
{
    struct way way;
    const int rc = find_way_of(sim, send, &way);
    if (rc) return rc;
    sim->heard[send] = sim->now + latency_of(sim, &way);
    sim->states[send].posted = true;
    return sim->states[partner_of(sim, send)].posted ? grant(sim, send) : 0;
}

static bool waits_for_receiver(const struct simulation *sim, const struct cw_action *send)
{
    return sim->setup->rendezvous > 0 && send->bytes > sim->setup->rendezvous;
}

/* The processor is done with it. */
static int leave_processor(struct simulation *sim, uint32_t action)
{
    const struct cw_action *at = look(sim, action);
    NOTE(sim, action, left, sim->now);
    if (at->kind == CW_ACTION_COMPUTE) return complete(sim, action);
    if (waits_for_receiver(sim, at)) return announce(sim, action);
    const int rc = line_up(sim, action);
    return rc ? rc : complete(sim, action);
}

static int use_processor(struct simulation *sim, uint32_t number)
{
    const struct cw_action *at = look(sim, sim->ranks[number].head);
    const double busy = at->kind == CW_ACTION_COMPUTE ? at->seconds : sim->setup->overhead;
    return add_event(sim, sim->now + busy, EVENT_PROCESSOR, number);
}

static int wait_for_processor(struct simulation *sim, uint32_t action)
{
    struct rank *rank = &sim->ranks[sim->states[action].rank];
    sim->states[action].next = NONE;
    if (rank->head != NONE) {
        sim->states[rank->tail].next = action;
        rank->tail = action;
        return 0;
    }
    rank->head = rank->tail = action;
    return use_processor(sim, sim->states[action].rank);
}

/* What ACTION waited for is done. */
static int begin(struct simulation *sim, uint32_t action)
{
    const struct cw_action *at = look(sim, action);
    struct state *state = &sim->states[action];
    NOTE(sim, action, ready, sim->now);
    NOTE(sim, action, served, sim->now); /* unless its processor is busy */
    if (at->kind == CW_ACTION_RECEIVE) {
        state->posted = true;
        if (state->arrived) return complete(sim, action);
        const uint32_t send = partner_of(sim, action);
        return sim->states[send].posted ? grant(sim, send) : 0;
    }
    if (at->kind == CW_ACTION_COMPUTE && at->seconds == 0) return complete(sim, action);
    if (at->kind == CW_ACTION_SEND && sim->setup->overhead == 0 && sim->ranks[state->rank].head == NONE)
        return leave_processor(sim, action);
    return wait_for_processor(sim, action);
}

static int arrive(struct simulation *sim, uint32_t send)
{
    const uint32_t receive = partner_of(sim, send);
    sim->states[receive].arrived = true;
    return sim->states[receive].posted ? complete(sim, receive) : 0;
}

/* --- messages on their way ---------------------------------------------------------------------------------------- */

/* All bytes of a message have left: its cable is free. */
static int release(struct simulation *sim, uint32_t send, uint32_t cable, double latency)
{
    int rc = add_event(sim, sim->now + latency, EVENT_ARRIVAL, send);
    NOTE(sim, send, through, sim->now);
    if (!rc && waits_for_receiver(sim, look(sim, send))) rc = complete(sim, send);
    if (rc || cable == NONE) return rc;
    sim->cables[cable].busy = false;
    sim->cables[cable].last = send;
    list_cable(sim, cable);
    return 0;
}

/* A flow of RANK over WAY; *NUMBER and its flight are new. */
static int add_flow(struct simulation *sim, uint32_t rank, uint32_t src, uint32_t dst, double weight,
                    const struct way *way, uint32_t *number)
{
    uint32_t *links = sim->links;
    double *shares = sim->shares;
    size_t n = way->n;
    memcpy(links, way->channels, n * sizeof *links);
    for (size_t i = 0; i < n; i++) shares[i] = way->shares ? way->shares[i] : 1;
    if (sim->setup->host_rate > 0) {
        links[n++] = sim->net->n_channels + 2 * src;
        links[n++] = sim->net->n_channels + 2 * dst + 1;
    }
    if (sim->setup->jobs[sim->ranks[rank].job].load > 0) links[n++] = sim->first_limit + rank;
    for (size_t i = way->n; i < n; i++) shares[i] = 1;
    int rc = cw_max_min_add(sim->sharing, weight, n, links, shares, number);
    if (!rc)
        rc = cw_grow_array((void **)&sim->flights, &sim->flights_room, (size_t)*number + 1, sizeof *sim->flights, what);
    return rc;
}

/* How fast SEND is if there is no other message, and where it is not faster. */
static void note_alone(struct simulation *sim, uint32_t send, uint32_t dst, const struct way *way)
{
    const struct cw_flow_setup *setup = sim->setup;
    const double *capacity = setup->capacity ? setup->capacity : sim->net->capacity, host = setup->host_rate;
    const uint32_t rank = sim->states[send].rank, out = sim->net->first[sim->ranks[rank].endpoint];
    const double load = setup->jobs[sim->ranks[rank].job].load * capacity[out];
    struct cw_flow_past *past = &sim->past[send];
    past->alone = INFINITY;
    for (size_t i = 0; i < way->n; i++) {
        const double rate = capacity[way->channels[i]] / (way->shares ? way->shares[i] : 1);
        if (rate < past->alone) past->narrow = way->channels[i];
        past->alone = fmin(past->alone, rate);
    }
    if (host > 0 && host < past->alone) past->narrow = sim->net->twin[sim->net->first[dst]], past->alone = host;
    if (load > 0 && load < past->alone) past->narrow = out, past->alone = load;
}

/* The channel that LINK is, or the first cable of the host or the rank whose limit it is. */
static uint32_t channel_of(const struct simulation *sim, uint32_t link)
{
    const struct cw_network *net = sim->net;
    if (link < net->n_channels) return link;
    if (link >= sim->first_limit) return net->first[sim->ranks[link - sim->first_limit].endpoint];
    const uint32_t cable = net->first[(link - net->n_channels) / 2];
    return (link - net->n_channels) % 2 ? net->twin[cable] : cable;
}

/* The rate of flight NUMBER changes, or it ends. */
static void note_waits(struct simulation *sim, uint32_t number)
{
    const struct flight *flight = &sim->flights[number];
    struct cw_flow_past *past = &sim->past[flight->send];
    if (!past->watched || !sim->waited) return;
    if (sim->now > flight->since && past->rate < past->alone)
        sim->waited[past->bottleneck] += (sim->now - flight->since) * (1 - past->rate / past->alone);
    past->rate = cw_max_min_rate(sim->sharing, number);
    past->bottleneck = channel_of(sim, cw_max_min_bottleneck(sim->sharing, number));
}

static int start_flight(struct simulation *sim, uint32_t send, uint32_t src, uint32_t dst, const struct way *way)
{
    const double bytes = (double)look(sim, send)->bytes;
    const uint32_t rank = sim->states[send].rank;
    const enum cw_flow_sends sends = sim->setup->jobs[sim->ranks[rank].job].sends;
    const uint32_t cable = sends == CW_FLOW_IN_ORDER ? cable_of(sim, &sim->ranks[rank], way) : NONE;
    uint32_t number;
    sim->result.messages++;
    NOTE(sim, send, started, sim->now);
    for (size_t i = 0; sim->setup->channel_bytes && i < way->n; i++)
        sim->setup->channel_bytes[way->channels[i]] += bytes * (way->shares ? way->shares[i] : 1);
    if (way->n == 0 || bytes == 0) return release(sim, send, cable, latency_of(sim, way));
    const double weight = sends == CW_FLOW_MIXED ? bytes / (double)sim->ranks[rank].bytes : 1;
    int rc = add_flow(sim, rank, src, dst, weight, way, &number);
    if (sim->past) note_alone(sim, send, dst, way);
    if (!rc) rc = grow(&sim->flying, &sim->flying_room, sim->n_flying + 1);
    if (rc) return rc;
    sim->flights[number] = (struct flight){.send = send,
                                           .cable = cable,
                                           .left = bytes,
                                           .since = sim->now,
                                           .end = INFINITY,
                                           .latency = latency_of(sim, way)};
    flying_push(sim->flights, sim->flying, &sim->n_flying, number);
    return 0;
}

/* Routes the N ≤ PATHS sends at SENDS and starts them. */
static int start_block(struct simulation *sim, size_t n, const uint32_t *sends)
{
    uint32_t src[PATHS], dst[PATHS], hops[PATHS];
    const bool given = sim->setup->ways, spread = !given && cw_round_has_ways(&sim->round);
    for (size_t i = 0; i < n; i++) ends_of(sim, sends[i], &src[i], &dst[i]);
    int rc = given || spread ? 0 : cw_routes_packed_paths(sim->setup->routes, n, src, dst, hops, sim->channels);
    const uint32_t *next = sim->channels;
    for (size_t i = 0; !rc && i < n; i++) {
        struct way way = {given || spread ? 0 : hops[i], next, NULL};
        next += way.n;
        if (given) way = given_way(sim, sends[i]);
        if (spread) rc = find_spread(sim, src[i], dst[i], &way);
        if (!rc) rc = start_flight(sim, sends[i], src[i], dst[i], &way);
    }
    return rc;
}

/* The first message that is ready takes the cable, if it is free. */
static int take_cable(struct simulation *sim, uint32_t number)
{
    struct cable *cable = &sim->cables[number];
    cable->listed = false;
    if (cable->busy || cable->n == 0) return 0;
    if (cable->free_at > sim->now * (1 + SAME_TIME)) return add_event(sim, cable->free_at, EVENT_CABLE, number);
    const int rc = grow(&sim->starting, &sim->starting_room, sim->n_starting + 1);
    if (rc) return rc;
    cable->busy = true;
    cable->free_at = sim->now + sim->setup->gap;
    sim->starting[sim->n_starting] = sends_pop(NULL, cable->ready, &cable->n);
    NOTE(sim, sim->starting[sim->n_starting], ahead, cable->last);
    sim->n_starting++;
    return 0;
}

/* Cables that are free get messages, and these begin: first all that are of this moment, so that none comes before one
 * that is ready at the same time and earlier in the program. */
static int start_messages(struct simulation *sim)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < sim->n_listed; i++) rc = take_cable(sim, sim->listed[i]);
    sim->n_listed = 0;
    const size_t n = sim->n_starting; /* none is added meanwhile */
    for (size_t i = 0; !rc && i < n; i += PATHS)
        rc = start_block(sim, n - i < PATHS ? n - i : PATHS, sim->starting + i);
    sim->n_starting = 0;
    return rc;
}

/* Flows that got another rate end at another time. */
static void settle(struct simulation *sim)
{
    const uint32_t *changed;
    size_t n;
    cw_max_min_settle(sim->sharing, &changed, &n);
    sim->result.settled += n > 0;
    for (size_t i = 0; i < n; i++) {
        struct flight *flight = &sim->flights[changed[i]];
        if (flight->send == NONE) continue;
        if (sim->past) note_waits(sim, changed[i]);
        const double before = flight->end, rate = cw_max_min_rate(sim->sharing, changed[i]);
        if (before < INFINITY) flight->left *= (before - sim->now) / (before - flight->since);
        flight->since = sim->now;
        flight->end = rate > 0 ? sim->now + flight->left / rate : INFINITY;
        if (flight->end < before)
            flying_rise(sim->flights, sim->flying, flight->place, changed[i]);
        else
            flying_sink(sim->flights, sim->flying, sim->n_flying, flight->place, changed[i]);
    }
}

static int end_flight(struct simulation *sim)
{
    const uint32_t number = flying_pop(sim->flights, sim->flying, &sim->n_flying);
    const struct flight flight = sim->flights[number];
    if (sim->past) note_waits(sim, number);
    cw_max_min_remove(sim->sharing, number);
    return release(sim, flight.send, flight.cable, flight.latency);
}

/* --- time passes ---------------------------------------------------------------------------------------------------
 */

/* Flows without end, which have no action and no place among what flies. */
static int begin_endless(struct simulation *sim, uint32_t job)
{
    const struct cw_flows *flows = sim->setup->jobs[job].endless;
    const struct rank *ranks = sim->ranks + sim->first_rank[job];
    int rc = 0;
    for (size_t i = 0; !rc && i < flows->n; i++) {
        const struct cw_flow *flow = &flows->items[i];
        const uint32_t src = ranks[flow->src].endpoint, dst = ranks[flow->dst].endpoint;
        struct way way;
        uint32_t number;
        rc = find_way(sim, src, dst, &way);
        if (rc || way.n == 0 || flow->bytes == 0) continue;
        const double weight = (double)flow->bytes / (double)ranks[flow->src].bytes;
        rc = add_flow(sim, sim->first_rank[job] + flow->src, src, dst, weight, &way, &number);
        if (!rc) sim->flights[number] = (struct flight){.send = NONE};
    }
    return rc;
}

static int begin_job(struct simulation *sim, uint32_t job)
{
    int rc = 0;
    if (sim->setup->jobs[job].endless) return begin_endless(sim, job);
    for (uint32_t i = sim->first_action[job]; !rc && i < sim->first_action[job + 1]; i++)
        if (sim->states[i].waits == 0) rc = make_ready(sim, i);
    return rc;
}

static int processor_done(struct simulation *sim, uint32_t number)
{
    struct rank *rank = &sim->ranks[number];
    const uint32_t done = rank->head;
    rank->head = sim->states[done].next;
    if (rank->head != NONE) {
        NOTE(sim, rank->head, served, sim->now);
        NOTE(sim, rank->head, server, done);
    }
    const int rc = rank->head != NONE ? use_processor(sim, number) : 0;
    return rc ? rc : leave_processor(sim, done);
}

static int happen(struct simulation *sim, const struct event *event)
{
    const uint32_t number = (uint32_t)event->order;
    switch ((enum event_kind)(event->order >> 32)) {
    case EVENT_JOB:
        return begin_job(sim, number);
    case EVENT_ARRIVAL:
        return arrive(sim, number);
    case EVENT_PROCESSOR:
        return processor_done(sim, number);
    case EVENT_GRANT:
        return line_up(sim, number);
    case EVENT_CABLE:
        list_cable(sim, number);
    }
    return 0;
}

static double next_time(const struct simulation *sim)
{
    const double event = sim->n_events > 0 ? sim->events[0].time : INFINITY;
    return sim->n_flying > 0 ? fmin(event, sim->flights[sim->flying[0]].end) : event;
}

/* Lets all happen that happens now. */
static int pass_moment(struct simulation *sim)
{
    const double until = sim->now * (1 + SAME_TIME);
    int rc = 0;
    while (!rc && (next_time(sim) <= until || sim->n_ready > 0)) { /* what begins may be done at once */
        while (!rc && sim->n_flying > 0 && sim->flights[sim->flying[0]].end <= until) rc = end_flight(sim);
        while (!rc && sim->n_events > 0 && sim->events[0].time <= until) {
            const struct event event = event_pop(NULL, sim->events, &sim->n_events);
            rc = happen(sim, &event);
            for (size_t i = 0; !rc && i < sim->n_ready; i++) rc = begin(sim, sim->ready[i]);
            sim->n_ready = 0;
        }
        for (size_t i = 0; !rc && i < sim->n_ready; i++) rc = begin(sim, sim->ready[i]);
        sim->n_ready = 0;
        if (!rc && next_time(sim) > until) rc = start_messages(sim);
    }
    if (!rc) settle(sim);
    return rc;
}

/* CW_EUSAGE if something is not done although nothing happens any more. */
static int check_done(const struct simulation *sim)
{
    for (size_t j = 0; j < sim->setup->n_jobs; j++) {
        if (sim->left[j] == 0) continue;
        for (uint32_t i = sim->first_action[j]; i < sim->first_action[j + 1]; i++) {
            if (sim->states[i].waits == 0) continue;
            return cw_fail(CW_EUSAGE, "rank %u of job %zu waits for ever: actions wait for each other in a circle",
                           look(sim, i)->rank, j + 1);
        }
        return cw_fail(CW_EUSAGE, "a message of job %zu never arrives: a channel of its route has no capacity", j + 1);
    }
    return 0;
}

static int run(struct simulation *sim)
{
    int rc = 0;
    for (uint32_t j = 0; !rc && j < sim->setup->n_jobs; j++)
        rc = add_event(sim, sim->setup->jobs[j].start, EVENT_JOB, j);
    for (double time; !rc && (time = next_time(sim)) < INFINITY;) {
        sim->now = time;
        rc = pass_moment(sim);
        if (!rc) rc = cw_interrupt_check();
    }
    return rc ? rc : check_done(sim);
}

/* --- beginning and end ---------------------------------------------------------------------------------------------
 */

static void free_simulation(struct simulation *sim)
{
    for (uint32_t i = 0; sim->cables && i < sim->n_cables; i++) free(sim->cables[i].ready);
    cw_max_min_free(sim->sharing);
    cw_round_free(&sim->round);
    free(sim->first_action);
    free(sim->first_rank);
    free(sim->left);
    free(sim->states);
    free(sim->ranks);
    free(sim->cables);
    free(sim->heard);
    free(sim->events);
    free(sim->flights);
    free(sim->flying);
    free(sim->ready);
    free(sim->listed);
    free(sim->starting);
    free(sim->channels);
    free(sim->links);
    free(sim->shares);
}

/* What is shared: all channels; with a rate of hosts what each endpoint sends and receives; and what each rank sends,
 * if some job has a load. */
static int make_links(struct simulation *sim)
{
    const struct cw_network *net = sim->net;
    const struct cw_flow_setup *setup = sim->setup;
    const uint32_t hosts = setup->host_rate > 0 ? 2 * net->n_endpoints : 0, n_ranks = sim->first_rank[setup->n_jobs];
    double *capacity = cw_new_array((size_t)net->n_channels + hosts + n_ranks, sizeof *capacity, what);
    if (!capacity) return CW_ENOMEM;
    sim->first_limit = net->n_channels + hosts;
    memcpy(capacity, setup->capacity ? setup->capacity : net->capacity, net->n_channels * sizeof *capacity);
    for (uint32_t i = 0; i < hosts; i++) capacity[net->n_channels + i] = setup->host_rate;
    for (uint32_t r = 0; r < n_ranks; r++) {
        const uint32_t endpoint = sim->ranks[r].endpoint;
        if (cw_network_degree(net, endpoint) > 0)
            capacity[sim->first_limit + r] = setup->jobs[sim->ranks[r].job].load * capacity[net->first[endpoint]];
    }
    const int rc = cw_max_min_new(sim->first_limit + n_ranks, capacity, &sim->sharing);
    free(capacity);
    return rc;
}

/* The ranks of a job: those of its program, or those that its endless flows name. */
static uint32_t ranks_of(const struct cw_flow_job *job)
{
    uint32_t n = 0;
    if (job->program) return job->program->n_ranks;
    for (size_t i = 0; i < job->endless->n; i++) {
        const struct cw_flow *flow = &job->endless->items[i];
        if (flow->src >= n) n = flow->src + 1;
        if (flow->dst >= n) n = flow->dst + 1;
    }
    return n;
}

static int check_job(const struct simulation *sim, size_t j)
{
    const struct cw_flow_job *job = &sim->setup->jobs[j];
    for (uint32_t r = 0; r < ranks_of(job); r++)
        if (job->endpoints[r] >= sim->net->n_endpoints)
            return cw_fail(CW_EUSAGE, "rank %u of job %zu is on endpoint %u; expected less than %u", r, j + 1,
                           job->endpoints[r], sim->net->n_endpoints);
    if (!(job->start >= 0 && job->start < INFINITY))
        return cw_fail(CW_EUSAGE, "job %zu begins at %g s; expected 0 or later", j + 1, job->start);
    if (!(job->load >= 0 && job->load <= 1))
        return cw_fail(CW_EUSAGE, "job %zu has a load of %g; expected 0 to 1", j + 1, job->load);
    return 0;
}

static int count(struct simulation *sim)
{
    uint64_t actions = 0, ranks = 0;
    for (size_t j = 0; j < sim->setup->n_jobs; j++) {
        const struct cw_flow_job *job = &sim->setup->jobs[j];
        const int rc = check_job(sim, j);
        if (rc) return rc;
        actions += job->program ? job->program->n_actions : 0;
        ranks += ranks_of(job);
        if (actions >= UINT32_MAX || ranks >= UINT32_MAX)
            return cw_fail(CW_ELIMIT, "jobs of more than %u actions or ranks", UINT32_MAX - 1);
        sim->first_action[j + 1] = (uint32_t)actions;
        sim->first_rank[j + 1] = (uint32_t)ranks;
    }
    return 0;
}

static void fill_program(struct simulation *sim, uint32_t j)
{
    const struct cw_program *program = sim->setup->jobs[j].program;
    for (uint32_t i = 0; i < program->n_actions; i++) {
        const struct cw_action *at = &program->actions[i];
        const uint32_t rank = sim->first_rank[j] + at->rank;
        sim->states[sim->first_action[j] + i] = (struct state){.rank = rank, .waits = at->waits};
        if (at->kind == CW_ACTION_SEND) sim->ranks[rank].bytes += at->bytes;
    }
    sim->left[j] = program->n_actions;
}

static void fill_job(struct simulation *sim, uint32_t j)
{
    const struct cw_flow_job *job = &sim->setup->jobs[j];
    const uint32_t first = sim->first_rank[j];
    for (uint32_t r = first; r < sim->first_rank[j + 1]; r++) {
        const uint32_t endpoint = job->endpoints[r - first], degree = cw_network_degree(sim->net, endpoint);
        sim->ranks[r] =
            (struct rank){.job = j, .endpoint = endpoint, .first_cable = sim->n_cables, .head = NONE, .tail = NONE};
        sim->n_cables += degree > 1 ? degree : 1;
    }
    sim->job_ends[j] = job->program ? job->start : INFINITY;
    for (size_t i = 0; !job->program && i < job->endless->n; i++)
        sim->ranks[first + job->endless->items[i].src].bytes += job->endless->items[i].bytes;
    if (job->program) fill_program(sim, j);
}

static int fill(struct simulation *sim)
{
    const size_t n_jobs = sim->setup->n_jobs;
    const uint32_t n = sim->first_action[n_jobs];
    sim->states = cw_new_array(n, sizeof *sim->states, what);
    sim->ranks = cw_new_array(sim->first_rank[n_jobs], sizeof *sim->ranks, what);
    sim->channels = cw_new_array(PATHS * (size_t)cw_routes_max_hops(sim->setup->routes), sizeof(uint32_t), what);
    sim->links = cw_new_array((size_t)sim->net->n_channels + 3, sizeof *sim->links, what);
    sim->shares = cw_new_array((size_t)sim->net->n_channels + 3, sizeof *sim->shares, what);
    sim->heard = cw_new_array(sim->setup->rendezvous > 0 ? n : 0, sizeof *sim->heard, what);
    if (!sim->states || !sim->ranks || !sim->channels || !sim->links || !sim->shares || !sim->heard) return CW_ENOMEM;
    for (uint32_t j = 0; j < n_jobs; j++) fill_job(sim, j);
    sim->cables = cw_new_array(sim->n_cables, sizeof *sim->cables, what);
    sim->listed = cw_new_array(sim->n_cables, sizeof *sim->listed, what);
    if (!sim->cables || !sim->listed) return CW_ENOMEM;
    for (uint32_t i = 0; i < sim->n_cables; i++) sim->cables[i].last = NONE;
    for (uint32_t i = 0; sim->past && i < n; i++) {
        sim->past[i].cause = sim->past[i].server = sim->past[i].ahead = NONE;
        sim->past[i].rate = 0;
    }
    return 0;
}

/* Where the share of packets that go minimally is by the traffic: the best for all messages together. */
static int find_minimal_share(struct simulation *sim)
{
    const struct cw_flow_setup *setup = sim->setup;
    struct cw_load load = {0};
    double *bytes = NULL;
    size_t n = 0;
    int rc = cw_load_init(&load, sim->net->n_channels);
    if (!rc) rc = cw_round_begin(&sim->round, sim->first_action[setup->n_jobs]);
    if (!rc && !(bytes = cw_new_array(sim->round.n, sizeof *bytes, what))) rc = CW_ENOMEM;
    for (uint32_t i = 0; !rc && i < sim->first_action[setup->n_jobs]; i++) {
        if (look(sim, i)->kind != CW_ACTION_SEND) continue;
        ends_of(sim, i, &sim->round.src[n], &sim->round.dst[n]);
        bytes[n++] = (double)look(sim, i)->bytes;
    }
    sim->round.n = n;
    sim->round.bytes = bytes;
    if (!rc && n > 0) rc = cw_round_route(&sim->round, &load);
    sim->round.bytes = NULL;
    free(bytes);
    cw_load_free(&load);
    return rc;
}

static int check(const struct cw_flow_setup *setup)
{
    int rc = cw_check_given(setup->routes, "routes");
    for (size_t j = 0; !rc && j < setup->n_jobs; j++) {
        const struct cw_flow_job *job = &setup->jobs[j];
        rc = cw_check_given(job->program ? (const void *)job->program : job->endless, "program");
        if (!rc) rc = cw_check_given(job->endpoints, "endpoints");
    }
    if (!rc && cw_routes_by_round(setup->routes))
        rc =
            cw_fail(CW_EUSAGE,
                    "packets of %s choose their ways by queues, which flows do not have; expected tables, or a routing "
                    "that draws",
                    cw_routes_name(setup->routes));
    const double times[] = {setup->overhead, setup->gap, setup->latency, setup->host_rate};
    for (size_t i = 0; !rc && i < sizeof times / sizeof *times; i++)
        if (!(times[i] >= 0 && times[i] < INFINITY))
            rc = cw_fail(CW_EUSAGE, "o, g, L and rates of hosts are 0 or more");
    return rc;
}

int cw_flow_run_noted(const struct cw_flow_setup *setup, struct cw_flow_past *past, double *waited, double *job_ends,
                      struct cw_flow_result *out)
{
    int rc = check(setup);
    if (rc) return rc;
    struct simulation sim = {
        .setup = setup, .net = cw_routes_network(setup->routes), .job_ends = job_ends, .past = past, .waited = waited};
    sim.first_action = cw_new_array(setup->n_jobs + 1, sizeof *sim.first_action, what);
    sim.first_rank = cw_new_array(setup->n_jobs + 1, sizeof *sim.first_rank, what);
    sim.left = cw_new_array(setup->n_jobs, sizeof *sim.left, what);
    rc = sim.first_action && sim.first_rank && sim.left ? count(&sim) : CW_ENOMEM;
    if (!rc) rc = cw_round_init(&sim.round, setup->routes);
    if (!rc) rc = fill(&sim);
    if (!rc && cw_routes_by_traffic(setup->routes)) rc = find_minimal_share(&sim);
    if (!rc) rc = make_links(&sim);
    if (!rc) rc = run(&sim);
    if (!rc) *out = sim.result;
    free_simulation(&sim);
    return rc;
}

int cw_flow_run_sized(const struct cw_flow_setup *given, size_t size, double *job_ends, struct cw_flow_result *out)
{
    struct cw_flow_setup setup;
    const int rc = cw_setup_read(given, size, &setup, sizeof setup);
    return rc ? rc : cw_flow_run_noted(&setup, NULL, NULL, job_ends, out);
}
