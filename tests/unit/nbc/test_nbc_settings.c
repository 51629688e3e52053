/* What users say in the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "nbc/nbc_settings.h"
#include "nbc/nbc_tuning.h"

static void test_schedules(void **state)
{
    (void)state;
    struct cw_nbc_sharing sharing;
    assert_int_equal(cw_nbc_sharing_parse("S", "split-tree:3", &sharing), 0);
    assert_int_equal(sharing.schedule, CW_NBC_SPLIT_TREE);
    assert_int_equal(sharing.radix, 2);
    assert_int_equal(sharing.steps, 3);
    assert_int_equal(cw_nbc_sharing_parse("S", "k-nomial:4", &sharing), 0);
    assert_int_equal(sharing.schedule, CW_NBC_SPLIT_TREE);
    assert_int_equal(sharing.radix, 4);
    assert_int_equal(sharing.steps, 0);
    assert_int_equal(cw_nbc_sharing_parse("S", "binomial", &sharing), 0);
    assert_int_equal(sharing.radix, 2);
    assert_int_equal(cw_nbc_sharing_parse("S", "slices:0.25", &sharing), 0);
    assert_int_equal(sharing.schedule, CW_NBC_SLICES);
    assert_true(sharing.fraction == .25);
    assert_int_equal(cw_nbc_sharing_parse("S", "auto", &sharing), 0);
    assert_int_equal(sharing.schedule, CW_NBC_AUTO);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"k-nomial:1", "the number of ranks, 1, is not between 2 and 1024"},
                                           {"k-nomial", "is not a schedule"},
                                           {"split-tree:32", "the number of levels, 32, is not between 0 and 31"},
                                           {"slices:1.5", "the fraction 1.5 is not between 0 and 1"},
                                           {"binomial:2", "is not a schedule"},
                                           {"k-nomial:1025", "the number of ranks, 1025, is not between 2 and 1024"},
                                           {"split-tree:-1", "the number of levels, -1, is not between 0 and 31"},
                                           {"slices:-0.1", "the fraction -0.1 is not between 0 and 1"},
                                           {"slices", "is not a schedule"},
                                           {"split-tree", "is not a schedule"},
                                           {"auto:1", "is not a schedule"}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cw_nbc_sharing sharing;
        assert_int_equal(cw_nbc_sharing_parse("S", wrong[i][0], &sharing), CW_EUSAGE);
        assert_non_null(strstr(cw_error_message(), wrong[i][1]));
    }
}

/* What is written means the same when it is read. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char *const ways[] = {"auto",          "slices:0",     "slices:1",      "slices:0.123456",
                                       "k-nomial:1024", "k-nomial:3",   "split-tree:31", "split-tree:0",
                                       "k-nomial:2",    "split-tree:1", "binomial"};
    static const char *const trees[] = {"auto",       "chain",         "binomial", "ring",
                                        "k-nomial:3", "k-nomial:1024", "native",   "k-nomial:2"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct cw_nbc_sharing sharing;
        char text[CW_NBC_SHARING_SIZE];
        assert_int_equal(cw_nbc_sharing_parse("S", ways[i], &sharing), 0);
        const bool binomial = strcmp(ways[i], "binomial") == 0 || strcmp(ways[i], "k-nomial:2") == 0;
        assert_string_equal(cw_nbc_sharing_format(&sharing, text), binomial ? "split-tree:0" : ways[i]);
    }
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        struct cw_nbc_between between;
        char text[CW_NBC_BETWEEN_SIZE];
        assert_int_equal(cw_nbc_between_parse("T", trees[i], &between), 0);
        assert_false(between.by_fabric);
        assert_string_equal(cw_nbc_between_format(&between, text), i == 7 ? "binomial" : trees[i]);
    }
    struct cw_nbc_between between;
    assert_int_equal(cw_nbc_between_parse("T", "fabric", &between), 0);
    assert_true(between.by_fabric && between.shape == CW_NBC_SHAPE_AUTO);
    assert_int_equal(cw_nbc_between_parse("T", "k-nomial:1025", &between), CW_EUSAGE);
    assert_int_equal(cw_nbc_between_parse("T", "k-nomial:x", &between), CW_EUSAGE);
}

/* --- files that are kept ------------------------------------------------------------------------------------------ */

