/* Demands by name, counted by hand, and from CSV files. */
#include "demand_test.h"

#include <stdio.h>
#include <unistd.h>

#include "base/random.h"
#include "net/builder.h"
#include "net/network_internal.h"

/* --- the patterns of the paper ------------------------------------------------------------------------------------ */

/* Endpoints by what they do in DEMANDS: sources first … last, and so on. With those that send to themselves left out.
 */
struct range {
    uint32_t first, last, n;
};

static struct range range_of(const struct cw_demands *demands, bool of_sources)
{
    bool seen[1024] = {false};
    struct range range = {.first = CW_NONE};
    for (size_t i = 0; i < demands->n; i++) {
        const uint32_t e = of_sources ? demands->items[i].src : demands->items[i].dst;
        if (seen[e]) continue;
        seen[e] = true;
        range.n++;
        if (range.first == CW_NONE || e < range.first) range.first = e;
        if (e > range.last) range.last = e;
    }
    return range;
}

static void assert_same(const struct cw_demands *a, const struct cw_demands *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->self_pairs, b->self_pairs);
    assert_int_equal(a->self_bytes, b->self_bytes);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->items[i].src, b->items[i].src);
        assert_int_equal(a->items[i].dst, b->items[i].dst);
        assert_int_equal(a->items[i].bytes, b->items[i].bytes);
    }
}

static void patterns_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *same; /* the pattern and another name of it */
        size_t pairs, self;
        struct range src, dst;
    } cases[] = {
        {"0", "disjoint:32x32", 32, 0, {0, 31, 32}, {480, 511, 32}},
        {"3", "disjoint:32x256", 256, 0, {0, 31, 32}, {256, 511, 256}},
        {"12", "disjoint:256x32", 256, 0, {0, 255, 256}, {480, 511, 32}},
        {"15", "disjoint:256x256", 256, 0, {0, 255, 256}, {256, 511, 256}},
        {"16", "overlap:32x32,4", 32, 0, {0, 31, 32}, {28, 59, 32}},
        {"27", "overlap:32x256,16", 256, 0, {0, 31, 32}, {16, 271, 256}},
        {"54", "overlap:256x32,128", 255, 1, {0, 255, 255}, {128, 159, 32}},
        {"63", "overlap:256x256,128", 256, 0, {0, 255, 256}, {128, 383, 256}},
        {"64", "subset:64x4", 63, 1, {1, 63, 63}, {0, 3, 4}},
        {"74", "subset:128x8,32", 127, 1, {0, 127, 127}, {32, 39, 8}},
        {"87", "subset:256x32,128", 255, 1, {0, 255, 255}, {128, 159, 32}},
        {"90", "subset:256x64,128", 255, 1, {0, 255, 255}, {128, 191, 64}},
    };
    struct cw_network *net = network_of("bgq:512");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_demands demands = pattern_of(net, cases[i].spec), same = pattern_of(net, cases[i].same);
        const struct range src = range_of(&demands, true), dst = range_of(&demands, false);
        assert_int_equal(demands.n, cases[i].pairs);
        assert_int_equal(demands.self_pairs, cases[i].self);
        assert_int_equal(demands.self_bytes, cases[i].self * 8 * MIB);
        assert_int_equal(demands.merged_pairs, 0);
        assert_memory_equal(&src, &cases[i].src, sizeof src);
        assert_memory_equal(&dst, &cases[i].dst, sizeof dst);
        assert_same(&demands, &same);
        cw_demands_free(&demands);
        cw_demands_free(&same);
    }
    cw_network_free(net);
}
/* Each source sends to r destinations, or r sources to each destination, in the order of the endpoints. */
static void pairs_by_hand(void **state)
{
    (void)state;
    struct cw_network *net = network_of("bgq:512");
    struct cw_demands few = pattern_of(net, "3"), many = pattern_of(net, "12"), overlap = pattern_of(net, "27");
    for (uint32_t i = 0; i < 256; i++) {
        assert_int_equal(few.items[i].src, i / 8);
        assert_int_equal(few.items[i].dst, 256 + i);
        assert_int_equal(few.items[i].bytes, 8 * MIB);
        assert_int_equal(many.items[i].src, i);
        assert_int_equal(many.items[i].dst, 480 + i / 8);
        assert_int_equal(overlap.items[i].src, i / 8);
        assert_int_equal(overlap.items[i].dst, 16 + i);
    }
    cw_demands_free(&few);
    cw_demands_free(&many);
    cw_demands_free(&overlap);
    cw_network_free(net);
}

