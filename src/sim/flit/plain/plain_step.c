/* The steps of a cycle at switches, in the order of sim/flit/flit.h; queues, and what allocators share. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "sim/flit/plain/plain.h"

static bool is_host(const struct cw_flit_plain *plain, uint32_t vertex)
{
    return vertex < plain->net->n_endpoints;
}

/* --- routing ------------------------------------------------------------------------------------------------------ */

uint32_t cw_plain_occupancy(const struct cw_flit_plain *plain, uint32_t channel)
{
    const struct cw_plain_channel *of = &plain->channels[channel];
    uint32_t flits = 0;
    for (uint32_t lane = 0; lane < of->lanes; lane++) flits += of->out[lane].n + of->unreturned[lane];
    return flits;
}

bool cw_plain_may_cross(const struct cw_flit_plain *plain, const struct cw_plain_flit *flit, struct cw_hop hop)
{
    const struct cw_plain_channel *out = &plain->channels[hop.channel];
    if (flit->length == 0) return true; /* there was room for all of its message */
    return out->owner[hop.lane].channel == CW_NONE &&
           plain->hardware.output_flits - out->out[hop.lane].n >= flit->length;
}

static bool leaves(const struct cw_flit_plain *plain, uint32_t sw, struct cw_hop hop)
{
    return hop.channel >= plain->net->first[sw] && hop.channel < plain->net->first[sw + 1] &&
           hop.lane < plain->channels[hop.channel].lanes;
}

int cw_plain_route(struct cw_flit_plain *plain, uint32_t in, uint8_t lane, struct cw_plain_flit *flit,
                   struct cw_hop *hop)
{
    struct cw_hop hops[CW_PACKET_CANDIDATES];
    const uint32_t sw = plain->net->head[in];
    const bool source = is_host(plain, plain->net->tail[in]);
    plain->here = sw;
    const int n = plain->ops->next(plain->routing_state, sw, source ? CW_NONE : in, source ? 0 : lane, &plain->view,
                                   cw_random_word(plain->keys[sw], plain->draws[sw]++), &flit->packet, hops,
                                   CW_PACKET_CANDIDATES);
    if (n <= 0) return cw_flit_fail_routing(plain->routing, sw, &flit->packet, n, hops);
    int chosen = -1;
    for (int i = 0; i < n; i++) {
        if (!leaves(plain, sw, hops[i])) return cw_flit_fail_routing(plain->routing, sw, &flit->packet, n, &hops[i]);
        if (chosen < 0 && cw_plain_may_cross(plain, flit, hops[i])) chosen = i;
    }
    *hop = hops[chosen < 0 ? 0 : chosen];
    return 0;
}

/* --- arrivals and credits ----------------------------------------------------------------------------------------- */

static int arrive(struct cw_flit_plain *plain, uint32_t in, const struct cw_plain_flit *flit)
{
    struct cw_plain_channel *channel = &plain->channels[in];
    char name[2 * CW_NAME_SIZE + 32];
    const uint32_t most =
        plain->buffers->most(plain->modules[CW_FLIT_BUFFERS].values, channel, plain->hardware.input_flits);
    uint32_t all = 0;
    channel->held[flit->lane]++;
    for (uint32_t lane = 0; lane < channel->lanes; lane++) all += channel->held[lane];
    if (channel->held[flit->lane] > most || all > channel->lanes * plain->hardware.input_flits)
        return cw_fail(CW_EINTERNAL, "%u flits of lane %u, and %u of all, in the input buffer of channel %s",
                       channel->held[flit->lane], flit->lane, all,
                       cw_network_channel_name(plain->net, in, name, sizeof name));
    return plain->queues->arrive(plain, in, flit);
}

