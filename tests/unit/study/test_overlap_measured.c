/* Overlap as ranks have measured it: metrics and figures by hand, what is said, written and drawn, and what is best. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "study/overlap/overlap_measured.h"

/* --- metrics ------------------------------------------------------------------------------------------------------ */

static void check(struct cw_overlap_times times, double imb, double osu)
{
    assert_true(fabs(cw_overlap_imb(&times) - imb) < 1e-9);
    assert_true(fabs(cw_overlap_osu(&times) - osu) < 1e-9);
}

static void test_by_hand(void **state)
{
    (void)state;
    check((struct cw_overlap_times){.pure = 4, .within = 4, .total = 4}, 100, 100);
    check((struct cw_overlap_times){.pure = 4, .within = 4, .total = 8}, 0, 0);
    check((struct cw_overlap_times){.pure = 4, .within = 4, .total = 5}, 75, 75);
    /* less computation than there is to hide: IMB measures what could be hidden, OSU the whole */
    check((struct cw_overlap_times){.pure = 4, .within = 2, .total = 4}, 100, 50);
    check((struct cw_overlap_times){.pure = 2, .within = 10, .total = 11}, 50, 50);
    /* slower than one after the other; faster than the computation */
    check((struct cw_overlap_times){.pure = 4, .within = 4, .total = 9}, 0, 0);
    check((struct cw_overlap_times){.pure = 4, .within = 4, .total = 3.9}, 100, 102.5);
    /* the computation takes longer beside the collective than alone: total tells, not the overlap */
    check((struct cw_overlap_times){.pure = 4, .compute = 4, .within = 6, .total = 7}, 75, 75);
}

/* Each time is that of the slowest rank of it; the metrics are of the first rank whose total is the largest. */
static void test_ranks(void **state)
{
    (void)state;
    static const struct cw_overlap_times ranks[] = {{.pure = 4, .compute = 3, .total = 5, .init = 1, .within = 4},
                                                    {.pure = 3, .compute = 5, .total = 8, .init = 2, .within = 4},
                                                    {.pure = 5, .compute = 4, .total = 8, .init = 1, .within = 7},
                                                    {.pure = 2, .compute = 2, .total = 2, .init = 1, .within = 2}};
    struct cw_overlap_sample sample = {.imb = 0};
    for (size_t rank = 0; rank < 4; rank++) cw_overlap_sample_add(&sample, &ranks[rank]);
    assert_true(sample.most.pure == 5 && sample.most.compute == 5 && sample.most.total == 8);
    assert_true(sample.most.init == 2 && sample.most.within == 7);
    assert_true(sample.imb == cw_overlap_imb(&ranks[1]) && sample.osu == cw_overlap_osu(&ranks[1]));
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static struct cw_overlap_methods parsed(const char *list)
{
    struct cw_overlap_methods methods;
    assert_int_equal(cw_overlap_methods_parse(list, &methods), 0);
    return methods;
}

/* The names, with a blank behind each. */
static void check_names(const struct cw_overlap_methods *methods, const char *expected)
{
    char names[CW_OVERLAP_METHODS * (CW_NBC_SHARING_SIZE + 1)] = "";
    for (size_t m = 0; m < methods->n; m++) strcat(strcat(names, methods->items[m].name), " ");
    assert_string_equal(names, expected);
}

static void test_methods(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool blocking, yields, all_cores;
    } of_mpi[] = {{"blocking", true, false, false},     {"native", false, false, false},
                  {"native-yield", false, true, false}, {"blocking@all", true, false, true},
                  {"native@all", false, false, true},   {"native-yield@all", false, true, true}};
    for (size_t i = 0; i < sizeof of_mpi / sizeof *of_mpi; i++) {
        struct cw_overlap_methods methods = parsed(of_mpi[i].name);
        const struct cw_overlap_method *method = &methods.items[0];
        assert_true(methods.n == 1 && method->of_mpi && strcmp(method->name, of_mpi[i].name) == 0);
        assert_true(method->blocking == of_mpi[i].blocking && method->yields == of_mpi[i].yields);
        assert_true(method->all_cores == of_mpi[i].all_cores && !cw_overlap_methods_need_cores(&methods));
    }
    struct cw_overlap_methods methods = parsed("native,slices:0.5,split-tree:2,k-nomial:3,blocking");
    check_names(&methods, "native slices:0.5 split-tree:2 k-nomial:3 blocking ");
    assert_true(!methods.items[1].of_mpi && methods.items[1].sharing.schedule == CW_NBC_SLICES);
    assert_true(methods.items[1].sharing.fraction == 0.5 && methods.items[2].sharing.steps == 2);
    assert_true(cw_overlap_methods_need_cores(&methods));
    cw_overlap_methods_fit(&methods, CW_COLLECTIVE_BCAST);
    assert_int_equal(methods.n, 5);
    cw_overlap_methods_fit(&methods, CW_COLLECTIVE_ALLTOALL); /* has no tree */
    check_names(&methods, "native slices:0.5 blocking ");
    cw_overlap_methods_keep_native(&methods);
    check_names(&methods, "native blocking ");
}

