/* What names a fault, and what is left of a network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "net/builder.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "net/selection.h"
#include "sample_networks.h"

/* Two leaves "a" and "b-1" with two hosts each, and two spines "x", "y"; each leaf has two cables to x and one to y. */
static struct cw_network *tree(void)
{
    static const char *const names[] = {"h0", "h1", "h2", "h3", "a", "b-1", "x", "y"};
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(4, 4, 10);
    for (uint32_t e = 0; e < 4; e++) cw_builder_cable(builder, e, 1, 4 + e / 2, 1 + e % 2, 5e9, 0);
    for (uint32_t leaf = 0; leaf < 2; leaf++) {
        cw_builder_cable(builder, 4 + leaf, 3, 6, 1 + 2 * leaf, 5e9, 0);
        cw_builder_cable(builder, 4 + leaf, 4, 6, 2 + 2 * leaf, 5e9, 0);
        cw_builder_cable(builder, 4 + leaf, 5, 7, 1 + leaf, 1e9, 0);
    }
    for (uint32_t v = 0; v < 8; v++) cw_builder_name(builder, v, names[v]);
    cw_builder_title(builder, "tree");
    if (cw_builder_finish(builder, &net)) fail_msg("%s", cw_error_message());
    return net;
}

static struct cw_network *without(const struct cw_network *net, const char *list)
{
    struct cw_faults *faults = NULL;
    struct cw_network *out = NULL;
    if (cw_faults_new(net, &faults) || cw_faults_fail(faults, "--failed", list, 1) ||
        cw_network_with_faults(faults, &out) || cw_network_check(out))
        fail_msg("%s: %s", list, cw_error_message());
    cw_faults_free(faults);
    return out;
}

/* The cables of NET as "a/3 b-1/5 …": the ports at their lower ends that are switches. */
static void assert_left(const char *list, uint32_t switches, const char *expected, const char *title)
{
    struct cw_network *net = tree(), *left = without(net, list);
    struct cw_text text = {0};
    char name[CW_NAME_SIZE];
    cw_text_add(&text, "");
    for (uint32_t c = 0; c < left->n_channels; c++)
        if (c < left->twin[c])
            cw_text_printf(&text, "%s%s/%u", text.length ? " " : "",
                           cw_network_name(left, left->tail[c], name, sizeof name), cw_network_port(left, c));
    assert_string_equal(text.data, expected);
    assert_int_equal(cw_network_switches(left), switches);
    assert_int_equal(left->n_endpoints, 4);
    assert_string_equal(left->title, title);
    cw_text_free(&text);
    cw_network_free(net);
    cw_network_free(left);
}

static void kinds_of_items(void **state)
{
    (void)state;
    assert_left("a/3", 4, "h0/1 h1/1 h2/1 h3/1 a/4 a/5 b-1/3 b-1/4 b-1/5", "tree without 1 cable");
    assert_left("x/1", 4, "h0/1 h1/1 h2/1 h3/1 a/4 a/5 b-1/3 b-1/4 b-1/5", "tree without 1 cable");
    assert_left("x/1-a/3", 4, "h0/1 h1/1 h2/1 h3/1 a/4 a/5 b-1/3 b-1/4 b-1/5", "tree without 1 cable");
    assert_left("b-1/3-x/3", 4, "h0/1 h1/1 h2/1 h3/1 a/3 a/4 a/5 b-1/4 b-1/5", "tree without 1 cable");
    assert_left("a-x", 4, "h0/1 h1/1 h2/1 h3/1 a/5 b-1/3 b-1/4 b-1/5", "tree without 2 cables");
    assert_left("x-b-1", 4, "h0/1 h1/1 h2/1 h3/1 a/3 a/4 a/5 b-1/5", "tree without 2 cables");
    assert_left("b-1-x,a/5", 4, "h0/1 h1/1 h2/1 h3/1 a/3 a/4 b-1/5", "tree without 3 cables");
    assert_left("x", 3, "h0/1 h1/1 h2/1 h3/1 a/5 b-1/5", "tree without 1 switch and 4 cables");
    assert_left("h1", 4, "h0/1 h2/1 h3/1 a/3 a/4 a/5 b-1/3 b-1/4 b-1/5", "tree without 1 cable");
    assert_left("0", 4, "h1/1 h2/1 h3/1 a/3 a/4 a/5 b-1/3 b-1/4 b-1/5", "tree without 1 cable");     /* h0's */
    assert_left("y-a,b-1/5", 3, "h0/1 h1/1 h2/1 h3/1 a/3 a/4 b-1/3 b-1/4", "tree without 2 cables"); /* y is gone */
    assert_left("x,a/3,x/2", 3, "h0/1 h1/1 h2/1 h3/1 a/5 b-1/5", "tree without 1 switch and 4 cables");
    assert_left("100%", 2, "h0/1 h1/1 h2/1 h3/1", "tree without 6 cables");
}

