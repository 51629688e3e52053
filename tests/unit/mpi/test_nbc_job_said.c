/* What a rank says as it begins, how it copies, what it leaves to MPI, and what it asks of MPI before
 * (mpi/nbc/nbc_job.c).
 */
#include "nbc_job_test.h"

/* Each other's memory, or agents for all; the copy that is asked for, and what happens where the kernel forbids it. */
static void ways_to_copy(void **state)
{
    static const struct {
        enum cw_nbc_copy copy;
        bool forbidden;
        const char *notes, *said;
    } cases[] = {{CW_NBC_COPY_AUTO, true,
                  "check; agree in host on -3; tell 'check has failed'; agent 0; agree in host on 0",
                  "check has failed"},
                 {CW_NBC_COPY_SEGMENT, false, "close; agent 0; agree in host on 0", "CROSSWIND_NBC_COPY=segment"},
                 {CW_NBC_COPY_ATTACH, false, "close; check; agree in host on 0; worker 0", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *said, line[128];
        for (int quiet = 0; quiet < 3; quiet++) { /* the first of a host says it, if it is to */
            set_world(2, quiet == 2, 2, quiet == 2);
            world.settings.copy = cases[i].copy;
            world.settings.verbose = quiet != 1;
            if (cases[i].forbidden) world.fails = "check";
            assert_int_equal(start(&said), 0);
            snprintf(line, sizeof line, "crosswind-nbc: copies through memory that the ranks share: %s\n",
                     cases[i].said ? cases[i].said : "");
            assert_int_equal(strncmp(said, line, strlen(line)) == 0, cases[i].said && quiet == 0);
            if (quiet > 0) assert_string_equal(said, "");
            if (quiet < 2) assert_non_null(strstr(notes, cases[i].notes));
            assert_false(strstr(notes, "agents for batches"));
            free(said);
            finish();
        }
    }
    set_world(2, 0, 2, 0);
    world.settings.copy = CW_NBC_COPY_ATTACH;
    world.fails = "check";
    char *said;
    assert_int_equal(start(&said), CW_EIO);
    assert_string_equal(said, "");
    assert_int_equal(world.open, 0);
    free(said);
}

/* Where nothing is done, and what is said of it. */
static void what_is_left_to_mpi(void **state)
{
    (void)state;
    set_world(2, 0, 2, 0);
    world.settings.on = false;
    expect(NULL, "crosswind-nbc: %s: 2 ranks, switched off (CROSSWIND_NBC)\n");
    assert_true(!nbc_job.active && !strstr(notes, "cores of") && !strstr(notes, "node of"));
    finish();
    set_world(3, 0, 2, 0); /* hosts are not spoken of */
    world.settings.on = false;
    expect(NULL, "crosswind-nbc: %s: 2 ranks, switched off (CROSSWIND_NBC)\n");
    set_world(1, 0, 1, 0);
    expect(NULL, "crosswind-nbc: %s: 1 rank, alone on its host: collectives are left to MPI\n");
    assert_true(!nbc_job.active && world.open == 0);
    set_world(2, 0, 2, 0);
    world.cores.n = 0;
    expect(NULL, "crosswind-nbc: %s: 2 ranks, no core to spare: collectives are left to MPI (CROSSWIND_NBC_CORES)\n");
    assert_true(!nbc_job.active && world.open == 0);
    set_world(2, 1, 1, 0); /* alone, but not in the world */
    expect(NULL, "crosswind-nbc: %s: 1 rank, communication cores 0 3, messages from 32768 bytes on\n");
    assert_true(nbc_job.active && nbc_job.wired);
    finish();
    set_world(2, 0, 2, 0);
    world.cores.n = 1;
    CPU_CLR(0, &world.cores.set);
    expect(NULL, "crosswind-nbc: %s: 2 ranks, communication cores 3, messages from 32768 bytes on\n");
    assert_true(nbc_job.active);
    finish();
}

/* Hosts that are left to MPI, and what one rank of all says of it. */
static void apart_from_other_hosts(void **state)
{
    static const struct {
        enum cw_nbc_shape shape;
        int level, other_level, other_cores;
        const char *why; /* NULL: they are not */
    } cases[] = {
        {CW_NBC_NATIVE, MPI_THREAD_MULTIPLE, MPI_THREAD_MULTIPLE, 1, "CROSSWIND_NBC_HOSTS=native"},
        {CW_NBC_CHAIN, MPI_THREAD_MULTIPLE, MPI_THREAD_MULTIPLE, 0, "a host has no core to spare"},
        {CW_NBC_CHAIN, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE, 9,
         "MPI was not initialised with MPI_THREAD_MULTIPLE"},
        {CW_NBC_CHAIN, MPI_THREAD_MULTIPLE, MPI_THREAD_SINGLE, 9, "MPI was not initialised with MPI_THREAD_MULTIPLE"},
        {CW_NBC_CHAIN, MPI_THREAD_MULTIPLE, MPI_THREAD_MULTIPLE, 1, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int who = 0; who < 4; who++) { /* the first of all, one that is quiet, the first of a host, another */
            char *said, line[160];
            set_world(4, who < 2 ? 0 : who, 2, who == 3);
            world.settings.verbose = who != 1;
            world.settings.between.shape = cases[i].shape;
            world.level = cases[i].level;
            world.other_level = cases[i].other_level;
            world.other_cores = cases[i].other_cores;
            assert_int_equal(start(&said), 0);
            snprintf(line, sizeof line, "crosswind-nbc: communicators that span hosts are left to MPI: %s\n",
                     cases[i].why ? cases[i].why : "");
            assert_int_equal(strncmp(said, line, strlen(line)) == 0, cases[i].why && who == 0);
            assert_int_equal(strstr(said, "span hosts") != NULL, cases[i].why && who == 0);
            assert_int_equal(nbc_job.wired, !cases[i].why);
            assert_true(nbc_job.active);
            free(said);
            finish();
        }
}

static void what_was_measured_is_named(void **state)
{
    char *said;
    (void)state;
    set_world(2, 0, 2, 0);
    world.settings.tuning_state = CW_NBC_TUNING_USED;
    snprintf(world.settings.tuning.site.time, sizeof world.settings.tuning.site.time, "then");
    expect(NULL, "crosswind-nbc: %s: 2 ranks, communication cores 0 3, messages from 32768 bytes on, "
                 "or as measured here (then)\n");
    finish();
    world.settings.tuning_state = CW_NBC_TUNING_UNFIT;
    cw_fail(CW_EUSAGE, "it was another machine");
    expect(NULL, "crosswind-nbc: %s: 2 ranks, communication cores 0 3, messages from 32768 bytes on; "
                 "the measurements that are kept are not used: it was another machine\n");
    finish();
    world.settings.tuning_state = CW_NBC_TUNING_NONE;
    expect(NULL, "crosswind-nbc: %s: 2 ranks, communication cores 0 3, messages from 32768 bytes on\n");
    finish();
    world.settings.verbose = false;
    assert_int_equal(start(&said), 0);
    assert_string_equal(said, "");
    free(said);
    finish();
}

/* What launchers say of hosts. */
static void thread_levels(void **state)
{
    static const struct {
        const char *set[6]; /* names and values */
        bool several;
    } cases[] = {{{NULL}, false},
                 {{"OMPI_COMM_WORLD_SIZE", "4", "OMPI_COMM_WORLD_LOCAL_SIZE", "2"}, true},
                 {{"OMPI_COMM_WORLD_SIZE", "4", "OMPI_COMM_WORLD_LOCAL_SIZE", "4"}, false},
                 {{"OMPI_COMM_WORLD_SIZE", "12", "OMPI_COMM_WORLD_LOCAL_SIZE", "12"}, false},
                 {{"OMPI_COMM_WORLD_SIZE", "2", "OMPI_COMM_WORLD_LOCAL_SIZE", "1"}, true},
                 {{"OMPI_COMM_WORLD_SIZE", "1", "OMPI_COMM_WORLD_LOCAL_SIZE", "1", "SLURM_STEP_NUM_NODES", "2"}, false},
                 {{"OMPI_COMM_WORLD_SIZE", "4"}, false},
                 {{"OMPI_COMM_WORLD_LOCAL_SIZE", "4", "SLURM_STEP_NUM_NODES", "2"}, true},
                 {{"OMPI_COMM_WORLD_SIZE", "10", "OMPI_COMM_WORLD_LOCAL_SIZE", "9"}, true},
                 {{"PMI_SIZE", "4", "MPI_LOCALNRANKS", "2"}, true},
                 {{"PMI_SIZE", "4", "MPI_LOCALNRANKS", "4"}, false},
                 {{"SLURM_STEP_NUM_NODES", "1"}, false},
                 {{"SLURM_STEP_NUM_NODES", "2"}, true},
                 {{"SLURM_STEP_NUM_NODES", "2", "CROSSWIND_NBC", "off"}, false},
                 {{"SLURM_STEP_NUM_NODES", "2", "CROSSWIND_NBC", "on"}, true},
                 {{"SLURM_STEP_NUM_NODES", "2", "CROSSWIND_NBC", "no"}, true},
                 {{"SLURM_STEP_NUM_NODES", "2", "CROSSWIND_NBC_HOSTS", "native"}, false},
                 {{"SLURM_STEP_NUM_NODES", "2", "CROSSWIND_NBC_HOSTS", "auto"}, true}};
    static const char *const all[] = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_SIZE",
                                      "MPI_LOCALNRANKS",      "SLURM_STEP_NUM_NODES",       "CROSSWIND_NBC",
                                      "CROSSWIND_NBC_HOSTS"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t j = 0; j < sizeof all / sizeof *all; j++) unsetenv(all[j]);
        for (int j = 0; j < 6 && cases[i].set[j]; j += 2) setenv(cases[i].set[j], cases[i].set[j + 1], 1);
        assert_int_equal(cw_nbc_thread_level(), cases[i].several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_to_copy),           cmocka_unit_test(what_is_left_to_mpi),
        cmocka_unit_test(apart_from_other_hosts), cmocka_unit_test(what_was_measured_is_named),
        cmocka_unit_test(thread_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
