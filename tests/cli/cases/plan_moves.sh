# What each rank does to carry a plan out: in words, and as a file, which a plan read from a file gives again.
cp "$GOLDEN/../../examples/sample/fabric.ibnetdiscover" "$GOLDEN/../../examples/sample/opensm-lfts.dump" .
words()
{
    crosswind plan "$@" | sed -n '/What the plan of/,/^# crosswind/p' | grep -v '^#'
}
echo "# switches of a torus relay, as asked for"
words torus:4x4@1GB/s --relays switches --traffic disjoint:1x1 --bytes 1MB --method optimum --transport auto:credits=2 --explain all
echo "# the network carries its own routes"
words torus:4x4@1GB/s --traffic disjoint:1x1 --bytes 1MB --method default --explain all
echo "# hosts of a fabric relay"
fabric="fabric.ibnetdiscover --lft opensm-lfts.dump --traffic permutation"
words $fabric --method greedy --bytes 1MiB --explain node003,node022
echo "# the plan of a file has the same moves"
crosswind plan $fabric --method greedy --bytes 1MiB --chunk 10kB --plan plan.json --moves made.json | grep 'each of'
crosswind plan fabric.ibnetdiscover --lft opensm-lfts.dump --check plan.json --moves checked.json >/dev/null
same made.json checked.json
crosswind plan fabric.ibnetdiscover --lft opensm-lfts.dump --check plan.json --chunk 1kB --moves other.json >/dev/null
grep -o '"chunk_bytes": [0-9]*' made.json other.json
echo "# who has no part"
run crosswind plan torus:4x4 --traffic disjoint:1x1 --method default --explain h0,h3 2>&1 >/dev/null
