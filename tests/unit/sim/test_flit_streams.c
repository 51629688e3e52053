/* Streams that ranks relay or add up, in chunks: exact times on an idle network, what is sent when, both
 * implementations, threads, lanes of paths. */
#include "flit_twins.h"

#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "sim/flit/flit_task.h"

#define MOST_HOPS  400
#define MOST_RANKS 64

/* A line of streams over endpoints of a case. */
struct relays {
    struct flit_case c;
    struct cw_flit_hop hops[MOST_HOPS];
    struct cw_flit_streams streams;
    uint32_t memory[MOST_RANKS];
    size_t first[2 * MOST_HOPS + 1];
    uint32_t *channels;
    size_t n_channels;
    uint32_t n_paths;
};

/* Adds the route of ROUTES from SRC to DST and gives its number. */
static uint32_t add_path(struct relays *relays, const struct cw_routes *routes, uint32_t src, uint32_t dst)
{
    uint32_t hops;
    const size_t room = relays->n_channels + cw_routes_max_hops(routes);
    relays->channels = realloc(relays->channels, room * sizeof *relays->channels);
    assert_non_null(relays->channels);
    assert_int_equal(cw_routes_paths(routes, 1, &src, &dst, &hops, relays->channels + relays->n_channels, NULL), 0);
    relays->n_channels += hops;
    relays->first[++relays->n_paths] = relays->n_channels;
    return relays->n_paths - 1;
}

static void add_hop(struct relays *relays, const struct cw_routes *routes, uint32_t src, uint32_t dst, uint64_t bytes,
                    size_t before)
{
    assert_true(relays->streams.n < MOST_HOPS);
    struct cw_flit_hop *hop = &relays->hops[relays->streams.n++];
    *hop = (struct cw_flit_hop){.src = src, .dst = dst, .bytes = bytes, .before = before};
    hop->path = add_path(relays, routes, src, dst);
    hop->back = add_path(relays, routes, dst, src);
}

/* Streams of NETWORK on the routes of ENGINE are added, then begun. */
static struct relays *relays_new(const char *network, const char *engine, struct cw_routes **routes)
{
    struct relays *relays = new_array(1, sizeof *relays);
    relays->c = open_flit_case(network, "minhop", NULL);
    cw_packet_routing_free(relays->c.routing);
    relays->c.routing = NULL;
    assert_int_equal(cw_engine_route(relays->c.net, engine, 1, 1, routes), 0);
    relays->streams = (struct cw_flit_streams){.hops = relays->hops, .chunk_bytes = 640, .credits = 1};
    return relays;
}

static void relays_begin(struct relays *relays)
{
    if (cw_packet_routing_of_paths(relays->c.net, "paths", relays->n_paths, relays->first, relays->channels,
                                   &relays->c.routing))
        fail_msg("%s", cw_error_message());
    relays->c.setup.routing = relays->c.routing;
    relays->c.job.kind = CW_FLIT_STREAMS;
    relays->c.job.streams = &relays->streams;
    relays->c.job.workload = NULL;
}

static void relays_free(struct relays *relays)
{
    close_flit_case(&relays->c);
    free(relays->channels);
    free(relays);
}

/* The cycle in which all has arrived. */
static uint64_t time_of(struct relays *relays)
{
    struct cw_flit_simulation *simulation = begin_flit_case(&relays->c);
    run_flits(simulation, 1000000);
    const uint64_t done = cw_flit_job_done(simulation, 0);
    end_flit_case(simulation);
    assert_true(done < 1000000);
    return done;
}

/* --- exact times -------------------------------------------------------------------------------------------------- */

/* From 0 by way of 1 to 2 on a switch: two chunks of 10 flits, and a credit of one flit in between. A flit takes L
 * cycles but for its own. */
