/* How a rank begins and ends (mpi/nbc/nbc_job.c): what it calls, in which order, and what is given back. */
#include "nbc_job_test.h"

static bool is_freed;               /* the locale of settings */
static int allocations, starved_at; /* the so-manieth of them finds no memory */

void __real_freelocale(locale_t locale);
void __wrap_freelocale(locale_t locale);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void __wrap_freelocale(locale_t locale)
{
    is_freed = is_freed || locale == world.locale;
    __real_freelocale(locale);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return ++allocations == starved_at ? NULL : __real_calloc(n, size);
}

static void the_first_of_a_host(void **state)
{
    (void)state;
    set_world(2, 0, 2, 0);
    expect("read; agree in world on 0; settings; agree in world on 0; gather 0; gather 0; cores of one that works; "
           "fit 2 cores; node of 2 ranks, 2 workers; agree in host on 0; where; join as 0; agree in host on 0; close; "
           "check; agree in host on 0; agents for batches; agent 0; agree in host on 0; worker 0 on 0, 1 ms; "
           "agree in host on 0; hooked; agree in host on 0; prepare world",
           "crosswind-nbc: %s: 2 ranks, communication cores 0 3, messages from 32768 bytes on\n");
    assert_true(nbc_job.active && !nbc_job.wired && nbc_job.buffers == &node && nbc_job.keyval == KEYVAL);
    assert_true(nbc_job.leader == 0 && nbc_job.local_of_world[1] == 1 && nbc_job.leader_of_world[1] == 1);
    forget_notes();
    assert_int_equal(cw_nbc_init(), 0); /* nothing */
    finish();
    assert_string_equal(notes, "barrier of host; stop posting; stop worker 0; barrier of host; stop agent; "
                               "close checks; forget; free keyval; free host; free node");
    assert_true(!nbc_job.active && !nbc_job.node && !nbc_job.buffers && !nbc_job.local_of_world);
    forget_notes();
    finish(); /* nothing */
    assert_int_equal(cw_nbc_init(), 0);
    assert_int_equal(n_notes, 0);
}

static void the_second_of_a_host(void **state)
{
    (void)state;
    set_world(4, 3, 2, 1);
    world.cores.shared = true;
    expect("agree in world on 0; settings; agree in world on 0; gather 1; gather 2; cores of one that works; "
           "fit 2 cores; places; wire; agree in host on 0; where; attach 77:5; join as 1; agree in host on 0; close; "
           "check; agree in host on 0; agents for batches; agent 1; agree in host on 0; worker 1 on 3, 0 ms; "
           "agree in host on 0; hooked; agree in host on 0; agree in world on 0; prepare world",
           "");
    assert_true(nbc_job.active && nbc_job.wired && nbc_job.buffers == &node + 1);
    assert_true(nbc_job.local_of_world[2] == 12 && nbc_job.leader_of_world[0] == 20);
    finish();
    assert_false(nbc_job.wired);
}

static void the_relay_of_a_host(void **state)
{
    (void)state;
    set_world(4, 2, 2, 0);
    expect("agree in world on 0; settings; agree in world on 0; gather 0; gather 2; cores of one that works; "
           "fit 2 cores; places; wire; node of 2 ranks, 2 workers; agree in host on 0; where; join as 0; "
           "agree in host on 0; close; check; agree in host on 0; agents for batches; agent 0; agree in host on 0; "
           "worker 0 on 0, 1 ms; agree in host on 0; relays of 2; worker 0 relays; hooked; agree in host on 0; "
           "agree in world on 0; prepare world",
           "crosswind-nbc: %s: 2 ranks, communication cores 0 3, messages from 32768 bytes on\n");
    forget_notes();
    finish();
    assert_string_equal(notes, "barrier of host; stop posting; stop worker 0; close wire; free relays; "
                               "free places; barrier of host; stop agent; close checks; forget; free keyval; "
                               "free host; free node");
}

static void workers_are_shared_out(void **state)
{
    (void)state;
    static const char *const expected[] = {"worker 0 on 1, 1 ms; worker 1 on 2, 1 ms",
                                           "worker 2 on 4, 1 ms; worker 3 on 6, 1 ms", "worker 4 on 1023, 1 ms"};
    for (int rank = 0; rank < 3; rank++) {
        char *said;
        set_world(3, rank, 3, rank);
        CPU_ZERO(&world.cores.set);
        for (int i = 0; i < 5; i++) CPU_SET((size_t)((int[]){1, 2, 4, 6, CPU_SETSIZE - 1}[i]), &world.cores.set);
        world.cores.n = 5;
        assert_int_equal(start(&said), 0);
        free(said);
        const char *from = strstr(notes, "worker ");
        assert_non_null(from);
        assert_memory_equal(from, expected[rank], strlen(expected[rank]));
        assert_memory_equal(from + strlen(expected[rank]), "; agree", 7);
        finish();
    }
}

