/* Which cores are whose (mpi/host_cores.h), and how ranks wait where they have none of their own (mpi/wait_mode.h). The
 * ranks are those of ranks_test.h; where they run is made up. */
#include "ranks_test.h"

#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>

#include "mpi/host_cores.h"
#include "mpi/wait_mode.h"

/* Of ranks: first to last core, 0 to -1 for what no cpu_set_t holds; the name of the kernel. */
static struct {
    int first[RANKS], last[RANKS];
    const char *kernels[RANKS]; /* NULL: /proc does not say */
    unsigned cores[RANKS];
    double sharing[RANKS];
    enum cw_wait_mode mode[RANKS];
    char identities[RANKS][KERNEL_IDENTITY];
} test;

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    const int rank = self < 0 ? 0 : self;
    must_be(process == 0, "cores of another process");
    memset(set, test.last[rank] < 0 ? 0xff : 0, size);
    for (int core = test.first[rank]; core <= test.last[rank]; core++) CPU_SET_S((size_t)core, size, set);
    return test.last[rank] < 0 ? -1 : 0;
}

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*opening)(const char *path, const char *mode) = NULL;
    *(void **)&opening = dlsym(RTLD_NEXT, "fopen");
    if (self < 0) return opening(path, mode); /* a sanitizer's */
    must_be(strcmp(path, "/proc/sys/kernel/random/boot_id") == 0, "another file");
    if (!test.kernels[self]) return NULL;
    const int file = memfd_create("boot_id", 0);
    const ssize_t written = write(file, test.kernels[self], strlen(test.kernels[self]));
    lseek(file, 0, SEEK_SET);
    return written < 0 ? NULL : fdopen(file, mode);
}

static void begin(int n)
{
    memset(&test, 0, sizeof test);
    set_up(n);
    for (int r = 0; r < n; r++) test.kernels[r] = "a-kernel";
}

static void rank_on(int rank, int first, int last)
{
    test.first[rank] = first;
    test.last[rank] = last;
}

/* What has not been set is not 0. */
static void scribble(void)
{
    volatile unsigned char stack[1 << 15];
    for (size_t i = 0; i < sizeof stack; i++) stack[i] = 0xff;
}

static void look(int rank)
{
    scribble();
    memset(test.identities[rank], 'x', KERNEL_IDENTITY);
    test.cores[rank] = host_cores(MPI_COMM_WORLD);
    test.sharing[rank] = host_sharing(MPI_COMM_WORLD);
    test.mode[rank] = cw_wait_choose(MPI_COMM_WORLD);
    kernel_identity(test.identities[rank]);
}

static void look_around(void)
{
    const int free_file = dup(0);
    close(free_file);
    run_ranks(look);
    const int still_free = dup(0);
    close(still_free);
    assert_int_equal(free_file, still_free);
    for (int r = 0; r < job.n; r++) assert_int_equal(open_comms(r), 0);
    assert_int_equal(tear_down(), 0);
}

/* --- cores -------------------------------------------------------------------------------------------------------- */

static void cores_are_divided(void **state)
{
    (void)state;
    for (int n = 1; n <= RANKS; n++) { /* all may run everywhere, on four cores */
        begin(n);
        for (int r = 0; r < n; r++) rank_on(r, 0, 3);
        look_around();
        for (int r = 0; r < n; r++) {
            assert_int_equal(test.cores[r], n > 4 ? 1 : 4 / n + (r < 4 % n));
            assert_true(fabs(test.sharing[r] - fmax(1, n / 4.)) < 1e-9);
        }
    }
}

static void ranks_that_are_bound_have_theirs(void **state)
{
    (void)state;
    begin(2);
    rank_on(0, 0, 0);
    rank_on(1, 1021, CPU_SETSIZE - 1);
    look_around();
    assert_int_equal(test.cores[0], 1);
    assert_int_equal(test.cores[1], 3);
    assert_true(test.sharing[0] == 1 && test.sharing[1] == 1);
    begin(2); /* who may run where another one may, too */
    rank_on(0, 0, 3);
    rank_on(1, 2, 3);
    look_around();
    assert_int_equal(test.cores[0], 3);
    assert_int_equal(test.cores[1], 1);
    begin(2);
    rank_on(0, 0, 0);
    rank_on(1, 0, 1);
    look_around();
    for (int r = 0; r < 2; r++) assert_true(fabs(test.sharing[r] - 1.5) < 1e-9); /* of the first: 1 and 1/2 */
    begin(1);                                                                    /* more cores than are counted */
    rank_on(0, 0, -1);
    look_around();
    assert_int_equal(test.cores[0], 1);
    assert_true(test.sharing[0] == 1);
}

