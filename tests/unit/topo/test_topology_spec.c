/* Specifications: notations, suffixes, files, and what is refused and how. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_same_network(const char *a, const char *b)
{
    struct cw_network *left = build(a), *right = build(b);
    if (!cw_network_equal(left, right)) fail_msg("%s, %s: %s", a, b, cw_error_message());
    assert_string_equal(left->title, a);
    cw_network_free(left);
    cw_network_free(right);
}

static void test_notations(void **state)
{
    (void)state;
    assert_same_network("XGFT(2,12,6)", "xgft:2:12,12:1,6:radix=24");
    assert_same_network("xgft:2:4,4:1,2:1,2", "xgft:2:4,4:1,2:radix=8");
    assert_same_network("Torus:4x3", "torus(4x3)");
    assert_same_network("torus:k=4x3", "torus:4x3");
    assert_same_network("DragonFly(2,4,2,g=5)", "dragonfly:2,4,2,g=5");
    assert_same_network("dragonfly:2,4,2,g=9", "dragonfly:2,4,2");
    assert_same_network("torus:2x3,doubled", "torus:2x3,doubled=yes");
    assert_same_network("crossbar:5@40Gbit/s", "crossbar:5");
    assert_same_network("crossbar:5@5GB/s,100ns", "crossbar:5");
}

static void test_link(void **state)
{
    (void)state;
    struct cw_network *net = build("xgft(2,12,6)@100Gbit/s");
    assert_true(net->capacity[0] >= 12.5e9 && net->capacity[0] <= 12.5e9);
    assert_true(net->latency[0] >= 100e-9 && net->latency[0] <= 100e-9);
    cw_network_free(net);
    net = build("crossbar:2@1GB/s,0ns");
    assert_true(net->latency[0] <= 0);
    cw_network_free(net);
}

/* SPEC is refused with CODE and a message that contains PART. */
static void refuse(const char *spec, int code, const char *part)
{
    struct cw_network *net = NULL;
    const int rc = cw_topology_build(spec, &net);
    if (rc == 0) fail_msg("%s was not refused", spec);
    if (rc != code || !strstr(cw_error_message(), part))
        fail_msg("%s: %d \"%s\", expected %d with \"%s\"", spec, rc, cw_error_message(), code, part);
    assert_null(net);
}

static void test_unknown_names(void **state)
{
    (void)state;
    refuse("tours:4x4", CW_EUSAGE, "did you mean 'torus'?");
    refuse("Dragonfli:2,4,2", CW_EUSAGE, "did you mean 'dragonfly'?");
    refuse("kautz:2", CW_EUSAGE, "there are xgft, torus");
    refuse("", CW_EUSAGE, "no topology is called ''");
}

static void test_wrong_xgft(void **state)
{
    (void)state;
    refuse("xgft", CW_EUSAGE, "expected xgft:H");
    refuse("xgft:", CW_EUSAGE, "expected xgft:H");
    refuse("xgft:2:4,4", CW_EUSAGE, "2 parts");
    refuse("xgft:2:4,4:1,4:1,1:1", CW_EUSAGE, "5 parts");
    refuse("xgft:0:4:1", CW_EUSAGE, "height 0; expected 1 to 16");
    refuse("xgft:17:4:1", CW_EUSAGE, "height 17");
    refuse("xgft:two:4,4:1,4", CW_EUSAGE, "'two'");
    refuse("xgft:2:4,4,4:1,4", CW_EUSAGE, "m: '4,4,4' has 3 numbers; expected one for each of 2 levels");
    refuse("xgft:2:4,4:1", CW_EUSAGE, "w: '1' has 1 numbers");
    refuse("xgft:2:4,0:1,4", CW_EUSAGE, "m: 0 is out of range");
    refuse("xgft:2:4,4:1,-4", CW_EUSAGE, "w: -4 is out of range");
    refuse("xgft:2:4,4:1,4:1,0", CW_EUSAGE, "cables: 0 is out of range");
    refuse("xgft:2:4,4:1,4:radix=0", CW_EUSAGE, "radix: 0 is out of range");
    refuse("xgft:2:4,4:1,4:radix=x", CW_EUSAGE, "'x'");
    refuse("xgft:2:4,4:1,4:radix=7", CW_EUSAGE,
           "radix 7 is too small: a switch of level 1 has 4 down ports and 4 parents");
    refuse("xgft:2:4,9:1,4:radix=8", CW_EUSAGE, "radix 8 is too small: a switch of level 2 has 9 down ports");
    refuse("xgft:2:3,3:1,2:radix=6", CW_EUSAGE, "do not spread evenly");
    refuse("xgft(2,12)", CW_EUSAGE, "has 2 numbers; height 2 needs 3");
    refuse("xgft(2,12,6,1)", CW_EUSAGE, "needs 3");
    refuse("xgft(0)", CW_EUSAGE, "height 0");
    refuse("xgft()", CW_EUSAGE, "empty");
    refuse("xgft(2,12,7)", CW_EUSAGE, "do not spread evenly");
    refuse("xgft(2,12,6", CW_EUSAGE, "expected one ')', at the end");
    refuse("xgft(", CW_EUSAGE, "expected one ')', at the end");
    refuse("xgft(2,12,6):radix=24", CW_EUSAGE, "expected one ')', at the end");
}

