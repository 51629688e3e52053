#!/bin/sh
# What testbeds load into ranks: by the calls that reach UCX, and the naps that are taken. usage: ranks_polls.sh MPI FOLDER
. "$(dirname "$0")/launch.sh"
ranks=$(dirname "$crosswind_mpi")/libcrosswind-ranks.so
[ "$(launch 1 env LD_PRELOAD="$ranks:$2/preload_polls.so" "$2/program_polls")" = "as it should be" ] || fail "it differs"
[ $failed -eq 0 ]
