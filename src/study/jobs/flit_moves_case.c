#include "study/jobs/flit_moves_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "sim/flows/flow_sim.h"

#define RUN_CYCLES 10000 /* between two reports of progress */

/* What the simulator takes. */
struct streams {
    const struct cw_flit_moves_case *made;
    const struct cw_network *net; /* that is simulated: the case's, `unfolded` or `homed` */
    uint32_t n_ranks;
    const uint32_t *endpoints; /* [n_ranks] */
    uint32_t *memory;          /* [n_ranks] of cw_flit_streams, or NULL */
    struct cw_flit_hop *hops;
    size_t n_hops;
    size_t *first; /* of the channels of paths; there and back of each hop */
    uint32_t n_paths;
    uint32_t *channels;
    /* Where nodes are switches: */
    struct cw_network *unfolded;
    uint32_t *seats;   /* [2 · channels of the case's network] ranks, by out_seat and in_seat; CW_NONE: none */
    uint32_t *gates;   /* [the same] the channel between the endpoint and its switch that the rank stands for */
    uint32_t *seated;  /* [n_ranks] endpoints of `unfolded` */
    uint32_t *link_of; /* [channels of the case's network] between switches: what they are in `unfolded` */
    /* Where endpoints have several cables: */
    struct cw_network *homed; /* link_of has all channels, and seats have ranks of the moves and then seats */
    uint32_t *rank_of;        /* [ranks of the moves + n_seats] in the simulation */
    uint32_t n_seats;
};

/* The step that takes in what STEP sends. */
static size_t step_after(const struct cw_moves *moves, const struct cw_step *step)
{
    return cw_moves_find(moves, step->to, step->stream);
}

static enum cw_step_kind kind_after(const struct cw_moves *moves, const struct cw_step *step)
{
    return moves->steps[step_after(moves, step)].kind;
}

/* The channels of all steps together, of which several may take the same path. */
static size_t count_channels(const struct cw_moves *moves)
{
    size_t n = 0;
    for (size_t i = 0; i < moves->first_step[moves->n_ranks]; i++) n += moves->steps[i].n_channels;
    return n;
}

/* A send or forward of a stream, that of RANK. */
struct sent {
    uint32_t rank;
    size_t step, before; /* before: which one brings RANK the data; SIZE_MAX: it has them */
    uint32_t joined;     /* so many behind it bring RANK what is added to them */
    /* by flows, from the source to where it is sent: */
    double stored;  /* [s] for which ranks have stored chunks */
    double latency; /* [s] of the channels */
};

/* Lists all that send on the stream that RANK begins at its step I, each after the one before it, in SENDS, which has
 * room for all steps. Returns how many there are: 0, if it begins elsewhere, or is added up. */
static size_t list_sends(const struct cw_moves *moves, uint32_t rank, size_t i, struct sent *sends)
{
    size_t n = 0;
    if (moves->steps[i].kind != CW_STEP_SEND || cw_moves_adds(moves, &moves->steps[i])) return 0;
    for (size_t end = cw_moves_end(moves, rank, i); i < end; i++)
        sends[n++] = (struct sent){.rank = rank, .step = i, .before = SIZE_MAX};
    for (size_t s = 0; s < n; s++) {
        const struct cw_step *step = &moves->steps[sends[s].step];
        const size_t taken = step_after(moves, step), end = cw_moves_end(moves, step->to, taken);
        for (size_t k = taken; k < end; k++)
            if (moves->steps[k].kind != CW_STEP_RECEIVE)
                sends[n++] = (struct sent){.rank = step->to, .step = k, .before = s};
    }
    return n;
}

/* Whether a demand is a sum for all, which is sent once a rank has done its part in it. */
static bool returns(const struct cw_moves_demand *demand)
{
    return demand->src == CW_NONE && demand->dst == CW_NONE;
}

/* Puts what others send RANK of STREAM, to be added, behind N SENDS. Returns how many there are. */
static size_t list_parts(const struct cw_moves *moves, uint32_t rank, uint32_t stream, struct sent *sends, size_t n)
{
    const size_t first = cw_moves_find(moves, rank, stream), end = cw_moves_end(moves, rank, first);
    for (size_t k = first; k < end && moves->steps[k].kind == CW_STEP_COMBINE; k++) {
        const uint32_t from = moves->steps[k].from;
        const size_t step = cw_moves_end(moves, from, cw_moves_find(moves, from, stream)) - 1;
        sends[n++] = (struct sent){.rank = from, .step = step, .before = SIZE_MAX};
    }
    return n;
}

/* As list_sends, of a stream that ends at step I of RANK, where it is added up: 0, if it does not. From there on, level
 * by level, those that bring a rank what it adds follow one another; they are listed from the last on. */
static size_t list_added(const struct cw_moves *moves, uint32_t rank, size_t i, struct sent *sends)
{
    const uint32_t stream = moves->steps[i].stream;
    if (moves->steps[cw_moves_end(moves, rank, i) - 1].kind != CW_STEP_COMBINE) return 0;
    size_t n = list_parts(moves, rank, stream, sends, 0);
    for (size_t s = 0; s < n; s++) {
        const size_t parts = n;
        n = list_parts(moves, sends[s].rank, stream, sends, n);
        if (n == parts) continue;
        sends[s].before = n - 1;
        sends[s].joined = (uint32_t)(n - 1 - parts);
    }
    for (size_t s = 0; s < n; s++)
        if (sends[s].before != SIZE_MAX) sends[s].before = n - 1 - sends[s].before;
    for (size_t s = 0; s < n / 2; s++) {
        const struct sent sent = sends[s];
        sends[s] = sends[n - 1 - s];
        sends[n - 1 - s] = sent;
    }
    return n;
}

