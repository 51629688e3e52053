/*
 * A switch, cycle by cycle. Everything here is done for every hop of every flit. Compiled once for each kind of
 * processor (flit_switch*.c), as CW_FLIT_SIMULATE. Not installed.
 */
#include "sim/flit/flit_allocate.h"

/* --- arrivals ----------------------------------------------------------------------------------------------------- */

/* The hosts at PLACES of word W take in flits. */
ALWAYS_INLINE void arrive_at_hosts(const struct context *c, uint32_t w, uint64_t places, uint64_t t)
{
    for (; places != 0; places &= places - 1)
        cw_flit_take_in(c->worker, c->unit, 64 * w + (uint32_t)__builtin_ctzll(places) - c->unit->radix, t);
}

/* Takes FLITS, a bit for the lane of the one that arrives at each of the places of word W. */
ALWAYS_INLINE void arrive_at_ports(const struct context *c, uint32_t w, const uint8_t *flits)
{
    const uint8_t *is_port = c->unit->is_port + 64 * w;
    uint8_t *in_lanes = c->in_lanes + 64 * w;
    uint8_t arriving[CW_FLIT_BLOCK], fresh[CW_FLIT_BLOCK];
    ALL_PLACES (i) {
        arriving[i] = flits[i] & is_port[i];
        fresh[i] = arriving[i] & (uint8_t)~in_lanes[i];
        in_lanes[i] |= arriving[i];
    }
    for (uint32_t lane = 0; lane < c->lanes; lane++)
        change_all(c, c->arrived, queue_of(c, 64 * w, lane), arriving, (uint8_t)(1u << lane), 1);
    for (uint64_t ports = places_of(fresh); ports != 0; ports &= ports - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(ports), port = 64 * w + i;
        const uint32_t q = queue_of(c, port, (uint32_t)__builtin_ctz(fresh[i]));
        note_head(c, &c->in_ports[port], q, c->in_queues[q].head, c->single || c->unit->claims[q].left == 0);
    }
}

ALWAYS_INLINE bool take_arrivals(const struct context *c, uint64_t t)
{
    uint8_t *flits = row(c, 0, t);
    bool some = false;
    for (uint32_t w = 0; w < c->words; w++) {
        const uint64_t places = places_of(flits + 64 * w), hosts = places & c->unit->hosts_of[w];
        if (places == 0) continue;
        some = true;
        arrive_at_hosts(c, w, hosts, t);
        if (places != hosts) arrive_at_ports(c, w, flits + 64 * w);
        memset(flits + 64 * w, 0, CW_FLIT_BLOCK);
    }
    route_heads(c);
    return some;
}

/* --- credits ------------------------------------------------------------------------------------------------------ */

/* Takes CREDITS, a bit for the lane of each round's, for the places of word W. */
ALWAYS_INLINE void take_rounds(const struct context *c, uint32_t w, const uint8_t *credits)
{
    for (uint32_t lane = 0; lane < c->lanes; lane++) {
        const uint32_t first = queue_of(c, 64 * w, lane);
        change_all(c, c->credits, first, credits, (uint8_t)(1u << lane), 1);
        if (c->is_narrow) change_all(c, c->credits, first, credits, (uint8_t)(16u << lane), 1);
    }
}

ALWAYS_INLINE bool take_credits(const struct context *c, uint64_t t)
{
    bool some = false;
    for (uint32_t kind = 1; kind < c->kinds; kind++)
        for (uint32_t w = 0; w < c->words; w++) {
            uint8_t *credits = row(c, kind, t) + 64 * w;
            const uint64_t places = places_of(credits);
            if (places == 0) continue;
            some = true;
            take_rounds(c, w, credits);
            c->unit->active_hosts[w] |= c->unit->blocked_hosts[w] & places;
            c->unit->blocked_hosts[w] &= ~places;
            memset(credits, 0, CW_FLIT_BLOCK);
        }
    return some;
}

/* --- outputs ------------------------------------------------------------------------------------------------------ */

/* A bit for each lane whose head may not go, for want of itself or of credits, at the output ports of word W. */
ALWAYS_INLINE void find_blocked(const struct context *c, uint32_t w, uint8_t *blocked)
{
    for (uint32_t lane = 0; lane < c->lanes; lane++) {
        const uint32_t first = queue_of(c, 64 * w, lane);
        const uint8_t lane_bit = (uint8_t)(1u << lane);
        find_below(c, c->queued, first, 1, blocked, lane_bit);
        find_below(c, c->credits, first, 1, blocked, lane_bit);
        if (c->single) continue;
        const uint8_t *needs = c->unit->needs + first;
        for (uint32_t i = 0; i < CW_FLIT_BLOCK; i++)
            blocked[i] |= bits_if(count(c, c->credits, first + i) < needs[i], lane_bit);
    }
}

