#!/bin/sh
# bench loggp on one host: which ranks it takes, and what it refuses.
. "$(dirname "$0")/launch.sh"

# refuses RANKS MESSAGE OPTIONS...
refuses()
{
    ranks=$1
    message=$2
    shift 2
    status=0
    launch "$ranks" "$crosswind_mpi" bench loggp "$@" >out 2>err || status=$?
    [ $status -ne 0 ] || fail "ended well: $*"
    [ "$(grep -c "$message" err)" -eq 1 ] || fail "$* said: $(cat err)"
}

refuses 1 "needs two ranks"
refuses 2 "two different ranks" --pair 1,1
refuses 2 "there is no rank 2" --pair 0,2
refuses 2 "two different sizes" --bytes 8,8
refuses 2 "means nothing here" --seed 3

launch 3 "$crosswind_mpi" bench loggp --pair 2,1 --bytes 1KiB,64KiB --rounds 6 >out
grep -q "gap for each byte" out || fail "no G: $(cat out)"

grep -q "rank 2 on" out || fail "other ranks than asked for: $(cat out)"
[ $failed -eq 0 ]