static void lists(void **state)
{
    (void)state;
    assert_left("h[0-2]", 4, "h3/1 a/3 a/4 a/5 b-1/3 b-1/4 b-1/5", "tree without 3 cables");
    assert_left("h[0,3],y", 3, "h1/1 h2/1 a/3 a/4 b-1/3 b-1/4", "tree without 1 switch and 4 cables");
    assert_left("b-[1]-x", 4, "h0/1 h1/1 h2/1 h3/1 a/3 a/4 a/5 b-1/5", "tree without 2 cables");
    assert_left("x/[1-2]", 4, "h0/1 h1/1 h2/1 h3/1 a/5 b-1/3 b-1/4 b-1/5", "tree without 2 cables");
    assert_left("h[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", 4, "h0/1 h2/1 h3/1 a/3 a/4 a/5 b-1/3 b-1/4 b-1/5",
                "tree without 1 cable"); /* more often than there are channels */
}

/* Channels that are closed when LIST has failed, as "a/3>x/1". */
static void assert_closed(const char *list, const char *expected, const char *title)
{
    struct cw_network *net = tree(), *left = without(net, list);
    struct cw_text text = {0};
    char name[2 * CW_NAME_SIZE + 32];
    cw_text_add(&text, "");
    for (uint32_t c = 0; c < left->n_channels; c++)
        if (cw_network_is_closed(left, c))
            cw_text_printf(&text, "%s%s", text.length ? " " : "", cw_network_channel_name(left, c, name, sizeof name));
    assert_string_equal(text.data, expected);
    assert_string_equal(left->title, title);
    cw_text_free(&text);
    cw_network_free(net);
    cw_network_free(left);
}

static void one_direction(void **state)
{
    (void)state;
    assert_closed("a>x", "a/3>x/1 a/4>x/2", "tree without 2 channels");
    assert_closed("a/4>x", "a/4>x/2", "tree without 1 channel");
    assert_closed("x/1>a/3", "x/1>a/3", "tree without 1 channel"); /* as results print channels */
    assert_closed("x>b-1", "x/3>b-1/3 x/4>b-1/4", "tree without 2 channels");
    assert_closed("x>b-1,a>x,a>x", "a/3>x/1 a/4>x/2 x/3>b-1/3 x/4>b-1/4", "tree without 4 channels");
    /* both directions are the cable */
    assert_closed("a>x,x/1>a", "a/4>x/2", "tree without 1 cable and 1 channel");
    assert_closed("x/1>a,a>x", "a/4>x/2", "tree without 1 cable and 1 channel");
    assert_closed("a>x,a-x", "", "tree without 2 cables");
    assert_closed("a-x,a-x", "", "tree without 2 cables");
    assert_closed("a/[3-4]>x", "a/3>x/1 a/4>x/2", "tree without 2 channels");
    assert_closed("y,y-a,b-1>x", "b-1/3>x/3 b-1/4>x/4", "tree without 1 switch and 2 cables and 2 channels");
}

