#!/bin/sh
# layers.sh finds what it is for: a tree with one upward include must fail. usage: layers_selftest.sh ROOT
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/src/base" "$dir/src/net" "$dir/src/sim"
echo '    EACH(torus)' >"$dir/src/net/shape.h"
cp "$1/layers.txt" "$dir"
echo '#include "base/good.h"' >"$dir/src/sim/good.c"
echo '#include "base/other.h"' >"$dir/src/base/good.h"
sh "$1/tests/lint/layers.sh" "$dir"
echo '#include "sim/round.h"' >"$dir/src/base/bad.c"
if sh "$1/tests/lint/layers.sh" "$dir"; then
    echo "an upward include was not found"
    exit 1
fi
rm "$dir/src/base/bad.c"

echo '    .shape = &cw_shape_torus,' >"$dir/src/sim/made_for.c"
sh "$1/tests/lint/layers.sh" "$dir"
echo 'if (kind == &cw_shape_torus)' >"$dir/src/sim/named.c"
if sh "$1/tests/lint/layers.sh" "$dir"; then
    echo "a shape named outside of its descriptors was not found"
    exit 1
fi
