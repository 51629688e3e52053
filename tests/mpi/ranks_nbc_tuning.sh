#!/bin/sh
# What is measured of this machine is kept, read by the library, and changes no result; no timing.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
unset CROSSWIND_NBC_MIN CROSSWIND_NBC_CORES

launch 3 "$crosswind_mpi" overlap --tuning --op allreduce --cores "$core" --repetitions 1 --time 0 \
    --beside accelerator --format csv >tuning.csv 2>err || fail "overlap --tuning: $(cat err)"
[ "$(wc -l <tuning.csv)" -eq 5 ] || fail "expected 4 sizes: $(cat tuning.csv)"
kept=$(echo cache/crosswind/overlap-*-"$mpi".txt)
[ "$(grep -c '^[a-z]*,[23],1,' "$kept")" -eq 4 ] || fail "kept: $(cat "$kept")"
cp "$kept" before
# measured again: what is of other collectives stays
launch 2 "$crosswind_mpi" overlap --tuning --op alltoall --cores "$core" --repetitions 1 --time 0 --beside accelerator >out 2>err ||
    fail "again: $(cat err)"
grep -q "^Written to .*$kept" out || fail "it does not say where: $(cat out)"
grep '^allr' before >some
grep '^allr' "$kept" | cmp - some || fail "other measurements changed"
[ "$(grep -c '^alltoall,2,1,' "$kept")" -eq 4 ] || fail "no alltoall: $(cat "$kept")"

# Integers are summed up as was measured, whatever that is, with the same result; doubles as ever.
program=$2/programs/stencil # 40 allreduces of 64-bit integers
bytes=$((8 * 8192))
launch 4 "$program" 40 8192 >native
for choice in native auto slices:0.5; do
    sed "s/^\(allreduce,3,1,[0-9]*\),[^,]*/\1,$choice/" before >"$kept"
    CROSSWIND_NBC_CORES=$core overlapped 4 "$program" 40 8192 >ours || fail "$choice"
    cmp native ours || fail "$choice: other results"
    grep -q "messages from 32768 bytes on, or as measured here (20" said || fail "nothing is said of it: $(cat said)"
    expected='[1-9][0-9]* collectives overlapped'
    [ $choice = native ] && expected='0 collectives overlapped'
    grep -q "^crosswind-nbc: rank 0: $expected" said || fail "$choice of $bytes bytes: $(cat said)"
done
sed "s/^\(allreduce,3,1,[0-9]*\),[^,]*/\1,native/" before >"$kept"
CROSSWIND_NBC_TUNING=off CROSSWIND_NBC_CORES=$core overlapped 4 "$program" 40 8192 >ours
grep -q "from 32768 bytes on$" said && grep -q "rank 0: [1-9][0-9]* collectives overlapped" said || fail "off: $(cat said)"
CROSSWIND_NBC_TUNING=$PWD/before CROSSWIND_NBC_CORES=$core overlapped 4 "$program" 40 8192 >ours
grep -q "as measured here" said || fail "a file that is named: $(cat said)"
CROSSWIND_NBC_TUNING=$PWD/none CROSSWIND_NBC_CORES=$core overlapped 4 "$program" 40 8192 >ours
cmp native ours || fail "a file that is not there: other results"
grep -q "collectives are left to MPI: .*$PWD/none" said || fail "a file that is not there: $(cat said)"

# What is of another machine does not count, and is measured anew.
sed 's/^processors .*/processors 77777/' before >"$kept"
CROSSWIND_NBC_CORES=$core overlapped 4 "$program" 40 8192 >ours
grep -q "are not used: measured with 77777 processors; this machine has" said || fail "another machine: $(cat said)"
launch 2 "$crosswind_mpi" overlap --tuning --op allgather --cores "$core" --repetitions 1 --time 0 --beside accelerator >out 2>err ||
    fail "anew: $(cat err)"
[ "$(grep -c '^[a-z]*,[23],1,' "$kept")" -eq 4 ] || fail "of another machine: $(cat "$kept")"

# As far as there is time, long messages first; and what is finished when a signal comes is kept.
rm "$kept"
launch 2 "$crosswind_mpi" overlap --tuning --cores "$core" --repetitions 1 --time 1us --beside accelerator --format csv \
    >out 2>err || fail "no time: $(cat err)"
[ "$(grep -c ',2097152,' out)" -eq 1 ] && [ "$(wc -l <out)" -eq 2 ] || fail "no time, and yet: $(cat out)"
rm "$kept"
timeout -k 10 "$LIMIT" "$launcher" -n 2 "$crosswind_mpi" overlap --tuning --cores "$core" --time 0 --beside accelerator \
    --ranks 2 </dev/null >out 2>err & # no function: the signal is for the launcher
job=$!
waited=0
while [ ! -e "$kept" ] && [ $waited -lt 1000 ]; do
    sleep 0.1
    waited=$((waited + 1))
done
kill -TERM $job
status=0
wait $job || status=$?
[ $status -ne 0 ] || [ "$mpi" = mpich ] || fail "a signal, and it ends as if there had been none" # MPICH's may miss it
[ $status -ne 124 ] || fail "a signal, and it does not end"
grep -q ',2,1,2097152,' "$kept" || fail "what was finished is not kept: $(cat err)"

# Where no core is spare, nothing is written.
export XDG_CACHE_HOME="$folder/empty"
ranks=$(($(nproc) + 1))
if [ "$ranks" -le 8 ]; then
    launch "$ranks" "$crosswind_mpi" overlap --tuning --op bcast >out 2>err || fail "no spare core: $(cat err)"
    grep -q "leave no core to spare: stay with MPI" out || fail "no spare core: $(cat out)"
    [ ! -e "$XDG_CACHE_HOME" ] || fail "measured without a core"
fi
[ $failed -eq 0 ]
