# Plans flit by flit: nodes that relay, hosts that relay, what the network carries itself; threads; errors.
cp "$GOLDEN/../../examples/sample/fabric.ibnetdiscover" "$GOLDEN/../../examples/sample/opensm-lfts.dump" .
cp "$GOLDEN/moves/two-demands.json" moves.json
torus=torus:4x4@1GB/s
run crosswind jobs $torus --model flits --jobs moves:moves.json
cycles()
{
    crosswind jobs "$@" --model flits --format csv | columns cycles | sed -n 2p
}
echo "# both implementations, any number of threads; relayed plans, and the network's own routes"
for method in default optimum; do
    crosswind plan $torus --traffic disjoint:4x8 --bytes 100kB --method $method --moves $method.json >/dev/null
    cycles $torus --jobs moves:$method.json --message 1KiB --implementation plain >plain
    for threads in 1 2 4; do
        cycles $torus --jobs moves:$method.json --message 1KiB --threads $threads >tuned
        same plain tuned
    done
done
echo "# a fabric on its own tables: the bound holds"
for method in default optimum; do
    crosswind plan fabric.ibnetdiscover --lft opensm-lfts.dump --traffic permutation --bytes 64KiB --chunk 4KiB \
        --method $method --moves $method.json >/dev/null
    crosswind jobs fabric.ibnetdiscover --lft opensm-lfts.dump --model flits --jobs moves:$method.json --message 2KiB --format csv |
        columns plan,seconds,bound_seconds |
        awk -F, '!/plan/ {print $1, ($2 >= $3 && $2 < 10 * $3 ? "is within" : "IS BEYOND")}'
done
echo "# what was promised: kept, not kept, of another routing, of a node that is its switch, without prediction"
verdict()
{
    crosswind plan $1 --traffic $2 --bytes 64KiB --chunk 16KiB --moves moves-$2.json $3 >/dev/null
    crosswind jobs $1 --model flits --jobs moves:moves-$2.json --message 2KiB $4 | sed -n '/^plan/,/^$/p;/^Flit by flit/,/^$/p;/^The plan takes/p'
}
verdict xgft:2:4,4:1,4 permutation
verdict torus:4x4 transpose
verdict torus:4x4 transpose "" "--routing minhop"
verdict torus:2x2x2x2x3 transpose:rows=8 "--method optimum"
verdict torus:4x4 tornado "--method optimum --transport none --relays switches"
verdict torus:4x4 shift "--method default"
echo "# a model predicts what it finds again"
for model in flows flits; do
    crosswind plan torus:4x4 --traffic transpose --bytes 64KiB --chunk 16KiB --relays all --method optimum --model $model \
        --moves $model.json >/dev/null
    grep predicted_by $model.json
    crosswind jobs torus:4x4 --model $model --jobs moves:$model.json --format csv >$model.csv
    columns seconds <$model.csv | tail -n +2 >found
    columns predicted_seconds <$model.csv | tail -n +2 >predicted
    same found predicted
    crosswind jobs torus:4x4 --model $model --jobs moves:$model.json | grep -A1 'F.* predict'
done
echo "# errors"
run crosswind jobs $torus --model flits --jobs moves:optimum.json
run crosswind jobs fabric.ibnetdiscover --model flits --jobs moves:optimum.json --message 64B:0.5,128B:0.5
run crosswind jobs fabric.ibnetdiscover --model flits --jobs moves:optimum.json --routing minhop --lft opensm-lfts.dump
run crosswind jobs fabric.ibnetdiscover --model flits --jobs moves:optimum.json --routing valiant-any
run crosswind jobs fabric.ibnetdiscover --model flits --jobs moves:optimum.json --warmup 10
run crosswind jobs fabric.ibnetdiscover --model flits --jobs moves:missing
sed 's/"credits": 2/"credits": 0/' moves.json >broken.json
run crosswind jobs $torus --model flits --jobs moves:broken.json
