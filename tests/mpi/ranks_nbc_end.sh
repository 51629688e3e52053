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

# Each communication core is a thread's of one rank; the ranks share these threads out.
cores=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2])')
if [ "$(echo "$cores" | wc -w)" -eq 2 ]; then
    rm -rf "$FOLDERS" "$FOLDERS".*.pid
    CROSSWIND_NBC_CORES=$(echo "$cores" | tr ' ' ,) overlapped 4 "$in_folder" "$2/stress" random 1 100000 100000 >out &
    launched=$!
    await_ranks 4 'ranks.*.pid'
    # who is bound to one core, as "RANK:CORE"
    bound()
    {
        for rank in 0 1 2 3; do
            sed -n "s/^Cpus_allowed_list:[^0-9]*\\([0-9]*\\)$/$rank:\\1/p" "/proc/$(cat "$FOLDERS.$rank.pid")"/task/*/status
        done | tr '\n' ' '
    }
    expected="0:${cores% *} 2:${cores#* } "
    for _ in $(seq 100); do
        [ "$(bound)" != "$expected" ] || break
        sleep 0.1
    done
    [ "$(bound)" = "$expected" ] || fail "threads on cores: $(bound)"
    kill "$(cat "$FOLDERS.0.pid")"
    wait $launched || :
fi

remains=$2/programs/remains
launch 3 "$remains" >native
overlapped 3 "$remains" >ours || fail "remains"
cmp native ours || fail "left behind: $(cat native ours)"
[ -z "$(find /dev/shm -iname '*crosswind*')" ] || fail "left in /dev/shm"
[ $failed -eq 0 ]