/* Those of the PORTS of word W whose channels are free, and they move a flit. */
static __attribute__((noinline)) uint64_t go(const struct context *c, uint32_t w, uint64_t ports, uint8_t *ready,
                                             uint64_t t)
{
    uint64_t free = 0;
    for (; ports != 0; ports &= ports - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(ports);
        struct cw_flit_pace *pace = &c->unit->paces[64 * w + i];
        if (cw_flit_may_go(pace, t)) {
            cw_flit_go(pace, t);
            free |= bit(i);
        } else {
            ready[i] = 0;
        }
    }
    return free;
}

/* Of the output ports of word W a flit leaves the lane of SENT. */
ALWAYS_INLINE void leave(const struct context *c, uint32_t w, const uint8_t *sent)
{
    const uint8_t *spends = c->unit->spends + 64 * w;
    uint8_t *out_lane_pointers = c->out_lane_pointers + 64 * w, spent[CW_FLIT_BLOCK];
    ALL_PLACES (i) {
        spent[i] = sent[i] & spends[i];
        out_lane_pointers[i] = (out_lane_pointers[i] & bits_if(sent[i] == 0, UINT8_MAX)) | pointer_after(sent[i]);
    }
    for (uint32_t lane = 0; lane < c->lanes; lane++) {
        const uint8_t lane_bit = (uint8_t)(1u << lane);
        change_all(c, c->queued, queue_of(c, 64 * w, lane), sent, lane_bit, -1);
        change_all(c, c->credits, queue_of(c, 64 * w, lane), spent, lane_bit, -1);
    }
}

/* The next head of output queue Q, which has lost its head. */
ALWAYS_INLINE void next_out(const struct context *c, uint32_t q)
{
    struct cw_flit_unit *unit = c->unit;
    const uint32_t slot = unit->next_out[q] = cw_flit_next_slot(c->simulation, unit->next_out[q]);
    const uint32_t length = count(c, c->queued, q) > 0 ? c->flits[slot].packet.flits : 1;
    unit->needs[q] = (uint8_t)(length > 1 ? length : 1);
}

/* True if a flit is sent, or waits for its channel only. */
ALWAYS_INLINE bool send_outputs(const struct context *c, uint64_t t)
{
    bool some = false;
    for (uint32_t w = 0; w < c->words; w++) {
        const uint8_t every = (uint8_t)((1u << c->lanes) - 1);
        uint8_t blocked[CW_FLIT_BLOCK] = {0}, ready[CW_FLIT_BLOCK], sent[CW_FLIT_BLOCK];
        find_blocked(c, w, blocked);
        ALL_PLACES (i) ready[i] = every & (uint8_t)~blocked[i];
        uint64_t ports = places_of(ready);
        if (ports == 0) continue;
        some = true;
        if (c->special && c->unit->paces) ports = go(c, w, ports, ready, t);
        round_robin(sent, ready, c->out_lane_pointers + 64 * w);
        leave(c, w, sent);
        memcpy(sent_row(c, 0, t) + 64 * w, sent, sizeof sent);
        if (c->single && !c->is_near) continue;
        for (; ports != 0; ports &= ports - 1) {
            const uint32_t i = (uint32_t)__builtin_ctzll(ports), port = 64 * w + i;
            if (!c->single) next_out(c, queue_of(c, port, (uint32_t)__builtin_ctz(sent[i])));
            if (c->is_near) send_nearby(c, port, t);
        }
    }
    return some;
}

/* --- windows ------------------------------------------------------------------------------------------------------ */

/* N bytes, at most 8, as one number. No others are touched, here and below: those are being written. */
ALWAYS_INLINE uint64_t look_at_bytes(const uint8_t *bytes, uint32_t n)
{
    uint64_t all = 0;
    if (n == 8)
        memcpy(&all, bytes, sizeof all);
    else
        for (uint32_t i = 0; i < n; i++) all |= (uint64_t)bytes[i] << 8 * i;
    return all;
}

/* Makes them 0. */
ALWAYS_INLINE void clear_bytes(uint8_t *bytes, uint32_t n)
{
    if (n == 8)
        memset(bytes, 0, 8);
    else
        for (uint32_t i = 0; i < n; i++) bytes[i] = 0;
}

/* Turns LINES of KIND, the first of eight places from FIRST on, into bytes of rows, which are 0, in N cycles from T on,
 * and leaves 0 there. False if all are 0. */
