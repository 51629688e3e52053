#include "sim/collective.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"

#define NO_EVENT UINT32_MAX

/* When all that a rank has received so far is there, without and with background. */
struct rank {
    double ready[2];
};

/* What is known of a rank besides where sends are serialised or traced. */
struct sender {
    double busy[2]; /* its own sends are out */
    /* With background: the message that made it ready, and the one that those sends began with; or NO_EVENT. */
    uint32_t event, busy_event;
};

/* When a message arrives, without and with background. */
struct arrival {
    double at[2];
};

/* A traced message: who sent it, and the message received there that it waited for longest. */
struct event {
    uint32_t src, previous;
};

/* The schedule's messages for so many ranks: all of them where they are few, else those of one level at a time. */
struct levels {
    uint32_t n_ranks, n_levels, blocks;
    uint64_t bytes; /* of all blocks */
    bool complete;
    struct cw_messages messages;
    size_t *begin; /* [n_levels + 1] where each level begins, if complete */
};

#define KEPT_MESSAGES 1000000 /* most that are kept for all levels */

struct cw_collective {
    struct cw_collective_setup setup;
    struct cw_load load;
    struct cw_round round;
    struct levels levels;
    struct rank *ranks;
    struct sender *senders;
    size_t ranks_capacity, senders_capacity, n_ranks;
    struct cw_congestion *congestion; /* [messages of the level] */
    struct cw_pace *paces;            /* the same */
    struct arrival *arrivals;         /* the same */
    size_t congestion_capacity, paces_capacity, arrivals_capacity;
    bool trace;
    struct cw_trace traced;
    struct event *events;
    size_t events_capacity, n_events;
};

int cw_collective_new(const struct cw_collective_setup *setup, struct cw_collective **out)
{
    int rc = cw_check_given(setup->routes, "routes");
    if (!rc) rc = cw_check_given(setup->schedule, "schedule");
    if (!rc && cw_routes_by_traffic(setup->routes))
        rc = cw_fail(CW_EUSAGE,
                     "%s finds the best share of minimal packets for one traffic. Times with and without "
                     "other traffic need the same share: give it, as in %s:minimal=0.5",
                     cw_routes_name(setup->routes), cw_routes_name(setup->routes));
    if (rc) return rc;
    struct cw_collective *collective = cw_new_array(1, sizeof *collective, "a simulation");
    if (!collective) return CW_ENOMEM;
    collective->setup = *setup;
    rc = cw_load_init(&collective->load, cw_routes_network(setup->routes)->n_channels);
    if (!rc) rc = cw_round_init(&collective->round, setup->routes);
    if (rc) {
        cw_collective_free(collective);
        return rc;
    }
    *out = collective;
    return 0;
}

void cw_collective_free(struct cw_collective *collective)
{
    if (!collective) return;
    cw_load_free(&collective->load);
    cw_round_free(&collective->round);
    cw_messages_free(&collective->levels.messages);
    free(collective->levels.begin);
    free(collective->ranks);
    free(collective->senders);
    free(collective->congestion);
    free(collective->arrivals);
    free(collective->paces);
    cw_trace_free(&collective->traced);
    free(collective->events);
    free(collective);
}

int cw_collective_add_background(struct cw_collective *collective, size_t n, const uint32_t *src, const uint32_t *dst)
{
    return cw_round_add_background(&collective->round, n, src, dst, &collective->load);
}

