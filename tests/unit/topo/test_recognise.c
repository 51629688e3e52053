/* Recognition of shapes, proved cable by cable with the definitions of net/shape.h. */
#include "net/network_internal.h"
#include "topo/recognise.h"

#include <stdio.h>
#include <unistd.h>

#include "../skip.h"
#include "net/part.h"
#include "net/places.h"
#include "shuffled.h"
#include "topo/metrics.h"

/* --- the definitions ---------------------------------------------------------------------------------------------- */

/* Level, a digits (a[l] for l > level) and b digits (b[l] for l <= level) of vertex P of an XGFT. */
struct digits {
    uint32_t level, a[CW_XGFT_LEVELS + 1], b[CW_XGFT_LEVELS + 1];
};

static struct digits digits_of(const struct cw_xgft *xgft, uint32_t p)
{
    struct digits d = {0};
    while (p >= cw_xgft_level_size(xgft, d.level)) p -= (uint32_t)cw_xgft_level_size(xgft, d.level++);
    for (uint32_t l = d.level; l >= 1; l--) {
        d.b[l] = p % xgft->w[l];
        p /= xgft->w[l];
    }
    for (uint32_t l = d.level + 1; l <= xgft->h; l++) {
        d.a[l] = p % xgft->m[l];
        p /= xgft->m[l];
    }
    return d;
}

/* Cables that the shape has between places P and Q. */
static uint32_t xgft_cables(const struct cw_xgft *xgft, uint32_t p, uint32_t q)
{
    const struct digits x = digits_of(xgft, p), y = digits_of(xgft, q);
    const struct digits *low = x.level < y.level ? &x : &y, *high = x.level < y.level ? &y : &x;
    const uint32_t l = low->level;
    if (high->level != l + 1) return 0;
    for (uint32_t i = 1; i <= l; i++)
        if (low->b[i] != high->b[i]) return 0;
    for (uint32_t i = l + 2; i <= xgft->h; i++)
        if (low->a[i] != high->a[i]) return 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < xgft->up[l]; k++)
        n += (xgft->up[l] * low->a[l + 1] + k) % xgft->w[l + 1] == high->b[l + 1];
    return n;
}

static uint32_t torus_cables(const struct cw_torus *torus, uint32_t nodes, uint32_t p, uint32_t q)
{
    if (p < nodes || q < nodes) return p + nodes == q || q + nodes == p;
    uint32_t n = 0, differ = 0;
    p -= nodes;
    q -= nodes;
    for (uint32_t d = 0; d < torus->n; p /= torus->k[d], q /= torus->k[d], d++) {
        const uint32_t k = torus->k[d], x = p % k, y = q % k;
        if (x == y) continue;
        differ++;
        n += x + 1 == y || y + 1 == x;
        if (torus->wrap && (k > 2 || torus->doubled)) n += (x == 0 && y == k - 1) || (y == 0 && x == k - 1);
    }
    return differ == 1 ? n : 0;
}

static uint32_t cables_between(const struct cw_network *net, uint32_t u, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t c = net->first[u]; c < net->first[u + 1]; c++) n += net->head[c] == v;
    return n;
}

/* --- proofs ------------------------------------------------------------------------------------------------------- */

/* Checks that no two vertices of NET stand at one place and that every cable is one of the shape's; the number of
 * cables that the shape has between vertices that are there, and the network has not, in *MISSING. */
static void prove(const char *spec, const struct cw_network *net, uint32_t *missing)
{
    const struct cw_places *places = net->places;
    const struct cw_shape *shape = cw_network_regular_shape(net);
    const uint32_t places_n = (uint32_t)(cw_shape_endpoints(shape) + cw_shape_switches(shape));
    uint32_t *vertex = calloc(places_n, sizeof *vertex), wanted = 0, found = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const uint32_t p = places ? places->place[v] : v;
        if (p >= places_n || vertex[p] != 0) fail_msg("%s: vertex %u has no place of its own", spec, v);
        vertex[p] = v + 1;
        assert_true((v < net->n_endpoints) == (p < cw_shape_endpoints(shape)));
    }
    for (uint32_t p = 0; p < places_n; p++)
        for (uint32_t q = p + 1; q < places_n; q++) {
            if (vertex[p] == 0 || vertex[q] == 0) continue;
            const uint32_t cables = shape->kind == &cw_shape_xgft
                                        ? xgft_cables(&shape->xgft, p, q)
                                        : torus_cables(&shape->torus, (uint32_t)cw_shape_endpoints(shape), p, q);
            const uint32_t there = cables_between(net, vertex[p] - 1, vertex[q] - 1);
            if (there > cables) fail_msg("%s: %u cables between places %u and %u", spec, there, p, q);
            wanted += cables;
            found += there;
        }
    assert_int_equal(found, net->n_channels / 2);
    *missing = wanted - found;
    free(vertex);
}

