/* A switch, cycle by cycle. Everything here is done for every hop of every flit. */
#include "sim/flit/flit_queues.h"

enum { FETCH_HOPS = 16 };

/* --- arrivals ----------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE void receive(const struct context *c, uint32_t port, uint32_t lane, const struct cw_flit *flit)
{
    struct cw_flit_in_port *in = &c->in_ports[port];
    struct cw_flit_in_queue *queue = &c->in_queues[port << CW_FLIT_LANE_BITS | lane];
    const uint32_t f = pool_take(c, flit);
    const bool empty = !(in->lanes >> lane & 1);
    append(c, queue->tail, empty, f, flit->length);
    queue->tail = f;
    in->lanes |= (uint8_t)(1u << lane);
    c->active[word(c, port)] |= (uint64_t)empty << (port & 63);
    if (!empty) return;
    queue->head = f;
    if (queue->left == 0) route(c, queue, port, lane);
}

ALWAYS_INLINE void take_arrivals(const struct context *c, uint64_t t, uint64_t *masks)
{
    const uint32_t host_place = c->unit->host_place, rows = c->rows_mask + 1;
    const uint32_t line = c->unit->line + ((uint32_t)t & c->rows_mask);
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t places = masks[w];
        masks[w] = 0;
        for (; places != 0; places &= places - 1) {
            const uint32_t place = 64 * w + (uint32_t)__builtin_ctzll(places), at = line + place * rows;
            const uint32_t lane = c->present[at] - 1u;
            c->present[at] = 0;
            if (place < host_place)
                receive(c, place, lane, &c->arriving[at]);
            else
                cw_flit_take_in(c->worker, c->unit, place - host_place, &c->arriving[at], t);
        }
    }
}

/* --- credits ------------------------------------------------------------------------------------------------------ */

ALWAYS_INLINE void take_credit(const struct context *c, uint32_t port, uint32_t lane)
{
    struct cw_flit_out_port *out = &c->out_ports[port];
    struct cw_flit_out_queue *queue = &c->out_queues[port << CW_FLIT_LANE_BITS | lane];
    const uint32_t credits = ++queue->credits;
    out->behind--;
    const uint32_t ready = (out->lanes >> lane & 1) & (credits >= queue->need);
    out->ready |= (uint8_t)(ready << lane);
    c->sendable[word(c, port)] |= (uint64_t)ready << (port & 63);
}

ALWAYS_INLINE void take_credits(const struct context *c, uint64_t t, uint32_t round, uint64_t *masks)
{
    const uint32_t host_place = c->unit->host_place, rows = c->rows_mask + 1;
    const uint32_t line = c->unit->line * c->speedup + round * rows + ((uint32_t)t & c->rows_mask);
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t places = masks[w];
        masks[w] = 0;
        for (; places != 0; places &= places - 1) {
            const uint32_t place = 64 * w + (uint32_t)__builtin_ctzll(places), at = line + place * c->speedup * rows;
            const uint32_t lane = c->returned[at] - 1u;
            c->returned[at] = 0;
            if (place < host_place) {
                take_credit(c, place, lane);
                continue;
            }
            const uint32_t h = place - host_place;
            struct cw_flit_host *host = &c->unit->hosts[h];
            host->credits++;
            c->unit->willing[h / 64] |= (uint64_t)(host->left > 0) << (h & 63);
        }
    }
}

/* --- outputs ------------------------------------------------------------------------------------------------------ */

/* The first of LANES (not 0) from NEXT on, cyclically. */
ALWAYS_INLINE uint32_t in_turn(uint32_t lanes, uint32_t next)
{
    const uint32_t from = lanes >> next << next;
    return (uint32_t)__builtin_ctz(from ? from : lanes);
}

/* Input ports that wait for room in QUEUE look again. */
ALWAYS_INLINE void wake_inputs(const struct context *c, struct cw_flit_out_queue *queue)
{
    for (uint32_t w = 0; w < c->words; w++) c->active[w] |= queue->waiting;
    queue->waiting = 0;
}

