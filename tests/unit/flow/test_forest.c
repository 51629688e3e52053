/* Packed trees: every set of vertices of small networks, figures counted by hand, and faults that must be noticed. */
#include "demand_test.h"

#include <math.h>

#include "base/random.h"
#include "flow/forest/forest.h"
#include "flow/forest/msccl.h"
#include "net/builder.h"

#define CLOSE(A, B) (fabs((A) - (B)) <= 1e-9 * fabs(B))

/* The least capacity for each root of any set that a member is outside of: all sets are tried. */
static double by_brute_force(const struct cw_forest_setup *setup)
{
    const struct cw_network *net = setup->net;
    double least = INFINITY;
    for (uint32_t set = 0; set < 1U << net->n_vertices; set++) {
        double capacity = 0;
        uint32_t roots = 0, outside = 0;
        for (uint32_t i = 0; i < setup->n_members; i++) {
            const uint32_t v = setup->members[i];
            roots += (set >> v & 1) && (setup->root == CW_NONE || setup->root == v);
            outside += !(set >> v & 1);
        }
        for (uint32_t c = 0; c < net->n_channels; c++) {
            const uint32_t from = setup->to_roots ? net->head[c] : net->tail[c];
            const uint32_t to = setup->to_roots ? net->tail[c] : net->head[c];
            if ((set >> from & 1) && !(set >> to & 1)) capacity += net->capacity[c];
        }
        if (roots > 0 && outside > 0) least = fmin(least, capacity / roots);
    }
    return least;
}

/* 2 to 5 endpoints and 1 to 3 switches, some of them joined twice; EVEN: both directions of a cable are equally fast,
 * else they seldom are. */
static struct cw_network *random_network(struct cw_random *random, bool even)
{
    const uint32_t endpoints = 2 + cw_random_below(random, 4), switches = 1 + cw_random_below(random, 3);
    const uint32_t n = endpoints + switches;
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(endpoints, switches, 20);
    for (uint32_t i = 1; i < n + 4; i++) {
        const uint32_t a = i < n ? i : cw_random_below(random, n);
        const uint32_t b = cw_random_below(random, i < n ? i : n);
        if (a == b) continue;
        cw_builder_cable(builder, a, 0, b, 0, (double)(1 + cw_random_below(random, 9)) * 125e6, 1e-7);
        if (!even) cw_builder_back(builder, (double)(1 + cw_random_below(random, 9)) * 125e6, 1e-7);
    }
    must(cw_builder_finish(builder, &net));
    return net;
}

/* Moves hold what cw_moves_verify asks of all; of trees they have the channels and the shares. Data that are added up
 * are N numbers, else N bytes. */
static void check_moves(const struct cw_forest_setup *setup, const struct cw_forest *forest, uint64_t n)
{
    const uint32_t chunks = 1 + (uint32_t)(n % 5), unit = setup->to_roots ? 8 : 1;
    const uint64_t bytes = n * unit;
    struct cw_moves moves;
    uint64_t most = 0, sum = 0, hops = 0, expected = 0;
    if (setup->to_roots) assert_int_equal(cw_forest_moves(setup, forest, 1, bytes + 4, chunks, &moves), CW_EUSAGE);
    if (n < forest->n_roots) {
        assert_int_equal(cw_forest_moves(setup, forest, 1, bytes, chunks, &moves), CW_EUSAGE);
        return;
    }
    must(cw_forest_moves(setup, forest, 1, bytes, chunks, &moves));
    must(cw_moves_check_network(&moves, setup->net));
    assert_int_equal(moves.n_demands, forest->n_roots);
    for (size_t d = 0; d < moves.n_demands; d++) {
        const uint64_t each = bytes / forest->n_roots;
        sum += moves.demands[d].bytes;
        assert_true((setup->to_roots ? moves.demands[d].src : moves.demands[d].dst) == CW_NONE);
        assert_true(moves.demands[d].bytes % unit == 0 && moves.demands[d].bytes + unit - each <= 2 * unit);
    }
    assert_true(sum == bytes);
    for (size_t i = 0; i < moves.first_step[moves.n_ranks]; i++) {
        const struct cw_step *step = &moves.steps[i];
        if (step->bytes > most) most = step->bytes;
        hops += step->n_channels * step->bytes;
    }
    assert_true(moves.chunk_bytes == (most / unit + chunks - 1) / chunks * unit);
    for (size_t t = 0; t < forest->n_trees; t++)
        for (size_t e = forest->trees[t].first; e < forest->trees[t].first + setup->n_members - 1; e++) {
            const size_t path = forest->edges[e].path;
            expected += (forest->path_first[path + 1] - forest->path_first[path]) * (uint64_t)forest->trees[t].weight;
        }
    const double share = (double)bytes / forest->n_roots / (double)forest->root_weight;
    if (bytes > 1000000) assert_true(fabs((double)hops / ((double)expected * share) - 1) < 1e-3);
    cw_moves_free(&moves);
}

