#include "sim/collective.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"

#define NO_EVENT UINT32_MAX

/* When all that a rank has received so far is there, without and with background. */
struct rank {
    double ready[2];
};

/* What is known of a rank besides where sends are in order or traced. */
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

/* How many steps of a level a rank has used. */
struct turns {
    uint32_t sent, received;
};

/* The schedule's messages for so many ranks: all of them where they are few, else those of one level at a time. */
struct levels {
    uint32_t n_ranks, n_levels, blocks;
    uint64_t bytes; /* of all blocks */
    bool complete;
    struct cw_messages messages; /* of each level by step */
    size_t *ends;                /* [n_steps] where each step's messages end; at once a level is one step */
    size_t n_steps, ends_capacity;
    size_t *begin;       /* [n_levels + 1] where each level's steps begin, if complete */
    struct turns *turns; /* [n_ranks] zero between levels; in order */
    uint32_t *step_of;   /* of each message of a level */
    size_t step_of_capacity, sorted_capacity;
    struct cw_message *sorted;
};

#define KEPT_MESSAGES 1000000 /* most that are kept for all levels */

struct cw_collective {
    struct cw_collective_setup setup;
    double *slowness; /* [channels]; NULL: all are equally fast, or it does not matter */
    struct cw_load load;
    struct cw_round round;
    struct levels levels;
    struct rank *ranks;
    struct sender *senders;
    size_t ranks_capacity, senders_capacity, n_ranks;
    struct cw_congestion *congestion; /* [messages of the level] */
    struct cw_pace *paces;            /* the same */
    struct cw_passage *passages;      /* the same */
    struct arrival *arrivals;         /* the same */
    size_t congestion_capacity, paces_capacity, passages_capacity, arrivals_capacity;
    struct cw_channel_clock *clocks; /* [channels] in order or loggp */
    uint32_t *decisive;              /* [messages of the level] traced in order */
    size_t decisive_capacity;
    bool trace;
    struct cw_trace traced;
    struct event *events;
    size_t events_capacity, n_events;
};

/* Whether it is known until when channels are busy. */
static bool occupies(const struct cw_collective_setup *setup)
{
    return setup->timing.loggp || setup->sends == CW_SENDS_IN_ORDER;
}

int cw_collective_new(const struct cw_collective_setup *setup, struct cw_collective **out)
{
    int rc = cw_check_given(setup->routes, "routes");
    if (!rc) rc = cw_check_given(setup->schedule, "schedule");
    if (!rc && cw_routes_by_round(setup->routes))
        rc = cw_fail(
            CW_EUSAGE,
            "%s has the best ways for the messages of one round. Those of a collective and of other traffic are "
            "not of one round: see crosswind jobs --model flits, or --routing spray",
            cw_routes_name(setup->routes));
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
    if (!rc && !setup->equal_speeds && !setup->timing.loggp)
        rc = cw_load_slowness(cw_routes_network(setup->routes), &collective->slowness);
    collective->setup.timing.slowness = collective->slowness;
    if (!rc) rc = cw_round_init(&collective->round, setup->routes);
    if (!rc && occupies(setup)) {
        collective->clocks = cw_new_array(collective->load.n_channels, sizeof *collective->clocks, "channels");
        if (!collective->clocks) rc = CW_ENOMEM;
    }
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
    free(collective->slowness);
    free(collective->levels.begin);
    free(collective->levels.ends);
    free(collective->levels.turns);
    free(collective->levels.step_of);
    free(collective->levels.sorted);
    free(collective->ranks);
    free(collective->senders);
    free(collective->congestion);
    free(collective->arrivals);
    free(collective->paces);
    free(collective->passages);
    free(collective->clocks);
    free(collective->decisive);
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
    if (collective->setup.sends == CW_SENDS_IN_ORDER || collective->trace)
        for (uint32_t r = 0; r < n_ranks; r++)
            collective->senders[r] = (struct sender){.event = NO_EVENT, .busy_event = NO_EVENT};
    if (collective->clocks)
        cw_timing_begin(&collective->setup.timing, cw_routes_network(collective->setup.routes), collective->clocks);
    return 0;
}

/* --- what is sent ------------------------------------------------------------------------------------------------ */

