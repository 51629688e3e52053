/*
 * Tables of the real subnet manager: the project's own, and those for fabrics that are not in the repository: every
 * *.lfts.xz beside an ibnetdiscover file in the folders of $CW_SHARED/fabrics (default: ../shared beside the
 * repository), skipped if there are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>

#include "../skip.h"
#include "base/text.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "route/files/lft_file.h"
#include "route_test.h"
#include "topo/recognise.h"

static glob_t files_like(const char *pattern)
{
    const char *shared = getenv("CW_SHARED");
    struct cw_text text = {0};
    glob_t found = {0};
    cw_text_printf(&text, "%s/fabrics/%s", shared ? shared : CW_TEST_DATA "/../../shared", pattern);
    glob(text.data, 0, NULL, &found);
    cw_text_free(&text);
    return found;
}

static struct cw_network *network_at(const char *path)
{
    struct cw_network *net = NULL;
    must(cw_network_read(path, &net));
    return net;
}

/* The fabric that is in the same folder as PATH. */
static struct cw_network *fabric_beside(const char *path)
{
    struct cw_text pattern = {0};
    glob_t found = {0};
    cw_text_append(&pattern, path, (size_t)(strrchr(path, '/') + 1 - path));
    cw_text_add(&pattern, "*ibnetdiscover*");
    assert_int_equal(glob(pattern.data, 0, NULL, &found), 0);
    struct cw_network *net = network_at(found.gl_pathv[0]);
    globfree(&found);
    cw_text_free(&pattern);
    return net;
}

static struct cw_text unpack(const char *path)
{
    struct cw_text command = {0}, text = {0};
    char block[1 << 14];
    cw_text_printf(&command, "xz -dc '%s'", path);
    FILE *stream = popen(command.data, "r");
    assert_non_null(stream);
    for (size_t n; (n = fread(block, 1, sizeof block, stream)) > 0;) cw_text_append(&text, block, n);
    assert_int_equal(pclose(stream), 0);
    cw_text_free(&command);
    return text;
}

static bool has_any(const char *path, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(path, *parts)) return true;
    return false;
}

/* Everything matches and every pair of endpoints is connected. */
static struct cw_routes *check(const struct cw_network *net, const char *path, const struct cw_text *text)
{
    static const char *const minimal[] = {"/minhop.", "/ftree.", "/dor.", "/dump_fts.", NULL};
    /* Shortest routes on a tree; up/down from a root that was named; Nue, which searches in the dependency graph.
     * OpenSM's updn without roots finds none where switches have aggregation nodes, and is not free of deadlocks there.
     */
    static const char *const deadlock_free[] = {"/ft16/", "/xgft_2_24_12/", "/psmn_X5/", "/updn-root.", "/nue.", NULL};
    struct cw_lft_report report;
    struct cw_routes *routes = NULL;
    struct cw_reach reach;
    struct cw_deadlock deadlock;
    must(cw_lft_parse(net, path, text->data, text->length, &report, &routes));
    if (report.holes + report.lids_unknown + report.lids_moved + report.switches_unknown > 0)
        fail_msg("%s: %s", path, report.details.data);
    cw_text_free(&report.details);
    assert_int_equal(report.entries, (uint64_t)net->n_endpoints * cw_network_switches(net));
    must(cw_routes_reach(routes, NULL, 0, 2, &reach));
    if (reach.first_problem.data) fail_msg("%s: %s", path, reach.first_problem.data);
    assert_int_equal(reach.reached, (uint64_t)net->n_endpoints * (net->n_endpoints - 1));
    if (has_any(path, minimal)) assert_int_equal(reach.minimal, reach.reached);
    must(cw_routes_deadlock(routes, 0, 2, &deadlock));
    if (has_any(path, deadlock_free)) assert_true(deadlock.acyclic);
    if (strstr(path, "torus_4_3/dor.")) assert_int_equal(deadlock.cycle_length, 4);
    cw_deadlock_free(&deadlock);
    cw_reach_free(&reach);
    return routes;
}