static void compare(const struct cw_forest_setup *setup, bool even, uint32_t *less)
{
    struct cw_forest forest;
    const double bound = by_brute_force(setup);
    must(cw_forest_find(setup, &forest));
    must(cw_forest_check(setup, &forest));
    assert_true(CLOSE(forest.cut_capacity / forest.cut_roots, bound));
    if (even) assert_true(CLOSE(forest.rate, bound));
    check_moves(setup, &forest, even ? 12345679 : 3);
    *less += !CLOSE(forest.rate, bound);
    cw_forest_free(&forest);
}

static void test_every_cut(void **state)
{
    (void)state;
    uint32_t less = 0;
    for (uint32_t trial = 0; trial < 400; trial++) {
        struct cw_random random = cw_random_of(1, 7, trial);
        const bool even = trial % 2 == 0;
        struct cw_network *net = random_network(&random, even);
        const uint32_t members[] = {0, 1, 2, 3, 4};
        struct cw_forest_setup setup = {net, members, net->n_endpoints, CW_NONE, trial % 4 > 1, trial % 8 > 3};
        compare(&setup, even, &less);
        setup.root = cw_random_below(&random, net->n_endpoints);
        compare(&setup, even, &less);
        cw_network_free(net);
    }
    assert_true(less < 200); /* where directions differ, too, trees mostly reach the bound */
}

/* The greatest rate of 1 to MOST trees of each root: each is one unit on a channel, of which a set of vertices must let
 * out as many as there are trees in it. All sets are tried, and all units that divide a capacity. */
static double few_by_brute_force(const struct cw_forest_setup *setup, uint32_t most)
{
    const struct cw_network *net = setup->net;
    double best = 0;
    for (uint32_t fastest = 1; fastest <= 9; fastest++)
        for (uint32_t parts = 1; parts <= 5 * most; parts++) {
            const double unit = fastest * 125e6 / parts;
            double trees = most;
            for (uint32_t set = 1; set + 1 < 1U << net->n_vertices; set++) {
                uint32_t roots = 0, outside = 0;
                double units = 0;
                for (uint32_t i = 0; i < setup->n_members; i++) {
                    roots += set >> setup->members[i] & 1;
                    outside += !(set >> setup->members[i] & 1);
                }
                for (uint32_t c = 0; c < net->n_channels; c++)
                    if ((set >> net->tail[c] & 1) && !(set >> net->head[c] & 1))
                        units += floor(net->capacity[c] / unit * (1 + 1e-12));
                if (roots > 0 && outside > 0) trees = fmin(trees, floor(units / roots));
            }
            best = fmax(best, trees * unit);
        }
    return best;
}

static void test_few_trees(void **state)
{
    (void)state;
    uint32_t less = 0;
    for (uint32_t trial = 0; trial < 30; trial++) {
        struct cw_random random = cw_random_of(1, 9, trial);
        struct cw_network *net = random_network(&random, true);
        const uint32_t members[] = {0, 1, 2, 3, 4}, most = 1 + trial % 3;
        const struct cw_forest_setup setup = {net, members, net->n_endpoints, CW_NONE, false, trial % 2 == 0, most};
        struct cw_forest forest;
        must(cw_forest_find(&setup, &forest));
        must(cw_forest_check(&setup, &forest));
        assert_true(forest.n_trees <= (size_t)most * net->n_endpoints);
        assert_true(CLOSE(forest.rate, few_by_brute_force(&setup, most)));
        less += !CLOSE(forest.rate, forest.cut_capacity / forest.cut_roots);
        cw_forest_free(&forest);
        cw_network_free(net);
    }
    assert_true(less > 3);
}

