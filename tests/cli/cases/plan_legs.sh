# Who may relay, and over what: hosts on the fabric's own tables, GPUs of the right rail, several LIDs, nobody.
cp "$GOLDEN/../../examples/sample/fabric.ibnetdiscover" "$GOLDEN/../../examples/sample/opensm-lfts.dump" .
figures=method,k,z,z_bound,paths_used,hops_mean,hops_max,copies_max
plan()
{
    crosswind plan "$@" --format csv | columns "$figures"
}
fabric="fabric.ibnetdiscover --lft opensm-lfts.dump --traffic permutation"
echo "# every method on the tables of a fabric; what it may be, and what not"
plan $fabric --method default,heuristic,greedy,lp,optimum,approx
crosswind plan $fabric --method greedy --plan greedy.json >/dev/null
run crosswind plan fabric.ibnetdiscover --lft opensm-lfts.dump --check greedy.json | grep -o 'holds what it promises'
run crosswind plan fabric.ibnetdiscover --check greedy.json
crosswind plan $fabric --method optimum | grep -A1 'Switches forward'
printf 'node001\nnode100\n' >relays
crosswind plan $fabric --method default,optimum --relays relays --max-relays 2 | grep -A1 'Switches forward'
plan $fabric --method default,optimum --relays relays
plan $fabric --method default,optimum --relays none
echo "# an endpoint with two cables sends by both at once, 1 MiB in 209.7 us each, by flows and flit by flit"
printf '# crosswind edge list\nendpoint a\nendpoint b\nendpoint c\na s\na t\nb s\nc t\n' >home.edges
printf 'a,b,1MiB\na,c,1MiB\n' >home.csv
for model in flows flits; do
    crosswind plan home.edges --traffic matrix:home.csv --method default --model $model --format csv | columns seconds | tail -n 1
done
echo "# GPUs with a cable each to their node's switch and to their rail: a pair on two nodes and two rails needs a relay"
{
    echo '# crosswind edge list'
    for node in 0 1 2; do for gpu in 0 1 2 3; do echo "endpoint n${node}g$gpu"; done; done
    for node in 0 1 2; do
        for gpu in 0 1 2 3; do
            echo "n${node}g$gpu nvlink$node 3600Gbit/s 100ns"
            echo "n${node}g$gpu rail$gpu 400Gbit/s 300ns"
        done
    done
} >rails
crosswind plan rails --traffic alltoall --bytes 1MiB | grep 'There is no plan'
plan rails --traffic alltoall --bytes 1MiB
run crosswind plan rails --traffic alltoall --relays none
for gpu in 0 1 2 3; do echo "n0g$gpu,n1g$gpu,1MiB"; done >same-rail
plan rails --traffic matrix:same-rail --relays none --method optimum
run crosswind plan rails --traffic alltoall --method default
echo "# LIDs instead of relays, and with them"
tree='xgft:2:8,8:1,8@400Gbit/s --traffic permutation --method default,lp,optimum'
for lmc in 0 1 2 3; do plan $tree --relays none --lmc $lmc | tail -n 1; done
plan $tree --lmc 2
plan $tree --relays none --ways 'random-minimal:lid=1; random-minimal:lid=2;smodk'
plan $tree --relays none --ways adaptive
crosswind plan xgft:2:8,8:1,8@400Gbit/s --traffic permutation --method optimum --ways adaptive --plan adaptive.json | grep -A1 'Switches forward'
run crosswind plan xgft:2:8,8:1,8@400Gbit/s --ways adaptive --check adaptive.json | grep -o 'holds what it promises'
run crosswind plan xgft:2:8,8:1,8@400Gbit/s --check adaptive.json
echo "# a torus whose nodes only have their routes; whose node 5 alone relays"
plan torus:4x4 --traffic tornado --method default,optimum --relays none
printf 'h5\n' >relay
plan torus:4x4 --traffic tornado --method default,optimum --relays relay
echo "# errors"
run crosswind plan torus:4x4 --relays switches --traffic tornado --lmc 2
run crosswind plan torus:4x4 --relays switches --traffic tornado --method lp --routing dor
run crosswind plan $fabric --lmc 2
run crosswind plan $fabric --relays missing
run crosswind plan $fabric --ways 'lft:missing'
run crosswind plan $fabric --ways 'minhop;nothing'
run crosswind plan $fabric --ways valiant-any
echo "# adaptive switches go round a host on two of them, which may not relay"
{
    echo '# crosswind edge list'
    for host in a a2 b c c2; do echo "endpoint $host"; done
    printf '%s\n' 'a s3' 'a2 s3' 's3 s2' 's2 s1' 's1 c' 's1 c2' 'b s3' 'b s1'
} >shortcut
printf 'a,c,1000\na2,c2,1000\n' >moves
plan shortcut --traffic matrix:moves --ways adaptive --method optimum --relays none
plan shortcut --traffic matrix:moves --ways adaptive --method optimum
