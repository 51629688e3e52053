# Who takes part: the others are idle, and what names one of them is refused.
for i in 0 1 2 3 7 8 11 13; do echo h$i; done >some.txt
echo "# shares of those that take part"
run crosswind congestion torus:4x4 --endpoints some.txt --traffic shift:1 --top 0
run crosswind jobs torus:4x4 --endpoints some.txt --model flits --jobs 'bcast ranks=9'
echo "# a placement, a demand"
echo h5 >hosts.txt
run crosswind congestion torus:4x4 --endpoints some.txt --placement file:hosts.txt
printf '0,1,5\n2,h5,5\n' >demands.csv
run crosswind plan torus:4x4 --endpoints some.txt --traffic matrix:demands.csv
echo "# an explicit case names its endpoints; the paper's model is of all"
printf 'net torus 4 2\napp 2 0 1\n' >case.txt
run crosswind noise --trial case.txt --endpoints some.txt
run crosswind model dragonfly:2,4,2 --traffic uniform --routing minimal --endpoints some.txt
echo "# aggregation nodes and routers send and receive nothing unless that is said"
for map in aggregation-node router ibnetdiscover; do
    cp "$GOLDEN/corpus/$map."* map
    echo "# $map"
    for options in '' '--endpoints all' '--endpoints hca'; do
        # shellcheck disable=SC2086  # an option and its value, or none
        crosswind congestion map --traffic shift:1 $options >result
        grep -A 1 'neither send' result || echo "${options:-nothing}: no remark"
        grep '^[0-9]* of .* take part' result || :
    done
done
echo "# whatever the traffic; what is asked of routes is asked of all"
cp "$GOLDEN/corpus/aggregation-node."* map
endpoints() { "$@" --format csv 2>&1 | columns endpoints | sed -n 2p | sed "s/^/$2: /"; }
endpoints crosswind congestion map
endpoints crosswind ebb map
endpoints crosswind flit map --load 0.1 --cycles 100
endpoints crosswind model map
endpoints crosswind plan map --traffic alltoall --method default
endpoints crosswind noise "$GOLDEN/fabric/oddities.ibnetdiscover" --ratio 0.5 --trials 2
endpoints crosswind route map
endpoints crosswind congestion map --endpoints all