/* Boxes of 8 GPUs with 300 GB/s each to a switch of the box, and 25 GB/s each to one of the rails. */
static struct cw_network *boxes(uint32_t n)
{
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(8 * n, n + 8, 16 * n);
    for (uint32_t e = 0; e < 8 * n; e++) {
        cw_builder_cable(builder, e, 0, 8 * n + e / 8, 0, 300e9, 1e-7);
        cw_builder_cable(builder, e, 0, 9 * n + e % 8, 0, 25e9, 1e-6);
    }
    must(cw_builder_finish(builder, &net));
    return net;
}

/* 1 GB among the 16 GPUs of two DGX A100: each takes in 15 of 16 parts at 325 GB/s, .00288 s. Of four, each box takes
 * in 24 of 32 parts at 200 GB/s. */
static void test_boxes(void **state)
{
    (void)state;
    const double seconds[] = {15 / 16. / 325, 24 / 32. / 200};
    for (uint32_t i = 0; i < 2; i++) {
        struct cw_network *net = boxes(i ? 4 : 2);
        uint32_t members[32];
        for (uint32_t m = 0; m < net->n_endpoints; m++) members[m] = m;
        const struct cw_forest_setup setup = {net, members, net->n_endpoints, CW_NONE, false};
        struct cw_forest forest;
        must(cw_forest_find(&setup, &forest));
        must(cw_forest_check(&setup, &forest));
        assert_true(CLOSE(1e9 / forest.n_members / forest.rate, seconds[i]));
        cw_forest_free(&forest);
        cw_network_free(net);
    }
}

/* Cables between GPUs I and J of a box, each so many times as fast as the slowest. */
struct link {
    uint8_t i, j, times;
};

/* N boxes of EACH GPUs that are joined by LINKS of UNIT byte/s, and, if there are several boxes, by one cable of each
 * GPU of OUTSIDE byte/s to a switch. */
static struct cw_network *linked(uint32_t n, uint32_t each, const struct link *links, double unit, double outside)
{
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(n * each, 1, 20 * n * each);
    for (uint32_t box = 0; box < n; box++) {
        for (const struct link *link = links; link->times > 0; link++)
            cw_builder_cable(builder, box * each + link->i, 0, box * each + link->j, 0, link->times * unit, 1e-6);
        for (uint32_t e = box * each; e < (box + 1) * each; e++)
            if (n > 1) cw_builder_cable(builder, e, 0, n * each, 0, outside, 1e-6);
    }
    must(cw_builder_finish(builder, &net));
    return net;
}

/* What others have found. DGX-1 (V100): 7/6 of the time in which a link of 25 GB/s carries a GPU's part (SCCL's bound,
 * in msccl-tools). MI250: 342.857 GB/s for the 16 dies of one box, 354.133 GB/s for two (ForestColl's program). */
