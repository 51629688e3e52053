/* What endpoints do: send messages when they are there and their flow may, take in what arrives, and tell the source of
 * a marked message. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "sim/flit/plain/plain.h"

/* Flits are told apart by what does not change on their way. */
static uint64_t sum_of(const struct cw_plain_flit *flit)
{
    const uint64_t message = (uint64_t)flit->packet.dst << 32 | flit->src,
                   times = flit->injected << 20 ^ flit->ready << 8 ^ flit->number;
    const uint64_t product = (message * 0x9e3779b97f4a7c15u ^ times) * 0xbf58476d1ce4e5b9u;
    return product ^ product >> 32;
}

/* --- flows -------------------------------------------------------------------------------------------------------- */

static bool is_controlled(const struct cw_flit_plain *plain)
{
    return plain->rate_control->begin != NULL;
}

static const void *control_values(const struct cw_flit_plain *plain)
{
    return plain->modules[CW_FLIT_RATE_CONTROL].values;
}

/* The flow from ENDPOINT to DST; NULL without memory. */
static struct cw_plain_flow *flow_of(struct cw_flit_plain *plain, uint32_t endpoint, uint32_t dst)
{
    static const char what[] = "flows whose rate is controlled";
    struct cw_plain_endpoint *from = &plain->endpoints[endpoint];
    if (!from->flows) from->flows = cw_new_array(plain->net->n_endpoints, sizeof(struct cw_plain_flow *), what);
    if (!from->flows) return NULL;
    if (!from->flows[dst]) {
        struct cw_plain_flow *flow = cw_new_array(1, sizeof *flow, what);
        if (!flow) return NULL;
        plain->rate_control->begin(control_values(plain), flow, plain->cycle);
        from->flows[dst] = flow;
    }
    plain->rate_control->advance(control_values(plain), from->flows[dst], plain->cycle);
    return from->flows[dst];
}

/* True if FLOW may begin a message now. Its channel, CHANNEL, may have to wait longer, by itself. */
static bool may_begin(const struct cw_flit_plain *plain, const struct cw_plain_flow *flow,
                      const struct cw_plain_channel *channel)
{
    return flow->free_at < (plain->cycle + 1) * CW_FLIT_CYCLE || flow->free_at <= channel->free_at;
}

/* A notice comes as fast as the message's own way is long: it waits nowhere. */
static int notify(struct cw_flit_plain *plain, uint32_t endpoint, const struct cw_plain_flit *flit)
{
    struct cw_plain_flow *flow = flow_of(plain, flit->src, endpoint);
    if (!flow) return CW_ENOMEM;
    if (plain->cycle < flow->no_notice_till) return 0;
    const struct cw_plain_flit notice = {.packet = {.dst = endpoint & 0xffffff},
                                         .arrives = plain->cycle + flit->travelled};
    flow->no_notice_till = plain->cycle + plain->rate_control->pause(control_values(plain));
    return cw_plain_push(&plain->endpoints[flit->src].notices, &notice);
}

