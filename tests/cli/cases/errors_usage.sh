# What the command line refuses, with the nearest name and exit status 2.
run crosswind nosie torus:4x4
run crosswind something-else
run crosswind noise
run crosswind topo
run crosswind topo torus:4x4 torus:4x4
run crosswind noise torus:4x4 --sead 1
run crosswind noise torus:4x4 -seed 1
run crosswind noise torus:4x4 -x
run crosswind noise torus:4x4 --nothing-like-it 1
run crosswind noise torus:4x4 --seed
run crosswind noise torus:4x4 --seed --quiet
run crosswind noise torus:4x4 --quiet=perhaps
run crosswind noise torus:4x4 --format jsn
run crosswind noise torus:4x4 --format
run crosswind noise torus:4x4 --perturbation per-roud
run crosswind ebb torus:4x4 --direction up
run crosswind help --threads 2
run crosswind completion --output x