static void test_published(void **state)
{
    (void)state;
    static const struct link dgx1[] = {{0, 1, 2}, {0, 2, 1}, {0, 3, 1}, {0, 4, 2}, {1, 2, 1}, {1, 3, 2},
                                       {1, 5, 1}, {2, 3, 2}, {2, 6, 2}, {3, 7, 1}, {4, 5, 2}, {4, 6, 1},
                                       {4, 7, 1}, {5, 6, 1}, {5, 7, 2}, {6, 7, 2}, {0}};
    static const struct link mi250[] = {{0, 1, 4},   {0, 4, 2},   {0, 8, 1},   {1, 5, 1},   {1, 9, 1},   {1, 10, 1},
                                        {2, 3, 4},   {2, 6, 1},   {2, 9, 1},   {2, 10, 1},  {3, 7, 2},   {3, 11, 1},
                                        {4, 5, 4},   {4, 6, 1},   {5, 6, 1},   {5, 7, 1},   {6, 7, 4},   {8, 9, 4},
                                        {8, 12, 2},  {9, 13, 1},  {10, 11, 4}, {10, 14, 1}, {11, 15, 2}, {12, 13, 4},
                                        {12, 14, 1}, {13, 14, 1}, {13, 15, 1}, {14, 15, 4}, {0}};
    const struct {
        uint32_t boxes, each;
        const struct link *links;
        double unit, outside, expected; /* [byte/s] all data / time */
    } cases[] = {{1, 8, dgx1, 25e9, 0, 8 * 25e9 * 6 / 7},
                 {1, 16, mi250, 50e9, 0, 342.857142857e9},
                 {2, 16, mi250, 50e9, 16e9, 354.133333333e9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = linked(cases[i].boxes, cases[i].each, cases[i].links, cases[i].unit, cases[i].outside);
        uint32_t members[32];
        for (uint32_t m = 0; m < net->n_endpoints; m++) members[m] = m;
        const struct cw_forest_setup setup = {net, members, net->n_endpoints, CW_NONE, false, true};
        struct cw_forest forest;
        must(cw_forest_find(&setup, &forest));
        must(cw_forest_check(&setup, &forest));
        assert_true(CLOSE(forest.rate * forest.n_members, cases[i].expected));
        cw_forest_free(&forest);
        cw_network_free(net);
    }
}

/* Wide trees are as fast, and stars where each endpoint has a cable to the one switch. In boxes, the next box is one
 * message away, and what is in it another one, but where a channel is full. */
static void test_wide(void **state)
{
    (void)state;
    struct cw_network *star = network_of("crossbar:12"), *net = boxes(4);
    uint32_t members[32];
    for (uint32_t m = 0; m < 32; m++) members[m] = m;
    for (int to_roots = 0; to_roots < 2; to_roots++) {
        const struct cw_forest_setup setups[] = {{star, members, 12, CW_NONE, to_roots == 1, true},
                                                 {net, members, 32, CW_NONE, to_roots == 1, true}};
        struct cw_forest forest;
        must(cw_forest_find(&setups[0], &forest));
        must(cw_forest_check(&setups[0], &forest));
        for (size_t t = 0; t < forest.n_trees; t++) assert_int_equal(forest.trees[t].depth, 1);
        cw_forest_free(&forest);
        must(cw_forest_find(&setups[1], &forest));
        must(cw_forest_check(&setups[1], &forest));
        assert_true(CLOSE(1e9 / 32 / forest.rate, 24 / 32. / 200));
        uint32_t sum = 0;
        for (size_t t = 0; t < forest.n_trees; t++) sum += forest.trees[t].depth;
        assert_true(sum < 8 * forest.n_trees); /* a chain is 31 deep */
        cw_forest_free(&forest);
    }
    cw_network_free(star);
    cw_network_free(net);
}

/* Each of these faults, planted into sound trees, is noticed. */
static void test_faults(void **state)
{
    (void)state;
    struct cw_network *net = boxes(2);
    uint32_t members[16];
    for (uint32_t m = 0; m < 16; m++) members[m] = m;
    const struct cw_forest_setup setup = {net, members, 16, CW_NONE, false};
    for (int fault = 0; fault < 6; fault++) {
        struct cw_forest forest;
        must(cw_forest_find(&setup, &forest));
        if (fault == 0) forest.rate *= 1.001;
        if (fault == 1) forest.trees[3].weight++;
        if (fault == 2) forest.edges[forest.trees[2].first + 4].head = forest.trees[2].root;
        if (fault == 3) forest.edges[5].path = forest.edges[6].path;
        if (fault == 4) forest.cut[net->n_endpoints] = !forest.cut[net->n_endpoints];
        if (fault == 5) forest.channels[0] = net->twin[forest.channels[0]];
        assert_int_equal(cw_forest_check(&setup, &forest), CW_EINTERNAL);
        cw_forest_free(&forest);
    }
    cw_network_free(net);
}

/* Runs PROGRAM to its end, in any order that what waits allows. Returns the bytes that all ranks receive. */
static uint64_t execute(const struct cw_program *program)
{
    uint32_t *waits = zeros(program->n_actions, sizeof *waits), *queue = zeros(program->n_actions, sizeof *queue);
    uint32_t n = 0;
    uint64_t bytes = 0;
    for (uint32_t a = 0; a < program->n_actions; a++) {
        waits[a] = program->actions[a].waits + (program->actions[a].kind == CW_ACTION_RECEIVE);
        if (waits[a] == 0) queue[n++] = a;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_action *action = &program->actions[queue[i]];
        if (action->kind == CW_ACTION_RECEIVE) bytes += action->bytes;
        if (action->kind == CW_ACTION_SEND && --waits[action->partner] == 0) queue[n++] = action->partner;
        for (size_t k = program->first_next[queue[i]]; k < program->first_next[queue[i] + 1]; k++)
            if (--waits[program->next[k]] == 0) queue[n++] = program->next[k];
    }
    assert_int_equal(n, program->n_actions); /* nothing waits for ever */
    free(waits);
    free(queue);
    return bytes;
}

/* Every byte comes to each rank but its own once, whatever it is cut into, by channels that lead there; and an
 * allreduce is a reduction and then an allgather. */
static void test_programs(void **state)
{
    (void)state;
    const uint64_t sizes[] = {1, 1000003};
    struct cw_network *net = boxes(2);
    uint32_t members[16];
    for (uint32_t m = 0; m < 16; m++) members[m] = m;
    const struct cw_forest_setup setups[] = {{net, members, 16, CW_NONE, true}, {net, members, 16, CW_NONE, false}};
    struct cw_forest forests[2];
    for (int i = 0; i < 2; i++) must(cw_forest_find(&setups[i], &forests[i]));
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t n = 1; n <= 2; n++) {
            struct cw_forest_program made;
            must(cw_forest_program_new(setups + 2 - n, forests + 2 - n, n, sizes[i], 1 + 4 * i, &made));
            assert_int_equal(execute(made.program), n * 15 * sizes[i]);
            for (uint32_t a = 0; a < made.program->n_actions; a++) {
                const struct cw_action *action = &made.program->actions[a];
                const size_t first = made.first[a], end = made.first[a + 1];
                assert_int_equal(end > first, action->kind == CW_ACTION_SEND);
                if (end == first) continue;
                assert_int_equal(net->tail[made.channels[first]], action->rank);
                assert_int_equal(net->head[made.channels[end - 1]], action->peer);
            }
            cw_forest_program_free(&made);
        }
    for (int i = 0; i < 2; i++) cw_forest_free(&forests[i]);
    cw_network_free(net);
}