/* What fails of a cable that was one-way before. */
static void one_way_before(void **state)
{
    (void)state;
    struct cw_network *net = tree(), *half = without(net, "a/5>y"), *left;
    static const char *const items[] = {"y>a", "a/5", "y-a"};
    for (size_t i = 0; i < 3; i++) {
        left = without(half, items[i]);
        assert_int_equal(left->n_closed, 0);
        assert_int_equal(left->n_channels, net->n_channels - 2);
        assert_string_equal(left->title, "tree without 1 channel without 1 cable"); /* and no other channel */
        cw_network_free(left);
    }
    struct cw_faults *faults;
    assert_int_equal(cw_faults_new(half, &faults), 0);
    assert_int_equal(cw_faults_fail(faults, "--failed", "a>y", 1), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "--failed: there is no open channel a>y in tree without 1 channel");
    assert_int_equal(cw_faults_degrade(faults, "--degraded", "y>a=4Gbit/s,x/2>a=4Gbit/s", 1), 0);
    assert_int_equal(faults->slower, 2);
    assert_int_equal(cw_network_with_faults(faults, &left), 0);
    static const struct {
        uint32_t vertex, port;
        double capacity;
    } expected[] = {{4, 4, 5e9}, {6, 2, 5e8}, {4, 5, 0}, {7, 1, 5e8}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(left->capacity[cw_network_channel_at(left, expected[i].vertex, expected[i].port)] ==
                    expected[i].capacity);
    cw_network_free(left);
    cw_faults_free(faults);
    cw_network_free(half);
    cw_network_free(net);
}

static void assert_refused(const char *list, const char *message)
{
    struct cw_network *net = tree();
    struct cw_faults *faults = NULL;
    assert_int_equal(cw_faults_new(net, &faults), 0);
    assert_int_equal(cw_faults_fail(faults, "--failed", list, 1), CW_EUSAGE);
    if (!strstr(cw_error_message(), message)) fail_msg("%s: %s", list, cw_error_message());
    if (!strchr(list, '[')) assert_int_equal(faults->cables, 0);
    cw_faults_free(faults);
    cw_network_free(net);
}

/* The nearest of names, wherever it stands among them. */
static void misspelt(void **state)
{
    (void)state;
    static const char *const names[] = {"node-13", "node-14", "leaf-west", "leaf-east"};
    struct cw_builder *builder = cw_builder_new(2, 2, 3);
    for (uint32_t v = 0; v < 4; v++) cw_builder_name(builder, v, names[v]);
    cw_builder_cable(builder, 0, 0, 2, 0, 1e9, 0);
    cw_builder_cable(builder, 1, 0, 3, 0, 1e9, 0);
    cw_builder_cable(builder, 2, 0, 3, 0, 1e9, 0);
    struct cw_network *net;
    struct cw_faults *faults;
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    for (uint32_t v = 0; v < 4; v++) {
        char wrong[CW_NAME_SIZE], expected[2 * CW_NAME_SIZE];
        snprintf(wrong, sizeof wrong, "%sx", names[v]);
        snprintf(expected, sizeof expected, "--failed: there is no '%s' in the network; did you mean '%s'?", wrong,
                 names[v]);
        assert_int_equal(cw_faults_new(net, &faults), 0);
        assert_int_equal(cw_faults_fail(faults, "--failed", wrong, 1), CW_EUSAGE);
        assert_string_equal(cw_error_message(), expected);
        cw_faults_free(faults);
    }
    cw_network_free(net);
}

/* All cables of all adapters of a host, and of hosts in a list. */
static void hosts(void **state)
{
    (void)state;
    static const char *const names[] = {"n1 HCA-1", "n1 HCA-2", "n2 HCA-1", "n2 HCA-2", "n[1-2]", "leaf"};
    static const struct {
        const char *list;
        uint32_t cables; /* of the four of hosts, a bit each that is left, and that of "n[1-2]" */
    } cases[] = {{"n1", 0x1c}, {"n2 HCA-2", 0x17}, {"n[1-2]", 0x0f}, {"n[1-2,2]", 0x10}, {"n[1-2] HCA-1", 0x1a}};
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(5, 1, 5);
    for (uint32_t v = 0; v < 6; v++) cw_builder_name(builder, v, names[v]);
    for (uint32_t e = 0; e < 5; e++) cw_builder_cable(builder, e, 1, 5, e + 1, 5e9, 0);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_faults *faults = NULL;
        char degraded[64];
        assert_int_equal(cw_faults_new(net, &faults), 0);
        assert_int_equal(cw_faults_fail(faults, "--failed", cases[i].list, 1), 0);
        snprintf(degraded, sizeof degraded, "n1 HCA-1=8Gbit/s,%s=16Gbit/s", cases[i].list);
        if (i > 2 || i == 1) assert_int_equal(cw_faults_degrade(faults, "--degraded", degraded, 1), 0);
        uint32_t left = 0;
        for (uint32_t e = 0; e < 5; e++) {
            left |= (uint32_t)!faults->failed[net->first[e]] << e;
            if (i > 2 && e > 0)
                assert_true(faults->capacity[net->first[e]] == (faults->failed[net->first[e]] ? 2e9 : 5e9));
        }
        assert_int_equal(left, cases[i].cables);
        cw_faults_free(faults);
    }
    cw_network_free(net);
}

