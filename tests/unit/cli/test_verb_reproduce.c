/* The files of `reproduce`: what is computed for a figure stands in its table and in the curves of its script. What
 * draws pictures is replaced here by a program that draws nothing. */
#include "cli_test.h"
#include "curves.h"

#include "../study/paper_example.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "study/papers/noise_paper.h"
#include "study/papers/split_tree_points.h"
#include "topo/topology.h"

extern const struct verb verb_reproduce;
const struct verb *const verbs[] = {&verb_reproduce, NULL};

/* --- what is written ---------------------------------------------------------------------------------------------- */

/* Cuts the LINE of a CSV file, which may have quotes; where the next begins. */
static char *cut_line(char *line, char *fields[20], size_t *n)
{
    *n = 0;
    for (;;) {
        const char end = *line == '"' ? '"' : ',';
        line += end == '"';
        assert_true(*n < 20);
        fields[(*n)++] = line;
        line += strcspn(line, end == '"' ? "\"" : ",\n");
        if (*line == '"') *line++ = '\0';
        const char after = *line;
        *line++ = '\0';
        if (after != ',') return line;
    }
}

struct csv {
    char *content, *next;
    char *names[20], *fields[20];
    size_t n;
};

static struct csv open_csv(const char *path)
{
    struct csv csv = {.content = content_of(path)};
    csv.next = cut_line(csv.content, csv.names, &csv.n);
    return csv;
}

static void next_row(struct csv *csv)
{
    size_t n;
    assert_true(*csv->next);
    csv->next = cut_line(csv->next, csv->fields, &n);
    assert_int_equal(n, csv->n);
}

static const char *text_in(const struct csv *csv, const char *column)
{
    for (size_t i = 0; i < csv->n; i++)
        if (strcmp(csv->names[i], column) == 0) return csv->fields[i];
    fail_msg("there is no column %s", column);
    return NULL;
}

static void check_in(const struct csv *csv, const char *column, double expected)
{
    const char *text = text_in(csv, column);
    const double got = *text ? strtod(text, NULL) : (double)NAN;
    if (isnan(got) != isnan(expected) || fabs(got - expected) > 1e-9 * fabs(expected))
        fail_msg("%s is %s instead of %.10g", column, text, expected);
}

static void close_csv(struct csv *csv)
{
    assert_int_equal(*csv->next, '\0'); /* all rows were looked at */
    free(csv->content);
}

/* --- noise -------------------------------------------------------------------------------------------------------- */

#define TRIALS 10

