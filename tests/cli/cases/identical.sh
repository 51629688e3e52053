# Each verb again, with another number of threads: rows of CSV and files beside them byte by byte, JSON but for what was
# measured, and that is where it belongs.
again()
{
    for n in 1 2 3; do
        rm -rf side && mkdir side
        crosswind "$@" --threads $n --format csv >rows-$n.csv
        cat side/* >>rows-$n.csv 2>/dev/null
        crosswind "$@" --threads $n --format json >result.json
        sed '/^  "measured"/,$d' result.json >tables-$n.json
        sed -n '/^  "measured"/,$ s/.*"name": "\(.*\)",/\1/p' result.json >measured-$n
    done
    for kind in rows-%.csv tables-%.json measured-%; do
        for n in 2 3; do
            cmp "$(echo $kind | sed s/%/1/)" "$(echo $kind | sed s/%/$n/)" || echo "DIFFERENT: $*"
        done
    done
    echo "$* ($(wc -l <rows-1.csv) lines) $(cat measured-1)"
}
again noise torus:5x5 --ratio 0.2,0.5 --trials 20 --samples side/samples.csv
again noise torus:5x5 --ratio 0.5 --trials 12 --bytes 8B,1MiB
again ebb torus:5x5 --trials 50
again congestion torus:5x5 --traffic uniform --trials 20 --channels side/channels.csv
again route xgft:2:6,6:1,3 --routing minhop
again topo dragonfly:2,4,2,g=5
again model dragonfly:2,4,2 --traffic uniform --routing minimal
again flit torus:4x4 --load 0.3,0.6 --cycles 1000 --warmup 500 --channels side/channels.csv --series side/series.csv \
    --histogram side/histogram.csv
again jobs xgft:2:4,4:1,2 --model flits --jobs 'uniform bytes=20' --trials 1
again jobs torus:4x4 --model flits --jobs 'binomial-bcast; permutation ranks=50%' --placement random --trials 6
again plan torus:4x4 --traffic permutation --method default,heuristic,greedy,lp,optimum,approx,auto \
    --channels side/channels.csv

# what is left out of rows is beside them
plan="crosswind plan torus:4x4 --traffic permutation --method default,lp"
$plan --format csv --output plan.csv
head -n 1 plan.csv
grep -c search_seconds plan.csv
python3 - <<'EOF'
import json
properties = json.load(open("plan.csv-metadata.json"))["prov:wasGeneratedBy"]["schema:additionalProperty"]
for p in properties:
    values = p["schema:value"]
    if isinstance(values, list):
        print(p["schema:name"], len(values), p["schema:unitText"], all(0 < value < 60 for value in values))
EOF
$plan | grep -o search_seconds

# files beside the rows say what they are about, too
crosswind noise torus:4x4 --ratio 0.5 --trials 10 --seed 7 --samples samples.csv >/dev/null
crosswind congestion torus:4x4 --placement random --seed 7 --channels congestion.csv >/dev/null
crosswind flit torus:4x4 --load 0.2 --cycles 500 --warmup 100 --seed 7 --channels channels.csv --series series.csv \
    --histogram histogram.csv >/dev/null
crosswind plan torus:4x4 --traffic permutation --seed 7 --channels plan.csv >/dev/null
for file in samples congestion channels series histogram plan; do
    echo "$file.csv"
    head -n 2 $file.csv
done
