# Loads on small networks.
flit()
{
    crosswind flit "$@" --cycles 2000 --warmup 2000 --threads 1 --format csv
}
echo "# columns"
flit crossbar:4 --load 0.5 | head -n 1
echo "# minimal routing of a shift accepts 1/(a p), as its bound says"
flit dragonfly:2,3,2 --traffic group-shift --routing minimal --analytic | columns accepted_mean,model_bound |
    tail -n 1 | sed 's/\(\.1666\)[0-9]*/\1/g'
echo "# the same with any number of threads"
for n in 1 2 4; do
    crosswind flit dragonfly:2,3,2 --traffic bitcomp --routing valiant-any,ugal-l,par --load 1 --unsteady --threads $n \
        --cycles 500 --warmup 100 --format csv >threads-$n.csv
done
same threads-1.csv threads-2.csv
same threads-1.csv threads-4.csv
echo "# the same from both implementations"
for by in tuned plain; do
    crosswind flit dragonfly:2,3,2 --traffic bitcomp --routing ugal-g,par --load 0.7 --unsteady --threads 1 --message 192B \
        --cycles 500 --warmup 100 --implementation $by --format csv >by-$by.csv
    crosswind jobs torus:4x4 --model flits --jobs "allreduce bytes=4KiB; permutation ranks=50%" --placement random --trials 2 --warmup 200 --threads 1 \
        --implementation $by --format csv >collective-$by.csv
done
same by-tuned.csv by-plain.csv
same collective-tuned.csv collective-plain.csv
echo "# virtual output queues need the plain one, and pass what single queues do not"
for queues in fifo voq; do
    crosswind flit crossbar:8 --hardware speedup=1,input-buffer=64KiB --load 0.84 --queues $queues --allocator islip --warmup 2000 \
        --cycles 2000 --unsteady --threads 1 --top 0 >queues.txt
    sed -n 's/^minhop  *0.84  *\(0\.[0-9]\).*/accepted \1…/p' queues.txt | head -n 1
done
grep "plain implementation" queues.txt
echo "# marks, and what sources hear of them"
for control in none aimd; do
    crosswind flit crossbar:4 --traffic hotspot:1,share=1 --load 0.9 --marking threshold:16 --rate-control $control \
        --warmup 1000 --cycles 4000 --unsteady --threads 1 --top 0 --format json | python3 -c '
import json, sys
row, = json.load(sys.stdin)["tables"]["marks"]["rows"]
print("marked:", 0 < row["marked"] <= 1, "notices:", row["notices"] > 0)'
done
echo "# times of a rate control that are longer than what is measured"
settle()
{
    crosswind flit crossbar:4 --traffic hotspot:1,share=1 --load 0.9 --marking red:min=8,max=48,most=0.1 --rate-control $1 \
        --warmup 100 --cycles 2000 --unsteady --threads 1 --top 0 | grep -A 3 "cannot have settled" || echo "$1: none"
}
settle dcqcn
settle dcqcn:timer=100,alpha-timer=110,g=0.0625
echo "# a mix of sizes"
crosswind flit crossbar:8 --load 0.4 --message 64B:0.9,1KiB:0.1 --warmup 1000 --cycles 4000 --threads 1 --format csv |
    columns accepted_mean | tail -n 1 | sed 's/\(0\.[34]\).*/\1.../'
echo "# a collective, alone and perturbed"
run crosswind jobs torus:4x4 --model flits --jobs 'binomial-bcast bytes=4KiB; permutation ranks=50%' --placement random \
    --trials 3 --warmup 1000 --threads 1 --format csv
echo "# a finite amount of traffic: 64 flits of each rank over one channel to the next"
run crosswind jobs crossbar:4 --model flits --jobs 'shift:1 bytes=4KiB' --threads 1
echo "# jobs that end, beside one that does not; each alone is as fast as the channels"
run crosswind jobs crossbar:8 --model flits --jobs 'shift:1 ranks=3 bytes=4KiB; bcast ranks=2 bytes=1KiB; uniform load=0.3' \
    --trials 1 --warmup 500 --threads 1
