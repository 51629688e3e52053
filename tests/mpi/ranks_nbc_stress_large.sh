#!/bin/sh
# Collectives drawn at random, up to 64 MiB and 16 ranks, thousands of them; and two of more bytes than an int can count.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
stress=$2/stress

try()
{
    overlapped "$@" || {
        fail "$*"
        tail -n 20 said >&2
    }
    was_overlapped '[0-9]*' "$*" # programs' own operations on long vectors are left to MPI
}
more=6
if [ "$mpi" = mpich ]; then # whose ranks that wait keep the core from those that work, but for what testbeds load into them
    more=2
    preload=$preload:$(dirname "$crosswind_mpi")/libcrosswind-ranks.so
fi
try 2 "$stress" each 1 14 67108865 49 # the last sizes: 16 MiB and 64 MiB
try 4 "$stress" each 2 $((28 + 3 * more)) 2000011
try 5 "$stress" random 3 $((25 * more)) 100000
try 16 "$stress" random 4 $((3 * more)) 30000
try 16 "$stress" each 5 21 5000
try 4 "$stress" random 6 10 4000000
CROSSWIND_NBC_SCHEDULE=split-tree:1 try 4 "$stress" random 7 $((3 * more)) 300000
CROSSWIND_NBC_SCHEDULE=slices:0.3 try 4 "$stress" random 8 $((3 * more)) 300000
large=$2/programs/large_counts
if [ -e "$large" ]; then # the sum that it prints does not depend on the bytes, of which MPICH 4.0.2 itself cannot move so many
    launch 2 "$large" >native
    overlapped 2 "$large" 2200000000 >ours || fail "2.2 GB"
    cmp native ours || fail "2.2 GB: other results"
    was_overlapped 0 "2.2 GB"
fi
[ $failed -eq 0 ]
