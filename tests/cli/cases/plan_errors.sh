# One clear line each.
echo '0,5,1MiB' >good.csv
demand()
{
    printf "$1" >bad.csv
    run crosswind plan torus:4x4 --traffic matrix:bad.csv
}
echo "# demands"
demand '3,3,5\n'
demand '0,1,0\n2,3,0\n'
demand '0,1,-5\n'
demand '0,99,5\n'
demand '0,s1,5\n'
demand '0,1\n'
demand '0,1,5\n2,3'
demand '0,1,18446744073709551616\n'
demand '0,1,18446744073709551615\n0,1,1\n'
demand ''
run crosswind plan torus:4x4 --traffic matrix:missing.csv
run crosswind plan torus:4x4
run crosswind plan torus:4x4 --traffic matrix:good.csv --bytes 8
run crosswind plan torus:4x4 --traffic 91
run crosswind plan torus:5x5 --traffic 3
run crosswind plan torus:4x4 --traffic subset:8x3
run crosswind plan torus:4x4 --traffic disjont:8x3
echo "# the network"
run crosswind plan bgq:500 --traffic 3
run crosswind plan torus:4x4 --traffic matrix:good.csv --failed 'h0-s(0,0)'
run crosswind plan torus:4x4 --traffic matrix:good.csv --failed 'h0-h1'
run crosswind plan torus:4x4 --traffic matrix:good.csv --failed 'h0>h1'
run crosswind plan torus:4x4 --traffic matrix:good.csv --failed 'cable'
run crosswind plan torus:4x4 --traffic matrix:good.csv --failed '96'
run crosswind plan torus:4x4 --traffic matrix:good.csv --failed ',17'
run crosswind plan torus:4x4 --traffic matrix:good.csv --routing dmodk
run crosswind plan torus:4x4 --traffic matrix:good.csv --routing dor --lft tables.lfts
run crosswind plan torus:4x4 --traffic matrix:good.csv --lft missing.lfts
cp "$GOLDEN/fabric/two-level.lfts" .
run crosswind plan xgft:2:4,4:2,2 --traffic matrix:good.csv --lft two-level.lfts
echo "# options that none of the methods looks at"
for options in '--method default --k 8' '--method optimum --ties plain' '--method approx,auto --max-hops 5' \
    '--k 8' '--method greedy,lp --maxload 4' '--method optimum --epsilon 0.1' '--method heuristic --budget 1s' \
    '--relays switches --method lp --routing dor' '--relays switches --method heuristic,lp --lft missing.lfts' '--method default --transport auto:credits=4' \
    '--method default --transport bgq:copy=0,cut-through'; do
    run crosswind plan torus:4x4 --traffic matrix:good.csv $options
done
run crosswind plan xgft:2:4,4:1,2 --traffic shift --relays switches
echo "# methods"
run crosswind plan torus:4x4 --traffic matrix:good.csv --method default,optimal
run crosswind plan torus:4x4 --traffic matrix:good.csv --method simplex
run crosswind plan torus:4x4 --traffic matrix:good.csv --method default,
run crosswind plan torus:4x4 --traffic matrix:good.csv --method lp --max-hops 1
run crosswind plan torus:4x4 --traffic matrix:good.csv --k 0
run crosswind plan torus:4x4 --traffic matrix:good.csv --ties random
run crosswind plan torus:4x4 --traffic matrix:good.csv --epsilon 0
run crosswind plan torus:4x4 --traffic matrix:good.csv --budget -1s
crosswind plan torus:16x16 --traffic alltoall --method lp --k 100000000 2>&1 | sed 's/[0-9.e+]* can be had/N can be had/'
echo "# the transport"
run crosswind plan torus:4x4 --traffic matrix:good.csv --chunk 0
run crosswind plan torus:4x4 --traffic matrix:good.csv --transport auto:credits=0
run crosswind plan torus:4x4 --traffic matrix:good.csv --transport auto:efficiency=1.5
run crosswind plan torus:4x4 --traffic matrix:good.csv --transport auto:order=last
echo "# files"
run crosswind plan torus:4x4 --traffic matrix:good.csv --export pdf:plan.pdf
run crosswind plan torus:4x4 --traffic matrix:good.csv --export lp:
run crosswind plan torus:4x4 --traffic matrix:good.csv --plan missing/plan.json
run crosswind plan torus:4x4 --check missing.json
run crosswind plan torus:4x4 --check good.csv
run crosswind plan torus:4x4 --check good.csv --method lp
