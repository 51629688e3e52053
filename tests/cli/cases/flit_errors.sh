# One clear line each.
run crosswind flit dragonfly:2,4,2 --load 0
run crosswind flit dragonfly:2,4,2 --load 1.5
run crosswind flit dragonfly:0,4,2
run crosswind flit dragonfly:2,4,2 --input-buffer 32B
run crosswind flit dragonfly:2,4,2 --message 8KiB
run crosswind flit dragonfly:2,4,2,g=2 --route valiant-any
run crosswind flit dragonfly:2,4,2 --route valiant-some
run crosswind flit dragonfly:2,4,2 --traffic bitcomplement
run crosswind flit torus:4x4 --route valiant-any
run crosswind flit dragonfly:2,4,2 --traffic neighbour3d:5x5x5
run crosswind flit dragonfly:2,4,2 --warmup soon
run crosswind flit dragonfly:2,4,2 --until-ci 200%
run crosswind flit torus:4x4 --placement random-groups
run crosswind model dragonfly:2,4,2 --route ugal-l
run crosswind reproduce dragonfly-fig4
