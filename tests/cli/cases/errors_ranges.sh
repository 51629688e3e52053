# Numbers out of range or of no kind.
run crosswind noise torus:4x4 --threads 99999
run crosswind noise torus:4x4 --threads -1
run crosswind noise torus:4x4 --threads two
run crosswind noise torus:4x4 --seed -1
run crosswind noise torus:4x4 --seed 10000000000000000000
run crosswind noise torus:4x4 --seed 9100000000000000000
run crosswind noise torus:4x4 --seed 1e6
run crosswind noise torus:4x4 --trials 0
run crosswind noise torus:4x4 --trials 1.5
run crosswind noise torus:4x4 --ratio 2
run crosswind noise torus:4x4 --ratio -0.1
run crosswind noise torus:4x4 --ratio 0.1..
run crosswind noise torus:4x4 --ratio 0.9..0.1
run crosswind noise torus:4x4 --ratio 0.1..0.9:0
run crosswind noise torus:4x4 --ratio ''
run crosswind noise torus:4x4 --ratio half
run crosswind noise torus:4x4 --time loggp --bytes 3parsecs
run crosswind noise torus:4x4 --time loggp --bytes -1
run crosswind noise torus:4x4 --time loggp --L 1MiB
run crosswind noise torus:4x4 --time loggp --o -1us
run crosswind noise torus:4x4 --time loggp --G 1e7s
run crosswind route torus:4x4 --max-pairs 0
run crosswind ebb torus:4x4 --trials 0
run crosswind congestion torus:4x4 --top -1
run crosswind congestion torus:4x4 --ranks 17
run crosswind congestion torus:4x4 --ranks 1
