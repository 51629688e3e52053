/* Parts of `reproduce`: which figures are wanted, claims that are told, tables of planted points, and the worked
 * example added up. */
#include "cli_test.h"

#include "cli/reproduce/claims.h"
#include "cli/reproduce/figures.h"
#include "cli/reproduce/noise_drawings.h"
#include "cli/reproduce/optiq_table.h"
#include "topo/topology.h"

const struct verb *const verbs[] = {NULL};

/* --- which figures ------------------------------------------------------------------------------------------------ */

static void test_choose(void **state)
{
    (void)state;
    static const struct figure_name names[] = {{"3a", 0}, {"3b", 0}, {"13", 2}, {"table1", MAX_FIGURES - 1}, {NULL, 0}};
    bool wanted[MAX_FIGURES];
    assert_int_equal(figures_choose("all", names, wanted), 0);
    for (size_t i = 0; i < MAX_FIGURES; i++) assert_int_equal(wanted[i], i == 0 || i == 2 || i == MAX_FIGURES - 1);
    assert_int_equal(figures_choose("table1,3b", names, wanted), 0);
    for (size_t i = 0; i < MAX_FIGURES; i++) assert_int_equal(wanted[i], i == 0 || i == MAX_FIGURES - 1);
    assert_int_equal(figures_choose("13", names, wanted), 0);
    for (size_t i = 0; i < MAX_FIGURES; i++) assert_int_equal(wanted[i], i == 2);
    static const char *const wrong[] = {"", "13,", ",13", "13,,3a", "table", "all,13", "14"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(figures_choose(wrong[i], names, wanted), CW_EUSAGE);
        assert_non_null(strstr(cw_error_message(), "--figures: there is no figure '"));
    }
}

/* --- claims ------------------------------------------------------------------------------------------------------- */

static void add(struct claims *claims, const char *figure, enum cw_verdict verdict, const char *quantity)
{
    const struct cw_finding finding = {.figure = figure,
                                       .claim = "things are so",
                                       .quantity = quantity,
                                       .value = 1.5,
                                       .ci95 = (double)NAN,
                                       .verdict = verdict};
    assert_int_equal(cw_findings_add(&claims->findings, &finding, "it is %s", figure), 0);
}

/* Each finding once: a row and a sentence; the files have all that was told. */
static void test_claims(void **state)
{
    (void)state;
    static const char *const remarks[] = {"First remark.", "Second remark.", NULL};
    struct invocation invocation = {.common = {.seed = 5}};
    assert_int_equal(cw_result_new(&invocation.result), 0);
    struct claims claims = {
        .invocation = &invocation, .name = "paper", .directory = ".", .source = "A paper, 2015.", .remarks = remarks};
    assert_int_equal(claims_begin(&claims, 4), 0);
    assert_int_equal(cw_table_expected(claims.table), 4);
    add(&claims, "13", CW_HOLDS, "a ratio");
    add(&claims, "3a", CW_HOLDS_NOT, NULL);
    assert_int_equal(claims_tell(&claims), 0);
    assert_int_equal(cw_table_rows(claims.table), 2);
    assert_int_equal(lines_of("paper-claims.csv"), 3);
    add(&claims, "table 2", CW_HOLDS_IN_PART, NULL);
    add(&claims, "fairness", CW_NOT_TESTED, NULL);
    assert_int_equal(claims_tell(&claims), 0);
    assert_int_equal(cw_table_rows(claims.table), 4);
    assert_int_equal(claims.told, 4);
    assert_int_equal(lines_of("paper-claims.csv"), 5);
    struct cw_text json = {0};
    assert_int_equal(cw_result_write(invocation.result, CW_FORMAT_JSON, 0, &json), 0);
    struct ran ran = {.json = json_loads(json.data, 0, NULL)};
    static const char *const holds[] = {"yes", "no", "in part", "not tested"};
    static const char *const said[] = {"Figure 13, things are so. Holds: yes; it is 13.",
                                       "Figure 3a, things are so. Holds: no; it is 3a.",
                                       "Table 2, things are so. Holds: in part; it is table 2.",
                                       "Experiment fairness, things are so. Holds: not tested; it is fairness."};
    char *readme = content_of("paper-README.txt");
    const char *last = readme;
    assert_int_equal(strncmp(readme, "A paper, 2015. Simulated again by crosswind ", 44), 0);
    assert_non_null(strstr(readme, "crosswind reproduce paper, seed 5."));
    for (size_t i = 0; i < 4; i++) {
        char item[120];
        check_text(&ran, "claims", i, "holds", holds[i]);
        check_text(&ran, "claims", i, "quantity", i == 0 ? "a ratio" : NULL);
        check_real(&ran, "claims", i, "value", 1.5);
        check_real(&ran, "claims", i, "value_ci95", (double)NAN);
        check_note(&ran, said[i]);
        snprintf(item, sizeof item, "- %s\n", said[i]);
        last = strstr(last, item); /* in this order */
        assert_non_null(last);
    }
    assert_non_null(strstr(last, "\nRemarks\n\n- First remark.\n- Second remark.\n"));
    free(readme);
    json_decref(ran.json);
    cw_text_free(&json);
    claims_free(&claims);
    cw_result_free(invocation.result);
}

/* --- tables of points --------------------------------------------------------------------------------------------- */

/* The field behind N commas. */
static double field(const char *line, int n)
{
    while (n-- > 0) line = strchr(line, ',') + 1;
    return *line == ',' ? (double)NAN : strtod(line, NULL);
}