/* --- several endpoints of a rank ---------------------------------------------------------------------------------- */

/* Says of the ranks of the simulation, which are of the endpoints OF of the case's network, which have one memory. */
static int share_memory(struct streams *streams, const uint32_t *of)
{
    static const char what[] = "memories of ranks";
    const uint32_t n = streams->made->net->n_endpoints;
    uint32_t *first = cw_new_array(n, sizeof *first, what);
    streams->memory = cw_new_array(streams->n_ranks, sizeof *streams->memory, what);
    if (!first || !streams->memory) {
        free(first);
        return CW_ENOMEM;
    }
    for (uint32_t e = 0; e < n; e++) first[e] = CW_NONE;
    for (uint32_t r = 0; r < streams->n_ranks; r++) {
        if (first[of[r]] == CW_NONE) first[of[r]] = r;
        streams->memory[r] = first[of[r]];
    }
    free(first);
    return 0;
}

/* --- nodes that are switches -------------------------------------------------------------------------------------- */

/*
 * Such a node feeds and drains all its cables at once, but an endpoint of the simulator has one cable. So the network
 * is simulated unfolded: instead of its endpoint a node has one for each of its cables by which data leave that it
 * sends or relays, and one for each by which data come in that are for it. Each is joined to the switch by a channel
 * as fast as that cable, which carries no more than the cable does: what a relay receives leaves by the cable that its
 * endpoint is for. So the inside of a node limits nothing, and has the latency that it had.
 */

static size_t out_seat(const struct cw_moves *moves, const struct cw_step *step)
{
    return moves->channels[step->first_channel + (step->n_channels > 2)];
}

static size_t in_seat(const struct cw_flit_moves_case *made, const struct cw_step *step)
{
    const uint32_t last = step->n_channels - 1 - (step->n_channels > 2);
    return made->net->n_channels + (size_t)made->moves->channels[step->first_channel + last];
}

static void take_seats(struct streams *streams)
{
    const struct cw_moves *moves = streams->made->moves;
    const size_t n = 2 * (size_t)streams->made->net->n_channels;
    for (size_t k = 0; k < n; k++) streams->gates[k] = CW_NONE;
    for (size_t i = 0; i < moves->first_step[moves->n_ranks]; i++) {
        const struct cw_step *step = &moves->steps[i];
        if (step->to == CW_NONE) continue;
        const uint32_t *channels = moves->channels + step->first_channel;
        streams->gates[out_seat(moves, step)] = channels[0];
        if (kind_after(moves, step) != CW_STEP_FORWARD)
            streams->gates[in_seat(streams->made, step)] = channels[step->n_channels - 1];
    }
    for (size_t k = 0; k < n; k++) streams->seats[k] = streams->gates[k] == CW_NONE ? CW_NONE : streams->n_ranks++;
}

static void add_cable(struct cw_builder *builder, const struct cw_network *net, uint32_t shift, uint32_t c)
{
    const uint32_t back = net->twin[c];
    cw_builder_cable(builder, net->tail[c] + shift, cw_network_port(net, c), net->head[c] + shift,
                     cw_network_port(net, back), net->capacity[c], net->latency[c]);
    cw_builder_back(builder, net->capacity[back], net->latency[back]);
}

static int build_unfolded(struct streams *streams)
{
    const struct cw_network *net = streams->made->net;
    const uint32_t n = net->n_channels, shift = streams->n_ranks - net->n_endpoints; /* of switches' numbers */
    struct cw_builder *builder =
        cw_builder_new(streams->n_ranks, cw_network_switches(net), streams->n_ranks + (uint64_t)n / 2);
    for (uint32_t c = 0; c < n && !cw_builder_failed(builder); c++)
        if (c < net->twin[c] && !cw_network_is_endpoint(net, net->tail[c])) add_cable(builder, net, shift, c);
    for (size_t k = 0; k < 2 * (size_t)n && !cw_builder_failed(builder); k++) {
        const uint32_t gate = streams->gates[k];
        if (gate == CW_NONE) continue;
        const uint32_t sw = cw_network_is_endpoint(net, net->tail[gate]) ? net->head[gate] : net->tail[gate];
        cw_builder_cable(builder, streams->seats[k], 1, sw + shift, 0, net->capacity[k % n], net->latency[gate]);
    }
    return cw_builder_finish(builder, &streams->unfolded);
}

/* The channels between switches keep their order at each, and come before those of endpoints. */
static void find_links(struct streams *streams)
{
    const struct cw_network *net = streams->made->net, *unfolded = streams->unfolded;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
        uint32_t at = unfolded->first[v - net->n_endpoints + unfolded->n_endpoints];
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            if (!cw_network_is_endpoint(net, net->head[c])) streams->link_of[c] = at++;
    }
}

