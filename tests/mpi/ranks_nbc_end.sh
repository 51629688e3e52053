#!/bin/sh
# A rank that is killed ends the job soon, with a message; MPI_Finalize leaves nothing behind.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
export FOLDERS="$folder/ranks"

for signal in KILL SEGV; do
    rm -rf "$FOLDERS" "$FOLDERS".*.pid
    mkdir "$FOLDERS"
    overlapped 4 "$in_folder" "$2/stress" random 1 100000 100000 >out &
    launched=$!
    await_ranks 4 'ranks.*.pid'
    sleep 1
    kill -s $signal "$(cat "$FOLDERS.2.pid")"
    since=$(date +%s)
    status=0
    wait $launched || status=$?
    [ $(($(date +%s) - since)) -le $SOON ] || fail "$signal: the job did not end soon"
    [ $status -ne 0 ] && [ $status -ne 124 ] || fail "$signal: exit status $status"
    grep -qiE 'signal|terminat' out said || fail "$signal: nobody says so"
done

remains=$2/programs/remains
launch 3 "$remains" >native
overlapped 3 "$remains" >ours || fail "remains"
cmp native ours || fail "left behind: $(cat native ours)"
[ -z "$(find /dev/shm -iname '*crosswind*')" ] || fail "left in /dev/shm"
[ $failed -eq 0 ]
