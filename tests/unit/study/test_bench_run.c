/* Runs of the noise benchmark in memory and in files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "bench_example.h"
#include "study/bench/bench_file.h"

static void must(int rc)
{
    if (rc) fail_msg("%s", cw_error_message());
}

static void must_fail(int rc, int code, const char *message)
{
    assert_int_equal(rc, code);
    assert_string_equal(cw_error_message(), message);
}

static const struct bench_plan small = {.n_ranks = 5,
                                        .n_splits = 3,
                                        .n_samples = 4,
                                        .ratio = 0.4,
                                        .clean = 1e-3,
                                        .slowdown = 2,
                                        .control = 1,
                                        .across = 0.1,
                                        .within = 0.1,
                                        .seed = 7};

static void example(struct cw_bench_run *run)
{
    struct bench_plan other = small;
    other.ratio = 1.0 / 3;
    bench_begin(&small, run);
    bench_add_case(&small, run);
    bench_add_case(&other, run);
    run->blocks[2].clock_error = (double)NAN;
    run->samples[1].status = CW_BENCH_LATE;
    run->samples[2].status = CW_BENCH_EXPIRED;
    run->samples[5].status = CW_BENCH_UNCOVERED;
}

static void assert_same(const struct cw_bench_run *a, const struct cw_bench_run *b)
{
    assert_int_equal(a->n_ranks, b->n_ranks);
    assert_int_equal(a->seed, b->seed);
    assert_int_equal(a->complete, b->complete);
    assert_true(json_equal(a->conditions, b->conditions) && json_equal(a->environment, b->environment));
    for (uint32_t r = 0; r < a->n_ranks; r++) assert_string_equal(a->hosts[r], b->hosts[r]);
    assert_int_equal(a->n_cases, b->n_cases);
    for (size_t c = 0; c < a->n_cases; c++) {
        assert_string_equal(a->cases[c].operation, b->cases[c].operation);
        assert_string_equal(a->cases[c].perturbation, b->cases[c].perturbation);
        assert_int_equal(a->cases[c].bytes, b->cases[c].bytes);
        assert_int_equal(a->cases[c].perturbation_bytes, b->cases[c].perturbation_bytes);
        assert_true(a->cases[c].ratio == b->cases[c].ratio);
    }
    assert_int_equal(a->n_splits, b->n_splits);
    for (size_t s = 0; s < a->n_splits; s++) assert_memory_equal(a->splits[s].roles, b->splits[s].roles, a->n_ranks);
    assert_int_equal(a->n_blocks, b->n_blocks);
    for (size_t i = 0; i < a->n_blocks; i++) {
        const struct cw_bench_block *x = &a->blocks[i], *y = &b->blocks[i];
        assert_true(x->case_index == y->case_index && x->split == y->split && x->state == y->state);
        assert_true(x->order == y->order && x->first_sample == y->first_sample && x->n_samples == y->n_samples);
        assert_true(x->goodput == y->goodput || (isnan(x->goodput) && isnan(y->goodput)));
        assert_true(x->clock_error == y->clock_error || (isnan(x->clock_error) && isnan(y->clock_error)));
    }
    assert_int_equal(a->n_samples, b->n_samples);
    for (size_t i = 0; i < a->n_samples; i++) {
        const struct cw_bench_sample *x = &a->samples[i], *y = &b->samples[i];
        assert_true(x->start == y->start && x->time == y->time && x->slowest == y->slowest && x->status == y->status);
    }
}

/* A folder for files, and in it the path of one. */
static const char *new_path(char path[64])
{
    strcpy(path, "/tmp/bench_run_XXXXXX");
    assert_non_null(mkdtemp(path));
    return strcat(path, "/run.csv");
}