/* What comes in by one cable of a node may leave by all. */
static int share_nodes(struct streams *streams)
{
    const struct cw_network *net = streams->made->net;
    uint32_t *of = cw_new_array(streams->n_ranks, sizeof *of, "insides of nodes");
    for (size_t k = 0; k < 2 * (size_t)net->n_channels && of; k++) {
        const uint32_t gate = streams->gates[k];
        if (gate == CW_NONE) continue;
        of[streams->seats[k]] = cw_network_is_endpoint(net, net->tail[gate]) ? net->tail[gate] : net->head[gate];
    }
    const int rc = of ? share_memory(streams, of) : CW_ENOMEM;
    free(of);
    return rc;
}

static int unfold(struct streams *streams)
{
    static const char what[] = "insides of nodes";
    const size_t n = streams->made->net->n_channels;
    streams->seats = cw_new_array(2 * n, sizeof *streams->seats, what);
    streams->gates = cw_new_array(2 * n, sizeof *streams->gates, what);
    streams->link_of = cw_new_array(n, sizeof *streams->link_of, what);
    if (!streams->seats || !streams->gates || !streams->link_of) return CW_ENOMEM;
    streams->n_ranks = 0;
    take_seats(streams);
    streams->seated = cw_new_array(streams->n_ranks, sizeof *streams->seated, what);
    if (!streams->seated) return CW_ENOMEM;
    for (uint32_t r = 0; r < streams->n_ranks; r++) streams->seated[r] = r;
    streams->endpoints = streams->seated;
    int rc = build_unfolded(streams);
    if (!rc) rc = share_nodes(streams);
    if (rc) return rc;
    streams->net = streams->unfolded;
    find_links(streams);
    return 0;
}

/* --- endpoints with several cables -------------------------------------------------------------------------------- */

/*
 * An endpoint of the simulator has one cable, and sends one chunk after another. So one with several gets a switch of
 * its own that has them, where an endpoint sits for each cable by which it sends or relays, and one for each by which
 * it receives: they send and receive at once, as fast as their cable.
 */

static bool has_several(const struct cw_network *net, uint32_t e)
{
    return cw_network_degree(net, e) > 1;
}

static bool any_has_several(const struct cw_network *net)
{
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        if (has_several(net, e)) return true;
    return false;
}

/* Where seats are kept of those who send by channel C, and of those who receive by it. */
static size_t sender_at(const struct cw_moves *moves, const struct cw_step *step)
{
    return moves->channels[step->first_channel];
}

static size_t receiver_at(const struct cw_flit_moves_case *made, const struct cw_step *step)
{
    return made->net->n_channels + (size_t)made->moves->channels[step->first_channel + step->n_channels - 1];
}

/* Ranks of the simulation: those of the moves whose endpoints have one cable, and the others' seats. */
static void take_homes(struct streams *streams)
{
    const struct cw_network *net = streams->made->net;
    const struct cw_moves *moves = streams->made->moves;
    const size_t n = 2 * (size_t)net->n_channels;
    for (size_t k = 0; k < n; k++) streams->seats[k] = CW_NONE;
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++) {
            const struct cw_step *step = &moves->steps[i];
            if (step->to == CW_NONE) continue;
            const bool relayed = kind_after(moves, step) == CW_STEP_FORWARD;
            if (has_several(net, moves->endpoints[r])) streams->seats[sender_at(moves, step)] = 0;
            if (!relayed && has_several(net, moves->endpoints[step->to]))
                streams->seats[receiver_at(streams->made, step)] = 0;
        }
    for (size_t k = 0; k < n; k++)
        if (streams->seats[k] != CW_NONE) streams->seats[k] = moves->n_ranks + streams->n_seats++;
}

/* SHIFT: of switches' numbers. The switches of endpoints come behind them, at OWN. */
static uint32_t holder(const struct cw_network *net, const uint32_t *own, uint32_t shift, uint32_t v)
{
    return v >= net->n_endpoints ? v + shift : own[v] != CW_NONE ? own[v] : v;
}

static int build_homed(struct streams *streams, uint32_t *own)
{
    const struct cw_network *net = streams->made->net;
    const uint32_t n = net->n_channels, ranks = streams->made->moves->n_ranks, shift = streams->n_seats;
    uint32_t end = net->n_vertices + shift;
    for (uint32_t e = 0; e < net->n_endpoints; e++) own[e] = has_several(net, e) ? end++ : CW_NONE;
    struct cw_builder *builder =
        cw_builder_new((uint64_t)net->n_endpoints + shift, end - net->n_endpoints - shift, n / 2 + (uint64_t)shift);
    for (uint32_t c = 0; c < n && !cw_builder_failed(builder); c++) {
        const uint32_t back = net->twin[c];
        if (c > back) continue;
        cw_builder_cable(builder, holder(net, own, shift, net->tail[c]), cw_network_port(net, c),
                         holder(net, own, shift, net->head[c]), cw_network_port(net, back), net->capacity[c],
                         net->latency[c]);
        cw_builder_back(builder, net->capacity[back], net->latency[back]);
    }
    for (size_t k = 0; k < 2 * (size_t)n && !cw_builder_failed(builder); k++) {
        const uint32_t c = (uint32_t)(k % n), e = k < n ? net->tail[c] : net->head[c];
        if (streams->seats[k] != CW_NONE)
            cw_builder_cable(builder, net->n_endpoints + streams->seats[k] - ranks, 1, own[e], 0, net->capacity[c], 0);
    }
    int rc = cw_builder_finish(builder, &streams->homed);
    for (uint32_t c = 0; c < n && !rc; c++)
        streams->link_of[c] =
            cw_network_channel_at(streams->homed, holder(net, own, shift, net->tail[c]), cw_network_port(net, c));
    return rc;
}

