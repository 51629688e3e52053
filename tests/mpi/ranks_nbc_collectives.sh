#!/bin/sh
# Nonblocking collectives of libcrosswind-nbc against MPI's blocking ones: random, many at once, several communicators.
# usage: ranks_nbc_collectives.sh MPI FOLDER
. "$(dirname "$0")/launch.sh"
program=$2/program_nbc
export CROSSWIND_NBC_CORES=0 CROSSWIND_NBC_MIN=0

# try RANKS OPERATIONS ELEMENTS SEED
try()
{
    launch "$@" >out 2>&1 || { cat out >&2; fail "$*"; }
    grep -qx "$3 operations" out || fail "$*: $(cat out)"
}
for ranks in 1 2 3 5; do try $ranks "$program" 300 500 $ranks; done
try 4 "$program" 100 50000 7 # several chunks each
CROSSWIND_NBC_SCHEDULE=slices:0.5 try 3 "$program" 100 50000 8
CROSSWIND_NBC_SCHEDULE=split-tree:1 try 4 "$program" 200 50000 8
CROSSWIND_NBC_SCHEDULE=split-tree:2 try 5 "$program" 200 5000 8
CROSSWIND_NBC_MIN=4KiB try 4 "$program" 300 3000 9 # ours and MPI's own mixed

# What is read and what comes of it.
CROSSWIND_NBC_VERBOSE=yes launch 3 "$program" 1 10 1 2>err >/dev/null
grep -q ': 3 ranks, communication cores 0, messages from 0 bytes on$' err || fail "says: $(cat err)"
CROSSWIND_NBC=off CROSSWIND_NBC_VERBOSE=yes launch 3 "$program" 100 10 1 2>err >/dev/null || fail "switched off"
grep -q 'switched off' err || fail "says: $(cat err)"
if CROSSWIND_NBC_CORES=x launch 2 "$program" 1 10 1 >out 2>&1; then fail "a list of cores that is none was accepted"; fi
grep -q "CROSSWIND_NBC_CORES: 'x' is not a list of cores" out || fail "says: $(cat out)"
exit $failed