static int take_notices(struct cw_flit_plain *plain, uint32_t endpoint)
{
    struct cw_plain_queue *notices = &plain->endpoints[endpoint].notices;
    int rc = 0;
    for (uint32_t left = notices->n; left > 0 && !rc; left--) {
        const struct cw_plain_flit notice = cw_plain_pop(notices);
        if (notice.arrives > plain->cycle) {
            rc = cw_plain_push(notices, &notice);
            continue;
        }
        struct cw_plain_flow *flow = flow_of(plain, endpoint, notice.packet.dst);
        if (!flow) return CW_ENOMEM;
        plain->rate_control->notice(control_values(plain), flow, plain->cycle);
        plain->counts.notices++;
    }
    return rc;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

/* The next message that is there at ENDPOINT; false if there is none. */
static bool take_message(struct cw_flit_plain *plain, struct cw_plain_endpoint *endpoint,
                         struct cw_plain_waiting *message)
{
    struct cw_flit_task *task = &plain->tasks[endpoint->task];
    message->order = 0;
    if (cw_flit_task_waits(task))
        return cw_flit_waiting_take(task, &endpoint->progress, &endpoint->source, plain->cycle, &message->message,
                                    &message->order);
    while (endpoint->source.ready <= plain->cycle) {
        cw_flit_source_take(&endpoint->source, &message->message);
        if (message->message.rank != endpoint->rank) return true;
    }
    return false;
}

/* MESSAGE is the one that ENDPOINT number E sends now. */
static void begin_message(const struct cw_flit_plain *plain, uint32_t e, const struct cw_plain_waiting *message,
                          struct cw_plain_flow *flow)
{
    struct cw_plain_endpoint *endpoint = &plain->endpoints[e];
    const uint32_t dst = plain->tasks[endpoint->task].endpoints[message->message.rank];
    endpoint->sending = true;
    endpoint->flow = flow;
    endpoint->random = message->message.random;
    endpoint->flit = (struct cw_plain_flit){.packet = cw_packet_of(e, dst),
                                            .src = e,
                                            .length = message->message.flits,
                                            .number = message->message.flits - 1,
                                            .order = message->order,
                                            .ready = message->message.ready};
}

/* The flow of MESSAGE of endpoint E, in *FLOW, if it may send now, else NULL there. CW_ENOMEM. */
static int find_flow(struct cw_flit_plain *plain, uint32_t e, const struct cw_plain_waiting *message,
                     struct cw_plain_flow **flow)
{
    const struct cw_plain_endpoint *endpoint = &plain->endpoints[e];
    struct cw_plain_flow *of = flow_of(plain, e, plain->tasks[endpoint->task].endpoints[message->message.rank]);
    if (!of) return CW_ENOMEM;
    *flow = may_begin(plain, of, &plain->channels[plain->net->first[e]]) ? of : NULL;
    return 0;
}

/* The oldest message whose flow may send is begun: of those that wait, then of those that are there. */
static int begin_controlled(struct cw_flit_plain *plain, uint32_t e)
{
    struct cw_plain_endpoint *endpoint = &plain->endpoints[e];
    struct cw_plain_flow *flow = NULL;
    int rc = 0;
    for (uint32_t i = 0; i < endpoint->n_waiting; i++) {
        const struct cw_plain_waiting message = endpoint->waiting[i];
        rc = find_flow(plain, e, &message, &flow);
        if (rc) return rc;
        if (!flow) continue;
        endpoint->n_waiting--;
        memmove(&endpoint->waiting[i], &endpoint->waiting[i + 1], (endpoint->n_waiting - i) * sizeof message);
        begin_message(plain, e, &message, flow);
        return 0;
    }
    struct cw_plain_waiting message;
    while (endpoint->n_waiting < CW_PLAIN_LOOKAHEAD && take_message(plain, endpoint, &message)) {
        rc = find_flow(plain, e, &message, &flow);
        if (rc) return rc;
        if (flow) {
            begin_message(plain, e, &message, flow);
            return 0;
        }
        endpoint->waiting[endpoint->n_waiting++] = message;
    }
    return 0;
}

static int begin(struct cw_flit_plain *plain, uint32_t e)
{
    struct cw_plain_waiting message;
    if (is_controlled(plain)) return begin_controlled(plain, e);
    if (take_message(plain, &plain->endpoints[e], &message)) begin_message(plain, e, &message, NULL);
    return 0;
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* The lane for a message of FLITS flits on CHANNEL: the first with room, round-robin after LANE; or their number. */
static uint32_t lane_for(const struct cw_flit_plain *plain, const struct cw_plain_channel *channel, uint32_t lane,
                         uint32_t flits)
{
    for (uint32_t left = channel->lanes; left > 0; left--) {
        lane = lane + 1 < channel->lanes ? lane + 1 : 0;
        if (plain->buffers->has_room(plain->modules[CW_FLIT_BUFFERS].values, channel, plain->hardware.input_flits, lane,
                                     flits))
            return lane;
    }
    return channel->lanes;
}

/* The rate of FLOW, which has sent a flit by CHANNEL. */
static void pace(const struct cw_flit_plain *plain, struct cw_plain_flow *flow, const struct cw_plain_channel *channel)
{
    const uint64_t now = plain->cycle * CW_FLIT_CYCLE;
    const double period = (double)channel->period / flow->rate;
    flow->free_at = (flow->free_at > now ? flow->free_at : now) + (flow->rate < 1 ? (uint64_t)period : channel->period);
    if (plain->rate_control->sent) plain->rate_control->sent(control_values(plain), flow, 1);
}

static int send(struct cw_flit_plain *plain, uint32_t e)
{
    struct cw_plain_endpoint *endpoint = &plain->endpoints[e];
    const uint32_t c = plain->net->first[e];
    struct cw_plain_channel *channel = &plain->channels[c];
    struct cw_plain_flit *flit = &endpoint->flit;
    if (!cw_plain_is_free(plain, channel)) return 0;
    if (flit->length > 0) {
        const uint32_t lane = lane_for(plain, channel, endpoint->lane, flit->length);
        if (lane == channel->lanes) return 0;
        endpoint->lane = lane;
        plain->here = plain->net->head[c];
        flit->injected = plain->cycle;
        flit->packet = cw_packet_inject(plain->ops, plain->routing_state, plain->here, &plain->view, endpoint->random,
                                        flit->packet);
    }
    const int rc = cw_plain_send(plain, c, (uint8_t)endpoint->lane, *flit);
    plain->counts.injected++;
    plain->counts.injected_sum += sum_of(flit);
    plain->task_counts[endpoint->task].injected++;
    if (endpoint->flow) pace(plain, endpoint->flow, channel);
    flit->length = 0;
    if (flit->number-- == 0) endpoint->sending = false;
    return rc;
}

int cw_plain_inject(struct cw_flit_plain *plain, uint32_t e)
{
    struct cw_plain_endpoint *endpoint = &plain->endpoints[e];
    if (endpoint->task == CW_NONE) return 0;
    int rc = endpoint->notices.n > 0 ? take_notices(plain, e) : 0;
    const bool nothing_new = plain->draining && (!endpoint->sending || endpoint->flit.length > 0);
    if (rc || nothing_new) return rc;
    if (!endpoint->sending && plain->cycle >= plain->tasks[endpoint->task].job.start) rc = begin(plain, e);
    return rc || !endpoint->sending ? rc : send(plain, e);
}

/* --- taking in ---------------------------------------------------------------------------------------------------- */

/* The last flit of a message, FLIT, is there: END is the first cycle after it. */
static void complete(struct cw_flit_plain *plain, const struct cw_plain_endpoint *endpoint,
                     const struct cw_plain_flit *flit, uint64_t end)
{
    const struct cw_flit_task *task = &plain->tasks[endpoint->task];
    const uint64_t ready =
        cw_flit_task_waits(task) ? cw_flit_waiting_since(task, flit->order, flit->injected) : flit->ready;
    plain->counts.messages++;
    plain->counts.marked += endpoint->marked;
    plain->counts.latency += end - ready;
    plain->counts.network_latency += end - flit->injected;
    plain->histogram[cw_flit_latency_bin(end - ready)]++;
}

int cw_plain_take_in(struct cw_flit_plain *plain, uint32_t e, const struct cw_plain_flit *flit)
{
    struct cw_plain_endpoint *endpoint = &plain->endpoints[e];
    const uint64_t end = plain->cycle + 1;
    if (flit->packet.dst != e || (flit->length > 0) != (endpoint->expected == 0))
        return cw_flit_fail_stranger(plain->routing, e, &flit->packet);
    if (flit->length > 0) endpoint->expected = flit->length;
    endpoint->marked = flit->length > 0 ? flit->marked : endpoint->marked;
    struct cw_plain_task_counts *counts = &plain->task_counts[endpoint->task];
    plain->counts.accepted++;
    plain->counts.accepted_sum += sum_of(flit);
    plain->accepted_by[e]++;
    counts->accepted++;
    counts->last = end;
    if (--endpoint->expected == 0) {
        complete(plain, endpoint, flit, end);
        const int rc = endpoint->marked && is_controlled(plain) ? notify(plain, e, flit) : 0;
        if (rc) return rc;
    }
    struct cw_flit_task *task = &plain->tasks[endpoint->task];
    if (cw_flit_task_waits(task)) cw_flit_waiting_receive(task, &endpoint->progress, flit->order, end);
    return 0;
}