static const char *kept_path(const char *cache, const char *home)
{
    static char text[256];
    struct cw_text path = {0};
    if (cache) setenv("XDG_CACHE_HOME", cache, 1);
    if (home) setenv("HOME", home, 1);
    if (!cache) unsetenv("XDG_CACHE_HOME");
    if (!home) unsetenv("HOME");
    const int rc = cw_nbc_kept_path("this", &path);
    snprintf(text, sizeof text, "%s", rc ? "" : path.data);
    assert_true(rc == 0 || rc == CW_EIO);
    cw_text_free(&path);
    return text;
}

/* A variable that is no path from the root is as if it were not there. */
static void test_kept_path(void **state)
{
    (void)state;
    assert_string_equal(kept_path("/cache", "/home/me"), "/cache/crosswind/this.txt");
    assert_string_equal(kept_path(NULL, "/home/me"), "/home/me/.cache/crosswind/this.txt");
    assert_string_equal(kept_path("", "/home/me"), "/home/me/.cache/crosswind/this.txt");
    assert_string_equal(kept_path("cache", "/home/me"), "/home/me/.cache/crosswind/this.txt");
    assert_string_equal(kept_path("/cache", NULL), "/cache/crosswind/this.txt");
    assert_string_equal(kept_path(NULL, "me"), "");
    assert_string_equal(kept_path(NULL, NULL), "");
}

static void test_kept_word(void **state)
{
    (void)state;
    assert_string_equal(cw_nbc_kept_word("host node 1", "host"), "node 1");
    assert_string_equal(cw_nbc_kept_word("host", "host"), "");
    assert_string_equal(cw_nbc_kept_word("host  x", "host"), " x");
    assert_null(cw_nbc_kept_word("hosts x", "host"));
    assert_null(cw_nbc_kept_word("ho", "host"));
    assert_null(cw_nbc_kept_word("a host", "host"));
}

/* A folder for this test, where nothing is kept yet. */
static char place[] = "/tmp/cw_settings_XXXXXX";

static int make_place(void **state)
{
    (void)state;
    snprintf(place, sizeof place, "/tmp/cw_settings_XXXXXX");
    return mkdtemp(place) ? 0 : -1;
}

static int remove_place(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", place);
    return system(command);
}

static void test_kept_write(void **state)
{
    (void)state;
    char path[128];
    struct cw_text text = {0}, read = {0};
    struct stat about;
    snprintf(path, sizeof path, "%s/a/b/c.txt", place);
    cw_text_add(&text, "kept\n");
    assert_int_equal(cw_nbc_kept_write(path, &text), 0);
    assert_null(text.data);
    assert_int_equal(cw_file_read(path, &read), 0);
    assert_string_equal(read.data, "kept\n");
    cw_text_free(&read);
    assert_int_equal(stat(path, &about), 0);
    assert_true(S_ISREG(about.st_mode));
    snprintf(path, sizeof path, "%s/a/b/c.txt/d.txt", place); /* a file is no folder */
    cw_text_add(&text, "kept\n");
    assert_int_equal(cw_nbc_kept_write(path, &text), CW_EIO);
}

/* --- variables ---------------------------------------------------------------------------------------------------- */

static const char *const names[] = {"CROSSWIND_NBC",          "CROSSWIND_NBC_CORES",  "CROSSWIND_NBC_MIN",
                                    "CROSSWIND_NBC_SCHEDULE", "CROSSWIND_NBC_COPY",   "CROSSWIND_NBC_TUNING",
                                    "CROSSWIND_NBC_HOSTS",    "CROSSWIND_NBC_FABRIC", "CROSSWIND_NBC_VERBOSE"};

static struct cw_nbc_settings settings;

/* With variables as they are set since they were cleared; what is kept would be in the place of the test. */
static int read_settings(void)
{
    setenv("XDG_CACHE_HOME", place, 1);
    memset(&settings, 0xff, sizeof settings);
    return cw_nbc_settings_read("Open MPI v4.1.4, package", &settings);
}

static void clear_variables(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
}