void cw_collective_clear_background(struct cw_collective *collective)
{
    cw_load_clear_background(&collective->load);
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

static int begin_ranks(struct cw_collective *collective, uint32_t n_ranks)
{
    int rc = cw_grow_array((void **)&collective->ranks, &collective->ranks_capacity, n_ranks, sizeof *collective->ranks,
                           "ranks");
    if (!rc)
        rc = cw_grow_array((void **)&collective->senders, &collective->senders_capacity, n_ranks,
                           sizeof *collective->senders, "ranks");
    if (rc) return rc;
    collective->n_ranks = n_ranks;
    for (uint32_t r = 0; r < n_ranks; r++) collective->ranks[r] = (struct rank){{0, 0}};
    if (collective->setup.serialise_sends || collective->trace)
        for (uint32_t r = 0; r < n_ranks; r++)
            collective->senders[r] = (struct sender){.event = NO_EVENT, .busy_event = NO_EVENT};
    return 0;
}

/* --- what is sent ------------------------------------------------------------------------------------------------ */

/* Makes the levels for N_RANKS, unless it is there from the run before. */
static int make_levels(struct cw_collective *collective, uint32_t n_ranks)
{
    struct levels *levels = &collective->levels;
    const struct cw_schedule *schedule = collective->setup.schedule;
    if (n_ranks > 0 && levels->n_ranks == n_ranks) return 0;
    levels->n_ranks = 0;
    int rc = cw_schedule_plan(schedule, n_ranks, &levels->n_levels, &levels->blocks);
    if (!rc && collective->setup.timing.loggp)
        rc = cw_schedule_total_bytes(schedule, n_ranks, collective->setup.bytes, &levels->bytes);
    if (rc) return rc;
    free(levels->begin);
    levels->begin = cw_new_array((size_t)levels->n_levels + 1, sizeof *levels->begin, "levels");
    if (!levels->begin) return CW_ENOMEM;
    levels->messages.n = 0;
    levels->complete = true;
    for (uint32_t level = 0; levels->complete && level < levels->n_levels; level++) {
        rc = cw_interrupt_check();
        if (!rc) rc = cw_schedule_round(schedule, n_ranks, level, &levels->messages);
        if (rc) return rc;
        levels->begin[level + 1] = levels->messages.n;
        levels->complete = levels->messages.n <= KEPT_MESSAGES;
    }
    levels->n_ranks = n_ranks;
    return 0;
}

/* The messages of one level. */
struct sends {
    const struct cw_message *items;
    size_t n;
};

static int find_level(struct cw_collective *collective, uint32_t level, struct sends *out)
{
    struct levels *levels = &collective->levels;
    if (levels->complete) {
        *out = (struct sends){levels->messages.items + levels->begin[level],
                              levels->begin[level + 1] - levels->begin[level]};
        return 0;
    }
    levels->messages.n = 0;
    const int rc = cw_schedule_round(collective->setup.schedule, levels->n_ranks, level, &levels->messages);
    if (!rc) *out = (struct sends){levels->messages.items, levels->messages.n};
    return rc;
}

/* --- one level --------------------------------------------------------------------------------------------------- */

/* Room for what is known of N messages. */
static int reserve(struct cw_collective *collective, size_t n)
{
    int rc = cw_grow_array((void **)&collective->congestion, &collective->congestion_capacity, n,
                           sizeof *collective->congestion, "congestions");
    if (!rc && collective->setup.timing.loggp)
        rc = cw_grow_array((void **)&collective->paces, &collective->paces_capacity, n, sizeof *collective->paces,
                           "times of messages");
    if (!rc)
        rc = cw_grow_array((void **)&collective->arrivals, &collective->arrivals_capacity, n,
                           sizeof *collective->arrivals, "arrivals");
    return rc;
}

static int measure_congestion(struct cw_collective *collective, struct sends sends, const uint32_t *endpoints)
{
    struct cw_round *round = &collective->round;
    const struct cw_timing *timing = &collective->setup.timing;
    int rc = cw_round_begin(round, sends.n);
    if (rc) return rc;
    for (size_t i = 0; i < sends.n; i++) {
        round->src[i] = endpoints[sends.items[i].src];
        round->dst[i] = endpoints[sends.items[i].dst];
    }
    rc = cw_round_route(round, &collective->load);
    if (rc) return rc;
    rc = cw_round_congestion(round, &collective->load, collective->congestion);
    if (!rc && timing->loggp)
        rc = cw_timing_pace(timing, round, &collective->load, collective->congestion, collective->paces);
    if (!rc && collective->trace)
        rc = cw_trace_level(&collective->traced, timing, sends.items, round, &collective->load, collective->congestion);
    cw_round_remove(round, &collective->load);
    return rc;
}

/* The message that SENDER received and waits for before it sends MESSAGE, with background. Sends that queue up wait for
 * what the first of them waited for. */
static uint32_t awaited(const struct cw_collective *collective, const struct cw_message *message)
{
    struct sender *sender = &collective->senders[message->src];
    const uint32_t event = message->free ? NO_EVENT : sender->event;
    if (!collective->setup.serialise_sends) return event;
    if (sender->busy[1] <= (message->free ? 0 : collective->ranks[message->src].ready[1])) sender->busy_event = event;
    return sender->busy_event;
}

/* When each message arrives: it leaves when its sender has all it waits for. Traced, EVENTS has a place for each. */
static void compute_arrivals(struct cw_collective *collective, struct sends sends, struct event *events)
{
    const struct cw_collective_setup *setup = &collective->setup;
    const struct levels *levels = &collective->levels;
    for (size_t i = 0; i < sends.n; i++) {
        const struct cw_message *message = &sends.items[i];
        const struct rank *sender = &collective->ranks[message->src];
        const struct cw_congestion *congestion = &collective->congestion[i];
        struct cw_pace pace = {0, congestion->own, congestion->with_background};
        if (setup->timing.loggp) pace = collective->paces[i];
        const uint64_t bytes = setup->timing.loggp
                                   ? cw_schedule_bytes(levels->bytes, levels->blocks, message->block, message->n_blocks)
                                   : 0;
        if (events) events[i] = (struct event){message->src, awaited(collective, message)};
        const double gaps[2] = {pace.clean_gap, pace.perturbed_gap};
        for (int run = 0; run < 2; run++) {
            double start = message->free ? 0 : sender->ready[run];
            if (setup->serialise_sends) {
                double *busy = &collective->senders[message->src].busy[run];
                if (*busy > start) start = *busy;
                *busy = start + cw_timing_busy(&setup->timing, bytes, gaps[run]);
            }
            collective->arrivals[i].at[run] = start + cw_timing_arrival(&setup->timing, bytes, pace.latency, gaps[run]);
        }
    }
}

/* Room for the level's traced messages. */
static int new_events(struct cw_collective *collective, size_t n, struct event **events)
{
    const int rc = cw_grow_array((void **)&collective->events, &collective->events_capacity, collective->n_events + n,
                                 sizeof *collective->events, "traced messages");
    if (rc) return rc;
    *events = collective->events + collective->n_events;
    collective->n_events += n;
    return 0;
}

/* All messages of a level were sent from the state before it; only now do the receivers have them. */
static void deliver(struct cw_collective *collective, struct sends sends)
{
    const size_t first_event = collective->n_events - (collective->trace ? sends.n : 0);
    for (size_t i = 0; i < sends.n; i++) {
        struct rank *receiver = &collective->ranks[sends.items[i].dst];
        const double *arrival = collective->arrivals[i].at;
        if (arrival[0] > receiver->ready[0]) receiver->ready[0] = arrival[0];
        if (arrival[1] > receiver->ready[1]) {
            receiver->ready[1] = arrival[1];
            if (collective->trace) collective->senders[sends.items[i].dst].event = (uint32_t)(first_event + i);
        }
    }
}

static int run_level(struct cw_collective *collective, uint32_t level, const uint32_t *endpoints)
{
    struct sends sends;
    struct event *events = NULL;
    int rc = find_level(collective, level, &sends);
    if (!rc) rc = reserve(collective, sends.n);
    if (!rc) rc = measure_congestion(collective, sends, endpoints);
    if (!rc && collective->trace) rc = new_events(collective, sends.n, &events);
    if (rc) return rc;
    compute_arrivals(collective, sends, events);
    deliver(collective, sends);
    return 0;
}

/* --- a run ------------------------------------------------------------------------------------------------------- */

int cw_collective_run(struct cw_collective *collective, uint32_t n_ranks, const uint32_t *endpoints,
                      cw_before_level *before_level, void *context, struct cw_times *times)
{
    int rc = make_levels(collective, n_ranks);
    if (!rc) rc = begin_ranks(collective, n_ranks);
    collective->n_events = 0;
    cw_trace_begin(&collective->traced);
    for (uint32_t level = 0; !rc && level < collective->levels.n_levels; level++) {
        rc = cw_interrupt_check();
        if (!rc && before_level) rc = before_level(context, collective, level);
        if (!rc) rc = run_level(collective, level, endpoints);
    }
    if (rc) return rc;
    struct cw_times last = {0};
    for (uint32_t r = 0; r < n_ranks; r++) {
        const struct rank *rank = &collective->ranks[r];
        if (rank->ready[0] > last.clean) last.clean = rank->ready[0];
        if (rank->ready[1] > last.perturbed) last.perturbed = rank->ready[1];
    }
    *times = last;
    return 0;
}

void cw_collective_trace(struct cw_collective *collective)
{
    collective->trace = true;
}

void cw_collective_take_trace(struct cw_collective *collective, struct cw_trace *out)
{
    *out = collective->traced;
    collective->traced = (struct cw_trace){0};
}

int cw_collective_longest_path(const struct cw_collective *collective, uint32_t **path, size_t *n)
{
    uint32_t last = 0;
    for (uint32_t r = 1; r < collective->n_ranks; r++)
        if (collective->ranks[r].ready[1] > collective->ranks[last].ready[1]) last = r;
    size_t length = 1;
    for (uint32_t e = collective->senders[last].event; e != NO_EVENT; e = collective->events[e].previous) length++;
    uint32_t *ranks = cw_new_array(length, sizeof *ranks, "the longest path");
    if (!ranks) return CW_ENOMEM;
    size_t at = length;
    ranks[--at] = last;
    for (uint32_t e = collective->senders[last].event; e != NO_EVENT; e = collective->events[e].previous)
        ranks[--at] = collective->events[e].src;
    *path = ranks;
    *n = length;
    return 0;
}