/* Every number on every partition: as many pairs as sources or destinations, whichever are more. */
static void all_numbers_on_all_partitions(void **state)
{
    (void)state;
    static const uint32_t partitions[] = {512, 1024, 2048, 24576, 49152};
    for (size_t i = 0; i < sizeof partitions / sizeof *partitions; i++) {
        const struct cw_network net = {.n_endpoints = partitions[i]}; /* patterns look at nothing else */
        for (unsigned number = 0; number < 91; number++) {
            char spec[8];
            snprintf(spec, sizeof spec, "%u", number);
            struct cw_demands demands = pattern_of(&net, spec);
            const unsigned m = number < 16 ? number / 4 : number < 64 ? (number - 16) / 12 : (number - 64) / 9 + 1;
            const unsigned n = number < 16 ? number % 4 : number < 64 ? (number - 16) / 3 % 4 : 0;
            assert_int_equal(demands.n + demands.self_pairs, partitions[i] / 16 << (m > n ? m : n));
            for (size_t d = 0; d < demands.n; d++) {
                assert_true(demands.items[d].src < partitions[i] && demands.items[d].dst < partitions[i]);
                assert_int_not_equal(demands.items[d].src, demands.items[d].dst);
            }
            cw_demands_free(&demands);
        }
    }
}

static void other_kinds(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:10");
    struct cw_demands demands = pattern_of(net, "aggregation:4"); /* 0, 2, 5 and 7 */
    static const uint32_t expected[][2] = {{1, 0}, {3, 2}, {4, 2}, {6, 5}, {8, 7}, {9, 7}};
    assert_int_equal(demands.n, 6);
    assert_int_equal(demands.self_pairs, 0); /* what an aggregator has is there */
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(demands.items[i].src, expected[i][0]);
        assert_int_equal(demands.items[i].dst, expected[i][1]);
    }
    cw_demands_free(&demands);
    demands = pattern_of(net, "alltoall");
    assert_int_equal(demands.n, 90);
    assert_int_equal(demands.self_pairs, 0);
    for (uint32_t i = 0; i < 90; i++) {
        assert_int_equal(demands.items[i].src, i / 9);
        assert_int_equal(demands.items[i].dst, i % 9 + (i % 9 >= i / 9));
    }
    cw_demands_free(&demands);
    cw_network_free(net);
}

/* Pattern endpoint i is the i-th that takes part. */
static void patterns_among_some(void **state)
{
    (void)state;
    static const char *const specs_of_some[] = {"alltoall", "permutation", "disjoint:2x4", "aggregation:2"};
    struct cw_network *net = network_of("torus:10"), *small = network_of("torus:6");
    uint32_t some[] = {0, 3, 4, 6, 8, 9};
    const struct cw_selection selection = {6, some};
    for (size_t k = 0; k < sizeof specs_of_some / sizeof *specs_of_some; k++) {
        struct cw_demands among = {0}, expected = {0};
        must(cw_demands_pattern(net, &selection, specs_of_some[k], 5, 3, &among));
        must(cw_demands_pattern(small, NULL, specs_of_some[k], 5, 3, &expected));
        for (size_t i = 0; i < expected.n; i++) {
            expected.items[i].src = some[expected.items[i].src];
            expected.items[i].dst = some[expected.items[i].dst];
        }
        assert_same(&among, &expected);
        cw_demands_free(&among);
        cw_demands_free(&expected);
    }
    cw_network_free(small);
    cw_network_free(net);
}

static void permutations_depend_on_the_seed(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:10");
    struct cw_demands first = {0};
    size_t self = 0, same = 0;
    must(cw_demands_pattern(net, NULL, "permutation", 5, 0, &first));
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct cw_demands demands = {0};
        bool sends[10] = {false}, receives[10] = {false};
        must(cw_demands_pattern(net, NULL, "permutation", 5, seed, &demands));
        assert_int_equal(demands.n + demands.self_pairs, 10);
        assert_int_equal(demands.self_bytes, 5 * demands.self_pairs);
        for (size_t i = 0; i < demands.n; i++) {
            assert_false(sends[demands.items[i].src] || receives[demands.items[i].dst]);
            sends[demands.items[i].src] = receives[demands.items[i].dst] = true;
        }
        same += first.n == demands.n && memcmp(first.items, demands.items, demands.n * sizeof *first.items) == 0;
        self += demands.self_pairs;
        cw_demands_free(&demands);
    }
    assert_int_equal(same, 1);
    assert_in_range(self, 20, 90); /* 1 expected of each, with variance 1 */
    cw_demands_free(&first);
    cw_network_free(net);
}

