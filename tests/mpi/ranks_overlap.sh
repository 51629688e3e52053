#!/bin/sh
# overlap: a row for each collective, number of ranks and method, whose figures fit together; refusals; no timing.
. "$(dirname "$0")/launch.sh"

launch 3 "$crosswind_mpi" overlap --op bcast,reduce,allreduce,alltoall,allgather --bytes 24KiB --ranks 2,3 \
    --repetitions 6 --methods blocking,native --beside accelerator --compute 2ms --format csv --output overlap.csv ||
    fail "overlap failed"
python3 - <<'END' || fail "overlap.csv is wrong"
import csv

rows = list(csv.DictReader(open("overlap.csv")))
keys = [(row["operation"], int(row["ranks"]), row["method"]) for row in rows]
operations = "bcast", "reduce", "allreduce", "alltoall", "allgather"
assert keys == [(o, n, m) for o in operations for n in (2, 3) for m in ("blocking", "native")], keys
for row in rows:
    get = lambda name: float(row[name])
    assert row["repetitions"] == "6" and row["bytes"] == "24576" and row["beside"] == "accelerator"
    least = 2e-3 * 3 / get("ranks") # three ranks share what takes 2 ms with all; who sleeps sleeps as long at least
    assert get("compute") >= least and get("total") >= least and 0 < get("init") < get("total"), row
    for what in "pure", "total":
        assert get(what + "_low") <= get(what) <= get(what + "_high"), row
    assert get("total_q10") <= get("total") <= get("total_q90"), row
    assert 0 <= get("overlap_imb") <= 100, row
for both in zip(rows[::2], rows[1::2]): # the best of MPI itself is the better one of the two
    assert abs(max(float(row["speedup"]) for row in both) - 1) < 1e-6, both
END
# With a communication core, which ranks use, too: every schedule and every collective gives the right result, or fails.
launch 3 "$crosswind_mpi" overlap --op bcast,reduce,allreduce,alltoall,allgather --bytes 100KiB --repetitions 2 --cores 0 \
    --methods split-tree:0,split-tree:1,slices:0.5,auto --compute 1ms --format csv >ours.csv 2>err ||
    fail "with communication cores: $(cat err)"
[ "$(wc -l <ours.csv)" -eq 21 ] || fail "expected 4 rows for each of 5 collectives: $(cat ours.csv)"
launch 2 "$crosswind_mpi" overlap --op bcast --bytes 64KiB --repetitions 1 --cores 0 --compute 1ms >out || fail "default"
grep -q "1 communication core a host" out || fail "nothing is said of communication cores: $(cat out)"

launch 2 "$crosswind_mpi" overlap --op bcast --bytes 7 --repetitions 2 --methods native >out || fail "an odd size failed"
grep -q "no progress in threads" out || fail "nothing is said of progress threads: $(cat out)"
MPICH_ASYNC_PROGRESS=1 launch 2 "$crosswind_mpi" overlap --op bcast --bytes 8 --repetitions 2 --methods native \
    >out || fail "asynchronous"
grep -q "MPICH_ASYNC_PROGRESS is set" out || fail "asynchronous progress is not stated: $(cat out)"

# Emulated: each N from 3/4 of the cores on, each S; what is due is done, whatever the machine does besides.
launch 2 "$crosswind_mpi" overlap --emulate 8 --op reduce --format csv >emulated.csv || fail "emulation"
[ "$(awk -F, 'NR > 1 && $8 > 0.97 * $5 && $8 > 0.9 * $7' emulated.csv | wc -l)" -eq 8 ] || fail "$(cat emulated.csv)"

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
refuses "3 are more than there are" 2 --ranks 2,3
refuses "rising numbers" 2 --ranks 2,2
refuses "unknown operation 'brcast'" 2 --op brcast
refuses "'nativ' is none" 2 --methods nativ
refuses "is not a list of cores" 2 --cores 0,x
refuses "barrier moves no data" 2 --op barrier
refuses "expected one --op" 2 --plot out.svg
refuses "expected --op bcast" 2 --emulate 8
refuses "is for measuring" 2 --emulate 8 --op bcast --bytes 8
refuses "means nothing here" 2 --seed 2
[ $failed -eq 0 ]
