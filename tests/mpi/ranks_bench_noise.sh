#!/bin/sh
# crosswind-mpi bench noise on this host: what goes in, what comes out, and what predecessors do wrong. What it measures is
# for test_bench_noise and test_bench_block. $2: where preload_ledger and preload_corrupt are.
. "$(dirname "$0")/launch.sh"
LIMIT=$((3 * ${CW_HASTE:-300})) # all 160 blocks, however busy the machine is

bench()
{
    ranks=$1
    shift
    launch "$ranks" "$crosswind_mpi" bench noise --time 0 "$@" >out 2>err
}

# refused RANKS MESSAGE ARGUMENTS...: exit status 2 and that one line, soon.
refused()
{
    ranks=$1
    message=$2
    shift 2
    status=0
    bench "$ranks" "$@" || status=$?
    [ $status -eq 2 ] || fail "$*: exit status $status, expected 2"
    grep -qxF "crosswind-mpi: $message" err || fail "$*: said $(cat err)"
    [ "$(grep -c crosswind-mpi: err)" -eq 1 ] || fail "$*: said more than once: $(cat err)"
}

refused 3 "3 ranks are too few: application and perturbation need 2 each"
refused 2 "2 ranks are too few: application and perturbation need 2 each" --ratio 0.5
refused 4 "ratio 0.1 of 4 ranks leaves 1 to perturb and 3 to the application, expected 2 or more each: ratios from 0.5 \
to 0.5" --ratio 0.1..0.9
refused 4 "unknown perturbation 'permutaton'; did you mean permutation?" --perturb permutaton:8B
refused 4 "root 2, but the application has 2 ranks at ratio 0.5, from 0 on" --op bcast:8B --root 2
refused 4 "1 host is too few: application and perturbation need 1 each" --by node
refused 4 "--lft is for --fabric NETWORK" --lft tables

# More than one call of MPI takes: said before anything is measured.
for size in 2GiB 3GiB; do
    status=0
    bench 4 --op "bcast:$size" --splits 1 --samples 1 --perturb permutation:1KiB --control none || status=$?
    [ $status -eq 1 ] && grep -q "bytes of bcast are more than one call of MPI takes" err || fail "$size: $status, $(cat err)"
done

status=0
launch 1 "$crosswind_mpi" bench >out 2>err || status=$?
[ $status -eq 2 ] || fail "bench: exit status $status, expected 2"
grep -q "^crosswind-mpi: 'bench' is only the first half of a verb, expected .*'bench noise'" err || fail "bench: said $(cat err)"

# A column of the saved samples, by name.
column()
{
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' run.csv
}

# An odd number of ranks, two ratios, every operation and every perturbation: all blocks are there.
bench 5 --ratio 0.4,0.6 --splits 1 --samples 5 --op allreduce:8B,reduce:12B,bcast:1KiB,barrier,alltoall:3B,allgather:40B,scatter:5B,gather:16B \
    --perturb permutation:4KiB,shift:1KiB,bisection:1KiB,incast:1KiB,neighbour:1KiB --control none --save run.csv ||
    fail "five ranks: $(cat err)"
[ "$(column block | sort -u | wc -l)" -eq 160 ] || fail "expected 160 blocks"
[ "$(column operation | sort -u | wc -l)" -eq 8 ] || fail "expected 8 operations"
[ "$(column perturbation | sort -u | wc -l)" -eq 5 ] || fail "expected 5 perturbations"
[ "$(column application_ranks | sort -u | tr '\n' ' ')" = "2 3 " ] || fail "expected 2 and 3 application ranks"

# The seed decides the splits and the order, and nothing else does.
order()
{
    awk -F, 'NR > 1 && $1 != last { last = $1; print $2, $11, $12 }' run.csv
    tr ',' '\n' <run.csv-metadata.json | grep -E '"[ap]{5}"'
}
for seed in 1 1 2; do
    bench 5 --splits 6 --samples 5 --perturb permutation:4KiB --control none --seed $seed --save run.csv || fail "seed $seed: $(cat err)"
    order >"order.$seed.$(ls order.$seed.* 2>/dev/null | wc -l)"
done
cmp order.1.0 order.1.1 || fail "one seed, two orders"
! cmp -s order.1.0 order.2.0 || fail "two seeds, one order"

# Times are positive, all samples are accounted for, and the run says what it depended on.
column time | awk '$1 <= 0 { exit 1 }' || fail "a call took no time"
column status | grep -qx ok || fail "no sample counts"
UCX_OURS='' FI_OURS=a=b bench 5 --splits 1 --samples 5 --perturb permutation:4KiB --control none --wait yield --save run.csv ||
    fail "metadata: $(cat err)"
