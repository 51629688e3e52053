/* What was measured of a machine: its file, whether it fits, and what settings make of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "nbc/nbc_settings.h"

static struct cw_nbc_tuning tuning;

static void put(enum cw_collective_kind collective, uint32_t ranks, uint32_t cores, uint64_t bytes, const char *sharing)
{
    struct cw_nbc_choice choice = {.collective = collective,
                                   .ranks = ranks,
                                   .cores = cores,
                                   .bytes = bytes,
                                   .native = !sharing,
                                   .native_total = 2e-3,
                                   .total = 1e-3,
                                   .blocking = 5e-4,
                                   .workers = 2.5e-4,
                                   .start = 1e-6};
    if (sharing) assert_int_equal(cw_nbc_sharing_parse("sharing", sharing, &choice.sharing), 0);
    assert_int_equal(cw_nbc_tuning_put(&tuning, &choice), 0);
}

/* In no order; the last one instead of an earlier one. */
static int set_up(void **state)
{
    (void)state;
    tuning = (struct cw_nbc_tuning){.site = cw_nbc_site_of("Open MPI v4.1.4, package: Debian")};
    put(CW_COLLECTIVE_REDUCE, 4, 1, 1 << 20, "auto");
    put(CW_COLLECTIVE_BCAST, 60, 4, 1 << 20, "split-tree:2");
    put(CW_COLLECTIVE_BCAST, 4, 1, 1 << 20, "slices:0.75");
    put(CW_COLLECTIVE_BCAST, 4, 1, 8192, "auto");
    put(CW_COLLECTIVE_BCAST, 4, 1, 65536, "auto");
    put(CW_COLLECTIVE_BCAST, 4, 1, 65536, NULL);
    return 0;
}

static const struct cw_nbc_choice *bcast(uint32_t ranks, uint64_t bytes)
{
    return cw_nbc_tuning_find(&tuning, CW_COLLECTIVE_BCAST, ranks, bytes);
}

static void test_find(void **state)
{
    (void)state;
    assert_int_equal(tuning.n, 5);
    assert_null(bcast(4, 8191));
    assert_int_equal(bcast(4, 8192)->bytes, 8192);
    assert_int_equal(bcast(2, 65535)->bytes, 8192);
    assert_true(bcast(31, 65536)->native);
    assert_true(bcast(4, UINT64_MAX)->sharing.fraction == .75);
    assert_int_equal(bcast(33, 1 << 20)->sharing.steps, 2);
    assert_null(bcast(33, 65536)); /* nothing so short was measured of so many */
    assert_null(cw_nbc_tuning_find(&tuning, CW_COLLECTIVE_GATHER, 4, 1 << 20));
    cw_nbc_tuning_keep(&tuning, 3);
    assert_int_equal(tuning.n, 1);
    assert_int_equal(bcast(4, 1 << 20)->ranks, 60);
}

/* What was not kept is gone: measured again it is there again. */
static void test_keep_and_put(void **state)
{
    (void)state;
    tuning.n = 0;
    put(CW_COLLECTIVE_BCAST, 4, 2, 65536, "auto");
    put(CW_COLLECTIVE_BCAST, 4, 8, 65536, "auto");
    cw_nbc_tuning_keep(&tuning, 2);
    assert_int_equal(tuning.n, 1);
    put(CW_COLLECTIVE_BCAST, 4, 8, 65536, "auto");
    assert_int_equal(tuning.n, 2);
    assert_int_equal(tuning.items[1].cores, 8);
}

/* By collective, ranks, cores and bytes, in whatever order they come; each once, the last that came. */
static void test_order(void **state)
{
    (void)state;
    static bool there[3][3][3][3];
    uint32_t n = 0, draws = 1;
    tuning.n = 0;
    for (int i = 0; i < 300; i++) {
        draws = draws * 1664525u + 1013904223u;
        const uint32_t collective = draws >> 30 & 1, ranks = draws >> 28 & 1, cores = (draws >> 20) % 3,
                       bytes = (draws >> 10 & 1023) % 3;
        n += !there[collective][ranks][cores][bytes];
        there[collective][ranks][cores][bytes] = true;
        put((enum cw_collective_kind)collective, ranks, cores, bytes, "auto");
        assert_int_equal(tuning.n, n);
    }
    assert_true(n > 30);
    for (uint32_t i = 1; i < n; i++) {
        const struct cw_nbc_choice *a = &tuning.items[i - 1], *b = &tuning.items[i];
        const uint64_t before[] = {a->collective, a->ranks, a->cores, a->bytes},
                       after[] = {b->collective, b->ranks, b->cores, b->bytes};
        int first = 0;
        while (first < 3 && before[first] == after[first]) first++;
        assert_true(before[first] < after[first]);
    }
}

