/* Explicit paths: adding, choosing by weight, reading from files. */
#include "net/network_internal.h"
#include "route_test.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "net/builder.h"

/* Endpoints "a", "b/1", "c d" at switches s and t, which two cables join at ports 7 and 9 of s. */
enum { A, B, CD, SWITCH_S, SWITCH_T };

static struct cw_network *small_network(void)
{
    static const char *const names[] = {"a", "b/1", "c d", "s", "t"};
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(3, 2, 5);
    cw_builder_cable(builder, A, 1, SWITCH_S, 1, 1, 0);
    cw_builder_cable(builder, B, 1, SWITCH_T, 1, 1, 0);
    cw_builder_cable(builder, CD, 1, SWITCH_T, 2, 1, 0);
    cw_builder_cable(builder, SWITCH_S, 7, SWITCH_T, 8, 1, 0);
    cw_builder_cable(builder, SWITCH_S, 9, SWITCH_T, 10, 1, 0);
    for (uint32_t v = 0; v < 5; v++) cw_builder_name(builder, v, names[v]);
    must(cw_builder_finish(builder, &net));
    return net;
}

/* Paths a → b/1 over the first cable with weight FIRST and the second with weight SECOND. */
static struct cw_routes *two_paths(const struct cw_network *net, double first, double second, uint64_t seed)
{
    struct cw_paths *paths = NULL;
    struct cw_routes *routes = NULL;
    uint32_t path[3] = {net->first[A], net->first[SWITCH_S] + 1, net->first[SWITCH_T]};
    must(cw_paths_new(net, &paths));
    must(cw_paths_add(paths, A, B, first, path, 3));
    path[1]++;
    must(cw_paths_add(paths, A, B, second, path, 3));
    must(cw_paths_finish(paths, "two", seed, &routes));
    return routes;
}

/* Weights are shares: over many seeds, each path is used in proportion. */
static void weights_are_shares(void **state)
{
    (void)state;
    enum { SEEDS = 4000 };
    struct cw_network *net = small_network();
    uint32_t path[3], first = 0;
    uint8_t lanes[3];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct cw_routes *routes = two_paths(net, 1, 3, seed);
        assert_int_equal(cw_routes_max_hops(routes), 3);
        assert_false(cw_routes_by_destination(routes));
        assert_int_equal(walk(routes, A, B, path, lanes), 3);
        first += path[1] == net->first[SWITCH_S] + 1;
        cw_routes_free(routes);
    }
    const double deviation = sqrt(SEEDS * 0.25 * 0.75);
    assert_true(fabs(first - SEEDS * 0.25) < 4 * deviation);
    cw_network_free(net);
}