echo "# jobs without end"
crosswind flit dragonfly:2,3,2 --traffic 'group-shift:3 ranks=20 load=0.1; uniform load=0.2 placement=random' --warmup 2000 \
    --cycles 2000 --threads 1 --top 0 --format csv | tail -n 3
echo "# what was asked for and not reached"
crosswind flit crossbar:4 --load 0.5 --warmup 100 --cycles 1000 --until-ci 0.01% --threads 1 | grep "asked for" | wc -l
echo "# buffers that do not cover the round trip"
crosswind flit torus:4x4 --hardware local-latency=100,input-buffer=4KiB --load 0.01 --warmup 1000 --cycles 500 --unsteady \
    --threads 1 | grep -A 1 "round trip"
echo "# a round trip of 14 cycles: 15 flits cover it, 13 do not"
for size in 960B 832B; do
    crosswind flit torus:4x4@40Gbit/s,90ns --hardware input-buffer=$size,local-latency=7 --load 0.1 --warmup 100 --cycles 500 \
        --unsteady --threads 1 >out.txt
    echo "$size: $(grep -c "round trip" out.txt)"
done
echo "# buffers of which nothing is said cover it: the same load is accepted in full"
buffers()
{
    crosswind flit torus:8 --traffic shift:1 --hardware local-latency=100$1 --load 0.9 --warmup 1000 --cycles 2000 --threads 1 \
        --top 0 >out.txt
    sed -n 's/^dor  *0.9  *\(0\.[0-9]\).*/accepted \1…/p' out.txt | head -n 1
    grep -A 1 "round trip" out.txt
}
buffers ""
buffers ,input-buffer=4KiB
echo "# who goes first is served, and who comes after it starves"
crosswind flit torus:8 --traffic hotspot:1,share=1 --hardware transit-first=yes --load 1 --warmup 1000 --cycles 500 --unsteady --threads 1 |
    grep -A 1 "endpoints starved"
echo "# the routing is proven before the run"
run crosswind flit torus:4x4 --routing dor:lanes=1 --cycles 100
echo "# … unless the fabric's own tables are to be simulated as they are: what waits for what is said if nothing moves"
crosswind topo torus:5 --write ring.json >/dev/null
crosswind route ring.json --routing minhop --write ring.lft >/dev/null 2>&1 || :
ring()
{
    crosswind flit ring.json --lft ring.lft --traffic shift:2 --allow-deadlock --hardware input-buffer=128B,output-buffer=128B \
        --top 0 --threads 1 --warmup 1000 --cycles 500 --unsteady "$@" || echo "exit status $?"
}
ring --routing nue:lanes=2 --load 0.01,1 --format csv | cut -d, -f6,7,8,15
ring --load 1 | sed -n '/^Simulated all/,/again/p'
echo "# latencies of what is saturated are marked"
crosswind flit crossbar:3 --traffic hotspot:1,share=1 --load 0.4,0.6 --warmup 4000 --cycles 4000 --threads 1 --format json \
    >saturated.json
python3 -c '
import json
result = json.load(open("saturated.json"))
print([row["saturated"] for row in result["tables"]["flit"]["rows"]])
print([row["saturated"] for row in result["tables"]["latency"]["rows"]])
print([note for note in result["notes"] if "saturated" in note])'
for load in 0.4 0.6; do
    crosswind flit crossbar:3 --traffic hotspot:1,share=1 --load $load --warmup 4000 --cycles 4000 --threads 1 --top 0 >text
    sed -n 's/^minhop .*  \(yes\|no\)  .*  \(yes\|no\) .*/saturated \1, steady \2/p' text | head -n 1
    grep -A 2 "Latencies of saturated" text || :
done
echo "# without --routing one is taken that cannot deadlock: detours of a torus that has lost cables take more lanes; what"
echo "# nobody knows takes nue"
crosswind flit torus:5x4 --failed 7% --load 0.2 --warmup 100 --cycles 500 --unsteady --threads 1 |
    grep -A 2 "Routes are by"
