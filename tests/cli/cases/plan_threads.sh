# The same with any number of threads.
threads()
{
    echo "$*"
    for n in 1 2 4; do
        crosswind plan "$@" --format csv --plan plan-$n.json --threads $n >threads-$n.csv
    done
    for n in 2 4; do
        same threads-1.csv threads-$n.csv
        same plan-1.json plan-$n.json
    done
}
threads bgq:512 --traffic 27 --method heuristic,optimum --k 4
threads torus:4x4x4 --traffic disjoint:8x32 --method default,heuristic,greedy,lp,optimum,approx,auto
threads torus:6x6 --traffic permutation --bytes 100kB --method heuristic,lp --ties rotated --seed 7
threads xgft:2:4,4:1,2 --traffic alltoall --bytes 64KiB --method default,lp,optimum --ties disjoint
threads dragonfly:2,4,2 --traffic aggregation:5 --bytes 1MiB --transport infiniband-host:cut-through,order=forward,credits=2
