/* What crosswind-mpi overlap calls, made up, for tests of what it measures and says. Ranks are those of ranks_test.h.
 */
#ifndef CW_TESTS_OVERLAP_TEST_H
#define CW_TESTS_OVERLAP_TEST_H

#include "program_of_ranks.h"

#include "base/interrupt.h"
#include "mpi/bench/bench_environment.h"
#include "mpi/nbc/nbc_internal.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/overlap/overlap_run.h"

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
    unsigned cores;    /* for communication */
    bool fewer;        /* one less each time that they are chosen */
    bool crowded;      /* ranks on one processor */
    double calibrates; /* s that finding the rate takes */
    double lasts;      /* s that a measurement takes */
    int fails_at, interrupts_at;
    double ours; /* by how much our methods take longer than MPI's, s */
    struct measured calls[CALLS], alone[CALLS];
    int n_calls, n_alone, n_renewed;
    unsigned works[CALLS]; /* ranks, as bits, by the number of times that cores were chosen */
    int avoided[RANKS], given[RANKS], reset[RANKS], found[RANKS]; /* how often */
    int prepared, freed_sites, environments;
    size_t totals, steps; /* of progress */
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
    test.environments++;
    return json_string("of a test");
}

struct cw_progress *__wrap_invocation_progress(const struct invocation *invocation, const char *label, size_t total);
void __wrap_cw_progress_step(struct cw_progress *progress, size_t steps);

struct cw_progress *__wrap_invocation_progress(const struct invocation *invocation, const char *label, size_t total)
{
    (void)invocation;
    (void)label;
    must_be(self == 0, "progress of two ranks");
    test.totals += total;
    return NULL;
}

void __wrap_cw_progress_step(struct cw_progress *progress, size_t steps)
{
    (void)progress;
    if (self == 0) test.steps += steps;
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
    pause_for(test.calibrates);
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
    nbc_job.cores.n = test.cores - (test.fewer ? (unsigned)test.n_renewed : 0);
    if (!nbc_job.active) nbc_job.cores.n = 7; /* of which nobody makes use */
    MPI_Barrier(MPI_COMM_WORLD);
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
    check_well(&ran);
    return ran;
}

static inline void check_fails(const char *line, int status, const char *part)
{
    struct ran ran = run_on_ranks(line);
    check_ended();
    for (int r = 0; r < job.n; r++) assert_int_equal(line_of_ranks.statuses[r], status);
    if (!strstr(ran.err, part)) fail_msg("'%s' says '%s' instead of '%s'", line, ran.err, part);
    ran_free(&ran);
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 + 1e-6 * expected) fail_msg("%g, expected %g", value, expected);
}

static int enter_own_folder(void **state)
{
    const int rc = enter_folder(state);
    if (!rc) setenv("XDG_CACHE_HOME", *state, 1);
    return rc;
}

#endif
