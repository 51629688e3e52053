# The other verbs, too.
run_threads crosswind ebb torus:5x5 --trials 50 --format csv
run_threads crosswind ebb dragonfly:2,4,2 --trials 20
run_threads crosswind congestion torus:5x5 --trials 50 --placement random
run_threads crosswind congestion xgft:2:4,4:1,2 --traffic uniform --trials 20 --format csv
run_threads crosswind route torus:5x5
run_threads crosswind route dragonfly:2,4,2 --routing random-minimal
run_threads crosswind route xgft:2:6,6:1,3 --routing minhop --write tables.lfts
run_threads crosswind route xgft:3:4,4,4:1,4,4 --routing smodk --max-pairs 500
run_threads crosswind topo dragonfly:2,4,2,g=5
run_threads crosswind topo 'xgft(3,12,8,12,4)'
for n in 1 2 4; do crosswind route torus:5x5 --write $n.lfts --threads $n >/dev/null; done
same 1.lfts 2.lfts
same 1.lfts 4.lfts