/* Gives the ranks of the simulation their endpoints. */
static int seat_homes(struct streams *streams)
{
    const struct cw_network *net = streams->made->net;
    const struct cw_moves *moves = streams->made->moves;
    streams->rank_of = cw_new_array(moves->n_ranks + (size_t)streams->n_seats, sizeof *streams->rank_of, "ranks");
    streams->seated = cw_new_array(moves->n_ranks + (size_t)streams->n_seats, sizeof *streams->seated, "ranks");
    if (!streams->rank_of || !streams->seated) return CW_ENOMEM;
    streams->n_ranks = 0;
    for (uint32_t r = 0; r < moves->n_ranks + streams->n_seats; r++) {
        const uint32_t e = r < moves->n_ranks ? moves->endpoints[r] : net->n_endpoints + r - moves->n_ranks;
        streams->rank_of[r] = streams->n_ranks;
        if (r >= moves->n_ranks || !has_several(net, e)) streams->seated[streams->n_ranks++] = e;
    }
    streams->endpoints = streams->seated;
    return 0;
}

/* What comes in by one cable of an endpoint may leave by all. */
static int share_homes(struct streams *streams)
{
    const struct cw_network *net = streams->made->net;
    const struct cw_moves *moves = streams->made->moves;
    const size_t n = net->n_channels;
    uint32_t *of = cw_new_array(streams->n_ranks, sizeof *of, "ranks");
    if (!of) return CW_ENOMEM;
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        if (!has_several(net, moves->endpoints[r])) of[streams->rank_of[r]] = moves->endpoints[r];
    for (size_t k = 0; k < 2 * n; k++)
        if (streams->seats[k] != CW_NONE)
            of[streams->rank_of[streams->seats[k]]] = k < n ? net->tail[k] : net->head[k - n];
    const int rc = share_memory(streams, of);
    free(of);
    return rc;
}

static int add_homes(struct streams *streams)
{
    static const char what[] = "endpoints with several cables";
    const struct cw_network *net = streams->made->net;
    uint32_t *own = cw_new_array(net->n_endpoints, sizeof *own, what);
    streams->seats = cw_new_array(2 * (size_t)net->n_channels, sizeof *streams->seats, what);
    streams->link_of = cw_new_array(net->n_channels, sizeof *streams->link_of, what);
    int rc = own && streams->seats && streams->link_of ? 0 : CW_ENOMEM;
    if (!rc) take_homes(streams);
    if (!rc) rc = build_homed(streams, own);
    if (!rc) rc = seat_homes(streams);
    if (!rc) rc = share_homes(streams);
    free(own);
    if (!rc) streams->net = streams->homed;
    return rc;
}

/* Who RANK is in the simulation, in whose network seat K is if its endpoint has several cables. */
static uint32_t home_of(const struct streams *streams, uint32_t rank, size_t k)
{
    const bool several = has_several(streams->made->net, streams->made->moves->endpoints[rank]);
    return streams->rank_of[several ? streams->seats[k] : rank];
}

/* --- from steps to hops ------------------------------------------------------------------------------------------- */

/* The path of HOP, which STEP takes, and with BACK another one, for credits, in the other direction. */
static void add_paths(struct streams *streams, const struct cw_step *step, const struct cw_flit_hop *hop, bool back)
{
    const struct cw_network *net = streams->net;
    const uint32_t *way = streams->made->moves->channels + step->first_channel;
    size_t at = streams->first[streams->n_paths];
    uint32_t *there = streams->channels + at, n = 0;
    if (streams->homed && !cw_network_is_endpoint(net, net->tail[streams->link_of[way[0]]]))
        there[n++] = net->first[streams->endpoints[hop->src]];
    for (uint32_t i = 0; i < step->n_channels; i++) there[n++] = streams->link_of ? streams->link_of[way[i]] : way[i];
    if (streams->homed && !cw_network_is_endpoint(net, net->head[there[n - 1]]))
        there[n++] = net->twin[net->first[streams->endpoints[hop->dst]]];
    if (streams->unfolded) {
        there[0] = net->first[hop->src];
        there[n - 1] = net->twin[net->first[hop->dst]];
    }
    at += n;
    streams->first[++streams->n_paths] = at;
    if (!back) return;
    for (uint32_t i = 0; i < n; i++) streams->channels[at++] = net->twin[there[n - 1 - i]];
    streams->first[++streams->n_paths] = at;
}