/* Notes in MASKS, which have STEP masks a cycle, what is due on one of the unit's own lines in this window. */
ALWAYS_INLINE void note(const struct context *c, const struct cw_flit_line *line, uint64_t due, uint64_t *masks,
                        uint32_t step)
{
    if (line->place == CW_NONE || due >= c->to) return;
    masks[(due - c->from) * step * c->words + word(c, line->place)] |= bit(line->place);
}

/* Puts FLIT, which leaves by OUT in cycle T, on its line. */
ALWAYS_INLINE void put(const struct context *c, const struct cw_flit_out_port *out, uint64_t t, uint32_t lane,
                       const struct cw_flit *flit)
{
    const uint64_t due = t + out->flits.delay;
    const uint32_t at = out->flits.at + ((uint32_t)due & c->rows_mask);
    c->arriving[at] = *flit;
    c->present[at] = (uint8_t)(lane + 1);
    note(c, &out->flits, due, c->arrivals, 1);
}

ALWAYS_INLINE void send(const struct context *c, uint32_t port, uint64_t t)
{
    struct cw_flit_out_port *out = &c->out_ports[port];
    if (c->unit->paces) {
        if (!cw_flit_may_go(&c->unit->paces[port], t)) return;
        cw_flit_go(&c->unit->paces[port], t);
    }
    const uint32_t lane = in_turn(out->ready, out->next_lane);
    struct cw_flit_out_queue *queue = &c->out_queues[port << CW_FLIT_LANE_BITS | lane];
    const uint32_t f = queue->head, link = c->links[f], next = link & CW_FLIT_NO_FLIT, last = f == queue->tail;
    const uint32_t length = link >> LENGTH_SHIFT, need = length > 1 ? length : 1;
    const uint32_t credits = queue->credits - out->credited;
    const uint32_t ready = out->ready & ~((last | (credits < need)) << lane);
    __builtin_prefetch(&c->flits[next]);
    queue->credits = credits;
    queue->head = next;
    queue->need = need;
    queue->room++;
    out->lanes &= (uint8_t) ~(last << lane);
    out->ready = (uint8_t)ready;
    out->next_lane = (uint8_t)((lane + 1) & 7);
    out->behind -= !out->credited;
    c->unit->channel_flits[port]++;
    c->sendable[word(c, port)] &= ~((uint64_t)(ready == 0) << (port & 63));
    put(c, out, t, lane, &c->flits[f]);
    pool_give(c, f);
    wake_inputs(c, queue);
    c->worker->counts.sent++;
}

ALWAYS_INLINE void send_outputs(const struct context *c, uint64_t t)
{
    for (uint32_t w = 0; w < c->words; w++)
        for (uint64_t ports = c->sendable[w]; ports != 0; ports &= ports - 1)
            send(c, 64 * w + (uint32_t)__builtin_ctzll(ports), t);
}

/* --- allocation --------------------------------------------------------------------------------------------------- */

/* Input port PORT asks for the output of the first of its lanes, in turn, whose head can go; or waits for room. */
ALWAYS_INLINE void request(const struct context *c, uint32_t port, uint64_t port_bit)
{
    const struct cw_flit_in_port *in = &c->in_ports[port];
    const struct cw_flit_in_queue *queues = &c->in_queues[port << CW_FLIT_LANE_BITS];
    const uint32_t lanes = in->lanes, behind = lanes & ((1u << in->next_lane) - 1);
    /* Those from next_lane on, and then, one byte higher, those before it. */
    for (uint32_t left = (lanes ^ behind) | behind << 8; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left) & 7, to = queues[lane].out;
        if (c->out_queues[to].room < queues[lane].need) continue;
        const uint32_t out = to >> CW_FLIT_LANE_BITS;
        c->choice[port] = (uint8_t)lane;
        __builtin_prefetch(&c->flits[c->links[queues[lane].head] & CW_FLIT_NO_FLIT], 1); /* the next head */
        c->requests[(size_t)to * c->words + word(c, port)] |= port_bit;
        c->asked_lanes[out] |= (uint8_t)(1u << (to & ((1u << CW_FLIT_LANE_BITS) - 1)));
        c->asked[word(c, out)] |= bit(out);
        return;
    }
    c->active[word(c, port)] &= ~port_bit;
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        c->out_queues[queues[__builtin_ctz(left)].out].waiting |= port_bit;
}

