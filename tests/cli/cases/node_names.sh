# The user's names for the nodes of a fabric: in what is printed and written, and in what is asked for.
cp "$GOLDEN/names/rails.names" "$GOLDEN/fabric/rails.ibnetdiscover" "$GOLDEN/fabric/rails.subnet.lst" .
cp "$GOLDEN/fabric/rails-lines.iblinkinfo" "$GOLDEN/fabric/two-level.ibnetdiscover" .
names="--node-name-map rails.names"
for map in rails.ibnetdiscover rails.subnet.lst rails-lines.iblinkinfo; do
    echo "\$ $map"
    crosswind route $map $names --from compute-1/P1 --to compute-2/P2 --format json >result.json
    python3 -c '
import json
result = json.load(open("result.json"))
for table in result["tables"].values():
    for row in table["rows"]:
        print(*row.values())
print("\n".join(note for note in result["notes"] if "names" in note))
print(*(entry["path"] for entry in result["inputs"]))'
done
crosswind topo rails.ibnetdiscover $names --write rails.json >/dev/null
sed -n '/"names"/,/"identities"/p' rails.json
# names in lists of endpoints, and on cables that fail
printf 'compute-1/P1\ncompute-2/P1\n' >some
crosswind ebb rails.ibnetdiscover $names --endpoints some --trials 2 --format csv | grep -v '^#' | cut -d, -f1-5
printf 'src,dst,bytes\ncompute-1/P1,storage [0002c90300080d48],1048576\n' >demand.csv
crosswind plan rails.ibnetdiscover $names --traffic matrix:demand.csv --method default --plan plan.json >/dev/null
run crosswind plan rails.ibnetdiscover $names --check plan.json --failed "compute-1/P1-rack 7 leaf A"
run crosswind route rails.ibnetdiscover $names --from "node01 mlx5_0/P1" --to gateway
# what it is not for, and what it does not hold
run crosswind topo torus:4x4 $names
run crosswind topo rails.json $names
run crosswind topo rails.ibnetdiscover --node-name-map missing
printf '0x0008f10500200b50 "leaf\n' >broken
run crosswind topo rails.ibnetdiscover --node-name-map broken
crosswind topo two-level.ibnetdiscover $names >result.txt
sed -n "/names are of no node/,/^$/p" result.txt
