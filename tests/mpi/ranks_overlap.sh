#!/bin/sh
# overlap on real ranks: a row for each collective, number of ranks and method, whose figures fit together. What it computes
# of times, keeps and refuses is for test_verb_overlap and test_overlap_run.
# $2: where preload_reach is.
. "$(dirname "$0")/launch.sh"

launch 3 "$crosswind_mpi" overlap --op bcast,reduce,gather --bytes 24KiB --ranks 2,3 \
    --repetitions 6 --methods blocking,native,native-yield@all --beside accelerator --compute 2ms --format csv --output overlap.csv ||
    fail "overlap failed"
python3 - <<'END' || fail "overlap.csv is wrong"
import csv

rows = list(csv.DictReader(open("overlap.csv")))
keys = [(row["operation"], int(row["ranks"]), row["method"]) for row in rows]
operations = "bcast", "reduce", "gather"
assert keys == [(o, n, m) for n in (2, 3) for o in operations for m in ("blocking", "native", "native-yield@all")], keys
for row in rows:
    get = lambda name: float(row[name])
    assert row["repetitions"] == "6" and row["bytes"] == "24576" and row["beside"] == "accelerator"
    least = 2e-3 * 3 / get("ranks") # three ranks share what takes 2 ms with all; who sleeps sleeps as long at least
    assert get("compute") >= least and get("total") >= least and 0 < get("init") < get("total"), row
    for what in "pure", "total":
        assert get(what + "_low") <= get(what) <= get(what + "_high"), row
    assert get("total_q10") <= get("total") <= get("total_q90"), row
    assert least <= get("within") < get("total"), row
    assert 0 <= get("overlap_imb_low") <= get("overlap_imb") <= get("overlap_imb_high") <= 100, row
for three in zip(rows[::3], rows[1::3], rows[2::3]): # the best of MPI itself is the best one of the three
    assert abs(max(float(row["speedup"]) for row in three) - 1) < 1e-6, three
END
# With a communication core, which ranks use, too: every schedule and every collective gives the right result, or fails.
launch 3 "$crosswind_mpi" overlap --op bcast,reduce,allreduce,scatter,gather,allgather,alltoall --bytes 100KiB --repetitions 1 --cores 0 \
    --methods k-nomial:3,split-tree:1,slices:0.5,auto --compute 1ms --format csv >ours.csv 2>err ||
    fail "with communication cores: $(cat err)"
[ "$(wc -l <ours.csv)" -eq 25 ] || fail "expected 4 rows for each of 5 collectives, 2 for 2 without trees: $(cat ours.csv)"
if launch 2 "$crosswind_mpi" overlap --op bcast,alltoall --methods split-tree:1 >out 2>&1; then
    fail "an alltoall along a tree was accepted"
fi
grep -q "alltoall has no tree" out || fail "says: $(cat out)"
launch 2 "$crosswind_mpi" overlap --op bcast --bytes 64KiB --repetitions 1 --cores 0 --compute 1ms >out || fail "default"
grep -q "1 communication core a host" out || fail "nothing is said of communication cores: $(cat out)"

launch 2 "$crosswind_mpi" overlap --op bcast --bytes 7 --repetitions 2 --methods native >out || fail "an odd size failed"
grep -q "bcast: .*, as alone by \(blocking\|native\|native-yield\)@all" out || fail "the size of the computation: $(cat out)"
grep -q "no progress in threads" out || fail "nothing is said of progress threads: $(cat out)"
MPICH_ASYNC_PROGRESS=1 launch 2 "$crosswind_mpi" overlap --op bcast --bytes 8 --repetitions 2 --methods native \
    >out || fail "asynchronous"
grep -q "MPICH_ASYNC_PROGRESS is set" out || fail "asynchronous progress is not stated: $(cat out)"

# What is begun is completed, in both ways to wait; sleeps end when they should. Loops of 2 rounds and, as they are to take
# 10 ms, 10 more call the collective alone, and beside a computation; once to warm up, and twice.
with_library "$2/preload_ledger.so" 3 "$crosswind_mpi" overlap --op bcast,alltoall --bytes 4KiB --repetitions 2 --methods \
    blocking,native,native-yield --compute 1ms --format csv >out 2>err || fail "accounts: $(cat err)"
settled err 3
[ "$(grep -c " alltoalls $((3 * 2 * (2 + 10))) " err)" -eq 3 ] || fail "other calls: $(cat err)"
[ "$(grep -c ' slack 1$' err)" -eq 3 ] || fail "sleeps may end when they like: $(cat err)"

# A wrong result of one rank is an error of all, in its words.
status=0
CORRUPT_ALL=1 with_library "$2/preload_corrupt.so" 3 "$crosswind_mpi" overlap --ranks 2 --op alltoall --bytes 4KiB \
    --methods blocking --compute 1ms >out 2>err || status=$?