/* Where input ports in transit ask for output port OUT, forgets those that do not; LANES are asked for, the result are
 * those still asked for. */
static __attribute__((noinline)) uint32_t prefer_transit(const struct context *c, uint32_t out, uint32_t lanes)
{
    const uint64_t *transit = c->unit->transit;
    uint32_t with = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t *requests = c->requests + (size_t)(out << CW_FLIT_LANE_BITS | lane) * c->words;
        for (uint32_t w = 0; w < c->words; w++) with |= (uint32_t)((requests[w] & transit[w]) != 0) << lane;
    }
    for (uint32_t left = with ? lanes : 0; left != 0; left &= left - 1) {
        uint64_t *requests =
            c->requests + (size_t)(out << CW_FLIT_LANE_BITS | (uint32_t)__builtin_ctz(left)) * c->words;
        for (uint32_t w = 0; w < c->words; w++) requests[w] &= transit[w];
    }
    return with ? with : lanes;
}

/* The first of the input ports REQUESTS (not none) from NEXT on, cyclically. */
ALWAYS_INLINE uint32_t port_in_turn(const uint64_t *requests, uint32_t words, uint32_t next)
{
    if (words == 1) {
        const uint64_t later = requests[0] >> next << next;
        return (uint32_t)__builtin_ctzll(later ? later : requests[0]);
    }
    uint32_t port = CW_NONE, first = CW_NONE;
    for (uint32_t w = words; w-- > 0;) {
        const uint64_t asking = requests[w];
        const uint64_t later = w > next / 64 ? asking : w == next / 64 ? asking >> next % 64 << next % 64 : 0;
        if (asking) first = 64 * w + (uint32_t)__builtin_ctzll(asking);
        if (later) port = 64 * w + (uint32_t)__builtin_ctzll(later);
    }
    return port != CW_NONE ? port : first;
}

/* The input port that output port OUT serves: lanes in turn, and for the lane input ports in turn. Forgets the
 * requests. */
ALWAYS_INLINE uint32_t grant(const struct context *c, uint32_t out)
{
    struct cw_flit_out_port *port = &c->out_ports[out];
    const uint32_t all = c->asked_lanes[out];
    const uint32_t lanes = c->simulation->hardware.transit_first ? prefer_transit(c, out, all) : all;
    const uint32_t lane = in_turn(lanes, port->next_lane_in), q = out << CW_FLIT_LANE_BITS | lane;
    const uint32_t winner = port_in_turn(c->requests + (size_t)q * c->words, c->words, c->out_queues[q].next_in);
    for (uint32_t left = all; left != 0; left &= left - 1) {
        uint64_t *requests =
            c->requests + (size_t)(out << CW_FLIT_LANE_BITS | (uint32_t)__builtin_ctz(left)) * c->words;
        for (uint32_t w = 0; w < c->words; w++) requests[w] = 0;
    }
    c->asked_lanes[out] = 0;
    port->next_lane_in = (uint8_t)((lane + 1) & 7);
    c->out_queues[q].next_in = winner + 1 < c->unit->radix ? winner + 1 : 0;
    return winner;
}

ALWAYS_INLINE void give_credit(const struct context *c, const struct cw_flit_in_port *in, uint32_t lane, uint64_t t,
                               uint32_t round)
{
    const uint64_t due = t + in->credits.delay;
    c->returned[in->credits.at + round * (c->rows_mask + 1) + ((uint32_t)due & c->rows_mask)] = (uint8_t)(lane + 1);
    note(c, &in->credits, due, c->credits + round * c->words, c->speedup);
}

/* Output queue Q gets flit F, of the given LENGTH if it is a head. */
ALWAYS_INLINE void enqueue(const struct context *c, uint32_t q, uint32_t f, uint32_t length)
{
    struct cw_flit_out_queue *queue = &c->out_queues[q];
    const uint32_t port = q >> CW_FLIT_LANE_BITS, lane = q & ((1u << CW_FLIT_LANE_BITS) - 1);
    struct cw_flit_out_port *out = &c->out_ports[port];
    const bool empty = !(out->lanes >> lane & 1);
    const uint32_t own_need = length > 1 ? length : 1, need = pick(empty, own_need, queue->need);
    const uint32_t ready = queue->credits >= need;
    append(c, queue->tail, empty, f, length);
    queue->head = pick(empty, f, queue->head);
    queue->tail = f;
    queue->need = need;
    queue->room--;
    out->behind++;
    out->lanes |= (uint8_t)(1u << lane);
    out->ready |= (uint8_t)(ready << lane);
    c->sendable[word(c, port)] |= (uint64_t)ready << (port & 63);
}

