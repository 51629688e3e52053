# Routings whose packets take several ways: shares of messages on channels, and who refuses them.
run crosswind congestion dragonfly:2,4,2 --traffic bitcomp --routing valiant-any --top 2
run crosswind ebb dragonfly:2,4,2 --routing valiant-restricted --trials 50
run crosswind noise dragonfly:2,4,2 --routing valiant-any --ratio 0.5 --trials 20 --bytes 1MiB
run_threads crosswind congestion jellyfish:10,4,1,seed=2 --traffic permutation --routing spray --format csv
run_threads crosswind ebb xgft:2:6,5:1,6 --routing spray --trials 20 --format csv
run_threads crosswind ebb xgft:3:4,4,4:1,4,4 --routing ecmp:flows=8 --trials 20 --format csv
run_threads crosswind ebb xgft:3:4,4,4:1,4,4 --routing ecmp:flows=8,hash=same,weights --trials 20 --format csv
run_threads crosswind ebb xgft:2:8,8:1,8 --routing minhop:lmc=3 --lids all --trials 20 --format csv
run crosswind congestion xgft:2:4,4:1,4 --routing minhop:lmc=1 --lids all --traffic shift:4 --top 0
run crosswind noise xgft:2:4,4:1,4 --routing minhop --lids all --ratio 0.5 --trials 5
run_threads crosswind flit xgft:2:8,8:1,8 --routing minhop:lmc=2,dmodk --lids all --traffic permutation --load 0.5 \
    --cycles 2000 --top 0
run crosswind model xgft:2:8,8:1,8 --routing minhop:lmc=2 --lids all --traffic permutation
crosswind route xgft:2:8,8:1,8 --routing minhop:lmc=2 --write tables >/dev/null
run crosswind model xgft:2:8,8:1,8 --lft tables --lids all --traffic permutation
run crosswind jobs xgft:2:4,4:1,4 --model flits --routing minhop:lmc=1 --lids all --jobs 'alltoall bytes=4KiB' --check 1
run crosswind route xgft:2:4,4:1,4 --routing minhop:lmc=1 --lids all
run crosswind ebb hyperx:4x4,4 --routing adaptive --trials 20
run_threads crosswind congestion jellyfish:20,4,3 --traffic permutation --routing adaptive --format csv
run_threads crosswind congestion jellyfish:20,4,3 --traffic permutation --routing adaptive:ways=any --format csv
run crosswind ebb hyperx:4x4,4 --routing adaptive:ways=any --trials 20
run crosswind flit hyperx:4x4,4 --routing adaptive:ways=any
run crosswind route hyperx:4x4,4 --routing adaptive:ways=any
run crosswind noise hyperx:4x4,4 --routing adaptive --ratio 0.5
run crosswind route hyperx:4x4,4 --routing adaptive
run crosswind ebb xgft:2:6,5:1,6 --routing ecmp:flows=0
run crosswind ebb xgft:2:6,5:1,6 --routing ecmp:hash=crc
run_threads crosswind noise torus:4x4 --routing valiant --ratio 0.4 --trials 20 --format csv
run crosswind noise dragonfly:2,4,2 --routing ugal-l
run crosswind route dragonfly:2,4,2 --routing valiant-any
run crosswind plan dragonfly:2,4,2 --traffic alltoall --routing valiant-any
crosswind noise torus:4x4 --ratio 0.4 --case 1 case.txt >/dev/null
run crosswind noise torus:4x4 --trial case.txt --routing valiant
run crosswind congestion dragonfly:2,4,2 --routing valiant-any --tables

# A share of minimal packets, given or found for the traffic: 2/9 and 32/9 by formula.
run crosswind congestion dragonfly:4,4,2 --traffic group-shift --routing ugal-mix --top 2
run crosswind congestion dragonfly:4,4,2 --traffic group-shift --routing ugal-mix:minimal=0.5 --top 0
run_threads crosswind congestion hyperx:4,4 --traffic permutation --routing ugal-mix --trials 20 --format csv
run crosswind ebb dragonfly:2,4,2 --routing ugal-mix --trials 50
run crosswind model dragonfly:4,4,2 --traffic group-shift --routing ugal-mix
run crosswind noise dragonfly:2,4,2 --routing ugal-mix:minimal=0.5 --ratio 0.5 --trials 20
run crosswind noise dragonfly:2,4,2 --routing ugal-mix
run crosswind flit dragonfly:2,4,2 --routing ugal-mix
run crosswind route dragonfly:2,4,2 --routing ugal-mix
run crosswind congestion dragonfly:2,4,2 --routing ugal-mix:minimal=2
run crosswind congestion torus:12x12 --routing ugal-mix
