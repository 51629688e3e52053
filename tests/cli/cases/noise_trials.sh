# Trials one by one: every trial's times, one of them as a case, and the case replayed.
check()
{
    crosswind noise "$@" --samples samples.csv --format csv >rows.csv
    python3 - <<'END'
import csv
from statistics import mean
rows = list(csv.DictReader(open("rows.csv")))
samples = list(csv.DictReader(open("samples.csv")))
for row in rows:
    own = [s for s in samples if (s["ratio"], s["bytes"]) == (row["ratio"], row["bytes"])]
    assert [int(s["trial"]) for s in own] == list(range(1, int(row["trials"]) + 1))
    slowdowns = [float(s["slowdown"]) for s in own]
    for name, value in ("mean", mean(slowdowns)), ("min", min(slowdowns)), ("max", max(slowdowns)):
        assert abs(float(row["slowdown_" + name]) - value) < 1e-8, (row, name, value)
    for time in "clean", "perturbed":
        value = mean(float(s[time]) for s in own)
        assert abs(float(row[time + "_mean"]) - value) < 1e-8 * value, (row, time, value)
print(len(rows), "rows of", len(samples), "samples agree")
END
}
# trial N, its case replayed, and its line of the samples are one
round_trip()
{
    n=$1 network=$2
    shift 2
    crosswind noise "$network" --ratio 0.5 --trials 12 --samples samples.csv "$@" >/dev/null
    crosswind noise "$network" --ratio 0.5 --case "$n" case.txt "$@" --format csv | columns -context >case.csv
    crosswind noise --trial case.txt "$@" --format csv | columns -context >trial.csv
    same case.csv trial.csv
    sampled=$(columns clean,perturbed <samples.csv | sed -n "$((n + 1))p")
    grep -q "^$sampled," case.csv && echo "trial $n takes what it took among the others" || grep -A1 ^clean_time case.csv
}
check torus:5x5 --ratio 0.2,0.5 --trials 15
check torus:5x5 --ratio 0.2,0.5 --trials 15 --bytes 8B,1MiB
round_trip 1 torus:5x5
round_trip 12 torus:5x4 --schedule rabenseifner --sends in-order
round_trip 7 dragonfly:2,4,2 --bytes 64KiB --schedule ring-allreduce
round_trip 3 'xgft(2,12,6)' --bytes 8B --L 2us --routing minhop
crosswind noise torus:5x5 --ratio 0.5 --case 3 other.txt --background alltoall >/dev/null
run cat other.txt
run crosswind noise --trial other.txt
# what cannot be
run crosswind noise torus:5x5 --ratio 0.5 --case 3
run crosswind noise torus:5x5 --case 3 case.txt
run crosswind noise torus:5x5 --ratio 0.5 --bytes 1B,2B --case 3 case.txt
run crosswind noise torus:5x5 --ratio 0.5 --case 0 case.txt
run crosswind noise torus:5x5 --ratio 0.5 --case 3 case.txt --trials 5
run crosswind noise torus:5x5 --ratio 0.5 --case 3 case.txt --samples samples.csv
run crosswind noise torus:5x5 --ratio 0.5 --case 3 case.txt --perturbation per-round
run crosswind noise torus:5x5 --ratio 0.5 --case 3 nowhere/case.txt
run crosswind noise torus:5x5 --ratio 0.5 --trials 5 --samples nowhere/samples.csv
run crosswind noise torus:5x5 case.txt
run crosswind noise torus:5x5 other --trial case.txt
run crosswind noise torus:5x5 --trial case.txt --samples samples.csv
run crosswind noise torus:5x5 --trial case.txt --bytes 1B,2B