/* Nothing is sent on that is not there: in one chunk, a send waits for each message that its data come from. */
static void test_waits(void **state)
{
    (void)state;
    struct cw_network *net = boxes(2);
    uint32_t members[16];
    for (uint32_t m = 0; m < 16; m++) members[m] = m;
    for (int to_roots = 0; to_roots < 2; to_roots++) {
        const struct cw_forest_setup setup = {net, members, 16, CW_NONE, to_roots == 1};
        struct cw_forest forest;
        struct cw_forest_program made;
        size_t expected = 0, waits = 0;
        must(cw_forest_find(&setup, &forest));
        must(cw_forest_program_new(&setup, &forest, 1, 1000003, 1, &made));
        for (size_t t = 0; t < forest.n_trees; t++)
            for (size_t e = forest.trees[t].first; e < forest.trees[t].first + 15; e++)
                expected += (to_roots ? forest.edges[e].head : forest.edges[e].tail) != forest.trees[t].root;
        for (uint32_t a = 0; a < made.program->n_actions; a++) waits += made.program->actions[a].waits;
        assert_int_equal(waits, expected);
        cw_forest_program_free(&made);
        cw_forest_free(&forest);
    }
    cw_network_free(net);
}

/* The trees of NET's endpoints that carry out KIND, from or to ROOT, as a file of MSCCL. */
static void write_msccl(const struct cw_network *net, enum cw_collective_kind kind, uint32_t root, uint32_t instances,
                        struct cw_text *text, struct cw_msccl_size *size)
{
    const struct cw_collective_traits *traits = &cw_collectives[kind];
    uint32_t members[32], n = 0;
    for (uint32_t m = 0; m < net->n_endpoints; m++) members[m] = m;
    struct cw_forest_setup setups[2];
    struct cw_forest forests[2];
    for (int turn = 0; turn < 2; turn++) {
        if (turn == 0 ? !traits->reduces : traits->reduces && (traits->root_takes || traits->gives_blocks)) continue;
        setups[n] = (struct cw_forest_setup){
            net, members, net->n_endpoints, cw_collective_is_rooted(kind) ? root : CW_NONE, turn == 0, instances > 1};
        must(cw_forest_find(&setups[n], &forests[n]));
        n++;
    }
    must(cw_msccl_write(setups, forests, n, kind, instances, text, size));
    for (uint32_t f = 0; f < n; f++) cw_forest_free(&forests[f]);
}

