#!/bin/sh
# What a build may leave out is left out, and what is left works, also where libraries go to lib64: parts.sh SOURCE
set -eu
source=$1
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCW_CLP=OFF -DCW_OPENSM=OFF -DCW_MPI=OFF \
    -DCMAKE_INSTALL_LIBDIR=lib64 -DBUILD_TESTING=OFF >"$build/log" 2>&1 && ninja -C "$build" >>"$build/log" 2>&1 ||
    { tail -n 40 "$build/log"; exit 1; }
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

cmake --install "$build" --prefix "$build/there" >/dev/null
[ ! -e "$build/there/lib" ] || { echo "there is a folder lib beside lib64"; exit 1; }
expect "$("$build/there/bin/crosswind" topo torus:4x4)" 'torus:4x4'
flags=$(PKG_CONFIG_PATH=$build/there/lib64/pkgconfig pkg-config --cflags --libs crosswind)
# shellcheck disable=SC2086  # a list of words
cc "$source/examples/library/noise.c" -o "$build/noise" $flags
LD_LIBRARY_PATH=$build/there/lib64 "$build/noise" torus:4x4 ring-allreduce 1MiB >/dev/null
mkdir "$build/consumer"
cat >"$build/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer C)
set_property(GLOBAL PROPERTY FIND_LIBRARY_USE_LIB64_PATHS TRUE) # as where there is such a folder
find_package(Crosswind REQUIRED)
get_target_property(place Crosswind::crosswind LOCATION)
message(STATUS "found ${place}")
END
expect "$(cmake -S "$build/consumer" -B "$build/consumer/build" -DCMAKE_PREFIX_PATH="$build/there")" \
    'found .*/there/lib64/libcrosswind.so'