/* The points of FIGURE, run again on FABRICS, are the rows of its table and the curves of its pictures. */
static void check_sweep(enum cw_noise_figure figure, const struct cw_paper_fabric *fabrics, size_t n_fabrics)
{
    char path[60];
    const struct cw_paper_setup setup = {
        .trials = TRIALS, .seed = 1, .n_threads = 1, .fabrics = fabrics, .n_fabrics = n_fabrics};
    struct cw_paper_run run = begin_run(&cw_paper_noise, &setup);
    const char *file = cw_paper_noise.figures[figure].file;
    const bool by_size = figure != CW_NOISE_FABRICS;
    assert_int_equal(cw_paper_noise.add(&run, figure), 0);
    compute_points(&run, 0, run.points.n);
    const struct cw_noise_point *items = run.points.items;
    snprintf(path, sizeof path, "out/%s.csv", file);
    struct csv csv = open_csv(path);
    snprintf(path, sizeof path, "out/%s.gp", file);
    char *script = content_of(path);
    snprintf(path, sizeof path, "out/%s-boxes.gp", file);
    char *boxes = content_of(path);
    for (size_t i = 0; i < run.points.n; i++) {
        const struct cw_noise_point *point = &items[i];
        const struct cw_summary *slowdown = &point->result.slowdown;
        const double x = by_size ? point->endpoints : point->ratio;
        size_t n, of_curve = 0;
        double low, high;
        next_row(&csv);
        assert_string_equal(text_in(&csv, "curve"), point->curve);
        assert_string_equal(text_in(&csv, "network"), point->network);
        check_in(&csv, "endpoints", point->endpoints);
        check_in(&csv, "ratio", point->ratio);
        check_in(&csv, "application", point->result.application);
        check_in(&csv, "trials", TRIALS);
        check_in(&csv, "slowdown_mean", slowdown->mean);
        check_in(&csv, "slowdown_ci95", slowdown->ci95);
        check_in(&csv, "slowdown_min", slowdown->min);
        check_in(&csv, "slowdown_q25", slowdown->q25);
        check_in(&csv, "slowdown_median", slowdown->median);
        check_in(&csv, "slowdown_q75", slowdown->q75);
        check_in(&csv, "slowdown_max", slowdown->max);
        check_in(&csv, "clean_mean", point->result.clean.mean);
        check_in(&csv, "clean_ci95", point->result.clean.ci95);
        check_in(&csv, "perturbed_mean", point->result.perturbed.mean);
        check_in(&csv, "perturbed_ci95", point->result.perturbed.ci95);
        check_point(script, point->curve, x, slowdown->mean);
        const char *line = point_of(script, "errors", point->curve, x, &n);
        assert_non_null(line);
        assert_int_equal(sscanf(line, "%*f %*f %lf %lf", &low, &high), 2);
        assert_true(fabs(high - low - 2 * slowdown->ci95) < 1e-8 && fabs(high + low - 2 * slowdown->mean) < 1e-8);
        for (size_t k = 0; k < run.points.n; k++) of_curve += strcmp(items[k].curve, point->curve) == 0;
        assert_int_equal(points_of(script, point->curve), of_curve);
        point_of(boxes, "boxes", point->curve, 0, &n);
        assert_int_equal(n, 12 * of_curve); /* an outline of eleven points and an empty line */
    }
    free(boxes);
    free(script);
    close_csv(&csv);
    end_run(&run);
}

static void test_sweeps(void **state)
{
    (void)state;
    struct ran ran = result_of("reproduce noise --figures 16,13 --trials 10 --directory out");
    assert_int_equal(rows_of(&ran, "claims"), 3); /* each once, those of 13 first */
    check_text(&ran, "claims", 0, "figure", "13");
    check_text(&ran, "claims", 1, "figure", "16");
    check_text(&ran, "claims", 2, "figure", "16");
    check_sweep(CW_NOISE_TREES, NULL, 0);
    check_sweep(CW_NOISE_CUBES, NULL, 0);
    assert_int_equal(lines_of("out/noise-claims.csv"), 4);
    assert_int_not_equal(access("out/noise-fig15.csv", F_OK), 0); /* not wanted */
    check_note(&ran, "Written to out: noise-README.txt with remarks and misprints");
    ran_free(&ran);
}