static void what_names_nothing(void **state)
{
    (void)state;
    assert_refused("z", "--failed: there is no 'z' in tree; expected a switch");
    assert_refused("", "an empty name");
    assert_refused("h0-h1", "there is no cable h0-h1 in tree");
    assert_refused("a/9", "a of tree has no cable at its port 9");
    assert_refused("a/3>x/2", "tree has no channel a/3>x/2");
    assert_refused("a/3-x/2", "there is no 'a/3-x/2' in tree");
    assert_refused("h0>h1", "there is no open channel h0>h1 in tree");
    assert_refused("h0>a", "h0/1>a/1 is a channel of an endpoint, whose cables work in both directions or not at all");
    assert_refused("a/3x", "there is no 'a/3x' in tree");
    assert_refused("a/4294967299", "there is no 'a/4294967299' in tree"); /* 2^32 + 3 is no port 3 */
    assert_refused("a/4294967295", "a of tree has no cable at its port 4294967295");
    char longest[2 * CW_NAME_SIZE]; /* names that are too long for any vertex, from the least that is */
    for (size_t length = CW_NAME_SIZE - 1; length <= CW_NAME_SIZE + 1; length++) {
        memset(longest, 'a', length);
        strcpy(longest + length, "/3");
        assert_refused(longest, "' in tree");
    }
    assert_refused("a>z", "tree has no channel a>z");
    assert_refused("20", "there is no channel 20 in tree; they are 0 to 19");
    assert_refused("101%", "expected 0% to 100%");
    assert_refused("-1%", "expected 0% to 100%");
    assert_refused("1%", "less than half a cable");
    assert_refused("x%", "a share of the cables");
    assert_refused("a/[3-4]>x/[1]", "--failed: tree has no channel a/4>x/1");
    assert_refused("h[0-4]", "--failed: there is no 'h4' in tree");
    assert_refused("h[0-", "--failed: 'h[0-': '[' without ']'; expected numbers in brackets");
    assert_refused("h[0-9999999]", "more than 1000000 names");
}