static void test_all_tables(void **state)
{
    (void)state;
    glob_t found = files_like("*/*.lfts.xz");
    if (found.gl_pathc == 0) {
        globfree(&found);
        skip_because("no tables of real fabrics; CW_SHARED names the folder that has fabrics/*/*.lfts.xz");
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct cw_network *net = fabric_beside(found.gl_pathv[i]);
        struct cw_text text = unpack(found.gl_pathv[i]);
        cw_routes_free(check(net, found.gl_pathv[i], &text));
        cw_text_free(&text);
        cw_network_free(net);
    }
    globfree(&found);
}

/* OpenSM's dimension-order routing takes "+" half-way round, as dor does: on a torus that is recognised with OpenSM's
 * own order of dimensions all routes are the same. */
static void test_dimension_order(void **state)
{
    (void)state;
    glob_t found = files_like("torus_4_3/dor.lfts.xz");
    if (found.gl_pathc == 0) {
        globfree(&found);
        skip_because("no tables of a torus; CW_SHARED names the folder that has fabrics/torus_4_3/dor.lfts.xz");
    }
    struct cw_network *net = fabric_beside(found.gl_pathv[0]);
    struct cw_text text = unpack(found.gl_pathv[0]);
    struct cw_routes *theirs = check(net, found.gl_pathv[0], &text), *ours = NULL;
    must(cw_network_recognise(net));
    must(cw_engine_route(net, "dor", 1, 1, &ours));
    struct all_routes a = all_routes_of(theirs), b = all_routes_of(ours);
    assert_same_paths(&a, &b);
    free_all_routes(&a);
    free_all_routes(&b);
    cw_routes_free(theirs);
    cw_routes_free(ours);
    cw_text_free(&text);
    cw_network_free(net);
    globfree(&found);
}

static void check_bundled(const char *fabric, const char *tables)
{
    struct cw_text text = {0};
    struct cw_network *net = network_at(fabric);
    must(cw_file_read(tables, &text));
    cw_routes_free(check(net, tables, &text));
    cw_text_free(&text);
    cw_network_free(net);
}

/* The project's own, which are always there. */
static void test_bundled_tables(void **state)
{
    (void)state;
    check_bundled(CW_TEST_DATA "/../examples/sample/fabric.ibnetdiscover",
                  CW_TEST_DATA "/../examples/sample/opensm-lfts.dump");
    check_bundled(CW_TEST_DATA "/golden/fabric/two-level.ibnetdiscover", CW_TEST_DATA "/golden/fabric/two-level.lfts");
    check_bundled(CW_TEST_DATA "/golden/fabric/two-level-lmc.ibnetdiscover",
                  CW_TEST_DATA "/golden/fabric/two-level-lmc.lfts");
}

/* The same tables in the other formats. */
static void check_same(const char *path, const char *like)
{
    struct cw_network *net = fabric_beside(path);
    struct cw_text packed = {0}, text = {0}, other = {0};
    cw_text_append(&packed, path, (size_t)(strrchr(path, '/') + 1 - path));
    cw_text_add(&packed, like);
    text = unpack(packed.data);
    must(cw_file_read(path, &other));
    struct cw_routes *a = check(net, packed.data, &text), *b = check(net, path, &other);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
            assert_int_equal(cw_routes_table_port(a, v, dst), cw_routes_table_port(b, v, dst));
    cw_routes_free(a);
    cw_routes_free(b);
    cw_text_free(&packed);
    cw_text_free(&text);
    cw_text_free(&other);
    cw_network_free(net);
}

static void test_other_formats(void **state)
{
    (void)state;
    glob_t found = files_like("*/*.fdbs"), dumps = files_like("*/dump_fts.txt");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct cw_text like = {0};
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        cw_text_append(&like, name, strlen(name) - strlen("fdbs"));
        cw_text_add(&like, "lfts.xz");
        check_same(found.gl_pathv[i], like.data);
        cw_text_free(&like);
    }
    for (size_t i = 0; i < dumps.gl_pathc; i++) check_same(dumps.gl_pathv[i], "ftree.lfts.xz");
    const bool none = found.gl_pathc + dumps.gl_pathc == 0;
    globfree(&found);
    globfree(&dumps);
    if (none) skip_because("no tables of real fabrics in other formats");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bundled_tables), cmocka_unit_test(test_all_tables),
                                       cmocka_unit_test(test_dimension_order), cmocka_unit_test(test_other_formats)};
    return run_cases(tests);
}
