/* The network: look-ups, its checks, equality, and parts of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "net/network_internal.h"
#include "net/part.h"
#include "sample_networks.h"

static void test_ports_and_names(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    const uint32_t c = cw_network_channel_at(net, 10, 17);
    assert_int_equal(net->tail[c], 10);
    assert_int_equal(net->head[c], 8);
    char name[2 * CW_NAME_SIZE];
    assert_string_equal(cw_network_channel_name(net, c, name, sizeof name), "spine1/17>leaf2/19");
    assert_string_equal(cw_network_channel_name(net, c, name, 7), "spine1");
    assert_int_equal(cw_network_channel_at(net, 10, 13), CW_NONE);
    assert_int_equal(cw_network_channel_at(net, 10, 0), CW_NONE);
    assert_int_equal(cw_network_channel_at(net, 12, 1), CW_NONE);
    assert_int_equal(cw_network_degree(net, 10), 8);
    assert_int_equal(cw_network_switches(net), 5);
    for (uint32_t i = 0; i < net->n_channels; i++)
        assert_int_equal(cw_network_channel_at(net, net->tail[i], cw_network_port(net, i)), i);
    cw_network_free(net);
    cw_network_free(NULL);
}

static void test_find(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    char name[CW_NAME_SIZE];
    for (uint32_t v = 0; v < net->n_vertices; v++)
        assert_int_equal(cw_network_find(net, cw_network_name(net, v, name, sizeof name)), v);
    assert_int_equal(cw_network_find(net, "0x0002c90300000000"), 0);
    assert_int_equal(cw_network_find(net, "0x2C90300000001"), 0);
    assert_int_equal(cw_network_find(net, "0x2c90300000020"), 2); /* a node of two rails: the first */
    assert_int_equal(cw_network_find(net, "0x2c90300000031"), 3);
    assert_int_equal(cw_network_find(net, "node1"), CW_NONE);
    assert_int_equal(cw_network_find(net, "0x"), CW_NONE);
    assert_int_equal(cw_network_find(net, "0x0"), CW_NONE);
    assert_int_equal(cw_network_find(net, "0x2c90300000031z"), CW_NONE);
    cw_network_free(net);

    net = sample_xgft(2, (uint32_t[]){3, 4}, (uint32_t[]){1, 2}, (uint32_t[]){1, 2});
    assert_int_equal(cw_network_find(net, "h11"), 11);
    assert_int_equal(cw_network_find(net, "s2.1"), 12 + 4 + 1);
    assert_int_equal(cw_network_find(net, "h12"), CW_NONE);
    cw_network_free(net);
}

static void test_title(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    assert_string_equal(net->title, "sample");
    assert_int_equal(cw_network_set_title(net, "other"), 0);
    assert_string_equal(net->title, "other");
    cw_network_free(net);
}

/* Damages one word of a network at a time; the check must notice each. */
static void test_check_notices_damage(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    assert_int_equal(cw_network_check(net), 0);
#define DAMAGE(PLACE, VALUE)                                                                                           \
    do {                                                                                                               \
        const __typeof__(PLACE) saved = PLACE;                                                                         \
        PLACE = VALUE;                                                                                                 \
        assert_int_equal(cw_network_check(net), CW_EINTERNAL);                                                         \
        PLACE = saved;                                                                                                 \
    } while (0)
    DAMAGE(net->first[0], 1);
    DAMAGE(net->first[4], net->first[5] + 1);
    DAMAGE(net->first[net->n_vertices], 0);
    DAMAGE(net->tail[3], 4);
    DAMAGE(net->head[3], net->tail[3]);
    DAMAGE(net->head[3], net->n_vertices);
    DAMAGE(net->twin[3], 3);
    DAMAGE(net->twin[3], net->n_channels);
    DAMAGE(net->capacity[3], 0);
    DAMAGE(net->capacity[3], (double)INFINITY);
    DAMAGE(net->latency[3], -1);
    DAMAGE(net->latency[3], (double)NAN);
    DAMAGE(net->port[net->first[9] + 1], net->port[net->first[9]]);
    DAMAGE(net->port[net->first[9]], 0);
    DAMAGE(net->identity[0].kind, CW_KIND_SWITCH);
    DAMAGE(net->identity[8].kind, CW_KIND_HOST);
    DAMAGE(net->name_at[1], net->name_at[0]);
    DAMAGE(net->shape.kind, &cw_shape_crossbar);
    DAMAGE(net->n_endpoints, net->n_vertices + 1);
#undef DAMAGE
    assert_int_equal(cw_network_check(net), 0);
    cw_network_free(net);
}

