/* crosswind-mpi overlap: what it measures among which ranks, what it says and keeps of it, and what it refuses. */
#include "overlap_test.h"

#include "study/papers/split_tree_points.h"

/* --- emulating ---------------------------------------------------------------------------------------------------- */

static struct {
    struct cw_split_case about;
    int n, freed, rc, table_rc;
    const char *drawn;
} emulated;

int __wrap_cw_split_points_new(const struct cw_split_case *about, unsigned n_threads, struct cw_split_points *out);
void __wrap_cw_split_points_free(struct cw_split_points *points);
double __wrap_cw_split_emulation_apart(const struct cw_split_points *points);
int __wrap_cw_split_tree_executed_table(const struct cw_split_points *points, struct cw_table **out);
int __wrap_cw_split_tree_draw(const struct cw_split_points *points, enum cw_split_shown shown, const char *title,
                              const char *path);

int __wrap_cw_split_points_new(const struct cw_split_case *about, unsigned n_threads, struct cw_split_points *out)
{
    must_be(self == 0 && n_threads == 1, "others emulate");
    memset(out, 0, sizeof *out);
    emulated.about = *about;
    emulated.n++;
    return emulated.rc ? cw_fail(emulated.rc, "nothing is emulated") : 0;
}

void __wrap_cw_split_points_free(struct cw_split_points *points)
{
    (void)points;
    emulated.freed++;
}

double __wrap_cw_split_emulation_apart(const struct cw_split_points *points)
{
    (void)points;
    return 0.0876;
}

int __wrap_cw_split_tree_executed_table(const struct cw_split_points *points, struct cw_table **out)
{
    static const struct cw_column columns[] = {{"n", CW_COLUMN_INT, NULL, "a number"}};
    (void)points;
    if (emulated.table_rc) return cw_fail(emulated.table_rc, "no table");
    const int rc = cw_table_new("emulated", "Emulated", columns, 1, out);
    if (!rc) cw_table_int(*out, 17);
    return rc;
}

int __wrap_cw_split_tree_draw(const struct cw_split_points *points, enum cw_split_shown shown, const char *title,
                              const char *path)
{
    (void)points;
    must_be(shown == CW_SPLIT_OVERLAPPED && !title, "another picture");
    emulated.drawn = path;
    return 0;
}