static void patterns_that_do_not_fit(void **state)
{
    (void)state;
    static const struct {
        uint32_t endpoints;
        const char *spec, *message;
    } cases[] = {
        {512, "disjiont:4x4", "unknown pattern 'disjiont'; did you mean disjoint?"},
        {500, "3", "pattern bui:3: 500 ranks have no such parts as it needs; those of a multiple of 128 do"},
        {64, "16", "pattern bui:16: 64 ranks have no such parts as it needs; those of a multiple of 128 do"},
        {512, "disjoint:4", "disjoint: expected two sizes MxN (sources, destinations), e.g. 128x8"},
        {512, "disjoint:512x4", "disjoint: 512 sources and 4 destinations are more than the 512 ranks"},
        {512, "disjoint:1024x4", "disjoint: 1024 sources are more than the 512 ranks"},
        {512, "overlap:4x1024,2", "overlap: 1024 destinations are more than the 512 ranks"},
        {512, "disjoint:6x4", "disjoint: 6 sources and 4 destinations; one must be a multiple of the other"},
        {512, "overlap:4x4,5", "overlap: the destinations cannot begin at the last 5 of 4 sources"},
        {512, "overlap:256x512,0", "overlap: the last destination would be rank 767; there are 512"},
        {512, "subset:16x4,13", "subset: destinations 13 to 16 are not all among the 16 sources"},
        {512, "aggregation:513", "aggregation: 513 aggregators are more than the 512 ranks"},
        {512, "aggregation:512", "under aggregation:512 nobody among 512 ranks sends to another"},
        {512, "subset:1x1", "under subset:1x1 nobody among 512 ranks sends to another"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct cw_network net = {.n_endpoints = cases[i].endpoints};
        struct cw_demands demands = {0};
        assert_int_equal(cw_demands_pattern(&net, NULL, cases[i].spec, 1, 0, &demands), CW_EUSAGE);
        assert_string_equal(cw_error_message(), cases[i].message);
        assert_null(demands.items);
    }
}

static void patterns_with_too_many_bytes(void **state)
{
    (void)state;
    const struct cw_network net = {.n_endpoints = 512}, huge = {.n_endpoints = UINT32_MAX};
    struct cw_demands demands = {0};
    assert_int_equal(cw_demands_pattern(&net, NULL, "3", 0, 0, &demands), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "a demand of 0 bytes; expected more");
    assert_int_equal(cw_demands_pattern(&huge, NULL, "alltoall", 1, 0, &demands), CW_ELIMIT);
    assert_string_equal(cw_error_message(), "pattern alltoall: the 18446744060824649730 messages of 4294967295 ranks "
                                            "need more memory than can be had");
    assert_null(demands.items);
    must(cw_demands_add(&demands, 3, 3, UINT64_MAX));
    assert_int_equal(cw_demands_add(&demands, 4, 4, 1), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "the bytes of endpoints to themselves are more than 64 bits can count");
    assert_int_equal(demands.self_pairs, 1);
}

/* --- CSV files ---------------------------------------------------------------------------------------------------- */

/* The demands of TEXT as a traffic matrix in a file, whose path is left in PATH. */
static int read_csv(const struct cw_network *net, const char *text, size_t length, char path[32],
                    struct cw_demands *out)
{
    snprintf(path, 32, "demands-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, length), length);
    close(file);
    char spec[48];
    snprintf(spec, sizeof spec, "matrix:%s", path);
    const int rc = cw_demands_pattern(net, NULL, spec, 1, 0, out);
    unlink(path);
    return rc;
}

static void files_are_read(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf"
                               "SRC, dst ,bytes\r\n"
                               "# a comment\n"
                               "\n"
                               "3,5,100\n"
                               "h7,\"h1\", 8MiB \n"
                               "  # another\n"
                               "3 , 5,\"23\"\n"
                               "5,3,18446744073709551615\n"
                               "7,h1,8388608\n"
                               "0,15,9007199254740993";
    static const struct cw_demand expected[] = {
        {3, 5, 123}, {7, 1, 16 * MIB}, {5, 3, UINT64_MAX}, {0, 15, 9007199254740993}};
    struct cw_network *net = network_of("torus:4x4");
    struct cw_demands demands = {0};
    char path[32];
    must(read_csv(net, text, sizeof text - 1, path, &demands));
    assert_int_equal(demands.n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(demands.items[i].src, expected[i].src);
        assert_int_equal(demands.items[i].dst, expected[i].dst);
        assert_int_equal(demands.items[i].bytes, expected[i].bytes);
    }
    assert_int_equal(demands.merged_pairs, 2);
    assert_int_equal(demands.self_pairs, 0);
    cw_demands_free(&demands);
    cw_network_free(net);
}

/* Names with what CSV must quote, and GUIDs of ports and nodes. */
static void endpoints_by_name_and_guid(void **state)
{
    (void)state;
    static const char *const names[] = {"rack 1, \"a\"", "#2", "3"};
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(3, 1, 3);
    for (uint32_t e = 0; e < 3; e++) {
        cw_builder_name(builder, e, names[e]);
        cw_builder_identity(builder, e,
                            &(struct cw_identity){.kind = CW_KIND_HOST, .node_guid = 0xa0 + e, .port_guid = 0xb0 + e});
        cw_builder_cable(builder, e, 1, 3, e + 1, 1, 0);
    }
    cw_builder_name(builder, 3, "leaf");
    must(cw_builder_finish(builder, &net));
    static const char text[] = "\"rack 1, \"\"a\"\"\",3,1\n\"#2\",0xa0,2\n0xb2,0,3\n";
    static const struct cw_demand expected[] = {{0, 2, 1}, {1, 0, 2}, {2, 0, 3}};
    struct cw_demands demands = {0};
    char path[32];
    must(read_csv(net, text, sizeof text - 1, path, &demands));
    assert_int_equal(demands.n, 3);
    assert_memory_equal(&demands.items[0], &expected[0], sizeof expected[0]);
    assert_memory_equal(&demands.items[1], &expected[1], sizeof expected[1]);
    assert_memory_equal(&demands.items[2], &expected[2], sizeof expected[2]);
    cw_demands_free(&demands);
    cw_network_free(net);
}

#define LONG_64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void files_with_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message; /* behind the path */
    } cases[] = {
        {"", ": no messages; expected lines of 'src dst bytes'"},
        {"src,dst,bytes\n# none\n", ": no messages; expected lines of 'src dst bytes'"},
        {"1,2,-7\n", ":1: bytes: -7 is negative; expected a size such as 8, 64kB, 1M or 10MiB"},
        {"1,2,many\n", ":1: bytes: 'many' is not a size such as 8, 64kB, 1M or 10MiB"},
        {"1,2,0.5\n", ":1: bytes: 0.5 is not a whole number of bytes"},
        {"1,2,18446744073709551616\n", ":1: bytes: 18446744073709551616 is more than 64 bits can count"},
        {"1,2,16EiB\n", ":1: bytes: 16EiB is more than 64 bits can count"},
        {"-1,2,1\n",
         ":1: src '-1' is not a rank; expected a whole number from 0, or the name or GUID (0x…) of an endpoint"},
        {"4294967297,2,1\n", ":1: src '4294967297' is not a rank; expected a whole number from 0, or the name or GUID "
                             "(0x…) of an endpoint"},
        {"0x1,2,1\n",
         ":1: src '0x1' is not a rank; expected a whole number from 0, or the name or GUID (0x…) of an endpoint"},
        {"1,\"s(0,1)\",1\n", ":1: dst: 's(0,1)' is a switch; expected an endpoint"},
        {"src,dst,bytes\nsrc,dst,bytes\n",
         ":2: src 'src' is not a rank; expected a whole number from 0, or the name or GUID (0x…) of an endpoint"},
        {"1;2;3\n", ":1: 1 field; expected 3: src, dst and bytes"},
        {"1,2\n", ":1: 2 fields; expected 3: src, dst and bytes"},
        {"1,2,3,4\n", ":1: more than 3 fields; expected 3: src, dst and bytes"},
        {"1,,3\n", ":1: a field is empty; expected 3: src, dst and bytes"},
        {"1,\"\",3\n", ":1: a field is empty; expected 3: src, dst and bytes"},
        {"1,\"2\"2,3\n", ":1: text behind a quoted field; expected a comma"},
        {"1,\"2,3\n4,5,6\n", ":1: a quote is not closed"},
        {"1,2," LONG_64 LONG_64 LONG_64 LONG_64 "\n",
         ":1: a field is longer than any name; expected 3: src, dst and bytes"},
        {"1,2,3\n4,5,", ":2: a field is empty; expected 3: src, dst and bytes (the file ends within this line)"},
        {"1,2,3\n4,5", ":2: 2 fields; expected 3: src, dst and bytes (the file ends within this line)"},
        {"1,2,3\n4", ":2: 1 field; expected 3: src, dst and bytes (the file ends within this line)"},
        {"1,2,3\n4,5,\"6", ":2: a quote is not closed (the file ends within this line)"},
        {"1,2,3\n4,5,8Mi.",
         ":2: bytes: '8Mi.' is not a size such as 8, 64kB, 1M or 10MiB (the file ends within this line)"},
    };
    struct cw_network *net = network_of("torus:4x4");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_demands demands = {0};
        char path[32];
        assert_int_equal(read_csv(net, cases[i].text, strlen(cases[i].text), path, &demands), CW_EPARSE);
        assert_memory_equal(cw_error_message(), path, strlen(path));
        assert_string_equal(cw_error_message() + strlen(path), cases[i].message);
        assert_null(demands.items);
    }
    struct cw_demands demands = {0};
    char path[32];
    assert_int_equal(read_csv(net, "1,2\0,3\n", 7, path, &demands), CW_EPARSE);
    assert_string_equal(cw_error_message() + strlen(path), ":1: a byte 0, expected text");
    assert_int_equal(cw_demands_pattern(net, NULL, "matrix:/nonexistent/demands.csv", 1, 0, &demands), CW_EIO);
    assert_int_equal(read_csv(net, "1,16,1\n", 7, path, &demands), CW_EUSAGE);
    assert_string_equal(cw_error_message() + strlen(path), ":1: there is no rank 16 among 16 (they are 0 to 15)");
    assert_int_equal(read_csv(net, "4 4 1\nh4,4,1\n1,2,0MiB\n", 22, path, &demands), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "nobody among 16 ranks sends to another"));
    cw_network_free(net);
}

