# The columns that programs rely on, and numbers that are numbers.
run crosswind noise xgft:2:4,4:1,4 --ratio 0.25,0.5 --trials 20 --format csv
run crosswind ebb xgft:2:4,4:1,4 --trials 20 --format csv
run crosswind topo 'xgft(2,12,6)' --format csv
run crosswind congestion xgft:2:4,4:1,4 --traffic shift:5 --format csv
run crosswind congestion xgft:2:4,4:1,4 --trials 20 --format csv
run crosswind route xgft:2:4,4:1,4 --format csv
run crosswind route xgft:2:4,4:1,4 --from h0 --to h5 --format csv
# one trial has no confidence interval
run crosswind noise torus:4x4 --ratio 0.5 --trials 1 --format csv
run crosswind noise torus:4x4 --ratio 0.5 --trials 1
run crosswind ebb torus:4x4 --trials 1