static void test_fabrics(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:2:6,6:1,3", "torus:5x4"}, *const files[] = {"a.json", "b.json"};
    struct cw_network *nets[2];
    struct cw_routes *routes[2];
    struct cw_selection *selections[2];
    struct cw_paper_fabric fabrics[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(cw_topology_build(specs[i], &nets[i]), 0);
        assert_int_equal(cw_network_write(nets[i], files[i]), 0);
        cw_network_free(nets[i]);
        assert_int_equal(cw_network_open(files[i], &nets[i]), 0);
        assert_int_equal(cw_engine_route(nets[i], cw_engine_default(nets[i]), 1, 1, &routes[i]), 0);
        assert_int_equal(cw_selection_new(nets[i], "hca", &selections[i]), 0);
        fabrics[i] = (struct cw_paper_fabric){files[i], routes[i], selections[i]};
    }
    struct ran ran = result_of("reproduce noise --figures 11 --fabrics a.json,b.json --trials 10 --directory out");
    assert_int_equal(rows_of(&ran, "claims"), 2);
    check_sweep(CW_NOISE_FABRICS, fabrics, 2);
    ran_free(&ran);
    for (size_t i = 0; i < 2; i++) {
        cw_selection_free(selections[i]);
        cw_routes_free(routes[i]);
        cw_network_free(nets[i]);
    }
    check_refused("reproduce noise --figures 11 --fabrics a.json,a.json", 2, "--fabrics names a.json twice");
    check_refused("reproduce noise --figures 11 --fabrics a.json,,b.json", 2, "--fabrics has an empty name");
    check_refused("reproduce noise --figures 11 --fabrics a.json:", 2, "--fabrics has an empty name");
    check_refused("reproduce noise --figures 13 --fabrics a.json", 2, "--fabrics is for figure 11");
    ran = result_of("reproduce noise --figures 11 --trials 10 --directory none"); /* no sample is beside a test */
    check_note(&ran, "The sample fabric is not beside the program, and --fabrics names none: there is no figure 11.");
    assert_int_equal(rows_of(&ran, "claims"), 0);
    ran_free(&ran);
}

static void check_networks(const char *path, const struct cw_published_network *printed)
{
    struct csv csv = open_csv(path);
    for (; printed->layout; printed++) {
        struct cw_network *net;
        assert_int_equal(cw_topology_build(printed->spec, &net), 0);
        const uint32_t switches = cw_network_switches(net), said = printed->switches;
        next_row(&csv);
        assert_string_equal(text_in(&csv, "layout"), printed->layout);
        assert_string_equal(text_in(&csv, "network"), printed->spec);
        check_in(&csv, "printed_endpoints", printed->endpoints);
        check_in(&csv, "endpoints", net->n_endpoints);
        check_in(&csv, "printed_switches", said > 0 ? said : (double)NAN);
        check_in(&csv, "switches", switches);
        assert_string_equal(text_in(&csv, "as_printed"),
                            printed->endpoints == net->n_endpoints && (said == 0 || said == switches) ? "yes" : "no");
        cw_network_free(net);
    }
    close_csv(&csv);
}

static void test_examples(void **state)
{
    (void)state;
    struct ran ran = result_of("reproduce noise --figures 1,9,table1,table2 --directory examples");
    assert_int_equal(rows_of(&ran, "claims"), 2 + 5 + 2);
    check_networks("examples/noise-table1.csv", cw_published_trees);
    check_networks("examples/noise-table2.csv", cw_published_cubes);
    static const char *const files[] = {"fig1.svg", "fig7.svg", "fig8-level3.svg", "fig9-level1.svg", "fig10.svg"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[60];
        snprintf(path, sizeof path, "examples/noise-%s", files[i]);
        assert_int_equal(access(path, F_OK), 0);
    }
    ran_free(&ran);
    check_refused("reproduce noise --emulate", 2, "--emulate is not for noise");
    check_refused("reproduce split-tree --trials 20", 2, "--trials is not for split-tree");
    check_refused("reproduce dragonfly-fig3 --fabrics a.json", 2, "--fabrics is not for dragonfly-fig3");
    check_refused("reproduce nose", 2, "there is no experiment 'nose'; did you mean 'noise'?");
    check_refused("reproduce noise --figures 2", 2, "--figures: there is no figure '2'");
}

/* --- split trees -------------------------------------------------------------------------------------------------- */

/* Every N and S, and a curve for each S up to the largest that is best anywhere and one more (five at most), from half
 * of the cores on. */
