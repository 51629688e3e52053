# Loads on small networks. The rate of computing (column 15) is nobody's result.
no_rate()
{
    cut -d, -f1-14,16-
}
flit()
{
    crosswind flit "$@" --cycles 2000 --warmup 20000 --format csv
}
echo "# columns"
flit crossbar:4 --load 0.5 | head -n 1
echo "# minimal routing of a shift accepts 1/(a p); uniform traffic on a crossbar what is offered"
flit dragonfly:2,3,2 --traffic shift --route minimal | tail -n 1 | awk -F'",' '{print $2}' | cut -d, -f6 | cut -c1-5
echo "# the same with any number of threads"
for n in 1 2 4; do
    flit dragonfly:2,3,2 --traffic bitcomp --route valiant-any,ugal-l,par --unsteady --threads $n | sed 's/"[^"]*"/D/' |
        no_rate >threads-$n.csv
done
same threads-1.csv threads-2.csv
same threads-1.csv threads-4.csv
echo "# a collective, alone and perturbed"
run crosswind flit torus:4x4 --schedule binomial-bcast --ratio 0.5 --trials 3 --format csv
echo "# the routing is proven before the run"
run crosswind flit torus:4x4 --route dor:lanes=1 --cycles 100
echo "# models"
run crosswind model dragonfly:2,4,2 --traffic shift