static void remove_files(char *path)
{
    char beside[96];
    snprintf(beside, sizeof beside, "%s-metadata.json", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(beside), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
}

static void test_files(void **state)
{
    (void)state;
    char path[64];
    struct cw_bench_run run, again;
    struct cw_bench_writer *writer;
    example(&run);
    run.seed = UINT64_MAX;
    must(cw_bench_writer_open(new_path(path), &run, &writer));
    must(cw_bench_writer_close(writer));
    must(cw_bench_read(path, &again));
    assert_same(&run, &again);
    assert_string_equal(again.command, run.command);
    assert_string_equal(again.name, path);
    assert_non_null(again.version);
    cw_bench_run_free(&run);
    cw_bench_run_free(&again);
    remove_files(path);
}

/* After each block, and after half of a row, what is there can be read. */
static void test_killed(void **state)
{
    (void)state;
    char path[64];
    struct cw_bench_run all, run, again;
    struct cw_bench_writer *writer;
    example(&all);
    bench_begin(&small, &run);
    run.complete = false;
    must(cw_bench_writer_open(new_path(path), &run, &writer));
    for (size_t b = 0; b < all.n_blocks; b++) {
        struct cw_bench_block block = all.blocks[b];
        must(cw_bench_run_case(&run, &all.cases[block.case_index], &block.case_index));
        must(cw_bench_run_split(&run, all.splits[block.split].roles, &block.split));
        must(cw_bench_run_block(&run, &block, all.samples + block.first_sample, block.n_samples));
        must(cw_bench_writer_add(writer));
        must(cw_bench_read(path, &again));
        assert_same(&run, &again);
        cw_bench_run_free(&again);
    }
    FILE *file = fopen(path, "a");
    fputs("999,0,0.4,3,2,allred", file);
    fclose(file);
    must(cw_bench_read(path, &again));
    assert_same(&run, &again);
    assert_false(again.complete);
    cw_bench_run_free(&again);
    cw_bench_writer_close(writer);
    cw_bench_run_free(&run);
    cw_bench_run_free(&all);
    remove_files(path);
}

static void test_merge(void **state)
{
    (void)state;
    struct cw_bench_run a, b, all = {0};
    struct bench_plan plan = small;
    bench_begin(&plan, &a);
    bench_add_case(&plan, &a);
    plan.seed++;
    bench_begin(&plan, &b);
    bench_add_case(&plan, &b);
    must(cw_bench_run_merge(&all, &a));
    assert_same(&all, &a);
    must(cw_bench_run_merge(&all, &b));
    assert_int_equal(all.n_cases, 1);
    assert_int_equal(all.n_blocks, a.n_blocks + b.n_blocks);
    /* A split that both have is one. */
    const size_t n = all.n_splits;
    must(cw_bench_run_merge(&all, &a));
    assert_int_equal(all.n_splits, n);
    assert_memory_equal(all.splits[all.blocks[all.n_blocks - 1].split].roles,
                        a.splits[a.blocks[a.n_blocks - 1].split].roles, a.n_ranks);
    /* Whether all is complete. */
    b.complete = false;
    must(cw_bench_run_merge(&all, &b));
    assert_false(all.complete);
    cw_bench_run_free(&all);
    cw_bench_run_free(&a);
    cw_bench_run_free(&b);
}

static void test_merge_unlike(void **state)
{
    (void)state;
    struct cw_bench_run a, b;
    struct bench_plan plan = small;
    bench_begin(&plan, &a);
    bench_begin(&plan, &b);
    a.name = strdup("a.csv");
    b.name = strdup("b.csv");
    json_object_set_new(b.conditions, "wait", json_string("spin"));
    must_fail(cw_bench_run_merge(&a, &b), CW_EUSAGE,
              "b.csv was not measured like a.csv: its condition 'wait' is \"spin\", not \"sleep\"");
    json_object_del(b.conditions, "wait");
    must_fail(cw_bench_run_merge(&a, &b), CW_EUSAGE,
              "b.csv was not measured like a.csv: its condition 'wait' is missing, not \"sleep\"");
    must_fail(cw_bench_run_merge(&b, &a), CW_EUSAGE,
              "a.csv was not measured like b.csv: its condition 'wait' is \"sleep\", not missing");
    strcpy(b.hosts[3], "x3");
    must_fail(cw_bench_run_merge(&a, &b), CW_EUSAGE,
              "b.csv was not measured like a.csv: its rank 3 was on x3, not on h3");
    cw_bench_run_free(&b);
    plan.n_ranks = 4;
    bench_begin(&plan, &b);
    must_fail(cw_bench_run_merge(&a, &b), CW_EUSAGE, "this run was not measured like a.csv: it has 4 ranks, not 5");
    cw_bench_run_free(&a);
    cw_bench_run_free(&b);
}

static void test_refused(void **state)
{
    (void)state;
    struct cw_bench_run run;
    uint32_t index;
    bench_begin(&small, &run);
    struct cw_bench_case one = {"all reduce", 8, 0, "shift", 1, 0.5};
    must_fail(cw_bench_run_case(&run, &one, &index), CW_EUSAGE,
              "operation 'all reduce' is not a name of letters, digits, '_' and '-'");
    strcpy(one.operation, "bcast");
    one.ratio = 1.5;
    must_fail(cw_bench_run_case(&run, &one, &index), CW_EUSAGE, "a perturbation ratio of 1.5, expected 0 to 1");
    one.ratio = 1;
    must(cw_bench_run_case(&run, &one, &index));
    uint8_t roles[5] = {CW_BENCH_PERTURBING, 3};
    must_fail(cw_bench_run_split(&run, roles, &index), CW_EUSAGE, "rank 1 of a split has the unknown role 3");
    roles[1] = CW_BENCH_IDLE;
    must_fail(cw_bench_run_split(&run, roles, &index), CW_EUSAGE, "a split without ranks of the application");
    const struct cw_bench_block block = {.case_index = 0, .split = 0};
    must_fail(cw_bench_run_block(&run, &block, NULL, 0), CW_EUSAGE,
              "a block of case 0 on split 0, expected below 1 and 0");
    roles[1] = CW_BENCH_APPLICATION;
    must(cw_bench_run_split(&run, roles, &index));
    must(cw_bench_run_block(&run, &block, NULL, 0));
    const struct cw_bench_sample sample = {.time = 0};
    must_fail(cw_bench_run_block(&run, &block, &sample, 1), CW_EUSAGE, "a sample that took 0 s, expected more than 0");
    assert_int_equal(run.n_blocks, 1);
    cw_bench_run_free(&run);
}

/* The text with the first OLD replaced by NEW. */
static char *replaced(const struct cw_text *text, const char *old, const char *new)
{
    struct cw_text out = {0};
    const char *at = strstr(text->data, old);
    assert_non_null(at);
    cw_text_append(&out, text->data, (size_t)(at - text->data));
    cw_text_add(&out, new);
    cw_text_add(&out, at + strlen(old));
    return out.data;
}

static const struct fault {
    bool metadata;
    const char *old, *new, *message;
} faults[] = {
    {false, "block,", "blocks,",
     "r.csv:1: no samples of crosswind-mpi bench, expected the header "
     "block,split,ratio,application_ranks,perturbing_ranks,operation,bytes,root,perturbation,perturbation_bytes,state,"
     "order,goodput,clock_error,sample,start,time,slowest,status"},
    {false, "0,0,0.4,3,2,", "0,0,0.4,3,", "r.csv:2: no row of 19 values as the header says"},
    {false, "0,0,0.4,3,2,", "0,,0,0.4,3,2,", "r.csv:2: no row of 19 values as the header says"},
    {false, "0,0,0.4,3,2,", "x,0,0.4,3,2,",
     "r.csv:2: block is 'x', expected a whole number from 0 to 9223372036854775807"},
    {false, "0,0,0.4,3,2,", "0,6,0.4,3,2,", "r.csv:2: split is '6', expected a whole number from 0 to 3"},
    {false, "0,0,0.4,3,2,", "0,0,1.4,3,2,",
     "r.csv:2: operation, perturbation or ratio is impossible, expected names and a ratio from 0 to 1"},
    {false, "0,0,0.4,3,2,", "0,0,0.4,2,3,",
     "r.csv:2: split 0 has 2 ranks of the application and 3 that perturb, expected 3 and 2 as in the metadata"},
    {false, "\n1,0,", "\n0,0,", "r.csv:6: block is '0', expected one after the block before"},
    {false, ",clean,", ",cleaner,", "r.csv:2: state is 'cleaner', expected clean, perturbed or control"},
    {false, ",perturbed,1,100000000,", ",perturbed,1,-1,", "r.csv:6: goodput is '-1', expected 0 or more"},
    {false, ",0,0,", ",1,0,", "r.csv:2: sample is '1', expected the next one"},
    {false, ",ok\n", ",OK\n", "r.csv:2: status is 'OK', expected ok, late, expired or uncovered"},
    {false, ",clean,0,,1e-06,0,0,", ",clean,0,,1e-06,0,nan,", "r.csv:2: start is 'nan', expected a number"},
    {true, "crosswind-bench", "bench",
     "r.csv-metadata.json: no metadata of a run of crosswind-mpi bench, expected the property format "
     "\"crosswind-bench\""},
    {true, "\"schema:value\": 1\n", "\"schema:value\": 2\n",
     "r.csv-metadata.json: property 'version' of the run is missing or wrong, expected 1: this program knows no other"},
    {true, "\"hosts\"", "\"guests\"",
     "r.csv-metadata.json: property 'hosts' of the run is missing or wrong, expected a list of the names of hosts by "
     "rank"},
    {true, "\"h3\"", "3",
     "r.csv-metadata.json: property 'hosts' of the run is missing or wrong, expected a list of the names of hosts by "
     "rank"},
    {true, "\"h3\",", "", "r.csv-metadata.json: split 0 is not a text of 4 letters '-', 'a' or 'p', one a rank"},
    {true, "\"conditions\"", "\"condition\"",
     "r.csv-metadata.json: property 'conditions' of the run is missing or wrong, expected an object"},
    {true, "{", "", "r.csv-metadata.json:2: '[' or '{' expected near '\"@context\"', expected JSON"},
};

static void test_faults(void **state)
{
    (void)state;
    struct cw_bench_run run, again;
    struct cw_text csv = {0}, metadata = {0};
    example(&run);
    must(cw_bench_run_csv(&run, &csv));
    must(cw_bench_run_metadata(&run, "r.csv", &metadata));
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char *wrong = replaced(faults[i].metadata ? &metadata : &csv, faults[i].old, faults[i].new);
        const char *a = faults[i].metadata ? csv.data : wrong, *b = faults[i].metadata ? wrong : metadata.data;
        must_fail(cw_bench_parse("r.csv", a, strlen(a), b, strlen(b), &again), CW_EPARSE, faults[i].message);
        free(wrong);
    }
    /* The end of a complete run may lack its newline, but nothing else. */
    must(cw_bench_parse("r.csv", csv.data, csv.length - 1, metadata.data, metadata.length, &again));
    assert_same(&run, &again);
    cw_bench_run_free(&again);
    must_fail(cw_bench_parse("r.csv", csv.data, csv.length - 2, metadata.data, metadata.length, &again), CW_EPARSE,
              "r.csv:73: status is 'o', expected ok, late, expired or uncovered");
    cw_text_free(&csv);
    cw_text_free(&metadata);
    cw_bench_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),        cmocka_unit_test(test_killed),  cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_unlike), cmocka_unit_test(test_refused), cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