static void test_wrong_parameters(void **state)
{
    (void)state;
    refuse("torus", CW_EUSAGE, "torus needs k");
    refuse("torus:", CW_EUSAGE, "torus");
    refuse("torus:4,4", CW_EUSAGE, "'4'");
    refuse("torus:4x1x4", CW_EUSAGE, "dimension 1 has size 1; leave it out");
    refuse("torus:4x0", CW_EUSAGE, "dimension 1 has size 0");
    refuse("torus:4y4", CW_EUSAGE, "'4y4'");
    refuse("torus:2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", CW_EUSAGE,
           "32 dimensions; at most 31");
    refuse("torus:4x4,dubled", CW_EUSAGE, "dubled");
    refuse("mesh:4x4,doubled", CW_EUSAGE, "doubled");
    refuse("mesh:1", CW_EUSAGE, "mesh: dimension 0 has size 1");
    refuse("hypercube:0", CW_EUSAGE, "0");
    refuse("hypercube:32", CW_EUSAGE, "31");
    refuse("bgq:500", CW_EUSAGE, "no partition of 500 nodes; there are 512, 1024");
    refuse("dragonfly:2,4", CW_EUSAGE, "dragonfly needs h");
    refuse("dragonfly:0,4,2", CW_EUSAGE, "'p'");
    refuse("dragonfly:2,4,2,g=10", CW_EUSAGE, "at most 9 groups");
    refuse("dragonfly:2,4,2,g=-1", CW_EUSAGE, "-1 groups");
    refuse("dragonfly:60000,60000,1", CW_EUSAGE, "ports");
    refuse("crossbar:0", CW_EUSAGE, "crossbar");
    refuse("crossbar:5@", CW_EUSAGE, "capacity of links");
    refuse("crossbar:5@0", CW_EUSAGE, "expected more than 0");
    refuse("crossbar:5@fast", CW_EUSAGE, "'fast'");
    refuse("crossbar:5@1GB/s,soon", CW_EUSAGE, "latency of links: 'soon'");
}

/* Too large ones are refused before anything is built, with the size that would be needed. */
static void test_too_large(void **state)
{
    (void)state;
    refuse("xgft:6:100,100,100,100,100,100:1,1,1,1,1,1", CW_ELIMIT, "1010101010101 vertices");
    refuse("torus:100000x100000", CW_ELIMIT, "20000000000 vertices");
    refuse("hypercube:31", CW_ELIMIT, "4294967296 vertices");
    refuse("torus:4000000000x4000000000x4000000000", CW_ELIMIT, "vertices");
    refuse("dragonfly:1000,1000,1000", CW_ELIMIT, "1001001001000 vertices");
    refuse("crossbar:4294967295", CW_ELIMIT, "4294967296 vertices");
    refuse("xgft:16:2000000000,2000000000,2000000000,2,2,2,2,2,2,2,2,2,2,2,2,2:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
           CW_ELIMIT, "vertices");
    refuse("xgft:1:4:2000000000:2000000000", CW_ELIMIT, "up cables");
}

static void test_is_spec(void **state)
{
    (void)state;
    assert_true(cw_topology_is_spec("torus:10x10"));
    assert_true(cw_topology_is_spec("XGFT(2,12,6)"));
    assert_true(cw_topology_is_spec("crossbar:"));
    assert_false(cw_topology_is_spec("torus"));
    assert_false(cw_topology_is_spec("torus.json"));
    assert_false(cw_topology_is_spec("tours:10x10"));
    assert_false(cw_topology_is_spec("./torus:4x4"));
    assert_false(cw_topology_is_spec("-"));
    assert_false(cw_topology_is_spec(""));
}

static void test_open(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    assert_int_equal(cw_network_open("hypercube:3", &net), 0);
    assert_int_equal(net->n_endpoints, 8);
    cw_network_free(net);
    net = NULL;
    assert_int_equal(cw_network_open("hypercub:3", &net), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "did you mean 'hypercube'?"));
    assert_int_equal(cw_network_open("no-such-file.json", &net), CW_EIO);
    assert_int_equal(cw_network_open("C:nowhere", &net), CW_EIO);
    assert_null(net);
}

/* A file called like a specification is a file. */
static void test_file_wins(void **state)
{
    (void)state;
    char folder[] = "/tmp/crosswind-test-XXXXXX", before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    FILE *file = fopen("torus:4x4", "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    struct cw_network *net = NULL;
    const int rc = cw_network_open("torus:4x4", &net);
    unlink("torus:4x4");
    assert_int_equal(chdir(before), 0);
    rmdir(folder);
    assert_int_not_equal(rc, 0); /* an empty file is no network */
    assert_null(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notations),        cmocka_unit_test(test_link),
        cmocka_unit_test(test_unknown_names),    cmocka_unit_test(test_wrong_xgft),
        cmocka_unit_test(test_wrong_parameters), cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_is_spec),          cmocka_unit_test(test_open),
        cmocka_unit_test(test_file_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
