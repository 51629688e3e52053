# Loads on small networks. The rate of computing is nobody's result.
no_rate()
{
    columns -flit_hops_per_second
}
flit()
{
    crosswind flit "$@" --cycles 2000 --warmup 2000 --threads 1 --format csv
}
echo "# columns"
flit crossbar:4 --load 0.5 | head -n 1
echo "# minimal routing of a shift accepts 1/(a p), as its bound says"
flit dragonfly:2,3,2 --traffic shift --routing minimal --model | columns accepted_mean,model_bound |
    tail -n 1 | sed 's/\(\.1666\)[0-9]*/\1/g'
echo "# the same with any number of threads"
for n in 1 2 4; do
    crosswind flit dragonfly:2,3,2 --traffic bitcomp --routing valiant-any,ugal-l,par --unsteady --threads $n \
        --cycles 500 --warmup 100 --format csv | no_rate >threads-$n.csv
done
same threads-1.csv threads-2.csv
same threads-1.csv threads-4.csv
echo "# a collective, alone and perturbed"
run crosswind flit torus:4x4 --schedule binomial-bcast --bytes 4KiB --ratio 0.5 --trials 3 --warmup 1000 --threads 1 \
    --format csv
echo "# a finite amount of traffic: 64 flits of each rank over one channel to the next"
run crosswind flit crossbar:4 --traffic shift:1 --finite 4KiB --threads 1
echo "# jobs that end, beside one that does not; each alone is as fast as the channels"
run crosswind flit crossbar:8 --jobs 'shift:1 ranks=3 bytes=4KiB; bcast ranks=2 bytes=1KiB; uniform load=0.3' \
    --warmup 500 --threads 1
echo "# jobs without end"
crosswind flit dragonfly:2,3,2 --jobs 'shift:3 ranks=20 load=0.1; uniform load=0.2 placement=random' --warmup 2000 \
    --cycles 2000 --threads 1 --top 0 --format csv | tail -n 3
echo "# what was asked for and not reached"
crosswind flit crossbar:4 --load 0.5 --warmup 100 --cycles 1000 --until-ci 0.01% --threads 1 | grep "asked for" | wc -l
echo "# buffers that do not cover the round trip"
crosswind flit torus:4x4 --local-latency 100 --load 0.01 --warmup 1000 --cycles 500 --unsteady --threads 1 |
    grep -A 1 "round trip"
echo "# who goes first is served, and who comes after it starves"
crosswind flit torus:8 --traffic hotspot:1,share=1 --transit-first --warmup 1000 --cycles 500 --unsteady --threads 1 |
    grep -A 1 "starved, for"
echo "# the routing is proven before the run"
run crosswind flit torus:4x4 --routing dor:lanes=1 --cycles 100