static void test_refused(void **state)
{
    (void)state;
    char list[16 * CW_OVERLAP_METHODS] = "native";
    struct cw_overlap_methods methods = {.n = 77};
    assert_int_equal(cw_overlap_methods_parse("native,nativ", &methods), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "'nativ' is not a method; expected blocking, native, native-yield"));
    for (int m = 1; m < CW_OVERLAP_METHODS; m++) strcat(list, ",native");
    assert_true(cw_overlap_methods_parse(strcat(list, ",auto"), &methods) == CW_EUSAGE && methods.n == 77);
    assert_string_equal(cw_error_message(), "--methods: expected 16 names at most");
    list[strlen(list) - strlen(",auto")] = '\0';
    assert_int_equal(parsed(list).n, CW_OVERLAP_METHODS);
}

/* A progress thread of MPI is part of the name; "0" and "" are no setting. */
static void test_progress_threads(void **state)
{
    (void)state;
    static const char *const variables[] = {"MPICH_ASYNC_PROGRESS", "MPIR_CVAR_ASYNC_PROGRESS", "I_MPI_ASYNC_PROGRESS"};
    for (size_t v = 0; v < 3; v++) unsetenv(variables[v]);
    assert_null(cw_overlap_async_setting());
    for (size_t v = 0; v < 3; v++) {
        setenv(variables[v], "0", 1);
        assert_null(cw_overlap_async_setting());
        setenv(variables[v], "", 1);
        assert_null(cw_overlap_async_setting());
        setenv(variables[v], "1", 1);
        assert_string_equal(cw_overlap_async_setting(), variables[v]);
        const struct cw_overlap_methods methods =
            parsed("blocking@all,native,native-yield,native@all,native-yield@all,auto");
        check_names(&methods,
                    "blocking@all native-async native-async-yield native-async@all native-async-yield@all auto ");
        unsetenv(variables[v]);
    }
}

/* --- what is said ------------------------------------------------------------------------------------------------- */

enum { SAMPLES = 7, METHODS = 4 };

/* Seven repetitions of four methods: of method m, in seconds, pure m + 1, compute m + 11, total 20 - 4m, init m + .5,
 * within m + 9, and IMB 60 + m, OSU 50 + m per cent, each plus a hundredth for 0 to 6 in some order. */
static void fill(struct cw_overlap_sample items[SAMPLES * METHODS])
{
    for (int i = 0; i < SAMPLES * METHODS; i++) {
        const int m = i % METHODS;
        const double more = 0.01 * (i / METHODS * 3 % SAMPLES);
        items[i] = (struct cw_overlap_sample){.most = {.pure = m + 1 + more,
                                                       .compute = m + 11 + more,
                                                       .total = 20 - 4 * m + more,
                                                       .init = m + 0.5 + more,
                                                       .within = m + 9 + more},
                                              .imb = 60 + m + more,
                                              .osu = 50 + m + more};
    }
}

struct example {
    struct cw_overlap_sample samples[SAMPLES * METHODS];
    struct cw_overlap_measurement items[2];
    struct cw_overlap_measurements all;
};

