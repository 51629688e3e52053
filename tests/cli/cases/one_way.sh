# Cables that work in one direction only, for every verb. Figures by hand: on a ring of 6 whose cables lead on, a pair is
# 1 to 5 switches apart, each as often, so that all to all puts 15 pairs on each cable.
python3 - <<'END'
import json
for n in (4, 6):
    cables = [[i, 1, n + i, 1] for i in range(n)]
    cables += [[n + i, 2, n + (i + 1) % n, 3, 5e9, 1e-7, 0, 1e-7] for i in range(n)]
    json.dump({"format": "crosswind-network", "version": 1, "endpoints": n, "switches": n, "cables": cables},
              open(f"ring{n}.json", "w"))
END
crosswind topo ring6.json
run crosswind route ring6.json --format csv
run crosswind congestion ring6.json --traffic shift:2 --channels channels.csv --format csv
grep -E ',s[0-9]+,[23],' channels.csv
run crosswind congestion ring6.json --traffic alltoall --routing spray --top 2 --format csv
run crosswind ebb ring4.json --direction bi --trials 20 --format csv
run crosswind noise ring6.json --ratio 0.5 --trials 20 --format csv
run crosswind noise ring6.json --ratio 0.5 --trials 20 --time loggp --format csv
run crosswind model ring6.json --routing spray --format csv
run crosswind plan ring6.json --traffic alltoall --method default,heuristic,greedy,lp,optimum,approx --format csv
run crosswind plan ring6.json --traffic alltoall --transport infiniband-host --plan plan.json --moves moves.json --format csv
run crosswind plan ring6.json --check plan.json --format csv
echo "# the way back is closed"
run crosswind flit ring4.json --load 0.1
run crosswind jobs ring6.json --model flits --jobs moves:moves.json
run crosswind testbed ring4.json --print
run crosswind route ring4.json --routing dor
run crosswind topo ring4.json --write ring.net
run crosswind noise torus:4x4 --failed 's(0,0)>s(1,0)' --routing dor --ratio 0.5
run crosswind route 'xgft:2:4,4:1,2' --failed 'h0>s1.0'
run crosswind route 'xgft:2:4,4:1,2' --failed 's1.0>s1.1'
run crosswind noise 'xgft:2:4,4:1,2' --degraded 's1.0>s2.0=0' --ratio 0.5
echo "# one way up is dead in a fat tree: the leaf's 4 endpoints send all to the other 12 by the other spine"
run crosswind topo 'xgft:2:4,4:1,2' --failed 's1.0>s2.0' --format csv
run crosswind route 'xgft:2:4,4:1,2' --failed 's1.0>s2.0' --format csv
crosswind congestion 'xgft:2:4,4:1,2' --failed 's1.0>s2.0' --traffic alltoall --channels channels.csv >/dev/null
grep -E ',s1.0,.*,s2|,s2.*,s1.0' channels.csv
run crosswind plan 'xgft:2:4,4:1,2' --failed 's1.0>s2.0' --traffic alltoall --method default,optimum --format csv
crosswind plan 'xgft:2:4,4:1,2' --traffic alltoall --method default --plan whole.json >/dev/null
run crosswind plan 'xgft:2:4,4:1,2' --failed 's1.0>s2.0' --check whole.json
run crosswind route 'xgft:2:4,4:1,2' --failed 's1.0>s2.0' --routing ftree
echo "# slower in one direction"
crosswind congestion 'xgft:2:4,4:1,2' --degraded 's1.0>s2.0=10Gbit/s' --traffic shift:4 --top 2 --format csv | tail -3
echo "# tables of before: what goes there is lost, and repaired"
cp "$GOLDEN/../../examples/sample/fabric.ibnetdiscover" "$GOLDEN/../../examples/sample/opensm-lfts.dump" .
run crosswind route fabric.ibnetdiscover --lft opensm-lfts.dump --failed 'leaf02/31>spine4' --format csv
run crosswind route fabric.ibnetdiscover --lft opensm-lfts.dump --failed 'leaf02/31>spine4' --repair minhop --format csv
run crosswind ebb fabric.ibnetdiscover --lft opensm-lfts.dump --failed 'leaf02/31>spine4'
echo "# who cannot send counts as 0"
crosswind ebb 'xgft:2:4,4:1,1' --failed 's1.2>s2.0' --trials 20 | sed -n '/endpoints have no path/,/^Routes/p'
