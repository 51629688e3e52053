/* A switch, cycle by cycle. Everything here is done for every hop of every flit. */
#include "sim/flit/flit_allocate.h"

enum { FETCH_HOPS = 16 };

/* --- arrivals ----------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE void receive(const struct context *c, uint32_t port, uint32_t lane)
{
    struct cw_flit_in_port *in = &c->in_ports[port];
    struct cw_flit_in_queue *queue = &c->in_queues[port << CW_FLIT_LANE_BITS | lane];
    const bool first = queue->n++ == 0;
    in->lanes |= (uint8_t)(1u << lane);
    c->dirty[word(c, port)] |= (uint64_t)first << (port & 63);
    note_head(c, in, queue, queue->head, first && (c->single || queue->left == 0));
}

ALWAYS_INLINE void take_arrivals(const struct context *c, uint64_t t, uint64_t *masks)
{
    const uint32_t host_place = c->unit->host_place, stride = (c->rows_mask + 1) * (1 + c->pairs);
    const uint32_t line = c->unit->line + ((uint32_t)t & c->rows_mask);
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t places = masks[w];
        masks[w] = 0;
        for (; places != 0; places &= places - 1) {
            const uint32_t place = 64 * w + (uint32_t)__builtin_ctzll(places), at = line + place * stride;
            const uint32_t lane = c->lines[at] - 1u;
            c->lines[at] = 0;
            if (place < host_place)
                receive(c, place, lane);
            else
                cw_flit_take_in(c->worker, c->unit, place - host_place, t);
        }
    }
    route_heads(c);
}

/* --- credits ------------------------------------------------------------------------------------------------------ */

/* Takes the credits that come back to output PORT, at most two, of which NIBBLES are the lanes + 1; 0: none. */
ALWAYS_INLINE void take_credits(const struct context *c, uint32_t port, uint32_t nibbles)
{
    const uint32_t a = nibbles & 15, b = nibbles >> 4;
    struct cw_flit_out_port *out = &c->out_ports[port];
    out->credits[a]++;
    out->credits[b]++;
    uint32_t can = (1u << a | 1u << b) >> 1;
    if (!c->single)
        for (uint32_t left = can; left != 0; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            if (out->credits[lane + 1] < c->unit->departing[port << CW_FLIT_LANE_BITS | lane].need) can ^= 1u << lane;
        }
    can |= out->creditable;
    out->creditable = (uint8_t)can;
    c->sendable[word(c, port)] |= (uint64_t)((can & out->lanes) != 0) << (port & 63);
}

ALWAYS_INLINE void take_host_credits(const struct context *c, uint32_t h, uint32_t nibbles)
{
    struct cw_flit_host *host = &c->unit->hosts[h];
    host->credits[nibbles & 15]++;
    host->credits[nibbles >> 4]++;
    c->unit->willing[h / 64] |= (uint64_t)(host->left > 0) << (h & 63);
}

/* Places with credits on their lines are in RETURNED. */
ALWAYS_INLINE void take_all_credits(const struct context *c, uint64_t t, uint64_t *returned)
{
    const uint32_t host_place = c->unit->host_place, rows = c->rows_mask + 1;
    uint8_t *lines = c->lines + c->unit->line + ((uint32_t)t & c->rows_mask);
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t places = returned[w];
        returned[w] = 0;
        for (; places != 0; places &= places - 1) {
            const uint32_t place = 64 * w + (uint32_t)__builtin_ctzll(places);
            uint8_t *line = lines + place * (1 + c->pairs) * rows;
            for (uint32_t pair = 1; pair <= c->pairs; pair++) {
                const uint32_t nibbles = line[pair * rows];
                line[pair * rows] = 0;
                if (place < host_place)
                    take_credits(c, place, nibbles);
                else
                    take_host_credits(c, place - host_place, nibbles);
            }
        }
    }
}

/* --- outputs ------------------------------------------------------------------------------------------------------ */

/* Once QUEUE has lost its head: true if it is empty, and CREDITABLE if the next head may go. */
ALWAYS_INLINE bool next_head(const struct context *c, struct cw_flit_out_queue *queue, uint32_t q, uint32_t credits,
                             bool *creditable)
{
    const bool empty = cw_flit_queued(c->simulation, queue) == 0;
    *creditable = credits >= 1;
    if (!c->single) {
        struct cw_flit_departure *next = &c->unit->departing[q];
        next->slot = cw_flit_next_slot(c->simulation, next->slot);
        const uint32_t length = empty ? 1 : c->flits[next->slot].packet.flits;
        next->need = length > 1 ? length : 1;
        *creditable = credits >= next->need;
    }
    return empty;
}

