/* `crosswind flit --moves`: how long a plan takes, flit by flit. */
#ifndef CW_CLI_FLIT_MOVES_H
#define CW_CLI_FLIT_MOVES_H

#include "cli/flit/flit_mode.h"

int flit_moves(const struct flit_mode *mode);

#endif