static int take_arrivals(struct cw_flit_plain *plain)
{
    int rc = 0;
    for (uint32_t c = 0; c < plain->net->n_channels && !rc; c++) {
        const uint32_t in = plain->net->twin[c]; /* in the order of the ports at their heads */
        struct cw_plain_queue *wire = &plain->channels[in].wire;
        while (wire->n > 0 && cw_plain_head(wire)->arrives == plain->cycle && !rc) {
            const struct cw_plain_flit flit = cw_plain_pop(wire);
            rc = is_host(plain, plain->net->tail[c]) ? cw_plain_take_in(plain, plain->net->tail[c], &flit)
                                                     : arrive(plain, in, &flit);
        }
    }
    return rc;
}

static void take_credits(struct cw_flit_plain *plain)
{
    for (uint32_t c = 0; c < plain->net->n_channels; c++) {
        struct cw_plain_channel *channel = &plain->channels[c];
        while (channel->credit_wire.n > 0 && cw_plain_head(&channel->credit_wire)->arrives == plain->cycle)
            channel->unreturned[cw_plain_pop(&channel->credit_wire).lane]--;
    }
}

/* --- outputs ------------------------------------------------------------------------------------------------------ */

bool cw_plain_is_free(const struct cw_flit_plain *plain, const struct cw_plain_channel *channel)
{
    return channel->free_at < (plain->cycle + 1) * CW_FLIT_CYCLE;
}

int cw_plain_send(struct cw_flit_plain *plain, uint32_t c, uint8_t lane, struct cw_plain_flit flit)
{
    struct cw_plain_channel *channel = &plain->channels[c];
    const bool to_switch = !is_host(plain, plain->net->head[c]);
    const uint64_t now = plain->cycle * CW_FLIT_CYCLE;
    const uint64_t delay = channel->latency + (to_switch ? plain->hardware.pipeline - 1 : 0);
    flit.lane = lane;
    flit.travelled += (uint32_t)delay;
    flit.arrives = plain->cycle + delay;
    if (to_switch) {
        channel->unreturned[lane]++;
        channel->promised[lane] = flit.number;
    }
    plain->channel_flits[c]++;
    channel->free_at = (channel->free_at > now ? channel->free_at : now) + channel->period;
    return cw_plain_push(&channel->wire, &flit);
}

/* True if the head of LANE of output channel C may go. */
static bool may_leave(const struct cw_flit_plain *plain, uint32_t c, uint32_t lane)
{
    const struct cw_plain_channel *channel = &plain->channels[c];
    if (channel->out[lane].n == 0) return false;
    const uint32_t length = cw_plain_head(&channel->out[lane])->length;
    return length == 0 || is_host(plain, plain->net->head[c]) ||
           plain->buffers->has_room(plain->modules[CW_FLIT_BUFFERS].values, channel, plain->hardware.input_flits, lane,
                                    length);
}

static int send_outputs(struct cw_flit_plain *plain)
{
    int rc = 0;
    for (uint32_t c = plain->net->first[plain->net->n_endpoints]; c < plain->net->n_channels && !rc; c++) {
        struct cw_plain_channel *channel = &plain->channels[c];
        if (!cw_plain_is_free(plain, channel)) continue;
        uint32_t lane = channel->out_pointer, left = channel->lanes;
        for (; left > 0 && !may_leave(plain, c, lane); left--) lane = lane + 1 < channel->lanes ? lane + 1 : 0;
        if (left == 0) continue;
        channel->out_pointer = lane + 1 < channel->lanes ? lane + 1 : 0;
        rc = cw_plain_send(plain, c, (uint8_t)lane, cw_plain_pop(&channel->out[lane]));
    }
    return rc;
}

/* --- allocation --------------------------------------------------------------------------------------------------- */

/* Marks FLIT, the head of a message that enters an output queue of switch SW with QUEUED flits, perhaps. */
static void mark(struct cw_flit_plain *plain, uint32_t sw, uint32_t queued, struct cw_plain_flit *flit)
{
    if (!plain->marking->marks || flit->length == 0) return;
    const uint64_t random = cw_random_word(plain->mark_keys[sw], plain->mark_draws[sw]++);
    flit->marked |= plain->marking->marks(plain->modules[CW_FLIT_MARKING].values, queued, random);
}

