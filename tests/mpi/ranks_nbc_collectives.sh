#!/bin/sh
# Nonblocking collectives of libcrosswind-nbc against MPI's blocking ones: random, many at once, several communicators.
# usage: ranks_nbc_collectives.sh MPI FOLDER
. "$(dirname "$0")/launch.sh"
program=$2/program_nbc
export CROSSWIND_NBC_CORES=0 CROSSWIND_NBC_MIN=0
export OMPI_MCA_btl_vader_single_copy_mechanism=none # so that long messages need who sends them

# try RANKS COMMAND...
try()
{
    launch "$@" >out 2>&1 || { cat out >&2; fail "$*"; }
    grep -qx '[0-9]* operations' out || fail "$*: $(cat out)"
}

# with VARIABLE=VALUE ARGUMENTS...: the same with a variable of its own.
with()
{
    setting=$1
    shift
    ranks=$1
    shift
    try "$ranks" env "$setting" "$@"
}

[ "$(launch 1 "$2/program_types")" = "types: as they are" ] || fail "$(launch 1 "$2/program_types")"
for ranks in 1 2 5; do try $ranks "$program" 100 500 $ranks; done
try 4 "$program" 100 30000 7 # several chunks each
with CROSSWIND_NBC_SCHEDULE=slices:0.5 3 "$program" 100 30000 8
with CROSSWIND_NBC_SCHEDULE=split-tree:1 4 "$program" 100 30000 8
with CROSSWIND_NBC_SCHEDULE=split-tree:2 3 "$program" 100 5000 8
with CROSSWIND_NBC_COPY=segment 4 "$program" 100 30000 7
with CROSSWIND_NBC_MIN=4KiB 3 "$program" 200 3000 9 # ours and MPI's own mixed
# What rank 0 is told counts for all; what others are told, for nobody.
try 1 "$program" 20 3000 9 : -n 1 env CROSSWIND_NBC_MIN=some CROSSWIND_NBC_SCHEDULE=none "$program" 20 3000 9

# A rank that others cannot reach is an error where ranks are to reach each other. UCX may not use the kernel's copies, nor
# TCP beside shared memory, whose ends MPICH 4.0.2 sometimes waits for in MPI_Finalize for ever.
status=0
UNREACHABLE=1 UCX_TLS=posix,self CROSSWIND_NBC_COPY=attach with_library "$2/preload_reach.so" 3 "$program" 10 3000 12 >out 2>err || status=$?
[ $status -ne 0 ] && [ $status -ne 124 ] && grep -q "the kernel does not let ranks reach each other's memory" err || fail "attached: $status: $(cat err)"

# A rank that is killed ends the job.
status=0
launch 3 "$program" 300 3000 10 150 >out 2>&1 || status=$?
[ $status -ne 0 ] && [ $status -ne 124 ] || fail "a rank that was killed went unnoticed: exit status $status"

# What is read and what comes of it.
launch 3 env CROSSWIND_NBC_VERBOSE=1 "$program" 1 10 1 2>err >/dev/null
grep -qx "crosswind-nbc: $(hostname): 3 ranks, communication cores 0, messages from 0 bytes on" err || fail "says: $(cat err)"
CROSSWIND_NBC=off launch 3 env CROSSWIND_NBC_VERBOSE=yes "$program" 100 10 1 2>err >/dev/null || fail "switched off"
grep -q 'switched off' err || fail "says: $(cat err)"
if launch 2 env CROSSWIND_NBC_CORES=x "$program" 1 10 1 >out 2>&1; then fail "a list of cores that is none was accepted"; fi
grep -q "CROSSWIND_NBC_CORES: 'x' is not a list of cores" out || fail "says: $(cat out)"
exit $failed