/* The hop of SENT, whose stream's first one is hop FIRST. */
static void add_hop(struct streams *streams, const struct sent *sent, size_t first)
{
    const struct cw_moves *moves = streams->made->moves;
    const struct cw_step *step = &moves->steps[sent->step], *next = &moves->steps[step_after(moves, step)];
    const bool relayed = next->kind == CW_STEP_FORWARD, of_sum = returns(&moves->demands[step->demand]);
    const bool asks = of_sum && next->kind == CW_STEP_RECEIVE;
    const bool sums = moves->demands[step->demand].src == CW_NONE; /* not all begin with the same destination */
    struct cw_flit_hop *hop = &streams->hops[streams->n_hops++];
    *hop = (struct cw_flit_hop){.src = sent->rank,
                                .dst = step->to,
                                .bytes = step->bytes,
                                .before = sent->before == SIZE_MAX ? SIZE_MAX : first + sent->before,
                                .path = streams->n_paths,
                                .kept = !relayed,
                                .returns = asks,
                                .joined = sent->joined,
                                .sum = of_sum ? step->demand + 1 : 0,
                                .turn = sums ? (step->to + moves->n_ranks - sent->rank) % moves->n_ranks : 0};
    if (streams->unfolded) {
        hop->src = streams->seats[out_seat(moves, step)];
        hop->dst = streams->seats[relayed ? out_seat(moves, next) : in_seat(streams->made, step)];
    }
    if (streams->homed) {
        hop->src = home_of(streams, sent->rank, sender_at(moves, step));
        hop->dst = home_of(streams, step->to, relayed ? sender_at(moves, next) : receiver_at(streams->made, step));
    }
    const bool back = relayed || asks; /* a destination has no credits to give */
    add_paths(streams, step, hop, back);
    hop->back = streams->n_paths - back;
}

static int list_hops(struct streams *streams)
{
    const struct cw_moves *moves = streams->made->moves;
    const size_t n = moves->first_step[moves->n_ranks];
    if (n >= UINT32_MAX / 2) return cw_fail(CW_ELIMIT, "%zu steps are too many to be simulated", n);
    streams->hops = cw_new_array(n, sizeof *streams->hops, "hops of moves");
    streams->first = cw_new_array(2 * n + 1, sizeof *streams->first, "paths of moves");
    /* with one more at either end, where an endpoint has several cables */
    streams->channels = cw_new_array(2 * (count_channels(moves) + 2 * n), sizeof *streams->channels, "paths of moves");
    if (!streams->hops || !streams->first || !streams->channels) return CW_ENOMEM;
    struct sent *sends = cw_new_array(n, sizeof *sends, "hops of moves");
    if (!sends) return CW_ENOMEM;
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i = cw_moves_end(moves, r, i)) {
            const size_t first = streams->n_hops, n_sends = list_sends(moves, r, i, sends);
            const size_t n_added = n_sends > 0 ? 0 : list_added(moves, r, i, sends);
            for (size_t s = 0; s < n_sends + n_added; s++) add_hop(streams, &sends[s], first);
        }
    free(sends);
    return 0;
}

/* --- the bound ---------------------------------------------------------------------------------------------------- */

static int find_bound(const struct cw_flit_moves_case *made, struct cw_flit_moves_result *out)
{
    const struct cw_moves *moves = made->moves;
    double *bytes = cw_new_array(made->net->n_channels, sizeof *bytes, "loads of channels");
    if (!bytes) return CW_ENOMEM;
    for (size_t i = 0; i < moves->first_step[moves->n_ranks]; i++) {
        const struct cw_step *step = &moves->steps[i];
        for (uint32_t c = 0; c < step->n_channels; c++)
            bytes[moves->channels[step->first_channel + c]] += (double)step->bytes;
    }
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r], end; i < moves->first_step[r + 1]; i = end) {
            end = cw_moves_end(moves, r, i);
            if (moves->steps[i].kind == CW_STEP_FORWARD) out->forwards++;
            if (moves->steps[i].kind == CW_STEP_RECEIVE) out->forwards += (uint32_t)(end - i - 1);
            if (moves->steps[i].kind == CW_STEP_COMBINE) out->forwards += moves->steps[end - 1].kind == CW_STEP_SEND;
        }
    const bool inside = cw_network_node_is_switch(made->net); /* of a node nothing is limited */
    for (uint32_t c = 0; c < made->net->n_channels; c++) {
        if (inside && cw_network_is_host_channel(made->net, c)) continue;
        const double seconds = bytes[c] / made->net->capacity[c];
        if (!(seconds > out->bound_seconds)) continue;
        out->bound_seconds = seconds;
        out->hottest = c;
    }
    free(bytes);
    return 0;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static int simulate(const struct streams *streams, const struct cw_packet_routing *routing,
                    struct cw_flit_moves_result *out)
{
    const struct cw_flit_moves_case *made = streams->made;
    const struct cw_moves *moves = made->moves;
    const struct cw_flit_streams all = {.hops = streams->hops,
                                        .n = streams->n_hops,
                                        .chunk_bytes = moves->chunk_bytes,
                                        .credits = moves->credits,
                                        .memory = streams->memory};
    const struct cw_flit_job job = {.kind = CW_FLIT_STREAMS,
                                    .n_ranks = streams->n_ranks,
                                    .endpoints = streams->endpoints,
                                    .message_flits = made->message_flits,
                                    .streams = &all};
    const struct cw_flit_setup setup = {.routing = routing,
                                        .hardware = made->hardware,
                                        .jobs = &job,
                                        .n_jobs = 1,
                                        .seed = made->seed,
                                        .n_threads = made->n_threads};
    struct cw_flit_simulation *simulation;
    struct cw_flit_window window = {.finished = false};
    double moved = 0, flits = 0;
    for (size_t h = 0; h < streams->n_hops; h++) flits += (double)streams->hops[h].bytes / made->hardware.flit_bytes;
    int rc = cw_flit_new(&setup, &simulation);
    if (rc) return rc;
    while (!rc && !window.finished) {
        rc = cw_flit_run(simulation, RUN_CYCLES, &window);
        moved += (double)window.accepted_flits;
        cw_progress_reach(&made->progress, fmin(moved / flits, 1));
    }
    out->cycles = cw_flit_job_done(simulation, 0);
    out->seconds = (double)out->cycles * cw_flit_cycle(&made->hardware);
    if (!rc) rc = cw_flit_drain_and_check(simulation);
    cw_flit_free(simulation);
    return rc;
}

