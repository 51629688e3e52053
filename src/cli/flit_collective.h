/* `crosswind flit --schedule`: the time of a collective at flit level, alone and perturbed, beside the congestion
 * model's. */
#ifndef CW_CLI_FLIT_COLLECTIVE_H
#define CW_CLI_FLIT_COLLECTIVE_H

#include "cli/fabric.h"
#include "cli/verb.h"
#include "sim/flit/flit.h"

int flit_collective(struct invocation *invocation, const struct fabric *fabric, const struct cw_flit_hardware *hardware,
                    uint32_t message_flits);

#endif