/* Merging is by pair, whatever the order; against a matrix. */
static void many_lines_are_merged(void **state)
{
    (void)state;
    static uint64_t matrix[16][16];
    static char text[40000];
    size_t length = 0, lines = 0, pairs = 0;
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    for (; length + 40 < sizeof text; lines++) {
        const uint32_t src = cw_random_below(&random, 16), dst = (src + 1 + cw_random_below(&random, 15)) % 16,
                       bytes = 1 + cw_random_below(&random, 1000);
        length += (size_t)snprintf(text + length, sizeof text - length, "%u,%u,%u\n", src, dst, bytes);
        pairs += matrix[src][dst] == 0;
        matrix[src][dst] += bytes;
    }
    struct cw_network *net = network_of("torus:4x4");
    struct cw_demands demands = {0};
    char path[32];
    must(read_csv(net, text, length, path, &demands));
    assert_int_equal(demands.n, pairs);
    assert_int_equal(demands.merged_pairs, lines - pairs);
    for (size_t i = 0; i < demands.n; i++) {
        assert_int_equal(demands.items[i].bytes, matrix[demands.items[i].src][demands.items[i].dst]);
        matrix[demands.items[i].src][demands.items[i].dst] = 0; /* may not come again */
    }
    cw_demands_free(&demands);
    cw_network_free(net);
}

