/* Marks what finds a queue of some length (K. K. Ramakrishnan, S. Floyd, D. Black, RFC 3168, 2001, has the mark; M.
 * Alizadeh et al., "Data center TCP", SIGCOMM 2010, section 3.1, the single threshold on the length at that moment). */
#include "sim/flit/plain/plain.h"

struct threshold {
    int64_t flits;
};

static const struct cw_option options[] = {
    {.name = "flits",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct threshold, flits),
     .value_name = "N",
     .default_text = "32",
     .min = 0,
     .max = 1e9,
     .positional = true,
     .help = "number of flits in the output buffer from which on a message that joins them is marked"},
    {.name = NULL},
};

static bool marks(const void *values, uint32_t queued, uint64_t random)
{
    (void)random;
    return (int64_t)queued >= ((const struct threshold *)values)->flits;
}

static const struct cw_plain_marking operations = {.marks = marks};

const struct cw_flit_module cw_flit_marking_threshold = {
    .name = "threshold",
    .help = "a message is marked if it finds this many flits in the output buffer of its lane",
    .options = options,
    .size = sizeof(struct threshold),
    .operations = &operations};
