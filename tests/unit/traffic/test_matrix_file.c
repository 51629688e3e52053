/* Traffic matrices from files: the ways to write one, and malformed ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "net/builder.h"
#include "traffic/pattern.h"
#include "traffic_test_file.h"

/* cw_pattern_new, for RANKS, of a matrix with this content, in a file called by PATH. */
static int parse_for(const struct cw_ranks *ranks, const char *content, size_t length, char path[TEST_PATH_SIZE],
                     struct cw_pattern **pattern)
{
    char spec[TEST_PATH_SIZE + 16];
    write_test_file(content, length, path);
    snprintf(spec, sizeof spec, "matrix:%s", path);
    const int rc = cw_pattern_new(spec, ranks, pattern);
    unlink(path);
    return rc;
}

static int parse(const char *content, size_t length, char path[TEST_PATH_SIZE], struct cw_pattern **pattern)
{
    return parse_for(NULL, content, length, path, pattern);
}

/* The line TEXT gives FLOW among RANKS, or if MESSAGE is not NULL that message. */
static void check_line(const struct cw_ranks *ranks, const char *text, const char *message, struct cw_flow flow)
{
    char path[TEST_PATH_SIZE];
    struct cw_pattern *pattern = NULL;
    struct cw_flows flows = {0};
    const int rc = parse_for(ranks, text, strlen(text), path, &pattern);
    if (rc && (!message || !strstr(cw_error_message(), message))) fail_msg("%s: %s", text, cw_error_message());
    assert_int_equal(rc, message ? CW_EPARSE : 0);
    if (rc) return;
    assert_int_equal(cw_pattern_append(pattern, ranks->n, 0, 999, NULL, &flows), 0);
    assert_int_equal(flows.n, 1);
    assert_memory_equal(flows.items, &flow, sizeof flow);
    cw_flows_free(&flows);
    cw_pattern_free(pattern);
}

static void test_ways_to_write_it(void **state)
{
    (void)state;
    static const char *const same[] = {
        "0 3 100\n3 0 2048\n1 2 7\n",
        "0 3 100\n3 0 2048\n1 2 7",
        "\xef\xbb\xbf\x30\t3\t100\r\n3 0 2KiB\r\n1 2 7B\r\n",
        "src,dst,bytes\n0,3,100\n3,0,2048\n1,2,7\n",
        "\"src\",\"dst\",\"bytes\"\n\"0\",\"3\",\"100\"\n3,0,2048\n1,2,7\n",
        "# a comment\n\nSrc, Dst, Bytes\n0 , 3 , 100\n 3,0, 2KiB # another\n#\n1,2,7\n",
        "src dst bytes\n  0   3  100  \n3 0 2048 # close\n\n1 2 7\n",
        "0 3 100\n2 2 55\n3,0,2048\n0 1 0\n1 2 7\n", /* diagonal and empty entries send nothing */
    };
    static const struct cw_flow expected[] = {{0, 3, 100}, {3, 0, 2048}, {1, 2, 7}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char path[TEST_PATH_SIZE];
        struct cw_pattern *pattern = NULL;
        if (parse(same[i], strlen(same[i]), path, &pattern)) fail_msg("case %zu: %s", i, cw_error_message());
        struct cw_flows flows = {0};
        uint32_t rounds = 0;
        assert_int_equal(cw_pattern_rounds(pattern, 4, &rounds), 0);
        assert_int_equal(rounds, 1);
        assert_int_equal(cw_pattern_append(pattern, 4, 0, 999, NULL, &flows), 0);
        assert_int_equal(flows.n, 3);
        for (size_t f = 0; f < 3; f++) {
            assert_int_equal(flows.items[f].src, expected[f].src);
            assert_int_equal(flows.items[f].dst, expected[f].dst);
            assert_int_equal(flows.items[f].bytes, expected[f].bytes);
        }
        cw_flows_free(&flows);
        cw_pattern_free(pattern);
    }
}

static void test_too_few_ranks(void **state)
{
    (void)state;
    static const char content[] = "0 1 8\n2 9 8\n9 1 8\n";
    char path[TEST_PATH_SIZE], expected[TEST_PATH_SIZE + 64];
    struct cw_pattern *pattern = NULL;
    assert_int_equal(parse(content, strlen(content), path, &pattern), 0);
    uint32_t rounds = 0;
    assert_int_equal(cw_pattern_rounds(pattern, 10, &rounds), 0);
    assert_int_equal(cw_pattern_rounds(pattern, 9, &rounds), CW_EUSAGE);
    snprintf(expected, sizeof expected, "%s:2: there is no rank 9 among 9", path);
    assert_ptr_equal(strstr(cw_error_message(), expected), cw_error_message());
    cw_pattern_free(pattern);
}