/* Among 3 ranks with 2 communication cores, and among 5 with none, where methods of MPI alone are left. */
static void make_example(struct example *example)
{
    *example = (struct example){.all = {.items = example->items,
                                        .n = 2,
                                        .methods = parsed("blocking,native,slices:1,auto"),
                                        .bytes = 2 << 20,
                                        .kind = CW_OVERLAP_ACCELERATOR}};
    fill(example->samples);
    example->items[0] = (struct cw_overlap_measurement){.operation = &cw_collectives[CW_COLLECTIVE_REDUCE],
                                                        .ranks = 3,
                                                        .cores = 2,
                                                        .methods = example->all.methods,
                                                        .samples = {example->samples, SAMPLES}};
    example->items[1] = example->items[0];
    example->items[1].ranks = 5;
    example->items[1].methods.n = 2;
    example->items[1].samples.n = 3; /* of two methods: those of fill for 0 and 1, then 2 and 3, then 0 and 1 */
}

static double cell(const struct cw_table *table, size_t row, const char *name)
{
    size_t c = 0;
    while (strcmp(cw_table_column(table, c)->name, name) != 0) c++;
    return cw_table_cell_real(table, row, c);
}

static const char *word(const struct cw_table *table, size_t row, const char *name)
{
    size_t c = 0;
    while (strcmp(cw_table_column(table, c)->name, name) != 0) c++;
    return cw_table_cell_text(table, row, c);
}

static void check_cell(const struct cw_table *table, size_t row, const char *name, double expected)
{
    if (!(fabs(cell(table, row, name) - expected) < 1e-9))
        fail_msg("row %zu, %s: %.12g, expected %.12g", row, name, cell(table, row, name), expected);
}

static void test_table(void **state)
{
    (void)state;
    struct example example;
    struct cw_result *result;
    make_example(&example);
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_overlap_show(&example.all, result), 0);
    assert_int_equal(cw_result_check(result), 0);
    const struct cw_table *table = cw_result_table(result, 0);
    assert_int_equal(cw_table_rows(table), METHODS + 2);
    for (size_t m = 0; m < METHODS; m++) { /* of seven values: medians the fourth, intervals from end to end */
        static const char *const names[] = {"pure", "compute", "total", "init", "within", "overlap_imb", "overlap_osu"};
        const double k = (double)m, least[] = {k + 1, k + 11, 20 - 4 * k, k + 0.5, k + 9, 60 + k, 50 + k};
        for (size_t q = 0; q < 7; q++) check_cell(table, m, names[q], least[q] + 0.03);
        check_cell(table, m, "pure_low", least[0]);
        check_cell(table, m, "pure_high", least[0] + 0.06);
        check_cell(table, m, "total_low", least[2]);
        check_cell(table, m, "total_high", least[2] + 0.06);
        check_cell(table, m, "overlap_imb_low", least[5]);
        check_cell(table, m, "overlap_imb_high", least[5] + 0.06);
        check_cell(table, m, "total_q10", least[2] + 0.006);
        check_cell(table, m, "total_q90", least[2] + 0.054);
        check_cell(table, m, "speedup", 16.03 / (least[2] + 0.03)); /* native takes less than blocking */
        check_cell(table, m, "bytes", 2 << 20);
        check_cell(table, m, "ranks", 3);
        check_cell(table, m, "cores", 2);
        check_cell(table, m, "repetitions", SAMPLES);
        assert_string_equal(word(table, m, "operation"), "reduce");
        assert_string_equal(word(table, m, "beside"), "accelerator");
        assert_string_equal(word(table, m, "method"), example.all.methods.items[m].name);
    }
    check_cell(table, 5, "ranks", 5);
    check_cell(table, 5, "repetitions", 3);
    check_cell(table, 5, "total", 16); /* of 16, 8 and 16.03 */
    cw_result_free(result);
}

