/* Streams that ranks relay in chunks: exact times on an idle network, both implementations, threads, lanes of paths. */
#include "flit_twins.h"

#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "net/network_internal.h"

#define MOST_HOPS 400

/* A line of streams over endpoints of a case. */
struct relays {
    struct flit_case c;
    struct cw_flit_hop hops[MOST_HOPS];
    struct cw_flit_streams streams;
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
    for (uint64_t trial = 0; trial < 6; trial++) {
        struct relays *relays = random_relays(networks[trial % 3][0], networks[trial % 3][1], trial);
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
    struct relays *relays = random_relays("torus:6x6", "dor", 3);
    const uint64_t alone = time_of(relays);
    for (unsigned threads = 2; threads <= 4; threads++) {
        relays->c.setup.n_threads = threads;
        assert_int_equal(time_of(relays), alone);
    }
    relays_free(relays);
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
    assert_string_equal(cw_error_message(),
                        "job 0: hop 1 does not follow an earlier one, as the only one, with the same bytes and rank");
    relays->hops[1].bytes = 100;
    relays->hops[1].dst = 4;
    assert_int_equal(cw_flit_new(&relays->c.setup, &simulation), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "job 0: hop 1 has no bytes, or is not between two of 4 ranks");
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
        cmocka_unit_test(chunks_on_an_idle_network),  cmocka_unit_test(own_data_first),
        cmocka_unit_test(both_implementations_agree), cmocka_unit_test(threads_agree),
        cmocka_unit_test(lanes_break_cycles),         cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