static void test_defaults(void **state)
{
    (void)state;
    char path[128];
    clear_variables();
    setenv("CROSSWIND_NBC_CORES", "", 1); /* as if it were not there */
    setenv("CROSSWIND_NBC_MIN", "", 1);
    assert_int_equal(read_settings(), 0);
    assert_true(settings.on && !settings.verbose && !settings.min_given && !settings.cores_given);
    assert_int_equal(settings.min, 32768);
    assert_int_equal(settings.copy, CW_NBC_COPY_AUTO);
    assert_int_equal(settings.sharing.schedule, CW_NBC_AUTO);
    assert_int_equal(settings.between.shape, CW_NBC_SHAPE_AUTO);
    assert_false(settings.between.by_fabric);
    assert_int_equal(settings.tuning_state, CW_NBC_TUNING_NONE);
    assert_int_equal(settings.tuning.n, 0);
    snprintf(path, sizeof path, "%s/crosswind/fabric.txt", place);
    assert_string_equal(settings.fabric, path);
    assert_true(settings.fabric_kept);
}

static void test_values(void **state)
{
    (void)state;
    static const char *const values[] = {"on",  "1,3",   "100KiB",           "slices:0.5", "segment",
                                         "off", "chain", "/tmp/some fabric", "1"};
    clear_variables();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) setenv(names[i], values[i], 1);
    assert_int_equal(read_settings(), 0);
    assert_true(settings.on && settings.verbose && settings.min_given && settings.cores_given);
    assert_true(CPU_COUNT(&settings.cores) == 2 && CPU_ISSET(1, &settings.cores) && CPU_ISSET(3, &settings.cores));
    assert_int_equal(settings.min, 102400);
    assert_int_equal(settings.sharing.schedule, CW_NBC_SLICES);
    assert_int_equal(settings.between.shape, CW_NBC_CHAIN);
    assert_int_equal(settings.tuning_state, CW_NBC_TUNING_OFF);
    assert_string_equal(settings.fabric, "/tmp/some fabric");
    assert_false(settings.fabric_kept);
    setenv("CROSSWIND_NBC_VERBOSE", "0", 1);
    setenv("CROSSWIND_NBC_FABRIC", "off", 1);
    assert_int_equal(read_settings(), 0);
    assert_false(settings.verbose || settings.fabric_kept || *settings.fabric);
    setenv("CROSSWIND_NBC_VERBOSE", "yes", 1);
    setenv("CROSSWIND_NBC", "off", 1);
    setenv("CROSSWIND_NBC_TUNING", "/nowhere", 1); /* nobody looks */
    assert_int_equal(read_settings(), 0);
    assert_true(settings.verbose && !settings.on);
}

static void test_wrong_values(void **state)
{
    (void)state;
    static const char *const wrong[] = {"maybe", "one", "-3", "fast", "by hand", "/nowhere", "star", NULL, "2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        clear_variables();
        if (!wrong[i]) continue;
        setenv(names[i], wrong[i], 1);
        assert_int_equal(read_settings(), i == 5 ? CW_EIO : CW_EUSAGE);
        assert_non_null(strstr(cw_error_message(), i == 5 ? "/nowhere" : names[i]));
    }
    char name[CW_NBC_PATH_SIZE + 1];
    clear_variables();
    memset(name, 'x', sizeof name);
    name[CW_NBC_PATH_SIZE] = '\0';
    setenv("CROSSWIND_NBC_FABRIC", name, 1);
    assert_int_equal(read_settings(), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "CROSSWIND_NBC_FABRIC: the name is too long"));
    name[CW_NBC_PATH_SIZE - 1] = '\0';
    setenv("CROSSWIND_NBC_FABRIC", name, 1);
    assert_int_equal(read_settings(), 0);
    assert_string_equal(settings.fabric, name);
    clear_variables();
}