/* Each channel of the shape must be one between the vertices that stand at its ends, each used once. */
static void prove_channels(const struct cw_network *net)
{
    const struct cw_places *places = net->places;
    const struct cw_network *ideal = places->ideal;
    bool *used = calloc(net->n_channels, sizeof *used);
    for (uint32_t c = 0; c < ideal->n_channels; c++) {
        const uint32_t real = places->channel[c];
        if (real == CW_NONE) {
            assert_int_equal(places->channel[ideal->twin[c]], CW_NONE);
            continue;
        }
        assert_false(used[real]);
        used[real] = true;
        assert_int_equal(net->tail[real], places->vertex[ideal->tail[c]]);
        assert_int_equal(net->head[real], places->vertex[ideal->head[c]]);
        assert_int_equal(places->channel[ideal->twin[c]], net->twin[real]);
    }
    for (uint32_t c = 0; c < net->n_channels; c++) assert_true(used[c]);
    free(used);
}

static struct cw_network *recognised(const char *spec, uint64_t seed, const struct losses *losses)
{
    struct cw_network *generated = build(spec), *net = strip(generated, seed, losses);
    assert_null(net->shape.kind);
    if (cw_network_recognise(net) != 0) fail_msg("%s: %s", spec, cw_error_message());
    cw_network_free(generated);
    return net;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static bool may_be_recognised(const char *spec)
{
    struct cw_network *net = build(spec);
    const bool regular = net->shape.kind == &cw_shape_xgft || net->shape.kind == &cw_shape_torus;
    const bool may = regular && cw_network_switches(net) > 1;
    cw_network_free(net);
    return may;
}

static uint32_t for_each_example(void (*test)(const char *spec))
{
    uint32_t n = 0;
    for (size_t i = 0; cw_topologies[i]; i++)
        for (size_t j = 0; cw_topologies[i]->examples[j]; j++)
            if (may_be_recognised(cw_topologies[i]->examples[j])) {
                test(cw_topologies[i]->examples[j]);
                n++;
            }
    return n;
}

static void check_complete(const char *spec)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct cw_network *net = recognised(spec, seed, NULL), *generated = build(spec);
        uint32_t missing;
        if (cw_network_regular_shape(net)->kind != generated->shape.kind) fail_msg("%s is not recognised", spec);
        prove(spec, net, &missing);
        assert_int_equal(missing, 0);
        if (net->places) {
            prove_channels(net);
            assert_true(cw_places_are_exact(net->places));
        }
        cw_network_free(net);
        cw_network_free(generated);
    }
}

static void test_every_shuffled_example(void **state)
{
    (void)state;
    assert_true(for_each_example(check_complete) > 20);
    check_complete("xgft:3:3,4,4:1,4,6:1,1,2"); /* bundles above, and below two parents each */
    check_complete("xgft:3:8,16,4:1,8,4:1,1,2");
    check_complete("xgft:2:18,9:1,6:1,3");
    check_complete("xgft:4:2,2,3,2:1,2,2,3");
    check_complete("xgft:2:4,6:1,4:radix=10"); /* 6 up cables to 4 parents */
    check_complete("xgft:2:4,6:1,6:radix=14"); /* 10 to 6: two of three classes have one more */
    check_complete("xgft:2:6,5:1,5:radix=13"); /* 7 to 5: two of five, an order to be found */
    check_complete("xgft(3,12,16,12,8)");
    check_complete("torus:10x10");
    check_complete("torus:6x5x4");
    check_complete("torus:4x4x4");
    check_complete("mesh:7x2x3");
    check_complete("torus:6x2x2,doubled");
}