/* Which step each of the N messages of a level is in; the result is how many there are. */
static uint32_t find_steps(struct levels *levels, const struct cw_message *messages, size_t n)
{
    struct turns *turns = levels->turns;
    uint32_t n_steps = 1;
    for (size_t i = 0; i < n; i++) {
        uint32_t *sent = &turns[messages[i].src].sent, *received = &turns[messages[i].dst].received;
        const uint32_t step = *sent > *received ? *sent : *received;
        levels->step_of[i] = step;
        *sent = *received = step + 1;
        if (step + 1 > n_steps) n_steps = step + 1;
    }
    for (size_t i = 0; i < n; i++) turns[messages[i].src] = turns[messages[i].dst] = (struct turns){0, 0};
    return n_steps;
}

/* Puts the messages from FIRST on, a level's, into steps, in the order of the schedule within each. */
static int divide(struct levels *levels, size_t first)
{
    struct cw_message *messages = levels->messages.items + first;
    const size_t n = levels->messages.n - first;
    int rc = levels->turns ? cw_grow_array((void **)&levels->step_of, &levels->step_of_capacity, n,
                                           sizeof *levels->step_of, "steps of messages")
                           : 0;
    if (!rc && levels->turns)
        rc = cw_grow_array((void **)&levels->sorted, &levels->sorted_capacity, n, sizeof *levels->sorted, "messages");
    const uint32_t n_steps = rc || !levels->turns ? 1 : find_steps(levels, messages, n);
    if (!rc)
        rc = cw_grow_array((void **)&levels->ends, &levels->ends_capacity, levels->n_steps + n_steps,
                           sizeof *levels->ends, "steps");
    if (rc) return rc;
    size_t *ends = levels->ends + levels->n_steps;
    levels->n_steps += n_steps;
    ends[n_steps - 1] = levels->messages.n;
    if (n_steps == 1) return 0;
    for (uint32_t s = 0; s < n_steps; s++) ends[s] = 0;
    for (size_t i = 0; i < n; i++) ends[levels->step_of[i]]++;
    for (uint32_t s = 1; s < n_steps; s++) ends[s] += ends[s - 1];
    for (size_t i = n; i-- > 0;) levels->sorted[--ends[levels->step_of[i]]] = messages[i];
    memcpy(messages, levels->sorted, n * sizeof *messages);
    /* where each begins is now where the one before ends */
    for (uint32_t s = 0; s < n_steps; s++) ends[s] = first + (s + 1 < n_steps ? ends[s + 1] : n);
    return 0;
}

/* Memory for the levels of LEVELS->n_levels among N_RANKS. */
static int begin_levels(struct levels *levels, uint32_t n_ranks, enum cw_sends sends)
{
    free(levels->begin);
    free(levels->turns);
    levels->turns = NULL;
    levels->messages.n = levels->n_steps = 0;
    levels->complete = true;
    levels->begin = cw_new_array((size_t)levels->n_levels + 1, sizeof *levels->begin, "levels");
    if (!levels->begin) return CW_ENOMEM;
    if (sends == CW_SENDS_AT_ONCE) return 0;
    levels->turns = cw_new_array(n_ranks, sizeof *levels->turns, "ranks");
    return levels->turns ? 0 : CW_ENOMEM;
}

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
    if (!rc) rc = begin_levels(levels, n_ranks, collective->setup.sends);
    if (rc) return rc;
    for (uint32_t level = 0; levels->complete && level < levels->n_levels; level++) {
        const size_t first = levels->messages.n;
        rc = cw_interrupt_check();
        if (!rc) rc = cw_schedule_round(schedule, n_ranks, level, &levels->messages);
        if (!rc) rc = divide(levels, first);
        if (rc) return rc;
        levels->begin[level + 1] = levels->n_steps;
        levels->complete = levels->messages.n <= KEPT_MESSAGES;
    }
    levels->n_ranks = n_ranks;
    return 0;
}

/* Messages, of a level or a step. */
struct sends {
    const struct cw_message *items;
    size_t n;
};

/* A level's messages, and where its steps end. */
struct level {
    struct sends sends;
    size_t first;       /* of its messages, as steps count */
    const size_t *ends; /* [n_steps] */
    size_t n_steps;
};