/* Output PORT, which has a lane that may send, sends a flit, if its channel is free. */
ALWAYS_INLINE void send(const struct context *c, uint32_t port, uint64_t t)
{
    struct cw_flit_out_port *out = &c->out_ports[port];
    bool creditable;
    if (c->special && c->unit->paces) {
        if (!cw_flit_may_go(&c->unit->paces[port], t)) return;
        cw_flit_go(&c->unit->paces[port], t);
    }
    const uint32_t lane = in_turn(out->lanes & out->creditable, out->next_lane), q = port << CW_FLIT_LANE_BITS | lane;
    struct cw_flit_out_queue *queue = &c->out_queues[q];
    const uint64_t due = t + out->flits.delay;
    const uint32_t credits = out->credits[lane + 1] -= out->credited;
    queue->room++;
    open_queue(c, port, q);
    const bool empty = next_head(c, queue, q, credits, &creditable);
    const uint32_t lanes = out->lanes & ~((uint32_t)empty << lane);
    const uint32_t can = out->creditable & ~((uint32_t)!creditable << lane);
    out->lanes = (uint8_t)lanes;
    out->creditable = (uint8_t)can;
    out->next_lane = (uint8_t)((lane + 1) & 7);
    c->sendable[word(c, port)] &= ~((uint64_t)((lanes & can) == 0) << (port & 63));
    c->lines[out->flits.at + ((uint32_t)due & c->rows_mask)] = (uint8_t)(lane + 1);
    note(c, &out->flits, due, c->arrivals);
    c->unit->channel_flits[port]++;
}