/* Whatever fails, here or elsewhere, is the error of all, and everything is given back. */
static void what_fails_is_given_back(void **state)
{
    static const char *const steps[] = {"split", "read",   "node",   "agent", "worker",    "relays", "places",
                                        "wire",  "keyval", "checks", "hook",  "attribute", "prepare"};
    char *said, message[64];
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        set_world(4, 0, 2, 0);
        world.fails = steps[i];
        assert_int_equal(start(&said), i == 1 ? CW_EUSAGE : i == 5 ? CW_ENOMEM : CW_EIO);
        assert_string_equal(said, "");
        free(said);
        assert_int_equal(world.open, 0);
        assert_true(!nbc_job.active && !nbc_job.wired && !nbc_job.node);
        snprintf(message, sizeof message, "%s has failed", steps[i]);
        if (i == 0)
            assert_string_equal(cw_error_message(), "MPI could not say which ranks share a host");
        else if (i == 10 || i == 11)
            assert_string_equal(cw_error_message(), "MPI could not keep an attribute of MPI_COMM_SELF");
        else
            assert_string_equal(cw_error_message(), message);
    }
    set_world(4, 1, 2, 1);
    world.fails = "attach";
    assert_int_equal(start(&said), CW_EIO);
    assert_false(strstr(notes, "join"));
    free(said);
    for (int at = 1; at <= 9; at++) { /* when all agree for the so-manieth time, another rank has failed */
        set_world(4, 0, 2, 0);
        world.other_fails_at = at;
        const int rc = start(&said);
        free(said);
        if (at == 5) { /* it could not reach the memory of others: that is no error */
            assert_int_equal(rc, 0);
            finish();
            continue;
        }
        assert_int_equal(rc, CW_ELIMIT);
        assert_string_equal(cw_error_message(), "another rank could not prepare nonblocking collectives: it is full");
        assert_true(!nbc_job.active && !nbc_job.wired && world.open == 0);
    }
}

static void memory_that_is_out(void **state)
{
    (void)state;
    for (int at = 1; at <= 4; at++) { /* of ranks, their hosts, and workers; there are no others */
        char *said;
        set_world(4, 0, 2, 0);
        allocations = 0;
        starved_at = at;
        assert_int_equal(start(&said), at < 4 ? CW_ENOMEM : 0);
        free(said);
        if (at == 4) finish();
        assert_true(!nbc_job.active && world.open == 0);
    }
    starved_at = 0;
}

/* MPI_Finalize ends it, and so does the program, earlier. */
static void mpi_ends_it(void **state)
{
    char *said;
    (void)state;
    set_world(2, 0, 2, 0);
    assert_int_equal(start(&said), 0);
    free(said);
    assert_int_equal(world.hook(MPI_COMM_SELF, HOOK, NULL, NULL), MPI_SUCCESS);
    assert_true(!nbc_job.active && world.open == 0);
    forget_notes();
    assert_int_equal(world.hook(MPI_COMM_SELF, HOOK, NULL, NULL), MPI_SUCCESS);
    assert_int_equal(n_notes, 0);
    set_world(2, 0, 2, 0);
    world.settings.verbose = false;
    assert_int_equal(nbc_job_renew(false), 0);
    assert_non_null(strstr(notes, "cores of one that rests"));
    finish();
}

static void numbers_have_a_point(void **state)
{
    const locale_t own = duplocale(uselocale((locale_t)0)), before = uselocale(own);
    char *said;
    (void)state;
    set_world(2, 0, 2, 0);
    assert_int_equal(start(&said), 0);
    free(said);
    assert_true(world.locale != own && uselocale((locale_t)0) == own && is_freed);
    uselocale(before);
    freelocale(own);
    finish();
}

static void it_can_be_switched(void **state)
{
    (void)state;
    assert_int_equal(cw_nbc_enable(0), 1);
    assert_int_equal(cw_nbc_enable(0), 0);
    assert_int_equal(cw_nbc_enable(1), 0);
    assert_int_equal(cw_nbc_enable(1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_a_host),
        cmocka_unit_test(the_second_of_a_host),
        cmocka_unit_test(the_relay_of_a_host),
        cmocka_unit_test(workers_are_shared_out),
        cmocka_unit_test(what_fails_is_given_back),
        cmocka_unit_test(memory_that_is_out),
        cmocka_unit_test(mpi_ends_it),
        cmocka_unit_test(numbers_have_a_point),
        cmocka_unit_test(it_can_be_switched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