static void check_split_tree(const char *name, const struct cw_split_case *about, bool alone)
{
    char path[60], title[40];
    struct cw_split_points points;
    const struct cw_split_model *model = &about->model;
    uint32_t shown = 0;
    assert_int_equal(cw_split_points_new(about, 1, &points), 0);
    for (size_t i = 0; i < points.n; i++)
        if (points.items[i].best && points.items[i].steps + 2 > shown) shown = points.items[i].steps + 2;
    if (shown > 5) shown = 5;
    snprintf(path, sizeof path, "trees/%s.csv", name);
    struct csv csv = open_csv(path);
    snprintf(path, sizeof path, "trees/%s.gp", name);
    char *script = content_of(path);
    for (size_t i = 0; i < points.n; i++) {
        const struct cw_split_point *point = &points.items[i];
        const struct cw_split_times *times = &point->times;
        const struct cw_split_slices slices = cw_split_slices_of(model, point->n);
        next_row(&csv);
        check_in(&csv, "cores", model->cores);
        check_in(&csv, "application_cores", point->n);
        check_in(&csv, "steps", point->steps);
        check_in(&csv, "non_blocking", times->non_blocking);
        check_in(&csv, "overlapped", times->overlapped);
        if (about->simulated) check_in(&csv, "simulated", point->simulated);
        if (about->simulated) check_in(&csv, "simulated_overlapped", point->simulated_overlapped);
        if (point->n < model->cores / 2 || point->steps >= shown) continue;
        snprintf(title, sizeof title, "S = %u", point->steps);
        check_point(script, title, point->n, alone ? times->non_blocking : times->overlapped);
        snprintf(title, sizeof title, "S = %u, simulated", point->steps);
        if (about->simulated) check_point(script, title, point->n, point->simulated_overlapped);
        check_point(script, "blocking", point->n, times->blocking + (alone ? 0 : times->compute));
        check_point(script, "computation alone", point->n, times->compute);
        if (!alone) check_point(script, "slices", point->n, slices.overlapped);
    }
    snprintf(title, sizeof title, " title 'S = %u'", shown);
    assert_null(strstr(script, title));
    assert_int_equal(points_of(script, "S = 0"), model->cores - model->cores / 2);
    assert_int_equal(points_of(script, "blocking"), model->cores - model->cores / 2);
    snprintf(path, sizeof path, "set yrange [0:%.10g]\n", 3 * points.items[points.least].times.overlapped);
    assert_int_equal(strstr(script, path) != NULL, !alone);
    free(script);
    close_csv(&csv);
    cw_split_points_free(&points);
}

static void test_split_trees(void **state)
{
    (void)state;
    const struct cw_split_model bcast = {.cores = 64, .collective = CW_COLLECTIVE_BCAST, .ratio = 1},
                                scatter = {.cores = 64, .collective = CW_COLLECTIVE_SCATTER, .ratio = 1},
                                reduce = {.cores = 48, .collective = CW_COLLECTIVE_REDUCE, .ratio = 1};
    struct ran ran = result_of("reproduce split-tree --directory trees");
    check_split_tree("split-tree-fig2", &(struct cw_split_case){.model = bcast}, true);
    check_split_tree("split-tree-fig3", &(struct cw_split_case){.model = bcast}, false);
    check_split_tree("split-tree-fig4-left", &(struct cw_split_case){.model = scatter}, true);
    check_split_tree("split-tree-fig4-right", &(struct cw_split_case){.model = scatter}, false);
    check_split_tree("split-tree-fig5", &(struct cw_split_case){.model = bcast, .simulated = true, .chunks = 1}, false);
    check_split_tree("split-tree-fig6-right", &(struct cw_split_case){.model = reduce, .simulated = true, .chunks = 1},
                     false);
    static const char *const figures[] = {"2", "3", "3", "3", "4", "4", "5", "5", "5", "6", "6", "6", "6", "7"};
    assert_int_equal(rows_of(&ran, "claims"), sizeof figures / sizeof *figures);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) check_text(&ran, "claims", i, "figure", figures[i]);
    ran_free(&ran);
}

/* --- what was measured -------------------------------------------------------------------------------------------- */