static void test_only_silent_entries(void **state)
{
    (void)state;
    char path[TEST_PATH_SIZE];
    struct cw_pattern *pattern = NULL;
    struct cw_flows flows = {0};
    assert_int_equal(parse("1 1 8\n", 6, path, &pattern), 0);
    assert_int_equal(cw_pattern_append(pattern, 2, 0, 1, NULL, &flows), 0);
    assert_int_equal(flows.n, 0);
    cw_flows_free(&flows);
    cw_pattern_free(pattern);
}

static void test_malformed(void **state)
{
    (void)state;
#define CASE(CONTENT, LINE, MESSAGE)                                                                                   \
    {                                                                                                                  \
        CONTENT, sizeof(CONTENT) - 1, LINE, MESSAGE                                                                    \
    }
    static const struct {
        const char *content;
        size_t length;
        unsigned long line; /* 0: the whole file */
        const char *message;
    } bad[] = {
        CASE("", 0, "no messages"),
        CASE("\n\n# nothing\n", 0, "no messages"),
        CASE("src,dst,bytes\n", 0, "no messages"),
        CASE("0 1\n", 1, "2 fields; expected 3"),
        CASE("0\n", 1, "1 field; expected 3"),
        CASE("0 1 8 9\n", 1, "more than 3 fields; expected 3"),
        CASE("0 1 8\n\n0,1,8,\n", 3, "more than 3 fields"),
        CASE("0,,8\n", 1, "a field is empty"),
        CASE(",,\n", 1, "a field is empty"),
        CASE("0,1,\n", 1, "a field is empty"),
        CASE("0,\"\",8\n", 1, "a field is empty"),
        CASE("from to size\n0 1 8\n", 1, "src 'from' is not a rank"),
        CASE("dst,src,bytes\n0,1,8\n", 1, "src 'dst' is not a rank"),
        CASE("0 1 8\nsrc dst bytes\n", 2, "src 'src' is not a rank"),
        CASE("-1 1 8\n", 1, "src '-1' is not a rank"),
        CASE("0 1.5 8\n", 1, "dst '1.5' is not a rank"),
        CASE("0 4294967295 8\n", 1, "dst '4294967295' is not a rank"),
        CASE("99999999999999999999 1 8\n", 1, "is not a rank"),
        CASE("0 1 8\n0x1 1 8\n", 2, "src '0x1' is not a rank"),
        CASE("0 1 -8\n", 1, "bytes: -8 is negative"),
        CASE("0 1 8 MiB\n", 1, "more than 3 fields"),
        CASE("0 1 8parsecs\n", 1, "bytes: '8parsecs' is not a size"),
        CASE("0 1 99999999999999999999999\n", 1, "more than 64 bits can count"),
        CASE("0;1;8\n", 1, "1 field;"),
        CASE("0\0 1 8\n", 1, "a byte 0"),
        CASE("\0\0\0", 1, "a byte 0"),
        CASE("\xff\xfe\x30\x00", 0, "text in UTF-16, expected UTF-8"),
        CASE("\"0 1 8\n", 1, "a quote is not closed"),
    };
#undef CASE
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[TEST_PATH_SIZE], place[TEST_PATH_SIZE + 32];
        struct cw_pattern *pattern = NULL;
        assert_int_equal(parse(bad[i].content, bad[i].length, path, &pattern), CW_EPARSE);
        assert_null(pattern);
        if (bad[i].line)
            snprintf(place, sizeof place, "%s:%lu: ", path, bad[i].line);
        else
            snprintf(place, sizeof place, "%s: ", path);
        if (strncmp(cw_error_message(), place, strlen(place)) != 0 || !strstr(cw_error_message(), bad[i].message))
            fail_msg("case %zu: %s", i, cw_error_message());
    }
}

