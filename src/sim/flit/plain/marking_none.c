/* Switches mark nothing. */
#include "sim/flit/plain/plain.h"

static const struct cw_plain_marking operations = {.marks = NULL};

const struct cw_flit_module cw_flit_marking_none = {
    .name = "none", .help = "switches mark nothing", .tuned = true, .operations = &operations};
