/* Node name maps: what they may look like, and that every form of a fabric takes the same names from one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/input.h"
#include "ib_fixtures.h"
#include "net/files/node_names.h"
#include "net/network_internal.h"

#define MAP CW_TEST_DATA "/golden/names/rails.names"

static void assert_name(const struct cw_node_names *names, uint64_t guid, const char *expected)
{
    const struct cw_node_name *name = cw_node_names_find(names, guid);
    assert_non_null(name);
    assert_int_equal(name->length, strlen(expected));
    assert_memory_equal(name->name, expected, name->length);
}

static void lines(void **state)
{
    (void)state;
    static const char text[] =
        "# head\r\n\r\n0x10 \"a # b\" # comment\r\n \t0xFFFFFFFFFFFFFFFF  two words \t# comment\r\n"
        "0x11 it's#behind\n0x10 \"a # b\"\n0x9 last";
    struct cw_node_names *names;
    assert_int_equal(cw_node_names_parse("names", text, strlen(text), &names), 0);
    assert_int_equal(names->n, 4);
    assert_name(names, 0x10, "a # b");
    assert_name(names, UINT64_MAX, "two words");
    assert_name(names, 0x11, "it's");
    assert_name(names, 0x9, "last");
    assert_null(cw_node_names_find(names, 0x12));
    cw_node_names_free(names);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "names: no name in this file; expected a GUID and a name such as 0x0008f10500200b50 \"leaf 1\""},
        {"# only\n", "names: no name in this file; expected a GUID and a name such as 0x0008f10500200b50 \"leaf 1\""},
        {"0x1 \"a\"\n10 \"b\"\n",
         "names:2: expected a GUID and a name such as 0x0008f10500200b50 \"leaf 1\", found '10 \"b\"'"},
        {"0x0 \"a\"\n", "names:1: expected a GUID and a name such as 0x0008f10500200b50 \"leaf 1\", found '0x0 \"a\"'"},
        {"0x12345678901234567 \"a\"\n",
         "names:1: expected a GUID and a name such as 0x0008f10500200b50 \"leaf 1\", found "
         "'0x12345678901234567 \"a\"'"},
        {"0x1: \"a\"\n",
         "names:1: expected a GUID and a name such as 0x0008f10500200b50 \"leaf 1\", found '0x1: \"a\"'"},
        {"0x1\n", "names:1: expected a name, found the end of the line"},
        {"0x1 # a\n", "names:1: expected a name, found '# a'"},
        {"0x1 \"\"\n", "names:1: expected a name, found '\"\"'"},
        {"0x1 \"a\n", "names:1: expected a name with a quote at its end, found '\"a'"},
        {"0x1 \"a\" b\n", "names:1: expected '#' or the end of the line behind the name, found ' b'"},
        {"0x1 a \"b\"\n", "names:1: expected a name without quotes, or within, found 'a \"b\"'"},
        {"0x1 a\n0x2 b\n0x1 \"c\"\n", "names:3: 0x1 is called \"c\" here, but \"a\" in line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_node_names *names = NULL;
        assert_int_equal(cw_node_names_parse("names", cases[i].text, strlen(cases[i].text), &names), CW_EPARSE);
        assert_string_equal(cw_error_message(), cases[i].message);
        assert_null(names);
    }
}

static struct cw_network *read_named(const char *fixture, struct cw_inputs *inputs)
{
    char path[512];
    struct cw_network *net = NULL;
    snprintf(path, sizeof path, CW_TEST_DATA "/golden/fabric/%s", fixture);
    cw_inputs_record(inputs);
    const int rc = cw_network_read_as(&(struct cw_reading){.node_names = MAP}, path, &net);
    cw_inputs_record(NULL);
    if (rc) fail_msg("%s: %s", fixture, cw_error_message());
    return checked(net);
}

/* The one name of no node is said, with its line; the map is entered with its hash. */
static void every_form(void **state)
{
    (void)state;
    static const char *const forms[] = {"rails.ibnetdiscover",
                                        "rails-full.ibnetdiscover",
                                        "rails-grouped.ibnetdiscover",
                                        "rails-ports.ibnetdiscover",
                                        "rails.net",
                                        "rails.subnet.lst",
                                        "rails.iblinkinfo",
                                        "rails-lines.iblinkinfo",
                                        "rails-switches-lines.iblinkinfo"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct cw_inputs inputs = {0};
        struct cw_network *net = read_named(forms[i], &inputs);
        assert_int_equal(net->n_vertices, 9);
        assert_cable(net, "compute-1/P1", 1, "rack 7 leaf A", 1, 12.5e9);
        assert_cable(net, "compute-1/P2", 2, "rack 7 leaf B", 1, 12.5e9);
        assert_cable(net, "compute-2/P2", 2, "rack 7 leaf B", 2, 12.5e9);
        assert_cable(net, "gateway", 1, "rack 7 leaf A", 7, strcmp(forms[i], "rails.net") == 0 ? 5e9 : 1e9);
        char name[CW_NAME_SIZE], message[1024];
        unsigned storage = 0;
        for (uint32_t v = 0; v < net->n_endpoints; v++)
            storage += strncmp(cw_network_name(net, v, name, sizeof name), "storage [", 9) == 0;
        assert_int_equal(storage, 2); /* of one name, told apart by GUID */
        snprintf(message, sizeof message,
                 MAP ":9: 1 of 7 names are of no node in " CW_TEST_DATA "/golden/fabric/%s, the first here: "
                     "0x2c9030009ffff.\n",
                 forms[i]);
        assert_string_equal(inputs.remarks.data, message);
        assert_int_equal(inputs.n, 2);
        assert_string_equal(inputs.items[1].path, MAP);
        cw_inputs_free(&inputs);
        cw_network_free(net);
    }
}