[ $status -eq 1 ] || fail "a wrong result: exit status $status: $(cat err)"
grep '^crosswind-mpi: ' err >said
grep -Eqx "crosswind-mpi: rank 1 on [^ ]*: method blocking: alltoall of 4096 bytes delivers a wrong element 1000: .*" said ||
    fail "a wrong result: $(cat err)"

# Every repetition is saved, and a progress thread of MPI is part of the method's name. Idle ranks give their cores.
MPICH_ASYNC_PROGRESS=1 launch 3 "$crosswind_mpi" overlap --op gather --bytes 40KiB --ranks 2,3 --repetitions 3 \
    --methods native,auto --cores 0 --compute 100us --save runs.csv >out 2>err || fail "saving: $(cat err)"
grep -q '"crosswind-mpi overlap' runs.csv-metadata.json || fail "no metadata: $(cat runs.csv-metadata.json)"
[ "$(awk -F, 'NR > 1 && $3 == "gather" && $4 == 40960 && $7 == 1 { print $6, $8, $9 }' runs.csv | sort -u | wc -l)" -eq 12 ] ||
    fail "saved: $(cat runs.csv)"
grep -q '"gather: 100 .*s, as given"' runs.csv-metadata.json || fail "$(cat runs.csv-metadata.json)"
grep -q ',native-async,' runs.csv && ! grep -q ',native,' runs.csv || fail "progress threads: $(cat runs.csv)"

# Emulated: each N from 3/4 of the cores on, each S; what is due is done, whatever the machine does besides.
launch 2 "$crosswind_mpi" overlap --emulate 8 --op reduce --format csv >emulated.csv || fail "emulation"
[ "$(awk -F, 'NR > 1 && $8 > 0.97 * $5 && $8 > 0.9 * $7' emulated.csv | wc -l)" -eq 8 ] || fail "$(cat emulated.csv)"
launch 2 "$crosswind_mpi" overlap --emulate 8 --op gather --format csv >emulated.csv || fail "emulation of a gather"
[ "$(awk -F, 'NR > 1 && $8 > 0.97 * $5' emulated.csv | wc -l)" -eq 8 ] || fail "$(cat emulated.csv)"

# Four ranks that share a core compute a quarter each of what takes so long with all of them.
core=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
launch 4 taskset -c "$core" "$crosswind_mpi" overlap --op bcast --bytes 8 --methods native-yield@all --repetitions 1 \
    --compute 100us --ranks 2,4 >out || fail "four ranks on a core"
tr '\n' ' ' <out | grep -q "4 ranks share a core: each has 1/4 of the work" || fail "sharing: $(cat out)"

# Ranks keep off the communication cores, if that leaves one: they are where they say.
# keeps_off CORES: whether this becomes true of both ranks; there are two cores or more.
keeps_off()
{
    rm -f off.*
    FOLDERS=$PWD/off launch 2 "$in_folder" "$crosswind_mpi" overlap --op bcast --bytes 64KiB --cores "$1" --methods slices:1 \
        --compute 1ms --repetitions 1000000 --time 100s >out 2>err &
    job=$!
    await_ranks 2 'off.*.pid'
    python3 -B - "$1" "$(cat off.0.pid)" "$(cat off.1.pid)" <<'END' || fail "ranks use the communication cores $1: $(cat err)"
import os, sys, time
cores, ranks = {int(core) for core in sys.argv[1].split(",")}, [int(rank) for rank in sys.argv[2:]]
all_cores = os.sched_getaffinity(0)
for _ in range(600):
    if all(os.sched_getaffinity(rank) == all_cores - cores for rank in ranks):
        sys.exit(0)
    time.sleep(0.1)
sys.exit(1)
END
    kill "$(cat off.0.pid)" || fail "it has ended"
    wait $job || :
}
cores=$(python3 -c 'import os; print(*os.sched_getaffinity(0))')
if [ "$(echo "$cores" | wc -w)" -ge 2 ]; then
    keeps_off "${cores%% *}"
    keeps_off "$(echo "${cores#* }" | tr ' ' ,)" # all but one
fi

# What keeps one rank from being ready is what all are told. (UCX would read in this way, too.)
launch 2 env UCX_TLS=posix,self LD_PRELOAD="$2/preload_reach.so" UNREACHABLE=1 CROSSWIND_NBC_COPY=attach \
    ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" "$crosswind_mpi" overlap --op bcast --cores 0 --repetitions 1 \
    --methods slices:1 >out 2>err && fail "attached to a rank that cannot be reached"
grep -q "the kernel does not let ranks reach each other's memory" err || fail "the reason: $(cat err)"

# refuses MESSAGE RANKS OPTIONS...
refuses()
{
    message=$1
    ranks=$2
    shift 2
    status=0
    launch "$ranks" "$crosswind_mpi" overlap "$@" >out 2>err || status=$?
    [ $status -ne 0 ] || fail "ended well: $*"
    [ "$(grep -c "$message" err)" -eq 1 ] || fail "$* said: $(cat err)"
}

refuses "needs two ranks" 1
refuses "is not a list of cores" 2 --cores 0,x
[ $failed -eq 0 ]
