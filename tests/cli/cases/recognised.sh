# A map that does not say what it is, is routed as the generated network; without a few cables it is still recognised.
strip() { grep -v '^# shape' "$1" > "$2"; }
figures() { crosswind noise "$1" --ratio 0.5 --trials 100 --format csv --quiet | sed 's/^"[^"]*"/net/; s/^[^,]*,/net,/'; }
crosswind topo 'xgft(3,12,8,12,4)' --write tree.net > /dev/null
crosswind topo torus:6x5x4 --write torus.net > /dev/null
strip tree.net map.net
strip torus.net torus-map.net
[ "$(figures 'xgft(3,12,8,12,4)')" = "$(figures map.net)" ] && echo "the tree's figures are equal"
[ "$(figures torus:6x5x4)" = "$(figures torus-map.net)" ] && echo "the torus's figures are equal"
# port 3 of a leaf switch and port 7 of another lose their cables; both ends' lines go
crosswind topo xgft:2:3,4:1,3 --write small.json > /dev/null
python3 - <<'PYTHON'
import json
net = json.load(open('small.json'))
net.pop('shape'), net.pop('names', None)
net['cables'] = [c for c in net['cables'] if (c[0], c[2]) not in ((12, 16), (14, 18))]
json.dump(net, open('gaps.json', 'w'))
PYTHON
run crosswind topo gaps.json --quiet
run crosswind ebb gaps.json --trials 50 --quiet
run crosswind route gaps.json --routing dmodk --quiet
run crosswind flit gaps.json --load 0.2 --quiet
# A file may be called like a topology; it is a map all the same.
cp gaps.json torus:4x4
crosswind topo torus:4x4 --quiet | grep Shape
crosswind ebb torus:4x4 --trials 50 --quiet | grep 'Routes are by'