static int run(struct streams *streams, struct cw_flit_moves_result *out)
{
    struct cw_packet_routing *routing;
    int rc = cw_network_node_is_switch(streams->made->net) ? unfold(streams)
             : any_has_several(streams->net)               ? add_homes(streams)
                                                           : 0;
    const struct cw_network *net = streams->net;
    if (!rc) rc = list_hops(streams);
    if (!rc)
        rc = cw_packet_routing_of_paths(net, "the plan's paths", streams->n_paths, streams->first, streams->channels,
                                        &routing);
    if (rc) return rc;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t lanes = cw_packet_routing_lanes(routing, c);
        if (lanes > out->lanes) out->lanes = lanes;
    }
    rc = simulate(streams, routing, out);
    cw_packet_routing_free(routing);
    return rc;
}

/* What is known before any simulation. */
static int begin(const struct cw_flit_moves_case *made, struct cw_flit_moves_result *result)
{
    *result = (struct cw_flit_moves_result){.hottest = CW_NONE};
    for (size_t d = 0; d < made->moves->n_demands; d++) result->bytes += made->moves->demands[d].bytes;
    const int rc = cw_moves_check_network(made->moves, made->net);
    return rc ? rc : find_bound(made, result);
}

int cw_flit_moves_case_run(const struct cw_flit_moves_case *made, struct cw_flit_moves_result *out)
{
    struct streams streams = {
        .made = made, .net = made->net, .n_ranks = made->moves->n_ranks, .endpoints = made->moves->endpoints};
    struct cw_flit_moves_result result;
    int rc = begin(made, &result);
    if (!rc) rc = run(&streams, &result);
    free(streams.hops);
    free(streams.first);
    free(streams.channels);
    cw_network_free(streams.unfolded);
    cw_network_free(streams.homed);
    free(streams.rank_of);
    free(streams.seats);
    free(streams.gates);
    free(streams.seated);
    free(streams.link_of);
    free(streams.memory);
    if (!rc) *out = result;
    return rc;
}

/* --- by flows ----------------------------------------------------------------------------------------------------- */

/* Streams as messages, each to a rank of its own. */
struct fluid {
    const struct cw_network *net;
    const struct cw_moves *moves;
    double overhead;
    struct cw_program_builder *builder;
    uint32_t n;         /* streams so far; their sends are the first actions, for who receives has a later rank */
    struct sent *sends; /* [steps] of one stream */
    double *aside; /* [streams] latencies of channels that are not on the longest way, which a message counts, too */
    double *ends;  /* [actions] */
    uint32_t *endpoints; /* [ranks of the moves + streams] */
    size_t *first;       /* [actions + 1], as the next: of struct cw_flow_ways */
    uint32_t *channels;
    double *shares;
    size_t *place; /* [channels of the network] where each is in `channels`, if it is in the way */
    double *capacity;
};

/* One more channel of the way that begins at FIRST and ends before END. */
static size_t cross(struct fluid *fluid, uint32_t channel, size_t first, size_t end)
{
    const size_t at = fluid->place[channel];
    if (at >= first && at < end && fluid->channels[at] == channel) {
        fluid->shares[at]++;
        return end;
    }
    fluid->place[channel] = end;
    fluid->channels[end] = channel;
    fluid->shares[end] = 1;
    return end + 1;
}

/* The stream of N SENDS, those of list_sends: a message over all channels of its steps, and what relays store before
 * they pass on the first byte. */
static void pour(struct fluid *fluid, struct sent *sends, size_t n)
{
    const struct cw_moves *moves = fluid->moves;
    const uint32_t from = sends[0].rank, to = moves->n_ranks + fluid->n;
    const uint64_t bytes = moves->steps[sends[0].step].bytes;
    const double chunk = (double)(bytes < moves->chunk_bytes ? bytes : moves->chunk_bytes);
    const size_t first = fluid->first[fluid->n];
    size_t end = first;
    double stored = 0, latency = 0, longest = 0;
    for (struct sent *sent = sends; sent < sends + n; sent++) {
        const struct cw_step *step = &moves->steps[sent->step];
        double slowest = INFINITY, own = 0;
        for (uint32_t i = 0; i < step->n_channels; i++) {
            const uint32_t channel = moves->channels[step->first_channel + i];
            end = cross(fluid, channel, first, end);
            slowest = fmin(slowest, fluid->capacity[channel]);
            own += fluid->net->latency[channel];
        }
        latency += own;
        sent->latency = own;
        if (sent->before != SIZE_MAX) {
            sent->stored = sends[sent->before].stored + chunk / slowest + fluid->overhead;
            sent->latency = sends[sent->before].latency + own;
        }
        if (sent->stored + sent->latency > stored + longest) {
            stored = sent->stored;
            longest = sent->latency;
        }
        fluid->endpoints[to] = moves->endpoints[step->to];
    }
    cw_program_send(fluid->builder, from, to, 0, bytes);
    const uint32_t receive = cw_program_receive(fluid->builder, to, from, 0, bytes);
    cw_program_wait(fluid->builder, cw_program_compute(fluid->builder, to, stored), receive);
    fluid->aside[fluid->n] = latency - longest;
    fluid->first[++fluid->n] = end;
}