/* As the generator numbers them: the shape itself is set, whatever the file did not say. */
static void check_own_order(const char *spec)
{
    struct cw_network *net = recognised(spec, 0, NULL), *generated = build(spec);
    if (net->shape.kind != generated->shape.kind) fail_msg("%s is not recognised", spec);
    assert_null(net->places);
    const struct cw_shape *shape = &net->shape, *expected = &generated->shape;
    assert_memory_equal(&shape->xgft, &expected->xgft, sizeof shape->xgft);
    assert_int_equal(shape->torus.n, expected->torus.n);
    assert_memory_equal(shape->torus.k, expected->torus.k, sizeof shape->torus.k);
    assert_int_equal(shape->torus.doubled && expected->torus.doubled, expected->torus.doubled);
    cw_network_free(net);
    cw_network_free(generated);
}

static void test_own_order(void **state)
{
    (void)state;
    for_each_example(check_own_order);
    check_own_order("torus:4x4x4");
    check_own_order("hypercube:6");
    check_own_order("xgft(3,12,8,12,4)");
}

static void check_losses_of(const char *spec, struct losses losses, uint64_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct cw_network *net = recognised(spec, seed, &losses), *generated = build(spec);
        uint32_t missing;
        if (!net->places)
            fail_msg("%s: not recognised without %u cables, %u hosts, %u switches (seed %u)", spec, losses.cables,
                     losses.hosts, losses.switches, (unsigned)seed);
        prove(spec, net, &missing);
        prove_channels(net);
        assert_int_equal(missing, losses.cables);
        assert_int_equal(net->places->missing_cables, losses.cables);
        assert_int_equal(net->places->missing_endpoints, net->places->ideal->n_endpoints - net->n_endpoints);
        assert_int_equal(net->places->missing_switches, losses.switches);
        assert_int_equal(net->places->extra_cables, 0);
        if (losses.hosts < 10) assert_true(cw_network_regular_shape(net)->xgft.m[1] == generated->shape.xgft.m[1]);
        cw_network_free(net);
        cw_network_free(generated);
    }
}

static void check_losses(const char *spec, struct losses losses)
{
    check_losses_of(spec, losses, 4);
}

/* Whichever cable is missing: also one at the edge, without which switches are in no square. */
static void test_any_cable_of_a_mesh(void **state)
{
    (void)state;
    check_losses_of("mesh:4x6", (struct losses){1, 0, 0}, 50); /* of 38 */
    check_losses_of("mesh:4x3x5", (struct losses){1, 0, 0}, 12);
}

static void test_losses(void **state)
{
    (void)state;
    check_losses("xgft(2,12,6)", (struct losses){3, 0, 0});
    check_losses("xgft(2,12,6)", (struct losses){0, 20, 0});
    check_losses("xgft(3,12,8,12,4)", (struct losses){7, 100, 2});
    check_losses("xgft(3,12,16,12,8)", (struct losses){4, 10, 0});
    check_losses("xgft:4:3,4,3,3:1,4,3,3", (struct losses){5, 9, 1});
    check_losses("xgft:2:18,18:1,9:1,2", (struct losses){16, 40, 0});
    check_losses("torus:8x8", (struct losses){4, 3, 0});
    check_losses("torus:4x4x4", (struct losses){5, 2, 0});
    check_losses("torus:5x6x3", (struct losses){6, 0, 0});
    check_losses("mesh:6x7x5", (struct losses){4, 1, 0});
    check_losses("hypercube:7", (struct losses){9, 3, 0});
}

/* A whole leaf without hosts is still a leaf. */
static void test_leaf_without_hosts(void **state)
{
    (void)state;
    struct cw_network *generated = build("xgft:3:3,4,4:1,3,2");
    struct cw_network *net = NULL;
    bool keep[48];
    for (uint32_t e = 0; e < 48; e++) keep[e] = e >= 3;
    assert_int_equal(cw_network_keep_endpoints(generated, keep, &net), 0);
    assert_int_equal(cw_network_recognise(net), 0);
    assert_non_null(net->places);
    assert_int_equal(net->places->missing_endpoints, 3);
    assert_true(cw_places_have_all_routes(net->places));
    cw_network_free(generated);
    cw_network_free(net);
}