static void chunks_on_an_idle_network(void **state)
{
    (void)state;
    const uint64_t l = 3 + 3 + 1, f = 10;
    for (uint32_t packet = 1; packet <= 10; packet += 3) {
        struct cw_routes *routes;
        struct relays *relays = relays_new("crossbar:4", "minhop", &routes);
        relays->c.job.message_flits = packet;
        add_hop(relays, routes, 0, 1, 1280, SIZE_MAX);
        relays_begin(relays);
        assert_int_equal(time_of(relays), l + 2 * f);
        cw_packet_routing_free(relays->c.routing);
        add_hop(relays, routes, 1, 2, 1280, 0);
        relays_begin(relays);
        /* the second chunk leaves when the first one has left the relay and the credit is back */
        assert_int_equal(time_of(relays), (l + f) + f + (l + 1) + (l + f) + (l + f));
        relays->streams.credits = 2;
        assert_int_equal(time_of(relays), 2 * l + 3 * f);
        relays->streams.chunk_bytes = 1000; /* 16 flits, and 5 that hold 280 bytes */
        assert_int_equal(time_of(relays), 2 * l + 16 + 16 + 5);
        relays->streams.chunk_bytes = 1280;
        assert_int_equal(time_of(relays), 2 * l + 4 * f);
        cw_routes_free(routes);
        relays_free(relays);
    }
}

/* A rank's own chunks go before those it relays, and streams take turns. */
static void own_data_first(void **state)
{
    (void)state;
    struct cw_routes *routes;
    struct relays *relays = relays_new("crossbar:4", "minhop", &routes);
    relays->streams.credits = 2;
    add_hop(relays, routes, 0, 1, 640, SIZE_MAX);
    add_hop(relays, routes, 1, 2, 640, 0);
    add_hop(relays, routes, 1, 3, 6400, SIZE_MAX);
    add_hop(relays, routes, 1, 2, 3200, SIZE_MAX);
    relays_begin(relays);
    const uint64_t l = 3 + 3 + 1;
    struct cw_flit_simulation *simulation = begin_flit_case(&relays->c);
    run_flits(simulation, l + 10 * 10); /* by turns, */
    assert_int_equal(cw_flit_accepted_by(simulation)[2], 50);
    assert_int_equal(cw_flit_accepted_by(simulation)[3], 50);
    run_flits(simulation, 5 * 10); /* what is left of its own, then the chunk that it relays */
    assert_int_equal(cw_flit_accepted_by(simulation)[2], 50);
    assert_int_equal(cw_flit_accepted_by(simulation)[3], 100);
    end_flit_case(simulation);
    assert_int_equal(time_of(relays), 16 * 10 + l);
    cw_routes_free(routes);
    relays_free(relays);
}

/* The hop that was added last adds up what JOINED + 1 bring, and is of SUM. */
static void add_up(struct relays *relays, uint32_t joined, uint32_t sum, bool returns)
{
    struct cw_flit_hop *hop = &relays->hops[relays->streams.n - 1];
    hop->kept = true;
    hop->joined = joined;
    hop->sum = sum;
    hop->returns = returns;
}

/* Of K chunks of 10 flits each waits for the same of all that are added to it. In a line, each rank stores one; where
 * two ranks send to one, its cable carries both, in turn, and the sum follows the last of them. */
static void sums_on_an_idle_network(void **state)
{
    (void)state;
    const uint64_t l = 3 + 3 + 1, f = 10;
    for (uint64_t k = 1; k <= 5; k += 2) {
        struct cw_routes *routes;
        struct relays *relays = relays_new("crossbar:4", "minhop", &routes);
        add_hop(relays, routes, 0, 1, k * 640, SIZE_MAX);
        add_up(relays, 0, 0, false);
        add_hop(relays, routes, 1, 2, k * 640, 0);
        add_up(relays, 0, 0, false);
        relays_begin(relays);
        assert_int_equal(time_of(relays), 2 * l + (k + 1) * f);
        relays_free(relays);
        cw_routes_free(routes);
        relays = relays_new("crossbar:4", "minhop", &routes);
        add_hop(relays, routes, 0, 2, k * 640, SIZE_MAX);
        add_up(relays, 0, 0, false);
        add_hop(relays, routes, 1, 2, k * 640, SIZE_MAX);
        add_up(relays, 0, 0, false);
        add_hop(relays, routes, 2, 3, k * 640, 0);
        add_up(relays, 1, 0, false);
        relays_begin(relays);
        assert_int_equal(time_of(relays), 2 * l + (2 * k + 1) * f);
        relays_free(relays);
        cw_routes_free(routes);
    }
}

/* The sum goes back by the line on which it came. Rank 1 has done its part when it has sent its last chunk, and asks
 * for the sum by a flit, which comes to rank 2 one cycle after the last flit of that chunk. */
