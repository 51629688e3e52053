#!/bin/sh
# Collectives drawn at random, overlapped in all ways, against MPI's blocking ones: a quick selection.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
stress=$2/stress

try()
{
    overlapped "$@" || {
        fail "$*"
        tail -n 20 said >&2
    }
    was_overlapped 0 "$*"
}
try 4 "$stress" each 1 28 100000
try 3 "$stress" random 2 20 100000
try 6 "$stress" random 3 10 20000
try 4 "$stress" progress 5 12 1000000
for schedule in slices:0.5 split-tree:2; do
    export CROSSWIND_NBC_SCHEDULE=$schedule
    try 3 "$stress" random 6 8 100000
    try 4 "$stress" progress 7 6 300000
done
[ $failed -eq 0 ]