/* Of 6 cables between switches; those of a third are among those of two thirds, whatever the seed. */
static void shares(void **state)
{
    (void)state;
    struct cw_network *net = tree();
    uint32_t first = 0;
    bool differ = false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct cw_faults *few = NULL, *many = NULL;
        uint32_t mask = 0;
        assert_int_equal(cw_faults_new(net, &few) | cw_faults_new(net, &many), 0);
        assert_int_equal(cw_faults_fail(few, "", "33%", seed) | cw_faults_fail(many, "", "67%", seed), 0);
        assert_int_equal(few->cables, 2);
        assert_int_equal(many->cables, 4);
        for (uint32_t c = 0; c < net->n_channels; c++) {
            assert_int_equal(few->failed[c], few->failed[net->twin[c]]);
            assert_true(many->failed[c] || !few->failed[c]);
            if (cw_network_is_endpoint(net, net->tail[c])) assert_false(many->failed[c]);
            mask |= (uint32_t)few->failed[c] << c;
        }
        if (seed == 0) first = mask;
        differ = differ || mask != first;
        cw_faults_free(few);
        cw_faults_free(many);
    }
    assert_true(differ);
    cw_network_free(net);
}

static void slower_cables(void **state)
{
    (void)state;
    struct cw_network *net = tree(), *out = NULL;
    struct cw_faults *faults = NULL;
    assert_int_equal(cw_faults_new(net, &faults), 0);
    /* a-x are 40 Gbit/s, a-y is 8 Gbit/s and stays */
    assert_int_equal(cw_faults_degrade(faults, "--degraded", "a=16Gbit/s,a/3=8Gbit/s", 1), 0);
    assert_int_equal(faults->slower, 4); /* h0, h1 and the two to x */
    assert_int_equal(cw_faults_fail(faults, "--failed", "b-1/3", 1), 0);
    assert_int_equal(cw_network_with_faults(faults, &out), 0);
    assert_string_equal(out->title, "tree without 1 cable, with 4 slower cables");
    static const struct {
        uint32_t vertex, port;
        double capacity;
    } expected[] = {{4, 1, 2e9}, {4, 3, 1e9}, {4, 4, 2e9}, {4, 5, 1e9}, {5, 4, 5e9}, {5, 5, 1e9}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const uint32_t c = cw_network_channel_at(out, expected[i].vertex, expected[i].port);
        assert_true(out->capacity[c] == expected[i].capacity);
        assert_true(out->capacity[out->twin[c]] == expected[i].capacity);
    }
    cw_network_free(out);
    static const char *const refused[][2] = {{"a", "has no rate"},
                                             {"y=10Gbit/s", "nothing named here is faster than 10Gbit/s"},
                                             {"h[0-1]=16Gbit/s", "nothing named here is faster than 16Gbit/s"},
                                             {"y=8Gbit/s", "nothing named here is faster than 8Gbit/s"},
                                             {"a=0", "a rate of 0; expected more than 0"},
                                             {"a=fast", "the rate"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(cw_faults_degrade(faults, "--degraded", refused[i][0], 1), CW_EUSAGE);
        if (!strstr(cw_error_message(), refused[i][1])) fail_msg("%s", cw_error_message());
    }
    assert_int_equal(cw_faults_degrade(faults, "--degraded", "y=8bit/s", 1), 0); /* slow, but not dead */
    assert_int_equal(faults->slower, 6);
    cw_faults_free(faults);
    cw_network_free(net);
}

static void lines_of_a_file(void **state)
{
    (void)state;
    static const char content[] = "# since Monday\n\n a/3 # loose\nx-b-1\n";
    char path[] = "faults-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, content, strlen(content)), strlen(content));
    assert_left(path, 4, "h0/1 h1/1 h2/1 h3/1 a/4 a/5 b-1/5", "tree without 3 cables");
    assert_int_equal(write(descriptor, "z\n", 2), 2);
    close(descriptor);
    struct cw_network *net = tree();
    struct cw_faults *faults = NULL;
    assert_int_equal(cw_faults_new(net, &faults), 0);
    assert_int_equal(cw_faults_fail(faults, "--failed", path, 1), CW_EPARSE);
    char expected[64];
    snprintf(expected, sizeof expected, "%s:5: there is no 'z' in tree", path);
    assert_memory_equal(cw_error_message(), expected, strlen(expected));
    unlink(path);
    cw_faults_free(faults);
    cw_network_free(net);
}

/* Who is connected: brute force over all sets of failed cables of the tree. */
static void connections(void **state)
{
    (void)state;
    struct cw_network *net = tree();
    for (uint32_t set = 0; set < 1u << 10; set++) {
        struct cw_faults *faults = NULL;
        struct cw_network *left = NULL;
        struct cw_selection *all = NULL, *connected = NULL, *cut_off = NULL;
        bool host[4], up[2][2];
        assert_int_equal(cw_faults_new(net, &faults), 0);
        for (uint32_t c = 0, i = 0; c < net->n_channels; c++)
            if (c < net->twin[c]) faults->failed[c] = faults->failed[net->twin[c]] = set >> i++ & 1;
        for (uint32_t e = 0; e < 4; e++) host[e] = !(set >> e & 1);
        for (uint32_t l = 0; l < 2; l++) {
            up[l][0] = (set >> (4 + 3 * l) & 3) != 3;
            up[l][1] = !(set >> (6 + 3 * l) & 1);
        }
        const bool joined = (up[0][0] && up[1][0]) || (up[0][1] && up[1][1]);
        const uint32_t a = (uint32_t)host[0] + host[1], b = (uint32_t)host[2] + host[3];
        uint32_t most = joined ? a + b : a > b ? a : b;
        if (most == 0) most = 1; /* a lone endpoint */
        assert_int_equal(cw_network_with_faults(faults, &left), 0);
        assert_int_equal(cw_selection_new(left, "all", &all), 0);
        assert_int_equal(cw_selection_connected(left, all, false, &connected, &cut_off), 0);
        assert_int_equal(connected->n, most);
        assert_int_equal(cut_off->n, 4 - most);
        for (uint32_t i = 0; i < cut_off->n; i++)
            assert_int_equal(cw_selection_index(connected, cut_off->endpoints[i]), CW_NONE);
        if (!joined && a == 2 && b == 2) assert_true(cw_selection_index(connected, 0) != CW_NONE);
        cw_selection_free(all);
        cw_selection_free(connected);
        cw_selection_free(cut_off);
        cw_network_free(left);
        cw_faults_free(faults);
    }
    cw_network_free(net);
}

/* WHOLE without what LIST names, with its places, but not recognised. */
static struct cw_network *placed_without(const struct cw_network *whole, const char *list)
{
    struct cw_faults *faults = NULL;
    struct cw_network *left = NULL;
    if (cw_faults_new(whole, &faults) || cw_faults_fail(faults, "--failed", list, 1) ||
        cw_network_with_faults(faults, &left) || cw_faults_keep_places(faults, left))
        fail_msg("%s: %s", list, cw_error_message());
    cw_faults_free(faults);
    return left;
}

/* Every vertex of LEFT stands where the one of its name stands in WHOLE, but for endpoints without a cable. */
static void assert_places_kept(const struct cw_network *whole, const struct cw_network *left)
{
    char name[CW_NAME_SIZE];
    assert_non_null(left->places);
    assert_int_equal(left->places->ideal->n_vertices, whole->n_vertices);
    for (uint32_t v = 0; v < left->n_vertices; v++) {
        const bool stands = v >= left->n_endpoints || cw_network_degree(left, v) > 0;
        const uint32_t was = cw_network_find(whole, cw_network_name(left, v, name, sizeof name));
        assert_int_not_equal(was, CW_NONE);
        assert_int_equal(left->places->place[v], stands ? was : CW_NONE);
    }
}

/* What was a tree is one with gaps, also when more of it fails later. */
static void places_stay(void **state)
{
    (void)state;
    struct cw_network *whole =
        sample_xgft(2, (const uint32_t[]){2, 3}, (const uint32_t[]){1, 2}, (const uint32_t[]){1, 2});
    static const char *const lists[][2] = {
        {"s1.0", "s2.1"}, {"s2.0", "h5"}, {"h0,h3", "s1.2"}, {"s1.1-s2.0", "s1.0,h2"}, {"s1.2,s2.0", "h0"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct cw_network *left = placed_without(whole, lists[i][0]), *less = placed_without(left, lists[i][1]);
        assert_places_kept(whole, left);
        assert_places_kept(whole, less);
        cw_network_free(less);
        cw_network_free(left);
    }
    cw_network_free(whole);
    whole = tree(); /* which is no shape */
    struct cw_network *left = placed_without(whole, "x");
    assert_null(left->places);
    cw_network_free(left);
    cw_network_free(whole);
}

static void assert_same_network(const struct cw_network *a, const struct cw_network *b)
{
    assert_string_equal(a->title, b->title);
    assert_int_equal(a->n_vertices, b->n_vertices);
    assert_int_equal(a->n_channels, b->n_channels);
    assert_int_equal(a->n_closed, b->n_closed);
    assert_memory_equal(a->tail, b->tail, a->n_channels * sizeof *a->tail);
    assert_memory_equal(a->head, b->head, a->n_channels * sizeof *a->head);
    assert_memory_equal(a->capacity, b->capacity, a->n_channels * sizeof *a->capacity);
}

/* Faults as a list of channels do the same again, and once more nothing else. */
static void lists_do_the_same(void **state)
{
    static const char *const cases[][2] = {
        {"a-x", NULL},          {"x", NULL},         {"y,a/3", "b-1-x=2Gbit/s"},
        {"a>y", "a>x=1Gbit/s"}, {"a>y,b-1>y", NULL}, {"50%", "h1=1Gbit/s"},
        {"h2", NULL},           {"a", NULL},         {NULL, "x>a=3Gbit/s"},
    };
    (void)state;
    struct cw_network *net = tree();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_faults *named = NULL, *again = NULL;
        struct cw_network *a = NULL, *b = NULL;
        struct cw_channel_changes list = {0};
        if (cw_faults_new(net, &named) || cw_faults_new(net, &again) ||
            (cases[i][0] && cw_faults_fail(named, "--failed", cases[i][0], 1)) ||
            (cases[i][1] && cw_faults_degrade(named, "--degraded", cases[i][1], 1)) || cw_faults_list(named, &list) ||
            cw_faults_add(again, &list) || cw_faults_add(again, &list) || cw_network_with_faults(named, &a) ||
            cw_network_with_faults(again, &b))
            fail_msg("case %zu: %s", i, cw_error_message());
        assert_same_network(a, b);
        free(list.items);
        cw_faults_free(named);
        cw_faults_free(again);
        cw_network_free(a);
        cw_network_free(b);
    }
    struct cw_faults *faults = NULL;
    struct cw_channel_change beyond = {net->n_channels, 0};
    assert_int_equal(cw_faults_new(net, &faults), 0);
    assert_int_equal(cw_faults_add(faults, &(struct cw_channel_changes){&beyond, 1, "plan"}), CW_EPARSE);
    assert_string_equal(cw_error_message(), "plan: channel 20 has changed, but the network has 20 channels");
    cw_faults_free(faults);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_items),     cmocka_unit_test(lists),          cmocka_unit_test(hosts),
        cmocka_unit_test(one_direction),      cmocka_unit_test(one_way_before), cmocka_unit_test(misspelt),
        cmocka_unit_test(what_names_nothing), cmocka_unit_test(shares),         cmocka_unit_test(slower_cables),
        cmocka_unit_test(lines_of_a_file),    cmocka_unit_test(connections),    cmocka_unit_test(places_stay),
        cmocka_unit_test(lists_do_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
