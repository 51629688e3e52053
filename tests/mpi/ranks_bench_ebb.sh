#!/bin/sh
# bench ebb refuses what it cannot measure, with one line.
. "$(dirname "$0")/launch.sh"

# refuses MESSAGE OPTIONS...
refuses()
{
    message=$1
    shift
    status=0
    launch 2 "$crosswind_mpi" bench ebb "$@" >out 2>err || status=$?
    [ $status -ne 0 ] || fail "ended well: $*"
    [ "$(grep -c "$message" err)" -eq 1 ] || fail "$* said: $(cat err)"
}

refuses "ranks on two hosts or more"
refuses "is about NETWORK, which is missing" --routing minhop
refuses "is about NETWORK, which is missing" --hosts /dev/null
refuses "hosts of the ranks measure" crossbar:2 --endpoints all
[ $failed -eq 0 ]
