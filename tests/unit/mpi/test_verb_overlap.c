/* crosswind-mpi overlap: what it measures among which ranks, and what it says and keeps of it. Ranks are those of
 * ranks_test.h; what is measured is made up, and so are communication cores. */
#include "program_of_ranks.h"

#include "base/interrupt.h"
#include "mpi/bench/bench_environment.h"
#include "mpi/nbc/nbc_internal.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/overlap/overlap_run.h"
#include "nbc/nbc_tuning.h"

extern const struct verb verb_overlap;
const struct verb *const verbs[] = {&verb_overlap, NULL};

struct nbc_job nbc_job;

enum { CALLS = 300 };

#define RATE 1e9

/* What rank 0 has measured. */
struct measured {
    const char *operation;
    size_t bytes, repetitions, methods;
    int ranks;
    enum cw_overlap_kind kind;
    double seconds, rate, time;
    bool tunes;
};

static struct {
    unsigned cores; /* for communication */
    bool crowded;   /* ranks on one processor */
    double lasts;   /* s that a measurement takes */
    int fails_at, interrupts_at;
    double ours; /* by how much our methods take longer than MPI's, s */
    struct measured calls[CALLS], alone[CALLS];
    int n_calls, n_alone, n_renewed;
    unsigned works[CALLS]; /* ranks, as bits, by the number of times that cores were chosen */
    int avoided[RANKS], given[RANKS], reset[RANKS], found[RANKS]; /* how often */
    int prepared, freed_sites;
    char named_cores[64];
    bool right_environment;
} test;

/* --- what the verb calls ------------------------------------------------------------------------------------------ */

int bench_sites_find(struct ranks *ranks, const char *leaves, struct bench_sites *out)
{
    must_be(!leaves && ranks->program.n > 0, "leaves");
    *out = (struct bench_sites){.oversubscribed = test.crowded};
    return 0;
}

void bench_sites_free(struct bench_sites *sites)
{
    (void)sites;
    test.freed_sites++;
}

json_t *bench_environment(const struct bench_sites *sites)
{
    (void)sites;
    return json_string("of a test");
}

/* Ranks have a core each, or all the same. */
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    (void)process;
    CPU_ZERO_S(size, set);
    CPU_SET_S(test.crowded || self < 0 ? 3 : (size_t)self, size, set);
    return 0;
}

double overlap_calibrate(MPI_Comm comm)
{
    must_be(comm == MPI_COMM_WORLD, "some ranks");
    return RATE;
}

void overlap_places_find(struct overlap_places *places)
{
    CPU_ZERO(&places->all);
    places->own = places->all;
    test.found[self]++;
}

void overlap_places_reset(struct overlap_places *places)
{
    (void)places;
    test.reset[self]++;
}

void overlap_places_avoid(struct overlap_places *places, const cpu_set_t *cores)
{
    must_be(CPU_EQUAL(cores, &nbc_job.cores.set), "other cores");
    CPU_SET(1, &places->own);
    test.avoided[self]++;
}

int overlap_places_avoid_given(struct overlap_places *places)
{
    (void)places;
    test.given[self]++;
    const char *cores = getenv("CROSSWIND_NBC_CORES");
    snprintf(test.named_cores, sizeof test.named_cores, "%s", cores ? cores : "");
    return cores && strcmp(cores, "none") == 0 && self == 1 ? cw_fail(CW_EUSAGE, "no such cores") : 0;
}

int nbc_job_renew(bool works)
{
    const char *tuning = getenv("CROSSWIND_NBC_TUNING"), *least = getenv("CROSSWIND_NBC_MIN");
    if (works) test.works[test.n_renewed] |= 1u << self;
    MPI_Barrier(MPI_COMM_WORLD);
    nbc_job.active = test.cores > 0;
    nbc_job.cores.n = test.cores;
    test.right_environment =
        tuning && strcmp(tuning, "off") == 0 && least && strcmp(least, "1B") == 0 && !getenv("CROSSWIND_NBC_SCHEDULE");
    if (self == 0) test.n_renewed++;
    return 0;
}

int cw_nbc_comm_prepare(MPI_Comm comm)
{
    must_be(comm != MPI_COMM_NULL, "no ranks");
    test.prepared += self == 0;
    return 0;
}

