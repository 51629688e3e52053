#!/bin/sh
# What goes wrong on one rank or all is said once, and ends all of them soon.
. "$(dirname "$0")/launch.sh"
export FOLDERS="$folder/ranks"
rest=1  # seconds until ranks that have begun are past MPI_Init and the first rows, on a quiet machine

# begin N ARGUMENTS...: N ranks work in the background until they are told to stop; returns when all have begun.
begin()
{
    n=$1
    shift
    rm -rf "$FOLDERS" "$FOLDERS".*.pid
    mkdir "$FOLDERS"
    launch "$n" "$in_folder" "$crosswind_mpi" "$@" >out 2>err &
    launched=$!
    await_ranks "$n" 'ranks.*.pid'
    sleep $rest
}

# Waits for them, and says how they ended in $status, which must be soon.
await()
{
    since=$(date +%s)
    status=0
    wait $launched || status=$?
    [ $(($(date +%s) - since)) -le $SOON ] || fail "$1: took $(($(date +%s) - since)) s to end"
}

# said FILE N PATTERN: N lines of FILE match.
said()
{
    [ "$(grep -c "$3" "$1")" -eq "$2" ] || {
        fail "not $2 lines of $1 say: $3"
        cat "$1" >&2
    }
}

# The same error on all.
status=0
launch 3 "$crosswind_mpi" noise torus:8x8 --trails 4 >out 2>err || status=$?
[ $status -eq 2 ] || fail "wrong usage: exit status $status"
said err 1 '^crosswind-mpi: .*--trails; did you mean --trials'

# A file that only some ranks have.
mkdir -p "$FOLDERS/0" "$FOLDERS/1" "$FOLDERS/2"
printf '0,1,1\n1,0,0\n1,1,0\n' | tee "$FOLDERS/0/matrix.csv" >"$FOLDERS/2/matrix.csv"
status=0
launch 3 "$in_folder" "$crosswind_mpi" congestion torus:4x4 --ranks 3 --traffic matrix:matrix.csv >out 2>err ||
    status=$?
[ $status -eq 1 ] || fail "a file that one rank lacks: exit status $status"
said err 1 '^crosswind-mpi: '
said err 1 'rank 1 on .*matrix.csv'

# Rank 0 cannot write while the others go on.
status=0
launch 2 "$crosswind_mpi" reproduce noise --trials 10 --figures 1,13 --directory /dev/null >out 2>err || status=$?
[ $status -eq 1 ] || fail "a folder that cannot be made: exit status $status"
said err 1 '^crosswind-mpi: rank 0 on .*/dev/null'

# A rank is killed.
set -- noise torus:100x100 --trials 200000 --threads 1
begin 3 "$@"
kill -9 "$(cat "$FOLDERS.1.pid")"
await "a killed rank"
[ $status -ne 0 ] || fail "a killed rank: exit status 0"

# All are told to stop, by the user or by a batch system: what is finished is kept. (Of what ranks print then,
# mpirun.openmpi may lose the end; mpirun.mpich loses the exit status.) The former gives them a second to write it, and
# in theirs there may be no row yet: a busy machine has longer the next time.
stop()
{
    begin 2 noise torus:20x20 --trials 400 --ratio 0.01..0.99:0.0001 --threads 1 --output noise.txt
    rest=$((4 * rest))
    kill -$signal "$(pgrep -P "$(pgrep -P $launched)")" # the launcher, not the one that limits its time
    await "$signal"
    touch "$FOLDERS/0/noise.txt"
    said "$FOLDERS/0/noise.txt" 1 '^INCOMPLETE: interrupted; table noise has [0-9]* of 9801 rows'
    said "$FOLDERS/0/noise.txt" 1 '^ *0.01  '
}
[ "$mpi" = mpich ] && signal=INT || signal=TERM
attempts 3 stop

# One rank is told to stop, while others exchange messages with it, or wait: all end.
rest=1
stop_one()
{
    begin 3 bench loggp --pair 0,1 --rounds 1000000 --time 300s
    rest=$((4 * rest))
    kill -TERM "$(cat "$FOLDERS.1.pid")"
    await "a rank of bench loggp that is told to stop"
    [ $status -ne 0 ] || fail "a rank of bench loggp that is told to stop: exit status 0"
    said err 1 '^crosswind-mpi: interrupted$'
}
attempts 3 stop_one

# A rank that rests for a while changes nothing.
rest=1
set -- noise torus:20x20 --trials 300 --ratio 0.01..0.5:0.01
"$crosswind" "$@" >one
begin 3 "$@" --threads 1
kill -STOP "$(cat "$FOLDERS.2.pid")" 2>/dev/null || :
sleep 1
kill -CONT "$(cat "$FOLDERS.2.pid")" 2>/dev/null || :
wait $launched || fail "a rank that rests: exit status $?"
cmp one out || fail "a rank that rests"
[ $failed -eq 0 ]