/* The head of the input queue of REQUEST goes to its output queue. FIRST is the switch's first channel. */
static int cross(struct cw_flit_plain *plain, uint32_t first, const struct cw_plain_request *request)
{
    const uint32_t in = plain->net->twin[first + request->in];
    struct cw_plain_channel *from = &plain->channels[in], *to = &plain->channels[first + request->out];
    struct cw_plain_in_queue *queue = &from->in[request->queue];
    struct cw_plain_flit flit = cw_plain_pop(&queue->flits);
    const struct cw_plain_flit credit = {.arrives = plain->cycle + from->latency, .lane = request->in_lane};
    struct cw_plain_queue *out = &to->out[request->out_lane];
    from->held[request->in_lane]--;
    mark(plain, plain->net->head[in], out->n, &flit);
    to->owner[request->out_lane].channel = flit.number > 0 ? in : CW_NONE;
    queue->routed = flit.number > 0;
    plain->counts.hops++;
    const int rc = cw_plain_push(out, &flit);
    return rc ? rc : cw_plain_push(&from->credit_wire, &credit);
}

/* Lists the requests of the switch SW in MATCH. */
static void list_requests(const struct cw_flit_plain *plain, uint32_t sw, struct cw_plain_match *match)
{
    const uint32_t first = plain->net->first[sw];
    uint32_t *starts = plain->places;
    for (uint32_t p = 0; p < match->radix; p++) {
        const uint32_t in = plain->net->twin[first + p];
        const struct cw_plain_channel *channel = &plain->channels[in];
        starts[p] = match->n;
        for (uint32_t q = 0; q < channel->n_in; q++) {
            const struct cw_plain_in_queue *queue = &channel->in[q];
            if (queue->flits.n == 0 || !cw_plain_may_cross(plain, cw_plain_head(&queue->flits), queue->hop)) continue;
            plain->requests[match->n++] = (struct cw_plain_request){.in = p,
                                                                    .out = queue->hop.channel - first,
                                                                    .queue = q,
                                                                    .in_lane = (uint8_t)(q / channel->queues),
                                                                    .out_lane = queue->hop.lane,
                                                                    .transit = !is_host(plain, plain->net->tail[in]),
                                                                    .injected = cw_plain_head(&queue->flits)->injected};
        }
    }
    starts[match->radix] = match->n;
}

/* A round of allocation at switch SW. False if no flit could go, or if the routing failed: RC. */
static bool allocate(struct cw_flit_plain *plain, uint32_t sw, int *rc)
{
    const uint32_t first = plain->net->first[sw], radix = cw_network_degree(plain->net, sw);
    struct cw_plain_match match = {.radix = radix,
                                   .requests = plain->requests,
                                   .first = plain->places,
                                   .pointers = &plain->pointers[sw],
                                   .transit_first = plain->hardware.transit_first,
                                   .winner = plain->places + plain->max_radix + 1,
                                   .scratch = plain->places + 2 * plain->max_radix + 1};
    list_requests(plain, sw, &match);
    if (match.n == 0) return false;
    for (uint32_t out = 0; out < radix; out++) match.winner[out] = CW_NONE;
    plain->allocator->match(plain->modules[CW_FLIT_ALLOCATOR].values, &match);
    for (uint32_t out = 0; out < radix && !*rc; out++)
        if (match.winner[out] != CW_NONE) *rc = cross(plain, first, &match.requests[match.winner[out]]);
    for (uint32_t out = 0; out < radix && !*rc; out++) {
        if (match.winner[out] == CW_NONE) continue;
        const struct cw_plain_request *served = &match.requests[match.winner[out]];
        *rc = plain->queues->advance(plain, plain->net->twin[first + served->in], served->queue);
    }
    return !*rc;
}

