/* Options of `crosswind flit`, beside those of all verbs that simulate flits (study/flit/flit_how.h). */
#ifndef CW_CLI_FLIT_OPTIONS_H
#define CW_CLI_FLIT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/option.h"
#include "study/flit/flit_how.h"

struct flit_options {
    char *traffic, *routings, *lft, *repair, *paths, *placement;
    struct cw_reals loads;    /* as given; none: flit_options_loads */
    struct cw_flit_span span; /* of what is measured at each */
    bool unsteady, analytic;
    char *series, *channels, *histogram;
    int64_t top;
};

/* The loads that were asked for, borrowed; full load if none were. */
struct cw_reals flit_options_loads(const struct flit_options *values);

extern const struct cw_option flit_option_table[];

#endif