/* A traffic matrix as a pattern: its own bytes, pairs that occur again merged, too many bytes refused. */
static void matrices_are_patterns(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x4");
    char path[] = "/tmp/cw-test-XXXXXX", spec[64];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    static const char good[] = "3 1 5\n0 2 7\n3 1 6\n2 2 9\n", huge[] = "0 1 18446744073709551615\n0 1 1\n";
    snprintf(spec, sizeof spec, "matrix:%s", path);
    assert_int_equal(write(file, good, sizeof good - 1), sizeof good - 1);
    struct cw_demands demands = pattern_of(net, spec);
    assert_int_equal(demands.n, 2);
    assert_int_equal(demands.merged_pairs, 1);
    assert_true(demands.items[0].src == 3 && demands.items[0].dst == 1 && demands.items[0].bytes == 11);
    assert_true(demands.items[1].src == 0 && demands.items[1].dst == 2 && demands.items[1].bytes == 7);
    cw_demands_free(&demands);
    assert_int_equal(pwrite(file, huge, sizeof huge - 1, 0), sizeof huge - 1);
    assert_int_equal(cw_demands_pattern(net, NULL, spec, MIB, 1, &demands), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "the bytes from endpoint 0 to endpoint 1 are more than 64 bits can count");
    close(file);
    remove(path);
    assert_true(cw_demands_pattern(net, NULL, spec, MIB, 1, &demands) < 0);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_by_hand),
        cmocka_unit_test(pairs_by_hand),
        cmocka_unit_test(all_numbers_on_all_partitions),
        cmocka_unit_test(other_kinds),
        cmocka_unit_test(permutations_depend_on_the_seed),
        cmocka_unit_test(patterns_among_some),
        cmocka_unit_test(patterns_that_do_not_fit),
        cmocka_unit_test(patterns_with_too_many_bytes),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(endpoints_by_name_and_guid),
        cmocka_unit_test(files_with_faults),
        cmocka_unit_test(many_lines_are_merged),
        cmocka_unit_test(matrices_are_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