/* Of two as near, the lower; 512 are kept, and one of them may be measured again. */
static void test_nearest_and_limit(void **state)
{
    (void)state;
    tuning.n = 0;
    put(CW_COLLECTIVE_BCAST, 4, 2, 4096, "auto");
    put(CW_COLLECTIVE_BCAST, 8, 2, 4096, "auto");
    put(CW_COLLECTIVE_BCAST, 8, 4, 4096, "auto");
    assert_int_equal(bcast(6, 4096)->ranks, 8); /* the last of the two */
    assert_int_equal(bcast(5, 4096)->ranks, 4);
    cw_nbc_tuning_keep(&tuning, 3);
    assert_int_equal(tuning.n, 2);
    assert_int_equal(tuning.items[0].cores, 2);
    tuning.n = 0;
    for (uint64_t i = 0; i < CW_NBC_CHOICES; i++) put(CW_COLLECTIVE_BCAST, 4, 1, 5 * i % CW_NBC_CHOICES, "auto");
    assert_int_equal(tuning.n, CW_NBC_CHOICES);
    put(CW_COLLECTIVE_BCAST, 4, 1, 17, NULL);
    assert_true(tuning.items[17].native);
    const struct cw_nbc_choice more = {.ranks = 4, .cores = 1, .bytes = CW_NBC_CHOICES};
    assert_int_equal(cw_nbc_tuning_put(&tuning, &more), CW_ELIMIT);
    assert_string_equal(cw_error_message(), "expected 512 measurements at most");
}

static void test_file(void **state)
{
    (void)state;
    struct cw_nbc_tuning read;
    struct cw_text path = {0};
    char folder[] = "/tmp/cw_tuning_XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_int_equal(cw_nbc_tuning_path(cw_nbc_mpi_name("Open MPI v4"), &path), 0);
    assert_non_null(strstr(path.data, "/crosswind/overlap-"));
    assert_non_null(strstr(path.data, "-openmpi.txt"));
    assert_int_equal(cw_nbc_tuning_write(path.data, &tuning), 0);
    assert_int_equal(cw_nbc_tuning_read(path.data, &read), 0);
    assert_int_equal(read.n, tuning.n);
    for (uint32_t i = 0; i < read.n; i++) {
        const struct cw_nbc_choice *a = &read.items[i], *b = &tuning.items[i];
        char one[CW_NBC_SHARING_SIZE], other[CW_NBC_SHARING_SIZE];
        assert_true(a->collective == b->collective && a->ranks == b->ranks && a->cores == b->cores);
        assert_true(a->bytes == b->bytes && a->native == b->native && a->workers == b->workers && a->start == b->start);
        assert_true(a->native_total == b->native_total && a->total == b->total && a->blocking == b->blocking);
        assert_string_equal(cw_nbc_sharing_format(&a->sharing, one), cw_nbc_sharing_format(&b->sharing, other));
    }
    assert_int_equal(cw_nbc_tuning_check(&read, &tuning.site), 0);
    assert_string_equal(read.site.time, tuning.site.time);
    assert_string_equal(read.site.version, tuning.site.version);
    assert_string_equal(read.site.mpi, tuning.site.mpi);
    assert_int_equal(read.site.processors, sysconf(_SC_NPROCESSORS_ONLN));
    cw_text_free(&path);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_int_equal(cw_nbc_tuning_path("mpich", &path), CW_EIO);
    cw_text_free(&path);
}

static void test_print(void **state)
{
    (void)state;
    struct cw_text text = {0};
    snprintf(tuning.site.version, sizeof tuning.site.version, "1.2.3");
    snprintf(tuning.site.time, sizeof tuning.site.time, "2026-01-02T03:04:05Z");
    tuning.site.processors = 6;
    cw_nbc_tuning_print(&tuning, &text);
    assert_string_equal(text.data, "# Measured by crosswind-mpi overlap --tuning: doc/formats/tuning.md\n"
                                   "version 1.2.3\nmpi Open MPI v4.1.4\nprocessors 6\ntime 2026-01-02T03:04:05Z\n"
                                   "collective,ranks,cores,bytes,choice,native_total,total,blocking,workers,start\n"
                                   "bcast,4,1,8192,auto,0.002,0.001,0.0005,0.00025,1e-06\n"
                                   "bcast,4,1,65536,native,0.002,0.001,0.0005,0.00025,1e-06\n"
                                   "bcast,4,1,1048576,slices:0.75,0.002,0.001,0.0005,0.00025,1e-06\n"
                                   "bcast,60,4,1048576,split-tree:2,0.002,0.001,0.0005,0.00025,1e-06\n"
                                   "reduce,4,1,1048576,auto,0.002,0.001,0.0005,0.00025,1e-06\n");
    cw_text_free(&text);
}