/* The sentences about EXAMPLE, whose first item has N methods beginning with FIRST. */
static void check_sentence(struct example *example, size_t first, size_t n, const char *expected)
{
    struct cw_result *result;
    struct cw_text text = {0};
    struct cw_overlap_methods *methods = &example->items[0].methods;
    struct cw_overlap_sample some[SAMPLES * METHODS];
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t m = 0; m < n; m++) some[i * n + m] = example->samples[i * METHODS + first + m];
    for (size_t m = 0; m < n; m++) methods->items[m] = example->all.methods.items[first + m];
    methods->n = n;
    example->items[0].samples.items = some;
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_overlap_show(&example->all, result), 0);
    assert_int_equal(cw_result_write(result, CW_FORMAT_TEXT, 0, &text), 0);
    for (char *c = text.data; *c; c++)
        if (*c == '\n') *c = ' ';
    if (!strstr(text.data, expected)) fail_msg("expected '%s' in %s", expected, text.data);

    cw_text_free(&text);
    cw_result_free(result);
}

static void test_sentences(void **state)
{
    (void)state;
    struct example example;
    make_example(&example);
    check_sentence(
        &example, 0, 4,
        "reduce of 2 MiB among 3 ranks: auto takes least, 8.03 s with the computation: 2.00 times as fast as "
        "the best of MPI itself (native).");
    make_example(&example);
    check_sentence(
        &example, 0, 2,
        "reduce of 2 MiB among 3 ranks: native takes least, 16.03 s with the computation. reduce of 2 MiB among 5");
}

/* Without a method of MPI there is nothing to compare with. */
static void test_ours_alone(void **state)
{
    (void)state;
    struct example example;
    struct cw_result *result;
    make_example(&example);
    example.all.n = 1;
    for (size_t m = 0; m < METHODS; m++) example.items[0].methods.items[m].of_mpi = false;
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_overlap_show(&example.all, result), 0);
    assert_true(isnan(cell(cw_result_table(result, 0), 0, "speedup")));
    cw_result_free(result);
}

/* --- what is written and drawn ------------------------------------------------------------------------------------ */

static void test_file(void **state)
{
    (void)state;
    struct example example;
    struct cw_result *result;
    struct cw_overlap_runs runs;
    struct cw_text text = {0};
    const struct cw_nbc_site site = {.mpi = "MPI of ours", .processors = 8};
    char path[] = "/tmp/cw_overlap_XXXXXX", metadata[64];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    make_example(&example);
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_overlap_save(&example.all, &site, result, path), 0);
    snprintf(metadata, sizeof metadata, "%s-metadata.json", path);
    assert_int_equal(access(metadata, R_OK), 0);
    assert_int_equal(cw_overlap_runs_read(path, &runs), 0);
    assert_int_equal(runs.n, METHODS + 2);
    for (size_t i = 0; i < METHODS; i++) {
        const struct cw_overlap_point *point = &runs.items[i];
        const double k = (double)i;
        assert_true(point->repetitions == SAMPLES && point->ranks == 3 && point->cores == 2 && point->processors == 8);
        assert_true(fabs(point->total.value - (20.03 - 4 * k)) < 1e-9 && fabs(point->pure.value - (k + 1.03)) < 1e-9);
        assert_true(fabs(point->compute.value - (k + 11.03)) < 1e-9 && point->bytes == 2 << 20);
        assert_string_equal(point->method, example.all.methods.items[i].name);
        assert_string_equal(point->mpi, "MPI of ours");
    }
    assert_true(runs.items[5].ranks == 5 && runs.items[5].cores == 0 && runs.items[5].repetitions == 3);
    assert_int_equal(cw_file_read(path, &text), 0);
    assert_non_null(strstr(text.data,
                           "\nMPI of ours,8,reduce,2097152,accelerator,3,2,native,1,2.03,12.03,16.03,1.53,61.03,"
                           "51.03\n"));
    cw_text_free(&text);
    cw_overlap_runs_free(&runs);
    cw_result_free(result);
    unlink(metadata);
    unlink(path);
}