ALWAYS_INLINE bool read_square(const struct context *c, uint8_t *lines, uint32_t first, uint32_t kind, uint64_t t,
                               uint32_t n)
{
    const size_t stride = (size_t)c->kinds * (c->rows_mask + 1);
    uint64_t square[8], some = 0;
    for (uint32_t i = 0; i < 8; i++) some |= square[i] = look_at_bytes(lines + i * stride, n);
    if (some == 0) return false;
    for (uint32_t i = 0; i < 8; i++) clear_bytes(lines + i * stride, n);
    transpose(square);
    uint8_t *rows = row(c, kind, t) + first;
    for (uint32_t cycle = 0; cycle < n; cycle++) memcpy(rows + cycle * c->stride, &square[cycle], sizeof *square);
    return true;
}

/* Fills the rows of the N cycles from T on, at most 8. False if nothing arrives then. */
ALWAYS_INLINE bool read_some_delay_lines(const struct context *c, uint64_t t, uint32_t n)
{
    const uint32_t rows = c->rows_mask + 1, places = c->unit->places;
    uint8_t *lines = c->delay_lines + c->unit->delay_lines + ((uint32_t)t & c->rows_mask);
    bool some = false;
    for (uint32_t first = 0; first < places; first += 8, lines += (size_t)8 * c->kinds * rows)
        for (uint32_t kind = 0; kind < c->kinds; kind++)
            some |= read_square(c, lines + (size_t)kind * rows, first, kind, t, n);
    return some;
}

/* Fills the rows of the window. False if nothing arrives in it. */
ALWAYS_INLINE bool read_delay_lines(const struct context *c)
{
    bool some = false;
    for (uint64_t t = c->from, end; t < c->to; t = end) {
        end = (t | 7) + 1 < c->to ? (t | 7) + 1 : c->to;
        if (end - t == 8) /* mostly; and then no loop over bytes */
            some |= read_some_delay_lines(c, t, 8);
        else
            some |= read_some_delay_lines(c, t, (uint32_t)(end - t));
    }
    return some;
}

/* Puts what a port has sent in N cycles, at most 8, on LINE, of KIND, where there is nothing for the cycles from DUE
 * on. */
ALWAYS_INLINE void write_delay_line(const struct context *c, const struct cw_flit_delay_line *line, uint32_t kind,
                                    uint64_t due, uint64_t bytes, uint32_t n)
{
    const uint32_t first = (uint32_t)due & c->rows_mask, rows = c->rows_mask + 1;
    uint8_t *at = c->delay_lines + line->at + (kind > 0 ? kind - 1 : 0) * rows;
    if (n == 8 && first + 8 <= rows)
        memcpy(at + first, &bytes, 8);
    else
        for (uint32_t i = 0; i < n; i++) at[(first + i) & c->rows_mask] = (uint8_t)(bytes >> 8 * i);
}

/* Puts what eight ports from FIRST on have sent in N cycles from T on, of KIND, on their delay lines. */
ALWAYS_INLINE void write_square(const struct context *c, uint32_t first, uint32_t kind, uint64_t t, uint32_t n)
{
    uint8_t *sent = sent_row(c, kind, t) + first;
    uint64_t square[8] = {0}, some = 0;
    for (uint32_t cycle = 0; cycle < n; cycle++) {
        memcpy(&square[cycle], sent + cycle * c->stride, sizeof *square);
        some |= square[cycle];
    }
    if (some == 0) return;
    for (uint32_t cycle = 0; cycle < n; cycle++) memset(sent + cycle * c->stride, 0, sizeof *square);
    transpose(square);
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t port = first + i;
        if (square[i] == 0) continue;
        const struct cw_flit_delay_line *line = kind == 0 ? &c->out_ports[port].flits : &c->in_ports[port].credits;
        write_delay_line(c, line, kind, t + line->delay, square[i], n);
        if (kind == 0) c->unit->channel_flits[port] += (uint64_t)__builtin_popcountll(bits_of(square[i]));
    }
}

/* Puts what was sent in the window on the delay lines. */
ALWAYS_INLINE void write_delay_lines(const struct context *c)
{
    for (uint64_t t = c->from, end; t < c->to; t = end) {
        end = (t | 7) + 1 < c->to ? (t | 7) + 1 : c->to;
        for (uint32_t first = 0; first < c->unit->radix; first += 8)
            for (uint32_t kind = 0; kind < c->kinds; kind++)
                if (end - t == 8)
                    write_square(c, first, kind, t, 8);
                else
                    write_square(c, first, kind, t, (uint32_t)(end - t));
    }
}

/* The hosts among the places of word W that wake in cycle T. */
ALWAYS_INLINE uint64_t take_waking(const struct context *c, uint64_t t, uint32_t w)
{
    uint64_t *waking = &c->worker->waking[(t - c->from) * c->words + w];
    const uint64_t places = *waking;
    *waking = 0;
    return places;
}

