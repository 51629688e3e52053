#!/bin/sh
# What a build may leave out is left out, and what is left works: parts.sh SOURCE
set -eu
source=$1
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCW_CLP=OFF -DCW_OPENSM=OFF -DCW_MPI=OFF \
    -DBUILD_TESTING=OFF >"$build/log" 2>&1 && ninja -C "$build" >>"$build/log" 2>&1 || { tail -n 40 "$build/log"; exit 1; }
crosswind=$build/crosswind

expect() {
    echo "$1" | grep -q -- "$2" || { printf 'expected "%s" in\n%s\n' "$2" "$1"; exit 1; }
}
for part in crosswind libcrosswind.so; do
    if readelf -d "$build/$part" | grep -q 'libClp'; then echo "$part needs CLP"; exit 1; fi
done
expect "$(find "$build" -name 'crosswind-mpi*' -o -name 'libcrosswind-*.so*' | grep -c . || true)" '^0$'
for routing in ftree updn dnup dor-ports lash torus-2qos; do
    expect "$("$crosswind" route torus:4x4 --routing $routing 2>&1 || true)" "no routing is called '$routing'"
done
expect "$("$crosswind" ebb "$source/examples/sample/fabric.ibnetdiscover" --trials 10)" 'over the routes of'

# a plan that is within 1e-4 of what was proven, by lp and optimum
"$crosswind" plan torus:6x6 --traffic transpose --method lp,optimum --format json |
    python3 -c '
import json, sys
rows = json.load(sys.stdin)["tables"]["plan"]["rows"]
assert len(rows) == 2, rows
for row in rows:
    assert row["z_bound"] * (1 - 1e-4) <= row["z"] <= row["z_bound"] * (1 + 1e-9), row
'