/* Moves the flit that input port PORT has chosen. */
ALWAYS_INLINE void cross(const struct context *c, uint32_t port, uint64_t t, uint32_t round)
{
    struct cw_flit_in_port *in = &c->in_ports[port];
    const uint32_t lane = c->choice[port];
    struct cw_flit_in_queue *queue = &c->in_queues[port << CW_FLIT_LANE_BITS | lane];
    const uint32_t f = queue->head, length = queue->need > 0 ? (uint32_t)queue->need : 0, q = queue->out;
    const bool last = f == queue->tail;
    queue->head = c->links[f] & CW_FLIT_NO_FLIT;
    enqueue(c, q, f, length);
    in->next_lane = (uint8_t)((lane + 1) & 7);
    give_credit(c, in, lane, t, round);
    c->worker->counts.hops++;
    if (length == 0) {
        if (--queue->left == 0) {
            c->out_queues[q].room += CW_FLIT_OWNED;
            wake_inputs(c, &c->out_queues[q]);
        }
    } else if (length > 1) {
        queue->left = (length - 1) & 0xff;
        queue->need = CW_FLIT_BODY;
        c->out_queues[q].room -= CW_FLIT_OWNED;
    }
    const uint32_t lanes = in->lanes & ~((uint32_t)last << lane);
    in->lanes = (uint8_t)lanes;
    c->active[word(c, port)] &= ~((uint64_t)(lanes == 0) << (port & 63));
    if (!last && queue->left == 0) route(c, queue, port, lane);
}

ALWAYS_INLINE void allocate(const struct context *c, uint64_t t, uint32_t round)
{
    for (uint32_t w = 0; w < c->words; w++)
        for (uint64_t ports = c->active[w]; ports != 0; ports &= ports - 1)
            request(c, 64 * w + (uint32_t)__builtin_ctzll(ports), ports & (0 - ports));
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t outs = c->asked[w];
        c->asked[w] = 0;
        for (; outs != 0; outs &= outs - 1) {
            const uint32_t out = 64 * w + (uint32_t)__builtin_ctzll(outs), port = grant(c, out);
            cross(c, port, t, round);
        }
    }
}

/* --- windows ------------------------------------------------------------------------------------------------------ */

/* N bytes, at most 8, as one number. They are read alone: those beside them are being written. */
ALWAYS_INLINE uint64_t bytes_of(const uint8_t *bytes, uint32_t n)
{
    uint64_t all = 0;
    if (n == 8)
        memcpy(&all, bytes, sizeof all);
    else
        for (uint32_t i = 0; i < n; i++) all |= (uint64_t)bytes[i] << 8 * i;
    return all;
}

/* Turns the N bytes at LINE of PLACE, one a cycle, into bits of MASKS, which have STEP masks a cycle. */
ALWAYS_INLINE void look_at_line(const struct context *c, const uint8_t *line, uint32_t n, uint32_t place,
                                uint64_t *masks, uint32_t step)
{
    for (uint32_t i = 0; i < n; i += 8) {
        const uint64_t bytes = bytes_of(line + i, n - i < 8 ? n - i : 8);
        /* The highest bit of each byte that is not 0: lanes are few. */
        for (uint64_t left = (bytes + 0x7f7f7f7f7f7f7f7f) & 0x8080808080808080; left != 0; left &= left - 1) {
            const uint32_t cycle = i + (uint32_t)__builtin_ctzll(left) / 8;
            masks[(size_t)cycle * step * c->words + word(c, place)] |= bit(place);
        }
    }
}

