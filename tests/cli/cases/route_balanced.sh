# Balanced routes, the lanes they need and how good they can be.
for routing in minhop sssp dfsssp nue nue:lanes=2 min-max-load; do
    crosswind route dragonfly:2,4,2 --routing $routing --format csv >result
    echo "# $routing"
    columns hops_mean,lanes,deadlock_free <result
    crosswind route dragonfly:2,4,2 --routing $routing | grep -A 1 '^No shortest'
done
echo "# too few lanes"
crosswind route torus:8x8 --routing dfsssp:lanes=2
crosswind route torus:8x8 --routing nue:lanes=0
echo "# the same with any number of threads"
for routing in sssp dfsssp nue:lanes=3 min-max-load; do
    for n in 1 2 4; do
        crosswind route jellyfish:20,4,3 --routing $routing --threads $n --write lft-$n >result
    done
    same lft-1 lft-2
    same lft-1 lft-4
done
