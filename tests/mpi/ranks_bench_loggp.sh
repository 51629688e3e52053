#!/bin/sh
# bench loggp on one host: which ranks it takes, and what it refuses. What it measures is for test_bench_loggp. $2: where
# preload_hosts is.
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
refuses 2 "there is no rank 2; the last one is 1" --pair 0,2

launch 3 "$crosswind_mpi" bench loggp --pair 2,1 --bytes 1KiB,64KiB --rounds 6 >out
grep -q "gap for each byte" out || fail "no G: $(cat out)"

grep -q "rank 2 on" out || fail "other ranks than asked for: $(cat out)"

# By default they are between two hosts: with the first rank that is on another one.
RANKS_A_HOST=2 with_library "$2/preload_hosts.so" 5 "$crosswind_mpi" bench loggp --bytes 1KiB,64KiB --rounds 2 >out ||
    fail "no end"
grep -q "rank 0 on h0 and rank 2 on h1" out || fail "not across hosts: $(cat out)"
[ $failed -eq 0 ]
