/* Slim Fly: the field by its laws, the graph by the definition of its generators, and the published figures. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <stdio.h>
#include <string.h>

#include "topo/galois.h"
#include "topo/metrics.h"

static const uint32_t fields[] = {3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 25, 27};
#define N_FIELDS (sizeof fields / sizeof *fields)

static struct cw_galois field_of(uint32_t q)
{
    struct cw_galois field;
    assert_int_equal(cw_galois_new(q, &field), 0);
    return field;
}

static void test_fields(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FIELDS; f++) {
        const uint32_t q = fields[f];
        struct cw_galois field = field_of(q);
        assert_int_equal(field.p, cw_galois_characteristic(q));
        for (uint32_t a = 0; a < q; a++)
            for (uint32_t b = 0; b < q; b++) {
                const uint32_t sum = cw_galois_add(&field, a, b), product = cw_galois_multiply(&field, a, b);
                assert_true(sum < q && product < q);
                assert_int_equal(sum, cw_galois_add(&field, b, a));
                assert_int_equal(cw_galois_subtract(&field, sum, b), a);
                assert_int_equal(product == 0, a == 0 || b == 0);
                assert_int_equal(cw_galois_multiply(&field, a, 1), a);
                for (uint32_t c = 0; c < q; c++) /* a(b + c) = ab + ac */
                    assert_int_equal(cw_galois_multiply(&field, a, cw_galois_add(&field, b, c)),
                                     cw_galois_add(&field, product, cw_galois_multiply(&field, a, c)));
            }
        cw_galois_free(&field);
    }
}

static void test_characteristics(void **state)
{
    (void)state;
    static const uint32_t none[] = {0, 1, 6, 10, 12, 15, 24, 100, 4095};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_int_equal(cw_galois_characteristic(none[i]), 0);
    assert_int_equal(cw_galois_characteristic(2), 2);
    assert_int_equal(cw_galois_characteristic(1024), 2);
    assert_int_equal(cw_galois_characteristic(961), 31);
    assert_int_equal(cw_galois_characteristic(4093), 4093);
}

/* 1 where one hop leads from switch to switch. */
static void fill_adjacency(const struct cw_network *net, uint8_t *adjacent)
{
    const uint32_t n = net->n_endpoints, switches = cw_network_switches(net);
    memset(adjacent, 0, (size_t)switches * switches);
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (net->tail[c] >= n && net->head[c] >= n)
            adjacent[(size_t)(net->tail[c] - n) * switches + net->head[c] - n]++;
}

/* Between the halves: y = m·x + c. Within: a difference that is a generator, the same for every group of a half, and
 * with each its negative. */
static void check_cables(const struct cw_galois *field, const uint8_t *adjacent)
{
    const uint32_t q = field->q, switches = 2 * q * q;
    for (uint32_t a = 0; a < switches; a++)
        for (uint32_t b = 0; b < switches; b++) {
            const uint32_t group = a / q % q, other = b / q % q, i = a % q, j = b % q;
            const uint8_t found = adjacent[(size_t)a * switches + b];
            if (a / (q * q) < b / (q * q))
                assert_int_equal(found, i == cw_galois_add(field, cw_galois_multiply(field, other, group), j));
            else if (a / (q * q) == b / (q * q) && group != other)
                assert_int_equal(found, 0);
            else if (a / (q * q) == b / (q * q))
                assert_int_equal(found,
                                 adjacent[(size_t)(a / (q * q) * q * q + cw_galois_subtract(field, i, j)) * switches +
                                          a / (q * q) * q * q]);
        }
}

static void test_graphs(void **state)
{
    (void)state;
    static uint8_t adjacent[242 * 242];
    for (size_t f = 0; f < N_FIELDS && fields[f] <= 11; f++) {
        const uint32_t q = fields[f], d = q % 4 == 3 ? 3 * q + 1 : q % 4 == 1 ? 3 * q - 1 : 3 * q;
        char spec[32];
        snprintf(spec, sizeof spec, "slimfly:%u,1", q);
        struct cw_network *net = build(spec);
        struct cw_galois field = field_of(q);
        struct cw_distances distances;
        assert_int_equal(cw_network_switches(net), 2 * q * q);
        for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
            assert_int_equal(cw_network_degree(net, v) - 1, d / 2);
        fill_adjacency(net, adjacent);
        check_cables(&field, adjacent);
        assert_int_equal(cw_network_distances_by_search(net, 1, 1, CW_DISTANCES_STEPS, &distances), 0);
        assert_int_equal(distances.diameter, 2 + 2);
        cw_galois_free(&field);
        cw_network_free(net);
    }
}

/* Besta and Hoefler, table IV and section VI: q = 19 with 15 endpoints a switch has 10830 endpoints, 722 switches of
 * 44 ports; q = 5 is the graph of Hoffman and Singleton, which meets Moore's bound. */
static void test_published_figures(void **state)
{
    (void)state;
    struct cw_network *net = build("slimfly:19,15");
    assert_int_equal(net->n_endpoints, 10830);
    assert_int_equal(cw_network_switches(net), 722);
    assert_int_equal(cw_network_degree(net, net->n_endpoints), 44);
    cw_network_free(net);
    net = build("slimfly:5");
    assert_int_equal(cw_network_degree(net, net->n_endpoints), 7 + 4);
    assert_int_equal(cw_network_switches(net), 1 + 7 * 7);
    cw_network_free(net);
}

/* Formulas are not believed of another graph with the same counts. */
static void test_another_graph(void **state)
{
    (void)state;
    struct cw_network *net = build("slimfly:5,1");
    struct cw_distances distances;
    const uint32_t v = net->n_endpoints, last = net->first[v + 1] - 1;
    assert_int_equal(cw_network_distances_by_formula(net, &distances), 0);
    net->head[last] = net->head[last - 1];
    assert_int_equal(cw_network_distances_by_formula(net, &distances), CW_EUSAGE);
    cw_network_free(net);
}

static void test_refusals(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    assert_int_equal(cw_topology_build("slimfly:6", &net), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "q = 6 is not a power of a prime"));
    assert_int_equal(cw_topology_build("slimfly:2", &net), CW_EUSAGE);
    assert_int_equal(cw_topology_build("slimfly:4093,60000", &net), CW_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields),        cmocka_unit_test(test_characteristics),
                                       cmocka_unit_test(test_graphs),        cmocka_unit_test(test_published_figures),
                                       cmocka_unit_test(test_another_graph), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
