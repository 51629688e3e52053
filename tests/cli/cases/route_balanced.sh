# Balanced routes, the lanes they need and how good they can be.
for routing in minhop sssp dfsssp lash nue nue:lanes=2 nue-even nue-even:lanes=2 min-max-load; do
    crosswind route dragonfly:2,4,2 --routing $routing --format csv >result
    echo "# $routing"
    head -2 result | columns hops_mean,lanes,deadlock_free
    crosswind route dragonfly:2,4,2 --routing $routing | grep -A 2 '^No forwarding'
done
echo "# too few lanes"
crosswind route torus:8x8 --routing dfsssp:lanes=2
crosswind route torus:8x8 --routing lash:lanes=2
crosswind route torus:8x8 --routing lash:lanes=2,start=2
crosswind route torus:8x8 --routing nue:lanes=0
echo "# the same with any number of threads"
for routing in sssp dfsssp lash nue:lanes=3 nue-even:lanes=3 min-max-load; do
    for n in 1 2 4; do
        crosswind route jellyfish:20,4,3 --routing $routing --threads $n --write lft-$n >result
    done
    same lft-1 lft-2
    same lft-1 lft-4
done
echo "# OpenSM's lash: service levels for every verb"
crosswind route jellyfish:20,4,3 --routing lash:start=1 --from h0 --to h7 | grep -A 9 '^hop'
for n in 1 2; do
    crosswind route jellyfish:20,4,3 --routing lash --threads $n --write-path-records records-$n --write-sl2vl maps-$n >result
done
same records-1 records-2
for verb in "congestion --traffic shift:3" ebb "noise --ratio 0.5 --trials 3" "flit --traffic shift:3 --load 0.2 --cycles 1000" "model --traffic shift:3"; do
    # shellcheck disable=SC2086  # a verb and its options
    crosswind ${verb%% *} torus:4x4 ${verb#"${verb%% *}"} --routing lash --threads 1 >result || echo "failed: $verb"
done
echo "# routes for given traffic: what congestion counts on their busiest channel is what route says"
for net in torus:8x8 dragonfly:2,4,2; do
    for traffic in bitcomp shift:5; do
        crosswind route $net --routing min-max-load --traffic $traffic --write made.lfts --format csv | tail -2 | columns bytes_max,bound,multipath_bound
        crosswind congestion $net --lft made.lfts --traffic $traffic --format csv | columns max_congestion
    done
done
printf '0 5 10\n1 5 3\n' >matrix
run crosswind route torus:4x4 --routing min-max-load:rounds=4 --traffic matrix:matrix
crosswind route torus:8x8 --routing min-max-load --format csv | tail -2
crosswind route torus:8x8 --routing min-max-load --format json | grep -E '"(bound|multipath_bound)": '
echo "# a bound that is not computed, and why"
crosswind route torus:330 --routing min-max-load:rounds=1 | grep -A 3 '^The bound'
run crosswind route torus:4x4 --routing dor --traffic bitcomp
run crosswind route torus:4x4 --traffic bitcomp
run crosswind route torus:4x4 --routing min-max-load --traffic bitcom