/* Hosts without GUIDs keep their own names, and that is said. */
static void no_guids(void **state)
{
    (void)state;
    struct cw_inputs inputs = {0};
    struct cw_network *net = read_named("rails-switches.iblinkinfo", &inputs);
    assert_cable(net, "rack 7 leaf A", 11, "rack 7 leaf B", 11, 25e9);
    assert_cable(net, "node01 mlx5_0 [LID 3]", 2, "rack 7 leaf B", 1, 12.5e9);
    assert_non_null(strstr(inputs.remarks.data, "5 of 7 names are of no node"));
    cw_inputs_free(&inputs);
    cw_network_free(net);
}

/* A map of node GUIDs where only port GUIDs are known: the port's own GUID goes before the GUID less the port number.
 */
static void port_guids(void **state)
{
    (void)state;
    static const char fabric[] = "0x90 \"leaf\" 9 1[ ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 0x20 1 1[ ] \"a\" ( )\n"
                                 "0x90 \"leaf\" 9 2[ ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 0x21 2 1[ ] \"b\" ( )\n"
                                 "0x90 \"leaf\" 9 3[ ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 0x31 3 1[ ] \"c\" ( )\n",
                      map[] = "0x20 named-a\n0x21 named-b\n0x30 named-c\n";
    char path[] = "names-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, map, strlen(map)), strlen(map));
    close(descriptor);
    struct cw_network *net = NULL;
    const int rc =
        cw_network_parse_as(&(struct cw_reading){.node_names = path}, "fabric", fabric, strlen(fabric), &net);
    unlink(path);
    assert_int_equal(rc, 0);
    assert_names(checked(net), (const char *const[]){"named-a", "named-b", "named-c", "leaf"});
    cw_network_free(net);
}

/* What a node is, is told by its description, whatever it is called. */
static void kind_stays(void **state)
{
    (void)state;
    struct cw_network *plain = read_fixture("oddities.ibnetdiscover"), *net = NULL;
    uint32_t v = vertex(plain, "Mellanox Technologies Aggregation Node");
    char text[64], path[] = "names-XXXXXX";
    const int length =
        snprintf(text, sizeof text, "0x%llx sharp-1\n", (unsigned long long)plain->identity[v].node_guid);
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, (size_t)length), length);
    close(descriptor);
    const int rc = cw_network_read_as(&(struct cw_reading){.node_names = path},
                                      CW_TEST_DATA "/golden/fabric/oddities.ibnetdiscover", &net);
    unlink(path);
    assert_int_equal(rc, 0);
    v = vertex(net, "sharp-1");
    assert_int_equal(net->identity[v].kind, CW_KIND_AGGREGATION);
    cw_network_free(plain);
    cw_network_free(net);
}

static void other_formats(void **state)
{
    (void)state;
    static const char cables[] = "# crosswind edge list\na s\nb s\n";
    struct cw_network *net = NULL;
    assert_int_equal(cw_network_parse_as(&(struct cw_reading){.node_names = MAP}, "x", cables, strlen(cables), &net),
                     CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "x is in the format edges, to which a node name map does not apply; expected "
                        "one of opensm-subnet, ibdiagnet, iblinkinfo, ibnetdiscover, ibsim");
    assert_null(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),         cmocka_unit_test(refusals),   cmocka_unit_test(every_form),
        cmocka_unit_test(no_guids),      cmocka_unit_test(port_guids), cmocka_unit_test(kind_stays),
        cmocka_unit_test(other_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
