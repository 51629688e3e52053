#include "traffic/ranks.h"

#include "net/network_internal.h"
#include "net/shape.h"

void cw_ranks_of(const struct cw_network *net, uint32_t n, struct cw_ranks *out)
{
    const struct cw_groups groups = cw_shape_groups(&net->shape);
    *out = (struct cw_ranks){.n = n, .per_group = groups.n > 0 ? groups.endpoints : 1, .h = groups.links};
}
