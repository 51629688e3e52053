# A result says how it came about, and what only shows or speeds it up is no part of that.
command -v python3 >/dev/null || skip "python3 is missing"
cp "$GOLDEN/fabric/two-level.net" "$GOLDEN/noise/torus-6x6.txt" .
crosswind route two-level.net --write two-level.lfts >/dev/null
look()
{
    python3 - "$1" <<'EOF'
import json, sys
result = json.load(open(sys.argv[1]))
print("tool %(tool)s, seed %(seed)s, command: %(command)s" % result, "" if result["version"] else "no version")
for file in result["inputs"]:
    print("input", file["path"], file["sha256"])
for name, table in result["tables"].items():
    print(name, [column["name"] for column in table["columns"]], len(table["rows"]))
EOF
}
crosswind noise two-level.net --lft two-level.lfts --ratio 0.5 --trials 3 --seed 7 --threads 2 --quiet --format json \
    >noise.json
look noise.json
crosswind noise torus:4x4 --ratio=0.5 --trials 1 --output=one.json --format=json --threads=1 --schedule 'tree'
look one.json
crosswind ebb 'xgft(2,12,6)' --trials 2 --format json --output ebb.json
look ebb.json
crosswind congestion torus:4x4 --pattern bitcomp --top 3 --format json --output congestion.json
look congestion.json
crosswind topo - --format json <two-level.net >topo.json
look topo.json
crosswind route torus:4x4 --format json --output route.json
look route.json
crosswind noise --trial torus-6x6.txt --format json >trial.json
look trial.json
printf '0 1 100\n2 1 5\n' >matrix.txt
printf 'h5\nh1\nh4\n' >places.txt
crosswind congestion torus:4x4 --pattern matrix:matrix.txt --placement file:file=places.txt --top 0 --format json \
    >files.json
look files.json
crosswind noise torus:4x4 --background matrix:matrix.txt --placement file:places.txt --ratio 0.5 --trials 2 --format json \
    >files.json
look files.json
run crosswind noise torus:4x4 --ratio 0.5 --trials 3 --threads 1 --quiet