static void pairs_without_a_path_are_holes(void **state)
{
    (void)state;
    struct cw_network *net = small_network();
    struct cw_routes *routes = two_paths(net, 1, 1, 0);
    const uint32_t src[] = {A, B}, dst[] = {B, A};
    uint32_t hops[2], channels[6];
    struct cw_walk walk = {0};
    struct cw_hop hop;
    assert_int_equal(cw_routes_paths(routes, 2, src, dst, hops, channels, NULL), CW_EROUTE);
    assert_string_equal(cw_error_message(), "b/1 has no route to a");
    must(cw_walk_begin(&walk, routes, B, A));
    assert_int_equal(cw_walk_candidates(&walk, &hop, 1), CW_EROUTE);
    assert_string_equal(cw_error_message(), "b/1 has no route to a");
    must(cw_walk_begin(&walk, routes, B, B));
    assert_int_equal(cw_walk_candidates(&walk, &hop, 1), 0);
    cw_walk_end(&walk);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void bad_paths_are_refused(void **state)
{
    (void)state;
    struct cw_network *net = small_network();
    struct cw_paths *paths = NULL;
    const uint32_t s = net->first[SWITCH_S], t = net->first[SWITCH_T];
    const uint32_t good[] = {net->first[A], s + 1, t}, gap[] = {net->first[A], t};
    const uint32_t through[] = {net->first[A], s + 1, t + 1, net->first[CD], t};
    const uint32_t unknown[] = {net->n_channels};
    must(cw_paths_new(net, &paths));
    assert_int_equal(cw_paths_add(paths, A, B, 0, good, 3), CW_EUSAGE);
    assert_int_equal(cw_paths_add(paths, A, B, -1, good, 3), CW_EUSAGE);
    assert_int_equal(cw_paths_add(paths, A, B, (double)NAN, good, 3), CW_EUSAGE);
    assert_int_equal(cw_paths_add(paths, A, B, (double)INFINITY, good, 3), CW_EUSAGE);
    assert_int_equal(cw_paths_add(paths, A, CD, 1, good, 3), CW_EUSAGE);
    assert_int_equal(cw_paths_add(paths, A, B, 1, good, 2), CW_EUSAGE);
    assert_int_equal(cw_paths_add(paths, A, B, 1, good, 0), CW_EUSAGE);
    assert_int_equal(cw_paths_add(paths, A, B, 1, gap, 2), CW_EUSAGE);
    assert_int_equal(cw_paths_add(paths, A, B, 1, through, 5), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "path from a to b/1: it leads through an endpoint, which forwards nothing");
    assert_int_equal(cw_paths_add(paths, A, B, 1, unknown, 1), CW_EUSAGE);
    assert_int_equal(cw_paths_add(paths, A, A, 1, good, 3), CW_EUSAGE);
    assert_int_equal(cw_paths_add(paths, SWITCH_S, A, 1, good, 3), CW_EUSAGE);
    must(cw_paths_add(paths, A, B, 1, good, 3));
    cw_paths_free(paths);
    cw_paths_free(NULL);
    cw_network_free(net);
}

/* Many pairs added in any order are all found: the routes are those they were made of. */
static void paths_of_other_routes(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x4");
    struct cw_routes *dor = routes_of(net, "dor"), *routes = NULL;
    struct all_routes all = all_routes_of(dor);
    struct cw_random random = cw_random_of(3, CW_STREAM_TEST, 2);
    uint32_t *order = zeros(all.n, sizeof *order);
    struct cw_paths *paths = NULL;
    must(cw_paths_new(net, &paths));
    cw_random_permutation(&random, (uint32_t)all.n, order);
    for (size_t i = 0; i < all.n; i++) {
        const size_t r = order[i];
        if (all.hops[r] == 0) continue;
        must(cw_paths_add(paths, all.src[r], all.dst[r], 1, all.channels + r * all.stride, all.hops[r]));
    }
    must(cw_paths_finish(paths, "copy", 0, &routes));
    struct all_routes same = all_routes_of(routes);
    assert_same_paths(&all, &same);
    free(order);
    free_all_routes(&same);
    free_all_routes(&all);
    cw_routes_free(routes);
    cw_routes_free(dor);
    cw_network_free(net);
}

/* --- files ------------------------------------------------------------------------------------------------------- */

/* Reads CONTENT as a file of paths; ROUTES may be NULL. *FILE is where it was, to be freed. */
static int read_content(const struct cw_network *net, const char *content, struct cw_routes **routes, char *file)
{
    const char *folder = getenv("TMPDIR");
    struct cw_text text = {0};
    sprintf(file, "%.200s/crosswind-paths-XXXXXX", folder ? folder : "/tmp");
    const int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    cw_text_add(&text, content);
    must(cw_file_write(file, &text));
    const int rc = cw_paths_read(net, file, 0, routes);
    cw_text_free(&text);
    unlink(file);
    return rc;
}

static void files_are_read(void **state)
{
    (void)state;
    struct cw_network *net = small_network();
    struct cw_routes *routes = NULL;
    char file[256];
    uint32_t path[4];
    uint8_t lanes[4];
    must(read_content(net,
                      "# paths\n\n"
                      "a \"b/1\" 1 : a s/9 t \"b/1\" # the second cable\r\n"
                      "\t\"c d\"  a\t0.5:\"c d\"/1 \"t\"/8 s a\n"
                      "b/1 a 1e-3 :\"b/1\" t s a",
                      &routes, file));
    assert_string_equal(cw_routes_name(routes), file);
    assert_int_equal(walk(routes, A, B, path, lanes), 3);
    assert_int_equal(path[1], cw_network_channel_at(net, SWITCH_S, 9));
    assert_int_equal(walk(routes, CD, A, path, lanes), 3);
    assert_int_equal(path[1], cw_network_channel_at(net, SWITCH_T, 8));
    assert_int_equal(walk(routes, B, A, path, lanes), 3);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void malformed_files_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a \"b/1\" 1 : a s t", ":1: path from a to b/1: it ends elsewhere"},
        {"\na zzz 1 : a", ":2: no vertex is called 'zzz'"},
        {"a \"b/1\" x : a s t \"b/1\"", ":1: a weight that is not a number: x"},
        {"a \"b/1\" 1 a s t \"b/1\"", ":1: no ':' after the weight"},
        {"a \"b/1\"", ":1: the line ends too early"},
        {"a \"b/1\" 1 :", ":1: the line ends too early"},
        {"a \"b/1", ":1: a quoted name without its closing"},
        {"\"a\"x", ":1: a quoted name goes on"},
        {"a \"b/1\" 1 : a s/3 t \"b/1\"", ":1: no cable leads from s by that port to t"},
        {"a \"b/1\" 1 : a s/y t \"b/1\"", ":1: a port that is not a number: y"},
        {"a \"b/1\" 1 : a t \"b/1\"", ":1: no cable leads from a to t"},
        {"a \"b/1\" 1 : a s t \"b/1\"/1", ":1: a port after the last vertex"},
        {"a \"b/1\" 0 : a s t \"b/1\"", ":1: path from a to b/1: the weight must be more than 0"},
    };
    struct cw_network *net = small_network();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_routes *routes = NULL;
        char file[256];
        assert_int_equal(read_content(net, cases[i][0], &routes, file), CW_EPARSE);
        assert_null(routes);
        assert_non_null(strstr(cw_error_message(), file));
        if (!strstr(cw_error_message(), cases[i][1])) fail_msg("'%s': %s", cases[i][0], cw_error_message());
    }
    struct cw_routes *routes = NULL;
    assert_int_equal(cw_paths_read(net, "/nonexistent/paths", 0, &routes), CW_EIO);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_shares),    cmocka_unit_test(pairs_without_a_path_are_holes),
        cmocka_unit_test(bad_paths_are_refused), cmocka_unit_test(paths_of_other_routes),
        cmocka_unit_test(files_are_read),        cmocka_unit_test(malformed_files_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
