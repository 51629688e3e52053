/* What the tests of models share. */
#ifndef CW_TESTS_MODEL_TEST_H
#define CW_TESTS_MODEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "topo/topology.h"
#include "traffic/workload.h"

/* A network and a workload on it, rank r on endpoints[r]. */
struct setting {
    struct cw_network *net;
    struct cw_workload *workload;
    uint32_t *endpoints;
};

/* One rank on each endpoint of NET, which it takes over, contiguously. */
static inline struct setting set_up(struct cw_network *net, const char *workload)
{
    struct setting out = {.net = net, .endpoints = calloc(net->n_endpoints, sizeof *out.endpoints)};
    struct cw_ranks ranks;
    assert_non_null(out.endpoints);
    for (uint32_t r = 0; r < net->n_endpoints; r++) out.endpoints[r] = r;
    cw_ranks_of(net, net->n_endpoints, &ranks);
    if (cw_workload_new(workload, &ranks, 1, &out.workload) != 0) fail_msg("%s: %s", workload, cw_error_message());
    return out;
}

static inline struct setting setting_of(const char *topology, const char *workload)
{
    struct cw_network *net = NULL;
    if (cw_topology_build(topology, &net) != 0) fail_msg("%s: %s", topology, cw_error_message());
    return set_up(net, workload);
}

static inline void tear_down(struct setting *setting)
{
    cw_workload_free(setting->workload);
    cw_network_free(setting->net);
    free(setting->endpoints);
}

/* Puts the ranks of group i on group ORDER[i]. */
static inline void place_groups(struct setting *setting, const uint32_t *order)
{
    const struct cw_dragonfly *shape = &setting->net->shape.dragonfly;
    const uint32_t size = shape->a * shape->p;
    for (uint32_t r = 0; r < setting->net->n_endpoints; r++) setting->endpoints[r] = order[r / size] * size + r % size;
}

static inline void check_near(double got, double right, double tolerance)
{
    if (!(fabs(got - right) <= tolerance)) fail_msg("%.17g instead of %.17g", got, right);
}

static inline void check_message(const char *part)
{
    if (!strstr(cw_error_message(), part)) fail_msg("\"%s\" does not say \"%s\"", cw_error_message(), part);
}

#endif
