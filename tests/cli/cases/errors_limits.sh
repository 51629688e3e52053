# Too large to be built, or too few endpoints left: refused at once, with the numbers.
run crosswind topo torus:100000x100000
run crosswind topo torus:65536x65536x65536x65536x65536
run crosswind topo hypercube:40
run crosswind noise xgft:3:5000,5000,5000:1,5000,5000
run crosswind noise torus:4x4 --ratio 1
run crosswind noise torus:4x4 --ratio 0.95
run crosswind noise torus:4x4 --ratio 0.1,0.2,1 --trials 1000000000
run crosswind noise crossbar:8 --trials 1000000000
run crosswind noise crossbar:1
run crosswind ebb crossbar:1
run crosswind congestion crossbar:1
run crosswind noise torus:4x4 --ratio 0.5 --background shift:8
run crosswind noise torus:4x4 --ratio 0.5 --time loggp --L 0 --o 0 --G 0 --trials 2