ALWAYS_INLINE void look_at_lines(const struct context *c)
{
    const uint32_t rows = c->rows_mask + 1, n = (uint32_t)(c->to - c->from);
    const size_t line = c->unit->line, row = c->from & c->rows_mask;
    for (uint32_t place = 0; place < c->unit->places; place++) {
        const size_t at = line + (size_t)place * rows;
        look_at_line(c, c->present + at + row, n, place, c->arrivals, 1);
        for (uint32_t round = 0; round < c->speedup; round++)
            look_at_line(c, c->returned + at * c->speedup + (size_t)round * rows + row, n, place,
                         c->credits + round * c->words, c->speedup);
    }
}

ALWAYS_INLINE bool any(const uint64_t *mask, uint32_t words)
{
    uint64_t all = 0;
    for (uint32_t w = 0; w < words; w++) all |= mask[w];
    return all != 0;
}

/* One cycle; false if nothing happened. */
ALWAYS_INLINE bool cycle(const struct context *c, uint64_t t)
{
    struct cw_flit_unit *unit = c->unit;
    uint64_t *arrivals = c->arrivals + (t - c->from) * c->words;
    uint64_t *credits = c->credits + (t - c->from) * c->speedup * c->words;
    bool stirred = any(arrivals, c->words);
    if (stirred) take_arrivals(c, t, arrivals);
    for (uint32_t round = 0; round < c->speedup; round++, credits += c->words) {
        if (!any(credits, c->words)) continue;
        stirred = true;
        take_credits(c, t, round, credits);
    }
    if (any(c->sendable, c->words)) {
        stirred = true;
        send_outputs(c, t);
    }
    for (uint32_t round = 0; round < c->speedup && any(c->active, c->words); round++) allocate(c, t, round);
    if (t < unit->next_wake && !any(unit->willing, c->words)) return stirred;
    cw_flit_inject(c->worker, unit, t);
    return true;
}

ALWAYS_INLINE bool advance(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t words)
{
    struct cw_flit_simulation *simulation = worker->simulation;
    const struct context c = {.simulation = simulation,
                              .worker = worker,
                              .unit = unit,
                              .flits = unit->flits,
                              .links = unit->links,
                              .in_queues = unit->in_queues,
                              .out_queues = unit->out_queues,
                              .in_ports = unit->in_ports,
                              .out_ports = unit->out_ports,
                              .active = unit->active,
                              .sendable = unit->sendable,
                              .requests = worker->requests,
                              .asked = worker->asked,
                              .choice = worker->choice,
                              .arrivals = worker->arrivals,
                              .credits = worker->credits,
                              .from = worker->from,
                              .to = worker->to,
                              .asked_lanes = worker->asked_lanes,
                              .present = simulation->present,
                              .returned = simulation->returned,
                              .arriving = simulation->arriving,
                              .rows_mask = simulation->rows - 1,
                              .speedup = simulation->hardware.speedup,
                              .words = words};
    bool stirred = false;
    look_at_lines(&c);
    for (uint64_t t = c.from; t < c.to; t++) stirred |= cycle(&c, t);
    return stirred;
}

/* Others see the queues as they were at the end of the window before: there are two copies. */
static void publish(struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit)
{
    uint32_t *snapshot = simulation->snapshot[simulation->windows & 1] + unit->first;
    for (uint32_t port = 0; port < unit->radix; port++) snapshot[port] = unit->out_ports[port].behind;
}

/* Most switches have at most 64 ports and endpoints: that case is compiled by itself. */
static __attribute__((noinline)) bool advance_narrow(struct cw_flit_worker *worker, struct cw_flit_unit *unit)
{
    return advance(worker, unit, 1);
}

static __attribute__((noinline)) bool advance_wide(struct cw_flit_worker *worker, struct cw_flit_unit *unit)
{
    return advance(worker, unit, unit->words);
}

void cw_flit_advance(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint64_t from, uint64_t to)
{
    const uint64_t hops = worker->counts.hops;
    worker->unit = unit;
    worker->from = from;
    worker->to = to;
    const bool stirred = unit->words == 1 ? advance_narrow(worker, unit) : advance_wide(worker, unit);
    if (stirred || unit->stirred) publish(worker->simulation, unit);
    unit->stirred = stirred;
    /* Others look at this to see whether fetching is worth its while: no result depends on it. */
    __atomic_store_n(&unit->busy, worker->counts.hops - hops > FETCH_HOPS, __ATOMIC_RELAXED);
}
