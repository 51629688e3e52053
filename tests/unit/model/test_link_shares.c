/* What ranks put on channels, in sum and one by one, against every packet walked. */
#include "model_test.h"

#include <stdbool.h>

#include "model/batches.h"
#include "model/link_load.h"
#include "model/link_shares.h"

/* What walking says. */
struct walked {
    uint32_t n_ranks, n_channels;
    double *use;  /* [ranks · channels] */
    double *sent; /* [ranks] the share of its bandwidth that a rank sends to others */
};

struct shown {
    struct setting setting;
    struct cw_packet_routing *routing;
    struct cw_batches batches;
    struct walked walked;
    double *load;
    struct cw_link_sums sums;
};

static double speed_of(const struct shown *shown, uint32_t rank)
{
    return shown->setting.net->capacity[shown->setting.net->first[shown->setting.endpoints[rank]]];
}

static struct shown show(struct setting setting, const char *routing)
{
    const struct cw_network *net = setting.net;
    struct shown out = {.setting = setting,
                        .walked = {cw_workload_ranks(setting.workload), net->n_channels, NULL, NULL}};
    if (cw_packet_routing_new(net, routing, 1, 1, &out.routing) != 0) fail_msg("%s", cw_error_message());
    assert_int_equal(cw_batches_new(out.routing, setting.workload, setting.endpoints, &out.batches), 0);
    out.walked.use = calloc((size_t)out.walked.n_ranks * net->n_channels, sizeof(double));
    out.walked.sent = calloc(out.walked.n_ranks, sizeof(double));
    out.load = calloc(net->n_channels, sizeof(double));
    assert_true(out.walked.use && out.walked.sent && out.load);
    for (uint32_t r = 0; r < out.walked.n_ranks; r++)
        out.walked.sent[r] = walk_rank(&setting, out.routing, r, out.walked.use + (size_t)r * out.walked.n_channels);
    assert_int_equal(cw_link_shares_sum(&out.batches, 1, out.load, &out.sums), 0);
    return out;
}