/* A row for each variant of each point that is done. */
static void test_points(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_result *result;
    assert_int_equal(cw_topology_build("crossbar:7", &net), 0);
    assert_int_equal(cw_result_new(&result), 0);
    struct cw_optiq_point items[4];
    for (size_t i = 0; i < 4; i++)
        items[i] =
            (struct cw_optiq_point){.figure = CW_OPTIQ_CHUNKS,
                                    .net = net,
                                    .pattern = "p",
                                    .method = i == 1 ? CW_OPTIQ_HEURISTIC : CW_OPTIQ_DEFAULT,
                                    .k = 5,
                                    .variants = {{.bytes = 100, .chunk = 10, .seconds = 2, .bytes_per_second = 3e9},
                                                 {.bytes = 200, .chunk = 20, .seconds = 4, .bytes_per_second = 6e9}},
                                    .n_variants = 2,
                                    .done = i != 2,
                                    .solved_by = "m",
                                    .pairs = 11,
                                    .distance = 3.5,
                                    .z = 0.5 * (double)(i + 1),
                                    .bound = 4,
                                    .hops_mean = 6,
                                    .search_seconds = 9};
    const struct cw_optiq_points points = {.items = items, .n = 4};
    assert_int_equal(optiq_points_csv(result, &points, 0, 3, "."), 0); /* not the last; the third is not done */
    char *content = content_of("optiq-fig5.csv"), *line = content;
    assert_int_equal(lines_of("optiq-fig5.csv"), 5);
    const char *heads = strstr(content, "network,nodes,pattern");
    int before = 0; /* columns of context */
    for (const char *c = content; c < heads; c++) before += *c == ',';
    for (size_t row = 0; row < 4; row++) {
        line = strchr(line, '\n') + 1;
        const double right[] = {7,
                                (double)NAN,
                                11,
                                3.5,
                                (double)NAN,
                                row / 2 ? 5 : (double)NAN,
                                (double)NAN,
                                row % 2 ? 200 : 100,
                                row % 2 ? 20 : 10,
                                row / 2 ? 1 : 0.5,
                                4,
                                6,
                                row % 2 ? 4 : 2,
                                row % 2 ? 6 : 3};
        for (int i = 0; i < (int)(sizeof right / sizeof *right); i++)
            if (!isnan(right[i])) assert_true(field(line, before + 1 + i) == right[i]);
        assert_int_equal(isnan(field(line, before + 6)), row < 2); /* k is of those that choose among paths */
    }
    free(content);
    cw_result_free(result);
    cw_network_free(net);
}

/* --- the worked example ------------------------------------------------------------------------------------------- */

/* Messages by level and rank, and what each channel carries at each level: the same messages, counted by channel, of
 * which each has the channels of a way in a tree of two levels. */
static void test_worked_example(void **state)
{
    (void)state;
    struct cw_worked_example *example;
    if (cw_plot_check() != 0) skip();
    assert_int_equal(cw_worked_example_run(NULL, &example), 0);
    assert_int_equal(noise_draw_worked_example(example, "."), 0);
    char *messages = content_of("noise-fig10.csv"), *line = messages;
    uint32_t hops[CW_WORKED_LEVELS] = {0}, longest = 0;
    assert_int_equal(lines_of("noise-fig10.csv"), CW_WORKED_RANKS);
    for (uint32_t i = 0; i < CW_WORKED_RANKS - 1; i++) {
        line = strchr(line, '\n') + 1;
        unsigned level, src, dst, from, to, clean, perturbed;
        char yes[8];
        assert_int_equal(
            sscanf(line, "%u,%u,%u,%u,%u,%u,%u,%7s", &level, &src, &dst, &from, &to, &clean, &perturbed, yes), 8);
        assert_true(dst == src + (1u << (level - 1)) && src < 1u << (level - 1)); /* a binomial tree */
        assert_true(clean >= 1 && perturbed >= clean);
        assert_int_equal(from, example->given.endpoints[src]);
        assert_int_equal(to, example->given.endpoints[dst]);
        hops[level - 1] += from / 4 == to / 4 ? 2 : 4; /* four hosts a leaf */
        longest += strcmp(yes, "yes") == 0;
    }
    assert_true(longest >= 1 && longest <= CW_WORKED_LEVELS);
    char *channels = content_of("noise-fig8-9.csv");
    line = channels;
    for (uint32_t i = 0; i < CW_WORKED_LEVELS * CW_WORKED_CHANNELS; i++) {
        unsigned level, own, others;
        line = strchr(line, '\n') + 1;
        assert_int_equal(sscanf(line, "%u,%*[^,],%u,%u", &level, &own, &others), 3);
        assert_int_equal(level, i / CW_WORKED_CHANNELS + 1);
        hops[level - 1] -= own;
    }
    for (uint32_t level = 0; level < CW_WORKED_LEVELS; level++) assert_int_equal(hops[level], 0);
    static const char *const drawings[] = {"noise-fig7.svg",        "noise-fig8-level1.svg", "noise-fig8-level3.svg",
                                           "noise-fig9-level1.svg", "noise-fig9-level3.svg", "noise-fig10.svg"};
    for (size_t i = 0; i < sizeof drawings / sizeof *drawings; i++) assert_int_equal(access(drawings[i], R_OK), 0);
    free(messages);
    free(channels);
    cw_worked_example_free(example);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choose),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_worked_example),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
