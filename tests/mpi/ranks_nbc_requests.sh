#!/bin/sh
# Requests of all kinds, ours and MPI's, are completed by all functions alike, with the library and without it; programs
# of them are drawn at random. The environment variable SEEDS says how many ("make test-long" has more).
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
requests=$2/program_requests
seeds=${SEEDS:-30}

# compare RANKS ARGUMENT...: and then, with the library, also what MPICH's own does not bear
compare()
{
    n=$1
    shift
    launch "$n" "$requests" "$@" >native || fail "$*"
    overlapped "$n" "$requests" "$@" >ours || fail "$*, overlapped: $(cat said)"
    cmp native ours || fail "$*: other results"
    was_overlapped 0 "$*"
    overlapped "$n" "$requests" "$@" whole >ours || fail "$* whole, overlapped: $(cat said)"
    was_overlapped 0 "$* whole"
}
compare 3 each

# Who waits for a collective sleeps, but not where a message of MPI's own may come meanwhile.
overlapped 2 "$2/program_naps" >out || fail "naps: $(cat said)"
[ "$(cat out)" = "it sleeps, it does not sleep" ] || fail "naps: $(cat out)"
compare 3 random 1 "$seeds"
[ $failed -eq 0 ]