static void put_away(struct shown *shown)
{
    cw_batches_free(&shown->batches);
    cw_packet_routing_free(shown->routing);
    free(shown->walked.use);
    free(shown->walked.sent);
    free(shown->load);
    tear_down(&shown->setting);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

static void check_sums(const struct shown *shown)
{
    double traffic = 0, bandwidth = 0;
    for (uint32_t r = 0; r < shown->walked.n_ranks; r++) {
        traffic += shown->walked.sent[r] * speed_of(shown, r);
        if (shown->walked.sent[r] > 0) bandwidth += speed_of(shown, r);
    }
    check_near(shown->sums.traffic, traffic, 1e-9 * traffic);
    check_near(shown->sums.bandwidth, bandwidth, 1e-9 * bandwidth);
    assert_false(shown->sums.by_queues);
    for (uint32_t c = 0; c < shown->walked.n_channels; c++) {
        double load = 0;
        for (uint32_t r = 0; r < shown->walked.n_ranks; r++)
            load += shown->walked.use[(size_t)r * shown->walked.n_channels + c];
        check_near(shown->load[c], load, 1e-9);
    }
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* Column c of the packing is channel channel_of[c]. */
struct columns {
    uint32_t n;
    uint32_t *column_of, *channel_of;
};

/* EVERY channel of so many, in another order. */
static struct columns choose_columns(const struct shown *shown, uint32_t every, uint64_t trial)
{
    const uint32_t n = shown->walked.n_channels;
    struct cw_random random = cw_random_of(3, CW_STREAM_TEST, trial);
    struct columns out = {0, calloc(n, sizeof *out.column_of), calloc(n, sizeof *out.channel_of)};
    uint32_t *order = calloc(n, sizeof *order);
    assert_true(out.column_of && out.channel_of && order);
    cw_random_permutation(&random, n, order);
    for (uint32_t i = 0; i < n; i++) {
        out.column_of[order[i]] = i % every ? CW_NONE : out.n;
        if (i % every == 0) out.channel_of[out.n++] = order[i];
    }
    free(order);
    return out;
}

static void columns_free(struct columns *columns)
{
    free(columns->column_of);
    free(columns->channel_of);
}

static struct cw_packing rows_of(const struct shown *shown, const struct columns *columns, unsigned n_threads,
                                 uint64_t most)
{
    struct cw_packing out;
    assert_int_equal(cw_link_shares_rows(&shown->batches, n_threads, columns->column_of, columns->n,
                                         shown->sums.bandwidth, most, &out),
                     0);
    assert_int_equal(out.n_columns, columns->n);
    return out;
}

/* Row number ROW, in the order of columns, is what RANK uses. */
static void check_row(const struct shown *shown, const struct columns *columns, const struct cw_packing *rows,
                      size_t row, uint32_t rank)
{
    size_t at = rows->first[row];
    check_near(rows->worth[row], shown->walked.sent[rank] * speed_of(shown, rank) / shown->sums.bandwidth, 1e-12);
    for (uint32_t c = 0; c < columns->n; c++) {
        const double use = shown->walked.use[(size_t)rank * shown->walked.n_channels + columns->channel_of[c]];
        if (use <= 0) continue;
        assert_true(at < rows->first[row + 1]);
        assert_int_equal(rows->column[at], c);
        check_near(rows->use[at++], use, 1e-9);
    }
    assert_int_equal(at, rows->first[row + 1]);
}

/* A row for each rank that sends, or for several that do the same; ranks by switch. Up to 64 switches. */
static void check_rows(const struct shown *shown, uint32_t every)
{
    struct columns columns = choose_columns(shown, every, every);
    struct cw_packing rows = rows_of(shown, &columns, 1, UINT64_MAX);
    size_t row = 0, left = rows.n_rows > 0 ? rows.count[0] : 0;
    for (uint32_t i = 0; i < shown->walked.n_ranks; i++) {
        const uint32_t rank = shown->batches.ranks[i];
        if (shown->walked.sent[rank] <= 0) continue;
        if (left == 0) left = rows.count[++row];
        assert_true(row < rows.n_rows);
        check_row(shown, &columns, &rows, row, rank);
        left--;
    }
    assert_true(left == 0 && row + 1 == rows.n_rows);
    cw_packing_free(&rows);
    columns_free(&columns);
}

static void check(struct setting setting, const char *routing)
{
    struct shown shown = show(setting, routing);
    check_sums(&shown);
    for (uint32_t every = 1; every <= 5; every += 2) check_rows(&shown, every);
    put_away(&shown);
}

static void test_walked(void **state)
{
    (void)state;
    check(setting_with_speeds("dragonfly:2,4,2", "hotspot:3,share=0.3", 1), "valiant-any");
    check(setting_with_speeds("dragonfly:2,4,2,g=4", "group-adversarial:1", 2), "valiant-restricted");
    check(setting_with_speeds("dragonfly:2,3,2", "uniform", 3), "minimal");
    check(setting_with_speeds("xgft:2:4,4:1,2", "shift:5", 4), "smodk");
    check(setting_with_speeds("xgft:2:20,3:1,2", "uniform", 5), "dmodk");
    check(setting_with_speeds("crossbar:40", "hotspot:3,share=0.5", 6), NULL);
    check(setting_of("crossbar:40", "shift:1"), NULL);
    check(setting_of("torus:5x3", "halo:5x3x1"), "dor");
}

/* Ranks that send to one endpoint, on other endpoints than their number. */
static void test_placed(void **state)
{
    (void)state;
    struct setting setting = setting_with_speeds("xgft:2:4,4:1,2", "hotspot:1,share=0.7", 7);
    for (uint32_t r = 0; r < 16; r++) setting.endpoints[r] = (5 * r + 3) % 16;
    check(setting, "dmodk");
}

/* Several are one row: 19 ranks send to the first, and no other channel is looked at. In batches of 16 ranks. */
static void test_alike(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 15, 4};
    struct shown shown = show(setting_of("crossbar:20", "hotspot:1,share=1"), NULL);
    const struct cw_network *net = shown.setting.net;
    struct columns columns = choose_columns(&shown, 1, 1);
    for (uint32_t c = 0; c < shown.walked.n_channels; c++) columns.column_of[c] = CW_NONE;
    columns.column_of[net->twin[net->first[0]]] = 0;
    columns.n = 1;
    struct cw_packing rows = rows_of(&shown, &columns, 1, UINT64_MAX);
    assert_int_equal(rows.n_rows, 3);
    for (size_t r = 0; r < 3; r++) {
        assert_int_equal(rows.count[r], counts[r]);
        assert_int_equal(rows.first[r + 1] - rows.first[r], r > 0);
        check_near(rows.worth[r], 1.0 / 20, 1e-12);
    }
    cw_packing_free(&rows);
    columns_free(&columns);
    put_away(&shown);
}

/* --- limits ------------------------------------------------------------------------------------------------------- */

/* Of 20 ranks at a switch each uses 20 channels; half as much room shows the first ten of each, and is used up. */
static void test_little_room(void **state)
{
    (void)state;
    struct shown shown = show(setting_with_speeds("crossbar:20", "uniform", 8), NULL);
    struct columns columns = choose_columns(&shown, 1, 2);
    struct cw_packing all = rows_of(&shown, &columns, 1, UINT64_MAX), some = rows_of(&shown, &columns, 1, 200);
    assert_int_equal(all.n_rows, 20);
    assert_int_equal(some.n_rows, 20);
    assert_int_equal(all.first[20], 400);
    for (size_t r = 0; r < 20; r++) {
        assert_int_equal(some.first[r + 1] - some.first[r], 10);
        assert_memory_equal(some.column + some.first[r], all.column + all.first[r], 10 * sizeof *all.column);
        assert_memory_equal(some.use + some.first[r], all.use + all.first[r], 10 * sizeof *all.use);
    }
    assert_memory_equal(some.worth, all.worth, 20 * sizeof *all.worth);
    struct cw_packing_bound tight, loose;
    assert_int_equal(cw_packing_bound(&all, 1, 1, &tight), 0);
    assert_int_equal(cw_packing_bound(&some, 1, 1, &loose), 0);
    assert_true(loose.most >= tight.most * (1 - 1e-5));
    cw_packing_free(&all);
    cw_packing_free(&some);
    columns_free(&columns);
    put_away(&shown);
}

/* Each of 36 switches has a part of the room, and each of its two ranks half of that; on any number of threads. */
static void test_any_room(void **state)
{
    (void)state;
    struct shown shown = show(setting_with_speeds("dragonfly:2,4,2", "uniform", 9), "minimal");
    struct columns columns = choose_columns(&shown, 2, 3);
    struct cw_packing all = rows_of(&shown, &columns, 1, UINT64_MAX);
    for (uint64_t most = 72; most <= 72 * 64; most *= 4) {
        struct cw_packing rows = rows_of(&shown, &columns, 1, most), again = rows_of(&shown, &columns, 3, most);
        assert_int_equal(rows.n_rows, 72);
        for (size_t r = 0; r < 72; r++) {
            const size_t has = all.first[r + 1] - all.first[r], kept = rows.first[r + 1] - rows.first[r];
            assert_int_equal(kept, has < most / 72 ? has : most / 72);
            assert_memory_equal(rows.column + rows.first[r], all.column + all.first[r], kept * sizeof *rows.column);
        }
        assert_memory_equal(rows.first, again.first, (rows.n_rows + 1) * sizeof *rows.first);
        assert_memory_equal(rows.column, again.column, rows.first[rows.n_rows] * sizeof *rows.column);
        assert_memory_equal(rows.use, again.use, rows.first[rows.n_rows] * sizeof *rows.use);
        cw_packing_free(&rows);
        cw_packing_free(&again);
    }
    cw_packing_free(&all);
    columns_free(&columns);
    put_away(&shown);
}

/* 2,064 switches · 16,512 destinations · 2,064 choices. */
static void test_too_many_walks(void **state)
{
    (void)state;
    struct setting setting = setting_of("dragonfly:8,16,8", "uniform");
    struct cw_packet_routing *routing;
    struct cw_link_load load;
    assert_int_equal(cw_packet_routing_new(setting.net, "valiant-any", 1, 1, &routing), 0);
    assert_int_equal(cw_link_load_compute(routing, setting.workload, setting.endpoints, 1, &load), CW_ELIMIT);
    check_message("link loads of valiant-any under uniform take more than 8589934592 walks");
    cw_packet_routing_free(routing);
    tear_down(&setting);
}

static void test_refusals(void **state)
{
    (void)state;
    struct setting setting = setting_of("torus:4", "uniform");
    struct cw_packet_routing *routing;
    struct cw_batches batches;
    assert_int_equal(cw_packet_routing_new(setting.net, "dor", 1, 1, &routing), 0);
    setting.endpoints[3] = 4;
    assert_int_equal(cw_batches_new(routing, setting.workload, setting.endpoints, &batches), CW_EUSAGE);
    check_message("rank 3 on endpoint 4 of 4");
    cw_packet_routing_free(routing);
    tear_down(&setting);
    struct cw_builder *builder = cw_builder_new(2, 1, 1); /* an endpoint without a cable */
    cw_builder_cable(builder, 0, 0, 2, 0, 5e9, 0);
    struct cw_network *net;
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    setting = set_up(net, "shift:1");
    if (cw_packet_routing_new(setting.net, "minhop", 1, 1, &routing) != 0) fail_msg("%s", cw_error_message());
    assert_int_equal(cw_batches_new(routing, setting.workload, setting.endpoints, &batches), CW_EUSAGE);
    check_message("rank 1 is on h1, which is not connected to one switch");
    cw_packet_routing_free(routing);
    tear_down(&setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walked),      cmocka_unit_test(test_placed),   cmocka_unit_test(test_alike),
        cmocka_unit_test(test_little_room), cmocka_unit_test(test_any_room), cmocka_unit_test(test_too_many_walks),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