/* Ranks by the names and GUIDs of the endpoints they run on, which go before numbers; commas, blanks and quotes. */
static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"rack 1, \"a\"", "#2", "0", "spare"};
    static const uint32_t endpoints[] = {2, 0, 1};
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(4, 1, 4);
    for (uint32_t e = 0; e < 4; e++) {
        cw_builder_name(builder, e, names[e]);
        cw_builder_identity(builder, e,
                            &(struct cw_identity){.kind = CW_KIND_HOST, .node_guid = 0xa0 + e, .port_guid = 0xb0 + e});
        cw_builder_cable(builder, e, 1, 4, e + 1, 1, 0);
    }
    cw_builder_name(builder, 4, "leaf");
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    struct cw_ranks ranks = {.n = 3, .per_group = 1, .net = net, .endpoints = endpoints};
    static const struct {
        const char *text;
        struct cw_flow flow;
        const char *message; /* of an error; NULL: there is `flow` */
    } cases[] = {
        {"\"rack 1, \"\"a\"\"\",0,7\n", {1, 0, 7}, NULL},
        {"\"rack 1, \"\"a\"\"\" 0 7 # from there\n", {1, 0, 7}, NULL},
        {"\"#2\" 1 7\n", {2, 1, 7}, NULL},
        {"1,#2,7\n", {1, 2, 7}, NULL},
        {"0xb1 0xa2 7\n", {2, 0, 7}, NULL},
        {"2 1 7\n", {2, 1, 7}, NULL},
        {"spare 1 7\n", {0, 0, 0}, ":1: src: no rank runs on 'spare'; expected an endpoint that takes part"},
        {"1 leaf 7\n", {0, 0, 0}, ":1: dst: 'leaf' is a switch; expected an endpoint"},
        {"0x1 1 7\n", {0, 0, 0}, ":1: src '0x1' is not a rank; expected a whole number from 0, or the name or GUID"},
        {"\"1\"1 7 8\n", {0, 0, 0}, ":1: text behind a quoted field; expected a blank"},
        {"\"1\"1,7,8\n", {0, 0, 0}, ":1: text behind a quoted field; expected a comma"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_line(&ranks, cases[i].text, cases[i].message, cases[i].flow);
    cw_network_free(net);
}

/* A host stands for its endpoint if it has one. */
static void test_hosts(void **state)
{
    (void)state;
    static const char *const names[] = {"a HCA-1", "b mlx5_0", "b mlx5_1"};
    static const struct {
        const char *text, *message; /* NULL: rank 0 sends 7 bytes to rank 2 */
    } cases[] = {
        {"a \"b mlx5_1\" 7\n", NULL},
        {"a b 7\n", ":1: dst: host 'b' has 2 endpoints; expected one of them: 'b mlx5_0', 'b mlx5_1'"},
        {"c a 7\n", ":1: src 'c' is not a rank"},
    };
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(3, 1, 3);
    for (uint32_t e = 0; e < 3; e++) {
        cw_builder_name(builder, e, names[e]);
        cw_builder_cable(builder, e, 1, 3, e + 1, 1, 0);
    }
    cw_builder_name(builder, 3, "leaf");
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    const struct cw_ranks ranks = {.n = 3, .per_group = 1, .net = net};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_line(&ranks, cases[i].text, cases[i].message, (struct cw_flow){0, 2, 7});
    cw_network_free(net);
}

/* Endpoints 1 and 3 run ranks 0 and 1; 0 and 2 are cut off, but still counted. */
static void test_numbers_of_endpoints(void **state)
{
    (void)state;
    static const uint32_t endpoints[] = {1, 3}, numbers[] = {0, 1, 2, 3};
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(4, 1, 4);
    for (uint32_t e = 0; e < 4; e++) cw_builder_cable(builder, e, 1, 4, e + 1, 1, 0);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    const struct cw_ranks ranks = {
        .n = 2, .per_group = 1, .net = net, .endpoints = endpoints, .numbers = numbers, .n_numbers = 4};
    static const struct {
        const char *text, *message; /* NULL: rank 1 sends 7 bytes to rank 0 */
    } cases[] = {
        {"3 1 7\n", NULL},
        {"h3 h1 7\n", NULL},
        {"1 2 7\n", ":1: dst: rank 2 is on 'h2', which is cut off and does not take part"},
        {"4 1 7\n", ":1: src: there is no rank 4 among 4 (they are 0 to 3)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_line(&ranks, cases[i].text, cases[i].message, (struct cw_flow){1, 0, 7});
    cw_network_free(net);
}

/* Every prefix of a good file, and every file with one byte changed, is read or refused in good order. */
static void test_mutations(void **state)
{
    (void)state;
    static const char good[] = "src,dst,bytes\n0,3,100\n3,0,2KiB # comment\n\n\"1\",2,7\n";
    static const char others[] = {'\0', '\n', ',', ' ', '"', '#', '9', 'x', '-', '\x80'};
    char content[sizeof good], path[TEST_PATH_SIZE];
    for (size_t length = 0; length < sizeof good; length++)
        for (size_t change = 0; change <= sizeof others; change++) {
            struct cw_pattern *pattern = NULL;
            memcpy(content, good, sizeof good);
            if (change < sizeof others && length + 1 < sizeof good) content[length] = others[change];
            const int rc = parse(content, change < sizeof others ? sizeof good - 1 : length, path, &pattern);
            assert_true(rc == 0 || rc == CW_EPARSE);
            assert_int_equal(rc == 0, pattern != NULL);
            cw_pattern_free(pattern);
        }
}

static void test_missing_file(void **state)
{
    (void)state;
    struct cw_pattern *pattern = NULL;
    assert_int_equal(cw_pattern_new("matrix:/nonexistent/matrix.csv", NULL, &pattern), CW_EIO);
    assert_non_null(strstr(cw_error_message(), "/nonexistent/matrix.csv"));
    assert_null(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_to_write_it),
        cmocka_unit_test(test_too_few_ranks),
        cmocka_unit_test(test_only_silent_entries),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_numbers_of_endpoints),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
