/* What the tests of topologies share. */
#ifndef CW_TESTS_TOPO_TEST_H
#define CW_TESTS_TOPO_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "topo/topology.h"

static inline struct cw_network *build(const char *spec)
{
    struct cw_network *net = NULL;
    const int rc = cw_topology_build(spec, &net);
    if (rc != 0) fail_msg("%s: %s", spec, cw_error_message());
    return net;
}

#endif