/* Half the hosts must be there: of XGFT(2; 12, 12; 1, 6) a full leaf and N more hosts. */
static struct cw_network *few_hosts(uint32_t n)
{
    struct cw_network *generated = build("xgft(2,12,6)"), *net = NULL;
    bool keep[144];
    for (uint32_t e = 0; e < 144; e++) keep[e] = e < 12 || (e % 12 < 6 && n > 0 && n-- > 0);
    assert_int_equal(cw_network_keep_endpoints(generated, keep, &net), 0);
    cw_network_free(generated);
    return net;
}

static void test_half_the_hosts(void **state)
{
    (void)state;
    struct cw_network *net = few_hosts(60);
    assert_int_equal(cw_network_recognise(net), 0);
    assert_non_null(net->places);
    assert_int_equal(net->places->missing_endpoints, 72);
    cw_network_free(net);
    net = few_hosts(59);
    assert_int_equal(cw_network_recognise(net), 0);
    assert_null(net->places);
    cw_network_free(net);
}

/* A random graph of SWITCHES switches of DEGREE neighbours about, HOSTS hosts each. */
static struct cw_network *jellyfish(uint32_t switches, uint32_t degree, uint32_t hosts, uint64_t seed)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_SAMPLE, 9);
    struct cw_builder *builder = cw_builder_new(switches * hosts, switches, switches * degree);
    for (uint32_t s = 0; s < switches; s++)
        for (uint32_t i = 0; i < hosts; i++)
            cw_builder_cable(builder, s * hosts + i, 0, switches * hosts + s, 0, 1e9, 0);
    for (uint32_t i = 0; i < switches * degree / 2; i++) {
        const uint32_t a = cw_random_below(&random, switches), b = cw_random_below(&random, switches);
        if (a != b) cw_builder_cable(builder, switches * hosts + a, 0, switches * hosts + b, 0, 1e9, 0);
    }
    struct cw_network *net = NULL;
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    return net;
}

static void refuse(const char *what, struct cw_network *net)
{
    assert_int_equal(cw_network_recognise(net), 0);
    if (net->places || net->shape.kind) fail_msg("%s was taken for something regular", what);
    cw_network_free(net);
}

/* Whatever is torn out: never a crash, and what is said is true. */
static void test_much_damage(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:2:4,6:1,4", "xgft:3:2,3,4:1,3,2:1,1,2", "torus:5x4", "mesh:3x4x3",
                                        "hypercube:5",    "xgft:2:4,6:1,4:radix=10"};
    uint32_t recognised_n = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (uint32_t seed = 1; seed <= 60; seed++) {
            const struct losses losses = {seed % 13, seed % 7, seed % 3};
            struct cw_network *net = recognised(specs[i], seed, &losses);
            uint32_t missing;
            if (net->places && net->places->extra_cables == 0 && net->places->beside == 0) {
                prove(specs[i], net, &missing);
                assert_int_equal(net->places->missing_cables, missing);
                recognised_n++;
            }
            cw_network_free(net);
        }
    assert_true(recognised_n > 50);
}

static void test_others_are_refused(void **state)
{
    (void)state;
    static const char *const specs[] = {"dragonfly:2,4,2", "dragonfly:4,8,4,g=9", "dragonfly:1,4,2", NULL};
    static const struct losses half_the_cables = {40, 0, 0}, torus_cables_lost = {60, 0, 0};
    for (size_t i = 0; specs[i]; i++) refuse(specs[i], recognised(specs[i], 5, NULL));
    for (uint64_t seed = 1; seed <= 20; seed++) {
        refuse("a random graph", jellyfish(40, 6, 4, seed));
        refuse("a random graph with one host a switch", jellyfish(64, 6, 1, seed));
    }
    refuse("half a tree", recognised("xgft(2,12,6)", 1, &half_the_cables));
    refuse("a torn torus", recognised("torus:8x8", 1, &torus_cables_lost));
}

