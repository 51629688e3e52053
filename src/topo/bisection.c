#include "base/error.h"
#include "topo/metrics.h"

int cw_network_bisection(const struct cw_network *net, uint64_t seed, struct cw_bisection *out)
{
    const int rc = cw_network_bisection_by_formula(net, out);
    return rc == CW_EUSAGE ? cw_network_bisection_by_search(net, seed, out) : rc;
}
