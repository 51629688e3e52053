# One seed, one result, with any number of threads.
net=xgft:2:6,6:1,3
run_threads crosswind noise $net --ratio 0.2,0.5 --trials 40 --format csv
run_threads crosswind noise $net --ratio 0.5 --trials 40 --perturbation per-round --format csv
run_threads crosswind noise $net --ratio 0.5 --trials 40 --schedule ring-allreduce --format csv
run_threads crosswind noise $net --ratio 0.5 --trials 40 --schedule rabenseifner --time loggp --bytes 1MiB --format csv
run_threads crosswind noise torus:5x5 --ratio 0.4 --trials 40 --sends in-order --placement random-switches --format csv
run_threads crosswind noise torus:5x5 --ratio 0.4 --trials 40 --background uniform --tables
run_threads crosswind noise dragonfly:2,4,2,g=3 --trials 10 --schedule barrier --routing random-minimal --format json