/* The script is there with or without gnuplot. */
static void test_picture(void **state)
{
    (void)state;
    struct example example;
    struct cw_text text = {0};
    char folder[] = "/tmp/cw_overlap_XXXXXX", picture[64], script[64];
    static const char *const expected[] = {" title 'blocking'",
                                           " title 'native'",
                                           " title 'slices:1'",
                                           " title 'auto'",
                                           " title 'computation alone'",
                                           "reduce of 2 MiB beside computation (accelerator)",
                                           "\n3 20030000 20000000 20060000\n",
                                           "\n3 8030000 8000000 8060000\n",
                                           "\n3 11030000\n",
                                           "[2.5:5.5]"};
    assert_non_null(mkdtemp(folder));
    snprintf(picture, sizeof picture, "%s/picture.svg", folder);
    snprintf(script, sizeof script, "%s/picture.gp", folder);
    make_example(&example);
    const int rc = cw_overlap_draw(&example.all, picture);
    assert_true(rc == 0 || rc == CW_EIO);
    assert_int_equal(cw_file_read(script, &text), 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!strstr(text.data, expected[i])) fail_msg("expected '%s' in %s", expected[i], text.data);
    cw_text_free(&text);
    unlink(picture);
    unlink(script);
    assert_int_equal(rmdir(folder), 0);
}

/* --- what is best ------------------------------------------------------------------------------------------------- */

static void test_tried(void **state)
{
    (void)state;
    struct cw_overlap_methods methods;
    assert_int_equal(cw_overlap_tuning_methods(&cw_collectives[CW_COLLECTIVE_BCAST], 0, &methods), 0);
    check_names(&methods, "native auto slices:1 split-tree:0 split-tree:1 ");
    assert_int_equal(cw_overlap_tuning_methods(&cw_collectives[CW_COLLECTIVE_BCAST], 1, &methods), 0);
    check_names(&methods, "native auto slices:1 split-tree:1 ");
    assert_int_equal(cw_overlap_tuning_methods(&cw_collectives[CW_COLLECTIVE_BCAST], 2, &methods), 0);
    check_names(&methods, "native auto slices:1 split-tree:0 ");
    assert_int_equal(cw_overlap_tuning_methods(&cw_collectives[CW_COLLECTIVE_ALLTOALL], 0, &methods), 0);
    check_names(&methods, "native auto slices:1 ");
}

/* One repetition a row, of native, auto, slices, and split trees of 0 and 1 steps: their totals. */
static void set_totals(struct cw_overlap_sample items[], double totals[][5], size_t n)
{
    for (size_t i = 0; i < 5 * n; i++) {
        const double total = totals[i / 5][i % 5];
        items[i] = (struct cw_overlap_sample){
            .most = {.pure = total / 2, .compute = total / 4, .total = total, .init = total / 8}};
    }
}

