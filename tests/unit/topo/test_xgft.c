/* XGFT: the published table, and the wiring against the definition by labels. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <string.h>

static const struct {
    const char *published, *full;
    uint32_t endpoints, switches;
} table[] = {
    {"xgft(2,12,6)", "xgft:2:12,12:1,6:1,2", 144, 18},
    {"xgft(2,24,12)", "xgft:2:12,24:1,12:1,1", 288, 36},
    {"xgft(3,12,8,12,4)", "xgft:3:12,12,8:1,12,4:1,1,3", 1152, 240},
    {"xgft(3,12,16,12,8)", "xgft:3:12,12,16:1,12,8:radix=24", 2304, 480},
    {"xgft(3,12,24,12,12)", "xgft:3:12,12,24:1,12,12", 3456, 720},
    {"xgft(4,12,12,6,12,12,3)", "xgft:4:12,12,12,6:1,12,12,3:1,1,1,4", 10368, 3024},
    {"xgft(4,12,12,12,12,12,6)", "xgft:4:12,12,12,12:1,12,12,6:radix=24", 20736, 6048},
};

/* Cables from V to the level above: those to vertices of greater id. */
static uint32_t up_cables(const struct cw_network *net, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) n += net->head[c] > v;
    return n;
}

static void test_published_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct cw_network *net = build(table[i].published), *full = build(table[i].full);
        assert_int_equal(net->n_endpoints, table[i].endpoints);
        assert_int_equal(cw_network_switches(net), table[i].switches);
        if (!cw_network_equal(net, full)) fail_msg("%s: %s", table[i].published, cw_error_message());
        const struct cw_xgft *xgft = &net->shape.xgft;
        const uint32_t top = net->n_vertices - (uint32_t)cw_xgft_level_size(xgft, xgft->h);
        for (uint32_t s = net->n_endpoints; s < net->n_vertices; s++) {
            assert_int_equal(cw_network_degree(net, s), 24);
            assert_int_equal(up_cables(net, s), s < top ? 12 : 0);
        }
        cw_network_free(net);
        cw_network_free(full);
    }
}

/* A vertex by its label: a_h … a_{l+1}, b_l … b_1, digits from 1. */
struct label {
    uint32_t level, a[CW_XGFT_LEVELS + 1], b[CW_XGFT_LEVELS + 1];
};

static struct label label_of(const struct cw_xgft *xgft, uint32_t v)
{
    struct label label = {0};
    while (v >= cw_xgft_level_size(xgft, label.level)) v -= (uint32_t)cw_xgft_level_size(xgft, label.level++);
    for (uint32_t l = label.level; l >= 1; l--) {
        label.b[l] = v % xgft->w[l];
        v /= xgft->w[l];
    }
    for (uint32_t l = label.level + 1; l <= xgft->h; l++) {
        label.a[l] = v % xgft->m[l];
        v /= xgft->m[l];
    }
    assert_int_equal(v, 0);
    return label;
}

/* Öhring's rule: neighbours are on adjacent levels, and their labels agree but for the digit of the upper level. */
static void check_definition(const char *spec)
{
    struct cw_network *net = build(spec);
    const struct cw_xgft *xgft = &net->shape.xgft;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t low = net->tail[c], high = net->head[c];
        if (low > high) continue;
        const struct label child = label_of(xgft, low), parent = label_of(xgft, high);
        assert_int_equal(parent.level, child.level + 1);
        for (uint32_t l = parent.level + 1; l <= xgft->h; l++) assert_int_equal(child.a[l], parent.a[l]);
        for (uint32_t l = 1; l <= child.level; l++) assert_int_equal(child.b[l], parent.b[l]);
        /* The cable's number at the child and the port at the parent, as net/shape.h has them. */
        const uint32_t up = xgft->up[child.level], w = xgft->w[parent.level];
        const uint32_t k = up - (net->first[low + 1] - c), q = up * child.a[parent.level] + k;
        assert_int_equal(parent.b[parent.level], q % w);
        assert_int_equal(cw_network_port(net, net->twin[c]), q / w + 1);
    }
    cw_network_free(net);
}

static void test_definition(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "xgft:3:2,3,4:1,2,3",     "xgft:3:3,2,2:2,1,3",      "xgft:2:4,4:1,2:1,3",       "xgft:4:2,3,2,3:1,2,3,2",
        "xgft:2:3,4:1,2:radix=6", "xgft:2:4,4:1,4:radix=10", "xgft:3:2,2,2:2,2,2:2,1,3", "xgft:1:5:3",
        "xgft(3,12,16,12,8)"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) check_definition(specs[i]);
}

/* Every child has one cable to each parent that its label allows, n_l of them where the fourth part says so. */
static void test_parallel_cables(void **state)
{
    (void)state;
    struct cw_network *net = build("xgft:3:2,3,4:1,2,3:2,1,3");
    static const uint32_t parallel[] = {2, 1, 3};
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const uint32_t level = label_of(&net->shape.xgft, v).level;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            uint32_t same = 0;
            for (uint32_t d = net->first[v]; d < net->first[v + 1]; d++) same += net->head[d] == net->head[c];
            assert_int_equal(same, parallel[net->head[c] > v ? level : level - 1]);
        }
    }
    cw_network_free(net);
}

/* 12 up cables to 8 parents: one or two to each, and every parent has as many. */
static void test_one_and_a_half_cables(void **state)
{
    (void)state;
    struct cw_network *net = build("xgft(3,12,16,12,8)");
    const uint32_t level2 = net->n_endpoints + (uint32_t)cw_xgft_level_size(&net->shape.xgft, 1);
    const uint32_t level3 = level2 + (uint32_t)cw_xgft_level_size(&net->shape.xgft, 2);
    for (uint32_t v = level2; v < level3; v++) {
        uint32_t pairs[3] = {0};
        for (uint32_t parent = level3; parent < net->n_vertices; parent++) {
            uint32_t cables = 0;
            for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) cables += net->head[c] == parent;
            assert_true(cables <= 2);
            pairs[cables]++;
        }
        assert_int_equal(pairs[1], 4);
        assert_int_equal(pairs[2], 4);
    }
    for (uint32_t v = level3; v < net->n_vertices; v++) assert_int_equal(cw_network_degree(net, v), 24);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_table),
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_parallel_cables),
        cmocka_unit_test(test_one_and_a_half_cables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
