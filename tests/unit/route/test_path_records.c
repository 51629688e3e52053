/* What saquery prints of ports with several LIDs: only the records of the first count. */
#include "route_test.h"

#include "base/error.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "route/service_levels.h"

#define LEVELS CW_TEST_DATA "/golden/levels/"

/* From h0 to h1, whose LIDs are from 4 on; the level from 1 to 4 is 1. */
#define RECORD                                                                                                         \
    "PathRecord dump:\n\t\tdgid....fe80::1:0:101\n\t\tsgid....fe80::1:0:1\n\t\tdlid....%u\n\t\tslid....1\n"            \
    "\t\tsl......0x2\n"

/* The result of reading the ring's records and one more to DLID. */
static int read_with(const struct cw_network *net, unsigned dlid, struct cw_service_levels **levels)
{
    struct cw_text paths = {0}, maps = {0};
    must(cw_file_read(LEVELS "ring-6-dfsssp.saquery", &paths));
    must(cw_file_read(LEVELS "ring-6-dfsssp.smpquery", &maps));
    cw_text_printf(&paths, RECORD, dlid);
    const struct cw_levels_file path_records = {"paths", paths.data, paths.length};
    const struct cw_levels_file sl2vl = {"maps", maps.data, maps.length};
    const int rc = cw_service_levels_parse(net, &path_records, &sl2vl, levels);
    cw_text_free(&paths);
    cw_text_free(&maps);
    return rc;
}

static void further_lids(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_service_levels *levels;
    must(cw_network_read(LEVELS "ring-6.ibnetdiscover", &net));
    const uint32_t h0 = cw_network_find(net, "h0"), h1 = cw_network_find(net, "h1");
    assert_int_equal(read_with(net, 5, &levels), CW_EPARSE); /* no LID of h1: two levels of one pair */
    net->identity[h1].lmc = 1;
    assert_int_equal(read_with(net, 4, &levels), CW_EPARSE);
    assert_int_equal(read_with(net, 6, &levels), CW_EPARSE);
    must(read_with(net, 5, &levels));
    assert_int_equal(cw_service_levels_of(levels, h0, h1), 1);
    cw_service_levels_free(levels);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(further_lids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
