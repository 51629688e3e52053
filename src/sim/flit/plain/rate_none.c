/* Sources send as fast as their channels. */
#include "sim/flit/plain/plain.h"

static const struct cw_plain_rate_control operations = {.begin = NULL};

const struct cw_flit_module cw_flit_rate_none = {
    .name = "none", .help = "sources send as fast as their channels allow", .tuned = true, .operations = &operations};