static void test_equality(void **state)
{
    (void)state;
    struct cw_network *a = sample_fabric(), *b = sample_fabric();
    assert_int_equal(cw_network_set_title(b, "the title does not count"), 0);
    assert_true(cw_network_equal(a, b));
#define DIFFERENT(PLACE, VALUE, WORDS)                                                                                 \
    do {                                                                                                               \
        const __typeof__(PLACE) saved = PLACE;                                                                         \
        PLACE = VALUE;                                                                                                 \
        assert_false(cw_network_equal(a, b));                                                                          \
        assert_non_null(strstr(cw_error_message(), WORDS));                                                            \
        PLACE = saved;                                                                                                 \
    } while (0)
    DIFFERENT(b->n_endpoints, 6, "endpoints");
    DIFFERENT(b->head[5], 8, "channel 5");
    DIFFERENT(b->capacity[7], 8, "channel 7");
    DIFFERENT(b->latency[7], 8, "channel 7");
    DIFFERENT(b->port[7], 8, "channel 7");
    DIFFERENT(b->name_at[2], b->name_at[1], "vertex 2");
    DIFFERENT(b->identity[4].lid, 999, "vertex 4");
    DIFFERENT(b->identity[4].vendor, 999, "vertex 4");
    DIFFERENT(b->shape.kind, &cw_shape_crossbar, "shape");
    struct cw_identity *identity = b->identity;
    b->identity = NULL;
    assert_false(cw_network_equal(a, b));
    b->identity = identity;
#undef DIFFERENT
    cw_network_free(a);
    cw_network_free(b);
}

static void test_shapes_differ(void **state)
{
    (void)state;
    struct cw_network *a = sample_torus(&(struct cw_torus){.n = 2, .k = {3, 4}, .wrap = true});
    struct cw_network *b = sample_torus(&(struct cw_torus){.n = 2, .k = {3, 4}, .wrap = true});
    assert_true(cw_network_equal(a, b));
    b->shape.torus.doubled = true;
    assert_false(cw_network_equal(a, b));
    cw_network_free(a);
    cw_network_free(b);
}

static void test_capacities(void **state)
{
    (void)state;
    struct cw_network *net = sample_crossbar(4);
    double slowest, fastest;
    cw_network_capacities(net, &slowest, &fastest);
    assert_true(slowest == CW_DEFAULT_CAPACITY && fastest == CW_DEFAULT_CAPACITY);
    net->capacity[0] = 3e9;
    net->capacity[net->n_channels - 1] = 7e9;
    cw_network_capacities(net, &slowest, &fastest);
    assert_true(slowest == 3e9 && fastest == 7e9);
    net->capacity[0] = 8e9;
    net->capacity[net->n_channels - 1] = 2e9;
    cw_network_capacities(net, &slowest, &fastest);
    assert_true(slowest == 2e9 && fastest == 8e9);
    cw_network_free(net);
}

static void test_keep_all(void **state)
{
    (void)state;
    struct cw_network *nets[] = {sample_fabric(), sample_torus(&(struct cw_torus){.n = 2, .k = {3, 4}}),
                                 sample_crossbar(70000)}; /* ports beyond 16 bits need no array */
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        bool *keep = malloc(nets[i]->n_endpoints);
        memset(keep, true, nets[i]->n_endpoints);
        struct cw_network *kept = NULL;
        assert_int_equal(cw_network_keep_endpoints(nets[i], keep, &kept), 0);
        assert_int_equal(cw_network_check(kept), 0);
        if (!cw_network_equal(nets[i], kept)) fail_msg("%s", cw_error_message());
        free(keep);
        cw_network_free(nets[i]);
        cw_network_free(kept);
    }
}