static void test_clear(void **state)
{
    (void)state;
    static const struct {
        double native, ours;
        size_t n; /* from which on it is clear; 0: never */
    } cases[] = {{1, 2.1, 1}, {2.1, 1, 1}, {1, 1.9, 2}, {1.9, 1, 2},
                 {1.4, 1, 3}, {1, 1.4, 3}, {1, 1.1, 0}, {1.1, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t n = 1; n <= 4; n++) {
            /* the least of each: whatever is in between is a disturbance */
            double totals[4][5] = {{9, 9, 9, 9, 9}, {9, 9, 9, 9, 9}, {9, 9, 9, 9, 9}, {9, 9, 9, 9, 9}};
            struct cw_overlap_sample items[20];
            set_totals(items, totals, 4);
            items[0].most.total = cases[i].native;
            items[4].most.total = cases[i].ours;
            const struct cw_overlap_samples samples = {items, n};
            assert_true(cw_overlap_is_clear(&samples, 5) == (cases[i].n > 0 && n >= cases[i].n));
            items[1].most.total = items[4].most.total;
            items[4].most.total = 9;
            assert_true(cw_overlap_is_clear(&samples, 5) == (cases[i].n > 0 && n >= cases[i].n));
        }
}

static struct cw_overlap_measurement measured(struct cw_overlap_sample items[], size_t n)
{
    return (struct cw_overlap_measurement){.methods = parsed("native,auto,slices:1,split-tree:0,split-tree:1"),
                                           .samples = {items, n}};
}

static unsigned beaten_with(double native, double slices, double tree0, double tree1)
{
    double totals[2][5] = {{9, 9, slices, tree0, tree1}, {native, 9, 9, 9, 9}};
    struct cw_overlap_sample items[10];
    set_totals(items, totals, 2);
    const struct cw_overlap_measurement item = measured(items, 2);
    return cw_overlap_beaten(&item);
}

static void test_beaten(void **state)
{
    (void)state;
    assert_int_equal(beaten_with(2, 2, 2.9, 3.1), 1 << 1);
    assert_int_equal(beaten_with(2, 9, 3.1, 2.9), 1 << 0);
    assert_int_equal(beaten_with(9, 2, 3.1, 3.1), 3);
    assert_int_equal(beaten_with(2.1, 2.1, 3.1, 2), 1 << 0);
    assert_int_equal(beaten_with(9, 3, 3, 3), 0);
    const struct cw_overlap_measurement nothing = measured(NULL, 0);
    assert_int_equal(cw_overlap_beaten(&nothing), 0);
}

/* Five repetitions whose totals are FACTOR times TOTALS: the second least counts, 1. */
static struct cw_overlap_measurement five(struct cw_overlap_sample items[25], const double totals[5])
{
    static const double factors[5] = {1, 3, 0.9, 2, 4};
    double rows[5][5];
    for (int i = 0; i < 25; i++) rows[i / 5][i % 5] = factors[i / 5] * totals[i % 5];
    set_totals(items, rows, 5);
    struct cw_overlap_measurement item = measured(items, 5);
    item.operation = &cw_collectives[CW_COLLECTIVE_BCAST];
    item.ranks = 6;
    item.cores = 2;
    return item;
}

/* The choice, and its row in a table. */
static struct cw_nbc_choice decided(uint64_t bytes, const double totals[5])
{
    struct cw_overlap_sample items[25];
    const struct cw_overlap_measurement item = five(items, totals);
    struct cw_overlap_tuned tuned;
    struct cw_result *result;
    char way[CW_NBC_SHARING_SIZE];
    struct cw_nbc_tuning *tuning = calloc(1, sizeof *tuning);
    assert_true(tuning && cw_result_new(&result) == 0 && cw_overlap_tuned_begin(result, &tuned) == 0);
    assert_int_equal(cw_overlap_tuned_add(&tuned, &item, bytes, 0.5, tuning), 0);
    assert_true(cw_result_check(result) == 0 && tuned.n == 1 && tuning->n == 1);
    const struct cw_nbc_choice choice = tuning->items[0];
    assert_true(choice.collective == CW_COLLECTIVE_BCAST && choice.ranks == 6 && choice.cores == 2);
    assert_true(choice.bytes == bytes && choice.blocking == 0.5);
    assert_true(choice.native_total == totals[0] && choice.workers == totals[2] / 2);
    assert_true(choice.start == choice.total / 8);
    assert_string_equal(word(tuned.table, 0, "operation"), "bcast");
    assert_string_equal(word(tuned.table, 0, "choice"),
                        choice.native ? "native" : cw_nbc_sharing_format(&choice.sharing, way));
    const double expected[] = {6,           2, (double)bytes, choice.native_total, choice.total, 0.5, choice.workers,
                               choice.start};
    static const char *const names[] = {"ranks", "cores", "bytes", "native", "ours", "blocking", "workers", "start"};
    for (size_t i = 0; i < 8; i++) check_cell(tuned.table, 0, names[i], expected[i]);
    cw_result_free(result);
    free(tuning);
    return choice;
}

static void test_decisions(void **state)
{
    (void)state;
    static const uint64_t shorter = (32 << 10) - 1, longer = 32 << 10;
    /* another schedule only if it is clearly better than auto; among those the best */
    assert_int_equal(decided(longer, (double[]){20, 10, 9.6, 9.7, 9.8}).sharing.schedule, CW_NBC_AUTO);
    assert_true(decided(longer, (double[]){20, 10, 9.6, 9.7, 9.8}).total == 10);
    assert_int_equal(decided(longer, (double[]){20, 10, 9.4, 9.7, 9.8}).sharing.schedule, CW_NBC_SLICES);
    assert_true(decided(longer, (double[]){20, 10, 9.4, 9.3, 9.2}).sharing.steps == 1);
    assert_true(decided(longer, (double[]){20, 10, 9.4, 9.2, 9.3}).sharing.schedule == CW_NBC_SPLIT_TREE);
    assert_true(decided(longer, (double[]){20, 10, 9.4, 9.2, 9.3}).total == 9.2);
    /* long ones are ours unless native is clearly better, short ones native's unless ours is */
    assert_false(decided(longer, (double[]){9.6, 10, 10, 10, 10}).native);
    assert_true(decided(longer, (double[]){9.4, 10, 10, 10, 10}).native);
    assert_true(decided(shorter, (double[]){10, 9.6, 10, 10, 10}).native);
    assert_false(decided(shorter, (double[]){10, 9.4, 10, 10, 10}).native);
}

/* What is said after N choices, of which so many are native's and disturbed. */
static void check_said(size_t n, size_t native, size_t disturbed, size_t omitted, const char *expected)
{
    const struct cw_overlap_tuned tuned = {.n = n, .n_native = native, .n_disturbed = disturbed, .n_omitted = omitted};
    struct cw_result *result;
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&result), 0);
    cw_overlap_tuned_end(&tuned, 3, omitted > 0 ? 2 : 0, "here", result);
    assert_int_equal(cw_result_write(result, CW_FORMAT_TEXT, 0, &text), 0);
    for (char *c = text.data; *c; c++)
        if (*c == '\n') *c = ' ';
    if (!strstr(text.data, expected)) fail_msg("expected '%s' in %s", expected, text.data);
    cw_text_free(&text);
    cw_result_free(result);
}