static struct measured measured_of(const struct overlap_setup *setup)
{
    struct measured out = {.operation = setup->operation->name,
                           .bytes = setup->bytes,
                           .repetitions = setup->repetitions,
                           .methods = setup->methods->n,
                           .kind = setup->kind,
                           .seconds = setup->seconds,
                           .rate = setup->rate,
                           .time = setup->time,
                           .tunes = setup->enough == cw_overlap_is_clear};
    MPI_Comm_size(setup->comm, &out.ranks);
    return out;
}

/* Method number m alone takes m + 1 ms, beside a computation all of both; ours take longer by so much. */
int overlap_run(const struct overlap_setup *setup, struct cw_overlap_samples *out)
{
    const struct cw_overlap_methods *methods = setup->methods;
    const int number = test.n_calls + 1;
    MPI_Barrier(setup->comm);
    if (self == 0) test.calls[test.n_calls++] = measured_of(setup);
    pause_for(test.lasts);
    MPI_Barrier(setup->comm);
    if (number == test.fails_at) return cw_fail(CW_EINTERNAL, "it is wrong");
    if (number == test.interrupts_at && self == 0) cw_interrupt();
    *out = (struct cw_overlap_samples){.items = calloc(setup->repetitions * methods->n, sizeof *out->items),
                                       .n = setup->repetitions};
    for (size_t i = 0; i < out->n * methods->n; i++) {
        const double own =
            1e-3 * (double)(i % methods->n + 1) + (methods->items[i % methods->n].of_mpi ? 0 : test.ours);
        out->items[i] = (struct cw_overlap_sample){
            .most = {.pure = own, .compute = setup->seconds, .total = own + setup->seconds, .within = setup->seconds}};
    }
    return 0;
}

/* The second of several methods takes the least, 2 ms. */
int overlap_alone(const struct overlap_setup *setup, double seconds[])
{
    MPI_Barrier(setup->comm);
    if (self == 0) test.alone[test.n_alone++] = measured_of(setup);
    for (size_t m = 0; m < setup->methods->n; m++) seconds[m] = m == 1 ? 2e-3 : 3e-3;
    return test.fails_at == -1 ? cw_fail(CW_EINTERNAL, "it is wrong alone") : 0;
}

/* --- ranks -------------------------------------------------------------------------------------------------------- */

static void begin(int n, unsigned cores)
{
    memset(&test, 0, sizeof test);
    memset(&nbc_job, 0, sizeof nbc_job);
    set_up(n);
    job.nap = job.poll = 1e-3;
    test.cores = cores;
    unsetenv("CROSSWIND_NBC_CORES");
    unsetenv("CROSSWIND_NBC_TUNING");
    unsetenv("CROSSWIND_NBC_MIN");
    setenv("CROSSWIND_NBC_SCHEDULE", "auto", 1);
    cw_interrupt_clear();
}

static void check_ended(void)
{
    cw_interrupt_clear();
    for (int r = 0; r < job.n; r++) assert_int_equal(open_comms(r), 0);
    assert_int_equal(tear_down(), 0);
}

/* It must succeed. */
static struct ran result_on(const char *line)
{
    struct ran ran = run_on_ranks(line);
    check_ended();
    for (int r = 0; r < job.n; r++)
        if (line_of_ranks.statuses[r] != 0) fail_msg("'%s' gives %d: %s", line, line_of_ranks.statuses[r], ran.err);
    return ran;
}

static void check_fails(const char *line, int status, const char *part)
{
    struct ran ran = run_on_ranks(line);
    check_ended();
    for (int r = 0; r < job.n; r++) assert_int_equal(line_of_ranks.statuses[r], status);
    if (!strstr(ran.err, part)) fail_msg("'%s' says '%s' instead of '%s'", line, ran.err, part);
    ran_free(&ran);
}

/* What is kept beside runs.csv has TEXT. */
static void check_kept(const char *text)
{
    char *kept = content_of("runs.csv-metadata.json");
    if (!strstr(kept, text)) fail_msg("no %s in %s", text, kept);
    free(kept);
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 + 1e-6 * expected) fail_msg("%g, expected %g", value, expected);
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