static const enum cw_collective_kind msccl_kinds[] = {CW_COLLECTIVE_ALLGATHER, CW_COLLECTIVE_REDUCE_SCATTER,
                                                      CW_COLLECTIVE_ALLREDUCE, CW_COLLECTIVE_BCAST,
                                                      CW_COLLECTIVE_REDUCE};

/* Symbols come out as each collective promises, of boxes and of networks drawn at random. */
static void test_msccl(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < 40; trial++) {
        struct cw_random random = cw_random_of(1, 8, trial);
        const enum cw_collective_kind kind = msccl_kinds[trial % 5];
        struct cw_network *net = trial < 5 ? boxes(2) : random_network(&random, true);
        const uint32_t root = cw_random_below(&random, net->n_endpoints);
        struct cw_text text = {0};
        struct cw_msccl_size size;
        write_msccl(net, kind, root, 1 + trial % 3, &text, &size);
        must(cw_msccl_check("trees.xml", text.data, text.length, kind, root));
        assert_true(size.loss >= 0 && size.loss < 1);
        assert_int_equal(size.chunks % (1 + trial % 3), 0);
        /* another root, or another collective, is not what the file does */
        if (cw_collective_is_rooted(kind))
            assert_int_equal(cw_msccl_check("", text.data, text.length, kind, (root + 1) % net->n_endpoints),
                             CW_EPARSE);
        assert_int_equal(cw_msccl_check("", text.data, text.length, msccl_kinds[(trial + 1) % 5], root), CW_EPARSE);
        cw_text_free(&text);
        cw_network_free(net);
    }
}

/* A star of 40 has 39 peers, more than a channel has room for; three instances have more blocks than there may be. */
static void test_msccl_room(void **state)
{
    (void)state;
    struct cw_network *net = network_of("crossbar:40");
    uint32_t members[40];
    for (uint32_t m = 0; m < 40; m++) members[m] = m;
    const struct cw_forest_setup setup = {net, members, 40, CW_NONE, false, true, 1};
    struct cw_forest forest;
    struct cw_msccl_size size;
    struct cw_text text = {0};
    must(cw_forest_find(&setup, &forest));
    must(cw_msccl_write(&setup, &forest, 1, CW_COLLECTIVE_ALLGATHER, 1, &text, &size));
    assert_int_equal(size.channels, 2);
    must(cw_msccl_check("star.xml", text.data, text.length, CW_COLLECTIVE_ALLGATHER, 0));
    cw_text_free(&text);
    assert_int_equal(cw_msccl_write(&setup, &forest, 1, CW_COLLECTIVE_ALLGATHER, 3, &text, &size), CW_ELIMIT);
    assert_string_equal(cw_error_message(), "a rank needs 235 thread blocks: MSCCL has room for 216");
    cw_text_free(&text);
    cw_forest_free(&forest);
    cw_network_free(net);
}