static void test_said(void **state)
{
    (void)state;
    check_said(5, 4, 1, 0, "It took 3 s. Written to here. From there,");
    check_said(5, 5, 0, 0,
               "It took 3 s. MPI's own collectives are the fastest everywhere: the library leaves all to MPI. "
               "Written to here.");
    check_said(9, 0, 2, 0,
               "It took 3 s. Warning: in 2 of 9 measurements the computation alone took more than 1.5 times as "
               "long as it should");
    check_said(10, 0, 2, 0, "It took 3 s. Written");
    check_said(5, 4, 0, 1, "It took 3 s, of --time 2 s. 1 short collective was not measured for lack of time");
    check_said(5, 4, 0, 2, "2 short collectives were not measured");
}

/* The computation takes a quarter of native's total here. */
static void test_counted(void **state)
{
    (void)state;
    struct cw_overlap_sample items[25];
    struct cw_overlap_tuned tuned;
    struct cw_result *result;
    struct cw_nbc_tuning *tuning = calloc(1, sizeof *tuning);
    assert_true(tuning && cw_result_new(&result) == 0 && cw_overlap_tuned_begin(result, &tuned) == 0);
    for (uint64_t n = 1; n <= 4; n++) {
        const struct cw_overlap_measurement item = five(items, (double[]){n > 2 ? 8 : 12, 10, 10, 10, 10});
        assert_int_equal(cw_overlap_tuned_add(&tuned, &item, n << 20, n == 1 ? 1.9 : 2.1, tuning), 0);
    }
    assert_true(tuned.n == 4 && tuned.n_native == 2 && tuned.n_disturbed == 1 && tuning->n == 4);
    assert_int_equal(cw_table_rows(tuned.table), 4);
    cw_result_free(result);
    free(tuning);
}

static void test_least(void **state)
{
    (void)state;
    static const double times[] = {3, 1, 2, 1};
    assert_int_equal(cw_overlap_least(times, 1), 0);
    assert_int_equal(cw_overlap_least(times, 2), 1);
    assert_int_equal(cw_overlap_least(times + 2, 2), 1);
    assert_int_equal(cw_overlap_least(times, 4), 1); /* the first */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_least),     cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_methods), cmocka_unit_test(test_refused),   cmocka_unit_test(test_progress_threads),
        cmocka_unit_test(test_table),   cmocka_unit_test(test_sentences), cmocka_unit_test(test_ours_alone),
        cmocka_unit_test(test_file),    cmocka_unit_test(test_picture),   cmocka_unit_test(test_tried),
        cmocka_unit_test(test_clear),   cmocka_unit_test(test_beaten),    cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_said),    cmocka_unit_test(test_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