python3 -B - "$mpi" <<'END' || fail "metadata: $(cat run.csv-metadata.json)"
import datetime, json, os, re, sys

run = json.load(open("run.csv-metadata.json"))["prov:wasGeneratedBy"]["schema:additionalProperty"]
run = {item["schema:name"]: item["schema:value"] for item in run}
conditions, environment = run["conditions"], run["environment"]
mpi, kernel, system = environment["mpi"], environment["kernel"], os.uname()
assert {"start": "window", "wait": "yield", "mpi": mpi["library"]}.items() <= conditions.items(), conditions
assert isinstance(conditions["oversubscribed"], bool) and conditions["oversubscribed"] == (len(os.sched_getaffinity(0)) < 5)
assert mpi["library"].startswith({"openmpi": "Open MPI v", "mpich": "MPICH Version: "}[sys.argv[1]]) and mpi["library"].isprintable()
assert re.fullmatch(r"[34]\.[01]", mpi["standard"]), mpi
assert mpi["variables"]["UCX_OURS"] == "" and mpi["variables"]["FI_OURS"] == "a=b", mpi
assert all(re.match("OMPI_|MPICH_|MPIR_|UCX_|FI_|PSM|I_MPI_", name) for name in mpi["variables"]), mpi
assert kernel == {"system": system.sysname, "release": system.release, "version": system.version, "machine": system.machine}
started = datetime.datetime.strptime(environment["started"], "%Y-%m-%dT%H:%M:%SZ")
assert 0 <= (datetime.datetime.utcnow() - started).total_seconds() < 3600, started
def processors(text):
    ends = [list(map(int, part.split("-"))) for part in text.split(",")]
    return {core for part in ends for core in range(part[0], part[-1] + 1)}, sum(len(part) for part in ends)
cores = os.sched_getaffinity(0)
least = sum((core - 1 not in cores) + (core - 1 in cores and core + 1 not in cores) for core in cores)
assert [processors(text) for text in environment["processors_of_ranks"]] == [(cores, least)] * 5, environment
clocks = environment["clocks_of_ranks"]
assert len(clocks) == 5 and all(clock["offset_ns"] == 0 and clock["error"] == 0 for clock in clocks), clocks
assert all(0 < max(clock["at_ns"] for clock in clocks) - clock["at_ns"] + 1 < 60e9 for clock in clocks), clocks
END

# What is begun is completed, and what is sent received, however ranks wait. In 3 blocks without perturbation and 3 with, each
# of the 2 ranks of the application has its 5 calls and 3 before them, each after a barrier. Who spins yields to nobody.
for wait in spin yield sleep; do
    with_library "$2/preload_ledger.so" 5 "$crosswind_mpi" bench noise --time 0 --splits 1 --samples 5 --op alltoall:1KiB \
        --perturb permutation:4KiB,incast:4KiB,shift:4KiB --control none --sync barrier --wait $wait --save run.csv >out 2>err ||
        fail "accounts: $(cat err)"
    settled err 5
    [ "$(column status | grep -c late)" -eq 0 ] || fail "a call after a barrier is late: $(cat run.csv)"
    [ "$(column status | wc -l)" -eq 30 ] || fail "not 5 samples of each block: $(cat run.csv)"
    [ "$(grep -c ' slack 1000$' err)" -eq 5 ] || fail "sleeps may end when they like: $(cat err)"
    calls=$(sed -n 's/^ledger: .* alltoalls \([0-9]*\) barriers \([0-9]*\) .*/\1,\2/p' err | sort -n | tr '\n' ' ')
    [ $wait != spin ] || [ "$calls" = "0,0 0,0 0,0 48,30 48,30 " ] || fail "calls and barriers: $calls"
    yields=$(grep -vc ' yields 0 ' err) || true # none
    case $wait in spin) [ "$yields" -eq 0 ] ;; yield) [ "$yields" -eq 5 ] ;; esac || fail "$wait: $(cat err)"
done

# A wrong result is an error before anything is measured; nobody waits for the rank that has it.
status=0
CORRUPT_ALL=0 with_library "$2/preload_corrupt.so" 4 "$crosswind_mpi" bench noise --op alltoall:4KiB --wait spin --time 0 \
    --splits 1 --samples 5 --perturb permutation:1KiB --control none --ratio 0.5 >out 2>err || status=$?
[ $status -eq 1 ] && grep -q 'alltoall of 4096 bytes delivers a wrong element 1000: ' err || fail "a wrong result: $status, $(cat err)"

[ $failed -eq 0 ]
