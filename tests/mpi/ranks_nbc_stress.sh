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
try 3 "$stress" each 1 28 100000
try 3 "$stress" random 2 12 100000
try 5 "$stress" random 3 5 20000
try 3 "$stress" progress 5 6 1000000
for schedule in slices:0.5 k-nomial:3 split-tree:2; do
    export CROSSWIND_NBC_SCHEDULE=$schedule
    try 3 "$stress" random 6 4 100000
    try 3 "$stress" progress 7 6 300000
done
unset CROSSWIND_NBC_SCHEDULE
export CROSSWIND_NBC_COPY=segment
try 3 "$stress" each 1 28 100000
try 4 "$stress" random 8 8 100000
try 3 "$stress" progress 5 6 1000000
grep -q 'copies through memory that the ranks share: CROSSWIND_NBC_COPY=segment' said || fail "says: $(cat said)"
[ $failed -eq 0 ]
