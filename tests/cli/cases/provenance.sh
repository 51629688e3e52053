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
crosswind congestion torus:4x4 --traffic bitcomp --top 3 --format json --output congestion.json
look congestion.json
crosswind topo - --format json <two-level.net >topo.json
look topo.json
crosswind route torus:4x4 --format json --output route.json
look route.json
crosswind noise --trial torus-6x6.txt --format json >trial.json
look trial.json
printf '0 1 100\n2 1 5\n' >matrix.txt
printf 'h5\nh1\nh4\n' >places.txt
crosswind congestion torus:4x4 --traffic matrix:matrix.txt --placement file:file=places.txt --top 0 --format json \
    >files.json
look files.json
crosswind noise torus:4x4 --background matrix:matrix.txt --placement file:places.txt --ratio 0.5 --trials 2 --format json \
    >files.json
look files.json
run crosswind noise torus:4x4 --ratio 0.5 --trials 3 --threads 1 --quiet
# Pipes and standard input are hashed as they are read, and read only once; two uses of one file are one input.
sha256sum <two-level.net
mkfifo pipe
cat two-level.net >pipe &
crosswind topo pipe --format json >piped.json
look piped.json | grep input
echo 0,5,1MiB >moves.csv
crosswind plan torus:4x4 --traffic matrix:moves.csv --method heuristic --plan plan.json >/dev/null
crosswind plan torus:4x4 --check - --format json <plan.json >checked.json
look checked.json | sed -n "s/$(sha256sum <plan.json | cut -d' ' -f1)/the hash of plan.json/p"
crosswind noise two-level.net --lft - --ratio 0.5 --trials 3 --format json <two-level.lfts >noise.json
look noise.json | sed -n "s/$(sha256sum <two-level.lfts | cut -d' ' -f1)/the hash of two-level.lfts/p"
printf 'node-01\nnode-02\nnode-04\n' >hosts.txt
crosswind congestion two-level.net --endpoints hosts.txt --placement file:hosts.txt --format json >twice.json
look twice.json | grep input
