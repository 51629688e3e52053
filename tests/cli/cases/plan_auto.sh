# Where there is one path only, all plans are the same one: auto names the machine's own routes.
crosswind plan crossbar:4 --traffic permutation --method auto --format csv | columns method,paths_used,hops_mean
# Two switches by their names are all cables between them: three here, and nothing is left.
crosswind plan xgft:2:4,2:1,1:1,3 --traffic permutation --failed s1.0-s2.0 | sed -n -e 1p -e "/endpoints have no path/,/^h7/p"
# What auto has not tried is said: on large cases what chooses among k paths, and what comes after the budget.
crosswind plan torus:45x45 --relays switches --traffic permutation --method auto --epsilon 0.5 | sed -n '/^auto left/,/names them/p'
crosswind plan torus:4x4 --traffic transpose --relays all --method auto --budget 1ns | grep "over before"
# A pair that needs two relays has none of the k paths, which have one at most: auto does without them.
{
    echo '# crosswind edge list'
    for host in a b c d; do echo "endpoint $host"; done
    printf '%s\n' 'a s1' 'b s1' 'b s2' 'c s2' 'c s3' 'd s3'
} >chain
echo a,d,1000 >moves
crosswind plan chain --traffic matrix:moves --max-relays 2 --method optimum,auto --format csv | columns method,z,z_bound,hops_max
crosswind plan chain --traffic matrix:moves --max-relays 2 --method auto | grep -A 1 '^heuristic, greedy'
run crosswind plan chain --traffic matrix:moves --max-relays 2 --method greedy
run crosswind plan chain --traffic matrix:moves --method auto
# Of plans that are equal but for rounding the one with a proof for all paths is written.
crosswind plan torus:4x4@1GB/s --relays switches --transport none --traffic permutation --method lp,optimum --plan plan.json | grep Written
# A bound that there is no time to verify is not claimed: it is in the table and proven, or neither, and said.
crosswind plan torus:20x20x20 --relays switches --transport none --traffic tornado --method optimum --budget 1ms --threads 1 >late
awk '/^optimum +-/ && $4 != "-" {given++} /^No plan whatever/ {proven++} /was over before the proof of optimum/ {late++}
    END {print given + 0 == proven + 0 && given + late == 1 ? "a bound is proven, or said to be late" : "WRONG"}' late
# Where the network's own routes carry what the hosts' cables do, nothing is searched; the optimum is these routes.
crosswind plan xgft:2:8,8:1,8 --traffic alltoall --method optimum,auto --plan own.json --format csv | columns method,z,z_bound,paths_used
grep network_routes own.json
crosswind plan xgft:2:8,8:1,8 --traffic alltoall --check own.json --format csv | columns method,z,z_bound
