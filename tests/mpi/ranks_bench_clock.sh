#!/bin/sh
# Ranks whose clocks are known to be wrong: by offsets (time namespaces) and drifts (a library that makes
# CLOCK_MONOTONIC run faster, preload_drift in the folder $2). What crosswind-mpi bench noise reports of them must be right within the error it states.
. "$(dirname "$0")/launch.sh"
unshare -T --monotonic 1 true 2>unshared || {
    echo "SKIPPED: time namespaces cannot be made here: $(cat unshared)"
    exit 77
}

# Rank: 0, 1, 2, 3. Offsets in s, drifts in millionths.
cat >shifted <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
case $rank in 0) offset=0 ppm=0 ;; 1) offset=100000 ppm=0 ;; 2) offset=0 ppm=200 ;; 3) offset=-100 ppm=-50 ;; esac
exec unshare -T --monotonic $offset env DRIFT_PPM=$ppm LD_PRELOAD="$PRELOAD_DRIFT" "$@"
END
chmod +x shifted
export PRELOAD_DRIFT="$2/preload_drift.so" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"

# A clock that shows A at the moment T of rank 0's: A = (T + offset)·(1 + drift). Exit status 1: an error that is greater
# than is stated; 2: one that is stated as great as it is between processes that wait for a processor.
cat >clocks.py <<'END'
import json, sys

def find(node, name):
    if isinstance(node, dict):
        if node.get("schema:name") == name:
            return node["schema:value"]
        if name in node:
            return node[name]
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            found = find(child, name)
            if found is not None:
                return found
    return None

clocks = find(json.load(open(sys.argv[1])), "clocks_of_ranks")
right = len(clocks) == 4
sharp = True
for rank, (clock, offset, drift) in enumerate(zip(clocks, (0, 100000, 0, -100), (0, 0, 200e-6, -50e-6))):
    truth = clock["at_ns"] / (1 + drift) - offset * 1e9 - clock["at_ns"]
    off, error = abs(clock["offset_ns"] - truth), clock["error"] * 1e9
    print(f"rank {rank}: offset {clock['offset_ns']} ns, off by {off:.0f}, error stated {error:.0f}; "
          f"drift {clock['drift']}, true {1 / (1 + drift) - 1}")
    right &= off <= error + 10
    right &= abs(clock["drift"] - (1 / (1 + drift) - 1)) <= clock["drift_error"]
    sharp &= error < 50e6 and (clock["drift_error"] < 100e-6 or rank == 0)
sys.exit(1 if not right else 0 if sharp else 2)
END

for seconds in 3 10 30; do
    launch 4 ./shifted "$crosswind_mpi" bench noise --perturb permutation:4KiB --control none --samples 10 --splits 100000 \
        --time ${seconds}s --save run.csv >out 2>err || fail "$(cat err)"
    status=0
    python3 clocks.py run.csv-metadata.json || status=$?
    [ $status -eq 2 ] || break
done
[ $status -eq 0 ] || fail "clocks: $status"
# Ranks of overlap begin at a moment of rank 0's clock; those with another clock do not wait for it.
launch 4 ./shifted "$crosswind_mpi" overlap --op bcast --bytes 8 --repetitions 1 --methods native --compute 1ms >out 2>err ||
    fail "overlap, whose ranks have several clocks: $(cat err)"

# Were they wrong, calls would seem to take seconds, or less than nothing.
awk -F, 'NR > 1 && ($17 <= 0 || $17 > 20) { bad = 1; print } END { exit bad }' run.csv || fail "times"
[ $failed -eq 0 ]