/* Fetches another part of what the next units need. */
ALWAYS_INLINE void fetch_more(const struct context *c)
{
    if (c->worker->fetch.parts > 0) cw_flit_fetch_part(c->worker);
}

/* One cycle; false if nothing happened. What is fetched is spread over it. */
ALWAYS_INLINE bool cycle(const struct context *c, uint64_t t)
{
    struct cw_flit_unit *unit = c->unit;
    bool active = take_arrivals(c, t);
    fetch_more(c);
    active |= take_credits(c, t);
    active |= unit->active;
    if (active) unit->active = send_outputs(c, t);
    fetch_more(c);
    for (uint32_t round = 0; active && round < c->rounds && allocate(c, t, round); round++) {
        unit->active = true;
        if (round == 0) fetch_more(c);
    }
    uint64_t active_hosts = 0;
    for (uint32_t w = 0; w < c->words; w++) active_hosts |= unit->active_hosts[w] |= take_waking(c, t, w);
    if (active_hosts != 0) cw_flit_inject(c->worker, unit, t);
    fetch_more(c);
    return active || active_hosts != 0;
}

ALWAYS_INLINE bool simulate(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint32_t words, bool single,
                            bool special, bool is_short)
{
    struct cw_flit_tuned *simulation = worker->simulation;
    const struct context c = {.simulation = simulation,
                              .worker = worker,
                              .unit = unit,
                              .flits = simulation->flits,
                              .arrived = unit->arrived,
                              .queued = unit->queued,
                              .credits = unit->credits,
                              .want_port = unit->want_port,
                              .want_lane = unit->want_lane,
                              .in_lanes = unit->in_lanes,
                              .in_lane_pointers = unit->in_lane_pointers,
                              .out_lane_pointers = unit->out_lane_pointers,
                              .port_pointers = unit->port_pointers,
                              .requests = worker->requests,
                              .asked = worker->asked,
                              .asked_lanes = worker->asked_lanes,
                              .rows = worker->rows,
                              .sent = worker->sent,
                              .choices = worker->choices,
                              .in_queues = unit->in_queues,
                              .ends = unit->ends,
                              .in_ports = unit->in_ports,
                              .out_ports = unit->out_ports,
                              .turns = worker->turns,
                              .from = worker->from,
                              .to = worker->to,
                              .delay_lines = simulation->delay_lines,
                              .rows_mask = simulation->rows - 1,
                              .words = words,
                              .stride = 64 * words,
                              .lanes = unit->lanes,
                              .kinds = simulation->kinds,
                              .rounds = simulation->hardware.speedup,
                              .single = single,
                              .special = special,
                              .is_short = is_short,
                              .is_narrow = simulation->is_narrow,
                              .is_near = simulation->min_latency < simulation->window};
    uint64_t active_hosts = unit->next_wake < c.to;
    for (uint32_t w = 0; w < words; w++) active_hosts |= unit->active_hosts[w];
    if (!read_delay_lines(&c) && !unit->active && active_hosts == 0) {
        cw_flit_fetch_begin(worker, 1);
        while (worker->fetch.parts > 0) cw_flit_fetch_part(worker);
        return false;
    }
    bool active = false;
    cw_flit_fetch_begin(worker, (uint32_t)(c.to - c.from));
    if (unit->next_wake < c.to) cw_flit_wake_hosts(worker, unit);
    for (uint64_t t = c.from; t < c.to; t++) active |= cycle(&c, t);
    write_delay_lines(&c);
    return active;
}

/* Most switches have at most 64 ports and endpoints, most messages are single flits, most channels equally fast, and
 * most queues short: what is so is compiled by itself. */
static __attribute__((noinline)) bool simulate_simple(struct cw_flit_worker *worker, struct cw_flit_unit *unit)
{
    return simulate(worker, unit, 1, true, false, true);
}

static __attribute__((noinline)) bool simulate_any(struct cw_flit_worker *worker, struct cw_flit_unit *unit)
{
    const struct cw_flit_tuned *simulation = worker->simulation;
    return simulate(worker, unit, unit->words, simulation->longest == 1, true, simulation->is_short);
}

bool CW_FLIT_SIMULATE(struct cw_flit_worker *worker, struct cw_flit_unit *unit)
{
    const struct cw_flit_tuned *simulation = worker->simulation;
    const struct cw_flit_hardware *hardware = &simulation->hardware;
    const bool special = unit->paces || hardware->transit_first || simulation->by_age;
    const bool simple = unit->words == 1 && simulation->longest == 1 && !special && simulation->is_short;
    return simple ? simulate_simple(worker, unit) : simulate_any(worker, unit);
}