static void sums_come_back(void **state)
{
    (void)state;
    const uint64_t l = 3 + 3 + 1, f = 10;
    for (uint64_t k = 1; k <= 5; k += 2) {
        struct cw_routes *routes;
        struct relays *relays = relays_new("crossbar:4", "minhop", &routes);
        for (uint32_t i = 0; i < 4; i++) {
            static const uint32_t line[] = {0, 1, 2, 1, 0};
            add_hop(relays, routes, line[i], line[i + 1], k * 640, i % 2 == 0 ? SIZE_MAX : i - 1);
            add_up(relays, 0, 1, i >= 2);
        }
        relays_begin(relays);
        assert_int_equal(time_of(relays), (2 * l + (k + 1) * f) + 1 + (2 * l + (k + 1) * f));
        relays_free(relays);
        cw_routes_free(routes);
    }
}

/* Ranks 1 and 2 have one memory: what comes to one leaves by the other. Both cables are busy at once. */
static void memories_are_shared(void **state)
{
    (void)state;
    static const uint32_t memory[] = {0, 1, 1, 3};
    const uint64_t l = 3 + 3 + 1, f = 10;
    struct cw_routes *routes;
    struct relays *relays = relays_new("crossbar:4", "minhop", &routes);
    relays->streams.memory = memory;
    add_hop(relays, routes, 0, 1, 6400, SIZE_MAX);
    add_up(relays, 0, 0, false);
    add_hop(relays, routes, 2, 3, 6400, 0);
    add_hop(relays, routes, 1, 3, 64, SIZE_MAX);
    relays_begin(relays);
    assert_int_equal(time_of(relays), 2 * l + 11 * f);
    cw_routes_free(routes);
    relays_free(relays);
}

/* A rank begins with its least turn. */
static void turns_begin_with_the_least(void **state)
{
    (void)state;
    struct cw_routes *routes;
    struct relays *relays = relays_new("crossbar:4", "minhop", &routes);
    for (uint32_t to = 1; to < 4; to++) {
        add_hop(relays, routes, 0, to, 640, SIZE_MAX);
        relays->hops[to - 1].turn = 3 - to;
    }
    relays_begin(relays);
    struct cw_flit_simulation *simulation = begin_flit_case(&relays->c);
    for (uint32_t to = 3; to > 0; to--) {
        run_flits(simulation, to == 3 ? 3 + 3 + 1 + 10 : 10);
        for (uint32_t other = 1; other < 4; other++)
            assert_int_equal(cw_flit_accepted_by(simulation)[other], other >= to ? 10 : 0);
    }
    end_flit_case(simulation);
    cw_routes_free(routes);
    relays_free(relays);
}

/* --- sums, at random ---------------------------------------------------------------------------------------------- */

/* One of the ranks that have the memory of RANK. */
static uint32_t alias_of(const struct relays *relays, struct cw_random *random, uint32_t rank)
{
    uint32_t r;
    do r = cw_random_below(random, relays->c.net->n_endpoints);
    while (relays->memory[r] != relays->memory[rank]);
    return r;
}

/* A tree of N MEMBERS, whose root is the first: what they add goes to it, and with NUMBER back. */
static void add_sum(struct relays *relays, const struct cw_routes *routes, struct cw_random *random,
                    const uint32_t *members, uint32_t n, uint32_t number)
{
    uint32_t parent[MOST_RANKS] = {0}, children[MOST_RANKS] = {0}, last[MOST_RANKS] = {0};
    const size_t first = relays->streams.n;
    const uint64_t bytes = 1 + cw_random_below(random, 5000);
    for (uint32_t i = 1; i < n; i++) { /* level by level */
        parent[i] = parent[i - 1] + cw_random_below(random, i - parent[i - 1]);
        children[parent[i]]++;
        last[parent[i]] = i;
    }
    for (uint32_t i = n - 1; i > 0; i--) {
        add_hop(relays, routes, alias_of(relays, random, members[i]), alias_of(relays, random, members[parent[i]]),
                bytes, children[i] > 0 ? first + n - 1 - last[i] : SIZE_MAX);
        add_up(relays, children[i] > 0 ? children[i] - 1 : 0, number, false);
        relays->hops[relays->streams.n - 1].turn = cw_random_below(random, 3);
    }
    for (uint32_t i = 1; i < n && number > 0; i++) {
        add_hop(relays, routes, alias_of(relays, random, members[parent[i]]), alias_of(relays, random, members[i]),
                bytes, parent[i] > 0 ? first + n - 1 + parent[i] - 1 : SIZE_MAX);
        add_up(relays, 0, number, true);
    }
}