/* A method takes so long, in units of a millisecond. */
static double taken(const char *method, int ranks, int repetition)
{
    return (strcmp(method, "auto") == 0 ? 1 : 2) * (6 - ranks) + 0.25 * repetition;
}

static void write_runs(const char *path, const char *mpi, int processors)
{
    static const char *const methods[] = {"native", "auto"};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("mpi,processors,operation,bytes,beside,ranks,cores,method,repetition,pure,compute,total,init,overlap_imb,"
          "overlap_osu\n",
          file);
    for (int ranks = 4; ranks >= 2; ranks--) /* not in the order of the curves */
        for (int r = 0; r < 3; r++)
            for (size_t m = 0; m < 2; m++)
                fprintf(file, "%s,%d,reduce,2097152,cpu,%d,%d,%s,%d,0.001,0.002,%g,1e-05,90,90\n", mpi, processors,
                        ranks, 4 - ranks, methods[m], r, 1e-3 * taken(methods[m], ranks, r));
    assert_int_equal(fclose(file), 0);
}

static void test_measured(void **state)
{
    (void)state;
    write_runs("one.csv", "Open MPI v4.1.4", 4);
    write_runs("two.csv", "MPICH 4.0.2", 4);
    write_runs("more.csv", "MPICH 4.0.2", 8);
    struct ran ran = result_of("reproduce split-tree --figures 7 --runs one.csv,two.csv,more.csv --directory seven");
    assert_int_equal(rows_of(&ran, "claims"), 3);
    ran_free(&ran);
    static const char *const panels[] = {"open-mpi-v4-1-4-4", "mpich-4-0-2-4", "mpich-4-0-2-8"};
    struct csv csv = open_csv("seven/split-tree-fig7.csv");
    for (size_t i = 0; i < 3; i++) {
        char path[120];
        snprintf(path, sizeof path, "seven/split-tree-fig7-reduce-2097152-cpu-%s-processors.gp", panels[i]);
        char *script = content_of(path);
        assert_non_null(strstr(script, "set xrange [1.5:4.5]\n")); /* ranks of all panels, and half a rank */
        assert_non_null(strstr(script, i == 0 ? "Figure 7, measured here: reduce of 2 MiB, Open MPI v4.1.4"
                                              : "Figure 7, measured here: reduce of 2 MiB, MPICH 4.0.2"));
        for (int k = 0; k < 6; k++) {
            next_row(&csv);
            const char *method = text_in(&csv, "method");
            const int ranks = atoi(text_in(&csv, "ranks"));
            assert_string_equal(method, k % 2 ? "auto" : "native");
            assert_int_equal(ranks, 4 - k / 2);
            assert_string_equal(text_in(&csv, "mpi"), i == 0 ? "Open MPI v4.1.4" : "MPICH 4.0.2");
            check_in(&csv, "processors", i == 2 ? 8 : 4);
            check_in(&csv, "bytes", 2097152);
            check_in(&csv, "cores", 4 - ranks);
            check_in(&csv, "repetitions", 3);
            check_in(&csv, "pure", 0.001);
            check_in(&csv, "compute", 0.002);
            check_in(&csv, "total", 1e-3 * taken(method, ranks, 1)); /* the median of three */
            check_point(script, method, ranks, taken(method, ranks, 1));
        }
        assert_int_equal(points_of(script, "auto"), 3);
        free(script);
    }
    close_csv(&csv);
    check_refused("reproduce split-tree --figures 7", 2, "figure 7 needs --runs FILE");
    check_refused("reproduce split-tree --figures 2 --runs one.csv", 2, "--runs is for figure 7");
}

/* ------------------------------------------------------------------------------------------------------------------ */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps),      cmocka_unit_test(test_fabrics),  cmocka_unit_test(test_examples),
        cmocka_unit_test(test_split_trees), cmocka_unit_test(test_measured),
    };
    return cmocka_run_group_tests(tests, enter_without_gnuplot, leave_folder);
}
