/* Which endpoints a selection names, and what is left of a network cut to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "net/network_internal.h"
#include "net/selection.h"

#include "sample_networks.h"

/* Selects by a file of CONTENT; the result is that of cw_selection_new. */
static int select_by(const struct cw_network *net, const char *content, struct cw_selection **out)
{
    char path[] = "selection-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, content, strlen(content)), strlen(content));
    close(descriptor);
    const int rc = cw_selection_new(net, path, out);
    unlink(path);
    return rc;
}

/* SELECTION has the endpoints of the sample fabric whose LIDs are those of EXPECTED, "0 2 5", and what is cut to it has
 * no others. */
static void assert_selected(const struct cw_network *net, struct cw_selection *selection, const char *expected)
{
    struct cw_text selected = {0}, left = {0};
    struct cw_network *part = NULL;
    for (uint32_t v = 0, i = 0; v < net->n_endpoints; v++) {
        const uint32_t at = cw_selection_index(selection, v);
        if (at == CW_NONE) continue;
        assert_int_equal(at, i);
        assert_int_equal(selection->endpoints[i++], v);
        cw_text_printf(&selected, "%s%u", i == 1 ? "" : " ", net->identity[v].lid / 4 - 1);
    }
    assert_string_equal(selected.data, expected);
    assert_int_equal(cw_selection_cut(net, selection, &part), 0);
    for (uint32_t v = 0; v < part->n_endpoints; v++)
        cw_text_printf(&left, "%s%u", v == 0 ? "" : " ", part->identity[v].lid / 4 - 1);
    assert_string_equal(left.data, expected);
    assert_int_equal(cw_network_switches(part), cw_network_switches(net));
    cw_network_free(part);
    cw_selection_free(selection);
    cw_text_free(&selected);
    cw_text_free(&left);
}

static void test_words(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric(), *part = NULL;
    struct cw_selection *selection = NULL;
    assert_int_equal(cw_selection_new(net, "all", &selection), 0);
    assert_selected(net, selection, "0 1 2 3 4 5 6");
    assert_int_equal(cw_selection_new(net, "hca", &selection), 0);
    assert_selected(net, selection, "0 1 2 3 4 5");
    net->identity[4].kind = CW_KIND_ROUTER;
    assert_int_equal(cw_selection_new(net, "hca", &selection), 0);
    assert_selected(net, selection, "0 1 2 3 5");
    cw_network_free(net);

    net = sample_crossbar(5); /* nothing is known of its endpoints: they are hosts */
    assert_int_equal(cw_selection_new(net, "hca", &selection), 0);
    assert_int_equal(selection->n, 5);
    assert_int_equal(cw_selection_cut(net, selection, &part), 0);
    assert_true(cw_network_equal(net, part));
    cw_network_free(part);
    cw_network_free(net);
    cw_selection_free(selection);
    cw_selection_free(NULL);
}

static void test_lists(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    struct cw_selection *selection = NULL;
    assert_int_equal(select_by(net, "# comment\r\n\n  node2 HCA-1  # it\nnode1 HCA-1\nnode1 HCA-1", &selection), 0);
    assert_selected(net, selection, "0 1");
    assert_int_equal(select_by(net, "0x2c90300000020\n", &selection), 0); /* a node: both rails */
    assert_selected(net, selection, "2 3");
    assert_int_equal(select_by(net, "0x0002C90300000021\n0x2c90300000060", &selection), 0); /* a port, and a node */
    assert_selected(net, selection, "2 6");
    cw_network_free(net);
}

static void assert_names(const struct cw_network *net, const char *names, const char *expected)
{
    struct cw_selection *selection = NULL;
    if (cw_selection_new(net, names, &selection)) fail_msg("%s: %s", names, cw_error_message());
    assert_selected(net, selection, expected);
    if (select_by(net, names, &selection)) fail_msg("a file of %s: %s", names, cw_error_message());
    assert_selected(net, selection, expected);
}

/* Names instead of a file, and the same in one: endpoints, hosts, GUIDs and lists of them. */
static void test_names(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    assert_names(net, "node2 HCA-1", "1");
    assert_names(net, "node2", "1");
    assert_names(net, "node3", "3"); /* its other rail is described in another way */
    assert_names(net, "node[1-3]", "0 1 3");
    assert_names(net, "node[1,2] HCA-1, 0x2c90300000020", "0 1 2 3");
    assert_names(net, "node1,node1,knoten-\u00fc", "0 4");
    cw_network_free(net);
}

static void assert_refused(const struct cw_network *net, const char *content, int code, const char *words)
{
    struct cw_selection *selection = NULL;
    assert_int_equal(select_by(net, content, &selection), code);
    assert_null(selection);
    if (!strstr(cw_error_message(), words)) fail_msg("'%s' does not say '%s'", cw_error_message(), words);
}

static void test_refusals(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    struct cw_selection *selection = NULL;
    assert_refused(net, "node1 HCA-1\nnode9\n", CW_EPARSE, ":2: 'node9' is not an endpoint of sample");
    assert_refused(net, "leaf1\n", CW_EPARSE, ":1: 'leaf1'");
    assert_refused(net, "0x2c90300000070\n", CW_EPARSE, ":1: '0x2c90300000070'"); /* a switch */
    assert_refused(net, "0x\n", CW_EPARSE, ":1: '0x'");
    assert_refused(net, "# nothing\n", CW_EUSAGE, "leaves no endpoint of sample");
    assert_refused(net, "node1\nnode[1-4]\n", CW_EPARSE, ":2: 'node4' is not an endpoint of sample");
    assert_refused(net, "node[1-\n", CW_EPARSE, ":1: 'node[1-': '[' without ']'; expected numbers in brackets");
    static const char *const refused[][2] = {
        {"no/such/file",
         "'no/such/file' is neither a file nor an endpoint of sample; expected all, hca, a file of names, or "
         "the name of an endpoint or a host, a list such as node[001-064]"},
        {"node[1-4]", "'node4' is not an endpoint of sample; expected the name"},
        {"node[1-4", "'[' without ']'"},
        {"node1,leaf1", "'leaf1' is not an endpoint of sample"},
        {"node1,,node2", "an empty name"},
        {"0x2c90300000070", "neither a file nor an endpoint"}, /* a switch */
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(cw_selection_new(net, refused[i][0], &selection), CW_EUSAGE);
        if (!strstr(cw_error_message(), refused[i][1])) fail_msg("%s: %s", refused[i][0], cw_error_message());
    }
    cw_network_free(net);
}

/* What has brackets or commas in its name is itself. */
static void test_odd_names(void **state)
{
    (void)state;
    static const char *const names[] = {"n[1-2]", "n1", "n2", "rack 1, node 7", "s"};
    struct cw_builder *builder = cw_builder_new(4, 1, 4);
    for (uint32_t v = 0; v < 5; v++) cw_builder_name(builder, v, names[v]);
    for (uint32_t v = 0; v < 4; v++) cw_builder_cable(builder, v, 1, 4, v + 1, 1, 0);
    struct cw_network *net = sample_finish(builder);
    struct cw_selection *selection = NULL;
    for (uint32_t v = 0; v < 4; v++) {
        assert_int_equal(cw_selection_new(net, names[v], &selection), 0);
        assert_int_equal(selection->n, 1);
        assert_int_equal(selection->endpoints[0], v);
        cw_selection_free(selection);
    }
    assert_int_equal(cw_selection_new(net, "n[1-2],n2", &selection), 0);
    assert_int_equal(selection->n, 2);
    assert_int_equal(selection->endpoints[0], 0);
    cw_selection_free(selection);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),    cmocka_unit_test(test_lists),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