/* Formulas on a shuffled map give what they give on the generated network; with something missing there is none. */
static void check_figures(const char *spec)
{
    struct cw_network *net = recognised(spec, 9, NULL), *generated = build(spec);
    struct cw_distances distances, expected;
    struct cw_bisection cut, expected_cut;
    assert_non_null(net->places);
    assert_int_equal(cw_network_distances_by_formula(net, &distances), 0);
    assert_int_equal(cw_network_distances_by_formula(generated, &expected), 0);
    assert_int_equal(distances.diameter, expected.diameter);
    assert_true(distances.mean_distance >= expected.mean_distance && distances.mean_distance <= expected.mean_distance);
    assert_int_equal(cw_network_bisection(net, 1, &cut), 0);
    assert_int_equal(cw_network_bisection(generated, 1, &expected_cut), 0);
    assert_true(cut.exact && expected_cut.exact);
    assert_true(cut.channels >= expected_cut.channels && cut.channels <= expected_cut.channels);
    cw_network_free(net);
    cw_network_free(generated);
}

static void test_formulas(void **state)
{
    (void)state;
    check_figures("xgft(3,12,8,12,4)");
    check_figures("torus:6x4x5");
    check_figures("mesh:8x3");
    const struct losses one_host = {0, 1, 0};
    struct cw_network *net = recognised("torus:6x4x5", 9, &one_host);
    struct cw_distances distances;
    struct cw_bisection cut;
    assert_non_null(net->places);
    assert_int_equal(cw_network_distances_by_formula(net, &distances), CW_EUSAGE);
    assert_int_equal(cw_network_bisection_by_formula(net, &cut), CW_EUSAGE);
    cw_network_free(net);
}

/* --- fabrics kept outside the project ----------------------------------------------------------------------------- */

static struct cw_network *shared(const char *name)
{
    char path[512];
    const char *folder = getenv("CW_SHARED");
    if (folder)
        snprintf(path, sizeof path, "%s/fabrics/%s", folder, name);
    else
        snprintf(path, sizeof path, CW_TEST_DATA "/../../shared/fabrics/%s", name);
    if (access(path, R_OK) != 0) skip_because("%s is missing; set CW_SHARED to the folder of real maps", path);
    struct cw_network *net = NULL;
    if (cw_network_open(path, &net) != 0) fail_msg("%s: %s", path, cw_error_message());
    return net;
}

static void test_fabrics_under_opensm(void **state)
{
    (void)state;
    uint32_t missing;
    struct cw_network *net = shared("ft16/ibnetdiscover.txt");
    assert_ptr_equal(cw_network_regular_shape(net)->kind, &cw_shape_xgft);
    prove("ft16", net, &missing);
    assert_int_equal(missing, 0);
    cw_network_free(net);
    net = shared("xgft_2_24_12/ibnetdiscover.txt");
    assert_ptr_equal(cw_network_regular_shape(net)->kind, &cw_shape_xgft);
    prove("xgft_2_24_12", net, &missing);
    assert_int_equal(missing, 0);
    cw_network_free(net);
    net = shared("torus_4_3/ibnetdiscover.txt");
    const struct cw_torus *torus = &cw_network_regular_shape(net)->torus;
    assert_int_equal(torus->n, 3);
    for (uint32_t d = 0; d < 3; d++) assert_int_equal(torus->k[d], 4);
    prove("torus_4_3", net, &missing);
    assert_int_equal(missing, 0);
    cw_network_free(net);
}

/* 31 leaf and 9 spine switches with two cables a pair, of which 26 of 558 are missing, and an aggregation node in every
 * switch: counted in the file by other means. */
static void test_a_real_fat_tree(void **state)
{
    (void)state;
    struct cw_network *net = shared("nvidia_superpod/nvidia_topograph_example.ibnetdiscover");
    const struct cw_shape *shape = cw_network_regular_shape(net);
    assert_ptr_equal(shape->kind, &cw_shape_xgft);
    assert_int_equal(shape->xgft.h, 2);
    assert_int_equal(shape->xgft.m[1], 19);
    assert_int_equal(shape->xgft.m[2], 31);
    assert_int_equal(shape->xgft.w[2], 9);
    assert_int_equal(shape->xgft.up[1], 18);
    assert_int_equal(net->places->missing_cables, 26);
    assert_int_equal(net->places->missing_endpoints, 31 * 19 - 542);
    assert_int_equal(net->places->beside, 40);
    cw_network_free(net);
}