/* Sums of some of the endpoints of NETWORK, beside streams of one hop. Every other trial two endpoints at a switch
 * share their memory. */
static struct relays *random_sums(const char *network, const char *engine, uint64_t trial)
{
    struct cw_random random = cw_random_of(trial, CW_STREAM_TEST, 10);
    struct cw_routes *routes;
    struct relays *relays = relays_new(network, engine, &routes);
    const struct cw_network *net = relays->c.net;
    const uint32_t n = net->n_endpoints;
    for (uint32_t r = 0; r < n; r++) {
        const bool paired = trial % 2 == 1 && r % 2 == 1 && net->head[net->first[r]] == net->head[net->first[r - 1]];
        relays->memory[r] = paired ? r - 1 : r;
    }
    if (trial % 2 == 1) relays->streams.memory = relays->memory;
    for (uint32_t sum = 0; sum < 4; sum++) {
        uint32_t members[MOST_RANKS], count = 0;
        for (uint32_t r = 0; r < n; r++)
            if (relays->memory[r] == r) members[count++] = r;
        cw_random_shuffle(&random, members, count);
        add_sum(relays, routes, &random, members, 2 + cw_random_below(&random, count - 1), sum / 2);
    }
    for (uint32_t i = 0; i < 5; i++) add_hop(relays, routes, i, (i + 1) % n, 3000, SIZE_MAX);
    relays->streams.credits = 1 + (uint32_t)trial % 3;
    relays->c.job.message_flits = 1 + (uint32_t)trial % 5;
    relays_begin(relays);
    cw_routes_free(routes);
    return relays;
}

static const char *const networks_of_sums[][2] = {
    {"torus:4x4", "dor"}, {"crossbar:12", "minhop"}, {"xgft:2:4,4:1,2", "dmodk"}};

/* A flit on its way. */
struct under_way {
    uint32_t to, index;
};

/* What has been seen of a hop: flits taken in, and chunks begun and whole; what asked for it. */
struct seen {
    uint64_t flits, whole, begun, flits_begun;
    bool asked;
};

static uint64_t flits_of(const struct relays *relays, size_t h, uint64_t chunk)
{
    const uint64_t begin = chunk * relays->streams.chunk_bytes, left = relays->hops[h].bytes - begin;
    return ((left < relays->streams.chunk_bytes ? left : relays->streams.chunk_bytes) + 63) / 64;
}

static uint64_t chunks_of(const struct relays *relays, size_t h)
{
    return (relays->hops[h].bytes - 1) / relays->streams.chunk_bytes + 1;
}

/* Whether the ranks that have RANK's memory have sent and got all that they add to SUM. */
static bool part_is_done(const struct relays *relays, const struct seen *seen, uint32_t sum, uint32_t rank)
{
    for (size_t h = 0; h < relays->streams.n; h++) {
        const struct cw_flit_hop *hop = &relays->hops[h];
        if (hop->sum != sum || hop->returns) continue;
        const uint32_t src = relays->memory[hop->src], dst = relays->memory[hop->dst];
        if (src == relays->memory[rank] && seen[h].begun < chunks_of(relays, h)) return false;
        if (dst == relays->memory[rank] && seen[h].whole < chunks_of(relays, h)) return false;
    }
    return true;
}

/* RANK sends a packet of FLITS of hop H: if a chunk begins with it, all that it consists of is there. */
static void see_sent(const struct relays *relays, struct seen *seen, size_t h, uint32_t rank, uint32_t flits)
{
    const struct cw_flit_hop *hop = &relays->hops[h];
    assert_int_equal(hop->src, rank);
    if (seen[h].flits_begun == 0) {
        const uint64_t chunk = seen[h].begun++;
        assert_true(chunk < chunks_of(relays, h));
        for (size_t b = hop->before; hop->before != SIZE_MAX && b <= hop->before + hop->joined; b++)
            assert_true(seen[b].whole > chunk);
        if (hop->returns) assert_true(seen[h].asked && part_is_done(relays, seen, hop->sum, rank));
    }
    seen[h].flits_begun += flits;
    assert_true(seen[h].flits_begun <= flits_of(relays, h, seen[h].begun - 1));
    if (seen[h].flits_begun == flits_of(relays, h, seen[h].begun - 1)) seen[h].flits_begun = 0;
}