ALWAYS_INLINE void send_outputs(const struct context *c, uint64_t t)
{
    for (uint32_t w = 0; w < c->words; w++)
        for (uint64_t ports = c->sendable[w]; ports != 0; ports &= ports - 1)
            send(c, 64 * w + (uint32_t)__builtin_ctzll(ports), t);
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

/* A bit for each of the BYTES that is not 0. */
ALWAYS_INLINE uint64_t bits_of(uint64_t bytes)
{
    const uint64_t low = bytes & 0x7f7f7f7f7f7f7f7f;
    return (bytes | (low + 0x7f7f7f7f7f7f7f7f)) >> 7 & 0x0101010101010101;
}

/* Enters the bits of SQUARE, eight places in each of N cycles, in MASKS, from place FIRST on. */
ALWAYS_INLINE void enter(const struct context *c, uint64_t square, uint32_t first, uint32_t n, uint64_t *masks)
{
    if (square == 0) return;
    for (uint32_t cycle = 0; cycle < n; cycle++)
        masks[(size_t)cycle * c->words + word(c, first)] |= (square >> 8 * cycle & 0xff) << (first & 63);
}

/* Turns lines, those of the first place at LINES, into masks of N cycles, at most 8, from SINCE on in the window; eight
 * places at a time, as matrices of bits. True if there is something. */
ALWAYS_INLINE bool look_at_lines(const struct context *c, const uint8_t *lines, uint32_t n, uint32_t since)
{
    const uint32_t rows = c->rows_mask + 1;
    uint64_t some = 0;
    for (uint32_t first = 0; first < c->unit->places; first += 8) {
        const uint32_t end = c->unit->places - first < 8 ? c->unit->places - first : 8;
        uint64_t flits = 0, credits = 0;
        for (uint32_t i = 0; i < end; i++, lines += (size_t)rows * (1 + c->pairs)) {
            const uint64_t arriving = bytes_of(lines, n);
            uint64_t returned = 0;
            for (uint32_t pair = 0; pair < c->pairs; pair++) returned |= bytes_of(lines + (size_t)(1 + pair) * rows, n);
            if ((arriving | returned) == 0) continue;
            flits |= bits_of(arriving) << i;
            credits |= bits_of(returned) << i;
        }
        some |= flits | credits;
        enter(c, flits, first, n, c->arrivals + (size_t)since * c->words);
        enter(c, credits, first, n, c->returned + (size_t)since * c->words);
    }
    return some != 0;
}

ALWAYS_INLINE bool look_at_all_lines(const struct context *c)
{
    const uint32_t n = (uint32_t)(c->to - c->from);
    const uint8_t *lines = c->lines + c->unit->line + (c->from & c->rows_mask);
    bool some = false;
    for (uint32_t i = 0; i < n; i += 8) some |= look_at_lines(c, lines + i, n - i < 8 ? n - i : 8, i);
    return some;
}

/* One cycle; false if nothing happened. */
ALWAYS_INLINE bool cycle(const struct context *c, uint64_t t)
{
    struct cw_flit_unit *unit = c->unit;
    uint64_t *arrivals = c->arrivals + (t - c->from) * c->words, *returned = c->returned + (t - c->from) * c->words;
    bool stirred = false;
    if (any(c, arrivals)) {
        stirred = true;
        take_arrivals(c, t, arrivals);
    }
    if (any(c, returned)) {
        stirred = true;
        take_all_credits(c, t, returned);
    }
    if (any(c, c->sendable)) {
        stirred = true;
        send_outputs(c, t);
    }
    for (uint32_t round = 0; round < c->simulation->hardware.speedup && (any(c, c->dirty) || any(c, c->asked));
         round++) {
        stirred = true;
        allocate(c, t, round);
    }
    if (t < unit->next_wake && !any(c, unit->willing)) return stirred;
    cw_flit_inject(c->worker, unit, t);
    return true;
}

ALWAYS_INLINE bool advance(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t words, bool single,
                           bool special)
{
    struct cw_flit_simulation *simulation = worker->simulation;
    const struct context c = {.simulation = simulation,
                              .worker = worker,
                              .unit = unit,
                              .flits = simulation->flits,
                              .in_queues = unit->in_queues,
                              .out_queues = unit->out_queues,
                              .in_ports = unit->in_ports,
                              .out_ports = unit->out_ports,
                              .dirty = unit->dirty,
                              .asked = unit->asked,
                              .sendable = unit->sendable,
                              .requests = unit->requests,
                              .asks = unit->asks,
                              .lines = simulation->lines,
                              .arrivals = worker->arrivals,
                              .returned = worker->returned,
                              .turns = worker->turns,
                              .from = worker->from,
                              .to = worker->to,
                              .rows_mask = simulation->rows - 1,
                              .pairs = special ? simulation->pairs : 1,
                              .words = words,
                              .single = single,
                              .special = special};
    bool stirred = look_at_all_lines(&c);
    if (!stirred && c.to <= unit->next_wake && !any(&c, unit->willing) && !any(&c, c.sendable) && !any(&c, c.dirty) &&
        !any(&c, c.asked)) {
        cw_flit_fetch(worker, 0, 1);
        return false;
    }
    for (uint64_t t = c.from; t < c.to; t++) {
        stirred |= cycle(&c, t);
        cw_flit_fetch(worker, (uint32_t)(t - c.from), (uint32_t)(c.to - c.from));
    }
    return stirred;
}

/* Others see the queues as they were at the end of the window before: there are two copies. */
static void publish(struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit)
{
    uint32_t *occupancy = simulation->snapshot[simulation->windows & 1];
    if (!occupancy) return;
    for (uint32_t port = 0; port < unit->radix; port++)
        occupancy[unit->first + port] = cw_flit_occupancy(simulation, unit, port);
}

/* Most switches have at most 64 ports and endpoints, most messages are single flits, and most channels equally fast:
 * what is so is compiled by itself. */
static __attribute__((noinline)) bool advance_simple(struct cw_flit_worker *worker, struct cw_flit_unit *unit)
{
    return advance(worker, unit, 1, true, false);
}

#if defined(__x86_64__)
/* All processors of the last ten years can: it saves instructions wherever there are masks. */
static __attribute__((noinline, target("bmi,bmi2"))) bool advance_simple_bmi(struct cw_flit_worker *worker,
                                                                             struct cw_flit_unit *unit)
{
    return advance(worker, unit, 1, true, false);
}

static bool has_bmi(void)
{
    return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#else
#define advance_simple_bmi advance_simple
static bool has_bmi(void)
{
    return false;
}
#endif

static __attribute__((noinline)) bool advance_narrow(struct cw_flit_worker *worker, struct cw_flit_unit *unit)
{
    return advance(worker, unit, 1, worker->simulation->longest == 1, true);
}

static __attribute__((noinline)) bool advance_wide(struct cw_flit_worker *worker, struct cw_flit_unit *unit)
{
    return advance(worker, unit, unit->words, worker->simulation->longest == 1, true);
}

void cw_flit_advance(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint64_t from, uint64_t to)
{
    const struct cw_flit_simulation *simulation = worker->simulation;
    const bool special = unit->paces || simulation->pairs > 1 || simulation->hardware.transit_first ||
                         simulation->hardware.allocator != CW_FLIT_ROUND_ROBIN;
    const uint64_t hops = worker->counts.hops;
    bool stirred;
    worker->unit = unit;
    worker->from = from;
    worker->to = to;
    if (unit->words > 1)
        stirred = advance_wide(worker, unit);
    else if (special || simulation->longest > 1)
        stirred = advance_narrow(worker, unit);
    else
        stirred = has_bmi() ? advance_simple_bmi(worker, unit) : advance_simple(worker, unit);
    if (stirred || unit->stirred) publish(worker->simulation, unit);
    unit->stirred = stirred;
    /* Others look at this to see whether fetching is worth its while: no result depends on it. */
    __atomic_store_n(&unit->busy, worker->counts.hops - hops > FETCH_HOPS, __ATOMIC_RELAXED);
}