/* What the inside of a node can carry is never less than its cables do. */
static void open_nodes(struct fluid *fluid)
{
    const struct cw_network *net = fluid->net;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool out = cw_network_is_endpoint(net, net->tail[c]);
        const uint32_t node = out ? net->head[c] : net->tail[c];
        if (!out && !cw_network_is_endpoint(net, net->head[c])) continue;
        fluid->capacity[c] = 0;
        for (uint32_t k = net->first[node]; k < net->first[node + 1]; k++)
            fluid->capacity[c] += net->capacity[k] + net->capacity[net->twin[k]];
    }
}

#define WHAT "moves by flows"

/* Room for so many actions, which cross so many channels in all; and what each channel can carry. */
static int make_ways(struct fluid *fluid, size_t actions, size_t crossed)
{
    const uint32_t channels = fluid->net->n_channels;
    fluid->first = cw_new_array(actions + 1, sizeof *fluid->first, WHAT);
    fluid->channels = cw_new_array(crossed, sizeof *fluid->channels, WHAT);
    fluid->shares = cw_new_array(crossed, sizeof *fluid->shares, WHAT);
    fluid->place = cw_new_array(channels, sizeof *fluid->place, WHAT);
    fluid->capacity = cw_new_array(channels, sizeof *fluid->capacity, WHAT);
    if (!fluid->first || !fluid->channels || !fluid->shares || !fluid->place || !fluid->capacity) return CW_ENOMEM;
    for (uint32_t c = 0; c < channels; c++) fluid->capacity[c] = fluid->net->capacity[c];
    if (cw_network_node_is_switch(fluid->net)) open_nodes(fluid);
    return 0;
}

static int pour_all(struct fluid *fluid)
{
    const struct cw_moves *moves = fluid->moves;
    const size_t streams = moves->n_streams;
    fluid->sends = cw_new_array(moves->first_step[moves->n_ranks], sizeof *fluid->sends, WHAT);
    fluid->aside = cw_new_array(streams, sizeof *fluid->aside, WHAT);
    fluid->ends = cw_new_array(3 * streams, sizeof *fluid->ends, WHAT);
    fluid->endpoints = cw_new_array(moves->n_ranks + streams, sizeof *fluid->endpoints, WHAT);
    if (!fluid->sends || !fluid->aside || !fluid->ends || !fluid->endpoints) return CW_ENOMEM;
    memcpy(fluid->endpoints, moves->endpoints, moves->n_ranks * sizeof *fluid->endpoints);
    int rc = make_ways(fluid, 3 * streams, count_channels(moves));
    if (!rc) rc = cw_program_begin(moves->n_ranks + moves->n_streams, &fluid->builder);
    for (uint32_t r = 0; !rc && r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i = cw_moves_end(moves, r, i)) {
            const size_t n = list_sends(moves, r, i, fluid->sends);
            if (n > 0) pour(fluid, fluid->sends, n);
        }
    for (size_t i = fluid->n; !rc && i < 3 * streams; i++) fluid->first[i + 1] = fluid->first[i]; /* no sends */
    return rc;
}

/* --- by flows, chunk by chunk ------------------------------------------------------------------------------------- */

/* Chunk CHUNK of RANK's steps from I on, which are of one stream. It goes along an edge after the chunk before, by the
 * send PRIOR [steps]; DONE is when all that the rank adds to the demand is, if the sum comes back to it. */
static void add_chunk(struct fluid *fluid, uint32_t rank, size_t i, uint64_t chunk, uint32_t *prior, uint32_t done)
{
    const struct cw_moves *moves = fluid->moves;
    const size_t end = cw_moves_end(moves, rank, i);
    const uint64_t left = moves->steps[i].bytes - chunk * moves->chunk_bytes;
    const uint64_t bytes = left < moves->chunk_bytes ? left : moves->chunk_bytes;
    const uint32_t first = fluid->n; /* actions of this chunk before step K take it in, or send it elsewhere */
    uint32_t taken = 0;
    for (size_t k = i; k < end; k++) {
        const struct cw_step *step = &moves->steps[k];
        const bool adds = step->kind == CW_STEP_COMBINE || cw_moves_adds(moves, step);
        size_t at = fluid->first[fluid->n];
        uint32_t action;
        if (step->to == CW_NONE) {
            action = cw_program_receive(fluid->builder, rank, step->from, step->stream, bytes);
            taken++;
        } else {
            const size_t begin = at;
            action = cw_program_send(fluid->builder, rank, step->to, step->stream, bytes);
            for (uint32_t c = 0; c < step->n_channels; c++)
                at = cross(fluid, moves->channels[step->first_channel + c], begin, at);
            for (uint32_t t = 0; t < taken; t++) cw_program_wait(fluid->builder, action, first + t);
            if (chunk > 0) cw_program_wait(fluid->builder, action, prior[k]);
            prior[k] = action;
        }
        fluid->first[++fluid->n] = at;
        if (done == CW_NONE) continue;
        if (adds)
            cw_program_wait(fluid->builder, done, action);
        else
            cw_program_wait(fluid->builder, action, done);
    }
}