/* What is kept beside runs.csv has TEXT. */
static void check_kept(const char *text)
{
    char *kept = content_of("runs.csv-metadata.json");
    if (!strstr(kept, text)) fail_msg("no %s in %s", text, kept);
    free(kept);
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

/* Each collective among each number of ranks; work that takes all of them as long as the best of MPI's own alone. */
static void each_is_measured_among_each_number(void **state)
{
    (void)state;
    begin(3, 2);
    test.fewer = true;
    struct ran ran =
        result_on("overlap --op bcast,alltoall --ranks 2,3 --bytes 4KiB --repetitions 4 --time 7s --methods "
                  "blocking,slices:0.5,k-nomial:2 --beside accelerator --save runs.csv");
    assert_int_equal(test.n_alone, 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(test.alone[i].operation, i ? "alltoall" : "bcast");
        assert_true(test.alone[i].ranks == 3 && test.alone[i].bytes == 4096 && test.alone[i].methods == 3);
    }
    assert_int_equal(test.n_calls, 4);
    for (int i = 0; i < 4; i++) {
        const struct measured *call = &test.calls[i];
        assert_string_equal(call->operation, i % 2 ? "alltoall" : "bcast");
        assert_int_equal(call->ranks, i < 2 ? 2 : 3);
        assert_int_equal(call->methods, i % 2 ? 2 : 3); /* it has no trees */
        assert_true(call->bytes == 4096 && call->repetitions == 4 && call->time == 7 && !call->tunes);
        assert_true(call->kind == CW_OVERLAP_ACCELERATOR && call->rate == RATE);
        assert_near(call->seconds, i < 2 ? 3e-3 : 2e-3);
    }
    assert_int_equal(test.n_renewed, 2);
    assert_true(test.works[0] == 3 && test.works[1] == 7);
    for (int r = 0; r < 3; r++)
        assert_true(test.avoided[r] == 2 && test.given[r] == 2 && test.reset[r] == 2 && test.found[r] == 1);
    assert_int_equal(test.prepared, 4);
    assert_int_equal(test.freed_sites, 3);
    assert_true(test.environments == 1 && test.totals == 4 && test.steps == 4);
    assert_int_equal(rows_of(&ran, "overlap"), 10);
    check_int(&ran, "overlap", 0, "ranks", 2);
    check_int(&ran, "overlap", 9, "ranks", 3);
    check_int(&ran, "overlap", 0, "cores", 2);
    check_int(&ran, "overlap", 9, "cores", 1);
    check_int(&ran, "overlap", 0, "bytes", 4096);
    check_text(&ran, "overlap", 0, "beside", "accelerator");
    check_real(&ran, "overlap", 9, "total", 2e-3 + 2e-3);
    check_kept("of a test");
    check_kept("bcast: 2 ms, as alone by native@all; alltoall: 2 ms, as alone by native@all");
    check_note(&ran, "Computation with all ranks: bcast: 2 ms, as alone by native@all; alltoall: ");
    check_note(&ran, "This is with all cores.");
    check_note(&ran,
               "At most 2 communication cores a host carried out the methods that are not MPI's. Ranks are bound to "
               "the other cores: ");
    assert_int_equal(notes_with(&ran, "share a core"), 0);
    check_note(&ran, "MPI made no progress in threads of its own.");
    ran_free(&ran);
}

static void the_user_says_how_long_to_compute(void **state)
{
    (void)state;
    begin(2, 2);
    test.crowded = true;
    nbc_job.cores.shared = true;
    setenv("MPICH_ASYNC_PROGRESS", "1", 1);
    struct ran ran = result_on("overlap --op gather --compute 5ms --repetitions 2 --cores 0,1 --save runs.csv");
    unsetenv("MPICH_ASYNC_PROGRESS");
    assert_int_equal(test.n_alone, 0);
    assert_int_equal(test.n_calls, 1);
    assert_near(test.calls[0].seconds, 5e-3);
    assert_near(test.calls[0].rate, RATE / 2);
    assert_true(test.calls[0].ranks == 2 && test.calls[0].bytes == 2 << 20 && test.calls[0].time == 20);
    assert_string_equal(test.named_cores, "0,1");
    check_kept("\"gather: 5 ms, as given\"");
    check_note(&ran, "2 ranks share a core: each has 1/2 of the work");
    check_note(&ran,
               "2 communication cores a host carried out the methods that are not MPI's. Ranks use these cores, too. "
               "Ranks are not bound: ");
    assert_int_equal(notes_with(&ran, "At most "), 0);
    check_note(&ran, "MPICH_ASYNC_PROGRESS is set: ");
    check_note(&ran, "There are more ranks than processors");
    ran_free(&ran);
}

/* Methods that need cores are left out, unless they alone were asked for. */
static void without_cores_mpi_is_measured(void **state)
{
    (void)state;
    begin(3, 0);
    struct ran ran = result_on("overlap --op bcast --repetitions 2 --compute 1ms");
    assert_int_equal(test.calls[0].methods, 5);
    assert_int_equal(test.avoided[0], 0);
    check_note(&ran, "No core is left for communication (--cores)");
    ran_free(&ran);
    begin(3, 0);
    ran = result_on("overlap --op bcast --repetitions 2 --compute 1ms --ranks 2,3 --methods native,auto");
    assert_int_equal(test.calls[1].methods, 1);
    ran_free(&ran);
    begin(3, 0);
    check_fails("overlap --op bcast --repetitions 2 --compute 1ms --methods native,auto", 2,
                "no core is left for communication: start fewer ranks, or name some with --cores");
    begin(3, 0);
    ran = result_on("overlap --op bcast --repetitions 2 --compute 1ms --methods native,blocking");
    assert_int_equal(test.n_renewed, 0);
    assert_int_equal(notes_with(&ran, "No core is left"), 0);
    ran_free(&ran);
}

static void one_collective_is_drawn(void **state)
{
    (void)state;
    begin(3, 1);
    struct ran ran = result_on("overlap --op bcast --repetitions 2 --compute 1ms --ranks 2,3 --plot p.svg");
    ran_free(&ran);
    assert_true(lines_of("p.svg") > 10);
}

static void it_says_what_library_and_file_do(void **state)
{
    (void)state;
    for (unsigned cores = 0; cores < 2; cores++)
        for (int longer = 0; longer < 2; longer++) {
            begin(2, cores);
            nbc_job.settings.least = 64;
            nbc_job.settings.tuning_state = CW_NBC_TUNING_USED;
            snprintf(nbc_job.settings.tuning.site.time, sizeof nbc_job.settings.tuning.site.time, "today");
            struct ran ran = result_on(longer ? "overlap --op bcast --repetitions 2 --compute 1ms --bytes 64"
                                              : "overlap --op bcast --repetitions 2 --compute 1ms --bytes 63");
            assert_int_equal(notes_with(&ran, "Messages are shorter than CROSSWIND_NBC_MIN, 64 bytes"),
                             cores && !longer);
            assert_int_equal(notes_with(&ran, "communication core a host"), cores && longer);
            assert_int_equal(notes_with(&ran, "Method auto is as it was measured here (--tuning, today)"), cores);
            ran_free(&ran);
        }
}

/* After each collective, so that nothing is lost. */
static void what_was_measured_is_kept(void **state)
{
    (void)state;
    begin(2, 1);
    test.fails_at = 2;
    struct ran ran =
        run_on_ranks("overlap --op bcast,reduce --repetitions 3 --compute 1ms --methods native,blocking --save "
                     "runs.csv");
    check_ended();
    assert_int_equal(ran.status, 1);
    assert_non_null(strstr(ran.err, "it is wrong"));
    assert_int_equal(lines_of("runs.csv"), 1 + 3 * 2);
    assert_int_equal(rows_of(&ran, "overlap"), 2);
    ran_free(&ran);
    begin(2, 1);
    test.interrupts_at = 1;
    ran = run_on_ranks("overlap --op bcast,reduce --repetitions 3 --compute 1ms --methods native");
    check_ended();
    assert_int_equal(ran.status, 1);
    assert_int_equal(test.n_calls, 1);
    assert_int_equal(rows_of(&ran, "overlap"), 1);
    ran_free(&ran);
    begin(2, 1);
    test.fails_at = -1;
    check_fails("overlap --op bcast,reduce --repetitions 3 --methods native", 1, "it is wrong alone");
    assert_int_equal(test.n_calls, 0);
}

/* --- before measuring --------------------------------------------------------------------------------------------- */

static void a_dry_run_says_what_would_be(void **state)
{
    (void)state;
    begin(5, 1);
    struct ran ran =
        result_on("overlap --op bcast,reduce --ranks 2..4:2 --bytes 4KiB --repetitions 3 --time 7s --dry-run");
    assert_true(test.n_calls == 0 && test.n_alone == 0);
    assert_int_equal(rows_of(&ran, "measurements"), 2);
    for (size_t i = 0; i < 2; i++) {
        check_int(&ran, "measurements", i, "ranks", i ? 4 : 2);
        check_int(&ran, "measurements", i, "idle", i ? 1 : 3);
        check_int(&ran, "measurements", i, "cores", 1);
        check_int(&ran, "measurements", i, "methods", 9);
    }
    check_note(&ran, "2 collectives of 4 KiB, up to 3 repetitions of all methods each.");
    check_note(&ran, "This takes at most little more than 28 s");
    ran_free(&ran);
    begin(5, 0);
    ran = result_on("overlap --op bcast --dry-run --time 0");
    check_int(&ran, "measurements", 0, "methods", 5);
    check_int(&ran, "measurements", 0, "idle", 0);
    check_note(&ran, "1 collective of 2 MiB, up to 100 repetitions");
    assert_int_equal(notes_with(&ran, "This takes"), 0);
    ran_free(&ran);
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const struct {
        const char *line, *part;
    } cases[] = {
        {"--op what", "what"},
        {"--op brcast", "unknown operation 'brcast'"},
        {"--op bcast,barrier", "--op: barrier is always left to MPI"},
        {"--op bcast,bcast,bcast,bcast,bcast,bcast,bcast,bcast,bcast,bcast,bcast,bcast", "--op: expected 9 at most"},
        {"--ranks 2,4", "--ranks: 4 are more than there are, 3"},
        {"--ranks 3,2", "--ranks: expected rising numbers"},
        {"--ranks 2,2", "--ranks: expected rising numbers"},
        {"--threads 1", "means nothing here: ranks measure, and draw nothing"},
        {"--seed 1", "means nothing here"},
        {"--methods what", "what"},
        {"--methods nativ", "'nativ' is not a method"},
        {"--op bcast,alltoall --methods split-tree:1", "--methods: alltoall has no tree"},
        {"--op alltoall,bcast --methods split-tree:1", "--methods: alltoall has no tree"},
        {"--op bcast,reduce --plot p.svg", "--plot: expected one --op to draw"},
        {"--compute 1ms --cores none", "rank 1 on host0: no such cores"},
        {"--emulate 8 --op bcast,reduce", "--emulate: expected one --op that has a tree: bcast, reduce"},
        {"--emulate 8 --op bcast --bytes 4", "is for measuring, not for --emulate"},
        {"--emulate 8 --op bcast --tuning", "is for measuring, not for --emulate"},
        {"--tuning --bytes 4", "means nothing with --tuning, which measures what it needs"},
        {"--tuning --dry-run", "means nothing with --tuning"},
        {"--tuning --ranks 4", "--ranks: 4 are more than there are, 3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256];
        begin(3, 1);
        snprintf(line, sizeof line, "overlap %s", cases[i].line);
        check_fails(line, 2, cases[i].part);
        assert_int_equal(test.n_calls + test.n_alone, 0);
    }
    begin(1, 1);
    check_fails("overlap", 2, "overlap needs two ranks, but there is one");
    begin(3, 1);
    job.hosts = (const int[]){0, 0, 1};
    check_fails("overlap --tuning", 2, "--tuning measures one host, but 1 of 3 ranks are on another");
}

/* Rank 0 emulates, beside model and simulation; a transfer of a vector takes longer than one of a block. */
static void emulation_is_what_was_asked_for(void **state)
{
    (void)state;
    for (int blocks = 0; blocks < 2; blocks++) {
        memset(&emulated, 0, sizeof emulated);
        begin(3, 1);
        struct ran ran =
            result_on(blocks ? "overlap --emulate 8 --op gather" : "overlap --emulate 8 --op reduce --plot p.svg");
        const struct cw_split_model *model = &emulated.about.model;
        assert_true(model->cores == 8 && model->ratio == 1);
        assert_int_equal(model->collective, blocks ? CW_COLLECTIVE_GATHER : CW_COLLECTIVE_REDUCE);
        assert_true(emulated.about.simulated && emulated.about.chunks == 1);
        assert_near(emulated.about.unit, blocks ? 2e-3 : 10e-3);
        check_int(&ran, "emulated", 0, "n", 17);
        check_note(&ran, blocks
                             ? "hold a core for 2 ms instead of moving data. It differs from the simulation by 8.8 %"
                             : "hold a core for 10 ms instead of moving data. It differs from the simulation by 8.8 %");
        assert_true((emulated.drawn != NULL) == !blocks);
        assert_true(emulated.n == 1 && emulated.freed == 1 && test.n_calls == 0);
        ran_free(&ran);
    }
    begin(2, 1);
    emulated.rc = CW_ELIMIT;
    check_fails("overlap --emulate 8 --op reduce", 1, "rank 0 on host0: nothing is emulated");
    memset(&emulated, 0, sizeof emulated);
    begin(2, 1);
    emulated.table_rc = CW_ELIMIT;
    check_fails("overlap --emulate 8 --op reduce --plot p.svg", 1, "rank 0 on host0: no table");
    assert_true(!emulated.drawn && emulated.freed == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_measured_among_each_number), cmocka_unit_test(the_user_says_how_long_to_compute),
        cmocka_unit_test(without_cores_mpi_is_measured),      cmocka_unit_test(one_collective_is_drawn),
        cmocka_unit_test(it_says_what_library_and_file_do),   cmocka_unit_test(what_was_measured_is_kept),
        cmocka_unit_test(a_dry_run_says_what_would_be),       cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(emulation_is_what_was_asked_for),
    };
    return cmocka_run_group_tests(tests, enter_own_folder, leave_folder);
}
