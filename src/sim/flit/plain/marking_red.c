/* Marks by chance, the more the longer the queue (Y. Zhu et al., "Congestion control for large-scale RDMA deployments",
 * SIGCOMM 2015, section 3.1 and figure 5: the congestion point of DCQCN): never up to Kmin, with a probability that
 * rises to Pmax at Kmax, always beyond. The length is that of the moment. */
#include "base/error.h"
#include "sim/flit/plain/plain.h"

struct red {
    int64_t min, max;
    double most;
};

static const struct cw_option options[] = {
    {.name = "min",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct red, min),
     .value_name = "FLITS",
     .default_text = "8",
     .max = 1e9,
     .positional = true,
     .help = "Kmin: nothing is marked up to this many flits in the output buffer"},
    {.name = "max",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct red, max),
     .value_name = "FLITS",
     .default_text = "48",
     .max = 1e9,
     .positional = true,
     .help = "Kmax: everything is marked beyond this many"},
    {.name = "most",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct red, most),
     .value_name = "P",
     .default_text = "0.1",
     .min = 1e-9,
     .max = 1,
     .positional = true,
     .help = "Pmax: the probability at Kmax"},
    {.name = NULL},
};

static bool marks(const void *values, uint32_t queued, uint64_t random)
{
    const struct red *red = values;
    if (queued <= red->min) return false;
    if (queued > red->max) return true;
    const double p = red->most * (double)(queued - red->min) / (double)(red->max - red->min);
    return (double)(random >> 11) * 0x1p-53 < p;
}

static int check(const void *values)
{
    const struct red *red = values;
    if (red->min < red->max) return 0;
    return cw_fail(CW_EUSAGE, "marking red: min of %lld flits and max of %lld, expected less than max",
                   (long long)red->min, (long long)red->max);
}

static const struct cw_plain_marking operations = {.marks = marks, .check = check};

const struct cw_flit_module cw_flit_marking_red = {
    .name = "red",
    .help =
        "the longer the output buffer's queue of a lane, the more probably its messages are marked (Zhu et al. 2015)",
    .options = options,
    .size = sizeof(struct red),
    .operations = &operations};
