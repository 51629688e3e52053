/* What the tests of demands and of the routes they take by default share. */
#ifndef CW_TESTS_DEMAND_TEST_H
#define CW_TESTS_DEMAND_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "flow/flow_problem.h"
#include "flow/plan.h"
#include "net/network_internal.h"
#include "topo/topology.h"

#define MIB UINT64_C(1048576)

static inline void must(int rc)
{
    if (rc != 0) fail_msg("%s", cw_error_message());
}

static inline void *zeros(size_t n, size_t size)
{
    void *items = calloc(n > 0 ? n : 1, size);
    assert_non_null(items);
    return items;
}

static inline struct cw_network *network_of(const char *spec)
{
    struct cw_network *net = NULL;
    must(cw_topology_build(spec, &net));
    return net;
}

/* Paths are free in most of these tests, and in their tori nodes are switches, as --relays switches has it. */
static inline int host_limit_of(const struct cw_network *net)
{
    return net->shape.kind == &cw_shape_torus ? -1 : 0;
}

static inline struct cw_demands pattern_of(const struct cw_network *net, const char *spec)
{
    struct cw_demands demands = {0};
    if (cw_demands_pattern(net, NULL, spec, 8 * MIB, 1, &demands)) fail_msg("%s: %s", spec, cw_error_message());
    return demands;
}

static inline void assert_same_paths(const struct cw_plan *a, const struct cw_plan *b)
{
    assert_int_equal(a->n_paths, b->n_paths);
    for (size_t i = 0; i < a->n_paths; i++) {
        const struct cw_plan_path *x = &a->paths[i], *y = &b->paths[i];
        assert_true(x->demand == y->demand && x->share == y->share && x->bytes == y->bytes && x->n == y->n);
        assert_memory_equal(a->channels + x->first, b->channels + y->first, x->n * sizeof *a->channels);
    }
}

#endif