static void see_received(const struct relays *relays, struct seen *seen, uint32_t index)
{
    struct seen *of = &seen[index / 2];
    if (index % 2 == 1) {
        assert_false(of->asked);
        of->asked = true;
        assert_true(relays->hops[index / 2].returns);
        assert_true(part_is_done(relays, seen, relays->hops[index / 2].sum, relays->hops[index / 2].dst));
    } else if (++of->flits == flits_of(relays, index / 2, of->whole)) {
        of->flits = 0;
        of->whole++;
    }
}

/* Whatever comes first of what is under way, but in the order in which it was sent between two ranks: every chunk comes
 * once, and none is sent before all of its parts are there. */
static void every_chunk_comes_once(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 30; trial++) {
        struct relays *relays = random_sums(networks_of_sums[trial % 3][0], networks_of_sums[trial % 3][1], trial);
        struct cw_random random = cw_random_of(trial, CW_STREAM_TEST, 11);
        const struct cw_flit_hardware hardware = cw_flit_default_hardware();
        const uint32_t n = relays->c.net->n_endpoints;
        struct cw_flit_progress progress[MOST_RANKS];
        struct seen seen[MOST_HOPS] = {{0}};
        struct cw_flit_message message;
        struct cw_flit_task task = {.done = 0};
        size_t n_way = 0;
        assert_int_equal(cw_flit_task_make(&task, relays->c.net, &hardware, &relays->c.job, 0), 0);
        struct under_way *way = new_array(task.flits, sizeof *way);
        for (uint32_t r = 0; r < n; r++) cw_flit_waiting_begin(&task, r, &progress[r]);
        uint64_t received = 0;
        for (uint64_t t = 0; received < task.flits; t++) {
            assert_true(t < 100 * task.flits); /* else nothing moves */
            const uint32_t rank = cw_random_below(&random, n);
            uint32_t index;
            if (cw_flit_waiting_take(&task, &progress[rank], NULL, t, &message, &index)) {
                if (index % 2 == 0) see_sent(relays, seen, index / 2, rank, message.flits);
                for (uint32_t f = 0; f < message.flits; f++) way[n_way++] = (struct under_way){message.rank, index};
            }
            if (n_way == 0) continue;
            size_t i = cw_random_below(&random, (uint32_t)n_way);
            for (size_t k = 0; k < i; k++)
                if (way[k].index == way[i].index) i = k;
            const struct under_way flit = way[i];
            memmove(&way[i], &way[i + 1], (--n_way - i) * sizeof *way);
            cw_flit_waiting_receive(&task, &progress[flit.to], flit.index, t + 1);
            see_received(relays, seen, flit.index);
            received++;
        }
        for (size_t h = 0; h < relays->streams.n; h++) {
            assert_int_equal(seen[h].whole, chunks_of(relays, h));
            assert_int_equal(seen[h].begun, seen[h].whole);
            assert_true(seen[h].flits == 0 && seen[h].asked == relays->hops[h].returns);
        }
        assert_true(n_way == 0);
        free(way);
        cw_flit_task_free(&task);
        relays_free(relays);
    }
}

/* --- alike -------------------------------------------------------------------------------------------------------- */

/* Random streams of one to four hops among the endpoints of NETWORK. */
static struct relays *random_relays(const char *network, const char *engine, uint64_t trial)
{
    struct cw_random random = cw_random_of(trial, CW_STREAM_TEST, 9);
    struct cw_routes *routes;
    struct relays *relays = relays_new(network, engine, &routes);
    const uint32_t n = relays->c.net->n_endpoints;
    for (int stream = 0; stream < 40; stream++) {
        uint32_t at = cw_random_below(&random, n);
        size_t before = SIZE_MAX;
        const uint64_t bytes = 1 + cw_random_below(&random, 9000);
        for (uint32_t hops = 1 + cw_random_below(&random, 4); hops > 0; hops--) {
            const uint32_t to = (at + 1 + cw_random_below(&random, n - 1)) % n;
            add_hop(relays, routes, at, to, bytes, before);
            before = relays->streams.n - 1;
            at = to;
        }
    }
    relays->streams.credits = 1 + (uint32_t)trial % 3;
    relays->c.job.message_flits = 1 + (uint32_t)trial % 5;
    relays_begin(relays);
    cw_routes_free(routes);
    return relays;
}

