/* `crosswind flit --schedule`: the time of a collective at flit level, alone and perturbed, beside the congestion
 * model's. */
#ifndef CW_CLI_FLIT_COLLECTIVE_H
#define CW_CLI_FLIT_COLLECTIVE_H

#include "cli/flit/flit_completion.h"

int flit_collective(const struct flit_mode *mode);

#endif