/* Each collective among each number of ranks; work that takes all of them as long as the best of MPI's own alone. */
static void each_is_measured_among_each_number(void **state)
{
    (void)state;
    begin(3, 1);
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
    for (int r = 0; r < 3; r++) assert_true(test.avoided[r] == 2 && test.given[r] == 2 && test.reset[r] == 2);
    assert_int_equal(test.prepared, 4);
    assert_int_equal(test.freed_sites, 3);
    assert_int_equal(rows_of(&ran, "overlap"), 10);
    check_int(&ran, "overlap", 0, "ranks", 2);
    check_int(&ran, "overlap", 9, "ranks", 3);
    check_int(&ran, "overlap", 0, "cores", 1);
    check_int(&ran, "overlap", 0, "bytes", 4096);
    check_text(&ran, "overlap", 0, "beside", "accelerator");
    check_real(&ran, "overlap", 9, "total", 2e-3 + 2e-3);
    check_kept("of a test");
    check_kept("bcast: 2 ms, as alone by native@all; alltoall: 2 ms, as alone by native@all");
    check_note(&ran, "Computation with all ranks: bcast: 2 ms, as alone by native@all; alltoall: ");
    check_note(&ran, "This is with all cores.");
    check_note(&ran,
               "At most 1 communication core a host carried out the methods that are not MPI's. Ranks are bound to "
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
        {"--op bcast,barrier", "--op: barrier is always left to MPI"},
        {"--op bcast,bcast,bcast,bcast,bcast,bcast,bcast,bcast,bcast,bcast,bcast,bcast", "--op: expected 9 at most"},
        {"--ranks 2,4", "--ranks: 4 are more than there are, 3"},
        {"--ranks 3,2", "--ranks: expected rising numbers"},
        {"--ranks 2,2", "--ranks: expected rising numbers"},
        {"--threads 1", "means nothing here: ranks measure, and draw nothing"},
        {"--seed 1", "means nothing here"},
        {"--methods what", "what"},
        {"--op bcast,alltoall --methods split-tree:1", "--methods: alltoall has no tree"},
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

/* --- tuning ------------------------------------------------------------------------------------------------------- */

static struct cw_nbc_tuning read_tuning(void)
{
    struct cw_nbc_tuning *tuning = calloc(1, sizeof *tuning);
    struct cw_text path = {0};
    assert_int_equal(cw_nbc_tuning_path("openmpi", &path), 0);
    if (cw_nbc_tuning_read(path.data, tuning)) fail_msg("%s", cw_error_message());
    const struct cw_nbc_tuning out = *tuning;
    free(tuning);
    cw_text_free(&path);
    return out;
}

static void write_tuning(const char *content)
{
    struct cw_text path = {0};
    assert_int_equal(cw_nbc_tuning_path("openmpi", &path), 0);
    write_text(path.data, content);
    cw_text_free(&path);
}

/* The largest messages of all collectives come first; their blocking ones say how long ranks compute. What is kept of
 * other collectives stays. */
static void all_is_tuned(void **state)
{
    static const char *const carried[] = {"bcast", "reduce", "allreduce", "scatter", "gather", "allgather", "alltoall"};
    static const size_t sizes[] = {2 << 20, 256 << 10, 32 << 10, 8 << 10};
    (void)state;
    begin(3, 1);
    test.lasts = 0.05;
    struct ran ran = result_on("overlap --tuning --time 0");
    assert_true(test.right_environment);
    assert_int_equal(test.n_calls, 28);
    assert_int_equal(test.n_alone, 28);
    for (int i = 0; i < 28; i++) {
        const struct measured *call = &test.calls[i];
        assert_string_equal(call->operation, carried[i % 7]);
        assert_int_equal(call->bytes, sizes[i / 7]);
        assert_true(call->ranks == 3 && call->repetitions == 25 && call->tunes && call->time == 0);
        assert_near(call->seconds, 3e-3); /* of a blocking one alone */
        assert_int_equal(test.alone[i].methods, 1);
    }
    assert_int_equal(rows_of(&ran, "tuning"), 28);
    check_int(&ran, "tuning", 0, "cores", 1);
    check_int(&ran, "tuning", 0, "ranks", 3);
    assert_int_equal(notes_with(&ran, "for lack of time"), 0);
    ran_free(&ran);
    const struct cw_nbc_tuning first = read_tuning();
    assert_int_equal(first.n, 28);

    begin(2, 1);
    ran = result_on("overlap --tuning --op bcast,gather --repetitions 3");
    ran_free(&ran);
    assert_int_equal(test.n_calls, 8);
    assert_int_equal(test.calls[0].repetitions, 3);
    assert_int_equal(read_tuning().n, 28 + 8);

    write_tuning("what is this\n");
    begin(2, 1);
    ran = result_on("overlap --tuning --op bcast");
    ran_free(&ran);
    assert_int_equal(read_tuning().n, 4);
}

/* Each point has its share of what is left of 5 s, and none begins after them. */
static void tuning_ends_in_time(void **state)
{
    (void)state;
    begin(3, 1);
    test.lasts = 1;
    struct ran ran = result_on("overlap --tuning --ranks 2,3 --op bcast,reduce");
    assert_int_equal(test.n_calls, 5);
    for (int i = 0; i < 5; i++) assert_true(fabs(test.calls[i].time * (16 - i) - (5 - i)) < 0.5);
    check_note(&ran, "11 short collectives were not measured for lack of time");
    ran_free(&ran);
    begin(3, 1);
    test.lasts = 1;
    ran = result_on("overlap --tuning --op bcast --time 0.5s"); /* the first is measured in any case */
    assert_int_equal(test.n_calls, 1);
    check_note(&ran, "3 short collectives were not measured for lack of time");
    ran_free(&ran);
}

/* Parts of all ranks have 16 MiB, and where no core is to spare nothing is measured. */
static void tuning_leaves_out_what_has_no_room(void **state)
{
    (void)state;
    for (int n = 8; n < 10; n++) {
        begin(n, 1);
        struct ran ran = result_on("overlap --tuning --op bcast,scatter,gather,alltoall --time 0");
        assert_int_equal(test.n_calls, n == 8 ? 16 : 13);
        assert_int_equal(notes_with(&ran, "for lack of time"), 0);
        ran_free(&ran);
    }
    begin(3, 0);
    struct ran ran = result_on("overlap --tuning --ranks 2,3");
    check_note(&ran, "2 ranks leave no core to spare");
    check_note(&ran, "3 ranks leave no core to spare");
    assert_int_equal(test.n_calls, 0);
    ran_free(&ran);
}

/* A tree that takes much longer is not tried for smaller messages; another number of ranks begins anew. */
static void trees_that_are_beaten_are_left_out(void **state)
{
    (void)state;
    begin(3, 1);
    test.ours = 1;
    struct ran ran = result_on("overlap --tuning --ranks 2,3 --op bcast --time 0");
    for (int i = 0; i < 8; i++)
        assert_true(i % 4 ? test.calls[i].methods <= test.calls[0].methods
                          : test.calls[i].methods == test.calls[0].methods);
    check_note(&ran, "MPI's own collectives are the fastest everywhere");
    ran_free(&ran);
}

static void what_fails_ends_tuning(void **state)
{
    (void)state;
    begin(2, 1);
    test.fails_at = 3;
    struct ran ran = run_on_ranks("overlap --tuning --op bcast,reduce");
    check_ended();
    assert_int_equal(ran.status, 1);
    assert_non_null(strstr(ran.err, "it is wrong"));
    assert_int_equal(test.n_calls, 3);
    assert_int_equal(rows_of(&ran, "tuning"), 2);
    ran_free(&ran);
    begin(2, 1);
    test.interrupts_at = 2;
    ran = run_on_ranks("overlap --tuning --op bcast,reduce");
    check_ended();
    assert_int_equal(test.n_calls, 2);
    ran_free(&ran);
}

static int enter_own_folder(void **state)
{
    const int rc = enter_folder(state);
    if (!rc) setenv("XDG_CACHE_HOME", *state, 1);
    return rc;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_measured_among_each_number),
        cmocka_unit_test(the_user_says_how_long_to_compute),
        cmocka_unit_test(without_cores_mpi_is_measured),
        cmocka_unit_test(it_says_what_library_and_file_do),
        cmocka_unit_test(what_was_measured_is_kept),
        cmocka_unit_test(a_dry_run_says_what_would_be),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(all_is_tuned),
        cmocka_unit_test(tuning_ends_in_time),
        cmocka_unit_test(tuning_leaves_out_what_has_no_room),
        cmocka_unit_test(trees_that_are_beaten_are_left_out),
        cmocka_unit_test(what_fails_ends_tuning),
    };
    return cmocka_run_group_tests(tests, enter_own_folder, leave_folder);
}