crosswind topo jellyfish:16,4,2 --failed 3% --write some.json >/dev/null
crosswind flit some.json --load 0.2 --warmup 100 --cycles 500 --unsteady --threads 1 | grep -A 2 "Routes are by"
echo "# without --load: where it saturates, with two of three ranks sending to the third"
crosswind flit crossbar:3 --traffic hotspot:1,share=1 --threads 1 --top 0 --format json >sweep.json
python3 -c '
import json
tables = json.load(open("sweep.json"))["tables"]
loads = [row["offered"] for row in tables["flit"]["rows"]]
found, = tables["saturation"]["rows"]
print("rising", loads[:3], "of", len(loads))
print("about half is accepted:", 0.45 < found["accepted_load"] <= 0.5 <= found["refused_load"] < 0.53)'
echo "# with --analytic the load is 1"
crosswind flit dragonfly:2,3,2 --traffic group-shift --analytic --warmup 1000 --cycles 500 --threads 1 --format csv | cut -d, -f7 |
    tail -n 1
echo "# what is not steady is marked, has no interval, and the others are kept"
run crosswind flit crossbar:4 --load 0.3,0.9,0.5 --hardware host-latency=50 --warmup 0 --cycles 400 --threads 1 --top 0 >out.txt
sed -n '/^minhop/p' out.txt | head -n 3
tail -n 1 out.txt
crosswind flit crossbar:4 --load 0.3 --hardware host-latency=50 --warmup 0 --cycles 400 --threads 1 2>&1 |
    grep -A 3 "is not steady"
echo "# trials that fail are counted, and the others kept"
run crosswind jobs torus:8 --model flits --jobs 'shift:1 ranks=2 bytes=4KiB; hotspot:1,share=1' --placement random --hardware transit-first=yes \
    --trials 6 --warmup 500 --threads 1
echo "# the fabric's own tables, which are those of an engine here, beside that engine"
crosswind topo xgft:2:4,4:1,4 --write tree.json >/dev/null
crosswind route tree.json --routing minhop --write tree.lft >/dev/null
crosswind flit tree.json --lft tree.lft --routing minhop --load 1 --traffic shift:5 --warmup 500 --cycles 500 --unsteady \
    --threads 1 --top 0 --format csv | sed -n 's/.*\(tree.lft\|minhop\),1,/\1 /p' | cut -d, -f1-5 >rows.txt
[ "$(sed -n '1s/[^ ]* //p' rows.txt)" = "$(sed -n '2s/[^ ]* //p' rows.txt)" ] && sed 's/ .*//' rows.txt
crosswind jobs tree.json --model flits --lft tree.lft --jobs binomial-bcast --placement random --trials 2 --threads 1 --format csv >lft.csv
crosswind jobs tree.json --model flits --routing minhop --jobs binomial-bcast --placement random --trials 2 --threads 1 --format csv |
    sed 's/minhop/tree.lft/' >minhop.csv
same lft.csv minhop.csv
echo "# tables that are free of deadlocks by their service levels"
ring=$GOLDEN/levels/ring-6
crosswind flit $ring.ibnetdiscover --lft $ring-dfsssp.lfts --path-records $ring-dfsssp.path-records \
    --sl2vl $ring-dfsssp.sl2vl --traffic shift:1 --load 0.5 --warmup 1000 --cycles 2000 --threads 1 --format csv |
    cut -d, -f7 | tail -n 1
echo "# several routings, each with its parameters, which the rows show"
flit dragonfly:2,3,2 --traffic bitcomp --load 0.2 --unsteady \
    --routing ugal-mix:minimal=0.1,minimal,ugal-mix:minimal=0.9,valiant-any | columns routing
flit torus:4x4 --load 0.1 --unsteady --routing dor:lanes=2,tie=balanced,lash:lanes=4,mesh,hop-lanes | columns routing