/* What is kept counts where it was measured here; what a user names must fit. */
static void test_tuning(void **state)
{
    (void)state;
    struct cw_nbc_tuning tuning = {.site = cw_nbc_site_of("Open MPI v4.1.4"), .n = 1};
    struct cw_text path = {0};
    tuning.items[0] = (struct cw_nbc_choice){
        .ranks = 4, .cores = 1, .bytes = 8192, .native_total = 1, .total = 1, .blocking = 1, .workers = 1};
    clear_variables();
    setenv("XDG_CACHE_HOME", place, 1);
    assert_int_equal(cw_nbc_tuning_path("openmpi", &path), 0);
    assert_int_equal(cw_nbc_tuning_write(path.data, &tuning), 0);
    assert_int_equal(read_settings(), 0);
    assert_int_equal(settings.tuning_state, CW_NBC_TUNING_USED);
    assert_int_equal(settings.tuning.n, 1);
    assert_int_equal(cw_nbc_settings_read("MPICH Version: 4", &settings), 0); /* of that nothing is kept */
    assert_int_equal(settings.tuning_state, CW_NBC_TUNING_NONE);
    tuning.site.processors++;
    assert_int_equal(cw_nbc_tuning_write(path.data, &tuning), 0);
    assert_int_equal(read_settings(), 0);
    assert_int_equal(settings.tuning_state, CW_NBC_TUNING_UNFIT);
    assert_int_equal(settings.tuning.n, 0);
    setenv("CROSSWIND_NBC_TUNING", path.data, 1);
    assert_int_equal(read_settings(), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "processors; this machine has"));
    tuning.site.processors--;
    assert_int_equal(cw_nbc_tuning_write(path.data, &tuning), 0);
    assert_int_equal(read_settings(), 0);
    assert_int_equal(settings.tuning_state, CW_NBC_TUNING_USED);
    cw_text_free(&path);
    clear_variables();
}

static void test_names(void **state)
{
    (void)state;
    setenv("CROSSWIND_NBC_TUNING", "off", 1);
    setenv("CROSSWIND_NBC_COREZ", "1", 1);
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "did you mean CROSSWIND_NBC_CORES?"));
    unsetenv("CROSSWIND_NBC_COREZ");
    setenv("CROSSWIND_NBCX", "1", 1); /* somebody else's */
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), 0);
    unsetenv("CROSSWIND_NBCX");
}

static void test_copy(void **state)
{
    (void)state;
    setenv("CROSSWIND_NBC_TUNING", "off", 1);
    unsetenv("CROSSWIND_NBC_COPY");
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), 0);
    assert_int_equal(settings.copy, CW_NBC_COPY_AUTO);
    setenv("CROSSWIND_NBC_COPY", "attach", 1);
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), 0);
    assert_int_equal(settings.copy, CW_NBC_COPY_ATTACH);
    setenv("CROSSWIND_NBC_COPY", "segment", 1);
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), 0);
    assert_int_equal(settings.copy, CW_NBC_COPY_SEGMENT);
    setenv("CROSSWIND_NBC_COPY", "carrier", 1);
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "CROSSWIND_NBC_COPY"));
}

/* Numbers and ranges, of which the last number there is belongs to the list, too. */
static void test_cores(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",    "a",   "-1",   "1-",   "1-a", "1--3",   "+1",    "1,+2", "1 ",
                                        "1;2", "3-2", "1024", "5000", ",1",  "0-1024", "1-2-3", "1,,2", "1025-1024"};
    char all[32];
    cpu_set_t set;
    assert_int_equal(cw_nbc_cores_parse("C", "0-0", &set), 0);
    assert_true(CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set));
    assert_int_equal(cw_nbc_cores_parse("C", "0,4-7,2-2", &set), 0);
    for (size_t core = 0; core < CPU_SETSIZE; core++)
        assert_true(!CPU_ISSET(core, &set) == !(core == 0 || core == 2 || (core >= 4 && core <= 7)));
    snprintf(all, sizeof all, "0-%d", CPU_SETSIZE - 1);
    assert_int_equal(cw_nbc_cores_parse("C", all, &set), 0);
    assert_int_equal(CPU_COUNT(&set), CPU_SETSIZE);
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (cw_nbc_cores_parse("C", wrong[i], &set) != CW_EUSAGE) fail_msg("'%s' is a list of cores", wrong[i]);
        assert_non_null(strstr(cw_error_message(), "C: '"));
    }
}

int main(void)
{
#define WITH_PLACE(TEST) cmocka_unit_test_setup_teardown(TEST, make_place, remove_place)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules), cmocka_unit_test(test_refusals),  cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_names),     cmocka_unit_test(test_copy),      cmocka_unit_test(test_cores),
        cmocka_unit_test(test_kept_path), cmocka_unit_test(test_kept_word), WITH_PLACE(test_kept_write),
        WITH_PLACE(test_defaults),        WITH_PLACE(test_values),          WITH_PLACE(test_wrong_values),
        WITH_PLACE(test_tuning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