static void test_check(void **state)
{
    (void)state;
    assert_string_equal(tuning.site.mpi, "Open MPI v4.1.4");
    assert_string_equal(cw_nbc_site_of("MPICH Version:\t 4.0.2\nMPICH Release date").mpi, "MPICH 4.0.2");
    struct cw_nbc_site site = cw_nbc_site_of("Open MPI v4.1.4, package: other");
    assert_int_equal(cw_nbc_tuning_check(&tuning, &site), 0);
    site = cw_nbc_site_of("Open MPI v5.0.1");
    assert_int_equal(cw_nbc_tuning_check(&tuning, &site), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "with Open MPI v4.1.4; this is Open MPI v5.0.1"));
    site = cw_nbc_site_of(NULL); /* any */
    assert_int_equal(cw_nbc_tuning_check(&tuning, &site), 0);
    site.processors++;
    assert_int_equal(cw_nbc_tuning_check(&tuning, &site), CW_EUSAGE);
    site.processors--;
    site.version[0] = 'x';
    assert_int_equal(cw_nbc_tuning_check(&tuning, &site), CW_EUSAGE);
}

static void test_malformed(void **state)
{
    (void)state;
    static const char *const lines[] = {"bcast,4,1,8192,auto,1,1,1,1",       "bcast,4,1,8192,auto,1,1,1,1,1,1",
                                        "cast,4,1,8192,auto,1,1,1,1,1",      "bcast,4,1,8192,slices:2,1,1,1,1,1",
                                        "bcast,1,1,8192,native,1,1,1,1,1",   "bcast,4,1,8192,native,1,1,0,1,1",
                                        "bcast,4,1,8192,native,1,nan,1,1,1", "machine vm",
                                        "bcast,4,0,8192,native,1,1,1,1,1",   "bcast,4,1,8192,native,0,1,1,1,1",
                                        "bcast,4,1,8192,native,1,0,1,1,1",   "bcast,4,1,8192,native,1,1,1,0,1",
                                        "bcast,4,1,8192,native,1,1,1,1,-1",  "barrier,4,1,8192,native,1,1,1,1,1"};
    struct cw_nbc_tuning read;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char path[] = "/tmp/cw_tuning_XXXXXX";
        const int file = mkstemp(path);
        assert_int_equal(dprintf(file, "# title\nprocessors 2\n%s\n", lines[i]), 22 + strlen(lines[i]));
        close(file);
        assert_int_equal(cw_nbc_tuning_read(path, &read), CW_EPARSE);
        assert_non_null(strstr(cw_error_message(), ":3: "));
        unlink(path);
    }
}

static void test_choose(void **state)
{
    (void)state;
    static struct cw_nbc_settings settings;
    struct cw_nbc_sharing sharing;
    settings = (struct cw_nbc_settings){.min = 32768, .tuning = tuning};
    cw_nbc_settings_fit(&settings, 1);
    assert_int_equal(settings.least, 8192);
#define CHOOSE(EXACT, BYTES) cw_nbc_settings_choose(&settings, CW_COLLECTIVE_BCAST, EXACT, 4, BYTES, &sharing)
    assert_false(CHOOSE(true, 8191));
    assert_true(CHOOSE(true, 8192));
    assert_false(CHOOSE(true, 65536));
    assert_true(CHOOSE(true, 1 << 20) && sharing.schedule == CW_NBC_SLICES);
    /* what depends on the order does not depend on measurements */
    assert_true(!CHOOSE(false, 32767) && CHOOSE(false, 32768) && CHOOSE(false, 65536));
    assert_true(CHOOSE(false, 1 << 20) && sharing.schedule == CW_NBC_AUTO);
    /* nor does what the user says */
    settings.sharing = (struct cw_nbc_sharing){.schedule = CW_NBC_SPLIT_TREE, .radix = 2, .steps = 1};
    assert_true(CHOOSE(true, 1 << 20) && sharing.schedule == CW_NBC_SPLIT_TREE);
    settings.min_given = true;
    settings.min = 100;
    cw_nbc_settings_fit(&settings, 1);
    assert_int_equal(settings.least, 100);
    assert_true(!CHOOSE(true, 99) && CHOOSE(true, 100) && CHOOSE(true, 65536));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_find, set_up),   cmocka_unit_test_setup(test_keep_and_put, set_up),
        cmocka_unit_test_setup(test_order, set_up),  cmocka_unit_test_setup(test_file, set_up),
        cmocka_unit_test_setup(test_check, set_up),  cmocka_unit_test(test_malformed),
        cmocka_unit_test_setup(test_choose, set_up), cmocka_unit_test_setup(test_nearest_and_limit, set_up),
        cmocka_unit_test_setup(test_print, set_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