/* Actions are added rank by rank, as a program has them. */
static int add_chunks(struct fluid *fluid)
{
    const struct cw_moves *moves = fluid->moves;
    const size_t n_steps = moves->first_step[moves->n_ranks];
    double actions = (double)moves->n_ranks * (double)moves->n_demands, crossed = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < n_steps; i++) {
        const uint64_t chunks = cw_moves_chunks(moves, moves->steps[i].bytes);
        actions += (double)chunks;
        crossed += (double)chunks * moves->steps[i].n_channels;
        if (chunks > most) most = chunks;
    }
    if (actions >= UINT32_MAX || crossed >= UINT32_MAX)
        return cw_fail(CW_ELIMIT, "%.0f chunks over %.0f channels are too many to be simulated", actions, crossed);
    uint32_t *prior = cw_new_array(n_steps, sizeof *prior, WHAT);
    uint32_t *done = cw_new_array(moves->n_demands, sizeof *done, WHAT);
    int rc = prior && done ? make_ways(fluid, (size_t)actions, (size_t)crossed) : CW_ENOMEM;
    if (!rc) rc = cw_program_begin(moves->n_ranks, &fluid->builder);
    for (uint32_t r = 0; r < moves->n_ranks && !rc; r++) {
        for (size_t d = 0; d < moves->n_demands; d++) {
            done[d] = returns(&moves->demands[d]) ? cw_program_compute(fluid->builder, r, 0) : CW_NONE;
            if (done[d] == CW_NONE) continue;
            fluid->first[fluid->n + 1] = fluid->first[fluid->n];
            fluid->n++;
        }
        for (uint64_t chunk = 0; chunk < most; chunk++)
            for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i = cw_moves_end(moves, r, i))
                if (chunk < cw_moves_chunks(moves, moves->steps[i].bytes))
                    add_chunk(fluid, r, i, chunk, prior, done[moves->steps[i].demand]);
    }
    free(prior);
    free(done);
    return rc;
}

/* --- by flows ----------------------------------------------------------------------------------------------------- */

/* Sums go as ranks send trees' chunks (flow/forest/forest.h): a send is done when its bytes are through. */
static int flow(struct fluid *fluid, const struct cw_routes *routes, double *seconds)
{
    const bool sums = cw_moves_have_sums(fluid->moves);
    struct cw_program *program = NULL;
    struct cw_flow_result result;
    int rc = sums ? add_chunks(fluid) : pour_all(fluid);
    if (rc)
        cw_program_abandon(fluid->builder);
    else
        rc = cw_program_finish(fluid->builder, &program);
    const struct cw_flow_ways ways = {fluid->first, fluid->channels, fluid->shares};
    const struct cw_flow_job job = {.program = program,
                                    .endpoints = sums ? fluid->moves->endpoints : fluid->endpoints,
                                    .sends = CW_FLOW_AT_ONCE,
                                    .ends = fluid->ends};
    const struct cw_flow_setup setup = {.routes = routes,
                                        .jobs = &job,
                                        .n_jobs = 1,
                                        .overhead = fluid->overhead,
                                        .rendezvous = sums,
                                        .capacity = fluid->capacity,
                                        .ways = &ways};
    if (!rc) rc = cw_flow_run(&setup, seconds, &result);
    cw_program_free(program);
    if (rc || sums) return rc;
    *seconds = 0;
    for (uint32_t s = 0; s < fluid->n; s++) /* who receives it has two actions, after all sends */
        *seconds = fmax(*seconds, fluid->ends[fluid->n + 2 * s + 1] - fluid->aside[s]);
    return 0;
}

int cw_flow_moves_run(const struct cw_routes *routes, const struct cw_moves *moves, double overhead,
                      struct cw_flit_moves_result *out)
{
    const struct cw_flit_moves_case made = {.net = cw_routes_network(routes), .moves = moves};
    struct fluid fluid = {.net = made.net, .moves = moves, .overhead = overhead};
    struct cw_flit_moves_result result;
    int rc = begin(&made, &result);
    if (!rc) rc = flow(&fluid, routes, &result.seconds);
    free(fluid.sends);
    free(fluid.aside);
    free(fluid.ends);
    free(fluid.endpoints);
    free(fluid.first);
    free(fluid.channels);
    free(fluid.shares);
    free(fluid.place);
    free(fluid.capacity);
    if (!rc) *out = result;
    return rc;
}

bool cw_flit_moves_same(const struct cw_moves *a, const struct cw_moves *b)
{
    const size_t n = a->first_step[a->n_ranks];
    if (n != b->first_step[b->n_ranks]) return false;
    for (size_t i = 0; i < n; i++) {
        const struct cw_step *x = &a->steps[i], *y = &b->steps[i];
        if (x->kind != y->kind || x->demand != y->demand || x->bytes != y->bytes || x->n_channels != y->n_channels)
            return false;
        if (x->n_channels > 0 && memcmp(a->channels + x->first_channel, b->channels + y->first_channel,
                                        x->n_channels * sizeof *a->channels) != 0)
            return false;
    }
    return true;
}