static void both_implementations_agree(void **state)
{
    (void)state;
    static const char *const networks[][2] = {{"torus:4x4", "dor"}, {"xgft:2:4,4:1,2", "dmodk"}, {"torus:7", "dor"}};
    for (uint64_t trial = 0; trial < 12; trial++) {
        struct relays *relays =
            trial < 6 ? random_relays(networks[trial % 3][0], networks[trial % 3][1], trial)
                      : random_sums(networks_of_sums[trial % 3][0], networks_of_sums[trial % 3][1], trial);
        struct flit_case plain = relays->c;
        plain.setup.hardware.implementation = "plain";
        plain.setup.jobs = NULL;
        relays->c.setup.jobs = NULL;
        assert_int_equal(compare_twins(&relays->c, &plain, 100000), 0);
        relays_free(relays);
    }
}

static void threads_agree(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 4; trial++) {
        struct relays *relays =
            trial == 0 ? random_relays("torus:6x6", "dor", 3)
                       : random_sums(trial == 1 ? "xgft:2:4,8:1,4" : "torus:6x6", trial == 1 ? "dmodk" : "dor", trial);
        const uint64_t alone = time_of(relays);
        for (unsigned threads = 2; threads <= 4; threads++) {
            relays->c.setup.n_threads = threads;
            assert_int_equal(time_of(relays), alone);
        }
        relays_free(relays);
    }
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

/* Round a ring one lane would deadlock. */
static void lanes_break_cycles(void **state)
{
    (void)state;
    struct cw_routes *routes;
    struct relays *relays = relays_new("torus:6", "minhop", &routes);
    const struct cw_network *net = relays->c.net;
    for (uint32_t src = 0; src < 6; src++) { /* all the same way round, three hops */
        size_t n = relays->n_channels;
        relays->channels = realloc(relays->channels, (n + 5) * sizeof *relays->channels);
        assert_non_null(relays->channels);
        uint32_t at = src;
        for (uint32_t i = 0; i < 5; i++) {
            const uint32_t next = i < 4 ? net->n_endpoints + (src + i) % 6 : (src + 3) % 6;
            for (uint32_t c = net->first[at]; c < net->first[at + 1]; c++)
                if (net->head[c] == next) relays->channels[n] = c;
            n++;
            at = next;
        }
        relays->n_channels = n;
        relays->first[++relays->n_paths] = n;
    }
    struct cw_packet_routing *routing;
    assert_int_equal(
        cw_packet_routing_of_paths(net, "ring", relays->n_paths, relays->first, relays->channels, &routing), 0);
    assert_int_equal(cw_packet_routing_check(routing), 0);
    assert_int_equal(cw_packet_routing_lanes(routing, relays->channels[1]), 2);
    assert_int_equal(cw_packet_routing_lanes(routing, relays->channels[0]), 1);
    cw_packet_routing_free(routing);
    relays->channels[2] = relays->channels[3];
    assert_int_equal(
        cw_packet_routing_of_paths(net, "ring", relays->n_paths, relays->first, relays->channels, &routing), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "path 0 does not lead from an endpoint over switches to an endpoint");
    assert_int_equal(cw_packet_routing_of_paths(net, "none", 0, relays->first, relays->channels, &routing), CW_ELIMIT);
    cw_routes_free(routes);
    relays_free(relays);
}

/* Hop 1, which is the second of two, becomes HOP. */
static void refuses_hop(struct relays *relays, struct cw_flit_hop hop, const char *message)
{
    const struct cw_flit_hop kept = relays->hops[1];
    struct cw_flit_simulation *simulation;
    relays->hops[1] = hop;
    assert_int_equal(cw_flit_new(&relays->c.setup, &simulation), CW_EUSAGE);
    assert_string_equal(cw_error_message(), message);
    relays->hops[1] = kept;
}