/* Each wait that is taken out of an allreduce, and each chunk that is put or taken elsewhere, is noticed. */
static void test_msccl_faults(void **state)
{
    (void)state;
    static const struct {
        const char *at;
        int skip; /* as many before the one that is changed */
        const char *becomes;
    } faults[] = {
        {"depid=\"", 0, "depid=\"-1\" was=\""},
        {"hasdep=\"1\"", 2, "hasdep=\"0\""},
        {"type=\"rrc\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"", 0,
         "type=\"rrc\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"1"},
        {"type=\"s\" srcbuf=\"i\" srcoff=\"", 0, "type=\"s\" srcbuf=\"i\" srcoff=\"1"},
        {"type=\"rrc\"", 1, "type=\"r\""},
        {"cnt=\"1\"", 2, "cnt=\"2\""},
        {"chan=\"0\"", 1, "chan=\"1\""},
        {"send=\"", 2, "send=\"1"},
        {"<step", 4, "<stop"},
        {"</gpu>", 3, ""},
        {"ngpus=\"", 0, "ngpus=\"1"},
        {" s=\"1\"", 0, " s=\"7\""},
    };
    struct cw_network *net = network_of("xgft:2:2,2:1,2");
    struct cw_text text = {0};
    struct cw_msccl_size size;
    write_msccl(net, CW_COLLECTIVE_ALLREDUCE, 0, 1, &text, &size);
    must(cw_msccl_check("trees.xml", text.data, text.length, CW_COLLECTIVE_ALLREDUCE, 0));
    const size_t n_faults = sizeof faults / sizeof *faults;
    uint32_t waits = 0, seen = 0;
    for (size_t f = 0; f < n_faults + waits; f++) {
        const size_t fault = f < n_faults ? f : 0;
        const char *at = text.data, *digits = NULL;
        for (int skip = f < n_faults ? faults[f].skip : (int)(f - n_faults); at && skip >= 0; skip--)
            at = strstr(at + 1, faults[fault].at);
        if (f == 0)
            for (const char *next = text.data; (next = strstr(next + 1, faults[0].at)); waits++) {
            }
        assert_non_null(at);
        digits = at + strlen(faults[fault].at);
        if (fault == 0 && *digits == '-') continue; /* it waits for nothing */
        seen += fault == 0;
        struct cw_text wrong = {0};
        cw_text_append(&wrong, text.data, (size_t)(at - text.data));
        cw_text_add(&wrong, faults[fault].becomes);
        cw_text_add(&wrong, digits);
        if (cw_msccl_check("wrong.xml", wrong.data, wrong.length, CW_COLLECTIVE_ALLREDUCE, 0) != CW_EPARSE)
            fail_msg("not noticed: %s, %zu", faults[fault].at, f);
        assert_non_null(strstr(cw_error_message(), "wrong.xml:"));
        cw_text_free(&wrong);
    }
    assert_true(seen > 8);
    cw_text_free(&text);
    cw_network_free(net);
}

/* Two ranks that both send before they receive, one block each for both: neither is ever received. */
static void test_msccl_circle(void **state)
{
    (void)state;
    struct cw_text text = {0};
    cw_text_add(&text, "<algo name=\"x\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"2\" ngpus=\"2\" "
                       "coll=\"allgather\" inplace=\"1\" outofplace=\"0\" minBytes=\"0\" maxBytes=\"9\">\n");
    for (int r = 0; r < 2; r++)
        cw_text_printf(&text,
                       "<gpu id=\"%d\" i_chunks=\"1\" o_chunks=\"2\" s_chunks=\"0\"><tb id=\"0\" send=\"%d\" "
                       "recv=\"%d\" chan=\"0\">\n"
                       "<step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" "
                       "depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n"
                       "<step s=\"1\" type=\"r\" srcbuf=\"o\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"%d\" cnt=\"1\" "
                       "depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n</tb></gpu>\n",
                       r, 1 - r, 1 - r, 1 - r);
    cw_text_add(&text, "</algo>\n");
    assert_int_equal(cw_msccl_check("x.xml", text.data, text.length, CW_COLLECTIVE_ALLGATHER, 0), CW_EPARSE);
    assert_string_equal(cw_error_message(), "x.xml:3: step 0 of tb 0 of rank 0 waits for ever");
    cw_text_free(&text);
}

static void test_refusals(void **state)
{
    (void)state;
    struct cw_network *net = network_of("crossbar:4");
    const uint32_t members[] = {0, 1, 2};
    struct cw_forest forest;
    assert_int_equal(cw_forest_find(&(struct cw_forest_setup){net, members, 1, CW_NONE, false}, &forest), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "1 endpoints take part: expected 2 to 1024"));
    assert_int_equal(cw_forest_find(&(struct cw_forest_setup){net, members, 3, 3, false}, &forest), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "the root takes no part"));
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut),    cmocka_unit_test(test_few_trees),    cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_wide),         cmocka_unit_test(test_published),    cmocka_unit_test(test_faults),
        cmocka_unit_test(test_programs),     cmocka_unit_test(test_waits),        cmocka_unit_test(test_msccl),
        cmocka_unit_test(test_msccl_faults), cmocka_unit_test(test_msccl_circle), cmocka_unit_test(test_msccl_room),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
