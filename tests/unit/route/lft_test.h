/*
 * What the tests of forwarding-table files share: golden/fabric, a fat tree of two levels as OpenSM, ibsim and the
 * diagnostics dumped it.
 */
#ifndef CW_TEST_LFT_TEST_H
#define CW_TEST_LFT_TEST_H

#include "base/text.h"
#include "check_test.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/check.h"
#include "route/files/lft_file.h"

#define FABRIC CW_TEST_DATA "/golden/fabric/"

enum { SWITCHES = 6, HOSTS = 16, ENTRIES = SWITCHES * HOSTS };

static inline struct cw_network *fabric(const char *name)
{
    struct cw_network *net = NULL;
    struct cw_text path = {0};
    cw_text_printf(&path, "%s%s", FABRIC, name);
    must(cw_network_read(path.data, &net));
    cw_text_free(&path);
    return net;
}

static inline struct cw_text content(const char *name)
{
    struct cw_text path = {0}, text = {0};
    cw_text_printf(&path, "%s%s", FABRIC, name);
    must(cw_file_read(path.data, &text));
    cw_text_free(&path);
    return text;
}

static inline struct cw_routes *parse(const struct cw_network *net, const struct cw_text *text,
                                      struct cw_lft_report *report)
{
    struct cw_routes *routes = NULL;
    must(cw_lft_parse(net, "tables", text->data, text->length, report, &routes));
    return routes;
}

static inline struct cw_routes *tables(const struct cw_network *net, const char *name, struct cw_lft_report *report)
{
    struct cw_text text = content(name);
    struct cw_routes *routes = parse(net, &text, report);
    cw_text_free(&text);
    return routes;
}

static inline void assert_same_tables(const struct cw_routes *a, const struct cw_routes *b)
{
    const struct cw_network *net = cw_routes_network(a);
    assert_int_equal(cw_routes_network(b)->n_vertices, net->n_vertices);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
            assert_int_equal(cw_routes_table_port(a, v, dst), cw_routes_table_port(b, v, dst));
}

static inline void assert_all_arrive(const struct cw_routes *routes)
{
    struct cw_reach reach;
    must(cw_routes_reach(routes, NULL, 0, 1, &reach));
    assert_int_equal(reach.reached, HOSTS * (HOSTS - 1));
    assert_int_equal(reach.minimal, HOSTS * (HOSTS - 1));
    cw_reach_free(&reach);
}

/* Everything matches, and nothing is left to tell. */
static inline void assert_complete(struct cw_lft_report *report, const char *format)
{
    assert_string_equal(report->format, format);
    assert_int_equal(report->switches_matched, SWITCHES);
    assert_int_equal(report->switches_without_table + report->switches_unknown, 0);
    assert_int_equal(report->lids_unknown + report->lids_moved + report->lids_by_number, 0);
    assert_int_equal(report->endpoints_without_lid, 0);
    assert_int_equal(report->entries, ENTRIES);
    assert_int_equal(report->entries_bad_port + report->holes, 0);
    assert_null(report->details.data);
    cw_text_free(&report->details);
}

#endif