/* Hop 0 goes from 0 to 1. */
static void refuses_sums(struct relays *relays)
{
    static const char *const follows =
        "job 0: hop 1 does not follow earlier ones, each as the only one, with the same bytes and rank";
    static const char *const kept = "job 0: hop 1 is of a sum that is not kept, or returns one and is of none";
    static const uint32_t memories[][4] = {{0, 2, 2, 3}, {0, 0, 1, 3}};
    struct cw_flit_simulation *simulation;
    struct cw_flit_hop hop = relays->hops[1];
    hop.dst = 2;
    hop.sum = 1;
    refuses_hop(relays, hop, kept); /* and hop 0 is not of it */
    hop.kept = true;
    refuses_hop(relays, hop, follows);
    hop.sum = 0;
    hop.returns = true;
    refuses_hop(relays, hop, kept);
    hop.returns = false;
    hop.joined = 1; /* there is no other */
    refuses_hop(relays, hop, follows);
    hop.before = SIZE_MAX;
    refuses_hop(relays, hop, follows);
    for (size_t i = 0; i < 2; i++) {
        relays->streams.memory = memories[i];
        assert_int_equal(cw_flit_new(&relays->c.setup, &simulation), CW_EUSAGE);
        assert_string_equal(cw_error_message(),
                            i == 0 ? "job 0: rank 1 has the memory of rank 2, expected the first that has it"
                                   : "job 0: rank 2 has the memory of rank 1, expected the first that has it");
    }
    relays->streams.memory = NULL;
}

/* One endpoint at each switch. */
static void refuses_far_memories(void **state)
{
    (void)state;
    static const uint32_t memory[] = {0, 0, 2, 3};
    struct cw_routes *routes;
    struct relays *relays = relays_new("torus:4", "minhop", &routes);
    struct cw_flit_simulation *simulation;
    add_hop(relays, routes, 0, 1, 100, SIZE_MAX);
    relays_begin(relays);
    relays->c.setup.jobs = &relays->c.job;
    relays->streams.memory = memory;
    assert_int_equal(cw_flit_new(&relays->c.setup, &simulation), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "job 0: ranks 0 and 1 share a memory and are not on one switch");
    cw_routes_free(routes);
    relays_free(relays);
}

/* Who relays has room for one stream: nothing is added to what it gets. */
static void refuses_sums_of_relays(void **state)
{
    (void)state;
    struct cw_routes *routes;
    struct relays *relays = relays_new("crossbar:4", "minhop", &routes);
    struct cw_flit_simulation *simulation;
    for (uint32_t src = 0; src < 2; src++) {
        add_hop(relays, routes, src, 2, 100, SIZE_MAX);
        relays->hops[src].kept = src == 0;
    }
    add_hop(relays, routes, 2, 3, 100, 0);
    relays->hops[2].joined = 1;
    relays_begin(relays);
    relays->c.setup.jobs = &relays->c.job;
    assert_int_equal(cw_flit_new(&relays->c.setup, &simulation), CW_EUSAGE);
    assert_string_equal(
        cw_error_message(),
        "job 0: hop 2 does not follow earlier ones, each as the only one, with the same bytes and rank");
    cw_routes_free(routes);
    relays_free(relays);
}

static void refuses(void **state)
{
    (void)state;
    struct cw_routes *routes;
    struct relays *relays = relays_new("crossbar:4", "minhop", &routes);
    struct cw_flit_simulation *simulation;
    add_hop(relays, routes, 0, 1, 100, SIZE_MAX);
    add_hop(relays, routes, 1, 2, 101, 0);
    relays_begin(relays);
    relays->c.setup.jobs = &relays->c.job;
    assert_int_equal(cw_flit_new(&relays->c.setup, &simulation), CW_EUSAGE);
    assert_string_equal(
        cw_error_message(),
        "job 0: hop 1 does not follow earlier ones, each as the only one, with the same bytes and rank");
    relays->hops[1].bytes = 100;
    relays->hops[1].dst = 4;
    assert_int_equal(cw_flit_new(&relays->c.setup, &simulation), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "job 0: hop 1 has no bytes, or is not between two of 4 ranks");
    refuses_sums(relays);
    relays->streams.credits = 0;
    assert_int_equal(cw_flit_new(&relays->c.setup, &simulation), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "job 0 has 2 hops, chunks of 640 bytes and 0 credits; expected some of each");
    relays->c.job.streams = NULL;
    assert_int_equal(cw_flit_new(&relays->c.setup, &simulation), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "job 0 has no streams");
    cw_routes_free(routes);
    relays_free(relays);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_on_an_idle_network),
        cmocka_unit_test(own_data_first),
        cmocka_unit_test(sums_on_an_idle_network),
        cmocka_unit_test(sums_come_back),
        cmocka_unit_test(memories_are_shared),
        cmocka_unit_test(turns_begin_with_the_least),
        cmocka_unit_test(every_chunk_comes_once),
        cmocka_unit_test(refuses_far_memories),
        cmocka_unit_test(refuses_sums_of_relays),
        cmocka_unit_test(both_implementations_agree),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(lanes_break_cycles),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