static void test_an_irregular_cluster(void **state)
{
    (void)state;
    refuse("psmn_X5", shared("psmn_X5/psmn_X5.ibnetdiscover"));
}

/* SPEC with the first EXTRA of its cables between switches twice. */
static struct cw_network *with_double_cables(const char *spec, uint32_t extra)
{
    struct cw_network *whole = build(spec), *net = NULL;
    struct cw_builder *builder = cw_builder_new(whole->n_endpoints, cw_network_switches(whole), 0);
    for (uint32_t c = 0; c < whole->n_channels; c++) {
        const uint32_t tail = whole->tail[c], head = whole->head[c];
        if (c > whole->twin[c]) continue;
        cw_builder_cable(builder, tail, 0, head, 0, 1e9, 0);
        if (tail < whole->n_endpoints || extra == 0) continue;
        cw_builder_cable(builder, tail, 0, head, 0, 1e9, 0);
        extra--;
    }
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    assert_int_equal(cw_network_recognise(net), 0);
    cw_network_free(whole);
    return net;
}

/* One cable too many for every ten of the shape's 72 is tolerated, so 8; with more it is another network. */
static void test_too_many_cables(void **state)
{
    (void)state;
    for (uint32_t extra = 1; extra < 20; extra++) {
        struct cw_network *net = with_double_cables("torus:6x6", extra);
        if ((net->places != NULL) != (extra <= 8)) fail_msg("%u cables too many", extra);
        if (net->places) assert_int_equal(net->places->extra_cables, extra);
        cw_network_free(net);
    }
}

/* A leaf with one or two cables too many does not make the others ones with too few. */
static void test_one_switch_with_too_many_cables(void **state)
{
    (void)state;
    for (uint32_t extra = 1; extra < 3; extra++) {
        struct cw_network *net = with_double_cables("xgft:2:4,16:1,4", extra);
        assert_non_null(net->places);
        assert_int_equal(net->places->extra_cables, extra);
        assert_int_equal(net->places->missing_cables, 0);
        assert_int_equal(net->places->ideal->shape.xgft.up[1], 4);
        cw_network_free(net);
    }
}

/* A torus looks the same from everywhere: its node 0 is the first host, whichever switch comes first. */
static void test_origin(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        struct cw_network *net = recognised("torus:5x4x3", seed, NULL);
        assert_int_equal(net->places->place[0], 0);
        cw_network_free(net);
    }
}

/* torus:4x4 whose switches come in any order; ports 2 and 4 are of the rows, 3 and 5 of the columns. It is the ports
 * that tell which of the many rings of four are lines. */
static void test_rings_by_ports(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 4);
        uint32_t *order = random_order(&random, 16);
        struct cw_builder *builder = cw_builder_new(16, 16, 0);
        struct cw_network *net = NULL;
        for (uint32_t node = 0; node < 16; node++) {
            const uint32_t right = node / 4 * 4 + (node + 1) % 4, up = (node + 4) % 16, v = 16 + order[node];
            cw_builder_cable(builder, node, 1, v, 1, 1e9, 0);
            cw_builder_cable(builder, v, 2, 16 + order[right], 4, 1e9, 0);
            cw_builder_cable(builder, v, 3, 16 + order[up], 5, 1e9, 0);
        }
        assert_int_equal(cw_builder_finish(builder, &net), 0);
        assert_int_equal(cw_network_recognise(net), 0);
        assert_non_null(net->places);
        for (uint32_t node = 0; node < 16; node++) assert_int_equal(net->places->place[node], node);
        free(order);
        cw_network_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_many_cables),
        cmocka_unit_test(test_origin),
        cmocka_unit_test(test_rings_by_ports),
        cmocka_unit_test(test_one_switch_with_too_many_cables),
        cmocka_unit_test(test_every_shuffled_example),
        cmocka_unit_test(test_own_order),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_any_cable_of_a_mesh),
        cmocka_unit_test(test_leaf_without_hosts),
        cmocka_unit_test(test_half_the_hosts),
        cmocka_unit_test(test_much_damage),
        cmocka_unit_test(test_others_are_refused),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_fabrics_under_opensm),
        cmocka_unit_test(test_a_real_fat_tree),
        cmocka_unit_test(test_an_irregular_cluster),
    };
    return run_cases(tests);
}