/* What remains is found in the whole by name and port, and nothing else is there. */
static void assert_part(const struct cw_network *net, const bool *keep)
{
    struct cw_network *part = NULL;
    assert_int_equal(cw_network_keep_endpoints(net, keep, &part), 0);
    if (cw_network_check(part)) fail_msg("%s", cw_error_message());
    assert_null(part->shape.kind);
    uint32_t channels = 0, endpoints = 0;
    for (uint32_t v = 0; v < net->n_endpoints; v++) endpoints += keep[v];
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t tail = net->tail[c], head = net->head[c];
        if ((tail < net->n_endpoints && !keep[tail]) || (head < net->n_endpoints && !keep[head])) continue;
        char name[2 * CW_NAME_SIZE], name_of_part[2 * CW_NAME_SIZE];
        const uint32_t v = cw_network_find(part, cw_network_name(net, tail, name, sizeof name));
        const uint32_t same = cw_network_channel_at(part, v, cw_network_port(net, c));
        assert_int_not_equal(same, CW_NONE);
        assert_string_equal(cw_network_channel_name(net, c, name, sizeof name),
                            cw_network_channel_name(part, same, name_of_part, sizeof name_of_part));
        assert_true(net->capacity[c] == part->capacity[same] && net->latency[c] == part->latency[same]);
        if (net->identity) assert_int_equal(net->identity[tail].lid, part->identity[v].lid);
        channels++;
    }
    assert_int_equal(part->n_channels, channels);
    assert_int_equal(part->n_endpoints, endpoints);
    assert_int_equal(cw_network_switches(part), cw_network_switches(net));
    cw_network_free(part);
}

static void test_keep_some(void **state)
{
    (void)state;
    struct cw_network *fabric = sample_fabric();
    for (unsigned set = 0; set < 127; set++) {
        bool keep[7];
        for (unsigned v = 0; v < 7; v++) keep[v] = set >> v & 1;
        assert_part(fabric, keep);
    }
    struct cw_network *xgft = sample_xgft(2, (uint32_t[]){3, 4}, (uint32_t[]){2, 2}, (uint32_t[]){2, 2});
    for (unsigned out = 0; out < 12; out++) {
        bool keep[12];
        for (unsigned v = 0; v < 12; v++) keep[v] = v != out;
        assert_part(xgft, keep);
    }
    cw_network_free(xgft);
    cw_network_free(fabric);
}

/* The arrays say what is asked one by one. */
static void test_arrays(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(2, 2, 3);
    cw_builder_cable(builder, 0, 7, 2, 9, 1e9, 1e-7);
    cw_builder_cable(builder, 1, 0, 3, 0, 2e9, 2e-7);
    cw_builder_cable(builder, 2, 0, 3, 0, 3e9, 3e-7);
    cw_builder_back(builder, 4e9, 4e-7);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    const struct cw_network_arrays arrays = cw_network_arrays_of(net);
    assert_int_equal(arrays.first[cw_network_vertices(net)], 6);
    for (uint32_t c = 0; c < cw_network_channels(net); c++) {
        assert_int_equal(arrays.tail[c], cw_network_tail(net, c));
        assert_int_equal(arrays.head[c], cw_network_head(net, c));
        assert_int_equal(arrays.twin[c], cw_network_twin(net, c));
        assert_true(arrays.capacity[c] == cw_network_capacity(net, c));
        assert_true(arrays.latency[c] == cw_network_latency(net, c));
        assert_int_equal(arrays.port[c], cw_network_port(net, c));
        assert_true(c >= arrays.first[arrays.tail[c]] && c < arrays.first[arrays.tail[c] + 1]);
    }
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ports_and_names), cmocka_unit_test(test_find),
        cmocka_unit_test(test_title),           cmocka_unit_test(test_check_notices_damage),
        cmocka_unit_test(test_equality),        cmocka_unit_test(test_shapes_differ),
        cmocka_unit_test(test_capacities),      cmocka_unit_test(test_keep_all),
        cmocka_unit_test(test_keep_some),       cmocka_unit_test(test_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