/* Each host has cores 0 and 1; the second has more ranks. */
static void hosts_have_cores_of_their_own(void **state)
{
    static const int hosts[] = {0, 1, 1, 1, 1};
    (void)state;
    begin(5);
    job.hosts = hosts;
    for (int r = 0; r < 5; r++) rank_on(r, 0, 1);
    look_around();
    for (int r = 0; r < 5; r++) {
        assert_int_equal(test.cores[r], r == 0 ? 2 : 1);
        assert_true(test.sharing[r] == 2);
    }
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

static void assert_modes(enum cw_wait_mode mode)
{
    look_around();
    for (int r = 0; r < job.n; r++) assert_int_equal(test.mode[r], mode);
}

/* A machine is a kernel, whatever its hosts are called. All ranks sleep where one machine is crowded. */
static void crowded_ranks_sleep(void **state)
{
    static const int hosts[] = {0, 1, 2};
    (void)state;
    begin(2);
    rank_on(0, 0, 1);
    rank_on(1, 0, 1);
    assert_modes(CW_WAIT_SPIN);
    begin(2);
    rank_on(0, 0, 0);
    rank_on(1, 7, 7);
    assert_modes(CW_WAIT_SPIN);
    begin(2); /* both on one core */
    rank_on(0, 7, 7);
    rank_on(1, 7, 7);
    assert_modes(CW_WAIT_SLEEP);
    for (int crowded = 0; crowded < 2; crowded++) {
        begin(3);
        job.hosts = hosts;
        for (int r = 0; r < 3; r++) rank_on(r, 0, 1);
        if (!crowded) test.kernels[1] = "another";
        assert_modes(crowded ? CW_WAIT_SLEEP : CW_WAIT_SPIN);
    }
    begin(3); /* the last is alone */
    rank_on(2, 0, 3);
    test.kernels[2] = "another";
    assert_modes(CW_WAIT_SLEEP);
}

static void kernels_are_told_apart(void **state)
{
    (void)state;
    begin(3);
    test.kernels[0] = "01234567-89ab-cdef-0123-456789abcdef";
    test.kernels[1] = "";
    test.kernels[2] = NULL;
    look_around();
    assert_string_equal(test.identities[0], "01234567-89ab-cdef-0123-456789abcdef");
    assert_string_equal(test.identities[1], "");
    assert_string_equal(test.identities[2], "");
}

static double naps[4][3]; /* after how long, by mode */

static void nap(int rank)
{
    static const double idle[] = {0, 80e-6, 400e-6, 10};
    (void)rank;
    for (int i = 0; i < 4; i++)
        for (int mode = 0; mode < 3; mode++) {
            const double before = job.now;
            cw_wait_idle((enum cw_wait_mode)mode, before - idle[i]);
            naps[i][mode] = job.now - before;
        }
}

/* An eighth of the time that a rank has been idle, between 10 and 200 us. (Letting others run takes 1 us here.) */
static void naps_become_longer(void **state)
{
    static const double expected[] = {10e-6, 10e-6, 50e-6, 200e-6};
    (void)state;
    begin(1);
    run_ranks(nap);
    tear_down();
    for (int i = 0; i < 4; i++) {
        assert_true(naps[i][CW_WAIT_SPIN] == 0);
        assert_true(fabs(naps[i][CW_WAIT_YIELD] - 1e-6) < 1e-8);
        assert_true(fabs(naps[i][CW_WAIT_SLEEP] - expected[i]) < 0.1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_are_divided),
        cmocka_unit_test(ranks_that_are_bound_have_theirs),
        cmocka_unit_test(hosts_have_cores_of_their_own),
        cmocka_unit_test(crowded_ranks_sleep),
        cmocka_unit_test(kernels_are_told_apart),
        cmocka_unit_test(naps_become_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