int cw_plain_step(struct cw_flit_plain *plain)
{
    int rc = take_arrivals(plain);
    if (rc) return rc;
    take_credits(plain);
    rc = send_outputs(plain);
    for (uint32_t v = plain->net->n_endpoints; v < plain->net->n_vertices && !rc; v++)
        for (uint32_t i = 0; i < plain->hardware.speedup && allocate(plain, v, &rc); i++) continue;
    for (uint32_t e = 0; e < plain->net->n_endpoints && !rc; e++) rc = cw_plain_inject(plain, e);
    plain->cycle++;
    return rc;
}

/* --- queues of flits that grow as needed -------------------------------------------------------------------------- */

static int grow(struct cw_plain_queue *queue)
{
    const uint32_t capacity = 2 * queue->capacity + 4;
    struct cw_plain_flit *items = cw_new_array(capacity, sizeof *items, "a queue of flits");
    if (!items) return CW_ENOMEM;
    for (uint32_t i = 0; i < queue->n; i++) items[i] = queue->items[(queue->first + i) % queue->capacity];
    free(queue->items);
    *queue = (struct cw_plain_queue){.items = items, .n = queue->n, .capacity = capacity};
    return 0;
}

int cw_plain_push(struct cw_plain_queue *queue, const struct cw_plain_flit *flit)
{
    const int rc = queue->n == queue->capacity ? grow(queue) : 0;
    if (rc) return rc;
    queue->items[(queue->first + queue->n++) % queue->capacity] = *flit;
    return 0;
}

struct cw_plain_flit cw_plain_pop(struct cw_plain_queue *queue)
{
    const struct cw_plain_flit flit = queue->items[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->n--;
    return flit;
}

/* --- round robin over the requests of a switch -------------------------------------------------------------------- */

uint32_t cw_plain_request_of(const struct cw_plain_match *match, uint32_t in, uint32_t out)
{
    const uint32_t pointer = match->pointers->in_queue[in];
    uint32_t first = CW_NONE;
    for (uint32_t r = match->first[in]; r < match->first[in + 1]; r++) {
        if (out != CW_NONE && match->requests[r].out != out) continue;
        if (match->requests[r].queue >= pointer) return r;
        if (first == CW_NONE) first = r;
    }
    return first;
}

void cw_plain_prefer_transit(const struct cw_plain_match *match, uint32_t *asks)
{
    bool some = false;
    if (!match->transit_first) return;
    for (uint32_t p = 0; p < match->radix; p++) some |= asks[p] != CW_NONE && match->requests[asks[p]].transit;
    for (uint32_t p = 0; some && p < match->radix; p++)
        if (asks[p] != CW_NONE && !match->requests[asks[p]].transit) asks[p] = CW_NONE;
}

static uint32_t lane_pointer(const struct cw_plain_match *match, uint32_t out, uint8_t lane)
{
    return match->pointers->out_lane[out * CW_FLIT_LANES + lane];
}

uint32_t cw_plain_round_robin(const struct cw_plain_match *match, uint32_t out, const uint32_t *asks)
{
    const uint32_t radix = match->radix;
    uint32_t p = match->pointers->out_any[out], left = radix;
    for (; left > 0 && asks[p] == CW_NONE; left--) p = p + 1 < radix ? p + 1 : 0;
    if (left == 0) return CW_NONE;
    const uint8_t lane = match->requests[asks[p]].out_lane;
    p = lane_pointer(match, out, lane);
    while (asks[p] == CW_NONE || match->requests[asks[p]].out_lane != lane) p = p + 1 < radix ? p + 1 : 0;
    return asks[p];
}

void cw_plain_move_in_pointer(const struct cw_plain_match *match, uint32_t request)
{
    const struct cw_plain_request *served = &match->requests[request];
    match->pointers->in_queue[served->in] = served->queue + 1; /* past the end: from the first on */
}

void cw_plain_move_out_pointers(const struct cw_plain_match *match, uint32_t request)
{
    const struct cw_plain_request *served = &match->requests[request];
    const uint32_t next = served->in + 1 < match->radix ? served->in + 1 : 0;
    match->pointers->out_any[served->out] = next;
    match->pointers->out_lane[served->out * CW_FLIT_LANES + served->out_lane] = next;
}