static int find_level(struct cw_collective *collective, uint32_t number, struct level *out)
{
    struct levels *levels = &collective->levels;
    size_t step = 0;
    int rc = 0;
    if (levels->complete) {
        step = levels->begin[number];
    } else {
        levels->messages.n = levels->n_steps = 0;
        rc = cw_schedule_round(collective->setup.schedule, levels->n_ranks, number, &levels->messages);
        if (!rc) rc = divide(levels, 0);
    }
    if (rc) return rc;
    const size_t end = levels->complete ? levels->begin[number + 1] : levels->n_steps;
    const size_t first = step > 0 ? levels->ends[step - 1] : 0;
    *out = (struct level){
        {levels->messages.items + first, levels->ends[end - 1] - first}, first, levels->ends + step, end - step};
    return 0;
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

/* Room for what is known of N messages. */
static int reserve(struct cw_collective *collective, size_t n)
{
    int rc = cw_grow_array((void **)&collective->congestion, &collective->congestion_capacity, n,
                           sizeof *collective->congestion, "congestions");
    if (!rc && cw_timing_has_paces(&collective->setup.timing))
        rc = cw_grow_array((void **)&collective->paces, &collective->paces_capacity, n, sizeof *collective->paces,
                           "times of messages");
    if (!rc && collective->clocks)
        rc = cw_grow_array((void **)&collective->passages, &collective->passages_capacity, n,
                           sizeof *collective->passages, "times of messages");
    if (!rc && collective->trace)
        rc = cw_grow_array((void **)&collective->decisive, &collective->decisive_capacity, n,
                           sizeof *collective->decisive, "channels of messages");
    if (!rc)
        rc = cw_grow_array((void **)&collective->arrivals, &collective->arrivals_capacity, n,
                           sizeof *collective->arrivals, "arrivals");
    return rc;
}

static int route(struct cw_collective *collective, struct sends sends, const uint32_t *endpoints)
{
    struct cw_round *round = &collective->round;
    const int rc = cw_round_begin(round, sends.n);
    if (rc) return rc;
    for (size_t i = 0; i < sends.n; i++) {
        round->src[i] = endpoints[sends.items[i].src];
        round->dst[i] = endpoints[sends.items[i].dst];
    }
    return cw_round_route(round, &collective->load);
}

static uint64_t bytes_of(const struct cw_collective *collective, const struct cw_message *message)
{
    const struct levels *levels = &collective->levels;
    if (!collective->setup.timing.loggp) return 0;
    return cw_schedule_bytes(levels->bytes, levels->blocks, message->block, message->n_blocks);
}

/* The message that SENDER received and waits for before it sends MESSAGE, with background. Sends that queue up wait for
 * what the first of them waited for. */
static uint32_t awaited(const struct cw_collective *collective, const struct cw_message *message)
{
    struct sender *sender = &collective->senders[message->src];
    const uint32_t event = message->free ? NO_EVENT : sender->event;
    if (collective->setup.sends == CW_SENDS_AT_ONCE) return event;
    if (sender->busy[1] <= (message->free ? 0 : collective->ranks[message->src].ready[1])) sender->busy_event = event;
    return sender->busy_event;
}

/* --- at once ----------------------------------------------------------------------------------------------------- */

/* Congestions of the messages of a level, and their paces. Channels are as busy as if nobody ever waited. */
static int measure(struct cw_collective *collective, struct sends sends)
{
    struct cw_round *round = &collective->round;
    const struct cw_timing *timing = &collective->setup.timing;
    int rc = cw_round_congestion(round, &collective->load, collective->congestion);
    if (!rc && collective->trace)
        rc = cw_trace_add(&collective->traced, timing, sends.items, round, &collective->load, collective->congestion,
                          NULL);
    if (!rc && cw_timing_has_paces(timing))
        rc = cw_timing_pace(timing, round, &collective->load, collective->congestion, collective->paces);
    if (rc || !timing->loggp) return rc;
    for (size_t i = 0; i < sends.n; i++)
        collective->passages[i] = (struct cw_passage){.bytes = bytes_of(collective, &sends.items[i])};
    return cw_timing_pass(timing, round, &collective->load, collective->clocks, collective->passages);
}

/* When each message arrives: it leaves when its sender has all it waits for. Traced, EVENTS has a place for each. */
static void compute_arrivals(struct cw_collective *collective, struct sends sends, struct event *events)
{
    const struct cw_timing *timing = &collective->setup.timing;
    for (size_t i = 0; i < sends.n; i++) {
        const struct cw_message *message = &sends.items[i];
        const struct rank *sender = &collective->ranks[message->src];
        const struct cw_congestion *congestion = &collective->congestion[i];
        struct cw_pace pace = {0, congestion->own, congestion->with_background};
        if (cw_timing_has_paces(timing)) pace = collective->paces[i];
        const uint64_t bytes = bytes_of(collective, message);
        if (events) events[i] = (struct event){message->src, awaited(collective, message)};
        const double gaps[2] = {pace.clean_gap, pace.perturbed_gap};
        for (int run = 0; run < 2; run++)
            collective->arrivals[i].at[run] =
                (message->free ? 0 : sender->ready[run]) + cw_timing_arrival(timing, bytes, pace.latency, gaps[run]);
    }
}

static int send_at_once(struct cw_collective *collective, struct sends sends, const uint32_t *endpoints,
                        struct event *events)
{
    int rc = route(collective, sends, endpoints);
    if (!rc) rc = measure(collective, sends);
    if (rc) return rc;
    cw_round_remove(&collective->round, &collective->load);
    compute_arrivals(collective, sends, events);
    return 0;
}

/* --- in order ---------------------------------------------------------------------------------------------------- */

/* Before the messages of a step, which are routed, pass. */
static int trace_step(struct cw_collective *collective, struct sends sends)
{
    const struct cw_timing *timing = &collective->setup.timing;
    const struct cw_load *load = &collective->load;
    struct cw_round *round = &collective->round;
    const int rc = cw_round_congestion(round, load, collective->congestion);
    if (rc) return rc;
    cw_timing_decisive(timing, round, load, collective->clocks, collective->passages, collective->decisive);
    return cw_trace_add(&collective->traced, timing, sends.items, round, load, collective->congestion,
                        collective->decisive);
}

/* Lets the messages of a step pass, each of which leaves when its sender has all it waits for, and has sent the one
 * before. Traced, EVENTS has a place for each. */
static int send_step(struct cw_collective *collective, struct sends sends, const uint32_t *endpoints,
                     struct arrival *arrivals, struct event *events)
{
    const struct cw_timing *timing = &collective->setup.timing;
    struct cw_round *round = &collective->round;
    struct cw_passage *passages = collective->passages;
    int rc = route(collective, sends, endpoints);
    for (size_t i = 0; i < sends.n && !rc; i++) {
        const struct cw_message *message = &sends.items[i];
        const double *busy = collective->senders[message->src].busy, *ready = collective->ranks[message->src].ready;
        struct cw_passage *passage = &passages[i];
        if (events) events[i] = (struct event){message->src, awaited(collective, message)};
        passage->bytes = bytes_of(collective, message);
        for (int run = 0; run < 2; run++)
            passage->start[run] = message->free || busy[run] > ready[run] ? busy[run] : ready[run];
    }
    if (!rc && collective->trace) rc = trace_step(collective, sends);
    if (!rc) rc = cw_timing_pass(timing, round, &collective->load, collective->clocks, passages);
    if (rc) return rc;
    cw_round_remove(round, &collective->load);
    for (size_t i = 0; i < sends.n; i++)
        for (int run = 0; run < 2; run++) {
            collective->senders[sends.items[i].src].busy[run] = passages[i].through[run];
            arrivals[i].at[run] = passages[i].through[run] + passages[i].latency;
        }
    return 0;
}

static int send_in_order(struct cw_collective *collective, const struct level *level, const uint32_t *endpoints,
                         struct event *events)
{
    int rc = 0;
    for (size_t s = 0, i = 0; s < level->n_steps && !rc; s++) {
        const struct sends sends = {level->sends.items + i, level->ends[s] - level->first - i};
        rc = cw_interrupt_check();
        if (!rc) rc = send_step(collective, sends, endpoints, collective->arrivals + i, events ? events + i : NULL);
        i += sends.n;
    }
    return rc;
}

/* --- a level ----------------------------------------------------------------------------------------------------- */

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

static int run_level(struct cw_collective *collective, uint32_t number, const uint32_t *endpoints)
{
    struct level level;
    struct event *events = NULL;
    int rc = find_level(collective, number, &level);
    if (!rc) rc = reserve(collective, level.sends.n);
    if (!rc && collective->trace) rc = new_events(collective, level.sends.n, &events);
    if (!rc && collective->trace) rc = cw_trace_level(&collective->traced);
    if (!rc)
        rc = collective->setup.sends == CW_SENDS_IN_ORDER ? send_in_order(collective, &level, endpoints, events)
                                                          : send_at_once(collective, level.sends, endpoints, events);
    if (rc) return rc;
    if (collective->trace) cw_trace_end_level(&collective->traced);
    deliver(collective, level.sends);
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
    /* Sent in order, no message is through before its channels are; sent at once, seconds must bear it, too. */
    const size_t n =
        collective->setup.sends == CW_SENDS_AT_ONCE && collective->clocks ? collective->load.n_channels : 0;
    for (size_t c = 0; c < n; c++) {
        const double *until = collective->clocks[c].until;
        if (until[0] > last.clean) last.clean = until[0];
        if (until[1] > last.perturbed) last.perturbed = until[1];
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
